// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"
#include "base/text.h"
#include "io/file/xml.h"
#include "io/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const health_class[] = {"good", "doubtful", "bad"};
static const char *const health_mark[] = {"\xe2\x9c\x93", "!", "\xe2\x9c\x95"};
static const char *const health_verdict[] = {"This run is healthy.", "This run deserves a look.",
                                             "Do not trust this run."};

// Rounds to six digits, which is more than a plot shows and keeps the page small.
static double rounded(double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.6g", value);
    return strtod(digits, NULL);
}

static void append_rounded(pli_text *text, double value)
{
    pli_json_append_number(text, rounded(value));
}

// ---- the data of the plots --------------------------------------------------------------------

// keys of the channels in the page's data
static const char *const channel_names[PLI_CHANNELS] = {
    [PLI_CHANNEL_KINETIC] = "kinetic",
    [PLI_CHANNEL_ELASTIC] = "elastic",
    [PLI_CHANNEL_GRAVITY] = "gravity",
    [PLI_CHANNEL_ATTACHMENT] = "attachment",
    [PLI_CHANNEL_LOAD] = "load",
    [PLI_CHANNEL_CAVITY] = "cavity",
    [PLI_CHANNEL_CONTACT] = "contact",
    [PLI_CHANNEL_TOTAL] = "total",
    [PLI_CHANNEL_ITERATIONS] = "iterations",
    [PLI_CHANNEL_LINEAR] = "linear_iterations",
    [PLI_CHANNEL_RESIDUAL] = "residual",
    [PLI_CHANNEL_TOLERANCE] = "tolerance",
    [PLI_CHANNEL_DT] = "dt",
    [PLI_CHANNEL_MOMENTUM_X] = "momentum_x",
    [PLI_CHANNEL_MOMENTUM_Y] = "momentum_y",
    [PLI_CHANNEL_MOMENTUM_Z] = "momentum_z",
    [PLI_CHANNEL_ANGULAR_X] = "angular_x",
    [PLI_CHANNEL_ANGULAR_Y] = "angular_y",
    [PLI_CHANNEL_ANGULAR_Z] = "angular_z",
    [PLI_CHANNEL_MIN_J] = "min_J",
    [PLI_CHANNEL_INVERTED] = "inverted",
    [PLI_CHANNEL_CONTACTS] = "contacts",
    [PLI_CHANNEL_DEPTH] = "max_depth",
    [PLI_CHANNEL_GAP] = "min_gap",
    [PLI_CHANNEL_DISTANCE] = "barrier_distance",
    [PLI_CHANNEL_PAIRS] = "pairs",
    [PLI_CHANNEL_SECONDS] = "seconds",
    [PLI_CHANNEL_PARTICLES] = "particles",
    [PLI_CHANNEL_SWEEPS] = "sweeps",
    [PLI_CHANNEL_SHORTEST] = "shortest_step",
    [PLI_CHANNEL_LONGEST] = "longest_step",
    [PLI_CHANNEL_SUBSTEPS] = "substeps",
    [PLI_CHANNEL_NODES] = "nodes",
};

typedef enum statistic { STATISTIC_MEAN, STATISTIC_MIN, STATISTIC_MAX } statistic;

static double get_statistic(const pli_report_bucket *bucket, int channel, statistic which)
{
    if (which == STATISTIC_MIN) return bucket->min[channel];
    if (which == STATISTIC_MAX) return bucket->max[channel];
    return bucket->sum[channel] / (double)bucket->step_count;
}

static void append_statistic(pli_text *text, const pli_report *report, int channel, statistic which)
{
    static const char *const names[] = {"mean", "min", "max"};
    pli_text_format(text, "%s\"%s\":[", which == STATISTIC_MEAN ? "" : ",", names[which]);
    for (int32_t i = 0; i < report->bucket_count; ++i) {
        if (i > 0) pli_text_append(text, ",");
        append_rounded(text, get_statistic(&report->buckets[i], channel, which));
    }
    pli_text_append(text, "]");
}

