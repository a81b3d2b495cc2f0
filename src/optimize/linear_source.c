// SPDX-License-Identifier: Apache-2.0
#include "optimize/linear_source.h"

#include "linear/matrix/vector.h"

static void begin(void *self)
{
    pli_linear_source *source = self;
    pli_linear_solver_begin(source->linear);
}

static pli_status prepare(void *self, pli_objective *objective, const double *x, double alpha,
                          bool *usable)
{
    pli_linear_source *source = self;
    (void)alpha;
    source->context = objective->context;
    source->size = 3 * (int64_t)objective->point_count;
    pli_timers_begin(source->timers, "assembly");
    pli_objective_compute_hessian(objective, x, true);
    pli_timers_end(source->timers);
    pli_timers_begin(source->timers, "setup");
    pli_status status = pli_linear_solver_build_semidefinite(source->linear, usable);
    pli_timers_end(source->timers);
    return status;
}

static pli_status solve(void *self, const double *g, pli_arena *scratch, double *d,
                        pli_direction_report *report)
{
    pli_linear_source *source = self;
    pli_krylov_report solved = {0};
    pli_timers_begin(source->timers, "linear");
    pli_status status =
        pli_linear_solver_solve(source->linear, g, source->relative_tolerance, scratch, d, &solved);
    // -A^-1 g is as good as A^-1 (-g), and wants no vector
    if (status == PLI_OK) pli_vector_scale(source->context, source->size, -1, d);
    pli_timers_end(source->timers);
    report->linear_iterations = solved.iterations;
    return status;
}

static const pli_direction_ops ops = {.begin = begin, .prepare = prepare, .solve = solve};

pli_direction_source pli_linear_source_get(pli_linear_source *source)
{
    return (pli_direction_source){&ops, source};
}
