// SPDX-License-Identifier: Apache-2.0
#include "fem/rayleigh.h"

#include "base/memory.h"
#include "linear/vector.h"

struct pli_rayleigh {
    pli_context *context;
    const pli_elastic *elastic;
    double *weights; // [tet_count] damping times in processing order (s)
    pli_bcsr *D;     // sum of k_t times the elastic Hessian of t at x_n (N s/m)
    int32_t *slots;  // [tet_count][16] blocks of D

    // set by bind
    int64_t *place; // [blocks of D] block of H that a block of D adds to

    // set by begin_step
    const double *x_n;
    double h;

    // scratch of energy and gradient
    double *move;  // [vertex_count][3] x - x_n
    double *force; // [vertex_count][3] D move
};

static pli_status build(pli_rayleigh *r, const double *damping)
{
    pli_context *context = r->context;
    const pli_elastic *elastic = r->elastic;
    r->weights = PLI_NEW(context, double, elastic->tet_count, "damping");
    r->move = PLI_NEW(context, double, 3 * (int64_t)elastic->vertex_count, "damping");
    r->force = PLI_NEW(context, double, 3 * (int64_t)elastic->vertex_count, "damping");
    if (r->weights == NULL || r->move == NULL || r->force == NULL) return PLI_ERROR_MEMORY;
    for (int32_t tet = 0; tet < elastic->tet_count; ++tet) {
        r->weights[tet] = damping[elastic->origin[tet]];
    }
    PLI_TRY(pli_bcsr_create(context, elastic->vertex_count, 1, &elastic->cliques, &r->D));
    return pli_bcsr_slots(context, r->D, &elastic->cliques, &r->slots);
}

pli_status pli_rayleigh_create(pli_context *context, const pli_elastic *elastic,
                               const double *damping, pli_rayleigh **rayleigh)
{
    *rayleigh = NULL;
    pli_rayleigh *made = PLI_NEW(context, pli_rayleigh, 1, "Rayleigh term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->elastic = elastic;
    pli_status status = build(made, damping);
    if (status != PLI_OK) {
        pli_rayleigh_destroy(made);
        return status;
    }
    *rayleigh = made;
    return PLI_OK;
}

void pli_rayleigh_destroy(pli_rayleigh *rayleigh)
{
    if (rayleigh == NULL) return;
    pli_context *context = rayleigh->context;
    pli_release(context, rayleigh->force);
    pli_release(context, rayleigh->move);
    pli_release(context, rayleigh->place);
    pli_release(context, rayleigh->slots);
    pli_bcsr_destroy(rayleigh->D);
    pli_release(context, rayleigh->weights);
    pli_release(context, rayleigh);
}

void pli_rayleigh_begin_step(pli_rayleigh *rayleigh, const double *x_n, double h)
{
    rayleigh->x_n = x_n;
    rayleigh->h = h;
    pli_bcsr_set_zero(rayleigh->D);
    pli_elastic_add_weighted_hessian(rayleigh->elastic, x_n, true, rayleigh->weights,
                                     rayleigh->slots, rayleigh->D);
}

// force = D (x - x_n)
static void compute_force(pli_rayleigh *r, const double *x)
{
    int64_t n = 3 * (int64_t)r->elastic->vertex_count;
    pli_vector_subtract(r->context, n, x, r->x_n, r->move);
    pli_bcsr_multiply(r->D, r->move, r->force);
}

static pli_sum rayleigh_energy(void *self, const double *x)
{
    pli_rayleigh *r = self;
    compute_force(r, x);
    int64_t n = 3 * (int64_t)r->elastic->vertex_count;
    return (pli_sum){0.5 / r->h * pli_vector_dot(r->context, n, r->move, r->force), 0};
}

static void rayleigh_add_gradient(void *self, const double *x, double *g)
{
    pli_rayleigh *r = self;
    compute_force(r, x);
    int64_t n = 3 * (int64_t)r->elastic->vertex_count;
    pli_vector_axpy(r->context, n, 1 / r->h, r->force, g);
}

typedef struct merge_job {
    const pli_rayleigh *rayleigh;
    double *values;
} merge_job;

static void merge_blocks(void *user, int64_t begin, int64_t end)
{
    const merge_job *job = user;
    const pli_rayleigh *r = job->rayleigh;
    for (int64_t block = begin; block < end; ++block) {
        const double *from = r->D->values + 9 * block;
        double *to = job->values + 9 * r->place[block];
        for (int k = 0; k < 9; ++k) to[k] += from[k] / r->h;
    }
}

static void rayleigh_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    (void)x;
    (void)projected;
    const pli_rayleigh *r = self;
    merge_job job = {r, H->values};
    pli_parallel_for(r->context, r->D->block_count, 4096, merge_blocks, &job);
}

static const pli_clique_list *rayleigh_get_cliques(void *self)
{
    return &((const pli_rayleigh *)self)->elastic->cliques;
}

static pli_status rayleigh_bind(void *self, const pli_bcsr *H)
{
    pli_rayleigh *r = self;
    pli_release(r->context, r->place);
    r->place = PLI_NEW(r->context, int64_t, r->D->block_count, "damping blocks");
    if (r->place == NULL) return PLI_ERROR_MEMORY;
    for (int32_t row = 0; row < r->D->row_count; ++row) {
        for (int64_t block = r->D->row_start[row]; block < r->D->row_start[row + 1]; ++block) {
            r->place[block] = pli_bcsr_find(H, row, r->D->column[block]);
        }
    }
    return PLI_OK;
}

const pli_term_ops pli_rayleigh_term = {
    .name = "rayleigh",
    .energy = rayleigh_energy,
    .add_gradient = rayleigh_add_gradient,
    .add_hessian = rayleigh_add_hessian,
    .get_cliques = rayleigh_get_cliques,
    .bind = rayleigh_bind,
};
