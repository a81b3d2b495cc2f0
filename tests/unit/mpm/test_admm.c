// SPDX-License-Identifier: Apache-2.0
//
// ADMM for particles (E9): the same minimum as Newton's method, its matrix and its steps, held
// nodes, and the promises of minimisers.
#include "materials.h"
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"
#include "base/random.h"
#include "linear/krylov/krylov.h"
#include "material/prox.h"
#include "math/mat3.h"
#include "mpm/implicit/admm_inside.h"
#include "mpm/implicit/implicit_inside.h"
#include "optimize/anchor.h"

// A block of particles on a grid with a spacing of 0.1 m, moved by random and shearing velocities
// for a step of 5 ms.
typedef struct block {
    pli_context *context;
    pli_cloud *cloud;
    pli_implicit *implicit;
    pli_arena *scratch;
    pli_timers timers;
    pli_objective objective;
    pli_anchor inertia;
    int32_t nodes;
    double *stiffness, *target, *weights; // [nodes], [nodes][3], [nodes]
    double *x;                            // [nodes][3]

    // held nodes
    int32_t held_count;
    int32_t *held;
    double *tangents, *curvature;
} block;

typedef struct block_def {
    const char *laws[2]; // of the halves of the block
    double young;
    pli_spline_kind spline;
    int32_t cells; // along each edge
    int32_t threads;
    bool holds;
    pli_context *context; // taken over; NULL: one of its own
} block_def;

static const double block_h = 0.005, block_density = 1000, block_dx = 0.1;

// What yields does so at a strain of some 2 percent.
static pli_implicit_kind make_kind(const char *name, double young)
{
    bool is_fluid = strcmp(name, "fluid") == 0, yields = strcmp(name, "hencky-von-mises") == 0;
    pli_material made =
        material_solid(yields ? "hencky" : name, block_density, young, is_fluid ? 7 : 0.3);
    pli_von_mises_def metal = {0.02 * young, 0.1 * young};
    if (yields) made = material_yielding(made, PLI_YIELD_VON_MISES, &metal);
    return pli_implicit_kind_make(&made, yields);
}

// ---- held nodes: some not at all free, some along a slope

static void hold_project(void *self, double *x, double *d)
{
    (void)self;
    (void)x;
    (void)d;
}

static void hold_choose(void *self, const double *x, const double *g)
{
    (void)self;
    (void)x;
    (void)g;
}

static void hold_release(void *self)
{
    (void)self;
}

static void hold_get(const void *self, pli_active_set *set)
{
    const block *b = self;
    *set = (pli_active_set){b->held_count, b->held, b->tangents, b->curvature};
}

static const pli_projection_ops hold_ops = {"held", hold_project, hold_choose, hold_release,
                                            hold_get};

static void hold_nodes(block *b)
{
    const double slope[3] = {0.48, 0.8, -0.36};
    int32_t lowest = INT32_MAX;
    for (int32_t n = 0; n < b->nodes; ++n)
        lowest = (int32_t)fmin(lowest, b->cloud->nodes->at[3 * n + 1]);
    for (int32_t n = 0; n < b->nodes; ++n) {
        const int32_t *at = b->cloud->nodes->at + 3 * n;
        if (at[1] > lowest + 1) continue;
        int32_t k = b->held_count++;
        b->held[k] = n;
        for (int e = 0; e < 9; ++e) {
            b->tangents[9 * k + e] =
                at[0] % 2 == 0 ? 0 : (e % 4 == 0) - slope[e / 3] * slope[e % 3];
        }
        // what is prescribed
        for (int a = 0; a < 3; ++a) b->x[3 * n + a] = 1e-3 * (a + 1);
    }
    b->objective.projection = (pli_feasible_set){&hold_ops, b};
}

// ---- the block

