// SPDX-License-Identifier: Apache-2.0
//
// What Wang et al. 2020 say of single scenes, on courses of the table.
#include "s0.h"

#include "base/context.h"
#include "base/timers.h"
#include "sim/model/state.h"
#include "sim/step/matter_implicit.h"

#include <math.h>
#include <stdio.h>

static double per_step(int64_t count, const pli_s0_tally *tally)
{
    return (double)count / pli_s0_begun(tally);
}

// ---- Q0-18: smoothers; and precision

typedef struct variant {
    const char *claim;
    const char *what;
    const char *paper;
    pli_s0_method method;
} variant;

static const variant variants[] = {
    {"Q0-18",
     "damped Jacobi instead of Gauss-Seidel",
     "unreliable",
     {.name = "jacobi", .solver = "hot", .override = "solver.grid.smoother=jacobi"}},
    {"Q0-18",
     "Chebyshev instead of Gauss-Seidel",
     "unreliable",
     {.name = "chebyshev", .solver = "hot", .override = "solver.grid.smoother=chebyshev"}},
    {"S0-single",
     "double precision in cycles",
     "-",
     {.name = "double", .solver = "hot", .override = "solver.grid.precision=double"}},
    {"S0-restarts",
     "without restarts of L-BFGS",
     "-",
     {.name = "plain", .solver = "hot", .override = "solver.grid.restarts=false"}},
    {"S0-again", "hot once more", "-", {.name = "again", .solver = "hot"}},
};

pli_status pli_s0_smoothers(const pli_s0_course *course)
{
    for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k) {
        const variant *v = &variants[k];
        pli_s0_tally tally;
        char what[96];
        PLI_TRY(pli_s0_course_run(course, &v->method, 8, &tally));
        snprintf(what, sizeof what, "twist, %s: iterations over hot's%s", v->what,
                 tally.cut ? ", cut off" : "");
        double iterations = per_step(tally.iterations, &tally);
        pli_bench_claim(course->bench, &(pli_claim){v->claim, what, v->paper,
                                                    iterations / per_step(course->tally.iterations,
                                                                          &course->tally),
                                                    "x", NAN, NAN});
        snprintf(what, sizeof what, "twist, %s: time over hot's%s", v->what,
                 tally.cut ? ", cut off" : "");
        pli_bench_claim(course->bench,
                        &(pli_claim){v->claim, what, v->paper, tally.ratio, "x", NAN, NAN});
    }
    return PLI_OK;
}

// ---- Q0-11: one level is not enough

void pli_s0_stubborn(const pli_s0_course *course, const pli_s0_tally *one_level)
{
    double theirs = per_step(one_level->iterations, one_level);
    double ours = per_step(course->tally.iterations, &course->tally);
    pli_bench_note(
        course->bench,
        "wheel, lbfgs-h: %.1f iterations a step of %.0f linear ones each, %lld solves at "
        "the limit%s; hot %.1f; paper 400 of up to 10000",
        theirs, (double)one_level->linear_iterations / (double)one_level->iterations,
        (long long)one_level->capped, one_level->cut ? ", cut off" : "", ours);
    pli_bench_claim(course->bench, &(pli_claim){"Q0-11", "wheel: iterations of lbfgs-h over hot's",
                                                "> 10", theirs / ours, "x", 10, INFINITY});
}

// ---- Q0-14: preconditioners

// Newton with conjugate gradients and a cycle whose coarse matrices are summed over particles; with
// the embedding of the paper, and with that of hot
enum { QUADRATIC, LINEAR, GEOMETRIC };

#define GEOMETRIC_METHOD(kind)                                                                   \
    {                                                                                            \
        .assembled = true, .preconditioner = PLI_NODE_GEOMETRIC_CYCLE, .rule = PLI_NODE_INEXACT, \
        .embedding = kind, .coarsest_tolerance = 1e-2                                            \
    }

static const pli_grid_method geometric_methods[GEOMETRIC] = {
    [QUADRATIC] = GEOMETRIC_METHOD(PLI_EMBEDDING_QUADRATIC),
    [LINEAR] = GEOMETRIC_METHOD(PLI_EMBEDDING_LINEAR)};

static const char *const embeddings[GEOMETRIC] = {[QUADRATIC] = "quadratic", [LINEAR] = "linear"};

