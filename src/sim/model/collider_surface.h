// SPDX-License-Identifier: Apache-2.0
//
// Colliders as barriers see them: a plane that stands still is a half-space, everything else a
// surface of triangles that moves as an obstacle does.
//
// - A sharp box, placed as it may be, has twelve triangles, with the corners exactly.
// - A shape from a mesh file has the triangles of the file.
// - All other shapes are contoured (geometry/shapes/contour.h), edges and corners included, by
// cells as
//   long as the edges of the bodies, of which there are 24 to 64 along the longest side; or as long
//   as the scene says. The surface has its vertices on the shape, and between them leaves it by
//   about l^2 / 8r, l being the length of an edge and r the radius of curvature; pli_model_collider
//   keeps what it is at most.
//
// A margin is part of the surface: the solid is grown by it, which rounds its convex edges, and a
// container becomes narrower.
//
// Parts that are much thinner than a cell are lost; a surface that has lost a tenth of its volume
// is refused.
//
// Surfaces need an end. Shapes without one (a ground of heights, lattices, the union of a plane
// with anything), shapes of one's own as they come, and planes that move are not for barriers.
#ifndef PLI_SIM_MODEL_COLLIDER_SURFACE_H
#define PLI_SIM_MODEL_COLLIDER_SURFACE_H

#include "geometry/mesh/tri_mesh.h"
#include "pliant/scene.h"

// A collider's shape without the complements around it; *inside_out gets whether, with the
// collider's own key, the inside is free.
const pli_variant *pli_collider_peel(const pli_collider_def *collider, bool *inside_out);

// Whether a collider is a plane, as which barriers need no triangles.
bool pli_collider_is_plane(const pli_collider_def *collider);

// NULL when barriers can keep bodies away from a collider, else the reason why not: "a plane that
// moves", "a height_field, which has no end".
typedef struct pli_collider_lack {
    const char *what;   // of the shape or of its motion
    const char *advice; // what would do
    bool is_motion;     // it is about the key motion, not about shape
} pli_collider_lack;
const pli_collider_lack *pli_collider_find_lack(const pli_collider_def *collider);

// The surface that barriers keep bodies away from, margin included, where the collider starts.
// edge is the mean length of the edges of bodies (m), 0: there are none. Errors: scene (nothing is
// left, parts too thin for the spacing, too fine a spacing, no bounds), mesh, argument, memory.
pli_status pli_collider_surface_create(pli_context *context, const pli_collider_def *collider,
                                       double edge, pli_tri_mesh **mesh);

#endif
