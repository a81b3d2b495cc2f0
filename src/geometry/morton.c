// SPDX-License-Identifier: Apache-2.0
#include "geometry/morton.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// Spreads 21 bits so that two zero bits follow each.
static uint64_t spread_bits(uint64_t v)
{
    v &= 0x1fffff;
    v = (v | v << 32) & 0x001f00000000ffffULL;
    v = (v | v << 16) & 0x001f0000ff0000ffULL;
    v = (v | v << 8) & 0x100f00f00f00f00fULL;
    v = (v | v << 4) & 0x10c30c30c30c30c3ULL;
    v = (v | v << 2) & 0x1249249249249249ULL;
    return v;
}

uint64_t pli_morton_code(uint32_t x, uint32_t y, uint32_t z)
{
    return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

enum { DIGIT_BITS = 11, DIGIT_COUNT = 1 << DIGIT_BITS, PASS_COUNT = 6 };

typedef struct code_entry {
    uint64_t code;
    int32_t point;
} code_entry;

// One stable pass of a radix sort by the given digit.
static void sort_by_digit(int32_t count, int pass, const code_entry *from, code_entry *to)
{
    int32_t start[DIGIT_COUNT + 1] = {0};
    int shift = pass * DIGIT_BITS;
    for (int32_t i = 0; i < count; ++i) ++start[((from[i].code >> shift) & (DIGIT_COUNT - 1)) + 1];
    for (int k = 0; k < DIGIT_COUNT; ++k) start[k + 1] += start[k];
    for (int32_t i = 0; i < count; ++i) {
        to[start[(from[i].code >> shift) & (DIGIT_COUNT - 1)]++] = from[i];
    }
}

static void fill_codes(int32_t count, const double *points, code_entry *entries)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double extent = 0;
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) low[k] = fmin(low[k], points[3 * (int64_t)i + k]);
    }
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) extent = fmax(extent, points[3 * (int64_t)i + k] - low[k]);
    }
    double scale = extent > 0 ? 0x1fffff / extent : 0;
    for (int32_t i = 0; i < count; ++i) {
        uint32_t q[3];
        for (int k = 0; k < 3; ++k)
            q[k] = (uint32_t)((points[3 * (int64_t)i + k] - low[k]) * scale);
        entries[i] = (code_entry){pli_morton_code(q[0], q[1], q[2]), i};
    }
}

pli_status pli_morton_order(pli_context *context, int32_t count, const double *points,
                            int32_t *order)
{
    pli_status status = PLI_ERROR_MEMORY;
    code_entry *entries = PLI_NEW(context, code_entry, count, "Morton codes");
    code_entry *sorted = PLI_NEW(context, code_entry, count, "sorted Morton codes");
    if (entries == NULL || sorted == NULL) goto done;
    fill_codes(count, points, entries);
    for (int pass = 0; pass < PASS_COUNT; ++pass) {
        sort_by_digit(count, pass, entries, sorted);
        code_entry *swap = entries;
        entries = sorted;
        sorted = swap;
    }
    for (int32_t i = 0; i < count; ++i) order[i] = entries[i].point;
    status = PLI_OK;

done:
    pli_release(context, sorted);
    pli_release(context, entries);
    return status;
}
