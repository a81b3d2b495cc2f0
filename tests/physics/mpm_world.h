// SPDX-License-Identifier: Apache-2.0
//
// A box of explicit MPM for tests of its physics: particles, an axis-aligned room between walls,
// and what can be measured of them.
//
// The room is [0, cells dx] along each axis; its walls are the planes through nodes there, and
// nodes on and behind them belong to the wall. An axis of 0 cells is flat: all nodes are kept from
// moving along it, and there is one layer of particles, each as thick as a cell. Velocities and
// deformations are then exactly those of a plane problem (or, with two such axes, of a bar), per dx
// of thickness. It takes half the particles of a slab of one cell.
//
// Kinds are made first, then the world is built with its time step, then seeded.
#ifndef PLI_TESTS_MPM_WORLD_H
#define PLI_TESTS_MPM_WORLD_H

#include "materials.h"

#include "math/vec3.h"
#include "mpm/explicit/stepper.h"
#include "mpm/grid/grid_collider.h"
#include "mpm/seed/seeding.h"

enum { MPM_KINDS = 4, MPM_COLLIDERS = 4, MPM_BODIES = MPM_COLLIDERS + PLI_GRID_WALLS };

// Nodes of the low walls: 0 to MPM_WALL.
enum { MPM_WALL = 2 };

typedef struct mpm_world {
    pli_context *context;
    pli_shape_set *shapes;
    int32_t cells[3]; // 0: flat
    pli_stepper_def def;
    pli_mpm_kind kinds[MPM_KINDS];
    pli_grid_colliders_def walls; // slippery unless changed before the world is built
    pli_grid_collider colliders[MPM_COLLIDERS];
    pli_grid_colliders *set;
    pli_stepper *stepper;
    double impulses[MPM_BODIES][3]; // given by colliders, then walls, since the start (kg m/s)
} mpm_world;

// Velocity at a point and its gradient, row-major.
typedef void (*mpm_velocity_fn)(const double x[3], double v[3], double C[9]);

// ---- making one

