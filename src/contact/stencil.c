// SPDX-License-Identifier: Apache-2.0
#include "contact/stencil.h"

#include "math/eigen.h"

#include <string.h>

enum { DOFS = PLI_CONTACT_DOFS, RELATIVE = 9 };

int32_t pli_contact_point_count(pli_contact_kind kind)
{
    static const int32_t counts[] = {4, 4, 3, 2, 1};
    return counts[kind];
}

pli_contact_stencil pli_contact_stencil_default(pli_contact_kind kind)
{
    return (pli_contact_stencil){.kind = kind, .vertices = {-1, -1, -1, -1}, .weight = 1};
}

// A point over a half-space: the plane's directions slide, but no point of ours does.
static void separate_plane(const double *p, const double *plane, pli_distance *distance)
{
    double height = pli_vec3_dot(plane, p) - plane[3];
    double zero[3] = {0, 0, 0};
    // the frame is that of the normal as a vector from the origin
    pli_distance_point_point(plane, zero, distance);
    distance->point_count = 1;
    distance->weights[1] = 0;
    distance->length = height > 0 ? height : 0;
    distance->value = distance->length * distance->length;
    if (isnan(height)) distance->length = distance->value = height;
}

int32_t pli_contact_separate(const pli_contact_stencil *stencil, const double *x,
                             pli_distance *distance)
{
    switch (stencil->kind) {
    case PLI_CONTACT_POINT_TRIANGLE:
        return (int32_t)pli_distance_point_triangle(x, x + 3, x + 6, x + 9, distance);
    case PLI_CONTACT_EDGE_EDGE: return pli_distance_edge_edge(x, x + 3, x + 6, x + 9, distance);
    case PLI_CONTACT_POINT_EDGE: return (int32_t)pli_distance_point_edge(x, x + 3, x + 6, distance);
    case PLI_CONTACT_POINT_POINT: pli_distance_point_point(x, x + 3, distance); return 0;
    case PLI_CONTACT_POINT_PLANE: break;
    }
    separate_plane(x, stencil->plane, distance);
    return 0;
}

bool pli_contact_mollify(const pli_contact_stencil *stencil, const double *x, double *value,
                         double *gradient, double *hessian)
{
    *value = 1;
    if (stencil->kind != PLI_CONTACT_EDGE_EDGE || !(stencil->mollifier > 0)) return false;
    *value = pli_mollifier(x, stencil->mollifier, gradient, hessian);
    return *value < 1;
}

// The Hessian of phi(d^2), see pli_distance_compose_hessian.
static void compose_hessian(const pli_distance *distance, double phi1, double phi2, bool projected,
                            double *hessian)
{
    if (distance->point_count > 1) {
        pli_distance_compose_hessian(distance, phi1, phi2, projected, hessian);
        return;
    }
    // height h over a plane: d2 phi(h^2) / dx2 = (2 phi' + 4 h^2 phi'') n n^T
    const double *n = distance->normal;
    double along = 2 * phi1 + 4 * phi2 * distance->value;
    if (projected && !(along > 0)) along = 0;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) hessian[3 * k + l] = along * (n[k] * n[l]);
    }
}

void pli_contact_measure(const pli_contact_stencil *stencil, const double *x, pli_contact_gap *gap,
                         double *gradient, double *hessian)
{
    pli_distance distance;
    int32_t feature = pli_contact_separate(stencil, x, &distance);
    if (gradient != NULL) pli_distance_gradient(&distance, 1, gradient);
    if (hessian != NULL) compose_hessian(&distance, 1, 0, false, hessian);
    if (gap == NULL) return;
    memset(gap, 0, sizeof *gap);
    gap->distance = distance.length;
    gap->squared = distance.value;
    memcpy(gap->normal, distance.normal, sizeof gap->normal);
    memcpy(gap->tangents, distance.tangents, sizeof gap->tangents);
    memcpy(gap->weights, distance.weights, sizeof gap->weights);
    gap->feature = feature;
}

// Coordinates without translation of four points, an orthonormal basis B of differences:
//     (x1 - x0) / sqrt 2,   (x3 - x2) / sqrt 2,   (x2 + x3 - x0 - x1) / 2.
static const double root_half = 0.70710678118654752;

// out [9][n] = B^T in, in [12][n]
static void take_differences(int n, const double *in, double *out)
{
    for (int k = 0; k < 3 * n; ++k) {
        const double *x = in + k;
        out[k] = root_half * (x[3 * n] - x[0]);
        out[3 * n + k] = root_half * (x[9 * n] - x[6 * n]);
        out[6 * n + k] = 0.5 * ((x[6 * n] + x[9 * n]) - (x[0] + x[3 * n]));
    }
}

