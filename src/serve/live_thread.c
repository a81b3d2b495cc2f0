// SPDX-License-Identifier: Apache-2.0
#include "serve/live_thread.h"

#include "base/memory.h"
#include "base/timers.h"
#include "serve/frame_packet.h"
#include "serve/live_settings.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { QUEUE = 256, ANSWERS = 64, KNOWN = 4096 };

static const double picture_interval = 1.0 / 60; // s: screens show no more
static const double rate_window = 0.5;           // s over which rates are counted
static const double patience = 0.25;             // s that a step is left after it is called off
static const double longest_debt = 0.1; // s that the clock may be ahead before it is let go

typedef struct posted {
    int64_t client;
    pli_live_command command;
} posted;

// the newest frame, ready to be sent
typedef struct picture {
    int64_t sequence;
    pli_packet *frame;
    int32_t topology_count;
    uint64_t *names;      // [topology_count]
    pli_packet **packets; // [topology_count]
} picture;

struct pli_live_thread {
    pli_context *context;
    pli_live_thread_def def;
    pthread_t thread;
    bool started;
    atomic_bool stop;
    atomic_int urgent; // commands in the queue that a long step is given up for

    // this thread's alone
    pli_live *live;
    pli_frame_encoder *encoder;
    bool changed;          // the newest picture does not show the newest state
    int64_t steps_to_take; // while paused
    double step_begin;     // s, of the clock
    const char *setting;   // path of what is being changed; NULL: nothing is
    double last_picture;   // when it was made (s, of the clock)
    double pace_clock;     // clock and simulated time when pacing began
    double pace_time;
    double window_begin; // of the rates
    int64_t window_steps;
    int64_t window_pictures;
    double window_time; // simulated in it (s)

    // shared, under the lock
    pthread_mutex_t lock;
    pthread_cond_t news; // for this thread: a command, a wish, the end
    posted queue[QUEUE]; // ring
    int32_t queue_first;
    int32_t queue_count;
    pli_live_answer answers[ANSWERS]; // ring
    int32_t answer_first;
    int32_t answer_count;
    bool wanted; // somebody could take a picture
    bool stale;  // pictures shall have other fields than the newest one
    char fields[PLI_LIVE_FIELDS][PLI_LIVE_NAME];
    int32_t field_count;
    picture newest;
    pli_live_status status;
    pli_text settings; // as JSON
};

// ---- pictures

static void clear_picture(pli_context *context, picture *gone)
{
    pli_packet_drop(gone->frame);
    for (int32_t k = 0; k < gone->topology_count; ++k) pli_packet_drop(gone->packets[k]);
    pli_release(context, gone->names);
    pli_release(context, gone->packets);
    *gone = (picture){0};
}

// The packet of a topology: that of the picture before, or a new one.
static pli_status get_topology(pli_live_thread *t, const pli_frame *frame, int32_t part,
                               pli_packet **packet)
{
    uint64_t name = pli_frame_encoder_topology(t->encoder, part);
    // only this thread replaces the newest picture, so it may be read without the lock
    for (int32_t k = 0; k < t->newest.topology_count; ++k) {
        if (t->newest.names[k] != name) continue;
        *packet = pli_packet_share(t->newest.packets[k]);
        return PLI_OK;
    }
    return pli_frame_encode_topology(t->encoder, frame, part, packet);
}

static pli_status encode(pli_live_thread *t, const pli_frame *frame, picture *made)
{
    char names[PLI_LIVE_FIELDS][PLI_LIVE_NAME];
    const char *pointers[PLI_LIVE_FIELDS];
    pthread_mutex_lock(&t->lock);
    int32_t count = t->field_count;
    memcpy(names, t->fields, sizeof names);
    t->stale = false;
    pthread_mutex_unlock(&t->lock);
    for (int32_t k = 0; k < count; ++k) pointers[k] = names[k];

    made->sequence = t->newest.sequence + 1;
    PLI_TRY(pli_frame_encode(t->encoder, frame, pointers, count, made->sequence, &made->frame));
    made->names = PLI_NEW(t->context, uint64_t, frame->part_count, "picture");
    made->packets = PLI_NEW(t->context, pli_packet *, frame->part_count, "picture");
    if (made->names == NULL || made->packets == NULL) return PLI_ERROR_MEMORY;
    for (int32_t part = 0; part < frame->part_count; ++part) {
        uint64_t name = pli_frame_encoder_topology(t->encoder, part);
        if (name == 0) continue;
        PLI_TRY(get_topology(t, frame, part, &made->packets[made->topology_count]));
        made->names[made->topology_count++] = name;
    }
    return PLI_OK;
}

