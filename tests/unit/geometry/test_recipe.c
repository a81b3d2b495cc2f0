// SPDX-License-Identifier: Apache-2.0
// Named recipes, each filled with about 2,000 vertices, or with what its
// thin parts need.
#include "support/fault_sweep.h"
#include "unit/geometry/mesh_oracle.h"
#include "workshop.h"

#include "geometry/generate/recipe.h"
#include "geometry/generate/stuffing.h"

// Vertices that a recipe is filled with.
static int32_t wanted_vertices(const char *name)
{
    return strcmp(name, "koosh-fine") == 0 ? 17000 : 2000;
}

static const pli_shape *build(pli_context *context, pli_shape_set *set, const char *name,
                              double size)
{
    pli_recipe_shapes shapes;
    OK(context, pli_recipe_build(set, name, size, &shapes));
    return shapes.shape;
}

// the box that a recipe of this size says it fills
static pli_bounds recipe_box(const pli_recipe *recipe, double size)
{
    double extent[3];
    pli_bounds box;
    pli_recipe_extent(recipe, extent);
    for (int k = 0; k < 3; ++k) {
        box.min[k] = -0.5 * size * extent[k];
        box.max[k] = 0.5 * size * extent[k];
    }
    return box;
}

static pli_tet_mesh *fill(pli_context *context, const char *name)
{
    pli_shape_set *set = NULL;
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_shape_set_create(context, &set));
    pli_stuffing_def def = {.vertex_count = wanted_vertices(name)};
    OK(context, pli_stuffing_create(context, build(context, set, name, 2), &def, NULL, &mesh));
    pli_shape_set_destroy(set);
    return mesh;
}

static void check_recipe(pli_context *one, pli_context *four, const pli_recipe *recipe)
{
    pli_tet_mesh *mesh = fill(one, recipe->name);
    pli_tet_mesh *again = fill(four, recipe->name);
    oracle_check_mesh(mesh);
    NEAR(mesh->vertex_count, wanted_vertices(recipe->name), 0.10, 0);
    assert_true(oracle_hash(mesh) == oracle_hash(again));

    // the box of the recipe, widened by a little, holds all of it
    pli_shape_set *set = NULL;
    OK(one, pli_shape_set_create(one, &set));
    const pli_shape *shape = build(one, set, recipe->name, 2);
    pli_bounds box = recipe_box(recipe, 2);
    NEAR(pli_bounds_longest(&box), 2, 1e-15, 0);
    pli_bounds wider = pli_bounds_expand(box, 0.01);
    double volume = oracle_volume(shape, &wider, 48);
    // one point per cell leaves a standard error of some 0.4 % where the surface passes
    NEAR(pli_tet_mesh_volume(mesh), volume, 0.02, 0);
    pli_shape_set_destroy(set);
    pli_tet_mesh_destroy(again);
    pli_tet_mesh_destroy(mesh);
}

static void every_recipe_fills_well(void **state)
{
    (void)state;
    pli_context *one = make_context(1);
    pli_context *four = make_context(4);
    for (int32_t i = 0; i < pli_recipe_count(); ++i) {
        const pli_recipe *recipe = pli_recipe_get(i);
        fprintf(stderr, "           %s\n", recipe->name);
        check_recipe(one, four, recipe);
    }
    pli_context_destroy(four);
    pli_context_destroy(one);
}

// The largest value of a coordinate that the shape reaches near a face of its box, by sampling a
// layer of the given depth below it; -infinity when nothing is there.
static bool reaches_face(const pli_shape *shape, const pli_bounds *box, int axis, int side,
                         double depth)
{
    enum { N = 96 };
    double points[3 * N], values[N];
    for (int32_t row = 0; row < N; ++row) {
        for (int32_t i = 0; i < N; ++i) {
            double *x = points + 3 * i;
            const int32_t at[2] = {i, row};
            x[axis] = side > 0 ? box->max[axis] - depth : box->min[axis] + depth;
            for (int k = 0; k < 2; ++k) {
                int other = (axis + 1 + k) % 3;
                double t = (at[k] + 0.5) / N;
                x[other] = box->min[other] + t * (box->max[other] - box->min[other]);
            }
        }
        pli_shape_values(shape, N, points, values);
        for (int32_t i = 0; i < N; ++i) {
            if (values[i] < 0) return true;
        }
    }
    return false;
}

static void boxes_of_recipes_are_tight(void **state)
{
    pli_context *context = *state;
    for (int32_t r = 0; r < pli_recipe_count(); ++r) {
        const pli_recipe *recipe = pli_recipe_get(r);
        pli_shape_set *set = NULL;
        OK(context, pli_shape_set_create(context, &set));
        const pli_shape *shape = build(context, set, recipe->name, 1);
        pli_bounds box = recipe_box(recipe, 1);
        for (int face = 0; face < 6; ++face) {
            // there is matter within 1 % of every face, and none beyond it
            if (!reaches_face(shape, &box, face / 2, face % 2, 0.01) ||
                reaches_face(shape, &box, face / 2, face % 2, -0.001)) {
                fprintf(stderr, "face %d of %s is not where it should be\n", face, recipe->name);
                fail();
            }
        }
        pli_shape_set_destroy(set);
    }
}

