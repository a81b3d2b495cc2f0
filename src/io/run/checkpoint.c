// SPDX-License-Identifier: Apache-2.0
#include "io/run/checkpoint.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/file/file.h"
#include "io/run/checkpoint_hdf5.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 512,    // text before the HDF5 content; HDF5 looks for itself at powers of two
    HASH_BYTES = 1 << 20, // hashed by one call, so that writer and reader cut alike
    NAME_CAPACITY = 64
};

// ---- the block before the content -------------------------------------------------------------

typedef struct block {
    int64_t format;
    int64_t bytes; // of the whole file
    uint64_t checksum;
} block;

static void format_block(const block *b, char text[BLOCK_BYTES])
{
    memset(text, 0, BLOCK_BYTES);
    snprintf(text, BLOCK_BYTES, "pliant checkpoint\nformat %lld\nbytes %lld\nchecksum %016llx\n",
             (long long)b->format, (long long)b->bytes, (unsigned long long)b->checksum);
}

// Reads the block; false unless formatting what was read gives every byte of it again.
static bool parse_block(const char text[BLOCK_BYTES], block *b)
{
    char copy[BLOCK_BYTES + 1];
    char again[BLOCK_BYTES];
    long long format = 0;
    long long bytes = 0;
    unsigned long long checksum = 0;
    memcpy(copy, text, BLOCK_BYTES);
    copy[BLOCK_BYTES] = '\0';
    if (sscanf(copy, "pliant checkpoint\nformat %lld\nbytes %lld\nchecksum %llx\n", &format, &bytes,
               &checksum) != 3) {
        return false;
    }
    *b = (block){format, bytes, checksum};
    format_block(b, again);
    return memcmp(text, again, BLOCK_BYTES) == 0;
}

static uint64_t hash_memory(const char *bytes, int64_t count)
{
    uint64_t hash = PLI_HASH_START;
    for (int64_t at = 0; at < count; at += HASH_BYTES) {
        int64_t piece = count - at < HASH_BYTES ? count - at : HASH_BYTES;
        hash = pli_hash_bytes(hash, bytes + at, (size_t)piece);
    }
    return hash;
}

// ---- names ------------------------------------------------------------------------------------

static void format_name(int64_t step, char name[NAME_CAPACITY])
{
    snprintf(name, NAME_CAPACITY, "step_%08lld.h5", (long long)step);
}

// The step in "step_00000042.h5"; -1 for other names.
static int64_t step_of_name(const char *name)
{
    char again[NAME_CAPACITY];
    long long step = -1;
    if (sscanf(name, "step_%lld.h5", &step) != 1 || step < 0) return -1;
    format_name(step, again);
    return strcmp(name, again) == 0 ? step : -1;
}

// The largest step below `below` that the folder has a file of; -1: none, PLI_CHECKPOINT_UNKNOWN:
// the folder cannot be listed.
static int64_t find_step(const char *folder, int64_t below)
{
    int64_t found = -1;
    DIR *listing = opendir(folder);
    if (listing == NULL) return errno == ENOENT ? -1 : PLI_CHECKPOINT_UNKNOWN;
    errno = 0; // the end of a listing leaves it alone, a failure does not
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        int64_t step = step_of_name(entry->d_name);
        if (step > found && step < below) found = step;
    }
    if (errno != 0) found = PLI_CHECKPOINT_UNKNOWN;
    closedir(listing);
    return found;
}

int64_t pli_checkpoint_newest_step(const char *folder)
{
    return find_step(folder, INT64_MAX);
}

// ---- whose files they are ---------------------------------------------------------------------

// The files of a folder of checkpoints, and how they are called in the list they stand in.
typedef struct place {
    pli_manifest *files;
    const char *prefix;
    bool owns_files;
} place;

static void format_listed(const place *at, int64_t step, char listed[2 * NAME_CAPACITY])
{
    char name[NAME_CAPACITY];
    format_name(step, name);
    snprintf(listed, 2 * NAME_CAPACITY, "%s%s", at->prefix, name);
}

