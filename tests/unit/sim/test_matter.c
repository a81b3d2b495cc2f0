// SPDX-License-Identifier: Apache-2.0
//
// Scenes of particles: how they begin, failing allocations, regional and explicit steps,
// emitters, colliders that move, frames, and what happens when a step can't be made.
#include "promises.h"
#include "step_scenes.h"

#include "base/context.h"
#include "math/vec3.h"

static pli_particle_view particles_of(const simulation *s)
{
    pli_particle_view view = pli_state_get(s->state).particles;
    return view;
}

// ---- the start

static void bodies_begin_with_the_mass_of_their_shapes(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, mixture_scene, 1);
    double volume = 4.0 / 3 * 3.14159265 * pow(0.15, 3);
    double mass[3] = {0}, want[3] = {1000 * volume, 2200 * 0.027, 1000 * 0.08};
    pli_particle_view view = particles_of(&s);
    assert_int_equal(pli_model_get_info(s.model).kind_count, 4);
    for (int64_t k = 0; k < view.count; ++k) {
        pli_kind_info kind = pli_model_get_kind(s.model, view.kinds[k]);
        const char *const names[] = {"ball", "heap", "pool"};
        for (int b = 0; b < 3; ++b) mass[b] += strcmp(kind.source, names[b]) == 0 ? kind.mass : 0;
        // the region is where it was said to be
        if (view.kinds[k] < 2) {
            assert_int_equal(kind.material, view.positions[3 * k] >= 0.5 ? 1 : 0);
        }
    }
    for (int b = 0; b < 3; ++b) NEAR(mass[b], want[b], 0.03, 0);
    NEAR(s.info.mass, mass[0] + mass[1] + mass[2], 1e-12, 0);
    assert_int_equal(s.info.particle_count, view.count);
    simulation_clear(&s);
}

// v = v0 + w x (x - c), and C its gradient
static void a_body_begins_as_a_rigid_motion(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, mixture_scene, 1);
    pli_particle_view view = particles_of(&s);
    double w = 200 * 3.14159265358979 / 180, center[3] = {0};
    int64_t count = 0;
    while (view.kinds[count] < 2) ++count;
    for (int64_t k = 0; k < count; ++k) {
        for (int a = 0; a < 3; ++a) center[a] += view.positions[3 * k + a] / (double)count;
    }
    for (int64_t k = 0; k < count; ++k) {
        const double *x = view.positions + 3 * k;
        NEAR(view.velocities[3 * k], -w * (x[1] - center[1]), 1e-6, 1e-7);
        NEAR(view.velocities[3 * k + 1], -2 + w * (x[0] - center[0]), 1e-6, 1e-7);
        NEAR(view.affine[9 * k + 1], -w, 1e-6, 0);
        NEAR(view.affine[9 * k + 3], w, 1e-6, 0);
    }
    simulation_clear(&s);
}

// ---- promises

// positions in the state are as exact as those of a step: nothing moves without velocity
static void going_through_the_state_changes_no_bit(void **state)
{
    (void)state;
    static const char yaml[] =
        "domain: {cell: 0.037, min: [-0.7, -0.7, -0.7], max: [0.9, 0.9, 0.9]}\n"
        "gravity: [0, 0, 0]\n"
        "materials: {rubber: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {ball: {geometry: {particles: {shape: {sphere: {radius: 0.31}}, pattern: "
        "random}},\n"
        "  material: rubber}}\n";
    simulation s;
    simulation_init(&s, yaml, 1);
    simulation_step(&s);
    uint64_t hash = pli_state_hash(s.state);
    pli_particle_view view = particles_of(&s);
    double *first = malloc(3 * (size_t)view.count * sizeof *first);
    memcpy(first, view.positions, 3 * (size_t)view.count * sizeof *first);
    simulation_step(&s);
    view = particles_of(&s);
    assert_memory_equal(first, view.positions, 3 * (size_t)view.count * sizeof *first);
    assert_true(pli_state_hash(s.state) != hash); // the step counts
    free(first);
    simulation_clear(&s);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    expect_no_leak(
        "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 1, 1]}\n"
        "materials: {sand: {preset: sand}, rock: {law: hencky, density: 2000, young: 1e6, "
        "poisson: 0.2}}\n"
        "bodies: {heap: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, "
        "position: [0.5, 0.5, 0.5],\n"
        "  material: sand, regions: [{where: {sphere: {center: [0.5, 0.6, 0.5], radius: 0.1}}, "
        "material: rock}]}}\n"
        "emitters: {jet: {shape: {sphere: {center: [0.2, 0.5, 0.5], radius: 0.1}}, material: "
        "sand, velocity: [0, -1, 0]}}\n"
        "colliders: {ball: {shape: {sphere: {center: [0.8, 0.2, 0.8], radius: 0.1}}}}\n"
        "time: {fps: 50, frames: 1}\n",
        true);
}

