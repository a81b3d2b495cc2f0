// SPDX-License-Identifier: Apache-2.0
#include "io/run/manifest.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/file/key_map.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LIST_LIMIT = 1 << 30, // largest list that is read (bytes)
    NAME_LIMIT = 4096,
    HEAD_LIMIT = 40,  // longest beginning that is compared
    HASH_PIECE = 4096 // hashed by one call
};

static const char first_line[] = "pliant files 1\n";

// what lines call kinds of files, and how they begin
static const struct {
    const char *word;
    const char *bytes;
    bool by_name; // nobody writes such a file but pliant: whatever is in a listed one is damage
} heads[PLI_HEADS] = {
    [PLI_HEAD_LOG] = {"log", "{\"step\":", false},
    [PLI_HEAD_TABLE] = {"table", "step,time [s]", false},
    [PLI_HEAD_RECORD] = {"record", "{\n  \"pliant\": ", false},
    [PLI_HEAD_PVD] = {"pvd", "<?xml version=\"1.0\"?>\n<VTKFile type=", false},
    [PLI_HEAD_CHECKPOINT] = {"checkpoint", "pliant checkpoint\n", true},
    [PLI_HEAD_CACHE] = {"cache", "pliant cache 1\n", true},
};

enum { NO_HEAD = -1 };

// what one line says of a file
typedef struct entry {
    int64_t size;  // -1: any
    uint64_t hash; // looked at if is_hashed
    bool is_hashed;
    int8_t head;    // pli_head or NO_HEAD
    int32_t before; // an earlier line of the same name, -1: none
} entry;

// a name is told apart by two independent hashes
typedef struct name_key {
    uint64_t part[2];
} name_key;

struct pli_manifest {
    pli_context *context;
    char *path; // of the folder
    int folder; // its descriptor
    int list;   // descriptor of the list, -1: not opened for adding yet
    bool is_missing;
    int64_t list_size; // bytes of whole lines
    pli_key_map names;
    int32_t count;
    int32_t capacity;
    entry *entries;  // [count]
    int32_t *newest; // [names.count, room for capacity] last line of each name
    pli_text lines;  // to be added by the next sync
};

static pli_status fail_system(const pli_manifest *m, const char *name, const char *action,
                              int error)
{
    char buffer[128];
    return PLI_FAIL(m->context, PLI_ERROR_IO, "%s/%s: %s: %s", m->path, name, action,
                    strerror_r(error, buffer, sizeof buffer));
}

bool pli_manifest_is_missing(const pli_manifest *m)
{
    return m->is_missing;
}

int pli_manifest_folder(const pli_manifest *m)
{
    return m->folder;
}

// The folder and the name, for messages. NULL when memory ran out. Lifetime: until pli_release.
static char *path_of(const pli_manifest *m, const char *name)
{
    return pli_path_join(m->context, m->path, name);
}

// ---- entries ----------------------------------------------------------------------------------

static name_key key_of(const char *name)
{
    size_t length = strlen(name);
    name_key key;
    key.part[0] = pli_hash_bytes(PLI_HASH_START, name, length);
    key.part[1] = pli_hash_bytes(key.part[0] ^ 0x9E3779B97F4A7C15ULL, name, length);
    return key;
}

// Whether a name leads to a file below the folder: no empty part, "." or "..", and one line long.
static bool is_sound_name(const char *name)
{
    if (name[0] == '\0' || strlen(name) >= NAME_LIMIT || strchr(name, '\n') != NULL) return false;
    for (const char *part = name;; ++part) {
        size_t length = strcspn(part, "/");
        bool dots = (length == 1 && part[0] == '.') || (length == 2 && memcmp(part, "..", 2) == 0);
        if (length == 0 || dots) return false;
        part += length;
        if (*part == '\0') return true;
    }
}

static pli_status reserve(pli_manifest *m)
{
    if (m->count < m->capacity) return PLI_OK;
    int32_t capacity = m->capacity < 64 ? 64 : 2 * m->capacity;
    PLI_TRY(PLI_RESIZE(m->context, m->entries, capacity, "file list"));
    PLI_TRY(PLI_RESIZE(m->context, m->newest, capacity, "file list"));
    m->capacity = capacity;
    return PLI_OK;
}

static bool is_same(const entry *a, const entry *b)
{
    return a->size == b->size && a->is_hashed == b->is_hashed && a->hash == b->hash &&
           a->head == b->head;
}

