// SPDX-License-Identifier: Apache-2.0
//
// Heap memory through the context's allocator. Blocks are 64-byte aligned and remember their size,
// so that it can be given back with them. A failed call records "out of memory in <what>" in the
// context; the caller returns PLI_ERROR_MEMORY.
#ifndef PLI_BASE_MEMORY_H
#define PLI_BASE_MEMORY_H

#include "base/context.h"

// Zeroed memory for count items of size bytes each; count 0 gives a valid block. NULL on failure.
void *pli_allocate(pli_context *context, int64_t count, size_t size, const char *what);

// Makes the block hold count items, keeping what fits; NULL memory allocates. On failure the old
// block stays valid and NULL is returned.
void *pli_reallocate(pli_context *context, void *memory, int64_t count, size_t size,
                     const char *what);

// The same in place, array being the address of a pointer to a block: PLI_RESIZE(context,
// mesh->points, 3 * n, "points"). On failure it stays as it was. Errors: memory.
#define PLI_RESIZE(context, array, count, what) \
    pli_resize((context), &(array), (count), sizeof *(array), (what))
PLI_CHECKED pli_status pli_resize(pli_context *context, void *array, int64_t count, size_t size,
                                  const char *what);

// Gives a block back; NULL is legal.
void pli_release(pli_context *context, void *memory);

// Gives blocks back in the order they are named: PLI_RELEASE(context, mesh->points, mesh). All of
// them are looked up before the first goes.
#define PLI_RELEASE(context, ...)                       \
    pli_release_all((context), (void *[]){__VA_ARGS__}, \
                    sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
void pli_release_all(pli_context *context, void *const *blocks, size_t count);

// Bytes the caller asked for.
size_t pli_memory_size(const void *memory);

// Typed forms: PLI_NEW(context, double, 3 * n, "positions")
#define PLI_NEW(context, type, count, what) \
    ((type *)pli_allocate((context), (count), sizeof(type), (what)))

// A copy of a string in heap memory; NULL on failure.
char *pli_string_copy(pli_context *context, const char *text);

#endif
