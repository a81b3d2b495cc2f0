// SPDX-License-Identifier: Apache-2.0
//
// Multigrid on the nodes of a grid by node embedding (Wang et al. 2020, section 4): one
// V-cycle as an operator z = B r, symmetric and positive.
//
// Levels. Nodes of a finer grid are treated as particles of the next coarser one, of twice the
// spacing: node i takes part of the coarse nodes I with the weight N(i/2 - I), N the linear hat or
// the quadratic B-spline. With P these weights (times the 3x3 unit matrix), coarse matrices are
// P^T A P, summed entry by entry from the matrix of the level below; nothing else of a level is
// known, and nothing of the particles. A coarse node exists where a finer one that moves has a part
// of it. Coarse node I stands on fine node 2 I; with quadratic embedding, which reaches further, on
// fine node 2 (I - 1), so that coordinates stay positive.
//
// Constraints. Some nodes may move in certain directions only: T_i is their orthogonal projector
// (zero: not at all). Their matrix is T A T, and no level moves them: P is T P on the finest level.
// Nodes that do not move at all contribute nothing to coarse ones and are nobody's children. Coarse
// nodes may still be left without matter in single directions; diagonal blocks get a multiple of
// the unit matrix there, and corrections nothing. Beside constraints coarse nodes may also depend
// on each other; coarse matrices are semidefinite then, with right-hand sides that have solutions,
// and all solutions mean the same correction.
//
// Smoothing is one symmetric Gauss-Seidel sweep before and after the coarse correction, blocks of
// 4x4x4 nodes after each other by colours, the nodes of a block in their order (Wang et al. 2020).
// The coarsest level is solved by conjugate gradients with block Jacobi until sqrt(r.Dr) is half of
// that of the right-hand side, D the inverse of the diagonal blocks (Wang et al. 2020), or by dense
// Cholesky. As long as conjugate gradients end early the cycle is not exactly linear. A
// quasi-Newton method around it tolerates that; plain conjugate gradients around it do not, and
// want 1e-2 instead of 1/2, or Cholesky with as many levels as leave some hundred nodes on the
// coarsest.
//
// Single precision. Gauss-Seidel reads copies of the off-diagonal blocks that are rounded to single
// precision, unless the def says otherwise, at less than half the time. The cycle stays symmetric
// and positive (node_triangle.h), and since coarse matrices are sums of the unrounded one it also
// finds the motion of a free body whose springs are 1e13 times its mass, with a few iterations
// more. The copies take about half as much memory as the matrix.
//
// Ablations (Wang et al. 2020): damped block Jacobi and Chebyshev instead of Gauss-Seidel. Coarse
// matrices may come from elsewhere, such as the particles themselves (node_geometric.h); embedding,
// cycle, smoothing and coarsest solve are the same then.
//
// Memory and patterns change from step to step; everything is rebuilt, and only growth allocates.
//
// Threads: parallel inside, the same bits for any number; one call at a time.
#ifndef PLI_MPM_IMPLICIT_NODE_MULTIGRID_H
#define PLI_MPM_IMPLICIT_NODE_MULTIGRID_H

#include "base/timers.h"
#include "linear/matrix/ell.h"
#include "linear/matrix/operator.h"
#include "mpm/implicit/node_grid.h"

enum { PLI_NODE_LEVELS = 8 };

typedef enum pli_embedding_kind {
    PLI_EMBEDDING_LINEAR,
    PLI_EMBEDDING_QUADRATIC
} pli_embedding_kind;

typedef enum pli_node_smoother {
    PLI_NODE_GAUSS_SEIDEL,
    PLI_NODE_JACOBI,   // damped by the largest eigenvalue
    PLI_NODE_CHEBYSHEV // of degree 2 over the upper part of the spectrum
} pli_node_smoother;

typedef struct pli_node_multigrid_def {
    int32_t level_count; // 1 to PLI_NODE_LEVELS; 1: the coarsest solve alone
    pli_embedding_kind embedding;
    pli_node_smoother smoother;
    bool single;                 // Gauss-Seidel reads rounded copies of the matrices
    bool direct;                 // the coarsest level by Cholesky
    double coarsest_tolerance;   // of conjugate gradients, relative, in the norm above
    int32_t coarsest_iterations; // at most
    bool sweeps;                 // the finest level alone, by what smooths it before: no cycle
} pli_node_multigrid_def;

// Nodes that may not move freely.
typedef struct pli_node_constraints {
    int32_t count;
    const int32_t *nodes;   // [count] in increasing order
    const double *tangents; // [count][9] orthogonal projectors T
} pli_node_constraints;

