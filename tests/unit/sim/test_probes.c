// SPDX-License-Identifier: Apache-2.0
//
// What is measured at every step: reactions balance what they carry, whatever they are, and probes
// tell what the state says.
#include "simulate.h"

#include "support/fault_sweep.h"
#include "support/same_bits.h"

static const char *rubber =
    "materials: {rubber: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 1000}}\n";

// The values of a quantity of a report.
static const double *probe(const pli_step_report *report, const char *name)
{
    for (int32_t k = 0; k < report->probe_count; ++k) {
        if (strcmp(report->probes[k].name, name) == 0) return report->probes[k].values;
    }
    fail_msg("nothing measures %s", name);
    return NULL;
}

static void init_with(simulation *s, const char *rest, int32_t threads)
{
    char yaml[4096];
    snprintf(yaml, sizeof yaml, "%s%s", rubber, rest);
    simulation_init(s, yaml, threads);
}

static void near_vector(const double *got, double x, double y, double z, double absolute)
{
    NEAR(got[0], x, 0, absolute);
    NEAR(got[1], y, 0, absolute);
    NEAR(got[2], z, 0, absolute);
}

// Gives every vertex of a state a force; returns the sum.
static void push(simulation *s, double total[3])
{
    int32_t n = s->info.vertex_count;
    double *forces = calloc((size_t)n * 3, sizeof *forces);
    total[0] = total[1] = total[2] = 0;
    for (int32_t k = 0; k < 3 * n; ++k) {
        if (!(pli_model_get_mesh(s->model).masses[k / 3] > 0)) continue; // of an obstacle
        forces[k] = 0.002 * (double)((k * 7) % 5 - 1);
        total[k % 3] += forces[k];
    }
    OK(s->context, pli_state_set_forces(s->state, forces));
    free(forces);
}

#define BLOCK                                                                                  \
    "bodies: {block: {geometry: {grid: {size: [0.1, 0.2, 0.1], cells: [3, 6, 3]}}, material: " \
    "rubber}}\n"
#define TOP "where: {box: {min: [-1, 0.0999, -1], max: [1, 1, 1]}}"

static const char *hanging =
    BLOCK "contact: none\n"
          "constraints: [{body: block, " TOP ", name: support}]\n"
          "time: {frames: 10, steps_per_frame: 1, fps: 10, mode: quasi-static}\n"
          "solver: {name: newton, tolerance: 1e-11}\n";

// ---- reactions

static void reaction_of_a_support_is_the_weight_and_the_forces(void **state)
{
    (void)state;
    simulation s;
    double total[3];
    init_with(&s, hanging, 1);
    push(&s, total);
    pli_step_report report = simulation_step(&s);
    double weight = s.info.mass * 9.81;
    near_vector(probe(&report, "support.force"), -total[0], weight - total[1], -total[2],
                1e-8 * weight);
    // moments about the centre of the constraint's motion, the middle of the top
    const double *x = pli_state_get(s.state).positions, *mass = pli_model_get_mesh(s.model).masses;
    const double *f = pli_state_get(s.state).forces;
    double moment[3] = {0, 0, 0};
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        const double *arm = x + 3 * k;
        double y = arm[1] - 0.1, g[3] = {f[3 * k], f[3 * k + 1] - 9.81 * mass[k], f[3 * k + 2]};
        moment[0] -= y * g[2] - arm[2] * g[1];
        moment[1] -= arm[2] * g[0] - arm[0] * g[2];
        moment[2] -= arm[0] * g[1] - y * g[0];
    }
    near_vector(probe(&report, "support.moment"), moment[0], moment[1], moment[2],
                1e-8 * weight * 0.2);
    simulation_clear(&s);
}

static void reaction_balances_the_loads_of_a_scene(void **state)
{
    (void)state;
    simulation s;
    init_with(&s,
              BLOCK "contact: none\ngravity: [0, 0, 0]\n"
                    "constraints: [{body: block, " TOP ", name: support}]\n"
                    "loads:\n"
                    "  - {body: block, where: {box: {min: [-1, -1, -1], max: [1, -0.0999, 1]}}, "
                    "force: [0.1, -2, 0.3]}\n"
                    "time: {frames: 10, steps_per_frame: 1, fps: 10, mode: quasi-static}\n"
                    "solver: {name: newton, tolerance: 1e-11}\n",
              1);
    pli_step_report report = simulation_step(&s);
    near_vector(probe(&report, "support.force"), -0.1, 2, -0.3, 2e-8);
    simulation_clear(&s);
}

