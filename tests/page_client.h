// SPDX-License-Identifier: Apache-2.0
//
// The server, a site and a small client in one thread: the client sends, the server has turns until
// the client has what it waits for. Time-outs are tested by letting the server's clock skip.
#ifndef PLI_TESTS_PAGE_CLIENT_H
#define PLI_TESTS_PAGE_CLIENT_H

#include "near.h"

#include "base/timers.h"
#include "serve/server_inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef"

enum {
    PATIENCE = 60,         // seconds until a test that waits fails
    BIG_PACKET = 16 << 20, // more than the buffers of a connection hold
    INBOX = 2 * BIG_PACKET
};

// ---- the site ---------------------------------------------------------------------------------

typedef struct site {
    pli_context *context;
    pli_server *server;
    int32_t joins;
    int32_t leaves;
    int32_t messages;
    int64_t last_client;
    char last_text[256];
    char last_body[256];
    int32_t packets_left; // that next gives
    int64_t packet_size;
    int32_t asked; // calls of next
    bool says_hello;
    bool echoes;
} site;

static inline void site_respond(void *user, const pli_http_request *request,
                                pli_http_response *response)
{
    site *it = user;
    snprintf(it->last_body, sizeof it->last_body, "%.*s", (int)request->body_size, request->body);
    if (strcmp(request->path, "/") == 0) {
        static const char page[] = "<p>page</p>";
        response->packet = pli_packet_create_static(it->context, page, sizeof page - 1);
        response->status = response->packet != NULL ? 200 : 500;
        response->content_type = "text/html";
        response->policy = "default-src 'self'";
        response->gzip = strcmp(request->query, "gzip") == 0;
    } else if (strcmp(request->path, "/big") == 0) {
        response->packet = pli_packet_create(it->context, BIG_PACKET);
        response->status = response->packet != NULL ? 200 : 500;
        response->content_type = "application/octet-stream";
    } else if (strcmp(request->path, "/nonsense") == 0) {
        response->status = 7;
    } else if (strcmp(request->path, "/keep") == 0) {
        response->status = request->authorized ? 204 : 403;
    }
}

static inline void site_join(void *user, int64_t client)
{
    site *it = user;
    ++it->joins;
    it->last_client = client;
    if (it->says_hello) pli_server_send(it->server, client, "hello", 5);
}

static inline void site_hear(void *user, int64_t client, const char *text, int64_t size)
{
    site *it = user;
    ++it->messages;
    assert_int_equal(strlen(text), size);
    snprintf(it->last_text, sizeof it->last_text, "%s", text);
    if (it->echoes) pli_server_send(it->server, client, text, size);
}

static inline void site_leave(void *user, int64_t client)
{
    site *it = user;
    ++it->leaves;
    // of no effect: it is not there any more
    pli_server_send(it->server, client, "too late", 8);
}

static inline pli_packet *site_next(void *user, int64_t client)
{
    site *it = user;
    (void)client;
    ++it->asked;
    if (it->packets_left == 0) return NULL;
    pli_packet *packet = pli_packet_create(it->context, it->packet_size);
    if (packet == NULL) return NULL;
    memset(pli_packet_bytes(packet), it->packets_left, (size_t)it->packet_size);
    --it->packets_left;
    return packet;
}

static const pli_site_ops site_ops = {.respond = site_respond,
                                      .socket_path = "/socket",
                                      .join = site_join,
                                      .hear = site_hear,
                                      .leave = site_leave,
                                      .next = site_next};

static inline int make_site_with(void **state, const pli_site_ops *ops)
{
    site *it = calloc(1, sizeof *it);
    it->context = make_context(1);
    it->echoes = true;
    pli_server_options options = {.host = "127.0.0.1", .token = TOKEN};
    OK(it->context, pli_server_create(it->context, &options, ops, it, &it->server));
    *state = it;
    return 0;
}

static inline int make_site(void **state)
{
    return make_site_with(state, &site_ops);
}

static inline int make_site_without_sockets(void **state)
{
    static const pli_site_ops ops = {.respond = site_respond};
    return make_site_with(state, &ops);
}

static inline int free_site(void **state)
{
    site *it = *state;
    pli_server_destroy(it->server);
    pli_context_destroy(it->context);
    free(it);
    return 0;
}

// ---- the client -------------------------------------------------------------------------------

typedef struct client {
    site *it;
    int descriptor;
    char *bytes; // [INBOX] what came and was not taken, with a zero byte
    int64_t count;
    bool is_over; // the server has closed its side
} client;

