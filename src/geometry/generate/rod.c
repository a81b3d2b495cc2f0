// SPDX-License-Identifier: Apache-2.0
//
// Vertices stand cross-section by cross-section, (sides + 1)^2 of them in each.
#include "geometry/generate/rod.h"

#include "base/memory.h"
#include "geometry/generate/disc_grid.h"
#include "geometry/generate/grid_mesh.h"

static const double full_turn = 6.28318530717958647693;

// A ring has as many cross-sections as layers, because the last is the first.
static int32_t section_count(const pli_rod_plan *plan)
{
    return plan->closed ? plan->layers : plan->layers + 1;
}

static int64_t rod_vertex(const pli_rod_plan *plan, int32_t section, int32_t i, int32_t j)
{
    int64_t lines = plan->sides + 1;
    return i + lines * (j + lines * (section % section_count(plan)));
}

// Directions along the rod, of i and of j are right-handed: x, y, z, and for a ring the tangent, y
// and inwards.
static void section_point(const pli_rod_plan *plan, int32_t section, const double disc[2],
                          double point[3])
{
    double along = (double)section / plan->layers;
    double aside = plan->radius * disc[1];
    if (!plan->closed) {
        pli_vec3_set((along - 0.5) * plan->length, plan->radius * disc[0], aside, point);
        return;
    }
    double from_axis = plan->length - aside;
    double angle = full_turn * along;
    pli_vec3_set(from_axis * cos(angle), plan->radius * disc[0], from_axis * sin(angle), point);
}

static void fill_points(const pli_rod_plan *plan, double *points)
{
    for (int32_t section = 0; section < section_count(plan); ++section) {
        for (int32_t j = 0; j <= plan->sides; ++j) {
            for (int32_t i = 0; i <= plan->sides; ++i) {
                double disc[2];
                pli_disc_grid_point(plan->sides, i, j, disc);
                section_point(plan, section, disc, points + 3 * rod_vertex(plan, section, i, j));
            }
        }
    }
}

static void fill_tets(const pli_rod_plan *plan, int32_t *tets)
{
    for (int32_t layer = 0; layer < plan->layers; ++layer) {
        for (int32_t cell = 0; cell < plan->sides * plan->sides; ++cell, tets += 24) {
            int32_t i = cell % plan->sides;
            int32_t j = cell / plan->sides;
            int32_t corners[8];
            for (int c = 0; c < 8; ++c) {
                corners[c] =
                    (int32_t)rod_vertex(plan, layer + (c & 1), i + (c >> 1 & 1), j + (c >> 2));
            }
            int32_t origin = (pli_disc_grid_is_lower(plan->sides, i) ? 2 : 0) |
                             (pli_disc_grid_is_lower(plan->sides, j) ? 4 : 0);
            pli_grid_mesh_cut_cell(corners, origin, tets);
        }
    }
}

pli_status pli_rod_check(pli_context *context, const pli_rod_plan *plan)
{
    static const double most = 1e7;
    const char *what = plan->closed ? "ring" : "rod";
    if (!(plan->length > 0) || !(plan->radius > 0) || !isfinite(plan->length + plan->radius)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "lengths of a %s are %g and %g, must be positive", what, plan->length,
                        plan->radius);
    }
    if (plan->closed && !(plan->radius < plan->length)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the tube of a ring has radius %g, must be less than the ring's, %g",
                        plan->radius, plan->length);
    }
    if (plan->sides < 2 || plan->sides % 2 != 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "sides of a %s are %d; there must be an even number of them", what,
                        (int)plan->sides);
    }
    int32_t fewest = plan->closed ? 3 : 1;
    if (plan->layers < fewest) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "layers of a %s are %d, must be at least %d",
                        what, (int)plan->layers, (int)fewest);
    }
    double cells = (plan->sides + 1.0) * (plan->sides + 1.0) * (plan->layers + 1.0);
    if (cells <= most) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%.0f cells are too many; allowed are %.0f", cells,
                    most);
}

pli_status pli_rod_create(pli_context *context, const pli_rod_plan *plan, pli_tet_mesh **mesh)
{
    *mesh = NULL;
    PLI_TRY(pli_rod_check(context, plan));
    int32_t lines = plan->sides + 1;
    pli_tet_mesh_def arrays = {.vertex_count = section_count(plan) * lines * lines,
                               .tet_count = 6 * plan->layers * plan->sides * plan->sides};
    double *points = PLI_NEW(context, double, 3 * (int64_t)arrays.vertex_count, "rod points");
    int32_t *tets = PLI_NEW(context, int32_t, 4 * (int64_t)arrays.tet_count, "rod tets");
    pli_status status = PLI_ERROR_MEMORY;
    if (points != NULL && tets != NULL) {
        fill_points(plan, points);
        fill_tets(plan, tets);
        arrays.points = points;
        arrays.tets = tets;
        status = pli_tet_mesh_create(context, &arrays, NULL, mesh);
    }
    PLI_RELEASE(context, tets, points);
    return status;
}
