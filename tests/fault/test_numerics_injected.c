// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are not finite, put into an energy, a force, a matrix, a vertex or a particle: the
// step that meets them is rejected and tells where they are, the state stays as it was, and the
// run goes on once the cause is gone.
//
// A material law of our own is the way in: it does what fixed-corotated does until it is armed.
#include "folder.h"
#include "simulate.h"

#include "pliant/extend.h"

// ---- the way in

typedef enum sick_part { SICK_ENERGY, SICK_STRESS, SICK_TANGENT, SICK_PARTS, WELL } sick_part;

static sick_part armed = WELL;
static double poison; // NaN or an infinity

static const pli_material_ops *well_law(void)
{
    return pli_material_find(NULL, "fixed-corotated");
}

static void derive_sick(const double *inputs, double *params)
{
    well_law()->derive(inputs, params);
}

static void evaluate_sick(int32_t n, const double *F, const double *params,
                          pli_projection projection, double *psi, double *P, double *dPdF)
{
    well_law()->evaluate(n, F, params, projection, psi, P, dPdF);
    // of the first point of the batch
    if (armed == SICK_ENERGY && psi != NULL) psi[0] = poison;
    if (armed == SICK_STRESS && P != NULL) P[0] = poison;
    if (armed == SICK_TANGENT && dPdF != NULL) dPdF[0] = poison;
}

static double sound_of_sick(const double *params, double density)
{
    return well_law()->sound_speed(params, density);
}

static pli_context *make_sick_context(void)
{
    static pli_material_ops sick;
    static const pli_material_ops *laws[1] = {&sick};
    sick = *well_law();
    sick.name = "sick";
    sick.derive = derive_sick;
    sick.evaluate = evaluate_sick;
    sick.sound_speed = sound_of_sick;
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.laws = laws;
    def.law_count = 1;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

// ---- bars of which one corner is sick

static const char *const solvers[] = {"newton",
                                      "{name: newton, linear: cholesky}",
                                      "{name: newton, linear: minres}",
                                      "newton-plain",
                                      "pn-pcg",
                                      "pn-sgs",
                                      "newton-multigrid",
                                      "pn-mgpcg",
                                      "lbfgs",
                                      "vbd",
                                      "pd-direct",
                                      "pd-multigrid",
                                      "ipc-llt",
                                      "ipc-pcg",
                                      "subspace"};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static bool has_barrier(const char *solver)
{
    return strncmp(solver, "ipc", 3) == 0 || strcmp(solver, "subspace") == 0;
}

static void bar_text(char *yaml, size_t room, const char *solver)
{
    snprintf(
        yaml, room,
        "materials:\n"
        "  well: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}\n"
        "  sick: {law: sick, density: 1000, young: 1e5, poisson: 0.3}\n"
        "bodies:\n"
        "  other: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [1, 1, 1]}},\n"
        "    material: well, position: [0, 1, 0]}\n"
        "  bar: {geometry: {grid: {size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}, material: sick}\n"
        "constraints: [{body: bar, where: {half_space: {point: [-0.199, 0, 0], normal: [-1, "
        "0, 0]}}}]\n"
        "%s"
        "solver: %s\n"
        "time: {fps: 50, frames: 6}\n",
        has_barrier(solver) ? "contact: {method: barrier}\n" : "", solver);
}

static void bar_init(simulation *s, const char *solver)
{
    char yaml[2048];
    bar_text(yaml, sizeof yaml, solver);
    simulation_init_in(s, make_sick_context(), yaml);
}

// Two steps that are well.
static void bar_settle(simulation *s, const char *solver)
{
    armed = WELL;
    bar_init(s, solver);
    for (int k = 0; k < 2; ++k) {
        pli_step_report report;
        OK(s->context, pli_solver_step(s->solver, s->state, &report));
    }
}

// The next step is rejected, tells `who`, and changes nothing.
static void expect_rejection(simulation *s, const char *solver, const char *who)
{
    uint64_t before = pli_state_hash(s->state);
    int64_t step = pli_state_get(s->state).step;
    pli_step_report report;
    OK(s->context, pli_solver_step(s->solver, s->state, &report));
    bool is_told = report.culprit != NULL && strstr(report.culprit, who) != NULL;
    if (report.stop != PLI_STOP_NONFINITE || !is_told) {
        fail_msg("%s: stop %s, culprit %s; want %s", solver, pli_stop_name(report.stop),
                 report.culprit != NULL ? report.culprit : "nobody", who);
    }
    assert_true(pli_state_hash(s->state) == before);
    assert_int_equal(pli_state_get(s->state).step, step);
}

// Projective dynamics keeps its matrix, and never asks for tangents.
static bool uses(const char *solver, sick_part part)
{
    return part != SICK_TANGENT || strncmp(solver, "pd-", 3) != 0;
}

static void a_law_that_breaks_rejects_the_step_and_is_named(void **state)
{
    (void)state;
    static const char *const who[] = {"tetrahedron 0 of body bar (law sick) has an energy",
                                      "tetrahedron 0 of body bar (law sick) has a stress",
                                      "tetrahedron 0 of body bar (law sick) has a tangent"};
    for (int k = 0; k < SOLVERS; ++k) {
        for (sick_part part = SICK_ENERGY; part < SICK_PARTS; ++part) {
            if (!uses(solvers[k], part)) continue;
            simulation s;
            bar_settle(&s, solvers[k]);
            armed = part;
            poison = NAN;
            expect_rejection(&s, solvers[k], who[part]);
            poison = INFINITY;
            expect_rejection(&s, solvers[k], who[part]);
            // and nothing of it is left
            armed = WELL;
            pli_step_report report;
            OK(s.context, pli_solver_step(s.solver, s.state, &report));
            assert_true(report.stop > 0 || strcmp(solvers[k], "newton-plain") == 0);
            assert_null(report.culprit);
            simulation_clear(&s);
        }
    }
}

// ---- arrays of a state, as a checkpoint fills them

static double *array_of(pli_state *state, const char *name)
{
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(state, k, &array); ++k) {
        if (strcmp(array.name, name) == 0) return array.data;
    }
    fail_msg("no array %s", name);
    return NULL;
}

