// SPDX-License-Identifier: Apache-2.0
//
// Clamped bars of slabs and of a checkerboard: conjugate gradients with the multigrid whose handles
// heed matter, with one handle for a vertex and with averaged weights, against a bar of one matter
// and against the seconds that other programs took on two cores of the same kind. What depends on
// geometry and matter alone is told apart: a simulation pays it once.
#include "s1_bars.h"
#include "s2_bar.h"

#include "base/timers.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { TOLERANCES = 2 };

static const double tolerances[TOLERANCES] = {1e-4, 1e-8};

typedef struct bar_row {
    const char *name;
    pli_bar_def bar;
    const char *others;      // seconds of other programs to both tolerances
    double band[TOLERANCES]; // seconds at most; NAN: only told
    bool paper_only;
} bar_row;

static const bar_row rows[] = {
    {"50k", {{72, 25, 25}, 1e6, 1, PLI_BAR_QUARTERS}, "-", {NAN, NAN}, false},
    {"50k slabs", {{72, 25, 25}, 1e5, 1e4, PLI_BAR_SLABS}, "AMGCL 4.0/6.6", {1.33, 2.2}, false},
    {"50k checker",
     {{72, 25, 25}, 1e5, 1e4, PLI_BAR_CHECKER},
     "GAMG 2.35/2.6",
     {0.78, 0.87},
     false},
    {"200k", {{116, 41, 41}, 1e6, 1, PLI_BAR_QUARTERS}, "-", {NAN, NAN}, true},
    {"200k slabs",
     {{116, 41, 41}, 1e5, 1e4, PLI_BAR_SLABS},
     "GAMG 18.4, AMGCL 22",
     {6.1, 7.3},
     true},
};

typedef struct bars_bench {
    pli_bench *bench;
    const bar_row *row;
    pli_bar bar;
    pli_skinning_weights weights;
    pli_hierarchy *hierarchy;
    pli_multigrid *multigrid;
    double plain[TOLERANCES]; // iterations on the last bar of one matter, one handle for a vertex
} bars_bench;

static const char *weights_text(const bars_bench *self)
{
    return self->weights == PLI_SKINNING_AVERAGED ? "averaged weights" : "one handle for a vertex";
}

static bool has_one_matter(const bar_row *row)
{
    return row->bar.contrast == 1;
}

static pli_status make_multigrid(bars_bench *self)
{
    pli_bar *bar = &self->bar;
    pli_vcycle_def def;
    bool by_matter = !has_one_matter(self->row);
    PLI_TRY(pli_bar_hierarchy(bar, by_matter, self->weights, &self->hierarchy));
    PLI_TRY(pli_multigrid_parse(bar->context, "direct/GS(4)/GS(1)",
                                self->hierarchy->level_count + 1, &def));
    def.single = true;
    return pli_multigrid_create(bar->context, &def, self->hierarchy, bar->matrix, &self->multigrid);
}

static void claim(bars_bench *self, int k, const pli_krylov_report *report, double seconds)
{
    const bar_row *row = self->row;
    char what[96];
    bool averaged = self->weights == PLI_SKINNING_AVERAGED;
    double high = row->band[k];
    snprintf(what, sizeof what, "%s bar to %.0e, %s, set-up and solve", row->name, tolerances[k],
             weights_text(self));
    pli_bench_claim(self->bench, &(pli_claim){"s1-bars", what, row->others, seconds, "s",
                                              isnan(high) ? NAN : 0, high});
    if (has_one_matter(row)) {
        if (!averaged) self->plain[k] = report->iterations;
        return;
    }
    snprintf(what, sizeof what, "%s bar to %.0e, %s, iterations over those of one matter",
             row->name, tolerances[k], weights_text(self));
    pli_bench_claim(self->bench,
                    &(pli_claim){"s1-bars", what, "-", report->iterations / self->plain[k], "x",
                                 averaged ? 0 : NAN, averaged ? 2 : NAN});
}

// Seconds of all threads: unlike those of the clock they tell something on a busy machine, too.
static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static pli_status run_solves(bars_bench *self)
{
    double start = pli_clock_seconds();
    PLI_TRY(make_multigrid(self));
    double geometry = pli_clock_seconds() - start;
    start = pli_clock_seconds();
    double cpu = cpu_seconds();
    PLI_TRY(pli_bar_build_multigrid(&self->bar, self->multigrid));
    double setup = pli_clock_seconds() - start;
    double cpu_setup = cpu_seconds() - cpu;
    for (int k = 0; k < TOLERANCES; ++k) {
        pli_krylov_report report;
        start = pli_clock_seconds();
        cpu = cpu_seconds();
        PLI_TRY(pli_bar_solve(&self->bar, self->multigrid, tolerances[k], 1000, &report));
        double seconds = pli_clock_seconds() - start;
        pli_bench_note(self->bench,
                       "%s, %s: geometry and matter, once %.3f s, set-up %.3f s, %d iterations "
                       "%.3f s (%.3f s of all threads), residual %.1e",
                       self->row->name, weights_text(self), geometry, setup, (int)report.iterations,
                       seconds, cpu_setup + cpu_seconds() - cpu, pli_bar_residual(&self->bar));
        claim(self, k, &report, setup + seconds);
    }
    return PLI_OK;
}

static pli_status run_weights(bars_bench *self, pli_skinning_weights weights)
{
    self->weights = weights;
    pli_status status = run_solves(self);
    pli_multigrid_destroy(self->multigrid);
    pli_hierarchy_destroy(self->hierarchy);
    self->multigrid = NULL;
    self->hierarchy = NULL;
    return status;
}

pli_status pli_bench_s1_bars(pli_bench *bench)
{
    bars_bench self = {.bench = bench};
    pli_status status = PLI_OK;
    for (size_t k = 0; k < sizeof rows / sizeof *rows && status == PLI_OK; ++k) {
        if (rows[k].paper_only && !pli_bench_is_paper_size(bench)) continue;
        self.row = &rows[k];
        status = pli_bar_init(&self.bar, pli_bench_context(bench), &rows[k].bar);
        if (status != PLI_OK) break;
        status = run_weights(&self, PLI_SKINNING_CONSTANT);
        if (status == PLI_OK) status = run_weights(&self, PLI_SKINNING_AVERAGED);
        pli_bar_clear(&self.bar);
    }
    return status;
}
