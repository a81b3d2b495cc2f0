// SPDX-License-Identifier: Apache-2.0
//
// Whole pictures: what is where, in which colour, and that nothing breaks them.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "pliant/io.h"

#ifdef PLI_HAS_RENDER

#include "unit/io/picture_frames.h"

#include <unistd.h>

// how far a pixel is from the rim of a sphere as seen by small_def's camera, in pixels; positive
// inside
static double rim_distance(double column, double row, const double centre[3], double radius)
{
    double camera[3] = {0, 0, 4};
    double direction[3];
    double offset[3];
    pixel_ray(column, row, direction);
    pli_vec3_subtract(centre, camera, offset);
    double distance = pli_vec3_norm(offset);
    double angle = acos(pli_vec3_dot(offset, direction) / distance);
    double pixel = 2 * tan(20 * 3.14159265358979323846 / 180) / HEIGHT;
    return (asin(radius / distance) - angle) / pixel;
}

static void sphere_lies_within_a_pixel_of_its_projection(void **state)
{
    pli_context *context = *state;
    const double centre[3] = {0.4, -0.2, 0.5};
    pli_frame_part part = {
        .name = "p", .kind = PLI_PART_POINTS, .point_count = 1, .points = centre};
    pli_frame frame = frame_of(&part, 1);
    pli_frame nothing = frame_of(NULL, 0);
    pli_picture_def def = plain_def();
    def.particle_radius = 0.6;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    uint8_t background[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);
    draw(context, &def, &nothing, background);

    int32_t inside = 0;
    for (int32_t row = 0; row < HEIGHT; ++row) {
        for (int32_t column = 0; column < WIDTH; ++column) {
            double rim = rim_distance(column + 0.5, row + 0.5, centre, 0.6);
            const uint8_t *pixel = pixel_at(rgb, column, row);
            bool drawn = memcmp(pixel, pixel_at(background, column, row), 3) != 0;
            inside += drawn;
            // single precision moves the rim by far less than a hundredth of a pixel
            if (rim > 0.01) assert_true(drawn);
            if (rim < -0.01) assert_false(drawn);
        }
    }
    assert_true(inside > 500);
}

static void lit_sphere_has_its_colour_and_is_brighter_towards_the_light(void **state)
{
    pli_context *context = *state;
    const double centre[3] = {0, 0, 0};
    pli_frame_part part = {
        .name = "p", .kind = PLI_PART_POINTS, .point_count = 1, .points = centre};
    pli_frame frame = frame_of(&part, 1);
    pli_frame nothing = frame_of(NULL, 0);
    pli_picture_def def = small_def();
    def.particle_radius = 1;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    uint8_t background[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);
    draw(context, &def, &nothing, background);

    // the first body is red; the key light stands at the upper left
    const uint8_t *middle = pixel_at(rgb, WIDTH / 2, HEIGHT / 2);
    assert_true(middle[0] > middle[1] + 40 && middle[0] > middle[2] + 40);
    const uint8_t *upper_left = pixel_at(rgb, WIDTH / 2 - 10, HEIGHT / 2 - 10);
    const uint8_t *lower_right = pixel_at(rgb, WIDTH / 2 + 14, HEIGHT / 2 + 14);
    assert_true(brightness(upper_left) > 1.8 * brightness(lower_right));
    assert_memory_equal(pixel_at(rgb, 3, 3), pixel_at(background, 3, 3), 3);
    assert_memory_equal(pixel_at(rgb, WIDTH - 4, HEIGHT - 4),
                        pixel_at(background, WIDTH - 4, HEIGHT - 4), 3);
}

static void rim_pixels_are_mixtures(void **state)
{
    pli_context *context = *state;
    const double centre[3] = {0, 0, 0};
    pli_frame_part part = {
        .name = "p", .kind = PLI_PART_POINTS, .point_count = 1, .points = centre};
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.particle_radius = 1;
    def.samples = 4;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);
    // blue tells the body (95) from the background (above 220)
    int32_t mixed = 0;
    for (int32_t row = 0; row < HEIGHT; ++row) {
        for (int32_t column = 0; column < WIDTH; ++column) {
            double rim = rim_distance(column + 0.5, row + 0.5, centre, 1);
            uint8_t blue = pixel_at(rgb, column, row)[2];
            bool between = blue > 98 && blue < 215;
            // a pixel's corner is at most 0.71 pixels from its middle; some more for perspective
            if (between) assert_true(fabs(rim) < 0.8);
            mixed += between;
        }
    }
    assert_true(mixed > 80);
}

