// SPDX-License-Identifier: Apache-2.0
//
// Barrier contact in a simulation: what steps promise beyond conformance.sim.steppers, what scenes
// may not ask for, and what must not touch at the start (Li et al. 2020).
#include "promises.h"
#include "step_scenes.h"

#include "base/context.h"
#include "geometry/collision/crossing.h"
#include "math/vec3.h"
#include "sim/model/model.h"
#include "sim/model/state.h"

// A block lands on an anvil that is held, which makes the stiffness follow from the forces on both.
static const char *landing =
    "materials:\n"
    "  light: {law: fixed-corotated, density: 20, young: 2e5, poisson: 0.3}\n"
    "  heavy: {law: fixed-corotated, density: 5000, young: 2e6, poisson: 0.3}\n"
    "bodies:\n"
    "  anvil: {geometry: {grid: {size: [3, 0.2, 1], cells: [12, 1, 4]}}, material: light}\n"
    "  block: {geometry: {grid: {size: [0.5, 0.5, 0.5], cells: [2, 2, 2]}}, material: heavy,\n"
    "    position: [-0.9, 0.42, 0], velocity: [1.2, -1, 0.2]}\n"
    "constraints: [{body: anvil, where: {half_space: {point: [0, 1, 0], normal: [0, -1, 0]}}}]\n"
    "contact: {method: barrier, distance: 5e-3, friction: 0.5}\n"
    "time: {fps: 20}\n";

// A block slides to rest on the ground: near the end friction decides between initial guesses.
static const char *brake =
    "materials: {m: {law: fixed-corotated, density: 1000, young: 1e6, poisson: 0.3}}\n"
    "bodies: {block: {geometry: {grid: {size: [0.5, 0.2, 0.5], cells: [2, 1, 2]}}, material: m,\n"
    "  position: [0, 0.103, 0], velocity: [0.3, 0, 0.1]}}\n"
    "colliders: {ground: {shape: plane, friction: 0.2}}\n"
    "contact: {method: barrier, distance: 5e-3}\n"
    "time: {fps: 20}\n";

// What the tests below rely on.
static void the_pile_has_every_kind_of_contact(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, barrier_scene, 2);
    pli_step_report report = simulation_run(&s, 10);
    assert_int_equal(report.pair_count, 3);
    static const char *const names[][2] = {
        {"lower", "upper"}, {"lower", "ground"}, {"upper", "arm"}};
    for (int k = 0; k < 3; ++k) {
        assert_string_equal(report.pairs[k].first, names[k][0]);
        assert_string_equal(report.pairs[k].second, names[k][1]);
        AT_LEAST(report.pairs[k].contacts, 1);
        assert_true(report.pairs[k].min_gap > 0 && report.pairs[k].min_gap < 5e-3);
        AT_LEAST(pli_vec3_norm(report.pairs[k].normal_force), 1);
        AT_LEAST(pli_vec3_norm(report.pairs[k].friction_force), 0.1);
    }
    assert_true(report.barrier_distance == 5e-3 && report.barrier_stiffness > 0);
    assert_true(report.min_gap > 0 && report.friction_work < 0 && report.energy.contact > 0);
    simulation_clear(&s);
}

static void dropping_the_solver_changes_nothing(void **state)
{
    (void)state;
    expect_no_memory_in_solvers(landing, 6);
    expect_no_memory_in_solvers(brake, 6);
}

static void the_stiffness_is_part_of_the_state(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, barrier_scene, 1);
    pli_step_report report = simulation_run(&s, 10);
    bool found = false;
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(s.state, k, &array); ++k) {
        if (strcmp(array.name, "barrier_stiffness") != 0) continue;
        found = true;
        assert_true(*(double *)array.data == report.barrier_stiffness);
        uint64_t before = pli_state_hash(s.state);
        *(double *)array.data *= 2;
        assert_true(pli_state_hash(s.state) != before);
    }
    assert_true(found);
    simulation_clear(&s);
}

