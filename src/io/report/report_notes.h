// SPDX-License-Identifier: Apache-2.0
//
// Warnings that were logged while a run was built and computed, in bounded memory. Warnings that
// differ in nothing but numbers are one: the first of them is kept, the others are counted.
#ifndef PLI_IO_REPORT_REPORT_NOTES_H
#define PLI_IO_REPORT_REPORT_NOTES_H

#include "base/context.h"

enum { PLI_REPORT_NOTES = 16, PLI_REPORT_NOTE = 400 };

typedef struct pli_report_note {
    int64_t count;
    char text[PLI_REPORT_NOTE]; // of the first
} pli_report_note;

typedef struct pli_report_notes {
    int32_t count;
    int64_t untold; // warnings that found no place
    pli_report_note notes[PLI_REPORT_NOTES];
} pli_report_notes;

// A pli_log_fn; user is a pli_report_notes. Lines that are no warnings are passed over.
void pli_report_notes_hear(void *user, pli_log_level level, const char *text);

#endif
