// SPDX-License-Identifier: Apache-2.0
//
// Frames: the parts of the stepper's bodies or particles, then colliders.
#include "base/memory.h"
#include "sim/report/collider_part.h"
#include "sim/step/solver.h"

struct pli_frame_parts {
    pli_context *context;
    pli_collider_parts *colliders;
    pli_frame_part *parts; // [those of the stepper, then of colliders]
};

void pli_frame_parts_destroy(pli_frame_parts *frames)
{
    if (frames == NULL) return;
    pli_context *context = frames->context;
    pli_release(context, frames->parts);
    pli_collider_parts_destroy(frames->colliders);
    pli_release(context, frames);
}

static pli_status ensure_parts(pli_solver *s)
{
    const pli_model *model = s->model;
    if (s->frames != NULL) return PLI_OK;
    pli_frame_parts *made = PLI_NEW(s->context, pli_frame_parts, 1, "frame");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = s->context;
    int64_t count = pli_model_part_count(model) + model->collider_count;
    made->parts = PLI_NEW(s->context, pli_frame_part, count, "frame parts");
    pli_status status = made->parts != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_collider_parts_create(model, &made->colliders);
    if (status != PLI_OK) {
        pli_frame_parts_destroy(made);
        return status;
    }
    s->frames = made;
    return PLI_OK;
}

pli_status pli_solver_frame(pli_solver *solver, const pli_state *state, pli_frame *frame)
{
    int32_t count = 0;
    *frame = (pli_frame){0};
    PLI_TRY(ensure_parts(solver));
    pli_frame_part *parts = solver->frames->parts;
    PLI_TRY(solver->ops->fill_parts(solver->stepper, state, parts, &count));
    count += pli_collider_parts_fill(solver->frames->colliders, pli_state_time(state), state->x,
                                     parts + count);
    *frame = (pli_frame){.index = (int32_t)(state->step / solver->model->time.steps_per_frame),
                         .step = state->step,
                         .time = pli_state_time(state),
                         .part_count = count,
                         .parts = parts};
    return PLI_OK;
}
