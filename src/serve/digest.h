// SPDX-License-Identifier: Apache-2.0
//
// SHA-1 (FIPS 180-4) and base64 (RFC 4648), for the handshake of sockets alone: SHA-1 keeps no
// secret.
#ifndef PLI_SERVE_DIGEST_H
#define PLI_SERVE_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

enum { PLI_SHA1_BYTES = 20 };

void pli_sha1(const void *bytes, int64_t count, uint8_t digest[PLI_SHA1_BYTES]);

// Writes 4 ceil(count / 3) characters and a zero byte.
void pli_base64_encode(const void *bytes, int64_t count, char *text);

// Whether a text is what pli_base64_encode makes of so many bytes.
bool pli_base64_is_of(const char *text, int64_t count);

#endif
