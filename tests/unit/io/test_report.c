// SPDX-License-Identifier: Apache-2.0
//
// The report of a run: what it remembers of many steps, how it judges them, and its page.
#include "support/fault_sweep.h"
#include "unit/io/report_pages.h"

// A calm step: falling and swinging, converged.
static pli_step_report calm_step(int64_t number)
{
    double t = (double)number / 48.0;
    pli_step_report step = {.step = number,
                            .time = t,
                            .dt = 1 / 48.0,
                            .solver = "newton",
                            .stop = PLI_STOP_GRADIENT,
                            .iterations = 3 + (int32_t)(number % 3),
                            .linear_iterations = 40 + number % 17,
                            .residual = 1e-5 * (0.2 + 0.6 * fabs(sin((double)number))),
                            .tolerance = 1e-5,
                            .min_J = 0.9 - 0.2 * fabs(sin(3 * t)),
                            .vertices = 100,
                            .phase_count = 3,
                            .phase_name = {"assembly", "linear solve", "line search"},
                            .phase_seconds = {0.002, 0.005 + 0.002 * fabs(sin(t)), 0.001},
                            .seconds = 0.008 + 0.002 * fabs(sin(t))};
    step.energy.elastic = 10 * exp(-t) * pow(sin(3 * t), 2);
    step.energy.kinetic = 10 * exp(-t) * pow(cos(3 * t), 2);
    step.energy.gravity = -2 * t;
    step.energy.total = step.energy.elastic + step.energy.kinetic + step.energy.gravity;
    return step;
}

static pli_report_facts calm_facts(void)
{
    return (pli_report_facts){.scene = "demo",
                              .folder = "out/demo",
                              .solver = "newton",
                              .status = "done",
                              .frame_count = 10,
                              .frames_wanted = 10,
                              .vertices = 100,
                              .tets = 400,
                              .threads = 2,
                              .wall_seconds = 1.5,
                              .peak_memory = 1e8};
}

static void add_calm_steps(pli_report *report, int64_t count)
{
    for (int64_t i = 1; i <= count; ++i) {
        pli_step_report step = calm_step(i);
        pli_report_add(report, &step);
    }
}

static void many_steps_keep_sums_and_spikes(void **state)
{
    folder_fixture *fix = *state;
    enum { COUNT = 100003, SPIKE = 54321 };
    pli_report report;
    OK(fix->context, pli_report_init(&report, fix->context));
    for (int64_t i = 1; i <= COUNT; ++i) {
        pli_step_report step = calm_step(i);
        if (i == SPIKE) step.iterations = 777;
        pli_report_add(&report, &step);
    }
    assert_true(report.bucket_count <= PLI_REPORT_BUCKETS);
    assert_true(report.bucket_count > PLI_REPORT_BUCKETS / 4);
    int64_t steps = 0;
    double iterations = 0;
    double most = 0;
    double phase = 0;
    for (int32_t i = 0; i < report.bucket_count; ++i) {
        const pli_report_bucket *bucket = &report.buckets[i];
        // all but the last bucket are full, and their ends are where they should be
        assert_true(i == report.bucket_count - 1 || bucket->step_count == report.stride);
        steps += bucket->step_count;
        assert_int_equal(bucket->last_step, steps);
        iterations += bucket->sum[PLI_CHANNEL_ITERATIONS];
        most = fmax(most, bucket->max[PLI_CHANNEL_ITERATIONS]);
        phase += bucket->phase_seconds[1];
    }
    assert_int_equal(steps, COUNT);
    // integers add up exactly
    assert_true(iterations == (double)report.iterations);
    assert_true(most == 777);
    // the same terms in another order: 1e5 roundings
    NEAR(phase, report.phase_seconds[1], 1e-11, 0);
    pli_report_clear(&report);
}

