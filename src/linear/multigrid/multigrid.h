// SPDX-License-Identifier: Apache-2.0
//
// Galerkin multigrid for symmetric positive definite systems of meshes (Xian et al. 2019, with the
// coarse spaces of hierarchy.h): one V-cycle as an operator z = B r, as a solver of its own, or as
// a preconditioner of conjugate gradients.
//
// Matrices. The finest one is either a block matrix (bcsr.h) or a lifted scalar one (lifted.h).
// Coarse ones are A_l+1 = U^T A_l U, summed block by block into a pattern that is made once: with
// piecewise constant weights each finer block goes into exactly one coarse block (equation 7).
// Where the finest matrix is lifted, coarse ones are lifted too: 4x4 numbers a block instead of
// 12x12, and three right-hand sides. Diagonal blocks of the lifted matrix reach the diagonal of
// every level by an update of their own, without touching the rest.
//
// Held coordinates are rows of zeros in U: no coarse node moves them, on any level, and coarse
// matrices are those of the remaining unknowns alone.
//
// A coarse node whose vertices lie in a plane, on a line or in a point does not determine its
// affine field. Directions n in the null space of the Gram matrix of its vertices' coordinates get
// the mean diagonal entry as stiffness, which no vertex notices (section 4.4 of the paper). Every
// level finds its own; the sums over finer blocks are made without them.
//
// Smoothers, for each level above the coarsest (section 4.5): coloured symmetric block
// Gauss-Seidel, whose half sweeps keep the sums over the half of the row that did not change and so
// read half of the matrix each (Conrad and Wallach 1979), or block Jacobi, damped where the largest
// eigenvalue of D^-1 A exceeds 1.6. The coarsest level is solved by Cholesky: dense, or sparse
// where it has more than 1800 unknowns, is not lifted, and the build has it (cholesky.h). All of
// them are symmetric, and so is the cycle.
//
// Precision: matrices and vectors inside the cycle are single or double, as the def says; input,
// output and the residuals of solve are double. A right-hand side is scaled by a power of two
// before it becomes single, so that small ones do not underflow.
//
// Threads: apply and solve use scratch inside the object, one call at a time; same bits for any
// number of threads.
#ifndef PLI_LINEAR_MULTIGRID_MULTIGRID_H
#define PLI_LINEAR_MULTIGRID_MULTIGRID_H

#include "base/arena.h"
#include "base/timers.h"
#include "linear/krylov/krylov.h"
#include "linear/multigrid/hierarchy.h"
#include "linear/multigrid/lifted.h"

typedef enum pli_smoother_kind {
    PLI_SMOOTHER_DIRECT, // Cholesky, dense or sparse, the coarsest level only
    PLI_SMOOTHER_GAUSS_SEIDEL,
    PLI_SMOOTHER_JACOBI
} pli_smoother_kind;

typedef struct pli_smoother_def {
    pli_smoother_kind kind;
    int32_t sweeps; // before and after the coarse correction
} pli_smoother_def;

typedef struct pli_vcycle_def {
    int32_t level_count;                                  // coarse levels and the finest
    pli_smoother_def smoothers[PLI_HIERARCHY_LEVELS + 1]; // finest first, the last one direct
    bool single; // matrices and vectors of the cycle in single precision
} pli_vcycle_def;

typedef struct pli_multigrid pli_multigrid;

// Reads "direct/GS(3)/GS(3)" or "direct/J(10)/J(5)", coarsest first as in table 1 of the paper, for
// level_count levels. Two parts serve any number of levels, direct/GS(2), and so do three,
// direct/GS(4)/GS(1): the last is that of the finest level, the one before it of all between.
// Leaves `single` alone. Errors: argument, with what is wrong.
PLI_CHECKED pli_status pli_multigrid_parse(pli_context *context, const char *text,
                                           int32_t level_count, pli_vcycle_def *def);

// Symbolic part: patterns of all levels and orders of sweeps. Matrix and hierarchy are borrowed;
// exactly one of the two kinds of matrix. Errors: argument (sizes that do not fit), memory.
PLI_CHECKED pli_status pli_multigrid_create(pli_context *context, const pli_vcycle_def *def,
                                            const pli_hierarchy *hierarchy, const pli_bcsr *matrix,
                                            pli_multigrid **multigrid);
PLI_CHECKED pli_status pli_multigrid_create_lifted(pli_context *context, const pli_vcycle_def *def,
                                                   const pli_hierarchy *hierarchy,
                                                   const pli_lifted *matrix,
                                                   pli_multigrid **multigrid);
void pli_multigrid_destroy(pli_multigrid *multigrid);

// Numeric part, whenever values of the matrix changed. mask [row_count]: bits 1, 2, 4 of
// coordinates that are held (NULL: none); a lifted matrix has its own. *definite is false when the
// coarsest matrix, or a diagonal block, is not positive definite; the cycle must not be used then.
PLI_CHECKED pli_status pli_multigrid_build(pli_multigrid *multigrid, const uint8_t *mask,
                                           bool *definite);

// The blocks of the lifted matrix changed, and nothing else: costs what the nodes above them cost.
PLI_CHECKED pli_status pli_multigrid_update_blocks(pli_multigrid *multigrid, bool *definite);

// z = B r, one V-cycle from a zero start; arrays [row_count][3]. z may be r.
void pli_multigrid_apply(const pli_multigrid *multigrid, const double *r, double *z);

// Stand-alone: x += B (b - A x), from a zero start, until the residual is relative_tolerance |b| or
// max_cycles were made; iterations of the report are cycles. Errors: memory.
PLI_CHECKED pli_status pli_multigrid_solve(const pli_multigrid *multigrid, const double *b,
                                           double relative_tolerance, int32_t max_cycles,
                                           pli_arena *scratch, double *x,
                                           pli_krylov_report *report);

// B as an operator. Lifetime: that of the multigrid.
pli_operator pli_multigrid_operator(const pli_multigrid *multigrid);

// Where applications add their times: "smooth", "transfer", "coarsest". NULL: nowhere.
void pli_multigrid_set_timers(pli_multigrid *multigrid, pli_timers *timers);

// ---- for tests and instruments

typedef struct pli_multigrid_level_info {
    int32_t node_count;
    int32_t node_size;    // unknowns of a node in the matrix: 3 or 12; lifted: 1 or 4
    int64_t block_count;  // stored blocks
    int64_t memory_bytes; // matrix, pattern, links
    int32_t color_count;  // of the sweeps
} pli_multigrid_level_info;

int32_t pli_multigrid_level_count(const pli_multigrid *multigrid);
pli_multigrid_level_info pli_multigrid_get_level(const pli_multigrid *multigrid, int32_t level);
int64_t pli_multigrid_memory_bytes(const pli_multigrid *multigrid);

// Coarse block of two nodes of a level >= 1, without what makes it regular: [node_size][node_size]
// row-major, unknown 3 k + c of a node being coordinate c of row k (lifted: k alone); zeros when it
// is not stored. Computed in the precision of the build.
void pli_multigrid_get_block(const pli_multigrid *multigrid, int32_t level, int32_t row,
                             int32_t column, double *block);

#endif
