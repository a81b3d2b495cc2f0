// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "base/number.h"
#include "base/random.h"

#include <inttypes.h>
#include <locale.h>

// parses all of a text; returns how many bytes were used
static int64_t parse(const char *text, double *value)
{
    return pli_number_parse(text, text + strlen(text), value) - text;
}

static void expect_bits(const char *text, double got, double want)
{
    if (memcmp(&got, &want, sizeof got) == 0) return;
    fprintf(stderr, "'%s': got %a, want %a\n", text, got, want);
    fail();
}

static void expect_like_strtod(const char *text)
{
    double value = 0;
    assert_int_equal(parse(text, &value), (int64_t)strlen(text));
    expect_bits(text, value, strtod(text, NULL));
}

static void hard_decimals_are_rounded_correctly(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0", "-0", "1", "+1", "-1.5", ".5", "5.", "1e0", "1E5", "1e+05", "0.1", "0.3",
        // ties and their neighbours around 2^53
        "9007199254740992", "9007199254740993", "9007199254740993.0000000000000000001",
        "9007199254740994", "9007199254740995",
        // 2^60 + 2^7, halfway between two doubles, and just above and below it
        "1152921504606847104", "1152921504606847105", "1152921504606847103",
        "11529215046068471040e-1", "1152921504606847104.0", "1152921504606847104e0",
        // known to be hard: halfway cases and subnormals
        "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9406564584124654e-324",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "1e23", "8.5e22", "9.5e-21", "6.8e-19",
        "0.000000000000000000000000000000000000000000000000000000000000000001",
        "123456789012345678901234567890", "0.00029681100000000001", "3.1415926535897932384626433",
        "100000000000000000000000000000000000000000000000000e-50", "1e-400", "1e400", "-1e400",
        "0e99999999999999999999", "1e-99999999999999999999", "17976931348623157e292",
        "18446744073709551615", "18446744073709551616", "9999999999999999999e19",
        "9999999999999999999e-19", "1000000000000000000000e-21"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) expect_like_strtod(texts[i]);
}

static void random_decimals_are_rounded_correctly(void **state)
{
    (void)state;
    pli_random random = {7, 1};
    for (uint64_t i = 0; i < 100000; ++i) {
        uint64_t bits = pli_random_bits(random, 3 * i);
        uint64_t shape = pli_random_bits(random, 3 * i + 1);
        char text[64];
        if (i % 2 == 0) {
            // up to 20 digits with a point somewhere and a small exponent
            snprintf(text, sizeof text, "%" PRIu64, bits >> (shape % 50));
            size_t length = strlen(text);
            size_t point = (shape >> 8) % (length + 1);
            memmove(text + point + 1, text + point, length - point + 1);
            text[point] = '.';
            if (shape & 128) {
                snprintf(text + length + 1, 16, "e%d", (int)((shape >> 16) % 60) - 30);
            }
        } else {
            // any finite double with 1 to 20 digits
            double value = 0;
            memcpy(&value, &bits, sizeof value);
            if (!isfinite(value)) continue;
            snprintf(text, sizeof text, "%.*g", 1 + (int)(shape % 20), value);
        }
        expect_like_strtod(text);
    }
}

static void very_long_numbers_are_rounded_correctly(void **state)
{
    (void)state;
    // 2^53 + 1 is halfway between two doubles; a digit a thousand places later decides
    char text[2100] = "9007199254740993.";
    memset(text + 17, '0', 2000);
    text[2017] = '\0';
    double value = 0;
    parse(text, &value);
    expect_bits("halfway", value, 9007199254740992.0);
    text[1500] = '1';
    parse(text, &value);
    expect_bits("just above", value, 9007199254740994.0);

    // as many digits before the point
    memset(text, '7', 1000);
    strcpy(text + 1000, ".25e-999");
    expect_like_strtod(text);
}

static void what_is_not_a_number_is_not_consumed(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "-", "+", ".", "-.", "e5", "nan", "inf", "x1", ",5"};
    double value = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_int_equal(parse(texts[i], &value), 0);
    }
    // the number ends where its grammar does
    assert_int_equal(parse("1e", &value), 1);
    assert_int_equal(parse("1e+", &value), 1);
    assert_int_equal(parse("1.5.5", &value), 3);
    assert_int_equal(parse("0x10", &value), 1);
    assert_int_equal(parse("3.1+e2", &value), 3);
    assert_int_equal(parse("1,5", &value), 1);
    // and where the bytes do
    const char *digits = "12345";
    assert_ptr_equal(pli_number_parse(digits, digits + 3, &value), digits + 3);
    NEAR(value, 123, 0, 0);
}

