// SPDX-License-Identifier: Apache-2.0
//
// Energy, gradient and Hessian of the springs of a cloth of 201 x 201 vertices: springs per second,
// and the ratio to plain scalar code that adds the force of one spring after the other to its ends.
#include "scene_run.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>

enum { REPEATS = 20 };

typedef struct springs_bench {
    pli_solver *solver;
    double *x; // [vertex_count][3] a deformed state
    double *g;
    pli_sum energy;
} springs_bench;

static void run_energy(void *user)
{
    springs_bench *b = user;
    b->energy = pli_spring_term.energy(pli_solver_meshes(b->solver)->springs, b->x);
}

static void run_gradient(void *user)
{
    springs_bench *b = user;
    pli_spring_term.add_gradient(pli_solver_meshes(b->solver)->springs, b->x, b->g);
}

static void run_hessian(void *user)
{
    springs_bench *b = user;
    pli_spring_term.add_hessian(pli_solver_meshes(b->solver)->springs, b->x, true,
                                pli_solver_meshes(b->solver)->objective.H);
}

static void run_scalar(void *user)
{
    springs_bench *b = user;
    const pli_spring_net *net = pli_solver_meshes(b->solver)->springs;
    for (int64_t s = 0; s < net->spring_count; ++s) {
        double *g_i = b->g + 3 * (int64_t)net->ends[2 * s];
        double *g_j = b->g + 3 * (int64_t)net->ends[2 * s + 1];
        double d[3];
        pli_vec3_subtract(b->x + (g_j - b->g), b->x + (g_i - b->g), d);
        double force = net->stiffness[s] * (1 - net->rest_length[s] / pli_vec3_norm(d));
        pli_vec3_add_scaled(g_i, -force, d, g_i);
        pli_vec3_add_scaled(g_j, force, d, g_j);
    }
}

// A smooth deformation with stretch and compression.
static void deform(const pli_model *model, double *x)
{
    for (int64_t k = 0; k < model->vertex_count; ++k) {
        const double *X = model->rest + 3 * k;
        x[3 * k] = 1.1 * X[0];
        x[3 * k + 1] = 0.1 * sin(9 * X[0] + 5 * X[2]);
        x[3 * k + 2] = 0.9 * X[2] + 0.02 * sin(20 * X[0]);
    }
}

static void claim_rates(pli_bench *bench, springs_bench *b)
{
    double springs = pli_solver_meshes(b->solver)->springs->spring_count;
    double energy = pli_bench_best_seconds(run_energy, b, REPEATS);
    double gradient = pli_bench_best_seconds(run_gradient, b, REPEATS);
    double hessian = pli_bench_best_seconds(run_hessian, b, REPEATS);
    double scalar = pli_bench_best_seconds(run_scalar, b, REPEATS);
    int threads = (int)pli_context_thread_count(pli_bench_context(bench));
    pli_bench_note(bench, "%.0f springs, %d threads: energy %.1f, gradient %.1f, Hessian %.1f ns",
                   springs, threads, 1e9 * energy / springs, 1e9 * gradient / springs,
                   1e9 * hessian / springs);
    pli_bench_claim(bench, &(pli_claim){"springs", "gradient of springs", "-",
                                        1e-6 * springs / gradient, "M springs/s", 1, INFINITY});
    pli_bench_claim(bench, &(pli_claim){"springs", "gradient of springs, speed over scalar code",
                                        "-", scalar / gradient, "x", 1, INFINITY});
}

pli_status pli_bench_kernels_springs(pli_bench *bench)
{
    static const char *yaml =
        "contact: none\n"
        "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 200, rows: 200}}}}\n";
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_parse(&s, bench, yaml));
    springs_bench b = {.solver = s.solver};
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
