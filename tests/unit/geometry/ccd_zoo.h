// SPDX-License-Identifier: Apache-2.0
//
// Queries of continuous collision detection by families, from harmless to malicious.
#ifndef PLI_TESTS_CCD_ZOO_H
#define PLI_TESTS_CCD_ZOO_H

#include "base/random.h"
#include "geometry/collision/ccd_plane.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// The distance at time t in [0, 1] (m), as near as closest points of floating-point numbers tell.
static inline double ccd_distance(const pli_ccd_query *query, double t)
{
    double normal[3];
    return query->scale * pli_ccd_closest_plane(query, t, normal);
}

typedef enum zoo_family {
    ZOO_RANDOM,
    ZOO_HIT,        // contact inside both primitives at a time within [0, 1], up to rounding
    ZOO_GRAZE,      // the same, missed or overlapped by 1e-15 to 1e-6
    ZOO_PARALLEL,   // nearly parallel edges, slivers of triangles
    ZOO_COPLANAR,   // everything in one plane, on a fine grid
    ZOO_DEGENERATE, // edges without length, triangles without area
    ZOO_HUGE,       // sizes around 1e150
    ZOO_TINY,       // sizes around 1e-150
    ZOO_CLOSE,      // start 1e-12 of the size apart
    ZOO_TOGETHER,   // nearly the same path
    ZOO_DUPLICATE,  // a vertex of one is a vertex of the other, at one or both ends of the motion
    ZOO_FAR,        // a million sizes away from the origin
    ZOO_GRID,       // small whole numbers: contacts exactly at corners, edges, whole intervals
    ZOO_FAMILIES
} zoo_family;

typedef struct zoo_query {
    pli_ccd_kind kind;
    double x[2][PLI_CCD_POINTS][3]; // at t = 0 and 1
    double size;                    // of the primitives and their motion
    double hit;                     // time of the contact that was built in, or -1
} zoo_query;

// numbers of one query, in order
typedef struct zoo_source {
    pli_random random;
    uint64_t next;
} zoo_source;

static inline double zoo_range(zoo_source *s, double low, double high)
{
    return pli_random_range(s->random, s->next++, low, high);
}

// 10^[low, high], either sign
static inline double zoo_small(zoo_source *s, double low, double high)
{
    double magnitude = pow(10, zoo_range(s, low, high));
    return zoo_range(s, 0, 1) < 0.5 ? -magnitude : magnitude;
}

static inline int zoo_whole(zoo_source *s, int count)
{
    return (int)zoo_range(s, 0, count);
}

static inline void zoo_vector(zoo_source *s, double size, double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = zoo_range(s, -size, size);
}

static inline void zoo_random(zoo_source *s, zoo_query *q)
{
    for (int i = 0; i < 2 * PLI_CCD_POINTS; ++i) zoo_vector(s, 1, q->x[i / 4][i % 4]);
}

// Signed weights of a pair of points, one on each primitive, inside by at least a twentieth.
static inline void zoo_weights(zoo_source *s, pli_ccd_kind kind, double w[4])
{
    double u = zoo_range(s, 0.05, 0.95), v = zoo_range(s, 0.05, 0.95);
    double triangle = zoo_range(s, 0.05, 0.9 - 0.9 * 0.5 * u);
    double first = 0.5 * u;
    const double weights[4][4] = {
        [PLI_CCD_POINT_POINT] = {1, -1},
        [PLI_CCD_POINT_EDGE] = {1, -u, u - 1},
        [PLI_CCD_POINT_TRIANGLE] = {1, -first, -triangle, first + triangle - 1},
        [PLI_CCD_EDGE_EDGE] = {u, 1 - u, -v, v - 1}};
    memcpy(w, weights[kind], sizeof weights[kind]);
}

// Moves the first primitive so that at time q->hit it misses the second by `miss`.
static inline void zoo_make_hit(zoo_source *s, const double miss[3], zoo_query *q)
{
    double w[4];
    zoo_weights(s, q->kind, w);
    q->hit = zoo_range(s, 0.02, 0.98);
    double r[3];
    pli_vec3_copy(miss, r);
    for (int i = 0; i < pli_ccd_point_count(q->kind); ++i) {
        pli_vec3_add_scaled(r, w[i] * (1 - q->hit), q->x[0][i], r);
        pli_vec3_add_scaled(r, w[i] * q->hit, q->x[1][i], r);
    }
    int moved = q->kind == PLI_CCD_EDGE_EDGE ? 2 : 1;
    for (int i = 0; i < moved; ++i) {
        pli_vec3_subtract(q->x[0][i], r, q->x[0][i]);
        pli_vec3_subtract(q->x[1][i], r, q->x[1][i]);
    }
}

