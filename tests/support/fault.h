// SPDX-License-Identifier: Apache-2.0
//
// Fault injection: an allocator that fails at its n-th call or at a size, and counts what is alive.
#ifndef PLI_TESTS_FAULT_H
#define PLI_TESTS_FAULT_H

#include "pliant/base.h"

typedef struct pli_fault {
    int64_t fail_at;     // this call fails, counted from 1; 0: none does
    bool persistent;     // every later call fails too
    int64_t byte_limit;  // calls that would take more at once fail; 0: none does
    int64_t calls;       // calls so far
    int64_t failures;    // calls that failed by intention
    int64_t live_blocks; // allocated and not released
    int64_t live_bytes;
    int64_t peak_bytes; // most that were alive at once
} pli_fault;

// An allocator over the C library that consults fault. Lifetime: fault must outlive the context.
// Not for several threads that allocate at once.
pli_allocator pli_fault_allocator(pli_fault *fault);

#endif
