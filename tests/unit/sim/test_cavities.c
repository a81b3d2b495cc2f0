// SPDX-License-Identifier: Apache-2.0
//
// Cavities of a scene: which surface encloses them, what is reported, what they cost, what is
// refused.
#include "promises.h"

#include "base/context.h"
#include "sim/step/mesh_stepper.h"

#define SKIN "materials: {skin: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}}\n"
#define BALL                                                                                    \
    "bodies: {ball: {kind: shell, thickness: 2e-3, geometry: {fill: {shape: {sphere: {radius: " \
    "0.1}}, "                                                                                   \
    "vertices: 300}}, material: skin}}\n"
#define HOLLOW                                                                           \
    "bodies: {ball: {geometry: {fill: {shape: {shell: {shape: {sphere: {radius: 0.1}}, " \
    "thickness: 0.06}}, spacing: 0.04}}, material: skin}}\n"
#define SHORT "contact: none\ntime: {fps: 60, frames: 1}\n"

// A shell, and the hole of a solid, face outwards from the cavity, so that a pressure inside makes
// both larger.
static void a_pressure_inside_makes_a_cavity_larger(void **state)
{
    (void)state;
    static const char *const bodies[] = {BALL, HOLLOW};
    for (int k = 0; k < 2; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 SKIN "%s" SHORT "cavities: {air: {body: ball, content: {pressure: 1e3}}}\n",
                 bodies[k]);
        simulation s;
        simulation_init(&s, yaml, 1);
        double volume = s.model->cavities[0].law.volume;
        double radius = cbrt(volume * 3 / (4 * 3.14159265358979));
        // a lattice of 0.04 m has a sphere of 0.1 m, or 0.07 m, coarsely
        NEAR(radius, k == 0 ? 0.1 : 0.07, 0.15, 0);
        pli_step_report report = simulation_step(&s);
        assert_int_equal(report.cavity_count, 1);
        assert_string_equal(report.cavities[0].name, "air");
        AT_LEAST(report.cavities[0].volume, 1.0001 * volume);
        NEAR(report.cavities[0].pressure, 1e3, 1e-14, 0);
        AT_MOST(report.energy.cavity, 0);
        simulation_clear(&s);
    }
}

// A liquid of water's modulus within a soft skin, 2000 times as stiff as another: what Newton's
// method needs more comes from volumes that are no linear function of positions, and grows slowly.
static void a_stiff_liquid_costs_few_iterations(void **state)
{
    (void)state;
    static const char *const moduli[] = {"1e6", "2.2e9"};
    static const char *const solvers[] = {"newton", "ipc-pcg", "ipc-llt", "lbfgs"};
    for (int k = 0; k < 4; ++k) {
        int64_t outer[2], inner[2];
        for (int i = 0; i < 2; ++i) {
            char yaml[1024];
            snprintf(yaml, sizeof yaml,
                     SKIN BALL "contact: none\nconstraints: [{where: {half_space: {point: [0, "
                               "0.09, 0], normal: [0, 1, 0]}}}]\n"
                               "time: {fps: 30, frames: 5}\nsolver: %s\n"
                               "cavities: {water: {body: ball, content: {liquid: {bulk: %s, "
                               "density: 1000}}}}\n",
                     solvers[k], moduli[i]);
            simulation s;
            simulation_init(&s, yaml, 1);
            // 4.2 kg of water, less what the lattice cuts off
            AT_LEAST(s.info.mass, 3);
            outer[i] = inner[i] = 0;
            for (int step = 0; step < 5; ++step) {
                pli_step_report report = simulation_step(&s);
                outer[i] += report.iterations;
                inner[i] += report.linear_iterations;
                NEAR(report.cavities[0].volume, s.model->cavities[0].law.volume, 1e-2, 0);
            }
            simulation_clear(&s);
        }
        AT_MOST((double)outer[1], 4 * (double)outer[0]);
        AT_MOST((double)inner[1], 4 * (double)inner[0]);
    }
}

