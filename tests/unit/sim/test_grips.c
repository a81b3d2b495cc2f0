// SPDX-License-Identifier: Apache-2.0
//
// Grips: with every solver of meshes they do what attachments of the scene do, come and go
// without a trace, and are part of the state.
#include "promises.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "with_solver.h"

#include "base/context.h"
#include "folder.h"
#include "io/run/saved_state.h"
#include "sim/step/solver_table.h"

// A bar that is held at one end and hangs from a grip at the other, which every solver takes.
#define BAR(cells)                                                               \
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"              \
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: " cells "}}, " \
    "material: soft}}\n"                                                         \
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"

#define DYNAMIC "time: {fps: 30, frames: 1}\n"

static const char *bar = BAR("[8, 2, 2]") DYNAMIC;
static const char *still_bar = BAR("[8, 2, 2]") "time: {fps: 30, frames: 1, mode: quasi-static}\n";
// more vertices than one worker takes
static const char *long_bar = BAR("[40, 8, 8]") DYNAMIC;

static const double stiffness = 300; // N/m

// The solvers of meshes with a few iterations, for what must hold of any step: the number of them,
// or the text of one.
static int32_t count_mesh_solvers(void)
{
    int32_t count = 0;
    pli_solver_info info;
    for (int32_t k = 0; pli_solver_info_get(k, &info); ++k) {
        count += strcmp(info.takes, "particles") != 0;
    }
    return count;
}

static const char *mesh_solver(int32_t index)
{
    pli_solver_info info;
    for (int32_t k = 0; pli_solver_info_get(k, &info); ++k) {
        if (strcmp(info.takes, "particles") == 0) continue;
        if (index-- == 0) return info.name;
    }
    fail();
    return NULL;
}

static const char *mesh_solver_with(int32_t index, const char *keys, char text[256])
{
    const char *name = mesh_solver(index);
    const char *handles = strcmp(name, "subspace") == 0 ? ", subspace: {handles: 4}" : "";
    snprintf(text, 256, "{name: %s, %s%s}", name, keys, handles);
    return text;
}

static const char *budget(int32_t index, char text[256])
{
    return mesh_solver_with(index, "fixed_iterations: 4", text);
}

// The vertex of the bar's free end that is nearest to a corner.
static int32_t find_tip(const simulation *s)
{
    const double *x = pli_model_get_mesh(s->model).rest_positions;
    int32_t best = 0;
    for (int32_t k = 1; k < s->info.vertex_count; ++k) {
        double here = x[3 * k] + x[3 * k + 1] + x[3 * k + 2];
        double there = x[3 * best] + x[3 * best + 1] + x[3 * best + 2];
        if (here > there) best = k;
    }
    return best;
}

static void get_start(const simulation *s, int32_t vertex, double x[3])
{
    memcpy(x, pli_model_get_mesh(s->model).rest_positions + 3 * (int64_t)vertex, 3 * sizeof *x);
}

static void get_position(const simulation *s, int32_t vertex, double x[3])
{
    memcpy(x, pli_state_get(s->state).positions + 3 * (int64_t)vertex, 3 * sizeof *x);
}

// Grips a vertex so far from where it began.
static void grip(simulation *s, int32_t vertex, double k, double dx, double dy)
{
    double target[3];
    get_start(s, vertex, target);
    target[0] += dx;
    target[1] += dy;
    OK(s->context, pli_state_set_grip(s->state, vertex, k, target));
}

