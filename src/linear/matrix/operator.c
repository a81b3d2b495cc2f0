// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/operator.h"

#include "base/parallel.h"

typedef struct rows_job {
    pli_operator_rows_fn rows;
    const void *self;
    const double *x;
    double *y;
} rows_job;

static void apply_range(void *user, int64_t begin, int64_t end)
{
    const rows_job *job = user;
    job->rows(job->self, job->x, job->y, begin, end);
}

void pli_operator_apply_by_rows(const pli_context *context, int64_t row_count, int64_t grain,
                                pli_operator_rows_fn rows, const void *self, const double *x,
                                double *y)
{
    rows_job job = {rows, self, x, y};
    pli_parallel_for(context, row_count, grain, apply_range, &job);
}

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
