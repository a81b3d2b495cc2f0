// SPDX-License-Identifier: Apache-2.0
#include "sim/body_mesh.h"

#include "geometry/grid_mesh.h"
#include "sim/body_piece.h"
#include "sim/shape_build.h"

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

static pli_status create_from_file(pli_context *context, const pli_body_def *body,
                                   pli_tet_mesh **mesh)
{
    const pli_file_def *file = body->geometry.data;
    if (file->mesh == NULL || file->mesh->tet_count == 0) {
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "body %s: %s holds no tetrahedra; a surface has to be filled first",
                        body->name, file->path);
    }
    pli_tet_mesh_def def = {.vertex_count = file->mesh->point_count,
                            .points = file->mesh->points,
                            .tet_count = file->mesh->tet_count,
                            .tets = file->mesh->tets,
                            .tet_group = file->mesh->tet_groups};
    return pli_tet_mesh_create(context, &def, NULL, mesh);
}

pli_status pli_body_mesh_create(pli_context *context, const pli_body_def *def, int32_t piece,
                                pli_tet_mesh **mesh)
{
    *mesh = NULL;
    switch ((pli_geometry_kind)def->geometry.kind) {
    case PLI_GEOMETRY_GRID: return create_grid(context, def->geometry.data, mesh);
    case PLI_GEOMETRY_SHAPE: return pli_shape_fill(context, def->geometry.data, mesh);
    case PLI_GEOMETRY_FILE: return create_from_file(context, def, mesh);
    case PLI_GEOMETRY_ARCH:
    case PLI_GEOMETRY_CARD_HOUSE:
    case PLI_GEOMETRY_SPIKES:
    case PLI_GEOMETRY_ROD:
    case PLI_GEOMETRY_RING: return pli_body_piece_create(context, &def->geometry, piece, mesh);
    }
    return PLI_FAIL(context, PLI_ERROR_SCENE, "body %s has no geometry", def->name);
}

const pli_mesh_data *pli_body_mesh_file(const pli_body_def *def)
{
    if (def->geometry.kind != PLI_GEOMETRY_FILE) return NULL;
    return ((const pli_file_def *)def->geometry.data)->mesh;
}
