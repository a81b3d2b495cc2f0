// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of particles: what they conserve, that all minimisers find the same minimum, norms
// and units, transfers, positions by backward Euler, and the promises of stepping.
#include "implicit_world.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

// ---- minimisers

typedef struct minimizer {
    const char *name;
    pli_implicit_method method;
    bool assembled, exact, plain;
    pli_node_preconditioner preconditioner;
    pli_node_rule rule;
    pli_embedding_kind embedding;
    pli_search_kind search;
} minimizer;

static const minimizer minimizers[] = {
    {"hot", PLI_IMPLICIT_LBFGS, true, false, false, PLI_NODE_EMBEDDED_CYCLE, PLI_NODE_ONCE,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"hot-quadratic", PLI_IMPLICIT_LBFGS, true, false, false, PLI_NODE_EMBEDDED_CYCLE,
     PLI_NODE_ONCE, PLI_EMBEDDING_QUADRATIC, PLI_SEARCH_BACKTRACKING},
    {"lbfgs-h", PLI_IMPLICIT_LBFGS, true, false, false, PLI_NODE_BLOCK_JACOBI, PLI_NODE_HALF,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"pn-pcg", PLI_IMPLICIT_NEWTON, true, false, false, PLI_NODE_BLOCK_JACOBI, PLI_NODE_INEXACT,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"pn-pcg-mf", PLI_IMPLICIT_NEWTON, false, false, false, PLI_NODE_BLOCK_JACOBI, PLI_NODE_INEXACT,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"pn-sgs", PLI_IMPLICIT_NEWTON, true, false, false, PLI_NODE_SWEEP, PLI_NODE_INEXACT,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"pn-mgpcg", PLI_IMPLICIT_NEWTON, true, false, false, PLI_NODE_EMBEDDED_CYCLE, PLI_NODE_INEXACT,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"gast15", PLI_IMPLICIT_NEWTON, false, false, true, PLI_NODE_BLOCK_JACOBI, PLI_NODE_LENGTH,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_BACKTRACKING},
    {"newton", PLI_IMPLICIT_NEWTON, false, true, false, PLI_NODE_REST_DIAGONAL, PLI_NODE_INEXACT,
     PLI_EMBEDDING_LINEAR, PLI_SEARCH_WOLFE},
};

enum { MINIMIZERS = sizeof minimizers / sizeof *minimizers };

// Tolerance in units of the characteristic norm; for plain lengths it is made into kg m/s.
static void choose(block *b, const minimizer *m, double tolerance)
{
    pli_implicit_stepper_def *def = &b->def;
    def->method = m->method;
    def->source.assembled = m->assembled;
    def->source.projected = !m->exact;
    def->source.preconditioner = m->preconditioner;
    def->source.rule = m->rule;
    def->source.multigrid.embedding = m->embedding;
    if (m->rule == PLI_NODE_INEXACT) def->source.multigrid.coarsest_tolerance = 1e-2;
    def->plain_norm = m->plain;
    def->search.kind = m->search;
    def->search.decrease = m->search == PLI_SEARCH_WOLFE ? 1e-4 : 0;
    // l xi h sqrt(n) of the soft matter with some 500 nodes
    def->tolerance = m->plain ? tolerance * 24 * 0.01 * 4e4 * 0.01 * 22 : tolerance;
}

// A block of two materials that flies into a sticky end, a slope and a corner.
static block *make_crash(int32_t threads, const minimizer *m, double tolerance)
{
    block *b = block_make(threads, 4);
    block_add_holders(b);
    block_deform(b, 0.02);
    const double A[9] = {0, -2, 1, 2, 0, -1, -1, 1, 0};
    block_move(b, (double[3]){-2, -1, -1.5}, A);
    pli_vec3_set(0, -9.81, 0, b->def.gravity);
    choose(b, m, tolerance);
    block_start(b);
    return b;
}

// ---- what is exact

static void free_fall_takes_no_iteration(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; ++k) {
        block *b = block_make(2, 3);
        pli_vec3_set(1, -9, 2, b->def.gravity);
        choose(b, &minimizers[k], 1e-9);
        const double v[3] = {0.5, 1, -2}, zero[9] = {0}, h = 0.01;
        block_move(b, v, zero);
        block_start(b);
        double *before = malloc(3 * (size_t)b->count * sizeof *before);
        memcpy(before, b->position, 3 * (size_t)b->count * sizeof *before);
        pli_implicit_report report = block_step(b, h, NULL);
        assert_int_equal(report.outcome.iterations, 0);
        assert_int_equal(report.outcome.stop, PLI_STOP_GRADIENT);
        assert_int_equal(report.held, 0);
        assert_int_equal(report.rounds, 1);
        for (int64_t i = 0; i < 3 * b->count; ++i) {
            double after = v[i % 3] + h * b->def.gravity[i % 3];
            // a sum of 27 weights
            NEAR(b->velocity[i], after, 1e-14, 1e-14);
            NEAR(b->position[i], before[i] + h * after, 1e-14, 0);
        }
        for (int64_t i = 0; i < 9 * b->count; ++i) {
            NEAR(b->deformation[i], i % 9 % 4 == 0, 0, 1e-14);
            NEAR(b->affine[i], 0, 0, 1e-12);
        }
        free(before);
        block_destroy(b);
    }
}

