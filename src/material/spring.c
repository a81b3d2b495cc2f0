// SPDX-License-Identifier: Apache-2.0
#include "material/spring.h"

#include "math/simd.h"

// Four springs.
typedef struct quad {
    pli_d4 k;
    pli_d4 l;
    pli_d4 length;
    pli_d4 n[3];
} quad;

static inline void load(const pli_springs *springs, int64_t begin, quad *out)
{
    int64_t count = springs->count - begin;
    pli_d4 d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = pli_d4_load_some(springs->d + i * (int64_t)springs->count + begin, count);
    }
    out->k = pli_d4_load_some(springs->stiffness + begin, count);
    out->l = pli_d4_load_some(springs->rest_length + begin, count);
    out->length = pli_d4_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    pli_d4_mask zero = (pli_d4_mask)(out->length == 0.0);
    pli_d4 inverse = 1.0 / pli_d4_select(zero, pli_d4_broadcast(1), out->length);
    for (int i = 0; i < 3; ++i) out->n[i] = d[i] * inverse;
}

// k (t I + (1 - t) n n^T)
static inline void store_hessian(const quad *q, bool projects, int64_t stride, int64_t count,
                                 double *hessian)
{
    pli_d4 least = pli_d4_max(1e-6 * q->l, pli_d4_broadcast(1e-300));
    pli_d4 t = 1.0 - q->l / pli_d4_max(q->length, least);
    if (projects) t = pli_d4_max(t, (pli_d4){0});
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            pli_d4 entry = (1.0 - t) * q->n[i] * q->n[j];
            if (i == j) entry += t;
            entry *= q->k;
            pli_d4_store_some(entry, hessian + (3 * i + j) * stride, count);
            if (i != j) pli_d4_store_some(entry, hessian + (3 * j + i) * stride, count);
        }
    }
}

void pli_springs_evaluate(const pli_springs *springs, pli_projection projection, double *energy,
                          double *gradient, double *hessian)
{
    int64_t stride = springs->count;
    for (int64_t begin = 0; begin < stride; begin += PLI_D4_LANES) {
        int64_t count = stride - begin;
        quad q;
        load(springs, begin, &q);
        pli_d4 stretch = q.length - q.l;
        if (energy != NULL) {
            pli_d4_store_some(0.5 * q.k * stretch * stretch, energy + begin, count);
        }
        if (gradient != NULL) {
            for (int i = 0; i < 3; ++i) {
                pli_d4_store_some(q.k * stretch * q.n[i], gradient + i * stride + begin, count);
            }
        }
        if (hessian != NULL) {
            bool projects = projection == PLI_TANGENT_PROJECTED;
            store_hessian(&q, projects, stride, count, hessian + begin);
        }
    }
}