static double distance3(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// A step of a story in which grips come, move and go again: two of them at times.
static void step_story(simulation *s, int k)
{
    int32_t tip = find_tip(s);
    switch (k % 6) {
    case 1: grip(s, tip, stiffness, 0, 0.2); break;
    case 2: grip(s, tip, stiffness, 0.1, 0.3); break;
    case 3: grip(s, tip - 1, 2 * stiffness, 0, 0.1); break;
    case 4: OK(s->context, pli_state_set_grip(s->state, tip, 0, NULL)); break;
    case 5: pli_state_clear_grips(s->state); break;
    default: break;
    }
    simulation_step(s);
}

static void run_story(simulation *s, int begin, int end)
{
    for (int k = begin; k < end; ++k) step_story(s, k);
}

// ---- what they do

static void expect_as_attachment(const char *yaml, const char *solver)
{
    simulation gripped;
    simulation attached;
    start(&gripped, yaml, solver, 2);
    int32_t tip = find_tip(&gripped);
    char text[1024];
    snprintf(text, sizeof text, "%sattachments: [{where: {vertices: [%d]}, stiffness: %g}]\n", yaml,
             (int)tip, stiffness);
    start(&attached, text, solver, 2);
    grip(&gripped, tip, stiffness, 0, 0);
    for (int k = 0; k < 4; ++k) {
        simulation_step(&gripped);
        simulation_step(&attached);
        // the same arithmetic in the same order
        assert_true(distance(&gripped, &attached) == 0);
    }
    pli_step_report a;
    pli_step_report b;
    OK(gripped.context, pli_solver_measure(gripped.solver, gripped.state, &a));
    OK(attached.context, pli_solver_measure(attached.solver, attached.state, &b));
    assert_true(a.energy.attachment == b.energy.attachment);
    AT_LEAST(a.energy.attachment, 1e-3);
    simulation_clear(&attached);
    simulation_clear(&gripped);
}

static void a_grip_is_an_attachment_for_every_solver(void **state)
{
    (void)state;
    char text[256];
    for (int32_t k = 0; k < count_mesh_solvers(); ++k) {
        expect_as_attachment(bar, budget(k, text));
        expect_as_attachment(still_bar, budget(k, text));
    }
}

static const char *free_cube = CUBE(DYNAMIC);

// The elastic forces of a free body add up to nothing: m (v - 0) / h = m g + k (t - x).
static void a_grip_gives_momentum_for_every_solver(void **state)
{
    (void)state;
    char text[256];
    for (int32_t k = 0; k < count_mesh_solvers(); ++k) {
        simulation s;
        start(&s, free_cube, mesh_solver_with(k, "tolerance: 1e-6, max_iterations: 20000", text),
              2);
        const double target[3] = {1, 4, 1};
        double x[3];
        int32_t tip = find_tip(&s);
        OK(s.context, pli_state_set_grip(s.state, tip, 1e4, target));
        pli_step_report report = simulation_step(&s);
        get_position(&s, tip, x);
        const double weight[3] = {0, -9.81 * s.info.mass, 0};
        for (int axis = 0; axis < 3; ++axis) {
            double impulse = s.info.dt * (weight[axis] + 1e4 * (target[axis] - x[axis]));
            // the norm bounds the error of the velocity by 1e-6 m/s, in the root mean square
            NEAR(report.momentum[axis], impulse, 0, 1e-5 * s.info.mass);
        }
        simulation_clear(&s);
    }
}

static void solvers_agree_on_where_a_grip_leads(void **state)
{
    (void)state;
    // four steps of 1/30 s, whose velocities have an error of 1e-5 m/s in the root mean square; a
    // single vertex may have ten times as much
    const double band = 10 * 4 * 1e-5 / 30;
    char text[256];
    simulation reference;
    start(&reference, bar, "{name: newton, tolerance: 1e-9}", 2);
    run_story(&reference, 0, 4);
    for (int32_t k = 0; k < count_mesh_solvers(); ++k) {
        simulation s;
        start(&s, bar, mesh_solver_with(k, "tolerance: 1e-5, max_iterations: 20000", text), 2);
        run_story(&s, 0, 4);
        AT_MOST(distance(&s, &reference), band);
        simulation_clear(&s);
    }
    simulation_clear(&reference);
}

// Two springs at one vertex act as one: k = k1 + k2, t = (k1 t1 + k2 t2) / k.
static void a_grip_adds_to_an_attachment(void **state)
{
    (void)state;
    const char *solver = "{name: newton, tolerance: 1e-10}";
    simulation both;
    simulation one;
    char text[1024];
    start(&one, bar, solver, 1);
    int32_t tip = find_tip(&one);
    snprintf(text, sizeof text, "%sattachments: [{where: {vertices: [%d]}, stiffness: 100}]\n", bar,
             (int)tip);
    start(&both, text, solver, 1);
    grip(&both, tip, 300, 0, 0.2);
    grip(&one, tip, 400, 0, 0.15);
    pli_step_report report = simulation_run(&both, 3);
    simulation_run(&one, 3);
    // three steps of 1/30 s at 1e-10 m/s, and what a vertex may have of it
    AT_MOST(distance(&both, &one), 1e-10);
    double x[3];
    double low[3];
    get_position(&both, tip, x);
    get_start(&both, tip, low);
    const double high[3] = {low[0], low[1] + 0.2, low[2]};
    double energy = 50 * pow(distance3(x, low), 2) + 150 * pow(distance3(x, high), 2);
    NEAR(report.energy.attachment, energy, 1e-12, 0);
    simulation_clear(&one);
    simulation_clear(&both);
}

static void reports_have_the_energy_of_grips(void **state)
{
    (void)state;
    simulation s;
    start(&s, bar, "newton", 2);
    int32_t tip = find_tip(&s);
    grip(&s, tip, stiffness, 0, 0.2);
    pli_step_report report = simulation_run(&s, 2);
    double x[3];
    double target[3];
    get_position(&s, tip, x);
    get_start(&s, tip, target);
    target[1] += 0.2;
    NEAR(report.energy.attachment, 0.5 * stiffness * pow(distance3(x, target), 2), 1e-12, 0);
    // a solver that has never made a step says the same
    pli_step_report measured;
    pli_solver_destroy(s.solver);
    OK(s.context, pli_solver_create(s.model, &s.solver));
    OK(s.context, pli_solver_measure(s.solver, s.state, &measured));
    assert_true(measured.energy.attachment == report.energy.attachment);
    assert_true(measured.energy.total == report.energy.total);
    pli_state_clear_grips(s.state);
    OK(s.context, pli_solver_measure(s.solver, s.state, &measured));
    assert_true(measured.energy.attachment == 0);
    simulation_clear(&s);
}

// At rest the gradient is small at once; a grip that comes then must be seen.
static void a_grip_wakes_what_is_at_rest(void **state)
{
    (void)state;
    char text[256];
    static const char *scenes[] = {
        BAR("[8, 2, 2]") "gravity: [0, 0, 0]\n" DYNAMIC,
        BAR("[8, 2, 2]") "gravity: [0, 0, 0]\ntime: {fps: 30, frames: 1, mode: quasi-static}\n"};
    for (int32_t k = 0; k < 2 * count_mesh_solvers(); ++k) {
        simulation s;
        start(&s, scenes[k % 2], mesh_solver_with(k / 2, "max_iterations: 20000", text), 2);
        simulation_run(&s, 1);
        int32_t tip = find_tip(&s);
        grip(&s, tip, stiffness, 0, 0.2);
        simulation_run(&s, 1);
        double x[3];
        double before[3];
        get_position(&s, tip, x);
        get_start(&s, tip, before);
        AT_LEAST(x[1] - before[1], 0.01);
        simulation_clear(&s);
    }
}

static void held_vertices_do_not_feel_grips(void **state)
{
    (void)state;
    static const char *const solvers[] = {"{name: newton, tolerance: 1e-5}",
                                          "{name: pd-direct, tolerance: 1e-5}",
                                          "{name: vbd, tolerance: 1e-5, max_iterations: 20000}"};
    for (int k = 0; k < 3; ++k) {
        simulation gripped;
        simulation plain;
        start(&gripped, bar, solvers[k], 2);
        start(&plain, bar, solvers[k], 2);
        grip(&gripped, 0, 1e4, 0, 1); // the first vertex of a grid is at its lowest corner
        simulation_run(&gripped, 2);
        simulation_run(&plain, 2);
        double x[3];
        double held[3];
        get_position(&gripped, 0, x);
        get_start(&gripped, 0, held);
        assert_memory_equal(x, held, sizeof x);
        // a search may round a larger energy otherwise; two steps of 1/30 s, as above
        AT_MOST(distance(&gripped, &plain), 10 * 2 * 1e-5 / 30);
        simulation_clear(&plain);
        simulation_clear(&gripped);
    }
}

// ---- dragging

// Drags the tip along an arc in thirty steps, and waits.
static void a_dragged_body_follows(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {soft: {law: corotated, density: 1000, mu: 1e5, drag: 2}}\n"
        "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: "
        "soft}}\n"
        "gravity: [0, 0, 0]\n" DYNAMIC;
    simulation s;
    start(&s, scene, "{name: pd-multigrid, fixed_iterations: 10}", 2);
    int32_t tip = find_tip(&s);
    double first[3];
    double x[3];
    double center[3];
    get_start(&s, tip, first);
    const double end[3] = {first[0], first[1] + 2, first[2] + 1};
    double begun = distance3(first, end);
    for (int k = 1; k <= 60; ++k) {
        double along = k < 30 ? k / 30.0 : 1;
        const double target[3] = {first[0] + sin(3.141592653589793 * along), first[1] + 2 * along,
                                  first[2] + along};
        OK(s.context, pli_state_set_grip(s.state, tip, 2e4, target));
        pli_step_report report = simulation_step(&s);
        AT_LEAST(report.min_J, 0.05);
        get_position(&s, tip, x);
        // the mouse is never far ahead: it moves by less than 0.13 m in a step
        AT_MOST(distance3(x, target), 0.6);
        if (k == 30) AT_MOST(distance3(x, end), 0.2 * begun);
    }
    AT_MOST(distance3(x, end), 0.05 * begun);
    // not the vertex alone has moved
    simulation_center(&s, center);
    AT_LEAST(center[1], 1.5);
    simulation_clear(&s);
}

// A block that is dragged over the ground and into another one, which barriers keep apart.
static void barriers_hold_against_a_grip(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {soft: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies:\n"
        "  left: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [2, 2, 2]}}, material: soft,\n"
        "    position: [0, 0.203, 0]}\n"
        "  right: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [2, 2, 2]}}, material: soft,\n"
        "    position: [0.5, 0.203, 0]}\n"
        "colliders: {ground: {shape: plane}}\n"
        "contact: {method: barrier, distance: 5e-3}\n"
        "time: {fps: 50, frames: 1}\n";
    static const char *const solvers[] = {"ipc-pcg", "ipc-llt",
                                          "{name: subspace, subspace: {handles: 4}}"};
    for (int k = 0; k < 3; ++k) {
        simulation s;
        start(&s, scene, solvers[k], 2);
        const double target[3] = {1, 0.2, 0};
        OK(s.context, pli_state_set_grip(s.state, 13, 2e3, target)); // the middle of the left one
        for (int i = 0; i < 12; ++i) {
            pli_step_report report = simulation_step(&s);
            AT_LEAST(report.min_gap, 1e-9);
            AT_LEAST(report.min_J, 0.05);
        }
        double x[3];
        get_position(&s, 13, x);
        AT_LEAST(x[0], 0.15);
        // the right one is pushed along
        get_position(&s, 27 + 13, x);
        AT_LEAST(x[0], 0.52);
        simulation_clear(&s);
    }
}

// ---- promises

static void a_grip_that_let_go_leaves_no_trace(void **state)
{
    (void)state;
    char text[256];
    for (int32_t k = 0; k < count_mesh_solvers(); ++k) {
        simulation was;
        simulation never;
        start(&was, bar, budget(k, text), 2);
        start(&never, bar, budget(k, text), 2);
        run_story(&was, 0, 5);
        pli_state_clear_grips(was.state);
        // the other state knows positions, velocities and history, but has had no grip
        OK(never.context, pli_state_copy(was.state, never.state));
        assert_true(pli_state_hash(was.state) == pli_state_hash(never.state));
        for (int i = 0; i < 3; ++i) {
            simulation_step(&was);
            simulation_step(&never);
            assert_true(pli_state_hash(was.state) == pli_state_hash(never.state));
        }
        simulation_clear(&never);
        simulation_clear(&was);
    }
}

static void solvers_have_no_memory_of_grips(void **state)
{
    (void)state;
    char text[256];
    for (int32_t k = 0; k < count_mesh_solvers(); ++k) {
        simulation kept;
        simulation dropped;
        start(&kept, bar, budget(k, text), 2);
        start(&dropped, bar, budget(k, text), 2);
        for (int i = 0; i < 8; ++i) {
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
    run_story(&s, 0, 7);
    uint64_t hash = pli_state_hash(s.state);
    simulation_clear(&s);
    return hash;
}

static void states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "{name: newton, fixed_iterations: 2}", "{name: pd-multigrid, fixed_iterations: 3}",
        "{name: pd-direct, fixed_iterations: 3}", "{name: vbd, fixed_iterations: 5}"};
    for (int k = 0; k < 4; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_of_story(long_bar, solvers[k], bits.threads));
        }
    }
}

