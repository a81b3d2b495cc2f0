// SPDX-License-Identifier: Apache-2.0
#include "geometry/surface.h"

#include "base/memory.h"

#include <string.h>

// corners of the face opposite to each corner, counter-clockwise from outside
static const int face_corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// a face in the bucket of its smallest vertex
typedef struct face {
    int32_t middle;
    int32_t largest;
    int32_t id; // 4 tet + corner
} face;

typedef struct face_table {
    int64_t *start; // [vertex_count + 1] faces by their smallest vertex
    face *faces;    // [4 tet_count]
    bool *boundary; // [4 tet_count] by id
} face_table;

static void face_vertices(const pli_tet_mesh *mesh, int32_t id, int32_t v[3])
{
    const int32_t *tet = mesh->tets + 4 * (int64_t)(id / 4);
    for (int k = 0; k < 3; ++k) v[k] = tet[face_corner[id % 4][k]];
}

static void sort3(int32_t v[3])
{
    for (int pass = 0; pass < 3; ++pass) {
        int k = pass % 2;
        if (v[k] > v[k + 1]) {
            int32_t t = v[k];
            v[k] = v[k + 1];
            v[k + 1] = t;
        }
    }
}

// Counting sort of all faces by their smallest vertex.
static void bucket_faces(const pli_tet_mesh *mesh, face_table *table)
{
    int32_t face_count = 4 * mesh->tet_count;
    int32_t v[3];
    for (int32_t id = 0; id < face_count; ++id) {
        face_vertices(mesh, id, v);
        sort3(v);
        ++table->start[v[0] + 1];
    }
    for (int32_t i = 0; i < mesh->vertex_count; ++i) table->start[i + 1] += table->start[i];
    for (int32_t id = 0; id < face_count; ++id) {
        face_vertices(mesh, id, v);
        sort3(v);
        table->faces[table->start[v[0]]++] = (face){v[1], v[2], id};
    }
    // every start has moved to the next one's place
    for (int32_t i = mesh->vertex_count; i > 0; --i) table->start[i] = table->start[i - 1];
    table->start[0] = 0;
}

static bool face_before(const face *a, const face *b)
{
    if (a->middle != b->middle) return a->middle < b->middle;
    if (a->largest != b->largest) return a->largest < b->largest;
    return a->id < b->id;
}

// Buckets hold some twenty faces each: insertion sort.
static void sort_bucket(face *faces, int64_t count)
{
    for (int64_t i = 1; i < count; ++i) {
        face moving = faces[i];
        int64_t j = i;
        for (; j > 0 && face_before(&moving, &faces[j - 1]); --j) faces[j] = faces[j - 1];
        faces[j] = moving;
    }
}

// Whether two faces over the same vertices run around in the same direction.
static bool same_direction(const pli_tet_mesh *mesh, int32_t id_a, int32_t id_b)
{
    int32_t a[3], b[3];
    face_vertices(mesh, id_a, a);
    face_vertices(mesh, id_b, b);
    int shift = b[0] == a[0] ? 0 : b[1] == a[0] ? 1 : 2;
    return b[(shift + 1) % 3] == a[1];
}

static pli_status match_bucket(const pli_tet_mesh *mesh, face_table *table, int32_t vertex)
{
    face *faces = table->faces + table->start[vertex];
    int64_t count = table->start[vertex + 1] - table->start[vertex];
    sort_bucket(faces, count);
    for (int64_t i = 0; i < count;) {
        int64_t j = i + 1;
        while (j < count && faces[j].middle == faces[i].middle &&
               faces[j].largest == faces[i].largest) {
            ++j;
        }
        if (j - i > 2 || (j - i == 2 && same_direction(mesh, faces[i].id, faces[i + 1].id))) {
            return PLI_FAIL(mesh->context, PLI_ERROR_MESH,
                            "tetrahedra %d and %d overlap: the face with vertices %d, %d, %d "
                            "belongs to more than one element on the same side",
                            faces[i].id / 4, faces[i + 1].id / 4, vertex, faces[i].middle,
                            faces[i].largest);
        }
        table->boundary[faces[i].id] = j - i == 1;
        i = j;
    }
    return PLI_OK;
}

// Writes boundary faces in the order of the table, that is by smallest vertex.
static void list_triangles(const pli_tet_mesh *mesh, const face_table *table, pli_surface *surface)
{
    int32_t count = 0;
    for (int64_t k = 0; k < 4 * (int64_t)mesh->tet_count; ++k) {
        int32_t id = table->faces[k].id;
        if (!table->boundary[id]) continue;
        face_vertices(mesh, id, surface->triangles + 3 * (int64_t)count);
        surface->tet_of_triangle[count++] = id / 4;
    }
}

