// SPDX-License-Identifier: Apache-2.0
#include "base/names.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum { FIRST_CAPACITY = 32 };

void pli_names_init(pli_names *names, pli_context *context)
{
    *names = (pli_names){.context = context};
}

void pli_names_clear(pli_names *names)
{
    PLI_RELEASE(names->context, names->slots, names->items);
    pli_names_init(names, names->context);
}

// The slot that holds the name, or the free one where it belongs.
static int32_t slot_of(const pli_names *names, const char *name)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, name, strlen(name));
    uint64_t mask = (uint64_t)names->capacity - 1;
    for (uint64_t slot = (hash ^ (hash >> 32)) & mask;; slot = (slot + 1) & mask) {
        int32_t held = names->slots[slot];
        if (held == 0 || strcmp(names->items[held - 1], name) == 0) return (int32_t)slot;
    }
}

static pli_status grow(pli_names *names)
{
    if (names->capacity > INT32_MAX / 2) return PLI_ERROR_MEMORY;
    int32_t capacity = names->capacity > 0 ? 2 * names->capacity : FIRST_CAPACITY;
    int32_t *slots = PLI_NEW(names->context, int32_t, capacity, "set of names");
    if (slots == NULL) return PLI_ERROR_MEMORY;
    const char **items =
        pli_reallocate(names->context, names->items, capacity / 2, sizeof *items, "set of names");
    if (items == NULL) {
        pli_release(names->context, slots);
        return PLI_ERROR_MEMORY;
    }
    pli_release(names->context, names->slots);
    names->items = items;
    names->slots = slots;
    names->capacity = capacity;
    for (int32_t i = 0; i < names->count; ++i) slots[slot_of(names, items[i])] = i + 1;
    return PLI_OK;
}

pli_status pli_names_add(pli_names *names, const char *name, int32_t *index)
{
    *index = -1;
    if (2 * (int64_t)names->count >= names->capacity) PLI_TRY(grow(names));
    int32_t slot = slot_of(names, name);
    if (names->slots[slot] == 0) {
        names->items[names->count] = name;
        names->slots[slot] = ++names->count;
    }
    *index = names->slots[slot] - 1;
    return PLI_OK;
}

int32_t pli_names_find(const pli_names *names, const char *name)
{
    return names->count > 0 ? names->slots[slot_of(names, name)] - 1 : -1;
}
