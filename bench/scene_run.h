// SPDX-License-Identifier: Apache-2.0
//
// Scenes run inside a benchmark, and what came of it.
#ifndef PLI_BENCH_SCENE_RUN_H
#define PLI_BENCH_SCENE_RUN_H

#include "bench.h"

#include "pliant/pliant.h"

// A scene, compiled and ready to step.
typedef struct pli_bench_scene {
    pli_context *context;
    pli_scene *scene;
    pli_model *model;
    pli_state *state;
    pli_solver *solver;
    pli_model_info info;
    double deadline; // clock time at which stepping is given up (s); 0: never
} pli_bench_scene;

// Whether there is a shipped scene of this name.
bool pli_bench_has_scene(const char *name);

// A shipped scene with "path=value" changes, whose list ends with NULL; or the scene of a text. On
// failure nothing is left to clear.
pli_status pli_bench_scene_init(pli_bench_scene *s, pli_bench *bench, const char *name,
                                const char *const *overrides);
pli_status pli_bench_scene_parse(pli_bench_scene *s, pli_bench *bench, const char *text);
void pli_bench_scene_clear(pli_bench_scene *s);

// What came of some steps.
typedef struct pli_bench_tally {
    int32_t steps;
    int32_t failures; // steps that did not converge
    bool unfinished;  // time ran out before the last step
    int64_t solves;   // linear systems
    int64_t linear_iterations;
    int64_t energy_evaluations;
    double seconds;
    int32_t phase_count; // time by phase
    const char *phase_name[PLI_REPORT_PHASES];
    double phase_seconds[PLI_REPORT_PHASES];
    int32_t inverted;     // tetrahedra at the end
    double min_J;         // at the end
    int32_t max_inverted; // most inverted tetrahedra after any step
    double least_J;       // smallest after any step

    // collisions
    double contact_seconds; // of the phases that find and evaluate contacts of bodies
    double min_gap;         // smallest after any step (m)
    double max_depth;       // of colliders and bodies, after any step (m)
    double collider_depth;  // of colliders alone (m)
    double friction_work;   // largest of any step (J); never positive if all is well
    double kinetic;         // energy at the end (J)
    double peak_kinetic;    // J
} pli_bench_tally;

// Adds what came of later steps; depths, work of friction and phases are left as they are.
void pli_bench_tally_add(const pli_bench_tally *later, pli_bench_tally *sum);

// Takes steps, at most `steps`; stops early at the first failure if asked to.
pli_status pli_bench_scene_steps(pli_bench_scene *s, int32_t steps, bool stop_at_failure,
                                 pli_bench_tally *tally);

// When to end a run before its last frame.
typedef struct pli_bench_limits {
    bool stop_at_failure;
    double seconds; // 0: as long as it takes
} pli_bench_limits;

// All frames of a shipped scene; info may be NULL.
pli_status pli_bench_scene_run(pli_bench *bench, const char *name, const char *const *overrides,
                               pli_bench_limits limits, pli_bench_tally *tally,
                               pli_model_info *info);

// The mean distance of particles that two states of a scene have both, those of ids from
// first_emitted on left out: they need not be the same (m); 0 if there are none. Errors: memory.
pli_status pli_bench_mean_distance(const pli_state *a, const pli_state *b, int64_t first_emitted,
                                   double *mean);

#endif
