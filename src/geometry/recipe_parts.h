// SPDX-License-Identifier: Apache-2.0
//
// Lists of parts from which recipes are put together. A failure sticks to the list: what follows
// does nothing, and the recipe checks once at the end. For the files recipe*.c only.
#ifndef PLI_GEOMETRY_RECIPE_PARTS_H
#define PLI_GEOMETRY_RECIPE_PARTS_H

#include "geometry/shape.h"

enum { PLI_PARTS_CAPACITY = 512 };

typedef struct pli_parts {
    pli_shape_set *set;
    pli_status status;
    int32_t count;
    const pli_shape *shapes[PLI_PARTS_CAPACITY];
} pli_parts;

// A tapered limb from a to b with radii ra and rb, or, when ra is 0, an ellipsoid around a with
// radii b. A mirrored part is there twice, the second time with x negated.
typedef struct pli_part {
    double a[3];
    double ra;
    double b[3];
    double rb;
    bool is_mirrored;
} pli_part;

void pli_parts_init(pli_parts *parts, pli_shape_set *set);

// Adds a shape that was just made with the given status.
void pli_parts_add(pli_parts *parts, pli_status status, const pli_shape *shape);
void pli_parts_add_limb(pli_parts *parts, const double a[3], double ra, const double b[3],
                        double rb);
void pli_parts_add_table(pli_parts *parts, int32_t count, const pli_part *table);

// Empties the list and returns what it made; NULL after a failure.
const pli_shape *pli_parts_union(pli_parts *parts, double smooth);
const pli_shape *pli_parts_difference(pli_parts *parts, double smooth);
const pli_shape *pli_parts_intersection(pli_parts *parts, double smooth);

// The k-th of n directions spread evenly over the sphere along a spiral with the golden angle.
void pli_fibonacci_direction(int32_t k, int32_t n, double out[3]);

// How recipes make their solids; the result is NULL after a failure.
typedef const pli_shape *(*pli_recipe_fn)(pli_parts *parts);

const pli_shape *pli_recipe_creature(pli_parts *parts);
const pli_shape *pli_recipe_cat(pli_parts *parts);
const pli_shape *pli_recipe_bust(pli_parts *parts);
const pli_shape *pli_recipe_bird(pli_parts *parts);
const pli_shape *pli_recipe_turkey(pli_parts *parts);
const pli_shape *pli_recipe_dragon(pli_parts *parts);
const pli_shape *pli_recipe_octopus(pli_parts *parts);
const pli_shape *pli_recipe_eared_sphere(pli_parts *parts);
const pli_shape *pli_recipe_wheel(pli_parts *parts);
const pli_shape *pli_recipe_strutball(pli_parts *parts);
const pli_shape *pli_recipe_hoop(pli_parts *parts);
const pli_shape *pli_recipe_koosh(pli_parts *parts);
const pli_shape *pli_recipe_sole(pli_parts *parts);
const pli_shape *pli_recipe_cellball(pli_parts *parts);
const pli_shape *pli_recipe_roller(pli_parts *parts);
const pli_shape *pli_recipe_terrain(pli_parts *parts);
const pli_shape *pli_recipe_anvil(pli_parts *parts);
const pli_shape *pli_recipe_bowl(pli_parts *parts);

#endif
