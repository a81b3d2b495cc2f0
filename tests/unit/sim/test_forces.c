// SPDX-License-Identifier: Apache-2.0
//
// Forces from outside: with every solver of meshes they push as Newton says, last until they are
// changed, leave no trace when they are gone, and are part of the state.
#include "promises.h"
#include "support/same_bits.h"
#include "with_solver.h"

#include "base/context.h"
#include "folder.h"
#include "io/run/saved_state.h"
#include "sim/step/solver_table.h"

// A bar without weight that is held at one end, which every solver takes.
#define BAR(cells)                                                                       \
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"                      \
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: " cells "}}, "         \
    "material: soft}}\n"                                                                 \
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n" \
    "gravity: [0, 0, 0]\n"

#define DYNAMIC "time: {fps: 30, frames: 1}\n"

static const char *bar = BAR("[8, 2, 2]") DYNAMIC;
static const char *still_bar = BAR("[8, 2, 2]") "time: {fps: 30, frames: 1, mode: quasi-static}\n";
// more vertices than one worker takes
static const char *long_bar = BAR("[40, 10, 10]") DYNAMIC;
static const char *free_cube = CUBE(DYNAMIC);

static const char *particles =
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n"
    "bodies: {cube: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, "
    "material: soft}}\n"
    "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n"
    "time: {fps: 30, frames: 1}\n";

// The next solver of meshes from an index on, or -1.
static int32_t next_mesh_solver(int32_t index)
{
    pli_solver_info info;
    for (; pli_solver_info_get(index, &info); ++index) {
        if (strcmp(info.takes, "particles") != 0) return index;
    }
    return -1;
}

#define FOR_MESH_SOLVERS(k) \
    for (int32_t k = next_mesh_solver(0); k >= 0; k = next_mesh_solver(k + 1))

static const char *solver_with(int32_t index, const char *keys, char text[256])
{
    pli_solver_info info;
    assert_true(pli_solver_info_get(index, &info));
    const char *handles = strcmp(info.name, "subspace") == 0 ? ", subspace: {handles: 4}" : "";
    snprintf(text, 256, "{name: %s, %s%s}", info.name, keys, handles);
    return text;
}

enum { MOST_VERTICES = 8192 };

// Pushes all vertices that are right of x = 0.4 by the same force each.
static void push(simulation *s, double fx, double fy, double fz)
{
    static double forces[3 * MOST_VERTICES];
    const double *rest = pli_model_get_mesh(s->model).rest_positions;
    assert_true(s->info.vertex_count <= MOST_VERTICES);
    for (int32_t k = 0; k < s->info.vertex_count; ++k) {
        bool pushed = rest[3 * k] > 0.4;
        forces[3 * k] = pushed ? fx : 0;
        forces[3 * k + 1] = pushed ? fy : 0;
        forces[3 * k + 2] = pushed ? fz : 0;
    }
    OK(s->context, pli_state_set_forces(s->state, forces));
}

// A story in which forces come, change and go.
static void step_story(simulation *s, int k)
{
    switch (k % 4) {
    case 1: push(s, 0, 2, 0); break;
    case 2: push(s, 1, -1, 3); break;
    case 3: OK(s->context, pli_state_set_forces(s->state, NULL)); break;
    default: break;
    }
    simulation_step(s);
}

static void run_story(simulation *s, int begin, int end)
{
    for (int k = begin; k < end; ++k) step_story(s, k);
}

// ---- what they do

