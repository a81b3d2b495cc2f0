// SPDX-License-Identifier: Apache-2.0
#include "multilevel/moments.h"

#include "linear/matrix/columns.h"
#include "linear/matrix/vector.h"

#include <math.h>

enum { PANEL = 4 }; // functions that join the basis at a time

// part of a squared length that has to be left by the others of a panel
static const double PANEL_LOSS = 1e-2;

int64_t pli_product_count(int32_t function_count, int32_t degree)
{
    // (n + d choose d), by one factor after the other
    int64_t count = 1;
    for (int32_t d = 1; d <= degree; ++d) count = count * (function_count + d) / d;
    return count;
}

void pli_product_list(int32_t function_count, int32_t degree, pli_product *products)
{
    products[0] = (pli_product){-1, 0};
    int32_t begin = 0;
    int32_t end = 1;
    for (int32_t d = 1; d <= degree; ++d) {
        int32_t count = end;
        for (int32_t parent = begin; parent < end; ++parent) {
            for (int32_t i = products[parent].function; i < function_count; ++i) {
                products[count++] = (pli_product){parent, i};
            }
        }
        begin = end;
        end = count;
    }
}

void pli_product_evaluate(int32_t product_count, const pli_product *products,
                          const double *functions, int64_t stride, double *values)
{
    values[0] = 1;
    for (int32_t k = 1; k < product_count; ++k) {
        values[k] = values[products[k].parent] * functions[stride * products[k].function];
    }
}

static void multiply_rows(int32_t count, const double *restrict x, const double *restrict y,
                          double *restrict out)
{
    for (int32_t i = 0; i < count; ++i) out[i] = x[i] * y[i];
}

void pli_product_evaluate_all(int32_t product_count, const pli_product *products,
                              const double *functions, int32_t point_count, double *rows)
{
    for (int32_t i = 0; i < point_count; ++i) rows[i] = 1;
    for (int64_t k = 1; k < product_count; ++k) {
        multiply_rows(point_count, rows + (int64_t)products[k].parent * point_count,
                      functions + (int64_t)products[k].function * point_count,
                      rows + k * point_count);
    }
}

// ---- independence

static double *span_row(const pli_span *span, int32_t row)
{
    return span->rows + (int64_t)row * span->point_count;
}

static void swap_rows(pli_span *span, int32_t a, int32_t b)
{
    if (a == b) return;
    double *x = span_row(span, a);
    double *y = span_row(span, b);
    for (int32_t i = 0; i < span->point_count; ++i) {
        double kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
    double norm = span->norms[a];
    span->norms[a] = span->norms[b];
    span->norms[b] = norm;
    int32_t number = span->order[a];
    span->order[a] = span->order[b];
    span->order[b] = number;
}

// Rows times the roots of the volumes, so that scalar products are plain ones.
static double scale_rows(pli_span *span)
{
    double volume = 0;
    for (int32_t i = 0; i < span->point_count; ++i) {
        span->roots[i] = sqrt(span->volumes[i]);
        volume += span->volumes[i];
    }
    for (int32_t k = 0; k < span->row_count; ++k) {
        double *row = span_row(span, k);
        for (int32_t i = 0; i < span->point_count; ++i) row[i] *= span->roots[i];
        span->norms[k] = pli_vector_dot_part(span->point_count, row, row);
        span->order[k] = k;
    }
    return volume;
}

// Whether a remainder is larger than the limit somewhere.
static bool is_large(const pli_span *span, int32_t row)
{
    const double *values = span_row(span, row);
    for (int32_t i = 0; i < span->point_count; ++i) {
        if (fabs(values[i]) > span->drop * span->roots[i]) return true;
    }
    return false;
}

// f -= sum of <q, f> q over `count` rows q of the basis from `first` on, with the squared length of
// what remains.
static void subtract_parts(pli_span *span, int32_t first, int32_t count, int32_t row)
{
    double s[PANEL];
    double *f = span_row(span, row);
    pli_columns_dot(span->point_count, count, span_row(span, first), f, s);
    pli_columns_subtract(span->point_count, count, span_row(span, first), s, f);
    span->norms[row] = pli_vector_dot_part(span->point_count, f, f);
}

static void normalize_row(pli_span *span, int32_t row)
{
    double *f = span_row(span, row);
    double scale = 1 / sqrt(span->norms[row]);
    for (int32_t i = 0; i < span->point_count; ++i) f[i] *= scale;
}

static int32_t longest_row(const pli_span *span, int32_t begin, int32_t end)
{
    int32_t best = begin;
    for (int32_t k = begin + 1; k < end; ++k) {
        if (span->norms[k] > span->norms[best]) best = k;
    }
    return best;
}

// Moves the longest of the remainders to the basis, a few at a time, so that the others are read
// once for all of them: as long as they are not mostly made of each other. Returns how many.
static int32_t choose_panel(pli_span *span, int32_t rank, int32_t end)
{
    int32_t width = 0;
    int32_t most = span->point_count - rank;
    if (most > end - rank) most = end - rank;
    if (most > PANEL) most = PANEL;
    for (; width < most; ++width) {
        int32_t next = rank + width;
        int32_t best = next > 0 ? longest_row(span, next, end) : 0;
        double before = span->norms[best];
        if (width > 0) subtract_parts(span, rank, width, best);
        if (span->norms[best] < PANEL_LOSS * before) break;
        swap_rows(span, next, best);
        normalize_row(span, next);
    }
    return width;
}

int32_t pli_span_build(pli_span *span)
{
    // under this squared length a remainder may be small everywhere, over it it is not
    double suspect = span->drop * span->drop * scale_rows(span);
    int32_t rank = 0;
    int32_t end = span->row_count; // rows behind it have nothing left
    while (rank < end && rank < span->point_count) {
        int32_t width = choose_panel(span, rank, end);
        rank += width;
        if (span->most > 0 && rank >= span->most) return span->most;
        for (int32_t k = end - 1; k >= rank; --k) {
            subtract_parts(span, rank - width, width, k);
            if (span->norms[k] > suspect || is_large(span, k)) continue;
            swap_rows(span, k, --end);
        }
    }
    // back to values at the points
    for (int32_t k = 0; k < rank; ++k) {
        double *row = span_row(span, k);
        for (int32_t i = 0; i < span->point_count; ++i) row[i] /= span->roots[i];
    }
    return rank;
}
