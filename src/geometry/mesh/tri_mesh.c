// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/tri_mesh.h"

#include "base/memory.h"
#include "geometry/mesh/mesh_check.h"
#include "geometry/mesh/union_find.h"

#include <stdlib.h>
#include <string.h>

pli_status pli_tri_mesh_create(pli_context *context, int32_t vertex_count, const double *points,
                               int32_t triangle_count, const int32_t *triangles, pli_tri_mesh **out)
{
    *out = NULL;
    pli_cells cells = {"triangle", 3, triangle_count, triangles, vertex_count, points};
    PLI_TRY(pli_cells_check(context, &cells));

    pli_tri_mesh *mesh = PLI_NEW(context, pli_tri_mesh, 1, "triangle mesh");
    if (mesh == NULL) return PLI_ERROR_MEMORY;
    mesh->context = context;
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    mesh->points = PLI_NEW(context, double, 3 * (int64_t)vertex_count, "triangle mesh points");
    mesh->triangles = PLI_NEW(context, int32_t, 3 * (int64_t)triangle_count, "triangles");
    if (mesh->points == NULL || mesh->triangles == NULL) {
        pli_tri_mesh_destroy(mesh);
        return PLI_ERROR_MEMORY;
    }
    // an empty mesh may come without arrays
    if (vertex_count > 0) memcpy(mesh->points, points, (size_t)vertex_count * 3 * sizeof(double));
    if (triangle_count > 0) {
        memcpy(mesh->triangles, triangles, (size_t)triangle_count * 3 * sizeof(int32_t));
    }
    *out = mesh;
    return PLI_OK;
}

void pli_tri_mesh_destroy(pli_tri_mesh *mesh)
{
    if (mesh == NULL) return;
    PLI_RELEASE(mesh->context, mesh->points, mesh->triangles, mesh);
}

pli_bounds pli_tri_mesh_bounds(const pli_tri_mesh *mesh)
{
    return pli_bounds_of_points(mesh->vertex_count, mesh->points);
}

static const double *corner_of(const pli_tri_mesh *mesh, int32_t triangle, int corner)
{
    return mesh->points + 3 * (int64_t)mesh->triangles[3 * (int64_t)triangle + corner];
}

// Normal of a triangle times twice its area.
static void area_vector(const pli_tri_mesh *mesh, int32_t triangle, double out[3])
{
    double u[3], v[3];
    const double *a = corner_of(mesh, triangle, 0);
    pli_vec3_subtract(corner_of(mesh, triangle, 1), a, u);
    pli_vec3_subtract(corner_of(mesh, triangle, 2), a, v);
    pli_vec3_cross(u, v, out);
}

double pli_tri_mesh_area(const pli_tri_mesh *mesh)
{
    double sum = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        double n[3];
        area_vector(mesh, t, n);
        sum += 0.5 * pli_vec3_norm(n);
    }
    return sum;
}

double pli_tri_mesh_volume(const pli_tri_mesh *mesh)
{
    if (mesh->triangle_count == 0) return 0;
    // measured from a corner, so that a mesh far from the origin loses nothing
    const double *origin = corner_of(mesh, 0, 0);
    double sum = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        double n[3], a[3];
        area_vector(mesh, t, n);
        pli_vec3_subtract(corner_of(mesh, t, 0), origin, a);
        sum += pli_vec3_dot(a, n) / 6;
    }
    return sum;
}

// a side of a triangle, as an edge from its smaller to its larger vertex
typedef struct half_edge {
    int32_t low;
    int32_t high;
    int32_t triangle;
    int32_t direction; // +1: the triangle runs from low to high
} half_edge;

static int compare_half_edges(const void *left, const void *right)
{
    const half_edge *a = left;
    const half_edge *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static void list_half_edges(const pli_tri_mesh *mesh, half_edge *edges)
{
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t *v = mesh->triangles + 3 * (int64_t)t;
        for (int k = 0; k < 3; ++k) {
            int32_t a = v[k];
            int32_t b = v[(k + 1) % 3];
            edges[3 * (int64_t)t + k] = a < b ? (half_edge){a, b, t, 1} : (half_edge){b, a, t, -1};
        }
    }
    qsort(edges, (size_t)mesh->triangle_count * 3, sizeof *edges, compare_half_edges);
}

// Judges one edge by its triangles edges[0 .. count); returns whether its directions cancel.
static bool judge_edge(const half_edge *edges, int64_t count, pli_tri_mesh_report *report)
{
    int32_t balance = 0;
    for (int64_t k = 0; k < count; ++k) balance += edges[k].direction;
    if (count == 1) ++report->open_edges;
    if (count > 2) ++report->crowded_edges;
    if (count == 2 && balance != 0) ++report->misoriented_edges;
    return balance == 0;
}

static void judge_edges(const half_edge *edges, int64_t count, pli_tri_mesh_report *report)
{
    bool balanced = true;
    for (int64_t begin = 0; begin < count;) {
        int64_t end = begin + 1;
        while (end < count && edges[end].low == edges[begin].low &&
               edges[end].high == edges[begin].high) {
            ++end;
        }
        balanced = judge_edge(edges + begin, end - begin, report) && balanced;
        begin = end;
    }
    report->is_closed = balanced && report->open_edges == 0;
    report->is_oriented = report->misoriented_edges == 0;
    report->is_manifold = report->crowded_edges == 0;
}

