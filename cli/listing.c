// SPDX-License-Identifier: Apache-2.0
#include "listing.h"

#include "help.h"
#include "json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { NAME_COLUMN = 22, KIND_COLUMN = 10, DETAIL_COLUMN = 26, MAX_NAMES = 511 };

// Appends to a text that is cut at its capacity.
static void append(char *text, size_t capacity, const char *format, ...) PLI_PRINTF(3, 4);

static void append(char *text, size_t capacity, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, capacity - used, format, arguments);
    va_end(arguments);
}

// ---- lists

static void entry_as_json(pli_cli_json *json, const pli_cli_entry *entry)
{
    pli_cli_json_text(json, "name", entry->name);
    if (entry->kind != NULL) pli_cli_json_text(json, "kind", entry->kind);
    pli_cli_json_text(json, "doc", entry->doc);
    if (entry->source != NULL) pli_cli_json_text(json, "source", entry->source);
}

void pli_cli_print_entries(const pli_cli_entry *entries, int32_t count, bool as_json)
{
    pli_cli_json json;
    pli_cli_json_init(&json, stdout);
    if (as_json) pli_cli_json_begin(&json, NULL, '[');
    for (int32_t index = 0; index < count; ++index) {
        const pli_cli_entry *entry = &entries[index];
        if (as_json) {
            pli_cli_json_begin(&json, NULL, '{');
            entry_as_json(&json, entry);
            pli_cli_json_end(&json, '}');
        } else {
            printf("%-*s ", NAME_COLUMN, entry->name);
            if (entry->kind != NULL) printf("%-*s", KIND_COLUMN, entry->kind);
            printf("%s\n", entry->doc);
        }
    }
    if (as_json) pli_cli_json_end(&json, ']');
}

void pli_cli_refuse_name(pli_cli_session *session, const char *what, const char *name,
                         const char *nearest)
{
    if (nearest != NULL) {
        pli_cli_error(&session->console, "there is no %s '%s'; did you mean %s?", what, name,
                      nearest);
    } else {
        pli_cli_error(&session->console, "there is no %s '%s'; 'pliant %ss' lists them", what, name,
                      what);
    }
}

const pli_cli_entry *pli_cli_find_entry(pli_cli_session *session, const char *what,
                                        const pli_cli_entry *entries, int32_t count,
                                        const char *name)
{
    const char *names[MAX_NAMES + 1] = {NULL};
    for (int32_t index = 0; index < count && index < MAX_NAMES; ++index) {
        names[index] = entries[index].name;
        if (strcmp(entries[index].name, name) == 0) return &entries[index];
    }
    pli_cli_refuse_name(session, what, name, pli_cli_nearest(name, names));
    return NULL;
}

// ---- parameters

static const char *const kind_names[] = {
    [PLI_FIELD_REAL] = "number",
    [PLI_FIELD_INTEGER] = "whole number",
    [PLI_FIELD_BOOL] = "true or false",
    [PLI_FIELD_TEXT] = "text",
    [PLI_FIELD_CHOICE] = "one of",
    [PLI_FIELD_VECTOR] = "3 numbers",
    [PLI_FIELD_TRIPLE] = "3 whole numbers",
    [PLI_FIELD_REALS] = "numbers",
    [PLI_FIELD_INTEGERS] = "whole numbers",
    [PLI_FIELD_TEXTS] = "texts",
    [PLI_FIELD_STRUCT] = "section",
    [PLI_FIELD_LIST] = "list",
    [PLI_FIELD_NAMED] = "sections by name",
    [PLI_FIELD_VARIANT] = "one of the sections",
    [PLI_FIELD_VARIANTS] = "list of the sections",
    [PLI_FIELD_MESH] = "mesh",
    [PLI_FIELD_PAINTED] = "painted numbers",
};

void pli_cli_format_bounds(const pli_cli_bounds *bounds, char *text, size_t capacity)
{
    text[0] = '\0';
    bool has_min = isfinite(bounds->min);
    bool has_max = isfinite(bounds->max);
    if (has_min && has_max) {
        append(text, capacity, "%g to %g", bounds->min, bounds->max);
        if (bounds->min_excluded && bounds->max_excluded) {
            append(text, capacity, ", both excluded");
        } else if (bounds->min_excluded || bounds->max_excluded) {
            append(text, capacity, ", %g excluded",
                   bounds->min_excluded ? bounds->min : bounds->max);
        }
    } else if (has_min) {
        append(text, capacity, "%s %g", bounds->min_excluded ? ">" : ">=", bounds->min);
    } else if (has_max) {
        append(text, capacity, "%s %g", bounds->max_excluded ? "<" : "<=", bounds->max);
    }
}

