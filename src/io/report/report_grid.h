// SPDX-License-Identifier: Apache-2.0
//
// What a run's report remembers of implicit steps of particles: totals, the lengths of the substeps
// that steps were cut into, and what grid and levels were in the last of them (Wang et al. 2020).
#ifndef PLI_IO_REPORT_REPORT_GRID_H
#define PLI_IO_REPORT_REPORT_GRID_H

#include "io/file/json.h"
#include "pliant/sim.h"

// X(member, type, key): numbers of pli_grid_report that add up over steps, with their key in files
#define PLI_GRID_COUNTS(X)                                 \
    X(substeps, int32_t, "substeps")                       \
    X(retries, int32_t, "retries")                         \
    X(unconverged, int32_t, "unconverged")                 \
    X(rounds, int32_t, "rounds")                           \
    X(matrices, int32_t, "matrices")                       \
    X(solves, int64_t, "solves")                           \
    X(cycles, int64_t, "cycles")                           \
    X(coarsest_iterations, int64_t, "coarsest_iterations") \
    X(capped, int32_t, "capped")                           \
    X(dropped_pairs, int32_t, "dropped_pairs")             \
    X(position_steps, int64_t, "position_steps")           \
    X(repeated_positions, int64_t, "repeated_positions")

typedef struct pli_report_grid {
    int64_t step_count; // implicit ones of particles; 0: the run has none
#define X(member, type, key) int64_t member;
    PLI_GRID_COUNTS(X)
#undef X
    double shortest; // substep (s)
    double longest;
    int32_t most_nodes;
    pli_grid_report last; // of the last step
} pli_report_grid;

// Does nothing with a step of something else.
void pli_report_grid_add(pli_report_grid *grid, const pli_step_report *step);

// Levels whose figures a report has.
int32_t pli_report_grid_levels(const pli_grid_report *grid);

// The group "implicit" of a line of steps.jsonl, see io/run/run_log.h, also by the names that it
// had before; all zero when there is none.
pli_grid_report pli_report_grid_read(const pli_json *line);

#endif
