// SPDX-License-Identifier: Apache-2.0
//
// Multigrid on the nodes of a grid, for a ball of 44 thousand nodes with springs to all neighbours
// within two spacings: what it costs to build all levels, and what a cycle costs, both in multiples
// of the time that it takes to read the matrix of the finest level once at the speed of a copy.
#include "bench.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timers.h"
#include "mpm/implicit/node_multigrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MIDDLE = 64, RADIUS = 22, REACH = 2, SIDE = 2 * REACH + 1, REPEATS = 7, MOST_LEVELS = 4 };

typedef struct hot_ball {
    pli_context *context;
    pli_node_grid *grid;
    pli_ell *matrix;
    double *r; // [count][3]
    double *z;
    pli_node_multigrid *multigrid;
    pli_status status; // of the last build
} hot_ball;

// ---- the ball

static pli_status fill_grid(pli_node_grid *grid)
{
    int32_t at[3];
    for (at[0] = MIDDLE - RADIUS; at[0] <= MIDDLE + RADIUS; ++at[0]) {
        for (at[1] = MIDDLE - RADIUS; at[1] <= MIDDLE + RADIUS; ++at[1]) {
            for (at[2] = MIDDLE - RADIUS; at[2] <= MIDDLE + RADIUS; ++at[2]) {
                int32_t square = 0;
                for (int a = 0; a < 3; ++a) square += (at[a] - MIDDLE) * (at[a] - MIDDLE);
                if (square > RADIUS * RADIUS) continue;
                PLI_TRY(pli_node_grid_mark(grid, at, 1));
            }
        }
    }
    return pli_node_grid_finish(grid);
}

// A spring that also resists shear, by the slot it stands in.
static void set_springs(double springs[][9])
{
    for (int32_t slot = 0; slot < SIDE * SIDE * SIDE; ++slot) {
        const int32_t d[3] = {slot / SIDE / SIDE - REACH, slot / SIDE % SIDE - REACH,
                              slot % SIDE - REACH};
        int32_t square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (int e = 0; e < 9; ++e) {
            double along = square > 0 ? (double)(d[e / 3] * d[e % 3]) / square : 0;
            springs[slot][e] = square > 0 ? exp(-0.5 * square) * (along + 0.1 * (e % 4 == 0)) : 0;
        }
    }
}

static void fill_matrix(void *user, int64_t begin, int64_t end)
{
    pli_ell *matrix = user;
    double springs[SIDE * SIDE * SIDE][9];
    set_springs(springs);
    for (int64_t slot = begin * matrix->width; slot < end * matrix->width; ++slot) {
        double *D = matrix->values + 9 * (slot / matrix->width * matrix->width + matrix->center);
        int64_t place = slot % matrix->width;
        if (matrix->column[slot] < 0) continue;
        for (int e = 0; e < 9; ++e) {
            D[e] += springs[place][e] + (place == matrix->center && e % 4 == 0 ? 1e-3 : 0);
            if (place != matrix->center) matrix->values[9 * slot + e] = -springs[place][e];
        }
    }
}

static pli_status make_ball(pli_context *context, hot_ball *ball)
{
    enum { SLOTS = SIDE * SIDE * SIDE };
    *ball = (hot_ball){.context = context};
    PLI_TRY(pli_node_grid_create(context, &ball->grid));
    PLI_TRY(fill_grid(ball->grid));
    PLI_TRY(pli_ell_create(context, ball->grid->count, SLOTS, SLOTS / 2, &ball->matrix));
    pli_node_grid_neighbors(ball->grid, REACH, ball->matrix->column);
    pli_parallel_for(context, ball->grid->count, 64, fill_matrix, ball->matrix);
    int64_t size = 3 * (int64_t)ball->grid->count;
    ball->r = PLI_NEW(context, double, size, "right-hand side");
    ball->z = PLI_NEW(context, double, size, "solution");
    if (ball->r == NULL || ball->z == NULL) return PLI_ERROR_MEMORY;
    for (int64_t i = 0; i < size; ++i) ball->r[i] = sin(0.01 * (double)i);
    return PLI_OK;
}

