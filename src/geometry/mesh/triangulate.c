// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/triangulate.h"

#include "geometry/collision/distance.h"
#include "geometry/collision/predicates.h"
#include "math/vec3.h"

#include <math.h>

// A polygon whose area vector is shorter than this part of the sum of its triangles' areas lies
// over itself: seen along its normal it is next to nothing.
static const double least_area = 0.01;

// A polygon whose sides keep this part of its size from each other does not cross itself, even if
// it seems to from everywhere: it is bent. All pairs of sides are looked at, up to so many corners.
static const double least_gap = 0.01;

// A polygon within this part of its size from its plane looks the same from everywhere.
static const double plane_part = 1e-3;

enum { BENT_CORNERS = 256 };

typedef struct polygon {
    int32_t count;
    const int32_t *corners; // [count]
    const double *points;
    double scale;     // a power of two that brings the largest coordinate near 1
    double normal[3]; // vector of the area, scaled

    // the view: two directions of the plane, from a place in it
    double origin[3];
    double across[2][3];
} polygon;

static void get_corner(const polygon *g, int32_t corner, double out[3])
{
    pli_vec3_scale(g->scale, g->points + 3 * (int64_t)g->corners[corner], out);
}

// Powers of two change no digit, and keep products of coordinates within the range of doubles.
static double find_scale(const polygon *g)
{
    double largest = 0;
    for (int32_t i = 0; i < g->count; ++i) {
        const double *x = g->points + 3 * (int64_t)g->corners[i];
        for (int k = 0; k < 3; ++k) largest = fmax(largest, fabs(x[k]));
    }
    if (!(largest > 0) || (largest > 0.25 && largest < 4)) return 1;
    int exponent = 0;
    (void)frexp(largest, &exponent);
    // the power itself must be a double
    return ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

static int find_longest(const double v[3])
{
    int axis = fabs(v[1]) > fabs(v[0]) ? 1 : 0;
    return fabs(v[2]) > fabs(v[axis]) ? 2 : axis;
}

// Looks along a coordinate: then the view has the coordinates as they are.
static void set_view_along_axis(polygon *g, int axis)
{
    pli_vec3_set(0, 0, 0, g->origin);
    for (int k = 0; k < 2; ++k) {
        pli_vec3_set(0, 0, 0, g->across[k]);
        g->across[k][(axis + 1 + k) % 3] = 1;
    }
}

static void set_view_along_normal(polygon *g)
{
    double n[3];
    double seed[3] = {0};
    (void)pli_vec3_normalize(g->normal, n);
    seed[(find_longest(n) + 1) % 3] = 1;
    pli_vec3_cross(seed, n, g->across[0]);
    (void)pli_vec3_normalize(g->across[0], g->across[0]);
    pli_vec3_cross(n, g->across[0], g->across[1]);
    get_corner(g, 0, g->origin);
}

// normal = 1/2 sum (x_i - x_0) x (x_i+1 - x_0). The axis is that of the sum of magnitudes, which
// is the same for a plane polygon and tells the plane of one whose parts cancel, too.
static int compute_normal(polygon *g)
{
    double origin[3], a[3], b[3], product[3];
    double magnitude[3] = {0};
    pli_vec3_set(0, 0, 0, g->normal);
    get_corner(g, 0, origin);
    get_corner(g, 1, a);
    pli_vec3_subtract(a, origin, a);
    for (int32_t i = 2; i < g->count; ++i) {
        get_corner(g, i, b);
        pli_vec3_subtract(b, origin, b);
        pli_vec3_cross(a, b, product);
        pli_vec3_add_scaled(g->normal, 0.5, product, g->normal);
        for (int k = 0; k < 3; ++k) magnitude[k] += fabs(product[k]);
        pli_vec3_copy(b, a);
    }
    return find_longest(magnitude);
}

// ---- the fan

static void look_at(const polygon *g, int32_t corner, double out[2])
{
    double x[3];
    get_corner(g, corner, x);
    pli_vec3_subtract(x, g->origin, x);
    for (int k = 0; k < 2; ++k) out[k] = pli_vec3_dot(g->across[k], x);
}

// Whether the triangles (0, i, i + 1) all turn the same way and go less than once around corner 0:
// seen from there, the corners begin on one side of the line through corner 1 and may go on to the
// other side of it, but not come back.
static bool is_fan(const polygon *g)
{
    double origin[2], first[2], a[2], b[2];
    look_at(g, 0, origin);
    look_at(g, 1, first);
    look_at(g, 2, b);
    int turn = pli_orient2d(origin, first, b);
    bool beyond = false;
    for (int32_t i = 3; i < g->count && turn != 0; ++i) {
        a[0] = b[0];
        a[1] = b[1];
        look_at(g, i, b);
        if (pli_orient2d(origin, a, b) != turn) return false;
        bool ahead = pli_orient2d(origin, first, b) == turn;
        if (beyond && pli_orient2d(origin, first, b) != -turn) return false;
        beyond = beyond || !ahead;
    }
    return turn != 0;
}

static void set_fan(int32_t count, int32_t (*triangles)[3])
{
    for (int32_t i = 0; i + 2 < count; ++i) {
        triangles[i][0] = 0;
        triangles[i][1] = i + 1;
        triangles[i][2] = i + 2;
    }
}

static double sum_areas(const polygon *g, int32_t (*triangles)[3])
{
    double sum = 0;
    for (int32_t i = 0; i + 2 < g->count; ++i) {
        double x[3][3], product[3];
        for (int k = 0; k < 3; ++k) get_corner(g, triangles[i][k], x[k]);
        pli_vec3_subtract(x[1], x[0], x[1]);
        pli_vec3_subtract(x[2], x[0], x[2]);
        pli_vec3_cross(x[1], x[2], product);
        sum += 0.5 * pli_vec3_norm(product);
    }
    return sum;
}

// Whether the triangles cover each other when they are seen along the normal.
static bool is_folded(const polygon *g, int32_t (*triangles)[3])
{
    return pli_vec3_norm(g->normal) < least_area * sum_areas(g, triangles);
}

static double find_size2(const polygon *g)
{
    double low[3], high[3], x[3], diagonal[3];
    get_corner(g, 0, low);
    pli_vec3_copy(low, high);
    for (int32_t i = 1; i < g->count; ++i) {
        get_corner(g, i, x);
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
    pli_vec3_subtract(high, low, diagonal);
    return pli_vec3_norm2(diagonal);
}

static bool is_plane(const polygon *g)
{
    double n[3], origin[3], x[3];
    double furthest = 0;
    (void)pli_vec3_normalize(g->normal, n);
    get_corner(g, 0, origin);
    for (int32_t i = 1; i < g->count; ++i) {
        get_corner(g, i, x);
        pli_vec3_subtract(x, origin, x);
        furthest = fmax(furthest, fabs(pli_vec3_dot(n, x)));
    }
    return furthest * furthest <= plane_part * plane_part * find_size2(g);
}

// ---- one view

static pli_status sweep_view(pli_arena *scratch, const polygon *g, int32_t (*triangles)[3],
                             pli_polygon_report *report)
{
    pli_status status = PLI_ERROR_MEMORY;
    pli_arena_mark mark = pli_arena_begin(scratch);
    double(*view)[2] = pli_arena_take(scratch, g->count, sizeof *view, "view of a polygon");
    if (view == NULL) goto done;
    for (int32_t i = 0; i < g->count; ++i) look_at(g, i, view[i]);
    status = pli_polygon_sweep(scratch, g->count, (const double(*)[2])view, triangles, report);

done:
    pli_arena_end(scratch, mark);
    return status;
}

static pli_status cut_view(pli_arena *scratch, const polygon *g, int32_t (*triangles)[3],
                           pli_polygon_report *report)
{
    *report = (pli_polygon_report){PLI_POLYGON_SIMPLE, 0, 0};
    set_fan(g->count, triangles);
    if (!is_fan(g)) PLI_TRY(sweep_view(scratch, g, triangles, report));
    if (report->fault == PLI_POLYGON_SIMPLE && is_folded(g, triangles)) {
        report->fault = PLI_POLYGON_FOLDED;
    }
    return PLI_OK;
}

// ---- polygons that are far from plane

static void get_side(const polygon *g, int32_t side, double ends[2][3])
{
    get_corner(g, side, ends[0]);
    get_corner(g, side + 1 < g->count ? side + 1 : 0, ends[1]);
}

// Whether two sides come close to each other. Of two that share a corner, the end of the shorter
// one says how far they open.
static bool are_close(const polygon *g, int32_t first, int32_t second, double gap2)
{
    double a[2][3], b[2][3], weights[4];
    double distance2 = 0;
    get_side(g, first, a);
    get_side(g, second, b);
    bool chained = first + 1 == second;
    if (!chained && !(first == 0 && second == g->count - 1)) {
        (void)pli_closest_edge_edge(a[0], a[1], b[0], b[1], weights, &distance2);
        return distance2 < gap2;
    }
    const double *near_end = chained ? a[0] : a[1];
    const double *far_end = chained ? b[1] : b[0];
    double other = 0;
    (void)pli_closest_point_edge(near_end, b[0], b[1], weights, &distance2);
    (void)pli_closest_point_edge(far_end, a[0], a[1], weights, &other);
    return fmin(distance2, other) < gap2;
}

// Whether no two sides come near each other in space.
static bool is_bent(const polygon *g)
{
    if (g->count > BENT_CORNERS) return false;
    double gap2 = least_gap * least_gap * find_size2(g);
    for (int32_t i = 0; i < g->count; ++i) {
        for (int32_t j = i + 1; j < g->count; ++j) {
            if (are_close(g, i, j, gap2)) return false;
        }
    }
    return true;
}

// ---- the whole

pli_status pli_triangulate(pli_arena *scratch, int32_t count, const int32_t *corners,
                           const double *points, int32_t (*triangles)[3],
                           pli_polygon_report *report)
{
    *report = (pli_polygon_report){PLI_POLYGON_SIMPLE, 0, 0};
    polygon g = {.count = count, .corners = corners, .points = points};
    set_fan(count, triangles);
    if (count == 3) return PLI_OK;

    g.scale = find_scale(&g);
    set_view_along_axis(&g, compute_normal(&g));
    PLI_TRY(cut_view(scratch, &g, triangles, report));
    if (report->fault == PLI_POLYGON_SIMPLE || is_plane(&g)) return PLI_OK;

    // what was found first is told, should the other view not be better
    pli_polygon_report other;
    set_view_along_normal(&g);
    PLI_TRY(cut_view(scratch, &g, triangles, &other));
    bool is_odd = report->fault == PLI_POLYGON_CROSSING || report->fault == PLI_POLYGON_FOLDED;
    if (other.fault == PLI_POLYGON_SIMPLE) {
        *report = other;
    } else if (is_odd && is_bent(&g)) {
        set_fan(count, triangles);
        *report = (pli_polygon_report){.fault = PLI_POLYGON_BENT};
    }
    return PLI_OK;
}
