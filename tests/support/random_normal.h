// SPDX-License-Identifier: Apache-2.0
#ifndef PLI_TESTS_RANDOM_NORMAL_H
#define PLI_TESTS_RANDOM_NORMAL_H

#include "base/random.h"

#include <math.h>

// Normal with mean 0 and variance 1 (Box and Muller 1958).
static inline double pli_random_normal(pli_random random, uint64_t index)
{
    double u = 1.0 - pli_random_uniform(random, 2 * index); // in (0, 1]
    double angle = 6.283185307179586 * pli_random_uniform(random, 2 * index + 1);
    return sqrt(-2.0 * log(u)) * cos(angle);
}

#endif
