// SPDX-License-Identifier: Apache-2.0
//
// A scene of particles, moved twice over the same time from the same state: with one step for all,
// and with a step for every region. Steps of the model alternate, so that a busy machine slows
// both.
#ifndef PLI_BENCH_S3_RACE_H
#define PLI_BENCH_S3_RACE_H

#include "scene_run.h"

enum { PLI_S3_OVERRIDES = 8, PLI_S3_SAMPLES = 256 };

// Sides of a race.
enum { PLI_S3_EXPLICIT, PLI_S3_REGIONAL, PLI_S3_SIDES };

typedef struct pli_s3_race_def {
    const char *scene;
    const char *overrides[PLI_S3_OVERRIDES]; // "path=value" of both, ends with NULL
    int32_t lead;                            // steps of the model, regional, before the race
    int32_t steps;                           // of the race, up to PLI_S3_SAMPLES
} pli_s3_race_def;

// What came of one side.
typedef struct pli_s3_tally {
    double seconds; // without those of reports
    double schedule_seconds;
    int64_t block_updates;
    int64_t particle_updates;
    int64_t buffer_updates;
    double block_seconds; // simulated, of all blocks together: sum of updates times their steps
    double shortest;      // step (s)
    double longest;
    int64_t bytes; // of particles and grid, the most after any step
    int32_t retries;
    int32_t sample_count;
    pli_energies energies[PLI_S3_SAMPLES + 1]; // before the race, and after every step
} pli_s3_tally;

typedef struct pli_s3_race {
    pli_model_info info;
    int64_t particles; // at the end
    pli_s3_tally tallies[PLI_S3_SIDES];
    double distance; // mean, between particles of the two in the end, in cells
} pli_s3_race;

pli_status pli_s3_race_run(pli_bench *bench, const pli_s3_race_def *def, pli_s3_race *race);

// Explicit over regional.
double pli_s3_race_speed(const pli_s3_race *race);
double pli_s3_race_block_ratio(const pli_s3_race *race);

// Block updates that a step as short as any in the race would have taken everywhere and always,
// which is how the paper runs its rival, over those with regions.
double pli_s3_race_fixed_ratio(const pli_s3_race *race);

#endif
