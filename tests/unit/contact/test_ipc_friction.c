// SPDX-License-Identifier: Apache-2.0
// Lagged, smoothed friction of one stencil, and the choice of the barrier's stiffness (Li et al.
// 2020).
#include "near.h"

#include "contact/stencil.h"
#include "contact/stiffness.h"
#include "derivatives.h"
#include "math/eigen.h"

enum { DOFS = PLI_CONTACT_DOFS, KINDS = PLI_CONTACT_POINT_PLANE + 1 };

static const double ground[4] = {0.6, 0, 0.8, 0.1};
static const double slip_length = 1e-2; // eps_v h

// One contact of every kind, closer than dhat = 0.5.
static const double poses[KINDS][DOFS] = {
    {0.3, 0.2, 0.21, 0, 0, 0, 1, 0.1, 0, 0.1, 1, 0.1},
    {0, 0, 0, 1, 0.1, 0, 0.4, -0.5, 0.2, 0.5, 0.6, 0.25},
    {0.4, 0.1, 0.2, 0, 0, 0, 1, 0.1, 0.1},
    {0.1, 0.2, 0.3, 0, 0, 0.1},
    {0.3, 0.2, 0.2},
};

static const pli_barrier_def barrier = {0.5, 3};

static pli_contact_stencil make_stencil(int kind)
{
    pli_contact_stencil stencil = pli_contact_stencil_default((pli_contact_kind)kind);
    stencil.friction = 0.4;
    stencil.plane = stencil.kind == PLI_CONTACT_POINT_PLANE ? ground : NULL;
    stencil.mollifier = stencil.kind == PLI_CONTACT_EDGE_EDGE ? 1e-3 : 0;
    return stencil;
}

// Points that have moved from the pose by about `size`.
static void move_points(int kind, uint64_t stream, double size, double *x)
{
    pli_random random = {.seed = 9, .stream = stream};
    for (int k = 0; k < DOFS; ++k) {
        x[k] = poses[kind][k] + size * pli_random_normal(random, (uint64_t)k);
    }
}

// ---- the smoothed modulus

static void smoothed_modulus_is_once_smooth(void **state)
{
    (void)state;
    double eps = 0.3, over, slope;
    // value, force and slope of the force where the pieces meet
    double f0 = pli_friction_smooth(nextafter(eps, 0), eps, &over, &slope);
    NEAR(f0, eps, 1e-14, 0);
    NEAR(over * eps, 1, 1e-14, 0);
    NEAR(slope, 0, 0, 1e-14);
    f0 = pli_friction_smooth(eps, eps, &over, &slope);
    assert_true(f0 == eps && over == 1 / eps && slope == 0);
    // f1 is the derivative of f0, f1' that of f1
    for (double y = 0.01; y < 0.6; y += 0.0237) {
        double left_over, right_over, h = 1e-6;
        double left = pli_friction_smooth(y - h, eps, &left_over, NULL);
        double right = pli_friction_smooth(y + h, eps, &right_over, NULL);
        pli_friction_smooth(y, eps, &over, &slope);
        // central differences: h^2 f1''/6 = 4e-12 and 1e-16/h
        NEAR((right - left) / (2 * h), over * y, 0, 1e-9);
        NEAR((right_over * (y + h) - left_over * (y - h)) / (2 * h), slope, 0, 1e-8);
    }
}

static void sticking_has_the_slope_of_a_spring(void **state)
{
    (void)state;
    double over, slope;
    // f1 = 2 y / eps to first order: friction at rest is a spring of 2 mu lambda / (eps_v h)
    assert_true(pli_friction_smooth(0, 0.25, &over, &slope) == 0.25 / 3);
    assert_true(over == 8 && slope == 8);
}

// ---- one stencil

typedef struct friction_energy {
    pli_friction friction;
    const double *start;
} friction_energy;

static double friction_value(void *user, const double *x)
{
    const friction_energy *e = user;
    return pli_friction_evaluate(&e->friction, slip_length, x, e->start, NULL, NULL);
}

