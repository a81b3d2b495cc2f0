// SPDX-License-Identifier: Apache-2.0
//
// Checking frames: bodies with known intersections and inversions, what is told of them, and whole
// series. The geometry behind it has tests of its own (unit.geometry.crossing, .predicates).
#include "folder.h"
#include "sample_series.h"
#include "support/fault_sweep.h"

#include <float.h>

static const int32_t one_tet[4] = {0, 1, 2, 3};

// A tetrahedron along the axes from a corner.
static void set_tet(double points[12], double x, double y, double z)
{
    for (int i = 0; i < 4; ++i) {
        points[3 * i] = x + (i == 1);
        points[3 * i + 1] = y + (i == 2);
        points[3 * i + 2] = z + (i == 3);
    }
}

static pli_frame_part tet_part(const char *name, const double points[12])
{
    return (pli_frame_part){.name = name,
                            .kind = PLI_PART_TETS,
                            .point_count = 4,
                            .points = points,
                            .cell_count = 1,
                            .cells = one_tet};
}

// Two tetrahedra, the second of which is moved.
typedef struct duo {
    double points[2][12];
    pli_frame_part parts[2];
    pli_frame frame;
} duo;

static void duo_init(duo *d, double x, double y, double z)
{
    memset(d, 0, sizeof *d);
    set_tet(d->points[0], 0, 0, 0);
    set_tet(d->points[1], x, y, z);
    d->parts[0] = tet_part("still", d->points[0]);
    d->parts[1] = tet_part("moved", d->points[1]);
    d->frame = (pli_frame){.index = 7, .time = 0.5, .part_count = 2, .parts = d->parts};
}

static pli_frame_findings check(const pli_frame *frame, bool colliders)
{
    pli_context *context = make_context(2);
    pli_frame_findings findings;
    OK(context, pli_frame_check(context, frame, colliders, &findings));
    pli_context_destroy(context);
    return findings;
}

static void interlocked_tetrahedra_are_found(void **state)
{
    (void)state;
    duo d;
    duo_init(&d, 0.2, 0.2, 0.2);
    pli_frame_findings findings = check(&d.frame, false);
    assert_int_equal(findings.index, 7);
    NEAR(findings.time, 0.5, 0, 0);
    assert_int_equal(findings.triangle_count, 8);
    assert_int_equal(findings.tet_count, 2);
    // the three faces at the moved corner go through the slanted face
    assert_int_equal(findings.intersection_count, 3);
    assert_int_equal(findings.pairs_shown, 3);
    assert_int_equal(findings.inverted_count, 0);
    for (int32_t i = 0; i < 3; ++i) {
        const pli_found_pair *pair = &findings.pairs[i];
        assert_string_equal(pair->cells[0].part, "still");
        assert_string_equal(pair->cells[1].part, "moved");
        assert_int_equal(pair->cells[0].cell, 0);
        int32_t sum = 0;
        for (int k = 0; k < 3; ++k) sum += pair->cells[0].vertices[k];
        assert_int_equal(sum, 1 + 2 + 3);
        for (int k = 0; k < 3; ++k) assert_true(pair->place[k] >= 0.2 && pair->place[k] <= 1);
    }
    duo_init(&d, 2, 0, 0);
    findings = check(&d.frame, false);
    assert_false(!findings.is_clean);
}

static void touching_counts_and_one_ulp_parts(void **state)
{
    (void)state;
    duo d;
    // corner on corner
    duo_init(&d, 1, 0, 0);
    pli_frame_findings findings = check(&d.frame, false);
    assert_true(findings.intersection_count > 0);
    duo_init(&d, nextafter(1, 2), 0, 0);
    findings = check(&d.frame, false);
    assert_int_equal(findings.intersection_count, 0);
    // face on face
    duo_init(&d, 0, 0, 0);
    for (int i = 0; i < 4; ++i) d.points[1][3 * i + 2] = -d.points[1][3 * i + 2];
    findings = check(&d.frame, false);
    assert_true(findings.intersection_count > 0);
    // turned over, it is inside out as well
    assert_int_equal(findings.inverted_count, 1);
    assert_string_equal(findings.inverted[0].part, "moved");
}

