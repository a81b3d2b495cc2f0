// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// seconds between two drawings of the line
static const double DRAW_INTERVAL = 0.1;

void pli_cli_format_duration(double seconds, char *text, size_t capacity)
{
    int64_t whole = (int64_t)(seconds + 0.5);
    if (seconds < 9.95) {
        snprintf(text, capacity, "%.1f s", seconds);
    } else if (whole < 60) {
        snprintf(text, capacity, "%" PRId64 " s", whole);
    } else if (whole < 3600) {
        snprintf(text, capacity, "%" PRId64 " min %02" PRId64 " s", whole / 60, whole % 60);
    } else {
        snprintf(text, capacity, "%" PRId64 " h %02" PRId64 " min", whole / 3600,
                 whole % 3600 / 60);
    }
}

void pli_cli_progress_init(pli_cli_progress *progress, pli_cli_console *console)
{
    *progress = (pli_cli_progress){.console = console, .latest.seconds_left = -1};
}

// ", 20 s left", or nothing while it is not known.
static void format_left(const pli_cli_progress *progress, char *text, size_t capacity)
{
    text[0] = '\0';
    if (!(progress->latest.seconds_left > 0)) return;
    char duration[32];
    pli_cli_format_duration(progress->latest.seconds_left, duration, sizeof duration);
    snprintf(text, capacity, ", %s left", duration);
}

// ", 12 contacts" where something collides.
static void format_contacts(const pli_cli_progress *progress, char *text, size_t capacity)
{
    const pli_step_report *report = &progress->report;
    text[0] = '\0';
    if (!report->collides) return;
    snprintf(text, capacity, ", %d contact%s", (int)report->contacts,
             report->contacts == 1 ? "" : "s");
}

// Whether the line may be drawn again.
static bool is_due(pli_cli_progress *progress)
{
    double now = pli_cli_seconds();
    if (!progress->console->live || now - progress->drawn < DRAW_INTERVAL) return false;
    progress->drawn = now;
    return true;
}

// ", iteration 3, residual 0.01, 12 contacts", or ", sweep 40, 90123 particles", or ", iteration 3,
// residual 1e-08, 90123 particles, 20301 nodes".
static void format_step(const pli_cli_progress *progress, char *text, size_t capacity)
{
    int64_t particles = progress->report.matter.particles;
    if (progress->sweeps_only) {
        snprintf(text, capacity, ", sweep %d, %" PRId64 " particles", (int)progress->iteration,
                 particles);
        return;
    }
    if (progress->matter) {
        snprintf(text, capacity, ", iteration %d, residual %.2g, %" PRId64 " particles, %d nodes",
                 (int)progress->iteration, progress->report.residual, particles,
                 (int)progress->report.grid.nodes);
        return;
    }
    char contacts[48];
    format_contacts(progress, contacts, sizeof contacts);
    snprintf(text, capacity, ", iteration %d, residual %.2g%s", (int)progress->iteration,
             progress->report.residual, contacts);
}

static void draw(pli_cli_progress *progress)
{
    if (!is_due(progress)) return;
    const pli_run_progress *latest = &progress->latest;
    char left[48];
    format_left(progress, left, sizeof left);
    char step[128];
    format_step(progress, step, sizeof step);
    char line[256];
    if (latest->step_count > 0) {
        snprintf(line, sizeof line, "frame %d/%d, step %" PRId64 "/%" PRId64 ", t %.4g s%s%s",
                 (int)latest->frame, (int)latest->frame_count, latest->step, latest->step_count,
                 latest->time, left, step);
    } else {
        snprintf(line, sizeof line, "first step, %s %d",
                 progress->sweeps_only ? "sweep" : "iteration", (int)progress->iteration);
    }
    pli_cli_set_status(progress->console, line);
}

static void tell_preparation(pli_cli_progress *progress, const pli_preparation *preparation)
{
    bool done = preparation->stage[0] == '\0';
    if (done) {
        char duration[32];
        pli_cli_format_duration(preparation->seconds, duration, sizeof duration);
        pli_cli_say(progress->console, "prepared %s in %s", preparation->what, duration);
    } else if (!progress->preparing) {
        pli_cli_say(progress->console, "preparing %s", preparation->what);
    }
    progress->preparing = !done;
}

void pli_cli_progress_prepare(void *user, const pli_preparation *preparation)
{
    pli_cli_progress *progress = user;
    if (!progress->console->live) {
        tell_preparation(progress, preparation);
    } else if (preparation->stage[0] == '\0') {
        pli_cli_set_status(progress->console, "");
    } else if (is_due(progress)) {
        char line[96];
        snprintf(line, sizeof line, "preparing %s: %s %.0f %%", preparation->what,
                 preparation->stage, 100 * preparation->fraction);
        pli_cli_set_status(progress->console, line);
    }
}

void pli_cli_progress_iterate(pli_cli_progress *progress)
{
    ++progress->iteration;
    draw(progress);
}

static void add_lengths(pli_cli_progress *progress, double shortest, double longest)
{
    progress->longest = fmax(progress->longest, longest);
    progress->shortest = progress->shortest > 0 ? fmin(progress->shortest, shortest) : shortest;
}

