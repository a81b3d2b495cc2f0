// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

#include "base/number.h"
#include "base/suggest.h"
#include "sim/scene/quantity.h"
#include "sim/scene/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- items of a member

typedef struct kind_trait {
    pli_item_kind item;
    int32_t fixed; // number of items, 0: as many as the count says
    bool is_list;
} kind_trait;

static const kind_trait kind_traits[] = {
    [PLI_FIELD_REAL] = {PLI_ITEM_REAL, 1, false},
    [PLI_FIELD_INTEGER] = {PLI_ITEM_INTEGER, 1, false},
    [PLI_FIELD_BOOL] = {PLI_ITEM_BOOL, 1, false},
    [PLI_FIELD_TEXT] = {PLI_ITEM_TEXT, 1, false},
    [PLI_FIELD_CHOICE] = {PLI_ITEM_CHOICE, 1, false},
    [PLI_FIELD_VECTOR] = {PLI_ITEM_REAL, 3, true},
    [PLI_FIELD_TRIPLE] = {PLI_ITEM_INTEGER, 3, true},
    [PLI_FIELD_REALS] = {PLI_ITEM_REAL, 0, true},
    [PLI_FIELD_INTEGERS] = {PLI_ITEM_INTEGER, 0, true},
    [PLI_FIELD_TEXTS] = {PLI_ITEM_TEXT, 0, true},
    [PLI_FIELD_STRUCT] = {PLI_ITEM_STRUCT, 1, false},
    [PLI_FIELD_LIST] = {PLI_ITEM_STRUCT, 0, true},
    [PLI_FIELD_NAMED] = {PLI_ITEM_STRUCT, 0, true},
    [PLI_FIELD_VARIANT] = {PLI_ITEM_VARIANT, 1, false},
    [PLI_FIELD_VARIANTS] = {PLI_ITEM_VARIANT, 0, true},
    [PLI_FIELD_MESH] = {PLI_ITEM_MESH, 1, false},
    [PLI_FIELD_PAINTED] = {PLI_ITEM_STRUCT, 0, true},
};

static const size_t item_sizes[] = {
    [PLI_ITEM_REAL] = sizeof(double),         [PLI_ITEM_INTEGER] = sizeof(int32_t),
    [PLI_ITEM_BOOL] = sizeof(bool),           [PLI_ITEM_TEXT] = sizeof(const char *),
    [PLI_ITEM_CHOICE] = sizeof(int32_t),      [PLI_ITEM_STRUCT] = 0,
    [PLI_ITEM_VARIANT] = sizeof(pli_variant), [PLI_ITEM_MESH] = sizeof(const pli_mesh_data *),
};

pli_items pli_field_get_items(const pli_field *field, const void *holder)
{
    kind_trait trait = kind_traits[field->kind];
    bool is_struct = trait.item == PLI_ITEM_STRUCT;
    pli_items items = {.kind = trait.item,
                       .is_list = trait.is_list,
                       .fixed = trait.fixed,
                       .stride = is_struct ? field->schema->size : item_sizes[trait.item]};
    if (holder == NULL) return items;
    const char *member = (const char *)holder + field->offset;
    if (trait.fixed > 0) {
        items.count = trait.fixed;
        items.first = member;
    } else {
        memcpy(&items.first, member, sizeof items.first);
        memcpy(&items.count, (const char *)holder + field->count_offset, sizeof items.count);
    }
    return items;
}

const void *pli_field_paint(const pli_schema *schema, const pli_field *field, const void *holder)
{
    if ((field->flags & PLI_FIELD_PAINTABLE) == 0) return NULL;
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (schema->fields[i].kind != PLI_FIELD_PAINTED) continue;
        pli_items items = pli_field_get_items(&schema->fields[i], holder);
        for (int32_t k = 0; k < items.count; ++k) {
            const void *paint = (const char *)items.first + (size_t)k * items.stride;
            const char *key = *(const char *const *)paint;
            if (key != NULL && strcmp(key, field->key) == 0) return paint;
        }
    }
    return NULL;
}

const pli_schema *pli_field_variant(const pli_field *field, const pli_variant *variant)
{
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        if (i == variant->kind) return field->variants[i];
    }
    return NULL;
}

