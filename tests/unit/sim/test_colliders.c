// SPDX-License-Identifier: Apache-2.0
//
// Colliders and contact from the words of a scene to the compiled model, and what is said about
// vertices that start where they must not be.
#include "scene_samples.h"
#include "support/fault_sweep.h"

#include "pliant/sim.h"
#include "sim/body/overlap.h"
#include "sim/model/model.h"
#include "sim/scene/schema.h"

// A cube of 27 vertices from y = 0.5 to 1.5; what follows begins in line 4.
#define CUBE                                                                               \
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n" \
    "bodies:\n"                                                                            \
    "  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, position: [0, 1, 0]}\n"

// ---- helpers

typedef struct heard {
    int32_t warnings;
    char warning[1024]; // the last one
    char info[1024];    // the last one
} heard;

static void hear(void *user, pli_log_level level, const char *text)
{
    heard *last = user;
    if (level == PLI_LOG_WARNING) {
        ++last->warnings;
        snprintf(last->warning, sizeof last->warning, "%s", text);
    }
    if (level == PLI_LOG_INFO) snprintf(last->info, sizeof last->info, "%s", text);
}

static pli_context *listening_context(heard *last)
{
    *last = (heard){0};
    pli_context_def def = pli_context_def_default();
    def.log = hear;
    def.log_user = last;
    def.log_level = PLI_LOG_INFO;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

static pli_status parse(pli_context *context, const char *text, pli_scene **scene)
{
    return pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, scene);
}

// Reads and compiles a scene; the model keeps no reference to it.
static pli_status try_model(pli_context *context, const char *text, pli_model **model)
{
    pli_scene *scene = NULL;
    *model = NULL;
    pli_status status = parse(context, text, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, model);
    pli_scene_destroy(scene);
    return status;
}

static pli_model *make_model(pli_context *context, const char *text)
{
    pli_model *model = NULL;
    OK(context, try_model(context, text, &model));
    return model;
}

// ---- rules

typedef struct rule_case {
    const char *text; // behind the cube, from line 4 on
    const char *message;
} rule_case;

#define RIGID "because the distance to a stretched collider would not stay a distance"
#define NO_GRID                                                                                  \
    "found 'constraint' for a shape that is sampled on a grid, whose kinks would hold vertices " \
    "fast; use method: penalty, or a shape without mesh and sampled"

