// SPDX-License-Identifier: Apache-2.0
#include "io/text_number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pli_text_append_number(pli_text *text, double value)
{
    char digits[32];
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    for (int count = 15; count <= 17; ++count) {
        snprintf(digits, sizeof digits, "%.*g", count, value);
        if (strtod(digits, NULL) == value) break;
    }
    uselocale(before);
    freelocale(plain);
    pli_text_append(text, digits);
}

// Copies a short text so that it ends with a zero byte; false when it is empty, too long or begins
// with a blank, which the C library would skip.
static bool copy_short(const char *text, int64_t length, char *copy, int64_t capacity)
{
    if (length <= 0 || length >= capacity) return false;
    memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    return strchr(" \t\r\n\v\f", copy[0]) == NULL;
}

bool pli_number_from_bytes(const char *text, int64_t length, double *value)
{
    char copy[64];
    *value = 0;
    if (!copy_short(text, length, copy, sizeof copy)) return false;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end = NULL;
    *value = strtod_l(copy, &end, plain);
    freelocale(plain);
    return end == copy + length && isfinite(*value);
}

bool pli_integer_from_bytes(const char *text, int64_t length, int64_t *value)
{
    char copy[32];
    *value = 0;
    if (!copy_short(text, length, copy, sizeof copy)) return false;
    char *end = NULL;
    errno = 0;
    *value = strtoll(copy, &end, 10);
    return end == copy + length && errno == 0;
}
