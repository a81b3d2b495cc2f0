// SPDX-License-Identifier: Apache-2.0
//
// Scenes of particles with implicit solvers: every solver of the table, pieces of steps, what
// yields, fluids, emitters, walls, failing allocations, and steps that are given up.
#include "promises.h"
#include "step_scenes.h"

#include "base/context.h"
#include "math/mat3.h"
#include "math/svd.h"

static const char *const solvers[] = {"hot",       "hot-quadratic", "lbfgs-h",  "pn-pcg",
                                      "pn-pcg-mf", "pn-sgs",        "pn-mgpcg", "gast15",
                                      "newton",    "semi-implicit"};

enum { SOLVERS = sizeof solvers / sizeof *solvers };

static pli_particle_view particles_of(const simulation *s)
{
    pli_particle_view view = pli_state_get(s->state).particles;
    return view;
}

// The scenes are small and soft: hot would take most of their steps without matrix and levels.
static void start(simulation *s, const char *yaml, const char *solver, int32_t threads)
{
    char text[4096];
    bool is_hot = strcmp(solver, "hot") == 0;
    snprintf(text, sizeof text, "%ssolver: %s\n", yaml,
             is_hot ? "{name: hot, grid: {matrix_free_short_steps: false}}" : solver);
    simulation_init(s, text, threads);
}

// ---- solvers

static void expect_report(const pli_step_report *report, bool has_cycles)
{
    const pli_grid_report *grid = &report->grid;
    assert_true(grid->substeps > 0 && grid->nodes > 50 && grid->bytes > 0);
    assert_int_equal(grid->unconverged, 0);
    assert_int_equal(grid->capped, 0);
    assert_true(grid->rounds >= grid->substeps);
    assert_true(grid->shortest > 0 && grid->shortest <= grid->longest);
    assert_true(grid->longest <= report->dt * (1 + 1e-12));
    assert_true(grid->matrices > 0 && grid->solves >= grid->matrices);
    assert_true(has_cycles == (grid->cycles > 0));
    assert_true(report->residual <= report->tolerance || report->tolerance == 0 ||
                report->stop == PLI_STOP_FIXED);
    assert_true(isfinite(report->energy.total));
}

// All of them, with the same transfers and positions; those that converge end at the same place.
static void every_solver_takes_its_steps(void **state)
{
    (void)state;
    double *first = NULL;
    for (int k = 0; k < SOLVERS; ++k) {
        char solver[256];
        bool is_plain = strcmp(solvers[k], "gast15") == 0;
        bool is_linear = strcmp(solvers[k], "semi-implicit") == 0;
        snprintf(solver, sizeof solver,
                 "{name: %s, tolerance: %s, grid: {transfer: apic, positions: forward, "
                 "matrix_free_short_steps: false}}",
                 solvers[k], is_plain ? "1e-7" : "1e-10");
        simulation s;
        start(&s, DROP_SCENE, solver, 2);
        for (int i = 0; i < 3; ++i) {
            pli_step_report report = simulation_step(&s);
            assert_string_equal(report.solver, solvers[k]);
            bool has_cycles = strncmp(solvers[k], "hot", 3) == 0 ||
                              strcmp(solvers[k], "pn-mgpcg") == 0 ||
                              strcmp(solvers[k], "pn-sgs") == 0;
            if (report.iterations > 0) expect_report(&report, has_cycles);
        }
        pli_particle_view view = particles_of(&s);
        size_t size = 3 * (size_t)view.count * sizeof *first;
        if (first == NULL) {
            first = malloc(size);
            memcpy(first, view.positions, size);
        } else if (!is_linear) {
            // nodes of next to no mass are least certain, and particles that only they hold
            for (int64_t i = 0; i < 3 * view.count; ++i) NEAR(view.positions[i], first[i], 0, 1e-6);
        }
        simulation_clear(&s);
    }
    free(first);
}

