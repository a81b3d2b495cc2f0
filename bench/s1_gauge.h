// SPDX-License-Identifier: Apache-2.0
//
// Motions of a shipped scene in which one length tells what a coarse space can do: the width of a
// slit, a bulge, a dent. What counts is the most that it comes to after any step.
#ifndef PLI_BENCH_S1_GAUGE_H
#define PLI_BENCH_S1_GAUGE_H

#include "s1_pair.h"

// The length in the present state (m).
typedef double (*pli_s1_gauge)(const pli_bench_scene *s);

typedef struct pli_s1_motion_def {
    const char *scene;
    const char *label;                       // what is special about this motion, for the note
    const char *overrides[PLI_S1_OVERRIDES]; // "path=value", ends with NULL
    pli_s1_gauge gauge;
    int32_t steps;
} pli_s1_motion_def;

// Takes the steps, notes what came of them, and gives the largest length after any (m).
pli_status pli_s1_motion_run(pli_bench *bench, const pli_s1_motion_def *def, double *largest);

#endif
