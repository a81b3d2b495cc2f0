// SPDX-License-Identifier: Apache-2.0
//
// Scripts of motion: how fast what they move can become.
#include "near.h"

#include "base/context.h"
#include "math/vec3.h"
#include "sim/body/motion.h"

#include <string.h>

static const pli_motion_segment_def segments[] = {
    {.duration = 0.5, .velocity = {1, 0, 0}, .axis = {0, 1, 0}, .spin = 90},
    {.duration = 0.5, .velocity = {0, 2, 0}, .axis = {0, 0, 1}, .spin = -30},
};
static const pli_keyframe_def one_axis[] = {
    {.time = 0.4, .translate = {0.3, 0, 0}, .axis = {0, 1, 0}, .angle = 20, .scale = {1, 1, 1}},
    {.time = 1, .translate = {0, 0.5, 0}, .axis = {0, 1, 0}, .angle = 200, .scale = {1, 1, 1}},
};
static const pli_keyframe_def two_axes[] = {
    {.time = 0.5, .axis = {0, 1, 0}, .angle = 60, .scale = {1, 1, 1}},
    {.time = 1, .translate = {0.2, 0, 0}, .axis = {1, 0, 0}, .angle = -40, .scale = {1, 1, 1}},
};

// The fastest that points on a circle about the centre, across an axis, are between samples.
static double sampled_speed(const pli_motion *motion, double reach)
{
    enum { TIMES = 2000, POINTS = 12 };
    double most = 0, before[POINTS][3], x[3], apart[3];
    for (int t = 0; t <= TIMES; ++t) {
        pli_pose pose;
        pli_motion_get_pose(motion, t / (double)TIMES, &pose);
        for (int p = 0; p < POINTS; ++p) {
            double angle = p * 6.283185307179586 / POINTS;
            const double start[3] = {reach * cos(angle), 0, reach * sin(angle)};
            pli_motion_apply(motion, &pose, start, x);
            pli_vec3_subtract(x, before[p], apart);
            if (t > 0) most = fmax(most, pli_vec3_norm(apart) * TIMES);
            pli_vec3_copy(x, before[p]);
        }
    }
    return most;
}

static void speed_is_a_bound_and_not_far_off(void **state)
{
    static const double origin[3] = {0, 0, 0};
    const double center[3] = {0, 0, 0};
    const pli_motion_def defs[] = {
        {.segments = segments, .segment_count = 2, .center = center, .center_count = 3},
        {.keyframes = one_axis, .keyframe_count = 2},
        {.keyframes = one_axis, .keyframe_count = 2, .ease = PLI_EASE_SMOOTH},
        {.keyframes = two_axes, .keyframe_count = 2},
    };
    pli_context *context = *state;
    for (int k = 0; k < 4; ++k) {
        pli_motion motion;
        OK(context, pli_motion_init(context, &defs[k], origin, &motion));
        assert_true(pli_motion_moves(&motion));
        for (double reach = 0; reach < 1; reach += 0.4) {
            double sampled = sampled_speed(&motion, reach),
                   bound = pli_motion_speed(&motion, reach);
            // chords are shorter than arcs, and equal where nothing turns
            AT_LEAST(bound, sampled * (1 - 1e-9));
            // shift and turn need not point the same way, nor two turns
            AT_MOST(bound, 2 * sampled);
        }
        pli_motion_clear(context, &motion);
    }
    pli_motion none = {0};
    assert_false(pli_motion_moves(&none));
    NEAR(pli_motion_speed(&none, 1), 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(speed_is_a_bound_and_not_far_off, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
