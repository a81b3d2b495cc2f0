// SPDX-License-Identifier: Apache-2.0
//
// Exports: which files there are, what is refused, and that failures leave nothing half done. That
// other programs read the files is the business of tests/oracle/export.py.
#include "folder.h"
#include "sample_series.h"
#include "support/fault_sweep.h"

#include "io/export/export.h"

#include <locale.h>
#include <sys/stat.h>

enum { SIDE = 4, FRAMES = 5 };

static const char *const formats[] = {"ply", "obj+pc2", "glb", "usda", "vtkhdf"};

enum { FORMATS = 5 };

static pli_export_def export_def(folder_fixture *fix, const char *format, char target[512])
{
    pli_export_def def = pli_export_def_default();
    snprintf(target, 512, "%.200s/out-%.20s", fix->folder, format);
    def.folder = fix->folder;
    def.target = target;
    def.format = format;
    return def;
}

static void every_format_is_listed(void **state)
{
    (void)state;
    for (int32_t i = 0; i < FORMATS; ++i) {
        assert_string_equal(pli_export_format_get(i)->name, formats[i]);
    }
    assert_null(pli_export_format_get(FORMATS));
}

static void every_format_writes_its_files(void **state)
{
    folder_fixture *fix = *state;
    static const int files[FORMATS] = {3 * FRAMES, 6, 1, 1, 3};
    sample_write(fix->context, fix->folder, true, SIDE, 0, FRAMES - 1);
    for (int i = 0; i < FORMATS; ++i) {
        char target[512];
        pli_export_report report;
        pli_export_def def = export_def(fix, formats[i], target);
        OK(fix->context, pli_export(fix->context, &def, &report));
        assert_int_equal(report.file_count, files[i]);
        assert_int_equal(report.frame_count, FRAMES);
        assert_int_equal(count_entries(fix, strrchr(target, '/') + 1), files[i]);
    }
}

static void frames_are_chosen_by_number(void **state)
{
    folder_fixture *fix = *state;
    char target[512];
    pli_export_report report;
    sample_write(fix->context, fix->folder, false, SIDE, 0, 9);
    pli_export_def def = export_def(fix, "ply", target);
    def.first = 2;
    def.last = 8;
    def.every = 3;
    OK(fix->context, pli_export(fix->context, &def, &report));
    // 2, 5, 8
    assert_int_equal(report.frame_count, 3);
    assert_int_equal(report.file_count, 9);
    assert_int_equal(access(in_folder(fix, "out-ply/block_00005.ply"), R_OK), 0);
    def.first = 10;
    def.last = -1;
    assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_ARGUMENT);
    assert_true(message_has(fix->context, "it has 10 in all"));
}

static void morph_targets_are_thinned_evenly(void **state)
{
    folder_fixture *fix = *state;
    char target[512];
    pli_export_report report;
    sample_write(fix->context, fix->folder, false, SIDE, 0, 20);
    pli_export_def def = export_def(fix, "glb", target);
    def.max_targets = 4;
    OK(fix->context, pli_export(fix->context, &def, &report));
    assert_int_equal(report.frames_found, 21);
    assert_int_equal(report.frame_count, 5);
}

static void nonsense_is_refused(void **state)
{
    folder_fixture *fix = *state;
    char target[512];
    pli_export_report report;
    pli_export_def def = export_def(fix, "fbx", target);
    assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_ARGUMENT);
    assert_true(message_has(fix->context, "no format 'fbx'; possible are ply, obj+pc2, glb, usda"));
    def.format = NULL;
    assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_ARGUMENT);
    def.format = "ply";
    assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "series.pvd"));
    def.target = NULL;
    assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_ARGUMENT);
}

// Frame 0 has another lattice than frame 1.
static void changing_bodies_are_exported_where_possible(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 3, 0, 0);
    sample_write(fix->context, fix->folder, false, 4, 1, 1);
    static const pli_status expected[FORMATS] = {
        PLI_OK, PLI_ERROR_UNSUPPORTED, PLI_ERROR_UNSUPPORTED, PLI_ERROR_UNSUPPORTED, PLI_OK};
    for (int i = 0; i < FORMATS; ++i) {
        char target[512];
        pli_export_report report;
        pli_export_def def = export_def(fix, formats[i], target);
        assert_int_equal(pli_export(fix->context, &def, &report), expected[i]);
        if (expected[i] != PLI_OK) assert_true(message_has(fix->context, "body 'block' changes"));
    }
}

