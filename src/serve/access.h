// SPDX-License-Identifier: Apache-2.0
//
// Who may talk to the server: the names that Host and Origin may have, and the token. Names are
// compared whole, so that no look-alike passes; tokens in a time that tells nothing about them.
#ifndef PLI_SERVE_ACCESS_H
#define PLI_SERVE_ACCESS_H

#include "serve/http.h"

enum { PLI_ACCESS_TOKEN_CAPACITY = 65 };

typedef struct pli_access {
    pli_context *context;
    char token[PLI_ACCESS_TOKEN_CAPACITY];
    int32_t name_count;
    char **names; // [name_count] "127.0.0.1:8686"
} pli_access;

// Takes the token of the options, or a random one. Errors: argument, io (no random numbers).
PLI_CHECKED pli_status pli_access_init(pli_access *access, pli_context *context, const char *token);
void pli_access_clear(pli_access *access);

// Allows the names of this machine, the address that is listened on and those of the options, all
// with the port. Errors: argument, memory.
PLI_CHECKED pli_status pli_access_allow(pli_access *access, const char *listened,
                                        const pli_server_options *options, int32_t port);

// 0, or 403: Host or Origin is foreign.
int32_t pli_access_check(const pli_access *access, const pli_http_head *head);

// Whether the request has the token, as a bearer's or in the query.
bool pli_access_is_authorized(const pli_access *access, const pli_http_head *head);

#endif
