// SPDX-License-Identifier: Apache-2.0
//
// Exact answer to "do these moving primitives touch at some time in [0, T]?", for oracles of
// continuous collision detection. Integers of any length (GMP); no rounding anywhere.
//
// Two primitives touch when the origin lies in the hull of the differences of their vertices: a
// triangle, or a parallelogram, which is two triangles. With t = T s the corners D_i(s) of a
// triangle are linear polynomials with integer coefficients. The first contact is at s = 0, or at a
// root of det(D_0, D_1, D_2); where that vanishes for all s, the origin is always in the plane of
// the triangle, and the first contact is on an edge: a root of a component of D_i x D_j, or where
// these vanish too, of D_i . D_j. Roots are isolated by Sturm's theorem; whether the origin lies
// inside the triangle at a root is a matter of signs of polynomials there, which are found by
// common divisors (zero) and by refining the interval (not zero).
#ifndef PLI_TESTS_EXACT_CONTACT_H
#define PLI_TESTS_EXACT_CONTACT_H

#include "geometry/collision/ccd.h"

#include <gmp.h>
#include <math.h>
#include <stdbool.h>

enum { EXACT_DEGREE = 6, EXACT_CHAIN = EXACT_DEGREE + 2 };

// ---- polynomials with integer coefficients

typedef struct poly {
    int degree; // -1: zero
    mpz_t c[EXACT_DEGREE + 1];
} poly;

static inline void poly_init(poly *p)
{
    p->degree = -1;
    for (int i = 0; i <= EXACT_DEGREE; ++i) mpz_init(p->c[i]);
}

static inline void poly_clear(poly *p)
{
    for (int i = 0; i <= EXACT_DEGREE; ++i) mpz_clear(p->c[i]);
}

static inline void poly_trim(poly *p, int degree)
{
    while (degree >= 0 && mpz_sgn(p->c[degree]) == 0) --degree;
    p->degree = degree;
}

static inline void poly_copy(const poly *a, poly *out)
{
    out->degree = a->degree;
    for (int i = 0; i <= a->degree; ++i) mpz_set(out->c[i], a->c[i]);
}

// out += sign a b
static inline void poly_add_product(const poly *a, const poly *b, int sign, poly *out)
{
    if (a->degree < 0 || b->degree < 0) return;
    int degree = a->degree + b->degree;
    for (int i = out->degree + 1; i <= degree; ++i) mpz_set_ui(out->c[i], 0);
    for (int i = 0; i <= a->degree; ++i) {
        for (int j = 0; j <= b->degree; ++j) {
            if (sign > 0) {
                mpz_addmul(out->c[i + j], a->c[i], b->c[j]);
            } else {
                mpz_submul(out->c[i + j], a->c[i], b->c[j]);
            }
        }
    }
    poly_trim(out, degree > out->degree ? degree : out->degree);
}

// Divides by the greatest common divisor of the coefficients, which is positive.
static inline void poly_make_primitive(poly *p)
{
    mpz_t content;
    mpz_init(content);
    for (int i = 0; i <= p->degree; ++i) mpz_gcd(content, content, p->c[i]);
    for (int i = 0; i <= p->degree; ++i) mpz_divexact(p->c[i], p->c[i], content);
    mpz_clear(content);
}

// a becomes a positive multiple of a modulo b; `quotient`, if any, that of a / b when b divides a
static inline void poly_reduce(poly *a, const poly *b, poly *quotient)
{
    mpz_t lead, factor;
    mpz_inits(lead, factor, NULL);
    mpz_abs(factor, b->c[b->degree]);
    if (quotient != NULL) {
        for (int i = 0; i <= EXACT_DEGREE; ++i) mpz_set_ui(quotient->c[i], 0);
    }
    int quotient_degree = a->degree - b->degree;
    while (a->degree >= b->degree) {
        int shift = a->degree - b->degree;
        mpz_set(lead, a->c[a->degree]);
        if (mpz_sgn(b->c[b->degree]) < 0) mpz_neg(lead, lead);
        for (int i = 0; i <= a->degree; ++i) mpz_mul(a->c[i], a->c[i], factor);
        for (int i = 0; i <= b->degree; ++i) mpz_submul(a->c[i + shift], lead, b->c[i]);
        if (quotient != NULL) {
            for (int i = 0; i <= quotient_degree; ++i) {
                mpz_mul(quotient->c[i], quotient->c[i], factor);
            }
            mpz_add(quotient->c[shift], quotient->c[shift], lead);
        }
        poly_trim(a, a->degree - 1);
    }
    if (quotient != NULL) poly_trim(quotient, quotient_degree);
    mpz_clears(lead, factor, NULL);
}

