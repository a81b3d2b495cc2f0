// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

#include "base/text.h"

#include <string.h>

typedef struct walk {
    pli_context *context;
    pli_visit_fn visit;
    void *user;
    pli_text path; // of what is being visited
    int32_t depth; // structs around it
} walk;

static pli_status walk_struct(walk *w, const pli_schema *schema, const void *holder);

// The path at a field or an item of the struct that is being visited.
static void push_key(pli_text *path, const char *key)
{
    if (path->length > 0) pli_text_append(path, ".");
    pli_text_append(path, key);
}

static void pop_key(pli_text *path, int64_t length)
{
    path->length = length;
    if (path->bytes != NULL) path->bytes[length] = '\0';
}

static pli_status walk_variant(walk *w, const pli_field *field, const pli_variant *variant)
{
    const pli_schema *schema = pli_field_variant(field, variant);
    if (schema == NULL || variant->data == NULL) return PLI_OK;
    push_key(&w->path, schema->name);
    return walk_struct(w, schema, variant->data);
}

static pli_status walk_item(walk *w, const pli_field *field, const pli_items *items, int32_t index)
{
    const void *item = (const char *)items->first + (size_t)index * items->stride;
    if (field->kind == PLI_FIELD_NAMED || field->kind == PLI_FIELD_PAINTED) {
        const char *name = *(const char *const *)item;
        push_key(&w->path, name != NULL ? name : "");
    } else if (items->is_list) {
        pli_text_format(&w->path, "[%d]", index);
    }
    if (items->kind == PLI_ITEM_STRUCT) return walk_struct(w, field->schema, item);
    return walk_variant(w, field, item);
}

static pli_status walk_field(walk *w, const pli_visit *visit)
{
    PLI_TRY(w->visit(w->user, visit));
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    if (items.kind != PLI_ITEM_STRUCT && items.kind != PLI_ITEM_VARIANT) return PLI_OK;

    int64_t length = w->path.length;
    for (int32_t i = 0; i < items.count; ++i) {
        PLI_TRY(walk_item(w, visit->field, &items, i));
        pop_key(&w->path, length);
    }
    return PLI_OK;
}

static pli_status check_walk(walk *w)
{
    if (w->path.failed) return PLI_ERROR_MEMORY;
    if (w->depth <= PLI_SCENE_DEPTH) return PLI_OK;
    return PLI_FAIL(w->context, PLI_ERROR_SCENE, "scene: nested more than %d deep",
                    PLI_SCENE_DEPTH);
}

static pli_status walk_struct(walk *w, const pli_schema *schema, const void *holder)
{
    ++w->depth;
    PLI_TRY(check_walk(w));
    pli_visit visit = {.path = w->path.bytes, .schema = schema, .holder = holder};
    PLI_TRY(w->visit(w->user, &visit));

    int64_t length = w->path.length;
    for (int32_t i = 0; i < schema->field_count; ++i) {
        // what is painted goes by the names of the numbers
        if (schema->fields[i].kind != PLI_FIELD_PAINTED) push_key(&w->path, schema->fields[i].key);
        PLI_TRY(check_walk(w));
        visit.path = w->path.bytes;
        visit.field = &schema->fields[i];
        visit.member = (const char *)holder + visit.field->offset;
        PLI_TRY(walk_field(w, &visit));
        pop_key(&w->path, length);
    }
    --w->depth;
    return PLI_OK;
}

pli_status pli_schema_walk(pli_context *context, const pli_schema *schema, const void *def,
                           pli_visit_fn visit, void *user)
{
    walk w = {.context = context, .visit = visit, .user = user};
    pli_text_init(&w.path, context);
    pli_text_append(&w.path, ""); // so that the root's path is a text
    pli_status status = w.path.failed ? PLI_ERROR_MEMORY : walk_struct(&w, schema, def);
    pli_text_clear(&w.path);
    return status;
}
