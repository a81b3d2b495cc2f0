// SPDX-License-Identifier: Apache-2.0
//
// Linear systems of clamped bars: conjugate gradients with the multigrid against those with block
// Jacobi and against sparse Cholesky, with the seconds that other programs took on the same systems
// on two cores of the same kind. What depends on geometry alone (samples, parents, patterns) is
// told apart: a simulation pays it once.
#include "s2.h"
#include "s2_bar.h"

#include "base/timers.h"
#include "linear/krylov/solver.h"

#include <math.h>
#include <stdio.h>

enum { TOLERANCES = 2 };

static const double tolerances[TOLERANCES] = {1e-4, 1e-8};

typedef struct linear_row {
    const char *id;
    const char *name;
    pli_bar_def bar;
    const char *others;      // seconds of other programs to both tolerances
    double band[TOLERANCES]; // seconds of the multigrid at most
    bool factor_lite;        // Cholesky at lite size too
} linear_row;

static const linear_row rows[] = {
    {"bar-50k",
     "50k",
     {{72, 25, 25}, 1e6, 1, PLI_BAR_QUARTERS},
     "AMGCL 0.74/1.15",
     {0.5, 0.8},
     true},
    {"bar-200k",
     "200k",
     {{116, 41, 41}, 1e6, 1, PLI_BAR_QUARTERS},
     "AMGCL 3.4/5.2",
     {2.2, 3.5},
     false},
};

typedef struct linear_bench {
    pli_bench *bench;
    const linear_row *row;
    pli_bar bar;
    pli_hierarchy *hierarchy;
    pli_multigrid *multigrid;
} linear_bench;

static void claim_seconds(linear_bench *self, const char *method, int tolerance, double seconds,
                          double high)
{
    char what[96];
    snprintf(what, sizeof what, "%s bar to %.0e, %s, set-up and solve", self->row->name,
             tolerances[tolerance], method);
    pli_bench_claim(self->bench, &(pli_claim){self->row->id, what, self->row->others, seconds, "s",
                                              isnan(high) ? NAN : 0, high});
}

// ---- rivals of our own

static pli_status run_solver(linear_bench *self, const char *method,
                             const pli_linear_solver_def *def)
{
    pli_bar *bar = &self->bar;
    pli_linear_solver *solver = NULL;
    bool definite = false;
    double start = pli_clock_seconds();
    pli_status status = pli_linear_solver_create(bar->context, def, bar->matrix, &solver);
    if (status == PLI_OK) status = pli_linear_solver_build(solver, &definite);
    double setup = pli_clock_seconds() - start;
    for (int k = 0; status == PLI_OK && k < TOLERANCES; ++k) {
        pli_krylov_report report;
        start = pli_clock_seconds();
        status =
            pli_linear_solver_solve(solver, bar->b, tolerances[k], bar->arena, bar->x, &report);
        if (status != PLI_OK) break;
        double solve = pli_clock_seconds() - start;
        pli_bench_note(self->bench, "%s, %s: set-up %.3f s, %d iterations %.3f s, residual %.1e",
                       self->row->name, method, setup, (int)report.iterations, solve,
                       pli_bar_residual(bar));
        claim_seconds(self, method, k, setup + solve, NAN);
    }
    pli_linear_solver_destroy(solver);
    return status;
}

static pli_status run_rivals(linear_bench *self)
{
    pli_linear_solver_def pcg = {.kind = PLI_SOLVER_PCG,
                                 .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                 .max_iterations = 10000};
    PLI_TRY(run_solver(self, "PCG with block Jacobi", &pcg));
    if (!self->row->factor_lite && !pli_bench_is_paper_size(self->bench)) return PLI_OK;
    pli_linear_solver_def direct = {.kind = PLI_SOLVER_CHOLESKY};
    return run_solver(self, "Cholesky", &direct);
}

// ---- the multigrid

// Text of the levels: "48672 - 1000 - 50".
static void tell_levels(linear_bench *self, const char *when, double seconds)
{
    char text[128] = "";
    int used = 0;
    for (int32_t level = 0; level < pli_multigrid_level_count(self->multigrid); ++level) {
        pli_multigrid_level_info info = pli_multigrid_get_level(self->multigrid, level);
        int room = (int)sizeof text - used;
        int length = snprintf(text + used, (size_t)room, "%s%d", level > 0 ? " - " : "",
                              (int)info.node_count);
        used += length < room ? length : 0;
    }
    pli_bench_note(self->bench, "%s, levels %s: %s %.3f s, %.1f MB", self->row->name, text, when,
                   seconds, 1e-6 * (double)pli_multigrid_memory_bytes(self->multigrid));
}

static pli_status make_multigrid(linear_bench *self, bool by_matter, double *seconds)
{
    pli_bar *bar = &self->bar;
    double start = pli_clock_seconds();
    PLI_TRY(pli_bar_hierarchy(bar, by_matter, PLI_SKINNING_CONSTANT, &self->hierarchy));
    pli_vcycle_def def;
    PLI_TRY(pli_multigrid_parse(bar->context, "direct/GS(4)/GS(1)",
                                self->hierarchy->level_count + 1, &def));
    def.single = true;
    PLI_TRY(
        pli_multigrid_create(bar->context, &def, self->hierarchy, bar->matrix, &self->multigrid));
    *seconds = pli_clock_seconds() - start;
    return PLI_OK;
}