static pli_status build_cloud(block *b, const block_def *def)
{
    int32_t side = 2 * def->cells, count = side * side * side;
    size_t n = (size_t)count;
    double *position = calloc(3 * n, sizeof(double)), *velocity = calloc(3 * n, sizeof(double));
    double *zero = calloc(9 * n, sizeof(double)), *F = calloc(9 * n, sizeof(double));
    int32_t *kind = calloc(n, sizeof(int32_t));
    const pli_random random = {6, 6};
    for (int32_t k = 0; k < count; ++k) {
        int32_t at[3] = {k / (side * side), k / side % side, k % side};
        uint64_t u = 20 * (uint64_t)k;
        for (int a = 0; a < 3; ++a) {
            position[3 * k + a] =
                1 + block_dx / 2 * (at[a] + pli_random_range(random, u + (uint64_t)a, 0.2, 0.8));
        }
        double arm[3] = {position[3 * k] - 1, position[3 * k + 1] - 1, position[3 * k + 2] - 1};
        pli_vec3_set(3 * arm[1], -2 - 2 * arm[0], 2 * arm[2], velocity + 3 * k);
        for (int e = 0; e < 9; ++e) {
            F[9 * k + e] =
                (e % 4 == 0) + pli_random_range(random, u + 5 + (uint64_t)e, -0.03, 0.03);
        }
        kind[k] = at[2] >= def->cells;
    }
    pli_cloud_source source = {.count = count,
                               .position = position,
                               .velocity = velocity,
                               .affine = zero,
                               .deformation = F,
                               .memory = zero,
                               .kind = kind};
    pli_status status = pli_cloud_build(b->cloud, &source);
    free(position);
    free(velocity);
    free(zero);
    free(F);
    free(kind);
    return status;
}

// Inertia: m / h^2, and where momentum leads.
static void set_inertia(block *b)
{
    size_t n = (size_t)b->nodes;
    double *mass = calloc(n + 1, sizeof(double));
    b->stiffness = calloc(n + 1, sizeof(double));
    b->weights = calloc(n + 1, sizeof(double));
    b->target = calloc(3 * n + 1, sizeof(double));
    b->x = calloc(3 * n + 1, sizeof(double));
    b->held = calloc(n + 1, sizeof(int32_t));
    b->tangents = calloc(9 * n + 1, sizeof(double));
    b->curvature = calloc(9 * n + 1, sizeof(double));
    pli_cloud_to_nodes(b->cloud, true, mass, b->target);
    for (size_t k = 0; k < n; ++k) {
        b->stiffness[k] = mass[k] / (block_h * block_h);
        for (int a = 0; a < 3; ++a) b->target[3 * k + (size_t)a] *= block_h / mass[k];
    }
    free(mass);
}

static pli_status start_block(block *b, const block_def *def)
{
    b->context = def->context != NULL ? def->context : make_context(def->threads);
    double volume = pow(block_dx / 2, 3);
    pli_cloud_kind kinds[2] = {{block_density * volume, volume}, {block_density * volume, volume}};
    pli_implicit_kind matter[2] = {make_kind(def->laws[0], def->young),
                                   make_kind(def->laws[1], def->young)};
    pli_cloud_def cloud = {.spline = def->spline, .dx = block_dx, .kind_count = 2, .kinds = kinds};
    PLI_TRY(pli_cloud_create(b->context, &cloud, &b->cloud));
    PLI_TRY(build_cloud(b, def));
    PLI_TRY(pli_implicit_create(b->context, b->cloud, 2, matter, &b->implicit));
    PLI_TRY(pli_implicit_begin(b->implicit));
    return pli_arena_create(b->context, 1000, &b->scratch);
}

static block *make_block(const block_def *def)
{
    block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    OK(b->context, start_block(b, def));
    b->nodes = b->cloud->nodes->count;
    set_inertia(b);
    b->inertia = (pli_anchor){b->context, b->nodes, b->stiffness, b->target};
    pli_objective_init(&b->objective, b->context, b->nodes);
    pli_objective_add(&b->objective, &pli_anchor_term, &b->inertia);
    pli_objective_add(&b->objective, &pli_implicit_term, b->implicit);
    // forces against that of a strain of one
    double force = def->young * block_dx * block_dx;
    for (int32_t k = 0; k < b->nodes; ++k) b->weights[k] = 1 / (force * force);
    b->objective.norm_weights = b->weights;
    if (def->holds) hold_nodes(b);
    return b;
}