// Without a word, newton and semi-implicit take FLIP, and newton moves by backward Euler.
static void solvers_have_transfers_of_their_own(void **state)
{
    (void)state;
    for (int k = 0; k < SOLVERS; ++k) {
        bool flips = strcmp(solvers[k], "newton") == 0 || strcmp(solvers[k], "semi-implicit") == 0;
        bool backward = strcmp(solvers[k], "newton") == 0;
        simulation own, said;
        char solver[256];
        snprintf(solver, sizeof solver,
                 "{name: %s, grid: {transfer: %s, positions: %s, matrix_free_short_steps: false}}",
                 solvers[k], flips ? "flip" : "apic", backward ? "backward" : "forward");
        start(&own, DROP_SCENE, solvers[k], 1);
        start(&said, DROP_SCENE, solver, 1);
        pli_step_report report = simulation_step(&own);
        simulation_step(&said);
        assert_true(pli_state_hash(own.state) == pli_state_hash(said.state));
        assert_true((report.grid.position_steps > 0) == backward);
        simulation_clear(&own);
        simulation_clear(&said);
    }
}

// Options of the multigrid make other ways to the same place.
static void options_of_the_grid_make_little_difference(void **state)
{
    (void)state;
    static const char *const options[] = {
        "",
        ", levels: 1",
        ", levels: 2, smoother: jacobi",
        ", smoother: chebyshev",
        ", coarsest: direct",
        ", precision: double",
    };
    double *first = NULL;
    for (size_t k = 0; k < sizeof options / sizeof *options; ++k) {
        char solver[256];
        snprintf(solver, sizeof solver,
                 "{name: hot, tolerance: 1e-10, grid: {matrix_free_short_steps: false%s}}",
                 options[k]);
        simulation s;
        start(&s, DROP_SCENE, solver, 2);
        pli_step_report report = simulation_run(&s, 2);
        if (k == 1) assert_int_equal(report.grid.level_count, 1);
        assert_true(report.grid.level_nodes[0] == report.grid.nodes);
        // what stays with conjugate gradients and what does not
        if (report.iterations > 0) {
            assert_int_equal(report.grid.coarsest_iterations > 0, k != 4);
        }
        pli_particle_view view = particles_of(&s);
        size_t size = 3 * (size_t)view.count * sizeof *first;
        if (first == NULL) {
            first = malloc(size);
            memcpy(first, view.positions, size);
        }
        for (int64_t i = 0; i < 3 * view.count; ++i) NEAR(view.positions[i], first[i], 0, 1e-7);
        simulation_clear(&s);
    }
    free(first);
}

// Easy steps end where others do, to the tolerance, and make nothing that they do not need.
static void easy_steps_need_no_levels(void **state)
{
    (void)state;
    simulation easy, whole;
    start(&easy, DROP_SCENE, "{name: hot, tolerance: 1e-10, grid: {cfl: 0.1}}", 2);
    start(&whole, DROP_SCENE,
          "{name: hot, tolerance: 1e-10, grid: {cfl: 0.1, matrix_free_short_steps: false}}", 2);
    pli_step_report quick = simulation_run(&easy, 2), slow = simulation_run(&whole, 2);
    assert_int_equal(quick.grid.level_count, 0);
    assert_int_equal(quick.grid.cycles, 0);
    assert_true(slow.grid.level_count > 0);
    pli_particle_view one = particles_of(&easy), other = particles_of(&whole);
    assert_int_equal(one.count, other.count);
    // 1e-10 of the force scale moves nothing by more than that
    for (int64_t i = 0; i < 3 * one.count; ++i) {
        NEAR(one.positions[i], other.positions[i], 0, 1e-7);
    }
    simulation_clear(&easy);
    simulation_clear(&whole);
}

// ---- pieces

