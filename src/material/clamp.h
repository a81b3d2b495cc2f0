// SPDX-License-Identifier: Apache-2.0
//
// Projection of tangents that have no frame in which they fall into blocks.
#ifndef PLI_MATERIAL_CLAMP_H
#define PLI_MATERIAL_CLAMP_H

#include <stdint.h>

// Raises negative eigenvalues of dP/dF at the PLI_BLOCK points from dPdF on to zero, the nearest
// positive semi-definite matrices in the Frobenius norm; planes are stride apart (extend.h), equal
// in both triangles. What has a Cholesky decomposition, but for rounding, keeps its bits, and this
// is found out for four points at a time; only the others are decomposed (math/eigen.h).
void pli_tangent_clamp(int64_t stride, double *dPdF);

#endif