static pli_health judge(folder_fixture *fix, void (*change)(int64_t, pli_step_report *),
                        const char *name, char *text)
{
    pli_report report;
    pli_report_facts facts = calm_facts();
    pli_health_check checks[PLI_HEALTH_CHECKS];
    OK(fix->context, pli_report_init(&report, fix->context));
    for (int64_t i = 1; i <= 100; ++i) {
        pli_step_report step = calm_step(i);
        if (change != NULL) change(i, &step);
        pli_report_add(&report, &step);
    }
    pli_health worst = pli_report_judge(&report, &facts, checks);
    for (int i = 0; i < PLI_HEALTH_CHECKS; ++i) {
        bool named = name != NULL && checks[i].name != NULL && strcmp(checks[i].name, name) == 0;
        // only the named check may complain
        assert_int_equal(checks[i].health, named ? worst : PLI_HEALTH_GOOD);
        if (named) strcpy(text, checks[i].text);
    }
    pli_report_clear(&report);
    return worst;
}

static void one_unconverged(int64_t i, pli_step_report *step)
{
    if (i != 30) return;
    step->stop = PLI_STOP_ITERATIONS;
    step->residual = 2.5e-4;
}

static void few_unconverged(int64_t i, pli_step_report *step)
{
    if (i != 12 && i != 13 && i != 77) return;
    step->stop = PLI_STOP_LINEAR;
    step->residual = i == 13 ? 4.1e-5 : 2e-5;
}

static void many_unconverged(int64_t i, pli_step_report *step)
{
    if (i % 10 == 0) step->stop = PLI_STOP_LINESEARCH;
}

static void not_finite(int64_t i, pli_step_report *step)
{
    if (i == 77) step->momentum[1] = NAN;
}

static void inverted_at_start(int64_t i, pli_step_report *step)
{
    if (i >= 4) return;
    step->inverted = (int32_t)(10 - i);
    step->min_J = -0.1;
}

static void inverted_at_end(int64_t i, pli_step_report *step)
{
    if (i == 100) step->inverted = 3;
}

static void energy_grows(int64_t i, pli_step_report *step)
{
    if (i > 90) step->energy.total += 5;
}

static void touches(int64_t i, pli_step_report *step)
{
    step->collides = true;
    step->barrier_distance = 1e-3;
    step->min_gap = i == 40 ? 2e-4 : INFINITY;
    step->contacts = i == 41 ? 7 : 0;
}

static void goes_through(int64_t i, pli_step_report *step)
{
    touches(i, step);
    if (i == 50) step->min_gap = 0;
}

static void nearly_touches(int64_t i, pli_step_report *step)
{
    touches(i, step);
    if (i == 50) step->min_gap = 1e-10;
}

static void penetrates(int64_t i, pli_step_report *step)
{
    step->collides = true;
    step->min_gap = -1e-3;
    step->max_depth = i == 9 ? 3e-3 : 1e-3;
    step->contacts = 3;
}

static void keeps_particles(int64_t i, pli_step_report *step)
{
    step->matter = (pli_matter_report){.particles = 1000 + 10 * i, .emitted = 10, .ticks = 8};
    step->matter.retries = i == 3;
}

static void loses_particles(int64_t i, pli_step_report *step)
{
    keeps_particles(i, step);
    step->matter.particles -= (i >= 50 ? 2 : 0) + (i >= 60 ? 4 : 0);
    step->matter.retries = 0;
}

static void begins_anew(int64_t i, pli_step_report *step)
{
    keeps_particles(i, step);
    step->matter.retries = 1;
}