static void body_shades_the_ground_behind_it(void **state)
{
    pli_context *context = *state;
    pli_frame_part part = box();
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = small_def();
    def.ground = true;
    pli_vec3_set(0.5, 6, 0.6, def.camera.position);
    pli_vec3_set(0.5, 0, 0.5, def.camera.target);
    uint8_t rgb[3 * WIDTH * HEIGHT];
    uint8_t without[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);
    def.shadow_rays = 0;
    draw(context, &def, &frame, without);

    // seen from above with -z up in the picture, the light comes from the lower left
    const uint8_t *shaded = pixel_at(rgb, WIDTH / 2 + 13, HEIGHT / 2 - 2);
    const uint8_t *open = pixel_at(rgb, WIDTH / 2 - 20, HEIGHT / 2 + 2);
    assert_true(brightness(shaded) < 0.7 * brightness(open));
    assert_true(brightness(pixel_at(without, WIDTH / 2 + 13, HEIGHT / 2 - 2)) >
                1.3 * brightness(shaded));
}

static void occlusion_darkens_a_corner_without_noise(void **state)
{
    pli_context *context = *state;
    // a floor and a back wall that meet at the x axis
    static const double points[] = {-4, 0, 0, 4, 0, 0, 4, 0, 4, -4, 0, 4, 4, 4, 0, -4, 4, 0};
    static const int32_t cells[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 0, 4, 5};
    pli_frame_part part = {.name = "corner",
                           .kind = PLI_PART_TRIANGLES,
                           .point_count = 6,
                           .points = points,
                           .cell_count = 4,
                           .cells = cells};
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = small_def();
    def.shadow_rays = 0;
    pli_vec3_set(0, 3, 4, def.camera.position);
    uint8_t with[3 * WIDTH * HEIGHT];
    uint8_t without[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, with);
    def.occlusion_rays = 0;
    draw(context, &def, &frame, without);

    // at the corner the wall takes half of the sky, which is nearly half of all light, and gives a
    // sixth of it back; far from it the floor hardly loses anything
    double corner = brightness(pixel_at(with, 48, 34)) / brightness(pixel_at(without, 48, 34));
    double floor = brightness(pixel_at(with, 48, 62)) / brightness(pixel_at(without, 48, 62));
    AT_MOST(corner, 0.9 * floor);

    // along the corner the light is the same, though every pixel casts other rays; the 16 rays of
    // one pixel alone would be wrong by some 10 levels, those of a window agree to a level or two,
    // the highlight bends by as much and rounding adds one
    int32_t least = 255;
    int32_t most = 0;
    for (int32_t column = 36; column < 60; ++column) {
        int32_t green = pixel_at(with, column, 38)[1];
        least = green < least ? green : least;
        most = green > most ? green : most;
    }
    assert_true(most - least <= 4);
}

static void bytes_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    mixed_frame mixed;
    mixed_frame_init(&mixed);
    pli_picture_def def = mixed_def();
    static uint8_t rgb[3 * 117 * 75];
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        draw(context, &def, &mixed.frame, rgb);
        same_bits_keep(&bits, rgb, sizeof rgb);
        pli_context_destroy(context);
    }
}

static void drawing_again_gives_the_same_bytes_and_allocates_nothing(void **state)
{
    pli_context *context = *state;
    mixed_frame mixed;
    mixed_frame_init(&mixed);
    pli_picture_def def = mixed_def();
    pli_picture *picture = NULL;
    OK(context, pli_picture_create(context, &def, &picture));
    static uint8_t first[3 * 117 * 75];
    static uint8_t again[3 * 117 * 75];
    OK(context, pli_picture_draw(picture, &mixed.frame, first));
    int64_t before = pli_context_allocation_count(context);
    OK(context, pli_picture_draw(picture, &mixed.frame, again));
    assert_int_equal(pli_context_allocation_count(context), before);
    assert_memory_equal(again, first, sizeof first);
    pli_picture_destroy(picture);
}

static void processor_mode_is_left_as_it_was(void **state)
{
    (void)state;
#if defined(__SSE2__)
    pli_context *context = make_context(2);
    mixed_frame mixed;
    mixed_frame_init(&mixed);
    pli_picture_def def = mixed_def();
    static uint8_t rgb[3 * 117 * 75];
    // flags of past exceptions, the low six bits, may be set; rounding and denormals may not change
    unsigned before = __builtin_ia32_stmxcsr() & ~0x3fu;
    draw(context, &def, &mixed.frame, rgb);
    assert_int_equal(__builtin_ia32_stmxcsr() & ~0x3fu, before);
    volatile double tiny = 1e-310;
    assert_true(tiny * 0.5 > 0);
    pli_context_destroy(context);
#endif
}

