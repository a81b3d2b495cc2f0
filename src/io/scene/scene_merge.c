// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_tree.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/suggest.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- shorthands written out

// Makes a node a map with one item: what it was until now, under a key.
static pli_status wrap_node(pli_tree *tree, pli_node *node, const char *key)
{
    pli_node *inner = NULL;
    PLI_TRY(pli_tree_add_node(tree, PLI_NODE_MAP, node->source, &inner));
    pli_node_replace(inner, node);
    inner->key = key;
    inner->key_line = node->line;
    inner->key_column = node->column;
    *node = (pli_node){.next = node->next,
                       .key = node->key,
                       .text = "",
                       .source = node->source,
                       .key_line = node->key_line,
                       .key_column = node->key_column,
                       .line = node->line,
                       .column = node->column,
                       .kind = PLI_NODE_MAP};
    pli_node_append(node, inner);
    return PLI_OK;
}

// Makes a node a map without items, whatever it was.
static void empty_node(pli_node *node)
{
    node->kind = PLI_NODE_MAP;
    node->text = "";
    node->first = NULL;
    node->last = NULL;
    node->count = 0;
}

// Makes a node that stands for a struct a map of its keys; *done is false when it cannot be one.
static pli_status expand_struct(pli_tree *tree, const pli_schema *schema, pli_node *node,
                                bool *done)
{
    *done = true;
    if (node->kind == PLI_NODE_MAP) return PLI_OK;
    if (pli_node_is_nothing(node)) {
        empty_node(node);
        return PLI_OK;
    }
    const char *key = pli_node_main_key(schema, node);
    if (key != NULL) return wrap_node(tree, node, key);
    *done = false;
    return PLI_OK;
}

// The name of a variant as it was written, or NULL.
static const char *variant_name(const pli_node *node)
{
    if (node->kind == PLI_NODE_SCALAR && !pli_node_is_nothing(node)) return node->text;
    return node->kind == PLI_NODE_MAP && node->count == 1 ? node->first->key : NULL;
}

static const pli_schema *find_variant(const pli_field *field, const char *name)
{
    int32_t kind = name != NULL ? pli_tree_find_variant(field, name) : -1;
    return kind >= 0 ? field->variants[kind] : NULL;
}

// Makes a variant that was written by its name alone a map: {name: nothing}.
static pli_status expand_variant(pli_tree *tree, pli_node *node)
{
    if (node->kind != PLI_NODE_SCALAR) return PLI_OK;
    const char *name = node->text;
    node->text = "";
    node->quoted = false;
    return wrap_node(tree, node, name);
}

// ---- merging

static pli_status merge_struct(pli_tree *tree, const pli_schema *schema, pli_node *base,
                               pli_node *over);

// The item of a map that gives the same field as key does, under any of its names.
static pli_node *find_same(const pli_schema *schema, const pli_node *map, const char *key)
{
    const pli_field *field = pli_schema_find(schema, key);
    for (pli_node *item = map->first; item != NULL; item = item->next) {
        if (strcmp(item->key, key) == 0) return item;
        if (field != NULL && pli_schema_find(schema, item->key) == field) return item;
    }
    return NULL;
}

// One text says a field under two of its names.
static pli_status refuse_twice(const pli_tree *tree, const pli_node *item, const pli_node *same)
{
    pli_position position = pli_node_key_position(item);
    return pli_position_fail(tree->context, PLI_ERROR_SCENE, &position, "",
                             "'%s' and '%s' are two names of one key", same->key, item->key);
}

static pli_status merge_variant(pli_tree *tree, const pli_field *field, pli_node *base,
                                pli_node *over)
{
    const pli_schema *schema = find_variant(field, variant_name(over));
    if (schema == NULL || schema != find_variant(field, variant_name(base))) {
        pli_node_replace(base, over);
        return PLI_OK;
    }
    PLI_TRY(expand_variant(tree, base));
    PLI_TRY(expand_variant(tree, over));
    return merge_struct(tree, schema, base->first, over->first);
}