static void first_of_two_supports_carries_what_the_second_does_not(void **state)
{
    (void)state;
    simulation s;
    init_with(&s,
              BLOCK "contact: none\n"
                    "constraints:\n"
                    "  - {body: block, " TOP "}\n"
                    "  - {body: block, " TOP ", axes: y, name: hook}\n"
                    "time: {frames: 10, steps_per_frame: 1, fps: 10, mode: quasi-static}\n"
                    "solver: {name: newton, tolerance: 1e-11}\n",
              1);
    pli_step_report report = simulation_step(&s);
    double weight = s.info.mass * 9.81;
    near_vector(probe(&report, "hook.force"), 0, weight, 0, 1e-8 * weight);
    assert_true(probe(&report, "constraint-0.force")[1] == 0);
    simulation_clear(&s);
}

// Momentum of a simulation, and of a report's reactions and colliders the sum of forces.
static void momentum_of(const simulation *s, double p[3])
{
    const double *v = pli_state_get(s->state).velocities,
                 *mass = pli_model_get_mesh(s->model).masses;
    p[0] = p[1] = p[2] = 0;
    for (int32_t k = 0; k < 3 * s->info.vertex_count; ++k) p[k % 3] += mass[k / 3] * v[k];
}

// In every step of a scene momentum changes by weight, forces and what the named things do, to a
// part of the weight.
static void expect_balance(const char *scene, const char *const *names, int32_t steps,
                           double relative)
{
    simulation s;
    double total[3], before[3], after[3], largest = 0;
    init_with(&s, scene, 1);
    push(&s, total);
    double weight = s.info.mass * 9.81;
    for (int32_t step = 0; step < steps; ++step) {
        momentum_of(&s, before);
        pli_step_report report = simulation_step(&s);
        momentum_of(&s, after);
        double sum[3] = {total[0], total[1] - weight, total[2]};
        for (const char *const *name = names; *name != NULL; ++name) {
            const double *force = probe(&report, *name);
            for (int k = 0; k < 3; ++k) sum[k] += force[k];
            if (name == names) largest = fmax(largest, fabs(force[1]));
        }
        for (int k = 0; k < 3; ++k) {
            NEAR((after[k] - before[k]) / report.dt, sum[k], 0, relative * weight);
        }
    }
    // whatever it is, it did something
    assert_true(largest > 0.1 * weight);
    simulation_clear(&s);
}

#define DYNAMIC "time: {frames: 100, steps_per_frame: 1, fps: 100}\n"
#define NEWTON "solver: {name: newton, tolerance: 1e-11}\n"
#define FLOOR(how) "colliders: {floor: {shape: plane, " how "}}\n"
#define FALLING                                                                                \
    "bodies: {block: {geometry: {grid: {size: [0.1, 0.2, 0.1], cells: [2, 4, 2]}}, material: " \
    "rubber, position: [0, 0.101, 0], velocity: [0.3, -0.5, 0]}}\n"

static void momentum_changes_by_reactions_and_loads(void **state)
{
    (void)state;
    expect_balance(BLOCK DYNAMIC NEWTON "contact: none\n"
                                        "constraints: [{body: block, " TOP
                                        ", name: support, motion: {segments: "
                                        "[{duration: 10, velocity: [0.1, 0.2, 0], spin: 90}]}}]\n",
                   (const char *const[]){"support.force", NULL}, 10, 1e-8);
    expect_balance(BLOCK DYNAMIC NEWTON "contact: none\n"
                                        "attachments: [{body: block, " TOP
                                        ", stiffness: 100, name: rubber_band}]\n",
                   (const char *const[]){"rubber_band.force", NULL}, 10, 1e-8);
}

