// SPDX-License-Identifier: Apache-2.0
//
// Energy, gradient and Hessian of about a million fixed corotated tetrahedra: tetrahedra per
// second, and the ratio to plain scalar code that works off one tetrahedron after the other.
#include "scene_run.h"

#include "base/memory.h"
#include "material/reference.h"
#include "math/mat3.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { REPEATS = 3, SCALAR_TETS = 50000 };

typedef struct fem_bench {
    pli_solver *solver;
    double *x; // [vertex_count][3] a deformed state
    double *g;
    pli_sum energy;
} fem_bench;

static void run_energy(void *user)
{
    fem_bench *b = user;
    b->energy = pli_elastic_term.energy(pli_solver_meshes(b->solver)->elastic, b->x);
}

static void run_gradient(void *user)
{
    fem_bench *b = user;
    memset(b->g, 0, 3 * (size_t)b->solver->model->vertex_count * sizeof(double));
    pli_elastic_term.add_gradient(pli_solver_meshes(b->solver)->elastic, b->x, b->g);
}

static void run_hessian(void *user)
{
    fem_bench *b = user;
    pli_bcsr_set_zero(pli_solver_meshes(b->solver)->objective.H);
    pli_elastic_term.add_hessian(pli_solver_meshes(b->solver)->elastic, b->x, true,
                                 pli_solver_meshes(b->solver)->objective.H);
}

// ---- the same Hessian in plain scalar code

// Adds the element matrix of one tetrahedron, block by block, where a search finds it.
static void add_scalar_tet(const pli_elastic *e, const double *x, int32_t tet, pli_bcsr *H)
{
    const int32_t *corners = e->tets + 4 * (int64_t)tet;
    double G[4][3] = {{0}};
    double F[9] = {0};
    for (int a = 1; a < 4; ++a) {
        for (int j = 0; j < 3; ++j) {
            G[a][j] = e->gradients[(int64_t)(3 * (a - 1) + j) * e->tet_count + tet];
            G[0][j] -= G[a][j];
        }
    }
    for (int a = 0; a < 4; ++a) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) F[3 * i + j] += x[3 * (int64_t)corners[a] + i] * G[a][j];
        }
    }
    const pli_elastic_group *group = &e->groups[0];
    int32_t count = group->end - group->begin;
    double params[2] = {group->params[tet], group->params[count + tet]};
    pli_reference_point at;
    pli_reference_evaluate(group->law, params, F, PLI_TANGENT_PROJECTED, &at);
    const double *T = at.dPdF;
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            double *block = H->values + 9 * pli_bcsr_find(H, corners[a], corners[b]);
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) {
                    double sum = 0;
                    for (int j = 0; j < 3; ++j) {
                        for (int l = 0; l < 3; ++l) {
                            sum += G[a][j] * T[9 * (3 * i + j) + 3 * k + l] * G[b][l];
                        }
                    }
                    block[3 * i + k] += e->volume[tet] * sum;
                }
            }
        }
    }
}

static void run_scalar(void *user)
{
    fem_bench *b = user;
    const pli_elastic *e = pli_solver_meshes(b->solver)->elastic;
    int32_t count = e->tet_count < SCALAR_TETS ? e->tet_count : SCALAR_TETS;
    for (int32_t tet = 0; tet < count; ++tet)
        add_scalar_tet(e, b->x, tet, pli_solver_meshes(b->solver)->objective.H);
}

// ---- the million

// A smooth deformation with stretch, shear and some inversion.
static void deform(const pli_model *model, double *x)
{
    for (int64_t k = 0; k < model->vertex_count; ++k) {
        const double *X = model->rest + 3 * k;
        x[3 * k] = X[0] + 0.1 * sin(9 * X[1]) + 0.05 * sin(40 * X[2]);
        x[3 * k + 1] = 1.3 * X[1] + 0.1 * sin(7 * X[2]);
        x[3 * k + 2] = 0.8 * X[2] + 0.1 * sin(8 * X[0] * X[1]);
    }
}

static void claim_rates(pli_bench *bench, fem_bench *b)
{
    double tets = pli_solver_meshes(b->solver)->elastic->tet_count;
    double energy = pli_bench_best_seconds(run_energy, b, REPEATS);
    double gradient = pli_bench_best_seconds(run_gradient, b, REPEATS);
    double hessian = pli_bench_best_seconds(run_hessian, b, REPEATS);
    double scalar_count = fmin(tets, SCALAR_TETS);
    double scalar = pli_bench_best_seconds(run_scalar, b, 1) * tets / scalar_count;
    int threads = (int)pli_context_thread_count(pli_bench_context(bench));
    pli_bench_note(bench, "%.0f tetrahedra, %d threads: energy %.2f M/s, gradient %.2f M/s", tets,
                   threads, 1e-6 * tets / energy, 1e-6 * tets / gradient);
    pli_bench_claim(bench, &(pli_claim){"assembly", "tangent and assembly, fixed corotated", "-",
                                        1e-6 * tets / hessian, "M tets/s", 1, INFINITY});
    pli_bench_claim(bench, &(pli_claim){"assembly", "tangent and assembly, speed over scalar code",
                                        "-", scalar / hessian, "x", 1, INFINITY});
    // bytes that must move at least: every block read and written once, geometry and slots read
    // once
    double bytes = 2.0 * 72 * (double)pli_solver_meshes(b->solver)->objective.H->block_count +
                   tets * (96 + 16 + 64);
    pli_bench_claim(bench,
                    &(pli_claim){"assembly", "tangent and assembly, share of copy bandwidth", "-",
                                 bytes / hessian / pli_bench_copy_bandwidth(bench), "", NAN, NAN});
}

pli_status pli_bench_kernels_fem(pli_bench *bench)
{
    static const char *yaml =
        "materials: {rubber: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.4}}\n"
        "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [58, 58, 58]}}, "
        "material: rubber}}\n";
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_parse(&s, bench, yaml));
    fem_bench b = {.solver = s.solver};
    int64_t unknowns = 3 * (int64_t)s.model->vertex_count;
    b.x = PLI_NEW(s.context, double, unknowns, "deformed state");
    b.g = PLI_NEW(s.context, double, unknowns, "gradient");
    pli_status status = b.x != NULL && b.g != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        deform(s.model, b.x);
        claim_rates(bench, &b);
    }
    PLI_RELEASE(s.context, b.g, b.x);
    pli_bench_scene_clear(&s);
    return status;
}
