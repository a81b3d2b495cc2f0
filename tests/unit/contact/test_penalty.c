// SPDX-License-Identifier: Apache-2.0
//
// Colliders as an energy term, by the cubic and the quadratic law (Xian et al. 2019): derivatives,
// sign, smoothness, blocks, measures.
#include "derivatives.h"
#include "solids.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "contact/penalty.h"
#include "math/eigen.h"

enum { POINTS = 4 };

typedef struct term_user {
    pli_penalty *penalty;
    pli_bcsr *H;
} term_user;

static double term_energy(void *user, const double *x)
{
    return pli_sum_value(pli_penalty_term.energy(((term_user *)user)->penalty, x));
}

static void term_gradient(void *user, const double *x, double *g)
{
    memset(g, 0, 3 * POINTS * sizeof *g);
    pli_penalty_term.add_gradient(((term_user *)user)->penalty, x, g);
}

static void term_multiply(void *data, const double *x, const double *d, double *Hd)
{
    term_user *user = data;
    pli_bcsr_set_zero(user->H);
    pli_penalty_term.add_hessian(user->penalty, x, false, user->H);
    pli_bcsr_multiply(user->H, d, Hd);
}

// Points inside of the collider, between 0.03 and 0.15 deep.
static void inside_points(const pli_collider *collider, uint64_t stream, double *x)
{
    int found = 0;
    for (uint64_t i = 0; found < POINTS; ++i) {
        solids_point(stream, i, 1.5, x + 3 * found);
        double value = pli_collider_value(collider, x + 3 * found);
        if (value < -0.03 && value > -0.15) ++found;
    }
}

static void check_derivatives(bool quadratic)
{
    pli_collider_method method = quadratic ? PLI_COLLIDER_QUADRATIC : PLI_COLLIDER_PENALTY;
    static const solid_kind kinds[] = {SOLID_PLANE,  SOLID_SPHERE, SOLID_INSIDE_OUT_SPHERE,
                                       SOLID_TORUS,  SOLID_BLEND,  SOLID_ELLIPSOID,
                                       SOLID_LINEAR, SOLID_CUBIC};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        solids *s = solids_make(1);
        pli_collider *collider = solids_add(s, solids_shape(s, kinds[k]), method);
        solids_move(collider);
        s->def.point_count = POINTS;
        pli_penalty penalty = {s->context, s->def, quadratic};
        term_user user = {.penalty = &penalty};
        OK(s->context, pli_bcsr_create(s->context, POINTS, 0, NULL, &user.H));
        // steps stay within the cells of sampled shapes, which are 0.12 wide
        derivatives_case term = {.n = 3 * POINTS,
                                 .energy = term_energy,
                                 .gradient = term_gradient,
                                 .multiply = term_multiply,
                                 .user = &user,
                                 .scale = 0.05,
                                 .magnitude = collider->stiffness * 1e-3};
        double x[3 * POINTS];
        inside_points(collider, 23, x);
        CHECK_DERIVATIVES(&term, x, "inside of one collider");
        // a second one reaches some of the points
        solids_move(solids_add(s, solids_shape(s, SOLID_PLANE), method));
        penalty.def = s->def;
        CHECK_DERIVATIVES(&term, x, "inside of two colliders");
        pli_bcsr_destroy(user.H);
        solids_destroy(s);
    }
}

static void gradient_and_hessian_are_derivatives_of_the_energy(void **state)
{
    (void)state;
    check_derivatives(false);
    check_derivatives(true);
}

