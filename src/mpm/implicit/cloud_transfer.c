// SPDX-License-Identifier: Apache-2.0
//
// Mass, momentum and velocity between particles and nodes, and back to whoever keeps particles.
#include "mpm/implicit/cloud_inside.h"

#include "base/parallel.h"

enum { CELL_GRAIN = 8 };

// ---- to nodes

typedef struct scatter_job {
    pli_cloud *cloud;
    bool with_affine;
} scatter_job;

// Adds what four particles give to the nodes of their cell: mass and momentum.
PLI_INLINE void scatter_lanes(const pli_cloud *cloud, int32_t width, bool with_affine, int64_t slot,
                              pli_d4 (*sums)[4])
{
    int64_t stride = cloud->slot_room;
    pli_cloud_weights at;
    pli_d4 m = pli_cloud_load(cloud->mass + slot), v[3], C[9], f[3];
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int k = 0; k < 3; ++k) v[k] = m * pli_cloud_load(cloud->v + k * stride + slot);
    for (int k = 0; k < 3; ++k) f[k] = pli_cloud_load(cloud->f + k * stride + slot);
    for (int k = 0; k < 9; ++k) {
        C[k] = with_affine ? m * cloud->dx * pli_cloud_load(cloud->C + k * stride + slot) : m * 0;
    }
    for (int i = 0, n = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            for (int k = 0; k < width; ++k, ++n) {
                pli_d4 w = at.w[0][i] * at.w[1][j] * at.w[2][k];
                pli_d4 arm[3] = {i - f[0], j - f[1], k - f[2]};
                sums[n][0] += w * m;
                for (int a = 0; a < 3; ++a) {
                    pli_d4 spin = C[3 * a] * arm[0] + C[3 * a + 1] * arm[1] + C[3 * a + 2] * arm[2];
                    sums[n][1 + a] += w * (v[a] + spin);
                }
            }
        }
    }
}

PLI_INLINE void scatter_cell(const scatter_job *job, int32_t width, int64_t cell)
{
    pli_cloud *cloud = job->cloud;
    pli_d4 sums[PLI_SPLINE_NODES][4];
    memset(sums, 0, sizeof sums);
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1];
         slot += PLI_CLOUD_LANES) {
        scatter_lanes(cloud, width, job->with_affine, slot, sums);
    }
    double *out = cloud->cell_sums + 4 * cell * cloud->cell_nodes;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        for (int c = 0; c < 4; ++c) out[4 * n + c] = pli_cloud_sum(sums[n][c]);
    }
}

static void scatter_cells(void *user, int64_t begin, int64_t end)
{
    const scatter_job *job = user;
    for (int64_t cell = begin; cell < end; ++cell) {
        PLI_WITH_WIDTH(job->cloud->spline, scatter_cell(job, width, cell));
    }
}

void pli_cloud_to_nodes(pli_cloud *cloud, bool with_affine, double *mass, double *momentum)
{
    scatter_job job = {cloud, with_affine};
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, scatter_cells, &job);
    memset(mass, 0, (size_t)cloud->nodes->count * sizeof *mass);
    memset(momentum, 0, 3 * (size_t)cloud->nodes->count * sizeof *momentum);
    pli_cloud_gather(cloud, mass, momentum);
}

typedef struct spread_job {
    pli_cloud *cloud;
    const double *q;
} spread_job;

PLI_INLINE void spread_cell(const spread_job *job, int32_t width, int64_t cell)
{
    pli_cloud *cloud = job->cloud;
    pli_d4 sums[PLI_SPLINE_NODES];
    memset(sums, 0, sizeof sums);
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1];
         slot += PLI_CLOUD_LANES) {
        pli_cloud_weights at;
        pli_cloud_weigh(cloud, width, slot, &at);
        pli_d4 q = pli_cloud_load(cloud->mass + slot) * pli_cloud_load(job->q + slot);
        for (int n = 0; n < width * width * width; ++n) {
            sums[n] +=
                at.w[0][n / (width * width)] * at.w[1][n / width % width] * at.w[2][n % width] * q;
        }
    }
    double *out = cloud->cell_sums + 4 * cell * cloud->cell_nodes;
    memset(out, 0, 4 * (size_t)cloud->cell_nodes * sizeof *out);
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) out[4 * n] = pli_cloud_sum(sums[n]);
}