static void destroy_ball(hot_ball *ball)
{
    pli_node_multigrid_destroy(ball->multigrid);
    pli_release(ball->context, ball->r);
    pli_release(ball->context, ball->z);
    pli_ell_destroy(ball->matrix);
    pli_node_grid_destroy(ball->grid);
}

// ---- times

static void run_build(void *user)
{
    hot_ball *ball = user;
    ball->status = pli_node_multigrid_build(ball->multigrid, ball->grid, ball->matrix, NULL);
}

static void run_cycle(void *user)
{
    hot_ball *ball = user;
    pli_node_multigrid_apply(ball->multigrid, ball->r, ball->z);
}

typedef struct hot_times {
    double build;
    double cycle;
    double smooth; // of a cycle
    double coarsest;
} hot_times;

static pli_status time_levels(hot_ball *ball, const pli_node_multigrid_def *def, hot_times *times)
{
    pli_timers timers;
    pli_node_multigrid_destroy(ball->multigrid);
    ball->multigrid = NULL;
    PLI_TRY(pli_node_multigrid_create(ball->context, def, &ball->multigrid));
    times->build = pli_bench_best_seconds(run_build, ball, REPEATS);
    PLI_TRY(ball->status);
    times->cycle = INFINITY;
    for (int k = 0; k < REPEATS && def->level_count > 1; ++k) {
        pli_timers_clear(&timers);
        pli_node_multigrid_set_timers(ball->multigrid, &timers);
        double start = pli_clock_seconds();
        run_cycle(ball);
        double seconds = pli_clock_seconds() - start;
        if (seconds > times->cycle) continue;
        times->cycle = seconds;
        times->smooth = pli_timers_seconds(&timers, "smooth");
        times->coarsest = pli_timers_seconds(&timers, "coarsest");
    }
    pli_node_multigrid_set_timers(ball->multigrid, NULL);
    return PLI_OK;
}

static void note_levels(pli_bench *bench, const hot_ball *ball, const hot_times *times,
                        double reading)
{
    for (int32_t l = 0; l < pli_node_multigrid_level_count(ball->multigrid); ++l) {
        pli_node_level_info info = pli_node_multigrid_get_level(ball->multigrid, l);
        double before = l > 0 ? times[l - 1].build : 0;
        pli_bench_note(
            bench, "hot, level %d: %d nodes, %.1f blocks a row, %.0f MB, built in %.1f ms", (int)l,
            (int)info.node_count, (double)info.block_count / (double)info.node_count,
            1e-6 * (double)info.memory, 1e3 * (times[l].build - before));
    }
    pli_bench_note(bench, "hot: the finest matrix is read in %.1f ms at the speed of a copy",
                   1e3 * reading);
}

static pli_status measure_ball(pli_bench *bench, hot_ball *ball)
{
    hot_times times[MOST_LEVELS];
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    double reading = (double)pli_ell_memory_bytes(ball->matrix) / pli_bench_copy_bandwidth(bench);
    for (int32_t l = 0; l < MOST_LEVELS; ++l) {
        def.level_count = l + 1;
        PLI_TRY(time_levels(ball, &def, &times[l]));
    }
    note_levels(bench, ball, times, reading);
    const hot_times *three = &times[2];
    pli_bench_note(bench,
                   "hot: a cycle of three levels in %.1f ms, %.1f of them smoothing, %.1f "
                   "on the coarsest level",
                   1e3 * three->cycle, 1e3 * three->smooth, 1e3 * three->coarsest);
    pli_bench_claim(bench, &(pli_claim){"hot-build", "three levels, readings of the finest matrix",
                                        "-", three->build / reading, "x", 0, 15});
    pli_bench_claim(bench, &(pli_claim){"hot-cycle", "V-cycle, readings of the finest matrix",
                                        "5 if memory-bound and naive", three->cycle / reading, "x",
                                        0, 10});
    pli_bench_claim(bench,
                    &(pli_claim){"hot-cycle", "build of three levels over a V-cycle",
                                 "4 (another code)", three->build / three->cycle, "x", 0, 4});
    return PLI_OK;
}

pli_status pli_bench_kernels_hot(pli_bench *bench)
{
    hot_ball ball;
    pli_status status = make_ball(pli_bench_context(bench), &ball);
    if (status == PLI_OK) status = measure_ball(bench, &ball);
    destroy_ball(&ball);
    return status;
}
