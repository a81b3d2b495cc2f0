// SPDX-License-Identifier: Apache-2.0
//
// Who may ask, and how answers begin.
#include "near.h"

#include "serve/access.h"
#include "serve/http_answer.h"

#define HOST "Host: 127.0.0.1:8686\r\n"

// ---- queries ----------------------------------------------------------------------------------

static void queries_are_decoded_by_key(void **state)
{
    (void)state;
    pli_http_request made = {.query = "fields=a%2Cb+c&token=xyz&empty=&bad=%zz"};
    char value[8];
    assert_true(pli_http_query(&made, "fields", value, sizeof value));
    assert_string_equal(value, "a,b c");
    assert_true(pli_http_query(&made, "token", value, sizeof value));
    assert_string_equal(value, "xyz");
    assert_true(pli_http_query(&made, "empty", value, sizeof value));
    assert_string_equal(value, "");
    const char *const missing[] = {"oken", "fiel", "bad", "xyz", "tokens"};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; ++i) {
        assert_false(pli_http_query(&made, missing[i], value, sizeof value));
    }
    assert_false(pli_http_query(&made, "token", value, 3));
    assert_true(pli_http_query(&made, "token", value, 5));
}

// ---- access -----------------------------------------------------------------------------------

#define TOKEN "0123456789abcdef-_XY"

static pli_access make_access(pli_context *context, int32_t port)
{
    static const char *const extra[] = {"desk.example.org", "fe80::1"};
    pli_server_options options = {.extra_hosts = extra, .extra_host_count = 2};
    pli_access access;
    OK(context, pli_access_init(&access, context, TOKEN));
    OK(context, pli_access_allow(&access, "192.168.1.5", &options, port));
    return access;
}

static void only_names_of_the_server_pass(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_access access = make_access(context, 8686);
    const char *const good[] = {"127.0.0.1:8686",  "localhost:8686",        "LOCALHOST:8686",
                                "[::1]:8686",      "desk.example.org:8686", "[fe80::1]:8686",
                                "192.168.1.5:8686"};
    const char *const bad[] = {"",
                               "127.0.0.1",
                               "127.0.0.1:80",
                               "127.0.0.1:86860",
                               "127.0.0.1:8686.evil.example",
                               "127.0.0.1.evil.example:8686",
                               "localhost.evil.example:8686",
                               "xlocalhost:8686",
                               "user@localhost:8686",
                               "localhost:8686/",
                               "::1:8686",
                               "127.1:8686",
                               "0.0.0.0:8686",
                               "evil.example:8686",
                               "null"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        pli_http_head head = {.fields = {[PLI_HTTP_HOST] = good[i]}};
        if (pli_access_check(&access, &head) != 0) fail_msg("%s is refused", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        pli_http_head head = {.fields = {[PLI_HTTP_HOST] = bad[i]}};
        if (pli_access_check(&access, &head) != 403) fail_msg("%s passes", bad[i]);

        char origin[128];
        snprintf(origin, sizeof origin, "http://%s", bad[i]);
        head.fields[PLI_HTTP_HOST] = good[0];
        head.fields[PLI_HTTP_ORIGIN] = origin;
        if (pli_access_check(&access, &head) != 403) fail_msg("%s passes", origin);
    }
    pli_access_clear(&access);
    pli_context_destroy(context);
}

static void origins_are_http_and_ours(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_access access = make_access(context, 80);
    pli_http_head head = {.fields = {[PLI_HTTP_HOST] = "localhost"}};
    const char *const bad[] = {"null",
                               "https://localhost",
                               "http://localhost/",
                               "localhost",
                               "",
                               "http:/localhost",
                               "http://localhost.evil.example"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        head.fields[PLI_HTTP_ORIGIN] = bad[i];
        assert_int_equal(pli_access_check(&access, &head), 403);
    }
    head.fields[PLI_HTTP_ORIGIN] = "http://localhost";
    assert_int_equal(pli_access_check(&access, &head), 0);
    head.fields[PLI_HTTP_ORIGIN] = "http://127.0.0.1:80";
    assert_int_equal(pli_access_check(&access, &head), 0);
    pli_access_clear(&access);
    pli_context_destroy(context);
}

// snprintf with a format from a table.
static void write_format(char *text, size_t capacity, const char *format, const char *value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, capacity, format, value);
#pragma GCC diagnostic pop
}

