// SPDX-License-Identifier: Apache-2.0
//
// Lists of files: what pliant wrote is known also after a kill, what others wrote is never touched,
// and a list leads nowhere but below its folder.
#include "folder.h"
#include "support/fault_sweep.h"

#include "io/frames/series.h"
#include "io/run/manifest.h"

#include <fcntl.h>
#include <sys/stat.h>

static pli_manifest *open_list(folder_fixture *fix)
{
    pli_manifest *files = NULL;
    OK(fix->context, pli_manifest_open(fix->context, fix->folder, &files));
    return files;
}

static bool holds(folder_fixture *fix, const char *name, const char *text)
{
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, name), &count);
    bool same = count == strlen(text) && memcmp(bytes, text, count) == 0;
    free(bytes);
    return same;
}

static void what_was_written_is_known_later(void **state)
{
    folder_fixture *fix = *state;
    pli_manifest *files = open_list(fix);
    assert_true(pli_manifest_is_missing(files));
    OK(fix->context, pli_manifest_write(files, "scene.yaml", "a: 1", 4));
    OK(fix->context, pli_manifest_write(files, "sub/below/scene.yaml", "b: 1", 4));
    // the same name again, with other bytes
    OK(fix->context, pli_manifest_write(files, "scene.yaml", "a: 23", 5));
    pli_manifest_close(files);

    files = open_list(fix);
    assert_false(pli_manifest_is_missing(files));
    assert_int_equal(pli_manifest_owner(files, "scene.yaml"), PLI_OWNER_PLIANT);
    assert_int_equal(pli_manifest_owner(files, "sub/below/scene.yaml"), PLI_OWNER_PLIANT);
    assert_int_equal(pli_manifest_owner(files, "nothing"), PLI_OWNER_NOBODY);
    assert_int_equal(pli_manifest_owner(files, "sub/nothing/scene.yaml"), PLI_OWNER_NOBODY);

    // a process that was killed before the new bytes got their name leaves the old ones
    write_bytes(in_folder(fix, "scene.yaml"), "a: 1", 4);
    assert_int_equal(pli_manifest_owner(files, "scene.yaml"), PLI_OWNER_PLIANT);
    // as long as what was written
    write_bytes(in_folder(fix, "scene.yaml"), "a: 2", 4);
    assert_int_equal(pli_manifest_owner(files, "scene.yaml"), PLI_OWNER_OTHERS);
    pli_manifest_close(files);
}

static void what_others_wrote_is_neither_replaced_nor_removed(void **state)
{
    folder_fixture *fix = *state;
    pli_manifest *files = open_list(fix);
    pli_owner owner = PLI_OWNER_NOBODY;
    int descriptor = -1;
    write_bytes(in_folder(fix, "mine"), "mine", 4);
    assert_int_equal(pli_manifest_write(files, "mine", "ours", 4), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "mine: is there, and not as pliant wrote it there"));
    assert_int_equal(pli_manifest_append_to(files, "mine", PLI_HEAD_LOG, &descriptor),
                     PLI_ERROR_IO);
    pli_manifest_remove(files, "mine", &owner);
    assert_int_equal(owner, PLI_OWNER_OTHERS);
    assert_true(holds(fix, "mine", "mine"));

    // of the right name and kind, but never listed
    write_bytes(in_folder(fix, "steps.jsonl"), "{\"step\":1}\n", 11);
    assert_int_equal(pli_manifest_owner(files, "steps.jsonl"), PLI_OWNER_OTHERS);
    // listed, and another one since
    OK(fix->context, pli_manifest_add(files, "a.vtu", 5));
    write_bytes(in_folder(fix, "a.vtu"), "123456", 6);
    assert_int_equal(pli_manifest_owner(files, "a.vtu"), PLI_OWNER_OTHERS);
    write_bytes(in_folder(fix, "a.vtu"), "12345", 5);
    assert_int_equal(pli_manifest_owner(files, "a.vtu"), PLI_OWNER_PLIANT);
    pli_manifest_remove(files, "a.vtu", &owner);
    assert_int_equal(access(in_folder(fix, "a.vtu"), F_OK), -1);

    // a folder or a pipe of a listed name
    assert_int_equal(mkdir(in_folder(fix, "a.vtu"), 0777), 0);
    assert_int_equal(pli_manifest_owner(files, "a.vtu"), PLI_OWNER_OTHERS);
    OK(fix->context, pli_manifest_add_head(files, "pipe", PLI_HEAD_CHECKPOINT));
    assert_int_equal(mkfifo(in_folder(fix, "pipe"), 0666), 0);
    assert_int_equal(pli_manifest_owner(files, "pipe"), PLI_OWNER_OTHERS);
    pli_manifest_close(files);
}

