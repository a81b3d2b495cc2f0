// SPDX-License-Identifier: Apache-2.0
//
// Heads of HTTP/1.1 requests (RFC 9112), read strictly: what two readers could understand in two
// ways is refused. The bytes stay where they are; texts of the head are made by zero bytes in
// them, so that nothing is allocated and nothing is believed about lengths.
//
//     bytes -> scan: is the head whole? -> parse: its parts, or the status to refuse with
//
// Bodies have a Content-Length; Transfer-Encoding is refused. Targets are paths on this server.
#ifndef PLI_SERVE_HTTP_H
#define PLI_SERVE_HTTP_H

#include "serve/server.h"

enum { PLI_HTTP_MAX_LINES = 100 }; // of a head; more gets 431

typedef struct pli_http_scan {
    int64_t seen;  // bytes that have been looked at
    int64_t line;  // where the current line begins
    int32_t lines; // whole lines so far
} pli_http_scan;

// Goes on where it ended the last time. Returns the size of the head with its empty line, 0 when
// more bytes are needed, or minus the status to refuse it with.
int64_t pli_http_scan_head(pli_http_scan *scan, const char *bytes, int64_t count);

// Fields that may be there once.
typedef enum pli_http_field {
    PLI_HTTP_HOST,
    PLI_HTTP_ORIGIN,
    PLI_HTTP_AUTHORIZATION,
    PLI_HTTP_COOKIE,
    PLI_HTTP_FETCH_SITE,
    PLI_HTTP_CONTENT_LENGTH,
    PLI_HTTP_TRANSFER_ENCODING,
    PLI_HTTP_EXPECT,
    PLI_HTTP_SOCKET_KEY,
    PLI_HTTP_SOCKET_VERSION,
    PLI_HTTP_FIELDS
} pli_http_field;

// Lifetime: that of the bytes it was parsed from.
typedef struct pli_http_head {
    const char *method; // "GET", "HEAD" or "POST"; NULL: refused before it was known
    const char *path;   // decoded once: UTF-8 without control characters, backslashes, "..", "."
    const char *query;  // as it came
    const char *fields[PLI_HTTP_FIELDS]; // without spaces around them; NULL: not there
    int64_t body_size;
    bool keeps;        // the connection may serve another request
    bool asks_upgrade; // Connection: upgrade
    bool asks_sockets; // Upgrade: websocket
} pli_http_head;

// Takes a whole head apart and writes zero bytes into it. Returns 0 or the status to refuse with.
int32_t pli_http_parse_head(char *bytes, int64_t size, pli_http_head *head);

// Whether two texts are the same but for the case of ASCII letters, in any locale.
bool pli_http_is_same(const char *a, const char *b);

#endif
