// SPDX-License-Identifier: Apache-2.0
#include "serve/live.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/run/recording.h"
#include "serve/live_log.h"
#include "serve/live_settings.h"
#include "serve/live_world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SETTINGS = 64,      // different ones that can be changed
    MARK_EVERY = 100,   // steps between hashes in the log
    MEASURE_EVERY = 15, // steps; measuring is a pass over all elements
    RECORDINGS = 1000   // in one folder
};

// what a hand holds
typedef struct grasp {
    int32_t count;
    int32_t *vertices; // [count] of the state
    double *stiffness; // [count] N/m
    double *start;     // [count][3] where they were when it took hold (m)
    double origin[3];  // where its vertex was (m)
} grasp;

struct pli_live {
    pli_context *context;
    char *folder; // NULL: neither log nor recordings
    char *source; // the scene as text, as it began
    char *name;   // of the scene, for messages and files
    pli_live_world world;

    // settings that were changed, as "PATH=VALUE", the newest of each path
    char *sets[SETTINGS];
    int32_t set_count;

    int32_t hand_count;
    pli_live_hand hands[PLI_LIVE_HANDS]; // [hand_count]
    grasp grasps[PLI_LIVE_HANDS];        // [hand_count]
    int64_t next_pin;

    int64_t steps;
    pli_live_log *log;        // NULL: none
    pli_recording *recording; // NULL: none
    pli_cancel_fn cancel;
    void *cancel_user;
};

// ---- what is held

static void drop_hand(pli_live *live, int32_t index)
{
    grasp *gone = &live->grasps[index];
    pli_release(live->context, gone->vertices);
    pli_release(live->context, gone->stiffness);
    pli_release(live->context, gone->start);
    // the last one takes its place
    int32_t last = --live->hand_count;
    live->hands[index] = live->hands[last];
    live->grasps[index] = live->grasps[last];
    live->grasps[last] = (grasp){0};
}

static void drop_all(pli_live *live, bool pins_only)
{
    for (int32_t k = live->hand_count - 1; k >= 0; --k) {
        if (!pins_only || live->hands[k].id < 0) drop_hand(live, k);
    }
}

static int32_t find_hand(const pli_live *live, int64_t id)
{
    for (int32_t k = 0; k < live->hand_count; ++k) {
        if (live->hands[k].id == id) return k;
    }
    return -1;
}

// Springs of all hands as grips of the state; where two hold the same vertex, the mean of both
// targets, weighted, with the sum of their stiffness.
static pli_status apply_grasps(pli_live *live)
{
    pli_state *state = live->world.state;
    pli_state_clear_grips(state);
    for (int32_t k = 0; k < live->hand_count; ++k) {
        const grasp *held = &live->grasps[k];
        const pli_live_hand *hand = &live->hands[k];
        for (int32_t i = 0; i < held->count; ++i) {
            int32_t vertex = held->vertices[i];
            const double *target = pli_state_get(state).grip_targets + 3 * (int64_t)vertex;
            double before = pli_state_get(state).grip_stiffnesses[vertex];
            double sum = before + held->stiffness[i];
            double mean[3];
            for (int32_t axis = 0; axis < 3; ++axis) {
                double wanted =
                    held->start[3 * i + axis] + (hand->target[axis] - held->origin[axis]);
                mean[axis] = (before * target[axis] + held->stiffness[i] * wanted) / sum;
            }
            PLI_TRY(pli_state_set_grip(state, vertex, sum, mean));
        }
    }
    return PLI_OK;
}

// ---- taking hold

static pli_status find_place(const pli_live *live, const pli_live_command *command, int32_t *body,
                             int32_t *vertex)
{
    *body = pli_live_world_find_body(&live->world, command->body);
    if (*body < 0) {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT, "%s: there is no body '%s'",
                        pli_live_kind_name(command->kind), command->body);
    }
    pli_body_info range = pli_model_get_body(live->world.model, *body);
    if (command->vertex >= range.vertex_count) {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT,
                        "%s: body '%s' has no vertex %d, only %d",
                        pli_live_kind_name(command->kind), command->body, (int)command->vertex,
                        (int)range.vertex_count);
    }
    *vertex = range.first_vertex + command->vertex;
    return PLI_OK;
}

// w = (1 - (d/r)^2)^2 of a vertex at distance d; the vertex that is held itself counts whatever r.
static double weight_at(const double *x, const double *center, double radius)
{
    double d2 = 0;
    for (int32_t axis = 0; axis < 3; ++axis) {
        d2 += (x[axis] - center[axis]) * (x[axis] - center[axis]);
    }
    if (!(d2 > 0)) return 1;
    double q = radius > 0 ? 1 - d2 / (radius * radius) : 0;
    return q > 0 ? q * q : 0;
}

