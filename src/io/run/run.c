// SPDX-License-Identifier: Apache-2.0
//
// A run: scene in, folder out. Order of writing, which resuming relies on: lines of steps, then the
// frame and its entry in the series, then the checkpoint. So whatever is listed before a checkpoint
// is there when that checkpoint is, and whatever comes after it is cut off and computed again.
#include "base/memory.h"
#include "base/timers.h"
#include "io/file/file.h"
#include "io/frames/series.h"
#include "io/run/checkpoint.h"
#include "io/run/run_cache.h"
#include "io/run/run_files.h"
#include "io/run/run_residuals.h"
#include "io/run/saved_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MESSAGE_CAPACITY = 1024 };

struct pli_run {
    pli_context *context;
    pli_run_def def; // folder and command are copies
    const pli_scene_def *scene;

    // the simulation
    pli_model *model;
    pli_state *state;
    pli_solver *solver;
    pli_model_info model_info;

    // the folder
    pli_run_folder folder;
    char *checkpoints; // folder of the checkpoints
    pli_saved_state saved;
    pli_frame_writer *frames;
    pli_log *steps;
    pli_log *iterations;          // NULL: not asked for
    pli_run_residuals *residuals; // NULL: not asked for, or there are none
    pli_text line;                // scratch for one line of steps
    pli_text pending;             // lines of the iterations of the current step
    bool unlogged;                // the lines of the last step could not be written
    pli_report report;
    pli_report_notes notes;    // warnings since it was created
    pli_log_listener listener; // that fills them
    pli_run_record record;     // what run.json says, as far as it does not change

    // where it stands
    int32_t frame_count;  // to compute
    int64_t step_count;   // to take, limits not counted
    int64_t first_step;   // resumed after this one
    int64_t saved_step;   // of the newest checkpoint; -1: none
    double saved_at;      // when it was written, or the run begun (s, of the clock)
    double begun;         // when it was created (monotonic clock, s)
    double earlier;       // wall-clock time of the runs that it goes on from (s)
    double frame_writing; // longest that a frame took to write (s)
    double state_writing; // longest that a checkpoint took (s)
    bool out_of_time;     // the limit in seconds stopped a step or the making of the model
    pli_run_outcome outcome;
    char message[MESSAGE_CAPACITY]; // of the failure that ended it
};

const char *pli_run_outcome_name(pli_run_outcome outcome)
{
    static const char *const names[] = {
        [PLI_RUN_GOING] = "running",      [PLI_RUN_DONE] = "done",
        [PLI_RUN_LIMITED] = "limited",    [PLI_RUN_INTERRUPTED] = "interrupted",
        [PLI_RUN_FAILED] = "failed",      [PLI_RUN_BROKEN] = "broken",
        [PLI_RUN_UNWRITTEN] = "unwritten"};
    return names[outcome];
}

static int64_t steps_taken(const pli_run *run)
{
    return pli_state_get(run->state).step;
}

static int32_t frames_done(const pli_run *run)
{
    return (int32_t)(steps_taken(run) / run->scene->time.steps_per_frame);
}

pli_run_info pli_run_get_info(const pli_run *run)
{
    return (pli_run_info){.outcome = run->outcome,
                          .step = steps_taken(run),
                          .first_step = run->first_step,
                          .frame = frames_done(run),
                          .time = pli_state_get(run->state).time,
                          .seconds = pli_clock_seconds() - run->begun,
                          .unconverged = run->report.unconverged.count,
                          .folder = run->folder.path,
                          .advice = pli_report_advice(&run->report),
                          .saved_step = run->saved_step,
                          .model = run->model,
                          .state = run->state};
}

// ---- files that describe the run --------------------------------------------------------------

static bool moves(const pli_motion_def *motion)
{
    return motion->segment_count > 0 || motion->keyframe_count > 0;
}

