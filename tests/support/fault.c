// SPDX-License-Identifier: Apache-2.0
#include "support/fault.h"

#include <stdlib.h>

static void *fault_allocate(void *user, size_t bytes, const char *what)
{
    (void)what;
    pli_fault *fault = user;
    ++fault->calls;
    bool hit = fault->fail_at > 0 && (fault->persistent ? fault->calls >= fault->fail_at
                                                        : fault->calls == fault->fail_at);
    if (fault->byte_limit > 0) hit = hit || (int64_t)bytes > fault->byte_limit - fault->live_bytes;
    fault->failures += hit;
    if (hit) return NULL;

    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (memory == NULL) return NULL;
    ++fault->live_blocks;
    fault->live_bytes += (int64_t)bytes;
    if (fault->live_bytes > fault->peak_bytes) fault->peak_bytes = fault->live_bytes;
    return memory;
}

static void fault_release(void *user, void *memory, size_t bytes)
{
    pli_fault *fault = user;
    --fault->live_blocks;
    fault->live_bytes -= (int64_t)bytes;
    free(memory);
}

pli_allocator pli_fault_allocator(pli_fault *fault)
{
    return (pli_allocator){.allocate = fault_allocate, .release = fault_release, .user = fault};
}