static void momentum_changes_by_what_colliders_do(void **state)
{
    (void)state;
    static const char *const floors[] = {
        FLOOR("method: penalty, stiffness: 1e8, friction: 0.3"),
        FLOOR("method: quadratic, stiffness: 1e3, friction: 0.3"),
        FLOOR("method: constraint, friction: 0.3"),
        FLOOR("method: postprocess, friction: 0.3"),
        FLOOR("friction: 0.3") "contact: {method: barrier, friction: 0.3}\n",
    };
    for (size_t k = 0; k < sizeof floors / sizeof *floors; ++k) {
        char scene[2048];
        bool barrier = strstr(floors[k], "barrier") != NULL;
        snprintf(scene, sizeof scene, "%s%s%s%s", FALLING DYNAMIC, NEWTON, floors[k],
                 barrier ? "" : "contact: none\n");
        // friction of barriers is that of the step before, as often as it is asked for
        expect_balance(scene, (const char *const[]){"floor.force", NULL}, 10, 1e-8);
    }
}

static void force_of_a_moving_obstacle_is_what_it_does_to_bodies(void **state)
{
    (void)state;
    expect_balance(
        "bodies:\n"
        "  plate: {kind: obstacle, geometry: {sheet: {width: 1, depth: 1, columns: 2, rows: 2}},\n"
        "    motion: {segments: [{duration: 10, velocity: [0, 0.1, 0]}]}}\n"
        "  block: {geometry: {grid: {size: [0.1, 0.2, 0.1], cells: [2, 4, 2]}}, material: rubber,\n"
        "    position: [0.02, 0.105, 0.03]}\n"
        "contact: {method: barrier}\n"
        "probes: {touch: {contact: [block, plate]}}\n" DYNAMIC NEWTON,
        (const char *const[]){"plate.force", NULL}, 10, 1e-8);
    expect_balance(
        "bodies:\n"
        "  plate: {kind: obstacle, geometry: {sheet: {width: 1, depth: 1, columns: 2, rows: 2}}}\n"
        "  block: {geometry: {grid: {size: [0.1, 0.2, 0.1], cells: [2, 4, 2]}}, material: rubber,\n"
        "    position: [0.02, 0.105, 0.03]}\n"
        "contact: {method: barrier}\n"
        "probes: {touch: {contact: [block, plate]}}\n" DYNAMIC NEWTON,
        (const char *const[]){"touch.force", NULL}, 10, 1e-8);
}

// ---- places

static void probes_tell_what_the_state_says(void **state)
{
    (void)state;
    simulation s;
    init_with(&s,
              BLOCK
              "contact: none\n"
              "constraints: [{body: block, " TOP ", name: support, motion: {segments: [{duration: "
              "1, velocity: [0, 0.05, 0]}]}}]\n"
              "probes:\n"
              "  corner: {body: block, vertex: 5}\n"
              "  inside: {body: block, at: [0.01, 0.02, -0.03]}\n"
              "  far: {at: [0, -7, 0], of: [position]}\n"
              "  top: {body: block, " TOP ", of: [position]}\n"
              "  stretch: {distance: [top, far]}\n"
              "  all: {of: [mass, volume, momentum, kinetic_energy, elastic_energy, position]}\n"
              "time: {frames: 10, steps_per_frame: 1, fps: 10}\n" NEWTON,
              1);
    enum { COUNT = 3 + 3 + 3 + 1 + 1 + 1 + 6 };
    assert_non_null(pli_model_get_probe(s.model, COUNT - 1).name);
    assert_null(pli_model_get_probe(s.model, COUNT).name);
    pli_step_report report = simulation_run(&s, 3);
    const double *x = pli_state_get(s.state).positions, *v = pli_state_get(s.state).velocities;
    near_vector(probe(&report, "corner.position"), x[15], x[16], x[17], 0);
    near_vector(probe(&report, "corner.velocity"), v[15], v[16], v[17], 0);
    const double *inside = probe(&report, "inside.position");
    const double *moved = probe(&report, "inside.displacement");
    near_vector(moved, inside[0] - 0.01, inside[1] - 0.02, inside[2] + 0.03, 1e-15);
    // the nearest material to a point below is on the bottom
    assert_true(probe(&report, "far.position")[1] < -0.08);
    near_vector(probe(&report, "top.position"), 0, 0.115, 0, 1e-12);
    near_vector(probe(&report, "support.displacement"), 0, 0.015, 0, 1e-15);
    const double *top = probe(&report, "top.position"), *far = probe(&report, "far.position");
    NEAR(*probe(&report, "stretch"),
         sqrt(pow(top[0] - far[0], 2) + pow(top[1] - far[1], 2) + pow(top[2] - far[2], 2)), 1e-14,
         0);
    NEAR(*probe(&report, "all.mass"), s.info.mass, 1e-12, 0);
    NEAR(*probe(&report, "all.elastic_energy"), report.energy.elastic, 1e-10, 0);
    NEAR(*probe(&report, "all.kinetic_energy"), report.energy.kinetic, 1e-12, 0);
    NEAR(probe(&report, "all.momentum")[1], report.momentum[1], 1e-12, 0);
    double center[3];
    simulation_center(&s, center);
    near_vector(probe(&report, "all.position"), center[0], center[1], center[2], 1e-14);
    assert_true(*probe(&report, "all.volume") > 0.9 * 0.002);
    simulation_clear(&s);
}

