// SPDX-License-Identifier: Apache-2.0
#include "pliant/io.h"

#include "io/file/result_text.h"
#include "io/scene/schema_list.h"

#include <string.h>

typedef struct markdown_writer {
    pli_text text;
    pli_schema_list list;
} markdown_writer;

// what a value, several values and three values are called
static const char *const value_nouns[][3] = {
    [PLI_ITEM_REAL] = {"number", "list of numbers", "three numbers"},
    [PLI_ITEM_INTEGER] = {"whole number", "list of whole numbers", "three whole numbers"},
    [PLI_ITEM_BOOL] = {"true or false", "", ""},
    [PLI_ITEM_TEXT] = {"text", "list of texts", ""},
    [PLI_ITEM_CHOICE] = {"name", "", ""},
};

static void write_type(markdown_writer *w, const pli_field *field)
{
    pli_items items = pli_field_get_items(field, NULL);
    if (items.kind == PLI_ITEM_STRUCT || items.kind == PLI_ITEM_VARIANT) {
        bool is_named = field->kind == PLI_FIELD_NAMED;
        if (items.is_list) pli_text_append(&w->text, is_named ? "by name: " : "list of ");
        const char *id = items.kind == PLI_ITEM_STRUCT
                             ? pli_schema_list_struct_id(&w->list, field->schema)
                             : pli_schema_list_choice_id(&w->list, field);
        pli_text_format(&w->text, "[%s](#%s)", id, id);
        return;
    }
    bool is_path = (field->flags & PLI_FIELD_PATH) != 0;
    int32_t form = !items.is_list ? 0 : items.fixed == 0 ? 1 : 2;
    pli_text_append(&w->text, is_path ? "name of a file" : value_nouns[items.kind][form]);
    if ((field->flags & PLI_FIELD_UNIFORM) != 0) pli_text_append(&w->text, ", or one for all");
    if (field->unit != NULL && field->unit[0] != '\0') {
        pli_text_format(&w->text, " (%s)", field->unit);
    }
    if (field->flags & PLI_FIELD_PAINTABLE) pli_text_append(&w->text, ", or [paint](#paint)");
}

static void write_default(markdown_writer *w, const pli_field *field)
{
    if (field->flags & PLI_FIELD_REQUIRED) {
        pli_text_append(&w->text, "required");
    } else if (field->fallback != NULL && (field->flags & PLI_FIELD_OPTIONAL) == 0) {
        pli_text_format(&w->text, "`%s`", field->fallback);
    }
}

// What is allowed, where the type alone does not say it.
static void write_range(markdown_writer *w, const pli_field *field)
{
    pli_items items = pli_field_get_items(field, NULL);
    bool is_number = items.kind == PLI_ITEM_REAL || items.kind == PLI_ITEM_INTEGER;
    bool has_range = is_number && (field->min != 0 || field->max != 0);
    if (!has_range && items.kind != PLI_ITEM_CHOICE) return;
    char range[PLI_FIELD_ERROR_CAPACITY];
    pli_text_append(&w->text, pli_field_range(field, range));
}

static void write_row(markdown_writer *w, const pli_schema *schema, const pli_field *field)
{
    bool is_main = (schema->scalar_key != NULL && strcmp(schema->scalar_key, field->key) == 0) ||
                   (schema->list_key != NULL && strcmp(schema->list_key, field->key) == 0);
    pli_text_format(&w->text, "| `%s`", field->key);
    if (field->alias != NULL) pli_text_format(&w->text, " or `%s`", field->alias);
    pli_text_append(&w->text, " | ");
    write_type(w, field);
    pli_text_append(&w->text, " | ");
    write_default(w, field);
    pli_text_append(&w->text, " | ");
    write_range(w, field);
    pli_text_format(&w->text, " | %s%s |\n", field->doc, is_main ? " (main key)" : "");
}

static void write_struct_part(markdown_writer *w, const pli_schema *schema)
{
    pli_text_format(&w->text, "%s\n\n", schema->doc);
    if (schema->field_count == 0) {
        pli_text_append(&w->text, "No keys.\n\n");
        return;
    }
    pli_text_append(&w->text, "| key | type | default | allowed | meaning |\n"
                              "| --- | --- | --- | --- | --- |\n");
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        if (pli_field_is_key(field)) write_row(w, schema, field);
    }
    pli_text_append(&w->text, "\n");
}

static void write_choice_part(markdown_writer *w, const pli_field *field)
{
    pli_text_append(&w->text, "A map with one of these keys, or the name alone where no key is "
                              "required:\n\n");
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        const pli_schema *schema = field->variants[i];
        pli_text_format(&w->text, "- `%s`: [%s](#%s)\n", schema->name, schema->doc,
                        pli_schema_list_struct_id(&w->list, schema));
    }
    pli_text_append(&w->text, "\n");
}

pli_status pli_schema_to_markdown(pli_context *context, char **text)
{
    *text = NULL;
    markdown_writer w;
    pli_text_init(&w.text, context);
    pli_schema_list_build(&w.list, pli_scene_schema());
    pli_text_append(&w.text,
                    "# Scene files: every key\n\n"
                    "Units are SI, angles in degrees. A struct with a main key may be written as "
                    "the value of that key alone.\n\n");
    for (int32_t i = 0; i < w.list.count; ++i) {
        const pli_schema_part *part = &w.list.parts[i];
        pli_text_format(&w.text, "## %s\n\n", part->id);
        if (part->schema != NULL) write_struct_part(&w, part->schema);
        if (part->choice != NULL) write_choice_part(&w, part->choice);
    }
    return pli_text_hand_over(&w.text, text);
}
