// SPDX-License-Identifier: Apache-2.0
//
// Passes over the particles of an implicit step, for a bar of three thirds of unlike stiffness
// (1e5, 1e9, 1e5 Pa) that is twisted by half a turn over its height, 9.7 particles a cell, fixed
// corotated, quadratic splines. The matrix, summed cell by cell, against particles that scatter
// their blocks one by one; all passes against what the machine can multiply, add and copy.
#include "bench.h"
#include "support/implicit_reference.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/random.h"
#include "mpm/implicit/implicit.h"

#include <math.h>
#include <string.h>

enum { REPEATS = 15, KINDS = 2, SLIP = 125 };

static const double size[3] = {0.12, 0.9, 0.12}; // m
static const double particles_a_cell = 9.7;
static const double density = 1000; // kg/m^3

typedef struct implicit_bar {
    pli_context *context;
    double dx;
    int64_t count;
    // rows of particles
    double *position, *velocity, *affine, *deformation, *memory;
    int32_t *kind;

    pli_cloud *cloud;
    pli_implicit *implicit;
    pli_ell *matrix;
    // [nodes][3], but mass [nodes]
    double *x, *other, *third, *g, *d, *mass;
    pli_status status; // of what was timed last
} implicit_bar;

// ---- the bar

// Half a turn about the y axis over the height, and 5 % longer; with its gradient.
static void twist(const double X[3], double x[3], double F[9])
{
    double rate = M_PI / size[1], angle = rate * X[1], longer = 1.05;
    double c = cos(angle), s = sin(angle);
    double a = X[0] - 0.5 * size[0], b = X[2] - 0.5 * size[2];
    x[0] = c * a - s * b;
    x[1] = longer * X[1];
    x[2] = s * a + c * b;
    const double made[9] = {c, -rate * (s * a + c * b), -s, 0, longer, 0,
                            s, rate * (c * a - s * b),  c};
    memcpy(F, made, sizeof made);
}

// Particles cell by cell of the bar at rest, as seeding makes them: z fastest.
static void set_particle(implicit_bar *bar, int64_t k)
{
    pli_random random = {1, 2};
    int64_t cell = (int64_t)((double)k / particles_a_cell);
    int64_t cells_y = llround(size[1] / bar->dx), cells_z = llround(size[2] / bar->dx);
    const int64_t at[3] = {cell / cells_z / cells_y, cell / cells_z % cells_y, cell % cells_z};
    double X[3], *F = bar->deformation + 9 * k;
    for (int a = 0; a < 3; ++a) {
        double inside = pli_random_uniform(random, (uint64_t)(32 * k + a));
        X[a] = bar->dx * ((double)at[a] + inside);
        bar->velocity[3 * k + a] = pli_random_range(random, (uint64_t)(32 * k + 4 + a), -1, 1);
    }
    twist(X, bar->position + 3 * k, F);
    for (int i = 0; i < 9; ++i) {
        bar->affine[9 * k + i] = pli_random_range(random, (uint64_t)(32 * k + 8 + i), -1, 1);
        F[i] += pli_random_range(random, (uint64_t)(32 * k + 20 + i), -0.01, 0.01);
    }
    bar->memory[k] = 1;
    bar->kind[k] = 3 * X[1] > size[1] && 3 * X[1] < 2 * size[1];
}

static pli_status make_rows(implicit_bar *bar)
{
    pli_context *context = bar->context;
    double cells = size[0] * size[1] * size[2] / (bar->dx * bar->dx * bar->dx);
    int64_t n = bar->count = (int64_t)(particles_a_cell * cells);
    bar->position = PLI_NEW(context, double, 3 * n, "positions");
    bar->velocity = PLI_NEW(context, double, 3 * n, "velocities");
    bar->affine = PLI_NEW(context, double, 9 * n, "affine velocities");
    bar->deformation = PLI_NEW(context, double, 9 * n, "deformation gradients");
    bar->memory = PLI_NEW(context, double, n, "memory");
    bar->kind = PLI_NEW(context, int32_t, n, "kinds");
    if (bar->position == NULL || bar->velocity == NULL || bar->affine == NULL ||
        bar->deformation == NULL || bar->memory == NULL || bar->kind == NULL) {
        return PLI_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < n; ++k) set_particle(bar, k);
    return PLI_OK;
}

