// SPDX-License-Identifier: Apache-2.0
#include "near.h"
#include "support/fault_sweep.h"

#include "base/memory.h"
#include "io/file/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// a folder of its own for every test, removed with what is in it
typedef struct fixture {
    pli_context *context;
    char folder[64];
    char path[128]; // scratch for names in it
} fixture;

static int set_up(void **state)
{
    fixture *fix = calloc(1, sizeof *fix);
    assert_non_null(fix);
    fix->context = make_context(1);
    strcpy(fix->folder, "/tmp/pliant-test-XXXXXX");
    assert_non_null(mkdtemp(fix->folder));
    *state = fix;
    return 0;
}

static void remove_folder(const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0) remove_folder(path);
    }
    closedir(listing);
    assert_int_equal(rmdir(folder), 0);
}

static int tear_down(void **state)
{
    fixture *fix = *state;
    remove_folder(fix->folder);
    pli_context_destroy(fix->context);
    free(fix);
    return 0;
}

static const char *in_folder(fixture *fix, const char *name)
{
    snprintf(fix->path, sizeof fix->path, "%s/%s", fix->folder, name);
    return fix->path;
}

static int entry_count(const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    while (readdir(listing) != NULL) ++count;
    closedir(listing);
    return count - 2; // without "." and ".."
}

// the call failed with this status and a message that contains the text
static void refused(pli_context *context, pli_status got, pli_status want, const char *text)
{
    char message[1024];
    pli_context_message(context, message, sizeof message);
    if (got != want || strstr(message, text) == NULL) {
        fprintf(stderr, "got %s: %s; want %s: ...%s...\n", pli_status_text(got), message,
                pli_status_text(want), text);
        fail();
    }
}

static void expect_content(pli_context *context, const char *path, const char *want)
{
    char *bytes = NULL;
    int64_t count = 0;
    OK(context, pli_file_read(context, path, 0, &bytes, &count));
    assert_int_equal(count, (int64_t)strlen(want));
    assert_string_equal(bytes, want);
    pli_release(context, bytes);
}

static void written_bytes_are_read_back(void **state)
{
    fixture *fix = *state;
    const char bytes[] = "binary\0content\n\xff";
    OK(fix->context, pli_file_write(fix->context, in_folder(fix, "a.bin"), bytes, sizeof bytes));
    char *back = NULL;
    int64_t count = 0;
    OK(fix->context, pli_file_read(fix->context, fix->path, 0, &back, &count));
    assert_int_equal(count, (int64_t)sizeof bytes);
    assert_memory_equal(back, bytes, sizeof bytes);
    assert_int_equal(back[count], 0);
    pli_release(fix->context, back);

    OK(fix->context, pli_file_write(fix->context, fix->path, "", 0));
    expect_content(fix->context, fix->path, "");
    assert_int_equal(entry_count(fix->folder), 1);
}

static void what_is_not_a_regular_file_is_refused_without_waiting(void **state)
{
    fixture *fix = *state;
    pli_context *context = fix->context;
    char *bytes = NULL;
    int64_t count = 0;
    alarm(10); // a hang would end the test here

    refused(context, pli_file_read(context, fix->folder, 0, &bytes, &count), PLI_ERROR_IO,
            "is a folder; a regular file is needed");
    refused(context, pli_file_read(context, "/dev/zero", 0, &bytes, &count), PLI_ERROR_IO,
            "is a device");
    refused(context, pli_file_read(context, in_folder(fix, "none"), 0, &bytes, &count),
            PLI_ERROR_IO, "none: cannot open: No such file");
    refused(context, pli_file_read(context, "", 0, &bytes, &count), PLI_ERROR_IO, "cannot open");

    assert_int_equal(mkfifo(in_folder(fix, "pipe"), 0600), 0);
    refused(context, pli_file_read(context, fix->path, 0, &bytes, &count), PLI_ERROR_IO,
            "is a pipe");
    assert_int_equal(symlink("loop", in_folder(fix, "loop")), 0);
    refused(context, pli_file_read(context, fix->path, 0, &bytes, &count), PLI_ERROR_IO,
            "symbolic links");
    assert_null(bytes);
    alarm(0);
}

