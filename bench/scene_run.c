// SPDX-License-Identifier: Apache-2.0
#include "scene_run.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/timers.h"
#include "embedded.h"
#include "math/vec3.h"
#include "sim/model/state.h"

#include <math.h>
#include <string.h>

static const pli_cli_embedded *find_scene(const char *name)
{
    for (int32_t k = 0; k < pli_cli_embedded_scene_count; ++k) {
        if (strcmp(pli_cli_embedded_scenes[k].name, name) == 0) return &pli_cli_embedded_scenes[k];
    }
    return NULL;
}

bool pli_bench_has_scene(const char *name)
{
    return find_scene(name) != NULL;
}

static pli_status build(pli_bench_scene *s, const char *text, int64_t length, const char *name,
                        const char *const *overrides)
{
    pli_load_def def = {.sets = overrides};
    while (overrides != NULL && overrides[def.set_count] != NULL) ++def.set_count;
    PLI_TRY(pli_scene_parse(s->context, text, length, name, &def, &s->scene));
    PLI_TRY(pli_model_create(s->context, s->scene, NULL, &s->model));
    PLI_TRY(pli_state_create(s->model, &s->state));
    PLI_TRY(pli_solver_create(s->model, &s->solver));
    s->info = pli_model_get_info(s->model);
    return PLI_OK;
}

pli_status pli_bench_scene_init(pli_bench_scene *s, pli_bench *bench, const char *name,
                                const char *const *overrides)
{
    *s = (pli_bench_scene){.context = pli_bench_context(bench)};
    const pli_cli_embedded *text = find_scene(name);
    if (text == NULL) {
        return PLI_FAIL(s->context, PLI_ERROR_SCENE, "there is no shipped scene %s", name);
    }
    pli_status status = build(s, text->begin, text->end - text->begin, name, overrides);
    if (status != PLI_OK) pli_bench_scene_clear(s);
    return status;
}

pli_status pli_bench_scene_parse(pli_bench_scene *s, pli_bench *bench, const char *text)
{
    *s = (pli_bench_scene){.context = pli_bench_context(bench)};
    pli_status status = build(s, text, (int64_t)strlen(text), "bench", NULL);
    if (status != PLI_OK) pli_bench_scene_clear(s);
    return status;
}

void pli_bench_scene_clear(pli_bench_scene *s)
{
    pli_solver_destroy(s->solver);
    pli_state_destroy(s->state);
    pli_model_destroy(s->model);
    pli_scene_destroy(s->scene);
    *s = (pli_bench_scene){0};
}

static bool is_too_late(void *user)
{
    const pli_bench_scene *s = user;
    return s->deadline > 0 && pli_clock_seconds() > s->deadline;
}

static void add_collisions(const pli_step_report *report, pli_bench_tally *tally)
{
    if (!report->collides) return;
    tally->min_gap = fmin(tally->min_gap, report->min_gap);
    tally->max_depth = fmax(tally->max_depth, report->max_depth);
    tally->collider_depth = fmax(tally->collider_depth, -report->min_gap);
    tally->friction_work = tally->steps == 1 ? report->friction_work
                                             : fmax(tally->friction_work, report->friction_work);
    for (int32_t k = 0; k < report->phase_count; ++k) {
        const char *phase = report->phase_name[k];
        if (strcmp(phase, "broad phase") == 0 || strcmp(phase, "contact") == 0) {
            tally->contact_seconds += report->phase_seconds[k];
        }
    }
}

static void add_phases(const pli_step_report *report, pli_bench_tally *tally)
{
    for (int32_t k = 0; k < report->phase_count; ++k) {
        int32_t at = 0;
        while (at < tally->phase_count &&
               strcmp(tally->phase_name[at], report->phase_name[k]) != 0) {
            ++at;
        }
        if (at == PLI_REPORT_PHASES) continue;
        if (at == tally->phase_count)
            tally->phase_name[tally->phase_count++] = report->phase_name[k];
        tally->phase_seconds[at] += report->phase_seconds[k];
    }
}

