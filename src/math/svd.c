// SPDX-License-Identifier: Apache-2.0
#include "math/svd.h"

#include "math/mat3.h"

#include <float.h>
#include <stdbool.h>

// more than six have not been seen
enum { SWEEPS_MAX = 30 };

// Columns below this length count as zero; the largest entry of the scaled matrix is about 1.
// Columns that depend on each other cancel to noise that each sweep would shrink once more.
static const double negligible = 1e-18;

static void get_column(const double A[9], int column, double out[3])
{
    pli_vec3_set(A[column], A[3 + column], A[6 + column], out);
}

static void set_column(const double a[3], int column, double A[9])
{
    for (int row = 0; row < 3; ++row) A[3 * row + column] = a[row];
}

// columns p and q become c p - s q and s p + c q
static void turn_columns(double c, double s, int p, int q, double A[9])
{
    for (int row = 0; row < 9; row += 3) {
        double a = A[row + p];
        double b = A[row + q];
        A[row + p] = c * a - s * b;
        A[row + q] = s * a + c * b;
    }
}

static double column_norm2(const double A[9], int column)
{
    double a[3];
    get_column(A, column, a);
    return pli_vec3_norm2(a);
}

// Makes columns p and q of B orthogonal; false when they were already.
static bool orthogonalize(int p, int q, double B[9], double V[9])
{
    double a[3];
    double b[3];
    get_column(B, p, a);
    get_column(B, q, b);
    double aa = pli_vec3_norm2(a);
    double bb = pli_vec3_norm2(b);
    double ab = pli_vec3_dot(a, b);
    if (fabs(ab) <= 2 * DBL_EPSILON * sqrt(aa * bb)) return false;
    if (fmin(aa, bb) <= negligible * negligible) return false;

    // tan of the smaller angle, a root of t^2 + 2 zeta t - 1
    double zeta = (bb - aa) / (2 * ab);
    double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t);
    turn_columns(c, c * t, p, q, B);
    turn_columns(c, c * t, p, q, V);
    return true;
}

// Puts the longer of two columns first; one changes sign, so that V stays a rotation.
static void order_columns(int p, int q, double B[9], double V[9])
{
    if (column_norm2(B, p) >= column_norm2(B, q)) return;
    turn_columns(0, -1, p, q, B);
    turn_columns(0, -1, p, q, V);
}

// any unit vector at right angles to the unit vector u
static void make_across(const double u[3], double out[3])
{
    if (fabs(u[0]) > fabs(u[2])) {
        pli_vec3_set(-u[1], u[0], 0, out);
    } else {
        pli_vec3_set(0, -u[2], u[1], out);
    }
    pli_vec3_normalize(out, out);
}

// U and sigma from the orthogonal, sorted columns of B.
static void normalize_columns(const double B[9], double U[9], double sigma[3])
{
    double b[3][3];
    double u[3][3] = {{1, 0, 0}};
    for (int k = 0; k < 3; ++k) get_column(B, k, b[k]);

    sigma[0] = pli_vec3_norm(b[0]);
    if (sigma[0] > 0) pli_vec3_normalize(b[0], u[0]);

    // what rounding left of u_0 in b_1 is taken out
    pli_vec3_add_scaled(b[1], -pli_vec3_dot(u[0], b[1]), u[0], u[1]);
    sigma[1] = fmin(pli_vec3_normalize(u[1], u[1]), sigma[0]);
    if (sigma[1] <= negligible) {
        sigma[1] = 0;
        make_across(u[0], u[1]);
    }

    pli_vec3_cross(u[0], u[1], u[2]);
    sigma[2] = fmax(fmin(pli_vec3_dot(u[2], b[2]), sigma[1]), -sigma[1]);
    if (fabs(sigma[2]) <= negligible) sigma[2] = 0;
    for (int k = 0; k < 3; ++k) set_column(u[k], k, U);
}

static double largest_entry(const double F[9])
{
    double largest = 0;
    for (int k = 0; k < 9; ++k) {
        if (!isfinite(F[k])) return INFINITY;
        largest = fmax(largest, fabs(F[k]));
    }
    return largest;
}

void pli_svd(const double F[9], double U[9], double sigma[3], double V[9])
{
    pli_mat3_identity(V);
    double largest = largest_entry(F);
    if (!isfinite(largest)) {
        pli_mat3_identity(U);
        pli_vec3_set(NAN, NAN, NAN, sigma);
        return;
    }

    // a power of two brings the largest entry to [1/2, 1); in two halves, which never overflow
    int exponent;
    (void)frexp(largest, &exponent);
    double half = ldexp(1, exponent / 2);
    double rest = ldexp(1, exponent - exponent / 2);
    double B[9];
    for (int k = 0; k < 9; ++k) B[k] = F[k] * (1 / half) * (1 / rest);

    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS_MAX; ++sweep) {
        turned = orthogonalize(0, 1, B, V);
        turned = orthogonalize(0, 2, B, V) || turned;
        turned = orthogonalize(1, 2, B, V) || turned;
    }
    order_columns(0, 1, B, V);
    order_columns(0, 2, B, V);
    order_columns(1, 2, B, V);
    normalize_columns(B, U, sigma);
    for (int k = 0; k < 3; ++k) sigma[k] = sigma[k] * half * rest;
}

void pli_polar(const double F[9], double R[9], double S[9])
{
    double U[9];
    double sigma[3];
    double V[9];
    double scaled[9];
    pli_svd(F, U, sigma, V);
    pli_mat3_multiply_transposed_right(U, V, R);
    for (int k = 0; k < 9; ++k) scaled[k] = V[k] * sigma[k % 3];
    pli_mat3_multiply_transposed_right(scaled, V, S);
    S[1] = S[3];
    S[2] = S[6];
    S[5] = S[7];
}
