// SPDX-License-Identifier: Apache-2.0
//
// Compiled for any x86-64 processor (see CMakeLists.txt), whatever the rest is compiled for, and
// made of plain system calls, since no library has been set up.
#include "before_main.h"

#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && defined(__x86_64__)

enum { EXIT_CODE = 1, LINE_CAPACITY = 512 };

// address space that loading the libraries takes; 0: nothing waits for it
#ifndef PLI_LOAD_BYTES
#define PLI_LOAD_BYTES 0
#endif

static void append(char line[LINE_CAPACITY], const char *text)
{
    size_t used = 0;
    while (line[used] != '\0') ++used;
    while (*text != '\0' && used + 1 < LINE_CAPACITY) line[used++] = *text++;
    line[used] = '\0';
}

static void append_number(char line[LINE_CAPACITY], unsigned long long number)
{
    char digits[24];
    int at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    append(line, digits + at);
}

static void end(const char line[LINE_CAPACITY])
{
    size_t length = 0;
    while (line[length] != '\0') ++length;
    (void)!write(STDERR_FILENO, line, length);
    _exit(EXIT_CODE);
}

// Appends a feature's name when it is needed and not there.
static void look(char missing[LINE_CAPACITY], unsigned feature, int is_there, const char *name)
{
    if ((pli_cli_needs & feature) == 0 || is_there) return;
    append(missing, " ");
    append(missing, name);
}

static void check_processor(void)
{
    char missing[LINE_CAPACITY];
    missing[0] = '\0';
    __builtin_cpu_init();
    look(missing, PLI_CLI_SSE42, __builtin_cpu_supports("sse4.2"), "SSE4.2");
    look(missing, PLI_CLI_POPCNT, __builtin_cpu_supports("popcnt"), "POPCNT");
    look(missing, PLI_CLI_AVX, __builtin_cpu_supports("avx"), "AVX");
    look(missing, PLI_CLI_AVX2, __builtin_cpu_supports("avx2"), "AVX2");
    look(missing, PLI_CLI_FMA, __builtin_cpu_supports("fma"), "FMA");
    look(missing, PLI_CLI_BMI2, __builtin_cpu_supports("bmi2"), "BMI2");
    look(missing, PLI_CLI_AVX512F, __builtin_cpu_supports("avx512f"), "AVX512F");
    look(missing, PLI_CLI_AVX512VL, __builtin_cpu_supports("avx512vl"), "AVX512VL");
    look(missing, PLI_CLI_AVX512BW, __builtin_cpu_supports("avx512bw"), "AVX512BW");
    look(missing, PLI_CLI_AVX512DQ, __builtin_cpu_supports("avx512dq"), "AVX512DQ");
    if (missing[0] == '\0') return;
    char line[LINE_CAPACITY];
    line[0] = '\0';
    append(line, "pliant: was built for another processor; this one lacks");
    append(line, missing);
    append(line, ". Build it on this machine, or anywhere with -DPLIANT_ARCH=baseline\n");
    end(line);
}

static void check_room(void)
{
    const rlim_t needed = PLI_LOAD_BYTES;
    struct rlimit limit;
    if (needed == 0 || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= needed) return;
    char line[LINE_CAPACITY];
    line[0] = '\0';
    append(line, "pliant: out of memory in loading libraries, needed ");
    append_number(line, needed);
    append(line, " bytes of address space, and the limit (ulimit -v) is ");
    append_number(line, limit.rlim_cur);
    append(line, "\n");
    end(line);
}

__attribute__((no_sanitize("address", "undefined", "thread"))) static void
check(int count, char **values, char **variables)
{
    (void)count;
    (void)values;
    (void)variables;
    check_processor();
    check_room();
}

// runs before the libraries' own beginnings, unlike a constructor
__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **,
                                                                            char **) = check;

#endif
