// SPDX-License-Identifier: Apache-2.0
//
// Block matrices as tests look at them, entry by entry and in no hurry.
#ifndef PLI_TESTS_MATRIX_CHECKS_H
#define PLI_TESTS_MATRIX_CHECKS_H

#include "linear/matrix/bcsr.h"
#include "linear/matrix/ell.h"

// Largest |A_ij - A_ji^T| relative to the largest entry; 0 for a zero matrix. An extra block
// without its mirror counts as one whose mirror is zero.
double pli_bcsr_symmetry_error(const pli_bcsr *matrix);

// A copy of a matrix that is not a half in compressed rows. Errors: argument (unsymmetric pattern,
// two slots with one column, or a diagonal missing), memory.
PLI_CHECKED pli_status pli_bcsr_create_from_ell(const pli_ell *matrix, pli_bcsr **copy);

#endif
