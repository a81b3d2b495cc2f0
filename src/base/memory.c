// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <string.h>

// what stands before every block; 64 bytes so that the block itself stays aligned
typedef struct block_header {
    size_t bytes; // what the caller asked for
    uint64_t mark;
    char pad[48];
} block_header;

static const uint64_t block_mark = 0x70c1a47b10c0ULL;

static block_header *header_of(const void *memory)
{
    return (block_header *)((char *)(uintptr_t)memory - sizeof(block_header));
}

static void *fail_memory(pli_context *context, double bytes, const char *what)
{
    (void)PLI_FAIL(context, PLI_ERROR_MEMORY, "out of memory in %s, needed %.0f bytes", what,
                   bytes);
    return NULL;
}

void *pli_allocate(pli_context *context, int64_t count, size_t size, const char *what)
{
    size_t items = count < 0 ? SIZE_MAX : (size_t)count;
    if (size != 0 && items > (SIZE_MAX / 2 - sizeof(block_header)) / size) {
        return fail_memory(context, (double)items * (double)size, what);
    }

    const pli_allocator *allocator = pli_context_allocator(context);
    pli_context_count_allocation(context);
    size_t bytes = items * size;
    block_header *header = allocator->allocate(allocator->user, bytes + sizeof(block_header), what);
    if (header == NULL) return fail_memory(context, (double)bytes, what);

    header->bytes = bytes;
    header->mark = block_mark;
    void *memory = header + 1;
    if (!allocator->clears) memset(memory, 0, bytes);
    return memory;
}

void *pli_reallocate(pli_context *context, void *memory, int64_t count, size_t size,
                     const char *what)
{
    void *larger = pli_allocate(context, count, size, what);
    if (larger == NULL || memory == NULL) return larger;
    size_t kept = pli_memory_size(memory);
    if (kept > pli_memory_size(larger)) kept = pli_memory_size(larger);
    memcpy(larger, memory, kept);
    pli_release(context, memory);
    return larger;
}

pli_status pli_resize(pli_context *context, void *array, int64_t count, size_t size,
                      const char *what)
{
    // pointers of any type have the same form, but may not be looked at as another's
    void *memory;
    memcpy(&memory, array, sizeof memory);
    memory = pli_reallocate(context, memory, count, size, what);
    if (memory == NULL) return PLI_ERROR_MEMORY;
    memcpy(array, &memory, sizeof memory);
    return PLI_OK;
}

void pli_release(pli_context *context, void *memory)
{
    if (memory == NULL) return;
    block_header *header = header_of(memory);
    PLI_ASSERT(context, header->mark == block_mark);
    header->mark = 0;
    const pli_allocator *allocator = pli_context_allocator(context);
    allocator->release(allocator->user, header, header->bytes + sizeof(block_header));
}

void pli_release_all(pli_context *context, void *const *blocks, size_t count)
{
    for (size_t k = 0; k < count; ++k) pli_release(context, blocks[k]);
}

size_t pli_memory_size(const void *memory)
{
    return memory != NULL ? header_of(memory)->bytes : 0;
}

char *pli_string_copy(pli_context *context, const char *text)
{
    size_t length = strlen(text);
    char *copy = PLI_NEW(context, char, (int64_t)length + 1, "text");
    if (copy != NULL) memcpy(copy, text, length + 1);
    return copy;
}
