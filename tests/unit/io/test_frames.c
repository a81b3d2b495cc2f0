// SPDX-License-Identifier: Apache-2.0
//
// Frames on disk: what is written is read back, damage is refused, failures leave what was there.
#include "folder.h"
#include "sample_series.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/random.h"
#include "io/frames/series.h"

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

static pli_frame_writer *open_writer(pli_context *context, const char *folder, bool compress,
                                     int32_t keep)
{
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.compress = compress;
    def.keep = keep;
    pli_frame_writer *writer = NULL;
    OK(context, pli_frame_writer_create(context, &def, &writer));
    return writer;
}

static void check_part(const pli_frame_part *got, const pli_frame_part *want)
{
    assert_string_equal(got->name, want->name);
    assert_int_equal(got->kind, want->kind);
    assert_int_equal(got->role, want->role);
    assert_int_equal(got->point_count, want->point_count);
    assert_int_equal(got->cell_count, want->cell_count);
    assert_int_equal(got->field_count, want->field_count);
    // points are stored as doubles, cells as they are
    assert_memory_equal(got->points, want->points, 24 * (size_t)want->point_count);
    size_t corners = want->kind == PLI_PART_TETS ? 4 : 3;
    if (want->cells != NULL) {
        assert_memory_equal(got->cells, want->cells, 4 * corners * (size_t)want->cell_count);
    }
    for (int32_t i = 0; i < want->field_count; ++i) {
        const pli_frame_field *field = &got->fields[i];
        assert_string_equal(field->name, want->fields[i].name);
        assert_string_equal(field->unit, want->fields[i].unit);
        assert_int_equal(field->place, want->fields[i].place);
        assert_int_equal(field->components, want->fields[i].components);
        int32_t tuples = field->place == PLI_PLACE_POINT ? got->point_count : got->cell_count;
        for (int32_t k = 0; k < tuples * field->components; ++k) {
            // fields are stored as floats: exactly the nearest one comes back
            assert_true(field->values[k] == (double)(float)want->fields[i].values[k]);
        }
    }
}

static void check_series(pli_context *context, const char *folder, int32_t n, int32_t count)
{
    pli_series *series = NULL;
    OK(context, pli_series_create(context, folder, &series));
    assert_int_equal(pli_series_count(series), count);
    for (int32_t position = 0; position < count; ++position) {
        sample want;
        pli_frame *got = NULL;
        sample_init(&want, n, position);
        OK(context, pli_series_load(series, position, &got));
        assert_int_equal(got->index, position);
        assert_int_equal(got->step, want.frame.step);
        assert_true(got->time == want.frame.time);
        assert_int_equal(got->part_count, 3);
        for (int32_t part = 0; part < 3; ++part) check_part(&got->parts[part], &want.parts[part]);
        pli_frame_destroy(got);
        sample_clear(&want);
    }
    pli_series_destroy(series);
}

static void what_is_written_is_read_back(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 5, 0, 2);
    check_series(fix->context, fix->folder, 5, 3);
    assert_int_equal(count_entries(fix, "frames"), 9);
    // frames, series.pvd and the list of what is whose
    assert_int_equal(count_entries(fix, ""), 3);
}

static void compressed_frames_are_read_back(void **state)
{
    folder_fixture *fix = *state;
    // 23^3 lattice: the connectivity takes four blocks, of which the last is not full
    sample_write(fix->context, fix->folder, true, 23, 0, 1);
    check_series(fix->context, fix->folder, 23, 2);
}

static void bodies_without_points_or_cells_are_read_back(void **state)
{
    folder_fixture *fix = *state;
    for (int compress = 0; compress < 2; ++compress) {
        pli_frame_writer *writer = open_writer(fix->context, fix->folder, compress == 1, -1);
        pli_frame_part parts[2] = {{.name = "nothing", .kind = PLI_PART_TETS},
                                   {.name = "none", .kind = PLI_PART_POINTS}};
        pli_frame frame = {.index = 0, .part_count = 2, .parts = parts};
        OK(fix->context, pli_frame_writer_add(writer, &frame));
        pli_frame_writer_destroy(writer);
        pli_series *series = NULL;
        pli_frame *got = NULL;
        OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
        OK(fix->context, pli_series_load(series, 0, &got));
        check_part(&got->parts[0], &parts[0]);
        check_part(&got->parts[1], &parts[1]);
        pli_frame_destroy(got);
        pli_series_destroy(series);
    }
}

