// SPDX-License-Identifier: Apache-2.0
#include "fem/hinge.h"

#include "base/memory.h"
#include "math/vec3.h"

enum { HINGE_GRAIN = 512 };

static const pli_element_ops hinge_ops; // below

// ---- one hinge

// The Hessian of weight/2 (theta - rest)^2 by (a, b, c):
// weight (grad theta grad theta^T + difference d2theta). Projected it is the first part alone,
// after Gauss and Newton: clamping the eigenvalues of the sum takes ten times as long, and a draped
// cloth as many iterations.
static void hinge_stiffness(const pli_hinge_point *p, double weight, double difference,
                            bool projected, double H[81])
{
    double g[9];
    pli_hinge_gradient(p, g);
    for (int k = 0; k < 81; ++k) H[k] = 0;
    if (difference != 0 && !projected) pli_hinge_hessian(p, weight * difference, H);
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) H[9 * i + j] += weight * g[i] * g[j];
    }
}

// ---- construction

static pli_status allocate_arrays(pli_hinges *h)
{
    pli_context *context = h->elements.context;
    int64_t count = h->hinge_count;
    h->vertices = PLI_NEW(context, int32_t, 4 * count, "hinges");
    h->stiffness = PLI_NEW(context, double, count, "bending stiffness");
    h->rest_angle = PLI_NEW(context, double, count, "rest angles");
    bool complete = h->vertices != NULL && h->stiffness != NULL && h->rest_angle != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// r of the triangle between two sides that meet, N being their cross product.
static double shape_ratio(const double side[3], const double other[3], const double N[3])
{
    double third[3];
    pli_vec3_subtract(side, other, third);
    double squares = pli_vec3_norm2(side) + pli_vec3_norm2(other) + pli_vec3_norm2(third);
    return squares / (3 * pli_vec3_norm(N));
}

// c = D/2 (r_1 + r_2), 0 where a triangle has no area
static void compute_rest(pli_hinges *h, const pli_hinges_def *def, int32_t index)
{
    pli_hinge_point p;
    if (!pli_hinge_load(def->rest, h->vertices + 4 * (int64_t)index, &p)) return;
    double shape = 0.5 * (shape_ratio(p.a, p.b, p.N1) + shape_ratio(p.a, p.c, p.N2));
    h->stiffness[index] = def->rigidity[index] * shape;
    h->rest_angle[index] = p.angle;
}

static pli_status build(pli_hinges *h, const pli_hinges_def *def)
{
    PLI_TRY(allocate_arrays(h));
    for (int64_t k = 0; k < 4 * (int64_t)h->hinge_count; ++k) h->vertices[k] = def->vertices[k];
    for (int32_t k = 0; k < h->hinge_count; ++k) compute_rest(h, def, k);
    return pli_elements_color(&h->elements, 4, h->hinge_count, h->vertices);
}

pli_status pli_hinges_create(pli_context *context, const pli_hinges_def *def, pli_hinges **hinges)
{
    *hinges = NULL;
    pli_hinges *made = PLI_NEW(context, pli_hinges, 1, "hinge term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &hinge_ops, .vertex_count = def->vertex_count};
    made->hinge_count = def->hinge_count;
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_hinges_destroy(made);
        return status;
    }
    *hinges = made;
    return PLI_OK;
}

void pli_hinges_destroy(pli_hinges *hinges)
{
    if (hinges == NULL) return;
    pli_context *context = hinges->elements.context;
    pli_elements_clear(&hinges->elements);
    PLI_RELEASE(context, hinges->rest_angle, hinges->stiffness, hinges->vertices, hinges);
}

// ---- energy

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_hinges *h = job->self;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        pli_hinge_point point;
        if (!pli_hinge_load(job->x, h->vertices + 4 * k, &point)) continue;
        double difference = pli_angle_difference(point.angle, h->rest_angle[k]);
        pli_sum_add(&sum, 0.5 * h->stiffness[k] * difference * difference);
    }
    return sum;
}

// ---- gradient

static void add_forces(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_hinges *h = job->self;
    for (int64_t k = begin; k < end; ++k) {
        pli_hinge_point point;
        double g[9];
        const int32_t *vertices = h->vertices + 4 * k;
        if (!pli_hinge_load(job->x, vertices, &point)) continue;
        double moment = h->stiffness[k] * pli_angle_difference(point.angle, h->rest_angle[k]);
        pli_hinge_gradient(&point, g);
        for (int i = 0; i < 9; ++i) {
            job->g[3 * (int64_t)vertices[1 + i / 3] + i % 3] += moment * g[i];
            job->g[3 * (int64_t)vertices[0] + i % 3] -= moment * g[i];
        }
    }
}

// ---- Hessian

static void add_block(double *values, int64_t slot, double sign, const double block[9])
{
    for (int k = 0; k < 9; ++k) values[9 * slot + k] += sign * block[k];
}

// Adds a 9x9 matrix by (a, b, c) to the blocks of the four vertices: vertex 0 moves all three back.
static void scatter_stiffness(const double H[81], const int32_t slots[16], double *values)
{
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double block[9];
            for (int k = 0; k < 9; ++k) {
                block[k] = H[9 * (3 * row + k / 3) + 3 * column + k % 3];
            }
            add_block(values, slots[4 * (row + 1) + column + 1], 1, block);
            add_block(values, slots[column + 1], -1, block);
            add_block(values, slots[4 * (row + 1)], -1, block);
            add_block(values, slots[0], 1, block);
        }
    }
}

static void add_stiffness(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_hinges *h = job->self;
    for (int64_t k = begin; k < end; ++k) {
        pli_hinge_point point;
        double H[81];
        if (!pli_hinge_load(job->x, h->vertices + 4 * k, &point)) continue;
        double weight = h->stiffness[k] * pli_element_weight(job, k);
        if (weight == 0) continue;
        hinge_stiffness(&point, weight, pli_angle_difference(point.angle, h->rest_angle[k]),
                        job->projected, H);
        scatter_stiffness(H, job->slots + 16 * k, job->H->values);
    }
}

static const pli_element_ops hinge_ops = {.grain = HINGE_GRAIN,
                                          .sum_energy = sum_energy,
                                          .add_gradient = add_forces,
                                          .add_hessian = add_stiffness};

const pli_term_ops pli_hinges_term = {
    .name = "bending",
    .energy = pli_elements_energy,
    .add_gradient = pli_elements_add_gradient,
    .add_hessian = pli_elements_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .lags = true,
};
