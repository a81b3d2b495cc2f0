// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include "base/memory.h"
#include "base/timers.h"
#include "serve/http_answer.h"
#include "serve/server_inside.h"

#include <errno.h>
#include <libwebsockets.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LONGEST_WAIT = 1000,     // milliseconds, after which time-outs are looked at
    ACCEPTS = 64,            // connections that are taken in a turn
    LIBRARY_SECONDS = 3600,  // its own time-outs, far beyond ours
    RECEIVE_BYTES = 4096,    // of a message that come at once
    LIBRARY_FILES = 4,       // that it has besides connections
    REST_MICROSECONDS = 1000 // see pli_server_turn
};

static const double accept_pause = 0.2; // seconds without new connections when there is no room
static const double short_wait = 1e-3;  // seconds

double pli_server_now(const pli_server *server)
{
    return pli_clock_seconds() + server->skipped;
}

void pli_server_skip(pli_server *server, double seconds)
{
    server->skipped += seconds;
}

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

// ---- the library ------------------------------------------------------------------------------

static int hear_connection(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t count);
static int hear_door(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t count);

static const struct lws_protocols protocols[] = {
    {.name = "pliant",
     .callback = hear_connection,
     .rx_buffer_size = RECEIVE_BYTES,
     .tx_packet_size = PLI_SERVE_PIECE_CAPACITY},
    {.name = "door", .callback = hear_door},
    {.name = NULL},
};

// The library writes lines to the terminal unless it is told not to, for the whole process and with
// one buffer for all threads. A program that has told it what to write is left alone.
static void silence_library(void)
{
    enum { SAYS = LLL_ERR | LLL_WARN | LLL_NOTICE };
    int levels = 0;
    for (int level = 1; level < 1 << LLL_COUNT; level <<= 1) {
        if (lwsl_visible(level)) levels |= level;
    }
    if (levels == SAYS) lws_set_log_level(0, NULL);
}

static pli_status open_library(pli_server *server)
{
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .headers = pli_http_safety(),
        .server_string = "pliant",
        .options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME,
        .user = server,
        .uid = -1,
        .gid = -1,
        .fd_limit_per_thread = PLI_SERVE_CONNECTIONS + LIBRARY_FILES,
        .max_http_header_data = PLI_SERVE_MAX_HEAD,
        .timeout_secs = LIBRARY_SECONDS,
        .keepalive_timeout = LIBRARY_SECONDS,
        .timeout_secs_ah_idle = LIBRARY_SECONDS};
    silence_library();
    // it sets how the process takes a signal, which is the program's affair
    struct sigaction broken_pipe;
    bool is_known = sigaction(SIGPIPE, NULL, &broken_pipe) == 0;
    server->library = lws_create_context(&info);
    if (is_known) (void)sigaction(SIGPIPE, &broken_pipe, NULL);
    if (server->library != NULL) {
        server->vhost = lws_get_vhost_by_name(server->library, "default");
    }
    if (server->vhost != NULL) return PLI_OK;
    return PLI_FAIL(server->context, PLI_ERROR_IO, "server: libwebsockets cannot be started");
}

static pli_status open_door(pli_server *server)
{
    lws_sock_file_fd_type descriptor = {.filefd = server->listener.descriptor};
    server->door = lws_adopt_descriptor_vhost(server->vhost, LWS_ADOPT_RAW_FILE_DESC, descriptor,
                                              "door", NULL);
    if (server->door == NULL) {
        return PLI_FAIL(server->context, PLI_ERROR_IO,
                        "server: libwebsockets cannot watch for connections");
    }
    server->listener.descriptor = -1;
    return PLI_OK;
}

// ---- beginning and end ------------------------------------------------------------------------

static pli_status open_server(pli_server *server, const pli_server_options *options)
{
    PLI_TRY(pli_access_init(&server->access, server->context, options->token));
    const char *host = options->host != NULL ? options->host : "127.0.0.1";
    PLI_TRY(pli_listen_check(server->context, host, options->allows_remote));
    PLI_TRY(pli_listen(server->context, host, options->port, &server->listener));
    PLI_TRY(
        pli_access_allow(&server->access, server->listener.name, options, server->listener.port));
    snprintf(server->address, sizeof server->address, "http://%s:%d/", server->listener.name,
             server->listener.port);
    PLI_TRY(open_library(server));
    return open_door(server);
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
    pli_status status = open_server(made, options);
    if (status != PLI_OK) {
        pli_server_destroy(made);
        return status;
    }
    *server = made;
    return PLI_OK;
}

