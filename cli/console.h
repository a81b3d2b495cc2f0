// SPDX-License-Identifier: Apache-2.0
//
// What the program says, and where: results go to standard output, everything else to standard
// error and to the log file. A status line that updates is kept below the messages on a terminal.
//
// Lines may come from any thread. Writing to standard error never fails the program: results are in
// files, and nobody may be listening.
#ifndef PLI_CLI_CONSOLE_H
#define PLI_CLI_CONSOLE_H

#include "options.h"

#include <pthread.h>
#include <stdio.h>

// Exit codes of the program.
typedef enum pli_cli_exit {
    PLI_CLI_DONE = 0,
    PLI_CLI_FAILED = 1,       // the simulation failed
    PLI_CLI_USAGE = 2,        // usage, scene or mesh is wrong
    PLI_CLI_IO = 3,           // input or output failed
    PLI_CLI_BROKEN = 4,       // an invariant broke
    PLI_CLI_INTERRUPTED = 130 // the state was saved
} pli_cli_exit;

typedef struct pli_cli_console {
    pli_log_level level;      // of lines on standard error
    pli_log_level file_level; // of lines in the log file
    FILE *file;               // --log-file, or NULL
    bool live;                // standard error is a terminal that can move its cursor
    bool color;               // standard error understands colours
    double start;

    pthread_mutex_t lock; // guards what follows, and the order of lines
    char status[256];     // the status line that is being shown; "": none
} pli_cli_console;

// Decides by the options, the terminal and the environment (NO_COLOR, CLICOLOR_FORCE, TERM,
// PLIANT_LOG). False when the log file cannot be opened; the reason was printed.
bool pli_cli_console_init(pli_cli_console *console, const pli_cli_arguments *arguments);
void pli_cli_console_clear(pli_cli_console *console);

// The level that a context should produce lines up to, and the hook for it; user is the console.
pli_log_level pli_cli_console_level(const pli_cli_console *console);
void pli_cli_console_log(void *user, pli_log_level level, const char *text);

// A line for people, left out when quiet.
void pli_cli_say(pli_cli_console *console, const char *format, ...) PLI_PRINTF(2, 3);
void pli_cli_warn(pli_cli_console *console, const char *format, ...) PLI_PRINTF(2, 3);
// "pliant: what is wrong, and what would be right"
void pli_cli_error(pli_cli_console *console, const char *format, ...) PLI_PRINTF(2, 3);

// Prints the failure that a context keeps, and returns the exit code that goes with the status.
int pli_cli_fail(pli_cli_console *console, const pli_context *context, pli_status status);

// Shows a status line, cut to the width of the terminal; "" removes it. Does nothing when not live.
void pli_cli_set_status(pli_cli_console *console, const char *text);

// Columns to write help and status lines in.
int32_t pli_cli_columns(int descriptor);

// Flushes standard output at the end of the program, and returns the exit code given, or the one of
// failed output. A full disk is reported; a reader that went away is not.
int pli_cli_finish_output(int code);

// Seconds of a clock that is never set back.
double pli_cli_seconds(void);

#endif
