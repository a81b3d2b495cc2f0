// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of particles in a run's files: their lines, what a report remembers of them, its
// judgement and its page.
#include "unit/io/report_pages.h"

#include "io/run/run_json.h"

// Steps in three substeps, of the number's length; all counts differ.
static pli_step_report grid_step(int64_t number)
{
    int32_t n = (int32_t)number;
    pli_step_report step = {.step = number,
                            .time = (double)number / 24,
                            .dt = 1.0 / 24,
                            .solver = "hot",
                            .stop = PLI_STOP_GRADIENT,
                            .iterations = 12 + n % 3,
                            .linear_iterations = 12 + n % 3,
                            .energy_evaluations = 20 + n % 5,
                            .residual = 7e-8,
                            .tolerance = 1e-7,
                            .min_J = 0.9,
                            .phase_count = 2,
                            .phase_name = {"matrix", "smooth"},
                            .phase_seconds = {0.2, 0.1},
                            .seconds = 0.3};
    step.energy = (pli_energies){.kinetic = 2, .elastic = 1, .gravity = -1, .total = 2};
    step.matter = (pli_matter_report){.particles = 1000 + n, .emitted = 1};
    step.grid = (pli_grid_report){.substeps = 3,
                                  .retries = n % 2,
                                  .shortest = 0.01 / n,
                                  .longest = 0.02 + 1e-4 * n,
                                  .nodes = 500 + (n * 7) % 5,
                                  .constrained = 21,
                                  .rounds = 4,
                                  .matrices = 5,
                                  .solves = 13,
                                  .cycles = 14,
                                  .coarsest_iterations = 60,
                                  .capped = n == 2,
                                  .dropped_pairs = 2,
                                  .position_steps = 5000000000,
                                  .repeated_positions = 17,
                                  .level_count = 2,
                                  .level_nodes = {500, 80},
                                  .level_blocks = {40000, 6000},
                                  .level_bytes = {5000000, 700000},
                                  .bytes = 3000000};
    return step;
}

static pli_step_report stalled_step(int64_t number)
{
    pli_step_report step = grid_step(number);
    if (number % 4 != 0) return step;
    step.stop = PLI_STOP_ITERATIONS;
    step.residual = 3e-6;
    step.grid.unconverged = 2;
    return step;
}

static pli_report_facts facts_of_particles(void)
{
    return (pli_report_facts){.scene = "twist",
                              .folder = "out/twist",
                              .solver = "hot",
                              .status = "done",
                              .frame_count = 8,
                              .frames_wanted = 8,
                              .cell = 0.02,
                              .threads = 2};
}

// ---- lines

static void lines_have_the_documented_keys(void **state)
{
    folder_fixture *fix = *state;
    pli_step_report step = grid_step(3);
    pli_text text;
    pli_text_init(&text, fix->context);
    pli_log_append_step(&text, &step);
    pli_json json = {.context = fix->context};
    OK(fix->context, pli_json_parse(&json, text.bytes, text.length - 1));
    const pli_json_node *root = &json.nodes[0];
    expect_keys(&json, root,
                "step time dt solver stop iterations linear_iterations energy_evaluations residual "
                "tolerance implicit energy momentum angular_momentum min_J inverted particles "
                "emitted nodes seconds");
    expect_keys(&json, pli_json_get(&json, root, "implicit"),
                "shortest longest nodes constrained substeps retries unconverged rounds matrices "
                "solves cycles coarsest_iterations capped dropped_pairs position_steps "
                "repeated_positions bytes levels");
    assert_non_null(strstr(text.bytes, "\"levels\":[{\"nodes\":500,\"blocks\":40000,"
                                       "\"bytes\":5000000},{\"nodes\":80,"));
    assert_non_null(
        strstr(text.bytes, "\"inverted\":0,\"particles\":1003,\"emitted\":1,\"nodes\":501,"));
    // an emitter has made none yet, and there is no multigrid
    pli_text_reset(&text);
    step.matter = (pli_matter_report){0};
    step.grid = (pli_grid_report){.substeps = 1, .shortest = 0.04, .longest = 0.04};
    step.min_J = NAN;
    pli_log_append_step(&text, &step);
    assert_non_null(strstr(text.bytes, ",\"implicit\":{\"shortest\":0.04,"));
    assert_null(strstr(text.bytes, "levels"));
    pli_json_clear(&json);
    pli_text_clear(&text);
}

static void iterations_say_of_which_substep_they_are(void **state)
{
    folder_fixture *fix = *state;
    pli_iteration_report iteration = {.step = 4, .iteration = 2, .residual = 1e-3, .substep = 3};
    pli_text text;
    pli_text_init(&text, fix->context);
    pli_log_append_iteration(&text, &iteration);
    assert_non_null(strstr(text.bytes, "{\"step\":4,\"substep\":3,\"iteration\":2,\"residual\":"));
    pli_text_reset(&text);
    iteration.substep = 0;
    pli_log_append_iteration(&text, &iteration);
    assert_non_null(strstr(text.bytes, "{\"step\":4,\"iteration\":2,\"residual\":"));
    pli_text_clear(&text);
}

