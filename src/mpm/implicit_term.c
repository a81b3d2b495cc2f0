// SPDX-License-Identifier: Apache-2.0
//
// Energy, gradient, and products without a matrix.
#include "mpm/implicit_inside.h"

#include "base/memory.h"
#include "base/parallel.h"

enum { LANES = PLI_CLOUD_LANES, SLOTS = PLI_EVALUATION_SLOTS, NODE_GRAIN = 16 };

typedef struct pass_job {
    const pli_implicit *implicit;
    const double *x;
    bool projected;
    double *tangents;
    pli_sum *sum; // of energies
} pass_job;

// Calls part for the slots of a run of cells, as many at a time as are evaluated at once; a part
// never goes across the end of a run, and only cells of more than SLOTS are cut.
typedef void (*part_fn)(const pass_job *job, int64_t first_cell, int64_t end_cell,
                        pli_evaluation *at);

static void deform_part(const pass_job *job, int64_t first_cell, int64_t end_cell,
                        pli_evaluation *at)
{
    const pli_cloud *cloud = job->implicit->cloud;
    int64_t end = at->first + at->count;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        int64_t from = cloud->cell_slot[cell], to = cloud->cell_slot[cell + 1];
        if (from < at->first) from = at->first;
        if (to > end) to = end;
        pli_implicit_deform(job->implicit, cell, job->x, from, (int32_t)(to - from), at);
    }
}

static void visit_chunk(const pass_job *job, int64_t chunk, part_fn part, pli_evaluation *at)
{
    const pli_implicit *implicit = job->implicit;
    int64_t first_cell = implicit->chunk_cell[chunk], end_cell = implicit->chunk_cell[chunk + 1];
    int64_t slot = implicit->cloud->cell_slot[first_cell];
    int64_t end = implicit->cloud->cell_slot[end_cell];
    for (; slot < end; slot += SLOTS) {
        at->first = slot;
        at->count = (int32_t)(end - slot < SLOTS ? end - slot : SLOTS);
        part(job, first_cell, end_cell, at);
    }
}

// ---- energy

static void energy_part(const pass_job *job, int64_t first_cell, int64_t end_cell,
                        pli_evaluation *at)
{
    const double *volume = job->implicit->cloud->volume + at->first;
    deform_part(job, first_cell, end_cell, at);
    pli_implicit_evaluate(job->implicit, PLI_WANT_ENERGY, false, at);
    for (int32_t k = 0; k < at->count; ++k) {
        if (volume[k] > 0) pli_sum_add(job->sum, volume[k] * at->psi[k]);
    }
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    pass_job job = *(const pass_job *)user;
    pli_sum sum = {0, 0};
    pli_evaluation at;
    job.sum = &sum;
    for (int64_t chunk = begin; chunk < end; ++chunk) visit_chunk(&job, chunk, energy_part, &at);
    return sum;
}

static pli_sum energy(void *self, const double *x)
{
    pli_implicit *implicit = self;
    pass_job job = {.implicit = implicit, .x = x};
    return pli_parallel_sum(implicit->context, implicit->chunk_count, 1, sum_energy, &job);
}

// ---- what particles give to nodes

// Adds Q g, Q = V P F^T, g the gradients of weights, to the nodes of a cell for four particles.
PLI_INLINE void push_lanes(const pli_cloud *cloud, int32_t width, int64_t slot, const double *P,
                           pli_d4 (*sums)[3])
{
    int64_t stride = cloud->slot_room;
    pli_cloud_weights at;
    pli_d4 Q[9], V = pli_cloud_load(cloud->volume + slot);
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            pli_d4 sum = {0, 0, 0, 0};
            for (int c = 0; c < 3; ++c) {
                sum += pli_cloud_load(P + (3 * a + c) * SLOTS) *
                       pli_cloud_load(cloud->F + (3 * b + c) * stride + slot);
            }
            Q[3 * a + b] = V * sum;
        }
    }
    for (int i = 0, n = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            for (int k = 0; k < width; ++k, ++n) {
                pli_d4 g[3];
                pli_cloud_gradient(&at, i, j, k, g);
                for (int a = 0; a < 3; ++a) {
                    sums[n][a] += Q[3 * a] * g[0] + Q[3 * a + 1] * g[1] + Q[3 * a + 2] * g[2];
                }
            }
        }
    }
}

// Slots [first, first + count) of a cell, whose stresses are in `at`, push its nodes.
static void push_cell(const pli_cloud *cloud, int64_t first, int32_t count,
                      const pli_evaluation *at, pli_d4 (*sums)[3])
{
    for (int32_t k = 0; k < count; k += LANES) {
        const double *P = at->P + (first - at->first) + k;
        switch (cloud->spline) {
        case PLI_SPLINE_LINEAR: push_lanes(cloud, 2, first + k, P, sums); break;
        case PLI_SPLINE_QUADRATIC: push_lanes(cloud, 3, first + k, P, sums); break;
        case PLI_SPLINE_CUBIC: push_lanes(cloud, 4, first + k, P, sums); break;
        }
    }
}

