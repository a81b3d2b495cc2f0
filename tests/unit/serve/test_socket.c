// SPDX-License-Identifier: Apache-2.0
//
// Sockets of the page's server: handshake, messages, packets, slow and quiet clients.
#include "page_client.h"

#include <pthread.h>
#include <signal.h>

// ---- sockets ----------------------------------------------------------------------------------

static void sockets_need_all_of_the_handshake(void **state)
{
    site *it = *state;
    assert_int_equal(status_of(it, "GET /socket HTTP/1.1\r\n" HOST ORIGIN UPGRADE "\r\n"), 403);
    assert_int_equal(status_of(it, "GET /socket HTTP/1.1\r\n" HOST BEARER UPGRADE "\r\n"), 403);
    assert_int_equal(status_of(it, "GET /socket HTTP/1.1\r\n" HOST BEARER UPGRADE
                                   "Origin: http://127.0.0.1.evil.example:%d\r\n\r\n"),
                     403);
    assert_int_equal(status_of(it, "GET /socket HTTP/1.1\r\n" HOST BEARER ORIGIN "\r\n"), 426);
    assert_int_equal(status_of(it, "GET /socket HTTP/1.1\r\n" HOST BEARER ORIGIN
                                   "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                   "Sec-WebSocket-Version: 8\r\n\r\n"),
                     426);
    assert_int_equal(status_of(it, "GET /socket HTTP/1.1\r\n" HOST BEARER ORIGIN
                                   "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                   "Sec-WebSocket-Key: short\r\n"
                                   "Sec-WebSocket-Version: 13\r\n\r\n"),
                     400);
    assert_int_equal(status_of(it, "GET /other HTTP/1.1\r\n" HOST BEARER ORIGIN UPGRADE "\r\n"),
                     404);
    assert_int_equal(status_of(it, "POST /socket HTTP/1.1\r\n" HOST BEARER ORIGIN UPGRADE
                                   "Content-Length: 0\r\n\r\n"),
                     405);
    assert_int_equal(it->joins, 0);
}

static void site_without_sockets_has_none(void **state)
{
    site *it = *state;
    assert_int_equal(status_of(it, SOCKET), 404);
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\n" HOST "\r\n"), 200);
}

static void messages_go_both_ways(void **state)
{
    site *it = *state;
    it->says_hello = true;
    client *made = open_socket(it);
    expect_frame(made, OP_TEXT, "hello");
    assert_int_equal(it->joins, 1);
    assert_int_equal(pli_server_socket_count(it->server), 1);
    say_text(made, "caf\xc3\xa9");
    expect_frame(made, OP_TEXT, "caf\xc3\xa9");
    say_frame(made, 0x01, "one ", 4);
    say_frame(made, 0x89, "ping", 4);
    say_frame(made, 0x80, "two", 3);
    expect_frame(made, OP_PONG, "ping");
    expect_frame(made, OP_TEXT, "one two");
    assert_int_equal(it->messages, 2);

    // nobody by that number
    pli_server_send(it->server, it->last_client + 1, "x", 1);
    pli_server_send(it->server, 0, "x", 1);
    pli_server_send(it->server, it->last_client, "from outside", 12);
    expect_frame(made, OP_TEXT, "from outside");
    hang_up(made);
    turns(it, 3);
    assert_int_equal(it->leaves, 1);
    assert_int_equal(pli_server_socket_count(it->server), 0);
}

static void frames_may_come_with_the_request(void **state)
{
    site *it = *state;
    client *made = dial(it);
    char text[1024];
    int port = pli_server_port(it->server);
    int count = snprintf(text, sizeof text, SOCKET, port, port);
    memcpy(text + count, "\x81\x82\0\0\0\0hi", 8);
    say_bytes(made, text, count + 8);
    assert_int_equal(hear_answer(made), 101);
    expect_frame(made, OP_TEXT, "hi");
    hang_up(made);
}

static void closing_is_answered_with_the_same_code(void **state)
{
    site *it = *state;
    client *made = open_socket(it);
    say_frame(made, 0x88,
              "\x03\xe8"
              "bye",
              5);
    expect_close(made, 1000);
    turns(it, 2);
    assert_int_equal(it->leaves, 1);
    hang_up(made);

    // without a code
    made = open_socket(it);
    say_frame(made, 0x88, "", 0);
    expect_close(made, 1005);
    hang_up(made);
}

static void faults_close_with_their_code_and_nobody_else(void **state)
{
    site *it = *state;
    static const struct {
        const char *bytes;
        int64_t count;
        int32_t code;
    } faults[] = {{"\xf1\x80\0\0\0\0", 6, 1002},
                  {"\x82\x81\0\0\0\0x", 7, 1003},
                  {"\x81\x81\0\0\0\0\xff", 7, 1007},
                  {"\x88\x81\0\0\0\0\x03", 7, 1002}};
    client *bystander = open_socket(it);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        client *made = open_socket(it);
        say_bytes(made, faults[i].bytes, faults[i].count);
        expect_close(made, faults[i].code);
        hang_up(made);
    }
    turns(it, 2);
    assert_int_equal(it->leaves, sizeof faults / sizeof faults[0]);
    say_text(bystander, "still here");
    expect_frame(bystander, OP_TEXT, "still here");
    hang_up(bystander);
}

