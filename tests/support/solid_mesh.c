// SPDX-License-Identifier: Apache-2.0
#include "solid_mesh.h"

#include "base/memory.h"
#include "geometry/generate/grid_mesh.h"
#include "math/vec3.h"

#include <string.h>

pli_mesh_data pli_solid_mesh_data(const pli_tet_mesh *mesh)
{
    return (pli_mesh_data){.point_count = mesh->vertex_count,
                           .points = mesh->points,
                           .tet_count = mesh->tet_count,
                           .tets = mesh->tets};
}

pli_status pli_solid_block(pli_context *context, const int32_t cells[3], pli_solid_place_fn place,
                           const void *user, pli_tet_mesh **mesh)
{
    pli_grid_mesh_def grid = {
        {{0, 0, 0}, {1, 1, 1}}, {cells[0], cells[1], cells[2]}, PLI_GRID_MESH_SIX};
    PLI_TRY(pli_grid_mesh_create(context, &grid, mesh));
    for (int32_t k = 0; k < (*mesh)->vertex_count; ++k) {
        double at[3];
        pli_vec3_copy((*mesh)->points + 3 * (int64_t)k, at);
        place(user, at, (*mesh)->points + 3 * (int64_t)k);
    }
    return PLI_OK;
}

// Three tetrahedra of a prism over a triangle, whose other end is numbered `layer` higher: sides
// are cut from their smallest vertex, so that neighbours fit. The mesh turns those that are
// inverted.
static void fill_prism(const int32_t low[3], int32_t layer, int32_t *tets)
{
    int32_t a = low[0], b = low[1], c = low[2], swap;
    if (a > b) swap = a, a = b, b = swap;
    if (b > c) swap = b, b = c, c = swap;
    if (a > b) swap = a, a = b, b = swap;
    const int32_t made[12] = {a,         b,         c, c + layer, a,         b,
                              b + layer, c + layer, a, a + layer, b + layer, c + layer};
    memcpy(tets, made, sizeof made);
}

pli_status pli_solid_slab(pli_context *context, int32_t n, pli_solid_place_fn place,
                          const void *user, pli_tet_mesh **mesh)
{
    int32_t corners = (n + 1) * (n + 1), layer = corners + n * n;
    double *points = PLI_NEW(context, double, 6 * (int64_t)layer, "points of a slab");
    int32_t *tets = PLI_NEW(context, int32_t, 48 * (int64_t)n * n, "tetrahedra of a slab");
    pli_status status = points != NULL && tets != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int32_t k = 0; status == PLI_OK && k < 2 * layer; ++k) {
        int32_t at = k % layer, i = at < corners ? at : at - corners, m = at < corners ? n + 1 : n;
        double shift = at < corners ? 0 : 0.5;
        const double s[3] = {(i % m + shift) / n, (i / m + shift) / n, k / layer};
        place(user, s, points + 3 * (int64_t)k);
    }
    for (int32_t k = 0; status == PLI_OK && k < 4 * n * n; ++k) {
        int32_t first = k / 4 / n * (n + 1) + k / 4 % n;
        const int32_t ring[5] = {first, first + 1, first + n + 2, first + n + 1, first};
        const int32_t low[3] = {ring[k % 4], ring[k % 4 + 1], corners + k / 4};
        fill_prism(low, layer, tets + 12 * (int64_t)k);
    }
    pli_tet_mesh_def def = {.vertex_count = 2 * layer,
                            .points = points,
                            .tet_count = 12 * n * n,
                            .tets = tets,
                            .turn_inverted = true};
    if (status == PLI_OK) status = pli_tet_mesh_create(context, &def, NULL, mesh);
    PLI_RELEASE(context, tets, points);
    return status;
}

// ---- spheres

typedef struct skin {
    int32_t side, point_count, triangle_count;
    double *points;     // [point_count][3] on the unit sphere
    int32_t *triangles; // [triangle_count][3]
} skin;

static int32_t add_point(skin *s, const double x[3])
{
    for (int32_t k = 0; k < s->point_count; ++k) {
        if (pli_vec3_distance(s->points + 3 * k, x) < 1e-9) return k;
    }
    pli_vec3_copy(x, s->points + 3 * s->point_count);
    return s->point_count++;
}

// Point i, j of a face of the octahedron, blown up to the sphere.
static int32_t point_of_face(skin *s, int face, int i, int j)
{
    double x[3] = {(face & 1 ? -1 : 1) * i, (face & 2 ? -1 : 1) * j,
                   (face & 4 ? -1 : 1) * (s->side - i - j)};
    pli_vec3_normalize(x, x);
    return add_point(s, x);
}

static void fill_skin(skin *s)
{
    for (int k = 0; k < 8 * s->side * s->side; ++k) {
        int face = k / (s->side * s->side), i = k / s->side % s->side, j = k % s->side;
        // cells beyond the diagonal of the face are the upper halves of those before it
        bool upper = i + j >= s->side;
        if (upper) i = s->side - 1 - i, j = s->side - 1 - j;
        int32_t *t = s->triangles + 3 * s->triangle_count++;
        t[0] = upper ? point_of_face(s, face, i + 1, j + 1) : point_of_face(s, face, i, j);
        t[1] = point_of_face(s, face, i + 1, j);
        t[2] = point_of_face(s, face, i, j + 1);
    }
}

pli_status pli_solid_sphere(pli_context *context, int32_t side, double inner, double outer,
                            pli_tet_mesh **mesh)
{
    int32_t n = 4 * side * side + 2, triangles = 8 * side * side;
    skin s = {.side = side,
              .points = PLI_NEW(context, double, 6 * (int64_t)n, "points of a sphere"),
              .triangles = PLI_NEW(context, int32_t, 3 * triangles, "triangles of a sphere")};
    int32_t *tets = PLI_NEW(context, int32_t, 12 * (int64_t)triangles, "tetrahedra of a sphere");
    pli_status status = PLI_ERROR_MEMORY;
    if (s.points != NULL && s.triangles != NULL && tets != NULL) {
        fill_skin(&s);
        for (int32_t k = 0; k < 3 * n; ++k) {
            s.points[3 * n + k] = outer * s.points[k];
            s.points[k] *= inner;
        }
        for (int32_t t = 0; t < triangles; ++t) fill_prism(s.triangles + 3 * t, n, tets + 12 * t);
        pli_tet_mesh_def def = {.vertex_count = 2 * n,
                                .points = s.points,
                                .tet_count = 3 * triangles,
                                .tets = tets,
                                .turn_inverted = true};
        status = pli_tet_mesh_create(context, &def, NULL, mesh);
    }
    PLI_RELEASE(context, tets, s.triangles, s.points);
    return status;
}
