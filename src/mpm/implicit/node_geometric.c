// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_geometric.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"
#include "mpm/implicit/node_multigrid_inside.h"
#include "mpm/implicit/node_quadrature.h"

#include <math.h>
#include <string.h>

enum { BLOCK_GRAIN = 4, ROW_GRAIN = 64, NEAR_REACH = 2, NEAR_BOX = 5, CELL_WIDTH = 3 };

typedef struct geometric_level {
    pli_cloud *cloud; // NULL: on level 0, or never used
    pli_ell *matrix;  // the same
    // of the last build
    const pli_node_grid *grid;
    bool *has_matter;       // [node_count]  NULL: all have
    int32_t *row_of_node;   // [nodes of the cloud]  node of the grid
    int32_t *held;          // [node_count]  place in tangents, -1: free; NULL: all are
    const double *tangents; // [held_count][9]  T
} geometric_level;

struct pli_node_geometric {
    pli_context *context;
    const pli_cloud *fine;        // borrowed
    const pli_implicit *implicit; // borrowed
    pli_arena *tables;            // of the last build
    geometric_level levels[PLI_NODE_LEVELS];

    // of the build that is under way
    const pli_cloud_source *source;
    int32_t shift;                           // coarse node I stands on node 2 (I - shift)
    const pli_node_constraints *constraints; // may be NULL
    double inertia;                          // 1/h^2 (1/s^2)
    int32_t *slot_of_row;                    // [source->count]  slots of the finest cloud
};

// ---- life

pli_status pli_node_geometric_create(pli_context *context, const pli_cloud *fine,
                                     const pli_implicit *implicit, pli_node_geometric **geometric)
{
    *geometric = NULL;
    pli_node_geometric *made = PLI_NEW(context, pli_node_geometric, 1, "geometric multigrid");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->fine = fine;
    made->implicit = implicit;
    pli_status status = pli_arena_create(context, 0, &made->tables);
    if (status != PLI_OK) {
        pli_node_geometric_destroy(made);
        return status;
    }
    *geometric = made;
    return PLI_OK;
}

void pli_node_geometric_destroy(pli_node_geometric *geometric)
{
    if (geometric == NULL) return;
    for (int32_t l = 0; l < PLI_NODE_LEVELS; ++l) {
        pli_cloud_destroy(geometric->levels[l].cloud);
        pli_ell_destroy(geometric->levels[l].matrix);
    }
    pli_arena_destroy(geometric->tables);
    pli_release(geometric->context, geometric);
}

int64_t pli_node_geometric_memory(const pli_node_geometric *geometric)
{
    int64_t bytes = pli_arena_peak(geometric->tables);
    for (int32_t l = 1; l < PLI_NODE_LEVELS; ++l) {
        const geometric_level *level = &geometric->levels[l];
        if (level->cloud != NULL) bytes += pli_cloud_memory(level->cloud);
        if (level->matrix != NULL) bytes += pli_ell_memory_bytes(level->matrix);
    }
    return bytes;
}

const pli_cloud *pli_node_geometric_cloud(const pli_node_geometric *geometric, int32_t level)
{
    return geometric->levels[level].cloud;
}

// Cloud and matrix of level l, unless it has them; places them for the embedding.
static pli_status create_level(pli_node_geometric *self, int32_t l)
{
    geometric_level *level = &self->levels[l];
    const pli_cloud *fine = self->fine;
    pli_cloud_def def = {.spline = PLI_SPLINE_QUADRATIC,
                         .dx = ldexp(fine->dx, l),
                         .kind_count = fine->kind_count,
                         .kinds = fine->kinds};
    if (level->cloud == NULL) PLI_TRY(pli_cloud_create(self->context, &def, &level->cloud));
    for (int a = 0; a < 3; ++a) {
        level->cloud->origin[a] = fine->origin[a] - 2 * self->shift * (def.dx - fine->dx);
    }
    if (level->matrix != NULL) return PLI_OK;
    return pli_ell_create(self->context, 0, PLI_QUADRATURE_SLOTS, PLI_QUADRATURE_SLOTS / 2,
                          &level->matrix);
}

// ---- nodes

// Particles of a level, and the nodes that they reach.
static pli_status mark_nodes(void *user, int32_t l, pli_node_grid *grid)
{
    pli_node_geometric *self = user;
    PLI_TRY(create_level(self, l));
    const pli_cloud *cloud = self->levels[l].cloud;
    PLI_TRY(pli_cloud_build(self->levels[l].cloud, self->source));
    for (int64_t cell = 0; cell < cloud->cell_count; ++cell) {
        PLI_TRY(pli_node_grid_mark(grid, cloud->cell_base + 3 * cell, CELL_WIDTH));
    }
    return PLI_OK;
}