static inline void mpm_world_axis(mpm_world *w, int axis)
{
    static const int32_t edges[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    int32_t cells = w->cells[axis];
    pli_grid_wall *low = &w->walls.walls[2 * axis], *high = low + 1;
    int32_t blocks = 1 + (cells + MPM_WALL + edges[axis] - 1) / edges[axis];
    int32_t last = edges[axis] * (blocks - 1) + 1;
    double dx = w->walls.dx;
    low->hold = high->hold = PLI_GRID_SLIP;
    low->distance = cells > 0 ? MPM_WALL * dx : (0.5 * last - 0.1) * dx;
    high->distance = cells > 0 ? (last - MPM_WALL - cells) * dx : low->distance;
    w->walls.origin[axis] = -MPM_WALL * dx;
    w->walls.blocks[axis] = blocks;
}

static inline mpm_world *mpm_world_make(double dx, int32_t x, int32_t y, int32_t z)
{
    mpm_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(1);
    OK(w->context, pli_shape_set_create(w->context, &w->shapes));
    w->cells[0] = x;
    w->cells[1] = y;
    w->cells[2] = z;
    w->walls.dx = dx;
    w->walls.colliders = w->colliders;
    for (int axis = 0; axis < 3; ++axis) mpm_world_axis(w, axis);
    w->def = pli_stepper_def_default();
    w->def.dx = dx;
    w->def.kinds = w->kinds;
    w->def.particle_room = 1 << 22;
    w->def.is_regional = false;
    w->def.longest = 1;
    memcpy(w->def.blocks, w->walls.blocks, sizeof w->def.blocks);
    return w;
}

static inline void mpm_world_destroy(mpm_world *w)
{
    pli_stepper_destroy(w->stepper);
    pli_grid_colliders_destroy(w->set);
    pli_shape_set_destroy(w->shapes);
    pli_context_destroy(w->context);
    free(w);
}

static inline double mpm_dx(const mpm_world *w)
{
    return w->walls.dx;
}

// Particles a cell, 2 along each axis that is not flat.
static inline int32_t mpm_per_cell(const mpm_world *w)
{
    int32_t count = 8;
    for (int axis = 0; axis < 3; ++axis) count /= w->cells[axis] > 0 ? 1 : 2;
    return count;
}

// Returns the kind's number.
static inline int32_t mpm_world_kind(mpm_world *w, const pli_material *material)
{
    assert_true(w->def.kind_count < MPM_KINDS);
    w->kinds[w->def.kind_count] = (pli_mpm_kind){*material, pow(mpm_dx(w), 3) / mpm_per_cell(w)};
    return w->def.kind_count++;
}

// One step of walls; worlds have one thread.
static inline void mpm_world_constrain(void *user, uint32_t code, float *nodes, double dt)
{
    mpm_world *w = user;
    pli_grid_page page = {.code = code, .nodes = nodes};
    (void)dt;
    pli_paged_grid_coordinates(pli_stepper_particles(w->stepper)->grid, code, page.at);
    OK(w->context, pli_grid_colliders_remember(w->set, 1, &page));
    pli_grid_colliders_apply(w->set, &page, &w->impulses[0][0]);
}

// All steps are of `dt` (s), unless longest and is_regional of the def say otherwise.
static inline void mpm_world_build(mpm_world *w, double dt)
{
    OK(w->context, pli_grid_colliders_create(w->context, &w->walls, &w->set));
    w->def.tick = dt;
    w->def.constrain = mpm_world_constrain;
    w->def.user = w;
    OK(w->context, pli_stepper_create(w->context, &w->def, &w->stepper));
}

// ---- shapes; flat axes are filled whatever a shape has there

static inline const pli_shape *mpm_box(mpm_world *w, const double low[3], const double high[3])
{
    const pli_shape *shape = NULL;
    double center[3], size[3];
    for (int axis = 0; axis < 3; ++axis) {
        bool is_flat = w->cells[axis] == 0;
        double from = is_flat ? 0 : low[axis], to = is_flat ? mpm_dx(w) : high[axis];
        center[axis] = (from + to) / 2;
        size[axis] = to - from;
    }
    OK(w->context, pli_shape_box(w->shapes, center, size, 0, &shape));
    return shape;
}

// A cylinder around the line through (0, y, z) along x, for worlds that are flat in x.
static inline const pli_shape *mpm_disc(mpm_world *w, double y, double z, double radius)
{
    const pli_shape *shape = NULL;
    OK(w->context, pli_shape_cylinder(w->shapes, (double[3]){0, y, z}, (double[3]){mpm_dx(w), y, z},
                                      radius, &shape));
    return shape;
}

static inline const pli_shape *mpm_ball(mpm_world *w, const double center[3], double radius)
{
    const pli_shape *shape = NULL;
    OK(w->context, pli_shape_sphere(w->shapes, center, radius, &shape));
    return shape;
}

// ---- seeding

// In a flat axis the lower of two particles stays, and moves to the middle. False: the upper one.
static inline bool mpm_world_flatten(const mpm_world *w, double x[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        if (w->cells[axis] > 0) continue;
        if (x[axis] > 0.5 * mpm_dx(w)) return false;
        x[axis] = 0.5 * mpm_dx(w);
    }
    return true;
}

static inline pli_particle mpm_world_particle(const mpm_world *w, int32_t kind, const double x[3],
                                              mpm_velocity_fn velocity)
{
    pli_particle p = {.F = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double v[3] = {0, 0, 0}, C[9] = {0};
    p.memory = (float)pli_material_rest_history(&w->kinds[kind].material);
    for (int axis = 0; axis < 3; ++axis) {
        p.position[axis] = (x[axis] - w->walls.origin[axis]) / mpm_dx(w) - 0.5;
    }
    if (velocity != NULL) velocity(x, v, C);
    for (int k = 0; k < 3; ++k) p.v[k] = (float)v[k];
    for (int k = 0; k < 9; ++k) p.C[k] = (float)C[k];
    return p;
}

// Fills a shape with a lattice of 2 particles a cell and axis; velocity NULL: at rest. Returns how
// many there are.
static inline int32_t mpm_world_seed(mpm_world *w, int32_t kind, const pli_shape *shape,
                                     mpm_velocity_fn velocity)
{
    pli_seeding_def def = {.kind = PLI_SEEDING_LATTICE, .dx = mpm_dx(w), .per_cell = 8};
    pli_seeding *seeding = NULL;
    OK(w->context, pli_seeding_create_in_shape(w->context, &def, shape, &seeding));
    pli_particle *particles = calloc((size_t)seeding->count + 1, sizeof *particles);
    assert_non_null(particles);
    int32_t count = 0;
    for (int32_t k = 0; k < seeding->count; ++k) {
        double x[3];
        pli_vec3_copy(seeding->positions + 3 * k, x);
        if (!mpm_world_flatten(w, x)) continue;
        particles[count] = mpm_world_particle(w, kind, x, velocity);
        particles[count].id = count;
        ++count;
    }
    OK(w->context, pli_stepper_add(w->stepper, kind, count, particles));
    free(particles);
    pli_seeding_destroy(seeding);
    return count;
}

// Goes on by so many ticks.
static inline void mpm_world_run(mpm_world *w, int64_t ticks)
{
    OK(w->context, pli_stepper_advance(w->stepper, ticks));
}

// ---- measuring

// A particle in the room's coordinates.
typedef struct mpm_sample {
    int32_t kind;
    double mass;
    double x[3];
    pli_particle particle;
} mpm_sample;

typedef void (*mpm_visit_fn)(void *user, const mpm_world *w, const mpm_sample *sample);

static inline void mpm_world_visit_list(const mpm_world *w, int32_t block, int32_t kind,
                                        mpm_visit_fn visit, void *user)
{
    const pli_particles *p = pli_stepper_particles(w->stepper);
    const pli_particle_list *list = pli_particles_list(p, (pli_particle_place){block, 0}, kind);
    mpm_sample sample = {.kind = kind,
                         .mass = w->kinds[kind].volume * w->kinds[kind].material.density};
    int32_t left = list->count;
    for (int32_t k = list->first; left > 0; k = p->next[k], left -= PLI_PARTICLE_LANES) {
        for (int32_t lane = 0; lane < PLI_PARTICLE_LANES && lane < left; ++lane) {
            pli_particles_get(p, block, k, lane, &sample.particle);
            for (int axis = 0; axis < 3; ++axis) {
                double u = sample.particle.position[axis] + 0.5;
                sample.x[axis] = w->walls.origin[axis] + mpm_dx(w) * u;
            }
            visit(user, w, &sample);
        }
    }
}

static inline void mpm_world_visit(const mpm_world *w, mpm_visit_fn visit, void *user)
{
    const pli_particles *p = pli_stepper_particles(w->stepper);
    for (int32_t block = 0; block < p->block_count; ++block) {
        for (int32_t kind = 0; kind < p->kind_count; ++kind) {
            mpm_world_visit_list(w, block, kind, visit, user);
        }
    }
}

// Sums over all particles. What is affine in a particle's velocity counts as the grid has it, with
// the moment m dx^2 / 4 of quadratic splines.
typedef struct mpm_totals {
    int64_t count;
    double mass;            // kg
    double center[3];       // of mass (m)
    double momentum[3];     // kg m/s
    double angular[3];      // momentum about 0 (kg m^2/s)
    double kinetic;         // of v alone (J)
    double affine;          // kinetic energy of C (J)
    double elastic;         // J
    double low[3], high[3]; // of positions (m)
    double largest_speed;   // m/s
} mpm_totals;

static inline void mpm_totals_add(void *user, const mpm_world *w, const mpm_sample *s)
{
    mpm_totals *t = user;
    double v[3], C[9], F[9], arm[3];
    for (int k = 0; k < 3; ++k) v[k] = (double)s->particle.v[k];
    for (int k = 0; k < 9; ++k) C[k] = (double)s->particle.C[k];
    for (int k = 0; k < 9; ++k) F[k] = (double)s->particle.F[k];
    double moment = s->mass * mpm_dx(w) * mpm_dx(w) / 4;
    pli_vec3_cross(s->x, v, arm);
    ++t->count;
    t->mass += s->mass;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, after = (k + 2) % 3;
        t->center[k] += s->mass * s->x[k];
        t->momentum[k] += s->mass * v[k];
        t->angular[k] += s->mass * arm[k] + moment * (C[3 * after + next] - C[3 * next + after]);
        t->low[k] = fmin(t->low[k], s->x[k]);
        t->high[k] = fmax(t->high[k], s->x[k]);
    }
    for (int k = 0; k < 9; ++k) t->affine += 0.5 * moment * C[k] * C[k];
    t->kinetic += 0.5 * s->mass * pli_vec3_dot(v, v);
    t->elastic += w->kinds[s->kind].volume *
                  material_energy(&w->kinds[s->kind].material, F, (double)s->particle.memory);
    t->largest_speed = fmax(t->largest_speed, pli_vec3_norm(v));
}

static inline mpm_totals mpm_world_measure(const mpm_world *w)
{
    mpm_totals t = {.low = {INFINITY, INFINITY, INFINITY},
                    .high = {-INFINITY, -INFINITY, -INFINITY}};
    mpm_world_visit(w, mpm_totals_add, &t);
    for (int k = 0; k < 3; ++k) t.center[k] /= t.mass;
    return t;
}

static inline double mpm_energy(const mpm_totals *t)
{
    return t->kinetic + t->affine + t->elastic;
}

#endif
