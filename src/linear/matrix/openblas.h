// SPDX-License-Identifier: Apache-2.0
//
// Keeps OpenBLAS, which does the arithmetic of sparse factors, within the threads it is given.
//
// OpenBLAS must not start threads of its own inside ours; how many it starts is a setting of the
// whole program. It is looked up in the program as it runs: where another BLAS was linked, nothing
// is held. Threads: one of these calls at a time.
#ifndef PLI_LINEAR_MATRIX_OPENBLAS_H
#define PLI_LINEAR_MATRIX_OPENBLAS_H

#include "base/parallel.h"

// Calls body once, on the calling thread, with OpenBLAS and OpenMP held to thread_count threads.
void pli_openblas_call(int32_t thread_count, pli_task_fn body, void *user);

// Calls body once, on the calling thread, with OpenBLAS held to one thread: body may start parallel
// loops whose workers all use it. Errors: memory (address space is limited, and not enough is left
// for the buffers of OpenBLAS); then body is not called.
PLI_CHECKED pli_status pli_openblas_host(pli_context *context, pli_task_fn body, void *user);

#endif
