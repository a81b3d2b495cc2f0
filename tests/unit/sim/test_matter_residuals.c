// SPDX-License-Identifier: Apache-2.0
//
// What implicit steps of particles tell of themselves: tolerance and size of the model, the field
// "residual" of frames, and the monitor that hears what every iterate leaves of forces.
#include "promises.h"

#include "base/context.h"

#define MATTER                                                                       \
    "domain: {cell: 0.1, min: [0, 0, 0], max: [1.2, 1.2, 1.2]}\n"                    \
    "materials:\n"                                                                   \
    "  soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}\n"      \
    "  stiff: {law: fixed-corotated, density: 2000, young: 1e7, poisson: 0.3}\n"     \
    "bodies:\n"                                                                      \
    "  block: {geometry: {particles: {shape: {box: {size: [0.5, 0.3, 0.3]}}}},\n"    \
    "    position: [0.6, 0.3, 0.6], material: soft, velocity: [0, -1, 0],\n"         \
    "    regions: [{where: {half_space: {point: [0.6, 0, 0], normal: [1, 0, 0]}},\n" \
    "      material: stiff}]}\n"                                                     \
    "colliders: {floor: {shape: {plane: {point: [0, 0.1, 0]}}, boundary: sticky}}\n" \
    "checks: {collider_overlap: ignore}\n"

static const char *const slow = MATTER "time: {fps: 50, frames: 2}\nsolver: hot\n";

// two steps a frame
static const char *const halves =
    MATTER "time: {fps: 25, frames: 2, steps_per_frame: 2}\nsolver: hot\n";

static const char *const pouring =
    MATTER "emitters: {jet: {shape: {box: {center: [0.3, 0.9, 0.6], size: [0.2, 0.1, 0.2]}},\n"
           "  material: soft, velocity: [0, -2, 0]}}\n"
           "time: {fps: 50, frames: 2}\nsolver: hot\n";

static const pli_frame_field *find_field(const pli_frame *frame, int32_t part, const char *name)
{
    for (int32_t k = 0; k < frame->parts[part].field_count; ++k) {
        const pli_frame_field *field = &frame->parts[part].fields[k];
        if (strcmp(field->name, name) == 0) return field;
    }
    return NULL;
}

// The largest of a frame's residuals, all of which must be numbers.
static double largest_of_frame(simulation *s, const pli_state *state)
{
    pli_frame frame;
    double largest = 0;
    OK(s->context, pli_solver_frame(s->solver, state, &frame));
    for (int32_t p = 0; p < frame.part_count; ++p) {
        const pli_frame_field *field = find_field(&frame, p, "residual");
        if (frame.parts[p].role == PLI_ROLE_COLLIDER) continue;
        assert_non_null(field);
        for (int32_t k = 0; k < frame.parts[p].point_count; ++k) {
            assert_true(field->values[k] >= 0 && isfinite(field->values[k]));
            largest = fmax(largest, field->values[k]);
        }
    }
    return largest;
}

// ---- the model

static pli_model_info info_of(const char *solver)
{
    char text[2048];
    snprintf(text, sizeof text, "%ssolver: %s\n", MATTER, solver);
    simulation s;
    simulation_init(&s, text, 1);
    pli_model_info info = s.info;
    simulation_clear(&s);
    return info;
}

static void models_know_tolerance_unit_and_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double tolerance;
        const char *unit;
        int32_t fixed;
    } cases[] = {{"hot", 1e-7, "", 0},
                 {"{name: pn-pcg, tolerance: 1e-5}", 1e-5, "", 0},
                 {"gast15", 1e-3, "kg m/s", 0},
                 {"{name: gast15, tolerance: 0.5}", 0.5, "kg m/s", 0},
                 {"{name: hot, fixed_iterations: 3}", 1e-7, "", 3},
                 {"semi-implicit", 1e-7, "", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pli_model_info info = info_of(cases[k].solver);
        assert_true(info.tolerance == cases[k].tolerance);
        assert_string_equal(info.tolerance_unit, cases[k].unit);
        assert_int_equal(info.fixed_iterations, cases[k].fixed);
        assert_true(info.cfl == 0.6);
        // 5 x 3 x 3 cells of matter and one more node around on each side, or two
        AT_LEAST((double)info.node_count, 7 * 5 * 5);
        AT_MOST((double)info.node_count, 9 * 7 * 7);
    }
    pli_model_info info = info_of("regional");
    assert_true(info.cfl == 0 && info.node_count == 0 && info.tolerance == 0);
}

