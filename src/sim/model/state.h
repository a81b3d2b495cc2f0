// SPDX-License-Identifier: Apache-2.0
//
// Inside of the state: one list of fields, from which creation, copying, hashing and checkpoints
// are expanded.
#ifndef PLI_SIM_MODEL_STATE_H
#define PLI_SIM_MODEL_STATE_H

#include "sim/model/matter.h"
#include "sim/model/model.h"

// X(member, name in checkpoints): arrays [vertex_count][3]
#define PLI_STATE_VECTORS(X)           \
    X(x, "positions")                  \
    X(v, "velocities")                 \
    X(x_before, "positions_before")    \
    X(v_before, "velocities_before")   \
    X(contact_force, "contact_forces") \
    X(friction_force, "friction_forces")

// X(member, name in checkpoints, columns): arrays [vertex_count][columns] of grips, all zero
// without any; checkpoints leave them out then.
#define PLI_STATE_GRIPS(X)            \
    X(grip_target, "grip_targets", 3) \
    X(grip_stiffness, "grip_stiffnesses", 1)

// X(member, name in checkpoints): arrays [vertex_count][3] of forces from outside, all zero without
// any; checkpoints leave them out then.
#define PLI_STATE_LOADS(X) X(force, "forces")

// X(member, name in checkpoints, columns): arrays [point_count][columns] of what yields
// (fem/plastic.h), all zero where nothing has; checkpoints leave them out then.
#define PLI_STATE_TETS(X)                 \
    X(plastic, "plastic_deformations", 9) \
    X(plastic_history, "plastic_histories", 1)

// X(member, name in checkpoints): single numbers
#define PLI_STATE_SCALARS(X) X(barrier_stiffness, "barrier_stiffness")

// X(member, name in checkpoints): single integers
#define PLI_STATE_COUNTERS(X) \
    X(step, "step")           \
    X(history, "history")

struct pli_state {
    pli_context *context;
    int32_t vertex_count;
    double dt; // of the model (s)

    double *x;                // [vertex_count][3] position (m)
    double *v;                // [vertex_count][3] velocity (m/s)
    double *x_before;         // [vertex_count][3] position one step earlier, for BDF2 (m)
    double *v_before;         // [vertex_count][3] velocity one step earlier, for BDF2 (m/s)
    double *contact_force;    // [vertex_count][3] of the last step, friction not included (N)
    double *friction_force;   // [vertex_count][3] of barriers in the last step (N)
    double *grip_target;      // [vertex_count][3] where grips pull vertices to; 0: no grip (m)
    double *grip_stiffness;   // [vertex_count] of grips; 0: no grip (N/m)
    double *force;            // [vertex_count][3] that somebody pushes vertices with (N)
    int32_t point_count;      // material points of the model; 0: nothing yields
    double *plastic;          // [point_count][9] inverse of the plastic deformation, less 1
    double *plastic_history;  // [point_count] history variable of the rule, less that at rest
    double barrier_stiffness; // that adapts from step to step (N/m); 0: none yet
    int64_t step;             // steps taken; the time is step times dt, so it never drifts
    int64_t history;          // steps since positions were last set from outside
    bool has_matter;
    pli_matter_state matter; // empty without has_matter
};

static inline double pli_state_time(const pli_state *state)
{
    return (double)state->step * state->dt;
}

// Whether any vertex is gripped.
bool pli_state_has_grips(const pli_state *state);

// Whether any vertex is pushed.
bool pli_state_has_forces(const pli_state *state);

#endif
