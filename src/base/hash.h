// SPDX-License-Identifier: Apache-2.0
//
// 64-bit hash of bytes, for comparing states and detecting damaged files; not for security.
#ifndef PLI_BASE_HASH_H
#define PLI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PLI_HASH_START 0xcbf29ce484222325ULL

// Continues a hash with more bytes; start with PLI_HASH_START. The result depends on the bytes and
// on how they are cut into calls.
uint64_t pli_hash_bytes(uint64_t hash, const void *bytes, size_t count);

// The same with other values, eight words side by side: as fast as memory is, for long arrays.
uint64_t pli_hash_wide(uint64_t hash, const void *bytes, size_t count);

#endif
