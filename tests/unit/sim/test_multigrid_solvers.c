// SPDX-License-Identifier: Apache-2.0
//
// Scenes with the solvers of projective dynamics and of multigrid: they end where Newton ends,
// survive failing allocations, and refuse what they cannot take.
#include "promises.h"
#include "step_scenes.h"

#include "base/context.h"
#include "sim/step/mesh_stepper.h"

// A bar with a part of another law, which projective dynamics takes with a line search.
static const char *mixed_bar =
    "materials:\n"
    "  soft: {law: corotated, density: 1000, mu: 2e4}\n"
    "  rubber: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: 0.4}\n"
    "contact: none\n"
    "bodies:\n"
    "  bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: soft,\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
    "rubber}]}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "time: {fps: 30, frames: 1}\n";

// A cloth held by two springs, and a cube that falls on a plane and a ball: matter of springs, and
// colliders that the solver chooses to be quadratic.
#define CLOTH_AND_CUBE(method)                                                                  \
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"                             \
    "contact: none\n"                                                                           \
    "bodies:\n"                                                                                 \
    "  cloth: {kind: cloth, geometry: {sheet: {columns: 14, rows: 14}}}\n"                      \
    "  cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [4, 4, 4]}}, material: soft,\n"   \
    "    position: [2, 0.205, 0], velocity: [0, -1, 0]}\n"                                      \
    "attachments:\n"                                                                            \
    "  - {body: cloth, where: {half_space: {point: [0.45, 0, -0.45], normal: [1, 0, -1]}},\n"   \
    "     stiffness: 100}\n"                                                                    \
    "  - {body: cloth, where: {half_space: {point: [-0.45, 0, -0.45], normal: [-1, 0, -1]}},\n" \
    "     stiffness: 100}\n"                                                                    \
    "colliders:\n"                                                                              \
    "  ground: {shape: plane, stiffness: 2e4, method: " method "}\n"                            \
    "  ball: {shape: {sphere: {center: [2, -0.2, 0], radius: 0.18}}, stiffness: 2e4,\n"         \
    "    method: " method "}\n"                                                                 \
    "checks: {collider_overlap: ignore}\n"                                                      \
    "time: {fps: 60, frames: 1}\n"

static const char *cloth_and_cube = CLOTH_AND_CUBE("auto");

// solvers that end at a tolerance, with a tolerance of 1e-5 m/s
static const char *const converging[] = {
    "{name: pd-multigrid, tolerance: 1e-5}",
    ("{name: pd-multigrid, tolerance: 1e-5, multigrid: {levels: [3, 12], cycles: 2, dofs: 3,\n"
     "  smoothers: direct/J(4)/GS(1), precision: double}}"),
    "{name: pd-multigrid, tolerance: 1e-5, linear_tolerance: 1e-3}",
    "{name: pd-direct, tolerance: 1e-5}",
    "{name: pd-pcg, tolerance: 1e-5}",
    "{name: vivace, tolerance: 1e-5}",
    "{name: newton-multigrid, tolerance: 1e-5}",
    "{name: newton-multigrid, tolerance: 1e-5, multigrid: {cycles: 1}}",
    "{name: pn-mgpcg, tolerance: 1e-5}",
    "{name: newton, linear: multigrid, tolerance: 1e-5}",
    "{name: newton, preconditioner: multigrid, tolerance: 1e-5}",
};
enum { CONVERGING_COUNT = sizeof converging / sizeof *converging };

static const char *const accelerated =
    "{name: chebyshev, fixed_iterations: 40, chebyshev: {rho: 0.95}}";

static const char *with_solver(const char *yaml, const char *solver, char text[4096])
{
    snprintf(text, 4096, "%ssolver: %s\n", yaml, solver);
    return text;
}

static void start(simulation *s, const char *yaml, const char *solver, int32_t threads)
{
    char text[4096];
    simulation_init(s, with_solver(yaml, solver, text), threads);
}

