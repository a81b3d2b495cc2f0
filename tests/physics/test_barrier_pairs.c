// SPDX-License-Identifier: Apache-2.0
//
// Bodies that touch each other through barriers (Li et al. 2020): action and reaction, momentum,
// weight, and friction that differs from pair to pair.
#include "barrier.h"

// ---- two free bodies that collide

// Two soft blocks without gravity, one thrown at the other beside its middle.
static void collision_init(simulation *s, const char *solver, double friction)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: neo-hookean, density: 1000, young: 2e5, poisson: 0.3}}\n"
             "bodies:\n"
             "  left: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [3, 3, 3]}}, material: m,\n"
             "    position: [-0.13, 0.04, 0.03], axis: [0, 0.2, 1], angle: 20,\n"
             "    velocity: [3, 0.5, 0], angular_velocity: [0, 0, 200]}\n"
             "  right: {geometry: {grid: {size: [0.2, 0.3, 0.2], cells: [3, 4, 3]}}, material: m,\n"
             "    position: [0.13, 0, 0]}\n"
             "contact: {method: barrier, distance: 2e-3, friction: %.17g}\n"
             "gravity: [0, 0, 0]\n"
             "solver: {name: %s, tolerance: 1e-10}\n"
             "time: {fps: 200, frames: 1}\n",
             friction, solver);
    simulation_init(s, yaml, 1);
}

// Sum of x cross f about the origin, and the sum of the lengths of f.
static double sum_torque(const simulation *s, const double *forces, double torque[3])
{
    const double *x = pli_state_get(s->state).positions;
    double total = 0;
    pli_vec3_set(0, 0, 0, torque);
    for (int64_t i = 0; i < s->info.vertex_count; ++i) {
        double part[3];
        pli_vec3_cross(x + 3 * i, forces + 3 * i, part);
        pli_vec3_add(torque, part, torque);
        total += sqrt(pli_vec3_dot(forces + 3 * i, forces + 3 * i));
    }
    return total;
}

static double length(const double v[3])
{
    return sqrt(pli_vec3_dot(v, v));
}

// Farthest that a vertex moves in a step (m).
static double farthest(const simulation *s)
{
    return top_speed(s) * s->info.dt;
}

// Inner forces: none in total. Those of barriers exert no torque either. Friction acts across the
// gap, between points that were closest when it was frozen: its torque is that of its forces over
// the gap and the way since then.
static void expect_inner_forces(const simulation *s)
{
    const double *normal = s->state->contact_force, *friction = s->state->friction_force;
    double sum[3], torque[3];
    double total = sum_torque(s, normal, torque);
    sum_vectors(s, normal, sum);
    AT_MOST(length(sum), 1e-10 * total);
    AT_MOST(length(torque), 1e-10 * total * s->info.size);
    total = sum_torque(s, friction, torque);
    sum_vectors(s, friction, sum);
    AT_MOST(length(sum), 1e-10 * total);
    AT_MOST(length(torque), total * (s->model->contact.distance + 2 * farthest(s)));
}

static void expect_momentum(const char *solver, double friction)
{
    simulation s;
    collision_init(&s, solver, friction);
    pli_step_report report;
    OK(s.context, pli_solver_measure(s.solver, s.state, &report));
    double before[3], scale = length(report.momentum), pushed = 0, friction_torque = 0;
    memcpy(before, report.momentum, sizeof before);
    for (int k = 0; k < 40; ++k) {
        report = barrier_step(&s);
        expect_inner_forces(&s);
        double unused[3];
        pushed = fmax(pushed, sum_torque(&s, s.state->contact_force, unused));
        friction_torque = fmax(friction_torque, sum_torque(&s, s.state->friction_force, unused));
        // a step errs by less than the mass times the tolerance of velocities, 2e-9 kg m/s
        for (int axis = 0; axis < 3; ++axis) {
            NEAR(report.momentum[axis], before[axis], 0, 1e-8 * scale);
        }
    }
    // they did collide: the speed of one is now shared
    AT_LEAST(pushed, 100);
    if (friction > 0) AT_LEAST(friction_torque, 0.1 * friction * pushed);
    double v[3];
    body_mean(&s, 1, pli_state_get(s.state).velocities, v);
    AT_LEAST(v[0], 0.5);
    simulation_clear(&s);
}

static void colliding_bodies_keep_their_momentum(void **state)
{
    (void)state;
    expect_momentum("ipc-llt", 0.4);
    expect_momentum("ipc-pcg", 0.4);
    expect_momentum("ipc-llt", 0);
}

// ---- a block on a block on the ground

typedef struct stack {
    double tangent;    // of the slope that gravity makes with the ground
    const char *pairs; // of contact
    double fps;
} stack;

