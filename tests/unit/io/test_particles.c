// SPDX-License-Identifier: Apache-2.0
//
// Frames of particles: what is written is read back, counts may change, formats say what they can.
#include "folder.h"
#include "sample_cloud.h"
#include "sample_series.h"
#include "support/fault_sweep.h"

#include "base/arena.h"
#include "io/frames/series.h"

static void check_field(const pli_frame_field *got, const pli_frame_field *want, int32_t count)
{
    assert_string_equal(got->name, want->name);
    assert_string_equal(got->unit, want->unit);
    assert_int_equal(got->components, want->components);
    assert_int_equal(got->whole, want->whole);
    for (int64_t i = 0; i < (int64_t)count * want->components; ++i) {
        // whole numbers come back as they were, others as the nearest float
        double value = want->whole ? want->values[i] : (double)(float)want->values[i];
        assert_true(got->values[i] == value);
    }
}

static void check_cloud(const pli_frame *got, int32_t index)
{
    static cloud want;
    cloud_init(&want, index);
    assert_int_equal(got->index, index);
    assert_int_equal(got->step, want.frame.step);
    assert_true(got->time == want.frame.time);
    assert_int_equal(got->part_count, 2);
    for (int32_t p = 0; p < 2; ++p) {
        const pli_frame_part *a = &got->parts[p];
        const pli_frame_part *b = &want.parts[p];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->kind, PLI_PART_POINTS);
        assert_int_equal(a->point_count, b->point_count);
        assert_int_equal(a->cell_count, 0);
        assert_true(a->radius == b->radius);
        assert_memory_equal(a->points, b->points, 24 * (size_t)b->point_count);
        assert_int_equal(a->field_count, b->field_count);
        for (int32_t i = 0; i < b->field_count; ++i) {
            check_field(&a->fields[i], &b->fields[i], b->point_count);
        }
    }
}

static void clouds_of_changing_size_are_read_back(void **state)
{
    folder_fixture *fix = *state;
    for (int compress = 0; compress < 2; ++compress) {
        pli_series *series = NULL;
        cloud_write(fix->context, fix->folder, compress == 1, true);
        OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
        assert_int_equal(pli_series_count(series), CLOUD_FRAMES);
        for (int32_t index = 0; index < CLOUD_FRAMES; ++index) {
            pli_frame *got = NULL;
            OK(fix->context, pli_series_load(series, index, &got));
            check_cloud(got, index);
            pli_frame_destroy(got);
        }
        pli_series_destroy(series);
    }
    assert_int_equal(access(in_folder(fix, "frames/sand_00000.vtp"), R_OK), 0);
    assert_int_equal(access(in_folder(fix, "frames/dust_00004.vtp"), R_OK), 0);
}

// Adds frame 3 of the cloud with one change and says what the writer answered.
static pli_status add_changed(folder_fixture *fix, void (*change)(cloud *c))
{
    static cloud c;
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = fix->folder;
    pli_frame_writer *writer = NULL;
    OK(fix->context, pli_frame_writer_create(fix->context, &def, &writer));
    cloud_init(&c, 3);
    if (change != NULL) change(&c);
    pli_status status = pli_frame_writer_add(writer, &c.frame);
    pli_frame_writer_destroy(writer);
    return status;
}

static void lose_particle(cloud *c)
{
    c->points[7][1] = NAN;
}

static void send_particle_away(cloud *c)
{
    c->dust[19][2] = -INFINITY;
}

static void spoil_field_radius(cloud *c)
{
    c->radius[5] = NAN;
}

static void spoil_part_radius(cloud *c)
{
    c->parts[1].radius = -1;
}

static void halve_material(cloud *c)
{
    c->material[299] = 0.5;
}

static void overflow_count(cloud *c)
{
    c->count[12] = 2147483648.0;
}

static void spoil_number(cloud *c)
{
    c->J[3] = NAN;
    c->velocity[0][0] = INFINITY;
}