static void a_vertex_that_is_not_finite_rejects_the_step_and_is_named(void **state)
{
    (void)state;
    static const char *const arrays[] = {"positions", "velocities"};
    static const char *const who[] = {"the position of vertex 3 of body bar is",
                                      "the velocity of vertex 3 of body bar is"};
    for (int k = 0; k < SOLVERS; ++k) {
        for (int i = 0; i < 4; ++i) {
            simulation s;
            bar_settle(&s, solvers[k]);
            int32_t first = pli_model_get_body(s.model, 1).first_vertex;
            array_of(s.state, arrays[i % 2])[3 * (first + 3) + 1] = i < 2 ? NAN : -INFINITY;
            expect_rejection(&s, solvers[k], who[i % 2]);
            simulation_clear(&s);
        }
    }
}

// ---- particles

static const char *const grid_solvers[] = {"regional",  "explicit", "hot",           "pn-pcg",
                                           "pn-pcg-mf", "admm",     "semi-implicit", "newton"};
enum { GRID_SOLVERS = sizeof grid_solvers / sizeof *grid_solvers };

static void cube_init(simulation *s, const char *solver)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n"
             "bodies: {cube: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}},\n"
             "  position: [0.5, 0.11, 0.5], material: m}}\n"
             "solver: %s\n"
             "time: {fps: 100, frames: 1}\n",
             solver);
    simulation_init(s, yaml, 1);
    simulation_run(s, 2);
}

static void a_particle_that_is_not_finite_rejects_the_step_and_is_named(void **state)
{
    (void)state;
    static const char *const arrays[] = {"particle_positions", "particle_velocities",
                                         "particle_affine_velocities", "particle_deformations"};
    static const char *const parts[] = {"the position", "the velocity", "the velocity around",
                                        "the deformation"};
    static const int32_t columns[] = {3, 3, 9, 9};
    for (int k = 0; k < GRID_SOLVERS; ++k) {
        for (int i = 0; i < 4; ++i) {
            simulation s;
            cube_init(&s, grid_solvers[k]);
            pli_particle_view view = pli_state_get(s.state).particles;
            char who[64];
            snprintf(who, sizeof who, "%s of particle %d of cube is", parts[i], (int)view.ids[17]);
            double *entry = array_of(s.state, arrays[i]) + 17 * columns[i];
            double kept = *entry;
            *entry = NAN;
            expect_rejection(&s, grid_solvers[k], who);
            *entry = INFINITY;
            expect_rejection(&s, grid_solvers[k], who);
            // and nothing of it is left
            *entry = kept;
            simulation_step(&s);
            simulation_clear(&s);
        }
    }
}

// ---- runs

// The law is armed after the third step.
static void arm_late(void *user, const pli_run_progress *progress)
{
    (void)user;
    if (progress->step == 3) armed = SICK_STRESS;
}

static pli_status execute(const pli_run_def *def, pli_run_info *info)
{
    pli_run *run = NULL;
    pli_status status = pli_run_create(def, &run);
    if (status != PLI_OK) return status;
    status = pli_run_execute(run);
    *info = pli_run_get_info(run);
    pli_run_destroy(run);
    return status;
}

// The run fails, says who it was, and has saved the state before; it goes on from there once the
// cause is gone.
static void a_run_that_meets_it_keeps_the_last_good_step(void **state)
{
    folder_fixture *fix = *state;
    char yaml[2048], message[1024];
    pli_context *context = make_sick_context();
    pli_scene *scene = NULL;
    armed = WELL;
    poison = NAN;
    bar_text(yaml, sizeof yaml, "newton");
    OK(context, pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene));
    pli_run_def def = {0};
    pli_run_info info;
    def.scene = scene;
    def.folder = in_folder(fix, "out");
    def.progress = arm_late;
    assert_int_equal(execute(&def, &info), PLI_ERROR_NUMERIC);
    assert_int_equal(info.outcome, PLI_RUN_FAILED);
    assert_int_equal(info.step, 3);
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "step 4 was rejected (nonfinite): tetrahedron 0 of body bar "
                                    "(law sick) has a stress that is not finite"));
    assert_non_null(strstr(message, "the state of step 3 is saved in"));

    armed = WELL;
    def.progress = NULL;
    def.resume = true;
    OK(context, execute(&def, &info));
    assert_int_equal(info.outcome, PLI_RUN_DONE);
    assert_int_equal(info.first_step, 3);
    assert_int_equal(info.step, 6);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_law_that_breaks_rejects_the_step_and_is_named),
        cmocka_unit_test(a_vertex_that_is_not_finite_rejects_the_step_and_is_named),
        cmocka_unit_test(a_particle_that_is_not_finite_rejects_the_step_and_is_named),
        cmocka_unit_test_setup_teardown(a_run_that_meets_it_keeps_the_last_good_step, folder_set_up,
                                        folder_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
