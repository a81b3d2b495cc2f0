// SPDX-License-Identifier: Apache-2.0
#include "io/report/report_steps.h"

#include <stdio.h>
#include <string.h>

void pli_report_steps_add(pli_report_steps *steps, int64_t step)
{
    bool is_complete = steps->listed == steps->count;
    int64_t *last = steps->stretch_count > 0 ? steps->stretches[steps->stretch_count - 1] : NULL;
    ++steps->count;
    // what comes after a stretch that found no place is only counted
    if (!is_complete) return;
    if (last != NULL && step == last[1] + 1) {
        last[1] = step;
    } else if (steps->stretch_count < PLI_REPORT_STRETCHES) {
        int64_t *next = steps->stretches[steps->stretch_count++];
        next[0] = next[1] = step;
    } else {
        return;
    }
    ++steps->listed;
}

// Puts an item of the list behind the others.
static void say_item(char text[PLI_REPORT_STEPS_TEXT], bool is_last, const char *item)
{
    size_t used = strlen(text);
    const char *separator = is_last ? " and " : ", ";
    snprintf(text + used, PLI_REPORT_STEPS_TEXT - used, "%s%s", used > 0 ? separator : "", item);
}

// A stretch of two is said as two steps.
static void say_stretch(const int64_t stretch[2], bool is_last, char text[PLI_REPORT_STEPS_TEXT])
{
    char item[64];
    long long first = (long long)stretch[0], last = (long long)stretch[1];
    if (last == first + 1) {
        snprintf(item, sizeof item, "%lld", first);
        say_item(text, false, item);
    }
    if (last > first + 1) {
        snprintf(item, sizeof item, "%lld to %lld", first, last);
    } else {
        snprintf(item, sizeof item, "%lld", last);
    }
    say_item(text, is_last, item);
}

void pli_report_steps_say(const pli_report_steps *steps, char text[PLI_REPORT_STEPS_TEXT])
{
    int64_t more = steps->count - steps->listed;
    text[0] = '\0';
    for (int32_t k = 0; k < steps->stretch_count; ++k) {
        say_stretch(steps->stretches[k], more == 0 && k == steps->stretch_count - 1, text);
    }
    if (more > 0) {
        char item[64];
        snprintf(item, sizeof item, "%lld more", (long long)more);
        say_item(text, true, item);
    }
}
