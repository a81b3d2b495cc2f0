// SPDX-License-Identifier: Apache-2.0
#include "sim/step/scripts.h"

#include <string.h>

void pli_scripts_hold(pli_mesh_stepper *s, double time)
{
    memset(s->fixed, 0, (size_t)s->model->vertex_count);
    for (int32_t k = 0; k < s->model->constraint_count; ++k) {
        const pli_model_handle *handle = &s->model->constraints[k];
        pli_pose pose;
        pli_motion_get_pose(&handle->motion, time, &pose);
        if (!pose.active) continue;
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            int64_t vertex = handle->vertices[i];
            double x[3];
            pli_motion_apply(&handle->motion, &pose, s->model->start + 3 * vertex, x);
            s->fixed[vertex] |= handle->axes;
            for (int axis = 0; axis < 3; ++axis) {
                if (handle->axes & (1u << axis)) s->x[3 * vertex + axis] = x[axis];
            }
        }
    }
}

static void apply_scripts(pli_mesh_stepper *s, double time)
{
    memset(s->attachment_stiffness, 0, (size_t)s->model->vertex_count * sizeof(double));
    for (int32_t k = 0; k < s->model->attachment_count; ++k) {
        const pli_model_handle *handle = &s->model->attachments[k];
        pli_pose pose;
        pli_motion_get_pose(&handle->motion, time, &pose);
        if (!pose.active) continue;
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            int64_t vertex = handle->vertices[i];
            pli_motion_apply(&handle->motion, &pose, s->model->start + 3 * vertex,
                             s->attachment_target + 3 * vertex);
            s->attachment_stiffness[vertex] = handle->stiffness;
        }
    }
}

void pli_scripts_attach(pli_mesh_stepper *s, const pli_state *state, double time)
{
    apply_scripts(s, time);
    s->grip.stiffness = pli_state_has_grips(state) ? state->grip_stiffness : NULL;
    s->grip.target = state->grip_target;
    s->load.force = pli_state_has_forces(state) ? state->force : NULL;
}
