// SPDX-License-Identifier: Apache-2.0
#include "io/report/report_notes.h"

#include <stdio.h>

static bool is_of_number(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '+';
}

static const char *skip_number(const char *text)
{
    while (is_of_number(*text)) ++text;
    return text;
}

// Whether two texts say the same of other numbers; only as much as is kept counts.
static bool is_alike(const char *kept, const char *text)
{
    const char *begin = kept;
    while (*kept != '\0') {
        if (is_of_number(*kept) && is_of_number(*text)) {
            kept = skip_number(kept);
            text = skip_number(text);
        } else if (*kept++ != *text++) {
            return false;
        }
    }
    return *text == '\0' || kept - begin == PLI_REPORT_NOTE - 1;
}

void pli_report_notes_hear(void *user, pli_log_level level, const char *text)
{
    pli_report_notes *notes = user;
    if (level != PLI_LOG_WARNING) return;
    int32_t k = 0;
    while (k < notes->count && !is_alike(notes->notes[k].text, text)) ++k;
    if (k == PLI_REPORT_NOTES) {
        ++notes->untold;
        return;
    }
    if (k == notes->count) {
        snprintf(notes->notes[k].text, PLI_REPORT_NOTE, "%s", text);
        ++notes->count;
    }
    ++notes->notes[k].count;
}
