// SPDX-License-Identifier: Apache-2.0
//
// Hidden parts and sections of pictures: what is taken away is gone, the rest is as it was, and a
// cut shows what was inside.
#include "near.h"

#include "pliant/io.h"

#ifdef PLI_HAS_RENDER

#include "picture_frames.h"

// Squares of 0.8 m side by side: left, right.
static const double left_points[] = {-1, -0.4, 0, -0.2, -0.4, 0, -0.2, 0.4, 0, -1, 0.4, 0};
static const double right_points[] = {0.2, -0.4, 0, 1, -0.4, 0, 1, 0.4, 0, 0.2, 0.4, 0};

enum { LEFT_COLUMN = WIDTH / 4 + 5, RIGHT_COLUMN = 3 * WIDTH / 4 - 5, ROW = HEIGHT / 2 };

static pli_frame_part named_square(const char *name, const double *points)
{
    pli_frame_part part = square();
    part.name = name;
    part.points = points;
    return part;
}

static bool is_same(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, 3) == 0;
}

static void hidden_body_is_gone_and_the_other_keeps_its_colour(void **state)
{
    static uint8_t all[3 * WIDTH * HEIGHT], seen[3 * WIDTH * HEIGHT];
    pli_context *context = *state;
    pli_frame_part parts[] = {named_square("left", left_points),
                              named_square("right", right_points)};
    pli_frame frame = frame_of(parts, 2);
    pli_picture_def def = plain_def();
    draw(context, &def, &frame, all);
    assert_false(is_same(pixel_at(all, LEFT_COLUMN, ROW), pixel_at(all, RIGHT_COLUMN, ROW)));

    const char *hidden[] = {"nobody", "left"};
    def.hidden = hidden;
    def.hidden_count = 2;
    draw(context, &def, &frame, seen);
    // background, as in a column where nothing is
    assert_true(is_same(pixel_at(seen, LEFT_COLUMN, ROW), pixel_at(all, 0, ROW)));
    assert_true(is_same(pixel_at(seen, RIGHT_COLUMN, ROW), pixel_at(all, RIGHT_COLUMN, ROW)));
}

static void hidden_collider_is_gone(void **state)
{
    static uint8_t all[3 * WIDTH * HEIGHT], seen[3 * WIDTH * HEIGHT];
    pli_context *context = *state;
    pli_frame_part parts[] = {named_square("left", left_points),
                              named_square("right", right_points)};
    parts[0].role = PLI_ROLE_COLLIDER;
    pli_frame frame = frame_of(parts, 2);
    pli_picture_def def = plain_def();
    draw(context, &def, &frame, all);
    const char *hidden[] = {"left"};
    def.hidden = hidden;
    def.hidden_count = 1;
    draw(context, &def, &frame, seen);
    assert_false(is_same(pixel_at(all, LEFT_COLUMN, ROW), pixel_at(all, 0, ROW)));
    assert_true(is_same(pixel_at(seen, LEFT_COLUMN, ROW), pixel_at(all, 0, ROW)));
    assert_true(is_same(pixel_at(seen, RIGHT_COLUMN, ROW), pixel_at(all, RIGHT_COLUMN, ROW)));
}

// An automatic camera looks at what is left, and an empty picture is still one.
static void cameras_fit_what_is_not_hidden(void **state)
{
    static uint8_t alone[3 * WIDTH * HEIGHT], seen[3 * WIDTH * HEIGHT];
    pli_context *context = *state;
    pli_frame_part parts[] = {named_square("right", right_points),
                              named_square("left", left_points)};
    pli_picture_def def = plain_def();
    def.camera.automatic = true;
    pli_frame frame = frame_of(parts, 1);
    draw(context, &def, &frame, alone);
    frame = frame_of(parts, 2);
    const char *hidden[] = {"left", "right"};
    def.hidden = hidden;
    def.hidden_count = 1;
    draw(context, &def, &frame, seen);
    assert_memory_equal(seen, alone, sizeof seen);
    def.hidden_count = 2;
    draw(context, &def, &frame, seen);
    assert_true(is_same(pixel_at(seen, WIDTH / 2, ROW), pixel_at(seen, 0, ROW)));
}