// The elastic forces of a free body add up to nothing: m (v - 0) / h = m g + sum f.
static void forces_give_momentum_for_every_solver(void **state)
{
    (void)state;
    char text[256];
    FOR_MESH_SOLVERS(k)
    {
        simulation s;
        start(&s, free_cube, solver_with(k, "tolerance: 1e-6, max_iterations: 20000", text), 2);
        const double *rest = pli_model_get_mesh(s.model).rest_positions;
        double sum[3] = {0, -9.81 * s.info.mass, 0};
        push(&s, 30, 200, -70);
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            for (int axis = 0; axis < 3 && rest[3 * i] > 0.4; ++axis) {
                sum[axis] += axis == 0 ? 30 : axis == 1 ? 200 : -70;
            }
        }
        // a second step goes on with the same forces
        for (int step = 1; step <= 2; ++step) {
            pli_step_report report = simulation_step(&s);
            for (int axis = 0; axis < 3; ++axis) {
                // the norm bounds the error of the velocity by 1e-6 m/s, in the root mean square
                NEAR(report.momentum[axis], step * s.info.dt * sum[axis], 0, 1e-5 * s.info.mass);
            }
        }
        simulation_clear(&s);
    }
}

// Forces of m a at all vertices are gravity, wherever a body has got to.
static void weights_as_forces_are_gravity_for_every_solver(void **state)
{
    (void)state;
    static const double a[3] = {0, -9.81, 0};
    // four steps of 1/30 s, whose velocities have an error of 1e-5 m/s in the root mean square; a
    // single vertex may have ten times as much
    const double band = 10 * 4 * 1e-5 / 30;
    char text[256];
    FOR_MESH_SOLVERS(k)
    {
        simulation pushed;
        simulation heavy;
        char yaml[1024];
        double forces[3 * 256];
        snprintf(yaml, sizeof yaml, "%s", bar);
        memcpy(strstr(yaml, "gravity: [0, 0, 0]"), "#                 ", 18);
        solver_with(k, "tolerance: 1e-5, max_iterations: 20000", text);
        start(&pushed, bar, text, 2);
        start(&heavy, yaml, text, 2);
        const double *mass = pli_model_get_mesh(pushed.model).masses;
        for (int32_t i = 0; i < 3 * pushed.info.vertex_count; ++i) {
            forces[i] = mass[i / 3] * a[i % 3];
        }
        OK(pushed.context, pli_state_set_forces(pushed.state, forces));
        pli_step_report report = simulation_run(&pushed, 4);
        simulation_run(&heavy, 4);
        AT_MOST(distance(&pushed, &heavy), band);
        // the work of others is in no energy
        assert_true(report.energy.gravity == 0 && report.energy.attachment == 0);
        simulation_clear(&heavy);
        simulation_clear(&pushed);
    }
}

// At rest under a small load the elastic energy is half of what the load has done (Clapeyron).
static void a_small_load_does_twice_the_elastic_energy(void **state)
{
    (void)state;
    simulation s;
    start(&s, still_bar, "{name: newton, norm: force, tolerance: 1e-11}", 1);
    const double f = 1e-4;
    push(&s, 0, f, 0);
    pli_step_report report = simulation_run(&s, 1);
    double work = 0;
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    const double *x = pli_state_get(s.state).positions;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        if (rest[3 * k] > 0.4) work += f * (x[3 * k + 1] - rest[3 * k + 1]);
    }
    AT_LEAST(work, 1e-12);
    // deflections of 1e-5 of the length bend the bar nearly linearly: the rest is of their order
    NEAR(report.energy.elastic, 0.5 * work, 1e-4, 0);
    simulation_clear(&s);
}

static void held_vertices_do_not_feel_forces(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton", "pd-direct", "vbd"};
    for (int k = 0; k < 3; ++k) {
        simulation s;
        start(&s, bar, solvers[k], 2);
        double forces[3 * 256] = {0, 1e3, 0}; // the first vertex of a grid is at its lowest corner
        OK(s.context, pli_state_set_forces(s.state, forces));
        simulation_run(&s, 2);
        assert_memory_equal(pli_state_get(s.state).positions,
                            pli_model_get_mesh(s.model).rest_positions, 24);
        simulation_clear(&s);
    }
}

