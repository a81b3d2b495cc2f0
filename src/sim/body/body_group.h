// SPDX-License-Identifier: Apache-2.0
//
// The groups of a body: what `where: {group: name}` can name.
//
// A body from a mesh file has the groups of the file. A body filled from a recipe has the recipe's
// regions, "body" for what lies in none of them, and its places, which are balls. Elements carry
// their group as a tag in tet_group of the body's mesh; places have no tag and are looked up by
// position.
#ifndef PLI_SIM_BODY_BODY_GROUP_H
#define PLI_SIM_BODY_BODY_GROUP_H

#include "pliant/scene.h"

enum { PLI_GROUP_REST = -1, PLI_GROUP_NO_TAG = -2 };

typedef struct pli_body_group {
    const char *name;
    int32_t tag;      // of its elements; PLI_GROUP_REST: "body", PLI_GROUP_NO_TAG: a place
    double center[3]; // of a place, in the body's own coordinates (m)
    double radius;    // of a place (m)
} pli_body_group;

// The recipe that a body is filled from, directly and not as a part of another shape; else NULL.
const pli_recipe_def *pli_body_group_recipe(const pli_body_def *body);

// The index-th group; false after the last.
bool pli_body_group_get(const pli_body_def *body, int32_t index, pli_body_group *group);

// The group of this name; false when there is none.
bool pli_body_group_find(const pli_body_def *body, const char *name, pli_body_group *group);

// Whether a place contains a point of the body's own coordinates.
bool pli_body_group_contains(const pli_body_group *place, const double point[3]);

#endif
