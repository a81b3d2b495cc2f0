// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pli_text_init(pli_text *text, pli_context *context)
{
    *text = (pli_text){.context = context};
}

void pli_text_clear(pli_text *text)
{
    pli_release(text->context, text->bytes);
    pli_text_init(text, text->context);
}

void pli_text_reset(pli_text *text)
{
    text->length = 0;
    if (text->bytes != NULL) text->bytes[0] = '\0';
}

// Makes room for count more bytes and the zero byte.
static bool reserve(pli_text *text, int64_t count)
{
    if (text->failed) return false;
    int64_t needed = text->length + count + 1;
    if (needed <= text->capacity) return true;
    int64_t capacity = text->capacity < 256 ? 256 : 2 * text->capacity;
    if (capacity < needed) capacity = needed;
    char *larger = pli_reallocate(text->context, text->bytes, capacity, 1, "text");
    if (larger == NULL) {
        text->failed = true;
        return false;
    }
    text->bytes = larger;
    text->capacity = capacity;
    return true;
}

void pli_text_append_bytes(pli_text *text, const void *bytes, int64_t count)
{
    if (!reserve(text, count)) return;
    memcpy(text->bytes + text->length, bytes, (size_t)count);
    text->length += count;
    text->bytes[text->length] = '\0';
}

void pli_text_append(pli_text *text, const char *string)
{
    pli_text_append_bytes(text, string, (int64_t)strlen(string));
}

void pli_text_format(pli_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (count < 0 || !reserve(text, count)) return;

    va_start(arguments, format);
    vsnprintf(text->bytes + text->length, (size_t)count + 1, format, arguments);
    va_end(arguments);
    text->length += count;
}

int32_t pli_text_distance(const char *a, const char *b)
{
    // Levenshtein distance by rows; words longer than a row are simply far apart
    enum { LONGEST = 63 };
    size_t length_a = strlen(a);
    size_t length_b = strlen(b);
    if (length_a > LONGEST || length_b > LONGEST) return LONGEST;

    int32_t row[LONGEST + 1];
    for (size_t j = 0; j <= length_b; ++j) row[j] = (int32_t)j;
    for (size_t i = 1; i <= length_a; ++i) {
        int32_t diagonal = row[0];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= length_b; ++j) {
            int32_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length_b];
}
