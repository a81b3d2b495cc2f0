// SPDX-License-Identifier: Apache-2.0
#include "optimize/linear_source.h"

#include "linear/matrix/vector.h"

static void begin(void *self)
{
    pli_linear_source *source = self;
    pli_linear_solver_begin(source->linear);
}

// Hessian and numeric set-up; a direct solver that meets an indefinite matrix gets the projected
// one.
static pli_status prepare(void *self, const pli_direction_point *at, pli_direction_matrix *made)
{
    pli_linear_source *source = self;
    bool projected = at->projected;
    source->context = at->objective->context;
    source->size = 3 * (int64_t)at->objective->point_count;
    for (;;) {
        made->definite = projected || pli_linear_solver_is_direct(source->linear);
        pli_timers_begin(source->timers, "assembly");
        pli_objective_compute_hessian(at->objective, at->x, projected);
        pli_timers_end(source->timers);
        pli_timers_begin(source->timers, "setup");
        pli_status status =
            projected ? pli_linear_solver_build_semidefinite(source->linear, &made->usable)
                      : pli_linear_solver_build(source->linear, &made->usable);
        pli_timers_end(source->timers);
        if (status != PLI_OK || made->usable || projected) return status;
        projected = true;
        made->indefinite = true;
    }
}

static pli_status solve(void *self, const double *g, double tolerance, pli_arena *scratch,
                        double *d, pli_direction_report *report)
{
    pli_linear_source *source = self;
    pli_krylov_report solved = {0};
    if (source->relative_tolerance > 0) tolerance = source->relative_tolerance;
    pli_timers_begin(source->timers, "linear");
    pli_status status = pli_linear_solver_solve(source->linear, g, tolerance, scratch, d, &solved);
    // -A^-1 g is as good as A^-1 (-g), and wants no vector
    if (status == PLI_OK) pli_vector_scale(source->context, source->size, -1, d);
    pli_timers_end(source->timers);
    report->linear_iterations = solved.iterations;
    report->truncated = solved.stop == PLI_KRYLOV_INDEFINITE;
    return status;
}

pli_direction_source pli_linear_source_get(pli_linear_source *source)
{
    static const pli_direction_ops ops = {.begin = begin, .prepare = prepare, .solve = solve};
    return (pli_direction_source){&ops, source};
}
