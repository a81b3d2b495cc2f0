// SPDX-License-Identifier: Apache-2.0
#include "s0_race.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timers.h"
#include "sim/model/model.h"
#include "sim/model/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// ---- a method on its way

typedef struct runner {
    pli_bench_scene scene;
    pli_s0_tally *tally;
    double deadline; // clock (s)
    int32_t asked;   // outer iterations begun
    int32_t allowed; // of them
    double energy;   // of the last iterate (J)
    double first;    // of the solve (J)
} runner;

static bool is_over(void *user)
{
    runner *r = user;
    return ++r->asked > r->allowed || pli_clock_seconds() > r->deadline;
}

// Counts iterations, and those that raise the energy by more than rounding of it can.
static void watch(void *user, const pli_iteration_report *report)
{
    runner *r = user;
    if (report->iteration == 0) {
        r->first = r->energy = report->energy;
        return;
    }
    ++r->tally->iterations;
    r->tally->linear_iterations += report->linear_iterations;
    double rise = report->energy - r->energy, lowered = r->first - r->energy;
    if (rise > 0) {
        ++r->tally->rises;
        r->tally->largest_rise = fmax(r->tally->largest_rise, rise / lowered);
    }
    r->energy = report->energy;
}

static double phase(const pli_step_report *report, const char *name)
{
    for (int32_t k = 0; k < report->phase_count; ++k) {
        if (strcmp(report->phase_name[k], name) == 0) return report->phase_seconds[k];
    }
    return 0;
}

static void add_report(const pli_step_report *report, pli_s0_tally *tally)
{
    const pli_grid_report *grid = &report->grid;
    tally->shortest = tally->steps == 0 ? grid->shortest : fmin(tally->shortest, grid->shortest);
    ++tally->steps;
    tally->pieces += grid->substeps;
    tally->unconverged += grid->unconverged;
    tally->matrices += grid->matrices;
    tally->solves += grid->solves;
    tally->cycles += grid->cycles;
    tally->coarsest_iterations += grid->coarsest_iterations;
    tally->capped += grid->capped;
    tally->matrix_seconds += phase(report, "matrix");
    tally->hierarchy_seconds += phase(report, "hierarchy") + phase(report, "coarsen");
    tally->linear_seconds += phase(report, "linear") + phase(report, "smooth") +
                             phase(report, "transfer") + phase(report, "coarsest");
    tally->search_seconds += phase(report, "line search");
    tally->last = *grid;
}

static void prepare(runner *r, pli_s0_tally *tally)
{
    r->tally = tally;
    r->deadline = INFINITY;
    r->allowed = INT32_MAX;
    pli_solver_set_measuring(r->scene.solver, false);
    pli_solver_hooks hooks = {
        .cancel = is_over, .cancel_user = r, .iteration = watch, .iteration_user = r};
    pli_solver_set_hooks(r->scene.solver, &hooks);
}

// One step, and what it took.
static pli_status take_step(runner *r, pli_s0_time *time)
{
    pli_step_report report;
    clock_t cpu = clock();
    double start = pli_clock_seconds();
    pli_status status = pli_solver_step(r->scene.solver, r->scene.state, &report);
    time->clock = pli_clock_seconds() - start;
    time->cpu = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    r->tally->time.clock += time->clock;
    r->tally->time.cpu += time->cpu;
    if (status == PLI_OK) add_report(&report, r->tally);
    return status;
}

// ---- hot

// Overrides of the course, then those given.
static void list_overrides(const pli_s0_course *course, const char *const *given, const char **all)
{
    int32_t count = 0;
    all[count++] = course->cut;
    all[count++] = "solver.grid.cfl=1";
    for (int32_t k = 0; course->def->overrides[k] != NULL; ++k) {
        all[count++] = course->def->overrides[k];
    }
    while (*given != NULL) all[count++] = *given++;
    all[count] = NULL;
}

static pli_status take_steps(pli_bench_scene *scene, int32_t steps)
{
    pli_step_report report;
    pli_solver_set_measuring(scene->solver, false);
    for (int32_t k = 0; k < steps; ++k) {
        PLI_TRY(pli_solver_step(scene->solver, scene->state, &report));
    }
    return PLI_OK;
}

