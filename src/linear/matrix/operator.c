// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/operator.h"

static void multiply(const void *self, const double *x, double *y)
{
    pli_bcsr_multiply(self, x, y);
}

static void multiply_rows(const void *self, const double *x, double *y, int64_t begin, int64_t end)
{
    pli_bcsr_multiply_rows(self, x, y, begin, end);
}

pli_operator pli_bcsr_operator(const pli_bcsr *matrix)
{
    return (pli_operator){.size = 3 * (int64_t)matrix->row_count,
                          .self = matrix,
                          .apply = multiply,
                          .apply_rows = multiply_rows};
}
