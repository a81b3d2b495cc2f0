// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are built of pieces, each of which is a body of the model; copies turned by steps.
#include "simulate.h"
#include "support/fault_sweep.h"

#include "geometry/collision/distance.h"
#include "math/mat3.h"
#include "sim/model/model.h"

#define STONE "materials: {stone: {law: neo-hookean, density: 2000, young: 1e8, poisson: 0.2}}\n"

static pli_bounds body_bounds(const pli_model *model, int32_t index)
{
    const pli_model_body *body = &model->bodies[index];
    return pli_bounds_of_points(body->vertex_count, model->rest + 3 * (int64_t)body->first_vertex);
}

static void pieces_are_bodies_that_are_placed_together(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    STONE "bodies:\n"
                          "  arch: {geometry: {arch: {blocks: 7, cells: [1, 2, 3], gap: 1e-3}},\n"
                          "         material: stone, position: [0, 0, 5], scale: [2, 2, 2],\n"
                          "         copies: {count: [1, 1, 2], spacing: [0, 0, 3]}}\n"
                          "  ball: {geometry: {grid: {cells: [1, 1, 1]}}, material: stone,\n"
                          "         position: [9, 9, 9]}\n"
                          "constraints: [{body: arch}]\n"
                          "colliders: {ground: {shape: {plane: {}}}}\n"
                          "contact: penalty\n",
                    1);
    assert_int_equal(s.info.body_count, 15);
    assert_string_equal(pli_model_get_body(s.model, 0).name, "arch-1");
    assert_string_equal(pli_model_get_body(s.model, 6).name, "arch-7");
    assert_string_equal(pli_model_get_body(s.model, 7).name, "arch-8");
    assert_string_equal(pli_model_get_body(s.model, 14).name, "ball");
    for (int32_t k = 0; k < 14; ++k) {
        const pli_model_body *body = &s.model->bodies[k];
        assert_int_equal(body->tet_count, 6 * 1 * 2 * 3);
        assert_int_equal(body->piece, k % 7);
        assert_int_equal(body->copy, k / 7);
        // two triangles on each face of a cell on the surface
        assert_int_equal(body->surface_triangle_count, 2 * 2 * (1 * 2 + 1 * 3 + 2 * 3));
        pli_bounds box = body_bounds(s.model, k);
        NEAR(0.5 * (box.min[2] + box.max[2]), k < 7 ? 3.5 : 6.5, 1e-14, 0);
    }
    // both ends stand above the ground by the gap, scaled
    NEAR(body_bounds(s.model, 0).min[1], 2e-3, 1e-12, 0);
    NEAR(body_bounds(s.model, 6).min[1], 2e-3, 1e-12, 0);
    // the constraint holds all pieces of all copies, not the ball
    assert_int_equal(s.info.unknown_count, 3 * 8);
    simulation_clear(&s);
}

static void a_house_of_cards_stands_free_of_overlaps(void **state)
{
    (void)state;
    simulation s;
    // the model refuses vertices inside of bodies and colliders
    simulation_init(&s,
                    STONE
                    "bodies: {house: {geometry: {card_house: {storeys: 4, cells: [1, 2, 2]}},\n"
                    "         material: stone}}\n"
                    "colliders: {ground: {shape: {plane: {}}}}\n"
                    "contact: penalty\n",
                    1);
    assert_int_equal(s.info.body_count, 4 * 5 + 4 * 3 / 2);
    assert_int_equal(s.info.tet_count, 26 * 6 * 4);
    simulation_clear(&s);
}

