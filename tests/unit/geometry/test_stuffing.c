// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "base/fault.h"
#include "base/random.h"
#include "geometry/stuffing.h"
#include "stuffing_checks.h"

static const double origin[3] = {0, 0, 0};

// A unit sphere at the origin.
static const pli_shape *make_sphere(pli_context *context, pli_shape_set *set)
{
    const pli_shape *shape = NULL;
    OK(context, pli_shape_sphere(set, origin, 1, &shape));
    return shape;
}

static void sphere_has_its_volume_and_points_on_its_surface(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    pli_stuffing *mesh = NULL;
    OK(context, pli_shape_set_create(context, &set));
    pli_stuffing_def def = {.spacing = 0.15};
    OK(context, pli_stuffing_create(context, make_sphere(context, set), &def, &mesh));
    check_angles(mesh);
    check_boundary(mesh);

    // flat facets of width about h lose (h / R)^2 / 4 of the volume
    NEAR(pli_stuffing_volume(mesh), 4.0 / 3 * M_PI, 0.01, 0);
    int32_t on_surface = 0;
    for (int32_t p = 0; p < mesh->point_count; ++p) {
        const double *x = mesh->points + 3 * p;
        double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        AT_MOST(r, 1 + 2e-7); // cut points are found to 1e-6 of an edge of 0.15
        on_surface += r > 1 - 2e-7;
    }
    assert_true(on_surface > 300);
    pli_stuffing_destroy(mesh);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static void vertices_are_near_their_neighbours_in_memory(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    pli_stuffing *mesh = NULL;
    OK(context, pli_shape_set_create(context, &set));
    pli_stuffing_def def = {.point_count = 3000};
    OK(context, pli_stuffing_create(context, make_sphere(context, set), &def, &mesh));
    int32_t last = 0;
    double span = 0;
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        const int32_t *tet = mesh->tets + 4 * t;
        assert_true(tet[0] < tet[1] && tet[0] < tet[2] && tet[0] < tet[3]);
        assert_true(tet[0] >= last);
        last = tet[0];
        span += abs(tet[1] - tet[0]);
    }
    // an order by chance would have a mean distance of a third of the vertices
    AT_MOST(span / mesh->tet_count, 0.1 * mesh->point_count);
    pli_stuffing_destroy(mesh);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

// Any zero set at all: noise that changes sign within single lattice edges reaches every stencil.
static void angles_hold_for_noise(void **state)
{
    (void)state;
    enum { SIDE = 14 };
    pli_context *context = make_context(1);
    double values[SIDE * SIDE * SIDE];
    for (int trial = 0; trial < 6; ++trial) {
        pli_random random = {(uint64_t)trial, 7};
        for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
            int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            bool border = false;
            for (int k = 0; k < 3; ++k) border = border || at[k] == 0 || at[k] == SIDE - 1;
            values[i] = border ? 1 : pli_random_range(random, (uint64_t)i, -1, 1);
        }
        pli_shape_samples samples = {.spacing = 1,
                                     .count = {SIDE, SIDE, SIDE},
                                     .values = values,
                                     .order = trial % 2 == 0 ? PLI_GRID_LINEAR : PLI_GRID_CUBIC};
        pli_shape_set *set = NULL;
        const pli_shape *shape = NULL;
        pli_stuffing *mesh = NULL;
        OK(context, pli_shape_set_create(context, &set));
        OK(context, pli_shape_create_from_samples(set, &samples, &shape));
        pli_stuffing_def def = {.spacing = 0.6 + 0.3 * trial};
        OK(context, pli_stuffing_create(context, shape, &def, &mesh));
        check_angles(mesh);
        check_boundary(mesh);
        pli_stuffing_destroy(mesh);
        pli_shape_set_destroy(set);
    }
    pli_context_destroy(context);
}