// Reads and forgets what has come: closing over unread bytes would take back what was sent.
static void discard_input(int descriptor)
{
    char bytes[16384];
    for (int i = 0; i < 16; ++i) {
        if (recv(descriptor, bytes, sizeof bytes, MSG_DONTWAIT) <= 0) return;
    }
}

void pli_server_destroy(pli_server *server)
{
    if (server == NULL) return;
    server->is_ending = true;
    // as far as it goes without waiting; some may be forgotten at once
    for (int32_t i = server->connection_count - 1; i >= 0; --i) {
        pli_connection_say_goodbye(server->connections[i]);
    }
    if (server->library != NULL) (void)lws_service(server->library, -1);
    for (int32_t i = 0; i < server->connection_count; ++i) {
        discard_input(lws_get_socket_fd(server->connections[i]->wsi));
    }
    // forgets every connection, and with the door goes its descriptor
    if (server->library != NULL) lws_context_destroy(server->library);
    if (server->listener.descriptor >= 0) close(server->listener.descriptor);
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

bool pli_server_knows(const pli_server *server, const pli_connection *connection)
{
    for (int32_t i = 0; i < server->connection_count; ++i) {
        if (server->connections[i] == connection) return true;
    }
    return false;
}

void pli_server_forget(pli_server *server, const pli_connection *connection)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        if (server->connections[i] != connection) {
            server->connections[kept++] = server->connections[i];
        }
    }
    server->connection_count = kept;
}

static int32_t count_draining(const pli_server *server)
{
    int32_t count = 0;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        count += server->connections[i]->stage == PLI_STAGE_DRAIN;
    }
    return count;
}

void pli_server_drain(pli_server *server, int descriptor)
{
    bool has_place = !server->is_ending && count_draining(server) < PLI_SERVE_SPARE;
    if (has_place) {
        (void)pli_connection_create(server, descriptor, PLI_STAGE_DRAIN);
    } else {
        discard_input(descriptor);
        close(descriptor);
    }
}

// One too many.
static void turn_away(pli_server *server, int descriptor)
{
    char text[PLI_HTTP_ANSWER_CAPACITY];
    int64_t size = pli_http_answer_refusal(503, true, text);
    (void)send(descriptor, text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)shutdown(descriptor, SHUT_WR);
    pli_server_drain(server, descriptor);
}

static void accept_connections(pli_server *server)
{
    for (int i = 0; i < ACCEPTS; ++i) {
        int descriptor = pli_listener_accept(lws_get_socket_fd(server->door));
        if (descriptor >= 0) {
            int32_t clients = server->connection_count - count_draining(server);
            if (clients >= PLI_SERVE_MAX_CLIENTS) {
                turn_away(server, descriptor);
            } else {
                (void)pli_connection_create(server, descriptor, PLI_STAGE_REQUEST);
            }
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) return;
        bool is_over = errno == EINTR || errno == ECONNABORTED || errno == EPROTO;
        if (is_over) continue;
        // no descriptors or no memory: the connection stays there, and asking again would spin
        server->accepts_after = pli_server_now(server) + accept_pause;
        (void)lws_rx_flow_control(server->door, 0);
        return;
    }
}

// ---- what the library tells -------------------------------------------------------------------

static int hear_door(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                     size_t count)
{
    (void)user;
    (void)in;
    (void)count;
    pli_server *server = lws_context_user(lws_get_context(wsi));
    if (server == NULL) return 0;
    ++server->events;
    if (reason == LWS_CALLBACK_RAW_RX_FILE && !server->is_ending) accept_connections(server);
    return 0;
}

// The headers of safety, in the answer that makes a connection a socket.
static int add_safety(struct lws *wsi, struct lws_process_html_args *room)
{
    unsigned char *at = (unsigned char *)room->p;
    const struct lws_protocol_vhost_options *line = pli_http_safety();
    for (; line != NULL; line = line->next) {
        const unsigned char *name = (const unsigned char *)line->name;
        const unsigned char *value = (const unsigned char *)line->value;
        int failed = lws_add_http_header_by_name(wsi, name, value, (int)strlen(line->value), &at,
                                                 (unsigned char *)room->p + room->max_len);
        if (failed != 0) return -1;
    }
    room->p = (char *)at;
    return 0;
}

