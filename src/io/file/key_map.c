// SPDX-License-Identifier: Apache-2.0
#include "io/file/key_map.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

enum { SMALLEST_CAPACITY = 16 };

void pli_key_map_init(pli_key_map *map, pli_context *context, size_t key_size)
{
    *map = (pli_key_map){.context = context, .key_size = key_size};
}

void pli_key_map_clear(pli_key_map *map)
{
    PLI_RELEASE(map->context, map->keys, map->slots);
    pli_key_map_init(map, map->context, map->key_size);
}

static const char *key_at(const pli_key_map *map, int32_t number)
{
    return map->keys + (size_t)number * map->key_size;
}

// The slot that holds the key, or the free one where it belongs.
static int64_t find_slot(const pli_key_map *map, const void *key)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, key, map->key_size);
    int64_t slot = (int64_t)(hash & (uint64_t)(map->slot_count - 1));
    while (map->slots[slot] != 0 &&
           memcmp(key_at(map, map->slots[slot] - 1), key, map->key_size) != 0) {
        slot = (slot + 1) & (map->slot_count - 1);
    }
    return slot;
}

// Replaces the table by one for so many keys and puts the known keys back into it.
static pli_status build_slots(pli_key_map *map, int32_t capacity)
{
    int64_t slot_count = 2 * SMALLEST_CAPACITY;
    while (slot_count < 2 * (int64_t)capacity) slot_count *= 2;
    if (slot_count == map->slot_count) return PLI_OK;
    int32_t *slots = PLI_NEW(map->context, int32_t, slot_count, "key table");
    if (slots == NULL) return PLI_ERROR_MEMORY;
    pli_release(map->context, map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    for (int32_t i = 0; i < map->count; ++i) slots[find_slot(map, key_at(map, i))] = i + 1;
    return PLI_OK;
}

pli_status pli_key_map_reserve(pli_key_map *map, int32_t count)
{
    if (count <= map->key_capacity) return PLI_OK;
    PLI_TRY(build_slots(map, count));
    PLI_TRY(pli_resize(map->context, &map->keys, count, map->key_size, "keys"));
    map->key_capacity = count;
    return PLI_OK;
}

pli_status pli_key_map_add(pli_key_map *map, const void *key, int32_t *number, bool *added)
{
    *number = -1;
    *added = false;
    if (map->count == map->key_capacity) {
        if (map->count > INT32_MAX / 2) {
            return PLI_FAIL(map->context, PLI_ERROR_MEMORY, "more than %d keys", INT32_MAX / 2);
        }
        int32_t larger = map->count < SMALLEST_CAPACITY ? SMALLEST_CAPACITY : 2 * map->count;
        PLI_TRY(pli_key_map_reserve(map, larger));
    }
    int64_t slot = find_slot(map, key);
    if (map->slots[slot] == 0) {
        memcpy(map->keys + (size_t)map->count * map->key_size, key, map->key_size);
        map->slots[slot] = ++map->count;
        *added = true;
    }
    *number = map->slots[slot] - 1;
    return PLI_OK;
}

int32_t pli_key_map_find(const pli_key_map *map, const void *key)
{
    return map->count > 0 ? map->slots[find_slot(map, key)] - 1 : -1;
}