static void nothing_is_known_of_reactions_before_the_first_step(void **state)
{
    (void)state;
    simulation s;
    pli_step_report report;
    init_with(&s, hanging, 1);
    OK(s.context, pli_solver_measure(s.solver, s.state, &report));
    assert_true(isnan(probe(&report, "support.force")[1]));
    pli_solver_set_measuring(s.solver, false);
    OK(s.context, pli_solver_step(s.solver, s.state, &report));
    assert_int_equal(report.probe_count, 0);
    simulation_clear(&s);
}

// ---- particles

static void probes_of_particles_average_over_bodies(void **state)
{
    (void)state;
    simulation s;
    init_with(
        &s,
        "bodies:\n"
        "  left: {geometry: {particles: {shape: {sphere: {radius: 0.1}}}}, material: rubber,\n"
        "    position: [-0.3, 0.5, 0], velocity: [0, 1, 0]}\n"
        "  right: {geometry: {particles: {shape: {sphere: {radius: 0.1}}}}, material: rubber,\n"
        "    position: [0.3, 0.5, 0]}\n"
        "domain: {min: [-1, 0, -1], max: [1, 2, 1], cell: 0.05}\n"
        "gravity: [0, 0, 0]\n"
        "probes:\n"
        "  left: {body: left, of: [position, velocity, momentum, mass, volume]}\n"
        "  right: {body: right}\n"
        "  both: {of: [mass]}\n"
        "  apart: {distance: [left, right]}\n"
        "time: {frames: 1, steps_per_frame: 1, fps: 100}\n",
        1);
    pli_step_report report;
    OK(s.context, pli_solver_measure(s.solver, s.state, &report));
    near_vector(probe(&report, "left.velocity"), 0, 1, 0, 1e-12);
    near_vector(probe(&report, "right.velocity"), 0, 0, 0, 1e-12);
    NEAR(probe(&report, "left.position")[0], -0.3, 0, 0.01);
    NEAR(*probe(&report, "apart"), 0.6, 0, 0.02);
    NEAR(*probe(&report, "both.mass"), s.info.mass, 1e-12, 0);
    NEAR(*probe(&report, "left.volume"), *probe(&report, "left.mass") / 1000, 1e-12, 0);
    NEAR(probe(&report, "left.momentum")[1], *probe(&report, "left.mass"), 1e-12, 0);
    simulation_clear(&s);
}

// ---- what is refused

static void probes_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const list[][2] = {
        {"probes: {p: {vertex: 2, at: [0, 0, 0]}}\n",
         "probes.p: must be one thing: a vertex, at, where, a distance or a contact"},
        {"probes: {p: {vertex: 2000}}\n",
         "probes.p.vertex: found 2000; there are vertices 0 to 111"},
        {"probes: {p: {of: [stres]}}\n", "probes.p.of: found 'stres', which is not measured"},
        {"probes: {p: {vertex: 1, of: [volume]}}\n",
         "probes.p.of: found 'volume', which a single place has none of"},
        {"probes: {p: {of: [J, J]}}\n", "probes.p.of: names 'J' twice"},
        {"probes: {p: {distance: [a, b]}}\n", "probes.p.distance: found 'a', which is no probe"},
        {"probes: {p: {contact: [block, block]}}\n",
         "probes.p.contact: needs contact.method: barrier"},
        {"probes: {p: {body: blok}}\n", "probes.p.body: found 'blok', which is not defined"},
        {"constraints: [{body: block, name: p}]\nprobes: {p: {vertex: 1}}\n",
         "probes.p: 'p' is the name of something else that is measured"},
        {"output: {plots: [{x: time, y: p.force.y}]}\n",
         "output.plots[0].y: found 'p.force.y', which is not measured"},
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml, "%s%s%s", rubber, BLOCK "contact: none\n", list[k][0]);
        expect_no_model(yaml, PLI_ERROR_SCENE, list[k][1]);
    }
}