// Largest distance of two states' vertices (m).
static double distance(const simulation *a, const simulation *b)
{
    const double *x = pli_state_get(a->state).positions;
    const double *y = pli_state_get(b->state).positions;
    double largest = 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->info.vertex_count; ++k) {
        largest = fmax(largest, fabs(x[k] - y[k]));
    }
    return largest;
}

// ---- what they compute

static void every_solver_ends_where_newton_ends(void **state)
{
    (void)state;
    // the norm bounds the root mean square error of a step's velocity, 1e-5 m/s; over five steps of
    // 1/30 s a single vertex may be off by ten times as much
    const double band = 10 * 5 * 1e-5 / 30;
    simulation reference;
    start(&reference, bars_scene, "{name: newton, tolerance: 1e-9}", 2);
    simulation_run(&reference, 5);
    for (int k = 0; k < CONVERGING_COUNT; ++k) {
        simulation s;
        start(&s, bars_scene, converging[k], 2);
        simulation_run(&s, 5);
        AT_MOST(distance(&s, &reference), band);
        simulation_clear(&s);
    }
    simulation_clear(&reference);
}

static void other_laws_converge_by_a_line_search(void **state)
{
    (void)state;
    const double band = 10 * 5 * 1e-5 / 30;
    simulation reference;
    simulation s;
    start(&reference, mixed_bar, "{name: newton, tolerance: 1e-9}", 2);
    start(&s, mixed_bar, "{name: pd-direct, tolerance: 1e-5, max_iterations: 5000}", 2);
    assert_null(pli_solver_meshes(s.solver)->projective);
    simulation_run(&reference, 5);
    pli_step_report report = simulation_run(&s, 5);
    AT_MOST(distance(&s, &reference), band);
    AT_LEAST(report.energy_evaluations, report.iterations);
    simulation_clear(&s);
    simulation_clear(&reference);
}

static void cloth_and_contact_end_where_newton_ends(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "{name: pd-multigrid, tolerance: 1e-5, max_iterations: 2000}",
        "{name: pd-direct, tolerance: 1e-5, max_iterations: 2000}"};
    simulation reference;
    start(&reference, CLOTH_AND_CUBE("quadratic"), "{name: newton, tolerance: 1e-9}", 2);
    pli_step_report wanted = simulation_run(&reference, 6);
    AT_LEAST(wanted.contacts, 10);
    for (int k = 0; k < 2; ++k) {
        simulation s;
        start(&s, cloth_and_cube, solvers[k], 2);
        pli_step_report report = simulation_run(&s, 6);
        // six steps, see above; points that graze a collider are in or out of it
        AT_MOST(distance(&s, &reference), 10 * 6 * 1e-5 / 60);
        AT_LEAST(report.contacts, 10);
        simulation_clear(&s);
    }
    simulation_clear(&reference);
}

// What a report says about a state does not depend on which terms measure it.
static void reports_agree_with_those_of_newton(void **state)
{
    (void)state;
    simulation a;
    simulation b;
    start(&a, bars_scene, "newton", 2);
    start(&b, bars_scene, "pd-direct", 2);
    simulation_run(&a, 3);
    OK(b.context,
       pli_state_set(b.state, pli_state_get(a.state).positions, pli_state_get(a.state).velocities));
    pli_step_report of_newton;
    pli_step_report of_projective;
    OK(a.context, pli_solver_measure(a.solver, a.state, &of_newton));
    OK(b.context, pli_solver_measure(b.solver, b.state, &of_projective));
    // strains are good to 1e-7 in single precision, and here of the size of 1e-2
    NEAR(of_projective.energy.elastic, of_newton.energy.elastic, 1e-4, 0);
    NEAR(of_projective.min_J, of_newton.min_J, 1e-5, 0);
    assert_int_equal(of_projective.inverted, of_newton.inverted);
    NEAR(of_projective.energy.kinetic, of_newton.energy.kinetic, 1e-12, 0);

    // frames come from the same term
    pli_frame first;
    pli_frame second;
    OK(a.context, pli_solver_frame(a.solver, a.state, &first));
    OK(b.context, pli_solver_frame(b.solver, b.state, &second));
    assert_int_equal(first.parts[0].field_count, second.parts[0].field_count);
    for (int32_t k = 0; k < first.parts[0].field_count; ++k) {
        const pli_frame_field *field = &first.parts[0].fields[k];
        bool cell = field->place == PLI_PLACE_CELL;
        int64_t count = cell ? first.parts[0].cell_count : first.parts[0].point_count;
        assert_memory_equal(field->values, second.parts[0].fields[k].values,
                            (size_t)(count * field->components) * sizeof(double));
    }
    simulation_clear(&b);
    simulation_clear(&a);
}