static int hear_connection(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t count)
{
    (void)user;
    // calls that are about no connection have none
    pli_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection == NULL) return 0;
    connection->wsi = wsi;
    bool is_over = connection->server->is_ending && reason != LWS_CALLBACK_WSI_DESTROY;
    // told again with every turn while something follows the request that is being answered
    bool is_known =
        reason == LWS_CALLBACK_HTTP_BODY_COMPLETION && connection->stage != PLI_STAGE_REQUEST;
    if (is_over || is_known) return 0;
    ++connection->server->events;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return pli_connection_hear_request(connection);
    case LWS_CALLBACK_HTTP_BODY: return pli_connection_hear_body(connection, in, count);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return pli_connection_hear_end_of_body(connection);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return pli_connection_hear_upgrade(connection);
    case LWS_CALLBACK_ADD_HEADERS: return add_safety(wsi, in);
    case LWS_CALLBACK_ESTABLISHED: pli_connection_join(connection); return 0;
    case LWS_CALLBACK_RECEIVE: return pli_connection_hear_message(connection, in, count);
    case LWS_CALLBACK_RECEIVE_PONG:
        connection->heard = pli_server_now(connection->server);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        return pli_connection_hear_close(connection, in, count);
    case LWS_CALLBACK_HTTP_WRITEABLE:
    case LWS_CALLBACK_SERVER_WRITEABLE: return pli_connection_write(connection);
    case LWS_CALLBACK_CLOSED: pli_connection_leave(connection); return 0;
    case LWS_CALLBACK_WSI_DESTROY: pli_connection_destroy(connection); return 0;
    // whoever asks to speak something else than HTTP
    case LWS_CALLBACK_RAW_ADOPT:
    case LWS_CALLBACK_RAW_RX: return connection->stage == PLI_STAGE_DRAIN ? 0 : -1;
    default: return 0;
    }
}

// ---- a turn -----------------------------------------------------------------------------------

static void pump_all(pli_server *server)
{
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection_pump(server->connections[i]);
    }
}

static int32_t wait_milliseconds(const pli_server *server, int32_t milliseconds)
{
    bool is_long = milliseconds < 0 || milliseconds > LONGEST_WAIT;
    int32_t wait = is_long ? LONGEST_WAIT : milliseconds;
    int32_t most = (int32_t)(1000 * accept_pause) + 1;
    return server->accepts_after > 0 && wait > most ? most : wait;
}

// Listens again when there may be descriptors again.
static void end_pause(pli_server *server)
{
    if (server->accepts_after == 0 || pli_server_now(server) < server->accepts_after) return;
    server->accepts_after = 0;
    (void)lws_rx_flow_control(server->door, 1);
}

pli_status pli_server_turn(pli_server *server, int32_t milliseconds)
{
    // what the site has got since the last turn
    pump_all(server);
    end_pause(server);

    // the door's timer ends the wait
    int32_t wait = wait_milliseconds(server, milliseconds);
    lws_set_timer_usecs(server->door, (lws_usec_t)wait * 1000);
    double begin = pli_clock_seconds();
    int64_t events = server->events;
    if (lws_service(server->library, wait > 0 ? 0 : -1) < 0) {
        return PLI_FAIL(server->context, PLI_ERROR_IO, "server: cannot wait for connections");
    }
    // a client may have left something that the library looks at when the answer before it is out,
    // and until then finds ready in every turn: that shall not take a processor's time
    bool has_spun =
        wait > 0 && server->events == events && pli_clock_seconds() - begin < short_wait;
    if (has_spun) (void)usleep(REST_MICROSECONDS);

    // what came, what it leads to, and what did not come
    pump_all(server);
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection_check_times(server->connections[i]);
    }
    return PLI_OK;
}

void pli_server_wake(pli_server *server)
{
    // a handler of signals may have interrupted somebody who still looks at errno
    int error = errno;
    lws_cancel_service(server->library);
    errno = error;
}

void pli_server_send(pli_server *server, int64_t client, const char *text, int64_t size)
{
    for (int32_t i = 0; i < server->connection_count; ++i) {
        pli_connection *connection = server->connections[i];
        if (connection->client == client && connection->stage == PLI_STAGE_SOCKET) {
            pli_connection_send(connection, text, size);
            return;
        }
    }
}

int32_t pli_server_socket_count(const pli_server *server)
{
    int32_t count = 0;
    for (int32_t i = 0; i < server->connection_count; ++i) {
        const pli_connection *connection = server->connections[i];
        count += connection->stage == PLI_STAGE_SOCKET && !connection->is_dead;
    }
    return count;
}
