// SPDX-License-Identifier: Apache-2.0
//
// The body-centred cubic lattice of isosurface stuffing: signs, cut points, moved points. See
// stuffing.h for the method. For the files stuffing*.c only.
//
// Points are numbered: first the corners of the cubes, x fastest, then their centres. Coordinates
// are whole numbers in units of h/2: even for corners, odd for centres.
#ifndef PLI_GEOMETRY_STUFFING_LATTICE_H
#define PLI_GEOMETRY_STUFFING_LATTICE_H

#include "geometry/shape.h"

enum { PLI_LATTICE_LONG_COUNT = 6, PLI_LATTICE_NEIGHBOR_COUNT = 14 };

typedef struct pli_lattice {
    pli_context *context;
    const pli_shape *shape; // borrowed
    double offset;          // the surface is where value = offset (m)
    double h;               // edge of the cubes (m)
    double origin[3];       // of the first corner (m)
    int32_t cells[3];
    int32_t corner_count; // points that are corners
    int32_t node_count;   // corners and centres

    double *value;       // [node_count] value - offset; infinite where only the sign is known
    int8_t *sign;        // [node_count] +1 inside, 0 on the surface, -1 outside
    int32_t *edge_first; // [node_count + 1] cut edges by their smaller end
    int32_t *moved_to;   // [node_count] cut edge whose cut point the node moved to; -1: not moved

    int32_t edge_count;
    int32_t *edge_nodes; // [edge_count][2] ends, ascending
    double *edge_cut;    // [edge_count] fraction of the way from the first end
} pli_lattice;

// Makes the lattice over the bounds of a shape up to and including step 3. Errors: argument (too
// many points), memory.
pli_status pli_lattice_init(pli_context *context, const pli_shape *shape, double h, double offset,
                            pli_lattice *lattice);
void pli_lattice_clear(pli_lattice *lattice);

void pli_lattice_coordinates(const pli_lattice *lattice, int32_t node, int32_t at[3]);

// Neighbours of a node, long edges first; -1: outside of the lattice.
void pli_lattice_neighbors(const pli_lattice *lattice, int32_t node,
                           int32_t neighbors[PLI_LATTICE_NEIGHBOR_COUNT]);

// The cut edge between two nodes, or -1.
int32_t pli_lattice_edge(const pli_lattice *lattice, int32_t a, int32_t b);

// Where a node is, moved or not, and where an edge is cut.
void pli_lattice_position(const pli_lattice *lattice, int32_t node, double x[3]);
void pli_lattice_cut_position(const pli_lattice *lattice, int32_t edge, double x[3]);

static inline int32_t pli_lattice_corner(const pli_lattice *lattice, int32_t i, int32_t j,
                                         int32_t k)
{
    return (k * (lattice->cells[1] + 1) + j) * (lattice->cells[0] + 1) + i;
}

static inline int32_t pli_lattice_center(const pli_lattice *lattice, int32_t i, int32_t j,
                                         int32_t k)
{
    return lattice->corner_count + (k * lattice->cells[1] + j) * lattice->cells[0] + i;
}

#endif