static void empty_frames_show_the_background(void **state)
{
    pli_context *context = *state;
    pli_frame_part parts[3] = {{.name = "t", .kind = PLI_PART_TETS},
                               {.name = "c", .kind = PLI_PART_TRIANGLES},
                               {.name = "p", .kind = PLI_PART_POINTS}};
    pli_frame nothing = frame_of(NULL, 0);
    pli_frame hollow = frame_of(parts, 3);
    pli_picture_def def = pli_picture_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    uint8_t again[3 * WIDTH * HEIGHT];
    draw(context, &def, &nothing, rgb);
    draw(context, &def, &hollow, again);
    assert_memory_equal(again, rgb, sizeof rgb);
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) assert_true(rgb[3 * i] > 215);

    def.background = PLI_BACKGROUND_DARK;
    draw(context, &def, &nothing, rgb);
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) assert_true(rgb[3 * i] < 75);
}

static void broken_points_and_flat_triangles_do_not_disturb(void **state)
{
    pli_context *context = *state;
    // the square again, with a point that is not finite, one that is far too far, two equal ones,
    // and triangles on them
    double points[27];
    memcpy(points, square_points, sizeof square_points);
    pli_vec3_set(NAN, 0, 1, points + 12);
    pli_vec3_set(1e200, 0, 1, points + 15);
    pli_vec3_set(0.2, 0.2, -0.5, points + 18);
    pli_vec3_set(0.2, 0.2, -0.5, points + 21);
    pli_vec3_set(0.4, 0.4, -0.5, points + 24);
    static const int32_t cells[] = {0, 1, 2, 0, 2, 3, 0, 1, 4, 1, 2, 5, 6, 7, 8, 6, 6, 6};
    double values[9] = {0, 0, 0, 0, NAN, INFINITY, 0, 0, 0};
    pli_frame_field field = {"f", "", PLI_PLACE_POINT, 1, values, false};
    pli_frame_part broken = {.name = "b",
                             .kind = PLI_PART_TRIANGLES,
                             .point_count = 9,
                             .points = points,
                             .cell_count = 6,
                             .cells = cells,
                             .field_count = 1,
                             .fields = &field};
    pli_frame_part sound = broken;
    sound.point_count = 4;
    sound.cell_count = 2;
    pli_frame frames[2] = {frame_of(&broken, 1), frame_of(&sound, 1)};
    pli_picture_def def = plain_def();
    def.edges = true;
    def.field = "f";
    uint8_t rgb[2][3 * WIDTH * HEIGHT];
    for (int i = 0; i < 2; ++i) draw(context, &def, &frames[i], rgb[i]);
    assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);

    // lit, and with everything automatic, it is at least drawn
    pli_picture_def automatic = mixed_def();
    static uint8_t other[3 * 117 * 75];
    draw(context, &automatic, &frames[0], other);

    // particles that are nowhere
    pli_frame_part lost = {
        .name = "l", .kind = PLI_PART_POINTS, .point_count = 1, .points = points + 12};
    pli_frame frame = frame_of(&lost, 1);
    draw(context, &automatic, &frame, other);
}

static void index_past_the_end_is_refused(void **state)
{
    pli_context *context = *state;
    static const int32_t cells[] = {0, 1, 4};
    pli_frame_part part = square();
    part.cell_count = 1;
    part.cells = cells;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = small_def();
    pli_picture *picture = NULL;
    OK(context, pli_picture_create(context, &def, &picture));
    uint8_t rgb[3 * WIDTH * HEIGHT];
    assert_int_equal(pli_picture_draw(picture, &frame, rgb), PLI_ERROR_MESH);
    char text[256];
    pli_context_message(context, text, sizeof text);
    assert_string_equal(text, "part 'square', cell 0: point 4 is outside 0 to 3");

    // the picture still works
    part.cells = square_cells;
    OK(context, pli_picture_draw(picture, &frame, rgb));
    pli_picture_destroy(picture);
}

