// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

// Built without OpenMP, everything is done by the calling thread (PLIANT_OPENMP=OFF).
#ifndef _OPENMP
#define omp_get_max_threads() 1
#define omp_get_max_active_levels() 1
#define omp_get_thread_num() 0
#define omp_in_parallel() 1
#define omp_set_num_threads(count) ((void)(count))
#define omp_set_max_active_levels(count) ((void)(count))
#endif

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

typedef void (*block_fn)(void *user, const block_cut *cut, int64_t block);

// ---- teams

enum {
    TEAM_LIMIT = 64,     // workers of a team
    LOOKS = 4096,        // looks for a job before a worker sleeps, some 20 ns each
    LOOKS_IN_A_ROW = 64, // looks before a waiting thread offers its processor to others
    CACHE_LINE = 64
};

// The state of a job in one word, so that joining and closing can't cross each other: how many
// workers are at it, whether more may join, and its number.
static const uint64_t joined_mask = 0xffff;
static const uint64_t open_bit = 1 << 16;
static const uint64_t over_bit = 1 << 17; // there will be no more jobs
static const uint64_t job_unit = (uint64_t)1 << 32;

// Blocks that one worker begins with.
typedef struct block_share {
    _Alignas(CACHE_LINE) _Atomic int64_t next;
    int64_t end;
} block_share;

// The owner runs the body of a team and posts jobs, the other workers join them.
typedef struct team {
    const pli_context *context;
    pli_task_fn body;
    void *body_user;
    int worker_count; // the owner included

    // the job, written by the owner while nobody has joined
    const block_cut *cut;
    block_fn one;
    void *user;
    block_share shares[TEAM_LIMIT];

    _Alignas(CACHE_LINE) _Atomic uint64_t state;
    _Atomic int32_t sleeper_count; // changes under the lock only
    pthread_mutex_t lock;
    pthread_cond_t wake;
} team;

// The team whose owner the calling thread is, as long as it may post jobs: a job has to come from
// the body itself, not from a loop inside it.
static _Thread_local team *own_team = NULL;

