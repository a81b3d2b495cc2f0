// SPDX-License-Identifier: Apache-2.0
//
// Matrices of every kind that is hard for one way to find their nearest rotation or another.
#ifndef PLI_TESTS_HARD_MATRICES_H
#define PLI_TESTS_HARD_MATRICES_H

#include "near.h"

#include "base/random.h"
#include "math/mat3.h"

enum { KIND_COUNT = 12, PER_KIND = 512, TOTAL = KIND_COUNT * PER_KIND };

static inline void random_rotation(uint64_t stream, double Q[9])
{
    pli_random random = {.seed = 21, .stream = stream};
    double axis[3];
    for (uint64_t k = 0; k < 3; ++k) axis[k] = pli_random_normal(random, k);
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, pli_random_range(random, 3, -3.2, 3.2), Q);
}

// Singular values of a kind of hard matrix, by a number of its stream.
static inline void choose_stretches(int kind, pli_random random, double s[3])
{
    double small = pow(10, -8 * pli_random_uniform(random, 10));
    for (uint64_t k = 0; k < 3; ++k) s[k] = pli_random_range(random, 20 + k, 0.2, 2);
    switch (kind) {
    case 0: s[0] = s[1] = s[2] = 1; break;                     // rotations
    case 1: s[2] = -s[2]; break;                               // reflections
    case 2: s[2] = small - s[1]; break;                        // nearly no nearest rotation
    case 3: s[1] *= small, s[2] *= small; break;               // nearly a line
    case 4: s[2] *= small; break;                              // nearly flat
    case 5: s[0] = s[1] = s[2] = -s[0]; break;                 // point reflections
    case 6: s[1] = s[2] = 0; break;                            // lines
    case 7: s[0] = s[1] = s[2] = 0; break;                     // nothing
    case 8: s[1] = s[0] * (1 + small), s[2] = s[0]; break;     // nearly equal stretches
    case 9: s[0] *= 1 / small, s[1] *= sqrt(1 / small); break; // long and thin
    default: break;
    }
}

// The matrix of a number: its kind by the remainder. Those that are scaled get factors from
// 10^-decades to 10^decades.
static inline void make_hard(int index, double decades, double F[9])
{
    pli_random random = {.seed = 22, .stream = (uint64_t)index};
    int kind = index % KIND_COUNT;
    double A[9];
    double B[9];
    double s[3];
    double product[9];
    random_rotation(2 * (uint64_t)index, A);
    random_rotation(2 * (uint64_t)index + 1, B);
    choose_stretches(kind, random, s);
    for (int k = 0; k < 9; ++k) A[k] *= s[k % 3];
    pli_mat3_multiply_transposed_right(A, B, product);
    // the last two kinds are scaled to the ends of the format, and small integers
    double scale = kind == 10 ? pow(10, pli_random_range(random, 11, -decades, decades)) : 1;
    for (uint64_t k = 0; k < 9; ++k) {
        F[k] = scale * product[k];
        if (kind == 11) F[k] = floor(pli_random_range(random, 30 + k, -1, 2));
    }
}

#endif