// Points that come and go, and change in number.
static void missing_bodies_are_exported_where_possible(void **state)
{
    folder_fixture *fix = *state;
    pli_frame_writer_def writer_def = pli_frame_writer_def_default();
    writer_def.folder = fix->folder;
    pli_frame_writer *writer = NULL;
    OK(fix->context, pli_frame_writer_create(fix->context, &writer_def, &writer));
    double points[9] = {0, 0, 0, 1, 2, 3, 4, 5, 6};
    pli_frame_field velocity = {"velocity", "m/s", PLI_PLACE_POINT, 3, points, false};
    for (int32_t index = 0; index < 3; ++index) {
        pli_frame_part parts[2] = {
            {.name = "a", .kind = PLI_PART_POINTS, .point_count = 1, .points = points},
            {.name = "b", .kind = PLI_PART_POINTS, .point_count = index + 1, .points = points}};
        parts[1].field_count = 1;
        parts[1].fields = &velocity;
        pli_frame frame = {.index = index, .time = index, .parts = parts};
        frame.part_count = 2;
        if (index == 1) frame.parts = &parts[1];
        if (index == 1) frame.part_count = 1;
        OK(fix->context, pli_frame_writer_add(writer, &frame));
    }
    pli_frame_writer_destroy(writer);
    static const pli_status expected[FORMATS] = {PLI_OK, PLI_ERROR_UNSUPPORTED,
                                                 PLI_ERROR_UNSUPPORTED, PLI_OK, PLI_OK};
    for (int i = 0; i < FORMATS; ++i) {
        char target[512];
        pli_export_report report;
        pli_export_def def = export_def(fix, formats[i], target);
        assert_int_equal(pli_export(fix->context, &def, &report), expected[i]);
    }
    assert_int_equal(count_entries(fix, "out-ply"), 5);
}

static void up_axis_and_rate_come_from_the_run(void **state)
{
    folder_fixture *fix = *state;
    char target[512];
    pli_export_report report;
    sample_write(fix->context, fix->folder, false, SIDE, 0, 1);
    static const char record[] = "{\"scene\": \"mixed/twist\", \"fps\": 30, \"up\": \"z\"}";
    write_bytes(in_folder(fix, "run.json"), record, sizeof record - 1);
    for (int i = 0; i < FORMATS; ++i) {
        pli_export_def def = export_def(fix, formats[i], target);
        OK(fix->context, pli_export(fix->context, &def, &report));
    }
    static const char *const expected[][2] = {
        {"out-ply/block_00000.ply", "metres, z is up"},
        {"out-obj+pc2/block.obj", "metres, z is up"},
        {"out-glb/mixed_twist.glb", "\"rotation\":[-0.7071067811865475"},
        {"out-glb/mixed_twist.glb", "{\"name\":\"block\",\"pbrMetallicRoughness\""},
        {"out-usda/mixed_twist.usda", "upAxis = \"Z\""},
        {"out-usda/mixed_twist.usda", "timeCodesPerSecond = 30"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i) {
        size_t count = 0;
        char *bytes = read_bytes(in_folder(fix, expected[i][0]), &count);
        assert_non_null(memmem(bytes, count, expected[i][1], strlen(expected[i][1])));
        free(bytes);
    }
    // a damaged record is as good as none
    write_bytes(in_folder(fix, "run.json"), "{\"fps\": ", 8);
    pli_export_def def = export_def(fix, "usda", target);
    OK(fix->context, pli_export(fix->context, &def, &report));
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "out-usda/frames.usda"), &count);
    assert_non_null(strstr(bytes, "timeCodesPerSecond = 24\n"));
    free(bytes);
}

static bool cancel_later(void *user)
{
    int *left = user;
    return --*left < 0;
}

typedef struct heard {
    int count;
    int32_t done;
    int32_t total;
} heard;

static void hear(void *user, int32_t done, int32_t total)
{
    heard *h = user;
    ++h->count;
    assert_true(done >= h->done && done <= total);
    h->done = done;
    h->total = total;
}

static void exports_tell_progress_and_can_be_stopped(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, SIDE, 0, FRAMES - 1);
    for (int i = 0; i < FORMATS; ++i) {
        char target[512];
        pli_export_report report;
        heard h = {0};
        pli_export_def def = export_def(fix, formats[i], target);
        def.progress = hear;
        def.progress_user = &h;
        OK(fix->context, pli_export(fix->context, &def, &report));
        assert_int_equal(h.done, h.total);
        int left = FRAMES + 2;
        def.cancel = cancel_later;
        def.cancel_user = &left;
        remove_folder(target);
        h = (heard){0};
        assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_INTERRUPTED);
        // nothing half done, nothing hidden
        assert_int_equal(count_entries(fix, strrchr(target, '/') + 1), report.file_count);
    }
}

