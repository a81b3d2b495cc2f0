// SPDX-License-Identifier: Apache-2.0
#include "fem/hinge_angle.h"

#include "math/mat3.h"

#include <float.h>
#include <math.h>

static const double pi = 3.14159265358979323846;

// u = N / |N|^2; false where that does not exist.
static bool invert_normal(const double N[3], double u[3])
{
    double square = pli_vec3_norm2(N);
    if (!(square >= DBL_MIN && square <= DBL_MAX)) return false;
    pli_vec3_scale(1 / square, N, u);
    return true;
}

bool pli_hinge_load(const double *x, const int32_t vertices[4], pli_hinge_point *p)
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
    pli_hinge_point point;
    return pli_hinge_load(x, vertices, &point) ? point.angle : 0;
}

double pli_angle_difference(double angle, double rest)
{
    double difference = angle - rest;
    if (difference > pi) difference -= 2 * pi;
    if (difference < -pi) difference += 2 * pi;
    return difference;
}

void pli_hinge_gradient(const pli_hinge_point *p, double g[9])
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
static void add_side_hessian(const pli_hinge_point *p, const double r[3], const double u[3],
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

void pli_hinge_hessian(const pli_hinge_point *p, double s, double H[81])
{
    for (int k = 0; k < 81; ++k) H[k] = 0;
    add_side_hessian(p, p->b, p->u1, 1, 3, s, H);
    add_side_hessian(p, p->c, p->u2, -1, 6, s, H);
    make_symmetric(H);
}