// Lists every checkpoint of a folder that a version without lists left.
static pli_status adopt(const place *at, const char *folder)
{
    char listed[2 * NAME_CAPACITY];
    for (int64_t step = find_step(folder, INT64_MAX); step >= 0; step = find_step(folder, step)) {
        format_listed(at, step, listed);
        if (!pli_manifest_begins(at->files, listed, PLI_HEAD_CHECKPOINT)) continue;
        PLI_TRY(pli_manifest_add_head(at->files, listed, PLI_HEAD_CHECKPOINT));
    }
    return PLI_OK;
}

pli_status pli_checkpoint_adopt(pli_manifest *files, const char *folder, const char *prefix)
{
    const place at = {.files = files, .prefix = prefix};
    return adopt(&at, folder);
}

// Finds the list of the def's folder, which is made if need be.
static pli_status open_place(pli_context *context, const pli_checkpoint_def *def, place *at)
{
    *at = (place){.files = def->files, .prefix = def->prefix};
    if (def->files != NULL) return PLI_OK;
    at->prefix = "";
    at->owns_files = true;
    PLI_TRY(pli_folder_create(context, def->folder));
    PLI_TRY(pli_manifest_open(context, def->folder, &at->files));
    return pli_manifest_is_missing(at->files) ? adopt(at, def->folder) : PLI_OK;
}

static void close_place(place *at)
{
    if (at->owns_files) pli_manifest_close(at->files);
}

static void remove_step(const place *at, int64_t step)
{
    char listed[2 * NAME_CAPACITY];
    pli_owner owner = PLI_OWNER_NOBODY;
    format_listed(at, step, listed);
    pli_manifest_remove(at->files, listed, &owner);
}

void pli_checkpoint_discard_after(pli_manifest *files, const char *folder, const char *prefix,
                                  int64_t after)
{
    const place at = {.files = files, .prefix = prefix};
    for (int64_t step = find_step(folder, INT64_MAX); step > after;
         step = find_step(folder, step)) {
        remove_step(&at, step);
    }
}

// Removes all of pliant's but the newest files.
static void remove_old(const place *at, const char *folder)
{
    int kept = 0;
    for (int64_t step = find_step(folder, INT64_MAX); step >= 0; step = find_step(folder, step)) {
        char listed[2 * NAME_CAPACITY];
        format_listed(at, step, listed);
        if (pli_manifest_owner(at->files, listed) != PLI_OWNER_PLIANT) continue;
        if (++kept > PLI_CHECKPOINTS_KEPT) remove_step(at, step);
    }
}

// ---- writing ----------------------------------------------------------------------------------

static pli_status write_file(const place *at, int64_t step, const char *bytes, int64_t count)
{
    char text[BLOCK_BYTES];
    char listed[2 * NAME_CAPACITY];
    block b = {PLI_CHECKPOINT_FORMAT, BLOCK_BYTES + count, hash_memory(bytes, count)};
    format_block(&b, text);
    format_listed(at, step, listed);
    const pli_piece pieces[2] = {{text, BLOCK_BYTES}, {bytes, count}};
    return pli_manifest_write_pieces(at->files, listed, PLI_HEAD_CHECKPOINT, pieces);
}

pli_status pli_checkpoint_write(pli_context *context, const pli_checkpoint_def *def)
{
    place at = {0};
    pli_checkpoint_image image = {.file = -1};
    pli_status status = open_place(context, def, &at);
    if (status == PLI_OK) status = pli_checkpoint_image_init(context, def, &image);
    if (status == PLI_OK) status = write_file(&at, def->step, image.bytes, image.count);
    if (status == PLI_OK) remove_old(&at, def->folder);
    pli_checkpoint_image_clear(&image);
    close_place(&at);
    return status;
}

// ---- reading ----------------------------------------------------------------------------------

// Opens a regular file without ever waiting for it; NULL and a failure otherwise.
static FILE *open_file(pli_context *context, const char *path, int64_t *size)
{
    int descriptor = -1;
    pli_status status = pli_file_open(context, AT_FDCWD, path, path, O_RDONLY, &descriptor, size);
    if (status != PLI_OK) return NULL;
    FILE *file = fdopen(descriptor, "rb");
    if (file != NULL) return file;
    close(descriptor);
    (void)PLI_FAIL(context, PLI_ERROR_IO, "%s: is not a file that can be read", path);
    return NULL;
}

