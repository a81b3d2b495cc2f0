// SPDX-License-Identifier: Apache-2.0
//
// Energy, gradient and matrix of implicit particles one particle and one node at a time, plainly,
// to compare the fast passes with, in results and in speed.
#ifndef PLI_TESTS_IMPLICIT_REFERENCE_H
#define PLI_TESTS_IMPLICIT_REFERENCE_H

#include "mpm/implicit/implicit.h"

double pli_implicit_energy_reference(const pli_implicit *implicit, const double *x);
void pli_implicit_gradient_reference(const pli_implicit *implicit, const double *x, double *g);
void pli_implicit_assemble_reference(const pli_implicit *implicit, const double *x, bool projected,
                                     pli_ell *matrix);

#endif
