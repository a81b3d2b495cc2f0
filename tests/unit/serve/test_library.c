// SPDX-License-Identifier: Apache-2.0
//
// What the server refuses of requests and frames, through a socket: the library reads them, and
// here is what it has to do, or is known not to.
#include "page_client.h"

// Whether it is told no, or not at all, and then the end.
static bool is_refused(int32_t status)
{
    return status == -1 || (status >= 400 && status < 600);
}

// The status of what bytes lead to, -1: the connection ends without an answer.
static int32_t status_of_bytes(site *it, const char *bytes, int64_t count)
{
    client *made = dial(it);
    say_bytes(made, bytes, count);
    int64_t size = 0;
    bool ends = false;
    int32_t status = hear_head(made, &size, &ends);
    // nothing behind it was taken for a request
    if (status == -1 || ends) {
        listen_to_the_end(made);
        assert_int_equal(made->count, size);
    }
    hang_up(made);
    return status;
}

// A request with the server's port at each %d.
static int32_t status_of_head(site *it, const char *format)
{
    char text[8192];
    int port = pli_server_port(it->server);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    int count = snprintf(text, sizeof text, format, port, port, port, port);
#pragma GCC diagnostic pop
    return status_of_bytes(it, text, count);
}

static void expect_refused(site *it, const char *format)
{
    int32_t status = status_of_head(it, format);
    if (!is_refused(status)) fail_msg("got %d: %s", status, format);
}

// ---- heads ------------------------------------------------------------------------------------

