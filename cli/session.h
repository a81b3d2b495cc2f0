// SPDX-License-Identifier: Apache-2.0
//
// One call of the program: the command, what it was told, and what it works with.
#ifndef PLI_CLI_SESSION_H
#define PLI_CLI_SESSION_H

#include "console.h"
#include "options.h"

#include "pliant/base.h"

typedef struct pli_cli_session {
    const pli_cli_command *command;
    pli_cli_arguments arguments;
    pli_cli_console console;
    pli_context *context;
    char *const *values; // the command line as it was given
    int value_count;
    double begun; // by pli_cli_seconds (s)
} pli_cli_session;

// Prints the failure that the session's context keeps and returns its exit code.
static inline int pli_cli_report(pli_cli_session *session, pli_status status)
{
    return pli_cli_fail(&session->console, session->context, status);
}

// Where a command writes: as --output says, or into folder/name, which is put into text.
const char *pli_cli_choose_output(const pli_cli_session *session, const char *folder,
                                  const char *name, char *text, size_t capacity);

// The cancel hook of a command that only watches for signals.
bool pli_cli_ask_cancel(void *user);

// The end of a command that wrote files: takes the status line away, says what stopped it or what
// failed, and returns the exit code. output is where to find what was finished before a signal.
int pli_cli_end(pli_cli_session *session, pli_status status, const char *output);

// The commands; each is a row in a file of its own.
extern const pli_cli_command pli_cli_command_run;
extern const pli_cli_command pli_cli_command_check;
extern const pli_cli_command pli_cli_command_scenes;
extern const pli_cli_command pli_cli_command_solvers;
extern const pli_cli_command pli_cli_command_materials;
extern const pli_cli_command pli_cli_command_view;
extern const pli_cli_command pli_cli_command_live;
extern const pli_cli_command pli_cli_command_render;
extern const pli_cli_command pli_cli_command_export;
extern const pli_cli_command pli_cli_command_modes;
extern const pli_cli_command pli_cli_command_bench;
extern const pli_cli_command pli_cli_command_schema;
extern const pli_cli_command pli_cli_command_doctor;
extern const pli_cli_command pli_cli_command_completion;
extern const pli_cli_command pli_cli_command_help;

#endif
