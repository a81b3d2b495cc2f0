// SPDX-License-Identifier: Apache-2.0
//
// A run's folder of steps that somebody else takes: scene.yaml, steps.jsonl, frames, run.json and
// report.html, as pli_run makes them, without checkpoints. Frames are numbered from 0 in the order
// in which they come; `pliant view`, render, export and check take the folder like any other.
#ifndef PLI_IO_RUN_RECORDING_H
#define PLI_IO_RUN_RECORDING_H

#include "pliant/io.h"

typedef struct pli_recording pli_recording;

typedef struct pli_recording_def {
    const pli_scene *scene; // borrowed for the call
    const pli_model *model; // borrowed for the call
    const char *folder;     // made if it is not there; must not hold a run
    const char *command;    // for run.json and the report; NULL: none
} pli_recording_def;

// Takes the folder and writes the scene. Errors: io, memory.
PLI_CHECKED pli_status pli_recording_create(pli_context *context, const pli_recording_def *def,
                                            pli_recording **recording);

// Errors: io, memory.
PLI_CHECKED pli_status pli_recording_add_step(pli_recording *recording,
                                              const pli_step_report *report);
PLI_CHECKED pli_status pli_recording_add_frame(pli_recording *recording, const pli_frame *frame);

// Writes run.json and report.html; nothing can be added afterwards. Errors: io, memory.
PLI_CHECKED pli_status pli_recording_finish(pli_recording *recording);

// Leaves what was written; a recording that was not finished counts as interrupted.
void pli_recording_destroy(pli_recording *recording);

// Lifetime: that of the recording.
const char *pli_recording_folder(const pli_recording *recording);

#endif