static void wrong_first_lines_are_refused(void **state)
{
    site *it = *state;
    static const char *const wrong[] = {"PUT / HTTP/1.1\r\n" HOST "\r\n",
                                        "TRACE / HTTP/1.1\r\n" HOST "\r\n",
                                        "BREW / HTTP/1.1\r\n" HOST "\r\n",
                                        "CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n",
                                        "G@T / HTTP/1.1\r\n" HOST "\r\n",
                                        "GET\r\n\r\n",
                                        "GET /\r\n" HOST "\r\n",
                                        "GET / HTTP/2.0\r\n" HOST "\r\n",
                                        "GET / HTTP/1.10\r\n" HOST "\r\n",
                                        "GET / FTP/1.1\r\n" HOST "\r\n",
                                        "GET / HTTP/1.1 x\r\n" HOST "\r\n",
                                        "nonsense\r\n\r\n",
                                        "\r\n\r\n",
                                        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                                        "\x16\x03\x01\x02\r\n\r\n",
                                        "GET / HTTP/1.1\r\nGET / HTTP/1.1\r\n" HOST "\r\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) expect_refused(it, wrong[i]);
}

static void hosts_are_there_once(void **state)
{
    site *it = *state;
    assert_int_equal(status_of_head(it, "GET / HTTP/1.1\r\n\r\n"), 400);
    assert_int_equal(status_of_head(it, "GET / HTTP/1.1\r\nHost: \r\n\r\n"), 400);
    assert_int_equal(status_of_head(it, "GET / HTTP/1.1\r\n" HOST HOST "\r\n"), 400);
    assert_int_equal(status_of_head(it, "GET / HTTP/1.1\r\n" HOST "Host: evil.example\r\n\r\n"),
                     400);
    assert_int_equal(status_of_head(it, "GET / HTTP/1.1\r\n" HOST ORIGIN ORIGIN "\r\n"), 400);
    assert_int_equal(status_of_head(it, "GET /keep HTTP/1.1\r\n" HOST BEARER BEARER "\r\n"), 400);
    assert_int_equal(
        status_of_head(it, "GET / HTTP/1.1\r\n" HOST "Cookie: a=b\r\nCookie: c=d\r\n\r\n"), 400);
    static const char zero[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\0:1\r\n\r\n";
    assert_true(is_refused(status_of_bytes(it, zero, sizeof zero - 1)));
}

static void only_one_plain_length_is_believed(void **state)
{
    site *it = *state;
    static const char *const wrong[] = {"+3",  "-3",    "3, 3", "0x3", "3 3",
                                        "3.0", "three", "",     "1e3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        char text[512];
        int count = snprintf(text, sizeof text,
                             "POST /keep HTTP/1.1\r\n" HOST BEARER "Content-Length: %s\r\n\r\n",
                             pli_server_port(it->server), wrong[i]);
        int32_t status = status_of_bytes(it, text, count);
        if (status != 400 && status != 411) fail_msg("a length of '%s' gets %d", wrong[i], status);
    }
#define POST "POST /keep HTTP/1.1\r\n" HOST BEARER
    assert_int_equal(status_of_head(it, POST "\r\n"), 411);
    assert_int_equal(status_of_head(it, POST "Content-Length: 65537\r\n\r\n"), 413);
    assert_int_equal(status_of_head(it, POST "Content-Length: 99999999999999999999999\r\n\r\n"),
                     413);
    assert_int_equal(status_of_head(it, POST "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
                     400);
    assert_int_equal(status_of_head(it,
                                    POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                                         "0\r\n\r\n"),
                     400);
    assert_int_equal(status_of_head(it, POST "Transfer-Encoding: identity\r\n\r\n"), 400);
    assert_int_equal(status_of_head(it, "GET / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc"),
                     400);
    assert_int_equal(status_of_head(it, POST "Content-Length: 0\r\n\r\n"), 204);
    assert_string_equal(it->last_body, "");
}

static void large_heads_end_the_connection(void **state)
{
    site *it = *state;
    char *text = test_malloc(4 * PLI_SERVE_MAX_HEAD);
    int count = snprintf(text, 256, "GET / HTTP/1.1\r\n" HOST "Y: ", pli_server_port(it->server));
    memset(text + count, 'a', (size_t)(4 * PLI_SERVE_MAX_HEAD - count));
    assert_true(is_refused(status_of_bytes(it, text, 4 * PLI_SERVE_MAX_HEAD)));
    // a path, and many short lines
    memcpy(text, "GET /aaaaaaa", 12);
    memset(text + 12, 'a', (size_t)count);
    assert_true(is_refused(status_of_bytes(it, text, 4 * PLI_SERVE_MAX_HEAD)));
    count = snprintf(text, 256, "GET / HTTP/1.1\r\n" HOST, pli_server_port(it->server));
    while (count < 4 * PLI_SERVE_MAX_HEAD - 8) {
        memcpy(text + count, "y: b\r\n", 6);
        count += 6;
    }
    assert_true(is_refused(status_of_bytes(it, text, count)));
    test_free(text);
    // the largest that passes is not much below the limit
    char large[PLI_SERVE_MAX_HEAD];
    count =
        snprintf(large, sizeof large, "GET / HTTP/1.1\r\n" HOST "Y: ", pli_server_port(it->server));
    memset(large + count, 'a', sizeof large - 1000 - (size_t)count);
    memcpy(large + sizeof large - 1000, "\r\n\r\n", 4);
    assert_int_equal(status_of_bytes(it, large, sizeof large - 996), 200);
}

static void paths_never_hold_what_no_path_of_ours_does(void **state)
{
    site *it = *state;
    static const char *const refused[] = {"/a%%00b", "/a%%0d%%0ab", "/a%%7f", "/a\\b", "/a%%5cb",
                                          "/%%",     "/%%4",        "/%%zz",  "/\x01x"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n%s\r\n", refused[i], HOST);
        expect_refused(it, text);
    }
    // dots are gone, so that whatever is left is below the root
    static const char *const above[] = {"/../keep",  "/a/../../keep", "/%%2e%%2e/keep",
                                        "//../keep", "/./keep",       "/..%%2f..%%2fkeep"};
    for (size_t i = 0; i < sizeof above / sizeof above[0]; ++i) {
        char text[256];
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\n%s" BEARER "\r\n", above[i], HOST);
        assert_int_equal(status_of_head(it, text), 204);
    }
}

static void queries_keep_their_keys_apart(void **state)
{
    site *it = *state;
    int64_t size = 0;
    bool ends = false;
    client *made = dial(it);
    ask(made, "GET /?gz%%69p HTTP/1.1\r\n" HOST "\r\n");
    assert_int_equal(hear_head(made, &size, &ends), 200);
    hang_up(made);
    expect_refused(it, "GET /open?a=b&code=%%zz HTTP/1.1\r\n" HOST "\r\n");
    expect_refused(it, "GET /open?code=a%%00b HTTP/1.1\r\n" HOST "\r\n");
}

static void other_protocols_are_not_spoken(void **state)
{
    site *it = *state;
    expect_refused(it, "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade, HTTP2-Settings\r\n"
                       "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n");
    expect_refused(it, "GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: tea\r\n\r\n");
    // with a connection that would have been kept, and one that the library has forgotten
    expect_refused(it, "GET / HTTP/1.0\r\n" HOST "Connection: Upgrade\r\nUpgrade: tea\r\n\r\n");
    client *made = dial(it);
    ask(made, "GET /socket HTTP/1.1\r\n" HOST BEARER ORIGIN UPGRADE
              "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
    listen_for(made, 16);
    double begin = pli_clock_seconds();
    while (strstr(made->bytes, "\r\n\r\n") == NULL) {
        turn(it);
        listen_once(made);
        AT_MOST(pli_clock_seconds() - begin, PATIENCE);
    }
    assert_null(strcasestr(made->bytes, "permessage"));
    assert_int_equal(hear_answer(made), 101);
    hang_up(made);
}

// ---- frames -----------------------------------------------------------------------------------

// The code of the close frame that follows bytes; 0: the connection ends without one. What comes
// behind a fault is not understood any more, so that an answer would change nothing.
static int32_t code_of(site *it, const char *bytes, int64_t count)
{
    client *made = open_socket(it);
    int32_t code = 0;
    say_bytes(made, bytes, count);
    frame got = peek_frame(made);
    if (got.opcode >= 0) {
        assert_int_equal(got.opcode, OP_CLOSE);
        const uint8_t *content = (const uint8_t *)made->bytes + got.head;
        code = got.size >= 2 ? content[0] << 8 | content[1] : 1005;
    }
    hang_up(made);
    return code;
}

// A masked frame of that first byte, with that much content.
static int32_t code_of_frame(site *it, int first, const char *content, int64_t size)
{
    char bytes[512];
    int64_t head = write_frame_head(first, size, (uint8_t *)bytes);
    memcpy(bytes + head, content, (size_t)size);
    return code_of(it, bytes, head + size);
}

static void frames_that_must_not_be_close_the_socket(void **state)
{
    site *it = *state;
    // reserved bits and opcodes
    static const int firsts[] = {0xc1, 0xa1, 0x91, 0x83, 0x84, 0x85, 0x86,
                                 0x87, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; ++i) {
        assert_int_equal(code_of_frame(it, firsts[i], "x", 1), 1002);
    }
    // control frames in fragments
    for (int opcode = OP_CLOSE; opcode <= OP_PONG; ++opcode) {
        assert_int_equal(code_of_frame(it, opcode, "x", 1), 1002);
    }
    // nothing to continue, and a new message within one
    assert_int_equal(code_of_frame(it, FIN | OP_MORE, "x", 1), 1002);
    assert_int_equal(code_of(it, "\x01\x81\0\0\0\0x\x81\x81\0\0\0\0x", 14), 1002);
    assert_int_equal(code_of_frame(it, FIN | OP_BINARY, "x", 1), 1003);
    // these end it without a word: control frames that are too long, a negative length
    char content[126] = {0};
    for (int opcode = OP_CLOSE; opcode <= OP_PONG; ++opcode) {
        assert_int_equal(code_of_frame(it, FIN | opcode, content, sizeof content), 0);
    }
    assert_int_equal(code_of(it, "\x81\xff\x80\0\0\0\0\0\0\0\0\0\0\0", 14), 0);
    assert_int_equal(it->messages, 0);
}

static void texts_that_are_not_utf8_close_the_socket(void **state)
{
    site *it = *state;
    static const char *const bad[] = {
        "\x80",         "\xc0\xaf",         "\xc1\xbf",         "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf5\x80\x80\x80", "\xf4\x90\x80\x80",
        "\xff",         "ok \xe2\x82",      "\xe2\x28\xa1",     "a\xc2zb"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        int32_t code = code_of_frame(it, FIN | OP_TEXT, bad[i], (int64_t)strlen(bad[i]));
        if (code != 1007) fail_msg("text %d gets %d", (int)i, code);
    }
    // over fragments
    assert_int_equal(code_of(it, "\x01\x81\0\0\0\0\xe2\x80\x81\0\0\0\0\x28", 14), 1007);
    assert_int_equal(it->messages, 0);
    client *made = open_socket(it);
    say_frame(made, OP_TEXT, "a\xe2\x82", 3);
    say_frame(made, FIN | OP_MORE, "\xac!", 2);
    expect_frame(made, OP_TEXT, "a\xe2\x82\xac!");
    hang_up(made);
}

static void messages_up_to_the_limit_come_whole(void **state)
{
    site *it = *state;
    char *text = test_malloc(PLI_SERVE_MAX_MESSAGE + 1);
    memset(text, 'x', PLI_SERVE_MAX_MESSAGE);
    text[PLI_SERVE_MAX_MESSAGE] = '\0';
    client *made = open_socket(it);
    say_frame(made, FIN | OP_TEXT, text, PLI_SERVE_MAX_MESSAGE);
    expect_frame(made, OP_TEXT, text);
    // by their announcement, and by fragments
    say_frame(made, FIN | OP_TEXT, text, PLI_SERVE_MAX_MESSAGE + 1);
    expect_close(made, 1009);
    hang_up(made);
    made = open_socket(it);
    say_frame(made, OP_TEXT, text, PLI_SERVE_MAX_MESSAGE);
    say_frame(made, FIN | OP_MORE, "x", 1);
    expect_close(made, 1009);
    hang_up(made);
    // one of 2^63 - 1 bytes, of which the first come
    made = open_socket(it);
    say_bytes(made, "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14);
    say_bytes(made, text, 10);
    expect_close(made, 1009);
    hang_up(made);
    test_free(text);
    assert_int_equal(it->messages, 1);
}

static void closes_have_codes_that_may_be_sent(void **state)
{
    site *it = *state;
    static const int32_t good[] = {1000, 1001, 1002, 1003, 1007, 1011, 3000, 4999};
    static const int32_t bad[] = {0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        const char content[] = {(char)(good[i] >> 8), (char)good[i], 'b', 'y', 'e'};
        assert_int_equal(code_of_frame(it, FIN | OP_CLOSE, content, sizeof content), good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const char content[] = {(char)(bad[i] >> 8), (char)bad[i]};
        assert_int_equal(code_of_frame(it, FIN | OP_CLOSE, content, sizeof content), 1002);
    }
    assert_int_equal(code_of_frame(it, FIN | OP_CLOSE, "\x03", 1), 1002);
    // a reason that is no text ends it without a word
    assert_int_equal(code_of_frame(it, FIN | OP_CLOSE, "\x03\xe8\xff", 3), 0);
}

// Known and harmless: the standard wants both refused. If the library comes to do so, so much the
// better, and this has to say it.
static void unmasked_frames_and_long_lengths_are_taken_as_they_are(void **state)
{
    site *it = *state;
    client *made = open_socket(it);
    say_bytes(made, "\x81\x02hi", 4);
    expect_frame(made, OP_TEXT, "hi");
    say_bytes(made, "\x81\xfe\x00\x02\0\0\0\0ho", 10);
    expect_frame(made, OP_TEXT, "ho");
    hang_up(made);
}

#define WITH_SITE(test) cmocka_unit_test_setup_teardown(test, make_site, free_site)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SITE(wrong_first_lines_are_refused),
        WITH_SITE(hosts_are_there_once),
        WITH_SITE(only_one_plain_length_is_believed),
        WITH_SITE(large_heads_end_the_connection),
        WITH_SITE(paths_never_hold_what_no_path_of_ours_does),
        WITH_SITE(queries_keep_their_keys_apart),
        WITH_SITE(other_protocols_are_not_spoken),
        WITH_SITE(frames_that_must_not_be_close_the_socket),
        WITH_SITE(texts_that_are_not_utf8_close_the_socket),
        WITH_SITE(messages_up_to_the_limit_come_whole),
        WITH_SITE(closes_have_codes_that_may_be_sent),
        WITH_SITE(unmasked_frames_and_long_lengths_are_taken_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