static void grips_that_come_and_go_allocate_nothing(void **state)
{
    (void)state;
    char text[256];
    for (int32_t k = 0; k < count_mesh_solvers(); ++k) {
        simulation s;
        start(&s, bar, budget(k, text), 2);
        run_story(&s, 0, 6);
        int64_t before = pli_context_allocation_count(s.context);
        run_story(&s, 6, 18);
        assert_int_equal(pli_context_allocation_count(s.context), before);
        simulation_clear(&s);
    }
}

static pli_status attempt_story(pli_context *context, const char *yaml)
{
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_state *copy = NULL;
    pli_solver *solver = NULL;
    pli_step_report report;
    const double target[3] = {1, 1, 1};
    pli_status status = pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) status = pli_state_create(model, &state);
    if (status == PLI_OK) status = pli_state_create(model, &copy);
    if (status == PLI_OK) status = pli_solver_create(model, &solver);
    if (status == PLI_OK) status = pli_solver_step(solver, state, &report);
    if (status == PLI_OK) status = pli_state_set_grip(state, 15, 300, target);
    if (status == PLI_OK) status = pli_state_copy(state, copy);
    if (status == PLI_OK) status = pli_solver_step(solver, copy, &report);
    if (status == PLI_OK) pli_state_clear_grips(copy);
    if (status == PLI_OK) status = pli_solver_step(solver, copy, &report);
    pli_solver_destroy(solver);
    pli_state_destroy(copy);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    return status;
}

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "{name: newton, fixed_iterations: 2}",
        "{name: pd-multigrid, fixed_iterations: 2, multigrid: {handles: [[0, 0, 0]]}}",
        "{name: pd-direct, fixed_iterations: 2}", "{name: vivace, fixed_iterations: 2}",
        "{name: chebyshev, fixed_iterations: 2}"};
    char text[4096];
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        with_solver(BAR("[3, 1, 1]") DYNAMIC, solvers[k], text);
        for (fault_sweep sweep = {.absorbs = true, .at_least = 50}; fault_sweep_next(&sweep);) {
            sweep.status = attempt_story(sweep.context, text);
        }
    }
}

