// SPDX-License-Identifier: Apache-2.0
#include "sim/body/body_mesh.h"

#include "base/memory.h"
#include "geometry/generate/grid_mesh.h"
#include "geometry/generate/sheet_mesh.h"
#include "geometry/mesh/edges.h"
#include "geometry/mesh/surface.h"
#include "sim/body/body_check.h"
#include "sim/body/body_piece.h"
#include "sim/body/shape_build.h"
#include "sim/scene/plan_defs.h"

// ---- what a body is made from

const pli_mesh_data *pli_body_mesh_file(const pli_body_def *def)
{
    if (def->geometry.kind != PLI_GEOMETRY_FILE) return NULL;
    return ((const pli_file_def *)def->geometry.data)->mesh;
}

bool pli_body_mesh_has_tets(const pli_body_def *def)
{
    switch ((pli_geometry_kind)def->geometry.kind) {
    case PLI_GEOMETRY_GRID:
    case PLI_GEOMETRY_FILL:
    case PLI_GEOMETRY_ARCH:
    case PLI_GEOMETRY_CARD_HOUSE:
    case PLI_GEOMETRY_SPIKES:
    case PLI_GEOMETRY_ROD:
    case PLI_GEOMETRY_RING: return true;
    case PLI_GEOMETRY_FILE: {
        const pli_mesh_data *file = pli_body_mesh_file(def);
        return file != NULL && file->tet_count > 0;
    }
    case PLI_GEOMETRY_SHEET:
    case PLI_GEOMETRY_SCROLL:
    case PLI_GEOMETRY_PARTICLES: break;
    }
    return false;
}

// ---- tetrahedra

static pli_status create_grid(pli_context *context, const pli_grid_def *grid, pli_tet_mesh **mesh)
{
    pli_grid_mesh_def def = {.split = grid->split == PLI_SPLIT_FIVE ? PLI_GRID_MESH_FIVE
                                                                    : PLI_GRID_MESH_SIX};
    for (int k = 0; k < 3; ++k) {
        def.cells[k] = grid->cells[k];
        def.bounds.min[k] = grid->center[k] - 0.5 * grid->size[k];
        def.bounds.max[k] = grid->center[k] + 0.5 * grid->size[k];
    }
    return pli_grid_mesh_create(context, &def, mesh);
}

// *cell gets the first element at fault, -1: there is none.
static pli_status create_tets_of_file(pli_context *context, const pli_body_def *body,
                                      bool quadratic, int32_t *cell, pli_tet_mesh **mesh)
{
    const pli_mesh_data *file = pli_body_mesh_file(body);
    pli_tet_mesh_def def = {.vertex_count = file->point_count,
                            .points = file->points,
                            .tet_count = file->tet_count,
                            .tets = file->tets,
                            .tet_group = file->tet_groups,
                            .mid = quadratic ? file->tet_mids : NULL};
    pli_tet_mesh_report report;
    pli_status status = pli_tet_mesh_create(context, &def, &report, mesh);
    if (report.refused.count > 0) *cell = report.refused.first[0];
    if (status != PLI_OK) return status;
    status = pli_body_warn_solid(body, *mesh, &report);
    if (status != PLI_OK) {
        pli_tet_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    return status;
}

static pli_status create_solid(pli_context *context, const pli_body_def *def, int32_t piece,
                               bool quadratic, int32_t *cell, pli_tet_mesh **mesh)
{
    *mesh = NULL;
    if (!pli_body_mesh_has_tets(def)) {
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "its geometry has no tetrahedra; write kind: shell, or fill a closed "
                        "surface first");
    }
    switch ((pli_geometry_kind)def->geometry.kind) {
    case PLI_GEOMETRY_GRID: return create_grid(context, def->geometry.data, mesh);
    case PLI_GEOMETRY_FILL: return pli_shape_fill(context, def->geometry.data, mesh);
    case PLI_GEOMETRY_FILE: return create_tets_of_file(context, def, quadratic, cell, mesh);
    default: return pli_body_piece_create(context, &def->geometry, piece, mesh);
    }
}

// Gives every edge a node; those of a shape's surface lie on it where elements stay valid.
static pli_status raise_solid(const pli_body_def *def, pli_tet_mesh *mesh)
{
    if (mesh->mid != NULL) return PLI_OK;
    PLI_TRY(pli_tet_mesh_raise(mesh));
    if (def->geometry.kind != PLI_GEOMETRY_FILL) return PLI_OK;
    return pli_shape_curve(mesh->context, def->geometry.data, mesh);
}

// ---- triangles

