// SPDX-License-Identifier: Apache-2.0
//
// What a kind of solver for lifted systems has to offer, and the kinds there are. The face over
// them is lifted_solver.h, which says what the functions mean; a kind is an object and a table.
#ifndef PLI_LINEAR_MULTIGRID_LIFTED_SOLVER_OPS_H
#define PLI_LINEAR_MULTIGRID_LIFTED_SOLVER_OPS_H

#include "linear/multigrid/lifted_solver.h"

typedef struct pli_lifted_solver_ops {
    // Required. The object is set on success only; def and matrix outlive it.
    pli_status (*create)(pli_context *context, const pli_lifted_solver_def *def,
                         const pli_lifted *matrix, void **self);
    void (*destroy)(void *self); // NULL is legal
    pli_status (*build)(void *self, bool *definite);
    pli_status (*update_blocks)(void *self, bool *definite);
    pli_status (*solve)(void *self, const double *r, pli_arena *scratch, double *d,
                        pli_krylov_report *report);

    // Optional.
    void (*set_timers)(void *self, pli_timers *timers);
} pli_lifted_solver_ops;

extern const pli_lifted_solver_ops pli_lifted_cycle_ops;  // multigrid, lifted_cycle.c
extern const pli_lifted_solver_ops pli_lifted_direct_ops; // lifted_direct.c
extern const pli_lifted_solver_ops pli_lifted_sweep_ops;  // vivace, lifted_sweep.c
extern const pli_lifted_solver_ops pli_lifted_jacobi_ops; // lifted_jacobi.c
extern const pli_lifted_solver_ops pli_lifted_pcg_ops;    // lifted_pcg.c

#endif
