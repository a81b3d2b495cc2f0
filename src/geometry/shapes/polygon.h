// SPDX-License-Identifier: Apache-2.0
//
// Signed distance to a polygon in the plane, with derivatives; the profile of prisms and lathes.
#ifndef PLI_GEOMETRY_SHAPES_POLYGON_H
#define PLI_GEOMETRY_SHAPES_POLYGON_H

#include "geometry/shapes/jet.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pli_polygon {
    int32_t count;
    const double *points; // [count][2], counter-clockwise
    bool on_axis;         // sides with x = 0 at both ends are no boundary
} pli_polygon;

// Negative inside; derivatives with respect to the two coordinates. Sides of no length are passed
// over.
pli_jet2 pli_polygon_distance(const pli_polygon *polygon, double x, double y);

// Twice the signed area, positive when counter-clockwise.
double pli_polygon_area2(const pli_polygon *polygon);

#endif
