// SPDX-License-Identifier: Apache-2.0
//
// Which contact a scene gets that does not say so: bodies do not pass through each other silently.
#include "promises.h"

#include "base/context.h"
#include "pliant/io.h"
#include "sim/model/model.h"
#include "sim/scene/scene.h"

#include <string.h>

#define SOFT "materials: {m: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}}\n"
#define CUBE "geometry: {grid: {cells: [1, 1, 1]}}, material: m"
#define ONE SOFT "bodies: {a: {" CUBE "}}\n"
#define TWO SOFT "bodies: {a: {" CUBE "}, b: {" CUBE ", position: [0, 1.1, 0]}}\n"
#define CLOTH                                                                    \
    "bodies: {a: {kind: cloth, geometry: {sheet: {width: 1, depth: 1, columns: " \
    "2, rows: 2}}}}\n"
#define SHELL                                                                                      \
    SOFT "bodies: {a: {kind: shell, material: m, geometry: {sheet: {width: 1, depth: 1, columns: " \
         "2, rows: 2}}}}\n"
#define SWITCH "; contact: none switches it off"

typedef struct choice_case {
    const char *text;
    int32_t method;
    const char *said; // pli_scene_info.contact
} choice_case;

static const choice_case cases[] = {
    {ONE, PLI_CONTACT_NONE, "none, chosen because there is a single body"},
    {ONE "contact: barrier\n", PLI_CONTACT_BARRIER, "barrier, as the scene says"},
    {ONE "contact: {friction: 0.5}\n", PLI_CONTACT_NONE,
     "none, chosen because there is a single body"},
    {TWO, PLI_CONTACT_BARRIER, "barrier, chosen because there are 2 bodies" SWITCH},
    {TWO "contact: auto\n", PLI_CONTACT_BARRIER,
     "barrier, chosen because there are 2 bodies" SWITCH},
    {TWO "contact: {friction: 0.5}\n", PLI_CONTACT_BARRIER,
     "barrier, chosen because there are 2 bodies" SWITCH},
    {TWO "contact: none\n", PLI_CONTACT_NONE, "none, as the scene says"},
    {TWO "contact: {method: none}\n", PLI_CONTACT_NONE, "none, as the scene says"},
    {TWO "solver: newton\n", PLI_CONTACT_BARRIER,
     "barrier, chosen because there are 2 bodies" SWITCH},
    // copies and pieces are bodies, obstacles are
    {SOFT "bodies: {a: {" CUBE ", copies: {count: [3, 1, 1], spacing: [2, 0, 0]}}}\n",
     PLI_CONTACT_BARRIER, "barrier, chosen because there are 3 bodies" SWITCH},
    {SOFT "bodies: {a: {geometry: {arch: {span: 10, rise: 5, thickness: 1, depth: 2, blocks: 5,\n"
          "  gap: 0.01, cells: [1, 1, 1]}}, material: m}}\n",
     PLI_CONTACT_BARRIER, "barrier, chosen because there are 5 bodies" SWITCH},
    {SOFT "bodies: {a: {" CUBE "}, wall: {kind: obstacle, geometry: {grid: {}},\n"
          "  position: [2, 0, 0]}}\n",
     PLI_CONTACT_BARRIER, "barrier, chosen because there are 2 bodies" SWITCH},
    {CLOTH, PLI_CONTACT_BARRIER, "barrier, chosen because a is a cloth" SWITCH},
    {SHELL, PLI_CONTACT_BARRIER, "barrier, chosen because a is a shell" SWITCH},
    // penalties where barriers are not possible
    {TWO "solver: lbfgs\n", PLI_CONTACT_PENALTY,
     "penalty, chosen because solver lbfgs does not take barriers" SWITCH},
    {TWO "solver: newton-plain\n", PLI_CONTACT_PENALTY,
     "penalty, chosen because solver newton-plain does not take barriers" SWITCH},
    {TWO "solver: {line_search: none}\n", PLI_CONTACT_PENALTY,
     "penalty, chosen because solver.line_search is none, and barriers need a line search" SWITCH},
    {TWO "colliders: {g: {shape: {plane: {point: [0, -2, 0]}}, method: constraint}}\n",
     PLI_CONTACT_PENALTY,
     "penalty, chosen because collider g has method: constraint, which barriers do not "
     "take" SWITCH},
    // nothing where nothing is
    {TWO "solver: pd-direct\n", PLI_CONTACT_NONE,
     "none, chosen because solver pd-direct does not take barriers"},
    {TWO "solver: vbd\n", PLI_CONTACT_NONE,
     "none, chosen because solver vbd does not take barriers"},
    {CLOTH "solver: lbfgs\n", PLI_CONTACT_NONE,
     "none, chosen because solver lbfgs does not take barriers"},
    {"materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
     "bodies: {a: {" CUBE "}, b: {" CUBE ", start: random}}\n"
     "solver: {tolerance: 1e-3}\n",
     PLI_CONTACT_NONE,
     "none, chosen because b starts tangled or inverted, which barriers do not take"},
};

