// SPDX-License-Identifier: Apache-2.0
#include "io/file/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MODE_FILE = 0666,   // less the process's mask
    MODE_FOLDER = 0777, // less the process's mask
    DRAFT_TRIES = 10000 // hidden names tried before giving up: those of a dead process are there
};

struct pli_draft {
    pli_context *context;
    char *path;         // target
    char *name;         // hidden file, in the same folder
    int place;          // descriptor of their folder; -1: none
    bool borrows_place; // it is somebody else's
    int descriptor;     // of the hidden file; -1 once closed
    bool settled;       // all bytes are on the disk
    bool committed;     // the hidden file is gone
    int64_t byte_count; // appended so far
};

// Records "path: action: reason of the system".
static pli_status fail_system(pli_context *context, const char *path, const char *action, int error)
{
    char buffer[128];
    const char *reason = strerror_r(error, buffer, sizeof buffer);
    return PLI_FAIL(context, PLI_ERROR_IO, "%s: %s: %s", path, action, reason);
}

// ---- reading ----

static const char *kind_text(mode_t mode)
{
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
    return "something else";
}

pli_status pli_file_open(pli_context *context, int folder, const char *name, const char *path,
                         int flags, int *descriptor, int64_t *size)
{
    // without O_NONBLOCK, opening a pipe waits for somebody to write into it
    *descriptor = openat(folder, name, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, MODE_FILE);
    int error = errno;
    if (*descriptor < 0 && error == ELOOP && (flags & O_NOFOLLOW) != 0) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: is a link; a regular file is needed", path);
    }
    if (*descriptor < 0) return fail_system(context, path, "cannot open", error);

    struct stat status;
    pli_status outcome = PLI_OK;
    if (fstat(*descriptor, &status) != 0) {
        outcome = fail_system(context, path, "cannot read", errno);
    } else if (!S_ISREG(status.st_mode)) {
        outcome = PLI_FAIL(context, PLI_ERROR_IO, "%s: is %s; a regular file is needed", path,
                           kind_text(status.st_mode));
    }
    if (outcome != PLI_OK) {
        close(*descriptor);
        *descriptor = -1;
        return outcome;
    }
    if (size != NULL) *size = (int64_t)status.st_size;
    return PLI_OK;
}

// Reads until the end of the file or until capacity bytes are there.
static pli_status read_all(pli_context *context, const char *path, int descriptor, char *bytes,
                           int64_t capacity, int64_t *count)
{
    *count = 0;
    while (*count < capacity) {
        ssize_t got = read(descriptor, bytes + *count, (size_t)(capacity - *count));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail_system(context, path, "cannot read", errno);
        if (got == 0) break;
        *count += got;
    }
    return PLI_OK;
}

// Reads a file that was opened, at most limit bytes, and closes it.
static pli_status read_opened(pli_context *context, const char *path, int descriptor, int64_t size,
                              int64_t limit, char **bytes)
{
    int64_t got = 0;
    char *block = NULL;
    if (limit <= 0) limit = PLI_FILE_SIZE_LIMIT;
    pli_status status = PLI_OK;
    if (size > limit) {
        status = PLI_FAIL(context, PLI_ERROR_IO, "%s: has %lld bytes; at most %lld can be read",
                          path, (long long)size, (long long)limit);
        goto done;
    }

    // one byte more than the file has shows whether it grows; later it is the closing zero
    block = PLI_NEW(context, char, size + 1, "file content");
    status = block != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status != PLI_OK) goto done;
    status = read_all(context, path, descriptor, block, size + 1, &got);
    if (status == PLI_OK && got != size) {
        status = PLI_FAIL(context, PLI_ERROR_IO,
                          "%s: changed its size while it was read, from %lld bytes to %lld%s", path,
                          (long long)size, (long long)got, got > size ? " or more" : "");
    }