static void friction_gradient(void *user, const double *x, double *g)
{
    const friction_energy *e = user;
    pli_friction_evaluate(&e->friction, slip_length, x, e->start, g, NULL);
}

static void friction_hessian(void *user, const double *x, double *H)
{
    const friction_energy *e = user;
    pli_friction_evaluate(&e->friction, slip_length, x, e->start, NULL, H);
}

// slips that stick, are about to slide, and slide
static const double moves[] = {0, 1e-4, 3e-3, 0.1};
enum { MOVES = sizeof moves / sizeof *moves };

static friction_energy freeze(int kind)
{
    pli_contact_stencil stencil = make_stencil(kind);
    friction_energy energy = {.start = poses[kind]};
    pli_friction_freeze(&stencil, &barrier, poses[kind], &energy.friction);
    return energy;
}

static void derivatives_are_those_of_the_dissipation(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        friction_energy energy = freeze(kind);
        for (int k = 0; k < MOVES; ++k) {
            double x[DOFS];
            move_points(kind, (uint64_t)k, moves[k], x);
            derivatives_case term = {.n = 3 * energy.friction.point_count,
                                     .energy = friction_value,
                                     .gradient = friction_gradient,
                                     .hessian = friction_hessian,
                                     .user = &energy,
                                     .scale = moves[k] > 1e-2 ? 1e-2 : 1e-3,
                                     .magnitude = energy.friction.limit};
            // at rest the third derivative has a kink in |u|, which is a remainder of order 2 too
            CHECK_DERIVATIVES(&term, x, "friction");
        }
    }
}

static void hessian_of_friction_is_semidefinite(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        friction_energy energy = freeze(kind);
        int32_t n = 3 * energy.friction.point_count;
        for (int k = 0; k < MOVES; ++k) {
            double x[DOFS], H[DOFS * DOFS], values[DOFS], Q[DOFS * DOFS];
            move_points(kind, (uint64_t)k, moves[k], x);
            friction_hessian(&energy, x, H);
            pli_eigen_symmetric(n, H, values, Q);
            assert_true(values[n - 1] > 0);
            // what eigenvalues of a 12x12 matrix round by
            AT_LEAST(values[0], -1e-14 * values[n - 1]);
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < i; ++j) assert_true(H[n * i + j] == H[n * j + i]);
            }
        }
    }
}

// force = -gradient takes power from the relative motion, and is bounded by Coulomb's law
static void friction_dissipates_within_the_cone(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        friction_energy energy = freeze(kind);
        const pli_friction *friction = &energy.friction;
        int32_t n = 3 * friction->point_count;
        for (uint64_t stream = 0; stream < 200; ++stream) {
            double x[DOFS], g[DOFS];
            move_points(kind, stream, pow(10, -6 + 0.03 * (double)stream), x);
            friction_gradient(&energy, x, g);
            double power = 0, net[3] = {0, 0, 0};
            for (int k = 0; k < n; ++k) power -= g[k] * (x[k] - poses[kind][k]);
            AT_MOST(power, 0);
            // on the first primitive: its points have the weights that are positive
            for (int i = 0; i < n / 3; ++i) {
                if (friction->weights[i] > 0) pli_vec3_add(net, g + 3 * i, net);
            }
            AT_MOST(pli_vec3_norm(net), friction->limit * (1 + 1e-14));
            NEAR(friction->limit, 0.4 * friction->normal_force, 1e-15, 0);
        }
    }
}

