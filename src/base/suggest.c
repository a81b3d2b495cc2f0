// SPDX-License-Identifier: Apache-2.0
#include "base/suggest.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

// room that is kept for ", ..." and the hint
enum { RESERVED = 112, LONGEST_HINT = 64 };

void pli_suggest_init(pli_suggest *suggest, const char *word)
{
    *suggest = (pli_suggest){.word = word, .distance = INT32_MAX};
}

static void append(pli_suggest *suggest, const char *text)
{
    int room = PLI_SUGGEST_CAPACITY - suggest->length;
    int count = snprintf(suggest->list + suggest->length, (size_t)room, "%s", text);
    suggest->length += count < room ? count : room - 1;
}

void pli_suggest_add(pli_suggest *suggest, const char *candidate)
{
    if (suggest->word != NULL) {
        int32_t distance = pli_text_distance(suggest->word, candidate);
        if (distance < suggest->distance) {
            suggest->distance = distance;
            suggest->nearest = candidate;
        }
    }

    if (suggest->full) return;
    size_t length = strnlen(candidate, PLI_SUGGEST_CAPACITY);
    suggest->full = (size_t)suggest->length + length > PLI_SUGGEST_CAPACITY - RESERVED;
    if (suggest->length > 0) append(suggest, ", ");
    append(suggest, suggest->full ? "..." : candidate);
}

// A third of the letters may be wrong, and at least one must be right.
static bool is_near(const pli_suggest *suggest)
{
    if (suggest->nearest == NULL) return false;
    int32_t length = (int32_t)strnlen(suggest->word, LONGEST_HINT);
    return suggest->distance <= (length + 2) / 3 && suggest->distance < length;
}

const char *pli_suggest_text(pli_suggest *suggest)
{
    if (suggest->length == 0) append(suggest, "none");
    if (is_near(suggest)) {
        append(suggest, " (did you mean '");
        append(suggest, suggest->nearest);
        append(suggest, "'?)");
    }
    return suggest->list;
}

const char *pli_excerpt(const char *text, char buffer[PLI_EXCERPT_CAPACITY])
{
    enum { ROOM = PLI_EXCERPT_CAPACITY - 4 };
    size_t length = strnlen(text, ROOM + 1);
    bool cut = length > ROOM;
    if (cut) length = ROOM;
    // not in the middle of a character: its later bytes are 10xxxxxx
    while (cut && length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) --length;
    for (size_t i = 0; i < length; ++i) {
        unsigned char byte = (unsigned char)text[i];
        buffer[i] = byte < ' ' || byte == 0x7F ? '?' : text[i];
    }
    memcpy(buffer + length, cut ? "..." : "", cut ? 4 : 1);
    return buffer;
}