done:
    close(descriptor);
    if (status != PLI_OK) {
        pli_release(context, block);
        return status;
    }
    *bytes = block;
    return PLI_OK;
}

pli_status pli_file_read(pli_context *context, const char *path, int64_t limit, char **bytes,
                         int64_t *count)
{
    int descriptor = -1;
    *bytes = NULL;
    *count = 0;
    PLI_TRY(pli_file_open(context, AT_FDCWD, path, path, O_RDONLY, &descriptor, count));
    pli_status status = read_opened(context, path, descriptor, *count, limit, bytes);
    if (status != PLI_OK) *count = 0;
    return status;
}

pli_status pli_file_read_in(pli_context *context, int folder, const char *path, int64_t limit,
                            char **bytes, int64_t *count)
{
    int descriptor = -1;
    const char *name = pli_path_name(path);
    *bytes = NULL;
    *count = 0;
    PLI_TRY(pli_file_open(context, folder, name, path, O_RDONLY | O_NOFOLLOW, &descriptor, count));
    pli_status status = read_opened(context, path, descriptor, *count, limit, bytes);
    if (status != PLI_OK) *count = 0;
    return status;
}

// ---- writing ----

// a number that no other draft of this process has
static int64_t next_number(void)
{
    static _Atomic int64_t last = 0;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed);
}

// Names a hidden file beside the target. Errors: memory.
static pli_status name_hidden(pli_draft *draft)
{
    char name[64];
    snprintf(name, sizeof name, ".pliant-%ld-%lld.tmp", (long)getpid(), (long long)next_number());
    char *folder = pli_path_folder(draft->context, draft->path);
    pli_release(draft->context, draft->name);
    draft->name = folder != NULL ? pli_path_join(draft->context, folder, name) : NULL;
    pli_release(draft->context, folder);
    return draft->name != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// Creates a hidden file under a name that nobody uses.
static pli_status open_hidden(pli_draft *draft)
{
    int error = EEXIST;
    for (int tries = 0; tries < DRAFT_TRIES && error == EEXIST; ++tries) {
        PLI_TRY(name_hidden(draft));
        int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        draft->descriptor = openat(draft->place, pli_path_name(draft->name), flags, MODE_FILE);
        if (draft->descriptor >= 0) return PLI_OK;
        error = errno;
    }
    pli_release(draft->context, draft->name);
    draft->name = NULL;
    return fail_system(draft->context, draft->path, "cannot create a file in this folder", error);
}

static pli_status open_place(pli_draft *draft)
{
    char *folder = pli_path_folder(draft->context, draft->path);
    if (folder == NULL) return PLI_ERROR_MEMORY;
    draft->place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = errno;
    pli_release(draft->context, folder);
    if (draft->place >= 0) return PLI_OK;
    return fail_system(draft->context, draft->path, "cannot create a file in this folder", error);
}

pli_status pli_draft_create_in(pli_context *context, int folder, const char *path,
                               pli_draft **draft)
{
    *draft = NULL;
    pli_draft *made = PLI_NEW(context, pli_draft, 1, "file draft");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->descriptor = -1;
    made->place = folder;
    made->borrows_place = folder >= 0;
    made->path = pli_string_copy(context, path);

    pli_status status = made->path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK && !made->borrows_place) status = open_place(made);
    if (status == PLI_OK) status = open_hidden(made);
    if (status != PLI_OK) {
        pli_draft_destroy(made);
        return status;
    }
    *draft = made;
    return PLI_OK;
}

pli_status pli_draft_create(pli_context *context, const char *path, pli_draft **draft)
{
    return pli_draft_create_in(context, -1, path, draft);
}

void pli_draft_destroy(pli_draft *draft)
{
    if (draft == NULL) return;
    if (draft->descriptor >= 0) close(draft->descriptor);
    if (draft->name != NULL && !draft->committed) {
        unlinkat(draft->place, pli_path_name(draft->name), 0);
    }
    if (!draft->borrows_place && draft->place >= 0) close(draft->place);
    pli_context *context = draft->context;
    PLI_RELEASE(context, draft->name, draft->path, draft);
}

