// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov/solver.h"

#include "linear/direct/cholesky.h"
#include "linear/matrix/bcsr_single.h"

#include "base/memory.h"

#include <math.h>

// blocks from which a matrix does not stay in the caches: iterations are faster with its values in
// single precision then, and not before. A fixed number, so that results do not depend on the
// machine
enum { SINGLE_BLOCKS = 1 << 18 };

// What a kind of solver has to offer.
typedef struct solver_ops {
    const char *name;
    pli_status (*create)(pli_linear_solver *solver);
    pli_status (*build)(pli_linear_solver *solver, bool *definite);
    pli_status (*solve)(pli_linear_solver *solver, const double *b, double relative_tolerance,
                        pli_arena *scratch, double *x, pli_krylov_report *report);
} solver_ops;

struct pli_linear_solver {
    pli_context *context;
    pli_linear_solver_def def;
    const solver_ops *ops;
    const pli_bcsr *A;
    pli_precondition *precondition; // of the iterative kinds
    pli_bcsr_single single;         // of conjugate gradients with a large matrix
    pli_cholesky *cholesky;         // of the direct kind
    pli_low_rank *low_rank;         // beside A, borrowed; NULL: none
    pli_multigrid *multigrid;       // NULL: neither solver nor preconditioner
    bool cycles_work;               // the matrix of the last build was one for the multigrid
    bool told;                      // that it was not
    bool corrects;                  // what solves A is corrected for the low-rank part
};

// ---- the multigrid, where there is one

static pli_status build_multigrid(pli_linear_solver *s)
{
    s->cycles_work = false;
    if (s->multigrid == NULL) return PLI_OK;
    PLI_TRY(pli_multigrid_build(s->multigrid, s->def.fixed, &s->cycles_work));
    if (s->cycles_work || s->told) return PLI_OK;
    s->told = true;
    PLI_LOG(s->context, PLI_LOG_INFO,
            "the multigrid met a matrix that is not positive definite; such systems are solved by "
            "conjugate gradients with block Jacobi");
    return PLI_OK;
}

// ---- the low-rank part, where there is one

static bool has_low_rank(const pli_linear_solver *s)
{
    return s->low_rank != NULL && s->low_rank->count > 0;
}

// y = (A + U W U^T) x
static void multiply_all(const void *self, const double *x, double *y)
{
    const pli_linear_solver *s = self;
    pli_bcsr_multiply(s->A, x, y);
    pli_low_rank_multiply_add(s->low_rank, x, y);
}

static pli_operator choose_precondition(const pli_linear_solver *s)
{
    return s->cycles_work ? pli_multigrid_operator(s->multigrid)
                          : pli_precondition_operator(s->precondition);
}

static pli_status apply_precondition(void *user, const double *x, double *y)
{
    pli_operator B = choose_precondition(user);
    pli_operator_apply(&B, x, y);
    return PLI_OK;
}

static void apply_corrected(const void *self, const double *x, double *y)
{
    const pli_linear_solver *s = self;
    pli_operator B = choose_precondition(s);
    pli_operator_apply(&B, x, y);
    pli_low_rank_correct(s->low_rank, y);
}

static pli_status apply_factor(void *user, const double *x, double *y)
{
    const pli_linear_solver *s = user;
    return pli_cholesky_solve(s->cholesky, 1, x, y);
}

// ---- iterative kinds

static pli_status create_precondition(pli_linear_solver *s)
{
    pli_precondition_def def = {.kind = s->def.preconditioner};
    PLI_TRY(pli_precondition_create(s->context, &def, s->A, &s->precondition));
    if (!s->def.precondition_by_multigrid) return PLI_OK;
    return pli_multigrid_create(s->context, &s->def.multigrid, s->def.hierarchy, s->A,
                                &s->multigrid);
}

