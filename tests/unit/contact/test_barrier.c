// SPDX-License-Identifier: Apache-2.0
// The barrier of contact: the function, the mollifier, and one stencil of every kind (Li et al.
// 2020).
#include "near.h"

#include "contact/stencil.h"
#include "derivatives.h"
#include "math/eigen.h"
#include "math/mat3.h"

enum { DOFS = PLI_CONTACT_DOFS, KINDS = PLI_CONTACT_POINT_PLANE + 1 };

static const double ground[4] = {0.6, 0, 0.8, 0.1};

// ---- the function b

static long double exact_barrier(double d, double dhat)
{
    long double t = (long double)d - dhat;
    return -t * t * logl((long double)d / dhat);
}

static void barrier_matches_its_formula(void **state)
{
    (void)state;
    const double shares[] = {1e-300, 1e-12, 1e-8, 1e-3, 0.1, 0.49999, 0.5, 0.9, 0.999, 1 - 1e-9};
    for (size_t k = 0; k < sizeof shares / sizeof *shares; ++k) {
        double dhat = 1e-3, b1, b2;
        double d = shares[k] * dhat;
        double b = pli_barrier(d, dhat, &b1, &b2);
        long double y = (long double)d / dhat, log_y = logl(y), t = (long double)d - dhat;
        // a few roundings each: the two terms of b' have one sign, those of b'' too
        NEAR(b, (double)exact_barrier(d, dhat), 1e-14, 0);
        NEAR(b1, (double)(-2 * t * log_y - t * t / d), 1e-14, 0);
        NEAR(b2, (double)(-2 * log_y - 4 * t / d + t * t / ((long double)d * d)), 1e-14, 0);
        assert_true(b > 0 && b1 < 0 && b2 > 0);
    }
}

static void barrier_is_zero_from_dhat_on(void **state)
{
    (void)state;
    const double far[] = {1e-3, nextafter(1e-3, 1), 2e-3, 1, INFINITY};
    for (size_t k = 0; k < sizeof far / sizeof *far; ++k) {
        double b1 = 1, b2 = 1;
        assert_true(pli_barrier(far[k], 1e-3, &b1, &b2) == 0 && b1 == 0 && b2 == 0);
    }
}

// b'' = 6 (1 - y) + O((1 - y)^2): it reaches 0 without a jump
static void barrier_is_twice_smooth_at_dhat(void **state)
{
    (void)state;
    for (double share = 1e-2; share > 1e-12; share *= 0.1) {
        double b1, b2;
        double b = pli_barrier(1 - share, 1, &b1, &b2);
        // b = s^3 (1 + s/2 + ...), b' = -3 s^2 (...), b'' = 6 s (...); 1 - share rounds by 1e-16
        NEAR(b, pow(share, 3), 2 * share + 1e-15 / share, 0);
        NEAR(b1, -3 * share * share, 2 * share + 1e-15 / share, 0);
        NEAR(b2, 6 * share, 3 * share + 1e-15 / share, 0);
    }
}

static void barrier_is_infinite_at_contact(void **state)
{
    (void)state;
    const double touching[] = {0, -0.0, -1};
    for (size_t k = 0; k < sizeof touching / sizeof *touching; ++k) {
        double b1, b2;
        assert_true(isinf(pli_barrier(touching[k], 1, &b1, &b2)));
        assert_true(b1 == -INFINITY && b2 == INFINITY);
    }
    double last = 0;
    for (double d = 0.5; d > 1e-300; d *= 1e-3) {
        double b = pli_barrier(d, 1, NULL, NULL);
        assert_true(b > last);
        last = b;
    }
    assert_true(last > 600);
    assert_true(isnan(pli_barrier(NAN, 1, NULL, NULL)));
}

// ---- configurations

// A configuration: points, what to call it, and the length over which its distance changes shape.
typedef struct contact_pose {
    const char *name;
    pli_contact_kind kind;
    double dhat;
    double scale;
    double x[DOFS];
} contact_pose;