static const rule_case refused_cases[] = {
    {"colliders:\n  a: {shape: plane}\n  a: {shape: plane}\n",
     "s.yaml:6:3: the key 'a' is there twice, first in line 5"},
    {"colliders:\n  a: {friction: 1}\n",
     "s.yaml:5:6: colliders.a: the key 'shape' is missing: The solid, where it is at the start."},
    {"colliders:\n  a: {shape: plane, friction: -1}\n",
     "s.yaml:5:31: colliders.a.friction: found '-1'; allowed: from 0 to 1000"},
    {"colliders:\n  a: {shape: plane, friction: 1001}\n",
     "s.yaml:5:31: colliders.a.friction: found '1001'; allowed: from 0 to 1000"},
    {"colliders:\n  a: {shape: plane, stiffness: 0}\n",
     "s.yaml:5:32: colliders.a.stiffness: found '0'; allowed: greater than 0 and at most 1e18 "
     "N/m^2 or N/m"},
    {"colliders:\n  a: {shape: plane, method: wall}\n",
     "s.yaml:5:29: colliders.a.method: found 'wall'; allowed are auto, constraint, penalty, "
     "postprocess, barrier, quadratic"},
    {"colliders:\n  a: {shape: plane, method: barrier}\n",
     "s.yaml:5:29: colliders.a.method: found 'barrier' although contact.method is not; write "
     "contact: barrier"},
    {"contact: {method: ipc}\n",
     "s.yaml:4:19: contact.method: found 'ipc'; allowed are none, penalty, barrier, auto; contact "
     "that never intersects is 'barrier'"},
    {"contact: {friction: 2000}\n",
     "s.yaml:4:21: contact.friction: found '2000'; allowed: from 0 to 1000"},
    {"checks: {body_overlap: fatal}\n",
     "s.yaml:4:24: checks.body_overlap: found 'fatal'; allowed are error, warning, ignore"},
    // distances must stay distances
    {"colliders:\n  a:\n    shape: plane\n    motion:\n      segments:\n"
     "        - {duration: 1}\n        - {duration: 1, stretch: [0, 0.5, 0]}\n",
     "s.yaml:10:34: colliders.a.motion.segments[1].stretch: found [0, 0.5, 0]; allowed: [0, 0, "
     "0], " RIGID},
    {"colliders:\n  a:\n    shape: plane\n    motion: {keyframes: [{time: 1, scale: [1, 1, 2]}]}\n",
     "s.yaml:7:43: colliders.a.motion.keyframes[0].scale: found [1, 1, 2]; allowed: [1, 1, "
     "1], " RIGID},
    // a grid of samples cannot be a constraint, wherever it hides
    {"colliders:\n  a:\n    shape: {sampled: {shape: {sphere: 1}}}\n    method: constraint\n",
     "s.yaml:7:13: colliders.a.method: " NO_GRID},
    {"colliders:\n  a:\n    method: constraint\n    shape:\n      transform:\n        shape:\n"
     "          union: [{sphere: 1}, {sampled: {shape: {sphere: 1}}}]\n",
     "s.yaml:6:13: colliders.a.method: " NO_GRID},
    // what has no end cannot be sampled
    {"colliders:\n  a: {shape: {sampled: {shape: plane}}}\n",
     "s.yaml:5:32: colliders.a.shape.sampled.shape: found a plane without end, which no grid can "
     "cover; intersect it with a box"},
    {"colliders:\n  a:\n    shape:\n      sampled:\n        shape: {complement: {shape: {sphere: "
     "1}}}\n",
     "s.yaml:8:16: colliders.a.shape.sampled.shape: found a complement without end, which no grid "
     "can cover; intersect it with a box"},
    // parts of a shape are blamed before the whole
    {"colliders:\n  a: {shape: {cylinder: {end: [0, 0, 0], radius: 1}}}\n",
     "s.yaml:5:31: colliders.a.shape.cylinder.end: is the same point as the start"},
    {"colliders:\n  a: {shape: {box: {size: [1, 1, 1], rounding: 2}}}\n",
     "s.yaml:5:14: colliders.a.shape: rounding of a box is 2, must be at most half of its "
     "shortest edge, 0.5"},
};

static void every_rule_tells_the_place_and_what_is_right(void **state)
{
    pli_context *context = *state;
    for (size_t k = 0; k < sizeof refused_cases / sizeof *refused_cases; ++k) {
        char text[1024];
        pli_scene *scene = NULL;
        snprintf(text, sizeof text, "%s%s", CUBE, refused_cases[k].text);
        REFUSED(context, parse(context, text, &scene), refused_cases[k].message);
        assert_null(scene);
    }
}

static const rule_case warned_cases[] = {
    {"colliders: {a: {shape: plane, stiffness: 1e5}}\n",
     "s.yaml:4:42: colliders.a.stiffness: is not used, because the method is constraint; use "
     "method: penalty"},
    {"colliders: {a: {shape: plane, method: postprocess, stiffness: 1e5}}\n",
     "s.yaml:4:63: colliders.a.stiffness: is not used, because the method is postprocess; use "
     "method: penalty"},
    {"contact: {stiffness: 1e5}\n",
     "s.yaml:4:22: contact.stiffness: is not used, because bodies do not collide; use method: "
     "penalty or barrier"},
    {"contact: {friction: 0.5}\n",
     "s.yaml:4:21: contact.friction: is not used, because bodies do not collide; use method: "
     "penalty or barrier"},
    {"colliders: {a: {shape: plane, method: penalty, stiffness: 1e5, friction: 1}}\n", ""},
    {"colliders: {a: {shape: {sampled: {shape: {sphere: 0.1}}}, stiffness: 1e5}}\n", ""},
    {"contact: {method: penalty, stiffness: 1e5, friction: 0.5}\n", ""},
    // six half-spaces have an end
    {"colliders: {a: {shape: {sampled: {resolution: 8, shape: {intersection: [\n"
     "  {plane: {normal: [1, 0, 0]}}, {plane: {point: [-1, 0, 0], normal: [-1, 0, 0]}},\n"
     "  {plane: {normal: [0, 1, 0]}}, {plane: {point: [0, -1, 0], normal: [0, -1, 0]}},\n"
     "  {plane: {normal: [0, 0, 1]}}, {plane: {point: [0, 0, -1], normal: [0, 0, -1]}}]}}}}}\n",
     ""},
};

