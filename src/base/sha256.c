// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <string.h>

enum { ROUNDS = 64 };

// fractional parts of the cube roots of the first 64 primes
static const uint32_t constants[ROUNDS] = {
    0x428a2f98U, 0x71374491U, 0xb5c0fbcfU, 0xe9b5dba5U, 0x3956c25bU, 0x59f111f1U, 0x923f82a4U,
    0xab1c5ed5U, 0xd807aa98U, 0x12835b01U, 0x243185beU, 0x550c7dc3U, 0x72be5d74U, 0x80deb1feU,
    0x9bdc06a7U, 0xc19bf174U, 0xe49b69c1U, 0xefbe4786U, 0x0fc19dc6U, 0x240ca1ccU, 0x2de92c6fU,
    0x4a7484aaU, 0x5cb0a9dcU, 0x76f988daU, 0x983e5152U, 0xa831c66dU, 0xb00327c8U, 0xbf597fc7U,
    0xc6e00bf3U, 0xd5a79147U, 0x06ca6351U, 0x14292967U, 0x27b70a85U, 0x2e1b2138U, 0x4d2c6dfcU,
    0x53380d13U, 0x650a7354U, 0x766a0abbU, 0x81c2c92eU, 0x92722c85U, 0xa2bfe8a1U, 0xa81a664bU,
    0xc24b8b70U, 0xc76c51a3U, 0xd192e819U, 0xd6990624U, 0xf40e3585U, 0x106aa070U, 0x19a4c116U,
    0x1e376c08U, 0x2748774cU, 0x34b0bcb5U, 0x391c0cb3U, 0x4ed8aa4aU, 0x5b9cca4fU, 0x682e6ff3U,
    0x748f82eeU, 0x78a5636fU, 0x84c87814U, 0x8cc70208U, 0x90befffaU, 0xa4506cebU, 0xbef9a3f7U,
    0xc67178f2U,
};

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

// The block's words, and more made of them.
static void expand(const uint8_t block[PLI_SHA256_BLOCK], uint32_t words[ROUNDS])
{
    for (int i = 0; i < 16; ++i) {
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < ROUNDS; ++i) {
        uint32_t a = words[i - 15];
        uint32_t b = words[i - 2];
        words[i] = words[i - 16] + words[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
                   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

static void add_block(uint32_t state[8], const uint8_t block[PLI_SHA256_BLOCK])
{
    uint32_t words[ROUNDS];
    uint32_t s[8];
    expand(block, words);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < ROUNDS; ++i) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice +
                         constants[i] + words[i];
        uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; ++i) state[i] += s[i];
}

void pli_sha256_init(pli_sha256 *hash)
{
    // fractional parts of the square roots of the first eight primes
    *hash = (pli_sha256){.state = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU, 0x510e527fU,
                                   0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U}};
}

void pli_sha256_add(pli_sha256 *hash, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    size_t used = hash->count % PLI_SHA256_BLOCK;
    hash->count += count;
    if (used > 0) {
        size_t taken = PLI_SHA256_BLOCK - used < count ? PLI_SHA256_BLOCK - used : count;
        memcpy(hash->rest + used, at, taken);
        if (used + taken < PLI_SHA256_BLOCK) return;
        add_block(hash->state, hash->rest);
        at += taken;
        count -= taken;
    }
    for (; count >= PLI_SHA256_BLOCK; count -= PLI_SHA256_BLOCK, at += PLI_SHA256_BLOCK) {
        add_block(hash->state, at);
    }
    if (count > 0) memcpy(hash->rest, at, count);
}

void pli_sha256_end(pli_sha256 *hash, uint8_t digest[PLI_SHA256_BYTES])
{
    // a one bit, zeros, and the length in bits fill the last block
    static const uint8_t padding[PLI_SHA256_BLOCK] = {0x80};
    uint64_t bits = hash->count * 8;
    size_t used = hash->count % PLI_SHA256_BLOCK;
    uint8_t length[8];
    for (int i = 0; i < 8; ++i) length[i] = (uint8_t)(bits >> (56 - 8 * i));
    pli_sha256_add(hash, padding, used < 56 ? 56 - used : 120 - used);
    pli_sha256_add(hash, length, sizeof length);
    for (int i = 0; i < PLI_SHA256_BYTES; ++i) {
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - i % 4 * 8));
    }
}

static void mask(const uint8_t key[PLI_SHA256_BLOCK], uint8_t with,
                 uint8_t masked[PLI_SHA256_BLOCK])
{
    for (int i = 0; i < PLI_SHA256_BLOCK; ++i) masked[i] = key[i] ^ with;
}

void pli_hmac_init(pli_hmac *mac, const uint8_t key[PLI_SHA256_BYTES])
{
    uint8_t block[PLI_SHA256_BLOCK];
    memset(mac->key, 0, sizeof mac->key);
    memcpy(mac->key, key, PLI_SHA256_BYTES);
    mask(mac->key, 0x36, block);
    pli_sha256_init(&mac->inner);
    pli_sha256_add(&mac->inner, block, sizeof block);
}

void pli_hmac_add(pli_hmac *mac, const void *bytes, size_t count)
{
    pli_sha256_add(&mac->inner, bytes, count);
}

void pli_hmac_end(pli_hmac *mac, uint8_t digest[PLI_SHA256_BYTES])
{
    uint8_t block[PLI_SHA256_BLOCK];
    uint8_t inner[PLI_SHA256_BYTES];
    pli_sha256 outer;
    pli_sha256_end(&mac->inner, inner);
    mask(mac->key, 0x5c, block);
    pli_sha256_init(&outer);
    pli_sha256_add(&outer, block, sizeof block);
    pli_sha256_add(&outer, inner, sizeof inner);
    pli_sha256_end(&outer, digest);
}

bool pli_digest_is_same(const uint8_t a[PLI_SHA256_BYTES], const uint8_t b[PLI_SHA256_BYTES])
{
    uint8_t difference = 0;
    for (int i = 0; i < PLI_SHA256_BYTES; ++i) difference = (uint8_t)(difference | (a[i] ^ b[i]));
    return difference == 0;
}
