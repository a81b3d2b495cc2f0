// SPDX-License-Identifier: Apache-2.0
//
// What is prepared once for the scenes of table 1: elements of the cubature over all elements, and
// the radius of clusters in edges, which the polish is chosen by. Then steps in which the affine
// level has to be done with one iteration.
//
// Both ratios depend on the elements of a cluster. At lite size the meshes have some eighth of the
// paper's, so the claims are about as many fewer handles, which gives clusters of the paper's size;
// what comes of the handles that the solver chooses by itself is told beside it. At last, what it
// takes to prepare a body of 200,000 tetrahedra, over steps of a direct solver in the full space.
#include "s1.h"
#include "scene_run.h"

#include "base/context.h"
#include "multilevel/space.h"
#include "sim/model/subspace_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A row of table 1.
typedef struct setup_row {
    const char *scene;
    const char *paper_size[2];
    double tets;     // of the paper
    double cubature; // elements, of the paper
    double unknowns; // of the subspace, of the paper: 12 for a handle
} setup_row;

static const setup_row rows[] = {
    {"contact/lattice-hoop",
     {"bodies.ball.geometry.fill.vertices=58000", "bodies.hoop.geometry.fill.vertices=25000"},
     229e3,
     94e3,
     2e3},
    {"contact/lattice-ball", {"bodies.ball.geometry.fill.vertices=61000"}, 168e3, 33e3, 1.5e3},
    {"contact/koosh", {"bodies.koosh.geometry.fill.vertices=150000"}, 450e3, 13e3, 4.8e3},
    {"mixed/shoe", {"bodies.shoe.geometry.fill.vertices=200000"}, 875e3, 10e3, 756},
    {"contact/foam-roller",
     {"bodies.roller.geometry.fill.vertices=50000", "bodies.ground.geometry.fill.vertices=60000"},
     516e3,
     34e3,
     2.1e3},
    {"mixed/stressball", {"bodies.ball.geometry.fill.vertices=100000"}, 539e3, 99e3, 3e3},
    {"mixed/jello",
     {"bodies.jello.geometry.grid.cells=[70,23,70]", "bodies.anvil.geometry.fill.vertices=30000"},
     813e3,
     19e3,
     1.5e3},
};

enum { ROWS = sizeof rows / sizeof *rows };

// ---- Q1-6, 7

// What came of preparing a scene.
typedef struct setup {
    int32_t tets;
    int32_t handles;
    double share;  // elements of the cubature over all
    double radius; // of clusters, edges
} setup;

static pli_status prepare(pli_bench *bench, const setup_row *row, int32_t handles, setup *made)
{
    char solver[128];
    pli_bench_scene s;
    const char *overrides[4] = {solver};
    if (pli_bench_is_paper_size(bench)) {
        for (int k = 0; k < 2; ++k) overrides[1 + k] = row->paper_size[k];
    }
    snprintf(solver, sizeof solver, "solver={name: %s, subspace: {hessian: cubature, handles: %d}}",
             PLI_S1_OURS, (int)handles);
    PLI_TRY(pli_bench_scene_init(&s, bench, row->scene, overrides));
    const pli_reduction *reduction = s.model->reduction;
    *made = (setup){.tets = s.info.tet_count,
                    .handles = s.info.handle_count,
                    .share = (double)s.info.cubature_count / s.info.tet_count,
                    .radius = reduction->partition->hop_radius};
    pli_bench_note(bench,
                   "%s: %d handles on %d tetrahedra, cubature of %d, radius %.1f edges, polish %d; "
                   "prepared in %.1f s",
                   row->scene, (int)made->handles, (int)made->tets, (int)s.info.cubature_count,
                   made->radius, (int)s.info.polish_iterations, reduction->seconds);
    pli_bench_scene_clear(&s);
    return PLI_OK;
}

static pli_status run_row(pli_bench *bench, const setup_row *row)
{
    setup own;
    setup made;
    char what[96];
    char paper[32];
    PLI_TRY(prepare(bench, row, 0, &own));
    double handles = row->unknowns / PLI_HANDLE_DOFS * own.tets / row->tets;
    PLI_TRY(prepare(bench, row, (int32_t)fmax(1, round(handles)), &made));
    double share = row->cubature / row->tets;
    snprintf(what, sizeof what, "%s: cubature over tetrahedra, clusters as large as the paper's",
             row->scene);
    snprintf(paper, sizeof paper, "%.2g", share);
    pli_bench_claim(bench, &(pli_claim){"Q1-6", what, paper, made.share, "", 0, 3 * share});
    snprintf(what, sizeof what, "%s: radius of clusters as large as the paper's", row->scene);
    pli_bench_claim(bench, &(pli_claim){"Q1-7", what, "20 to 40", made.radius, "edges", 10, 60});
    return PLI_OK;
}