static void inverted_and_flat_tetrahedra_are_found(void **state)
{
    (void)state;
    duo d;
    duo_init(&d, 5, 0, 0);
    d.points[0][11] = -1;
    pli_frame_findings findings = check(&d.frame, false);
    assert_int_equal(findings.inverted_count, 1);
    assert_int_equal(findings.inverted_shown, 1);
    assert_int_equal(findings.inverted[0].cell, 0);
    assert_memory_equal(findings.inverted[0].vertices, one_tet, sizeof one_tet);
    // no volume is not enough volume; the smallest one is
    d.points[0][11] = 0;
    assert_int_equal(check(&d.frame, false).inverted_count, 1);
    d.points[0][11] = 1e-92;
    assert_int_equal(check(&d.frame, false).inverted_count, 0);
    // what is smaller counts as zero
    d.points[0][11] = DBL_TRUE_MIN;
    assert_int_equal(check(&d.frame, false).inverted_count, 1);
}

static void points_without_a_place_are_counted(void **state)
{
    (void)state;
    static const double bad[3] = {NAN, -INFINITY, 1e200};
    for (int i = 0; i < 3; ++i) {
        duo d;
        duo_init(&d, 0.2, 0.2, 0.2);
        d.points[0][4] = bad[i];
        pli_frame_findings findings = check(&d.frame, false);
        assert_int_equal(findings.lost_count, 1);
        assert_true(!findings.is_clean);
        // the one face without the point is left, and nothing goes through it
        assert_int_equal(findings.triangle_count, 5);
        assert_int_equal(findings.intersection_count, 0);
        assert_int_equal(findings.inverted_count, 0);
    }
}

static void triangles_without_area_are_counted(void **state)
{
    (void)state;
    double points[18] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 5, 0, 0, 6, 0, 0, 5, 1, 0};
    const int32_t cells[6] = {0, 1, 2, 3, 4, 5};
    pli_frame_part part = {.name = "cloth",
                           .kind = PLI_PART_TRIANGLES,
                           .point_count = 6,
                           .points = points,
                           .cell_count = 2,
                           .cells = cells};
    pli_frame frame = {.part_count = 1, .parts = &part};
    pli_frame_findings findings = check(&frame, false);
    assert_int_equal(findings.flat_count, 1);
    assert_int_equal(findings.intersection_count, 0);
    assert_true(!findings.is_clean);
}

static void colliders_are_tested_on_request_and_not_among_themselves(void **state)
{
    (void)state;
    duo d;
    duo_init(&d, 0.2, 0.2, 0.2);
    d.parts[1].role = PLI_ROLE_COLLIDER;
    assert_int_equal(check(&d.frame, false).intersection_count, 0);
    assert_int_equal(check(&d.frame, false).triangle_count, 4);
    assert_int_equal(check(&d.frame, true).intersection_count, 3);
    d.parts[0].role = PLI_ROLE_COLLIDER;
    assert_int_equal(check(&d.frame, true).intersection_count, 0);
    assert_int_equal(check(&d.frame, true).triangle_count, 8);
}

static void broken_frames_are_refused(void **state)
{
    pli_context *context = *state;
    duo d;
    duo_init(&d, 5, 0, 0);
    const int32_t cells[4] = {0, 1, 2, 4};
    d.parts[1].cells = cells;
    pli_frame_findings findings;
    assert_int_equal(pli_frame_check(context, &d.frame, false, &findings), PLI_ERROR_MESH);
    assert_true(message_has(context, "cell 0 of 'moved' refers to point 4, but there are 4"));
}

static void empty_frames_are_clean(void **state)
{
    (void)state;
    pli_frame frame = {.index = 0};
    pli_frame_findings findings = check(&frame, true);
    assert_false(!findings.is_clean);
    double points[3] = {0, 0, 0};
    pli_frame_part drops = {
        .name = "drops", .kind = PLI_PART_POINTS, .point_count = 1, .points = points};
    frame.part_count = 1;
    frame.parts = &drops;
    findings = check(&frame, true);
    assert_false(!findings.is_clean);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    duo d;
    duo_init(&d, 0.2, 0.2, 0.2);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_frame_findings findings;
        sweep.status = pli_frame_check(sweep.context, &d.frame, false, &findings);
    }
}

// ---- series

typedef struct heard {
    int32_t count;
    int32_t bad;
    int32_t last;
} heard;