static void what_is_given_and_not_used_is_warned_of(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof warned_cases / sizeof *warned_cases; ++k) {
        char text[1024];
        heard last;
        pli_context *context = listening_context(&last);
        snprintf(text, sizeof text, "%s%s", CUBE, warned_cases[k].text);
        pli_model_destroy(make_model(context, text));
        assert_string_equal(last.warning, warned_cases[k].message);
        pli_context_destroy(context);
    }
}

// ---- the model

static void methods_follow_from_shapes(void **state)
{
    pli_context *context = *state;
    pli_model *model =
        make_model(context, CUBE "colliders:\n"
                                 "  floor: {shape: plane, friction: 0.5}\n"
                                 "  hills: {shape: {height_field: {origin: [0, -9, 0], width: 1,\n"
                                 "    depth: 1, columns: 2, rows: 2, heights: [0, 1, 0, 1]}}}\n"
                                 "  ring: {shape: {sampled: {resolution: 8, shape: {torus:\n"
                                 "    {radius: 2, tube_radius: 0.1}}}}}\n"
                                 "  soft: {shape: {sphere: 0.1}, method: penalty}\n"
                                 "  after: {shape: {sphere: 0.1}, method: postprocess}\n"
                                 "contact: penalty\n");
    static const struct {
        const char *name;
        bool analytic;
        pli_collider_method method;
        const char *text;
    } want[] = {{"floor", true, PLI_COLLIDER_CONSTRAINT, "constraint"},
                {"hills", true, PLI_COLLIDER_CONSTRAINT, "constraint"},
                {"ring", false, PLI_COLLIDER_PENALTY, "penalty"},
                {"soft", true, PLI_COLLIDER_PENALTY, "penalty"},
                {"after", true, PLI_COLLIDER_POSTPROCESS, "postprocess"}};
    assert_int_equal(model->collider_count, 5);
    for (int32_t k = 0; k < 5; ++k) {
        const pli_model_collider *collider = &model->colliders[k];
        pli_contact_info info = pli_model_get_collider(model, k);
        assert_string_equal(collider->name, want[k].name);
        assert_int_equal(collider->analytic, want[k].analytic);
        assert_int_equal(collider->method, want[k].method);
        NEAR(collider->friction, k == 0 ? 0.5 : 0, 0, 0);
        assert_string_equal(info.name, want[k].name);
        assert_string_equal(info.method, want[k].text);
        NEAR(info.friction, collider->friction, 0, 0);
        NEAR(info.stiffness, collider->stiffness, 0, 0);
    }
    pli_contact_info contact = pli_model_get_info(model).contact;
    assert_string_equal(contact.name, "");
    assert_string_equal(contact.method, "penalty");
    NEAR(contact.stiffness, 1e5, 1e-15, 0);
    pli_model_info info = pli_model_get_info(model);
    assert_int_equal(info.collider_count, 5);
    pli_model_destroy(model);
}

static void a_mesh_is_a_penalty_and_no_constraint(void **state)
{
    pli_context *context = *state;
    const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const pli_mesh_data mesh = {
        .point_count = 4, .points = points[0], .triangle_count = 4, .triangles = triangles[0]};
    pli_file_def file = {.path = "", .mesh = &mesh, .resolution = 16};
    pli_shell_def shell = {.shape = {PLI_SHAPE_MESH, &file}, .thickness = 0.1};
    pli_collider_def collider;
    pli_schema_init(&pli_collider_schema, &collider);
    collider.name = "pyramid";
    collider.shape = (pli_variant){PLI_SHAPE_SHELL, &shell};

    pli_scene *scene = NULL;
    pli_scene *changed = NULL;
    pli_model *model = NULL;
    OK(context, parse(context, CUBE, &scene));
    pli_scene_def def = *pli_scene_get(scene);
    def.colliders = &collider;
    def.collider_count = 1;
    def.checks.collider_overlap = PLI_SEVERITY_IGNORE;
    OK(context, pli_scene_create(context, &def, &changed));
    OK(context, pli_model_create(context, changed, NULL, &model));
    assert_false(model->colliders[0].analytic);
    assert_int_equal(model->colliders[0].method, PLI_COLLIDER_PENALTY);
    pli_model_destroy(model);
    pli_scene_destroy(changed);

    collider.method = PLI_COLLIDER_CONSTRAINT;
    REFUSED(context, pli_scene_create(context, &def, &changed),
            "scene: colliders.pyramid.method: " NO_GRID);
    // moving its vertices out afterwards is no problem
    collider.method = PLI_COLLIDER_POSTPROCESS;
    OK(context, pli_scene_create(context, &def, &changed));
    pli_scene_destroy(changed);
    pli_scene_destroy(scene);
}

