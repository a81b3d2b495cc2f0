// SPDX-License-Identifier: Apache-2.0
//
// Counter-based random numbers: value = f(seed, stream, index), with no state to carry, so that any
// worker may draw any number in any order and a checkpoint needs only the seed. Philox 4x32 with
// ten rounds (Salmon et al. 2011).
#ifndef PLI_BASE_RANDOM_H
#define PLI_BASE_RANDOM_H

#include <stdint.h>

typedef struct pli_random {
    uint64_t seed;
    uint64_t stream; // one per use, so that uses do not disturb each other
} pli_random;

// 64 random bits.
uint64_t pli_random_bits(pli_random random, uint64_t index);

// Uniform in [0, 1).
double pli_random_uniform(pli_random random, uint64_t index);

// Uniform in [low, high).
double pli_random_range(pli_random random, uint64_t index, double low, double high);

// Normal with mean 0 and variance 1.
double pli_random_normal(pli_random random, uint64_t index);

#endif
