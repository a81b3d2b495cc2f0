// SPDX-License-Identifier: Apache-2.0
//
// Particles at the end of a step by backward Euler (Gast et al. 2015, section 6.3):
//
//   y = y_n + h v(y),    v(y) = sum w_i(y) v_i / sum w_i(y)
//
// by Newton's method, whose step is halved as long as the residual grows, 14 times at most. It
// ends, after one step at least, when 1e-4 of a cell are missing or 1e-3 of the way: one step does
// that unless the field bends a lot, and where it is linear exactly. What gets into a place where
// all nodes stand still, as inside of sticky objects, would have to come from there. Sums go over
// the nodes that exist: where matter comes to a place that no particle was near to, some of the
// nodes around are missing, and counting them as nodes at rest would brake it.
//
// Also how fast particles are going to be.
#include "mpm/implicit/cloud_inside.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { CELL_GRAIN = 8, HALVINGS = 14, MOST_STEPS = 20 };

// residuals under which a place is found: in cells, and over that of the start
static const double settled = 1e-4, settled_part = 1e-3;

typedef struct advect_job {
    const pli_cloud *cloud;
    const double *velocity; // [nodes][3] (m/s)
    double h;
} advect_job;

typedef struct field_sample {
    double v[3];        // cells
    double gradient[9]; // of v (-)
} field_sample;

// Weights of one coordinate; lanes are alike.
static void weigh_axis(const pli_cloud *cloud, double f, double w[PLI_SPLINE_WIDTH],
                       double d[PLI_SPLINE_WIDTH])
{
    pli_d4 lanes = {f, f, f, f}, weights[PLI_SPLINE_WIDTH], slopes[PLI_SPLINE_WIDTH];
    PLI_WITH_WIDTH(cloud->spline, pli_spline_weights(width, lanes, weights, slopes));
    for (int32_t k = 0; k < cloud->width; ++k) {
        w[k] = weights[k][0];
        d[k] = slopes[k][0];
    }
}

// h v / dx and its gradient at u (cells from node 0). False: no node is near.
static bool sample_field(const advect_job *job, const double u[3], field_sample *at)
{
    const pli_cloud *cloud = job->cloud;
    double w[3][PLI_SPLINE_WIDTH], d[3][PLI_SPLINE_WIDTH];
    int32_t low[3], nodes[PLI_SPLINE_NODES];
    for (int a = 0; a < 3; ++a) {
        double base = pli_spline_base(cloud->spline, u[a]);
        if (!(base >= 0 && base < PLI_NODE_LIMIT - PLI_SPLINE_WIDTH)) return false;
        low[a] = (int32_t)base;
        weigh_axis(cloud, u[a] - base, w[a], d[a]);
    }
    pli_node_grid_find_box(cloud->nodes, low, cloud->width, nodes);
    double total = 0, slope[3] = {0, 0, 0}, sum[3] = {0, 0, 0}, moment[9] = {0};
    int32_t width = cloud->width;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        if (nodes[n] < 0) continue;
        int32_t i = n / (width * width), j = n / width % width, k = n % width;
        const double *v = job->velocity + 3 * (int64_t)nodes[n];
        double weight = w[0][i] * w[1][j] * w[2][k];
        double g[3] = {d[0][i] * w[1][j] * w[2][k], w[0][i] * d[1][j] * w[2][k],
                       w[0][i] * w[1][j] * d[2][k]};
        total += weight;
        for (int a = 0; a < 3; ++a) {
            slope[a] += g[a];
            sum[a] += weight * v[a];
            for (int b = 0; b < 3; ++b) moment[3 * a + b] += v[a] * g[b];
        }
    }
    if (!(total > 0)) return false;
    double scale = job->h / (cloud->dx * total);
    for (int a = 0; a < 3; ++a) {
        at->v[a] = scale * sum[a];
        for (int b = 0; b < 3; ++b) {
            at->gradient[3 * a + b] = scale * moment[3 * a + b] - at->v[a] * slope[b] / total;
        }
    }
    return true;
}

// r = u - u_n - v(u); returns its length, infinite where there is no field.
static double measure(const advect_job *job, const double start[3], const double u[3],
                      field_sample *at, double r[3])
{
    if (!sample_field(job, u, at)) return INFINITY;
    for (int a = 0; a < 3; ++a) r[a] = u[a] - start[a] - at->v[a];
    return pli_vec3_norm(r);
}