static inline void poly_gcd(const poly *a, const poly *b, poly *out)
{
    poly rest, next;
    poly_init(&rest);
    poly_init(&next);
    poly_copy(a, out);
    poly_copy(b, &rest);
    while (rest.degree >= 0) {
        poly_copy(out, &next);
        poly_copy(&rest, out);
        poly_reduce(&next, out, NULL);
        poly_make_primitive(&next);
        poly_copy(&next, &rest);
    }
    poly_make_primitive(out);
    poly_clear(&rest);
    poly_clear(&next);
}

static inline void poly_differentiate(const poly *a, poly *out)
{
    for (int i = 1; i <= a->degree; ++i) mpz_mul_ui(out->c[i - 1], a->c[i], (unsigned long)i);
    poly_trim(out, a->degree - 1);
}

// ---- roots

// The sign at a / 2^k.
static inline int poly_sign(const poly *p, const mpz_t a, unsigned long k)
{
    mpz_t value, term;
    mpz_inits(value, term, NULL);
    for (int i = p->degree; i >= 0; --i) {
        mpz_mul(value, value, a);
        mpz_mul_2exp(term, p->c[i], k * (unsigned long)(p->degree - i));
        mpz_add(value, value, term);
    }
    int sign = mpz_sgn(value);
    mpz_clears(value, term, NULL);
    return sign;
}

// Sturm's sequence of the square-free part of a polynomial.
typedef struct sturm {
    int count;
    poly p[EXACT_CHAIN];
} sturm;

static inline void sturm_init(const poly *p, sturm *chain)
{
    poly divisor, rest;
    poly_init(&divisor);
    poly_init(&rest);
    for (int i = 0; i < EXACT_CHAIN; ++i) poly_init(&chain->p[i]);
    poly_differentiate(p, &rest);
    poly_gcd(p, &rest, &divisor);
    poly_copy(p, &rest);
    poly_reduce(&rest, &divisor, &chain->p[0]);
    poly_make_primitive(&chain->p[0]);
    poly_differentiate(&chain->p[0], &chain->p[1]);
    chain->count = 1;
    while (chain->p[chain->count].degree >= 0) {
        int n = chain->count++;
        poly_copy(&chain->p[n - 1], &rest);
        poly_reduce(&rest, &chain->p[n], NULL);
        poly_make_primitive(&rest);
        for (int i = 0; i <= rest.degree; ++i) mpz_neg(rest.c[i], rest.c[i]);
        poly_copy(&rest, &chain->p[n + 1]);
    }
    poly_clear(&divisor);
    poly_clear(&rest);
}

static inline void sturm_clear(sturm *chain)
{
    for (int i = 0; i < EXACT_CHAIN; ++i) poly_clear(&chain->p[i]);
}

static inline int sturm_variations(const sturm *chain, const mpz_t a, unsigned long k)
{
    int variations = 0, last = 0;
    for (int i = 0; i < chain->count; ++i) {
        int sign = poly_sign(&chain->p[i], a, k);
        if (sign != 0 && last != 0 && sign != last) ++variations;
        if (sign != 0) last = sign;
    }
    return variations;
}

// Distinct roots in (a / 2^k, (a + 1) / 2^k].
static inline int sturm_roots(const sturm *chain, const mpz_t a, unsigned long k)
{
    mpz_t end;
    mpz_init(end);
    mpz_add_ui(end, a, 1);
    int roots = sturm_variations(chain, a, k) - sturm_variations(chain, end, k);
    mpz_clear(end);
    return roots;
}

// A number in [0, 1]: the only root of chain->p[0] in (a / 2^k, (a + 1) / 2^k], or without a chain
// a itself.
typedef struct root {
    const sturm *chain;
    mpz_t a;
    unsigned long k;
} root;

static inline void root_refine(root *r)
{
    mpz_mul_2exp(r->a, r->a, 1);
    r->k += 1;
    if (sturm_roots(r->chain, r->a, r->k) == 0) mpz_add_ui(r->a, r->a, 1);
}

// The sign of q at a root whose polynomial shares no root with q there.
static inline int sign_by_refining(const poly *q, root *r)
{
    sturm of_q;
    sturm_init(q, &of_q);
    while (sturm_roots(&of_q, r->a, r->k) > 0) root_refine(r);
    sturm_clear(&of_q);
    mpz_t end;
    mpz_init(end);
    mpz_add_ui(end, r->a, 1);
    int sign = poly_sign(q, end, r->k);
    mpz_clear(end);
    return sign;
}

