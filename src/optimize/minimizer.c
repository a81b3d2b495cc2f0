// SPDX-License-Identifier: Apache-2.0
#include "optimize/minimizer.h"

pli_status pli_minimizer_begin_step(const pli_minimizer *minimizer, uint64_t coefficients)
{
    if (minimizer->ops->begin_step == NULL) return PLI_OK;
    return minimizer->ops->begin_step(minimizer->self, coefficients);
}

pli_status pli_minimizer_minimize(const pli_minimizer *minimizer, const pli_minimize_env *env,
                                  double *x, pli_minimize_report *report)
{
    *report = (pli_minimize_report){0};
    pli_arena_mark mark = pli_arena_begin(env->scratch);
    pli_status status = minimizer->ops->minimize(minimizer->self, env, x, report);
    pli_arena_end(env->scratch, mark);
    return status;
}

pli_status pli_minimizer_check_cancel(pli_context *context, const pli_minimize_env *env)
{
    if (env->cancel == NULL || !env->cancel(env->user)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_INTERRUPTED, "the step was cancelled");
}

int64_t pli_minimizer_memory(const pli_minimizer *minimizer)
{
    return minimizer->ops != NULL ? minimizer->ops->memory(minimizer->self) : 0;
}

void pli_minimizer_destroy(pli_minimizer *minimizer)
{
    if (minimizer->ops != NULL) minimizer->ops->destroy(minimizer->self);
    *minimizer = (pli_minimizer){0};
}
