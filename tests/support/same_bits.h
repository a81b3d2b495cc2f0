// SPDX-License-Identifier: Apache-2.0
//
// The same work with 1, 2 and 4 threads gives the same bits:
//
//     for (same_bits bits = {0}; same_bits_next(&bits);) {
//         pli_context *context = make_context(bits.threads);
//         ...
//         same_bits_keep(&bits, x, n * sizeof *x);
//     }
//
// Runs have to keep as many things of the same sizes, in the same order, and not only zeros.
#ifndef PLI_TESTS_SAME_BITS_H
#define PLI_TESTS_SAME_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAME_BITS_MOST = 512 };

typedef struct same_bits {
    int32_t threads; // of this run
    int32_t count;   // things that this run has kept
    int32_t wanted;  // things that the first run has kept
    bool has_content;
    uint64_t hashes[SAME_BITS_MOST]; // of the things that the first run has kept
} same_bits;

// The next run, or false after the last; the test fails when a run kept less than the first.
bool same_bits_next(same_bits *bits);

// Holds bytes against those of the first run.
void same_bits_keep(same_bits *bits, const void *data, size_t bytes);

// The same for a number or a hash.
void same_bits_keep_double(same_bits *bits, double value);
void same_bits_keep_hash(same_bits *bits, uint64_t hash);

#endif
