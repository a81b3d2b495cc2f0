// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/quantity.h"

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long double degrees_per_radian = 57.295779513082320876798154814105170L;

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

// ---- reading with a factor

static const char *skip_decimal(const char *text)
{
    double ignored = 0;
    return pli_number_parse(text, text + strlen(text), &ignored);
}

const char *pli_quantity_skip(const char *text)
{
    const char *end = skip_decimal(text);
    if (end == text || *end != '/') return end;
    const char *denominator = skip_decimal(end + 1);
    return denominator > end + 1 ? denominator : end;
}

enum { MANTISSA = 48, PRODUCT = MANTISSA + 20, EXPONENTS = 100000 };

// a decimal number as its digits, lowest first, and a power of ten
typedef struct decimal {
    int32_t count;
    uint8_t digits[PRODUCT];
    int64_t exponent;
} decimal;

// Digits behind the first ones only say that the number is a little larger than these.
static void read_decimal(const char *text, const char *end, decimal *d)
{
    uint8_t leading[MANTISSA] = {0};
    bool after_point = false;
    bool is_cut = false;
    *d = (decimal){0};
    for (; text < end && *text != 'e' && *text != 'E'; ++text) {
        if (*text == '.') after_point = true;
        if (*text < '0' || *text > '9') continue;
        bool has_place = d->count < MANTISSA - 1;
        is_cut = is_cut || (!has_place && *text != '0');
        if (has_place && (d->count > 0 || *text != '0'))
            leading[d->count++] = (uint8_t)(*text - '0');
        d->exponent += !has_place && !after_point;
        d->exponent -= has_place && after_point;
    }
    int64_t power = 0;
    if (text < end) {
        const char *digits = text + 1 + (text[1] == '+' || text[1] == '-');
        for (; digits < end && power < EXPONENTS; ++digits) power = 10 * power + (*digits - '0');
        if (text[1] == '-') power = -power;
    }
    d->exponent += power;
    if (is_cut) {
        leading[d->count++] = 1;
        --d->exponent;
    }
    for (int32_t k = 0; k < d->count; ++k) d->digits[k] = leading[d->count - 1 - k];
}

static void multiply(decimal *d, int64_t by)
{
    int64_t carry = 0;
    for (int32_t k = 0; k < d->count || carry > 0; ++k) {
        if (k == d->count) d->digits[d->count++] = 0;
        carry += d->digits[k] * by;
        d->digits[k] = (uint8_t)(carry % 10);
        carry /= 10;
    }
}

// The decimal number at *text times an integer and a power of ten, rounded once; moves behind it.
static pli_quantity_fault scale_decimal(const char **text, int64_t by, int32_t exponent,
                                        double *value)
{
    const char *begin = *text;
    *text = skip_decimal(begin);
    if (*text == begin) return PLI_QUANTITY_SYNTAX;
    decimal d;
    char digits[PRODUCT + 32];
    read_decimal(begin, *text, &d);
    multiply(&d, by);
    int32_t length = 0;
    if (*begin == '-') digits[length++] = '-';
    if (d.count == 0) digits[length++] = '0';
    for (int32_t k = d.count - 1; k >= 0; --k) digits[length++] = (char)('0' + d.digits[k]);
    length += snprintf(digits + length, 32, "e%lld", (long long)(d.exponent + exponent));
    (void)pli_number_parse(digits, digits + length, value);
    return check_size(*value, d.count == 0);
}

pli_quantity_fault pli_quantity_scale(const char *text, const pli_quantity_factor *factor,
                                      double *value)
{
    *value = 0;
    double numerator = 0;
    double denominator = 1;
    bool is_fraction = skip_decimal(text) != pli_quantity_skip(text);
    // integers stay integers as far as possible, so that the quotient is all that is rounded
    bool divides = is_fraction || factor->q > 1;
    int32_t below = divides && factor->exponent < 0 ? -factor->exponent : 0;
    pli_quantity_fault fault =
        scale_decimal(&text, factor->p, factor->exponent + below, &numerator);
    if (fault != PLI_QUANTITY_OK) return fault;
    const char *bottom = is_fraction ? text + 1 : "1";
    if (divides) fault = scale_decimal(&bottom, factor->q, below, &denominator);
    if (fault != PLI_QUANTITY_OK) return fault;
    long double quotient = (long double)numerator / denominator;
    for (int32_t k = 0; k < factor->radians; ++k) quotient *= degrees_per_radian;
    for (int32_t k = 0; k > factor->radians; --k) quotient /= degrees_per_radian;
    double rounded = factor->radians != 0 ? (double)quotient : numerator / denominator;
    fault = check_size(rounded, numerator == 0 && denominator != 0);
    if (fault == PLI_QUANTITY_OK) *value = rounded;
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
