// SPDX-License-Identifier: Apache-2.0
//
// Colours of pictures: fields, categories, legend, time stamp.
#include "near.h"

#include "pliant/io.h"

#ifdef PLI_HAS_RENDER

#include "unit/io/picture_frames.h"

// the colours of small pictures of a square whose field grows from left to right
static void check_field_colours(pli_colormap colormap)
{
    pli_context *context = make_context(1);
    static const double values[] = {-2, 6, 6, -2};
    pli_frame_field field = {"f", "m", PLI_PLACE_POINT, 1, values, false};
    pli_frame_part part = square();
    part.field_count = 1;
    part.fields = &field;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.field = "f";
    def.colormap = colormap;
    def.automatic_range = false;
    def.range[0] = -1;
    def.range[1] = 4;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);

    pli_picture_survey_data survey;
    pli_picture_colors colors;
    pli_picture_survey_init(&def, &survey);
    pli_picture_colors_build(&def, &survey, &colors);
    int32_t checked = 0;
    for (int32_t column = 0; column < WIDTH; ++column) {
        double direction[3];
        pixel_ray(column + 0.5, HEIGHT / 2 + 0.5, direction);
        double x = -4 * direction[0] / direction[2];
        if (fabs(x) > 0.99) continue;
        double color[3];
        pli_picture_color_of_value(&colors, 2 + 4 * x, color);
        ++checked;
        for (int k = 0; k < 3; ++k) {
            double want = 255 * pli_picture_srgb_from_linear(color[k]);
            // rounding to a byte, and single precision of the value where the map is steep
            NEAR(pixel_at(rgb, column, HEIGHT / 2)[k], want, 0, 0.51);
        }
    }
    assert_true(checked > 30);
    pli_context_destroy(context);
}

static void field_colours_are_those_of_the_map(void **state)
{
    (void)state;
    check_field_colours(PLI_COLORMAP_SEQUENTIAL);
    check_field_colours(PLI_COLORMAP_DIVERGING);
}

static void cells_have_one_colour_and_vectors_their_length(void **state)
{
    pli_context *context = *state;
    static const double values[] = {3, 0, 4, 0, -1, 0};
    pli_frame_field field = {"v", "m/s", PLI_PLACE_CELL, 3, values, false};
    pli_frame_part part = square();
    part.field_count = 1;
    part.fields = &field;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.field = "v";
    uint8_t rgb[3 * WIDTH * HEIGHT];
    pli_picture_survey_data survey;
    pli_picture_colors colors;

    // the length of the first is 5, of the second 1: the ends of the automatic range
    draw(context, &def, &frame, rgb);
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    NEAR(survey.range[0], 1, 0, 0);
    NEAR(survey.range[1], 5, 0, 0);
    pli_picture_colors_build(&def, &survey, &colors);
    for (int i = 0; i < 2; ++i) {
        const uint8_t *pixel = i == 0 ? pixel_at(rgb, 54, 40) : pixel_at(rgb, 42, 24);
        double color[3];
        pli_picture_color_of_value(&colors, i == 0 ? 5 : 1, color);
        for (int k = 0; k < 3; ++k) {
            NEAR(pixel[k], 255 * pli_picture_srgb_from_linear(color[k]), 0, 0.51);
        }
    }

    // by component y they are 0 and -1
    def.component = 1;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    NEAR(survey.range[0], -1, 0, 0);
    NEAR(survey.range[1], 0, 0, 0);
}

static void values_that_are_not_finite_are_magenta_and_missing_fields_grey(void **state)
{
    pli_context *context = *state;
    static const double values[] = {0.5, NAN};
    pli_frame_field field = {"f", "", PLI_PLACE_CELL, 1, values, false};
    pli_frame_part part = square();
    part.field_count = 1;
    part.fields = &field;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.field = "f";
    uint8_t rgb[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);
    const uint8_t *broken = pixel_at(rgb, 42, 24);
    assert_true(broken[0] == 255 && broken[1] == 0 && broken[2] > 150);
    const uint8_t *sound = pixel_at(rgb, 54, 40);
    assert_true(sound[1] > 60);

    def.field = "another";
    draw(context, &def, &frame, rgb);
    const uint8_t *grey = pixel_at(rgb, 54, 40);
    assert_true(abs(grey[0] - grey[1]) < 12 && abs(grey[1] - grey[2]) < 12);

    // a component that the field does not have is a missing field too
    def.field = "f";
    def.component = 2;
    uint8_t again[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, again);
    assert_memory_equal(again, rgb, sizeof rgb);
}

