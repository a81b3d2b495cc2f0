// SPDX-License-Identifier: Apache-2.0
//
// Which triangles of a surface meet each other, decided exactly for the coordinates as stored.
//
// This is the judge of finished results. It shares nothing with the filters that keep a simulation
// free of intersections (distances, continuous collision, their trees), so that an error in one
// cannot hide in the other: all it stands on are the exact predicates and a box tree of its own.
//
// Triangles are closed sets. Two of them cross when
//   - they share no vertex and have a point in common: an edge of one goes through the other, they
//     overlap in a plane, or touch, be it in a single point;
//   - they share one vertex and have a further point in common;
//   - they share an edge and are folded flat onto each other;
//   - they have the same three vertices.
// Sharing is by number, not by place: two vertices at the same place belong to triangles that
// touch. A triangle without area lies within its own edges and so in its neighbours: it is tested
// only against triangles that share no vertex with it.
//
// Method: two triangles have a common point if and only if an edge of one meets the other. An edge
// pq meets abc when p and q are not strictly on one side of its plane, and pq passes ab, bc and ca
// on the same side: five orientations. What lies in one plane is decided in a projection along an
// axis, which drops a coordinate and so is exact too.
//
// The search is by a tree of closed boxes, halved at the median of the longest side. Its outcome
// does not depend on the tree or the number of threads. Where very many cross, as of bodies by the
// thousand at one place, all pairs would take for ever: it ends when it has seen enough.
#ifndef PLI_GEOMETRY_COLLISION_CROSSING_H
#define PLI_GEOMETRY_COLLISION_CROSSING_H

#include "base/context.h"

typedef struct pli_soup {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m), within the range of the predicates
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3] vertices

    // whether two triangles are a pair that counts; NULL: any two are. Threads: called by several
    bool (*is_pair)(const void *user, int32_t triangle, int32_t other);
    const void *user;
} pli_soup;

// What is counted at most; so many mean so many or more.
enum { PLI_CROSSINGS_COUNTED = 1000000 };

typedef struct pli_crossing {
    int32_t triangles[2]; // ascending
} pli_crossing;

// Whether a triangle has no area: its corners lie on one line.
bool pli_triangle_is_flat(const double a[3], const double b[3], const double c[3]);

// Whether two triangles, each three vertices of points, cross in the sense above.
bool pli_triangles_cross(const double *points, const int32_t first[3], const int32_t second[3]);

// Counts the pairs of triangles that cross, up to PLI_CROSSINGS_COUNTED, and puts the first of
// them, sorted by their first and then their second triangle, into crossings [capacity]. Errors:
// memory.
PLI_CHECKED pli_status pli_soup_find_crossings(pli_context *context, const pli_soup *soup,
                                               int32_t capacity, pli_crossing *crossings,
                                               int64_t *count);

#endif
