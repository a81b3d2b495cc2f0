// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/grid_mesh.h"

#include "base/memory.h"

// corners of a cell are numbered by bits: x 1, y 2, z 4
static const int five_even[5][4] = {
    {0, 3, 6, 5}, {1, 0, 5, 3}, {2, 3, 6, 0}, {4, 0, 6, 5}, {7, 5, 6, 3}};

// the six ways from corner 0 to corner 7 along one axis at a time
static const int six[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                              {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

void pli_grid_mesh_cut_cell(const int32_t corners[8], int32_t origin, int32_t *tets)
{
    // every mirrored direction turns the tetrahedra inside out once
    bool turned = ((origin ^ origin >> 1 ^ origin >> 2) & 1) != 0;
    for (int index = 0; index < 6; ++index, tets += 4) {
        for (int k = 0; k < 4; ++k) tets[k] = corners[six[index][k] ^ origin];
        if (turned) pli_tet_turn(tets);
    }
}

static int32_t cell_corner(const pli_grid_mesh_def *def, const int32_t cell[3], int corner)
{
    int32_t i = cell[0] + (corner & 1);
    int32_t j = cell[1] + (corner >> 1 & 1);
    int32_t k = cell[2] + (corner >> 2 & 1);
    return i + (def->cells[0] + 1) * (j + (def->cells[1] + 1) * k);
}

// Corners of one tetrahedron of a cell; odd cells of the five-split are mirrored in x.
static void cell_tet(const pli_grid_mesh_def *def, const int32_t cell[3], int index, int32_t tet[4])
{
    bool five = def->split == PLI_GRID_MESH_FIVE;
    bool mirrored = five && (cell[0] + cell[1] + cell[2]) % 2 != 0;
    for (int k = 0; k < 4; ++k) {
        int corner = five ? five_even[index][k] : six[index][k];
        tet[k] = cell_corner(def, cell, mirrored ? corner ^ 1 : corner);
    }
    if (mirrored) pli_tet_turn(tet);
}

static void fill_points(const pli_grid_mesh_def *def, double *points)
{
    for (int32_t k = 0; k <= def->cells[2]; ++k) {
        for (int32_t j = 0; j <= def->cells[1]; ++j) {
            for (int32_t i = 0; i <= def->cells[0]; ++i) {
                const int32_t index[3] = {i, j, k};
                for (int axis = 0; axis < 3; ++axis) {
                    // both ends are met exactly
                    double t = (double)index[axis] / def->cells[axis];
                    *points++ = (1 - t) * def->bounds.min[axis] + t * def->bounds.max[axis];
                }
            }
        }
    }
}

static void fill_tets(const pli_grid_mesh_def *def, int32_t *tets)
{
    for (int32_t k = 0; k < def->cells[2]; ++k) {
        for (int32_t j = 0; j < def->cells[1]; ++j) {
            for (int32_t i = 0; i < def->cells[0]; ++i) {
                const int32_t cell[3] = {i, j, k};
                for (int index = 0; index < (int)def->split; ++index, tets += 4) {
                    cell_tet(def, cell, index, tets);
                }
            }
        }
    }
}

static pli_status check_def(pli_context *context, const pli_grid_mesh_def *def)
{
    if (def->split != PLI_GRID_MESH_FIVE && def->split != PLI_GRID_MESH_SIX) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a cell is cut into 5 or 6 tetrahedra, not %d",
                        (int)def->split);
    }
    double tets = (double)def->split;
    for (int axis = 0; axis < 3; ++axis) {
        if (def->cells[axis] < 1) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "cells along %c are %d, there must be at least 1", "xyz"[axis],
                            def -> cells[axis]);
        }
        tets *= (double)def->cells[axis] + 1;
    }
    if (tets > INT32_MAX / 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d x %d x %d cells are too many",
                        def->cells[0], def->cells[1], def->cells[2]);
    }
    if (!pli_bounds_is_finite(&def->bounds) || pli_bounds_is_empty(&def->bounds)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "the box of a grid must be finite");
    }
    return PLI_OK;
}

pli_status pli_grid_mesh_create(pli_context *context, const pli_grid_mesh_def *def,
                                pli_tet_mesh **mesh)
{
    *mesh = NULL;
    PLI_TRY(check_def(context, def));
    const int32_t *n = def->cells;
    pli_tet_mesh_def arrays = {
        .vertex_count = (n[0] + 1) * (n[1] + 1) * (n[2] + 1),
        .tet_count = (int32_t)def->split * n[0] * n[1] * n[2],
    };
    double *points = PLI_NEW(context, double, 3 * (int64_t)arrays.vertex_count, "grid points");
    int32_t *tets = PLI_NEW(context, int32_t, 4 * (int64_t)arrays.tet_count, "grid tets");
    pli_status status = PLI_ERROR_MEMORY;
    if (points != NULL && tets != NULL) {
        fill_points(def, points);
        fill_tets(def, tets);
        arrays.points = points;
        arrays.tets = tets;
        status = pli_tet_mesh_create(context, &arrays, NULL, mesh);
    }
    PLI_RELEASE(context, tets, points);
    return status;
}
