// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/card_house.h"

#include "geometry/generate/grid_mesh.h"
#include "math/mat3.h"

static const double right_angle = 1.57079632679489661923;

// Sizes that all cards of a house share.
typedef struct layout {
    double reach[2]; // half the extent of a leaning card along x and y (m)
    double pitch;    // from a pair to the next (m)
    double storey;   // from the foot of a storey to that of the next (m)
    double overhang; // of the outer boards beyond the middle of a top (m)
} layout;

static layout measure(const pli_card_house_plan *plan)
{
    double c = cos(plan->lean);
    double s = sin(plan->lean);
    layout sizes = {.reach = {0.5 * (plan->thickness * c + plan->height * s),
                              0.5 * (plan->thickness * s + plan->height * c)}};
    sizes.pitch = 4 * sizes.reach[0] + 2 * plan->gap;
    sizes.storey = 2 * sizes.reach[1] + plan->thickness + 2 * plan->gap;
    // past the top of the outer card, which is thickness cos(lean) wide
    sizes.overhang = 2 * plan->thickness * c + plan->gap;
    return sizes;
}

// Leaning card number `index` of the pairs of a storey.
static pli_card_place place_leaning(const pli_card_house_plan *plan, int32_t storey, int32_t index)
{
    layout sizes = measure(plan);
    int32_t pairs = plan->storeys - storey;
    bool left = index % 2 == 0;
    double middle = (index / 2 - 0.5 * (pairs - 1)) * sizes.pitch;
    double aside = sizes.reach[0] + 0.5 * plan->gap;
    return (pli_card_place){
        .size = {plan->thickness, plan->height, plan->width},
        .center = {middle + (left ? -aside : aside),
                   storey * sizes.storey + plan->gap + sizes.reach[1], 0},
        .angle = left ? -plan->lean : plan->lean,
    };
}

// Board number `index` above the pairs of a storey.
static pli_card_place place_board(const pli_card_house_plan *plan, int32_t storey, int32_t index)
{
    layout sizes = measure(plan);
    int32_t boards = plan->storeys - storey - 1;
    double middle = (index - 0.5 * (boards - 1)) * sizes.pitch;
    double ends[2] = {middle - 0.5 * (sizes.pitch - plan->gap),
                      middle + 0.5 * (sizes.pitch - plan->gap)};
    if (index == 0) ends[0] -= sizes.overhang;
    if (index == boards - 1) ends[1] += sizes.overhang;
    return (pli_card_place){
        .size = {plan->thickness, ends[1] - ends[0], plan->width},
        .center = {0.5 * (ends[0] + ends[1]), (storey + 1) * sizes.storey - 0.5 * plan->thickness,
                   0},
        .angle = right_angle,
    };
}

int32_t pli_card_house_count(int32_t storeys)
{
    return storeys * (storeys + 1) + storeys * (storeys - 1) / 2;
}

pli_card_place pli_card_house_place(const pli_card_house_plan *plan, int32_t card)
{
    int32_t storey = 0;
    int32_t pairs = plan->storeys;
    for (; pairs > 1 && card >= 3 * pairs - 1; --pairs, ++storey) card -= 3 * pairs - 1;
    if (card < 2 * pairs) return place_leaning(plan, storey, card);
    return place_board(plan, storey, card - 2 * pairs);
}

pli_status pli_card_house_check(pli_context *context, const pli_card_house_plan *plan)
{
    const double lengths[3] = {plan->height, plan->width, plan->thickness};
    static const char *const names[3] = {"height", "width", "thickness"};
    for (int k = 0; k < 3; ++k) {
        if (lengths[k] > 0 && isfinite(lengths[k])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%s of a card is %g, must be positive",
                        names[k], lengths[k]);
    }
    if (plan->storeys < 1 || plan->storeys > PLI_CARD_HOUSE_STOREYS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a house of cards has 1 to %d storeys, not %d",
                        PLI_CARD_HOUSE_STOREYS, (int)plan->storeys);
    }
    if (!(plan->gap >= 0) || !isfinite(plan->gap)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "the gap of cards is %g, must be at least 0",
                        plan->gap);
    }
    if (!(plan->lean > 0) || !(plan->lean < right_angle)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "cards lean by %g radians, must be more than 0 and less than a right angle",
                        plan->lean);
    }
    return PLI_OK;
}

pli_status pli_card_house_create(pli_context *context, const pli_card_house_plan *plan,
                                 int32_t card, pli_tet_mesh **mesh)
{
    *mesh = NULL;
    PLI_TRY(pli_card_house_check(context, plan));
    pli_card_place place = pli_card_house_place(plan, card);
    pli_grid_mesh_def grid = {.split = PLI_GRID_MESH_SIX};
    for (int k = 0; k < 3; ++k) {
        grid.cells[k] = plan->cells[k];
        grid.bounds.min[k] = -0.5 * place.size[k];
        grid.bounds.max[k] = 0.5 * place.size[k];
    }
    PLI_TRY(pli_grid_mesh_create(context, &grid, mesh));
    static const double axis[3] = {0, 0, 1};
    double R[9];
    pli_mat3_rotation(axis, place.angle, R);
    pli_status status = pli_tet_mesh_transform(*mesh, R, place.center);
    if (status == PLI_OK) return PLI_OK;
    pli_tet_mesh_destroy(*mesh);
    *mesh = NULL;
    return status;
}