static inline client *dial(site *it)
{
    client *made = calloc(1, sizeof *made);
    made->it = it;
    made->bytes = calloc(1, INBOX + 1);
    made->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)pli_server_port(it->server)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(connect(made->descriptor, (struct sockaddr *)&place, sizeof place), 0);
    return made;
}

static inline void hang_up(client *made)
{
    close(made->descriptor);
    free(made->bytes);
    free(made);
}

static inline void turn(site *it)
{
    OK(it->context, pli_server_turn(it->server, 2));
}

static inline void turns(site *it, int count)
{
    for (int i = 0; i < count; ++i) turn(it);
}

// Sends all bytes, and gives the server turns while it does not take them.
static inline void say_bytes(client *made, const void *bytes, int64_t count)
{
    const char *at = bytes;
    double begin = pli_clock_seconds();
    while (count > 0) {
        ssize_t sent = send(made->descriptor, at, (size_t)count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            at += sent;
            count -= sent;
        } else if (errno != EAGAIN) {
            return; // refused already
        }
        turn(made->it);
        AT_MOST(pli_clock_seconds() - begin, PATIENCE);
    }
}

static inline void say(client *made, const char *text)
{
    say_bytes(made, text, (int64_t)strlen(text));
}

// Takes what there is now.
static inline void listen_once(client *made)
{
    ssize_t got = 1;
    while (got > 0 && made->count < INBOX) {
        got = recv(made->descriptor, made->bytes + made->count, (size_t)(INBOX - made->count),
                   MSG_DONTWAIT);
        if (got > 0) made->count += got;
    }
    made->bytes[made->count] = '\0';
    if (got == 0 || (got < 0 && errno != EAGAIN)) made->is_over = true;
}

// Waits until so many bytes are there, or the server has closed.
static inline void listen_for(client *made, int64_t count)
{
    double begin = pli_clock_seconds();
    while (made->count < count && !made->is_over) {
        turn(made->it);
        listen_once(made);
        AT_MOST(pli_clock_seconds() - begin, PATIENCE);
    }
}

static inline void listen_to_the_end(client *made)
{
    listen_for(made, INBOX);
    assert_true(made->is_over);
}

static inline void forget(client *made, int64_t count)
{
    assert_true(count <= made->count);
    memmove(made->bytes, made->bytes + count, (size_t)(made->count - count) + 1);
    made->count -= count;
}

// Waits for the head of an answer; its status. The body stays in the inbox.
static inline int32_t hear_head(client *made, int64_t *body_size, bool *ends)
{
    const char *end = NULL;
    while (!made->is_over && (end = strstr(made->bytes, "\r\n\r\n")) == NULL) {
        listen_for(made, made->count + 1);
    }
    if (end == NULL) end = strstr(made->bytes, "\r\n\r\n");
    if (end == NULL) return -1;
    char head[4096];
    snprintf(head, sizeof head, "%.*s", (int)(end + 4 - made->bytes), made->bytes);
    forget(made, end + 4 - made->bytes);
    assert_non_null(strstr(head, "X-Frame-Options: DENY\r\n"));
    assert_non_null(strstr(head, "Content-Security-Policy: "));
    const char *length = strcasestr(head, "content-length: ");
    *body_size = length != NULL ? atoll(length + 16) : 0;
    *ends = strcasestr(head, "connection: close\r\n") != NULL;
    return atoi(head + 9);
}

// Waits for an answer and forgets it; its status, -1: the server has closed.
static inline int32_t hear_answer(client *made)
{
    int64_t size = 0;
    bool ends = false;
    int32_t status = hear_head(made, &size, &ends);
    if (status > 0) {
        listen_for(made, size);
        forget(made, size);
    }
    return status;
}

#define HOST "Host: 127.0.0.1:%d\r\n"
#define BEARER "Authorization: Bearer " TOKEN "\r\n"

// Sends a text with the server's port at each %d.
static inline void ask(client *made, const char *format)
{
    char text[4096];
    int port = pli_server_port(made->it->server);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, format, port, port, port, port);
#pragma GCC diagnostic pop
    say(made, text);
}

// The status of the answer on a connection of its own, which must close if it refuses.
static inline int32_t status_of(site *it, const char *format)
{
    client *made = dial(it);
    ask(made, format);
    int64_t size = 0;
    bool ends = false;
    int32_t status = hear_head(made, &size, &ends);
    if (ends) {
        listen_to_the_end(made);
        assert_int_equal(made->count, size);
    }
    hang_up(made);
    return status;
}