// Vertices of a surface that keep their numbers.
static pli_status number_vertices(pli_body_mesh *mesh)
{
    int32_t count = mesh->surface->vertex_count;
    PLI_TRY(PLI_MAKE(mesh->context, mesh->origin, count, "vertex numbers"));
    for (int32_t k = 0; k < count; ++k) mesh->origin[k] = k;
    return PLI_OK;
}

static pli_status create_sheet(pli_body_mesh *mesh, const pli_sheet_def *sheet)
{
    pli_sheet_mesh_def def = {.size = {sheet->width, sheet->depth},
                              .cells = {sheet->columns, sheet->rows}};
    pli_vec3_copy(sheet->center, def.center);
    PLI_TRY(pli_sheet_mesh_create(mesh->context, &def, &mesh->surface));
    return number_vertices(mesh);
}

static pli_status create_scroll(pli_body_mesh *mesh, const pli_scroll_def *scroll)
{
    pli_scroll_mesh_def def = {.radius = scroll->radius,
                               .gap = scroll->gap,
                               .turns = scroll->turns,
                               .width = scroll->width,
                               .cells = {scroll->columns, scroll->rows}};
    pli_vec3_copy(scroll->center, def.center);
    PLI_TRY(pli_scroll_mesh_create(mesh->context, &def, &mesh->surface));
    return number_vertices(mesh);
}

// Renumbers the corners of a file's triangles by the vertices that they use, which are ascending.
static void compact_corners(int64_t corner_count, const int32_t *corners, int32_t used_count,
                            const int32_t *used, int32_t *number, int32_t *out)
{
    for (int32_t k = 0; k < used_count; ++k) number[used[k]] = k;
    for (int64_t k = 0; k < corner_count; ++k) out[k] = number[corners[k]];
}

// The triangles of a file whose corners are vertices of it, without vertices that none uses.
static pli_status compact_triangles(pli_body_mesh *mesh, const pli_tri_mesh *whole)
{
    pli_context *context = mesh->context;
    int32_t used_count = 0;
    int64_t corner_count = 3 * (int64_t)whole->triangle_count;
    PLI_TRY(pli_used_vertices_build(context, whole->vertex_count, corner_count, whole->triangles,
                                    &used_count, &mesh->origin));
    pli_status status = PLI_ERROR_MEMORY;
    double *points = PLI_NEW(context, double, 3 * (int64_t)used_count, "surface");
    int32_t *number = PLI_NEW(context, int32_t, whole->vertex_count, "surface");
    int32_t *corners = PLI_NEW(context, int32_t, corner_count, "surface");
    if (points == NULL || number == NULL || corners == NULL) goto done;
    compact_corners(corner_count, whole->triangles, used_count, mesh->origin, number, corners);
    for (int64_t k = 0; k < used_count; ++k) {
        pli_vec3_copy(whole->points + 3 * (int64_t)mesh->origin[k], points + 3 * k);
    }
    status = pli_tri_mesh_create(context, used_count, points, whole->triangle_count, corners,
                                 &mesh->surface);

done:
    PLI_RELEASE(context, corners, number, points);
    return status;
}

static pli_status copy_groups(pli_body_mesh *mesh, int32_t count, const int32_t *groups)
{
    if (groups == NULL) return PLI_OK;
    PLI_TRY(PLI_MAKE(mesh->context, mesh->group, count, "element groups"));
    for (int32_t k = 0; k < count; ++k) mesh->group[k] = groups[k];
    return PLI_OK;
}

static pli_status create_surface_of_file(pli_body_mesh *mesh, const pli_body_def *def)
{
    const pli_mesh_data *file = pli_body_mesh_file(def);
    if (file == NULL || file->triangle_count == 0) {
        return PLI_FAIL(mesh->context, PLI_ERROR_MESH, "holds no triangles");
    }
    pli_tri_mesh *whole = NULL;
    PLI_TRY(pli_tri_mesh_create(mesh->context, file->point_count, file->points,
                                file->triangle_count, file->triangles, &whole));
    pli_status status = compact_triangles(mesh, whole);
    pli_tri_mesh_destroy(whole);
    if (status == PLI_OK) status = pli_body_warn_surface(def, mesh->surface, file->point_count);
    if (status != PLI_OK) return status;
    return copy_groups(mesh, file->triangle_count, file->triangle_groups);
}