static void destroy_block(block *b)
{
    pli_objective_clear(&b->objective);
    pli_arena_destroy(b->scratch);
    pli_implicit_destroy(b->implicit);
    pli_cloud_destroy(b->cloud);
    pli_context_destroy(b->context);
    free(b->stiffness);
    free(b->target);
    free(b->weights);
    free(b->x);
    free(b->held);
    free(b->tangents);
    free(b->curvature);
    free(b);
}

static pli_minimize_env env_of(block *b)
{
    return (pli_minimize_env){.timers = &b->timers, .scratch = b->scratch};
}

// Errors: argument, memory.
static pli_status create_admm(block *b, const pli_admm_def *def, pli_admm **admm)
{
    return pli_admm_create(b->context, def, &b->objective, b->implicit, &b->inertia, admm);
}

static pli_admm *make_admm(block *b, const pli_admm_def *def)
{
    pli_admm *admm = NULL;
    OK(b->context, create_admm(b, def, &admm));
    return admm;
}

static pli_status minimize(pli_admm *admm, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    const pli_minimizer minimizer = pli_admm_minimizer(admm);
    return pli_minimizer_minimize(&minimizer, env, x, report);
}

static pli_minimize_report run_admm(block *b, pli_admm *admm, double *x)
{
    pli_minimize_env env = env_of(b);
    pli_minimize_report report;
    OK(b->context, minimize(admm, &env, x, &report));
    return report;
}

// ---- Newton's method with products instead of a matrix

static void newton_apply(const void *self, const double *p, double *q)
{
    const block *b = self;
    for (int32_t k = 0; k < 3 * b->nodes; ++k) q[k] = b->stiffness[k / 3] * p[k];
    pli_implicit_multiply(b->implicit, p, q);
    pli_objective_restrict(&b->objective, q);
}

// The inverse of the mean of each diagonal block, three times.
static void newton_diagonal(const block *b, double *inverse)
{
    double *blocks = calloc(9 * (size_t)b->nodes, sizeof *blocks);
    pli_implicit_add_diagonal(b->implicit, blocks);
    for (int32_t k = 0; k < 3 * b->nodes; ++k) {
        inverse[k] = 1 / (b->stiffness[k / 3] + pli_mat3_trace(blocks + 9 * (k / 3)) / 3);
    }
    free(blocks);
}

typedef struct diagonal {
    const double *inverse;
    int32_t n;
} diagonal;

static void diagonal_apply(const void *self, const double *r, double *z)
{
    const diagonal *D = self;
    for (int32_t k = 0; k < D->n; ++k) z[k] = D->inverse[k] * r[k];
}

typedef struct newton_vectors {
    double *g, *d, *trial, *inverse;
} newton_vectors;

// One step of Newton's method, halved until the energy falls; returns the norm of the gradient
// before it.
static double newton_step(block *b, bool projected, double *x, newton_vectors *v)
{
    int32_t n = 3 * b->nodes;
    double energy = pli_sum_value(pli_objective_energy(&b->objective, x));
    pli_objective_compute_gradient(&b->objective, x, v->g);
    pli_objective_restrict(&b->objective, v->g);
    double norm = pli_objective_norm(&b->objective, v->g);
    OK(b->context, pli_implicit_prepare(b->implicit, x, projected));
    newton_diagonal(b, v->inverse);
    diagonal D = {v->inverse, n};
    pli_operator A = {.size = n, .self = b, .apply = newton_apply};
    pli_operator B = {.size = n, .self = &D, .apply = diagonal_apply};
    pli_krylov_system system = {.A = &A, .B = &B, .b = v->g, .x = v->d};
    pli_krylov_def def = pli_krylov_def_default();
    def.stop_at_indefinite = true;
    def.relative_tolerance = 1e-3;
    pli_krylov_report report;
    OK(b->context, pli_pcg(b->context, &def, &system, b->scratch, &report));
    for (double alpha = 1; alpha > 1e-9; alpha /= 2) {
        for (int32_t k = 0; k < n; ++k) v->trial[k] = x[k] - alpha * v->d[k];
        double value = pli_sum_value(pli_objective_energy(&b->objective, v->trial));
        if (value <= energy + 1e-13 * fabs(energy)) break;
    }
    memcpy(x, v->trial, (size_t)n * sizeof *x);
    return norm;
}

