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

// X(member, name in checkpoints, columns): arrays [relaxing_count][columns] of viscoelastic points
// (fem/viscoelastic.h), all zero at the beginning; checkpoints leave them out then.
#define PLI_STATE_POINTS(X)          \
    X(law_stress, "law_stresses", 6) \
    X(overstress, "branch_stresses", 6 * state->branch_count)

// X(member, name in checkpoints): arrays [fold_count] of hinges of shells that yield (fem/hinge.h),
// all zero where nothing has; checkpoints leave them out then.
#define PLI_STATE_FOLDS(X)       \
    X(fold_angle, "fold_angles") \
    X(fold_path, "fold_paths")

// X(member, name in checkpoints): single numbers
#define PLI_STATE_SCALARS(X) X(barrier_stiffness, "barrier_stiffness")

// X(member, name in checkpoints): single numbers of work done so far, zero without loads and
// cavities; checkpoints leave them out then.
#define PLI_STATE_WORKS(X)        \
    X(load_work, "work_of_loads") \
    X(cavity_work, "work_of_cavities")

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
    int32_t relaxing_count;   // material points of the model; 0: nothing is viscoelastic
    int32_t branch_count;     // most branches of a material
    double *law_stress;       // [relaxing_count][6] second Piola-Kirchhoff stress of the law (Pa)
    double *overstress;       // [relaxing_count][branch_count][6] of branches (Pa)
    int32_t fold_count;       // of the model; 0: nothing folds
    double *fold_angle;       // [fold_count] that hinges' angles at rest have moved by (radians)
    double *fold_path;        // [fold_count] sum of the sizes of all moves (radians)
    double barrier_stiffness; // that adapts from step to step (N/m); 0: none yet
    double load_work;         // that the scene's loads have done since the start (J)
    double cavity_work;       // that given pressures in cavities have done since the start (J)
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
