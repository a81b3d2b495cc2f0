// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_tree.h"

#include "base/names.h"
#include "base/suggest.h"

#include <string.h>
#include <yaml.h>

enum { EVENTS_PER_QUESTION = 4096 }; // between questions whether to stop

// A name that a later alias may refer to.
typedef struct anchor {
    struct anchor *earlier;
    const char *name;
    pli_node *node;
} anchor;

// A list or map that has begun and not ended.
typedef struct open_node {
    pli_node *node;
    const char *key; // of the item that comes next, in a map
    int32_t key_line;
    int32_t key_column;
} open_node;

typedef struct builder {
    pli_tree *tree;
    pli_source *source;
    pli_node *root;
    anchor *anchors; // the latest first
    int32_t document_count;
    int32_t depth;
    open_node open[PLI_TREE_DEPTH];
} builder;

// ---- failures

static pli_status fail_mark(const builder *b, yaml_mark_t mark, const char *text)
{
    pli_position position = {b->source->name, (int32_t)mark.line + 1, (int32_t)mark.column + 1};
    if (b->source->is_option) position.line = 0;
    return pli_position_fail(b->tree->context, PLI_ERROR_SCENE, &position, "", "%s", text);
}

// The line and column of a byte, for faults in the encoding.
static yaml_mark_t mark_of_byte(const char *bytes, int64_t count, size_t offset)
{
    yaml_mark_t mark = {.index = offset};
    for (int64_t i = 0; i < count && (size_t)i < offset; ++i) {
        ++mark.column;
        if (bytes[i] != '\n') continue;
        ++mark.line;
        mark.column = 0;
    }
    return mark;
}

// The first tab among the blanks that a line begins with; false when there is none.
static bool find_tab(const char *bytes, int64_t count, size_t line, yaml_mark_t *mark)
{
    int64_t begin = 0;
    for (size_t k = 0; k < line && begin < count; ++begin) k += bytes[begin] == '\n';
    int64_t at = begin;
    while (at < count && bytes[at] == ' ') ++at;
    *mark = (yaml_mark_t){.line = line, .column = (size_t)(at - begin)};
    return at < count && bytes[at] == '\t';
}

// Blames the tab that a line is indented by: the parser has other words for it.
static bool fails_at_tab(const builder *b, const yaml_parser_t *parser, const char *bytes,
                         int64_t count, pli_status *status)
{
    size_t line = parser->problem_mark.line;
    yaml_mark_t mark;
    if (parser->flow_level > 0) return false; // between brackets tabs are as good as spaces
    // what is not closed or has no colon is noticed in the line after it
    bool found = find_tab(bytes, count, line, &mark) ||
                 (line > 0 && find_tab(bytes, count, line - 1, &mark));
    if (!found) return false;
    *status = fail_mark(b, mark, "a tab; YAML indents by spaces, so write spaces instead of it");
    return true;
}

