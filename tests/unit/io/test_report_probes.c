// SPDX-License-Identifier: Apache-2.0
//
// What is measured, in the report: from steps as from the lines of steps.jsonl, in bounded memory,
// with the figures that a scene asks for.
#include "simulate.h"

#include "support/fault_sweep.h"

#include "io/report/report.h"
#include "io/run/run_log.h"

static const char *yaml =
    "materials: {m: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "bodies: {bar: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}}\n"
    "contact: none\n"
    "constraints: [{name: wall, where: {half_space: {point: [-0.4, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "probes: {tip: {vertex: 7, of: [displacement, J]}}\n";

// The course of the measured numbers in a page, to be freed.
static char *measured(const pli_report *report, pli_context *context)
{
    static const pli_plot_def plot = {"tip.displacement.y", "wall.force.y"};
    pli_report_facts facts = {.scene = "s",
                              .folder = "f",
                              .solver = "newton",
                              .status = "done",
                              .has_inertia = true,
                              .plots = &plot,
                              .plot_count = 1};
    pli_text text;
    pli_text_init(&text, context);
    pli_report_append(&text, report, &facts);
    assert_false(text.failed);
    const char *begin = strstr(text.bytes, "\"probes\":");
    const char *end = strstr(text.bytes, "</script>");
    assert_non_null(begin);
    char *copy = strndup(begin, (size_t)(end - begin));
    pli_text_clear(&text);
    return copy;
}

static void lines_tell_what_steps_do(void **state)
{
    (void)state;
    simulation s;
    pli_report from_steps, from_lines;
    simulation_init(&s, yaml, 1);
    OK(s.context, pli_report_init(&from_steps, s.context));
    OK(s.context, pli_report_init(&from_lines, s.context));
    OK(s.context, pli_report_measure(&from_steps, s.model));
    OK(s.context, pli_report_measure(&from_lines, s.model));
    for (int step = 0; step < 3; ++step) {
        pli_step_report report = simulation_step(&s);
        pli_report_add(&from_steps, &report);
        pli_text line;
        pli_text_init(&line, s.context);
        pli_log_append_step(&line, &report);
        pli_json json = {.context = s.context};
        OK(s.context, pli_json_parse(&json, line.bytes, line.length - 1));
        pli_report_add_line(&from_lines, &json);
        pli_json_clear(&json);
        pli_text_clear(&line);
    }
    char *steps = measured(&from_steps, s.context), *lines = measured(&from_lines, s.context);
    assert_string_equal(steps, lines);
    assert_non_null(strstr(steps, "{\"name\":\"tip.displacement\",\"unit\":\"m\",\"numbers\":["
                                  "{\"part\":\".x\",\"mean\":["));
    assert_non_null(strstr(steps, "{\"name\":\"tip.J\",\"unit\":\"\",\"numbers\":[{\"part\":\"\""));
    assert_non_null(strstr(
        steps,
        "\"inertia\":true,\"plots\":[{\"x\":\"tip.displacement.y\",\"y\":\"wall.force.y\"}]"));
    free(steps);
    free(lines);
    pli_report_clear(&from_lines);
    pli_report_clear(&from_steps);
    simulation_clear(&s);
}

static void many_steps_are_shown_by_their_means(void **state)
{
    (void)state;
    simulation s;
    pli_report report;
    simulation_init(&s, yaml, 1);
    OK(s.context, pli_report_init(&report, s.context));
    OK(s.context, pli_report_measure(&report, s.model));
    pli_step_report step = simulation_step(&s);
    pli_probe_value values[8];
    assert_in_range(step.probe_count, 1, 8);
    memcpy(values, step.probes, (size_t)step.probe_count * sizeof *values);
    step.probes = values;
    // what is not known counts as nothing
    values[0].values[1] = NAN;
    for (int k = 0; k < 4 * PLI_REPORT_BUCKETS; ++k) {
        step.step = k + 1;
        values[0].values[0] = k % 4;
        pli_report_add(&report, &step);
    }
    assert_int_equal(report.stride, 4);
    for (int32_t b = 0; b < report.bucket_count; ++b) {
        const double *sums = report.probes.sums + (int64_t)b * report.probes.number_count;
        NEAR(sums[0] / 4, 1.5, 1e-15, 0);
        assert_true(sums[1] == 0);
    }
    pli_report_clear(&report);
    simulation_clear(&s);
}

static void a_shortage_of_memory_is_told(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, yaml, 1);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_report report;
        sweep.status = pli_report_init(&report, sweep.context);
        if (sweep.status == PLI_OK) sweep.status = pli_report_measure(&report, s.model);
        pli_report_clear(&report);
    }
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_tell_what_steps_do),
        cmocka_unit_test(many_steps_are_shown_by_their_means),
        cmocka_unit_test(a_shortage_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