static void append_channels(pli_text *text, const pli_report *report)
{
    pli_text_append(text, ",\n\"channels\":{");
    for (int channel = 0; channel < PLI_CHANNELS; ++channel) {
        pli_text_format(text, "%s\"%s\":{", channel > 0 ? ",\n" : "", channel_names[channel]);
        append_statistic(text, report, channel, STATISTIC_MEAN);
        // a bucket of one step has nothing more to say
        if (report->stride > 1) {
            append_statistic(text, report, channel, STATISTIC_MIN);
            append_statistic(text, report, channel, STATISTIC_MAX);
        }
        pli_text_append(text, "}");
    }
    pli_text_append(text, "}");
}

static void append_phases(pli_text *text, const pli_report *report)
{
    pli_text_append(text, ",\n\"phases\":[");
    for (int32_t phase = 0; phase < report->phase_count; ++phase) {
        pli_text_format(text, "%s{\"name\":", phase > 0 ? ",\n" : "");
        pli_json_append_string(text, report->phase_names[phase]);
        pli_text_append(text, ",\"ms\":[");
        for (int32_t i = 0; i < report->bucket_count; ++i) {
            const pli_report_bucket *bucket = &report->buckets[i];
            if (i > 0) pli_text_append(text, ",");
            append_rounded(text, 1e3 * bucket->phase_seconds[phase] / (double)bucket->step_count);
        }
        pli_text_append(text, "]}");
    }
    pli_text_append(text, "]");
}

static void append_data(pli_text *text, const pli_report *report, const pli_report_facts *facts)
{
    pli_text_format(
        text, "{\"stride\":%lld,\"tets\":%s,\"matter\":%s,\"implicit\":%s,\"tolerance_unit\":",
        (long long)report->stride, report->has_tets ? "true" : "false",
        report->matter.step_count > 0 ? "true" : "false",
        report->grid.step_count > 0 ? "true" : "false");
    pli_json_append_string(text, facts->tolerance_unit != NULL ? facts->tolerance_unit : "");
    pli_text_append(text, ",\n\"step\":[");
    for (int32_t i = 0; i < report->bucket_count; ++i) {
        pli_text_format(text, "%s%lld", i > 0 ? "," : "", (long long)report->buckets[i].last_step);
    }
    pli_text_append(text, "],\n\"time\":[");
    for (int32_t i = 0; i < report->bucket_count; ++i) {
        if (i > 0) pli_text_append(text, ",");
        append_rounded(text, report->buckets[i].time);
    }
    pli_text_append(text, "]");
    append_channels(text, report);
    append_phases(text, report);
    pli_text_append(text, "}");
}

// ---- verdict, facts, phases -------------------------------------------------------------------

// A row of the checks that were passed, or an item of those that were not.
static void append_check(pli_text *text, const pli_health_check *check, bool row)
{
    const char *open = row ? "<tr><td>" : "<li>";
    pli_text_format(text, "%s<span class=\"dot %s\"></span>%s%s%s", open,
                    health_class[check->health], row ? "" : "<b>", check->name,
                    row ? "</td><td>" : ":</b> ");
    pli_xml_append_escaped(text, check->text);
    pli_text_append(text, row ? "</td></tr>\n" : ".</li>\n");
}

// The checks that were passed, or those that were not, the worst first.
static int append_checks(pli_text *text, const pli_health_check *checks, bool passed)
{
    int count = 0;
    for (int health = PLI_HEALTH_BAD; health >= PLI_HEALTH_GOOD; --health) {
        for (int i = 0; i < PLI_HEALTH_CHECKS; ++i) {
            if (checks[i].name == NULL || (int)checks[i].health != health) continue;
            if ((health == PLI_HEALTH_GOOD) != passed) continue;
            append_check(text, &checks[i], passed);
            ++count;
        }
    }
    return count;
}

