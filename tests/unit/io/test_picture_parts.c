// SPDX-License-Identifier: Apache-2.0
//
// The parts of pictures on their own: camera, colours, surfaces, normals, text, PNG files.
#include "near.h"

#include "pliant/io.h"

#ifdef PLI_HAS_RENDER

#include "base/random.h"
#include "math/vec3.h"
#include "render/picture.h"
#include "support/fault.h"

#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static void camera_projects_back_what_its_rays_meet(void **state)
{
    (void)state;
    pli_picture_def def = pli_picture_def_default();
    def.camera.automatic = false;
    pli_vec3_set(3, 2, 5, def.camera.position);
    pli_vec3_set(0.5, 1, 0, def.camera.target);
    pli_picture_survey_data survey;
    pli_picture_survey_init(&def, &survey);
    const double origin[3] = {0.1, -0.2, 0.3};
    pli_picture_camera camera;
    pli_picture_camera_build(&def, &survey, 0, origin, &camera);
    pli_random random = {.seed = 1, .stream = 1};
    for (uint64_t i = 0; i < 100; ++i) {
        double x = pli_random_range(random, 3 * i, 0, def.width);
        double y = pli_random_range(random, 3 * i + 1, 0, def.height);
        double t = pli_random_range(random, 3 * i + 2, 0.1, 20);
        double direction[3];
        double point[3];
        double pixel[2];
        pli_picture_camera_ray(&camera, x, y, direction);
        NEAR(pli_vec3_norm(direction), 1, 1e-14, 0);
        pli_vec3_add_scaled(camera.position, t, direction, point);
        assert_true(pli_picture_camera_project(&camera, point, pixel));
        NEAR(pixel[0], x, 0, 1e-9);
        NEAR(pixel[1], y, 0, 1e-9);
        pli_vec3_add_scaled(camera.position, -t, direction, point);
        assert_false(pli_picture_camera_project(&camera, point, pixel));
    }

    // the target is in the middle, and up points up
    double target[3];
    double pixel[2];
    pli_vec3_subtract(def.camera.target, origin, target);
    assert_true(pli_picture_camera_project(&camera, target, pixel));
    NEAR(pixel[0], 480, 0, 1e-9);
    NEAR(pixel[1], 300, 0, 1e-9);
    target[1] += 0.1;
    assert_true(pli_picture_camera_project(&camera, target, pixel));
    assert_true(pixel[1] < 299);
}

// Fits random points and returns how close to the allowed borders they come, in parts of the
// picture: 0 means that a border is touched, positive that a point is outside.
static double fit_overshoot(const pli_picture_def *def, const pli_frame *frame, int32_t index)
{
    pli_context *context = make_context(1);
    pli_picture_survey_data survey;
    pli_picture_survey_init(def, &survey);
    pli_picture_survey_add(context, def, frame, &survey);
    const double origin[3] = {0, 0, 0};
    pli_picture_camera camera;
    pli_picture_camera_build(def, &survey, index, origin, &camera);
    const pli_frame_part *part = frame->parts;
    double most = -HUGE_VAL;
    double right = 1 - pli_picture_legend_margin(def);
    for (int32_t i = 0; i < part->point_count; ++i) {
        double pixel[2];
        assert_true(pli_picture_camera_project(&camera, part->points + 3 * i, pixel));
        double x = pixel[0] / def->width;
        double y = pixel[1] / def->height;
        most = fmax(most, fmax(fmax(0.085 - x, x - right + 0.085), fmax(0.085 - y, y - 0.915)));
    }
    pli_context_destroy(context);
    return most;
}