const char *pli_draft_name(const pli_draft *draft)
{
    return draft->name;
}

pli_status pli_draft_append(pli_draft *draft, const void *bytes, int64_t count)
{
    const char *next = bytes;
    int64_t left = count;
    while (left > 0) {
        ssize_t put = write(draft->descriptor, next, (size_t)left);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            char action[96];
            snprintf(action, sizeof action, "cannot write %lld bytes after the first %lld",
                     (long long)left, (long long)draft->byte_count);
            return fail_system(draft->context, draft->path, action, errno);
        }
        next += put;
        left -= put;
        draft->byte_count += put;
    }
    return PLI_OK;
}

int64_t pli_draft_size(const pli_draft *draft)
{
    return draft->byte_count;
}

pli_status pli_draft_settle(pli_draft *draft, bool sync)
{
    if (draft->settled) return PLI_OK;
    if (sync && fsync(draft->descriptor) != 0) {
        return fail_system(draft->context, draft->path, "cannot sync to the disk", errno);
    }
    int closed = close(draft->descriptor);
    draft->descriptor = -1;
    if (closed != 0) return fail_system(draft->context, draft->path, "cannot close", errno);
    draft->settled = true;
    return PLI_OK;
}

pli_status pli_draft_place(pli_draft *draft)
{
    PLI_TRY(pli_draft_settle(draft, true));
    if (renameat(draft->place, pli_path_name(draft->name), draft->place,
                 pli_path_name(draft->path)) != 0) {
        return fail_system(draft->context, draft->path, "cannot put the new file in place", errno);
    }
    draft->committed = true;
    return PLI_OK;
}

pli_status pli_folder_sync_all(pli_context *context, int folder, const char *path)
{
    if (syncfs(folder) == 0) return PLI_OK;
    return fail_system(context, path, "cannot sync to the disk", errno);
}

pli_status pli_folder_sync(pli_context *context, int folder, const char *path)
{
    int error = fsync(folder) == 0 ? 0 : errno;
    // some file systems have nothing to sync about a folder and say so
    if (error == 0 || error == EINVAL || error == ENOTSUP) return PLI_OK;
    return fail_system(context, path, "cannot sync the folder of this file", error);
}

pli_status pli_draft_commit(pli_draft *draft)
{
    PLI_TRY(pli_draft_place(draft));
    return pli_folder_sync(draft->context, draft->place, draft->path);
}

pli_status pli_file_write(pli_context *context, const char *path, const void *bytes, int64_t count)
{
    pli_draft *draft = NULL;
    pli_status status = pli_draft_create(context, path, &draft);
    if (status == PLI_OK) status = pli_draft_append(draft, bytes, count);
    if (status == PLI_OK) status = pli_draft_commit(draft);
    pli_draft_destroy(draft);
    return status;
}

static pli_status make_one_folder(pli_context *context, const char *path)
{
    if (mkdir(path, MODE_FOLDER) == 0) return PLI_OK;
    int error = errno;
    struct stat status;
    if (stat(path, &status) == 0) {
        if (S_ISDIR(status.st_mode)) return PLI_OK;
        error = ENOTDIR;
    }
    return fail_system(context, path, "cannot make the folder", error);
}

pli_status pli_folder_enter(pli_context *context, int folder, const char *name, const char *path,
                            int *descriptor)
{
    *descriptor = -1;
    if (mkdirat(folder, name, MODE_FOLDER) != 0 && errno != EEXIST) {
        return fail_system(context, path, "cannot make the folder", errno);
    }
    *descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*descriptor >= 0) return PLI_OK;
    struct stat status;
    int error = errno;
    bool link = fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
    if (!link) return fail_system(context, path, "cannot open the folder", error);
    return PLI_FAIL(context, PLI_ERROR_IO,
                    "%s: is a link, and links are not followed here; a folder is needed", path);
}