static void inside_out_flips_the_sign(void **state)
{
    pli_context *context = *state;
    pli_model *model =
        make_model(context, CUBE "colliders:\n"
                                 "  ball: {shape: {sphere: {center: [9, 0, 0], radius: 2}}}\n"
                                 "  room: {shape: {sphere: {radius: 20}}, inside_out: true}\n");
    const pli_shape *ball = model->colliders[0].shape;
    const pli_shape *room = model->colliders[1].shape;
    // exact distances of spheres
    NEAR(pli_shape_value(ball, (double[]){9, 0, 0}), -2, 1e-15, 0);
    NEAR(pli_shape_value(ball, (double[]){9, 3, 0}), 1, 1e-15, 0);
    NEAR(pli_shape_value(room, (double[]){0, 15, 0}), 5, 1e-15, 0);
    NEAR(pli_shape_value(room, (double[]){0, 21, 0}), -1, 1e-15, 0);
    assert_true(model->colliders[1].analytic);
    assert_int_equal(model->colliders[1].method, PLI_COLLIDER_CONSTRAINT);
    pli_model_destroy(model);
}

static void colliders_turn_about_their_bounds(void **state)
{
    pli_context *context = *state;
    pli_model *model =
        make_model(context, CUBE "colliders:\n"
                                 "  box: {shape: {box: {center: [5, 0, 1], size: [1, 2, 1]}},\n"
                                 "    motion: {segments: [{duration: 1, axis: [0, 0, 1],\n"
                                 "      spin: 90, velocity: [0, 0, 1]}], after: release}}\n"
                                 "  room: {shape: {sphere: {center: [0, 1, 0], radius: 9}},\n"
                                 "    inside_out: true}\n"
                                 "  floor: {shape: {plane: {point: [0, -2, 0]}}}\n"
                                 "  own: {shape: {sphere: 0.1}, motion: {center: [1, 2, 3]}}\n");
    const double want[4][3] = {{5, 0, 1}, {0, 1, 0}, {0, 0, 0}, {1, 2, 3}};
    for (int32_t k = 0; k < 4; ++k) {
        for (int32_t axis = 0; axis < 3; ++axis) {
            NEAR(model->colliders[k].motion.center[axis], want[k][axis], 0, 1e-15);
        }
    }
    // after a quarter turn and a metre along z the point at its right is above its centre
    const pli_motion *motion = &model->colliders[0].motion;
    pli_pose pose;
    double x[3];
    double back[3];
    pli_motion_get_pose(motion, 1, &pose);
    assert_true(pose.active);
    pli_motion_apply(motion, &pose, (double[]){6, 0, 1}, x);
    NEAR(x[0], 5, 0, 1e-14);
    NEAR(x[1], 1, 0, 1e-14);
    NEAR(x[2], 2, 0, 1e-14);
    pli_motion_apply_inverse(motion, &pose, x, back);
    NEAR(back[0], 6, 0, 1e-14);
    NEAR(back[1], 0, 0, 1e-14);
    NEAR(back[2], 1, 0, 1e-14);
    // a released collider is gone
    pli_motion_get_pose(motion, 1.1, &pose);
    assert_false(pose.active);
    pli_model_destroy(model);
}

