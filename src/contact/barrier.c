// SPDX-License-Identifier: Apache-2.0
#include "contact/barrier.h"

#include "math/vec3.h"

#include <string.h>

enum { DOFS = PLI_CONTACT_DOFS };

// share of |e1|^2 |e2|^2, that is sin^2 of the angle, below which edges count as nearly parallel
static const double mollifier_share = 1e-3;

double pli_barrier(double d, double dhat, double *first, double *second)
{
    double b = 0, b1 = 0, b2 = 0;
    if (!(d > 0)) {
        b = d <= 0 ? INFINITY : NAN;
        b1 = -b;
        b2 = b;
    } else if (!(d >= dhat)) {
        // t = d - dhat is exact for d >= dhat / 2, where ln(1 + t / dhat) is accurate
        double t = d - dhat;
        double log_ratio = d < 0.5 * dhat ? log(d / dhat) : log1p(t / dhat);
        double over = t / d;
        b = -t * t * log_ratio;
        b1 = -t * (2 * log_ratio + over);
        b2 = (over - 4) * over - 2 * log_ratio;
    }
    if (first != NULL) *first = b1;
    if (second != NULL) *second = b2;
    return b;
}

double pli_mollifier_threshold(const double *rest)
{
    double u[3], v[3];
    pli_vec3_subtract(rest + 3, rest, u);
    pli_vec3_subtract(rest + 9, rest + 6, v);
    return mollifier_share * pli_vec3_norm2(u) * pli_vec3_norm2(v);
}

// Two edges u = b - a and v = d - c, and c = |u x v|^2.
typedef struct edge_pair {
    double u[3];
    double v[3];
    double normal[3]; // u x v
    double c;
} edge_pair;

static void pair_edges(const double *x, edge_pair *pair)
{
    pli_vec3_subtract(x + 3, x, pair->u);
    pli_vec3_subtract(x + 9, x + 6, pair->v);
    pli_vec3_cross(pair->u, pair->v, pair->normal);
    pair->c = pli_vec3_norm2(pair->normal);
}

// dc/dx = scale (-dc/du, dc/du, -dc/dv, dc/dv) with dc/du = 2 v x n, dc/dv = 2 n x u
static void c_gradient(const edge_pair *pair, double scale, double *gradient)
{
    double gu[3], gv[3];
    pli_vec3_cross(pair->v, pair->normal, gu);
    pli_vec3_cross(pair->normal, pair->u, gv);
    pli_vec3_scale(-2 * scale, gu, gradient);
    pli_vec3_scale(2 * scale, gu, gradient + 3);
    pli_vec3_scale(-2 * scale, gv, gradient + 6);
    pli_vec3_scale(2 * scale, gv, gradient + 9);
}

// block (i, j) of the Hessian: sign times entry (k, l) of the second derivative by u and v
static void add_block(double *hessian, int i, int j, double sign, const double block[9])
{
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            hessian[DOFS * (3 * i + k) + 3 * j + l] += sign * block[3 * k + l];
        }
    }
}

// hessian += scale d2c/dx2 with c = |u|^2 |v|^2 - (u.v)^2:
//     d2c/du2   = 2 (|v|^2 I - v v^T),   d2c/dv2 = 2 (|u|^2 I - u u^T)
//     d2c/du dv = 4 u v^T - 2 v u^T - 2 (u.v) I
static void add_c_hessian(const edge_pair *pair, double scale, double *hessian)
{
    const double *u = pair->u;
    const double *v = pair->v;
    double u2 = pli_vec3_norm2(u);
    double v2 = pli_vec3_norm2(v);
    double uv = pli_vec3_dot(u, v);
    double uu_block[9], vv_block[9], uv_block[9], vu_block[9];
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            double one = k == l;
            uu_block[3 * k + l] = 2 * scale * (v2 * one - v[k] * v[l]);
            vv_block[3 * k + l] = 2 * scale * (u2 * one - u[k] * u[l]);
            uv_block[3 * k + l] = 2 * scale * (2 * u[k] * v[l] - v[k] * u[l] - uv * one);
            vu_block[3 * l + k] = uv_block[3 * k + l];
        }
    }
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            double sign = i == j ? 1 : -1;
            add_block(hessian, i, j, sign, uu_block);
            add_block(hessian, i, 2 + j, sign, uv_block);
            add_block(hessian, 2 + i, j, sign, vu_block);
            add_block(hessian, 2 + i, 2 + j, sign, vv_block);
        }
    }
}

double pli_mollifier(const double *x, double threshold, double *gradient, double *hessian)
{
    edge_pair pair;
    pair_edges(x, &pair);
    if (gradient != NULL) memset(gradient, 0, DOFS * sizeof *gradient);
    if (hessian != NULL) memset(hessian, 0, DOFS * DOFS * sizeof *hessian);
    if (!(pair.c < threshold)) return 1;

    // m = (2 - s) s with s = c / eps
    double s = pair.c / threshold;
    double first = 2 * (1 - s) / threshold;
    double second = -2 / (threshold * threshold);
    if (gradient != NULL) c_gradient(&pair, first, gradient);
    if (hessian != NULL) {
        double dc[DOFS];
        c_gradient(&pair, 1, dc);
        add_c_hessian(&pair, first, hessian);
        for (int i = 0; i < DOFS; ++i) {
            for (int j = 0; j < DOFS; ++j) hessian[DOFS * i + j] += second * (dc[i] * dc[j]);
        }
    }
    return (2 - s) * s;
}