static int32_t count_near(const double *x, int32_t first, int32_t count, const double *center,
                          double radius)
{
    int32_t near = 0;
    for (int32_t i = first; i < first + count; ++i) {
        near += weight_at(x + 3 * (int64_t)i, center, radius) > 0;
    }
    return near;
}

static pli_status fill_grasp(pli_live *live, grasp *held, int32_t body, double radius)
{
    const double *x = pli_state_get(live->world.state).positions;
    pli_body_info range = pli_model_get_body(live->world.model, body);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    int32_t near = count_near(x, first, count, held->origin, radius);
    held->vertices = PLI_NEW(live->context, int32_t, near, "hand");
    held->stiffness = PLI_NEW(live->context, double, near, "hand");
    held->start = PLI_NEW(live->context, double, 3 * (int64_t)near, "hand");
    if (held->vertices == NULL || held->stiffness == NULL || held->start == NULL) {
        return PLI_ERROR_MEMORY;
    }
    for (int32_t i = first; i < first + count; ++i) {
        double weight = weight_at(x + 3 * (int64_t)i, held->origin, radius);
        if (!(weight > 0)) continue;
        held->vertices[held->count] = i;
        held->stiffness[held->count] = weight;
        memcpy(held->start + 3 * (int64_t)held->count, x + 3 * (int64_t)i, 3 * sizeof(double));
        ++held->count;
    }
    return PLI_OK;
}

// Shares the stiffness of the hand out among its vertices.
static void share_stiffness(grasp *held, double stiffness)
{
    double sum = 0;
    for (int32_t i = 0; i < held->count; ++i) sum += held->stiffness[i];
    for (int32_t i = 0; i < held->count; ++i) held->stiffness[i] *= stiffness / sum;
}

static pli_status take_hold(pli_live *live, const pli_live_command *command)
{
    int32_t body = 0;
    int32_t vertex = 0;
    PLI_TRY(find_place(live, command, &body, &vertex));
    if (live->hand_count == PLI_LIVE_HANDS) {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT, "%s: more than %d hands and pins",
                        pli_live_kind_name(command->kind), (int)PLI_LIVE_HANDS);
    }
    pli_live_hand *hand = &live->hands[live->hand_count];
    grasp *held = &live->grasps[live->hand_count++];
    *hand = (pli_live_hand){.id = command->hand, .vertex = command->vertex};
    memcpy(hand->body, command->body, sizeof hand->body);
    memcpy(held->origin, pli_state_get(live->world.state).positions + 3 * (int64_t)vertex,
           sizeof held->origin);
    bool pin = command->kind == PLI_LIVE_PIN;
    memcpy(hand->target, pin ? held->origin : command->target, sizeof hand->target);
    pli_live_reach reach =
        pli_live_world_reach(&live->world, body, command->radius, command->strength, pin);
    pli_status status = fill_grasp(live, held, body, reach.radius);
    if (status == PLI_OK) share_stiffness(held, reach.stiffness);
    if (status == PLI_OK) status = apply_grasps(live);
    if (status != PLI_OK) drop_hand(live, live->hand_count - 1);
    return status;
}

static pli_status drag(pli_live *live, const pli_live_command *command)
{
    int32_t index = find_hand(live, command->hand);
    if (index < 0) return take_hold(live, command);
    memcpy(live->hands[index].target, command->target, sizeof command->target);
    return apply_grasps(live);
}

static pli_status pin(pli_live *live, pli_live_command *command)
{
    if (command->hand == 0) command->hand = live->next_pin;
    if (find_hand(live, command->hand) >= 0) {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT, "pin: number %lld is taken",
                        (long long)command->hand);
    }
    PLI_TRY(take_hold(live, command));
    if (command->hand <= live->next_pin) live->next_pin = command->hand - 1;
    return PLI_OK;
}

static pli_status let_go(pli_live *live, const pli_live_command *command)
{
    int32_t index = find_hand(live, command->hand);
    if (command->kind == PLI_LIVE_UNPIN && command->hand == 0) {
        drop_all(live, true);
    } else if (index >= 0) {
        drop_hand(live, index);
    } else {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT, "%s: nothing is held by number %lld",
                        pli_live_kind_name(command->kind), (long long)command->hand);
    }
    return apply_grasps(live);
}

// ---- settings

static int32_t find_set(const pli_live *live, const char *path)
{
    size_t length = strlen(path);
    for (int32_t k = 0; k < live->set_count; ++k) {
        if (strncmp(live->sets[k], path, length) == 0 && live->sets[k][length] == '=') return k;
    }
    return live->set_count;
}