static void stiffness_follows_the_stiffest_material_in_use(void **state)
{
    (void)state;
    heard last;
    pli_context *context = listening_context(&last);
    pli_model *model = make_model(
        context, "materials:\n"
                 "  soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}\n"
                 "  hard: {law: neo-hookean, density: 1000, young: 3e6, poisson: 0.499}\n"
                 "  unused: {law: hencky, density: 1000, young: 1e9, poisson: 0.3}\n"
                 "bodies:\n"
                 "  cube: {geometry: grid, material: soft, position: [0, 1, 0], regions: [{\n"
                 "    where: {half_space: {point: [0, 1.3, 0], normal: [0, 1, 0]}},\n"
                 "    material: hard}]}\n"
                 "colliders:\n"
                 "  given: {shape: plane, method: penalty, stiffness: 7}\n"
                 "  auto: {shape: plane, method: penalty}\n");
    NEAR(model->colliders[0].stiffness, 7, 0, 0);
    NEAR(model->colliders[1].stiffness, 3e7, 1e-15, 0);
    NEAR(model->contact.stiffness, 3e7, 1e-15, 0);
    assert_int_equal(model->contact.method, PLI_CONTACT_NONE);
    assert_string_equal(last.info, "collider auto: stiffness of the penalty is 3e7 N/m^2, 10 times "
                                   "that of the stiffest material");
    pli_model_destroy(model);
    model = make_model(context, CUBE "contact: {method: penalty, self: false, stiffness: 5}\n");
    NEAR(model->contact.stiffness, 5, 0, 0);
    assert_false(model->contact.self);
    pli_model_destroy(model);
    pli_context_destroy(context);
}

// Volume enclosed by the surface triangles of a body: sum of a . (b x c) / 6.
static double enclosed_volume(const pli_model *model, const pli_model_body *body)
{
    double volume = 0;
    for (int32_t k = 0; k < body->surface_triangle_count; ++k) {
        const int32_t *t = model->surface_triangles + 3 * (body->first_surface_triangle + k);
        const double *p[3];
        for (int32_t c = 0; c < 3; ++c) {
            assert_in_range(t[c], body->first_vertex, body->first_vertex + body->vertex_count - 1);
            p[c] = model->rest + 3 * (int64_t)t[c];
        }
        double cross[3];
        pli_vec3_cross(p[1], p[2], cross);
        volume += pli_vec3_dot(p[0], cross) / 6;
    }
    return volume;
}

static void surface_encloses_each_body(void **state)
{
    static const char *bodies =
        "materials: {soft: tissue}\n"
        "bodies:\n"
        "  first: {geometry: {grid: {cells: [2, 3, 2]}}, material: soft}\n"
        "  second: {geometry: {grid: {size: [2, 1, 1], cells: [3, 2, 2]}}, material: soft,\n"
        "    position: [5, 0, 0], axis: [0, 0, 1], angle: 30, scale: [1, 1, 0.5]}\n";
    pli_context *context = *state;
    // nothing collides: nobody needs it
    char text[1024];
    snprintf(text, sizeof text, "%scontact: none\n", bodies);
    pli_model *model = make_model(context, text);
    assert_int_equal(model->surface_triangle_count, 0);
    pli_model_destroy(model);

    snprintf(text, sizeof text, "%scontact: penalty\n", bodies);
    model = make_model(context, text);
    const pli_model_body *first = &model->bodies[0];
    const pli_model_body *second = &model->bodies[1];
    // two triangles a face of a cell
    assert_int_equal(first->surface_triangle_count, 2 * 2 * (2 * 3 + 3 * 2 + 2 * 2));
    assert_int_equal(second->surface_triangle_count, 2 * 2 * (3 * 2 + 2 * 2 + 2 * 3));
    assert_int_equal(first->first_surface_triangle, 0);
    assert_int_equal(second->first_surface_triangle, first->surface_triangle_count);
    assert_int_equal(model->surface_triangle_count,
                     first->surface_triangle_count + second->surface_triangle_count);
    // positive: counter-clockwise from outside; rounding of sums of some hundred terms of order 1
    NEAR(enclosed_volume(model, first), 1, 1e-12, 0);
    NEAR(enclosed_volume(model, second), 1, 1e-12, 0);
    pli_model_destroy(model);
}

// ---- overlaps

// The cube's bottom layer, 9 vertices at y = 0.5, is 0.1 m deep in the floor.
#define FLOOR_IN_CUBE "colliders: {floor: {shape: {plane: {point: [0, 0.6, 0]}}}}\n"
#define NINE_INSIDE                                                                         \
    "s.yaml:4:13: colliders.floor: 9 vertices of body cube start inside of this collider: " \
    "0 (0.1 m), 1 (0.1 m), 2 (0.1 m), 9 (0.1 m), 10 (0.1 m), ..."
#define APART "; move them apart, or write checks: {collider_overlap: warning}"

