// SPDX-License-Identifier: Apache-2.0
#include "sim/model/matter.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum { LEAST_ROOM = 1024 };

static const char what[] = "particles of a state";

pli_status pli_matter_state_reserve(pli_matter_state *state, int64_t count)
{
    if (count <= state->room) return PLI_OK;
    // the first time exactly, later with some to spare for what emitters bring
    int64_t room = state->room == 0 ? count : count + count / 2;
    if (room < LEAST_ROOM) room = LEAST_ROOM;
#define X(member, type, kind, columns, name) \
    PLI_TRY(pli_resize(state->context, &state->member, room, (columns) * sizeof(type), what));
    PLI_MATTER_ARRAYS(X)
#undef X
    state->room = room;
    return PLI_OK;
}

static pli_status reserve_emitters(pli_matter_state *state, int32_t count)
{
    if (count == state->emitter_count) return PLI_OK;
#define X(member, type, kind, name) PLI_TRY(PLI_RESIZE(state->context, state->member, count, what));
    PLI_MATTER_EMITTER_ARRAYS(X)
#undef X
    state->emitter_count = count;
    return PLI_OK;
}

pli_status pli_matter_state_copy(const pli_matter_state *from, pli_matter_state *to)
{
    PLI_TRY(pli_matter_state_reserve(to, from->count));
    PLI_TRY(reserve_emitters(to, from->emitter_count));
    to->count = from->count;
    to->next_id = from->next_id;
    size_t rows = (size_t)from->count, emitters = (size_t)from->emitter_count;
#define X(member, type, kind, columns, name) \
    if (rows > 0) memcpy(to->member, from->member, rows *(columns) * sizeof(type));
    PLI_MATTER_ARRAYS(X)
#undef X
#define X(member, type, kind, name) \
    if (emitters > 0) memcpy(to->member, from->member, emitters * sizeof(type));
    PLI_MATTER_EMITTER_ARRAYS(X)
#undef X
    return PLI_OK;
}

void pli_matter_state_clear(pli_matter_state *state)
{
#define X(member, type, kind, columns, name) pli_release(state->context, state->member);
    PLI_MATTER_ARRAYS(X)
#undef X
#define X(member, type, kind, name) pli_release(state->context, state->member);
    PLI_MATTER_EMITTER_ARRAYS(X)
#undef X
    *state = (pli_matter_state){.context = state->context};
}

uint64_t pli_matter_state_hash(const pli_matter_state *state, uint64_t hash)
{
    size_t rows = (size_t)state->count, emitters = (size_t)state->emitter_count;
    hash = pli_hash_bytes(hash, &state->count, sizeof state->count);
#define X(member, type, kind, columns, name) \
    hash = pli_hash_bytes(hash, state->member, rows * (columns) * sizeof(type));
    PLI_MATTER_ARRAYS(X)
#undef X
#define X(member, type, kind, name) \
    hash = pli_hash_bytes(hash, state->member, emitters * sizeof(type));
    PLI_MATTER_EMITTER_ARRAYS(X)
#undef X
    return pli_hash_bytes(hash, &state->next_id, sizeof state->next_id);
}

int32_t pli_matter_state_array_count(void)
{
    int32_t count = 1;
#define X(...) ++count;
    PLI_MATTER_ARRAYS(X)
    PLI_MATTER_EMITTER_ARRAYS(X)
#undef X
    return count;
}

void pli_matter_state_get_array(pli_matter_state *state, int32_t index, pli_state_array *array)
{
    int32_t at = 0;
    *array =
        (pli_state_array){"particle_next_id", PLI_ARRAY_I64, 1, 1, &state->next_id, false, false};
#define X(member, type, kind, columns, name)                                                       \
    if (++at == index) {                                                                           \
        *array = (pli_state_array){name, kind, state->count, columns, state->member, true, false}; \
    }
    PLI_MATTER_ARRAYS(X)
#undef X
#define X(member, type, kind, name)                                                              \
    if (++at == index) {                                                                         \
        *array =                                                                                 \
            (pli_state_array){name, kind, state->emitter_count, 1, state->member, false, false}; \
    }
    PLI_MATTER_EMITTER_ARRAYS(X)
#undef X
}

pli_status pli_matter_check_kinds(const pli_matter *matter, const pli_matter_state *state)
{
    int32_t least = 0;
    for (int64_t row = 0; row < state->count; ++row) {
        int32_t kind = state->kind[row];
        if (kind < least || kind >= matter->kind_count) {
            return PLI_FAIL(matter->context, PLI_ERROR_ARGUMENT,
                            "the particle in row %lld is of kind %d; allowed there are %d to %d, "
                            "because particles stand in the order of kinds",
                            (long long)row, (int)kind, (int)least, (int)matter->kind_count - 1);
        }
        least = kind;
    }
    return PLI_OK;
}
