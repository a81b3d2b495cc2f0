// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid/lifted_solver.h"

#include "linear/multigrid/lifted_solver_ops.h"

#include "base/memory.h"

struct pli_lifted_solver {
    pli_context *context;
    pli_lifted_solver_def def;
    const pli_lifted_solver_ops *ops;
    void *self;    // of the kind
    bool definite; // as the last build or update said
};

static const pli_lifted_solver_ops *const kinds[] = {
    [PLI_LIFTED_MULTIGRID] = &pli_lifted_cycle_ops, [PLI_LIFTED_DIRECT] = &pli_lifted_direct_ops,
    [PLI_LIFTED_VIVACE] = &pli_lifted_sweep_ops,    [PLI_LIFTED_JACOBI] = &pli_lifted_jacobi_ops,
    [PLI_LIFTED_PCG] = &pli_lifted_pcg_ops,
};

static pli_status check_def(pli_context *context, const pli_lifted_solver_def *def)
{
    if (def->kind != PLI_LIFTED_DIRECT && def->iterations < 1) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a solver of lifted systems makes %d iterations; it needs at least one",
                        (int)def->iterations);
    }
    if (!(def->relative_tolerance >= 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the relative tolerance of a lifted system is %g; it is 0 or positive",
                        def->relative_tolerance);
    }
    return PLI_OK;
}

pli_status pli_lifted_solver_create(pli_context *context, const pli_lifted_solver_def *def,
                                    const pli_lifted *matrix, pli_lifted_solver **solver)
{
    *solver = NULL;
    PLI_TRY(check_def(context, def));
    pli_lifted_solver *made = PLI_NEW(context, pli_lifted_solver, 1, "lifted solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->ops = kinds[def->kind];
    pli_status status = made->ops->create(context, &made->def, matrix, &made->self);
    if (status != PLI_OK) {
        pli_lifted_solver_destroy(made);
        return status;
    }
    *solver = made;
    return PLI_OK;
}

void pli_lifted_solver_destroy(pli_lifted_solver *solver)
{
    if (solver == NULL) return;
    solver->ops->destroy(solver->self);
    pli_release(solver->context, solver);
}

pli_status pli_lifted_solver_build(pli_lifted_solver *solver, bool *definite)
{
    *definite = solver->definite = false;
    PLI_TRY(solver->ops->build(solver->self, &solver->definite));
    *definite = solver->definite;
    return PLI_OK;
}

pli_status pli_lifted_solver_update_blocks(pli_lifted_solver *solver, bool *definite)
{
    *definite = solver->definite = false;
    PLI_TRY(solver->ops->update_blocks(solver->self, &solver->definite));
    *definite = solver->definite;
    return PLI_OK;
}

pli_status pli_lifted_solver_solve(pli_lifted_solver *solver, const double *r, pli_arena *scratch,
                                   double *d, pli_krylov_report *report)
{
    *report = (pli_krylov_report){0};
    if (!solver->definite) {
        return PLI_FAIL(solver->context, PLI_ERROR_ARGUMENT,
                        "the lifted system was not built from a positive definite matrix; build "
                        "it first, and solve only when that says so");
    }
    return solver->ops->solve(solver->self, r, scratch, d, report);
}

void pli_lifted_solver_set_timers(pli_lifted_solver *solver, pli_timers *timers)
{
    if (solver->ops->set_timers != NULL) solver->ops->set_timers(solver->self, timers);
}