static void categories_have_the_colours_of_bodies(void **state)
{
    pli_context *context = *state;
    static const double values[] = {3, 1};
    pli_frame_field field = {"material", "", PLI_PLACE_CELL, 1, values, false};
    pli_frame_part part = square();
    part.field_count = 1;
    part.fields = &field;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.field = "material";
    def.colormap = PLI_COLORMAP_CATEGORIES;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    draw(context, &def, &frame, rgb);
    double color[3];
    pli_picture_color_of_body(3, color);
    for (int k = 0; k < 3; ++k) {
        NEAR(pixel_at(rgb, 54, 40)[k], 255 * pli_picture_srgb_from_linear(color[k]), 0, 0.51);
    }
}

static void legend_shows_the_map_and_leaves_the_rest_alone(void **state)
{
    pli_context *context = *state;
    enum { W = 320, H = 300 };
    static const double values[] = {-2, 6, 6, -2};
    pli_frame_field field = {"f", "m/s", PLI_PLACE_POINT, 1, values, false};
    pli_frame_part part = square();
    part.field_count = 1;
    part.fields = &field;
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    def.width = W;
    def.height = H;
    def.field = "f";
    static uint8_t without[3 * W * H];
    static uint8_t with[3 * W * H];
    draw(context, &def, &frame, without);
    def.legend = true;
    draw(context, &def, &frame, with);

    // find the columns of the bar: changed pixels whose column holds yellow above and violet below
    double ends[2][3];
    pli_picture_survey_data survey;
    pli_picture_colors colors;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    pli_picture_colors_build(&def, &survey, &colors);
    pli_picture_color_of_value(&colors, 6, ends[0]);
    pli_picture_color_of_value(&colors, -2, ends[1]);
    int32_t found[2] = {0, 0};
    int32_t changed = 0;
    for (int32_t i = 0; i < W * H; ++i) {
        bool same = memcmp(with + 3 * i, without + 3 * i, 3) == 0;
        changed += !same;
        // only the upper right part is touched
        if (i % W < W / 2 || i / W > 3 * H / 4) assert_true(same);
        for (int end = 0; end < 2; ++end) {
            bool match = !same;
            for (int k = 0; k < 3; ++k) {
                double want = 255 * pli_picture_srgb_from_linear(ends[end][k]);
                match = match && fabs(with[3 * i + k] - want) < 3;
            }
            found[end] += match;
        }
    }
    assert_true(changed > 1000);
    assert_true(found[0] >= 7 && found[1] >= 7);

    // no field, no legend
    def.field = "";
    draw(context, &def, &frame, with);
    def.legend = false;
    draw(context, &def, &frame, without);
    assert_memory_equal(with, without, sizeof with);
}

static void time_stamp_is_drawn_in_the_lower_left(void **state)
{
    pli_context *context = *state;
    pli_frame nothing = frame_of(NULL, 0);
    pli_picture_def def = plain_def();
    uint8_t without[3 * WIDTH * HEIGHT];
    uint8_t with[3 * WIDTH * HEIGHT];
    draw(context, &def, &nothing, without);
    def.time_stamp = true;
    draw(context, &def, &nothing, with);
    int32_t changed = 0;
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) {
        if (memcmp(with + 3 * i, without + 3 * i, 3) == 0) continue;
        ++changed;
        assert_true(i % WIDTH < 3 * WIDTH / 4 && i / WIDTH > HEIGHT / 2);
    }
    assert_true(changed > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_colours_are_those_of_the_map),
        TEST_IN_CONTEXT(cells_have_one_colour_and_vectors_their_length, 1),
        TEST_IN_CONTEXT(values_that_are_not_finite_are_magenta_and_missing_fields_grey, 1),
        TEST_IN_CONTEXT(categories_have_the_colours_of_bodies, 1),
        TEST_IN_CONTEXT(legend_shows_the_map_and_leaves_the_rest_alone, 2),
        TEST_IN_CONTEXT(time_stamp_is_drawn_in_the_lower_left, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