// Remembers what is said of a name; *is_new: nothing of that kind was known.
static pli_status remember(pli_manifest *m, const char *name, entry what, bool *is_new)
{
    int32_t number = -1;
    bool added = false;
    name_key key = key_of(name);
    *is_new = false;
    PLI_TRY(reserve(m));
    PLI_TRY(pli_key_map_add(&m->names, &key, &number, &added));
    what.before = added ? -1 : m->newest[number];
    for (int32_t i = what.before; i >= 0; i = m->entries[i].before) {
        if (is_same(&m->entries[i], &what)) return PLI_OK;
    }
    m->newest[number] = m->count;
    m->entries[m->count++] = what;
    *is_new = true;
    return PLI_OK;
}

static pli_status add(pli_manifest *m, const char *name, entry what)
{
    bool is_new = false;
    if (!is_sound_name(name)) {
        return PLI_FAIL(m->context, PLI_ERROR_ARGUMENT,
                        "'%.200s' is no name of a file below a folder", name);
    }
    PLI_TRY(remember(m, name, what, &is_new));
    if (!is_new) return PLI_OK;
    if (what.head != NO_HEAD) {
        pli_text_format(&m->lines, "head %s %s\n", heads[what.head].word, name);
    } else if (what.is_hashed) {
        pli_text_format(&m->lines, "file %lld %016llx %s\n", (long long)what.size,
                        (unsigned long long)what.hash, name);
    } else {
        pli_text_format(&m->lines, "size %lld %s\n", (long long)what.size, name);
    }
    return m->lines.failed ? PLI_ERROR_MEMORY : PLI_OK;
}

pli_status pli_manifest_add(pli_manifest *m, const char *name, int64_t size)
{
    return add(m, name, (entry){.size = size, .head = NO_HEAD});
}

static pli_status add_bytes(pli_manifest *m, const char *name, const void *bytes, int64_t count)
{
    // cut like has_hash cuts a file
    uint64_t hash = PLI_HASH_START;
    for (int64_t at = 0; at < count; at += HASH_PIECE) {
        int64_t wanted = count - at < HASH_PIECE ? count - at : HASH_PIECE;
        hash = pli_hash_bytes(hash, (const char *)bytes + at, (size_t)wanted);
    }
    return add(m, name, (entry){.size = count, .hash = hash, .is_hashed = true, .head = NO_HEAD});
}

pli_status pli_manifest_add_head(pli_manifest *m, const char *name, pli_head head)
{
    return add(m, name, (entry){.size = -1, .head = (int8_t)head});
}

// ---- reading the list -------------------------------------------------------------------------

// Takes one line apart; false: it is none of ours. What it is of stands from *name on.
static bool parse_line(const char *line, entry *what, const char **name)
{
    long long size = -1;
    unsigned long long hash = 0;
    int at = 0;
    char word[16];
    *what = (entry){.size = -1, .head = NO_HEAD};
    if (sscanf(line, "file %19lld %16llx %n", &size, &hash, &at) == 2 && at > 0 && size >= 0) {
        what->hash = hash;
        what->is_hashed = true;
    } else if (sscanf(line, "head %15s %n", word, &at) == 1 && at > 0) {
        for (int8_t k = 0; k < PLI_HEADS; ++k) {
            if (strcmp(word, heads[k].word) == 0) what->head = k;
        }
        if (what->head == NO_HEAD) return false;
    } else if (sscanf(line, "size %19lld %n", &size, &at) != 1 || at == 0 || size < 0) {
        return false;
    }
    what->size = size;
    *name = line + at;
    return is_sound_name(*name);
}

// Remembers every whole line. Lines that are not understood list nothing.
static pli_status parse_list(pli_manifest *m, char *bytes, int64_t count)
{
    const int64_t start = (int64_t)sizeof first_line - 1;
    bool ours = count >= start ? memcmp(bytes, first_line, sizeof first_line - 1) == 0
                               : memcmp(bytes, first_line, (size_t)count) == 0;
    if (!ours) {
        return PLI_FAIL(m->context, PLI_ERROR_IO,
                        "%s/" PLI_MANIFEST_FILE ": is not a list of files by pliant; remove it, or "
                        "choose another folder",
                        m->path);
    }
    if (count < start) return PLI_OK;
    m->list_size = start;
    char *end = NULL;
    for (char *line = bytes + start; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        entry what;
        const char *name = NULL;
        bool is_new = false;
        *end = '\0';
        if (parse_line(line, &what, &name)) PLI_TRY(remember(m, name, what, &is_new));
        m->list_size = end + 1 - bytes;
    }
    return PLI_OK;
}

