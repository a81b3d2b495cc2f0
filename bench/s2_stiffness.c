// SPDX-License-Identifier: Apache-2.0
//
// what a V-cycle leaves of the residual, over stiffness from 5e2 to 2.56e5 Pa in doublings
// (figure 9).
#include "s2.h"
#include "s2_problem.h"

#include <math.h>
#include <stdio.h>

enum { DOUBLINGS = 10, FRAMES = 5, CYCLES = 10 };

// residuals [CYCLES] relative to the start, after each cycle
static pli_status run_cycles(const pli_s2_problem *p, double *residuals)
{
    pli_multigrid *multigrid = NULL;
    pli_vcycle_def def;
    bool definite = false;
    PLI_TRY(pli_s2_problem_multigrid_def(p, p->hierarchy, &def));
    PLI_TRY(pli_multigrid_create_lifted(p->context, &def, p->hierarchy,
                                        pli_local_global_matrix(p->global), &multigrid));
    pli_arena_mark mark = pli_arena_begin(p->arena);
    double *x = pli_arena_doubles(p->arena, p->size, "solution");
    pli_status status = x != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_multigrid_build(multigrid, NULL, &definite);
    for (int32_t k = 0; status == PLI_OK && definite && k < CYCLES; ++k) {
        pli_krylov_report report;
        // with a tolerance, even one that is never met, the last residual is told too
        status = pli_multigrid_solve(multigrid, p->b, 1e-30, k + 1, p->arena, x, &report);
        residuals[k] = report.residual / report.initial_residual;
    }
    pli_arena_end(p->arena, mark);
    pli_multigrid_destroy(multigrid);
    return status;
}

pli_status pli_bench_s2_stiffness(pli_bench *bench)
{
    double low = INFINITY;
    double high = 0;
    for (int k = 0; k < DOUBLINGS; ++k) {
        char override[64];
        const char *more[] = {override, NULL};
        double residuals[CYCLES] = {NAN};
        double mu = 500 * exp2(k);
        pli_s2_problem problem;
        snprintf(override, sizeof override, "materials.flesh.mu=%g", mu);
        PLI_TRY(pli_s2_problem_init(&problem, bench, &pli_s2_creatures[2], more, FRAMES));
        pli_status status = run_cycles(&problem, residuals);
        pli_s2_problem_clear(&problem);
        PLI_TRY(status);
        double factor = pow(residuals[CYCLES - 1], 1.0 / CYCLES);
        pli_bench_note(bench,
                       "mu %.4g Pa: residual %.3g after 1 cycle, %.3g after 5, %.3g after 10", mu,
                       residuals[0], residuals[4], residuals[CYCLES - 1]);
        low = fmin(low, factor);
        high = fmax(high, factor);
    }
    pli_bench_claim(bench,
                    &(pli_claim){"Q2-6", "residual factor of a cycle, spread over 5e2 to 2.56e5 Pa",
                                 "small", high / low - 1, "", 0, 0.25});
    return PLI_OK;
}
