// SPDX-License-Identifier: Apache-2.0
//
// The inner sum of galerkin.h: T_j(a) = sum_b H_ab (x) s_j(b) of one vertex a, for all handles j at
// once.
#ifndef PLI_MULTILEVEL_GALERKIN_SUM_H
#define PLI_MULTILEVEL_GALERKIN_SUM_H

#include "multilevel/galerkin.h"

enum { PLI_GALERKIN_ROW_HANDLES = 64 };

typedef struct pli_galerkin_row {
    int32_t count;
    int32_t last;                              // largest handle that parts so far had room for
    int32_t handles[PLI_GALERKIN_ROW_HANDLES]; // increasing
    double T[PLI_GALERKIN_ROW_HANDLES][PLI_HANDLE_ROWS * 9];
} pli_galerkin_row;

// The sums of row a over the patterns of S and O, for handles from `from` on; as many as there is
// room for, in increasing order. True when there are more: the next call (first false) goes on
// behind them.
bool pli_galerkin_row_sum(const pli_space *space, const pli_galerkin_matrices *H, int32_t a,
                          int32_t from, bool first, pli_galerkin_row *row);

// The diagonal block of O without what held coordinates have there.
void pli_galerkin_free_diagonal(const pli_space *space, const pli_bcsr *O, int32_t vertex,
                                double block[9]);

#endif
