// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
    EXACT_DIGITS = 19,        // significant digits that always fit into 64 bits
    EXACT_POWER = 19,         // largest power of ten that fits into 64 bits
    LARGEST_EXPONENT = 99999, // beyond it every number is zero or infinite
    FLOAT_DIGITS = 7          // what a float holds
};

static const uint64_t power_of_ten[EXACT_POWER + 1] = {
    1ULL,
    10ULL,
    100ULL,
    1000ULL,
    10000ULL,
    100000ULL,
    1000000ULL,
    10000000ULL,
    100000000ULL,
    1000000000ULL,
    10000000000ULL,
    100000000000ULL,
    1000000000000ULL,
    10000000000000ULL,
    100000000000000ULL,
    1000000000000000ULL,
    10000000000000000ULL,
    100000000000000000ULL,
    1000000000000000000ULL,
    10000000000000000000ULL,
};

static bool is_digit(const char *c, const char *end)
{
    return c < end && *c >= '0' && *c <= '9';
}

// A decimal number taken apart: mantissa 10^exponent, with the first significant digits only.
typedef struct decimal {
    uint64_t mantissa;
    int32_t digits;   // of the mantissa, without leading zeros
    int64_t exponent; // of ten
    bool cut;         // further digits other than 0 did not fit
} decimal;

static void add_digit(decimal *number, char c, bool after_point)
{
    uint64_t digit = (uint64_t)(c - '0');
    if (number->digits < EXACT_DIGITS) {
        number->mantissa = 10 * number->mantissa + digit;
        number->digits += number->mantissa != 0;
        number->exponent -= after_point;
    } else {
        number->cut = number->cut || digit != 0;
        number->exponent += !after_point;
    }
}

// Reads "e+12" at c, if it is there, and returns where it ends.
static const char *parse_exponent(const char *c, const char *end, int64_t *exponent)
{
    if (c >= end || (*c != 'e' && *c != 'E')) return c;
    const char *digit = c + 1;
    bool negative = digit < end && *digit == '-';
    if (digit < end && (*digit == '-' || *digit == '+')) ++digit;
    if (!is_digit(digit, end)) return c;

    int64_t value = 0;
    for (; is_digit(digit, end); ++digit) {
        if (value < LARGEST_EXPONENT) value = 10 * value + (*digit - '0');
    }
    *exponent += negative ? -value : value;
    return digit;
}

// Takes an unsigned number apart; returns begin when there is none.
static const char *parse_decimal(const char *begin, const char *end, decimal *number)
{
    *number = (decimal){0};
    const char *c = begin;
    for (; is_digit(c, end); ++c) add_digit(number, *c, false);
    bool any = c > begin;
    if (c < end && *c == '.' && (any || is_digit(c + 1, end))) {
        for (++c; is_digit(c, end); ++c) add_digit(number, *c, true);
        any = true;
    }
    return any ? parse_exponent(c, end, &number->exponent) : begin;
}

// mantissa / 10^power, correctly rounded. The quotient has at least 63 bits, so a lowest bit that
// stands for the remainder decides ties the right way when it is rounded to 53 bits.
static double divide_exactly(uint64_t mantissa, int64_t power)
{
    int shift = 64 + __builtin_clzll(mantissa);
    wide numerator = (wide)mantissa << shift;
    wide quotient = numerator / power_of_ten[power];
    if (quotient * power_of_ten[power] != numerator) quotient |= 1;
    return ldexp((double)quotient, -shift);
}

// The number through strtod, as digits and an exponent. The points halfway between two doubles have
// at most 767 digits, so what comes after the first 800 only matters as "more than this".
static double convert_slowly(const char *begin, const char *end, int64_t exponent)
{
    enum { LONGEST = 800 };
    char text[LONGEST + 32];
    int64_t length = 0;
    bool after_point = false;
    bool more = false;
    for (const char *c = begin; c < end && *c != 'e' && *c != 'E'; ++c) {
        if (*c == '.') {
            after_point = true;
            continue;
        }
        if (length < LONGEST) {
            if (length > 0 || *c != '0') text[length++] = *c;
            exponent -= after_point;
        } else {
            more = more || *c != '0';
            exponent += !after_point;
        }
    }
    if (more) {
        text[length++] = '1';
        --exponent;
    }
    snprintf(text + length, sizeof text - (size_t)length, "e%lld", (long long)exponent);
    return strtod(text, NULL);
}

