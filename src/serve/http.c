// SPDX-License-Identifier: Apache-2.0
#include "serve/http.h"

#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>

// ---- texts ------------------------------------------------------------------------------------

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool pli_http_is_same(const char *a, const char *b)
{
    while (*a != '\0' && to_lower(*a) == to_lower(*b)) {
        ++a;
        ++b;
    }
    return to_lower(*a) == to_lower(*b);
}

// Copies a field that may be there once; false: it is there twice, has a zero byte or does not fit.
static bool copy_field(struct lws *wsi, enum lws_token_indexes token, char *value, size_t capacity)
{
    value[0] = '\0';
    int length = lws_hdr_total_length(wsi, token);
    if (length == 0) return true;
    bool is_single = lws_hdr_fragment_length(wsi, token, 0) == length;
    return is_single && lws_hdr_copy(wsi, value, (int)capacity, token) == length &&
           strlen(value) == (size_t)length;
}

// ---- the first line ---------------------------------------------------------------------------

static int32_t read_method(int method, pli_http_head *head)
{
    switch (method) {
    case LWSHUMETH_GET: head->method = "GET"; return 0;
    case LWSHUMETH_HEAD: head->method = "HEAD"; return 0;
    case LWSHUMETH_POST: head->method = "POST"; return 0;
    case LWSHUMETH_OPTIONS:
    case LWSHUMETH_PUT:
    case LWSHUMETH_PATCH:
    case LWSHUMETH_DELETE: return 405;
    default: return 400;
    }
}

static int32_t check_path(const char *path, int length)
{
    if (length < 1 || path[0] != '/' || strlen(path) != (size_t)length) return 400;
    for (const char *c = path; *c != '\0'; ++c) {
        if ((uint8_t)*c < 0x20 || *c == 0x7f || *c == '\\') return 400;
    }
    return 0;
}

// Whether the connection stays is what the library decides, by the same words.
static int32_t read_version(struct lws *wsi, pli_http_head *head)
{
    char version[16];
    char connection[PLI_HTTP_FIELD_CAPACITY];
    if (!copy_field(wsi, WSI_TOKEN_HTTP, version, sizeof version)) return 400;
    if (strncmp(version, "HTTP/", 5) != 0) return 400;
    bool is_new = strcmp(version, "HTTP/1.1") == 0;
    if (!is_new && strcmp(version, "HTTP/1.0") != 0) return 505;
    bool is_clear = copy_field(wsi, WSI_TOKEN_CONNECTION, connection, sizeof connection);
    head->keeps = is_clear && is_new && !pli_http_is_same(connection, "close");
    return 0;
}

// Writes "key=value&key=value" again from what the library has decoded. False: it does not fit.
static bool write_query(struct lws *wsi, pli_http_room *room)
{
    char *to = room->query;
    char *end = to + sizeof room->query;
    int capacity = (int)sizeof room->part;
    *to = '\0';
    for (int i = 0;; ++i) {
        int length = lws_hdr_copy_fragment(wsi, room->part, capacity, WSI_TOKEN_HTTP_URI_ARGS, i);
        if (length < 0) return true;
        // the longest that it can become
        if (end - to < 3 * length + 8) return false;
        if (i > 0) *to++ = '&';
        char *value = strchr(room->part, '=');
        if (value != NULL) *value++ = '\0';
        lws_urlencode(to, room->part, (int)(end - to));
        to += strlen(to);
        if (value == NULL) continue;
        *to++ = '=';
        lws_urlencode(to, value, (int)(end - to));
        to += strlen(to);
    }
}

// ---- fields -----------------------------------------------------------------------------------

static bool keep_field(struct lws *wsi, enum lws_token_indexes token, pli_http_field field,
                       pli_http_room *room, pli_http_head *head)
{
    bool is_long = field == PLI_HTTP_COOKIE;
    char *value = is_long ? room->cookie : room->short_fields[field];
    size_t capacity = is_long ? sizeof room->cookie : sizeof room->short_fields[field];
    if (!copy_field(wsi, token, value, capacity)) return false;
    if (value[0] != '\0') head->fields[field] = value;
    return true;
}

