// SPDX-License-Identifier: Apache-2.0
//
// Bending of thin shells by discrete hinges (Grinspun, Hirani, Desbrun and Schroeder 2003): every
// two triangles that share an edge bend about it,
//
//     E(x) = sum over hinges of c/2 (theta - theta_rest)^2,
//
// with theta the angle between the normals and the difference taken on the circle, in (-pi, pi].
//
// Stiffness. A plate of thickness t has the flexural rigidity D = E t^3 / (12 (1 - nu^2))
// (Kirchhoff and Love): bent to a cylinder of curvature kappa it stores D/2 kappa^2 per area. Here
//
//     c = D/2 (r_1 + r_2),   r = (sum of the squared sides) / (6 area)             (N m)
//
// of the two triangles at rest. r is a matter of shape only: 2/sqrt(3) for an equilateral triangle,
// 4/3 for half a square. With it, sheets of equilateral triangles, and sheets of squares with
// alternating diagonals, bend with exactly D along every direction. For the equilateral ones that
// is the result of Seung and Nelson 1988; how it comes about for squares, whose vertices of four
// and of eight edges move against each other, is told in docs/theory/shells.md. The weight
// 3 |e|^2 / (A_1 + A_2) that is often seen is too stiff on both, by 2.5 to 4 depending on the
// direction. Other meshes are right on average.
//
// What hinges leave out: the coupling of the two curvatures by the material's Poisson's ratio.
// Sheets of hinges behave as if it were -1/3 in bending: a free strip bends with 8/9 D, where a
// beam has (1 - nu^2) D, 0.91 D for nu = 0.3.
//
// Geometry. With the edge a = x1 - x0 of length l, and b = x2 - x0, c = x3 - x0 to the opposite
// corners, N_1 = a x b, N_2 = c x a, u_k = N_k / |N_k|^2 (compare Bridson, Marino and Fedkiw 2003),
//
//     theta   = atan2((N_1 x N_2) . a/l, N_1 . N_2)
//     dtheta  = -l u_1 . db - l u_2 . dc + ((a.b)/l u_1 + (a.c)/l u_2) . da
//
// and the Hessian follows with du_k = (1 - 2 n n^T)/|N_k|^2 dN_k. theta is smooth everywhere on the
// circle, also for flat and for folded hinges; only the square of the difference has a crest where
// it is pi, the farthest from rest, from which every way leads down. The projected Hessian is
// that of Gauss and Newton, c dtheta dtheta^T, without the second derivatives of theta.
//
// A hinge with a triangle that has no area contributes nothing; the membrane's energy is infinite
// there.
//
// Threads: as for fem/membrane.h.
#ifndef PLI_FEM_HINGE_H
#define PLI_FEM_HINGE_H

#include "fem/elements.h"

// What the term is made from; everything is copied.
typedef struct pli_hinges_def {
    int32_t vertex_count;
    int32_t hinge_count;
    const double *rest;      // [vertex_count][3] (m)
    const int32_t *vertices; // [hinge_count][4] edge, then the opposite corners
    const double *rigidity;  // [hinge_count] D (N m)
} pli_hinges_def;

typedef struct pli_hinges {
    pli_elements elements; // the first; an element is a hinge
    int32_t hinge_count;

    // constant
    int32_t *vertices;  // [hinge_count][4]
    double *stiffness;  // [hinge_count] c (N m)
    double *rest_angle; // [hinge_count] (radians)
} pli_hinges;

extern const pli_term_ops pli_hinges_term;

// Errors: argument, memory.
pli_status pli_hinges_create(pli_context *context, const pli_hinges_def *def, pli_hinges **hinges);
void pli_hinges_destroy(pli_hinges *hinges);

// The angle of one hinge (radians), 0 where a triangle has no area.
double pli_hinge_angle(const double *x, const int32_t vertices[4]);

#endif
