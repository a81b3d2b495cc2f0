// SPDX-License-Identifier: Apache-2.0
//
// Krylov solvers ask before every iteration whether anybody still wants the result.
#include "near.h"

#include "linear/krylov/krylov.h"

enum { N = 300 };

// A chain of springs: takes more iterations than it is given here.
static void apply(const void *self, const double *x, double *y)
{
    (void)self;
    for (int i = 0; i < N; ++i) {
        y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < N ? x[i + 1] : 0);
    }
}

typedef pli_status (*method)(const pli_context *context, const pli_krylov_def *def,
                             const pli_krylov_system *system, pli_arena *scratch,
                             pli_krylov_report *report);

static bool after_some(void *user)
{
    int *left = user;
    return --*left <= 0;
}

static void solve_that_nobody_wants_any_more_ends_at_once(void **state)
{
    pli_context *context = *state;
    pli_arena *arena = NULL;
    OK(context, pli_arena_create(context, 64, &arena));
    double b[N];
    double x[N];
    for (int i = 0; i < N; ++i) b[i] = i % 7 - 3;
    pli_operator A = {.size = N, .apply = apply};
    pli_krylov_system system = {.A = &A, .b = b, .x = x};
    pli_krylov_def def = pli_krylov_def_default();
    const method methods[] = {pli_pcg, pli_minres};
    for (int k = 0; k < 2; ++k) {
        pli_krylov_report report;
        pli_arena_set_cancel(arena, NULL, NULL);
        OK(context, methods[k](context, &def, &system, arena, &report));
        AT_LEAST(report.iterations, 20);
        for (int asks = 1; asks < 20; asks += 6) {
            int left = asks;
            pli_arena_mark before = pli_arena_begin(arena);
            pli_arena_set_cancel(arena, after_some, &left);
            assert_int_equal(methods[k](context, &def, &system, arena, &report),
                             PLI_ERROR_INTERRUPTED);
            assert_int_equal(left, 0);
            assert_int_equal(pli_arena_begin(arena).used, before.used);
        }
    }
    pli_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(solve_that_nobody_wants_any_more_ends_at_once, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
