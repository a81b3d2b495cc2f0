// SPDX-License-Identifier: Apache-2.0
//
// The case "s3", part after part.
#include "s3.h"

pli_status pli_bench_s3(pli_bench *bench)
{
    static pli_status (*const parts[])(pli_bench * bench) = {
        pli_bench_s3_steps,
        pli_bench_s3_table,
        pli_bench_s3_energy,
        pli_bench_s3_stiff,
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        pli_status status = parts[k](bench);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}