static bool is_let_in(const pli_access *access, const pli_http_head *head)
{
    pli_peer peer = pli_peer_of(-1);
    return pli_access_is_authorized(access, head, &peer);
}

static void token_is_the_whole_token(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_access access = make_access(context, 8686);
    pli_http_head head = {.method = "GET", .query = ""};
    assert_false(is_let_in(&access, &head));
    const char *const good[] = {"Bearer " TOKEN, "bearer  " TOKEN};
    const char *const bad[] = {"Bearer",
                               "Bearer ",
                               TOKEN,
                               "Basic " TOKEN,
                               "Bearer " TOKEN "Z",
                               "Bearer 0123456789abcdef-_X",
                               "Bearer 0123456789abcdef-_Xy",
                               "Bearer " TOKEN TOKEN,
                               "Bearer1234567890 " TOKEN,
                               ""};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        head.fields[PLI_HTTP_AUTHORIZATION] = good[i];
        assert_true(is_let_in(&access, &head));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        head.fields[PLI_HTTP_AUTHORIZATION] = bad[i];
        if (is_let_in(&access, &head)) fail_msg("'%s' passes", bad[i]);
    }
    head.fields[PLI_HTTP_AUTHORIZATION] = NULL;
    head.query = "token=" TOKEN;
    assert_false(is_let_in(&access, &head));
    pli_access_clear(&access);
    pli_context_destroy(context);
}

static void tokens_are_long_and_made_of_letters(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_access access;
    const char *const bad[] = {"", "short", "0123456789abcde", "0123456789abcdef/",
                               "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdefX"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(pli_access_init(&access, context, bad[i]), PLI_ERROR_ARGUMENT);
    }
    // without one, no bearer is let in
    OK(context, pli_access_init(&access, context, NULL));
    pli_http_head head = {.method = "GET", .query = ""};
    head.fields[PLI_HTTP_AUTHORIZATION] = "Bearer ";
    assert_false(is_let_in(&access, &head));
    pli_context_destroy(context);
}

// The cookie of a session as a browser sends it back.
static void open_session(pli_access *access, pli_server_reader reader, char *cookie)
{
    const char *code = NULL;
    pli_peer peer = pli_peer_of(-1);
    OK(access->context, pli_access_make_code(access, reader, 0, &code));
    assert_true(pli_access_open(access, code, 1, &peer, cookie));
    *strchr(cookie, ';') = '\0';
}

static void codes_work_once_and_not_for_long(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_access access = make_access(context, 8686);
    pli_peer peer = pli_peer_of(-1);
    char cookie[PLI_ACCESS_COOKIE_CAPACITY];
    char code[PLI_ACCESS_SECRET_CAPACITY];
    const char *made = NULL;
    assert_false(pli_access_open(&access, "", 0, &peer, cookie));
    OK(context, pli_access_make_code(&access, PLI_SERVER_FOR_PERSON, 10, &made));
    snprintf(code, sizeof code, "%s", made);
    assert_int_equal(strspn(code, "0123456789abcdef"), PLI_SERVE_SECRET_CHARS);
    assert_false(pli_access_open(&access, TOKEN, 11, &peer, cookie));
    assert_true(pli_access_open(&access, code, 11, &peer, cookie));
    assert_false(pli_access_open(&access, code, 11, &peer, cookie));
    // too late, and replaced
    OK(context, pli_access_make_code(&access, PLI_SERVER_FOR_PERSON, 10, &made));
    assert_string_not_equal(made, code);
    snprintf(code, sizeof code, "%s", made);
    assert_false(pli_access_open(&access, code, 10.1 + PLI_SERVE_PERSON_SECONDS, &peer, cookie));
    OK(context, pli_access_make_code(&access, PLI_SERVER_FOR_PERSON, 10, &made));
    snprintf(code, sizeof code, "%s", made);
    OK(context, pli_access_make_code(&access, PLI_SERVER_FOR_PERSON, 10, &made));
    assert_false(pli_access_open(&access, code, 11, &peer, cookie));
    // one for a browser is for processes of the same user alone
    OK(context, pli_access_make_code(&access, PLI_SERVER_FOR_BROWSER, 10, &made));
    assert_false(pli_access_open(&access, made, 11, &peer, cookie));
    pli_access_clear(&access);
    pli_context_destroy(context);
}

