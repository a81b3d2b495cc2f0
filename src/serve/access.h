// SPDX-License-Identifier: Apache-2.0
//
// Who may talk to the server: the names that Host and Origin may have, and who has shown to be
// allowed. Names are compared whole, so that no look-alike passes; secrets in a time that tells
// nothing about them.
//
//     scripts:  the token of the options, as a bearer's
//     browsers: /open?code=CODE -> the cookie of a session
//
// A code works once and for a while. One for a person is shown to that person alone. One for a
// browser is an argument of its process, which everybody on this machine can read: only processes
// of the same user can exchange it. Cookies are not told apart by ports, so theirs is in the name;
// what another server on this machine is sent of them is of no use to other users of the machine,
// because a session belongs to the user whose process opened it (peer.h).
#ifndef PLI_SERVE_ACCESS_H
#define PLI_SERVE_ACCESS_H

#include "serve/http.h"
#include "serve/peer.h"

enum {
    PLI_ACCESS_TOKEN_CAPACITY = 65,
    PLI_ACCESS_SECRET_CAPACITY = PLI_SERVE_SECRET_CHARS + 1,
    PLI_ACCESS_COOKIE_CAPACITY = 128, // bytes of a Set-Cookie's value
    PLI_ACCESS_SESSIONS = 32          // browsers; one more ends the oldest session
};

typedef struct pli_access_code {
    char text[PLI_ACCESS_SECRET_CAPACITY]; // "": there is none
    double until;                          // s, of the server's clock
} pli_access_code;

typedef struct pli_access_session {
    char secret[PLI_ACCESS_SECRET_CAPACITY];
    int64_t owner; // user whose process opened it, or PLI_PEER_UNKNOWN
} pli_access_session;

typedef struct pli_access {
    pli_context *context;
    int32_t port;
    char token[PLI_ACCESS_TOKEN_CAPACITY]; // "": no bearer is known
    pli_access_code codes[PLI_SERVE_READERS];
    int32_t session_count; // ever opened; the place of one is its number modulo PLI_ACCESS_SESSIONS
    pli_access_session sessions[PLI_ACCESS_SESSIONS];
    int32_t name_count;
    char **names; // [name_count] "127.0.0.1:8686"
} pli_access;

// Takes the token of the options, if there is one. Errors: argument.
PLI_CHECKED pli_status pli_access_init(pli_access *access, pli_context *context, const char *token);
void pli_access_clear(pli_access *access);

// Allows the names of this machine, the address that is listened on and those of the options, all
// with the port. Errors: argument, memory.
PLI_CHECKED pli_status pli_access_allow(pli_access *access, const char *listened,
                                        const pli_server_options *options, int32_t port);

// 0, or 403: Host or Origin is foreign.
int32_t pli_access_check(const pli_access *access, const pli_http_head *head);

// Whether the request has the token as a bearer's, or the cookie of a session and comes from a page
// of this server.
bool pli_access_is_authorized(const pli_access *access, const pli_http_head *head, pli_peer *peer);

// A new code; the former one for such a reader is void. Lifetime: that of the code. Errors: io (no
// random numbers).
PLI_CHECKED pli_status pli_access_make_code(pli_access *access, pli_server_reader reader,
                                            double now, const char **code);

// Exchanges the code of a request for a session, whose cookie it writes; false: the code is wrong,
// was used, is too old, or is not for this peer.
bool pli_access_open(pli_access *access, const char *code, double now, pli_peer *peer,
                     char cookie[PLI_ACCESS_COOKIE_CAPACITY]);

#endif
