// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_folder.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/frames/series.h"
#include "io/report/report.h"
#include "io/run/checkpoint.h"
#include "io/run/run_cache.h"
#include "io/run/run_log.h"
#include "io/run/run_residuals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_FILE ".lock"

enum { NAMES_SHOWN = 5 }; // of what is in the way

// in the order in which they are wiped
static const char *const run_files[] = {PLI_SCENE_FILE,      PLI_SERIES_FILE, PLI_STEPS_FILE,
                                        PLI_ITERATIONS_FILE, PLI_PROBES_FILE, PLI_REPORT_FILE,
                                        PLI_RUN_FILE};

// folders that a run writes into, in the order in which they are wiped: checkpoints first, so that
// a half wiped folder is not resumed by mistake
static const char *const run_folders[] = {PLI_CHECKPOINT_FOLDER, PLI_FRAMES_FOLDER,
                                          PLI_RESIDUALS_FOLDER "/" PLI_FRAMES_FOLDER,
                                          PLI_RESIDUALS_FOLDER, PLI_CACHE_FOLDER};

// what other commands make in the folder of a run unless they are told where to; runs leave it
// alone
static const char *const aside[] = {"pictures", "export", "view.json"};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

char *pli_run_folder_join(const pli_run_folder *folder, const char *name)
{
    return pli_path_join(folder->context, folder->path, name);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

// ---- clearing away ----------------------------------------------------------------------------

// ".pliant-<process>-<number>.tmp"
static bool is_draft(const char *path)
{
    long process = 0;
    long long number = 0;
    char again[64];
    const char *name = pli_path_name(path);
    if (sscanf(name, ".pliant-%ld-%lld.tmp", &process, &number) != 2) return false;
    snprintf(again, sizeof again, ".pliant-%ld-%lld.tmp", process, number);
    return strcmp(name, again) == 0;
}

static void remove_draft(void *user, const char *name, bool is_folder)
{
    const pli_run_folder *folder = user;
    int place = -1;
    if (is_folder || !is_draft(name)) return;
    if (pli_manifest_enter(folder->files, name, false, &place) == PLI_OK) {
        unlinkat(place, pli_path_name(name), 0);
        close(place);
    }
}

// What a killed process left in the middle of writing.
static void remove_drafts(pli_run_folder *folder)
{
    (void)!pli_manifest_visit(folder->files, "", remove_draft, folder);
    for (size_t k = 0; k < COUNT(run_folders); ++k) {
        (void)!pli_manifest_visit(folder->files, run_folders[k], remove_draft, folder);
    }
}

static void remove_own(void *user, const char *name, bool is_folder)
{
    const pli_run_folder *folder = user;
    pli_owner owner = PLI_OWNER_NOBODY;
    if (!is_folder) pli_manifest_remove(folder->files, name, &owner);
}

pli_status pli_run_folder_wipe(pli_run_folder *folder)
{
    for (size_t k = 0; k < COUNT(run_folders); ++k) {
        if (strcmp(run_folders[k], PLI_CACHE_FOLDER) == 0) continue;
        PLI_TRY(pli_manifest_visit(folder->files, run_folders[k], remove_own, folder));
    }
    // the record last, so that it is still known whose folder it is
    for (size_t k = 0; k < COUNT(run_files); ++k) remove_own(folder, run_files[k], false);
    int top = pli_manifest_folder(folder->files);
    unlinkat(top, PLI_RESIDUALS_FOLDER "/" PLI_FRAMES_FOLDER, AT_REMOVEDIR);
    unlinkat(top, PLI_RESIDUALS_FOLDER, AT_REMOVEDIR);
    folder->has_run = false;
    return pli_manifest_restart(folder->files, PLI_CACHE_FOLDER "/");
}

// ---- what older versions left -----------------------------------------------------------------

typedef struct adoption {
    pli_run_folder *folder;
    pli_status status;
} adoption;

// Whether a resolved scene begins with this key, and explains it as only pliant does.
static bool begins_with(const char *head, const char *key, const char *comment)
{
    return strncmp(head, key, strlen(key)) == 0 && strstr(head, comment) != NULL;
}

// scene.yaml, when it is as the run wrote it: with comments, and not touched since.
static pli_status adopt_scene(pli_run_folder *folder)
{
    struct stat scene;
    struct stat record;
    char head[1024];
    int64_t size = 0;
    int top = pli_manifest_folder(folder->files);
    bool known = pli_manifest_peek(folder->files, PLI_SCENE_FILE, head, sizeof head - 1, &size) &&
                 (begins_with(head, "about:", "# What the scene shows.") ||
                  begins_with(head, "seed:", "# Start of every random number."));
    bool untouched = fstatat(top, PLI_SCENE_FILE, &scene, AT_SYMLINK_NOFOLLOW) == 0 &&
                     fstatat(top, PLI_RUN_FILE, &record, AT_SYMLINK_NOFOLLOW) == 0 &&
                     scene.st_mtime <= record.st_mtime;
    return known && untouched ? pli_manifest_add(folder->files, PLI_SCENE_FILE, size) : PLI_OK;
}

static pli_status adopt_report(pli_run_folder *folder)
{
    static const char start[] = "<!doctype html>\n<html lang=\"en\">\n";
    char head[1024];
    int64_t size = 0;
    bool known = pli_manifest_peek(folder->files, PLI_REPORT_FILE, head, sizeof head - 1, &size) &&
                 strncmp(head, start, sizeof start - 1) == 0 &&
                 strstr(head, " pliant</title>") != NULL;
    return known ? pli_manifest_add(folder->files, PLI_REPORT_FILE, size) : PLI_OK;
}

static pli_status adopt_head(pli_run_folder *folder, const char *name, pli_head head)
{
    if (!pli_manifest_begins(folder->files, name, head)) return PLI_OK;
    return pli_manifest_add_head(folder->files, name, head);
}

static pli_status adopt_checkpoints(pli_run_folder *folder)
{
    char *path = pli_run_folder_join(folder, PLI_CHECKPOINT_FOLDER);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_checkpoint_adopt(folder->files, path, PLI_CHECKPOINT_FOLDER "/");
    pli_release(folder->context, path);
    return status;
}

static pli_status adopt_series(pli_run_folder *folder, const char *prefix)
{
    char *path = pli_run_folder_join(folder, prefix);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_series_adopt(folder->context, folder->files, path, prefix);
    pli_release(folder->context, path);
    return status;
}

// What 0.1 prepared for the solver "subspace", which no later version reads.
static void adopt_cached(void *user, const char *name, bool is_folder)
{
    adoption *job = user;
    char head[9];
    int64_t size = 0;
    if (is_folder || job->status != PLI_OK) return;
    if (!pli_manifest_peek(job->folder->files, name, head, 8, &size)) return;
    if (size < 8 || memcmp(head, "uder_ilp", 8) != 0) return;
    job->status = pli_manifest_add(job->folder->files, name, size);
}

static pli_status adopt_cache(pli_run_folder *folder)
{
    adoption job = {.folder = folder};
    PLI_TRY(pli_manifest_visit(folder->files, PLI_CACHE_FOLDER, adopt_cached, &job));
    return job.status;
}

// Finds out what a version without lists of files wrote, if there is its run.json.
static pli_status adopt(pli_run_folder *folder)
{
    if (!pli_manifest_begins(folder->files, PLI_RUN_FILE, PLI_HEAD_RECORD)) return PLI_OK;
    PLI_TRY(adopt_head(folder, PLI_RUN_FILE, PLI_HEAD_RECORD));
    PLI_TRY(adopt_head(folder, PLI_STEPS_FILE, PLI_HEAD_LOG));
    PLI_TRY(adopt_head(folder, PLI_ITERATIONS_FILE, PLI_HEAD_LOG));
    PLI_TRY(adopt_head(folder, PLI_RESIDUALS_FOLDER "/" PLI_ITERATES_FILE, PLI_HEAD_LOG));
    PLI_TRY(adopt_scene(folder));
    PLI_TRY(adopt_report(folder));
    PLI_TRY(adopt_checkpoints(folder));
    PLI_TRY(adopt_cache(folder));
    PLI_TRY(adopt_series(folder, ""));
    return adopt_series(folder, PLI_RESIDUALS_FOLDER "/");
}

// ---- what others left -------------------------------------------------------------------------

// What is in a folder that no run of pliant wrote.
typedef struct search {
    const pli_run_folder *folder;
    bool has_own_scene; // scene.yaml is what the run is made of, and not written
    int32_t count;
    bool in_the_way; // some of it has the name of, or is among, what a run writes
    pli_text names;  // of the first few
    pli_status status;
} search;

static void look_at(void *user, const char *name, bool is_folder)
{
    search *s = user;
    if (s->status != PLI_OK) return;
    bool is_place = is_one_of(name, run_folders, COUNT(run_folders));
    if (is_folder && is_place) {
        s->status = pli_manifest_visit(s->folder->files, name, look_at, s);
        return;
    }
    if (strcmp(name, LOCK_FILE) == 0 || is_one_of(name, aside, COUNT(aside))) return;
    if (!is_folder && is_draft(name)) return;
    if (s->has_own_scene && strcmp(name, PLI_SCENE_FILE) == 0) return;
    if (!is_folder && pli_manifest_owner(s->folder->files, name) == PLI_OWNER_PLIANT) return;
    if (s->count++ < NAMES_SHOWN) {
        pli_text_format(&s->names, "%s%s%s", s->count > 1 ? ", " : "", name,
                        is_folder  ? "/"
                        : is_place ? " (a link or a file instead of a folder)"
                                   : "");
    }
    s->in_the_way = s->in_the_way || is_place || strchr(name, '/') != NULL ||
                    is_one_of(name, run_files, COUNT(run_files));
}

static pli_status find_others(const pli_run_folder *folder, bool has_own_scene, search *s)
{
    *s = (search){.folder = folder, .has_own_scene = has_own_scene};
    pli_text_init(&s->names, folder->context);
    pli_status status = pli_manifest_visit(folder->files, "", look_at, s);
    if (status == PLI_OK) status = s->status;
    if (status == PLI_OK && s->count > NAMES_SHOWN) {
        pli_text_format(&s->names, " and %d more", s->count - NAMES_SHOWN);
    }
    if (status == PLI_OK && s->names.failed) status = PLI_ERROR_MEMORY;
    if (status != PLI_OK) pli_text_clear(&s->names);
    return status;
}

// A new run beside what others left: fine where nothing is in the way, but said.
static pli_status judge_new(const pli_run_folder *folder, const search *s)
{
    if (folder->has_run) {
        return PLI_FAIL(folder->context, PLI_ERROR_IO,
                        "%s: already holds a run; resume it, replace it by force, or choose "
                        "another folder",
                        folder->path);
    }
    if (s->in_the_way) {
        return PLI_FAIL(folder->context, PLI_ERROR_IO,
                        "%s: holds what no run of pliant wrote, where a run would write: %s; move "
                        "it away, or choose another folder",
                        folder->path, s->names.bytes);
    }
    if (s->count > 0) {
        PLI_LOG(folder->context, PLI_LOG_WARNING,
                "%s: holds what no run of pliant wrote, and it stays as it is: %s", folder->path,
                s->names.bytes);
    }
    return PLI_OK;
}

static pli_status judge_force(const pli_run_folder *folder, const search *s)
{
    if (s->count == 0) return PLI_OK;
    return PLI_FAIL(folder->context, PLI_ERROR_IO,
                    "%s: is not replaced, since it holds what no run of pliant wrote there: %s; "
                    "move it away, or choose another folder",
                    folder->path, s->names.bytes);
}

// Goes on writing beside whatever else there is, but not over it. The scene that the run itself was
// read from is not written again.
static pli_status judge_resume(const pli_run_folder *folder, bool has_own_scene)
{
    for (size_t k = 0; k < COUNT(run_files); ++k) {
        if (has_own_scene && strcmp(run_files[k], PLI_SCENE_FILE) == 0) continue;
        PLI_TRY(pli_manifest_check(folder->files, run_files[k]));
    }
    int top = pli_manifest_folder(folder->files);
    for (size_t k = 0; k < COUNT(run_folders); ++k) {
        struct stat found;
        if (fstatat(top, run_folders[k], &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISDIR(found.st_mode)) continue;
        return PLI_FAIL(folder->context, PLI_ERROR_IO,
                        "%s/%s: is %s; a run writes into folders of its own alone", folder->path,
                        run_folders[k], S_ISLNK(found.st_mode) ? "a link" : "no folder");
    }
    return PLI_OK;
}

static pli_status judge_others(const pli_run_folder *folder, bool force, bool has_own_scene)
{
    search s;
    PLI_TRY(find_others(folder, has_own_scene, &s));
    pli_status status = force ? judge_force(folder, &s) : judge_new(folder, &s);
    pli_text_clear(&s.names);
    return status;
}

// ---- taking -----------------------------------------------------------------------------------

// Reads a lock file; false: its content is none of ours. *owner is 0 when it does not say.
static bool read_owner(int descriptor, long *owner)
{
    char text[32] = "";
    *owner = 0;
    ssize_t got = pread(descriptor, text, sizeof text - 1, 0);
    if (got <= 0) return got == 0;
    size_t digits = strspn(text, "0123456789");
    if (digits > 0) sscanf(text, "%ld", owner);
    return digits > 0 && strcmp(text + digits, "\n") == 0;
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

// Opens the lock file as it is, or makes it.
static pli_status open_lock(pli_run_folder *folder)
{
    int top = pli_manifest_folder(folder->files);
    struct stat found;
    char buffer[128];
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    folder->made_lock = fstatat(top, LOCK_FILE, &found, AT_SYMLINK_NOFOLLOW) != 0;
    folder->lock = openat(top, LOCK_FILE, flags, 0666);
    if (folder->lock < 0) {
        return PLI_FAIL(folder->context, PLI_ERROR_IO, "%s: cannot be written to: %s", folder->path,
                        strerror_r(errno, buffer, sizeof buffer));
    }
    if (fstat(folder->lock, &found) == 0 && S_ISREG(found.st_mode)) return PLI_OK;
    return PLI_FAIL(folder->context, PLI_ERROR_IO,
                    "%s/" LOCK_FILE ": is not a lock of pliant; choose another folder",
                    folder->path);
}

// Whether the file that is locked still has the name: who was refused before may have removed it.
static bool is_current(const pli_run_folder *folder)
{
    struct stat locked;
    struct stat named;
    int top = pli_manifest_folder(folder->files);
    return fstat(folder->lock, &locked) == 0 &&
           fstatat(top, LOCK_FILE, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
}

static pli_status take_lock(pli_run_folder *folder)
{
    long owner = 0;
    PLI_TRY(open_lock(folder));
    if (!read_owner(folder->lock, &owner)) {
        return PLI_FAIL(folder->context, PLI_ERROR_IO,
                        "%s/" LOCK_FILE ": is not a lock of pliant; choose another folder",
                        folder->path);
    }
    if (lock_alone(folder->lock) && is_current(folder)) return PLI_OK;
    folder->made_lock = false;
    return PLI_FAIL(folder->context, PLI_ERROR_IO,
                    "%s: is in use by another run, process %ld; wait for it or choose another "
                    "folder",
                    folder->path, owner);
}

// Writes the number of the process, which is for messages only: a lock without it is as good.
static void sign_lock(const pli_run_folder *folder)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(folder->lock, 0) == 0) (void)!pwrite(folder->lock, text, (size_t)length, 0);
}

// Errors: memory.
static pli_status find_run(pli_run_folder *folder)
{
    folder->has_run = false;
    for (size_t k = 0; k < COUNT(run_files) && !folder->has_run; ++k) {
        folder->has_run = pli_manifest_owner(folder->files, run_files[k]) == PLI_OWNER_PLIANT;
    }
    char *checkpoints = pli_run_folder_join(folder, PLI_CHECKPOINT_FOLDER);
    if (checkpoints == NULL) return PLI_ERROR_MEMORY;
    // not knowing counts as yes, so that nothing is overwritten by mistake
    folder->has_run = folder->has_run || pli_checkpoint_newest_step(checkpoints) != -1;
    pli_release(folder->context, checkpoints);
    return PLI_OK;
}

pli_status pli_run_folder_init(pli_run_folder *folder, pli_context *context, const char *path)
{
    *folder = (pli_run_folder){.context = context, .lock = -1};
    folder->path = pli_string_copy(context, path);
    folder->made = !pli_path_exists(path);
    pli_status status = folder->path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_folder_create(context, path);
    if (status == PLI_OK) status = pli_manifest_open(context, path, &folder->files);
    if (status == PLI_OK) status = take_lock(folder);
    // before the lock, another run may have added to it
    if (status == PLI_OK) status = pli_manifest_reload(folder->files);
    if (status == PLI_OK && pli_manifest_is_missing(folder->files)) status = adopt(folder);
    if (status == PLI_OK) status = find_run(folder);
    if (status != PLI_OK) pli_run_folder_undo(folder);
    return status;
}

pli_status pli_run_folder_accept(pli_run_folder *folder, pli_run_mode mode, bool has_own_scene)
{
    bool goes_on = mode == PLI_RUN_RESUME && folder->has_run;
    PLI_TRY(goes_on ? judge_resume(folder, has_own_scene)
                    : judge_others(folder, mode == PLI_RUN_FORCE, has_own_scene));
    sign_lock(folder);
    if (!pli_manifest_is_missing(folder->files) || folder->has_run) remove_drafts(folder);
    return pli_manifest_sync(folder->files);
}

void pli_run_folder_clear(pli_run_folder *folder)
{
    if (folder->context == NULL) return;
    if (folder->lock >= 0) close(folder->lock);
    pli_manifest_close(folder->files);
    pli_release(folder->context, folder->path);
    *folder = (pli_run_folder){.context = folder->context, .lock = -1};
}

static void note_any(void *user, const char *name, bool is_folder)
{
    bool *any = user;
    *any = *any || is_folder || strcmp(name, LOCK_FILE) != 0;
}

void pli_run_folder_undo(pli_run_folder *folder)
{
    if (folder->context == NULL) return;
    bool any = false;
    int top = folder->files != NULL ? pli_manifest_folder(folder->files) : -1;
    bool is_empty = top >= 0 && find_run(folder) == PLI_OK && !folder->has_run;
    if (is_empty && folder->made_lock) unlinkat(top, LOCK_FILE, 0);
    if (top >= 0 && folder->made &&
        pli_manifest_visit(folder->files, "", note_any, &any) == PLI_OK && !any) {
        unlinkat(top, PLI_MANIFEST_FILE, 0);
    }
    // a folder that holds anything else refuses
    if (folder->made && folder->path != NULL) rmdir(folder->path);
    pli_run_folder_clear(folder);
}
