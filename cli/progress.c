// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <inttypes.h>
#include <math.h>

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

// ", iteration 3, residual 0.01, 12 contacts", or ", sweep 40, 90123 particles".
static void format_step(const pli_cli_progress *progress, char *text, size_t capacity)
{
    if (progress->matter) {
        snprintf(text, capacity, ", sweep %d, %" PRId64 " particles", (int)progress->iteration,
                 progress->report.matter.particles);
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
        snprintf(line, sizeof line, "first step, %s %d", progress->matter ? "sweep" : "iteration",
                 (int)progress->iteration);
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

// Counts what a step of particles was made of.
static void add_matter(pli_cli_progress *progress, const pli_matter_report *matter)
{
    progress->sweeps += matter->sweeps;
    for (int k = 0; k < PLI_REPORT_STEPS; ++k) {
        if (matter->steps[k] == 0) continue;
        double step = ldexp(matter->tick, k);
        progress->longest = fmax(progress->longest, step);
        progress->shortest = progress->shortest > 0 ? fmin(progress->shortest, step) : step;
    }
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
    add_matter(progress, &progress->report.matter);
    draw(progress);
}

// "90123 particles, 312 sweeps, steps 4.1e-05 to 6.5e-04 s, 1.01 s"
static void format_matter_frame(const pli_cli_progress *progress, char *text, size_t capacity)
{
    int64_t particles = progress->report.matter.particles;
    char steps[64] = "";
    if (progress->longest > progress->shortest) {
        snprintf(steps, sizeof steps, ", steps %.1e to %.1e s", progress->shortest,
                 progress->longest);
    } else if (progress->longest > 0) {
        snprintf(steps, sizeof steps, ", steps %.1e s", progress->longest);
    }
    snprintf(text, capacity, "%" PRId64 " particle%s, %" PRId64 " sweep%s%s, %.3g s", particles,
             particles == 1 ? "" : "s", progress->sweeps, progress->sweeps == 1 ? "" : "s", steps,
             progress->seconds);
}

// "12 iterations, residual 0.01, 3 contacts, 1.01 s, 1 not converged"
static void format_frame(const pli_cli_progress *progress, char *text, size_t capacity)
{
    char trouble[64] = "";
    char contacts[48];
    format_contacts(progress, contacts, sizeof contacts);
    if (progress->unconverged > 0) {
        snprintf(trouble, sizeof trouble, ", %d not converged", (int)progress->unconverged);
    }
    snprintf(text, capacity, "%" PRId64 " iteration%s, residual %.2g%s, %.3g s%s",
             progress->iterations, progress->iterations == 1 ? "" : "s", progress->report.residual,
             contacts, progress->seconds, trouble);
}

void pli_cli_progress_frame(pli_cli_progress *progress, int32_t frame)
{
    if (!progress->console->live) {
        char left[48];
        char done[256];
        format_left(progress, left, sizeof left);
        (progress->matter ? format_matter_frame : format_frame)(progress, done, sizeof done);
        pli_cli_say(progress->console, "frame %d/%d, t %.4g s, %s%s", (int)frame,
                    (int)progress->latest.frame_count, progress->latest.time, done, left);
    }
    progress->iterations = progress->sweeps = 0;
    progress->seconds = progress->shortest = progress->longest = 0;
    progress->unconverged = 0;
}

pli_status pli_cli_create_model(pli_cli_session *session, const pli_scene *scene, pli_model **model)
{
    pli_cli_progress progress;
    pli_cli_progress_init(&progress, &session->console);
    pli_model_def def = {.prepare = pli_cli_progress_prepare, .prepare_user = &progress};
    pli_status status = pli_model_create_with(session->context, scene, &def, model);
    pli_cli_progress_end(&progress);
    return status;
}

void pli_cli_progress_end(pli_cli_progress *progress)
{
    pli_cli_set_status(progress->console, "");
}
