// SPDX-License-Identifier: Apache-2.0
//
// Pictures of particles: where they are, how large, in which colour, how dark between them.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "pliant/io.h"

#ifdef PLI_HAS_RENDER

#include "unit/io/picture_frames.h"

enum { BALL_SIDE = 21, BALL_MOST = BALL_SIDE * BALL_SIDE * BALL_SIDE };

// A ball of particles on a lattice, 1 m in radius.
typedef struct ball {
    double points[BALL_MOST][3];
    double height[BALL_MOST];
    double radius[BALL_MOST];
    pli_frame_field fields[2];
    pli_frame_part part;
    pli_frame frame;
} ball;

static const double ball_spacing = 0.1;

static ball *ball_create(void)
{
    ball *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (int32_t i = 0; i < BALL_MOST; ++i) {
        double point[3];
        pli_vec3_set(i % BALL_SIDE, i / BALL_SIDE % BALL_SIDE, i / BALL_SIDE / BALL_SIDE, point);
        for (int k = 0; k < 3; ++k) point[k] = ball_spacing * (point[k] - BALL_SIDE / 2);
        if (pli_vec3_norm(point) > 1.0001) continue;
        int32_t at = b->part.point_count++;
        pli_vec3_copy(point, b->points[at]);
        b->height[at] = point[1];
        b->radius[at] = ball_spacing / 2;
    }
    b->fields[0] = (pli_frame_field){"height", "m", PLI_PLACE_POINT, 1, b->height, false};
    b->fields[1] = (pli_frame_field){"radius", "m", PLI_PLACE_POINT, 1, b->radius, false};
    b->part.name = "ball";
    b->part.kind = PLI_PART_POINTS;
    b->part.points = b->points[0];
    b->part.field_count = 1;
    b->part.fields = b->fields;
    b->frame = frame_of(&b->part, 1);
    return b;
}

// Distance of a pixel's ray from the origin (m).
static double ray_distance(int32_t column, int32_t row)
{
    const double camera[3] = {0, 0, 4};
    double direction[3];
    double across[3];
    pixel_ray(column + 0.5, row + 0.5, direction);
    pli_vec3_cross(camera, direction, across);
    return pli_vec3_norm(across);
}

// The picture and the one of nothing, for telling what was drawn.
typedef struct shot {
    uint8_t rgb[3 * WIDTH * HEIGHT];
    uint8_t background[3 * WIDTH * HEIGHT];
} shot;

static void shot_take(pli_context *context, const pli_picture_def *def, const pli_frame *frame,
                      shot *s)
{
    pli_frame nothing = frame_of(NULL, 0);
    draw(context, def, frame, s->rgb);
    draw(context, def, &nothing, s->background);
}

static bool is_drawn(const shot *s, int32_t column, int32_t row)
{
    return memcmp(pixel_at(s->rgb, column, row), pixel_at(s->background, column, row), 3) != 0;
}

static int32_t count_drawn(const shot *s)
{
    int32_t count = 0;
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) count += is_drawn(s, i % WIDTH, i / WIDTH);
    return count;
}

static void ball_is_lit_where_it_is(void **state)
{
    pli_context *context = *state;
    ball *b = ball_create();
    shot s;
    pli_picture_def def = small_def();
    def.field = "";
    shot_take(context, &def, &b->frame, &s);
    double towards = 0;
    double away = 0;
    for (int32_t row = 0; row < HEIGHT; ++row) {
        for (int32_t column = 0; column < WIDTH; ++column) {
            double distance = ray_distance(column, row);
            // the radius that is chosen is 0.06 m and closes the gaps: a ray that passes 0.9 m from
            // the middle meets particles, one beyond 1.06 m and a pixel's half meets none
            if (distance < 0.9) assert_true(is_drawn(&s, column, row));
            if (distance > 1.1) assert_false(is_drawn(&s, column, row));
            if (distance > 0.7) continue;
            const uint8_t *pixel = pixel_at(s.rgb, column, row);
            // the first body's colour is red, in light and in shade
            assert_true(pixel[0] > pixel[1] && pixel[0] > pixel[2]);
            // the key light stands at the upper left
            bool left = column < WIDTH / 2;
            bool above = row < HEIGHT / 2;
            if (left && above) towards += brightness(pixel);
            if (!left && !above) away += brightness(pixel);
        }
    }
    // every particle shows the light its own sunny side, so less than a smooth ball's 1.8 is left
    assert_true(towards > 1.3 * away);
    free(b);
}

