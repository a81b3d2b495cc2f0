// SPDX-License-Identifier: Apache-2.0
//
// run.json: what there is to know about a run besides its steps.
//
// Keys: pliant, build, scene, scene_hash, command, status, message, health, warnings[] (checks that
// were not passed, in words), logged[] (warnings of the log, when there were some), seed, threads,
// solver, contact (of meshes: which, and who said so), frames, frames_wanted, steps, time, fps, up,
// tolerance, tolerance_unit, vertices, tets, triangles, iterations, linear_iterations, unconverged,
// wall_seconds, peak_memory (bytes), seconds{total, and one per phase}, started, updated (UTC). A
// run of particles has cell (m), particles, emitted, sweeps, block_updates, particle_updates,
// buffer_updates, retries instead of tolerance to unconverged; one of implicit particles has cell,
// particles, emitted, tolerance, tolerance_unit, iterations, linear_iterations, unconverged and
// implicit{...}, the sums of what lines of steps have there (io/run/run_log.h), with nodes,
// constrained, bytes and levels[] of the last step. The file is written when the run begins, with
// every checkpoint and at the end; status is "running" until then.
#ifndef PLI_IO_RUN_RUN_JSON_H
#define PLI_IO_RUN_RUN_JSON_H

#include "io/report/report.h"
#include "pliant/io.h"

typedef struct pli_run_record {
    const pli_report *report;
    pli_report_facts facts;
    const pli_model_info *model;
    uint64_t scene_hash;
    double fps;
    bool z_up;
    char started[32]; // "2024-01-31T23:59:59Z"
} pli_run_record;

// A hash as in run.json: 16 hexadecimal digits.
void pli_run_json_hash(uint64_t hash, char text[17]);

// The time now as "2024-01-31T23:59:59Z".
void pli_run_json_now(char text[32]);

// Appends the whole file.
void pli_run_json_append(pli_text *text, const pli_run_record *record);

// What other parts need of a run.json: how fast and which way up frames are to be shown, and how
// long the run has worked so far.
typedef struct pli_run_summary {
    double fps;          // 0: not known
    bool z_up;           // false: y is up
    double wall_seconds; // 0: not known
    char scene[64];      // "" : not known
    char contact[320];   // "" : not known
    char scene_hash[17]; // "" : not known
    char started[32];    // "" : not known
    char status[16];     // name of the outcome, "running" until it has one; "" : not known
    int64_t unconverged; // steps that ended without convergence
} pli_run_summary;

// Reads what is there; a missing or damaged file leaves the defaults. Errors: memory.
PLI_CHECKED pli_status pli_run_json_read(pli_context *context, const char *path,
                                         pli_run_summary *summary);

#endif