// ---- what is allowed

static bool has_range(const pli_field *field)
{
    return field->min != 0 || field->max != 0;
}

// "greater than 0 and at most 1e9 m"
static void describe_range(const pli_field *field, char *text, size_t capacity)
{
    char low[PLI_QUANTITY_CAPACITY];
    char high[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(field->min, low);
    pli_quantity_format(field->max, high);
    const char *unit = field->unit != NULL ? field->unit : "";
    const char *blank = unit[0] != '\0' ? " " : "";
    bool open = (field->flags & (PLI_FIELD_MIN_EXCLUDED | PLI_FIELD_MAX_EXCLUDED)) != 0;
    if (!open) {
        snprintf(text, capacity, "from %s to %s%s%s", low, high, blank, unit);
        return;
    }
    const char *above = field->flags & PLI_FIELD_MIN_EXCLUDED ? "greater than" : "at least";
    const char *below = field->flags & PLI_FIELD_MAX_EXCLUDED ? "less than" : "at most";
    snprintf(text, capacity, "%s %s and %s %s%s%s", above, low, below, high, blank, unit);
}

static void describe_choices(const pli_field *field, const char *word, pli_suggest *suggest)
{
    pli_suggest_init(suggest, word);
    for (int32_t i = 0; field->choices[i] != NULL; ++i) pli_suggest_add(suggest, field->choices[i]);
}

static void describe_variants(const pli_field *field, pli_suggest *suggest)
{
    pli_suggest_init(suggest, NULL);
    for (int32_t i = 0; field->variants[i] != NULL; ++i) {
        pli_suggest_add(suggest, field->variants[i]->name);
    }
}

const char *pli_field_range(const pli_field *field, char buffer[PLI_FIELD_ERROR_CAPACITY])
{
    pli_suggest suggest;
    pli_items items = pli_field_get_items(field, NULL);
    bool is_number = items.kind == PLI_ITEM_REAL || items.kind == PLI_ITEM_INTEGER;
    if (is_number && has_range(field)) {
        describe_range(field, buffer, PLI_FIELD_ERROR_CAPACITY);
        return buffer;
    }
    if (items.kind == PLI_ITEM_CHOICE) describe_choices(field, NULL, &suggest);
    if (items.kind == PLI_ITEM_VARIANT) describe_variants(field, &suggest);
    static const char *const plain[] = {
        [PLI_ITEM_REAL] = "any finite number", [PLI_ITEM_INTEGER] = "any whole number",
        [PLI_ITEM_BOOL] = "true or false",     [PLI_ITEM_TEXT] = "a text",
        [PLI_ITEM_CHOICE] = "one of ",         [PLI_ITEM_STRUCT] = "a map of keys",
        [PLI_ITEM_VARIANT] = "one of ",        [PLI_ITEM_MESH] = "a mesh"};
    bool has_list = items.kind == PLI_ITEM_CHOICE || items.kind == PLI_ITEM_VARIANT;
    snprintf(buffer, PLI_FIELD_ERROR_CAPACITY, "%s%s", plain[items.kind],
             has_list ? pli_suggest_text(&suggest) : "");
    return buffer;
}

// ---- checking

// Whether a number lies in the field's range; written so that a NaN does not.
static bool is_in_range(const pli_field *field, double value)
{
    if (!has_range(field)) return isfinite(value);
    bool above = field->flags & PLI_FIELD_MIN_EXCLUDED ? value > field->min : value >= field->min;
    bool below = field->flags & PLI_FIELD_MAX_EXCLUDED ? value < field->max : value <= field->max;
    return above && below;
}

// Says that what was found is not in the range.
static bool refuse_range(const pli_field *field, const char *found, char *error)
{
    char range[PLI_FIELD_ERROR_CAPACITY - PLI_EXCERPT_CAPACITY - 32];
    char text[PLI_FIELD_ERROR_CAPACITY];
    snprintf(range, sizeof range, "%s", pli_field_range(field, text));
    snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s'; allowed: %s", found, range);
    return false;
}

static bool check_real(const pli_field *field, const void *item, char *error)
{
    double value = *(const double *)item;
    if (is_in_range(field, value)) return true;
    char found[PLI_QUANTITY_CAPACITY] = "a value that is not finite";
    if (isfinite(value)) pli_quantity_format(value, found);
    return refuse_range(field, found, error);
}

static bool check_integer(const pli_field *field, const void *item, char *error)
{
    int32_t value = *(const int32_t *)item;
    if (is_in_range(field, value)) return true;
    char found[PLI_QUANTITY_CAPACITY];
    snprintf(found, sizeof found, "%d", value);
    return refuse_range(field, found, error);
}

static bool check_any(const pli_field *field, const void *item, char *error)
{
    (void)field;
    (void)item;
    (void)error;
    return true;
}

// The length of the UTF-8 character at text, 0 when there is none.
static int32_t character_length(const unsigned char *text)
{
    int32_t length = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    if ((text[0] >= 0x80 && text[0] < 0xC2) || text[0] > 0xF4) return 0;
    for (int32_t i = 1; i < length; ++i) {
        if ((text[i] & 0xC0) != 0x80) return 0;
    }
    // overlong forms, surrogates and what lies beyond U+10FFFF
    if ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F)) return 0;
    if ((text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F)) return 0;
    return length;
}

