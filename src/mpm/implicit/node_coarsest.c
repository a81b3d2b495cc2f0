// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_coarsest.h"

#include "base/parallel.h"
#include "linear/krylov/krylov.h"
#include "linear/matrix/dense.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"

#include <string.h>

enum { MOST_DENSE = 4608, VECTORS = 4, ROW_GRAIN = 256 };

static const double exact_tolerance = 1e-12; // where Cholesky was asked for and is not possible

// What the diagonal is raised by for Cholesky, relative. Coarse nodes beside held ones may share
// too few free children to be independent; the matrix is singular then, and the right-hand side
// is one that has solutions. All of them mean the same to the finer level.
static const double raise = 1e-13;

pli_status pli_node_coarsest_init(pli_context *context, const pli_node_multigrid_def *def,
                                  pli_node_coarsest *coarsest)
{
    *coarsest = (pli_node_coarsest){.context = context,
                                    .tolerance = def->coarsest_tolerance,
                                    .most_iterations = def->coarsest_iterations,
                                    .direct = def->direct};
    return pli_arena_create(context, 0, &coarsest->scratch);
}

void pli_node_coarsest_clear(pli_node_coarsest *coarsest)
{
    pli_arena_destroy(coarsest->scratch);
    *coarsest = (pli_node_coarsest){0};
}

// ---- set-up

// The lower triangle of a level's matrix, its diagonal raised.
static void fill_dense(const pli_node_level *level, double *dense)
{
    const pli_ell *matrix = level->matrix;
    int64_t side = 3 * (int64_t)matrix->row_count;
    memset(dense, 0, (size_t)(side * side) * sizeof *dense);
    for (int64_t row = 0; row < matrix->row_count; ++row) {
        double blocks[9 * PLI_NODE_SLOTS];
        pli_ell_get_row(matrix, row, blocks);
        for (int64_t slot = 0; slot < matrix->width; ++slot) {
            int64_t column = matrix->column[row * matrix->width + slot];
            if (column < 0 || column > row) continue;
            for (int e = 0; e < 9; ++e) {
                dense[(3 * row + e / 3) * side + 3 * column + e % 3] = blocks[9 * slot + e];
            }
        }
    }
    for (int64_t k = 0; k < side; ++k) dense[k * side + k] *= 1 + raise;
}

static pli_status build_factor(pli_node_coarsest *coarsest, pli_arena *tables)
{
    int64_t side = 3 * (int64_t)coarsest->level->grid->count;
    if (!coarsest->direct || side > MOST_DENSE) return PLI_OK;
    double *factor = pli_arena_doubles(tables, side * side, "coarsest factor");
    if (factor == NULL) return PLI_ERROR_MEMORY;
    fill_dense(coarsest->level, factor);
    if (pli_dense_cholesky_factor(coarsest->context, (int32_t)side, factor)) {
        coarsest->factor = factor;
    }
    return PLI_OK;
}

// Takes what a solve will need and gives it back, so that no solve allocates.
static pli_status warm_scratch(pli_arena *scratch, int64_t count)
{
    pli_arena_mark mark = pli_arena_begin(scratch);
    bool is_there = true;
    for (int k = 0; k < VECTORS; ++k) {
        is_there = is_there && pli_arena_doubles(scratch, count, "coarsest vectors") != NULL;
    }
    pli_arena_end(scratch, mark);
    return is_there ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_node_coarsest_build(pli_node_coarsest *coarsest, const pli_node_level *level,
                                   pli_arena *tables)
{
    coarsest->level = level;
    coarsest->iterations = 0;
    coarsest->factor = NULL;
    PLI_TRY(build_factor(coarsest, tables));
    return warm_scratch(coarsest->scratch, 3 * (int64_t)level->grid->count);
}

// ---- solve

static void precondition_rows(const void *self, const double *r, double *z, int64_t begin,
                              int64_t end)
{
    const pli_node_level *level = self;
    for (int64_t row = begin; row < end; ++row) {
        pli_mat3_apply(level->inverse + 9 * row, r + 3 * row, z + 3 * row);
    }
}

static void precondition(const void *self, const double *r, double *z)
{
    const pli_node_level *level = self;
    precondition_rows(level, r, z, 0, level->grid->count);
}

static void solve_iteratively(pli_node_coarsest *coarsest, const double *b, double *x)
{
    const pli_node_level *level = coarsest->level;
    int64_t size = 3 * (int64_t)level->grid->count;
    pli_operator A = pli_ell_operator(level->matrix);
    pli_operator B = {.size = size,
                      .self = level,
                      .apply = precondition,
                      .apply_rows = precondition_rows,
                      .is_local = true};
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = coarsest->most_iterations;
    def.relative_tolerance = coarsest->direct ? exact_tolerance : coarsest->tolerance;
    def.norm = PLI_KRYLOV_NORM_PRECONDITIONED;
    // keeps b.x positive whatever the matrix is
    def.stop_at_indefinite = true;
    pli_krylov_system system = {.A = &A, .B = &B, .b = b, .x = x};
    pli_krylov_report report;
    pli_status status = pli_pcg(coarsest->context, &def, &system, coarsest->scratch, &report);
    coarsest->iterations += report.iterations;
    // without memory or with numbers that are not finite: the least that is symmetric and positive
    if (status != PLI_OK || report.stop == PLI_KRYLOV_NONFINITE) precondition(level, b, x);
}

static void solve_directly(const pli_node_coarsest *coarsest, const double *b, double *x)
{
    const pli_node_level *level = coarsest->level;
    int32_t size = 3 * level->grid->count;
    pli_vector_copy(coarsest->context, size, b, x);
    pli_dense_cholesky_solve(coarsest->context, size, coarsest->factor, 1, x);
    for (int64_t node = 0; node < level->grid->count && level->held_count > 0; ++node) {
        if (level->held[node] < 0) continue;
        double v[3];
        pli_vec3_copy(x + 3 * node, v);
        pli_mat3_apply(level->tangents + 9 * (int64_t)level->held[node], v, x + 3 * node);
    }
}

void pli_node_coarsest_solve(pli_node_coarsest *coarsest, const double *b, double *x)
{
    if (coarsest->factor != NULL) {
        solve_directly(coarsest, b, x);
    } else {
        solve_iteratively(coarsest, b, x);
    }
}
