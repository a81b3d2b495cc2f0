// SPDX-License-Identifier: Apache-2.0
//
// From the shapes that a scene describes to the shapes of geometry, and from those to tetrahedra.
#ifndef PLI_SIM_BODY_SHAPE_BUILD_H
#define PLI_SIM_BODY_SHAPE_BUILD_H

#include "geometry/mesh/tet_mesh.h"
#include "geometry/shapes/shape.h"
#include "pliant/scene.h"

// Makes the shape of a variant of pli_shape_kind in a set. Errors: scene, mesh, argument, memory.
pli_status pli_shape_build(pli_shape_set *set, const pli_variant *variant, const pli_shape **shape);

// Fills a shape with tetrahedra; those of a recipe carry its regions as groups. Errors: those of
// building it, argument (it has no bounds).
pli_status pli_shape_fill(pli_context *context, const pli_fill_def *def, pli_tet_mesh **mesh);

// Moves the nodes on boundary edges of a mesh that fills a shape, and has nodes on its edges, to
// the shape's surface; where an element would not stay valid, edges stay straight. Errors: those of
// building the shape.
pli_status pli_shape_curve(pli_context *context, const pli_fill_def *def, pli_tet_mesh *mesh);

#endif
