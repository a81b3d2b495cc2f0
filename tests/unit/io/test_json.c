// SPDX-License-Identifier: Apache-2.0
//
// JSON and XML tags: what is well formed is read, everything else is refused without harm.
#include "near.h"
#include "support/fault_sweep.h"

#include "base/random.h"
#include "io/file/json.h"
#include "io/file/xml.h"

static pli_status parse(pli_context *context, pli_json *json, const char *text)
{
    *json = (pli_json){.context = context};
    return pli_json_parse(json, text, (int64_t)strlen(text));
}

static void values_of_every_kind_are_read(void **state)
{
    pli_context *context = *state;
    pli_json json;
    OK(context, parse(context, &json,
                      " {\"a\": [1, -2.5e3, true, false, null], \"b\": {\"c\": \"x\\n\\u00e9"
                      "\\ud83d\\ude00\\\"\"}, \"\": 0 } "));
    const pli_json_node *root = &json.nodes[0];
    const pli_json_node *item = pli_json_child(&json, pli_json_get(&json, root, "a"));
    static const pli_json_kind kinds[] = {PLI_JSON_NUMBER, PLI_JSON_NUMBER, PLI_JSON_BOOL,
                                          PLI_JSON_BOOL, PLI_JSON_NULL};
    static const double numbers[] = {1, -2500, 1, 0, 0};
    for (int i = 0; i < 5; ++i, item = pli_json_next(&json, item)) {
        assert_non_null(item);
        assert_int_equal(item->kind, kinds[i]);
        assert_true(item->number == numbers[i]);
    }
    assert_null(item);
    const pli_json_node *b = pli_json_get(&json, root, "b");
    assert_string_equal(pli_json_text(&json, b, "c", ""), "x\n\xc3\xa9\xf0\x9f\x98\x80\"");
    assert_true(pli_json_number(&json, root, "", 1) == 0);
    assert_true(pli_json_number(&json, root, "b", 7) == 7);
    assert_true(pli_json_number(&json, NULL, "b", 7) == 7);
    assert_null(pli_json_get(&json, root, "z"));
    pli_json_clear(&json);
}

static void members_are_parted_by_commas(void **state)
{
    pli_context *context = *state;
    pli_text text;
    pli_text_init(&text, context);
    pli_json_add_integer(&text, "first", -3);
    pli_text_append(&text, ",\"inner\":{");
    pli_json_add_string(&text, "a", "{");
    pli_json_add_number(&text, "b", 0.5);
    pli_json_add_number(&text, "c", NAN);
    pli_text_append(&text, "}");
    pli_json_add_integer(&text, "last", INT64_MAX);
    assert_string_equal(text.bytes, "\"first\":-3,\"inner\":{\"a\":\"{\",\"b\":0.5,\"c\":null},"
                                    "\"last\":9223372036854775807");
    pli_text_clear(&text);
}

static void malformed_texts_are_refused(void **state)
{
    pli_context *context = *state;
    static const char *const texts[] = {
        "",          "{",           "}",           "[1,]",        "{\"a\"}",
        "{\"a\":}",  "{a:1}",       "[1 2]",       "\"",          "\"\\x\"",
        "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\u0000\"", "nul",
        "+1",        "1e",          "--1",         "1e999",       "[1]]",
        "\"a\nb\"",  "{\"a\":1,}",  "{,}",         "NaN",         "0x10",
        "[",         "[[",          "{\"a\":[",    "\"\\",        "\"\\ud83d\\u0041\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        pli_json json;
        if (parse(context, &json, texts[i]) != PLI_ERROR_IO) fail_msg("accepted: %s", texts[i]);
        pli_json_clear(&json);
    }
    // nesting has a limit
    char deep[200] = "";
    memset(deep, '[', 100);
    memset(deep + 100, ']', 99);
    pli_json json;
    assert_int_equal(parse(context, &json, deep), PLI_ERROR_IO);
    pli_json_clear(&json);
}

static void changed_texts_do_no_harm(void **state)
{
    pli_context *context = *state;
    static const char text[] =
        "{\"step\":12,\"energy\":{\"total\":-1.5e-3},\"stop\":\"gr\\u0041d\","
        "\"momentum\":[0,1,null],\"ok\":true}";
    pli_json json = {.context = context};
    pli_random random = {5, 1};
    for (uint64_t i = 0; i < 20000; ++i) {
        char copy[sizeof text];
        memcpy(copy, text, sizeof text);
        for (uint64_t k = 0; k < 1 + i % 3; ++k) {
            size_t at = (size_t)(pli_random_bits(random, 8 * i + 2 * k) % (sizeof text - 1));
            copy[at] = (char)pli_random_bits(random, 8 * i + 2 * k + 1);
        }
        int64_t length = (int64_t)(pli_random_bits(random, 8 * i + 7) % sizeof text);
        pli_status status =
            pli_json_parse(&json, copy, i % 2 == 0 ? length : (int64_t)sizeof text - 1);
        assert_true(status == PLI_OK || status == PLI_ERROR_IO);
    }
    pli_json_clear(&json);
}