static void newton(block *b, double *x)
{
    size_t n = 3 * (size_t)b->nodes;
    double *memory = calloc(4 * n, sizeof *memory), norm = 1;
    newton_vectors v = {memory, memory + n, memory + 2 * n, memory + 3 * n};
    for (int step = 0; step < 60 && norm > 1e-12; ++step) norm = newton_step(b, step < 8, x, &v);
    AT_MOST(norm, 1e-12);
    free(memory);
}

static double *copy(const block *b)
{
    double *x = malloc(3 * (size_t)b->nodes * sizeof *x);
    assert_non_null(x);
    memcpy(x, b->x, 3 * (size_t)b->nodes * sizeof *x);
    return x;
}

// ---- the minimum

static pli_admm_def patient(void)
{
    pli_admm_def def = pli_admm_def_default();
    def.max_iterations = 5000;
    def.tolerance = 1e-9;
    return def;
}

static block_def small_block(const char *law, double young)
{
    return (block_def){.laws = {law, law},
                       .young = young,
                       .spline = PLI_SPLINE_QUADRATIC,
                       .cells = 2,
                       .threads = 2};
}

static void check_minimum(const block_def *def)
{
    block *b = make_block(def);
    double *want = copy(b), *got = copy(b), largest = 0;
    pli_admm_def admm_def = patient();
    pli_admm *admm = make_admm(b, &admm_def);
    newton(b, want);
    pli_minimize_report report = run_admm(b, admm, got);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    for (int32_t k = 0; k < 3 * b->nodes; ++k) largest = fmax(largest, fabs(want[k]));
    // the gradient is 1e-9 of the force of a strain of one; nodes of little mass feel little of it
    for (int32_t k = 0; k < 3 * b->nodes; ++k) NEAR(got[k], want[k], 0, 1e-5 * largest);
    double energy = pli_sum_value(pli_objective_energy(&b->objective, got));
    NEAR(report.energy, energy, 0, 0);
    pli_admm_destroy(admm);
    free(want);
    free(got);
    destroy_block(b);
}

static void minimum_is_that_of_newton(void **state)
{
    (void)state;
    // fluids have next to no resistance to most motions: only soft ones end soon
    static const struct {
        const char *laws[2];
        double young;
        bool holds;
    } cases[] = {{{"fixed-corotated", "fixed-corotated"}, 2e5, true},
                 {{"fixed-corotated", "neo-hookean"}, 1e7, true},
                 {{"neo-hookean", "fixed-corotated"}, 2e5, false},
                 {{"hencky", "stable-neo-hookean"}, 1e6, false},
                 {{"linear", "corotated"}, 2e5, false},
                 {{"hencky-von-mises", "hencky"}, 1e6, true},
                 {{"fluid", "fluid"}, 1e5, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        block_def def = small_block(cases[k].laws[0], cases[k].young);
        def.laws[1] = cases[k].laws[1];
        def.holds = cases[k].holds;
        check_minimum(&def);
    }
}

static void splines_of_all_widths_are_minimised(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        block_def def = small_block("fixed-corotated", 1e6);
        def.spline = (pli_spline_kind)spline;
        check_minimum(&def);
    }
}

// x at which particles are inside out has no energy, but z has.
static void a_start_of_infinite_energy_is_no_end(void **state)
{
    (void)state;
    block_def def = small_block("neo-hookean", 1e6);
    block *b = make_block(&def);
    double *want = copy(b), *got = copy(b), largest = 0;
    pli_admm_def admm_def = patient();
    pli_admm *admm = make_admm(b, &admm_def);
    newton(b, want);
    for (int32_t k = 0; k < 3 * b->nodes; ++k) {
        got[k] = pli_random_range((pli_random){8, 8}, (uint64_t)k, -0.3, 0.3);
    }
    assert_true(pli_sum_value(pli_objective_energy(&b->objective, got)) == INFINITY);
    pli_minimize_report report = run_admm(b, admm, got);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    for (int32_t k = 0; k < 3 * b->nodes; ++k) largest = fmax(largest, fabs(want[k]));
    for (int32_t k = 0; k < 3 * b->nodes; ++k) NEAR(got[k], want[k], 0, 1e-5 * largest);
    pli_admm_destroy(admm);
    free(want);
    free(got);
    destroy_block(b);
}