#define PT PLI_CONTACT_POINT_TRIANGLE
#define EE PLI_CONTACT_EDGE_EDGE
#define PE PLI_CONTACT_POINT_EDGE
#define PP PLI_CONTACT_POINT_POINT
#define PLANE PLI_CONTACT_POINT_PLANE

// Next to changes of feature the step must be short enough not to cross them.
static const contact_pose poses[] = {
    {"over the face", PT, 0.5, 0.1, {0.3, 0.2, 0.21, 0, 0, 0, 1, 0.1, 0, 0.1, 1, 0.1}},
    {"over an edge", PT, 0.5, 0.1, {0.5, -0.2, 0.1, 0, 0, 0, 1, 0.1, 0, 0.1, 1, 0.1}},
    {"over a corner", PT, 0.5, 0.1, {-0.2, -0.1, 0.1, 0, 0, 0, 1, 0.1, 0, 0.1, 1, 0.1}},
    {"face, next to an edge", PT, 0.5, 5e-3, {0.4, 1e-4, 0.2, 0, 0, 0, 1, 0, 0, 0.1, 1, 0.1}},
    {"edge, next to the face", PT, 0.5, 5e-3, {0.4, -1e-4, 0.2, 0, 0, 0, 1, 0, 0, 0.1, 1, 0.1}},
    {"corner, next to an edge", PT, 0.5, 5e-3, {-1e-4, -0.1, 0.2, 0, 0, 0, 1, 0, 0, 0.1, 1, 0.1}},
    {"sliver", PT, 0.5, 1e-3, {0.5, 5e-4, 0.1, 0, 0, 0, 1, 0, 0, 0.5, 1e-3, 0}},
    {"almost at dhat", PT, 0.2, 1e-3, {0.3, 0.2, 0.1999, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"a tenth of dhat", PT, 0.2, 0.02, {0.3, 0.2, 0.02, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    // 1e-8 dhat, on a triangle so small that rounding of its corners is far below that
    {"tiny gap", PT, 1, 1e-8, {3e-6, 2e-6, 1e-8, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5, 0}},
    {"crossing", EE, 0.5, 0.1, {0, 0, 0, 1, 0.1, 0, 0.4, -0.5, 0.2, 0.5, 0.6, 0.25}},
    {"end over inside", EE, 0.5, 0.1, {0, 0, 0, 1, 0.1, 0, 0.4, 0.2, 0.2, 0.5, 0.9, 0.25}},
    {"inside over end", EE, 0.5, 0.1, {0.4, 0.2, 0.2, 0.5, 0.9, 0.25, 0, 0, 0, 1, 0.1, 0}},
    {"end over end", EE, 0.5, 0.1, {0, 0, 0, 1, 0.1, 0, -0.1, -0.1, 0.2, -1, 0, 0.25}},
    {"nearly parallel, inside", EE, 0.5, 1e-3, {0, 0, 0, 1, 0, 0, 0, -0.01, 0.2, 1, 0.01, 0.2}},
    {"nearly parallel, ends", EE, 0.5, 1e-3, {0, 0, 0, 1, 0, 0, 0.3, 0.1, 0.2, 1.4, 0.115, 0.2}},
    // closest points slide by gap times step over the square of the angle
    {"almost parallel", EE, 0.05, 1e-4, {0, 0, 0, 1, 0, 0, 0, -1e-3, 0.02, 1, 1e-3, 0.02}},
    {"almost parallel, ends far",
     EE,
     0.5,
     1e-3,
     {0, 0, 0, 1, 0, 0, 1.1, 0.1, 0.2, 2.1, 0.101, 0.2}},
    {"threshold from below", EE, 0.5, 5e-3, {0, 0, 0, 1, 0, 0, 0, -0.0155, 0.2, 1, 0.0155, 0.2}},
    {"threshold from above", EE, 0.5, 5e-3, {0, 0, 0, 1, 0, 0, 0, -0.0161, 0.2, 1, 0.0161, 0.2}},
    {"edges at dhat", EE, 0.2, 1e-3, {0, 0, 0, 1, 0, 0, 0.5, -0.5, 0.1999, 0.5, 0.5, 0.1999}},
    {"edges, tiny gap", EE, 1, 1e-8, {0, 0, 0, 1e-5, 0, 0, 5e-6, -5e-6, 1e-8, 5e-6, 5e-6, 1e-8}},
    {"point over an edge", PE, 0.5, 0.1, {0.4, 0.1, 0.2, 0, 0, 0, 1, 0.1, 0.1}},
    {"point over an end", PE, 0.5, 0.1, {-0.2, 0.1, 0.2, 0, 0, 0, 1, 0.1, 0.1}},
    {"edge, next to its end", PE, 0.5, 5e-3, {1e-4, 0.1, 0.2, 0, 0, 0, 1, 0, 0}},
    {"two points", PP, 0.5, 0.1, {0.1, 0.2, 0.3, 0, 0, 0.1}},
    {"two points, tiny gap", PP, 1, 1e-8, {6e-9, 0, 8e-9, 0, 0, 0}},
    {"half-space", PLANE, 0.5, 0.1, {0.3, 0.2, 0.2}},
    {"half-space, almost at dhat", PLANE, 0.2, 1e-3, {0, 0, 0.3749}},
};

enum { POSES = sizeof poses / sizeof *poses };

// The stencil of a pose as an energy of its points.
typedef struct stencil_energy {
    pli_contact_stencil stencil;
    pli_barrier_def barrier;
    bool projected;
} stencil_energy;

// edges with unit length at rest, or the lengths that tiny ones have
static stencil_energy energy_of(const contact_pose *pose)
{
    stencil_energy energy = {.stencil = pli_contact_stencil_default(pose->kind),
                             .barrier = {pose->dhat, 3}};
    energy.stencil.weight = 0.7;
    energy.stencil.plane = pose->kind == PLANE ? ground : NULL;
    if (pose->kind == EE) energy.stencil.mollifier = pli_mollifier_threshold(pose->x);
    return energy;
}

static double stencil_value(void *user, const double *x)
{
    const stencil_energy *e = user;
    return pli_contact_evaluate(&e->stencil, &e->barrier, x, false, NULL, NULL);
}

static void stencil_gradient(void *user, const double *x, double *g)
{
    const stencil_energy *e = user;
    pli_contact_evaluate(&e->stencil, &e->barrier, x, false, g, NULL);
}

static void stencil_hessian(void *user, const double *x, double *H)
{
    const stencil_energy *e = user;
    pli_contact_evaluate(&e->stencil, &e->barrier, x, e->projected, NULL, H);
}

static int32_t dofs_of(const contact_pose *pose)
{
    return 3 * pli_contact_point_count(pose->kind);
}

// size of a configuration (m)
static double size_of(const contact_pose *pose)
{
    return derivatives_norm(dofs_of(pose), pose->x);
}

static double norm_of(int32_t n, const double *a)
{
    return derivatives_norm(n, a);
}

// ---- derivatives

static void derivatives_are_those_of_the_energy(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        stencil_energy energy = energy_of(pose);
        double g[DOFS];
        double E = pli_contact_evaluate(&energy.stencil, &energy.barrier, pose->x, false, g, NULL);
        assert_true(E > 0);
        // positions round to 1e-16 of their size, which moves the energy by that times the force;
        // the check allows for 64 such errors, there are about 8
        double magnitude = E + norm_of(dofs_of(pose), g) * size_of(pose) / 8;
        derivatives_case term = {.n = dofs_of(pose),
                                 .energy = stencil_value,
                                 .gradient = stencil_gradient,
                                 .hessian = stencil_hessian,
                                 .user = &energy,
                                 .scale = pose->scale,
                                 .magnitude = magnitude};
        CHECK_DERIVATIVES(&term, pose->x, pose->name);
        // nowhere does the check pass because rounding hid everything
        derivatives_report report = derivatives_check(&term, pose->x);
        assert_true(isfinite(report.gradient_slope) && isfinite(report.hessian_slope));
    }
}

static double mollifier_value(void *user, const double *x)
{
    return pli_mollifier(x, *(double *)user, NULL, NULL);
}

static void mollifier_gradient(void *user, const double *x, double *g)
{
    pli_mollifier(x, *(double *)user, g, NULL);
}

static void mollifier_hessian(void *user, const double *x, double *H)
{
    pli_mollifier(x, *(double *)user, NULL, H);
}

static void mollifier_has_the_right_derivatives(void **state)
{
    (void)state;
    // sine of the angle: exactly parallel, nearly so, just below the threshold of sqrt(1e-3)
    const double angles[] = {0, 1e-6, 1e-3, 0.02, 0.0315};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; ++k) {
        double x[DOFS] = {0, 0, 0, 1, 0, 0, 0.1, 0.2, 0.3, 1.1, 0.2 + angles[k], 0.3};
        double threshold = 1e-3;
        derivatives_case term = {.n = DOFS,
                                 .energy = mollifier_value,
                                 .gradient = mollifier_gradient,
                                 .hessian = mollifier_hessian,
                                 .user = &threshold,
                                 .scale = 1e-3,
                                 .magnitude = 1};
        CHECK_DERIVATIVES(&term, x, "mollifier");
    }
}

static void mollifier_is_one_beyond_its_threshold(void **state)
{
    (void)state;
    double rest[DOFS] = {0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 3, 1};
    double g[DOFS], H[DOFS * DOFS];
    double threshold = pli_mollifier_threshold(rest);
    NEAR(threshold, 1e-3 * 4 * 9, 1e-15, 0);
    assert_true(pli_mollifier(rest, threshold, g, H) == 1);
    assert_true(norm_of(DOFS, g) == 0 && norm_of(DOFS * DOFS, H) == 0);
    // from below it comes with zero slope: 1 - m = (1 - c/eps)^2
    double x[DOFS] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, sqrt(0.999e-3), 1};
    NEAR(1 - pli_mollifier(x, 1e-3, NULL, NULL), 1e-6, 1e-9, 0);
}