static void every_fault_is_judged_by_its_own_check(void **state)
{
    folder_fixture *fix = *state;
    char text[PLI_HEALTH_TEXT];
    assert_int_equal(judge(fix, NULL, NULL, text), PLI_HEALTH_GOOD);
    assert_int_equal(judge(fix, one_unconverged, "Convergence", text), PLI_HEALTH_DOUBTFUL);
    assert_string_equal(text, "did not converge in 1 of 100 steps: 30; residual 25 times the "
                              "tolerance at worst. More solver.max_iterations or shorter steps "
                              "help");
    assert_int_equal(judge(fix, few_unconverged, "Convergence", text), PLI_HEALTH_DOUBTFUL);
    assert_non_null(strstr(text, "in 3 of 100 steps: 12, 13 and 77; residual 4.1 times"));
    assert_non_null(strstr(text, "The linear solver found no direction"));
    assert_int_equal(judge(fix, many_unconverged, "Convergence", text), PLI_HEALTH_BAD);
    assert_non_null(strstr(text, "10 of 100 steps: 10, 20, 30, 40, 50, 60 and 4 more; residual"));
    assert_non_null(strstr(text, "The line search found no way further down"));
    assert_int_equal(judge(fix, not_finite, "Numbers", text), PLI_HEALTH_BAD);
    assert_string_equal(text, "numbers that are not finite in 1 step: 77");
    assert_int_equal(judge(fix, inverted_at_start, "Inversion", text), PLI_HEALTH_DOUBTFUL);
    assert_non_null(strstr(text, "inverted tetrahedra in 3 steps: 1 to 3; up to 9 of them"));
    assert_int_equal(judge(fix, inverted_at_end, "Inversion", text), PLI_HEALTH_BAD);
    assert_int_equal(judge(fix, energy_grows, "Energy", text), PLI_HEALTH_DOUBTFUL);
    assert_non_null(strstr(text, "nothing in the scene puts energy in"));
    assert_int_equal(judge(fix, touches, "Contact", text), PLI_HEALTH_GOOD);
    assert_string_equal(text, "the smallest gap was 0.0002 m, 20 % of the 0.001 m at which contact "
                              "begins, at step 40; up to 7 pairs touched, at step 41");
    assert_int_equal(judge(fix, goes_through, "Contact", text), PLI_HEALTH_BAD);
    assert_non_null(strstr(text, "Bodies went through each other"));
    assert_int_equal(judge(fix, nearly_touches, "Contact", text), PLI_HEALTH_DOUBTFUL);
    assert_int_equal(judge(fix, penetrates, "Contact", text), PLI_HEALTH_GOOD);
    assert_non_null(strstr(text, "the deepest penetration was 0.003 m, at step 9"));
    assert_int_equal(judge(fix, keeps_particles, "Particles", text), PLI_HEALTH_GOOD);
    assert_string_equal(text, "none was lost; 1 step was redone, shorter: 3");
    assert_int_equal(judge(fix, loses_particles, "Particles", text), PLI_HEALTH_BAD);
    assert_non_null(strstr(text, "6 particles were lost in 2 steps: 50 and 60; no step"));
    assert_int_equal(judge(fix, begins_anew, "Particles", text), PLI_HEALTH_DOUBTFUL);
    assert_non_null(strstr(text, "100 steps were redone, shorter: 1 to 100"));
}

static void steps_are_told_by_their_numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t steps[10]; // ended by 0
        const char *text;
    } cases[] = {{{0}, ""},
                 {{7}, "7"},
                 {{7, 8}, "7 and 8"},
                 {{7, 8, 9}, "7 to 9"},
                 {{1, 2, 3, 10, 11}, "1 to 3, 10 and 11"},
                 {{1, 2, 5}, "1, 2 and 5"},
                 {{1, 3, 5, 7, 9, 11}, "1, 3, 5, 7, 9 and 11"},
                 {{1, 3, 5, 7, 9, 11, 13, 14, 15}, "1, 3, 5, 7, 9, 11 and 3 more"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pli_report_steps steps = {0};
        char text[PLI_REPORT_STEPS_TEXT];
        for (int i = 0; cases[k].steps[i] > 0; ++i) {
            pli_report_steps_add(&steps, cases[k].steps[i]);
        }
        pli_report_steps_say(&steps, text);
        assert_string_equal(text, cases[k].text);
    }
    // the longest there can be
    pli_report_steps steps = {0};
    char text[PLI_REPORT_STEPS_TEXT];
    for (int64_t i = 0; i < 100; ++i)
        pli_report_steps_add(&steps, INT64_MAX - 1000 + i / 3 * 5 + i % 3);
    pli_report_steps_say(&steps, text);
    assert_non_null(strstr(text, " and 82 more"));
}

