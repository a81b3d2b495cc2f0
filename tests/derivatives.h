// SPDX-License-Identifier: Apache-2.0
//
// Are the gradient and the Hessian of an energy its derivatives?
//
//     derivatives_case term = {.n = 12, .energy = ..., .gradient = ..., .hessian = ..., .user =
//     ...,
//                              .scale = 0.1, .magnitude = 1e5};
//     CHECK_DERIVATIVES(&term, x, "tetrahedron at rest");
//
// Two checks at a point x, along random unit directions d:
//
// 1. Order. The remainders of Taylor's formula
//      |E(x + h d) - E(x) - h g.d|   and   |g(x + h d) - g(x) - h H d|
//    fall like h^2 if g and H are right, like h if they are not. The slope in a log-log plot over
//    three decades of h must be 2 +- 0.1. Steps whose remainder drowns in rounding are left out;
//    when so few are left that no slope can be told, the energy is linear (the gradient constant)
//    there.
// 2. Value. Central differences with one good step agree to 1e-7 (gradient) and 1e-6 (Hessian).
//
// Directions are combined into one remainder, so that one which happens to have no curvature does
// no harm. A failure prints the slope and fails the test.
#ifndef PLI_TESTS_DERIVATIVES_H
#define PLI_TESTS_DERIVATIVES_H

#include "near.h"

#include "base/random.h"

#include <float.h>

typedef struct derivatives_case {
    int32_t n; // unknowns
    double (*energy)(void *user, const double *x);
    void (*gradient)(void *user, const double *x, double *g);
    // dense [n][n], row-major; or the product H d instead; both NULL: only the gradient is checked
    void (*hessian)(void *user, const double *x, double *H);
    void (*multiply)(void *user, const double *x, const double *d, double *Hd);
    void *user;
    double scale;     // length of a step over which the energy changes its shape
    double magnitude; // size of the terms that the energy adds up; rounding is relative to it
} derivatives_case;

typedef struct derivatives_report {
    double gradient_slope; // NAN: all remainders are rounding
    double hessian_slope;
    double gradient_error; // of central differences, relative
    double hessian_error;
} derivatives_report;

enum {
    DERIVATIVES_DIRECTIONS = 3,
    DERIVATIVES_STEPS = 13 // four a decade
};

// rounding errors are taken to be below this many units of the magnitude
#define DERIVATIVES_ROUNDING (64 * DBL_EPSILON)

static inline double derivatives_norm(int32_t n, const double *a)
{
    double sum = 0;
    for (int32_t k = 0; k < n; ++k) sum += a[k] * a[k];
    return sqrt(sum);
}

static inline double derivatives_dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

static inline void derivatives_direction(int32_t n, uint64_t index, double *d)
{
    pli_random random = {.seed = 4, .stream = index};
    for (int32_t k = 0; k < n; ++k) d[k] = pli_random_normal(random, (uint64_t)k);
    double length = derivatives_norm(n, d);
    for (int32_t k = 0; k < n; ++k) d[k] /= length;
}

static inline void derivatives_shift(int32_t n, const double *x, double h, const double *d,
                                     double *out)
{
    for (int32_t k = 0; k < n; ++k) out[k] = x[k] + h * d[k];
}

// The step that x + h d - x really makes is not h d after rounding: d is replaced by what it makes.
static inline void derivatives_step(int32_t n, const double *x, double h, const double *d,
                                    double *out, double *made)
{
    derivatives_shift(n, x, h, d, out);
    for (int32_t k = 0; k < n; ++k) made[k] = out[k] - x[k];
}

// Work space for one check: x + s, s, two gradients, H s.
typedef struct derivatives_space {
    double *direction;
    double *moved;
    double *step;
    double *g0;
    double *g1;
    double *Hs;
    double *H;
} derivatives_space;

static inline void derivatives_multiply(const derivatives_case *term, const double *x,
                                        const double *d, derivatives_space *space)
{
    int32_t n = term->n;
    if (term->multiply != NULL) {
        term->multiply(term->user, x, d, space->Hs);
        return;
    }
    for (int32_t k = 0; k < n; ++k) {
        space->Hs[k] = derivatives_dot(n, space->H + (int64_t)n * k, d);
    }
}

// Remainders of Taylor's formula with one step.
static inline void derivatives_remainder(const derivatives_case *term, const double *x, double h,
                                         derivatives_space *space, double *energy, double *gradient)
{
    int32_t n = term->n;
    derivatives_step(n, x, h, space->direction, space->moved, space->step);
    double slope = derivatives_dot(n, space->g0, space->step);
    *energy = term->energy(term->user, space->moved) - term->energy(term->user, x) - slope;
    *gradient = 0;
    if (term->hessian == NULL && term->multiply == NULL) return;
    term->gradient(term->user, space->moved, space->g1);
    derivatives_multiply(term, x, space->step, space);
    for (int32_t k = 0; k < n; ++k) space->g1[k] -= space->g0[k] + space->Hs[k];
    *gradient = derivatives_norm(n, space->g1);
}

// Least-squares slope of log r over log h for the steps whose remainder is above the noise;
// infinite when a remainder is not finite.
static inline double derivatives_slope(const double *h, const double *r, double noise)
{
    double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < DERIVATIVES_STEPS; ++k) {
        if (!isfinite(r[k])) return INFINITY;
        if (r[k] <= 30 * noise) continue;
        double u = log(h[k]);
        double v = log(r[k]);
        count += 1, sx += u, sy += v, sxx += u * u, sxy += u * v;
    }
    if (count < 4) return NAN;
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