static pli_status run_geometric(const pli_s0_course *course, int embedding, pli_s0_tally *tally)
{
    const pli_solver_kind kind = {
        .info = {"pn-gmg", "pn-mgpcg with coarse matrices that are summed over particles",
                 "baseline of Wang et al. 2020, figure 19"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &geometric_methods[embedding]};
    const pli_s0_method method = {
        .name = "pn-gmg", .solver = "pn-mgpcg", .work = 1.5, .kind = &kind};
    return pli_s0_course_run(course, &method, 8, tally);
}

pli_status pli_s0_preconditioners(const pli_s0_course *course, const pli_s0_tally *jacobi,
                                  const pli_s0_tally *embedded)
{
    double plain = per_step(jacobi->linear_iterations, jacobi);
    double ours = per_step(embedded->linear_iterations, embedded);
    pli_bench_note(course->bench,
                   "armacat-stiff, conjugate gradients a step: %.1f with block Jacobi, %.1f with "
                   "node embedding",
                   plain, ours);
    pli_bench_claim(course->bench,
                    &(pli_claim){"Q0-14", "armacat-stiff: fewer with node embedding than Jacobi",
                                 "10", plain / ours, "x", 5, 20});
    for (int k = 0; k < GEOMETRIC; ++k) {
        pli_s0_tally tally;
        char what[96];
        PLI_TRY(run_geometric(course, k, &tally));
        double count = per_step(tally.linear_iterations, &tally);
        pli_bench_note(course->bench, "  %.1f with levels of particles, %s embedding%s", count,
                       embeddings[k], tally.cut ? ", cut off" : "");
        snprintf(what, sizeof what, "the same with a geometric multigrid, %s embedding",
                 embeddings[k]);
        pli_bench_claim(course->bench, &(pli_claim){"Q0-14", what, "5", plain / count, "x", 2, 10});
        snprintf(what, sizeof what, "time of it over that with Jacobi, %s embedding%s",
                 embeddings[k], tally.cut ? ", cut off" : "");
        pli_bench_claim(course->bench, &(pli_claim){"Q0-14", what, "3", tally.ratio / jacobi->ratio,
                                                    "x", 2, INFINITY});
    }
    return PLI_OK;
}

// ---- Q0-12: a tolerance that does not fit

// Frames of gast15 with a tolerance of 100 kg m/s, as many as lead to the course, unless that takes
// half as long as by hot.
static pli_status run_loose(const pli_s0_course *course, pli_bench_scene *scene)
{
    int32_t steps = course->def->lead * pli_scene_get(scene->scene)->time.steps_per_frame;
    pli_bench_tally tally;
    scene->deadline = pli_clock_seconds() + fmax(5, 0.5 * course->lead_seconds);
    return pli_bench_scene_steps(scene, steps, false, &tally);
}

// The mean way of particles from the start of a scene (m).
static pli_status measure_way(const pli_model *model, const pli_state *to, double *way)
{
    pli_state *start = NULL;
    PLI_TRY(pli_state_create(model, &start));
    pli_status status = pli_bench_mean_distance(start, to, start->matter.next_id, way);
    pli_state_destroy(start);
    return status;
}

static const char *name_outcome(double energy, double distance)
{
    if (!(distance > 0.1)) return "works";
    return energy > 2 ? "explodes" : "does not follow";
}

static pli_status tell_loose(const pli_s0_course *course, pli_bench_scene *scene, const char *name,
                             const char *paper, bool *wrong)
{
    pli_step_report loose, hot;
    double distance, way, cell = course->hot.info.cell;
    char what[96];
    PLI_TRY(pli_solver_measure(scene->solver, scene->state, &loose));
    PLI_TRY(pli_solver_measure(scene->solver, course->led, &hot));
    PLI_TRY(
        pli_bench_mean_distance(scene->state, course->led, course->led->matter.next_id, &distance));
    PLI_TRY(measure_way(scene->model, course->led, &way));
    double energy = loose.energy.kinetic / hot.energy.kinetic;
    *wrong = distance > 0.1 * cell;
    pli_bench_note(course->bench,
                   "%s by gast15 with 100 kg m/s over %.3g of %.3g s: %s (paper: %s); kinetic and "
                   "elastic energy %.3g and %.3g J, by hot %.3g and %.3g",
                   name, pli_state_get(scene->state).time, pli_state_get(course->led).time,
                   name_outcome(energy, distance / cell), paper, loose.energy.kinetic,
                   loose.energy.elastic, hot.energy.kinetic, hot.energy.elastic);
    snprintf(what, sizeof what, "%s by gast15, tolerance 100: kinetic energy over hot's", name);
    pli_bench_claim(course->bench, &(pli_claim){"Q0-12", what, paper, energy, "x", NAN, NAN});
    snprintf(what, sizeof what, "the same: distance from hot's, of a way of %.3g cells",
             way / cell);
    pli_bench_claim(course->bench,
                    &(pli_claim){"Q0-12", what, "-", distance / cell, "cells", NAN, NAN});
    return PLI_OK;
}

pli_status pli_s0_loose(const pli_s0_course *course, const char *name, const char *paper,
                        bool *wrong)
{
    const char *all[PLI_S0_OVERRIDES + 3] = {"solver.name=gast15", "solver.tolerance=100"};
    for (int32_t k = 0; course->def->overrides[k] != NULL; ++k) {
        all[k + 2] = course->def->overrides[k];
    }
    pli_bench_scene scene;
    PLI_TRY(pli_bench_scene_init(&scene, course->bench, course->def->scene, all));
    pli_status status = run_loose(course, &scene);
    if (status == PLI_OK) status = tell_loose(course, &scene, name, paper, wrong);
    pli_bench_scene_clear(&scene);
    return status;
}
