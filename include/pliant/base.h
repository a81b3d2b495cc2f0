// SPDX-License-Identifier: Apache-2.0
//
// Ground that everything stands on: the context, statuses, memory and logging.
//
// A context carries what a program decides once: where memory comes from, who hears log lines, how
// many threads may work, and which material laws and shapes exist besides the built-in ones. Every
// object is created from a context and must be destroyed before it.
//
// Three channels, never mixed:
//   pli_status   what a correct program can meet (bad file, bad value, no memory); the text and its
//                origin are kept in the context until the next failure;
//   assertions   our own bugs; they call the context's hook and never stop the process;
//   reports      numerics (see sim.h): not converging is not an error, and never silent.
//
// Threads: calls on different objects are independent, calls on one object are serial. One context
// may be shared by threads.
#ifndef PLIANT_BASE_H
#define PLIANT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PLI_API __attribute__((visibility("default")))
#define PLI_CHECKED __attribute__((warn_unused_result))
#define PLI_PRINTF(position, first) __attribute__((format(printf, position, first)))
#else
#define PLI_API
#define PLI_CHECKED
#define PLI_PRINTF(position, first)
#endif

#define PLI_VERSION_MAJOR 0
#define PLI_VERSION_MINOR 2
#define PLI_VERSION_PATCH 0
#define PLI_VERSION_NUMBER (10000 * PLI_VERSION_MAJOR + 100 * PLI_VERSION_MINOR + PLI_VERSION_PATCH)

typedef enum pli_status {
    PLI_OK = 0,
    PLI_ERROR_MEMORY,      // the allocator returned nothing
    PLI_ERROR_ARGUMENT,    // a parameter of the call is outside its range
    PLI_ERROR_SCENE,       // the scene is wrong: unknown key, value out of range, missing part
    PLI_ERROR_MESH,        // a mesh is wrong: broken file, zero volume, index past the end
    PLI_ERROR_IO,          // a file could not be read or written
    PLI_ERROR_UNSUPPORTED, // a combination or format that this build does not offer
    PLI_ERROR_NUMERIC,     // a factorisation or a set-up computation broke down
    PLI_ERROR_INTERRUPTED  // the caller's cancel hook asked to stop
} pli_status;

typedef enum pli_log_level {
    PLI_LOG_ERROR,
    PLI_LOG_WARNING,
    PLI_LOG_INFO,
    PLI_LOG_DEBUG,
    PLI_LOG_TRACE
} pli_log_level;

typedef struct pli_allocator {
    // returns 64-byte aligned memory or NULL
    void *(*allocate)(void *user, size_t bytes, const char *what);
    // gets back the size that was asked for
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
    bool clears; // memory comes zeroed; otherwise the library clears it
} pli_allocator;

typedef void (*pli_log_fn)(void *user, pli_log_level level, const char *text);
typedef void (*pli_assert_fn)(void *user, const char *condition, const char *file, int line);

struct pli_material_ops; // extend.h
struct pli_distance_ops; // extend.h

typedef struct pli_context_def {
    pli_allocator allocator; // all zero: the C library's
    pli_log_fn log;          // NULL: silent
    pli_log_level log_level; // lines above this level are not made
    void *log_user;
    pli_assert_fn assert_hook; // NULL: failed assertions are logged as errors
    void *assert_user;
    int32_t thread_count; // workers of parallel loops; 0: as many as there are cores
    const struct pli_material_ops *const *laws; // borrowed: laws besides the built-in ones
    int32_t law_count;
    const struct pli_distance_ops *const *shapes; // borrowed: shapes that scenes name by "own"
    int32_t shape_count;
} pli_context_def;

typedef struct pli_context pli_context;

PLI_API pli_context_def pli_context_def_default(void);

// Creates a context. Errors: memory, argument. On failure *context is NULL.
PLI_API PLI_CHECKED pli_status pli_context_create(const pli_context_def *def,
                                                  pli_context **context);
PLI_API void pli_context_destroy(pli_context *context);

// Copies the text of the last failure ("" when there was none) into text, cut to capacity.
PLI_API void pli_context_message(const pli_context *context, char *text, size_t capacity);

// Copies where in the library the last failure arose ("file.c:123"), for bug reports.
PLI_API void pli_context_origin(const pli_context *context, char *text, size_t capacity);

PLI_API int32_t pli_context_thread_count(const pli_context *context);

// Short name of a status, such as "out of memory".
PLI_API const char *pli_status_text(pli_status status);

// The library's version, "0.2.0". A program may compare it with the macros above, which are those
// of the headers that it was compiled with.
PLI_API const char *pli_version(void);

// What library this is. Lifetime: static.
typedef struct pli_build_info {
    int32_t version_number; // 10000 major + 100 minor + patch
    const char *text;       // one line on compiler, instruction set and optional parts
    const char *commit;     // that it was built from, "" when that is not known
} pli_build_info;

PLI_API const pli_build_info *pli_build_get(void);

#ifdef __cplusplus
}
#endif

#endif