static void what_no_file_should_hold_is_refused(void **state)
{
    folder_fixture *fix = *state;
    static const struct {
        void (*change)(cloud *c);
        const char *message;
    } cases[] = {
        {lose_particle, "particle 7 of 'sand' is at (0.07, nan"},
        {send_particle_away, "particle 19 of 'dust'"},
        {spoil_field_radius, "particle 5 of 'sand' has the radius nan m"},
        {spoil_part_radius, "'dust' have the radius -1 m"},
        {halve_material, "field 'material' of body 'sand' is said to be whole, but item 299"},
        {overflow_count, "item 12 has 2.14748e+09"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(add_changed(fix, cases[i].change), PLI_ERROR_ARGUMENT);
        assert_true(message_has(fix->context, cases[i].message));
        assert_int_equal(count_entries(fix, "frames"), 0);
    }
    // values of fields may be anything: pictures show where they are not finite
    assert_int_equal(add_changed(fix, spoil_number), PLI_OK);
}

// Replaces text in a file by text of the same length.
static void replace_text(const char *path, const char *old, const char *new)
{
    size_t count = 0;
    char *bytes = read_bytes(path, &count);
    char *place = strstr(bytes, old);
    assert_non_null(place);
    assert_int_equal(strlen(old), strlen(new));
    memcpy(place, new, strlen(new));
    write_bytes(path, bytes, count);
    free(bytes);
}

static void foreign_polydata_are_refused(void **state)
{
    folder_fixture *fix = *state;
    static const char *const changes[][3] = {
        {"NumberOfPolys=\"0\"", "NumberOfPolys=\"2\"", "other than one vertex for every point"},
        {"NumberOfVerts=\"300\"", "NumberOfVerts=\"299\"", "other than one vertex for every point"},
        {"type=\"Int32\" Name=\"material\"", "type=\"UInt8\" Name=\"material\"",
         "a field is neither"},
        {"type=\"Float64\" Name=\"Points\"", "type=\"Float16\" Name=\"Points\"",
         "points are neither"},
    };
    for (int i = 0; i < 4; ++i) {
        pli_series *series = NULL;
        pli_frame *got = NULL;
        cloud_write(fix->context, fix->folder, false, true);
        replace_text(in_folder(fix, "frames/sand_00003.vtp"), changes[i][0], changes[i][1]);
        OK(fix->context, pli_series_create(fix->context, fix->folder, &series));
        assert_int_equal(pli_series_load(series, 3, &got), PLI_ERROR_IO);
        assert_null(got);
        assert_true(message_has(fix->context, changes[i][2]));
        pli_series_destroy(series);
    }
    replace_text(in_folder(fix, "frames/dust_00003.vtp"), "0.0125", "-0.125");
    pli_arena *arena = NULL;
    pli_frame_part part = {0};
    int64_t step = 0;
    OK(fix->context, pli_arena_create(fix->context, 1 << 12, &arena));
    assert_int_equal(
        pli_vtu_read(fix->context, in_folder(fix, "frames/dust_00003.vtp"), arena, &part, &step),
        PLI_ERROR_IO);
    assert_true(message_has(fix->context, "radius is damaged"));
    pli_arena_destroy(arena);
}

// ---- exports ----------------------------------------------------------------------------------

static pli_export_def export_def(folder_fixture *fix, const char *format, char target[512])
{
    pli_export_def def = pli_export_def_default();
    snprintf(target, 512, "%s/out-%s", fix->folder, format);
    def.folder = fix->folder;
    def.target = target;
    def.format = format;
    return def;
}

static pli_status export_as(folder_fixture *fix, const char *format)
{
    char target[512];
    pli_export_report report;
    pli_export_def def = export_def(fix, format, target);
    return pli_export(fix->context, &def, &report);
}

static void changing_counts_are_exported_or_refused_with_an_alternative(void **state)
{
    folder_fixture *fix = *state;
    cloud_write(fix->context, fix->folder, false, true);
    assert_int_equal(export_as(fix, "ply"), PLI_OK);
    assert_int_equal(export_as(fix, "usda"), PLI_OK);
    assert_int_equal(export_as(fix, "vtkhdf"), PLI_OK);
    assert_int_equal(export_as(fix, "obj+pc2"), PLI_ERROR_UNSUPPORTED);
    assert_true(message_has(fix->context, "body 'sand' changes its points"));
    assert_true(message_has(fix->context, "ply, usda and vtkhdf can"));
    assert_int_equal(export_as(fix, "glb"), PLI_ERROR_UNSUPPORTED);
    assert_true(message_has(fix->context, "ply, usda and vtkhdf can"));
}

static void steady_clouds_are_exported_by_every_format(void **state)
{
    folder_fixture *fix = *state;
    cloud_write(fix->context, fix->folder, false, false);
    for (int32_t i = 0; pli_export_format_get(i) != NULL; ++i) {
        assert_int_equal(export_as(fix, pli_export_format_get(i)->name), PLI_OK);
    }
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "out-glb/frames.glb"), &count);
    assert_non_null(strstr(bytes + 20, "\"mode\":0"));
    free(bytes);
    bytes = read_bytes(in_folder(fix, "out-obj+pc2/dust.obj"), &count);
    assert_non_null(strstr(bytes, "\nv 2 0 0\n"));
    assert_null(strstr(bytes, "\nf "));
    free(bytes);
    bytes = read_bytes(in_folder(fix, "out-usda/frames.usda"), &count);
    assert_non_null(strstr(bytes, "def Points \"dust\""));
    assert_non_null(strstr(bytes, "float[] widths = [0.025] (\n            interpolation = "
                                  "\"constant\""));
    free(bytes);
}