// mu alone, or young = 2 mu with poisson = 0: both have lambda = 0 exactly.
static void bodies_without_a_volume_term_are_projective(void **state)
{
    (void)state;
    simulation s;
    start(&s, bars_scene, "pd-direct", 1);
    assert_non_null(pli_solver_meshes(s.solver)->projective);
    assert_null(pli_solver_meshes(s.solver)->elastic);
    simulation_clear(&s);
    start(&s, bars_scene, "newton", 1);
    assert_null(pli_solver_meshes(s.solver)->projective);
    simulation_clear(&s);
}

static void fixed_iterations_are_made_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        int32_t iterations;
        int64_t inner;
    } cases[] = {
        {"{name: pd-multigrid, fixed_iterations: 3}", 3, 3},
        {"{name: pd-multigrid, fixed_iterations: 2, multigrid: {cycles: 4}}", 2, 8},
        {"{name: pd-pcg, fixed_iterations: 2}", 2, 40},
        {"{name: pd-pcg, fixed_iterations: 2, linear_iterations: 7}", 2, 14},
        {"{name: vivace, fixed_iterations: 2}", 2, 20},
        {"{name: chebyshev, fixed_iterations: 15}", 15, 15},
        {"{name: newton-multigrid, fixed_iterations: 2}", 2, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        simulation s;
        start(&s, bars_scene, cases[k].solver, 2);
        pli_step_report report = simulation_run(&s, 2);
        assert_int_equal(report.stop, PLI_STOP_FIXED);
        assert_int_equal(report.iterations, cases[k].iterations);
        assert_int_equal(report.linear_iterations, cases[k].inner);
        simulation_clear(&s);
    }
}

static void a_cycle_saves_iterations_of_conjugate_gradients(void **state)
{
    (void)state;
    int64_t inner[2];
    static const char *const solvers[] = {"{name: pn-pcg, linear_tolerance: 1e-6}",
                                          "{name: pn-mgpcg, linear_tolerance: 1e-6}"};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        start(&s, bars_scene, solvers[k], 2);
        inner[k] = simulation_run(&s, 1).linear_iterations;
        simulation_clear(&s);
    }
    AT_MOST((double)inner[1], 0.5 * (double)inner[0]);
}

static void chebyshev_is_ahead_of_plain_jacobi(void **state)
{
    (void)state;
    double error[2];
    static const char *const solvers[] = {
        "{name: chebyshev, fixed_iterations: 40, chebyshev: {delay: 1000}}", accelerated};
    simulation reference;
    start(&reference, bars_scene, "{name: newton, tolerance: 1e-9}", 2);
    simulation_run(&reference, 1);
    for (int k = 0; k < 2; ++k) {
        simulation s;
        start(&s, bars_scene, solvers[k], 2);
        simulation_run(&s, 1);
        error[k] = distance(&s, &reference);
        simulation_clear(&s);
    }
    AT_MOST(error[1], 0.5 * error[0]);
    simulation_clear(&reference);
}

