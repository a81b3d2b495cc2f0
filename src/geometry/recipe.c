// SPDX-License-Identifier: Apache-2.0
#include "geometry/recipe.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "geometry/recipe_parts.h"
#include "math/vec3.h"

#include <string.h>

typedef struct recipe {
    const char *name;
    const char *doc;
    pli_recipe_fn make;
} recipe;

static const recipe recipes[] = {
    {"creature", "upright armoured animal with two tall ears to pin it at", pli_recipe_creature},
    {"cat", "standing cat with its tail raised", pli_recipe_cat},
    {"bust", "head and shoulders on a round foot", pli_recipe_bust},
    {"bird", "wading bird on long thin legs", pli_recipe_bird},
    {"turkey", "roast bird with drumsticks", pli_recipe_turkey},
    {"wheel", "rim, hub and six spokes, the axle along z", pli_recipe_wheel},
    {"dragon", "long winding body on four legs, with horns and spikes", pli_recipe_dragon},
    {"octopus", "sack with eight tapered arms", pli_recipe_octopus},
    {"strutball", "struts along the edges of a truncated icosahedron", pli_recipe_strutball},
    {"hoop", "ring with a net of strands below, the axis along y", pli_recipe_hoop},
    {"koosh", "ball of thin tendrils around a core", pli_recipe_koosh},
    {"sole", "shoe: sole with holes and a thin upper", pli_recipe_sole},
    {"cellball", "ball whose surface bulges in cells", pli_recipe_cellball},
    {"roller", "tube with rows of knobs, the axis along x", pli_recipe_roller},
    {"terrain", "square slab with hills on top", pli_recipe_terrain},
    {"anvil", "anvil with its horn towards x", pli_recipe_anvil},
    {"bowl", "half a spherical shell on a ring, open at the top", pli_recipe_bowl},
    {"eared-sphere", "sphere with two ears", pli_recipe_eared_sphere},
};

int32_t pli_recipe_count(void)
{
    return (int32_t)(sizeof recipes / sizeof recipes[0]);
}

const char *pli_recipe_name(int32_t index)
{
    return recipes[index].name;
}

const char *pli_recipe_doc(int32_t index)
{
    return recipes[index].doc;
}

// ---- measuring

enum { MEASURE_RESOLUTION = 96, MEASURE_BLOCK = 6 };

typedef struct box {
    double low[3];
    double high[3];
} box;

// Widens the box by what a sample proves: with a value -d the ball of radius d / lipschitz around
// it is inside.
static void box_add_sample(box *found, const double x[3], double radius)
{
    for (int i = 0; i < 3; ++i) {
        found->low[i] = fmin(found->low[i], x[i] - radius);
        found->high[i] = fmax(found->high[i], x[i] + radius);
    }
}

static bool box_contains(const box *found, const double low[3], const double high[3])
{
    bool within = true;
    for (int i = 0; i < 3; ++i) {
        within = within && low[i] >= found->low[i] && high[i] <= found->high[i];
    }
    return within;
}

// Samples one block of cells, unless it is outside the solid or within what is known.
static void measure_block(const pli_shape *shape, const double corner[3], double w, box *found)
{
    double far[3];
    double middle[3];
    double lipschitz = pli_shape_lipschitz(shape);
    for (int i = 0; i < 3; ++i) {
        far[i] = corner[i] + MEASURE_BLOCK * w;
        middle[i] = 0.5 * (corner[i] + far[i]);
    }
    if (box_contains(found, corner, far)) return;
    double value = pli_shape_value(shape, middle);
    if (value < 0) box_add_sample(found, middle, -value / lipschitz);
    if (value > lipschitz * sqrt(3) * 0.5 * MEASURE_BLOCK * w) return;
    for (int cell = 0; cell < MEASURE_BLOCK * MEASURE_BLOCK * MEASURE_BLOCK; ++cell) {
        double x[3] = {corner[0] + w * (cell % MEASURE_BLOCK + 0.5),
                       corner[1] + w * (cell / MEASURE_BLOCK % MEASURE_BLOCK + 0.5),
                       corner[2] + w * (cell / MEASURE_BLOCK / MEASURE_BLOCK + 0.5)};
        value = pli_shape_value(shape, x);
        if (value < 0) box_add_sample(found, x, -value / lipschitz);
    }
}

// The box of a bounded solid, from samples.
static box measure(const pli_shape *shape)
{
    double low[3];
    double high[3];
    int32_t blocks[3];
    box found = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    pli_shape_bounds(shape, low, high);
    double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    double w = longest / MEASURE_RESOLUTION;
    double width = MEASURE_BLOCK * w;
    for (int i = 0; i < 3; ++i) blocks[i] = (int32_t)ceil((high[i] - low[i]) / width);
    for (int32_t k = 0; k < blocks[2]; ++k) {
        for (int32_t j = 0; j < blocks[1]; ++j) {
            for (int32_t i = 0; i < blocks[0]; ++i) {
                double corner[3] = {low[0] + width * i, low[1] + width * j, low[2] + width * k};
                measure_block(shape, corner, w, &found);
            }
        }
    }
    return found;
}

// ---- building

static pli_status find_recipe(pli_context *context, const char *name, const recipe **found)
{
    pli_suggest suggest;
    pli_suggest_init(&suggest, name);
    for (int32_t i = 0; i < pli_recipe_count(); ++i) {
        if (strcmp(recipes[i].name, name) == 0) {
            *found = recipes + i;
            return PLI_OK;
        }
        pli_suggest_add(&suggest, recipes[i].name);
    }
    char excerpt[PLI_EXCERPT_CAPACITY];
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "no recipe is called '%s'; there are %s",
                    pli_excerpt(name, excerpt), pli_suggest_text(&suggest));
}

// Moves the middle of the solid's box to the origin and scales its longest edge to size.
static pli_status fit(pli_shape_set *set, const pli_shape *member, double size,
                      const pli_shape **shape)
{
    box found = measure(member);
    pli_placement placement = pli_placement_identity();
    double longest = 0;
    for (int i = 0; i < 3; ++i) longest = fmax(longest, found.high[i] - found.low[i]);
    placement.scale = size / longest;
    for (int i = 0; i < 3; ++i) {
        placement.translate[i] = -0.5 * placement.scale * (found.low[i] + found.high[i]);
    }
    return pli_shape_transform(set, member, &placement, shape);
}

pli_status pli_recipe_build(pli_shape_set *set, const char *name, double size,
                            const pli_shape **shape)
{
    *shape = NULL;
    const recipe *found = NULL;
    pli_context *context = pli_shape_set_context(set);
    PLI_TRY(find_recipe(context, name, &found));
    if (!(size > 0 && isfinite(size))) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the size of recipe '%s' is %g, must be positive and finite", name, size);
    }
    pli_parts *parts = PLI_NEW(context, pli_parts, 1, "parts of a recipe");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    pli_parts_init(parts, set);
    const pli_shape *solid = found->make(parts);
    pli_status status = parts->status;
    pli_release(context, parts);
    if (status != PLI_OK) return status;
    return fit(set, solid, size, shape);
}