static void cookies_are_those_of_sessions_and_pages_of_ours(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_access access = make_access(context, 8686);
    char cookie[PLI_ACCESS_COOKIE_CAPACITY];
    char line[3 * PLI_ACCESS_COOKIE_CAPACITY];
    open_session(&access, PLI_SERVER_FOR_PERSON, cookie);
    pli_http_head head = {.method = "GET", .query = ""};
    static const char *const good[] = {"%s", "a=b; %s", "pliant-8686=junk; %s; c=d", "%s;"};
    static const char *const bad[] = {"%sx", "x%s", "%.20s", "a=%s", "pliant-8686=; %.12s"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        write_format(line, sizeof line, good[i], cookie);
        head.fields[PLI_HTTP_COOKIE] = line;
        if (!is_let_in(&access, &head)) fail_msg("'%s' does not pass", line);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        write_format(line, sizeof line, bad[i], cookie);
        head.fields[PLI_HTTP_COOKIE] = line;
        if (is_let_in(&access, &head)) fail_msg("'%s' passes", line);
    }
    head.fields[PLI_HTTP_COOKIE] = cookie;
    head.fields[PLI_HTTP_FETCH_SITE] = "same-site";
    assert_false(is_let_in(&access, &head));
    head.fields[PLI_HTTP_FETCH_SITE] = "same-origin";
    assert_true(is_let_in(&access, &head));
    head.method = "POST";
    assert_false(is_let_in(&access, &head));
    head.fields[PLI_HTTP_ORIGIN] = "http://127.0.0.1:8686";
    assert_true(is_let_in(&access, &head));

    // the oldest session makes room
    char last[PLI_ACCESS_COOKIE_CAPACITY];
    for (int i = 0; i < PLI_ACCESS_SESSIONS; ++i) {
        assert_true(is_let_in(&access, &head));
        open_session(&access, PLI_SERVER_FOR_PERSON, last);
    }
    assert_false(is_let_in(&access, &head));
    head.fields[PLI_HTTP_COOKIE] = last;
    assert_true(is_let_in(&access, &head));
    pli_access_clear(&access);
    pli_context_destroy(context);
}

// ---- answers ----------------------------------------------------------------------------------

static void answers_have_the_headers_of_safety(void **state)
{
    (void)state;
    char text[PLI_HTTP_ANSWER_CAPACITY];
    static const char *const lines[] = {"\r\nX-Content-Type-Options: nosniff\r\n",
                                        "\r\nReferrer-Policy: no-referrer\r\n",
                                        "\r\nCache-Control: no-store\r\n",
                                        "\r\nCross-Origin-Resource-Policy: same-origin\r\n",
                                        "\r\nX-Frame-Options: DENY\r\n",
                                        "\r\nContent-Security-Policy: default-src 'none'"};
    int32_t statuses[] = {200, 400, 403, 404, 405, 426, 431, 503};
    for (size_t k = 0; k < sizeof statuses / sizeof statuses[0]; ++k) {
        int64_t size = pli_http_answer_refusal(statuses[k], true, text);
        assert_int_equal(size, strlen(text));
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
            assert_non_null(strstr(text, lines[i]));
        }
    }
    // nothing follows the head of an answer to HEAD
    int64_t size = pli_http_answer_refusal(404, false, text);
    assert_string_equal(text + size - 4, "\r\n\r\n");
    assert_non_null(strstr(text, "Content-Length: 14\r\n"));
}

static void policy_that_does_not_fit_is_noticed(void **state)
{
    (void)state;
    char text[PLI_HTTP_ANSWER_CAPACITY];
    char *policy = test_malloc(2 * PLI_HTTP_ANSWER_CAPACITY);
    memset(policy, 'a', 2 * PLI_HTTP_ANSWER_CAPACITY);
    policy[2 * PLI_HTTP_ANSWER_CAPACITY - 1] = '\0';
    pli_http_answer answer = {.status = 200, .policy = policy};
    assert_int_equal(pli_http_answer_head(&answer, text), 0);
    test_free(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_decoded_by_key),
        cmocka_unit_test(only_names_of_the_server_pass),
        cmocka_unit_test(origins_are_http_and_ours),
        cmocka_unit_test(token_is_the_whole_token),
        cmocka_unit_test(tokens_are_long_and_made_of_letters),
        cmocka_unit_test(codes_work_once_and_not_for_long),
        cmocka_unit_test(cookies_are_those_of_sessions_and_pages_of_ours),
        cmocka_unit_test(answers_have_the_headers_of_safety),
        cmocka_unit_test(policy_that_does_not_fit_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
