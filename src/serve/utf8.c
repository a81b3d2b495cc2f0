// SPDX-License-Identifier: Apache-2.0
#include "serve/utf8.h"

// The first byte of a character says how many follow and what the next may be.
static bool begin(pli_utf8 *state, uint8_t byte)
{
    *state = (pli_utf8){0, 0x80, 0xbf};
    if (byte < 0x80) return true;
    if (byte < 0xc2 || byte > 0xf4) return false;
    state->left = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;

    // too long for what they say, surrogates, past the last character
    if (byte == 0xe0) state->low = 0xa0;
    if (byte == 0xed) state->high = 0x9f;
    if (byte == 0xf0) state->low = 0x90;
    if (byte == 0xf4) state->high = 0x8f;
    return true;
}

static bool go_on(pli_utf8 *state, uint8_t byte)
{
    if (byte < state->low || byte > state->high) return false;
    *state = (pli_utf8){state->left - 1, 0x80, 0xbf};
    return true;
}

bool pli_utf8_read(pli_utf8 *state, const void *bytes, int64_t count)
{
    const uint8_t *byte = bytes;
    for (int64_t i = 0; i < count; ++i) {
        bool fits = state->left > 0 ? go_on(state, byte[i]) : begin(state, byte[i]);
        if (!fits) return false;
    }
    return true;
}

bool pli_utf8_is_whole(const void *bytes, int64_t count)
{
    pli_utf8 state = {0};
    return pli_utf8_read(&state, bytes, count) && state.left == 0;
}
