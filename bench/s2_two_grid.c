// SPDX-License-Identifier: Apache-2.0
//
// What coarse spaces are worth: the four set-ups of table 3 on a creature of 14.8k vertices, and
// what smooth weights cost. The paper looks at an arbitrary frame; what is left of an error depends
// on the frame by a factor of four, so it is the median of several that is judged.
#include "s2.h"
#include "s2_problem.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/timers.h"
#include "linear/matrix/vector.h"
#include "support/two_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 7, FRAME_STEP = 8, SWEEPS = 3 }; // frames 8, 16, ... 56

typedef struct set_up {
    int32_t nodes;
    int32_t dofs;
    bool smooth;
    const char *paper;
    double low; // band of rho
    double high;
} set_up;

// the second is judged against the first, the fourth against the third
enum { CONSTANT, SMOOTH, POSITIONS, MORE_POSITIONS, SET_UPS };

static const set_up set_ups[SET_UPS] = {
    [CONSTANT] = {100, 12, false, "0.058", 0, 0.15},
    [SMOOTH] = {100, 12, true, "0.019", 0, 0.08},
    [POSITIONS] = {100, 3, false, "0.494", 0.3, 1},
    [MORE_POSITIONS] = {400, 3, false, "0.407", 0, 1},
};

typedef struct space_result {
    double reduction; // rho, the median of all frames
    double least;     // of all frames
    double most;
    double idempotence; // |S S v - S v| / |S v|
    double entries;     // of U^T A U
    double memory;      // of the coarse level in a multigrid (bytes)
    double build;       // seconds of its numeric part
} space_result;

// A creature or an octopus, and right-hand sides of several of its frames; the matrix is the same.
typedef struct spaces {
    pli_bench *bench;
    pli_s2_problem problem;
    pli_bcsr *matrix;
    double *loads; // [FRAMES][size] (N)
} spaces;

static void spaces_clear(spaces *self)
{
    pli_release(pli_bench_context(self->bench), self->loads);
    pli_bcsr_destroy(self->matrix);
    if (self->problem.context != NULL) pli_s2_problem_clear(&self->problem);
}

static pli_status spaces_init(spaces *self, pli_bench *bench, const pli_s2_row *row)
{
    pli_s2_problem *p = &self->problem;
    *self = (spaces){.bench = bench};
    PLI_TRY(pli_s2_problem_init(p, bench, row, NULL, FRAME_STEP - 1));
    PLI_TRY(pli_s2_problem_blocks(p, &self->matrix));
    self->loads = PLI_NEW(p->context, double, FRAMES * p->size, "right-hand sides");
    if (self->loads == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < FRAMES; ++k) {
        if (k > 0) PLI_TRY(pli_s2_problem_advance(p, FRAME_STEP - 1));
        pli_vector_copy(p->context, p->size, p->b, self->loads + k * p->size);
    }
    return PLI_OK;
}

static pli_status measure_idempotence(const pli_s2_problem *p, const pli_two_grid *grid,
                                      double *error)
{
    pli_status status = PLI_ERROR_MEMORY;
    pli_arena_mark mark = pli_arena_begin(p->arena);
    double *v = pli_arena_doubles(p->arena, p->size, "vector");
    double *once = pli_arena_doubles(p->arena, p->size, "vector");
    if (v == NULL || once == NULL) goto done;
    for (int64_t k = 0; k < p->size; ++k) {
        v[k] = pli_random_range((pli_random){1, 2}, (uint64_t)k, -1, 1);
    }
    status = pli_two_grid_project(grid, v, p->arena, once);
    if (status != PLI_OK) goto done;
    status = pli_two_grid_project(grid, once, p->arena, v);
    if (status != PLI_OK) goto done;
    pli_vector_subtract(p->context, p->size, v, once, v);
    *error = pli_vector_norm(p->context, p->size, v) / pli_vector_norm(p->context, p->size, once);

done:
    pli_arena_end(p->arena, mark);
    return status;
}

static int by_size(const void *first, const void *second)
{
    double a = *(const double *)first;
    double b = *(const double *)second;
    return (a > b) - (a < b);
}

static pli_status measure_frames(const spaces *self, const pli_two_grid *grid, space_result *result)
{
    const pli_s2_problem *p = &self->problem;
    double reductions[FRAMES];
    for (int32_t k = 0; k < FRAMES; ++k) {
        pli_two_grid_report report;
        const double *b = self->loads + k * p->size;
        PLI_TRY(pli_two_grid_measure(grid, b, SWEEPS, p->arena, &report));
        reductions[k] = report.reduction;
    }
    qsort(reductions, FRAMES, sizeof *reductions, by_size);
    result->reduction = reductions[FRAMES / 2];
    result->least = reductions[0];
    result->most = reductions[FRAMES - 1];
    return PLI_OK;
}

static pli_status measure_grid(const spaces *self, const pli_hierarchy *hierarchy,
                               space_result *result)
{
    const pli_s2_problem *p = &self->problem;
    pli_two_grid *grid = NULL;
    pli_two_grid_def def = {.matrix = self->matrix, .hierarchy = hierarchy, .isotropic = true};
    PLI_TRY(pli_two_grid_create(p->context, &def, &grid));
    pli_status status = measure_frames(self, grid, result);
    if (status == PLI_OK) status = measure_idempotence(p, grid, &result->idempotence);
    result->entries = (double)pli_two_grid_entry_count(grid);
    pli_two_grid_destroy(grid);
    return status;
}

