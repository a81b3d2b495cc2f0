// SPDX-License-Identifier: Apache-2.0
#include "contact/stencil.h"

#include <string.h>

void pli_friction_freeze(const pli_contact_stencil *stencil, const pli_barrier_def *barrier,
                         const double *x, pli_friction *friction)
{
    pli_distance distance;
    double first, m;
    (void)pli_contact_separate(stencil, x, &distance);
    (void)pli_barrier(distance.length, barrier->dhat, &first, NULL);
    (void)pli_contact_mollify(stencil, x, &m, NULL, NULL);

    // lambda = -k w m b'
    double force = -barrier->stiffness * stencil->weight * m * first;
    if (!(force > 0 && isfinite(force))) force = 0;
    memset(friction, 0, sizeof *friction);
    friction->point_count = distance.point_count;
    friction->normal_force = force;
    friction->limit = stencil->friction * force;
    memcpy(friction->weights, distance.weights, sizeof friction->weights);
    memcpy(friction->tangents, distance.tangents, sizeof friction->tangents);
}

double pli_friction_smooth(double y, double eps, double *over, double *slope)
{
    double f0 = y;
    double f1_over = 1 / y;
    double f1_slope = 0;
    if (y < eps) {
        double s = y / eps;
        f0 = eps * ((1 - s / 3) * s * s + 1.0 / 3);
        f1_over = (2 - s) / eps;
        f1_slope = 2 * (1 - s) / eps;
    }
    if (over != NULL) *over = f1_over;
    if (slope != NULL) *slope = f1_slope;
    return f0;
}

// u = T^T sum_i gamma_i (x_i - start_i) (m)
static void find_slip(const pli_friction *friction, const double *x, const double *start,
                      double u[2])
{
    double moved[3] = {0, 0, 0};
    for (int32_t i = 0; i < friction->point_count; ++i) {
        double step[3];
        pli_vec3_subtract(x + 3 * i, start + 3 * i, step);
        pli_vec3_add_scaled(moved, friction->weights[i], step, moved);
    }
    u[0] = pli_vec3_dot(friction->tangents[0], moved);
    u[1] = pli_vec3_dot(friction->tangents[1], moved);
}

// block (i, j) of the Hessian = gamma_i gamma_j T S T^T for a symmetric S = (s00, s01, s11)
static void write_hessian(const pli_friction *friction, const double s[3], double *hessian)
{
    const double *t0 = friction->tangents[0];
    const double *t1 = friction->tangents[1];
    int32_t dofs = 3 * friction->point_count;
    double block[9];
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l <= k; ++l) {
            double entry = s[0] * (t0[k] * t0[l]) + s[1] * (t0[k] * t1[l] + t0[l] * t1[k]) +
                           s[2] * (t1[k] * t1[l]);
            block[3 * k + l] = block[3 * l + k] = entry;
        }
    }
    for (int32_t row = 0; row < dofs; ++row) {
        for (int32_t col = 0; col < dofs; ++col) {
            double weight = friction->weights[row / 3] * friction->weights[col / 3];
            hessian[dofs * row + col] = weight * block[3 * (row % 3) + col % 3];
        }
    }
}

double pli_friction_evaluate(const pli_friction *friction, double eps, const double *x,
                             const double *start, double *gradient, double *hessian)
{
    double u[2], over, slope;
    find_slip(friction, x, start, u);
    double y = hypot(u[0], u[1]);
    double value = friction->limit * pli_friction_smooth(y, eps, &over, &slope);
    if (gradient != NULL) {
        // mu lambda (f1 / |u|) T u, spread by the weights
        double force[3];
        double scale = friction->limit * over;
        pli_vec3_scale(scale * u[0], friction->tangents[0], force);
        pli_vec3_add_scaled(force, scale * u[1], friction->tangents[1], force);
        for (int32_t i = 0; i < friction->point_count; ++i) {
            pli_vec3_scale(friction->weights[i], force, gradient + 3 * i);
        }
    }
    if (hessian != NULL) {
        // in the tangent plane: f1' along the slip, f1 / |u| across it, neither of them negative
        double along[2] = {y > 0 ? u[0] / y : 1, y > 0 ? u[1] / y : 0};
        double change = slope - over;
        double s[3] = {friction->limit * (over + change * along[0] * along[0]),
                       friction->limit * change * along[0] * along[1],
                       friction->limit * (over + change * along[1] * along[1])};
        write_hessian(friction, s, hessian);
    }
    return value;
}
