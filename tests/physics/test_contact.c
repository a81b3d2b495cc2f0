// SPDX-License-Identifier: Apache-2.0
//
// Collisions by constraint, penalty and post-process, friction, and contact of bodies (Gast et al.
// 2015): what mechanics says about blocks on slopes, weight, momentum and energy.
#include "simulate.h"

#include "sim/model/state.h"

static const double gravity = 9.81;

// ---- a step of a scene with friction

// Kinetic energy that the positions of a step say, before friction brakes it: implicit Euler.
static double moved_energy(const simulation *s, const double *before)
{
    const double *x = pli_state_get(s->state).positions;
    const double *mass = pli_model_get_mesh(s->model).masses;
    double energy = 0;
    for (int32_t k = 0; k < 3 * s->info.vertex_count; ++k) {
        double v = (x[k] - before[k]) / s->info.dt;
        energy += 0.5 * mass[k / 3] * v * v;
    }
    return energy;
}

// Friction takes energy from what touches, whatever moves.
static pli_step_report contact_step(simulation *s)
{
    pli_step_report report = simulation_step(s);
    assert_true(report.collides);
    AT_MOST(report.friction_work, 0);
    return report;
}

// One step among colliders that do not move: friction only takes kinetic energy, and as much as is
// reported.
static pli_step_report braked_step(simulation *s)
{
    size_t bytes = 3 * (size_t)s->info.vertex_count * sizeof(double);
    double *before = malloc(bytes);
    memcpy(before, pli_state_get(s->state).positions, bytes);
    pli_step_report report = contact_step(s);
    double moved = moved_energy(s, before);
    free(before);
    // velocities are differences of positions: rounding of 1e-16 m over a step, squared sums
    double rounding = 1e-9 * moved + 1e-12;
    AT_MOST(report.energy.kinetic, moved + rounding);
    NEAR(report.energy.kinetic - moved, report.friction_work, 0, rounding);
    return report;
}

// Mass-weighted mean velocity of a body (m/s).
static double body_velocity(const simulation *s, int32_t body, int axis)
{
    const double *v = pli_state_get(s->state).velocities;
    const double *mass = pli_model_get_mesh(s->model).masses;
    double momentum = 0;
    double total = 0;
    pli_body_info range = pli_model_get_body(s->model, body);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    for (int32_t i = first; i < first + count; ++i) {
        momentum += mass[i] * v[3 * i + axis];
        total += mass[i];
    }
    return momentum / total;
}

// ---- a block on a slope

typedef struct slope {
    const char *method;
    double slope;    // tangent of its angle
    double friction; // Coulomb's coefficient
    double speed;    // along x at the start (m/s)
    double fps;
} slope;

// A flat block that lies on the ground, where gravity is tilted towards +x.
static void slope_init(simulation *s, const slope *w)
{
    char yaml[1024];
    double angle = atan(w->slope);
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e7, poisson: 0.3}}\n"
             "bodies: {block: {geometry: {grid: {center: [0, 0.025, 0], size: [0.4, 0.05, 0.4],\n"
             "  cells: [4, 1, 4]}}, material: m, velocity: [%.17g, 0, 0]}}\n"
             "colliders: {ground: {shape: plane, method: %s, friction: %.17g}}\n"
             "gravity: [%.17g, %.17g, 0]\n"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-9}\n"
             "time: {fps: %.17g, frames: 1}\n",
             w->speed, w->method, w->friction, gravity * sin(angle), -gravity * cos(angle), w->fps);
    simulation_init(s, yaml, 1);
}

static double braked_run(simulation *s, int steps)
{
    for (int k = 0; k < steps; ++k) braked_step(s);
    return body_velocity(s, 0, 0);
}

// Speeds after 0.3 s and 0.4 s of a block that was at rest.
static void slope_speeds(const char *method, double slope_over_friction, double fps,
                         double speeds[2])
{
    simulation s;
    slope w = {method, 0.5 * slope_over_friction, 0.5, 0, fps};
    slope_init(&s, &w);
    speeds[0] = braked_run(&s, (int)(0.3 * fps));
    speeds[1] = braked_run(&s, (int)(0.1 * fps));
    simulation_clear(&s);
}

