// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints: what is saved comes back bit for bit, and every kind of damage is refused.
#include "folder.h"
#include "support/fault_sweep.h"

#include "base/hash.h"
#include "base/random.h"
#include "io/run/checkpoint.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

enum { VERTICES = 40, CONTACTS = 5 };

typedef struct fake_state {
    double x[VERTICES][3];
    double v[VERTICES][3];
    int64_t contacts[CONTACTS][2];
    pli_state_array arrays[4];
    pli_checkpoint_def def;
    char folder[512];
} fake_state;

static void fill(fake_state *fake, int64_t step)
{
    pli_random random = {(uint64_t)step, 1};
    for (uint64_t i = 0; i < 3 * VERTICES; ++i) {
        ((double *)fake->x)[i] = pli_random_normal(random, i);
        ((double *)fake->v)[i] = -1e-300 * pli_random_normal(random, i + 1000);
    }
    // values that a file must not change
    fake->x[0][0] = -0.0;
    fake->x[0][1] = 5e-324;
    for (int64_t i = 0; i < 2 * CONTACTS; ++i) ((int64_t *)fake->contacts)[i] = INT64_MIN + i;
    fake->def.step = step;
    fake->def.time = (double)step / 24.0;
}

static void init(fake_state *fake, const folder_fixture *fix, int64_t step)
{
    memset(fake, 0, sizeof *fake);
    snprintf(fake->folder, sizeof fake->folder, "%s/checkpoint", fix->folder);
    fake->arrays[0] = (pli_state_array){"x", PLI_ARRAY_F64, VERTICES, 3, fake->x, false, false};
    fake->arrays[1] = (pli_state_array){"fem/v", PLI_ARRAY_F64, VERTICES, 3, fake->v, false, false};
    fake->arrays[2] =
        (pli_state_array){"contacts", PLI_ARRAY_I64, CONTACTS, 2, fake->contacts, false, false};
    fake->arrays[3] = (pli_state_array){"nothing", PLI_ARRAY_F64, 0, 3, NULL, false, false};
    fake->def = (pli_checkpoint_def){.folder = fake->folder,
                                     .scene_hash = 0x1234,
                                     .scene_text = "about: caf\xc3\xa9\n",
                                     .array_count = 4,
                                     .arrays = fake->arrays};
    if (step >= 0) fill(fake, step);
}

static void save(const folder_fixture *fix, int64_t step)
{
    fake_state fake;
    init(&fake, fix, step);
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
}

// The newest checkpoint is that of `step`, and everything in it is as it was.
static void check_newest(const folder_fixture *fix, int64_t step)
{
    fake_state want;
    fake_state got;
    pli_checkpoint_info info;
    init(&want, fix, step);
    init(&got, fix, -1);
    OK(fix->context, pli_checkpoint_read_newest(fix->context, &got.def, &info));
    assert_int_equal(info.step, step);
    assert_true(info.time == want.def.time);
    assert_memory_equal(got.x, want.x, sizeof want.x);
    assert_memory_equal(got.v, want.v, sizeof want.v);
    assert_memory_equal(got.contacts, want.contacts, sizeof want.contacts);
}

static const char *file_of(folder_fixture *fix, int64_t step)
{
    char name[64];
    snprintf(name, sizeof name, "checkpoint/step_%08lld.h5", (long long)step);
    return in_folder(fix, name);
}

static void what_is_saved_comes_back_bit_for_bit(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 42);
    check_newest(fix, 42);
    assert_true(access(file_of(fix, 42), R_OK) == 0);
}

static void nobody_has_a_file_open_by_its_own_words(void **state)
{
    folder_fixture *fix = *state;
    size_t count = 0;
    save(fix, 42);
    char *bytes = read_bytes(file_of(fix, 42), &count);
    static const char signature[] = "\211HDF\r\n\032\n";
    assert_memory_equal(bytes + 512, signature, 8);
    // a superblock of version 0, whose consistency flags are here
    assert_int_equal(bytes[512 + 8], 0);
    assert_memory_equal(bytes + 512 + 20, "\0\0\0\0", 4);
    free(bytes);
    assert_true(H5Fis_hdf5(file_of(fix, 42)) > 0);
}

static void discard_after(folder_fixture *fix, int64_t step)
{
    char folder[512];
    pli_manifest *files = NULL;
    snprintf(folder, sizeof folder, "%s/checkpoint", fix->folder);
    OK(fix->context, pli_manifest_open(fix->context, folder, &files));
    pli_checkpoint_discard_after(files, folder, "", step);
    pli_manifest_close(files);
}