static void append_verdict(pli_text *text, const pli_report *report, const pli_report_facts *facts)
{
    pli_health_check checks[PLI_HEALTH_CHECKS];
    pli_health worst = pli_report_judge(report, facts, checks);
    pli_text_format(text,
                    "<section class=\"verdict %s\"><span class=\"mark\">%s</span><div><strong>%s"
                    "</strong>\n<ul>\n",
                    health_class[worst], health_mark[worst], health_verdict[worst]);
    if (append_checks(text, checks, false) == 0) {
        pli_text_append(text, "<li>All checks passed.</li>\n");
    }
    pli_text_append(text, "</ul></div></section>\n<section class=\"card\"><table class=\"checks\">"
                          "\n");
    append_checks(text, checks, true);
    pli_text_append(text, "</table></section>\n");
}

// Warnings that were logged, in their own words.
static void append_notes(pli_text *text, const pli_report_notes *notes)
{
    if (notes == NULL || notes->count == 0) return;
    pli_text_append(text, "<section class=\"card\" id=\"warnings\"><h2>Warnings that were logged"
                          "</h2>\n<ul class=\"notes\">\n");
    for (int32_t k = 0; k < notes->count; ++k) {
        const pli_report_note *note = &notes->notes[k];
        pli_text_append(text, "<li>");
        pli_xml_append_escaped(text, note->text);
        if (note->count > 1) {
            pli_text_format(text, " <span class=\"unit\">and %lld more like it</span>",
                            (long long)note->count - 1);
        }
        pli_text_append(text, "</li>\n");
    }
    if (notes->untold > 0) {
        pli_text_format(text, "<li>and %lld others</li>\n", (long long)notes->untold);
    }
    pli_text_append(text, "</ul></section>\n");
}

// Four digits, and no exponent as long as a number is easily read without one.
static void append_short(pli_text *text, double value)
{
    if (fabs(value) >= 1e4 && fabs(value) < 1e9) {
        pli_text_format(text, "%.0f", value);
    } else {
        char digits[32];
        snprintf(digits, sizeof digits, "%.4g", value);
        pli_text_append_number(text, strtod(digits, NULL));
    }
}

