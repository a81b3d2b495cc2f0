// SPDX-License-Identifier: Apache-2.0
//
// Energy terms: what moves contributes its energy, gradient and Hessian through this interface.
//
// The unknowns are n points x [n][3]. A term is a table of functions and the object they work on;
// it knows its own parameters (time step, targets, materials) and is prepared for a step by whoever
// owns it. Terms add: E(x) = sum of the terms' energies (J), gradients in N, Hessians in N/m.
//
// The pattern of the Hessian is the union of the terms' cliques (groups of points that are coupled
// with each other) and the diagonal. When the pattern has been built, every term is bound to the
// matrix once and may remember where its blocks are; that stays valid until the next binding.
#ifndef PLI_OPTIMIZE_TERM_H
#define PLI_OPTIMIZE_TERM_H

#include "base/parallel.h"
#include "linear/krylov/low_rank.h"
#include "linear/matrix/bcsr.h"
#include "linear/multigrid/lifted.h"

// Some vertices that no clique couples with each other, and what is wanted of a term there. Arrays
// that are NULL are not wanted; terms add to the others.
typedef struct pli_vertex_batch {
    int32_t count;
    const int32_t *vertices; // [count]
    double *energy; // [count]     E as a function of this vertex alone, up to a constant (J)
    double *g;      // [count][3]  dE/dx_i (N)
    double *H;      // [count][6]  d2E/dx_i2, projected (N/m): xx, yy, zz, xy, xz, yz
} pli_vertex_batch;

typedef struct pli_term_ops {
    const char *name;

    // Required. E(x), possibly +infinity where it is not defined.
    pli_sum (*energy)(void *self, const double *x);

    // Required. g += dE/dx.
    void (*add_gradient)(void *self, const double *x, double *g);

    // Optional: H += d2E/dx2; NULL for energies that are linear. With `projected` every part is
    // made positive semi-definite before it is added.
    void (*add_hessian)(void *self, const double *x, bool projected, pli_bcsr *H);

    // Optional: cliques of the Hessian beyond the diagonal. Lifetime: as long as the term.
    const pli_clique_list *(*get_cliques)(void *self);

    // Optional: remembers where its blocks are in a matrix with this pattern.
    pli_status (*bind)(void *self, const pli_bcsr *H);

    // Optional: what the Hessian has beside the sparse part, sum of w u u^T with w > 0 and dense
    // vectors u, of which there are never more than count_low_rank says. Never negative, so that it
    // needs no projection.
    int32_t (*count_low_rank)(void *self);
    void (*add_low_rank)(void *self, const double *x, pli_low_rank *part);

    // Optional: largest alpha <= 1 for which x + alpha d is admissible (no inversion, no contact
    // crossed); NULL: every point is admissible.
    double (*max_step)(void *self, const double *x, const double *d);

    // Optional: called once at the beginning of every iteration, before the Hessian at x is added;
    // the only place where a term may grow its room in H. A term that becomes another function
    // here, by a stiffness that adapts, sets *changed.
    pli_status (*prepare)(void *self, const double *x, pli_bcsr *H, bool *changed);

    // Optional, for energies that jump where a choice in them changes (which parts are in contact):
    // from now on keeps the choices made at x; NULL: chooses again everywhere, as at the beginning.
    // At x itself energy and derivatives stay the same.
    void (*freeze)(void *self, const double *x);

    // For minimisers that keep one matrix for many iterations (local_global.h); both of the adds
    // are optional, and a term with a Hessian but neither of them cannot be minimised so.
    //   S += its part of a scalar matrix with S (x) I close above the Hessian, wherever x is; the
    //   pattern of S is that of H.
    void (*add_lifted)(void *self, pli_lifted *S);
    //   blocks [points][6] += what stands on the diagonal at x: xx, yy, zz, xy, xz, yz, positive
    //   semi-definite.
    void (*add_blocks)(void *self, const double *x, double *blocks);
    //   Optional: nothing stands there in this step, wherever x is; NULL: that may change with x.
    bool (*is_idle)(const void *self);

    // The Hessian is expensive and changes slowly: minimisers that keep Hessians for several
    // iterations keep this one (objective.h).
    bool lags;
    // For minimisers that move one vertex at a time (vertex_descent.h); a term without add_vertices
    // cannot be minimised so.
    //   Optional: called once before add_vertices, which may need to know the elements of a vertex.
    pli_status (*bind_vertices)(void *self);
    //   What the vertices of a batch see of the term; x stands still where they look. Called from
    //   many threads at once, each with a batch of its own.
    void (*add_vertices)(void *self, const double *x, const pli_vertex_batch *batch);

    // What the term does is work from outside, which may have any sign: nothing is stored in it,
    // although it has a Hessian.
    bool pushes;

    // The energy is never negative and expensive to compute: it is evaluated last, and not at all
    // when the others already exceed what is asked for.
    bool deferred;
} pli_term_ops;

// What a term is to whoever predicts steps: most are forces like any other.
typedef enum pli_term_role {
    PLI_TERM_FORCE,
    PLI_TERM_INERTIA, // no force, but what forces work against
    PLI_TERM_BARRIER  // keeps surfaces apart, with a stiffness that is chosen by the other forces
} pli_term_role;

typedef struct pli_term {
    const pli_term_ops *ops;
    void *self;
    pli_term_role role;
} pli_term;

// Whether the term only pushes, the same wherever x is, and stores nothing (but see `pushes`).
static inline bool pli_term_is_linear(const pli_term *term)
{
    return term->ops->add_hessian == NULL;
}

#endif