// Makes the last vertices nearly collinear, or the second edge nearly parallel to the first.
static inline void zoo_flatten(zoo_source *s, double low, double high, zoo_query *q)
{
    for (int end = 0; end < 2; ++end) {
        double(*x)[3] = q->x[end];
        double edge[3], bend[3];
        double stretch = zoo_range(s, -1.5, 1.5);
        int from = q->kind == PLI_CCD_EDGE_EDGE ? 0 : 1;
        int last = (int)pli_ccd_point_count(q->kind) - 1;
        int base = q->kind == PLI_CCD_EDGE_EDGE ? 2 : 1;
        if (last <= base) return;
        pli_vec3_subtract(x[from + 1], x[from], edge);
        zoo_vector(s, fabs(zoo_small(s, low, high)), bend);
        pli_vec3_add_scaled(bend, stretch, edge, bend);
        pli_vec3_add(x[base], bend, x[last]);
    }
}

static inline void zoo_make_close(zoo_source *s, zoo_query *q)
{
    double miss[3];
    zoo_make_hit(s, (double[3]){0, 0, 0}, q);
    // as at the time of the hit, moved apart a little; then on, slowly or not
    for (int i = 0; i < PLI_CCD_POINTS; ++i) {
        for (int k = 0; k < 3; ++k) {
            q->x[0][i][k] = (1 - q->hit) * q->x[0][i][k] + q->hit * q->x[1][i][k];
        }
    }
    double speed = fabs(zoo_small(s, -14, 0));
    zoo_vector(s, 1e-12, miss);
    for (int i = 0; i < PLI_CCD_POINTS; ++i) {
        bool is_first = i < (q->kind == PLI_CCD_EDGE_EDGE ? 2 : 1);
        if (is_first) pli_vec3_add(q->x[0][i], miss, q->x[0][i]);
        for (int k = 0; k < 3; ++k) {
            q->x[1][i][k] = q->x[0][i][k] + speed * (q->x[1][i][k] - q->x[0][i][k]);
        }
    }
    q->hit = -1;
}

static inline void zoo_make_grid(zoo_source *s, double step, int count, bool flat, zoo_query *q)
{
    for (int i = 0; i < 2 * PLI_CCD_POINTS; ++i) {
        double *x = q->x[i / 4][i % 4];
        for (int k = 0; k < 3; ++k) x[k] = step * (zoo_whole(s, count) - count / 2);
        if (flat) x[2] = 0;
    }
}

// Shears space exactly, so that a coordinate plane is one no longer.
static inline void zoo_shear(zoo_query *q)
{
    for (int i = 0; i < 2 * PLI_CCD_POINTS; ++i) {
        double *x = q->x[i / 4][i % 4];
        pli_vec3_set(x[0] + x[1], x[1] + 0.5 * x[0] + 2 * x[2], x[2] - x[0] + 0.25 * x[1], x);
    }
}

static inline void zoo_make_degenerate(zoo_source *s, zoo_query *q)
{
    int last = (int)pli_ccd_point_count(q->kind) - 1;
    int which = zoo_whole(s, 4);
    for (int end = 0; end < 2; ++end) {
        // the last vertex on the one before; every second time the first edge, or triangle, too
        if (last > 1 && which != 3) pli_vec3_copy(q->x[end][last - 1], q->x[end][last]);
        if (last == 3 && which >= 1) {
            pli_vec3_copy(q->x[end][1], q->x[end][q->kind == PLI_CCD_EDGE_EDGE ? 0 : 2]);
        }
    }
    if (which % 2 == 0) zoo_make_hit(s, (double[3]){0, 0, 0}, q);
    q->hit = -1;
}