// ---- the steps

// F [9][slots] of all slots at x
static void deform(const block *b, const double *x, double *F)
{
    int64_t slots = b->cloud->slot_count;
    for (int64_t cell = 0; cell < b->cloud->cell_count; ++cell) {
        int32_t begin = b->cloud->cell_slot[cell], end = b->cloud->cell_slot[cell + 1];
        for (int32_t first = begin; first < end; first += PLI_EVALUATION_SLOTS) {
            pli_evaluation at;
            int32_t count = end - first;
            pli_evaluation_begin(&at, first,
                                 count < PLI_EVALUATION_SLOTS ? count : PLI_EVALUATION_SLOTS);
            pli_implicit_deform(b->implicit, cell, x, first, at.count, &at);
            for (int k = 0; k < 9 * at.count; ++k) {
                F[k / at.count * slots + first + k % at.count] =
                    at.F[k / at.count * at.stride + k % at.count];
            }
        }
    }
}

// Dense: D [nodes][3][9][slots], the change of F when node and axis move by one.
static double *make_dense(const block *b)
{
    size_t slots = (size_t)b->cloud->slot_count, n = 3 * (size_t)b->nodes;
    double *D = calloc(n * 9 * slots, sizeof *D), *x = calloc(n, sizeof *x);
    double *rest = calloc(9 * slots, sizeof *rest);
    assert_true(D != NULL && x != NULL && rest != NULL);
    deform(b, x, rest);
    for (size_t k = 0; k < n; ++k) {
        x[k] = 1;
        deform(b, x, D + 9 * slots * k);
        x[k] = 0;
        for (size_t e = 0; e < 9 * slots; ++e) D[9 * slots * k + e] -= rest[e];
    }
    free(x);
    free(rest);
    return D;
}

// c [slots]: a quarter of the norm of dP/dF at rest
static double *make_ties(const block *b)
{
    double *c = calloc((size_t)b->cloud->slot_count, sizeof *c);
    assert_non_null(c);
    for (int32_t slot = 0; slot < b->cloud->slot_count; ++slot) {
        const pli_implicit_kind *kind = &b->implicit->kinds[b->cloud->kind[slot]];
        c[slot] = 0.25 * pli_material_rest_norm(kind->law, kind->params);
    }
    return c;
}

// sum_p V_p c_p a_p : b_p of deformations [9][slots]
static double contract(const block *b, const double *c, const double *one, const double *other)
{
    int64_t slots = b->cloud->slot_count;
    double sum = 0;
    for (int64_t k = 0; k < 9 * slots; ++k) {
        sum += b->cloud->volume[k % slots] * c[k % slots] * one[k] * other[k];
    }
    return sum;
}

static void matrix_is_the_dense_one_and_positive(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        block_def def = small_block("fixed-corotated", 1e5);
        def.laws[1] = "fluid";
        def.cells = 1;
        def.spline = (pli_spline_kind)spline;
        block *b = make_block(&def);
        int32_t n = 3 * b->nodes;
        int64_t slots = b->cloud->slot_count;
        double *D = make_dense(b), *c = make_ties(b);
        double *unit = calloc((size_t)n, sizeof *unit), *column = calloc((size_t)n, sizeof *unit);
        double *z = calloc((size_t)n, sizeof *z);
        pli_admm_matrix matrix = {0};
        OK(b->context, pli_admm_matrix_build(&matrix, b->implicit, c, b->stiffness));
        pli_operator jacobi = pli_admm_matrix_jacobi(&matrix);
        double largest = 0;
        for (int32_t k = 0; k < n; ++k) {
            const double *own = D + 9 * slots * k;
            largest = fmax(largest, contract(b, c, own, own) + b->stiffness[k / 3]);
        }
        for (int32_t j = 0; j < n; ++j) {
            unit[j] = 1;
            pli_admm_matrix_multiply(&matrix, unit, column);
            for (int32_t i = 0; i < n; ++i) {
                double want = contract(b, c, D + 9 * slots * i, D + 9 * slots * j);
                if (i == j) want += b->stiffness[j / 3];
                // D is a difference, good to 1e-16 of one
                NEAR(column[i], want, 1e-12, 1e-14 * largest);
            }
            pli_operator_apply(&jacobi, unit, z);
            NEAR(z[j] * column[j], 1, 1e-14, 0);
            unit[j] = 0;
        }
        for (uint64_t stream = 0; stream < 10; ++stream) {
            double product = 0;
            for (int32_t k = 0; k < n; ++k) {
                unit[k] = pli_random_range((pli_random){7, stream}, (uint64_t)k, -1, 1);
            }
            pli_admm_matrix_multiply(&matrix, unit, column);
            for (int32_t k = 0; k < n; ++k) product += unit[k] * column[k];
            assert_true(product > 0);
        }
        pli_admm_matrix_clear(&matrix);
        free(D);
        free(c);
        free(unit);
        free(column);
        free(z);
        destroy_block(b);
    }
}

