// SPDX-License-Identifier: Apache-2.0
//
// The step filter of barrier contact against exact predicates, which share nothing with it: what it
// admits never crosses and never inverts, and it does not stand in the way of what is free (Li
// et al. 2020).
#include "ipc_world.h"

#include "geometry/collision/crossing.h"
#include "geometry/collision/predicates.h"

// ---- the judge

static int64_t count_crossings(const ipc_world *w, const double *x)
{
    pli_soup soup = {.vertex_count = w->b.vertex_count,
                     .points = x,
                     .triangle_count = w->b.triangle_count,
                     .triangles = w->b.triangles};
    int64_t count = 0;
    OK(w->b.context, pli_soup_find_crossings(w->b.context, &soup, 0, NULL, &count));
    return count;
}

static int32_t count_inverted(const ipc_world *w, const double *x)
{
    int32_t count = 0;
    for (int32_t t = 0; t < w->b.tet_count; ++t) {
        const int32_t *v = w->b.tets + 4 * t;
        count += pli_orient3d(x + 3 * v[0], x + 3 * v[1], x + 3 * v[2], x + 3 * v[3]) <= 0;
    }
    return count;
}

static int32_t count_sunk(const ipc_world *w, const double *x)
{
    int32_t count = 0;
    for (int32_t v = 0; v < w->b.vertex_count && w->def.plane_count > 0; ++v) {
        count += !(pli_vec3_dot(w->plane, x + 3 * v) > w->plane[3]);
    }
    return count;
}

static bool is_free(const ipc_world *w, const double *x)
{
    return count_crossings(w, x) == 0 && count_inverted(w, x) == 0 && count_sunk(w, x) == 0;
}

static void move_along(const ipc_world *w, const double *x, double t, const double *d, double *to)
{
    for (int32_t k = 0; k < 3 * w->b.vertex_count; ++k) to[k] = x[k] + t * d[k];
}

// Free all along the way, as far as a few places tell.
static void expect_free_way(const ipc_world *w, const double *x, double alpha, const double *d)
{
    static const double places[] = {1, 0.999, 0.9, 0.7, 0.5, 0.31, 0.1};
    double *to = ipc_world_vector(w);
    for (int k = 0; k < 7; ++k) {
        move_along(w, x, places[k] * alpha, d, to);
        assert_true(is_free(w, to));
    }
    free(to);
}

// ---- random motions

typedef struct tally {
    int32_t stopped; // steps that were cut short
    int32_t blocked; // whose way would have ended in a crossing, an inversion or below the plane
} tally;

// Goes as far as the filter admits, many times, each body and vertex its own way.
static void roam(ipc_world *w, uint64_t stream, int steps, double largest, tally *counts)
{
    double *x = ipc_world_positions(w), *d = ipc_world_vector(w), *end = ipc_world_vector(w);
    assert_true(is_free(w, x));
    for (int step = 0; step < steps; ++step) {
        pli_random random = {stream, 77};
        double size = largest * pow(10, -2 * pli_random_uniform(random, (uint64_t)step));
        double own = pli_random_uniform(random, (uint64_t)(1000 + step)) < 0.5 ? 0.02 : 0.3;
        ipc_world_motion(w, 100 * stream + (uint64_t)step, size, own * size, d);
        double alpha = pli_ipc_max_step(w->ipc, x, d);
        assert_true(alpha > 0 && alpha <= 1);
        expect_free_way(w, x, alpha, d);
        move_along(w, x, 1, d, end);
        counts->stopped += alpha < 1;
        counts->blocked += !is_free(w, end);
        move_along(w, x, alpha, d, x);
    }
    free(end);
    free(d);
    free(x);
}

static void admitted_steps_never_cross_and_never_invert(void **state)
{
    (void)state;
    tally counts = {0, 0};
    for (uint64_t stream = 1; stream <= 6; ++stream) {
        ipc_world *w = ipc_world_make(2);
        if (stream % 2 == 0) ipc_world_add_plane(w, 0.1, 1, -0.1, -0.1);
        ipc_world_add_pile(w, 2, 0.005);
        ipc_world_build(w);
        // motions up to several times the size of everything
        roam(w, stream, 40, 5, &counts);
        ipc_world_destroy(w);
    }
    AT_LEAST(counts.blocked, 50);
    // what ends in a crossing was cut short; some more because a tenth of every gap is kept
    AT_LEAST(counts.stopped, counts.blocked);
}