// ---- reports

static void lines_of_the_log_give_the_same_report(void **state)
{
    enum { STEPS = 30 };
    folder_fixture *fix = *state;
    pli_report direct, replayed;
    make_report(fix, stalled_step, STEPS, &direct);
    replay(fix, stalled_step, STEPS, &replayed);
    const pli_report_grid *want = &direct.grid, *got = &replayed.grid;
    assert_int_equal(want->substeps, 3 * STEPS);
    assert_int_equal(want->unconverged, 2 * (STEPS / 4));
    assert_int_equal(want->position_steps, 5000000000 * STEPS);
    assert_int_equal(want->most_nodes, 504);
    assert_true(want->shortest == 0.01 / STEPS);
    assert_true(want->longest == 0.02 + 1e-4 * STEPS);
    assert_int_equal(got->step_count, want->step_count);
#define X(member, type, key) assert_int_equal(got->member, want->member);
    PLI_GRID_COUNTS(X)
#undef X
    assert_true(got->shortest == want->shortest && got->longest == want->longest);
    assert_int_equal(got->last.nodes, want->last.nodes);
    assert_int_equal(got->last.constrained, 21);
    assert_int_equal(got->last.bytes, 3000000);
    assert_int_equal(got->last.level_count, 2);
    assert_int_equal(got->last.level_blocks[1], 6000);
    assert_int_equal(got->last.level_bytes[0], 5000000);
    assert_int_equal(replayed.unconverged.count, STEPS / 4);
    assert_int_equal(replayed.matter.emitted, STEPS);
    assert_memory_equal(replayed.buckets, direct.buckets,
                        (size_t)direct.bucket_count * sizeof *direct.buckets);
    pli_report_clear(&direct);
    pli_report_clear(&replayed);
}

static void lines_of_earlier_versions_are_read(void **state)
{
    folder_fixture *fix = *state;
    static const char *const lines[] = {
        "{\"step\":1,\"matter\":{\"particles\":90,\"emitted\":4},\"grid\":{\"shortest\":0.01,"
        "\"nodes\":50,\"held\":7,\"pieces\":3,\"solves\":12},\"particles\":90,\"nodes\":50}",
        "{\"step\":1,\"implicit\":{\"shortest\":0.01,\"nodes\":50,\"constrained\":7,\"substeps\":3,"
        "\"solves\":12},\"particles\":90,\"emitted\":4,\"nodes\":50}"};
    for (int k = 0; k < 2; ++k) {
        pli_report report;
        add_lines(fix, &lines[k], 1, &report);
        assert_int_equal(report.grid.step_count, 1);
        assert_int_equal(report.grid.substeps, 3);
        assert_int_equal(report.grid.solves, 12);
        assert_int_equal(report.grid.last.constrained, 7);
        assert_int_equal(report.matter.particles, 90);
        assert_int_equal(report.matter.emitted, 4);
        pli_report_clear(&report);
    }
}

static void damaged_groups_are_read_without_harm(void **state)
{
    folder_fixture *fix = *state;
    static const char *const lines[] = {
        "{\"step\":1,\"implicit\":7}",
        "{\"step\":1,\"implicit\":{\"substeps\":-1,\"nodes\":1e300,\"solves\":null}}",
        "{\"step\":1,\"grid\":7}",
        "{\"step\":1,\"grid\":{\"pieces\":-1,\"nodes\":1e300,\"solves\":null}}",
        "{\"step\":1,\"grid\":{\"pieces\":3e9,\"levels\":{\"nodes\":1}}}",
        "{\"step\":1,\"grid\":{\"pieces\":0,\"levels\":[[],{},3,\"x\",null,{},{},{},{},{},{}]}}"};
    pli_report report;
    add_lines(fix, lines, sizeof lines / sizeof *lines, &report);
    assert_int_equal(report.grid.step_count, 0);
    pli_report_clear(&report);
}

static const char *convergence_of(folder_fixture *fix, pli_step_report (*make)(int64_t),
                                  pli_health *health, char text[PLI_HEALTH_TEXT])
{
    pli_report report;
    pli_report_facts facts = facts_of_particles();
    pli_health_check checks[PLI_HEALTH_CHECKS];
    make_report(fix, make, 40, &report);
    pli_report_judge(&report, &facts, checks);
    *health = checks[1].health;
    memcpy(text, checks[1].text, PLI_HEALTH_TEXT);
    pli_report_clear(&report);
    return text;
}

