// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <math.h>
#include <omp.h>

enum { MAX_BLOCKS = 512 };

// How [0, count) is cut; a function of count and grain only.
typedef struct block_cut {
    int64_t count;
    int64_t size;
    int64_t block_count;
} block_cut;

static block_cut cut_blocks(int64_t count, int64_t grain)
{
    if (grain < 1) grain = 1;
    int64_t size = (count + MAX_BLOCKS - 1) / MAX_BLOCKS;
    if (size < grain) size = grain;
    return (block_cut){count, size, (count + size - 1) / size};
}

static int64_t block_end(const block_cut *cut, int64_t block)
{
    int64_t end = (block + 1) * cut->size;
    return end < cut->count ? end : cut->count;
}

static int worker_count(const pli_context *context, const block_cut *cut)
{
    if (omp_in_parallel()) return 1;
    int64_t workers = pli_context_thread_count(context);
    return (int)(workers < cut->block_count ? workers : cut->block_count);
}

typedef void (*block_fn)(void *user, const block_cut *cut, int64_t block);

// Calls one for every block, by as many workers as there are and make sense.
static void run_blocks(const pli_context *context, const block_cut *cut, block_fn one, void *user)
{
    int workers = worker_count(context, cut);
    if (workers <= 1) {
        for (int64_t block = 0; block < cut->block_count; ++block) one(user, cut, block);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(workers)
    for (int64_t block = 0; block < cut->block_count; ++block) one(user, cut, block);
}

typedef struct range_job {
    pli_range_fn body;
    void *user;
} range_job;

static void run_range(void *user, const block_cut *cut, int64_t block)
{
    const range_job *job = user;
    job->body(job->user, block * cut->size, block_end(cut, block));
}

void pli_parallel_for(const pli_context *context, int64_t count, int64_t grain, pli_range_fn body,
                      void *user)
{
    block_cut cut = cut_blocks(count, grain);
    range_job job = {body, user};
    run_blocks(context, &cut, run_range, &job);
}

typedef struct sum_job {
    pli_range_sum_fn body;
    void *user;
    pli_sum partial[MAX_BLOCKS];
} sum_job;

static void run_sum(void *user, const block_cut *cut, int64_t block)
{
    sum_job *job = user;
    job->partial[block] = job->body(job->user, block * cut->size, block_end(cut, block));
}

pli_sum pli_parallel_sum(const pli_context *context, int64_t count, int64_t grain,
                         pli_range_sum_fn body, void *user)
{
    block_cut cut = cut_blocks(count, grain);
    sum_job job;
    job.body = body;
    job.user = user;
    run_blocks(context, &cut, run_sum, &job);

    // combine in block order, whoever computed the blocks
    pli_sum sum = {0, 0};
    for (int64_t block = 0; block < cut.block_count; ++block) {
        pli_sum_merge(&sum, job.partial[block]);
    }
    return sum;
}

typedef struct max_job {
    pli_range_max_fn body;
    void *user;
    double partial[MAX_BLOCKS];
} max_job;

static void run_max(void *user, const block_cut *cut, int64_t block)
{
    max_job *job = user;
    job->partial[block] = job->body(job->user, block * cut->size, block_end(cut, block));
}

double pli_parallel_max(const pli_context *context, int64_t count, int64_t grain,
                        pli_range_max_fn body, void *user)
{
    block_cut cut = cut_blocks(count, grain);
    max_job job;
    job.body = body;
    job.user = user;
    run_blocks(context, &cut, run_max, &job);

    double largest = -INFINITY;
    for (int64_t block = 0; block < cut.block_count; ++block) {
        // a NaN must not be hidden by the comparison
        if (job.partial[block] > largest || isnan(job.partial[block])) largest = job.partial[block];
        if (isnan(largest)) break;
    }
    return largest;
}
