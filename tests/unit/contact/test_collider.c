// SPDX-License-Identifier: Apache-2.0
//
// Colliders in their poses: derivatives, motion, quick rejection, what is refused.
#include "derivatives.h"
#include "solids.h"

#include "contact/halfspaces.h"

typedef struct case_user {
    const pli_collider *collider;
} case_user;

static double case_value(void *user, const double *x)
{
    return pli_collider_value(((case_user *)user)->collider, x);
}

static void case_gradient(void *user, const double *x, double *g)
{
    pli_collider_gradient(((case_user *)user)->collider, x, g);
}

static void case_hessian(void *user, const double *x, double *H)
{
    double g[3];
    pli_collider_hessian(((case_user *)user)->collider, x, g, H);
}

static void derivatives_hold_in_moved_poses(void **state)
{
    solids *s = *state;
    for (solid_kind kind = 0; kind < SOLID_ANALYTIC; ++kind) {
        pli_collider *collider = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT);
        solids_move(collider);
        case_user user = {collider};
        derivatives_case term = {.n = 3,
                                 .energy = case_value,
                                 .gradient = case_gradient,
                                 .hessian = case_hessian,
                                 .user = &user,
                                 .scale = 0.1,
                                 .magnitude = 1};
        const double x[3] = {0.83, 0.31, 0.47};
        CHECK_DERIVATIVES(&term, x, "moved collider");
    }
}

static void shape_moves_with_the_pose(void **state)
{
    solids *s = *state;
    pli_collider *collider = solids_add(s, solids_shape(s, SOLID_TORUS), PLI_COLLIDER_CONSTRAINT);
    solids_move(collider);
    for (uint64_t i = 0; i < 100; ++i) {
        double x0[3], x[3], d[3], n0[3], n[3], turned[3];
        solids_point(1, i, 1, x0);
        // x = c + u + R (x0 - c)
        pli_vec3_subtract(x0, collider->center, d);
        pli_mat3_apply(collider->now.R, d, x);
        pli_vec3_add(x, collider->center, x);
        pli_vec3_add(x, collider->now.offset, x);
        NEAR(pli_collider_value(collider, x), pli_shape_value(collider->shape, x0), 0, 1e-14);
        pli_shape_gradient(collider->shape, x0, n0);
        pli_collider_gradient(collider, x, n);
        pli_mat3_apply(collider->now.R, n0, turned);
        AT_MOST(pli_vec3_distance(n, turned), 1e-13);
        // the material point was there at the start of the step
        double v[3], before[3], want[3];
        pli_collider_velocity(collider, x, 0.25, v);
        pli_vec3_add_scaled(x, -0.25, v, before);
        pli_mat3_apply(collider->before.R, d, want);
        pli_vec3_add(want, collider->center, want);
        pli_vec3_add(want, collider->before.offset, want);
        AT_MOST(pli_vec3_distance(before, want), 1e-14);
    }
}

static void collider_at_rest_has_no_velocity(void **state)
{
    solids *s = *state;
    pli_collider *collider = solids_add(s, solids_sphere(s, 1), PLI_COLLIDER_CONSTRAINT);
    solids_move(collider);
    collider->before = collider->now;
    double v[3];
    pli_collider_velocity(collider, (double[3]){3, 1, 2}, 1e-3, v);
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
}

// Rejected or not, what a chunk tells is what single points tell.
static void quick_rejection_never_misses(void **state)
{
    solids *s = *state;
    static const double limits[] = {-1e-13, 0, 1e-12, 0.2};
    int32_t rejected = 0;
    for (solid_kind kind = 0; kind < SOLID_COUNT; ++kind) {
        pli_collider *collider = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_PENALTY);
        solids_move(collider);
        // also what is only close
        if (kind % 2 == 1) collider->margin = 0.1;
        pli_bounds box = pli_collider_bounds(collider);
        for (uint64_t trial = 0; trial < 400; ++trial) {
            double points[3 * PLI_COLLIDER_CHUNK], values[PLI_COLLIDER_CHUNK], center[3];
            solids_point(2, trial, 2.5, center);
            double limit = limits[trial % 4], least = INFINITY;
            for (uint64_t i = 0; i < PLI_COLLIDER_CHUNK; ++i) {
                solids_point(3, 64 * trial + i, 0.2, points + 3 * i);
                pli_vec3_add(points + 3 * i, center, points + 3 * i);
                double value = pli_collider_value(collider, points + 3 * i);
                least = fmin(least, value);
                if (value < 0) AT_MOST(pli_bounds_distance(&box, points + 3 * i), 0);
            }
            if (!pli_collider_values(collider, PLI_COLLIDER_CHUNK, points, limit, values)) {
                assert_true(least >= limit);
                ++rejected;
                continue;
            }
            for (uint64_t i = 0; i < PLI_COLLIDER_CHUNK; ++i) {
                assert_true(values[i] == pli_collider_value(collider, points + 3 * i));
            }
        }
    }
    // of these points most are too far for most limits
    assert_true(rejected > 400);
}