// Collects the items of a map by name. nodes has room for all of them.
static pli_status index_items(const pli_node *map, pli_names *names, pli_node **nodes)
{
    for (pli_node *item = map->first; item != NULL; item = item->next) {
        int32_t index = 0;
        PLI_TRY(pli_names_add(names, item->key, &index));
        nodes[index] = item;
    }
    return PLI_OK;
}

static pli_status merge_items(pli_tree *tree, const pli_schema *schema, pli_node *base,
                              pli_node *over, const pli_names *names, pli_node *const *nodes)
{
    for (pli_node *item = over->first, *next = NULL; item != NULL; item = next) {
        next = item->next;
        int32_t index = pli_names_find(names, item->key);
        if (index < 0) {
            pli_node_append(base, item);
        } else {
            PLI_TRY(merge_struct(tree, schema, nodes[index], item));
        }
    }
    return PLI_OK;
}

// Maps of names, which may be long.
static pli_status merge_named(pli_tree *tree, const pli_field *field, pli_node *base,
                              pli_node *over)
{
    if (pli_node_is_nothing(base)) empty_node(base);
    if (pli_node_is_nothing(over)) return PLI_OK;
    if (base->kind != PLI_NODE_MAP || over->kind != PLI_NODE_MAP) {
        pli_node_replace(base, over);
        return PLI_OK;
    }
    pli_names names;
    pli_names_init(&names, tree->context);
    pli_status status = PLI_ERROR_MEMORY;
    pli_node **nodes = PLI_NEW(tree->context, pli_node *, base->count, "names to merge");
    if (nodes == NULL) goto done;
    status = index_items(base, &names, nodes);
    if (status != PLI_OK) goto done;
    status = merge_items(tree, field->schema, base, over, &names, nodes);

done:
    pli_release(tree->context, nodes);
    pli_names_clear(&names);
    return status;
}

static pli_status merge_field(pli_tree *tree, const pli_field *field, pli_node *base,
                              pli_node *over)
{
    if (field->kind == PLI_FIELD_STRUCT) return merge_struct(tree, field->schema, base, over);
    if (field->kind == PLI_FIELD_NAMED) return merge_named(tree, field, base, over);
    if (field->kind == PLI_FIELD_VARIANT) return merge_variant(tree, field, base, over);
    pli_node_replace(base, over);
    return PLI_OK;
}

static pli_status merge_struct(pli_tree *tree, const pli_schema *schema, pli_node *base,
                               pli_node *over)
{
    bool base_done = false;
    bool over_done = false;
    PLI_TRY(expand_struct(tree, schema, base, &base_done));
    PLI_TRY(expand_struct(tree, schema, over, &over_done));
    if (!base_done || !over_done) {
        pli_node_replace(base, over);
        return PLI_OK;
    }
    for (pli_node *item = over->first, *next = NULL; item != NULL; item = next) {
        next = item->next;
        const pli_field *field = pli_schema_find(schema, item->key);
        pli_node *same = find_same(schema, base, item->key);
        if (same == NULL) {
            pli_node_append(base, item);
        } else if (field == NULL) {
            pli_node_replace(same, item);
        } else if (same->source == item->source && strcmp(same->key, item->key) != 0) {
            return refuse_twice(tree, item, same);
        } else {
            PLI_TRY(merge_field(tree, field, same, item));
            same->key = item->key;
        }
    }
    return PLI_OK;
}

pli_status pli_tree_merge(pli_tree *tree, const pli_schema *schema, pli_node *base, pli_node *over)
{
    return merge_struct(tree, schema, base, over);
}

// ---- settings by path

// How far along its path a setting has come: a node, and what the table says it is.
typedef struct place {
    pli_node *node;
    const pli_schema *schema; // a struct of this schema, or NULL:
    const pli_field *field;   // a list, map, variant or value of this field
    bool is_item;             // one item of the field
} place;

