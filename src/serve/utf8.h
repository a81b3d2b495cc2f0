// SPDX-License-Identifier: Apache-2.0
//
// Whether bytes are UTF-8 (RFC 3629), piece by piece: no surrogates, nothing longer than needed,
// nothing above U+10FFFF.
#ifndef PLI_SERVE_UTF8_H
#define PLI_SERVE_UTF8_H

#include <stdbool.h>
#include <stdint.h>

// All zero: between two characters.
typedef struct pli_utf8 {
    int32_t left; // bytes that are missing of the current character
    uint8_t low;  // range of the next of them; only the first has one of its own
    uint8_t high;
} pli_utf8;

// Looks at further bytes; false: no continuation makes this UTF-8.
bool pli_utf8_read(pli_utf8 *state, const void *bytes, int64_t count);

// The whole text, with no character cut at its end.
bool pli_utf8_is_whole(const void *bytes, int64_t count);

#endif
