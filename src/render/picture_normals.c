// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

// cosine of the crease angle, 50 degrees: faces that bend more keep a hard edge between them
static const double crease_cosine = 0.64278760968653936;

typedef struct normal_work {
    pli_picture_mesh *mesh;
    float *face_normal; // [triangle_count][3]  unit; zero for a triangle without area
    float *angle;       // [triangle_count][3]  at each corner (radians)
    int64_t *first;     // [vertex_count + 1]   where the corners of each vertex begin
    int32_t *corner;    // [3 triangle_count]   3 triangle + corner, by vertex
} normal_work;

static void load_vertex(const pli_picture_mesh *mesh, int64_t triangle, int corner,
                        double vertex[3])
{
    const float *v = mesh->vertices + 3 * (int64_t)mesh->triangles[3 * triangle + corner];
    pli_vec3_set(v[0], v[1], v[2], vertex);
}

// unit normal and angles of each triangle
static void measure_faces(void *user, int64_t begin, int64_t end)
{
    normal_work *work = user;
    for (int64_t i = begin; i < end; ++i) {
        double v[3][3];
        double edge[3][3]; // from corner k to corner k + 1, unit
        double normal[3];
        for (int k = 0; k < 3; ++k) load_vertex(work->mesh, i, k, v[k]);
        for (int k = 0; k < 3; ++k) {
            pli_vec3_subtract(v[(k + 1) % 3], v[k], edge[k]);
            pli_vec3_normalize(edge[k], edge[k]);
        }
        pli_vec3_cross(edge[0], edge[1], normal);
        pli_vec3_normalize(normal, normal);
        for (int k = 0; k < 3; ++k) {
            double cosine = -pli_vec3_dot(edge[k], edge[(k + 2) % 3]);
            work->face_normal[3 * i + k] = (float)normal[k];
            work->angle[3 * i + k] = (float)acos(fmin(fmax(cosine, -1), 1));
        }
    }
}

// lists the corners of each vertex, in the order of the triangles
static void sort_corners(normal_work *work)
{
    const pli_picture_mesh *mesh = work->mesh;
    int64_t corner_count = 3 * (int64_t)mesh->triangle_count;
    memset(work->first, 0, (size_t)(mesh->vertex_count + 1) * sizeof *work->first);
    for (int64_t i = 0; i < corner_count; ++i) ++work->first[mesh->triangles[i]];
    for (int64_t v = 0; v < mesh->vertex_count; ++v) work->first[v + 1] += work->first[v];
    for (int64_t i = corner_count - 1; i >= 0; --i) {
        work->corner[--work->first[mesh->triangles[i]]] = (int32_t)i;
    }
}

// sum of the normals around the corner's vertex that do not bend away from its own face
static void smooth_corner(const normal_work *work, int64_t corner, float normal[3])
{
    const float *own = work->face_normal + 3 * (corner / 3);
    int64_t vertex = work->mesh->triangles[corner];
    double sum[3] = {0, 0, 0};
    for (int64_t i = work->first[vertex]; i < work->first[vertex + 1]; ++i) {
        const float *other = work->face_normal + 3 * (int64_t)(work->corner[i] / 3);
        double n[3] = {other[0], other[1], other[2]};
        double cosine = n[0] * own[0] + n[1] * own[1] + n[2] * own[2];
        if (cosine < crease_cosine) continue;
        pli_vec3_add_scaled(sum, work->angle[work->corner[i]], n, sum);
    }
    pli_vec3_normalize(sum, sum);
    for (int k = 0; k < 3; ++k) normal[k] = (float)sum[k];
}

static void smooth_faces(void *user, int64_t begin, int64_t end)
{
    normal_work *work = user;
    for (int64_t corner = 3 * begin; corner < 3 * end; ++corner) {
        smooth_corner(work, corner, work->mesh->normals + 3 * corner);
    }
}

pli_status pli_picture_normals_build(pli_context *context, pli_arena *scratch,
                                     pli_picture_mesh *mesh)
{
    pli_arena_mark mark = pli_arena_begin(scratch);
    int64_t count = mesh->triangle_count;
    normal_work work = {
        .mesh = mesh,
        .face_normal = pli_arena_take(scratch, 3 * count, sizeof(float), "face normals"),
        .angle = pli_arena_take(scratch, 3 * count, sizeof(float), "corner angles"),
        .first = pli_arena_take(scratch, mesh->vertex_count + 1, sizeof(int64_t), "vertex corners"),
        .corner = pli_arena_ints(scratch, 3 * count, "corners"),
    };
    pli_status status = PLI_ERROR_MEMORY;
    if (work.face_normal == NULL || work.angle == NULL) goto done;
    if (work.first == NULL || work.corner == NULL) goto done;

    pli_parallel_for(context, count, 4096, measure_faces, &work);
    sort_corners(&work);
    pli_parallel_for(context, count, 4096, smooth_faces, &work);
    status = PLI_OK;

done:
    pli_arena_end(scratch, mark);
    return status;
}
