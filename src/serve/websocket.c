// SPDX-License-Identifier: Apache-2.0
#include "serve/websocket.h"

#include "serve/digest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- handshake --------------------------------------------------------------------------------

enum { KEY_BYTES = 16, KEY_CHARS = 24 };

bool pli_websocket_is_key(const char *key)
{
    return pli_base64_is_of(key, KEY_BYTES);
}

void pli_websocket_accept(const char *key, char accept[PLI_WEBSOCKET_ACCEPT])
{
    char text[KEY_CHARS + 37];
    snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    uint8_t digest[PLI_SHA1_BYTES];
    pli_sha1(text, (int64_t)strlen(text), digest);
    pli_base64_encode(digest, PLI_SHA1_BYTES, accept);
}

// ---- out --------------------------------------------------------------------------------------

int32_t pli_websocket_head(pli_websocket_opcode opcode, int64_t size,
                           uint8_t head[PLI_WEBSOCKET_HEAD])
{
    int32_t extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
    head[0] = (uint8_t)(0x80 | opcode);
    head[1] = extra == 0 ? (uint8_t)size : extra == 2 ? 126 : 127;
    for (int32_t i = 0; i < extra; ++i) head[2 + i] = (uint8_t)(size >> (8 * (extra - 1 - i)));
    return 2 + extra;
}

// ---- heads ------------------------------------------------------------------------------------

static pli_websocket_event fail(pli_websocket_reader *reader, int32_t code)
{
    reader->code = code;
    return PLI_WEBSOCKET_FAULT;
}

static bool is_control(pli_websocket_opcode opcode)
{
    return opcode >= PLI_WEBSOCKET_CLOSE;
}

// What the first two bytes say; 0, or the code of a fault. Sets how long the head is.
static int32_t begin_head(pli_websocket_reader *reader)
{
    uint8_t first = reader->head[0];
    uint8_t second = reader->head[1];
    int32_t length = second & 0x7f;
    reader->opcode = (pli_websocket_opcode)(first & 0x0f);
    reader->is_last = (first & 0x80) != 0;
    ++reader->frame_count;

    // no extension was agreed on, and clients mask
    bool is_reserved = (first & 0x70) != 0 || (reader->opcode > 2 && reader->opcode < 8) ||
                       reader->opcode > PLI_WEBSOCKET_PONG;
    if (is_reserved || (second & 0x80) == 0) return PLI_WEBSOCKET_PROTOCOL;
    if (is_control(reader->opcode)) {
        if (!reader->is_last || length > PLI_WEBSOCKET_CONTROL) return PLI_WEBSOCKET_PROTOCOL;
    } else if (reader->in_message != (reader->opcode == PLI_WEBSOCKET_CONTINUATION)) {
        return PLI_WEBSOCKET_PROTOCOL;
    } else if (reader->opcode == PLI_WEBSOCKET_BINARY) {
        return PLI_WEBSOCKET_KIND;
    }
    reader->head_size = 6 + (length < 126 ? 0 : length == 126 ? 2 : 8);
    return 0;
}

// The length of the payload, which has to be written as short as it can be.
static int32_t read_length(pli_websocket_reader *reader)
{
    int32_t extra = reader->head_size - 6;
    uint64_t length = extra == 0 ? reader->head[1] & 0x7f : 0;
    for (int32_t i = 0; i < extra; ++i) length = length << 8 | reader->head[2 + i];
    bool is_short = (extra == 2 && length < 126) || (extra == 8 && length < 65536);
    if (is_short || length > INT64_MAX) return PLI_WEBSOCKET_PROTOCOL;
    reader->left = (int64_t)length;
    return 0;
}

// The head is whole: what follows is the payload.
static int32_t end_head(pli_websocket_reader *reader)
{
    int32_t code = read_length(reader);
    if (code != 0) return code;
    if (is_control(reader->opcode)) {
        reader->control_size = 0;
    } else {
        if (reader->opcode == PLI_WEBSOCKET_TEXT) {
            reader->message_size = 0;
            reader->utf8 = (pli_utf8){0};
        }
        if (reader->left > PLI_SERVE_MAX_MESSAGE - reader->message_size) {
            return PLI_WEBSOCKET_TOO_BIG;
        }
        reader->in_message = true;
    }
    reader->in_payload = true;
    reader->mask_at = 0;
    return 0;
}