static void surfaces_never_cross_at_any_step(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, barrier_scene, 2);
    for (int step = 0; step < 20; ++step) {
        simulation_step(&s);
        const double *x = pli_state_get(s.state).positions;
        pli_soup soup = {.vertex_count = s.info.vertex_count,
                         .points = x,
                         .triangle_count = s.model->surface_triangle_count,
                         .triangles = s.model->surface_triangles};
        int64_t count = 0;
        OK(s.context, pli_soup_find_crossings(s.context, &soup, 0, NULL, &count));
        assert_int_equal(count, 0);
        for (int32_t v = 0; v < s.info.vertex_count; ++v) assert_true(x[3 * v + 1] > 0);
    }
    simulation_clear(&s);
}

// ---- what frames and pairs tell

static const double *field_of(const pli_frame_part *part, const char *name, int32_t components)
{
    for (int32_t k = 0; k < part->field_count; ++k) {
        const pli_frame_field *field = &part->fields[k];
        if (strcmp(field->name, name) != 0) continue;
        assert_true(field->place == PLI_PLACE_POINT && field->components == components);
        return field->values;
    }
    fprintf(stderr, "body %s has no field %s\n", part->name, name);
    fail();
    return NULL;
}

// Adds up what pairs push a body with.
static void sum_pairs(const pli_step_report *report, const char *name, double normal[3],
                      double friction[3])
{
    pli_vec3_set(0, 0, 0, normal);
    pli_vec3_set(0, 0, 0, friction);
    for (int32_t k = 0; k < report->pair_count; ++k) {
        const pli_contact_pair *pair = &report->pairs[k];
        double sign = strcmp(pair->first, name) == 0 ? 1 : strcmp(pair->second, name) == 0 ? -1 : 0;
        pli_vec3_add_scaled(normal, sign, pair->normal_force, normal);
        pli_vec3_add_scaled(friction, sign, pair->friction_force, friction);
    }
}

static void frames_tell_forces_and_gaps(void **state)
{
    (void)state;
    simulation s;
    pli_frame frame;
    simulation_init(&s, barrier_scene, 2);
    simulation_run(&s, 9);
    pli_step_report report = simulation_step(&s);
    double sums[3][2][3], wanted[3][2][3], smallest = INFINITY;
    for (int k = 0; k < 3; ++k) {
        sum_pairs(&report, pli_model_get_body(s.model, k).name, wanted[k][0], wanted[k][1]);
    }
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    for (int k = 0; k < 3; ++k) {
        const pli_frame_part *part = &frame.parts[k];
        const double *normal = field_of(part, "contact_force", 3);
        const double *friction = field_of(part, "friction_force", 3);
        const double *gaps = field_of(part, "contact_gap", 1);
        pli_vec3_set(0, 0, 0, sums[k][0]);
        pli_vec3_set(0, 0, 0, sums[k][1]);
        for (int32_t v = 0; v < part->point_count; ++v) {
            pli_vec3_add(sums[k][0], normal + 3 * v, sums[k][0]);
            pli_vec3_add(sums[k][1], friction + 3 * v, sums[k][1]);
            smallest = fmin(smallest, gaps[v]);
            AT_MOST(gaps[v], 5e-3);
            // who feels a force is near to something
            if (pli_vec3_norm(normal + 3 * v) > 0) assert_true(gaps[v] < 5e-3);
        }
        // the body's own contacts cancel, so pairs are all there is; forces are some kN
        for (int i = 0; i < 6; ++i) {
            NEAR(sums[k][i / 3][i % 3], wanted[k][i / 3][i % 3], 1e-10, 1e-8);
        }
    }
    assert_true(smallest == report.min_gap);
    simulation_clear(&s);
}

// A cube of 1 m that moves down onto a slab, which is pushed to the side.
#define DROP                                                                               \
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n" \
    "bodies:\n"                                                                            \
    "  slab: {geometry: {grid: {size: [2, 0.4, 2], cells: [2, 1, 2]}}, material: soft,\n"  \
    "    position: [0, 0.21, 0], velocity: [1, 0, 0]}\n"                                   \
    "  cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: soft,\n"                     \
    "    position: [0, 0.92, 0], velocity: [0, -2, 0]}\n"                                  \
    "colliders: {ground: {shape: plane}}\n"                                                \
    "time: {fps: 100}\n"