static void warnings_that_differ_in_numbers_are_one(void **state)
{
    (void)state;
    static pli_report_notes notes;
    char text[600];
    for (int k = 0; k < 50; ++k) {
        snprintf(text, sizeof text, "step %d: friction still changes after 16 solves", k + 9);
        pli_report_notes_hear(&notes, PLI_LOG_WARNING, text);
        pli_report_notes_hear(&notes, PLI_LOG_INFO, "not a warning");
    }
    pli_report_notes_hear(&notes, PLI_LOG_WARNING, "step 1: friction");
    assert_int_equal(notes.count, 2);
    assert_int_equal(notes.notes[0].count, 50);
    assert_string_equal(notes.notes[0].text, "step 9: friction still changes after 16 solves");
    // long ones are cut, and known again
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int k = 0; k < 2; ++k) pli_report_notes_hear(&notes, PLI_LOG_WARNING, text);
    assert_int_equal(notes.count, 3);
    assert_int_equal(notes.notes[2].count, 2);
    // there is an end
    for (int k = 0; k < 100; ++k) {
        snprintf(text, sizeof text, "%c%c", 'a' + k / 26, 'a' + k % 26);
        pli_report_notes_hear(&notes, PLI_LOG_WARNING, text);
    }
    assert_int_equal(notes.count, PLI_REPORT_NOTES);
    assert_int_equal(notes.untold, 100 - (PLI_REPORT_NOTES - 3));
}

static void lines_of_the_log_give_the_same_report(void **state)
{
    folder_fixture *fix = *state;
    pli_report direct;
    pli_report replayed;
    OK(fix->context, pli_report_init(&direct, fix->context));
    pli_log *log = new_log(fix);
    pli_text text;
    pli_text_init(&text, fix->context);
    for (int64_t i = 1; i <= 700; ++i) {
        pli_step_report step = calm_step(i);
        if (i == 500) not_finite(77, &step);
        if (i == 600) one_unconverged(30, &step);
        if (i <= 650) pli_report_add(&direct, &step);
        pli_text_reset(&text);
        pli_log_append_step(&text, &step);
        OK(fix->context, pli_log_append(log, text.bytes, text.length));
    }
    // a write that was cut short by a kill
    OK(fix->context, pli_log_append(log, "{\"step\":701,\"ti", 15));
    pli_text_clear(&text);
    pli_log_destroy(log);

    // only what lies before the checkpoint stays, and the report is the same
    read_log(fix, 650, &replayed);
    assert_int_equal(replayed.step_count, 650);
    assert_int_equal(replayed.bucket_count, direct.bucket_count);
    assert_int_equal(replayed.unconverged.count, 1);
    assert_int_equal(replayed.nonfinite.count, 1);
    assert_string_equal(replayed.phase_names[1], "linear solve");
    assert_true(replayed.worst_ratio == direct.worst_ratio);
    for (int32_t i = 0; i < direct.bucket_count; ++i) {
        assert_memory_equal(&replayed.buckets[i], &direct.buckets[i], sizeof direct.buckets[i]);
    }
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "steps.jsonl"), &count);
    int lines = 0;
    for (size_t i = 0; i < count; ++i) lines += bytes[i] == '\n';
    assert_int_equal(lines, 650);
    assert_int_equal(bytes[count - 1], '\n');
    free(bytes);
    pli_report_clear(&direct);
    pli_report_clear(&replayed);
}

// A step in which very many pairs of bodies touch: a line of some 200 kB.
static pli_step_report crowded_step(int64_t number, const pli_contact_pair *pairs, int32_t count)
{
    pli_step_report step = calm_step(number);
    step.collides = true;
    step.contacts = 5 * count;
    step.min_gap = number % 2 == 0 ? 3e-4 : INFINITY;
    step.barrier_distance = 1e-3;
    step.barrier_stiffness = 1e5;
    step.pair_count = number % 2 == 0 ? count : 0;
    step.pairs = pairs;
    return step;
}

