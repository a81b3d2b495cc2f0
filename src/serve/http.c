// SPDX-License-Identifier: Apache-2.0
#include "serve/http.h"

#include "serve/utf8.h"

#include <string.h>

// ---- characters -------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// What methods and names of fields are made of.
static bool is_token_char(char c)
{
    char lower = to_lower(c);
    return is_digit(c) || (lower >= 'a' && lower <= 'z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_token(const char *text)
{
    if (*text == '\0') return false;
    while (is_token_char(*text)) ++text;
    return *text == '\0';
}

static bool is_control(char c)
{
    return (uint8_t)c < 0x20 || c == 0x7f;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool pli_http_is_same(const char *a, const char *b)
{
    while (*a != '\0' && to_lower(*a) == to_lower(*b)) {
        ++a;
        ++b;
    }
    return to_lower(*a) == to_lower(*b);
}

// ---- where a head ends ------------------------------------------------------------------------

int64_t pli_http_scan_head(pli_http_scan *scan, const char *bytes, int64_t count)
{
    int64_t limit = count < PLI_SERVE_MAX_HEAD ? count : PLI_SERVE_MAX_HEAD;
    for (; scan->seen < limit; ++scan->seen) {
        if (bytes[scan->seen] != '\n') continue;

        // lines end with both characters: programs differ about those that don't
        int64_t length = scan->seen - scan->line - 1;
        if (length < 0 || bytes[scan->seen - 1] != '\r') return -400;
        if (length == 0) return scan->lines > 0 ? scan->seen + 1 : -400;
        if (++scan->lines > PLI_HTTP_MAX_LINES) return -431;
        scan->line = scan->seen + 1;
    }
    return count < PLI_SERVE_MAX_HEAD ? 0 : -431;
}

// ---- percent signs ----------------------------------------------------------------------------

static int hex_value(char c)
{
    char lower = to_lower(c);
    if (is_digit(c)) return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The character at the text, which moves behind it; -1: a percent sign without its two digits.
static int decode_char(const char **text)
{
    char c = *(*text)++;
    if (c != '%') return (uint8_t)c;
    int high = hex_value((*text)[0]);
    int low = high < 0 ? -1 : hex_value((*text)[1]);
    if (low < 0) return -1;
    *text += 2;
    return 16 * high + low;
}

// Decodes in place; false: it is not well-formed, or no path that anybody means.
static bool decode_path(char *path)
{
    const char *from = path;
    char *to = path;
    while (*from != '\0') {
        int c = decode_char(&from);
        if (c < 0 || is_control((char)c) || c == '\\') return false;
        *to++ = (char)c;
    }
    *to = '\0';
    return pli_utf8_is_whole(path, to - path);
}

// A segment "." or "..".
static bool has_dots(const char *path)
{
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        size_t length = strcspn(slash + 1, "/");
        if (length > 0 && length <= 2 && strspn(slash + 1, ".") >= length) return true;
    }
    return false;
}

// ---- the first line ---------------------------------------------------------------------------

static int32_t parse_method(const char *text, pli_http_head *head)
{
    static const char *const answered[] = {"GET", "HEAD", "POST"};
    static const char *const known[] = {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"};
    if (!is_token(text)) return 400;
    for (int i = 0; i < 3; ++i) {
        if (strcmp(text, answered[i]) == 0) head->method = answered[i];
    }
    if (head->method != NULL) return 0;
    for (int i = 0; i < 6; ++i) {
        if (strcmp(text, known[i]) == 0) return 405;
    }
    return 501;
}

static int32_t parse_version(const char *text, pli_http_head *head)
{
    if (strncmp(text, "HTTP/", 5) != 0 || !is_digit(text[5])) return 400;
    if (strcmp(text + 5, "1.1") != 0 && strcmp(text + 5, "1.0") != 0) return 505;
    head->keeps = text[7] == '1';
    return 0;
}

static int32_t parse_target(char *text, pli_http_head *head)
{
    if (text[0] != '/') return 400;
    for (const char *c = text; *c != '\0'; ++c) {
        if ((uint8_t)*c <= 0x20 || (uint8_t)*c >= 0x7f || *c == '#') return 400;
    }
    char *query = strchr(text, '?');
    head->query = query != NULL ? query + 1 : "";
    if (query != NULL) *query = '\0';
    head->path = text;
    return decode_path(text) && !has_dots(text) ? 0 : 400;
}

// "GET /path?query HTTP/1.1", with one space between.
static int32_t parse_request_line(char *line, pli_http_head *head)
{
    char *target = strchr(line, ' ');
    if (target == NULL) return 400;
    *target++ = '\0';
    int32_t status = parse_method(line, head);
    if (status != 0) return status;
    char *version = strchr(target, ' ');
    if (version == NULL) return 400;
    *version++ = '\0';
    status = parse_version(version, head);
    return status != 0 ? status : parse_target(target, head);
}

// ---- fields -----------------------------------------------------------------------------------

static const char *const field_names[PLI_HTTP_FIELDS] = {
    [PLI_HTTP_HOST] = "host",
    [PLI_HTTP_ORIGIN] = "origin",
    [PLI_HTTP_AUTHORIZATION] = "authorization",
    [PLI_HTTP_COOKIE] = "cookie",
    [PLI_HTTP_FETCH_SITE] = "sec-fetch-site",
    [PLI_HTTP_CONTENT_LENGTH] = "content-length",
    [PLI_HTTP_TRANSFER_ENCODING] = "transfer-encoding",
    [PLI_HTTP_EXPECT] = "expect",
    [PLI_HTTP_SOCKET_KEY] = "sec-websocket-key",
    [PLI_HTTP_SOCKET_VERSION] = "sec-websocket-version",
};

// Whether a list such as "keep-alive, Upgrade" has a word.
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    while (*list != '\0') {
        list += strspn(list, ", \t");
        size_t there = 0;
        while (there < length && to_lower(list[there]) == word[there]) ++there;
        bool ends = list[there] == '\0' || strchr(", \t", list[there]) != NULL;
        if (there == length && ends) return true;
        list += strcspn(list, ",");
    }
    return false;
}

static int32_t keep_field(const char *name, const char *value, pli_http_head *head)
{
    if (pli_http_is_same(name, "connection")) {
        head->keeps = head->keeps && !list_has(value, "close");
        head->asks_upgrade = head->asks_upgrade || list_has(value, "upgrade");
    } else if (pli_http_is_same(name, "upgrade")) {
        head->asks_sockets = head->asks_sockets || list_has(value, "websocket");
    }
    for (int i = 0; i < PLI_HTTP_FIELDS; ++i) {
        if (!pli_http_is_same(name, field_names[i])) continue;
        if (head->fields[i] != NULL) return 400;
        head->fields[i] = value;
    }
    return 0;
}

// "Name: value". A line that goes on with the one before begins with a blank, which no name does.
static int32_t parse_field(char *line, pli_http_head *head)
{
    char *value = strchr(line, ':');
    if (value == NULL) return 400;
    *value++ = '\0';
    if (!is_token(line)) return 400;
    while (is_blank(*value)) ++value;
    char *end = value + strlen(value);
    while (end > value && is_blank(end[-1])) --end;
    *end = '\0';
    for (const char *c = value; *c != '\0'; ++c) {
        if (is_control(*c) && *c != '\t') return 400;
    }
    return keep_field(line, value, head);
}

// Digits alone. What is too large for the server is, whatever the number.
static int32_t parse_length(const char *text, int64_t *length)
{
    *length = 0;
    if (*text == '\0') return 400;
    for (const char *c = text; *c != '\0'; ++c) {
        if (!is_digit(*c)) return 400;
        if (*length <= PLI_SERVE_MAX_BODY) *length = 10 * *length + (*c - '0');
    }
    if (*length <= PLI_SERVE_MAX_BODY) return 0;
    *length = 0;
    return 413;
}

// What the fields say about one another and the method.
static int32_t check_fields(pli_http_head *head)
{
    const char *length = head->fields[PLI_HTTP_CONTENT_LENGTH];
    const char *expected = head->fields[PLI_HTTP_EXPECT];
    if (head->fields[PLI_HTTP_HOST] == NULL) return 400;
    if (head->fields[PLI_HTTP_TRANSFER_ENCODING] != NULL) return 400;
    // whoever expects 100-continue may send the body without it
    if (expected != NULL && !pli_http_is_same(expected, "100-continue")) return 417;
    if (length == NULL) return strcmp(head->method, "POST") == 0 ? 411 : 0;
    return parse_length(length, &head->body_size);
}

int32_t pli_http_parse_head(char *bytes, int64_t size, pli_http_head *head)
{
    *head = (pli_http_head){0};
    if (memchr(bytes, '\0', (size_t)size) != NULL) return 400;

    char *line = bytes;
    char *last = bytes + size - 2;
    int32_t status = 0;
    while (status == 0 && line < last) {
        char *end = memchr(line, '\n', (size_t)(last - line));
        if (end == NULL || end == line || end[-1] != '\r') return 400;
        end[-1] = '\0';
        status = line == bytes ? parse_request_line(line, head) : parse_field(line, head);
        line = end + 1;
    }
    if (status == 0 && head->method == NULL) status = 400;
    return status != 0 ? status : check_fields(head);
}

// ---- queries ----------------------------------------------------------------------------------

// The character at the text of a form: '+' is a space.
static int decode_form_char(const char **text)
{
    if (**text != '+') return decode_char(text);
    ++*text;
    return ' ';
}

static bool copy_value(const char *from, const char *end, char *value, size_t capacity)
{
    size_t length = 0;
    while (from < end) {
        int c = decode_form_char(&from);
        if (c <= 0 || from > end || length + 1 >= capacity) return false;
        value[length++] = (char)c;
    }
    value[length] = '\0';
    return pli_utf8_is_whole(value, (int64_t)length);
}

bool pli_http_query(const pli_http_request *request, const char *key, char *value, size_t capacity)
{
    if (capacity == 0) return false;
    value[0] = '\0';
    size_t length = strlen(key);
    const char *pair = request->query;
    while (*pair != '\0') {
        const char *end = pair + strcspn(pair, "&");
        if (strncmp(pair, key, length) == 0 && pair[length] == '=') {
            bool good = copy_value(pair + length + 1, end, value, capacity);
            if (!good) value[0] = '\0';
            return good;
        }
        pair = *end == '&' ? end + 1 : end;
    }
    return false;
}
