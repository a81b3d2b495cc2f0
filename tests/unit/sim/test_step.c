// SPDX-License-Identifier: Apache-2.0
//
// Promises of stepping: same bits for any thread count, no allocation in a warm step, no leak or
// crash when memory runs out, a state that is all there is.
#include "promises.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "sim/step/contacts.h"

static const char *busy_scene =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, rayleigh: 0.01}\n"
    "  firm: {law: neo-hookean, density: 1500, young: 1e6, poisson: 0.4, drag: 0.1}\n"
    "bodies:\n"
    "  left: {geometry: {grid: {size: [1, 0.4, 0.4], cells: [10, 5, 5]}}, material: soft,\n"
    "    velocity: [0, 1, 0], angular_velocity: [30, 0, 100]}\n"
    "  right: {geometry: {grid: {size: [0.4, 1, 0.4], cells: [5, 10, 5], split: six}},\n"
    "    material: firm, position: [2, 0, 0], axis: [0, 0, 1], angle: 20}\n"
    "constraints:\n"
    "  - {body: left, where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}},\n"
    "     motion: {segments: [{duration: 0.1, velocity: [-1, 0, 0], axis: [1, 0, 0], spin: 90}],\n"
    "              after: release}}\n"
    "  - {body: right, where: {sphere: {center: [2, 0, 0], radius: 0.2}}, axes: y}\n"
    "attachments: [{body: right, where: {half_space: {point: [2, 0.4, 0], normal: [0, 1, 0]}},\n"
    "  stiffness: 100}]\n"
    "time: {fps: 24, frames: 1, integrator: bdf2}\n";

// Everything that collides: a slab falls on a constraint that moves, a penalty on a grid and a
// post-process, a ring falls on the slab, and beside them jaws close the hole of another ring; all
// with friction.
static const char *contact_scene =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 5e4, poisson: 0.3, rayleigh: 0.01}\n"
    "bodies:\n"
    "  slab: {geometry: {grid: {size: [1, 0.4, 1], cells: [8, 3, 8]}}, material: soft,\n"
    "    position: [0, 0.3, 0], velocity: [0.5, -1, 0]}\n"
    "  ring: {geometry: {fill: {shape: {torus: {axis: [0, 1, 0], radius: 0.3, tube_radius: "
    "0.12}},\n"
    "    vertices: 150}}, material: soft, position: [0, 0.65, 0], velocity: [0, -1, 0.5]}\n"
    "  pinched: {geometry: {fill: {shape: {torus: {axis: [0, 1, 0], radius: 0.22, tube_radius:\n"
    "    0.12}}, vertices: 300}}, material: soft, position: [-3, 0.8, 0]}\n"
    "colliders:\n"
    "  ground: {shape: {plane: {point: [0, 0.08, 0]}}, friction: 0.3, motion: {segments:\n"
    "    [{duration: 9, velocity: [0, 0, 0.5]}]}}\n"
    "  stone: {shape: {sampled: {shape: {sphere: {center: [0, -0.1, 0], radius: 0.19}},\n"
    "    resolution: 12}}, friction: 0.3}\n"
    "  wall: {shape: {plane: {point: [0.52, 0, 0], normal: [-1, 0, 0]}}, method: postprocess}\n"
    "  left: {shape: {box: {center: [-3.46, 0.5, 0], size: [0.2, 2, 2]}}, friction: 0.1,\n"
    "    motion: {segments: [{duration: 0.2, velocity: [0.9, 0, 0]}]}}\n"
    "  right: {shape: {box: {center: [-2.54, 0.5, 0], size: [0.2, 2, 2]}}, friction: 0.1,\n"
    "    motion: {segments: [{duration: 0.2, velocity: [-0.9, 0, 0]}]}}\n"
    "contact: {method: penalty, friction: 0.3}\n"
    "time: {fps: 48, frames: 1}\n";

