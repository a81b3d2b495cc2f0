// SPDX-License-Identifier: Apache-2.0
//
// The matrix of an implicit step on a coarser grid than its own, by quadrature over particles (Wang
// et al. 2020):
//
//   H_IJ = delta_IJ sum_p m_p w_Ip / h^2 + sum_p g_Ip . A_p . g_Jp,    g_Ip = F_p^T grad w_Ip
//
// with the quadratic B-splines w of the coarser grid and the tangents A_p (9x9, J) that the step
// has on its own grid (implicit.h). Both terms are those of the finest level with other weights.
//
// A cell of a coarser grid has eight times the particles of one of the next finer: their blocks are
// summed in the cache, four particles and four nodes at a time, and go to the matrix once per cell.
// Cells whose coordinates are equal modulo three share no node, so that 27 colours of cells follow
// each other and those of a colour are worked on at once.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_NODE_QUADRATURE_H
#define PLI_MPM_IMPLICIT_NODE_QUADRATURE_H

#include "mpm/implicit/implicit.h"

enum {
    PLI_QUADRATURE_REACH = 2,   // of matrices
    PLI_QUADRATURE_SLOTS = 125, // of a row
    PLI_QUADRATURE_COLORS = 27
};

typedef struct pli_quadrature {
    const pli_cloud *cloud;       // on the coarser grid, quadratic splines
    const pli_implicit *implicit; // with tangents of the same particles, prepared
    double inertia;               // 1/h^2 (1/s^2)
    const int32_t *slot_of_row;   // [cloud->count]         slots of implicit->cloud
    const int32_t *row_of_node;   // [cloud->nodes->count]  of the matrix
    int32_t *cells;               // [cloud->cell_count]    scratch: cells by colours
} pli_quadrature;

// Whether tangents have been prepared.
bool pli_quadrature_has_tangents(const pli_implicit *implicit);

// matrix += H, for a matrix of PLI_QUADRATURE_SLOTS slots.
void pli_quadrature_add(const pli_quadrature *quadrature, pli_ell *matrix);

#endif