// Counts what a step of particles was made of.
static void add_matter(pli_cli_progress *progress, const pli_step_report *report)
{
    const pli_matter_report *matter = &report->matter;
    progress->sweeps += matter->sweeps;
    for (int k = 0; k < PLI_REPORT_STEPS; ++k) {
        double step = ldexp(matter->tick, k);
        if (matter->steps[k] > 0) add_lengths(progress, step, step);
    }
    progress->substeps += report->grid.substeps;
    if (report->grid.substeps > 0)
        add_lengths(progress, report->grid.shortest, report->grid.longest);
}

void pli_cli_progress_step(pli_cli_progress *progress, const pli_run_progress *latest)
{
    progress->latest = *latest;
    progress->report = *latest->report;
    progress->latest.report = &progress->report;
    progress->iteration = 0;
    progress->iterations += progress->report.iterations;
    progress->seconds += progress->report.seconds;
    progress->unconverged += progress->report.stop < 0;
    add_matter(progress, &progress->report);
    draw(progress);
}

// " 4.1e-05 to 6.5e-04 s" after a word, or one of them where they look the same; nothing when there
// were none.
static void format_lengths(const pli_cli_progress *progress, const char *word, char *text,
                           size_t capacity)
{
    char shortest[16], longest[16];
    snprintf(shortest, sizeof shortest, "%.1e", progress->shortest);
    snprintf(longest, sizeof longest, "%.1e", progress->longest);
    text[0] = '\0';
    if (!(progress->longest > 0)) return;
    bool differ = strcmp(shortest, longest) != 0;
    snprintf(text, capacity, "%s %s%s%s s", word, shortest, differ ? " to " : "",
             differ ? longest : "");
}

// "90123 particles, 312 sweeps, steps 4.1e-05 to 6.5e-04 s, 1.01 s"
static void format_sweep_frame(const pli_cli_progress *progress, char *text, size_t capacity)
{
    int64_t particles = progress->report.matter.particles;
    char steps[64];
    format_lengths(progress, ", steps", steps, sizeof steps);
    snprintf(text, capacity, "%" PRId64 " particle%s, %" PRId64 " sweep%s%s, %.3g s", particles,
             particles == 1 ? "" : "s", progress->sweeps, progress->sweeps == 1 ? "" : "s", steps,
             progress->seconds);
}

// ", 1 not converged", or nothing.
static void format_trouble(const pli_cli_progress *progress, char *text, size_t capacity)
{
    text[0] = '\0';
    if (progress->unconverged == 0) return;
    snprintf(text, capacity, ", %d not converged", (int)progress->unconverged);
}

// "90123 particles, 20301 nodes, 7 substeps of 1.0e-03 to 4.2e-03 s, 40 iterations,
// residual 9.1e-08, 1.01 s"
static void format_grid_frame(const pli_cli_progress *progress, char *text, size_t capacity)
{
    int64_t particles = progress->report.matter.particles;
    char lengths[64], trouble[64];
    format_lengths(progress, " of", lengths, sizeof lengths);
    format_trouble(progress, trouble, sizeof trouble);
    snprintf(text, capacity,
             "%" PRId64 " particle%s, %d nodes, %" PRId64 " substep%s%s, %" PRId64
             " iteration%s, residual %.2g, %.3g s%s",
             particles, particles == 1 ? "" : "s", (int)progress->report.grid.nodes,
             progress->substeps, progress->substeps == 1 ? "" : "s", lengths, progress->iterations,
             progress->iterations == 1 ? "" : "s", progress->report.residual, progress->seconds,
             trouble);
}

// "12 iterations, residual 0.01, 3 contacts, 1.01 s, 1 not converged"
static void format_mesh_frame(const pli_cli_progress *progress, char *text, size_t capacity)
{
    char trouble[64];
    char contacts[48];
    format_contacts(progress, contacts, sizeof contacts);
    format_trouble(progress, trouble, sizeof trouble);
    snprintf(text, capacity, "%" PRId64 " iteration%s, residual %.2g%s, %.3g s%s",
             progress->iterations, progress->iterations == 1 ? "" : "s", progress->report.residual,
             contacts, progress->seconds, trouble);
}

static void format_frame(const pli_cli_progress *progress, char *text, size_t capacity)
{
    if (progress->sweeps_only) {
        format_sweep_frame(progress, text, capacity);
    } else if (progress->matter) {
        format_grid_frame(progress, text, capacity);
    } else {
        format_mesh_frame(progress, text, capacity);
    }
}

void pli_cli_progress_frame(pli_cli_progress *progress, int32_t frame)
{
    if (!progress->console->live) {
        char left[48];
        char done[256];
        format_left(progress, left, sizeof left);
        format_frame(progress, done, sizeof done);
        pli_cli_say(progress->console, "frame %d/%d, t %.4g s, %s%s", (int)frame,
                    (int)progress->latest.frame_count, progress->latest.time, done, left);
    }
    progress->iterations = progress->sweeps = progress->substeps = 0;
    progress->seconds = progress->shortest = progress->longest = 0;
    progress->unconverged = 0;
}

pli_status pli_cli_create_model(pli_cli_session *session, const pli_scene *scene, pli_model **model)
{
    pli_cli_progress progress;
    pli_cli_progress_init(&progress, &session->console);
    pli_model_def def = {.prepare = pli_cli_progress_prepare, .prepare_user = &progress};
    pli_status status = pli_model_create(session->context, scene, &def, model);
    pli_cli_progress_end(&progress);
    return status;
}

void pli_cli_progress_end(pli_cli_progress *progress)
{
    pli_cli_set_status(progress->console, "");
}
