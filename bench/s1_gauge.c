// SPDX-License-Identifier: Apache-2.0
#include "s1_gauge.h"

#include "base/context.h"

#include <math.h>

static void look(const pli_step_report *report, double length, pli_s1_motion *motion)
{
    motion->failures += report->stop <= 0;
    motion->iterations += report->iterations;
    motion->seconds += report->seconds;
    if (length <= motion->largest) return;
    motion->largest = length;
    motion->step = (int32_t)report->step;
}

pli_status pli_s1_motion_run(pli_bench *bench, const pli_s1_motion_def *def, pli_s1_motion *motion)
{
    pli_bench_scene s;
    *motion = (pli_s1_motion){.largest = -INFINITY};
    PLI_TRY(pli_bench_scene_init(&s, bench, def->scene, def->overrides));
    motion->info = s.info;
    pli_status status = PLI_OK;
    for (int32_t k = 0; k < def->steps && status == PLI_OK; ++k) {
        pli_step_report report;
        status = pli_solver_step(s.solver, s.state, &report);
        if (status == PLI_OK) look(&report, def->gauge(&s), motion);
    }
    pli_bench_scene_clear(&s);
    return status;
}
