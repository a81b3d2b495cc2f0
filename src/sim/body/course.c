// SPDX-License-Identifier: Apache-2.0
#include "sim/body/course.h"

#include "base/memory.h"

#include <string.h>

pli_status pli_course_init(pli_context *context, const pli_factor_def *keys, int32_t count,
                           int32_t ease, pli_course *course)
{
    *course = (pli_course){.ease = (pli_motion_ease)ease};
    if (count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(context, course->keys, count, "factors over time"));
    memcpy(course->keys, keys, (size_t)count * sizeof *keys);
    course->count = count;
    return PLI_OK;
}

void pli_course_clear(pli_context *context, pli_course *course)
{
    pli_release(context, course->keys);
    *course = (pli_course){0};
}

double pli_course_at(const pli_course *course, double time)
{
    if (course->count == 0) return 1;
    const pli_factor_def *keys = course->keys;
    if (time <= keys[0].time) return keys[0].factor;
    for (int32_t k = 1; k < course->count; ++k) {
        if (time > keys[k].time) continue;
        double s = (time - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
        if (course->ease == PLI_EASE_SMOOTH) s = s * s * (3 - 2 * s);
        return (1 - s) * keys[k - 1].factor + s * keys[k].factor;
    }
    return keys[course->count - 1].factor;
}

bool pli_course_changes(const pli_course *course)
{
    for (int32_t k = 1; k < course->count; ++k) {
        if (course->keys[k].factor != course->keys[0].factor) return true;
    }
    return false;
}
