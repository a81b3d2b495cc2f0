// SPDX-License-Identifier: Apache-2.0
#include "serve/instance.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void pli_instance_make(uint64_t salt, char text[PLI_INSTANCE_CAPACITY])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t facts[4] = {now.tv_sec, now.tv_nsec, getpid(), (int64_t)salt};
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, facts, sizeof facts);
    snprintf(text, PLI_INSTANCE_CAPACITY, "%016" PRIx64, hash);
}
