// SPDX-License-Identifier: Apache-2.0
#include "material/prox.h"

#include "material/principal.h"

#include "math/svd_simd.h"

#include <math.h>
#include <string.h>

enum { POINTS = PLI_PROX_POINTS, STEPS = 60, HALVINGS = 50 };

// a step is enough when it is shorter than this, against 1 or the least singular value: Newton's
// next one would be of its square
static const double short_step = 1e-7;

// a start of laws that are not defined where y is
static const double least_start = 0.1;

// the decrease that a step has to bring, of what its slope promises
static const double decrease = 1e-4;

// rounding of an energy against its parts
static const double rounding = 1e-15;

// ---- isotropic laws, four points at a time

// psi + c/2 |s - t|^2 and its gradient, and the Hessian of psi alone
typedef struct pull {
    pli_d4 f;
    pli_d4 g[3];
    pli_d4 H[6];
} pull;

typedef struct lanes {
    const pli_material_ops *law;
    pli_d4 p[PLI_PROX_PARAMS];
    pli_d4 c;
    pli_d4 t[3]; // singular values of y
    pli_d4 s[3];
    pull at;     // of s
    pli_d4 d[3]; // Newton's step
    pli_d4_mask done;
} lanes;

static void evaluate_lanes(const lanes *four, const pli_d4 s[3], pull *at)
{
    pli_principal out;
    pli_principal_evaluate(four->law, PLI_D4_LANES, (const double *)s, (const double *)four->p,
                           (double *)&out.psi, (double *)out.g, (double *)out.hessian);
    at->f = out.psi;
    for (int k = 0; k < 3; ++k) {
        pli_d4 force = four->c * (s[k] - four->t[k]);
        at->f += 0.5 * force * (s[k] - four->t[k]);
        at->g[k] = out.g[k] + force;
    }
    for (int k = 0; k < 6; ++k) at->H[k] = out.hessian[k];
}

// Moves to s where the mask is set.
PLI_INLINE void take_lanes(lanes *four, pli_d4_mask mask, const pli_d4 s[3], const pull *at)
{
    four->at.f = pli_d4_select(mask, at->f, four->at.f);
    for (int k = 0; k < 3; ++k) {
        four->s[k] = pli_d4_select(mask, s[k], four->s[k]);
        four->at.g[k] = pli_d4_select(mask, at->g[k], four->at.g[k]);
    }
    for (int k = 0; k < 6; ++k) four->at.H[k] = pli_d4_select(mask, at->H[k], four->at.H[k]);
}

// d = -(H + c)^-1 g by Cholesky's decomposition without roots; returns where it exists.
PLI_INLINE pli_d4_mask solve_lanes(lanes *four)
{
    const pli_d4 *H = four->at.H;
    const pli_d4 *g = four->at.g;
    const pli_d4 least = 1e-8 * four->c;
    pli_d4 a = H[0] + four->c;
    pli_d4 l10 = H[5] / a, l20 = H[4] / a;
    pli_d4 b = H[1] + four->c - l10 * H[5];
    pli_d4 m = H[3] - l10 * H[4];
    pli_d4 l21 = m / b;
    pli_d4 e = H[2] + four->c - l20 * H[4] - l21 * m;
    pli_d4 y1 = g[1] - l10 * g[0];
    pli_d4 y2 = g[2] - l20 * g[0] - l21 * y1;
    four->d[2] = -y2 / e;
    four->d[1] = -y1 / b - l21 * four->d[2];
    four->d[0] = -g[0] / a - l10 * four->d[1] - l20 * four->d[2];
    return (pli_d4_mask)(a > least) & (pli_d4_mask)(b > least) & (pli_d4_mask)(e > least);
}

// Newton's step, with the positive part of H where H + c is not positive.
PLI_INLINE void find_step(lanes *four)
{
    pli_d4_mask positive = solve_lanes(four);
    if (pli_d4_all(positive | four->done)) return;
    pli_d4 clamped[6];
    for (int k = 0; k < 6; ++k) clamped[k] = four->at.H[k];
    pli_clamp_psd_d4(clamped);
    for (int k = 0; k < 6; ++k) four->at.H[k] = pli_d4_select(positive, four->at.H[k], clamped[k]);
    (void)solve_lanes(four);
}

// Whether the step is the last one that is needed.
PLI_INLINE pli_d4_mask is_short(const lanes *four)
{
    pli_d4 longest = {0}, least = pli_d4_broadcast(1);
    for (int k = 0; k < 3; ++k) {
        longest = pli_d4_max(longest, pli_d4_abs(four->d[k]));
        least = pli_d4_min(least, pli_d4_abs(four->s[k]));
    }
    return (pli_d4_mask)(longest <= short_step * least) | (pli_d4_mask)(longest <= rounding);
}