static void the_newest_two_are_kept(void **state)
{
    folder_fixture *fix = *state;
    for (int64_t step = 0; step <= 100; step += 10) save(fix, step);
    // and the list of what is whose
    assert_int_equal(count_entries(fix, "checkpoint"), 3);
    check_newest(fix, 100);
    save(fix, 123456789); // more digits than the name is padded to
    check_newest(fix, 123456789);
    assert_true(access(file_of(fix, 100), R_OK) == 0);
    assert_int_equal(pli_checkpoint_newest_step(in_folder(fix, "checkpoint")), 123456789);
    discard_after(fix, 100);
    check_newest(fix, 100);
    discard_after(fix, -1);
    assert_int_equal(pli_checkpoint_newest_step(in_folder(fix, "checkpoint")), -1);
}

static void the_same_state_gives_the_same_bytes(void **state)
{
    folder_fixture *fix = *state;
    size_t count[2];
    char *bytes[2];
    for (int i = 0; i < 2; ++i) {
        save(fix, 7);
        bytes[i] = read_bytes(file_of(fix, 7), &count[i]);
        // HDF5 counts times in seconds
        if (i == 0) usleep(1100000);
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(bytes[0], bytes[1], count[0]);
    free(bytes[0]);
    free(bytes[1]);
}

// The newest file is refused for a reason that mentions `word`, and the one before it is used.
static void check_refused(folder_fixture *fix, const char *word)
{
    fake_state fake;
    pli_checkpoint_info info;
    init(&fake, fix, -1);
    fake_state before = fake;
    pli_status status = pli_checkpoint_read(fix->context, file_of(fix, 20), &fake.def, &info);
    assert_int_equal(status, PLI_ERROR_IO);
    assert_int_equal(info.step, -1);
    assert_true(message_has(fix->context, "step_00000020.h5"));
    if (word != NULL) assert_true(message_has(fix->context, word));
    // nothing of a refused file reaches the state
    assert_memory_equal(fake.x, before.x, sizeof fake.x);
    check_newest(fix, 10);
}

static void truncated_files_are_refused(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    save(fix, 20);
    size_t count = 0;
    char *bytes = read_bytes(file_of(fix, 20), &count);
    for (size_t cut = 0; cut < count; cut += 512) {
        write_bytes(file_of(fix, 20), bytes, cut);
        check_refused(fix, cut >= 512 ? "it was written with" : "first 512 bytes");
    }
    // and longer ones too
    bytes = realloc(bytes, count + 100);
    write_bytes(file_of(fix, 20), bytes, count + 100);
    check_refused(fix, "it was written with");
    free(bytes);
}

static void changed_bytes_are_refused(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    save(fix, 20);
    size_t count = 0;
    char *bytes = read_bytes(file_of(fix, 20), &count);
    // every byte of the block and of HDF5's own header, then 1000 anywhere
    pli_random random = {3, 1};
    for (uint64_t i = 0; i < 1024 + 1000; ++i) {
        size_t at = i < 1024 ? (size_t)i : (size_t)(pli_random_uniform(random, i) * (double)count);
        char bit = (char)(1 << pli_random_bits(random, i) % 8);
        bytes[at] = (char)(bytes[at] ^ bit);
        write_bytes(file_of(fix, 20), bytes, count);
        check_refused(fix, at >= 512 ? "checksum" : NULL);
        bytes[at] = (char)(bytes[at] ^ bit);
    }
    write_bytes(file_of(fix, 20), bytes, count);
    check_newest(fix, 20);
    free(bytes);
}

static void other_formats_are_refused_by_name(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    save(fix, 20);
    size_t count = 0;
    char *bytes = read_bytes(file_of(fix, 20), &count);
    char *format = strstr(bytes, "format 1");
    assert_non_null(format);
    format[7] = '2';
    write_bytes(file_of(fix, 20), bytes, count);
    check_refused(fix, "has format 2; this program reads format 1");
    free(bytes);
    write_bytes(file_of(fix, 20), "", 0);
    check_refused(fix, "does not begin like a checkpoint");
}

// Changes the content of a file by HDF5 and makes length and checksum right again.
static void change_content(folder_fixture *fix, void (*change)(hid_t file))
{
    hid_t file = H5Fopen(file_of(fix, 20), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(file >= 0);
    change(file);
    assert_true(H5Fclose(file) >= 0);
    size_t count = 0;
    char *bytes = read_bytes(file_of(fix, 20), &count);
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, bytes + 512, count - 512);
    memset(bytes, 0, 512);
    snprintf(bytes, 512, "pliant checkpoint\nformat 1\nbytes %zu\nchecksum %016llx\n", count,
             (unsigned long long)hash);
    write_bytes(file_of(fix, 20), bytes, count);
    free(bytes);
}

static void turn_bytes(hid_t file)
{
    static const double zeros[VERTICES][3];
    hsize_t shape[2] = {VERTICES, 3};
    assert_true(H5Ldelete(file, "state/x", H5P_DEFAULT) >= 0);
    hid_t space = H5Screate_simple(2, shape, NULL);
    hid_t set =
        H5Dcreate2(file, "state/x", H5T_IEEE_F64BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void name_another_program(hid_t file)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 5);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    hid_t space = H5Screate(H5S_SCALAR);
    assert_true(H5Adelete(file, "pliant") >= 0);
    hid_t attribute = H5Acreate2(file, "pliant", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, "9.9.9") >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

static void other_byte_orders_and_programs_are_refused(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    save(fix, 20);
    change_content(fix, turn_bytes);
    check_refused(fix, "no array 'x' of 40 rows and 3 columns of 64-bit floats");
    save(fix, 20);
    change_content(fix, name_another_program);
    check_refused(fix, "was written by pliant 9.9.9; this is");
}

static void another_scene_is_refused_with_both_hashes(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    fake_state fake;
    pli_checkpoint_info info;
    init(&fake, fix, -1);
    fake.def.scene_hash = 0xabcd;
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_SCENE);
    assert_true(message_has(fix->context, "0000000000001234"));
    assert_true(message_has(fix->context, "000000000000abcd"));
}

static void other_arrays_are_refused(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    fake_state fake;
    pli_checkpoint_info info;
    init(&fake, fix, -1);
    fake.arrays[0].rows = VERTICES - 1;
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "no array 'x' of 39 rows and 3 columns"));
    init(&fake, fix, -1);
    fake.arrays[2].kind = PLI_ARRAY_F64;
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    init(&fake, fix, -1);
    fake.arrays[1].name = "fem/w";
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    init(&fake, fix, -1);
    fake.def.array_count = 3;
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "has 4 arrays; the state of this scene has 3"));
}

