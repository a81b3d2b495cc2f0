// SPDX-License-Identifier: Apache-2.0
//
// A simulation that a person reaches into: hands that drag matter, pins that hold it, settings that
// change between two steps (Xian et al. 2019, section 6: the interactive loop).
//
// Nothing here knows of clocks, threads or sockets: a live simulation is a sequence of commands and
// steps, and the same sequence gives the same bits. What was done goes to a log, from which
// pli_live_replay does it again.
//
// A hand takes hold of the vertices of one body within a radius around the vertex it is given, by
// springs whose stiffness falls off smoothly towards the rim,
//     k_i = K w_i / sum w,   w_i = (1 - (d_i / r)^2)^2,   y_i = x_i + (target - x_vertex),
// with x as they were when it took hold, so that the matter in the hand follows as a whole and is
// not drawn to a point. A pin is a hand that stays where it took hold.
//
// Settings are keys of the scene. Changing one compiles the scene again and carries the state over;
// what does not compile is refused, and nothing has changed.
#ifndef PLI_SERVE_LIVE_H
#define PLI_SERVE_LIVE_H

#include "base/text.h"
#include "pliant/io.h"
#include "serve/live_command.h"

#define PLI_LIVE_LOG_FILE "live.jsonl"

enum { PLI_LIVE_HANDS = 256 }; // hands and pins at one time

typedef struct pli_live pli_live;

typedef struct pli_live_options {
    const pli_scene *scene; // borrowed for the call
    const char *folder;     // of the log and of recordings; NULL: neither
    bool logs;              // writes the log into the folder
} pli_live_options;

// What it holds at the moment.
typedef struct pli_live_hand {
    int64_t id; // above 0: a hand, below: a pin
    char body[PLI_LIVE_NAME];
    int32_t vertex;   // of the body
    double target[3]; // m
} pli_live_hand;

// Errors: scene, mesh, unsupported, io (the log), memory.
PLI_CHECKED pli_status pli_live_create(pli_context *context, const pli_live_options *options,
                                       pli_live **live);
// Ends a recording, and the log with the hash of the last state.
void pli_live_destroy(pli_live *live);

// Does one of the commands that matter, or begins or ends a recording. A pin without a number gets
// the next free one, which *command then has. Errors: argument, scene (what the command says is
// wrong; nothing has changed), io, memory.
PLI_CHECKED pli_status pli_live_do(pli_live *live, pli_live_command *command);

// Takes a step. After a step that was rejected the state is as it was, and report->stop says why.
// Errors: as pli_solver_step. A log or recording that can't be written is ended and told of in the
// log of the context, and the simulation goes on.
PLI_CHECKED pli_status pli_live_step(pli_live *live, pli_step_report *report);

// Asks during steps, and while a setting is being changed, whether to abandon that; everything then
// is as it was before.
void pli_live_set_cancel(pli_live *live, pli_cancel_fn cancel, void *user);

// Lifetime: until the next command or step.
PLI_CHECKED pli_status pli_live_frame(pli_live *live, pli_frame *frame);
const pli_scene *pli_live_scene(const pli_live *live);
const pli_model *pli_live_model(const pli_live *live);
const pli_state *pli_live_state(const pli_live *live);

// Steps since the beginning, those before a reset counted too.
int64_t pli_live_steps(const pli_live *live);

// What is held: [count]. Lifetime: until the next command.
const pli_live_hand *pli_live_hands(const pli_live *live, int32_t *count);

// The folder of the recording that is going on, or "". Lifetime: until the next command or step.
const char *pli_live_recording(const pli_live *live);

#endif