// Frames that hold no particle at all.
static void empty_clouds_are_exported_where_a_file_can_be_empty(void **state)
{
    folder_fixture *fix = *state;
    pli_frame_part part = {.name = "none", .kind = PLI_PART_POINTS};
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = fix->folder;
    pli_frame_writer *writer = NULL;
    OK(fix->context, pli_frame_writer_create(fix->context, &def, &writer));
    for (int32_t index = 0; index < 2; ++index) {
        pli_frame frame = {.index = index, .time = index, .part_count = 1, .parts = &part};
        OK(fix->context, pli_frame_writer_add(writer, &frame));
    }
    pli_frame_writer_destroy(writer);
    for (int32_t i = 0; pli_export_format_get(i) != NULL; ++i) {
        const char *format = pli_export_format_get(i)->name;
        bool can = strcmp(format, "glb") != 0;
        assert_int_equal(export_as(fix, format), can ? PLI_OK : PLI_ERROR_UNSUPPORTED);
    }
    pli_check_def check = {0};
    pli_check_report report;
    check.folder = fix->folder;
    OK(fix->context, pli_frames_check(fix->context, &check, &report));
    assert_int_equal(report.frame_count, 2);
    assert_int_equal(report.bad_frame_count, 0);
}

// Reads the binary body of a PLY file back by hand: x y z, velocity, J, material, count, radius.
static void ply_holds_floats_and_integers_in_order(void **state)
{
    folder_fixture *fix = *state;
    static cloud want;
    cloud_write(fix->context, fix->folder, false, true);
    assert_int_equal(export_as(fix, "ply"), PLI_OK);
    static const char head[] = "element vertex 300\n"
                               "property float x\nproperty float y\nproperty float z\n"
                               "property float velocity_x\nproperty float velocity_y\n"
                               "property float velocity_z\nproperty float J\n"
                               "property int material\nproperty int count\n"
                               "property float radius\nend_header\n";
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, "out-ply/sand_00003.ply"), &count);
    char *begin = strstr(bytes, head);
    assert_non_null(begin);
    begin += sizeof head - 1;
    assert_int_equal(bytes + count - begin, CLOUD_MOST * 40);
    cloud_init(&want, 3);
    for (int32_t i = 0; i < CLOUD_MOST; ++i) {
        float reals[7];
        int32_t whole[2];
        float radius;
        memcpy(reals, begin + 40 * i, sizeof reals);
        memcpy(whole, begin + 40 * i + 28, sizeof whole);
        memcpy(&radius, begin + 40 * i + 36, sizeof radius);
        for (int k = 0; k < 3; ++k) assert_true(reals[k] == (float)want.points[i][k]);
        for (int k = 0; k < 3; ++k) assert_true(reals[3 + k] == (float)want.velocity[i][k]);
        assert_true(reals[6] == (float)want.J[i]);
        assert_int_equal(whole[0], (int32_t)want.material[i]);
        assert_int_equal(whole[1], 16777217 + 2 * i);
        assert_true(radius == (float)want.radius[i]);
    }
    free(bytes);
    bytes = read_bytes(in_folder(fix, "out-ply/dust_00003.ply"), &count);
    assert_non_null(strstr(bytes, "\ncomment radius 0.0125 m\n"));
    free(bytes);
    // frame 0 has a file without vertices
    bytes = read_bytes(in_folder(fix, "out-ply/sand_00000.ply"), &count);
    assert_non_null(strstr(bytes, "element vertex 0\n"));
    free(bytes);
}

