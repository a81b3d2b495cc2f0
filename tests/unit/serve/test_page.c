// SPDX-License-Identifier: Apache-2.0
//
// The page as programs see it: address, turns, watchers, and failures that leave nothing behind.
#include "folder.h"
#include "sample_series.h"
#include "support/fault_sweep.h"

#include "base/timers.h"
#include "pliant/pliant.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

static const char token[] = "0123456789abcdef";

static pli_page *open_page(folder_fixture *fix)
{
    sample_write(fix->context, fix->folder, false, 3, 0, 1);
    pli_page_def def = {0};
    def.token = token;
    pli_page *page = NULL;
    OK(fix->context, pli_page_create_view(fix->context, &def, fix->folder, &page));
    return page;
}

static int port_of(pli_page *page)
{
    int port = 0;
    char rest[64] = "";
    const char *address = NULL;
    assert_int_equal(pli_page_make_address(page, PLI_PAGE_FOR_PERSON, &address), PLI_OK);
    assert_int_equal(sscanf(address, "http://127.0.0.1:%d/open?code=%63s", &port, rest), 2);
    assert_int_equal(strlen(rest), 32);
    assert_memory_equal(pli_page_get_info(page).address, address,
                        strlen(pli_page_get_info(page).address));
    return port;
}

static void browsers_are_answered_and_watch(void **state)
{
    folder_fixture *fix = *state;
    pli_page *page = open_page(fix);
    int port = port_of(page);
    assert_int_equal(pli_page_get_info(page).watchers, 0);

    int client = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    char text[512];
    int length = snprintf(text, sizeof text,
                          "GET /api/series HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                          "Authorization: Bearer %s\r\nConnection: close\r\n\r\n",
                          port, token);
    assert_int_equal(write(client, text, (size_t)length), length);

    // turns, until the server has closed its side
    char got[8192] = "";
    size_t size = 0;
    bool open = true;
    for (int turn = 0; open && turn < 200; ++turn) {
        OK(fix->context, pli_page_turn(page, 20));
        struct pollfd ready = {.fd = client, .events = POLLIN};
        while (open && poll(&ready, 1, 0) == 1 && size < sizeof got - 1) {
            ssize_t count = read(client, got + size, sizeof got - 1 - size);
            open = count > 0;
            if (open) size += (size_t)count;
        }
    }
    close(client);
    assert_false(open);
    assert_non_null(strstr(got, "HTTP/1.1 200"));
    assert_non_null(strstr(got, "\"frames\":[[0,0],[1,"));
    assert_int_equal(pli_page_get_info(page).watchers, 1);
    pli_page_destroy(page);
}

static void *wake(void *user)
{
    pli_page_wake(user);
    return NULL;
}

static void waking_ends_a_turn(void **state)
{
    folder_fixture *fix = *state;
    pli_page *page = open_page(fix);
    pthread_t thread;
    double start = pli_clock_seconds();
    assert_int_equal(pthread_create(&thread, NULL, wake, page), 0);
    OK(fix->context, pli_page_turn(page, 60000));
    assert_int_equal(pthread_join(thread, NULL), 0);
    // far less than was allowed
    AT_MOST(pli_clock_seconds() - start, 30);
    pli_page_destroy(page);
}

static void wrong_pages_are_refused(void **state)
{
    folder_fixture *fix = *state;
    pli_page_def def = {0};
    pli_page *page = NULL;
    assert_int_equal(pli_page_create_view(fix->context, &def, NULL, &page), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_page_create_view(fix->context, &def, fix->folder, &page), PLI_ERROR_IO);
    assert_null(page);
    sample_write(fix->context, fix->folder, false, 3, 0, 0);
    def.token = "short";
    assert_int_equal(pli_page_create_view(fix->context, &def, fix->folder, &page),
                     PLI_ERROR_ARGUMENT);
    assert_null(page);
    pli_page_destroy(NULL);
}

static void taken_port_is_said(void **state)
{
    folder_fixture *fix = *state;
    pli_page *page = open_page(fix);
    pli_page_def def = {0};
    def.port = port_of(page);
    pli_page *other = NULL;
    assert_int_equal(pli_page_create_view(fix->context, &def, fix->folder, &other), PLI_ERROR_IO);
    char number[16];
    snprintf(number, sizeof number, "%d", def.port);
    assert_true(message_has(fix->context, number));
    pli_page_destroy(page);
}

static void every_failed_allocation_leaves_nothing(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 3, 0, 0);
    // what only tells apart runs in a folder may do without memory
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        pli_page *page = NULL;
        pli_page_def page_def = {0};
        sweep.status = pli_page_create_view(sweep.context, &page_def, fix->folder, &page);
        assert_int_equal(page == NULL, sweep.status != PLI_OK);
        pli_page_destroy(page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(browsers_are_answered_and_watch),
        TEST_IN_FOLDER(waking_ends_a_turn),
        TEST_IN_FOLDER(wrong_pages_are_refused),
        TEST_IN_FOLDER(taken_port_is_said),
        TEST_IN_FOLDER(every_failed_allocation_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