// Angular momentum of particles as points about their centre, along z.
static double own_turning(const block *b)
{
    double center[3] = {0, 0, 0}, v[3] = {0, 0, 0}, sum = 0;
    for (int64_t k = 0; k < b->count; ++k) {
        pli_vec3_add_scaled(center, 1 / (double)b->count, b->position + 3 * k, center);
        pli_vec3_add_scaled(v, 1 / (double)b->count, b->velocity + 3 * k, v);
    }
    for (int64_t k = 0; k < b->count; ++k) {
        const double *x = b->position + 3 * k, *at = b->velocity + 3 * k;
        sum += b->sizes[0].mass *
               ((x[0] - center[0]) * (at[1] - v[1]) - (x[1] - center[1]) * (at[0] - v[0]));
    }
    return sum;
}

// Momentum is what the residual says, times h: nothing. A body that turns loses h^2 w^2 of its
// angular momentum with every step of backward Euler, as
//
//   L(n+1) - L(n) = h sum x_i(n) x f_i = -h^2 sum v_i x f_i,    f = -m w^2 r
//
// but for what is in C, which no force has to keep on a circle.
static void momentum_is_conserved_and_turning_damped_as_it_must_be(void **state)
{
    (void)state;
    for (int spline = PLI_SPLINE_QUADRATIC; spline <= PLI_SPLINE_CUBIC; ++spline) {
        block *b = block_make(2, 3);
        b->def.cloud.spline = (pli_spline_kind)spline;
        block_set_law(b, 0, "fixed-corotated", 1e6);
        choose(b, &minimizers[4], 1e-13);
        const double w = 2, h = 0.01, A[9] = {0, -w, 0, w, 0, 0, 0, 0, 0}, v[3] = {1, -2, 3};
        block_move(b, v, A);
        block_start(b);
        // the force on a node that the norm allows
        double xi = pli_material_rest_norm(b->kinds[0].law, b->kinds[0].params);
        double allowed = 1e-13 * 24 * 0.01 * xi, lost = 0, want = 0;
        for (int k = 0; k < 20; ++k) {
            double p[2][3], L[2][3];
            block_momenta(b, p[0], L[0]);
            double own = own_turning(b);
            pli_implicit_report report = block_step(b, h, NULL);
            assert_true(report.outcome.stop > 0);
            block_momenta(b, p[1], L[1]);
            for (int a = 0; a < 3; ++a) NEAR(p[1][a], p[0][a], 0, h * allowed * report.nodes);
            lost += L[0][2] - L[1][2];
            want += h * h * w * w * own;
        }
        // at first there is no stress yet
        NEAR(lost, want, 0.1, 0);
        block_destroy(b);
    }
}

// Without stiffness there are no forces, and transfers keep angular momentum (X3).
static void transfers_conserve_angular_momentum(void **state)
{
    (void)state;
    for (int spline = PLI_SPLINE_QUADRATIC; spline <= PLI_SPLINE_CUBIC; ++spline) {
        block *b = block_make(2, 3);
        b->def.cloud.spline = (pli_spline_kind)spline;
        for (int k = 0; k < BLOCK_KINDS; ++k) block_set_law(b, k, "fixed-corotated", 1e-9);
        choose(b, &minimizers[0], 1e-13);
        b->def.tolerance = 1e9;
        const double A[9] = {0.1, -2, 1, 2, 0.2, -1, -1, 1, -0.3};
        block_move(b, (double[3]){1, 2, 3}, A);
        block_start(b);
        double p[2][3], L[2][3];
        block_momenta(b, p[0], L[0]);
        for (int k = 0; k < 5; ++k) block_step(b, 0.01, NULL);
        block_momenta(b, p[1], L[1]);
        for (int a = 0; a < 3; ++a) {
            NEAR(p[1][a], p[0][a], 1e-12, 0);
            NEAR(L[1][a], L[0][a], 0, 1e-11 * pli_vec3_norm(L[0]));
        }
        block_destroy(b);
    }
}

// ---- one minimum

