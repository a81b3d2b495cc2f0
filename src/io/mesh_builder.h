// SPDX-License-Identifier: Apache-2.0
//
// Where every mesh reader puts what it finds: points, tetrahedra, triangles and names of groups.
//
// The builder checks each item as it arrives, while the scan still knows the place in the file:
// coordinates are finite, corners exist. Cells that use a vertex twice are collected, so that one
// message can name several. Polygons become fans of triangles around their first corner. Groups are
// known by name; a number that a format uses instead of a name is a name of digits, and 0 means no
// group.
//
// Arrays grow by half when they are full. A reader that knows a count, and has checked it against
// the bytes that are left, reserves exactly that much.
#ifndef PLI_IO_MESH_BUILDER_H
#define PLI_IO_MESH_BUILDER_H

#include "io/key_map.h"
#include "io/scan.h"

enum { PLI_MESH_NAMED_CELLS = 5 }; // wrong cells that a message names

typedef struct pli_cell_list {
    const char *kind;     // "tetrahedron"
    const char *kinds;    // "tetrahedra"
    int32_t corner_count; // 4 or 3
    int32_t count;
    int32_t capacity;
    int32_t *corners; // [capacity][corner_count]  indices of points
    int32_t *groups;  // [capacity]  index of a group's name, -1: none

    // cells that use a vertex twice
    int32_t repeated_count;
    int32_t repeated[PLI_MESH_NAMED_CELLS]; // the first of them
    const char *repeated_place;             // of the first, in the scan that read it
} pli_cell_list;

typedef struct pli_mesh_builder {
    pli_context *context;
    const char *path; // of the file, for readers of formats of several files; NULL: from memory

    int32_t point_count;
    int32_t point_capacity;
    double *points; // [point_capacity][3] (m)
    pli_cell_list tets;
    pli_cell_list triangles;

    int32_t group_count;
    int32_t group_capacity;
    char **group_names;    // [group_capacity]
    pli_key_map group_map; // hash of a name -> index of the group

    int64_t curved_count; // cells of higher order, of which only the corners were taken
} pli_mesh_builder;

void pli_mesh_builder_init(pli_mesh_builder *builder, pli_context *context, const char *path);
void pli_mesh_builder_clear(pli_mesh_builder *builder);

// Makes room for so many further items. Errors: memory, mesh (more than an int32_t counts).
PLI_CHECKED pli_status pli_mesh_builder_reserve_points(pli_mesh_builder *builder, int64_t count);
PLI_CHECKED pli_status pli_mesh_builder_reserve_cells(pli_mesh_builder *builder,
                                                      pli_cell_list *list, int64_t count);

PLI_CHECKED pli_status pli_mesh_builder_add_point(pli_mesh_builder *builder, const pli_scan *scan,
                                                  const double point[3]);

// Adds a tetrahedron or triangle whose corners are known to exist.
PLI_CHECKED pli_status pli_mesh_builder_add_cell(pli_mesh_builder *builder, const pli_scan *scan,
                                                 pli_cell_list *list, const int32_t *corners,
                                                 int32_t group);

// Makes an index of a point out of a number that counts points from base.
PLI_CHECKED pli_status pli_mesh_builder_corner(const pli_mesh_builder *builder,
                                               const pli_scan *scan, int64_t number, int64_t base,
                                               int32_t *corner);

// The same for the next number of a text.
PLI_CHECKED pli_status pli_mesh_builder_scan_corner(const pli_mesh_builder *builder, pli_scan *scan,
                                                    int64_t base, int32_t *corner);

// A polygon, corner by corner.
typedef struct pli_mesh_fan {
    int32_t group;
    int32_t first;
    int32_t previous;
    int64_t count; // corners so far
} pli_mesh_fan;

PLI_CHECKED pli_status pli_mesh_fan_add(pli_mesh_fan *fan, pli_mesh_builder *builder,
                                        const pli_scan *scan, int32_t corner);
PLI_CHECKED pli_status pli_mesh_fan_end(const pli_mesh_fan *fan, const pli_scan *scan);

// The group of this name, made if it is new; -1 for an empty name. Errors: memory.
PLI_CHECKED pli_status pli_mesh_builder_group(pli_mesh_builder *builder, pli_span name,
                                              int32_t *group);
PLI_CHECKED pli_status pli_mesh_builder_group_number(pli_mesh_builder *builder, int64_t number,
                                                     int32_t *group);

// The same for the name that holds for the cells that follow, if any follow.
typedef struct pli_pending_group {
    pli_span name;
    bool known; // group was looked up
    int32_t group;
} pli_pending_group;

PLI_CHECKED pli_status pli_pending_group_get(pli_pending_group *pending, pli_mesh_builder *builder,
                                             int32_t *group);

// Fails when cells that came from this scan use a vertex twice; names up to five.
PLI_CHECKED pli_status pli_mesh_builder_check_cells(const pli_mesh_builder *builder,
                                                    pli_scan *scan);

#endif
