// SPDX-License-Identifier: Apache-2.0
#include "sim/step/matter_implicit_emit.h"

#include "base/memory.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "sim/body/emitter_pose.h"

#include <math.h>
#include <string.h>

double pli_matter_implicit_emit_speed(const pli_model *model)
{
    double speed = 0;
    for (int32_t k = 0; k < model->matter->emitter_count; ++k) {
        speed = fmax(speed, model->matter->emitters[k].speed);
    }
    return speed;
}

// ---- room for a particle

// What an emitter finds around it: places of particles that are in its way.
typedef struct neighborhood {
    pli_emitter_pose pose;
    double spacing; // m
    pli_bounds box; // of what is emitted, and as far as it reaches (m)
    int32_t count;
    double *position; // [count][3] (m)
} neighborhood;

static bool is_in(const pli_bounds *box, const double x[3])
{
    for (int k = 0; k < 3; ++k) {
        if (x[k] < box->min[k] || x[k] > box->max[k]) return false;
    }
    return true;
}

static pli_status list_neighbors(const pli_matter_state *state, neighborhood *near)
{
    near->count = 0;
    near->position = NULL;
    int64_t count = 0;
    for (int64_t row = 0; row < state->count; ++row) {
        count += is_in(&near->box, state->position + 3 * row);
    }
    near->position = PLI_NEW(state->context, double, 3 * (count + 1), "neighbours of emitters");
    if (near->position == NULL) return PLI_ERROR_MEMORY;
    for (int64_t row = 0; row < state->count; ++row) {
        const double *x = state->position + 3 * row;
        if (is_in(&near->box, x)) pli_vec3_copy(x, near->position + 3 * (int64_t)near->count++);
    }
    return PLI_OK;
}

static bool has_room(void *user, const double position[3])
{
    const neighborhood *near = user;
    double x[3], apart[3];
    pli_emitter_pose_place(&near->pose, position, x);
    for (int64_t k = 0; k < near->count; ++k) {
        pli_vec3_subtract(near->position + 3 * k, x, apart);
        if (pli_vec3_norm2(apart) < near->spacing * near->spacing) return false;
    }
    return true;
}

// ---- emission

// Rows for count particles behind those of a kind; what was there moves on. Returns the first.
static int64_t open_rows(pli_matter_state *state, int32_t kind, int64_t count)
{
    int64_t first = state->count;
    while (first > 0 && state->kind[first - 1] > kind) --first;
    size_t behind = (size_t)(state->count - first);
#define X(member, type, array_kind, columns, name)                                          \
    memmove(state->member + (first + count) * (columns), state->member + first * (columns), \
            behind * (columns) * sizeof(type));
    PLI_MATTER_ARRAYS(X)
#undef X
    state->count += count;
    return first;
}

// What a particle of an emitter has besides its place; the place is in the world (m).
static void fill_row(const pli_matter *matter, const pli_matter_emitter *emitter, int64_t row,
                     pli_matter_state *state)
{
    memset(state->affine + 9 * row, 0, 9 * sizeof *state->affine);
    pli_mat3_identity(state->deformation + 9 * row);
    state->memory[row] = pli_material_rest_history(&matter->kinds[emitter->kind].matter.material);
    state->kind[row] = emitter->kind;
    state->id[row] = (int32_t)state->next_id++;
}

static pli_status add_emitted(const pli_matter *matter, const pli_matter_emitter *emitter,
                              const pli_emitter_pose *pose, const pli_seeding *emitted,
                              pli_matter_state *state)
{
    int64_t count = emitted->count;
    if (count == 0) return PLI_OK;
    PLI_TRY(pli_matter_state_reserve(state, state->count + count));
    int64_t first = open_rows(state, emitter->kind, count);
    for (int64_t k = 0; k < count; ++k) {
        double *x = state->position + 3 * (first + k);
        pli_emitter_pose_place(pose, emitted->positions + 3 * k, x);
        pli_emitter_pose_velocity(pose, x, state->velocity + 3 * (first + k));
        fill_row(matter, emitter, first + k, state);
    }
    return PLI_OK;
}

// A box in the world around one in the frame of an emitter.
static pli_bounds place_box(const pli_emitter_pose *pose, const pli_bounds *box)
{
    pli_bounds placed = pli_bounds_empty();
    for (int corner = 0; corner < 8; ++corner) {
        double x0[3], x[3];
        for (int k = 0; k < 3; ++k) x0[k] = (corner >> k & 1) != 0 ? box->max[k] : box->min[k];
        pli_emitter_pose_place(pose, x0, x);
        placed = pli_bounds_union(placed, pli_bounds_of_points(1, x));
    }
    return placed;
}

// Where an emitter's particles may be at the end of a piece.
static pli_bounds emission_box(const pli_matter_emitter *emitter, const pli_emitter_pose *pose,
                               double time)
{
    pli_bounds box = pli_emitter_bounds(emitter->emitter);
    for (int k = 0; k < 3; ++k) {
        double way = emitter->velocity[k] * time;
        box.min[k] += fmin(way, 0);
        box.max[k] += fmax(way, 0);
    }
    return pli_bounds_expand(place_box(pose, &box), emitter->spacing);
}

static pli_status emit_one(const pli_matter *matter, int32_t index, double end,
                           pli_matter_state *state)
{
    const pli_matter_emitter *emitter = &matter->emitters[index];
    pli_emitter_state done = {state->emitter_time[index], state->emitter_total[index]};
    if (end <= done.time || emitter->begin >= end) return PLI_OK;
    neighborhood near = {.spacing = emitter->spacing};
    pli_emitter_pose_find(emitter, done.time, end, &near.pose);
    near.box = emission_box(emitter, &near.pose, end - done.time);
    pli_seeding *emitted = NULL;
    pli_status status = list_neighbors(state, &near);
    if (status == PLI_OK) {
        status = pli_emitter_advance(emitter->emitter, end, has_room, &near, &done, &emitted);
    }
    if (status == PLI_OK) status = add_emitted(matter, emitter, &near.pose, emitted, state);
    pli_seeding_destroy(emitted);
    pli_release(state->context, near.position);
    state->emitter_time[index] = done.time;
    state->emitter_total[index] = done.count;
    return status;
}

pli_status pli_matter_implicit_emit(const pli_model *model, double end, pli_matter_state *state)
{
    for (int32_t k = 0; k < model->matter->emitter_count; ++k) {
        PLI_TRY(emit_one(model->matter, k, end, state));
    }
    return PLI_OK;
}
