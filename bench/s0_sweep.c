// SPDX-License-Identifier: Apache-2.0
//
// Iterations of single steps: of a bar whose middle third becomes stiffer and stiffer (Wang et al.
// 2020, figure 20), and of a box that is stretched at random (figure 18).
#include "s0.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

// ---- Q0-15: stiffness

enum { DECADES = 6 };

typedef struct sweep {
    double hot[DECADES]; // iterations a step
    double cg[DECADES];  // linear ones of pn-pcg a step
} sweep;

static double per_step(int64_t count, const pli_s0_tally *tally)
{
    return (double)count / pli_s0_begun(tally);
}

static pli_status run_stiffness(pli_bench *bench, int decade, sweep *s)
{
    static const pli_s0_method method = {.name = "pn-pcg", .solver = "pn-pcg", .work = 0.15};
    char young[64];
    snprintf(young, sizeof young, "materials.stiff.young=1e%d", 5 + decade);
    pli_s0_course_def def = {.scene = "mixed/bar",
                             .overrides = {young},
                             .lead = pli_bench_is_paper_size(bench) ? 24 : 8,
                             .steps_per_frame = 5,
                             .steps = 5};
    if (pli_bench_is_paper_size(bench)) def.overrides[1] = "domain.cell=0.0075";
    pli_s0_course course;
    pli_s0_tally rival;
    PLI_TRY(pli_s0_course_init(&course, bench, &def));
    pli_status status = pli_s0_course_run(&course, &method, 30, &rival);
    s->hot[decade] = per_step(course.tally.iterations, &course.tally);
    s->cg[decade] = status == PLI_OK ? per_step(rival.linear_iterations, &rival) : 0;
    if (status == PLI_OK) {
        pli_bench_note(bench,
                       "bar, 1e%d Pa: hot %.1f iterations a step, %.1f of the coarsest level; "
                       "pn-pcg %.1f with %.1f linear ones%s, time %.2f to 1",
                       5 + decade, s->hot[decade],
                       per_step(course.tally.coarsest_iterations, &course.tally),
                       per_step(rival.iterations, &rival), s->cg[decade],
                       rival.cut ? ", cut off" : "", rival.ratio);
    }
    pli_s0_course_clear(&course);
    return status;
}

// The largest over the smallest.
static double spread(const double *values)
{
    double low = INFINITY, high = 0;
    for (int k = 0; k < DECADES; ++k) {
        low = fmin(low, values[k]);
        high = fmax(high, values[k]);
    }
    return high / low;
}

static pli_status claim_stiffness(pli_bench *bench)
{
    sweep s = {0};
    for (int k = 0; k < DECADES; ++k) PLI_TRY(run_stiffness(bench, k, &s));
    pli_bench_claim(bench,
                    &(pli_claim){"Q0-15", "bar, 1e5 to 1e10 Pa: most iterations of hot over fewest",
                                 "nearly 1", spread(s.hot), "x", 1, 2});
    pli_bench_claim(bench, &(pli_claim){"Q0-15", "the same of conjugate gradients of pn-pcg",
                                        "grows", spread(s.cg), "x", 5, INFINITY});
    return PLI_OK;
}

// ---- Q0-13: all errors at once

static pli_status claim_box(pli_bench *bench)
{
    static const pli_s0_method method = {.name = "lbfgs-h", .solver = "lbfgs-h"};
    static const char scene[] = "rubber/stretched-box";
    if (!pli_bench_has_scene(scene)) {
        pli_bench_note(bench, "there is no scene %s", scene);
        return PLI_OK;
    }
    pli_s0_course_def def = {.scene = scene, .steps_per_frame = 1, .steps = 1};
    if (pli_bench_is_paper_size(bench)) def.overrides[0] = "domain.cell=0.01";
    pli_s0_course course;
    pli_s0_tally rival;
    PLI_TRY(pli_s0_course_init(&course, bench, &def));
    pli_status status = pli_s0_course_run(&course, &method, 20, &rival);
    double ours = (double)course.tally.iterations, theirs = (double)rival.iterations;
    int pieces = (int)course.tally.pieces;
    pli_s0_course_clear(&course);
    PLI_TRY(status);
    pli_bench_note(bench, "stretched box: %d pieces%s", pieces,
                   rival.cut ? ", lbfgs-h cut off" : "");
    pli_bench_claim(
        bench, &(pli_claim){"Q0-13", "stretched box: iterations of hot", "25", ours, "", NAN, NAN});
    pli_bench_claim(bench, &(pli_claim){"Q0-13", "stretched box: iterations of lbfgs-h", "106",
                                        theirs, "", NAN, NAN});
    pli_bench_claim(bench, &(pli_claim){"Q0-13", "stretched box: iterations of lbfgs-h over hot's",
                                        "4.24", theirs / ours, "x", 3, 6});
    return PLI_OK;
}

pli_status pli_bench_s0_sweep(pli_bench *bench)
{
    PLI_TRY(claim_stiffness(bench));
    return claim_box(bench);
}
