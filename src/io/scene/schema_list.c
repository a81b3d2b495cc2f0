// SPDX-License-Identifier: Apache-2.0
#include "io/scene/schema_list.h"

#include <stdio.h>
#include <string.h>

static void add_struct(pli_schema_list *list, const pli_schema *schema, const char *holder);

const char *pli_schema_list_struct_id(const pli_schema_list *list, const pli_schema *schema)
{
    for (int32_t i = 0; i < list->count; ++i) {
        if (list->parts[i].schema == schema) return list->parts[i].id;
    }
    return "";
}

const char *pli_schema_list_choice_id(const pli_schema_list *list, const pli_field *field)
{
    for (int32_t i = 0; i < list->count; ++i) {
        const pli_field *choice = list->parts[i].choice;
        if (choice != NULL && choice->variants == field->variants) return list->parts[i].id;
    }
    return "";
}

static bool is_taken(const pli_schema_list *list, const char *id)
{
    for (int32_t i = 0; i < list->count; ++i) {
        if (strcmp(list->parts[i].id, id) == 0) return true;
    }
    return false;
}

// A name that is taken gets that of what holds it before it: "where_box" beside "box".
static pli_schema_part *add_part(pli_schema_list *list, const char *name, const char *holder)
{
    if (list->count == PLI_SCHEMA_PARTS) return NULL;
    pli_schema_part *part = &list->parts[list->count];
    bool taken = is_taken(list, name);
    snprintf(part->id, sizeof part->id, "%s%s%s", taken ? holder : "", taken ? "_" : "", name);
    ++list->count;
    return part;
}

static void add_choice(pli_schema_list *list, const pli_field *field)
{
    if (pli_schema_list_choice_id(list, field)[0] != '\0') return;
    char name[PLI_SCHEMA_ID_CAPACITY / 2];
    snprintf(name, sizeof name, "any_%s", field->key);
    pli_schema_part *part = add_part(list, name, "other");
    if (part == NULL) return;
    part->choice = field;
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        add_struct(list, field->variants[i], field->key);
    }
}

static void add_struct(pli_schema_list *list, const pli_schema *schema, const char *holder)
{
    if (pli_schema_list_struct_id(list, schema)[0] != '\0') return;
    pli_schema_part *part = add_part(list, schema->name, holder);
    if (part == NULL) return;
    part->schema = schema;
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        if (field->schema != NULL) add_struct(list, field->schema, schema->name);
        if (field->variants != NULL) add_choice(list, field);
    }
}

void pli_schema_list_build(pli_schema_list *list, const pli_schema *root)
{
    memset(list, 0, sizeof *list);
    add_struct(list, root, "");
}

bool pli_schema_has_required(const pli_schema *schema)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (schema->fields[i].flags & PLI_FIELD_REQUIRED) return true;
    }
    return false;
}
