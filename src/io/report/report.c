// SPDX-License-Identifier: Apache-2.0
#include "io/report/report.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pli_status pli_report_init(pli_report *report, pli_context *context)
{
    *report = (pli_report){.context = context, .stride = 1};
    report->min_J = INFINITY;
    report->lowest_total = INFINITY;
    report->min_gap = INFINITY;
    return PLI_MAKE(context, report->buckets, PLI_REPORT_BUCKETS, "report");
}

void pli_report_clear(pli_report *report)
{
    if (report->context == NULL) return;
    pli_release(report->context, report->buckets);
    *report = (pli_report){.context = report->context};
}

// ---- the course -------------------------------------------------------------------------------

static void bucket_init(pli_report_bucket *bucket)
{
    memset(bucket, 0, sizeof *bucket);
    for (int i = 0; i < PLI_CHANNELS; ++i) {
        bucket->min[i] = INFINITY;
        bucket->max[i] = -INFINITY;
    }
}

static void bucket_merge(pli_report_bucket *into, const pli_report_bucket *from)
{
    into->step_count += from->step_count;
    into->last_step = from->last_step;
    into->time = from->time;
    for (int i = 0; i < PLI_CHANNELS; ++i) {
        into->sum[i] += from->sum[i];
        into->min[i] = fmin(into->min[i], from->min[i]);
        into->max[i] = fmax(into->max[i], from->max[i]);
    }
    for (int i = 0; i < PLI_REPORT_PHASES; ++i) into->phase_seconds[i] += from->phase_seconds[i];
}

// Halves the number of buckets.
static void merge_neighbours(pli_report *report)
{
    for (int32_t i = 0; i < PLI_REPORT_BUCKETS / 2; ++i) {
        report->buckets[i] = report->buckets[2 * i];
        bucket_merge(&report->buckets[i], &report->buckets[2 * i + 1]);
    }
    report->bucket_count = PLI_REPORT_BUCKETS / 2;
    report->stride *= 2;
}

// The bucket that the next step goes into.
static pli_report_bucket *open_bucket(pli_report *report)
{
    int32_t last = report->bucket_count - 1;
    if (last >= 0 && report->buckets[last].step_count < report->stride) {
        return &report->buckets[last];
    }
    if (report->bucket_count == PLI_REPORT_BUCKETS) merge_neighbours(report);
    pli_report_bucket *bucket = &report->buckets[report->bucket_count++];
    bucket_init(bucket);
    return bucket;
}

// The place of a phase by name; the last place takes all that do not fit.
static int32_t find_phase(pli_report *report, const char *name)
{
    char shortened[PLI_REPORT_NAME];
    snprintf(shortened, sizeof shortened, "%s", name);
    for (int32_t i = 0; i < report->phase_count; ++i) {
        if (strcmp(report->phase_names[i], shortened) == 0) return i;
    }
    if (report->phase_count == PLI_REPORT_PHASES) return PLI_REPORT_PHASES - 1;
    memcpy(report->phase_names[report->phase_count], shortened, sizeof shortened);
    return report->phase_count++;
}

static void add_to_bucket(pli_report *report, const pli_step_report *step)
{
    double shortest = step->grid.shortest, longest = step->grid.longest;
    if (step->grid.substeps == 0) pli_report_matter_range(&step->matter, &shortest, &longest);
    const double values[PLI_CHANNELS] = {
        [PLI_CHANNEL_KINETIC] = step->energy.kinetic,
        [PLI_CHANNEL_ELASTIC] = step->energy.elastic,
        [PLI_CHANNEL_GRAVITY] = step->energy.gravity,
        [PLI_CHANNEL_ATTACHMENT] = step->energy.attachment,
        [PLI_CHANNEL_LOAD] = step->energy.load,
        [PLI_CHANNEL_CAVITY] = step->energy.cavity,
        [PLI_CHANNEL_CONTACT] = step->energy.contact,
        [PLI_CHANNEL_TOTAL] = step->energy.total,
        [PLI_CHANNEL_ITERATIONS] = step->iterations,
        [PLI_CHANNEL_LINEAR] = (double)step->linear_iterations,
        [PLI_CHANNEL_RESIDUAL] = step->residual,
        [PLI_CHANNEL_TOLERANCE] = step->tolerance,
        [PLI_CHANNEL_DT] = step->dt,
        [PLI_CHANNEL_MOMENTUM_X] = step->momentum[0],
        [PLI_CHANNEL_MOMENTUM_Y] = step->momentum[1],
        [PLI_CHANNEL_MOMENTUM_Z] = step->momentum[2],
        [PLI_CHANNEL_ANGULAR_X] = step->angular_momentum[0],
        [PLI_CHANNEL_ANGULAR_Y] = step->angular_momentum[1],
        [PLI_CHANNEL_ANGULAR_Z] = step->angular_momentum[2],
        [PLI_CHANNEL_MIN_J] = step->min_J,
        [PLI_CHANNEL_INVERTED] = step->inverted,
        [PLI_CHANNEL_CONTACTS] = step->contacts,
        [PLI_CHANNEL_DEPTH] = step->max_depth,
        [PLI_CHANNEL_GAP] =
            step->barrier_distance > 0 ? fmin(step->min_gap, step->barrier_distance) : 0,
        [PLI_CHANNEL_DISTANCE] = step->barrier_distance,
        [PLI_CHANNEL_PAIRS] = step->pair_count,
        [PLI_CHANNEL_SECONDS] = step->seconds,
        [PLI_CHANNEL_PARTICLES] = (double)step->matter.particles,
        [PLI_CHANNEL_SWEEPS] = (double)step->matter.sweeps,
        [PLI_CHANNEL_SHORTEST] = shortest,
        [PLI_CHANNEL_LONGEST] = longest,
        [PLI_CHANNEL_SUBSTEPS] = step->grid.substeps,
        [PLI_CHANNEL_NODES] = step->grid.nodes,
    };
    pli_report_bucket *bucket = open_bucket(report);
    ++bucket->step_count;
    bucket->last_step = step->step;
    bucket->time = step->time;
    for (int i = 0; i < PLI_CHANNELS; ++i) {
        // a number that is not finite is counted by the judgement and not plotted
        double value = isfinite(values[i]) ? values[i] : 0;
        bucket->sum[i] += value;
        bucket->min[i] = fmin(bucket->min[i], value);
        bucket->max[i] = fmax(bucket->max[i], value);
    }
    for (int32_t i = 0; i < step->phase_count && i < PLI_REPORT_PHASES; ++i) {
        int32_t phase = find_phase(report, step->phase_name[i]);
        bucket->phase_seconds[phase] += step->phase_seconds[i];
        report->phase_seconds[phase] += step->phase_seconds[i];
    }
}

