// SPDX-License-Identifier: Apache-2.0
//
// What a request asks for, out of the head that the library (libwebsockets) has read, and its
// queries. The library is lenient about how heads are written; what two readers could understand
// in two ways is refused here: fields that are there twice, bodies of unclear length, paths with
// bytes that no path of ours has.
//
// Bodies belong to POST and have a Content-Length; Transfer-Encoding is refused. Segments "." and
// ".." of paths are gone when they come here.
#ifndef PLI_SERVE_HTTP_H
#define PLI_SERVE_HTTP_H

#include "serve/server.h"

struct lws;

enum { PLI_HTTP_FIELD_CAPACITY = 320 }; // bytes of fields that are short, with a zero byte

// Fields that may be there once.
typedef enum pli_http_field {
    PLI_HTTP_HOST,
    PLI_HTTP_ORIGIN,
    PLI_HTTP_AUTHORIZATION,
    PLI_HTTP_COOKIE,
    PLI_HTTP_FETCH_SITE,
    PLI_HTTP_FIELDS
} pli_http_field;

// Room for the parts of one head.
typedef struct pli_http_room {
    char short_fields[PLI_HTTP_FIELDS][PLI_HTTP_FIELD_CAPACITY];
    char cookie[PLI_SERVE_MAX_HEAD];
    char query[PLI_SERVE_MAX_HEAD];
    char part[PLI_SERVE_MAX_HEAD]; // of the query
} pli_http_room;

// Lifetime: that of the room, and of the request in the library.
typedef struct pli_http_head {
    const char *method; // "GET", "HEAD" or "POST"; NULL: refused before it was known
    const char *path;   // decoded once, without control characters and backslashes
    const char *query;  // each key and value encoded
    const char *fields[PLI_HTTP_FIELDS]; // NULL: not there, or empty
    int64_t body_size;
    bool keeps; // the connection may serve another request
} pli_http_head;

// Returns 0 or the status to refuse with.
int32_t pli_http_read_head(struct lws *wsi, pli_http_room *room, pli_http_head *head);

// Whether a request has begun whose head is not whole.
bool pli_http_has_begun(struct lws *wsi);

// 0, or the status to refuse the upgrade to a socket with.
int32_t pli_http_check_upgrade(struct lws *wsi, const pli_http_head *head);

// Whether two texts are the same but for the case of ASCII letters, in any locale.
bool pli_http_is_same(const char *a, const char *b);

#endif
