// SPDX-License-Identifier: Apache-2.0
#include "sim/state.h"

#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static size_t vector_bytes(const pli_state *state)
{
    return 3 * (size_t)state->vertex_count * sizeof(double);
}

static pli_status allocate_vectors(pli_state *state)
{
    int64_t count = 3 * (int64_t)state->vertex_count;
#define X(member, name)                                              \
    state->member = PLI_NEW(state->context, double, count, "state"); \
    if (state->member == NULL) return PLI_ERROR_MEMORY;
    PLI_STATE_VECTORS(X)
#undef X
    return PLI_OK;
}

pli_status pli_state_create(const pli_model *model, pli_state **state)
{
    *state = NULL;
    pli_state *made = PLI_NEW(model->context, pli_state, 1, "state");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = model->context;
    made->vertex_count = model->vertex_count;
    made->dt = model->dt;
    made->matter.context = model->context;
    made->has_matter = model->matter != NULL;
    pli_status status = allocate_vectors(made);
    if (status == PLI_OK && made->has_matter) {
        status = pli_matter_state_copy(&model->matter->start, &made->matter);
    }
    if (status != PLI_OK) {
        pli_state_destroy(made);
        return status;
    }
    if (made->vertex_count > 0) {
        memcpy(made->x, model->start, vector_bytes(made));
        memcpy(made->v, model->start_velocity, vector_bytes(made));
    }
    *state = made;
    return PLI_OK;
}

void pli_state_destroy(pli_state *state)
{
    if (state == NULL) return;
#define X(member, name) pli_release(state->context, state->member);
    PLI_STATE_VECTORS(X)
#undef X
    pli_matter_state_clear(&state->matter);
    pli_release(state->context, state);
}

pli_status pli_state_copy(const pli_state *from, pli_state *to)
{
    PLI_ASSERT(to->context, from->vertex_count == to->vertex_count);
    PLI_ASSERT(to->context, from->has_matter == to->has_matter);
    if (from->has_matter) PLI_TRY(pli_matter_state_copy(&from->matter, &to->matter));
#define X(member, name) \
    if (from->vertex_count > 0) memcpy(to->member, from->member, vector_bytes(from));
    PLI_STATE_VECTORS(X)
#undef X
#define X(member, name) to->member = from->member;
    PLI_STATE_SCALARS(X)
    PLI_STATE_COUNTERS(X)
#undef X
    return PLI_OK;
}

int64_t pli_state_step(const pli_state *state)
{
    return state->step;
}

double pli_state_time(const pli_state *state)
{
    return (double)state->step * state->dt;
}

const double *pli_state_positions(const pli_state *state)
{
    return state->x;
}

const double *pli_state_velocities(const pli_state *state)
{
    return state->v;
}

static pli_status check_finite(const pli_state *state, const double *values, const char *what)
{
    if (values == NULL) return PLI_OK;
    for (int64_t k = 0; k < 3 * (int64_t)state->vertex_count; ++k) {
        if (isfinite(values[k])) continue;
        return PLI_FAIL(state->context, PLI_ERROR_ARGUMENT,
                        "%s of vertex %lld is %g; it must be finite", what, (long long)(k / 3),
                        values[k]);
    }
    return PLI_OK;
}

pli_status pli_state_set(pli_state *state, const double *positions, const double *velocities)
{
    PLI_TRY(check_finite(state, positions, "position"));
    PLI_TRY(check_finite(state, velocities, "velocity"));
    if (positions != NULL) memcpy(state->x, positions, vector_bytes(state));
    if (velocities != NULL) memcpy(state->v, velocities, vector_bytes(state));
    // what happened before no longer leads here
    state->history = 0;
    return PLI_OK;
}

uint64_t pli_state_hash(const pli_state *state)
{
    uint64_t hash = PLI_HASH_START;
#define X(member, name) hash = pli_hash_bytes(hash, state->member, vector_bytes(state));
    PLI_STATE_VECTORS(X)
#undef X
#define X(member, name) hash = pli_hash_bytes(hash, &state->member, sizeof state->member);
    PLI_STATE_SCALARS(X)
    PLI_STATE_COUNTERS(X)
#undef X
    return state->has_matter ? pli_matter_state_hash(&state->matter, hash) : hash;
}

// Without those of particles.
static int32_t count_own_arrays(void)
{
    int32_t count = 0;
#define X(member, name) ++count;
    PLI_STATE_VECTORS(X)
    PLI_STATE_SCALARS(X)
    PLI_STATE_COUNTERS(X)
#undef X
    return count;
}

int32_t pli_state_array_count(const pli_state *state)
{
    return count_own_arrays() + (state->has_matter ? pli_matter_state_array_count() : 0);
}

pli_status pli_state_set_particle_count(pli_state *state, int64_t count)
{
    if (!state->has_matter || count < 0 || count > INT32_MAX) {
        return PLI_FAIL(state->context, PLI_ERROR_ARGUMENT, "%lld particles for a state %s; %s",
                        (long long)count, state->has_matter ? "of particles" : "without particles",
                        state->has_matter ? "allowed are 0 to 2147483647" : "it can have none");
    }
    PLI_TRY(pli_matter_state_reserve(&state->matter, count));
    state->matter.count = count;
    return PLI_OK;
}

void pli_state_get_particles(const pli_state *state, pli_particle_view *view)
{
    const pli_matter_state *matter = &state->matter;
    *view = (pli_particle_view){.count = matter->count,
                                .positions = matter->position,
                                .velocities = matter->velocity,
                                .affine = matter->affine,
                                .deformation = matter->deformation,
                                .memory = matter->memory,
                                .kinds = matter->kind,
                                .ids = matter->id};
}

void pli_state_get_array(pli_state *state, int32_t index, pli_state_array *array)
{
    if (index >= count_own_arrays()) {
        pli_matter_state_get_array(&state->matter, index - count_own_arrays(), array);
        return;
    }
    int32_t at = 0;
    *array = (pli_state_array){0};
#define X(member, name)                                                                           \
    if (at++ == index) {                                                                          \
        *array =                                                                                  \
            (pli_state_array){name, PLI_ARRAY_F64, state->vertex_count, 3, state->member, false}; \
    }
    PLI_STATE_VECTORS(X)
#undef X
#define X(member, name) \
    if (at++ == index) *array = (pli_state_array){name, PLI_ARRAY_F64, 1, 1, &state->member, false};
    PLI_STATE_SCALARS(X)
#undef X
#define X(member, name) \
    if (at++ == index) *array = (pli_state_array){name, PLI_ARRAY_I64, 1, 1, &state->member, false};
    PLI_STATE_COUNTERS(X)
#undef X
}
