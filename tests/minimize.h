// SPDX-License-Identifier: Apache-2.0
//
// Minimisers of a kind, called through the table that they all have.
#ifndef PLI_TESTS_MINIMIZE_H
#define PLI_TESTS_MINIMIZE_H

#include "near.h"

#include "optimize/lbfgs.h"
#include "optimize/linear_source.h"
#include "optimize/local_global.h"
#include "optimize/newton.h"
#include "optimize/vertex_descent.h"

// A single minimisation by Newton's method, with directions by a linear solver.
static inline pli_status newton_minimize(const pli_newton_def *def, pli_objective *objective,
                                         pli_linear_solver *linear, const pli_minimize_env *env,
                                         double *x, pli_minimize_report *report)
{
    pli_linear_source source = {.linear = linear, .timers = env->timers};
    pli_newton_def with = *def;
    pli_newton *newton = NULL;
    if (with.source.ops == NULL) with.source = pli_linear_source_get(&source);
    pli_status status = pli_newton_create(objective->context, &with, objective, &newton);
    if (status != PLI_OK) return status;
    const pli_minimizer minimizer = pli_newton_minimizer(newton);
    status = pli_minimizer_minimize(&minimizer, env, x, report);
    pli_newton_destroy(newton);
    return status;
}

static inline pli_status lbfgs_minimize(pli_lbfgs *lbfgs, const pli_minimize_env *env, double *x,
                                        pli_minimize_report *report)
{
    const pli_minimizer minimizer = pli_lbfgs_minimizer(lbfgs);
    return pli_minimizer_minimize(&minimizer, env, x, report);
}

static inline pli_status local_global_begin_step(pli_local_global *local_global,
                                                 uint64_t coefficients)
{
    const pli_minimizer minimizer = pli_local_global_minimizer(local_global);
    return pli_minimizer_begin_step(&minimizer, coefficients);
}

static inline pli_status local_global_minimize(pli_local_global *local_global,
                                               const pli_minimize_env *env, double *x,
                                               pli_minimize_report *report)
{
    const pli_minimizer minimizer = pli_local_global_minimizer(local_global);
    return pli_minimizer_minimize(&minimizer, env, x, report);
}

static inline pli_status vertex_descent_minimize(pli_vertex_descent *descent,
                                                 const pli_minimize_env *env, double *x,
                                                 pli_minimize_report *report)
{
    const pli_minimizer minimizer = pli_vertex_descent_minimizer(descent);
    return pli_minimizer_minimize(&minimizer, env, x, report);
}

#endif