pli_status pli_folder_create(pli_context *context, const char *path)
{
    char *part = pli_string_copy(context, path);
    if (part == NULL) return PLI_ERROR_MEMORY;

    // every prefix that ends before a '/', then the whole path
    pli_status status = PLI_OK;
    for (char *slash = strchr(part, '/'); slash != NULL && status == PLI_OK;
         slash = strchr(slash + 1, '/')) {
        if (slash == part) continue;
        *slash = '\0';
        status = make_one_folder(context, part);
        *slash = '/';
    }
    if (status == PLI_OK) status = make_one_folder(context, part);
    pli_release(context, part);
    return status;
}

// ---- paths ----

bool pli_path_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

char *pli_path_join(pli_context *context, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    if (length == 0 || name[0] == '/') return pli_string_copy(context, name);
    size_t capacity = length + strlen(name) + 2;
    char *joined = PLI_NEW(context, char, (int64_t)capacity, "path");
    if (joined == NULL) return NULL;
    snprintf(joined, capacity, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", name);
    return joined;
}

const char *pli_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

char *pli_path_folder(pli_context *context, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return pli_string_copy(context, ".");
    char *folder = pli_string_copy(context, path);
    if (folder == NULL) return NULL;

    // keep the first '/' of an absolute path, drop the last ones of any other
    size_t length = (size_t)(slash - path);
    while (length > 0 && folder[length - 1] == '/') --length;
    folder[length > 0 ? length : 1] = '\0';
    return folder;
}

const char *pli_path_ending(const char *path)
{
    const char *name = pli_path_name(path);
    const char *dot = strrchr(name, '.');
    return dot != NULL && dot != name ? dot + 1 : name + strlen(name);
}

// Whether a relative path, read part by part, ever stands above where it began.
static bool climbs_out(const char *path)
{
    int64_t depth = 0;
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        bool up = length == 2 && path[0] == '.' && path[1] == '.';
        bool here = length == 0 || (length == 1 && path[0] == '.');
        if (up && --depth < 0) return true;
        if (!up && !here) ++depth;
        path += length;
        if (*path == '/') ++path;
    }
    return false;
}

// Whether the file, all links followed, lies outside the folder. What does not exist does not.
static bool leads_out(const char *folder, const char *file)
{
    char real_folder[PATH_MAX];
    char real_file[PATH_MAX];
    if (realpath(folder[0] != '\0' ? folder : ".", real_folder) == NULL) return false;
    if (realpath(file, real_file) == NULL) return false;
    size_t length = strlen(real_folder);
    if (strcmp(real_folder, "/") == 0) return false;
    return strncmp(real_folder, real_file, length) != 0 ||
           (real_file[length] != '/' && real_file[length] != '\0');
}

pli_status pli_path_resolve(pli_context *context, const char *folder, const char *path,
                            bool allow_outside, char **resolved)
{
    *resolved = NULL;
    if (path[0] == '\0') {
        return PLI_FAIL(context, PLI_ERROR_SCENE, "the path is empty; a file's name is needed");
    }
    if (!allow_outside && (path[0] == '/' || climbs_out(path))) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "%s: lies outside the folder %s; give a relative path below it, or allow "
                        "files outside by --allow-outside (allow_outside in programs)",
                        path, folder);
    }
    char *joined = pli_path_join(context, folder, path);
    if (joined == NULL) return PLI_ERROR_MEMORY;
    if (!allow_outside && leads_out(folder, joined)) {
        pli_status status =
            PLI_FAIL(context, PLI_ERROR_SCENE,
                     "%s: is a link that leads out of the folder %s; copy the file into it, or "
                     "allow files outside by --allow-outside (allow_outside in programs)",
                     path, folder);
        pli_release(context, joined);
        return status;
    }
    *resolved = joined;
    return PLI_OK;
}