// ---- what the judgement needs -----------------------------------------------------------------

static bool is_finite_step(const pli_step_report *step)
{
    const pli_energies *energy = &step->energy;
    double sum = energy->kinetic + energy->elastic + energy->gravity + energy->attachment +
                 energy->load + energy->cavity + energy->contact + energy->total + step->residual;
    for (int i = 0; i < 3; ++i) sum += step->momentum[i] + step->angular_momentum[i];
    return isfinite(sum);
}

static void note_convergence(pli_report *report, const pli_step_report *step)
{
    report->last_unconverged = step->stop < 0;
    if (step->stop > 0) return;
    pli_report_steps_add(&report->unconverged, step->step);
    if (step->stop < 0 && step->stop >= PLI_STOP_ROUNDING) ++report->stops[-step->stop];
    double ratio = step->tolerance > 0 ? step->residual / step->tolerance : 0;
    if (ratio > report->worst_ratio) report->worst_ratio = ratio;
}

static void note_deformation(pli_report *report, const pli_step_report *step)
{
    if ((step->vertices == 0 && !pli_report_has_matter(step)) || isnan(step->min_J)) return;
    report->has_tets = true;
    report->last_inverted = step->inverted;
    if (step->inverted > 0) pli_report_steps_add(&report->inverted, step->step);
    if (step->inverted > report->most_inverted) report->most_inverted = step->inverted;
    if (step->min_J < report->min_J) {
        report->min_J = step->min_J;
        report->min_J_step = step->step;
    }
}

static void note_contact(pli_report *report, const pli_step_report *step)
{
    report->collides = report->collides || step->collides;
    if (step->contacts > report->most_contacts) {
        report->most_contacts = step->contacts;
        report->contacts_step = step->step;
    }
    if (step->max_depth > report->max_depth) {
        report->max_depth = step->max_depth;
        report->depth_step = step->step;
    }
    // of colliders that are no barriers the gap is negative by as much as the depth
    if (step->barrier_distance > 0 && step->min_gap < report->min_gap) {
        report->min_gap = step->min_gap;
        report->gap_step = step->step;
        report->barrier_distance = step->barrier_distance;
    }
}

static void note_energy(pli_report *report, const pli_energies *energy, int64_t step)
{
    const double parts[] = {energy->kinetic, energy->elastic, energy->attachment,
                            energy->load,    energy->cavity,  energy->contact};
    for (int i = 0; i < 6; ++i) report->energy_scale = fmax(report->energy_scale, fabs(parts[i]));
    double rise = energy->total - report->lowest_total;
    if (rise > report->largest_rise) {
        report->largest_rise = rise;
        report->rise_step = step;
    }
    if (energy->total < report->lowest_total) report->lowest_total = energy->total;
}

void pli_report_add(pli_report *report, const pli_step_report *step)
{
    ++report->step_count;
    report->time = step->time;
    report->iterations += step->iterations;
    report->linear_iterations += step->linear_iterations;
    report->seconds += step->seconds;
    if (!is_finite_step(step)) pli_report_steps_add(&report->nonfinite, step->step);
    note_convergence(report, step);
    note_deformation(report, step);
    note_contact(report, step);
    note_energy(report, &step->energy, step->step);
    pli_report_matter_add(&report->matter, step);
    pli_report_grid_add(&report->grid, step);
    add_to_bucket(report, step);
}

