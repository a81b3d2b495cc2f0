// SPDX-License-Identifier: Apache-2.0
//
// Impact on barriers (Li et al. 2020): a rod that strikes a wall, a ball that bounces, and the
// account of energies.
#include "barrier.h"

// ---- a rod that strikes a rigid wall end on

// One-dimensional waves: with c = sqrt(E / rho) contact lasts 2 L / c at the stress rho c v, and
// the rod leaves as fast as it came.
static const double young = 1e6, density = 1000, speed = 0.1;

static void rod_init(simulation *s, const char *integrator, double fps)
{
    char yaml[1024];
    // the barrier ends 2e-5 m before the wall: the rod needs 3e-3 of the time of contact for that
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: linear, density: %.17g, young: %.17g, poisson: 0}}\n"
             "bodies: {rod: {geometry: {grid: {center: [0.50002, 0, 0], size: [1, 0.05, 0.05],\n"
             "  cells: [100, 1, 1]}}, material: m, velocity: [%.17g, 0, 0]}}\n"
             "colliders: {wall: {shape: {plane: {normal: [1, 0, 0]}}}}\n"
             "contact: {method: barrier, distance: 2e-5}\n"
             "gravity: [0, 0, 0]\n"
             "solver: {name: ipc-llt, tolerance: 1e-6}\n"
             "time: {fps: %.17g, frames: 1, integrator: %s}\n",
             density, young, -speed, fps, integrator);
    simulation_init(s, yaml, 1);
}

static void a_rod_leaves_the_wall_as_waves_in_it_tell(void **state)
{
    (void)state;
    simulation s;
    rod_init(&s, "bdf2", 5000);
    double c = sqrt(young / density), contact = 2 / c;
    double last = 0, middle = 0, impulse = 0, area = 0.05 * 0.05;
    int32_t counted = 0;
    pli_step_report report = {0};
    for (int k = 0; k < (int)(1.3 * contact / s.info.dt); ++k) {
        double sum[3];
        report = simulation_step(&s);
        assert_true(report.min_gap > 0);
        sum_vectors(&s, s.state->contact_force, sum);
        impulse += sum[0] * s.info.dt;
        if (sum[0] > 0) last = report.time;
        // away from both ends of the contact, where the front passes through cells and the barrier
        if (fabs(report.time - 0.5 * contact) > 0.4 * contact) continue;
        middle += sum[0] / area;
        ++counted;
    }
    // contact began with the first step
    NEAR(last, contact, 0.02, 0);
    NEAR(middle / counted, density * c * speed, 0.02, 0);
    NEAR(report.momentum[0], speed * s.info.mass, 0.03, 0);
    // BDF2 weighs forces of several steps: over all of them the impulse is the change of momentum
    NEAR(impulse, report.momentum[0] + speed * s.info.mass, 0.01, 0);
    simulation_clear(&s);
}

// ---- a ball that is dropped

typedef struct ball {
    const char *integrator;
    double fps;
    const char *solver;
} ball;

// A soft ball whose lowest point is a metre above where contact begins.
static void ball_init(simulation *s, const ball *w)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: neo-hookean, density: 1000, young: 2e5, poisson: 0.3}}\n"
             "bodies: {ball: {geometry: {fill: {shape: {sphere: {radius: 0.1}}, vertices: 150}},\n"
             "  material: m}}\n"
             "colliders: {ground: {shape: {plane: {point: [0, -1.101, 0]}}}}\n"
             "contact: {method: barrier, distance: 1e-3, stiffness: 1e5}\n"
             "solver: {name: %s, tolerance: 1e-8}\n"
             "time: {fps: %.17g, frames: 1, integrator: %s}\n",
             w->solver, w->fps, w->integrator);
    simulation_init(s, yaml, 1);
}

// Height of the lowest vertex above where contact begins (m).
static double clearance(const simulation *s)
{
    const double *x = pli_state_get(s->state).positions;
    double lowest = INFINITY;
    for (int64_t k = 1; k < 3 * s->info.vertex_count; k += 3) lowest = fmin(lowest, x[k]);
    return lowest + 1.1;
}

static double center_height(const simulation *s)
{
    double center[3];
    simulation_center(s, center);
    return center[1];
}

static void balls_meet_the_ground_when_and_as_fast_as_they_should(void **state)
{
    (void)state;
    static const char *const integrators[] = {"implicit-euler", "bdf2"};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        // a step is 0.2 % of the time
        ball_init(&s, &(ball){integrators[k], 1000, "ipc-llt"});
        // of the surface, which consists of triangles
        NEAR(clearance(&s), 1, 1e-3, 0);
        pli_step_report report = simulation_step(&s);
        double speed_before = 0;
        while (report.contacts == 0) {
            speed_before = -report.momentum[1] / s.info.mass;
            report = simulation_step(&s);
        }
        NEAR(report.time, sqrt(2 / gravity), 0.005, 0);
        NEAR(speed_before, sqrt(2 * gravity), 0.005, 0);
        simulation_clear(&s);
    }
}