static inline int sign_at(const poly *q, root *r)
{
    if (q->degree < 0) return 0;
    if (r->chain == NULL) return poly_sign(q, r->a, r->k);
    poly common;
    poly_init(&common);
    poly_gcd(&r->chain->p[0], q, &common);
    bool is_zero = false;
    if (common.degree > 0) {
        sturm of_common;
        sturm_init(&common, &of_common);
        is_zero = sturm_roots(&of_common, r->a, r->k) > 0;
        sturm_clear(&of_common);
    }
    poly_clear(&common);
    return is_zero ? 0 : sign_by_refining(q, r);
}

// ---- a moving triangle and the origin

typedef struct moving_triangle {
    poly D[3][3];     // corners, components: linear
    poly cross[3][3]; // D_i x D_j of edge i, j = i + 1
    poly along[3];    // D_i . D_j
    poly normal[3];   // (D_1 - D_0) x (D_2 - D_0), the sum of the crosses
    poly side[3];     // cross_i . normal
    poly det;         // D_0 . (D_1 x D_2)
} moving_triangle;

enum { TRIANGLE_POLYS = sizeof(moving_triangle) / sizeof(poly) };

static inline void triangle_init(moving_triangle *m)
{
    for (int i = 0; i < TRIANGLE_POLYS; ++i) poly_init((poly *)m + i);
}

static inline void triangle_clear(moving_triangle *m)
{
    for (int i = 0; i < TRIANGLE_POLYS; ++i) poly_clear((poly *)m + i);
}

static inline void triangle_add_cross(int i, moving_triangle *m)
{
    const poly *a = m->D[i];
    const poly *b = m->D[(i + 1) % 3];
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        poly_add_product(&a[u], &b[v], 1, &m->cross[i][k]);
        poly_add_product(&a[v], &b[u], -1, &m->cross[i][k]);
    }
}

// det alone: most queries are decided by it
static inline void triangle_build_det(moving_triangle *m)
{
    triangle_add_cross(1, m);
    for (int k = 0; k < 3; ++k) poly_add_product(&m->D[0][k], &m->cross[1][k], 1, &m->det);
}

static inline void triangle_build_rest(moving_triangle *m)
{
    poly one;
    poly_init(&one);
    mpz_set_ui(one.c[0], 1);
    poly_trim(&one, 0);
    triangle_add_cross(0, m);
    triangle_add_cross(2, m);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            poly_add_product(&m->D[i][k], &m->D[(i + 1) % 3][k], 1, &m->along[i]);
            poly_add_product(&m->cross[i][k], &one, 1, &m->normal[k]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            poly_add_product(&m->cross[i][k], &m->normal[k], 1, &m->side[i]);
        }
    }
    poly_clear(&one);
}

static inline bool is_zero_vector(const poly v[3], root *r)
{
    return sign_at(&v[0], r) == 0 && sign_at(&v[1], r) == 0 && sign_at(&v[2], r) == 0;
}

// The origin lies in the triangle at the time of a root.
static inline bool triangle_touches(const moving_triangle *m, root *r)
{
    if (sign_at(&m->det, r) != 0) return false;
    if (!is_zero_vector(m->normal, r)) {
        return sign_at(&m->side[0], r) >= 0 && sign_at(&m->side[1], r) >= 0 &&
               sign_at(&m->side[2], r) >= 0;
    }
    // no area: on one of the edges
    for (int i = 0; i < 3; ++i) {
        if (is_zero_vector(m->cross[i], r) && sign_at(&m->along[i], r) <= 0) return true;
    }
    return false;
}

// Looks at all roots of one polynomial in (a / 2^k, (a + 1) / 2^k].
static inline bool touches_in(const moving_triangle *m, const sturm *chain, const mpz_t a,
                              unsigned long k)
{
    int roots = sturm_roots(chain, a, k);
    if (roots == 0) return false;
    root r = {.chain = chain, .k = k};
    mpz_init_set(r.a, a);
    bool touches;
    if (roots == 1) {
        touches = triangle_touches(m, &r);
    } else {
        mpz_mul_2exp(r.a, r.a, 1);
        touches = touches_in(m, chain, r.a, k + 1);
        mpz_add_ui(r.a, r.a, 1);
        touches = touches || touches_in(m, chain, r.a, k + 1);
    }
    mpz_clear(r.a);
    return touches;
}

static inline bool touches_at_roots(const moving_triangle *m, const poly *p)
{
    if (p->degree <= 0) return false;
    sturm chain;
    mpz_t zero;
    sturm_init(p, &chain);
    mpz_init(zero);
    bool touches = touches_in(m, &chain, zero, 0);
    mpz_clear(zero);
    sturm_clear(&chain);
    return touches;
}