// ---- regional and explicit

// With steps of one tick everywhere they are the same (Fang et al. 2018).
static void with_one_step_for_all_regions_make_no_difference(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; ++k) {
        char solver[128];
        snprintf(solver, sizeof solver, "{name: %s, steps: {tick: 1e-4, longest: 1}}",
                 k == 0 ? "regional" : "explicit");
        hashes[k] = hash_after(mixture_scene, 1, 2, solver);
    }
    assert_true(hashes[0] == hashes[1]);
}

static void regions_save_updates_and_end_close_by(void **state)
{
    (void)state;
    // a hard ball falls beside a soft block, and hits the ground
    static const char yaml[] =
        "domain: {cell: 0.03, min: [0, 0, 0], max: [1.2, 0.6, 0.6]}\n"
        "materials:\n"
        "  hard: {law: fixed-corotated, density: 1000, young: 1e6, poisson: 0.3}\n"
        "  soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}\n"
        "bodies:\n"
        "  ball: {geometry: {particles: {shape: {sphere: {radius: 0.1}}}},\n"
        "    position: [0.15, 0.12, 0.3], velocity: [0, -1, 0], material: hard}\n"
        "  block: {geometry: {particles: {shape: {box: {size: [0.6, 0.4, 0.4]}}}},\n"
        "    position: [0.8, 0.2, 0.3], material: soft}\n"
        "time: {fps: 100, frames: 1}\n";
    char text[4096];
    simulation runs[2];
    pli_step_report reports[2];
    for (int k = 0; k < 2; ++k) {
        snprintf(text, sizeof text, "%ssolver: %s\n", yaml, k == 0 ? "explicit" : "regional");
        simulation_init(&runs[k], text, 2);
        reports[k] = simulation_run(&runs[k], 5);
        assert_int_equal(reports[k].stop, PLI_STOP_EXPLICIT);
        int64_t updates = 0;
        for (int i = 0; i < PLI_REPORT_STEPS; ++i) updates += reports[k].matter.steps[i];
        assert_int_equal(updates, reports[k].matter.block_updates);
        NEAR(reports[k].matter.tick * (double)reports[k].matter.ticks, reports[k].dt, 1e-12, 0);
        assert_int_equal(reports[k].matter.retries, 0);
    }
    AT_LEAST((double)reports[0].matter.particle_updates,
             4 * (double)reports[1].matter.particle_updates);
    // no more than a few percent of what moves: steps are different, so are errors of theirs
    NEAR(reports[1].energy.total, reports[0].energy.total, 0.01, 0);
    for (int a = 0; a < 3; ++a) NEAR(reports[1].momentum[a], reports[0].momentum[a], 0.01, 0.5);
    for (int k = 0; k < 2; ++k) simulation_clear(&runs[k]);
}

// Flight without forces: momenta and energy stay, to what floats keep.
static void free_flight_keeps_momenta_and_energy(void **state)
{
    (void)state;
    static const char yaml[] =
        "domain: {cell: 0.05, min: [0, 0, 0], max: [2, 1, 1]}\n"
        "gravity: [0, 0, 0]\n"
        "materials: {rubber: {law: hencky, density: 1000, young: 1e4, poisson: 0.3}}\n"
        "bodies: {ball: {geometry: {particles: {shape: {sphere: {radius: 0.2}}}},\n"
        "  position: [0.5, 0.5, 0.5], velocity: [2, 0.1, 0], angular_velocity: [0, 100, 50],\n"
        "  material: rubber}}\n"
        "time: {fps: 50, frames: 1}\n";
    simulation s;
    simulation_init(&s, yaml, 2);
    pli_step_report before, after;
    OK(s.context, pli_solver_measure(s.solver, s.state, &before));
    after = simulation_run(&s, 10);
    double mass = s.info.mass;
    for (int a = 0; a < 3; ++a) {
        NEAR(after.momentum[a], before.momentum[a], 0, 1e-5 * mass);
        NEAR(after.angular_momentum[a], before.angular_momentum[a], 0, 1e-5 * mass);
    }
    // a body that spins so fast stretches, and some of the energy goes into its vibration;
    // transfers damp what they can't resolve
    NEAR(after.energy.total, before.energy.total, 0.01, 0);
    NEAR(after.time, 0.2, 1e-12, 0);
    simulation_clear(&s);
}

