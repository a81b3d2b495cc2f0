// SPDX-License-Identifier: Apache-2.0
#include "geometry/recipe_parts.h"

#include <math.h>

void pli_parts_init(pli_parts *parts, pli_shape_set *set)
{
    parts->set = set;
    parts->status = PLI_OK;
    parts->count = 0;
}

void pli_parts_add(pli_parts *parts, pli_status status, const pli_shape *shape)
{
    if (parts->status == PLI_OK) parts->status = status;
    if (parts->status != PLI_OK || parts->count == PLI_PARTS_CAPACITY) return;
    parts->shapes[parts->count++] = shape;
}

void pli_parts_add_limb(pli_parts *parts, const double a[3], double ra, const double b[3],
                        double rb)
{
    if (parts->status != PLI_OK) return;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_round_cone(parts->set, a, b, (pli_cone_radii){ra, rb}, &shape);
    pli_parts_add(parts, status, shape);
}

static void add_part(pli_parts *parts, const pli_part *part, double side)
{
    double a[3] = {side * part->a[0], part->a[1], part->a[2]};
    double b[3] = {side * part->b[0], part->b[1], part->b[2]};
    if (parts->status != PLI_OK) return;
    if (part->ra > 0) {
        pli_parts_add_limb(parts, a, part->ra, b, part->rb);
        return;
    }
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_ellipsoid(parts->set, a, part->b, &shape);
    pli_parts_add(parts, status, shape);
}

void pli_parts_add_table(pli_parts *parts, int32_t count, const pli_part *table)
{
    for (int32_t i = 0; i < count; ++i) {
        add_part(parts, table + i, 1);
        if (table[i].is_mirrored) add_part(parts, table + i, -1);
    }
}

typedef pli_status (*combine_fn)(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                                 double smooth, const pli_shape **shape);

static const pli_shape *combine(pli_parts *parts, combine_fn make, double smooth)
{
    const pli_shape *shape = NULL;
    if (parts->status == PLI_OK) {
        parts->status = make(parts->set, parts->count, parts->shapes, smooth, &shape);
    }
    parts->count = 0;
    return shape;
}

const pli_shape *pli_parts_union(pli_parts *parts, double smooth)
{
    return combine(parts, pli_shape_union, smooth);
}

const pli_shape *pli_parts_difference(pli_parts *parts, double smooth)
{
    return combine(parts, pli_shape_difference, smooth);
}

const pli_shape *pli_parts_intersection(pli_parts *parts, double smooth)
{
    return combine(parts, pli_shape_intersection, smooth);
}

void pli_fibonacci_direction(int32_t k, int32_t n, double out[3])
{
    const double golden_angle = 2.39996322972865332;
    double y = 1 - (2.0 * k + 1) / n;
    double r = sqrt(1 - y * y);
    out[0] = r * cos(golden_angle * k);
    out[1] = y;
    out[2] = r * sin(golden_angle * k);
}