// Links of a chain: tori that are longer than wide, one turned by a right angle against the next.
static void copies_turned_step_by_step_make_a_chain(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    STONE
                    "contact: none\n"
                    "bodies:\n"
                    "  chain:\n"
                    "    geometry: {fill: {shape: {torus: {radius: 0.1, tube_radius: 0.02}},\n"
                    "                      vertices: 900}}\n"
                    "    material: stone\n"
                    "    scale: [1.5, 1, 1]\n"
                    "    copies: {count: [4, 1, 1], spacing: [0.2, 0, 0], axis: [2, 0, 0],\n"
                    "             angle: 90}\n",
                    1);
    const pli_model *model = s.model;
    const pli_model_body *first = &model->bodies[0];
    // x = R(90 k) X + 0.2 k: quarter turns about x
    for (int32_t k = 0; k < 4; ++k) {
        const pli_model_body *link = &model->bodies[k];
        double R[9];
        const double axis[3] = {1, 0, 0};
        pli_mat3_rotation(axis, k * 90 * pli_radians_per_degree, R);
        for (int64_t i = 0; i < first->vertex_count; ++i) {
            double X[3];
            double x[3];
            const double *got = model->rest + 3 * (link->first_vertex + i);
            pli_vec3_copy(model->rest + 3 * (first->first_vertex + i), X);
            X[0] += 1.5 * 0.2;
            pli_mat3_apply(R, X, x);
            x[0] += (k - 1.5) * 0.2;
            for (int c = 0; c < 3; ++c) NEAR(got[c], x[c], 0, 1e-15);
        }
    }
    // the tube of a link reaches from 0.12 to 0.18 along x, that of the next one from 0.02 to 0.08
    // within its hole, seen from its middle
    double least = INFINITY;
    for (int64_t i = 0; i < first->vertex_count; ++i) {
        for (int64_t j = 0; j < model->bodies[1].vertex_count; ++j) {
            least = fmin(least,
                         pli_vec3_distance(model->rest + 3 * i,
                                           model->rest + 3 * (model->bodies[1].first_vertex + j)));
        }
    }
    // vertices of a filled shape lie on its surface up to a few hundredths of an edge, 0.017 here
    AT_LEAST(least, 0.037);
    simulation_clear(&s);
}

// The message of a scene that is refused.
static void refused(const char *yaml, const char *words)
{
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    pli_status status = pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "s", NULL, &scene);
    pli_model *model = NULL;
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    char message[512];
    pli_context_message(context, message, sizeof message);
    assert_int_equal(status, PLI_ERROR_SCENE);
    if (strstr(message, words) == NULL) fail_msg("\"%s\" lacks \"%s\"", message, words);
    assert_null(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void what_cannot_be_built_is_refused_at_its_place(void **state)
{
    (void)state;
    refused(STONE "bodies:\n  a: {geometry: {arch: {thickness: 3}}, material: stone}\n",
            "s:3:24: bodies.a.geometry.arch: nothing is left of block");
    refused(STONE "bodies:\n  a: {geometry: {spikes: {sides: 3}}, material: stone}\n",
            "s:3:26: bodies.a.geometry.spikes: sides of a spike are 3");
    refused(STONE "bodies:\n  a: {geometry: {card_house: {lean: 90}}, material: stone}\n",
            "bodies.a.geometry.card_house.lean: found '90'");
    refused(STONE "bodies:\n"
                  "  a: {geometry: {arch: {blocks: 3}}, material: stone}\n"
                  "  a-2: {geometry: {grid: {cells: [1, 1, 1]}}, material: stone}\n",
            "a copy or piece of a would be called a-2");
}

static void no_allocation_that_fails_leaves_anything_behind(void **state)
{
    (void)state;
    static const char yaml[] =
        STONE "contact: none\n"
              "bodies:\n"
              "  arch: {geometry: {arch: {blocks: 2, cells: [1, 1, 1]}}, material: stone}\n"
              "  bed: {geometry: {spikes: {columns: 1, rows: 1, sides: 2, layers: 1}},\n"
              "        material: stone, position: [5, 1, 0]}\n"
              "colliders: {ground: {shape: {plane: {}}}}\n";
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        pli_scene *scene = NULL;
        OK(sweep.context,
           pli_scene_parse(sweep.context, yaml, (int64_t)strlen(yaml), "s", NULL, &scene));
        fault_sweep_resume(&sweep);
        pli_model *model = NULL;
        sweep.status = pli_model_create(sweep.context, scene, NULL, &model);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_bodies_that_are_placed_together),
        cmocka_unit_test(a_house_of_cards_stands_free_of_overlaps),
        cmocka_unit_test(copies_turned_step_by_step_make_a_chain),
        cmocka_unit_test(what_cannot_be_built_is_refused_at_its_place),
        cmocka_unit_test(no_allocation_that_fails_leaves_anything_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
