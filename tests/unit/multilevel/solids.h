// SPDX-License-Identifier: Apache-2.0
//
// Boxes of tetrahedra with the graph of their edges, for tests of coarse spaces.
#ifndef PLI_TESTS_MULTILEVEL_SOLIDS_H
#define PLI_TESTS_MULTILEVEL_SOLIDS_H

#include "near.h"

#include "base/memory.h"
#include "base/random.h"
#include "geometry/generate/grid_mesh.h"
#include "linear/matrix/coloring.h"
#include "math/vec3.h"
#include "support/fault.h"

typedef struct solid {
    pli_context *context;
    pli_tet_mesh *mesh;
    pli_bcsr *matrix; // its rows are the graph
    pli_graph graph;
} solid;

// Some boxes of nx x ny x nz cells beside each other, not connected, with vertices moved about by
// up to a fifth of a cell so that lengths differ.
static inline solid make_solids(pli_context *context, int32_t box_count, int32_t nx, int32_t ny,
                                int32_t nz)
{
    solid s = {.context = context};
    pli_tet_mesh *box = NULL;
    pli_grid_mesh_def def = {
        .bounds = {{0, 0, 0}, {nx, ny, nz}}, .cells = {nx, ny, nz}, .split = PLI_GRID_MESH_FIVE};
    OK(context, pli_grid_mesh_create(context, &def, &box));
    int32_t vertex_count = box_count * box->vertex_count;
    int32_t tet_count = box_count * box->tet_count;
    double *points = malloc(3 * (size_t)vertex_count * sizeof *points);
    int32_t *tets = malloc(4 * (size_t)tet_count * sizeof *tets);
    assert_true(points != NULL && tets != NULL);
    for (int32_t k = 0; k < 3 * vertex_count; ++k) {
        int32_t copy = k / (3 * box->vertex_count);
        points[k] = box->points[k % (3 * box->vertex_count)] + (k % 3 == 0 ? 2 * nx * copy : 0) +
                    pli_random_range((pli_random){7, 1}, (uint64_t)k, -0.1, 0.1);
    }
    for (int32_t k = 0; k < 4 * tet_count; ++k) {
        tets[k] =
            box->tets[k % (4 * box->tet_count)] + k / (4 * box->tet_count) * box->vertex_count;
    }
    pli_tet_mesh_def all = {vertex_count, points, tet_count, tets, NULL, false, NULL};
    OK(context, pli_tet_mesh_create(context, &all, NULL, &s.mesh));
    pli_clique_list list = {4, tet_count, s.mesh->tets};
    OK(context, pli_bcsr_create(context, vertex_count, 1, &list, &s.matrix));
    s.graph = pli_bcsr_graph(s.matrix);
    pli_tet_mesh_destroy(box);
    free(points);
    free(tets);
    return s;
}

static inline void clear_solids(solid *s)
{
    pli_bcsr_destroy(s->matrix);
    pli_tet_mesh_destroy(s->mesh);
    *s = (solid){0};
}

// Zeros, one byte per node.
static inline uint8_t *new_marks(const solid *s)
{
    uint8_t *marks = calloc((uint32_t)s->graph.node_count, 1);
    assert_non_null(marks);
    return marks;
}

static inline float *new_lengths(const solid *s)
{
    float *lengths = malloc((size_t)s->graph.start[s->graph.node_count] * sizeof *lengths);
    assert_non_null(lengths);
    for (int64_t i = 0; i < s->graph.node_count; ++i) {
        for (int64_t k = s->graph.start[i]; k < s->graph.start[i + 1]; ++k) {
            const double *points = s->mesh->points;
            lengths[k] = (float)pli_vec3_distance(points + 3 * i,
                                                  points + 3 * (int64_t)s->graph.neighbor[k]);
        }
    }
    return lengths;
}

// Distances from one node by sweeps until nothing changes.
static inline double *new_distances(const solid *s, const float *lengths, int32_t from)
{
    double *distance = malloc((size_t)s->graph.node_count * sizeof *distance);
    assert_non_null(distance);
    for (int32_t i = 0; i < s->graph.node_count; ++i) distance[i] = i == from ? 0 : INFINITY;
    for (bool changes = true; changes;) {
        changes = false;
        for (int32_t i = 0; i < s->graph.node_count; ++i) {
            for (int64_t k = s->graph.start[i]; k < s->graph.start[i + 1]; ++k) {
                double shorter = distance[s->graph.neighbor[k]] + (double)lengths[k];
                if (!(shorter < distance[i])) continue;
                distance[i] = shorter;
                changes = true;
            }
        }
    }
    return distance;
}

#endif