// ---- the state

static void copies_and_hashes_have_grips(void **state)
{
    (void)state;
    simulation a;
    simulation b;
    start(&a, bar, "newton", 1);
    start(&b, bar, "newton", 1);
    uint64_t without = pli_state_hash(a.state);
    int32_t tip = find_tip(&a);
    grip(&a, tip, stiffness, 0, 0.2);
    uint64_t with = pli_state_hash(a.state);
    assert_true(with != without);
    grip(&a, tip, stiffness, 0, 0.3);
    assert_true(pli_state_hash(a.state) != with);
    grip(&a, tip, 2 * stiffness, 0, 0.2);
    assert_true(pli_state_hash(a.state) != with);
    grip(&a, tip, stiffness, 0, 0.2);
    assert_true(pli_state_hash(a.state) == with);

    OK(b.context, pli_state_copy(a.state, b.state));
    assert_true(pli_state_hash(b.state) == with);
    assert_true(pli_state_get(b.state).grip_stiffnesses[tip] == stiffness);
    double target[3];
    get_start(&a, tip, target);
    assert_true(pli_state_get(b.state).grip_targets[3 * tip + 1] == target[1] + 0.2);
    // letting go in one of the ways, and in the other
    OK(a.context, pli_state_set_grip(a.state, tip, 0, NULL));
    pli_state_clear_grips(b.state);
    assert_true(pli_state_hash(a.state) == without);
    assert_true(pli_state_hash(b.state) == without);
    assert_true(pli_state_get(a.state).grip_targets[3 * tip + 1] == 0);
    simulation_clear(&b);
    simulation_clear(&a);
}