// Halves the step until f falls; lanes where it does not any more are done.
static void search_lanes(lanes *four)
{
    pli_d4 slope = {0}, length = pli_d4_broadcast(1), before[3], f = four->at.f;
    pli_d4 noise = rounding * (pli_d4_abs(f) + four->c);
    pli_d4_mask open = ~four->done;
    for (int k = 0; k < 3; ++k) {
        slope += four->at.g[k] * four->d[k];
        before[k] = four->s[k];
    }
    for (int halving = 0; halving < HALVINGS && pli_d4_any(open); ++halving) {
        pull trial;
        pli_d4 s[3];
        for (int k = 0; k < 3; ++k) s[k] = before[k] + length * four->d[k];
        evaluate_lanes(four, s, &trial);
        pli_d4 limit = f + decrease * length * slope + noise;
        pli_d4_mask falls = open & (pli_d4_mask)(trial.f <= limit);
        take_lanes(four, falls, s, &trial);
        open &= ~falls;
        length *= 0.5;
    }
    four->done |= open;
}

// Where the start is not one, the nearest state that is not flat.
static void begin_lanes(lanes *four)
{
    evaluate_lanes(four, four->s, &four->at);
    pli_d4_mask bad = ~(pli_d4_mask)(four->at.f < INFINITY);
    if (pli_d4_any(bad)) {
        pull other;
        pli_d4 s[3];
        for (int k = 0; k < 3; ++k) s[k] = pli_d4_max(four->t[k], pli_d4_broadcast(least_start));
        evaluate_lanes(four, s, &other);
        take_lanes(four, bad, s, &other);
    }
    four->done = ~(pli_d4_mask)(four->at.f < INFINITY);
}

static void minimize_lanes(lanes *four)
{
    begin_lanes(four);
    for (int step = 0; step < STEPS && !pli_d4_all(four->done); ++step) {
        find_step(four);
        pli_d4_mask last = is_short(four);
        search_lanes(four);
        four->done |= last;
    }
}

// Four points from `first` on, whose y is decomposed.
static void solve_four(const pli_material_ops *law, const pli_svd_parts_d4 *parts, int32_t first,
                       pli_prox *at)
{
    lanes four = {.law = law, .c = pli_d4_load(at->c + first)};
    for (int k = 0; k < law->param_count; ++k)
        four.p[k] = pli_d4_load(at->params + k * POINTS + first);
    for (int k = 0; k < 3; ++k) {
        four.t[k] = parts->sigma[k];
        four.s[k] = at->is_warm ? pli_d4_load(at->start + k * POINTS + first) : four.t[k];
    }
    minimize_lanes(&four);
    for (int k = 0; k < 3; ++k) pli_d4_store(four.s[k], at->start + k * POINTS + first);
    // z = U diag(s) V^T
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const pli_d4 *u = parts->U + 3 * i, *v = parts->V + 3 * j;
            pli_d4 sum =
                u[0] * four.s[0] * v[0] + u[1] * four.s[1] * v[1] + u[2] * four.s[2] * v[2];
            pli_d4_store(sum, at->z + (3 * i + j) * POINTS + first);
        }
    }
}

// Points behind the last are copies of it.
static void fill_up(int32_t planes, int32_t count, int32_t end, double *array)
{
    for (int32_t p = 0; p < planes; ++p) {
        for (int32_t k = count; k < end; ++k) array[p * POINTS + k] = array[p * POINTS + count - 1];
    }
}

static void solve_isotropic(const pli_material_ops *law, pli_prox *at)
{
    enum { PAIR = 2 * PLI_D4_LANES };
    int32_t end = (at->count + PAIR - 1) / PAIR * PAIR;
    fill_up(9, at->count, end, at->y);
    fill_up(law->param_count, at->count, end, at->params);
    fill_up(1, at->count, end, at->c);
    if (at->is_warm) fill_up(3, at->count, end, at->start);
    for (int32_t first = 0; first < end; first += PAIR) {
        pli_svd_parts_d4 parts[2];
        pli_d4 Y[18];
        for (int k = 0; k < 18; ++k) {
            Y[k] = pli_d4_load(at->y + k % 9 * POINTS + first + k / 9 * PLI_D4_LANES);
        }
        pli_svd_pair_d4(Y, parts);
        solve_four(law, &parts[0], first, at);
        solve_four(law, &parts[1], first + PLI_D4_LANES, at);
    }
}

