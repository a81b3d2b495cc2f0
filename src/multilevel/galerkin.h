// SPDX-License-Identifier: Apache-2.0
//
// The matrix of a coarse space, U^T H U, as a preconditioner in the space's unknowns: its blocks of
// one handle alone (block Jacobi, Trusty et al. 2025), or all of it, factored by sparse
// Cholesky.
//
// H is the sum of two matrices over the vertices, as a split objective has them (objective.h): a
// smooth one with a fixed pattern, S, and a fresh one, O, of diagonal blocks and extra blocks that
// come and go with contacts. Held coordinates are rows of zeros of U, so neither their rows nor
// their columns count.
//
// With the four numbers s_i(a) = phi_i(a) (u, 1) of space.h a block of handles i and j is
//
//     K_ij = sum_ab s_i(a) s_j(b)^T (x) H_ab = sum_a s_i(a) (x) T_j(a),  T_j(a) = sum_b H_ab (x)
//     s_j(b)
//
// summed row by row of handles, each by one worker in a fixed order. Couplings of handles that only
// contacts bring become extra blocks of K.
//
// A handle whose vertices lie in a plane or on a line, or are held, does not determine all of its
// unknowns: a billionth of its mean diagonal entry is added to each, which U^T y never notices;
// more where that is not enough for a factor.
//
// Threads: one call on an object at a time; same bits for any number of threads.
#ifndef PLI_MULTILEVEL_GALERKIN_H
#define PLI_MULTILEVEL_GALERKIN_H

#include "linear/matrix/operator.h"
#include "multilevel/space.h"

// H = S + O; both closed.
typedef struct pli_galerkin_matrices {
    const pli_bcsr *S;
    const pli_bcsr *O;
} pli_galerkin_matrices;

// ---- block Jacobi

typedef struct pli_handle_blocks {
    pli_context *context;
    const pli_space *space; // borrowed
    double *partial;        // [piece_count][144] sums of the space's pieces
    double *factors;        // [handle_count][144] Cholesky factors of the blocks
} pli_handle_blocks;

// Errors: memory.
PLI_CHECKED pli_status pli_handle_blocks_create(pli_context *context, const pli_space *space,
                                                pli_handle_blocks **blocks);
void pli_handle_blocks_destroy(pli_handle_blocks *blocks);

// Blocks of U^T H U and their factors.
void pli_handle_blocks_build(pli_handle_blocks *blocks, const pli_galerkin_matrices *H);

// Their inverse as an operator. Lifetime: that of the object.
pli_operator pli_handle_blocks_operator(const pli_handle_blocks *blocks);

// ---- all of it

typedef struct pli_galerkin pli_galerkin;

// Symbolic part for the pattern of S. Errors: unsupported (a build without CHOLMOD), memory.
PLI_CHECKED pli_status pli_galerkin_create(pli_context *context, const pli_space *space,
                                           const pli_bcsr *S, pli_galerkin **galerkin);
void pli_galerkin_destroy(pli_galerkin *galerkin);

// A series of similar matrices begins; see cholesky.h.
void pli_galerkin_begin(pli_galerkin *galerkin);

// U^T H U and its factor. *definite: whether that worked. Errors: memory, numeric.
PLI_CHECKED pli_status pli_galerkin_build(pli_galerkin *galerkin, const pli_galerkin_matrices *H,
                                          bool *definite);

// The same when only diagonal and extra blocks of O have changed since build: costs what the
// changes cost, and a factorisation.
PLI_CHECKED pli_status pli_galerkin_update(pli_galerkin *galerkin, const pli_bcsr *O,
                                           bool *definite);

// Whether the factor is that of the matrix but for the billionth; else more had to be added.
bool pli_galerkin_is_exact(const pli_galerkin *galerkin);

// Its inverse as an operator. Lifetime: that of the object.
pli_operator pli_galerkin_operator(const pli_galerkin *galerkin);

// The matrix, for tests and instruments: row 4 i + k is row k of handle i.
const pli_bcsr *pli_galerkin_matrix(const pli_galerkin *galerkin);

#endif