// Between two looks at a word that another thread will change.
static void relax(int looks)
{
    if (looks % LOOKS_IN_A_ROW == 0) {
        sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Works off blocks, those of the own share first.
static void work_shares(team *t, int worker)
{
    for (int k = 0; k < t->worker_count; ++k) {
        block_share *share = &t->shares[(worker + k) % t->worker_count];
        for (;;) {
            if (atomic_load_explicit(&share->next, memory_order_relaxed) >= share->end) break;
            int64_t block = atomic_fetch_add_explicit(&share->next, 1, memory_order_relaxed);
            if (block >= share->end) break;
            t->one(t->user, t->cut, block);
        }
    }
}

// Publishes a new state and wakes those who sleep.
static void publish(team *t, uint64_t state)
{
    atomic_store(&t->state, state);
    if (atomic_load(&t->sleeper_count) == 0) return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

// Posts a job, takes part in it, and returns when it is done.
static void run_job(team *t, const block_cut *cut, block_fn one, void *user)
{
    t->cut = cut;
    t->one = one;
    t->user = user;
    for (int k = 0; k < t->worker_count; ++k) {
        int64_t begin = cut->block_count * k / t->worker_count;
        atomic_store_explicit(&t->shares[k].next, begin, memory_order_relaxed);
        t->shares[k].end = cut->block_count * (k + 1) / t->worker_count;
    }
    uint64_t number = (atomic_load(&t->state) / job_unit + 1) * job_unit;
    publish(t, number | open_bit);
    own_team = NULL;
    work_shares(t, 0);
    own_team = t;

    // nobody else may join; wait for those who did
    atomic_fetch_and(&t->state, ~open_bit);
    for (int looks = 1; (atomic_load(&t->state) & joined_mask) != 0; ++looks) relax(looks);
}

// Whether a worker that has seen job `seen` has a reason to look closer.
static bool has_news(team *t, uint64_t seen)
{
    uint64_t state = atomic_load(&t->state);
    return (state & over_bit) != 0 || ((state & open_bit) != 0 && state / job_unit != seen);
}

static void wait_for_news(team *t, uint64_t seen)
{
    for (int looks = 1; looks < LOOKS; ++looks) {
        if (has_news(t, seen)) return;
        relax(looks);
    }
    // the owner looks at the count after it published, we look for news after we counted
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleeper_count, 1);
    while (!has_news(t, seen)) pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->sleeper_count, 1);
    pthread_mutex_unlock(&t->lock);
}

// Joins one job after another until there are no more.
static void stand_by(team *t, int worker)
{
    uint64_t seen = 0;
    for (;;) {
        wait_for_news(t, seen);
        uint64_t state = atomic_load(&t->state);
        if ((state & over_bit) != 0) return;
        if ((state & open_bit) == 0) continue;
        // when another worker came first, or the job was closed, look again
        if (!atomic_compare_exchange_strong(&t->state, &state, state + 1)) continue;
        seen = state / job_unit;
        work_shares(t, worker);
        atomic_fetch_sub(&t->state, 1);
    }
}

static void own(team *t)
{
    own_team = t;
    t->body(t->body_user);
    own_team = NULL;
    publish(t, atomic_load(&t->state) | over_bit);
}

// Of so many workers, those that can be made now: under a limit on addresses there may be room for
// fewer than there was in the beginning, and OpenMP would end the program.
static int available(int workers)
{
    struct rlimit limit;
    bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited ? pli_parallel_probe(workers) : workers;
}

void pli_parallel_team(const pli_context *context, pli_task_fn body, void *user)
{
    int workers = (int)pli_context_thread_count(context);
    if (workers > TEAM_LIMIT) workers = TEAM_LIMIT;
    bool is_inside = own_team != NULL || omp_in_parallel();
    if (!is_inside) workers = available(workers);
    if (workers <= 1 || is_inside) {
        body(user);
        return;
    }
    team t = {.context = context, .body = body, .body_user = user, .worker_count = workers};
    pthread_mutex_init(&t.lock, NULL);
    pthread_cond_init(&t.wake, NULL);
#pragma omp parallel num_threads(workers)
    {
        int worker = omp_get_thread_num();
        if (worker == 0) {
            own(&t);
        } else {
            stand_by(&t, worker);
        }
    }
    pthread_cond_destroy(&t.wake);
    pthread_mutex_destroy(&t.lock);
}

void pli_parallel_host(int32_t thread_count, pli_task_fn body, void *user)
{
    int threads = omp_get_max_threads();
    int levels = omp_get_max_active_levels();
    omp_set_num_threads(thread_count);
    if (thread_count == 1) omp_set_max_active_levels(0);
    body(user);
    omp_set_max_active_levels(levels);
    omp_set_num_threads(threads);
}

// ---- loops

static int worker_count(const pli_context *context, const block_cut *cut)
{
    if (omp_in_parallel()) return 1;
    int64_t workers = pli_context_thread_count(context);
    return available((int)(workers < cut->block_count ? workers : cut->block_count));
}

// Calls one for every block, by as many workers as there are and make sense.
static void run_blocks(const pli_context *context, const block_cut *cut, block_fn one, void *user)
{
    if (own_team != NULL && own_team->context == context && cut->block_count > 1) {
        run_job(own_team, cut, one, user);
        return;
    }
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

typedef struct sum_pair_job {
    pli_range_sum_pair_fn body;
    void *user;
    pli_sum_pair partial[MAX_BLOCKS];
} sum_pair_job;

static void run_sum_pair(void *user, const block_cut *cut, int64_t block)
{
    sum_pair_job *job = user;
    job->partial[block] = job->body(job->user, block * cut->size, block_end(cut, block));
}

pli_sum_pair pli_parallel_sum_pair(const pli_context *context, int64_t count, int64_t grain,
                                   pli_range_sum_pair_fn body, void *user)
{
    block_cut cut = cut_blocks(count, grain);
    sum_pair_job job;
    job.body = body;
    job.user = user;
    run_blocks(context, &cut, run_sum_pair, &job);

    pli_sum_pair sums = {{0, 0}, {0, 0}};
    for (int64_t block = 0; block < cut.block_count; ++block) {
        pli_sum_merge(&sums.first, job.partial[block].first);
        pli_sum_merge(&sums.second, job.partial[block].second);
    }
    return sums;
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

// ---- how many there can be

// Holds threads until all that can be made are there.
typedef struct thread_gate {
    pthread_mutex_t lock;
} thread_gate;

static void *pass_gate(void *user)
{
    thread_gate *gate = user;
    pthread_mutex_lock(&gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return NULL;
}

int32_t pli_parallel_probe(int32_t wanted)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    thread_gate gate;
    if (wanted < 2 || wanted > MOST || pthread_mutex_init(&gate.lock, NULL) != 0) return wanted;
    int32_t made = 0;
    pthread_mutex_lock(&gate.lock);
    while (made < wanted - 1 && pthread_create(&threads[made], NULL, pass_gate, &gate) == 0) ++made;
    pthread_mutex_unlock(&gate.lock);
    for (int32_t k = 0; k < made; ++k) pthread_join(threads[k], NULL);
    pthread_mutex_destroy(&gate.lock);
    return made + 1;
}
