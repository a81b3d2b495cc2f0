// SPDX-License-Identifier: Apache-2.0
//
// Substitution with a supernodal Cholesky factor for three right-hand sides at once.
//
// CHOLMOD leaves it to the BLAS, whose products packs the factor again for every solve; for three
// columns that costs more than the arithmetic. Here every entry of the factor is read once, in
// order, and multiplied with the three entries of a row of X, padded to four: one operation of a
// short vector. The order of sums is fixed by the factor. Runs on the calling thread.
#ifndef PLI_LINEAR_DIRECT_SUPERNODAL_H
#define PLI_LINEAR_DIRECT_SUPERNODAL_H

#ifdef PLI_HAS_CHOLMOD

#include <cholmod.h>

// X <- (L L^T)^-1 X for a real supernodal factor; X [n][4] in the order of the factor, 32-byte
// aligned or not, fourth entries finite.
void pli_supernodal_solve(const cholmod_factor *L, double *X);

#endif

#endif
