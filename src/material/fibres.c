// SPDX-License-Identifier: Apache-2.0
//
// Matter with one family of fibres along a unit vector a: a stable neo-Hookean ground (Smith et al.
// 2018), fibres that stiffen exponentially (Holzapfel, Gasser and Ogden 2000; with dispersion
// kappa, Gasser, Ogden and Holzapfel 2006), and tension that they make themselves, as muscle does:
//
//   psi = ground(I, J) + fibre(E) + active(l)
//
//   E = tr(F H F^T) - 1,   H = kappa 1 + (1 - 3 kappa) a (x) a,   l = |F a|
//
// Fibres take the whole of F, not its part at constant volume, so that pulling on all sides
// stretches them, too (Nolan et al. 2014).
//
// fibre: with the share c of fibres that bear compression,
//
//   fibre(E) = (1 - c) w(m(E)) + c w(E),   w(E) = k1 / (2 k2) (exp(k2 E^2) - 1)
//
// The rest is slack in compression: m(E) = max(E, 0), but for a toe of length t in which fibres
// straighten, so that the tangent is continuous,
//
//   m = 0 for E < 0,   E^3 / t^2 - E^4 / (2 t^3) up to t,   E - t/2 beyond
//
// whose slope is the smooth step 3 x^2 - 2 x^3, x = E / t. It is convex, and so is fibre. Beyond k2
// E^2 = 20 w goes on as the parabola that it has there, so that every F has an energy that is a
// number.
//
// active: with the tension T (activation times the largest one) and x = (l - l_0) / b,
//
//   active(l) = T int_1^l f dl,   f = (1 - x^2)^2 for |x| < 1, else 0
//
// the curve of force over length of a muscle, which is at its best at l_0; b < l_0, so nothing is
// pulled at l = 0, where F a has no direction. Matter at rest is under tension when T is not zero.
//
// With v = F a, u = F H and ' for derivatives by E or l,
//
//   P     = ground + 2 fibre' u + (T f / l) v (x) a
//   dP/dF = ground + 1 (x) (2 fibre' H + (T f / l) a a) + 4 fibre'' u u + T (f' - f/l) / l^2 va va
#include "material/clamp.h"
#include "material/laws.h"
#include "material/stable_neo_hookean.h"
#include "material/wave.h"

#include "math/simd_exp.h"
#include "math/vec3.h"

#include <stdio.h>

enum {
    A = PLI_LAME_PARAM_COUNT,
    K1 = A + 3,
    K2,
    KAPPA,
    SHARE,
    TOE,
    TENSION,
    OPTIMUM,
    WIDTH,
    COUNT
};

// k2 E^2 up to which fibres stiffen exponentially: 5e8 times as stiff as at rest
static const double last_exponent = 20;

// ---- what a scene gives

// where the inputs stand
enum { AT_DIRECTION = 2, AT_K1 = 5, AT_TENSION = 10, AT_ACTIVATION, AT_OPTIMUM, AT_WIDTH };

static const pli_material_input inputs[] = {
    PLI_LAME_INPUTS,
    {.key = "fibre",
     .unit = "",
     .components = 3,
     .direction = {0, 1, 0},
     .doc = "Direction of the fibres, along the scene's axes in the rest shape."},
    {.key = "k1",
     .unit = "Pa",
     .fallback = 1e5,
     .min = 0,
     .max = INFINITY,
     .doc = "Half of the stress over l^2 - 1 of fibres that begin to be stretched; 0: none."},
    {.key = "k2",
     .unit = "",
     .fallback = 1,
     .min = 0,
     .max = 1e5,
     .doc = "How fast they stiffen; 0: not at all."},
    {.key = "dispersion",
     .unit = "",
     .fallback = 0,
     .min = 0,
     .max = 1.0 / 3,
     .doc = "How far directions of fibres scatter: 0 all alike, 1/3 in all directions."},
    {.key = "compression",
     .unit = "",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .doc = "Share of the fibres that bears compression; 0: they only pull."},
    {.key = "toe",
     .unit = "",
     .fallback = 0.01,
     .min = 1e-6,
     .max = 1,
     .doc = "Strain (l^2 - 1) over which fibres that only pull straighten."},
    {.key = "active_stress",
     .unit = "Pa",
     .fallback = 3e5,
     .min = 0,
     .max = INFINITY,
     .doc = "Tension that fibres make by themselves at their best length, per area at rest."},
    {.key = "activation",
     .unit = "",
     .fallback = 0,
     .min = 0,
     .max = 1,
     .doc = "Share of that tension which is switched on."},
    {.key = "optimum",
     .unit = "",
     .fallback = 1,
     .min = 0.1,
     .max = 10,
     .doc = "Stretch at which they pull best."},
    {.key = "width",
     .unit = "",
     .fallback = 0.6,
     .min = 0.01,
     .max = 10,
     .doc = "How far from it they no longer pull; less than optimum."},
};