// A fast body: pieces of equal length in which nothing moves by more than its part of a cell.
static void pieces_obey_the_courant_condition(void **state)
{
    (void)state;
    static const char flight[] =
        "domain: {cell: 0.1, min: [0, 0, 0], max: [4, 1, 1]}\n"
        "gravity: [0, 0, 0]\n"
        "materials: {rubber: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {ball: {geometry: {particles: {shape: {sphere: {radius: 0.2}}}},\n"
        "  position: [0.5, 0.5, 0.5], velocity: [20, 0, 0], material: rubber}}\n"
        "time: {fps: 20, frames: 1}\n";
    static const double cfls[3] = {0.6, 0.25, 1};
    for (int k = 0; k < 3; ++k) {
        char solver[128];
        snprintf(solver, sizeof solver, "{name: hot, grid: {cfl: %g}}", cfls[k]);
        simulation s;
        start(&s, flight, solver, 1);
        pli_step_report report = simulation_step(&s);
        // 1 m in a step, 0.1 m a cell
        assert_int_equal(report.grid.substeps, (int)ceil(10 / cfls[k] - 1e-9));
        NEAR(report.grid.shortest * report.grid.substeps, report.dt, 1e-9, 0);
        NEAR(report.grid.longest, report.grid.shortest, 1e-9, 0);
        AT_MOST(report.grid.longest * 20, cfls[k] * 0.1 * (1 + 1e-9));
        NEAR(report.time, 0.05, 1e-15, 0);
        // flight is flight
        NEAR(report.momentum[0], 20 * s.info.mass, 1e-9, 0);
        simulation_clear(&s);
    }
}

// What spins moves faster at its rim than its middle says.
static void affine_velocities_count_for_pieces(void **state)
{
    (void)state;
    static const char spin[] =
        "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 1, 1]}\n"
        "gravity: [0, 0, 0]\n"
        "materials: {rubber: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {ball: {geometry: {particles: {shape: {sphere: {radius: 0.05}}}},\n"
        "  position: [0.5, 0.5, 0.5], angular_velocity: [0, 0, 720], material: rubber}}\n"
        "time: {fps: 20, frames: 1}\n";
    simulation s;
    start(&s, spin, "hot", 1);
    pli_particle_view view = particles_of(&s);
    double speed = 0, w = 720 * 3.14159265358979 / 180;
    for (int64_t k = 0; k < view.count; ++k) {
        double v = 0;
        for (int a = 0; a < 3; ++a) v += pow(view.velocities[3 * k + a], 2);
        speed = fmax(speed, sqrt(v));
    }
    pli_step_report report = simulation_step(&s);
    double limit = 0.6 * 0.1 / (speed + 1.5 * sqrt(3) * 0.1 * sqrt(2) * w);
    AT_MOST(report.grid.longest, limit * (1 + 1e-6));
    AT_LEAST(report.grid.longest, 0.5 * limit);
    simulation_clear(&s);
}

static void frames_tell_pieces(void **state)
{
    (void)state;
    simulation s;
    start(&s, DROP_SCENE, "hot", 1);
    simulation_step(&s);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_string_equal(frame.parts[0].fields[4].name, "step");
    double told = frame.parts[0].fields[4].values[0];
    pli_step_report report = simulation_step(&s);
    assert_true(told > 0 && told <= report.dt);
    // pieces are evened out
    AT_LEAST(told, report.grid.longest * (1 - 1e-9));
    simulation_clear(&s);
}

// The linear method goes back and halves where energy would rise; the step is whole all the same.
static void the_linear_method_halves_pieces(void **state)
{
    (void)state;
    static const char crash[] =
        "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 1, 1]}\n"
        "materials: {rubber: {law: hencky, density: 1000, young: 1e7, poisson: 0.3}}\n"
        "bodies:\n"
        "  a: {geometry: {particles: {shape: {sphere: {radius: 0.2}}}}, position: [0.25, 0.4, "
        "0.5], velocity: [10, 0, 0], angular_velocity: [0, 0, 720], material: rubber}\n"
        "  b: {geometry: {particles: {shape: {sphere: {radius: 0.2}}}}, position: [0.75, 0.4, "
        "0.5], velocity: [-10, 0, 0], angular_velocity: [720, 0, 0], material: rubber}\n"
        "time: {fps: 20, frames: 1}\n";
    simulation s;
    start(&s, crash, "{name: semi-implicit, grid: {cfl: 1}}", 2);
    pli_step_report before, report;
    OK(s.context, pli_solver_measure(s.solver, s.state, &before));
    int32_t retries = 0;
    for (int k = 0; k < 3; ++k) {
        report = simulation_step(&s);
        retries += report.grid.retries;
        NEAR(report.time, 0.05 * (k + 1), 1e-12, 0);
        AT_MOST(report.energy.total, 1.02 * before.energy.total);
        AT_MOST((double)report.grid.substeps, 200);
    }
    assert_true(retries > 0);
    simulation_clear(&s);
}

