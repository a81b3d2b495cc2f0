// SPDX-License-Identifier: Apache-2.0
//
// One triangle or one segment: closest point, and crossing of a line parallel to an axis.
#ifndef PLI_GEOMETRY_COLLISION_TRIANGLE_H
#define PLI_GEOMETRY_COLLISION_TRIANGLE_H

#include "math/vec3.h"

// The parameter t in [0, 1] of the point (1 - t) a + t b of segment ab closest to p; 0 for a
// segment without length.
double pli_segment_closest(const double p[3], const double a[3], const double b[3]);

// Barycentric weights w of the point of triangle abc closest to p (the point is
// w[0] a + w[1] b + w[2] c); returns the squared distance. Weights that are exactly 0 tell on which
// edge or corner it lies. Degenerate triangles, and slivers whose normal would be mostly rounding,
// are treated as segments or points.
double pli_triangle_closest(const double p[3], const double a[3], const double b[3],
                            const double c[3], double w[3]);

// How often, counted with orientation, the line through p along the axis crosses triangle abc:
// +1 when it leaves through the front (normal component positive), -1 when it enters, 0 when it
// misses. *where gets the coordinate of the crossing. A line through an edge or a corner crosses
// exactly one of the triangles there, or as many in one sense as in the other.
int pli_triangle_cross_axis(const double p[3], int axis, const double a[3], const double b[3],
                            const double c[3], double *where);

#endif
