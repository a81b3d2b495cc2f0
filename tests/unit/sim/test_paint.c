// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are painted over a body or keyed over time: the same as plain ones where they are
// the same, elements with their own values, and what is refused.
#include "promises.h"

#include "sim/body/material_resolve.h"
#include "sim/model/model_paint.h"

enum { STEPS = 3 };

#define BAR                                                                              \
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n" \
    "bodies:\n  bar:\n    geometry: {grid: {size: [1, 0.2, 0.2], cells: [4, 1, 1]}}\n"   \
    "    material: m\n"

#define PLAIN                                                                               \
    "materials: {m: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 900, drag: 0.5, " \
    "rayleigh: 0.01}}\n" BAR "    velocity: [1, 2, 3]\n"

// The same numbers, all of them said by expressions.
#define CONSTANT                                                                                   \
    "materials: {m: {law: neo-hookean, young: {expression: '1e5'}, poisson: {expression: '0.3'}, " \
    "density: {expression: 900 + 0 * x}, drag: {expression: '0.5'}, rayleigh: {expression: "       \
    "0.01}}}\n" BAR "    velocity: {expression: ['1', '2', '3']}\n"

// The same, and keys that do not change.
#define STEADY                                                                                    \
    "materials: {m: {law: neo-hookean, young: {keys: [[0, 100 kPa], [1 min, 1e5]]}, poisson: "    \
    "{keys: "                                                                                     \
    "[[0, 0.3]]}, density: 900, drag: {keys: [[0, 0.5]]}, rayleigh: {keys: [[0, 10 ms]]}}}\n" BAR \
    "    velocity: [1, 2, 3]\n"

#define GRADED                                                                                    \
    "materials: {m: {law: neo-hookean, young: {expression: '1e5 * (1.5 + x)'}, poisson: {keys: "  \
    "[[0, 0.2], [0.1, 0.4]], ease: smooth}, density: {expression: '1000 + 500 * noise(9*x, 9*y, " \
    "9*z)'}, "                                                                                    \
    "drag: {keys: [[0, 0], [0.05, 2]]}, rayleigh: {keys: [[0, 0], [0.1, 0.02]]}}}\n" BAR          \
    "    velocity: {expression: [y, 0, '-x']}\n"

static void painted_constants_change_no_bit(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton", "lbfgs", "newton-multigrid"};
    for (int k = 0; k < 3; ++k) {
        uint64_t plain = hash_after(PLAIN, 1, STEPS, solvers[k]);
        if (hash_after(CONSTANT, 1, STEPS, solvers[k]) != plain) fail_msg("%s", solvers[k]);
        if (hash_after(STEADY, 1, STEPS, solvers[k]) != plain) fail_msg("keys, %s", solvers[k]);
    }
}

// Elements with numbers of their own have the branches of their material.
static void painted_materials_keep_their_branches(void **state)
{
    (void)state;
#define BRANCHES(young)                                                                     \
    "materials: {other: {law: neo-hookean, young: 1, poisson: 0, density: 1}, m: {law: "    \
    "neo-hookean, young: " young ", poisson: 0.3, density: 900, viscoelastic: [{ratio: 1, " \
    "time: 0.1}]}}\n" BAR
    uint64_t plain = hash_after(BRANCHES("1e5"), 1, STEPS, "newton");
    assert_true(hash_after(BRANCHES("{expression: '1e5'}"), 1, STEPS, "newton") == plain);
}

// From the first step on a key that was passed before its end is all there is.
static void a_step_has_the_values_of_its_end(void **state)
{
    (void)state;
    static const char late[] =
        "materials: {m: {law: neo-hookean, young: {keys: [[0, 1e7], [0.01, 1e5]]}, "
        "poisson: 0.3, density: 900}}\n" BAR;
    static const char plain[] =
        "materials: {m: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 900}}\n" BAR;
    assert_true(hash_after(late, 1, STEPS, "newton") == hash_after(plain, 1, STEPS, "newton"));
}

