// SPDX-License-Identifier: Apache-2.0
//
// The local step of projective dynamics: rotations nearest to 3x3 matrices by one thread, against
// the singular value decomposition that they replace, and forces of a whole mesh by all threads.
#include "bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "fem/projective.h"
#include "geometry/generate/grid_mesh.h"
#include "math/rotation_simd.h"

#include <math.h>
#include <string.h>

enum {
    COUNT = 4096,    // rotations of a round: inputs and outputs stay in the second-level cache
    ROUND_COUNT = 4, // rounds of a measurement
    REPEATS = 25,
    STEP_REPEATS = 100,
    CELLS = 32 // 163 840 tetrahedra
};

typedef struct rotation_arrays {
    float F[9][COUNT];
    float R[9][COUNT];
} rotation_arrays;

static void load_f8(const rotation_arrays *a, int i, pli_f8 F[9])
{
    for (int k = 0; k < 9; ++k) F[k] = pli_f8_load(&a->F[k][i]);
}

static void store_f8(rotation_arrays *a, int i, const pli_f8 R[9])
{
    for (int k = 0; k < 9; ++k) pli_f8_store(R[k], &a->R[k][i]);
}

static void run_svd(void *user)
{
    rotation_arrays *a = user;
    for (int i = 0; i < ROUND_COUNT * COUNT; i += PLI_F8_LANES) {
        pli_f8 F[9];
        pli_f8 R[9];
        load_f8(a, i % COUNT, F);
        pli_rotation_by_svd_f8(F, R);
        store_f8(a, i % COUNT, R);
    }
}

static void run_single(void *user)
{
    rotation_arrays *a = user;
    for (int i = 0; i < ROUND_COUNT * COUNT; i += PLI_F8_LANES) {
        pli_f8 F[9];
        pli_f8 R[9];
        load_f8(a, i % COUNT, F);
        pli_rotation_f8(F, R);
        store_f8(a, i % COUNT, R);
    }
}

static void run_pair(void *user)
{
    rotation_arrays *a = user;
    for (int i = 0; i < ROUND_COUNT * COUNT; i += 2 * PLI_F8_LANES) {
        pli_f8 F[18];
        pli_f8 R[18];
        load_f8(a, i % COUNT, F);
        load_f8(a, i % COUNT + PLI_F8_LANES, F + 9);
        pli_rotation_pair_f8(F, R);
        store_f8(a, i % COUNT, R);
        store_f8(a, i % COUNT + PLI_F8_LANES, R + 9);
    }
}

// Matrices of base times the identity and random numbers up to amount.
static void fill(rotation_arrays *a, float base, double amount)
{
    pli_random random = {.seed = 3, .stream = 1};
    for (uint64_t k = 0; k < 9; ++k) {
        for (uint64_t i = 0; i < COUNT; ++i) {
            double value = pli_random_range(random, 9 * i + k, -amount, amount);
            a->F[k][i] = (float)value + (k % 4 == 0 ? base : 0);
        }
    }
}

static void claim_rotations(pli_bench *bench, rotation_arrays *a)
{
    static const struct {
        const char *what;
        float base;
        double amount;
        double band_low;
    } kinds[] = {
        {"nearest rotations over decompositions, mild deformation", 1, 0.1, 3},
        {"nearest rotations over decompositions, lively deformation", 1, 0.3, 3},
        {"nearest rotations over decompositions, random matrices", 0, 1, NAN},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        fill(a, kinds[k].base, kinds[k].amount);
        double svd = pli_bench_best_seconds(run_svd, a, REPEATS);
        double single = pli_bench_best_seconds(run_single, a, REPEATS);
        double pair = pli_bench_best_seconds(run_pair, a, REPEATS);
        double count = ROUND_COUNT * COUNT;
        pli_bench_note(bench, "one thread: %.0f M rotations/s in pairs, %.0f single, %.0f by svd",
                       1e-6 * count / pair, 1e-6 * count / single, 1e-6 * count / svd);
        double low = kinds[k].band_low;
        pli_bench_claim(bench, &(pli_claim){"rotation", kinds[k].what, "-", svd / pair, "x", low,
                                            isnan(low) ? NAN : INFINITY});
    }
}

// ---- a mesh

typedef struct step_bench {
    pli_projective *projective;
    int64_t unknowns;
    double *x; // [vertex_count][3] a deformed state
    double *g;
    pli_projective_report report;
    double step_seconds; // of a local step inside a team
} step_bench;

static void run_gradient(void *user)
{
    step_bench *b = user;
    pli_projective_term.add_gradient(b->projective, b->x, b->g);
}

