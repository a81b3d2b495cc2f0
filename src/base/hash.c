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

uint64_t pli_hash_wide(uint64_t hash, const void *bytes, size_t count)
{
    enum { LANES = 8 };
    const unsigned char *at = bytes;
    size_t rounds = count / (LANES * 8);
    uint64_t lanes[LANES];
    for (int k = 0; k < LANES; ++k) lanes[k] = mix(hash + (uint64_t)k);
    for (size_t round = 0; round < rounds; ++round, at += LANES * 8) {
        for (int k = 0; k < LANES; ++k) {
            uint64_t word;
            memcpy(&word, at + 8 * k, 8);
            // multiplying carries bits up, the shift carries them down again
            uint64_t h = (lanes[k] ^ word) * 0x9E3779B97F4A7C15ULL;
            lanes[k] = h ^ h >> 32;
        }
    }
    hash = pli_hash_bytes(hash, lanes, sizeof lanes);
    return pli_hash_bytes(hash, at, count % (LANES * 8));
}