static void steps_report_the_tolerance_of_their_model(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, MATTER "solver: {name: hot, tolerance: 3e-6}\n", 1);
    pli_step_report report = simulation_step(&s);
    assert_true(report.tolerance == s.info.tolerance && report.tolerance == 3e-6);
    AT_MOST(report.residual, 3e-6);
    simulation_clear(&s);
}

// ---- frames

static void frames_carry_what_the_last_step_left(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, slow, 2);
    // nothing was solved yet
    assert_true(largest_of_frame(&s, s.state) == 0);
    pli_step_report report = simulation_step(&s);
    double largest = largest_of_frame(&s, s.state);
    // some particle has more than a tenth of the mean over nodes, none more than all of it
    AT_LEAST(largest, 0.1 * report.residual);
    AT_MOST(largest, report.residual * sqrt((double)report.grid.nodes));
    // another state at the same step is not the one that the solver came to
    pli_state *other = NULL;
    OK(s.context, pli_state_create(s.model, &other));
    OK(s.context, pli_state_copy(s.state, other));
    assert_true(largest_of_frame(&s, other) == 0);
    assert_true(largest_of_frame(&s, s.state) == largest);
    pli_state_destroy(other);
    simulation_clear(&s);
}

static void frames_in_the_middle_are_known_once_they_are_asked_for(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, halves, 1);
    simulation_step(&s);
    assert_true(largest_of_frame(&s, s.state) == 0);
    simulation_step(&s);
    AT_LEAST(largest_of_frame(&s, s.state), 1e-300);
    simulation_step(&s);
    AT_LEAST(largest_of_frame(&s, s.state), 1e-300);
    simulation_clear(&s);
}

static void explicit_steps_have_no_such_field(void **state)
{
    (void)state;
    simulation s;
    pli_frame frame;
    simulation_init(&s, MATTER "output: {fields: [residual, plastic]}\nsolver: regional\n", 1);
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_int_equal(frame.parts[0].field_count, 1);
    simulation_clear(&s);
    simulation_init(&s, MATTER "output: {fields: [residual, plastic]}\nsolver: hot\n", 1);
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_int_equal(frame.parts[0].field_count, 2);
    assert_non_null(find_field(&frame, 0, "residual"));
    simulation_clear(&s);
}

// ---- emitters

// What came in after the last piece has nothing; the others have kept their own.
static void emitted_particles_leave_nothing(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, pouring, 1);
    simulation_step(&s);
    pli_particle_view before = pli_state_get(s.state).particles;
    int32_t first_id = 0;
    for (int64_t k = 0; k < before.count; ++k) {
        if (before.ids[k] >= first_id) first_id = before.ids[k] + 1;
    }
    pli_step_report report = simulation_step(&s);
    assert_true(report.matter.emitted > 0);
    pli_particle_view after = pli_state_get(s.state).particles;
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    int64_t row = 0, with = 0, fresh = 0;
    for (int32_t p = 0; p < frame.part_count; ++p) {
        const pli_frame_field *field = find_field(&frame, p, "residual");
        if (field == NULL) continue;
        for (int32_t k = 0; k < frame.parts[p].point_count; ++k, ++row) {
            bool is_fresh = after.ids[row] >= first_id;
            fresh += is_fresh;
            with += field->values[k] > 0;
            // a step of one piece: all that is new came at its end
            if (is_fresh && report.grid.substeps == 1) assert_true(field->values[k] == 0);
        }
    }
    assert_int_equal(row, after.count);
    assert_int_equal(fresh, report.matter.emitted);
    AT_LEAST((double)with, 0.5 * (double)(after.count - fresh));
    simulation_clear(&s);
}

// ---- the monitor

typedef struct heard {
    int32_t count;
    int64_t step;
    int32_t last_piece;
    double last_residual;
    double largest; // of the last iterate
    int64_t particles;
} heard;

static void hear(void *user, const pli_residual_view *view)
{
    heard *h = user;
    bool again = h->count > 0 && view->substep == h->last_piece && view->step == h->step;
    // an iterate after the other, pieces in order
    assert_true(view->substep == h->last_piece || view->substep == h->last_piece + 1 ||
                view->step != h->step);
    assert_true(again || view->iteration == 0);
    assert_true(view->round >= 1);
    *h = (heard){h->count + 1, view->step, view->substep, view->residual, 0, view->count};
    for (int64_t k = 0; k < view->count; ++k) {
        assert_true(view->residuals[k] >= 0 && isfinite(view->residuals[k]));
        assert_true(isfinite(view->positions[3 * k]) && view->ids[k] >= 0);
        h->largest = fmax(h->largest, view->residuals[k]);
    }
}

