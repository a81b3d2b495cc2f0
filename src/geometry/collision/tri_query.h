// SPDX-License-Identifier: Apache-2.0
//
// Distance and inside queries against a triangle mesh, through a bounding-volume hierarchy.
//
// The nearest point is exact. Whether a point is inside is decided by how often rays along the
// three axes cross the surface, counted with orientation, by a vote of the three: small holes or
// badly oriented triangles spoil a single ray, hardly ever two of them. A winding number other than
// zero, seen from both ends of the ray, means inside, so overlapping closed pieces count as their
// union, a surface that is turned inside out as a whole still has the same inside, and an open
// sheet has none.
//
// Threads: queries only read and may run at the same time.
#ifndef PLI_GEOMETRY_COLLISION_TRI_QUERY_H
#define PLI_GEOMETRY_COLLISION_TRI_QUERY_H

#include "geometry/collision/bvh.h"
#include "geometry/mesh/tri_mesh.h"

typedef struct pli_tri_query pli_tri_query;

typedef struct pli_tri_hit {
    int32_t triangle;  // -1: nothing within the limit
    double distance;   // m, not negative
    double point[3];   // nearest point of the surface (m)
    double weights[3]; // its barycentric weights in the triangle
} pli_tri_hit;

// Lifetime: the mesh is borrowed and must outlive the query object.
pli_status pli_tri_query_create(const pli_tri_mesh *borrowed_mesh, pli_tri_query **query);
void pli_tri_query_destroy(pli_tri_query *query);

// The nearest point of the surface within limit (m, may be infinite).
pli_tri_hit pli_tri_query_nearest(const pli_tri_query *query, const double point[3], double limit);

// For count points at coordinates start + i step along an axis, on the line through base: adds 1 to
// votes[i * stride] where the point is inside as seen along this line.
typedef struct pli_tri_row {
    double base[3];
    int axis;
    double start; // coordinate of the first point along the axis (m)
    double step;  // m, positive
    int32_t count;
    int64_t stride;
} pli_tri_row;
void pli_tri_query_vote_row(const pli_tri_query *query, const pli_tri_row *row, uint8_t *votes);

#endif