static void drop_multigrid(linear_bench *self)
{
    pli_multigrid_destroy(self->multigrid);
    pli_hierarchy_destroy(self->hierarchy);
    self->multigrid = NULL;
    self->hierarchy = NULL;
}

static pli_status run_multigrid(linear_bench *self)
{
    double geometry = 0;
    PLI_TRY(make_multigrid(self, false, &geometry));
    double start = pli_clock_seconds();
    PLI_TRY(pli_bar_build_multigrid(&self->bar, self->multigrid));
    double setup = pli_clock_seconds() - start;
    tell_levels(self, "geometry, once", geometry);
    for (int k = 0; k < TOLERANCES; ++k) {
        pli_krylov_report report;
        start = pli_clock_seconds();
        PLI_TRY(pli_bar_solve(&self->bar, self->multigrid, tolerances[k], 500, &report));
        double solve = pli_clock_seconds() - start;
        pli_bench_note(self->bench,
                       "%s, PCG with multigrid: set-up %.3f s, %d iterations %.3f s, residual %.1e",
                       self->row->name, setup, (int)report.iterations, solve,
                       pli_bar_residual(&self->bar));
        claim_seconds(self, "PCG with multigrid", k, setup + solve, self->row->band[k]);
    }
    return PLI_OK;
}

static pli_status run_row(pli_bench *bench, const linear_row *row)
{
    linear_bench self = {.bench = bench, .row = row};
    pli_context *context = pli_bench_context(bench);
    pli_status status = pli_bar_init(&self.bar, context, &row->bar);
    if (status == PLI_OK) status = run_multigrid(&self);
    if (status == PLI_OK) status = run_rivals(&self);
    drop_multigrid(&self);
    if (self.bar.context != NULL) pli_bar_clear(&self.bar);
    return status;
}

// ---- two kinds of matter

typedef struct cycle_count {
    int32_t cycles; // stand-alone, to a relative residual of 1e-3
    int32_t pcg;    // iterations as a preconditioner, to 1e-8
} cycle_count;

static pli_status count_cycles(pli_bench *bench, double young, double contrast, bool by_matter,
                               cycle_count *count)
{
    static const linear_row row = {.name = "two kinds of matter"};
    pli_context *context = pli_bench_context(bench);
    linear_bench self = {.bench = bench, .row = &row};
    pli_bar_def def = {{48, 16, 16}, young, contrast, PLI_BAR_QUARTERS};
    double seconds = 0;
    pli_krylov_report report;
    pli_status status = pli_bar_init(&self.bar, context, &def);
    if (status != PLI_OK) return status;
    status = make_multigrid(&self, by_matter, &seconds);
    if (status == PLI_OK) status = pli_bar_build_multigrid(&self.bar, self.multigrid);
    if (status == PLI_OK) {
        status = pli_multigrid_solve(self.multigrid, self.bar.b, 1e-3, 500, self.bar.arena,
                                     self.bar.x, &report);
        count->cycles = report.iterations;
    }
    if (status == PLI_OK) {
        status = pli_bar_solve(&self.bar, self.multigrid, 1e-8, 500, &report);
        count->pcg = report.iterations;
    }
    drop_multigrid(&self);
    pli_bar_clear(&self.bar);
    return status;
}

static pli_status run_two_materials(pli_bench *bench)
{
    cycle_count soft;
    cycle_count stiff;
    cycle_count aware;
    cycle_count unaware;
    PLI_TRY(count_cycles(bench, 1e5, 1, false, &soft));
    PLI_TRY(count_cycles(bench, 1e8, 1, false, &stiff));
    PLI_TRY(count_cycles(bench, 1e5, 1e3, true, &aware));
    PLI_TRY(count_cycles(bench, 1e5, 1e3, false, &unaware));
    pli_bench_note(bench,
                   "cycles to 1e-3 (PCG to 1e-8): 1e5 Pa %d (%d), 1e8 Pa %d (%d), both %d (%d), "
                   "both without regard to matter %d (%d)",
                   (int)soft.cycles, (int)soft.pcg, (int)stiff.cycles, (int)stiff.pcg,
                   (int)aware.cycles, (int)aware.pcg, (int)unaware.cycles, (int)unaware.pcg);
    double one = fmin(soft.cycles, stiff.cycles);
    pli_bench_claim(bench,
                    &(pli_claim){"G12", "bar of 1e5 and 1e8 Pa: cycles over those of one matter",
                                 "-", aware.cycles / one, "x", 0, 2});
    pli_bench_claim(bench, &(pli_claim){"G12", "the same, samples without regard to matter", "-",
                                        unaware.cycles / one, "x", NAN, NAN});
    return PLI_OK;
}

pli_status pli_bench_s2_linear(pli_bench *bench)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) PLI_TRY(run_row(bench, &rows[k]));
    return run_two_materials(bench);
}
