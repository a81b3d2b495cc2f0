// SPDX-License-Identifier: Apache-2.0
//
// Presets under barriers: a soft body that hits a stair fast enough to be squeezed flat in places.
// Laws that survive inversion do not resist that, and barriers do not let it pass: minimisations
// ended between the two. Presets have a law that resists.
#include "simulate.h"

// A ball that falls on the edges of two steps at 5 m/s; young 0: the preset's own.
static void begin(simulation *s, const char *preset, double young, const char *law)
{
    char stiffness[64] = "";
    char yaml[1536];
    if (young > 0) snprintf(stiffness, sizeof stiffness, ", young: %g", young);
    snprintf(yaml, sizeof yaml,
             "materials: {soft: {preset: %s%s%s%s}}\n"
             "bodies:\n"
             "  ball:\n"
             "    geometry: {fill: {shape: {sphere: 0.08}, vertices: 300}}\n"
             "    material: soft\n"
             "    position: [0.01, 0.135, 0]\n"
             "    velocity: [0, -5, 0]\n"
             "  low: {kind: obstacle, geometry: {fill: {shape: {box: {size: [0.3, 0.02, 0.3]}}, "
             "vertices: 60}}, position: [0.1, 0.01, 0]}\n"
             "  high: {kind: obstacle, geometry: {fill: {shape: {box: {size: [0.3, 0.05, 0.3]}}, "
             "vertices: 60}}, position: [-0.15, 0.025, 0]}\n"
             "contact: {method: barrier, distance: 1e-3}\n"
             "time: {fps: 60, frames: 6}\n",
             preset, stiffness, law[0] != '\0' ? ", law: " : "", law);
    simulation_init(s, yaml, 2);
}

static void every_preset_converges_on_a_stair(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        double young;
    } cases[] = {{"tissue", 1e3}, {"tissue", 0}, {"rubber", 1e4}, {"rubber", 0},
                 {"bone", 0},     {"pvc", 0},    {"metal", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        simulation s;
        begin(&s, cases[k].preset, cases[k].young, "");
        double least = 1;
        for (int step = 0; step < 6; ++step) {
            pli_step_report report = simulation_step(&s);
            assert_int_equal(report.inverted, 0);
            least = fmin(least, report.min_J);
        }
        AT_LEAST(least, 1e-2);
        simulation_clear(&s);
    }
}

static void the_law_of_presets_is_told(void **state)
{
    (void)state;
    simulation s;
    begin(&s, "tissue", 0, "");
    assert_string_equal(pli_scene_get(s.scene)->materials[0].law, "neo-hookean");
    assert_non_null(strstr(pli_scene_get_info(s.scene).contact, "law of soft: neo-hookean"));
    simulation_clear(&s);

    // what is stated stays
    begin(&s, "tissue", 0, "fixed-corotated");
    assert_string_equal(pli_scene_get(s.scene)->materials[0].law, "fixed-corotated");
    assert_null(strstr(pli_scene_get_info(s.scene).contact, "law of"));
    simulation_clear(&s);
}

// The same with the law that presets have elsewhere, so that the test above is one.
static void a_law_that_survives_inversion_stalls_there(void **state)
{
    (void)state;
    simulation s;
    begin(&s, "tissue", 1e3, "fixed-corotated");
    int32_t failed = 0;
    for (int step = 0; step < 6; ++step) {
        pli_step_report report;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        failed += report.stop <= 0;
    }
    AT_LEAST(failed, 1);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_converges_on_a_stair),
        cmocka_unit_test(the_law_of_presets_is_told),
        cmocka_unit_test(a_law_that_survives_inversion_stalls_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