static void files_have_the_same_bytes_for_any_thread_count(void **state)
{
    folder_fixture *fix = *state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        char folder[256];
        snprintf(folder, sizeof folder, "%s/%d", fix->folder, (int)bits.threads);
        sample_write(context, folder, true, 23, 0, 0);
        strcat(folder, "/frames/block_00000.vtu");
        size_t count = 0;
        char *bytes = read_bytes(folder, &count);
        same_bits_keep(&bits, bytes, count);
        free(bytes);
        pli_context_destroy(context);
    }
}

static void continued_series_drops_later_frames(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 3, 0, 5);
    pli_series *series = NULL;
    OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
    assert_int_equal(pli_series_count(series), 6);

    // frames 3, 4, 5 go, then 3 comes again
    pli_frame_writer_destroy(open_writer(fix->context, fix->folder, false, 2));
    assert_int_equal(count_entries(fix, "frames"), 9);
    OK(fix->context, pli_series_update(series));
    assert_int_equal(pli_series_count(series), 3);
    sample_write(fix->context, fix->folder, false, 3, 3, 3);
    check_series(fix->context, fix->folder, 3, 4);
    pli_series_destroy(series);
}

static void only_wanted_fields_are_written(void **state)
{
    folder_fixture *fix = *state;
    const char *fields[] = {"stress", "speed"};
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = fix->folder;
    def.fields = fields;
    def.field_count = 2;
    pli_frame_writer *writer = NULL;
    OK(fix->context, pli_frame_writer_create(fix->context, &def, &writer));
    sample s;
    sample_init(&s, 3, 0);
    OK(fix->context, pli_frame_writer_add(writer, &s.frame));
    pli_frame_writer_destroy(writer);

    pli_series *series = NULL;
    pli_frame *got = NULL;
    OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
    OK(fix->context, pli_series_load(series, 0, &got));
    assert_int_equal(got->parts[0].field_count, 1);
    assert_string_equal(got->parts[0].fields[0].name, "stress");
    assert_int_equal(got->parts[1].field_count, 0);
    assert_int_equal(got->parts[2].field_count, 1);
    pli_frame_destroy(got);
    pli_series_destroy(series);
    sample_clear(&s);
}

static void names_that_no_file_can_have_are_kept(void **state)
{
    folder_fixture *fix = *state;
    static const char *names[4] = {"../a<b>&\"c\"", "__a_b___c_", ".hidden", ""};
    double point[3] = {1, 2, 3};
    pli_frame_part parts[4] = {0};
    for (int i = 0; i < 4; ++i) {
        parts[i] = (pli_frame_part){.name = names[i], .kind = PLI_PART_POINTS};
        parts[i].point_count = 1;
        parts[i].points = point;
    }
    pli_frame frame = {.index = 0, .part_count = 4, .parts = parts};
    pli_frame_writer *writer = open_writer(fix->context, fix->folder, false, -1);
    OK(fix->context, pli_frame_writer_add(writer, &frame));
    pli_frame_writer_destroy(writer);
    assert_int_equal(count_entries(fix, "frames"), 4);
    // frames, series.pvd and the list of what is whose
    assert_int_equal(count_entries(fix, ""), 3);

    pli_series *series = NULL;
    pli_frame *got = NULL;
    OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
    OK(fix->context, pli_series_load(series, 0, &got));
    for (int i = 0; i < 4; ++i) assert_string_equal(got->parts[i].name, names[i]);
    pli_frame_destroy(got);
    pli_series_destroy(series);
}