static bool has_phase(const pli_step_report *report, const char *name)
{
    for (int32_t k = 0; k < report->phase_count; ++k) {
        if (strcmp(report->phase_name[k], name) == 0) return report->phase_seconds[k] > 0;
    }
    return false;
}

static void reports_tell_the_phases_of_a_cycle(void **state)
{
    (void)state;
    static const char *const solvers[] = {"pd-multigrid", "newton-multigrid", "pn-mgpcg"};
    static const char *const phases[] = {"gradient", "linear", "smooth", "transfer", "coarsest"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        simulation s;
        start(&s, bars_scene, solvers[k], 1);
        pli_step_report report = simulation_step(&s);
        assert_string_equal(report.solver, solvers[k]);
        for (size_t i = 0; i < sizeof phases / sizeof *phases; ++i) {
            assert_true(has_phase(&report, phases[i]));
        }
        simulation_clear(&s);
    }
}

// Steps without measures end in the same state, and what was not measured is told as such.
static void measuring_can_be_left_out(void **state)
{
    (void)state;
    simulation measured;
    simulation quick;
    start(&measured, bars_scene, "{name: pd-multigrid, fixed_iterations: 2}", 1);
    start(&quick, bars_scene, "{name: pd-multigrid, fixed_iterations: 2}", 1);
    pli_solver_set_measuring(quick.solver, false);
    for (int k = 0; k < 3; ++k) {
        pli_step_report report;
        simulation_step(&measured);
        OK(quick.context, pli_solver_step(quick.solver, quick.state, &report));
        assert_true(isnan(report.energy.total) && isnan(report.momentum[0]));
        assert_int_equal(report.step, k + 1);
    }
    assert_true(pli_state_hash(measured.state) == pli_state_hash(quick.state));
    pli_step_report asked;
    OK(quick.context, pli_solver_measure(quick.solver, quick.state, &asked));
    assert_true(isfinite(asked.energy.total));
    simulation_clear(&measured);
    simulation_clear(&quick);
}

static void keep_energy(void *user, const pli_iteration_report *report)
{
    double *energies = user;
    if (report->iteration < 4) energies[report->iteration] = report->energy;
}

// Without a line search nobody needs the energy; a scene that wants iterations gets it.
static void energies_are_told_where_the_scene_wants_iterations(void **state)
{
    (void)state;
    static const char *const outputs[] = {"{name: pd-direct, fixed_iterations: 3}",
                                          "{name: pd-direct, fixed_iterations: 3}\n"
                                          "output: {iterations: true}"};
    for (int k = 0; k < 2; ++k) {
        double energies[4] = {0};
        simulation s;
        start(&s, bars_scene, outputs[k], 1);
        pli_solver_set_hooks(
            s.solver, &(pli_solver_hooks){.iteration = keep_energy, .iteration_user = energies});
        simulation_step(&s);
        for (int i = 0; i < 3 && k == 1; ++i) AT_MOST(energies[i + 1], energies[i]);
        for (int i = 0; i < 4 && k == 0; ++i) assert_true(isnan(energies[i]));
        simulation_clear(&s);
    }
}

// ---- levels

