// SPDX-License-Identifier: Apache-2.0
#include "sim/model/state.h"

#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static size_t array_bytes(const pli_state *state, int32_t columns)
{
    return (size_t)columns * (size_t)state->vertex_count * sizeof(double);
}

static size_t tet_bytes(const pli_state *state, int32_t columns)
{
    return (size_t)columns * (size_t)state->point_count * sizeof(double);
}

static size_t point_bytes(const pli_state *state, int32_t columns)
{
    return (size_t)columns * (size_t)state->relaxing_count * sizeof(double);
}

static size_t vector_bytes(const pli_state *state)
{
    return array_bytes(state, 3);
}

static pli_status allocate_arrays(pli_state *state)
{
    int64_t count = state->vertex_count;
#define X(member, name)                                                  \
    state->member = PLI_NEW(state->context, double, 3 * count, "state"); \
    if (state->member == NULL) return PLI_ERROR_MEMORY;
    PLI_STATE_VECTORS(X)
    PLI_STATE_LOADS(X)
#undef X
#define X(member, name, columns)                                               \
    state->member = PLI_NEW(state->context, double, (columns)*count, "grips"); \
    if (state->member == NULL) return PLI_ERROR_MEMORY;
    PLI_STATE_GRIPS(X)
#undef X
    count = state->point_count;
#define X(member, name, columns)                                                             \
    state->member = PLI_NEW(state->context, double, (columns)*count, "plastic deformation"); \
    if (state->member == NULL) return PLI_ERROR_MEMORY;
    PLI_STATE_TETS(X)
#undef X
    count = state->relaxing_count;
#define X(member, name, columns)                                                       \
    state->member = PLI_NEW(state->context, double, (columns)*count, "branch stress"); \
    if (state->member == NULL) return PLI_ERROR_MEMORY;
    PLI_STATE_POINTS(X)
#undef X
#define X(member, name)                                                          \
    state->member = PLI_NEW(state->context, double, state->fold_count, "folds"); \
    if (state->member == NULL) return PLI_ERROR_MEMORY;
    PLI_STATE_FOLDS(X)
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
    made->point_count = model->yields != NULL ? model->first_point[model->tet_count] : 0;
    made->relaxing_count = model->branches != NULL ? model->first_point[model->tet_count] : 0;
    made->branch_count = model->branch_count;
    made->fold_count = model->fold_count;
    made->dt = model->dt;
    made->matter.context = model->context;
    made->has_matter = model->matter != NULL;
    pli_status status = allocate_arrays(made);
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
    PLI_STATE_LOADS(X)
    PLI_STATE_FOLDS(X)
#undef X
#define X(member, name, columns) pli_release(state->context, state->member);
    PLI_STATE_GRIPS(X)
    PLI_STATE_TETS(X)
    PLI_STATE_POINTS(X)
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
    PLI_STATE_LOADS(X)
#undef X
#define X(member, name, columns) \
    if (from->vertex_count > 0) memcpy(to->member, from->member, array_bytes(from, columns));
    PLI_STATE_GRIPS(X)
#undef X
#define X(member, name, columns) \
    if (from->point_count > 0) memcpy(to->member, from->member, tet_bytes(from, columns));
    PLI_STATE_TETS(X)
#undef X
    const pli_state *state = from;
#define X(member, name, columns) \
    if (from->relaxing_count > 0) memcpy(to->member, from->member, point_bytes(from, columns));
    PLI_STATE_POINTS(X)
#undef X
    size_t folds = (size_t)from->fold_count * sizeof(double);
#define X(member, name) \
    if (folds > 0) memcpy(to->member, from->member, folds);
    PLI_STATE_FOLDS(X)
#undef X
#define X(member, name) to->member = from->member;
    PLI_STATE_SCALARS(X)
    PLI_STATE_WORKS(X)
    PLI_STATE_COUNTERS(X)
#undef X
    return PLI_OK;
}

static pli_particle_view view_particles(const pli_matter_state *matter)
{
    return (pli_particle_view){.count = matter->count,
                               .positions = matter->position,
                               .velocities = matter->velocity,
                               .affine = matter->affine,
                               .deformation = matter->deformation,
                               .history = matter->memory,
                               .kinds = matter->kind,
                               .ids = matter->id};
}

