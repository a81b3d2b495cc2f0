// SPDX-License-Identifier: Apache-2.0
//
// Shipped scenes run inside a benchmark, and what came of it.
#ifndef PLI_BENCH_SCENE_RUN_H
#define PLI_BENCH_SCENE_RUN_H

#include "bench.h"

#include "pliant/pliant.h"

enum { PLI_BENCH_OVERRIDES = 8 };

// A shipped scene with "path=value" changes, compiled and ready to step.
typedef struct pli_bench_scene {
    pli_context *context;
    pli_scene *scene;
    pli_model *model;
    pli_state *state;
    pli_solver *solver;
    pli_model_info info;
} pli_bench_scene;

// overrides ends with NULL. On failure nothing is left to clear.
pli_status pli_bench_scene_init(pli_bench_scene *s, pli_bench *bench, const char *name,
                                const char *const *overrides);
void pli_bench_scene_clear(pli_bench_scene *s);

// Sums over steps.
typedef struct pli_bench_tally {
    int32_t steps;
    int32_t failures; // steps that did not converge
    int64_t solves;   // linear systems
    int64_t linear_iterations;
    int64_t energy_evaluations;
    double seconds;
    int32_t inverted; // tetrahedra at the end
    double min_J;     // at the end
} pli_bench_tally;

// Takes steps, at most `steps`; stops early at the first failure if asked to.
pli_status pli_bench_scene_steps(pli_bench_scene *s, int32_t steps, bool stop_at_failure,
                                 pli_bench_tally *tally);

#endif
