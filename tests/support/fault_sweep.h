// SPDX-License-Identifier: Apache-2.0
//
// Lets the first allocation of some work fail, then the second, and so on, until the work goes
// through without a failure:
//
//     for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
//         pli_thing *thing = NULL;
//         sweep.status = pli_thing_create(sweep.context, &thing);
//         pli_thing_destroy(thing);
//     }
//
// Every attempt has a context of its own, with one thread, whose creation does not fail. After each
// the sweep holds that the body told a status, that it is "no memory" exactly when an allocation
// failed, and that no block is left once the context is gone. The last attempt meets no failure and
// succeeds; at least one before it failed. It is a loop, so that the work sees the test's
// variables.
#ifndef PLI_TESTS_FAULT_SWEEP_H
#define PLI_TESTS_FAULT_SWEEP_H

#include "near.h"

#include "support/fault.h"

typedef struct fault_sweep {
    // chosen by the test
    bool absorbs; // work may succeed although an allocation failed: an arena in pieces
    const pli_context_def *base; // of the contexts, but for their allocator; NULL: the default
    bool stays_short;            // what failed once fails to the end of the attempt
    int64_t dense;               // with a stride: so many attempts go one by one
    int64_t stride;              // allocations between attempts; 0: one
    int64_t at_least;            // failing attempts that there have to be; 0: one

    // of this attempt
    pli_context *context; // NULL when the body has destroyed it
    pli_status status;    // told by the body
    pli_fault fault;
    int64_t n;       // the allocation that fails, counted from 1
    int64_t pending; // calls before it, while failures are paused
    int64_t failing; // attempts so far that did not succeed
} fault_sweep;

// The next attempt, or false when the sweep is over.
bool fault_sweep_next(fault_sweep *sweep);

// What lies between these neither fails nor counts: preparations, or a second try.
void fault_sweep_pause(fault_sweep *sweep);
void fault_sweep_resume(fault_sweep *sweep);

// A context over an allocator that counts and fails.
pli_context *fault_context(pli_fault *fault, int32_t thread_count);

#endif
