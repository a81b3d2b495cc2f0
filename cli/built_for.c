// SPDX-License-Identifier: Apache-2.0
//
// What the rest of the program was compiled for: data only, since this file is compiled like the
// rest and must not be run where that is in question.
#include "before_main.h"

const unsigned pli_cli_needs = 0
#ifdef __SSE4_2__
                               | PLI_CLI_SSE42
#endif
#ifdef __POPCNT__
                               | PLI_CLI_POPCNT
#endif
#ifdef __AVX__
                               | PLI_CLI_AVX
#endif
#ifdef __AVX2__
                               | PLI_CLI_AVX2
#endif
#ifdef __FMA__
                               | PLI_CLI_FMA
#endif
#ifdef __BMI2__
                               | PLI_CLI_BMI2
#endif
#ifdef __AVX512F__
                               | PLI_CLI_AVX512F
#endif
#ifdef __AVX512VL__
                               | PLI_CLI_AVX512VL
#endif
#ifdef __AVX512BW__
                               | PLI_CLI_AVX512BW
#endif
#ifdef __AVX512DQ__
                               | PLI_CLI_AVX512DQ
#endif
    ;