// Every kind of body at once: a hanging cloth of two materials, a hollow ball on the ground, a
// solid and an obstacle that turns.
static const char *shell_scene =
    "materials:\n"
    "  cotton: {law: stable-neo-hookean, density: 400, young: 1e6, poisson: 0.3, rayleigh: 0.01}\n"
    "  hem: {law: fixed-corotated, density: 900, young: 5e6, poisson: 0.2, drag: 0.1}\n"
    "contact: none\n"
    "bodies:\n"
    "  wall: {kind: obstacle, geometry: {sheet: {columns: 3, rows: 2}}, position: [0, -2, 0],\n"
    "    motion: {segments: [{duration: 1, axis: [1, 0, 0], spin: 50, velocity: [0, 1, 0]}]}}\n"
    "  cloth: {kind: shell, geometry: {sheet: {columns: 18, rows: 18}}, material: cotton,\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0.4], normal: [0, 0, 1]}}, material: "
    "hem}]}\n"
    "  ball: {kind: shell, geometry: {fill: {shape: {sphere: 0.3}, vertices: 150}},\n"
    "    material: cotton, thickness: 5e-3, position: [2, -0.68, 0]}\n"
    "  cube: {geometry: {grid: {size: [0.3, 0.3, 0.3], cells: [3, 3, 3]}}, material: cotton,\n"
    "    position: [-2, 0, 0]}\n"
    "constraints: [{body: cloth, where: {half_space: {point: [0, 0, -0.49], normal: [0, 0, "
    "-1]}}}]\n"
    "colliders: {ground: {shape: {plane: {point: [0, -1, 0]}}, friction: 0.3}}\n"
    "time: {fps: 48, frames: 1, integrator: bdf2}\n";

static void states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static const char *solvers[] = {"newton", "pn-pcg", "pn-sgs",
                                    "{name: newton, linear: cholesky}",
                                    "{name: subspace, subspace: {handles: 8}}"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_after(busy_scene, bits.threads, 10, solvers[k]));
        }
    }
}

// Contacts of bodies with themselves (0) and with each other (1).
static void count_body_contacts(const simulation *s, int32_t counts[2])
{
    pli_self_collision *bodies = NULL;
    OK(s->context, pli_contacts_create_bodies(s->model, NULL, &bodies));
    int32_t count = 0;
    const pli_self_contact *contacts =
        pli_self_collision_find(bodies, pli_state_positions(s->state), &count);
    counts[0] = counts[1] = 0;
    for (int32_t k = 0; k < count; ++k) {
        const pli_model_body *body = &s->model->bodies[contacts[k].body];
        int32_t id = contacts[k].vertex - body->first_vertex;
        ++counts[id >= 0 && id < body->vertex_count ? 0 : 1];
    }
    pli_self_collision_destroy(bodies);
}

// What the tests below rely on.
static void the_scene_of_contacts_has_every_kind(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, contact_scene, 2);
    pli_step_report report = simulation_run(&s, 10);
    int32_t counts[2];
    count_body_contacts(&s, counts);
    AT_LEAST(counts[0], 1);
    AT_LEAST(counts[1], 1);
    AT_LEAST(report.contacts, counts[0] + counts[1] + 50);
    AT_MOST(report.friction_work, -1e-3);
    AT_LEAST(report.energy.contact, 1e-3);
    simulation_clear(&s);
}

static void colliding_states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        same_bits_keep_hash(&bits, hash_after(contact_scene, bits.threads, 10, "newton"));
        same_bits_keep_hash(&bits, hash_after(contact_scene, bits.threads, 6, "pn-pcg"));
    }
}

static void states_of_shells_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static const char *solvers[] = {"newton", "pn-pcg"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_after(shell_scene, bits.threads, 3, solvers[k]));
        }
    }
}

static void expect_no_allocation(const char *yaml, int warm_up)
{
    simulation s;
    simulation_init(&s, yaml, 2);
    pli_frame frame;
    simulation_run(&s, warm_up);
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    int64_t before = pli_context_allocation_count(s.context);
    simulation_run(&s, 5);
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_int_equal(pli_context_allocation_count(s.context), before);
    simulation_clear(&s);
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    expect_no_allocation(busy_scene, 2);
}

static void a_warm_step_of_shells_allocates_nothing(void **state)
{
    (void)state;
    expect_no_allocation(shell_scene, 4);
}

// A slab and a ring on it that lie on the ground: contacts come and go, but hardly get more.
static void a_warm_step_with_contacts_allocates_nothing(void **state)
{
    (void)state;
    expect_no_allocation(contact_scene, 30);
}

static void dropping_the_solver_changes_nothing(void **state)
{
    (void)state;
    expect_no_memory_in_solvers(busy_scene, 4);
    expect_no_memory_in_solvers(contact_scene, 10);
    expect_no_memory_in_solvers(shell_scene, 3);
}

