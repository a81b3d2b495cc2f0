// SPDX-License-Identifier: Apache-2.0
//
// Several boxes of tetrahedra as one model: what self-collisions are tried out on.
#ifndef PLI_TESTS_BODIES_H
#define PLI_TESTS_BODIES_H

#include "near.h"

#include "base/random.h"
#include "contact/self_collision.h"
#include "geometry/generate/grid_mesh.h"
#include "geometry/mesh/surface.h"

enum { BODIES_MAX = 8 };

typedef struct bodies {
    pli_context *context;
    int32_t vertex_count, tet_count, body_count, triangle_count;
    double *rest; // [vertex_count][3]
    double *x;    // [vertex_count][3]
    int32_t *tets;
    int32_t *triangles;
    int32_t first_vertex[BODIES_MAX + 1];
    int32_t first_tet[BODIES_MAX + 1];
    pli_self_collision *collision;
} bodies;

static inline bodies bodies_start(int32_t thread_count)
{
    return (bodies){.context = make_context(thread_count)};
}

static inline void *bodies_grow(void *memory, int32_t count, size_t size)
{
    void *grown = realloc(memory, (size_t)(count + 1) * size);
    assert_non_null(grown);
    return grown;
}

// Adds a mesh as one more body.
static inline void bodies_add_mesh(bodies *b, const pli_tet_mesh *mesh)
{
    pli_surface *surface = NULL;
    OK(mesh->context, pli_surface_create(mesh, &surface));
    assert_true(b->body_count < BODIES_MAX);
    int32_t v0 = b->vertex_count, t0 = b->tet_count, s0 = b->triangle_count;
    b->vertex_count += mesh->vertex_count;
    b->tet_count += mesh->tet_count;
    b->triangle_count += surface->triangle_count;
    b->rest = bodies_grow(b->rest, b->vertex_count, 3 * sizeof *b->rest);
    b->x = bodies_grow(b->x, b->vertex_count, 3 * sizeof *b->x);
    b->tets = bodies_grow(b->tets, b->tet_count, 4 * sizeof *b->tets);
    b->triangles = bodies_grow(b->triangles, b->triangle_count, 3 * sizeof *b->triangles);
    memcpy(b->rest + 3 * v0, mesh->points, 3 * (size_t)mesh->vertex_count * sizeof *b->rest);
    memcpy(b->x + 3 * v0, mesh->points, 3 * (size_t)mesh->vertex_count * sizeof *b->x);
    for (int32_t k = 0; k < 4 * mesh->tet_count; ++k) b->tets[4 * t0 + k] = v0 + mesh->tets[k];
    for (int32_t k = 0; k < 3 * surface->triangle_count; ++k) {
        b->triangles[3 * s0 + k] = v0 + surface->triangles[k];
    }
    ++b->body_count;
    b->first_vertex[b->body_count] = b->vertex_count;
    b->first_tet[b->body_count] = b->tet_count;
    pli_surface_destroy(surface);
}

// Adds a box of nx x ny x nz cells between two corners.
static inline void bodies_add_box(bodies *b, const double low[3], const double high[3], int32_t nx,
                                  int32_t ny, int32_t nz)
{
    pli_tet_mesh *mesh = NULL;
    pli_grid_mesh_def def = {.cells = {nx, ny, nz}, .split = PLI_GRID_MESH_SIX};
    pli_vec3_copy(low, def.bounds.min);
    pli_vec3_copy(high, def.bounds.max);
    OK(b->context, pli_grid_mesh_create(b->context, &def, &mesh));
    bodies_add_mesh(b, mesh);
    pli_tet_mesh_destroy(mesh);
}

// Adds a body of one tetrahedron.
static inline void bodies_add_tet(bodies *b, const double points[12])
{
    static const int32_t corners[4] = {0, 1, 2, 3};
    pli_tet_mesh *mesh = NULL;
    pli_tet_mesh_def def = {.vertex_count = 4,
                            .points = points,
                            .tet_count = 1,
                            .tets = corners,
                            .turn_inverted = true};
    OK(b->context, pli_tet_mesh_create(b->context, &def, NULL, &mesh));
    bodies_add_mesh(b, mesh);
    pli_tet_mesh_destroy(mesh);
}

static inline pli_self_collision_def bodies_def(const bodies *b, bool self)
{
    return (pli_self_collision_def){.vertex_count = b->vertex_count,
                                    .rest = b->rest,
                                    .tet_count = b->tet_count,
                                    .tets = b->tets,
                                    .body_count = b->body_count,
                                    .first_vertex = b->first_vertex,
                                    .first_tet = b->first_tet,
                                    .triangle_count = b->triangle_count,
                                    .triangles = b->triangles,
                                    .stiffness = 1e4,
                                    .friction = 0.3,
                                    .self = self};
}

static inline void bodies_build(bodies *b, bool self)
{
    pli_self_collision_def def = bodies_def(b, self);
    OK(b->context, pli_self_collision_create(b->context, &def, &b->collision));
}

static inline void bodies_clear(bodies *b)
{
    pli_self_collision_destroy(b->collision);
    pli_context_destroy(b->context);
    free(b->rest);
    free(b->x);
    free(b->tets);
    free(b->triangles);
}

// Moves a body.
static inline void bodies_shift(bodies *b, int32_t body, double dx, double dy, double dz)
{
    const double shift[3] = {dx, dy, dz};
    for (int32_t v = b->first_vertex[body]; v < b->first_vertex[body + 1]; ++v) {
        pli_vec3_add(b->x + 3 * v, shift, b->x + 3 * v);
    }
}

// Adds normal noise to all positions.
static inline void bodies_shake(bodies *b, uint64_t stream, double size)
{
    pli_random random = {81, stream};
    for (int32_t k = 0; k < 3 * b->vertex_count; ++k) {
        b->x[k] += size * pli_random_normal(random, (uint64_t)k);
    }
}

static inline int32_t bodies_of_vertex(const bodies *b, int32_t vertex)
{
    int32_t body = 0;
    while (vertex >= b->first_vertex[body + 1]) ++body;
    return body;
}

#endif
