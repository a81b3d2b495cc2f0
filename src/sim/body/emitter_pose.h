// SPDX-License-Identifier: Apache-2.0
//
// Where an emitter is that follows a script.
//
// mpm/seed/emitter.h says what leaves an emitter in its own frame. Here is the frame: what has come
// out by the end of a step is placed where the script has the emitter then, and moves with the
// velocity v of the stream and that of the frame,
//
//   x = c + u + R (x0 - c),      R v + w(x),   w(x) = du/dt + spin x (x - c - u),
//
// as the means over the step. So a stream is as dense as that of an emitter that stands still, and
// what left earlier in the step is where it would have flown to, up to second order in the step.
// An emitter without a script has the world for its frame, and no bit of it changes.
#ifndef PLI_SIM_BODY_EMITTER_POSE_H
#define PLI_SIM_BODY_EMITTER_POSE_H

#include "mpm/grid/grid_collider.h"
#include "sim/model/matter.h"

typedef struct pli_emitter_pose {
    bool moves;
    double velocity[3];     // R v (m/s)
    pli_grid_motion motion; // of the frame, when it moves
} pli_emitter_pose;

// The frame at the end of a step (s), and its velocity from the begin on.
void pli_emitter_pose_find(const pli_matter_emitter *emitter, double begin, double end,
                           pli_emitter_pose *pose);

// From the frame to the world (m).
void pli_emitter_pose_place(const pli_emitter_pose *pose, const double x0[3], double x[3]);

// How fast what came out moves that is at x in the world (m/s).
void pli_emitter_pose_velocity(const pli_emitter_pose *pose, const double x[3], double v[3]);

#endif
