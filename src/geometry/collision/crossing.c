// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/crossing.h"

#include "geometry/collision/predicates.h"

// The corners of a triangle; shared ones come first.
typedef struct corners {
    const double *x[3];
} corners;

// ---- projections and segments

static void project(const double x[3], int axis, double projected[2])
{
    projected[0] = x[(axis + 1) % 3];
    projected[1] = x[(axis + 2) % 3];
}

// The orientation of a triangle, seen along an axis.
static int orient_along(int axis, const double a[3], const double b[3], const double c[3])
{
    double flat[3][2];
    project(a, axis, flat[0]);
    project(b, axis, flat[1]);
    project(c, axis, flat[2]);
    return pli_orient2d(flat[0], flat[1], flat[2]);
}

// An axis along which a triangle is seen with an area; -1: it has none.
static int find_axis(const double a[3], const double b[3], const double c[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        if (orient_along(axis, a, b, c) != 0) return axis;
    }
    return -1;
}

bool pli_triangle_is_flat(const double a[3], const double b[3], const double c[3])
{
    return find_axis(a, b, c) < 0;
}

// Whether the intervals between a and b and between c and d have a number in common.
static bool intervals_meet(double a, double b, double c, double d)
{
    double low = a < b ? a : b;
    double high = a < b ? b : a;
    return (c <= high || d <= high) && (c >= low || d >= low);
}

static bool segment_boxes_meet(const double p[3], const double q[3], const double a[3],
                               const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        if (!intervals_meet(p[k], q[k], a[k], b[k])) return false;
    }
    return true;
}

// Whether segments pq and ab of one plane meet, which is seen along an axis without being an edge.
static bool plane_segments_meet(int axis, const double p[3], const double q[3], const double a[3],
                                const double b[3])
{
    // the boxes decide where all four are on one line
    if (!segment_boxes_meet(p, q, a, b)) return false;
    if (orient_along(axis, p, q, a) * orient_along(axis, p, q, b) > 0) return false;
    return orient_along(axis, a, b, p) * orient_along(axis, a, b, q) <= 0;
}

static bool segments_meet(const double p[3], const double q[3], const double a[3],
                          const double b[3])
{
    if (!segment_boxes_meet(p, q, a, b) || pli_orient3d(p, q, a, b) != 0) return false;
    // any three of the points that are not on one line show the plane
    const double *points[6] = {p, q, a, b, p, q};
    for (int k = 0; k < 4; ++k) {
        int axis = find_axis(points[k], points[k + 1], points[k + 2]);
        if (axis >= 0) return plane_segments_meet(axis, p, q, a, b);
    }
    return true;
}

// ---- a segment and a triangle

// Whether a segment in the plane of a triangle meets it; a triangle without area is its edges.
static bool plane_segment_meets(const corners *t, const double p[3], const double q[3])
{
    int axis = find_axis(t->x[0], t->x[1], t->x[2]);
    int side = axis < 0 ? 0 : orient_along(axis, t->x[0], t->x[1], t->x[2]);
    bool inside = axis >= 0;
    for (int k = 0; k < 3; ++k) {
        const double *a = t->x[k];
        const double *b = t->x[(k + 1) % 3];
        bool met = axis < 0 ? segments_meet(p, q, a, b) : plane_segments_meet(axis, p, q, a, b);
        if (met) return true;
        inside = inside && orient_along(axis, a, b, p) == side;
    }
    return inside;
}

// Whether pq meets a triangle, given the sides of its plane that p and q lie on.
static bool segment_meets(const corners *t, const double p[3], const double q[3], int p_side,
                          int q_side)
{
    if (p_side * q_side > 0) return false;
    if (p_side == 0 && q_side == 0) return plane_segment_meets(t, p, q);

    // the line goes through the plane at one point, which no edge may have on its outer side
    int first = pli_orient3d(p, q, t->x[0], t->x[1]);
    int second = pli_orient3d(p, q, t->x[1], t->x[2]);
    if (first * second < 0) return false;
    int third = pli_orient3d(p, q, t->x[2], t->x[0]);
    return first * third >= 0 && second * third >= 0;
}

static int side_of(const corners *t, const double p[3])
{
    return pli_orient3d(t->x[0], t->x[1], t->x[2], p);
}

// ---- two triangles

// The sides of t's plane that the corners of other lie on; false when all lie strictly on one.
static bool get_sides(const corners *t, const corners *other, int sides[3])
{
    for (int k = 0; k < 3; ++k) sides[k] = side_of(t, other->x[k]);
    return sides[0] == 0 || sides[0] != sides[1] || sides[0] != sides[2];
}

static bool separate_triangles_meet(const corners *a, const corners *b)
{
    int a_sides[3];
    int b_sides[3];
    if (!get_sides(a, b, b_sides) || !get_sides(b, a, a_sides)) return false;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        if (segment_meets(a, b->x[k], b->x[next], b_sides[k], b_sides[next])) return true;
        if (segment_meets(b, a->x[k], a->x[next], a_sides[k], a_sides[next])) return true;
    }
    return false;
}

// Corner 0 is shared. A ray from it through a further common point leaves one of the triangles
// first, and there the opposite edge of that one meets the other.
static bool meet_beyond_vertex(const corners *a, const corners *b)
{
    int b_sides[2] = {side_of(a, b->x[1]), side_of(a, b->x[2])};
    if (b_sides[0] * b_sides[1] > 0) return false;
    int a_sides[2] = {side_of(b, a->x[1]), side_of(b, a->x[2])};
    if (a_sides[0] * a_sides[1] > 0) return false;
    return segment_meets(a, b->x[1], b->x[2], b_sides[0], b_sides[1]) ||
           segment_meets(b, a->x[1], a->x[2], a_sides[0], a_sides[1]);
}

// Corners 0 and 1 are shared: in one plane, and the third corners on the same side of the edge.
static bool meet_beyond_edge(const corners *a, const corners *b)
{
    if (side_of(a, b->x[2]) != 0) return false;
    int axis = find_axis(a->x[0], a->x[1], a->x[2]);
    if (axis < 0) return false;
    return orient_along(axis, a->x[0], a->x[1], a->x[2]) ==
           orient_along(axis, b->x[0], b->x[1], b->x[2]);
}

// Gathers corners with the shared ones first, in the same order; returns how many are shared.
static int align(const double *points, const int32_t first[3], const int32_t second[3], corners *a,
                 corners *b)
{
    int shared = 0;
    bool used[2][3] = {{false}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3 && !used[0][i]; ++j) {
            if (used[1][j] || first[i] != second[j]) continue;
            used[0][i] = used[1][j] = true;
            a->x[shared] = b->x[shared] = points + 3 * (int64_t)first[i];
            ++shared;
        }
    }
    int a_count = shared;
    int b_count = shared;
    for (int k = 0; k < 3; ++k) {
        if (!used[0][k]) a->x[a_count++] = points + 3 * (int64_t)first[k];
        if (!used[1][k]) b->x[b_count++] = points + 3 * (int64_t)second[k];
    }
    return shared;
}

static bool has_area(const corners *t)
{
    return !pli_triangle_is_flat(t->x[0], t->x[1], t->x[2]);
}

bool pli_triangles_cross(const double *points, const int32_t first[3], const int32_t second[3])
{
    corners a;
    corners b;
    int shared = align(points, first, second, &a, &b);
    if (shared == 0) return separate_triangles_meet(&a, &b);
    bool met = shared == 1   ? meet_beyond_vertex(&a, &b)
               : shared == 2 ? meet_beyond_edge(&a, &b)
                             : true;
    return met && has_area(&a) && has_area(&b);
}