// Whether a script moves anything or matter comes in, or loads or what is in cavities change, so
// that the energy may rise.
static bool is_driven(const pli_scene_def *def)
{
    bool driven = def->emitter_count > 0;
    for (int32_t k = 0; k < def->constraint_count; ++k) {
        driven = driven || moves(&def->constraints[k].motion);
    }
    for (int32_t k = 0; k < def->attachment_count; ++k) {
        driven = driven || moves(&def->attachments[k].motion);
    }
    for (int32_t k = 0; k < def->collider_count; ++k) {
        driven = driven || moves(&def->colliders[k].motion);
    }
    for (int32_t k = 0; k < def->body_count; ++k) {
        driven = driven || moves(&def->bodies[k].motion);
    }
    for (int32_t k = 0; k < def->load_count; ++k) {
        driven = driven || def->loads[k].over_time_count > 1;
    }
    for (int32_t k = 0; k < def->cavity_count; ++k) {
        driven = driven || def->cavities[k].over_time_count > 1;
    }
    return driven;
}

static void init_record(pli_run *run)
{
    pli_run_record_init(&run->record, &run->folder, &run->report, run->def.scene, &run->model_info);
    run->record.scene_hash = run->saved.scene_hash;
    run->record.facts.command = run->def.command;
    run->record.facts.driven = is_driven(run->scene);
    run->record.facts.notes = &run->notes;
    run->record.facts.frames_wanted = run->frame_count;
}

static pli_run_record describe(const pli_run *run)
{
    pli_run_record record = run->record;
    pli_run_record_update(&record, run->outcome);
    record.facts.message = run->message[0] != '\0' ? run->message : NULL;
    record.facts.frame_count = frames_done(run);
    record.facts.wall_seconds = run->earlier + pli_clock_seconds() - run->begun;
    return record;
}

static pli_status write_record(const pli_run *run)
{
    pli_run_record record = describe(run);
    return pli_run_files_write_record(&run->folder, &record);
}

// Writes the lines of a step that was taken. Whatever of them fails is tried again before the state
// is saved.
static pli_status append_lines(pli_run *run)
{
    run->unlogged = true;
    if (run->line.failed || run->pending.failed) return PLI_ERROR_MEMORY;
    if (run->iterations != NULL && run->pending.length > 0) {
        PLI_TRY(pli_log_append(run->iterations, run->pending.bytes, run->pending.length));
        pli_text_reset(&run->pending);
    }
    PLI_TRY(pli_log_append(run->steps, run->line.bytes, run->line.length));
    run->unlogged = false;
    return PLI_OK;
}

// Brings the lines to the disk, then writes a checkpoint, so that it never knows more than they do.
static pli_status write_checkpoint(pli_run *run)
{
    double begun = pli_clock_seconds();
    // who removed the folder does not want it back
    if (!pli_path_exists(run->folder.path)) {
        return PLI_FAIL(run->context, PLI_ERROR_IO, "%s: is gone", run->folder.path);
    }
    if (run->unlogged) PLI_TRY(append_lines(run));
    PLI_TRY(pli_log_sync(run->steps));
    if (run->iterations != NULL) PLI_TRY(pli_log_sync(run->iterations));
    if (run->residuals != NULL) PLI_TRY(pli_run_residuals_sync(run->residuals));
    PLI_TRY(pli_saved_state_save(&run->saved, run->checkpoints));
    run->saved_step = steps_taken(run);
    run->saved_at = pli_clock_seconds();
    run->state_writing = fmax(run->state_writing, run->saved_at - begun);
    return write_record(run);
}

static pli_status write_frame(pli_run *run)
{
    double begun = pli_clock_seconds();
    pli_frame frame;
    PLI_TRY(pli_solver_frame(run->solver, run->state, &frame));
    frame.index = frames_done(run);
    frame.step = steps_taken(run);
    frame.time = pli_state_get(run->state).time;
    PLI_TRY(pli_frame_writer_add(run->frames, &frame));
    run->frame_writing = fmax(run->frame_writing, pli_clock_seconds() - begun);
    return PLI_OK;
}