// z and u of all slots for F [9][slots], in plain loops
static void split(const block *b, const double *c, const double *F, double *z, double *u)
{
    int64_t slots = b->cloud->slot_count;
    for (int64_t slot = 0; slot < slots; ++slot) {
        const pli_implicit_kind *kind = &b->implicit->kinds[b->cloud->kind[slot]];
        pli_prox at = {.count = 1, .c = {c[slot]}};
        for (int k = 0; k < kind->law->param_count; ++k) {
            at.params[k * PLI_PROX_POINTS] = kind->params[k];
        }
        for (int k = 0; k < 9; ++k) {
            at.y[k * PLI_PROX_POINTS] = F[k * slots + slot] + u[k * slots + slot];
        }
        pli_prox_solve(kind->law, &at);
        for (int k = 0; k < 9; ++k) {
            z[k * slots + slot] = at.z[k * PLI_PROX_POINTS];
            u[k * slots + slot] += F[k * slots + slot] - z[k * slots + slot];
        }
    }
}

// |grad_x of the augmented Lagrangian|, against that at the beginning of the step
static double slope_of(const block *b, const double *c, const double *D, const double *x,
                       const double *gap)
{
    int64_t slots = b->cloud->slot_count;
    double sum = 0;
    for (int32_t k = 0; k < 3 * b->nodes; ++k) {
        double g =
            b->stiffness[k / 3] * (x[k] - b->target[k]) + contract(b, c, D + 9 * slots * k, gap);
        sum += g * g;
    }
    return sqrt(sum);
}

static void iterations_are_made_of_the_three_steps(void **state)
{
    (void)state;
    block_def def = small_block("hencky", 1e6);
    def.laws[1] = "linear";
    def.cells = 1;
    block *b = make_block(&def);
    int64_t slots = b->cloud->slot_count;
    size_t size = 9 * (size_t)slots;
    double *D = make_dense(b), *F = calloc(size, sizeof *F), *z = calloc(size, sizeof *z);
    double *u = calloc(size, sizeof *u), *gap = calloc(size, sizeof *gap);
    double *x = copy(b), *before = copy(b), *c = make_ties(b);
    deform(b, x, z);
    for (int32_t count = 0; count < 4; ++count) {
        // F - z + u at the x of before and after the x-step
        deform(b, before, F);
        if (count > 0) split(b, c, F, z, u);
        for (size_t k = 0; k < size; ++k) gap[k] = F[k] - z[k] + u[k];
        double start = slope_of(b, c, D, before, gap);
        pli_admm_def admm_def = pli_admm_def_default();
        admm_def.max_iterations = count + 1;
        admm_def.tolerance = 0;
        admm_def.linear_tolerance = 1e-13;
        pli_admm *admm = make_admm(b, &admm_def);
        memcpy(x, b->x, 3 * (size_t)b->nodes * sizeof *x);
        pli_minimize_report report = run_admm(b, admm, x);
        assert_int_equal(report.stop, PLI_STOP_ITERATIONS);
        assert_int_equal(report.iterations, count + 1);
        deform(b, x, F);
        for (size_t k = 0; k < size; ++k) gap[k] = F[k] - z[k] + u[k];
        // the x-step is solved to 1e-13, z to some 1e-14
        AT_MOST(slope_of(b, c, D, x, gap), 1e-10 * start);
        memcpy(before, x, 3 * (size_t)b->nodes * sizeof *x);
        pli_admm_destroy(admm);
    }
    free(D);
    free(c);
    free(F);
    free(z);
    free(u);
    free(gap);
    free(x);
    free(before);
    destroy_block(b);
}

