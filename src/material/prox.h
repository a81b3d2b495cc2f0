// SPDX-License-Identifier: Apache-2.0
//
// The proximal point of a law: the deformation z that a piece of matter takes when a spring of
// stiffness c pulls it to y,
//
//   z = argmin psi(z) + c/2 |z - y|^2,        P(z) + c (z - y) = 0
//
// which is what methods that split matter from its surroundings ask of it (ADMM: Overby et al.
// 2017, section 4.2; Fang et al. 2019).
//
// Isotropic laws. z has the singular vectors of y = U diag(t) V^T, for those bring z closest to y
// at given singular values; so three unknowns are left,
//
//   s = argmin psi(s) + c/2 |s - t|^2,        z = U diag(s) V^T
//
// which Newton's method finds, four points at a time: the Hessian as it is, or raised to its
// positive part (plus c) where it is not positive, and steps that are halved until the energy
// falls. Other laws have the same iteration in nine unknowns, a point at a time.
//
// psi may have several minima; the one is found that is downhill from the start. Laws that are not
// defined everywhere are left at a point where they are; a y that is not finite gives such a z.
//
// Accuracy: Newton's last step is below 1e-7, which leaves rounding. Stateless, the same bits for a
// point wherever it stands in a batch.
#ifndef PLI_MATERIAL_PROX_H
#define PLI_MATERIAL_PROX_H

#include "material/material.h"

enum { PLI_PROX_POINTS = 64, PLI_PROX_PARAMS = PLI_MATERIAL_PARAMS };

// Points of one law; planes are PLI_PROX_POINTS long.
typedef struct pli_prox {
    int32_t count;                                    // at most PLI_PROX_POINTS
    bool is_warm;                                     // start has something; otherwise y is it
    double y[9 * PLI_PROX_POINTS];                    // in
    double params[PLI_PROX_PARAMS * PLI_PROX_POINTS]; // in
    double c[PLI_PROX_POINTS];                        // in: Pa, positive
    double start[9 * PLI_PROX_POINTS]; // in and out: s of isotropic laws (3 planes), otherwise z
    double z[9 * PLI_PROX_POINTS];     // out
} pli_prox;

// Planes of `start` that a law uses.
int32_t pli_prox_start_count(const pli_material_ops *law);

void pli_prox_solve(const pli_material_ops *law, pli_prox *at);

#endif