// ---- Hessians

static double lowest_eigenvalue(int32_t n, const double *A, double *highest)
{
    double values[DOFS], Q[DOFS * DOFS];
    pli_eigen_symmetric(n, A, values, Q);
    *highest = fmax(fabs(values[0]), fabs(values[n - 1]));
    return values[0];
}

static void projected_hessian_is_semidefinite(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        stencil_energy energy = energy_of(pose);
        int32_t n = dofs_of(pose);
        double H[DOFS * DOFS], highest;
        energy.projected = true;
        stencil_hessian(&energy, pose->x, H);
        double lowest = lowest_eigenvalue(n, H, &highest);
        assert_true(highest > 0 && isfinite(highest));
        // what the eigenvalues of a 12x12 matrix round by
        AT_LEAST(lowest, -1e-14 * highest);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) assert_true(H[n * i + j] == H[n * j + i]);
        }
    }
}

// the clamp takes negative eigenvalues away and touches nothing else
static void projection_keeps_positive_curvature(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        stencil_energy energy = energy_of(pose);
        int32_t n = dofs_of(pose);
        double H[DOFS * DOFS], clamped[DOFS * DOFS];
        stencil_hessian(&energy, pose->x, H);
        energy.projected = true;
        stencil_hessian(&energy, pose->x, clamped);
        double size = norm_of(n * n, H);
        pli_psd_clamp(n, H);
        for (int i = 0; i < n * n; ++i) NEAR(clamped[i], H[i], 0, 1e-13 * size);
    }
}