static void too_large_a_file_is_refused_before_memory_is_taken(void **state)
{
    fixture *fix = *state;
    char *bytes = NULL;
    int64_t count = 0;
    int descriptor = open(in_folder(fix, "sparse"), O_WRONLY | O_CREAT, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(ftruncate(descriptor, (off_t)5 << 30), 0);
    close(descriptor);
    int64_t before = pli_context_allocation_count(fix->context);
    refused(fix->context, pli_file_read(fix->context, fix->path, 0, &bytes, &count), PLI_ERROR_IO,
            "has 5368709120 bytes; at most 4294967296 can be read");
    assert_int_equal(pli_context_allocation_count(fix->context), before);

    // the caller's own limit: as long as it, and one byte longer
    OK(fix->context, pli_file_write(fix->context, fix->path, "12345", 5));
    OK(fix->context, pli_file_read(fix->context, fix->path, 5, &bytes, &count));
    pli_release(fix->context, bytes);
    refused(fix->context, pli_file_read(fix->context, fix->path, 4, &bytes, &count), PLI_ERROR_IO,
            "at most 4");
}

static void file_that_grows_while_read_is_refused(void **state)
{
    fixture *fix = *state;
    // the kernel's own files say that they are empty and are not
    char *bytes = NULL;
    int64_t count = 0;
    refused(fix->context, pli_file_read(fix->context, "/proc/self/status", 0, &bytes, &count),
            PLI_ERROR_IO, "changed its size while it was read");
}

static void draft_shows_nothing_before_the_commit(void **state)
{
    fixture *fix = *state;
    OK(fix->context, pli_file_write(fix->context, in_folder(fix, "a"), "old", 3));

    // abandoned
    pli_draft *draft = NULL;
    OK(fix->context, pli_draft_create(fix->context, fix->path, &draft));
    OK(fix->context, pli_draft_append(draft, "new", 3));
    expect_content(fix->context, fix->path, "old");
    assert_int_equal(entry_count(fix->folder), 2);
    pli_draft_destroy(draft);
    assert_int_equal(entry_count(fix->folder), 1);
    expect_content(fix->context, fix->path, "old");

    // committed, with another draft of the same file under way
    pli_draft *other = NULL;
    OK(fix->context, pli_draft_create(fix->context, fix->path, &draft));
    OK(fix->context, pli_draft_create(fix->context, fix->path, &other));
    OK(fix->context, pli_draft_append(draft, "ne", 2));
    OK(fix->context, pli_draft_append(draft, "w", 1));
    OK(fix->context, pli_draft_commit(draft));
    expect_content(fix->context, fix->path, "new");
    pli_draft_destroy(draft);
    pli_draft_destroy(other);
    assert_int_equal(entry_count(fix->folder), 1);
}

static void draft_can_be_written_by_name(void **state)
{
    fixture *fix = *state;
    pli_draft *draft = NULL;
    OK(fix->context, pli_draft_create(fix->context, in_folder(fix, "a"), &draft));
    FILE *file = fopen(pli_draft_name(draft), "wb");
    assert_non_null(file);
    fputs("by name", file);
    fclose(file);
    OK(fix->context, pli_draft_commit(draft));
    pli_draft_destroy(draft);
    expect_content(fix->context, fix->path, "by name");
}

static void failed_write_keeps_the_old_file_and_says_how_much(void **state)
{
    fixture *fix = *state;
    OK(fix->context, pli_file_write(fix->context, in_folder(fix, "a"), "old", 3));

    // a limit of 1000 bytes on the size of files stands in for a full disk
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {1000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    char zeros[4096] = {0};
    pli_status status = pli_file_write(fix->context, fix->path, zeros, sizeof zeros);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);

    refused(fix->context, status, PLI_ERROR_IO,
            "/a: cannot write 3096 bytes after the first 1000: File too large");
    expect_content(fix->context, fix->path, "old");
    assert_int_equal(entry_count(fix->folder), 1);
}

static void wrong_target_is_refused(void **state)
{
    fixture *fix = *state;
    pli_context *context = fix->context;
    refused(context, pli_file_write(context, in_folder(fix, "no/such/folder/a"), "x", 1),
            PLI_ERROR_IO, "cannot create a file in this folder: No such file");
    OK(context, pli_folder_create(context, in_folder(fix, "sub")));
    refused(context, pli_file_write(context, fix->path, "x", 1), PLI_ERROR_IO,
            "cannot put the new file in place: Is a directory");
    assert_int_equal(entry_count(fix->folder), 1);
}

static void folders_are_made_with_those_above(void **state)
{
    fixture *fix = *state;
    pli_context *context = fix->context;
    OK(context, pli_folder_create(context, in_folder(fix, "a/b//c/")));
    OK(context, pli_folder_create(context, in_folder(fix, "a/b/c")));
    assert_true(pli_path_exists(fix->path));
    OK(context, pli_folder_create(context, "/"));
    OK(context, pli_folder_create(context, "."));
    OK(context, pli_file_write(context, in_folder(fix, "file"), "", 0));
    refused(context, pli_folder_create(context, fix->path), PLI_ERROR_IO,
            "cannot make the folder: Not a directory");
    refused(context, pli_folder_create(context, in_folder(fix, "file/sub")), PLI_ERROR_IO,
            "Not a directory");
    refused(context, pli_folder_create(context, ""), PLI_ERROR_IO, "cannot make the folder");
}

static void expect_text(pli_context *context, char *got, const char *want)
{
    assert_non_null(got);
    assert_string_equal(got, want);
    pli_release(context, got);
}

static void paths_come_apart_and_together(void **state)
{
    fixture *fix = *state;
    pli_context *context = fix->context;
    expect_text(context, pli_path_join(context, "a/b", "c"), "a/b/c");
    expect_text(context, pli_path_join(context, "a/", "c"), "a/c");
    expect_text(context, pli_path_join(context, "", "c"), "c");
    expect_text(context, pli_path_join(context, "a", "/c"), "/c");
    expect_text(context, pli_path_folder(context, "a/b/c.msh"), "a/b");
    expect_text(context, pli_path_folder(context, "a//c"), "a");
    expect_text(context, pli_path_folder(context, "c.msh"), ".");
    expect_text(context, pli_path_folder(context, "/c"), "/");
    expect_text(context, pli_path_folder(context, "//c"), "/");
    assert_string_equal(pli_path_name("a/b/c.msh"), "c.msh");
    assert_string_equal(pli_path_name("c"), "c");
    assert_string_equal(pli_path_ending("a.b/c.tar.msh"), "msh");
    assert_string_equal(pli_path_ending("a.b/c"), "");
    assert_string_equal(pli_path_ending("a/.hidden"), "");
    assert_string_equal(pli_path_ending("c."), "");
}

static void resolve(fixture *fix, const char *path, bool allow_outside, bool want)
{
    char *resolved = NULL;
    pli_status status = pli_path_resolve(fix->context, fix->folder, path, allow_outside, &resolved);
    if (want) {
        OK(fix->context, status);
        assert_non_null(resolved);
    } else {
        assert_int_equal(status, PLI_ERROR_SCENE);
        assert_null(resolved);
    }
    pli_release(fix->context, resolved);
}

static void paths_that_leave_the_folder_are_refused(void **state)
{
    fixture *fix = *state;
    resolve(fix, "a.msh", false, true);
    resolve(fix, "sub/../a.msh", false, true);
    resolve(fix, "./sub/./b/../../a.msh", false, true);
    resolve(fix, "..a/b", false, true);
    resolve(fix, "", false, false);
    resolve(fix, "", true, false);
    resolve(fix, "..", false, false);
    resolve(fix, "../../etc/passwd", false, false);
    resolve(fix, "sub/../../a", false, false);
    resolve(fix, "/etc/passwd", false, false);
    resolve(fix, "/etc/passwd", true, true);
    resolve(fix, "../x", true, true);

    // links inside are fine, links that lead out are not
    OK(fix->context, pli_file_write(fix->context, in_folder(fix, "file"), "x", 1));
    assert_int_equal(symlink("file", in_folder(fix, "inner")), 0);
    assert_int_equal(symlink("/etc/passwd", in_folder(fix, "outer")), 0);
    resolve(fix, "inner", false, true);
    resolve(fix, "outer", false, false);
    resolve(fix, "outer", true, true);
}

// writes, reads back and resolves; every step may fail for want of memory
static pli_status use_everything(pli_context *context, const char *folder)
{
    char *path = NULL;
    char *bytes = NULL;
    int64_t count = 0;
    pli_status status = pli_path_resolve(context, folder, "a/b", false, &path);
    if (status == PLI_OK) status = pli_folder_create(context, folder);
    if (status == PLI_OK) status = pli_file_write(context, path, "x", 1);
    if (status == PLI_OK) status = pli_file_read(context, path, 0, &bytes, &count);
    pli_release(context, bytes);
    pli_release(context, path);
    return status;
}

static void nth_allocation_fails_and_leaves_nothing(void **state)
{
    fixture *fix = *state;
    OK(fix->context, pli_folder_create(fix->context, in_folder(fix, "a")));
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = use_everything(sweep.context, fix->folder);
    }
    assert_int_equal(entry_count(fix->path), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(written_bytes_are_read_back),
        TEST(what_is_not_a_regular_file_is_refused_without_waiting),
        TEST(too_large_a_file_is_refused_before_memory_is_taken),
        TEST(file_that_grows_while_read_is_refused),
        TEST(draft_shows_nothing_before_the_commit),
        TEST(draft_can_be_written_by_name),
        TEST(failed_write_keeps_the_old_file_and_says_how_much),
        TEST(wrong_target_is_refused),
        TEST(folders_are_made_with_those_above),
        TEST(paths_come_apart_and_together),
        TEST(paths_that_leave_the_folder_are_refused),
        TEST(nth_allocation_fails_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
