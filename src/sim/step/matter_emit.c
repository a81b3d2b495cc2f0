// SPDX-License-Identifier: Apache-2.0
#include "sim/step/matter_emit.h"

#include "math/vec3.h"
#include "sim/body/emitter_pose.h"

#include <math.h>
#include <string.h>

static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

pli_status pli_matter_emit_begin(pli_matter_explicit *m, const pli_matter_state *state)
{
    // emitters alone: none of the particles
    pli_matter_state emitters = *state;
    emitters.count = 0;
    return pli_matter_state_copy(&emitters, &m->emitted);
}

void pli_matter_emit_store(const pli_matter_explicit *m, pli_matter_state *state)
{
    state->next_id = m->emitted.next_id;
    for (int32_t k = 0; k < state->emitter_count; ++k) {
        state->emitter_time[k] = m->emitted.emitter_time[k];
        state->emitter_total[k] = m->emitted.emitter_total[k];
    }
}

// ---- how long steps may be

double pli_matter_emit_limit(const pli_matter_explicit *m)
{
    const pli_matter *matter = m->model->matter;
    const pli_steps_def *steps = &m->model->solver_def.steps;
    double limit = INFINITY;
    for (int32_t k = 0; k < matter->emitter_count; ++k) {
        const pli_matter_emitter *emitter = &matter->emitters[k];
        const pli_material *material = &matter->kinds[emitter->kind].matter.material;
        const double C[9] = {0};
        double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, tau[6], sound2;
        double memory = pli_material_rest_history(material);
        pli_material_advance(material, 1, 0, C, F, &memory, tau, &sound2);
        limit = fmin(limit, steps->sound * matter->dx / sqrt(sound2));
        limit = fmin(limit, steps->advection * matter->dx / emitter->speed);
    }
    return limit;
}

int64_t pli_matter_emit_pieces(const pli_matter_explicit *m, double begin, int64_t ticks)
{
    const pli_matter *matter = m->model->matter;
    double end = begin + (double)ticks * m->tick, cells = 0;
    for (int32_t k = 0; k < matter->emitter_count; ++k) {
        const pli_matter_emitter *emitter = &matter->emitters[k];
        if (emitter->begin >= end || emitter->end <= begin) continue;
        cells = fmax(cells, (end - begin) * emitter->speed / matter->dx);
    }
    int64_t pieces = 1;
    while ((double)pieces < cells && 2 * pieces <= ticks) pieces *= 2;
    return pieces;
}

// ---- room for a particle

typedef struct emission {
    pli_matter_explicit *stepper;
    const pli_matter_emitter *emitter;
    pli_emitter_pose pose;
} emission;

// Whether a particle of a block is too near to a place (cells).
static bool block_is_crowded(const pli_particles *particles, int32_t block, const double u[3],
                             double distance2)
{
    for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
        const pli_particle_list *list =
            pli_particles_list(particles, (pli_particle_place){block, 0}, kind);
        int32_t chunk = list->first;
        for (int32_t i = 0; i < list->count; ++i) {
            pli_particle other;
            int32_t lane = i % PLI_PARTICLE_LANES;
            pli_particles_get(particles, block, chunk, lane, &other);
            double apart[3];
            pli_vec3_subtract(other.position, u, apart);
            if (pli_vec3_norm2(apart) < distance2) return true;
            if (lane == PLI_PARTICLE_LANES - 1) chunk = particles->next[chunk];
        }
    }
    return false;
}

static void locate(const pli_matter *matter, const double x[3], double u[3])
{
    for (int k = 0; k < 3; ++k) u[k] = (x[k] - matter->origin[k]) / matter->dx - 0.5;
}

// Looks into the blocks that the corners of a small box around the place are in.
static bool has_room(void *user, const double position[3])
{
    static const int32_t edges[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    const emission *job = user;
    const pli_matter *matter = job->stepper->model->matter;
    const pli_particles *particles = pli_stepper_particles(job->stepper->stepper);
    double reach = job->emitter->spacing / matter->dx, x[3], u[3];
    int32_t low[3], high[3], at[3];
    pli_emitter_pose_place(&job->pose, position, x);
    locate(matter, x, u);
    for (int k = 0; k < 3; ++k) {
        low[k] = (int32_t)fmax(floor((u[k] - reach) / edges[k]), 0);
        high[k] = (int32_t)fmin(floor((u[k] + reach) / edges[k]), matter->blocks[k] - 1);
    }
    for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1]) {
            for (at[2] = low[2]; at[2] <= high[2]; ++at[2]) {
                uint32_t code = pli_paged_grid_code(particles->grid, at);
                int32_t block = particles->grid->table[code] - 1;
                if (block >= 0 && block_is_crowded(particles, block, u, reach * reach))
                    return false;
            }
        }
    }
    return true;
}

// ---- emission

static void make_record(const emission *job, const double position[3], pli_particle *record)
{
    pli_matter_explicit *m = job->stepper;
    const pli_matter *matter = m->model->matter;
    const pli_material *material = &matter->kinds[job->emitter->kind].matter.material;
    double x[3], v[3];
    pli_emitter_pose_place(&job->pose, position, x);
    pli_emitter_pose_velocity(&job->pose, x, v);
    *record = (pli_particle){.id = (int32_t)m->emitted.next_id++};
    locate(matter, x, record->position);
    for (int k = 0; k < 3; ++k) record->v[k] = (float)v[k];
    memcpy(record->F, identity, sizeof identity);
    record->memory = (float)pli_material_rest_history(material);
}

static pli_status add_emitted(const emission *job, const pli_seeding *emitted)
{
    pli_matter_explicit *m = job->stepper;
    for (int32_t first = 0; first < emitted->count; first += PLI_MATTER_BATCH) {
        int32_t count = emitted->count - first;
        if (count > PLI_MATTER_BATCH) count = PLI_MATTER_BATCH;
        for (int32_t k = 0; k < count; ++k) {
            make_record(job, emitted->positions + 3 * (int64_t)(first + k), &m->records[k]);
        }
        PLI_TRY(pli_stepper_add(m->stepper, job->emitter->kind, count, m->records));
    }
    return PLI_OK;
}

static pli_status emit_one(pli_matter_explicit *m, int32_t index, double end)
{
    const pli_matter_emitter *emitter = &m->model->matter->emitters[index];
    emission job = {.stepper = m, .emitter = emitter};
    pli_emitter_state state = {m->emitted.emitter_time[index], m->emitted.emitter_total[index]};
    if (end <= state.time || emitter->begin >= end) return PLI_OK;
    pli_emitter_pose_find(emitter, state.time, end, &job.pose);
    pli_seeding *emitted = NULL;
    PLI_TRY(pli_emitter_advance(emitter->emitter, end, has_room, &job, &state, &emitted));
    pli_status status = add_emitted(&job, emitted);
    pli_seeding_destroy(emitted);
    m->emitted.emitter_time[index] = state.time;
    m->emitted.emitter_total[index] = state.count;
    return status;
}

pli_status pli_matter_emit(pli_matter_explicit *m, double end)
{
    for (int32_t k = 0; k < m->model->matter->emitter_count; ++k) PLI_TRY(emit_one(m, k, end));
    return PLI_OK;
}
