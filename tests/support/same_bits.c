// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"

#include "near.h"

#include "base/hash.h"

bool same_bits_next(same_bits *bits)
{
    if (bits->threads == 1) {
        bits->wanted = bits->count;
        if (!bits->has_content) fail_msg("nothing, or nothing but zeros, was kept to compare");
    } else if (bits->count != bits->wanted) {
        fail_msg("%d threads kept %d things, 1 thread %d", (int)bits->threads, (int)bits->count,
                 (int)bits->wanted);
    }
    bits->threads = bits->threads == 0 ? 1 : 2 * bits->threads;
    bits->count = 0;
    return bits->threads <= 4;
}

void same_bits_keep(same_bits *bits, const void *data, size_t bytes)
{
    int32_t k = bits->count++;
    if (k >= SAME_BITS_MOST) fail_msg("more than %d things are kept", SAME_BITS_MOST);
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, &bytes, sizeof bytes);
    if (bytes > 0) hash = pli_hash_bytes(hash, data, bytes);
    if (bits->threads == 1) {
        bits->hashes[k] = hash;
        for (size_t i = 0; i < bytes && !bits->has_content; ++i) {
            bits->has_content = ((const unsigned char *)data)[i] != 0;
        }
    } else if (k >= bits->wanted || hash != bits->hashes[k]) {
        fail_msg("thing %d of %zu bytes is another with %d threads", (int)k, bytes,
                 (int)bits->threads);
    }
}

void same_bits_keep_double(same_bits *bits, double value)
{
    same_bits_keep(bits, &value, sizeof value);
}

void same_bits_keep_hash(same_bits *bits, uint64_t hash)
{
    same_bits_keep(bits, &hash, sizeof hash);
}
