// SPDX-License-Identifier: Apache-2.0
#include "io/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MODE_FILE = 0666,   // less the process's mask
    MODE_FOLDER = 0777, // less the process's mask
    DRAFT_TRIES = 10000 // hidden names tried before giving up
};

struct pli_draft {
    pli_context *context;
    char *path;         // target
    char *folder;       // of both files
    char *name;         // hidden file, in the same folder
    int descriptor;     // of the hidden file; -1 once closed
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

// Opens a regular file without ever waiting for it, and gets its size.
static pli_status open_regular(pli_context *context, const char *path, int *descriptor,
                               int64_t *size)
{
    // without O_NONBLOCK, opening a pipe waits for somebody to write into it
    *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*descriptor < 0) return fail_system(context, path, "cannot open", errno);

    struct stat status;
    if (fstat(*descriptor, &status) != 0) return fail_system(context, path, "cannot read", errno);
    if (!S_ISREG(status.st_mode)) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: is %s; a regular file is needed", path,
                        kind_text(status.st_mode));
    }
    *size = (int64_t)status.st_size;
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

pli_status pli_file_read(pli_context *context, const char *path, int64_t limit, char **bytes,
                         int64_t *count)
{
    *bytes = NULL;
    *count = 0;
    if (limit <= 0) limit = PLI_FILE_SIZE_LIMIT;
    int descriptor = -1;
    int64_t size = 0;
    int64_t got = 0;
    char *block = NULL;

    pli_status status = open_regular(context, path, &descriptor, &size);
    if (status != PLI_OK) goto done;
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
    if (descriptor >= 0) close(descriptor);
    if (status != PLI_OK) {
        pli_release(context, block);
        return status;
    }
    *bytes = block;
    *count = size;
    return PLI_OK;
}

// ---- writing ----

// Creates a hidden file beside the target under a name that nobody uses.
static pli_status open_hidden(pli_draft *draft)
{
    int error = EEXIST;
    for (int number = 0; number < DRAFT_TRIES && error == EEXIST; ++number) {
        char name[64];
        snprintf(name, sizeof name, ".pliant-%ld-%d.tmp", (long)getpid(), number);
        draft->name = pli_path_join(draft->context, draft->folder, name);
        if (draft->name == NULL) return PLI_ERROR_MEMORY;

        int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        draft->descriptor = open(draft->name, flags, MODE_FILE);
        if (draft->descriptor >= 0) return PLI_OK;
        error = errno;
        pli_release(draft->context, draft->name);
        draft->name = NULL;
    }
    return fail_system(draft->context, draft->path, "cannot create a file in this folder", error);
}

pli_status pli_draft_create(pli_context *context, const char *path, pli_draft **draft)
{
    *draft = NULL;
    pli_draft *made = PLI_NEW(context, pli_draft, 1, "file draft");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->descriptor = -1;
    made->path = pli_string_copy(context, path);
    made->folder = pli_path_folder(context, path);

    pli_status status = PLI_ERROR_MEMORY;
    if (made->path != NULL && made->folder != NULL) status = open_hidden(made);
    if (status != PLI_OK) {
        pli_draft_destroy(made);
        return status;
    }
    *draft = made;
    return PLI_OK;
}

void pli_draft_destroy(pli_draft *draft)
{
    if (draft == NULL) return;
    if (draft->descriptor >= 0) close(draft->descriptor);
    if (draft->name != NULL && !draft->committed) unlink(draft->name);
    pli_context *context = draft->context;
    pli_release(context, draft->name);
    pli_release(context, draft->folder);
    pli_release(context, draft->path);
    pli_release(context, draft);
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

// Makes a rename in the folder survive a loss of power.
static pli_status sync_folder(pli_context *context, const char *folder)
{
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return fail_system(context, folder, "cannot open the folder", errno);
    int error = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    // some file systems have nothing to sync about a folder and say so
    if (error == 0 || error == EINVAL || error == ENOTSUP) return PLI_OK;
    return fail_system(context, folder, "cannot sync the folder", error);
}

pli_status pli_draft_commit(pli_draft *draft)
{
    pli_context *context = draft->context;
    if (fsync(draft->descriptor) != 0) {
        return fail_system(context, draft->path, "cannot sync to the disk", errno);
    }
    int closed = close(draft->descriptor);
    draft->descriptor = -1;
    if (closed != 0) return fail_system(context, draft->path, "cannot close", errno);
    if (rename(draft->name, draft->path) != 0) {
        return fail_system(context, draft->path, "cannot put the new file in place", errno);
    }
    draft->committed = true;
    return sync_folder(context, draft->folder);
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

char *pli_path_stem(pli_context *context, const char *path)
{
    const char *name = pli_path_name(path);
    char *stem = pli_string_copy(context, name);
    if (stem == NULL) return NULL;
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) *dot = '\0';
    return stem;
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
                        "files outside",
                        path, folder);
    }
    char *joined = pli_path_join(context, folder, path);
    if (joined == NULL) return PLI_ERROR_MEMORY;
    if (!allow_outside && leads_out(folder, joined)) {
        pli_status status =
            PLI_FAIL(context, PLI_ERROR_SCENE,
                     "%s: is a link that leads out of the folder %s; copy the file into it, or "
                     "allow files outside",
                     path, folder);
        pli_release(context, joined);
        return status;
    }
    *resolved = joined;
    return PLI_OK;
}