#define UPGRADE                                       \
    "Connection: Upgrade\r\nUpgrade: websocket\r\n"   \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" \
    "Sec-WebSocket-Version: 13\r\n"
#define ORIGIN "Origin: http://127.0.0.1:%d\r\n"
#define SOCKET "GET /socket HTTP/1.1\r\n" HOST BEARER ORIGIN UPGRADE "\r\n"

static inline client *open_socket(site *it)
{
    client *made = dial(it);
    ask(made, SOCKET);
    assert_int_equal(hear_answer(made), 101);
    return made;
}

enum {
    OP_MORE = 0,
    OP_TEXT = 1,
    OP_BINARY = 2,
    OP_CLOSE = 8,
    OP_PING = 9,
    OP_PONG = 10,
    FIN = 0x80
};

// Writes the head of a client's frame, with a mask of zeros; returns its length.
static inline int64_t write_frame_head(int first, int64_t size, uint8_t head[14])
{
    int extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
    memset(head, 0, 14);
    head[0] = (uint8_t)first;
    head[1] = (uint8_t)(0x80 | (extra == 0 ? size : extra == 2 ? 126 : 127));
    for (int i = 0; i < extra; ++i) head[2 + i] = (uint8_t)(size >> 8 * (extra - 1 - i));
    return 2 + extra + 4;
}

static inline void say_frame(client *made, int first, const void *content, int64_t size)
{
    uint8_t head[14];
    say_bytes(made, head, write_frame_head(first, size, head));
    say_bytes(made, content, size);
}

static inline void say_text(client *made, const char *text)
{
    say_frame(made, 0x81, text, (int64_t)strlen(text));
}

// What the server says at once: a control frame, or a message of one frame or several.
typedef struct frame {
    int opcode; // -1: the server has closed
    int64_t size;
    int64_t head; // bytes before the content
} frame;

// Waits for the frame at a place of the inbox.
static inline frame peek_frame_at(client *made, int64_t at, bool *is_last)
{
    listen_for(made, at + 2);
    if (made->count < at + 2) return (frame){-1, 0, 0};
    assert_int_equal(made->bytes[at + 1] & 0x80, 0);
    int length = made->bytes[at + 1] & 0x7f;
    int extra = length < 126 ? 0 : length == 126 ? 2 : 8;
    listen_for(made, at + 2 + extra);
    int64_t size = extra == 0 ? length : 0;
    for (int i = 0; i < extra; ++i) size = size << 8 | (uint8_t)made->bytes[at + 2 + i];
    listen_for(made, at + 2 + extra + size);
    assert_true(made->count >= at + 2 + extra + size);
    *is_last = (made->bytes[at] & FIN) != 0;
    return (frame){made->bytes[at] & 0x0f, size, 2 + extra};
}

// Waits for a message, which stays in the inbox with its content in one piece.
static inline frame peek_frame(client *made)
{
    bool is_last = true;
    frame whole = peek_frame_at(made, 0, &is_last);
    if (whole.opcode >= 0) assert_int_not_equal(whole.opcode, OP_MORE);
    while (!is_last) {
        int64_t at = whole.head + whole.size;
        frame next = peek_frame_at(made, at, &is_last);
        assert_int_equal(next.opcode, OP_MORE);
        made->count -= next.head;
        memmove(made->bytes + at, made->bytes + at + next.head, (size_t)(made->count - at) + 1);
        whole.size += next.size;
    }
    // as if it had come in one frame
    made->bytes[0] = (char)(FIN | (whole.opcode & 0x0f));
    return whole;
}

static inline void expect_frame(client *made, int opcode, const char *content)
{
    frame got = peek_frame(made);
    assert_int_equal(got.opcode, opcode);
    assert_int_equal(got.size, strlen(content));
    assert_memory_equal(made->bytes + got.head, content, strlen(content));
    forget(made, got.head + got.size);
}

// The server closes the socket with a code, 1005: with none, and then, when the client has
// answered, the connection.
static inline void expect_close(client *made, int32_t code)
{
    frame got = peek_frame(made);
    assert_int_equal(got.opcode, OP_CLOSE);
    const uint8_t *content = (const uint8_t *)made->bytes + got.head;
    int32_t said = got.size >= 2 ? content[0] << 8 | content[1] : 1005;
    assert_int_equal(said, code);
    if (made->it->server != NULL) say_frame(made, FIN | OP_CLOSE, content, got.size);
    forget(made, got.head + got.size);
    listen_to_the_end(made);
    assert_int_equal(made->count, 0);
}

#endif
