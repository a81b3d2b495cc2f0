// SPDX-License-Identifier: Apache-2.0
#include "optimize/anchor.h"

#include "math/vec3.h"

enum { POINT_GRAIN = 2048 };

typedef struct anchor_job {
    const pli_anchor *anchor;
    const double *x;
    double *g; // what is added to
} anchor_job;

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const anchor_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t point = begin; point < end; ++point) {
        double d[3];
        pli_vec3_subtract(job->x + 3 * point, job->anchor->target + 3 * point, d);
        pli_sum_add(&sum, 0.5 * job->anchor->stiffness[point] * pli_vec3_norm2(d));
    }
    return sum;
}

static pli_sum anchor_energy(void *self, const double *x)
{
    const pli_anchor *anchor = self;
    if (anchor->stiffness == NULL) return (pli_sum){0, 0};
    anchor_job job = {anchor, x, NULL};
    return pli_parallel_sum(anchor->context, anchor->point_count, POINT_GRAIN, sum_energy, &job);
}

static void add_forces(void *user, int64_t begin, int64_t end)
{
    const anchor_job *job = user;
    for (int64_t point = begin; point < end; ++point) {
        double d[3];
        pli_vec3_subtract(job->x + 3 * point, job->anchor->target + 3 * point, d);
        double *g = job->g + 3 * point;
        pli_vec3_add_scaled(g, job->anchor->stiffness[point], d, g);
    }
}

static void anchor_add_gradient(void *self, const double *x, double *g)
{
    const pli_anchor *anchor = self;
    if (anchor->stiffness == NULL) return;
    anchor_job job = {anchor, x, g};
    pli_parallel_for(anchor->context, anchor->point_count, POINT_GRAIN, add_forces, &job);
}

static void anchor_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    (void)x;
    (void)projected;
    const pli_anchor *anchor = self;
    if (anchor->stiffness != NULL) pli_bcsr_add_to_diagonal(H, anchor->stiffness);
}

static void anchor_add_lifted(void *self, pli_lifted *S)
{
    const pli_anchor *anchor = self;
    if (anchor->stiffness == NULL) return;
    for (int32_t point = 0; point < anchor->point_count; ++point) {
        pli_lifted_add(S, S->diagonal[point], anchor->stiffness[point]);
    }
}

// job->g are the blocks [point_count][6]: xx, yy, zz first
static void add_block_range(void *user, int64_t begin, int64_t end)
{
    const anchor_job *job = user;
    for (int64_t point = begin; point < end; ++point) {
        for (int k = 0; k < 3; ++k) job->g[6 * point + k] += job->anchor->stiffness[point];
    }
}

static void anchor_add_blocks(void *self, const double *x, double *blocks)
{
    const pli_anchor *anchor = self;
    if (anchor->stiffness == NULL) return;
    anchor_job job = {anchor, x, blocks};
    pli_parallel_for(anchor->context, anchor->point_count, POINT_GRAIN, add_block_range, &job);
}

static void anchor_add_vertices(void *self, const double *x, const pli_vertex_batch *batch)
{
    const pli_anchor *anchor = self;
    if (anchor->stiffness == NULL) return;
    for (int64_t i = 0; i < batch->count; ++i) {
        int64_t point = batch->vertices[i];
        double c = anchor->stiffness[point];
        double d[3];
        pli_vec3_subtract(x + 3 * point, anchor->target + 3 * point, d);
        if (batch->energy != NULL) batch->energy[i] += 0.5 * c * pli_vec3_norm2(d);
        if (batch->g != NULL) pli_vec3_add_scaled(batch->g + 3 * i, c, d, batch->g + 3 * i);
        for (int k = 0; k < 3 && batch->H != NULL; ++k) batch->H[6 * i + k] += c;
    }
}

static bool anchor_is_idle(const void *self)
{
    return ((const pli_anchor *)self)->stiffness == NULL;
}

const pli_term_ops pli_anchor_term = {
    .name = "anchor",
    .energy = anchor_energy,
    .add_gradient = anchor_add_gradient,
    .add_hessian = anchor_add_hessian,
    .add_lifted = anchor_add_lifted,
    .add_vertices = anchor_add_vertices,
};

const pli_term_ops pli_attachment_term = {
    .name = "attachment",
    .energy = anchor_energy,
    .add_gradient = anchor_add_gradient,
    .add_hessian = anchor_add_hessian,
    .add_blocks = anchor_add_blocks,
    .is_idle = anchor_is_idle,
    .add_vertices = anchor_add_vertices,
};