static void levels_are_as_the_scene_says(void **state)
{
    (void)state;
    simulation s;
    start(&s, bars_scene,
          "{name: pd-multigrid, multigrid: {levels: [4, 30], smoothers: "
          "direct/GS(3)/J(2)}}",
          1);
    assert_int_equal(s.info.level_count, 2);
    assert_int_equal(s.info.level_nodes[0], 4);
    assert_int_equal(s.info.level_nodes[1], 30);
    AT_LEAST((double)s.info.level_memory, 1000);
    AT_LEAST((double)s.info.memory_estimate, (double)s.info.level_memory);
    const pli_vcycle_def *def = &s.model->multigrid;
    assert_int_equal(def->level_count, 3);
    assert_int_equal(def->smoothers[0].kind, PLI_SMOOTHER_JACOBI);
    assert_int_equal(def->smoothers[0].sweeps, 2);
    assert_int_equal(def->smoothers[1].kind, PLI_SMOOTHER_GAUSS_SEIDEL);
    assert_int_equal(def->smoothers[1].sweeps, 3);
    assert_int_equal(def->smoothers[2].kind, PLI_SMOOTHER_DIRECT);
    assert_true(def->single);
    simulation_clear(&s);

    // more nodes than vertices: the level is left out, with its smoother
    start(&s, bars_scene,
          "{name: pd-multigrid, multigrid: {levels: [4, 30000], smoothers: "
          "direct/GS(3)/J(2), precision: double}}",
          1);
    assert_int_equal(s.info.level_count, 1);
    assert_int_equal(s.info.level_nodes[0], 4);
    assert_int_equal(s.model->multigrid.smoothers[0].kind, PLI_SMOOTHER_JACOBI);
    assert_int_equal(s.model->multigrid.smoothers[1].kind, PLI_SMOOTHER_DIRECT);
    assert_false(s.model->multigrid.single);
    simulation_step(&s);
    simulation_clear(&s);

    start(&s, bars_scene, "newton", 1);
    assert_int_equal(s.info.level_count, 0);
    simulation_clear(&s);
}

static void handles_stand_where_the_scene_says(void **state)
{
    (void)state;
    simulation s;
    start(&s, bars_scene,
          "{name: pd-multigrid, multigrid: {levels: [4], handles: [[-0.5, 0.15, 0.15], "
          "[0.51, -0.16, -0.15], [0.52, -0.15, -0.15], [2, 0, 0]]}}",
          1);
    static const double places[3][3] = {{-0.5, 0.15, 0.15}, {0.5, -0.15, -0.15}, {2, 0, 0}};
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    assert_int_equal(s.model->hierarchy->transfers[0].coarse_count, 4);
    for (int k = 0; k < 3; ++k) {
        int64_t vertex = s.model->hierarchy->samples[0][k];
        for (int i = 0; i < 3; ++i) NEAR(rest[3 * vertex + i], places[k][i], 0, 1e-12);
    }
    simulation_step(&s);
    simulation_clear(&s);
}

// Shells and obstacles beside solids: handles on everything that can move, none on what cannot.
static void shells_have_levels_and_obstacles_have_none(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {cotton: {law: stable-neo-hookean, density: 400, young: 1e5, poisson: 0.3}}\n"
        "contact: none\n"
        "bodies:\n"
        "  wall: {kind: obstacle, geometry: {sheet: {columns: 3, rows: 2}}, position: [0, -2, 0]}\n"
        "  cloth: {kind: shell, geometry: {sheet: {columns: 12, rows: 12}}, material: cotton,\n"
        "    thickness: 0.01}\n"
        "  cube: {geometry: {grid: {size: [0.3, 0.3, 0.3], cells: [3, 3, 3]}}, material: cotton,\n"
        "    position: [-2, 0, 0]}\n"
        "constraints: [{body: cloth, where: {half_space: {point: [0, 0, -0.49], normal: [0, 0, "
        "-1]}}}]\n"
        "time: {fps: 48, frames: 1}\n";
    simulation reference;
    simulation s;
    start(&reference, scene, "{name: pn-pcg, tolerance: 1e-8}", 2);
    start(&s, scene, "{name: pn-mgpcg, tolerance: 1e-8}", 2);
    const pli_interpolation_map *transfer = &s.model->hierarchy->transfers[0];
    const pli_model_body *wall = &s.model->bodies[0];
    for (int32_t i = 0; i < s.info.vertex_count; ++i) {
        bool skipped = i >= wall->first_vertex && i < wall->first_vertex + wall->vertex_count;
        assert_int_equal(transfer->start[i + 1] - transfer->start[i], skipped ? 0 : 1);
    }
    simulation_run(&reference, 2);
    simulation_run(&s, 2);
    // two steps to 1e-8 m/s each, a vertex ten times as far off as their mean
    AT_MOST(distance(&s, &reference), 10 * 2 * 1e-8 / 48);
    simulation_clear(&s);
    simulation_clear(&reference);
}

