// SPDX-License-Identifier: Apache-2.0
//
// Frames of WebSocket (RFC 6455), the server's side, without extensions. The reader takes bytes as
// they come, cut anywhere, and gives whole messages and control frames, or the code to close with.
// Room is fixed: lengths are compared with limits and never allocate.
#ifndef PLI_SERVE_WEBSOCKET_H
#define PLI_SERVE_WEBSOCKET_H

#include "serve/server.h"
#include "serve/utf8.h"

enum {
    PLI_WEBSOCKET_HEAD = 14,     // bytes of the longest head of a frame
    PLI_WEBSOCKET_CONTROL = 125, // bytes of the longest control frame
    PLI_WEBSOCKET_ACCEPT = 29    // bytes of the answer to a key, with its zero byte
};

typedef enum pli_websocket_opcode {
    PLI_WEBSOCKET_CONTINUATION = 0,
    PLI_WEBSOCKET_TEXT = 1,
    PLI_WEBSOCKET_BINARY = 2,
    PLI_WEBSOCKET_CLOSE = 8,
    PLI_WEBSOCKET_PING = 9,
    PLI_WEBSOCKET_PONG = 10
} pli_websocket_opcode;

typedef enum pli_websocket_code {
    PLI_WEBSOCKET_NORMAL = 1000,
    PLI_WEBSOCKET_AWAY = 1001,     // the server ends
    PLI_WEBSOCKET_PROTOCOL = 1002, // a frame that must not be
    PLI_WEBSOCKET_KIND = 1003,     // a binary message
    PLI_WEBSOCKET_NO_CODE = 1005,  // a close without one; never sent
    PLI_WEBSOCKET_DATA = 1007,     // a text that is not UTF-8
    PLI_WEBSOCKET_POLICY = 1008,   // too many messages
    PLI_WEBSOCKET_TOO_BIG = 1009   // a message past the limit
} pli_websocket_code;

// ---- handshake

// Whether a key is sixteen bytes in base64.
bool pli_websocket_is_key(const char *key);
void pli_websocket_accept(const char *key, char accept[PLI_WEBSOCKET_ACCEPT]);

// ---- out

// Writes the head of a whole frame; returns its length.
int32_t pli_websocket_head(pli_websocket_opcode opcode, int64_t size,
                           uint8_t head[PLI_WEBSOCKET_HEAD]);

// ---- in

typedef enum pli_websocket_event {
    PLI_WEBSOCKET_MORE,    // all bytes are used up
    PLI_WEBSOCKET_MESSAGE, // a text: message
    PLI_WEBSOCKET_PINGED,  // its content: control
    PLI_WEBSOCKET_PONGED,
    PLI_WEBSOCKET_CLOSED, // code says why
    PLI_WEBSOCKET_FAULT   // code says what to close with; the reader is at its end
} pli_websocket_event;

typedef struct pli_websocket_reader {
    // valid after an event, until the next call
    int32_t code;
    int64_t frame_count; // that have begun so far, fragments and control frames too
    int64_t message_size;
    int32_t control_size;
    uint8_t control[PLI_WEBSOCKET_CONTROL];

    // the frame that is being read
    uint8_t head[PLI_WEBSOCKET_HEAD];
    int32_t head_count;          // bytes of it that are there
    int32_t head_size;           // that it has; 2 until those are known
    pli_websocket_opcode opcode; // of the frame, once its head is there
    bool is_last;                // no fragment follows
    bool in_payload;             // the head has been read
    int64_t left;                // bytes of the payload that are missing
    int32_t mask_at;             // which byte of the mask is next

    bool in_message; // a text has begun and is not whole
    pli_utf8 utf8;
    char message[PLI_SERVE_MAX_MESSAGE + 1]; // with a zero byte behind it
} pli_websocket_reader;

// Makes a reader ready; its buffer is not touched.
void pli_websocket_reader_init(pli_websocket_reader *reader);

// Reads from *at, which moves, up to end or the next event.
pli_websocket_event pli_websocket_read(pli_websocket_reader *reader, const uint8_t **at,
                                       const uint8_t *end);

#endif
