// SPDX-License-Identifier: Apache-2.0
//
// Timers that accumulate wall-clock seconds per named phase.
//
// Phases nest: while an inner one runs, the outer one stands still, so the phases add up to the
// time that was measured at all. Names are static strings, compared by content.
#ifndef PLI_BASE_TIMERS_H
#define PLI_BASE_TIMERS_H

#include <stdint.h>

enum { PLI_TIMERS_CAPACITY = 32, PLI_TIMERS_DEPTH = 16 };

typedef struct pli_timers {
    int32_t phase_count;
    const char *name[PLI_TIMERS_CAPACITY];
    double seconds[PLI_TIMERS_CAPACITY];
    int64_t calls[PLI_TIMERS_CAPACITY];

    // phases that are running now, the innermost last
    int32_t depth;
    int32_t stack[PLI_TIMERS_DEPTH];
    double since; // when the innermost phase last started to run
} pli_timers;

// Seconds of a monotonic clock.
double pli_clock_seconds(void);

void pli_timers_clear(pli_timers *timers);

// Zeroes seconds and calls and keeps the names, so that reports list phases in a stable order.
void pli_timers_reset(pli_timers *timers);

void pli_timers_begin(pli_timers *timers, const char *name);
void pli_timers_end(pli_timers *timers);

// Seconds of a phase so far; 0 when it never ran.
double pli_timers_seconds(const pli_timers *timers, const char *name);

#endif
