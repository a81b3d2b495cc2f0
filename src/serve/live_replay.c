// SPDX-License-Identifier: Apache-2.0
#include "base/context.h"
#include "pliant/serve.h"
#include "serve/live.h"
#include "serve/live_log.h"

#include <inttypes.h>
#include <string.h>

typedef struct replay {
    pli_context *context;
    const pli_replay_def *def;
    pli_replay_report *report;
    pli_live_reader *reader;
    pli_live *live;
} replay;

// The scene as the log has it; files that it names may have changed since.
static pli_status load_scene(const replay *r, pli_scene **scene)
{
    const pli_live_log_head *head = pli_live_reader_head(r->reader);
    pli_load_def def = {.allow_outside = true};
    PLI_TRY(pli_scene_parse(r->context, head->scene, (int64_t)strlen(head->scene), head->name, &def,
                            scene));
    if (pli_scene_hash(*scene) == head->scene_hash) return PLI_OK;
    pli_status status = PLI_FAIL(
        r->context, PLI_ERROR_SCENE,
        "%s: its scene is not what it was: a mesh file has changed, or the log was made by "
        "another version",
        r->def->log);
    pli_scene_destroy(*scene);
    *scene = NULL;
    return status;
}

static pli_status begin(replay *r)
{
    pli_scene *scene = NULL;
    PLI_TRY(pli_live_reader_create(r->context, r->def->log, &r->reader));
    PLI_TRY(load_scene(r, &scene));
    pli_live_options options = {.scene = scene, .folder = r->def->folder};
    pli_status status = pli_live_create(r->context, &options, &r->live);
    pli_scene_destroy(scene);
    if (status != PLI_OK) return status;
    pli_live_set_cancel(r->live, r->def->cancel, r->def->cancel_user);
    return PLI_OK;
}

static pli_status record(const replay *r)
{
    pli_live_command command = {.kind = PLI_LIVE_RECORD, .on = true};
    return r->def->folder != NULL ? pli_live_do(r->live, &command) : PLI_OK;
}

static pli_status step_to(replay *r, int64_t steps)
{
    while (pli_live_steps(r->live) < steps) {
        pli_step_report report;
        PLI_TRY(pli_live_step(r->live, &report));
        r->report->steps = pli_live_steps(r->live);
        if (r->def->progress != NULL) r->def->progress(r->def->progress_user, r->report->steps);
    }
    return PLI_OK;
}

static pli_status do_command(replay *r, pli_live_command *command)
{
    ++r->report->commands;
    PLI_TRY(pli_live_do(r->live, command));
    // a reset ends a recording
    return command->kind == PLI_LIVE_RESET ? record(r) : PLI_OK;
}

static void compare(replay *r, uint64_t hash)
{
    ++r->report->marks;
    if (pli_state_hash(pli_live_state(r->live)) == hash) return;
    if (r->report->wrong_marks++ == 0) r->report->first_wrong = pli_live_steps(r->live);
}

static pli_status play(replay *r)
{
    pli_live_entry entry;
    PLI_TRY(record(r));
    do {
        PLI_TRY(pli_live_reader_next(r->reader, &entry));
        PLI_TRY(step_to(r, entry.steps));
        if (entry.line == PLI_LIVE_LINE_MARK) compare(r, entry.hash);
        if (entry.line == PLI_LIVE_LINE_COMMAND) PLI_TRY(do_command(r, &entry.command));
    } while (entry.line != PLI_LIVE_LINE_END);
    r->report->hash = pli_state_hash(pli_live_state(r->live));
    return PLI_OK;
}

pli_status pli_live_replay(pli_context *context, const pli_replay_def *def,
                           pli_replay_report *report)
{
    *report = (pli_replay_report){0};
    replay r = {.context = context, .def = def, .report = report};
    pli_status status = begin(&r);
    if (status == PLI_OK) status = play(&r);
    pli_live_destroy(r.live);
    pli_live_reader_destroy(r.reader);
    return status;
}
