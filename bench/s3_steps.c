// SPDX-License-Identifier: Apache-2.0
//
// The shortest and the longest step that table 1 of Fang et al. 2018 prints, from scenes at rest at
// the paper's resolution with the paper's tick: bounds by the speed of sound, rounded down to the
// ladder of powers of two.
#include "s3.h"
#include "scene_run.h"

#include "base/context.h"
#include "base/memory.h"
#include "sim/step/matter_explicit.h"

#include <math.h>
#include <stdio.h>

typedef struct step_row {
    const char *name;
    const char *scene;
    const char *overrides[3];
    const char *paper[2]; // the shortest and the longest (s)
    double steps[2];
} step_row;

static const step_row rows[] = {
    {"storks",
     "mixed/storks",
     {"domain.cell=0.004", "solver.steps.tick=8e-6"},
     {"8e-6", "6.4e-5"},
     {8e-6, 6.4e-5}},
    {"balls",
     "rubber/balls",
     {"domain.cell=0.004", "solver.steps.tick=6.4e-5"},
     {"6.4e-5", "1.024e-3"},
     {6.4e-5, 1.024e-3}},
};

// The ends of the histogram of steps with which the state would begin to move.
static pli_status find_ends(const pli_bench_scene *s, double ends[2])
{
    pli_matter_explicit *matter = pli_solver_explicit(s->solver);
    int64_t ticks = 0;
    PLI_TRY(pli_matter_load(matter, &s->state->matter));
    double tick = pli_matter_choose_tick(matter, &ticks);
    PLI_TRY(pli_stepper_set_tick(matter->stepper, tick));
    const pli_particles *particles = pli_stepper_particles(matter->stepper);
    pli_stepper_plan *plans =
        PLI_NEW(s->context, pli_stepper_plan, particles->block_count, "plans of blocks");
    if (plans == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_stepper_preview(matter->stepper, ticks, plans);
    ends[0] = INFINITY;
    ends[1] = 0;
    for (int32_t block = 0; status == PLI_OK && block < particles->block_count; ++block) {
        if (particles->blocks[block].count == 0) continue;
        ends[0] = fmin(ends[0], plans[block].step * tick);
        ends[1] = fmax(ends[1], plans[block].step * tick);
    }
    pli_release(s->context, plans);
    return status;
}

static pli_status check_row(pli_bench *bench, const step_row *row)
{
    static const char *const names[2] = {"shortest", "longest"};
    pli_bench_scene s;
    double ends[2];
    char what[96];
    PLI_TRY(pli_bench_scene_init(&s, bench, row->scene, row->overrides));
    pli_status status = find_ends(&s, ends);
    pli_bench_scene_clear(&s);
    for (int k = 0; status == PLI_OK && k < 2; ++k) {
        snprintf(what, sizeof what, "%s at the paper's size: %s step", row->name, names[k]);
        // equal but for rounding
        pli_bench_claim(bench,
                        &(pli_claim){"Q3-8", what, row->paper[k], ends[k], "s",
                                     row->steps[k] * (1 - 1e-9), row->steps[k] * (1 + 1e-9)});
    }
    return status;
}

pli_status pli_bench_s3_steps(pli_bench *bench)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) PLI_TRY(check_row(bench, &rows[k]));
    return PLI_OK;
}
