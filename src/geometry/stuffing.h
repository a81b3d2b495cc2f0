// SPDX-License-Identifier: Apache-2.0
//
// Fills a shape with well-shaped tetrahedra: isosurface stuffing (Labelle and Shewchuk 2007).
//
// The lattice is body-centred cubic: the corners of cubes of edge h and their centres, with
// tetrahedra of one "long" edge (h) between neighbouring centres, one long edge of the face
// between them, and four "short" edges (sqrt(3)/2 h) from centres to corners. Then
//
//   1. the sign of the shape's value is found at the lattice points (whole blocks at once where
//      the Lipschitz constant allows);
//   2. edges whose ends differ get a cut point, by root finding, so that only the zero set of the
//      value matters and not that it is a distance;
//   3. a lattice point with a cut point too near (0.25 of a long edge, 0.41 of a short one) moves
//      there and counts as lying on the surface; its other cut points are forgotten;
//   4. every lattice tetrahedron is replaced by what lies inside, by the signs of its corners. A
//      face with two corners inside and one outside leaves a quadrilateral that both neighbours
//      must cut the same way: the diagonal meets the cut point of the long edge, and where both
//      cut edges are short it meets the corner that has an even number of coordinates smaller than
//      the outside corner's ("parity rule").
//
// All dihedral angles are then between 10 and 165 degrees whatever the shape (the published bound
// is 10.7 and 164.8; noise that reaches every stencil gave 10.0 and 160). Features thinner than h
// may be lost: sharp edges are chamfered, and where the surface pinches itself in a point or an
// edge the smaller side is removed, so that the boundary is a closed manifold. Pieces that are not
// connected and hold less than 0.1 % of the volume are dropped with a warning. The lattice has no
// particular position to the shape, so a mirrored shape does not get a mirrored mesh.
//
// A wanted number of points is met within 10 % by a search on h: coarse trial runs fit
// N(h) = a / h^3 + b / h^2, then runs at the size itself correct it.
//
// Vertices are numbered along a Morton curve, tetrahedra sorted by their smallest vertex. Same
// bytes for the same input at any number of threads. Left out: grading; features sharper than h.
#ifndef PLI_GEOMETRY_STUFFING_H
#define PLI_GEOMETRY_STUFFING_H

#include "geometry/shape.h"

typedef struct pli_stuffing_def {
    double spacing;      // edge h of the lattice cubes (m); 0: found from point_count
    int32_t point_count; // wanted number of points, when no spacing is given
    // Moves the surface by a constant value until the mesh has the volume of the shape: flat
    // facets inside round features lose volume, noticeably when features are about h thin. The
    // surface then lies slightly outside of convex parts.
    bool matches_volume;
} pli_stuffing_def;

typedef struct pli_stuffing {
    pli_context *context;
    int32_t point_count;
    double *points; // [point_count][3] (m)
    int32_t tet_count;
    int32_t *tets;         // [tet_count][4], positive volumes, the smallest vertex first
    double spacing;        // h that was used (m)
    int32_t dropped_count; // pieces that were too small
} pli_stuffing;

// Errors: argument (the shape is unbounded or empty, or the def asks for nothing or too much),
// memory. Threads: the shape is only read.
pli_status pli_stuffing_create(pli_context *context, const pli_shape *shape,
                               const pli_stuffing_def *def, pli_stuffing **stuffing);
void pli_stuffing_destroy(pli_stuffing *stuffing);

// Sum of the volumes of the tetrahedra (m^3).
double pli_stuffing_volume(const pli_stuffing *stuffing);

// Volume of the part of a bounded shape where its value is negative, by a grid with the given
// spacing; cells that the surface crosses count by the fraction that a linear value would fill.
pli_status pli_shape_volume(pli_context *context, const pli_shape *shape, double spacing,
                            double *volume);

#endif
