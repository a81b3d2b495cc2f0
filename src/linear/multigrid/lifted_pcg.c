// SPDX-License-Identifier: Apache-2.0
//
// Conjugate gradients with block Jacobi for lifted systems.
#include "linear/multigrid/lifted_solver_ops.h"

#include "linear/multigrid/lifted_diagonal.h"

#include "base/memory.h"

typedef struct gradients {
    pli_context *context;
    const pli_lifted_solver_def *def; // borrowed
    const pli_lifted *matrix;         // borrowed
    pli_lifted_diagonal diagonal;
} gradients;

static void destroy(void *self)
{
    gradients *s = self;
    if (s == NULL) return;
    pli_lifted_diagonal_clear(&s->diagonal);
    pli_release(s->context, s);
}

static pli_status create(pli_context *context, const pli_lifted_solver_def *def,
                         const pli_lifted *matrix, void **self)
{
    gradients *made = PLI_NEW(context, gradients, 1, "conjugate gradients");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (gradients){.context = context, .def = def, .matrix = matrix};
    pli_status status = pli_lifted_diagonal_init(matrix, &made->diagonal);
    if (status != PLI_OK) {
        destroy(made);
        return status;
    }
    *self = made;
    return PLI_OK;
}

static pli_status build(void *self, bool *definite)
{
    return pli_lifted_diagonal_build(&((gradients *)self)->diagonal, definite);
}

static pli_status update_blocks(void *self, bool *definite)
{
    return pli_lifted_diagonal_update_blocks(&((gradients *)self)->diagonal, definite);
}

static pli_status solve(void *self, const double *r, pli_arena *scratch, double *d,
                        pli_krylov_report *report)
{
    const gradients *s = self;
    pli_operator A = pli_lifted_operator(s->matrix);
    pli_operator B = pli_lifted_diagonal_operator(&s->diagonal);
    pli_krylov_system system = {.A = &A, .B = &B, .b = r, .x = d};
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = s->def->iterations;
    def.relative_tolerance = s->def->relative_tolerance;
    def.stop_at_indefinite = true;
    return pli_pcg(s->context, &def, &system, scratch, report);
}

const pli_lifted_solver_ops pli_lifted_pcg_ops = {
    .create = create,
    .destroy = destroy,
    .build = build,
    .update_blocks = update_blocks,
    .solve = solve,
};