// ---- Q1-5

enum { STEPS = 10 };

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Iterations of the affine level for a direction, of the step in the middle.
static pli_status run_affine(pli_bench *bench, const char *name, const char *override)
{
    char what[96];
    double each[STEPS];
    pli_bench_scene s;
    pli_status status = PLI_OK;
    int32_t contacts = 0;
    PLI_TRY(pli_bench_scene_init(&s, bench, name,
                                 (const char *[]){"solver={name: " PLI_S1_OURS
                                                  ", subspace: {preconditioner: blocks}}",
                                                  override, NULL}));
    for (int k = 0; k < STEPS && status == PLI_OK; ++k) {
        pli_step_report report;
        status = pli_solver_step(s.solver, s.state, &report);
        if (status != PLI_OK) break;
        each[k] = (double)report.levels.affine_iterations / fmax(1, report.levels.directions);
        contacts += report.contacts > 0;
    }
    pli_bench_scene_clear(&s);
    if (status != PLI_OK) return status;
    qsort(each, STEPS, sizeof *each, compare_doubles);
    pli_bench_note(bench,
                   "%s: %d steps, %d with contact, iterations of the affine level %.2f to %.2f",
                   name, STEPS, (int)contacts, each[0], each[STEPS - 1]);
    snprintf(what, sizeof what, "%s: iterations of the affine level, median of steps", name);
    pli_bench_claim(bench,
                    &(pli_claim){"Q1-5", what, "1", each[STEPS / 2], "iterations", 0.5, 1.5});
    return PLI_OK;
}

// ---- time of preparation

enum { TIMED_STEPS = 3, PAID_STEPS = 30 };

// Seconds of a step in flight, the cheapest there is.
static pli_status time_flight(pli_bench *bench, const char *size, double *seconds)
{
    pli_bench_scene s;
    pli_bench_tally tally;
    const char *overrides[] = {size, "solver={name: " PLI_S1_DIRECT "}",
                               "bodies.ball.position=[0,1,0]", NULL};
    PLI_TRY(pli_bench_scene_init(&s, bench, "contact/lattice-ball", overrides));
    pli_status status = pli_bench_scene_steps(&s, TIMED_STEPS, false, &tally);
    pli_bench_scene_clear(&s);
    *seconds = tally.seconds / TIMED_STEPS;
    return status;
}

static pli_status run_preparation(pli_bench *bench)
{
    const char *size = "bodies.ball.geometry.fill.vertices=46000";
    const char *overrides[] = {size, "solver={name: " PLI_S1_OURS ", subspace: {handles: 170}}",
                               NULL};
    double step = NAN;
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_init(&s, bench, "contact/lattice-ball", overrides));
    double preparation = s.model->reduction->seconds;
    int32_t tets = s.info.tet_count;
    int32_t handles = s.info.handle_count;
    pli_bench_scene_clear(&s);
    PLI_TRY(time_flight(bench, size, &step));
    pli_bench_note(bench,
                   "contact/lattice-ball: %d handles on %d tetrahedra prepared in %.1f s; a "
                   "step of %s in "
                   "flight %.2f s",
                   (int)handles, (int)tets, preparation, PLI_S1_DIRECT, step);
    pli_bench_claim(
        bench, &(pli_claim){"Q1-1", "preparation over 30 steps of " PLI_S1_DIRECT ", 170 handles",
                            "-", preparation / (PAID_STEPS * step), "", 0, 1});
    return PLI_OK;
}

pli_status pli_bench_s1_setup(pli_bench *bench)
{
    PLI_TRY(run_affine(bench, "contact/lattice-ball", "bodies.ball.geometry.fill.vertices=2000"));
    PLI_TRY(run_affine(bench, "contact/lattice-hoop", NULL));
    for (int32_t k = 0; k < ROWS; ++k) PLI_TRY(run_row(bench, &rows[k]));
    return run_preparation(bench);
}
