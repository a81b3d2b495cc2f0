// SPDX-License-Identifier: Apache-2.0
#include "sim/body/body_group.h"

#include "geometry/generate/recipe.h"
#include "math/vec3.h"
#include "sim/body/body_mesh.h"

#include <string.h>

const pli_recipe_def *pli_body_group_recipe(const pli_body_def *body)
{
    if (body->geometry.kind != PLI_GEOMETRY_FILL) return NULL;
    const pli_fill_def *fill = body->geometry.data;
    return fill->shape.kind == PLI_SHAPE_RECIPE ? fill->shape.data : NULL;
}

static pli_body_group place_group(const pli_recipe_place *place, double size)
{
    pli_body_group group = {
        .name = place->name, .tag = PLI_GROUP_NO_TAG, .radius = size * place->radius};
    pli_vec3_scale(size, place->center, group.center);
    return group;
}

// Regions, then what is left, then places.
static bool get_recipe_group(const pli_recipe_def *def, int32_t index, pli_body_group *group)
{
    const pli_recipe *recipe = pli_recipe_find(def->name);
    if (recipe == NULL) return false;
    int32_t tagged = recipe->region_count > 0 ? recipe->region_count + 1 : 0;
    if (index >= tagged + recipe->place_count) return false;
    if (index >= tagged) {
        *group = place_group(&recipe->places[index - tagged], def->size);
    } else if (index < recipe->region_count) {
        *group = (pli_body_group){.name = recipe->regions[index], .tag = index};
    } else {
        *group = (pli_body_group){.name = "body", .tag = PLI_GROUP_REST};
    }
    return true;
}

bool pli_body_group_get(const pli_body_def *body, int32_t index, pli_body_group *group)
{
    *group = (pli_body_group){.tag = PLI_GROUP_NO_TAG};
    const pli_recipe_def *recipe = pli_body_group_recipe(body);
    if (recipe != NULL) return get_recipe_group(recipe, index, group);
    const pli_mesh_data *file = pli_body_mesh_file(body);
    if (file == NULL || index >= file->group_count) return false;
    *group = (pli_body_group){.name = file->group_names[index], .tag = index};
    return true;
}

bool pli_body_group_find(const pli_body_def *body, const char *name, pli_body_group *group)
{
    for (int32_t index = 0; pli_body_group_get(body, index, group); ++index) {
        if (strcmp(group->name, name) == 0) return true;
    }
    return false;
}

bool pli_body_group_contains(const pli_body_group *place, const double point[3])
{
    return place->tag == PLI_GROUP_NO_TAG &&
           pli_vec3_distance(point, place->center) <= place->radius;
}