static void full_disk_leaves_no_half_file(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, false, 20, 0, 3);
    for (int i = 0; i < FORMATS; ++i) {
        for (int kib = 8; kib <= 72; kib += 32) {
            char target[512];
            char size[32];
            pli_export_report report;
            pli_export_def def = export_def(fix, formats[i], target);
            mkdir(target, 0777);
            snprintf(size, sizeof size, "size=%dk", kib);
            if (mount("none", target, "tmpfs", 0, size) != 0) skip();
            assert_int_equal(pli_export(fix->context, &def, &report), PLI_ERROR_IO);
            assert_true(message_has(fix->context, target));
            assert_int_equal(count_entries(fix, strrchr(target, '/') + 1), report.file_count);
            assert_int_equal(umount(target), 0);
        }
    }
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, true, 3, 0, 1);
    for (int i = 0; i < FORMATS; ++i) {
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            char target[512];
            pli_export_report report;
            pli_export_def def = export_def(fix, formats[i], target);
            sweep.status = pli_export(sweep.context, &def, &report);
        }
    }
}

static void assert_same_file(folder_fixture *fix, const char *a, const char *b)
{
    size_t count_a = 0;
    size_t count_b = 0;
    char *bytes_a = read_bytes(in_folder(fix, a), &count_a);
    char *bytes_b = read_bytes(in_folder(fix, b), &count_b);
    assert_int_equal(count_a, count_b);
    assert_memory_equal(bytes_a, bytes_b, count_a);
    free(bytes_a);
    free(bytes_b);
}

static void comma_locale_changes_no_file(void **state)
{
    folder_fixture *fix = *state;
    char series[512];
    for (int comma = 0; comma < 2; ++comma) {
        if (comma == 1 && setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
            fprintf(stderr, "no locale with a decimal comma is installed\n");
            skip();
        }
        snprintf(series, sizeof series, "%s/%d", fix->folder, comma);
        sample_write(fix->context, series, false, SIDE, 0, 1);
        for (int i = 0; i < FORMATS; ++i) {
            char target[512];
            pli_export_report report;
            pli_export_def def = export_def(fix, formats[i], target);
            snprintf(target, sizeof target, "%.200s/%d", fix->folder, comma);
            def.folder = series;
            OK(fix->context, pli_export(fix->context, &def, &report));
        }
    }
    setlocale(LC_ALL, "C");
    assert_same_file(fix, "0/series.pvd", "1/series.pvd");
    assert_same_file(fix, "0/frames/block_00001.vtu", "1/frames/block_00001.vtu");
    assert_same_file(fix, "0/block_00001.ply", "1/block_00001.ply");
    assert_same_file(fix, "0/block.obj", "1/block.obj");
    assert_same_file(fix, "0/frames.glb", "1/frames.glb");
    assert_same_file(fix, "0/frames.usda", "1/frames.usda");
    assert_same_file(fix, "0/block.vtkhdf", "1/block.vtkhdf");
}

static void surface_of_a_lattice_has_its_square_faces(void **state)
{
    folder_fixture *fix = *state;
    sample s;
    pli_skin skin;
    sample_init(&s, 5, 0);
    OK(fix->context, pli_skin_init(&skin, fix->context, &s.parts[0]));
    // six sides of 4 x 4 squares, two triangles each; 5^3 vertices less 3^3 inside
    assert_int_equal(skin.triangle_count, 6 * 16 * 2);
    assert_int_equal(skin.point_count, 125 - 27);
    assert_true(pli_skin_fits(&skin, &s.parts[0]));
    // volume by the divergence theorem: outward triangles give that of the lattice, 0.4^3 at rest
    float points[98 * 3];
    pli_skin_get_points(&skin, &s.parts[0], points);
    for (int32_t i = 0; i < skin.point_count; ++i) {
        int32_t id = skin.point_ids[i];
        points[3 * i] = 0.1f * (float)(id % 5);
        points[3 * i + 1] = 0.1f * (float)(id / 5 % 5);
        points[3 * i + 2] = 0.1f * (float)(id / 25);
    }
    double volume = 0;
    for (int32_t i = 0; i < skin.triangle_count; ++i) {
        const float *a = &points[3 * skin.triangles[3 * i]];
        const float *b = &points[3 * skin.triangles[3 * i + 1]];
        const float *c = &points[3 * skin.triangles[3 * i + 2]];
        volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                           a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    // coordinates are floats
    NEAR(fabs(volume), 0.064, 1e-6, 0);
    pli_skin_clear(&skin);
    sample_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_is_listed),
        TEST_IN_FOLDER(every_format_writes_its_files),
        TEST_IN_FOLDER(frames_are_chosen_by_number),
        TEST_IN_FOLDER(morph_targets_are_thinned_evenly),
        TEST_IN_FOLDER(nonsense_is_refused),
        TEST_IN_FOLDER(changing_bodies_are_exported_where_possible),
        TEST_IN_FOLDER(missing_bodies_are_exported_where_possible),
        TEST_IN_FOLDER(up_axis_and_rate_come_from_the_run),
        TEST_IN_FOLDER(exports_tell_progress_and_can_be_stopped),
        TEST_IN_FOLDER(full_disk_leaves_no_half_file),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
        TEST_IN_FOLDER(comma_locale_changes_no_file),
        TEST_IN_FOLDER(surface_of_a_lattice_has_its_square_faces),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
