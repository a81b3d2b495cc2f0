// SPDX-License-Identifier: Apache-2.0
//
// A triangle a, b, c as those see it that push along its normal: pressure and cavities.
//
//     A = 1/2 (b - a) x (c - a)            area vector (m^2), along the normal
//     F_i = A / 3                          what a unit pressure from behind does to each corner
//     dF_i/dx_j = 1/6 [e_j]x               with e_a = c - b, e_b = a - c, e_c = b - a
//     S_ij = 1/12 [e_j - e_i]x             the symmetric part of it
//
// Over a closed surface the F_i add up to the gradient of the volume that it encloses, and the
// S_ij to its second derivatives. None of them depends on where the origin is.
#ifndef PLI_FEM_FOLLOWER_H
#define PLI_FEM_FOLLOWER_H

#include "fem/elements.h"
#include "math/vec3.h"

static inline void pli_follower_area(const double a[3], const double b[3], const double c[3],
                                     double A[3])
{
    double ab[3], ac[3];
    pli_vec3_subtract(b, a, ab);
    pli_vec3_subtract(c, a, ac);
    pli_vec3_cross(ab, ac, A);
    pli_vec3_scale(0.5, A, A);
}

// Adds weight S to the blocks of a triangle of a job.
static inline void pli_follower_add_tangent(const pli_element_job *job, int64_t triangle,
                                            double weight, const double a[3], const double b[3],
                                            const double c[3])
{
    const int32_t *slots = job->slots + 9 * triangle;
    double e[3][3];
    pli_vec3_subtract(c, b, e[0]);
    pli_vec3_subtract(a, c, e[1]);
    pli_vec3_subtract(b, a, e[2]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double v[3];
            if (i == j) continue;
            pli_vec3_subtract(e[j], e[i], v);
            pli_vec3_scale(weight / 12, v, v);
            double *block = job->H->values + 9 * (int64_t)slots[3 * i + j];
            block[1] -= v[2];
            block[2] += v[1];
            block[3] += v[2];
            block[5] -= v[0];
            block[6] -= v[1];
            block[7] += v[0];
        }
    }
}

#endif
