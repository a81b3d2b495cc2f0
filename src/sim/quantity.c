// SPDX-License-Identifier: Apache-2.0
#include "sim/quantity.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 64, MOST_DIGITS = 17 };

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') ++text;
    return text;
}

// The end of a decimal number at the start of text; text itself when there is none.
static const char *decimal_end(const char *text)
{
    const char *start = text;
    if (*text == '+' || *text == '-') ++text;
    const char *whole = text;
    text = skip_digits(text);
    bool has_digits = text > whole;
    if (*text == '.') {
        const char *fraction = text + 1;
        text = skip_digits(fraction);
        has_digits = has_digits || text > fraction;
    }
    if (!has_digits) return start;
    if (*text != 'e' && *text != 'E') return text;
    ++text;
    if (*text == '+' || *text == '-') ++text;
    const char *exponent = text;
    text = skip_digits(text);
    return text > exponent ? text : start;
}

// strtod as in the C locale, on the bytes [text, end).
static double convert(const char *text, const char *end)
{
    char copy[LONGEST_NUMBER + 1];
    size_t length = (size_t)(end - text);
    memcpy(copy, text, length);
    copy[length] = '\0';
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) return NAN;
    double value = strtod_l(copy, NULL, plain);
    freelocale(plain);
    return value;
}

static bool is_zero(const char *text, const char *end)
{
    for (; text < end && *text != 'e' && *text != 'E'; ++text) {
        if (*text >= '1' && *text <= '9') return false;
    }
    return true;
}

// Reads one decimal number that ends at `end`.
static pli_quantity_fault parse_decimal(const char *text, const char *end, double *value)
{
    *value = 0;
    if (end == text || end - text > LONGEST_NUMBER) return PLI_QUANTITY_SYNTAX;
    double read = convert(text, end);
    if (isnan(read)) return PLI_QUANTITY_SYNTAX;
    if (isinf(read)) return PLI_QUANTITY_LARGE;
    if (fabs(read) < DBL_MIN && !is_zero(text, end)) return PLI_QUANTITY_SMALL;
    *value = read;
    return PLI_QUANTITY_OK;
}

pli_quantity_fault pli_quantity_parse(const char *text, double *value)
{
    *value = 0;
    const char *end = decimal_end(text);
    double read = 0;
    pli_quantity_fault fault = parse_decimal(text, end, &read);
    if (fault != PLI_QUANTITY_OK) return fault;

    // a fraction: numerator/denominator
    if (*end == '/') {
        double denominator = 1;
        const char *second = end + 1;
        end = decimal_end(second);
        fault = parse_decimal(second, end, &denominator);
        if (fault != PLI_QUANTITY_OK) return fault;
        double numerator = read;
        read = numerator / denominator;
        if (!isfinite(read)) return *end == '\0' ? PLI_QUANTITY_LARGE : PLI_QUANTITY_SYNTAX;
        if (fabs(read) < DBL_MIN && numerator != 0) return PLI_QUANTITY_SMALL;
    }
    if (*end != '\0') return PLI_QUANTITY_SYNTAX;
    *value = read;
    return PLI_QUANTITY_OK;
}

// The fewest significant digits that read back as the same value; returns how many, and the decimal
// exponent of the first one. The printed text is only searched for digits, so its decimal point may
// be any.
static int shortest_digits(double value, char digits[MOST_DIGITS + 1], int *exponent)
{
    for (int count = 1;; ++count) {
        char printed[PLI_QUANTITY_CAPACITY];
        snprintf(printed, sizeof printed, "%.*e", count - 1, value);
        const char *mark = strchr(printed, 'e');
        *exponent = atoi(mark + 1);
        int found = 0;
        for (const char *at = printed; at < mark && found < MOST_DIGITS; ++at) {
            if (*at >= '0' && *at <= '9') digits[found++] = *at;
        }
        digits[found] = '\0';

        // digits as "ddd" times a power of ten
        char plain[2 * PLI_QUANTITY_CAPACITY];
        snprintf(plain, sizeof plain, "%se%d", digits, *exponent - found + 1);
        double again = convert(plain, plain + strlen(plain));
        if (count == MOST_DIGITS || again == value) return found;
    }
}

void pli_quantity_format(double value, char text[PLI_QUANTITY_CAPACITY])
{
    if (value == 0) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "0");
        return;
    }
    const char *sign = value < 0 ? "-" : "";
    char digits[MOST_DIGITS + 1];
    int exponent = 0;
    int count = shortest_digits(fabs(value), digits, &exponent);

    int zeros = exponent - count + 1; // behind the digits of a whole number
    if (zeros >= 0 && (exponent < 7 || zeros < 4)) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s%s%.*s", sign, digits, zeros, "0000000");
    } else if (exponent >= 0 && exponent < count - 1) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s%.*s.%s", sign, exponent + 1, digits,
                 digits + exponent + 1);
    } else if (exponent < 0 && exponent >= -4) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    } else {
        const char *point = count > 1 ? "." : "";
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s%.1s%s%se%d", sign, digits, point, digits + 1,
                 exponent);
    }
}
