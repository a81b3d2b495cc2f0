// SPDX-License-Identifier: Apache-2.0
//
// Energy and gradient.
#include "mpm/implicit/implicit_inside.h"

#include "base/parallel.h"

enum { LANES = PLI_CLOUD_LANES };

void pli_implicit_set_pushes(const pli_implicit *implicit, const pli_evaluation *at, double *Q)
{
    const pli_cloud *cloud = implicit->cloud;
    int64_t F_stride = cloud->slot_room;
    for (int32_t k = 0; k < at->count; k += LANES, Q += 9 * LANES) {
        pli_d4 P[9], F[9], V = pli_cloud_load(implicit->weight + at->first + k);
        for (int e = 0; e < 9; ++e) {
            P[e] = V * pli_cloud_load(at->P + e * at->stride + k);
            F[e] = pli_cloud_load(cloud->F + e * F_stride + at->first + k);
        }
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                pli_d4 sum =
                    P[3 * a] * F[3 * b] + P[3 * a + 1] * F[3 * b + 1] + P[3 * a + 2] * F[3 * b + 2];
                pli_cloud_save(sum, Q + (3 * a + b) * LANES);
            }
        }
    }
}

// ---- energy

// sum += value, lane by lane, with the rounding errors kept in sum[1] (as pli_sum_add).
PLI_INLINE void add_lanes(pli_d4 sum[2], pli_d4 value)
{
    pli_d4 total = sum[0] + value;
    pli_d4 part = total - sum[0];
    sum[1] += (sum[0] - (total - part)) + (value - part);
    sum[0] = total;
}

static void energy_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                        pli_evaluation *at)
{
    pli_implicit *implicit = pass->implicit;
    pli_implicit_deform_part(pass, first_cell, end_cell, at);
    pli_implicit_evaluate(implicit, PLI_WANT_ENERGY | PLI_WANT_STRESS, false, at);
    for (int32_t k = 0; k < at->count; k += LANES) {
        pli_d4 V = pli_cloud_load(implicit->weight + at->first + k);
        pli_d4 energy = V * pli_cloud_load(at->psi + k);
        // nobody's energy may be infinite
        add_lanes(pass->energy, pli_d4_select((pli_d4_mask)(V > 0), energy, (pli_d4){0}));
    }
    pli_implicit_set_pushes(implicit, at, implicit->stress + 9 * at->first);
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    pli_implicit_pass pass = *(const pli_implicit_pass *)user;
    pli_d4 lanes[2] = {{0}, {0}};
    pli_evaluation at;
    pass.energy = lanes;
    const int32_t *cells = pass.implicit->chunk_cell;
    for (int64_t chunk = begin; chunk < end; ++chunk) {
        pli_implicit_visit(&pass, cells[chunk], cells[chunk + 1], &at);
    }
    pli_sum sum = {0, 0};
    for (int k = 0; k < LANES; ++k) pli_sum_merge(&sum, (pli_sum){lanes[0][k], lanes[1][k]});
    return sum;
}

static size_t size_of_x(const pli_implicit *implicit)
{
    return 3 * (size_t)implicit->cloud->nodes->count * sizeof(double);
}

static pli_sum energy(void *self, const double *x)
{
    pli_implicit *implicit = self;
    pli_implicit_pass pass = {.implicit = implicit, .x = x, .part = energy_part};
    pli_sum sum = pli_parallel_sum(implicit->context, implicit->chunk_count, 1, sum_energy, &pass);
    if (size_of_x(implicit) > 0) memcpy(implicit->stress_x, x, size_of_x(implicit));
    implicit->has_stress = true;
    return sum;
}

// ---- gradient

static void gradient_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                          pli_evaluation *at)
{
    double Q[9 * PLI_EVALUATION_SLOTS];
    pli_implicit_deform_part(pass, first_cell, end_cell, at);
    pli_implicit_evaluate(pass->implicit, PLI_WANT_STRESS, false, at);
    pli_implicit_set_pushes(pass->implicit, at, Q);
    pli_implicit_push_part(pass, first_cell, end_cell, at, Q);
}

static void kept_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                      pli_evaluation *at)
{
    const double *Q = pass->implicit->stress + 9 * at->first;
    pli_implicit_push_part(pass, first_cell, end_cell, at, Q);
}

static void add_gradient(void *self, const double *x, double *g)
{
    pli_implicit *implicit = self;
    size_t bytes = size_of_x(implicit);
    bool is_kept = implicit->has_stress && bytes > 0 && memcmp(implicit->stress_x, x, bytes) == 0;
    pli_implicit_pass pass = {
        .implicit = implicit, .x = x, .part = is_kept ? kept_part : gradient_part, .g = g};
    pli_implicit_run_colors(&pass);
}

const pli_term_ops pli_implicit_term = {
    .name = "particles", .energy = energy, .add_gradient = add_gradient};
