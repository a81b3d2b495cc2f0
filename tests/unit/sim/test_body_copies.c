// SPDX-License-Identifier: Apache-2.0
//
// A body several times over.
#include "simulate.h"

#include <math.h>

static const char scene[] =
    "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "contact: none\n"
    "bodies:\n"
    "  block: {geometry: {grid: {size: [1, 2, 3], cells: [1, 1, 1]}}, material: m,\n"
    "    position: [10, 0, 0], copies: {count: [2, 1, 3], spacing: [4, 9, 5], turn: %s}}\n"
    "  ball: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}\n"
    "constraints: [{body: block, where: all}]\n";

static void init(simulation *s, const char *turn)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml, scene, turn);
    simulation_init(s, yaml, 1);
}

static void center_of(const simulation *s, int32_t body, double center[3])
{
    pli_body_info range = pli_model_get_body(s->model, body);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    const double *X = pli_model_get_mesh(s->model).rest_positions + 3 * (int64_t)first;
    for (int k = 0; k < 3; ++k) center[k] = 0;
    for (int32_t i = 0; i < 3 * count; ++i) center[i % 3] += X[i] / count;
}

static void copies_stand_in_rows_around_the_position(void **state)
{
    (void)state;
    simulation s;
    init(&s, "0");
    assert_int_equal(s.info.body_count, 7);
    assert_string_equal(pli_model_get_body(s.model, 0).name, "block-1");
    assert_string_equal(pli_model_get_body(s.model, 5).name, "block-6");
    assert_string_equal(pli_model_get_body(s.model, 6).name, "ball");
    for (int32_t body = 0; body < 6; ++body) {
        double center[3];
        center_of(&s, body, center);
        NEAR(center[0], body % 2 == 0 ? 8 : 12, 1e-14, 0);
        NEAR(center[1], 0, 0, 1e-14);
        NEAR(center[2], 5 * (body / 2) - 5, 0, 1e-14);
    }
    simulation_clear(&s);
}

static void copies_are_turned_each_differently_and_keep_their_shape(void **state)
{
    (void)state;
    simulation s;
    init(&s, "180");
    const double *X = pli_model_get_mesh(s.model).rest_positions;
    int32_t n = 8;
    for (int32_t body = 0; body < 6; ++body) {
        for (int32_t i = 1; i < n; ++i) {
            // distances from the first corner are those of the first copy
            double own = 0;
            double first = 0;
            double moved = 0;
            for (int k = 0; k < 3; ++k) {
                double a = X[3 * (body * n + i) + k] - X[3 * body * n + k];
                double b = X[3 * i + k] - X[k];
                own += a * a;
                first += b * b;
                moved += (a - b) * (a - b);
            }
            NEAR(own, first, 1e-12, 0); // differences of positions around 10
            assert_true(body == 0 || moved > 1e-3);
        }
    }
    simulation_clear(&s);
}

static void a_selection_by_body_holds_all_copies(void **state)
{
    (void)state;
    simulation s;
    init(&s, "0");
    // all six blocks are held, the ball is not
    assert_int_equal(s.info.unknown_count, 3 * 8);
    simulation_clear(&s);
}

static void a_copy_may_not_be_called_like_another_body(void **state)
{
    static const char yaml[] =
        "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "contact: none\n"
        "bodies:\n"
        "  a: {geometry: {grid: {cells: [1, 1, 1]}}, material: m, copies: {count: [2, 1, 1]}}\n"
        "  a-2: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}\n";
    pli_context *context = *state;
    pli_scene *parsed = NULL;
    pli_model *model = NULL;
    OK(context, pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &parsed));
    assert_int_equal(pli_model_create(context, parsed, NULL, &model), PLI_ERROR_SCENE);
    char message[512];
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "a-2"));
    assert_null(model);
    pli_scene_destroy(parsed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_stand_in_rows_around_the_position),
        cmocka_unit_test(copies_are_turned_each_differently_and_keep_their_shape),
        cmocka_unit_test(a_selection_by_body_holds_all_copies),
        TEST_IN_CONTEXT(a_copy_may_not_be_called_like_another_body, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
