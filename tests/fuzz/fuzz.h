// SPDX-License-Identifier: Apache-2.0
//
// What every fuzzing target shares. A target is one function over bytes; libFuzzer drives it with
// what it makes up, replay.c with the files of a corpus. A promise that is broken aborts, which
// both report with the input.
//
// The context of a target meters its memory: what was taken is given back, and the most that was
// alive at once can be compared with the size of the input.
#ifndef PLI_TESTS_FUZZ_H
#define PLI_TESTS_FUZZ_H

#include "base/context.h"
#include "support/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(holds) fuzz_check((holds), #holds, __FILE__, __LINE__)

static inline void fuzz_check(bool holds, const char *what, const char *file, int line)
{
    if (holds) return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

// ---- a context that meters its memory

typedef struct fuzz_world {
    pli_context *context;
    pli_fault fault;
} fuzz_world;

static inline void fuzz_stop_at_assertion(void *user, const char *condition, const char *file,
                                          int line)
{
    (void)user;
    fuzz_check(false, condition, file, line);
}

static inline void fuzz_world_init(fuzz_world *world)
{
    *world = (fuzz_world){0};
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.assert_hook = fuzz_stop_at_assertion;
    def.allocator = pli_fault_allocator(&world->fault);
    CHECK(pli_context_create(&def, &world->context) == PLI_OK);
}

static inline void fuzz_world_clear(fuzz_world *world)
{
    pli_context_destroy(world->context);
    CHECK(world->fault.live_blocks == 0);
}

// ---- messages

// A refusal is one line of text, no longer than a terminal can show.
static inline void fuzz_check_message(const fuzz_world *world, const char *begin)
{
    char message[2048];
    pli_context_message(world->context, message, sizeof message);
    CHECK(strncmp(message, begin, strlen(begin)) == 0);
    CHECK(strchr(message, '\n') == NULL && strlen(message) < 2000);
}

// ---- bytes as a file

// Makes the content of one file in memory that every input is put into, and returns its path.
static inline const char *fuzz_file(const void *bytes, size_t size)
{
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("input", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    CHECK(descriptor >= 0 && ftruncate(descriptor, 0) == 0);
    CHECK(pwrite(descriptor, bytes, size, 0) == (ssize_t)size);
    return path;
}

// A folder of the process for readers that want names; what is put into it is removed again by the
// target, and the folder by rmdir.
static inline const char *fuzz_folder(void)
{
    static char folder[64];
    const char *root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/pliant-fuzz-%ld", root, (long)getpid());
    (void)mkdir(folder, 0700);
    return folder;
}

#endif