// Local steps as a minimiser does them: with a team standing by.
static void time_gradient(void *user)
{
    step_bench *b = user;
    b->step_seconds = pli_bench_best_seconds(run_gradient, b, STEP_REPEATS);
}

static void run_measure(void *user)
{
    step_bench *b = user;
    pli_projective_measure(b->projective, b->x, &b->report);
}

// A smooth deformation with stretch and shear.
static void deform(const pli_tet_mesh *mesh, double *x)
{
    for (int64_t k = 0; k < mesh->vertex_count; ++k) {
        const double *X = mesh->points + 3 * k;
        x[3 * k] = X[0] + 0.1 * sin(9 * X[1]);
        x[3 * k + 1] = 1.3 * X[1] + 0.1 * sin(7 * X[2]);
        x[3 * k + 2] = 0.8 * X[2] + 0.1 * sin(8 * X[0] * X[1]);
    }
}

static void claim_steps(pli_bench *bench, step_bench *b, double tets)
{
    // flops of a tetrahedron, a fused product counted as two: F 54, rotation 320, forces 84;
    // bytes: 48 of geometry, and for each of some 0.5 vertices per tetrahedron and chunk 24 read,
    // 48 read and written, 4 of its number
    const double flops = 458;
    const double bytes = 48 + 0.5 * 76;
    double alone = pli_bench_best_seconds(run_gradient, b, STEP_REPEATS);
    pli_parallel_team(pli_bench_context(bench), time_gradient, b);
    double step = b->step_seconds;
    double measure = pli_bench_best_seconds(run_measure, b, STEP_REPEATS);
    int threads = (int)pli_context_thread_count(pli_bench_context(bench));
    pli_bench_note(bench,
                   "%.0f tetrahedra, %d threads: local step %.2f ms (%.2f ms without a team), "
                   "report %.2f ms; %.1f GB/s, %.0f Gflop/s",
                   tets, threads, 1e3 * step, 1e3 * alone, 1e3 * measure,
                   1e-9 * bytes * tets / step, 1e-9 * flops * tets / step);
    pli_bench_claim(bench, &(pli_claim){"local-step", "local step of projective dynamics", "-",
                                        1e-6 * tets / step, "M tets/s", NAN, NAN});
    pli_bench_claim(bench, &(pli_claim){"local-step", "local step, share of copy bandwidth", "-",
                                        bytes * tets / step / pli_bench_copy_bandwidth(bench), "",
                                        NAN, NAN});
}

static pli_status bench_mesh(pli_bench *bench, step_bench *b, const pli_tet_mesh *mesh)
{
    pli_context *context = pli_bench_context(bench);
    double *mu = PLI_NEW(context, double, mesh->tet_count, "moduli");
    pli_status status = PLI_ERROR_MEMORY;
    b->unknowns = 3 * (int64_t)mesh->vertex_count;
    b->x = PLI_NEW(context, double, b->unknowns, "deformed state");
    b->g = PLI_NEW(context, double, b->unknowns, "gradient");
    if (mu == NULL || b->x == NULL || b->g == NULL) goto done;
    for (int32_t tet = 0; tet < mesh->tet_count; ++tet) mu[tet] = 1e5;
    pli_projective_def def = {mesh->vertex_count, mesh->tet_count, mesh->points, mesh->tets, mu};
    status = pli_projective_create(context, &def, &b->projective);
    if (status != PLI_OK) goto done;
    deform(mesh, b->x);
    claim_steps(bench, b, mesh->tet_count);

done:
    pli_projective_destroy(b->projective);
    pli_release(context, b->g);
    pli_release(context, b->x);
    pli_release(context, mu);
    return status;
}

pli_status pli_bench_kernels_projective(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    rotation_arrays *arrays = PLI_NEW(context, rotation_arrays, 1, "matrices");
    if (arrays == NULL) return PLI_ERROR_MEMORY;
    claim_rotations(bench, arrays);
    pli_release(context, arrays);

    pli_tet_mesh *mesh = NULL;
    step_bench b = {0};
    pli_grid_mesh_def grid = {{{0, 0, 0}, {1, 1, 1}}, {CELLS, CELLS, CELLS}, PLI_GRID_MESH_FIVE};
    pli_status status = pli_grid_mesh_create(context, &grid, &mesh);
    if (status == PLI_OK) status = pli_tet_mesh_reorder(mesh);
    if (status == PLI_OK) status = bench_mesh(bench, &b, mesh);
    pli_tet_mesh_destroy(mesh);
    return status;
}
