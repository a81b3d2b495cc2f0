// SPDX-License-Identifier: Apache-2.0
#include "base/context.h"

#include "base/parallel.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MESSAGE_CAPACITY = 1024,
    ORIGIN_CAPACITY = 160,
    MAX_THREADS = 256,
    CACHE_LINE = 64,
    LARGE_PAGE = 2 << 20,
    LARGE_BLOCK = 8 << 20
};

struct pli_context {
    pli_context_def def; // as given, with every default filled in

    pthread_mutex_t lock;             // guards texts and listeners
    char message[MESSAGE_CAPACITY];   // text of the last failure
    char origin[ORIGIN_CAPACITY];     // "file.c:123" of the last failure
    pli_log_listener *listeners;      // of warnings
    _Atomic int64_t allocation_count; // calls of the allocator since creation
};

// Zeros in whole pages. On Linux they are given back and come again, zeroed, when they are first
// touched, so that room for later takes no memory yet.
static void clear_pages(void *memory, size_t bytes)
{
#ifdef __linux__
    // a hint: without large pages everything works as well
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    if (madvise(memory, bytes, MADV_DONTNEED) == 0) return;
#endif
    memset(memory, 0, bytes);
}

// Blocks of some size ask for large pages, where the system has them: passes over matrices of many
// megabytes then hardly ever wait for an address to be looked up.
static void *default_allocate(void *user, size_t bytes, const char *what)
{
    (void)user;
    (void)what;
    bool is_large = bytes >= LARGE_BLOCK;
    size_t alignment = is_large ? LARGE_PAGE : CACHE_LINE;
    size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
    void *memory = rounded < bytes ? NULL : aligned_alloc(alignment, rounded);
    if (memory == NULL) return NULL;
    if (is_large) {
        clear_pages(memory, rounded);
    } else {
        memset(memory, 0, bytes);
    }
    return memory;
}

static void default_release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

static int32_t core_count(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (cores < 1) return 1;
    return cores > MAX_THREADS ? MAX_THREADS : (int32_t)cores;
}

pli_context_def pli_context_def_default(void)
{
    pli_context_def def = {0};
    def.log_level = PLI_LOG_INFO;
    return def;
}

pli_status pli_context_create(const pli_context_def *def, pli_context **context)
{
    *context = NULL;
    pli_context_def filled = def != NULL ? *def : pli_context_def_default();
    if (filled.thread_count < 0 || filled.thread_count > MAX_THREADS) return PLI_ERROR_ARGUMENT;
    if (filled.law_count < 0 || (filled.law_count > 0 && filled.laws == NULL)) {
        return PLI_ERROR_ARGUMENT;
    }
    if (filled.shape_count < 0 || (filled.shape_count > 0 && filled.shapes == NULL)) {
        return PLI_ERROR_ARGUMENT;
    }
    if (filled.thread_count == 0) filled.thread_count = core_count();
    if (filled.allocator.allocate == NULL) {
        filled.allocator.allocate = default_allocate;
        filled.allocator.release = default_release;
        filled.allocator.clears = true;
    }

    pli_context *made =
        filled.allocator.allocate(filled.allocator.user, sizeof(pli_context), "context");
    if (made == NULL) return PLI_ERROR_MEMORY;
    memset(made, 0, sizeof *made);
    made->def = filled;
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        filled.allocator.release(filled.allocator.user, made, sizeof *made);
        return PLI_ERROR_MEMORY;
    }
    made->def.thread_count = pli_parallel_probe(filled.thread_count);
    if (made->def.thread_count < filled.thread_count) {
        PLI_LOG(
            made, PLI_LOG_WARNING,
            "the system allows %d of %d threads: limits on memory or processes; results are the "
            "same, later",
            made->def.thread_count, filled.thread_count);
    }
    *context = made;
    return PLI_OK;
}

void pli_context_destroy(pli_context *context)
{
    if (context == NULL) return;
    pthread_mutex_destroy(&context->lock);
    pli_allocator allocator = context->def.allocator;
    allocator.release(allocator.user, context, sizeof *context);
}

static void copy_text(const pli_context *context, const char *from, char *text, size_t capacity)
{
    if (capacity == 0) return;
    // the lock is not part of the observable state
    pthread_mutex_t *lock = (pthread_mutex_t *)&context->lock;
    pthread_mutex_lock(lock);
    snprintf(text, capacity, "%s", from);
    pthread_mutex_unlock(lock);
}