static void strings_survive_writing_and_reading(void **state)
{
    pli_context *context = *state;
    char all[256];
    for (int i = 1; i < 256; ++i) all[i - 1] = (char)i;
    all[255] = '\0';
    pli_text text;
    pli_text_init(&text, context);
    pli_json_append_string(&text, all);
    assert_null(strchr(text.bytes, '<'));
    pli_json json = {.context = context};
    OK(context, pli_json_parse(&json, text.bytes, text.length));
    assert_string_equal(json.nodes[0].text, all);
    // numbers too, and what is no number becomes null
    static const double numbers[] = {0.1, -1e-300, 1.0 / 3, 5e-324, NAN};
    pli_text_reset(&text);
    pli_json_append_numbers(&text, numbers, 5);
    OK(context, pli_json_parse(&json, text.bytes, text.length));
    const pli_json_node *item = pli_json_child(&json, &json.nodes[0]);
    for (int i = 0; i < 4; ++i, item = pli_json_next(&json, item)) {
        assert_true(item->number == numbers[i]);
    }
    assert_int_equal(item->kind, PLI_JSON_NULL);
    pli_json_clear(&json);
    pli_text_clear(&text);
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    (void)state;
    char text[512] = "[0";
    for (int i = 0; i < 200; ++i) strcat(text, ",1");
    strcat(text, "]");
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_json json;
        sweep.status = parse(sweep.context, &json, text);
        pli_json_clear(&json);
    }
}

static void tags_are_read_with_their_attributes(void **state)
{
    (void)state;
    static const char text[] = "<?xml version=\"1.0\"?><!-- a <b c=\"d\"> --><Piece n=\"27\" "
                               "name = 'a &lt;b&gt;'  >  text </Piece><Empty/>";
    pli_xml xml;
    pli_xml_tag tag;
    pli_xml_init(&xml, text, sizeof text - 1);
    assert_true(pli_xml_next(&xml, &tag));
    assert_true(pli_xml_is(&tag, "Piece"));
    assert_false(pli_xml_is(&tag, "Pieces"));
    int64_t n = 0;
    assert_true(pli_xml_get_count(&tag, "n", 27, &n));
    assert_int_equal(n, 27);
    assert_false(pli_xml_get_count(&tag, "n", 26, &n));
    assert_false(pli_xml_get_count(&tag, "m", 26, &n));
    char name[16];
    assert_true(pli_xml_unescape(pli_xml_get(&tag, "name"), name, sizeof name));
    assert_string_equal(name, "a <b>");
    assert_false(pli_xml_unescape(pli_xml_get(&tag, "name"), name, 5));
    assert_true(pli_slice_is(pli_xml_content(&xml, &tag), "text"));
    assert_true(pli_xml_next(&xml, &tag) && tag.closing);
    assert_true(pli_xml_next(&xml, &tag) && tag.empty);
    assert_false(pli_xml_next(&xml, &tag));
    assert_false(xml.broken);
}

static void broken_tags_are_noticed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "<",       "<a",        "<a b",           "<a b=",    "<a b=\"",
        "<a b=c>", "<a \"b\">", "<a b=\"c\" / >", "<!-- <a>", "< a>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        pli_xml xml;
        pli_xml_tag tag;
        pli_xml_init(&xml, texts[i], (int64_t)strlen(texts[i]));
        assert_false(pli_xml_next(&xml, &tag));
        if (!xml.broken) fail_msg("not noticed: %s", texts[i]);
        assert_false(pli_xml_next(&xml, &tag));
    }
    // more attributes than any of our tags has
    char many[512] = "<a";
    for (int i = 0; i <= PLI_XML_ATTRIBUTES; ++i) strcat(many, " b=\"c\"");
    strcat(many, ">");
    pli_xml xml;
    pli_xml_tag tag;
    pli_xml_init(&xml, many, (int64_t)strlen(many));
    assert_false(pli_xml_next(&xml, &tag));
    assert_true(xml.broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(values_of_every_kind_are_read, 1),
        TEST_IN_CONTEXT(members_are_parted_by_commas, 1),
        TEST_IN_CONTEXT(malformed_texts_are_refused, 1),
        TEST_IN_CONTEXT(changed_texts_do_no_harm, 1),
        TEST_IN_CONTEXT(strings_survive_writing_and_reading, 1),
        cmocka_unit_test(any_failed_allocation_leaks_nothing),
        cmocka_unit_test(tags_are_read_with_their_attributes),
        cmocka_unit_test(broken_tags_are_noticed),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
