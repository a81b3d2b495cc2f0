// SPDX-License-Identifier: Apache-2.0
//
// What the parts of node_multigrid.h share: levels, and what is done with them.
//
// Slots. Rows of a matrix have a slot for every node within `reach` along each axis, (2 reach +
// 1)^3 of them. A node of a coarse level takes part of fine nodes up to 1 (linear) or 2 (quadratic)
// fine spacings away, so that coarse nodes I and J meet when 2 |I - J| <= reach + 2 or reach + 4:
// from a reach of 2 on the coarse reach stays 2 for linear embedding and 3 for quadratic.
//
// Coordinates. Node i has the parents I = floor(i / 2) + shift + 0, 1 ...: for linear embedding one
// (even) or two (odd) from shift 0 on, so that coarse node I stands on fine node 2 I; for quadratic
// embedding three from shift 0 on (even) or two from shift 1 on (odd), and coarse node I stands on
// fine node 2 (I - 1): all coordinates stay positive.
//
// Families. Blocks of a grid are in Morton order, so that the eight blocks of a cube of 8^3 nodes
// follow each other. Such a family has all its parents in a box of 5^3 or 6^3 coarse nodes, which
// begins at half of its own corner. Boxes of families of the same colour (the parities of their
// coordinates) do not touch: families of a colour may add to their parents at the same time.
//
// Held nodes. T of a node that may not move freely is kept beside the level. The matrix has T A T
// there and something on the diagonal that makes it regular; the inverse of the diagonal block is
// T D^-1 T, so that no smoother moves such a node, whatever the right-hand side is. Nodes that do
// not move at all have no parents and take no part in transfers.
#ifndef PLI_MPM_IMPLICIT_NODE_MULTIGRID_INSIDE_H
#define PLI_MPM_IMPLICIT_NODE_MULTIGRID_INSIDE_H

#include "base/arena.h"
#include "mpm/implicit/node_multigrid.h"
#include "mpm/implicit/node_triangle.h"

#include <string.h>

enum {
    PLI_NODE_REACH = 3,       // most
    PLI_NODE_SLOTS = 343,     // of a row with that reach
    PLI_NODE_MASK = 6,        // words with a bit for each slot of a row
    PLI_NODE_BLOCK_NODES = 64 // of a block of a grid
};

// The parents along one axis of nodes of one parity.
typedef struct pli_node_parents {
    int32_t count;
    int32_t shift; // of the first one
    double weights[3];
} pli_node_parents;

typedef struct pli_embedding {
    pli_node_parents parity[2];
    int32_t box;   // edge of the box of parents of a family
    int32_t reach; // of coarse matrices
} pli_embedding;

// Blocks that make a cube of 8^3 nodes.
typedef struct pli_node_family {
    int32_t at[3]; // in families
    int32_t first; // block
    int32_t count; // of blocks
} pli_node_family;

typedef struct pli_node_level {
    pli_context *context;
    const pli_node_grid *grid;
    const pli_ell *matrix;
    pli_node_grid *own_grid; // NULL: borrowed
    pli_ell *own_matrix;     // NULL: borrowed
    int32_t reach;
    int32_t mask_words; // in use

    // tables of the last build
    uint64_t *present;      // [node_count][mask_words]  slots that have a column
    double *inverse;        // [node_count][9]           of diagonal blocks, T D^-1 T where held
    int32_t *held;          // [node_count]              place in tangents; -1: free
    const double *tangents; // [held_count][9]          T
    int32_t held_count;
    double largest; // eigenvalue of D^-1 A, for smoothers that need it

    // what sweeps read instead of the matrix
    bool is_single;
    pli_node_triangle lower;
    pli_node_triangle upper;

    // the way to the next level; family_count is 0 on the coarsest
    int32_t family_count;
    pli_node_family *families; // [family_count]             by colour
    int32_t family_start[PLI_NODE_COLORS + 1];
    int32_t *parents; // [family_count][box^3]  coarse nodes, -1: none

    // vectors of a cycle, [node_count][3]; the finest level has no b and x of its own
    double *b;
    double *x;
    double *t; // sums over the part of each row that comes before it, or scratch
    double *r;
    double *d; // scratch of Chebyshev
} pli_node_level;