// One that the library has no name for; false: it is too long for any that counts.
static bool keep_fetch_site(struct lws *wsi, pli_http_room *room, pli_http_head *head)
{
    static const char name[] = "sec-fetch-site:";
    char *value = room->short_fields[PLI_HTTP_FETCH_SITE];
    if (lws_hdr_custom_length(wsi, name, sizeof name - 1) < 0) return true;
    head->fields[PLI_HTTP_FETCH_SITE] = value;
    return lws_hdr_custom_copy(wsi, value, PLI_HTTP_FIELD_CAPACITY, name, sizeof name - 1) >= 0;
}

// Digits alone. What is too large for the server is, whatever the number.
static int32_t parse_length(const char *text, int64_t *length)
{
    *length = 0;
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c < '0' || *c > '9') return 400;
        if (*length <= PLI_SERVE_MAX_BODY) *length = 10 * *length + (*c - '0');
    }
    return *length <= PLI_SERVE_MAX_BODY ? 0 : 413;
}

static int32_t read_length(struct lws *wsi, pli_http_head *head)
{
    char length[PLI_HTTP_FIELD_CAPACITY];
    bool is_post = strcmp(head->method, "POST") == 0;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0) return 400;
    if (!copy_field(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH, length, sizeof length)) return 400;
    if (length[0] == '\0') return is_post ? 411 : 0;
    int32_t status = parse_length(length, &head->body_size);
    if (status == 0 && !is_post && head->body_size > 0) status = 400;
    return status;
}

int32_t pli_http_read_head(struct lws *wsi, pli_http_room *room, pli_http_head *head)
{
    *head = (pli_http_head){.query = room->query};
    char *path = NULL;
    int length = 0;
    int32_t status = read_method(lws_http_get_uri_and_method(wsi, &path, &length), head);
    if (status == 0) status = read_version(wsi, head);
    if (status == 0) status = check_path(path, length);
    if (status != 0) return status;
    head->path = path;
    bool is_clear =
        write_query(wsi, room) && keep_fetch_site(wsi, room, head) &&
        keep_field(wsi, WSI_TOKEN_HOST, PLI_HTTP_HOST, room, head) &&
        keep_field(wsi, WSI_TOKEN_ORIGIN, PLI_HTTP_ORIGIN, room, head) &&
        keep_field(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, PLI_HTTP_AUTHORIZATION, room, head) &&
        keep_field(wsi, WSI_TOKEN_HTTP_COOKIE, PLI_HTTP_COOKIE, room, head);
    if (!is_clear || head->fields[PLI_HTTP_HOST] == NULL) return 400;
    return read_length(wsi, head);
}

bool pli_http_has_begun(struct lws *wsi)
{
    return lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0 ||
           lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) > 0 ||
           lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
}

int32_t pli_http_check_upgrade(struct lws *wsi, const pli_http_head *head)
{
    enum { KEY_BYTES = 16, KEY_CHARS = 24 };
    char what[16];
    char version[8];
    char key[64];
    char decoded[64];
    if (strcmp(head->method, "GET") != 0) return 405;
    if (head->fields[PLI_HTTP_ORIGIN] == NULL) return 403;
    if (!copy_field(wsi, WSI_TOKEN_UPGRADE, what, sizeof what)) return 400;
    if (!pli_http_is_same(what, "websocket")) return 426;
    bool is_known = copy_field(wsi, WSI_TOKEN_VERSION, version, sizeof version);
    if (!is_known || strcmp(version, "13") != 0) return 426;
    bool is_key = copy_field(wsi, WSI_TOKEN_KEY, key, sizeof key) && strlen(key) == KEY_CHARS &&
                  lws_b64_decode_string(key, decoded, sizeof decoded) == KEY_BYTES;
    return is_key ? 0 : 400;
}

// ---- queries ----------------------------------------------------------------------------------

bool pli_http_query(const pli_http_request *request, const char *key, char *value, size_t capacity)
{
    if (capacity == 0) return false;
    value[0] = '\0';
    size_t length = strlen(key);
    const char *pair = request->query;
    while (*pair != '\0') {
        size_t size = strcspn(pair, "&");
        if (strncmp(pair, key, length) == 0 && pair[length] == '=') {
            char coded[PLI_SERVE_MAX_HEAD];
            snprintf(coded, sizeof coded, "%.*s", (int)(size - length - 1), pair + length + 1);
            // one that fills the room may have been cut
            bool fits =
                lws_urldecode(value, coded, (int)capacity - 1) == 0 && strlen(value) + 1 < capacity;
            if (!fits) value[0] = '\0';
            return fits;
        }
        pair += size + (pair[size] == '&');
    }
    return false;
}
