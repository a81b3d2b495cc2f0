// SPDX-License-Identifier: Apache-2.0
//
// Boxes of tetrahedra, partitioned into blocks by hand, for tests of bases.
#ifndef PLI_TESTS_MULTILEVEL_BLOCKS_H
#define PLI_TESTS_MULTILEVEL_BLOCKS_H

#include "near.h"

#include "geometry/generate/grid_mesh.h"
#include "linear/direct/cholesky.h"
#include "math/vec3.h"
#include "multilevel/bases.h"
#include "support/fault.h"

// What a box is made of.
typedef struct blocks_def {
    int32_t cells[3];  // of 1 m
    int32_t counts[3]; // blocks along x, y, z
    int32_t layers;    // bottom and top layers of so many cells are one block each; 0: none
    bool has_slit;     // the middle column of cells along x is missing up to four fifths of y
} blocks_def;

typedef struct blocks {
    pli_context *context;
    pli_tet_mesh *mesh;
    pli_partition partition;
    double *stiffness; // [tet_count] (Pa)
    uint8_t *fixed;    // [vertex_count]
} blocks;

static inline void *blocks_new(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    assert_non_null(memory);
    return memory;
}

// Takes away the elements of the slit.
static inline void blocks_cut(blocks *b, const blocks_def *def)
{
    int32_t *tets = blocks_new(4 * (size_t)b->mesh->tet_count, sizeof *tets);
    int32_t count = 0;
    for (int32_t k = 0; k < b->mesh->tet_count; ++k) {
        double x[3];
        pli_tet_centroid(b->mesh->points, b->mesh->tets + 4 * k, x);
        bool in_slit = (int32_t)x[0] == def->cells[0] / 2 && x[1] < 0.8 * def->cells[1];
        if (!in_slit) memcpy(tets + 4 * count++, b->mesh->tets + 4 * k, 4 * sizeof *tets);
    }
    pli_tet_mesh *cut = NULL;
    pli_tet_mesh_def mesh = {
        b->mesh->vertex_count, b->mesh->points, count, tets, NULL, false, NULL};
    OK(b->context, pli_tet_mesh_create(b->context, &mesh, NULL, &cut));
    pli_tet_mesh_destroy(b->mesh);
    b->mesh = cut;
    free(tets);
}

static inline int32_t blocks_part_of(const blocks_def *def, const double x[3])
{
    int32_t inner = def->counts[0] * def->counts[1] * def->counts[2];
    if (def->layers > 0 && x[2] < def->layers) return inner;
    if (def->layers > 0 && x[2] > def->cells[2] - def->layers) return inner + 1;
    int32_t at[3];
    for (int k = 0; k < 3; ++k) {
        double low = k == 2 ? def->layers : 0;
        at[k] = (int32_t)((x[k] - low) * def->counts[k] / (def->cells[k] - 2 * low));
    }
    return at[0] + def->counts[0] * (at[1] + def->counts[1] * at[2]);
}

static inline void blocks_assign(blocks *b, const blocks_def *def)
{
    pli_partition *p = &b->partition;
    p->context = b->context;
    p->vertex_count = b->mesh->vertex_count;
    p->element_count = b->mesh->tet_count;
    p->count = def->counts[0] * def->counts[1] * def->counts[2] + (def->layers > 0 ? 2 : 0);
    p->element_part = blocks_new((size_t)p->element_count, sizeof *p->element_part);
    p->vertex_part = blocks_new((size_t)p->vertex_count, sizeof *p->vertex_part);
    p->centers = blocks_new((size_t)p->count, sizeof *p->centers);
    p->volume = blocks_new((size_t)p->count, sizeof *p->volume);
    double *most = blocks_new((size_t)p->vertex_count * (size_t)p->count, sizeof *most);
    for (int32_t k = 0; k < p->element_count; ++k) {
        const int32_t *tet = b->mesh->tets + 4 * k;
        double x[3];
        pli_tet_centroid(b->mesh->points, tet, x);
        int32_t part = blocks_part_of(def, x);
        double volume = pli_tet_volume_at(b->mesh->points, tet);
        p->element_part[k] = part;
        p->volume[part] += volume;
        for (int c = 0; c < 4; ++c) most[(int64_t)tet[c] * p->count + part] += volume;
    }
    for (int64_t v = 0; v < p->vertex_count; ++v) {
        for (int32_t part = 1; part < p->count; ++part) {
            const double *row = most + v * p->count;
            if (row[part] > 1.000001 * row[p->vertex_part[v]]) p->vertex_part[v] = part;
        }
    }
    free(most);
}

