// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops and sums whose results do not depend on the number of workers.
//
// A loop over count items is cut into blocks by count and grain alone, never by the number of
// workers. Bodies of different blocks must not write to the same place. Sums are formed per block
// and combined in block order with compensation, so they have the same bits for 1 or 64 workers.
// Nested calls run serially. This is the only file that knows OpenMP.
//
// Teams. Starting a loop wakes sleeping threads, which takes 10 to 100 us: longer than a whole pass
// over a vector of a small system. Inside pli_parallel_team the workers of the context stand by
// instead: every loop that the body starts is handed to them through shared memory, in well under a
// microsecond. A worker that gets nothing to do for some 100 us goes to sleep, so that a team does
// not burn the processors of others, and a loop never waits for a worker that has not begun with
// it: on a busy machine the body does all the work itself. Each worker begins with its own part of
// the blocks, the same in every loop of the same size, so that its caches serve it again; who is
// done early helps the others. None of this changes a result.
#ifndef PLI_BASE_PARALLEL_H
#define PLI_BASE_PARALLEL_H

#include "base/context.h"

#include <math.h>

// How many of so many workers the system lets us have, at least 1: the run-time of OpenMP ends the
// program when it cannot make a thread.
int32_t pli_parallel_probe(int32_t wanted);

// A sum that carries its own rounding error: the value is hi + lo.
typedef struct pli_sum {
    double hi;
    double lo;
} pli_sum;

// sum += value with the rounding error of the addition kept (Knuth 1969, two-sum).
static inline void pli_sum_add(pli_sum *sum, double value)
{
    double total = sum->hi + value;
    double part = total - sum->hi;
    sum->lo += (sum->hi - (total - part)) + (value - part);
    sum->hi = total;
}

// Adds another sum; infinities stay infinities instead of turning into NaN by compensation.
static inline void pli_sum_merge(pli_sum *sum, pli_sum other)
{
    if (!isfinite(sum->hi) || !isfinite(other.hi)) {
        *sum = (pli_sum){sum->hi + other.hi, 0};
        return;
    }
    pli_sum_add(sum, other.hi);
    sum->lo += other.lo;
}

static inline double pli_sum_value(pli_sum sum)
{
    return sum.hi + sum.lo;
}

// a - b without losing what the low parts know.
static inline double pli_sum_difference(pli_sum a, pli_sum b)
{
    return (a.hi - b.hi) + (a.lo - b.lo);
}

typedef void (*pli_range_fn)(void *user, int64_t begin, int64_t end);
typedef pli_sum (*pli_range_sum_fn)(void *user, int64_t begin, int64_t end);
typedef double (*pli_range_max_fn)(void *user, int64_t begin, int64_t end);
typedef void (*pli_task_fn)(void *user);

// Two sums that one pass over the data gives.
typedef struct pli_sum_pair {
    pli_sum first;
    pli_sum second;
} pli_sum_pair;

typedef pli_sum_pair (*pli_range_sum_pair_fn)(void *user, int64_t begin, int64_t end);

// Calls body for blocks that cover [0, count). A block has at least grain items, except the last.
void pli_parallel_for(const pli_context *context, int64_t count, int64_t grain, pli_range_fn body,
                      void *user);

// The sum of what body returns for the blocks of [0, count).
pli_sum pli_parallel_sum(const pli_context *context, int64_t count, int64_t grain,
                         pli_range_sum_fn body, void *user);

// Both sums of what body returns for the blocks of [0, count).
pli_sum_pair pli_parallel_sum_pair(const pli_context *context, int64_t count, int64_t grain,
                                   pli_range_sum_pair_fn body, void *user);

// The largest of what body returns; -infinity when count is 0.
double pli_parallel_max(const pli_context *context, int64_t count, int64_t grain,
                        pli_range_max_fn body, void *user);

// Calls body once, on the calling thread, with a team standing by for the loops in it. For work of
// many short loops, such as an iterative solve; inside another team, or inside a loop, it is a
// plain call.
void pli_parallel_team(const pli_context *context, pli_task_fn body, void *user);

// Calls body once, on the calling thread. Libraries in it that start loops of their own get
// thread_count threads for them, and none besides the calling one when that is 1, whatever they
// ask for.
void pli_parallel_host(int32_t thread_count, pli_task_fn body, void *user);

#endif
