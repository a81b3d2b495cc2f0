// SPDX-License-Identifier: Apache-2.0
#include "io/run_folder.h"

#include "base/memory.h"
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/report.h"
#include "io/run_cache.h"
#include "io/run_log.h"
#include "io/run_residuals.h"
#include "io/series.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE ".lock"

// in the order in which they are wiped
static const char *const run_files[] = {PLI_SCENE_FILE,      PLI_SERIES_FILE, PLI_STEPS_FILE,
                                        PLI_ITERATIONS_FILE, PLI_REPORT_FILE, PLI_RUN_FILE};

enum { RUN_FILES = sizeof run_files / sizeof run_files[0] };

char *pli_run_folder_join(const pli_run_folder *folder, const char *name)
{
    return pli_path_join(folder->context, folder->path, name);
}

// ---- clearing away ----------------------------------------------------------------------------

typedef bool (*name_fn)(const char *name);

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name);
    size_t tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

// ".pliant-<process>-<number>.tmp"
static bool is_draft(const char *name)
{
    return strncmp(name, ".pliant-", 8) == 0 && ends_with(name, ".tmp");
}

// "<body>_<five digits or more>.vtu" or ".vtp"
static bool is_frame(const char *name)
{
    if (!ends_with(name, ".vtu") && !ends_with(name, ".vtp")) return is_draft(name);
    const char *digits = strrchr(name, '_');
    return digits != NULL && strspn(digits + 1, "0123456789") >= 5 &&
           strlen(digits + 1) == strspn(digits + 1, "0123456789") + 4;
}

// Removes the files with such names in folder/name.
static void remove_files(const pli_run_folder *folder, const char *name, name_fn wanted)
{
    char *path = pli_run_folder_join(folder, name);
    DIR *listing = path != NULL ? opendir(path) : NULL;
    struct dirent *entry = NULL;
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        if (wanted(entry->d_name)) unlinkat(dirfd(listing), entry->d_name, 0);
    }
    if (listing != NULL) closedir(listing);
    pli_release(folder->context, path);
}

static void remove_drafts(const pli_run_folder *folder)
{
    remove_files(folder, ".", is_draft);
    remove_files(folder, PLI_FRAMES_FOLDER, is_draft);
    remove_files(folder, PLI_CHECKPOINT_FOLDER, is_draft);
    remove_files(folder, PLI_CACHE_FOLDER, is_draft);
    remove_files(folder, PLI_RESIDUALS_FOLDER, is_draft);
    remove_files(folder, PLI_RESIDUALS_FOLDER "/" PLI_FRAMES_FOLDER, is_draft);
}

static bool is_listing(const char *name)
{
    return strcmp(name, PLI_SERIES_FILE) == 0 || strcmp(name, PLI_ITERATES_FILE) == 0;
}

// The frames of iterates, and the folders if nothing else is in them.
static void remove_residuals(const pli_run_folder *folder)
{
    static const char *const names[] = {PLI_RESIDUALS_FOLDER "/" PLI_FRAMES_FOLDER,
                                        PLI_RESIDUALS_FOLDER};
    remove_files(folder, names[0], is_frame);
    remove_files(folder, names[1], is_listing);
    for (int k = 0; k < 2; ++k) {
        char *path = pli_run_folder_join(folder, names[k]);
        if (path != NULL) rmdir(path);
        pli_release(folder->context, path);
    }
}

void pli_run_folder_wipe(pli_run_folder *folder)
{
    // checkpoints first, so that a half wiped folder is not resumed by mistake; the record last, so
    // that it is still known whose folder it is
    char *checkpoints = pli_run_folder_join(folder, PLI_CHECKPOINT_FOLDER);
    if (checkpoints != NULL) pli_checkpoint_discard_after(checkpoints, -1);
    pli_release(folder->context, checkpoints);
    remove_files(folder, PLI_FRAMES_FOLDER, is_frame);
    remove_residuals(folder);
    for (int i = 0; i < RUN_FILES; ++i) {
        char *path = pli_run_folder_join(folder, run_files[i]);
        if (path != NULL) unlink(path);
        pli_release(folder->context, path);
    }
    folder->has_run = false;
}