// What somebody who is new to YAML may have done.
static const char *explain(const char *problem)
{
    static const char *const known[][2] = {
        {"could not find expected ':'",
         "; a key is followed by a colon and a blank, as in key: value"},
        {"did not find expected key",
         "; the keys of one map begin in the same column, and nothing follows a text in quotes"},
        {"mapping values are not allowed in this context",
         "; the keys of one map begin in the same column, and a text that holds a colon and a "
         "blank goes in quotes"},
        {"found unexpected end of stream", "; is a quote missing?"},
        {"did not find expected ',' or ']'", "; is a comma or a bracket missing?"},
        {"did not find expected ',' or '}'", "; is a comma or a brace missing?"},
        {"block sequence entries are not allowed in this context",
         "; items of a list, each behind a dash, go on lines of their own"},
        {"did not find expected '-' indicator",
         "; the dashes of one list stand in the same column, and nothing else does"},
        {"found character that cannot start any token",
         "; a text that begins with @, ` or % goes in quotes"},
        {"did not find expected alphabetic or numeric character",
         "; a text that begins with & or * goes in quotes"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (strcmp(problem, known[k][0]) == 0) return known[k][1];
    }
    return "";
}

static pli_status fail_parser(const builder *b, const yaml_parser_t *parser, const char *bytes,
                              int64_t count)
{
    pli_context *context = b->tree->context;
    if (parser->error == YAML_MEMORY_ERROR) {
        return PLI_FAIL(context, PLI_ERROR_MEMORY, "out of memory in reading %s", b->source->name);
    }
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    if (parser->error == YAML_READER_ERROR) {
        return fail_mark(b, mark_of_byte(bytes, count, parser->problem_offset), problem);
    }
    pli_status status = PLI_OK;
    if (fails_at_tab(b, parser, bytes, count, &status)) return status;
    char text[512];
    char line[48] = "";
    bool has_context = parser->context != NULL;
    if (has_context && !b->source->is_option) {
        snprintf(line, sizeof line, " that begins in line %zu", parser->context_mark.line + 1);
    }
    snprintf(text, sizeof text, "%s%s%s%s%s", problem, has_context ? ", " : "",
             has_context ? parser->context : "", line, explain(problem));
    return fail_mark(b, parser->problem_mark, text);
}

// ---- nodes

// Puts a finished or beginning node where it belongs: the root, a list, or a map under its key.
static void place_node(builder *b, pli_node *node)
{
    if (b->depth == 0) {
        b->root = node;
        return;
    }
    open_node *parent = &b->open[b->depth - 1];
    node->key = parent->key;
    node->key_line = parent->key_line;
    node->key_column = parent->key_column;
    parent->key = NULL;
    pli_node_append(parent->node, node);
}

static bool expects_key(const builder *b)
{
    if (b->depth == 0) return false;
    const open_node *parent = &b->open[b->depth - 1];
    return parent->node->kind == PLI_NODE_MAP && parent->key == NULL;
}

static pli_status add_node(builder *b, pli_node_kind kind, yaml_mark_t mark, pli_node **node)
{
    PLI_TRY(pli_tree_add_node(b->tree, kind, b->source, node));
    (*node)->line = (int32_t)mark.line + 1;
    (*node)->column = (int32_t)mark.column + 1;
    return PLI_OK;
}

static pli_status add_anchor(builder *b, const yaml_char_t *name, pli_node *node)
{
    if (name == NULL) return PLI_OK;
    anchor *made = pli_arena_take(b->tree->memory, 1, sizeof *made, "anchor");
    if (made == NULL) return PLI_ERROR_MEMORY;
    const char *text = (const char *)name;
    *made = (anchor){b->anchors, pli_tree_add_text(b->tree, text, strlen(text)), node};
    if (made->name == NULL) return PLI_ERROR_MEMORY;
    b->anchors = made;
    return PLI_OK;
}

// "<<" takes over the keys of another map in other YAML.
static bool is_merge_key(const yaml_event_t *event)
{
    return event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           strcmp((const char *)event->data.scalar.value, "<<") == 0;
}

static pli_status take_key(builder *b, const yaml_event_t *event)
{
    open_node *parent = &b->open[b->depth - 1];
    if (event->type != YAML_SCALAR_EVENT) {
        return fail_mark(b, event->start_mark, "a key must be a plain text");
    }
    if (is_merge_key(event)) {
        return fail_mark(b, event->start_mark,
                         "'<<', which merges the keys of another map, is not used in scenes: an "
                         "alias stands for a whole value (b: *a), 'preset' starts a material from "
                         "known numbers, and 'include' takes over another file, whose keys the "
                         "scene changes one by one");
    }
    parent->key = pli_tree_add_text(b->tree, (const char *)event->data.scalar.value,
                                    event->data.scalar.length);
    if (parent->key == NULL) return PLI_ERROR_MEMORY;
    if (strlen(parent->key) != event->data.scalar.length) {
        return fail_mark(b, event->start_mark, "a key must not hold a zero byte");
    }
    parent->key_line = (int32_t)event->start_mark.line + 1;
    parent->key_column = (int32_t)event->start_mark.column + 1;
    return PLI_OK;
}

static pli_status take_scalar(builder *b, const yaml_event_t *event)
{
    pli_node *node = NULL;
    PLI_TRY(add_node(b, PLI_NODE_SCALAR, event->start_mark, &node));
    size_t length = event->data.scalar.length;
    node->text = pli_tree_add_text(b->tree, (const char *)event->data.scalar.value, length);
    if (node->text == NULL) return PLI_ERROR_MEMORY;
    if (strlen(node->text) != length) {
        return fail_mark(b, event->start_mark, "a text must not hold a zero byte");
    }
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    place_node(b, node);
    return add_anchor(b, event->data.scalar.anchor, node);
}

static pli_status begin_node(builder *b, const yaml_event_t *event, pli_node_kind kind,
                             const yaml_char_t *name)
{
    if (b->depth == PLI_TREE_DEPTH) {
        char text[64];
        snprintf(text, sizeof text, "nested more than %d deep", PLI_TREE_DEPTH);
        return fail_mark(b, event->start_mark, text);
    }
    pli_node *node = NULL;
    PLI_TRY(add_node(b, kind, event->start_mark, &node));
    place_node(b, node);
    b->open[b->depth++] = (open_node){.node = node};
    return add_anchor(b, name, node);
}

// A key that is there twice says two things.
static pli_status check_keys(const builder *b, const pli_node *map)
{
    pli_names names;
    pli_names_init(&names, b->tree->context);
    pli_status status = PLI_OK;
    for (const pli_node *item = map->first; item != NULL && status == PLI_OK; item = item->next) {
        int32_t count = names.count;
        int32_t index = 0;
        status = pli_names_add(&names, item->key, &index);
        if (status != PLI_OK || index == count) continue;
        char found[PLI_EXCERPT_CAPACITY];
        pli_position position = pli_node_key_position(item);
        const pli_node *first = pli_node_find(map, item->key);
        status = pli_position_fail(b->tree->context, PLI_ERROR_SCENE, &position, "",
                                   "the key '%s' is there twice, first in line %d",
                                   pli_excerpt(item->key, found), first->key_line);
    }
    pli_names_clear(&names);
    return status;
}

static bool is_open(const builder *b, const pli_node *node)
{
    for (int32_t i = 0; i < b->depth; ++i) {
        if (b->open[i].node == node) return true;
    }
    return false;
}

// An alias is a copy of the node that its anchor names.
static pli_status take_alias(builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const anchor *found = b->anchors;
    while (found != NULL && strcmp(found->name, name) != 0) found = found->earlier;
    if (found == NULL) {
        return fail_mark(b, event->start_mark, "an alias to an anchor that is not there");
    }
    if (is_open(b, found->node)) {
        return fail_mark(b, event->start_mark, "an alias to something that contains it");
    }
    pli_node *copy = NULL;
    PLI_TRY(pli_tree_copy_node(b->tree, found->node, b->depth, &copy));
    place_node(b, copy);
    return PLI_OK;
}

// ---- events

static bool has_tag(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.tag != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.tag != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag != NULL);
}

