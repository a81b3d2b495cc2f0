// SPDX-License-Identifier: Apache-2.0
#include "sim/body_piece.h"

#include "geometry/arch.h"
#include "geometry/card_house.h"
#include "geometry/spikes.h"
#include "math/mat3.h"

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

int32_t pli_body_piece_count(const pli_body_def *def)
{
    const pli_arch_def *arch = def->geometry.data;
    const pli_card_house_def *house = def->geometry.data;
    if (def->geometry.kind == PLI_GEOMETRY_ARCH) return arch->blocks;
    if (def->geometry.kind == PLI_GEOMETRY_CARD_HOUSE) return pli_card_house_count(house->storeys);
    return 1;
}

pli_status pli_body_piece_check(pli_context *context, const pli_variant *geometry)
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

pli_status pli_body_piece_create(pli_context *context, const pli_variant *geometry, int32_t piece,
                                 pli_tet_mesh **mesh)
{
    *mesh = NULL;
    if (geometry->kind == PLI_GEOMETRY_ARCH) {
        pli_arch_plan plan = plan_arch(geometry->data);
        return pli_arch_block_create(context, &plan, piece, mesh);
    }
    if (geometry->kind == PLI_GEOMETRY_CARD_HOUSE) {
        pli_card_house_plan plan = plan_card_house(geometry->data);
        return pli_card_house_create(context, &plan, piece, mesh);
    }
    pli_spikes_plan plan = plan_spikes(geometry->data);
    return pli_spikes_create(context, &plan, mesh);
}
