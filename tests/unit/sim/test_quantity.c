// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "base/random.h"
#include "sim/scene/quantity.h"

#include <locale.h>

typedef struct reading {
    const char *text;
    pli_quantity_fault fault;
    double value;
} reading;

static const reading readings[] = {
    {"0", PLI_QUANTITY_OK, 0},
    {"-0.0e5", PLI_QUANTITY_OK, 0},
    {"9.81", PLI_QUANTITY_OK, 9.81},
    {"+1e5", PLI_QUANTITY_OK, 1e5},
    {"-.5", PLI_QUANTITY_OK, -0.5},
    {"5.", PLI_QUANTITY_OK, 5},
    {"1E-3", PLI_QUANTITY_OK, 1e-3},
    {"1/24", PLI_QUANTITY_OK, 1.0 / 24},
    {"-3/1e2", PLI_QUANTITY_OK, -0.03},
    {"1e308", PLI_QUANTITY_OK, 1e308},
    {"2.2250738585072014e-308", PLI_QUANTITY_OK, 2.2250738585072014e-308},
    {"1e309", PLI_QUANTITY_LARGE, 0},
    {"1/0", PLI_QUANTITY_LARGE, 0},
    {"0/0", PLI_QUANTITY_LARGE, 0},
    {"1e308/1e-10", PLI_QUANTITY_LARGE, 0},
    {"1e-320", PLI_QUANTITY_SMALL, 0},
    {"1e-400", PLI_QUANTITY_SMALL, 0},
    {"1e-300/1e300", PLI_QUANTITY_SMALL, 0},
    {"", PLI_QUANTITY_SYNTAX, 0},
    {" 1", PLI_QUANTITY_SYNTAX, 0},
    {"1 ", PLI_QUANTITY_SYNTAX, 0},
    {"nan", PLI_QUANTITY_SYNTAX, 0},
    {".nan", PLI_QUANTITY_SYNTAX, 0},
    {"inf", PLI_QUANTITY_SYNTAX, 0},
    {"-.inf", PLI_QUANTITY_SYNTAX, 0},
    {"infinity", PLI_QUANTITY_SYNTAX, 0},
    {"0x10", PLI_QUANTITY_SYNTAX, 0},
    {"1_000", PLI_QUANTITY_SYNTAX, 0},
    {"1,5", PLI_QUANTITY_SYNTAX, 0},
    {"1e", PLI_QUANTITY_SYNTAX, 0},
    {"e5", PLI_QUANTITY_SYNTAX, 0},
    {".", PLI_QUANTITY_SYNTAX, 0},
    {"--1", PLI_QUANTITY_SYNTAX, 0},
    {"1/", PLI_QUANTITY_SYNTAX, 0},
    {"1/2/3", PLI_QUANTITY_SYNTAX, 0},
    {"1 / 2", PLI_QUANTITY_SYNTAX, 0},
    {"1e999999999999999999999", PLI_QUANTITY_LARGE, 0},
};

static void numbers_are_read_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; ++i) {
        double value = 1;
        pli_quantity_fault fault = pli_quantity_parse(readings[i].text, &value);
        if (fault != readings[i].fault) fail_msg("'%s' gave %d", readings[i].text, fault);
        assert_true(value == readings[i].value);
    }
}

static void written(double value, const char *want)
{
    char text[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(value, text);
    assert_string_equal(text, want);
}

static void numbers_are_written_pleasantly(void **state)
{
    (void)state;
    written(0, "0");
    written(-0.0, "0");
    written(1, "1");
    written(-250, "-250");
    written(1000000, "1000000");
    written(1e7, "1e7");
    written(2.1e11, "2.1e11");
    written(2147483647, "2147483647");
    written(0.1, "0.1");
    written(-9.81, "-9.81");
    written(1e-4, "0.0001");
    written(1e-7, "1e-7");
    written(1.0 / 3, "0.3333333333333333");
    written(6.02214076e23, "6.02214076e23");
    written(1.7976931348623157e308, "1.7976931348623157e308");
}

static void written_numbers_read_back_as_the_same(void **state)
{
    (void)state;
    pli_random random = {3, 0};
    for (uint64_t i = 0; i < 20000; ++i) {
        // any bit pattern that is a normal number
        uint64_t bits = pli_random_bits(random, i);
        double value = 0;
        memcpy(&value, &bits, sizeof value);
        if (!isnormal(value)) continue;
        char text[PLI_QUANTITY_CAPACITY];
        double back = 0;
        pli_quantity_format(value, text);
        assert_int_equal(pli_quantity_parse(text, &back), PLI_QUANTITY_OK);
        assert_true(back == value);
    }
}

static void comma_locale_changes_nothing(void **state)
{
    (void)state;
    // the build makes this locale where it can
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) skip();
    assert_true(localeconv()->decimal_point[0] == ',');
    numbers_are_read_strictly(NULL);
    numbers_are_written_pleasantly(NULL);
    written_numbers_read_back_as_the_same(NULL);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(numbers_are_written_pleasantly),
        cmocka_unit_test(written_numbers_read_back_as_the_same),
        cmocka_unit_test(comma_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
