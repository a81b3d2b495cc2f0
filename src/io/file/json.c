// SPDX-License-Identifier: Apache-2.0
#include "io/file/json.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

// ---- out --------------------------------------------------------------------------------------

void pli_json_append_string(pli_text *text, const char *string)
{
    pli_text_append(text, "\"");
    const char *plain = string;
    const char *at = string;
    for (; *at != '\0'; ++at) {
        unsigned char byte = (unsigned char)*at;
        // '<' and '&' are escaped so that a page cannot be left from inside a string
        if (byte >= 0x20 && byte != '"' && byte != '\\' && byte != '<' && byte != '&') continue;
        pli_text_append_bytes(text, plain, at - plain);
        pli_text_format(text, "\\u%04x", (unsigned)byte);
        plain = at + 1;
    }
    pli_text_append_bytes(text, plain, at - plain);
    pli_text_append(text, "\"");
}

void pli_json_append_number(pli_text *text, double value)
{
    if (isfinite(value)) {
        pli_text_append_number(text, value);
    } else {
        pli_text_append(text, "null");
    }
}

void pli_json_append_numbers(pli_text *text, const double *values, int32_t count)
{
    pli_text_append(text, "[");
    for (int32_t i = 0; i < count; ++i) {
        if (i > 0) pli_text_append(text, ",");
        pli_json_append_number(text, values[i]);
    }
    pli_text_append(text, "]");
}

void pli_json_add_key(pli_text *text, const char *key)
{
    bool is_first = text->length == 0 || text->bytes[text->length - 1] == '{';
    pli_text_format(text, "%s\"%s\":", is_first ? "" : ",", key);
}

void pli_json_add_string(pli_text *text, const char *key, const char *value)
{
    pli_json_add_key(text, key);
    pli_json_append_string(text, value);
}

void pli_json_add_number(pli_text *text, const char *key, double value)
{
    pli_json_add_key(text, key);
    pli_json_append_number(text, value);
}

void pli_json_add_integer(pli_text *text, const char *key, int64_t value)
{
    pli_json_add_key(text, key);
    pli_text_format(text, "%lld", (long long)value);
}

// ---- in ---------------------------------------------------------------------------------------

typedef struct parser {
    pli_json *json;
    const char *begin;
    const char *at;
    const char *end;
    char *string; // where the next text goes; there is always room, since escapes only shrink
} parser;

static pli_status refuse(const parser *p, const char *what)
{
    return PLI_FAIL(p->json->context, PLI_ERROR_IO, "not JSON at byte %lld: %s",
                    (long long)(p->at - p->begin), what);
}

static void skip_blanks(parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", *p->at) != NULL && *p->at != '\0') ++p->at;
}

static bool accept(parser *p, char wanted)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != wanted) return false;
    ++p->at;
    return true;
}

static pli_status add_node(pli_json *json, int32_t *index)
{
    if (json->node_count == json->node_capacity) {
        int32_t capacity = json->node_capacity < 64 ? 64 : 2 * json->node_capacity;
        PLI_TRY(PLI_RESIZE(json->context, json->nodes, capacity, "JSON nodes"));
        json->node_capacity = capacity;
    }
    *index = json->node_count++;
    json->nodes[*index] = (pli_json_node){.child = -1, .next = -1};
    return PLI_OK;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Reads four hexadecimal digits.
static bool parse_hex(parser *p, uint32_t *code)
{
    *code = 0;
    if (p->end - p->at < 4) return false;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(*p->at++);
        if (digit < 0) return false;
        *code = 16 * *code + (uint32_t)digit;
    }
    return true;
}

static void put_utf8(parser *p, uint32_t code)
{
    if (code < 0x80) {
        *p->string++ = (char)code;
        return;
    }
    int extra = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint32_t lead[4] = {0, 0xc0, 0xe0, 0xf0};
    *p->string++ = (char)(lead[extra] | code >> (6 * extra));
    while (extra-- > 0) *p->string++ = (char)(0x80 | (code >> (6 * extra) & 0x3f));
}

// Reads what follows "\u"; two surrogates make one character.
static pli_status parse_code(parser *p)
{
    uint32_t code = 0;
    if (!parse_hex(p, &code)) return refuse(p, "\\u needs four hexadecimal digits");
    if (code == 0) return refuse(p, "a text cannot hold the character 0");
    if (code >= 0xd800 && code < 0xe000) {
        uint32_t low = 0;
        bool pair = code < 0xdc00 && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u';
        if (pair) p->at += 2;
        if (!pair || !parse_hex(p, &low) || low < 0xdc00 || low >= 0xe000) {
            return refuse(p, "half of a surrogate pair");
        }
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(p, code);
    return PLI_OK;
}

static pli_status parse_escape(parser *p)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (p->at == p->end) return refuse(p, "the text ends within a string");
    char c = *p->at++;
    if (c == 'u') return parse_code(p);
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    if (name == NULL) return refuse(p, "unknown escape in a string");
    *p->string++ = values[name - names];
    return PLI_OK;
}

static pli_status parse_string(parser *p, const char **text)
{
    *text = p->string;
    for (;;) {
        if (p->at == p->end) return refuse(p, "the text ends within a string");
        char c = *p->at++;
        if (c == '"') break;
        if ((unsigned char)c < 0x20) return refuse(p, "a control character in a string");
        if (c == '\\') {
            PLI_TRY(parse_escape(p));
        } else {
            *p->string++ = c;
        }
    }
    *p->string++ = '\0';
    return PLI_OK;
}