// ---- held nodes

static void what_is_prescribed_stays(void **state)
{
    (void)state;
    block_def def = small_block("fixed-corotated", 1e6);
    def.holds = true;
    block *b = make_block(&def);
    double *x = copy(b);
    pli_admm_def admm_def = pli_admm_def_default();
    pli_admm *admm = make_admm(b, &admm_def);
    (void)run_admm(b, admm, x);
    double moved = 0;
    assert_true(b->held_count > 0);
    for (int32_t k = 0; k < b->held_count; ++k) {
        const double *T = b->tangents + 9 * k;
        double d[3], Td[3];
        for (int a = 0; a < 3; ++a) d[a] = x[3 * b->held[k] + a] - b->x[3 * b->held[k] + a];
        pli_mat3_apply(T, d, Td);
        moved = fmax(moved, pli_vec3_norm(Td));
        // nothing, or rounding of x, which is some millimetres, in each of 100 iterations
        bool is_free = T[0] + T[4] + T[8] > 0;
        for (int a = 0; a < 3; ++a) NEAR(d[a], Td[a], 0, is_free ? 1e-16 : 0);
    }
    AT_LEAST(moved, 1e-4);
    pli_admm_destroy(admm);
    free(x);
    destroy_block(b);
}

// ---- ends

typedef struct heard {
    block *b;
    const double *x;
    int32_t count;
    int32_t cancel_at;
    double last;
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    assert_int_equal(iterate->iteration, h->count);
    // the energy is that of x, whether it rises or falls
    double energy = pli_sum_value(pli_objective_energy(&h->b->objective, h->x));
    assert_true(iterate->energy == energy);
    if (h->count > 0) assert_true(iterate->linear_iterations > 0);
    ++h->count;
    h->last = iterate->residual;
}

static bool is_cancelled(void *user)
{
    const heard *h = user;
    return h->cancel_at > 0 && h->count >= h->cancel_at;
}

static void ends_are_told(void **state)
{
    (void)state;
    block_def def = small_block("fixed-corotated", 1e6);
    block *b = make_block(&def);
    pli_admm_def admm_def = pli_admm_def_default();
    admm_def.max_iterations = 7;
    pli_admm *admm = make_admm(b, &admm_def);
    double *x = copy(b);
    heard h = {.b = b, .x = x};
    pli_minimize_env env = env_of(b);
    env.monitor = hear;
    env.cancel = is_cancelled;
    env.user = &h;
    pli_minimize_report report;
    OK(b->context, minimize(admm, &env, x, &report));
    assert_int_equal(report.stop, PLI_STOP_ITERATIONS);
    assert_int_equal(report.iterations, 7);
    assert_int_equal(h.count, 8);
    assert_int_equal(report.energy_evaluations, 8);
    NEAR(report.residual, h.last, 0, 0);

    // from where it is good enough, as few iterations as are wanted
    pli_admm_destroy(admm);
    admm_def.tolerance = 2 * report.residual;
    admm = make_admm(b, &admm_def);
    h.count = 0;
    OK(b->context, minimize(admm, &env, x, &report));
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    assert_int_equal(report.iterations, 0);
    h.count = 0;
    env.min_iterations = 2;
    OK(b->context, minimize(admm, &env, x, &report));
    AT_LEAST(report.iterations, 2);

    h.count = 0;
    h.cancel_at = 2;
    assert_int_equal(minimize(admm, &env, x, &report), PLI_ERROR_INTERRUPTED);
    h.cancel_at = h.count = 0;
    env.monitor = NULL;
    x[1] = NAN;
    OK(b->context, minimize(admm, &env, x, &report));
    assert_int_equal(report.stop, PLI_STOP_NONFINITE);
    pli_admm_destroy(admm);
    free(x);
    destroy_block(b);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    block_def def = small_block("hencky", 1e6);
    block *b = make_block(&def);
    for (int k = 0; k < 7; ++k) {
        pli_admm_def bad = pli_admm_def_default();
        if (k == 0) bad.weight_scale = 0;
        if (k == 1) bad.weight_scale = NAN;
        if (k == 2) bad.linear_tolerance = 0;
        if (k == 3) bad.linear_tolerance = 1;
        if (k == 4) bad.linear_iterations = 0;
        if (k == 5) bad.max_iterations = -1;
        if (k == 6) bad.weight_scale = INFINITY;
        pli_admm *admm;
        assert_int_equal(create_admm(b, &bad, &admm), PLI_ERROR_ARGUMENT);
        assert_null(admm);
    }
    destroy_block(b);
}

