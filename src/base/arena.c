// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include "base/memory.h"

enum { ALIGNMENT = 64 };

typedef struct arena_block {
    struct arena_block *previous; // fuller block, or NULL
    char *bytes;                  // [capacity]
    int64_t capacity;
    int64_t used;   // of this block
    int64_t before; // bytes in use in all previous blocks
} arena_block;

struct pli_arena {
    pli_context *context;
    arena_block *top;           // block that is being filled
    int64_t peak;               // largest total in use
    bool (*cancel)(void *user); // NULL: nobody
    void *cancel_user;
};

static void block_destroy(pli_context *context, arena_block *block)
{
    PLI_RELEASE(context, block->bytes, block);
}

static arena_block *block_create(pli_context *context, int64_t capacity)
{
    arena_block *block = PLI_NEW(context, arena_block, 1, "arena block");
    if (block == NULL) return NULL;
    block->bytes = PLI_NEW(context, char, capacity, "arena");
    block->capacity = capacity;
    if (block->bytes == NULL) {
        block_destroy(context, block);
        return NULL;
    }
    return block;
}

pli_status pli_arena_create(pli_context *context, int64_t initial_bytes, pli_arena **arena)
{
    *arena = NULL;
    pli_arena *made = PLI_NEW(context, pli_arena, 1, "arena");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->top = block_create(context, initial_bytes < ALIGNMENT ? ALIGNMENT : initial_bytes);
    if (made->top == NULL) {
        pli_release(context, made);
        return PLI_ERROR_MEMORY;
    }
    *arena = made;
    return PLI_OK;
}

void pli_arena_destroy(pli_arena *arena)
{
    if (arena == NULL) return;
    while (arena->top != NULL) {
        arena_block *block = arena->top;
        arena->top = block->previous;
        block_destroy(arena->context, block);
    }
    pli_release(arena->context, arena);
}

void pli_arena_set_cancel(pli_arena *arena, bool (*cancel)(void *user), void *user)
{
    arena->cancel = cancel;
    arena->cancel_user = user;
}

pli_status pli_arena_go_on(const pli_arena *arena)
{
    if (arena->cancel == NULL || !arena->cancel(arena->cancel_user)) return PLI_OK;
    return PLI_FAIL(arena->context, PLI_ERROR_INTERRUPTED, "the step was cancelled");
}

pli_arena_mark pli_arena_begin(pli_arena *arena)
{
    return (pli_arena_mark){arena->top->before + arena->top->used};
}

// Replaces an empty first block by one that holds the largest total seen.
static void grow_empty_arena(pli_arena *arena)
{
    if (arena->top->capacity >= arena->peak) return;
    arena_block *larger = block_create(arena->context, arena->peak);
    if (larger == NULL) return; // the small block still works
    block_destroy(arena->context, arena->top);
    arena->top = larger;
}

void pli_arena_end(pli_arena *arena, pli_arena_mark mark)
{
    while (arena->top->previous != NULL && arena->top->before >= mark.used) {
        arena_block *block = arena->top;
        arena->top = block->previous;
        block_destroy(arena->context, block);
    }
    arena->top->used = mark.used - arena->top->before;
    if (mark.used == 0) grow_empty_arena(arena);
}

static bool add_block(pli_arena *arena, int64_t bytes)
{
    int64_t capacity = 2 * arena->top->capacity;
    if (capacity < bytes) capacity = bytes;
    arena_block *block = block_create(arena->context, capacity);
    if (block == NULL) return false;
    block->previous = arena->top;
    block->before = arena->top->before + arena->top->used;
    arena->top = block;
    return true;
}

void *pli_arena_take(pli_arena *arena, int64_t count, size_t size, const char *what)
{
    if (count < 0 || (size > 0 && count > INT64_MAX / 2 / (int64_t)size)) {
        (void)PLI_FAIL(arena->context, PLI_ERROR_MEMORY, "out of memory in %s, needed %lld items",
                       what, (long long)count);
        return NULL;
    }
    int64_t bytes = (count * (int64_t)size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (arena->top->used + bytes > arena->top->capacity && !add_block(arena, bytes)) return NULL;

    arena_block *top = arena->top;
    void *memory = top->bytes + top->used;
    top->used += bytes;
    if (top->before + top->used > arena->peak) arena->peak = top->before + top->used;
    return memory;
}

double *pli_arena_doubles(pli_arena *arena, int64_t count, const char *what)
{
    return pli_arena_take(arena, count, sizeof(double), what);
}

int32_t *pli_arena_ints(pli_arena *arena, int64_t count, const char *what)
{
    return pli_arena_take(arena, count, sizeof(int32_t), what);
}

int64_t pli_arena_peak(const pli_arena *arena)
{
    return arena->peak;
}