static void vertices_inside_of_a_collider_are_counted_and_measured(void **state)
{
    pli_context *context = *state;
    // the ball's surface is 0.3 m above the middle of the cube's bottom, its other vertices are out
    pli_model *model =
        make_model(context, CUBE "checks: {collider_overlap: ignore}\n"
                                 "colliders:\n"
                                 "  floor: {shape: {plane: {point: [0, 0.6, 0]}}}\n"
                                 "  ball: {shape: {sphere: {center: [0, 0.4, 0], radius: 0.4}}}\n"
                                 "  slope: {shape: {plane: {point: [-0.5, 1.5, -0.5],\n"
                                 "    normal: [1, 2, 4]}}}\n"
                                 "  touching: {shape: {plane: {point: [0, 0.5, 0]}}}\n");
    pli_overlap overlap;
    OK(context, pli_overlap_find(model, &model->colliders[0], &model->bodies[0], &overlap));
    assert_int_equal(overlap.count, 9);
    for (int32_t k = 0; k < PLI_OVERLAP_LISTED; ++k) {
        NEAR(overlap.depths[k], 0.1, 1e-14, 0);
        NEAR(model->start[3 * overlap.ids[k] + 1], 0.5, 0, 0);
    }
    OK(context, pli_overlap_find(model, &model->colliders[1], &model->bodies[0], &overlap));
    assert_int_equal(overlap.count, 1);
    NEAR(overlap.depths[0], 0.3, 1e-14, 0);
    const double *x = model->start + 3 * overlap.ids[0];
    NEAR(x[0], 0, 0, 0);
    NEAR(x[1], 0.5, 0, 0);
    NEAR(x[2], 0, 0, 0);
    // deepest first, each with its own depth
    OK(context, pli_overlap_find(model, &model->colliders[2], &model->bodies[0], &overlap));
    AT_LEAST(overlap.count, PLI_OVERLAP_LISTED);
    NEAR(overlap.depths[0], 2 / sqrt(21), 1e-14, 0);
    for (int32_t k = 0; k < PLI_OVERLAP_LISTED; ++k) {
        x = model->start + 3 * overlap.ids[k];
        double value = (x[0] + 0.5 + 2 * (x[1] - 1.5) + 4 * (x[2] + 0.5)) / sqrt(21);
        NEAR(overlap.depths[k], -value, 1e-14, 0);
        if (k > 0) AT_MOST(overlap.depths[k], overlap.depths[k - 1]);
    }
    OK(context, pli_overlap_find(model, &model->colliders[3], &model->bodies[0], &overlap));
    assert_int_equal(overlap.count, 0);
    pli_model_destroy(model);
}

static void overlap_is_refused_warned_of_or_ignored(void **state)
{
    (void)state;
    heard last;
    pli_model *model = NULL;
    pli_context *context = listening_context(&last);
    REFUSED(context, try_model(context, CUBE FLOOR_IN_CUBE, &model), NINE_INSIDE APART);
    REFUSED(context,
            try_model(context,
                      CUBE "colliders: {ball: {shape: {sphere: {center: [0, 0.4, 0], radius: "
                           "0.4}}}}\n",
                      &model),
            "s.yaml:4:13: colliders.ball: 1 vertex of body cube starts inside of this collider: "
            "10 (0.3 m)" APART);
    assert_int_equal(last.warnings, 0);
    model = make_model(context, CUBE FLOOR_IN_CUBE "checks: {collider_overlap: warning}\n");
    pli_model_destroy(model);
    assert_int_equal(last.warnings, 1);
    assert_string_equal(last.warning, NINE_INSIDE);
    model = make_model(context, CUBE FLOOR_IN_CUBE "checks: {collider_overlap: ignore}\n");
    pli_model_destroy(model);
    assert_int_equal(last.warnings, 1);
    // held vertices count, too
    REFUSED(context, try_model(context, CUBE FLOOR_IN_CUBE "constraints: [{where: all}]\n", &model),
            NINE_INSIDE APART);
    pli_context_destroy(context);
}