// Slots that come before the diagonal in the order of the sweeps, for blocks of each colour and
// nodes of each place in a block.
typedef struct pli_sweep_masks {
    uint64_t lower[PLI_NODE_COLORS][PLI_NODE_BLOCK_NODES][PLI_NODE_MASK];
} pli_sweep_masks;

// ---- embedding (node_embed.c)

pli_embedding pli_embedding_of(pli_embedding_kind kind);

// Edge of the cube of slots of a row.
static inline int32_t pli_node_side(int32_t reach)
{
    return 2 * reach + 1;
}

// Whether a node does not move at all.
static inline bool pli_node_is_fixed(const pli_node_level *level, int64_t node)
{
    static const double nothing[9] = {0};
    if (level->held[node] < 0) return false;
    return memcmp(level->tangents + 9 * (int64_t)level->held[node], nothing, sizeof nothing) == 0;
}

// Families of a finished grid in the order of their colours.
PLI_CHECKED pli_status pli_node_level_list_families(pli_node_level *level, pli_arena *tables);

// Takes everything out of the coarse grid and marks the parents of all nodes that move.
PLI_CHECKED pli_status pli_embedding_mark(const pli_embedding *embedding,
                                          const pli_node_level *level, pli_node_grid *coarse);

// Finds the parents of all families in a finished coarse grid.
PLI_CHECKED pli_status pli_embedding_link(const pli_embedding *embedding, pli_node_level *level,
                                          const pli_node_grid *coarse, pli_arena *tables);

// fine += T P coarse
void pli_embedding_prolong(const pli_embedding *embedding, const pli_node_level *level,
                           const double *coarse, double *fine);

// coarse = P^T T fine
void pli_embedding_restrict(const pli_embedding *embedding, const pli_node_level *level,
                            int32_t coarse_count, const double *fine, double *coarse);

// ---- coarse sums (node_coarsen.c)

// matrix += P^T T A T P for an empty matrix with the embedding's reach on the coarse nodes.
void pli_embedding_coarsen(const pli_embedding *embedding, const pli_node_level *level,
                           pli_ell *matrix);

// Empties a matrix and gives it rows; makes room for more than are needed when there is not enough,
// so that not every step makes room. Errors: memory.
PLI_CHECKED pli_status pli_node_matrix_resize(pli_ell *matrix, int32_t rows);

// T = projector on the directions in which a node has matter, by its diagonal block D or any other
// positive semidefinite matrix with the same null space. True: not all of them.
bool pli_node_find_tangent(const double D[9], double T[9]);

// ---- smoothing (node_smooth.c, node_ablation.c)

void pli_sweep_masks_build(int32_t reach, pli_sweep_masks *masks);

// What a smoother does on a level: the start is zero before, and what is in x after. Before leaves
// the residual, projected where nodes are held, in r.
typedef struct pli_node_smoother_ops {
    bool needs_largest; // eigenvalue
    bool can_be_single;
    void (*before)(const pli_node_level *level, const pli_sweep_masks *masks, const double *b,
                   double *x, double *r);
    void (*after)(const pli_node_level *level, const pli_sweep_masks *masks, const double *b,
                  double *x);
} pli_node_smoother_ops;

extern const pli_node_smoother_ops pli_node_sweep_ops;
extern const pli_node_smoother_ops pli_node_jacobi_ops;
extern const pli_node_smoother_ops pli_node_chebyshev_ops;

// Copies both triangles of the matrix for sweeps in single precision. Errors: memory.
PLI_CHECKED pli_status pli_node_level_pack(pli_node_level *level, const pli_sweep_masks *masks);

// Inverses of diagonal blocks.
void pli_node_level_invert(pli_node_level *level);

// An estimate of the largest eigenvalue of D^-1 A, from below.
void pli_node_level_estimate(pli_node_level *level);

#endif
