// SPDX-License-Identifier: Apache-2.0
#include "fem/hinge.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>

enum { HINGE_GRAIN = 512 };

static const pli_element_ops hinge_ops; // below

// ---- one hinge

// Energy of a hinge and its first two derivatives by the angle.
typedef struct response {
    double energy; // J
    double moment; // N m
    double slope;  // N m
} response;

static double find_difference(const pli_hinges *h, int64_t index, double angle)
{
    double difference = pli_angle_difference(angle, h->rest_angle[index]);
    return h->fold == NULL ? difference : pli_angle_difference(difference, h->fold[index]);
}

static bool can_yield(const pli_hinges *h, int64_t index)
{
    return h->yield != NULL && h->yield[index] > 0;
}

static response respond(const pli_hinges *h, int64_t index, double angle)
{
    double c = h->stiffness[index], d = find_difference(h, index, angle);
    double beyond = can_yield(h, index) ? fabs(d) - h->limit[index] : 0;
    if (!(beyond > 0)) return (response){0.5 * c * d * d, c * d, c};
    double a = h->limit[index], after = h->hardening[index] * c;
    double moment = c * a + after * beyond;
    return (response){0.5 * c * a * a + (c * a + 0.5 * after * beyond) * beyond,
                      copysign(moment, d), after};
}

// The Hessian of a hinge's energy by (a, b, c): slope grad theta grad theta^T + moment d2theta.
// Projected it is the first part alone, after Gauss and Newton: clamping the eigenvalues of the sum
// takes ten times as long, and a draped cloth as many iterations.
static void hinge_stiffness(const pli_hinge_point *p, double slope, double moment, bool projected,
                            double H[81])
{
    double g[9];
    pli_hinge_gradient(p, g);
    for (int k = 0; k < 81; ++k) H[k] = 0;
    if (moment != 0 && !projected) pli_hinge_hessian(p, moment, H);
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) H[9 * i + j] += slope * g[i] * g[j];
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

// Hinges that yield, at rest.
static pli_status copy_yield(pli_hinges *h, const pli_hinges_def *def)
{
    pli_context *context = h->elements.context;
    PLI_TRY(PLI_MAKE(context, h->yield, h->hinge_count, "folds"));
    PLI_TRY(PLI_MAKE(context, h->hardening, h->hinge_count, "folds"));
    PLI_TRY(PLI_MAKE(context, h->limit, h->hinge_count, "folds"));
    PLI_TRY(PLI_MAKE(context, h->fold, h->hinge_count, "folds"));
    for (int32_t k = 0; k < h->hinge_count; ++k) {
        h->yield[k] = h->limit[k] = def->yield[k];
        h->hardening[k] = def->hardening[k];
    }
    return PLI_OK;
}

static pli_status build(pli_hinges *h, const pli_hinges_def *def)
{
    PLI_TRY(allocate_arrays(h));
    if (def->yield != NULL) PLI_TRY(copy_yield(h, def));
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
    PLI_RELEASE(context, hinges->fold, hinges->limit, hinges->hardening, hinges->yield);
    PLI_RELEASE(context, hinges->rest_angle, hinges->stiffness, hinges->vertices, hinges);
}

// ---- folds

// a = a_0 + r / (1 - r) path
static void set_fold(pli_hinges *h, int64_t index, const pli_folds *folds)
{
    int64_t row = folds->rows[index];
    double r = h->hardening[index];
    h->fold[index] = folds->angle[row];
    h->limit[index] = h->yield[index] + r / (1 - r) * folds->path[row];
}

void pli_hinges_set_folds(pli_hinges *hinges, const pli_folds *folds)
{
    for (int32_t k = 0; k < hinges->hinge_count; ++k) {
        if (can_yield(hinges, k)) set_fold(hinges, k, folds);
    }
}

typedef struct yield_job {
    pli_hinges *hinges;
    const double *x;
    const pli_folds *folds;
} yield_job;

static void yield_range(void *user, int64_t begin, int64_t end)
{
    const yield_job *job = user;
    pli_hinges *h = job->hinges;
    for (int64_t k = begin; k < end; ++k) {
        pli_hinge_point point;
        if (!can_yield(h, k) || !pli_hinge_load(job->x, h->vertices + 4 * k, &point)) continue;
        double d = find_difference(h, k, point.angle);
        double move = (1 - h->hardening[k]) * (fabs(d) - h->limit[k]);
        if (!(move > 0)) continue;
        int64_t row = job->folds->rows[k];
        // on the circle, as angles are
        job->folds->angle[row] = pli_angle_difference(job->folds->angle[row], -copysign(move, d));
        job->folds->path[row] += move;
        set_fold(h, k, job->folds);
    }
}

void pli_hinges_yield(pli_hinges *hinges, const double *x, const pli_folds *folds)
{
    yield_job job = {hinges, x, folds};
    pli_parallel_for(hinges->elements.context, hinges->hinge_count, HINGE_GRAIN, yield_range, &job);
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
        pli_sum_add(&sum, respond(h, k, point.angle).energy);
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
        double moment = respond(h, k, point.angle).moment;
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
        double weight = pli_element_weight(job, k);
        if (weight == 0 || h->stiffness[k] == 0) continue;
        response by_angle = respond(h, k, point.angle);
        hinge_stiffness(&point, weight * by_angle.slope, weight * by_angle.moment, job->projected,
                        H);
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