// ---- invariance

// Sum of forces and of torques about the origin.
static void sum_forces(int32_t n, const double *x, const double *g, double force[3],
                       double torque[3])
{
    pli_vec3_set(0, 0, 0, force);
    pli_vec3_set(0, 0, 0, torque);
    for (int32_t i = 0; i < n / 3; ++i) {
        double moment[3];
        pli_vec3_cross(x + 3 * i, g + 3 * i, moment);
        pli_vec3_add(force, g + 3 * i, force);
        pli_vec3_add(torque, moment, torque);
    }
}

static void forces_and_torques_balance(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        if (pose->kind == PLANE) continue;
        stencil_energy energy = energy_of(pose);
        double g[DOFS], force[3], torque[3];
        stencil_gradient(&energy, pose->x, g);
        sum_forces(dofs_of(pose), pose->x, g, force, torque);
        double size = norm_of(dofs_of(pose), g);
        AT_MOST(pli_vec3_norm(force), 1e-10 * size);
        AT_MOST(pli_vec3_norm(torque), 1e-10 * size * size_of(pose));
    }
}

static void energy_does_not_see_rigid_motion(void **state)
{
    (void)state;
    double axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, R[9];
    pli_mat3_rotation(axis, 0.8, R);
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        if (pose->kind == PLANE) continue;
        stencil_energy energy = energy_of(pose);
        double size = size_of(pose);
        double shift[3] = {0.5 * size, -0.3 * size, 0.2 * size};
        double moved[DOFS], g[DOFS], h[DOFS], turned[3];
        for (int32_t i = 0; i < dofs_of(pose); i += 3) {
            pli_mat3_apply(R, pose->x + i, moved + i);
            pli_vec3_add(moved + i, shift, moved + i);
        }
        double E = stencil_value(&energy, pose->x);
        stencil_gradient(&energy, pose->x, g);
        stencil_gradient(&energy, moved, h);
        double force = norm_of(dofs_of(pose), g);
        // positions move by a few 1e-16 of the size, the energy by that times the force
        NEAR(stencil_value(&energy, moved), E, 1e-12, 2e-15 * force * size);
        for (int32_t i = 0; i < dofs_of(pose); i += 3) {
            pli_mat3_apply(R, g + i, turned);
            // relative to its length a gap rounds by size / gap; direction of almost parallel edges
            double rounding = 1e-14 * size / fmin(pose->scale, 1e-2 * size);
            for (int c = 0; c < 3; ++c) NEAR(h[i + c], turned[c], 0, rounding * force);
        }
    }
}