static void tetrahedra_have_the_values_at_their_middles(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, GRADED, 1);
    const pli_model *model = s.model;
    double least = INFINITY;
    double most = 0;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        double x = 0;
        double params[PLI_MODEL_PARAMS];
        for (int k = 0; k < 4; ++k) x += 0.25 * model->rest[3 * model->tets[4 * tet + k]];
        double young = 1e5 * (1.5 + x);
        pli_model_tet_params(model, tet, params);
        // mu = E / (2 (1 + nu)), with nu at time 0
        NEAR(params[0], young / 2.4, 1e-13, 0);
        least = fmin(least, young);
        most = fmax(most, young);
    }
    assert_int_equal(s.info.painted_count, 5);
    for (int32_t k = 0; k < s.info.painted_count; ++k) {
        const pli_painted_info *told = &s.info.painted[k];
        if (strcmp(told->number, "materials.m.young") != 0) continue;
        assert_string_equal(told->by, "by expression '1e5 * (1.5 + x)'");
        assert_string_equal(told->unit, "Pa");
        NEAR(told->least, least, 1e-13, 0);
        NEAR(told->most, most, 1e-13, 0);
    }
    simulation_clear(&s);
}

static void painted_steps_keep_all_promises(void **state)
{
    (void)state;
    uint64_t one = hash_after(GRADED, 1, STEPS, "newton");
    assert_true(hash_after(GRADED, 2, STEPS, "newton") == one);
    assert_true(hash_after(GRADED, 4, STEPS, "newton") == one);
    expect_no_memory_in_solvers(GRADED "solver: newton\n", STEPS);
    expect_same_after_restoring(GRADED "solver: newton\n", STEPS);
    expect_no_leak(GRADED "solver: newton\n", true);
}

// A bar under its own weight, nu = 0: u'(x) = rho g (L - x) / E(x) is the same everywhere when E
// falls as the weight below does.
static void a_bar_graded_like_its_load_stretches_evenly(void **state)
{
    (void)state;
    static const char text[] =
        "materials: {m: {law: neo-hookean, young: {expression: '1e6 * (1.02 - y)'}, poisson: 0, "
        "density: 1000}}\n"
        "bodies:\n  bar:\n    geometry: {grid: {center: [0, 0.5, 0], size: [0.1, 1, 0.1], cells: "
        "[1, "
        "200, 1], split: six}}\n    material: m\n"
        "constraints: [{where: {half_space: {point: [0, 1e-6, 0], normal: [0, -1, 0]}}}]\n"
        "gravity: [0, 10, 0]\ntime: {mode: quasi-static}\nsolver: newton\n";
    simulation s;
    simulation_init(&s, text, 2);
    simulation_run(&s, 1);
    const double *x = pli_state_get(s.state).positions;
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    // E u' = rho g (1 - y): u = 0.01 (y + 0.02 ln((1.02 - y) / 1.02)) to first order; the law,
    // linear in nothing, adds strain squared
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        double y = rest[3 * k + 1];
        double want = 0.01 * (y + 0.02 * log((1.02 - y) / 1.02));
        NEAR(x[3 * k + 1] - y, want, 0.02, 1e-6);
    }
    simulation_clear(&s);
}

// ---- arrays

