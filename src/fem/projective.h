// SPDX-License-Identifier: Apache-2.0
//
// Corotated tetrahedra without a volume term, E(x) = sum_t V_t mu_t |F_t - R_t|^2, as the term of
// projective dynamics: R is the rotation nearest to F (the local projection of Bouaziz et al. 2014,
// section 5.1).
//
//     gradient   2 mu V (F - R) g_a         exact, as R minimises |F - R|
//     matrix     S_ab = sum_t 2 mu_t V_t g_a . g_b,   S (x) I >= Hessian everywhere
//
// The same energy as pli_elastic with the corotated law and lambda = 0, made for speed: eight
// tetrahedra at a time in single precision, from edges that were subtracted in double, so that F is
// good to 1e-7 wherever the body is; sums over vertices are in double, and the forces of a
// tetrahedron balance exactly. What that costs in accuracy is a noise of some 1e-7 in the strain,
// so of 2e-7 mu V |g| in a force: a minimiser can't get below it.
//
// How. Tetrahedra are sorted along a Hilbert curve and cut into chunks. A chunk numbers its own
// vertices: their positions are gathered once, lie in the first-level cache while the chunk's
// tetrahedra use them several times each, and so do the sums of forces, which are added to the
// gradient once per vertex and chunk. The rotation is that of math/rotation_simd.h: no singular
// vectors, no memory of earlier steps. 48 bytes per tetrahedron stream through, in order.
// Chunks that share no vertex run in parallel (chunk colouring), all inside one team.
//
// The Hessian, for minimisers that want one, is that of the corotated law in double; what it needs
// is made when the term is bound to a matrix.
//
// Same bits for any number of threads; no heap after creation but for binding. One call at a time
// on one object: a report uses scratch in it.
#ifndef PLI_FEM_PROJECTIVE_H
#define PLI_FEM_PROJECTIVE_H

#include "optimize/term.h"

typedef struct pli_projective_def { // everything is copied
    int32_t vertex_count;
    int32_t tet_count;
    const double *rest;  // [vertex_count][3] (m)
    const int32_t *tets; // [tet_count][4], positive volume at rest
    const double *mu;    // [tet_count] shear modulus, positive (Pa)
} pli_projective_def;

typedef struct pli_projective pli_projective;

extern const pli_term_ops pli_projective_term;

// Errors: mesh (a rest volume is not positive), argument (a vertex or a modulus out of range),
// memory.
PLI_CHECKED pli_status pli_projective_create(pli_context *context, const pli_projective_def *def,
                                             pli_projective **projective);
void pli_projective_destroy(pli_projective *projective);

// What a report wants, in one pass. Positions that are not finite show in the energy.
typedef struct pli_projective_report {
    double energy;    // J
    double min_J;     // smallest determinant of F; infinite without tetrahedra
    int64_t inverted; // tetrahedra with a negative one
} pli_projective_report;

void pli_projective_measure(const pli_projective *projective, const double *x,
                            pli_projective_report *report);

#endif
