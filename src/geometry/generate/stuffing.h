// SPDX-License-Identifier: Apache-2.0
//
// Fills a shape with tetrahedra of good quality: isosurface stuffing (Labelle and Shewchuk 2007) on
// a uniform body-centred cubic lattice (see bcc.h and cutting.h).
//
// What is guaranteed: every dihedral angle lies between 10.7 and 164.8 degrees; the surface is
// closed, oriented and a manifold; the result depends on the input alone, not on the number of
// workers; vertices and elements are numbered for locality.
//
// What is aimed at:
// - the number of vertices asked for, by a search over the lattice spacing with a pass that only
//   counts (within a few per cent; a warning tells when 10 % could not be met);
// - the volume of the shape. Facets between points of a curved surface lose volume, thin parts most
//   of all. When more than half a per cent is off, the surface is taken at a small distance from
//   the shape's own, one number for the whole mesh, so that the volumes agree.
//
// Parts thinner than about the spacing vanish; a warning tells how much. Pieces with less than
// 0.1 % of the volume are dropped with a warning, larger ones are kept as separate components.
// Where more vertices, up to some ten thousand, would join them, the warning says how many. Sharp
// edges are cut off within one spacing: the lattice does not know them.
#ifndef PLI_GEOMETRY_GENERATE_STUFFING_H
#define PLI_GEOMETRY_GENERATE_STUFFING_H

#include "geometry/mesh/tet_mesh.h"
#include "geometry/shapes/shape.h"

typedef struct pli_stuffing_def {
    int32_t vertex_count; // wanted number of vertices, 0: by spacing
    double spacing;       // edge of the lattice's cubes (m), used when vertex_count is 0
    bool keep_level;      // leave the surface where the shape's is, even if volume is lost
} pli_stuffing_def;

typedef struct pli_stuffing_report {
    double spacing;             // that was used (m)
    double level;               // distance of the mesh's surface from the shape's (m)
    double shape_volume;        // by sampling (m^3)
    double mesh_volume;         // m^3
    double lost_share;          // of the volume, in parts too thin for the lattice
    int32_t component_count;    // separate pieces
    int32_t whole_components;   // least that more vertices leave; 0: there is one piece
    int32_t whole_vertices;     // about so many leave that few; 0: no number that was tried does
    int32_t dropped_components; // pieces that were too small
    int32_t pinch_tets;         // elements removed where the surface touched itself
} pli_stuffing_report;

// report may be NULL. Errors: argument (unbounded shape, nothing asked for), mesh (nothing of the
// shape is left at this resolution), memory.
pli_status pli_stuffing_create(pli_context *context, const pli_shape *shape,
                               const pli_stuffing_def *def, pli_stuffing_report *report,
                               pli_tet_mesh **mesh);

#endif
