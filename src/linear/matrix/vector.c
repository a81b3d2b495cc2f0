// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/vector.h"

#include <math.h>
#include <string.h>

// items per block: 64 KiB of each vector, below which a thread costs more than it saves
enum { GRAIN = 8192, LANES = 8, CHUNK = 1024 };

// What the loop bodies work on; the meaning of a field is that of the function that fills it.
typedef struct vector_job {
    double a;
    const double *w;
    const double *p;
    const double *q;
    double *x;
    double *y;
} vector_job;

static double lanes_total(const double lanes[LANES])
{
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
           ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

static void fill_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    for (int64_t i = begin; i < end; ++i) job->x[i] = job->a;
}

void pli_vector_fill(const pli_context *context, int64_t count, double value, double *x)
{
    vector_job job = {.a = value, .x = x};
    pli_parallel_for(context, count, GRAIN, fill_range, &job);
}

static void copy_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    memcpy(job->x + begin, job->p + begin, (size_t)(end - begin) * sizeof(double));
}

void pli_vector_copy(const pli_context *context, int64_t count, const double *from, double *to)
{
    vector_job job = {.p = from, .x = to};
    pli_parallel_for(context, count, GRAIN, copy_range, &job);
}

static void scale_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    double *x = job->x;
    double s = job->a;
    for (int64_t i = begin; i < end; ++i) x[i] *= s;
}

void pli_vector_scale(const pli_context *context, int64_t count, double s, double *x)
{
    vector_job job = {.a = s, .x = x};
    pli_parallel_for(context, count, GRAIN, scale_range, &job);
}

static void axpy_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    const double *restrict x = job->p;
    double *restrict y = job->y;
    double a = job->a;
    for (int64_t i = begin; i < end; ++i) y[i] += a * x[i];
}

void pli_vector_axpy(const pli_context *context, int64_t count, double a, const double *x,
                     double *y)
{
    vector_job job = {.a = a, .p = x, .y = y};
    pli_parallel_for(context, count, GRAIN, axpy_range, &job);
}

static void subtract_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    const double *x = job->p;
    const double *y = job->q;
    double *out = job->x;
    for (int64_t i = begin; i < end; ++i) out[i] = x[i] - y[i];
}

void pli_vector_subtract(const pli_context *context, int64_t count, const double *x,
                         const double *y, double *out)
{
    vector_job job = {.p = x, .q = y, .x = out};
    pli_parallel_for(context, count, GRAIN, subtract_range, &job);
}

double pli_vector_dot_part(int64_t count, const double *x, const double *y)
{
    double lanes[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int64_t k = 0; k < LANES; ++k) lanes[k] += x[i + k] * y[i + k];
    }
    for (int64_t k = 0; i < count; ++i, ++k) lanes[k] += x[i] * y[i];
    return lanes_total(lanes);
}

static pli_sum dot_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    return (pli_sum){pli_vector_dot_part(end - begin, job->p + begin, job->q + begin), 0};
}

double pli_vector_dot(const pli_context *context, int64_t count, const double *x, const double *y)
{
    vector_job job = {.p = x, .q = y};
    return pli_sum_value(pli_parallel_sum(context, count, GRAIN, dot_range, &job));
}

// Chunks stay in the first cache between two loops, which are faster than one that does both.
static pli_sum_pair dots_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    pli_sum_pair sums = {{0, 0}, {0, 0}};
    for (int64_t i = begin; i < end; i += CHUNK) {
        int64_t count = end - i < CHUNK ? end - i : CHUNK;
        pli_sum_add(&sums.first, pli_vector_dot_part(count, job->p + i, job->w + i));
        pli_sum_add(&sums.second, pli_vector_dot_part(count, job->q + i, job->w + i));
    }
    return sums;
}

pli_dots pli_vector_dots(const pli_context *context, int64_t count, const double *x,
                         const double *y, const double *z)
{
    vector_job job = {.p = x, .q = y, .w = z};
    pli_sum_pair sums = pli_parallel_sum_pair(context, count, GRAIN, dots_range, &job);
    return (pli_dots){pli_sum_value(sums.first), pli_sum_value(sums.second)};
}

// By chunks, as above.
static pli_sum axpy_dot_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t i = begin; i < end; i += CHUNK) {
        int64_t count = end - i < CHUNK ? end - i : CHUNK;
        axpy_range(user, i, i + count);
        pli_sum_add(&sum, pli_vector_dot_part(count, job->y + i, job->q + i));
    }
    return sum;
}

double pli_vector_axpy_dot(const pli_context *context, int64_t count, double a, const double *x,
                           double *y, const double *z)
{
    vector_job job = {.a = a, .p = x, .q = z, .y = y};
    return pli_sum_value(pli_parallel_sum(context, count, GRAIN, axpy_dot_range, &job));
}

double pli_vector_norm2(const pli_context *context, int64_t count, const double *x)
{
    return pli_vector_dot(context, count, x, x);
}

double pli_vector_norm(const pli_context *context, int64_t count, const double *x)
{
    return sqrt(pli_vector_norm2(context, count, x));
}

static double max_abs_range(void *user, int64_t begin, int64_t end)
{
    const vector_job *job = user;
    const double *x = job->p;
    double largest = 0;
    for (int64_t i = begin; i < end; ++i) {
        // a NaN must not be hidden by the comparison
        if (!(fabs(x[i]) <= largest)) largest = fabs(x[i]);
        if (isnan(largest)) break;
    }
    return largest;
}

double pli_vector_max_abs(const pli_context *context, int64_t count, const double *x)
{
    if (count <= 0) return 0;
    vector_job job = {.p = x};
    return pli_parallel_max(context, count, GRAIN, max_abs_range, &job);
}
