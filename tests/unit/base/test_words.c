// SPDX-License-Identifier: Apache-2.0
#include "near.h"
#include "support/fault_sweep.h"

#include "base/names.h"
#include "base/suggest.h"

static void names_keep_their_order_and_are_found(void **state)
{
    enum { COUNT = 5000 };
    static char texts[COUNT][24];
    pli_context *context = *state;
    pli_names names;
    pli_names_init(&names, context);
    assert_int_equal(pli_names_find(&names, "n0"), -1);
    for (int32_t i = 0; i < COUNT; ++i) {
        int32_t index = -2;
        snprintf(texts[i], sizeof texts[i], "n%d", i);
        OK(context, pli_names_add(&names, texts[i], &index));
        assert_int_equal(index, i);
    }
    int32_t index = -2;
    OK(context, pli_names_add(&names, "n77", &index));
    assert_int_equal(index, 77);
    assert_int_equal(names.count, COUNT);
    assert_int_equal(pli_names_find(&names, "n4999"), 4999);
    assert_int_equal(pli_names_find(&names, ""), -1);
    assert_int_equal(pli_names_find(&names, "n5000"), -1);
    pli_names_clear(&names);
}

static void names_survive_a_failing_allocation(void **state)
{
    (void)state;
    static const char *const texts[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                        "j", "k", "l", "m", "n", "o", "p", "q", "r"};
    for (fault_sweep sweep = {.at_least = 4}; fault_sweep_next(&sweep);) {
        pli_names names;
        pli_names_init(&names, sweep.context);
        int32_t index = 0;
        sweep.status = PLI_OK;
        for (int32_t i = 0; i < 18; ++i) {
            // what failed once works the next time, and nothing was lost
            pli_status status = pli_names_add(&names, texts[i], &index);
            if (status != PLI_OK) sweep.status = status;
            if (status != PLI_OK) OK(sweep.context, pli_names_add(&names, texts[i], &index));
            assert_int_equal(index, i);
        }
        for (int32_t i = 0; i < 18; ++i) assert_int_equal(pli_names_find(&names, texts[i]), i);
        pli_names_clear(&names);
    }
}

static const char *suggest(pli_suggest *s, const char *word, const char *a, const char *b)
{
    pli_suggest_init(s, word);
    if (a != NULL) pli_suggest_add(s, a);
    if (b != NULL) pli_suggest_add(s, b);
    return pli_suggest_text(s);
}

static void suggestions_name_what_is_near(void **state)
{
    (void)state;
    pli_suggest s;
    assert_string_equal(suggest(&s, "frition", "mass", "friction"),
                        "mass, friction (did you mean 'friction'?)");
    assert_string_equal(suggest(&s, "yuong", "young", "poisson"),
                        "young, poisson (did you mean 'young'?)");
    assert_string_equal(suggest(&s, "zzz", "young", "nu"), "young, nu");
    assert_string_equal(suggest(&s, "q", "E", "nu"), "E, nu");
    assert_string_equal(suggest(&s, "", "E", "nu"), "E, nu");
    assert_string_equal(suggest(&s, NULL, "E", "nu"), "E, nu");
    assert_string_equal(suggest(&s, "a", NULL, NULL), "none");
}

static void long_lists_end_with_dots_and_keep_the_hint(void **state)
{
    (void)state;
    pli_suggest s;
    pli_suggest_init(&s, "body_00321");
    static char names[1000][24];
    for (int32_t i = 0; i < 1000; ++i) {
        snprintf(names[i], sizeof names[i], "body_%05d", i);
        pli_suggest_add(&s, names[i]);
    }
    const char *text = pli_suggest_text(&s);
    AT_MOST((double)strlen(text), PLI_SUGGEST_CAPACITY - 1);
    assert_memory_equal(text, "body_00000, body_00001, ", 24);
    assert_non_null(strstr(text, ", ... (did you mean 'body_00321'?)"));

    // one candidate that is longer than all the room
    char giant[2000];
    memset(giant, 'x', sizeof giant - 1);
    giant[sizeof giant - 1] = '\0';
    assert_string_equal(suggest(&s, "y", giant, NULL), "...");
}

static void excerpts_are_one_short_line(void **state)
{
    (void)state;
    char buffer[PLI_EXCERPT_CAPACITY];
    assert_string_equal(pli_excerpt("plain", buffer), "plain");
    assert_string_equal(pli_excerpt("", buffer), "");
    assert_string_equal(pli_excerpt("a\nb\x7F", buffer), "a?b?");
    char text[200];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(strlen(pli_excerpt(text, buffer)), PLI_EXCERPT_CAPACITY - 1);
    assert_string_equal(buffer + PLI_EXCERPT_CAPACITY - 4, "...");
    // two bytes a character, never cut in the middle
    for (size_t i = 1; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xC3\xBC", 2);
    pli_excerpt(text, buffer);
    size_t length = strlen(buffer);
    assert_true((unsigned char)buffer[length - 4] == 0xBC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(names_keep_their_order_and_are_found, 1),
        cmocka_unit_test(names_survive_a_failing_allocation),
        cmocka_unit_test(suggestions_name_what_is_near),
        cmocka_unit_test(long_lists_end_with_dots_and_keep_the_hint),
        cmocka_unit_test(excerpts_are_one_short_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
