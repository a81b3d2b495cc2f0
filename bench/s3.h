// SPDX-License-Identifier: Apache-2.0
//
// Parts of the case "s3": explicit particles with a step for every region (Fang et al. 2018),
// against one step for all.
#ifndef PLI_BENCH_S3_H
#define PLI_BENCH_S3_H

#include "bench.h"

// Table 1: speed, updates, scheduling, memory and distance of the outcome: Q3-1 to 7, 9, 12.
pli_status pli_bench_s3_table(pli_bench *bench);

// The shortest and the longest step of table 1: Q3-8.
pli_status pli_bench_s3_steps(pli_bench *bench);

// Energy of swaying storks (figure 12): Q3-10.
pli_status pli_bench_s3_energy(pli_bench *bench);

// What regions cost where everything is stiff: Q3-11.
pli_status pli_bench_s3_stiff(pli_bench *bench);

#endif
