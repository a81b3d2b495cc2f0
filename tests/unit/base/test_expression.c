// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "base/expression.h"

#include <stdio.h>
#include <string.h>

static const double place[3] = {0.5, -2, 3};

static double value_of(const char *text)
{
    static pli_expression expression;
    char error[PLI_EXPRESSION_ERROR];
    if (!pli_expression_parse(text, &expression, error)) fail_msg("'%s': %s", text, error);
    return pli_expression_evaluate(&expression, place, 7);
}

static void expressions_are_what_c_says(void **state)
{
    (void)state;
    const double x = place[0];
    const double y = place[1];
    const double z = place[2];
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1e5", 1e5},
        {".5 + 2.", 2.5},
        {"x", x},
        {" y * z ", y * z},
        {"1 - 2 - 3", -4},
        {"8 / 4 / 2", 1},
        {"2 + 3 * 4 ^ 2", 50},
        {"2 ^ 3 ^ 2", 512},
        {"-x ^ 2", -x * x},
        {"(-x) ^ 2", x * x},
        {"2 ^ -1", 0.5},
        {"--3", 3},
        {"+3 - +1", 2},
        {"sin(x) + cos(x) * tan(x)", sin(x) + cos(x) * tan(x)},
        {"exp(log(z))", exp(log(z))},
        {"sqrt(abs(y)) + floor(-1.5)", sqrt(2) - 2},
        {"min(x, y) + max(x, y) + pow(z, 2)", x + y + 9},
        {"step(0, x) + step(0, y)", 1},
        {"step(x, x)", 1},
        {"clamp(z, 0, 1) + clamp(y, -1, 1)", 0},
        {"smoothstep(0, 1, x)", 0.5},
        {"smoothstep(0, 2, x)", 0.0625 * (3 - 0.5)},
        {"smoothstep(-1, 0, y) + smoothstep(0, 1, z)", 1},
        {"2 * pi", 6.283185307179586},
        {"1e5 * (1 + 4 * smoothstep(0, 1, y))", 1e5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double value = value_of(cases[k].text);
        // exact but for the order in which a compiler may fuse a product and a sum
        if (!(fabs(value - cases[k].value) <= 1e-15 * (1 + fabs(cases[k].value)))) {
            fail_msg("'%s' is %.17g", cases[k].text, value);
        }
    }
}

static void what_is_wrong_is_told_with_its_column(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "column 1: expected a number, a name or a bracket, found the end"},
        {"1 +", "column 4: expected a number, a name or a bracket, found the end"},
        {"2 * (x + 1", "column 11: expected ')', found the end"},
        {"30 MPa", "column 4: expected +, -, *, /, ^ or the end, found 'MPa'"},
        {"x + t", "column 5: 't' is unknown; there are x, y, z, pi"},
        {"sin x", "column 5: expected '(' behind the name of a function, found 'x'"},
        {"1 + min(1)", "column 5: min takes 2 numbers"},
        {"sin(1, 2)", "column 1: sin takes 1 number"},
        {"1e999", "column 1: the number is too large"},
        {"x ** 2", "column 4: expected a number, a name or a bracket, found '*'"},
        {"1 \xc2\xb5", "column 3: expected +, -, *, /, ^ or the end, found '\xc2\xb5'"},
        {"x)", "column 2: expected"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pli_expression expression;
        char error[PLI_EXPRESSION_ERROR];
        assert_false(pli_expression_parse(cases[k][0], &expression, error));
        if (strstr(error, cases[k][1]) == NULL) fail_msg("'%s' says '%s'", cases[k][0], error);
    }
}

// Neither the program nor the stack nor the parser's own calls can be made to overflow.
static void what_is_too_large_is_refused(void **state)
{
    (void)state;
    static const char *const parts[] = {"(", "-", "1+", "2^", "(1+", "sin(", "min(1,", "max(x,1)*"};
    char text[8192];
    char error[PLI_EXPRESSION_ERROR];
    pli_expression expression;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        size_t length = strlen(parts[k]);
        for (size_t n = 0; n < 800; ++n) memcpy(text + n * length, parts[k], length);
        text[800 * length] = '1';
        text[800 * length + 1] = '\0';
        if (length * 800 + 2 > sizeof text) fail();
        assert_false(pli_expression_parse(text, &expression, error));
        assert_true(strstr(error, "too") != NULL);
    }
}

static void noise_is_smooth_bounded_and_seeded(void **state)
{
    (void)state;
    pli_expression expression;
    char error[PLI_EXPRESSION_ERROR];
    assert_true(pli_expression_parse("noise(x, 3 * y, z)", &expression, error));
    double least = 1;
    double most = -1;
    double before = 0;
    for (int k = 0; k <= 4000; ++k) {
        double x[3] = {-20 + 0.01 * k, 0.3, 0.7};
        double value = pli_expression_evaluate(&expression, x, 1);
        assert_true(value >= -1 && value <= 1);
        // 3 t^2 - 2 t^3 rises by 1.5 at most, between values that are 2 apart at most
        if (k > 0) assert_true(fabs(value - before) <= 0.0301);
        before = value;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    assert_true(least < -0.3 && most > 0.3);
    const double x[3] = {0.5, 0.5, 0.5};
    double one = pli_expression_evaluate(&expression, x, 1);
    assert_true(one == pli_expression_evaluate(&expression, x, 1));
    assert_true(one != pli_expression_evaluate(&expression, x, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_what_c_says),
        cmocka_unit_test(what_is_wrong_is_told_with_its_column),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(noise_is_smooth_bounded_and_seeded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
