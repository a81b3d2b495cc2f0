// SPDX-License-Identifier: Apache-2.0
//
// What elements cost: a cube of quadratic tetrahedra, and one of as many nodes and eight times as
// many linear or locking-free ones, which have the same nodes in the same places.
#include "scene_run.h"

#include "base/context.h"
#include "base/memory.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 3, STEPS = 3 };

typedef struct cost {
    double iteration; // s, of a Newton iteration
    double tangent;   // s, of all tangents and their assembly
    double solves;    // linear iterations of a Newton iteration
    double tets, nodes;
} cost;

typedef struct assembly {
    pli_elastic *elastic;
    pli_bcsr *H;
    const double *x;
} assembly;

static void run_hessian(void *user)
{
    assembly *a = user;
    pli_bcsr_set_zero(a->H);
    pli_elastic_term.add_hessian(a->elastic, a->x, true, a->H);
}

static pli_status measure(pli_bench *bench, const char *element, int32_t cells, const char *linear,
                          cost *found)
{
    char yaml[1024];
    snprintf(
        yaml, sizeof yaml,
        "materials: {rubber: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: "
        "0.4}}\n"
        "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [%d, %d, %d], split: six}},\n"
        "  material: rubber, element: %s, start: {stretched: {scale: [1.3, 0.8, 1.1]}}}}\n"
        "solver: {name: newton, linear: %s}\n"
        "time: {fps: 48, frames: 3}\n",
        (int)cells, (int)cells, (int)cells, element, linear);
    pli_bench_scene s;
    pli_bench_tally tally;
    PLI_TRY(pli_bench_scene_parse(&s, bench, yaml));
    pli_status status = pli_bench_scene_steps(&s, STEPS, true, &tally);
    if (status == PLI_OK && tally.failures > 0) {
        status = PLI_FAIL(s.context, PLI_ERROR_NUMERIC, "%s: a step did not converge", element);
    }
    if (status == PLI_OK) {
        pli_mesh_stepper *meshes = pli_solver_meshes(s.solver);
        assembly a = {meshes->elastic, meshes->objective.H, pli_state_get(s.state).positions};
        *found = (cost){.iteration = tally.seconds / (double)tally.solves,
                        .tangent = pli_bench_best_seconds(run_hessian, &a, REPEATS),
                        .solves = (double)tally.linear_iterations / (double)tally.solves,
                        .tets = s.info.tet_count,
                        .nodes = s.info.vertex_count};
    }
    pli_bench_scene_clear(&s);
    return status;
}

static void note_cost(pli_bench *bench, const char *element, const char *linear, const cost *c)
{
    pli_bench_note(bench,
                   "%s, %s: %.0f tetrahedra, %.0f nodes, Newton iteration %.3f s, of it %.0f "
                   "linear iterations; tangent and assembly %.3f s, %.2f M tets/s, %.2f M nodes/s",
                   element, linear, c->tets, c->nodes, c->iteration, c->solves, c->tangent,
                   1e-6 * c->tets / c->tangent, 1e-6 * c->nodes / c->tangent);
}

pli_status pli_bench_solids_cost(pli_bench *bench)
{
    static const char *const elements[3] = {"linear", "quadratic", "locking-free"};
    static const char *const solvers[2] = {"auto", "cholesky"};
    int32_t cells = pli_bench_is_paper_size(bench) ? 16 : 10;
    cost found[2][3];
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            PLI_TRY(
                measure(bench, elements[k], k == 1 ? cells : 2 * cells, solvers[i], &found[i][k]));
            note_cost(bench, elements[k], solvers[i], &found[i][k]);
        }
    }
    for (int i = 0; i < 2; ++i) {
        char what[128];
        snprintf(what, sizeof what, "Newton iteration, quadratic over linear, as many unknowns, %s",
                 i == 0 ? "iterative" : "direct");
        pli_bench_claim(bench,
                        &(pli_claim){"cost", what, "-",
                                     found[i][1].iteration / found[i][0].iteration, "x", 0, 1.5});
    }
    for (int k = 1; k < 3; ++k) {
        char what[128];
        snprintf(what, sizeof what, "tangent and assembly a node, %s over linear", elements[k]);
        double ratio =
            found[0][k].tangent / found[0][k].nodes / (found[0][0].tangent / found[0][0].nodes);
        pli_bench_claim(bench, &(pli_claim){"cost", what, "-", ratio, "x", NAN, NAN});
    }
    return PLI_OK;
}