// Makes a picture of the state as it is. One that can't be made is left out: the next may be.
static void make_picture(pli_live_thread *t)
{
    pli_frame frame;
    picture made = {0};
    pli_status status = pli_live_frame(t->live, &frame);
    if (status == PLI_OK) status = encode(t, &frame, &made);
    t->last_picture = pli_clock_seconds();
    t->changed = false;
    if (status != PLI_OK) {
        PLI_LOG(t->context, PLI_LOG_WARNING, "a frame could not be shown");
        clear_picture(t->context, &made);
        return;
    }
    ++t->window_pictures;
    pthread_mutex_lock(&t->lock);
    picture old = t->newest;
    t->newest = made;
    t->wanted = false;
    pthread_mutex_unlock(&t->lock);
    clear_picture(t->context, &old);
    t->def.wake(t->def.wake_user);
}

// ---- status

// Rates of the last half second.
static void count_rates(pli_live_thread *t, pli_live_status *status)
{
    double now = pli_clock_seconds();
    double passed = now - t->window_begin;
    if (passed < rate_window) return;
    status->steps_rate = (double)t->window_steps / passed;
    status->frames_rate = (double)t->window_pictures / passed;
    status->realtime = t->window_time / passed;
    t->window_begin = now;
    t->window_steps = 0;
    t->window_pictures = 0;
    t->window_time = 0;
}

// What a step told.
static void note_step(pli_live_status *status, const pli_step_report *report)
{
    status->stop = pli_stop_name(report->stop);
    status->iterations = report->iterations;
    status->residual = report->residual;
    status->tolerance = report->tolerance;
    status->step_seconds = report->seconds;
    // most steps are not measured, see live.c
    if (!isnan(report->energy.total)) {
        status->contacts = report->collides ? report->contacts : -1;
    }
}

static void note_state(pli_live_thread *t, pli_live_status *status)
{
    pli_particle_view particles = pli_state_get(pli_live_state(t->live)).particles;
    pli_model_info info = pli_model_get_info(pli_live_model(t->live));
    status->step = pli_state_get(pli_live_state(t->live)).step;
    status->time = pli_state_get(pli_live_state(t->live)).time;
    status->particles = particles.count;
    status->vertices = info.vertex_count;
    const pli_live_hand *hands = pli_live_hands(t->live, &status->hand_count);
    memcpy(status->hands, hands, (size_t)status->hand_count * sizeof *hands);
    snprintf(status->recording, sizeof status->recording, "%s", pli_live_recording(t->live));
}

// Publishes how things stand; report may be NULL.
static void tell(pli_live_thread *t, const pli_step_report *report)
{
    pthread_mutex_lock(&t->lock);
    if (report != NULL) note_step(&t->status, report);
    note_state(t, &t->status);
    count_rates(t, &t->status);
    pthread_mutex_unlock(&t->lock);
}

static void set_mode(pli_live_thread *t, pli_live_mode mode, const char *text)
{
    pthread_mutex_lock(&t->lock);
    t->status.mode = mode;
    snprintf(t->status.text, sizeof t->status.text, "%s", text);
    pthread_mutex_unlock(&t->lock);
    // nothing is owed from before
    t->pace_clock = -1;
    t->def.wake(t->def.wake_user);
}

static void publish_settings(pli_live_thread *t)
{
    pli_text text;
    pli_text_init(&text, t->context);
    pli_status status = pli_live_settings_append(pli_live_scene(t->live), &text);
    pthread_mutex_lock(&t->lock);
    if (status == PLI_OK) {
        pli_text_reset(&t->settings);
        pli_text_append_bytes(&t->settings, text.bytes, text.length);
    }
    ++t->status.settings;
    pthread_mutex_unlock(&t->lock);
    pli_text_clear(&text);
}

// ---- commands

static void answer(pli_live_thread *t, const posted *post)
{
    pli_live_answer made = {.client = post->client, .about = post->command.kind};
    pli_context_message(t->context, made.text, sizeof made.text);
    pthread_mutex_lock(&t->lock);
    if (t->answer_count < ANSWERS) {
        t->answers[(t->answer_first + t->answer_count++) % ANSWERS] = made;
    }
    pthread_mutex_unlock(&t->lock);
    t->def.wake(t->def.wake_user);
}

// Changes a setting, unless it is changed again meanwhile: then the next command does that.
static pli_status change_setting(pli_live_thread *t, posted *post)
{
    t->setting = post->command.path;
    pli_status status = pli_live_do(t->live, &post->command);
    t->setting = NULL;
    return status;
}