static void spread_cells(void *user, int64_t begin, int64_t end)
{
    const spread_job *job = user;
    for (int64_t cell = begin; cell < end; ++cell) {
        PLI_WITH_WIDTH(job->cloud->spline, spread_cell(job, width, cell));
    }
}

void pli_cloud_spread(pli_cloud *cloud, const double *q, double *sums)
{
    spread_job job = {cloud, q};
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, spread_cells, &job);
    pli_cloud_gather(cloud, sums, NULL);
}

// ---- to particles

typedef struct sample_job {
    const pli_cloud *cloud;
    const double *q; // [nodes]
    double *values;  // [rows]
} sample_job;

PLI_INLINE void sample_cell(const sample_job *job, int32_t width, int64_t cell)
{
    const pli_cloud *cloud = job->cloud;
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1];
         slot += PLI_CLOUD_LANES) {
        pli_cloud_weights at;
        pli_d4 sum = {0, 0, 0, 0};
        pli_cloud_weigh(cloud, width, slot, &at);
        for (int n = 0; n < width * width * width; ++n) {
            sum += at.w[0][n / (width * width)] * at.w[1][n / width % width] * at.w[2][n % width] *
                   job->q[nodes[n]];
        }
        for (int p = 0; p < PLI_CLOUD_LANES; ++p) {
            if (cloud->row[slot + p] >= 0) job->values[cloud->row[slot + p]] = sum[p];
        }
    }
}

static void sample_cells(void *user, int64_t begin, int64_t end)
{
    const sample_job *job = user;
    for (int64_t cell = begin; cell < end; ++cell) {
        PLI_WITH_WIDTH(job->cloud->spline, sample_cell(job, width, cell));
    }
}

void pli_cloud_sample(const pli_cloud *cloud, const double *q, double *values)
{
    sample_job job = {cloud, q, values};
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, sample_cells, &job);
}

typedef struct pull_job {
    pli_cloud *cloud;
    const pli_cloud_pull *pull;
} pull_job;

// Velocity and its first moment about four particles.
typedef struct lane_field {
    pli_d4 v[3];
    pli_d4 moment[9]; // sum of w v_i (x_i - x_p)^T (m^2/s)
} lane_field;

PLI_INLINE void interpolate(const pli_cloud *cloud, int32_t width, const pli_cloud_weights *at,
                            int64_t slot, const double *own, lane_field *field)
{
    const pli_d4 zero = {0, 0, 0, 0};
    pli_d4 f[3];
    for (int k = 0; k < 3; ++k) {
        f[k] = pli_cloud_load(cloud->f + k * (int64_t)cloud->slot_room + slot);
        field->v[k] = zero;
    }
    for (int k = 0; k < 9; ++k) field->moment[k] = zero;
    for (int i = 0, n = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            for (int k = 0; k < width; ++k, ++n) {
                pli_d4 w = at->w[0][i] * at->w[1][j] * at->w[2][k];
                pli_d4 arm[3] = {i - f[0], j - f[1], k - f[2]};
                for (int a = 0; a < 3; ++a) {
                    pli_d4 given = w * own[3 * n + a];
                    field->v[a] += given;
                    for (int b = 0; b < 3; ++b) field->moment[3 * a + b] += given * arm[b];
                }
            }
        }
    }
    for (int k = 0; k < 9; ++k) field->moment[k] *= cloud->dx;
}

// F <- (1 + h G) F
PLI_INLINE void deform(pli_cloud *cloud, int64_t slot, double h, const pli_d4 G[9])
{
    int64_t stride = cloud->slot_room;
    pli_d4 F[9];
    for (int k = 0; k < 9; ++k) F[k] = pli_cloud_load(cloud->F + k * stride + slot);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            pli_d4 change = G[3 * a] * F[b] + G[3 * a + 1] * F[3 + b] + G[3 * a + 2] * F[6 + b];
            pli_cloud_save(F[3 * a + b] + h * change, cloud->F + (3 * a + b) * stride + slot);
        }
    }
}