static void all_minimizers_find_the_same_minimum(void **state)
{
    (void)state;
    block *first = NULL;
    double first_energy = 0;
    for (int k = 0; k < MINIMIZERS; ++k) {
        block *b = make_crash(2, &minimizers[k], 1e-12);
        block_history history = {0};
        pli_implicit_report report = block_step(b, 0.01, &history);
        if (report.outcome.stop <= 0) {
            fail_msg("%s: stop %d after %d, residual %g", minimizers[k].name, report.outcome.stop,
                     report.outcome.iterations, report.outcome.residual);
        }
        assert_true(report.held > 50);
        assert_int_equal(history.iterations, report.outcome.iterations);
        assert_int_equal(history.starts, report.rounds);
        // from iterate to iterate energy never rises
        AT_MOST(history.largest_rise, 0);
        if (first == NULL) {
            first = b;
            first_energy = report.outcome.energy;
            continue;
        }
        NEAR(report.outcome.energy, first_energy, 1e-12, 0);
        for (int64_t i = 0; i < 3 * b->count; ++i) {
            NEAR(b->velocity[i], first->velocity[i], 0, 1e-8 * 2);
        }
        for (int64_t i = 0; i < 9 * b->count; ++i) {
            NEAR(b->deformation[i], first->deformation[i], 0, 1e-8);
        }
        block_destroy(b);
    }
    block_destroy(first);
}

// Steps as long as a frame, from a crash: no iterate has more energy than that before it.
static void long_steps_never_raise_the_energy(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; ++k) {
        block *b = make_crash(2, &minimizers[k], 1e-6);
        block_deform(b, 0.2);
        block_history history = {0};
        pli_implicit_report report = block_step(b, 0.04, &history);
        assert_true(report.outcome.stop > 0);
        AT_MOST(history.largest_rise, 0);
        block_destroy(b);
    }
}

static void linear_and_cubic_splines_find_theirs(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        block *runs[2];
        for (int k = 0; k < 2; ++k) {
            const minimizer *m = &minimizers[k == 0 ? 0 : 4];
            runs[k] = make_crash(2, m, 1e-12);
            runs[k]->def.cloud.spline = (pli_spline_kind)spline;
            block_restart(runs[k]);
            assert_true(block_step(runs[k], 0.01, NULL).outcome.stop > 0);
        }
        for (int64_t i = 0; i < 3 * runs[0]->count; ++i) {
            NEAR(runs[1]->velocity[i], runs[0]->velocity[i], 0, 1e-7);
            NEAR(runs[1]->position[i], runs[0]->position[i], 0, 1e-9);
        }
        for (int k = 0; k < 2; ++k) block_destroy(runs[k]);
    }
}

// ---- the norm

static void the_stiffness_at_rest_is_what_was_derived(void **state)
{
    (void)state;
    const pli_material_ops *law = pli_material_find(NULL, "fixed-corotated");
    double params[PLI_MATERIAL_PARAMS];
    law->derive((double[]){1, 0.4}, params);
    NEAR(pli_material_rest_norm(law, params), 5.24891, 1e-6, 0);
}

// One material: the norm is the length of the gradient over l xi sqrt(n), as on a mesh (H15); snow
// that has hardened counts as the stiffer matter that it is.
static void the_norm_of_uniform_matter_is_that_of_meshes(void **state)
{
    (void)state;
    for (int hardened = 0; hardened < 2; ++hardened) {
        block *b = block_make(2, 3);
        block_set_law(b, 1, "fixed-corotated", 1e4);
        block_deform(b, 0.05);
        for (int k = 0; k < BLOCK_KINDS && hardened == 1; ++k) block_harden(b, k, 10);
        for (int64_t k = 0; k < b->count; ++k) b->memory[k] = 0.9;
        choose(b, &minimizers[0], 1e-9);
        block_start(b);
        block_history history = {0};
        pli_implicit_report report = block_step(b, 0.01, &history);
        double xi = pli_material_rest_norm(b->kinds[0].law, b->kinds[0].params);
        if (hardened == 1) xi *= exp(10 * 0.1);
        double scale = 24 * 0.1 * 0.1 * xi * sqrt(report.nodes);
        NEAR(history.first_residual, history.first_gradient / scale, 1e-12, 0);
        block_destroy(b);
    }
}

