// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include "console.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

// the one thing that a signal handler may touch
static volatile sig_atomic_t received;

static void on_stop(int number)
{
    if (received != 0) _exit(PLI_CLI_INTERRUPTED);
    received = number;
}

static volatile sig_atomic_t continued;

static void on_continue(int number)
{
    (void)number;
    continued = 1;
}

void pli_cli_signals_ignore(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void pli_cli_signals_catch(void)
{
    static const int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    for (size_t index = 0; index < sizeof requests / sizeof *requests; ++index) {
        struct sigaction before;
        if (sigaction(requests[index], NULL, &before) != 0) continue;
        if (before.sa_handler == SIG_IGN) continue;
        struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(requests[index], &action, NULL);
    }
}

void pli_cli_signals_watch_pauses(void)
{
    struct sigaction action = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGCONT, &action, NULL);
}

// How long the machine has slept since it started (s).
static double seconds_asleep(void)
{
    struct timespec with = {0};
    struct timespec without = {0};
    clock_gettime(CLOCK_MONOTONIC, &without);
    clock_gettime(CLOCK_BOOTTIME, &with);
    return (double)(with.tv_sec - without.tv_sec);
}

bool pli_cli_was_paused(void)
{
    static double asleep = -1;
    double before = asleep;
    asleep = seconds_asleep();
    // seconds are cut, so that one is no sleep
    bool slept = before >= 0 && asleep - before > 1;
    bool stopped = continued != 0;
    continued = 0;
    return slept || stopped;
}

bool pli_cli_stop_requested(void)
{
    return received != 0;
}

const char *pli_cli_stop_signal(void)
{
    switch (received) {
    case 0: return "";
    case SIGINT: return "SIGINT";
    case SIGTERM: return "SIGTERM";
    case SIGHUP: return "SIGHUP";
    default: return "SIGUSR1";
    }
}