// ---- what yields

static const char *const yielding =
    "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 1, 1]}\n"
    "materials:\n"
    "  snow: {law: fixed-corotated, density: 400, young: 1.4e5, poisson: 0.2, yield: snow}\n"
    "  grains: {law: fixed-corotated, density: 400, young: 1.4e5, poisson: 0.2,\n"
    "    yield: {snow: {compression: 0.01, stretch: 0.001, hardening: 0}}}\n"
    "  metal: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3,\n"
    "    yield: {von-mises: 720}}\n"
    "  goo: {law: hencky, density: 1000, young: 1e5, poisson: 0.3, yield: {von-mises: 720}}\n"
    "  sand: {preset: sand}\n"
    "bodies:\n"
    "  a: {geometry: {particles: {shape: {box: {size: [0.3, 0.2, 0.3]}}}}, position: [0.2, 0.11, "
    "0.2], material: snow, velocity: [0, -3, 0]}\n"
    "  b: {geometry: {particles: {shape: {box: {size: [0.3, 0.2, 0.3]}}}}, position: [0.2, 0.11, "
    "0.7], material: grains, velocity: [0, -3, 0]}\n"
    "  c: {geometry: {particles: {shape: {box: {size: [0.3, 0.2, 0.3]}}}}, position: [0.7, 0.11, "
    "0.2], material: metal, velocity: [0, -3, 0]}\n"
    "  d: {geometry: {particles: {shape: {box: {size: [0.3, 0.2, 0.3]}}}}, position: [0.7, 0.11, "
    "0.7], material: goo, velocity: [0, -3, 0]}\n"
    "  e: {geometry: {particles: {shape: {box: {size: [0.3, 0.2, 0.3]}}}}, position: [0.5, 0.5, "
    "0.5], material: sand, velocity: [0, -3, 0]}\n"
    "time: {fps: 50, frames: 1}\n";

// |dev tau|; F with singular values s
static double deviator(bool hencky, double young, double poisson, const double s[3])
{
    double mu = young / (2 * (1 + poisson)), tau[3], mean = 0, square = 0;
    for (int k = 0; k < 3; ++k) {
        tau[k] = hencky ? 2 * mu * log(s[k]) : 2 * mu * (s[k] - 1) * s[k];
        mean += tau[k] / 3;
    }
    for (int k = 0; k < 3; ++k) square += (tau[k] - mean) * (tau[k] - mean);
    return sqrt(square);
}

typedef struct history {
    double energy;
    int32_t iterations;
    double largest_rise; // over noise
} history;

static void watch(void *user, const pli_iteration_report *report)
{
    history *h = user;
    if (report->iteration > 0) {
        ++h->iterations;
        double rise = report->energy - h->energy - 1e-12 * fabs(h->energy);
        h->largest_rise = fmax(h->largest_rise, rise);
    }
    h->energy = report->energy;
}

// After every step matter is where it may be, and solves are minimisations.
static void what_yields_is_where_it_may_be(void **state)
{
    (void)state;
    static const char *const names[] = {"hot", "pn-pcg-mf", "newton"};
    for (int k = 0; k < 3; ++k) {
        simulation s;
        start(&s, yielding, names[k], 2);
        history h = {0};
        pli_solver_set_hooks(s.solver,
                             &(pli_solver_hooks){.iteration = watch, .iteration_user = &h});
        int64_t yielded[5] = {0};
        for (int step = 0; step < 3; ++step) {
            simulation_step(&s);
            pli_particle_view view = particles_of(&s);
            for (int64_t i = 0; i < view.count; ++i) {
                double U[9], sigma[3], V[9], yield = 720 * sqrt(2.0 / 3);
                pli_svd(view.deformation + 9 * i, U, sigma, V);
                int32_t kind = view.kinds[i];
                double low = kind == 0 ? 0.975 : 0.99, high = kind == 0 ? 1.0075 : 1.001;
                for (int a = 0; a < 3 && kind < 2; ++a) {
                    AT_LEAST(sigma[a], low - 1e-12);
                    AT_MOST(sigma[a], high + 1e-12);
                    yielded[kind] += sigma[a] <= low + 1e-12;
                }
                if (kind == 2 || kind == 3) {
                    double size = deviator(kind == 3, 1e5, 0.3, sigma);
                    AT_MOST(size, yield * (1 + 1e-8));
                    yielded[kind] += size > yield * (1 - 1e-8);
                }
                if (kind == 0) assert_true(view.history[i] >= 0.6 && view.history[i] <= 20);
            }
        }
        for (int kind = 0; kind < 4; ++kind) assert_true(yielded[kind] > 10);
        assert_true(h.iterations > 5);
        AT_MOST(h.largest_rise, 0);
        simulation_clear(&s);
    }
}