static void convergence_is_judged_in_words(void **state)
{
    folder_fixture *fix = *state;
    pli_health health;
    char text[PLI_HEALTH_TEXT];
    assert_string_equal(convergence_of(fix, grid_step, &health, text),
                        "every step reached its tolerance");
    assert_int_equal(health, PLI_HEALTH_GOOD);
    convergence_of(fix, stalled_step, &health, text);
    assert_int_equal(health, PLI_HEALTH_BAD);
    assert_non_null(strstr(text,
                           "10 of 40 steps, or 20 of the 120 substeps they were cut into: 4, 8, "
                           "12, 16, 20, 24 and 4 more; residual 30 times the tolerance"));
    assert_non_null(strstr(text, "shorter steps help"));
}

// ---- files

static void page_tells_nodes_substeps_and_levels(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    pli_report_facts facts = facts_of_particles();
    make_report(fix, grid_step, 8, &report);
    char *page = page_of(fix, &report, &facts);
    static const char *const said[] = {
        "<span>Particles</span><b>1008</b>",
        "<span>Nodes</span><b>501</b>",
        "<span>Constrained nodes</span><b>21</b>",
        "<span>Substeps per step</span><b>3</b>",
        "<span>Shortest substep</span><b>0.00125 s</b>",
        "<span>Longest substep</span><b>0.0208 s</b>",
        "<span>Iterations per step</span>",
        "<span>Solves for changed contact</span><b>8</b>",
        "<span>Substeps redone</span><b>4</b>",
        "<span>Linear solves cut short</span><b>1</b>",
        "every step reached its tolerance",
        "<h2>Levels of the grid",
        "<tr><td>0</td><td>500</td><td>40000</td><td>80.0</td><td>4.8 MiB</td></tr>",
        "<tr><td>1</td><td>80</td><td>6000</td><td>75.0</td><td>0.7 MiB</td></tr>",
        "<tr><td>all else</td><td>501</td><td></td><td></td><td>2.9 MiB</td></tr>",
        "\"implicit\":true"};
    for (size_t k = 0; k < sizeof said / sizeof *said; ++k) {
        if (strstr(page, said[k]) == NULL) fail_msg("the page does not say %s", said[k]);
    }
    assert_null(strstr(page, "Sweeps per step"));
    assert_null(strstr(page, "Vertices"));
    assert_null(strstr(page, "explicit"));
    free(page);
    pli_report_clear(&report);
}

static void record_has_sums_and_levels(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    make_report(fix, grid_step, 8, &report);
    pli_model_info model = {.cfl = 0.6, .tolerance = 1e-7, .tolerance_unit = ""};
    pli_run_record record = {.report = &report, .facts = facts_of_particles(), .model = &model};
    pli_text text;
    pli_text_init(&text, fix->context);
    pli_run_json_append(&text, &record);
    assert_false(text.failed);
    write_bytes(in_folder(fix, "run.json"), text.bytes, (size_t)text.length);
    pli_text_clear(&text);
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "run.json"), &count);
    pli_json json = {.context = fix->context};
    OK(fix->context, pli_json_parse(&json, bytes, (int64_t)count));
    const pli_json_node *root = &json.nodes[0], *grid = pli_json_get(&json, root, "implicit");
    assert_true(pli_json_number(&json, root, "particles", 0) == 1008);
    assert_true(pli_json_number(&json, root, "tolerance", 0) == 1e-7);
    assert_true(pli_json_number(&json, root, "unconverged", -1) == 0);
    assert_true(pli_json_number(&json, root, "iterations", 0) == (double)report.iterations);
    assert_true(pli_json_number(&json, grid, "substeps", 0) == 24);
    assert_true(pli_json_number(&json, grid, "shortest", 0) == 0.01 / 8);
    const pli_json_node *level = pli_json_child(&json, pli_json_get(&json, grid, "levels"));
    assert_true(pli_json_number(&json, pli_json_next(&json, level), "blocks", 0) == 6000);
    static const char *const absent[] = {"sweeps", "vertices", "block_updates"};
    for (int k = 0; k < 3; ++k) assert_null(pli_json_get(&json, root, absent[k]));
    pli_json_clear(&json);
    free(bytes);
    pli_report_clear(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(lines_have_the_documented_keys),
        TEST_IN_FOLDER(iterations_say_of_which_substep_they_are),
        TEST_IN_FOLDER(lines_of_the_log_give_the_same_report),
        TEST_IN_FOLDER(lines_of_earlier_versions_are_read),
        TEST_IN_FOLDER(damaged_groups_are_read_without_harm),
        TEST_IN_FOLDER(convergence_is_judged_in_words),
        TEST_IN_FOLDER(page_tells_nodes_substeps_and_levels),
        TEST_IN_FOLDER(record_has_sums_and_levels),
    };
    return cmocka_run_group_tests_name("report_grid", tests, NULL, NULL);
}
