// SPDX-License-Identifier: Apache-2.0
#include "fem/hinge.h"

#include "base/memory.h"
#include "math/mat3.h"

#include <float.h>
#include <math.h>

enum { HINGE_GRAIN = 512 };

static const pli_element_ops hinge_ops; // below

static const double pi = 3.14159265358979323846;

// ---- one hinge

// The three vectors of a hinge and what its derivatives are made of; see the header.
typedef struct hinge_point {
    double a[3];
    double b[3];
    double c[3];
    double length; // |a|
    double N1[3];
    double N2[3];
    double u1[3]; // N1 / |N1|^2
    double u2[3];
    double angle; // theta
} hinge_point;

// u = N / |N|^2; false where that does not exist.
static bool invert_normal(const double N[3], double u[3])
{
    double square = pli_vec3_norm2(N);
    if (!(square >= DBL_MIN && square <= DBL_MAX)) return false;
    pli_vec3_scale(1 / square, N, u);
    return true;
}

// False for a hinge with a triangle that has no area.
static bool load_hinge(const double *x, const int32_t vertices[4], hinge_point *p)
{
    const double *x0 = x + 3 * (int64_t)vertices[0];
    pli_vec3_subtract(x + 3 * (int64_t)vertices[1], x0, p->a);
    pli_vec3_subtract(x + 3 * (int64_t)vertices[2], x0, p->b);
    pli_vec3_subtract(x + 3 * (int64_t)vertices[3], x0, p->c);
    pli_vec3_cross(p->a, p->b, p->N1);
    pli_vec3_cross(p->c, p->a, p->N2);
    if (!invert_normal(p->N1, p->u1) || !invert_normal(p->N2, p->u2)) return false;
    p->length = pli_vec3_norm(p->a);
    double across[3];
    pli_vec3_cross(p->N1, p->N2, across);
    p->angle = atan2(pli_vec3_dot(across, p->a) / p->length, pli_vec3_dot(p->N1, p->N2));
    return true;
}

double pli_hinge_angle(const double *x, const int32_t vertices[4])
{
    hinge_point point;
    return load_hinge(x, vertices, &point) ? point.angle : 0;
}

// theta - rest on the circle, in [-pi, pi]
static double angle_difference(double angle, double rest)
{
    double difference = angle - rest;
    if (difference > pi) difference -= 2 * pi;
    if (difference < -pi) difference += 2 * pi;
    return difference;
}

// dtheta/d(a, b, c)
static void angle_gradient(const hinge_point *p, double g[9])
{
    double along_b = pli_vec3_dot(p->a, p->b) / p->length;
    double along_c = pli_vec3_dot(p->a, p->c) / p->length;
    for (int i = 0; i < 3; ++i) {
        g[i] = along_b * p->u1[i] + along_c * p->u2[i];
        g[3 + i] = -p->length * p->u1[i];
        g[6 + i] = -p->length * p->u2[i];
    }
}

// The matrix of v -> w x v.
static void cross_matrix(const double w[3], double out[9])
{
    const double m[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    pli_mat3_copy(m, out);
}

// How u = N / |N|^2 changes with the edge a and with the opposite corner's vector r, where N is
// sign a x r: du = U dN, U = (1 - 2 n n^T) / |N|^2, dN = sign (da x r + a x dr).
static void normal_derivatives(const double u[3], double sign, const double a[3], const double r[3],
                               double by_a[9], double by_r[9])
{
    double square = pli_vec3_norm2(u); // 1 / |N|^2
    double U[9];
    double turn[9];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) U[3 * i + j] = (i == j ? square : 0) - 2 * u[i] * u[j];
    }
    cross_matrix(r, turn);
    pli_mat3_multiply(U, turn, by_a);
    for (int k = 0; k < 9; ++k) by_a[k] *= -sign;
    cross_matrix(a, turn);
    pli_mat3_multiply(U, turn, by_r);
    for (int k = 0; k < 9; ++k) by_r[k] *= sign;
}

// Adds s times the second derivatives of theta that come from one of the two triangles, r being b
// or c and `at` the place of r in the 9x9 matrix H.
static void add_side_hessian(const hinge_point *p, const double r[3], const double u[3],
                             double sign, int at, double s, double H[81])
{
    double by_a[9], by_r[9];
    normal_derivatives(u, sign, p->a, r, by_a, by_r);
    double l = p->length;
    double along = pli_vec3_dot(p->a, r) / l;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double along_by_a = (r[j] - along * p->a[j] / l) / l;
            // of (a.r)/l u by a; of -l u by a and by r
            H[9 * i + j] += s * (u[i] * along_by_a + along * by_a[3 * i + j]);
            H[9 * (at + i) + j] -= s * (u[i] * p->a[j] / l + l * by_a[3 * i + j]);
            H[9 * (at + i) + at + j] -= s * l * by_r[3 * i + j];
        }
    }
}

// Copies the lower triangle to the upper one; the diagonal blocks are symmetric but for rounding.
static void make_symmetric(double H[81])
{
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < i; ++j) {
            bool same_block = i / 3 == j / 3;
            double value = same_block ? 0.5 * (H[9 * i + j] + H[9 * j + i]) : H[9 * i + j];
            H[9 * i + j] = H[9 * j + i] = value;
        }
    }
}

// The Hessian of weight/2 (theta - rest)^2 by (a, b, c):
// weight (grad theta grad theta^T + difference d2theta). Projected it is the first part alone,
// after Gauss and Newton: clamping the eigenvalues of the sum takes ten times as long, and a draped
// cloth as many iterations.
static void hinge_stiffness(const hinge_point *p, double weight, double difference, bool projected,
                            double H[81])
{
    double g[9];
    angle_gradient(p, g);
    for (int k = 0; k < 81; ++k) H[k] = 0;
    if (difference != 0 && !projected) {
        add_side_hessian(p, p->b, p->u1, 1, 3, weight * difference, H);
        add_side_hessian(p, p->c, p->u2, -1, 6, weight * difference, H);
        make_symmetric(H);
    }
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
    hinge_point p;
    if (!load_hinge(def->rest, h->vertices + 4 * (int64_t)index, &p)) return;
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
        hinge_point point;
        if (!load_hinge(job->x, h->vertices + 4 * k, &point)) continue;
        double difference = angle_difference(point.angle, h->rest_angle[k]);
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
        hinge_point point;
        double g[9];
        const int32_t *vertices = h->vertices + 4 * k;
        if (!load_hinge(job->x, vertices, &point)) continue;
        double moment = h->stiffness[k] * angle_difference(point.angle, h->rest_angle[k]);
        angle_gradient(&point, g);
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
        hinge_point point;
        double H[81];
        if (!load_hinge(job->x, h->vertices + 4 * k, &point)) continue;
        double weight = h->stiffness[k] * pli_element_weight(job, k);
        if (weight == 0) continue;
        hinge_stiffness(&point, weight, angle_difference(point.angle, h->rest_angle[k]),
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
