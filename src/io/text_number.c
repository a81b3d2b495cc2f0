// SPDX-License-Identifier: Apache-2.0
#include "io/text_number.h"

#include "base/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FLOAT_DIGITS = 7 };

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
