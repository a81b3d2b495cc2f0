// SPDX-License-Identifier: Apache-2.0
#include "serve/connection.h"

#include "base/memory.h"
#include "serve/http_answer.h"
#include "serve/server_inside.h"

#include <fcntl.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SEND_BYTES = 1 << 20, // that go out to one client before others have their turn
    NOTHING = -1,         // is under way
    BIGGEST_CLOSE_CODE = 4999
};

_Static_assert(PLI_SERVE_PIECE_CAPACITY >= LWS_PRE + (int)PLI_CONNECTION_PIECE, "pieces have room");
_Static_assert((int)PLI_CONNECTION_PIECE >= (int)PLI_HTTP_ANSWER_CAPACITY,
               "heads of answers fit a piece");

// ---- beginning and end ------------------------------------------------------------------------

pli_connection *pli_connection_create(pli_server *server, int descriptor, pli_stage stage)
{
    pli_connection *connection = PLI_NEW(server->context, pli_connection, 1, "connection");
    if (connection == NULL || server->connection_count == PLI_SERVE_CONNECTIONS) {
        pli_release(server->context, connection);
        close(descriptor);
        return NULL;
    }
    double now = pli_server_now(server);
    connection->server = server;
    connection->peer = pli_peer_of(descriptor);
    connection->stage = stage;
    connection->since = now;
    connection->moved = now;
    connection->left = NOTHING;
    pli_byte_queue_init(&connection->texts, server->context);
    server->connections[server->connection_count++] = connection;

    // when it fails, the library has closed the descriptor, and perhaps forgotten the connection
    bool is_http = stage == PLI_STAGE_REQUEST;
    lws_adopt_desc_t offer = {.vh = server->vhost,
                              .type = LWS_ADOPT_SOCKET | (is_http ? LWS_ADOPT_HTTP : 0),
                              .fd.sockfd = descriptor,
                              .opaque = connection};
    if (lws_adopt_descriptor_vhost_via_info(&offer) != NULL) return connection;
    if (pli_server_knows(server, connection)) pli_connection_destroy(connection);
    return NULL;
}

void pli_connection_destroy(pli_connection *connection)
{
    pli_server *server = connection->server;
    pli_connection_leave(connection);
    pli_server_forget(server, connection);
    pli_packet_drop(connection->packet);
    pli_byte_queue_clear(&connection->texts);
    pli_release(server->context, connection->input);
    pli_release(server->context, connection);
}

static void enter(pli_connection *connection, pli_stage stage)
{
    connection->stage = stage;
    connection->since = pli_server_now(connection->server);
    connection->has_begun = false;
}