// Writes (is_first) or adds what the nodes of a cell get.
static void write_sums(const pli_cloud *cloud, int64_t cell, const pli_d4 (*sums)[3], bool is_first)
{
    double *out = cloud->cell_sums + 4 * cell * cloud->cell_nodes;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        for (int c = 0; c < 3; ++c) {
            double sum = pli_cloud_sum(sums[n][c]);
            out[4 * n + c] = is_first ? sum : out[4 * n + c] + sum;
        }
        out[4 * n + 3] = 0;
    }
}

// Lets all slots of a part push, cell by cell.
static void push_part(const pass_job *job, int64_t first_cell, int64_t end_cell,
                      const pli_evaluation *at)
{
    const pli_cloud *cloud = job->implicit->cloud;
    int64_t end = at->first + at->count;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        int64_t from = cloud->cell_slot[cell], to = cloud->cell_slot[cell + 1];
        bool is_first = from >= at->first;
        if (from < at->first) from = at->first;
        if (to > end) to = end;
        if (from >= to) continue;
        pli_d4 sums[PLI_SPLINE_NODES][3];
        memset(sums, 0, sizeof sums);
        push_cell(cloud, from, (int32_t)(to - from), at, sums);
        write_sums(cloud, cell, (const pli_d4(*)[3])sums, is_first);
    }
}

void pli_implicit_push(const pli_implicit *implicit, int64_t first_cell, int64_t end_cell,
                       const pli_evaluation *at)
{
    push_part(&(pass_job){.implicit = implicit}, first_cell, end_cell, at);
}

// ---- gradient

static void gradient_part(const pass_job *job, int64_t first_cell, int64_t end_cell,
                          pli_evaluation *at)
{
    deform_part(job, first_cell, end_cell, at);
    pli_implicit_evaluate(job->implicit, PLI_WANT_STRESS, false, at);
    push_part(job, first_cell, end_cell, at);
}

static void gradient_chunks(void *user, int64_t begin, int64_t end)
{
    pli_evaluation at;
    for (int64_t chunk = begin; chunk < end; ++chunk) visit_chunk(user, chunk, gradient_part, &at);
}

static void add_gradient(void *self, const double *x, double *g)
{
    pli_implicit *implicit = self;
    pass_job job = {.implicit = implicit, .x = x};
    pli_parallel_for(implicit->context, implicit->chunk_count, 1, gradient_chunks, &job);
    pli_cloud_gather(implicit->cloud, NULL, g);
}

const pli_term_ops pli_implicit_term = {
    .name = "particles", .energy = energy, .add_gradient = add_gradient};

// ---- tangents

static void keep_part(const pass_job *job, int64_t first_cell, int64_t end_cell, pli_evaluation *at)
{
    const pli_cloud *cloud = job->implicit->cloud;
    int64_t stride = job->implicit->slot_room;
    deform_part(job, first_cell, end_cell, at);
    pli_implicit_evaluate(job->implicit, PLI_WANT_TANGENT, job->projected, at);
    for (int32_t row = 0; row < 9; ++row) {
        for (int32_t column = row; column < 9; ++column) {
            const double *from = at->dPdF + (9 * row + column) * SLOTS;
            double *to = job->tangents + pli_tangent_index(row, column) * stride + at->first;
            for (int32_t k = 0; k < at->count; ++k) to[k] = cloud->volume[at->first + k] * from[k];
        }
    }
}

static void keep_chunks(void *user, int64_t begin, int64_t end)
{
    pli_evaluation at;
    for (int64_t chunk = begin; chunk < end; ++chunk) visit_chunk(user, chunk, keep_part, &at);
}

pli_status pli_implicit_prepare(pli_implicit *implicit, const double *x, bool projected)
{
    if (implicit->tangents == NULL) {
        implicit->tangents =
            PLI_NEW(implicit->context, double, PLI_TANGENT_SIZE *(int64_t)implicit->slot_room,
                    "tangents of particles");
        if (implicit->tangents == NULL) return PLI_ERROR_MEMORY;
    }
    pass_job job = {
        .implicit = implicit, .x = x, .projected = projected, .tangents = implicit->tangents};
    pli_parallel_for(implicit->context, implicit->chunk_count, 1, keep_chunks, &job);
    return PLI_OK;
}

// ---- products

