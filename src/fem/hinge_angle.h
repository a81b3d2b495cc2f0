// SPDX-License-Identifier: Apache-2.0
//
// The angle between two triangles that share an edge, and its derivatives.
//
// With the edge a = x1 - x0 of length l, and b = x2 - x0, c = x3 - x0 to the opposite corners,
// N_1 = a x b, N_2 = c x a, u_k = N_k / |N_k|^2 (compare Bridson, Marino and Fedkiw 2003),
//
//     theta   = atan2((N_1 x N_2) . a/l, N_1 . N_2)
//     dtheta  = -l u_1 . db - l u_2 . dc + ((a.b)/l u_1 + (a.c)/l u_2) . da
//
// and the Hessian follows with du_k = (1 - 2 n n^T)/|N_k|^2 dN_k. theta is smooth everywhere on the
// circle, also for flat and for folded hinges.
#ifndef PLI_FEM_HINGE_ANGLE_H
#define PLI_FEM_HINGE_ANGLE_H

#include <stdbool.h>
#include <stdint.h>

// The three vectors of a hinge and what its derivatives are made of.
typedef struct pli_hinge_point {
    double a[3];
    double b[3];
    double c[3];
    double length; // |a|
    double N1[3];
    double N2[3];
    double u1[3]; // N1 / |N1|^2
    double u2[3];
    double angle; // theta
} pli_hinge_point;

// vertices: the edge, then the opposite corners. False for a hinge with a triangle that has no
// area.
bool pli_hinge_load(const double *x, const int32_t vertices[4], pli_hinge_point *point);

// The angle alone (radians), 0 where a triangle has no area.
double pli_hinge_angle(const double *x, const int32_t vertices[4]);

// dtheta / d(a, b, c)
void pli_hinge_gradient(const pli_hinge_point *point, double g[9]);

// s d2theta / d(a, b, c)^2
void pli_hinge_hessian(const pli_hinge_point *point, double s, double H[81]);

// angle - rest on the circle, in [-pi, pi]
double pli_angle_difference(double angle, double rest);

#endif
