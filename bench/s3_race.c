// SPDX-License-Identifier: Apache-2.0
#include "s3_race.h"

#include "base/context.h"
#include "mpm_bodies.h"
#include "sim/step/matter_explicit.h"

#include <math.h>
#include <string.h>

static pli_status init_side(pli_bench *bench, const pli_s3_race_def *def, int side,
                            pli_bench_scene *made)
{
    static const char *const solvers[PLI_S3_SIDES] = {
        [PLI_S3_EXPLICIT] = "solver.name=explicit", [PLI_S3_REGIONAL] = "solver.name=regional"};
    const char *all[PLI_S3_OVERRIDES + 2] = {solvers[side]};
    for (int32_t k = 0; def->overrides[k] != NULL; ++k) all[k + 1] = def->overrides[k];
    return pli_bench_scene_init(made, bench, def->scene, all);
}

// ---- what came of it

static double moving_seconds(const pli_step_report *report)
{
    double seconds = 0;
    for (int32_t k = 0; k < report->phase_count; ++k) {
        if (strcmp(report->phase_name[k], "report") != 0) seconds += report->phase_seconds[k];
    }
    return seconds;
}

static void add_steps(const pli_matter_report *matter, pli_s3_tally *tally)
{
    for (int32_t k = 0; k < PLI_REPORT_STEPS; ++k) {
        if (matter->steps[k] == 0) continue;
        double step = ldexp(matter->tick, k);
        tally->block_seconds += step * (double)matter->steps[k];
        tally->shortest = fmin(tally->shortest, step);
        tally->longest = fmax(tally->longest, step);
    }
}

static void add_report(const pli_bench_scene *s, const pli_step_report *report, pli_s3_tally *tally)
{
    const pli_matter_report *matter = &report->matter;
    int64_t bytes = pli_bench_stepper_memory(pli_solver_explicit(s->solver)->stepper);
    tally->seconds += moving_seconds(report);
    tally->schedule_seconds += matter->schedule_seconds;
    tally->block_updates += matter->block_updates;
    tally->particle_updates += matter->particle_updates;
    tally->buffer_updates += matter->buffer_updates;
    tally->retries += matter->retries;
    if (bytes > tally->bytes) tally->bytes = bytes;
    add_steps(matter, tally);
    tally->energies[++tally->sample_count] = report->energy;
}

// ---- the race

static pli_status lead_in(pli_bench_scene *s, int32_t steps)
{
    pli_step_report report;
    pli_solver_set_measuring(s->solver, false);
    for (int32_t k = 0; k < steps; ++k) PLI_TRY(pli_solver_step(s->solver, s->state, &report));
    pli_solver_set_measuring(s->solver, true);
    return PLI_OK;
}

static pli_status begin(pli_bench_scene sides[2], pli_s3_race *race)
{
    pli_step_report report;
    PLI_TRY(pli_state_copy(sides[PLI_S3_REGIONAL].state, sides[PLI_S3_EXPLICIT].state));
    for (int side = 0; side < PLI_S3_SIDES; ++side) {
        PLI_TRY(pli_solver_measure(sides[side].solver, sides[side].state, &report));
        race->tallies[side] =
            (pli_s3_tally){.shortest = INFINITY, .energies = {[0] = report.energy}};
    }
    return PLI_OK;
}

static pli_status alternate(pli_bench_scene sides[2], int32_t steps, pli_s3_race *race)
{
    for (int32_t k = 0; k < steps; ++k) {
        for (int side = 0; side < PLI_S3_SIDES; ++side) {
            pli_step_report report;
            PLI_TRY(pli_solver_step(sides[side].solver, sides[side].state, &report));
            add_report(&sides[side], &report, &race->tallies[side]);
            race->particles = report.matter.particles;
        }
    }
    return PLI_OK;
}

pli_status pli_s3_race_run(pli_bench *bench, const pli_s3_race_def *def, pli_s3_race *race)
{
    *race = (pli_s3_race){0};
    pli_bench_scene sides[PLI_S3_SIDES] = {0};
    PLI_TRY(init_side(bench, def, PLI_S3_EXPLICIT, &sides[PLI_S3_EXPLICIT]));
    pli_status status = init_side(bench, def, PLI_S3_REGIONAL, &sides[PLI_S3_REGIONAL]);
    if (status == PLI_OK) status = lead_in(&sides[PLI_S3_REGIONAL], def->lead);
    if (status == PLI_OK) status = begin(sides, race);
    int64_t first_emitted = status == PLI_OK ? sides[PLI_S3_REGIONAL].state->matter.next_id : 0;
    if (status == PLI_OK) status = alternate(sides, def->steps, race);
    race->info = sides[PLI_S3_REGIONAL].info;
    if (status == PLI_OK) {
        status =
            pli_bench_mean_distance(sides[0].state, sides[1].state, first_emitted, &race->distance);
        race->distance /= race->info.cell;
    }
    for (int side = 0; side < PLI_S3_SIDES; ++side) pli_bench_scene_clear(&sides[side]);
    return status;
}

double pli_s3_race_speed(const pli_s3_race *race)
{
    return race->tallies[PLI_S3_EXPLICIT].seconds / race->tallies[PLI_S3_REGIONAL].seconds;
}

double pli_s3_race_block_ratio(const pli_s3_race *race)
{
    return (double)race->tallies[PLI_S3_EXPLICIT].block_updates /
           (double)race->tallies[PLI_S3_REGIONAL].block_updates;
}

double pli_s3_race_fixed_ratio(const pli_s3_race *race)
{
    const pli_s3_tally *one = &race->tallies[PLI_S3_EXPLICIT];
    return one->block_seconds / one->shortest /
           (double)race->tallies[PLI_S3_REGIONAL].block_updates;
}