// A node's share of soft and stiff matter by mass: it is between the two.
static void the_norm_of_mixed_matter_is_between(void **state)
{
    (void)state;
    block *b = block_make(2, 3);
    block_deform(b, 0.05);
    choose(b, &minimizers[0], 1e-9);
    block_start(b);
    block_history history = {0};
    pli_implicit_report report = block_step(b, 0.01, &history);
    double soft = pli_material_rest_norm(b->kinds[0].law, b->kinds[0].params);
    double scale = 24 * 0.1 * 0.1 * soft * sqrt(report.nodes);
    AT_MOST(history.first_residual, history.first_gradient / scale);
    AT_LEAST(history.first_residual, history.first_gradient / (100 * scale));
    block_destroy(b);
}

// The crash in other units of length and mass.
static block *make_scaled(double length, double mass, const minimizer *m)
{
    block *b = make_crash(2, m, 1e-8);
    pli_implicit_stepper_destroy(b->stepper);
    pli_grid_colliders_destroy(b->colliders);
    b->stepper = NULL;
    b->colliders = NULL;
    b->colliders_def.collider_count = 0;
    b->colliders_def.dx *= length;
    b->def.cloud.dx *= length;
    for (int64_t k = 0; k < 3 * b->count; ++k) {
        b->position[k] *= length;
        b->velocity[k] *= length;
    }
    for (int k = 0; k < BLOCK_KINDS; ++k) {
        b->sizes[k].mass *= mass;
        b->sizes[k].volume *= length * length * length;
        for (int i = 0; i < 2; ++i) b->kinds[k].params[i] *= mass / length;
    }
    pli_vec3_scale(length, b->def.gravity, b->def.gravity);
    block_add_plane(b, (double[3]){1.55 * length, 0, 0}, (double[3]){1, 0, 0}, PLI_GRID_STICKY);
    block_add_plane(b, (double[3]){0, 1.6 * length, 0}, (double[3]){0, 1, 0}, PLI_GRID_SLIP);
    block_start(b);
    return b;
}

// m -> mm and kg -> g; with powers of two not one bit may differ (H16).
static void units_make_no_difference(void **state)
{
    (void)state;
    static const double scales[3][2] = {{1, 1}, {1000, 1000}, {1024, 256}};
    block *runs[3];
    int32_t iterations[3];
    for (int k = 0; k < 3; ++k) {
        runs[k] = make_scaled(scales[k][0], scales[k][1], &minimizers[0]);
        iterations[k] = 0;
        for (int i = 0; i < 3; ++i) {
            pli_implicit_report report = block_step(runs[k], 0.01, NULL);
            assert_true(report.outcome.stop > 0);
            iterations[k] += report.outcome.iterations;
        }
    }
    assert_true(iterations[0] > 10);
    assert_int_equal(iterations[1], iterations[0]);
    assert_int_equal(iterations[2], iterations[0]);
    for (int64_t i = 0; i < 3 * runs[0]->count; ++i) {
        NEAR(runs[1]->velocity[i] / 1000, runs[0]->velocity[i], 1e-7, 1e-7);
        NEAR(runs[2]->velocity[i] / 1024, runs[0]->velocity[i], 0, 0);
        NEAR(runs[2]->position[i] / 1024, runs[0]->position[i], 0, 0);
    }
    for (int k = 0; k < 3; ++k) block_destroy(runs[k]);
}

// ---- transfers

// FLIP keeps what particles have and adds what nodes got; PIC takes what nodes have; a blend is a
// blend; positions are the same for all (X4).
static void flip_and_pic_are_the_ends_of_a_blend(void **state)
{
    (void)state;
    block *runs[3];
    const double flips[3] = {0, 1, 0.95};
    for (int k = 0; k < 3; ++k) {
        runs[k] = make_crash(2, &minimizers[4], 1e-9);
        runs[k]->def.affine = false;
        runs[k]->def.flip = flips[k];
        block_restart(runs[k]);
        block_step(runs[k], 0.01, NULL);
    }
    for (int64_t i = 0; i < 3 * runs[0]->count; ++i) {
        double pic = runs[0]->velocity[i], flip = runs[1]->velocity[i];
        NEAR(runs[2]->velocity[i], 0.95 * flip + 0.05 * pic, 1e-13, 1e-14);
        NEAR(runs[1]->position[i], runs[0]->position[i], 0, 0);
    }
    for (int k = 0; k < 3; ++k) block_destroy(runs[k]);

    // nothing happens to soft particles with velocities of their own
    for (int k = 0; k < 2; ++k) {
        block *b = block_make(2, 3);
        for (int i = 0; i < BLOCK_KINDS; ++i) block_set_law(b, i, "fixed-corotated", 1e-9);
        choose(b, &minimizers[4], 1e-9);
        b->def.tolerance = 1e9;
        b->def.affine = false;
        b->def.flip = flips[k];
        for (int64_t i = 0; i < 3 * b->count; ++i) {
            b->velocity[i] = pli_random_range((pli_random){1, 2}, (uint64_t)i, -1, 1);
        }
        double *before = malloc(3 * (size_t)b->count * sizeof *before), moved = 0;
        memcpy(before, b->velocity, 3 * (size_t)b->count * sizeof *before);
        block_start(b);
        block_step(b, 0.01, NULL);
        for (int64_t i = 0; i < 3 * b->count; ++i) {
            if (k == 1) NEAR(b->velocity[i], before[i], 0, 1e-13);
            moved = fmax(moved, fabs(b->velocity[i] - before[i]));
        }
        if (k == 0) AT_LEAST(moved, 0.5);
        free(before);
        block_destroy(b);
    }
}

