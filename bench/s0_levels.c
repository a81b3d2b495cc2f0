// SPDX-License-Identifier: Apache-2.0
//
// What levels are made of (Wang et al. 2020, figures 7 and 8): the width of the functions that join
// nodes of a level with particles, and how many blocks the rows of their matrices have.
#include "s0.h"

#include "base/context.h"
#include "base/memory.h"
#include "mpm/implicit/node_multigrid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- Q0-17: widths

enum { LENGTH = 64, BREADTH = 8, LEVELS = 4, SLOTS = 27 };

typedef struct beam {
    pli_context *context;
    pli_node_grid *grid;
    pli_ell *matrix;
    pli_node_multigrid *multigrid;
    double *values[2]; // [count][3]
} beam;

// Nodes of a long box, and some matrix on them.
static pli_status make_nodes(beam *b)
{
    PLI_TRY(pli_node_grid_create(b->context, &b->grid));
    for (int32_t k = 0; k < LENGTH * BREADTH * BREADTH; ++k) {
        const int32_t at[3] = {k / (BREADTH * BREADTH), k / BREADTH % BREADTH, k % BREADTH};
        PLI_TRY(pli_node_grid_mark(b->grid, at, 1));
    }
    PLI_TRY(pli_node_grid_finish(b->grid));
    PLI_TRY(pli_ell_create(b->context, b->grid->count, SLOTS, SLOTS / 2, &b->matrix));
    pli_node_grid_neighbors(b->grid, 1, b->matrix->column);
    for (int64_t node = 0; node < b->grid->count; ++node) {
        double *block = b->matrix->values + 9 * (node * SLOTS + SLOTS / 2);
        for (int e = 0; e < 9; e += 4) block[e] = 1;
    }
    for (int k = 0; k < 2; ++k) {
        b->values[k] = PLI_NEW(b->context, double, 3 * (int64_t)b->grid->count, "values");
        if (b->values[k] == NULL) return PLI_ERROR_MEMORY;
    }
    return PLI_OK;
}

static void destroy_beam(beam *b)
{
    for (int k = 0; k < 2; ++k) pli_release(b->context, b->values[k]);
    pli_node_multigrid_destroy(b->multigrid);
    pli_ell_destroy(b->matrix);
    pli_node_grid_destroy(b->grid);
}