// ---- checks and failures ----------------------------------------------------------------------

static void checks_count_particles_beside_meshes(void **state)
{
    folder_fixture *fix = *state;
    static cloud c;
    sample s;
    cloud_init(&c, 3);
    sample_init(&s, 3, 3);
    pli_frame_part parts[3] = {s.parts[0], c.parts[0], c.parts[1]};
    pli_frame frame = {.index = 3, .part_count = 3, .parts = parts};
    pli_frame_findings findings;
    OK(fix->context, pli_frame_check(fix->context, &frame, true, &findings));
    assert_false(!findings.is_clean);
    assert_int_equal(findings.particle_count, CLOUD_MOST + CLOUD_DUST);
    assert_int_equal(findings.tet_count, s.parts[0].cell_count);
    assert_true(findings.triangle_count > 0);

    c.points[0][0] = NAN;
    c.points[1][2] = 1e93;
    c.dust[4][1] = INFINITY;
    OK(fix->context, pli_frame_check(fix->context, &frame, true, &findings));
    assert_int_equal(findings.lost_count, 3);
    assert_int_equal(findings.intersection_count, 0);
    sample_clear(&s);
}

static pli_status write_and_read(pli_context *context, const char *folder)
{
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.compress = true;
    pli_frame_writer *writer = NULL;
    pli_series *series = NULL;
    pli_frame *loaded = NULL;
    pli_status status = pli_frame_writer_create(context, &def, &writer);
    for (int32_t index = 0; index < 3 && status == PLI_OK; ++index) {
        static cloud c;
        cloud_init(&c, index);
        status = pli_frame_writer_add(writer, &c.frame);
    }
    pli_frame_writer_destroy(writer);
    if (status == PLI_OK) status = pli_series_create(context, folder, &series);
    if (status == PLI_OK) status = pli_series_load(series, 2, &loaded);
    pli_frame_destroy(loaded);
    pli_series_destroy(series);
    return status;
}

static pli_status export_in(pli_context *context, const char *folder, const char *format)
{
    pli_export_def def = pli_export_def_default();
    pli_export_report report;
    def.folder = def.target = folder;
    def.format = format;
    return pli_export(context, &def, &report);
}

static pli_status write_ply(pli_context *context, const char *folder)
{
    return export_in(context, folder, "ply");
}

static pli_status write_usda(pli_context *context, const char *folder)
{
    return export_in(context, folder, "usda");
}

static pli_status write_vtkhdf(pli_context *context, const char *folder)
{
    return export_in(context, folder, "vtkhdf");
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    static pli_status (*const works[])(pli_context * context, const char *folder) = {
        write_and_read, write_ply, write_usda, write_vtkhdf};
    for (int i = 0; i < 4; ++i) {
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            sweep.status = works[i](sweep.context, fix->folder);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(clouds_of_changing_size_are_read_back),
        TEST_IN_FOLDER(what_no_file_should_hold_is_refused),
        TEST_IN_FOLDER(foreign_polydata_are_refused),
        TEST_IN_FOLDER(changing_counts_are_exported_or_refused_with_an_alternative),
        TEST_IN_FOLDER(steady_clouds_are_exported_by_every_format),
        TEST_IN_FOLDER(empty_clouds_are_exported_where_a_file_can_be_empty),
        TEST_IN_FOLDER(ply_holds_floats_and_integers_in_order),
        TEST_IN_FOLDER(checks_count_particles_beside_meshes),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("particles", tests, NULL, NULL);
}
