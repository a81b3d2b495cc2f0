// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/dense.h"

#include "base/parallel.h"

#include <string.h>

enum {
    TILE = 64,     // width of a panel and side of an update tile
    STRIP = 8,     // columns that the update kernel treats at once
    TILE_GRAIN = 4 // tiles per block of a parallel loop
};

typedef double lanes4 __attribute__((vector_size(32)));

// The matrix and the panel [first, last) that is being worked on.
typedef struct panel_job {
    int64_t n;
    double *A;
    int64_t first;
    int64_t last;
} panel_job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double dot_short(const double *a, const double *b, int64_t count)
{
    double sums[4] = {0};
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        for (int64_t lane = 0; lane < 4; ++lane) sums[lane] += a[k + lane] * b[k + lane];
    }
    for (; k < count; ++k) sums[0] += a[k] * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Factors the diagonal tile of a panel in place; earlier panels have been subtracted already.
static bool factor_tile(const panel_job *job)
{
    for (int64_t i = job->first; i < job->last; ++i) {
        double *row = job->A + i * job->n;
        for (int64_t j = job->first; j < i; ++j) {
            const double *other = job->A + j * job->n;
            double sum = dot_short(row + job->first, other + job->first, j - job->first);
            row[j] = (row[j] - sum) / other[j];
        }
        double pivot = row[i] - dot_short(row + job->first, row + job->first, i - job->first);
        if (!(pivot > 0) || !isfinite(pivot)) return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

// Rows below the panel: solve X L^T = A for X, row by row.
static void solve_panel_range(void *user, int64_t begin, int64_t end)
{
    const panel_job *job = user;
    for (int64_t i = job->last + begin; i < job->last + end; ++i) {
        double *row = job->A + i * job->n;
        for (int64_t j = job->first; j < job->last; ++j) {
            const double *other = job->A + j * job->n;
            double sum = dot_short(row + job->first, other + job->first, j - job->first);
            row[j] = (row[j] - sum) / other[j];
        }
    }
}

// C[0..3][0..7] -= a[0..3] . strip over depth columns; rows of a and C are n apart, strip is
// [depth][STRIP].
static void update_4x8(int64_t depth, const double *a, const double *strip, double *C, int64_t n)
{
    lanes4 sum[4][2] = {{{0}}};
    for (int64_t k = 0; k < depth; ++k) {
        lanes4 b0;
        lanes4 b1;
        memcpy(&b0, strip + STRIP * k, sizeof b0);
        memcpy(&b1, strip + STRIP * k + 4, sizeof b1);
        for (int i = 0; i < 4; ++i) {
            sum[i][0] += a[i * n + k] * b0;
            sum[i][1] += a[i * n + k] * b1;
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < STRIP; ++j) C[i * n + j] -= sum[i][j / 4][j % 4];
    }
}

// The same for one row, of which only the first column_count columns are meant.
static void update_row(int64_t depth, const double *a, const double *strip, double *C,
                       int64_t column_count)
{
    for (int64_t j = 0; j < column_count; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < depth; ++k) sum += a[k] * strip[STRIP * k + j];
        C[j] -= sum;
    }
}

// strip[k][j] = panel entry of row first_row + j, column k
static void pack_strip(const panel_job *job, int64_t first_row, int64_t row_count, double *strip)
{
    int64_t depth = job->last - job->first;
    for (int64_t j = 0; j < STRIP; ++j) {
        const double *row = job->A + (first_row + smaller(j, row_count - 1)) * job->n + job->first;
        for (int64_t k = 0; k < depth; ++k) strip[STRIP * k + j] = row[k];
    }
}

// Subtracts the panel's product from the tile (i_tile, j_tile) of what remains, up to the diagonal.
static void update_tile(const panel_job *job, int64_t i_tile, int64_t j_tile)
{
    double strip[TILE * STRIP];
    int64_t depth = job->last - job->first;
    int64_t i_first = job->last + i_tile * TILE;
    int64_t i_last = smaller(i_first + TILE, job->n);
    int64_t j_first = job->last + j_tile * TILE;
    int64_t j_last = smaller(j_first + TILE, job->n);
    for (int64_t j = j_first; j < j_last; j += STRIP) {
        int64_t width = smaller(STRIP, j_last - j);
        pack_strip(job, j, width, strip);
        int64_t i = i_first > j ? i_first : j;

        // rows that end inside the strip, one by one
        for (; i < smaller(j + STRIP - 1, i_last); ++i) {
            update_row(depth, job->A + i * job->n + job->first, strip, job->A + i * job->n + j,
                       smaller(width, i - j + 1));
        }
        for (; width == STRIP && i + 4 <= i_last; i += 4) {
            update_4x8(depth, job->A + i * job->n + job->first, strip, job->A + i * job->n + j,
                       job->n);
        }
        for (; i < i_last; ++i) {
            update_row(depth, job->A + i * job->n + job->first, strip, job->A + i * job->n + j,
                       width);
        }
    }
}

// Tiles of the lower triangle in row order: tile t belongs to row i with i (i + 1) / 2 <= t.
static void update_range(void *user, int64_t begin, int64_t end)
{
    const panel_job *job = user;
    for (int64_t t = begin; t < end; ++t) {
        int64_t i = (int64_t)((sqrt(8.0 * (double)t + 1) - 1) / 2);
        while (i * (i + 1) / 2 > t) --i;
        while ((i + 1) * (i + 2) / 2 <= t) ++i;
        update_tile(job, i, t - i * (i + 1) / 2);
    }
}

bool pli_dense_cholesky_factor(const pli_context *context, int32_t n, double *A)
{
    panel_job job = {.n = n, .A = A};
    for (job.first = 0; job.first < n; job.first = job.last) {
        job.last = smaller(job.first + TILE, n);
        if (!factor_tile(&job)) return false;
        int64_t below = n - job.last;
        int64_t tiles = (below + TILE - 1) / TILE;
        pli_parallel_for(context, below, TILE, solve_panel_range, &job);
        pli_parallel_for(context, tiles * (tiles + 1) / 2, TILE_GRAIN, update_range, &job);
    }
    return true;
}

typedef struct solve_job {
    int64_t n;
    const double *L;
    double *x;
} solve_job;

// L y = b by rows, then L^T x = y by subtracting finished rows from what is left.
static void solve_range(void *user, int64_t begin, int64_t end)
{
    const solve_job *job = user;
    int64_t n = job->n;
    for (int64_t rhs = begin; rhs < end; ++rhs) {
        double *x = job->x + rhs * n;
        for (int64_t i = 0; i < n; ++i) {
            const double *row = job->L + i * n;
            x[i] = (x[i] - dot_short(row, x, i)) / row[i];
        }
        for (int64_t i = n - 1; i >= 0; --i) {
            const double *row = job->L + i * n;
            x[i] /= row[i];
            for (int64_t k = 0; k < i; ++k) x[k] -= row[k] * x[i];
        }
    }
}

void pli_dense_cholesky_solve(const pli_context *context, int32_t n, const double *L,
                              int32_t rhs_count, double *x)
{
    solve_job job = {n, L, x};
    pli_parallel_for(context, rhs_count, n < 4 * TILE ? 4 * TILE : 1, solve_range, &job);
}
