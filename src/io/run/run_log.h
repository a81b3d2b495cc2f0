// SPDX-License-Identifier: Apache-2.0
//
// The lines of a run: steps.jsonl, one JSON object a step, and iterations.jsonl, one an iteration.
//
// A log is appended to line by line with single writes, so a reader that follows it sees whole
// lines. A write that fails leaves the file as it was before the line. A log that an interrupted
// run left can end with a piece of a line and can reach beyond the checkpoint that the run goes on
// from; pli_log_create cuts both off.
//
// Keys of a step, in this order; those that do not apply are left out: step, time, dt, solver,
// stop, iterations, linear_iterations, levels{directions, refreshes, affine, subspace, polish,
// largest_step}, residual, tolerance, explicit{...}, implicit{...}, energy{kinetic, elastic,
// gravity, attachment, load, cavity, contact, total}, momentum[3], angular_momentum[3], min_J,
// inverted, vertices, particles, emitted, nodes, cavities{NAME{volume (m^3), pressure (Pa)}},
// contacts, min_gap, max_depth, friction_work, barrier_distance, barrier_stiffness, pairs[],
// seconds{total, and one per phase}. Numbers that are not finite are null.
//
// Explicit steps of particles solve nothing: instead of iterations, residual and tolerance they
// have explicit{tick (s), ticks, sweeps, block_updates, particle_updates, buffer_updates, retries,
// schedule_seconds, steps{}}, where steps is a histogram of block updates by the length of their
// step: the keys are lengths in seconds, those without updates are left out.
//
// Implicit ones have, besides what steps of meshes have, energy_evaluations, nodes and
// implicit{shortest (s), longest (s), nodes, constrained, substeps, retries, unconverged, rounds,
// matrices, solves, cycles, coarsest_iterations, capped, dropped_pairs, position_steps,
// repeated_positions, bytes, levels[{nodes, blocks, bytes}]}, as pli_grid_report in sim.h means
// them; levels are those of the multigrid, finest first, and left out without one.
//
// An iteration has step, iteration, residual, gradient, energy, alpha, linear_iterations,
// energy_evaluations, direction, seconds; in a step of implicit particles, which is several
// minimisations, also substep, counted from 1, after step.
#ifndef PLI_IO_RUN_RUN_LOG_H
#define PLI_IO_RUN_RUN_LOG_H

#include "base/text.h"
#include "io/file/json.h"
#include "io/run/manifest.h"
#include "pliant/sim.h"

#define PLI_STEPS_FILE "steps.jsonl"
#define PLI_ITERATIONS_FILE "iterations.jsonl"

// Appends a step's line with its line end.
void pli_log_append_step(pli_text *text, const pli_step_report *report);

// Appends an iteration's line with its line end.
void pli_log_append_iteration(pli_text *text, const pli_iteration_report *report);

typedef struct pli_log pli_log;

// Hears every line that stays in a log when it is opened again, already parsed.
typedef void (*pli_log_line_fn)(void *user, const pli_json *line);

typedef struct pli_log_def {
    const char *path;
    pli_manifest *files;   // that the log is listed in as pliant's; NULL: in none
    const char *name;      // of the log there
    int64_t keep;          // lines of later steps are cut off; -1: all are
    pli_log_line_fn heard; // or NULL
    void *heard_user;
} pli_log_def;

// Opens a log for appending. Errors: io (among them: it is no regular file, or listed in none that
// `files` knows), memory.
PLI_CHECKED pli_status pli_log_create(pli_context *context, const pli_log_def *def, pli_log **log);
void pli_log_destroy(pli_log *log);

// Appends whole lines. Errors: io; the file then is as it was.
PLI_CHECKED pli_status pli_log_append(pli_log *log, const char *bytes, int64_t count);

// Brings everything to the disk. Errors: io.
PLI_CHECKED pli_status pli_log_sync(pli_log *log);

#endif
