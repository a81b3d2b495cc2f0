// SPDX-License-Identifier: Apache-2.0
//
// JSON (RFC 8259), out and in, as far as run.json, steps.jsonl and the pages need it.
//
// Out: values are appended to a growing text; the caller writes braces, and the keys and commas
// that pli_json_add_* do not. Strings are escaped so that the result may also stand inside a
// <script> element of a page. Numbers that are not finite become null, since JSON has no word for
// them.
//
// In: a document becomes a table of nodes in the order of the text, children linked by index. The
// parser accepts what RFC 8259 allows, up to a nesting of PLI_JSON_DEPTH and a number of nodes that
// the text's length bounds; anything else is refused with the position, never a crash.
#ifndef PLI_IO_FILE_JSON_H
#define PLI_IO_FILE_JSON_H

#include "base/text.h"

enum { PLI_JSON_DEPTH = 32 };

// ---- out

// A string with its quotes.
void pli_json_append_string(pli_text *text, const char *string);

// A number, or null when it is not finite.
void pli_json_append_number(pli_text *text, double value);

// [a,b,...]
void pli_json_append_numbers(pli_text *text, const double *values, int32_t count);

// A further member of the object that is being written: ,"key":value, without the comma where the
// text is empty or ends with the brace that opens the object. A key stands for itself, unescaped.
void pli_json_add_key(pli_text *text, const char *key);
void pli_json_add_string(pli_text *text, const char *key, const char *value);
void pli_json_add_number(pli_text *text, const char *key, double value);
void pli_json_add_integer(pli_text *text, const char *key, int64_t value);

// ---- in

typedef enum pli_json_kind {
    PLI_JSON_NULL,
    PLI_JSON_BOOL,
    PLI_JSON_NUMBER,
    PLI_JSON_STRING,
    PLI_JSON_ARRAY,
    PLI_JSON_OBJECT
} pli_json_kind;

typedef struct pli_json_node {
    pli_json_kind kind;
    double number;    // of a number; 1 for true, 0 for false
    const char *text; // of a string, ended by a zero byte
    const char *key;  // of a member of an object, otherwise NULL
    int32_t child;    // first child of an array or object, -1: none
    int32_t next;     // next sibling, -1: none
} pli_json_node;

typedef struct pli_json {
    pli_context *context;
    int32_t node_count;
    int32_t node_capacity;
    pli_json_node *nodes; // [node_count]; nodes[0] is the document
    char *strings;        // every text and key, one after another
} pli_json;

// Reads one document. The object can be used again and again and keeps its memory; zero it and set
// `context` before the first use. Lifetime of nodes and texts: until the next parse or clear.
// Errors: io (the text is not JSON; says where), memory.
PLI_CHECKED pli_status pli_json_parse(pli_json *json, const char *bytes, int64_t count);
void pli_json_clear(pli_json *json);

// The member of an object by key, or NULL; a NULL object has no members.
const pli_json_node *pli_json_get(const pli_json *json, const pli_json_node *object,
                                  const char *key);

// The member as a number or text, or the fallback when it is absent or of another kind.
double pli_json_number(const pli_json *json, const pli_json_node *object, const char *key,
                       double fallback);
const char *pli_json_text(const pli_json *json, const pli_json_node *object, const char *key,
                          const char *fallback);

// First child and the one after it; NULL at the end.
const pli_json_node *pli_json_child(const pli_json *json, const pli_json_node *node);
const pli_json_node *pli_json_next(const pli_json *json, const pli_json_node *node);

#endif
