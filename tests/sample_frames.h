// SPDX-License-Identifier: Apache-2.0
//
// Frames whose every number follows from a formula, so that a reader in another language can check
// them without sharing code: tests/oracle/sample.py has the same formulas.
//
//   "block"  tetrahedra: n x n x n vertices of a lattice, each cube cut into six; fields velocity
//            (point, 3), pressure (point, 1), stress (cell, 1), axis (cell, 3)
//   "sheet"  triangles: n x n vertices, each square cut into two; field height (point, 1); marked
//            as a collider
//   "drops"  points: n of them; field speed (point, 1)
#ifndef PLI_TESTS_SAMPLE_FRAMES_H
#define PLI_TESTS_SAMPLE_FRAMES_H

#include "near.h"

#include "pliant/sim.h"

typedef struct sample_body {
    double *points;
    int32_t *cells;
    double *values[4];
    pli_frame_field fields[4];
} sample_body;

typedef struct sample {
    sample_body bodies[3];
    pli_frame_part parts[3];
    pli_frame frame;
} sample;

// y of a lattice point sinks with time, x swings
static inline void sample_point(double x, double y, double z, double t, double *point)
{
    point[0] = x + 0.05 * sin(3 * t + 2 * y);
    point[1] = y - 0.5 * t * t;
    point[2] = z * (1 + 0.1 * t);
}

static inline double *sample_reals(int64_t count)
{
    double *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

static inline void sample_add_field(sample *s, int32_t body, const char *name, const char *unit,
                                    pli_field_place place, int32_t components)
{
    pli_frame_part *part = &s->parts[body];
    int64_t tuples = place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
    double *values = sample_reals(tuples * components);
    for (int64_t i = 0; i < tuples * components; ++i) {
        values[i] = sin(0.1 * (double)i + s->frame.time) * (double)(part->field_count + 1);
    }
    s->bodies[body].values[part->field_count] = values;
    s->bodies[body].fields[part->field_count++] =
        (pli_frame_field){name, unit, place, components, values, false};
}

static inline void sample_block(sample *s, int32_t n)
{
    // six tetrahedra around the diagonal from corner 0 to corner 7; corner = x + 2 y + 4 z
    static const int32_t six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    sample_body *body = &s->bodies[0];
    pli_frame_part *part = &s->parts[0];
    int32_t m = n - 1;
    *part = (pli_frame_part){.name = "block", .kind = PLI_PART_TETS, .point_count = n * n * n};
    part->cell_count = 6 * m * m * m;
    part->points = body->points = sample_reals(3 * (int64_t)part->point_count);
    part->cells = body->cells = calloc((size_t)part->cell_count * 4 + 1, sizeof *body->cells);
    for (int32_t i = 0; i < part->point_count; ++i) {
        sample_point(0.1 * (i % n), 0.1 * (i / n % n), 0.1 * (i / n / n), s->frame.time,
                     &body->points[3 * i]);
    }
    int32_t *cell = body->cells;
    for (int32_t cube = 0; cube < m * m * m; ++cube) {
        int32_t base = cube % m + n * (cube / m % m) + n * n * (cube / m / m);
        for (int32_t k = 0; k < 24; ++k) {
            int32_t corner = six[k / 4][k % 4];
            *cell++ = base + (corner & 1) + n * (corner >> 1 & 1) + n * n * (corner >> 2);
        }
    }
    sample_add_field(s, 0, "velocity", "m/s", PLI_PLACE_POINT, 3);
    sample_add_field(s, 0, "pressure", "Pa", PLI_PLACE_POINT, 1);
    sample_add_field(s, 0, "stress", "Pa", PLI_PLACE_CELL, 1);
    sample_add_field(s, 0, "axis", "", PLI_PLACE_CELL, 3);
    part->fields = body->fields;
}

static inline void sample_sheet(sample *s, int32_t n)
{
    sample_body *body = &s->bodies[1];
    pli_frame_part *part = &s->parts[1];
    int32_t m = n - 1;
    *part = (pli_frame_part){.name = "sheet",
                             .kind = PLI_PART_TRIANGLES,
                             .point_count = n * n,
                             .role = PLI_ROLE_COLLIDER};
    part->cell_count = 2 * m * m;
    part->points = body->points = sample_reals(3 * (int64_t)part->point_count);
    part->cells = body->cells = calloc((size_t)part->cell_count * 3 + 1, sizeof *body->cells);
    for (int32_t i = 0; i < n * n; ++i) {
        sample_point(0.1 * (i % n), 2, 0.1 * (i / n), s->frame.time, &body->points[3 * i]);
    }
    int32_t *cell = body->cells;
    for (int32_t square = 0; square < m * m; ++square) {
        int32_t base = square % m + n * (square / m);
        int32_t corners[6] = {base, base + n, base + 1, base + 1, base + n, base + n + 1};
        for (int32_t k = 0; k < 6; ++k) *cell++ = corners[k];
    }
    sample_add_field(s, 1, "height", "m", PLI_PLACE_POINT, 1);
    part->fields = body->fields;
}

static inline void sample_drops(sample *s, int32_t n)
{
    sample_body *body = &s->bodies[2];
    pli_frame_part *part = &s->parts[2];
    *part = (pli_frame_part){.name = "drops", .kind = PLI_PART_POINTS, .point_count = n};
    part->points = body->points = sample_reals(3 * (int64_t)n);
    for (int32_t i = 0; i < n; ++i) {
        sample_point(0.01 * i, 3, 0.02 * i, s->frame.time, &body->points[3 * i]);
    }
    sample_add_field(s, 2, "speed", "m/s", PLI_PLACE_POINT, 1);
    part->fields = body->fields;
}

// Frame `index` at 24 frames per second, two steps a frame.
static inline void sample_init(sample *s, int32_t n, int32_t index)
{
    memset(s, 0, sizeof *s);
    s->frame = (pli_frame){.index = index, .step = 2 * (int64_t)index, .time = index / 24.0};
    s->frame.part_count = 3;
    s->frame.parts = s->parts;
    sample_block(s, n);
    sample_sheet(s, n);
    sample_drops(s, n);
}

static inline void sample_clear(sample *s)
{
    for (int32_t body = 0; body < 3; ++body) {
        free(s->bodies[body].points);
        free(s->bodies[body].cells);
        for (int32_t i = 0; i < 4; ++i) free(s->bodies[body].values[i]);
    }
    memset(s, 0, sizeof *s);
}

#endif