static pli_status parse_word(parser *p, pli_json_node *node)
{
    static const struct {
        const char *word;
        pli_json_kind kind;
        double number;
    } words[] = {
        {"null", PLI_JSON_NULL, 0}, {"true", PLI_JSON_BOOL, 1}, {"false", PLI_JSON_BOOL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        size_t length = strlen(words[i].word);
        if ((size_t)(p->end - p->at) < length || memcmp(p->at, words[i].word, length) != 0)
            continue;
        p->at += length;
        node->kind = words[i].kind;
        node->number = words[i].number;
        return PLI_OK;
    }
    return refuse(p, "a value is expected here");
}

static pli_status parse_number(parser *p, pli_json_node *node)
{
    const char *start = p->at;
    while (p->at < p->end && *p->at != '\0' && strchr("+-.eE0123456789", *p->at) != NULL) ++p->at;
    node->kind = PLI_JSON_NUMBER;
    if (!pli_number_from_bytes(start, p->at - start, &node->number))
        return refuse(p, "not a number");
    return PLI_OK;
}

static pli_status parse_value(parser *p, int32_t depth, int32_t index);

// Reads the children of the array or object at `parent`, whose bracket was just read.
static pli_status parse_children(parser *p, int32_t depth, int32_t parent, char close)
{
    if (depth >= PLI_JSON_DEPTH) return refuse(p, "nested too deeply");
    int32_t last = -1;
    if (accept(p, close)) return PLI_OK;
    do {
        const char *key = NULL;
        if (close == '}') {
            if (!accept(p, '"')) return refuse(p, "a key in quotes is expected here");
            PLI_TRY(parse_string(p, &key));
            if (!accept(p, ':')) return refuse(p, "':' is expected here");
        }
        int32_t child = 0;
        PLI_TRY(add_node(p->json, &child));
        p->json->nodes[child].key = key;
        if (last < 0) p->json->nodes[parent].child = child;
        if (last >= 0) p->json->nodes[last].next = child;
        last = child;
        PLI_TRY(parse_value(p, depth + 1, child));
    } while (accept(p, ','));
    if (!accept(p, close)) return refuse(p, "',' or a closing bracket is expected here");
    return PLI_OK;
}

static pli_status parse_value(parser *p, int32_t depth, int32_t index)
{
    if (accept(p, '{')) {
        p->json->nodes[index].kind = PLI_JSON_OBJECT;
        return parse_children(p, depth, index, '}');
    }
    if (accept(p, '[')) {
        p->json->nodes[index].kind = PLI_JSON_ARRAY;
        return parse_children(p, depth, index, ']');
    }
    pli_json_node *node = &p->json->nodes[index];
    if (accept(p, '"')) {
        node->kind = PLI_JSON_STRING;
        return parse_string(p, &node->text);
    }
    bool number = p->at < p->end && (*p->at == '-' || (*p->at >= '0' && *p->at <= '9'));
    return number ? parse_number(p, node) : parse_word(p, node);
}

pli_status pli_json_parse(pli_json *json, const char *bytes, int64_t count)
{
    json->node_count = 0;
    if (count > INT32_MAX) {
        return PLI_FAIL(json->context, PLI_ERROR_IO, "the JSON text has %lld bytes; at most %d fit",
                        (long long)count, INT32_MAX);
    }
    // a string takes no more room than with its quotes, of which one becomes the zero byte
    if (pli_memory_size(json->strings) < (size_t)count + 1) {
        pli_release(json->context, json->strings);
        PLI_TRY(PLI_MAKE(json->context, json->strings, 2 * count + 1, "JSON strings"));
    }

    parser p = {json, bytes, bytes, bytes + count, json->strings};
    int32_t root = 0;
    PLI_TRY(add_node(json, &root));
    PLI_TRY(parse_value(&p, 0, root));
    skip_blanks(&p);
    if (p.at != p.end) return refuse(&p, "something follows the document");
    return PLI_OK;
}

void pli_json_clear(pli_json *json)
{
    PLI_RELEASE(json->context, json->nodes, json->strings);
    *json = (pli_json){.context = json->context};
}

const pli_json_node *pli_json_child(const pli_json *json, const pli_json_node *node)
{
    return node != NULL && node->child >= 0 ? &json->nodes[node->child] : NULL;
}

const pli_json_node *pli_json_next(const pli_json *json, const pli_json_node *node)
{
    return node != NULL && node->next >= 0 ? &json->nodes[node->next] : NULL;
}

const pli_json_node *pli_json_get(const pli_json *json, const pli_json_node *object,
                                  const char *key)
{
    const pli_json_node *child = pli_json_child(json, object);
    for (; child != NULL; child = pli_json_next(json, child)) {
        if (child->key != NULL && strcmp(child->key, key) == 0) return child;
    }
    return NULL;
}

double pli_json_number(const pli_json *json, const pli_json_node *object, const char *key,
                       double fallback)
{
    const pli_json_node *node = pli_json_get(json, object, key);
    return node != NULL && node->kind == PLI_JSON_NUMBER ? node->number : fallback;
}

const char *pli_json_text(const pli_json *json, const pli_json_node *object, const char *key,
                          const char *fallback)
{
    const pli_json_node *node = pli_json_get(json, object, key);
    return node != NULL && node->kind == PLI_JSON_STRING ? node->text : fallback;
}