// ---- beginning --------------------------------------------------------------------------------

static pli_status check_def(pli_context *context, const pli_run_def *def)
{
    if (def->folder == NULL || def->folder[0] == '\0') {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a folder is needed for a run");
    }
    if (def->frames < 0 || def->steps < 0 || !(def->seconds >= 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "limits of a run must not be negative: frames %d, steps %lld, seconds %g",
                        def->frames, (long long)def->steps, def->seconds);
    }
    if (def->force && def->resume) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a run can replace an earlier one or go on from it, not both");
    }
    return PLI_OK;
}

static pli_status copy_def(pli_run *run, const pli_run_def *def)
{
    run->def = *def;
    run->def.command = NULL;
    run->def.folder = NULL;
    if (def->command != NULL) {
        run->def.command = pli_string_copy(run->context, def->command);
        if (run->def.command == NULL) return PLI_ERROR_MEMORY;
    }
    run->frame_count = def->frames > 0 ? def->frames : run->scene->time.frames;
    run->step_count = (int64_t)run->frame_count * run->scene->time.steps_per_frame;
    return PLI_OK;
}

// A new run would replace the very file that describes it; a resumed one leaves it as it is.
static pli_status check_own_scene(const pli_run *run, bool own)
{
    if (run->def.resume || !own) return PLI_OK;
    return PLI_FAIL(run->context, PLI_ERROR_IO,
                    "%s: is the scene itself, and a run in its folder would replace it; "
                    "choose another folder",
                    pli_scene_get_info(run->def.scene).source);
}

// Locks the folder and refuses one that holds another run or what is of others, before anything
// costly is done.
static pli_status take_folder(pli_run *run, const pli_run_def *def)
{
    bool own = false;
    pli_run_mode mode = def->resume ? PLI_RUN_RESUME : def->force ? PLI_RUN_FORCE : PLI_RUN_NEW;
    PLI_TRY(pli_run_folder_init(&run->folder, run->context, def->folder));
    PLI_TRY(pli_run_files_find_own_scene(&run->folder, run->def.scene, &own));
    PLI_TRY(check_own_scene(run, own));
    run->checkpoints = pli_run_folder_join(&run->folder, PLI_CHECKPOINT_FOLDER);
    if (run->checkpoints == NULL) return PLI_ERROR_MEMORY;
    return pli_run_folder_accept(&run->folder, mode, own);
}

// Whether no more time is left than saving the state takes: what it and a frame took at most so
// far, half as long again, and a hundredth of the limit for the record and the report.
static bool is_out_of_time(const pli_run *run)
{
    double limit = run->def.seconds;
    if (!(limit > 0)) return false;
    double kept = 1.5 * (run->frame_writing + run->state_writing) + fmin(0.01 * limit, 1);
    return pli_clock_seconds() - run->begun >= limit - fmin(kept, 0.5 * limit);
}

// Asked while the model is made and at every iteration of a step.
static bool is_cancelled(void *user)
{
    pli_run *run = user;
    if (run->def.cancel != NULL && run->def.cancel(run->def.cancel_user)) return true;
    run->out_of_time = is_out_of_time(run);
    return run->out_of_time;
}

static pli_status build_simulation(pli_run *run)
{
    pli_model_def def = {.cache = pli_run_cache(&run->folder),
                         .prepare = run->def.prepare,
                         .prepare_user = run->def.prepare_user,
                         .cancel = is_cancelled,
                         .cancel_user = run};
    PLI_TRY(pli_model_create(run->context, run->def.scene, &def, &run->model));
    PLI_TRY(pli_state_create(run->model, &run->state));
    PLI_TRY(pli_solver_create(run->model, &run->solver));
    run->model_info = pli_model_get_info(run->model);
    PLI_TRY(pli_saved_state_init(&run->saved, run->def.scene, run->model, run->state));
    run->saved.files = run->folder.files;
    run->saved.prefix = PLI_CHECKPOINT_FOLDER "/";
    return PLI_OK;
}