static void values_beyond_float_stay_finite(void **state)
{
    folder_fixture *fix = *state;
    double point[6] = {0};
    double values[2] = {1e300, -1e300};
    pli_frame_field field = {"p", "Pa", PLI_PLACE_POINT, 1, values, false};
    pli_frame_part part = {.name = "a",
                           .kind = PLI_PART_POINTS,
                           .point_count = 2,
                           .points = point,
                           .field_count = 1,
                           .fields = &field};
    pli_frame frame = {.part_count = 1, .parts = &part};
    pli_frame_writer *writer = open_writer(fix->context, fix->folder, false, -1);
    OK(fix->context, pli_frame_writer_add(writer, &frame));
    pli_frame_writer_destroy(writer);
    pli_series *series = NULL;
    pli_frame *got = NULL;
    OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
    OK(fix->context, pli_series_load(series, 0, &got));
    assert_true(got->parts[0].fields[0].values[0] > 3.4e38);
    assert_true(isfinite(got->parts[0].fields[0].values[0]));
    assert_true(got->parts[0].fields[0].values[1] < -3.4e38);
    assert_true(isfinite(got->parts[0].fields[0].values[1]));
    pli_frame_destroy(got);
    pli_series_destroy(series);
}

static void impossible_frames_are_refused(void **state)
{
    folder_fixture *fix = *state;
    pli_frame_writer *writer = open_writer(fix->context, fix->folder, false, -1);
    sample s;
    sample_init(&s, 3, 4);
    OK(fix->context, pli_frame_writer_add(writer, &s.frame));
    // the same number again, then an earlier one
    assert_int_equal(pli_frame_writer_add(writer, &s.frame), PLI_ERROR_ARGUMENT);
    s.frame.index = 5;
    s.bodies[0].cells[7] = s.parts[0].point_count;
    assert_int_equal(pli_frame_writer_add(writer, &s.frame), PLI_ERROR_ARGUMENT);
    assert_true(message_has(fix->context, "cell 1 refers to point 27, but there are 27"));
    s.bodies[0].cells[7] = 0;
    s.bodies[0].fields[0].components = 2;
    assert_int_equal(pli_frame_writer_add(writer, &s.frame), PLI_ERROR_ARGUMENT);
    assert_true(message_has(fix->context, "2 components"));
    s.bodies[0].fields[0].components = 3;
    s.bodies[2].fields[0].place = PLI_PLACE_CELL;
    assert_int_equal(pli_frame_writer_add(writer, &s.frame), PLI_ERROR_ARGUMENT);
    assert_int_equal(count_entries(fix, "frames"), 3);
    sample_clear(&s);
    pli_frame_writer_destroy(writer);
}

static void series_of_other_programs_are_refused(void **state)
{
    folder_fixture *fix = *state;
    static const char *const texts[] = {
        "",
        "<VTKFile type=\"Collection\"><Collection>",
        "<VTKFile><Collection><DataSet/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"0\" part=\"0\" name=\"a\" "
        "file=\"frames/../../etc_00000.vtu\"/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"0\" part=\"0\" name=\"a\" "
        "file=\"/etc/a_00000.vtu\"/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"nan\" part=\"0\" name=\"a\" "
        "file=\"frames/a_00000.vtu\"/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"0\" part=\"-1\" name=\"a\" "
        "file=\"frames/a_00000.vtu\"/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"0\" part=\"0\" name=\"a\" "
        "file=\"frames/a_99999999999.vtu\"/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"0\" part=\"0\" name=\"&foo;\" "
        "file=\"frames/a_00000.vtu\"/></Collection></VTKFile>",
        "<VTKFile><Collection><DataSet timestep=\"0",
        "<!-- no end",
        "<a b c>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        write_bytes(in_folder(fix, "series.pvd"), texts[i], strlen(texts[i]));
        pli_series *series = NULL;
        assert_int_equal(pli_series_create(fix->context, fix->folder, &series), PLI_ERROR_IO);
        assert_null(series);
    }
    remove(in_folder(fix, "series.pvd"));
    pli_series *series = NULL;
    assert_int_equal(pli_series_create(fix->context, fix->folder, &series), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "series.pvd"));
}

