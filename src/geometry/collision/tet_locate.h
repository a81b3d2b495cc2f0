// SPDX-License-Identifier: Apache-2.0
//
// Which tetrahedra of a deforming mesh contain a point?
//
// A bounding-volume hierarchy over the tetrahedra is refitted to new positions and, when
// deformation has made it loose, rebuilt; neither changes an answer. A point is in a tetrahedron
// when the four tetrahedra that it makes with the faces have the sign of the whole, so inverted
// elements contain points by their own orientation. Volumes within rounding of zero count as of
// either sign: a point on a common face, edge or corner is in all elements around it, and never
// falls between them. Elements without volume contain nothing; nor do points or elements that are
// not finite.
//
// Threads: refitting runs in parallel and needs the object for itself; queries only read.
#ifndef PLI_GEOMETRY_COLLISION_TET_LOCATE_H
#define PLI_GEOMETRY_COLLISION_TET_LOCATE_H

#include "base/context.h"

typedef struct pli_tet_locate pli_tet_locate;

// tets [tet_count][4] is borrowed for good, x [vertex_count][3] until the next refit (m, finite).
// Errors: argument (a corner outside the vertices, positions that are not finite), memory.
pli_status pli_tet_locate_create(pli_context *context, int32_t vertex_count,
                                 const double *borrowed_x, int32_t tet_count,
                                 const int32_t *borrowed_tets, pli_tet_locate **locate);
void pli_tet_locate_destroy(pli_tet_locate *locate);

// Moves the mesh to x [vertex_count][3], which is borrowed until the next call. Allocates nothing.
void pli_tet_locate_refit(pli_tet_locate *locate, const double *borrowed_x);

// Gets a tetrahedron that contains the point; returning false ends the query.
typedef bool (*pli_tet_visit_fn)(void *user, int32_t tet);

// Returns whether a tetrahedron is wanted at all; it may not contain the point.
typedef bool (*pli_tet_want_fn)(void *user, int32_t tet);

typedef struct pli_tet_query {
    const double *point;  // [3] (m)
    int32_t skip_vertex;  // tetrahedra with this corner are passed over; -1: none
    pli_tet_want_fn want; // NULL: all of the others are wanted
    pli_tet_visit_fn visit;
    void *user;
} pli_tet_query;

// Visits the tetrahedra that contain a point, in no particular order.
void pli_tet_locate_query(const pli_tet_locate *locate, const pli_tet_query *query);

// Whether a point is in the tetrahedron with these corners, by the rules above.
bool pli_tet_contains(const double *const corners[4], const double point[3]);

#endif
