// SPDX-License-Identifier: Apache-2.0
//
// A frame: a state as something to look at, as solvers give it (sim.h), files hold it (io.h) and
// pictures show it (picture.h).
#ifndef PLIANT_FRAME_H
#define PLIANT_FRAME_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLI_FIELD_COMPONENTS = 6 }; // of a field, at most

typedef enum pli_part_kind {
    PLI_PART_TETS,
    PLI_PART_TRIANGLES,
    PLI_PART_POINTS,
    PLI_PART_TETS10 // with nodes on edges, behind the corners: 01, 12, 02, 03, 13, 23
} pli_part_kind;
typedef enum pli_field_place { PLI_PLACE_POINT, PLI_PLACE_CELL } pli_field_place;
typedef enum pli_part_role { PLI_ROLE_BODY, PLI_ROLE_COLLIDER, PLI_ROLE_OBSTACLE } pli_part_role;

typedef struct pli_frame_field {
    const char *name; // "velocity"
    const char *unit; // "m/s"
    pli_field_place place;
    int32_t components;   // 1; 3; or 6 of a symmetric tensor: xx, yy, zz, xy, yz, xz
    const double *values; // [points or cells][components]
    bool whole;           // all values are whole numbers of 32 bits, and files store them as such
} pli_frame_field;

// What one file of a frame holds. Particles are points without cells, whose number may change from
// frame to frame; a field "radius" (m, one component) says how large each of them is drawn.
typedef struct pli_frame_part {
    const char *name; // the body's or collider's
    pli_part_kind kind;
    int32_t point_count;
    const double *points; // [point_count][3] (m)
    int32_t cell_count;
    const int32_t *cells; // [cell_count][4, 3 or 10], ids within the part; NULL for points
    int32_t field_count;
    const pli_frame_field *fields;
    pli_part_role role;
    double radius;   // of particles that no field says it of, for pictures (m); 0: by their spacing
    bool is_barrier; // of a collider: these triangles are what barriers keep bodies away from
} pli_frame_part;

typedef struct pli_frame {
    int32_t index; // 0 is the initial state
    int64_t step;
    double time; // s
    int32_t part_count;
    const pli_frame_part *parts;
} pli_frame;

#ifdef __cplusplus
}
#endif

#endif