static void overlap_is_that_of_the_pose_at_the_start(void **state)
{
    pli_context *context = *state;
    pli_model *model = NULL;
    // the floor is at y = 0.6 as written, but its script starts a metre lower
    model = make_model(context, CUBE "colliders:\n"
                                     "  floor: {shape: {plane: {point: [0, 0.6, 0]}}, motion:\n"
                                     "    {keyframes: [{time: 0, translate: [0, -1, 0]}]}}\n");
    pli_model_destroy(model);
    // the cube is in the room as written; turned about its own centre, the walls at x = +-0.5 cut
    // off two of its edges, each with 3 vertices at a depth of sqrt(1/2) - 1/2
    REFUSED(context,
            try_model(context,
                      CUBE "colliders:\n"
                           "  room: {shape: {box: {center: [0, 1, 0], size: [1, 9, 9]}},\n"
                           "    inside_out: true, motion: {keyframes: [{time: 0, axis: [0, 1, 0],\n"
                           "    angle: 45}]}}\n",
                      &model),
            "s.yaml:5:3: colliders.room: 6 vertices of body cube start inside of this collider: "
            "2 (0.207 m), 5 (0.207 m), 8 (0.207 m), 18 (0.207 m), 21 (0.207 m), ..." APART);
}

// ---- overlaps of bodies

// Two cubes of 27 vertices, the upper one's bottom at y = `bottom`; the lower one ends at 1.5.
static const char *two_cubes(char text[1024], const char *bottom, const char *more)
{
    snprintf(
        text, 1024,
        "%s"
        "  upper: {geometry: {grid: {center: [0.25, 0.5, 0.25], size: [1, 1, 1], cells: [2, 2,\n"
        "    2]}}, material: soft, position: [0, %s, 0]}\n%s",
        CUBE, bottom, more);
    return text;
}

// The four vertices of the upper cube's bottom over the lower one are in it, 0.125 m deep; and so
// are four of the lower cube's top in the upper one.
#define CUBE_IN_UPPER                                                                             \
    "s.yaml:3:3: bodies.cube: 4 vertices of body cube start inside of body upper: 16 (0.125 m), " \
    "17 (0.125 m), 25 (0.125 m), 26 (0.125 m)"
#define UPPER_IN_CUBE                                                                         \
    "s.yaml:4:3: bodies.upper: 4 vertices of body upper start inside of body cube: 0 (0.125 " \
    "m), 1 (0.125 m), 9 (0.125 m), 10 (0.125 m)"

static void bodies_that_start_inside_of_each_other_are_told(void **state)
{
    (void)state;
    heard last;
    char text[1024];
    pli_model *model = NULL;
    pli_context *context = listening_context(&last);
    REFUSED(context, try_model(context, two_cubes(text, "1.375", "contact: penalty\n"), &model),
            CUBE_IN_UPPER "; move them apart, or write checks: {body_overlap: warning}");
    assert_int_equal(last.warnings, 0);
    model = make_model(context, two_cubes(text, "1.375",
                                          "contact: penalty\n"
                                          "checks: {body_overlap: warning}\n"));
    pli_model_destroy(model);
    assert_int_equal(last.warnings, 2);
    assert_string_equal(last.warning, UPPER_IN_CUBE);
    model = make_model(context, two_cubes(text, "1.375",
                                          "contact: penalty\n"
                                          "checks: {body_overlap: ignore}\n"));
    pli_model_destroy(model);
    // bodies that do not collide may be anywhere
    pli_model_destroy(make_model(context, two_cubes(text, "1.375", "contact: none\n")));
    assert_int_equal(last.warnings, 2);
    pli_context_destroy(context);
}

static void bodies_that_touch_may_start(void **state)
{
    (void)state;
    heard last;
    char text[1024];
    pli_context *context = listening_context(&last);
    // faces in one plane; the same with a depth of what rounding may do, 1e-9 of some 2 m
    pli_model_destroy(make_model(context, two_cubes(text, "1.5", "contact: penalty\n")));
    pli_model_destroy(make_model(context, two_cubes(text, "1.499999999", "contact: penalty\n")));
    assert_int_equal(last.warnings, 0);
    pli_context_destroy(context);
}

static void copies_that_start_inside_of_each_other_are_told_apart(void **state)
{
    pli_model *model = NULL;
    pli_context *context = *state;
    // the second cube is shifted by 0.9 m: their common slab is 0.1 m thick, and vertices of its
    // rim lie on both surfaces, at a depth of 0; the face's middle is the only one inside
    REFUSED(context,
            try_model(context,
                      "materials: {soft: tissue}\n"
                      "bodies:\n"
                      "  cube: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: "
                      "soft,\n    copies: {count: [2, 1, 1], spacing: [0.9, 1, 1]}}\n"
                      "contact: penalty\n",
                      &model),
            "s.yaml:3:3: bodies.cube: 1 vertex of body cube-1 starts inside of body cube-2: 14 "
            "(0.1 m); move them apart, or write checks: {body_overlap: warning}");
}