// A quick sufficient condition: all Bernstein coefficients of the cubic on [0, 1] have one sign.
static inline bool has_one_sign(const poly *p)
{
    static const unsigned long factors[4][4] = {
        {1, 0, 0, 0}, {3, 1, 0, 0}, {3, 2, 1, 0}, {1, 1, 1, 1}};
    int signs = 0;
    mpz_t sum;
    mpz_init(sum);
    for (int b = 0; b < 4; ++b) {
        mpz_set_ui(sum, 0);
        for (int i = 0; i <= p->degree; ++i) mpz_addmul_ui(sum, p->c[i], factors[b][i]);
        signs += mpz_sgn(sum);
    }
    mpz_clear(sum);
    return signs == 4 || signs == -4;
}

static inline bool triangle_touches_ever(moving_triangle *m)
{
    triangle_build_det(m);
    if (has_one_sign(&m->det)) return false;
    triangle_build_rest(m);
    root start = {.chain = NULL, .k = 0};
    mpz_init(start.a);
    bool touches = triangle_touches(m, &start);
    mpz_clear(start.a);
    if (m->det.degree >= 0) return touches || touches_at_roots(m, &m->det);
    for (int i = 0; i < 3 && !touches; ++i) {
        for (int k = 0; k < 3 && !touches; ++k) touches = touches_at_roots(m, &m->cross[i][k]);
        touches = touches || touches_at_roots(m, &m->along[i]);
    }
    return touches;
}

// ---- queries of doubles

// out = x 2^shift, an integer
static inline void set_scaled(double x, int shift, mpz_t out)
{
    int exponent;
    double mantissa = frexp(x, &exponent);
    mpz_set_d(out, ldexp(mantissa, 53));
    if (mpz_sgn(out) != 0) mpz_mul_2exp(out, out, (unsigned long)(exponent - 53 + shift));
}

static inline int least_exponent(int count, const double *const x[], int least)
{
    for (int i = 0; i < 3 * count; ++i) {
        int exponent;
        double value = x[i / 3][i % 3];
        (void)frexp(value, &exponent);
        if (value != 0 && exponent - 53 < least) least = exponent - 53;
    }
    return least;
}

// D = (first - second) at t = 0 and at t = T = numerator / 2^k, times 2^(shift + k)
static inline void set_difference(const double first[2], const double second[2], int shift,
                                  const mpz_t numerator, unsigned long k, poly *D)
{
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    set_scaled(first[0], shift, D->c[0]);
    set_scaled(second[0], shift, a);
    mpz_sub(D->c[0], D->c[0], a);
    set_scaled(first[1], shift, D->c[1]);
    set_scaled(second[1], shift, b);
    mpz_sub(D->c[1], D->c[1], b);
    mpz_sub(D->c[1], D->c[1], D->c[0]);
    mpz_mul(D->c[1], D->c[1], numerator);
    mpz_mul_2exp(D->c[0], D->c[0], k);
    poly_trim(D, 1);
    mpz_clears(a, b, NULL);
}

// True when the primitives touch at some time in [0, T], T in [0, 1].
static inline bool exact_contact(pli_ccd_kind kind, const double *const start[4],
                                 const double *const end[4], double T)
{
    // vertices of the differences that span the triangles
    static const int pairs[4][2][3][2] = {
        [PLI_CCD_POINT_POINT] = {{{0, 1}, {0, 1}, {0, 1}}},
        [PLI_CCD_POINT_EDGE] = {{{0, 1}, {0, 2}, {0, 2}}},
        [PLI_CCD_POINT_TRIANGLE] = {{{0, 1}, {0, 2}, {0, 3}}},
        [PLI_CCD_EDGE_EDGE] = {{{0, 2}, {1, 2}, {1, 3}}, {{0, 2}, {1, 3}, {0, 3}}},
    };
    int count = (int)pli_ccd_point_count(kind);
    int shift = -least_exponent(count, end, least_exponent(count, start, 1024));
    int exponent;
    mpz_t numerator;
    mpz_init_set_d(numerator, ldexp(frexp(T, &exponent), 53));
    bool touches = false;
    for (int part = 0; part < (kind == PLI_CCD_EDGE_EDGE ? 2 : 1) && !touches; ++part) {
        moving_triangle m;
        triangle_init(&m);
        for (int i = 0; i < 9; ++i) {
            const int *pair = pairs[kind][part][i / 3];
            double first[2] = {start[pair[0]][i % 3], end[pair[0]][i % 3]};
            double second[2] = {start[pair[1]][i % 3], end[pair[1]][i % 3]};
            set_difference(first, second, shift, numerator, (unsigned long)(53 - exponent),
                           &m.D[i / 3][i % 3]);
        }
        touches = triangle_touches_ever(&m);
        triangle_clear(&m);
    }
    mpz_clear(numerator);
    return touches;
}

#endif