// out [12][n] = B in, in [9][n]
static void spread_differences(int n, const double *in, double *out)
{
    for (int k = 0; k < 3 * n; ++k) {
        double first = root_half * in[k];
        double second = root_half * in[3 * n + k];
        double apart = 0.5 * in[6 * n + k];
        out[k] = -first - apart;
        out[3 * n + k] = first - apart;
        out[6 * n + k] = apart - second;
        out[9 * n + k] = apart + second;
    }
}

// out [cols][rows] = in^T
static void transpose(int rows, int cols, const double *in, double *out)
{
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) out[rows * j + i] = in[cols * i + j];
    }
}

// the lower triangle also above
static void mirror(int n, double *A)
{
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) A[n * j + i] = A[n * i + j];
    }
}

// Raises negative eigenvalues of a Hessian [12][12] that translations leave alone to zero.
static void clamp_relative(double *hessian)
{
    double half[RELATIVE * DOFS], turned[DOFS * RELATIVE], M[RELATIVE * RELATIVE];
    // M = B^T H B; H is symmetric
    take_differences(DOFS, hessian, half);
    transpose(RELATIVE, DOFS, half, turned);
    take_differences(RELATIVE, turned, M);
    mirror(RELATIVE, M);
    if (!pli_psd_clamp(RELATIVE, M)) return;
    // H = B M B^T
    spread_differences(RELATIVE, M, turned);
    transpose(DOFS, RELATIVE, turned, half);
    spread_differences(DOFS, half, hessian);
    mirror(DOFS, hessian);
}

// What one evaluation is made of: scaled barrier k w b and its derivatives by the squared distance.
typedef struct potential {
    pli_distance distance;
    double value; // J
    double phi1;  // J/m^2
    double phi2;  // J/m^4
} potential;

static void add_gradient(const potential *phi, double m, const double *dm, double *gradient)
{
    pli_distance_gradient(&phi->distance, m * phi->phi1, gradient);
    if (dm == NULL) return;
    for (int k = 0; k < DOFS; ++k) gradient[k] += phi->value * dm[k];
}

// d2(m phi) = m d2phi + phi d2m + dm dphi^T + dphi dm^T
static void compose_mollified(const potential *phi, double m, const double *dm, const double *d2m,
                              bool projected, double *hessian)
{
    double dphi[DOFS];
    pli_distance_gradient(&phi->distance, phi->phi1, dphi);
    compose_hessian(&phi->distance, m * phi->phi1, m * phi->phi2, false, hessian);
    for (int i = 0; i < DOFS; ++i) {
        for (int j = 0; j <= i; ++j) {
            double cross = dm[i] * dphi[j] + dm[j] * dphi[i];
            hessian[DOFS * i + j] += phi->value * d2m[DOFS * i + j] + cross;
            hessian[DOFS * j + i] = hessian[DOFS * i + j];
        }
    }
    if (projected) clamp_relative(hessian);
}

// True while the primitives are apart, closer than dhat, and everything is finite.
static bool is_pressed(const pli_contact_stencil *stencil, const pli_barrier_def *barrier,
                       potential *phi)
{
    double first, second;
    double d = phi->distance.length;
    double scale = barrier->stiffness * stencil->weight;
    phi->value = scale * pli_barrier(d, barrier->dhat, &first, &second);
    phi->phi1 = scale * first / (2 * d);
    phi->phi2 = scale * (second - first / d) / (4 * d * d);
    if (d >= barrier->dhat)
        phi->value = 0;
    else if (!isfinite(phi->phi2))
        phi->value = INFINITY;
    return phi->value > 0 && phi->value < INFINITY;
}

double pli_contact_evaluate(const pli_contact_stencil *stencil, const pli_barrier_def *barrier,
                            const double *x, bool projected, double *gradient, double *hessian)
{
    potential phi;
    double m, dm[DOFS], d2m[DOFS * DOFS];
    int32_t dofs = 3 * pli_contact_point_count(stencil->kind);
    (void)pli_contact_separate(stencil, x, &phi.distance);
    bool pressed = is_pressed(stencil, barrier, &phi);
    if (!pressed) {
        if (gradient != NULL) memset(gradient, 0, (size_t)dofs * sizeof *gradient);
        if (hessian != NULL) memset(hessian, 0, (size_t)(dofs * dofs) * sizeof *hessian);
        return phi.value;
    }

    bool derived = gradient != NULL || hessian != NULL;
    bool mollified =
        pli_contact_mollify(stencil, x, &m, derived ? dm : NULL, hessian != NULL ? d2m : NULL);
    if (gradient != NULL) add_gradient(&phi, m, mollified ? dm : NULL, gradient);
    if (hessian != NULL && mollified) {
        compose_mollified(&phi, m, dm, d2m, projected, hessian);
    } else if (hessian != NULL) {
        compose_hessian(&phi.distance, phi.phi1, phi.phi2, projected, hessian);
    }
    return m * phi.value;
}
