// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104), for telling contents apart that somebody may
// have made to look alike. base/hash.h is faster and finds accidents only.
#ifndef PLI_BASE_SHA256_H
#define PLI_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLI_SHA256_BYTES = 32, PLI_SHA256_BLOCK = 64 };

typedef struct pli_sha256 {
    uint32_t state[8];
    uint64_t count;                 // bytes so far
    uint8_t rest[PLI_SHA256_BLOCK]; // bytes that fill no block yet
} pli_sha256;

// The result depends on the bytes alone, not on how they are cut into calls.
void pli_sha256_init(pli_sha256 *hash);
void pli_sha256_add(pli_sha256 *hash, const void *bytes, size_t count);
void pli_sha256_end(pli_sha256 *hash, uint8_t digest[PLI_SHA256_BYTES]);

typedef struct pli_hmac {
    pli_sha256 inner;
    uint8_t key[PLI_SHA256_BLOCK];
} pli_hmac;

// Authenticates bytes by a key of PLI_SHA256_BYTES: who does not have it cannot make the digest.
void pli_hmac_init(pli_hmac *mac, const uint8_t key[PLI_SHA256_BYTES]);
void pli_hmac_add(pli_hmac *mac, const void *bytes, size_t count);
void pli_hmac_end(pli_hmac *mac, uint8_t digest[PLI_SHA256_BYTES]);

// Compares two digests in a time that does not tell where they differ.
bool pli_digest_is_same(const uint8_t a[PLI_SHA256_BYTES], const uint8_t b[PLI_SHA256_BYTES]);

#endif
