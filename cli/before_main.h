// SPDX-License-Identifier: Apache-2.0
//
// Before anything else, libraries included, runs: does the processor have what the program was
// compiled for, and is there room to load the libraries? Without the first, the program would end
// with an illegal instruction; without the second, OpenBLAS waits for memory for ever while it is
// loaded. A line and exit code 1 say so instead.
#ifndef PLI_CLI_BEFORE_MAIN_H
#define PLI_CLI_BEFORE_MAIN_H

// Features of x86-64 processors.
enum {
    PLI_CLI_SSE42 = 1 << 0,
    PLI_CLI_POPCNT = 1 << 1,
    PLI_CLI_AVX = 1 << 2,
    PLI_CLI_AVX2 = 1 << 3,
    PLI_CLI_FMA = 1 << 4,
    PLI_CLI_BMI2 = 1 << 5,
    PLI_CLI_AVX512F = 1 << 6,
    PLI_CLI_AVX512VL = 1 << 7,
    PLI_CLI_AVX512BW = 1 << 8,
    PLI_CLI_AVX512DQ = 1 << 9
};

// Those that the program was compiled for.
extern const unsigned pli_cli_needs;

#endif
