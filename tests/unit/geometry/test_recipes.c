// SPDX-License-Identifier: Apache-2.0
//
// Every recipe, filled with about 2,000 vertices.
#include "near.h"

#include "base/fault.h"
#include "geometry/recipe.h"
#include "geometry/stuffing.h"
#include "stuffing_checks.h"

enum { WANTED = 2000 };

typedef struct solid {
    pli_context *context;
    pli_shape_set *set;
    const pli_shape *shape;
    pli_stuffing *mesh;
} solid;

static void solid_init(solid *made, int32_t recipe, int32_t thread_count, pli_stuffing_def def)
{
    *made = (solid){.context = make_context(thread_count)};
    OK(made->context, pli_shape_set_create(made->context, &made->set));
    OK(made->context, pli_recipe_build(made->set, pli_recipe_name(recipe), 2, &made->shape));
    OK(made->context, pli_stuffing_create(made->context, made->shape, &def, &made->mesh));
}

static void solid_clear(solid *made)
{
    pli_stuffing_destroy(made->mesh);
    pli_shape_set_destroy(made->set);
    pli_context_destroy(made->context);
}

// The mesh stays within the box of the size asked for and reaches its ends along the longest edge,
// but for tips that are thinner than the lattice.
static void check_box(const pli_stuffing *mesh)
{
    double longest = 0;
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int32_t p = 0; p < mesh->point_count; ++p) {
            low = fmin(low, mesh->points[3 * p + i]);
            high = fmax(high, mesh->points[3 * p + i]);
        }
        // matching the volume moves the surface by up to half a spacing
        AT_MOST(fmax(-low, high), 1.005 + 0.5 * mesh->spacing);
        longest = fmax(longest, high - low);
    }
    AT_LEAST(longest, 2 - 2 * mesh->spacing);
}

static void every_recipe_fills_well_with_the_wanted_number_of_vertices(void **state)
{
    (void)state;
    for (int32_t recipe = 0; recipe < pli_recipe_count(); ++recipe) {
        solid made;
        double volume;
        solid_init(&made, recipe, 2,
                   (pli_stuffing_def){.point_count = WANTED, .matches_volume = true});
        print_message("%s\n", pli_recipe_name(recipe));
        check_angles(made.mesh);
        check_boundary(made.mesh);
        check_box(made.mesh);
        NEAR((double)made.mesh->point_count, WANTED, 0.1, 0);
        OK(made.context,
           pli_shape_volume(made.context, made.shape, 0.2 * made.mesh->spacing, &volume));
        NEAR(pli_stuffing_volume(made.mesh), volume, 0.02, 0);
        solid_clear(&made);
    }
}

static void same_bytes_at_any_thread_count(void **state)
{
    (void)state;
    for (int32_t recipe = 0; recipe < pli_recipe_count(); ++recipe) {
        solid one;
        solid four;
        solid_init(&one, recipe, 1, (pli_stuffing_def){.spacing = 0.18});
        solid_init(&four, recipe, 4, (pli_stuffing_def){.spacing = 0.18});
        assert_int_equal(one.mesh->point_count, four.mesh->point_count);
        assert_int_equal(one.mesh->tet_count, four.mesh->tet_count);
        assert_memory_equal(one.mesh->points, four.mesh->points,
                            3 * (size_t)one.mesh->point_count * sizeof(double));
        assert_memory_equal(one.mesh->tets, four.mesh->tets,
                            4 * (size_t)one.mesh->tet_count * sizeof(int32_t));
        solid_clear(&one);
        solid_clear(&four);
    }
}

static void same_bytes_for_the_same_wish(void **state)
{
    (void)state;
    solid first;
    solid second;
    pli_stuffing_def def = {.point_count = WANTED};
    solid_init(&first, 0, 1, def);
    solid_init(&second, 0, 4, def);
    NEAR((double)first.mesh->point_count, WANTED, 0.1, 0);
    assert_int_equal(first.mesh->point_count, second.mesh->point_count);
    assert_memory_equal(first.mesh->points, second.mesh->points,
                        3 * (size_t)first.mesh->point_count * sizeof(double));
    solid_clear(&first);
    solid_clear(&second);
}

static void unknown_names_and_sizes_are_refused(void **state)
{
    (void)state;
    char text[512];
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    OK(context, pli_shape_set_create(context, &set));
    assert_int_equal(pli_recipe_build(set, "dragn", 1, &shape), PLI_ERROR_ARGUMENT);
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, "did you mean 'dragon'?"));
    assert_int_equal(pli_recipe_build(set, "dragon", 0, &shape), PLI_ERROR_ARGUMENT);
    assert_null(shape);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static bool survives_failure(const char *name, int64_t fail_at)
{
    pli_fault fault = {.fail_at = fail_at};
    pli_context_def def = pli_context_def_default();
    def.allocator = pli_fault_allocator(&fault);
    def.thread_count = 1;
    pli_context *context = NULL;
    if (pli_context_create(&def, &context) != PLI_OK) return false;
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_set_create(context, &set);
    if (status == PLI_OK) status = pli_recipe_build(set, name, 1, &shape);
    assert_true(status == PLI_OK || (status == PLI_ERROR_MEMORY && shape == NULL));
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
    assert_int_equal(fault.live_blocks, 0);
    return status == PLI_OK && fault.calls < fail_at;
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"creature", "bowl", "terrain"};
    for (int k = 0; k < 3; ++k) {
        int64_t n = 1;
        while (n < 100 && !survives_failure(names[k], n)) ++n;
        assert_true(n > 4 && n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recipe_fills_well_with_the_wanted_number_of_vertices),
        cmocka_unit_test(same_bytes_at_any_thread_count),
        cmocka_unit_test(same_bytes_for_the_same_wish),
        cmocka_unit_test(unknown_names_and_sizes_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