static void pairs_choose_friction_and_collision(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    DROP "contact: {method: barrier, distance: 0.01, friction: 0.5, pairs:\n"
                         "  [{bodies: [cube, slab], friction: 0}, {bodies: [ground, slab],\n"
                         "  friction: 0.2}]}\n",
                    1);
    pli_step_report report = simulation_run(&s, 6);
    assert_int_equal(report.pair_count, 2);
    assert_string_equal(report.pairs[0].second, "cube");
    assert_true(pli_vec3_norm(report.pairs[0].friction_force) == 0);
    AT_LEAST(pli_vec3_norm(report.pairs[1].friction_force), 1);
    AT_MOST(pli_vec3_norm(report.pairs[1].friction_force),
            0.2 * 1.5 * pli_vec3_norm(report.pairs[1].normal_force)); // lagged by one step
    simulation_clear(&s);

    // what does not collide goes through the slab and stays above the ground
    simulation_init(&s,
                    DROP "contact: {method: barrier, distance: 0.01, pairs:\n"
                         "  [{bodies: [cube, slab], collide: false}]}\n",
                    1);
    report = simulation_run(&s, 25);
    for (int32_t k = 0; k < report.pair_count; ++k) {
        assert_string_equal(report.pairs[k].second, "ground");
    }
    double low = INFINITY;
    pli_body_info range = pli_model_get_body(s.model, 1);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    for (int32_t v = first; v < first + count; ++v) {
        low = fmin(low, pli_state_get(s.state).positions[3 * v + 1]);
    }
    assert_true(low > 0 && low < 0.3);
    simulation_clear(&s);
}

// ---- what goes wrong

static bool is_asked_twice(void *user)
{
    return ++*(int *)user >= 2;
}

static void cancelling_leaves_the_state_untouched(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, barrier_scene, 1);
    // not a single step: the first chooses the stiffness
    int asked = 0;
    uint64_t before = pli_state_hash(s.state);
    pli_solver_set_hooks(s.solver,
                         &(pli_solver_hooks){.cancel = is_asked_twice, .cancel_user = &asked});
    pli_step_report report;
    pli_status status = PLI_OK;
    for (int step = 0; step < 10 && status == PLI_OK; ++step) {
        before = pli_state_hash(s.state);
        asked = 0;
        status = pli_solver_step(s.solver, s.state, &report);
    }
    assert_int_equal(status, PLI_ERROR_INTERRUPTED);
    assert_true(pli_state_hash(s.state) == before);
    simulation_clear(&s);
}

// Two cubes in contact with each other and the ground from the start.
static const char *faulty =
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  lower: {geometry: {grid: {cells: [1, 1, 1]}}, material: soft, position: [0, 0.503, 0]}\n"
    "  upper: {geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [1, 1, 1]}}, material: soft,\n"
    "    position: [0.05, 1.406, 0.05], velocity: [0.5, -1, 0]}\n"
    "colliders: {ground: {shape: plane, friction: 0.3}}\n"
    "contact: {method: barrier, distance: 1e-2, friction: 0.3}\n";

static void running_out_of_memory_anywhere_leaks_and_crashes_nothing(void **state)
{
    (void)state;
    expect_no_leak(faulty, true);
}

static void running_out_of_memory_in_a_step_changes_no_result(void **state)
{
    (void)state;
    expect_steps_survive_shortage(faulty);
}

// ---- rules

#define CUBE                                                                               \
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n" \
    "bodies:\n"                                                                            \
    "  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, position: [0, 1, 0]}\n"
#define GROUND "colliders: {ground: {shape: plane}}\n"

typedef struct rule_case {
    const char *text; // behind the cube, from line 4 on
    const char *message;
} rule_case;

