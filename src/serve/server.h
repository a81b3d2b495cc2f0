// SPDX-License-Identifier: Apache-2.0
//
// Transport of the page's server. HTTP/1.1 and WebSocket (RFC 6455) are spoken by libwebsockets, in
// the thread that has turns; the server knows who may ask, limits and time-outs; what is answered
// is a site's affair (view_site.h, live_site.h). docs/protocol.md says what goes over the wire.
//
//     site (ops) <- request, message, "could take a packet" - server - library - sockets
//
// Everything is called on the thread that calls pli_server_turn, but for pli_server_wake and
// packets, which any thread may use. No client can make the server wait, grow without bound or
// stop: whatever does not fit the limits is answered with its code and closed, or closed without
// one where the library cannot make sense of it.
#ifndef PLI_SERVE_SERVER_H
#define PLI_SERVE_SERVER_H

#include "pliant/base.h"

#include "serve/packet.h"

enum {
    PLI_SERVE_SECRET_CHARS = 32,    // hexadecimal digits of codes and cookies, 128 random bits
    PLI_SERVE_MAX_CLIENTS = 64,     // connections; the next ones get 503
    PLI_SERVE_MAX_HEAD = 16384,     // bytes of a request before its body; more ends it
    PLI_SERVE_MAX_BODY = 65536,     // bytes of a body; more gets 413
    PLI_SERVE_MAX_MESSAGE = 65536,  // bytes of a message of a socket; more closes it with 1009
    PLI_SERVE_MAX_QUEUE = 262144,   // bytes of texts that wait for a client; more closes it
    PLI_SERVE_MAX_MESSAGES = 1000,  // and fragments, from a client in a second; more: 1008
    PLI_SERVE_HEAD_SECONDS = 10,    // from the first byte of a request to its last
    PLI_SERVE_IDLE_SECONDS = 60,    // connections without a request
    PLI_SERVE_STALL_SECONDS = 30,   // a client that takes no byte of what is due to it
    PLI_SERVE_PING_SECONDS = 15,    // between pings of a quiet socket
    PLI_SERVE_PERSON_SECONDS = 600, // that an address works which a person opens
    PLI_SERVE_BROWSER_SECONDS = 120 // one which a browser is started with
};

// Who an address is for, see access.h.
typedef enum pli_server_reader {
    PLI_SERVER_FOR_PERSON,
    PLI_SERVER_FOR_BROWSER,
    PLI_SERVE_READERS
} pli_server_reader;

typedef struct pli_server pli_server;

// Lifetime of everything here: the call of respond.
typedef struct pli_http_request {
    const char *method; // "GET", "HEAD" (answered as GET, without the body) or "POST"
    const char *path;   // decoded once, begins with '/', without "." and "..", without the query
    const char *query;  // each key and value encoded, without '?'; "" if there is none
    const char *body;   // [body_size]
    int64_t body_size;
    bool authorized; // has the token, or the cookie of a session
} pli_http_request;

// Copies the decoded value of a key of the query; false: it is not there, is not well-formed or
// does not fit.
bool pli_http_query(const pli_http_request *request, const char *key, char *value, size_t capacity);

typedef struct pli_http_response {
    int32_t status;           // 200, 404, ...
    const char *content_type; // static text
    bool gzip;                // the bytes are compressed by gzip
    const char *policy;       // Content-Security-Policy; NULL: nothing is allowed. Static text
    pli_packet *packet;       // the body; the server takes over the reference. NULL: a short text
} pli_http_response;          // of the status

typedef struct pli_site_ops {
    // Answers a request that is not a socket's. The response comes as 404 without a body.
    void (*respond)(void *user, const pli_http_request *request, pli_http_response *response);

    // Sockets; all NULL: the site has none, and asking for one gets 404. Clients are told apart by
    // a number that is not used again.
    const char *socket_path;
    void (*join)(void *user, int64_t client);
    void (*hear)(void *user, int64_t client, const char *text, int64_t size); // valid UTF-8, and 0
    void (*leave)(void *user, int64_t client);
    // Asked when everything that was due to a client has gone out: the next packet for it, whose
    // reference the server takes over, or NULL. Asked again after pli_server_wake, a message of
    // that client, or a turn.
    pli_packet *(*next)(void *user, int64_t client);
} pli_site_ops;

typedef struct pli_server_options {
    const char *host;               // address to listen on, "::1"; NULL: "127.0.0.1"
    int32_t port;                   // 0: 8686, or where that is taken, any
    bool allows_remote;             // host may be one that other machines reach
    const char *token;              // of scripts, 16 to 64 letters, digits, - and _; NULL: none
    const char *const *extra_hosts; // [extra_host_count] names that Host may have, without port
    int32_t extra_host_count;
} pli_server_options;

// Errors: argument, io (the port is taken or not allowed, no such address), memory.
PLI_CHECKED pli_status pli_server_create(pli_context *context, const pli_server_options *options,
                                         const pli_site_ops *site, void *user, pli_server **server);
// Closes everything; sockets get the code 1001. The site is not called any more.
void pli_server_destroy(pli_server *server);

// "http://127.0.0.1:8686/". Lifetime: that of the server.
const char *pli_server_address(const pli_server *server);
int32_t pli_server_port(const pli_server *server);
// Whether other machines reach it.
bool pli_server_is_remote(const pli_server *server);

// Makes an address to open, "http://127.0.0.1:8686/open?code=...", which works once; the former one
// for such a reader is void. Lifetime: until the next call. Errors: io (no random numbers).
PLI_CHECKED pli_status pli_server_make_address(pli_server *server, pli_server_reader reader,
                                               const char **address);

// Waits up to so many milliseconds for something to do, and does it. Errors: io (poll itself
// failed), never because of a client.
PLI_CHECKED pli_status pli_server_turn(pli_server *server, int32_t milliseconds);

// Ends a turn that waits. From any thread, and from signal handlers.
void pli_server_wake(pli_server *server);

// Queues a text for a socket; a client that is not there (any more) is ignored, one whose queue is
// full is closed.
void pli_server_send(pli_server *server, int64_t client, const char *text, int64_t size);

int32_t pli_server_socket_count(const pli_server *server);

#endif