// ---- memory and threads

static const char *everything =
    FALLING "colliders: {floor: {shape: plane, friction: 0.3}}\n"
            "contact: {method: barrier}\n"
            "constraints: [{body: block, where: {box: {min: [-1, 0.19, -1], max: [1, 1, 1]}}, "
            "name: hand}]\n"
            "attachments: [{body: block, stiffness: 10, name: spring}]\n"
            "probes:\n"
            "  tip: {at: [0, 0, 0], of: [position, stress, log_strain, green_strain, J]}\n"
            "  whole: {of: [volume, elastic_energy, stress_principal, von_mises]}\n" DYNAMIC NEWTON;

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        simulation s;
        init_with(&s, everything, bits.threads);
        pli_step_report report = simulation_run(&s, 3);
        for (int32_t k = 0; k < report.probe_count; ++k) {
            const pli_probe_value *value = &report.probes[k];
            same_bits_keep(&bits, value->values, (size_t)value->components * sizeof(double));
        }
        simulation_clear(&s);
    }
}

static void a_shortage_of_memory_is_told_and_leaves_nothing_behind(void **state)
{
    (void)state;
    char yaml[4096];
    snprintf(yaml, sizeof yaml, "%s%s", rubber, everything);
    for (fault_sweep sweep = {.absorbs = true, .dense = 40, .stride = 7};
         fault_sweep_next(&sweep);) {
        pli_scene *scene = NULL;
        pli_model *model = NULL;
        pli_state *now = NULL;
        pli_solver *solver = NULL;
        pli_step_report report;
        sweep.status =
            pli_scene_parse(sweep.context, yaml, (int64_t)strlen(yaml), "s", NULL, &scene);
        if (sweep.status == PLI_OK)
            sweep.status = pli_model_create(sweep.context, scene, NULL, &model);
        if (sweep.status == PLI_OK) sweep.status = pli_state_create(model, &now);
        if (sweep.status == PLI_OK) sweep.status = pli_solver_create(model, &solver);
        if (sweep.status == PLI_OK) sweep.status = pli_solver_step(solver, now, &report);
        pli_solver_destroy(solver);
        pli_state_destroy(now);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
    }
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    char yaml[4096];
    pli_fault fault = {0};
    simulation s;
    snprintf(yaml, sizeof yaml, "%s%s", rubber, hanging);
    strcat(yaml,
           "probes: {tip: {at: [0, -0.1, 0], of: [position, stress, J]}, all: {of: [volume]}}\n");
    simulation_init_in(&s, fault_context(&fault, 1), yaml);
    simulation_run(&s, 2);
    int64_t calls = fault.calls;
    simulation_run(&s, 2);
    assert_int_equal(fault.calls, calls);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaction_of_a_support_is_the_weight_and_the_forces),
        cmocka_unit_test(reaction_balances_the_loads_of_a_scene),
        cmocka_unit_test(first_of_two_supports_carries_what_the_second_does_not),
        cmocka_unit_test(momentum_changes_by_reactions_and_loads),
        cmocka_unit_test(momentum_changes_by_what_colliders_do),
        cmocka_unit_test(force_of_a_moving_obstacle_is_what_it_does_to_bodies),
        cmocka_unit_test(probes_tell_what_the_state_says),
        cmocka_unit_test(nothing_is_known_of_reactions_before_the_first_step),
        cmocka_unit_test(probes_of_particles_average_over_bodies),
        cmocka_unit_test(probes_that_make_no_sense_are_refused),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(a_shortage_of_memory_is_told_and_leaves_nothing_behind),
        cmocka_unit_test(a_warm_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
