// SPDX-License-Identifier: Apache-2.0
#include "optimize/stopping.h"

#include "linear/vector.h"

#include <float.h>
#include <math.h>

bool pli_stopping_is_over(const pli_stopping *rules, double measure, pli_minimize_report *report)
{
    if (!isfinite(measure)) {
        report->stop = PLI_MINIMIZE_NONFINITE;
        return true;
    }
    if (rules->fixed_iterations > 0) {
        if (report->iterations < rules->fixed_iterations) return false;
        report->stop = PLI_MINIMIZE_FIXED;
        return true;
    }
    bool judged = rules->judges && report->iterations >= rules->min_iterations;
    if (judged && report->residual <= rules->tolerance) {
        report->stop = PLI_MINIMIZE_GRADIENT;
        return true;
    }
    if (report->iterations >= rules->max_iterations) {
        report->stop = PLI_MINIMIZE_ITERATIONS;
        return true;
    }
    return false;
}

bool pli_stopping_is_finite(const pli_context *context, int64_t n, const double *v)
{
    return isfinite(pli_vector_dot(context, n, v, v));
}

bool pli_stopping_is_negligible(const pli_context *context, int64_t n, const double *d,
                                const double *x)
{
    return pli_vector_max_abs(context, n, d) <= 2 * DBL_EPSILON * pli_vector_max_abs(context, n, x);
}