static void lines_of_barriers_may_be_long_and_give_the_same_report(void **state)
{
    enum { PAIRS = 1000, STEPS = 6 };
    folder_fixture *fix = *state;
    pli_contact_pair *pairs = calloc(PAIRS, sizeof *pairs);
    assert_non_null(pairs);
    for (int32_t k = 0; k < PAIRS; ++k) {
        pairs[k] =
            (pli_contact_pair){"one body of many",          "another body",        5, 1e-4 / 3,
                               {1.0 / 3, 2.0 / 3, 4.0 / 3}, {0.1 / 3, 0, -0.2 / 3}};
    }
    pli_report direct, replayed;
    OK(fix->context, pli_report_init(&direct, fix->context));
    pli_log *log = new_log(fix);
    pli_text text;
    pli_text_init(&text, fix->context);
    for (int64_t i = 1; i <= STEPS; ++i) {
        pli_step_report step = crowded_step(i, pairs, PAIRS);
        pli_report_add(&direct, &step);
        pli_text_reset(&text);
        pli_log_append_step(&text, &step);
        if (i % 2 == 0) AT_LEAST((double)text.length, 1e5);
        OK(fix->context, pli_log_append(log, text.bytes, text.length));
    }
    pli_text_clear(&text);
    pli_log_destroy(log);
    read_log(fix, STEPS, &replayed);
    assert_int_equal(replayed.step_count, STEPS);
    for (int32_t i = 0; i < STEPS; ++i) {
        const pli_report_bucket *bucket = &replayed.buckets[i];
        assert_memory_equal(bucket, &direct.buckets[i], sizeof *bucket);
        // the gap is that of contact when nothing is near
        assert_true(bucket->sum[PLI_CHANNEL_GAP] == (i % 2 == 0 ? 1e-3 : 3e-4));
        assert_true(bucket->sum[PLI_CHANNEL_PAIRS] == (i % 2 == 0 ? 0 : PAIRS));
    }
    free(pairs);
    pli_report_clear(&direct);
    pli_report_clear(&replayed);
}

static void log_line_has_the_documented_keys(void **state)
{
    folder_fixture *fix = *state;
    pli_step_report step = calm_step(12);
    step.energy.contact = 0.5;
    step.residual = INFINITY;
    pli_text text;
    pli_text_init(&text, fix->context);
    pli_log_append_step(&text, &step);
    assert_int_equal(text.bytes[text.length - 1], '\n');
    pli_json json = {.context = fix->context};
    OK(fix->context, pli_json_parse(&json, text.bytes, text.length - 1));
    expect_keys(&json, &json.nodes[0],
                "step time dt solver stop iterations linear_iterations residual tolerance energy "
                "momentum angular_momentum min_J inverted vertices seconds");
    assert_string_equal(pli_json_text(&json, &json.nodes[0], "stop", ""), "gradient");
    assert_int_equal(pli_json_get(&json, &json.nodes[0], "residual")->kind, PLI_JSON_NULL);
    // every digit survives
    assert_true(pli_json_number(&json, &json.nodes[0], "time", 0) == step.time);
    assert_true(pli_json_number(&json, pli_json_get(&json, &json.nodes[0], "energy"), "total", 0) ==
                step.energy.total);
    pli_json_clear(&json);
    pli_text_clear(&text);
}

// A step of particles: ticks of 2^-10 or 2^-12 of it, and steps of 4 and 64 ticks.
static pli_step_report matter_step(int64_t number)
{
    pli_step_report step = calm_step(number);
    step.stop = PLI_STOP_EXPLICIT;
    step.solver = "regional";
    step.iterations = 0;
    step.linear_iterations = 0;
    step.residual = step.tolerance = 0;
    step.vertices = 0;
    int level = number % 2 == 0 ? 10 : 12;
    step.matter = (pli_matter_report){.particles = 1000 + 10 * number,
                                      .emitted = 10,
                                      .tick = ldexp(step.dt, -level),
                                      .ticks = (int64_t)1 << level,
                                      .sweeps = 100 + number,
                                      .block_updates = 1100,
                                      .particle_updates = 50000,
                                      .buffer_updates = 5000,
                                      .steps = {[2] = 1000, [6] = 100},
                                      .retries = number == 3,
                                      .schedule_seconds = 1e-3};
    return step;
}