typedef struct setting {
    pli_tree *tree;
    pli_source *source;
    pli_text path; // walked so far
} setting;

static pli_status refuse_part(const setting *s, const char *text)
{
    pli_position position = {s->source->name, 0, 0};
    const char *path = s->path.bytes != NULL ? s->path.bytes : "";
    return pli_position_fail(s->tree->context, PLI_ERROR_SCENE, &position, path, "%s", text);
}

// A new item that says nothing yet.
static pli_status add_item(const setting *s, pli_node *map, const char *key, pli_node **item)
{
    PLI_TRY(pli_tree_add_node(s->tree, PLI_NODE_SCALAR, s->source, item));
    (*item)->key = pli_tree_add_text(s->tree, key, strlen(key));
    if ((*item)->key == NULL) return PLI_ERROR_MEMORY;
    pli_node_append(map, *item);
    return PLI_OK;
}

static pli_status enter_key(const setting *s, place *at, const char *part)
{
    const pli_schema *schema = at->schema;
    const pli_field *field = pli_schema_find(schema, part);
    char text[PLI_TREE_ERROR_CAPACITY];
    if (field == NULL) return refuse_part(s, pli_tree_unknown_key(schema, part, text));
    bool done = false;
    PLI_TRY(expand_struct(s->tree, schema, at->node, &done));
    if (!done) empty_node(at->node);
    pli_node *item = find_same(schema, at->node, field->key);
    if (item == NULL) PLI_TRY(add_item(s, at->node, field->key, &item));
    // a former name is told of when the scene is filled
    item->key = pli_tree_add_text(s->tree, part, strlen(part));
    if (item->key == NULL) return PLI_ERROR_MEMORY;
    *at = (place){.node = item, .field = field};
    if (field->kind == PLI_FIELD_STRUCT) at->schema = field->schema;
    return PLI_OK;
}

static pli_status enter_name(const setting *s, place *at, const char *part)
{
    if (at->node->kind != PLI_NODE_MAP) empty_node(at->node);
    pli_node *item = pli_node_find(at->node, part);
    if (item == NULL) PLI_TRY(add_item(s, at->node, part, &item));
    *at = (place){.node = item, .schema = at->field->schema};
    return PLI_OK;
}

static pli_status enter_index(const setting *s, place *at, const char *part)
{
    char text[128];
    size_t length = strlen(part);
    bool is_index = length > 0 && length < 8 && strspn(part, "0123456789") == length;
    if (!is_index || at->node->kind != PLI_NODE_LIST) {
        return refuse_part(s, is_index ? "there is no list to change an item of; give all of it"
                                       : "expected the index of an item, such as [0]");
    }
    int32_t index = atoi(part);
    if (index >= at->node->count) {
        snprintf(text, sizeof text, "there is no item %d; the list has %d", index, at->node->count);
        return refuse_part(s, text);
    }
    pli_node *item = at->node->first;
    while (index-- > 0) item = item->next;
    at->node = item;
    at->is_item = true;
    if (at->field->kind == PLI_FIELD_LIST) at->schema = at->field->schema;
    return PLI_OK;
}

static pli_status enter_variant(const setting *s, place *at, const char *part)
{
    const pli_schema *schema = find_variant(at->field, part);
    char text[PLI_TREE_ERROR_CAPACITY];
    if (schema == NULL) return refuse_part(s, pli_tree_unknown_variant(at->field, part, text));
    // another variant than the one that is there starts from its defaults
    if (find_variant(at->field, variant_name(at->node)) != schema) {
        empty_node(at->node);
        at->node->kind = PLI_NODE_SCALAR;
        at->node->text = pli_tree_add_text(s->tree, part, strlen(part));
        if (at->node->text == NULL) return PLI_ERROR_MEMORY;
    }
    PLI_TRY(expand_variant(s->tree, at->node));
    *at = (place){.node = at->node->first, .schema = schema};
    return PLI_OK;
}

