// SPDX-License-Identifier: Apache-2.0
//
// Requests, limits and time-outs of the page's server.
#include "page_client.h"
#include "support/fault_sweep.h"

#include <sys/resource.h>

// ---- requests ---------------------------------------------------------------------------------

static void page_is_for_anyone_and_the_rest_for_the_token(void **state)
{
    site *it = *state;
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\n" HOST "\r\n"), 200);
    assert_int_equal(status_of(it, "GET /favicon.ico HTTP/1.1\r\n" HOST "\r\n"), 404);
    assert_int_equal(status_of(it, "GET /keep HTTP/1.1\r\n" HOST "\r\n"), 403);
    assert_int_equal(status_of(it, "GET /nothing HTTP/1.1\r\n" HOST "\r\n"), 403);
    assert_int_equal(status_of(it, "POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"), 403);
    assert_int_equal(status_of(it, "GET /keep HTTP/1.1\r\n" HOST BEARER "\r\n"), 204);
    assert_int_equal(status_of(it, "GET /keep?token=" TOKEN " HTTP/1.1\r\n" HOST "\r\n"), 403);
    assert_int_equal(status_of(it, "GET /nothing HTTP/1.1\r\n" HOST BEARER "\r\n"), 404);
    assert_int_equal(status_of(it, "GET /nonsense HTTP/1.1\r\n" HOST BEARER "\r\n"), 500);
}

static void foreign_hosts_and_origins_get_403(void **state)
{
    site *it = *state;
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\nHost: evil.example:%d\r\n\r\n"), 403);
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example:%d\r\n\r\n"),
                     403);
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n"), 403);
    assert_int_equal(
        status_of(it, "GET / HTTP/1.1\r\n" HOST "Origin: http://localhost.evil.example:%d\r\n\r\n"),
        403);
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\n" HOST "Origin: http://localhost:%d\r\n\r\n"),
                     200);
}