static void steps_of_particles_say_what_was_done_to_them(void **state)
{
    folder_fixture *fix = *state;
    pli_step_report step = matter_step(3);
    step.dt = 0.25;
    step.matter.tick = 1.0 / 4096;
    pli_text text;
    pli_text_init(&text, fix->context);
    pli_log_append_step(&text, &step);
    assert_non_null(strstr(text.bytes,
                           ",\"stop\":\"explicit\",\"explicit\":{"
                           "\"tick\":0.000244140625,\"ticks\":4096,\"sweeps\":103,"
                           "\"block_updates\":1100,\"particle_updates\":50000,"
                           "\"buffer_updates\":5000,\"retries\":1,\"schedule_seconds\":0.001,"
                           "\"steps\":{\"0.0009765625\":1000,\"0.015625\":100}},\"energy\":"));
    static const char *const absent[] = {"iterations", "residual", "tolerance", "vertices"};
    for (int k = 0; k < 4; ++k) assert_null(strstr(text.bytes, absent[k]));
    assert_non_null(strstr(text.bytes, "\"min_J\":"));
    // nothing has come out of an emitter yet
    pli_text_reset(&text);
    step.matter = (pli_matter_report){.tick = 0.25, .ticks = 1};
    step.min_J = NAN;
    pli_log_append_step(&text, &step);
    assert_non_null(strstr(text.bytes, "\"particles\":0,"));
    assert_non_null(strstr(text.bytes, "\"steps\":{}}"));
    assert_null(strstr(text.bytes, "min_J"));
    pli_text_clear(&text);
}

static void steps_of_particles_are_counted_by_their_length(void **state)
{
    folder_fixture *fix = *state;
    pli_report direct, replayed;
    enum { STEPS = 601 };
    make_report(fix, matter_step, STEPS, &direct);
    const pli_report_matter *matter = &direct.matter;
    assert_int_equal(matter->step_count, STEPS);
    assert_int_equal(matter->particles, 1000 + 10 * STEPS);
    assert_int_equal(matter->emitted, 10 * STEPS);
    assert_int_equal(matter->retries, 1);
    assert_int_equal(matter->block_updates, 1100 * STEPS);
    // 4 and 64 ticks of both lengths, the shortest first: 2^-10, 2^-8, 2^-6, 2^-4 of a step
    const int64_t counts[] = {1000 * 301, 1000 * 300, 100 * 301, 100 * 300};
    assert_int_equal(matter->span_count, 4);
    for (int k = 0; k < 4; ++k) {
        assert_true(matter->spans[k].seconds == ldexp(1 / 48.0, 2 * k - 10));
        assert_int_equal(matter->spans[k].updates, counts[k]);
    }
    // the same out of the file
    replay(fix, matter_step, STEPS, &replayed);
    assert_memory_equal(&replayed.matter, matter, sizeof *matter);
    assert_memory_equal(replayed.buckets, direct.buckets,
                        (size_t)direct.bucket_count * sizeof *direct.buckets);
    assert_int_equal(replayed.nonfinite.count, 0);
    pli_report_clear(&direct);
    pli_report_clear(&replayed);
}

// Ticks of any length: the histogram stays within its bounds and loses nothing.
static void histograms_of_any_length_lose_nothing(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    OK(fix->context, pli_report_init(&report, fix->context));
    for (int64_t i = 1; i <= 1000; ++i) {
        pli_step_report step = matter_step(i);
        step.matter.tick = 1e-6 * (double)((i * 7919) % 1009);
        pli_report_add(&report, &step);
    }
    const pli_report_matter *matter = &report.matter;
    assert_int_equal(matter->span_count, PLI_REPORT_SPANS);
    int64_t updates = 0;
    for (int32_t k = 0; k < matter->span_count; ++k) {
        updates += matter->spans[k].updates;
        if (k > 0) assert_true(matter->spans[k].seconds > matter->spans[k - 1].seconds);
    }
    assert_int_equal(updates, matter->block_updates);
    pli_report_clear(&report);
}

