// SPDX-License-Identifier: Apache-2.0
//
// Coarse spaces for the box of problems.h: cubes of vertices, and cubes of those cubes, with frames
// of odd centres and sizes so that nothing is right by accident.
#ifndef PLI_TESTS_LINEAR_COARSE_BOXES_H
#define PLI_TESTS_LINEAR_COARSE_BOXES_H

#include "unit/linear/problems.h"

#include "linear/multigrid/hierarchy.h"

typedef struct coarse_grid {
    int32_t count[3]; // nodes along the axes
    int32_t width;    // vertices along the edge of a node
} coarse_grid;

static inline coarse_grid make_grid(const box_mesh *mesh, int32_t width)
{
    coarse_grid grid = {.width = width};
    for (int a = 0; a < 3; ++a) grid.count[a] = mesh->cells[a] / width + 1;
    return grid;
}

static inline int32_t grid_size(const coarse_grid *grid)
{
    return grid->count[0] * grid->count[1] * grid->count[2];
}

static inline int32_t grid_node_at(const coarse_grid *grid, const double x[3])
{
    int32_t at[3];
    for (int a = 0; a < 3; ++a) at[a] = (int32_t)(x[a] + 0.5) / grid->width;
    return at[0] + grid->count[0] * (at[1] + grid->count[1] * at[2]);
}

// Where the frame of a node is: centre and size.
static inline void grid_frame(const coarse_grid *grid, int32_t node, double center[3], double *size)
{
    int32_t at[3] = {node % grid->count[0], node / grid->count[0] % grid->count[1],
                     node / (grid->count[0] * grid->count[1])};
    for (int a = 0; a < 3; ++a) center[a] = grid->width * (at[a] + 0.4 + 0.1 * a);
    *size = 0.9 * grid->width + 0.01 * node / grid_size(grid);
}

static inline void set_link(pli_interpolation_map *transfer, int32_t link, int32_t parent,
                            const double center[3], double size, const coarse_grid *coarse)
{
    double parent_center[3];
    double parent_size;
    grid_frame(coarse, parent, parent_center, &parent_size);
    transfer->parent[link] = parent;
    for (int a = 0; a < 3; ++a) {
        transfer->place[4 * link + a] = (center[a] - parent_center[a]) / parent_size;
    }
    transfer->place[4 * link + 3] = size / parent_size;
}

// Piecewise constant links of vertices to cubes, and of cubes to larger ones; widths decreasing in
// number of nodes, each a multiple of the one before.
static inline pli_hierarchy *make_boxes(pli_context *context, const box_mesh *mesh, int32_t dofs,
                                        int32_t level_count, const int32_t *widths)
{
    pli_hierarchy *hierarchy = PLI_NEW(context, pli_hierarchy, 1, "hierarchy");
    assert_non_null(hierarchy);
    hierarchy->context = context;
    hierarchy->dofs = dofs;
    hierarchy->level_count = level_count;
    coarse_grid fine = {0};
    for (int32_t level = 0; level < level_count; ++level) {
        coarse_grid coarse = make_grid(mesh, widths[level]);
        int32_t fine_count = level == 0 ? mesh->vertex_count : grid_size(&fine);
        pli_interpolation_map *transfer = &hierarchy->transfers[level];
        OK(context, pli_interpolation_map_init(context, fine_count, grid_size(&coarse), fine_count,
                                               false, transfer));
        for (int32_t node = 0; node < fine_count; ++node) {
            double center[3];
            double size = 0;
            if (level == 0) {
                pli_vec3_copy(mesh->x + 3 * (int64_t)node, center);
                set_link(transfer, node, grid_node_at(&coarse, center), center, 0, &coarse);
            } else {
                grid_frame(&fine, node, center, &size);
                double corner[3] = {center[0] - 0.4 * fine.width, center[1] - 0.5 * fine.width,
                                    center[2] - 0.6 * fine.width};
                set_link(transfer, node, grid_node_at(&coarse, corner), center, size, &coarse);
            }
            transfer->start[node + 1] = node + 1;
        }
        fine = coarse;
    }
    return hierarchy;
}

// U of a level as a dense matrix, from the unknowns of that level to all coordinates of vertices:
// [3 vertices][dofs nodes], unknown 3 k + c of a node.
static inline double *dense_basis(const pli_hierarchy *hierarchy, int32_t level,
                                  const uint8_t *mask, int64_t *column_count)
{
    const pli_interpolation_map *last = &hierarchy->transfers[level - 1];
    int32_t rows = hierarchy->dofs / 3;
    int64_t vertices = hierarchy->transfers[0].fine_count;
    int64_t n = (int64_t)hierarchy->dofs * last->coarse_count;
    double *U = new_vector(3 * vertices * n);
    for (int64_t vertex = 0; vertex < vertices; ++vertex) {
        // coordinates of the vertex in the frame of its ancestor
        double u[3] = {0, 0, 0};
        int32_t node = (int32_t)vertex;
        for (int32_t l = 0; l < level; ++l) {
            const pli_interpolation_map *transfer = &hierarchy->transfers[l];
            const double *place = transfer->place + 4 * transfer->start[node];
            for (int a = 0; a < 3; ++a) u[a] = place[3] * u[a] + place[a];
            node = transfer->parent[transfer->start[node]];
        }
        double P[4] = {u[0], u[1], u[2], 1};
        for (int c = 0; c < 3; ++c) {
            if (mask != NULL && (mask[vertex] >> c & 1)) continue;
            for (int k = 0; k < rows; ++k) {
                U[(3 * vertex + c) * n + (int64_t)hierarchy->dofs * node + 3 * k + c] =
                    rows == 1 ? 1 : P[k];
            }
        }
    }
    *column_count = n;
    return U;
}

#endif