// A cube that is pushed onto the ground with ten times its weight.
static void barriers_hold_against_forces(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {soft: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: soft,\n"
        "  position: [0, 0.503, 0]}}\n"
        "colliders: {ground: {shape: plane}}\n"
        "contact: {method: barrier, distance: 5e-3}\n"
        "time: {fps: 50, frames: 1}\n";
    static const char *const solvers[] = {"ipc-pcg", "ipc-llt",
                                          "{name: subspace, subspace: {handles: 4}}"};
    for (int k = 0; k < 3; ++k) {
        simulation s;
        start(&s, scene, solvers[k], 2);
        push(&s, 0, -9.81e4 / 9, 0); // nine vertices are right of x = 0.4
        for (int i = 0; i < 10; ++i) {
            pli_step_report report = simulation_step(&s);
            AT_LEAST(report.min_gap, 1e-9);
            AT_LEAST(report.min_J, 0.01);
        }
        simulation_clear(&s);
    }
}

// ---- promises

static void forces_that_are_gone_leave_no_trace(void **state)
{
    (void)state;
    char text[256];
    FOR_MESH_SOLVERS(k)
    {
        simulation was;
        simulation never;
        solver_with(k, "fixed_iterations: 4", text);
        start(&was, bar, text, 2);
        start(&never, bar, text, 2);
        run_story(&was, 0, 3);
        OK(was.context, pli_state_set_forces(was.state, NULL));
        OK(never.context, pli_state_copy(was.state, never.state));
        for (int i = 0; i < 2; ++i) {
            simulation_step(&was);
            simulation_step(&never);
            assert_true(pli_state_hash(was.state) == pli_state_hash(never.state));
        }
        simulation_clear(&never);
        simulation_clear(&was);
    }
}

static void solvers_have_no_memory_of_forces(void **state)
{
    (void)state;
    char text[256];
    FOR_MESH_SOLVERS(k)
    {
        simulation kept;
        simulation dropped;
        solver_with(k, "fixed_iterations: 4", text);
        start(&kept, bar, text, 2);
        start(&dropped, bar, text, 2);
        for (int i = 0; i < 6; ++i) {
            step_story(&kept, i);
            step_story(&dropped, i);
            assert_true(pli_state_hash(kept.state) == pli_state_hash(dropped.state));
            pli_solver_destroy(dropped.solver);
            OK(dropped.context, pli_solver_create(dropped.model, &dropped.solver));
        }
        simulation_clear(&dropped);
        simulation_clear(&kept);
    }
}

static uint64_t hash_of_story(const char *yaml, const char *solver, int32_t threads)
{
    simulation s;
    start(&s, yaml, solver, threads);
    run_story(&s, 0, 3);
    uint64_t hash = pli_state_hash(s.state);
    simulation_clear(&s);
    return hash;
}

static void states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static const char *const solvers[] = {"{name: newton, fixed_iterations: 2}",
                                          "{name: pd-multigrid, fixed_iterations: 3}",
                                          "{name: vbd, fixed_iterations: 5}"};
    for (int k = 0; k < 3; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_of_story(long_bar, solvers[k], bits.threads));
        }
    }
}

static void forces_that_come_and_go_allocate_nothing(void **state)
{
    (void)state;
    char text[256];
    FOR_MESH_SOLVERS(k)
    {
        simulation s;
        start(&s, bar, solver_with(k, "fixed_iterations: 4", text), 2);
        run_story(&s, 0, 4);
        int64_t before = pli_context_allocation_count(s.context);
        run_story(&s, 4, 8);
        assert_int_equal(pli_context_allocation_count(s.context), before);
        simulation_clear(&s);
    }
}

// ---- the state

static void copies_and_hashes_have_forces(void **state)
{
    (void)state;
    simulation a;
    simulation b;
    start(&a, bar, "newton", 1);
    start(&b, bar, "newton", 1);
    uint64_t without = pli_state_hash(a.state);
    push(&a, 0, 1, 0);
    uint64_t with = pli_state_hash(a.state);
    assert_true(with != without);
    push(&a, 0, 2, 0);
    assert_true(pli_state_hash(a.state) != with);
    push(&a, 0, 1, 0);
    assert_true(pli_state_hash(a.state) == with);
    OK(b.context, pli_state_copy(a.state, b.state));
    assert_true(pli_state_hash(b.state) == with);
    assert_memory_equal(pli_state_get(a.state).forces, pli_state_get(b.state).forces,
                        3 * (size_t)a.info.vertex_count * sizeof(double));
    push(&a, 0, 0, 0);
    OK(b.context, pli_state_set_forces(b.state, NULL));
    assert_true(pli_state_hash(a.state) == without);
    assert_true(pli_state_hash(b.state) == without);
    simulation_clear(&b);
    simulation_clear(&a);
}