static void malformed_requests_are_refused_and_closed(void **state)
{
    site *it = *state;
    assert_int_equal(status_of(it, "PUT / HTTP/1.1\r\n" HOST "\r\n"), 405);
    assert_int_equal(status_of(it, "GET /a%%5cb HTTP/1.1\r\n" HOST "\r\n"), 400);
    assert_int_equal(
        status_of(it, "POST /keep HTTP/1.1\r\n" HOST BEARER "Content-Length: 70000\r\n\r\n"), 413);
    assert_int_equal(status_of(it, "POST /keep HTTP/1.1\r\n" HOST BEARER "\r\n"), 411);
    // the bytes after a refused head are no request
    client *made = dial(it);
    ask(made, "POST /keep HTTP/1.1\r\n" HOST BEARER "Content-Length: 3\r\nContent-Length: 0\r\n\r\n"
              "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(made), 400);
    listen_to_the_end(made);
    assert_int_equal(made->count, 0);
    hang_up(made);
}

static void refused_client_that_still_sends_gets_to_read_why(void **state)
{
    site *it = *state;
    client *made = dial(it);
    char bytes[1024] = {0};
    ask(made, "POST /keep HTTP/1.1\r\n" HOST BEARER "Content-Length: 70000\r\n\r\n");
    // sent whatever the server thinks of it
    for (int i = 0; i < 64; ++i) say_bytes(made, bytes, sizeof bytes);
    assert_int_equal(hear_answer(made), 413);
    hang_up(made);
}

static void connection_serves_several_requests(void **state)
{
    site *it = *state;
    client *made = dial(it);
    for (int i = 0; i < 3; ++i) {
        ask(made, "GET / HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(hear_answer(made), 200);
    }
    ask(made, "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    assert_int_equal(hear_answer(made), 200);
    listen_to_the_end(made);
    hang_up(made);
}

// Sends requests in one go; how many are answered until the connection ends.
static int32_t count_answers(site *it, const char *format)
{
    int32_t count = 0;
    client *made = dial(it);
    ask(made, format);
    listen_to_the_end(made);
    for (const char *at = made->bytes; (at = strstr(at, "HTTP/1.1 ")) != NULL; ++at) ++count;
    hang_up(made);
    return count;
}

// The library would take what follows for a body, so it is not read.
static void requests_that_do_not_wait_for_answers_end_the_connection(void **state)
{
    site *it = *state;
    int32_t count =
        count_answers(it, "GET /keep HTTP/1.1\r\n" HOST BEARER "\r\n"
                          "POST /keep HTTP/1.1\r\n" HOST BEARER "Content-Length: 4\r\n\r\nbody");
    assert_true(count <= 1);
    assert_string_equal(it->last_body, "");
    count = count_answers(it, "POST /keep HTTP/1.1\r\n" HOST BEARER
                              "Content-Length: 4\r\n\r\nbodyGET / HTTP/1.1\r\n" HOST "\r\n");
    assert_true(count <= 1);
    assert_true(it->last_body[0] == '\0' || strcmp(it->last_body, "body") == 0);
}

static void body_arrives_however_it_is_cut(void **state)
{
    site *it = *state;
    client *made = dial(it);
    ask(made, "POST /keep HTTP/1.1\r\n" HOST BEARER "Content-Length: 11\r\n");
    const char *rest = "\r\nhello there";
    for (; *rest != '\0'; ++rest) say_bytes(made, rest, 1);
    assert_int_equal(hear_answer(made), 204);
    assert_string_equal(it->last_body, "hello there");
    hang_up(made);
}

static void head_is_answered_without_the_body(void **state)
{
    site *it = *state;
    client *made = dial(it);
    int64_t size = 0;
    bool ends = false;
    ask(made, "HEAD / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_head(made, &size, &ends), 200);
    assert_int_equal(size, strlen("<p>page</p>"));
    assert_int_equal(made->count, 0);
    // the end of an answer without a body is seen only by its end
    turns(it, 3);
    ask(made, "HEAD /nothing HTTP/1.1\r\n" HOST BEARER "\r\n");
    assert_int_equal(hear_head(made, &size, &ends), 404);
    assert_int_equal(made->count, 0);
    turns(it, 3);
    ask(made, "HEAD /nothing HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_head(made, &size, &ends), 403);
    listen_to_the_end(made);
    assert_int_equal(made->count, 0);
    hang_up(made);
}

static void large_answers_arrive_whole(void **state)
{
    site *it = *state;
    client *made = dial(it);
    for (int i = 0; i < 2; ++i) {
        ask(made, "GET /big HTTP/1.1\r\n" HOST BEARER "\r\n");
        assert_int_equal(hear_answer(made), 200);
        assert_int_equal(made->count, 0);
    }
    hang_up(made);
}

static void client_that_vanishes_harms_nobody(void **state)
{
    site *it = *state;
    for (int i = 0; i < 3; ++i) {
        client *made = dial(it);
        ask(made, "GET /big HTTP/1.1\r\n" HOST BEARER "\r\n");
        turns(it, 2);
        // a reset in the middle of the answer
        struct linger at_once = {.l_onoff = 1};
        setsockopt(made->descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        hang_up(made);
    }
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\n" HOST "\r\n"), 200);
}

// ---- opening ----------------------------------------------------------------------------------

static void taken_port_is_an_error_that_says_so(void **state)
{
    site *it = *state;
    pli_server_options options = {.host = "127.0.0.1", .port = pli_server_port(it->server)};
    pli_server *second = NULL;
    assert_int_equal(pli_server_create(it->context, &options, &site_ops, it, &second),
                     PLI_ERROR_IO);
    assert_null(second);
    char message[256];
    pli_context_message(it->context, message, sizeof message);
    assert_non_null(strstr(message, "is taken"));

    // one that was not asked for is chosen among the free
    options.port = 0;
    OK(it->context, pli_server_create(it->context, &options, &site_ops, it, &second));
    assert_int_not_equal(pli_server_port(second), pli_server_port(it->server));
    pli_server_destroy(second);
}

// Asks for what stands behind "http://127.0.0.1:PORT" in an address.
static int32_t status_at(site *it, const char *address)
{
    char text[512];
    snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n" HOST "\r\n", strchr(address + 7, '/'),
             pli_server_port(it->server));
    client *made = dial(it);
    say(made, text);
    int32_t status = hear_answer(made);
    hang_up(made);
    return status;
}

static void addresses_open_the_page_once_and_for_a_while(void **state)
{
    site *it = *state;
    char want[128];
    const char *address = NULL;
    snprintf(want, sizeof want, "http://127.0.0.1:%d/", pli_server_port(it->server));
    assert_string_equal(pli_server_address(it->server), want);
    const pli_server_reader readers[] = {PLI_SERVER_FOR_PERSON, PLI_SERVER_FOR_BROWSER};
    const int seconds[] = {PLI_SERVE_PERSON_SECONDS, PLI_SERVE_BROWSER_SECONDS};
    for (int k = 0; k < 2; ++k) {
        OK(it->context, pli_server_make_address(it->server, readers[k], &address));
        assert_memory_equal(address, want, strlen(want));
        pli_server_skip(it->server, seconds[k] - PATIENCE);
        assert_int_equal(status_at(it, address), 303);
        assert_int_equal(status_at(it, address), 403);
        OK(it->context, pli_server_make_address(it->server, readers[k], &address));
        pli_server_skip(it->server, seconds[k] + 1);
        assert_int_equal(status_at(it, address), 403);
    }
}

static void other_machines_are_kept_out_unless_allowed(void **state)
{
    site *it = *state;
    pli_server *server = NULL;
    static const char *const remote[] = {"0.0.0.0", "::", "192.0.2.1", "::ffff:192.0.2.1"};
    for (size_t i = 0; i < sizeof remote / sizeof remote[0]; ++i) {
        pli_server_options options = {.host = remote[i]};
        assert_int_equal(pli_server_create(it->context, &options, &site_ops, it, &server),
                         PLI_ERROR_ARGUMENT);
        assert_null(server);
    }
    static const char *const local[] = {"127.0.0.1", "127.0.0.2", "localhost"};
    for (size_t i = 0; i < sizeof local / sizeof local[0]; ++i) {
        pli_server_options options = {.host = local[i]};
        OK(it->context, pli_server_create(it->context, &options, &site_ops, it, &server));
        assert_false(pli_server_is_remote(server));
        pli_server_destroy(server);
    }
    pli_server_options options = {.host = "0.0.0.0", .allows_remote = true};
    OK(it->context, pli_server_create(it->context, &options, &site_ops, it, &server));
    assert_true(pli_server_is_remote(server));
    pli_server_destroy(server);
}

static void wrong_options_are_refused(void **state)
{
    site *it = *state;
    static const char *const names[] = {"bad name"};
    const pli_server_options wrong[] = {
        {.host = "nowhere"},
        {.host = "127.0.0.1", .port = 65536},
        {.host = "127.0.0.1", .port = -1},
        {.host = "127.0.0.1", .token = "short"},
        {.host = "127.0.0.1", .extra_hosts = names, .extra_host_count = 1},
    };
    pli_server *server = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_int_equal(pli_server_create(it->context, &wrong[i], &site_ops, it, &server),
                         PLI_ERROR_ARGUMENT);
        assert_null(server);
    }
    // an address that belongs to documentation, and to no machine
    pli_server_options elsewhere = {.host = "192.0.2.1", .allows_remote = true};
    assert_int_equal(pli_server_create(it->context, &elsewhere, &site_ops, it, &server),
                     PLI_ERROR_IO);
}

static void second_address_family_is_served(void **state)
{
    site *it = *state;
    pli_server_options options = {.host = "::1", .token = TOKEN};
    pli_server *server = NULL;
    if (pli_server_create(it->context, &options, &site_ops, it, &server) != PLI_OK) skip();
    assert_non_null(strstr(pli_server_address(server), "http://[::1]:"));
    int descriptor = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 place = {.sin6_family = AF_INET6,
                                 .sin6_port = htons((uint16_t)pli_server_port(server)),
                                 .sin6_addr = in6addr_loopback};
    assert_int_equal(connect(descriptor, (struct sockaddr *)&place, sizeof place), 0);
    char text[256];
    int count = snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: [::1]:%d\r\n\r\n",
                         pli_server_port(server));
    assert_int_equal(send(descriptor, text, (size_t)count, MSG_NOSIGNAL), count);
    ssize_t got = -1;
    double begin = pli_clock_seconds();
    while (got < 0) {
        OK(it->context, pli_server_turn(server, 2));
        got = recv(descriptor, text, sizeof text - 1, MSG_DONTWAIT);
        AT_MOST(pli_clock_seconds() - begin, PATIENCE);
    }
    assert_memory_equal(text, "HTTP/1.1 200 OK\r\n", 17);
    close(descriptor);
    pli_server_destroy(server);
}

// ---- limits -----------------------------------------------------------------------------------

static void connections_past_the_limit_get_503(void **state)
{
    site *it = *state;
    enum { MORE = PLI_SERVE_SPARE + 20 };
    client *admitted[PLI_SERVE_MAX_CLIENTS];
    client *others[MORE];
    for (int i = 0; i < PLI_SERVE_MAX_CLIENTS; ++i) {
        admitted[i] = dial(it);
        turn(it);
    }
    for (int i = 0; i < MORE; ++i) {
        others[i] = dial(it);
        turn(it);
    }
    for (int i = 0; i < MORE; ++i) assert_int_equal(hear_answer(others[i]), 503);
    // those that were first are served as ever
    ask(admitted[17], "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(admitted[17]), 200);
    for (int i = 0; i < MORE; ++i) hang_up(others[i]);
    hang_up(admitted[3]);
    turns(it, 3);
    assert_int_equal(status_of(it, "GET / HTTP/1.1\r\n" HOST "\r\n"), 200);
    for (int i = 0; i < PLI_SERVE_MAX_CLIENTS; ++i) {
        if (i != 3) hang_up(admitted[i]);
    }
}

static void no_descriptors_is_waited_for(void **state)
{
    site *it = *state;
    client *first = dial(it);
    turns(it, 2);
    client *second = dial(it);
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    // up to the first that is free
    int lowest = dup(first->descriptor);
    close(lowest);
    struct rlimit none = {.rlim_cur = (rlim_t)lowest, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    pli_status status = pli_server_turn(it->server, 100);
    bool paused = it->server->accepts_after > pli_server_now(it->server) - 60;
    setrlimit(RLIMIT_NOFILE, &before);
    OK(it->context, status);
    assert_true(paused);
    assert_int_equal(it->server->connection_count, 1);

    // the connection waits, and gets its turn
    pli_server_skip(it->server, 1);
    ask(second, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(second), 200);
    hang_up(first);
    hang_up(second);
}

static void slow_requests_get_408(void **state)
{
    site *it = *state;
    client *made = dial(it);
    ask(made, "GET / HTTP/1.1\r\n");
    turns(it, 3);
    pli_server_skip(it->server, PLI_SERVE_HEAD_SECONDS - 2);
    say(made, "X: still there\r\n");
    turns(it, 3);
    listen_once(made);
    assert_int_equal(made->count, 0);
    pli_server_skip(it->server, 3);
    assert_int_equal(hear_answer(made), 408);
    listen_to_the_end(made);
    hang_up(made);
}

static void idle_connections_are_closed(void **state)
{
    site *it = *state;
    client *fresh = dial(it);
    client *used = dial(it);
    ask(used, "GET / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(used), 200);
    pli_server_skip(it->server, PLI_SERVE_IDLE_SECONDS - 5);
    turns(it, 2);
    assert_int_equal(it->server->connection_count, 2);
    pli_server_skip(it->server, 10);
    listen_to_the_end(fresh);
    listen_to_the_end(used);
    assert_int_equal(fresh->count + used->count, 0);
    hang_up(fresh);
    hang_up(used);
}

static void refused_clients_that_stay_are_closed(void **state)
{
    site *it = *state;
    client *made = dial(it);
    ask(made, "PUT / HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_answer(made), 405);
    turns(it, 2);
    assert_int_equal(it->server->connection_count, 1);
    pli_server_skip(it->server, PLI_CONNECTION_DRAIN_SECONDS + 1);
    turns(it, 2);
    assert_int_equal(it->server->connection_count, 0);
    hang_up(made);
}

static void answers_that_nobody_takes_are_dropped(void **state)
{
    site *it = *state;
    client *made = dial(it);
    ask(made, "GET /big HTTP/1.1\r\n" HOST BEARER "\r\n");
    turns(it, 40);
    assert_int_equal(it->server->connection_count, 1);
    pli_server_skip(it->server, PLI_SERVE_STALL_SECONDS + 1);
    turns(it, 2);
    assert_int_equal(it->server->connection_count, 0);
    hang_up(made);
}

// ---- memory -----------------------------------------------------------------------------------

// A short life of a server; whether the client got its echo.
static bool live_briefly(pli_context *context)
{
    site it = {.context = context, .echoes = true, .packets_left = 1, .packet_size = 100};
    pli_server_options options = {.host = "127.0.0.1", .token = TOKEN};
    if (pli_server_create(context, &options, &site_ops, &it, &it.server) != PLI_OK) return false;
    client *made = dial(&it);
    ask(made, "GET / HTTP/1.1\r\n" HOST "\r\n");
    bool is_good = hear_answer(made) == 200;
    hang_up(made);
    made = dial(&it);
    ask(made, SOCKET);
    if (hear_answer(made) == 101) {
        say_text(made, "echo");
        for (int i = 0; i < 2; ++i) {
            frame got = peek_frame(made);
            is_good = is_good && got.opcode >= 0;
            forget(made, got.head + got.size);
        }
    } else {
        is_good = false;
    }
    hang_up(made);
    pli_server_destroy(it.server);
    return is_good;
}

static void no_memory_closes_clients_and_leaks_nothing(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        sweep.status = live_briefly(sweep.context) ? PLI_OK : PLI_ERROR_MEMORY;
    }
}

#define WITH_SITE(test) cmocka_unit_test_setup_teardown(test, make_site, free_site)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SITE(page_is_for_anyone_and_the_rest_for_the_token),
        WITH_SITE(foreign_hosts_and_origins_get_403),
        WITH_SITE(malformed_requests_are_refused_and_closed),
        WITH_SITE(refused_client_that_still_sends_gets_to_read_why),
        WITH_SITE(connection_serves_several_requests),
        WITH_SITE(requests_that_do_not_wait_for_answers_end_the_connection),
        WITH_SITE(body_arrives_however_it_is_cut),
        WITH_SITE(head_is_answered_without_the_body),
        WITH_SITE(large_answers_arrive_whole),
        WITH_SITE(client_that_vanishes_harms_nobody),
        WITH_SITE(taken_port_is_an_error_that_says_so),
        WITH_SITE(addresses_open_the_page_once_and_for_a_while),
        WITH_SITE(other_machines_are_kept_out_unless_allowed),
        WITH_SITE(wrong_options_are_refused),
        WITH_SITE(second_address_family_is_served),
        WITH_SITE(connections_past_the_limit_get_503),
        WITH_SITE(no_descriptors_is_waited_for),
        WITH_SITE(slow_requests_get_408),
        WITH_SITE(idle_connections_are_closed),
        WITH_SITE(refused_clients_that_stay_are_closed),
        WITH_SITE(answers_that_nobody_takes_are_dropped),
        cmocka_unit_test(no_memory_closes_clients_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
