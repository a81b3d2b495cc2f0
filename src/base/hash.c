// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <string.h>

// finaliser of MurmurHash3 (Appleby): every input bit reaches every output bit
static uint64_t mix(uint64_t h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ULL;
    h ^= h >> 33;
    return h;
}

uint64_t pli_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    hash ^= count * 0x9E3779B97F4A7C15ULL;
    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = mix(hash ^ word);
    }
    uint64_t tail = 0;
    if (count > 0) memcpy(&tail, at, count);
    return mix(hash ^ tail);
}