static void save(simulation *s, const char *folder)
{
    pli_saved_state saved;
    OK(s->context, pli_saved_state_init(&saved, s->scene, s->model, s->state));
    OK(s->context, pli_saved_state_save(&saved, folder));
    pli_saved_state_clear(&saved);
}

static void load(simulation *s, const char *folder)
{
    pli_saved_state saved;
    OK(s->context, pli_saved_state_init(&saved, s->scene, s->model, s->state));
    OK(s->context, pli_saved_state_load(&saved, folder));
    pli_saved_state_clear(&saved);
}

// Goes on from a checkpoint as if nothing had been; what a checkpoint without forces is loaded into
// has none left.
static void checkpoints_have_forces(void **state)
{
    folder_fixture *fix = *state;
    simulation first;
    simulation second;
    start(&first, bar, "{name: newton, fixed_iterations: 2}", 2);
    start(&second, bar, "{name: newton, fixed_iterations: 2}", 2);
    run_story(&first, 0, 3);
    save(&first, fix->folder);
    load(&second, fix->folder);
    assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
    for (int i = 0; i < 3; ++i) {
        simulation_step(&first);
        simulation_step(&second);
        assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
    }
    OK(first.context, pli_state_set_forces(first.state, NULL));
    save(&first, fix->folder);
    load(&second, fix->folder);
    assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
    simulation_clear(&second);
    simulation_clear(&first);
}

static void expect_refused(simulation *s, const double *forces, const char *message)
{
    char found[1024] = "";
    uint64_t before = pli_state_hash(s->state);
    assert_int_equal(pli_state_set_forces(s->state, forces), PLI_ERROR_ARGUMENT);
    pli_context_message(s->context, found, sizeof found);
    if (strstr(found, message) == NULL) {
        fprintf(stderr, "expected '%s', found '%s'\n", message, found);
        fail();
    }
    assert_true(pli_state_hash(s->state) == before);
}

static void bad_forces_are_refused(void **state)
{
    (void)state;
    simulation s;
    double forces[3 * 256] = {0};
    start(&s, bar, "newton", 1);
    push(&s, 1, 2, 3);
    forces[22] = INFINITY;
    expect_refused(&s, forces, "force of vertex 7 is inf; it must be finite");
    forces[22] = NAN;
    expect_refused(&s, forces, "force of vertex 7 is");
    simulation_clear(&s);
}

static void particles_cannot_be_pushed(void **state)
{
    (void)state;
    static const double force[3] = {0, 0, 0};
    simulation s;
    simulation_init(&s, particles, 1);
    expect_refused(&s, force, "particles cannot be pushed by forces");
    OK(s.context, pli_state_set_forces(s.state, NULL));
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_give_momentum_for_every_solver),
        cmocka_unit_test(weights_as_forces_are_gravity_for_every_solver),
        cmocka_unit_test(a_small_load_does_twice_the_elastic_energy),
        cmocka_unit_test(held_vertices_do_not_feel_forces),
        cmocka_unit_test(barriers_hold_against_forces),
        cmocka_unit_test(forces_that_are_gone_leave_no_trace),
        cmocka_unit_test(solvers_have_no_memory_of_forces),
        cmocka_unit_test(states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(forces_that_come_and_go_allocate_nothing),
        cmocka_unit_test(copies_and_hashes_have_forces),
        cmocka_unit_test_setup_teardown(checkpoints_have_forces, folder_set_up, folder_tear_down),
        cmocka_unit_test(bad_forces_are_refused),
        cmocka_unit_test(particles_cannot_be_pushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