static bool check(const double *given, size_t capacity, char *text)
{
    if (given[AT_WIDTH] < given[AT_OPTIMUM]) return true;
    snprintf(text, capacity, "width = %g must be less than optimum = %g", given[AT_WIDTH],
             given[AT_OPTIMUM]);
    return false;
}

static void derive(const double *given, double *params)
{
    pli_lame_derive(given, params);
    pli_vec3_normalize(given + AT_DIRECTION, params + A);
    for (int k = 0; K1 + k < TENSION; ++k) params[K1 + k] = given[AT_K1 + k];
    params[TENSION] = given[AT_TENSION] * given[AT_ACTIVATION];
    params[OPTIMUM] = given[AT_OPTIMUM];
    params[WIDTH] = given[AT_WIDTH];
}

// ---- four points

// An energy of one number with its derivatives by it.
typedef struct curve {
    pli_d4 psi;
    pli_d4 first;
    pli_d4 second;
} curve;

// w
PLI_INLINE void find_exponential(pli_d4 E, const pli_d4 *p, curve *w)
{
    // up to the end of the exponential, and what is beyond
    pli_d4 end = pli_d4_sqrt(last_exponent / pli_d4_max(p[K2], pli_d4_broadcast(1e-300)));
    pli_d4 near = pli_d4_max(-end, pli_d4_min(end, E));
    pli_d4 beyond = E - near;
    pli_d4 x = p[K2] * near * near;
    pli_d4 stiffness = p[K1] * pli_d4_exp(x);
    w->psi = 0.5 * p[K1] * near * near * pli_d4_expm1_slope(x);
    w->first = stiffness * near;
    w->second = stiffness * (1.0 + 2.0 * x);
    w->psi += beyond * (w->first + 0.5 * w->second * beyond);
    w->first += w->second * beyond;
}

// m, by E
PLI_INLINE void find_slack(pli_d4 E, pli_d4 toe, curve *m)
{
    const pli_d4 one = pli_d4_broadcast(1);
    pli_d4 x = pli_d4_max((pli_d4){0}, pli_d4_min(one, E / toe));
    pli_d4_mask beyond = (pli_d4_mask)(E > toe);
    m->psi = pli_d4_select(beyond, E - 0.5 * toe, toe * x * x * x * (1.0 - 0.5 * x));
    m->first = x * x * (3.0 - 2.0 * x);
    m->second = 6.0 * x * (1.0 - x) / toe;
}

PLI_INLINE void find_fibre(pli_d4 E, const pli_d4 *p, curve *fibre)
{
    curve all, slack, m;
    find_exponential(E, p, &all);
    find_slack(E, p[TOE], &m);
    find_exponential(m.psi, p, &slack);
    pli_d4 share = p[SHARE];
    pli_d4 rest = 1.0 - share;
    fibre->psi = share * all.psi + rest * slack.psi;
    fibre->first = share * all.first + rest * slack.first * m.first;
    fibre->second =
        share * all.second + rest * (slack.second * m.first * m.first + slack.first * m.second);
}

// The energy by l, and f / l and (f' - f/l) / l^2 instead of derivatives; above = l - 1.
PLI_INLINE void find_active(pli_d4 l, pli_d4 above, const pli_d4 *p, curve *active)
{
    const pli_d4 one = pli_d4_broadcast(1);
    pli_d4 begin = pli_d4_max(-one, pli_d4_min(one, (1.0 - p[OPTIMUM]) / p[WIDTH]));
    pli_d4 free = (l - p[OPTIMUM]) / p[WIDTH];
    pli_d4 x = pli_d4_max(-one, pli_d4_min(one, free));
    pli_d4_mask is_free =
        (pli_d4_mask)(x == free) & (pli_d4_mask)(pli_d4_abs(1.0 - p[OPTIMUM]) < p[WIDTH]);
    pli_d4 distance = pli_d4_select(is_free, above / p[WIDTH], x - begin);
    // the integral of (1 - x^2)^2 from begin to x, over their distance
    pli_d4 square = x * x + x * begin + begin * begin;
    pli_d4 fourth = x * x * x * (x + begin) + begin * begin * square;
    pli_d4 mean = 1.0 - (2.0 / 3) * square + 0.2 * fourth;
    pli_d4 rest = 1.0 - x * x;
    pli_d4 inverse = 1.0 / pli_d4_max(l, pli_d4_broadcast(DBL_MIN));
    pli_d4 force = p[TENSION] * rest * rest * inverse;
    pli_d4 slope = -4.0 * p[TENSION] * x * rest / p[WIDTH];
    active->psi = p[TENSION] * p[WIDTH] * distance * mean;
    active->first = force;
    active->second = (slope - force) * inverse * inverse;
    // where nothing is pulled, l may be zero
    pli_d4_mask pulls = (pli_d4_mask)(rest > 0.0);
    active->second = pli_keep(pulls, active->second);
}

typedef struct fibres {
    curve fibre;
    curve active;
    pli_d4 along; // 1 - 3 kappa
    pli_d4 v[3];  // F a
} fibres;