// ---- positions by backward Euler

// h v(u) / dx at u cells, summed plainly over the nodes that exist.
static void sample_plainly(const pli_cloud *cloud, const double *velocity, double h,
                           const double u[3], double v[3])
{
    double total = 0;
    pli_vec3_set(0, 0, 0, v);
    for (int32_t n = 0; n < cloud->nodes->count; ++n) {
        double weight = 1;
        for (int a = 0; a < 3; ++a) {
            double t = fabs(u[a] - cloud->nodes->at[3 * n + a]);
            weight *= t < 0.5 ? 0.75 - t * t : t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
        }
        total += weight;
        pli_vec3_add_scaled(v, weight * h / cloud->dx, velocity + 3 * n, v);
    }
    pli_vec3_scale(1 / total, v, v);
}

// A vortex in three dimensions that moves particles by up to `cells`.
static double *make_vortex(const pli_cloud *cloud, double h, double cells)
{
    double *v = malloc(3 * (size_t)cloud->nodes->count * sizeof *v);
    for (int32_t n = 0; n < cloud->nodes->count; ++n) {
        const int32_t *at = cloud->nodes->at + 3 * n;
        double size = cells * cloud->dx / h;
        v[3 * n] = size * sin(0.25 * at[1] + 0.1 * at[2]);
        v[3 * n + 1] = size * cos(0.25 * at[0] - 0.1 * at[2]);
        v[3 * n + 2] = size * sin(0.2 * at[0] + 0.2 * at[1]);
    }
    return v;
}

static void positions_are_where_their_velocity_takes_them(void **state)
{
    (void)state;
    // how far particles go, and the part of them that may take more than one step of Newton
    static const double cases[2][2] = {{0.1, 0.05}, {0.6, 1}};
    for (int k = 0; k < 2; ++k) {
        block *b = block_make(2, 3);
        pli_cloud *cloud = NULL;
        b->def.cloud.kinds = b->sizes;
        OK(b->context, pli_cloud_create(b->context, &b->def.cloud, &cloud));
        pli_cloud_source source = block_source(b);
        OK(b->context, pli_cloud_build(cloud, &source));
        const double h = 0.01;
        double *v = make_vortex(cloud, h, cases[k][0]);
        pli_advect_report report = pli_cloud_advect(cloud, v, h);
        double *after = malloc(3 * (size_t)b->count * sizeof *after);
        pli_cloud_target to = {.position = after};
        pli_cloud_store(cloud, &to);
        for (int64_t i = 0; i < b->count; ++i) {
            double u[3], before[3], here[3], there[3], way[3];
            pli_vec3_scale(1 / 0.1, after + 3 * i, u);
            pli_vec3_scale(1 / 0.1, b->position + 3 * i, before);
            sample_plainly(cloud, v, h, before, here);
            sample_plainly(cloud, v, h, u, there);
            pli_vec3_subtract(u, before, way);
            AT_MOST(pli_vec3_distance(way, there), fmax(1e-4, 1e-3 * pli_vec3_norm(here)));
        }
        AT_LEAST((double)report.steps, (double)b->count);
        AT_MOST((double)report.repeated, cases[k][1] * (double)b->count);
        free(v);
        free(after);
        pli_cloud_destroy(cloud);
        block_destroy(b);
    }
}

// The lowest that soft matter gets which rains on a sticky floor for 100 steps of h (s), with 50
// cells a second at first; *repeated is the part of moves that took more than one step of Newton.
static double rain(bool backward, double h, double *repeated)
{
    block *b = block_make(2, 3);
    for (int k = 0; k < BLOCK_KINDS; ++k) block_set_law(b, k, "fixed-corotated", 1e2);
    block_add_plane(b, (double[3]){0, 1.5, 0}, (double[3]){0, 1, 0}, PLI_GRID_STICKY);
    choose(b, &minimizers[4], 1e-5);
    b->def.backward = backward;
    pli_vec3_set(0, -20, 0, b->def.gravity);
    for (int64_t k = 0; k < b->count; ++k) {
        b->position[3 * k + 1] += 0.3;
        b->velocity[3 * k + 1] = -5;
    }
    block_start(b);
    double lowest = INFINITY;
    *repeated = 0;
    for (int k = 0; k < 100; ++k) {
        pli_implicit_report report = block_step(b, h, NULL);
        assert_true(report.outcome.stop > 0);
        for (int64_t i = 0; i < b->count; ++i) lowest = fmin(lowest, b->position[3 * i + 1]);
        *repeated += 0.01 * (double)report.advect.repeated / (double)b->count;
    }
    block_destroy(b);
    return lowest;
}