// Friction brakes velocities after the solve, and those of touching vertices alone; positions stay.
// So a block that sticks creeps: in a step gravity adds h g sin(theta) to all of it, friction stops
// the bottom with about half of the mass, and the rest pulls it along again. The speed of that is a
// few h g sin(theta), smaller with smaller steps; sticking means that it does not grow. It comes
// near its limit slowly, when vertices slide that bear less than the others.
static void expect_sticking(const char *method)
{
    double coarse[2];
    double fine[2];
    slope_speeds(method, 0.99, 1000, coarse);
    slope_speeds(method, 0.99, 2000, fine);
    double angle = atan(0.99 * 0.5);
    AT_MOST(coarse[1], 8 * gravity * sin(angle) / 1000);
    AT_MOST(fine[1], 0.6 * coarse[1]);
    // what is left of an acceleration is small against that of a slope 2 % steeper
    double sliding = gravity * (sin(angle) * 1.02 - 0.5 * cos(angle));
    AT_MOST((coarse[1] - coarse[0]) / 0.1, 0.05 * sliding);
    AT_MOST((fine[1] - fine[0]) / 0.1, 0.05 * sliding);
}

static void blocks_stick_where_the_slope_is_less_than_friction(void **state)
{
    (void)state;
    expect_sticking("constraint");
    expect_sticking("penalty");
}

static void blocks_slide_where_the_slope_is_more_than_friction(void **state)
{
    (void)state;
    static const char *methods[] = {"constraint", "penalty"};
    for (int m = 0; m < 2; ++m) {
        static const double ratios[] = {1.01, 2};
        for (int k = 0; k < 2; ++k) {
            double speeds[2];
            slope_speeds(methods[m], ratios[k], 1000, speeds);
            double angle = atan(0.5 * ratios[k]);
            double want = gravity * (sin(angle) - 0.5 * cos(angle));
            // when every vertex slides the total of friction is mu times the weight; what the
            // block still swings moves its speed by some 1e-5 m/s
            NEAR((speeds[1] - speeds[0]) / 0.1, want, 0.005, 2e-4);
        }
    }
}

static void sliding_blocks_stop_where_friction_has_taken_their_energy(void **state)
{
    (void)state;
    static const char *methods[] = {"constraint", "penalty"};
    for (int m = 0; m < 2; ++m) {
        // the first-order error of the distance is v0 h / 2, here 0.5 % of it
        simulation s;
        slope w = {methods[m], 0, 0.5, 1, 1000};
        slope_init(&s, &w);
        AT_MOST(fabs(braked_run(&s, 300)), 1e-6);
        double center[3];
        simulation_center(&s, center);
        NEAR(center[0], 1 / (2 * 0.5 * gravity), 0.02, 0);
        simulation_clear(&s);
    }
}

// ---- weight

// Sum of the contact forces of all vertices (N).
static void sum_contact_forces(const simulation *s, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int32_t k = 0; k < 3 * s->info.vertex_count; ++k) sum[k % 3] += s->state->contact_force[k];
}

// A soft cube that drops by 1 cm and comes to rest.
static void expect_weight(const char *method)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
             "bodies: {cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [3, 3, 3]}},\n"
             "  material: m, position: [0, 0.21, 0]}}\n"
             "colliders: {ground: {shape: plane, method: %s}}\n"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-8}\n",
             method);
    simulation s;
    simulation_init(&s, yaml, 1);
    double weight = gravity * s.info.mass;
    // sum |g_i| <= sqrt(M) sqrt(sum |g_i|^2 / m_i) <= M tolerance / h, and as much for rounding
    double slack = 2 * s.info.mass * s.info.tolerance / s.info.dt;
    double before[3] = {0, 0, 0};
    double forces[3] = {0, 0, 0};
    pli_step_report report = {0};
    for (int k = 0; k < 100; ++k) {
        report = contact_step(&s);
        sum_contact_forces(&s, forces);
        // the change of momentum is that of weight and contact forces
        for (int axis = 0; axis < 3; ++axis) {
            double rate = (report.momentum[axis] - before[axis]) / s.info.dt;
            NEAR(forces[axis], rate + (axis == 1 ? weight : 0), 0, slack);
            before[axis] = report.momentum[axis];
        }
    }
    AT_MOST(report.energy.kinetic, s.info.mass * 1e-12);
    NEAR(forces[1], weight, 0, 2 * slack);
    NEAR(forces[0], 0, 0, 2 * slack);
    NEAR(forces[2], 0, 0, 2 * slack);
    simulation_clear(&s);
}