// One body of two pieces; the second one's first corner is 0.1 m deep in the first, under its base.
static pli_status try_two_pieces(pli_context *context, pli_model **model)
{
    const double points[8][3] = {{0, 0, 0},       {3, 0, 0},        {0, 3, 0},    {0, 0, 3},
                                 {0.5, 0.5, 0.1}, {0.5, 0.6, -0.9}, {1, 0, -0.9}, {0, 0, -0.9}};
    const int32_t tets[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    const pli_mesh_data mesh = {
        .point_count = 8, .points = points[0], .tet_count = 2, .tets = tets[0]};
    pli_file_def file = {.path = "", .mesh = &mesh};
    pli_scene *scene = NULL;
    pli_scene *changed = NULL;
    *model = NULL;
    OK(context, parse(context, CUBE "contact: penalty\n", &scene));
    pli_scene_def def = *pli_scene_get(scene);
    pli_body_def body = def.bodies[0];
    body.geometry = (pli_variant){PLI_GEOMETRY_FILE, &file};
    def.bodies = &body;
    pli_status status = pli_scene_create(context, &def, &changed);
    if (status == PLI_OK) status = pli_model_create(context, changed, NULL, model);
    pli_scene_destroy(changed);
    pli_scene_destroy(scene);
    return status;
}

static void bodies_inside_of_themselves_are_told_unless_they_mean_it(void **state)
{
    pli_context *context = *state;
    pli_model *model = NULL;
    REFUSED(context, try_two_pieces(context, &model),
            "scene: bodies.cube: 1 vertex of body cube starts inside of the body itself: 4 (0.1 "
            "m); move them apart, or write checks: {body_overlap: warning}");
    // random and collapsed starts are tangled on purpose
    static const char *starts[] = {"random", "collapsed"};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) {
        char text[1024];
        snprintf(text, sizeof text,
                 "materials: {soft: tissue}\n"
                 "bodies: {cube: {geometry: grid, material: soft, start: %s}}\n"
                 "contact: penalty\n",
                 starts[k]);
        pli_model_destroy(make_model(context, text));
    }
}

// ---- memory

static void any_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    static const char *text =
        CUBE "colliders:\n"
             "  floor: {shape: {plane: {point: [0, -1, 0]}}, friction: 0.5}\n"
             "  room: {shape: {union: [{sphere: 9}, {box: {size: [1, 2, 3]}}]}, inside_out: true}\n"
             "  ring: {shape: {sampled: {resolution: 8, shape: {torus: {radius: 4,\n"
             "    tube_radius: 1}}}}, motion: {segments: [{duration: 1, spin: 9}]}}\n"
             "contact: penalty\n";
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_model *model = NULL;
        sweep.status = try_model(sweep.context, text, &model);
        assert_int_equal(model == NULL, sweep.status != PLI_OK);
        pli_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(every_rule_tells_the_place_and_what_is_right, 1),
        cmocka_unit_test(what_is_given_and_not_used_is_warned_of),
        TEST_IN_CONTEXT(methods_follow_from_shapes, 1),
        TEST_IN_CONTEXT(a_mesh_is_a_penalty_and_no_constraint, 1),
        TEST_IN_CONTEXT(inside_out_flips_the_sign, 1),
        TEST_IN_CONTEXT(colliders_turn_about_their_bounds, 1),
        cmocka_unit_test(stiffness_follows_the_stiffest_material_in_use),
        TEST_IN_CONTEXT(surface_encloses_each_body, 1),
        TEST_IN_CONTEXT(vertices_inside_of_a_collider_are_counted_and_measured, 1),
        cmocka_unit_test(overlap_is_refused_warned_of_or_ignored),
        TEST_IN_CONTEXT(overlap_is_that_of_the_pose_at_the_start, 1),
        cmocka_unit_test(bodies_that_start_inside_of_each_other_are_told),
        cmocka_unit_test(bodies_that_touch_may_start),
        TEST_IN_CONTEXT(copies_that_start_inside_of_each_other_are_told_apart, 1),
        TEST_IN_CONTEXT(bodies_inside_of_themselves_are_told_unless_they_mean_it, 1),
        cmocka_unit_test(any_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
