// SPDX-License-Identifier: Apache-2.0
//
// What `view` and `live` share: options of the page, its address, and waiting for the end.
#ifndef PLI_CLI_SERVING_H
#define PLI_CLI_SERVING_H

#include "session.h"

#include "pliant/serve.h"

extern const pli_cli_options pli_cli_page_options; // port, host, token file, ...

typedef struct pli_cli_page {
    pli_page_def def;
    char token[80]; // the def borrows it
} pli_cli_page;

// Takes what the options say about the page, whose place must not change from then on. Returns
// the exit code: that of a token's file that can't be used is not 0, and said.
int pli_cli_page_init(pli_cli_session *session, pli_cli_page *page);

// Prints an address, opens a browser where there is a desktop, and serves until a signal asks for
// the end, which is how it is meant to end; on a terminal, Enter gives another address. what is
// shown, in words; folder may be NULL.
// Returns the status that the page ended with.
PLI_CHECKED pli_status pli_cli_serve(pli_cli_session *session, pli_page *page, const char *what,
                                     const char *folder);

#endif
