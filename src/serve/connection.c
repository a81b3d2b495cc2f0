// SPDX-License-Identifier: Apache-2.0
#include "serve/connection.h"

#include "base/memory.h"
#include "serve/http_answer.h"
#include "serve/server_inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SEND_BYTES = 1 << 20, // that go out to one client before others have their turn
    PUMP_ROUNDS = 4,      // answers or packets that one client gets before others
    QUEUE_LIMIT = PLI_SERVE_MAX_QUEUE
};

// ---- beginning and end ------------------------------------------------------------------------

pli_connection *pli_connection_create(pli_server *server, int descriptor)
{
    pli_connection *connection = PLI_NEW(server->context, pli_connection, 1, "connection");
    if (connection == NULL) {
        close(descriptor);
        return NULL;
    }
    double now = pli_server_now(server);
    connection->server = server;
    connection->descriptor = descriptor;
    connection->peer = pli_peer_of(descriptor);
    connection->since = now;
    connection->heard = now;
    connection->pinged = now;
    pli_byte_queue_init(&connection->queue, server->context);
    return connection;
}

void pli_connection_destroy(pli_connection *connection)
{
    if (connection == NULL) return;
    pli_context *context = connection->server->context;
    close(connection->descriptor);
    pli_packet_drop(connection->packet);
    pli_byte_queue_clear(&connection->queue);
    pli_release(context, connection->reader);
    pli_release(context, connection->input);
    pli_release(context, connection);
}

static void enter(pli_connection *connection, pli_stage stage)
{
    connection->stage = stage;
    connection->since = pli_server_now(connection->server);
}

bool pli_connection_reads(const pli_connection *connection)
{
    return connection->stage == PLI_STAGE_REQUEST || connection->stage == PLI_STAGE_SOCKET ||
           connection->stage == PLI_STAGE_DRAIN;
}

// ---- out --------------------------------------------------------------------------------------

bool pli_connection_waits_to_send(const pli_connection *connection)
{
    return connection->queue.count > 0 || connection->packet != NULL;
}

static void queue_bytes(pli_connection *connection, const void *bytes, int64_t count)
{
    if (!pli_connection_waits_to_send(connection)) {
        connection->moved = pli_server_now(connection->server);
    }
    // the answer to an upgrade or a close frame still fit behind a full queue of texts
    int64_t limit = QUEUE_LIMIT + PLI_SERVE_MAX_HEAD;
    if (!pli_byte_queue_append(&connection->queue, bytes, count, limit)) {
        connection->stage = PLI_STAGE_DEAD;
    }
}

// Sends a packet behind all that is queued, and before all that will be.
static void queue_packet(pli_connection *connection, pli_packet *packet)
{
    PLI_ASSERT(connection->server->context, connection->packet == NULL);
    if (pli_packet_size(packet) == 0) {
        pli_packet_drop(packet);
        return;
    }
    connection->lead = connection->queue.count;
    connection->packet = packet;
    connection->packet_sent = 0;
}

// The bytes that are next; 0: none.
static int64_t next_piece(const pli_connection *connection, const uint8_t **bytes)
{
    const pli_byte_queue *queue = &connection->queue;
    if (connection->packet != NULL && connection->lead == 0) {
        *bytes = pli_packet_bytes(connection->packet) + connection->packet_sent;
        return pli_packet_size(connection->packet) - connection->packet_sent;
    }
    *bytes = pli_byte_queue_front(queue);
    return connection->packet != NULL ? connection->lead : queue->count;
}

static void note_sent(pli_connection *connection, int64_t count)
{
    connection->moved = pli_server_now(connection->server);
    if (connection->packet == NULL || connection->lead > 0) {
        pli_byte_queue_take(&connection->queue, count);
        if (connection->packet != NULL) connection->lead -= count;
        return;
    }
    connection->packet_sent += count;
    if (connection->packet_sent < pli_packet_size(connection->packet)) return;
    pli_packet_drop(connection->packet);
    connection->packet = NULL;
}

// True: everything is out.
static bool flush(pli_connection *connection)
{
    int64_t allowance = SEND_BYTES;
    while (pli_connection_waits_to_send(connection)) {
        const uint8_t *bytes = NULL;
        int64_t count = next_piece(connection, &bytes);
        if (count > allowance) count = allowance;
        if (count == 0) return false;
        int more = connection->packet != NULL && connection->lead > 0 ? MSG_MORE : 0;
        ssize_t sent = send(connection->descriptor, bytes, (size_t)count, MSG_NOSIGNAL | more);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        if (sent < 0) {
            connection->stage = PLI_STAGE_DEAD;
            return false;
        }
        allowance -= sent;
        note_sent(connection, sent);
    }
    return true;
}

