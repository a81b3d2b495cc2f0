// SPDX-License-Identifier: Apache-2.0
//
// Table 1 of Fang et al. 2018: seconds with one step for all over seconds with regions.
//
// Our one step for all is the longest that all matter bears at that time; the paper's was fixed at
// the shortest of the whole run. So the ratio to a fixed step is told, too, by updates of blocks. A
// ratio of seconds can't pass that of updates of particles, copies counted, by much: where that is
// below the bar, because the shapes that stand in for the paper's have too much stiff matter, it is
// told.
//
// Two races: regions as the paper has them, which is what its figures are compared with, and ours,
// where a ring of blocks around a shorter step takes it, too (solver.steps.guard).
//
// A race is over the stretch of time in which the scene shows what it is about; regional steps
// lead there.
#include "s3.h"
#include "s3_race.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

typedef struct table_row {
    const char *claim;
    const char *name;
    const char *paper_size; // override
    const char *paper;      // speed
    double band;            // least speed
    double update_band;     // least ratio of block updates
    pli_s3_race_def race;
} table_row;

// steps of the races at lite size are parts of frames where those would take minutes
static const table_row rows[] = {
    {"Q3-1",
     "storks",
     "domain.cell=0.004",
     "2.4",
     1.5,
     1.5,
     {"mixed/storks", {"time.steps_per_frame=4"}, 4, 5}},
    {"Q3-2", "balls", "domain.cell=0.004", "4.9", 2.5, 4, {"rubber/balls", {NULL}, 12, 6}},
    {"Q3-3",
     "snow slope",
     "domain.cell=0.0025",
     "9.8",
     4,
     4,
     {"snow/slope", {"time.steps_per_frame=4"}, 16, 4}},
    {"Q3-4",
     "dragon bath",
     "domain.cell=0.0025",
     "1.7",
     1.2,
     1.2,
     {"fluid/dragon-bath", {NULL}, 18, 5}},
    {"Q3-5",
     "dragon massage",
     "domain.cell=0.0025",
     "2.6",
     1.5,
     1.5,
     {"sand/dragon-massage", {NULL}, 1, 6}},
    {"Q3-6", "combo", "domain.cell=0.0033", "1.4", 1.1, 1.1, {"mixed/combo", {NULL}, 6, 3}},
};

enum { ROWS = sizeof rows / sizeof *rows, STORKS = 0, BALLS = 1 };

// ---- one scene

static void tell_race(pli_bench *bench, const table_row *row, const pli_s3_race *race, bool guard)
{
    const pli_s3_tally *one = &race->tallies[PLI_S3_EXPLICIT];
    const pli_s3_tally *ours = &race->tallies[PLI_S3_REGIONAL];
    pli_bench_note(bench,
                   "%s%s: %lld particles, cells of %g m; %d steps of %g s after %g s; one step "
                   "%.2f s, regions %.2f s",
                   row->name, guard ? ", with a ring" : "", (long long)race->particles,
                   race->info.cell, (int)one->sample_count, race->info.dt,
                   row->race.lead * race->info.dt, one->seconds, ours->seconds);
    pli_bench_note(bench,
                   "  steps of %.3g to %.3g s for all, %.3g to %.3g s by regions; %d and %d begun "
                   "anew; copies %.1f %% of what moves",
                   one->shortest, one->longest, ours->shortest, ours->longest, (int)one->retries,
                   (int)ours->retries,
                   100.0 * (double)ours->buffer_updates /
                       (double)(ours->buffer_updates + ours->particle_updates));
    pli_bench_note(
        bench, "  energy %.4g J before; changed by %.4g J with one step, %.4g J by regions",
        one->energies[0].total, one->energies[one->sample_count].total - one->energies[0].total,
        ours->energies[ours->sample_count].total - ours->energies[0].total);
}

// A ratio that is told of every scene.
typedef struct ratio {
    const char *what;
    const char *paper;
    double value;
    double least; // NAN: only reported
} ratio;