static void find_rows(void *user, int64_t begin, int64_t end)
{
    const geometric_level *level = user;
    for (int64_t b = begin; b < end; ++b) {
        const pli_node_block *block = &level->cloud->nodes->blocks[b];
        int32_t rows[PLI_NODE_BLOCK_NODES], low[3], node = block->first;
        for (int a = 0; a < 3; ++a) low[a] = PLI_NODE_EDGE * block->at[a];
        pli_node_grid_find_box(level->grid, low, PLI_NODE_EDGE, rows);
        for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++node) {
            level->row_of_node[node] = rows[__builtin_ctzll(rest)];
        }
    }
}

// Where the nodes of particles are in the grid of a level.
static pli_status link_nodes(pli_node_geometric *self, geometric_level *level)
{
    const pli_node_grid *reached = level->cloud->nodes;
    level->has_matter =
        pli_arena_take(self->tables, level->grid->count, sizeof *level->has_matter, "matter");
    level->row_of_node = pli_arena_ints(self->tables, reached->count, "rows of nodes");
    if (level->has_matter == NULL || level->row_of_node == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(self->context, reached->block_count, BLOCK_GRAIN, find_rows, level);
    return PLI_OK;
}

// ---- the matrix

static pli_status sum_matrix(pli_node_geometric *self, geometric_level *level)
{
    pli_ell *matrix = level->matrix;
    pli_arena_mark mark = pli_arena_begin(self->tables);
    int32_t *cells = pli_arena_ints(self->tables, level->cloud->cell_count, "cells by colours");
    pli_status status =
        cells != NULL ? pli_node_matrix_resize(matrix, level->grid->count) : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        pli_node_grid_neighbors(level->grid, PLI_QUADRATURE_REACH, matrix->column);
        pli_quadrature quadrature = {.cloud = level->cloud,
                                     .implicit = self->implicit,
                                     .inertia = self->inertia,
                                     .slot_of_row = self->slot_of_row,
                                     .row_of_node = level->row_of_node,
                                     .cells = cells};
        pli_quadrature_add(&quadrature, matrix);
    }
    pli_arena_end(self->tables, mark);
    return status;
}

static void find_matter(void *user, int64_t begin, int64_t end)
{
    const geometric_level *level = user;
    const pli_ell *matrix = level->matrix;
    for (int64_t row = begin; row < end; ++row) {
        const double *D = pli_ell_block(matrix, row, matrix->center);
        level->has_matter[row] = pli_mat3_trace(D) > 0;
    }
}

// Takes the columns of pairs out of which one node has no matter.
static void drop_columns(void *user, int64_t begin, int64_t end)
{
    const geometric_level *level = user;
    const pli_ell *matrix = level->matrix;
    for (int64_t slot = begin * matrix->width; slot < end * matrix->width; ++slot) {
        int64_t row = slot / matrix->width, column = matrix->column[slot];
        if (column < 0 || column == row) continue;
        if (level->has_matter[row] && level->has_matter[column]) continue;
        matrix->column[slot] = -1;
    }
}

// ---- constraints

// The node of a level at these coordinates that has matter; -1: none.
static int32_t find_mate(const geometric_level *level, const int32_t at[3])
{
    int32_t node = pli_node_grid_find(level->grid, at);
    return node >= 0 && (level->has_matter == NULL || level->has_matter[node]) ? node : -1;
}

// S += T of a node, or 1 when it is free
static void add_tangent(const geometric_level *level, int32_t node, double S[9])
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    bool is_free = level->held[node] < 0;
    const double *T = is_free ? one : level->tangents + 9 * (int64_t)level->held[node];
    for (int e = 0; e < 9; ++e) S[e] += T[e];
}

// T of a node that stands at `place` of the level below; true: it is not free.
static bool find_tangent(const geometric_level *below, const int32_t place[3], double T[9])
{
    double S[9] = {0};
    int32_t mate = find_mate(below, place);
    if (mate >= 0) {
        memset(T, 0, 9 * sizeof *T);
        add_tangent(below, mate, T);
        return below->held[mate] >= 0;
    }
    for (int32_t n = 0; n < NEAR_BOX * NEAR_BOX * NEAR_BOX; ++n) {
        const int32_t at[3] = {place[0] - NEAR_REACH + n / NEAR_BOX / NEAR_BOX,
                               place[1] - NEAR_REACH + n / NEAR_BOX % NEAR_BOX,
                               place[2] - NEAR_REACH + n % NEAR_BOX};
        int32_t other = find_mate(below, at);
        if (other >= 0) add_tangent(below, other, S);
    }
    return pli_node_find_tangent(S, T);
}

static pli_status hold_nodes(pli_node_geometric *self, const geometric_level *below,
                             geometric_level *level)
{
    int32_t count = level->grid->count, held = 0;
    level->held = NULL;
    if (below->held == NULL) return PLI_OK;
    double *tangents = pli_arena_doubles(self->tables, 9 * (int64_t)count, "held nodes");
    int32_t *places = pli_arena_ints(self->tables, count, "held nodes");
    if (tangents == NULL || places == NULL) return PLI_ERROR_MEMORY;
    for (int64_t node = 0; node < count; ++node) {
        int32_t place[3];
        for (int a = 0; a < 3; ++a) place[a] = 2 * (level->grid->at[3 * node + a] - self->shift);
        bool is_held =
            level->has_matter[node] && find_tangent(below, place, tangents + 9 * (int64_t)held);
        places[node] = is_held ? held++ : -1;
    }
    level->held = places;
    level->tangents = tangents;
    return PLI_OK;
}

