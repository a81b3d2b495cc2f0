// SPDX-License-Identifier: Apache-2.0
#include "scene_run.h"

#include "base/context.h"
#include "embedded.h"

#include <string.h>

static const pli_cli_embedded *find_scene(const char *name)
{
    for (int32_t k = 0; k < pli_cli_embedded_scene_count; ++k) {
        if (strcmp(pli_cli_embedded_scenes[k].name, name) == 0) return &pli_cli_embedded_scenes[k];
    }
    return NULL;
}

static pli_status load(pli_bench_scene *s, const char *name, const char *const *overrides)
{
    const pli_cli_embedded *text = find_scene(name);
    if (text == NULL) {
        return PLI_FAIL(s->context, PLI_ERROR_SCENE, "there is no shipped scene %s", name);
    }
    pli_load_def def = {.sets = overrides};
    while (overrides != NULL && overrides[def.set_count] != NULL) ++def.set_count;
    PLI_TRY(
        pli_scene_parse(s->context, text->begin, text->end - text->begin, name, &def, &s->scene));
    PLI_TRY(pli_model_create(s->context, s->scene, &s->model));
    PLI_TRY(pli_state_create(s->model, &s->state));
    PLI_TRY(pli_solver_create(s->model, &s->solver));
    pli_model_get_info(s->model, &s->info);
    return PLI_OK;
}

pli_status pli_bench_scene_init(pli_bench_scene *s, pli_bench *bench, const char *name,
                                const char *const *overrides)
{
    *s = (pli_bench_scene){.context = pli_bench_context(bench)};
    pli_status status = load(s, name, overrides);
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

pli_status pli_bench_scene_steps(pli_bench_scene *s, int32_t steps, bool stop_at_failure,
                                 pli_bench_tally *tally)
{
    *tally = (pli_bench_tally){0};
    for (int32_t k = 0; k < steps; ++k) {
        pli_step_report report;
        PLI_TRY(pli_solver_step(s->solver, s->state, &report));
        ++tally->steps;
        tally->failures += report.stop <= 0;
        tally->solves += report.iterations;
        tally->linear_iterations += report.linear_iterations;
        tally->energy_evaluations += report.energy_evaluations;
        tally->seconds += report.seconds;
        tally->inverted = report.inverted;
        tally->min_J = report.min_J;
        if (report.stop == PLI_STOP_NONFINITE) break;
        if (report.stop <= 0 && stop_at_failure) break;
    }
    return PLI_OK;
}
