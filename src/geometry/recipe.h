// SPDX-License-Identifier: Apache-2.0
//
// Named solids for scenes that need a creature, a shoe or a terrain and have no mesh of one: made
// of signed-distance shapes, so that they can be filled with tetrahedra or particles at any
// resolution and serve as colliders.
//
// Each is built in coordinates of its own (y up, facing +z) from ellipsoids, tapered limbs and
// plain solids, then moved and scaled so that its bounding box is centred at the origin with the
// longest edge as asked for. The box is measured by sampling, to about half a percent.
#ifndef PLI_GEOMETRY_RECIPE_H
#define PLI_GEOMETRY_RECIPE_H

#include "geometry/shape.h"

int32_t pli_recipe_count(void);

// Name and one line on what it is. Lifetime: static.
const char *pli_recipe_name(int32_t index);
const char *pli_recipe_doc(int32_t index);

// Errors: argument (unknown name, with the nearest known one suggested; size not positive), memory.
pli_status pli_recipe_build(pli_shape_set *set, const char *name, double size,
                            const pli_shape **shape);

#endif