typedef struct warnings {
    int32_t count;
    char last[512];
} warnings;

static void hear(void *user, pli_log_level level, const char *text)
{
    warnings *heard = user;
    if (level != PLI_LOG_WARNING || strstr(text, "pass through each other") == NULL) return;
    ++heard->count;
    snprintf(heard->last, sizeof heard->last, "%s", text);
}

static pli_scene *read_scene(pli_context *context, const char *text)
{
    pli_scene *scene = NULL;
    OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene));
    return scene;
}

static void every_scene_says_which_contact_it_has_and_why(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const choice_case *c = &cases[k];
        warnings heard = {0};
        pli_context_def def = pli_context_def_default();
        def.log = hear;
        def.log_user = &heard;
        pli_context *context = NULL;
        OK(NULL, pli_context_create(&def, &context));
        pli_scene *scene = read_scene(context, c->text);
        if (strcmp(pli_scene_get_info(scene).contact, c->said) != 0) {
            fprintf(stderr, "%sgot:  %s\nwant: %s\n", c->text, pli_scene_get_info(scene).contact,
                    c->said);
            fail();
        }
        assert_int_equal(pli_scene_get(scene)->contact.method, c->method);
        // giving up is never silent, and nothing else is warned of
        bool wanted = strstr(c->said, "none, chosen") != NULL && strstr(c->said, "single") == NULL;
        assert_int_equal(heard.count, wanted);

        pli_model *model = NULL;
        OK(context, pli_model_create(context, scene, NULL, &model));
        assert_int_equal(model->contact.method, c->method);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
        pli_context_destroy(context);
    }
}

static void two_bodies_do_not_pass_through_each_other_unasked(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    SOFT "bodies: {a: {" CUBE "}, b: {" CUBE
                         ", position: [2, 0, 0], velocity: [-8, "
                         "0, 0]}}\ngravity: [0, 0, 0]\ntime: {fps: 50}\n",
                    1);
    assert_string_equal(s.model->solver_kind->info.name, "ipc-pcg");
    pli_body_info range = pli_model_get_body(s.model, 1);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    for (int step = 0; step < 40; ++step) simulation_step(&s);
    // what came from the right is still on the right
    double a = 0, b = 0;
    for (int32_t v = 0; v < count; ++v) {
        a += pli_state_get(s.state).positions[3 * v] / count;
        b += pli_state_get(s.state).positions[3 * (first + v)] / count;
    }
    assert_true(b > a + 0.5);
    simulation_clear(&s);
}

static void a_single_cloth_collides_with_itself_unasked(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = read_scene(context, CLOTH);
    pli_model *model = NULL;
    OK(context, pli_model_create(context, scene, NULL, &model));
    assert_true(model->contact.self && model->surface_triangle_count > 0);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
}

