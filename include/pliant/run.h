// SPDX-License-Identifier: Apache-2.0
//
// A run simulates a scene into a folder:
//   scene.yaml       the scene with every default filled in
//   steps.jsonl      a JSON object a step; iterations.jsonl, one an iteration, if the scene asks
//   series.pvd       the frames, in frames/
//   residuals/       if the scene asks: a series of its own, a frame an iteration of implicit steps
//                    of particles, and iterates.jsonl, which says of which step and iteration
//   checkpoint/      the two newest states
//   cache/           what took long to prepare, by a hash of what it was made from; the next run in
//                    this folder takes it from there, one by force too. The newest few are kept
//   run.json         version, times, warnings, how it ended
//   report.html      plots and a verdict, written when the run ends for whatever reason
// The folder has a lock that goes away with the process: two runs never share one. A run that was
// interrupted, killed or stopped at a limit can be resumed and gives the same frames and
// checkpoints, bit for bit, as one that was not.
#ifndef PLIANT_RUN_H
#define PLIANT_RUN_H

#include "pliant/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_run_progress {
    int32_t frame;                 // frames computed so far, the initial one not counted
    int32_t frame_count;           // to compute in all
    int64_t step;                  // steps taken so far
    int64_t step_count;            // to take in all
    double time;                   // simulated so far (s)
    double seconds;                // since the run was created (wall clock)
    double seconds_left;           // estimate; negative: not known yet
    const pli_step_report *report; // of the last step
} pli_run_progress;

typedef void (*pli_run_progress_fn)(void *user, const pli_run_progress *progress);

typedef struct pli_run_def { // scene and folder have to be set; all else may be zero
    const pli_scene *scene;  // borrowed until the run is destroyed
    const char *folder;      // made if it is not there
    bool force;              // replace the files of an earlier run in the folder
    bool resume;             // go on from its newest checkpoint; without one, begin again
    int32_t frames;          // to compute; 0: as many as the scene says
    int64_t steps;           // stop after so many steps in all; 0: no limit
    // stop before so much wall-clock time (s) has passed, with the state saved; a step that would
    // take longer is given up, and a model then fails as PLI_ERROR_INTERRUPTED; 0: no limit
    double seconds;
    const char *command;          // command line, for run.json and the report; NULL: none
    pli_run_progress_fn progress; // hears every step; NULL: nobody does
    void *progress_user;
    // asked while the model is made, which then fails as PLI_ERROR_INTERRUPTED, and at every
    // iteration; NULL: never stops
    pli_cancel_fn cancel;
    void *cancel_user;
    // wall-clock time between checkpoints (s), which then are written after any step; 0: by frames,
    // as the scene says
    double checkpoint_seconds;
    pli_prepare_fn prepare; // hears how far the model is; NULL: nobody does
    void *prepare_user;
} pli_run_def;

typedef enum pli_run_outcome {
    PLI_RUN_GOING,       // has not ended
    PLI_RUN_DONE,        // every frame was computed
    PLI_RUN_LIMITED,     // stopped at a limit of the def; the state is saved
    PLI_RUN_INTERRUPTED, // stopped by the cancel hook; the state is saved
    PLI_RUN_FAILED,      // a step was rejected, or memory ran out; the state before it is saved
    PLI_RUN_BROKEN,      // numbers that are not finite; the state before them is saved
    PLI_RUN_UNWRITTEN    // a file could not be written
} pli_run_outcome;

typedef struct pli_run_info {
    pli_run_outcome outcome;
    int64_t step;        // taken in all
    int64_t first_step;  // the run was resumed after this step; 0: it began from the start
    int32_t frame;       // computed in all, the initial one not counted
    double time;         // simulated (s)
    double seconds;      // wall clock, since the run was created
    int64_t unconverged; // steps that ended without convergence
    const char *folder;  // Lifetime: that of the run
    const char *advice;  // what helps against most of those; Lifetime: static
    int64_t saved_step;  // of the newest state that is saved in the folder; -1: none is
    // what the run works on. Lifetime: that of the run
    const pli_model *model;
    const pli_state *state;
} pli_run_info;

typedef struct pli_run pli_run;

// Compiles the scene, takes the folder and writes frame 0, or restores the newest checkpoint.
// Errors: io (folder in use, holding another run, not writable), scene, mesh, unsupported, memory,
// argument.
PLI_API PLI_CHECKED pli_status pli_run_create(const pli_run_def *def, pli_run **run);
PLI_API void pli_run_destroy(pli_run *run);

// Computes up to the next frame and writes it. *more tells whether there is another one; when there
// is not, the run has ended and its report is written. Errors end the run too: interrupted,
// numeric (failed or broken), io, memory. The message says where the state was saved.
PLI_API PLI_CHECKED pli_status pli_run_advance(pli_run *run, bool *more);

// Advances until the run ends. A limit of the def is not an error.
PLI_API PLI_CHECKED pli_status pli_run_execute(pli_run *run);

PLI_API pli_run_info pli_run_get_info(const pli_run *run);

// "done", "interrupted", ... as in run.json.
PLI_API const char *pli_run_outcome_name(pli_run_outcome outcome);

#ifdef __cplusplus
}
#endif

#endif