// Loads frame 0; whatever the file holds, the answer is a frame or an io failure.
static bool load_survives(pli_series *series)
{
    pli_frame *frame = NULL;
    pli_status status = pli_series_load(series, 0, &frame);
    assert_true(status == PLI_OK || status == PLI_ERROR_IO);
    assert_true((status == PLI_OK) == (frame != NULL));
    pli_frame_destroy(frame);
    return status == PLI_OK;
}

static void damaged_frames_are_refused_or_read(void **state)
{
    folder_fixture *fix = *state;
    for (int compress = 0; compress < 2; ++compress) {
        sample_write(fix->context, fix->folder, compress == 1, 3, 0, 0);
        pli_series *series = NULL;
        OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
        static const char *const files[] = {"frames/block_00000.vtu", "frames/drops_00000.vtp"};
        for (int f = 0; f < 2; ++f) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s", fix->folder, files[f]);
            size_t count = 0;
            char *bytes = read_bytes(path, &count);

            // cut short anywhere
            for (size_t cut = 0; cut < count; cut += 37) {
                write_bytes(path, bytes, cut);
                assert_false(load_survives(series));
            }
            // any byte changed in any way
            pli_random random = {7, (uint64_t)(2 * compress + f)};
            for (uint64_t i = 0; i < 1500; ++i) {
                size_t at = (size_t)(pli_random_uniform(random, 2 * i) * (double)count);
                char before = bytes[at];
                bytes[at] = (char)pli_random_bits(random, 2 * i + 1);
                write_bytes(path, bytes, count);
                load_survives(series);
                bytes[at] = before;
            }
            write_bytes(path, bytes, count);
            assert_true(load_survives(series));
            free(bytes);
        }
        pli_series_destroy(series);
    }
}

static void hostile_headers_are_refused(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 3, 0, 0);
    pli_series *series = NULL;
    OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "frames/block_00000.vtu"), &count);
    static const char *const changes[][2] = {
        {"NumberOfPoints=\"27\"", "NumberOfPoints=\"2147483647\""},
        {"NumberOfPoints=\"27\"", "NumberOfPoints=\"-27\""},
        {"NumberOfPoints=\"27\"", "NumberOfPoints=\"99999999999999999999\""},
        {"NumberOfCells=\"48\"", "NumberOfCells=\"2147483647\""},
        {"header_type=\"UInt64\"", "header_type=\"UInt32\""},
        {"LittleEndian", "BigEndian"},
        {"UnstructuredGrid", "ImageData"},
        {"encoding=\"raw\"", "encoding=\"base64\""},
        {"header_type", "compressor=\"vtkZLibDataCompressor\" header_type"},
        {"header_type", "compressor=\"vtkLZ4DataCompressor\" header_type"},
        {"NumberOfComponents=\"3\"", "NumberOfComponents=\"2\""},
        {"Name=\"velocity\"", "Name=\"\""},
        {"type=\"Float64\" Name=\"Points\"", "type=\"Int64\" Name=\"Points\""},
        {"offset=\"0\"", "offset=\"9223372036854775807\""},
        {"offset=\"0\"", "offset=\"8\""},
        {"Name=\"connectivity\"", "Name=\"connexion\""},
        {"<Points>", "<Pints>"},
        {"</Points>", "<DataArray type=\"Float64\" Name=\"P\" format=\"appended\" offset=\"0\"/>"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        char *found = memmem(bytes, count, changes[i][0], strlen(changes[i][0]));
        assert_non_null(found);
        size_t before = (size_t)(found - bytes);
        size_t old_length = strlen(changes[i][0]);
        size_t new_length = strlen(changes[i][1]);
        char *changed = malloc(count + new_length);
        memcpy(changed, bytes, before);
        memcpy(changed + before, changes[i][1], new_length);
        memcpy(changed + before + new_length, found + old_length, count - before - old_length);
        write_bytes(in_folder(fix, "frames/block_00000.vtu"), changed,
                    count + new_length - old_length);
        free(changed);
        if (load_survives(series)) fail_msg("accepted: %s", changes[i][1]);
        assert_true(message_has(fix->context, "block_00000.vtu"));
    }
    free(bytes);
    pli_series_destroy(series);
}