pli_state_view pli_state_get(const pli_state *state)
{
    return (pli_state_view){.step = state->step,
                            .time = pli_state_time(state),
                            .vertex_count = state->vertex_count,
                            .positions = state->x,
                            .velocities = state->v,
                            .grip_stiffnesses = state->grip_stiffness,
                            .grip_targets = state->grip_target,
                            .forces = state->force,
                            .particles = view_particles(&state->matter)};
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

// ---- grips

bool pli_state_has_grips(const pli_state *state)
{
    for (int32_t vertex = 0; vertex < state->vertex_count; ++vertex) {
        if (state->grip_stiffness[vertex] != 0) return true;
    }
    return false;
}

static pli_status check_grip(const pli_state *state, int32_t vertex, double stiffness,
                             const double target[3])
{
    pli_context *context = state->context;
    if (state->has_matter) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "particles cannot be held by grips; only vertices of meshes can");
    }
    if (vertex < 0 || vertex >= state->vertex_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a grip at vertex %d; the state has vertices 0 to %d", (int)vertex,
                        (int)state->vertex_count - 1);
    }
    if (!isfinite(stiffness) || stiffness < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the grip at vertex %d has stiffness %g; it must be positive, or 0 to let "
                        "go, and finite",
                        (int)vertex, stiffness);
    }
    for (int k = 0; k < 3 && stiffness > 0; ++k) {
        if (isfinite(target[k])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the grip at vertex %d pulls to (%g, %g, %g); that must be finite",
                        (int)vertex, target[0], target[1], target[2]);
    }
    return PLI_OK;
}

pli_status pli_state_set_grip(pli_state *state, int32_t vertex, double stiffness,
                              const double target[3])
{
    PLI_TRY(check_grip(state, vertex, stiffness, target));
    // nothing is left of a grip that lets go, so that the state is as if it had never been
    bool holds = stiffness > 0;
    state->grip_stiffness[vertex] = holds ? stiffness : 0;
    for (int64_t k = 0; k < 3; ++k) {
        state->grip_target[3 * (int64_t)vertex + k] = holds ? target[k] : 0;
    }
    return PLI_OK;
}

void pli_state_clear_grips(pli_state *state)
{
#define X(member, name, columns) \
    if (state->vertex_count > 0) memset(state->member, 0, array_bytes(state, columns));
    PLI_STATE_GRIPS(X)
#undef X
}

// ---- forces

bool pli_state_has_forces(const pli_state *state)
{
    for (int64_t k = 0; k < 3 * (int64_t)state->vertex_count; ++k) {
        if (state->force[k] != 0) return true;
    }
    return false;
}

pli_status pli_state_set_forces(pli_state *state, const double *forces)
{
    if (state->has_matter && forces != NULL) {
        return PLI_FAIL(state->context, PLI_ERROR_ARGUMENT,
                        "particles cannot be pushed by forces; only vertices of meshes can");
    }
    PLI_TRY(check_finite(state, forces, "force"));
    if (forces != NULL) {
        memcpy(state->force, forces, vector_bytes(state));
    } else if (state->vertex_count > 0) {
        memset(state->force, 0, vector_bytes(state));
    }
    return PLI_OK;
}

// ---- everything

// A state without grips has the hash of one that knows none.
static uint64_t hash_grips(const pli_state *state, uint64_t hash)
{
    if (!pli_state_has_grips(state)) return hash;
#define X(member, name, columns) \
    hash = pli_hash_bytes(hash, state->member, array_bytes(state, columns));
    PLI_STATE_GRIPS(X)
#undef X
    return hash;
}

// The same of forces.
static uint64_t hash_loads(const pli_state *state, uint64_t hash)
{
    if (!pli_state_has_forces(state)) return hash;
#define X(member, name) hash = pli_hash_bytes(hash, state->member, vector_bytes(state));
    PLI_STATE_LOADS(X)
#undef X
    return hash;
}

// The same of work.
static uint64_t hash_works(const pli_state *state, uint64_t hash)
{
    if (state->load_work == 0 && state->cavity_work == 0) return hash;
#define X(member, name) hash = pli_hash_bytes(hash, &state->member, sizeof state->member);
    PLI_STATE_WORKS(X)
#undef X
    return hash;
}

static uint64_t hash_plastic(const pli_state *state, uint64_t hash)
{
    if (state->point_count == 0) return hash;
#define X(member, name, columns) \
    hash = pli_hash_bytes(hash, state->member, tet_bytes(state, columns));
    PLI_STATE_TETS(X)
#undef X
    return hash;
}