static void add_step(const pli_step_report *report, pli_bench_tally *tally)
{
    ++tally->steps;
    tally->failures += report->stop <= 0;
    tally->solves += report->iterations;
    tally->linear_iterations += report->linear_iterations;
    tally->energy_evaluations += report->energy_evaluations;
    tally->seconds += report->seconds;
    tally->inverted = report->inverted;
    tally->min_J = report->min_J;
    if (report->inverted > tally->max_inverted) tally->max_inverted = report->inverted;
    tally->least_J = fmin(tally->least_J, report->min_J);
    tally->kinetic = report->energy.kinetic;
    tally->peak_kinetic = fmax(tally->peak_kinetic, report->energy.kinetic);
    add_collisions(report, tally);
    add_phases(report, tally);
}

void pli_bench_tally_add(const pli_bench_tally *later, pli_bench_tally *sum)
{
    sum->steps += later->steps;
    sum->failures += later->failures;
    sum->unfinished = sum->unfinished || later->unfinished;
    sum->solves += later->solves;
    sum->linear_iterations += later->linear_iterations;
    sum->energy_evaluations += later->energy_evaluations;
    sum->seconds += later->seconds;
    sum->inverted = later->inverted;
    sum->min_J = later->min_J;
    if (later->max_inverted > sum->max_inverted) sum->max_inverted = later->max_inverted;
    sum->min_gap = fmin(sum->min_gap, later->min_gap);
    sum->least_J = fmin(sum->least_J, later->least_J);
}

pli_status pli_bench_scene_steps(pli_bench_scene *s, int32_t steps, bool stop_at_failure,
                                 pli_bench_tally *tally)
{
    *tally = (pli_bench_tally){.least_J = INFINITY, .min_gap = INFINITY};
    pli_solver_set_hooks(s->solver, &(pli_solver_hooks){.cancel = is_too_late, .cancel_user = s});
    for (int32_t k = 0; k < steps; ++k) {
        pli_step_report report;
        pli_status status = pli_solver_step(s->solver, s->state, &report);
        tally->unfinished = status == PLI_ERROR_INTERRUPTED;
        if (tally->unfinished) return PLI_OK;
        PLI_TRY(status);
        add_step(&report, tally);
        if (report.stop == PLI_STOP_NONFINITE) break;
        if (report.stop <= 0 && stop_at_failure) break;
    }
    return PLI_OK;
}

pli_status pli_bench_scene_run(pli_bench *bench, const char *name, const char *const *overrides,
                               pli_bench_limits limits, pli_bench_tally *tally,
                               pli_model_info *info)
{
    pli_bench_scene s;
    *tally = (pli_bench_tally){0};
    PLI_TRY(pli_bench_scene_init(&s, bench, name, overrides));
    if (limits.seconds > 0) s.deadline = pli_clock_seconds() + limits.seconds;
    const pli_time_def *time = &pli_scene_get(s.scene)->time;
    pli_status status = pli_bench_scene_steps(&s, time->frames * time->steps_per_frame,
                                              limits.stop_at_failure, tally);
    if (info != NULL) *info = s.info;
    pli_bench_scene_clear(&s);
    return status;
}

// ---- distances

// Rows of particles by their ids; -1: there is no such particle. NULL: no memory.
static int32_t *index_by_id(pli_context *context, const pli_particle_view *view, int64_t *count)
{
    *count = 0;
    for (int64_t k = 0; k < view->count; ++k) {
        if (view->ids[k] >= *count) *count = (int64_t)view->ids[k] + 1;
    }
    int32_t *rows = PLI_NEW(context, int32_t, *count, "particles by id");
    for (int64_t id = 0; rows != NULL && id < *count; ++id) rows[id] = -1;
    for (int64_t k = 0; rows != NULL && k < view->count; ++k) {
        rows[view->ids[k]] = (int32_t)k;
    }
    return rows;
}

pli_status pli_bench_mean_distance(const pli_state *a, const pli_state *b, int64_t first_emitted,
                                   double *mean)
{
    int64_t count = 0, compared = 0;
    double sum = 0;
    pli_particle_view from = pli_state_get(a).particles;
    pli_particle_view to = pli_state_get(b).particles;
    int32_t *rows = index_by_id(a->context, &to, &count);
    if (rows == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < from.count; ++k) {
        int32_t id = from.ids[k];
        if (id >= first_emitted || id >= count || rows[id] < 0) continue;
        sum += pli_vec3_distance(from.positions + 3 * k, to.positions + 3 * (int64_t)rows[id]);
        ++compared;
    }
    pli_release(a->context, rows);
    *mean = compared > 0 ? sum / (double)compared : 0;
    return PLI_OK;
}
