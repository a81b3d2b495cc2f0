// SPDX-License-Identifier: Apache-2.0
//
// Where a surface cuts a body-centred cubic lattice, and the tetrahedra inside of it: the two
// halves of isosurface stuffing (Labelle and Shewchuk 2007).
//
// 1. Every node is inside, outside or on the surface. An edge between inside and outside has a cut
//    point, found as a root of the shape's value along the edge.
// 2. A cut point closer to a node than a fraction alpha of its edge violates the node: the node is
//    moved onto it and counts as on the surface, and all cuts on its edges disappear. Closest
//    violations come first. Afterwards no cut is near a node.
// 3. Every lattice tetrahedron is filled on its inside by one of a few stencils: itself, a corner
// of
//    it, a pyramid cut into two or a prism cut into three. Diagonals of quadrilaterals on faces
//    between lattice tetrahedra follow rules of the face alone, so neighbours agree:
//    - a face with one long edge cut: the diagonal that ends in the cut of the long edge;
//    - a face with both short edges cut: the diagonal from the end of the long edge which exceeds
//      the opposite node in an even number of coordinates (parity rule).
//
// With alpha = 0.285 for long and 0.3985 for short edges every dihedral angle lies between 10.7 and
// 164.8 degrees, whatever the surface: the worst case over all stencils, warps and cut positions
// (10.76 and 164.70) was found by enumeration and agrees with the bound of the paper.
#ifndef PLI_GEOMETRY_GENERATE_CUTTING_H
#define PLI_GEOMETRY_GENERATE_CUTTING_H

#include "geometry/generate/bcc.h"

typedef struct pli_cut {
    int32_t from;     // node that owns the edge
    int32_t to;       // node at its other end
    double t;         // position along the edge, 0 at `from`
    int8_t direction; // of the edge, 0 .. 6
    bool is_live;     // neither end was moved onto the surface
} pli_cut;

typedef struct pli_cutting {
    const pli_bcc *bcc;
    int32_t cut_count;
    int8_t *state; // [node_count] 1: inside, 0: on the surface, -1: outside
    int32_t *warp; // [node_count] cut that the node was moved onto, -1: none
    int32_t *edge; // [node_count][7] cut of each owned edge, -1: none
    pli_cut *cuts; // [cut_count]
} pli_cutting;

// How the surface is taken.
typedef struct pli_cutting_def {
    const pli_shape *shape;
    double level; // surface where the value is this (m); within half a spacing of 0
    bool refine;  // find cuts by iteration; otherwise interpolate linearly, good enough to count
} pli_cutting_def;

// Lifetime: the lattice is borrowed.
pli_status pli_cutting_create(const pli_bcc *borrowed_bcc, const pli_cutting_def *def,
                              pli_cutting **cutting);
void pli_cutting_destroy(pli_cutting *cutting);

// Vertices that the filling has.
int32_t pli_cutting_vertex_count(const pli_cutting *cutting);

// Tetrahedra and their vertices as plain arrays.
typedef struct pli_filling {
    pli_context *context;
    int32_t vertex_count;
    int32_t tet_count;
    double *points; // [vertex_count][3] (m)
    int32_t *tets;  // [tet_count][4] positive volume
} pli_filling;

// Fills the inside. On failure filling is empty.
pli_status pli_filling_init(const pli_cutting *cutting, pli_filling *filling);
void pli_filling_clear(pli_filling *filling);

double pli_filling_volume(const pli_filling *filling);

typedef struct pli_filling_report {
    int32_t pinch_tets;      // removed because the surface touched itself there
    int32_t component_count; // kept
    int32_t dropped_components;
    double dropped_volume; // m^3
    double area;           // of the surface before small pieces were dropped (m^2)
} pli_filling_report;

// Makes the surface a manifold by removing, where it touches itself in a vertex or an edge, all but
// the largest of the parts that meet there; then removes pieces with less than `least` of the whole
// volume, and vertices that are no longer used.
pli_status pli_filling_repair(pli_filling *filling, double least, pli_filling_report *report);

#endif
