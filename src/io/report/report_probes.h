// SPDX-License-Identifier: Apache-2.0
//
// What a run measures (pli_probe_value in sim.h), for its report: means over the buckets of
// report.h, and as data of the page.
#ifndef PLI_IO_REPORT_REPORT_PROBES_H
#define PLI_IO_REPORT_REPORT_PROBES_H

#include "base/text.h"
#include "io/file/json.h"
#include "pliant/sim.h"

typedef struct pli_report_probes {
    int32_t count;
    pli_probe_value *probes; // [count] names and units are owned; values are those read last
    int32_t number_count;    // components of all together
    double *sums;            // [buckets][number_count]
} pli_report_probes;

// Errors: memory.
PLI_CHECKED pli_status pli_report_probes_init(pli_report_probes *probes, pli_context *context,
                                              const pli_model *model, int32_t bucket_count);
void pli_report_probes_clear(pli_report_probes *probes, pli_context *context);

// Begins a bucket, adds a step to one, and makes one of each of `pairs` neighbours.
void pli_report_probes_open(pli_report_probes *probes, int32_t bucket);
void pli_report_probes_add(pli_report_probes *probes, int32_t bucket, const pli_step_report *step);
void pli_report_probes_merge(pli_report_probes *probes, int32_t pairs);

// The group "probes" of a line of steps.jsonl. Lifetime of what the step points at: until the next
// line.
void pli_report_probes_read(pli_report_probes *probes, const pli_json *line, pli_step_report *step);

// Appends a list of {name, unit, components, mean[]}; steps [bucket_count] of each bucket.
void pli_report_probes_append(pli_text *text, const pli_report_probes *probes, int32_t bucket_count,
                              const int64_t *steps);

#endif
