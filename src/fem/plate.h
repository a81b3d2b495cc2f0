// SPDX-License-Identifier: Apache-2.0
//
// Bending of thin shells as a plate bends, Poisson's ratio included, whatever the mesh: the
// triangle of Morley 1968, whose rotations at the edges follow from the angles of the mesh.
//
// Curvature. Let a triangle of area A be bent to a quadratic surface through its corners, whose
// slope across the middle of edge e differs from the flat triangle's by phi_e. Then its curvature
// is
//
//     kappa = -1/A sum_e l_e phi_e n_e n_e^T      (n_e the unit normal of the edge in the plane)
//
// and phi_e = f_e . kappa, with f_e of its shape. Of two triangles at an edge, the angle between
// them (hinge_angle.h) is theta = phi_1 + phi_2. How it is shared is an unknown of its own in
// Morley's element; here it is
//
//     phi_1 = w theta + (f_1 - w (f_1 + f_2)) . k,   w = A_1 / (A_1 + A_2)
//
// where k is the curvature that fits best, by least squares, the five angles at the sides of the
// two triangles. That is right where curvature is constant. So constant curvature is met exactly on
// every mesh and so are constant moments, and as any share gives no less energy than the best one,
// there is no soft mode. (Curvature from three angles alone, without sharing them, has the first of
// these and not the others: it is too soft by 3/4 on squares with alternating diagonals.)
//
// Energy. Of a plate (Kirchhoff and Love), D the rigidity, C its matrix for kappa = (k_11, k_22,
// k_12),
//
//     E = A/2 kappa^T C kappa,   kappa^T C kappa = D [(1 - nu) |kappa|^2 + nu (tr kappa)^2]
//
// At a free edge there is no angle, and the curvature is the one of least energy with what the
// other edges say: there is no moment about it. Both cases are
//
//     E = 1/2 phi^T Q phi,   Q = A (f C^-1 f^T)^-1   of the edges that have neighbours,
//
// with phi = P d, d = theta - theta_rest on the circle of up to nine hinges and P a constant matrix
// of the shape at rest, neighbours unfolded into the triangle's plane.
//
// Derivatives. With moments m = P^T Q P d, dE = m_i dtheta_i, and the projected Hessian is that of
// Gauss and Newton, (P^T Q P)_ij dtheta_i dtheta_j^T; the exact one has m_i d2theta_i, too.
//
// An element with a triangle that has no area contributes nothing; the membrane's energy is
// infinite there.
#ifndef PLI_FEM_PLATE_H
#define PLI_FEM_PLATE_H

#include "fem/elements.h"

// An element's vertices: corners 0, 1, 2; 3 + k that of the neighbour across from corner k; and
// 6 + 2 k, 7 + 2 k those across from the sides of that neighbour (k = 0: at corners 1 and 2).
enum { PLI_PLATE_VERTICES = 12, PLI_PLATE_HINGES = 9 };

// What the term is made from; everything is copied.
typedef struct pli_plates_def {
    int32_t vertex_count;
    int32_t plate_count;
    const double *rest;      // [vertex_count][3] (m)
    const int32_t *vertices; // [plate_count][12]; -1: there is no such triangle
    const double *rigidity;  // [plate_count] D (N m)
    const double *poisson;   // [plate_count] nu (-)
} pli_plates_def;

typedef struct pli_plates {
    pli_elements elements; // the first; an element is a triangle with those around it
    int32_t plate_count;

    // constant
    int32_t *vertices;  // [plate_count][12]; where there is no triangle, corner 0
    uint16_t *hinges;   // [plate_count] bit k: hinge k is there
    double *share;      // [plate_count][3][9] P, zero in rows of free edges
    double *stiffness;  // [plate_count][9] Q (N m), zero in rows of free edges
    double *rest_angle; // [plate_count][9] (radians)
} pli_plates;

extern const pli_term_ops pli_plates_term;

// Errors: argument, memory.
PLI_CHECKED pli_status pli_plates_create(pli_context *context, const pli_plates_def *def,
                                         pli_plates **plates);
void pli_plates_destroy(pli_plates *plates);

#endif