// ---- where energies begin and end

static void stencils_beyond_dhat_are_exactly_zero(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        stencil_energy energy = energy_of(pose);
        pli_contact_gap gap;
        pli_contact_measure(&energy.stencil, pose->x, &gap, NULL, NULL);
        energy.barrier.dhat = gap.distance;
        double g[DOFS], H[DOFS * DOFS];
        memset(g, 1, sizeof g);
        memset(H, 1, sizeof H);
        assert_true(pli_contact_evaluate(&energy.stencil, &energy.barrier, pose->x, true, g, H) ==
                    0);
        int32_t n = dofs_of(pose);
        assert_true(norm_of(n, g) == 0 && norm_of(n * n, H) == 0);
    }
}

static void touching_primitives_have_infinite_energy(void **state)
{
    (void)state;
    const double touching[KINDS][DOFS] = {
        {0.2, 0.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0},
        {0, 0, 0, 1, 0, 0, 0.5, -1, 0, 0.5, 1, 0},
        {0.5, 0, 0, 0, 0, 0, 1, 0, 0},
        {1, 2, 3, 1, 2, 3},
        {-5, 0, 0},
    };
    for (int kind = 0; kind < KINDS; ++kind) {
        pli_contact_stencil stencil = pli_contact_stencil_default((pli_contact_kind)kind);
        pli_barrier_def barrier = {0.1, 1};
        double g[DOFS], H[DOFS * DOFS];
        stencil.plane = ground;
        stencil.mollifier = stencil.kind == EE ? 1e-3 : 0;
        double E = pli_contact_evaluate(&stencil, &barrier, touching[kind], true, g, H);
        int32_t n = 3 * pli_contact_point_count(stencil.kind);
        assert_true(E == INFINITY);
        assert_true(norm_of(n, g) == 0 && norm_of(n * n, H) == 0);
    }
    // parallel edges that lie on each other: the mollifier is zero, the energy still infinite
    double on[DOFS] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0, 2, 0, 0};
    pli_contact_stencil stencil = pli_contact_stencil_default(EE);
    pli_barrier_def barrier = {0.1, 1};
    stencil.mollifier = 1e-3;
    assert_true(pli_contact_evaluate(&stencil, &barrier, on, true, NULL, NULL) == INFINITY);
}