static pli_status build_precondition(pli_linear_solver *s, bool *definite)
{
    *definite = true;
    PLI_TRY(build_multigrid(s));
    if (!s->cycles_work) PLI_TRY(pli_precondition_build(s->precondition, s->A));
    if (!has_low_rank(s)) return PLI_OK;
    return pli_low_rank_build(s->low_rank, apply_precondition, s, &s->corrects);
}

static pli_status build_pcg(pli_linear_solver *s, bool *definite)
{
    PLI_TRY(build_precondition(s, definite));
    bool is_large = s->A->block_count >= SINGLE_BLOCKS;
    bool is_rough = is_large && !s->cycles_work && !has_low_rank(s);
    return is_rough ? pli_bcsr_single_build(&s->single, s->A) : PLI_OK;
}

typedef pli_status (*krylov_fn)(const pli_context *context, const pli_krylov_def *def,
                                const pli_krylov_system *system, pli_arena *scratch,
                                pli_krylov_report *report);

static pli_status solve_krylov(const pli_linear_solver *s, krylov_fn method, const double *b,
                               double relative_tolerance, pli_arena *scratch, double *x,
                               pli_krylov_report *report)
{
    pli_operator A = pli_bcsr_operator(s->A);
    pli_operator B = choose_precondition(s);
    if (has_low_rank(s)) {
        A = (pli_operator){.size = A.size, .self = s, .apply = multiply_all};
        if (s->corrects) B = (pli_operator){.size = A.size, .self = s, .apply = apply_corrected};
    }
    pli_operator rough;
    pli_krylov_system system = {.A = &A, .B = &B, .b = b, .x = x};
    // with few iterations the product is a small part of each, and restarting costs more of
    // them
    if (s->single.matrix != NULL && !s->cycles_work && !has_low_rank(s)) {
        rough = pli_bcsr_single_operator(&s->single);
        system.A_rough = &rough;
    }
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = s->def.max_iterations;
    def.relative_tolerance = relative_tolerance;
    def.stop_at_indefinite = s->def.stop_at_indefinite;
    return method(s->context, &def, &system, scratch, report);
}

static pli_status solve_pcg(pli_linear_solver *s, const double *b, double relative_tolerance,
                            pli_arena *scratch, double *x, pli_krylov_report *report)
{
    return solve_krylov(s, pli_pcg, b, relative_tolerance, scratch, x, report);
}

static pli_status solve_minres(pli_linear_solver *s, const double *b, double relative_tolerance,
                               pli_arena *scratch, double *x, pli_krylov_report *report)
{
    return solve_krylov(s, pli_minres, b, relative_tolerance, scratch, x, report);
}

// ---- cycles that stand alone

static pli_status create_cycles(pli_linear_solver *s)
{
    s->def.preconditioner = PLI_PRECONDITION_BLOCK_JACOBI;
    s->def.precondition_by_multigrid = true;
    return create_precondition(s);
}

static pli_status solve_cycles(pli_linear_solver *s, const double *b, double relative_tolerance,
                               pli_arena *scratch, double *x, pli_krylov_report *report)
{
    if (!s->cycles_work || has_low_rank(s)) {
        return solve_pcg(s, b, relative_tolerance, scratch, x, report);
    }
    bool fixed = s->def.cycles > 0;
    return pli_multigrid_solve(s->multigrid, b, fixed ? 0 : relative_tolerance,
                               fixed ? s->def.cycles : s->def.max_iterations, scratch, x, report);
}

// ---- the direct kind

static pli_status create_cholesky(pli_linear_solver *s)
{
    pli_cholesky_def def = {0};
    return pli_cholesky_create(s->context, &def, s->A, &s->cholesky);
}

// Factors A + shift I, and corrects for the low-rank part.
static pli_status factor_with(pli_linear_solver *s, double shift, bool *definite)
{
    PLI_TRY(pli_cholesky_factor(s->cholesky, s->A, shift, definite));
    if (!*definite || !has_low_rank(s)) return PLI_OK;
    return pli_low_rank_build(s->low_rank, apply_factor, s, definite);
}

