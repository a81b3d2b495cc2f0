// SPDX-License-Identifier: Apache-2.0
#include "optimize/stopping.h"

#include "optimize/rounding.h"

#include "linear/matrix/vector.h"

#include <float.h>
#include <math.h>

bool pli_stopping_is_over(const pli_stopping *rules, const pli_minimize_env *env, double measure,
                          pli_minimize_report *report)
{
    if (!isfinite(measure)) {
        report->stop = PLI_STOP_NONFINITE;
        return true;
    }
    if (rules->fixed_iterations > 0) {
        if (report->iterations < rules->fixed_iterations) return false;
        report->stop = PLI_STOP_FIXED;
        return true;
    }
    bool judged = rules->judges && report->iterations >= env->min_iterations;
    if (judged && report->residual <= rules->tolerance) {
        report->stop = PLI_STOP_GRADIENT;
        return true;
    }
    int32_t limit = env->max_iterations > 0 ? env->max_iterations : rules->max_iterations;
    if (report->iterations >= limit) {
        report->stop = PLI_STOP_ITERATIONS;
        return true;
    }
    return false;
}

// Share of the way to the minimum that a step makes; 0: it is not known.
static double share_of_step(const pli_error_estimate *e)
{
    bool steady = e->rate != PLI_RATE_SUPERLINEAR;
    int32_t window = steady ? PLI_ERROR_WINDOW : 1;
    int32_t back = e->count - 1 < window ? e->count - 1 : window;
    if (back < (steady ? 2 : 1)) return steady ? 0 : 1;
    double newest = e->work[(e->count - 1) % (PLI_ERROR_WINDOW + 1)];
    double oldest = e->work[(e->count - 1 - back) % (PLI_ERROR_WINDOW + 1)];
    // energies fall by the square of the rate
    double share = 1 - pow(newest / oldest, 0.5 / back);
    // what stagnates within rounding is not far from its end
    const double least = 0.01;
    if (!steady) return fmax(share, least);
    if (!(share > 0)) return 0;
    return e->rate == PLI_RATE_ACCELERATED ? 0.5 * share * share : share;
}

double pli_error_of_step(pli_error_estimate *e, const pli_objective *objective, const double *x,
                         const double *g, const double *d)
{
    pli_context *context = objective->context;
    int64_t n = 3 * (int64_t)objective->point_count;
    double work = -0.5 * pli_vector_dot(context, n, g, d);
    if (!(work >= 0)) return INFINITY;
    e->work[e->count++ % (PLI_ERROR_WINDOW + 1)] = work;
    if (!(work > 0)) return 0;
    double share = share_of_step(e);
    if (!(share > 0)) return INFINITY;
    double rounding = DBL_EPSILON * pli_vector_max_abs(context, n, x) * sqrt((double)n) *
                      pli_vector_norm(context, n, g);
    if (work <= share * rounding) return 0;
    double stored = pli_objective_stored_energy(objective, x);
    return stored > 0 ? sqrt(work / (share * stored)) : INFINITY;
}

void pli_stopping_end(double tolerance, bool is_rounding, pli_minimize_report *report)
{
    if (report->residual <= tolerance) {
        report->stop = PLI_STOP_GRADIENT;
    } else {
        report->stop = is_rounding ? PLI_STOP_ROUNDING : PLI_STOP_LINESEARCH;
    }
}

void pli_stopping_measure(const pli_objective *objective, const double *g,
                          pli_minimize_report *report, pli_iterate *last)
{
    int64_t n = 3 * (int64_t)objective->point_count;
    report->residual = pli_objective_norm(objective, g);
    last->gradient = pli_vector_norm(objective->context, n, g);
    last->g = g;
}

void pli_stopping_tell(const pli_minimize_env *env, const pli_minimize_report *report,
                       pli_iterate *last)
{
    last->iteration = report->iterations;
    last->residual = report->residual;
    last->energy = report->energy;
    if (env->monitor != NULL) env->monitor(env->user, last);
}

pli_status pli_stopping_check_cancel(pli_context *context, const pli_minimize_env *env)
{
    if (env->cancel == NULL || !env->cancel(env->user)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_INTERRUPTED, "the step was cancelled");
}

bool pli_stopping_is_finite(const pli_context *context, int64_t n, const double *v)
{
    return isfinite(pli_vector_dot(context, n, v, v));
}

bool pli_stopping_is_negligible(const pli_context *context, int64_t n, const double *d,
                                const double *x)
{
    double largest = pli_vector_max_abs(context, n, x);
    return pli_vector_max_abs(context, n, d) <= pli_rounding_of_coordinate(largest);
}