static pli_status read_list(pli_manifest *m)
{
    struct stat found;
    m->is_missing = false;
    if (fstatat(m->folder, PLI_MANIFEST_FILE, &found, AT_SYMLINK_NOFOLLOW) != 0) {
        m->is_missing = errno == ENOENT;
        return m->is_missing ? PLI_OK : fail_system(m, PLI_MANIFEST_FILE, "cannot read", errno);
    }
    char *bytes = NULL;
    int64_t count = 0;
    char *path = path_of(m, PLI_MANIFEST_FILE);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        status = pli_file_read_in(m->context, m->folder, path, LIST_LIMIT, &bytes, &count);
    }
    if (status == PLI_OK) status = parse_list(m, bytes, count);
    PLI_RELEASE(m->context, bytes, path);
    return status;
}

pli_status pli_manifest_open(pli_context *context, const char *folder, pli_manifest **manifest)
{
    *manifest = NULL;
    pli_manifest *m = PLI_NEW(context, pli_manifest, 1, "file list");
    if (m == NULL) return PLI_ERROR_MEMORY;
    m->context = context;
    m->folder = m->list = -1;
    pli_text_init(&m->lines, context);
    pli_key_map_init(&m->names, context, sizeof(name_key));
    m->path = pli_string_copy(context, folder);
    pli_status status = m->path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        m->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (m->folder < 0) status = fail_system(m, "", "cannot open the folder", errno);
    }
    if (status == PLI_OK) status = read_list(m);
    if (status != PLI_OK) {
        pli_manifest_close(m);
        return status;
    }
    *manifest = m;
    return PLI_OK;
}

void pli_manifest_close(pli_manifest *m)
{
    if (m == NULL) return;
    if (m->list >= 0) close(m->list);
    if (m->folder >= 0) close(m->folder);
    pli_context *context = m->context;
    pli_text_clear(&m->lines);
    pli_key_map_clear(&m->names);
    PLI_RELEASE(context, m->newest, m->entries, m->path, m);
}

// ---- adding to the list -----------------------------------------------------------------------

static pli_status open_list(pli_manifest *m)
{
    if (m->list >= 0) return PLI_OK;
    char *path = path_of(m, PLI_MANIFEST_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_file_open(m->context, m->folder, PLI_MANIFEST_FILE, path,
                                      O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, &m->list, NULL);
    // a piece of a line that a full disk or a loss of power left
    if (status == PLI_OK && ftruncate(m->list, m->list_size) != 0) {
        status = fail_system(m, PLI_MANIFEST_FILE, "cannot cut", errno);
    }
    // the list must have its name before what it lists
    if (status == PLI_OK && m->is_missing) status = pli_folder_sync(m->context, m->folder, path);
    pli_release(m->context, path);
    if (status != PLI_OK && m->list >= 0) {
        close(m->list);
        m->list = -1;
    }
    return status;
}

static pli_status append(pli_manifest *m, const char *bytes, int64_t count)
{
    int64_t done = 0;
    while (done < count) {
        ssize_t put = write(m->list, bytes + done, (size_t)(count - done));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            int error = errno;
            // half a line is worse than none
            if (ftruncate(m->list, m->list_size) != 0) error = errno;
            return fail_system(m, PLI_MANIFEST_FILE, "cannot append", error);
        }
        done += put;
    }
    m->list_size += count;
    return PLI_OK;
}

pli_status pli_manifest_sync(pli_manifest *m)
{
    if (m->lines.failed) return PLI_ERROR_MEMORY;
    if (m->lines.length == 0) return PLI_OK;
    PLI_TRY(open_list(m));
    if (m->list_size == 0) PLI_TRY(append(m, first_line, (int64_t)sizeof first_line - 1));
    PLI_TRY(append(m, m->lines.bytes, m->lines.length));
    if (fsync(m->list) != 0) {
        return fail_system(m, PLI_MANIFEST_FILE, "cannot sync to the disk", errno);
    }
    m->is_missing = false;
    pli_text_reset(&m->lines);
    return PLI_OK;
}

static void forget_all(pli_manifest *m)
{
    if (m->list >= 0) close(m->list);
    m->list = -1;
    m->count = 0;
    pli_key_map_clear(&m->names);
}

pli_status pli_manifest_reload(pli_manifest *m)
{
    forget_all(m);
    pli_text_reset(&m->lines);
    m->list_size = 0;
    return read_list(m);
}

