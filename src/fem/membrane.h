// SPDX-License-Identifier: Apache-2.0
//
// In-plane elasticity of thin shells: E(x) = sum over triangles of A t psi(F), as a term.
//
// F [3][2] maps a triangle at rest, laid flat, to where it is now; s_1, s_2 are its singular values
// and J = s_1 s_2 its ratio of areas. With the shear modulus mu and the bulk modulus of a plate
// in plane stress, k = E / (2 (1 - nu)),
//
//     psi = mu/2 (s_1 - s_2)^2 + k/2 ((J^2 - 1)/2 - ln J)        (J/m^3)
//
// Both parts are never negative, for every Poisson's ratio from -1 to 1/2, and vanish together only
// at rest, where the second derivatives are those of linear elasticity in plane stress. So a
// strip stretches with E, and gets narrower with nu, until strains are large; then it behaves like
// rubber (|F|^2 grows as for a Neo-Hookean solid). St. Venant-Kirchhoff would be simpler, but it
// softens under compression and lets triangles vanish; here squeezing a triangle to nothing
// takes infinite energy, so areas, and with them normals and distances to the triangle, stay
// defined. (A triangle in space cannot be inverted: it turns over instead.)
//
// Gradient and Hessian, with f_1, f_2 the columns of F, n the normal and b = dpsi/dJ as if
// psi = mu/2 |F|^2 + g(J):
//
//     P = mu F + b dJ/dF,      dJ/df_1 = f_2 x n,   dJ/df_2 = n x f_1
//
// In the frame of the singular vectors u_1, u_2, n and v_1, v_2 the Hessian d2psi/dF2 falls apart
// into six modes (compare Smith et al. 2019 for solids), with psi_i = mu s_i + b s_j, d = d2g/dJ2:
//
//     stretch      u_1 v_1 and u_2 v_2      the 2x2 matrix of mu + d s_j^2 and b + d J
//     shear        u_1 v_2 + u_2 v_1        mu - b
//     spin         u_1 v_2 - u_2 v_1        mu + b
//     lift         n v_1,  n v_2            psi_i / s_i
//
// No mode divides by a difference, so equal singular values are nothing special. Clamping the
// eigenvalues gives the nearest positive semi-definite Hessian. Under compression spin and lift
// are negative: that is how thin sheets buckle.
//
// Threads: as for every term, calls on one object are serial; scattering runs by colours, so bits
// are the same for any thread count. Nothing is allocated after bind.
#ifndef PLI_FEM_MEMBRANE_H
#define PLI_FEM_MEMBRANE_H

#include "fem/elements.h"

// What the term is made from; everything is copied.
typedef struct pli_membrane_def {
    int32_t vertex_count;
    int32_t triangle_count;
    const double *rest;       // [vertex_count][3] (m)
    const int32_t *triangles; // [triangle_count][3], with area at rest
    const double *thickness;  // [triangle_count] (m)
    const double *young;      // [triangle_count] (Pa)
    const double *poisson;    // [triangle_count] (-)
} pli_membrane_def;

typedef struct pli_membrane {
    pli_elements elements; // the first; an element is a triangle
    int32_t triangle_count;

    // constant
    int32_t *triangles; // [triangle_count][3]
    double *gradients;  // [triangle_count][4] d N_1, d N_2 by the two rest coordinates (1/m)
    double *volume;     // [triangle_count] area times thickness at rest (m^3)
    double *mu;         // [triangle_count] shear modulus (Pa)
    double *bulk;       // [triangle_count] k (Pa)
} pli_membrane;

extern const pli_term_ops pli_membrane_term;

// Errors: mesh (a triangle without area at rest), argument, memory.
pli_status pli_membrane_create(pli_context *context, const pli_membrane_def *def,
                               pli_membrane **membrane);
void pli_membrane_destroy(pli_membrane *membrane);

// Quantities per triangle, for reports and frames; either may be NULL.
//   J         [triangle_count] area over area at rest
//   von_mises [triangle_count] equivalent Cauchy stress of the middle surface, as if the thickness
//             stayed what it was (Pa)
void pli_membrane_measure(const pli_membrane *membrane, const double *x, double *J,
                          double *von_mises);

#endif
