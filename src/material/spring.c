// SPDX-License-Identifier: Apache-2.0
#include "material/spring.h"

#include "math/simd.h"

#include <string.h>

enum { LANES = PLI_D4_LANES };

// Where four springs are: inputs, and outputs that are wanted.
typedef struct planes {
    int64_t stride; // distance of two planes in doubles
    const double *d;
    const double *stiffness;
    const double *rest_length;
    double *energy;
    double *gradient;
    double *hessian;
} planes;

// k (t I + (1 - t) n n^T)
PLI_INLINE void store_hessian(pli_d4 k, pli_d4 t, const pli_d4 n[3], const planes *at)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            pli_d4 entry = (1.0 - t) * n[i] * n[j];
            if (i == j) entry += t;
            entry *= k;
            pli_d4_store(entry, at->hessian + (3 * i + j) * at->stride);
            if (i != j) pli_d4_store(entry, at->hessian + (3 * j + i) * at->stride);
        }
    }
}

// Exactly four springs. Compiled once, so that a spring has the same bits in any batch.
static __attribute__((noinline)) void evaluate_four(const planes *at, bool projects)
{
    pli_d4 k = pli_d4_load(at->stiffness);
    pli_d4 l = pli_d4_load(at->rest_length);
    pli_d4 d[3];
    pli_d4 n[3];
    for (int i = 0; i < 3; ++i) d[i] = pli_d4_load(at->d + i * at->stride);
    pli_d4 length = pli_d4_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    pli_d4_mask zero = (pli_d4_mask)(length == 0.0);
    pli_d4 inverse = 1.0 / pli_d4_select(zero, pli_d4_broadcast(1), length);
    for (int i = 0; i < 3; ++i) n[i] = d[i] * inverse;

    pli_d4 stretch = length - l;
    if (at->energy != NULL) pli_d4_store(0.5 * k * stretch * stretch, at->energy);
    for (int i = 0; at->gradient != NULL && i < 3; ++i) {
        pli_d4_store(k * stretch * n[i], at->gradient + i * at->stride);
    }
    if (at->hessian != NULL) {
        pli_d4 least = pli_d4_max(1e-6 * l, pli_d4_broadcast(1e-300));
        pli_d4 t = 1.0 - l / pli_d4_max(length, least);
        if (projects) t = pli_d4_max(t, (pli_d4){0});
        store_hessian(k, t, n, at);
    }
}

static void copy(int plane_count, int64_t count, const double *from, int64_t from_stride,
                 double *to, int64_t to_stride)
{
    if (to == NULL) return;
    for (int plane = 0; plane < plane_count; ++plane) {
        memcpy(to + plane * to_stride, from + plane * from_stride, (size_t)count * sizeof *to);
    }
}

// The last count < LANES springs, through a block of their own.
static void evaluate_rest(const planes *at, int64_t count, bool projects)
{
    double d[3 * LANES] = {0};
    double stiffness[LANES] = {0};
    double rest_length[LANES] = {0};
    double energy[LANES];
    double gradient[3 * LANES];
    double hessian[9 * LANES];
    copy(3, count, at->d, at->stride, d, LANES);
    copy(1, count, at->stiffness, at->stride, stiffness, LANES);
    copy(1, count, at->rest_length, at->stride, rest_length, LANES);
    planes staged = {LANES, d, stiffness, rest_length, energy, gradient, hessian};
    evaluate_four(&staged, projects);
    copy(1, count, energy, LANES, at->energy, at->stride);
    copy(3, count, gradient, LANES, at->gradient, at->stride);
    copy(9, count, hessian, LANES, at->hessian, at->stride);
}

void pli_springs_evaluate(const pli_springs *springs, pli_projection projection, double *energy,
                          double *gradient, double *hessian)
{
    bool projects = projection == PLI_TANGENT_PROJECTED;
    for (int64_t begin = 0; begin < springs->count; begin += LANES) {
        int64_t count = springs->count - begin;
        planes at = {springs->count,
                     springs->d + begin,
                     springs->stiffness + begin,
                     springs->rest_length + begin,
                     energy != NULL ? energy + begin : NULL,
                     gradient != NULL ? gradient + begin : NULL,
                     hessian != NULL ? hessian + begin : NULL};
        if (count >= LANES) {
            evaluate_four(&at, projects);
        } else {
            evaluate_rest(&at, count, projects);
        }
    }
}