// E = k/2 d^2, its Hessian k n n^T when projected, and no more than that.
static void the_quadratic_law_is_a_spring_to_the_surface(void **state)
{
    solids *s = *state;
    pli_collider *ball = solids_add(s, solids_sphere(s, 0.5), PLI_COLLIDER_QUADRATIC);
    s->def.point_count = POINTS;
    pli_penalty penalty = {s->context, s->def, true};
    pli_bcsr *H = NULL;
    OK(s->context, pli_bcsr_create(s->context, POINTS, 0, NULL, &H));
    double k = ball->stiffness;
    // 0.1 deep at (1, 2, 2) / 3, and three that are outside
    double x[3 * POINTS] = {0.4 / 3, 0.8 / 3, 0.8 / 3, 9, 9, 9, 0, 0.51, 0, 9, 9, 9};
    double n[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    double g[3 * POINTS] = {0};
    NEAR(pli_sum_value(pli_penalty_term.energy(&penalty, x)), 0.5 * k * 0.01, 1e-13, 0);
    pli_penalty_term.add_gradient(&penalty, x, g);
    pli_penalty_term.add_hessian(&penalty, x, true, H);
    for (int i = 0; i < 3; ++i) {
        NEAR(g[i], -0.1 * k * n[i], 1e-13, 0);
        for (int j = 0; j < 3; ++j) NEAR(H->values[3 * i + j], k * n[i] * n[j], 1e-13, 0);
    }
    for (int i = 3; i < 3 * POINTS; ++i) assert_true(g[i] == 0);
    // a margin moves the surface outwards
    ball->margin = 0.02;
    NEAR(pli_sum_value(pli_penalty_term.energy(&penalty, x)), 0.5 * k * (0.0144 + 1e-4), 1e-12, 0);
    pli_bcsr_destroy(H);
}

// What minimisers that keep their matrix see on its diagonal: xx, yy, zz, xy, xz, yz.
static void blocks_are_the_projected_hessian(void **state)
{
    (void)state;
    static const int places[6] = {0, 4, 8, 1, 2, 5};
    for (int quadratic = 0; quadratic < 2; ++quadratic) {
        solids *s = solids_make(1);
        pli_collider *collider =
            solids_add(s, solids_shape(s, SOLID_TORUS),
                       quadratic ? PLI_COLLIDER_QUADRATIC : PLI_COLLIDER_PENALTY);
        s->def.point_count = POINTS;
        pli_penalty penalty = {s->context, s->def, quadratic == 1};
        pli_bcsr *H = NULL;
        OK(s->context, pli_bcsr_create(s->context, POINTS, 0, NULL, &H));
        double x[3 * POINTS], blocks[6 * POINTS] = {0};
        inside_points(collider, 41, x);
        pli_penalty_term.add_hessian(&penalty, x, true, H);
        pli_penalty_term.add_blocks(&penalty, x, blocks);
        for (int p = 0; p < POINTS; ++p) {
            for (int k = 0; k < 6; ++k) {
                assert_true(blocks[6 * p + k] == H->values[9 * H->diagonal[p] + places[k]]);
            }
            assert_true(blocks[6 * p] > 0);
        }
        pli_bcsr_destroy(H);
        solids_destroy(s);
    }
}

// Each term looks at the colliders of its own method.
static void laws_do_not_mix(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_PENALTY)->stiffness = 8;
    solids_add_plane(s, 1, 0, 0, PLI_COLLIDER_QUADRATIC)->stiffness = 3;
    s->def.point_count = 1;
    pli_penalty cubic = {s->context, s->def, false};
    pli_penalty quadratic = {s->context, s->def, true};
    const double x[3] = {-0.2, -0.5, 0};
    pli_collision_report report;
    pli_penalty_measure(&cubic, x, &report);
    NEAR(report.energy, 8 * 0.125, 1e-14, 0);
    NEAR(report.max_depth, 0.5, 1e-14, 0);
    pli_penalty_measure(&quadratic, x, &report);
    NEAR(report.energy, 1.5 * 0.04, 1e-14, 0);
    NEAR(report.max_depth, 0.2, 1e-14, 0);
    double force[3] = {0};
    pli_penalty_add_forces(&quadratic, x, force);
    NEAR(force[0], 0.6, 1e-14, 0);
    assert_true(force[1] == 0);
    // friction takes at most mu times the impulse of the force, and this is a slow point
    ((pli_collider *)(uintptr_t)&s->def.colliders[1])->friction = 0.5;
    double v[3] = {0, 1, 0};
    const double mass = 2;
    double work = pli_penalty_apply_friction(&quadratic, x, &mass, 0.1, v, NULL);
    NEAR(v[1], 1 - 0.5 * 0.06 / 2, 1e-13, 0);
    NEAR(work, 0.5 * mass * (v[1] * v[1] - 1), 1e-12, 0);
}

// E = k d^3 at depth d: with its first two derivatives it begins at zero and is never negative.
static void energy_is_never_negative_and_begins_smoothly(void **state)
{
    solids *s = *state;
    pli_collider *ball = solids_add(s, solids_sphere(s, 0.5), PLI_COLLIDER_PENALTY);
    s->def.point_count = POINTS;
    pli_penalty penalty = {s->context, s->def, false};
    term_user user = {.penalty = &penalty};
    OK(s->context, pli_bcsr_create(s->context, POINTS, 0, NULL, &user.H));
    double k = ball->stiffness;
    for (int step = -20; step <= 20; ++step) {
        double depth = 0.005 * step;
        double x[3 * POINTS] = {0, 0.5 - depth, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9};
        double g[3 * POINTS], d[3 * POINTS] = {0, 1, 0}, Hd[3 * POINTS];
        double inside = fmax(depth, 0);
        NEAR(term_energy(&user, x), k * inside * inside * inside, 1e-12, 1e-20 * k);
        AT_LEAST(term_energy(&user, x), 0);
        term_gradient(&user, x, g);
        NEAR(g[1], -3 * k * inside * inside, 1e-12, 1e-20 * k);
        term_multiply(&user, x, d, Hd);
        NEAR(Hd[1], 6 * k * inside, 1e-12, 1e-14 * k);
    }
    pli_bcsr_destroy(user.H);
}

