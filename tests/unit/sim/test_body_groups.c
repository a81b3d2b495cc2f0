// SPDX-License-Identifier: Apache-2.0
//
// Regions and places of recipes as groups of the bodies that are filled from them.
#include "simulate.h"

#include "geometry/generate/recipe.h"
#include "geometry/mesh/tet_mesh.h"
#include "math/vec3.h"
#include "sim/model/model.h"

static pli_status try_scene(pli_context *context, const char *yaml, pli_model **model)
{
    pli_scene *scene = NULL;
    *model = NULL;
    pli_status status = pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, model);
    pli_scene_destroy(scene);
    return status;
}

// A wheel of size 0.5, doubled, turned about its axle, which is along z, and moved.
static const char wheel[] =
    "materials: {hard: metal, soft: rubber, core: pvc}\n"
    "contact: none\n"
    "bodies:\n"
    "  wheel:\n"
    "    geometry: {fill: {shape: {recipe: {name: wheel, size: 0.5}}, vertices: 900}}\n"
    "    material: hard\n"
    "    position: [3, 4, 5]\n"
    "    axis: [0, 0, 1]\n"
    "    angle: 30\n"
    "    scale: [2, 2, 2]\n"
    "    regions:\n"
    "      - {where: {group: tyre}, material: soft}\n"
    "      - {where: {group: body}, material: core}\n"
    "constraints: [{body: wheel, where: {group: tyre}}]\n";

// The tyre is what lies beyond 0.66 of the wheel's radius, which is 1.0016 in the recipe's unit.
static void regions_of_a_recipe_are_groups_in_any_placement(void **state)
{
    pli_context *context = *state;
    pli_model *model = NULL;
    OK(context, try_scene(context, wheel, &model));
    const double tyre = 0.66 / 1.0016 * 0.5;
    int32_t soft = 0;
    for (int64_t t = 0; t < model->tet_count; ++t) {
        double c[3];
        pli_tet_centroid(model->rest, model->tets + 4 * t, c);
        double radius = hypot(c[0] - 3, c[1] - 4);
        // nothing hard is left: "body" is all that is not tyre
        assert_int_equal(model->material_of[t], radius > tyre ? 1 : 2);
        soft += radius > tyre;
    }
    // both are there: the loop has seen either case
    AT_LEAST(soft, 100);
    AT_LEAST(model->tet_count - soft, 100);

    // held are the vertices of the tyre's tetrahedra, each once
    int32_t held = 0;
    uint8_t *mask = calloc((size_t)model->vertex_count, 1);
    for (int64_t k = 0; k < 4 * (int64_t)model->tet_count; ++k) {
        if (model->material_of[k / 4] != 1 || mask[model->tets[k]]) continue;
        mask[model->tets[k]] = 1;
        ++held;
    }
    assert_int_equal(model->constraints[0].vertex_count, held);
    free(mask);
    pli_model_destroy(model);
}

static void places_of_a_recipe_hold_the_vertices_within(void **state)
{
    static const char yaml[] =
        "materials: {flesh: rubber}\n"
        "contact: none\n"
        "bodies:\n"
        "  figure:\n"
        "    geometry: {fill: {shape: {recipe: {name: creature, size: 2}}, vertices: 3000}}\n"
        "    material: flesh\n"
        "    position: [1, 2, 3]\n"
        "  block: {geometry: grid, material: flesh, position: [10, 0, 0]}\n"
        // of every body; the block has no ears
        "constraints: [{where: {group: left ear}}, {where: {group: right ear}}]\n";
    pli_context *context = *state;
    pli_model *model = NULL;
    OK(context, try_scene(context, yaml, &model));
    const pli_recipe *recipe = pli_recipe_find("creature");
    for (int32_t ear = 0; ear < 2; ++ear) {
        double middle[3] = {1, 2, 3};
        pli_vec3_add_scaled(middle, 2, recipe->places[ear].center, middle);
        int32_t within = 0;
        for (int64_t v = 0; v < model->vertex_count; ++v) {
            within +=
                pli_vec3_distance(model->rest + 3 * v, middle) <= 2 * recipe->places[ear].radius;
        }
        AT_LEAST(within, 3);
        assert_int_equal(model->constraints[ear].vertex_count, within);
    }
    pli_model_destroy(model);
}

static void unknown_groups_are_refused_with_the_names_there_are(void **state)
{
    static const struct {
        const char *recipe;
        const char *group;
        const char *message;
    } cases[] = {
        {"sole", "midsol",
         "'midsol', which is not a group of the body; groups are outsole, "
         "midsole, body (did you mean 'midsole'?)"},
        {"creature", "ears",
         "'ears', which is not a group of the body; groups are left ear, right "
         "ear"},
        {"cat", "tail", "'tail', which is not a group of the body; groups are none"},
        {"dog", "tail", "found 'dog', which is not a recipe"},
    };
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char yaml[512];
        snprintf(yaml, sizeof yaml,
                 "materials: {a: rubber}\n"
                 "bodies: {it: {geometry: {fill: {shape: {recipe: %s}}}, material: a}}\n"
                 "constraints: [{body: it, where: {group: %s}}]\n",
                 cases[i].recipe, cases[i].group);
        pli_model *model = NULL;
        assert_int_equal(try_scene(context, yaml, &model), PLI_ERROR_SCENE);
        char message[512];
        pli_context_message(context, message, sizeof message);
        if (strstr(message, cases[i].message) == NULL) {
            fprintf(stderr, "got '%s', want '%s'\n", message, cases[i].message);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(regions_of_a_recipe_are_groups_in_any_placement, 1),
        TEST_IN_CONTEXT(places_of_a_recipe_hold_the_vertices_within, 1),
        TEST_IN_CONTEXT(unknown_groups_are_refused_with_the_names_there_are, 1),
    };
    return cmocka_run_group_tests_name("body_groups", tests, NULL, NULL);
}