static bool check_text(const pli_field *field, const void *item, char *error)
{
    (void)field;
    const unsigned char *text = *(const unsigned char *const *)item;
    while (text != NULL && *text != '\0') {
        int32_t length = character_length(text);
        if (length == 0) {
            snprintf(error, PLI_FIELD_ERROR_CAPACITY, "the text is not valid UTF-8");
            return false;
        }
        text += length;
    }
    return true;
}

static bool check_choice(const pli_field *field, const void *item, char *error)
{
    int32_t value = *(const int32_t *)item;
    for (int32_t i = 0; field->choices[i] != NULL; ++i) {
        if (i == value) return true;
    }
    char found[PLI_QUANTITY_CAPACITY];
    snprintf(found, sizeof found, "%d", value);
    return refuse_range(field, found, error);
}

// ---- reading

// "found '3 kg', expected Pa (stress)"
static bool refuse_unit(const pli_field *field, const char *text, pli_unit_fault fault, char *error)
{
    char found[PLI_EXCERPT_CAPACITY];
    char expected[128];
    pli_unit_describe(field->unit != NULL ? field->unit : "", expected, sizeof expected);
    if (fault == PLI_UNIT_OTHER) {
        snprintf(error, PLI_FIELD_ERROR_CAPACITY, "expected %s, found '%s'", expected,
                 pli_excerpt(pli_unit_of(text), found));
    } else {
        snprintf(error, PLI_FIELD_ERROR_CAPACITY, "expected %s, found '%s', which is no known unit",
                 expected, pli_excerpt(pli_unit_of(text), found));
    }
    return false;
}

static bool refuse_large(const pli_field *field, const char *text, char *error)
{
    char found[PLI_EXCERPT_CAPACITY];
    if (has_range(field)) return refuse_range(field, pli_excerpt(text, found), error);
    snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s', which is too large for a number",
             pli_excerpt(text, found));
    return false;
}

static bool refuse_small(const char *text, char *error)
{
    char found[PLI_EXCERPT_CAPACITY];
    snprintf(error, PLI_FIELD_ERROR_CAPACITY,
             "found '%s', which is too close to zero; numbers other than 0 start at 2.3e-308",
             pli_excerpt(text, found));
    return false;
}

// What is neither a number nor one with a unit, and what may have been meant.
static bool refuse_notation(const char *text, char *error)
{
    double value = 0;
    const char *rest = pli_number_parse(text, text + strlen(text), &value);
    size_t digits = strspn(rest + (rest[0] != '\0'), "0123456789");
    bool is_decimal = rest > text && rest[0] == ',' && digits > 0 && rest[1 + digits] == '\0';
    bool is_grouped = rest > text && (rest[0] == '_' || rest[0] == '\'');
    char found[PLI_EXCERPT_CAPACITY];
    char advice[160] = ", expected a number such as 0.5, 1e5 or 1/24";
    if (is_decimal) {
        snprintf(advice, sizeof advice, "; decimals have a point: write %.*s.%.*s",
                 (int)(rest - text < 40 ? rest - text : 40), text, (int)(digits < 40 ? digits : 40),
                 rest + 1);
    } else if (is_grouped) {
        snprintf(advice, sizeof advice, "; digits are not grouped: write 1000000 or 1e6");
    }
    snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s'%s", pli_excerpt(text, found), advice);
    return false;
}

