// SPDX-License-Identifier: Apache-2.0
//
// Colliders in pictures: neutral scenery that hides nothing and decides nothing.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "pliant/io.h"

#ifdef PLI_HAS_RENDER

#include "unit/io/picture_frames.h"

// the surface of a box as a part, facing outwards or, as a room, inwards
typedef struct block {
    double points[8][3];
    int32_t cells[12][3];
    pli_frame_part part;
} block;

static void block_init(block *b, const char *name, const double low[3], const double high[3],
                       bool room)
{
    // two triangles a side; corner = x + 2 y + 4 z
    static const int32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int corner = 0; corner < 8; ++corner) {
        for (int k = 0; k < 3; ++k) b->points[corner][k] = corner >> k & 1 ? high[k] : low[k];
    }
    for (int side = 0; side < 6; ++side) {
        const int32_t *s = sides[side];
        const int32_t two[2][3] = {{s[0], s[1], s[2]}, {s[0], s[2], s[3]}};
        for (int t = 0; t < 2; ++t) {
            int32_t *cell = b->cells[2 * side + t];
            memcpy(cell, two[t], sizeof two[t]);
            if (room) {
                cell[1] = two[t][2];
                cell[2] = two[t][1];
            }
        }
    }
    b->part = (pli_frame_part){.name = name,
                               .kind = PLI_PART_TRIANGLES,
                               .point_count = 8,
                               .points = b->points[0],
                               .cell_count = 12,
                               .cells = b->cells[0],
                               .role = PLI_ROLE_COLLIDER};
}

// A square in the plane y = height that faces up.
static const double level_points[] = {-9, -0.5, 9, 9, -0.5, 9, 9, -0.5, -9, -9, -0.5, -9};

static pli_frame_part level(void)
{
    pli_frame_part part = square();
    part.name = "floor";
    part.points = level_points;
    part.role = PLI_ROLE_COLLIDER;
    return part;
}

static bool same_color(const uint8_t *pixel, const double linear[3])
{
    for (int k = 0; k < 3; ++k) {
        // a value and its rounding
        double want = 255 * pli_picture_srgb_from_linear(linear[k]);
        if (fabs(pixel[k] - want) > 0.51) return false;
    }
    return true;
}

// Neither of two colours, but what shines through one from the other.
static void expect_between(const uint8_t *pixel, const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        double got = pli_picture_linear_from_srgb(pixel[k] / 255.0);
        AT_LEAST(got, fmin(a[k], b[k]) - 0.01);
        AT_MOST(got, fmax(a[k], b[k]) + 0.01);
    }
    assert_false(same_color(pixel, a));
    assert_false(same_color(pixel, b));
}

static void draw_parts(const pli_picture_def *def, const pli_frame_part *parts, int32_t count,
                       uint8_t *rgb)
{
    pli_context *context = make_context(2);
    pli_frame frame = frame_of(parts, count);
    draw(context, def, &frame, rgb);
    pli_context_destroy(context);
}

static void solids_are_neutral_and_hide_what_is_behind(void **state)
{
    (void)state;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    static block b;
    const double low[3] = {-0.5, -0.5, 1};
    const double high[3] = {0.5, 0.5, 1.5};
    block_init(&b, "brick", low, high, false);
    pli_frame_part parts[2] = {square(), b.part};
    pli_picture_def def = plain_def();
    draw_parts(&def, parts, 2, rgb);
    double grey[3], body[3];
    pli_picture_color_of_collider(grey);
    pli_picture_color_of_body(0, body);
    assert_true(same_color(pixel_at(rgb, WIDTH / 2, HEIGHT / 2), grey));
    // the square reaches twice as far
    assert_true(same_color(pixel_at(rgb, WIDTH / 2 - 20, HEIGHT / 2), body));
}

static void hidden_colliders_leave_no_trace(void **state)
{
    (void)state;
    static uint8_t with[3 * WIDTH * HEIGHT], without[3 * WIDTH * HEIGHT];
    static block b;
    const double low[3] = {-4, -3, 1};
    const double high[3] = {0.5, 0.5, 1.5};
    block_init(&b, "brick", low, high, false);
    pli_frame_part parts[3] = {box(), b.part, level()};
    pli_picture_def def = pli_picture_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.colliders = PLI_COLLIDERS_HIDE;
    draw_parts(&def, parts, 3, with);
    draw_parts(&def, parts, 1, without);
    assert_memory_equal(with, without, sizeof with);
}

