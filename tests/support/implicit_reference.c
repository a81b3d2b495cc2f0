// SPDX-License-Identifier: Apache-2.0
//
// Energy, gradient and matrix one particle and one node at a time, as the equations of implicit.h
// have them: what the fast passes are compared with, in results and in speed. The matrix is summed
// by scattering: every particle adds its blocks to the matrix one by one, blocks of cells by
// colours.
#include "support/implicit_reference.h"

#include "base/parallel.h"
#include "mpm/implicit/implicit_inside.h"

enum { SLOTS = PLI_EVALUATION_SLOTS };

typedef struct reference_job {
    const pli_implicit *implicit;
    const double *x;
    bool projected;
    pli_evaluation_want want;
    pli_ell *matrix;
    double *g;
    pli_sum *sum;
} reference_job;

// A particle: gradients of the weights of its nodes, and those pulled back, F^T grad w (1/m).
typedef struct particle_reach {
    double w[PLI_SPLINE_NODES][3];
    double g[PLI_SPLINE_NODES][3];
} particle_reach;

static void find_reach(const pli_cloud *cloud, int64_t slot, particle_reach *reach)
{
    int32_t width = cloud->width;
    int64_t stride = cloud->slot_room;
    pli_d4 w[3][PLI_SPLINE_WIDTH], d[3][PLI_SPLINE_WIDTH];
    for (int axis = 0; axis < 3; ++axis) {
        double f = cloud->f[axis * stride + slot];
        pli_spline_weights(width, (pli_d4){f, f, f, f}, w[axis], d[axis]);
    }
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        const int32_t at[3] = {n / (width * width), n / width % width, n % width};
        for (int b = 0; b < 3; ++b) {
            double product = 1 / cloud->dx;
            for (int axis = 0; axis < 3; ++axis) {
                product *= axis == b ? d[axis][at[axis]][0] : w[axis][at[axis]][0];
            }
            reach->w[n][b] = product;
        }
        for (int b = 0; b < 3; ++b) {
            reach->g[n][b] = 0;
            for (int c = 0; c < 3; ++c) {
                reach->g[n][b] += cloud->F[(3 * c + b) * stride + slot] * reach->w[n][c];
            }
        }
    }
}

// F(x) = F + sum x g^T
static void deform(const pli_cloud *cloud, int64_t cell, int64_t slot, const double *x, double F[9])
{
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    particle_reach reach;
    find_reach(cloud, slot, &reach);
    for (int k = 0; k < 9; ++k) {
        F[k] = cloud->F[k * (int64_t)cloud->slot_room + slot];
        for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
            F[k] += x[3 * (int64_t)nodes[n] + k / 3] * reach.g[n][k % 3];
        }
    }
}

// g_i += V P g_ip
static void add_forces(const reference_job *job, int64_t cell, int64_t slot, const double P[9])
{
    const pli_cloud *cloud = job->implicit->cloud;
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    particle_reach reach;
    find_reach(cloud, slot, &reach);
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        for (int k = 0; k < 9; ++k) {
            job->g[3 * (int64_t)nodes[n] + k / 3] +=
                job->implicit->weight[slot] * P[k] * reach.g[n][k % 3];
        }
    }
}

// block += V g_i . A . g_j
static void add_block(double volume, const double A[81], const double gi[3], const double gj[3],
                      double *block)
{
    for (int a = 0; a < 3; ++a) {
        for (int c = 0; c < 3; ++c) {
            double sum = 0;
            for (int b = 0; b < 3; ++b) {
                for (int d = 0; d < 3; ++d) {
                    sum += gi[b] * A[9 * (3 * a + b) + 3 * c + d] * gj[d];
                }
            }
            block[3 * a + c] += volume * sum;
        }
    }
}

static void add_blocks(const reference_job *job, int64_t cell, int64_t slot, const double A[81])
{
    const pli_cloud *cloud = job->implicit->cloud;
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    particle_reach reach;
    find_reach(cloud, slot, &reach);
    for (int32_t i = 0; i < cloud->cell_nodes; ++i) {
        double *row = job->matrix->values + 9 * (int64_t)nodes[i] * job->matrix->width;
        for (int32_t j = 0; j < cloud->cell_nodes; ++j) {
            add_block(job->implicit->weight[slot], A, reach.g[i], reach.g[j],
                      row + 9 * pli_cloud_slot_between(cloud->width, i, j));
        }
    }
}

// ---- cells

static void take_planes(int count, const double *planes, int64_t stride, double *own)
{
    for (int k = 0; k < count; ++k) own[k] = planes[k * stride];
}

static void visit_part(const reference_job *job, int64_t cell, pli_evaluation *at)
{
    const pli_cloud *cloud = job->implicit->cloud;
    for (int32_t k = 0; k < at->count; ++k) {
        double F[9];
        deform(cloud, cell, at->first + k, job->x, F);
        for (int i = 0; i < 9; ++i) at->F[i * at->stride + k] = F[i];
    }
    pli_implicit_evaluate(job->implicit, job->want, job->projected, at);
    for (int32_t k = 0; k < at->count; ++k) {
        int64_t slot = at->first + k;
        if (cloud->row[slot] < 0) continue;
        double own[81];
        switch (job->want) {
        case PLI_WANT_ENERGY:
            pli_sum_add(job->sum, job->implicit->weight[slot] * at->psi[k]);
            break;
        case PLI_WANT_STRESS:
            take_planes(9, at->P + k, at->stride, own);
            add_forces(job, cell, slot, own);
            break;
        case PLI_WANT_TANGENT:
            take_planes(81, at->dPdF + k, at->stride, own);
            add_blocks(job, cell, slot, own);
            break;
        }
    }
}

static void visit_cell(const reference_job *job, int64_t cell, pli_evaluation *at)
{
    const pli_cloud *cloud = job->implicit->cloud;
    int64_t end = cloud->cell_slot[cell + 1];
    for (int64_t slot = cloud->cell_slot[cell]; slot < end; slot += SLOTS) {
        pli_evaluation_begin(at, slot, end - slot < SLOTS ? end - slot : SLOTS);
        visit_part(job, cell, at);
    }
}

static void visit_cells(void *user, int64_t first_cell, int64_t end_cell)
{
    pli_evaluation at;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) visit_cell(user, cell, &at);
}

double pli_implicit_energy_reference(const pli_implicit *implicit, const double *x)
{
    pli_sum sum = {0, 0};
    reference_job job = {.implicit = implicit, .x = x, .want = PLI_WANT_ENERGY, .sum = &sum};
    visit_cells(&job, 0, implicit->cloud->cell_count);
    return pli_sum_value(sum);
}

void pli_implicit_gradient_reference(const pli_implicit *implicit, const double *x, double *g)
{
    reference_job job = {.implicit = implicit, .x = x, .want = PLI_WANT_STRESS, .g = g};
    pli_cloud_run_blocks(implicit->cloud, visit_cells, &job);
}

void pli_implicit_assemble_reference(const pli_implicit *implicit, const double *x, bool projected,
                                     pli_ell *matrix)
{
    reference_job job = {.implicit = implicit,
                         .x = x,
                         .projected = projected,
                         .want = PLI_WANT_TANGENT,
                         .matrix = matrix};
    pli_cloud_run_blocks(implicit->cloud, visit_cells, &job);
}