static void bodies_that_fly_through_each_other_within_one_step_are_stopped(void **state)
{
    (void)state;
    // at both ends of the way nothing crosses: only continuous detection can tell
    static const double ways[] = {-3, -30, -3e3, -3e6};
    for (int k = 0; k < 4; ++k) {
        ipc_world *w = ipc_world_make(2);
        bodies_add_box(&w->b, (double[]){0, 0, 0}, (double[]){1, 0.1, 1}, 2, 1, 2);
        bodies_add_box(&w->b, (double[]){0.1, 0.5, 0.15}, (double[]){1.1, 0.6, 1.15}, 2, 1, 2);
        ipc_world_build(w);
        double *d = ipc_world_vector(w), *end = ipc_world_vector(w);
        for (int32_t v = w->b.first_vertex[1]; v < w->b.vertex_count; ++v) d[3 * v + 1] = ways[k];
        move_along(w, w->b.x, 1, d, end);
        assert_true(is_free(w, end));
        double alpha = pli_ipc_max_step(w->ipc, w->b.x, d);
        // the gap of 0.4 m shrinks to a tenth, up to a tolerance of 4e-3 dhat
        NEAR(-alpha * ways[k], 0.36, 0, 4.01e-4);
        assert_true(-alpha * ways[k] <= 0.36 * (1 + 1e-12));
        free(end);
        free(d);
        ipc_world_destroy(w);
    }
}

static void free_ways_are_admitted_whole(void **state)
{
    ipc_world *w = *state;
    ipc_world_add_plane(w, 0, 1, 0, -0.05);
    ipc_world_add_pile(w, 2, 0.005);
    ipc_world_build(w);
    double *d = ipc_world_vector(w);
    // standing still, all together however far, and away from each other
    assert_true(pli_ipc_max_step(w->ipc, w->b.x, d) == 1);
    for (int32_t v = 0; v < w->b.vertex_count; ++v) {
        pli_vec3_set(100, 1, -2000, d + 3 * v);
    }
    assert_true(pli_ipc_max_step(w->ipc, w->b.x, d) == 1);
    for (int32_t v = 0; v < w->b.vertex_count; ++v) {
        pli_vec3_set(0, 3 * w->body_of[v], 0, d + 3 * v);
    }
    assert_true(pli_ipc_max_step(w->ipc, w->b.x, d) == 1);
    free(d);
}

static void pairs_that_do_not_collide_pass_through_each_other(void **state)
{
    ipc_world *w = *state;
    w->self = false;
    bodies_add_box(&w->b, (double[]){0, 0, 0}, (double[]){1, 0.2, 1}, 2, 1, 2);
    ipc_world_build(w);
    // one body that is squeezed together sideways would touch itself, but is only kept from
    // inverting
    double *d = ipc_world_vector(w);
    for (int32_t v = 0; v < w->b.vertex_count; ++v) d[3 * v] = 0.5 - w->b.x[3 * v];
    NEAR(pli_ipc_max_step(w->ipc, w->b.x, d), 0.9, 1e-9, 0);
    free(d);
}

static void steps_are_positive_however_small_the_gap(void **state)
{
    (void)state;
    for (double gap = 1e-2; gap > 1e-12; gap *= 0.1) {
        ipc_world *w = ipc_world_make(1);
        w->def.dhat = 1e-3;
        ipc_world_add_plane(w, 0, 1, 0, -gap);
        bodies_add_box(&w->b, (double[]){0, 0, 0}, (double[]){1, 0.5, 1}, 2, 1, 2);
        bodies_add_box(&w->b, (double[]){0.1, 0, 0.15}, (double[]){1.1, 0.5, 1.15}, 2, 1, 2);
        bodies_shift(&w->b, 1, 0, 0.5 + gap, 0);
        ipc_world_build(w);
        assert_true(is_free(w, w->b.x));
        double *d = ipc_world_vector(w);
        for (uint64_t stream = 0; stream < 8; ++stream) {
            ipc_world_motion(w, 40 + stream, 0.1, 0.05, d);
            double alpha = pli_ipc_max_step(w->ipc, w->b.x, d);
            assert_true(alpha > 0);
            expect_free_way(w, w->b.x, alpha, d);
        }
        free(d);
        ipc_world_destroy(w);
    }
}

static void inversion_limits_steps_without_any_contact(void **state)
{
    ipc_world *w = *state;
    bodies_add_tet(&w->b, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    w->b.triangle_count = 0; // nothing but the tetrahedron
    ipc_world_build(w);
    double *d = ipc_world_vector(w);
    d[11] = -2; // its height goes from 1 to -1; a tenth of the volume is left at 0.1
    NEAR(pli_ipc_max_step(w->ipc, w->b.x, d), 0.45, 1e-12, 0);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admitted_steps_never_cross_and_never_invert),
        cmocka_unit_test(bodies_that_fly_through_each_other_within_one_step_are_stopped),
        TEST_IN_IPC_WORLD(free_ways_are_admitted_whole, 2),
        TEST_IN_IPC_WORLD(pairs_that_do_not_collide_pass_through_each_other, 1),
        cmocka_unit_test(steps_are_positive_however_small_the_gap),
        TEST_IN_IPC_WORLD(inversion_limits_steps_without_any_contact, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
