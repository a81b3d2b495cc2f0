// SPDX-License-Identifier: Apache-2.0
//
// The thread in which a live simulation runs at its own rate: no faster than the clock, and never
// held up by those who watch.
//
//     server's thread                              this thread
//     post(command) --> queue, bounded -->  between two steps: do the commands, take a step,
//     next(watcher) <-- newest picture <--  make a picture if somebody wants one
//     status, answers <------------------
//
// A picture is a packet of the frame and those of its topologies. There is only ever the newest
// one: who is slow misses some. Everything here may be called from the server's thread at any time
// and returns at once.
#ifndef PLI_SERVE_LIVE_THREAD_H
#define PLI_SERVE_LIVE_THREAD_H

#include "serve/live.h"
#include "serve/packet.h"

enum { PLI_LIVE_TEXT = 512, PLI_LIVE_FIELDS = 32 };

typedef struct pli_live_thread pli_live_thread;

typedef struct pli_live_thread_def {
    pli_live_options live;
    bool paused;              // waits to be told to play
    bool unpaced;             // as fast as it can, not as fast as the clock
    void (*wake)(void *user); // there is something new; from this thread
    void *wake_user;
} pli_live_thread_def;

typedef enum pli_live_mode {
    PLI_LIVE_RUNNING,
    PLI_LIVE_PAUSED,
    PLI_LIVE_PREPARING, // a setting is being changed
    PLI_LIVE_FAILED     // a step could not be taken; reset or another setting may help
} pli_live_mode;

typedef struct pli_live_status {
    pli_live_mode mode;
    char text[PLI_LIVE_TEXT]; // why, when it failed
    int64_t step;
    double time; // s
    const char *stop;
    int32_t iterations;
    double residual;
    double tolerance;
    double step_seconds; // of the last step
    double steps_rate;   // steps per second of the clock
    double frames_rate;  // pictures per second of the clock
    double realtime;     // simulated time over the clock's
    int32_t vertices;
    int64_t particles;
    int32_t contacts; // -1: nothing can touch
    char recording[PLI_LIVE_TEXT];
    int64_t settings; // number of changes of settings so far
    int32_t hand_count;
    pli_live_hand hands[PLI_LIVE_HANDS];
} pli_live_status;

// What went wrong with a command, for whoever gave it.
typedef struct pli_live_answer {
    int64_t client;
    pli_live_kind about;
    char text[PLI_LIVE_TEXT];
} pli_live_answer;

// Compiles the scene, which may take long, then starts the thread. Errors: as pli_live_create.
PLI_CHECKED pli_status pli_live_thread_create(pli_context *context, const pli_live_thread_def *def,
                                              pli_live_thread **thread);
// Abandons the step that is being computed and waits for the thread.
void pli_live_thread_destroy(pli_live_thread *thread);

// Queues a command of a client; false: the queue is full. A drag that follows others replaces an
// earlier one of the same hand that was not done yet.
bool pli_live_thread_post(pli_live_thread *thread, int64_t client, const pli_live_command *command);

// Which fields pictures shall have; names beyond PLI_LIVE_FIELDS are passed over.
void pli_live_thread_set_fields(pli_live_thread *thread, const char *const *names, int32_t count);

void pli_live_thread_get_status(pli_live_thread *thread, pli_live_status *status);

// The next answer; false: there is none.
bool pli_live_thread_next_answer(pli_live_thread *thread, pli_live_answer *answer);

// Appends the list of settings as JSON.
void pli_live_thread_append_settings(pli_live_thread *thread, pli_text *text);

// What somebody who watches has been given.
typedef struct pli_live_watcher {
    int64_t sequence; // of the newest frame
    int32_t known_count;
    int32_t known_capacity;
    uint64_t *known; // [known_count] topologies
} pli_live_watcher;

void pli_live_watcher_clear(pli_live_watcher *watcher, pli_context *context);

// The next packet for a watcher: a topology that it does not know and that the newest frame has,
// then that frame; *sequence is 0 for a topology. NULL: nothing new; a new picture will be made.
pli_packet *pli_live_thread_next(pli_live_thread *thread, pli_live_watcher *watcher,
                                 int64_t *sequence);

#endif