PLI_INLINE void find_fibres(const pli_invariant_points *points, fibres *at)
{
    const pli_d4 *F = points->F;
    const pli_d4 *p = points->p;
    const pli_d4 *a = p + A;
    pli_d4 D[6];
    pli_strain(F, D);
    pli_d4 square = {0};
    for (int i = 0; i < 3; ++i) {
        at->v[i] = F[3 * i] * a[0] + F[3 * i + 1] * a[1] + F[3 * i + 2] * a[2];
        square += at->v[i] * at->v[i];
    }
    // l^2 - 1 = a . D a
    pli_d4 stretch = D[0] * a[0] * a[0] + D[1] * a[1] * a[1] + D[2] * a[2] * a[2] +
                     2.0 * (D[3] * a[1] * a[2] + D[4] * a[0] * a[2] + D[5] * a[0] * a[1]);
    pli_d4 l = pli_d4_sqrt(square);
    at->along = 1.0 - 3.0 * p[KAPPA];
    find_fibre(p[KAPPA] * (D[0] + D[1] + D[2]) + at->along * stretch, p, &at->fibre);
    find_active(l, stretch / (1.0 + l), p, &at->active);
}

// u = F H
PLI_INLINE pli_d4 entry_of_u(const pli_invariant_points *points, const fibres *at, int ij)
{
    return points->p[KAPPA] * points->F[ij] + at->along * at->v[ij / 3] * points->p[A + ij % 3];
}

PLI_INLINE void store_stress(const pli_invariant_points *points, const fibres *at, int64_t stride,
                             double *P)
{
    for (int ij = 0; ij < 9; ++ij) {
        pli_d4 sum = points->terms.a * points->F[ij] + points->terms.b * points->C[ij];
        sum += 2.0 * at->fibre.first * entry_of_u(points, at, ij);
        sum += at->active.first * at->v[ij / 3] * points->p[A + ij % 3];
        pli_d4_store(sum, P + ij * stride);
    }
}

PLI_INLINE void store_tangent(const pli_invariant_points *points, const fibres *at, int64_t stride,
                              double *dPdF)
{
    const pli_d4 *a = points->p + A;
    pli_d4 u[9], va[9];
    for (int ij = 0; ij < 9; ++ij) {
        u[ij] = entry_of_u(points, at, ij);
        va[ij] = at->v[ij / 3] * a[ij % 3];
    }
    for (int ij = 0; ij < 9; ++ij) {
        for (int kl = ij; kl < 9; ++kl) {
            pli_d4 m = pli_invariant_products(points, ij, kl) + pli_invariant_turn(points, ij, kl);
            m += 4.0 * at->fibre.second * u[ij] * u[kl] + at->active.second * va[ij] * va[kl];
            if (ij / 3 == kl / 3) {
                m += (2.0 * at->fibre.first * at->along + at->active.first) * a[ij % 3] * a[kl % 3];
            }
            if (ij == kl) m += points->terms.a + 2.0 * at->fibre.first * points->p[KAPPA];
            pli_d4_store(m, dPdF + (9 * ij + kl) * stride);
            if (ij != kl) pli_d4_store(m, dPdF + (9 * kl + ij) * stride);
        }
    }
}

static const pli_invariant_law ground = {COUNT, false, pli_stable_energy, pli_stable_terms};

static void block(const pli_planes *at, pli_projection projection)
{
    PLI_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
        pli_planes planes = pli_planes_half(at, half);
        pli_invariant_points points;
        fibres family;
        pli_invariant_load(&ground, &planes, &points);
        find_fibres(&points, &family);
        if (at->psi != NULL) {
            pli_d4 psi = pli_invariant_energy(&ground, &points);
            pli_d4_store(psi + family.fibre.psi + family.active.psi, planes.psi);
        }
        pli_invariant_derive(&ground, &points);
        if (at->P != NULL) store_stress(&points, &family, at->stride, planes.P);
        if (at->dPdF != NULL) store_tangent(&points, &family, at->stride, planes.dPdF);
    }
    if (at->dPdF != NULL && projection == PLI_TANGENT_PROJECTED) {
        pli_tangent_clamp(at->stride, at->dPdF);
    }
}

static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    pli_planes batch = {n, F, params, psi, P, dPdF};
    pli_batch_run(n, COUNT, &batch, projection, block);
}

// With all fibres as stiff as they are once they are straight.
static double sound_speed(const double *params, double density)
{
    double straight[COUNT];
    for (int k = 0; k < COUNT; ++k) straight[k] = params[k];
    straight[SHARE] = 1;
    return pli_wave_rest_speed(&pli_law_fibres, straight, density);
}

const pli_material_ops pli_law_fibres = {
    .name = "fibres",
    .doc =
        "Flesh with fibres that stiffen and contract: muscle, tendon, artery. Survives inversion.",
    .flags = PLI_LAW_INVERTIBLE,
    .input_count = sizeof inputs / sizeof *inputs,
    .inputs = inputs,
    .param_count = COUNT,
    .derive = derive,
    .check = check,
    .evaluate = evaluate,
    .sound_speed = sound_speed,
};