static const double points[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
static const int32_t tets[5][4] = {
    {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
static const double stiffness[5] = {100, 200, 300, 400, 500};
static const double warmth[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const double flow[8][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 0},
                                  {0, 0, 0}, {0, 3, 0}, {1, 1, 1}, {4, 4, 4}};
static const double grain[5][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
static const double fur[8][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3},
                                 {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
static const pli_mesh_array arrays[] = {{"stiffness", PLI_MESH_TETS, 1, stiffness},
                                        {"warmth", PLI_MESH_POINTS, 1, warmth},
                                        {"flow", PLI_MESH_POINTS, 3, flow[0]},
                                        {"grain", PLI_MESH_TETS, 3, grain[0]},
                                        {"fur", PLI_MESH_POINTS, 3, fur[0]}};
static const pli_mesh_data cube = {.point_count = 8,
                                   .points = points[0],
                                   .tet_count = 5,
                                   .tets = tets[0],
                                   .array_count = 5,
                                   .arrays = arrays};

// What a body with a paint of an array becomes; the message of what fails.
static pli_status make_model(pli_context *context, const pli_paint_def *young,
                             const pli_paint_def *velocity, const pli_mesh_data *mesh,
                             pli_model **model)
{
    static const char text[] =
        "materials: {m: {law: neo-hookean, young: 1, poisson: 0, density: 1000}}\n"
        "bodies: {cube: {geometry: {grid: {}}, material: m, axis: [0, 0, 1], angle: 90}}\n";
    pli_scene *scene = NULL;
    pli_scene *made = NULL;
    OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "test", NULL, &scene));
    pli_file_def file = {.path = "", .mesh = mesh};
    pli_scene_def def = *pli_scene_get(scene);
    pli_body_def body = def.bodies[0];
    pli_material_def material = def.materials[0];
    body.geometry = (pli_variant){PLI_GEOMETRY_FILE, &file};
    material.painted = young;
    material.painted_count = young != NULL;
    body.painted = velocity;
    body.painted_count = velocity != NULL;
    def.bodies = &body;
    def.materials = &material;
    pli_status status = pli_scene_create(context, &def, &made);
    if (status == PLI_OK) status = pli_model_create(context, made, NULL, model);
    pli_scene_destroy(made);
    pli_scene_destroy(scene);
    return status;
}

static pli_paint_def paint_of(const char *key, const char *array)
{
    pli_paint_def paint;
    const pli_field *field = pli_schema_find(pli_scene_schema(), "materials");
    // the paint's own schema is that of the list that no file says
    for (int32_t k = 0; k < field->schema->field_count; ++k) {
        const pli_field *one = &field->schema->fields[k];
        if (one->kind == PLI_FIELD_PAINTED) pli_schema_init(one->schema, &paint);
    }
    paint.key = key;
    paint.array = array;
    return paint;
}

static void arrays_of_cells_and_vertices_are_taken(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_model *model = NULL;
    pli_paint_def young = paint_of("young", "stiffness");
    young.unit = "kPa";
    young.scale = 2;
    young.offset = 5;
    OK(context, make_model(context, &young, NULL, &cube, &model));
    for (int32_t tet = 0; tet < 5; ++tet) {
        double params[PLI_MODEL_PARAMS];
        pli_model_tet_params(model, tet, params);
        NEAR(params[0], (2e3 * stiffness[tet] + 5) / 2, 1e-14, 0);
    }
    pli_model_destroy(model);

    young = paint_of("young", "warmth");
    young.offset = 1;
    OK(context, make_model(context, &young, NULL, &cube, &model));
    for (int32_t tet = 0; tet < 5; ++tet) {
        double params[PLI_MODEL_PARAMS];
        double mean = 1;
        for (int k = 0; k < 4; ++k) mean += 0.25 * warmth[tets[tet][k]];
        pli_model_tet_params(model, tet, params);
        NEAR(params[0], mean / 2, 1e-14, 0);
    }
    pli_model_destroy(model);
    pli_context_destroy(context);
}

// By a quarter turn about z.
static void vectors_of_a_mesh_turn_with_its_body(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_model *model = NULL;
    pli_paint_def velocity = paint_of("velocity", "flow");
    OK(context, make_model(context, NULL, &velocity, &cube, &model));
    for (int32_t k = 0; k < 8; ++k) {
        NEAR(model->start_velocity[3 * k], -flow[k][1], 0, 1e-14);
        NEAR(model->start_velocity[3 * k + 1], flow[k][0], 0, 1e-14);
        NEAR(model->start_velocity[3 * k + 2], flow[k][2], 0, 1e-14);
    }
    pli_model_destroy(model);
    pli_context_destroy(context);
}

static void expect_refused(const pli_paint_def *paint, const pli_mesh_data *mesh, const char *says)
{
    pli_context *context = make_context(1);
    pli_model *model = NULL;
    char message[1024];
    bool moves = strcmp(paint->key, "velocity") == 0;
    assert_int_equal(make_model(context, moves ? NULL : paint, moves ? paint : NULL, mesh, &model),
                     PLI_ERROR_SCENE);
    pli_context_message(context, message, sizeof message);
    if (strstr(message, says) == NULL) fail_msg("'%s' does not say '%s'", message, says);
    pli_context_destroy(context);
}

static void wrong_arrays_are_refused_in_words(void **state)
{
    (void)state;
    pli_paint_def young = paint_of("young", "stifness");
    expect_refused(&young, &cube,
                   "materials.m.young: the mesh file of body cube has no array 'stifness'; it has "
                   "stiffness, warmth, flow, grain, fur (did you mean 'stiffness'?)");
    young = paint_of("young", "flow");
    expect_refused(&young, &cube, "array 'flow' has 3 components, of which one is needed");
    young.component = 3;
    expect_refused(&young, &cube, "counted from 0; found component 3");
    young = paint_of("young", "stiffness");
    young.unit = "kg";
    expect_refused(&young, &cube, "unit: expected Pa (stress), found 'kg'");
    young = paint_of("young", "stiffness");
    young.scale = -1;
    expect_refused(&young, &cube,
                   "painted by array 'stiffness', tetrahedra 0, 1, 2, 3, 4 of body "
                   "cube: found '-100'; allowed: greater than 0");
    double holes[5] = {1, NAN, 3, INFINITY, 5};
    pli_mesh_array array = {"stiffness", PLI_MESH_TETS, 1, holes};
    pli_mesh_data mesh = cube;
    mesh.array_count = 1;
    mesh.arrays = &array;
    young.scale = 1;
    expect_refused(&young, &mesh, "tetrahedra 1, 3 of body cube: found a value that is missing");
    mesh.array_count = 0;
    expect_refused(&young, &mesh, "has no array 'stiffness', nor any other");
    pli_paint_def velocity = paint_of("velocity", "flow");
    velocity.component = 1;
    expect_refused(&velocity, &cube,
                   "three components are needed; found component 1 alone of array 'flow'");
}

// ---- directions

// Laws of fibres with their direction, in the mesh above and in the bar.
#define FIBRES(direction)                                                                      \
    "materials: {m: {preset: muscle, parameters: {k1: 1e6, activation: 0.1, fibre: " direction \
    "}}}\n"
#define CUBE(direction, turn)                                          \
    FIBRES(direction)                                                  \
    "bodies: {cube: {geometry: {grid: {}}, material: m" turn "}}\n"    \
    "constraints: [{where: {half_space: {point: [0, 0.1, 0], normal: " \
    "[0, -1, 0]}}}]\nsolver: newton\n"

static uint64_t hash_of_cube(const char *text)
{
    simulation s;
    simulation_init_mesh(&s, text, &cube);
    simulation_run(&s, STEPS);
    uint64_t hash = pli_state_hash(s.state);
    simulation_clear(&s);
    return hash;
}

static void painted_directions_change_no_bit(void **state)
{
    (void)state;
    uint64_t plain = hash_of_cube(CUBE("[1, 2, 3]", ""));
    assert_true(hash_of_cube(CUBE("{array: grain}", "")) == plain);
    assert_true(hash_of_cube(CUBE("{array: fur}", "")) == plain);
    assert_true(hash_of_cube(CUBE("{expression: ['1', '2', '3']}", "")) == plain);
    assert_true(hash_of_cube(CUBE("[1, 2, 4]", "")) != plain);
}

// The parameters of a law with a direction.
static void derive_fibres(const pli_model *model, const double direction[3],
                          double params[PLI_MODEL_PARAMS])
{
    const pli_material_ops *law = model->laws[model->materials[0].law];
    double inputs[PLI_MATERIAL_INPUTS];
    memcpy(inputs, pli_model_inputs(model, 0), (size_t)model->input_stride * sizeof *inputs);
    memcpy(inputs + pli_material_find_input(law, "fibre"), direction, 3 * sizeof *direction);
    law->derive(inputs, params);
}

static void expect_params(const pli_model *model, int32_t tet, const double direction[3])
{
    double params[PLI_MODEL_PARAMS];
    double wanted[PLI_MODEL_PARAMS];
    int32_t count = model->laws[model->materials[0].law]->param_count;
    pli_model_tet_params(model, tet, params);
    derive_fibres(model, direction, wanted);
    for (int32_t k = 0; k < count; ++k) NEAR(params[k], wanted[k], 1e-13, 1e-15);
}

// By a quarter turn about z; three numbers of a scene are along its axes whatever turns.
static void directions_of_a_mesh_turn_with_its_body(void **state)
{
    (void)state;
    static const double turned[3] = {-2, 1, 3};
    simulation s;
    simulation_init_mesh(&s, CUBE("{array: grain}", ", axis: [0, 0, 1], angle: 90"), &cube);
    for (int32_t tet = 0; tet < 5; ++tet) expect_params(s.model, tet, turned);
    simulation_clear(&s);
    simulation_init_mesh(&s, CUBE("{expression: ['1', '2', '3']}", ", axis: [0, 0, 1], angle: 90"),
                         &cube);
    for (int32_t tet = 0; tet < 5; ++tet) expect_params(s.model, tet, grain[0]);
    simulation_clear(&s);
}

#define FAN FIBRES("{expression: ['cos(pi * (x + 0.5) / 2)', 'sin(pi * (x + 0.5) / 2)', '0']}") BAR

// A fan of fibres, from along the bar at its one end to across at the other.
static void a_fan_of_fibres_pulls_differently_by_place(void **state)
{
    (void)state;
    static const double stretched[9] = {1.2, 0, 0, 0, 1, 0, 0, 0, 1};
    simulation s;
    simulation_init(&s, FAN, 1);
    const pli_model *model = s.model;
    const pli_material_ops *law = model->laws[model->materials[0].law];
    double along[2] = {0, 0}; // cos^2 of the angle: farthest along, farthest across
    double stress[2] = {-INFINITY, INFINITY};
    along[1] = 1;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        double x = 0;
        for (int k = 0; k < 4; ++k) x += 0.25 * model->rest[3 * model->tets[4 * tet + k]];
        double angle = 0.5 * acos(-1) * (x + 0.5);
        double params[PLI_MODEL_PARAMS];
        double P[9];
        expect_params(model, tet, (const double[3]){cos(angle), sin(angle), 0});
        pli_model_tet_params(model, tet, params);
        law->evaluate(1, stretched, params, PLI_TANGENT_EXACT, NULL, P, NULL);
        along[0] = fmax(along[0], cos(angle) * cos(angle));
        along[1] = fmin(along[1], cos(angle) * cos(angle));
        stress[0] = fmax(stress[0], P[0]);
        stress[1] = fmin(stress[1], P[0]);
    }
    // k1 E cos^2 and more of fibres that stiffen, E = 0.44 cos^2: P_xx = 2 k1 E cos^2 1.2 at least
    double least = 2 * 1e6 * 0.43 * 1.2 * (along[0] * along[0] - along[1] * along[1]);
    AT_LEAST(stress[0] - stress[1], least);
    assert_int_equal(s.info.painted_count, 1);
    assert_string_equal(s.info.painted[0].by,
                        "by expressions 'cos(pi * (x + 0.5) / 2)', 'sin(pi * (x + 0.5) / 2)', '0'");
    simulation_clear(&s);
    expect_no_memory_in_solvers(FAN "solver: newton\n", STEPS);
    expect_no_leak(FAN "solver: newton\n", true);
}

static void what_is_no_direction_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {FIBRES("{keys: [[0, 1], [1, 2]]}") BAR,
         "materials.m.parameters.fibre: is a direction, which does not change with time"},
        {FIBRES("{expression: x}") BAR, "found 1 expressions, expected three, for x, y and z"},
        {FIBRES("{expression: ['0', x - x, '0']}") BAR,
         "tetrahedra 0, 1, 2, 3, 4 and 15 more of body bar: law 'fibres' takes a direction here"},
        {FIBRES("{expression: ['1', 1 / 0, '0']}") BAR, "found a value that is missing"},
        {"materials: {m: {preset: muscle, parameters: {k1: {expression: [x, x, x]}}}}\n" BAR,
         "materials.m.parameters.k1: found 3 expressions, expected one"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        expect_no_model(cases[k].text, PLI_ERROR_SCENE, cases[k].says);
    }
}

// ---- what scenes cannot say

static void what_cannot_be_painted_is_refused(void **state)
{
    (void)state;
#define M(text) "materials: {m: {law: neo-hookean, poisson: 0.3, " text "}}\n" BAR
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {M("density: 900, young: {expression: '2 *'}"),
         "materials.m.young: expression '2 *', column 4: expected a number"},
        {M("density: 900, young: {}"), "exactly one of array, expression and keys"},
        {M("density: 900, young: {expression: x, keys: [[0, 1]]}"), "exactly one of array"},
        {M("density: 900, young: {expression: [x, y]}"), "found 2 expressions, expected one"},
        {M("density: 900, young: {expression: x}"),
         "materials.m.young: painted by expression 'x', tetrahedra"},
        {M("density: 900, young: {array: stiffness}"), "is not a mesh file"},
        {M("density: 900, young: {keys: [[0, 1e5], [0, 2e5]]}"), "keys[1] is not later"},
        {M("density: 900, young: {keys: [[0, 1e5], [1, -2]]}"), "keys[1]: found '-2'"},
        {M("density: 900, young: {keys: [[0, 1 kg]]}"), "expected Pa (stress), found 'kg'"},
        {M("density: 900, young: {keys: [[0, 1, 2]]}"), "found 3 items, expected 2: time, value"},
        {M("density: 900, young: {arary: x}"), "unknown key 'arary'"},
        {M("young: 1e5, density: {keys: [[0, 900]]}"), "density: does not change with time"},
        {M("density: 900, young: 1e5") "    thickness: {expression: '1'}\n", "a shell alone"},
        {M("density: 900, young: 1e5") "    position: {expression: '1'}\n", "found a map"},
        {M("density: 900, young: {keys: [[0, 1e5]]}") "solver: chebyshev\n", "changes with time"},
        {M("density: 900, young: 1, rayleigh: {expression: x + 1}") "solver: chebyshev\n",
         "has rayleigh damping"},
        {M("density: 900, young: {keys: [[0, 1e5]]}, yield: {von-mises: {stress: 1}}"),
         "cannot yield"},
        {"materials: {m: {law: hencky, young: {expression: '1'}, poisson: 0.3, density: 1}}\n"
         "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n"
         "bodies: {a: {geometry: {particles: {shape: {sphere: {radius: 0.3}}}}, material: m}}\n",
         "particles take one number"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        bool solver = strstr(cases[k].text, "solver") != NULL;
        expect_no_model(cases[k].text, solver ? PLI_ERROR_UNSUPPORTED : PLI_ERROR_SCENE,
                        cases[k].says);
    }
}

// The text of a scene with everything filled in is a scene of the same hash.
static void printed_scenes_read_back_as_the_same(void **state)
{
    (void)state;
    static const char *const texts[] = {
        GRADED, STEADY,
        "materials: {m: {law: fluid, density: 1000, parameters: {bulk: {expression: '1e5 + "
        "x'}}}}\n" BAR,
        "materials: {m: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 900}}\n"
        "bodies: {s: {kind: shell, geometry: {sheet: {columns: 3, rows: 3}}, material: m, "
        "thickness: "
        "{expression: 0.002 + 0.001 * x}}}\n",
        FAN};
    for (int k = 0; k < 5; ++k) {
        simulation s;
        simulation_init(&s, texts[k], 1);
        char *text = NULL;
        pli_scene *again = NULL;
        OK(s.context, pli_scene_to_yaml(s.scene, NULL, &text));
        OK(s.context,
           pli_scene_parse(s.context, text, (int64_t)strlen(text), "again", NULL, &again));
        if (pli_scene_hash(again) != pli_scene_hash(s.scene)) fail_msg("%s", text);
        pli_scene_destroy(again);
        pli_text_free(s.context, text);
        simulation_clear(&s);
    }
}

static void shells_are_as_thick_as_they_are_painted(void **state)
{
    (void)state;
    static const char text[] =
        "materials: {m: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 900}}\n"
        "bodies: {s: {kind: shell, geometry: {sheet: {columns: 3, rows: 3}}, material: m, "
        "thickness: "
        "{expression: 2 * (1 + x)}, bending: {expression: 1 + z^2}}}\n";
    simulation s;
    simulation_init(&s, text, 1);
    for (int32_t k = 0; k < s.model->shell_triangle_count; ++k) {
        double x[3] = {0};
        for (int i = 0; i < 9; ++i) {
            x[i % 3] += s.model->rest[3 * s.model->triangles[3 * k + i / 3] + i % 3] / 3;
        }
        NEAR(s.model->thickness[k], 2 * (1 + x[0]), 1e-13, 0);
        NEAR(s.model->bending[k], 1 + x[2] * x[2], 1e-13, 0);
    }
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(painted_constants_change_no_bit),
        cmocka_unit_test(painted_materials_keep_their_branches),
        cmocka_unit_test(a_step_has_the_values_of_its_end),
        cmocka_unit_test(tetrahedra_have_the_values_at_their_middles),
        cmocka_unit_test(painted_steps_keep_all_promises),
        cmocka_unit_test(a_bar_graded_like_its_load_stretches_evenly),
        cmocka_unit_test(arrays_of_cells_and_vertices_are_taken),
        cmocka_unit_test(vectors_of_a_mesh_turn_with_its_body),
        cmocka_unit_test(wrong_arrays_are_refused_in_words),
        cmocka_unit_test(painted_directions_change_no_bit),
        cmocka_unit_test(directions_of_a_mesh_turn_with_its_body),
        cmocka_unit_test(a_fan_of_fibres_pulls_differently_by_place),
        cmocka_unit_test(what_is_no_direction_is_refused),
        cmocka_unit_test(what_cannot_be_painted_is_refused),
        cmocka_unit_test(printed_scenes_read_back_as_the_same),
        cmocka_unit_test(shells_are_as_thick_as_they_are_painted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