// ---- emitters

static void an_emitter_has_its_rate_and_names_no_particle_twice(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, jet_scene, 2);
    assert_int_equal(s.info.particle_count, 0);
    assert_int_equal(s.info.emitter_count, 1);
    pli_step_report report = simulation_step(&s);
    assert_int_equal(report.matter.particles, 0);
    int64_t total = 0;
    for (int k = 0; k < 15; ++k) {
        report = simulation_step(&s);
        total += report.matter.emitted;
    }
    pli_particle_view view = particles_of(&s);
    assert_int_equal(view.count, total);
    // 0.2 m x 0.2 m at 1 m/s for 0.3 s
    double cell = pow(0.05, 3);
    NEAR((double)view.count * cell / 8, 0.2 * 0.2 * 0.3, 0.03, 0);
    char *seen = calloc((size_t)view.count, 1);
    for (int64_t k = 0; k < view.count; ++k) {
        assert_true(view.ids[k] >= 0 && view.ids[k] < view.count);
        assert_int_equal(seen[view.ids[k]]++, 0);
    }
    free(seen);
    // the front has gone as far as it should, and no farther
    double front = 0;
    for (int64_t k = 0; k < view.count; ++k) front = fmax(front, view.positions[3 * k]);
    NEAR(front, 0.25 + 0.3, 0.1, 0);
    simulation_clear(&s);
}

// Solvers that take emitters each in their own way.
static const char *const emitting[] = {"regional", "hot"};

// A jet along x whose emitter goes along z for 0.2 s, with what the script says besides.
static void begin_moving_jet(simulation *s, const char *solver, const char *motion)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
             "gravity: [0, 0, 0]\n"
             "materials: {foam: {law: fixed-corotated, density: 100, young: 100, poisson: 0}}\n"
             "emitters: {jet: {shape: {box: {center: [0.2, 0.5, 0.3], size: [0.1, 0.2, 0.2]}},\n"
             "  material: foam, pattern: lattice, velocity: [1, 0, 0], motion: %s}}\n"
             "solver: %s\n"
             "time: {fps: 50, frames: 1}\n",
             motion, solver);
    simulation_init(s, yaml, 2);
}

// The mean of three numbers of every particle.
static void mean_of(int64_t count, const double *numbers, double mean[3])
{
    pli_vec3_set(0, 0, 0, mean);
    for (int64_t k = 0; k < count; ++k) {
        pli_vec3_add_scaled(mean, 1.0 / (double)count, numbers + 3 * k, mean);
    }
}

static void a_moving_emitter_gives_its_velocity_along(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        simulation s;
        begin_moving_jet(&s, emitting[k], "{segments: [{duration: 0.2, velocity: [0, 0, 1.5]}]}");
        simulation_run(&s, 10);
        pli_particle_view view = particles_of(&s);
        double x[3], v[3];
        mean_of(view.count, view.positions, x);
        mean_of(view.count, view.velocities, v);
        // as much comes out as if it stood still: 0.2 m x 0.2 m at 1 m/s for 0.2 s, of a pattern
        // in which nobody is too close to another
        assert_int_equal(view.count, 512);
        // matter that nobody brakes stays a block in front of the shape: nothing gets stretched, so
        // that transfers keep the velocity to the rounding of single precision
        NEAR(v[0], 1, 1e-5, 0);
        NEAR(v[2], 1.5, 1e-5, 0);
        NEAR(x[0], 0.25 + 0.1, 0.02, 0);
        NEAR(x[2], 0.3 + 0.3, 0.01, 0);
        // seeds may be off the middle by some of their distance, 0.025 m, over sqrt(500)
        NEAR(x[1], 0.5, 0, 0.003);
        simulation_clear(&s);
    }
}