static void contact_forces_bear_the_weight(void **state)
{
    (void)state;
    expect_weight("constraint");
    expect_weight("penalty");
}

// ---- nothing is ever inside of a constraint

static const struct {
    const char *colliders;
    const char *gravity;
} solids[] = {
    {"{ground: {shape: {plane: {point: [0, -0.3, 0]}}, friction: 0.3}}", "[3, -9, 0]"},
    {"{ball: {shape: {sphere: {center: [0.1, -1.3, 0.05], radius: 1}}, friction: 0.2}}",
     "[0, -9, 0]"},
    {"{bowl: {shape: {sphere: {radius: 0.8}}, inside_out: true, friction: 0.2}}", "[5, -9, 2]"},
    {"{room: {shape: {box: {size: [1, 1, 1]}}, inside_out: true, friction: 0.2}}", "[8, -9, 3]"},
    // a right-angled groove
    {"{groove: {shape: {union: {shapes: [{plane: {point: [0, -0.8, 0], normal: [1, 1, 0]}},\n"
     "  {plane: {point: [0, -0.8, 0], normal: [-1, 1, 0]}}]}}, friction: 0.2}}",
     "[1, -9, 0]"},
    // a beam that turns above the ground and takes the cube along
    {"{ground: {shape: {plane: {point: [0, -0.3, 0]}}, friction: 0.3}, beam: {shape: {box:\n"
     "  {center: [-1, 0, 0], size: [0.3, 0.4, 3]}}, friction: 0.3, motion: {center: [-1, 0,\n"
     "  -1.5], segments: [{duration: 2, axis: [0, 1, 0], spin: 90}]}}}",
     "[0, -9, 0]"},
};

enum { TURNING_BEAM = 5 };

static void no_vertex_is_ever_inside_of_a_constraint(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof solids / sizeof *solids; ++k) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: fixed-corotated, density: 1000, young: 5e4, poisson: 0.3}}\n"
                 "bodies: {cube: {geometry: {grid: {size: [0.5, 0.5, 0.5], cells: [4, 4, 4]}},\n"
                 "  material: m}}\ncolliders: %s\ngravity: %s\n",
                 solids[k].colliders, solids[k].gravity);
        simulation s;
        simulation_init(&s, yaml, 1);
        int32_t contacts = 0;
        for (int step = 0; step < 30; ++step) {
            pli_step_report report = k == TURNING_BEAM ? contact_step(&s) : braked_step(&s);
            AT_MOST(report.max_depth, 1e-10 * s.info.size);
            AT_LEAST(report.min_gap, -1e-10 * s.info.size);
            assert_int_equal(report.inverted, 0);
            contacts += report.contacts;
        }
        // it did get there
        AT_LEAST(contacts, 30);
        double center[3];
        simulation_center(&s, center);
        if (k == TURNING_BEAM) AT_LEAST(center[0], 0.3);
        simulation_clear(&s);
    }
}

// A cube that slides over the edge of a table and falls down: vertices that press on the table
// leave it where it ends, and do not stop there. Every step converges.
static void bodies_slide_over_edges(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: {law: fixed-corotated, density: 1000, young: 3e4, poisson: 0.3}}\n"
        "bodies: {cube: {geometry: {grid: {size: [0.5, 0.5, 0.5], cells: [4, 4, 4]}},\n"
        "  material: m, position: [-0.4, 0.25, 0], velocity: [1, 0, 0]}}\n"
        "colliders: {table: {shape: {box: {center: [-1, -0.5, 0], size: [2, 1, 2]}},\n"
        "  friction: 0.05}}\n"
        "time: {fps: 48, frames: 1}\n",
        1);
    for (int k = 0; k < 60; ++k) {
        pli_step_report report = braked_step(&s);
        AT_MOST(report.max_depth, 1e-10 * s.info.size);
    }
    double center[3];
    simulation_center(&s, center);
    AT_LEAST(center[0], 0.2);
    AT_MOST(center[1], -0.3);
    simulation_clear(&s);
}

// ---- three ways to hit the ground

typedef struct impact {
    double max_depth;     // m
    int32_t max_inverted; // tetrahedra
} impact;

