// SPDX-License-Identifier: Apache-2.0
//
// Inside of the server, for its own files and tests.
//
// HTTP and WebSocket are libwebsockets' affair. A server has a context of the library to itself;
// its waits are the library's, in the thread that has turns. The listening socket is ours, because
// the library neither says why one cannot be opened nor rests when the system has no descriptor
// left: it is one of the files that the library watches, and what comes in by it is handed over.
#ifndef PLI_SERVE_SERVER_INSIDE_H
#define PLI_SERVE_SERVER_INSIDE_H

#include "serve/access.h"
#include "serve/connection.h"
#include "serve/listen.h"

struct lws;
struct lws_context;
struct lws_vhost;

enum {
    // beyond the limit: those that were refused and get to read it in peace
    PLI_SERVE_SPARE = 16,
    PLI_SERVE_CONNECTIONS = PLI_SERVE_MAX_CLIENTS + PLI_SERVE_SPARE,
    PLI_SERVE_ADDRESS_CAPACITY = 160,
    PLI_SERVE_OPENING_CAPACITY = PLI_SERVE_ADDRESS_CAPACITY + 64,
    PLI_SERVE_PIECE_CAPACITY = PLI_CONNECTION_PIECE + 64 // with what the library puts before it
};

struct pli_server {
    pli_context *context;
    pli_site_ops site;
    void *user;
    pli_access access;
    pli_listener listener;
    char address[PLI_SERVE_ADDRESS_CAPACITY];
    char opening[PLI_SERVE_OPENING_CAPACITY]; // with a code

    struct lws_context *library;
    struct lws_vhost *vhost;
    struct lws *door; // the listening socket in the library
    int64_t events;   // that the library has told of
    bool is_ending;   // the site is not called any more

    int32_t connection_count;
    pli_connection *connections[PLI_SERVE_CONNECTIONS];
    int64_t last_client;
    double accepts_after; // the system had no descriptor left; 0: it has
    double skipped;       // seconds that tests have let pass at once

    // scratch
    pli_http_room room;
    uint8_t piece[PLI_SERVE_PIECE_CAPACITY];
};

// Seconds of the server's clock.
double pli_server_now(const pli_server *server);

// Lets time pass at once, so that tests of time-outs need not wait.
void pli_server_skip(pli_server *server, double seconds);

bool pli_server_knows(const pli_server *server, const pli_connection *connection);
void pli_server_forget(pli_server *server, const pli_connection *connection);

// Takes over a descriptor that nothing more is said on, until the client has closed it.
void pli_server_drain(pli_server *server, int descriptor);

#endif