// ---- any law, point by point

typedef struct point {
    const pli_material_ops *law;
    double params[PLI_PROX_PARAMS];
    double c;
    double y[9];
    double z[9];
    double g[9]; // P + c (z - y)
    double d[9];
} point;

static double energy_at(const point *p, const double z[9])
{
    double psi, sum = 0;
    p->law->evaluate(1, z, p->params, PLI_TANGENT_EXACT, &psi, NULL, NULL);
    for (int k = 0; k < 9; ++k) sum += (z[k] - p->y[k]) * (z[k] - p->y[k]);
    return psi + 0.5 * p->c * sum;
}

// x <- A^-1 x for a symmetric A, which is lost; false: A is not positive.
static bool solve_nine(double A[81], double x[9])
{
    for (int j = 0; j < 9; ++j) {
        if (!(A[10 * j] > 0)) return false;
        for (int i = j + 1; i < 9; ++i) {
            double l = A[9 * i + j] / A[10 * j];
            for (int k = i; k < 9; ++k) A[9 * k + i] -= l * A[9 * k + j];
            x[i] -= l * x[j];
        }
    }
    // the columns of A below the diagonal are D L^T
    for (int j = 8; j >= 0; --j) {
        for (int i = j + 1; i < 9; ++i) x[j] -= A[9 * i + j] * x[i];
        x[j] /= A[10 * j];
    }
    return true;
}

// g and d = -(dP/dF + c)^-1 g; false: that is not positive.
static bool find_direction(pli_projection projection, point *p)
{
    double A[81];
    p->law->evaluate(1, p->z, p->params, projection, NULL, p->g, A);
    for (int k = 0; k < 9; ++k) {
        A[10 * k] += p->c;
        p->g[k] += p->c * (p->z[k] - p->y[k]);
        p->d[k] = -p->g[k];
    }
    return solve_nine(A, p->d);
}

// z <- z + alpha d with an energy that falls; false: there is none.
static bool search_point(point *p, double *f)
{
    double slope = 0, trial[9];
    for (int k = 0; k < 9; ++k) slope += p->g[k] * p->d[k];
    double length = 1;
    for (int step = 0; step < HALVINGS; ++step, length /= 2) {
        for (int k = 0; k < 9; ++k) trial[k] = p->z[k] + length * p->d[k];
        double value = energy_at(p, trial);
        if (!(value <= *f + decrease * length * slope + rounding * (fabs(*f) + p->c))) continue;
        memcpy(p->z, trial, sizeof trial);
        *f = value;
        return true;
    }
    return false;
}

// z <- the minimum; false: nothing is finite.
static bool minimize_point(point *p)
{
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double f = energy_at(p, p->z);
    if (!(f < INFINITY)) {
        memcpy(p->z, rest, sizeof rest);
        f = energy_at(p, p->z);
    }
    for (int step = 0; step < STEPS && f < INFINITY; ++step) {
        double longest = 0;
        bool good =
            find_direction(PLI_TANGENT_EXACT, p) || find_direction(PLI_TANGENT_PROJECTED, p);
        for (int k = 0; k < 9; ++k) longest = fmax(longest, fabs(p->d[k]));
        if (!good || !search_point(p, &f) || longest <= short_step) break;
    }
    return f < INFINITY;
}

static void solve_general(const pli_material_ops *law, pli_prox *at)
{
    for (int32_t n = 0; n < at->count; ++n) {
        point p = {.law = law, .c = at->c[n]};
        const double *start = at->is_warm ? at->start : at->y;
        for (int k = 0; k < law->param_count; ++k) p.params[k] = at->params[k * POINTS + n];
        for (int k = 0; k < 9; ++k) {
            p.y[k] = at->y[k * POINTS + n];
            p.z[k] = start[k * POINTS + n];
        }
        // what is not a number stays so
        if (!minimize_point(&p)) memcpy(p.z, p.y, sizeof p.z);
        for (int k = 0; k < 9; ++k) at->start[k * POINTS + n] = at->z[k * POINTS + n] = p.z[k];
    }
}

static bool is_isotropic(const pli_material_ops *law)
{
    return (law->flags & PLI_LAW_ISOTROPIC) != 0;
}

int32_t pli_prox_start_count(const pli_material_ops *law)
{
    return is_isotropic(law) ? 3 : 9;
}

void pli_prox_solve(const pli_material_ops *law, pli_prox *at)
{
    if (at->count == 0) return;
    if (is_isotropic(law))
        solve_isotropic(law, at);
    else
        solve_general(law, at);
}