static void an_emitter_that_turns_turns_its_stream(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        simulation s;
        // a quarter turn about y takes x to -z
        begin_moving_jet(&s, emitting[k],
                         "{keyframes: [{time: 0, axis: [0, 1, 0], angle: 90, translate: [0.3, 0, "
                         "0.3]},\n    {time: 1, axis: [0, 1, 0], angle: 90, translate: [0.3, 0, "
                         "0.3]}]}");
        simulation_run(&s, 10);
        pli_particle_view view = particles_of(&s);
        double x[3], v[3];
        mean_of(view.count, view.positions, x);
        mean_of(view.count, view.velocities, v);
        assert_int_equal(view.count, 512);
        NEAR(v[2], -1, 1e-5, 0);
        NEAR(v[0], 0, 0, 1e-5);
        // in front of a shape that is 0.1 m long, after 0.2 s
        NEAR(x[0], 0.5, 0, 0.003);
        NEAR(x[2], 0.6 - 0.05 - 0.1, 0.02, 0);
        simulation_clear(&s);
    }
}

static void an_emitter_that_is_released_closes(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        simulation s;
        begin_moving_jet(&s, emitting[k],
                         "{segments: [{duration: 0.11, velocity: [0, 0, 0.5]}], after: release}");
        simulation_run(&s, 6);
        int64_t count = particles_of(&s).count;
        // layers of 64 particles come out after 12.5, 37.5, 62.5, 87.5, 112.5 ms
        assert_int_equal(count, 4 * 64);
        simulation_run(&s, 2);
        assert_int_equal(particles_of(&s).count, count);
        simulation_clear(&s);
    }
}

// ---- colliders

// A plate comes down on a block and presses it flat, without a particle left above it.
static void a_plate_that_moves_takes_particles_along(void **state)
{
    (void)state;
    static const char *const holds[] = {"separate", "sticky", "slip"};
    for (int hold = 0; hold < 3; ++hold) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml,
                 "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
                 "materials: {rubber: {law: fixed-corotated, density: 1000, young: 1e4, poisson: "
                 "0.2}}\n"
                 "bodies: {block: {geometry: {particles: {shape: {box: {size: [0.3, 0.4, 0.3]}}}},"
                 "\n"
                 "  position: [0.5, 0.2, 0.5], material: rubber}}\n"
                 "colliders: {plate: {shape: {box: {center: [0.5, 0.5, 0.5], size: [0.8, 0.2, "
                 "0.8]}},\n"
                 "  hold: %s, motion: {segments: [{duration: 0.4, velocity: [0, -0.5, 0]}]}}}\n"
                 "time: {fps: 50, frames: 1}\n",
                 holds[hold]);
        simulation s;
        simulation_init(&s, yaml, 2);
        simulation_run(&s, 20);
        pli_particle_view view = particles_of(&s);
        double top = 0;
        for (int64_t k = 0; k < view.count; ++k) top = fmax(top, view.positions[3 * k + 1]);
        // the plate's underside is at 0.2; particles keep up to a cell from the nodes it holds
        AT_MOST(top, 0.2 + 0.05);
        AT_LEAST(top, 0.2 - 0.05);
        simulation_clear(&s);
    }
}

// ---- frames

