// SPDX-License-Identifier: Apache-2.0
//
// Scratch memory by marks: begin, take what is needed, end gives all of it back at once.
//
//     pli_arena_mark mark = pli_arena_begin(scratch);
//     double *r = pli_arena_doubles(scratch, n, "residual");
//     ...
//     pli_arena_end(scratch, mark);
//
// When a block is full another is chained to it; once everything has been given back the chain is
// replaced by one block of the largest size seen, so that a warmed-up arena never allocates.
// Memory is not zeroed. One arena belongs to one thread at a time.
//
// An arena belongs to one computation as well, and reaches its innermost loops: those that may take
// long ask it whether the computation is still wanted, and end with what it says.
#ifndef PLI_BASE_ARENA_H
#define PLI_BASE_ARENA_H

#include "base/context.h"

typedef struct pli_arena pli_arena;

typedef struct pli_arena_mark {
    int64_t used; // bytes in use when the mark was made
} pli_arena_mark;

pli_status pli_arena_create(pli_context *context, int64_t initial_bytes, pli_arena **arena);
void pli_arena_destroy(pli_arena *arena);

pli_arena_mark pli_arena_begin(pli_arena *arena);
void pli_arena_end(pli_arena *arena, pli_arena_mark mark);

// 64-byte aligned memory for count items, or NULL (recorded in the context as out of memory).
void *pli_arena_take(pli_arena *arena, int64_t count, size_t size, const char *what);
double *pli_arena_doubles(pli_arena *arena, int64_t count, const char *what);
int32_t *pli_arena_ints(pli_arena *arena, int64_t count, const char *what);

// Who knows whether the computation is still wanted: true ends it. NULL: it always is.
void pli_arena_set_cancel(pli_arena *arena, bool (*cancel)(void *user), void *user);

// PLI_ERROR_INTERRUPTED when the computation is not wanted any more.
PLI_CHECKED pli_status pli_arena_go_on(const pli_arena *arena);

// Largest number of bytes that were in use at once.
int64_t pli_arena_peak(const pli_arena *arena);

#endif