static pli_status keep_state(const pli_s0_course *course, pli_state **kept)
{
    PLI_TRY(pli_state_create(course->hot.model, kept));
    return pli_state_copy(course->hot.state, *kept);
}

// Frames as the scene cuts them, and the state of their end with the steps of the course.
static pli_status lead(pli_s0_course *course)
{
    const pli_s0_course_def *def = course->def;
    pli_bench_scene leader;
    PLI_TRY(pli_bench_scene_init(&leader, course->bench, def->scene, def->overrides));
    int32_t cuts = pli_scene_get(leader.scene)->time.steps_per_frame;
    pli_status status = take_steps(&leader, def->lead * cuts);
    if (status == PLI_OK) status = pli_state_copy(leader.state, course->hot.state);
    course->hot.state->step = (int64_t)def->lead * def->steps_per_frame;
    pli_bench_scene_clear(&leader);
    if (status == PLI_OK) status = keep_state(course, &course->led);
    return status == PLI_OK ? take_steps(&course->hot, def->approach) : status;
}

// An iteration that is not timed, from the state that the solver is about to step.
static pli_status warm_up(runner *r)
{
    pli_s0_tally unused = {0}, *tally = r->tally;
    pli_s0_time time;
    r->tally = &unused;
    r->asked = 0;
    r->allowed = 1;
    pli_status status = take_step(r, &time);
    r->tally = tally;
    r->allowed = INT32_MAX;
    return status == PLI_ERROR_INTERRUPTED ? PLI_OK : status;
}

// Rounds of something that needs nothing but a processor.
static void spin(void *user, int64_t begin, int64_t end)
{
    double *sums = user;
    for (int64_t k = begin; k < end; ++k) {
        double x = (double)k;
        for (int round = 0; round < 1 << 16; ++round) x = 0.5 * x + 1 / (1 + x * x);
        sums[k] = x;
    }
}

// Whether the processors have something else to do: all threads do not get all of them.
static bool is_busy(const pli_context *context)
{
    enum { PARTS = 256 };
    const double share = 0.9;
    double sums[PARTS];
    clock_t cpu = clock();
    double start = pli_clock_seconds();
    pli_parallel_for(context, PARTS, 1, spin, sums);
    double seconds = pli_clock_seconds() - start;
    double used = (double)(clock() - cpu) / CLOCKS_PER_SEC;
    return used < share * seconds * pli_context_thread_count(context);
}

// Goes on to the state that the next timed step begins with.
static pli_status skip_steps(runner *r, int32_t count)
{
    pli_s0_tally *tally = r->tally;
    pli_s0_tally unused = {0};
    pli_s0_time time;
    pli_status status = PLI_OK;
    r->tally = &unused;
    for (int32_t n = 0; n < count && status == PLI_OK; ++n) status = take_step(r, &time);
    r->tally = tally;
    return status;
}

static pli_status run_hot(pli_s0_course *course)
{
    runner r = {.scene = course->hot};
    pli_s0_tally *tally = &course->tally;
    prepare(&r, tally);
    for (int32_t k = 0; k < course->def->steps; ++k) {
        PLI_TRY(keep_state(course, &course->states[k]));
        PLI_TRY(warm_up(&r));
        PLI_TRY(pli_state_copy(course->states[k], r.scene.state));
        PLI_TRY(take_step(&r, &course->times[k]));
        if (k + 1 < course->def->steps) PLI_TRY(skip_steps(&r, course->def->skip));
    }
    tally->ratio = tally->worst = 1;
    // what watches is about to go
    pli_solver_set_hooks(course->hot.solver, NULL);
    return PLI_OK;
}

pli_status pli_s0_course_init(pli_s0_course *course, pli_bench *bench, const pli_s0_course_def *def)
{
    static const char *const none[] = {NULL};
    const char *all[PLI_S0_OVERRIDES + 4];
    *course = (pli_s0_course){.bench = bench, .def = def};
    snprintf(course->cut, sizeof course->cut, "time.steps_per_frame=%d", (int)def->steps_per_frame);
    list_overrides(course, none, all);
    PLI_TRY(pli_bench_scene_init(&course->hot, bench, def->scene, all));
    double start = pli_clock_seconds();
    pli_status status = lead(course);
    course->lead_seconds = pli_clock_seconds() - start;
    if (status == PLI_OK) status = run_hot(course);
    course->busy = is_busy(pli_bench_context(bench));
    if (course->busy && status == PLI_OK) {
        pli_bench_note(bench, "the machine is busy: ratios of %s are those of processor time",
                       def->scene);
    }
    if (status != PLI_OK) pli_s0_course_clear(course);
    return status;
}

