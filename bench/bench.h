// SPDX-License-Identifier: Apache-2.0
//
// The benchmark program: a table of cases, each of which prints claims.
//
// A claim is one number that a paper or we ourselves promise: what the paper says, what this run
// measured, and the band that counts as a pass. Speeds are ratios measured in one run (against a
// reference kernel, a rival solver, or the machine's copy bandwidth), never bare seconds.
#ifndef PLI_BENCH_BENCH_H
#define PLI_BENCH_BENCH_H

#include "pliant/base.h"

typedef struct pli_bench pli_bench;

typedef struct pli_claim {
    const char *claim; // id of the claim, such as "Q4-5", or a kernel's name
    const char *what;  // one line
    const char *paper; // the published figure as text, or "-"
    double ours;
    const char *unit; // "x", "1/s", "iterations", "" ...
    double band_low;  // pass when band_low <= ours <= band_high; infinite ends are open
    double band_high; // both NAN: the figure is only reported
} pli_claim;

typedef struct pli_bench_case {
    const char *id;
    const char *doc;
    pli_status (*run)(pli_bench *bench);
    const char *part_of; // id of the case that runs it, too; NULL: none does
} pli_bench_case;

pli_context *pli_bench_context(const pli_bench *bench);

// Paper size instead of lite.
bool pli_bench_is_paper_size(const pli_bench *bench);

// Prints a claim and keeps it for --json.
void pli_bench_claim(pli_bench *bench, const pli_claim *claim);

// Prints a plain line that belongs to the case.
void pli_bench_note(pli_bench *bench, const char *format, ...) PLI_PRINTF(2, 3);

// Folder for pictures and other files of the case.
const char *pli_bench_folder(const pli_bench *bench);

// Seconds of the fastest of several calls of body, after one that is not timed.
double pli_bench_best_seconds(void (*body)(void *user), void *user, int repeats);

// Bytes per second of a plain copy of arrays far larger than the caches, by all threads, counting
// what is read and what is written: the yardstick of memory-bound kernels. Measured once a run.
double pli_bench_copy_bandwidth(pli_bench *bench);

// Floating point operations per second of multiplications and additions in single precision, by all
// threads; half of it in double.
double pli_bench_multiply_add_peak(pli_bench *bench);

// The parts of the case "kernels", one per file.
pli_status pli_bench_kernels_svd(pli_bench *bench);
pli_status pli_bench_kernels_linear(pli_bench *bench);
pli_status pli_bench_kernels_solve(pli_bench *bench);
pli_status pli_bench_kernels_fem(pli_bench *bench);
pli_status pli_bench_kernels_projective(pli_bench *bench);
pli_status pli_bench_kernels_springs(pli_bench *bench);
pli_status pli_bench_kernels_broad(pli_bench *bench);
pli_status pli_bench_kernels_contact(pli_bench *bench);
pli_status pli_bench_kernels_mpm(pli_bench *bench);
pli_status pli_bench_kernels_hot(pli_bench *bench);
pli_status pli_bench_kernels_implicit(pli_bench *bench);

// A million queries of continuous collision detection.
pli_status pli_bench_ccd(pli_bench *bench);

// The second part of the case "ccd": the largest safe step of whole surfaces.
pli_status pli_bench_safe_step(pli_bench *bench);

// The table of S4 without collisions.
pli_status pli_bench_s4_mesh(pli_bench *bench);

// S4 with collisions, and its table of all scenes.
pli_status pli_bench_s4_contact(pli_bench *bench);

// S4 on particles: snowballs.
pli_status pli_bench_s4_mpm(pli_bench *bench);

// Speed of barrier contact.
pli_status pli_bench_contact(pli_bench *bench);

// All scenes of barrier contact, checked frame by frame.
pli_status pli_bench_contact_scenes(pli_bench *bench);

// Implicit particles at the pace of their motion: the tables and figures of S0.
pli_status pli_bench_s0(pli_bench *bench);

// Sparse material-aware bases for barrier contact: the tables and figures of S1.
pli_status pli_bench_s1(pli_bench *bench);

// Multigrid in skinning space: the tables and figures of S2.
pli_status pli_bench_s2(pli_bench *bench);

// Explicit particles with a step for every region: the tables and figures of S3.
pli_status pli_bench_s3(pli_bench *bench);

// Solids against closed forms, and what their elements cost.
pli_status pli_bench_solids(pli_bench *bench);
pli_status pli_bench_solids_cost(pli_bench *bench);

// A part of S1: vertex block descent and stiffness, Q1-13.
pli_status pli_bench_s1_vbd(pli_bench *bench);

#endif
