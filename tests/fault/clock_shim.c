// SPDX-License-Identifier: Apache-2.0
//
// Clocks of a bad day, loaded before the C library: the time of day goes backwards, and the clock
// that never goes back jumps ahead by an hour now and then, as after a machine slept.
#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <time.h>

static _Atomic long calls;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int (*real)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, now);
    long call = ++calls;
    if (clock == CLOCK_REALTIME) now->tv_sec -= 60 * call;
    if (clock == CLOCK_MONOTONIC) now->tv_sec += 3600 * (call / 7);
    return result;
}

time_t time(time_t *now)
{
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    if (now != NULL) *now = real.tv_sec;
    return real.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    now->tv_sec = time(NULL);
    now->tv_usec = 0;
    return 0;
}
