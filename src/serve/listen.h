// SPDX-License-Identifier: Apache-2.0
//
// The socket that connections come in by.
#ifndef PLI_SERVE_LISTEN_H
#define PLI_SERVE_LISTEN_H

#include "pliant/base.h"

enum {
    PLI_LISTEN_PORT = 8686,       // unless told otherwise
    PLI_LISTEN_NAME_CAPACITY = 48 // of an address as text
};

typedef struct pli_listener {
    int descriptor;
    int32_t port;
    bool is_remote;                      // other machines reach it
    char name[PLI_LISTEN_NAME_CAPACITY]; // to reach it by: "127.0.0.1", "[::1]"
} pli_listener;

// Listens on an address, IPv4 or IPv6, or "localhost". Port 0: 8686, or where that is taken, any.
// Errors: argument (not an address, not a port), io (the port is taken or not allowed).
PLI_CHECKED pli_status pli_listen(pli_context *context, const char *host, int32_t port,
                                  pli_listener *listener);

// Whether that may be listened on: other machines reach every address but the loopback ones.
// Errors: argument.
PLI_CHECKED pli_status pli_listen_check(pli_context *context, const char *host, bool allows_remote);

// Takes a connection, which does not wait and is not inherited; -1 as accept() does.
int pli_listener_accept(int descriptor);

#endif