static void floods_are_closed_with_1008(void **state)
{
    site *it = *state;
    it->echoes = false;
    // texts, and fragments that never end
    static const uint8_t firsts[] = {0x81, 0x00};
    enum { FRAMES = 20 * PLI_SERVE_MAX_MESSAGES };
    uint8_t *flood = calloc(FRAMES, 6);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < FRAMES; ++i) {
            flood[6 * i] = firsts[k];
            flood[6 * i + 1] = 0x80;
        }
        client *made = open_socket(it);
        if (firsts[k] == 0x00) say_frame(made, 0x01, "", 0);
        say_bytes(made, flood, 6 * FRAMES);
        expect_close(made, 1008);
        hang_up(made);
    }
    free(flood);
}

static void wait_for_messages(site *it, int32_t count)
{
    double begin = pli_clock_seconds();
    while (it->messages < count) {
        turn(it);
        AT_MOST(pli_clock_seconds() - begin, PATIENCE);
    }
}

static void allowance_of_messages_comes_back(void **state)
{
    site *it = *state;
    it->echoes = false;
    enum { FRAMES = PLI_SERVE_MAX_MESSAGES - 100 };
    uint8_t *many = calloc(FRAMES, 6);
    for (int i = 0; i < FRAMES; ++i) memcpy(many + 6 * i, "\x81\x80", 2);
    client *made = open_socket(it);
    for (int round = 1; round <= 3; ++round) {
        say_bytes(made, many, 6 * FRAMES);
        wait_for_messages(it, round * FRAMES);
        pli_server_skip(it->server, 1);
    }
    it->echoes = true;
    say_text(made, "end");
    expect_frame(made, OP_TEXT, "end");
    free(many);
    hang_up(made);
}

// ---- packets ----------------------------------------------------------------------------------

static void packets_are_asked_for_when_all_is_out(void **state)
{
    site *it = *state;
    client *made = open_socket(it);
    it->packets_left = 2;
    it->packet_size = BIG_PACKET;
    turns(it, 40);
    // the first is stuck, so that the second is not asked for; a text has to wait behind it
    assert_int_equal(it->packets_left, 1);
    int32_t asked = it->asked;
    turns(it, 5);
    assert_int_equal(it->asked, asked);
    pli_server_send(it->server, it->last_client, "between", 7);

    frame got = peek_frame(made);
    assert_int_equal(got.opcode, OP_BINARY);
    assert_int_equal(got.size, BIG_PACKET);
    for (int64_t i = 0; i < BIG_PACKET; ++i) assert_int_equal(made->bytes[got.head + i], 2);
    forget(made, got.head + got.size);
    expect_frame(made, OP_TEXT, "between");
    got = peek_frame(made);
    assert_int_equal(got.size, BIG_PACKET);
    assert_int_equal(made->bytes[got.head], 1);
    forget(made, got.head + got.size);
    assert_int_equal(it->packets_left, 0);
    hang_up(made);
}

static void small_packets_come_in_their_order(void **state)
{
    site *it = *state;
    client *made = open_socket(it);
    it->packets_left = 100;
    it->packet_size = 1;
    for (int i = 100; i > 0; --i) {
        const char content[] = {(char)i, '\0'};
        expect_frame(made, OP_BINARY, content);
    }
    it->packet_size = 0;
    it->packets_left = 1;
    expect_frame(made, OP_BINARY, "");
    hang_up(made);
}

static void full_queue_closes_its_client_alone(void **state)
{
    site *it = *state;
    client *slow = open_socket(it);
    int64_t number = it->last_client;
    client *quick = open_socket(it);
    char *text = calloc(1, 1000);
    memset(text, 'x', 1000);
    int sent = 0;
    // the system's own buffers fill first
    while (it->leaves == 0 && sent < 100000) {
        pli_server_send(it->server, number, text, 1000);
        if (++sent % 100 == 0) turn(it);
    }
    assert_int_equal(it->leaves, 1);
    say_text(quick, "I read");
    expect_frame(quick, OP_TEXT, "I read");
    // a text that no queue could hold
    pli_server_send(it->server, it->last_client, text, PLI_SERVE_MAX_QUEUE + 1);
    turns(it, 2);
    assert_int_equal(it->leaves, 2);
    free(text);
    hang_up(slow);
    hang_up(quick);
}

static void socket_that_takes_nothing_is_dropped(void **state)
{
    site *it = *state;
    client *made = open_socket(it);
    it->packets_left = 1;
    it->packet_size = BIG_PACKET;
    turns(it, 40);
    say_text(made, "I talk, but I do not read");
    pli_server_skip(it->server, PLI_SERVE_STALL_SECONDS + 1);
    say_text(made, "again");
    turns(it, 3);
    assert_int_equal(it->leaves, 1);
    hang_up(made);
}

// ---- quiet sockets and the end ----------------------------------------------------------------