static void scenes_made_in_code_get_the_same_choice(void **state)
{
    pli_context *context = *state;
    pli_scene *read = read_scene(context, TWO);
    pli_scene_def def;
    pli_scene_def_init(&def);
    assert_int_equal(def.contact.method, PLI_CONTACT_AUTO);
    const pli_scene_def *from = pli_scene_get(read);
    def.materials = from->materials;
    def.material_count = from->material_count;
    def.bodies = from->bodies;
    def.body_count = from->body_count;
    pli_scene *scene = NULL;
    OK(context, pli_scene_create(context, &def, &scene));
    assert_int_equal(pli_scene_get(scene)->contact.method, PLI_CONTACT_BARRIER);
    assert_string_equal(pli_scene_get_info(scene).contact, pli_scene_get_info(read).contact);
    // the description of the caller is as it was
    assert_int_equal(def.contact.method, PLI_CONTACT_AUTO);
    // validated again, it is still a choice
    OK(context, pli_scene_validate(scene));
    assert_string_equal(pli_scene_get_info(scene).contact, pli_scene_get_info(read).contact);
    pli_scene_destroy(scene);
    pli_scene_destroy(read);
}

static void a_resolved_scene_states_what_was_chosen(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = read_scene(context, TWO);
    char *yaml = NULL;
    OK(context, pli_scene_to_yaml(scene, NULL, &yaml));
    assert_non_null(strstr(yaml, "contact:\n  method: barrier\n"));
    pli_scene *again = read_scene(context, yaml);
    assert_string_equal(pli_scene_get_info(again).contact, "barrier, as the scene says");
    assert_true(pli_scene_hash(again) == pli_scene_hash(scene));
    pli_scene_destroy(again);
    pli_scene_destroy(scene);
    pli_text_free(context, yaml);
}

static void a_refused_start_says_that_nobody_asked_for_barriers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SOFT "bodies: {a: {" CUBE "}, b: {" CUBE ", position: [0, 1, 0]}}\n",
        TWO "colliders: {ground: {shape: {plane: {point: [0, -0.5, 0]}}}}\n"};
    for (int k = 0; k < 2; ++k) {
        char got[2048];
        pli_context *context = make_context(1);
        pli_scene *scene = read_scene(context, texts[k]);
        pli_model *model = NULL;
        assert_int_equal(pli_model_create(context, scene, NULL, &model), PLI_ERROR_SCENE);
        pli_context_message(context, got, sizeof got);
        assert_non_null(strstr(got, "; barriers need a gap, so move them apart, or write contact: "
                                    "none, since this scene does not ask for barriers"));
        pli_scene_destroy(scene);
        pli_context_destroy(context);
    }
}

static void particles_need_no_word(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = read_scene(
        context, "materials: {m: snow}\ndomain: {cell: 0.1}\nbodies:\n"
                 "  a: {geometry: {particles: {shape: {sphere: {radius: 0.5}}}}, material: m}\n"
                 "  b: {geometry: {particles: {shape: {sphere: {radius: 0.5}}}}, material: m}\n");
    assert_int_equal(pli_scene_get(scene)->contact.method, PLI_CONTACT_NONE);
    assert_string_equal(pli_scene_get_info(scene).contact, "");
    pli_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_says_which_contact_it_has_and_why),
        cmocka_unit_test(two_bodies_do_not_pass_through_each_other_unasked),
        TEST_IN_CONTEXT(a_single_cloth_collides_with_itself_unasked, 1),
        TEST_IN_CONTEXT(scenes_made_in_code_get_the_same_choice, 1),
        TEST_IN_CONTEXT(a_resolved_scene_states_what_was_chosen, 1),
        cmocka_unit_test(a_refused_start_says_that_nobody_asked_for_barriers),
        TEST_IN_CONTEXT(particles_need_no_word, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
