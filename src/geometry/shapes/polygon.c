// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes/polygon.h"

#include "geometry/collision/bounds.h"

// one side of the polygon
typedef struct side {
    const double *a;
    const double *b;
    double along[2]; // b - a
    double length2;
} side;

static side get_side(const pli_polygon *polygon, int32_t index)
{
    int32_t next = index + 1 < polygon->count ? index + 1 : 0;
    side s = {.a = polygon->points + 2 * (int64_t)index, .b = polygon->points + 2 * (int64_t)next};
    for (int k = 0; k < 2; ++k) s.along[k] = s.b[k] - s.a[k];
    s.length2 = s.along[0] * s.along[0] + s.along[1] * s.along[1];
    return s;
}

// Whether the side crosses the ray from (x, y) towards larger x; half open, so that a corner counts
// once.
static bool crosses_ray(const side *s, double x, double y)
{
    if ((s->a[1] > y) == (s->b[1] > y)) return false;
    return x < s->a[0] + (y - s->a[1]) / s->along[1] * s->along[0];
}

// the nearest boundary point so far
typedef struct nearest {
    double distance2;
    double offset[2]; // from there to the point
    bool is_corner;
    side side;
} nearest;

static void improve(const side *s, double x, double y, nearest *best)
{
    double px = x - s->a[0];
    double py = y - s->a[1];
    double t = (px * s->along[0] + py * s->along[1]) / s->length2;
    bool is_corner = t < 0 || t > 1;
    t = pli_smaller(pli_larger(t, 0), 1);
    double offset[2] = {px - t * s->along[0], py - t * s->along[1]};
    double distance2 = offset[0] * offset[0] + offset[1] * offset[1];
    // a side wins over its own corner, so that the foot of a perpendicular is not taken for one
    bool wins = distance2 < best->distance2 ||
                (distance2 == best->distance2 && best->is_corner && !is_corner);
    if (wins) *best = (nearest){distance2, {offset[0], offset[1]}, is_corner, *s};
}

pli_jet2 pli_polygon_distance(const pli_polygon *polygon, double x, double y)
{
    nearest best = {.distance2 = INFINITY};
    bool inside = false;
    for (int32_t i = 0; i < polygon->count; ++i) {
        side s = get_side(polygon, i);
        if (crosses_ray(&s, x, y)) inside = !inside;
        bool is_axis = polygon->on_axis && s.a[0] == 0 && s.b[0] == 0;
        if (!is_axis && s.length2 > 0) improve(&s, x, y, &best);
    }

    double sign = inside ? -1 : 1;
    if (best.is_corner && best.distance2 > 0) {
        pli_jet2 d = pli_jet2_length(best.offset[0], best.offset[1]);
        return (pli_jet2){sign * d.f,   sign * d.fa,  sign * d.fb,
                          sign * d.faa, sign * d.fab, sign * d.fbb};
    }
    // the outward normal of a counter-clockwise side
    double length = sqrt(best.side.length2);
    return (pli_jet2){.f = sign * sqrt(best.distance2),
                      .fa = best.side.along[1] / length,
                      .fb = -best.side.along[0] / length};
}

double pli_polygon_area2(const pli_polygon *polygon)
{
    double sum = 0;
    for (int32_t i = 0; i < polygon->count; ++i) {
        side s = get_side(polygon, i);
        sum += s.a[0] * s.b[1] - s.a[1] * s.b[0];
    }
    return sum;
}