static void quiet_sockets_are_asked_and_then_dropped(void **state)
{
    site *it = *state;
    client *alive = open_socket(it);
    client *gone = open_socket(it);
    for (int i = 0; i < 6; ++i) {
        pli_server_skip(it->server, PLI_SERVE_PING_SECONDS + 1);
        expect_frame(alive, OP_PING, "?");
        say_frame(alive, 0x8a, "?", 1);
        turns(it, 3);
    }
    assert_int_equal(it->leaves, 1);
    listen_to_the_end(gone);
    say_text(alive, "here");
    expect_frame(alive, OP_TEXT, "here");
    hang_up(alive);
    hang_up(gone);
}

static void end_of_the_server_is_said_with_1001(void **state)
{
    site *it = *state;
    client *made = open_socket(it);
    pli_server_send(it->server, it->last_client, "bye", 3);
    // what the client has said and nobody has read does not take the end back
    send(made->descriptor, "\x81\x80\0\0\0\0", 6, MSG_NOSIGNAL);
    pli_server_destroy(it->server);
    it->server = NULL;
    double begin = pli_clock_seconds();
    while (!made->is_over) {
        listen_once(made);
        AT_MOST(pli_clock_seconds() - begin, PATIENCE);
    }
    expect_frame(made, OP_TEXT, "bye");
    expect_close(made, 1001);
    assert_int_equal(it->leaves, 0);
    hang_up(made);
}

static void *serve_in_thread(void *user)
{
    site *it = user;
    for (int i = 0; i < 50; ++i) {
        client *made = open_socket(it);
        say_text(made, "hello");
        expect_frame(made, OP_TEXT, "hello");
        hang_up(made);
    }
    return NULL;
}

static void two_servers_of_a_process_know_nothing_of_each_other(void **state)
{
    site *first = *state;
    void *second = NULL;
    make_site(&second);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, serve_in_thread, second), 0);
    serve_in_thread(first);
    pthread_join(thread, NULL);
    assert_int_equal(first->joins, 50);
    assert_int_equal(((site *)second)->joins, 50);
    free_site(&second);
    // and the first goes on without it
    client *made = open_socket(first);
    hang_up(made);
}

// A program that embeds the library decides how its process takes signals.
static void server_leaves_signals_alone(void **state)
{
    (void)state;
    struct sigaction before = {.sa_handler = SIG_DFL};
    struct sigaction after;
    assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
    void *made = NULL;
    make_site(&made);
    client *vanishing = open_socket(made);
    struct linger at_once = {.l_onoff = 1};
    setsockopt(vanishing->descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    hang_up(vanishing);
    turns(made, 3);
    free_site(&made);
    assert_int_equal(sigaction(SIGPIPE, NULL, &after), 0);
    assert_true(after.sa_handler == SIG_DFL);
}

static void *wake_thread(void *server)
{
    for (int i = 0; i < 20; ++i) {
        usleep(1000);
        pli_server_wake(server);
    }
    return NULL;
}

static void waking_ends_turns_that_wait(void **state)
{
    site *it = *state;
    // a wake that came before the turn counts, and many are one
    for (int i = 0; i < 100000; ++i) pli_server_wake(it->server);
    OK(it->context, pli_server_turn(it->server, 0));
    // a turn that is not woken takes its second
    enum { TURNS = 30 };
    double begin = pli_clock_seconds();
    for (int i = 0; i < TURNS; ++i) {
        pli_server_wake(it->server);
        OK(it->context, pli_server_turn(it->server, 1000));
    }
    AT_MOST(pli_clock_seconds() - begin, 0.7 * TURNS);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake_thread, it->server), 0);
    for (int i = 0; i < 3; ++i) OK(it->context, pli_server_turn(it->server, 1000));
    pthread_join(thread, NULL);
}

#define WITH_SITE(test) cmocka_unit_test_setup_teardown(test, make_site, free_site)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SITE(sockets_need_all_of_the_handshake),
        cmocka_unit_test_setup_teardown(site_without_sockets_has_none, make_site_without_sockets,
                                        free_site),
        WITH_SITE(messages_go_both_ways),
        WITH_SITE(frames_may_come_with_the_request),
        WITH_SITE(closing_is_answered_with_the_same_code),
        WITH_SITE(faults_close_with_their_code_and_nobody_else),
        WITH_SITE(floods_are_closed_with_1008),
        WITH_SITE(allowance_of_messages_comes_back),
        WITH_SITE(packets_are_asked_for_when_all_is_out),
        WITH_SITE(small_packets_come_in_their_order),
        WITH_SITE(full_queue_closes_its_client_alone),
        WITH_SITE(socket_that_takes_nothing_is_dropped),
        WITH_SITE(quiet_sockets_are_asked_and_then_dropped),
        WITH_SITE(end_of_the_server_is_said_with_1001),
        WITH_SITE(waking_ends_turns_that_wait),
        WITH_SITE(two_servers_of_a_process_know_nothing_of_each_other),
        cmocka_unit_test(server_leaves_signals_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
