// SPDX-License-Identifier: Apache-2.0
//
// A table of builders, one for each kind of geometry.
#include "sim/body/body_piece.h"

#include "geometry/generate/arch.h"
#include "geometry/generate/card_house.h"
#include "geometry/generate/rod.h"
#include "geometry/generate/spikes.h"
#include "math/mat3.h"
#include "sim/scene/plan_defs.h"

// Checks the def at `data` and, unless mesh is NULL, makes one piece.
typedef pli_status (*make_fn)(pli_context *context, const void *data, int32_t piece,
                              pli_tet_mesh **mesh);

typedef struct builder {
    pli_geometry_kind kind;
    make_fn make;
    int32_t (*count)(const void *data); // of pieces; NULL: one
} builder;

static pli_status make_arch(pli_context *context, const void *data, int32_t piece,
                            pli_tet_mesh **mesh)
{
    const pli_arch_def *def = data;
    pli_arch_plan plan = {.span = def->span,
                          .rise = def->rise,
                          .thickness = def->thickness,
                          .depth = def->depth,
                          .gap = def->gap,
                          .blocks = def->blocks,
                          .cells = {def->cells[0], def->cells[1], def->cells[2]}};
    if (mesh == NULL) return pli_arch_check(context, &plan);
    return pli_arch_block_create(context, &plan, piece, mesh);
}

static int32_t count_blocks(const void *data)
{
    return ((const pli_arch_def *)data)->blocks;
}

static pli_status make_card_house(pli_context *context, const void *data, int32_t piece,
                                  pli_tet_mesh **mesh)
{
    const pli_card_house_def *def = data;
    pli_card_house_plan plan = {.storeys = def->storeys,
                                .height = def->height,
                                .width = def->width,
                                .thickness = def->thickness,
                                .lean = def->lean * pli_radians_per_degree,
                                .gap = def->gap,
                                .cells = {def->cells[0], def->cells[1], def->cells[2]}};
    if (mesh == NULL) return pli_card_house_check(context, &plan);
    return pli_card_house_create(context, &plan, piece, mesh);
}

static int32_t count_cards(const void *data)
{
    return pli_card_house_count(((const pli_card_house_def *)data)->storeys);
}

static pli_status make_spikes(pli_context *context, const void *data, int32_t piece,
                              pli_tet_mesh **mesh)
{
    (void)piece;
    const pli_spikes_def *def = data;
    pli_spikes_plan plan = {.columns = def->columns,
                            .rows = def->rows,
                            .pitch = def->pitch,
                            .height = def->height,
                            .radius = def->radius,
                            .tip_radius = def->tip_radius,
                            .plate = def->plate,
                            .sides = def->sides,
                            .layers = def->layers};
    if (mesh == NULL) return pli_spikes_check(context, &plan);
    return pli_spikes_create(context, &plan, mesh);
}

static pli_status make_rod(pli_context *context, const void *data, int32_t piece,
                           pli_tet_mesh **mesh)
{
    (void)piece;
    const pli_rod_def *def = data;
    pli_rod_plan plan = {
        .length = def->length, .radius = def->radius, .sides = def->sides, .layers = def->layers};
    if (mesh == NULL) return pli_rod_check(context, &plan);
    return pli_rod_create(context, &plan, mesh);
}

static pli_status make_ring(pli_context *context, const void *data, int32_t piece,
                            pli_tet_mesh **mesh)
{
    (void)piece;
    const pli_ring_def *def = data;
    pli_rod_plan plan = {.closed = true,
                         .length = def->radius,
                         .radius = def->tube_radius,
                         .sides = def->sides,
                         .layers = def->layers};
    if (mesh == NULL) return pli_rod_check(context, &plan);
    return pli_rod_create(context, &plan, mesh);
}

static const builder builders[] = {
    {PLI_GEOMETRY_ARCH, make_arch, count_blocks},
    {PLI_GEOMETRY_CARD_HOUSE, make_card_house, count_cards},
    {PLI_GEOMETRY_SPIKES, make_spikes, NULL},
    {PLI_GEOMETRY_ROD, make_rod, NULL},
    {PLI_GEOMETRY_RING, make_ring, NULL},
};

static const builder *find_builder(const pli_variant *geometry)
{
    for (size_t k = 0; k < sizeof builders / sizeof *builders; ++k) {
        if ((int32_t)builders[k].kind == geometry->kind) return &builders[k];
    }
    return NULL;
}

int32_t pli_body_piece_count(const pli_body_def *def)
{
    const builder *found = find_builder(&def->geometry);
    return found != NULL && found->count != NULL ? found->count(def->geometry.data) : 1;
}

pli_status pli_body_piece_check(pli_context *context, const pli_variant *geometry)
{
    const builder *found = find_builder(geometry);
    return found != NULL ? found->make(context, geometry->data, 0, NULL) : PLI_OK;
}

pli_status pli_body_piece_create(pli_context *context, const pli_variant *geometry, int32_t piece,
                                 pli_tet_mesh **mesh)
{
    *mesh = NULL;
    const builder *found = find_builder(geometry);
    if (found != NULL) return found->make(context, geometry->data, piece, mesh);
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "geometry %d is not built of pieces",
                    (int)geometry->kind);
}
