// SPDX-License-Identifier: Apache-2.0
#include "pliant/base.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if defined(__AVX2__) && defined(__FMA__)
#define INSTRUCTIONS "AVX2+FMA"
#elif defined(__x86_64__)
#define INSTRUCTIONS "x86-64 baseline"
#else
#define INSTRUCTIONS "portable"
#endif

#if defined(PLI_HAS_CHOLMOD)
#define CHOLMOD_PART "CHOLMOD on"
#else
#define CHOLMOD_PART "CHOLMOD off"
#endif

#if defined(PLI_HAS_RENDER)
#define RENDER_PART "pictures on"
#else
#define RENDER_PART "pictures off"
#endif

#if !defined(PLI_COMMIT)
#define PLI_COMMIT ""
#endif

const char *pli_version(void)
{
    return TEXT(PLI_VERSION_MAJOR) "." TEXT(PLI_VERSION_MINOR) "." TEXT(PLI_VERSION_PATCH);
}

const pli_build_info *pli_build_get(void)
{
    static const pli_build_info info = {.version_number = PLI_VERSION_NUMBER,
                                        .text = COMPILER ", " INSTRUCTIONS ", " CHOLMOD_PART
                                                         ", " RENDER_PART,
                                        .commit = PLI_COMMIT};
    return &info;
}
