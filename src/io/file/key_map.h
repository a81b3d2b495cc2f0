// SPDX-License-Identifier: Apache-2.0
//
// Numbers keys by the order of their first appearance: 0, 1, 2, ... Keys are byte strings of one
// fixed size, such as a node's tag or a vertex's three coordinates, compared bit by bit.
//
// Open addressing with linear probing over a table of indices that is at most half full; the keys
// themselves lie densely in the order of their numbers.
#ifndef PLI_IO_FILE_KEY_MAP_H
#define PLI_IO_FILE_KEY_MAP_H

#include "base/context.h"

typedef struct pli_key_map {
    pli_context *context;
    size_t key_size;
    int32_t count;
    int32_t key_capacity;
    char *keys;         // [key_capacity][key_size], the first count are valid
    int64_t slot_count; // power of two, or 0
    int32_t *slots;     // [slot_count]  number of a key + 1, 0: free
} pli_key_map;

void pli_key_map_init(pli_key_map *map, pli_context *context, size_t key_size);
void pli_key_map_clear(pli_key_map *map);

// Makes room for count keys. Errors: memory.
PLI_CHECKED pli_status pli_key_map_reserve(pli_key_map *map, int32_t count);

// The number of a key, which is added if it is new (*added). Errors: memory.
PLI_CHECKED pli_status pli_key_map_add(pli_key_map *map, const void *key, int32_t *number,
                                       bool *added);

// The number of a key, or -1.
int32_t pli_key_map_find(const pli_key_map *map, const void *key);

#endif
