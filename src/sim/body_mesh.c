// SPDX-License-Identifier: Apache-2.0
#include "sim/body_mesh.h"

#include "geometry/arch.h"
#include "geometry/card_house.h"
#include "geometry/grid_mesh.h"
#include "geometry/spikes.h"
#include "math/mat3.h"
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

static pli_arch_plan plan_arch(const pli_arch_def *def)
{
    return (pli_arch_plan){.span = def->span,
                           .rise = def->rise,
                           .thickness = def->thickness,
                           .depth = def->depth,
                           .gap = def->gap,
                           .blocks = def->blocks,
                           .cells = {def->cells[0], def->cells[1], def->cells[2]}};
}

static pli_card_house_plan plan_card_house(const pli_card_house_def *def)
{
    return (pli_card_house_plan){.storeys = def->storeys,
                                 .height = def->height,
                                 .width = def->width,
                                 .thickness = def->thickness,
                                 .lean = def->lean * pli_radians_per_degree,
                                 .gap = def->gap,
                                 .cells = {def->cells[0], def->cells[1], def->cells[2]}};
}

static pli_spikes_plan plan_spikes(const pli_spikes_def *def)
{
    return (pli_spikes_plan){.columns = def->columns,
                             .rows = def->rows,
                             .pitch = def->pitch,
                             .height = def->height,
                             .radius = def->radius,
                             .tip_radius = def->tip_radius,
                             .plate = def->plate,
                             .sides = def->sides,
                             .layers = def->layers};
}

static pli_status create_block(pli_context *context, const pli_arch_def *def, int32_t block,
                               pli_tet_mesh **mesh)
{
    pli_arch_plan plan = plan_arch(def);
    return pli_arch_block_create(context, &plan, block, mesh);
}

static pli_status create_card(pli_context *context, const pli_card_house_def *def, int32_t card,
                              pli_tet_mesh **mesh)
{
    pli_card_house_plan plan = plan_card_house(def);
    return pli_card_house_create(context, &plan, card, mesh);
}

static pli_status create_spikes(pli_context *context, const pli_spikes_def *def,
                                pli_tet_mesh **mesh)
{
    pli_spikes_plan plan = plan_spikes(def);
    return pli_spikes_create(context, &plan, mesh);
}

int32_t pli_body_piece_count(const pli_body_def *def)
{
    const pli_arch_def *arch = def->geometry.data;
    const pli_card_house_def *house = def->geometry.data;
    if (def->geometry.kind == PLI_GEOMETRY_ARCH) return arch->blocks;
    if (def->geometry.kind == PLI_GEOMETRY_CARD_HOUSE) return pli_card_house_count(house->storeys);
    return 1;
}

pli_status pli_body_mesh_check(pli_context *context, const pli_variant *geometry)
{
    if (geometry->kind == PLI_GEOMETRY_ARCH) {
        pli_arch_plan plan = plan_arch(geometry->data);
        return pli_arch_check(context, &plan);
    }
    if (geometry->kind == PLI_GEOMETRY_CARD_HOUSE) {
        pli_card_house_plan plan = plan_card_house(geometry->data);
        return pli_card_house_check(context, &plan);
    }
    if (geometry->kind == PLI_GEOMETRY_SPIKES) {
        pli_spikes_plan plan = plan_spikes(geometry->data);
        return pli_spikes_check(context, &plan);
    }
    return PLI_OK;
}

pli_status pli_body_mesh_create(pli_context *context, const pli_body_def *def, int32_t piece,
                                pli_tet_mesh **mesh)
{
    *mesh = NULL;
    switch ((pli_geometry_kind)def->geometry.kind) {
    case PLI_GEOMETRY_GRID: return create_grid(context, def->geometry.data, mesh);
    case PLI_GEOMETRY_SHAPE: return pli_shape_fill(context, def->geometry.data, mesh);
    case PLI_GEOMETRY_FILE: return create_from_file(context, def, mesh);
    case PLI_GEOMETRY_ARCH: return create_block(context, def->geometry.data, piece, mesh);
    case PLI_GEOMETRY_CARD_HOUSE: return create_card(context, def->geometry.data, piece, mesh);
    case PLI_GEOMETRY_SPIKES: return create_spikes(context, def->geometry.data, mesh);
    }
    return PLI_FAIL(context, PLI_ERROR_SCENE, "body %s has no geometry", def->name);
}

const pli_mesh_data *pli_body_mesh_file(const pli_body_def *def)
{
    if (def->geometry.kind != PLI_GEOMETRY_FILE) return NULL;
    return ((const pli_file_def *)def->geometry.data)->mesh;
}