static void rooms_are_open_towards_the_camera(void **state)
{
    (void)state;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    static block outer, inner;
    const double low[3] = {-1.5, -1.5, -1.5};
    const double high[3] = {1.5, 1.5, 1.5};
    const double low_outside[3] = {-1.6, -1.6, -1.6};
    const double high_outside[3] = {1.6, 1.6, 1.6};
    block_init(&inner, "room", low, high, true);
    block_init(&outer, "hull", low_outside, high_outside, false);
    pli_frame_part parts[3] = {square(), inner.part, outer.part};
    pli_picture_def def = plain_def();
    double grey[3], body[3];
    pli_picture_color_of_collider(grey);
    pli_picture_color_of_body(0, body);
    // an inside-out room
    draw_parts(&def, parts, 2, rgb);
    assert_true(same_color(pixel_at(rgb, WIDTH / 2, HEIGHT / 2), body));
    // beside the square its far wall is seen
    assert_true(same_color(pixel_at(rgb, WIDTH / 2, 2), grey));
    // a solid that happens to be around the bodies' middle stays one
    draw_parts(&def, parts, 3, rgb);
    assert_true(same_color(pixel_at(rgb, WIDTH / 2, HEIGHT / 2), grey));
}

// A box without a lid, with thick walls: one solid piece around the body.
static void bowls_are_open_towards_the_camera(void **state)
{
    (void)state;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    static block inner;
    static double points[16][3];
    static int32_t cells[28][3];
    const double low[3] = {-1.2, -1.2, -1.2};
    const double high[3] = {1.2, 1.2, 1.2};
    // outer and inner shell without their tops, joined by a rim
    block outer;
    block_init(&outer, "outer", (const double[3]){-1.4, -1.4, -1.4},
               (const double[3]){1.4, 1.2, 1.4}, false);
    block_init(&inner, "inner", low, high, true);
    memcpy(points, outer.points, sizeof outer.points);
    memcpy(points + 8, inner.points, sizeof inner.points);
    int32_t count = 0;
    for (int32_t t = 0; t < 12; ++t) {
        if (t / 2 == 3) continue; // the top, y high
        memcpy(cells[count++], outer.cells[t], sizeof cells[0]);
        for (int k = 0; k < 3; ++k) cells[count][k] = inner.cells[t][k] + 8;
        ++count;
    }
    static const int32_t top[4] = {2, 6, 7, 3};
    for (int i = 0; i < 4; ++i) {
        int32_t a = top[i], b = top[(i + 1) % 4];
        const int32_t rim[2][3] = {{a, b, b + 8}, {a, b + 8, a + 8}};
        memcpy(cells[count], rim, sizeof rim);
        count += 2;
    }
    pli_frame_part bowl = outer.part;
    bowl.point_count = 16;
    bowl.points = points[0];
    bowl.cell_count = count;
    bowl.cells = cells[0];
    pli_frame_part parts[2] = {square(), bowl};
    pli_picture_def def = plain_def();
    double body[3];
    pli_picture_color_of_body(0, body);
    draw_parts(&def, parts, 2, rgb);
    assert_true(same_color(pixel_at(rgb, WIDTH / 2, HEIGHT / 2), body));
}

static void glass_lets_the_body_shine_through(void **state)
{
    (void)state;
    static uint8_t rgb[3 * WIDTH * HEIGHT], bare[3 * WIDTH * HEIGHT];
    static block b;
    const double low[3] = {-0.5, -0.5, 1};
    const double high[3] = {0.5, 0.5, 1.5};
    block_init(&b, "brick", low, high, false);
    pli_frame_part parts[2] = {square(), b.part};
    pli_picture_def def = plain_def();
    def.colliders = PLI_COLLIDERS_GLASS;
    draw_parts(&def, parts, 2, rgb);
    draw_parts(&def, parts, 1, bare);
    double grey[3], body[3];
    pli_picture_color_of_collider(grey);
    pli_picture_color_of_body(0, body);
    expect_between(pixel_at(rgb, WIDTH / 2, HEIGHT / 2), grey, body);
    // nothing changes beside it, in lit pictures neither: glass throws no shadow
    int32_t left = 3 * (HEIGHT / 2 * WIDTH + 8);
    assert_memory_equal(rgb + left, bare + left, 3 * 16);
}