// Goes one part of the path deeper.
static pli_status enter_part(setting *s, place *at, const char *part)
{
    const char *before = s->path.length > 0 ? "." : "";
    const char *after = "";
    pli_items items = {0};
    if (at->field != NULL) items = pli_field_get_items(at->field, NULL);
    if (at->schema != NULL) {
        PLI_TRY(enter_key(s, at, part));
    } else if (at->field->kind == PLI_FIELD_NAMED) {
        PLI_TRY(enter_name(s, at, part));
    } else if (items.kind == PLI_ITEM_VARIANT && items.is_list == at->is_item) {
        PLI_TRY(enter_variant(s, at, part));
    } else if (items.is_list && !at->is_item) {
        PLI_TRY(enter_index(s, at, part));
        before = "[";
        after = "]";
    } else {
        return refuse_part(s, "has no parts");
    }
    pli_text_format(&s->path, "%s%s%s", before, part, after);
    return s->path.failed ? PLI_ERROR_MEMORY : PLI_OK;
}

// Cuts the next part off a path of keys, "a.b[0].c" or "a.b.0.c"; NULL at its end.
static char *next_part(char **rest)
{
    *rest += strspn(*rest, ".[]");
    if (**rest == '\0') return NULL;
    char *part = *rest;
    *rest += strcspn(*rest, ".[]");
    if (**rest != '\0') *(*rest)++ = '\0';
    return part;
}

static pli_status walk_path(setting *s, char *path, place *at)
{
    int32_t depth = 0;
    for (char *part = next_part(&path); part != NULL; part = next_part(&path)) {
        if (++depth > PLI_TREE_DEPTH) return refuse_part(s, "the path is too deep");
        PLI_TRY(enter_part(s, at, part));
    }
    return depth > 0 ? PLI_OK : refuse_part(s, "expected PATH=VALUE, such as time.fps=30");
}

// Puts the value where the path has led.
static pli_status assign(const setting *s, const place *at, pli_node *value)
{
    if (at->schema != NULL) return merge_struct(s->tree, at->schema, at->node, value);
    if (!at->is_item) return merge_field(s->tree, at->field, at->node, value);
    if (at->field->kind == PLI_FIELD_VARIANTS) {
        return merge_variant(s->tree, at->field, at->node, value);
    }
    pli_node_replace(at->node, value);
    return PLI_OK;
}

static pli_status apply_setting(setting *s, const pli_schema *schema, pli_node *root, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL) return refuse_part(s, "expected PATH=VALUE, such as time.fps=30");
    *equals = '\0';
    pli_node *value = NULL;
    PLI_TRY(pli_tree_read(s->tree, s->source, equals + 1, (int64_t)strlen(equals + 1), &value));
    if (value == NULL) PLI_TRY(pli_tree_add_node(s->tree, PLI_NODE_SCALAR, s->source, &value));
    place at = {.node = root, .schema = schema};
    PLI_TRY(walk_path(s, text, &at));
    return assign(s, &at, value);
}

pli_status pli_tree_set(pli_tree *tree, const pli_schema *schema, pli_node *root,
                        const char *setting_text)
{
    setting s = {.tree = tree};
    pli_text name;
    pli_text_init(&s.path, tree->context);
    pli_text_init(&name, tree->context);
    pli_status status = PLI_ERROR_MEMORY;
    char excerpt[PLI_EXCERPT_CAPACITY];
    char *copy = pli_string_copy(tree->context, setting_text);
    if (copy == NULL) goto done;
    pli_text_format(&name, "--set %s", pli_excerpt(setting_text, excerpt));
    if (name.failed) goto done;
    s.source = pli_tree_add_source(tree, name.bytes, "");
    if (s.source == NULL) goto done;
    s.source->is_option = true;
    status = apply_setting(&s, schema, root, copy);

done:
    pli_release(tree->context, copy);
    pli_text_clear(&name);
    pli_text_clear(&s.path);
    return status;
}
