// SPDX-License-Identifier: Apache-2.0
#include "contact/halfspaces.h"

#include "math/mat3.h"

// squared sine of the angle below which two normals count as parallel; of three, the squared volume
static const double dependent = 1e-10;

bool pli_halfspaces_invert(const pli_halfspaces *h, int32_t count, const int32_t *index,
                           double inverse[9])
{
    double gram[9];
    pli_mat3_identity(gram);
    double size = 1;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t j = 0; j < count; ++j) {
            gram[3 * i + j] = pli_vec3_dot(h->a[index[i]], h->a[index[j]]);
        }
        size *= gram[4 * i];
    }
    double determinant = pli_mat3_inverse(gram, inverse);
    return determinant > dependent * size;
}

// Holds the chosen ones with equality; false when they depend on each other, when a multiplier has
// the wrong sign or when another inequality is violated.
static bool try_subset(const pli_halfspaces *h, double tolerance, pli_nearest *nearest)
{
    if (!pli_halfspaces_invert(h, nearest->count, nearest->index, nearest->inverse)) return false;
    double b[3] = {0, 0, 0};
    for (int32_t i = 0; i < nearest->count; ++i) b[i] = -h->b[nearest->index[i]];
    pli_mat3_apply(nearest->inverse, b, nearest->y);
    pli_vec3_set(0, 0, 0, nearest->step);
    for (int32_t i = 0; i < nearest->count; ++i) {
        int32_t k = nearest->index[i];
        if (k >= h->equal_count && !(nearest->y[i] >= 0)) return false;
        pli_vec3_add_scaled(nearest->step, nearest->y[i], h->a[k], nearest->step);
    }
    for (int32_t k = h->equal_count; k < h->count; ++k) {
        if (!(pli_vec3_dot(h->a[k], nearest->step) + h->b[k] >= -tolerance)) return false;
    }
    return true;
}

// The next subset of the same size in lexicographic order, the first `kept` members staying; false
// after the last.
static bool next_subset(int32_t count, int32_t kept, pli_nearest *nearest)
{
    int32_t *index = nearest->index;
    int32_t i = nearest->count - 1;
    while (i >= kept && index[i] == count - nearest->count + i) --i;
    if (i < kept) return false;
    ++index[i];
    for (int32_t j = i + 1; j < nearest->count; ++j) index[j] = index[j - 1] + 1;
    return true;
}

bool pli_halfspaces_solve(const pli_halfspaces *h, double tolerance, pli_nearest *nearest)
{
    int32_t most = h->count < 3 ? h->count : 3;
    for (int32_t size = h->equal_count; size <= most; ++size) {
        *nearest = (pli_nearest){.count = size};
        for (int32_t i = 0; i < size; ++i) nearest->index[i] = i;
        do {
            if (try_subset(h, tolerance, nearest)) return true;
        } while (next_subset(h->count, h->equal_count, nearest));
    }
    *nearest = (pli_nearest){0};
    return false;
}