// u <- u - (1 - grad v)^-1 r, as much of it as does not make r longer. Returns the new length.
static double improve(const advect_job *job, const double start[3], double u[3], field_sample *at,
                      double r[3], double length)
{
    double A[9], inverse[9], step[3], trial[3];
    pli_mat3_identity(A);
    for (int e = 0; e < 9; ++e) A[e] -= at->gradient[e];
    double volume = pli_mat3_inverse(A, inverse);
    if (volume != 0 && isfinite(1 / volume)) {
        pli_mat3_apply(inverse, r, step);
    } else {
        pli_vec3_copy(r, step);
    }
    double share = 1, found = INFINITY;
    for (int k = 0; k <= HALVINGS; ++k, share *= 0.5) {
        pli_vec3_add_scaled(u, -share, step, trial);
        found = measure(job, start, trial, at, r);
        if (found <= length) break;
    }
    if (isfinite(found)) pli_vec3_copy(trial, u);
    return found;
}

// Moves u (cells) from where a step begins to where it ends; returns the steps of Newton's method.
static int32_t find_end(const advect_job *job, double u[3])
{
    double start[3], r[3] = {0, 0, 0};
    field_sample at;
    pli_vec3_copy(u, start);
    double length = measure(job, start, u, &at, r), enough = fmax(settled, settled_part * length);
    int32_t steps = 0;
    while (steps < MOST_STEPS && length > (steps == 0 ? 0 : enough) && isfinite(length)) {
        length = improve(job, start, u, &at, r, length);
        ++steps;
    }
    return steps;
}

static pli_sum_pair advect_cells(void *user, int64_t begin, int64_t end)
{
    const advect_job *job = user;
    const pli_cloud *cloud = job->cloud;
    int64_t stride = cloud->slot_room;
    pli_sum_pair counts = {{0, 0}, {0, 0}};
    for (int64_t cell = begin; cell < end; ++cell) {
        const int32_t *base = cloud->cell_base + 3 * cell;
        for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1]; ++slot) {
            if (cloud->row[slot] < 0) continue;
            double u[3];
            for (int a = 0; a < 3; ++a) u[a] = base[a] + cloud->f[a * stride + slot];
            int32_t steps = find_end(job, u);
            for (int a = 0; a < 3; ++a) cloud->f[a * stride + slot] = u[a] - base[a];
            counts.first.hi += steps;
            counts.second.hi += steps > 1;
        }
    }
    return counts;
}

// ---- speed

typedef struct speed_job {
    const pli_cloud *cloud;
    const double *velocity;
} speed_job;

PLI_INLINE double fastest_of_cell(const speed_job *job, int32_t width, int64_t cell)
{
    const pli_cloud *cloud = job->cloud;
    double own[3 * PLI_SPLINE_NODES], most = 0;
    pli_cloud_take(cloud, cell, job->velocity, own);
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1];
         slot += PLI_CLOUD_LANES) {
        pli_cloud_weights at;
        pli_d4 G[9], v[3] = {{0}}, square = {0}, spin = {0};
        pli_cloud_weigh(cloud, width, slot, &at);
        pli_cloud_differentiate(width, &at, own, G);
        for (int n = 0; n < width * width * width; ++n) {
            pli_d4 w =
                at.w[0][n / (width * width)] * at.w[1][n / width % width] * at.w[2][n % width];
            for (int a = 0; a < 3; ++a) v[a] += w * own[3 * n + a];
        }
        for (int a = 0; a < 3; ++a) square += v[a] * v[a];
        for (int e = 0; e < 9; ++e) spin += G[e] * G[e];
        for (int p = 0; p < PLI_CLOUD_LANES; ++p) {
            most = fmax(most, sqrt(square[p]) + 1.5 * sqrt(3 * spin[p]) * cloud->dx);
        }
    }
    return most;
}

static double fastest(void *user, int64_t begin, int64_t end)
{
    const speed_job *job = user;
    double most = 0;
    for (int64_t cell = begin; cell < end; ++cell) {
        PLI_WITH_WIDTH(job->cloud->spline, most = fmax(most, fastest_of_cell(job, width, cell)));
    }
    return most;
}

double pli_cloud_speed(const pli_cloud *cloud, const double *velocity)
{
    speed_job job = {cloud, velocity};
    return pli_parallel_max(cloud->context, cloud->cell_count, CELL_GRAIN, fastest, &job);
}

pli_advect_report pli_cloud_advect(pli_cloud *cloud, const double *velocity, double h)
{
    advect_job job = {cloud, velocity, h};
    pli_sum_pair counts =
        pli_parallel_sum_pair(cloud->context, cloud->cell_count, CELL_GRAIN, advect_cells, &job);
    return (pli_advect_report){(int64_t)counts.first.hi, (int64_t)counts.second.hi};
}
