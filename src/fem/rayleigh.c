// SPDX-License-Identifier: Apache-2.0
#include "fem/rayleigh.h"

#include "base/memory.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"
#include "math/vec3.h"

// A source with its own copy of the damping times, and where its blocks are in D.
typedef struct damped {
    pli_rayleigh_source source;
    double *weights; // [elements] (s)
    int32_t *slots;  // [elements][size^2]
} damped;

struct pli_rayleigh {
    pli_context *context;
    int32_t vertex_count;
    int32_t source_count;
    damped sources[PLI_RAYLEIGH_SOURCES];
    pli_bcsr *D; // sum of k times the elements' Hessians at x_n (N s/m)

    // set by bind
    int64_t *place; // [blocks of D] block of H that a block of D adds to

    // set by begin_step
    const double *x_n;
    double h;

    // scratch of energy and gradient
    double *move;  // [vertex_count][3] x - x_n
    double *force; // [vertex_count][3] D move
};

// ---- construction

static pli_status copy_damping(pli_rayleigh *r, damped *to)
{
    int64_t count = to->source.elements->cliques.count;
    PLI_TRY(PLI_MAKE(r->context, to->weights, count, "damping"));
    for (int64_t k = 0; k < count; ++k) to->weights[k] = to->source.damping[k];
    to->source.damping = NULL;
    return PLI_OK;
}

static pli_status build(pli_rayleigh *r)
{
    pli_context *context = r->context;
    pli_clique_list lists[PLI_RAYLEIGH_SOURCES];
    PLI_TRY(PLI_MAKE(context, r->move, 3 * (int64_t)r->vertex_count, "damping"));
    PLI_TRY(PLI_MAKE(context, r->force, 3 * (int64_t)r->vertex_count, "damping"));
    for (int32_t k = 0; k < r->source_count; ++k) {
        PLI_TRY(copy_damping(r, &r->sources[k]));
        lists[k] = r->sources[k].source.elements->cliques;
    }
    PLI_TRY(pli_bcsr_create(context, r->vertex_count, r->source_count, lists, &r->D));
    for (int32_t k = 0; k < r->source_count; ++k) {
        PLI_TRY(pli_bcsr_slots(context, r->D, &lists[k], &r->sources[k].slots));
    }
    return PLI_OK;
}

pli_status pli_rayleigh_create(pli_context *context, int32_t vertex_count, int32_t source_count,
                               const pli_rayleigh_source *sources, pli_rayleigh **rayleigh)
{
    *rayleigh = NULL;
    if (source_count < 0 || source_count > PLI_RAYLEIGH_SOURCES) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d sources of damping; at most %d fit",
                        (int)source_count, PLI_RAYLEIGH_SOURCES);
    }
    pli_rayleigh *made = PLI_NEW(context, pli_rayleigh, 1, "Rayleigh term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->vertex_count = vertex_count;
    made->source_count = source_count;
    for (int32_t k = 0; k < source_count; ++k) made->sources[k].source = sources[k];
    pli_status status = build(made);
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
    PLI_RELEASE(context, rayleigh->force, rayleigh->move, rayleigh->place);
    pli_bcsr_destroy(rayleigh->D);
    for (int32_t k = 0; k < rayleigh->source_count; ++k) {
        PLI_RELEASE(context, rayleigh->sources[k].slots, rayleigh->sources[k].weights);
    }
    pli_release(context, rayleigh);
}

double *pli_rayleigh_damping(pli_rayleigh *rayleigh, int32_t source)
{
    return rayleigh->sources[source].weights;
}

void pli_rayleigh_begin_step(pli_rayleigh *rayleigh, const double *x_n, double h)
{
    rayleigh->x_n = x_n;
    rayleigh->h = h;
    pli_bcsr_set_zero(rayleigh->D);
    for (int32_t k = 0; k < rayleigh->source_count; ++k) {
        const damped *from = &rayleigh->sources[k];
        pli_elements_add_weighted_hessian(from->source.elements, x_n, true, from->weights,
                                          from->slots, rayleigh->D);
    }
}

// ---- the term

// force = D (x - x_n)
static void compute_force(pli_rayleigh *r, const double *x)
{
    int64_t n = 3 * (int64_t)r->vertex_count;
    pli_vector_subtract(r->context, n, x, r->x_n, r->move);
    pli_bcsr_multiply(r->D, r->move, r->force);
}

static pli_sum rayleigh_energy(void *self, const double *x)
{
    pli_rayleigh *r = self;
    compute_force(r, x);
    int64_t n = 3 * (int64_t)r->vertex_count;
    return (pli_sum){0.5 / r->h * pli_vector_dot(r->context, n, r->move, r->force), 0};
}

static void rayleigh_add_gradient(void *self, const double *x, double *g)
{
    pli_rayleigh *r = self;
    compute_force(r, x);
    int64_t n = 3 * (int64_t)r->vertex_count;
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

static pli_status rayleigh_bind(void *self, const pli_bcsr *H)
{
    pli_rayleigh *r = self;
    pli_release(r->context, r->place);
    PLI_TRY(PLI_MAKE(r->context, r->place, r->D->block_count, "damping blocks"));
    for (int32_t row = 0; row < r->D->row_count; ++row) {
        for (int64_t block = r->D->row_start[row]; block < r->D->row_start[row + 1]; ++block) {
            r->place[block] = pli_bcsr_find(H, row, r->D->column[block]);
        }
    }
    return PLI_OK;
}

// ---- one vertex

// f = (D u)_i, u = x - x_n
static void vertex_force(const pli_rayleigh *r, const double *x, int32_t row, double f[3])
{
    pli_vec3_set(0, 0, 0, f);
    for (int64_t block = r->D->row_start[row]; block < r->D->row_start[row + 1]; ++block) {
        double u[3];
        double part[3];
        int64_t at = 3 * (int64_t)r->D->column[block];
        pli_vec3_subtract(x + at, r->x_n + at, u);
        pli_mat3_apply(r->D->values + 9 * block, u, part);
        pli_vec3_add(f, part, f);
    }
}

// u_i . (f - 1/2 D_ii u_i) is what the energy has of u_i, apart from the factor 1 / h
static void rayleigh_add_vertices(void *self, const double *x, const pli_vertex_batch *batch)
{
    static const int places[6] = {0, 4, 8, 1, 2, 5};
    const pli_rayleigh *r = self;
    for (int64_t i = 0; i < batch->count; ++i) {
        int32_t vertex = batch->vertices[i];
        int64_t at = 3 * (int64_t)vertex;
        const double *D = r->D->values + 9 * r->D->diagonal[vertex];
        double f[3];
        vertex_force(r, x, vertex, f);
        if (batch->energy != NULL) {
            double u[3];
            double own[3];
            pli_vec3_subtract(x + at, r->x_n + at, u);
            pli_mat3_apply(D, u, own);
            batch->energy[i] += (pli_vec3_dot(u, f) - 0.5 * pli_vec3_dot(u, own)) / r->h;
        }
        if (batch->g != NULL) pli_vec3_add_scaled(batch->g + 3 * i, 1 / r->h, f, batch->g + 3 * i);
        for (int k = 0; k < 6 && batch->H != NULL; ++k) {
            batch->H[6 * i + k] += D[places[k]] / r->h;
        }
    }
}

const pli_term_ops pli_rayleigh_term = {
    .name = "rayleigh",
    .energy = rayleigh_energy,
    .add_gradient = rayleigh_add_gradient,
    .add_hessian = rayleigh_add_hessian,
    .bind = rayleigh_bind,
    .lags = true,
    .add_vertices = rayleigh_add_vertices,
};
