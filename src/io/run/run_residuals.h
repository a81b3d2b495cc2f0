// SPDX-License-Identifier: Apache-2.0
//
// The folder residuals/ of a run (Wang et al. 2020): a series of frames, one for every outer
// iterate of implicit steps of particles, to watch how a solver converges. A frame has one part,
// "particles", where they are when the substep begins, with the fields residual and id;
// its time is that of a film of 24 iterates a second. iterates.jsonl has a line for each of them:
// step, substep, round, iteration, frame, residual, where residual is in the norm of the
// convergence test.
//
// Frames and lines are written as they happen, the frame first. What belongs to steps after the
// checkpoint that a run goes on from is removed.
#ifndef PLI_IO_RUN_RUN_RESIDUALS_H
#define PLI_IO_RUN_RUN_RESIDUALS_H

#include "base/text.h"
#include "io/run/run_folder.h"
#include "pliant/sim.h"

#define PLI_RESIDUALS_FOLDER "residuals"
#define PLI_ITERATES_FILE "iterates.jsonl"

typedef struct pli_run_residuals pli_run_residuals;

typedef struct pli_run_residuals_def {
    const pli_run_folder *borrowed_folder;
    int64_t keep; // iterates of later steps are removed; -1: all are
    bool compress;
} pli_run_residuals_def;

// Errors: io, memory.
PLI_CHECKED pli_status pli_run_residuals_create(pli_context *context,
                                                const pli_run_residuals_def *def,
                                                pli_run_residuals **residuals);
void pli_run_residuals_destroy(pli_run_residuals *residuals);

// A pli_residual_fn; user is a pli_run_residuals. After a failure nothing more is written.
void pli_run_residuals_hear(void *user, const pli_residual_view *view);

// The first failure of writing. Errors: io, memory.
PLI_CHECKED pli_status pli_run_residuals_status(const pli_run_residuals *residuals);

// Brings the lines to the disk. Errors: io.
PLI_CHECKED pli_status pli_run_residuals_sync(pli_run_residuals *residuals);

#endif
