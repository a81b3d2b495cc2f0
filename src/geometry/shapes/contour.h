// SPDX-License-Identifier: Apache-2.0
//
// The surface of any signed-distance shape as triangles, with sharp edges and corners: dual
// contouring (Ju, Losasso, Schaefer and Warren 2002).
//
// A box is cut into cells. Where a cell edge runs from inside to outside, the crossing is found to
// 1e-10 of the edge, with the shape's own gradient there as normal. Every piece of surface in a
// cell gets one vertex, at the point that fits the tangent planes of its crossings best (see
// contour_cell.h), or from there on the surface itself; every edge with a crossing gets a polygon
// around it through the vertices of the cells that share it. So a flat face comes out flat to
// rounding, and the edges and corners of boxes, cylinders and sharp combinations are met exactly
// where the cells can tell them apart.
//
// Invariants:
// - triangles face outwards, counter-clockwise;
// - the mesh is a manifold. Several pieces of surface in a cell have vertices of their own, as in
//   dual marching cubes (Nielson 2004). Two pieces that would still share an edge, since two cells
//   meet through the same face twice, are kept apart by a vertex on each of the two paths;
// - it is closed wherever the surface does not leave the box, and ends exactly at the box where it
//   does: the grid has a layer of cells without thickness around it, whose vertices close the gap
//   between the outermost cells and the border. The box itself is no surface;
// - only cells near the surface are looked at, as far as pli_shape_lipschitz can tell;
// - the same bytes for any number of threads.
//
// Left out: parts thinner than a cell may be missed or torn; corners of turned boxes that reach
// into a cell without touching its edges are cut off; nothing is simplified afterwards.
#ifndef PLI_GEOMETRY_SHAPES_CONTOUR_H
#define PLI_GEOMETRY_SHAPES_CONTOUR_H

#include "geometry/mesh/tri_mesh.h"
#include "geometry/shapes/shape.h"

enum { PLI_CONTOUR_RESOLUTION = 1024 }; // the highest

// The surface inside of a box with `resolution` cells along the longest edge of what box and bounds
// of the shape have in common. The box may be unbounded where the shape is not. An empty surface
// is a mesh without triangles. Errors: argument (nothing bounds the shape, resolution out of
// range), mesh (too many triangles), memory.
pli_status pli_contour_create(pli_context *context, const pli_shape *shape, const pli_bounds *box,
                              int32_t resolution, pli_tri_mesh **mesh);

#endif
