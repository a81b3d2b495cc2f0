// SPDX-License-Identifier: Apache-2.0
//
// Inside of the context: failures, log lines and assertions. See pliant/base.h for the rules.
#ifndef PLI_BASE_CONTEXT_H
#define PLI_BASE_CONTEXT_H

#include "pliant/base.h"

// Records a failure with its origin and returns its status, so that a function can end with
// `return PLI_FAIL(context, PLI_ERROR_MESH, "...", ...)`.
#define PLI_FAIL(context, status, ...) \
    pli_context_fail((context), (status), __FILE__, __LINE__, __VA_ARGS__)

#define PLI_LOG(context, level, ...) pli_context_log((context), (level), __VA_ARGS__)

// Hands a failure on; only where nothing is held.
#define PLI_TRY(call)                                  \
    do {                                               \
        pli_status try_status_ = (call);               \
        if (try_status_ != PLI_OK) return try_status_; \
    } while (0)

// Assertions for our own bugs. Level 0: none, 1: cheap ones, 2: also the O(n) audits.
#ifndef PLI_ASSERT_LEVEL
#define PLI_ASSERT_LEVEL 1
#endif

#if PLI_ASSERT_LEVEL >= 1
#define PLI_ASSERT(context, condition) \
    ((condition) ? (void)0 : pli_context_assert((context), #condition, __FILE__, __LINE__))
#else
#define PLI_ASSERT(context, condition) ((void)sizeof(condition))
#endif

#if PLI_ASSERT_LEVEL >= 2
#define PLI_AUDIT(context, condition) PLI_ASSERT(context, condition)
#else
#define PLI_AUDIT(context, condition) ((void)sizeof(condition))
#endif

pli_status pli_context_fail(pli_context *context, pli_status status, const char *file, int line,
                            const char *format, ...) PLI_PRINTF(5, 6);
void pli_context_log(pli_context *context, pli_log_level level, const char *format, ...)
    PLI_PRINTF(3, 4);

// Hears every warning while it is added, whatever the context's own log is set to. Listeners must
// not log themselves.
typedef struct pli_log_listener {
    pli_log_fn hear;
    void *user;
    struct pli_log_listener *next; // set by pli_context_add_listener
} pli_log_listener;

void pli_context_add_listener(pli_context *context, pli_log_listener *borrowed_listener);
// Does nothing with one that was not added.
void pli_context_remove_listener(pli_context *context, const pli_log_listener *listener);

void pli_context_assert(pli_context *context, const char *condition, const char *file, int line);

const pli_allocator *pli_context_allocator(const pli_context *context);

// Counts every call of the allocator; tests use it to show that a warm step makes none.
int64_t pli_context_allocation_count(const pli_context *context);
void pli_context_count_allocation(pli_context *context);

// The context's own material laws, besides the built-in ones.
int32_t pli_context_law_count(const pli_context *context);
const struct pli_material_ops *pli_context_law(const pli_context *context, int32_t index);

// The context's own shapes.
int32_t pli_context_shape_count(const pli_context *context);
const struct pli_distance_ops *pli_context_shape(const pli_context *context, int32_t index);

#endif