void pli_cli_describe_field(const pli_field *field, pli_cli_parameter *parameter)
{
    *parameter = (pli_cli_parameter){.key = field->key,
                                     .unit = field->unit != NULL ? field->unit : "",
                                     .required = (field->flags & PLI_FIELD_REQUIRED) != 0,
                                     .doc = field->doc};
    char *kind = parameter->kind;
    append(kind, sizeof parameter->kind, "%s", kind_names[field->kind]);
    if ((field->flags & PLI_FIELD_UNIFORM) != 0) append(kind, sizeof parameter->kind, " or 1");
    for (int32_t index = 0; field->choices != NULL && field->choices[index] != NULL; ++index) {
        append(kind, sizeof parameter->kind, "%s %s", index > 0 ? "," : "", field->choices[index]);
    }
    for (int32_t index = 0; field->variants != NULL && field->variants[index] != NULL; ++index) {
        append(kind, sizeof parameter->kind, "%s %s", index > 0 ? "," : "",
               field->variants[index]->name);
    }
    if (field->fallback != NULL) {
        snprintf(parameter->fallback, sizeof parameter->fallback, "%s", field->fallback);
    }
    if (field->min == 0 && field->max == 0) return;
    pli_cli_bounds bounds = {field->min, field->max, (field->flags & PLI_FIELD_MIN_EXCLUDED) != 0,
                             (field->flags & PLI_FIELD_MAX_EXCLUDED) != 0};
    pli_cli_format_bounds(&bounds, parameter->range, sizeof parameter->range);
}

static void print_parameter(const pli_cli_parameter *parameter, int32_t columns)
{
    char detail[1024] = "";
    append(detail, sizeof detail, "%s", parameter->kind);
    if (parameter->unit[0] != '\0') append(detail, sizeof detail, " (%s)", parameter->unit);
    if (parameter->range[0] != '\0') append(detail, sizeof detail, ", %s", parameter->range);
    if (parameter->required) append(detail, sizeof detail, ", required");
    if (parameter->fallback[0] != '\0') {
        append(detail, sizeof detail, ", default %s", parameter->fallback);
    }

    int32_t used = (int32_t)printf("  %s", parameter->key);
    if (used >= DETAIL_COLUMN) {
        printf("\n");
        used = 0;
    }
    pli_cli_print_wrapped(stdout, detail, used, DETAIL_COLUMN, columns);
    pli_cli_print_wrapped(stdout, parameter->doc, 0, DETAIL_COLUMN, columns);
}

static void parameter_as_json(pli_cli_json *json, const pli_cli_parameter *parameter)
{
    pli_cli_json_begin(json, NULL, '{');
    pli_cli_json_text(json, "key", parameter->key);
    pli_cli_json_text(json, "kind", parameter->kind);
    pli_cli_json_text(json, "unit", parameter->unit);
    pli_cli_json_text(json, "range", parameter->range);
    pli_cli_json_text(json, "default", parameter->fallback);
    pli_cli_json_bool(json, "required", parameter->required);
    pli_cli_json_text(json, "doc", parameter->doc);
    pli_cli_json_end(json, '}');
}

void pli_cli_print_page(const pli_cli_entry *entry, const char *note,
                        const pli_cli_parameter *parameters, int32_t count, bool as_json)
{
    if (as_json) {
        pli_cli_json json;
        pli_cli_json_init(&json, stdout);
        pli_cli_json_begin(&json, NULL, '{');
        entry_as_json(&json, entry);
        pli_cli_json_begin(&json, "parameters", '[');
        for (int32_t index = 0; index < count; ++index) {
            parameter_as_json(&json, &parameters[index]);
        }
        pli_cli_json_end(&json, ']');
        pli_cli_json_end(&json, '}');
        return;
    }

    int32_t columns = pli_cli_columns(STDOUT_FILENO);
    printf("%s: ", entry->name);
    pli_cli_print_wrapped(stdout, entry->doc, (int32_t)strlen(entry->name) + 2, 0, columns);
    if (entry->source != NULL && entry->source[0] != '\0') printf("Source: %s\n", entry->source);
    printf("\n");
    if (note != NULL) pli_cli_print_wrapped(stdout, note, 0, 0, columns);
    for (int32_t index = 0; index < count; ++index) print_parameter(&parameters[index], columns);
}
