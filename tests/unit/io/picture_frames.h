// SPDX-License-Identifier: Apache-2.0
//
// Small frames and pictures that the tests of pictures share.
#ifndef PLI_TESTS_PICTURE_FRAMES_H
#define PLI_TESTS_PICTURE_FRAMES_H

#include "near.h"

#include "base/random.h"
#include "math/vec3.h"
#include "render/picture.h"

enum { WIDTH = 96, HEIGHT = 64 };

// Camera on the z axis that looks at the origin from 4 m away.
static inline pli_picture_def small_def(void)
{
    pli_picture_def def = pli_picture_def_default();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.camera.automatic = false;
    pli_vec3_set(0, 0, 4, def.camera.position);
    pli_vec3_set(0, 0, 0, def.camera.target);
    def.camera.fov = 40;
    def.ground = false;
    def.legend = false;
    return def;
}

static inline pli_picture_def plain_def(void)
{
    pli_picture_def def = small_def();
    def.lit = false;
    def.samples = 1;
    return def;
}

static inline void draw(pli_context *context, const pli_picture_def *def, const pli_frame *frame,
                        uint8_t *rgb)
{
    pli_picture *picture = NULL;
    OK(context, pli_picture_create(context, def, &picture));
    OK(context, pli_picture_draw(picture, frame, rgb));
    pli_picture_destroy(picture);
}

static inline const uint8_t *pixel_at(const uint8_t *rgb, int32_t column, int32_t row)
{
    return rgb + 3 * (row * WIDTH + column);
}

// amount of light, linear
static inline double brightness(const uint8_t *pixel)
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += pli_picture_linear_from_srgb(pixel[k] / 255.0);
    return sum;
}

// the camera that small_def describes, by its own formulas
static inline void pixel_ray(double column, double row, double direction[3])
{
    double tangent = tan(20 * 3.14159265358979323846 / 180);
    pli_vec3_set((2 * column / WIDTH - 1) * tangent * WIDTH / HEIGHT,
                 (1 - 2 * row / HEIGHT) * tangent, -1, direction);
    pli_vec3_normalize(direction, direction);
}

static inline pli_frame frame_of(const pli_frame_part *parts, int32_t count)
{
    return (pli_frame){.part_count = count, .parts = parts};
}

// a square of two triangles in the plane z = 0, 2 m wide
static const double square_points[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const int32_t square_cells[] = {0, 1, 2, 0, 2, 3};

static inline pli_frame_part square(void)
{
    return (pli_frame_part){.name = "square",
                            .kind = PLI_PART_TRIANGLES,
                            .point_count = 4,
                            .points = square_points,
                            .cell_count = 2,
                            .cells = square_cells};
}

// a box of 6 tetrahedra, 1 m wide
static const double box_points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                    0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int32_t box_cells[] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                                    0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};

static inline pli_frame_part box(void)
{
    return (pli_frame_part){.name = "box",
                            .kind = PLI_PART_TETS,
                            .point_count = 8,
                            .points = box_points,
                            .cell_count = 6,
                            .cells = box_cells};
}

// a frame with everything: tetrahedra, a cloth, particles, a field
typedef struct mixed_frame {
    double particles[400][3];
    double speed[400];
    pli_frame_field fields[3];
    pli_frame_part parts[3];
    pli_frame frame;
} mixed_frame;

static inline void mixed_frame_init(mixed_frame *mixed)
{
    static const double box_values[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const double square_values[] = {2, 5};
    pli_random random = {.seed = 5, .stream = 1};
    for (uint64_t i = 0; i < 400; ++i) {
        for (uint64_t k = 0; k < 3; ++k) {
            mixed->particles[i][k] = pli_random_range(random, 4 * i + k, -1, 0);
        }
        mixed->speed[i] = pli_random_range(random, 4 * i + 3, 0, 9);
    }
    mixed->fields[0] = (pli_frame_field){"speed", "m/s", PLI_PLACE_POINT, 1, box_values, false};
    mixed->fields[1] = (pli_frame_field){"speed", "m/s", PLI_PLACE_CELL, 1, square_values, false};
    mixed->fields[2] = (pli_frame_field){"speed", "m/s", PLI_PLACE_POINT, 1, mixed->speed, false};
    mixed->parts[0] = box();
    mixed->parts[1] = square();
    mixed->parts[2] = (pli_frame_part){
        .name = "sand", .kind = PLI_PART_POINTS, .point_count = 400, .points = mixed->particles[0]};
    for (int i = 0; i < 3; ++i) {
        mixed->parts[i].field_count = 1;
        mixed->parts[i].fields = &mixed->fields[i];
    }
    mixed->frame = frame_of(mixed->parts, 3);
    mixed->frame.time = 0.25;
}

static inline pli_picture_def mixed_def(void)
{
    pli_picture_def def = pli_picture_def_default();
    def.width = 117; // not a multiple of the tile
    def.height = 75;
    def.field = "speed";
    def.edges = true;
    def.time_stamp = true;
    return def;
}

#endif
