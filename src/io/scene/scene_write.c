// SPDX-License-Identifier: Apache-2.0
#include "pliant/io.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/file/result_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, LINE_WIDTH = 100, COMMENT_COLUMN = 40 };

typedef struct writer {
    pli_context *context;
    pli_yaml_def def;
    char *folder; // of the scene, for absolute paths
    pli_text text;
    int64_t line_start; // of the line that is being written
    int32_t indent;     // of the keys of the struct that is being written
    bool after_dash;    // the first key of a list's item follows its "- " on the same line
    pli_status status;  // first failure other than memory
} writer;

static void write_struct(writer *w, const pli_schema *schema, const void *holder);

// ---- lines

static void begin_line(writer *w)
{
    if (w->after_dash) {
        w->after_dash = false;
        return;
    }
    w->line_start = w->text.length;
    for (int32_t i = 0; i < w->indent; ++i) pli_text_append(&w->text, " ");
}

static void end_line(writer *w)
{
    pli_text_append(&w->text, "\n");
}

// "# m; Centre." at a fixed column behind what stands in the line.
static void write_comment(writer *w, const pli_field *field)
{
    if (!w->def.comments) return;
    pli_text_append(&w->text, " ");
    int64_t missing = COMMENT_COLUMN - (w->text.length - w->line_start);
    for (int64_t i = 0; i < missing; ++i) pli_text_append(&w->text, " ");
    bool has_unit = field->unit != NULL && field->unit[0] != '\0';
    pli_text_format(&w->text, "# %s%s%s", has_unit ? field->unit : "", has_unit ? "; " : "",
                    field->doc);
}

// ---- values

// Whether a text reads back as the same text without quotes.
static bool is_plain(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                 "0123456789-./";
    if (text[0] == '\0' || strchr(letters, text[0]) == NULL) return false;
    if (text[strspn(text, others)] != '\0') return false;
    // words that other YAML readers take for something else
    static const char *const words[] = {"null",  "Null",  "NULL", "true", "True", "TRUE", "false",
                                        "False", "FALSE", "yes",  "Yes",  "YES",  "no",   "No",
                                        "NO",    "on",    "On",   "ON",   "off",  "Off",  "OFF",
                                        "y",     "Y",     "n",    "N"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strcmp(text, words[i]) == 0) return false;
    }
    return true;
}

static void write_text(writer *w, const char *text)
{
    if (is_plain(text)) {
        pli_text_append(&w->text, text);
    } else {
        pli_text_append_quoted(&w->text, text);
    }
}

// A mesh file's name, absolute where that was asked for.
static void write_path(writer *w, const char *path)
{
    if (!w->def.absolute_paths || path[0] == '\0') {
        write_text(w, path);
        return;
    }
    char *joined = pli_path_join(w->context, w->folder, path);
    char *real = joined != NULL ? realpath(joined, NULL) : NULL;
    if (real != NULL) {
        write_text(w, real);
    } else if (joined == NULL || errno == ENOMEM) {
        w->status = PLI_ERROR_MEMORY;
    } else {
        w->status = PLI_FAIL(w->context, PLI_ERROR_IO, "%s: is no longer there", joined);
    }
    free(real);
    pli_release(w->context, joined);
}

static void write_value(writer *w, const pli_field *field, pli_item_kind kind, const void *item)
{
    char buffer[PLI_FIELD_TEXT_CAPACITY];
    const char *text = pli_field_print(field, item, buffer);
    if (field->flags & PLI_FIELD_PATH) {
        write_path(w, text);
    } else if (kind == PLI_ITEM_TEXT || kind == PLI_ITEM_CHOICE) {
        write_text(w, text);
    } else {
        pli_text_append(&w->text, text);
    }
}

// "[a, b, c]", over several lines when it is long.
static void write_values(writer *w, const pli_field *field, const pli_items *items)
{
    pli_text_append(&w->text, "[");
    for (int32_t i = 0; i < items->count; ++i) {
        if (i > 0) pli_text_append(&w->text, ",");
        if (w->text.length - w->line_start > LINE_WIDTH - PLI_FIELD_TEXT_CAPACITY / 4) {
            end_line(w);
            begin_line(w);
            pli_text_append(&w->text, " ");
        }
        if (i > 0) pli_text_append(&w->text, " ");
        const char *item = (const char *)items->first + (size_t)i * items->stride;
        write_value(w, field, items->kind, item);
    }
    pli_text_append(&w->text, "]");
}

// ---- structs

static bool is_written(const pli_field *field, const void *holder)
{
    if (!pli_field_is_key(field) || pli_field_is_absent(field, holder)) return false;
    if (field->kind != PLI_FIELD_VARIANT) return true;
    const char *member = (const char *)holder + field->offset;
    return ((const pli_variant *)(const void *)member)->kind >= 0;
}

static bool is_empty(const pli_schema *schema, const void *holder)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const pli_field *field = &schema->fields[i];
        if (is_written(field, holder) || pli_field_paint(schema, field, holder) != NULL) {
            return false;
        }
    }
    return true;
}

