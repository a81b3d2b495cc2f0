// SPDX-License-Identifier: Apache-2.0
//
// Being asked to stop. The first SIGINT, SIGTERM, SIGHUP or SIGUSR1 (which batch systems send
// before they kill) raises a flag that loops look at; the second ends the program at once. SIGPIPE
// and SIGXFSZ are ignored: the write that caused them fails with an error of its own.
#ifndef PLI_CLI_SIGNALS_H
#define PLI_CLI_SIGNALS_H

#include <stdbool.h>

// Ignores SIGPIPE and SIGXFSZ; for every command.
void pli_cli_signals_ignore(void);

// Catches the requests to stop, except those that the parent had ignored (nohup).
void pli_cli_signals_catch(void);

bool pli_cli_stop_requested(void);

// Notices when the program is stopped for a while and goes on (Ctrl-Z, SIGSTOP).
void pli_cli_signals_watch_pauses(void);

// Whether that happened, or the machine slept, since the last time this was asked: timings include
// it.
bool pli_cli_was_paused(void);

// "SIGINT", for messages; "" when nothing was requested.
const char *pli_cli_stop_signal(void);

#endif
