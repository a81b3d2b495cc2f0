// SPDX-License-Identifier: Apache-2.0
//
// Friction of barriers (Li et al. 2020): blocks on slopes that stick, slip and stop where Coulomb's
// law says so.
#include "barrier.h"

// ---- a block on a slope

typedef struct slope {
    double tangent;  // of its angle
    double friction; // Coulomb's coefficient
    double speed;    // along x at the start (m/s)
    bool level;      // gravity pulls across the slope only
    double fps;
    const char *integrator;
    const char *solver;
    int iterations; // with friction frozen again
} slope;

static const slope usual_slope = {
    .fps = 100, .integrator = "implicit-euler", .solver = "ipc-llt", .iterations = 1};

static const double static_speed = 1e-3; // below which friction is static (m/s)

// A flat block above the ground, where gravity is tilted towards +x. The barrier's stiffness is
// given, so that gaps of rest are the same in all of these scenes. It is as good as rigid: shearing
// when the pull along the slope sets in would move it by 1e-8 m.
static void slope_init(simulation *s, const slope *w)
{
    char yaml[1024];
    double angle = atan(w->tangent);
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e9, poisson: 0.3}}\n"
             "bodies: {block: {geometry: {grid: {center: [0, 0.0255, 0], size: [0.4, 0.05, 0.4],\n"
             "  cells: [4, 1, 4]}}, material: m}}\n"
             "colliders: {ground: {shape: plane, friction: %.17g}}\n"
             "contact: {method: barrier, distance: 1e-3, stiffness: 1e5, friction_speed: %.17g,\n"
             "  friction_iterations: %d}\n"
             "gravity: [%.17g, %.17g, 0]\n"
             "solver: {name: %s, tolerance: 1e-7}\n"
             "time: {fps: %.17g, frames: 1, integrator: %s}\n",
             w->friction, static_speed, w->iterations, w->level ? 0 : gravity * sin(angle),
             -gravity * cos(angle), w->solver, w->fps, w->integrator);
    simulation_init(s, yaml, 1);
}

// The block at rest without the pull along the slope, then let go with w->speed. Implicit Euler
// with large steps brings it to rest.
static void slope_settle(simulation *s, const slope *w)
{
    slope level = usual_slope;
    level.tangent = w->tangent;
    level.level = true;
    level.fps = 20;
    simulation rest;
    slope_init(&rest, &level);
    simulation_run(&rest, 60);
    AT_MOST(top_speed(&rest), 1e-7);

    slope_init(s, w);
    double *v = calloc(3 * (size_t)s->info.vertex_count, sizeof *v);
    for (int32_t i = 0; i < s->info.vertex_count; ++i) v[3 * i] = w->speed;
    take_positions(s, &rest, v);
    free(v);
    simulation_clear(&rest);
}

static double center_x(const simulation *s)
{
    double center[3];
    simulation_center(s, center);
    return center[0];
}

// The acceleration of what slips (m/s^2).
static double slipping(const slope *w)
{
    double angle = atan(w->tangent);
    return gravity * (sin(angle) - w->friction * cos(angle));
}

// One step in which friction only takes energy, and no more than Coulomb's law allows for the
// normal force that it was frozen with: with one solve per step that of the step before, which is
// in *normal (N; 0: not known).
static pli_step_report friction_step(simulation *s, const slope *w, double *normal)
{
    pli_step_report report = barrier_step(s);
    AT_MOST(report.friction_work, 0);
    // also where the first direction is shorter than rounding
    AT_MOST(report.residual, report.tolerance);
    const pli_contact_pair *pair = find_pair(&report, "block", "ground");
    assert_non_null(pair);
    bool known = *normal > 0 && w->iterations == 1;
    // 1e-12: sums of forces are rounded
    if (known) AT_MOST(fabs(pair->friction_force[0]), w->friction * *normal * (1 + 1e-12));
    *normal = pair->normal_force[1];
    return report;
}

// Slips for a time (s); returns how far (m). From step `from` on x_n has to be a h^2 n (n + 1) / 2
// within a relative band.
static double slip(const slope *w, double time, int from, double band)
{
    simulation s;
    slope_settle(&s, w);
    double start = center_x(&s), normal = 0, h = 1 / w->fps, way = 0;
    for (int n = 1; n <= (int)lround(time * w->fps); ++n) {
        friction_step(&s, w, &normal);
        way = center_x(&s) - start;
        if (n > from) NEAR(way, slipping(w) * h * h * n * (n + 1) / 2, band, 0);
    }
    simulation_clear(&s);
    return way;
}

static void slipping_follows_the_discrete_parabola(void **state)
{
    (void)state;
    static const double frictions[] = {0.3, 0.2};
    for (int k = 0; k < 2; ++k) {
        slope w = usual_slope;
        w.tangent = tan(20 * M_PI / 180);
        w.friction = frictions[k];
        slip(&w, 2.5, 10, 0.005);
    }
}

// BDF2 after a first step of implicit Euler: v_n = a n h, and 3 x_n+1 - 4 x_n + x_n-1 = 2 h v_n+1
// from x_0 = 0 and x_1 = a h^2 has the solution a h^2 (n^2 / 2 + 3/4 (1 - 3^-n)).
static void slipping_follows_the_discrete_parabola_of_bdf2(void **state)
{
    (void)state;
    slope w = usual_slope;
    w.tangent = tan(20 * M_PI / 180);
    w.friction = 0.3;
    w.integrator = "bdf2";
    simulation s;
    slope_settle(&s, &w);
    double start = center_x(&s), normal = 0, h = 1 / w.fps;
    for (int n = 1; n <= 250; ++n) {
        friction_step(&s, &w, &normal);
        double want = slipping(&w) * h * h * (0.5 * n * n + 0.75 * (1 - pow(3, -n)));
        if (n > 10) NEAR(center_x(&s) - start, want, 0.005, 0);
    }
    simulation_clear(&s);
}

