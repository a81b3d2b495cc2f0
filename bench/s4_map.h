// SPDX-License-Identifier: Apache-2.0
//
// The convergence maps of Gast et al. 2015, figure 1: a 36-DOF bar whose end is dragged to every
// pixel of a picture; the colour says how many iterations one step from there takes.
#ifndef PLI_BENCH_S4_MAP_H
#define PLI_BENCH_S4_MAP_H

#include "bench.h"

// Writes map_<solver>_<dt>.png into the bench's folder and claims Q4-1.
pli_status pli_bench_s4_map(pli_bench *bench);

#endif
