// SPDX-License-Identifier: Apache-2.0
#include "serve/digest.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 80 };

static uint32_t turn(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

// The function and the constant of a round.
static uint32_t mix(int round, const uint32_t s[5])
{
    uint32_t b = s[1];
    uint32_t c = s[2];
    uint32_t d = s[3];
    if (round < 20) return ((b & c) | (~b & d)) + 0x5a827999U;
    if (round < 40) return (b ^ c ^ d) + 0x6ed9eba1U;
    if (round < 60) return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
    return (b ^ c ^ d) + 0xca62c1d6U;
}

static void add_block(uint32_t state[5], const uint8_t block[BLOCK])
{
    // the block's words, and more made of them
    uint32_t words[ROUNDS];
    for (int i = 0; i < 16; ++i) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < ROUNDS; ++i) {
        words[i] = turn(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }

    uint32_t s[5];
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; ++i) {
        uint32_t next = turn(s[0], 5) + mix(i, s) + s[4] + words[i];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = turn(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (int i = 0; i < 5; ++i) state[i] += s[i];
}

// The rest, a one bit, zeros, and the length in bits: one block or two.
static void add_end(uint32_t state[5], const uint8_t *rest, int64_t count)
{
    uint8_t tail[2 * BLOCK] = {0};
    int64_t left = count % BLOCK;
    if (left > 0) memcpy(tail, rest, (size_t)left);
    tail[left] = 0x80;
    int64_t size = left + 9 <= BLOCK ? BLOCK : 2 * BLOCK;
    uint64_t bits = (uint64_t)count * 8;
    for (int i = 0; i < 8; ++i) tail[size - 1 - i] = (uint8_t)(bits >> (8 * i));
    for (int64_t at = 0; at < size; at += BLOCK) add_block(state, tail + at);
}

void pli_sha1(const void *bytes, int64_t count, uint8_t digest[PLI_SHA1_BYTES])
{
    uint32_t state[5] = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
    const uint8_t *block = bytes;
    for (int64_t at = 0; at + BLOCK <= count; at += BLOCK) add_block(state, block + at);
    add_end(state, block + count / BLOCK * BLOCK, count);
    for (int i = 0; i < PLI_SHA1_BYTES; ++i)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void pli_base64_encode(const void *bytes, int64_t count, char *text)
{
    const uint8_t *byte = bytes;
    for (int64_t at = 0; at < count; at += 3) {
        int64_t there = count - at < 3 ? count - at : 3;
        uint32_t group = (uint32_t)byte[at] << 16;
        if (there > 1) group |= (uint32_t)byte[at + 1] << 8;
        if (there > 2) group |= byte[at + 2];
        for (int i = 0; i < 4; ++i) {
            *text++ = i <= there ? digits[group >> (18 - 6 * i) & 63] : '=';
        }
    }
    *text = '\0';
}

bool pli_base64_is_of(const char *text, int64_t count)
{
    static const char *const fills[] = {"", "==", "="};
    size_t letters = (size_t)(count / 3 * 4) + (count % 3 == 0 ? 0 : (size_t)(count % 3) + 1);
    return strspn(text, digits) == letters && strcmp(text + letters, fills[count % 3]) == 0;
}
