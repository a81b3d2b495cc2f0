// SPDX-License-Identifier: Apache-2.0
#include "io/file/result_text.h"

#include "base/memory.h"
#include "pliant/io.h"

pli_status pli_text_hand_over(pli_text *text, char **result)
{
    *result = NULL;
    pli_text_append(text, ""); // so that even an empty text has its zero byte
    if (text->failed) {
        pli_text_clear(text);
        return PLI_ERROR_MEMORY;
    }
    *result = text->bytes;
    pli_text_init(text, text->context);
    return PLI_OK;
}

void pli_text_free(pli_context *context, char *text)
{
    pli_release(context, text);
}

// The character at text, which is valid UTF-8, and the number of its bytes.
static uint32_t decode(const unsigned char *text, int32_t *length)
{
    *length = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
    uint32_t code = text[0];
    if (*length > 1) code &= 0x7Fu >> *length;
    for (int32_t i = 1; i < *length; ++i) code = code << 6 | (text[i] & 0x3Fu);
    return code;
}

// Control characters, line separators and marks of byte order must not stand in a text as they are.
static bool needs_escape(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
           code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

void pli_text_append_quoted(pli_text *text, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    pli_text_append(text, "\"");
    while (*at != '\0') {
        int32_t length = 1;
        uint32_t code = decode(at, &length);
        if (code == '"' || code == '\\') {
            pli_text_format(text, "\\%c", (int)code);
        } else if (needs_escape(code)) {
            pli_text_format(text, "\\u%04x", (unsigned)code);
        } else {
            pli_text_append_bytes(text, at, length);
        }
        at += length;
    }
    pli_text_append(text, "\"");
}
