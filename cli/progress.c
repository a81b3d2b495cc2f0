// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <inttypes.h>

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

static void draw(pli_cli_progress *progress)
{
    if (!is_due(progress)) return;
    const pli_run_progress *latest = &progress->latest;
    char left[48];
    format_left(progress, left, sizeof left);
    char contacts[48];
    format_contacts(progress, contacts, sizeof contacts);
    char line[256];
    if (latest->step_count > 0) {
        snprintf(line, sizeof line,
                 "frame %d/%d, step %" PRId64 "/%" PRId64
                 ", t %.4g s%s, iteration %d, residual %.2g%s",
                 (int)latest->frame, (int)latest->frame_count, latest->step, latest->step_count,
                 latest->time, left, (int)progress->iteration, progress->report.residual, contacts);
    } else {
        snprintf(line, sizeof line, "first step, iteration %d", (int)progress->iteration);
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

void pli_cli_progress_step(pli_cli_progress *progress, const pli_run_progress *latest)
{
    progress->latest = *latest;
    progress->report = *latest->report;
    progress->latest.report = &progress->report;
    progress->iteration = 0;
    progress->iterations += progress->report.iterations;
    progress->seconds += progress->report.seconds;
    progress->unconverged += progress->report.stop < 0;
    draw(progress);
}

void pli_cli_progress_frame(pli_cli_progress *progress, int32_t frame)
{
    if (!progress->console->live) {
        char left[48];
        char trouble[64] = "";
        char contacts[48];
        format_contacts(progress, contacts, sizeof contacts);
        format_left(progress, left, sizeof left);
        if (progress->unconverged > 0) {
            snprintf(trouble, sizeof trouble, ", %d not converged", (int)progress->unconverged);
        }
        pli_cli_say(progress->console,
                    "frame %d/%d, t %.4g s, %" PRId64 " iteration%s, residual %.2g%s, %.3g s%s%s",
                    (int)frame, (int)progress->latest.frame_count, progress->latest.time,
                    progress->iterations, progress->iterations == 1 ? "" : "s",
                    progress->report.residual, contacts, progress->seconds, trouble, left);
    }
    progress->iterations = 0;
    progress->seconds = 0;
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