static void build_cloud(void *user)
{
    implicit_bar *bar = user;
    pli_cloud_source source = {.count = bar->count,
                               .position = bar->position,
                               .velocity = bar->velocity,
                               .affine = bar->affine,
                               .deformation = bar->deformation,
                               .memory = bar->memory,
                               .kind = bar->kind};
    bar->status = pli_cloud_build(bar->cloud, &source);
    if (bar->status == PLI_OK) bar->status = pli_implicit_begin(bar->implicit);
}

static pli_status make_passes(implicit_bar *bar)
{
    const double young[KINDS] = {1e5, 1e9};
    double volume = size[0] * size[1] * size[2] / (double)bar->count;
    pli_cloud_kind kinds[KINDS];
    pli_implicit_kind matter[KINDS] = {0};
    for (int k = 0; k < KINDS; ++k) {
        kinds[k] = (pli_cloud_kind){density * volume, volume};
        const pli_material_ops *law = pli_material_find(bar->context, "fixed-corotated");
        pli_material made;
        PLI_TRY(pli_material_init(bar->context, law, (double[]){young[k], 0.4}, density, 0, &made));
        matter[k] = pli_implicit_kind_make(&made, false);
    }
    pli_cloud_def def = {.spline = PLI_SPLINE_QUADRATIC,
                         .dx = bar->dx,
                         .origin = {-1, -1, -1},
                         .kind_count = KINDS,
                         .kinds = kinds};
    PLI_TRY(pli_cloud_create(bar->context, &def, &bar->cloud));
    PLI_TRY(pli_implicit_create(bar->context, bar->cloud, KINDS, matter, &bar->implicit));
    build_cloud(bar);
    return bar->status;
}

static pli_status make_vectors(implicit_bar *bar)
{
    int64_t n = bar->cloud->nodes->count;
    bar->x = PLI_NEW(bar->context, double, 3 * n, "displacements");
    bar->other = PLI_NEW(bar->context, double, 3 * n, "displacements");
    bar->third = PLI_NEW(bar->context, double, 3 * n, "displacements");
    bar->g = PLI_NEW(bar->context, double, 3 * n, "gradient");
    bar->d = PLI_NEW(bar->context, double, 3 * n, "direction");
    bar->mass = PLI_NEW(bar->context, double, n, "mass");
    if (bar->x == NULL || bar->other == NULL || bar->third == NULL || bar->g == NULL ||
        bar->d == NULL || bar->mass == NULL) {
        return PLI_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < 3 * n; ++k) {
        bar->x[k] = pli_random_range((pli_random){3, 1}, (uint64_t)k, -0.01, 0.01) * bar->dx;
        bar->other[k] = 1.01 * bar->x[k];
        bar->third[k] = 1.02 * bar->x[k];
        bar->d[k] = pli_random_range((pli_random){3, 2}, (uint64_t)k, -1, 1);
    }
    return pli_ell_create(bar->context, (int32_t)n, SLIP, SLIP / 2, &bar->matrix);
}

static pli_status make_bar(pli_context *context, double dx, implicit_bar *bar)
{
    *bar = (implicit_bar){.context = context, .dx = dx};
    PLI_TRY(make_rows(bar));
    PLI_TRY(make_passes(bar));
    return make_vectors(bar);
}

static void destroy_bar(implicit_bar *bar)
{
    void *arrays[] = {bar->position, bar->velocity, bar->affine, bar->deformation,
                      bar->memory,   bar->kind,     bar->x,      bar->other,
                      bar->third,    bar->g,        bar->d,      bar->mass};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        pli_release(bar->context, arrays[k]);
    pli_ell_destroy(bar->matrix);
    pli_implicit_destroy(bar->implicit);
    pli_cloud_destroy(bar->cloud);
}

// ---- passes

static void run_to_nodes(void *user)
{
    implicit_bar *bar = user;
    pli_cloud_to_nodes(bar->cloud, true, bar->mass, bar->g);
}

// F stays as it is, and particles where they are: a step of no time.
static void run_from_nodes(void *user)
{
    implicit_bar *bar = user;
    pli_cloud_pull pull = {.velocity = bar->d, .h = 0};
    pli_cloud_from_nodes(bar->cloud, &pull);
}

static void run_store(void *user)
{
    implicit_bar *bar = user;
    pli_cloud_target to = {bar->position, NULL, bar->affine, bar->deformation, bar->memory};
    pli_cloud_store(bar->cloud, &to);
}

