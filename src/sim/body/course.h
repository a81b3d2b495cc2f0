// SPDX-License-Identifier: Apache-2.0
//
// A factor over time: between given times linear, or smooth with zero slope at them; before the
// first and after the last it stays as it is there.
#ifndef PLI_SIM_BODY_COURSE_H
#define PLI_SIM_BODY_COURSE_H

#include "pliant/scene.h"

typedef struct pli_course {
    int32_t count;        // 0: the factor is 1
    pli_factor_def *keys; // [count] owned, times increasing
    pli_motion_ease ease;
} pli_course;

// Errors: memory; the course is then empty.
PLI_CHECKED pli_status pli_course_init(pli_context *context, const pli_factor_def *keys,
                                       int32_t count, int32_t ease, pli_course *course);
void pli_course_clear(pli_context *context, pli_course *course);

double pli_course_at(const pli_course *course, double time);

// Whether the factor is not always the same.
bool pli_course_changes(const pli_course *course);

#endif
