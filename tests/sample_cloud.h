// SPDX-License-Identifier: Apache-2.0
//
// Frames of particles whose every number follows from a formula; tests/oracle/particles.py has the
// same formulas.
//
//   "sand"  0, 1, 5, 300, 299 particles in frames 0 to 4; fields velocity (3), J (1), material
//           (whole, -1 to 1), count (whole, too large for a float), radius (1, some are 0)
//   "dust"  20 particles in every frame, without fields, radius 0.0125 m
#ifndef PLI_TESTS_SAMPLE_CLOUD_H
#define PLI_TESTS_SAMPLE_CLOUD_H

#include "near.h"

#include "pliant/io.h"

enum { CLOUD_FRAMES = 5, CLOUD_MOST = 300, CLOUD_DUST = 20, CLOUD_FIELDS = 5 };

typedef struct cloud {
    double points[CLOUD_MOST][3];
    double dust[CLOUD_DUST][3];
    double velocity[CLOUD_MOST][3];
    double J[CLOUD_MOST];
    double material[CLOUD_MOST];
    double count[CLOUD_MOST];
    double radius[CLOUD_MOST];
    pli_frame_field fields[CLOUD_FIELDS];
    pli_frame_part parts[2];
    pli_frame frame;
} cloud;

static inline int32_t cloud_count(int32_t index)
{
    static const int32_t counts[CLOUD_FRAMES] = {0, 1, 5, CLOUD_MOST, CLOUD_MOST - 1};
    return counts[index];
}

// Frame `index` at 24 frames per second.
static inline void cloud_init(cloud *c, int32_t index)
{
    memset(c, 0, sizeof *c);
    double t = index / 24.0;
    for (int32_t i = 0; i < CLOUD_MOST; ++i) {
        c->points[i][0] = 0.01 * i;
        c->points[i][1] = 1 + sin(0.3 * i) - 0.5 * t * t;
        c->points[i][2] = -0.02 * i;
        for (int32_t k = 0; k < 3; ++k) c->velocity[i][k] = sin(0.1 * (3 * i + k) + t);
        c->J[i] = 1 + 0.001 * i;
        c->material[i] = i % 3 - 1;
        c->count[i] = 16777217 + 2 * i;
        c->radius[i] = i % 4 == 3 ? 0 : 0.005 * (1 + i % 2);
    }
    for (int32_t i = 0; i < CLOUD_DUST; ++i) {
        c->dust[i][0] = 2 + 0.05 * i;
        c->dust[i][1] = t;
        c->dust[i][2] = 0.1 * (i % 2);
    }
    const pli_frame_field fields[CLOUD_FIELDS] = {
        {"velocity", "m/s", PLI_PLACE_POINT, 3, c->velocity[0], false},
        {"J", "", PLI_PLACE_POINT, 1, c->J, false},
        {"material", "", PLI_PLACE_POINT, 1, c->material, true},
        {"count", "", PLI_PLACE_POINT, 1, c->count, true},
        {"radius", "m", PLI_PLACE_POINT, 1, c->radius, false},
    };
    memcpy(c->fields, fields, sizeof fields);
    c->parts[0] = (pli_frame_part){.name = "sand",
                                   .kind = PLI_PART_POINTS,
                                   .point_count = cloud_count(index),
                                   .points = c->points[0],
                                   .field_count = CLOUD_FIELDS,
                                   .fields = c->fields};
    c->parts[1] = (pli_frame_part){.name = "dust",
                                   .kind = PLI_PART_POINTS,
                                   .point_count = CLOUD_DUST,
                                   .points = c->dust[0],
                                   .radius = 0.0125};
    c->frame = (pli_frame){
        .index = index, .step = 3 * index, .time = t, .part_count = 2, .parts = c->parts};
}

// Writes all frames into a folder, with the sand or without it.
static inline void cloud_write(pli_context *context, const char *folder, bool compress, bool sand)
{
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.compress = compress;
    pli_frame_writer *writer = NULL;
    OK(context, pli_frame_writer_create(context, &def, &writer));
    for (int32_t index = 0; index < CLOUD_FRAMES; ++index) {
        static cloud c;
        cloud_init(&c, index);
        if (!sand) c.frame.parts = &c.parts[1];
        if (!sand) c.frame.part_count = 1;
        OK(context, pli_frame_writer_add(writer, &c.frame));
    }
    pli_frame_writer_destroy(writer);
}

#endif
