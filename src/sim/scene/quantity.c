// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/quantity.h"

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reading

// Whether a number was written as zero: what has become zero by rounding was not.
static bool is_zero(const char *text, const char *end)
{
    for (; text < end && *text != 'e' && *text != 'E'; ++text) {
        if (*text >= '1' && *text <= '9') return false;
    }
    return true;
}

static pli_quantity_fault check_size(double value, bool is_exactly_zero)
{
    if (isnan(value) || isinf(value)) return PLI_QUANTITY_LARGE;
    return fabs(value) < DBL_MIN && !is_exactly_zero ? PLI_QUANTITY_SMALL : PLI_QUANTITY_OK;
}

// Reads one decimal number at *text and moves behind it.
static pli_quantity_fault parse_decimal(const char **text, double *value)
{
    const char *begin = *text;
    *text = pli_number_parse(begin, begin + strlen(begin), value);
    if (*text == begin) return PLI_QUANTITY_SYNTAX;
    return check_size(*value, is_zero(begin, *text));
}

pli_quantity_fault pli_quantity_parse(const char *text, double *value)
{
    *value = 0;
    double numerator = 0;
    double denominator = 1;
    pli_quantity_fault fault = parse_decimal(&text, &numerator);
    if (fault == PLI_QUANTITY_OK && *text == '/') {
        ++text;
        fault = parse_decimal(&text, &denominator);
    }
    if (*text != '\0') return PLI_QUANTITY_SYNTAX;
    if (fault != PLI_QUANTITY_OK) return fault;
    double quotient = numerator / denominator;
    fault = check_size(quotient, numerator == 0 && denominator != 0);
    if (fault == PLI_QUANTITY_OK) *value = quotient;
    return fault;
}

// ---- writing

enum { DIGITS = 24 };

// The significant digits of a formatted number, and the decimal exponent of the first one.
static int take_digits(const char *text, char digits[DIGITS], int *exponent)
{
    int count = 0;
    int whole = 0; // digits before the point, less zeros behind it
    bool after_point = false;
    for (; *text != '\0' && *text != 'e'; ++text) {
        after_point = after_point || *text == '.';
        if (*text < '0' || *text > '9') continue;
        if (count > 0 || *text != '0') {
            whole += !after_point;
            if (count < DIGITS - 1) digits[count++] = *text;
        } else {
            whole -= after_point;
        }
    }
    *exponent = whole - 1 + (*text == 'e' ? atoi(text + 1) : 0);
    while (count > 1 && digits[count - 1] == '0') --count;
    digits[count] = '\0';
    return count;
}

void pli_quantity_format(double value, char text[PLI_QUANTITY_CAPACITY])
{
    if (value == 0) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "0");
        return;
    }
    char plain[PLI_NUMBER_CAPACITY];
    char digits[DIGITS];
    int exponent = 0;
    pli_number_format(fabs(value), plain);
    int count = take_digits(plain, digits, &exponent);
    const char *sign = value < 0 ? "-" : "";

    int zeros = exponent - count + 1; // behind the digits of a whole number
    if (zeros >= 0 && exponent < DIGITS && (exponent < 7 || zeros < 4)) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s%s%.*s", sign, digits, zeros, "0000000");
    } else if (exponent >= 0 && zeros < 0) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s%.*s.%s", sign, exponent + 1, digits,
                 digits + exponent + 1);
    } else if (exponent < 0 && exponent >= -4) {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    } else {
        snprintf(text, PLI_QUANTITY_CAPACITY, "%s%.1s%s%se%d", sign, digits, count > 1 ? "." : "",
                 digits + 1, exponent);
    }
}