// Copies the lines whose names begin so, and forgets what was said of the others.
static pli_status filter_list(pli_manifest *m, char *bytes, const char *keep, pli_text *kept)
{
    pli_text_append(kept, first_line);
    char *end = NULL;
    for (char *line = bytes + sizeof first_line - 1; (end = strchr(line, '\n')) != NULL;
         line = end + 1) {
        entry what;
        const char *name = NULL;
        bool is_new = false;
        *end = '\0';
        if (!parse_line(line, &what, &name) || strncmp(name, keep, strlen(keep)) != 0) continue;
        PLI_TRY(remember(m, name, what, &is_new));
        pli_text_format(kept, "%s\n", line);
    }
    return kept->failed ? PLI_ERROR_MEMORY : PLI_OK;
}

static pli_status replace_list(pli_manifest *m, const char *path, const pli_text *kept)
{
    pli_draft *draft = NULL;
    pli_status status = pli_draft_create_in(m->context, m->folder, path, &draft);
    if (status == PLI_OK) status = pli_draft_append(draft, kept->bytes, kept->length);
    if (status == PLI_OK) status = pli_draft_commit(draft);
    pli_draft_destroy(draft);
    if (status == PLI_OK) m->list_size = kept->length;
    return status;
}

pli_status pli_manifest_restart(pli_manifest *m, const char *keep)
{
    // what an older version left was listed by now, so that there is a list if there was anything
    PLI_TRY(pli_manifest_sync(m));
    if (m->is_missing || m->list_size == 0) return PLI_OK;
    char *bytes = NULL;
    int64_t count = 0;
    pli_text kept;
    pli_text_init(&kept, m->context);
    char *path = path_of(m, PLI_MANIFEST_FILE);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        status = pli_file_read_in(m->context, m->folder, path, LIST_LIMIT, &bytes, &count);
    }
    if (status == PLI_OK) {
        forget_all(m);
        status = filter_list(m, bytes, keep, &kept);
    }
    if (status == PLI_OK) status = replace_list(m, path, &kept);
    pli_text_clear(&kept);
    PLI_RELEASE(m->context, bytes, path);
    return status;
}

// ---- whose a file is --------------------------------------------------------------------------

