// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov/low_rank.h"

#include "base/memory.h"
#include "linear/matrix/vector.h"

#include <math.h>

pli_status pli_low_rank_create(pli_context *context, int64_t size, int32_t capacity,
                               pli_low_rank **part)
{
    *part = NULL;
    pli_low_rank *made = PLI_NEW(context, pli_low_rank, 1, "low-rank matrix");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_low_rank){.context = context, .size = size, .capacity = capacity};
    made->weights = PLI_NEW(context, double, capacity, "low-rank matrix");
    made->vectors = PLI_NEW(context, double, size *capacity, "low-rank matrix");
    made->solved = PLI_NEW(context, double, size *capacity, "low-rank matrix");
    made->factor = PLI_NEW(context, double, (int64_t)capacity *capacity, "low-rank matrix");
    made->scratch = PLI_NEW(context, double, capacity, "low-rank matrix");
    bool complete = made->weights != NULL && made->vectors != NULL && made->solved != NULL &&
                    made->factor != NULL && made->scratch != NULL;
    if (!complete) {
        pli_low_rank_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    *part = made;
    return PLI_OK;
}

void pli_low_rank_destroy(pli_low_rank *part)
{
    if (part == NULL) return;
    pli_context *context = part->context;
    PLI_RELEASE(context, part->scratch, part->factor, part->solved, part->vectors, part->weights,
                part);
}

void pli_low_rank_clear(pli_low_rank *part)
{
    part->count = 0;
}

static double *vector_of(const pli_low_rank *part, int32_t k)
{
    return part->vectors + k * part->size;
}

static double *solved_of(const pli_low_rank *part, int32_t k)
{
    return part->solved + k * part->size;
}

double *pli_low_rank_add(pli_low_rank *part, double weight)
{
    PLI_ASSERT(part->context, part->count < part->capacity && weight > 0);
    double *vector = vector_of(part, part->count);
    part->weights[part->count++] = weight;
    pli_vector_fill(part->context, part->size, 0, vector);
    return vector;
}

void pli_low_rank_multiply_add(const pli_low_rank *part, const double *x, double *y)
{
    for (int32_t k = 0; k < part->count; ++k) {
        const double *u = vector_of(part, k);
        double along = pli_vector_dot(part->context, part->size, u, x);
        pli_vector_axpy(part->context, part->size, part->weights[k] * along, u, y);
    }
}

// L with L L^T = C in the lower triangle of `factor` [n][capacity]; false: C is not positive.
static bool factor_small(pli_low_rank *part)
{
    int32_t n = part->count;
    for (int32_t i = 0; i < n; ++i) {
        double *row = part->factor + (int64_t)i * part->capacity;
        for (int32_t j = 0; j <= i; ++j) {
            const double *other = part->factor + (int64_t)j * part->capacity;
            double sum = row[j];
            for (int32_t k = 0; k < j; ++k) sum -= row[k] * other[k];
            if (j == i && !(sum > 0 && isfinite(sum))) return false;
            row[j] = j == i ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

pli_status pli_low_rank_build(pli_low_rank *part, pli_low_rank_solve solve, void *user,
                              bool *definite)
{
    *definite = false;
    for (int32_t k = 0; k < part->count; ++k) {
        PLI_TRY(solve(user, vector_of(part, k), solved_of(part, k)));
    }
    for (int32_t i = 0; i < part->count; ++i) {
        double *row = part->factor + (int64_t)i * part->capacity;
        for (int32_t j = 0; j <= i; ++j) {
            row[j] =
                pli_vector_dot(part->context, part->size, vector_of(part, i), solved_of(part, j));
        }
        row[i] += 1 / part->weights[i];
    }
    *definite = factor_small(part);
    return PLI_OK;
}

void pli_low_rank_correct(const pli_low_rank *part, double *y)
{
    // c = (W^-1 + U^T Z)^-1 U^T y; U^T y is Z^T b, since B is symmetric
    double *c = part->scratch;
    for (int32_t i = 0; i < part->count; ++i) {
        const double *row = part->factor + (int64_t)i * part->capacity;
        double sum = pli_vector_dot(part->context, part->size, vector_of(part, i), y);
        for (int32_t k = 0; k < i; ++k) sum -= row[k] * c[k];
        c[i] = sum / row[i];
    }
    for (int32_t i = part->count - 1; i >= 0; --i) {
        double sum = c[i];
        for (int32_t k = i + 1; k < part->count; ++k) {
            sum -= part->factor[(int64_t)k * part->capacity + i] * c[k];
        }
        c[i] = sum / part->factor[(int64_t)i * part->capacity + i];
    }
    for (int32_t k = 0; k < part->count; ++k) {
        pli_vector_axpy(part->context, part->size, -c[k], solved_of(part, k), y);
    }
}