// The next x is another one, as in a line search; the energy is never asked for at the third.
static void swap_x(implicit_bar *bar)
{
    double *x = bar->x;
    bar->x = bar->other;
    bar->other = x;
}

static void run_energy(void *user)
{
    implicit_bar *bar = user;
    swap_x(bar);
    (void)pli_implicit_term.energy(bar->implicit, bar->x);
}

static void run_gradient(void *user)
{
    implicit_bar *bar = user;
    pli_implicit_term.add_gradient(bar->implicit, bar->third, bar->g);
}

static void run_both(void *user)
{
    implicit_bar *bar = user;
    swap_x(bar);
    (void)pli_implicit_term.energy(bar->implicit, bar->x);
    pli_implicit_term.add_gradient(bar->implicit, bar->x, bar->g);
}

static void run_prepare(void *user)
{
    implicit_bar *bar = user;
    swap_x(bar);
    bar->status = pli_implicit_prepare(bar->implicit, bar->x, true);
}

static void run_multiply(void *user)
{
    implicit_bar *bar = user;
    pli_implicit_multiply(bar->implicit, bar->d, bar->g);
}

static void run_diagonal(void *user)
{
    implicit_bar *bar = user;
    pli_implicit_add_diagonal(bar->implicit, bar->matrix->values);
}

static void run_resize(void *user)
{
    implicit_bar *bar = user;
    bar->status = pli_ell_resize(bar->matrix, bar->cloud->nodes->count);
    pli_node_grid_neighbors(bar->cloud->nodes, 2, bar->matrix->column);
}

static void run_assemble(void *user)
{
    implicit_bar *bar = user;
    swap_x(bar);
    pli_implicit_assemble(bar->implicit, bar->x, true, bar->matrix);
}

static void run_scatter(void *user)
{
    implicit_bar *bar = user;
    swap_x(bar);
    pli_implicit_assemble_reference(bar->implicit, bar->x, true, bar->matrix);
}

static void run_matrix_multiply(void *user)
{
    implicit_bar *bar = user;
    pli_ell_multiply(bar->matrix, bar->d, bar->g);
}

static void run_plain_energy(void *user)
{
    implicit_bar *bar = user;
    (void)pli_implicit_energy_reference(bar->implicit, bar->x);
}

static void run_plain_gradient(void *user)
{
    implicit_bar *bar = user;
    pli_implicit_gradient_reference(bar->implicit, bar->x, bar->g);
}

// ---- times

typedef enum pass_id {
    BUILD,
    TO_NODES,
    FROM_NODES,
    STORE,
    ENERGY,
    GRADIENT,
    BOTH,
    PREPARE,
    MULTIPLY,
    DIAGONAL,
    RESIZE,
    ASSEMBLE,
    MATRIX_MULTIPLY,
    SCATTER,
    PLAIN_ENERGY,
    PLAIN_GRADIENT,
    PASS_COUNT
} pass_id;

typedef struct pass_info {
    const char *name;
    void (*run)(void *user);
    int repeats;
} pass_info;

static const pass_info passes[PASS_COUNT] = {
    [BUILD] = {"cloud", build_cloud, REPEATS},
    [TO_NODES] = {"to nodes", run_to_nodes, REPEATS},
    [FROM_NODES] = {"from nodes", run_from_nodes, REPEATS},
    [STORE] = {"to rows", run_store, REPEATS},
    [ENERGY] = {"energy", run_energy, REPEATS},
    [GRADIENT] = {"gradient", run_gradient, REPEATS},
    [BOTH] = {"energy, then gradient there", run_both, REPEATS},
    [PREPARE] = {"tangents", run_prepare, REPEATS},
    [MULTIPLY] = {"product without a matrix", run_multiply, REPEATS},
    [DIAGONAL] = {"diagonal", run_diagonal, REPEATS},
    [RESIZE] = {"empty matrix", run_resize, REPEATS},
    [ASSEMBLE] = {"matrix", run_assemble, REPEATS},
    [MATRIX_MULTIPLY] = {"product with it", run_matrix_multiply, REPEATS},
    [SCATTER] = {"matrix by scattering", run_scatter, 2},
    [PLAIN_ENERGY] = {"plain energy, one thread", run_plain_energy, 2},
    [PLAIN_GRADIENT] = {"plain gradient", run_plain_gradient, 2},
};