// Reads bytes of a head, one by one; 0, or the code of a fault.
static int32_t read_head(pli_websocket_reader *reader, const uint8_t **at, const uint8_t *end)
{
    while (*at < end && !reader->in_payload) {
        reader->head[reader->head_count++] = *(*at)++;
        int32_t code = 0;
        if (reader->head_count == 2) code = begin_head(reader);
        if (code == 0 && reader->head_count == reader->head_size) code = end_head(reader);
        if (code != 0) return code;
    }
    return 0;
}

// ---- payloads ---------------------------------------------------------------------------------

// Copies so many bytes without their mask.
static void unmask(pli_websocket_reader *reader, const uint8_t *from, void *to, int64_t count)
{
    const uint8_t *mask = reader->head + reader->head_size - 4;
    uint8_t *byte = to;
    for (int64_t i = 0; i < count; ++i) {
        byte[i] = from[i] ^ mask[reader->mask_at];
        reader->mask_at = (reader->mask_at + 1) & 3;
    }
}

// Takes what there is of the payload; 0, or the code of a fault.
static int32_t read_payload(pli_websocket_reader *reader, const uint8_t **at, const uint8_t *end)
{
    int64_t count = end - *at < reader->left ? end - *at : reader->left;
    const uint8_t *from = *at;
    *at += count;
    reader->left -= count;
    if (is_control(reader->opcode)) {
        unmask(reader, from, reader->control + reader->control_size, count);
        reader->control_size += (int32_t)count;
        return 0;
    }
    char *piece = reader->message + reader->message_size;
    unmask(reader, from, piece, count);
    reader->message_size += count;
    return pli_utf8_read(&reader->utf8, piece, count) ? 0 : PLI_WEBSOCKET_DATA;
}

// Codes that may stand in a close frame.
static bool is_code(int32_t code)
{
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
           (code >= 3000 && code <= 4999);
}

static pli_websocket_event end_close(pli_websocket_reader *reader)
{
    reader->code = PLI_WEBSOCKET_NO_CODE;
    if (reader->control_size == 0) return PLI_WEBSOCKET_CLOSED;
    if (reader->control_size == 1) return fail(reader, PLI_WEBSOCKET_PROTOCOL);
    reader->code = reader->control[0] << 8 | reader->control[1];
    if (!is_code(reader->code)) return fail(reader, PLI_WEBSOCKET_PROTOCOL);
    bool is_text = pli_utf8_is_whole(reader->control + 2, reader->control_size - 2);
    return is_text ? PLI_WEBSOCKET_CLOSED : fail(reader, PLI_WEBSOCKET_DATA);
}

static pli_websocket_event end_text(pli_websocket_reader *reader)
{
    if (!reader->is_last) return PLI_WEBSOCKET_MORE;
    if (reader->utf8.left > 0) return fail(reader, PLI_WEBSOCKET_DATA);
    reader->message[reader->message_size] = '\0';
    reader->in_message = false;
    return PLI_WEBSOCKET_MESSAGE;
}

// The frame is whole.
static pli_websocket_event end_frame(pli_websocket_reader *reader)
{
    reader->head_count = 0;
    reader->head_size = 2;
    reader->in_payload = false;
    switch (reader->opcode) {
    case PLI_WEBSOCKET_CLOSE: return end_close(reader);
    case PLI_WEBSOCKET_PING: return PLI_WEBSOCKET_PINGED;
    case PLI_WEBSOCKET_PONG: return PLI_WEBSOCKET_PONGED;
    default: return end_text(reader);
    }
}

// ---- reading ----------------------------------------------------------------------------------

void pli_websocket_reader_init(pli_websocket_reader *reader)
{
    memset(reader, 0, offsetof(pli_websocket_reader, message));
    reader->head_size = 2;
}

pli_websocket_event pli_websocket_read(pli_websocket_reader *reader, const uint8_t **at,
                                       const uint8_t *end)
{
    for (;;) {
        int32_t code = read_head(reader, at, end);
        if (code == 0 && reader->in_payload) code = read_payload(reader, at, end);
        if (code != 0) return fail(reader, code);
        if (!reader->in_payload || reader->left > 0) return PLI_WEBSOCKET_MORE;
        pli_websocket_event event = end_frame(reader);
        if (event != PLI_WEBSOCKET_MORE) return event;
    }
}