static void monitors_hear_every_iterate_and_change_nothing(void **state)
{
    (void)state;
    simulation quiet, watched;
    heard h = {0};
    simulation_init(&quiet, pouring, 2);
    simulation_init(&watched, pouring, 2);
    pli_solver_set_hooks(watched.solver,
                         &(pli_solver_hooks){.residual = hear, .residual_user = &h});
    for (int k = 1; k <= 2; ++k) {
        int32_t before = h.count;
        simulation_step(&quiet);
        pli_step_report report = simulation_step(&watched);
        // the start of every minimisation, and each iteration
        assert_int_equal(h.count - before, report.iterations + report.grid.rounds);
        assert_int_equal(h.step, k);
        assert_int_equal(h.last_piece, report.grid.substeps);
        AT_MOST(h.last_residual, report.residual);
        assert_true(pli_state_hash(quiet.state) == pli_state_hash(watched.state));
        // frames have those of the last iterate
        NEAR(largest_of_frame(&watched, watched.state), h.largest, 1e-12, 0);
    }
    pli_solver_set_hooks(watched.solver, NULL);
    int32_t before = h.count;
    simulation_step(&watched);
    assert_int_equal(h.count, before);
    simulation_clear(&quiet);
    simulation_clear(&watched);
}

static void hear_iteration(void *user, const pli_iteration_report *report)
{
    int32_t *piece = user;
    *piece = report->substep;
}

static void iterations_have_the_number_of_their_piece(void **state)
{
    (void)state;
    simulation s;
    int32_t piece = 0;
    // so fast that a step takes several pieces
    simulation_init(&s, MATTER "time: {fps: 5}\nsolver: hot\n", 1);
    pli_solver_set_hooks(
        s.solver, &(pli_solver_hooks){.iteration = hear_iteration, .iteration_user = &piece});
    pli_step_report report = simulation_step(&s);
    AT_LEAST(report.grid.substeps, 2);
    assert_int_equal(piece, report.grid.substeps);
    simulation_clear(&s);
}

static void a_warm_step_that_is_watched_allocates_nothing(void **state)
{
    (void)state;
    simulation s;
    heard h = {0};
    simulation_init(&s, slow, 2);
    pli_state *first = NULL;
    OK(s.context, pli_state_create(s.model, &first));
    pli_solver_set_hooks(s.solver, &(pli_solver_hooks){.residual = hear, .residual_user = &h});
    int64_t before = 0;
    // the same way again and again; arenas join their blocks when they begin again
    for (int pass = 0; pass < 3; ++pass) {
        before = pli_context_allocation_count(s.context);
        h = (heard){0};
        OK(s.context, pli_state_copy(first, s.state));
        simulation_run(&s, 3);
    }
    assert_int_equal(pli_context_allocation_count(s.context), before);
    pli_state_destroy(first);
    simulation_clear(&s);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    expect_no_leak("domain: {cell: 0.2, min: [0, 0, 0], max: [1, 1, 1]}\n"
                   "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, "
                   "poisson: 0.3}}\n"
                   "bodies: {cube: {geometry: {particles: {shape: {box: {size: [0.4, 0.4, "
                   "0.4]}}}}, position: [0.5, 0.5, 0.5], material: soft}}\n"
                   "emitters: {jet: {shape: {sphere: {center: [0.3, 0.8, 0.5], radius: 0.1}}, "
                   "material: soft, velocity: [0, -1, 0]}}\n"
                   "time: {fps: 20, frames: 1}\nsolver: hot\n",
                   true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_know_tolerance_unit_and_nodes),
        cmocka_unit_test(steps_report_the_tolerance_of_their_model),
        cmocka_unit_test(frames_carry_what_the_last_step_left),
        cmocka_unit_test(frames_in_the_middle_are_known_once_they_are_asked_for),
        cmocka_unit_test(explicit_steps_have_no_such_field),
        cmocka_unit_test(emitted_particles_leave_nothing),
        cmocka_unit_test(monitors_hear_every_iterate_and_change_nothing),
        cmocka_unit_test(iterations_have_the_number_of_their_piece),
        cmocka_unit_test(a_warm_step_that_is_watched_allocates_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests_name("matter_residuals", tests, NULL, NULL);
}