// ---- sockets ----------------------------------------------------------------------------------

static void queue_frame(pli_connection *connection, pli_websocket_opcode opcode, const void *bytes,
                        int64_t size)
{
    uint8_t head[PLI_WEBSOCKET_HEAD];
    queue_bytes(connection, head, pli_websocket_head(opcode, size, head));
    if (connection->stage != PLI_STAGE_DEAD) queue_bytes(connection, bytes, size);
}

void pli_connection_send_frame(pli_connection *connection, pli_websocket_opcode opcode,
                               const void *bytes, int64_t size)
{
    if (connection->stage != PLI_STAGE_SOCKET) return;
    if (size < 0 || size + PLI_WEBSOCKET_HEAD > QUEUE_LIMIT - connection->queue.count) {
        connection->stage = PLI_STAGE_DEAD;
        return;
    }
    queue_frame(connection, opcode, bytes, size);
}

void pli_connection_close_socket(pli_connection *connection, int32_t code, const char *reason)
{
    if (connection->stage != PLI_STAGE_SOCKET) return;
    uint8_t content[PLI_WEBSOCKET_CONTROL] = {(uint8_t)(code >> 8), (uint8_t)code};
    size_t length = strnlen(reason, sizeof content - 2);
    memcpy(content + 2, reason, length);
    int64_t size = code == PLI_WEBSOCKET_NO_CODE ? 0 : (int64_t)length + 2;
    queue_frame(connection, PLI_WEBSOCKET_CLOSE, content, size);
    if (connection->stage == PLI_STAGE_DEAD) return;
    connection->ends = true;
    enter(connection, PLI_STAGE_ANSWER);
}

// Takes a number of messages from what a client may send; false: it sends too many.
static bool spend(pli_connection *connection, int64_t messages)
{
    double now = pli_server_now(connection->server);
    double most = PLI_SERVE_MAX_MESSAGES;
    connection->allowance += most * (now - connection->allowed);
    if (connection->allowance > most) connection->allowance = most;
    connection->allowed = now;
    connection->allowance -= (double)messages;
    return connection->allowance >= 0;
}

static const char *fault_text(int32_t code)
{
    switch (code) {
    case PLI_WEBSOCKET_KIND: return "text messages only";
    case PLI_WEBSOCKET_DATA: return "not UTF-8";
    case PLI_WEBSOCKET_TOO_BIG: return "message too big";
    default: return "protocol error";
    }
}

static void take_event(pli_connection *connection, pli_websocket_event event)
{
    pli_server *server = connection->server;
    const pli_websocket_reader *reader = connection->reader;
    switch (event) {
    case PLI_WEBSOCKET_MESSAGE:
        server->site.hear(server->user, connection->client, reader->message, reader->message_size);
        break;
    case PLI_WEBSOCKET_PINGED:
        pli_connection_send_frame(connection, PLI_WEBSOCKET_PONG, reader->control,
                                  reader->control_size);
        break;
    case PLI_WEBSOCKET_CLOSED: pli_connection_close_socket(connection, reader->code, ""); break;
    case PLI_WEBSOCKET_FAULT:
        pli_connection_close_socket(connection, reader->code, fault_text(reader->code));
        break;
    case PLI_WEBSOCKET_MORE:
    case PLI_WEBSOCKET_PONGED: break;
    }
}

static void read_frames(pli_connection *connection, const char *bytes, int64_t count)
{
    pli_websocket_reader *reader = connection->reader;
    const uint8_t *at = (const uint8_t *)bytes;
    const uint8_t *end = at + count;
    while (connection->stage == PLI_STAGE_SOCKET && at < end) {
        int64_t before = reader->frame_count;
        pli_websocket_event event = pli_websocket_read(reader, &at, end);
        if (!spend(connection, reader->frame_count - before)) {
            pli_connection_close_socket(connection, PLI_WEBSOCKET_POLICY, "too many messages");
            return;
        }
        take_event(connection, event);
    }
}

// 0, or the status to refuse an upgrade with.
static int32_t check_upgrade(const pli_http_head *head)
{
    const char *version = head->fields[PLI_HTTP_SOCKET_VERSION];
    const char *key = head->fields[PLI_HTTP_SOCKET_KEY];
    if (strcmp(head->method, "GET") != 0) return 405;
    if (head->fields[PLI_HTTP_ORIGIN] == NULL) return 403;
    if (!head->asks_upgrade || !head->asks_sockets) return 426;
    if (version == NULL || strcmp(version, "13") != 0) return 426;
    return key != NULL && pli_websocket_is_key(key) && head->body_size == 0 ? 0 : 400;
}