// Which corner of a triangle is this vertex.
static int corner_index(const pli_tri_mesh *mesh, int32_t triangle, int32_t vertex)
{
    const int32_t *v = mesh->triangles + 3 * (int64_t)triangle;
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

// Corners of triangles that share an edge belong to the same fan; fans [vertex_count] gets their
// number at each vertex.
static void count_fans(const pli_tri_mesh *mesh, const half_edge *edges, int32_t *parent,
                       int32_t *fans)
{
    int32_t count = 3 * mesh->triangle_count;
    for (int32_t i = 0; i < count; ++i) parent[i] = i;
    for (int32_t k = 0; k + 1 < count; ++k) {
        const half_edge *e = &edges[k];
        if (e[1].low != e->low || e[1].high != e->high) continue;
        for (int side = 0; side < 2; ++side) {
            int32_t vertex = side == 0 ? e->low : e->high;
            pli_union_join(parent, 3 * e->triangle + corner_index(mesh, e->triangle, vertex),
                           3 * e[1].triangle + corner_index(mesh, e[1].triangle, vertex));
        }
    }
    for (int32_t i = 0; i < count; ++i) fans[mesh->triangles[i]] += parent[i] == i;
}

static void count_components(const pli_tri_mesh *mesh, int32_t *parent, int32_t *used,
                             pli_tri_mesh_report *report)
{
    for (int32_t v = 0; v < mesh->vertex_count; ++v) parent[v] = v;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t *v = mesh->triangles + 3 * (int64_t)t;
        for (int k = 0; k < 3; ++k) {
            used[v[k]] = 1;
            pli_union_join(parent, v[0], v[k]);
        }
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!used[v]) ++report->unused_vertices;
        if (used[v] && parent[v] == v) ++report->component_count;
    }
}

static void measure(const pli_tri_mesh *mesh, pli_tri_mesh_report *report)
{
    report->area = pli_tri_mesh_area(mesh);
    report->volume = report->is_closed ? pli_tri_mesh_volume(mesh) : 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        double n[3];
        area_vector(mesh, t, n);
        if (!(pli_vec3_norm2(n) > 0)) ++report->degenerate_triangles;
    }
}

pli_status pli_tri_mesh_check(const pli_tri_mesh *mesh, pli_tri_mesh_report *report)
{
    *report = (pli_tri_mesh_report){0};
    pli_context *context = mesh->context;
    int64_t corner_count = 3 * (int64_t)mesh->triangle_count;
    int64_t scratch_count = corner_count > mesh->vertex_count ? corner_count : mesh->vertex_count;
    half_edge *edges = PLI_NEW(context, half_edge, corner_count, "half edges");
    int32_t *parent = PLI_NEW(context, int32_t, scratch_count, "mesh components");
    int32_t *fans = PLI_NEW(context, int32_t, mesh->vertex_count, "vertex fans");
    int32_t *used = PLI_NEW(context, int32_t, mesh->vertex_count, "used vertices");
    pli_status status = PLI_ERROR_MEMORY;
    if (edges == NULL || parent == NULL || fans == NULL || used == NULL) goto done;

    list_half_edges(mesh, edges);
    judge_edges(edges, corner_count, report);
    count_fans(mesh, edges, parent, fans);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) report->pinched_vertices += fans[v] > 1;
    report->is_manifold = report->is_manifold && report->pinched_vertices == 0;
    count_components(mesh, parent, used, report);
    measure(mesh, report);
    status = PLI_OK;

done:
    PLI_RELEASE(context, used, fans, parent, edges);
    return status;
}

// Marks the ends of edges that have more than two triangles.
static void mark_crowded(const half_edge *edges, int64_t count, uint8_t *marks)
{
    for (int64_t k = 0; k + 2 < count; ++k) {
        if (edges[k + 2].low != edges[k].low || edges[k + 2].high != edges[k].high) continue;
        marks[edges[k].low] = 1;
        marks[edges[k].high] = 1;
    }
}

pli_status pli_tri_mesh_mark_pinches(const pli_tri_mesh *mesh, uint8_t *marks, int32_t *count)
{
    *count = 0;
    pli_context *context = mesh->context;
    int64_t corner_count = 3 * (int64_t)mesh->triangle_count;
    half_edge *edges = PLI_NEW(context, half_edge, corner_count, "half edges");
    int32_t *parent = PLI_NEW(context, int32_t, corner_count, "corner fans");
    int32_t *fans = PLI_NEW(context, int32_t, mesh->vertex_count, "vertex fans");
    pli_status status = PLI_ERROR_MEMORY;
    if (edges == NULL || parent == NULL || fans == NULL) goto done;

    list_half_edges(mesh, edges);
    count_fans(mesh, edges, parent, fans);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) marks[v] = fans[v] > 1;
    mark_crowded(edges, corner_count, marks);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) *count += marks[v];
    status = PLI_OK;

done:
    PLI_RELEASE(context, fans, parent, edges);
    return status;
}