static const rule_case refused_cases[] = {
    {"contact: barrier\n"
     "colliders: {ground: {shape: plane, method: barrier, motion: {segments: [{duration: 1}]}}}\n",
     "s.yaml:5:72: colliders.ground.motion: found a plane that moves, which barriers do not take; "
     "make it a box, or give the collider method: penalty"},
    {"colliders: {ground: {shape: plane, method: barrier}}\n",
     "s.yaml:4:44: colliders.ground.method: found 'barrier' although contact.method is not; write "
     "contact: barrier"},
    {"contact: barrier\ncolliders: {ground: {shape: plane, method: constraint}}\n",
     "s.yaml:5:44: colliders.ground.method: moves vertices without regard to contact.method: "
     "barrier; use method: penalty or barrier"},
    {GROUND "contact: {method: barrier, pairs: [{bodies: [cube, grund]}]}\n",
     "s.yaml:5:36: contact.pairs[0].bodies: found 'grund', which is not defined; defined are "
     "cube, ground (did you mean 'ground'?)"},
    {GROUND "contact: {method: barrier, pairs: [{bodies: [cube]}]}\n",
     "s.yaml:5:36: contact.pairs[0].bodies: found 1 names; a pair has two"},
    {"colliders: {a: {shape: plane}, b: {shape: plane}}\n"
     "contact: {method: barrier, pairs: [{bodies: [a, b]}]}\n",
     "s.yaml:5:36: contact.pairs[0].bodies: found two colliders, which never collide"},
    {"contact: barrier\nsolver: newton-plain\n",
     "s.yaml:5:9: solver: contact.method: barrier needs a line search, which solver newton-plain "
     "does not have; use ipc-pcg or ipc-llt"},
    {"contact: barrier\nsolver: {name: ipc-pcg, line_search: none}\n",
     "s.yaml:5:38: solver.line_search: found 'none', but contact.method: barrier needs a line "
     "search; use auto"},
};

// Reads and compiles a scene; the model keeps no reference to it.
static pli_status try_model(pli_context *context, const char *text, pli_model **model)
{
    pli_scene *scene = NULL;
    *model = NULL;
    pli_status status =
        pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, model);
    pli_scene_destroy(scene);
    return status;
}

static void expect_refused(const char *text, const char *message)
{
    pli_context *context = make_context(1);
    pli_model *model = NULL;
    char got[1024];
    pli_status status = try_model(context, text, &model);
    pli_context_message(context, got, sizeof got);
    if (status == PLI_OK || strncmp(got, message, strlen(message)) != 0) {
        fprintf(stderr, "got:  %s\nwant: %s\n", status == PLI_OK ? "no error" : got, message);
        fail();
    }
    assert_null(model);
    pli_context_destroy(context);
}

static void every_rule_tells_the_place_and_what_is_right(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refused_cases / sizeof *refused_cases; ++k) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", CUBE, refused_cases[k].text);
        expect_refused(text, refused_cases[k].message);
    }
}

// ---- the start

#define SOFT "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n"
#define UNIT "geometry: {grid: {cells: [1, 1, 1]}}, material: soft"
#define TWO(position) \
    SOFT "bodies:\n  left: {" UNIT "}\n  right: {" UNIT ", position: [" position "]}\n"

static void expect_accepted(const char *text)
{
    pli_context *context = make_context(1);
    pli_model *model = NULL;
    OK(context, try_model(context, text, &model));
    pli_model_destroy(model);
    pli_context_destroy(context);
}

static void bodies_that_cross_or_touch_may_not_start(void **state)
{
    (void)state;
    // a corner within the other cube: exactly the triangles there
    expect_refused(
        TWO("0.75, 0.75, 0.75") "contact: barrier\n",
        "s.yaml:3:3: bodies.left: the surface of body left crosses or touches body right "
        "at the start, in ");
    // faces that lie on each other, an edge on an edge, a corner on a corner
    static const char *const positions[] = {"1, 0, 0", "1, 1, 0", "1, 1, 1", "0, 0, 0",
                                            "0.5, 1, 0"};
    for (int k = 0; k < 5; ++k) {
        char text[1024];
        snprintf(text, sizeof text, TWO("%s") "contact: barrier\n", positions[k]);
        expect_refused(text, "s.yaml:3:3: bodies.left: the surface of body left crosses or touches "
                             "body right at the start, in ");
    }
    // the smallest gap that there is will do, and so does what does not collide
    expect_accepted(TWO("1.0000000000000002, 0, 0") "contact: barrier\n");
    expect_accepted(TWO("0.75, 0.75, 0.75") "contact: {method: barrier, pairs:\n"
                                            "  [{bodies: [left, right], collide: false}]}\n");
}

