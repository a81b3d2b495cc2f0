// SPDX-License-Identifier: Apache-2.0
//
// Inside of the multigrid: levels, the matrices they are made from, and the kernels that work on
// them.
//
// Two numberings. Nodes have numbers (those of the hierarchy; vertices on the finest level), in
// which matrices are summed: `natural`, in double. Sweeps go by places (sweep_order.h), in which
// everything that a cycle touches is stored, in the precision of the cycle.
//
// Vectors. A node has one row (a vertex, or a coarse node that only translates) or four rows (an
// affine one) of four numbers x, y, z and one unused.
//
// Blocks. `size` is 1 or 4 (lifted) or 3 or 12 of a node. Natural blocks are row-major, with
// unknown 3 k + c for coordinate c of row k. Blocks of kernels are row-major for sizes 1 and 4,
// where a number multiplies a whole row of a vector, and column-major for sizes 3 and 12.
#ifndef PLI_LINEAR_MULTIGRID_MULTIGRID_INSIDE_H
#define PLI_LINEAR_MULTIGRID_MULTIGRID_INSIDE_H

#include "linear/direct/cholesky.h"
#include "linear/matrix/sweep_order.h"
#include "linear/multigrid/multigrid.h"

enum { PLI_MG_SIZE = 12, PLI_MG_BLOCK = PLI_MG_SIZE * PLI_MG_SIZE };

// A matrix in the numbering of nodes; of the finest level it is a view of the caller's.
typedef struct pli_mg_matrix {
    int32_t node_count;
    int32_t size;
    int64_t block_count;
    const int64_t *row_start; // [node_count + 1]
    const int64_t *diagonal;  // [node_count] slot
    const int32_t *column;    // [block_count] increasing
    const double *values;     // [block_count][size * size]
} pli_mg_matrix;

// One half of the couplings of a level, by places.
typedef struct pli_mg_half {
    int64_t *start;  // [node_count + 1]
    int32_t *column; // [count] place
    int32_t *source; // [count] slot of the natural matrix; of the mirror block for sizes 3 and 12
    void *values;    // [count][size * size] and some padding
} pli_mg_half;

// The links to the next coarser level, by places of both.
typedef struct pli_mg_links {
    int64_t count;
    // by finer places
    int64_t *fine_start; // [fine nodes + 1]
    int32_t *parent;     // [count]
    void *fine_data;     // [count][4] w t, w
    void *fine_sigma;    // [count] w sigma; NULL when the finer nodes are vertices
    // the same by coarse places
    int64_t *coarse_start; // [coarse nodes + 1]
    int32_t *child;        // [count]
    void *coarse_data;     // [count][4]
    void *coarse_sigma;    // [count]
} pli_mg_links;

// Nodes whose diagonal blocks on the diagonal of the finest matrix change: by multiples of the
// identity, which stay lifted, or by more, which replace the lifted block of the node by a full
// one.
typedef struct pli_mg_patches {
    int32_t count;
    int32_t full_count; // those that are not multiples of the identity
    int32_t capacity;   // nodes there is room for
    int32_t *node;      // [capacity]
    bool *is_full;      // [capacity]
    double *isotropic;  // [capacity][rows^2] lifted part
    double *block;      // [capacity][(3 rows)^2] the rest, natural layout
    int32_t *of_node;   // [node_count] number of the patch of a node, or -1
    int32_t *of_place;  // [node_count] number of the full patch at a place, or -1
    void *diagonal;     // [capacity][(3 rows)^2] of full patches, kernel layout
    void *inverse;      // [capacity][(3 rows)^2]
    int32_t *former;    // [capacity] nodes that had a patch before
    int32_t former_count;
} pli_mg_patches;

typedef struct pli_mg_level {
    pli_smoother_def smoother;
    int32_t node_count;
    int32_t size; // of blocks: 1, 3, 4 or 12
    int32_t rows; // of a node in vectors: 1 or 4
    bool lifted;
    pli_mg_matrix natural;

    // coarse levels own their natural matrix
    int64_t *own_row_start;
    int64_t *own_diagonal;
    int32_t *own_column;
    double *own_values;
    int32_t *target;      // [blocks of the finer level] where they go; NULL: found by searching
    int64_t *child_start; // [node_count + 1] links from finer nodes, by coarse node
    int32_t *child;       // [links] finer node
    int64_t *child_link;  // [links] number of the link
    // sums over free vertices of the products of their coordinates in the node's frame, and
    // projectors to the null space of that; for x, y and z
    double *gram; // [node_count][3][rows^2]
    double *null; // [node_count][3][rows^2]
    double shift; // added to diagonal entries, as a share of them, where weights overlap

    // what cycles use
    pli_sweep_order *order;
    pli_mg_half lower;
    pli_mg_half upper;
    void *diagonal; // [node_count][size^2] regular, kernel layout, by place
    void *inverse;  // [node_count][size^2]
    pli_mg_patches patches;
    double damping; // of Jacobi
    pli_mg_links links;
    void *freedom; // [node_count][4] 1 or 0 for coordinates that are held; NULL: none is

    // vectors [node_count][rows][4]
    void *b;
    void *x;
    void *r;
    void *low;
    void *up;
} pli_mg_level;

