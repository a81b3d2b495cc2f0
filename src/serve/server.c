// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include "base/memory.h"
#include "base/timers.h"
#include "serve/http_answer.h"
#include "serve/server_inside.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LONGEST_WAIT = 1000, // milliseconds, after which time-outs are looked at
    ACCEPTS = 64,        // connections that are taken in a turn
    PLACES = 2           // polled before the connections: the wake pipe and the listener
};

static const double accept_pause = 0.2; // seconds without new connections when there is no room

double pli_server_now(const pli_server *server)
{
    return pli_clock_seconds() + server->skipped;
}

void pli_server_skip(pli_server *server, double seconds)
{
    server->skipped += seconds;
}

// ---- beginning and end ------------------------------------------------------------------------

static pli_status check_arguments(pli_context *context, const pli_server_options *options,
                                  const pli_site_ops *site)
{
    bool has_sockets = site->socket_path != NULL;
    bool is_whole =
        site->respond != NULL && (!has_sockets || (site->join != NULL && site->hear != NULL &&
                                                   site->leave != NULL && site->next != NULL));
    if (!is_whole || options->extra_host_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "server: the site lacks a function");
    }
    return PLI_OK;
}

static pli_status open_server(pli_server *server, const pli_server_options *options)
{
    PLI_TRY(pli_access_init(&server->access, server->context, options->token));
    PLI_TRY(pli_wake_pipe(server->context, server->wake));
    const char *host = options->host != NULL ? options->host : "127.0.0.1";
    PLI_TRY(pli_listen_check(server->context, host, options->allows_remote));
    PLI_TRY(pli_listen(server->context, host, options->port, &server->listener));
    PLI_TRY(
        pli_access_allow(&server->access, server->listener.name, options, server->listener.port));
    snprintf(server->address, sizeof server->address, "http://%s:%d/", server->listener.name,
             server->listener.port);
    return PLI_OK;
}

pli_status pli_server_create(pli_context *context, const pli_server_options *options,
                             const pli_site_ops *site, void *user, pli_server **server)
{
    *server = NULL;
    PLI_TRY(check_arguments(context, options, site));
    pli_server *made = PLI_NEW(context, pli_server, 1, "server");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->site = *site;
    made->user = user;
    made->access.context = context;
    made->listener.descriptor = -1;
    made->wake[0] = -1;
    made->wake[1] = -1;
    pli_status status = open_server(made, options);
    if (status != PLI_OK) {
        pli_server_destroy(made);
        return status;
    }
    *server = made;
    return PLI_OK;
}

static void close_descriptor(int descriptor)
{
    if (descriptor >= 0) close(descriptor);
}

// Reads and forgets what has come: closing over unread bytes would take back what was sent.
static void discard_input(int descriptor)
{
    char bytes[16384];
    for (int i = 0; i < 16; ++i) {
        if (recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT) <= 0) return;
    }
}

// As far as it goes without waiting.
static void say_goodbye(pli_connection *connection)
{
    pli_connection_close_socket(connection, PLI_WEBSOCKET_AWAY, "the server ends");
    if (connection->stage == PLI_STAGE_ANSWER) pli_connection_pump(connection);
    discard_input(connection->descriptor);
}

void pli_server_destroy(pli_server *server)
{
    if (server == NULL) return;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        say_goodbye(server->connections[i]);
        pli_connection_destroy(server->connections[i]);
    }
    close_descriptor(server->listener.descriptor);
    close_descriptor(server->wake[0]);
    close_descriptor(server->wake[1]);
    pli_access_clear(&server->access);
    pli_release(server->context, server);
}

const char *pli_server_address(const pli_server *server)
{
    return server->address;
}

int32_t pli_server_port(const pli_server *server)
{
    return server->listener.port;
}

bool pli_server_is_remote(const pli_server *server)
{
    return server->listener.is_remote;
}

pli_status pli_server_make_address(pli_server *server, pli_server_reader reader,
                                   const char **address)
{
    const char *code = NULL;
    *address = server->opening;
    PLI_TRY(pli_access_make_code(&server->access, reader, pli_server_now(server), &code));
    snprintf(server->opening, sizeof server->opening, "%sopen?code=%s", server->address, code);
    return PLI_OK;
}

// ---- connections ------------------------------------------------------------------------------

static int32_t count_clients(const pli_server *server)
{
    int32_t count = 0;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        count += !server->connections[i]->is_spare;
    }
    return count;
}

