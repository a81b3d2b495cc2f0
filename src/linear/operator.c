// SPDX-License-Identifier: Apache-2.0
#include "linear/operator.h"

static void multiply(const void *self, const double *x, double *y)
{
    pli_bcsr_multiply(self, x, y);
}

pli_operator pli_bcsr_operator(const pli_bcsr *matrix)
{
    return (pli_operator){3 * (int64_t)matrix->row_count, matrix, multiply};
}
