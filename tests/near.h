// SPDX-License-Identifier: Apache-2.0
//
// What every test file includes: cmocka, and comparisons of numbers that say by how much they miss.
// (cmocka's own float comparison works in single precision and is not used.)
#ifndef PLI_TESTS_NEAR_H
#define PLI_TESTS_NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pliant/base.h"

// With the variable PLIANT_FIGURES every comparison is printed.
static inline void near_tell(double got, double want, const char *what, const char *file, int line)
{
    static int is_asked = -1;
    if (is_asked < 0) is_asked = getenv("PLIANT_FIGURES") != NULL;
    if (is_asked) printf("%s:%d: %s: %.9g, theory %.9g\n", file, line, what, got, want);
}

static inline void near_check(double got, double want, double relative, double absolute,
                              const char *what, const char *file, int line)
{
    double error = fabs(got - want);
    double allowed = relative * fabs(want) + absolute;
    near_tell(got, want, what, file, line);
    // written so that a NaN fails
    if (error <= allowed || got == want) return;
    fprintf(stderr, "%s:%d: %s: got %.17g, want %.17g, error %.3g, allowed %.3g\n", file, line,
            what, got, want, error, allowed);
    fail();
}

// |got - want| <= relative |want| + absolute
#define NEAR(got, want, relative, absolute) \
    near_check((got), (want), (relative), (absolute), #got, __FILE__, __LINE__)

static inline void at_most_check(double got, double limit, const char *what, const char *file,
                                 int line)
{
    near_tell(got, limit, what, file, line);
    if (got <= limit) return;
    fprintf(stderr, "%s:%d: %s: got %.17g, want at most %.17g\n", file, line, what, got, limit);
    fail();
}

#define AT_MOST(got, limit) at_most_check((got), (limit), #got, __FILE__, __LINE__)
#define AT_LEAST(got, limit) at_most_check(-(got), -(limit), "-(" #got ")", __FILE__, __LINE__)

static inline void ok_check(pli_status status, const pli_context *context, const char *what,
                            const char *file, int line)
{
    if (status == PLI_OK) return;
    char message[1024] = "";
    if (context != NULL) pli_context_message(context, message, sizeof message);
    fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, what, pli_status_text(status), message);
    fail();
}

// the call succeeded; prints the context's message when it did not
#define OK(context, call) ok_check((call), (context), #call, __FILE__, __LINE__)

// A context with defaults and the given number of threads; the test fails when it can't be made.
static inline pli_context *make_context(int32_t thread_count)
{
    pli_context_def def = pli_context_def_default();
    def.thread_count = thread_count;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

// What a test works in is made for a number of threads before it, and destroyed after it even when
// it fails; the test's state is the pointer to it.
#define FIXTURE(name, make, destroy)                 \
    static inline int name##_set_up(void **state)    \
    {                                                \
        *state = make((int32_t)(intptr_t)*state);    \
        return 0;                                    \
    }                                                \
    static inline int name##_tear_down(void **state) \
    {                                                \
        destroy(*state);                             \
        return 0;                                    \
    }

#define TEST_WITH(name, test, threads)                                              \
    cmocka_unit_test_prestate_setup_teardown(test, name##_set_up, name##_tear_down, \
                                             (void *)(intptr_t)(threads))

FIXTURE(context, make_context, pli_context_destroy)

#define TEST_IN_CONTEXT(test, threads) TEST_WITH(context, test, threads)

#endif