// The velocity that a particle keeps: that of the nodes, or its own with what the nodes changed.
PLI_INLINE void set_velocity(pli_cloud *cloud, const pli_cloud_pull *pull, int64_t slot,
                             const lane_field *after, const lane_field *before)
{
    int64_t stride = cloud->slot_room;
    for (int k = 0; k < 3; ++k) {
        double *place = cloud->v + k * stride + slot;
        pli_d4 v = after->v[k];
        if (pull->flip > 0) {
            pli_d4 own = pli_cloud_load(place) + after->v[k] - before->v[k];
            v = pull->flip * own + (1 - pull->flip) * v;
        }
        pli_cloud_save(v, place);
        if (pull->stays) continue;
        // positions follow the nodes, whatever the velocity is
        double *f = cloud->f + k * stride + slot;
        pli_cloud_save(pli_cloud_load(f) + pull->h / cloud->dx * after->v[k], f);
    }
}

PLI_INLINE void pull_cell(const pull_job *job, int32_t width, int64_t cell)
{
    pli_cloud *cloud = job->cloud;
    const pli_cloud_pull *pull = job->pull;
    int64_t stride = cloud->slot_room;
    double after[3 * PLI_SPLINE_NODES], before[3 * PLI_SPLINE_NODES];
    pli_cloud_take(cloud, cell, pull->velocity, after);
    if (pull->before != NULL) pli_cloud_take(cloud, cell, pull->before, before);
    double spread = pli_spline_spread(cloud->spline) * cloud->dx * cloud->dx;
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1];
         slot += PLI_CLOUD_LANES) {
        pli_cloud_weights at;
        lane_field ends;
        pli_d4 G[9];
        pli_cloud_weigh(cloud, width, slot, &at);
        interpolate(cloud, width, &at, slot, after, &ends);
        lane_field begins = ends;
        if (pull->before != NULL) interpolate(cloud, width, &at, slot, before, &begins);
        pli_cloud_differentiate(width, &at, after, G);
        for (int k = 0; k < 9; ++k) {
            // where the spread depends on the place, the gradient is the affine velocity
            pli_d4 C = spread > 0 ? ends.moment[k] / spread : G[k];
            pli_cloud_save(C, cloud->C + k * stride + slot);
        }
        deform(cloud, slot, pull->h, G);
        set_velocity(cloud, pull, slot, &ends, &begins);
    }
}

static void pull_cells(void *user, int64_t begin, int64_t end)
{
    const pull_job *job = user;
    for (int64_t cell = begin; cell < end; ++cell) {
        PLI_WITH_WIDTH(job->cloud->spline, pull_cell(job, width, cell));
    }
}

void pli_cloud_from_nodes(pli_cloud *cloud, const pli_cloud_pull *pull)
{
    pull_job job = {cloud, pull};
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, pull_cells, &job);
}

// ---- to rows

typedef struct store_job {
    const pli_cloud *cloud;
    const pli_cloud_target *to;
} store_job;

static void store_planes(const double *planes, int64_t stride, int64_t slot, int32_t numbers,
                         int64_t row, double *to)
{
    for (int32_t k = 0; k < numbers && to != NULL; ++k) {
        to[numbers * row + k] = planes[k * stride + slot];
    }
}

static void store_cells(void *user, int64_t begin, int64_t end)
{
    const store_job *job = user;
    const pli_cloud *cloud = job->cloud;
    int64_t stride = cloud->slot_room;
    for (int64_t cell = begin; cell < end; ++cell) {
        const int32_t *base = cloud->cell_base + 3 * cell;
        for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1]; ++slot) {
            int64_t row = cloud->row[slot];
            if (row < 0) continue;
            for (int k = 0; k < 3 && job->to->position != NULL; ++k) {
                double u = base[k] + cloud->f[k * stride + slot];
                job->to->position[3 * row + k] = cloud->origin[k] + cloud->dx * u;
            }
            store_planes(cloud->v, stride, slot, 3, row, job->to->velocity);
            store_planes(cloud->C, stride, slot, 9, row, job->to->affine);
            store_planes(cloud->F, stride, slot, 9, row, job->to->deformation);
            store_planes(cloud->memory, stride, slot, 1, row, job->to->memory);
        }
    }
}

void pli_cloud_store(const pli_cloud *cloud, const pli_cloud_target *to)
{
    store_job job = {cloud, to};
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, store_cells, &job);
}