// Nodes up to y = 1.5 m are held: half a cell below everything stands still. No particle gets there
// even with two cells a step, which is too much for positions by where particles were (X10).
static void particles_do_not_enter_what_is_sticky(void **state)
{
    (void)state;
    double repeated;
    AT_LEAST(rain(true, 0.012, &repeated), 1.45);
    // where everything comes to rest within a cell or two the field bends more than elsewhere
    AT_MOST(repeated, 0.1);
    AT_LEAST(rain(true, 0.04, &repeated), 1.45);
    AT_MOST(rain(false, 0.04, &repeated), 1.45);
}

// ---- one linear solve

static void choose_linear(block *b, double tolerance)
{
    choose(b, &minimizers[8], 1e-9);
    b->def.method = PLI_IMPLICIT_LINEAR;
    b->def.source.minres = true;
    b->def.source.rule = PLI_NODE_FIXED;
    b->def.source.tolerance = tolerance;
    b->def.search.kind = PLI_SEARCH_NONE;
}

// From rest it is one step of Newton with exact tangents (T8), and a motion as a whole adds to it.
static void the_linear_method_is_one_step_of_newton(void **state)
{
    (void)state;
    block *runs[3];
    for (int k = 0; k < 3; ++k) {
        block *b = block_make(2, 3);
        block_deform(b, 0.02);
        if (k == 0) {
            choose(b, &minimizers[8], 1e-9);
            b->def.source.rule = PLI_NODE_FIXED;
            b->def.source.tolerance = 1e-12;
            b->def.fixed_iterations = 1;
            b->def.search.kind = PLI_SEARCH_NONE;
        } else {
            choose_linear(b, 1e-12);
        }
        for (int64_t i = 0; i < b->count && k == 2; ++i) b->velocity[3 * i + 1] = 3;
        block_start(b);
        pli_implicit_report report = block_step(b, 0.002, NULL);
        assert_false(report.raised);
        assert_int_equal(report.outcome.iterations, 1);
        assert_int_equal(report.counts.solves, 1);
        runs[k] = b;
    }
    for (int64_t i = 0; i < 3 * runs[0]->count; ++i) {
        NEAR(runs[1]->velocity[i], runs[0]->velocity[i], 0, 1e-9);
        NEAR(runs[2]->velocity[i], runs[0]->velocity[i] + (i % 3 == 1 ? 3 : 0), 0, 1e-9);
    }
    for (int k = 0; k < 3; ++k) block_destroy(runs[k]);
}

// A crash in one long step: the energy would rise, that is told, and nothing moves. With short ones
// it goes well.
static void the_linear_method_tells_when_energy_would_rise(void **state)
{
    (void)state;
    block *b = make_crash(2, &minimizers[8], 1e-9);
    choose_linear(b, 1e-3);
    block_deform(b, 0.3);
    block_restart(b);
    size_t size = 3 * (size_t)b->count * sizeof(double);
    double *before[2] = {malloc(size), malloc(size)};
    memcpy(before[0], b->position, size);
    memcpy(before[1], b->velocity, size);
    double h = 0.1;
    int32_t halvings = 0;
    while (block_step(b, h, NULL).raised) {
        assert_memory_equal(before[0], b->position, size);
        assert_memory_equal(before[1], b->velocity, size);
        h *= 0.5;
        ++halvings;
    }
    assert_true(halvings > 0 && halvings < 10);
    for (int k = 0; k < 2; ++k) free(before[k]);
    block_destroy(b);
}

// Flight is no reason to complain, however rough the solve and short the step.
static void the_linear_method_flies(void **state)
{
    (void)state;
    for (double h = 1e-2; h > 1e-7; h *= 0.1) {
        block *b = block_make(2, 3);
        const double A[9] = {0, -2, 1, 2, 0, -1, -1, 1, 0};
        choose_linear(b, 1e-3);
        block_move(b, (double[3]){30, -10, 20}, A);
        block_start(b);
        assert_false(block_step(b, h, NULL).raised);
        block_destroy(b);
    }
}

// ---- promises