static void small_pieces_are_dropped_with_a_warning(void **state)
{
    (void)state;
    heard last = {0};
    pli_context *context = make_hearing_context(&last);
    pli_shape_set *set = NULL;
    const pli_shape *members[2] = {NULL, NULL};
    const pli_shape *both = NULL;
    pli_stuffing *mesh = NULL;
    OK(context, pli_shape_set_create(context, &set));
    members[0] = make_sphere(context, set);
    // 0.09^3 = 0.0007 of the volume
    OK(context, pli_shape_sphere(set, (double[3]){1.5, 0, 0}, 0.09, &members[1]));
    OK(context, pli_shape_union(set, 2, members, 0, &both));
    pli_stuffing_def def = {.spacing = 0.1};
    OK(context, pli_stuffing_create(context, both, &def, &mesh));
    assert_int_equal(mesh->dropped_count, 1);
    assert_int_equal(last.count, 1);
    assert_non_null(strstr(last.text, "1 separate piece"));
    for (int32_t p = 0; p < mesh->point_count; ++p) AT_MOST(mesh->points[3 * p], 1.001);
    pli_stuffing_destroy(mesh);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static void expect_refusal(pli_context *context, const pli_shape *shape, pli_stuffing_def def,
                           const char *words)
{
    char text[512];
    pli_stuffing *mesh = (pli_stuffing *)&def;
    assert_int_equal(pli_stuffing_create(context, shape, &def, &mesh), PLI_ERROR_ARGUMENT);
    assert_null(mesh);
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, words));
}

static void what_cannot_be_filled_is_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    const pli_shape *plane = NULL;
    const pli_shape *far = NULL;
    const pli_shape *nothing = NULL;
    OK(context, pli_shape_set_create(context, &set));
    const pli_shape *sphere = make_sphere(context, set);
    OK(context, pli_shape_plane(set, origin, (double[3]){0, 1, 0}, &plane));
    OK(context, pli_shape_sphere(set, (double[3]){9, 0, 0}, 1, &far));
    const pli_shape *apart[2] = {sphere, far};
    OK(context, pli_shape_intersection(set, 2, apart, 0, &nothing));

    expect_refusal(context, plane, (pli_stuffing_def){.spacing = 0.1}, "no end");
    expect_refusal(context, nothing, (pli_stuffing_def){.spacing = 0.1}, "empty");
    expect_refusal(context, sphere, (pli_stuffing_def){.spacing = -1}, "spacing is -1");
    expect_refusal(context, sphere, (pli_stuffing_def){.spacing = NAN}, "spacing is nan");
    expect_refusal(context, sphere, (pli_stuffing_def){.point_count = 3}, "at least 8");
    expect_refusal(context, sphere, (pli_stuffing_def){.spacing = 1e-6}, "larger spacing");
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

// Makes a mesh with the n-th allocation failing; true when nothing failed any more.
static bool survives_failure(int64_t fail_at)
{
    pli_fault fault = {.fail_at = fail_at};
    pli_context_def context_def = pli_context_def_default();
    context_def.allocator = pli_fault_allocator(&fault);
    context_def.thread_count = 1;
    pli_context *context = NULL;
    if (pli_context_create(&context_def, &context) != PLI_OK) return false;
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    pli_stuffing *mesh = NULL;
    pli_status status = pli_shape_set_create(context, &set);
    if (status == PLI_OK) status = pli_shape_sphere(set, origin, 1, &shape);
    pli_stuffing_def def = {.point_count = 60, .matches_volume = true};
    if (status == PLI_OK) status = pli_stuffing_create(context, shape, &def, &mesh);
    assert_true(status == PLI_OK || (status == PLI_ERROR_MEMORY && mesh == NULL));
    pli_stuffing_destroy(mesh);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
    assert_int_equal(fault.live_blocks, 0);
    return status == PLI_OK && fault.calls < fail_at;
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    int64_t n = 1;
    while (n < 2000 && !survives_failure(n)) ++n;
    assert_true(n > 20 && n < 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_has_its_volume_and_points_on_its_surface),
        cmocka_unit_test(vertices_are_near_their_neighbours_in_memory),
        cmocka_unit_test(angles_hold_for_noise),
        cmocka_unit_test(small_pieces_are_dropped_with_a_warning),
        cmocka_unit_test(what_cannot_be_filled_is_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