static impact throw_ball(const char *method)
{
    char yaml[1024];
    snprintf(
        yaml, sizeof yaml,
        "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {ball: {geometry: {fill: {shape: {sphere: 0.5}, vertices: 500}}, material: m,\n"
        "  position: [0, 0.7, 0], velocity: [0, -10, 0]}}\n"
        "colliders: {ground: {shape: plane, method: %s, friction: 0.3}}\n",
        method);
    simulation s;
    impact worst = {0, 0};
    simulation_init(&s, yaml, 1);
    bool moved_after = strcmp(method, "postprocess") == 0;
    for (int k = 0; k < 12; ++k) {
        pli_step_report report = moved_after ? contact_step(&s) : braked_step(&s);
        worst.max_depth = fmax(worst.max_depth, report.max_depth);
        if (report.inverted > worst.max_inverted) worst.max_inverted = report.inverted;
    }
    worst.max_depth /= s.info.size;
    simulation_clear(&s);
    return worst;
}

static void only_the_constraint_neither_sinks_in_nor_turns_inside_out(void **state)
{
    (void)state;
    impact constraint = throw_ball("constraint");
    AT_MOST(constraint.max_depth, 1e-10);
    assert_int_equal(constraint.max_inverted, 0);
    impact penalty = throw_ball("penalty");
    AT_LEAST(penalty.max_depth, 1e-4);
    impact postprocess = throw_ball("postprocess");
    assert_true(postprocess.max_inverted > 0);
}

// ---- two balls

static void colliding_balls_keep_their_momentum(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies:\n"
        "  left: {geometry: {fill: {shape: {sphere: 0.5}, vertices: 300}}, material: m,\n"
        "    position: [-0.6, 0, 0], velocity: [3, 0, 0]}\n"
        "  right: {geometry: {fill: {shape: {sphere: 0.4}, vertices: 300}}, material: m,\n"
        "    position: [0.6, 0.1, 0], velocity: [-2, 0, 0]}\n"
        "contact: {method: penalty, friction: 0.2}\n"
        "gravity: [0, 0, 0]\n"
        "time: {fps: 48, frames: 1}\n",
        2);
    pli_step_report before;
    OK(s.context, pli_solver_measure(s.solver, s.state, &before));
    double energy = before.energy.total;
    int32_t contacts = 0;
    double friction_work = 0;
    for (int k = 1; k <= 20; ++k) {
        pli_step_report report = braked_step(&s);
        assert_int_equal(report.inverted, 0);
        // the residual allows M tolerance a step
        for (int axis = 0; axis < 3; ++axis) {
            NEAR(report.momentum[axis], before.momentum[axis], 0,
                 k * s.info.mass * s.info.tolerance);
        }
        // rounding, and in free flight the residual of elastic vibrations
        AT_MOST(report.energy.total, energy * (1 + 1e-6));
        energy = report.energy.total;
        contacts += report.contacts;
        friction_work += report.friction_work;
    }
    AT_LEAST(contacts, 30);
    AT_MOST(friction_work, -1e-3);
    // they fly apart again
    AT_LEAST(body_velocity(&s, 1, 0) - body_velocity(&s, 0, 0), 0.5);
    simulation_clear(&s);
}

// ---- a torus whose hole closes

// The smallest gap across the hole, along z: negative where the two sides are in each other (m).
static double hole_gap(const simulation *s)
{
    const double *X = pli_model_get_mesh(s->model).rest_positions;
    const double *x = pli_state_get(s->state).positions;
    double near = -INFINITY;
    double far = INFINITY;
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        if (fabs(X[3 * i]) > 0.08) continue;
        if (X[3 * i + 2] > 0) far = fmin(far, x[3 * i + 2]);
        if (X[3 * i + 2] < 0) near = fmax(near, x[3 * i + 2]);
    }
    return far - near;
}

static double squeeze_torus(const char *self, pli_step_report *report)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
             "bodies: {torus: {geometry: {fill: {shape: {torus: {axis: [0, 1, 0], radius: 0.3,\n"
             "  tube_radius: 0.12}}, vertices: 600}}, material: m}}\n"
             "colliders:\n"
             "  front: {shape: {plane: {point: [0, 0, -0.45], normal: [0, 0, 1]}}, motion:\n"
             "    {segments: [{duration: 0.5, velocity: [0, 0, 0.5]}]}}\n"
             "  back: {shape: {plane: {point: [0, 0, 0.45], normal: [0, 0, -1]}}, motion:\n"
             "    {segments: [{duration: 0.5, velocity: [0, 0, -0.5]}]}}\n"
             "contact: {method: penalty, self: %s, friction: 0.1}\n"
             "gravity: [0, 0, 0]\n",
             self);
    simulation s;
    simulation_init(&s, yaml, 2);
    AT_LEAST(hole_gap(&s), 0.3);
    for (int k = 0; k < 13; ++k) *report = contact_step(&s);
    double gap = hole_gap(&s);
    simulation_clear(&s);
    return gap;
}