static void a_state_restored_from_its_arrays_continues_the_same(void **state)
{
    (void)state;
    expect_same_after_restoring(busy_scene, 3);
    expect_same_after_restoring(contact_scene, 7);
    expect_same_after_restoring(shell_scene, 2);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void cancelling_leaves_the_state_untouched(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    simulation_step(&s);
    uint64_t before = pli_state_hash(s.state);
    pli_solver_set_cancel(s.solver, always, NULL);
    pli_step_report report;
    assert_int_equal(pli_solver_step(s.solver, s.state, &report), PLI_ERROR_INTERRUPTED);
    assert_true(pli_state_hash(s.state) == before);
    pli_solver_set_cancel(s.solver, NULL, NULL);
    simulation_step(&s);
    simulation_clear(&s);
}

static void running_out_of_memory_anywhere_leaks_and_crashes_nothing(void **state)
{
    (void)state;
    expect_no_leak(
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
        "rayleigh: 0.01, drag: 1}}\n"
        "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: soft}}\n"
        "constraints: [{body: cube, where: {half_space: {point: [0, -0.4, 0], normal: [0, -1, "
        "0]}},\n"
        "  motion: {segments: [{duration: 1, velocity: [0, -1, 0]}]}}]\n"
        "attachments: [{body: cube, where: {half_space: {point: [0, 0.4, 0], normal: [0, 1, 0]}},\n"
        "  stiffness: 10}]\n",
        true);
    // two cubes, one of which falls on the other, between colliders of every kind; the pictures of
    // colliders are another test's
    expect_no_leak(
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies:\n"
        "  lower: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: soft,\n"
        "    position: [0, 0.53, 0]}\n"
        "  upper: {geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [2, 2, 2]}}, material: soft,\n"
        "    position: [0.05, 1.44, 0.05], velocity: [0, -2, 0]}\n"
        "colliders:\n"
        "  ground: {shape: plane, friction: 0.3}\n"
        "  stone: {shape: {sampled: {shape: {sphere: {center: [0, -0.2, 0], radius: 0.22}},\n"
        "    resolution: 8}}, friction: 0.3}\n"
        "  wall: {shape: {plane: {point: [0.5, 0, 0], normal: [-1, 0, 0]}}, method: postprocess}\n"
        "contact: {method: penalty, friction: 0.3}\n",
        false);
    expect_no_leak(
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
        "rayleigh: 0.01, drag: 1}}\n"
        "contact: none\n"
        "bodies:\n"
        "  cloth: {kind: shell, geometry: {sheet: {columns: 2, rows: 2}}, material: soft}\n"
        "  box: {kind: shell, geometry: {grid: {cells: [1, 1, 1]}}, material: soft}\n"
        "  post: {kind: obstacle, geometry: {scroll: {columns: 4, rows: 1}},\n"
        "    motion: {segments: [{duration: 1, velocity: [0, -1, 0]}]}}\n",
        true);
}

static void nonfinite_states_are_refused(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    int32_t n = 3 * s.info.vertex_count;
    double *x = malloc((size_t)n * sizeof *x);
    memcpy(x, pli_state_positions(s.state), (size_t)n * sizeof *x);
    x[17] = NAN;
    assert_int_equal(pli_state_set(s.state, x, NULL), PLI_ERROR_ARGUMENT);
    char text[256];
    pli_context_message(s.context, text, sizeof text);
    assert_string_equal(text, "position of vertex 5 is nan; it must be finite");
    free(x);
    simulation_clear(&s);
}

static void scripts_hold_exactly_and_release_on_time(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    double h = 1.0 / 24;
    const double *start = pli_model_rest_positions(s.model);
    // vertex 0 is a corner of the held face of `left`
    for (int step = 1; step <= 2; ++step) {
        simulation_step(&s);
        const double *x = pli_state_positions(s.state);
        NEAR(x[0], start[0] - step * h, 1e-14, 0);
        // turned by 90 degrees per second about the x axis through the face's centroid
        double angle = 0.5 * 3.141592653589793 * step * h;
        NEAR(x[1], start[1] * cos(angle) - start[2] * sin(angle), 1e-13, 1e-13);
        NEAR(x[2], start[1] * sin(angle) + start[2] * cos(angle), 1e-13, 1e-13);
    }
    // the script ends at 0.1 s, before the third step does: the face is free again
    simulation_run(&s, 2);
    double moved = fabs(pli_state_positions(s.state)[0] - (start[0] - 0.1));
    AT_LEAST(moved, 1e-3);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(the_scene_of_contacts_has_every_kind),
        cmocka_unit_test(colliding_states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_warm_step_with_contacts_allocates_nothing),
        cmocka_unit_test(states_of_shells_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(a_warm_step_of_shells_allocates_nothing),
        cmocka_unit_test(dropping_the_solver_changes_nothing),
        cmocka_unit_test(a_state_restored_from_its_arrays_continues_the_same),
        cmocka_unit_test(cancelling_leaves_the_state_untouched),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_and_crashes_nothing),
        cmocka_unit_test(nonfinite_states_are_refused),
        cmocka_unit_test(scripts_hold_exactly_and_release_on_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
