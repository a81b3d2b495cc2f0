// SPDX-License-Identifier: Apache-2.0
#include "io/text_number.h"

#include "base/number.h"

#include <math.h>

void pli_text_append_number(pli_text *text, double value)
{
    char digits[PLI_NUMBER_CAPACITY];
    pli_number_format(value, digits);
    pli_text_append(text, digits);
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