static void automatic_camera_shows_everything_as_large_as_possible(void **state)
{
    (void)state;
    pli_random random = {.seed = 2, .stream = 1};
    double points[200][3];
    for (uint64_t i = 0; i < 200; ++i) {
        pli_vec3_set(pli_random_range(random, 3 * i, 100, 107),
                     pli_random_range(random, 3 * i + 1, -2, 1),
                     pli_random_range(random, 3 * i + 2, 3, 5), points[i]);
    }
    pli_frame_part part = {
        .name = "p", .kind = PLI_PART_TRIANGLES, .point_count = 200, .points = points[0]};
    pli_frame frame = {.part_count = 1, .parts = &part};
    static const double ups[][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0.3, -2, 0.4}};
    static const int32_t sizes[][2] = {{960, 600}, {200, 900}, {900, 200}};
    for (int i = 0; i < 12; ++i) {
        pli_picture_def def = pli_picture_def_default();
        pli_vec3_copy(ups[i % 4], def.camera.up);
        def.width = sizes[i / 4][0];
        def.height = sizes[i / 4][1];
        def.camera.azimuth = 37 * i;
        def.field = i % 2 == 0 ? "" : "velocity";
        NEAR(fit_overshoot(&def, &frame, 0), 0, 0, 1e-9);

        // an orbit keeps clear of the borders for every frame
        def.camera.orbit = 30;
        for (int32_t index = 0; index < 12; ++index) {
            AT_MOST(fit_overshoot(&def, &frame, index), 1e-9);
        }
    }
}

static void camera_copes_with_nothing_and_with_one_point(void **state)
{
    (void)state;
    const double point[3] = {5, 6, 7};
    pli_frame_part part = {
        .name = "p", .kind = PLI_PART_TRIANGLES, .point_count = 1, .points = point};
    pli_frame frame = {.part_count = 1, .parts = &part};
    for (int i = 0; i < 4; ++i) {
        pli_context *context = make_context(1);
        pli_picture_def def = pli_picture_def_default();
        def.camera.orbit = i / 2 * 10;
        pli_picture_survey_data survey;
        pli_picture_survey_init(&def, &survey);
        if (i % 2 == 1) pli_picture_survey_add(context, &def, &frame, &survey);
        const double origin[3] = {0, 0, 0};
        pli_picture_camera camera;
        pli_picture_camera_build(&def, &survey, 1, origin, &camera);
        double pixel[2];
        double where[3] = {0, 0, 0};
        if (i % 2 == 1) pli_vec3_copy(point, where);
        assert_true(pli_picture_camera_project(&camera, where, pixel));
        NEAR(pixel[0], 480, 0, 1e-6);
        NEAR(pixel[1], 300, 0, 1e-6);
        pli_context_destroy(context);
    }
}

static void axes_are_right_handed_for_every_up(void **state)
{
    (void)state;
    static const double ups[][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 0.1, 0}, {0.3, -2, 0.4}};
    static const double fronts[][3] = {{0, 0, 1}, {0, -1, 0}};
    for (int i = 0; i < 5; ++i) {
        double front[3];
        double side[3];
        double up[3];
        double cross[3];
        pli_picture_axes(ups[i], front, side);
        pli_vec3_normalize(ups[i], up);
        pli_vec3_cross(up, front, cross);
        for (int k = 0; k < 3; ++k) NEAR(cross[k], side[k], 0, 1e-14);
        NEAR(pli_vec3_norm(side), 1, 1e-14, 0);
        for (int k = 0; i < 2 && k < 3; ++k) NEAR(front[k], fronts[i][k], 0, 1e-14);
    }
}

static void srgb_is_undone_by_its_inverse(void **state)
{
    (void)state;
    for (int i = 0; i <= 255; ++i) {
        double linear = pli_picture_linear_from_srgb(i / 255.0);
        // the two branches of the standard meet with an error of some 1e-8
        NEAR(pli_picture_srgb_from_linear(linear), i / 255.0, 0, 1e-6);
    }
    NEAR(pli_picture_linear_from_srgb(0.5), 0.21404114, 1e-6, 0);
    NEAR(pli_picture_srgb_from_linear(NAN), 0, 0, 0);
}

static double luminance(const double color[3])
{
    return 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
}

static pli_picture_colors make_colors(pli_colormap map, double low, double high)
{
    pli_picture_def def = pli_picture_def_default();
    def.colormap = map;
    def.field = "f";
    pli_picture_survey_data survey;
    pli_picture_survey_init(&def, &survey);
    survey.range[0] = low;
    survey.range[1] = high;
    pli_picture_colors colors;
    pli_picture_colors_build(&def, &survey, &colors);
    return colors;
}

