// SPDX-License-Identifier: Apache-2.0
//
// A server to be abused by page_abuse.py: a page, a session, and a socket that gives texts back
// and, when told "flow", as many packets as the client takes.
//
//   page_fixture [SPEED]
//
// Its clock runs SPEED times as fast as others, so that time-outs come sooner. Prints its address
// and its token and ends when its input does.
#include "base/timers.h"
#include "serve/server_inside.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN "token_of_the_fixture_0123456789"

enum { PACKET = 1 << 20, FLOWS = 16 };

typedef struct site {
    pli_context *context;
    pli_server *server;
    pli_packet *packet;     // the same for everyone
    int64_t flowing[FLOWS]; // clients that want it; 0: none
} site;

static void respond(void *user, const pli_http_request *request, pli_http_response *response)
{
    site *it = user;
    static const char page[] = "<!doctype html><title>page</title>";
    static const char session[] = "{\"protocol\": 1}";
    bool is_page = strcmp(request->path, "/") == 0;
    if (!is_page && strcmp(request->path, "/api/session") != 0) return;
    const char *text = is_page ? page : session;
    response->packet = pli_packet_create_static(it->context, text, (int64_t)strlen(text));
    response->status = response->packet != NULL ? 200 : 500;
    response->content_type = is_page ? "text/html" : "application/json";
}

static void replace(site *it, int64_t old, int64_t new)
{
    for (int i = 0; i < FLOWS; ++i) {
        if (it->flowing[i] != old) continue;
        it->flowing[i] = new;
        return;
    }
}

static void join(void *user, int64_t client)
{
    (void)user;
    (void)client;
}

static void hear(void *user, int64_t client, const char *text, int64_t size)
{
    site *it = user;
    if (strcmp(text, "flow") == 0) replace(it, 0, client);
    pli_server_send(it->server, client, text, size);
}

static void leave(void *user, int64_t client)
{
    replace(user, client, 0);
}

static pli_packet *next(void *user, int64_t client)
{
    site *it = user;
    for (int i = 0; i < FLOWS; ++i) {
        if (it->flowing[i] == client) return pli_packet_share(it->packet);
    }
    return NULL;
}

static const pli_site_ops ops = {.respond = respond,
                                 .socket_path = "/api/socket",
                                 .join = join,
                                 .hear = hear,
                                 .leave = leave,
                                 .next = next};

static bool input_has_ended(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;
    return poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0;
}

static pli_status serve(site *it, double speed)
{
    pli_server_options options = {.host = "127.0.0.1", .token = TOKEN};
    pli_status status = pli_server_create(it->context, &options, &ops, it, &it->server);
    if (status != PLI_OK) return status;
    printf("%s %s\n", pli_server_address(it->server), TOKEN);
    fflush(stdout);
    double last = pli_clock_seconds();
    while (status == PLI_OK && !input_has_ended()) {
        status = pli_server_turn(it->server, 20);
        double now = pli_clock_seconds();
        pli_server_skip(it->server, (speed - 1) * (now - last));
        last = now;
    }
    pli_server_destroy(it->server);
    return status;
}

int main(int count, char **arguments)
{
    double speed = count > 1 ? atof(arguments[1]) : 1;
    site it = {0};
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    pli_status status = pli_context_create(&def, &it.context);
    if (status != PLI_OK) return 1;
    it.packet = pli_packet_create(it.context, PACKET);
    status = it.packet != NULL ? serve(&it, speed) : PLI_ERROR_MEMORY;
    if (status != PLI_OK) {
        char message[512];
        pli_context_message(it.context, message, sizeof message);
        fprintf(stderr, "page_fixture: %s\n", message);
    }
    pli_packet_drop(it.packet);
    pli_context_destroy(it.context);
    return status == PLI_OK ? 0 : 1;
}