static void copies_have_cavities_of_their_own(void **state)
{
    (void)state;
    static const char *yaml =
        SKIN "bodies: {ball: {kind: shell, geometry: {grid: {cells: [1, 1, 1]}}, material: skin, "
             "copies: {count: [2, 1, 1], spacing: [2, 0, 0]}}}\n" SHORT
             "cavities: {air: {body: ball, content: gas}}\n";
    simulation s;
    simulation_init(&s, yaml, 1);
    pli_step_report report = simulation_step(&s);
    assert_int_equal(report.cavity_count, 2);
    assert_string_equal(report.cavities[0].name, "air of ball-1");
    assert_string_equal(report.cavities[1].name, "air of ball-2");
    NEAR(report.cavities[1].volume, 1, 1e-3, 0);
    simulation_clear(&s);
}

// ---- promises

static const char *blown =
    SKIN BALL "contact: none\ntime: {fps: 60, frames: 3}\n"
              "cavities:\n"
              "  air: {body: ball, content: {gas: {pressure: 100}}, over_time: [{time: 0, factor: "
              "1}, {time: 1, factor: 3}]}\n"
              "  pump: {body: ball, content: {pressure: 50}}\n";

static void states_are_all_there_is(void **state)
{
    (void)state;
    expect_no_memory_in_solvers(blown, 3);
    expect_same_after_restoring(blown, 2);
    uint64_t one = hash_after(blown, 1, 3, "newton");
    assert_true(one == hash_after(blown, 2, 3, "newton"));
    assert_true(one == hash_after(blown, 4, 3, "newton"));
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    expect_no_leak(SKIN "bodies: {ball: {kind: shell, geometry: {grid: {cells: [1, 1, 1]}}, "
                        "material: skin}}\n" SHORT
                        "cavities: {air: {body: ball, content: {gas: {density: 1}}, over_time: "
                        "[{time: 0, factor: 1}]}}\n",
                   false);
}

// ---- rules

static void expect_refused(const char *text, const char *message)
{
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    char got[1024];
    pli_status status =
        pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    pli_context_message(context, got, sizeof got);
    if (status == PLI_OK || strstr(got, message) == NULL) {
        fprintf(stderr, "got:  %s\nwant: %s\n", status == PLI_OK ? "no error" : got, message);
        fail();
    }
    assert_null(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

#define SHEET \
    "bodies: {ball: {kind: shell, geometry: {sheet: {columns: 1, rows: 1}}, material: skin}}\n"
#define CUBE "bodies: {ball: {geometry: {grid: {cells: [1, 1, 1]}}, material: skin}}\n"

static void wrong_cavities_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {SHEET, "{body: ball, content: gas}",
         "cavities.air.body: the surface of body ball is open at 4 edges, one of them from"},
        {CUBE, "{body: ball, content: gas}",
         "cavities.air.where: body ball has no inner surfaces that this selects"},
        {CUBE, "{body: bal, content: gas}", "did you mean 'ball'?"},
        {BALL, "{body: ball, surface: inner, content: gas}",
         "cavities.air.surface: found 'inner', which a solid has around a hole"},
        {BALL, "{body: ball, content: {gas: {pressure: -2e5}}}",
         "cavities.air.content.gas.pressure: leaves no gas"},
        {BALL, "{body: ball, content: liquid, over_time: [{time: 0, factor: 0}]}",
         "cavities.air.over_time[0].factor: found '0'; expected more than 0"},
        {BALL, "{body: ball, content: gas}}\nsolver: {name: vbd}\n#",
         "cavities: a cavity couples all vertices around it with each other, which solver vbd"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char text[1024];
        snprintf(text, sizeof text, SKIN "%scontact: none\ncavities: {air: %s}\n", rows[k][0],
                 rows[k][1]);
        // the shell of the last row is refused by vbd as such
        if (k + 1 == sizeof rows / sizeof *rows) {
            snprintf(text, sizeof text,
                     SKIN HOLLOW
                     "contact: none\nsolver: vbd\ncavities: {air: {body: ball, content: gas}}\n");
        }
        expect_refused(text, rows[k][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pressure_inside_makes_a_cavity_larger),
        cmocka_unit_test(a_stiff_liquid_costs_few_iterations),
        cmocka_unit_test(copies_have_cavities_of_their_own),
        cmocka_unit_test(states_are_all_there_is),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(wrong_cavities_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