// ---- lines of steps.jsonl ---------------------------------------------------------------------

static pli_stop stop_by_name(const char *name)
{
    for (int stop = PLI_STOP_ROUNDING; stop <= PLI_STOP_EXPLICIT; ++stop) {
        if (stop != 0 && strcmp(name, pli_stop_name((pli_stop)stop)) == 0) return (pli_stop)stop;
    }
    // what version 0.1 called success, at the end of what numbers resolve
    if (strcmp(name, "step") == 0) return PLI_STOP_ROUNDING;
    return PLI_STOP_ITERATIONS;
}

static void read_vector(const pli_json *line, const char *key, double vector[3])
{
    const pli_json_node *node = pli_json_get(line, &line->nodes[0], key);
    node = pli_json_child(line, node);
    for (int i = 0; i < 3 && node != NULL; ++i, node = pli_json_next(line, node)) {
        vector[i] = node->kind == PLI_JSON_NUMBER ? node->number : NAN;
    }
}

static void read_phases(const pli_json *line, pli_step_report *step)
{
    const pli_json_node *seconds = pli_json_get(line, &line->nodes[0], "seconds");
    step->seconds = pli_json_number(line, seconds, "total", 0);
    const pli_json_node *phase = pli_json_child(line, seconds);
    for (; phase != NULL; phase = pli_json_next(line, phase)) {
        if (phase->key == NULL || strcmp(phase->key, "total") == 0) continue;
        if (step->phase_count == PLI_REPORT_PHASES || phase->kind != PLI_JSON_NUMBER) continue;
        step->phase_name[step->phase_count] = phase->key;
        step->phase_seconds[step->phase_count++] = phase->number;
    }
}

static int32_t count_pairs(const pli_json *line)
{
    int32_t count = 0;
    const pli_json_node *pairs = pli_json_get(line, &line->nodes[0], "pairs");
    const pli_json_node *pair = pairs != NULL ? pli_json_child(line, pairs) : NULL;
    for (; pair != NULL; pair = pli_json_next(line, pair)) ++count;
    return count;
}

void pli_report_add_line(pli_report *report, const pli_json *line)
{
    // a number that was written as null was not finite; what solves nothing has no residual
    const pli_json_node *root = &line->nodes[0];
    bool solves = pli_json_get(line, root, "residual") != NULL;
    const pli_json_node *energy = pli_json_get(line, root, "energy");
    pli_step_report step = {
        .step = (int64_t)pli_json_number(line, root, "step", 0),
        .time = pli_json_number(line, root, "time", 0),
        .dt = pli_json_number(line, root, "dt", 0),
        .stop = stop_by_name(pli_json_text(line, root, "stop", "")),
        .iterations = (int32_t)pli_json_number(line, root, "iterations", 0),
        .linear_iterations = (int64_t)pli_json_number(line, root, "linear_iterations", 0),
        .energy_evaluations = (int32_t)pli_json_number(line, root, "energy_evaluations", 0),
        .residual = solves ? pli_json_number(line, root, "residual", NAN) : 0,
        .tolerance = pli_json_number(line, root, "tolerance", 0),
        .energy = {.kinetic = pli_json_number(line, energy, "kinetic", NAN),
                   .elastic = pli_json_number(line, energy, "elastic", NAN),
                   .gravity = pli_json_number(line, energy, "gravity", NAN),
                   .attachment = pli_json_number(line, energy, "attachment", 0),
                   .load = pli_json_number(line, energy, "load", 0),
                   .cavity = pli_json_number(line, energy, "cavity", 0),
                   .contact = pli_json_number(line, energy, "contact", 0),
                   .total = pli_json_number(line, energy, "total", NAN)},
        .min_J = pli_json_number(line, root, "min_J", NAN),
        .inverted = (int32_t)pli_json_number(line, root, "inverted", 0),
        .vertices = (int32_t)pli_json_number(line, root, "vertices", 0),
        .collides = pli_json_get(line, root, "contacts") != NULL,
        .contacts = (int32_t)pli_json_number(line, root, "contacts", 0),
        .min_gap = pli_json_number(line, root, "min_gap", INFINITY),
        .max_depth = pli_json_number(line, root, "max_depth", 0),
        .friction_work = pli_json_number(line, root, "friction_work", 0),
        .barrier_distance = pli_json_number(line, root, "barrier_distance", 0),
        .barrier_stiffness = pli_json_number(line, root, "barrier_stiffness", 0),
        .pair_count = count_pairs(line),
        .matter = pli_report_matter_read(line),
        .grid = pli_report_grid_read(line),
    };
    read_vector(line, "momentum", step.momentum);
    read_vector(line, "angular_momentum", step.angular_momentum);
    read_phases(line, &step);
    pli_report_add(report, &step);
}