static inline void zoo_make_together(zoo_source *s, zoo_query *q)
{
    double path[3];
    zoo_vector(s, 1, path);
    for (int i = 0; i < PLI_CCD_POINTS; ++i) {
        double own[3];
        zoo_vector(s, fabs(zoo_small(s, -15, -1)), own);
        pli_vec3_add(q->x[0][i], path, q->x[1][i]);
        pli_vec3_add(q->x[1][i], own, q->x[1][i]);
    }
    if (zoo_whole(s, 2) == 0) zoo_make_hit(s, (double[3]){0, 0, 0}, q);
    q->hit = -1;
}

static inline void zoo_make_duplicate(zoo_source *s, zoo_query *q)
{
    int ends = 1 + zoo_whole(s, 3);
    int last = (int)pli_ccd_point_count(q->kind) - 1;
    for (int end = 0; end < 2; ++end) {
        if ((ends & (1 << end)) != 0) pli_vec3_copy(q->x[end][0], q->x[end][last]);
    }
}

static inline void zoo_scale(double factor, zoo_query *q)
{
    for (int i = 0; i < 2 * PLI_CCD_POINTS; ++i) {
        pli_vec3_scale(factor, q->x[i / 4][i % 4], q->x[i / 4][i % 4]);
    }
    q->size *= factor;
}

static inline void zoo_shift(double distance, zoo_query *q)
{
    const double by[3] = {distance, -0.7 * distance, 0.3 * distance};
    for (int i = 0; i < 2 * PLI_CCD_POINTS; ++i) {
        pli_vec3_add(q->x[i / 4][i % 4], by, q->x[i / 4][i % 4]);
    }
}

static inline void zoo_make_family(zoo_source *s, zoo_family family, zoo_query *q)
{
    const double nothing[3] = {0, 0, 0};
    double miss[3];
    switch (family) {
    case ZOO_HIT: zoo_make_hit(s, nothing, q); break;
    case ZOO_GRAZE:
        zoo_vector(s, fabs(zoo_small(s, -15, -6)), miss);
        zoo_make_hit(s, miss, q);
        q->hit = -1;
        break;
    case ZOO_PARALLEL:
        zoo_flatten(s, -17, -3, q);
        zoo_vector(s, fabs(zoo_small(s, -16, -1)), miss);
        if (zoo_whole(s, 3) > 0) zoo_make_hit(s, miss, q);
        q->hit = -1;
        break;
    case ZOO_COPLANAR:
        zoo_make_grid(s, 0x1p-10, 2048, true, q);
        if (zoo_whole(s, 2) == 0) zoo_shear(q);
        break;
    case ZOO_DEGENERATE: zoo_make_degenerate(s, q); break;
    case ZOO_HUGE:
    case ZOO_TINY:
        zoo_make_hit(s, nothing, q);
        zoo_scale(family == ZOO_HUGE ? 3e150 : 3e-150, q);
        break;
    case ZOO_CLOSE: zoo_make_close(s, q); break;
    case ZOO_TOGETHER: zoo_make_together(s, q); break;
    case ZOO_DUPLICATE: zoo_make_duplicate(s, q); break;
    case ZOO_FAR:
        zoo_make_hit(s, nothing, q);
        zoo_shift(1e6, q);
        q->hit = -1;
        break;
    case ZOO_GRID:
        zoo_make_grid(s, 1, 5, zoo_whole(s, 3) == 0, q);
        if (zoo_whole(s, 2) == 0) zoo_shear(q);
        q->size = 3;
        break;
    default: break;
    }
}

static inline void zoo_make(zoo_family family, pli_ccd_kind kind, uint64_t index, zoo_query *q)
{
    zoo_source s = {.random = {.seed = 97, .stream = 64 * (uint64_t)family + (uint64_t)kind},
                    .next = index << 8};
    *q = (zoo_query){.kind = kind, .size = 1, .hit = -1};
    zoo_random(&s, q);
    zoo_make_family(&s, family, q);
}

static inline void zoo_query_init(const zoo_query *q, pli_ccd_query *query)
{
    const double *start[PLI_CCD_POINTS], *end[PLI_CCD_POINTS];
    for (int i = 0; i < PLI_CCD_POINTS; ++i) {
        start[i] = q->x[0][i];
        end[i] = q->x[1][i];
    }
    pli_ccd_query_init(q->kind, start, end, query);
}

#endif