static void survey_makes_pictures_of_a_series_agree(void **state)
{
    pli_context *context = *state;
    // a body that stands, and a particle that moves
    double mover[2][3] = {{1, 0.5, 0}, {9, 6, 0}};
    static uint8_t rgb[2][3 * WIDTH * HEIGHT];
    pli_frame_part parts[2][2];
    pli_frame frames[2];
    for (int i = 0; i < 2; ++i) {
        parts[i][0] = box();
        parts[i][1] = (pli_frame_part){
            .name = "p", .kind = PLI_PART_POINTS, .point_count = 1, .points = mover[i]};
        frames[i] = frame_of(parts[i], 2);
    }
    pli_picture_def def = pli_picture_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.lit = false;
    def.samples = 1;
    def.particle_radius = 0.2;
    pli_picture *picture = NULL;
    OK(context, pli_picture_create(context, &def, &picture));
    for (int i = 0; i < 2; ++i) OK(context, pli_picture_survey(picture, &frames[i]));
    for (int i = 0; i < 2; ++i) OK(context, pli_picture_draw(picture, &frames[i], rgb[i]));

    // red is the body: everywhere the same, except where the particle covers it
    int32_t body = 0;
    int32_t moved = 0;
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) {
        bool red[2];
        for (int k = 0; k < 2; ++k) red[k] = rgb[k][3 * i] == 224 && rgb[k][3 * i + 1] == 122;
        body += red[1];
        moved += red[0] != red[1];
    }
    assert_true(body > 50);
    assert_true(moved < body / 4);
    pli_picture_destroy(picture);
}

static void orbit_walks_around(void **state)
{
    pli_context *context = *state;
    // two squares back to back
    double back_points[12];
    memcpy(back_points, square_points, sizeof back_points);
    for (int i = 0; i < 4; ++i) back_points[3 * i + 2] = -0.1;
    pli_frame_part parts[2] = {square(), square()};
    parts[1].points = back_points;
    pli_frame frame = frame_of(parts, 2);
    pli_picture_def def = plain_def();
    def.camera.orbit = 60;
    double colors[2][3];
    for (int i = 0; i < 2; ++i) pli_picture_color_of_body(i, colors[i]);
    pli_picture *picture = NULL;
    OK(context, pli_picture_create(context, &def, &picture));
    uint8_t rgb[3 * WIDTH * HEIGHT];
    static const int32_t index[] = {0, 3, 6};
    for (int i = 0; i < 3; ++i) {
        frame.index = index[i];
        OK(context, pli_picture_draw(picture, &frame, rgb));
        double want = 255 * pli_picture_srgb_from_linear(colors[i % 2][0]);
        NEAR(pixel_at(rgb, WIDTH / 2, HEIGHT / 2)[0], want, 0, 0.51);
    }
    pli_picture_destroy(picture);
}

static void edges_have_the_same_width_near_and_far(void **state)
{
    pli_context *context = *state;
    // two squares, one twice as far and twice as large, so that both look alike
    double points[24];
    for (int i = 0; i < 4; ++i) {
        pli_vec3_set(0.4 * square_points[3 * i] - 0.6, 0.4 * square_points[3 * i + 1], 1,
                     points + 3 * i);
        pli_vec3_set(0.8 * square_points[3 * i] + 1.2, 0.8 * square_points[3 * i + 1], -2,
                     points + 12 + 3 * i);
    }
    static const int32_t cells[] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    pli_frame_part part = {.name = "two",
                           .kind = PLI_PART_TRIANGLES,
                           .point_count = 8,
                           .points = points,
                           .cell_count = 4,
                           .cells = cells};
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.samples = 8;
    def.edges = true;
    def.edge_width = 2;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);

    // along the middle row each square has half a line at either side and a whole one across
    double dark[2] = {0, 0};
    double color[3];
    pli_picture_color_of_body(0, color);
    for (int32_t column = 0; column < WIDTH; ++column) {
        double red = pli_picture_linear_from_srgb(pixel_at(rgb, column, HEIGHT / 2)[0] / 255.0);
        // share of the row that the line covers: it leaves 0.18 of the colour
        double cover = (color[0] - red) / (0.82 * color[0]);
        if (cover > 0.005) dark[column >= WIDTH / 2] += cover;
    }
    NEAR(dark[0], dark[1], 0.02, 0);
    // two halves of 1 and a diagonal of 2 pixels across 45 degrees, with its soft flanks
    NEAR(dark[0], 2 + 2 * sqrt(2), 0.1, 0);
}