static void full_disk_leaves_earlier_frames(void **state)
{
    folder_fixture *fix = *state;
    if (mount("none", fix->folder, "tmpfs", 0, "size=512k") != 0) skip();
    pli_frame_writer *writer = open_writer(fix->context, fix->folder, false, -1);
    pli_status status = PLI_OK;
    int32_t count = 0;
    for (int32_t index = 0; index < 100 && status == PLI_OK; ++index) {
        sample s;
        sample_init(&s, 9, index);
        status = pli_frame_writer_add(writer, &s.frame);
        sample_clear(&s);
        if (status == PLI_OK) count = index + 1;
    }
    assert_int_equal(status, PLI_ERROR_IO);
    assert_true(message_has(fix->context, "_000"));
    assert_true(message_has(fix->context, "bytes"));
    assert_true(count > 1);
    pli_frame_writer_destroy(writer);
    // three bodies a frame and nothing else, neither drafts nor a part of the last frame
    assert_int_equal(count_entries(fix, "frames"), 3 * count);
    check_series(fix->context, fix->folder, 9, count);
}

static void file_size_limit_is_an_io_failure(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 3, 0, 0);
    pli_frame_writer *writer = open_writer(fix->context, fix->folder, false, 0);
    sample s;
    sample_init(&s, 12, 1);

    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    struct rlimit small = {65536, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    pli_status status = pli_frame_writer_add(writer, &s.frame);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);

    assert_int_equal(status, PLI_ERROR_IO);
    assert_true(message_has(fix->context, "block_00001.vtu"));
    assert_int_equal(count_entries(fix, "frames"), 3);
    check_series(fix->context, fix->folder, 3, 1);
    // with room again, the same writer goes on
    OK(fix->context, pli_frame_writer_add(writer, &s.frame));
    pli_frame_writer_destroy(writer);
    sample_clear(&s);
}

// Writes and reads a series in a context whose n-th allocation fails.
static pli_status use_everything(pli_context *context, const char *folder)
{
    pli_frame_writer *writer = NULL;
    pli_series *series = NULL;
    pli_frame *frame = NULL;
    const char *fields[] = {"velocity"};
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.compress = true;
    def.fields = fields;
    def.field_count = 1;
    sample s;
    sample_init(&s, 3, 0);
    pli_status status = pli_frame_writer_create(context, &def, &writer);
    if (status == PLI_OK) status = pli_frame_writer_add(writer, &s.frame);
    if (status == PLI_OK) status = pli_series_create(context, folder, &series);
    if (status == PLI_OK) status = pli_series_load(series, 0, &frame);
    pli_frame_destroy(frame);
    pli_series_destroy(series);
    pli_frame_writer_destroy(writer);
    sample_clear(&s);
    return status;
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    for (int stays = 0; stays < 2; ++stays) {
        fault_sweep sweep = {.stays_short = stays == 1};
        while (fault_sweep_next(&sweep)) sweep.status = use_everything(sweep.context, fix->folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(what_is_written_is_read_back),
        TEST_IN_FOLDER(compressed_frames_are_read_back),
        TEST_IN_FOLDER(bodies_without_points_or_cells_are_read_back),
        TEST_IN_FOLDER(files_have_the_same_bytes_for_any_thread_count),
        TEST_IN_FOLDER(continued_series_drops_later_frames),
        TEST_IN_FOLDER(only_wanted_fields_are_written),
        TEST_IN_FOLDER(names_that_no_file_can_have_are_kept),
        TEST_IN_FOLDER(values_beyond_float_stay_finite),
        TEST_IN_FOLDER(impossible_frames_are_refused),
        TEST_IN_FOLDER(series_of_other_programs_are_refused),
        TEST_IN_FOLDER(damaged_frames_are_refused_or_read),
        TEST_IN_FOLDER(hostile_headers_are_refused),
        TEST_IN_FOLDER(full_disk_leaves_earlier_frames),
        TEST_IN_FOLDER(file_size_limit_is_an_io_failure),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("frames", tests, NULL, NULL);
}
