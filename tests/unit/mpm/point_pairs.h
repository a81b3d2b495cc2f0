// SPDX-License-Identifier: Apache-2.0
//
// The least distance between any two of many points.
#ifndef PLI_TESTS_POINT_PAIRS_H
#define PLI_TESTS_POINT_PAIRS_H

#include "near.h"

#include "geometry/collision/bvh.h"

typedef struct nearest_search {
    const double *points;
    int32_t self;
} nearest_search;

static inline double distance2_to_other(void *user, int32_t other)
{
    const nearest_search *search = user;
    if (other == search->self) return INFINITY;
    double d[3];
    pli_vec3_subtract(search->points + 3 * (int64_t)search->self,
                      search->points + 3 * (int64_t)other, d);
    return pli_vec3_norm2(d);
}

// INFINITY for fewer than two points; those farther apart than `limit` are not looked at.
static inline double least_distance(pli_context *context, int32_t count, const double *points,
                                    double limit)
{
    pli_bounds *boxes = calloc((size_t)count + 1, sizeof *boxes);
    pli_bvh *bvh = NULL;
    assert_non_null(boxes);
    for (int32_t i = 0; i < count; ++i) boxes[i] = pli_bounds_of_points(1, points + 3 * (int64_t)i);
    OK(context, pli_bvh_create(context, count, boxes, &bvh));
    double least2 = limit * limit;
    for (int32_t i = 0; i < count; ++i) {
        nearest_search search = {points, i};
        double found2;
        int32_t found = pli_bvh_query_nearest(bvh, points + 3 * (int64_t)i, least2,
                                              distance2_to_other, &search, &found2);
        if (found >= 0) least2 = found2;
    }
    pli_bvh_destroy(bvh);
    free(boxes);
    return least2 < limit * limit ? sqrt(least2) : INFINITY;
}

#endif
