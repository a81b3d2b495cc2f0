// SPDX-License-Identifier: Apache-2.0
#include "pliant/io.h"

#include "io/file/result_text.h"
#include "io/scene/schema_list.h"

// what a number may look like when a YAML reader takes it for a text: 1e5, 1/24, 12 cm
static const char number_pattern[] = "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?(/[-+]?[0-9.]+([eE][-+]?[0-9]"
                                     "+)?)?( *[^-+0-9.eE ,_'].*|[ 1]*/.+)?$";

typedef struct json_writer {
    pli_text text;
    pli_schema_list list;
} json_writer;

static void write_struct_type(json_writer *w, const pli_schema *schema);

// ---- types

static void write_number_type(json_writer *w, const pli_field *field, bool is_whole)
{
    pli_text_format(&w->text, "{\"anyOf\": [{\"type\": \"%s\"", is_whole ? "integer" : "number");
    if (field->min != 0 || field->max != 0) {
        bool above = (field->flags & PLI_FIELD_MIN_EXCLUDED) != 0;
        bool below = (field->flags & PLI_FIELD_MAX_EXCLUDED) != 0;
        char low[PLI_FIELD_TEXT_CAPACITY];
        char high[PLI_FIELD_TEXT_CAPACITY];
        static const pli_field real = {.kind = PLI_FIELD_REAL};
        pli_text_format(
            &w->text, ", \"%s\": %s, \"%s\": %s", above ? "exclusiveMinimum" : "minimum",
            pli_field_print(&real, &field->min, low), below ? "exclusiveMaximum" : "maximum",
            pli_field_print(&real, &field->max, high));
    }
    pli_text_append(&w->text, "}, {\"$ref\": \"#/definitions/number_text\"}]}");
}

static void write_choice_type(json_writer *w, const pli_field *field)
{
    pli_text_append(&w->text, "{\"enum\": [");
    for (int32_t i = 0; field->choices[i] != NULL; ++i) {
        if (i > 0) pli_text_append(&w->text, ", ");
        pli_text_append_quoted(&w->text, field->choices[i]);
    }
    pli_text_append(&w->text, "]}");
}

static void write_item_type(json_writer *w, const pli_field *field, pli_item_kind kind)
{
    if (kind == PLI_ITEM_REAL || kind == PLI_ITEM_INTEGER) {
        write_number_type(w, field, kind == PLI_ITEM_INTEGER);
    } else if (kind == PLI_ITEM_CHOICE) {
        write_choice_type(w, field);
    } else if (kind == PLI_ITEM_STRUCT) {
        write_struct_type(w, field->schema);
    } else if (kind == PLI_ITEM_VARIANT) {
        pli_text_format(&w->text, "{\"$ref\": \"#/definitions/%s\"}",
                        pli_schema_list_choice_id(&w->list, field));
    } else {
        pli_text_format(&w->text, "{\"type\": \"%s\"}",
                        kind == PLI_ITEM_BOOL ? "boolean" : "string");
    }
}

static void write_type(json_writer *w, const pli_field *field)
{
    pli_items items = pli_field_get_items(field, NULL);
    if (!items.is_list) {
        write_item_type(w, field, items.kind);
        return;
    }
    bool is_named = field->kind == PLI_FIELD_NAMED;
    bool is_uniform = (field->flags & PLI_FIELD_UNIFORM) != 0;
    if (is_uniform) {
        pli_text_append(&w->text, "{\"anyOf\": [");
        write_item_type(w, field, items.kind);
        pli_text_append(&w->text, ", ");
    }
    pli_text_format(&w->text,
                    "{\"type\": [\"%s\", \"null\"], \"%s\": ", is_named ? "object" : "array",
                    is_named ? "additionalProperties" : "items");
    write_item_type(w, field, items.kind);
    if (items.fixed > 0) {
        pli_text_format(&w->text, ", \"minItems\": %d, \"maxItems\": %d", items.fixed, items.fixed);
    }
    pli_text_append(&w->text, is_uniform ? "}]}" : "}");
}

// A struct is a map of its keys, its main key's value alone, or nothing when no key is needed.
static void write_struct_type(json_writer *w, const pli_schema *schema)
{
    pli_text_format(&w->text, "{\"anyOf\": [{\"$ref\": \"#/definitions/%s\"}",
                    pli_schema_list_struct_id(&w->list, schema));
    if (schema->scalar_key != NULL) {
        pli_text_append(&w->text, ", ");
        const pli_field *field = pli_schema_find(schema, schema->scalar_key);
        write_type(w, field);
        bool is_paintable = (field->flags & PLI_FIELD_PAINTABLE) != 0;
        if (is_paintable) pli_text_append(&w->text, ", {\"$ref\": \"#/definitions/paint\"}");
    }
    if (schema->is_row) {
        pli_text_format(&w->text, ", {\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d}",
                        schema->field_count, schema->field_count);
    }
    if (schema->list_key != NULL) {
        pli_text_append(&w->text, ", ");
        write_type(w, pli_schema_find(schema, schema->list_key));
    }
    if (!pli_schema_has_required(schema)) pli_text_append(&w->text, ", {\"type\": \"null\"}");
    pli_text_append(&w->text, "]}");
}

// ---- parts

