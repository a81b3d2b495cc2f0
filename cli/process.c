// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 256 };

void pli_cli_open_standard_streams(void)
{
    for (int descriptor = 0; descriptor <= 2; ++descriptor) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        // the wrong direction on purpose: using the stream fails, as if it were still closed
        int opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
        if (opened >= 0 && opened != descriptor) close(opened);
    }
}

static bool own_path(char *path, size_t capacity)
{
    ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    return true;
}

void pli_cli_calm_threads(char *const *values)
{
    char path[4096];
    if (getenv("OMP_WAIT_POLICY") != NULL || !own_path(path, sizeof path)) return;
    if (setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
    if (setenv("OPENBLAS_NUM_THREADS", "1", 0) != 0) return;
    // when this fails the program goes on as it is: slower, but right
    execv(path, values);
}

int32_t pli_cli_processor_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    int count = CPU_COUNT(&allowed);
    return count < 1 ? 1 : count > MAX_THREADS ? MAX_THREADS : count;
}

int32_t pli_cli_thread_count(const pli_cli_arguments *arguments)
{
    if (arguments->threads.given) return arguments->threads.value;
    // a list has one number per level of nesting, and ours is the first
    const char *wanted = getenv("OMP_NUM_THREADS");
    long count = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
    if (count < 1) return pli_cli_processor_count();
    return count > MAX_THREADS ? MAX_THREADS : (int32_t)count;
}

bool pli_cli_path_beside(const char *name, char *path, size_t capacity)
{
    if (!own_path(path, capacity)) return false;
    char *slash = strrchr(path, '/');
    if (slash == NULL) return false;
    size_t room = capacity - (size_t)(slash + 1 - path);
    return (size_t)snprintf(slash + 1, room, "%s", name) < room;
}
