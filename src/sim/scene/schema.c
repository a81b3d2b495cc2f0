// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

#include <string.h>

// The longest default of one number.
enum { FALLBACK_CAPACITY = 64 };

const pli_field *pli_schema_find(const pli_schema *schema, const char *key)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        if (!pli_field_is_key(field)) continue;
        if (strcmp(field->key, key) == 0) return field;
        if (field->alias != NULL && strcmp(field->alias, key) == 0) return field;
        if (field->former != NULL && strcmp(field->former, key) == 0) return field;
    }
    return NULL;
}

// Copies the next value of "a" or "[a, b, c]" and returns where the one after it starts.
static const char *next_value(const char *text, char value[FALLBACK_CAPACITY])
{
    text += strspn(text, "[, ");
    size_t length = strcspn(text, "[], ");
    if (length >= FALLBACK_CAPACITY) length = FALLBACK_CAPACITY - 1;
    memcpy(value, text, length);
    value[length] = '\0';
    return text + length;
}

// Reads the default of a field into items that the struct itself holds.
static void init_values(const pli_field *field, const pli_items *items, char *member)
{
    // a default that means "not given" may lie outside the range
    pli_field free_field = *field;
    if (field->flags & (PLI_FIELD_OPTIONAL | PLI_FIELD_REQUIRED)) {
        free_field.min = 0;
        free_field.max = 0;
    }
    char error[PLI_FIELD_ERROR_CAPACITY];
    char value[FALLBACK_CAPACITY];
    const char *rest = field->fallback;
    for (int32_t i = 0; i < items->fixed; ++i) {
        rest = next_value(rest, value);
        (void)pli_field_parse(&free_field, value, member + (size_t)i * items->stride, error);
    }
}

// A variant with its defaults, or none.
static void init_variant(const pli_field *field, pli_variant *variant)
{
    *variant = (pli_variant){.kind = -1};
    for (int32_t i = 0; field->fallback != NULL && field->variants[i] != NULL; ++i) {
        if (strcmp(field->variants[i]->name, field->fallback) == 0) variant->kind = i;
    }
}

void pli_schema_init(const pli_schema *schema, void *def)
{
    memset(def, 0, schema->size);
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        char *member = (char *)def + field->offset;
        pli_items items = pli_field_get_items(field, NULL);
        if (items.fixed == 0 || items.kind == PLI_ITEM_MESH) continue;
        if (items.kind == PLI_ITEM_STRUCT) {
            pli_schema_init(field->schema, member);
        } else if (items.kind == PLI_ITEM_VARIANT) {
            init_variant(field, (pli_variant *)member);
        } else if (items.kind == PLI_ITEM_TEXT) {
            *(const char **)member = field->fallback != NULL ? field->fallback : "";
        } else if (field->fallback != NULL) {
            init_values(field, &items, member);
        }
    }
}

// Whether a member holds its default: an empty list, the default value, or a struct of such.
static bool is_default(const pli_field *field, const void *holder)
{
    pli_items items = pli_field_get_items(field, holder);
    if (items.fixed == 0) return items.count == 0;
    if (items.kind == PLI_ITEM_STRUCT) {
        for (int32_t i = 0; i < field->schema->field_count; ++i) {
            if (!is_default(&field->schema->fields[i], items.first)) return false;
        }
        return true;
    }
    if (items.kind == PLI_ITEM_VARIANT) {
        const pli_variant *given = items.first;
        pli_variant wanted;
        init_variant(field, &wanted);
        return given->kind == wanted.kind && (given->kind < 0 || given->data == NULL);
    }

    // a single value: compare with the default
    char buffer[PLI_FIELD_TEXT_CAPACITY];
    const char *value = pli_field_print(field, items.first, buffer);
    return strcmp(value, field->fallback != NULL ? field->fallback : "") == 0;
}

bool pli_field_is_absent(const pli_field *field, const void *holder)
{
    return (field->flags & PLI_FIELD_OPTIONAL) != 0 && is_default(field, holder);
}

void pli_scene_def_init(pli_scene_def *def)
{
    pli_schema_init(pli_scene_schema(), def);
}