static void obey(pli_live_thread *t, posted *post)
{
    pli_live_mode before = t->status.mode; // only this thread changes it
    switch (post->command.kind) {
    case PLI_LIVE_PAUSE: set_mode(t, PLI_LIVE_PAUSED, ""); return;
    case PLI_LIVE_PLAY: set_mode(t, PLI_LIVE_RUNNING, ""); return;
    case PLI_LIVE_STEP:
        t->steps_to_take = pli_scene_get(pli_live_scene(t->live))->time.steps_per_frame;
        set_mode(t, PLI_LIVE_PAUSED, "");
        return;
    case PLI_LIVE_SET: set_mode(t, PLI_LIVE_PREPARING, ""); break;
    default: break;
    }
    bool sets = post->command.kind == PLI_LIVE_SET;
    pli_status status = sets ? change_setting(t, post) : pli_live_do(t->live, &post->command);
    t->changed = true;
    if (status != PLI_OK && status != PLI_ERROR_INTERRUPTED) answer(t, post);
    if (sets) {
        if (status == PLI_OK) publish_settings(t);
        // what failed may work with another setting, from where it stands
        set_mode(t, before == PLI_LIVE_FAILED ? PLI_LIVE_PAUSED : before, "");
    }
    if (post->command.kind == PLI_LIVE_RESET && before == PLI_LIVE_FAILED) {
        set_mode(t, PLI_LIVE_PAUSED, "");
    }
    tell(t, NULL);
}

// What makes a long step pointless: another one is wanted, or none.
static bool is_urgent(pli_live_kind kind)
{
    return kind == PLI_LIVE_SET || kind == PLI_LIVE_RESET || kind == PLI_LIVE_PAUSE;
}

static bool take_posted(pli_live_thread *t, posted *post)
{
    pthread_mutex_lock(&t->lock);
    bool any = t->queue_count > 0;
    if (any) {
        *post = t->queue[t->queue_first];
        t->queue_first = (t->queue_first + 1) % QUEUE;
        --t->queue_count;
        if (is_urgent(post->command.kind)) atomic_fetch_sub(&t->urgent, 1);
    }
    pthread_mutex_unlock(&t->lock);
    return any;
}

// ---- steps

// Whether the setting that is being changed shall be something else already.
static bool is_taken_back(pli_live_thread *t)
{
    pthread_mutex_lock(&t->lock);
    bool found = false;
    for (int32_t k = 0; k < t->queue_count && !found; ++k) {
        const pli_live_command *command = &t->queue[(t->queue_first + k) % QUEUE].command;
        found = command->kind == PLI_LIVE_SET && strcmp(command->path, t->setting) == 0;
    }
    pthread_mutex_unlock(&t->lock);
    return found;
}

// A step that is taking long is given up for what changes it, with the state of before; others end
// first, so that a slider that moves does not stop the simulation.
static bool is_called_off(void *user)
{
    pli_live_thread *t = user;
    if (atomic_load(&t->stop)) return true;
    if (t->setting != NULL) return is_taken_back(t);
    return atomic_load(&t->urgent) > 0 && pli_clock_seconds() - t->step_begin > patience;
}

static void take_step(pli_live_thread *t)
{
    pli_step_report report;
    double before = pli_state_get(pli_live_state(t->live)).time;
    t->step_begin = pli_clock_seconds();
    pli_status status = pli_live_step(t->live, &report);
    if (status == PLI_ERROR_INTERRUPTED) {
        t->steps_to_take = 0;
        return;
    }
    char message[PLI_LIVE_TEXT] = "";
    if (status != PLI_OK) pli_context_message(t->context, message, sizeof message);
    if (status == PLI_OK && report.stop == PLI_STOP_NONFINITE) {
        snprintf(message, sizeof message,
                 "a step was rejected: its numbers were not finite. Reset, or change a setting");
    }
    if (message[0] != '\0') {
        t->steps_to_take = 0;
        set_mode(t, PLI_LIVE_FAILED, message);
        return;
    }
    ++t->window_steps;
    t->window_time += pli_state_get(pli_live_state(t->live)).time - before;
    t->changed = true;
    tell(t, &report);
}

// How long to wait until the simulated time is due (s); 0: it is.
static double time_ahead(pli_live_thread *t)
{
    double now = pli_clock_seconds();
    double time = pli_state_get(pli_live_state(t->live)).time;
    double ahead = (time - t->pace_time) - (now - t->pace_clock);
    bool lost = t->pace_clock < 0 || ahead < -longest_debt || ahead > 1;
    if (lost) {
        t->pace_clock = now;
        t->pace_time = time;
        return 0;
    }
    return t->def.unpaced ? 0 : fmax(ahead, 0);
}