// A file of a program that did not know an array.
static void optional_arrays_may_be_missing(void **state)
{
    folder_fixture *fix = *state;
    fake_state fake;
    pli_checkpoint_info info;
    init(&fake, fix, 10);
    fake.arrays[2] = fake.arrays[3];
    fake.def.array_count = 3;
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));

    // what is missing becomes zero, and the rest is as it was
    fake_state want = fake;
    init(&fake, fix, -1);
    fake.arrays[2].optional = true;
    memset(fake.contacts, 0x55, sizeof fake.contacts);
    OK(fix->context, pli_checkpoint_read_newest(fix->context, &fake.def, &info));
    assert_memory_equal(fake.x, want.x, sizeof want.x);
    assert_memory_equal(fake.v, want.v, sizeof want.v);
    for (int i = 0; i < CONTACTS; ++i) assert_true(fake.contacts[i][0] == 0);

    // others may not be missing
    fake.arrays[2].optional = false;
    fake.arrays[3].optional = true;
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "has 3 arrays; the state of this scene has 4"));
}

static void optional_arrays_of_zeros_are_left_out(void **state)
{
    folder_fixture *fix = *state;
    size_t count[2];
    char *bytes[2];
    fake_state fake;
    init(&fake, fix, 7);
    fake.arrays[2] = fake.arrays[3];
    fake.def.array_count = 3;
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
    bytes[0] = read_bytes(file_of(fix, 7), &count[0]);
    // the same file as without the array
    init(&fake, fix, 7);
    memset(fake.contacts, 0, sizeof fake.contacts);
    fake.arrays[2].optional = true;
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
    bytes[1] = read_bytes(file_of(fix, 7), &count[1]);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(bytes[0], bytes[1], count[0]);
    free(bytes[0]);
    free(bytes[1]);
    // the last number of it alone keeps it
    pli_checkpoint_info info;
    fake.contacts[CONTACTS - 1][1] = 1;
    OK(fix->context, pli_checkpoint_write(fix->context, &fake.def));
    memset(fake.contacts, 0x55, sizeof fake.contacts);
    OK(fix->context, pli_checkpoint_read_newest(fix->context, &fake.def, &info));
    assert_true(fake.contacts[0][0] == 0 && fake.contacts[CONTACTS - 1][1] == 1);
}