static uint64_t hash_points(const pli_state *state, uint64_t hash)
{
    if (state->relaxing_count == 0) return hash;
#define X(member, name, columns) \
    hash = pli_hash_bytes(hash, state->member, point_bytes(state, columns));
    PLI_STATE_POINTS(X)
#undef X
    return hash;
}

static uint64_t hash_folds(const pli_state *state, uint64_t hash)
{
    size_t bytes = (size_t)state->fold_count * sizeof(double);
    if (bytes == 0) return hash;
#define X(member, name) hash = pli_hash_bytes(hash, state->member, bytes);
    PLI_STATE_FOLDS(X)
#undef X
    return hash;
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
    hash = hash_grips(state, hash);
    hash = hash_loads(state, hash);
    hash = hash_plastic(state, hash);
    hash = hash_points(state, hash);
    hash = hash_folds(state, hash);
    hash = hash_works(state, hash);
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
    PLI_STATE_LOADS(X)
    PLI_STATE_FOLDS(X)
    PLI_STATE_WORKS(X)
#undef X
#define X(member, name, columns) ++count;
    PLI_STATE_GRIPS(X)
    PLI_STATE_TETS(X)
    PLI_STATE_POINTS(X)
#undef X
    return count;
}

static int32_t count_arrays(const pli_state *state)
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

bool pli_state_get_array(pli_state *state, int32_t index, pli_state_array *array)
{
    if (index < 0 || index >= count_arrays(state)) return false;
    if (index >= count_own_arrays()) {
        pli_matter_state_get_array(&state->matter, index - count_own_arrays(), array);
        return true;
    }
    int32_t rows = state->vertex_count;
    int32_t at = 0;
    *array = (pli_state_array){0};
#define X(member, name)                                                                        \
    if (at++ == index) {                                                                       \
        *array = (pli_state_array){name, PLI_ARRAY_F64, rows, 3, state->member, false, false}; \
    }
    PLI_STATE_VECTORS(X)
#undef X
#define X(member, name)                                                                      \
    if (at++ == index) {                                                                     \
        *array = (pli_state_array){name, PLI_ARRAY_F64, 1, 1, &state->member, false, false}; \
    }
    PLI_STATE_SCALARS(X)
#undef X
#define X(member, name)                                                                      \
    if (at++ == index) {                                                                     \
        *array = (pli_state_array){name, PLI_ARRAY_I64, 1, 1, &state->member, false, false}; \
    }
    PLI_STATE_COUNTERS(X)
#undef X
#define X(member, name, columns)                                                               \
    if (at++ == index) {                                                                       \
        *array =                                                                               \
            (pli_state_array){name, PLI_ARRAY_F64, rows, columns, state->member, false, true}; \
    }
    PLI_STATE_GRIPS(X)
#undef X
#define X(member, name)                                                                       \
    if (at++ == index) {                                                                      \
        *array = (pli_state_array){name, PLI_ARRAY_F64, rows, 3, state->member, false, true}; \
    }
    PLI_STATE_LOADS(X)
#undef X
    rows = state->point_count;
#define X(member, name, columns)                                                               \
    if (at++ == index) {                                                                       \
        *array =                                                                               \
            (pli_state_array){name, PLI_ARRAY_F64, rows, columns, state->member, false, true}; \
    }
    PLI_STATE_TETS(X)
#undef X
    rows = state->relaxing_count;
#define X(member, name, columns)                                                               \
    if (at++ == index) {                                                                       \
        *array =                                                                               \
            (pli_state_array){name, PLI_ARRAY_F64, rows, columns, state->member, false, true}; \
    }
    PLI_STATE_POINTS(X)
#undef X
    rows = state->fold_count;
#define X(member, name)                                                                       \
    if (at++ == index) {                                                                      \
        *array = (pli_state_array){name, PLI_ARRAY_F64, rows, 1, state->member, false, true}; \
    }
    PLI_STATE_FOLDS(X)
#undef X
#define X(member, name)                                                                     \
    if (at++ == index) {                                                                    \
        *array = (pli_state_array){name, PLI_ARRAY_F64, 1, 1, &state->member, false, true}; \
    }
    PLI_STATE_WORKS(X)
#undef X
    return true;
}