// Goes on from a checkpoint as if nothing had been.
static void checkpoints_have_grips(void **state)
{
    folder_fixture *fix = *state;
    static const char *const solvers[] = {"{name: newton, fixed_iterations: 2}",
                                          "{name: pd-multigrid, fixed_iterations: 3}"};
    for (int k = 0; k < 2; ++k) {
        simulation first;
        simulation second;
        pli_saved_state saved;
        pli_saved_state loaded;
        start(&first, bar, solvers[k], 2);
        start(&second, bar, solvers[k], 2);
        run_story(&first, 0, 4);
        OK(first.context, pli_saved_state_init(&saved, first.scene, first.model, first.state));
        OK(first.context, pli_saved_state_save(&saved, fix->folder));
        OK(second.context, pli_saved_state_init(&loaded, second.scene, second.model, second.state));
        OK(second.context, pli_saved_state_load(&loaded, fix->folder));
        assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
        assert_true(pli_state_get(second.state).grip_stiffnesses[find_tip(&second)] == stiffness);
        for (int i = 0; i < 3; ++i) {
            simulation_step(&first);
            simulation_step(&second);
            assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
        }
        pli_saved_state_clear(&loaded);
        pli_saved_state_clear(&saved);
        simulation_clear(&second);
        simulation_clear(&first);
    }
}