// Remainders at all steps, the directions' combined.
static inline void derivatives_slopes(const derivatives_case *term, const double *x,
                                      derivatives_space *space, derivatives_report *report)
{
    double h[DERIVATIVES_STEPS];
    double energy[DERIVATIVES_STEPS] = {0};
    double gradient[DERIVATIVES_STEPS] = {0};
    for (int k = 0; k < DERIVATIVES_STEPS; ++k) {
        h[k] = 1e-2 * term->scale * pow(10, -0.25 * k);
        for (uint64_t index = 0; index < DERIVATIVES_DIRECTIONS; ++index) {
            double e, g;
            derivatives_direction(term->n, index, space->direction);
            derivatives_remainder(term, x, h[k], space, &e, &g);
            energy[k] = hypot(energy[k], e);
            gradient[k] = hypot(gradient[k], g);
        }
    }
    double size = term->magnitude + fabs(term->energy(term->user, x));
    double slope = term->magnitude / term->scale + derivatives_norm(term->n, space->g0);
    report->gradient_slope = derivatives_slope(h, energy, DERIVATIVES_ROUNDING * size);
    report->hessian_slope = derivatives_slope(h, gradient, DERIVATIVES_ROUNDING * slope);
}

// What is left of a difference after rounding is taken off, over the size of what was differenced.
static inline double derivatives_excess(double error, double rounding, double size)
{
    if (!isfinite(error)) return INFINITY;
    return error <= rounding ? 0 : (error - rounding) / size;
}

// Errors of central differences with the step 1e-5 scale, relative to the gradient or its change
// over the scale, and to the Hessian or the gradient over the scale.
static inline void derivatives_differences(const derivatives_case *term, const double *x,
                                           derivatives_space *space, derivatives_report *report)
{
    int32_t n = term->n;
    double h = 1e-5 * term->scale;
    double g = derivatives_norm(n, space->g0);
    double E = fabs(term->energy(term->user, x));
    bool has_hessian = term->hessian != NULL || term->multiply != NULL;
    for (uint64_t index = 0; index < DERIVATIVES_DIRECTIONS; ++index) {
        const double *d = space->direction;
        derivatives_direction(n, index, space->direction);
        derivatives_shift(n, x, h, d, space->moved);
        double right = term->energy(term->user, space->moved);
        term->gradient(term->user, space->moved, space->g1);
        derivatives_shift(n, x, -h, d, space->moved);
        double left = term->energy(term->user, space->moved);
        term->gradient(term->user, space->moved, space->step);
        if (has_hessian) derivatives_multiply(term, x, d, space);

        double Hd = has_hessian ? derivatives_norm(n, space->Hs) : 0;
        double error = fabs((right - left) / (2 * h) - derivatives_dot(n, space->g0, d));
        double rounding = DERIVATIVES_ROUNDING * (term->magnitude + E) / h;
        error = derivatives_excess(error, rounding, g + Hd * term->scale);
        report->gradient_error = fmax(report->gradient_error, error);
        if (!has_hessian) continue;
        for (int32_t k = 0; k < n; ++k) {
            space->Hs[k] -= (space->g1[k] - space->step[k]) / (2 * h);
        }
        rounding = DERIVATIVES_ROUNDING * (term->magnitude / term->scale + g) / h;
        error = derivatives_excess(derivatives_norm(n, space->Hs), rounding, Hd + g / term->scale);
        report->hessian_error = fmax(report->hessian_error, error);
    }
}

static inline derivatives_report derivatives_check(const derivatives_case *term, const double *x)
{
    int32_t n = term->n;
    int64_t dense = term->hessian != NULL ? (int64_t)n * n : 0;
    double *memory = calloc((size_t)(6 * (int64_t)n + dense), sizeof *memory);
    assert_non_null(memory);
    derivatives_space space = {memory,         memory + n,     memory + 2 * n, memory + 3 * n,
                               memory + 4 * n, memory + 5 * n, memory + 6 * n};
    derivatives_report report = {0};
    term->gradient(term->user, x, space.g0);
    if (term->hessian != NULL) term->hessian(term->user, x, space.H);
    derivatives_slopes(term, x, &space, &report);
    derivatives_differences(term, x, &space, &report);
    free(memory);
    return report;
}

// no slope at all is a pass: nothing but rounding is left
static inline bool derivatives_is_order(double slope)
{
    return isnan(slope) || (slope >= 1.9 && fabs(slope - round(slope)) <= 0.1);
}

static inline void derivatives_demand(const derivatives_case *term, const double *x,
                                      const char *what, const char *file, int line)
{
    derivatives_report report = derivatives_check(term, x);
    bool ok = derivatives_is_order(report.gradient_slope) &&
              derivatives_is_order(report.hessian_slope) && report.gradient_error <= 1e-7 &&
              report.hessian_error <= 1e-6;
    if (ok) return;
    fprintf(stderr,
            "%s:%d: %s: slopes of the remainders %.3f (gradient) and %.3f (Hessian), want 2; "
            "errors of central differences %.2g and %.2g\n",
            file, line, what, report.gradient_slope, report.hessian_slope, report.gradient_error,
            report.hessian_error);
    fail();
}

#define CHECK_DERIVATIVES(term, x, what) derivatives_demand((term), (x), (what), __FILE__, __LINE__)

#endif
