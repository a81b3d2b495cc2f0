// SPDX-License-Identifier: Apache-2.0
//
// Isotropic laws as functions of the singular values alone, for those who work in a frame where F
// is diagonal and stays so: there a law is three unknowns instead of nine, and no decomposition is
// needed.
//
//   psi(s),   g_k = dpsi/ds_k,   H_kl = d2psi / ds_k ds_l        s in any order
//
// Where the law is not defined (some s_k not positive, for laws that need it), psi is infinite and
// the derivatives are zero. Vectors go by pointer: four points at a time.
#ifndef PLI_MATERIAL_PRINCIPAL_H
#define PLI_MATERIAL_PRINCIPAL_H

#include "math/simd.h"
#include "pliant/extend.h"

typedef struct pli_principal {
    pli_d4 psi;        // J/m^3
    pli_d4 g[3];       // Pa
    pli_d4 hessian[6]; // Pa: 00, 11, 22, 12, 02, 01
} pli_principal;

// p are the parameters of the law at the same four points.
typedef void (*pli_principal_fn)(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);

// The function of a law; NULL for laws that are not isotropic and for those of users.
pli_principal_fn pli_principal_find(const pli_material_ops *law);

void pli_principal_fixed_corotated(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);
void pli_principal_corotated(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);
void pli_principal_neo_hookean(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);
void pli_principal_stable_neo_hookean(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);
void pli_principal_hencky(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);
void pli_principal_fluid(const pli_d4 s[3], const pli_d4 *p, pli_principal *out);

#endif