// ---- promises

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        block_def def = small_block("neo-hookean", 1e6);
        def.laws[1] = "fixed-corotated";
        def.cells = 5;
        def.threads = bits.threads;
        def.holds = true;
        block *b = make_block(&def);
        pli_admm_def admm_def = pli_admm_def_default();
        admm_def.max_iterations = 5;
        pli_admm *admm = make_admm(b, &admm_def);
        double *x = copy(b);
        pli_minimize_report report = run_admm(b, admm, x);
        uint64_t hash = pli_hash_bytes(PLI_HASH_START, x, 3 * (size_t)b->nodes * sizeof *x);
        hash = pli_hash_bytes(hash, &report.energy, sizeof report.energy);
        same_bits_keep_hash(&bits, hash);
        pli_admm_destroy(admm);
        free(x);
        destroy_block(b);
    }
}

static void a_warm_minimisation_allocates_nothing(void **state)
{
    (void)state;
    block_def def = small_block("hencky", 1e6);
    block *b = make_block(&def);
    double *x = copy(b), *again = copy(b);
    pli_admm_def admm_def = pli_admm_def_default();
    pli_admm *admm = make_admm(b, &admm_def);
    (void)run_admm(b, admm, x);
    int64_t before = pli_context_allocation_count(b->context);
    (void)run_admm(b, admm, again);
    assert_int_equal(pli_context_allocation_count(b->context), before);
    // nothing is left of the one before
    assert_memory_equal(x, again, 3 * (size_t)b->nodes * sizeof *x);
    const pli_minimizer minimizer = pli_admm_minimizer(admm);
    AT_LEAST((double)pli_minimizer_memory(&minimizer), 1500.0 * b->nodes);
    pli_admm_destroy(admm);
    free(x);
    free(again);
    destroy_block(b);
}

static void failed_allocations_release_everything(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        block_def def = small_block("fixed-corotated", 1e6);
        def.context = sweep.context;
        block *b = make_block(&def);
        pli_minimize_env env = env_of(b);
        pli_minimize_report report;
        pli_admm_def admm_def = pli_admm_def_default();
        admm_def.max_iterations = 2;
        fault_sweep_resume(&sweep);
        pli_admm *admm = NULL;
        sweep.status = create_admm(b, &admm_def, &admm);
        assert_int_equal(admm == NULL, sweep.status != PLI_OK);
        if (admm != NULL) {
            // a second attempt is as good as the first would have been
            sweep.status = minimize(admm, &env, b->x, &report);
            fault_sweep_pause(&sweep);
            if (sweep.status != PLI_OK) report = run_admm(b, admm, b->x);
            assert_int_equal(report.iterations, 2);
        }
        pli_admm_destroy(admm);
        destroy_block(b);
        sweep.context = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimum_is_that_of_newton),
        cmocka_unit_test(splines_of_all_widths_are_minimised),
        cmocka_unit_test(a_start_of_infinite_energy_is_no_end),
        cmocka_unit_test(matrix_is_the_dense_one_and_positive),
        cmocka_unit_test(iterations_are_made_of_the_three_steps),
        cmocka_unit_test(what_is_prescribed_stays),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_warm_minimisation_allocates_nothing),
        cmocka_unit_test(failed_allocations_release_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
