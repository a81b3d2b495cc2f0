// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a run something happened in, in bounded memory: how many, and the first few
// stretches of them. Steps are added in their order.
#ifndef PLI_IO_REPORT_REPORT_STEPS_H
#define PLI_IO_REPORT_REPORT_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLI_REPORT_STRETCHES = 6, PLI_REPORT_STEPS_TEXT = 320 };

typedef struct pli_report_steps {
    int64_t count;
    int64_t listed; // that the stretches hold; the others are later ones
    int32_t stretch_count;
    int64_t stretches[PLI_REPORT_STRETCHES][2]; // first and last step of neighbours
} pli_report_steps;

void pli_report_steps_add(pli_report_steps *steps, int64_t step);

// "12, 13 and 77"; "12 to 40 and 77"; "1, 3, 5, 7, 9, 11 and 40 more". "" when there are none.
void pli_report_steps_say(const pli_report_steps *steps, char text[PLI_REPORT_STEPS_TEXT]);

#endif
