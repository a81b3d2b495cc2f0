// SPDX-License-Identifier: Apache-2.0
//
// The case "s1", part after part.
#include "s1.h"
#include "s1_bars.h"

pli_status pli_bench_s1(pli_bench *bench)
{
    static pli_status (*const parts[])(pli_bench * bench) = {
        pli_bench_s1_table, pli_bench_s1_stiffness, pli_bench_s1_error, pli_bench_s1_setup,
        pli_bench_s1_bases, pli_bench_s1_ablation,  pli_bench_s1_vbd,   pli_bench_s1_bars,
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        pli_status status = parts[k](bench);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}
