// SPDX-License-Identifier: Apache-2.0
//
// Steps without inertia: in pieces where all at once does not converge, and refused where the load
// passes a limit point.
#include "simulate.h"

#include "support/same_bits.h"

#include <math.h>

// ---- a truss of two bars that snaps through (von Mises 1923)
//
// Each bar is a rhombus in the plane, extruded along z, so that it turns freely about the edges at
// its ends: (0, 0) to (1, h), and from there to (2, 0).

enum { BAR_POINTS = 4, LAYERS = 2, POINTS = 14, TETS = 12 };

static const double rise = 0.1, half_width = 0.1, half_depth = 0.1; // m

// points of the plane: the ends and the apex, then two beside the middle of each bar
static void place(int point, double height, double x[2])
{
    static const double ends[3][2] = {{0, 0}, {1, 1}, {2, 0}};
    if (point < 3) {
        x[0] = ends[point][0];
        x[1] = height * ends[point][1];
        return;
    }
    int bar = (point - 3) / 2;
    double side = (point - 3) % 2 == 0 ? half_width : -half_width;
    double along[2] = {1, bar == 0 ? height : -height}, length = hypot(1, height);
    x[0] = 0.5 + bar - side * along[1] / length;
    x[1] = height / 2 + side * along[0] / length;
}

typedef struct truss {
    double points[POINTS][3];
    int32_t tets[TETS][4];
    pli_mesh_data mesh;
} truss;

static void add_prism(truss *t, int first, int a, int b, int c)
{
    int32_t below[3] = {a, b, c}, above[3] = {a + 7, b + 7, c + 7};
    int32_t tets[3][4] = {{below[0], below[1], below[2], above[2]},
                          {below[0], below[1], above[2], above[1]},
                          {below[0], above[1], above[2], above[0]}};
    memcpy(t->tets[first], tets, sizeof tets);
}

static void truss_init(truss *t, double height)
{
    for (int k = 0; k < POINTS; ++k) {
        double x[2];
        place(k % 7, height, x);
        t->points[k][0] = x[0];
        t->points[k][1] = x[1];
        t->points[k][2] = k < 7 ? -half_depth : half_depth;
    }
    add_prism(t, 0, 0, 4, 3);
    add_prism(t, 3, 1, 3, 4);
    add_prism(t, 6, 1, 6, 5);
    add_prism(t, 9, 2, 5, 6);
    t->mesh = (pli_mesh_data){.point_count = POINTS,
                              .points = &t->points[0][0],
                              .tet_count = TETS,
                              .tets = &t->tets[0][0]};
}

// more: further constraints
static void truss_simulate(simulation *s, double height, const char *more, const char *time,
                           const char *solver)
{
    truss t;
    char yaml[2048];
    truss_init(&t, height);
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: fixed-corotated, density: 1000, young: 1e6, poisson: 0}}\n"
             "bodies: {truss: {geometry: {grid: {}}, material: m}}\n"
             "gravity: [0, 0, 0]\n"
             "constraints:\n"
             "  - {where: all, axes: z}\n"
             "  - {where: {vertices: [0, 7, 2, 9]}}\n"
             "%s"
             "solver: {name: %s}\n"
             "time: {fps: 1, frames: 30, mode: quasi-static%s}\n",
             more, solver, time);
    simulation_init_mesh(s, yaml, &t.mesh);
}

// Stiffness of a bar along itself (N/m), by the energy of a small displacement of the apex of a
// straight truss along the bars: two bars, one pulled, one pressed.
static double bar_stiffness(void)
{
    simulation s;
    double u = 1e-6;
    truss_simulate(&s, 0,
                   "  - {where: {vertices: [1, 8]}, motion: {keyframes: [{time: 0}, {time: 1, "
                   "translate: [1e-6, 0, 0]}]}}\n",
                   "", "newton");
    pli_step_report report = simulation_step(&s);
    simulation_clear(&s);
    return report.energy.elastic / (u * u);
}