static void smooth_weights_solve_as_well(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
        "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: "
        "soft}}\n"
        "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
        "time: {fps: 30, frames: 1}\n",
        "contact: none\n"
        "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 12, rows: 12}}}}\n"
        "constraints: [{where: {half_space: {point: [0, 0, -0.49], normal: [0, 0, -1]}}}]\n"
        "time: {fps: 30, frames: 1}\n"};
    for (int k = 0; k < 2; ++k) {
        simulation reference;
        simulation s;
        start(&reference, scenes[k], "{name: newton, tolerance: 1e-9}", 2);
        start(&s, scenes[k],
              "{name: pd-multigrid, tolerance: 1e-5, max_iterations: 2000, "
              "multigrid: {levels: [6], weights: smooth}}",
              2);
        const pli_interpolation_map *transfer = &s.model->hierarchy->transfers[0];
        AT_LEAST((double)transfer->link_count, 1.5 * s.info.vertex_count);
        simulation_run(&reference, 2);
        simulation_run(&s, 2);
        AT_MOST(distance(&s, &reference), 10 * 2 * 1e-5 / 30);
        simulation_clear(&s);
        simulation_clear(&reference);
    }
}

// ---- promises

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {soft: {law: corotated, density: 1000, mu: 2e4},\n"
        "  rubber: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.4}}\n"
        "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [3, 1, 1]}}, material: "
        "soft,\n"
        "  regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
        "rubber}]}}\n"
        "attachments: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}, "
        "stiffness: 100}]\n"
        "time: {fps: 30, frames: 1}\n";
    static const char *const solvers[] = {
        "{name: pd-multigrid, fixed_iterations: 2, multigrid: {handles: [[0, 0, 0]]}}",
        "{name: pd-direct, fixed_iterations: 2}", "{name: vivace, fixed_iterations: 2}",
        "{name: newton-multigrid, fixed_iterations: 2}"};
    char text[4096];
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        expect_no_leak(with_solver(scene, solvers[k], text), k == 0);
    }
}

// ---- refusals

static void expect_refusal(const char *yaml, const char *solver, pli_status expected,
                           const char *message)
{
    char text[4096];
    expect_no_model(with_solver(yaml, solver, text), expected, message);
}

#define CUBE(material, more)                                                                  \
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4" material "}}\n"               \
    "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, position: [0, 2, " \
    "0]}}\n" more

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    pli_status no = PLI_ERROR_UNSUPPORTED;
    expect_refusal(CUBE("", "contact: barrier\n"), "pd-multigrid", no,
                   "contact.method: barrier needs the matrix of every iteration, which solver "
                   "pd-multigrid does not have; use ipc-pcg or ipc-llt");
    expect_refusal(CUBE("", "contact: penalty\n"), "pd-direct", no,
                   "solver pd-direct keeps one: use solver newton or newton-multigrid");
    expect_refusal(CUBE("", "colliders: {ground: {shape: plane, method: constraint}}\n"), "vivace",
                   no, "collider ground is a constraint, which solver vivace does not take");
    expect_refusal(CUBE("", "colliders: {ground: {shape: plane, method: penalty}}\n"), "pd-pcg", no,
                   "collider ground is a cubic penalty, which solver pd-pcg does not take");
    expect_refusal(CUBE(", rayleigh: 0.01", ""), "chebyshev", no,
                   "s:1:70: materials: material soft has rayleigh damping");
    expect_refusal(
        "bodies: {flag: {kind: cloth, geometry: {sheet: {}}, springs: {rayleigh: 0.1}}}\n",
        "pd-multigrid", no, "bodies: cloth flag has rayleigh damping");
    expect_refusal("materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
                   "bodies: {flag: {kind: shell, geometry: {sheet: {}}, material: soft}}\n",
                   "pd-multigrid", no, "s:2:23: bodies: body flag is a shell");
    expect_refusal(CUBE("", ""), "{name: pd-direct, norm: step}", no, "solver.norm: found 'step'");
    expect_refusal(CUBE("", ""), "{name: pd-direct, line_search: wolfe}", no,
                   "solver.line_search: found 'wolfe', which solver pd-direct does not have");
}