// ---- taking -----------------------------------------------------------------------------------

// Who holds the lock, as far as the lock file tells.
static long read_owner(int descriptor)
{
    char text[32] = "";
    long owner = 0;
    ssize_t got = pread(descriptor, text, sizeof text - 1, 0);
    if (got > 0) sscanf(text, "%ld", &owner);
    return owner;
}

// Locks for writing. Who only asks whether a folder is taken holds a lock for a moment, so one try
// is not enough to call it in use.
static bool lock_alone(int descriptor)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (int tries = 0; tries < 5; ++tries) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return false;
        nanosleep(&pause, NULL);
    }
    return false;
}

bool pli_run_folder_is_taken(pli_context *context, const char *path)
{
    char *name = pli_path_join(context, path, LOCK_FILE);
    if (name == NULL) return false;
    int descriptor = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    pli_release(context, name);
    if (descriptor < 0) return false;
    // shared, so that two who ask do not take each other for a run
    bool taken = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return taken;
}

static pli_status take_lock(pli_run_folder *folder)
{
    char *path = pli_run_folder_join(folder, LOCK_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    folder->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    int error = errno;
    pli_release(folder->context, path);
    if (folder->lock < 0) {
        char buffer[128];
        return PLI_FAIL(folder->context, PLI_ERROR_IO, "%s: cannot be written to: %s", folder->path,
                        strerror_r(error, buffer, sizeof buffer));
    }
    if (!lock_alone(folder->lock)) {
        return PLI_FAIL(folder->context, PLI_ERROR_IO,
                        "%s: is in use by another run, process %ld; wait for it or choose another "
                        "folder",
                        folder->path, read_owner(folder->lock));
    }
    // the number is for messages only: a lock without it is as good
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(folder->lock, 0) == 0) (void)!pwrite(folder->lock, text, (size_t)length, 0);
    return PLI_OK;
}

static bool has_run(const pli_run_folder *folder)
{
    bool found = false;
    for (int i = 0; i < RUN_FILES && !found; ++i) {
        char *path = pli_run_folder_join(folder, run_files[i]);
        // not knowing counts as yes, so that nothing is overwritten by mistake
        found = path == NULL || pli_path_exists(path);
        pli_release(folder->context, path);
    }
    char *checkpoints = pli_run_folder_join(folder, PLI_CHECKPOINT_FOLDER);
    found = found || checkpoints == NULL || pli_checkpoint_newest_step(checkpoints) != -1;
    pli_release(folder->context, checkpoints);
    return found;
}

pli_status pli_run_folder_init(pli_run_folder *folder, pli_context *context, const char *path)
{
    *folder = (pli_run_folder){.context = context, .lock = -1};
    folder->path = pli_string_copy(context, path);
    folder->made = !pli_path_exists(path);
    pli_status status = folder->path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_folder_create(context, path);
    if (status == PLI_OK) status = take_lock(folder);
    if (status != PLI_OK) {
        pli_run_folder_clear(folder);
        return status;
    }
    remove_drafts(folder);
    folder->has_run = has_run(folder);
    return PLI_OK;
}

void pli_run_folder_clear(pli_run_folder *folder)
{
    if (folder->context == NULL) return;
    if (folder->lock >= 0) close(folder->lock);
    pli_release(folder->context, folder->path);
    *folder = (pli_run_folder){.context = folder->context, .lock = -1};
}

void pli_run_folder_undo(pli_run_folder *folder)
{
    if (folder->context == NULL) return;
    char *lock = folder->made ? pli_run_folder_join(folder, LOCK_FILE) : NULL;
    // rmdir refuses a folder that holds anything else
    if (lock != NULL && !has_run(folder)) {
        unlink(lock);
        rmdir(folder->path);
    }
    pli_release(folder->context, lock);
    pli_run_folder_clear(folder);
}
