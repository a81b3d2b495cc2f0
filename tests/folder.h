// SPDX-License-Identifier: Apache-2.0
//
// A folder of its own for every test of files, removed with what is in it.
#ifndef PLI_TESTS_FOLDER_H
#define PLI_TESTS_FOLDER_H

#include "near.h"

#include <dirent.h>
#include <sys/mount.h>
#include <unistd.h>

typedef struct folder_fixture {
    pli_context *context;
    char folder[64];
    char path[512]; // scratch for names in it
} folder_fixture;

static inline int folder_set_up(void **state)
{
    folder_fixture *fix = calloc(1, sizeof *fix);
    assert_non_null(fix);
    fix->context = make_context(2);
    // in memory where possible: every file is synced, which disks take their time for
    bool memory = access("/dev/shm", W_OK) == 0;
    strcpy(fix->folder, memory ? "/dev/shm/pliant-test-XXXXXX" : "/tmp/pliant-test-XXXXXX");
    assert_non_null(mkdtemp(fix->folder));
    *state = fix;
    return 0;
}

static inline void remove_folder(const char *folder)
{
    // a test of a full disk may have put a small file system there
    umount(folder);
    DIR *listing = opendir(folder);
    if (listing == NULL) return;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char path[1024];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_true(length > 0 && length < (int)sizeof path);
        if (unlink(path) != 0) remove_folder(path);
    }
    closedir(listing);
    assert_int_equal(rmdir(folder), 0);
}

static inline int folder_tear_down(void **state)
{
    folder_fixture *fix = *state;
    remove_folder(fix->folder);
    pli_context_destroy(fix->context);
    free(fix);
    return 0;
}

// folder/name; good until the next call
static inline const char *in_folder(folder_fixture *fix, const char *name)
{
    snprintf(fix->path, sizeof fix->path, "%s/%s", fix->folder, name);
    return fix->path;
}

// number of entries in folder/name, hidden ones too
static inline int count_entries(folder_fixture *fix, const char *name)
{
    int count = 0;
    DIR *listing = opendir(in_folder(fix, name));
    assert_non_null(listing);
    while (readdir(listing) != NULL) ++count;
    closedir(listing);
    return count - 2;
}

// the whole file, to be freed
static inline char *read_bytes(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *count = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*count + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *count, file), *count);
    bytes[*count] = '\0';
    fclose(file);
    return bytes;
}

static inline void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline bool message_has(const pli_context *context, const char *part)
{
    char message[1024];
    pli_context_message(context, message, sizeof message);
    if (strstr(message, part) != NULL) return true;
    fprintf(stderr, "message without '%s': %s\n", part, message);
    return false;
}

#define TEST_IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

#endif