static void wrong_keys_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *keys;
        const char *message;
    } cases[] = {
        {"levels: [500, 25]",
         "s:3:50: solver.multigrid.levels: found 500 before 25; expected increasing numbers"},
        {"levels: [0, 25]", "solver.multigrid.levels[0]: found '0'"},
        {"levels: [1, 2, 3, 4, 5, 6, 7, 8, 9]", "found 9 levels; allowed: at most 8"},
        {"levels: [1, 20], handles: [[0, 0, 0], [1, 0, 0]]",
         "the coarsest level has 1 nodes, fewer than the 2 handles"},
        {"dofs: 6", "s:3:48: solver.multigrid.dofs: found '6'; allowed: 12 or 3"},
        {"smoothers: direct/GS(2)/GS(2)/GS(2)",
         "solver.multigrid.smoothers: names 4 levels, but 'levels' leaves their number open; give "
         "levels 3 numbers"},
        {"smoothers: GS(2)/direct", "s:3:53: solver.multigrid.smoothers: "},
        {"smoothers: direct/SOR(2)", "solver.multigrid.smoothers: "},
        {"levels: [4, 20], smoothers: direct/J(1)/J(1)/J(1)", "solver.multigrid.smoothers: "},
        {"level: [4]", "levels"},
        {"weights: bbw", "found 'bbw'; allowed are constant, smooth"},
        {"precision: half", "found 'half'; allowed are single, double"},
        {"handles: [[0, 0]]", "solver.multigrid.handles[0].point: found 2 items"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char solver[256];
        snprintf(solver, sizeof solver, "{name: pd-multigrid, multigrid: {%s}}", cases[k].keys);
        expect_refusal(CUBE("", ""), solver, PLI_ERROR_SCENE, cases[k].message);
    }
    expect_refusal(CUBE("", ""), "{name: chebyshev, chebyshev: {rho: 1}}", PLI_ERROR_SCENE,
                   "solver.chebyshev.rho: found '1'; allowed: greater than 0 and less than 1");
    expect_refusal(CUBE("", ""), "pd-multigird", PLI_ERROR_SCENE, "pd-multigrid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_ends_where_newton_ends),
        cmocka_unit_test(other_laws_converge_by_a_line_search),
        cmocka_unit_test(cloth_and_contact_end_where_newton_ends),
        cmocka_unit_test(smooth_weights_solve_as_well),
        cmocka_unit_test(reports_agree_with_those_of_newton),
        cmocka_unit_test(bodies_without_a_volume_term_are_projective),
        cmocka_unit_test(fixed_iterations_are_made_exactly),
        cmocka_unit_test(a_cycle_saves_iterations_of_conjugate_gradients),
        cmocka_unit_test(chebyshev_is_ahead_of_plain_jacobi),
        cmocka_unit_test(reports_tell_the_phases_of_a_cycle),
        cmocka_unit_test(energies_are_told_where_the_scene_wants_iterations),
        cmocka_unit_test(measuring_can_be_left_out),
        cmocka_unit_test(levels_are_as_the_scene_says),
        cmocka_unit_test(handles_stand_where_the_scene_says),
        cmocka_unit_test(shells_have_levels_and_obstacles_have_none),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(wrong_keys_are_told_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
