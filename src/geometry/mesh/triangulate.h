// SPDX-License-Identifier: Apache-2.0
//
// Triangles for a polygon in space, convex or not, plane or nearly so.
//
// Where the fan of triangles around the first corner covers the polygon, as it does for every
// convex one without corners on straight sides there, the fan is taken. All others are swept
// (polygon_sweep.h), which takes O(n log n) for n corners, keeps corners that lie on straight sides
// without triangles of no area, and finds polygons that cross or touch themselves.
//
// The decisions are made in the plane: by leaving out the coordinate that is nearest to the normal.
// This keeps coordinates as they are, so that the signs of predicates.h are exact for the polygon
// itself. A polygon that is not plane may cross itself in this view and not in the one along its
// normal (Newell's: the vector of its area), which is tried then. One that does so in both views
// although its sides are apart in space is bent; it has no front, and its fan is as good as any.
#ifndef PLI_GEOMETRY_MESH_TRIANGULATE_H
#define PLI_GEOMETRY_MESH_TRIANGULATE_H

#include "geometry/mesh/polygon_sweep.h"

// Fills triangles [count - 2][3] with places in corners [count], count at least 3, whose entries
// are indices of points [][3] (m). Three corners are a triangle, whatever their shape. The
// triangles mean nothing when report has a fault other than bent. Errors: memory.
PLI_CHECKED pli_status pli_triangulate(pli_arena *scratch, int32_t count, const int32_t *corners,
                                       const double *points, int32_t (*triangles)[3],
                                       pli_polygon_report *report);

#endif