static void hear(void *user, const pli_frame_findings *findings)
{
    heard *h = user;
    ++h->count;
    h->bad += !findings->is_clean;
    h->last = findings->index;
}

static bool always(void *user)
{
    (void)user;
    return true;
}

// Frames 0 ... 9 in which one tetrahedron goes through another: they meet in frames 4 to 6.
static void write_passage(folder_fixture *fix)
{
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = fix->folder;
    pli_frame_writer *writer = NULL;
    OK(fix->context, pli_frame_writer_create(fix->context, &def, &writer));
    for (int32_t index = 0; index < 10; ++index) {
        duo d;
        duo_init(&d, 0.6 * (index - 5), 0.1, 0.1);
        d.frame.index = index;
        OK(fix->context, pli_frame_writer_add(writer, &d.frame));
    }
    pli_frame_writer_destroy(writer);
}

static void a_series_is_checked_frame_by_frame(void **state)
{
    folder_fixture *fix = *state;
    write_passage(fix);
    heard h = {0};
    pli_check_def def = {0};
    def.folder = fix->folder;
    def.findings = hear;
    def.findings_user = &h;
    pli_check_report report;
    OK(fix->context, pli_frames_check(fix->context, &def, &report));
    assert_int_equal(report.frame_count, 10);
    assert_int_equal(report.bad_frame_count, 3);
    assert_true(report.intersection_count > 3);
    assert_int_equal(report.inverted_count, 0);
    assert_int_equal(report.triangle_count, 80);
    assert_int_equal(report.tet_count, 20);
    assert_int_equal(h.count, 10);
    assert_int_equal(h.bad, 3);

    // 0, 3, 6, 9
    def.every = 3;
    OK(fix->context, pli_frames_check(fix->context, &def, &report));
    assert_int_equal(report.frame_count, 4);
    assert_int_equal(report.bad_frame_count, 1);

    def.every = 1;
    def.stop_at_first = true;
    OK(fix->context, pli_frames_check(fix->context, &def, &report));
    assert_int_equal(report.frame_count, 5);
    assert_int_equal(h.last, 4);
}

static void clean_samples_are_clean(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, true, 4, 0, 3);
    pli_check_def def = {0};
    def.folder = fix->folder;
    def.colliders = true;
    pli_check_report report;
    OK(fix->context, pli_frames_check(fix->context, &def, &report));
    assert_int_equal(report.frame_count, 4);
    assert_int_equal(report.bad_frame_count, 0);
    assert_true(report.triangle_count > 0 && report.tet_count > 0);
}

static void what_cannot_be_checked_is_refused(void **state)
{
    folder_fixture *fix = *state;
    pli_check_report report;
    pli_check_def def = {0};
    assert_int_equal(pli_frames_check(fix->context, &def, &report), PLI_ERROR_ARGUMENT);
    def.folder = fix->folder;
    assert_int_equal(pli_frames_check(fix->context, &def, &report), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "series.pvd"));
    write_passage(fix);
    def.every = -1;
    assert_int_equal(pli_frames_check(fix->context, &def, &report), PLI_ERROR_ARGUMENT);
    def.every = 1;
    def.cancel = always;
    assert_int_equal(pli_frames_check(fix->context, &def, &report), PLI_ERROR_INTERRUPTED);
    def.cancel = NULL;
    // a frame is missing: what came before it was checked
    assert_int_equal(unlink(in_folder(fix, "frames/moved_00008.vtu")), 0);
    assert_int_equal(pli_frames_check(fix->context, &def, &report), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "moved_00008.vtu"));
    assert_int_equal(report.frame_count, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interlocked_tetrahedra_are_found),
        cmocka_unit_test(touching_counts_and_one_ulp_parts),
        cmocka_unit_test(inverted_and_flat_tetrahedra_are_found),
        cmocka_unit_test(points_without_a_place_are_counted),
        cmocka_unit_test(triangles_without_area_are_counted),
        cmocka_unit_test(colliders_are_tested_on_request_and_not_among_themselves),
        TEST_IN_CONTEXT(broken_frames_are_refused, 1),
        cmocka_unit_test(empty_frames_are_clean),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
        TEST_IN_FOLDER(a_series_is_checked_frame_by_frame),
        TEST_IN_FOLDER(clean_samples_are_clean),
        TEST_IN_FOLDER(what_cannot_be_checked_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