static void append_fact(pli_text *text, const char *name, double value, const char *unit)
{
    pli_text_format(text, "<div><span>%s</span><b>", name);
    append_short(text, value);
    pli_text_format(text, "%s%s</b></div>\n", unit[0] != '\0' ? " " : "", unit);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

// What explicit steps of particles were made of.
static void append_sweep_facts(pli_text *text, const pli_report *report)
{
    const pli_report_matter *matter = &report->matter;
    double moved = (double)matter->particle_updates;
    append_fact(text, "Sweeps per step", ratio((double)matter->sweeps, (double)matter->step_count),
                "");
    append_fact(text, "Block updates", (double)matter->block_updates, "");
    append_fact(text, "Particle updates", moved, "");
    append_fact(text, "Particle updates per second", ratio(moved, report->seconds), "");
    append_fact(text, "Copies moved along", 100 * ratio((double)matter->buffer_updates, moved),
                "%");
    append_fact(text, "Scheduling", 100 * ratio(matter->schedule_seconds, report->seconds), "%");
    if (matter->retries > 0) append_fact(text, "Steps redone", (double)matter->retries, "");
}

// What was solved, and for how much.
static void append_solve_facts(pli_text *text, const pli_report *report)
{
    append_fact(text, "Iterations per step",
                ratio((double)report->iterations, (double)report->step_count), "");
    append_fact(text, "Linear per iteration",
                ratio((double)report->linear_iterations, (double)report->iterations), "");
}

// What implicit steps of particles were made of; what hardly ever happens is told when it did.
static void append_grid_facts(pli_text *text, const pli_report *report)
{
    const pli_report_grid *grid = &report->grid;
    double steps = (double)grid->step_count, substeps = (double)grid->substeps;
    append_fact(text, "Nodes", grid->last.nodes, "");
    append_fact(text, "Constrained nodes", grid->last.constrained, "");
    append_fact(text, "Substeps per step", ratio(substeps, steps), "");
    append_fact(text, "Shortest substep", grid->shortest, "s");
    append_fact(text, "Longest substep", grid->longest, "s");
    append_solve_facts(text, report);
    append_fact(text, "Matrices per substep", ratio((double)grid->matrices, substeps), "");
    const struct {
        const char *name;
        int64_t count;
    } rare[] = {{"V-cycles and sweeps", grid->cycles},
                {"Iterations on the coarsest level", grid->coarsest_iterations},
                {"Solves for changed contact", grid->rounds - grid->substeps},
                {"Substeps redone", grid->retries},
                {"Linear solves cut short", grid->capped},
                {"Pairs dropped", grid->dropped_pairs},
                {"Iterations for positions", grid->position_steps}};
    for (int k = 0; k < (int)(sizeof rare / sizeof rare[0]); ++k) {
        if (rare[k].count > 0) append_fact(text, rare[k].name, (double)rare[k].count, "");
    }
}

static void append_matter_facts(pli_text *text, const pli_report *report,
                                const pli_report_facts *facts)
{
    append_fact(text, "Particles", (double)report->matter.particles, "");
    append_fact(text, "Emitted", (double)report->matter.emitted, "");
    append_fact(text, "Cell", facts->cell, "m");
    if (report->grid.step_count > 0) {
        append_grid_facts(text, report);
    } else {
        append_sweep_facts(text, report);
    }
}

static void append_mesh_facts(pli_text *text, const pli_report *report,
                              const pli_report_facts *facts)
{
    append_solve_facts(text, report);
    append_fact(text, "Vertices", facts->vertices, "");
    append_fact(text, "Tetrahedra", facts->tets, "");
    if (facts->triangles > 0) append_fact(text, "Triangles", facts->triangles, "");
}

static void append_facts(pli_text *text, const pli_report *report, const pli_report_facts *facts)
{
    double steps = (double)report->step_count;
    pli_text_append(text, "<div class=\"facts\">\n");
    append_fact(text, "Frames", facts->frame_count, "");
    append_fact(text, "Steps", steps, "");
    append_fact(text, "Simulated time", report->time, "s");
    append_fact(text, "Wall time", facts->wall_seconds, "s");
    append_fact(text, "Per simulated second", ratio(report->seconds, report->time), "s");
    append_fact(text, "Time per step", 1e3 * ratio(report->seconds, steps), "ms");
    if (facts->cell > 0) {
        append_matter_facts(text, report, facts);
    } else {
        append_mesh_facts(text, report, facts);
    }
    append_fact(text, "Threads", facts->threads, "");
    append_fact(text, "Peak memory", facts->peak_memory / 1048576, "MiB");
    pli_text_append(text, "</div>\n");
}

// A number that is not negative, with a fixed number of decimals in every locale.
static void append_fixed(pli_text *text, double value, int decimals)
{
    int64_t unit = 1;
    for (int i = 0; i < decimals; ++i) unit *= 10;
    int64_t whole = llround(value * (double)unit);
    pli_text_format(text, "%lld.%0*lld", (long long)(whole / unit), decimals,
                    (long long)(whole % unit));
}

// The last cells of a row: a share of everything as a number, and a bar of some width, both in
// percent.
static void append_bar(pli_text *text, double share, double width, int color)
{
    append_fixed(text, share, 1);
    pli_text_append(text, " %</td><td style=\"width:50%\"><span class=\"bar\" style=\"width:");
    pli_text_append_number(text, round(10 * width) / 10);
    pli_text_format(text, "%%;background:var(--c%d)\"></span></td></tr>\n", color % 8);
}

static void append_phase_table(pli_text *text, const pli_report *report)
{
    double total = 0;
    double longest = 0;
    for (int32_t i = 0; i < report->phase_count; ++i) {
        total += report->phase_seconds[i];
        longest = fmax(longest, report->phase_seconds[i]);
    }
    if (!(total > 0)) return;
    bool in_seconds = longest >= 1;
    pli_text_append(text, "<section class=\"card\" id=\"phases\"><h2>Where the time went</h2>\n"
                          "<table class=\"phases\">\n");
    for (int32_t i = 0; i < report->phase_count; ++i) {
        double share = 100 * report->phase_seconds[i] / total;
        pli_text_append(text, "<tr><td>");
        pli_xml_append_escaped(text, report->phase_names[i]);
        pli_text_append(text, "</td><td>");
        append_fixed(text, in_seconds ? report->phase_seconds[i] : 1e3 * report->phase_seconds[i],
                     in_seconds ? 3 : 1);
        pli_text_append(text, in_seconds ? " s</td><td>" : " ms</td><td>");
        append_bar(text, share, 100 * report->phase_seconds[i] / longest, i);
    }
    pli_text_append(text, "</table></section>\n");
}

// "4.07e-05 s" of a length, and how often blocks moved by it.
static void append_span(pli_text *text, const pli_report_span *span, double total, double most)
{
    double updates = (double)span->updates;
    pli_text_append(text, "<tr><td>");
    append_short(text, span->seconds);
    pli_text_format(text, " s</td><td>%lld</td><td>", (long long)span->updates);
    append_bar(text, 100 * updates / total, 100 * updates / most, 0);
}

// The histogram of the steps of blocks, over the whole run.
static void append_step_table(pli_text *text, const pli_report_matter *matter)
{
    double total = 0;
    double most = 0;
    for (int32_t k = 0; k < matter->span_count; ++k) {
        total += (double)matter->spans[k].updates;
        most = fmax(most, (double)matter->spans[k].updates);
    }
    if (!(total > 0)) return;
    pli_text_append(text, "<section class=\"card chart\" id=\"steps\"><h2>Lengths of steps<span "
                          "class=\"unit\">how often blocks moved by them</span></h2>\n"
                          "<table class=\"phases\">\n");
    for (int32_t k = 0; k < matter->span_count; ++k) {
        append_span(text, &matter->spans[k], total, most);
    }
    pli_text_append(text, "</table></section>\n");
}

// "1.3 MiB" of a number of bytes.
static void append_mebibytes(pli_text *text, int64_t bytes)
{
    append_fixed(text, (double)bytes / 1048576, 1);
    pli_text_append(text, " MiB</td></tr>\n");
}

// The levels of the multigrid and everything else that a step keeps, as the last one had them.
static void append_level_table(pli_text *text, const pli_grid_report *grid)
{
    if (grid->bytes == 0) return;
    pli_text_append(text, "<section class=\"card chart\" id=\"levels\"><h2>Levels of the grid<span "
                          "class=\"unit\">in the last step</span></h2>\n<table class=\"levels\">\n"
                          "<tr><th>level</th><th>nodes</th><th>3x3 blocks</th><th>in a row</th>"
                          "<th>memory</th></tr>\n");
    for (int32_t k = 0; k < pli_report_grid_levels(grid); ++k) {
        pli_text_format(text, "<tr><td>%d</td><td>%d</td><td>%lld</td><td>", k,
                        grid->level_nodes[k], (long long)grid->level_blocks[k]);
        append_fixed(text, ratio((double)grid->level_blocks[k], grid->level_nodes[k]), 1);
        pli_text_append(text, "</td><td>");
        append_mebibytes(text, grid->level_bytes[k]);
    }
    pli_text_append(text, grid->level_count > 0 ? "<tr><td>all else</td>" : "<tr><td>grid</td>");
    pli_text_format(text, "<td>%d</td><td></td><td></td><td>", grid->nodes);
    append_mebibytes(text, grid->bytes);
    pli_text_append(text, "</table></section>\n");
}

// ---- the plots in numbers

// A quantity over all steps.
typedef struct course {
    double min;
    double max;
    double mean;
    double last;
} course;

static course measure_course(const pli_report *report, int channel)
{
    course over = {.min = INFINITY, .max = -INFINITY};
    double sum = 0;
    for (int32_t i = 0; i < report->bucket_count; ++i) {
        const pli_report_bucket *bucket = &report->buckets[i];
        over.min = fmin(over.min, bucket->min[channel]);
        over.max = fmax(over.max, bucket->max[channel]);
        sum += bucket->sum[channel];
        over.last = bucket->sum[channel] / (double)bucket->step_count;
    }
    over.mean = ratio(sum, (double)report->step_count);
    return over;
}

// what the table has, in its order
static const struct {
    const char *name;
    const char *unit;
    pli_report_channel channel;
} numbers[] = {
    {"Kinetic energy", "J", PLI_CHANNEL_KINETIC},
    {"Elastic energy", "J", PLI_CHANNEL_ELASTIC},
    {"Energy of gravity", "J", PLI_CHANNEL_GRAVITY},
    {"Energy of attachments", "J", PLI_CHANNEL_ATTACHMENT},
    {"Energy of loads", "J", PLI_CHANNEL_LOAD},
    {"Energy of cavities", "J", PLI_CHANNEL_CAVITY},
    {"Energy of contact", "J", PLI_CHANNEL_CONTACT},
    {"Total energy", "J", PLI_CHANNEL_TOTAL},
    {"Momentum, x", "kg m/s", PLI_CHANNEL_MOMENTUM_X},
    {"Momentum, y", "kg m/s", PLI_CHANNEL_MOMENTUM_Y},
    {"Momentum, z", "kg m/s", PLI_CHANNEL_MOMENTUM_Z},
    {"Angular momentum, x", "kg m\xc2\xb2/s", PLI_CHANNEL_ANGULAR_X},
    {"Angular momentum, y", "kg m\xc2\xb2/s", PLI_CHANNEL_ANGULAR_Y},
    {"Angular momentum, z", "kg m\xc2\xb2/s", PLI_CHANNEL_ANGULAR_Z},
    {"Iterations", "", PLI_CHANNEL_ITERATIONS},
    {"Linear iterations", "", PLI_CHANNEL_LINEAR},
    {"Residual", "", PLI_CHANNEL_RESIDUAL},
    {"Tolerance", "", PLI_CHANNEL_TOLERANCE},
    {"Step size", "s", PLI_CHANNEL_DT},
    {"Smallest J", "", PLI_CHANNEL_MIN_J},
    {"Inverted", "", PLI_CHANNEL_INVERTED},
    {"Contacts", "", PLI_CHANNEL_CONTACTS},
    {"Deepest penetration", "m", PLI_CHANNEL_DEPTH},
    {"Smallest gap", "m", PLI_CHANNEL_GAP},
    {"Distance of contact", "m", PLI_CHANNEL_DISTANCE},
    {"Particles", "", PLI_CHANNEL_PARTICLES},
    {"Nodes", "", PLI_CHANNEL_NODES},
    {"Time per step", "s", PLI_CHANNEL_SECONDS},
};

static void append_number_row(pli_text *text, const char *name, const char *unit,
                              const course *over)
{
    const double cells[] = {over->min, over->mean, over->max, over->last};
    pli_text_format(text, "<tr><td>%s%s<span class=\"unit\">", name, unit[0] != '\0' ? " " : "");
    pli_xml_append_escaped(text, unit);
    pli_text_append(text, "</span></td>");
    for (int k = 0; k < 4; ++k) {
        pli_text_append(text, "<td>");
        append_short(text, cells[k]);
        pli_text_append(text, "</td>");
    }
    pli_text_append(text, "</tr>\n");
}

// What the plots show, for paper and for readers without a script.
static void append_number_table(pli_text *text, const pli_report *report,
                                const pli_report_facts *facts)
{
    if (report->bucket_count == 0) return;
    pli_text_format(text,
                    "<section class=\"card\" id=\"numbers\"><h2>In numbers</h2>\n<table "
                    "class=\"levels\">\n<tr><th></th><th>smallest</th><th>"
                    "mean</th><th>largest</th><th>%s</th></tr>\n",
                    report->stride > 1 ? "in the end" : "last step");
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        course over = measure_course(report, (int)numbers[k].channel);
        if (over.min == 0 && over.max == 0) continue;
        if (numbers[k].channel == PLI_CHANNEL_MIN_J && !report->has_tets) continue;
        bool solved = numbers[k].channel == PLI_CHANNEL_RESIDUAL ||
                      numbers[k].channel == PLI_CHANNEL_TOLERANCE;
        const char *unit =
            solved && facts->tolerance_unit != NULL ? facts->tolerance_unit : numbers[k].unit;
        append_number_row(text, numbers[k].name, unit, &over);
    }
    pli_text_append(text, "</table></section>\n");
}