static void wait_for_news(pli_live_thread *t, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double whole = floor(seconds);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)((seconds - whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        ++until.tv_sec;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&t->lock);
    bool pending = t->wanted && (t->changed || t->stale);
    bool idle = t->queue_count == 0 && !pending && !atomic_load(&t->stop);
    if (idle) pthread_cond_timedwait(&t->news, &t->lock, &until);
    pthread_mutex_unlock(&t->lock);
}

// Whether somebody waits for a picture that would show something new.
static bool is_wanted(pli_live_thread *t)
{
    pthread_mutex_lock(&t->lock);
    bool wanted = t->wanted && (t->changed || t->stale);
    pthread_mutex_unlock(&t->lock);
    return wanted;
}

// One round: commands, a step if one is due, a picture if somebody wants it, else a rest.
static void turn(pli_live_thread *t)
{
    posted post;
    while (!atomic_load(&t->stop) && take_posted(t, &post)) obey(t, &post);

    pli_live_mode mode = t->status.mode;
    double ahead = mode == PLI_LIVE_RUNNING ? time_ahead(t) : 0;
    bool stepping = (mode == PLI_LIVE_RUNNING && ahead <= 0) || t->steps_to_take > 0;
    if (stepping) {
        if (t->steps_to_take > 0) --t->steps_to_take;
        take_step(t);
    }
    bool due = pli_clock_seconds() - t->last_picture >= picture_interval;
    if (is_wanted(t) && (due || !stepping)) make_picture(t);
    if (!stepping) {
        double rest = mode == PLI_LIVE_RUNNING ? fmin(ahead, rate_window) : rate_window;
        wait_for_news(t, rest);
        tell(t, NULL);
    }
}

static void *run(void *user)
{
    pli_live_thread *t = user;
    while (!atomic_load(&t->stop)) turn(t);
    return NULL;
}

// ---- from outside

static pli_status start(pli_live_thread *t)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->news, &attributes);
    pthread_condattr_destroy(&attributes);
    publish_settings(t);
    tell(t, NULL);
    int failed = pthread_create(&t->thread, NULL, run, t);
    t->started = failed == 0;
    if (failed == 0) return PLI_OK;
    pthread_cond_destroy(&t->news);
    pthread_mutex_destroy(&t->lock);
    return PLI_FAIL(t->context, PLI_ERROR_MEMORY, "the thread of the simulation can't be started");
}

pli_status pli_live_thread_create(pli_context *context, const pli_live_thread_def *def,
                                  pli_live_thread **thread)
{
    *thread = NULL;
    pli_live_thread *made = PLI_NEW(context, pli_live_thread, 1, "live simulation");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->changed = true;
    made->pace_clock = -1;
    made->window_begin = pli_clock_seconds();
    made->status.mode = def->paused ? PLI_LIVE_PAUSED : PLI_LIVE_RUNNING;
    made->status.stop = "";
    made->status.contacts = -1;
    pli_text_init(&made->settings, context);
    pli_status status = pli_live_create(context, &def->live, &made->live);
    if (status == PLI_OK) status = pli_frame_encoder_create(context, &made->encoder);
    if (status == PLI_OK) {
        pli_live_set_cancel(made->live, is_called_off, made);
        status = start(made);
    }
    if (status != PLI_OK) {
        pli_live_thread_destroy(made);
        return status;
    }
    *thread = made;
    return PLI_OK;
}

void pli_live_thread_destroy(pli_live_thread *thread)
{
    if (thread == NULL) return;
    pli_context *context = thread->context;
    if (thread->started) {
        atomic_store(&thread->stop, true);
        pthread_mutex_lock(&thread->lock);
        pthread_cond_signal(&thread->news);
        pthread_mutex_unlock(&thread->lock);
        pthread_join(thread->thread, NULL);
        pthread_cond_destroy(&thread->news);
        pthread_mutex_destroy(&thread->lock);
    }
    clear_picture(context, &thread->newest);
    pli_frame_encoder_destroy(thread->encoder);
    pli_live_destroy(thread->live);
    pli_text_clear(&thread->settings);
    pli_release(context, thread);
}

// The place of an earlier drag of the same hand behind which there are only drags, or -1.
static int32_t find_earlier_drag(const pli_live_thread *t, const pli_live_command *command)
{
    if (command->kind != PLI_LIVE_DRAG) return -1;
    for (int32_t k = t->queue_count - 1; k >= 0; --k) {
        int32_t place = (t->queue_first + k) % QUEUE;
        const pli_live_command *other = &t->queue[place].command;
        if (other->kind != PLI_LIVE_DRAG) return -1;
        if (other->hand == command->hand) return place;
    }
    return -1;
}