static void field_colours_particles(void **state)
{
    pli_context *context = *state;
    ball *b = ball_create();
    shot s;
    pli_picture_def def = plain_def();
    def.field = "height";
    def.automatic_range = false;
    def.range[0] = -1;
    def.range[1] = 1;
    shot_take(context, &def, &b->frame, &s);
    // light yellow above, dark violet below, and growing in between
    double before = 1e9;
    for (int32_t row = 12; row < 52; row += 8) {
        double light = brightness(pixel_at(s.rgb, WIDTH / 2, row));
        assert_true(light < before);
        before = light;
    }
    free(b);
}

static void own_radius_comes_before_the_spacing(void **state)
{
    pli_context *context = *state;
    const double points[2][3] = {{-1, 0, 0}, {1, 0, 0}};
    double radii[2] = {0.2, 0};
    pli_frame_field field = {"radius", "m", PLI_PLACE_POINT, 1, radii, false};
    pli_frame_part part = {.name = "two",
                           .kind = PLI_PART_POINTS,
                           .point_count = 2,
                           .points = points[0],
                           .field_count = 1,
                           .fields = &field,
                           .radius = 0.4};
    pli_frame frame = frame_of(&part, 1);
    pli_picture_def def = plain_def();
    shot s;
    shot_take(context, &def, &frame, &s);
    int32_t count[2] = {0, 0};
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) {
        count[i % WIDTH >= WIDTH / 2] += is_drawn(&s, i % WIDTH, i / WIDTH);
    }
    // the right one has no radius in the field and takes the part's, twice as large: four times the
    // area, within what rims of some 30 and 60 pixels may lose or gain
    NEAR(count[1], 4.0 * count[0], 0.15, 0);

    // the picture's own radius comes before all
    def.particle_radius = 0.2;
    shot_take(context, &def, &frame, &s);
    NEAR(count_drawn(&s), 2.0 * count[0], 0.1, 0);
}

static void survey_takes_in_the_largest_radius(void **state)
{
    pli_context *context = *state;
    ball *b = ball_create();
    pli_picture_def def = pli_picture_def_default();
    pli_picture_survey_data survey;
    b->part.field_count = 2;
    b->radius[17] = 0.3;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &b->frame, &survey);
    assert_false(survey.has_unsized);
    assert_true(survey.spacing == 0);
    pli_picture_survey_data grown = pli_picture_survey_grown(&def, &survey);
    NEAR(grown.extent.high[1], 1.3, 0, 1e-12);
    NEAR(grown.lowest_particle, -1.3, 0, 1e-12);

    // particles without a size are given one by their spacing
    b->radius[17] = 0;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &b->frame, &survey);
    assert_true(survey.has_unsized);
    NEAR(survey.spacing, ball_spacing, 0.1, 0);
    grown = pli_picture_survey_grown(&def, &survey);
    NEAR(grown.extent.high[1], 1 + 0.6 * survey.spacing, 0, 1e-12);
    free(b);
}

// Mean brightness of the disc of rays that pass the middle within 0.5 m.
static double middle_brightness(const shot *s)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < WIDTH * HEIGHT; ++i) {
        if (ray_distance(i % WIDTH, i / WIDTH) > 0.5) continue;
        sum += brightness(pixel_at(s->rgb, i % WIDTH, i / WIDTH));
        ++count;
    }
    return sum / count;
}

