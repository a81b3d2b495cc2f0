// SPDX-License-Identifier: Apache-2.0
//
// Laws as functions of the singular values alone, for those who work in a frame where F is diagonal
// and stays so: there a law is three unknowns instead of nine, and no decomposition is needed.
//
//   psi(s),   g_k = dpsi/ds_k,   H_kl = d2psi / ds_k ds_l        s in any order
//
// Where the law is not defined (some s_k not positive, for laws that need it), psi is infinite and
// the derivatives are zero.
#ifndef PLI_MATERIAL_PRINCIPAL_H
#define PLI_MATERIAL_PRINCIPAL_H

#include "math/simd.h"
#include "pliant/extend.h"

// A law at n points with diagonal F, at most PLI_BLOCK of them (batch.h); for layout see extend.h.
// Any of psi, g, hessian may be NULL. By the law's own function, or by evaluate.
void pli_principal_evaluate(const pli_material_ops *law, int32_t n, const double *s,
                            const double *params, double *psi, double *g, double *hessian);

// Four points, as laws have them inside.
typedef struct pli_principal {
    pli_d4 psi;        // J/m^3
    pli_d4 g[3];       // Pa
    pli_d4 hessian[6]; // Pa: 00, 11, 22, 12, 02, 01
} pli_principal;

// p are the parameters of the law at the same four points. Vectors go by pointer.
typedef void (*pli_principal_fn)(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);

// The function `principal` of a law that has one for four points.
void pli_principal_run(int32_t n, int32_t param_count, const double *s, const double *params,
                       double *psi, double *g, double *hessian, pli_principal_fn four);

#endif
