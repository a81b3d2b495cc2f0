// SPDX-License-Identifier: Apache-2.0
//
// The case "s0", part after part.
#include "s0.h"

pli_status pli_bench_s0(pli_bench *bench)
{
    static pli_status (*const parts[])(pli_bench * bench) = {
        pli_bench_s0_speed, pli_bench_s0_table,  pli_bench_s0_sweep,
        pli_bench_s0_first, pli_bench_s0_levels, pli_bench_s0_options,
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        pli_status status = parts[k](bench);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}