// Opens the folders that a name leads through, making those that are missing if that is wanted;
// *last is the rest of the name. *descriptor is -1, and errno says why, when a folder is missing or
// is a link.
static pli_status descend(const pli_manifest *m, const char *name, bool make, int *descriptor,
                          const char **last)
{
    *descriptor = fcntl(m->folder, F_DUPFD_CLOEXEC, 0);
    if (*descriptor < 0) return fail_system(m, name, "cannot open", errno);
    *last = name;
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        char part[NAME_LIMIT];
        char shown[NAME_LIMIT + 512];
        snprintf(part, sizeof part, "%.*s", (int)(slash - *last), *last);
        snprintf(shown, sizeof shown, "%.500s/%.*s", m->path, (int)(slash - name), name);
        int below = -1;
        pli_status status = PLI_OK;
        if (make) {
            status = pli_folder_enter(m->context, *descriptor, part, shown, &below);
        } else {
            below = openat(*descriptor, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        int error = errno;
        close(*descriptor);
        errno = error;
        *descriptor = below;
        *last = slash + 1;
        if (below < 0) return status;
    }
    return PLI_OK;
}

// Compares how a file begins; one that is cut short counts.
static bool begins(int descriptor, pli_head head)
{
    char bytes[HEAD_LIMIT];
    size_t wanted = strlen(heads[head].bytes);
    ssize_t got = pread(descriptor, bytes, wanted, 0);
    return got >= 0 && memcmp(bytes, heads[head].bytes, (size_t)got) == 0;
}

static bool has_hash(int descriptor, int64_t size, uint64_t hash)
{
    char piece[HASH_PIECE];
    uint64_t found = PLI_HASH_START;
    for (int64_t at = 0; at < size; at += HASH_PIECE) {
        size_t wanted = size - at < HASH_PIECE ? (size_t)(size - at) : HASH_PIECE;
        if (pread(descriptor, piece, wanted, at) != (ssize_t)wanted) return false;
        found = pli_hash_bytes(found, piece, wanted);
    }
    return found == hash;
}

// Whether an open file is what one of the lines of its name says.
static bool is_listed(const pli_manifest *m, const char *name, int descriptor, int64_t size)
{
    name_key key = key_of(name);
    int32_t number = pli_key_map_find(&m->names, &key);
    for (int32_t i = number >= 0 ? m->newest[number] : -1; i >= 0; i = m->entries[i].before) {
        const entry *line = &m->entries[i];
        if (line->head != NO_HEAD) {
            if (heads[line->head].by_name) return true;
            if (begins(descriptor, (pli_head)line->head)) return true;
        } else if (line->size == size &&
                   (!line->is_hashed || has_hash(descriptor, size, line->hash))) {
            return true;
        }
    }
    return false;
}

// Opens a regular file for reading without following anything, -1: there is none, or it is
// something else. *exists: something has that name. *error: why it cannot be looked at, or 0.
static int open_existing(const pli_manifest *m, const char *name, int64_t *size, bool *exists,
                         int *error)
{
    *error = 0;
    int folder = -1;
    const char *last = name;
    struct stat found;
    *exists = true;
    if (descend(m, name, false, &folder, &last) != PLI_OK) {
        *error = errno;
        return -1;
    }
    if (folder < 0) {
        // a folder on the way that is a link or a file is in the way, one that is missing is not
        *exists = errno != ENOENT;
        if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) *error = errno;
        return -1;
    }
    *exists = fstatat(folder, last, &found, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
    int descriptor = -1;
    if (*exists && S_ISREG(found.st_mode)) {
        descriptor = openat(folder, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (descriptor < 0) *error = errno;
    }
    close(folder);
    if (descriptor < 0) return -1;
    if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) {
        close(descriptor);
        return -1;
    }
    *size = (int64_t)found.st_size;
    return descriptor;
}

// Whose a file is; *error: why it cannot be told, or 0.
static pli_owner find_owner(const pli_manifest *m, const char *name, int *error)
{
    int64_t size = 0;
    bool exists = false;
    int descriptor = open_existing(m, name, &size, &exists, error);
    if (descriptor < 0) return exists ? PLI_OWNER_OTHERS : PLI_OWNER_NOBODY;
    bool ours = is_listed(m, name, descriptor, size);
    close(descriptor);
    return ours ? PLI_OWNER_PLIANT : PLI_OWNER_OTHERS;
}

pli_owner pli_manifest_owner(const pli_manifest *m, const char *name)
{
    int error = 0;
    return find_owner(m, name, &error);
}

bool pli_manifest_begins(const pli_manifest *m, const char *name, pli_head head)
{
    int64_t size = 0;
    bool exists = false;
    int error = 0;
    int descriptor = open_existing(m, name, &size, &exists, &error);
    if (descriptor < 0) return false;
    bool same = begins(descriptor, head);
    close(descriptor);
    return same;
}

bool pli_manifest_peek(const pli_manifest *m, const char *name, char *bytes, size_t room,
                       int64_t *size)
{
    bool exists = false;
    int error = 0;
    int descriptor = open_existing(m, name, size, &exists, &error);
    if (descriptor < 0) return false;
    ssize_t got = pread(descriptor, bytes, room, 0);
    bytes[got > 0 ? got : 0] = '\0';
    close(descriptor);
    return got >= 0;
}

pli_status pli_manifest_check(const pli_manifest *m, const char *name)
{
    int error = 0;
    if (find_owner(m, name, &error) != PLI_OWNER_OTHERS) return PLI_OK;
    if (error != 0) return fail_system(m, name, "cannot be looked at", error);
    return PLI_FAIL(m->context, PLI_ERROR_IO,
                    "%s/%s: is there, and not as pliant wrote it there, so that it is not "
                    "replaced; move it away, or choose another folder",
                    m->path, name);
}

void pli_manifest_remove(const pli_manifest *m, const char *name, pli_owner *owner)
{
    int folder = -1;
    const char *last = name;
    *owner = pli_manifest_owner(m, name);
    if (*owner != PLI_OWNER_PLIANT || descend(m, name, false, &folder, &last) != PLI_OK) return;
    if (folder < 0) return;
    unlinkat(folder, last, 0);
    close(folder);
}

// ---- writing ----------------------------------------------------------------------------------

pli_status pli_manifest_enter(const pli_manifest *m, const char *name, bool make, int *descriptor)
{
    const char *last = NULL;
    PLI_TRY(descend(m, name, make, descriptor, &last));
    return *descriptor >= 0 ? PLI_OK : fail_system(m, name, "cannot open its folder", errno);
}

// Puts a file in place; whoever calls has listed it.
static pli_status put(pli_manifest *m, const char *name, const pli_piece pieces[2])
{
    int folder = -1;
    pli_draft *draft = NULL;
    char *path = path_of(m, name);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_manifest_enter(m, name, true, &folder);
    if (status == PLI_OK) status = pli_draft_create_in(m->context, folder, path, &draft);
    for (int k = 0; k < 2 && status == PLI_OK; ++k) {
        status = pli_draft_append(draft, pieces[k].bytes, pieces[k].count);
    }
    if (status == PLI_OK) status = pli_draft_settle(draft, true);
    if (status == PLI_OK) status = pli_manifest_sync(m);
    if (status == PLI_OK) status = pli_draft_commit(draft);
    pli_draft_destroy(draft);
    if (folder >= 0) close(folder);
    pli_release(m->context, path);
    return status;
}

pli_status pli_manifest_write(pli_manifest *m, const char *name, const void *bytes, int64_t count)
{
    PLI_TRY(pli_manifest_check(m, name));
    PLI_TRY(add_bytes(m, name, bytes, count));
    return put(m, name, (pli_piece[2]){{bytes, count}, {"", 0}});
}

pli_status pli_manifest_write_pieces(pli_manifest *m, const char *name, pli_head head,
                                     const pli_piece pieces[2])
{
    PLI_TRY(pli_manifest_check(m, name));
    PLI_TRY(pli_manifest_add_head(m, name, head));
    return put(m, name, pieces);
}

pli_status pli_manifest_write_head(pli_manifest *m, const char *name, pli_head head,
                                   const void *bytes, int64_t count)
{
    return pli_manifest_write_pieces(m, name, head, (pli_piece[2]){{bytes, count}, {"", 0}});
}

pli_status pli_manifest_append_to(pli_manifest *m, const char *name, pli_head head, int *descriptor)
{
    *descriptor = -1;
    PLI_TRY(pli_manifest_check(m, name));
    PLI_TRY(pli_manifest_add_head(m, name, head));
    PLI_TRY(pli_manifest_sync(m));
    int folder = -1;
    char *path = path_of(m, name);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_manifest_enter(m, name, true, &folder);
    if (status == PLI_OK) {
        status = pli_file_open(m->context, folder, pli_path_name(name), path,
                               O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, descriptor, NULL);
    }
    if (folder >= 0) close(folder);
    pli_release(m->context, path);
    return status;
}

// ---- looking around ---------------------------------------------------------------------------

// Opens the folder `name` for listing; NULL: it is not there or is none.
static DIR *open_listing(const pli_manifest *m, const char *name)
{
    char inside[NAME_LIMIT];
    const char *last = NULL;
    int folder = -1;
    // a name in the folder leads through it
    snprintf(inside, sizeof inside, "%s%s.", name, name[0] != '\0' ? "/" : "");
    if (descend(m, inside, false, &folder, &last) != PLI_OK || folder < 0) return NULL;
    // listing moves a position, which duplicates of a descriptor share
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(folder);
    DIR *listing = own >= 0 ? fdopendir(own) : NULL;
    if (listing == NULL && own >= 0) close(own);
    return listing;
}

static bool is_folder(DIR *listing, const char *name)
{
    struct stat found;
    return fstatat(dirfd(listing), name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(found.st_mode);
}

pli_status pli_manifest_visit(const pli_manifest *m, const char *name, pli_manifest_visit_fn visit,
                              void *user)
{
    errno = 0;
    DIR *listing = open_listing(m, name);
    if (listing == NULL) {
        bool nothing = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
        return nothing ? PLI_OK : fail_system(m, name, "cannot be listed", errno);
    }
    errno = 0; // the end of a listing leaves it alone, a failure does not
    for (struct dirent *found = readdir(listing); found != NULL; found = readdir(listing)) {
        char full[NAME_LIMIT];
        const char *last = found->d_name;
        bool skip = strcmp(last, ".") == 0 || strcmp(last, "..") == 0 ||
                    (name[0] == '\0' && strcmp(last, PLI_MANIFEST_FILE) == 0);
        if (skip) continue;
        snprintf(full, sizeof full, "%s%s%s", name, name[0] != '\0' ? "/" : "", last);
        visit(user, full, is_folder(listing, last));
        errno = 0;
    }
    int error = errno;
    closedir(listing);
    return error == 0 ? PLI_OK : fail_system(m, name, "cannot be listed", error);
}