static void whole_numbers_stop_at_64_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t used;
        int64_t value;
    } cases[] = {
        {"0", 1, 0},
        {"-17 ", 3, -17},
        {"+8/9", 2, 8},
        {"9223372036854775807", 19, INT64_MAX},
        {"9223372036854775808", 0, 0},
        {"-9223372036854775807", 20, -INT64_MAX},
        {"99999999999999999999999", 0, 0},
        {"00000000000000000000000000012", 29, 12},
        {"-", 0, 0},
        {"", 0, 0},
        {"a", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int64_t value = 0;
        const char *text = cases[i].text;
        int64_t used = pli_integer_parse(text, text + strlen(text), &value) - text;
        assert_int_equal(used, cases[i].used);
        if (used > 0) assert_true(value == cases[i].value);
    }
}

static void written_numbers_read_back_as_the_same_bits(void **state)
{
    (void)state;
    pli_random random = {3, 2};
    for (uint64_t i = 0; i < 30000; ++i) {
        double value = 0;
        uint64_t bits = pli_random_bits(random, i);
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        if (i % 2 == 0) value = pli_random_range(random, i, -10, 10);
        char text[PLI_NUMBER_CAPACITY];
        pli_number_format(value, text);
        expect_bits(text, strtod(text, NULL), value);
    }
}

static void numbers_are_written_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},          {-0.0, "-0"},        {0.1, "0.1"},
        {-1.5, "-1.5"},    {1e300, "1e+300"},   {NAN, "nan"},
        {INFINITY, "inf"}, {-INFINITY, "-inf"}, {1.0 / 3, "0.3333333333333333"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[PLI_NUMBER_CAPACITY];
        pli_number_format(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void comma_locale_changes_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && found == NULL; ++i) {
        found = setlocale(LC_ALL, names[i]);
    }
    if (found == NULL) {
        fprintf(stderr, "no locale with a decimal comma is installed\n");
        skip();
    }
    double value = 0;
    int64_t used = parse("0.00029681100000000001", &value);
    char text[PLI_NUMBER_CAPACITY];
    pli_number_format(-2.5, text);
    setlocale(LC_ALL, "C");
    assert_int_equal(used, 22);
    expect_bits("0.00029681100000000001", value, 0.00029681100000000001);
    assert_string_equal(text, "-2.5");
}

static void whole_texts_are_one_finite_number_or_none(void **state)
{
    (void)state;
    double value = 1;
    int64_t whole = 1;
    assert_true(pli_number_from_bytes("-2.5e3,", 6, &value));
    NEAR(value, -2500, 0, 0);
    assert_false(pli_number_from_bytes("-2.5e3,", 7, &value));
    assert_false(pli_number_from_bytes("1e999", 5, &value));
    assert_false(pli_number_from_bytes("", 0, &value));
    assert_true(pli_integer_from_bytes("-12x", 3, &whole));
    assert_int_equal(whole, -12);
    assert_false(pli_integer_from_bytes("-12x", 4, &whole));
    assert_false(pli_integer_from_bytes("1.5", 3, &whole));
}

static void floats_are_written_with_seven_digits(void **state)
{
    pli_context *context = *state;
    static const struct {
        float value;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {-1.5f, "-1.5"},
                 {0.1f, "0.1"},
                 {1234567, "1234567"},
                 {12345678, "1.234568e7"},
                 {0.00012345f, "0.00012345"},
                 {0.000012345f, "1.2345e-5"},
                 {100, "100"},
                 {99999.99f, "99999.99"},
                 {0.99999999f, "1"},
                 {3.4028235e38f, "3.402823e38"},
                 {1.401298e-45f, "1.401298e-45"},
                 {NAN, "0"},
                 {-INFINITY, "-3.402823e38"}};
    pli_text text;
    pli_text_init(&text, context);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        pli_text_reset(&text);
        pli_text_append_float(&text, cases[i].value);
        assert_string_equal(text.bytes, cases[i].text);
    }
    // any other float reads back within half a unit of the seventh digit
    for (uint32_t bits = 1; bits < 0x7f800000u; bits += 12345677) {
        float value;
        memcpy(&value, &bits, sizeof value);
        pli_text_reset(&text);
        pli_text_append_float(&text, value);
        NEAR(strtod(text.bytes, NULL), (double)value, 5.01e-7, 0);
    }
    pli_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_decimals_are_rounded_correctly),
        cmocka_unit_test(random_decimals_are_rounded_correctly),
        cmocka_unit_test(very_long_numbers_are_rounded_correctly),
        cmocka_unit_test(what_is_not_a_number_is_not_consumed),
        cmocka_unit_test(whole_numbers_stop_at_64_bits),
        cmocka_unit_test(written_numbers_read_back_as_the_same_bits),
        cmocka_unit_test(numbers_are_written_short),
        cmocka_unit_test(comma_locale_changes_nothing),
        cmocka_unit_test(whole_texts_are_one_finite_number_or_none),
        TEST_IN_CONTEXT(floats_are_written_with_seven_digits, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
