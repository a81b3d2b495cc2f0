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
// Geometry: hinge_angle.h. theta is smooth; only the square of the difference has a crest where it
// is pi, the farthest from rest, from which every way leads down. The projected Hessian is that of
// Gauss and Newton, c dtheta dtheta^T, without the second derivatives of theta.
//
// Folds that stay. A hinge may yield at an angle a from rest: its moment then grows by a share r of
// its stiffness, and what it is bent beyond that becomes part of its angle at rest. The energy of a
// step has this in it, so that a step ends with the moment after yielding (as material/plastic.h):
//
//     phi(d) = c/2 d^2                                            |d| <= a
//            = c/2 a^2 + c a (|d| - a) + r c/2 (|d| - a)^2        beyond, d = theta - theta_rest
//
// and when it is over, theta_rest moves by q = (1 - r) (|d| - a) along d and a grows by r (|d| -
// a), which is r / (1 - r) q. Of a hinge are kept the sum of the q with their signs, and of their
// sizes.
//
// A hinge with a triangle that has no area contributes nothing; the membrane's energy is infinite
// there.
//
// Threads: as for fem/membrane.h.
#ifndef PLI_FEM_HINGE_H
#define PLI_FEM_HINGE_H

#include "fem/elements.h"
#include "fem/hinge_angle.h"

// What the term is made from; everything is copied.
typedef struct pli_hinges_def {
    int32_t vertex_count;
    int32_t hinge_count;
    const double *rest;      // [vertex_count][3] (m)
    const int32_t *vertices; // [hinge_count][4] edge, then the opposite corners
    const double *rigidity;  // [hinge_count] D (N m)
    const double *yield;     // [hinge_count] a at rest (radians), 0: elastic; NULL: all are
    const double *hardening; // [hinge_count] r in [0, 1); NULL as yield
} pli_hinges_def;

typedef struct pli_hinges {
    pli_elements elements; // the first; an element is a hinge
    int32_t hinge_count;

    // constant
    int32_t *vertices;  // [hinge_count][4]
    double *stiffness;  // [hinge_count] c (N m)
    double *rest_angle; // [hinge_count] (radians), of a hinge that has never yielded
    double *yield;      // [hinge_count] as the def's; NULL: all are elastic
    double *hardening;  // [hinge_count]

    // of the state, see pli_hinges_set_folds; NULL: all are elastic
    double *fold;  // [hinge_count] that the angle at rest has moved by (radians)
    double *limit; // [hinge_count] a now (radians)
} pli_hinges;

extern const pli_term_ops pli_hinges_term;

// Errors: argument, memory.
pli_status pli_hinges_create(pli_context *context, const pli_hinges_def *def, pli_hinges **hinges);
void pli_hinges_destroy(pli_hinges *hinges);

// What hinges remember, in an order of their own.
typedef struct pli_folds {
    const int32_t *rows; // [hinge_count] row of each hinge
    double *angle;       // [rows] that the angle at rest has moved by (radians)
    double *path;        // [rows] sum of the sizes of all moves (radians)
} pli_folds;

// Gives hinges, of which some can yield, the folds of a state.
void pli_hinges_set_folds(pli_hinges *hinges, const pli_folds *folds);

// The end of a step at x: hinges yield.
void pli_hinges_yield(pli_hinges *hinges, const double *x, const pli_folds *folds);

#endif
