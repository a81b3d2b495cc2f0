// SPDX-License-Identifier: Apache-2.0
//
// From the shapes that a scene describes to the shapes of geometry.
#ifndef PLI_SIM_SHAPE_BUILD_H
#define PLI_SIM_SHAPE_BUILD_H

#include "geometry/tet_mesh.h"
#include "pliant/scene.h"

// Fills a shape with tetrahedra. Errors: scene (the shape has no bounds), mesh, memory.
pli_status pli_shape_fill(pli_context *context, const pli_shape_body_def *def, pli_tet_mesh **mesh);

#endif
