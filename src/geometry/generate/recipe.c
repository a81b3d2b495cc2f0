// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/recipe.h"

#include "base/text.h"
#include "geometry/generate/recipe_build.h"
#include "math/mat3.h"

#include <string.h>

typedef void (*builder_fn)(pli_sculpt *sculpt);

// a recipe with what it is built by
typedef struct entry {
    pli_recipe recipe; // first, so that a pointer to it is one to the entry
    const char *alias;
    builder_fn build;
    builder_fn regions[PLI_RECIPE_REGIONS];
    pli_bounds box; // bounding box in the builder's unit, measured
} entry;

static const entry entries[] = {
    {.recipe = {.name = "creature",
                .doc = "Armadillo-like figure on two legs with large ears.",
                .place_count = 2,
                .places = {{"left ear", {0.118, 0.413, 0.143}, 0.07},
                           {"right ear", {-0.118, 0.413, 0.143}, 0.07}}},
     .build = pli_recipe_creature,
     .box = {{-0.9000, -0.0027, -1.2516}, {0.9000, 2.2791, 0.6400}}},
    {.recipe = {.name = "cat", .doc = "Standing cat with its tail up."},
     .build = pli_recipe_cat,
     .box = {{-0.2519, -0.0067, -0.9348}, {0.2519, 1.4670, 0.8300}}},
    {.recipe = {.name = "lucky-cat", .doc = "Sitting cat that beckons with a paw."},
     .build = pli_recipe_lucky_cat,
     .box = {{-0.5263, 0.0000, -0.3805}, {0.5305, 1.0160, 0.4205}}},
    {.recipe = {.name = "bust", .doc = "Head and shoulders on a turned foot."},
     .build = pli_recipe_bust,
     .box = {{-0.6600, -0.3900, -0.4100}, {0.6600, 1.3200, 0.4100}}},
    {.recipe = {.name = "bird", .doc = "Bird with its wings spread."},
     .build = pli_recipe_bird,
     .box = {{-1.0915, -0.3000, -0.8535}, {1.0915, 0.3770, 0.8620}}},
    {.recipe = {.name = "turkey", .doc = "Roast turkey, flat below."},
     .build = pli_recipe_turkey,
     .box = {{-0.8005, 0.0241, -0.8411}, {0.8005, 0.9748, 1.0919}}},
    {.recipe = {.name = "wheel",
                .doc = "Wheel standing on its tyre: hub, six spokes, rim; the axle is along z.",
                .region_count = 1,
                .regions = {"tyre"}},
     .build = pli_recipe_wheel,
     .regions = {pli_recipe_wheel_tyre},
     .box = {{-1.0016, -1.0016, -0.3200}, {1.0016, 1.0016, 0.3200}}},
    {.recipe = {.name = "dragon", .doc = "Wingless dragon, its body swept along a curve."},
     .build = pli_recipe_dragon,
     .box = {{-0.9850, -0.0050, -1.3033}, {0.7000, 1.8235, 1.0850}}},
    {.recipe = {.name = "octopus", .doc = "Octopus with eight tapered arms."},
     .build = pli_recipe_octopus,
     .box = {{-1.4427, -0.0161, -1.4427}, {1.4427, 1.3800, 1.4427}}},
    {.recipe = {.name = "strutball", .doc = "Truncated icosahedron of 90 round struts."},
     .build = pli_recipe_strutball,
     .box = {{-1.0823, -1.0823, -1.0823}, {1.0823, 1.0823, 1.0823}}},
    {.recipe = {.name = "hoop",
                .doc = "Basketball rim with bracket and net.",
                .region_count = 1,
                .regions = {"rim"}},
     .build = pli_recipe_hoop,
     .regions = {pli_recipe_hoop_rim},
     .box = {{-1.1000, -1.3642, -1.4000}, {1.1000, 0.1100, 1.1000}}},
    {.recipe = {.name = "koosh", .doc = "Ball with 32 round tendrils."},
     .build = pli_recipe_koosh,
     .box = {{-0.9952, -0.9716, -0.9920}, {0.9679, 0.9716, 0.9770}}},
    {.recipe = {.name = "koosh-fine",
                .doc = "Ball with 120 thin tendrils, whole from 17,000 vertices on."},
     .build = pli_recipe_koosh_fine,
     .box = {{-0.9880, -0.9970, -0.9950}, {1.0010, 0.9970, 0.9987}}},
    {.recipe = {.name = "sole",
                .doc = "Shoe: grooved outsole, midsole with channels, thin upper; toe along +z.",
                .region_count = 2,
                .regions = {"outsole", "midsole"}},
     .build = pli_recipe_sole,
     .regions = {pli_recipe_sole_outsole, pli_recipe_sole_midsole},
     .box = {{-0.3417, 0, -1.1003}, {0.3702, 0.8436, 1.1200}}},
    {.recipe = {.name = "cellball",
                .doc = "Ball divided into cells by stiff walls under a stiff skin.",
                .region_count = 1,
                .regions = {"walls"}},
     .build = pli_recipe_cellball,
     .regions = {pli_recipe_cellball_walls},
     .box = {{-1.0000, -1.0000, -1.0000}, {1.0000, 1.0000, 1.0000}}},
    {.recipe = {.name = "roller",
                .doc = "Hollow foam roller with bumps; its axis is along x.",
                .region_count = 1,
                .regions = {"bore"}},
     .build = pli_recipe_roller,
     .regions = {pli_recipe_roller_bore},
     .box = {{-1.0074, -0.7100, -0.7016}, {1.0074, 0.7100, 0.7016}}},
    {.recipe = {.name = "terrain", .doc = "Block of hilly ground."},
     .build = pli_recipe_terrain,
     .box = {{-1.0000, -0.4500, -1.0000}, {1.0000, 0.2016, 1.0000}}},
    {.recipe = {.name = "anvil", .doc = "Anvil, its horn along -x."},
     .build = pli_recipe_anvil,
     .box = {{-1.2654, 0, -0.2850}, {0.8550, 0.8538, 0.2850}}},
    {.recipe = {.name = "bowl", .doc = "Hemispherical bowl with a round brim."},
     .build = pli_recipe_bowl,
     .box = {{-1.0050, -0.0200, -1.0050}, {1.0050, 1.0900, 1.0050}}},
    {.recipe = {.name = "eared-sphere", .doc = "Ball with two long ears, feet and a tail."},
     .alias = "bunny",
     .build = pli_recipe_bunny,
     .box = {{-0.6000, -0.6200, -0.7100}, {0.6000, 1.3150, 0.6500}}},
};