static void damaged_histograms_are_read_without_harm(void **state)
{
    folder_fixture *fix = *state;
    static const char *const lines[] = {
        "{\"step\":1,\"explicit\":7}",
        "{\"step\":1,\"explicit\":{\"tick\":1,\"ticks\":4,\"steps\":{\"x\":3,\"1e300\":1}}}",
        "{\"step\":1,\"matter\":7}",
        "{\"step\":1,\"matter\":{\"particles\":-1,\"ticks\":1e300,\"retries\":null}}",
        "{\"step\":1,\"matter\":{\"tick\":0,\"ticks\":4,\"steps\":{\"1\":3}}}",
        "{\"step\":1,\"matter\":{\"tick\":1,\"ticks\":4,\"steps\":{\"x\":3,\"1e300\":1}}}",
        "{\"step\":1,\"matter\":{\"tick\":1,\"ticks\":4,\"steps\":{\"-1\":1,\"0.01\":2}}}",
        "{\"step\":1,\"matter\":{\"tick\":1,\"ticks\":4,\"steps\":{\"1\":-3,\"2\":\"x\"}}}",
        "{\"step\":1,\"matter\":{\"tick\":1,\"ticks\":4,\"steps\":[1,2]}}"};
    pli_report report;
    add_lines(fix, lines, sizeof lines / sizeof *lines, &report);
    assert_int_equal(report.matter.span_count, 0);
    assert_int_equal(report.matter.particles, 0);
    pli_report_clear(&report);
}

static void page_of_particles_speaks_of_particles(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    make_report(fix, matter_step, 4, &report);
    pli_report_facts facts = calm_facts();
    facts.vertices = facts.tets = 0;
    facts.cell = 0.02;
    char *page = page_of(fix, &report, &facts);
    assert_non_null(strstr(page, "<span>Particles</span><b>1040</b>"));
    assert_non_null(strstr(page, "<span>Cell</span><b>0.02 m</b>"));
    assert_non_null(strstr(page, "<span>Copies moved along</span><b>10 %</b>"));
    assert_non_null(strstr(page, "nothing had to converge"));
    assert_non_null(strstr(page, "no particle was inverted; the smallest J was"));
    // 1000 of 2200 block updates, and the longest bar; dt / 2^8
    assert_non_null(strstr(page, "<td>8.138e-05 s</td><td>2000</td><td>45.5 %"));
    assert_non_null(strstr(page, "<td>0.001302 s</td><td>200</td><td>4.5 %"));
    assert_non_null(strstr(page, "\"matter\":true"));
    assert_null(strstr(page, "Vertices"));
    assert_null(strstr(page, "<span>Iterations per step"));
    free(page);
    pli_report_clear(&report);
}