// Centres are the vertices of a block nearest to its middle.
static inline void blocks_set_centers(blocks *b)
{
    pli_partition *p = &b->partition;
    double(*middle)[3] = blocks_new((size_t)p->count, sizeof *middle);
    double *best = blocks_new((size_t)p->count, sizeof *best);
    for (int32_t part = 0; part < p->count; ++part) best[part] = INFINITY;
    for (int32_t k = 0; k < p->element_count; ++k) {
        int32_t part = p->element_part[k];
        double x[3];
        pli_tet_centroid(b->mesh->points, b->mesh->tets + 4 * k, x);
        double volume = pli_tet_volume_at(b->mesh->points, b->mesh->tets + 4 * k);
        pli_vec3_add_scaled(middle[part], volume / p->volume[part], x, middle[part]);
    }
    for (int32_t k = 0; k < 4 * p->element_count; ++k) {
        int32_t part = p->element_part[k / 4];
        int32_t vertex = b->mesh->tets[k];
        double distance = pli_vec3_distance(b->mesh->points + 3 * vertex, middle[part]);
        if (!(distance < best[part])) continue;
        best[part] = distance;
        p->centers[part] = vertex;
    }
    free(middle);
    free(best);
}

static inline blocks make_blocks(pli_context *context, const blocks_def *def)
{
    blocks b = {.context = context};
    pli_grid_mesh_def mesh = {.bounds = {{0, 0, 0}, {def->cells[0], def->cells[1], def->cells[2]}},
                              .cells = {def->cells[0], def->cells[1], def->cells[2]},
                              .split = PLI_GRID_MESH_FIVE};
    OK(context, pli_grid_mesh_create(context, &mesh, &b.mesh));
    if (def->has_slit) blocks_cut(&b, def);
    blocks_assign(&b, def);
    blocks_set_centers(&b);
    b.stiffness = blocks_new((size_t)b.mesh->tet_count, sizeof *b.stiffness);
    b.fixed = blocks_new((size_t)b.mesh->vertex_count, sizeof *b.fixed);
    for (int32_t k = 0; k < b.mesh->tet_count; ++k) b.stiffness[k] = 1e6;
    return b;
}

static inline void clear_blocks(blocks *b)
{
    pli_tet_mesh_destroy(b->mesh);
    free(b->partition.element_part);
    free(b->partition.vertex_part);
    free(b->partition.centers);
    free(b->partition.volume);
    free(b->stiffness);
    free(b->fixed);
    *b = (blocks){0};
}

// Bases of a kind over the blocks, fixed vertices as marked.
static inline pli_bases_def blocks_bases_def(const blocks *b, pli_bases_kind kind)
{
    return (pli_bases_def){
        .kind = kind,
        .mesh = {b->mesh->vertex_count, b->mesh->points, 4, b->mesh->tet_count, b->mesh->tets},
        .stiffness = b->stiffness,
        .partition = &b->partition,
        .fixed = b->fixed,
        .drop = 1e-6};
}

static inline pli_bases *make_bases(const blocks *b, const pli_bases_def *def)
{
    pli_bases *bases = NULL;
    OK(b->context, pli_bases_create(b->context, def, &bases));
    assert_int_equal(bases->vertex_count, b->mesh->vertex_count);
    assert_int_equal(bases->handle_count, b->partition.count);
    return bases;
}

// The weight of a handle at a vertex.
static inline double weight_at(const pli_bases *bases, int32_t vertex, int32_t handle)
{
    for (int64_t k = bases->start[vertex]; k < bases->start[vertex + 1]; ++k) {
        if (bases->handle[k] == handle) return bases->weight[k];
    }
    return 0;
}

static inline double weight_sum(const pli_bases *bases, int32_t vertex)
{
    double sum = 0;
    for (int64_t k = bases->start[vertex]; k < bases->start[vertex + 1]; ++k) {
        sum += bases->weight[k];
    }
    return sum;
}

// The mean over handles of the share of the mesh's volume where they have a weight at all.
static inline double support_fraction(const blocks *b, const pli_bases *bases)
{
    double supported = 0;
    double total = 0;
    for (int32_t k = 0; k < b->mesh->tet_count; ++k) {
        const int32_t *tet = b->mesh->tets + 4 * k;
        double volume = pli_tet_volume_at(b->mesh->points, tet);
        total += volume;
        for (int32_t handle = 0; handle < bases->handle_count; ++handle) {
            double largest = 0;
            for (int c = 0; c < 4; ++c) {
                largest = fmax(largest, fabs(weight_at(bases, tet[c], handle)));
            }
            if (largest > 0) supported += volume;
        }
    }
    return supported / (total * bases->handle_count);
}

#endif
