// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/surface.h"

#include "base/memory.h"
#include "geometry/mesh/boundary.h"

#include <string.h>

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

static pli_status fill_surface(const pli_tet_mesh *mesh, const pli_boundary *boundary,
                               pli_surface *surface)
{
    pli_context *context = mesh->context;
    int32_t count = boundary->triangle_count;
    surface->triangle_count = count;
    PLI_TRY(PLI_MAKE(context, surface->triangles, 3 * (int64_t)count, "surface triangles"));
    PLI_TRY(PLI_MAKE(context, surface->tet_of_triangle, count, "surface owners"));
    PLI_TRY(PLI_MAKE(context, surface->mesh_vertex, mesh->vertex_count, "surface vertices"));
    PLI_TRY(PLI_MAKE(context, surface->surface_of_vertex, mesh->vertex_count, "surface map"));
    memcpy(surface->triangles, boundary->triangles, 3 * (size_t)count * sizeof(int32_t));
    for (int32_t k = 0; k < count; ++k) {
        surface->tet_of_triangle[k] = boundary->tet[k] / (mesh->mid != NULL ? PLI_TET_PARTS : 1);
    }
    number_vertices(mesh, surface);
    return PLI_OK;
}

static pli_status refuse_overlap(pli_context *context, const pli_boundary *boundary)
{
    const int32_t *tets = boundary->overlap_tets;
    const int32_t *face = boundary->overlap_face;
    return PLI_FAIL(context, PLI_ERROR_MESH,
                    "tetrahedra %d and %d overlap: the face with vertices %d, %d, %d belongs to "
                    "more than one element on the same side",
                    tets[0], tets[1], face[0], face[1], face[2]);
}

// The elements, or what quadratic ones consist of.
static pli_status list_elements(const pli_tet_mesh *mesh, pli_arena *scratch, pli_tets *tets)
{
    *tets = pli_tet_mesh_view(mesh);
    if (mesh->mid == NULL) return PLI_OK;
    int64_t count = PLI_TET_PARTS * (int64_t)mesh->tet_count;
    int32_t *parts = pli_arena_ints(scratch, 4 * count, "surface");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    for (int64_t t = 0; t < mesh->tet_count; ++t) {
        pli_tet_split(mesh->tets + 4 * t, mesh->mid + 6 * t, parts + 4 * PLI_TET_PARTS * t);
    }
    tets->tet_count = (int32_t)count;
    tets->tets = parts;
    return PLI_OK;
}

pli_status pli_surface_create(const pli_tet_mesh *mesh, pli_surface **out)
{
    *out = NULL;
    pli_context *context = mesh->context;
    pli_arena *scratch = NULL;
    pli_surface *surface = NULL;
    pli_boundary boundary;
    pli_tets tets;
    PLI_TRY(pli_arena_create(context, 0, &scratch));
    pli_status status = list_elements(mesh, scratch, &tets);
    if (status == PLI_OK) status = pli_boundary_build(&tets, scratch, &boundary);
    if (status == PLI_OK && boundary.has_overlap) status = refuse_overlap(context, &boundary);
    if (status != PLI_OK) goto done;

    status = PLI_ERROR_MEMORY;
    surface = PLI_NEW(context, pli_surface, 1, "surface");
    if (surface == NULL) goto done;
    surface->context = context;
    status = fill_surface(mesh, &boundary, surface);
    if (status == PLI_OK) *out = surface;

done:
    if (status != PLI_OK) pli_surface_destroy(surface);
    pli_arena_destroy(scratch);
    return status;
}

void pli_surface_destroy(pli_surface *surface)
{
    if (surface == NULL) return;
    PLI_RELEASE(surface->context, surface->triangles, surface->tet_of_triangle,
                surface->mesh_vertex, surface->surface_of_vertex, surface);
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
    PLI_RELEASE(context, corners, points);
    return status;
}