static void queue_handshake(pli_connection *connection)
{
    char accept[PLI_WEBSOCKET_ACCEPT];
    char text[PLI_HTTP_ANSWER_CAPACITY];
    pli_websocket_accept(connection->head.fields[PLI_HTTP_SOCKET_KEY], accept);
    pli_http_answer answer = {.status = 101, .accept = accept};
    queue_bytes(connection, text, pli_http_answer_head(&answer, text));
}

static void upgrade(pli_connection *connection)
{
    pli_server *server = connection->server;
    int32_t status = check_upgrade(&connection->head);
    if (status == 0) {
        connection->reader = PLI_NEW(server->context, pli_websocket_reader, 1, "socket");
        if (connection->reader == NULL) status = 503;
    }
    if (status != 0) {
        pli_connection_refuse(connection, status);
        return;
    }
    queue_handshake(connection);
    if (connection->stage == PLI_STAGE_DEAD) return;

    pli_websocket_reader_init(connection->reader);
    connection->client = ++server->last_client;
    connection->allowance = PLI_SERVE_MAX_MESSAGES;
    connection->allowed = pli_server_now(server);
    connection->pinged = connection->allowed;
    connection->is_joined = true;
    enter(connection, PLI_STAGE_SOCKET);
    server->site.join(server->user, connection->client);

    // frames that came together with the request
    int64_t rest = connection->input_count - connection->head_size;
    connection->input_count = 0;
    read_frames(connection, connection->input + connection->head_size, rest);
}

// ---- requests ---------------------------------------------------------------------------------

void pli_connection_refuse(pli_connection *connection, int32_t status)
{
    char text[PLI_HTTP_ANSWER_CAPACITY];
    const char *method = connection->head.method;
    bool with_body = method == NULL || strcmp(method, "HEAD") != 0;
    queue_bytes(connection, text, pli_http_answer_refusal(status, with_body, text));
    if (connection->stage == PLI_STAGE_DEAD) return;
    connection->ends = true;
    enter(connection, PLI_STAGE_ANSWER);
}

// Sends what the site has said.
static void queue_response(pli_connection *connection, pli_http_response *response)
{
    char text[PLI_HTTP_ANSWER_CAPACITY];
    char line[64];
    bool has_packet = response->packet != NULL;
    int length =
        snprintf(line, sizeof line, "%d %s\n", response->status, pli_http_reason(response->status));
    pli_http_answer answer = {.status = response->status,
                              .content_type = has_packet ? response->content_type : NULL,
                              .policy = response->policy,
                              .gzip = has_packet && response->gzip,
                              .keeps = connection->head.keeps,
                              .size = has_packet ? pli_packet_size(response->packet) : length};
    int64_t size = pli_http_answer_head(&answer, text);
    bool with_body = strcmp(connection->head.method, "HEAD") != 0;
    if (size == 0) {
        pli_packet_drop(response->packet);
        pli_connection_refuse(connection, 500);
        return;
    }
    queue_bytes(connection, text, size);
    if (with_body && !has_packet) queue_bytes(connection, line, length);
    if (with_body && has_packet) {
        queue_packet(connection, response->packet);
    } else {
        pli_packet_drop(response->packet);
    }
    if (connection->stage == PLI_STAGE_DEAD) return;
    connection->ends = !connection->head.keeps;
    enter(connection, PLI_STAGE_ANSWER);
}

static void respond(pli_connection *connection)
{
    pli_server *server = connection->server;
    const pli_http_head *head = &connection->head;
    pli_http_request request = {.method = head->method,
                                .path = head->path,
                                .query = head->query,
                                .body = connection->input + connection->head_size,
                                .body_size = head->body_size,
                                .authorized = connection->is_authorized};
    pli_http_response response = {.status = 404};
    server->site.respond(server->user, &request, &response);
    if (response.status < 200 || response.status > 599) response.status = 500;
    queue_response(connection, &response);
}

// ---- the door of browsers ---------------------------------------------------------------------

static bool is_opening(const pli_http_head *head)
{
    return strcmp(head->path, "/open") == 0;
}

static void answer_closed_door(pli_connection *connection)
{
    static const char words[] =
        "This address opens the page once, and not for long: it has been used, or is too old.\n"
        "Press Enter in the terminal where pliant runs, and it prints a new one; without a "
        "terminal, "
        "start pliant again.\n";
    pli_packet *packet =
        pli_packet_create_static(connection->server->context, words, (int64_t)sizeof words - 1);
    pli_http_response response = {.status = packet != NULL ? 403 : 500,
                                  .content_type = "text/plain; charset=utf-8",
                                  .packet = packet};
    queue_response(connection, &response);
}

