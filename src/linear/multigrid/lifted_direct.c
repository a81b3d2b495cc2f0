// SPDX-License-Identifier: Apache-2.0
//
// Sparse Cholesky for lifted systems. As long as the blocks on the diagonal are multiples of the
// identity the factor is that of a scalar matrix, used for three right-hand sides; otherwise the
// matrix is expanded to 3x3 blocks, which is made at the first need of it and kept.
#include "linear/multigrid/lifted_solver_ops.h"

#include "linear/direct/cholesky.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { ROW_GRAIN = 1024 };

typedef struct direct {
    pli_context *context;
    const pli_lifted *matrix; // borrowed
    pli_cholesky *scalar;
    bool scalar_is_plain; // it is the factor of the current values without any blocks
    pli_bcsr *expanded;   // NULL until needed, as is the next
    pli_cholesky *block;
    pli_cholesky *current; // the factor that solves
} direct;

static void destroy(void *self)
{
    direct *s = self;
    if (s == NULL) return;
    pli_cholesky_destroy(s->block);
    pli_cholesky_destroy(s->scalar);
    pli_bcsr_destroy(s->expanded);
    pli_release(s->context, s);
}

static pli_status create(pli_context *context, const pli_lifted_solver_def *def,
                         const pli_lifted *matrix, void **self)
{
    (void)def;
    direct *made = PLI_NEW(context, direct, 1, "direct solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->matrix = matrix;
    pli_cholesky_def cholesky = {0};
    pli_status status = pli_cholesky_create_lifted(context, &cholesky, matrix, &made->scalar);
    if (status != PLI_OK) {
        destroy(made);
        return status;
    }
    *self = made;
    return PLI_OK;
}

// Makes the expanded matrix and its analysis.
static pli_status prepare_expanded(direct *s)
{
    if (s->expanded == NULL) {
        PLI_TRY(pli_bcsr_create_from_rows(s->context, s->matrix->row_count, s->matrix->row_start,
                                          s->matrix->column, &s->expanded));
    }
    if (s->block != NULL) return PLI_OK;
    pli_cholesky_def cholesky = {0};
    return pli_cholesky_create(s->context, &cholesky, s->expanded, &s->block);
}

static void expand_range(void *user, int64_t begin, int64_t end)
{
    const direct *s = user;
    const pli_lifted *matrix = s->matrix;
    double *values = s->expanded->values;
    for (int64_t slot = matrix->row_start[begin]; slot < matrix->row_start[end]; ++slot) {
        memset(values + 9 * slot, 0, 9 * sizeof *values);
        for (int c = 0; c < 3; ++c) values[9 * slot + 4 * c] = matrix->values[slot];
    }
}

// A = S (x) I + blockdiag(D_i), written out
static void expand(direct *s)
{
    const pli_lifted *matrix = s->matrix;
    pli_parallel_for(s->context, matrix->row_count, ROW_GRAIN, expand_range, s);
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        pli_bcsr_add_diagonal_block(s->expanded, matrix->block_row[k],
                                    matrix->blocks + 9 * (int64_t)k);
    }
}

static pli_status update_blocks(void *self, bool *definite)
{
    direct *s = self;
    if (!pli_lifted_is_isotropic(s->matrix)) {
        PLI_TRY(prepare_expanded(s));
        expand(s);
        s->current = s->block;
        return pli_cholesky_factor(s->block, s->expanded, 0, definite);
    }
    s->current = s->scalar;
    bool plain = s->matrix->block_count == 0;
    *definite = plain && s->scalar_is_plain;
    if (*definite) return PLI_OK;
    s->scalar_is_plain = false;
    PLI_TRY(pli_cholesky_factor_lifted(s->scalar, s->matrix, 0, definite));
    s->scalar_is_plain = plain && *definite;
    return PLI_OK;
}

static pli_status build(void *self, bool *definite)
{
    ((direct *)self)->scalar_is_plain = false;
    return update_blocks(self, definite);
}

static pli_status solve(void *self, const double *r, pli_arena *scratch, double *d,
                        pli_krylov_report *report)
{
    (void)scratch;
    *report = (pli_krylov_report){
        .stop = PLI_KRYLOV_CONVERGED, .iterations = 1, .residual = NAN, .initial_residual = NAN};
    return pli_cholesky_solve(((direct *)self)->current, 1, r, d);
}

const pli_lifted_solver_ops pli_lifted_direct_ops = {
    .create = create,
    .destroy = destroy,
    .build = build,
    .update_blocks = update_blocks,
    .solve = solve,
};
