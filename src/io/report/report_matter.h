// SPDX-License-Identifier: Apache-2.0
//
// What a run's report remembers of steps of particles: totals, and a histogram of the lengths of
// the steps that blocks were moved by, over the whole run. What implicit ones are made of is
// in report_grid.h; here they count by their particles alone.
//
// A step of the model is cut into ticks, whose length may be another in every step, and blocks move
// by powers of two of them. The histogram is by seconds: ticks are a step of the model halved some
// times, or as long as the scene says, so that few different lengths occur in a run.
#ifndef PLI_IO_REPORT_REPORT_MATTER_H
#define PLI_IO_REPORT_REPORT_MATTER_H

#include "io/file/json.h"
#include "io/report/report_steps.h"
#include "pliant/sim.h"

enum { PLI_REPORT_SPANS = 64 };

typedef struct pli_report_span {
    double seconds;  // length of a step
    int64_t updates; // of blocks
} pli_report_span;

typedef struct pli_report_matter {
    int64_t step_count; // of particles; 0: the run has none
    int64_t particles;  // after the last step
    int64_t emitted;
    int64_t sweeps;
    int64_t block_updates;
    int64_t particle_updates;
    int64_t buffer_updates;
    int64_t retries;
    pli_report_steps retried; // steps that were redone
    int64_t lost;             // particles that were there or came, and are gone
    pli_report_steps losing;  // steps that lost some
    double schedule_seconds;
    int32_t span_count;
    pli_report_span spans[PLI_REPORT_SPANS]; // [span_count] shortest first
} pli_report_matter;

// Whether a step was one of particles; an emitter may not have made the first of them yet.
static inline bool pli_report_has_matter(const pli_step_report *step)
{
    return step->matter.ticks > 0 || step->matter.particles > 0 || step->grid.substeps > 0;
}

// Does nothing with a step of something else.
void pli_report_matter_add(pli_report_matter *matter, const pli_step_report *step);

// The shortest and the longest step that a block was moved by (s); both 0: none was.
void pli_report_matter_range(const pli_matter_report *matter, double *shortest, double *longest);

// The particles and the group "explicit" of a line of steps.jsonl, see io/run/run_log.h, also by
// the names that they had before; all zero when there is none.
pli_matter_report pli_report_matter_read(const pli_json *line);

#endif
