// SPDX-License-Identifier: Apache-2.0
//
// Inside of the server, for its own files and tests.
#ifndef PLI_SERVE_SERVER_INSIDE_H
#define PLI_SERVE_SERVER_INSIDE_H

#include "serve/access.h"
#include "serve/connection.h"
#include "serve/listen.h"

enum {
    // beyond the limit some get their 503 in peace, the others as far as one call goes
    PLI_SERVE_SPARE = 16,
    PLI_SERVE_CONNECTIONS = PLI_SERVE_MAX_CLIENTS + PLI_SERVE_SPARE,
    PLI_SERVE_ADDRESS_CAPACITY = 160,
    PLI_SERVE_OPENING_CAPACITY = PLI_SERVE_ADDRESS_CAPACITY + 64
};

struct pli_server {
    pli_context *context;
    pli_site_ops site;
    void *user;
    pli_access access;
    pli_listener listener;
    int wake[2]; // read end, write end
    char address[PLI_SERVE_ADDRESS_CAPACITY];
    char opening[PLI_SERVE_OPENING_CAPACITY]; // with a code

    int32_t connection_count;
    pli_connection *connections[PLI_SERVE_CONNECTIONS];
    int64_t last_client;
    double accepts_after; // the system had no descriptor left
    double skipped;       // seconds that tests have let pass at once
};

// Seconds of the server's clock.
double pli_server_now(const pli_server *server);

// Lets time pass at once, so that tests of time-outs need not wait.
void pli_server_skip(pli_server *server, double seconds);

#endif