static void frames_have_a_part_for_every_source(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, mixture_scene, 2);
    double tick = simulation_run(&s, 2).matter.tick;
    uint64_t hash = pli_state_hash(s.state);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_true(pli_state_hash(s.state) == hash);
    assert_int_equal(frame.part_count, 4);
    const char *const names[] = {"ball", "heap", "pool", "post"};
    int64_t total = 0;
    double longest = 0, shortest = INFINITY;
    for (int p = 0; p < 4; ++p) {
        const pli_frame_part *part = &frame.parts[p];
        assert_string_equal(part->name, names[p]);
        if (p == 3) continue;
        assert_int_equal(part->kind, PLI_PART_POINTS);
        NEAR(part->radius, 0.5 * 0.05 / 2, 1e-12, 0);
        total += part->point_count;
        assert_int_equal(part->field_count, 7);
        assert_string_equal(part->fields[4].name, "step");
        for (int32_t k = 0; k < part->point_count; ++k) {
            longest = fmax(longest, part->fields[4].values[k]);
            shortest = fmin(shortest, part->fields[4].values[k]);
            double ticks = part->fields[4].values[k] / tick;
            assert_true(exp2(round(log2(ticks))) == ticks);
            double status = part->fields[5].values[k];
            assert_true(status == 0 || status == 1 || status == 2);
            AT_LEAST(part->fields[2].values[k], 0.5); // J
        }
    }
    assert_int_equal(total, particles_of(&s).count);
    // sand is much stiffer than water
    AT_LEAST(longest, 2 * shortest);
    // steps are powers of two of the tick, and those of the frame are those of the next step
    pli_step_report report = simulation_step(&s);
    int low = 0, high = PLI_REPORT_STEPS - 1;
    while (report.matter.steps[low] == 0) ++low;
    while (report.matter.steps[high] == 0) --high;
    NEAR(shortest, ldexp(report.matter.tick, low), 1e-15, 0);
    NEAR(longest, ldexp(report.matter.tick, high), 1e-15, 0);
    simulation_clear(&s);
}

static void output_fields_choose_what_frames_carry(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, "%soutput: {fields: [J, velocity]}\n", mixture_scene);
    simulation s;
    simulation_init(&s, text, 1);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_int_equal(frame.parts[0].field_count, 2);
    assert_string_equal(frame.parts[0].fields[0].name, "velocity");
    simulation_clear(&s);
}

// ---- when things go wrong

// Two balls of steel that meet, with a tick of the scene's own.
static void init_steel(simulation *s, double tick)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
             "materials: {steel: {law: neo-hookean, density: 1000, young: 1e9, poisson: 0.3}}\n"
             "bodies:\n"
             "  a: {geometry: {particles: {shape: {sphere: {radius: 0.15}}}}, position: [0.3, 0.5, "
             "0.5], velocity: [20, 0, 0], material: steel}\n"
             "  b: {geometry: {particles: {shape: {sphere: {radius: 0.15}}}}, position: [0.7, 0.5, "
             "0.5], velocity: [-20, 0, 0], material: steel}\n"
             "time: {fps: 100, frames: 1}\n"
             "solver: {name: explicit, steps: {tick: %.17g, longest: 1}}\n",
             tick);
    simulation_init(s, yaml, 1);
}

// What is longer than sound needs to cross a cell, 0.05 m / 1160 m/s = 4.3e-5 s, is refused with
// that limit, and the state stays.
static void a_tick_above_the_limit_is_refused_with_the_limit(void **state)
{
    (void)state;
    simulation s;
    init_steel(&s, 1e-3);
    pli_step_report report;
    uint64_t hash = pli_state_hash(s.state);
    assert_int_equal(pli_solver_step(s.solver, s.state, &report), PLI_ERROR_NUMERIC);
    assert_true(pli_state_hash(s.state) == hash);
    char message[1024];
    pli_context_message(s.context, message, sizeof message);
    assert_non_null(strstr(message, "solver.steps.tick is 0.001 s"));
    assert_non_null(strstr(message, "the stable step is 4.31e-05 s (2.15e-05 s to be safe)"));
    // it can still be looked at
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    simulation_clear(&s);
    // a tick below it is the scene's choice
    init_steel(&s, 3e-5);
    OK(s.context, pli_solver_step(s.solver, s.state, &report));
    NEAR(report.matter.tick, 3e-5, 1e-2, 0);
    simulation_clear(&s);
}

// A particle that breaks is named, and the state stays.
static void a_step_that_breaks_down_leaves_the_state(void **state)
{
    (void)state;
    simulation s;
    init_steel(&s, 1e-5);
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(s.state, k, &array); ++k) {
        // a turn faster than anything, around one particle
        if (strcmp(array.name, "particle_affine_velocities") == 0)
            ((double *)array.data)[9 * 7 + 1] = 1e30;
    }
    pli_step_report report;
    uint64_t hash = pli_state_hash(s.state);
    assert_int_equal(pli_solver_step(s.solver, s.state, &report), PLI_ERROR_NUMERIC);
    assert_true(pli_state_hash(s.state) == hash);
    char message[1024];
    pli_context_message(s.context, message, sizeof message);
    assert_non_null(strstr(message, "particle"));
    simulation_clear(&s);
}