static pli_status read_record(const pli_run *run, pli_run_summary *summary)
{
    char *path = pli_run_folder_join(&run->folder, PLI_RUN_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_run_json_read(run->context, path, summary);
    pli_release(run->context, path);
    return status;
}

// Resuming where there is no checkpoint yet begins again, but only over what the same scene left.
static pli_status check_leftover(const pli_run *run, const pli_run_summary *summary)
{
    char hash[17];
    pli_run_json_hash(run->record.scene_hash, hash);
    if (run->folder.has_run && strcmp(summary->scene_hash, hash) != 0) {
        return PLI_FAIL(run->context, PLI_ERROR_SCENE,
                        "%s: cannot be resumed: it has no checkpoint and belongs to another scene, "
                        "whose hash is %s; that of this scene is %s",
                        run->folder.path,
                        summary->scene_hash[0] != '\0' ? summary->scene_hash : "not known", hash);
    }
    PLI_LOG(run->context, PLI_LOG_INFO, "%s: no checkpoint to resume from; begins again",
            run->folder.path);
    return PLI_OK;
}

// Goes on from the newest checkpoint, or clears the folder and begins.
static pli_status restore_or_wipe(pli_run *run)
{
    pli_run_summary summary = {0};
    run->saved_step = -1;
    if (run->def.resume) PLI_TRY(read_record(run, &summary));
    // a folder that cannot be listed may hold what must not be wiped
    bool has_checkpoint = pli_checkpoint_newest_step(run->checkpoints) != -1;
    if (!run->def.resume || !has_checkpoint) {
        if (run->def.resume) PLI_TRY(check_leftover(run, &summary));
        return pli_run_folder_wipe(&run->folder);
    }
    PLI_TRY(pli_saved_state_load(&run->saved, run->checkpoints));
    run->first_step = run->saved_step = steps_taken(run);
    pli_checkpoint_discard_after(run->folder.files, run->checkpoints, PLI_CHECKPOINT_FOLDER "/",
                                 run->saved_step);
    run->earlier = summary.wall_seconds > 0 ? summary.wall_seconds : 0;
    if (summary.started[0] != '\0') {
        memcpy(run->record.started, summary.started, sizeof run->record.started);
    }
    return PLI_OK;
}

static void hear_line(void *user, const pli_json *line)
{
    pli_report_add_line(user, line);
}

static pli_status open_residuals(pli_run *run)
{
    if (!run->scene->output.residuals) return PLI_OK;
    if (!(run->model_info.cfl > 0)) {
        PLI_LOG(run->context, PLI_LOG_WARNING,
                "output.residuals: only implicit steps of particles have them, and solver %s takes "
                "none",
                run->model_info.solver);
        return PLI_OK;
    }
    pli_run_residuals_def def = {.borrowed_folder = &run->folder,
                                 .keep = run->saved_step,
                                 .compress = run->scene->output.compress};
    PLI_TRY(pli_run_residuals_create(run->context, &def, &run->residuals));
    return PLI_OK;
}

static bool is_frame_due(const pli_run *run)
{
    int32_t every = run->scene->output.every > 0 ? run->scene->output.every : 1;
    return steps_taken(run) % run->scene->time.steps_per_frame == 0 &&
           frames_done(run) % every == 0;
}

// Whether the frame of the state is still to be written: that of the beginning, or one that the
// disk had no room for although it had for the state.
static bool is_frame_missing(const pli_run *run)
{
    return is_frame_due(run) && pli_frame_writer_newest(run->frames) < frames_done(run);
}

static pli_status open_files(pli_run *run)
{
    PLI_TRY(pli_report_init(&run->report, run->context));
    // first of all, whose folder this is
    if (run->saved_step < 0) PLI_TRY(write_record(run));
    // lines beyond the checkpoint go
    pli_log_def steps = {.keep = run->saved_step, .heard = hear_line, .heard_user = &run->report};
    PLI_TRY(pli_run_files_open_log(&run->folder, PLI_STEPS_FILE, steps, &run->steps));
    if (run->scene->output.iterations) {
        pli_log_def iterations = {.keep = run->saved_step};
        PLI_TRY(pli_run_files_open_log(&run->folder, PLI_ITERATIONS_FILE, iterations,
                                       &run->iterations));
    }
    PLI_TRY(open_residuals(run));
    int32_t keep = run->saved_step >= 0 ? frames_done(run) : -1;
    PLI_TRY(pli_run_files_open_frames(&run->folder, &run->scene->output, keep, &run->frames));
    PLI_TRY(pli_run_files_write_scene(&run->folder, run->def.scene));
    if (is_frame_missing(run)) PLI_TRY(write_frame(run));
    return write_record(run);
}

static void hear_iteration(void *user, const pli_iteration_report *report)
{
    pli_run *run = user;
    pli_log_append_iteration(&run->pending, report);
}

// Notes what was warned of when the scene was read, long before there was a run to note it.
static void note_warnings(pli_run *run, const pli_scene *scene)
{
    pli_scene_info info = pli_scene_get_info(scene);
    for (int32_t k = 0; k < info.warning_count; ++k) {
        pli_report_notes_hear(&run->notes, PLI_LOG_WARNING, info.warnings[k]);
    }
}

pli_status pli_run_create(const pli_run_def *def, pli_run **run)
{
    *run = NULL;
    if (def->scene == NULL) return PLI_ERROR_ARGUMENT;
    pli_context *context = pli_scene_context(def->scene);
    PLI_TRY(check_def(context, def));
    pli_run *made = PLI_NEW(context, pli_run, 1, "run");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->scene = pli_scene_get(def->scene);
    made->begun = pli_clock_seconds();
    made->saved_at = made->begun;
    pli_text_init(&made->line, context);
    pli_text_init(&made->pending, context);
    made->listener = (pli_log_listener){.hear = pli_report_notes_hear, .user = &made->notes};
    pli_context_add_listener(context, &made->listener);
    note_warnings(made, def->scene);

    pli_status status = copy_def(made, def);
    if (status == PLI_OK) status = take_folder(made, def);
    if (status == PLI_OK) status = build_simulation(made);
    if (status == PLI_OK) init_record(made);
    if (status == PLI_OK) status = restore_or_wipe(made);
    if (status == PLI_OK) status = open_files(made);
    if (status != PLI_OK) {
        pli_run_folder_undo(&made->folder);
        pli_run_destroy(made);
        return status;
    }
    pli_solver_hooks hooks = {.cancel = is_cancelled,
                              .cancel_user = made,
                              .iteration = made->iterations != NULL ? hear_iteration : NULL,
                              .iteration_user = made,
                              .residual = made->residuals != NULL ? pli_run_residuals_hear : NULL,
                              .residual_user = made->residuals};
    pli_solver_set_hooks(made->solver, &hooks);
    *run = made;
    return PLI_OK;
}

void pli_run_destroy(pli_run *run)
{
    if (run == NULL) return;
    pli_context *context = run->context;
    pli_context_remove_listener(context, &run->listener);
    pli_run_residuals_destroy(run->residuals);
    pli_log_destroy(run->iterations);
    pli_log_destroy(run->steps);
    pli_frame_writer_destroy(run->frames);
    pli_report_clear(&run->report);
    pli_text_clear(&run->pending);
    pli_text_clear(&run->line);
    pli_saved_state_clear(&run->saved);
    pli_solver_destroy(run->solver);
    pli_state_destroy(run->state);
    pli_model_destroy(run->model);
    PLI_RELEASE(context, run->checkpoints, (char *)(uintptr_t)run->def.command);
    // the lock goes last: until here the folder is in use
    pli_run_folder_clear(&run->folder);
    pli_release(context, run);
}

// ---- ending -----------------------------------------------------------------------------------

static pli_run_outcome outcome_of(pli_status status)
{
    switch (status) {
    case PLI_OK: return PLI_RUN_DONE;
    case PLI_ERROR_INTERRUPTED: return PLI_RUN_INTERRUPTED;
    case PLI_ERROR_IO: return PLI_RUN_UNWRITTEN;
    default: return PLI_RUN_FAILED;
    }
}

// Keeps the failure's text, which later failures would replace, and says where the state is.
static void keep_message(pli_run *run, pli_status status)
{
    char text[MESSAGE_CAPACITY / 2] = "";
    if (status == PLI_OK) return;
    if (status == PLI_ERROR_INTERRUPTED) {
        snprintf(text, sizeof text, "interrupted after step %lld", (long long)steps_taken(run));
    } else {
        pli_context_message(run->context, text, sizeof text);
    }
    if (run->saved_step >= 0) {
        snprintf(run->message, sizeof run->message, "%s; the state of step %lld is saved in %.300s",
                 text, (long long)run->saved_step, run->checkpoints);
    } else {
        snprintf(run->message, sizeof run->message, "%s", text);
    }
}

// Ends the run: saves the state if it is not saved yet, then the record and the report. The first
// failure is the one that is returned.
static pli_status end_run(pli_run *run, pli_run_outcome outcome, pli_status status)
{
    pli_status ending = PLI_OK;
    char first[MESSAGE_CAPACITY] = "";
    run->outcome = outcome;
    if (status != PLI_OK) pli_context_message(run->context, first, sizeof first);
    // a broken state must not push out good ones
    if (outcome != PLI_RUN_BROKEN && run->saved_step != steps_taken(run)) {
        ending = write_checkpoint(run);
    }
    if (status == PLI_OK && ending != PLI_OK) {
        status = ending;
        run->outcome = outcome_of(ending);
    } else if (first[0] != '\0') {
        (void)PLI_FAIL(run->context, status, "%s", first);
    }
    keep_message(run, status);

    pli_run_record record = describe(run);
    ending = pli_run_files_write_record(&run->folder, &record);
    if (ending == PLI_OK) ending = pli_run_files_write_report(&run->folder, &record);
    if (status == PLI_OK && ending != PLI_OK) {
        run->outcome = outcome_of(ending);
        return ending;
    }
    return status != PLI_OK ? PLI_FAIL(run->context, status, "%s", run->message) : PLI_OK;
}

// ---- stepping ---------------------------------------------------------------------------------

static bool is_finite_report(const pli_step_report *report)
{
    return isfinite(report->energy.total) && isfinite(report->energy.kinetic) &&
           isfinite(report->energy.elastic) && isfinite(report->time);
}

static void tell_progress(const pli_run *run, const pli_step_report *report)
{
    if (run->def.progress == NULL) return;
    int64_t step = steps_taken(run);
    double seconds = pli_clock_seconds() - run->begun;
    int64_t taken = step - run->first_step;
    double per_step = taken > 0 ? seconds / (double)taken : -1;
    pli_run_progress progress = {.frame = frames_done(run),
                                 .frame_count = run->frame_count,
                                 .step = step,
                                 .step_count = run->step_count,
                                 .time = pli_state_get(run->state).time,
                                 .seconds = seconds,
                                 .seconds_left = per_step * (double)(run->step_count - step),
                                 .report = report};
    run->def.progress(run->def.progress_user, &progress);
}

static pli_status fail_of_rejection(const pli_run *run, const pli_step_report *report)
{
    char residual[96];
    snprintf(residual, sizeof residual, "residual %g, tolerance %g", report->residual,
             report->tolerance);
    return PLI_FAIL(run->context, PLI_ERROR_NUMERIC,
                    "step %lld was rejected (%s): %s; take shorter steps or soften the material",
                    (long long)steps_taken(run) + 1, pli_stop_name(report->stop),
                    report->culprit != NULL ? report->culprit : residual);
}

// Takes one step. A failure ends the run; *outcome says how.
static pli_status take_step(pli_run *run, pli_run_outcome *outcome)
{
    int64_t before = steps_taken(run);
    pli_step_report report = {0};
    pli_text_reset(&run->pending);
    pli_status status = is_cancelled(run) ? PLI_ERROR_INTERRUPTED
                                          : pli_solver_step(run->solver, run->state, &report);
    *outcome = outcome_of(status);
    if (status != PLI_OK) return status;
    if (steps_taken(run) == before) {
        *outcome = PLI_RUN_FAILED;
        return fail_of_rejection(run, &report);
    }
    pli_text_reset(&run->line);
    pli_log_append_step(&run->line, &report);
    status = append_lines(run);
    if (status == PLI_OK && run->residuals != NULL) {
        status = pli_run_residuals_status(run->residuals);
    }
    pli_report_add(&run->report, &report);
    *outcome = outcome_of(status);
    if (status == PLI_OK && !is_finite_report(&report)) {
        *outcome = PLI_RUN_BROKEN;
        return PLI_FAIL(run->context, PLI_ERROR_NUMERIC,
                        "step %lld has energies that are not finite", (long long)report.step);
    }
    tell_progress(run, &report);
    return status;
}

// Writes what is due at the end of a frame.
static pli_status close_frame(pli_run *run)
{
    int32_t frame = frames_done(run);
    const pli_output_def *output = &run->scene->output;
    if (is_frame_due(run)) PLI_TRY(write_frame(run));
    bool due = !(run->def.checkpoint_seconds > 0) && output->checkpoint_every > 0 &&
               frame % output->checkpoint_every == 0;
    return due ? write_checkpoint(run) : PLI_OK;
}

// Writes what is due after a step; *closed tells whether it was the last of a frame.
static pli_status close_step(pli_run *run, bool *closed)
{
    *closed = steps_taken(run) % run->scene->time.steps_per_frame == 0;
    if (*closed) PLI_TRY(close_frame(run));
    double interval = run->def.checkpoint_seconds;
    bool due = interval > 0 && pli_clock_seconds() - run->saved_at >= interval;
    return due ? write_checkpoint(run) : PLI_OK;
}

pli_status pli_run_advance(pli_run *run, bool *more)
{
    *more = false;
    if (run->outcome != PLI_RUN_GOING) {
        return PLI_FAIL(run->context, PLI_ERROR_ARGUMENT, "the run in %s has ended: %s",
                        run->folder.path, pli_run_outcome_name(run->outcome));
    }
    bool closed = false;
    while (!closed && steps_taken(run) < run->step_count) {
        bool has_all = run->def.steps > 0 && steps_taken(run) >= run->def.steps;
        if (has_all || is_out_of_time(run)) return end_run(run, PLI_RUN_LIMITED, PLI_OK);
        pli_run_outcome outcome = PLI_RUN_GOING;
        pli_status status = take_step(run, &outcome);
        // the step is given up, and the state is the one before it
        if (status == PLI_ERROR_INTERRUPTED && run->out_of_time) {
            return end_run(run, PLI_RUN_LIMITED, PLI_OK);
        }
        if (status != PLI_OK) return end_run(run, outcome, status);
        status = close_step(run, &closed);
        if (status != PLI_OK) return end_run(run, outcome_of(status), status);
    }
    *more = steps_taken(run) < run->step_count;
    return *more ? PLI_OK : end_run(run, PLI_RUN_DONE, PLI_OK);
}

pli_status pli_run_execute(pli_run *run)
{
    bool more = true;
    while (more) PLI_TRY(pli_run_advance(run, &more));
    return PLI_OK;
}