static void stack_init(simulation *s, const stack *w)
{
    char yaml[2048];
    double angle = atan(w->tangent);
    snprintf(
        yaml, sizeof yaml,
        "materials: {m: {law: fixed-corotated, density: 1000, young: 1e7, poisson: 0.3}}\n"
        "bodies:\n"
        "  upper: {geometry: {grid: {size: [0.2, 0.05, 0.2], cells: [3, 1, 3]}}, material: m,\n"
        "    position: [-0.05, 0.0770, 0.01]}\n"
        "  lower: {geometry: {grid: {size: [0.4, 0.05, 0.4], cells: [4, 1, 4]}}, material: m,\n"
        "    position: [0, 0.0255, 0]}\n"
        "colliders: {ground: {shape: plane, friction: 1}}\n"
        "contact: {method: barrier, distance: 1e-3, stiffness: 1e5, friction: 1,\n"
        "  friction_speed: 1e-3, pairs: [%s]}\n"
        "gravity: [%.17g, %.17g, 0]\n"
        "solver: {name: ipc-llt, tolerance: 1e-9}\n"
        "time: {fps: %.17g, frames: 1}\n",
        w->pairs, gravity * sin(angle), -gravity * cos(angle), w->fps);
    simulation_init(s, yaml, 1);
}

static void blocks_at_rest_bear_the_weight_above_them(void **state)
{
    (void)state;
    simulation s;
    stack_init(&s, &(stack){0, "", 20});
    pli_step_report report = {0};
    for (int k = 0; k < 100; ++k) report = barrier_step(&s);
    double upper = body_mass(&s, 0) * gravity, lower = body_mass(&s, 1) * gravity;
    const pli_contact_pair *between = find_pair(&report, "upper", "lower");
    const pli_contact_pair *below = find_pair(&report, "lower", "ground");
    assert_int_equal(report.pair_count, 2);
    assert_non_null(between);
    assert_non_null(below);
    // barrier and friction together: pairs of edges push slightly sideways, which friction bears
    for (int axis = 0; axis < 3; ++axis) {
        double up = axis == 1;
        NEAR(between->normal_force[axis] + between->friction_force[axis], up * upper, 0,
             1e-6 * upper);
        NEAR(below->normal_force[axis] + below->friction_force[axis], up * (upper + lower), 0,
             1e-6 * (upper + lower));
    }
    AT_LEAST(between->min_gap, 1e-5);
    AT_MOST(between->min_gap, 1e-3);
    simulation_clear(&s);
}

// Mean accelerations along the slope of the upper and the lower block from 0.1 s to 0.3 s after
// they were let go (m/s^2).
static void stack_accelerations(const char *pairs, double tangent, double a[2])
{
    simulation s, rest;
    stack_init(&rest, &(stack){0, pairs, 20});
    simulation_run(&rest, 60);
    stack_init(&s, &(stack){tangent, pairs, 100});
    take_positions(&s, &rest, NULL);
    simulation_clear(&rest);
    double early[3], late[3];
    for (int k = 0; k < 10; ++k) barrier_step(&s);
    for (int body = 0; body < 2; ++body) {
        body_mean(&s, body, pli_state_get(s.state).velocities, early);
        a[body] = -early[0] / 0.2;
    }
    for (int k = 0; k < 20; ++k) barrier_step(&s);
    for (int body = 0; body < 2; ++body) {
        body_mean(&s, body, pli_state_get(s.state).velocities, late);
        a[body] += late[0] / 0.2;
    }
    simulation_clear(&s);
}

static void friction_is_that_of_the_pair(void **state)
{
    (void)state;
    double tangent = 0.3, angle = atan(tangent), a[2];
    double slipping = gravity * (sin(angle) - 0.1 * cos(angle));
    // 1e-3 of static speed over 0.2 s is all that what sticks can change by
    double sticking = 2 * 1e-3 / 0.2;

    // both slide on the ground, one on top of the other
    stack_accelerations("{bodies: [lower, ground], friction: 0.1}", tangent, a);
    NEAR(a[1], slipping, 0.005, 0);
    NEAR(a[0], a[1], 0, sticking);

    // the upper one slides on the lower, which sticks
    stack_accelerations("{bodies: [lower, upper], friction: 0.1}", tangent, a);
    NEAR(a[0], slipping, 0.005, 0);
    NEAR(a[1], 0, 0, sticking);

    // the one that comes last counts
    stack_accelerations("{bodies: [lower, upper], friction: 0.1}, {bodies: [upper, lower]}",
                        tangent, a);
    NEAR(a[0], 0, 0, sticking);
    NEAR(a[1], 0, 0, sticking);
}

static void pairs_that_do_not_collide_pass_through_each_other(void **state)
{
    (void)state;
    simulation s;
    stack_init(&s, &(stack){0, "{bodies: [upper, lower], collide: false}", 20});
    pli_step_report report = simulation_run(&s, 60);
    assert_null(find_pair(&report, "upper", "lower"));
    const pli_contact_pair *below = find_pair(&report, "upper", "ground");
    assert_non_null(below);
    double weight = body_mass(&s, 0) * gravity;
    NEAR(below->normal_force[1], weight, 1e-6, 0);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliding_bodies_keep_their_momentum),
        cmocka_unit_test(blocks_at_rest_bear_the_weight_above_them),
        cmocka_unit_test(friction_is_that_of_the_pair),
        cmocka_unit_test(pairs_that_do_not_collide_pass_through_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
