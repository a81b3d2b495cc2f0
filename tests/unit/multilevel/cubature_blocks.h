// SPDX-License-Identifier: Apache-2.0
//
// Boxes of tetrahedra cut into blocks of cells, with hat functions around the middles of the
// blocks: partitions and bases made by hand, for tests of cubature.
#ifndef PLI_TESTS_MULTILEVEL_CUBATURE_BLOCKS_H
#define PLI_TESTS_MULTILEVEL_CUBATURE_BLOCKS_H

#include "near.h"

#include "base/random.h"
#include "geometry/generate/grid_mesh.h"
#include "multilevel/cubature.h"

typedef struct blocks {
    pli_context *context;
    pli_tet_mesh *mesh;
    int32_t side;      // cells along an edge of a block
    int32_t counts[3]; // blocks along the axes
    int32_t axes;      // hats vary along the first so many axes
    pli_partition partition;
    pli_bases bases;
    pli_cubature_def def;
} blocks;

static inline void *new_items(size_t count, size_t size)
{
    void *items = calloc(count > 0 ? count : 1, size);
    assert_non_null(items);
    return items;
}

static inline int32_t block_of_element(const blocks *b, int32_t tet)
{
    int32_t at[3] = {0};
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += b->mesh->points[3 * b->mesh->tets[4 * tet + k] + axis];
        at[axis] = (int32_t)(sum / (4 * b->side));
    }
    return at[0] + b->counts[0] * (at[1] + b->counts[1] * at[2]);
}

// The hats along one axis at x: of node `first`, and of the one behind it.
static inline void hats_at(const blocks *b, int axis, double x, int32_t *first, double value[2])
{
    double t = x / b->side - 0.5;
    int32_t last = b->counts[axis] - 1;
    t = fmin(fmax(t, 0), last);
    *first = (int32_t)fmin(floor(t), last > 0 ? last - 1 : 0);
    value[1] = t - *first;
    value[0] = 1 - value[1];
}

// Hats of a vertex: products of those along the axes. Nodes are the blocks, along the axes in which
// hats do not vary only those of the first layer.
static inline int64_t add_hats(const blocks *b, int32_t vertex, int64_t end)
{
    int32_t first[3] = {0};
    double value[3][2] = {{1, 0}, {1, 0}, {1, 0}};
    for (int axis = 0; axis < b->axes; ++axis) {
        hats_at(b, axis, b->mesh->points[3 * vertex + axis], &first[axis], value[axis]);
    }
    for (int corner = 0; corner < 8; ++corner) {
        int32_t at[3];
        double weight = 1;
        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = first[axis] + (corner >> axis & 1);
            weight *= value[axis][corner >> axis & 1];
        }
        if (weight == 0) continue;
        b->bases.handle[end] = at[0] + b->counts[0] * (at[1] + b->counts[1] * at[2]);
        b->bases.weight[end++] = weight;
    }
    return end;
}

static inline void make_hats(blocks *b)
{
    int32_t n = b->mesh->vertex_count;
    b->bases.context = b->context;
    b->bases.vertex_count = n;
    b->bases.handle_count = b->partition.count;
    b->bases.start = new_items((size_t)n + 1, sizeof *b->bases.start);
    b->bases.handle = new_items(8 * (size_t)n, sizeof *b->bases.handle);
    b->bases.weight = new_items(8 * (size_t)n, sizeof *b->bases.weight);
    for (int32_t v = 0; v < n; ++v) b->bases.start[v + 1] = add_hats(b, v, b->bases.start[v]);
}

// Blocks of side^3 unit cells of six tetrahedra, whose vertices are moved about so that volumes
// differ.
static inline blocks make_blocks(pli_context *context, int32_t side, int32_t nx, int32_t ny,
                                 int32_t nz, int32_t axes)
{
    blocks b = {.context = context, .side = side, .counts = {nx, ny, nz}, .axes = axes};
    pli_grid_mesh_def def = {.bounds = {{0, 0, 0}, {side * nx, side * ny, side * nz}},
                             .cells = {side * nx, side * ny, side * nz},
                             .split = PLI_GRID_MESH_SIX};
    OK(context, pli_grid_mesh_create(context, &def, &b.mesh));
    int32_t count = b.mesh->tet_count;
    b.partition = (pli_partition){.context = context,
                                  .vertex_count = b.mesh->vertex_count,
                                  .element_count = count,
                                  .count = nx * ny * nz,
                                  .element_part = new_items((size_t)count, sizeof(int32_t))};
    for (int32_t t = 0; t < count; ++t) b.partition.element_part[t] = block_of_element(&b, t);
    for (int32_t k = 0; k < 3 * b.mesh->vertex_count; ++k) {
        b.mesh->points[k] += pli_random_range((pli_random){11, 1}, (uint64_t)k, -0.1, 0.1);
    }
    make_hats(&b);
    b.def = pli_cubature_def_default();
    b.def.mesh = (pli_simplices){b.mesh->vertex_count, b.mesh->points, 4, count, b.mesh->tets};
    return b;
}

// Ties the def to the blocks, which must stay where they are from then on.
static inline const pli_cubature_def *blocks_def(blocks *b)
{
    b->def.partition = &b->partition;
    b->def.bases = &b->bases;
    return &b->def;
}

static inline void clear_blocks(blocks *b)
{
    free(b->partition.element_part);
    free(b->bases.start);
    free(b->bases.handle);
    free(b->bases.weight);
    pli_tet_mesh_destroy(b->mesh);
    *b = (blocks){0};
}

#endif
