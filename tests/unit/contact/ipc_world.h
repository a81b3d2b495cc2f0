// SPDX-License-Identifier: Apache-2.0
//
// Bodies, and perhaps a plane under them, with barrier contact: what pli_ipc is tried out on.
#ifndef PLI_TESTS_IPC_WORLD_H
#define PLI_TESTS_IPC_WORLD_H

#include "bodies.h"

#include "contact/ipc.h"
#include "optimize/objective.h"

typedef struct ipc_world {
    bodies b;
    int32_t *body_of; // [vertex_count]
    double plane[4];
    double friction; // of all pairs
    bool self;       // bodies collide with themselves
    pli_ipc_def def;
    pli_ipc *ipc;
    pli_objective objective; // of the contact alone
} ipc_world;

static inline bool ipc_world_collides(void *user, int32_t first, int32_t second)
{
    return first != second || ((const ipc_world *)user)->self;
}

static inline double ipc_world_friction(void *user, int32_t first, int32_t second)
{
    (void)first;
    (void)second;
    return ((const ipc_world *)user)->friction;
}

// What can be changed before ipc_world_build: dhat 0.1 m, stiffness 100 N/m, no plane, no friction.
static inline ipc_world *ipc_world_make(int32_t thread_count)
{
    ipc_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    *w = (ipc_world){.b = bodies_start(thread_count), .self = true};
    w->def = (pli_ipc_def){.dhat = 0.1, .stiffness = 100};
    w->def.law = (pli_stiffness_def){.mean_mass = 0.1, .step = 0.01, .dhat = 0.1, .diagonal = 3};
    return w;
}

static inline void ipc_world_add_plane(ipc_world *w, double nx, double ny, double nz, double offset)
{
    double length = sqrt(nx * nx + ny * ny + nz * nz);
    const double plane[4] = {nx / length, ny / length, nz / length, offset};
    memcpy(w->plane, plane, sizeof plane);
    w->def.plane_count = 1;
}

// The def of the bodies as they are now. The world must not move in memory any more.
static inline const pli_ipc_def *ipc_world_def(ipc_world *w)
{
    bodies *b = &w->b;
    w->body_of = bodies_grow(w->body_of, b->vertex_count, sizeof *w->body_of);
    for (int32_t v = 0; v < b->vertex_count; ++v) w->body_of[v] = bodies_of_vertex(b, v);
    w->def.vertex_count = b->vertex_count;
    w->def.rest = b->rest;
    w->def.body_count = b->body_count;
    w->def.body_of = w->body_of;
    w->def.triangle_count = b->triangle_count;
    w->def.triangles = b->triangles;
    w->def.planes = w->plane;
    w->def.tet_count = b->tet_count;
    w->def.tets = b->tets;
    w->def.rules.collides = w->self ? NULL : ipc_world_collides;
    w->def.rules.friction = w->friction > 0 ? ipc_world_friction : NULL;
    w->def.rules.user = w;
    return &w->def;
}

static inline void ipc_world_build(ipc_world *w)
{
    OK(w->b.context, pli_ipc_create(w->b.context, ipc_world_def(w), &w->ipc));
    pli_objective_init(&w->objective, w->b.context, w->b.vertex_count);
    pli_objective_add(&w->objective, &pli_ipc_term, w->ipc);
    OK(w->b.context, pli_objective_build_pattern(&w->objective));
}

static inline void ipc_world_destroy(ipc_world *w)
{
    pli_objective_clear(&w->objective);
    pli_ipc_destroy(w->ipc);
    free(w->body_of);
    bodies_clear(&w->b);
    free(w);
}

FIXTURE(ipc_world, ipc_world_make, ipc_world_destroy)

#define TEST_IN_IPC_WORLD(test, threads) TEST_WITH(ipc_world, test, threads)

static inline double ipc_world_energy(ipc_world *w, const double *x)
{
    return pli_sum_value(pli_ipc_term.energy(w->ipc, x));
}

static inline void ipc_world_gradient(ipc_world *w, const double *x, double *g)
{
    memset(g, 0, 3 * (size_t)w->b.vertex_count * sizeof *g);
    pli_ipc_term.add_gradient(w->ipc, x, g);
}

static inline void ipc_world_hessian(ipc_world *w, const double *x, bool projected)
{
    bool changed = false;
    OK(w->b.context, pli_objective_prepare(&w->objective, x, &changed));
    pli_objective_compute_hessian(&w->objective, x, projected);
}

static inline double *ipc_world_vector(const ipc_world *w)
{
    double *v = calloc(3 * (size_t)w->b.vertex_count + 1, sizeof *v);
    assert_non_null(v);
    return v;
}

// A copy of the positions.
static inline double *ipc_world_positions(const ipc_world *w)
{
    double *x = ipc_world_vector(w);
    memcpy(x, w->b.x, 3 * (size_t)w->b.vertex_count * sizeof *x);
    return x;
}

static inline double ipc_world_random(uint64_t stream, uint64_t index)
{
    return pli_random_normal((pli_random){17, stream}, index);
}

// Every body moves as a whole by about `rigid` and every vertex by about `own` besides.
static inline void ipc_world_motion(const ipc_world *w, uint64_t stream, double rigid, double own,
                                    double *d)
{
    for (int32_t v = 0; v < w->b.vertex_count; ++v) {
        uint64_t body = (uint64_t)w->body_of[v];
        for (uint64_t k = 0; k < 3; ++k) {
            d[3 * (uint64_t)v + k] = rigid * ipc_world_random(stream, 3 * body + k) +
                                     own * ipc_world_random(stream + 1000003, 3 * (uint64_t)v + k);
        }
    }
}

// Two boxes and a tetrahedron, one over the other with gaps of some 0.04 m; the ground, when there
// is one, is as far below. Everything is shaken by `noise` (m).
static inline void ipc_world_add_pile(ipc_world *w, int32_t cells, double noise)
{
    bodies *b = &w->b;
    bodies_add_box(b, (double[]){0, 0, 0}, (double[]){1, 0.5, 1}, cells, 1, cells);
    bodies_add_box(b, (double[]){0.2, 0.54, 0.1}, (double[]){1.2, 1, 0.9}, cells, 1, cells);
    bodies_add_tet(b, (double[]){0.5, 1.04, 0.5, 1, 1.2, 0.4, 0.6, 1.3, 0.9, 0.4, 1.5, 0.5});
    bodies_shake(b, 3, noise);
}

#endif