static void gaps_between_particles_are_darker(void **state)
{
    pli_context *context = *state;
    ball *b = ball_create();
    shot with;
    shot without;
    pli_picture_def def = small_def();
    def.shadow_rays = 0;
    shot_take(context, &def, &b->frame, &with);
    def.occlusion_rays = 0;
    shot_take(context, &def, &b->frame, &without);
    assert_true(middle_brightness(&with) < 0.95 * middle_brightness(&without));
    free(b);
}

static void damaged_sizes_do_not_disturb(void **state)
{
    pli_context *context = *state;
    ball *b = ball_create();
    shot s;
    pli_picture_def def = small_def();
    b->part.field_count = 2;
    b->part.radius = NAN;
    b->radius[0] = NAN;
    b->radius[1] = -5;
    b->radius[2] = INFINITY;
    pli_vec3_set(NAN, INFINITY, 0, b->points[3]);
    shot_take(context, &def, &b->frame, &s);
    assert_true(is_drawn(&s, WIDTH / 2, HEIGHT / 2));
    assert_false(is_drawn(&s, 2, 2));
    free(b);
}

static void counts_may_change_between_pictures(void **state)
{
    pli_context *context = *state;
    ball *b = ball_create();
    int32_t all = b->part.point_count;
    const int32_t counts[] = {0, 1, 40, all};
    pli_picture_def def = small_def();
    pli_picture *picture = NULL;
    OK(context, pli_picture_create(context, &def, &picture));
    for (int i = 0; i < 4; ++i) {
        b->part.point_count = counts[i];
        OK(context, pli_picture_survey(picture, &b->frame));
    }
    int32_t before = -1;
    for (int i = 0; i < 4; ++i) {
        shot s;
        pli_frame nothing = frame_of(NULL, 0);
        b->part.point_count = counts[i];
        OK(context, pli_picture_draw(picture, &b->frame, s.rgb));
        OK(context, pli_picture_draw(picture, &nothing, s.background));
        int32_t drawn = count_drawn(&s);
        if (i == 0) assert_int_equal(drawn, 0);
        assert_true(drawn > before);
        before = drawn;
    }
    pli_picture_destroy(picture);
    free(b);
}

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    ball *b = ball_create();
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    b->part.field_count = 2;
    b->radius[9] = 0;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_picture_def def = small_def();
        def.field = "height";
        draw(context, &def, &b->frame, rgb);
        same_bits_keep(&bits, rgb, sizeof rgb);
        pli_context_destroy(context);
    }
    free(b);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    ball *b = ball_create();
    static uint8_t rgb[3 * WIDTH * HEIGHT];
    pli_picture_def def = plain_def();
    def.field = "height";
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        pli_picture *picture = NULL;
        sweep.status = pli_picture_create(sweep.context, &def, &picture);
        if (sweep.status == PLI_OK) sweep.status = pli_picture_draw(picture, &b->frame, rgb);
        pli_picture_destroy(picture);
    }
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(ball_is_lit_where_it_is, 2),
        TEST_IN_CONTEXT(field_colours_particles, 2),
        TEST_IN_CONTEXT(own_radius_comes_before_the_spacing, 1),
        TEST_IN_CONTEXT(survey_takes_in_the_largest_radius, 1),
        TEST_IN_CONTEXT(gaps_between_particles_are_darker, 2),
        TEST_IN_CONTEXT(damaged_sizes_do_not_disturb, 1),
        TEST_IN_CONTEXT(counts_may_change_between_pictures, 1),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("picture_particles", tests, NULL, NULL);
}

#else

static void particles_survive_a_build_without_pictures(void **state)
{
    pli_context *context = *state;
    pli_picture_def def = pli_picture_def_default();
    pli_picture *picture = NULL;
    assert_int_equal(pli_picture_create(context, &def, &picture), PLI_ERROR_UNSUPPORTED);
    assert_null(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(particles_survive_a_build_without_pictures, 1)};
    return cmocka_run_group_tests_name("picture_particles", tests, NULL, NULL);
}

#endif