// Load at which the apex is at a height y: 2 k (L0 - L) y / L.
static double load_at(double k, double y)
{
    double L = hypot(1, y);
    return 2 * k * (hypot(1, rise) - L) * y / L;
}

static double limit_load(double k)
{
    double largest = 0;
    for (double y = 0; y < rise; y += 1e-5) largest = fmax(largest, load_at(k, y));
    return largest;
}

static void push_apex(simulation *s, double load)
{
    double force[POINTS][3] = {{0}};
    force[1][1] = force[8][1] = -load / 2;
    OK(s->context, pli_state_set_forces(s->state, &force[0][0]));
}

// The load in parts of the limit load at which a truss is refused, in steps of a share of it; 0: it
// is not.
static double refused_at(const char *solver, double share)
{
    simulation s;
    double limit = limit_load(bar_stiffness()), found = 0;
    truss_simulate(&s, rise, "", ", snap: refuse", solver);
    for (int step = 1; step * share < 2 && found == 0; ++step) {
        pli_step_report report;
        push_apex(&s, step * share * limit);
        uint64_t before = pli_state_hash(s.state);
        pli_status status = pli_solver_step(s.solver, s.state, &report);
        if (status == PLI_OK) {
            assert_true(report.stop > 0);
            continue;
        }
        char message[1024];
        pli_context_message(s.context, message, sizeof message);
        assert_int_equal(status, PLI_ERROR_NUMERIC);
        const char *near = strstr(message, "limit point near ");
        assert_non_null(near);
        assert_true(pli_state_hash(s.state) == before);
        found = (step - 1 + strtod(near + strlen("limit point near "), NULL)) * share;
    }
    simulation_clear(&s);
    return found;
}

static void loads_beyond_a_limit_point_are_refused(void **state)
{
    (void)state;
    NEAR(refused_at("auto", 0.15), 1, 0.01, 0);
    NEAR(refused_at("newton", 0.15), 1, 0.01, 0);
    NEAR(refused_at("auto", 0.7), 1, 0.01, 0);
    // all at once, far beyond
    NEAR(refused_at("newton", 1.9), 1, 0.01, 0);
}

// What touches may let go of energy without a limit point.
static void limit_points_of_scenes_with_contact_are_not_looked_for(void **state)
{
    (void)state;
    expect_no_model("materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
                    "bodies: {cube: {material: m, geometry: {grid: {}}}}\n"
                    "contact: barrier\n"
                    "solver: newton\n"
                    "time: {mode: quasi-static, snap: refuse}\n",
                    PLI_ERROR_UNSUPPORTED, "nothing touches");
}

// Without being asked to refuse, the truss snaps through and the report says so.
static void snaps_are_told(void **state)
{
    (void)state;
    static const char *const solvers[] = {"auto", "newton", "pn-pcg"};
    double k = bar_stiffness();
    for (int i = 0; i < 3; ++i) {
        simulation s;
        truss_simulate(&s, rise, "", "", solvers[i]);
        int32_t snapped_at = 0;
        for (int step = 1; step <= 12; ++step) {
            push_apex(&s, 0.15 * step * limit_load(k));
            pli_step_report report = simulation_step(&s);
            if (report.snapped) {
                assert_int_equal(snapped_at, 0);
                snapped_at = step;
            }
        }
        assert_int_equal(snapped_at, 7);
        AT_MOST(pli_state_get(s.state).positions[4], -rise);
        simulation_clear(&s);
    }
}

// Pushed down by its displacement, the apex goes all the way, with the energy of two springs.
static void displacements_go_through_a_limit_point(void **state)
{
    (void)state;
    double k = bar_stiffness();
    simulation s;
    truss_simulate(&s, rise,
                   "  - {where: {vertices: [1, 8]}, motion: {keyframes: [{time: 0}, {time: 20, "
                   "translate: [0, -0.2, 0]}]}}\n",
                   ", snap: refuse", "auto");
    for (int step = 1; step <= 20; ++step) {
        pli_step_report report = simulation_step(&s);
        double shortened = hypot(1, rise) - hypot(1, rise - 0.01 * step);
        NEAR(report.energy.elastic, k * shortened * shortened, 0.02, 1e-6 * k * rise * rise * rise);
        assert_false(report.snapped);
    }
    simulation_clear(&s);
}