static void sequential_map_grows_lighter_evenly(void **state)
{
    (void)state;
    pli_picture_colors colors = make_colors(PLI_COLORMAP_SEQUENTIAL, 0, 1);
    double previous = -1;
    for (int i = 0; i <= 100; ++i) {
        double color[3];
        pli_picture_color_of_value(&colors, i / 100.0, color);
        // the cube root of luminance is close to what the eye calls lightness
        double lightness = cbrt(luminance(color));
        if (i > 0) NEAR(lightness - previous, 0.0067, 0.5, 0);
        previous = lightness;
    }
}

static void diverging_map_is_lightest_in_its_middle(void **state)
{
    (void)state;
    pli_picture_colors colors = make_colors(PLI_COLORMAP_DIVERGING, -2, 1);
    NEAR(colors.range[0], -2, 0, 0);
    NEAR(colors.range[1], 2, 0, 0);
    for (int i = 1; i <= 50; ++i) {
        double inner[3];
        double outer[3];
        for (int sign = -1; sign <= 1; sign += 2) {
            pli_picture_color_of_value(&colors, sign * 0.04 * (i - 1), inner);
            pli_picture_color_of_value(&colors, sign * 0.04 * i, outer);
            assert_true(luminance(outer) < luminance(inner));
            // blue on the negative side, red on the other
            if (i > 10) assert_true((outer[0] > outer[2]) == (sign > 0));
        }
    }
}

static void values_outside_the_range_take_the_end_colours(void **state)
{
    (void)state;
    pli_picture_colors colors = make_colors(PLI_COLORMAP_SEQUENTIAL, -1e308, 1e308);
    double color[3];
    double end[3];
    pli_picture_color_of_value(&colors, 1.7e308, color);
    pli_picture_color_of_value(&colors, 1e308, end);
    for (int k = 0; k < 3; ++k) NEAR(color[k], end[k], 0, 1e-12);

    // one value only: the range is opened around it
    colors = make_colors(PLI_COLORMAP_SEQUENTIAL, 3, 3);
    assert_true(colors.range[0] < 3 && colors.range[1] > 3);
    colors = make_colors(PLI_COLORMAP_SEQUENTIAL, 0, 0);
    assert_true(colors.range[0] < 0 && colors.range[1] > 0);
    // none at all
    colors = make_colors(PLI_COLORMAP_SEQUENTIAL, INFINITY, -INFINITY);
    assert_true(colors.range[0] < colors.range[1]);
}

static void ticks_are_round_and_inside(void **state)
{
    (void)state;
    pli_random random = {.seed = 3, .stream = 1};
    for (uint64_t i = 0; i < 500; ++i) {
        double middle = pli_random_range(random, 3 * i, -10, 10);
        double width = pow(10, pli_random_range(random, 3 * i + 1, -6, 9));
        double ticks[8];
        int32_t count = pli_picture_ticks(middle - width, middle + width, 8, ticks);
        assert_in_range(count, 3, 8);
        // the difference carries the rounding of both ticks: 1e-15 of 20 against a step of 1e-7
        double step = ticks[1] - ticks[0];
        double power = pow(10, floor(log10(step) + 1e-6));
        double digits = round(step / power);
        assert_true(digits == 1 || digits == 2 || digits == 5);
        NEAR(step, digits * power, 1e-6, 0);
        step = digits * power;
        for (int32_t k = 0; k < count; ++k) {
            AT_LEAST(ticks[k], middle - width - 1e-5 * step);
            AT_MOST(ticks[k], middle + width + 1e-5 * step);
            NEAR(ticks[k] / step, round(ticks[k] / step), 1e-12, 1e-6);
        }
    }
    double ticks[8];
    assert_int_equal(pli_picture_ticks(0, 1, 8, ticks), 6);
    NEAR(ticks[5], 1, 1e-12, 0);
    assert_int_equal(pli_picture_ticks(1, 1, 8, ticks), 0);
    assert_int_equal(pli_picture_ticks(NAN, 1, 8, ticks), 0);
    assert_int_equal(pli_picture_ticks(-1.7e308, 1.7e308, 8, ticks), 0);
}