// ---- the page ---------------------------------------------------------------------------------

static void append_head(pli_text *text, const pli_report_facts *facts)
{
    pli_text_append(
        text, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    pli_xml_append_escaped(text, facts->scene);
    pli_text_append(text, " \xe2\x80\x93 pliant</title>\n<style>\n");
    pli_text_append(text, pli_report_style);
    pli_text_append(text, "</style>\n</head>\n<body>\n<main>\n<header><h1>");
    pli_xml_append_escaped(text, facts->scene);
    pli_text_append(text, "</h1>\n<p>solver ");
    pli_xml_append_escaped(text, facts->solver);
    if (facts->contact != NULL && facts->contact[0] != '\0') {
        pli_text_append(text, " \xc2\xb7 contact ");
        pli_xml_append_escaped(text, facts->contact);
    }
    pli_text_append(text, " \xc2\xb7 folder ");
    pli_xml_append_escaped(text, facts->folder);
    if (facts->command != NULL) {
        pli_text_append(text, " \xc2\xb7 <code>");
        pli_xml_append_escaped(text, facts->command);
        pli_text_append(text, "</code>");
    }
    pli_text_append(text, "</p></header>\n");
}

static void append_foot(pli_text *text, const pli_report *report, const pli_report_facts *facts)
{
    pli_text_append(text, "<footer>pliant ");
    pli_xml_append_escaped(text, pli_version());
    pli_text_append(text, " \xc2\xb7 ");
    pli_xml_append_escaped(text, pli_build_get()->text);
    pli_text_format(text, " \xc2\xb7 seed %d. ", facts->seed);
    if (report->stride > 1) {
        pli_text_format(text,
                        "Plots show the mean of every %lld steps; bands reach from their "
                        "smallest to their largest value. ",
                        (long long)report->stride);
    }
    pli_text_append(text, "Every step is in <code>steps.jsonl</code>.</footer>\n</main>\n"
                          "<script type=\"application/json\" id=\"data\">\n");
    append_data(text, report, facts);
    pli_text_append(text, "\n</script>\n<script>\n");
    pli_text_append(text, pli_report_script);
    pli_text_append(text, "</script>\n</body>\n</html>\n");
}

void pli_report_append(pli_text *text, const pli_report *report, const pli_report_facts *facts)
{
    append_head(text, facts);
    append_verdict(text, report, facts);
    append_notes(text, facts->notes);
    append_facts(text, report, facts);
    pli_text_append(text, "<div class=\"charts\" id=\"charts\">");
    append_phase_table(text, report);
    append_step_table(text, &report->matter);
    append_level_table(text, &report->grid.last);
    pli_text_append(text, "</div>\n<noscript><p>The plots need JavaScript; what they show is in "
                          "the table below and in <code>steps.jsonl</code>.</p></noscript>\n");
    append_number_table(text, report, facts);
    append_foot(text, report, facts);
}
