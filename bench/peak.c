// SPDX-License-Identifier: Apache-2.0
//
// What the machine can multiply and add.
#include "bench.h"

#include "base/parallel.h"
#include "math/simd.h"

enum { CHAINS = 12, ROUNDS = 4 << 20, TEAM = 64 };

// Multiplies and adds in as many independent chains as hide the latency.
static void multiply_add(void *user, int64_t begin, int64_t end)
{
    float *out = user;
    for (int64_t k = begin; k < end; ++k) {
        pli_f8 x[CHAINS];
        for (int c = 0; c < CHAINS; ++c) x[c] = pli_f8_broadcast((float)c);
        for (int64_t round = 0; round < ROUNDS / TEAM; ++round) {
            for (int c = 0; c < CHAINS; ++c) x[c] = 0.999f * x[c] + 0.001f;
        }
        for (int c = 1; c < CHAINS; ++c) x[0] += x[c];
        out[k] = x[0][0];
    }
}

typedef struct peak_run {
    pli_context *context;
    float out[TEAM];
} peak_run;

static void run_peak(void *user)
{
    peak_run *run = user;
    pli_parallel_for(run->context, TEAM, 1, multiply_add, run->out);
}

double pli_bench_multiply_add_peak(pli_bench *bench)
{
    peak_run run = {.context = pli_bench_context(bench)};
    double seconds = pli_bench_best_seconds(run_peak, &run, 5);
    return 2.0 * PLI_F8_LANES * CHAINS * ROUNDS / seconds;
}