// Each time the ball rises less than before, and the sum of energies never exceeds that of the
// start.
static void expect_lower_bounces(const char *integrator)
{
    simulation s;
    ball_init(&s, &(ball){integrator, 250, "ipc-pcg"});
    pli_step_report report;
    OK(s.context, pli_solver_measure(s.solver, s.state, &report));
    double start = report.energy.total, top = center_height(&s), highest = -INFINITY;
    double scale = s.info.mass * gravity;
    int bounces = 0;
    bool falls = true;
    for (int k = 0; k < 450; ++k) {
        report = barrier_step(&s);
        AT_MOST(report.energy.total, start + 1e-9 * scale);
        bool rises = report.momentum[1] > 0 && report.contacts == 0;
        if (rises && falls) highest = -INFINITY;
        if (rises) highest = fmax(highest, center_height(&s));
        if (!falls && !rises) {
            AT_MOST(highest, top);
            top = highest;
            ++bounces;
        }
        falls = !rises;
    }
    AT_LEAST(bounces, 2);
    simulation_clear(&s);
}

static void balls_never_rise_higher_than_before(void **state)
{
    (void)state;
    expect_lower_bounces("implicit-euler");
    expect_lower_bounces("bdf2");
}

// ---- where the energy goes

typedef struct account {
    pli_energies energy;
    double *x; // [vertex_count][3] (m)
    double *v; // [vertex_count][3] (m/s)
    double *g; // [vertex_count][3] gradient of the elastic energy (N)
} account;

static void account_init(const simulation *s, account *a)
{
    size_t bytes = 3 * (size_t)s->info.vertex_count * sizeof(double);
    pli_step_report report;
    OK(s->context, pli_solver_measure(s->solver, s->state, &report));
    *a = (account){report.energy, malloc(bytes), malloc(bytes), malloc(bytes)};
}

static void account_clear(account *a)
{
    free(a->g);
    free(a->v);
    free(a->x);
}

static void account_open(const simulation *s, account *a)
{
    size_t bytes = 3 * (size_t)s->info.vertex_count * sizeof(double);
    memcpy(a->x, pli_state_get(s->state).positions, bytes);
    memcpy(a->v, pli_state_get(s->state).velocities, bytes);
}

// What a step has dissipated (J). With implicit Euler M (v - v_n) / h = -dPhi/dx and x - x_n = h v,
// so the sum of all energies falls by
//     1/2 |v - v_n|^2_M + sum over potentials of dPhi . (x - x_n) - (Phi - Phi_n),
// of which the terms of inertia, and of potentials that are convex, are not negative.
typedef struct dissipation {
    double inertia;
    double elastic;
    double barrier;
} dissipation;

static dissipation account_dissipate(const simulation *s, account *a, const pli_energies *after)
{
    const double *x = pli_state_get(s->state).positions, *v = pli_state_get(s->state).velocities;
    const double *mass = pli_model_get_mesh(s->model).masses;
    int64_t count = 3 * (int64_t)s->info.vertex_count;
    dissipation lost = {0, a->energy.elastic - after->elastic, a->energy.contact - after->contact};
    memset(a->g, 0, (size_t)count * sizeof *a->g);
    pli_elastic_term.add_gradient(pli_solver_meshes(s->solver)->elastic, x, a->g);
    for (int64_t k = 0; k < count; ++k) {
        lost.inertia += 0.5 * mass[k / 3] * (v[k] - a->v[k]) * (v[k] - a->v[k]);
        lost.elastic += a->g[k] * (x[k] - a->x[k]);
        lost.barrier -= s->state->contact_force[k] * (x[k] - a->x[k]);
    }
    return lost;
}

static void expect_closed_account(const char *solver)
{
    simulation s;
    ball_init(&s, &(ball){"implicit-euler", 500, solver});
    account a;
    account_init(&s, &a);
    double scale = s.info.mass * gravity, lost_in_contact = 0;
    for (int k = 0; k < 350; ++k) {
        account_open(&s, &a);
        pli_step_report report = barrier_step(&s);
        dissipation lost = account_dissipate(&s, &a, &report.energy);
        double total = lost.inertia + lost.elastic + lost.barrier;
        // 1e-6 of what the fall of a metre sets free
        NEAR(a.energy.total - report.energy.total, total, 0, 1e-6 * scale);
        AT_LEAST(lost.barrier, -1e-12 * scale);
        AT_LEAST(total, -1e-9 * scale);
        // in free fall v changes by h g, and nothing else happens
        double fall = 0.5 * s.info.mass * pow(gravity * s.info.dt, 2);
        if (k < 220) NEAR(total, fall, 1e-6, 0);
        if (report.contacts > 0) lost_in_contact += total;
        a.energy = report.energy;
    }
    // it did bounce
    AT_LEAST(lost_in_contact, 0.01 * scale);
    account_clear(&a);
    simulation_clear(&s);
}

static void the_account_of_energies_closes(void **state)
{
    (void)state;
    expect_closed_account("ipc-llt");
    expect_closed_account("ipc-pcg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rod_leaves_the_wall_as_waves_in_it_tell),
        cmocka_unit_test(balls_meet_the_ground_when_and_as_fast_as_they_should),
        cmocka_unit_test(balls_never_rise_higher_than_before),
        cmocka_unit_test(the_account_of_energies_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
