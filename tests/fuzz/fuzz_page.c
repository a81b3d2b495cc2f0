// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes what clients send to the page's server: the head of a request, then frames. Any bytes give
// sound parts or a refusal, and the same ones however they are cut: the first byte of the input
// says how large the pieces are.
#include "fuzz.h"

#include "serve/access.h"
#include "serve/http.h"
#include "serve/websocket.h"

// ---- heads

static int64_t scan_in_pieces(const char *bytes, int64_t count, int64_t step)
{
    pli_http_scan scan = {0};
    for (int64_t there = step; there < count + step; there += step) {
        int64_t size = pli_http_scan_head(&scan, bytes, there < count ? there : count);
        if (size != 0) return size;
    }
    return 0;
}

static void check_path(const char *path)
{
    CHECK(path[0] == '/' && pli_utf8_is_whole(path, (int64_t)strlen(path)));
    CHECK(strstr(path, "/../") == NULL && strchr(path, '\\') == NULL);
    size_t length = strlen(path);
    CHECK(length < 3 || strcmp(path + length - 3, "/..") != 0);
    for (const char *c = path; *c != '\0'; ++c) CHECK((uint8_t)*c >= 0x20 && *c != 0x7f);
}

static void check_head(const pli_http_head *head)
{
    CHECK(head->method != NULL && head->fields[PLI_HTTP_HOST] != NULL);
    CHECK(head->body_size >= 0 && head->body_size <= PLI_SERVE_MAX_BODY);
    CHECK(head->fields[PLI_HTTP_TRANSFER_ENCODING] == NULL);
    check_path(head->path);

    pli_http_request request = {.query = head->query};
    char value[16];
    if (pli_http_query(&request, "code", value, sizeof value)) {
        CHECK(strlen(value) < sizeof value);
    }
    pli_access access = {.port = 8686, .token = "0123456789abcdef"};
    snprintf(access.sessions[0].secret, sizeof access.sessions[0].secret, "%s", access.token);
    pli_peer peer = pli_peer_of(-1);
    (void)pli_access_is_authorized(&access, head, &peer);
    CHECK(pli_access_check(&access, head) == 403);
}

// The bytes behind the head; 0: it was refused or is not whole.
static int64_t fuzz_head(const uint8_t *data, int64_t count, int64_t step)
{
    int64_t size = scan_in_pieces((const char *)data, count, step);
    CHECK(size == scan_in_pieces((const char *)data, count, count > 0 ? count : 1));
    CHECK(size <= count && size <= PLI_SERVE_MAX_HEAD);
    if (size <= 0) {
        CHECK(size == 0 || size == -400 || size == -431);
        return 0;
    }
    // of its own size, so that a byte past its end is noticed
    char *head_bytes = malloc((size_t)size);
    CHECK(head_bytes != NULL);
    memcpy(head_bytes, data, (size_t)size);
    pli_http_head head;
    int32_t status = pli_http_parse_head(head_bytes, size, &head);
    CHECK(status == 0 || (status >= 400 && status <= 505));
    if (status == 0) check_head(&head);
    free(head_bytes);
    return size;
}

// ---- frames

// A number that tells apart what was heard.
static uint64_t add_event(uint64_t sum, const pli_websocket_reader *reader,
                          pli_websocket_event event)
{
    sum = sum * 31 + (uint64_t)event;
    if (event == PLI_WEBSOCKET_MESSAGE) {
        CHECK(reader->message_size <= PLI_SERVE_MAX_MESSAGE);
        CHECK(reader->message[reader->message_size] == '\0');
        CHECK(pli_utf8_is_whole(reader->message, reader->message_size));
        for (int64_t i = 0; i < reader->message_size; ++i) {
            sum = sum * 31 + (uint8_t)reader->message[i];
        }
    } else if (event == PLI_WEBSOCKET_PINGED || event == PLI_WEBSOCKET_PONGED) {
        CHECK(reader->control_size <= PLI_WEBSOCKET_CONTROL);
        for (int32_t i = 0; i < reader->control_size; ++i) sum = sum * 31 + reader->control[i];
    } else {
        CHECK(reader->code >= 1000 && reader->code <= 4999);
        sum = sum * 31 + (uint64_t)reader->code;
    }
    return sum;
}

static uint64_t read_in_pieces(pli_websocket_reader *reader, const uint8_t *data, int64_t count,
                               int64_t step)
{
    uint64_t sum = 0;
    pli_websocket_reader_init(reader);
    for (int64_t begin = 0; begin < count; begin += step) {
        const uint8_t *at = data + begin;
        const uint8_t *end = at + (count - begin < step ? count - begin : step);
        while (at < end) {
            pli_websocket_event event = pli_websocket_read(reader, &at, end);
            CHECK(at <= end);
            if (event == PLI_WEBSOCKET_MORE) break;
            sum = add_event(sum, reader, event);
            if (event == PLI_WEBSOCKET_FAULT || event == PLI_WEBSOCKET_CLOSED) return sum;
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    int64_t step = 1 + data[0] % 37;
    int64_t count = (int64_t)size - 1;
    int64_t begin = fuzz_head(data + 1, count, step);
    static pli_websocket_reader reader;
    const uint8_t *frames = data + 1 + begin;
    count -= begin;
    uint64_t sum = read_in_pieces(&reader, frames, count, step);
    CHECK(sum == read_in_pieces(&reader, frames, count, count > 0 ? count : 1));
    return 0;
}
