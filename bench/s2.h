// SPDX-License-Identifier: Apache-2.0
//
// Parts of the case "s2": multigrid in skinning space for projective dynamics (Xian et al. 2019).
#ifndef PLI_BENCH_S2_H
#define PLI_BENCH_S2_H

#include "bench.h"

// Tables 1 and 2, and what grows how with the size: Q2-3, 4, 5, 8.
pli_status pli_bench_s2_table(pli_bench *bench);

// What coarse spaces are worth: Q2-1, 2, 10.
pli_status pli_bench_s2_two_grid(pli_bench *bench);

// Cycles against stiffness: Q2-6.
pli_status pli_bench_s2_stiffness(pli_bench *bench);

// Energy against time, with all rivals: Q2-7.
pli_status pli_bench_s2_race(pli_bench *bench);

// The same motion at all sizes: Q2-9.
pli_status pli_bench_s2_motion(pli_bench *bench);

// Linear systems of bars, of one matter and of two.
pli_status pli_bench_s2_linear(pli_bench *bench);

#endif
