// SPDX-License-Identifier: Apache-2.0
//
// The first step of faceless with alternating directions (Fang et al. 2019) and with hot (Wang et
// al. 2020, figure 16): quick at first, slow to converge.
//
// Each takes the step several times; the fastest counts. Alternating directions are given forty
// times as long as hot; the time to the tolerance is then a bound from below.
#include "s0.h"

#include "base/context.h"
#include "base/timers.h"

#include <math.h>
#include <stdio.h>

enum { POINTS = 8192, REPEATS = 5 };

static const double tolerance = 1e-7;

// Residuals by time since the step began.
typedef struct trace {
    int32_t count;
    double seconds[POINTS];
    double residuals[POINTS];
    bool over; // ended before convergence
    double deadline;
} trace;

static void keep(void *user, const pli_iteration_report *report)
{
    trace *t = user;
    if (t->count == POINTS) return;
    t->seconds[t->count] = report->seconds;
    t->residuals[t->count++] = report->residual;
}

static bool is_over(void *user)
{
    const trace *t = user;
    return t->count == POINTS || pli_clock_seconds() > t->deadline;
}

static pli_status take_step(pli_bench_scene *scene, double seconds, trace *t)
{
    pli_step_report report;
    t->count = 0;
    t->deadline = pli_clock_seconds() + seconds;
    pli_solver_set_measuring(scene->solver, false);
    pli_solver_hooks hooks = {
        .iteration = keep, .iteration_user = t, .cancel = is_over, .cancel_user = t};
    pli_solver_set_hooks(scene->solver, &hooks);
    pli_status status = pli_solver_step(scene->solver, scene->state, &report);
    t->over = status == PLI_ERROR_INTERRUPTED;
    return t->over ? PLI_OK : status;
}

static double end_of(const trace *t)
{
    return t->seconds[t->count - 1];
}

// The fastest of several times, or the first that does not converge.
static pli_status repeat(pli_bench_scene *scene, double seconds, trace *best)
{
    static trace one;
    for (int k = 0; k <= REPEATS; ++k) {
        pli_state *start = NULL;
        PLI_TRY(pli_state_create(scene->model, &start));
        pli_status status = pli_state_copy(start, scene->state);
        pli_state_destroy(start);
        PLI_TRY(status);
        PLI_TRY(take_step(scene, seconds, &one));
        if (k == 0 || end_of(&one) < end_of(best)) *best = one;
        if (one.over) break;
    }
    return PLI_OK;
}

static pli_status run(pli_bench *bench, const char *solver, double seconds, trace *t)
{
    char name[64];
    // one piece
    const char *cut = pli_bench_is_paper_size(bench) ? "time.steps_per_frame=2" : NULL;
    const char *overrides[] = {name, "solver.max_iterations=1000000",         "solver.grid.cfl=1",
                               cut,  cut != NULL ? "domain.cell=0.01" : NULL, NULL};
    pli_bench_scene scene;
    snprintf(name, sizeof name, "solver.name=%s", solver);
    PLI_TRY(pli_bench_scene_init(&scene, bench, "rubber/bust", overrides));
    pli_status status = repeat(&scene, seconds, t);
    pli_bench_scene_clear(&scene);
    return status;
}

// The residual that a method has reached by a time (s).
static double residual_at(const trace *t, double seconds)
{
    double residual = t->residuals[0];
    for (int32_t k = 0; k < t->count && t->seconds[k] <= seconds; ++k) residual = t->residuals[k];
    return residual;
}

static void tell(pli_bench *bench, const char *name, const trace *t)
{
    pli_bench_note(bench, "faceless, first step by %s: %d iterations, residual %.3g after %.3g s%s",
                   name, (int)t->count - 1, t->residuals[t->count - 1], end_of(t),
                   t->over ? ", not converged" : "");
    for (int32_t k = 0; k < t->count && k <= 6; ++k) {
        pli_bench_note(bench, "  %d: %.3g after %.4f s", (int)k, t->residuals[k], t->seconds[k]);
    }
}

static void claim_race(pli_bench *bench, const trace *hot, const trace *admm)
{
    char what[96];
    double end = end_of(hot);
    double early = admm->seconds[admm->count > 3 ? 3 : admm->count - 1];
    snprintf(what, sizeof what, "faceless, first step: time of admm to %g over hot's%s", tolerance,
             admm->over ? ", cut off" : "");
    pli_bench_claim(bench, &(pli_claim){"Q0-10", what, "20", end_of(admm) / end, "x", 5, INFINITY});
    pli_bench_claim(
        bench, &(pli_claim){"Q0-10", "the same: residual of admm over hot's, its 3rd iteration",
                            "< 1", residual_at(admm, early) / residual_at(hot, early), "x", 0, 1});
    pli_bench_claim(
        bench, &(pli_claim){"Q0-10", "the same: residual of admm over hot's, when hot is done",
                            "> 1", residual_at(admm, end) / residual_at(hot, end), "x", NAN, NAN});
}

pli_status pli_bench_s0_first(pli_bench *bench)
{
    static trace hot, admm;
    PLI_TRY(run(bench, "hot", INFINITY, &hot));
    PLI_TRY(run(bench, "admm", fmax(5, 40 * end_of(&hot)), &admm));
    tell(bench, "hot", &hot);
    tell(bench, "admm", &admm);
    claim_race(bench, &hot, &admm);
    return PLI_OK;
}
