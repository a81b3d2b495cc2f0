// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_tree.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "base/text.h"
#include "io/file/file.h"
#include "io/scene/scene_words.h"

#include <stdio.h>
#include <string.h>

typedef struct filler {
    pli_context *context;
    pli_scene *scene;
    pli_text path;            // of what is being filled
    const pli_field *painted; // the number that a paint being filled stands for
} filler;

static pli_status fill_struct(filler *f, const pli_schema *schema, const pli_node *node,
                              void *target);

// ---- paths, notes and failures

static int64_t push_key(filler *f, const char *key)
{
    int64_t length = f->path.length;
    if (length > 0) pli_text_append(&f->path, ".");
    pli_text_append(&f->path, key);
    return length;
}

static int64_t push_index(filler *f, int32_t index)
{
    int64_t length = f->path.length;
    pli_text_format(&f->path, "[%d]", index);
    return length;
}

static void pop(filler *f, int64_t length)
{
    if (f->path.failed) return;
    f->path.length = length;
    f->path.bytes[length] = '\0';
}

static pli_status refuse(const filler *f, const pli_node *node, const char *text)
{
    if (f->path.failed) return PLI_ERROR_MEMORY;
    pli_position position = pli_node_position(node);
    return pli_position_fail(f->context, PLI_ERROR_SCENE, &position, f->path.bytes, "%s", text);
}

static pli_status refuse_key(const filler *f, const pli_node *node, const char *text)
{
    if (f->path.failed) return PLI_ERROR_MEMORY;
    pli_position position = pli_node_key_position(node);
    return pli_position_fail(f->context, PLI_ERROR_SCENE, &position, f->path.bytes, "%s", text);
}

// Says how something is called today whose former name was written.
static pli_status advise(const filler *f, const pli_position *position, const char *former,
                         const char *name)
{
    if (f->path.failed) return PLI_ERROR_MEMORY;
    pli_position_warn(f->scene, position, f->path.bytes, "'%s' is called '%s' now", former, name);
    return PLI_OK;
}

// "found 'x', expected a list of three numbers"
static pli_status refuse_kind(const filler *f, const pli_node *node, const char *expected)
{
    char buffer[PLI_EXCERPT_CAPACITY + 2];
    char text[PLI_FIELD_ERROR_CAPACITY + PLI_EXCERPT_CAPACITY];
    snprintf(text, sizeof text, "found %s, expected %s", pli_node_describe(node, buffer), expected);
    return refuse(f, node, text);
}