static void number_vertices(const pli_tet_mesh *mesh, pli_surface *surface)
{
    memset(surface->surface_of_vertex, -1, (size_t)mesh->vertex_count * sizeof(int32_t));
    for (int64_t k = 0; k < 3 * (int64_t)surface->triangle_count; ++k) {
        surface->surface_of_vertex[surface->triangles[k]] = 0;
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (surface->surface_of_vertex[v] < 0) continue;
        surface->surface_of_vertex[v] = surface->vertex_count;
        surface->mesh_vertex[surface->vertex_count++] = v;
    }
}

static pli_status fill_surface(const pli_tet_mesh *mesh, const face_table *table,
                               pli_surface *surface)
{
    pli_context *context = mesh->context;
    int32_t count = 0;
    for (int64_t id = 0; id < 4 * (int64_t)mesh->tet_count; ++id) count += table->boundary[id];
    surface->context = context;
    surface->triangle_count = count;
    surface->triangles = PLI_NEW(context, int32_t, 3 * (int64_t)count, "surface triangles");
    surface->tet_of_triangle = PLI_NEW(context, int32_t, count, "surface owners");
    surface->mesh_vertex = PLI_NEW(context, int32_t, mesh->vertex_count, "surface vertices");
    surface->surface_of_vertex = PLI_NEW(context, int32_t, mesh->vertex_count, "surface map");
    if (surface->triangles == NULL || surface->tet_of_triangle == NULL ||
        surface->mesh_vertex == NULL || surface->surface_of_vertex == NULL) {
        return PLI_ERROR_MEMORY;
    }
    list_triangles(mesh, table, surface);
    number_vertices(mesh, surface);
    return PLI_OK;
}

pli_status pli_surface_create(const pli_tet_mesh *mesh, pli_surface **out)
{
    *out = NULL;
    pli_context *context = mesh->context;
    pli_status status = PLI_ERROR_MEMORY;
    int64_t face_count = 4 * (int64_t)mesh->tet_count;
    face_table table = {
        .start = PLI_NEW(context, int64_t, (int64_t)mesh->vertex_count + 1, "face buckets"),
        .faces = PLI_NEW(context, face, face_count, "faces"),
        .boundary = PLI_NEW(context, bool, face_count, "boundary faces"),
    };
    pli_surface *surface = PLI_NEW(context, pli_surface, 1, "surface");
    if (table.start == NULL || table.faces == NULL || table.boundary == NULL || surface == NULL) {
        goto done;
    }

    bucket_faces(mesh, &table);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        status = match_bucket(mesh, &table, v);
        if (status != PLI_OK) goto done;
    }
    status = fill_surface(mesh, &table, surface);
    if (status == PLI_OK) *out = surface;

done:
    if (status != PLI_OK && surface != NULL) {
        surface->context = context;
        pli_surface_destroy(surface);
    }
    pli_release(context, table.boundary);
    pli_release(context, table.faces);
    pli_release(context, table.start);
    return status;
}

void pli_surface_destroy(pli_surface *surface)
{
    if (surface == NULL) return;
    pli_release(surface->context, surface->triangles);
    pli_release(surface->context, surface->tet_of_triangle);
    pli_release(surface->context, surface->mesh_vertex);
    pli_release(surface->context, surface->surface_of_vertex);
    pli_release(surface->context, surface);
}

pli_status pli_surface_to_tri_mesh(const pli_surface *surface, const pli_tet_mesh *mesh,
                                   pli_tri_mesh **tri_mesh)
{
    *tri_mesh = NULL;
    pli_context *context = surface->context;
    pli_status status = PLI_ERROR_MEMORY;
    double *points = PLI_NEW(context, double, 3 * (int64_t)surface->vertex_count, "points");
    int32_t *corners = PLI_NEW(context, int32_t, 3 * (int64_t)surface->triangle_count, "corners");
    if (points == NULL || corners == NULL) goto done;

    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        pli_vec3_copy(mesh->points + 3 * (int64_t)surface->mesh_vertex[v], points + 3 * (int64_t)v);
    }
    for (int64_t k = 0; k < 3 * (int64_t)surface->triangle_count; ++k) {
        corners[k] = surface->surface_of_vertex[surface->triangles[k]];
    }
    status = pli_tri_mesh_create(context, surface->vertex_count, points, surface->triangle_count,
                                 corners, tri_mesh);

done:
    pli_release(context, corners);
    pli_release(context, points);
    return status;
}
