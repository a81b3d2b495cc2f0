// SPDX-License-Identifier: Apache-2.0
//
// Bounding-volume hierarchy: a balanced binary tree of axis-aligned boxes over any primitives.
//
// The caller describes primitives by their boxes alone, so the same tree serves points, edges,
// triangles, tetrahedra and swept versions of them; what a primitive is, the visiting functions
// know. Ranges are halved by number of primitives along the longest extent of their centres (ties
// by index), so the shape of the tree depends only on the number of primitives, nodes lie
// depth-first without gaps, and refitting never degrades the depth. Boxes are kept in single
// precision, rounded outwards: a query may visit a primitive that a double box would have spared,
// but never misses one.
//
//        0                 a node's left child follows it at once,
//      /   \               `first` holds its right child;
//     1     4              a leaf (count > 0) holds primitives
//    / \   / \             order[first .. first + count)
//   2   3 5   6
//
// Threads: building and refitting run in parallel with results that do not depend on the number of
// workers. Queries only read and may run at the same time.
#ifndef PLI_GEOMETRY_COLLISION_BVH_H
#define PLI_GEOMETRY_COLLISION_BVH_H

#include "base/context.h"
#include "geometry/collision/bounds.h"

typedef struct pli_bvh pli_bvh;

// Builds a tree over count boxes; boxes must be finite. count 0 gives a tree that finds nothing.
pli_status pli_bvh_create(pli_context *context, int32_t count, const pli_bounds *boxes,
                          pli_bvh **bvh);
void pli_bvh_destroy(pli_bvh *bvh);

// The box around everything.
pli_bounds pli_bvh_bounds(const pli_bvh *bvh);

// Gives every primitive a new box ([count], as at creation) and keeps the tree.
void pli_bvh_refit(pli_bvh *bvh, const pli_bounds *boxes);

// Refits, and rebuilds when that has made the cost half as large again as after the last build.
// Nothing is allocated. What queries find does not depend on it, only how fast.
void pli_bvh_update(pli_bvh *bvh, const pli_bounds *boxes, double *centers);

// Gets a primitive whose box was hit; returning false ends the query.
typedef bool (*pli_bvh_visit_fn)(void *user, int32_t primitive);

// Visits every primitive whose box touches the given one.
void pli_bvh_query_box(const pli_bvh *bvh, const pli_bounds *box, pli_bvh_visit_fn visit,
                       void *user);

// Visits every primitive whose box meets origin + t direction, 0 <= t <= t_max.
void pli_bvh_query_ray(const pli_bvh *bvh, const double origin[3], const double direction[3],
                       double t_max, pli_bvh_visit_fn visit, void *user);

// Squared distance of a primitive from the query point, which `user` knows.
typedef double (*pli_bvh_distance_fn)(void *user, int32_t primitive);

// The primitive nearest to a point among those closer than sqrt(limit2), or -1; of equally near
// ones the smallest index, whatever the shape of the tree: boxes are given a margin for rounding of
// `distance`. *distance2 gets its squared distance, or limit2.
int32_t pli_bvh_query_nearest(const pli_bvh *bvh, const double point[3], double limit2,
                              pli_bvh_distance_fn distance, void *user, double *distance2);

#endif
