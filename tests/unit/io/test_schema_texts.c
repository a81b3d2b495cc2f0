// SPDX-License-Identifier: Apache-2.0
#include "scene_samples.h"

#include "base/text.h"
#include "io/file/json.h"
#include "io/file/result_text.h"
#include "io/scene/schema_list.h"

// ---- a validator of the part of JSON Schema that the schema uses

typedef struct validator {
    const pli_json *schema;
    const pli_json *document;
    const pli_json_node *definitions;
} validator;

static bool is_valid(const validator *v, const pli_json_node *schema, const pli_json_node *node);

static bool has_type(const char *type, const pli_json_node *node)
{
    static const char *const names[] = {
        [PLI_JSON_NULL] = "null",     [PLI_JSON_BOOL] = "boolean", [PLI_JSON_NUMBER] = "number",
        [PLI_JSON_STRING] = "string", [PLI_JSON_ARRAY] = "array",  [PLI_JSON_OBJECT] = "object"};
    if (strcmp(type, "integer") == 0) {
        return node->kind == PLI_JSON_NUMBER && node->number == floor(node->number);
    }
    return strcmp(type, names[node->kind]) == 0;
}

static bool type_fits(const validator *v, const pli_json_node *type, const pli_json_node *node)
{
    if (type->kind == PLI_JSON_STRING) return has_type(type->text, node);
    for (const pli_json_node *t = pli_json_child(v->schema, type); t != NULL;
         t = pli_json_next(v->schema, t)) {
        if (has_type(t->text, node)) return true;
    }
    return false;
}

static bool is_listed(const validator *v, const pli_json_node *list, const pli_json_node *node)
{
    for (const pli_json_node *e = pli_json_child(v->schema, list); e != NULL;
         e = pli_json_next(v->schema, e)) {
        if (e->kind != node->kind) continue;
        if (e->kind == PLI_JSON_NULL || strcmp(e->text, node->text) == 0) return true;
    }
    return false;
}

static bool any_fits(const validator *v, const pli_json_node *list, const pli_json_node *node)
{
    for (const pli_json_node *s = pli_json_child(v->schema, list); s != NULL;
         s = pli_json_next(v->schema, s)) {
        if (is_valid(v, s, node)) return true;
    }
    return false;
}

static bool number_fits(const validator *v, const pli_json_node *schema, double number)
{
    const pli_json *s = v->schema;
    return number >= pli_json_number(s, schema, "minimum", -INFINITY) &&
           number <= pli_json_number(s, schema, "maximum", INFINITY) &&
           number > pli_json_number(s, schema, "exclusiveMinimum", -INFINITY) &&
           number < pli_json_number(s, schema, "exclusiveMaximum", INFINITY);
}

static bool object_fits(const validator *v, const pli_json_node *schema, const pli_json_node *node)
{
    const pli_json_node *properties = pli_json_get(v->schema, schema, "properties");
    const pli_json_node *others = pli_json_get(v->schema, schema, "additionalProperties");
    for (const pli_json_node *m = pli_json_child(v->document, node); m != NULL;
         m = pli_json_next(v->document, m)) {
        const pli_json_node *property = pli_json_get(v->schema, properties, m->key);
        if (property == NULL && others != NULL && others->kind == PLI_JSON_OBJECT) {
            property = others;
        }
        if (property == NULL || !is_valid(v, property, m)) return false;
    }
    const pli_json_node *required = pli_json_get(v->schema, schema, "required");
    if (required == NULL) return true;
    for (const pli_json_node *key = pli_json_child(v->schema, required); key != NULL;
         key = pli_json_next(v->schema, key)) {
        if (pli_json_get(v->document, node, key->text) == NULL) return false;
    }
    return true;
}

static bool list_fits(const validator *v, const pli_json_node *schema, const pli_json_node *node)
{
    int32_t count = 0;
    const pli_json_node *items = pli_json_get(v->schema, schema, "items");
    for (const pli_json_node *item = pli_json_child(v->document, node); item != NULL;
         item = pli_json_next(v->document, item)) {
        if (items != NULL && !is_valid(v, items, item)) return false;
        ++count;
    }
    return count >= pli_json_number(v->schema, schema, "minItems", 0) &&
           count <= pli_json_number(v->schema, schema, "maxItems", INFINITY);
}

static bool is_valid(const validator *v, const pli_json_node *schema, const pli_json_node *node)
{
    const char *reference = pli_json_text(v->schema, schema, "$ref", NULL);
    if (reference != NULL) {
        const pli_json_node *target =
            pli_json_get(v->schema, v->definitions, strrchr(reference, '/') + 1);
        assert_non_null(target);
        return is_valid(v, target, node);
    }
    const pli_json_node *type = pli_json_get(v->schema, schema, "type");
    const pli_json_node *list = pli_json_get(v->schema, schema, "enum");
    const pli_json_node *any = pli_json_get(v->schema, schema, "anyOf");
    const pli_json_node *all = pli_json_get(v->schema, schema, "allOf");
    if (type != NULL && !type_fits(v, type, node)) return false;
    if (list != NULL && !is_listed(v, list, node)) return false;
    if (any != NULL && !any_fits(v, any, node)) return false;
    if (all != NULL && !is_valid(v, pli_json_child(v->schema, all), node)) return false;
    if (node->kind == PLI_JSON_NUMBER) return number_fits(v, schema, node->number);
    if (node->kind == PLI_JSON_OBJECT && type != NULL) return object_fits(v, schema, node);
    if (node->kind == PLI_JSON_ARRAY && type != NULL) return list_fits(v, schema, node);
    return true;
}

