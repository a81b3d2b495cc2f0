// SPDX-License-Identifier: Apache-2.0
//
// What a run's report remembers of implicit steps of particles: totals, the lengths of the pieces
// that steps were cut into, and what grid and levels were in the last of them (Wang et al. 2020).
#ifndef PLI_IO_REPORT_REPORT_GRID_H
#define PLI_IO_REPORT_REPORT_GRID_H

#include "io/file/json.h"
#include "pliant/sim.h"

// X(member, type): numbers of pli_grid_report that add up over steps; files have them by their
// names
#define PLI_GRID_COUNTS(X)          \
    X(pieces, int32_t)              \
    X(retries, int32_t)             \
    X(unconverged, int32_t)         \
    X(rounds, int32_t)              \
    X(matrices, int32_t)            \
    X(solves, int64_t)              \
    X(cycles, int64_t)              \
    X(coarsest_iterations, int64_t) \
    X(capped, int32_t)              \
    X(dropped_pairs, int32_t)       \
    X(position_steps, int64_t)      \
    X(repeated_positions, int64_t)

typedef struct pli_report_grid {
    int64_t step_count; // implicit ones of particles; 0: the run has none
#define X(member, type) int64_t member;
    PLI_GRID_COUNTS(X)
#undef X
    double shortest; // piece (s)
    double longest;
    int32_t most_nodes;
    pli_grid_report last; // of the last step
} pli_report_grid;

// Does nothing with a step of something else.
void pli_report_grid_add(pli_report_grid *grid, const pli_step_report *step);

// Levels whose figures a report has.
int32_t pli_report_grid_levels(const pli_grid_report *grid);

// The group "grid" of a line of steps.jsonl, see io/run/run_log.h; all zero when there is none.
pli_grid_report pli_report_grid_read(const pli_json *line);

#endif