static void claim_ratios(pli_bench *bench, const table_row *row, const pli_s3_race *race,
                         bool guard)
{
    const pli_s3_tally *ours = &race->tallies[PLI_S3_REGIONAL];
    double moved = (double)race->tallies[PLI_S3_EXPLICIT].particle_updates;
    double bound = moved / (double)(ours->particle_updates + ours->buffer_updates);
    double speed = pli_s3_race_speed(race), blocks = pli_s3_race_block_ratio(race);
    double fixed = pli_s3_race_fixed_ratio(race);
    const char *paper = row == &rows[BALLS] ? "7.7 (fixed)" : "-";
    const ratio ratios[] = {
        {"speed over one step for all", row->paper, speed, guard ? NAN : row->band},
        {"fewer updates of blocks", paper, blocks, guard ? NAN : row->update_band},
        {"fewer updates of particles", "-", moved / (double)ours->particle_updates, NAN},
        {"the same, copies counted", "-", bound, NAN},
        {"fewer updates of blocks than with a fixed step", paper, fixed, NAN},
        {"speed over a fixed step, by its updates", row->paper, speed * fixed / blocks, NAN},
    };
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; ++k) {
        char what[96];
        double end = isnan(ratios[k].least) ? NAN : INFINITY;
        snprintf(what, sizeof what, "%s%s: %s", row->name, guard ? ", with a ring" : "",
                 ratios[k].what);
        pli_bench_claim(bench, &(pli_claim){row->claim, what, ratios[k].paper, ratios[k].value, "x",
                                            ratios[k].least, end});
    }
    if (bound >= row->band || guard) return;
    pli_bench_note(bench, "  with these shapes no speed above %.2f can be expected", bound);
}

static void claim_costs(pli_bench *bench, const table_row *row, const pli_s3_race *race)
{
    char what[96];
    const pli_s3_tally *sides = race->tallies;
    bool judged = row == &rows[BALLS];
    double share = sides[PLI_S3_REGIONAL].schedule_seconds / sides[PLI_S3_REGIONAL].seconds;
    snprintf(what, sizeof what, "%s: share of time that scheduling takes", row->name);
    pli_bench_claim(bench, &(pli_claim){"Q3-7", what, judged ? "0.5" : "-", share, "",
                                        judged ? 0 : NAN, judged ? 0.5 : NAN});
    snprintf(what, sizeof what, "%s: memory over that with one step", row->name);
    pli_bench_claim(bench,
                    &(pli_claim){"Q3-9", what, "2",
                                 (double)sides[PLI_S3_REGIONAL].bytes / (double)sides[0].bytes, "x",
                                 0, 2.2});
    snprintf(what, sizeof what, "%s: mean distance of particles after the race", row->name);
    pli_bench_claim(bench, &(pli_claim){"Q3-12", what, "-", race->distance, "cells", NAN, NAN});
}

// How much less of the total energy is lost than with one step.
static void claim_energy(pli_bench *bench, const pli_s3_race *race)
{
    double lost[PLI_S3_SIDES];
    char what[96];
    for (int side = 0; side < PLI_S3_SIDES; ++side) {
        const pli_s3_tally *tally = &race->tallies[side];
        lost[side] = fabs(tally->energies[tally->sample_count].total - tally->energies[0].total);
    }
    snprintf(what, sizeof what,
             "storks, cells of %g m: change of total energy, regions over one step",
             race->info.cell);
    pli_bench_claim(bench, &(pli_claim){"Q3-10", what, "less than 1",
                                        lost[PLI_S3_REGIONAL] / lost[PLI_S3_EXPLICIT], "x", 0, 1});
}

static pli_status run_row(pli_bench *bench, const table_row *row, bool guard)
{
    pli_s3_race race;
    pli_s3_race_def def = row->race;
    int32_t count = 0;
    while (def.overrides[count] != NULL) ++count;
    if (pli_bench_is_paper_size(bench)) def.overrides[count++] = row->paper_size;
    if (!guard) def.overrides[count++] = "solver.steps.guard=false";
    PLI_TRY(pli_s3_race_run(bench, &def, &race));
    tell_race(bench, row, &race, guard);
    claim_ratios(bench, row, &race, guard);
    if (guard) return PLI_OK;
    claim_costs(bench, row, &race);
    if (row == &rows[STORKS]) claim_energy(bench, &race);
    return PLI_OK;
}

pli_status pli_bench_s3_table(pli_bench *bench)
{
    for (int32_t k = 0; k < ROWS; ++k) {
        PLI_TRY(run_row(bench, &rows[k], false));
        PLI_TRY(run_row(bench, &rows[k], true));
    }
    return PLI_OK;
}