// The half at x > 0 goes, of triangles and of particles alike.
static void section_takes_the_half_ahead_of_it(void **state)
{
    static const double spots[] = {-0.6, 0, 0, 0.6, 0, 0};
    static uint8_t all[3 * WIDTH * HEIGHT], cut[3 * WIDTH * HEIGHT];
    pli_context *context = *state;
    pli_frame_part squares[] = {named_square("left", left_points),
                                named_square("right", right_points)};
    pli_frame_part particles = {
        .name = "sand", .kind = PLI_PART_POINTS, .point_count = 2, .points = spots};
    pli_frame frames[] = {frame_of(squares, 2), frame_of(&particles, 1)};
    for (int k = 0; k < 2; ++k) {
        pli_picture_def def = plain_def();
        def.particle_radius = 0.3;
        draw(context, &def, &frames[k], all);
        // the length of the normal does not matter
        def.section = (pli_section_def){true, {5, 0, 0}, 0.01};
        draw(context, &def, &frames[k], cut);
        assert_false(is_same(pixel_at(all, RIGHT_COLUMN, ROW), pixel_at(all, 0, ROW)));
        assert_true(is_same(pixel_at(cut, RIGHT_COLUMN, ROW), pixel_at(all, 0, ROW)));
        assert_true(is_same(pixel_at(cut, LEFT_COLUMN, ROW), pixel_at(all, LEFT_COLUMN, ROW)));
        // the other side, by the normal that points there
        def.section = (pli_section_def){true, {-1, 0, 0}, 0.01};
        draw(context, &def, &frames[k], cut);
        assert_true(is_same(pixel_at(cut, LEFT_COLUMN, ROW), pixel_at(all, 0, ROW)));
        assert_true(is_same(pixel_at(cut, RIGHT_COLUMN, ROW), pixel_at(all, RIGHT_COLUMN, ROW)));
    }
}

// Two boxes of tetrahedra behind each other, the far one with a value of 7 inside and 0 in front:
// cutting the near one away shows a surface that no boundary had, with the far cells' values.
static void cut_tetrahedra_show_what_was_inside(void **state)
{
    enum { LAYERS = 4 };
    static double points[LAYERS + 1][4][3], values[6 * LAYERS];
    static int32_t cells[6 * LAYERS][4];
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    // a bar along z, each layer a box of six tetrahedra; corners as in box_cells
    for (int layer = 0; layer <= LAYERS; ++layer) {
        for (int k = 0; k < 4; ++k) {
            pli_vec3_set(k % 2 - 0.5, k / 2 - 0.5, 0.5 * layer - 1, points[layer][k]);
        }
    }
    for (int i = 0; i < 6 * LAYERS; ++i) {
        for (int k = 0; k < 4; ++k) cells[i][k] = box_cells[4 * (i % 6) + k] + 4 * (i / 6);
        values[i] = i / 6;
    }
    pli_frame_field field = {"layer", "", PLI_PLACE_CELL, 1, values, true};
    pli_frame_part part = {.name = "bar",
                           .kind = PLI_PART_TETS,
                           .point_count = 4 * (LAYERS + 1),
                           .points = points[0][0],
                           .cell_count = 6 * LAYERS,
                           .cells = cells[0],
                           .field_count = 1,
                           .fields = &field};
    pli_context *context = *state;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.field = "layer";
    def.colormap = PLI_COLORMAP_CATEGORIES;
    uint8_t colors[LAYERS][3];
    for (int kept = LAYERS; kept > 0; --kept) {
        // from the front, layer by layer
        def.section = (pli_section_def){true, {0, 0, 1}, 0.5 * kept - 1};
        draw(context, &def, &frame, rgb);
        memcpy(colors[kept - 1], pixel_at(rgb, WIDTH / 2, ROW), 3);
        for (int k = kept; k < LAYERS; ++k) assert_false(is_same(colors[k], colors[kept - 1]));
    }
    // everything
    def.section.offset = -2;
    draw(context, &def, &frame, rgb);
    assert_true(is_same(pixel_at(rgb, WIDTH / 2, ROW), pixel_at(rgb, 0, ROW)));
}

static void impossible_sections_and_names_are_refused(void **state)
{
    pli_context *context = *state;
    pli_picture *picture = NULL;
    pli_picture_def def = plain_def();
    def.section = (pli_section_def){true, {0, 0, 0}, 0};
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_ARGUMENT);
    def.section = (pli_section_def){true, {1, 0, 0}, NAN};
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_ARGUMENT);
    def.section.cuts = false;
    def.hidden_count = 1;
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_ARGUMENT);
    def.hidden_count = -1;
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_ARGUMENT);
    assert_null(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(hidden_body_is_gone_and_the_other_keeps_its_colour, 1),
        TEST_IN_CONTEXT(hidden_collider_is_gone, 1),
        TEST_IN_CONTEXT(cameras_fit_what_is_not_hidden, 1),
        TEST_IN_CONTEXT(section_takes_the_half_ahead_of_it, 1),
        TEST_IN_CONTEXT(cut_tetrahedra_show_what_was_inside, 1),
        TEST_IN_CONTEXT(impossible_sections_and_names_are_refused, 1),
    };
    return cmocka_run_group_tests_name("picture_section", tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