static pli_status take_event(builder *b, const yaml_event_t *event)
{
    if (has_tag(event)) {
        return fail_mark(b, event->start_mark, "tags such as !!str are not used in scenes");
    }
    bool ends = event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    if (!ends && expects_key(b)) return take_key(b, event);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (b->document_count++ == 0) return PLI_OK;
        return fail_mark(b, event->start_mark, "a second document; a scene is one document");
    case YAML_SCALAR_EVENT: return take_scalar(b, event);
    case YAML_ALIAS_EVENT: return take_alias(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return begin_node(b, event, PLI_NODE_LIST, event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return begin_node(b, event, PLI_NODE_MAP, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: {
        const pli_node *node = b->open[--b->depth].node;
        return node->kind == PLI_NODE_MAP ? check_keys(b, node) : PLI_OK;
    }
    default: return PLI_OK;
    }
}

static pli_status take_events(builder *b, yaml_parser_t *parser, const char *bytes, int64_t count)
{
    bool done = false;
    for (int64_t number = 0; !done; ++number) {
        yaml_event_t event;
        if (number % EVENTS_PER_QUESTION == 0) PLI_TRY(pli_tree_go_on(b->tree));
        if (yaml_parser_parse(parser, &event) == 0) return fail_parser(b, parser, bytes, count);
        pli_status status = take_event(b, &event);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}

pli_status pli_tree_read(pli_tree *tree, pli_source *source, const char *bytes, int64_t count,
                         pli_node **root)
{
    *root = NULL;
    builder b = {.tree = tree, .source = source};
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0) {
        return PLI_FAIL(tree->context, PLI_ERROR_MEMORY, "out of memory in reading %s",
                        source->name);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, (size_t)count);
    pli_status status = take_events(&b, &parser, bytes, count);
    yaml_parser_delete(&parser);
    if (status == PLI_OK) *root = b.root;
    return status;
}