static uint64_t hash_particles(const block *b)
{
    uint64_t hash = 1469598103934665603U;
    const double *const arrays[] = {b->position, b->velocity, b->affine, b->deformation};
    const int64_t sizes[] = {3, 3, 9, 9};
    for (int k = 0; k < 4; ++k) {
        const unsigned char *bytes = (const unsigned char *)arrays[k];
        for (int64_t i = 0; i < 8 * sizes[k] * b->count; ++i) {
            hash = (hash ^ bytes[i]) * 1099511628211U;
        }
    }
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            block *b = make_crash(bits.threads, &minimizers[k], 1e-5);
            b->def.backward = k % 2 == 0;
            block_restart(b);
            for (int i = 0; i < 2; ++i) block_step(b, 0.01, NULL);
            same_bits_keep_hash(&bits, hash_particles(b));
            block_destroy(b);
        }
    }
}

// The same steps once more need nothing new.
static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; ++k) {
        block *b = make_crash(2, &minimizers[k], 1e-4);
        block *copy = make_crash(1, &minimizers[k], 1e-4);
        int64_t before = 0;
        for (int round = 0; round < 3; ++round) {
            memcpy(b->position, copy->position, 3 * (size_t)b->count * sizeof(double));
            memcpy(b->velocity, copy->velocity, 3 * (size_t)b->count * sizeof(double));
            memcpy(b->affine, copy->affine, 9 * (size_t)b->count * sizeof(double));
            memcpy(b->deformation, copy->deformation, 9 * (size_t)b->count * sizeof(double));
            for (int i = 0; i < 2; ++i) block_step(b, 0.01, NULL);
            if (round == 1) before = pli_context_allocation_count(b->context);
        }
        assert_int_equal(pli_context_allocation_count(b->context), before);
        AT_LEAST((double)pli_implicit_stepper_memory(b->stepper), 200.0 * (double)b->count);
        block_destroy(copy);
        block_destroy(b);
    }
}

static pli_status attempt(pli_context *context, block *b)
{
    pli_implicit_stepper *stepper = NULL;
    pli_arena *scratch = NULL;
    pli_implicit_report report;
    pli_cloud_source from = block_source(b);
    pli_cloud_target to = block_target(b);
    pli_minimize_env env = {.timers = &b->timers};
    pli_status status = pli_arena_create(context, 0, &scratch);
    env.scratch = scratch;
    if (status == PLI_OK) status = pli_implicit_stepper_create(context, &b->def, &stepper);
    for (int k = 0; k < 2 && status == PLI_OK; ++k) {
        status = pli_implicit_stepper_load(stepper, &from);
        if (status == PLI_OK) {
            status = pli_implicit_stepper_step(stepper, &to, 0.01, &env, &report);
        }
    }
    pli_implicit_stepper_destroy(stepper);
    pli_arena_destroy(scratch);
    return status;
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; k += 2) {
        for (fault_sweep sweep = {.absorbs = true, .at_least = 20}; fault_sweep_next(&sweep);) {
            block *b = make_crash(1, &minimizers[k], 1e-3);
            b->count = 200;
            sweep.status = attempt(sweep.context, b);
            block_destroy(b);
        }
    }
}

// ---- what goes wrong

static void a_particle_that_is_nowhere_is_named(void **state)
{
    (void)state;
    static const double places[3] = {NAN, 1e30, -1};
    for (int k = 0; k < 3; ++k) {
        block *b = make_crash(1, &minimizers[0], 1e-6);
        b->position[3 * 77 + 1] = places[k];
        uint64_t hash = hash_particles(b);
        pli_cloud_source from = block_source(b);
        pli_status status = pli_implicit_stepper_load(b->stepper, &from);
        assert_int_equal(status, PLI_ERROR_NUMERIC);
        char message[1024];
        pli_context_message(b->context, message, sizeof message);
        assert_non_null(strstr(message, "77"));
        assert_true(hash_particles(b) == hash);
        assert_int_equal(b->timers.depth, 0);
        block_destroy(b);
    }
}

static void a_solution_that_is_not_finite_changes_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS + 1; ++k) {
        for (int what = 0; what < 3; ++what) {
            block *b = make_crash(1, &minimizers[k % MINIMIZERS], 1e-6);
            if (k == MINIMIZERS) {
                choose_linear(b, 1e-3);
                block_restart(b);
            }
            if (what == 0) b->velocity[100] = NAN;
            if (what == 1) b->velocity[100] = INFINITY;
            if (what == 2) b->deformation[100] = NAN;
            uint64_t hash = hash_particles(b);
            pli_implicit_report report = block_step(b, 0.01, NULL);
            assert_int_equal(report.outcome.stop, PLI_STOP_NONFINITE);
            assert_true(hash_particles(b) == hash);
            assert_int_equal(b->timers.depth, 0);
            block_destroy(b);
        }
    }
}