static void wrong_values_are_refused_with_their_name(void **state)
{
    pli_context *context = *state;
    pli_picture_def good = pli_picture_def_default();
    struct {
        pli_picture_def def;
        const char *name;
    } wrong[] = {{good, "width"},     {good, "samples"},       {good, "camera.fov"},
                 {good, "camera.up"}, {good, "camera.target"}, {good, "range"},
                 {good, "component"}, {good, "shadow_rays"},   {good, "particle_radius"}};
    wrong[0].def.width = 0;
    wrong[1].def.samples = 9;
    wrong[2].def.camera.fov = NAN;
    pli_vec3_set(0, 0, 0, wrong[3].def.camera.up);
    wrong[4].def.camera.automatic = false;
    wrong[5].def.automatic_range = false;
    wrong[6].def.component = 6;
    wrong[7].def.shadow_rays = -1;
    wrong[8].def.particle_radius = -1;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        pli_picture *picture = (pli_picture *)&good;
        assert_int_equal(pli_picture_create(context, &wrong[i].def, &picture), PLI_ERROR_ARGUMENT);
        assert_null(picture);
        char text[256];
        pli_context_message(context, text, sizeof text);
        assert_non_null(strstr(text, wrong[i].name));
    }
    pli_picture_destroy(NULL);
}

// create, survey, draw and write with the n-th allocation failing
static pli_status draw_all(pli_context *context, const pli_picture_def *def, const pli_frame *frame,
                           const char *path)
{
    static uint8_t rgb[3 * 117 * 75];
    pli_picture *picture = NULL;
    pli_status status = pli_picture_create(context, def, &picture);
    if (status == PLI_OK) status = pli_picture_survey(picture, frame);
    if (status == PLI_OK) status = pli_picture_draw(picture, frame, rgb);
    if (status == PLI_OK) status = pli_picture_write_png(context, path, 117, 75, rgb);
    pli_picture_destroy(picture);
    return status;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    mixed_frame mixed;
    mixed_frame_init(&mixed);
    pli_picture_def def = mixed_def();
    def.samples = 1;
    def.occlusion_rays = 1;
    def.shadow_rays = 1;
    static const char *const hidden[] = {"square", "nobody"};
    def.hidden = hidden;
    def.hidden_count = 2;
    def.section = (pli_section_def){true, {1, 0, 0}, 0.5};
    char path[] = "/tmp/pliant_picture_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (fault_sweep sweep = {.absorbs = true, .at_least = 10}; fault_sweep_next(&sweep);) {
        sweep.status = draw_all(sweep.context, &def, &mixed.frame, path);
    }
    remove(path);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(sphere_lies_within_a_pixel_of_its_projection, 1),
        TEST_IN_CONTEXT(lit_sphere_has_its_colour_and_is_brighter_towards_the_light, 2),
        TEST_IN_CONTEXT(rim_pixels_are_mixtures, 1),
        TEST_IN_CONTEXT(body_shades_the_ground_behind_it, 2),
        TEST_IN_CONTEXT(occlusion_darkens_a_corner_without_noise, 2),
        cmocka_unit_test(bytes_do_not_depend_on_the_number_of_threads),
        TEST_IN_CONTEXT(drawing_again_gives_the_same_bytes_and_allocates_nothing, 2),
        cmocka_unit_test(processor_mode_is_left_as_it_was),
        TEST_IN_CONTEXT(empty_frames_show_the_background, 1),
        TEST_IN_CONTEXT(broken_points_and_flat_triangles_do_not_disturb, 2),
        TEST_IN_CONTEXT(index_past_the_end_is_refused, 1),
        TEST_IN_CONTEXT(survey_makes_pictures_of_a_series_agree, 1),
        TEST_IN_CONTEXT(orbit_walks_around, 1),
        TEST_IN_CONTEXT(edges_have_the_same_width_near_and_far, 1),
        TEST_IN_CONTEXT(wrong_values_are_refused_with_their_name, 1),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void pictures_say_that_the_build_lacks_them(void **state)
{
    pli_context *context = *state;
    pli_picture_def def = pli_picture_def_default();
    pli_picture *picture = (pli_picture *)&def;
    uint8_t rgb[3] = {0, 0, 0};
    char text[256];
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_UNSUPPORTED);
    assert_null(picture);
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, "Embree"));
    assert_int_equal(pli_picture_write_png(context, "a.png", 1, 1, rgb), PLI_ERROR_UNSUPPORTED);
    pli_picture_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST_IN_CONTEXT(pictures_say_that_the_build_lacks_them, 1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