// Multiplications and additions of a particle that the matrix cannot do without: the half of its
// 27 x 27 blocks of nine entries, three products and sums each.
static const double pair_flops = 27 * 28 / 2 * 9 * 3 * 2;

static void claim_matrix(pli_bench *bench, const implicit_bar *bar, const double *seconds)
{
    double peak = 0.5 * pli_bench_multiply_add_peak(bench);
    double ideal = pair_flops * (double)bar->count / peak;
    double reading = (double)pli_ell_memory_bytes(bar->matrix) / pli_bench_copy_bandwidth(bench);
    pli_bench_note(bench,
                   "implicit: %.0f GFLOP/s in double, so pairs of nodes alone take %.2f ms; the "
                   "matrix is read in %.2f ms at the speed of a copy",
                   1e-9 * peak, 1e3 * ideal, 1e3 * reading);
    pli_bench_claim(bench,
                    &(pli_claim){"implicit-matrix", "cell by cell over scattering, speed", "-",
                                 seconds[SCATTER] / seconds[ASSEMBLE], "x", 6, INFINITY});
    pli_bench_claim(bench, &(pli_claim){"implicit-matrix", "time over that of pairs of nodes alone",
                                        "-", seconds[ASSEMBLE] / ideal, "x", 0, 5});
    pli_bench_claim(bench, &(pli_claim){"implicit-matrix", "time over an energy and its gradient",
                                        "-", seconds[ASSEMBLE] / seconds[BOTH], "x", 0, 25});
}

static void claim_passes(pli_bench *bench, const double *seconds)
{
    double threads = pli_context_thread_count(pli_bench_context(bench));
    pli_bench_claim(bench, &(pli_claim){"implicit", "energy over the plain one, a thread, speed",
                                        "-", seconds[PLAIN_ENERGY] / (threads * seconds[ENERGY]),
                                        "x", 2, INFINITY});
    pli_bench_claim(bench,
                    &(pli_claim){"implicit", "gradient over the plain one, speed", "-",
                                 seconds[PLAIN_GRADIENT] / seconds[GRADIENT], "x", 2, INFINITY});
    pli_bench_claim(
        bench, &(pli_claim){"implicit", "a gradient after its energy over a fresh one, time", "-",
                            (seconds[BOTH] - seconds[ENERGY]) / seconds[GRADIENT], "x", 0, 0.8});
    pli_bench_claim(bench,
                    &(pli_claim){"implicit", "product without a matrix over one with it", "-",
                                 seconds[MULTIPLY] / seconds[MATRIX_MULTIPLY], "x", 0, 2});
    pli_bench_claim(bench, &(pli_claim){"implicit", "cloud over an energy and its gradient, time",
                                        "-", seconds[BUILD] / seconds[BOTH], "x", 0, 4});
}

static pli_status measure_bar(pli_bench *bench, implicit_bar *bar)
{
    double seconds[PASS_COUNT];
    pli_bench_note(bench, "implicit: %lld particles in %d slots of %d cells, %d nodes",
                   (long long)bar->count, (int)bar->cloud->slot_count, (int)bar->cloud->cell_count,
                   (int)bar->cloud->nodes->count);
    for (int k = 0; k < PASS_COUNT; ++k) {
        seconds[k] = pli_bench_best_seconds(passes[k].run, bar, passes[k].repeats);
        PLI_TRY(bar->status);
        pli_bench_note(bench, "implicit: %-28s %8.2f ms, %7.1f ns a particle", passes[k].name,
                       1e3 * seconds[k], 1e9 * seconds[k] / (double)bar->count);
    }
    claim_matrix(bench, bar, seconds);
    claim_passes(bench, seconds);
    return PLI_OK;
}

static pli_status measure_size(pli_bench *bench, double dx)
{
    implicit_bar bar;
    pli_status status = make_bar(pli_bench_context(bench), dx, &bar);
    if (status == PLI_OK) status = measure_bar(bench, &bar);
    destroy_bar(&bar);
    return status;
}

pli_status pli_bench_kernels_implicit(pli_bench *bench)
{
    PLI_TRY(measure_size(bench, 0.015));
    if (pli_bench_is_paper_size(bench)) PLI_TRY(measure_size(bench, 0.0075));
    return PLI_OK;
}