// Inertia alone would turn matter inside out that must not be: steps start where it is not.
static void what_inertia_would_invert_is_solved_all_the_same(void **state)
{
    (void)state;
    static const char *const laws[] = {"neo-hookean", "hencky", "fluid"};
    for (int law = 0; law < 3; ++law) {
        for (int k = 0; k < MINIMIZERS + 1; ++k) {
            block *b = block_make(1, 3);
            for (int i = 0; i < BLOCK_KINDS; ++i) {
                block_set_matter(b, i, laws[law], 1e4, law < 2 ? 0.3 : 7);
            }
            block_add_plane(b, (double[3]){0, 1.6, 0}, (double[3]){0, 1, 0}, PLI_GRID_STICKY);
            // two cells a step against it
            for (int64_t i = 0; i < b->count; ++i) b->velocity[3 * i + 1] = -20;
            choose(b, &minimizers[k % MINIMIZERS], 1e-6);
            b->def.max_iterations = 60;
            if (k == MINIMIZERS) choose_linear(b, 1e-3);
            block_start(b);
            block_history history = {0};
            pli_implicit_report report = block_step(b, 0.01, &history);
            // a fluid that is pressed to a tenth may take more iterations than there are
            pli_stop stop = report.outcome.stop;
            bool good = law == 2 ? stop != PLI_STOP_NONFINITE : stop > 0;
            if (k < MINIMIZERS && !good) {
                fail_msg("%s, %s: %d after %d", laws[law], minimizers[k].name, stop,
                         report.outcome.iterations);
            }
            if (k < MINIMIZERS) assert_true(history.iterations > 0);
            AT_MOST(history.largest_rise, k < MINIMIZERS ? 0 : INFINITY);
            block_destroy(b);
        }
    }
}

static bool give_up(void *user)
{
    (void)user;
    return true;
}

static void cancelling_changes_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; ++k) {
        block *b = make_crash(1, &minimizers[k], 1e-6);
        uint64_t hash = hash_particles(b);
        pli_implicit_report report;
        pli_cloud_source from = block_source(b);
        pli_cloud_target to = block_target(b);
        pli_minimize_env env = {.timers = &b->timers, .scratch = b->scratch, .cancel = give_up};
        OK(b->context, pli_implicit_stepper_load(b->stepper, &from));
        assert_int_equal(pli_implicit_stepper_step(b->stepper, &to, 0.01, &env, &report),
                         PLI_ERROR_INTERRUPTED);
        assert_true(hash_particles(b) == hash);
        block_destroy(b);
    }
}

static void nobody_at_all_is_no_problem(void **state)
{
    (void)state;
    for (int k = 0; k < MINIMIZERS; ++k) {
        block *b = make_crash(1, &minimizers[k], 1e-6);
        b->count = 0;
        pli_implicit_report report = block_step(b, 0.01, NULL);
        assert_int_equal(report.nodes, 0);
        assert_true(report.outcome.stop > 0);
        block_destroy(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_takes_no_iteration),
        cmocka_unit_test(momentum_is_conserved_and_turning_damped_as_it_must_be),
        cmocka_unit_test(transfers_conserve_angular_momentum),
        cmocka_unit_test(all_minimizers_find_the_same_minimum),
        cmocka_unit_test(long_steps_never_raise_the_energy),
        cmocka_unit_test(linear_and_cubic_splines_find_theirs),
        cmocka_unit_test(the_stiffness_at_rest_is_what_was_derived),
        cmocka_unit_test(the_norm_of_uniform_matter_is_that_of_meshes),
        cmocka_unit_test(the_norm_of_mixed_matter_is_between),
        cmocka_unit_test(units_make_no_difference),
        cmocka_unit_test(flip_and_pic_are_the_ends_of_a_blend),
        cmocka_unit_test(positions_are_where_their_velocity_takes_them),
        cmocka_unit_test(particles_do_not_enter_what_is_sticky),
        cmocka_unit_test(the_linear_method_is_one_step_of_newton),
        cmocka_unit_test(the_linear_method_tells_when_energy_would_rise),
        cmocka_unit_test(the_linear_method_flies),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
        cmocka_unit_test(a_particle_that_is_nowhere_is_named),
        cmocka_unit_test(a_solution_that_is_not_finite_changes_nothing),
        cmocka_unit_test(what_inertia_would_invert_is_solved_all_the_same),
        cmocka_unit_test(cancelling_changes_nothing),
        cmocka_unit_test(nobody_at_all_is_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
