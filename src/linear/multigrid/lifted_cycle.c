// SPDX-License-Identifier: Apache-2.0
//
// V-cycles of the Galerkin multigrid for lifted systems.
#include "linear/multigrid/lifted_solver_ops.h"

#include "base/memory.h"

typedef struct cycles {
    pli_context *context;
    const pli_lifted_solver_def *def; // borrowed
    pli_multigrid *multigrid;
} cycles;

static void destroy(void *self)
{
    cycles *s = self;
    if (s == NULL) return;
    pli_multigrid_destroy(s->multigrid);
    pli_release(s->context, s);
}

static pli_status create(pli_context *context, const pli_lifted_solver_def *def,
                         const pli_lifted *matrix, void **self)
{
    if (def->hierarchy == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "multigrid needs a hierarchy of coarse spaces; none was given");
    }
    cycles *made = PLI_NEW(context, cycles, 1, "multigrid solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (cycles){.context = context, .def = def};
    pli_status status = pli_multigrid_create_lifted(context, &def->multigrid, def->hierarchy,
                                                    matrix, &made->multigrid);
    if (status != PLI_OK) {
        destroy(made);
        return status;
    }
    *self = made;
    return PLI_OK;
}

static pli_status build(void *self, bool *definite)
{
    return pli_multigrid_build(((cycles *)self)->multigrid, NULL, definite);
}

static pli_status update_blocks(void *self, bool *definite)
{
    return pli_multigrid_update_blocks(((cycles *)self)->multigrid, definite);
}

static pli_status solve(void *self, const double *r, pli_arena *scratch, double *d,
                        pli_krylov_report *report)
{
    const cycles *s = self;
    PLI_TRY(pli_multigrid_solve(s->multigrid, r, s->def->relative_tolerance, s->def->iterations,
                                scratch, d, report));
    // without a tolerance the residual behind the last cycle is not computed
    if (s->def->relative_tolerance == 0) report->residual = NAN;
    return PLI_OK;
}

static void set_timers(void *self, pli_timers *timers)
{
    pli_multigrid_set_timers(((cycles *)self)->multigrid, timers);
}

const pli_lifted_solver_ops pli_lifted_cycle_ops = {
    .create = create,
    .destroy = destroy,
    .build = build,
    .update_blocks = update_blocks,
    .solve = solve,
    .set_timers = set_timers,
};
