// SPDX-License-Identifier: Apache-2.0
//
// Fault injection for tests: an allocator that fails at its n-th call and counts what is alive.
#ifndef PLI_BASE_FAULT_H
#define PLI_BASE_FAULT_H

#include "pliant/base.h"

typedef struct pli_fault {
    int64_t fail_at;     // this call fails, counted from 1; 0: none does
    bool persistent;     // every later call fails too
    int64_t calls;       // calls so far
    int64_t live_blocks; // allocated and not released
    int64_t live_bytes;
} pli_fault;

// An allocator over the C library that consults fault. Lifetime: fault must outlive the context.
// Not for several threads that allocate at once.
pli_allocator pli_fault_allocator(pli_fault *fault);

#endif
