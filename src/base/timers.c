// SPDX-License-Identifier: Apache-2.0
#include "base/timers.h"

#include <string.h>
#include <time.h>

double pli_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void pli_timers_clear(pli_timers *timers)
{
    memset(timers, 0, sizeof *timers);
}

void pli_timers_reset(pli_timers *timers)
{
    for (int32_t phase = 0; phase < timers->phase_count; ++phase) {
        timers->seconds[phase] = 0;
        timers->calls[phase] = 0;
    }
}

static int32_t find_phase(const pli_timers *timers, const char *name)
{
    for (int32_t phase = 0; phase < timers->phase_count; ++phase) {
        if (strcmp(timers->name[phase], name) == 0) return phase;
    }
    return -1;
}

static int32_t find_or_add_phase(pli_timers *timers, const char *name)
{
    int32_t phase = find_phase(timers, name);
    if (phase >= 0) return phase;
    // the last slot takes whatever does not fit
    if (timers->phase_count == PLI_TIMERS_CAPACITY) return PLI_TIMERS_CAPACITY - 1;
    phase = timers->phase_count++;
    timers->name[phase] = name;
    return phase;
}

static void charge_running_phase(pli_timers *timers, double now)
{
    if (timers->depth == 0 || timers->depth > PLI_TIMERS_DEPTH) return;
    timers->seconds[timers->stack[timers->depth - 1]] += now - timers->since;
}

void pli_timers_begin(pli_timers *timers, const char *name)
{
    double now = pli_clock_seconds();
    charge_running_phase(timers, now);
    int32_t phase = find_or_add_phase(timers, name);
    ++timers->calls[phase];
    if (timers->depth < PLI_TIMERS_DEPTH) timers->stack[timers->depth] = phase;
    ++timers->depth;
    timers->since = now;
}

void pli_timers_end(pli_timers *timers)
{
    double now = pli_clock_seconds();
    charge_running_phase(timers, now);
    if (timers->depth > 0) --timers->depth;
    timers->since = now;
}

double pli_timers_seconds(const pli_timers *timers, const char *name)
{
    int32_t phase = find_phase(timers, name);
    return phase >= 0 ? timers->seconds[phase] : 0;
}