// The number of a text without the unit behind it.
static bool parse_alone(const char *text, double *value)
{
    static const pli_quantity_factor one = {1, 1, 0, 0};
    return pli_quantity_scale(text, &one, value) == PLI_QUANTITY_OK;
}

// A number in the unit of the field, or one with a unit of its own behind it.
static bool parse_number(const pli_field *field, const char *text, double *value, char *error)
{
    pli_quantity_fault fault = pli_quantity_parse(text, value);
    if (fault == PLI_QUANTITY_OK) return true;
    if (fault == PLI_QUANTITY_LARGE) return refuse_large(field, text, error);
    if (fault == PLI_QUANTITY_SMALL) return refuse_small(text, error);
    if ((field->flags & PLI_FIELD_OWN_UNIT) != 0 && pli_unit_of(text) != NULL) {
        return parse_alone(text, value);
    }
    pli_unit_fault unit = pli_unit_read(text, field->unit != NULL ? field->unit : "", value);
    switch (unit) {
    case PLI_UNIT_OK: return true;
    case PLI_UNIT_LARGE: return refuse_large(field, text, error);
    case PLI_UNIT_SMALL: return refuse_small(text, error);
    case PLI_UNIT_UNKNOWN:
    case PLI_UNIT_OTHER: return refuse_unit(field, text, unit, error);
    case PLI_UNIT_ABSENT: break;
    }
    return refuse_notation(text, error);
}

static bool parse_real(const pli_field *field, const char *text, void *item, char *error)
{
    double value = 0;
    if (!parse_number(field, text, &value, error)) return false;
    char found[PLI_EXCERPT_CAPACITY];
    if (!is_in_range(field, value)) return refuse_range(field, pli_excerpt(text, found), error);
    *(double *)item = value;
    return true;
}

static bool parse_integer(const pli_field *field, const char *text, void *item, char *error)
{
    double value = 0;
    if (!parse_number(field, text, &value, error)) return false;
    char found[PLI_EXCERPT_CAPACITY];
    pli_excerpt(text, found);
    if (!is_in_range(field, value)) return refuse_range(field, found, error);
    if (value != floor(value)) {
        snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s', expected a whole number", found);
        return false;
    }
    if (fabs(value) > INT32_MAX) {
        snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s'; whole numbers go up to %d", found,
                 INT32_MAX);
        return false;
    }
    *(int32_t *)item = (int32_t)value;
    return true;
}

// What somebody may have meant who wrote another language's truth value; NULL: nothing.
static const char *meant_bool(const char *text)
{
    static const char *const spellings[][2] = {
        {"yes", "true"},  {"on", "true"},  {"1", "true"},      {"True", "true"},   {"TRUE", "true"},
        {"Yes", "true"},  {"On", "true"},  {"YES", "true"},    {"ON", "true"},     {"no", "false"},
        {"off", "false"}, {"0", "false"},  {"False", "false"}, {"FALSE", "false"}, {"No", "false"},
        {"Off", "false"}, {"NO", "false"}, {"OFF", "false"}};
    for (int32_t i = 0; i < PLI_COUNT_OF(spellings); ++i) {
        if (strcmp(text, spellings[i][0]) == 0) return spellings[i][1];
    }
    return NULL;
}

static bool parse_bool(const pli_field *field, const char *text, void *item, char *error)
{
    (void)field;
    bool is_true = strcmp(text, "true") == 0;
    if (is_true || strcmp(text, "false") == 0) {
        *(bool *)item = is_true;
        return true;
    }
    char found[PLI_EXCERPT_CAPACITY];
    const char *meant = meant_bool(text);
    snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s', expected true or false%s%s%s",
             pli_excerpt(text, found), meant != NULL ? " (did you mean '" : "",
             meant != NULL ? meant : "", meant != NULL ? "'?)" : "");
    return false;
}