// Hashes what is left of a file in the same pieces as hash_memory.
static pli_status hash_file(pli_context *context, const char *path, FILE *file, uint64_t *hash)
{
    char *piece = PLI_NEW(context, char, HASH_BYTES, "checkpoint");
    if (piece == NULL) return PLI_ERROR_MEMORY;
    *hash = PLI_HASH_START;
    size_t got = fread(piece, 1, HASH_BYTES, file);
    for (; got > 0; got = fread(piece, 1, HASH_BYTES, file)) {
        *hash = pli_hash_bytes(*hash, piece, got);
    }
    pli_release(context, piece);
    if (ferror(file)) return PLI_FAIL(context, PLI_ERROR_IO, "%s: cannot read all of it", path);
    return PLI_OK;
}

// Compares length, format and checksum with what the file says about itself.
static pli_status verify(pli_context *context, const char *path, FILE *file, int64_t size)
{
    char text[BLOCK_BYTES];
    block b;
    uint64_t hash = 0;
    if (fread(text, 1, BLOCK_BYTES, file) != BLOCK_BYTES || !parse_block(text, &b)) {
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "%s: does not begin like a checkpoint of pliant, or its first %d bytes are "
                        "damaged",
                        path, BLOCK_BYTES);
    }
    if (b.format != PLI_CHECKPOINT_FORMAT) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: has format %lld; this program reads format %d",
                        path, (long long)b.format, PLI_CHECKPOINT_FORMAT);
    }
    if (b.bytes != size) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: has %lld bytes; it was written with %lld", path,
                        (long long)size, (long long)b.bytes);
    }
    PLI_TRY(hash_file(context, path, file, &hash));
    if (hash != b.checksum) {
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "%s: is damaged: its checksum is %016llx, it should be %016llx", path,
                        (unsigned long long)hash, (unsigned long long)b.checksum);
    }
    return PLI_OK;
}

pli_status pli_checkpoint_read(pli_context *context, const char *path,
                               const pli_checkpoint_def *def, pli_checkpoint_info *info)
{
    *info = (pli_checkpoint_info){.step = -1};
    int64_t size = 0;
    FILE *file = open_file(context, path, &size);
    if (file == NULL) return PLI_ERROR_IO;
    pli_status status = verify(context, path, file, size);
    fclose(file);
    return status == PLI_OK ? pli_checkpoint_unpack(context, path, def, info) : status;
}

pli_status pli_checkpoint_read_newest(pli_context *context, const pli_checkpoint_def *def,
                                      pli_checkpoint_info *info)
{
    *info = (pli_checkpoint_info){.step = -1};
    int64_t step = find_step(def->folder, INT64_MAX);
    if (step < 0) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s: %s", def->folder,
                        step == -1 ? "has no checkpoint" : "cannot be listed");
    }

    char newest[512] = "";
    pli_status status = PLI_ERROR_IO;
    for (; step >= 0 && status == PLI_ERROR_IO; step = find_step(def->folder, step)) {
        char name[NAME_CAPACITY];
        char reason[512];
        format_name(step, name);
        char *path = pli_path_join(context, def->folder, name);
        if (path == NULL) return PLI_ERROR_MEMORY;
        status = pli_checkpoint_read(context, path, def, info);
        pli_release(context, path);
        if (status != PLI_ERROR_IO) continue;
        pli_context_message(context, reason, sizeof reason);
        PLI_LOG(context, PLI_LOG_WARNING, "checkpoint refused: %s", reason);
        if (newest[0] == '\0') memcpy(newest, reason, sizeof newest);
    }
    if (status != PLI_ERROR_IO) return status;
    return PLI_FAIL(context, PLI_ERROR_IO, "%s: no checkpoint can be used; of the newest: %s",
                    def->folder, newest);
}