static double convert(const char *begin, const char *end, const decimal *number)
{
    int64_t power = number->exponent;
    if (number->mantissa == 0) return 0;
    if (!number->cut && power >= 0 && power <= EXACT_POWER) {
        return (double)((wide)number->mantissa * power_of_ten[power]);
    }
    if (!number->cut && power < 0 && -power <= EXACT_POWER) {
        // 10^power = 2^power 5^power with 5^19 < 2^53: both are exact doubles, rounded once
        if (number->mantissa < (1ULL << 53)) {
            return (double)number->mantissa / (double)power_of_ten[-power];
        }
        return divide_exactly(number->mantissa, -power);
    }
    int64_t exponent = 0;
    const char *e = begin;
    while (e < end && *e != 'e' && *e != 'E') ++e;
    (void)parse_exponent(e, end, &exponent);
    return convert_slowly(begin, end, exponent);
}

const char *pli_number_parse(const char *begin, const char *end, double *value)
{
    *value = 0;
    const char *digits = begin;
    bool negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+')) ++digits;

    decimal number;
    const char *stop = parse_decimal(digits, end, &number);
    if (stop == digits) return begin;
    double magnitude = convert(digits, stop, &number);
    *value = negative ? -magnitude : magnitude;
    return stop;
}

const char *pli_integer_parse(const char *begin, const char *end, int64_t *value)
{
    *value = 0;
    const char *c = begin;
    bool negative = begin < end && *begin == '-';
    if (begin < end && (*begin == '-' || *begin == '+')) ++c;

    const char *digits = c;
    int64_t number = 0;
    for (; is_digit(c, end); ++c) {
        int digit = *c - '0';
        if (number > (INT64_MAX - digit) / 10) return begin;
        number = 10 * number + digit;
    }
    if (c == digits) return begin;
    *value = negative ? -number : number;
    return c;
}

bool pli_number_from_bytes(const char *text, int64_t length, double *value)
{
    *value = 0;
    return length > 0 && pli_number_parse(text, text + length, value) == text + length &&
           isfinite(*value);
}

bool pli_integer_from_bytes(const char *text, int64_t length, int64_t *value)
{
    *value = 0;
    return length > 0 && pli_integer_parse(text, text + length, value) == text + length;
}

void pli_number_format(double value, char text[PLI_NUMBER_CAPACITY])
{
    if (!isfinite(value)) {
        strcpy(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    // 17 digits always read back as the same number, fewer often do
    double back = NAN;
    for (int digits = 15; digits <= 17 && back != value; ++digits) {
        int length = snprintf(text, PLI_NUMBER_CAPACITY, "%.*g", digits, value);

        // whatever the locale writes as its decimal point, of one byte or more, becomes '.'
        char *out = text;
        for (int i = 0; i <= length; ++i) {
            if (text[i] == '\0' || strchr("+-0123456789e", text[i]) != NULL) {
                *out++ = text[i];
            } else if (out == text || out[-1] != '.') {
                *out++ = '.';
            }
        }
        pli_number_parse(text, out - 1, &back);
    }
}

void pli_text_append_number(pli_text *text, double value)
{
    char digits[PLI_NUMBER_CAPACITY];
    pli_number_format(value, digits);
    pli_text_append(text, digits);
}

// |value| as digits x 10^(exponent - 6), with 10^6 <= digits < 10^7.
static int64_t seven_digits(double value, int *exponent)
{
    // the logarithm can be wrong by one next to a power of ten, and rounding can carry over
    *exponent = (int)floor(log10(value));
    int64_t digits = llround(value * pow(10, FLOAT_DIGITS - 1 - *exponent));
    if (digits >= 10000000) digits = llround(value * pow(10, FLOAT_DIGITS - 1 - ++*exponent));
    if (digits < 1000000) digits = llround(value * pow(10, FLOAT_DIGITS - 1 - --*exponent));
    return digits;
}

void pli_text_append_float(pli_text *text, float value)
{
    double size = isnan(value) ? 0 : fmin(fabs((double)value), (double)FLT_MAX);
    if (size == 0) {
        pli_text_append_bytes(text, "0", 1);
        return;
    }
    int exponent = 0;
    int64_t number = seven_digits(size, &exponent);
    char digits[FLOAT_DIGITS];
    for (int i = FLOAT_DIGITS - 1; i >= 0; --i, number /= 10) digits[i] = (char)('0' + number % 10);
    int count = FLOAT_DIGITS;
    while (count > 1 && digits[count - 1] == '0') --count;

    // sign, zeros before the digits, digits with the point, exponent
    char out[32];
    char *at = out;
    bool plain = exponent >= -4 && exponent < FLOAT_DIGITS;
    int point = plain ? exponent + 1 : 1;
    if (value < 0) *at++ = '-';
    if (point <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int i = point; i < 0; ++i) *at++ = '0';
    }
    for (int i = 0; i < count || i < point; ++i) {
        if (i == point && i > 0) *at++ = '.';
        *at++ = i < count ? digits[i] : '0';
    }
    pli_text_append_bytes(text, out, at - out);
    if (!plain) pli_text_format(text, "e%d", exponent);
}