static void sliding_friction_is_mu_times_the_normal_force(void **state)
{
    (void)state;
    friction_energy energy = freeze(PLI_CONTACT_POINT_PLANE);
    double x[3] = {0.3, 0.2 + 2 * slip_length, 0.2}, g[3], b1;
    pli_barrier(0.24, 0.5, &b1, NULL);
    double D = pli_friction_evaluate(&energy.friction, slip_length, x, energy.start, g, NULL);
    double want = 0.4 * 3 * -b1;
    NEAR(D, want * 2 * slip_length, 1e-12, 0);
    NEAR(g[1], want, 1e-12, 0);
    NEAR(g[0], 0, 0, 1e-12);
    NEAR(g[2], 0, 0, 1e-12);
    // an obstacle that moves along takes the slip away
    const double carried[3] = {0.3, 0.2 + 2 * slip_length, 0.2};
    pli_friction_evaluate(&energy.friction, slip_length, x, carried, g, NULL);
    NEAR(pli_vec3_norm(g), 0, 0, 1e-14);
}

// the normal force that friction freezes is the force of the barrier
static void normal_force_is_that_of_the_barrier(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        pli_contact_stencil stencil = make_stencil(kind);
        friction_energy energy = freeze(kind);
        pli_contact_gap gap;
        double g[DOFS];
        pli_contact_evaluate(&stencil, &barrier, poses[kind], false, g, NULL);
        pli_contact_measure(&stencil, poses[kind], &gap, NULL, NULL);
        for (int i = 0; i < energy.friction.point_count; ++i) {
            double along = pli_vec3_dot(g + 3 * i, gap.normal);
            NEAR(-along, energy.friction.normal_force * gap.weights[i], 1e-12, 1e-15);
        }
    }
    // edges at half the threshold: lambda carries the factor m = 3/4
    double x[DOFS] = {0, 0, 0, 1, 0, 0, 0, -0.5, 0.2, 1, 0.5, 0.2};
    pli_contact_stencil stencil = make_stencil(PLI_CONTACT_EDGE_EDGE);
    pli_friction full, half;
    stencil.mollifier = 0;
    pli_friction_freeze(&stencil, &barrier, x, &full);
    stencil.mollifier = 2; // c = 1
    pli_friction_freeze(&stencil, &barrier, x, &half);
    NEAR(half.normal_force, 0.75 * full.normal_force, 1e-14, 0);
}

static void there_is_no_friction_without_contact(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        pli_contact_stencil stencil = make_stencil(kind);
        pli_barrier_def thin = {1e-2, 3};
        pli_friction friction;
        double x[DOFS], g[DOFS], H[DOFS * DOFS];
        pli_friction_freeze(&stencil, &thin, poses[kind], &friction);
        move_points(kind, 1, 0.1, x);
        assert_true(friction.normal_force == 0 && friction.limit == 0);
        assert_true(pli_friction_evaluate(&friction, 1e-3, x, poses[kind], g, H) == 0);
        for (int k = 0; k < 3 * friction.point_count; ++k) assert_true(g[k] == 0);
    }
    // nor where primitives touch: the energy has refused those positions already
    double touching[6] = {1, 2, 3, 1, 2, 3};
    pli_contact_stencil stencil = make_stencil(PLI_CONTACT_POINT_POINT);
    pli_friction friction;
    pli_friction_freeze(&stencil, &barrier, touching, &friction);
    assert_true(friction.limit == 0);
}

static void friction_sums_to_no_net_force(void **state)
{
    (void)state;
    for (int kind = 0; kind < PLI_CONTACT_POINT_PLANE; ++kind) {
        friction_energy energy = freeze(kind);
        double x[DOFS], g[DOFS], net[3] = {0, 0, 0};
        move_points(kind, 3, 0.1, x);
        friction_gradient(&energy, x, g);
        for (int i = 0; i < energy.friction.point_count; ++i) pli_vec3_add(net, g + 3 * i, net);
        AT_MOST(pli_vec3_norm(net), 1e-14 * energy.friction.limit);
        // moved as one body without turning, nothing slips
        for (int k = 0; k < DOFS; ++k) x[k] = poses[kind][k] + 0.25;
        friction_gradient(&energy, x, g);
        AT_MOST(derivatives_norm(3 * energy.friction.point_count, g),
                1e-12 * energy.friction.limit);
    }
}