void pli_context_message(const pli_context *context, char *text, size_t capacity)
{
    copy_text(context, context->message, text, capacity);
}

void pli_context_origin(const pli_context *context, char *text, size_t capacity)
{
    copy_text(context, context->origin, text, capacity);
}

int32_t pli_context_thread_count(const pli_context *context)
{
    return context->def.thread_count;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Messages are one line, whatever names and pieces of files they quote: nothing in them moves the
// cursor of a terminal or adds a line to a log.
static void keep_to_one_line(char *message)
{
    for (char *c = message; *c != '\0'; ++c) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    }
}

pli_status pli_context_fail(pli_context *context, pli_status status, const char *file, int line,
                            const char *format, ...)
{
    // format outside the lock: an argument may itself come from the context's message
    char message[MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    keep_to_one_line(message);

    pthread_mutex_lock(&context->lock);
    memcpy(context->message, message, sizeof message);
    snprintf(context->origin, sizeof context->origin, "%s:%d", file_name(file), line);
    pthread_mutex_unlock(&context->lock);
    return status;
}

void pli_context_add_listener(pli_context *context, pli_log_listener *borrowed_listener)
{
    pthread_mutex_lock(&context->lock);
    borrowed_listener->next = context->listeners;
    context->listeners = borrowed_listener;
    pthread_mutex_unlock(&context->lock);
}

void pli_context_remove_listener(pli_context *context, const pli_log_listener *listener)
{
    pthread_mutex_lock(&context->lock);
    pli_log_listener **place = &context->listeners;
    while (*place != NULL && *place != listener) place = &(*place)->next;
    if (*place != NULL) *place = listener->next;
    pthread_mutex_unlock(&context->lock);
}

static void tell_listeners(pli_context *context, pli_log_level level, const char *line)
{
    if (level != PLI_LOG_WARNING) return;
    pthread_mutex_lock(&context->lock);
    for (const pli_log_listener *at = context->listeners; at != NULL; at = at->next) {
        at->hear(at->user, level, line);
    }
    pthread_mutex_unlock(&context->lock);
}

void pli_context_log(pli_context *context, pli_log_level level, const char *format, ...)
{
    bool is_logged = context->def.log != NULL && level <= context->def.log_level;
    if (!is_logged && level != PLI_LOG_WARNING) return;
    char line[MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    keep_to_one_line(line);
    tell_listeners(context, level, line);
    if (is_logged) context->def.log(context->def.log_user, level, line);
}

void pli_context_assert(pli_context *context, const char *condition, const char *file, int line)
{
    if (context->def.assert_hook != NULL) {
        context->def.assert_hook(context->def.assert_user, condition, file_name(file), line);
        return;
    }
    pli_context_log(context, PLI_LOG_ERROR, "%s:%d: assertion failed: %s", file_name(file), line,
                    condition);
}

const pli_allocator *pli_context_allocator(const pli_context *context)
{
    return &context->def.allocator;
}

int64_t pli_context_allocation_count(const pli_context *context)
{
    return atomic_load(&context->allocation_count);
}

void pli_context_count_allocation(pli_context *context)
{
    atomic_fetch_add(&context->allocation_count, 1);
}

int32_t pli_context_law_count(const pli_context *context)
{
    return context->def.law_count;
}

const struct pli_material_ops *pli_context_law(const pli_context *context, int32_t index)
{
    return context->def.laws[index];
}

int32_t pli_context_shape_count(const pli_context *context)
{
    return context->def.shape_count;
}

const struct pli_distance_ops *pli_context_shape(const pli_context *context, int32_t index)
{
    return context->def.shapes[index];
}

const char *pli_status_text(pli_status status)
{
    switch (status) {
    case PLI_OK: return "ok";
    case PLI_ERROR_MEMORY: return "out of memory";
    case PLI_ERROR_ARGUMENT: return "bad argument";
    case PLI_ERROR_SCENE: return "bad scene";
    case PLI_ERROR_MESH: return "bad mesh";
    case PLI_ERROR_IO: return "input or output failed";
    case PLI_ERROR_UNSUPPORTED: return "not supported";
    case PLI_ERROR_NUMERIC: return "numerical breakdown";
    case PLI_ERROR_INTERRUPTED: return "interrupted";
    }
    return "unknown status";
}
