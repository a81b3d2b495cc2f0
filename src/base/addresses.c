// SPDX-License-Identifier: Apache-2.0
#include "base/addresses.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *pli_addresses_reserve(int64_t bytes, pli_addresses_use use)
{
    if (bytes < 1) return NULL;
    void *range = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) return NULL;
    // advice may be refused without harm
    (void)madvise(range, (size_t)bytes,
                  use == PLI_ADDRESSES_DENSE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return range;
}

void pli_addresses_release(void *range, int64_t bytes)
{
    if (range != NULL) (void)munmap(range, (size_t)bytes);
}

void pli_addresses_discard(void *part, int64_t bytes)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    bool is_whole = (int64_t)((uintptr_t)part % (uintptr_t)page) == 0 && bytes % page == 0;
    if (is_whole && madvise(part, (size_t)bytes, MADV_DONTNEED) == 0) return;
    memset(part, 0, (size_t)bytes);
}

int64_t pli_addresses_touched(const void *part, int64_t bytes)
{
    enum { PAGES_AT_ONCE = 4096 };
    unsigned char states[PAGES_AT_ONCE];
    int64_t page = sysconf(_SC_PAGESIZE);

    // whole pages that cover the part
    int64_t before = (int64_t)((uintptr_t)part % (uintptr_t)page);
    char *begin = (char *)(uintptr_t)part - before;
    int64_t page_count = (before + bytes + page - 1) / page;

    int64_t touched = 0;
    for (int64_t first = 0; first < page_count; first += PAGES_AT_ONCE) {
        int64_t count = page_count - first;
        if (count > PAGES_AT_ONCE) count = PAGES_AT_ONCE;
        if (mincore(begin + first * page, (size_t)(count * page), states) != 0) continue;
        for (int64_t k = 0; k < count; ++k) touched += states[k] & 1;
    }
    return touched * page;
}