static void optional_arrays_that_are_there_are_read(void **state)
{
    folder_fixture *fix = *state;
    fake_state fake;
    fake_state want;
    pli_checkpoint_info info;
    save(fix, 10);
    init(&want, fix, 10);
    init(&fake, fix, -1);
    fake.arrays[2].optional = true;
    OK(fix->context, pli_checkpoint_read_newest(fix->context, &fake.def, &info));
    assert_memory_equal(fake.contacts, want.contacts, sizeof want.contacts);
    // of another shape they are wrong, not missing
    fake.arrays[2].rows = CONTACTS - 1;
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "no array 'contacts'"));
}

static void empty_folder_has_no_checkpoint(void **state)
{
    folder_fixture *fix = *state;
    fake_state fake;
    pli_checkpoint_info info;
    init(&fake, fix, -1);
    assert_int_equal(pli_checkpoint_read_newest(fix->context, &fake.def, &info), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "has no checkpoint"));
    assert_int_equal(pli_checkpoint_newest_step(fake.folder), -1);
}

static void programs_own_error_setting_is_kept(void **state)
{
    folder_fixture *fix = *state;
    H5E_auto2_t before = NULL;
    H5E_auto2_t after = NULL;
    void *data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    save(fix, 1);
    check_newest(fix, 1);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    assert_non_null(before);
    assert_true(before == after);
}

static void full_disk_leaves_earlier_checkpoints(void **state)
{
    folder_fixture *fix = *state;
    if (mount("none", fix->folder, "tmpfs", 0, "size=16k") != 0) skip();
    save(fix, 10);
    fake_state fake;
    init(&fake, fix, 20);
    assert_int_equal(pli_checkpoint_write(fix->context, &fake.def), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "step_00000020.h5"));
    assert_true(message_has(fix->context, "bytes"));
    // and the list of what is whose
    assert_int_equal(count_entries(fix, "checkpoint"), 2);
    check_newest(fix, 10);
}

static void file_size_limit_is_an_io_failure(void **state)
{
    folder_fixture *fix = *state;
    save(fix, 10);
    fake_state fake;
    init(&fake, fix, 20);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit small = {2048, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    pli_status status = pli_checkpoint_write(fix->context, &fake.def);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, PLI_ERROR_IO);
    // and the list of what is whose
    assert_int_equal(count_entries(fix, "checkpoint"), 2);
    check_newest(fix, 10);
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        fake_state fake;
        pli_checkpoint_info info;
        init(&fake, fix, 5);
        sweep.status = pli_checkpoint_write(sweep.context, &fake.def);
        if (sweep.status == PLI_OK) {
            sweep.status = pli_checkpoint_read_newest(sweep.context, &fake.def, &info);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(what_is_saved_comes_back_bit_for_bit),
        TEST_IN_FOLDER(nobody_has_a_file_open_by_its_own_words),
        TEST_IN_FOLDER(the_newest_two_are_kept),
        TEST_IN_FOLDER(the_same_state_gives_the_same_bytes),
        TEST_IN_FOLDER(truncated_files_are_refused),
        TEST_IN_FOLDER(changed_bytes_are_refused),
        TEST_IN_FOLDER(other_formats_are_refused_by_name),
        TEST_IN_FOLDER(other_byte_orders_and_programs_are_refused),
        TEST_IN_FOLDER(another_scene_is_refused_with_both_hashes),
        TEST_IN_FOLDER(other_arrays_are_refused),
        TEST_IN_FOLDER(optional_arrays_may_be_missing),
        TEST_IN_FOLDER(optional_arrays_of_zeros_are_left_out),
        TEST_IN_FOLDER(optional_arrays_that_are_there_are_read),
        TEST_IN_FOLDER(empty_folder_has_no_checkpoint),
        TEST_IN_FOLDER(programs_own_error_setting_is_kept),
        TEST_IN_FOLDER(full_disk_leaves_earlier_checkpoints),
        TEST_IN_FOLDER(file_size_limit_is_an_io_failure),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