// What the same level costs inside of a multigrid.
static pli_status measure_cost(const pli_s2_problem *p, const pli_hierarchy *hierarchy,
                               space_result *result)
{
    pli_multigrid *multigrid = NULL;
    pli_vcycle_def def;
    bool definite = false;
    const pli_lifted *matrix = pli_local_global_matrix(p->global);
    PLI_TRY(pli_multigrid_parse(p->context, "direct/GS(3)", 2, &def));
    def.single = true;
    PLI_TRY(pli_multigrid_create_lifted(p->context, &def, hierarchy, matrix, &multigrid));
    pli_status status = pli_multigrid_build(multigrid, NULL, &definite);
    double start = pli_clock_seconds();
    if (status == PLI_OK) status = pli_multigrid_build(multigrid, NULL, &definite);
    result->build = pli_clock_seconds() - start;
    result->memory = (double)pli_multigrid_get_level(multigrid, 1).memory_bytes;
    pli_multigrid_destroy(multigrid);
    return status;
}

static pli_status measure_space(const spaces *self, const set_up *one, space_result *result)
{
    const pli_s2_problem *p = &self->problem;
    pli_hierarchy *hierarchy = NULL;
    *result = (space_result){0};
    double start = pli_clock_seconds();
    PLI_TRY(pli_s2_problem_hierarchy(p, 1, &one->nodes, one->dofs, one->smooth, &hierarchy));
    double seconds = pli_clock_seconds() - start;
    pli_status status = measure_grid(self, hierarchy, result);
    if (status == PLI_OK) status = measure_cost(p, hierarchy, result);
    pli_bench_note(self->bench,
                   "%d nodes of %d, %s: made in %.2f s, rho %.4f (%.4f to %.4f), %.0f entries",
                   (int)one->nodes, (int)one->dofs, one->smooth ? "smooth" : "constant", seconds,
                   result->reduction, result->least, result->most, result->entries);
    pli_hierarchy_destroy(hierarchy);
    return status;
}

static void claim_spaces(pli_bench *bench, const space_result *results)
{
    double idempotence = 0;
    for (int k = 0; k < SET_UPS; ++k) {
        const set_up *one = &set_ups[k];
        char what[80];
        snprintf(what, sizeof what, "rho, %d nodes of %d, %s weights", (int)one->nodes,
                 (int)one->dofs, one->smooth ? "smooth" : "constant");
        pli_bench_claim(bench, &(pli_claim){"Q2-1", what, one->paper, results[k].reduction, "",
                                            one->low, one->high});
        idempotence = fmax(idempotence, results[k].idempotence);
    }
    bool ordered = results[SMOOTH].reduction < results[CONSTANT].reduction &&
                   results[CONSTANT].reduction < results[MORE_POSITIONS].reduction &&
                   results[MORE_POSITIONS].reduction < results[POSITIONS].reduction;
    pli_bench_claim(bench, &(pli_claim){"Q2-1", "ordered as in table 3", "1", ordered, "", 1, 1});
    pli_bench_claim(bench,
                    &(pli_claim){"Q2-10", "S S v = S v, relative", "0", idempotence, "", 0, 1e-10});
    const space_result *plain = &results[CONSTANT];
    const space_result *smooth = &results[SMOOTH];
    pli_bench_claim(bench, &(pli_claim){"Q2-2", "smooth weights: entries of the coarse matrix", "5",
                                        smooth->entries / plain->entries, "x", 4, INFINITY});
    pli_bench_claim(bench, &(pli_claim){"Q2-2", "smooth weights: seconds of the coarse matrices",
                                        "10", smooth->build / plain->build, "x", 3, INFINITY});
}

// Figure 3: entries of the octopus' coarse matrix of 400 nodes against those of the finest.
static pli_status run_octopus(pli_bench *bench)
{
    static const set_up plain = {.nodes = 400, .dofs = 12, .smooth = false};
    static const set_up smooth = {.nodes = 400, .dofs = 12, .smooth = true};
    spaces self;
    space_result few;
    space_result many;
    pli_status status = spaces_init(&self, bench, &pli_s2_octopus);
    if (status == PLI_OK) status = measure_space(&self, &plain, &few);
    if (status == PLI_OK) status = measure_space(&self, &smooth, &many);
    if (status == PLI_OK) {
        double fine = 3.0 * (double)self.matrix->block_count;
        pli_bench_claim(bench,
                        &(pli_claim){"Q2-2", "octopus, 400 nodes: smooth entries over finest",
                                     "0.75", many.entries / fine, "x", NAN, NAN});
        pli_bench_claim(bench,
                        &(pli_claim){"Q2-2", "octopus, 400 nodes: constant entries over finest",
                                     "-", few.entries / fine, "x", NAN, NAN});
    }
    spaces_clear(&self);
    return status;
}

static pli_status run_creature(pli_bench *bench)
{
    spaces self;
    space_result results[SET_UPS];
    pli_status status = spaces_init(&self, bench, &pli_s2_creatures[2]);
    for (int k = 0; status == PLI_OK && k < SET_UPS; ++k) {
        status = measure_space(&self, &set_ups[k], &results[k]);
    }
    if (status == PLI_OK) claim_spaces(bench, results);
    spaces_clear(&self);
    return status;
}

pli_status pli_bench_s2_two_grid(pli_bench *bench)
{
    PLI_TRY(run_creature(bench));
    return pli_bench_is_paper_size(bench) ? run_octopus(bench) : PLI_OK;
}
