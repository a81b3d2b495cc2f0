// SPDX-License-Identifier: Apache-2.0
//
// How far a run is: on a terminal one line that updates, elsewhere one plain line per frame. What
// has to be prepared before it has the same line, and elsewhere one when it begins and one when it
// is done.
#ifndef PLI_CLI_PROGRESS_H
#define PLI_CLI_PROGRESS_H

#include "session.h"

#include "pliant/io.h"

typedef struct pli_cli_progress {
    pli_cli_console *console;
    double drawn;   // when the line was last drawn
    bool preparing; // it was told that the model is being prepared
    bool stepping;  // the model is there: whoever asks whether to stop is a step

    bool matter;             // particles, and
    bool sweeps_only;        // by explicit steps: sweeps instead of iterations, and no residual
    int32_t iteration;       // or sweep, of the step that is being computed
    pli_run_progress latest; // after the last step; its report points to the one below
    pli_step_report report;

    // of the frame that is being computed
    int64_t iterations;
    double seconds;
    int32_t unconverged; // steps
    int64_t sweeps;
    int64_t substeps; // of implicit steps of particles
    double shortest;  // step of a block of particles, or substep (s)
    double longest;
} pli_cli_progress;

void pli_cli_progress_init(pli_cli_progress *progress, pli_cli_console *console);

// A pli_prepare_fn; user is a pli_cli_progress.
void pli_cli_progress_prepare(void *user, const pli_preparation *preparation);

// Another iteration of a step begins.
void pli_cli_progress_iterate(pli_cli_progress *progress);

// A step was made.
void pli_cli_progress_step(pli_cli_progress *progress, const pli_run_progress *latest);

// A frame was finished and written.
void pli_cli_progress_frame(pli_cli_progress *progress, int32_t frame);

// Removes the line.
void pli_cli_progress_end(pli_cli_progress *progress);

// Makes a model and shows how far it is. Errors: as pli_model_create.
PLI_CHECKED pli_status pli_cli_create_model(pli_cli_session *session, const pli_scene *scene,
                                            pli_model **model);

// "4.5 s", "45 s", "3 min 20 s", "2 h 05 min"
void pli_cli_format_duration(double seconds, char *text, size_t capacity);

#endif