// A = T_row A T_column
static void project_rows(void *user, int64_t begin, int64_t end)
{
    const geometric_level *level = user;
    const pli_ell *matrix = level->matrix;
    for (int64_t slot = begin * matrix->width; slot < end * matrix->width; ++slot) {
        int64_t column = matrix->column[slot];
        if (column < 0) continue;
        double half[9], *A = matrix->values + 9 * slot;
        int64_t left = level->held[slot / matrix->width], right = level->held[column];
        if (left >= 0) {
            pli_mat3_multiply(level->tangents + 9 * left, A, half);
            pli_mat3_copy(half, A);
        }
        if (right >= 0) {
            pli_mat3_multiply(A, level->tangents + 9 * right, half);
            pli_mat3_copy(half, A);
        }
    }
}

// ---- levels

static pli_status build_finest(pli_node_geometric *self)
{
    geometric_level *level = &self->levels[0];
    const pli_node_constraints *constraints = self->constraints;
    level->grid = self->fine->nodes;
    level->held = NULL;
    if (constraints == NULL || constraints->count == 0) return PLI_OK;
    int64_t count = level->grid->count;
    level->tangents = constraints->tangents;
    level->held = pli_arena_ints(self->tables, count, "held nodes");
    if (level->held == NULL) return PLI_ERROR_MEMORY;
    memset(level->held, 0xff, (size_t)count * sizeof *level->held);
    for (int32_t k = 0; k < constraints->count; ++k) level->held[constraints->nodes[k]] = k;
    return PLI_OK;
}

static pli_status list_slots(pli_node_geometric *self)
{
    const pli_cloud *fine = self->fine;
    self->slot_of_row = pli_arena_ints(self->tables, fine->count, "slots of particles");
    if (self->slot_of_row == NULL) return PLI_ERROR_MEMORY;
    for (int32_t slot = 0; slot < fine->slot_count; ++slot) {
        if (fine->row[slot] >= 0) self->slot_of_row[fine->row[slot]] = slot;
    }
    return PLI_OK;
}

static pli_status coarsen(void *user, int32_t l, const pli_node_grid *grid, pli_ell **matrix)
{
    pli_node_geometric *self = user;
    geometric_level *level = &self->levels[l];
    if (l == 1) {
        PLI_TRY(build_finest(self));
        PLI_TRY(list_slots(self));
    }
    level->grid = grid;
    PLI_TRY(link_nodes(self, level));
    PLI_TRY(sum_matrix(self, level));
    pli_parallel_for(self->context, grid->count, ROW_GRAIN, find_matter, level);
    pli_parallel_for(self->context, grid->count, ROW_GRAIN, drop_columns, level);
    PLI_TRY(hold_nodes(self, level - 1, level));
    if (level->held != NULL) {
        pli_parallel_for(self->context, grid->count, ROW_GRAIN, project_rows, level);
    }
    *matrix = level->matrix;
    return PLI_OK;
}

static pli_status check_input(const pli_node_geometric *self, const pli_cloud_source *source,
                              double h)
{
    if (source->count != self->fine->count) {
        return PLI_FAIL(self->context, PLI_ERROR_ARGUMENT,
                        "%lld particles for levels over %d; they must be the same",
                        (long long)source->count, (int)self->fine->count);
    }
    bool has_tangents = pli_quadrature_has_tangents(self->implicit);
    if (has_tangents && h > 0 && isfinite(h)) return PLI_OK;
    return PLI_FAIL(self->context, PLI_ERROR_ARGUMENT,
                    "a step of %g s with%s tangents of particles; it must be positive, and "
                    "tangents must be prepared",
                    h, has_tangents ? "" : "out");
}

pli_status pli_node_geometric_build(pli_node_geometric *geometric, const pli_cloud_source *source,
                                    double h, const pli_ell *finest,
                                    const pli_node_constraints *constraints,
                                    pli_node_multigrid *multigrid)
{
    PLI_TRY(check_input(geometric, source, h));
    pli_arena_end(geometric->tables, (pli_arena_mark){0});
    geometric->source = source;
    geometric->shift = pli_node_multigrid_embedding(multigrid) == PLI_EMBEDDING_QUADRATIC;
    geometric->inertia = 1 / (h * h);
    geometric->constraints = constraints;
    pli_node_coarsener coarsener = {geometric, mark_nodes, coarsen};
    return pli_node_multigrid_build_with(multigrid, geometric->fine->nodes, finest, constraints,
                                         &coarsener);
}