void pli_s0_course_clear(pli_s0_course *course)
{
    pli_state_destroy(course->led);
    for (int32_t k = 0; k < PLI_S0_STEPS; ++k) pli_state_destroy(course->states[k]);
    pli_bench_scene_clear(&course->hot);
    *course = (pli_s0_course){0};
}

// ---- rivals

// The most linear iterations that a method may take for one direction.
static int32_t bound_linear(const pli_s0_course *course, const pli_s0_method *method, double limit)
{
    const pli_s0_tally *hot = &course->tally;
    const double least = 100, most = 10000; // of the solvers' own
    if (!(method->work > 0) || hot->cycles == 0) return (int32_t)most;
    double cycle = hot->linear_seconds / (double)hot->cycles;
    return (int32_t)fmin(most, fmax(least, limit * hot->time.clock / (cycle * method->work)));
}

// Makes another solver, of another row than those of the table.
static pli_status replace_solver(pli_bench_scene *scene, const pli_solver_kind *kind)
{
    scene->model->solver_kind = kind;
    pli_solver_destroy(scene->solver);
    scene->solver = NULL;
    pli_status status = pli_solver_create(scene->model, &scene->solver);
    if (status != PLI_OK) pli_bench_scene_clear(scene);
    return status;
}

static pli_status init_rival(const pli_s0_course *course, const pli_s0_method *method, double limit,
                             pli_bench_scene *scene)
{
    char solver[64], bound[64];
    const char *own[] = {solver, bound, "solver.max_iterations=1000000", method->override, NULL};
    const char *all[PLI_S0_OVERRIDES + 8];
    snprintf(solver, sizeof solver, "solver.name=%s", method->solver);
    snprintf(bound, sizeof bound, "solver.linear_max_iterations=%d",
             (int)bound_linear(course, method, limit));
    list_overrides(course, own, all);
    PLI_TRY(pli_bench_scene_init(scene, course->bench, course->def->scene, all));
    return method->kind == NULL ? PLI_OK : replace_solver(scene, method->kind);
}

static double relate(const pli_s0_course *course, pli_s0_time time, pli_s0_time hot)
{
    return course->busy ? time.cpu / hot.cpu : time.clock / hot.clock;
}

static pli_status run_rival(const pli_s0_course *course, double limit, runner *r)
{
    pli_s0_tally *tally = r->tally;
    pli_s0_time hot = {0};
    PLI_TRY(pli_state_copy(course->states[0], r->scene.state));
    PLI_TRY(warm_up(r));
    double left = limit * course->tally.time.clock;
    for (int32_t k = 0; k < course->def->steps && !tally->cut; ++k) {
        pli_s0_time time;
        PLI_TRY(pli_state_copy(course->states[k], r->scene.state));
        r->deadline = pli_clock_seconds() + left;
        pli_status status = take_step(r, &time);
        tally->cut = status == PLI_ERROR_INTERRUPTED;
        if (!tally->cut) PLI_TRY(status);
        left -= time.clock;
        hot.clock += course->times[k].clock;
        hot.cpu += course->times[k].cpu;
        tally->worst = fmax(tally->worst, relate(course, time, course->times[k]));
    }
    tally->ratio = relate(course, tally->time, hot);
    return PLI_OK;
}

pli_status pli_s0_course_run(const pli_s0_course *course, const pli_s0_method *method, double limit,
                             pli_s0_tally *tally)
{
    runner r = {0};
    *tally = (pli_s0_tally){0};
    PLI_TRY(init_rival(course, method, limit, &r.scene));
    prepare(&r, tally);
    pli_status status = run_rival(course, limit, &r);
    pli_bench_scene_clear(&r.scene);
    return status;
}

int32_t pli_s0_begun(const pli_s0_tally *tally)
{
    return tally->steps + tally->cut;
}
