// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/openblas.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>

// The number of threads that OpenBLAS is to get back.
typedef struct blas_guard {
    void (*set_threads)(int count); // NULL: there is no OpenBLAS
    int before;
} blas_guard;

static blas_guard hold(int32_t thread_count)
{
    blas_guard guard = {NULL, 1};
    int (*get_threads)(void) = NULL;
    // ISO C has no conversion from object to function pointers; POSIX asks for this form
    *(void **)&guard.set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    *(void **)&get_threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    if (guard.set_threads == NULL || get_threads == NULL) return (blas_guard){NULL, 1};
    // the number it gives is not always the one it would use, so it is told in any case
    guard.before = get_threads();
    guard.set_threads(thread_count);
    return guard;
}

static void let_go(blas_guard guard)
{
    if (guard.set_threads != NULL) guard.set_threads(guard.before);
}

typedef struct held_call {
    int32_t thread_count;
    pli_task_fn body;
    void *user;
} held_call;

static void call_held(void *user)
{
    const held_call *call = user;
    blas_guard guard = hold(call->thread_count);
    call->body(call->user);
    let_go(guard);
}

void pli_openblas_call(int32_t thread_count, pli_task_fn body, void *user)
{
    held_call call = {thread_count, body, user};
    pli_parallel_host(thread_count, call_held, &call);
}

// OpenBLAS maps a buffer for every thread that uses it, and tries again for ever where it does not
// get one. So where address space is limited, it is asked for before, and a few more for what
// factors and stacks of threads take in the meantime.
static const int64_t blas_buffer = 128 << 20; // bytes
enum { SPARE_BUFFERS = 3 };

static pli_status find_room(pli_context *context)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return PLI_OK;
    int64_t bytes = blas_buffer * (pli_context_thread_count(context) + SPARE_BUFFERS);
    void *room = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        return PLI_FAIL(context, PLI_ERROR_MEMORY,
                        "out of memory in sparse Cholesky by several threads, needed %lld bytes of "
                        "address space",
                        (long long)bytes);
    }
    munmap(room, (size_t)bytes);
    return PLI_OK;
}

pli_status pli_openblas_host(pli_context *context, pli_task_fn body, void *user)
{
    PLI_TRY(find_room(context));
    blas_guard guard = hold(1);
    body(user);
    let_go(guard);
    return PLI_OK;
}