// Corner 7 of the left cube, where 3 triangles meet, on corner 0 of the right one, where 6 do.
static void crossings_are_told_with_their_vertices(void **state)
{
    (void)state;
    expect_refused(
        TWO("1, 1, 1") "contact: barrier\n",
        "s.yaml:3:3: bodies.left: the surface of body left crosses or touches body right "
        "at the start, in 18 pairs of triangles, by vertices: 7 5 3 with 1 0 3, 7 5 3 with "
        "1 5 0, 7 5 3 with 2 3 0, 7 5 3 with 2 0 6, 7 5 3 with 4 0 5, ...; barriers need a "
        "gap, so move them apart");
}

static void vertices_on_or_behind_a_plane_may_not_start(void **state)
{
    (void)state;
    expect_refused(CUBE "contact: barrier\ncolliders: {ground: {shape: {plane: {point: [0, 0.5, "
                        "0]}}}}\n",
                   "s.yaml:5:13: colliders.ground: 9 vertices of body cube start on or behind this "
                   "plane: 0 (0 m), 1 (0 m), 2 (0 m), ");
    expect_refused(CUBE "contact: barrier\ncolliders: {ground: {shape: {plane: {point: [0, 0.6, "
                        "0]}}}}\nchecks: {collider_overlap: ignore, body_overlap: ignore}\n",
                   "s.yaml:5:13: colliders.ground: 9 vertices of body cube start on or behind this "
                   "plane: 0 (0.1 m), ");
    expect_accepted(CUBE "contact: barrier\ncolliders: {ground: {shape: {plane: {point: [0, 0.49, "
                         "0]}}}}\n");
    expect_accepted(CUBE "colliders: {ground: {shape: {plane: {point: [0, 0.6, 0]}}}}\n"
                         "contact: {method: barrier, pairs: [{bodies: [cube, ground], collide: "
                         "false}]}\n");
}

static void inverted_tetrahedra_may_not_start(void **state)
{
    (void)state;
    static const char *const starts[] = {"random", "collapsed"};
    for (int k = 0; k < 2; ++k) {
        char text[1024];
        snprintf(text, sizeof text,
                 SOFT "bodies: {cube: {" UNIT ", start: %s}}\ncontact: barrier\n", starts[k]);
        expect_refused(text, k == 0
                                 ? "s.yaml:2:10: bodies.cube: "
                                 : "s.yaml:2:10: bodies.cube: 5 tetrahedra of body cube start "
                                   "inverted or flat: 0, 1, 2, 3, 4; barriers keep volumes above "
                                   "zero, so start from another shape");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pile_has_every_kind_of_contact),
        cmocka_unit_test(dropping_the_solver_changes_nothing),
        cmocka_unit_test(the_stiffness_is_part_of_the_state),
        cmocka_unit_test(surfaces_never_cross_at_any_step),
        cmocka_unit_test(frames_tell_forces_and_gaps),
        cmocka_unit_test(pairs_choose_friction_and_collision),
        cmocka_unit_test(cancelling_leaves_the_state_untouched),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_and_crashes_nothing),
        cmocka_unit_test(running_out_of_memory_in_a_step_changes_no_result),
        cmocka_unit_test(every_rule_tells_the_place_and_what_is_right),
        cmocka_unit_test(bodies_that_cross_or_touch_may_not_start),
        cmocka_unit_test(crossings_are_told_with_their_vertices),
        cmocka_unit_test(vertices_on_or_behind_a_plane_may_not_start),
        cmocka_unit_test(inverted_tetrahedra_may_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
