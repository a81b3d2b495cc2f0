// SPDX-License-Identifier: Apache-2.0
#include "linear/direct/arpack.h"

#ifdef PLI_HAS_ARPACK

#include "base/memory.h"
#include "linear/matrix/openblas.h"

#include <arpack.h>
#include <pthread.h>
#include <string.h>

// what the variables of ARPACK belong to at the moment
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

// the three things that ARPACK may ask for, and the end
enum { WANTS_START = -1, WANTS_PRODUCT = 1, WANTS_MASS = 2, IS_DONE = 99 };

typedef struct arpack_call {
    const pli_arpack_problem *problem;
    double *start; // [size]
    double *basis; // [window][size]
    double *work;  // [3][size] what is asked for, and the answers
    double *small; // [small_count]
    a_int small_count;
    a_int *chosen;  // [window]
    double *values; // [window]
    a_int ask;
    a_int parameters[11];
    a_int places[11]; // of question and answer in work, counted from 1
    a_int info;
} arpack_call;

static void go_on(void *user)
{
    arpack_call *c = user;
    const pli_arpack_problem *p = c->problem;
    dsaupd_c(&c->ask, "G", (a_int)p->size, "LM", p->count, 0, c->start, p->window, c->basis,
             (a_int)p->size, c->parameters, c->places, c->work, c->small, c->small_count, &c->info);
}

static void extract(void *user)
{
    arpack_call *c = user;
    const pli_arpack_problem *p = c->problem;
    dseupd_c(1, "A", c->chosen, c->values, c->basis, (a_int)p->size, 0, "G", (a_int)p->size, "LM",
             p->count, 0, c->start, p->window, c->basis, (a_int)p->size, c->parameters, c->places,
             c->work, c->small, c->small_count, &c->info);
}

// Answers until ARPACK asks no more.
static pli_status iterate(arpack_call *c)
{
    const pli_arpack_problem *p = c->problem;
    for (;;) {
        pli_openblas_call(1, go_on, c);
        const double *x = c->work + c->places[0] - 1;
        double *y = c->work + c->places[1] - 1;
        if (c->ask == WANTS_START || c->ask == WANTS_PRODUCT) {
            PLI_TRY(p->apply(p->user, x, y));
        } else if (c->ask == WANTS_MASS) {
            p->apply_mass(p->user, x, y);
        } else {
            return PLI_OK;
        }
    }
}

static pli_status run(pli_context *context, arpack_call *c)
{
    // start is given, shifts are ARPACK's own, and A is symmetric in the product of B (its mode 3)
    c->info = 1;
    c->parameters[0] = 1;
    c->parameters[2] = c->problem->max_iterations;
    c->parameters[3] = 1;
    c->parameters[6] = 3;
    PLI_TRY(iterate(c));
    // 1: not all have converged in time, which whoever asks sees to
    if (c->info == 0 || c->info == 1) pli_openblas_call(1, extract, c);
    bool is_good = c->info == 0 || c->info == 1 || c->info == -14;
    if (is_good) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_NUMERIC, "ARPACK gave up (info %d)", (int)c->info);
}

pli_status pli_arpack_largest(pli_context *context, const pli_arpack_problem *problem,
                              double *start, double *basis)
{
    int64_t window = problem->window;
    if (problem->size > INT32_MAX / window) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "%lld unknowns and %lld vectors are more than ARPACK counts",
                        (long long)problem->size, (long long)window);
    }
    arpack_call call = {.problem = problem, .start = start, .basis = basis};
    call.small_count = (a_int)(window * (window + 8));
    pli_status status = PLI_ERROR_MEMORY;
    call.work = PLI_NEW(context, double, 3 * problem->size, "Lanczos vectors");
    call.small = PLI_NEW(context, double, call.small_count, "Lanczos vectors");
    call.chosen = PLI_NEW(context, a_int, window, "Lanczos vectors");
    call.values = PLI_NEW(context, double, window, "Lanczos vectors");
    bool complete =
        call.work != NULL && call.small != NULL && call.chosen != NULL && call.values != NULL;
    if (complete) {
        pthread_mutex_lock(&door);
        status = run(context, &call);
        pthread_mutex_unlock(&door);
    }
    PLI_RELEASE(context, call.values, call.chosen, call.small, call.work);
    return status;
}

bool pli_arpack_is_available(void)
{
    return true;
}

#else

pli_status pli_arpack_largest(pli_context *context, const pli_arpack_problem *problem,
                              double *start, double *basis)
{
    (void)problem;
    (void)start;
    (void)basis;
    return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                    "this build has no ARPACK (it was not found or switched off); install "
                    "libarpack2-dev and build again");
}

bool pli_arpack_is_available(void)
{
    return false;
}

#endif