// There is not even room to refuse properly.
static void turn_away(int descriptor)
{
    char text[PLI_HTTP_ANSWER_CAPACITY];
    int64_t size = pli_http_answer_refusal(503, true, text);
    discard_input(descriptor);
    (void)send(descriptor, text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
    close(descriptor);
}

static void add_connection(pli_server *server, int descriptor)
{
    if (server->connection_count == PLI_SERVE_CONNECTIONS) {
        turn_away(descriptor);
        return;
    }
    bool is_full = count_clients(server) >= PLI_SERVE_MAX_CLIENTS;
    pli_connection *connection = pli_connection_create(server, descriptor);
    if (connection == NULL) return;
    server->connections[server->connection_count++] = connection;
    connection->is_spare = is_full;
    if (!is_full) return;
    pli_connection_refuse(connection, 503);
    pli_connection_pump(connection);
}

static void accept_connections(pli_server *server)
{
    for (int i = 0; i < ACCEPTS; ++i) {
        int descriptor = pli_listener_accept(&server->listener);
        if (descriptor >= 0) {
            add_connection(server, descriptor);
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) return;
        bool is_over = errno == EINTR || errno == ECONNABORTED || errno == EPROTO;
        if (is_over) continue;
        // no descriptors or no memory: the connection stays there, and asking again would spin
        server->accepts_after = pli_server_now(server) + accept_pause;
        return;
    }
}

// Tells the site who has left, and frees what is dead.
static void sweep(pli_server *server)
{
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection *connection = server->connections[i];
        if (!connection->is_joined || connection->stage == PLI_STAGE_SOCKET) continue;
        connection->is_joined = false;
        server->site.leave(server->user, connection->client);
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection *connection = server->connections[i];
        // one that died while the others were told waits for the next time
        if (connection->stage == PLI_STAGE_DEAD && !connection->is_joined) {
            pli_connection_destroy(connection);
        } else {
            server->connections[kept++] = connection;
        }
    }
    server->connection_count = kept;
}

// ---- a turn -----------------------------------------------------------------------------------

static void pump_all(pli_server *server)
{
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection_pump(server->connections[i]);
    }
}

static int wait_milliseconds(const pli_server *server, int32_t milliseconds)
{
    bool is_long = milliseconds < 0 || milliseconds > LONGEST_WAIT;
    int wait = is_long ? LONGEST_WAIT : milliseconds;
    double pause = server->accepts_after - pli_server_now(server);
    int most = (int)(1000 * accept_pause) + 1;
    return pause > 0 && wait > most ? most : wait;
}

static void list_places(const pli_server *server, struct pollfd *places)
{
    bool accepts = pli_server_now(server) >= server->accepts_after;
    places[0] = (struct pollfd){.fd = server->wake[0], .events = POLLIN};
    places[1] = (struct pollfd){.fd = accepts ? server->listener.descriptor : -1, .events = POLLIN};
    for (int32_t i = 0; i < server->connection_count; ++i) {
        const pli_connection *connection = server->connections[i];
        bool is_dead = connection->stage == PLI_STAGE_DEAD;
        int events = (pli_connection_reads(connection) ? POLLIN : 0) |
                     (pli_connection_waits_to_send(connection) ? POLLOUT : 0);
        places[PLACES + i] =
            (struct pollfd){.fd = is_dead ? -1 : connection->descriptor, .events = (short)events};
    }
}

static void empty_pipe(int end)
{
    char bytes[256];
    while (read(end, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {
    }
}

static void handle(pli_server *server, const struct pollfd *places)
{
    // those that came with the poll, not those that are accepted now
    int32_t count = server->connection_count;
    if (places[0].revents != 0) empty_pipe(server->wake[0]);
    if (places[1].revents != 0) accept_connections(server);
    for (int32_t i = 0; i < count; ++i) {
        bool has_news = (places[PLACES + i].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
        if (has_news) pli_connection_read(server->connections[i]);
    }
}

pli_status pli_server_turn(pli_server *server, int32_t milliseconds)
{
    // what the site has got since the last turn
    pump_all(server);
    sweep(server);

    struct pollfd places[PLACES + PLI_SERVE_CONNECTIONS];
    list_places(server, places);
    nfds_t count = (nfds_t)(PLACES + server->connection_count);
    int ready = poll(places, count, wait_milliseconds(server, milliseconds));
    if (ready < 0 && errno != EINTR && errno != EAGAIN) {
        char buffer[128];
        return PLI_FAIL(server->context, PLI_ERROR_IO, "server: cannot wait for connections: %s",
                        strerror_r(errno, buffer, sizeof buffer));
    }

    // what came, what it leads to, and what did not come
    if (ready > 0) handle(server, places);
    pump_all(server);
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection_check_times(server->connections[i]);
    }
    sweep(server);
    return PLI_OK;
}

void pli_server_wake(pli_server *server)
{
    // a handler of signals may have interrupted somebody who still looks at errno
    int error = errno;
    ssize_t written = write(server->wake[1], "", 1);
    (void)written; // a full pipe wakes as well
    errno = error;
}

void pli_server_send(pli_server *server, int64_t client, const char *text, int64_t size)
{
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection *connection = server->connections[i];
        if (connection->client == client && connection->stage == PLI_STAGE_SOCKET) {
            pli_connection_send_frame(connection, PLI_WEBSOCKET_TEXT, text, size);
            return;
        }
    }
}

int32_t pli_server_socket_count(const pli_server *server)
{
    int32_t count = 0;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        count += server->connections[i]->stage == PLI_STAGE_SOCKET;
    }
    return count;
}
