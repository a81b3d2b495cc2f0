// SPDX-License-Identifier: Apache-2.0
//
// Where every mesh reader puts what it finds: points, tetrahedra, triangles and names of groups.
//
// The builder checks each item as it arrives, while the scan still knows the place in the file:
// coordinates are finite, corners exist. Cells that use a vertex twice are collected, so that one
// message can name several. Polygons are cut into triangles as soon as all of their points are
// known (geometry/mesh/triangulate.h); those that cross or touch themselves or have no area are
// refused where they stand. Groups are known by name; a number that a format uses instead of a name
// is a name of digits, and 0 means no group.
//
// Arrays grow by half when they are full. A reader that knows a count, and has checked it against
// the bytes that are left, reserves exactly that much.
#ifndef PLI_IO_MESH_MESH_BUILDER_H
#define PLI_IO_MESH_MESH_BUILDER_H

#include "base/arena.h"
#include "io/file/key_map.h"
#include "io/file/scan.h"

enum { PLI_MESH_NAMED_CELLS = 5 }; // wrong cells that a message names

typedef struct pli_cell_list {
    const char *kind;     // "tetrahedron"
    const char *kinds;    // "tetrahedra"
    int32_t corner_count; // 4 or 3
    int32_t count;
    int32_t capacity;
    int32_t *corners; // [capacity][corner_count]  indices of points
    int32_t *groups;  // [capacity]  index of a group's name, -1: none
    int32_t *lines;   // [capacity]  where they stand in a text, 0: in binary; NULL: all of them do
    char *file;       // name of the file that holds them, should it be another one; or NULL
    int32_t *mids;    // [capacity][6]  nodes on edges, of tetrahedra in VTK's order; NULL: none has
    int32_t mid_count; // cells that have them

    // cells that use a vertex twice
    int32_t repeated_count;
    int32_t repeated[PLI_MESH_NAMED_CELLS]; // the first of them
    const char *repeated_place;             // of the first, in the scan that read it
} pli_cell_list;

// A polygon some of whose points stand further down in the file. Its triangles are a fan until
// then.
typedef struct pli_late_polygon {
    int32_t first;     // triangle
    int32_t count;     // of corners
    const char *place; // in the scan
} pli_late_polygon;

// values by name; see mesh_arrays.h
typedef struct pli_built_array {
    char *name;
    int32_t place; // pli_mesh_place
    int32_t component_count;
    int64_t count;  // of values that there is room for
    double *values; // [count][component_count]
} pli_built_array;

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

    // the place whose line was counted last
    const char *begin; // of the file; NULL: of another file
    const char *place;
    int64_t line;

    // the polygon that is being read, and what cuts it
    int32_t corner_capacity;
    int32_t *corners;   // [corner_capacity]  indices of points
    pli_arena *scratch; // NULL until it is needed
    int32_t late_count;
    int32_t late_capacity;
    pli_late_polygon *late; // [late_capacity]

    // points in groups of their own
    int32_t set_count;
    int32_t set_capacity;
    int32_t *set_groups; // [set_capacity]  index of a group's name
    int32_t *set_points; // [set_capacity]  index of a point

    int64_t curved_count;   // cells of higher order, of which only the corners were taken
    int64_t bent_count;     // polygons that are so far from plane that they have no front
    const char *bent_place; // of the first

    int32_t array_count;
    int32_t array_capacity;
    pli_built_array *arrays; // [array_capacity]
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

// Gives the tetrahedron added last the nodes on its edges 01, 12, 02, 03, 13, 23.
PLI_CHECKED pli_status pli_mesh_builder_add_mids(pli_mesh_builder *builder, const pli_scan *scan,
                                                 const int32_t mids[6]);

// Puts a point into a group.
PLI_CHECKED pli_status pli_mesh_builder_add_to_set(pli_mesh_builder *builder, int32_t group,
                                                   int32_t point);

// The cells of a list stand in the file of this path, not in that of the mesh. Errors: memory.
PLI_CHECKED pli_status pli_mesh_builder_set_file(pli_mesh_builder *builder, pli_cell_list *list,
                                                 const char *path);

// Makes an index of a point out of a number that counts points from base.
PLI_CHECKED pli_status pli_mesh_builder_corner(const pli_mesh_builder *builder,
                                               const pli_scan *scan, int64_t number, int64_t base,
                                               int32_t *corner);

// The same for the next number of a text.
PLI_CHECKED pli_status pli_mesh_builder_scan_corner(const pli_mesh_builder *builder, pli_scan *scan,
                                                    int64_t base, int32_t *corner);

// A polygon, corner by corner. One at a time is read by a builder.
typedef struct pli_mesh_polygon {
    int32_t group;
    int64_t count; // corners so far
} pli_mesh_polygon;

PLI_CHECKED pli_status pli_mesh_polygon_add(pli_mesh_polygon *polygon, pli_mesh_builder *builder,
                                            int32_t corner);
PLI_CHECKED pli_status pli_mesh_polygon_end(const pli_mesh_polygon *polygon,
                                            pli_mesh_builder *builder, const pli_scan *scan);

// Cuts the polygons whose points came later than they. Errors: memory, mesh.
PLI_CHECKED pli_status pli_mesh_builder_end_polygons(pli_mesh_builder *builder, pli_scan *scan);

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
