// SPDX-License-Identifier: Apache-2.0
//
// Frames of explicit steps of particles: what a step from there would do to every particle.
#include "sim/step/matter_explicit.h"

#include "base/memory.h"

static pli_status make_plans(pli_matter_explicit *m, const pli_matter_state *state, double *tick)
{
    int64_t ticks;
    PLI_TRY(pli_matter_load(m, state));
    *tick = pli_matter_choose_tick(m, &ticks);
    PLI_TRY(pli_stepper_set_tick(m->stepper, *tick));
    int32_t count = pli_stepper_particles(m->stepper)->block_count;
    if (count > m->plan_room) {
        int64_t room = (int64_t)count + count / 2;
        PLI_TRY(PLI_RESIZE(m->context, m->plans, room, "frame steps"));
        m->plan_room = (int32_t)room;
    }
    return pli_stepper_preview(m->stepper, ticks, m->plans);
}

static int32_t find_shortest(const pli_matter_explicit *m, int32_t count)
{
    int32_t shortest = INT32_MAX;
    for (int32_t block = 0; block < count; ++block) {
        if (m->plans[block].step < shortest) shortest = m->plans[block].step;
    }
    return shortest;
}

static void fill_steps(const pli_matter_explicit *m, const pli_matter_state *state, double tick)
{
    const pli_particles *particles = pli_stepper_particles(m->stepper);
    double *step = pli_matter_parts_values(m->parts, PLI_PARTICLE_STEP);
    double *status = pli_matter_parts_values(m->parts, PLI_PARTICLE_STATUS);
    int32_t shortest = find_shortest(m, particles->block_count);
    for (int64_t row = 0; row < state->count; ++row) {
        int32_t block = pli_matter_block_of(m, state->position + 3 * row);
        const pli_stepper_plan *plan = &m->plans[block];
        bool is_ahead = plan->step > shortest;
        step[row] = plan->step * tick;
        status[row] = is_ahead ? 1 + plan->copies : 0;
    }
}

pli_status pli_matter_explicit_fill_parts(pli_matter_explicit *m, const pli_state *state,
                                          pli_frame_part *parts, int32_t *count)
{
    double tick;
    if (m->parts == NULL) PLI_TRY(pli_matter_parts_create(m->model, &m->parts));
    PLI_TRY(pli_matter_parts_begin(m->parts, state));
    PLI_TRY(make_plans(m, &state->matter, &tick));
    fill_steps(m, &state->matter, tick);
    *count = pli_matter_parts_list(m->parts, state, parts);
    return PLI_OK;
}
