// SPDX-License-Identifier: Apache-2.0
//
// A set of names with the order they came in: finds a name's index, and a name that is there twice,
// in constant time (open addressing, at most half full).
#ifndef PLI_BASE_NAMES_H
#define PLI_BASE_NAMES_H

#include "base/context.h"

typedef struct pli_names {
    pli_context *context;
    int32_t count;      // names so far
    int32_t capacity;   // of slots, a power of two
    const char **items; // [capacity / 2] borrowed, in the order they came
    int32_t *slots;     // [capacity] 1 + index into items; 0: free
} pli_names;

void pli_names_init(pli_names *names, pli_context *context);
void pli_names_clear(pli_names *names);

// Adds a name, which must outlive the set, and gives its index. When it is already there, *index is
// that of the first one, which is smaller than names->count was before the call. Errors: memory.
PLI_CHECKED pli_status pli_names_add(pli_names *names, const char *name, int32_t *index);

// The index of a name, or -1.
int32_t pli_names_find(const pli_names *names, const char *name);

#endif