// Vertex numbers and groups of a boundary are those of the solid.
static pli_status inherit_names(pli_body_mesh *mesh, const pli_tet_mesh *solid,
                                const pli_surface *boundary)
{
    PLI_TRY(PLI_MAKE(mesh->context, mesh->origin, boundary->vertex_count, "vertex numbers"));
    for (int32_t k = 0; k < boundary->vertex_count; ++k) {
        mesh->origin[k] = solid->vertex_origin[boundary->mesh_vertex[k]];
    }
    if (solid->tet_group == NULL) return PLI_OK;
    PLI_TRY(PLI_MAKE(mesh->context, mesh->group, boundary->triangle_count, "element groups"));
    for (int32_t k = 0; k < boundary->triangle_count; ++k) {
        mesh->group[k] = solid->tet_group[boundary->tet_of_triangle[k]];
    }
    return PLI_OK;
}

static pli_status create_boundary(pli_body_mesh *mesh, const pli_body_def *def, int32_t piece,
                                  int32_t *cell)
{
    pli_tet_mesh *solid = NULL;
    pli_surface *boundary = NULL;
    pli_status status = create_solid(mesh->context, def, piece, false, cell, &solid);
    if (status == PLI_OK) status = pli_surface_create(solid, &boundary);
    if (status == PLI_OK) status = pli_surface_to_tri_mesh(boundary, solid, &mesh->surface);
    if (status == PLI_OK) status = inherit_names(mesh, solid, boundary);
    pli_surface_destroy(boundary);
    pli_tet_mesh_destroy(solid);
    return status;
}

static pli_status create_surface(pli_body_mesh *mesh, const pli_body_def *def, int32_t piece,
                                 int32_t *cell)
{
    if (def->geometry.kind == PLI_GEOMETRY_SHEET) return create_sheet(mesh, def->geometry.data);
    if (def->geometry.kind == PLI_GEOMETRY_SCROLL) return create_scroll(mesh, def->geometry.data);
    if (pli_body_mesh_has_tets(def)) return create_boundary(mesh, def, piece, cell);
    return create_surface_of_file(mesh, def);
}

// ---- both

// Points to the mesh that there is.
static void set_view(pli_body_mesh *mesh)
{
    if (mesh->solid != NULL) {
        const pli_tet_mesh *solid = mesh->solid;
        mesh->vertex_count = solid->vertex_count;
        mesh->points = solid->points;
        mesh->corner_count = 4;
        mesh->cell_count = solid->tet_count;
        mesh->cells = solid->tets;
        mesh->cell_group = solid->tet_group;
        mesh->vertex_origin = solid->vertex_origin;
        mesh->mid = solid->mid;
        return;
    }
    const pli_tri_mesh *surface = mesh->surface;
    mesh->vertex_count = surface->vertex_count;
    mesh->points = surface->points;
    mesh->corner_count = 3;
    mesh->cell_count = surface->triangle_count;
    mesh->cells = surface->triangles;
    mesh->cell_group = mesh->group;
    mesh->vertex_origin = mesh->origin;
}

pli_status pli_body_mesh_create(pli_context *context, const pli_body_def *def, int32_t piece,
                                bool quadratic, pli_body_mesh **mesh)
{
    *mesh = NULL;
    pli_body_mesh *made = PLI_NEW(context, pli_body_mesh, 1, "mesh of a body");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    int32_t cell = -1;
    pli_status status = def->kind == PLI_BODY_SOLID
                            ? create_solid(context, def, piece, quadratic, &cell, &made->solid)
                            : create_surface(made, def, piece, &cell);
    if (status == PLI_OK && quadratic) status = raise_solid(def, made->solid);
    if (status != PLI_OK) {
        pli_body_mesh_destroy(made);
        return pli_body_fail_mesh(context, def, cell, status);
    }
    set_view(made);
    *mesh = made;
    return PLI_OK;
}

pli_status pli_body_mesh_take(pli_tri_mesh *taken, pli_body_mesh **mesh)
{
    *mesh = NULL;
    pli_body_mesh *made = PLI_NEW(taken->context, pli_body_mesh, 1, "mesh of a body");
    if (made == NULL) {
        pli_tri_mesh_destroy(taken);
        return PLI_ERROR_MEMORY;
    }
    made->context = taken->context;
    made->surface = taken;
    pli_status status = number_vertices(made);
    if (status != PLI_OK) {
        pli_body_mesh_destroy(made);
        return status;
    }
    set_view(made);
    *mesh = made;
    return PLI_OK;
}

void pli_body_mesh_destroy(pli_body_mesh *mesh)
{
    if (mesh == NULL) return;
    pli_tet_mesh_destroy(mesh->solid);
    pli_tri_mesh_destroy(mesh->surface);
    PLI_RELEASE(mesh->context, mesh->origin, mesh->group, mesh);
}
