// SPDX-License-Identifier: Apache-2.0
//
// What the Krylov methods share: the system, its options, and the state of the stopping test.
#ifndef PLI_LINEAR_KRYLOV_KRYLOV_STATE_H
#define PLI_LINEAR_KRYLOV_KRYLOV_STATE_H

#include "linear/krylov/krylov.h"
#include "linear/matrix/vector.h"

#include "base/parallel.h"

// rows from which the work of an iteration is worth a team of threads
enum { PLI_KRYLOV_TEAM_ROWS = 512 };

typedef struct pli_krylov_state {
    const pli_context *context;
    const pli_krylov_def *def;
    const pli_krylov_system *system;
    int64_t n;
    double tolerance; // absolute, in the norm of the def
    pli_krylov_report *report;
} pli_krylov_state;

// Calls body, which solves the system, with a team standing by when the system is large enough.
void pli_krylov_run(const pli_krylov_state *state, pli_task_fn body, void *user);

// z = B r, or a copy without a preconditioner
void pli_krylov_precondition(const pli_krylov_state *state, const double *r, double *z);

double pli_krylov_dot(const pli_krylov_state *state, const double *x, const double *y);

// r = b - A x; sets x to zero first unless it is a start
void pli_krylov_start_residual(const pli_krylov_state *state, double *r);

// |b| in the norm of the def; scratch is overwritten
double pli_krylov_reference_norm(const pli_krylov_state *state, double *scratch);

void pli_krylov_set_tolerance(pli_krylov_state *state, double reference);

// Records the residual of an iterate; true when the solve ends with it.
bool pli_krylov_record_residual(pli_krylov_state *state, int32_t iteration, double residual);

#endif
