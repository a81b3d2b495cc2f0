// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_tree.h"

#include "base/suggest.h"
#include "io/scene/scene_words.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_MEMORY = 1 << 14, NODE_BLOCK = 64, BYTE_BLOCK = 4096 };

pli_status pli_tree_create(pli_context *context, pli_tree *tree)
{
    *tree = (pli_tree){.context = context};
    return pli_arena_create(context, FIRST_MEMORY, &tree->memory);
}

pli_status pli_tree_go_on(const pli_tree *tree)
{
    if (tree->cancel == NULL || !tree->cancel(tree->cancel_user)) return PLI_OK;
    return PLI_FAIL(tree->context, PLI_ERROR_INTERRUPTED, "reading the scene was stopped");
}

void pli_tree_clear(pli_tree *tree)
{
    pli_arena_destroy(tree->memory);
    *tree = (pli_tree){.context = tree->context};
}

const char *pli_tree_add_text(pli_tree *tree, const char *bytes, size_t length)
{
    int64_t needed = (int64_t)length + 1;
    if (needed > tree->free_byte_count) {
        int64_t block = needed > BYTE_BLOCK ? needed : BYTE_BLOCK;
        char *memory = pli_arena_take(tree->memory, block, 1, "scene text");
        if (memory == NULL) return NULL;
        tree->free_bytes = memory;
        tree->free_byte_count = block;
    }
    char *copy = tree->free_bytes;
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    tree->free_bytes += needed;
    tree->free_byte_count -= needed;
    return copy;
}

pli_source *pli_tree_add_source(pli_tree *tree, const char *name, const char *folder)
{
    pli_source *source = pli_arena_take(tree->memory, 1, sizeof *source, "scene source");
    if (source == NULL) return NULL;
    *source = (pli_source){.name = pli_tree_add_text(tree, name, strlen(name)),
                           .folder = pli_tree_add_text(tree, folder, strlen(folder))};
    return source->name != NULL && source->folder != NULL ? source : NULL;
}

pli_status pli_tree_add_node(pli_tree *tree, pli_node_kind kind, pli_source *source,
                             pli_node **node)
{
    *node = NULL;
    if (tree->node_count == PLI_TREE_NODES) {
        return PLI_FAIL(tree->context, PLI_ERROR_SCENE,
                        "%s: has more than %d values and keys, aliases written out; that is too "
                        "many",
                        source->name, PLI_TREE_NODES);
    }
    if (tree->free_node_count == 0) {
        tree->free_nodes =
            pli_arena_take(tree->memory, NODE_BLOCK, sizeof *tree->free_nodes, "scene nodes");
        if (tree->free_nodes == NULL) return PLI_ERROR_MEMORY;
        tree->free_node_count = NODE_BLOCK;
    }
    pli_node *made = tree->free_nodes++;
    --tree->free_node_count;
    ++tree->node_count;
    *made = (pli_node){.kind = (uint8_t)kind, .source = source, .text = ""};
    *node = made;
    return PLI_OK;
}

pli_status pli_tree_copy_node(pli_tree *tree, const pli_node *node, int32_t depth, pli_node **copy)
{
    *copy = NULL;
    if (depth > PLI_TREE_DEPTH) {
        pli_position position = pli_node_position(node);
        return pli_position_fail(tree->context, PLI_ERROR_SCENE, &position, "",
                                 "nested more than %d deep", PLI_TREE_DEPTH);
    }
    pli_node *made = NULL;
    PLI_TRY(pli_tree_add_node(tree, (pli_node_kind)node->kind, node->source, &made));
    made->text = node->text;
    made->quoted = node->quoted;
    made->line = node->line;
    made->column = node->column;
    for (const pli_node *item = node->first; item != NULL; item = item->next) {
        pli_node *item_copy = NULL;
        PLI_TRY(pli_tree_copy_node(tree, item, depth + 1, &item_copy));
        item_copy->key = item->key;
        item_copy->key_line = item->key_line;
        item_copy->key_column = item->key_column;
        pli_node_append(made, item_copy);
    }
    *copy = made;
    return PLI_OK;
}

void pli_node_append(pli_node *parent, pli_node *child)
{
    child->next = NULL;
    if (parent->last != NULL) parent->last->next = child;
    if (parent->first == NULL) parent->first = child;
    parent->last = child;
    ++parent->count;
}

pli_node *pli_node_find(const pli_node *map, const char *key)
{
    for (pli_node *item = map->first; item != NULL; item = item->next) {
        if (item->key != NULL && strcmp(item->key, key) == 0) return item;
    }
    return NULL;
}

int32_t pli_tree_find_variant(const pli_field *field, const char *name)
{
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        const pli_schema *variant = field->variants[i];
        if (strcmp(variant->name, name) == 0) return i;
        if (variant->former != NULL && strcmp(variant->former, name) == 0) return i;
    }
    return -1;
}

bool pli_node_is_nothing(const pli_node *node)
{
    if (node->kind != PLI_NODE_SCALAR || node->quoted) return false;
    return node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

const char *pli_node_main_key(const pli_schema *schema, const pli_node *node)
{
    bool is_list = node->kind == PLI_NODE_LIST && schema->list_key != NULL;
    return is_list ? schema->list_key : schema->scalar_key;
}

void pli_node_replace(pli_node *node, const pli_node *by)
{
    pli_node place = *node;
    *node = *by;
    node->next = place.next;
    node->key = place.key;
}

const char *pli_node_describe(const pli_node *node, char *buffer)
{
    if (node->kind == PLI_NODE_LIST) return "a list";
    if (node->kind == PLI_NODE_MAP) return "a map of keys";
    if (pli_node_is_nothing(node)) return "nothing";
    char excerpt[PLI_EXCERPT_CAPACITY];
    snprintf(buffer, PLI_EXCERPT_CAPACITY + 2, "'%s'", pli_excerpt(node->text, excerpt));
    return buffer;
}

const char *pli_tree_unknown_key(const pli_schema *schema, const char *key, char *text)
{
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(key, found));
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (!pli_field_is_key(&schema->fields[i])) continue;
        pli_suggest_add(&suggest, schema->fields[i].key);
    }
    char word[PLI_WORD_CAPACITY];
    snprintf(text, PLI_TREE_ERROR_CAPACITY, "unknown key '%s'%s; allowed are %s", found,
             pli_word_of_key(schema, key, word), pli_suggest_text(&suggest));
    return text;
}

const char *pli_tree_unknown_variant(const pli_field *field, const char *name, char *text)
{
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(name, found));
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        pli_suggest_add(&suggest, field->variants[i]->name);
    }
    char word[PLI_WORD_CAPACITY];
    snprintf(text, PLI_TREE_ERROR_CAPACITY, "found '%s'%s; allowed are %s", found,
             pli_word_of_variant(field, name, word), pli_suggest_text(&suggest));
    return text;
}

static pli_position position_at(const pli_source *source, int32_t line, int32_t column)
{
    const char *name = source->kept != NULL ? source->kept : source->name;
    if (source->is_option) return (pli_position){name, 0, 0};
    return (pli_position){name, line, column};
}

pli_position pli_node_position(const pli_node *node)
{
    return position_at(node->source, node->line, node->column);
}

pli_position pli_node_key_position(const pli_node *node)
{
    return position_at(node->source, node->key_line, node->key_column);
}