static pli_status build_cholesky(pli_linear_solver *s, bool *definite)
{
    return factor_with(s, 0, definite);
}

static pli_status solve_cholesky(pli_linear_solver *s, const double *b, double relative_tolerance,
                                 pli_arena *scratch, double *x, pli_krylov_report *report)
{
    (void)relative_tolerance;
    (void)scratch;
    *report = (pli_krylov_report){.stop = PLI_KRYLOV_CONVERGED, .iterations = 1};
    PLI_TRY(pli_cholesky_solve(s->cholesky, 1, b, x));
    if (has_low_rank(s)) pli_low_rank_correct(s->low_rank, x);
    return PLI_OK;
}

// ---- the table

static const solver_ops kinds[] = {
    [PLI_SOLVER_PCG] = {"pcg", create_precondition, build_pcg, solve_pcg},
    [PLI_SOLVER_MINRES] = {"minres", create_precondition, build_precondition, solve_minres},
    [PLI_SOLVER_CHOLESKY] = {"cholesky", create_cholesky, build_cholesky, solve_cholesky},
    [PLI_SOLVER_MULTIGRID] = {"multigrid", create_cycles, build_precondition, solve_cycles},
};

pli_status pli_linear_solver_create(pli_context *context, const pli_linear_solver_def *def,
                                    const pli_bcsr *A, pli_linear_solver **solver)
{
    *solver = NULL;
    pli_linear_solver *made = PLI_NEW(context, pli_linear_solver, 1, "linear solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->ops = &kinds[def->kind];
    made->A = A;
    pli_bcsr_single_init(context, &made->single);
    pli_status status = made->ops->create(made);
    if (status != PLI_OK) {
        pli_linear_solver_destroy(made);
        return status;
    }
    *solver = made;
    return PLI_OK;
}

void pli_linear_solver_destroy(pli_linear_solver *solver)
{
    if (solver == NULL) return;
    pli_cholesky_destroy(solver->cholesky);
    pli_bcsr_single_clear(&solver->single);
    pli_multigrid_destroy(solver->multigrid);
    pli_precondition_destroy(solver->precondition);
    pli_release(solver->context, solver);
}

void pli_linear_solver_set_low_rank(pli_linear_solver *solver, pli_low_rank *part)
{
    solver->low_rank = part;
}

void pli_linear_solver_begin(pli_linear_solver *solver)
{
    if (solver->cholesky != NULL) pli_cholesky_begin(solver->cholesky);
}

pli_status pli_linear_solver_build(pli_linear_solver *solver, bool *definite)
{
    return solver->ops->build(solver, definite);
}

static double largest_diagonal(const pli_bcsr *A)
{
    double largest = 0;
    for (int32_t row = 0; row < A->row_count; ++row) {
        const double *block = A->values + 9 * A->diagonal[row];
        for (int k = 0; k < 9; k += 4) largest = fmax(largest, block[k]);
    }
    return largest;
}

pli_status pli_linear_solver_build_semidefinite(pli_linear_solver *solver, bool *definite)
{
    PLI_TRY(pli_linear_solver_build(solver, definite));
    if (*definite || solver->cholesky == NULL) return PLI_OK;
    const double share = 1e-10;
    double shift = share * largest_diagonal(solver->A);
    if (!(shift > 0) || !isfinite(shift)) return PLI_OK;
    return factor_with(solver, shift, definite);
}

pli_status pli_linear_solver_solve(pli_linear_solver *solver, const double *b,
                                   double relative_tolerance, pli_arena *scratch, double *x,
                                   pli_krylov_report *report)
{
    return solver->ops->solve(solver, b, relative_tolerance, scratch, x, report);
}

bool pli_linear_solver_is_direct(const pli_linear_solver *solver)
{
    return solver->cholesky != NULL;
}

void pli_linear_solver_set_timers(pli_linear_solver *solver, pli_timers *timers)
{
    if (solver->multigrid != NULL) pli_multigrid_set_timers(solver->multigrid, timers);
}
