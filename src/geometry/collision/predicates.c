// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/predicates.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#if defined(__FAST_MATH__)
#error "exact predicates need strict arithmetic: compile without -ffast-math"
#endif
_Static_assert(FLT_EVAL_METHOD == 0, "exact predicates need doubles that are rounded as such");

// half an ulp of 1: the relative error of one operation
#define UNIT (0.5 * DBL_EPSILON)

// ---- sums and products with their rounding errors

// a + b = *sum + *error
static inline void two_sum(double a, double b, double *sum, double *error)
{
    double s = a + b;
    double b_part = s - a;
    double a_part = s - b_part;
    *error = (a - a_part) + (b - b_part);
    *sum = s;
}

// a b = *product + *error
static inline void two_product(double a, double b, double *product, double *error)
{
    double p = a * b;
    *error = fma(a, b, -p);
    *product = p;
}

// Whether a - b is a double, which difference then is.
static inline bool subtract(double a, double b, double *difference)
{
    double error;
    two_sum(a, -b, difference, &error);
    return error == 0;
}

// ---- expansions: terms in ascending magnitude that do not overlap; none at all is zero

// h = e + f; h has room for m + n terms. Merges by magnitude and carries the sum along.
static int add_expansions(int m, const double *e, int n, const double *f, double *h)
{
    int i = 0;
    int j = 0;
    int count = 0;
    double carried = 0;
    while (i < m || j < n) {
        bool first = i + j == 0;
        bool from_e = j == n || (i < m && fabs(e[i]) < fabs(f[j]));
        double term = from_e ? e[i++] : f[j++];
        double error = 0;
        // the first is carried as it is, so that even infinities and NaN keep to the room there is
        if (first) {
            carried = term;
        } else {
            two_sum(carried, term, &carried, &error);
        }
        if (error != 0) h[count++] = error;
    }
    if (carried != 0) h[count++] = carried;
    return count;
}

// h = b e; h has room for 2 m terms.
static int scale_expansion(int m, const double *e, double b, double *h)
{
    int count = 0;
    double carried = 0;
    if (m > 0) {
        double low;
        two_product(e[0], b, &carried, &low);
        if (low != 0) h[count++] = low;
    }
    for (int i = 1; i < m; ++i) {
        double high;
        double low;
        double sum;
        double error;
        two_product(e[i], b, &high, &low);
        two_sum(carried, low, &sum, &error);
        if (error != 0) h[count++] = error;
        two_sum(high, sum, &carried, &error);
        if (error != 0) h[count++] = error;
    }
    if (carried != 0) h[count++] = carried;
    return count;
}

static int expansion_sign(int count, const double *e)
{
    if (count == 0) return 0;
    return e[count - 1] > 0 ? 1 : -1;
}

// h = p_x q_y - p_y q_x, up to 4 terms
static int expand_minor(const double p[2], const double q[2], double h[4])
{
    double plus[2];
    double minus[2];
    two_product(p[0], q[1], &plus[1], &plus[0]);
    two_product(-p[1], q[0], &minus[1], &minus[0]);
    return add_expansions(2, plus, 2, minus, h);
}

// h = (p, q) + (q, r) + (r, p) in minors: twice the area of the triangle, up to 12 terms
static int expand_area(const double p[2], const double q[2], const double r[2], double h[12])
{
    double first[4];
    double second[4];
    double third[4];
    double two[8];
    int first_count = expand_minor(p, q, first);
    int second_count = expand_minor(q, r, second);
    int third_count = expand_minor(r, p, third);
    int two_count = add_expansions(first_count, first, second_count, second, two);
    return add_expansions(two_count, two, third_count, third, h);
}

// ---- two dimensions

int pli_orient2d(const double a[2], const double b[2], const double c[2])
{
    double left = (b[0] - a[0]) * (c[1] - a[1]);
    double right = (b[1] - a[1]) * (c[0] - a[0]);
    double det = left - right;
    double size = fabs(left) + fabs(right);

    // five roundings, of which three add up in either product, and one for the bound itself
    double bound = (3 + 16 * UNIT) * UNIT * size;
    if (det > bound) return 1;
    if (det < -bound) return -1;
    // both products have a factor that is zero
    if (size == 0) return 0;

    double area[12];
    int count = expand_area(a, b, c, area);
    return expansion_sign(count, area);
}

// ---- three dimensions

// The sign of det(u, v, w), exactly, for rows that are exact themselves.
static int sign_of_rows(const double u[3], const double v[3], const double w[3])
{
    const double *rows[3] = {u, v, w};
    double parts[3][8];
    int counts[3];
    for (int k = 0; k < 3; ++k) {
        double minor[4];
        int count = expand_minor(rows[(k + 1) % 3], rows[(k + 2) % 3], minor);
        counts[k] = scale_expansion(count, minor, rows[k][2], parts[k]);
    }
    double two[16];
    double det[24];
    int count = add_expansions(counts[0], parts[0], counts[1], parts[1], two);
    count = add_expansions(count, two, counts[2], parts[2], det);
    return expansion_sign(count, det);
}

// The sign of -a_z (b, c, d) + b_z (a, c, d) - c_z (a, b, d) + d_z (a, b, c) in areas of the
// projections to the xy-plane, exactly: the same determinant without differences.
static int sign_of_points(const double a[3], const double b[3], const double c[3],
                          const double d[3])
{
    double area[12];
    double parts[4][24];
    int counts[4];
    counts[0] = scale_expansion(expand_area(b, c, d, area), area, -a[2], parts[0]);
    counts[1] = scale_expansion(expand_area(a, c, d, area), area, b[2], parts[1]);
    counts[2] = scale_expansion(expand_area(a, b, d, area), area, -c[2], parts[2]);
    counts[3] = scale_expansion(expand_area(a, b, c, area), area, d[2], parts[3]);

    double left[48];
    double right[48];
    double det[96];
    int left_count = add_expansions(counts[0], parts[0], counts[1], parts[1], left);
    int right_count = add_expansions(counts[2], parts[2], counts[3], parts[3], right);
    int count = add_expansions(left_count, left, right_count, right, det);
    return expansion_sign(count, det);
}

int pli_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3];
    double v[3];
    double w[3];
    bool exact = true;
    for (int k = 0; k < 3; ++k) {
        exact &= subtract(b[k], a[k], &u[k]);
        exact &= subtract(c[k], a[k], &v[k]);
        exact &= subtract(d[k], a[k], &w[k]);
    }

    // det(u, v, w), developed by the third column
    double vw[2] = {v[0] * w[1], v[1] * w[0]};
    double wu[2] = {w[0] * u[1], w[1] * u[0]};
    double uv[2] = {u[0] * v[1], u[1] * v[0]};
    double det = u[2] * (vw[0] - vw[1]) + v[2] * (wu[0] - wu[1]) + w[2] * (uv[0] - uv[1]);
    double size = fabs(u[2]) * (fabs(vw[0]) + fabs(vw[1])) +
                  fabs(v[2]) * (fabs(wu[0]) + fabs(wu[1])) +
                  fabs(w[2]) * (fabs(uv[0]) + fabs(uv[1]));

    // seven roundings add up in every product at most, counted as Shewchuk does for his bound A
    double bound = (7 + 56 * UNIT) * UNIT * size;
    if (det > bound) return 1;
    if (det < -bound) return -1;
    // every product has a factor that is zero
    if (size == 0) return 0;
    return exact ? sign_of_rows(u, v, w) : sign_of_points(a, b, c, d);
}