static void a_torus_closes_its_hole_and_does_not_pass_through_itself(void **state)
{
    (void)state;
    pli_step_report with;
    pli_step_report without;
    double closed = squeeze_torus("true", &with);
    double passed = squeeze_torus("false", &without);
    // the penalty lets surfaces a few percent of the tube into each other; the plates leave
    // 0.08 m less than two tubes are thick
    NEAR(closed, 0, 0, 0.015);
    AT_MOST(with.max_depth, 0.01);
    AT_LEAST(with.contacts, without.contacts + 10);
    AT_MOST(passed, -0.05);
}

// ---- solvers

static void positions_after_contact(const char *solver, double *x)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
             "bodies:\n"
             "  lower: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [2, 2, 2]}}, material: m,\n"
             "    position: [0, 0.25, 0]}\n"
             "  upper: {geometry: {grid: {size: [0.3, 0.3, 0.3], cells: [2, 2, 2]}}, material: m,\n"
             "    position: [0.03, 0.62, 0.02], velocity: [0, -1, 0]}\n"
             "colliders: {ground: {shape: plane, friction: 0.3}}\n"
             "contact: {method: penalty, friction: 0.3}\n"
             "solver: {name: %s, tolerance: 1e-10}\n",
             solver);
    simulation s;
    simulation_init(&s, yaml, 1);
    assert_int_equal(s.info.vertex_count, 54);
    int32_t contacts = 0;
    for (int k = 0; k < 10; ++k) contacts += braked_step(&s).contacts;
    AT_LEAST(contacts, 50);
    memcpy(x, pli_state_get(s.state).positions, 3 * 54 * sizeof *x);
    simulation_clear(&s);
}

static void solvers_agree_on_contacts(void **state)
{
    (void)state;
    double newton[3 * 54];
    static const char *others[] = {"pn-pcg", "newton, linear: cholesky"};
    positions_after_contact("newton", newton);
    for (int m = 0; m < 2; ++m) {
        double x[3 * 54];
        positions_after_contact(others[m], x);
        // ten steps of 1/24 s with errors of the velocity of 1e-10 m/s, let grow tenfold
        for (int k = 0; k < 3 * 54; ++k) NEAR(x[k], newton[k], 0, 4e-10);
    }
}

static void plain_newton_does_not_take_constraints(void **state)
{
    static const char *yaml = "materials: {m: tissue}\n"
                              "bodies: {cube: {geometry: grid, material: m, position: [0, 1, 0]}}\n"
                              "colliders: {ground: {shape: plane}}\n"
                              "solver: newton-plain\n";
    pli_context *context = *state;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    char text[256];
    OK(context, pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene));
    assert_int_equal(pli_model_create(context, scene, NULL, &model), PLI_ERROR_UNSUPPORTED);
    pli_context_message(context, text, sizeof text);
    assert_string_equal(
        text,
        "test:3:13: colliders: collider ground is a constraint, which solver newton-plain does not "
        "take; use solver newton or pn-pcg, or give the collider method "
        "penalty");
    assert_null(model);
    pli_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_stick_where_the_slope_is_less_than_friction),
        cmocka_unit_test(blocks_slide_where_the_slope_is_more_than_friction),
        cmocka_unit_test(sliding_blocks_stop_where_friction_has_taken_their_energy),
        cmocka_unit_test(contact_forces_bear_the_weight),
        cmocka_unit_test(no_vertex_is_ever_inside_of_a_constraint),
        cmocka_unit_test(bodies_slide_over_edges),
        cmocka_unit_test(only_the_constraint_neither_sinks_in_nor_turns_inside_out),
        cmocka_unit_test(colliding_balls_keep_their_momentum),
        cmocka_unit_test(a_torus_closes_its_hole_and_does_not_pass_through_itself),
        cmocka_unit_test(solvers_agree_on_contacts),
        TEST_IN_CONTEXT(plain_newton_does_not_take_constraints, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
