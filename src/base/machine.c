// SPDX-License-Identifier: Apache-2.0
#include "base/machine.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t installed_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX;
}

static int64_t address_limit(void)
{
    struct rlimit limit;
    bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
                      limit.rlim_cur < INT64_MAX;
    return is_limited ? (int64_t)limit.rlim_cur : INT64_MAX;
}

// The number in a file of the kernel's, which holds a word where there is no limit.
static int64_t group_limit(const char *path)
{
    long long bytes = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL) return INT64_MAX;
    bool is_limited = fscanf(file, "%lld", &bytes) == 1 && bytes > 0;
    (void)fclose(file);
    return is_limited ? (int64_t)bytes : INT64_MAX;
}

int64_t pli_machine_memory(void)
{
    int64_t bytes = smaller(installed_memory(), address_limit());
    bytes = smaller(bytes, group_limit("/sys/fs/cgroup/memory.max"));
    return smaller(bytes, group_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
}