// ---- stiffness

static const pli_stiffness_def scene = {
    .mean_mass = 2e-3, .step = 0.01, .dhat = 1e-3, .diagonal = 1};

static void stiffness_has_its_floor_from_inertia(void **state)
{
    (void)state;
    // b''(1e-8, 1e-3) = 1e10 (1 + 2e-5 + ...), so that the floor is 10 m / h^2
    double floor = pli_stiffness_min(&scene);
    NEAR(floor, 10 * 2e-3 / 1e-4, 1e-4, 0);
    NEAR(pli_stiffness_max(&scene), 100 * floor, 1e-15, 0);
    // twice the size of everything: the same ratio of stiffnesses
    pli_stiffness_def large = scene;
    large.dhat *= 2, large.diagonal *= 2;
    NEAR(pli_stiffness_min(&large), floor, 1e-12, 0);
    // a dhat below the reference gap still has a floor
    pli_stiffness_def thin = scene;
    thin.dhat = 1e-9;
    assert_true(pli_stiffness_min(&thin) > 0 && isfinite(pli_stiffness_max(&thin)));
}

static void stiffness_balances_forces_within_its_bounds(void **state)
{
    pli_context *context = *state;
    double low = pli_stiffness_min(&scene), high = pli_stiffness_max(&scene);
    // a weight of k (N) on contacts that push with 1 m per N/m, and a force that is not theirs
    double contact[3] = {0, -1, 0};
    double energy[3] = {5, 7 * low, 0};
    NEAR(pli_stiffness_balance(context, &scene, 3, energy, contact), 7 * low, 1e-14, 0);
    energy[1] = 1e6 * low;
    assert_true(pli_stiffness_balance(context, &scene, 3, energy, contact) == high);
    energy[1] = -7 * low; // forces that part the bodies
    assert_true(pli_stiffness_balance(context, &scene, 3, energy, contact) == low);
    contact[1] = 0; // no contact
    assert_true(pli_stiffness_balance(context, &scene, 3, energy, contact) == low);
}

static void stiffness_doubles_when_a_tiny_gap_shrinks(void **state)
{
    (void)state;
    double k = pli_stiffness_min(&scene), high = pli_stiffness_max(&scene);
    const double tiny[] = {1e-4, 5e-10}, smaller[] = {1e-5, 4e-10}, wider[] = {1e-5, 6e-10};
    const double fair[] = {1e-4, 2e-9};
    assert_true(pli_stiffness_grow(&scene, k, 2, tiny, smaller) == 2 * k);
    assert_true(pli_stiffness_grow(&scene, k, 2, tiny, wider) == k);
    assert_true(pli_stiffness_grow(&scene, k, 2, fair, smaller) == k);
    assert_true(pli_stiffness_grow(&scene, k, 0, tiny, smaller) == k);
    // up to the limit, and what is above it already stays
    assert_true(pli_stiffness_grow(&scene, 0.9 * high, 2, tiny, smaller) == high);
    assert_true(pli_stiffness_grow(&scene, 3 * high, 2, tiny, smaller) == 3 * high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothed_modulus_is_once_smooth),
        cmocka_unit_test(sticking_has_the_slope_of_a_spring),
        cmocka_unit_test(derivatives_are_those_of_the_dissipation),
        cmocka_unit_test(hessian_of_friction_is_semidefinite),
        cmocka_unit_test(friction_dissipates_within_the_cone),
        cmocka_unit_test(sliding_friction_is_mu_times_the_normal_force),
        cmocka_unit_test(normal_force_is_that_of_the_barrier),
        cmocka_unit_test(there_is_no_friction_without_contact),
        cmocka_unit_test(friction_sums_to_no_net_force),
        cmocka_unit_test(stiffness_has_its_floor_from_inertia),
        TEST_IN_CONTEXT(stiffness_balances_forces_within_its_bounds, 1),
        cmocka_unit_test(stiffness_doubles_when_a_tiny_gap_shrinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