static void links_are_not_followed(void **state)
{
    folder_fixture *fix = *state;
    pli_owner owner = PLI_OWNER_NOBODY;
    char far[512];
    snprintf(far, sizeof far, "%s/far", fix->folder);
    pli_manifest *files = open_list(fix);
    OK(fix->context, pli_manifest_write(files, "frames/a.vtu", "mine", 4));
    assert_int_equal(rename(in_folder(fix, "frames"), far), 0);
    assert_int_equal(symlink(far, in_folder(fix, "frames")), 0);
    assert_int_equal(pli_manifest_owner(files, "frames/a.vtu"), PLI_OWNER_OTHERS);
    pli_manifest_remove(files, "frames/a.vtu", &owner);
    assert_int_equal(pli_manifest_write(files, "frames/b.vtu", "ours", 4), PLI_ERROR_IO);
    assert_true(holds(fix, "far/a.vtu", "mine"));
    assert_int_equal(count_entries(fix, "far"), 1);

    // neither is a link in the place of a file
    OK(fix->context, pli_manifest_write(files, "b", "mine", 4));
    snprintf(far, sizeof far, "%s/far_b", fix->folder);
    assert_int_equal(rename(in_folder(fix, "b"), far), 0);
    assert_int_equal(symlink(far, in_folder(fix, "b")), 0);
    assert_int_equal(pli_manifest_write(files, "b", "ours", 4), PLI_ERROR_IO);
    assert_true(holds(fix, "far_b", "mine"));
    pli_manifest_close(files);

    // nor one in the place of the list
    snprintf(far, sizeof far, "%s/far_list", fix->folder);
    assert_int_equal(rename(in_folder(fix, PLI_MANIFEST_FILE), far), 0);
    assert_int_equal(symlink(far, in_folder(fix, PLI_MANIFEST_FILE)), 0);
    assert_int_equal(pli_manifest_open(fix->context, fix->folder, &files), PLI_ERROR_IO);
}

static void forged_list_leads_nowhere_else(void **state)
{
    folder_fixture *fix = *state;
    static const char text[] = "pliant files 1\n"
                               "size 4 ../mine\n"
                               "size 4 sub/../../mine\n"
                               "size 4 /etc/passwd\n"
                               "size 4 sub//mine\n"
                               "size -4 negative\n"
                               "head nothing unknown\n"
                               "nonsense\n"
                               "size 4 good\n"
                               "size 4 cut short";
    static const char *const names[] = {
        "../mine", "sub/../../mine", "/etc/passwd", "sub//mine", "", ".", "..", "a/."};
    write_bytes(in_folder(fix, PLI_MANIFEST_FILE), text, sizeof text - 1);
    write_bytes(in_folder(fix, "good"), "1234", 4);
    write_bytes(in_folder(fix, "cut short"), "1234", 4);
    pli_manifest *files = open_list(fix);
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        pli_status status = pli_manifest_write(files, names[k], "ours", 4);
        assert_true(status == PLI_ERROR_ARGUMENT || status == PLI_ERROR_IO);
    }
    assert_int_equal(pli_manifest_owner(files, "good"), PLI_OWNER_PLIANT);
    // a piece of a line says nothing, and the next line does not continue it
    assert_int_equal(pli_manifest_owner(files, "cut short"), PLI_OWNER_OTHERS);
    OK(fix->context, pli_manifest_write(files, "new", "ours", 4));
    pli_manifest_close(files);
    files = open_list(fix);
    assert_int_equal(pli_manifest_owner(files, "new"), PLI_OWNER_PLIANT);
    pli_manifest_close(files);

    // what is no list stays as it is
    write_bytes(in_folder(fix, PLI_MANIFEST_FILE), "mine", 4);
    assert_int_equal(pli_manifest_open(fix->context, fix->folder, &files), PLI_ERROR_IO);
    assert_true(holds(fix, PLI_MANIFEST_FILE, "mine"));
}

static void list_that_begins_anew_keeps_what_it_is_told(void **state)
{
    folder_fixture *fix = *state;
    pli_manifest *files = open_list(fix);
    OK(fix->context, pli_manifest_write(files, "a", "1", 1));
    OK(fix->context, pli_manifest_write(files, "cache/b", "1", 1));
    OK(fix->context, pli_manifest_restart(files, "cache/"));
    for (int opened = 0; opened < 2; ++opened) {
        assert_int_equal(pli_manifest_owner(files, "a"), PLI_OWNER_OTHERS);
        assert_int_equal(pli_manifest_owner(files, "cache/b"), PLI_OWNER_PLIANT);
        OK(fix->context, pli_manifest_write(files, "c", "1", 1));
        pli_manifest_close(files);
        files = open_list(fix);
    }
    assert_int_equal(pli_manifest_owner(files, "c"), PLI_OWNER_PLIANT);
    pli_manifest_close(files);
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_manifest *files = NULL;
        pli_status status = pli_manifest_open(sweep.context, fix->folder, &files);
        if (status == PLI_OK) status = pli_manifest_write(files, "a/b", "1", 1);
        if (status == PLI_OK) status = pli_manifest_restart(files, "a/");
        if (status == PLI_OK) status = pli_manifest_write_head(files, "c", PLI_HEAD_PVD, "<", 1);
        sweep.status = status;
        pli_manifest_close(files);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(what_was_written_is_known_later),
        TEST_IN_FOLDER(what_others_wrote_is_neither_replaced_nor_removed),
        TEST_IN_FOLDER(links_are_not_followed),
        TEST_IN_FOLDER(forged_list_leads_nowhere_else),
        TEST_IN_FOLDER(list_that_begins_anew_keeps_what_it_is_told),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