static bool parse_text(const pli_field *field, const char *text, void *item, char *error)
{
    if (!check_text(field, &text, error)) return false;
    *(const char **)item = text;
    return true;
}

static bool parse_choice(const pli_field *field, const char *text, void *item, char *error)
{
    for (int32_t i = 0; field->choices[i] != NULL; ++i) {
        if (strcmp(text, field->choices[i]) != 0) continue;
        *(int32_t *)item = i;
        return true;
    }
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_excerpt(text, found);
    describe_choices(field, found, &suggest);
    snprintf(error, PLI_FIELD_ERROR_CAPACITY, "found '%s'; allowed are %s", found,
             pli_suggest_text(&suggest));
    return false;
}

static bool parse_nothing(const pli_field *field, const char *text, void *item, char *error)
{
    (void)field;
    (void)text;
    (void)item;
    snprintf(error, PLI_FIELD_ERROR_CAPACITY, "expected more than one plain value");
    return false;
}

// ---- printing

static const char *print_real(const pli_field *field, const void *item, char *buffer)
{
    (void)field;
    pli_quantity_format(*(const double *)item, buffer);
    return buffer;
}

static const char *print_integer(const pli_field *field, const void *item, char *buffer)
{
    (void)field;
    snprintf(buffer, PLI_FIELD_TEXT_CAPACITY, "%d", *(const int32_t *)item);
    return buffer;
}

static const char *print_bool(const pli_field *field, const void *item, char *buffer)
{
    (void)field;
    snprintf(buffer, PLI_FIELD_TEXT_CAPACITY, "%s", *(const bool *)item ? "true" : "false");
    return buffer;
}

static const char *print_text(const pli_field *field, const void *item, char *buffer)
{
    (void)field;
    (void)buffer;
    const char *text = *(const char *const *)item;
    return text != NULL ? text : "";
}

static const char *print_choice(const pli_field *field, const void *item, char *buffer)
{
    const char *name = "";
    for (int32_t i = 0; field->choices[i] != NULL; ++i) {
        if (i == *(const int32_t *)item) name = field->choices[i];
    }
    (void)buffer;
    return name;
}

static const char *print_nothing(const pli_field *field, const void *item, char *buffer)
{
    (void)field;
    (void)item;
    buffer[0] = '\0';
    return buffer;
}

// ---- the one place that knows what to do with each kind of item

typedef struct item_ops {
    bool (*parse)(const pli_field *field, const char *text, void *item, char *error);
    bool (*check)(const pli_field *field, const void *item, char *error);
    const char *(*print)(const pli_field *field, const void *item, char *buffer);
} item_ops;

static const item_ops ops_of_item[] = {
    [PLI_ITEM_REAL] = {parse_real, check_real, print_real},
    [PLI_ITEM_INTEGER] = {parse_integer, check_integer, print_integer},
    [PLI_ITEM_BOOL] = {parse_bool, check_any, print_bool},
    [PLI_ITEM_TEXT] = {parse_text, check_text, print_text},
    [PLI_ITEM_CHOICE] = {parse_choice, check_choice, print_choice},
    [PLI_ITEM_STRUCT] = {parse_nothing, check_any, print_nothing},
    [PLI_ITEM_VARIANT] = {parse_nothing, check_any, print_nothing},
    [PLI_ITEM_MESH] = {parse_nothing, check_any, print_nothing},
};

bool pli_field_parse(const pli_field *field, const char *text, void *item,
                     char error[PLI_FIELD_ERROR_CAPACITY])
{
    error[0] = '\0';
    return ops_of_item[kind_traits[field->kind].item].parse(field, text, item, error);
}

bool pli_field_check(const pli_field *field, const void *item, char error[PLI_FIELD_ERROR_CAPACITY])
{
    error[0] = '\0';
    return ops_of_item[kind_traits[field->kind].item].check(field, item, error);
}

const char *pli_field_print(const pli_field *field, const void *item,
                            char buffer[PLI_FIELD_TEXT_CAPACITY])
{
    return ops_of_item[kind_traits[field->kind].item].print(field, item, buffer);
}