static void write_default(json_writer *w, const pli_field *field)
{
    bool is_given =
        field->fallback != NULL && (field->flags & (PLI_FIELD_OPTIONAL | PLI_FIELD_REQUIRED)) == 0;
    if (!is_given) return;
    pli_items items = pli_field_get_items(field, NULL);
    bool is_text = items.kind == PLI_ITEM_TEXT || items.kind == PLI_ITEM_CHOICE ||
                   items.kind == PLI_ITEM_VARIANT;
    pli_text_append(&w->text, ", \"default\": ");
    if (is_text) {
        pli_text_append_quoted(&w->text, field->fallback);
    } else {
        pli_text_append(&w->text, field->fallback);
    }
}

static void write_property(json_writer *w, const pli_field *field, const char *key)
{
    bool is_former = field->former == key;
    pli_text_format(&w->text, "        \"%s\": {\"description\": \"", key);
    if (is_former) pli_text_format(&w->text, "Called %s now. ", field->key);
    pli_text_append(&w->text, field->doc);
    if (field->unit != NULL && field->unit[0] != '\0') {
        pli_text_format(&w->text, " (%s)", field->unit);
    }
    pli_text_append(&w->text, is_former ? "\", \"deprecated\": true" : "\"");
    write_default(w, field);
    bool is_paintable = (field->flags & PLI_FIELD_PAINTABLE) != 0;
    pli_text_append(&w->text, is_paintable ? ", \"anyOf\": [" : ", \"allOf\": [");
    write_type(w, field);
    if (is_paintable) pli_text_append(&w->text, ", {\"$ref\": \"#/definitions/paint\"}");
    pli_text_append(&w->text, "]}");
}

static void write_required(json_writer *w, const pli_schema *schema)
{
    pli_text_append(&w->text, "      \"required\": [");
    bool is_first = true;
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if ((schema->fields[i].flags & PLI_FIELD_REQUIRED) == 0) continue;
        pli_text_format(&w->text, "%s\"%s\"", is_first ? "" : ", ", schema->fields[i].key);
        is_first = false;
    }
    pli_text_append(&w->text, "],\n");
}

static void write_struct_part(json_writer *w, const pli_schema *schema)
{
    bool is_root = schema == pli_scene_schema();
    pli_text_format(&w->text, "{\n      \"description\": \"%s\",\n      \"type\": \"object\",\n",
                    schema->doc);
    pli_text_append(&w->text, "      \"additionalProperties\": false,\n");
    // what the scene itself lacks may be in a file that it includes
    if (!is_root) write_required(w, schema);
    pli_text_append(&w->text, "      \"properties\": {\n");
    const char *comma = "";
    if (is_root) {
        pli_text_append(&w->text, "        \"include\": {\"description\": \"Other files to start "
                                  "from.\", \"type\": [\"string\", \"array\"], \"items\": "
                                  "{\"type\": \"string\"}}");
        comma = ",\n";
    }
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        if (!pli_field_is_key(field)) continue;
        pli_text_append(&w->text, comma);
        write_property(w, field, field->key);
        comma = ",\n";
        const char *const others[] = {field->alias, field->former};
        for (int k = 0; k < 2; ++k) {
            if (others[k] == NULL) continue;
            pli_text_append(&w->text, comma);
            write_property(w, field, others[k]);
        }
    }
    pli_text_append(&w->text, "\n      }\n    }");
}

// A map with the name of a variant as its only key.
static void write_variant(json_writer *w, const pli_schema *schema, const char *name)
{
    pli_text_format(&w->text,
                    ",\n        {\"type\": \"object\", \"additionalProperties\": false, "
                    "\"required\": [\"%s\"], \"properties\": {\"%s\": ",
                    name, name);
    write_struct_type(w, schema);
    pli_text_append(&w->text, "}}");
}

// One of several names alone, or a map with one of them as its key.
static void write_choice_part(json_writer *w, const pli_field *field)
{
    pli_text_append(&w->text, "{\n      \"anyOf\": [\n        {\"enum\": [");
    const char *comma = "";
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        if (pli_schema_has_required(field->variants[i])) continue;
        pli_text_format(&w->text, "%s\"%s\"", comma, field->variants[i]->name);
        comma = ", ";
    }
    // an enum must not be empty
    pli_text_append(&w->text, comma[0] != '\0' ? "]}" : "null]}");
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        write_variant(w, field->variants[i], field->variants[i]->name);
        const char *former = field->variants[i]->former;
        if (former != NULL) write_variant(w, field->variants[i], former);
    }
    pli_text_append(&w->text, "\n      ]\n    }");
}

pli_status pli_schema_to_json(pli_context *context, char **text)
{
    *text = NULL;
    json_writer w;
    pli_text_init(&w.text, context);
    pli_schema_list_build(&w.list, pli_scene_schema());
    pli_text_format(&w.text,
                    "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
                    "  \"title\": \"pliant scene\",\n  \"$ref\": \"#/definitions/%s\",\n"
                    "  \"definitions\": {\n",
                    w.list.parts[0].id);
    for (int32_t i = 0; i < w.list.count; ++i) {
        const pli_schema_part *part = &w.list.parts[i];
        pli_text_format(&w.text, "%s    \"%s\": ", i > 0 ? ",\n" : "", part->id);
        if (part->schema != NULL) write_struct_part(&w, part->schema);
        if (part->choice != NULL) write_choice_part(&w, part->choice);
    }
    pli_text_append(&w.text, ",\n    \"number_text\": {\"type\": \"string\", \"pattern\": ");
    pli_text_append_quoted(&w.text, number_pattern);
    pli_text_append(&w.text, "}\n  }\n}\n");
    return pli_text_hand_over(&w.text, text);
}
