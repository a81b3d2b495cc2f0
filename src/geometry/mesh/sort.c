// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/sort.h"

#include "base/memory.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64, CURVE_BITS = 21 };

// One stable pass: to gets the entries of from in the order of one digit of their keys.
static void sort_digit(int64_t count, const uint64_t *keys, int shift, const int32_t *from,
                       int32_t *to)
{
    int64_t start[DIGITS + 1] = {0};
    for (int64_t i = 0; i < count; ++i) ++start[((keys[i] >> shift) & (DIGITS - 1)) + 1];
    for (int d = 0; d < DIGITS; ++d) start[d + 1] += start[d];
    for (int64_t i = 0; i < count; ++i) {
        to[start[(keys[from[i]] >> shift) & (DIGITS - 1)]++] = from[i];
    }
}

void pli_sort_order_in(int64_t count, const uint64_t *keys, int32_t *scratch, int32_t *order)
{
    uint64_t used = 0;
    for (int64_t i = 0; i < count; ++i) {
        order[i] = (int32_t)i;
        used |= keys[i];
    }

    // digits that are zero everywhere need no pass
    int32_t *from = order;
    int32_t *to = scratch;
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        if (((used >> shift) & (DIGITS - 1)) == 0) continue;
        sort_digit(count, keys, shift, from, to);
        int32_t *t = from;
        from = to;
        to = t;
    }
    if (from != order) memcpy(order, from, (size_t)count * sizeof *order);
}

pli_status pli_sort_order(pli_context *context, int64_t count, const uint64_t *keys, int32_t *order)
{
    int32_t *scratch = PLI_NEW(context, int32_t, count, "sort scratch");
    if (scratch == NULL) return PLI_ERROR_MEMORY;
    pli_sort_order_in(count, keys, scratch, order);
    pli_release(context, scratch);
    return PLI_OK;
}

// Turns cell coordinates into the bits of the curve's position, still spread over three words
// (Skilling 2004): undo, from coarse to fine, the swaps and reflections of each octant.
static void axes_to_curve(uint32_t c[3])
{
    const uint32_t top = 1u << (CURVE_BITS - 1);
    for (uint32_t bit = top; bit > 1; bit >>= 1) {
        uint32_t low = bit - 1;
        for (int k = 0; k < 3; ++k) {
            if (c[k] & bit) {
                c[0] ^= low;
            } else {
                uint32_t swap = (c[0] ^ c[k]) & low;
                c[0] ^= swap;
                c[k] ^= swap;
            }
        }
    }
    // Gray code
    c[1] ^= c[0];
    c[2] ^= c[1];
    uint32_t flip = 0;
    for (uint32_t bit = top; bit > 1; bit >>= 1) {
        if (c[2] & bit) flip ^= bit - 1;
    }
    for (int k = 0; k < 3; ++k) c[k] ^= flip;
}

uint64_t pli_hilbert_key(const pli_bounds *bounds, const double x[3])
{
    const double cells = (double)((1u << CURVE_BITS) - 1);
    double longest = pli_bounds_longest(bounds);
    uint32_t c[3];
    for (int k = 0; k < 3; ++k) {
        double t = longest > 0 ? (x[k] - bounds->min[k]) / longest : 0;
        c[k] = (uint32_t)(fmin(fmax(t, 0), 1) * cells);
    }
    axes_to_curve(c);

    uint64_t key = 0;
    for (int bit = CURVE_BITS - 1; bit >= 0; --bit) {
        for (int k = 0; k < 3; ++k) key = key << 1 | ((c[k] >> bit) & 1);
    }
    return key;
}