// ---- pieces

// A slender bar whose end is turned by half a circle at once, of a law that is not defined for what
// is turned inside out.
static const char turned[] =
    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "bodies: {bar: {material: m, geometry: {grid: {size: [1, 0.2, 0.2], cells: [10, 2, 2]}}}}\n"
    "gravity: [0, 0, 0]\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}}\n"
    "  - {where: {half_space: {point: [0.499, 0, 0], normal: [1, 0, 0]}}, motion: {keyframes: "
    "[{time: 0}, {time: 1, axis: [1, 0, 0], angle: 170}, {time: 2, axis: [1, 0, 0], angle: "
    "175}]}}\n"
    "solver: {name: newton, max_iterations: 100}\n"
    "time: {fps: 1, frames: 2, mode: quasi-static%s}\n";

static void turned_init(simulation *s, const char *time, int32_t threads)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml, turned, time);
    simulation_init(s, yaml, threads);
}

static void steps_that_fail_are_made_in_pieces(void **state)
{
    (void)state;
    simulation s;
    pli_step_report report;
    turned_init(&s, ", load_steps: fixed", 1);
    OK(s.context, pli_solver_step(s.solver, s.state, &report));
    assert_true(report.stop <= 0);
    assert_int_equal(report.pieces <= 1, 1);
    simulation_clear(&s);

    turned_init(&s, "", 1);
    report = simulation_step(&s);
    AT_LEAST(report.pieces, 2);
    AT_LEAST(report.cuts, 1);
    assert_int_equal(pli_state_get(s.state).step, 1);
    simulation_clear(&s);
}

static void pieces_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        simulation s;
        turned_init(&s, "", bits.threads);
        simulation_run(&s, 2);
        same_bits_keep_hash(&bits, pli_state_hash(s.state));
        simulation_clear(&s);
    }
}

// A solver that is rebuilt between steps goes on with the same bits.
static void steps_after_pieces_do_not_depend_on_the_solver(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        simulation s;
        turned_init(&s, "", 1);
        simulation_step(&s);
        if (k == 1) {
            pli_solver_destroy(s.solver);
            OK(s.context, pli_solver_create(s.model, &s.solver));
        }
        simulation_step(&s);
        hash[k] = pli_state_hash(s.state);
        simulation_clear(&s);
    }
    assert_true(hash[0] == hash[1]);
}

// ---- bodies that turn far

// A straight step that turns a slender bar stretches it, so that a search along every step takes 12
// iterations here.
static void slender_bars_bend_far_in_few_iterations(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: {law: fixed-corotated, young: 1e6, poisson: 0.3, density: 1000}}\n"
        "bodies: {bar: {material: m, geometry: {grid: {size: [1, 0.05, 0.05], cells: [40, 2, "
        "2]}}}}\n"
        "gravity: [0, -0.3, 0]\n"
        "constraints: [{where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}}]\n"
        "solver: newton\n"
        "time: {fps: 1, frames: 1, mode: quasi-static}\n",
        1);
    pli_step_report report = simulation_step(&s);
    AT_MOST(report.iterations, 8);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_beyond_a_limit_point_are_refused),
        cmocka_unit_test(limit_points_of_scenes_with_contact_are_not_looked_for),
        cmocka_unit_test(snaps_are_told),
        cmocka_unit_test(displacements_go_through_a_limit_point),
        cmocka_unit_test(steps_that_fail_are_made_in_pieces),
        cmocka_unit_test(pieces_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(steps_after_pieces_do_not_depend_on_the_solver),
        cmocka_unit_test(slender_bars_bend_far_in_few_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
