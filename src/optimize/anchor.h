// SPDX-License-Identifier: Apache-2.0
//
// Points pulled towards places: E(x) = 1/2 sum_i c_i |x_i - y_i|^2, with c_i >= 0 in N/m.
//
// This one term serves for
//   inertia      c = m / (a h^2),  y = predicted position  (implicit Euler a = 1, BDF2 a = 4/9),
//                of vertices and of the nodes of a grid
//   drag         c = k m / h,      y = position before the step  (Gast et al. 2015, section 4.2)
//   attachments  c = stiffness,    y = where the script wants the point
//   grips        c = stiffness,    y = where somebody drags the point to
// The arrays belong to the caller, who changes them between steps.
//
// Minimisers that keep one matrix (local_global.h) want to know which part of it an anchor is, so
// there are two tables: the stiffness of inertia and drag is the same from step to step and belongs
// to the matrix that stays; that of attachments and grips comes and goes and belongs to the blocks
// on its diagonal. Apart from that they are the same term.
#ifndef PLI_OPTIMIZE_ANCHOR_H
#define PLI_OPTIMIZE_ANCHOR_H

#include "optimize/term.h"

typedef struct pli_anchor {
    pli_context *context;
    int32_t point_count;
    const double *stiffness; // [point_count] c (N/m), borrowed; NULL: idle, all are zero
    const double *target;    // [point_count][3] y (m), borrowed
} pli_anchor;

extern const pli_term_ops pli_anchor_term;     // inertia, drag
extern const pli_term_ops pli_attachment_term; // what scripts, grips and pursuit pull at

#endif
