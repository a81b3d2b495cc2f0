// SPDX-License-Identifier: Apache-2.0
//
// A part of the case "s1": linear systems of bars of two kinds of matter, 1e5 and 1e9 Pa.
#ifndef PLI_BENCH_S1_BARS_H
#define PLI_BENCH_S1_BARS_H

#include "bench.h"

pli_status pli_bench_s1_bars(pli_bench *bench);

#endif
