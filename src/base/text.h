// SPDX-License-Identifier: Apache-2.0
//
// A growing text. Once memory runs out, appending does nothing and `failed` stays set: check it
// once at the end.
#ifndef PLI_BASE_TEXT_H
#define PLI_BASE_TEXT_H

#include "base/context.h"

typedef struct pli_text {
    pli_context *context;
    char *bytes;    // always ends with a zero byte once something was appended
    int64_t length; // without the zero byte
    int64_t capacity;
    bool failed;
} pli_text;

void pli_text_init(pli_text *text, pli_context *context);
void pli_text_clear(pli_text *text);

void pli_text_append(pli_text *text, const char *string);
void pli_text_append_bytes(pli_text *text, const void *bytes, int64_t count);
void pli_text_format(pli_text *text, const char *format, ...) PLI_PRINTF(2, 3);

// Forgets the content and keeps the memory.
void pli_text_reset(pli_text *text);

// Number of single-character edits between two words; used for "did you mean".
int32_t pli_text_distance(const char *a, const char *b);

#endif