// Whoever has coarse matrices other than P^T A P.
typedef struct pli_node_coarsener {
    void *self;
    // Marks nodes that level l, from 1 on, shall have beside the parents of those of the level
    // below. NULL: none.
    pli_status (*mark)(void *self, int32_t level, pli_node_grid *grid);
    // The matrix of a level on the nodes of its grid. Symmetric and positive semidefinite, with the
    // slots of pli_node_grid_neighbors, some of which may have lost their column. Rows and columns
    // of directions in which a node may not move are zero; the multigrid fills diagonal blocks up.
    // Lifetime: until the next build.
    pli_status (*coarsen)(void *self, int32_t level, const pli_node_grid *grid, pli_ell **matrix);
} pli_node_coarsener;

typedef struct pli_node_multigrid pli_node_multigrid;

// 3 levels, linear, Gauss-Seidel, single, conjugate gradients to 1/2, 10000 iterations.
pli_node_multigrid_def pli_node_multigrid_def_default(void);

// Errors: argument, memory.
PLI_CHECKED pli_status pli_node_multigrid_create(pli_context *context,
                                                 const pli_node_multigrid_def *def,
                                                 pli_node_multigrid **multigrid);
void pli_node_multigrid_destroy(pli_node_multigrid *multigrid);

// All levels of a symmetric positive matrix on the nodes of a grid, whose slots are the neighbours
// that pli_node_grid_neighbors lists and whose constrained rows and columns are already those of
// T A T with some multiple of 1 - T on the diagonal. Grid, matrix and constraints are borrowed
// until the next build; NULL: there are no constraints. Slots may reach 1, 2 or 3 nodes far, and
// those without a column are never read. Levels that would have more than half of the nodes of the
// one below, or fewer than 8, are left out. After a failure there is nothing to be applied. Errors:
// argument (sizes that do not fit), memory.
PLI_CHECKED pli_status pli_node_multigrid_build(pli_node_multigrid *multigrid,
                                                const pli_node_grid *grid, const pli_ell *matrix,
                                                const pli_node_constraints *constraints);

// The same with coarse matrices of a coarsener, which is asked for levels in their order, and for
// matrices only of those that are not left out. Errors: also argument (a matrix that does not fit
// the grid), and what the coarsener returns.
PLI_CHECKED pli_status pli_node_multigrid_build_with(pli_node_multigrid *multigrid,
                                                     const pli_node_grid *grid,
                                                     const pli_ell *matrix,
                                                     const pli_node_constraints *constraints,
                                                     const pli_node_coarsener *coarsener);

// z = B r, one V-cycle from a zero start; arrays [count][3], r and z different.
void pli_node_multigrid_apply(const pli_node_multigrid *multigrid, const double *r, double *z);

// B as an operator. Lifetime: until the next build.
pli_operator pli_node_multigrid_operator(const pli_node_multigrid *multigrid);

// Where builds and applications add their times: "coarsen", "smooth", "transfer", "coarsest". NULL:
// nowhere.
void pli_node_multigrid_set_timers(pli_node_multigrid *multigrid, pli_timers *timers);

// ---- for tests and instruments

typedef struct pli_node_level_info {
    int32_t node_count;
    int32_t fixed_count; // of them, for want of matter or by constraints
    int64_t block_count; // 3x3 blocks that are stored and not zero
    int64_t memory;      // bytes of its matrix and tables
} pli_node_level_info;

pli_embedding_kind pli_node_multigrid_embedding(const pli_node_multigrid *multigrid);
int32_t pli_node_multigrid_level_count(const pli_node_multigrid *multigrid);
pli_node_level_info pli_node_multigrid_get_level(const pli_node_multigrid *multigrid,
                                                 int32_t level);
const pli_node_grid *pli_node_multigrid_grid(const pli_node_multigrid *multigrid, int32_t level);
const pli_ell *pli_node_multigrid_matrix(const pli_node_multigrid *multigrid, int32_t level);

// fine += P coarse, and coarse = P^T fine, between level and level + 1, constraints included.
void pli_node_multigrid_prolong(const pli_node_multigrid *multigrid, int32_t level,
                                const double *coarse, double *fine);
void pli_node_multigrid_restrict(const pli_node_multigrid *multigrid, int32_t level,
                                 const double *fine, double *coarse);

// Iterations of the coarsest level in all applications since the last build.
int64_t pli_node_multigrid_coarsest_iterations(const pli_node_multigrid *multigrid);

#endif
