// SPDX-License-Identifier: Apache-2.0
//
// Sparse Cholesky factorisation A = L L^T of block matrices, through CHOLMOD (Chen et al. 2008).
//
// create does what depends on the pattern only: a fill-reducing order of the graph of blocks
// (nested dissection by METIS with a fixed seed for large systems, approximate minimum degree for
// small ones), expanded to unknowns, and the symbolic analysis. factor refills the values and
// factors, as often as the values change. solve substitutes, for one or several right-hand sides.
//
// Extra blocks of the matrix (bcsr.h) are part of A. When they stand in other places than at the
// last analysis, factor analyses again, in the order that was made for the pattern alone, because
// ordering costs more than the analysis. Only when that makes the factor more than half as large
// again as that of the pattern alone, a new order is made that knows the extra blocks.
//
// Between a call of begin and the next the analysis remembers the places of all extra blocks it has
// seen, as long as they are not more than about twice those in use, so that blocks that come and go
// within one minimisation cost no analysis each; and a new order stays. What was factored since
// begin then has an influence on the rounding. Without begin a factor depends on its matrix alone.
//
// Isotropic matrices A = S (x) I, whose blocks are multiples of the identity (projective dynamics,
// weighted Laplacians), are factored as the scalar matrix S, with three right-hand sides per
// vector: a ninth of the memory and a twenty-seventh of the work. The multiple is read from the
// first entry of each block. A lifted matrix (lifted.h) is factored so without being expanded.
// Such factors are always supernodal; supernodal.h substitutes with them.
//
// A pivot that is not positive is an outcome, not an error: factor then says so and the caller may
// try again with a larger shift. CHOLMOD keeps its memory outside the context's allocator;
// the report says how much. It is silent, its errors become ours.
//
// OpenBLAS, which does the arithmetic, must not start threads of its own inside ours: it is held
// to def.blas_threads during factor and solve and gets its own setting back afterwards. More than
// one thread pays on an idle machine and large fronts only, and costs a factor of ten on a busy
// one. CHOLMOD's own loops are kept from starting threads, too: they are far too short for that.
//
// Without CHOLMOD in the build create fails as unsupported. Threads: one call on an object at a
// time. Different objects may work at the same time when they are hosted: what holds OpenBLAS and
// OpenMP back is the whole program's, so it is done once, by pli_cholesky_host around a parallel
// loop, and hosted objects leave it alone inside. They order by minimum degree, because METIS draws
// from the one sequence of random numbers of the C library: orders would depend on who draws first.
#ifndef PLI_LINEAR_DIRECT_CHOLESKY_H
#define PLI_LINEAR_DIRECT_CHOLESKY_H

#include "linear/multigrid/lifted.h"

#include "base/parallel.h"

typedef enum pli_cholesky_order {
    PLI_CHOLESKY_ORDER_AUTO,      // minimum degree up to 1000 rows, dissection beyond
    PLI_CHOLESKY_ORDER_DEGREE,    // approximate minimum degree
    PLI_CHOLESKY_ORDER_DISSECTION // nested dissection; minimum degree when METIS is missing
} pli_cholesky_order;

typedef struct pli_cholesky_def {
    pli_cholesky_order order;
    int32_t seed;         // of the dissection
    int32_t blas_threads; // 0 means 1
    bool isotropic;       // blocks are multiples of the identity
    bool hosted;          // used by workers of a loop inside pli_cholesky_host only
} pli_cholesky_def;

typedef struct pli_cholesky_report {
    int64_t factor_entries; // stored numbers of L, as the analysis predicts
    double flops;           // operations of a factorisation
    int64_t memory_bytes;   // held by CHOLMOD for this object
    bool supernodal;
    bool dissected; // ordered by nested dissection
    // unknown whose pivot was not positive, in the order of the factor; -1: none, the number of
    // unknowns: a number was not finite
    int64_t failed_row;
    int32_t order_count;    // orders made so far
    int32_t analysis_count; // analyses made so far
} pli_cholesky_report;

typedef struct pli_cholesky pli_cholesky;

// Symbolic part for the current pattern and extra blocks of the matrix. Errors: argument (extra
// blocks that are not closed or lack their mirror), unsupported, memory, numeric.
PLI_CHECKED pli_status pli_cholesky_create(pli_context *context, const pli_cholesky_def *def,
                                           const pli_bcsr *matrix, pli_cholesky **cholesky);
void pli_cholesky_destroy(pli_cholesky *cholesky);

// From here on places of extra blocks are remembered, as said above; those seen before are not.
// There is no factor until the next call of factor.
void pli_cholesky_begin(pli_cholesky *cholesky);

// Factors A + shift I. *positive tells whether that worked; when false, solve must not be called.
// Errors: argument (another pattern than that of create, or extra blocks that are not closed or
// lack their mirror), memory, numeric.
PLI_CHECKED pli_status pli_cholesky_factor(pli_cholesky *cholesky, const pli_bcsr *matrix,
                                           double shift, bool *positive);

// The same for a lifted matrix, which is isotropic whatever the def says. Errors of factor besides:
// argument (blocks on the diagonal that are not multiples of the identity).
PLI_CHECKED pli_status pli_cholesky_create_lifted(pli_context *context, const pli_cholesky_def *def,
                                                  const pli_lifted *matrix,
                                                  pli_cholesky **cholesky);
PLI_CHECKED pli_status pli_cholesky_factor_lifted(pli_cholesky *cholesky, const pli_lifted *matrix,
                                                  double shift, bool *positive);

// Solves A x = b for rhs_count right-hand sides, b and x: [rhs_count][row_count][3]; x may be b.
// Errors: argument (nothing was factored), memory.
PLI_CHECKED pli_status pli_cholesky_solve(pli_cholesky *cholesky, int32_t rhs_count,
                                          const double *b, double *x);

pli_cholesky_report pli_cholesky_get_report(const pli_cholesky *cholesky);

// Calls body once, on the calling thread, with OpenBLAS held to one thread: body may start parallel
// loops whose workers have a hosted object each. Errors: memory (address space is limited, and not
// enough is left for OpenBLAS); then body is not called.
PLI_CHECKED pli_status pli_cholesky_host(pli_context *context, pli_task_fn body, void *user);

// Whether this build can factor at all.
bool pli_cholesky_is_available(void);

#endif