// Closes at the next turn, whatever is due.
static void kill_connection(pli_connection *connection)
{
    connection->is_dead = true;
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

static bool make_input(pli_connection *connection, int64_t capacity)
{
    pli_context *context = connection->server->context;
    pli_release(context, connection->input);
    connection->input = PLI_NEW(context, char, capacity + 1, "bytes of a client");
    connection->input_capacity = capacity;
    connection->input_count = 0;
    return connection->input != NULL;
}

static bool append_input(pli_connection *connection, const void *bytes, size_t count)
{
    bool fits = connection->input != NULL &&
                (int64_t)count <= connection->input_capacity - connection->input_count;
    if (!fits) return false;
    if (count > 0) memcpy(connection->input + connection->input_count, bytes, count);
    connection->input_count += (int64_t)count;
    connection->input[connection->input_count] = '\0';
    return true;
}

// ---- out --------------------------------------------------------------------------------------

static bool waits_to_send(const pli_connection *connection)
{
    return connection->left != NOTHING || connection->texts.count > 0 ||
           lws_partial_buffered(connection->wsi) != 0;
}

static void want_to_send(pli_connection *connection)
{
    (void)lws_callback_on_writable(connection->wsi);
}

// Gives the library bytes; false: the connection is broken.
static bool give(pli_connection *connection, const void *bytes, size_t count, int kind)
{
    uint8_t *piece = connection->server->piece + LWS_PRE;
    if (count > 0) memcpy(piece, bytes, count);
    return lws_write(connection->wsi, piece, count, (enum lws_write_protocol)kind) >= 0;
}

static void begin_packet(pli_connection *connection, pli_packet *packet, int kind)
{
    if (!waits_to_send(connection)) connection->moved = pli_server_now(connection->server);
    connection->packet = packet;
    connection->left = pli_packet_size(packet);
    connection->kind = kind;
}

// Takes the next text of the queue; false: there is none.
static bool begin_text(pli_connection *connection)
{
    int64_t size = 0;
    if (connection->texts.count == 0) return false;
    memcpy(&size, pli_byte_queue_front(&connection->texts), sizeof size);
    pli_byte_queue_take(&connection->texts, sizeof size);
    connection->left = size;
    connection->kind = LWS_WRITE_TEXT;
    return true;
}

// Sends a piece of what is under way. Messages of several pieces are several frames.
static bool send_piece(pli_connection *connection)
{
    pli_packet *packet = connection->packet;
    bool is_last = connection->left <= PLI_CONNECTION_PIECE;
    int64_t count = is_last ? connection->left : PLI_CONNECTION_PIECE;
    const uint8_t *bytes =
        packet != NULL ? pli_packet_bytes(packet) + pli_packet_size(packet) - connection->left
                       : pli_byte_queue_front(&connection->texts);
    bool in_frames = connection->kind != LWS_WRITE_HTTP;
    int kind = connection->kind | (in_frames && !is_last ? LWS_WRITE_NO_FIN : 0);
    if (!give(connection, bytes, (size_t)count, kind)) return false;
    if (packet == NULL) pli_byte_queue_take(&connection->texts, count);
    if (in_frames) connection->kind = LWS_WRITE_CONTINUATION;
    connection->left -= count;
    if (is_last) {
        pli_packet_drop(packet);
        connection->packet = NULL;
        connection->left = NOTHING;
    }
    return true;
}

// Something is under way, or is now; false: nothing is due.
static bool begin_next(pli_connection *connection)
{
    if (connection->left != NOTHING || begin_text(connection)) return true;
    if (connection->stage != PLI_STAGE_SOCKET) return false;
    pli_server *server = connection->server;
    pli_packet *packet = server->site.next(server->user, connection->client);
    if (packet == NULL) return false;
    begin_packet(connection, packet, LWS_WRITE_BINARY);
    return true;
}

// Sends as much as the client takes now, or as is fair to others. False: the connection is broken.
static bool send_pieces(pli_connection *connection)
{
    int64_t allowance = SEND_BYTES;
    while (allowance > 0 && begin_next(connection)) {
        if (lws_send_pipe_choked(connection->wsi)) break;
        if (!send_piece(connection)) return false;
        allowance -= PLI_CONNECTION_PIECE;
    }
    if (waits_to_send(connection)) want_to_send(connection);
    return true;
}

void pli_connection_send(pli_connection *connection, const char *text, int64_t size)
{
    if (connection->stage != PLI_STAGE_SOCKET || connection->is_dead) return;
    if (!waits_to_send(connection)) connection->moved = pli_server_now(connection->server);
    pli_byte_queue *texts = &connection->texts;
    bool fits = size >= 0 && size < PLI_SERVE_MAX_QUEUE &&
                pli_byte_queue_append(texts, &size, sizeof size, PLI_SERVE_MAX_QUEUE - size) &&
                pli_byte_queue_append(texts, text, size, PLI_SERVE_MAX_QUEUE);
    if (fits) {
        want_to_send(connection);
    } else {
        kill_connection(connection);
    }
}

void pli_connection_pump(pli_connection *connection)
{
    bool is_idle = connection->stage == PLI_STAGE_SOCKET && !connection->is_dead &&
                   connection->close_code == 0 && !waits_to_send(connection);
    if (is_idle && begin_next(connection)) want_to_send(connection);
}

// ---- refusals ---------------------------------------------------------------------------------

// Keeps the line open over the library's end, which would take back what was said to a client that
// still sends.
static void drain(pli_connection *connection)
{
    int copy = fcntl(lws_get_socket_fd(connection->wsi), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return;
    (void)shutdown(copy, SHUT_WR);
    pli_server_drain(connection->server, copy);
}

// Answers with a status, and ends. Returns -1.
static int refuse(pli_connection *connection, int32_t status, const char *method)
{
    char text[PLI_HTTP_ANSWER_CAPACITY];
    bool with_body = method == NULL || strcmp(method, "HEAD") != 0;
    int64_t size = pli_http_answer_refusal(status, with_body, text);
    if (give(connection, text, (size_t)size, LWS_WRITE_HTTP_HEADERS)) drain(connection);
    return -1;
}

// ---- answers ----------------------------------------------------------------------------------

// Begins an answer with a body; of HEAD, the head alone. Takes over the packet, NULL: an empty one.
static int begin_answer(pli_connection *connection, const pli_http_head *head,
                        pli_http_answer *answer, pli_packet *packet)
{
    char text[PLI_HTTP_ANSWER_CAPACITY];
    answer->keeps = head->keeps;
    answer->size = packet != NULL ? pli_packet_size(packet) : 0;
    int64_t size = pli_http_answer_head(answer, text);
    bool has_body = answer->size > 0 && strcmp(head->method, "HEAD") != 0;
    if (!has_body || size == 0) {
        pli_packet_drop(packet);
        packet = NULL;
    }
    if (size == 0) return refuse(connection, 500, head->method);
    if (!give(connection, text, (size_t)size, LWS_WRITE_HTTP_HEADERS)) {
        pli_packet_drop(packet);
        return -1;
    }
    if (packet != NULL) begin_packet(connection, packet, LWS_WRITE_HTTP);
    connection->ends = !head->keeps;
    connection->moved = pli_server_now(connection->server);
    enter(connection, PLI_STAGE_ANSWER);
    want_to_send(connection);
    return 0;
}

// "404 Not Found", where a site says no more.
static pli_packet *make_line(pli_context *context, int32_t status)
{
    char line[64];
    int size = snprintf(line, sizeof line, "%d %s\n", status, pli_http_reason(status));
    pli_packet *packet = pli_packet_create(context, size);
    if (packet != NULL) memcpy(pli_packet_bytes(packet), line, (size_t)size);
    return packet;
}

// Sends what the site has said.
static int send_response(pli_connection *connection, const pli_http_head *head,
                         const pli_http_response *response)
{
    bool has_packet = response->packet != NULL;
    pli_http_answer answer = {.status = response->status,
                              .content_type = has_packet ? response->content_type : NULL,
                              .policy = response->policy,
                              .gzip = has_packet && response->gzip};
    pli_packet *packet =
        has_packet ? response->packet : make_line(connection->server->context, response->status);
    return begin_answer(connection, head, &answer, packet);
}

static int respond(pli_connection *connection, const pli_http_head *head, bool is_authorized)
{
    pli_server *server = connection->server;
    pli_http_request request = {.method = head->method,
                                .path = head->path,
                                .query = head->query,
                                .body = connection->input != NULL ? connection->input : "",
                                .body_size = connection->input_count,
                                .authorized = is_authorized};
    pli_http_response response = {.status = 404};
    server->site.respond(server->user, &request, &response);
    if (response.status < 200 || response.status > 599) response.status = 500;
    return send_response(connection, head, &response);
}

// Whether the library keeps bytes that came behind the request. It would take them for the body of
// a request among them, again and again; browsers wait for answers before they ask again.
static bool has_leftovers(const pli_connection *connection)
{
    return lws_service_adjust_timeout(connection->server->library, 1, 0) == 0;
}

// Everything is out.
static int end_answer(pli_connection *connection)
{
    if (connection->ends || has_leftovers(connection)) {
        drain(connection);
        return -1;
    }
    pli_release(connection->server->context, connection->input);
    connection->input = NULL;
    connection->input_count = 0;
    enter(connection, PLI_STAGE_REQUEST);
    return lws_http_transaction_completed(connection->wsi) != 0 ? -1 : 0;
}

// ---- the door of browsers ---------------------------------------------------------------------

static bool is_opening(const pli_http_head *head)
{
    return strcmp(head->path, "/open") == 0;
}

static int answer_closed_door(pli_connection *connection, const pli_http_head *head)
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
    return send_response(connection, head, &response);
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

static int send_to_page(pli_connection *connection, const pli_http_head *head, const char *cookie)
{
    char target[512];
    if (!write_target(head->query, target, sizeof target)) snprintf(target, sizeof target, "/");
    pli_http_answer answer = {
        .status = 303, .location = target, .cookie = cookie[0] != '\0' ? cookie : NULL};
    return begin_answer(connection, head, &answer, NULL);
}

// Exchanges a code for a session. Whoever asks for the head alone does not mean to open it; whoever
// has a session already, such as by going back, needs no other.
static int open_page(pli_connection *connection, const pli_http_head *head, bool is_authorized)
{
    pli_server *server = connection->server;
    if (strcmp(head->method, "GET") != 0) return refuse(connection, 405, head->method);
    char code[PLI_ACCESS_SECRET_CAPACITY + 1];
    char cookie[PLI_ACCESS_COOKIE_CAPACITY] = "";
    pli_http_request request = {.query = head->query};
    bool is_opened =
        pli_http_query(&request, "code", code, sizeof code) &&
        pli_access_open(&server->access, code, pli_server_now(server), &connection->peer, cookie);
    return is_opened || is_authorized ? send_to_page(connection, head, cookie)
                                      : answer_closed_door(connection, head);
}

// ---- requests ---------------------------------------------------------------------------------

// What anyone may have.
static bool is_open(const pli_http_head *head)
{
    bool is_public =
        strcmp(head->path, "/") == 0 || strcmp(head->path, "/favicon.ico") == 0 || is_opening(head);
    return is_public && strcmp(head->method, "POST") != 0;
}

// Reads a head and judges who asks. 0, or the status to refuse with.
static int32_t read_head(pli_connection *connection, pli_http_head *head, bool *is_authorized)
{
    pli_server *server = connection->server;
    const pli_access *access = &server->access;
    *is_authorized = false;
    int32_t status = pli_http_read_head(connection->wsi, &server->room, head);
    if (status == 0) status = pli_access_check(access, head);
    if (status != 0) return status;
    *is_authorized = pli_access_is_authorized(access, head, &connection->peer);
    return *is_authorized || is_open(head) ? 0 : 403;
}

static bool is_socket_path(const pli_connection *connection, const pli_http_head *head)
{
    const char *path = connection->server->site.socket_path;
    return path != NULL && strcmp(head->path, path) == 0;
}

// The request is whole, and is not one for a socket.
static int answer(pli_connection *connection, const pli_http_head *head, bool is_authorized)
{
    if (is_socket_path(connection, head)) {
        return refuse(connection, pli_http_check_upgrade(connection->wsi, head), head->method);
    }
    return is_opening(head) ? open_page(connection, head, is_authorized)
                            : respond(connection, head, is_authorized);
}

int pli_connection_hear_request(pli_connection *connection)
{
    pli_http_head head;
    bool is_authorized = false;
    int32_t status = read_head(connection, &head, &is_authorized);
    if (status != 0) return refuse(connection, status, head.method);
    if (strcmp(head.method, "POST") != 0) return answer(connection, &head, is_authorized);
    if (!make_input(connection, head.body_size)) return refuse(connection, 503, head.method);
    enter(connection, PLI_STAGE_REQUEST);
    connection->has_begun = true;
    return 0;
}

int pli_connection_hear_body(pli_connection *connection, const void *bytes, size_t count)
{
    return append_input(connection, bytes, count) ? 0 : -1;
}

int pli_connection_hear_end_of_body(pli_connection *connection)
{
    pli_http_head head;
    bool is_authorized = false;
    int32_t status = read_head(connection, &head, &is_authorized);
    if (status != 0) return refuse(connection, status, head.method);
    return answer(connection, &head, is_authorized);
}

// ---- sockets ----------------------------------------------------------------------------------

// An upgrade to something else than a socket is refused here too: the library knows others.
int pli_connection_hear_upgrade(pli_connection *connection)
{
    pli_http_head head;
    bool is_authorized = false;
    // the library has answered by itself and has forgotten the head
    if (lws_hdr_total_length(connection->wsi, WSI_TOKEN_UPGRADE) == 0) return -1;
    int32_t status = read_head(connection, &head, &is_authorized);
    if (status == 0 && !is_socket_path(connection, &head)) status = 404;
    if (status == 0) status = pli_http_check_upgrade(connection->wsi, &head);
    if (status == 0 && !make_input(connection, PLI_SERVE_MAX_MESSAGE)) status = 503;
    return status != 0 ? refuse(connection, status, head.method) : 0;
}

void pli_connection_join(pli_connection *connection)
{
    pli_server *server = connection->server;
    enter(connection, PLI_STAGE_SOCKET);
    connection->client = ++server->last_client;
    connection->allowance = PLI_SERVE_MAX_MESSAGES;
    connection->allowed = connection->since;
    connection->heard = connection->since;
    connection->pinged = connection->since;
    connection->is_joined = true;
    server->site.join(server->user, connection->client);
}

void pli_connection_leave(pli_connection *connection)
{
    pli_server *server = connection->server;
    connection->is_dead = true;
    if (!connection->is_joined || server->is_ending) return;
    connection->is_joined = false;
    drain(connection);
    server->site.leave(server->user, connection->client);
}

// Says why, and ends. Returns -1.
static int close_socket(pli_connection *connection, int code, const char *words)
{
    char copy[64];
    int length = snprintf(copy, sizeof copy, "%s", words);
    lws_close_reason(connection->wsi, (enum lws_close_status)code, (unsigned char *)copy,
                     (size_t)length);
    return -1;
}

// Closes when that can be sent, and hears nothing more: at once, the library would read on behind
// what it was reading, in the middle of a frame, and then forget to say why. Returns 0.
static int begin_close(pli_connection *connection, int code, const char *words)
{
    connection->close_code = code;
    connection->close_words = words;
    want_to_send(connection);
    return 0;
}

// Takes a frame from what a client may send; false: it sends too many.
static bool spend(pli_connection *connection)
{
    double now = pli_server_now(connection->server);
    double most = PLI_SERVE_MAX_MESSAGES;
    connection->allowance += most * (now - connection->allowed);
    if (connection->allowance > most) connection->allowance = most;
    connection->allowed = now;
    connection->allowance -= 1;
    return connection->allowance >= 0;
}

int pli_connection_hear_message(pli_connection *connection, const void *bytes, size_t count)
{
    struct lws *wsi = connection->wsi;
    pli_server *server = connection->server;
    size_t rest = lws_remaining_packet_payload(wsi);
    bool is_new_frame = !connection->in_frame;
    connection->in_frame = rest > 0;
    connection->heard = pli_server_now(server);
    if (connection->is_dead || connection->close_code != 0) return 0;
    if (is_new_frame && !spend(connection)) {
        return begin_close(connection, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages");
    }
    if (lws_frame_is_binary(wsi)) {
        return begin_close(connection, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "text messages only");
    }
    // what is announced counts, before it comes
    bool fits = rest <= PLI_SERVE_MAX_MESSAGE && append_input(connection, bytes, count) &&
                (int64_t)rest <= connection->input_capacity - connection->input_count;
    if (!fits) {
        return begin_close(connection, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "message too big");
    }
    if (!lws_is_final_fragment(wsi)) return 0;
    int64_t size = connection->input_count;
    connection->input_count = 0;
    server->site.hear(server->user, connection->client, connection->input, size);
    return 0;
}

// The library answers with the same code; here are the codes that it does not know to be wrong.
int pli_connection_hear_close(pli_connection *connection, const uint8_t *bytes, size_t count)
{
    bool is_wrong = count == 1 || (count >= 2 && (bytes[0] << 8 | bytes[1]) > BIGGEST_CLOSE_CODE);
    if (!is_wrong) return 0;
    return close_socket(connection, LWS_CLOSE_STATUS_PROTOCOL_ERR, "protocol error");
}

void pli_connection_say_goodbye(pli_connection *connection)
{
    if (connection->stage != PLI_STAGE_SOCKET || connection->is_dead) return;
    bool goes_on = true;
    while (goes_on && (connection->left != NOTHING || begin_text(connection))) {
        goes_on = !lws_send_pipe_choked(connection->wsi) && send_piece(connection);
    }
    (void)close_socket(connection, LWS_CLOSE_STATUS_GOINGAWAY, "the server ends");
    lws_set_timeout(connection->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

// ---- what the library and a turn call ---------------------------------------------------------

int pli_connection_write(pli_connection *connection)
{
    connection->moved = pli_server_now(connection->server);
    if (connection->is_dead || connection->stage == PLI_STAGE_REQUEST) return 0;
    if (connection->close_code != 0) {
        return close_socket(connection, connection->close_code, connection->close_words);
    }
    if (connection->asks) {
        // some content, or the library would not tell of the answer
        connection->asks = false;
        want_to_send(connection);
        return give(connection, "?", 1, LWS_WRITE_PING) ? 0 : -1;
    }
    if (!send_pieces(connection)) return -1;
    bool is_out = connection->stage == PLI_STAGE_ANSWER && !waits_to_send(connection);
    return is_out ? end_answer(connection) : 0;
}

// A socket that says nothing is asked; one that does not answer is gone.
static void check_silence(pli_connection *connection, double now)
{
    double silence = now - connection->heard;
    if (silence > PLI_SERVE_PING_SECONDS + PLI_SERVE_STALL_SECONDS) {
        kill_connection(connection);
    } else if (silence > PLI_SERVE_PING_SECONDS &&
               now - connection->pinged > PLI_SERVE_PING_SECONDS) {
        connection->pinged = now;
        connection->asks = true;
        if (!waits_to_send(connection)) connection->moved = now;
        want_to_send(connection);
    }
}

static void check_request(pli_connection *connection, double now)
{
    if (!connection->has_begun && pli_http_has_begun(connection->wsi)) {
        connection->has_begun = true;
        connection->since = now;
    }
    double elapsed = now - connection->since;
    if (connection->has_begun && elapsed > PLI_SERVE_HEAD_SECONDS) {
        (void)refuse(connection, 408, NULL);
        kill_connection(connection);
    } else if (!connection->has_begun && elapsed > PLI_SERVE_IDLE_SECONDS) {
        kill_connection(connection);
    }
}

void pli_connection_check_times(pli_connection *connection)
{
    double now = pli_server_now(connection->server);
    if (connection->is_dead) {
        kill_connection(connection);
        return;
    }
    switch (connection->stage) {
    case PLI_STAGE_REQUEST: check_request(connection, now); break;
    case PLI_STAGE_SOCKET: check_silence(connection, now); break;
    case PLI_STAGE_DRAIN:
        if (now - connection->since > PLI_CONNECTION_DRAIN_SECONDS) kill_connection(connection);
        break;
    case PLI_STAGE_ANSWER: break;
    }
    bool is_stalled =
        waits_to_send(connection) && now - connection->moved > PLI_SERVE_STALL_SECONDS;
    if (is_stalled) kill_connection(connection);
}
