// SPDX-License-Identifier: Apache-2.0
//
// Smoothers that node_multigrid.h has for comparison (Wang et al. 2020): block Jacobi with a
// weight, and Chebyshev's polynomial of degree 2 in D^-1 A (Adams et al. 2003). Both are for the
// upper three quarters of the spectrum, whose end is estimated by the power method and raised by a
// tenth, because the estimate is from below.
#include "mpm/implicit/node_multigrid_inside.h"

#include "base/parallel.h"
#include "base/random.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"

#include <math.h>

enum { ROW_GRAIN = 256, PRODUCT_GRAIN = 16, POWER_STEPS = 12 };

static const double raise = 1.1;      // of the estimate
static const double lower_end = 0.25; // of the spectrum that is smoothed, relative

// What the loop bodies work on.
typedef struct point_job {
    const pli_node_level *level;
    const double *b;
    const double *x;
    double *y;
    double scale;
    double keep;
} point_job;

static int64_t entry_count(const pli_node_level *level)
{
    return 3 * (int64_t)level->grid->count;
}

// y = keep y + scale D^-1 b
static void add_solved_range(void *user, int64_t begin, int64_t end)
{
    const point_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        double z[3], *y = job->y + 3 * row;
        pli_mat3_apply(job->level->inverse + 9 * row, job->b + 3 * row, z);
        for (int c = 0; c < 3; ++c) y[c] = job->keep * y[c] + job->scale * z[c];
    }
}

static void add_solved(const pli_node_level *level, double scale, const double *b, double keep,
                       double *y)
{
    point_job job = {.level = level, .b = b, .y = y, .scale = scale, .keep = keep};
    pli_parallel_for(level->context, level->grid->count, ROW_GRAIN, add_solved_range, &job);
}

// y = b - A x, or A x without b
static void residual_range(void *user, int64_t begin, int64_t end)
{
    const point_job *job = user;
    pli_ell_multiply_rows(job->level->matrix, job->x, job->y, begin, end);
    if (job->b == NULL) return;
    for (int64_t i = 3 * begin; i < 3 * end; ++i) job->y[i] = job->b[i] - job->y[i];
}

static void compute_residual(const pli_node_level *level, const double *b, const double *x,
                             double *y)
{
    point_job job = {.level = level, .b = b, .x = x, .y = y};
    pli_parallel_for(level->context, level->grid->count, PRODUCT_GRAIN, residual_range, &job);
}

// ---- Jacobi

// The weight that damps both ends of the upper part of the spectrum alike.
static double jacobi_weight(const pli_node_level *level)
{
    return 2 / ((1 + lower_end) * raise * level->largest);
}

static void jacobi_before(const pli_node_level *level, const pli_sweep_masks *masks,
                          const double *b, double *x, double *r)
{
    (void)masks;
    pli_vector_fill(level->context, entry_count(level), 0, x);
    add_solved(level, jacobi_weight(level), b, 0, x);
    compute_residual(level, b, x, r);
}

static void jacobi_after(const pli_node_level *level, const pli_sweep_masks *masks, const double *b,
                         double *x)
{
    (void)masks;
    compute_residual(level, b, x, level->t);
    add_solved(level, jacobi_weight(level), level->t, 1, x);
}

const pli_node_smoother_ops pli_node_jacobi_ops = {
    .needs_largest = true, .before = jacobi_before, .after = jacobi_after};

// ---- Chebyshev

// x += p(D^-1 A) D^-1 r for the residual r = b - A x, which is kept up to date but for the last
// step: two steps of the recurrence of Saad 2003, algorithm 12.1
static void chebyshev_steps(const pli_node_level *level, double *r, double *x)
{
    const pli_context *context = level->context;
    int64_t count = entry_count(level);
    double high = raise * level->largest, low = lower_end * high;
    double middle = 0.5 * (high + low), radius = 0.5 * (high - low);
    double rho = radius / middle, next = 1 / (2 * middle / radius - rho);
    pli_vector_fill(context, count, 0, level->d);
    add_solved(level, 1 / middle, r, 0, level->d);
    pli_vector_axpy(context, count, 1, level->d, x);
    compute_residual(level, NULL, level->d, level->t);
    pli_vector_axpy(context, count, -1, level->t, r);
    add_solved(level, 2 * next / radius, r, next * rho, level->d);
    pli_vector_axpy(context, count, 1, level->d, x);
}

static void chebyshev_before(const pli_node_level *level, const pli_sweep_masks *masks,
                             const double *b, double *x, double *r)
{
    (void)masks;
    const pli_context *context = level->context;
    pli_vector_fill(context, entry_count(level), 0, x);
    pli_vector_copy(context, entry_count(level), b, r);
    chebyshev_steps(level, r, x);
    compute_residual(level, b, x, r);
}

static void chebyshev_after(const pli_node_level *level, const pli_sweep_masks *masks,
                            const double *b, double *x)
{
    (void)masks;
    compute_residual(level, b, x, level->r);
    chebyshev_steps(level, level->r, x);
}

const pli_node_smoother_ops pli_node_chebyshev_ops = {
    .needs_largest = true, .before = chebyshev_before, .after = chebyshev_after};

// ---- the largest eigenvalue

// Rayleigh quotients of A^1/2 D^-1 A^1/2: with q = A v and z = D^-1 q, q.z / q.v
void pli_node_level_estimate(pli_node_level *level)
{
    const pli_context *context = level->context;
    int64_t count = entry_count(level);
    double *v = level->d, *q = level->t, *z = level->r;
    pli_random random = {1, 1};
    for (int64_t i = 0; i < count; ++i) {
        v[i] = pli_random_range(random, (uint64_t)i, -1, 1);
    }
    // nodes that are held do not take part
    pli_vector_copy(context, count, v, q);
    add_solved(level, 1, q, 0, v);
    level->largest = 1;
    for (int32_t step = 0; step < POWER_STEPS; ++step) {
        compute_residual(level, NULL, v, q);
        pli_vector_fill(context, count, 0, z);
        add_solved(level, 1, q, 0, z);
        double energy = pli_vector_dot(context, count, q, v);
        double size = pli_vector_max_abs(context, count, z);
        if (!(energy > 0) || !(size > 0) || !isfinite(size)) return;
        level->largest = pli_vector_dot(context, count, q, z) / energy;
        pli_vector_copy(context, count, z, v);
        pli_vector_scale(context, count, 1 / size, v);
    }
}