// ---- fluids

// A column of water that fills its room comes to rest: pressure is density times depth.
static void a_column_of_water_has_its_pressure(void **state)
{
    (void)state;
    static const char column[] =
        "domain: {cell: 0.1, min: [0, 0, 0], max: [0.3, 1.2, 0.3], walls: slip}\n"
        "materials: {water: {law: fluid, density: 1000, parameters: {bulk: 2e5, exponent: 7}}}\n"
        "bodies: {column: {geometry: {particles: {shape: {box: {size: [0.3, 1, 0.3]}}, pattern: "
        "lattice}},\n"
        "  position: [0.15, 0.5, 0.15], material: water}}\n"
        "time: {fps: 25, frames: 1}\n";
    simulation s;
    start(&s, column, "{name: hot, grid: {transfer: flip, flip: 0}}", 2);
    simulation_run(&s, 30);
    pli_particle_view view = particles_of(&s);
    double sums[3][3] = {{0}}, mass = 0;
    for (int64_t k = 0; k < view.count; ++k) {
        double y = view.positions[3 * k + 1];
        double p = 2e5 * (exp(-7 * view.history[k]) - 1);
        int layer = (int)(y / 0.3);
        for (int e = 0; e < 9; ++e) NEAR(view.deformation[9 * k + e], e % 4 == 0, 0, 0);
        mass += s.info.mass / (double)view.count;
        if (layer > 2) continue;
        sums[layer][0] += 1;
        sums[layer][1] += p;
        sums[layer][2] += y;
    }
    NEAR(mass, 90, 1e-6, 0);
    for (int layer = 0; layer < 3; ++layer) {
        double depth = 1 - sums[layer][2] / sums[layer][0];
        // the top is known to a part of a cell
        NEAR(sums[layer][1] / sums[layer][0], 1000 * 9.81 * depth, 0.04, 9810 * 0.02);
    }
    simulation_clear(&s);
}

// ---- emitters

static void emitters_have_their_rate_and_name_no_particle_twice(void **state)
{
    (void)state;
    simulation s;
    start(&s, WATER_SCENE, "hot", 2);
    int64_t first = s.info.particle_count, total = 0, taps = 0;
    assert_true(first > 0);
    for (int k = 0; k < 16; ++k) {
        pli_step_report report = simulation_step(&s);
        total += report.matter.emitted;
        pli_particle_view view = particles_of(&s);
        assert_int_equal(view.count, first + total);
        assert_int_equal(report.matter.particles, view.count);
        // rows are sorted by kinds
        for (int64_t i = 1; i < view.count; ++i) assert_true(view.kinds[i] >= view.kinds[i - 1]);
    }
    pli_particle_view view = particles_of(&s);
    char *seen = calloc((size_t)view.count, 1);
    for (int64_t k = 0; k < view.count; ++k) {
        assert_true(view.ids[k] >= 0 && view.ids[k] < view.count);
        assert_int_equal(seen[view.ids[k]]++, 0);
        pli_kind_info kind = pli_model_get_kind(s.model, view.kinds[k]);
        // those that were there keep their names
        assert_true((strcmp(kind.source, "ball") == 0) == (view.ids[k] < first));
        taps += strcmp(kind.source, "tap") == 0;
    }
    free(seen);
    // 0.4 m x 0.4 m at 1 m/s for 0.3 s, and a quarter of that for 0.1 s
    double particle = pow(0.1, 3) / 8;
    NEAR((double)(total - taps) * particle, 0.16 * 0.3, 0.03, 0);
    NEAR((double)taps * particle, 0.04 * 0.1, 0.03, 0);
    simulation_clear(&s);
}