// Stress changes A : dF of four particles, with dF = (sum d grad w^T) F.
PLI_INLINE void respond_lanes(const pli_implicit *implicit, int32_t width, int64_t slot,
                              const double *own, double *P)
{
    const pli_cloud *cloud = implicit->cloud;
    int64_t stride = cloud->slot_room, tangent_stride = implicit->slot_room;
    pli_cloud_weights at;
    pli_d4 G[9], F[9], dF[9], dP[9];
    pli_cloud_weigh(cloud, width, slot, &at);
    pli_cloud_differentiate(width, &at, own, G);
    for (int k = 0; k < 9; ++k) F[k] = pli_cloud_load(cloud->F + k * stride + slot);
    for (int k = 0; k < 9; ++k) {
        int a = k / 3, b = k % 3;
        dF[k] = G[3 * a] * F[b] + G[3 * a + 1] * F[3 + b] + G[3 * a + 2] * F[6 + b];
        dP[k] = 0 * dF[k];
    }
    const double *tangent = implicit->tangents + slot;
    for (int row = 0; row < 9; ++row) {
        for (int column = row; column < 9; ++column, tangent += tangent_stride) {
            pli_d4 entry = pli_cloud_load(tangent);
            dP[row] += entry * dF[column];
            if (column > row) dP[column] += entry * dF[row];
        }
    }
    // tangents have the volume in them, and so has what pushes: taken out again
    pli_d4 V = pli_cloud_load(cloud->volume + slot);
    pli_d4 inverse = pli_d4_select((pli_d4_mask)(V > 0), 1 / V, 0 * V);
    for (int k = 0; k < 9; ++k) pli_cloud_save(inverse * dP[k], P + k * SLOTS);
}

static void product_part(const pass_job *job, int64_t first_cell, int64_t end_cell,
                         pli_evaluation *at)
{
    const pli_cloud *cloud = job->implicit->cloud;
    int64_t end = at->first + at->count;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        double own[3 * PLI_SPLINE_NODES];
        int64_t from = cloud->cell_slot[cell], to = cloud->cell_slot[cell + 1];
        if (from < at->first) from = at->first;
        if (to > end) to = end;
        if (from < to) pli_cloud_take(cloud, cell, job->x, own);
        for (int64_t slot = from; slot < to; slot += LANES) {
            double *P = at->P + (slot - at->first);
            switch (cloud->spline) {
            case PLI_SPLINE_LINEAR: respond_lanes(job->implicit, 2, slot, own, P); break;
            case PLI_SPLINE_QUADRATIC: respond_lanes(job->implicit, 3, slot, own, P); break;
            case PLI_SPLINE_CUBIC: respond_lanes(job->implicit, 4, slot, own, P); break;
            }
        }
    }
    push_part(job, first_cell, end_cell, at);
}

static void product_chunks(void *user, int64_t begin, int64_t end)
{
    pli_evaluation at;
    for (int64_t chunk = begin; chunk < end; ++chunk) visit_chunk(user, chunk, product_part, &at);
}

void pli_implicit_multiply(const pli_implicit *implicit, const double *d, double *y)
{
    pass_job job = {.implicit = implicit, .x = d};
    pli_parallel_for(implicit->context, implicit->chunk_count, 1, product_chunks, &job);
    pli_cloud_gather(implicit->cloud, NULL, y);
}

// ---- the diagonal

typedef struct diagonal_job {
    const pli_implicit *implicit;
    double *blocks;
} diagonal_job;

// block += sum_bd g_b A_abcd g_d of one particle and one of its nodes
static void add_block(const pli_implicit *implicit, int64_t slot, const double g[3], double *block)
{
    const double *tangent = implicit->tangents + slot;
    for (int row = 0; row < 9; ++row) {
        for (int column = row; column < 9; ++column, tangent += implicit->slot_room) {
            double entry = *tangent * g[row % 3] * g[column % 3];
            block[3 * (row / 3) + column / 3] += entry;
            if (column > row) block[3 * (column / 3) + row / 3] += entry;
        }
    }
}

// Adds what the particles of a cell put on the diagonal of one of its nodes.
static void add_cell_block(const pli_implicit *implicit, int64_t cell, int32_t place, double *block)
{
    const pli_cloud *cloud = implicit->cloud;
    int32_t width = cloud->width;
    int i = place / (width * width), j = place / width % width, k = place % width;
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1]; slot += LANES) {
        pli_cloud_weights at;
        pli_d4 w[3];
        pli_cloud_weigh(cloud, width, slot, &at);
        pli_cloud_gradient(&at, i, j, k, w);
        for (int p = 0; p < LANES; ++p) {
            const double *F = cloud->F + slot + p;
            double g[3];
            for (int b = 0; b < 3; ++b) {
                g[b] = F[b * (int64_t)cloud->slot_room] * w[0][p] +
                       F[(3 + b) * (int64_t)cloud->slot_room] * w[1][p] +
                       F[(6 + b) * (int64_t)cloud->slot_room] * w[2][p];
            }
            add_block(implicit, slot + p, g, block);
        }
    }
}

static void add_diagonals(void *user, int64_t begin, int64_t end)
{
    const diagonal_job *job = user;
    const pli_cloud *cloud = job->implicit->cloud;
    for (int64_t node = begin; node < end; ++node) {
        for (int32_t k = cloud->node_start[node]; k < cloud->node_start[node + 1]; ++k) {
            int32_t entry = cloud->node_entry[k];
            add_cell_block(job->implicit, entry / cloud->cell_nodes, entry % cloud->cell_nodes,
                           job->blocks + 9 * node);
        }
    }
}

void pli_implicit_add_diagonal(const pli_implicit *implicit, double *blocks)
{
    diagonal_job job = {implicit, blocks};
    pli_parallel_for(implicit->context, implicit->cloud->nodes->count, NODE_GRAIN, add_diagonals,
                     &job);
}