static void colliders_do_not_count_for_colours(void **state)
{
    static const double values[2] = {2, 5};
    static const double wild[12] = {1e9, -1e9};
    static block b;
    const double low[3] = {-0.5, -0.5, 1};
    const double high[3] = {0.5, 0.5, 1.5};
    block_init(&b, "brick", low, high, false);
    pli_frame_field fields[2] = {{"speed", "m/s", PLI_PLACE_CELL, 1, values, false},
                                 {"speed", "m/s", PLI_PLACE_CELL, 1, wild, false}};
    pli_frame_part parts[2] = {square(), b.part};
    for (int i = 0; i < 2; ++i) {
        parts[i].field_count = 1;
        parts[i].fields = &fields[i];
    }
    pli_picture_def def = plain_def();
    def.field = "speed";
    pli_context *context = *state;
    pli_frame frame = frame_of(parts, 2);
    pli_picture_survey_data survey;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    NEAR(survey.range[0], 2, 0, 0);
    NEAR(survey.range[1], 5, 0, 0);
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    double grey[3];
    pli_picture_color_of_collider(grey);
    draw(context, &def, &frame, rgb);
    assert_true(same_color(pixel_at(rgb, WIDTH / 2, HEIGHT / 2), grey));
}

static void camera_fits_bodies_and_their_equals(void **state)
{
    static block near, vast;
    const double low[3] = {2, 0, 0};
    const double high[3] = {3, 1, 1};
    const double low_vast[3] = {-50, -4, -50};
    const double high_vast[3] = {50, -1, 50};
    block_init(&near, "near", low, high, false);
    block_init(&vast, "vast", low_vast, high_vast, false);
    pli_frame_part parts[3] = {box(), near.part, vast.part};
    pli_picture_def def = pli_picture_def_default();
    pli_context *context = *state;
    pli_frame frame = frame_of(parts, 3);
    pli_picture_survey_data survey;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    survey = pli_picture_survey_grown(&def, &survey);
    NEAR(survey.extent.low[0], 0, 0, 0);
    NEAR(survey.extent.high[0], 3, 0, 0);
    NEAR(survey.extent.low[1], 0, 0, 0);
    // the middle stays that of the bodies, and the ground lies below everything
    NEAR(survey.middle[0], 0.5, 0, 0);
    AT_MOST(survey.lowest, -4);
    AT_LEAST(survey.lowest, -4.01);
}

static void level_planes_are_the_ground(void **state)
{
    (void)state;
    static uint8_t with[3 * WIDTH * HEIGHT], without[3 * WIDTH * HEIGHT];
    pli_frame_part parts[2] = {box(), level()};
    pli_picture_def def = pli_picture_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    draw_parts(&def, parts, 2, with);
    def.automatic_ground = false;
    def.ground_height = -0.5;
    draw_parts(&def, parts, 1, without);
    assert_memory_equal(with, without, sizeof with);
}

// A plate that rises is no floor, whatever its frames look like one by one.
static void moving_plates_are_no_floors(void **state)
{
    static double raised[12];
    memcpy(raised, level_points, sizeof raised);
    for (int i = 0; i < 4; ++i) raised[3 * i + 1] += 0.3;
    pli_frame_part plate = level();
    pli_frame_part parts[2] = {box(), plate};
    pli_picture_def def = pli_picture_def_default();
    pli_context *context = *state;
    pli_frame frame = frame_of(parts, 2);
    pli_picture_survey_data survey;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    assert_true(pli_picture_collider_find(&survey, &plate)->is_floor);
    parts[1].points = raised;
    pli_picture_survey_add(context, &def, &frame, &survey);
    assert_false(pli_picture_collider_find(&survey, &plate)->is_floor);
}

// More of them than a survey tells apart, side by side before a square: all are seen, and through
// all when they are glass.
static void many_colliders_share_the_last_place(void **state)
{
    (void)state;
    enum { ACROSS = 8, DOWN = 5, COUNT = ACROSS * DOWN };
    static block blocks[COUNT];
    static char names[COUNT][16];
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    pli_frame_part parts[COUNT + 1];
    parts[0] = square();
    for (int i = 0; i < COUNT; ++i) {
        double x = 0.2 * (i % ACROSS) - 0.7, y = 0.3 * (i / ACROSS) - 0.6;
        snprintf(names[i], sizeof names[i], "c%d", i);
        block_init(&blocks[i], names[i], (double[3]){x - 0.06, y - 0.06, 0.1},
                   (double[3]){x + 0.06, y + 0.06, 0.2}, false);
        parts[i + 1] = blocks[i].part;
    }
    double grey[3], body[3];
    pli_picture_color_of_collider(grey);
    pli_picture_color_of_body(0, body);
    pli_picture_def def = plain_def();
    for (int glass = 0; glass < 2; ++glass) {
        if (glass) def.colliders = PLI_COLLIDERS_GLASS;
        draw_parts(&def, parts, COUNT + 1, rgb);
        // pixels to a metre at the blocks' fronts
        double scale = HEIGHT / 2 / tan(20 * 3.14159265358979 / 180) / 3.8;
        for (int i = 0; i < COUNT; ++i) {
            double column = WIDTH / 2 + scale * (blocks[i].points[0][0] + 0.06);
            double row = HEIGHT / 2 - scale * (blocks[i].points[0][1] + 0.06);
            const uint8_t *pixel = pixel_at(rgb, (int32_t)column, (int32_t)row);
            if (glass)
                expect_between(pixel, grey, body);
            else
                assert_true(same_color(pixel, grey));
        }
        assert_true(same_color(pixel_at(rgb, WIDTH / 2, HEIGHT / 2 - 3), body));
    }
}

