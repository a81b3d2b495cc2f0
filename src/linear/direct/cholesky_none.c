// SPDX-License-Identifier: Apache-2.0
//
// What cholesky.h promises where the build has no CHOLMOD: nothing can be created.
#include "linear/direct/cholesky.h"

#ifndef PLI_HAS_CHOLMOD

bool pli_cholesky_is_available(void)
{
    return false;
}

pli_status pli_cholesky_host(pli_context *context, pli_task_fn body, void *user)
{
    (void)context;
    body(user);
    return PLI_OK;
}

pli_status pli_cholesky_create(pli_context *context, const pli_cholesky_def *def,
                               const pli_bcsr *matrix, pli_cholesky **cholesky)
{
    (void)def;
    (void)matrix;
    *cholesky = NULL;
    return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                    "this build has no sparse Cholesky (CHOLMOD was not found or switched off); "
                    "use an iterative solver");
}

pli_status pli_cholesky_create_lifted(pli_context *context, const pli_cholesky_def *def,
                                      const pli_lifted *matrix, pli_cholesky **cholesky)
{
    (void)matrix;
    return pli_cholesky_create(context, def, NULL, cholesky);
}

void pli_cholesky_destroy(pli_cholesky *cholesky)
{
    (void)cholesky;
}

void pli_cholesky_begin(pli_cholesky *cholesky)
{
    (void)cholesky;
}

pli_status pli_cholesky_factor(pli_cholesky *cholesky, const pli_bcsr *matrix, double shift,
                               bool *positive)
{
    (void)cholesky;
    (void)matrix;
    (void)shift;
    *positive = false;
    return PLI_ERROR_UNSUPPORTED;
}

pli_status pli_cholesky_factor_lifted(pli_cholesky *cholesky, const pli_lifted *matrix,
                                      double shift, bool *positive)
{
    (void)matrix;
    return pli_cholesky_factor(cholesky, NULL, shift, positive);
}

pli_status pli_cholesky_solve(pli_cholesky *cholesky, int32_t rhs_count, const double *b, double *x)
{
    (void)cholesky;
    (void)rhs_count;
    (void)b;
    (void)x;
    return PLI_ERROR_UNSUPPORTED;
}

pli_cholesky_report pli_cholesky_get_report(const pli_cholesky *cholesky)
{
    (void)cholesky;
    return (pli_cholesky_report){.failed_row = -1};
}

#endif