static void text_stays_in_the_picture_and_has_the_width_it_says(void **state)
{
    (void)state;
    enum { W = 60, H = 40 };
    uint8_t rgb[3 * W * H];
    pli_picture_canvas canvas = {W, H, rgb};
    pli_picture_ink ink = {{0, 0, 0}, 14, 1.4};
    for (int c = 1; c < 256; ++c) {
        char text[2] = {(char)c, '\0'};
        memset(rgb, 255, sizeof rgb);
        pli_picture_text_draw(&canvas, &ink, 20, 25, text);
        double width = pli_picture_text_width(&ink, text);
        assert_true(width > 2 && width < 20);
        int32_t dark = 0;
        for (int32_t i = 0; i < W * H; ++i) {
            if (rgb[3 * i] > 200) continue;
            ++dark;
            // letters keep to their advance, to the capital height and to the tail
            double x = i % W + 0.5;
            double y = i / W + 0.5;
            assert_true(x > 20 - 1.2 && x < 20 + width + 1.2);
            assert_true(y > 25 - 14 * 1.1 - 1.2 && y < 25 + 14 * 0.3 + 1.2);
        }
        if (c == ' ') assert_int_equal(dark, 0);
        if (c != ' ') assert_true(dark >= 1);
    }

    // borders are no problem
    static const double places[][2] = {{-5, 3}, {55, 45}, {-1000, 1e6}, {59.5, 0}};
    for (int i = 0; i < 4; ++i) {
        pli_picture_text_draw(&canvas, &ink, places[i][0], places[i][1], "Ag^2");
    }
    NEAR(pli_picture_text_width(&ink, "ab"),
         pli_picture_text_width(&ink, "a") + pli_picture_text_width(&ink, "b"), 1e-12, 0);
    // a raised digit is smaller than a digit
    AT_MOST(pli_picture_text_width(&ink, "m^2"), pli_picture_text_width(&ink, "m2") - 2);
}

static void box_covers_pixels_in_parts(void **state)
{
    (void)state;
    uint8_t rgb[3 * 16];
    memset(rgb, 0, sizeof rgb);
    pli_picture_canvas canvas = {4, 4, rgb};
    pli_picture_box box = {0.5, 1, 2, 2.25};
    const double white[3] = {1, 1, 1};
    pli_picture_box_draw(&canvas, &box, white, 1);
    static const int want[16] = {0, 0, 0, 0, 128, 255, 0, 0, 32, 64, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 16; ++i) NEAR(rgb[3 * i], want[i], 0, 1);
    pli_picture_box outside = {-9, -9, 99, 99};
    pli_picture_box_draw(&canvas, &outside, white, 1);
    for (int i = 0; i < 16; ++i) assert_int_equal(rgb[3 * i], 255);
}

enum { CELLS = 3, POINTS = CELLS + 1 };

// a box of CELLS^3 cubes, each cut into six tetrahedra of positive volume
typedef struct tet_box {
    double points[POINTS * POINTS * POINTS][3];
    int32_t cells[6 * CELLS * CELLS * CELLS][4];
    pli_frame_part part;
} tet_box;

static void tet_box_init(tet_box *box)
{
    static const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int32_t stride[3] = {1, POINTS, POINTS * POINTS};
    for (int32_t i = 0; i < POINTS * POINTS * POINTS; ++i) {
        for (int k = 0; k < 3; ++k) box->points[i][k] = i / stride[k] % POINTS;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < CELLS * CELLS * CELLS; ++i) {
        int32_t first = i % CELLS + POINTS * (i / CELLS % CELLS + POINTS * (i / CELLS / CELLS));
        for (int t = 0; t < 6; ++t) {
            int32_t *cell = box->cells[count++];
            cell[0] = first;
            for (int k = 0; k < 3; ++k) cell[k + 1] = cell[k] + stride[orders[t][k]];
            if (t < 3) continue;
            int32_t swap = cell[2];
            cell[2] = cell[3];
            cell[3] = swap;
        }
    }
    box->part = (pli_frame_part){.name = "box",
                                 .kind = PLI_PART_TETS,
                                 .point_count = POINTS * POINTS * POINTS,
                                 .points = box->points[0],
                                 .cell_count = count,
                                 .cells = box->cells[0]};
}