bool pli_live_thread_post(pli_live_thread *thread, int64_t client, const pli_live_command *command)
{
    pthread_mutex_lock(&thread->lock);
    int32_t place = find_earlier_drag(thread, command);
    bool fits = place >= 0 || thread->queue_count < QUEUE;
    if (place < 0 && fits) {
        place = (thread->queue_first + thread->queue_count++) % QUEUE;
    }
    if (fits) thread->queue[place] = (posted){client, *command};
    if (fits && is_urgent(command->kind)) atomic_fetch_add(&thread->urgent, 1);
    pthread_cond_signal(&thread->news);
    pthread_mutex_unlock(&thread->lock);
    return fits;
}

void pli_live_thread_set_fields(pli_live_thread *thread, const char *const *names, int32_t count)
{
    pthread_mutex_lock(&thread->lock);
    thread->field_count = 0;
    for (int32_t k = 0; k < count && thread->field_count < PLI_LIVE_FIELDS; ++k) {
        if (strlen(names[k]) >= PLI_LIVE_NAME) continue;
        memcpy(thread->fields[thread->field_count++], names[k], strlen(names[k]) + 1);
    }
    thread->stale = true;
    pthread_cond_signal(&thread->news);
    pthread_mutex_unlock(&thread->lock);
}

void pli_live_thread_get_status(pli_live_thread *thread, pli_live_status *status)
{
    pthread_mutex_lock(&thread->lock);
    *status = thread->status;
    pthread_mutex_unlock(&thread->lock);
}

bool pli_live_thread_next_answer(pli_live_thread *thread, pli_live_answer *answer)
{
    pthread_mutex_lock(&thread->lock);
    bool any = thread->answer_count > 0;
    if (any) {
        *answer = thread->answers[thread->answer_first];
        thread->answer_first = (thread->answer_first + 1) % ANSWERS;
        --thread->answer_count;
    }
    pthread_mutex_unlock(&thread->lock);
    return any;
}

void pli_live_thread_append_settings(pli_live_thread *thread, pli_text *text)
{
    pthread_mutex_lock(&thread->lock);
    pli_text_append_bytes(text, thread->settings.bytes, thread->settings.length);
    pthread_mutex_unlock(&thread->lock);
}

// ---- watchers

void pli_live_watcher_clear(pli_live_watcher *watcher, pli_context *context)
{
    pli_release(context, watcher->known);
    *watcher = (pli_live_watcher){0};
}

static bool knows(const pli_live_watcher *watcher, uint64_t name)
{
    for (int32_t k = 0; k < watcher->known_count; ++k) {
        if (watcher->known[k] == name) return true;
    }
    return false;
}

// Notes that a watcher is given a topology; false: there is no memory for it.
static bool learn(pli_live_watcher *watcher, pli_context *context, uint64_t name)
{
    // who has seen so many gets them again
    if (watcher->known_count == KNOWN) watcher->known_count = 0;
    if (watcher->known_count == watcher->known_capacity) {
        int32_t capacity = watcher->known_capacity > 0 ? 2 * watcher->known_capacity : 16;
        uint64_t *grown = pli_reallocate(context, watcher->known, capacity, sizeof *grown,
                                         "topologies of a page");
        if (grown == NULL) return false;
        watcher->known = grown;
        watcher->known_capacity = capacity;
    }
    watcher->known[watcher->known_count++] = name;
    return true;
}

pli_packet *pli_live_thread_next(pli_live_thread *thread, pli_live_watcher *watcher,
                                 int64_t *sequence)
{
    pli_packet *packet = NULL;
    *sequence = 0;
    pthread_mutex_lock(&thread->lock);
    const picture *newest = &thread->newest;
    bool fresh = newest->frame != NULL && newest->sequence > watcher->sequence;
    for (int32_t k = 0; fresh && packet == NULL && k < newest->topology_count; ++k) {
        if (knows(watcher, newest->names[k])) continue;
        if (!learn(watcher, thread->context, newest->names[k])) break;
        packet = pli_packet_share(newest->packets[k]);
    }
    if (fresh && packet == NULL) {
        packet = pli_packet_share(newest->frame);
        *sequence = watcher->sequence = newest->sequence;
    }
    if (!fresh) {
        thread->wanted = true;
        pthread_cond_signal(&thread->news);
    }
    pthread_mutex_unlock(&thread->lock);
    return packet;
}
