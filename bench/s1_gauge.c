// SPDX-License-Identifier: Apache-2.0
#include "s1_gauge.h"

#include "base/context.h"

#include <math.h>

// What came of some steps.
typedef struct motion {
    double largest;   // length after any step (m)
    int32_t step;     // after which
    int32_t failures; // steps that did not converge
    int64_t iterations;
    double seconds;
} motion;

static void add_step(const pli_step_report *report, double length, motion *m)
{
    m->failures += report->stop <= 0;
    m->iterations += report->iterations;
    m->seconds += report->seconds;
    if (length <= m->largest) return;
    m->largest = length;
    m->step = (int32_t)report->step;
}

static void tell(pli_bench *bench, const pli_s1_motion_def *def, const motion *m, int32_t handles)
{
    pli_bench_note(bench,
                   "%s, %s: %.4f m after step %d; %d handles, %d steps with %ld iterations, %d not "
                   "converged, %.1f s",
                   def->scene, def->label, m->largest, (int)m->step, (int)handles, (int)def->steps,
                   (long)m->iterations, (int)m->failures, m->seconds);
}

pli_status pli_s1_motion_run(pli_bench *bench, const pli_s1_motion_def *def, double *largest)
{
    pli_bench_scene s;
    motion m = {.largest = -INFINITY};
    *largest = NAN;
    PLI_TRY(pli_bench_scene_init(&s, bench, def->scene, def->overrides));
    pli_status status = PLI_OK;
    for (int32_t k = 0; k < def->steps && status == PLI_OK; ++k) {
        pli_step_report report;
        status = pli_solver_step(s.solver, s.state, &report);
        if (status == PLI_OK) add_step(&report, def->gauge(&s), &m);
    }
    if (status == PLI_OK) tell(bench, def, &m, s.info.handle_count);
    pli_bench_scene_clear(&s);
    *largest = m.largest;
    return status;
}
