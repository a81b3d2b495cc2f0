// SPDX-License-Identifier: Apache-2.0
//
// Bending of thin shells as a plate bends, Poisson's ratio included: an element is a triangle with
// the three that share its edges, whose six vertices tell its curvature.
//
// Curvature. The angles theta_i at the three edges (hinge_angle.h) are linear in the curvature
// tensor of a quadratic surface through the six vertices: theta = M kappa, kappa = (k_11, k_22,
// k_12), with M of the shape at rest, neighbours unfolded into the triangle's plane. Three angles
// give three curvatures, for every mesh: a constant curvature is met exactly (the fit of Phaal and
// Calladine 1992, by angles, which makes it fit for large rotations).
//
// Energy. Of a plate (Kirchhoff and Love), A the area and D the rigidity,
//
//     E = A D/2 [(1 - nu) |kappa|^2 + nu (tr kappa)^2] = A/2 kappa^T C kappa,  kappa M-ed of
//     theta - theta_rest
//
// At a free edge there is no angle, and the curvature is the one of least energy with the angles
// that there are: the edge has no moment. Both cases are
//
//     E = 1/2 d^T Q d,   Q = A (M C^-1 M^T)^-1,   d = theta - theta_rest on the circle
//
// with the rows of M whose edges have a neighbour. Directions in which angles can hardly differ,
// where six vertices lie nearly on a conic section, would be stiff without end: eigenvalues of
// M C^-1 M^T count as PLI_PLATE_LEAST of the largest at least.
//
// Derivatives. dE = (Q d)_i dtheta_i, and the projected Hessian is that of Gauss and Newton,
// Q_ij dtheta_i dtheta_j^T; the exact one has (Q d)_i d2theta_i, too.
//
// An element with a triangle that has no area contributes nothing; the membrane's energy is
// infinite there.
#ifndef PLI_FEM_PLATE_H
#define PLI_FEM_PLATE_H

#include "fem/elements.h"

#define PLI_PLATE_LEAST 1e-3

// What the term is made from; everything is copied.
typedef struct pli_plates_def {
    int32_t vertex_count;
    int32_t plate_count;
    const double *rest;      // [vertex_count][3] (m)
    const int32_t *vertices; // [plate_count][6] corners, then the opposite corner of the neighbour
                             // across from each; -1: a free edge
    const double *rigidity;  // [plate_count] D (N m)
    const double *poisson;   // [plate_count] nu (-)
} pli_plates_def;

typedef struct pli_plates {
    pli_elements elements; // the first; an element is a triangle with its neighbours
    int32_t plate_count;

    // constant
    int32_t *vertices;  // [plate_count][6]; where there is no neighbour, the corner across from it
    double *stiffness;  // [plate_count][9] Q (N m), zero in rows of free edges
    double *rest_angle; // [plate_count][3] (radians)
} pli_plates;

extern const pli_term_ops pli_plates_term;

// Errors: argument, memory.
PLI_CHECKED pli_status pli_plates_create(pli_context *context, const pli_plates_def *def,
                                         pli_plates **plates);
void pli_plates_destroy(pli_plates *plates);

#endif