static pli_status draw_all(pli_context *context, const pli_picture_def *def, const pli_frame *frame,
                           uint8_t *rgb)
{
    pli_picture *picture = NULL;
    pli_status status = pli_picture_create(context, def, &picture);
    if (status == PLI_OK) status = pli_picture_survey(picture, frame);
    if (status == PLI_OK) status = pli_picture_draw(picture, frame, rgb);
    pli_picture_destroy(picture);
    return status;
}

// body, room, brick and floor
typedef struct furnished {
    block room, brick;
    pli_frame_part parts[4];
    pli_frame frame;
} furnished;

static void furnish(furnished *f)
{
    const double low[3] = {-2, -0.4, -2};
    const double high[3] = {2, 3, 2};
    const double low_brick[3] = {-1, 0, 0};
    const double high_brick[3] = {-0.5, 1.5, 1};
    block_init(&f->room, "room", low, high, true);
    block_init(&f->brick, "brick", low_brick, high_brick, false);
    f->parts[0] = box();
    f->parts[1] = f->room.part;
    f->parts[2] = f->brick.part;
    f->parts[3] = level();
    f->frame = frame_of(f->parts, 4);
}

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    static furnished f;
    furnish(&f);
    for (int look = PLI_COLLIDERS_SHOW; look <= PLI_COLLIDERS_GLASS; ++look) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *context = make_context(bits.threads);
            pli_picture_def def = pli_picture_def_default();
            def.width = WIDTH;
            def.height = HEIGHT;
            def.colliders = (pli_collider_look)look;
            OK(context, draw_all(context, &def, &f.frame, rgb));
            same_bits_keep(&bits, rgb, sizeof rgb);
            pli_context_destroy(context);
        }
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    static furnished f;
    furnish(&f);
    pli_picture_def def = plain_def();
    for (fault_sweep sweep = {.at_least = 5}; fault_sweep_next(&sweep);) {
        sweep.status = draw_all(sweep.context, &def, &f.frame, rgb);
    }
}

static void damaged_colliders_are_refused(void **state)
{
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    static furnished f;
    furnish(&f);
    pli_context *context = *state;
    pli_picture_def def = plain_def();
    f.room.points[3][0] = NAN; // left out
    OK(context, draw_all(context, &def, &f.frame, rgb));
    f.room.cells[5][1] = 8;
    assert_int_equal(draw_all(context, &def, &f.frame, rgb), PLI_ERROR_MESH);
    def.colliders = (pli_collider_look)7;
    assert_int_equal(draw_all(context, &def, &f.frame, rgb), PLI_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_are_neutral_and_hide_what_is_behind),
        cmocka_unit_test(hidden_colliders_leave_no_trace),
        cmocka_unit_test(rooms_are_open_towards_the_camera),
        cmocka_unit_test(bowls_are_open_towards_the_camera),
        cmocka_unit_test(glass_lets_the_body_shine_through),
        TEST_IN_CONTEXT(colliders_do_not_count_for_colours, 1),
        TEST_IN_CONTEXT(camera_fits_bodies_and_their_equals, 1),
        cmocka_unit_test(level_planes_are_the_ground),
        TEST_IN_CONTEXT(moving_plates_are_no_floors, 1),
        cmocka_unit_test(many_colliders_share_the_last_place),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(every_failing_allocation_is_survived),
        TEST_IN_CONTEXT(damaged_colliders_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void pictures_are_refused(void **state)
{
    pli_context *context = *state;
    pli_picture_def def = pli_picture_def_default();
    pli_picture *picture = NULL;
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_IN_CONTEXT(pictures_are_refused, 1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