// To the page with what else the query says. Without the code in it, it is fit for histories.
static bool write_target(const char *query, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "/");
    while (*query != '\0') {
        size_t length = strcspn(query, "&");
        bool is_code = strncmp(query, "code=", 5) == 0 || length == 0;
        if (!is_code) {
            int more = snprintf(text + used, capacity - used, "%c%.*s", used == 1 ? '?' : '&',
                                (int)length, query);
            if (more < 0 || (size_t)more >= capacity - used) return false;
            used += (size_t)more;
        }
        query += length;
        query += *query == '&';
    }
    return true;
}

static void send_to_page(pli_connection *connection, const char *cookie)
{
    char target[512];
    char text[PLI_HTTP_ANSWER_CAPACITY];
    if (!write_target(connection->head.query, target, sizeof target)) {
        snprintf(target, sizeof target, "/");
    }
    pli_http_answer answer = {.status = 303,
                              .location = target,
                              .cookie = cookie[0] != '\0' ? cookie : NULL,
                              .keeps = connection->head.keeps};
    int64_t size = pli_http_answer_head(&answer, text);
    if (size == 0) {
        pli_connection_refuse(connection, 500);
        return;
    }
    queue_bytes(connection, text, size);
    if (connection->stage == PLI_STAGE_DEAD) return;
    connection->ends = !connection->head.keeps;
    enter(connection, PLI_STAGE_ANSWER);
}

// Exchanges a code for a session. Whoever asks for the head alone does not mean to open it; whoever
// has a session already, such as by going back, needs no other.
static void open_page(pli_connection *connection)
{
    const pli_http_head *head = &connection->head;
    pli_server *server = connection->server;
    if (strcmp(head->method, "GET") != 0) {
        pli_connection_refuse(connection, 405);
        return;
    }
    char code[PLI_ACCESS_SECRET_CAPACITY + 1];
    char cookie[PLI_ACCESS_COOKIE_CAPACITY] = "";
    pli_http_request request = {.query = head->query};
    bool is_opened =
        pli_http_query(&request, "code", code, sizeof code) &&
        pli_access_open(&server->access, code, pli_server_now(server), &connection->peer, cookie);
    if (is_opened || connection->is_authorized) {
        send_to_page(connection, cookie);
    } else {
        answer_closed_door(connection);
    }
}

// What anyone may have.
static bool is_open(const pli_http_head *head)
{
    bool is_public =
        strcmp(head->path, "/") == 0 || strcmp(head->path, "/favicon.ico") == 0 || is_opening(head);
    return is_public && strcmp(head->method, "POST") != 0;
}

// The request is whole.
static void answer(pli_connection *connection)
{
    const pli_http_head *head = &connection->head;
    const char *socket_path = connection->server->site.socket_path;
    if (socket_path != NULL && strcmp(head->path, socket_path) == 0) {
        upgrade(connection);
    } else if (head->asks_upgrade && head->asks_sockets) {
        pli_connection_refuse(connection, 404);
    } else if (is_opening(head)) {
        open_page(connection);
    } else {
        respond(connection);
    }
}

// Reads a head, once it is whole, and judges who asks, before any byte of the body. 0, or the
// status to refuse with.
static int32_t take_head(pli_connection *connection)
{
    const pli_access *access = &connection->server->access;
    int64_t size =
        pli_http_scan_head(&connection->scan, connection->input, connection->input_count);
    if (size <= 0) return (int32_t)-size;
    int32_t status = pli_http_parse_head(connection->input, size, &connection->head);
    if (status != 0) return status;
    status = pli_access_check(access, &connection->head);
    if (status != 0) return status;
    connection->is_authorized =
        pli_access_is_authorized(access, &connection->head, &connection->peer);
    if (!connection->is_authorized && !is_open(&connection->head)) return 403;
    connection->head_size = size;
    return 0;
}

// Answers the request at the beginning of the input, if it is whole.
static void advance(pli_connection *connection)
{
    if (connection->head_size == 0) {
        int32_t status = take_head(connection);
        if (status != 0) {
            pli_connection_refuse(connection, status);
            return;
        }
    }
    int64_t size = connection->head_size + connection->head.body_size;
    if (connection->head_size > 0 && connection->input_count >= size) answer(connection);
}

// Forgets the request that was answered; what follows it is the next.
static void begin_request(pli_connection *connection)
{
    int64_t size = connection->head_size + connection->head.body_size;
    connection->input_count -= size;
    memmove(connection->input, connection->input + size, (size_t)connection->input_count);
    connection->scan = (pli_http_scan){0};
    connection->head = (pli_http_head){0};
    connection->head_size = 0;
    enter(connection, PLI_STAGE_REQUEST);
    if (connection->input_count > 0) advance(connection);
}