static pli_picture_mesh build_mesh(pli_context *context, const pli_frame_part *part,
                                   pli_arena *scratch)
{
    pli_picture_def def = pli_picture_def_default();
    pli_frame frame = {.part_count = 1, .parts = part};
    pli_picture_mesh mesh;
    pli_picture_stage stage = {.particle_radius = 0.1};
    OK(context, pli_picture_mesh_build(context, &def, &frame, &stage, scratch, &mesh));
    return mesh;
}

static void cubes_keep_hard_edges(void **state)
{
    pli_context *context = *state;
    pli_arena *scratch = NULL;
    OK(context, pli_arena_create(context, 0, &scratch));
    static tet_box box;
    tet_box_init(&box);
    pli_picture_mesh mesh = build_mesh(context, &box.part, scratch);
    assert_int_equal(mesh.triangle_count, 12 * CELLS * CELLS);
    for (int32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
        // every corner normal is along an axis
        const float *n = mesh.normals + 3 * i;
        double largest = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
        NEAR(largest, 1, 1e-6, 0);
        NEAR(fabs(n[0]) + fabs(n[1]) + fabs(n[2]), 1, 1e-6, 0);
    }
    pli_arena_destroy(scratch);
}

static void round_surfaces_get_smooth_normals(void **state)
{
    pli_context *context = *state;
    pli_arena *scratch = NULL;
    OK(context, pli_arena_create(context, 0, &scratch));
    // an open tube of radius 1 along z, 24 triangles pairs around
    enum { AROUND = 24 };
    double points[2 * AROUND][3];
    int32_t cells[2 * AROUND][3];
    for (int32_t i = 0; i < AROUND; ++i) {
        double angle = 2 * pi * i / AROUND;
        pli_vec3_set(cos(angle), sin(angle), 0, points[i]);
        pli_vec3_set(cos(angle), sin(angle), 1, points[i + AROUND]);
        int32_t next = (i + 1) % AROUND;
        int32_t quad[2][3] = {{i, next, next + AROUND}, {i, next + AROUND, i + AROUND}};
        memcpy(cells[2 * i], quad, sizeof quad);
    }
    pli_frame_part part = {.name = "tube",
                           .kind = PLI_PART_TRIANGLES,
                           .point_count = 2 * AROUND,
                           .points = points[0],
                           .cell_count = 2 * AROUND,
                           .cells = cells[0]};
    pli_picture_mesh mesh = build_mesh(context, &part, scratch);
    for (int32_t i = 0; i < 3 * mesh.triangle_count; ++i) {
        const double *point = points[mesh.triangles[i]];
        const float *n = mesh.normals + 3 * i;
        // the two quads at a vertex lie symmetrically about its radius, up to how each is cut:
        // a right angle at one and two parts of a right angle at the other are equal weights
        NEAR(n[0], point[0], 0, 1e-6);
        NEAR(n[1], point[1], 0, 1e-6);
        NEAR(n[2], 0, 0, 1e-6);
    }
    pli_arena_destroy(scratch);
}

static void particle_radius_follows_their_spacing(void **state)
{
    pli_context *context = *state;
    // a lattice with spacing 0.1, and a few particles that flew away
    static double points[1003][3];
    for (int32_t i = 0; i < 1000; ++i) {
        pli_vec3_set(0.1 * (i % 10), 0.1 * (i / 10 % 10), 0.1 * (i / 100), points[i]);
    }
    pli_vec3_set(40, 0, 0, points[1000]);
    pli_vec3_set(NAN, 0, 0, points[1001]);
    pli_vec3_set(0, 0, 50, points[1002]);
    pli_frame_part part = {
        .name = "p", .kind = PLI_PART_POINTS, .point_count = 1003, .points = points[0]};
    pli_frame frame = {.part_count = 1, .parts = &part};
    pli_picture_def def = pli_picture_def_default();
    pli_picture_survey_data survey;
    pli_picture_survey_init(&def, &survey);
    pli_picture_survey_add(context, &def, &frame, &survey);
    // inside, six neighbours at 0.1; on a side the sixth is at 0.1 sqrt 2
    NEAR(survey.spacing, 0.1, 0.08, 0);
    NEAR(pli_picture_particle_radius(&def, &survey), 0.6 * survey.spacing, 1e-12, 0);

    // the box grows by the radius, and so does the ground go down
    def.particle_radius = 0.25;
    pli_picture_survey_data grown = pli_picture_survey_grown(&def, &survey);
    NEAR(grown.extent.low[0], -0.25, 0, 1e-12);
    NEAR(grown.extent.high[0], 40.25, 0, 1e-12);
    NEAR(grown.lowest_particle, -0.25, 0, 1e-12);
    assert_true(grown.lowest == INFINITY);
}

