// SPDX-License-Identifier: Apache-2.0
//
// Coarse spaces as data: which coarse nodes move which finer ones, and how.
//
// A coarse node carries an affine field about a place of its own (12 unknowns, Xian et al. 2019,
// equation 4) or a translation (3 unknowns). Its frame has a centre c and a size s; with
// u = (X - c) / s the field is
//
//     x(X) = sum_k u_k Q_k + Q_3,     Q_0 ... Q_3 rows of three numbers.
//
// The paper writes the same fields in the coordinates of the world; frames of its own keep a
// node's numbers near one, which single precision wants and a body far from the origin needs.
//
// A link says that a finer node follows a coarse one with some weight. It holds where the finer
// node's frame stands in that of the coarse one, four numbers (t, sigma): u_coarse = sigma u + t.
// So, for the rows q of the finer node,
//
//     q_k += w sigma Q_k  (k < 3),    q_3 += w (Q_3 + sum_k t_k Q_k),
//
// and a vertex is a frame of size zero, sigma = 0, of which q_3 alone exists. With one link of
// weight 1 for every finer node this is the piecewise constant choice of Xian et al. 2019; with
// several it is smooth skinning.
//
// Levels are numbered from the finest, 0, which is the vertices. All of it is geometry: nothing
// here depends on the values of a matrix, and it stays for a whole run.
#ifndef PLI_LINEAR_MULTIGRID_HIERARCHY_H
#define PLI_LINEAR_MULTIGRID_HIERARCHY_H

#include "base/context.h"

enum { PLI_HIERARCHY_LEVELS = 8 }; // coarse ones at most

// From level l to level l + 1.
typedef struct pli_interpolation_map {
    int32_t fine_count;   // nodes of level l
    int32_t coarse_count; // nodes of level l + 1, each with at least one link
    int64_t link_count;
    int64_t *start;  // [fine_count + 1]  first link of a finer node; a node may have none
    int32_t *parent; // [link_count]      coarse node
    double *weight;  // [link_count]      NULL: all are 1
    double *place;   // [link_count][4]   t and sigma
} pli_interpolation_map;

typedef struct pli_hierarchy {
    pli_context *context;
    int32_t dofs;                                          // of a coarse node: 12 or 3
    int32_t level_count;                                   // coarse levels, at least 1
    pli_interpolation_map transfers[PLI_HIERARCHY_LEVELS]; // [level_count]  finest first
    int32_t *samples[PLI_HIERARCHY_LEVELS]; // [level_count][coarse_count]  vertices at the nodes
} pli_hierarchy;

// Reserves the arrays of a transfer, weight only when asked for. On failure nothing is held.
PLI_CHECKED pli_status pli_interpolation_map_init(pli_context *context, int32_t fine_count,
                                                  int32_t coarse_count, int64_t link_count,
                                                  bool weighted, pli_interpolation_map *transfer);

// Gives back all arrays and the hierarchy itself; NULL is legal.
void pli_hierarchy_destroy(pli_hierarchy *hierarchy);

// Whether every finer node has at most one link, of weight 1.
bool pli_interpolation_map_is_piecewise(const pli_interpolation_map *transfer);

int64_t pli_hierarchy_memory_bytes(const pli_hierarchy *hierarchy);

#endif