static void page_escapes_every_text(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    OK(fix->context, pli_report_init(&report, fix->context));
    pli_step_report step = calm_step(1);
    step.phase_name[0] = "</script><script>alert(1)</script>";
    pli_report_add(&report, &step);
    pli_report_facts facts = calm_facts();
    facts.scene = "<b>&\"scene\"</b>";
    facts.command = "pliant run '<img alt=x>'";
    facts.message = "<i>failed</i>";
    static pli_report_notes notes;
    pli_report_notes_hear(&notes, PLI_LOG_WARNING, "body <u>7</u>: thin");
    pli_report_notes_hear(&notes, PLI_LOG_WARNING, "body <u>8</u>: thin");
    facts.notes = &notes;
    facts.status_health = PLI_HEALTH_BAD;
    char *page = page_of(fix, &report, &facts);
    assert_null(strstr(page, "<b>&"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<i>failed"));
    assert_null(strstr(page, "<u>"));
    assert_non_null(
        strstr(page, "body &lt;u&gt;7&lt;/u&gt;: thin <span class=\"unit\">and 1 more"));
    assert_null(strstr(page, "alert(1)</script>"));
    assert_non_null(strstr(page, "&lt;b&gt;&amp;&quot;scene&quot;&lt;/b&gt;"));
    assert_non_null(strstr(page, "Do not trust this run."));
    // nothing is fetched from anywhere
    assert_null(strstr(page, "src="));
    assert_null(strstr(page, "@import"));
    assert_null(strstr(page, "url("));
    free(page);
    pli_report_clear(&report);
}

// What a reader without a script, or with a printed page, gets: the reasons and the numbers.
static void page_says_everything_without_its_script(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    OK(fix->context, pli_report_init(&report, fix->context));
    for (int64_t i = 1; i <= 100; ++i) {
        pli_step_report step = calm_step(i);
        few_unconverged(i, &step);
        step.momentum[1] = i == 50 ? -2.5 : 1.5;
        step.angular_momentum[2] = 0.25;
        pli_report_add(&report, &step);
    }
    pli_report_facts facts = calm_facts();
    facts.tolerance_unit = "N";
    char *page = page_of(fix, &report, &facts);
    char *script = strstr(page, "<script");
    assert_non_null(script);
    // plots have momenta
    assert_non_null(strstr(script, "\"momentum_y\":{\"mean\":[1.5,"));
    assert_non_null(strstr(script, "\"angular_z\":{\"mean\":[0.25,"));
    *script = '\0';
    assert_non_null(strstr(page, "This run deserves a look."));
    assert_non_null(strstr(page, "did not converge in 3 of 100 steps: 12, 13 and 77; residual"));
    // smallest, mean, largest, last
    assert_non_null(strstr(page, "Momentum, y <span class=\"unit\">kg m/s</span></td><td>-2.5</td>"
                                 "<td>1.46</td><td>1.5</td><td>1.5</td>"));
    assert_non_null(strstr(page, "Residual <span class=\"unit\">N</span>"));
    // nothing of what was zero all the time
    assert_null(strstr(page, "Momentum, x"));
    assert_null(strstr(page, "Contacts"));
    free(page);
    pli_report_clear(&report);
}

// Calm energy falls all the time; assembly 2 ms, linear solve 5 ms, line search 1 ms.
static void page_is_in_plain_words_and_scaled_to_what_it_shows(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    OK(fix->context, pli_report_init(&report, fix->context));
    pli_step_report step = calm_step(1);
    step.phase_seconds[1] = 0.005;
    pli_report_add(&report, &step);
    pli_report_facts facts = calm_facts();
    char *page = page_of(fix, &report, &facts);
    assert_non_null(strstr(page, "the total never rose<"));
    assert_non_null(strstr(page, "folder out/demo"));
    // shares of the time as numbers, bars by the longest phase
    assert_non_null(strstr(page, "<td>5.0 ms</td><td>62.5 %"));
    assert_non_null(strstr(page, "style=\"width:100%;"));
    assert_non_null(strstr(page, "style=\"width:40%;"));
    assert_non_null(strstr(page, "style=\"width:20%;"));
    free(page);
    pli_report_clear(&report);
}

static void page_of_an_empty_run_is_written(void **state)
{
    folder_fixture *fix = *state;
    pli_report report;
    OK(fix->context, pli_report_init(&report, fix->context));
    pli_report_facts facts = calm_facts();
    OK(fix->context, write_report(fix->context, &report, &facts, in_folder(fix, "report.html")));
    pli_report_clear(&report);
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_report report;
        pli_report_facts facts = calm_facts();
        sweep.status = pli_report_init(&report, sweep.context);
        if (sweep.status == PLI_OK) {
            add_calm_steps(&report, 20);
            sweep.status =
                write_report(sweep.context, &report, &facts, in_folder(fix, "report.html"));
        }
        pli_report_clear(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(many_steps_keep_sums_and_spikes),
        TEST_IN_FOLDER(every_fault_is_judged_by_its_own_check),
        cmocka_unit_test(steps_are_told_by_their_numbers),
        cmocka_unit_test(warnings_that_differ_in_numbers_are_one),
        TEST_IN_FOLDER(lines_of_the_log_give_the_same_report),
        TEST_IN_FOLDER(lines_of_barriers_may_be_long_and_give_the_same_report),
        TEST_IN_FOLDER(log_line_has_the_documented_keys),
        TEST_IN_FOLDER(steps_of_particles_say_what_was_done_to_them),
        TEST_IN_FOLDER(steps_of_particles_are_counted_by_their_length),
        TEST_IN_FOLDER(histograms_of_any_length_lose_nothing),
        TEST_IN_FOLDER(damaged_histograms_are_read_without_harm),
        TEST_IN_FOLDER(page_of_particles_speaks_of_particles),
        TEST_IN_FOLDER(page_escapes_every_text),
        TEST_IN_FOLDER(page_says_everything_without_its_script),
        TEST_IN_FOLDER(page_is_in_plain_words_and_scaled_to_what_it_shows),
        TEST_IN_FOLDER(page_of_an_empty_run_is_written),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