static void expect_refused(simulation *s, int32_t vertex, double k, const double target[3],
                           const char *message)
{
    char found[1024] = "";
    uint64_t before = pli_state_hash(s->state);
    assert_int_equal(pli_state_set_grip(s->state, vertex, k, target), PLI_ERROR_ARGUMENT);
    pli_context_message(s->context, found, sizeof found);
    if (strstr(found, message) == NULL) {
        fprintf(stderr, "expected '%s', found '%s'\n", message, found);
        fail();
    }
    assert_true(pli_state_hash(s->state) == before);
}

static void bad_grips_are_refused(void **state)
{
    (void)state;
    static const double origin[3] = {0, 0, 0};
    static const double endless[3] = {0, INFINITY, 0};
    static const double unknown[3] = {0, 0, NAN};
    simulation s;
    start(&s, bar, "newton", 1);
    grip(&s, 7, stiffness, 0, 0.2);
    expect_refused(&s, -1, 1, origin, "a grip at vertex -1; the state has vertices 0 to 80");
    expect_refused(&s, s.info.vertex_count, 1, origin, "a grip at vertex 81");
    expect_refused(&s, 7, -1, origin, "has stiffness -1; it must be positive, or 0 to let go");
    expect_refused(&s, 7, NAN, origin, "has stiffness");
    expect_refused(&s, 7, INFINITY, origin, "has stiffness inf");
    expect_refused(&s, 7, 1, endless, "pulls to (0, inf, 0); that must be finite");
    expect_refused(&s, 7, 1, unknown, "that must be finite");
    simulation_clear(&s);
}

static void particles_cannot_be_gripped(void **state)
{
    (void)state;
    static const double origin[3] = {0, 0, 0};
    simulation s;
    simulation_init(&s,
                    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: "
                    "0.3}}\n"
                    "bodies: {cube: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, "
                    "0.2]}}}}, material: soft}}\n"
                    "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n"
                    "time: {fps: 30, frames: 1}\n",
                    1);
    expect_refused(&s, 0, 1, origin, "particles cannot be held by grips");
    pli_state_clear_grips(s.state);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grip_is_an_attachment_for_every_solver),
        cmocka_unit_test(a_grip_gives_momentum_for_every_solver),
        cmocka_unit_test(solvers_agree_on_where_a_grip_leads),
        cmocka_unit_test(a_grip_adds_to_an_attachment),
        cmocka_unit_test(reports_have_the_energy_of_grips),
        cmocka_unit_test(a_grip_wakes_what_is_at_rest),
        cmocka_unit_test(held_vertices_do_not_feel_grips),
        cmocka_unit_test(a_dragged_body_follows),
        cmocka_unit_test(barriers_hold_against_a_grip),
        cmocka_unit_test(a_grip_that_let_go_leaves_no_trace),
        cmocka_unit_test(solvers_have_no_memory_of_grips),
        cmocka_unit_test(states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(grips_that_come_and_go_allocate_nothing),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(copies_and_hashes_have_grips),
        cmocka_unit_test_setup_teardown(checkpoints_have_grips, folder_set_up, folder_tear_down),
        cmocka_unit_test(bad_grips_are_refused),
        cmocka_unit_test(particles_cannot_be_gripped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
