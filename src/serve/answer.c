// SPDX-License-Identifier: Apache-2.0
#include "serve/answer.h"

#include "serve/page_bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The page is one file with script and style in it. It talks to its own server alone, makes
// pictures and downloads of its own, and is framed by nobody.
static const char page_policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static void take_packet(pli_http_response *response, int32_t status, const char *type,
                        pli_packet *packet)
{
    response->status = packet != NULL ? status : 500;
    response->content_type = type;
    response->packet = packet;
}

static void copy_bytes(pli_context *context, pli_http_response *response, int32_t status,
                       const char *type, const void *bytes, int64_t count)
{
    pli_packet *packet = pli_packet_create(context, count);
    if (packet != NULL && count > 0) memcpy(pli_packet_bytes(packet), bytes, (size_t)count);
    take_packet(response, status, type, packet);
}

static void answer_line(pli_context *context, pli_http_response *response, int32_t status,
                        const char *line)
{
    copy_bytes(context, response, status, "text/plain; charset=utf-8", line, (int64_t)strlen(line));
}

void pli_answer_words(pli_context *context, pli_http_response *response, int32_t status,
                      const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    answer_line(context, response, status, line);
}

void pli_answer_failure(pli_context *context, pli_http_response *response, int32_t status)
{
    char line[1024];
    pli_context_message(context, line, sizeof line);
    answer_line(context, response, status, line);
}

void pli_answer_json(pli_context *context, pli_http_response *response, const pli_text *text)
{
    if (text->failed) {
        response->status = 500;
        return;
    }
    pli_answer_bytes(context, response, "application/json", text->bytes, text->length);
}

void pli_answer_bytes(pli_context *context, pli_http_response *response, const char *type,
                      const void *bytes, int64_t count)
{
    copy_bytes(context, response, 200, type, bytes, count);
}

void pli_answer_packet(pli_http_response *response, pli_packet *packet)
{
    take_packet(response, 200, "application/octet-stream", packet);
}

void pli_answer_page(pli_context *context, pli_http_response *response)
{
    int64_t size = pli_page_end - pli_page_begin;
    take_packet(response, 200, "text/html; charset=utf-8",
                pli_packet_create_static(context, pli_page_begin, size));
    response->gzip = true;
    response->policy = page_policy;
}