// The schema of what is painted over numbers of a struct.
static const pli_schema *paint_schema(const pli_schema *schema)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (schema->fields[i].kind == PLI_FIELD_PAINTED) return schema->fields[i].schema;
    }
    return NULL;
}

// The inside of a struct behind its key, " {}" when there is nothing in it.
static void write_nested(writer *w, const pli_schema *schema, const void *holder)
{
    if (is_empty(schema, holder)) {
        pli_text_append(&w->text, " {}");
        end_line(w);
        return;
    }
    end_line(w);
    w->indent += INDENT;
    write_struct(w, schema, holder);
    w->indent -= INDENT;
}

// "name" alone when it has no values, else "name:" with them below.
static void write_variant(writer *w, const pli_field *field, const pli_variant *variant)
{
    const pli_schema *schema = pli_field_variant(field, variant);
    begin_line(w);
    pli_text_format(&w->text, "%s:", schema->name);
    write_nested(w, schema, variant->data);
}

static void write_list_item(writer *w, const pli_field *field, pli_item_kind kind, const void *item)
{
    begin_line(w);
    pli_text_append(&w->text, "- ");
    w->after_dash = true;
    w->indent += INDENT;
    if (kind == PLI_ITEM_VARIANT) {
        write_variant(w, field, item);
    } else if (is_empty(field->schema, item)) {
        w->after_dash = false;
        pli_text_append(&w->text, "{}\n");
    } else {
        write_struct(w, field->schema, item);
    }
    w->indent -= INDENT;
}

// Lists of structs and variants, and maps of names, below their key.
static void write_items(writer *w, const pli_field *field, const pli_items *items)
{
    bool is_named = field->kind == PLI_FIELD_NAMED;
    if (items->count == 0) pli_text_append(&w->text, is_named ? " {}" : " []");
    write_comment(w, field);
    end_line(w);
    w->indent += INDENT;
    for (int32_t i = 0; i < items->count; ++i) {
        const char *item = (const char *)items->first + (size_t)i * items->stride;
        if (is_named) {
            begin_line(w);
            write_text(w, *(const char *const *)item);
            pli_text_append(&w->text, ":");
            write_nested(w, field->schema, item);
        } else {
            write_list_item(w, field, items->kind, item);
        }
    }
    w->indent -= INDENT;
}

// A variant below its key, or beside it when its name says it all.
static void write_one_variant(writer *w, const pli_field *field, const pli_variant *variant)
{
    bool is_bare = pli_field_variant(field, variant)->field_count == 0;
    if (is_bare) pli_text_format(&w->text, " %s", pli_field_variant(field, variant)->name);
    write_comment(w, field);
    end_line(w);
    if (is_bare) return;
    w->indent += INDENT;
    write_variant(w, field, variant);
    w->indent -= INDENT;
}

static void write_field(writer *w, const pli_field *field, const void *holder)
{
    pli_items items = pli_field_get_items(field, holder);
    begin_line(w);
    pli_text_format(&w->text, "%s:", field->key);
    if (items.is_list && items.kind >= PLI_ITEM_STRUCT) {
        write_items(w, field, &items);
    } else if (items.kind == PLI_ITEM_VARIANT) {
        write_one_variant(w, field, items.first);
    } else if (items.kind == PLI_ITEM_STRUCT) {
        write_nested(w, field->schema, items.first);
    } else {
        pli_text_append(&w->text, " ");
        if (items.is_list) write_values(w, field, &items);
        if (!items.is_list) write_value(w, field, items.kind, items.first);
        write_comment(w, field);
        end_line(w);
    }
}

static void write_struct(writer *w, const pli_schema *schema, const void *holder)
{
    for (int32_t i = 0; i < schema->field_count; ++i) {
        const void *paint = pli_field_paint(schema, &schema->fields[i], holder);
        if (paint != NULL) {
            begin_line(w);
            pli_text_format(&w->text, "%s:", schema->fields[i].key);
            write_comment(w, &schema->fields[i]);
            write_nested(w, paint_schema(schema), paint);
            continue;
        }
        if (is_written(&schema->fields[i], holder)) write_field(w, &schema->fields[i], holder);
    }
}

pli_status pli_scene_to_yaml(const pli_scene *scene, const pli_yaml_def *def, char **text)
{
    *text = NULL;
    writer w = {.context = pli_scene_context(scene)};
    if (def != NULL) w.def = *def;
    const char *source = pli_scene_get_info(scene).source;
    w.folder = pli_path_folder(w.context, source != NULL ? source : "");
    if (w.folder == NULL) return PLI_ERROR_MEMORY;
    pli_text_init(&w.text, w.context);
    write_struct(&w, pli_scene_schema(), pli_scene_get(scene));
    pli_status status = w.status;
    if (status == PLI_OK) status = pli_text_hand_over(&w.text, text);
    pli_text_clear(&w.text);
    pli_release(w.context, w.folder);
    return status;
}
