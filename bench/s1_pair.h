// SPDX-License-Identifier: Apache-2.0
//
// One scene, two solvers, the same states: who is faster over the same steps, and how far apart
// they end.
//
// Each solver has a model of its own, since some prepare much there; the time of that is kept apart
// from the time of steps. Steps of the two alternate, so that a busy machine slows both. A race
// goes on from one common state, each on its own way; a duel is a single step that both take from
// the same state, after which both have what the first one found.
#ifndef PLI_BENCH_S1_PAIR_H
#define PLI_BENCH_S1_PAIR_H

#include "scene_run.h"

enum { PLI_S1_OVERRIDES = 6 };

typedef struct pli_s1_pair_def {
    const char *scene;
    const char *overrides[PLI_S1_OVERRIDES]; // "path=value" of both, ends with NULL
    const char *solvers[2];                  // first the rival or reference, then ours
    // of one side only, end with NULL
    const char *own[2][PLI_S1_OVERRIDES];
} pli_s1_pair_def;

typedef struct pli_s1_pair {
    pli_bench_scene sides[2];
    pli_state *before;       // the state of the first side before its last step
    double setup_seconds[2]; // of mesh, model and solver
} pli_s1_pair;

// On failure nothing is left to clear.
pli_status pli_s1_pair_init(pli_s1_pair *pair, pli_bench *bench, const pli_s1_pair_def *def);
void pli_s1_pair_clear(pli_s1_pair *pair);

// Steps of the first side alone, at most `limit` of them; ends after the first one with contact and
// takes it back, so that it is the next to come. contact tells whether there was one.
pli_status pli_s1_pair_find_contact(pli_s1_pair *pair, int32_t limit, bool *contact);

// Both take up to `steps` from the first side's state, each on its own way; ends early when the
// two have taken `patience` seconds together. tallies have the same number of steps.
pli_status pli_s1_pair_race(pli_s1_pair *pair, int32_t steps, double patience,
                            pli_bench_tally tallies[2]);

// How far apart two scenes have their vertices, over the diagonal.
typedef struct pli_s1_error {
    double largest;
    double mean;    // root mean square
    int32_t vertex; // that is farthest
} pli_s1_error;

pli_s1_error pli_s1_error_measure(const pli_bench_scene *a, const pli_bench_scene *b);

// What came of one step that both took from the same state.
typedef struct pli_s1_duel {
    pli_step_report reports[2]; // pairs of bodies are not kept
    pli_s1_error error;
} pli_s1_duel;

// Both sides step from the first one's state; afterwards both have the first one's outcome.
pli_status pli_s1_pair_duel(pli_s1_pair *pair, pli_s1_duel *duel);

#endif