static void projected_blocks_are_positive(void **state)
{
    solids *s = *state;
    pli_collider *collider = solids_add(s, solids_shape(s, SOLID_TORUS), PLI_COLLIDER_PENALTY);
    s->def.point_count = POINTS;
    pli_penalty penalty = {s->context, s->def, false};
    pli_bcsr *H = NULL;
    OK(s->context, pli_bcsr_create(s->context, POINTS, 0, NULL, &H));
    int32_t raised = 0;
    for (uint64_t trial = 0; trial < 20; ++trial) {
        double x[3 * POINTS], blocks[2][9 * POINTS];
        inside_points(collider, 30 + trial, x);
        for (int projected = 0; projected < 2; ++projected) {
            pli_bcsr_set_zero(H);
            pli_penalty_term.add_hessian(&penalty, x, projected, H);
            pli_bcsr_get_diagonal_blocks(H, blocks[projected]);
        }
        for (int p = 0; p < POINTS; ++p) {
            double values[3], raw[3], Q[9];
            pli_eigen_symmetric(3, blocks[0] + 9 * p, raw, Q);
            pli_eigen_symmetric(3, blocks[1] + 9 * p, values, Q);
            AT_LEAST(values[0], -1e-12 * values[2]);
            for (int k = 0; k < 3; ++k) NEAR(values[k], fmax(raw[k], 0), 1e-12, 1e-12 * raw[2]);
            raised += raw[0] < -1e-6 * raw[2];
        }
    }
    // inside of a tube the distance is convex, so that the exact Hessian is indefinite
    assert_true(raised > POINTS);
    pli_bcsr_destroy(H);
}

static void measures_agree_with_forces(void **state)
{
    solids *s = *state;
    pli_collider *floor_ = solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_PENALTY);
    solids_add_plane(s, 1, 0, 0, PLI_COLLIDER_PENALTY);
    const uint8_t fixed[POINTS] = {0, 0, 0, 7};
    s->def.point_count = POINTS;
    s->def.fixed = fixed;
    pli_penalty penalty = {s->context, s->def, false};
    // in one, in both, in none, held
    const double x[POINTS][3] = {{1, -0.1, 0}, {-0.2, -0.3, 0}, {1, 1, 0}, {-5, -5, 0}};
    pli_collision_report report;
    pli_penalty_measure(&penalty, &x[0][0], &report);
    double k = floor_->stiffness;
    assert_int_equal(report.contacts, 3);
    NEAR(report.min_gap, -0.3, 1e-15, 0);
    NEAR(report.max_depth, 0.3, 1e-15, 0);
    NEAR(report.energy, k * (1e-3 + 8e-3 + 27e-3), 1e-14, 0);
    double forces[POINTS][3] = {{0}};
    pli_penalty_add_forces(&penalty, &x[0][0], &forces[0][0]);
    NEAR(forces[0][1], 3 * k * 0.01, 1e-14, 0);
    NEAR(forces[1][0], 3 * k * 0.04, 1e-14, 0);
    NEAR(forces[1][1], 3 * k * 0.09, 1e-14, 0);
    assert_true(forces[2][0] == 0 && forces[2][1] == 0 && forces[3][0] == 0);
}

enum { MANY = 2000 };

typedef struct outcome {
    pli_sum energy;
    double g[3 * MANY];
    double v[3 * MANY];
    double friction;
    pli_collision_report report;
} outcome;

static void run_everything(int32_t threads, outcome *out)
{
    solids *s = solids_make(threads);
    for (solid_kind kind = 0; kind < SOLID_COUNT; ++kind) {
        pli_collider *collider = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_PENALTY);
        solids_move(collider);
        collider->friction = 0.5;
    }
    s->def.point_count = MANY;
    pli_penalty penalty = {s->context, s->def, false};
    static double x[3 * MANY], mass[MANY];
    for (uint64_t i = 0; i < MANY; ++i) {
        solids_point(24, i, 1.5, x + 3 * i);
        solids_point(25, i, 1, out->v + 3 * i);
        mass[i] = 2;
    }
    int64_t before = pli_context_allocation_count(s->context);
    out->energy = pli_penalty_term.energy(&penalty, x);
    pli_penalty_term.add_gradient(&penalty, x, out->g);
    pli_penalty_measure(&penalty, x, &out->report);
    out->friction = pli_penalty_apply_friction(&penalty, x, mass, 1e-3, out->v, NULL);
    assert_true(pli_context_allocation_count(s->context) == before);
    assert_true(out->report.contacts > MANY);
    solids_destroy(s);
}

static void results_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    outcome *got = calloc(1, sizeof *got);
    assert_non_null(got);
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        memset(got, 0, sizeof *got);
        run_everything(bits.threads, got);
        AT_MOST(got->friction, -1e-3);
        same_bits_keep(&bits, got, sizeof *got);
    }
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_hessian_are_derivatives_of_the_energy),
        TEST_WITH_SOLIDS(the_quadratic_law_is_a_spring_to_the_surface, 1),
        cmocka_unit_test(blocks_are_the_projected_hessian),
        TEST_WITH_SOLIDS(laws_do_not_mix, 1),
        TEST_WITH_SOLIDS(energy_is_never_negative_and_begins_smoothly, 1),
        TEST_WITH_SOLIDS(projected_blocks_are_positive, 1),
        TEST_WITH_SOLIDS(measures_agree_with_forces, 2),
        cmocka_unit_test(results_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