// The node of a level that is nearest to the middle of the box along it.
static int32_t find_middle(const pli_node_grid *grid)
{
    int32_t low = INT32_MAX, high = 0, best = 0;
    for (int32_t k = 0; k < grid->count; ++k) {
        int32_t x = grid->at[3 * k];
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    for (int32_t k = 0; k < grid->count; ++k) {
        int32_t twice = 2 * grid->at[3 * k] - low - high;
        int32_t least = 2 * grid->at[3 * best] - low - high;
        if (abs(twice) < abs(least)) best = k;
    }
    return best;
}

static void clear_values(int64_t count, double *values)
{
    for (int64_t k = 0; k < 3 * count; ++k) values[k] = 0;
}

// Half of the width along x of what a node of a level gives particles, in cells of this level: half
// of the way between the outermost nodes of the grid that it reaches, and 1.5 cells of the grid, as
// far as the quadratic spline of those reaches.
static double measure_width(const beam *b, int32_t level)
{
    const pli_node_grid *coarse = pli_node_multigrid_grid(b->multigrid, level);
    clear_values(coarse->count, b->values[0]);
    b->values[0][3 * (int64_t)find_middle(coarse)] = 1;
    for (int32_t l = level; l > 0; --l) {
        double *above = b->values[(level - l) % 2], *below = b->values[(level - l + 1) % 2];
        clear_values(pli_node_multigrid_grid(b->multigrid, l - 1)->count, below);
        pli_node_multigrid_prolong(b->multigrid, l - 1, above, below);
    }
    const double *reached = b->values[level % 2];
    int32_t low = INT32_MAX, high = 0;
    for (int64_t k = 0; k < b->grid->count; ++k) {
        int32_t x = b->grid->at[3 * k];
        if (!(fabs(reached[3 * k]) > 0)) continue;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    return ((high - low) / 2.0 + 1.5) / ldexp(1, level);
}

static pli_status claim_widths(pli_bench *bench, beam *b, pli_embedding_kind embedding)
{
    static const char *const names[] = {"linear", "quadratic"};
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    def.level_count = LEVELS;
    def.embedding = embedding;
    pli_node_multigrid_destroy(b->multigrid);
    b->multigrid = NULL;
    PLI_TRY(pli_node_multigrid_create(b->context, &def, &b->multigrid));
    PLI_TRY(pli_node_multigrid_build(b->multigrid, b->grid, b->matrix, NULL));
    for (int32_t level = 0; level < pli_node_multigrid_level_count(b->multigrid); ++level) {
        // 1 + 1/2^(l+1), and 2 - 1/2^(l+1)
        double part = ldexp(0.5, -level);
        double expected = embedding == PLI_EMBEDDING_LINEAR ? 1 + part : 2 - part;
        char what[96], paper[32];
        snprintf(what, sizeof what, "%s embedding, level %d: half of the kernel's width",
                 names[embedding], (int)level);
        snprintf(paper, sizeof paper, "%g", expected);
        pli_bench_claim(bench, &(pli_claim){"Q0-17", what, paper, measure_width(b, level), "cells",
                                            expected, expected});
    }
    return PLI_OK;
}

// ---- Q0-21: blocks of a row

enum { MOST_LEVELS = 5, KINDS = 3 };

// Levels of the first step of a scene.
static pli_status count_blocks(pli_bench *bench, const char *solver, pli_grid_report *grid)
{
    char name[64];
    const char *overrides[] = {name,
                               "solver.fixed_iterations=1",
                               "solver.grid.levels=5",
                               "time.steps_per_frame=10",
                               pli_bench_is_paper_size(bench) ? "domain.cell=0.04" : NULL,
                               NULL};
    pli_bench_scene scene;
    pli_step_report report;
    snprintf(name, sizeof name, "solver.name=%s", solver);
    PLI_TRY(pli_bench_scene_init(&scene, bench, "mixed/armacat-stiff", overrides));
    pli_status status = pli_solver_step(scene.solver, scene.state, &report);
    *grid = report.grid;
    pli_bench_scene_clear(&scene);
    return status;
}

static double blocks_of(const pli_grid_report *grid, int32_t level)
{
    return (double)grid->level_blocks[level] / grid->level_nodes[level];
}

static pli_status claim_blocks(pli_bench *bench)
{
    static const char *const solvers[KINDS] = {"hot", "hot-quadratic", "lbfgs-gmg"};
    pli_grid_report grids[KINDS];
    for (int k = 0; k < KINDS; ++k) PLI_TRY(count_blocks(bench, solvers[k], &grids[k]));
    int32_t levels = MOST_LEVELS;
    for (int k = 0; k < KINDS; ++k) {
        levels = grids[k].level_count < levels ? grids[k].level_count : levels;
    }
    double worst = 0;
    for (int32_t l = 0; l < levels; ++l) {
        double blocks[KINDS];
        for (int k = 0; k < KINDS; ++k) blocks[k] = blocks_of(&grids[k], l);
        pli_bench_note(bench,
                       "armacat-stiff, level %d: blocks a row %.1f by linear, %.1f by quadratic "
                       "embedding, %.1f summed over particles; nodes %d, %d, %d",
                       (int)l, blocks[0], blocks[1], blocks[2], (int)grids[0].level_nodes[l],
                       (int)grids[1].level_nodes[l], (int)grids[2].level_nodes[l]);
        if (l >= 2) worst = fmax(worst, blocks[0] / blocks[2]);
    }
    pli_bench_claim(bench,
                    &(pli_claim){"Q0-21", "blocks a row by embedding over geometric, from level 2",
                                 "< 1", worst, "x", 0, 1});
    return PLI_OK;
}

pli_status pli_bench_s0_levels(pli_bench *bench)
{
    beam b = {.context = pli_bench_context(bench)};
    pli_status status = make_nodes(&b);
    if (status == PLI_OK) status = claim_widths(bench, &b, PLI_EMBEDDING_LINEAR);
    if (status == PLI_OK) status = claim_widths(bench, &b, PLI_EMBEDDING_QUADRATIC);
    destroy_beam(&b);
    return status == PLI_OK ? claim_blocks(bench) : status;
}