static void refused(solids *s, const pli_collider *collider, const char *why)
{
    char message[512];
    assert_int_equal(pli_collider_check(s->context, collider), PLI_ERROR_SCENE);
    pli_context_message(s->context, message, sizeof message);
    if (strstr(message, why) == NULL) fail_msg("\"%s\" does not say \"%s\"", message, why);
    assert_non_null(strstr(message, "bowl"));
}

static void unfit_colliders_are_refused_by_name(void **state)
{
    solids *s = *state;
    const pli_shape *sampled = solids_shape(s, SOLID_LINEAR);
    pli_collider good;
    pli_collider_init(&good, solids_sphere(s, 1), PLI_COLLIDER_CONSTRAINT);
    good.name = "bowl";
    OK(s->context, pli_collider_check(s->context, &good));

    pli_collider bad = good;
    bad.shape = sampled;
    refused(s, &bad, "`method: penalty`");
    bad.method = PLI_COLLIDER_PENALTY;
    refused(s, &bad, "stiffness");
    bad.stiffness = 1e3;
    OK(s->context, pli_collider_check(s->context, &bad));
    bad = good;
    bad.method = PLI_COLLIDER_AUTO;
    refused(s, &bad, "method");
    bad = good;
    bad.friction = -0.1;
    refused(s, &bad, "friction");
    bad = good;
    bad.now.R[0] = 1.01;
    refused(s, &bad, "rigid");
}

// ---- the least-norm problem behind projections, forces and impulses

// |s|^2 is least: no small change that satisfies everything is shorter.
static void least_step_is_least(void **state)
{
    (void)state;
    pli_random random = {5, 7};
    int32_t solved = 0;
    for (uint64_t trial = 0; trial < 400; ++trial) {
        pli_halfspaces h = {.count = 1 + (int32_t)(trial % PLI_HALFSPACES)};
        for (int32_t k = 0; k < h.count; ++k) {
            solids_point(4, trial * 8 + (uint64_t)k, 1, h.a[k]);
            h.b[k] = pli_random_range(random, trial * 8 + (uint64_t)k, -1, 0.5);
        }
        pli_nearest nearest;
        if (!pli_halfspaces_solve(&h, 1e-13, &nearest)) continue;
        ++solved;
        double sum[3] = {0, 0, 0};
        for (int32_t i = 0; i < nearest.count; ++i) {
            int32_t k = nearest.index[i];
            AT_LEAST(nearest.y[i], 0);
            pli_vec3_add_scaled(sum, nearest.y[i], h.a[k], sum);
            NEAR(pli_vec3_dot(h.a[k], nearest.step), -h.b[k], 1e-9, 1e-9);
        }
        AT_MOST(pli_vec3_distance(sum, nearest.step), 1e-12 * (1 + pli_vec3_norm(sum)));
        for (int32_t k = 0; k < h.count; ++k) {
            AT_LEAST(pli_vec3_dot(h.a[k], nearest.step) + h.b[k], -1e-12);
        }
    }
    // random half-spaces mostly have something in common
    assert_true(solved > 200);
}

static void contradictions_are_told(void **state)
{
    (void)state;
    pli_halfspaces h = {.count = 2, .a = {{1, 0, 0}, {-1, 0, 0}}, .b = {-1, -1}};
    pli_nearest nearest;
    assert_false(pli_halfspaces_solve(&h, 1e-13, &nearest));
    h.b[1] = 1;
    assert_true(pli_halfspaces_solve(&h, 1e-13, &nearest));
    NEAR(nearest.step[0], 1, 1e-15, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_SOLIDS(derivatives_hold_in_moved_poses, 1),
        TEST_WITH_SOLIDS(shape_moves_with_the_pose, 1),
        TEST_WITH_SOLIDS(collider_at_rest_has_no_velocity, 1),
        TEST_WITH_SOLIDS(quick_rejection_never_misses, 1),
        TEST_WITH_SOLIDS(unfit_colliders_are_refused_by_name, 1),
        cmocka_unit_test(least_step_is_least),
        cmocka_unit_test(contradictions_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