static bool document_is_valid(pli_context *context, const char *text)
{
    char *schema_text = NULL;
    OK(context, pli_schema_to_json(context, &schema_text));
    pli_json schema = {.context = context};
    pli_json document = {.context = context};
    OK(context, pli_json_parse(&schema, schema_text, (int64_t)strlen(schema_text)));
    OK(context, pli_json_parse(&document, text, (int64_t)strlen(text)));
    validator v = {&schema, &document, pli_json_get(&schema, &schema.nodes[0], "definitions")};
    bool valid = is_valid(&v, &schema.nodes[0], &document.nodes[0]);
    pli_json_clear(&document);
    pli_json_clear(&schema);
    pli_text_free(context, schema_text);
    return valid;
}

static void schema_accepts_what_the_reader_accepts(void **state)
{
    static const char *const good[] = {
        "{\"materials\": {\"a\": \"rubber\"}, \"bodies\": {\"b\": {\"geometry\": \"grid\", "
        "\"material\": \"a\"}}}",
        "{\"materials\": {\"a\": {\"preset\": \"rubber\", \"E\": 2e6, \"nu\": 0.3}}, \"bodies\": "
        "{\"b\": {\"geometry\": {\"fill\": {\"shape\": {\"union\": [{\"sphere\": 1}, {\"box\": "
        "{\"size\": [1, 1, 1]}}]}}}, \"material\": \"a\", \"start\": \"rest\"}}, \"solver\": "
        "\"newton\", \"constraints\": [{\"where\": {\"vertices\": [1, 2]}}, null]}",
    };
    static const char *const bad[] = {
        "{\"tme\": {}}",
        "{\"materials\": {\"a\": {\"nu\": 0.5}}}",
        "{\"materials\": {\"a\": {\"E\": 0}}}",
        "{\"bodies\": {\"b\": {\"material\": \"a\"}}}",
        "{\"bodies\": {\"b\": {\"geometry\": \"fill\", \"material\": \"a\"}}}",
        "{\"bodies\": {\"b\": {\"geometry\": {\"gird\": {}}, \"material\": \"a\"}}}",
        "{\"time\": {\"mode\": \"static\"}}",
        "{\"time\": {\"frames\": 2.5}}",
        "{\"output\": {\"compress\": \"yes\"}}",
        "{\"bodies\": {\"b\": {\"geometry\": \"grid\", \"material\": \"a\", \"position\": [1]}}}",
    };
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        pli_scene *scene = NULL;
        OK(context, pli_scene_parse(context, good[i], (int64_t)strlen(good[i]), "g", NULL, &scene));
        pli_scene_destroy(scene);
        if (!document_is_valid(context, good[i])) fail_msg("refused: %s", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        pli_scene *scene = NULL;
        assert_int_equal(
            pli_scene_parse(context, bad[i], (int64_t)strlen(bad[i]), "b", NULL, &scene),
            PLI_ERROR_SCENE);
        if (document_is_valid(context, bad[i])) fail_msg("accepted: %s", bad[i]);
    }
}

// Every "$ref" of the schema and every link of the documentation leads somewhere.
static void every_part_is_defined_once(void **state)
{
    pli_context *context = *state;
    char *json = NULL;
    char *markdown = NULL;
    OK(context, pli_schema_to_json(context, &json));
    OK(context, pli_schema_to_markdown(context, &markdown));
    pli_schema_list list;
    pli_schema_list_build(&list, pli_scene_schema());
    for (int32_t i = 0; i < list.count; ++i) {
        char text[128];
        snprintf(text, sizeof text, "\n    \"%s\": {", list.parts[i].id);
        const char *found = strstr(json, text);
        assert_non_null(found);
        assert_null(strstr(found + 1, text));
        snprintf(text, sizeof text, "\n## %s\n", list.parts[i].id);
        found = strstr(markdown, text);
        assert_non_null(found);
        assert_null(strstr(found + 1, text));
    }
    for (const char *link = strstr(markdown, "](#"); link != NULL; link = strstr(link + 1, "](#")) {
        char heading[128];
        int length = (int)strcspn(link + 3, ")");
        snprintf(heading, sizeof heading, "\n## %.*s\n", length, link + 3);
        assert_non_null(strstr(markdown, heading));
    }
    pli_text_free(context, json);
    pli_text_free(context, markdown);
    pli_text_free(context, NULL);
}

static void documentation_tells_unit_default_and_range(void **state)
{
    pli_context *context = *state;
    char *text = NULL;
    OK(context, pli_schema_to_markdown(context, &text));
    assert_non_null(strstr(text, "\n| `fps` | number (1/s) | `24` | from 1e-6 to 1e9 1/s | Frames "
                                 "per second. |\n"));
    assert_non_null(strstr(
        text, "\n| `poisson` or `nu` | number, or [paint](#paint) |  | greater than -1 and less "
              "than 0.5 | Poisson's ratio; by default that of the preset. |\n"));
    assert_non_null(strstr(text, "\n| `where` | [any_where](#any_where) | `all` |  | Which "
                                 "vertices, in the body's initial placement. |\n"));
    pli_text_free(context, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(schema_accepts_what_the_reader_accepts, 1),
        TEST_IN_CONTEXT(every_part_is_defined_once, 1),
        TEST_IN_CONTEXT(documentation_tells_unit_default_and_range, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
