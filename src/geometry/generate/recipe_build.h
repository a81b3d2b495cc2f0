// SPDX-License-Identifier: Apache-2.0
//
// The builders behind recipe.h, in their own units. The shape is what remains on the pile; regions
// are filled in the order of their names.
#ifndef PLI_GEOMETRY_GENERATE_RECIPE_BUILD_H
#define PLI_GEOMETRY_GENERATE_RECIPE_BUILD_H

#include "geometry/generate/recipe.h"
#include "geometry/generate/sculpt.h"

#define PLI_LENGTH(array) ((int32_t)(sizeof(array) / sizeof *(array)))

// figures (recipe_figure.c)
void pli_recipe_creature(pli_sculpt *sculpt);
void pli_recipe_cat(pli_sculpt *sculpt);
void pli_recipe_lucky_cat(pli_sculpt *sculpt);
void pli_recipe_bust(pli_sculpt *sculpt);
void pli_recipe_bird(pli_sculpt *sculpt);
void pli_recipe_turkey(pli_sculpt *sculpt);
void pli_recipe_dragon(pli_sculpt *sculpt);
void pli_recipe_octopus(pli_sculpt *sculpt);
void pli_recipe_bunny(pli_sculpt *sculpt);

// things (recipe_thing.c)
void pli_recipe_wheel(pli_sculpt *sculpt);
void pli_recipe_strutball(pli_sculpt *sculpt);
void pli_recipe_hoop(pli_sculpt *sculpt);
void pli_recipe_koosh(pli_sculpt *sculpt);
void pli_recipe_koosh_fine(pli_sculpt *sculpt);
void pli_recipe_sole(pli_sculpt *sculpt);
void pli_recipe_cellball(pli_sculpt *sculpt);
void pli_recipe_roller(pli_sculpt *sculpt);
void pli_recipe_terrain(pli_sculpt *sculpt);
void pli_recipe_anvil(pli_sculpt *sculpt);
void pli_recipe_bowl(pli_sculpt *sculpt);

// regions; each leaves one shape on the pile
void pli_recipe_wheel_tyre(pli_sculpt *sculpt);
void pli_recipe_hoop_rim(pli_sculpt *sculpt);
void pli_recipe_sole_outsole(pli_sculpt *sculpt);
void pli_recipe_sole_midsole(pli_sculpt *sculpt);
void pli_recipe_cellball_walls(pli_sculpt *sculpt);
void pli_recipe_roller_bore(pli_sculpt *sculpt);

#endif