// A text that lives as long as the scene; NULL when memory ran out.
static const char *keep_text(const filler *f, const char *text)
{
    size_t length = strlen(text);
    char *copy = pli_scene_take(f->scene, length + 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}

static pli_status keep_source(const filler *f, pli_source *source)
{
    if (source->kept == NULL) source->kept = keep_text(f, source->name);
    return source->kept != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status note(const filler *f, const void *address, const pli_node *node)
{
    PLI_TRY(keep_source(f, node->source));
    pli_position position = pli_node_position(node);
    return pli_scene_note(f->scene, address, &position);
}

static pli_status note_key(const filler *f, const void *address, const pli_node *node)
{
    PLI_TRY(keep_source(f, node->source));
    pli_position position = pli_node_key_position(node);
    return pli_scene_note(f->scene, address, &position);
}

// ---- values

// what one item, and what several items are called
static const char *const item_nouns[][2] = {
    [PLI_ITEM_REAL] = {"a number", "numbers"},
    [PLI_ITEM_INTEGER] = {"a whole number", "whole numbers"},
    [PLI_ITEM_BOOL] = {"true or false", "truth values"},
    [PLI_ITEM_TEXT] = {"a text", "texts"},
    [PLI_ITEM_CHOICE] = {"a name", "names"},
    [PLI_ITEM_STRUCT] = {"a map of keys", "maps of keys"},
    [PLI_ITEM_VARIANT] = {"a map with one key", "maps with one key"},
    [PLI_ITEM_MESH] = {"a mesh", "meshes"},
};

static pli_status refuse_value(const filler *f, const pli_field *field, pli_item_kind kind,
                               const pli_node *node)
{
    char range[PLI_FIELD_ERROR_CAPACITY];
    bool is_choice = kind == PLI_ITEM_CHOICE;
    return refuse_kind(f, node, is_choice ? pli_field_range(field, range) : item_nouns[kind][0]);
}

// A file's name relative to the folder of the scene.
static pli_status fill_path(const filler *f, const pli_node *node, const char **target)
{
    char *joined = pli_path_join(f->context, node->source->folder, node->text);
    if (joined == NULL) return PLI_ERROR_MEMORY;
    *target = keep_text(f, node->text[0] != '\0' ? joined : "");
    pli_release(f->context, joined);
    return *target != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status fill_text(const filler *f, const pli_field *field, const pli_node *node,
                            const char **target)
{
    if (field->flags & PLI_FIELD_PATH) return fill_path(f, node, target);
    *target = keep_text(f, pli_node_is_nothing(node) ? "" : node->text);
    return *target != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// Whether a text is a number with a unit behind it, which in JSON has to be in quotes.
static bool has_unit(pli_item_kind kind, const char *text)
{
    bool is_number = kind == PLI_ITEM_REAL || kind == PLI_ITEM_INTEGER;
    const char *number = text + strspn(text, "+-");
    bool begins = (number[0] >= '0' && number[0] <= '9') || number[0] == '.';
    return is_number && begins && text[strspn(text, "+-.0123456789eE/")] != '\0';
}

// Reads one scalar into one item.
static pli_status fill_value(const filler *f, const pli_field *field, pli_item_kind kind,
                             const pli_node *node, void *item)
{
    if (node->kind != PLI_NODE_SCALAR) return refuse_value(f, field, kind, node);
    if (kind == PLI_ITEM_TEXT) return fill_text(f, field, node, item);
    if (pli_node_is_nothing(node)) return refuse_value(f, field, kind, node);
    char error[PLI_FIELD_ERROR_CAPACITY];
    char text[PLI_TREE_ERROR_CAPACITY];
    char word[PLI_WORD_CAPACITY] = "";
    pli_field own = *field;
    if (field->flags & PLI_FIELD_PAINTED_UNIT) own.unit = f->painted->unit;
    if (!pli_field_parse(&own, node->text, item, error)) {
        if (kind == PLI_ITEM_CHOICE) pli_word_of_choice(field, node->text, word);
        snprintf(text, sizeof text, "%s%s", error, word);
        return refuse(f, node, text);
    }
    if (node->quoted && kind != PLI_ITEM_CHOICE && !has_unit(kind, node->text)) {
        char found[PLI_EXCERPT_CAPACITY];
        snprintf(text, sizeof text, "found \"%s\" in quotes, expected %s without",
                 pli_excerpt(node->text, found), item_nouns[kind][0]);
        return refuse(f, node, text);
    }
    return PLI_OK;
}

// ---- variants

static pli_status refuse_variant(const filler *f, const pli_field *field, const pli_node *node,
                                 const char *name)
{
    char text[PLI_TREE_ERROR_CAPACITY];
    pli_tree_unknown_variant(field, name, text);
    return node->kind == PLI_NODE_MAP ? refuse_key(f, node->first, text) : refuse(f, node, text);
}

static pli_status refuse_variant_kind(const filler *f, const pli_field *field, const pli_node *node)
{
    char buffer[PLI_EXCERPT_CAPACITY + 2];
    char range[PLI_FIELD_ERROR_CAPACITY];
    char text[PLI_FIELD_ERROR_CAPACITY + PLI_EXCERPT_CAPACITY + 64];
    snprintf(text, sizeof text, "found %s%s, expected a map with one key, %s",
             pli_node_describe(node, buffer),
             node->kind == PLI_NODE_MAP ? (node->count == 0 ? " without any" : " with several")
                                        : "",
             pli_field_range(field, range));
    return refuse(f, node, text);
}

// A variant is a map with one key, its name, or the name alone.
static pli_status fill_variant(filler *f, const pli_field *field, const pli_node *node,
                               pli_variant *variant)
{
    bool is_map = node->kind == PLI_NODE_MAP && node->count == 1;
    bool is_name = node->kind == PLI_NODE_SCALAR && !pli_node_is_nothing(node);
    if (!is_map && !is_name) return refuse_variant_kind(f, field, node);
    const char *name = is_map ? node->first->key : node->text;
    int32_t kind = pli_tree_find_variant(field, name);
    if (kind < 0) return refuse_variant(f, field, node, name);
    const pli_schema *schema = field->variants[kind];
    if (strcmp(schema->name, name) != 0) {
        pli_position position =
            is_map ? pli_node_key_position(node->first) : pli_node_position(node);
        PLI_TRY(advise(f, &position, name, schema->name));
        name = schema->name;
    }

    void *data = pli_scene_take(f->scene, schema->size);
    if (data == NULL) return PLI_ERROR_MEMORY;
    pli_schema_init(schema, data);
    variant->kind = kind;
    variant->data = data;
    PLI_TRY(note(f, data, is_map ? node->first : node));
    int64_t length = push_key(f, name);
    pli_node nothing = {.kind = PLI_NODE_SCALAR, .text = "", .source = node->source};
    nothing.line = node->line;
    nothing.column = node->column;
    PLI_TRY(fill_struct(f, schema, is_map ? node->first : &nothing, data));
    pop(f, length);
    return PLI_OK;
}

// ---- fields

static pli_status fill_item(filler *f, const pli_field *field, pli_item_kind kind,
                            const pli_node *node, void *item)
{
    if (kind == PLI_ITEM_STRUCT) return fill_struct(f, field->schema, node, item);
    if (kind == PLI_ITEM_VARIANT) return fill_variant(f, field, node, item);
    return fill_value(f, field, kind, node, item);
}

static pli_status fill_named(filler *f, const pli_field *field, const pli_node *node, char *items)
{
    size_t stride = field->schema->size;
    for (const pli_node *child = node->first; child != NULL; child = child->next) {
        // the name is the struct's first member, and its place that of the whole
        pli_schema_init(field->schema, items);
        const char *name = keep_text(f, child->key);
        if (name == NULL) return PLI_ERROR_MEMORY;
        *(const char **)(void *)items = name;
        PLI_TRY(note_key(f, items, child));
        int64_t length = push_key(f, child->key);
        PLI_TRY(fill_struct(f, field->schema, child, items));
        pop(f, length);
        items += stride;
    }
    return PLI_OK;
}

static pli_status fill_list(filler *f, const pli_field *field, const pli_items *shape,
                            const pli_node *node, char *items)
{
    int32_t index = 0;
    for (const pli_node *child = node->first; child != NULL; child = child->next) {
        if (shape->kind == PLI_ITEM_STRUCT) {
            pli_schema_init(field->schema, items);
            PLI_TRY(note(f, items, child));
        }
        int64_t length = push_index(f, index++);
        PLI_TRY(fill_item(f, field, shape->kind, child, items));
        pop(f, length);
        items += shape->stride;
    }
    return PLI_OK;
}

// How a list is written that was not written as one.
static void show_list(const pli_field *field, const pli_items *shape, const pli_node *node,
                      char text[64])
{
    bool has_default = field->fallback != NULL && field->fallback[0] == '[';
    text[0] = '\0';
    if (node->kind == PLI_NODE_MAP && shape->kind == PLI_ITEM_STRUCT) {
        snprintf(text, 64, ", each of which begins with a dash");
    } else if (node->kind == PLI_NODE_SCALAR && (has_default || shape->kind == PLI_ITEM_REAL)) {
        snprintf(text, 64, ", such as %s", has_default ? field->fallback : "[0, -9.81, 0]");
    }
}

static pli_status check_list(const filler *f, const pli_field *field, const pli_items *shape,
                             const pli_node *node)
{
    bool is_named = field->kind == PLI_FIELD_NAMED;
    char shown[64] = "";
    char expected[128];
    if (is_named && node->kind != PLI_NODE_MAP) {
        return refuse_kind(f, node, "a map of names, each of which is followed by a colon");
    }
    bool is_list = node->kind == PLI_NODE_LIST;
    if (!is_named && !is_list) show_list(field, shape, node, shown);
    snprintf(expected, sizeof expected, "%sa list of %s%s%s",
             (field->flags & PLI_FIELD_UNIFORM) != 0 ? "a number or " : "",
             shape->fixed == 3 ? "three " : "", item_nouns[shape->kind][1], shown);
    if (!is_named && !is_list) return refuse_kind(f, node, expected);
    if (shape->fixed == 0 || node->count == shape->fixed) return PLI_OK;
    char text[192];
    snprintf(text, sizeof text, "found %d items, expected %s", node->count, expected);
    return refuse(f, node, text);
}

// One number in the place of three.
static pli_status fill_uniform(filler *f, const pli_field *field, const pli_items *shape,
                               const pli_node *node, char *items)
{
    for (int32_t i = 0; i < shape->fixed; ++i) {
        PLI_TRY(fill_item(f, field, shape->kind, node, items + (size_t)i * shape->stride));
    }
    return PLI_OK;
}

// One item in the place of a list.
static pli_status fill_single(filler *f, const pli_field *field, const pli_items *shape,
                              const pli_node *node, char *holder)
{
    static const int32_t one = 1;
    void *item = pli_scene_take(f->scene, shape->stride);
    if (item == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(fill_item(f, field, shape->kind, node, item));
    memcpy(holder + field->offset, &item, sizeof item);
    memcpy(holder + field->count_offset, &one, sizeof one);
    return PLI_OK;
}

// A list that the struct points to, or that it holds.
static pli_status fill_items(filler *f, const pli_field *field, const pli_items *shape,
                             const pli_node *node, char *holder)
{
    char *member = holder + field->offset;
    if (shape->fixed == 0 && pli_node_is_nothing(node)) return PLI_OK;
    bool is_uniform = (field->flags & PLI_FIELD_UNIFORM) != 0 && node->kind == PLI_NODE_SCALAR &&
                      !pli_node_is_nothing(node);
    if (is_uniform && shape->fixed > 0) return fill_uniform(f, field, shape, node, member);
    if (is_uniform) return fill_single(f, field, shape, node, holder);
    PLI_TRY(check_list(f, field, shape, node));
    if (shape->fixed > 0) return fill_list(f, field, shape, node, member);

    char *items = pli_scene_take(f->scene, (size_t)node->count * shape->stride);
    if (items == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(field->kind == PLI_FIELD_NAMED ? fill_named(f, field, node, items)
                                           : fill_list(f, field, shape, node, items));
    memcpy(member, &items, sizeof items);
    memcpy(holder + field->count_offset, &node->count, sizeof node->count);
    return PLI_OK;
}

static pli_status fill_field(filler *f, const pli_field *field, const pli_node *node, void *holder)
{
    pli_items shape = pli_field_get_items(field, NULL);
    char *member = (char *)holder + field->offset;
    int64_t length = push_key(f, field->key);
    PLI_TRY(note(f, member, node));
    PLI_TRY(shape.is_list ? fill_items(f, field, &shape, node, holder)
                          : fill_item(f, field, shape.kind, node, member));
    pop(f, length);
    return PLI_OK;
}

// ---- structs

// A unit behind a number whose user knows its unit is the key "unit" beside it.
static pli_status keep_unit(const filler *f, const pli_schema *schema, const pli_field *field,
                            const pli_node *node, void *target)
{
    if ((field->flags & PLI_FIELD_OWN_UNIT) == 0 || node->kind != PLI_NODE_SCALAR) return PLI_OK;
    if (!has_unit(PLI_ITEM_REAL, node->text)) return PLI_OK;
    const char *unit = keep_text(f, node->text + strspn(node->text, "+-.0123456789eE/ "));
    if (unit == NULL) return PLI_ERROR_MEMORY;
    const pli_field *beside = pli_schema_find(schema, "unit");
    memcpy((char *)target + beside->offset, &unit, sizeof unit);
    return PLI_OK;
}

static pli_status check_required(const filler *f, const pli_schema *schema, const pli_node *node,
                                 uint64_t given)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        if ((field->flags & PLI_FIELD_REQUIRED) == 0 || (given >> i & 1) != 0) continue;
        char text[PLI_FIELD_ERROR_CAPACITY];
        snprintf(text, sizeof text, "the key '%s' is missing: %s", field->key, field->doc);
        return refuse(f, node, text);
    }
    return PLI_OK;
}

// A map says a field under two of its names.
static pli_status refuse_twice(const filler *f, const pli_schema *schema, const pli_node *node,
                               const pli_node *item)
{
    const pli_field *field = pli_schema_find(schema, item->key);
    const pli_node *first = node->first;
    while (pli_schema_find(schema, first->key) != field) first = first->next;
    char text[PLI_TREE_ERROR_CAPACITY];
    snprintf(text, sizeof text, "'%s' and '%s' are two names of one key", first->key, item->key);
    return refuse_key(f, item, text);
}

// A map in the place of a number that may be painted goes to the list of what is painted, for which
// there is room for `most`.
static pli_status fill_paint(filler *f, const pli_schema *schema, const pli_field *field,
                             const pli_node *node, int32_t most, void *holder)
{
    const pli_field *list = &schema->fields[0];
    while (list->kind != PLI_FIELD_PAINTED) ++list;
    pli_items items = pli_field_get_items(list, holder);
    char *first = (char *)(uintptr_t)items.first;
    if (first == NULL) first = pli_scene_take(f->scene, (size_t)most * items.stride);
    if (first == NULL) return PLI_ERROR_MEMORY;
    char *paint = first + (size_t)items.count * items.stride;
    int32_t count = items.count + 1;
    memcpy((char *)holder + list->offset, &first, sizeof first);
    memcpy((char *)holder + list->count_offset, &count, sizeof count);
    pli_schema_init(list->schema, paint);
    *(const char **)(void *)paint = field->key;

    const pli_field *outer = f->painted;
    int64_t length = push_key(f, field->key);
    f->painted = field;
    PLI_TRY(note(f, (char *)holder + field->offset, node));
    PLI_TRY(note(f, paint, node));
    PLI_TRY(fill_struct(f, list->schema, node, paint));
    f->painted = outer;
    pop(f, length);
    return PLI_OK;
}

static bool is_painted(const pli_field *field, const pli_node *node)
{
    return (field->flags & PLI_FIELD_PAINTABLE) != 0 && node->kind == PLI_NODE_MAP;
}

static pli_status fill_keys(filler *f, const pli_schema *schema, const pli_node *node, void *target)
{
    uint64_t given = 0; // bit i: field i
    for (const pli_node *item = node->first; item != NULL; item = item->next) {
        const pli_field *field = pli_schema_find(schema, item->key);
        char text[PLI_TREE_ERROR_CAPACITY];
        if (field == NULL)
            return refuse_key(f, item, pli_tree_unknown_key(schema, item->key, text));
        uint64_t bit = (uint64_t)1 << (field - schema->fields);
        if (given & bit) return refuse_twice(f, schema, node, item);
        bool is_former = field->former != NULL && strcmp(item->key, field->former) == 0;
        if (is_former) {
            pli_position position = pli_node_key_position(item);
            PLI_TRY(advise(f, &position, item->key, field->key));
        }
        given |= bit;
        if (is_painted(field, item)) continue;
        PLI_TRY(fill_field(f, field, item, target));
        PLI_TRY(keep_unit(f, schema, field, item, target));
    }
    // in the order of the table, whatever that of the file is
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        for (const pli_node *item = node->first; item != NULL; item = item->next) {
            if (!is_painted(field, item) || pli_schema_find(schema, item->key) != field) continue;
            PLI_TRY(fill_paint(f, schema, field, item, node->count, target));
        }
    }
    return check_required(f, schema, node, given);
}

// "found '3', expected a map of keys: frames, fps, ..."
static pli_status refuse_struct(const filler *f, const pli_schema *schema, const pli_node *node)
{
    char expected[PLI_FIELD_ERROR_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, NULL);
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (pli_field_is_key(&schema->fields[i])) {
            pli_suggest_add(&suggest, schema->fields[i].key);
        }
    }
    snprintf(expected, sizeof expected, "a map of keys: %s", pli_suggest_text(&suggest));
    return refuse_kind(f, node, expected);
}

// Whether a map stands for the main number of a struct, painted: it begins with a key of a paint.
static bool is_paint(const pli_schema *schema, const pli_node *node)
{
    if (node->kind != PLI_NODE_MAP || node->count == 0 || schema->scalar_key == NULL) return false;
    const pli_field *field = pli_schema_find(schema, schema->scalar_key);
    if ((field->flags & PLI_FIELD_PAINTABLE) == 0) return false;
    if (pli_schema_find(schema, node->first->key) != NULL) return false;
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (schema->fields[i].kind != PLI_FIELD_PAINTED) continue;
        return pli_schema_find(schema->fields[i].schema, node->first->key) != NULL;
    }
    return false;
}

// A plain list: the fields one after another.
static pli_status fill_row(filler *f, const pli_schema *schema, const pli_node *node, void *target)
{
    if (node->count != schema->field_count) {
        char text[96];
        snprintf(text, sizeof text, "found %d items, expected %d: %s, %s", node->count,
                 schema->field_count, schema->fields[0].key, schema->fields[1].key);
        return refuse(f, node, text);
    }
    const pli_field *field = schema->fields;
    for (const pli_node *item = node->first; item != NULL; item = item->next, ++field) {
        PLI_TRY(fill_field(f, field, item, target));
    }
    return PLI_OK;
}

// Fills a struct that holds its defaults. A value that is not a map stands for the main key.
static pli_status fill_struct(filler *f, const pli_schema *schema, const pli_node *node,
                              void *target)
{
    if (pli_node_is_nothing(node)) return check_required(f, schema, node, 0);
    if (is_paint(schema, node)) {
        const pli_field *field = pli_schema_find(schema, schema->scalar_key);
        return fill_paint(f, schema, field, node, 1, target);
    }
    if (node->kind == PLI_NODE_MAP) return fill_keys(f, schema, node, target);
    if (node->kind == PLI_NODE_LIST && schema->is_row) return fill_row(f, schema, node, target);
    const char *key = pli_node_main_key(schema, node);
    if (key == NULL) return refuse_struct(f, schema, node);
    const pli_field *field = pli_schema_find(schema, key);
    PLI_TRY(fill_field(f, field, node, target));
    PLI_TRY(keep_unit(f, schema, field, node, target));
    return check_required(f, schema, node, (uint64_t)1 << (field - schema->fields));
}

pli_status pli_tree_fill(pli_tree *tree, const pli_node *root, pli_scene *scene)
{
    filler f = {.context = tree->context, .scene = scene};
    pli_text_init(&f.path, tree->context);
    pli_text_append(&f.path, ""); // so that the root's path is a text
    pli_status status = f.path.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK) status = note(&f, pli_scene_edit(scene), root);
    if (status == PLI_OK) status = fill_struct(&f, pli_scene_schema(), root, pli_scene_edit(scene));
    if (status == PLI_OK && f.path.failed) status = PLI_ERROR_MEMORY;
    pli_text_clear(&f.path);
    return status;
}