// ---- the threshold

// Largest speed along the ground of what touches it (m/s).
static double slip_speed(const simulation *s)
{
    const double *v = pli_state_get(s->state).velocities;
    double top = 0;
    for (int64_t k = 0; k < 3 * s->info.vertex_count; k += 3) {
        if (s->state->contact_force[k + 1] > 0) top = fmax(top, hypot(v[k], v[k + 2]));
    }
    return top;
}

// What touches is never faster than what counts as static. (The rest of the block is for a moment:
// it tips forward when the pull along the slope sets in.)
static void expect_sticking(const slope *w, double time)
{
    simulation s;
    slope_settle(&s, w);
    double start = center_x(&s), normal = 0;
    for (int n = 1; n <= (int)lround(time * w->fps); ++n) {
        friction_step(&s, w, &normal);
        AT_MOST(slip_speed(&s), static_speed);
    }
    AT_MOST(fabs(center_x(&s) - start), static_speed * time);
    simulation_clear(&s);
}

static void blocks_stick_below_the_threshold_and_slip_above(void **state)
{
    (void)state;
    slope w = usual_slope;
    w.tangent = 0.5;
    w.friction = 0.501;
    expect_sticking(&w, 2.5);
    w.friction = 0.49;
    // a t^2 / 2
    NEAR(slip(&w, 2.5, 250, 0), 0.274167, 0.02, 0);
}

// Half a percent on either side of the threshold.
static void the_threshold_is_within_a_percent_of_the_tangent(void **state)
{
    (void)state;
    static const double frictions[] = {0.1, 0.5, 1};
    for (int k = 0; k < 3; ++k) {
        slope w = usual_slope;
        w.friction = frictions[k];
        w.tangent = 0.995 * w.friction;
        expect_sticking(&w, 0.5);
        w.tangent = 1.005 * w.friction;
        // so slow that part of friction is still static: half of the way is enough to tell
        double way = slip(&w, 1, 100, 0);
        AT_LEAST(way, 0.5 * slipping(&w) / 2);
        AT_LEAST(way, 2 * static_speed);
    }
}

// ---- stopping

static void blocks_stop_where_friction_has_taken_their_energy(void **state)
{
    (void)state;
    static const char *const solvers[] = {"ipc-llt", "ipc-pcg"};
    for (int k = 0; k < 2; ++k) {
        slope w = usual_slope;
        w.friction = 0.3;
        w.speed = 2;
        // v_n = v_0 - mu g h n makes the way shorter by v_0 h / 2, here 0.3 %
        w.fps = 500;
        w.solver = solvers[k];
        simulation s;
        slope_settle(&s, &w);
        double start = center_x(&s), stop = 0, normal = 0;
        for (int n = 1; n <= 375; ++n) {
            pli_step_report report = friction_step(&s, &w, &normal);
            bool moves = report.momentum[0] > static_speed * s.info.mass;
            if (moves) stop = report.time;
            // it does not move on
            if (!moves && n > 345) AT_MOST(slip_speed(&s), static_speed);
        }
        NEAR(stop, 0.679579, 0.01, 0);
        NEAR(center_x(&s) - start, 0.679579, 0.01, 0);
        simulation_clear(&s);
    }
}

// ---- how often friction is frozen

static void freezing_friction_more_often_does_not_change_how_far_blocks_slip(void **state)
{
    (void)state;
    static const int iterations[] = {1, 3, 0};
    double way[3];
    for (int k = 0; k < 3; ++k) {
        slope w = usual_slope;
        w.tangent = tan(20 * M_PI / 180);
        w.friction = 0.3;
        w.iterations = iterations[k];
        way[k] = slip(&w, 1, 10, 0.005);
    }
    // one step late with the normal force at the start, when the block tips forward a little
    NEAR(way[0], way[2], 1e-3, 0);
    // tolerance 1e-7 m/s over a second
    NEAR(way[1], way[2], 1e-5, 0);
}

static void freezing_friction_until_it_no_longer_changes_ends(void **state)
{
    (void)state;
    slope w = usual_slope;
    w.tangent = tan(20 * M_PI / 180);
    w.friction = 0.3;
    w.iterations = 0;
    simulation s;
    slope_settle(&s, &w);
    double normal = 0;
    for (int n = 1; n <= 50; ++n) {
        pli_step_report report = friction_step(&s, &w, &normal);
        // steady slipping: one solve, and one that finds nothing to change
        if (n > 20) AT_MOST(report.iterations, 4);
    }
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slipping_follows_the_discrete_parabola),
        cmocka_unit_test(slipping_follows_the_discrete_parabola_of_bdf2),
        cmocka_unit_test(blocks_stick_below_the_threshold_and_slip_above),
        cmocka_unit_test(the_threshold_is_within_a_percent_of_the_tangent),
        cmocka_unit_test(blocks_stop_where_friction_has_taken_their_energy),
        cmocka_unit_test(freezing_friction_more_often_does_not_change_how_far_blocks_slip),
        cmocka_unit_test(freezing_friction_until_it_no_longer_changes_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