// reads a PNG back with libpng's simple interface
static void read_png(const char *path, int32_t width, int32_t height, uint8_t *rgb)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&image, path) != 0);
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_true(png_image_finish_read(&image, NULL, rgb, 3 * width, NULL) != 0);
}

static void png_reads_back_as_written(void **state)
{
    pli_context *context = *state;
    char folder[] = "/tmp/pliant_png_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    snprintf(path, sizeof path, "%s/a.png", folder);
    enum { W = 37, H = 23 };
    uint8_t rgb[3 * W * H];
    uint8_t read[3 * W * H];
    pli_random random = {.seed = 4, .stream = 1};
    // twice: the second replaces the first
    for (uint64_t round = 0; round < 2; ++round) {
        for (uint64_t i = 0; i < sizeof rgb; ++i) {
            rgb[i] = (uint8_t)pli_random_bits(random, i + 10000 * round);
        }
        OK(context, pli_picture_write_png(context, path, W, H, rgb));
        read_png(path, W, H, read);
        assert_memory_equal(read, rgb, sizeof rgb);
    }
    assert_int_equal(remove(path), 0);
    // nothing else was left, or the folder could not go
    assert_int_equal(rmdir(folder), 0);
}

static void png_failures_are_told_and_leave_nothing(void **state)
{
    pli_context *context = *state;
    char folder[] = "/tmp/pliant_png_XXXXXX";
    assert_non_null(mkdtemp(folder));
    uint8_t rgb[12] = {0};
    char path[64];
    char text[256];
    snprintf(path, sizeof path, "%s/none/a.png", folder);
    assert_int_equal(pli_picture_write_png(context, path, 2, 2, rgb), PLI_ERROR_IO);
    pli_context_message(context, text, sizeof text);
    assert_non_null(strstr(text, "none/a.png"));
    assert_int_equal(pli_picture_write_png(context, path, 0, 2, rgb), PLI_ERROR_ARGUMENT);

    // a folder of that name is in the way of the rename
    snprintf(path, sizeof path, "%s/sub", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(pli_picture_write_png(context, path, 2, 2, rgb), PLI_ERROR_IO);
    assert_int_equal(rmdir(path), 0);
    // nothing else was left, or the folder could not go
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(camera_projects_back_what_its_rays_meet),
        cmocka_unit_test(automatic_camera_shows_everything_as_large_as_possible),
        cmocka_unit_test(camera_copes_with_nothing_and_with_one_point),
        cmocka_unit_test(axes_are_right_handed_for_every_up),
        cmocka_unit_test(srgb_is_undone_by_its_inverse),
        cmocka_unit_test(sequential_map_grows_lighter_evenly),
        cmocka_unit_test(diverging_map_is_lightest_in_its_middle),
        cmocka_unit_test(values_outside_the_range_take_the_end_colours),
        cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(text_stays_in_the_picture_and_has_the_width_it_says),
        cmocka_unit_test(box_covers_pixels_in_parts),
        TEST_IN_CONTEXT(cubes_keep_hard_edges, 2),
        TEST_IN_CONTEXT(round_surfaces_get_smooth_normals, 2),
        TEST_IN_CONTEXT(particle_radius_follows_their_spacing, 2),
        TEST_IN_CONTEXT(png_reads_back_as_written, 1),
        TEST_IN_CONTEXT(png_failures_are_told_and_leave_nothing, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0;
}

#endif
