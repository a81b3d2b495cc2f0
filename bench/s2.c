// SPDX-License-Identifier: Apache-2.0
//
// The case "s2", part after part.
#include "s2.h"

pli_status pli_bench_s2(pli_bench *bench)
{
    static pli_status (*const parts[])(pli_bench * bench) = {
        pli_bench_s2_linear, pli_bench_s2_two_grid, pli_bench_s2_stiffness,
        pli_bench_s2_table,  pli_bench_s2_motion,   pli_bench_s2_race,
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        pli_status status = parts[k](bench);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}