int32_t pli_recipe_count(void)
{
    return PLI_LENGTH(entries);
}

const pli_recipe *pli_recipe_get(int32_t index)
{
    return index >= 0 && index < PLI_LENGTH(entries) ? &entries[index].recipe : NULL;
}

static const entry *find_entry(const char *name)
{
    for (int32_t i = 0; i < PLI_LENGTH(entries); ++i) {
        const char *alias = entries[i].alias;
        if (strcmp(entries[i].recipe.name, name) == 0) return &entries[i];
        if (alias != NULL && strcmp(alias, name) == 0) return &entries[i];
    }
    return NULL;
}

const pli_recipe *pli_recipe_find(const char *name)
{
    const entry *found = name != NULL ? find_entry(name) : NULL;
    return found != NULL ? &found->recipe : NULL;
}

void pli_recipe_extent(const pli_recipe *recipe, double extent[3])
{
    const entry *e = (const entry *)(const void *)recipe;
    double longest = pli_bounds_longest(&e->box);
    for (int k = 0; k < 3; ++k) extent[k] = (e->box.max[k] - e->box.min[k]) / longest;
}

static const char *nearest_name(const char *name)
{
    const char *nearest = entries[0].recipe.name;
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < PLI_LENGTH(entries); ++i) {
        int32_t distance = pli_text_distance(name, entries[i].recipe.name);
        if (distance < least) {
            least = distance;
            nearest = entries[i].recipe.name;
        }
    }
    return nearest;
}

// Builds one shape and puts the middle of the box in the origin, scaled.
static pli_status build_scaled(pli_shape_set *set, const entry *e, builder_fn build, double size,
                               const pli_shape **shape)
{
    pli_sculpt sculpt;
    const pli_shape *raw = NULL;
    pli_sculpt_init(&sculpt, set);
    build(&sculpt);
    PLI_TRY(pli_sculpt_finish(&sculpt, &raw));
    pli_shape_placement placement = {.scale = size / pli_bounds_longest(&e->box)};
    pli_mat3_identity(placement.rotation);
    for (int k = 0; k < 3; ++k) {
        placement.translation[k] = -0.5 * placement.scale * (e->box.min[k] + e->box.max[k]);
    }
    return pli_shape_transform(set, raw, &placement, shape);
}

pli_status pli_recipe_build(pli_shape_set *set, const char *name, double size,
                            pli_recipe_shapes *shapes)
{
    *shapes = (pli_recipe_shapes){0};
    pli_context *context = pli_shape_set_context(set);
    const entry *e = find_entry(name);
    if (e == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "there is no recipe \"%s\"; did you mean \"%s\"?", name,
                        nearest_name(name));
    }
    if (!isfinite(size) || !(size > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "size of a recipe is %g, must be positive",
                        size);
    }
    PLI_TRY(build_scaled(set, e, e->build, size, &shapes->shape));
    for (int32_t r = 0; r < e->recipe.region_count; ++r) {
        PLI_TRY(build_scaled(set, e, e->regions[r], size, &shapes->regions[r]));
    }
    return PLI_OK;
}