static void positions_that_are_not_numbers_are_refused_by_the_energy(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        stencil_energy energy = energy_of(&poses[k]);
        double x[DOFS], g[DOFS], H[DOFS * DOFS];
        memcpy(x, poses[k].x, sizeof x);
        x[1] = NAN;
        double E = pli_contact_evaluate(&energy.stencil, &energy.barrier, x, true, g, H);
        assert_true(!isfinite(E));
    }
}

// Random points on a coarse lattice: many edges without length, triangles without area, parallel
// edges, points on corners. Everything is finite or refused, semi-definite, and without net force.
static void degenerate_primitives_are_legal(void **state)
{
    (void)state;
    int32_t pressed = 0, touching = 0;
    for (uint64_t stream = 0; stream < 4000; ++stream) {
        pli_random random = {.seed = 77, .stream = stream};
        pli_contact_stencil stencil = pli_contact_stencil_default((pli_contact_kind)(stream % 4));
        pli_barrier_def barrier = {0.9, 1};
        double x[DOFS], g[DOFS], H[DOFS * DOFS], highest, force[3], torque[3];
        for (uint64_t k = 0; k < DOFS; ++k) x[k] = floor(pli_random_range(random, k, 0, 2.99)) / 2;
        stencil.mollifier = stencil.kind == EE ? 1e-3 : 0;
        int32_t n = 3 * pli_contact_point_count(stencil.kind);
        double E = pli_contact_evaluate(&stencil, &barrier, x, true, g, H);
        assert_true(E >= 0);
        if (E == INFINITY) ++touching;
        if (!(E > 0 && E < INFINITY)) continue;
        ++pressed;
        assert_true(isfinite(norm_of(n, g)) && isfinite(norm_of(n * n, H)));
        double lowest = lowest_eigenvalue(n, H, &highest);
        AT_LEAST(lowest, -1e-14 * highest);
        sum_forces(n, x, g, force, torque);
        AT_MOST(pli_vec3_norm(force) + pli_vec3_norm(torque), 1e-10 * norm_of(n, g));
    }
    // the lattice has plenty of both
    assert_true(pressed > 500 && touching > 100);
}

// ---- changes of feature

// Energy and gradient on both sides of a border, 2 eps apart along the coordinate `index`.
static void check_continuity(pli_contact_kind kind, const double *at, int index, double eps)
{
    stencil_energy energy = {.stencil = pli_contact_stencil_default(kind), .barrier = {0.5, 1}};
    if (kind == EE) energy.stencil.mollifier = 1e-3;
    double left[DOFS], right[DOFS], g[DOFS], h[DOFS], H[DOFS * DOFS];
    memcpy(left, at, sizeof left);
    memcpy(right, at, sizeof right);
    left[index] -= eps;
    right[index] += eps;
    double E = stencil_value(&energy, left), F = stencil_value(&energy, right);
    stencil_gradient(&energy, left, g);
    stencil_gradient(&energy, right, h);
    stencil_hessian(&energy, left, H);
    int32_t n = 3 * pli_contact_point_count(kind);
    // no further apart than twice what the derivatives on one side account for
    AT_MOST(fabs(F - E), 4 * eps * norm_of(n, g) + 1e-15);
    for (int k = 0; k < n; ++k) g[k] -= h[k];
    AT_MOST(norm_of(n, g), 4 * eps * norm_of(n * n, H) + 1e-14);
}

