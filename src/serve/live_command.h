// SPDX-License-Identifier: Apache-2.0
//
// What a person does to a simulation that runs before their eyes: the messages of the page's socket
// (docs/protocol.md) and the lines of a live log are the same commands, read and written here.
#ifndef PLI_SERVE_LIVE_COMMAND_H
#define PLI_SERVE_LIVE_COMMAND_H

#include "io/file/json.h"

typedef enum pli_live_kind {
    PLI_LIVE_DRAG,    // takes hold of matter around a vertex, or moves a hand that does
    PLI_LIVE_RELEASE, // lets a hand go
    PLI_LIVE_PIN,     // holds matter around a vertex where it is
    PLI_LIVE_UNPIN,   // lets one pin go, or all (hand 0)
    PLI_LIVE_SET,     // changes a setting of the scene
    PLI_LIVE_RESET,   // back to the beginning; settings stay
    // of these the simulation itself knows nothing, and logs do not have them
    PLI_LIVE_PAUSE,
    PLI_LIVE_PLAY,
    PLI_LIVE_STEP,
    PLI_LIVE_RECORD
} pli_live_kind;

enum { PLI_LIVE_NAME = 128, PLI_LIVE_VALUE = 256 };

typedef struct pli_live_command {
    pli_live_kind kind;
    int64_t hand;             // drag, release: above 0; pin, unpin: below 0, or 0
    char body[PLI_LIVE_NAME]; // drag, pin
    int32_t vertex;           // drag, pin: of the body
    double target[3];         // drag: where the hand is (m)
    double strength;          // drag, pin: factor on the springs; 1: as it is
    double radius; // drag, pin: how far matter is held around the vertex (m); 0: automatic
    char path[PLI_LIVE_VALUE];  // set
    char value[PLI_LIVE_VALUE]; // set: as in a scene file
    bool on;                    // record
} pli_live_command;

// Whether a command changes the course of a simulation, so that logs have it.
bool pli_live_command_matters(pli_live_kind kind);

// The name of a kind, as in messages: "drag". Lifetime: static.
const char *pli_live_kind_name(pli_live_kind kind);

// Reads the object that a message or a line of a log is. Every key is checked for its type and
// range; keys that a command does not have are passed over. Errors: argument (says which key is
// wrong, and how).
PLI_CHECKED pli_status pli_live_command_read(const pli_json *json, pli_live_command *command);

// Appends the command as a line of a log, done before the step of that number; reading it back
// gives the same command, bit for bit.
void pli_live_command_append(pli_text *text, const pli_live_command *command, int64_t step);

#endif
