// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/inversion.h"

#include "base/parallel.h"
#include "math/simd.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

enum { TET_GRAIN = 1024 };

// part of the volume by which four tetrahedra at once have to be farther from inverting than one
static const double safety = 1e-6;

// c[0] + c[1] t + c[2] t^2 + c[3] t^3
static double evaluate(const double c[4], double t)
{
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

// Six times the volume along the motion.
static void volume_cubic(const double *const x[4], const double *const d[4], double c[4])
{
    double e[3][3], m[3][3];
    for (int k = 0; k < 3; ++k) {
        pli_vec3_subtract(x[k + 1], x[0], e[k]);
        pli_vec3_subtract(d[k + 1], d[0], m[k]);
    }
    c[0] = pli_vec3_triple(e[0], e[1], e[2]);
    c[1] = pli_vec3_triple(m[0], e[1], e[2]) + pli_vec3_triple(e[0], m[1], e[2]) +
           pli_vec3_triple(e[0], e[1], m[2]);
    c[2] = pli_vec3_triple(e[0], m[1], m[2]) + pli_vec3_triple(m[0], e[1], m[2]) +
           pli_vec3_triple(m[0], m[1], e[2]);
    c[3] = pli_vec3_triple(m[0], m[1], m[2]);
}

// Places in (0, 1), in order, where the cubic turns.
static int find_turns(const double c[4], double turns[2])
{
    double a = 3 * c[3], b = 2 * c[2];
    double square = b * b - 4 * a * c[1];
    if (!(square >= 0)) return 0;
    // the roots without cancellation
    double q = -0.5 * (b + copysign(sqrt(square), b));
    double first = a != 0 ? q / a : NAN;
    double second = q != 0 ? c[1] / q : NAN;
    double low = fmin(first, second), high = fmax(first, second);
    int count = 0;
    if (low > 0 && low < 1) turns[count++] = low;
    if (high > 0 && high < 1 && high != low) turns[count++] = high;
    return count;
}

// Where the cubic falls to zero in an interval at whose ends it is positive and not positive; the
// value at what is returned is positive.
static double bisect(const double c[4], double positive, double other)
{
    while (other - positive > 4 * DBL_EPSILON * other) {
        double middle = 0.5 * (positive + other);
        *(evaluate(c, middle) > 0 ? &positive : &other) = middle;
    }
    return positive;
}

double pli_inversion_step(const double *const x[4], const double *const d[4], double keep)
{
    double c[4];
    volume_cubic(x, d, c);
    if (!(c[0] > 0)) return 1;
    c[0] *= 1 - keep;
    // what cannot happen by far is decided at once
    if (c[0] > fabs(c[1]) + fabs(c[2]) + fabs(c[3])) return 1;
    double stops[3];
    int count = find_turns(c, stops);
    stops[count++] = 1;
    double begin = 0;
    for (int k = 0; k < count; ++k) {
        if (!(evaluate(c, stops[k]) > 0)) return bisect(c, begin, stops[k]);
        begin = stops[k];
    }
    return 1;
}

typedef struct steps_job {
    const int32_t *tets;
    const double *x;
    const double *d;
    double keep;
} steps_job;

static double step_of_tet(const steps_job *job, int64_t tet)
{
    const double *x[4], *d[4];
    for (int k = 0; k < 4; ++k) {
        int64_t at = 3 * (int64_t)job->tets[4 * tet + k];
        x[k] = job->x + at;
        d[k] = job->d + at;
    }
    return pli_inversion_step(x, d, job->keep);
}

// ---- four tetrahedra at once, a lane each

typedef struct vector4 {
    pli_d4 x, y, z;
} vector4;

// The edges from the first corner to corner k of four tetrahedra, in positions or motions.
PLI_INLINE vector4 load_edges(const int32_t *tets, int k, const double *from)
{
    vector4 e;
    for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
        const double *a = from + 3 * (int64_t)tets[4 * lane];
        const double *b = from + 3 * (int64_t)tets[4 * lane + k];
        e.x[lane] = b[0] - a[0];
        e.y[lane] = b[1] - a[1];
        e.z[lane] = b[2] - a[2];
    }
    return e;
}

PLI_INLINE pli_d4 dot4(vector4 a, vector4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

PLI_INLINE vector4 cross4(vector4 a, vector4 b)
{
    return (vector4){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

PLI_INLINE vector4 add4(vector4 a, vector4 b)
{
    return (vector4){a.x + b.x, a.y + b.y, a.z + b.z};
}

// Whether none of four tetrahedra comes near to inverting, which is so for almost all of them. What
// passes here passes the first test of the careful way, too: the tolerance is far above rounding.
static bool are_safe(const steps_job *job, int64_t first)
{
    const int32_t *tets = job->tets + 4 * first;
    vector4 e[3], m[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = load_edges(tets, k + 1, job->x);
        m[k] = load_edges(tets, k + 1, job->d);
    }
    // (e1 + t m1) x (e2 + t m2) = still + t turning + t^2 moving
    vector4 still = cross4(e[1], e[2]);
    vector4 turning = add4(cross4(m[1], e[2]), cross4(e[1], m[2]));
    vector4 moving = cross4(m[1], m[2]);
    pli_d4 volume = dot4(e[0], still);
    pli_d4 change = pli_d4_abs(dot4(m[0], still) + dot4(e[0], turning)) +
                    pli_d4_abs(dot4(m[0], turning) + dot4(e[0], moving)) +
                    pli_d4_abs(dot4(m[0], moving));
    return !pli_d4_any(~(pli_d4_mask)(volume * (1 - job->keep) * (1 - safety) > change));
}

// The largest of minus the steps: the parallel loops know maxima.
static double largest_negative(void *user, int64_t begin, int64_t end)
{
    const steps_job *job = user;
    double largest = -1;
    for (int64_t tet = begin; tet < end;) {
        if (tet + PLI_D4_LANES <= end && are_safe(job, tet)) {
            tet += PLI_D4_LANES;
            continue;
        }
        int64_t last = tet + PLI_D4_LANES < end ? tet + PLI_D4_LANES : end;
        for (; tet < last; ++tet) largest = fmax(largest, -step_of_tet(job, tet));
    }
    return largest;
}

double pli_inversion_steps(pli_context *context, int32_t tet_count, const int32_t *tets,
                           const double *x, const double *d, double keep)
{
    steps_job job = {tets, x, d, keep};
    double largest = pli_parallel_max(context, tet_count, TET_GRAIN, largest_negative, &job);
    return tet_count > 0 ? fmin(fmax(-largest, 0), 1) : 1;
}