// Has the solver, which may be another one than before, ask whether to go on.
static void hook_cancel(pli_live *live)
{
    pli_solver_hooks hooks = {.cancel = live->cancel, .cancel_user = live->cancel_user};
    pli_solver_set_hooks(live->world.solver, &hooks);
}

static pli_status change_setting(pli_live *live, const pli_live_command *command)
{
    PLI_TRY(pli_live_settings_check(live->world.scene, command->path));
    int32_t index = find_set(live, command->path);
    if (index == SETTINGS) {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT, "set: more than %d settings changed",
                        (int)SETTINGS);
    }
    char text[2 * PLI_LIVE_VALUE];
    snprintf(text, sizeof text, "%s=%s", command->path, command->value);
    char *made = pli_string_copy(live->context, text);
    if (made == NULL) return PLI_ERROR_MEMORY;
    char *before = live->sets[index];
    int32_t count = index == live->set_count ? live->set_count + 1 : live->set_count;
    live->sets[index] = made;
    pli_live_recipe recipe = {.source = live->source,
                              .name = live->name,
                              .sets = (const char *const *)live->sets,
                              .set_count = count,
                              .cancel = live->cancel,
                              .cancel_user = live->cancel_user};
    pli_status status = pli_live_world_change(&live->world, &recipe);
    live->sets[index] = status == PLI_OK ? made : before;
    pli_release(live->context, status == PLI_OK ? before : made);
    if (status != PLI_OK) return status;
    live->set_count = count;
    hook_cancel(live);
    return apply_grasps(live);
}

// ---- recordings

// Ends what can no longer be written and says so; the simulation goes on.
static void give_up_recording(pli_live *live)
{
    char message[512];
    pli_context_message(live->context, message, sizeof message);
    PLI_LOG(live->context, PLI_LOG_ERROR, "the recording ends here: %s", message);
    pli_recording_destroy(live->recording);
    live->recording = NULL;
}

static pli_status record_frame(pli_live *live)
{
    pli_frame frame;
    PLI_TRY(pli_live_frame(live, &frame));
    return pli_recording_add_frame(live->recording, &frame);
}

// folder/recording-N, the first that is free.
static pli_status choose_folder(const pli_live *live, char *text, size_t capacity)
{
    for (int32_t number = 1; number <= RECORDINGS; ++number) {
        snprintf(text, capacity, "%s/recording-%d", live->folder, (int)number);
        if (!pli_path_exists(text)) return PLI_OK;
    }
    return PLI_FAIL(live->context, PLI_ERROR_IO, "%s: holds %d recordings already", live->folder,
                    (int)RECORDINGS);
}

static pli_status begin_recording(pli_live *live)
{
    char folder[4096];
    if (live->recording != NULL) return PLI_OK;
    if (live->folder == NULL) {
        return PLI_FAIL(live->context, PLI_ERROR_ARGUMENT, "record: there is no folder for it");
    }
    PLI_TRY(choose_folder(live, folder, sizeof folder));
    pli_recording_def def = {live->world.scene, live->world.model, folder, "pliant live"};
    PLI_TRY(pli_recording_create(live->context, &def, &live->recording));
    pli_status status = record_frame(live);
    if (status != PLI_OK) {
        pli_recording_destroy(live->recording);
        live->recording = NULL;
    }
    return status;
}

static pli_status end_recording(pli_live *live)
{
    if (live->recording == NULL) return PLI_OK;
    pli_status status = pli_recording_finish(live->recording);
    pli_recording_destroy(live->recording);
    live->recording = NULL;
    return status;
}

// A step's line, and the frame that it may end.
static pli_status record_step(pli_live *live, const pli_step_report *report)
{
    int32_t per_frame = pli_scene_get(live->world.scene)->time.steps_per_frame;
    PLI_TRY(pli_recording_add_step(live->recording, report));
    bool ends_frame = pli_state_get(live->world.state).step % per_frame == 0;
    return ends_frame ? record_frame(live) : PLI_OK;
}

// ---- commands

static pli_status reset(pli_live *live)
{
    // the time of a recording only grows
    PLI_TRY(end_recording(live));
    PLI_TRY(pli_live_world_restart(&live->world));
    drop_all(live, false);
    return PLI_OK;
}

static pli_status do_command(pli_live *live, pli_live_command *command)
{
    switch (command->kind) {
    case PLI_LIVE_DRAG: return drag(live, command);
    case PLI_LIVE_PIN: return pin(live, command);
    case PLI_LIVE_RELEASE:
    case PLI_LIVE_UNPIN: return let_go(live, command);
    case PLI_LIVE_SET: return change_setting(live, command);
    case PLI_LIVE_RESET: return reset(live);
    case PLI_LIVE_RECORD: return command->on ? begin_recording(live) : end_recording(live);
    case PLI_LIVE_PAUSE:
    case PLI_LIVE_PLAY:
    case PLI_LIVE_STEP: break;
    }
    return PLI_OK;
}

