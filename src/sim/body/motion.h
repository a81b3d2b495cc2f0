// SPDX-License-Identifier: Apache-2.0
//
// Scripted motion: a function of time that moves a set of points from where they started,
//     x(t) = c + u(t) + R(t) S(t) (x(0) - c),
// with translation u, rotation R and scaling S along the axes about the centre c. Nothing is
// remembered between calls, so a resumed run sees the same motion.
//
// Segments add up: each moves on from where the one before ended. Between keyframes translation,
// angle and scale are interpolated (linearly or with zero speed at the keys); the pose at time 0 is
// the start unless a key says otherwise.
#ifndef PLI_SIM_BODY_MOTION_H
#define PLI_SIM_BODY_MOTION_H

#include "pliant/scene.h"

typedef struct pli_motion {
    int32_t segment_count;
    pli_motion_segment_def *segments; // owned
    int32_t keyframe_count;
    pli_keyframe_def *keyframes; // owned, times increasing
    pli_motion_ease ease;
    pli_motion_after after;
    double center[3]; // m
    double end;       // when the script is over (s); 0: there is none
} pli_motion;

typedef struct pli_pose {
    bool active;      // false once the script has released its points
    double A[9];      // R S
    double offset[3]; // u (m)
} pli_pose;

// centroid is used when the def names no centre.
pli_status pli_motion_init(pli_context *context, const pli_motion_def *def,
                           const double centroid[3], pli_motion *motion);
void pli_motion_clear(pli_context *context, pli_motion *motion);

void pli_motion_get_pose(const pli_motion *motion, double time, pli_pose *pose);

// Whether there is a script at all.
bool pli_motion_moves(const pli_motion *motion);

// A bound on the speed (m/s) that any point reaches within a distance (m) of the moving centre, for
// a rigid motion, that is S = 1.
double pli_motion_speed(const pli_motion *motion, double reach);

// Where a point that started at x0 is in a pose.
void pli_motion_apply(const pli_motion *motion, const pli_pose *pose, const double x0[3],
                      double x[3]);

// The inverse for a rigid motion, that is S = 1: where a point started that is at x in a pose.
void pli_motion_apply_inverse(const pli_motion *motion, const pli_pose *pose, const double x[3],
                              double x0[3]);

#endif