static void nothing_is_emitted_into_what_is_there(void **state)
{
    (void)state;
    // a stream that a wall keeps in the shape that it comes out of
    static const char stuck[] =
        "domain: {cell: 0.1, min: [0, 0, 0], max: [0.6, 0.6, 0.6], walls: sticky}\n"
        "gravity: [0, 0, 0]\n"
        "materials: {goo: {law: hencky, density: 1000, young: 1e4, poisson: 0.3}}\n"
        "emitters: {jet: {shape: {box: {center: [0.3, 0.3, 0.3], size: [0.2, 0.2, 0.2]}},\n"
        "  material: goo, velocity: [1, 0, 0]}}\n"
        "time: {fps: 50, frames: 1}\n";
    simulation s;
    start(&s, stuck, "hot", 2);
    for (int k = 0; k < 40; ++k) simulation_step(&s);
    pli_particle_view view = particles_of(&s);
    // 0.032 m^3 would have come out of it, and there is room for 0.008 before the wall
    AT_MOST((double)view.count * 1.25e-4, 0.6 * 0.032);
    AT_LEAST((double)view.count * 1.25e-4, 0.008);
    simulation_clear(&s);
}

// ---- walls and colliders

// Whatever holds, splines and solvers are: nothing leaves the room by more than half a cell, cubic
// splines a whole one.
static void walls_hold(void **state)
{
    (void)state;
    static const char *const holds[] = {"separate", "slip", "sticky"};
    static const char *const splines[] = {"linear", "quadratic", "cubic"};
    for (int k = 0; k < 9; ++k) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml,
                 "domain: {cell: 0.1, min: [0, 0, 0], max: [0.5, 0.5, 0.5], walls: %s}\n"
                 "gravity: [-20, -60, -30]\n"
                 "materials: {jelly: {law: neo-hookean, density: 1000, young: 1e4, poisson: "
                 "0.3},\n"
                 "  water: {preset: water}}\n"
                 "bodies:\n"
                 "  a: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, position: "
                 "[0.2, 0.3, 0.3], material: jelly, velocity: [0, -3, 0]}\n"
                 "  b: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, position: "
                 "[0.2, 0.1, 0.3], material: water, velocity: [0, -3, 0]}\n"
                 "time: {fps: 25, frames: 1}\n",
                 holds[k % 3]);
        char solver[128];
        snprintf(solver, sizeof solver, "{name: pn-pcg-mf, tolerance: 1e-4, grid: {spline: %s}}",
                 splines[k / 3]);
        simulation s;
        start(&s, yaml, solver, 2);
        simulation_run(&s, 8);
        pli_particle_view view = particles_of(&s);
        double slack = k / 3 < 2 ? 0.05 : 0.1, lowest = 1;
        for (int64_t i = 0; i < 3 * view.count; ++i) {
            AT_LEAST(view.positions[i], -slack);
            AT_MOST(view.positions[i], 0.5 + slack);
            lowest = fmin(lowest, view.positions[i]);
        }
        AT_MOST(lowest, 0.05);
        simulation_clear(&s);
    }
}