// Left to itself the same scene takes a step that it bears.
static void steps_that_are_left_to_us_hold(void **state)
{
    (void)state;
    static const char yaml[] =
        "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
        "materials: {steel: {law: neo-hookean, density: 1000, young: 1e7, poisson: 0.3}}\n"
        "bodies:\n"
        "  a: {geometry: {particles: {shape: {sphere: {radius: 0.15}}}}, position: [0.3, 0.5, "
        "0.5], velocity: [20, 0, 0], material: steel}\n"
        "  b: {geometry: {particles: {shape: {sphere: {radius: 0.15}}}}, position: [0.7, 0.5, "
        "0.5], velocity: [-20, 0, 0], material: steel}\n"
        "time: {fps: 100, frames: 1}\n";
    simulation s;
    simulation_init(&s, yaml, 2);
    pli_step_report first, report;
    OK(s.context, pli_solver_measure(s.solver, s.state, &first));
    report = simulation_run(&s, 4);
    AT_MOST(report.energy.total, 1.01 * first.energy.total);
    simulation_clear(&s);
}

static bool always(void *user)
{
    (void)user;
    return true;
}

static void a_step_can_be_abandoned(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, mixture_scene, 2);
    uint64_t hash = pli_state_hash(s.state);
    pli_step_report report;
    pli_solver_set_hooks(s.solver, &(pli_solver_hooks){.cancel = always});
    assert_int_equal(pli_solver_step(s.solver, s.state, &report), PLI_ERROR_INTERRUPTED);
    assert_true(pli_state_hash(s.state) == hash);
    pli_solver_set_hooks(s.solver, NULL);
    simulation_step(&s);
    simulation_clear(&s);
}

#define SAND                                                                           \
    "materials: {sand: {preset: sand}}\n"                                              \
    "bodies: {heap: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, " \
    "position: [0.5, 0.5, 0.5], material: sand}}\n"

static void what_cannot_begin_is_refused(void **state)
{
    (void)state;
    expect_no_model(SAND "domain: {cell: 0.05, min: [0, 0, 0], max: [0.5, 1, 1]}\n",
                    PLI_ERROR_SCENE, "outside of the domain");
    expect_no_model(SAND "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1e4]}\n",
                    PLI_ERROR_SCENE, "along z");
    expect_no_model(SAND "domain: {cell: 1, min: [0, 0, 0], max: [10, 10, 10]}\n", PLI_ERROR_SCENE,
                    "no particle");
    expect_no_model(SAND "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
                         "colliders: {wall: {shape: {box: {center: [0.4, 0.5, 0.5], size: [0.2, 1, "
                         "1]}}}}\n",
                    PLI_ERROR_SCENE, "start inside of this collider");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_begin_with_the_mass_of_their_shapes),
        cmocka_unit_test(a_body_begins_as_a_rigid_motion),
        cmocka_unit_test(going_through_the_state_changes_no_bit),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
        cmocka_unit_test(with_one_step_for_all_regions_make_no_difference),
        cmocka_unit_test(regions_save_updates_and_end_close_by),
        cmocka_unit_test(free_flight_keeps_momenta_and_energy),
        cmocka_unit_test(an_emitter_has_its_rate_and_names_no_particle_twice),
        cmocka_unit_test(a_moving_emitter_gives_its_velocity_along),
        cmocka_unit_test(an_emitter_that_turns_turns_its_stream),
        cmocka_unit_test(an_emitter_that_is_released_closes),
        cmocka_unit_test(a_plate_that_moves_takes_particles_along),
        cmocka_unit_test(frames_have_a_part_for_every_source),
        cmocka_unit_test(output_fields_choose_what_frames_carry),
        cmocka_unit_test(a_tick_above_the_limit_is_refused_with_the_limit),
        cmocka_unit_test(a_step_that_breaks_down_leaves_the_state),
        cmocka_unit_test(steps_that_are_left_to_us_hold),
        cmocka_unit_test(a_step_can_be_abandoned),
        cmocka_unit_test(what_cannot_begin_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
