// SPDX-License-Identifier: Apache-2.0
//
// Gmsh's .msh, versions 2.x and 4.1, text and binary (Gmsh reference manual, chapter on file
// formats). A file is a list of sections "$Name ... $EndName"; those that are not needed
// (periodicity, partitions, other programs' own) are skipped.
//
//   2.x   $Nodes: tag x y z.  $Elements: tag, type, tags (the first is the physical group), nodes.
//   4.1   $Entities: which physical groups a geometric entity belongs to.  $Nodes and $Elements
//         come in blocks, one per entity.
//
// Text and binary hold the same values in the same order, except for the heads of 2.x elements. So
// one code reads both through pli_gmsh_read_*; a record is a line in text and nothing special in
// binary. Binary files of the other byte order are understood.
//
// $NodeData and $ElementData become arrays by the first of their texts, of the first time step.
//
// Node tags may be any numbers. While they count up by one from the first, no table is needed.
// Physical groups become the groups of the mesh: by the name in $PhysicalNames, else by number. A
// cell in several groups is put into the first; version 2 repeats it once per group, and only the
// first is taken.
#ifndef PLI_IO_MESH_MESH_GMSH_H
#define PLI_IO_MESH_MESH_GMSH_H

#include "io/mesh/mesh_format.h"

// geometric dimension and tag of an entity or of a physical group
typedef struct pli_gmsh_key {
    int64_t dimension;
    int64_t tag;
} pli_gmsh_key;

typedef enum pli_gmsh_kind {
    PLI_GMSH_UNKNOWN,
    PLI_GMSH_SKIPPED, // points and lines
    PLI_GMSH_TRIANGLE,
    PLI_GMSH_QUADRANGLE,
    PLI_GMSH_TETRAHEDRON,
    PLI_GMSH_REFUSED // other solids
} pli_gmsh_kind;

typedef struct pli_gmsh_type {
    pli_gmsh_kind kind;
    int32_t node_count;
    int32_t corner_count;
    int32_t dimension;
} pli_gmsh_type;

typedef struct pli_gmsh {
    pli_mesh_builder *builder;
    pli_scan *scan;
    int32_t version;   // 22 or 41; 0: not known yet
    bool binary;       // sections of numbers are binary
    bool has_nodes;    // $Nodes was read
    bool has_elements; // $Elements was read

    // nodes: index of a tag
    int64_t node_count;
    int64_t first_tag;
    bool scattered;    // tags do not count up by one; then the table knows them all
    pli_key_map nodes; // tag -> index

    // physical groups and entities
    pli_key_map physicals;  // pli_gmsh_key -> index of names
    pli_span *names;        // [physicals.count]
    pli_key_map entities;   // pli_gmsh_key -> index of entity_groups
    int64_t *entity_groups; // [entities.count]  tag of the first physical group, 0: none
    int64_t crowded_count;  // entities (4.1) or cells (2.x) found in more than one group

    // elements by number, where there are data on them: which cells of the mesh they became, as
    // those before it and those up to its end, of tetrahedra and triangles
    bool has_element_data;
    pli_key_map elements;
    int32_t element_capacity;
    int32_t (*element_cells)[4];

    // the group looked up last
    pli_gmsh_key last_key;
    int32_t last_group;

    // the cell read last
    const pli_gmsh_type *cell_type;
    int32_t cell_corners[4];
    int32_t cell_group;
} pli_gmsh;

// Values of text or binary sections.
PLI_CHECKED pli_status pli_gmsh_read_int(pli_gmsh *gmsh, const char *what, int64_t *value);
PLI_CHECKED pli_status pli_gmsh_read_size(pli_gmsh *gmsh, const char *what, int64_t *value);
PLI_CHECKED pli_status pli_gmsh_read_reals(pli_gmsh *gmsh, const char *what, int32_t count,
                                           double *values);

// Ends a line of text.
PLI_CHECKED pli_status pli_gmsh_end_record(pli_gmsh *gmsh);

// Goes from the line before a section's numbers to the numbers; pli_scan_end_binary goes back.
PLI_CHECKED pli_status pli_gmsh_begin_numbers(pli_gmsh *gmsh);

// Gives the next node its tag.
PLI_CHECKED pli_status pli_gmsh_add_tag(pli_gmsh *gmsh, int64_t tag);

// The index of a physical group; -1 for tag 0.
PLI_CHECKED pli_status pli_gmsh_find_group(pli_gmsh *gmsh, int64_t dimension, int64_t tag,
                                           int32_t *group);

// What kind of element a number means; refuses unknown types and solids other than tetrahedra.
PLI_CHECKED pli_status pli_gmsh_find_type(pli_gmsh *gmsh, int64_t number,
                                          const pli_gmsh_type **type);

// Reads the nodes of the element of this number and adds it.
PLI_CHECKED pli_status pli_gmsh_read_cell(pli_gmsh *gmsh, const pli_gmsh_type *type, int64_t number,
                                          int32_t group);

// ---- data (mesh_gmsh_data.c)

// Notes that the element of a number became the cells since `before`, counts of tetrahedra and
// triangles.
PLI_CHECKED pli_status pli_gmsh_note_element(pli_gmsh *gmsh, int64_t number,
                                             const int32_t before[2]);

// A section $NodeData or $ElementData without its first and last words.
PLI_CHECKED pli_status pli_gmsh_read_data(pli_gmsh *gmsh, bool of_nodes);

// The index of a node by its tag, or -1.
int64_t pli_gmsh_find_node(const pli_gmsh *gmsh, int64_t tag);

// The sections that differ between the versions, without their first and last words.
PLI_CHECKED pli_status pli_gmsh2_read_nodes(pli_gmsh *gmsh);
PLI_CHECKED pli_status pli_gmsh2_read_elements(pli_gmsh *gmsh);
PLI_CHECKED pli_status pli_gmsh4_read_entities(pli_gmsh *gmsh);
PLI_CHECKED pli_status pli_gmsh4_read_nodes(pli_gmsh *gmsh);
PLI_CHECKED pli_status pli_gmsh4_read_elements(pli_gmsh *gmsh);

#endif