// A plate comes down on a block and presses it flat, without a particle left above it.
static void a_plate_that_moves_takes_particles_along(void **state)
{
    (void)state;
    static const char *const holds[] = {"separate", "sticky", "slip"};
    for (int hold = 0; hold < 3; ++hold) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml,
                 "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 1, 1]}\n"
                 "materials: {rubber: {law: fixed-corotated, density: 1000, young: 1e4, poisson: "
                 "0.2}}\n"
                 "bodies: {block: {geometry: {particles: {shape: {box: {size: [0.3, 0.4, 0.3]}}}},"
                 "\n"
                 "  position: [0.5, 0.2, 0.5], material: rubber}}\n"
                 "colliders: {plate: {shape: {box: {center: [0.5, 0.55, 0.5], size: [0.8, 0.3, "
                 "0.8]}},\n"
                 "  boundary: %s, motion: {segments: [{duration: 0.4, velocity: [0, -0.5, 0]}]}}}\n"
                 "time: {fps: 25, frames: 1}\n",
                 holds[hold]);
        simulation s;
        start(&s, yaml, "hot", 2);
        simulation_run(&s, 10);
        pli_particle_view view = particles_of(&s);
        double top = 0;
        for (int64_t k = 0; k < view.count; ++k) top = fmax(top, view.positions[3 * k + 1]);
        // the plate's underside is at 0.2; particles keep up to a cell from the nodes it holds
        AT_MOST(top, 0.2 + 0.1);
        AT_LEAST(top, 0.2 - 0.1);
        simulation_clear(&s);
    }
}

// ---- promises

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    expect_no_leak(
        "domain: {cell: 0.1, min: [0, 0, 0], max: [0.6, 0.6, 0.6]}\n"
        "materials: {snow: {preset: snow}}\n"
        "bodies: {heap: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, "
        "position: [0.4, 0.15, 0.4], material: snow}}\n"
        "emitters: {jet: {shape: {sphere: {center: [0.2, 0.5, 0.2], radius: 0.1}}, material: "
        "snow, velocity: [0, -1, 0]}}\n"
        "time: {fps: 50, frames: 1}\n"
        "solver: {name: hot, tolerance: 1e-3}\n",
        true);
}

static bool after_some(void *user)
{
    int *left = user;
    return --*left <= 0;
}

// Matter that flies needs no iterations, but as many pieces as it is fast.
static void a_step_without_iterations_can_be_abandoned(void **state)
{
    (void)state;
    simulation s;
    start(&s,
          "domain: {cell: 0.1, min: [0, 0, 0], max: [4, 1, 1]}\n"
          "materials: {soft: {law: fixed-corotated, density: 1000, young: 2e4, poisson: 0.3}}\n"
          "bodies: {block: {geometry: {particles: {shape: {box: {size: [0.3, 0.3, 0.3]}}}}, "
          "position: [0.5, 0.5, 0.5], material: soft, velocity: [100, 0, 0]}}\n"
          "gravity: [0, 0, 0]\n"
          "time: {fps: 50, frames: 1}\n",
          "hot", 1);
    uint64_t hash = pli_state_hash(s.state);
    pli_step_report report;
    int left = 5;
    pli_solver_set_hooks(s.solver, &(pli_solver_hooks){.cancel = after_some, .cancel_user = &left});
    assert_int_equal(pli_solver_step(s.solver, s.state, &report), PLI_ERROR_INTERRUPTED);
    assert_true(pli_state_hash(s.state) == hash);
    pli_solver_set_hooks(s.solver, NULL);
    report = simulation_step(&s);
    assert_int_equal(report.iterations, 0);
    AT_LEAST(report.grid.substeps, 6);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_takes_its_steps),
        cmocka_unit_test(solvers_have_transfers_of_their_own),
        cmocka_unit_test(options_of_the_grid_make_little_difference),
        cmocka_unit_test(easy_steps_need_no_levels),
        cmocka_unit_test(pieces_obey_the_courant_condition),
        cmocka_unit_test(affine_velocities_count_for_pieces),
        cmocka_unit_test(frames_tell_pieces),
        cmocka_unit_test(the_linear_method_halves_pieces),
        cmocka_unit_test(what_yields_is_where_it_may_be),
        cmocka_unit_test(a_column_of_water_has_its_pressure),
        cmocka_unit_test(emitters_have_their_rate_and_name_no_particle_twice),
        cmocka_unit_test(nothing_is_emitted_into_what_is_there),
        cmocka_unit_test(walls_hold),
        cmocka_unit_test(a_plate_that_moves_takes_particles_along),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
        cmocka_unit_test(a_step_without_iterations_can_be_abandoned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
