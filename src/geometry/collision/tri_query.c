// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/tri_query.h"

#include "base/memory.h"
#include "geometry/collision/triangle.h"

enum { ROW_CHUNK = 256 };

struct pli_tri_query {
    const pli_tri_mesh *mesh;
    pli_bvh *bvh;
};

static const double *corner_of(const pli_tri_mesh *mesh, int32_t triangle, int corner)
{
    return mesh->points + 3 * (int64_t)mesh->triangles[3 * (int64_t)triangle + corner];
}

pli_status pli_tri_query_create(const pli_tri_mesh *mesh, pli_tri_query **out)
{
    *out = NULL;
    pli_context *context = mesh->context;
    pli_status status = PLI_ERROR_MEMORY;
    pli_bounds *boxes = NULL;
    pli_tri_query *query = PLI_NEW(context, pli_tri_query, 1, "triangle query");
    if (query == NULL) return status;
    query->mesh = mesh;

    boxes = PLI_NEW(context, pli_bounds, mesh->triangle_count, "triangle boxes");
    if (boxes == NULL) goto done;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        boxes[t] = pli_bounds_empty();
        for (int k = 0; k < 3; ++k) pli_bounds_add_point(&boxes[t], corner_of(mesh, t, k));
    }
    status = pli_bvh_create(context, mesh->triangle_count, boxes, &query->bvh);
    if (status == PLI_OK) *out = query;

done:
    pli_release(context, boxes);
    if (status != PLI_OK) pli_tri_query_destroy(query);
    return status;
}

void pli_tri_query_destroy(pli_tri_query *query)
{
    if (query == NULL) return;
    pli_bvh_destroy(query->bvh);
    pli_release(query->mesh->context, query);
}

// a point and the mesh it is measured against
typedef struct nearest_user {
    const pli_tri_mesh *mesh;
    const double *point;
} nearest_user;

static double triangle_distance2(void *user, int32_t triangle)
{
    const nearest_user *u = user;
    double w[3];
    return pli_triangle_closest(u->point, corner_of(u->mesh, triangle, 0),
                                corner_of(u->mesh, triangle, 1), corner_of(u->mesh, triangle, 2),
                                w);
}

pli_tri_hit pli_tri_query_nearest(const pli_tri_query *query, const double point[3], double limit)
{
    nearest_user user = {query->mesh, point};
    pli_tri_hit hit = {.distance = limit};
    double distance2;
    hit.triangle = pli_bvh_query_nearest(query->bvh, point, limit * limit, triangle_distance2,
                                         &user, &distance2);
    if (hit.triangle < 0) return hit;

    const double *a = corner_of(query->mesh, hit.triangle, 0);
    const double *b = corner_of(query->mesh, hit.triangle, 1);
    const double *c = corner_of(query->mesh, hit.triangle, 2);
    hit.distance = sqrt(pli_triangle_closest(point, a, b, c, hit.weights));
    for (int k = 0; k < 3; ++k) {
        hit.point[k] = hit.weights[0] * a[k] + hit.weights[1] * b[k] + hit.weights[2] * c[k];
    }
    return hit;
}

// what a ray along a row collects
typedef struct row_user {
    const pli_tri_mesh *mesh;
    const pli_tri_row *row;
    double start; // of the chunk
    int32_t count;
    // crossings between point i - 1 and point i; those behind the first and beyond the last point
    // are at both ends
    int32_t change[ROW_CHUNK + 1];
} row_user;

static bool cross_triangle(void *user, int32_t triangle)
{
    row_user *u = user;
    double where = 0;
    int sign = pli_triangle_cross_axis(u->row->base, u->row->axis, corner_of(u->mesh, triangle, 0),
                                       corner_of(u->mesh, triangle, 1),
                                       corner_of(u->mesh, triangle, 2), &where);
    if (sign == 0) return true;
    double position = ceil((where - u->start) / u->row->step);
    int32_t before = position >= u->count ? u->count : position > 0 ? (int32_t)position : 0;
    u->change[before] += sign;
    return true;
}

// A point is inside if the crossings on both sides of it leave something over: on a closed surface
// the two sides agree, at the border of an open one they do not.
static void count_votes(const row_user *user, int64_t stride, uint8_t *votes)
{
    int32_t total = 0;
    for (int32_t i = 0; i <= user->count; ++i) total += user->change[i];
    int32_t ahead = 0;
    for (int32_t i = user->count - 1; i >= 0; --i) {
        ahead += user->change[i + 1];
        if (ahead != 0 && ahead != total) ++votes[i * stride];
    }
}

void pli_tri_query_vote_row(const pli_tri_query *query, const pli_tri_row *row, uint8_t *votes)
{
    pli_bounds bounds = pli_bvh_bounds(query->bvh);
    double direction[3] = {0, 0, 0};
    double origin[3];
    direction[row->axis] = 1;
    pli_vec3_copy(row->base, origin);
    origin[row->axis] = bounds.min[row->axis];
    for (int32_t first = 0; first < row->count; first += ROW_CHUNK) {
        row_user user = {.mesh = query->mesh, .row = row, .start = row->start + first * row->step};
        user.count = row->count - first < ROW_CHUNK ? row->count - first : ROW_CHUNK;
        pli_bvh_query_ray(query->bvh, origin, direction, INFINITY, cross_triangle, &user);
        count_votes(&user, row->stride, votes + first * row->stride);
    }
}
