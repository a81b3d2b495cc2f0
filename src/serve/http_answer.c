// SPDX-License-Identifier: Apache-2.0
#include "serve/http_answer.h"

#include <inttypes.h>
#include <libwebsockets.h>
#include <stdio.h>

static const struct {
    int32_t status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {204, "No Content"},
    {303, "See Other"},
    {400, "Bad Request"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {411, "Length Required"},
    {413, "Content Too Large"},
    {426, "Upgrade Required"},
    {500, "Internal Server Error"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

const char *pli_http_reason(int32_t status)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; ++i) {
        if (reasons[i].status == status) return reasons[i].reason;
    }
    return "Status";
}

// Lines that some statuses have to have.
static const char *lines_of(int32_t status)
{
    switch (status) {
    case 405: return "Allow: GET, HEAD, POST\r\n";
    case 426: return "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    case 503: return "Retry-After: 5\r\n";
    default: return "";
    }
}

#define NOTHING "default-src 'none'; frame-ancestors 'none'"

static const struct lws_protocol_vhost_options safety[] = {
    {&safety[1], NULL, "Content-Security-Policy:", NOTHING},
    {&safety[2], NULL, "X-Content-Type-Options:", "nosniff"},
    {&safety[3], NULL, "X-Frame-Options:", "DENY"},
    {&safety[4], NULL, "Referrer-Policy:", "no-referrer"},
    {&safety[5], NULL, "Cross-Origin-Resource-Policy:", "same-origin"},
    {NULL, NULL, "Cache-Control:", "no-store"},
};

const struct lws_protocol_vhost_options *pli_http_safety(void)
{
    return safety;
}

// All of them, but with a policy of the answer's own.
static int write_safety(const char *policy, char *text, size_t capacity)
{
    const struct lws_protocol_vhost_options *line = safety;
    int used = snprintf(text, capacity, "%s %s\r\n", line->name, policy);
    for (line = line->next; line != NULL && used >= 0 && (size_t)used < capacity;
         line = line->next) {
        int more =
            snprintf(text + used, capacity - (size_t)used, "%s %s\r\n", line->name, line->value);
        used = more < 0 ? -1 : used + more;
    }
    return used;
}

// The lines about the content.
static int write_matter(const pli_http_answer *answer, char *text, size_t capacity)
{
    const char *type = answer->content_type != NULL ? answer->content_type : "text/plain";
    return snprintf(text, capacity,
                    "Content-Type: %s\r\nContent-Length: %" PRId64 "\r\n%sConnection: %s\r\n%s",
                    type, answer->size, answer->gzip ? "Content-Encoding: gzip\r\n" : "",
                    answer->keeps ? "keep-alive" : "close", lines_of(answer->status));
}

// Where to go on, and what to keep. Negative or too long: it does not fit.
static int write_opening(const pli_http_answer *answer, char *text, size_t capacity)
{
    bool goes_on = answer->location != NULL;
    bool keeps = answer->cookie != NULL;
    return snprintf(text, capacity, "%s%s%s%s%s%s", goes_on ? "Location: " : "",
                    goes_on ? answer->location : "", goes_on ? "\r\n" : "",
                    keeps ? "Set-Cookie: " : "", keeps ? answer->cookie : "", keeps ? "\r\n" : "");
}

int64_t pli_http_answer_head(const pli_http_answer *answer, char text[PLI_HTTP_ANSWER_CAPACITY])
{
    char matter[512];
    int size = write_matter(answer, matter, sizeof matter);
    if (size < 0 || size >= (int)sizeof matter) return 0;
    char opening[1024];
    size = write_opening(answer, opening, sizeof opening);
    if (size < 0 || size >= (int)sizeof opening) return 0;
    char lines[PLI_HTTP_ANSWER_CAPACITY];
    size = write_safety(answer->policy != NULL ? answer->policy : NOTHING, lines, sizeof lines);
    if (size < 0 || size >= (int)sizeof lines) return 0;
    int length = snprintf(text, PLI_HTTP_ANSWER_CAPACITY, "HTTP/1.1 %d %s\r\n%s%s%s\r\n",
                          answer->status, pli_http_reason(answer->status), matter, opening, lines);
    return length > 0 && length < PLI_HTTP_ANSWER_CAPACITY ? length : 0;
}

int64_t pli_http_answer_refusal(int32_t status, bool with_body, char text[PLI_HTTP_ANSWER_CAPACITY])
{
    char line[64];
    int size = snprintf(line, sizeof line, "%d %s\n", status, pli_http_reason(status));
    pli_http_answer answer = {.status = status, .size = size};
    int64_t length = pli_http_answer_head(&answer, text);
    if (!with_body) return length;
    int more = snprintf(text + length, (size_t)(PLI_HTTP_ANSWER_CAPACITY - length), "%s", line);
    return length + more;
}