static void recipes_scale_with_their_size(void **state)
{
    workshop *w = *state;
    const pli_shape *small = build(w->context, w->set, "cat", 0.1);
    const pli_shape *large = build(w->context, w->set, "cat", 10);
    pli_random random = {1, 2};
    for (uint64_t i = 0; i < 200; ++i) {
        double x[3], y[3];
        for (uint64_t k = 0; k < 3; ++k) x[k] = pli_random_range(random, 3 * i + k, -0.06, 0.06);
        pli_vec3_scale(100, x, y);
        NEAR(100 * pli_shape_value(small, x), pli_shape_value(large, y), 1e-10, 1e-12);
    }
}

static void regions_divide_the_recipes_that_have_them(void **state)
{
    pli_context *context = *state;
    int with_regions = 0;
    for (int32_t r = 0; r < pli_recipe_count(); ++r) {
        const pli_recipe *recipe = pli_recipe_get(r);
        if (recipe->region_count == 0) continue;
        ++with_regions;
        pli_shape_set *set = NULL;
        pli_recipe_shapes shapes;
        OK(context, pli_shape_set_create(context, &set));
        OK(context, pli_recipe_build(set, recipe->name, 1, &shapes));
        pli_bounds box = recipe_box(recipe, 1);
        int32_t counts[PLI_RECIPE_REGIONS + 1] = {0};
        pli_random random = {3, (uint64_t)r};
        for (uint64_t i = 0; i < 20000; ++i) {
            double x[3];
            for (uint64_t k = 0; k < 3; ++k) {
                x[k] = pli_random_range(random, 3 * i + k, box.min[k], box.max[k]);
            }
            if (pli_shape_value(shapes.shape, x) >= 0) continue;
            int32_t region = 0;
            while (region < recipe->region_count &&
                   pli_shape_value(shapes.regions[region], x) >= 0) {
                ++region;
            }
            ++counts[region];
        }
        int32_t total = 0;
        for (int k = 0; k <= recipe->region_count; ++k) total += counts[k];
        // every region and the rest hold a good share of the matter
        for (int k = 0; k <= recipe->region_count; ++k) AT_LEAST(counts[k], 0.05 * total);
        pli_shape_set_destroy(set);
    }
    assert_int_equal(with_regions, 5);
}

static void places_lie_in_the_recipe(void **state)
{
    workshop *w = *state;
    const pli_recipe *creature = pli_recipe_find("creature");
    assert_int_equal(creature->place_count, 2);
    const pli_shape *shape = build(w->context, w->set, "creature", 1);
    for (int p = 0; p < 2; ++p) {
        AT_MOST(pli_shape_value(shape, creature->places[p].center), -0.01);
        AT_LEAST(creature->places[p].center[1], 0.35);
    }
}

static void recipes_are_found_by_name(void **state)
{
    workshop *w = *state;
    static const char *const names[] = {
        "creature", "cat",       "bust", "bird",         "turkey",     "wheel",    "dragon",
        "octopus",  "strutball", "hoop", "koosh",        "sole",       "cellball", "roller",
        "terrain",  "anvil",     "bowl", "eared-sphere", "koosh-fine", "lucky-cat"};
    assert_int_equal(pli_recipe_count(), 20);
    for (int i = 0; i < 20; ++i) {
        const pli_recipe *recipe = pli_recipe_find(names[i]);
        assert_non_null(recipe);
        assert_true(strlen(recipe->doc) > 10);
    }
    assert_ptr_equal(pli_recipe_find("bunny"), pli_recipe_find("eared-sphere"));
    assert_null(pli_recipe_find("horse"));
    assert_null(pli_recipe_get(20));
    assert_null(pli_recipe_get(-1));

    pli_recipe_shapes shapes;
    char text[256];
    assert_int_equal(pli_recipe_build(w->set, "octopuss", 1, &shapes), PLI_ERROR_ARGUMENT);
    pli_context_message(w->context, text, sizeof text);
    assert_non_null(strstr(text, "\"octopus\""));
    assert_int_equal(pli_recipe_build(w->set, "cat", 0, &shapes), PLI_ERROR_ARGUMENT);
    assert_null(shapes.shape);
}

static pli_status build_all(pli_context *context)
{
    pli_shape_set *set = NULL;
    pli_recipe_shapes shapes;
    pli_status status = pli_shape_set_create(context, &set);
    for (int32_t i = 0; status == PLI_OK && i < pli_recipe_count(); i += 3) {
        status = pli_recipe_build(set, pli_recipe_get(i)->name, 1, &shapes);
    }
    pli_shape_set_destroy(set);
    return status;
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.at_least = 98}; fault_sweep_next(&sweep);) {
        sweep.status = build_all(sweep.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recipe_fills_well),
        TEST_IN_CONTEXT(boxes_of_recipes_are_tight, 1),
        TEST_IN_WORKSHOP(recipes_scale_with_their_size, 1),
        TEST_IN_CONTEXT(regions_divide_the_recipes_that_have_them, 1),
        TEST_IN_WORKSHOP(places_lie_in_the_recipe, 1),
        TEST_IN_WORKSHOP(recipes_are_found_by_name, 1),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