// ---- what a turn calls ------------------------------------------------------------------------

static void end_answer(pli_connection *connection)
{
    if (!connection->ends) {
        begin_request(connection);
        return;
    }
    // a client that still sends would not get to read the answer if this simply closed
    (void)shutdown(connection->descriptor, SHUT_WR);
    enter(connection, PLI_STAGE_DRAIN);
}

// False: the site has no packet for this client now.
static bool pull_packet(pli_connection *connection)
{
    pli_server *server = connection->server;
    pli_packet *packet = server->site.next(server->user, connection->client);
    if (packet == NULL) return false;
    uint8_t head[PLI_WEBSOCKET_HEAD];
    int32_t size = pli_websocket_head(PLI_WEBSOCKET_BINARY, pli_packet_size(packet), head);
    queue_bytes(connection, head, size);
    queue_packet(connection, packet);
    return connection->stage == PLI_STAGE_SOCKET;
}

void pli_connection_pump(pli_connection *connection)
{
    for (int round = 0; round < PUMP_ROUNDS; ++round) {
        if (connection->stage == PLI_STAGE_DEAD || !flush(connection)) return;
        if (connection->stage == PLI_STAGE_ANSWER) {
            end_answer(connection);
        } else if (connection->stage != PLI_STAGE_SOCKET || !pull_packet(connection)) {
            return;
        }
    }
}

static void take_input(pli_connection *connection, int64_t count)
{
    double now = pli_server_now(connection->server);
    connection->heard = now;
    switch (connection->stage) {
    case PLI_STAGE_REQUEST:
        if (connection->input_count == 0) connection->since = now;
        connection->input_count += count;
        advance(connection);
        break;
    case PLI_STAGE_SOCKET: read_frames(connection, connection->input, count); break;
    default: break;
    }
}

// Room for what comes; what is read while draining is thrown away.
static bool make_input(pli_connection *connection)
{
    if (connection->input != NULL) return true;
    connection->input =
        PLI_NEW(connection->server->context, char, PLI_CONNECTION_INPUT, "bytes of a client");
    return connection->input != NULL;
}

void pli_connection_read(pli_connection *connection)
{
    if (!pli_connection_reads(connection)) return;
    if (!make_input(connection)) {
        connection->stage = PLI_STAGE_DEAD;
        return;
    }
    // a request is always answered or refused before the input is full
    int64_t begin = connection->stage == PLI_STAGE_REQUEST ? connection->input_count : 0;
    ssize_t got = recv(connection->descriptor, connection->input + begin,
                       (size_t)(PLI_CONNECTION_INPUT - begin), 0);
    bool goes_on = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    if (got > 0) {
        take_input(connection, got);
    } else if (!goes_on) {
        connection->stage = PLI_STAGE_DEAD;
    }
}

// A socket that says nothing is asked; one that does not answer is gone.
static void check_silence(pli_connection *connection, double now)
{
    double silence = now - connection->heard;
    if (silence > PLI_SERVE_PING_SECONDS + PLI_SERVE_STALL_SECONDS) {
        connection->stage = PLI_STAGE_DEAD;
    } else if (silence > PLI_SERVE_PING_SECONDS &&
               now - connection->pinged > PLI_SERVE_PING_SECONDS) {
        connection->pinged = now;
        pli_connection_send_frame(connection, PLI_WEBSOCKET_PING, "", 0);
    }
}

void pli_connection_check_times(pli_connection *connection)
{
    double now = pli_server_now(connection->server);
    double elapsed = now - connection->since;
    bool is_stalled = pli_connection_waits_to_send(connection) &&
                      now - connection->moved > PLI_SERVE_STALL_SECONDS;
    switch (connection->stage) {
    case PLI_STAGE_REQUEST:
        if (connection->input_count > 0) {
            if (elapsed > PLI_SERVE_HEAD_SECONDS) pli_connection_refuse(connection, 408);
        } else if (elapsed > PLI_SERVE_IDLE_SECONDS) {
            connection->stage = PLI_STAGE_DEAD;
        }
        break;
    case PLI_STAGE_SOCKET: check_silence(connection, now); break;
    case PLI_STAGE_DRAIN:
        if (elapsed > PLI_CONNECTION_DRAIN_SECONDS) connection->stage = PLI_STAGE_DEAD;
        break;
    default: break;
    }
    if (is_stalled) connection->stage = PLI_STAGE_DEAD;
}
