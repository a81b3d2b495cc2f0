// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/implicit_sizes.h"

// nodes whose neighbours are counted, at most
enum { SAMPLES = 4096 };

// ---- counting

static pli_status mark_cells(const pli_cloud_def *def, int64_t count, const double *position,
                             pli_node_grid *cells)
{
    for (int64_t row = 0; row < count; ++row) {
        int32_t base[3];
        for (int k = 0; k < 3; ++k) {
            double u = (position[3 * row + k] - def->origin[k]) / def->dx;
            base[k] = (int32_t)pli_spline_base(def->spline, u);
        }
        PLI_TRY(pli_node_grid_mark(cells, base, 1));
    }
    return pli_node_grid_finish(cells);
}

static pli_status mark_nodes(const pli_node_grid *cells, int32_t width, pli_node_grid *nodes)
{
    for (int64_t cell = 0; cell < cells->count; ++cell) {
        PLI_TRY(pli_node_grid_mark(nodes, cells->at + 3 * cell, width));
    }
    return pli_node_grid_finish(nodes);
}

static int32_t count_neighbors(const pli_node_grid *nodes, int64_t node, int32_t reach)
{
    const int32_t *middle = nodes->at + 3 * node;
    int32_t count = 0, side = 2 * reach + 1;
    for (int32_t k = 0; k < side * side * side; ++k) {
        int32_t at[3] = {middle[0] + k / (side * side) - reach, middle[1] + k / side % side - reach,
                         middle[2] + k % side - reach};
        if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
        count += pli_node_grid_find(nodes, at) >= 0;
    }
    return count;
}

static double mean_neighbors(const pli_node_grid *nodes, int32_t reach)
{
    int64_t stride = 1 + nodes->count / SAMPLES, total = 0, samples = 0;
    for (int64_t node = 0; node < nodes->count; node += stride, ++samples) {
        total += count_neighbors(nodes, node, reach);
    }
    return samples > 0 ? (double)total / (double)samples : 0;
}

pli_status pli_implicit_sizes_count(pli_context *context, const pli_cloud_def *def, int64_t count,
                                    const double *position, pli_implicit_sizes *sizes)
{
    int32_t width = pli_spline_width(def->spline);
    pli_node_grid *cells = NULL, *nodes = NULL;
    *sizes = (pli_implicit_sizes){.particles = count};
    pli_status status = pli_node_grid_create(context, &cells);
    if (status == PLI_OK) status = pli_node_grid_create(context, &nodes);
    if (status == PLI_OK) status = mark_cells(def, count, position, cells);
    if (status == PLI_OK) status = mark_nodes(cells, width, nodes);
    if (status == PLI_OK) {
        sizes->cells = cells->count;
        sizes->nodes = nodes->count;
        sizes->neighbors = mean_neighbors(nodes, width - 1);
    }
    pli_node_grid_destroy(nodes);
    pli_node_grid_destroy(cells);
    return status;
}

// ---- bytes

// Of a slot: f, v, C, F, mass, volume, memory, kind, row and the keys of sorting twice in a cloud,
// then the law's parameters, stress and stiffness. Tangents are kept without a matrix and for
// geometric levels, which have a cloud of all particles each.
static double slot_bytes(const pli_implicit_stepper_def *def)
{
    const double cloud = 27 * 8 + 2 * 4 + 2 * 16, tangent = 45 * 8;
    bool is_geometric = def->source.preconditioner == PLI_NODE_GEOMETRIC_CYCLE;
    double bytes = cloud + 12 * 8;
    if (!def->source.assembled || is_geometric) bytes += tangent;
    if (is_geometric) bytes += cloud * (def->source.multigrid.level_count - 1);
    return bytes;
}

// Of a cell: its nodes, their entries and four numbers for each of them, and lists of cells.
static double cell_bytes(const pli_implicit_stepper_def *def)
{
    int32_t width = pli_spline_width(def->cloud.spline);
    return width * width * width * (4 + 4 + 4 * 8) + 8 * 4;
}

// Of a node, but for the matrix: vectors of the step, what holds it, its diagonal block, and six
// vectors of the minimiser with four of conjugate gradients.
static double node_bytes(void)
{
    return 20 * 8 + sizeof(pli_held_node) + 82 + 16 + 9 * 8 + 10 * 24;
}

// Pairs of L-BFGS, of which there is one more than the window.
static double pair_bytes(const pli_implicit_stepper_def *def)
{
    return def->method == PLI_IMPLICIT_LBFGS ? 2 * (def->window + 1) * 24 : 0;
}

static double slots_of(int32_t reach)
{
    int32_t side = 2 * reach + 1;
    return side * side * side;
}

// Of a row of a matrix: every slot has a column, and nine doubles where it is stored; as soon as
// matter spreads there is room for a quarter more.
static double row_bytes(int32_t reach, bool is_half)
{
    double slots = slots_of(reach);
    return 1.125 * (slots * 4 + (is_half ? (slots + 1) / 2 + reach : slots) * 9 * 8);
}

// Of a row that is smoothed: inverse and symmetric diagonal, masks, and where sweeps read rounded
// copies, a column and nine floats for each block but the diagonal.
static double smooth_bytes(const pli_implicit_stepper_def *def, double blocks)
{
    bool packed =
        def->source.multigrid.single && def->source.multigrid.smoother == PLI_NODE_GAUSS_SEIDEL;
    return 15 * 8 + 3 * 8 + (packed ? 1.25 * (blocks - 1) * (4 + 9 * 4) + 2 * 8 : 0);
}

// Levels above the grid have about a sixth of the nodes of the one below, as bodies have a surface;
// their rows are as full, and they are smoothed but for the last.
static double level_bytes(const pli_implicit_sizes *sizes, const pli_implicit_stepper_def *def)
{
    const pli_node_multigrid_def *multigrid = &def->source.multigrid;
    int32_t fine = pli_spline_width(def->cloud.spline) - 1;
    bool is_wide = multigrid->embedding == PLI_EMBEDDING_QUADRATIC &&
                   def->source.preconditioner == PLI_NODE_EMBEDDED_CYCLE;
    int32_t reach = is_wide ? 3 : 2;
    double fill = sizes->neighbors / slots_of(fine), bytes = 0, nodes = (double)sizes->nodes;
    for (int32_t level = 1; level < multigrid->level_count; ++level) {
        nodes /= 6;
        bytes += nodes * (row_bytes(reach, false) + smooth_bytes(def, fill * slots_of(reach)));
    }
    return bytes;
}

int64_t pli_implicit_sizes_memory(const pli_implicit_sizes *sizes,
                                  const pli_implicit_stepper_def *def)
{
    // the slots of a cell are filled up to a multiple of four
    double slots = (double)sizes->particles + 1.5 * (double)sizes->cells;
    double nodes = (double)sizes->nodes;
    double bytes = 1.25 * (slots * slot_bytes(def) + (double)sizes->cells * cell_bytes(def) +
                           nodes * node_bytes()) +
                   nodes * pair_bytes(def);
    if (def->source.assembled) {
        int32_t reach = pli_spline_width(def->cloud.spline) - 1;
        bytes += nodes * row_bytes(reach, pli_node_source_is_half(&def->source));
    }
    if (def->source.preconditioner >= PLI_NODE_SWEEP) {
        bytes += nodes * smooth_bytes(def, sizes->neighbors);
    }
    if (def->source.preconditioner > PLI_NODE_SWEEP) bytes += level_bytes(sizes, def);
    return (int64_t)bytes;
}