// The functions that depend on the precision.
typedef struct pli_mg_kernels {
    size_t real_bytes;
    // kernel blocks from natural ones, all couplings of a level
    void (*take_couplings)(const pli_context *context, pli_mg_level *level);
    // one kernel block from a natural block of size n
    void (*take_block)(int32_t n, const double *natural, void *blocks, int64_t index);
    // numbers as they are
    void (*take_numbers)(const double *numbers, int64_t count, void *reals, int64_t first);
    // b of the finest level = scale r, by places; x of the finest level to z
    void (*load)(const pli_context *context, pli_mg_level *finest, const double *r, double scale);
    void (*store)(const pli_context *context, const pli_mg_level *finest, double scale, double *z);
    // relaxation of A x = b: from zero, or from x
    void (*pre_smooth)(const pli_context *context, pli_mg_level *level);
    void (*post_smooth)(const pli_context *context, pli_mg_level *level);
    // r = b - A x right after pre_smooth
    void (*residual)(const pli_context *context, pli_mg_level *level);
    // b of coarse = U^T r of fine; x of fine += U x of coarse
    void (*restrict_residual)(const pli_context *context, const pli_mg_level *fine,
                              const pli_mg_level *coarse);
    void (*prolong)(const pli_context *context, const pli_mg_level *fine,
                    const pli_mg_level *coarse);
    // right-hand side of the coarsest level to doubles, [node][rows][3] by nodes, and back
    void (*get_dense)(const pli_mg_level *level, double *b);
    void (*set_dense)(const pli_mg_level *level, const double *x);
    // largest eigenvalue of D^-1 A, from below
    double (*estimate_radius)(const pli_context *context, pli_mg_level *level);
} pli_mg_kernels;

extern const pli_mg_kernels pli_mg_kernels_single;
extern const pli_mg_kernels pli_mg_kernels_double;

struct pli_multigrid {
    pli_context *context;
    const pli_mg_kernels *kernels;
    const pli_hierarchy *hierarchy;
    const pli_bcsr *matrix; // one of the two
    const pli_lifted *lifted;
    uint64_t revision; // of the pattern
    uint8_t *mask;     // [vertices] coordinates that are held, bits 1, 2, 4
    double null_share; // eigenvalues of Gram matrices below this share count as zero
    int32_t level_count;
    pli_mg_level levels[PLI_HIERARCHY_LEVELS + 1]; // finest first

    // the coarsest level: a sparse factor where there is one, else a dense one
    pli_bcsr *sparse; // [nodes * rows] rows of blocks
    pli_cholesky *cholesky;
    bool dense_lifted; // factored as 4x4 numbers a block
    int32_t dense_size;
    int64_t dense_capacity;
    double *dense;         // [dense_size][dense_size] factor
    double *dense_vector;  // [nodes][rows][3]
    double *dense_columns; // the same, sorted for three right-hand sides

    pli_timers *timers;
};

// multigrid_coarsen.c: patterns and values of coarse levels (level >= 1)
PLI_CHECKED pli_status pli_mg_coarsen_create(pli_multigrid *mg, int32_t level);
void pli_mg_coarsen_clear(pli_context *context, pli_mg_level *level);
void pli_mg_coarsen_values(pli_multigrid *mg, int32_t level, const uint8_t *mask);

// T^T A T for a link: C [(R e)^2] += factor T_i^T A T_j, for blocks of e x e numbers (1 lifted, 3)
// of finer nodes with `rows` rows each.
void pli_mg_add_congruent(int32_t e, int32_t fine_rows, int32_t coarse_rows, const double link_i[5],
                          const double link_j[5], const double *A, double *C);

// A link as five numbers: w t, w, w sigma.
void pli_mg_get_link(const pli_interpolation_map *transfer, int64_t link, double data[5]);

// multigrid_regular.c: what makes coarse nodes regular; once, and when other coordinates are held
void pli_mg_find_null_spaces(pli_multigrid *mg, const uint8_t *mask);

// Adds to the diagonal block [size^2] of a node of a coarse level what makes it regular.
void pli_mg_regularize(const pli_mg_level *level, int32_t node, double *block);

// multigrid_patch.c: diagonals, their inverses, and blocks on the diagonal of the finest matrix
PLI_CHECKED pli_status pli_mg_patches_create(pli_context *context, pli_mg_level *level);
void pli_mg_patches_clear(pli_context *context, pli_mg_patches *patches);
// All diagonals of a level; false when one is not positive definite.
bool pli_mg_take_diagonals(pli_multigrid *mg, pli_mg_level *level);
// Diagonal block of a node as cycles see it, without what is not lifted.
void pli_mg_get_diagonal(const pli_mg_level *level, int32_t node, double *block);
// Forgets the patches of all levels, as in a multigrid that was never built: what build computes
// before it places them again must not depend on them.
void pli_mg_patches_forget(pli_multigrid *mg);
PLI_CHECKED pli_status pli_mg_patches_update(pli_multigrid *mg, bool *definite);

// multigrid_dense.c: the coarsest level
PLI_CHECKED pli_status pli_mg_dense_factor(pli_multigrid *mg, bool *definite);
void pli_mg_dense_solve(const pli_multigrid *mg);

// multigrid_sparse.c: the coarsest level when it is large and not lifted
bool pli_mg_sparse_is_wanted(const pli_multigrid *mg);
PLI_CHECKED pli_status pli_mg_sparse_create(pli_multigrid *mg);
void pli_mg_sparse_clear(pli_multigrid *mg);
int64_t pli_mg_sparse_memory_bytes(const pli_multigrid *mg); // CHOLMOD's included
PLI_CHECKED pli_status pli_mg_sparse_factor(pli_multigrid *mg, bool *definite);
void pli_mg_sparse_solve(const pli_multigrid *mg);

#endif
