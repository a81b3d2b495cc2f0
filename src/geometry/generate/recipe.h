// SPDX-License-Identifier: Apache-2.0
//
// Named stand-in shapes: figures and things that scenes are made of when no mesh file is at hand.
//
// A recipe is a tree of signed-distance shapes, centred on its bounding box and scaled so that the
// longest edge of the box has the wanted size; y is up, figures look along +z. Some recipes consist
// of parts of different matter: their regions are shapes too, and a point belongs to the first
// region whose value is negative there, to none ("body") if there is no such region. Some have
// named places, such as the ears that the creature hangs from, as balls in units of the size.
#ifndef PLI_GEOMETRY_GENERATE_RECIPE_H
#define PLI_GEOMETRY_GENERATE_RECIPE_H

#include "geometry/shapes/shape.h"

enum { PLI_RECIPE_REGIONS = 3, PLI_RECIPE_PLACES = 2 };

typedef struct pli_recipe_place {
    const char *name;
    double center[3]; // in units of the size, from the middle of the bounding box
    double radius;    // in units of the size
} pli_recipe_place;

typedef struct pli_recipe {
    const char *name;
    const char *doc; // one sentence
    int32_t region_count;
    const char *regions[PLI_RECIPE_REGIONS]; // their names
    int32_t place_count;
    pli_recipe_place places[PLI_RECIPE_PLACES];
} pli_recipe;

int32_t pli_recipe_count(void);

// Lifetime: static.
const pli_recipe *pli_recipe_get(int32_t index);

// The recipe with this name ("bunny" also finds the eared sphere), or NULL.
const pli_recipe *pli_recipe_find(const char *name);

// Edges of a recipe's bounding box in units of the size; the longest is 1.
void pli_recipe_extent(const pli_recipe *recipe, double extent[3]);

// A recipe as shapes; regions [region_count of the recipe] are set too.
typedef struct pli_recipe_shapes {
    const pli_shape *shape;
    const pli_shape *regions[PLI_RECIPE_REGIONS];
} pli_recipe_shapes;

// Builds a recipe with the given longest edge (m). Errors: argument (unknown name, with the nearest
// known one; size that is not positive), memory.
pli_status pli_recipe_build(pli_shape_set *set, const char *name, double size,
                            pli_recipe_shapes *shapes);

#endif
