// SPDX-License-Identifier: Apache-2.0
//
// The function that a step minimises: a sum of energy terms over n points, with some coordinates
// held fixed, and the norm in which its gradient is judged.
//
// Fixed coordinates keep the value that x has when the minimisation starts; gradient entries,
// matrix rows and columns of fixed coordinates are taken out (unit diagonal), so that every
// direction computed from them leaves the coordinates alone.
//
// Inequality constraints come as a projection P: the function is then E(x) = E'(P(x)), with E' the
// sum of the terms (see projection.h). Energies, gradients and Hessians here are those of E' at
// points that the caller has projected; choose_active and the functions after it go from E' to E.
//
// The norm is sqrt(sum_i w_i |g_i|^2). Its weights decide what "converged" means; see
// docs/theory for the three kinds that scenes offer. `scale` makes it a pure number for the
// inexact tolerance of linear solves.
#ifndef PLI_OPTIMIZE_OBJECTIVE_H
#define PLI_OPTIMIZE_OBJECTIVE_H

#include "optimize/projection.h"
#include "optimize/term.h"

enum { PLI_OBJECTIVE_TERMS = 24 };

typedef struct pli_objective {
    pli_context *context;
    int32_t point_count;
    int32_t term_count;
    pli_term terms[PLI_OBJECTIVE_TERMS];

    const uint8_t *fixed;        // [point_count] bits 1, 2, 4: x, y, z is held; borrowed
    const double *norm_weights;  // [point_count] borrowed
    double norm_scale;           // the norm divided by this is a pure number
    pli_feasible_set projection; // constraints, if any

    pli_bcsr *H;      // Hessian, filled by pli_objective_compute_hessian
    pli_bcsr *lagged; // part of the Hessian by pli_objective_compute_lagged; NULL: H has it too
    pli_low_rank *low_rank; // what it has beside both, filled with H; NULL: no term has any
} pli_objective;

void pli_objective_init(pli_objective *objective, pli_context *context, int32_t point_count);
void pli_objective_clear(pli_objective *objective);

// Adds a term, a force unless its role is another one; its object is borrowed.
void pli_objective_add(pli_objective *objective, const pli_term_ops *ops, void *self);
void pli_objective_add_as(pli_objective *objective, pli_term_role role, const pli_term_ops *ops,
                          void *self);

// Couplings of all terms; returns how many lists there are.
int32_t pli_objective_get_cliques(const pli_objective *objective,
                                  pli_clique_list lists[PLI_OBJECTIVE_TERMS]);

// Builds the pattern of the Hessian from all terms and binds them to it.
pli_status pli_objective_build_pattern(pli_objective *objective);

// The same with two matrices: terms that lag have their own, objective->lagged, which is filled by
// pli_objective_compute_lagged and stays as it is until then; H is that of the others. Projections
// are not for split objectives.
pli_status pli_objective_build_split_pattern(pli_objective *objective);

// Tells the terms that an iteration begins at x. *changed: energy and gradient are no longer what
// they were.
pli_status pli_objective_prepare(pli_objective *objective, const double *x, bool *changed);

// The energy that is stored in x: of the terms that have a Hessian, which pull back, and not of
// those that only push, such as gravity and pressure.
double pli_objective_stored_energy(const pli_objective *objective, const double *x);

pli_sum pli_objective_energy(const pli_objective *objective, const double *x);

// The same as long as it is at most limit; a larger energy may be told too small, but never as less
// than limit: deferred terms are then left out (Gast et al. 2015, section 3.3).
pli_sum pli_objective_energy_below(const pli_objective *objective, const double *x, double limit);

// g = dE'/dx with fixed coordinates zero.
void pli_objective_compute_gradient(const pli_objective *objective, const double *x, double *g);

// H = d2E/dx2 for the active constraints, with fixed coordinates and directions normal to active
// constraints taken out.
void pli_objective_compute_hessian(pli_objective *objective, const double *x, bool projected);

// Whether no entry of the Hessian is NaN or infinite. It is enough to look at the blocks on the
// diagonal: what an element adds, it adds there, too.
bool pli_objective_has_finite_hessian(const pli_objective *objective);

// The part of a split objective that lags, with fixed coordinates taken out (zero diagonal: H has
// their ones).
void pli_objective_compute_lagged(pli_objective *objective, const double *x, bool projected);

// y = H x, with the part that lags; y must not be x.
void pli_objective_multiply_hessian(const pli_objective *objective, const double *x, double *y);

// Keeps the choices that terms make at x; NULL: they choose again. False when no term has any.
bool pli_objective_freeze(const pli_objective *objective, const double *x);

bool pli_objective_is_constrained(const pli_objective *objective);

// x <- P(x), and d <- DP(x) d when it is not NULL.
void pli_objective_project(const pli_objective *objective, double *x, double *d);

// Forgets which constraints were active.
void pli_objective_release(const pli_objective *objective);

// Chooses the active constraints at the feasible x and turns g from dE'/dx into dE/dx.
void pli_objective_choose_active(const pli_objective *objective, const double *x, double *g);

// Takes what is normal to active constraints out of a vector: v <- T v.
void pli_objective_restrict(const pli_objective *objective, double *v);

// Bits 1, 2, 4 of the coordinates of a point that are held.
static inline uint8_t pli_objective_fixed_axes(const pli_objective *objective, int32_t point)
{
    return objective->fixed != NULL ? objective->fixed[point] & 7 : 0;
}

// Zeroes the entries of held coordinates.
void pli_objective_mask(const pli_objective *objective, double *v);

// Largest alpha <= 1 that every term admits; infinite when no term has anything to say about it.
double pli_objective_max_step(const pli_objective *objective, const double *x, const double *d);

double pli_objective_norm(const pli_objective *objective, const double *g);

#endif
