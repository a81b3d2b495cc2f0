// SPDX-License-Identifier: Apache-2.0
//
// Parts of the case "s1": sparse material-aware bases for elastodynamics with barrier contact
// (Trusty et al. 2025), against Newton's method in the full space.
#ifndef PLI_BENCH_S1_H
#define PLI_BENCH_S1_H

#include "bench.h"

// The solvers that are compared, by name: everything in this case takes them from here.
#define PLI_S1_OURS "subspace"
#define PLI_S1_DIRECT "ipc-llt"
#define PLI_S1_ITERATIVE "ipc-pcg"

// Tables 1 and 2: sizes, and speed over a direct solver: Q1-1.
pli_status pli_bench_s1_table(pli_bench *bench);

// A step of first contact over stiffness (figure 14): Q1-2, 3.
pli_status pli_bench_s1_stiffness(pli_bench *bench);

// A step with many contacts against the full space (figure 13): Q1-4.
pli_status pli_bench_s1_error(pli_bench *bench);

// Cubature, radius of clusters and the affine level in the scenes of table 1: Q1-5 to 7.
pli_status pli_bench_s1_setup(pli_bench *bench);

// Coarse spaces alone: convergence, slits, layers, support (figures 3, 4, 5, 8): Q1-8 to 10.
pli_status pli_bench_s1_bases(pli_bench *bench);

// Deformation with parts of the method left out (figures 9, 11, 22): Q1-11, 12, 14.
pli_status pli_bench_s1_ablation(pli_bench *bench);

#endif