pli_status pli_live_do(pli_live *live, pli_live_command *command)
{
    PLI_TRY(do_command(live, command));
    if (live->log != NULL && pli_live_command_matters(command->kind)) {
        pli_live_log_add(live->log, command, live->steps);
    }
    return PLI_OK;
}

pli_status pli_live_step(pli_live *live, pli_step_report *report)
{
    bool measures = live->recording != NULL || live->steps % MEASURE_EVERY == 0;
    pli_solver_set_measuring(live->world.solver, measures);
    PLI_TRY(pli_solver_step(live->world.solver, live->world.state, report));
    ++live->steps;
    if (live->log != NULL && live->steps % MARK_EVERY == 0) {
        pli_live_log_mark(live->log, live->steps, pli_state_hash(live->world.state));
    }
    if (live->recording != NULL && record_step(live, report) != PLI_OK) give_up_recording(live);
    return PLI_OK;
}

// ---- beginning and end

static pli_status open_log(pli_live *live, const pli_live_options *options)
{
    if (options->folder == NULL) return PLI_OK;
    live->folder = pli_string_copy(live->context, options->folder);
    if (live->folder == NULL) return PLI_ERROR_MEMORY;
    if (!options->logs) return PLI_OK;
    PLI_TRY(pli_folder_create(live->context, live->folder));
    pli_live_log_head head = {
        .scene = live->source, .name = live->name, .scene_hash = pli_scene_hash(live->world.scene)};
    return pli_live_log_create(live->context, live->folder, &head, &live->log);
}

static pli_status begin(pli_live *live, const pli_live_options *options)
{
    pli_yaml_def yaml = {.absolute_paths = true};
    PLI_TRY(pli_scene_to_yaml(options->scene, &yaml, &live->source));
    live->name = pli_string_copy(live->context, pli_scene_get_info(options->scene).name);
    if (live->name == NULL) return PLI_ERROR_MEMORY;
    pli_live_recipe recipe = {.source = live->source, .name = live->name};
    PLI_TRY(pli_live_world_init(&live->world, live->context, &recipe));
    return open_log(live, options);
}

pli_status pli_live_create(pli_context *context, const pli_live_options *options, pli_live **live)
{
    *live = NULL;
    pli_live *made = PLI_NEW(context, pli_live, 1, "live simulation");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->next_pin = -1;
    pli_status status = begin(made, options);
    if (status != PLI_OK) {
        pli_live_destroy(made);
        return status;
    }
    *live = made;
    return PLI_OK;
}

void pli_live_destroy(pli_live *live)
{
    if (live == NULL) return;
    pli_context *context = live->context;
    if (live->recording != NULL && end_recording(live) != PLI_OK) {
        PLI_LOG(context, PLI_LOG_ERROR, "the recording could not be finished");
    }
    if (live->log != NULL) {
        pli_live_log_mark(live->log, live->steps, pli_state_hash(live->world.state));
    }
    pli_live_log_destroy(live->log);
    drop_all(live, false);
    pli_live_world_clear(&live->world);
    for (int32_t k = 0; k < live->set_count; ++k) pli_release(context, live->sets[k]);
    pli_text_free(context, live->source);
    pli_release(context, live->name);
    pli_release(context, live->folder);
    pli_release(context, live);
}

void pli_live_set_cancel(pli_live *live, pli_cancel_fn cancel, void *user)
{
    live->cancel = cancel;
    live->cancel_user = user;
    hook_cancel(live);
}

// ---- looking

pli_status pli_live_frame(pli_live *live, pli_frame *frame)
{
    PLI_TRY(pli_solver_frame(live->world.solver, live->world.state, frame));
    frame->index = 0;
    frame->step = pli_state_get(live->world.state).step;
    frame->time = pli_state_get(live->world.state).time;
    return PLI_OK;
}

const pli_scene *pli_live_scene(const pli_live *live)
{
    return live->world.scene;
}

const pli_model *pli_live_model(const pli_live *live)
{
    return live->world.model;
}

const pli_state *pli_live_state(const pli_live *live)
{
    return live->world.state;
}

int64_t pli_live_steps(const pli_live *live)
{
    return live->steps;
}

const pli_live_hand *pli_live_hands(const pli_live *live, int32_t *count)
{
    *count = live->hand_count;
    return live->hands;
}

const char *pli_live_recording(const pli_live *live)
{
    return live->recording != NULL ? pli_recording_folder(live->recording) : "";
}