static void energy_and_gradient_are_continuous_where_features_change(void **state)
{
    (void)state;
    // point over a triangle: from face to edge, from edge to corner, from face to corner
    const double face_edge[DOFS] = {0.4, 0, 0.2, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double edge_corner[DOFS] = {0, -0.1, 0.2, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    // two edges: from inside to the end of the second, from the end to both ends
    const double inside_end[DOFS] = {0, 0, 0, 1, 0, 0, 0.5, 0, 0.2, 0.5, 1, 0.2};
    const double end_ends[DOFS] = {0, 0, 0, 1, 0, 0, 0, 0.1, 0.2, 0, 1, 0.2};
    const double point_end[DOFS] = {0, 0.1, 0.2, 0, 0, 0, 1, 0, 0};
    for (double eps = 1e-2; eps > 1e-9; eps *= 0.1) {
        check_continuity(PT, face_edge, 1, eps);
        check_continuity(PT, edge_corner, 0, eps);
        check_continuity(EE, inside_end, 7, eps);
        check_continuity(EE, end_ends, 6, eps);
        check_continuity(PE, point_end, 0, eps);
    }
}

// Largest jump of the gradient when one edge turns through the direction of the other by +- angle.
static double jump_of_parallel_edges(double mollifier, double angle, double *force)
{
    stencil_energy energy = {.stencil = pli_contact_stencil_default(EE), .barrier = {0.5, 1}};
    energy.stencil.mollifier = mollifier;
    double x[DOFS] = {0, 0, 0, 1, 0, 0, 0.2, 0, 0.1, 1.4, 0, 0.1};
    double y[DOFS], g[DOFS], h[DOFS];
    memcpy(y, x, sizeof y);
    // turned in the plane that holds both: one end comes closer, then the other
    x[8] -= angle, x[11] += angle;
    y[8] += angle, y[11] -= angle;
    stencil_gradient(&energy, x, g);
    stencil_gradient(&energy, y, h);
    *force = norm_of(DOFS, g);
    for (int k = 0; k < DOFS; ++k) g[k] -= h[k];
    return norm_of(DOFS, g);
}

static void mollifier_takes_the_jump_out_of_parallel_edges(void **state)
{
    (void)state;
    double force, mollified_force;
    // without mollifier the force jumps from one end to the other, however small the angle
    double sharp = jump_of_parallel_edges(0, 1e-8, &force);
    AT_LEAST(sharp, 0.5 * force);
    // with it the jump falls like the angle: the slope of m is of the first order, m of the second
    double last = INFINITY;
    for (double angle = 1e-3; angle > 1e-9; angle *= 0.1) {
        double jump = jump_of_parallel_edges(1e-3, angle, &mollified_force);
        AT_MOST(jump, 0.11 * last);
        last = jump;
    }
    AT_MOST(last, 1e-4 * force);
}

// ---- single kinds

// over the inside of a face the force is -b' n, split by the barycentric weights
static void point_over_a_face_feels_the_barrier_force(void **state)
{
    (void)state;
    const double gaps[] = {0.19, 0.1, 1e-3, 2e-9};
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; ++k) {
        double x[DOFS] = {0.25, 0.25, gaps[k], 0, 0, 0, 1, 0, 0, 0, 1, 0};
        pli_contact_stencil stencil = pli_contact_stencil_default(PT);
        pli_barrier_def barrier = {0.2, 5};
        double g[DOFS], b1;
        const double weights[4] = {1, -0.5, -0.25, -0.25};
        double E = pli_contact_evaluate(&stencil, &barrier, x, false, g, NULL);
        NEAR(E, 5 * pli_barrier(gaps[k], 0.2, &b1, NULL), 1e-12, 0);
        for (int i = 0; i < 4; ++i) {
            NEAR(g[3 * i], 0, 0, 1e-12 * fabs(b1));
            NEAR(g[3 * i + 1], 0, 0, 1e-12 * fabs(b1));
            NEAR(g[3 * i + 2], 5 * b1 * weights[i], 1e-12, 0);
        }
    }
}

static void half_space_pushes_along_its_normal(void **state)
{
    (void)state;
    pli_contact_stencil stencil = pli_contact_stencil_default(PLANE);
    pli_barrier_def barrier = {0.5, 2};
    stencil.plane = ground;
    double x[3] = {0.3, 7, 0.2}, g[3], H[9], b1, b2; // height 0.6 0.3 + 0.8 0.2 - 0.1 = 0.24
    double b = pli_barrier(0.24, 0.5, &b1, &b2);
    NEAR(pli_contact_evaluate(&stencil, &barrier, x, true, g, H), 2 * b, 1e-13, 0);
    for (int i = 0; i < 3; ++i) {
        NEAR(g[i], 2 * b1 * ground[i], 1e-13, 1e-15);
        for (int j = 0; j < 3; ++j) NEAR(H[3 * i + j], 2 * b2 * ground[i] * ground[j], 1e-12, 0);
    }
}

static void measured_gap_is_that_of_the_closest_points(void **state)
{
    (void)state;
    for (int k = 0; k < POSES; ++k) {
        const contact_pose *pose = &poses[k];
        if (pose->kind == PLANE) continue;
        stencil_energy energy = energy_of(pose);
        pli_contact_gap gap;
        double g[DOFS];
        pli_contact_measure(&energy.stencil, pose->x, &gap, g, NULL);
        double r[3] = {0, 0, 0};
        for (int32_t i = 0; i < dofs_of(pose) / 3; ++i) {
            pli_vec3_add_scaled(r, gap.weights[i], pose->x + 3 * i, r);
        }
        NEAR(gap.squared, gap.distance * gap.distance, 1e-15, 0);
        for (int c = 0; c < 3; ++c) {
            NEAR(r[c], gap.distance * gap.normal[c], 0, 1e-14 * size_of(pose));
            NEAR(g[c], 2 * gap.weights[0] * gap.distance * gap.normal[c], 1e-14, 0);
        }
        NEAR(pli_vec3_dot(gap.normal, gap.tangents[0]), 0, 0, 1e-14);
        NEAR(pli_vec3_dot(gap.normal, gap.tangents[1]), 0, 0, 1e-14);
        NEAR(pli_vec3_dot(gap.tangents[0], gap.tangents[1]), 0, 0, 1e-14);
    }
}

static void stencil_gathers_its_points(void **state)
{
    (void)state;
    double positions[6][3], x[DOFS] = {0};
    for (int k = 0; k < 18; ++k) positions[k / 3][k % 3] = k;
    pli_contact_stencil stencil = pli_contact_stencil_default(PE);
    stencil.vertices[0] = 5, stencil.vertices[1] = 0, stencil.vertices[2] = 2;
    pli_contact_gather(&stencil, &positions[0][0], x);
    const double want[] = {15, 16, 17, 0, 1, 2, 6, 7, 8};
    for (int k = 0; k < 9; ++k) assert_true(x[k] == want[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_matches_its_formula),
        cmocka_unit_test(barrier_is_zero_from_dhat_on),
        cmocka_unit_test(barrier_is_twice_smooth_at_dhat),
        cmocka_unit_test(barrier_is_infinite_at_contact),
        cmocka_unit_test(derivatives_are_those_of_the_energy),
        cmocka_unit_test(mollifier_has_the_right_derivatives),
        cmocka_unit_test(mollifier_is_one_beyond_its_threshold),
        cmocka_unit_test(projected_hessian_is_semidefinite),
        cmocka_unit_test(projection_keeps_positive_curvature),
        cmocka_unit_test(forces_and_torques_balance),
        cmocka_unit_test(energy_does_not_see_rigid_motion),
        cmocka_unit_test(stencils_beyond_dhat_are_exactly_zero),
        cmocka_unit_test(touching_primitives_have_infinite_energy),
        cmocka_unit_test(positions_that_are_not_numbers_are_refused_by_the_energy),
        cmocka_unit_test(degenerate_primitives_are_legal),
        cmocka_unit_test(energy_and_gradient_are_continuous_where_features_change),
        cmocka_unit_test(mollifier_takes_the_jump_out_of_parallel_edges),
        cmocka_unit_test(point_over_a_face_feels_the_barrier_force),
        cmocka_unit_test(half_space_pushes_along_its_normal),
        cmocka_unit_test(measured_gap_is_that_of_the_closest_points),
        cmocka_unit_test(stencil_gathers_its_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
