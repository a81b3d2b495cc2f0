// SPDX-License-Identifier: Apache-2.0
//
// Particles in a stepper for the tests of steps and regions: boxes of matter, what all particles
// are after a while, each looked up by its id, and their sums in double.
#ifndef PLI_TESTS_STEP_WORLD_H
#define PLI_TESTS_STEP_WORLD_H

#include "materials.h"

#include "base/hash.h"
#include "base/random.h"
#include "math/vec3.h"
#include "mpm/explicit/stepper.h"

enum { WORLD_KINDS = 4, WORLD_PARTICLES = 40000 };

static const int32_t world_block_size[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};

typedef struct step_world {
    pli_context *context;
    pli_mpm_kind kinds[WORLD_KINDS];
    pli_stepper_def def;
    pli_stepper *stepper;
    int32_t count;
    int32_t kind[WORLD_PARTICLES];     // by id
    pli_particle all[WORLD_PARTICLES]; // by id, written by world_collect
} step_world;

// ---- making

// The stable step of a solid at rest (s), by the closed form of linear elasticity (Fang et al.
// 2018).
static inline double world_limit(const step_world *w, double density, double E, double nu)
{
    double c2 = E * (1 - nu) / ((1 + nu) * (1 - 2 * nu) * density);
    return w->def.sound_share * w->def.dx / sqrt(c2);
}

// Cells of 1/16 m, eight particles in each, ticks of 2^-12 s, kinds of one material.
static inline step_world *world_make(pli_context *context, int32_t x, int32_t y, int32_t z)
{
    step_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = context;
    w->def = pli_stepper_def_default();
    w->def.dx = 1.0 / 16;
    w->def.tick = 1.0 / 4096;
    w->def.blocks[0] = x;
    w->def.blocks[1] = y;
    w->def.blocks[2] = z;
    w->def.particle_room = WORLD_PARTICLES;
    w->def.kind_count = 1;
    w->def.kinds = w->kinds;
    for (int k = 0; k < WORLD_KINDS; ++k) {
        w->kinds[k].material = material_solid("fixed-corotated", 1000, 1e4, 0.3);
        w->kinds[k].volume = pow(w->def.dx, 3) / 8;
    }
    return w;
}

static inline void world_create(step_world *w)
{
    OK(w->context, pli_stepper_create(w->context, &w->def, &w->stepper));
}

static inline void world_destroy(step_world *w)
{
    pli_stepper_destroy(w->stepper);
    free(w);
}

static inline pli_particle world_particle(int32_t id, const double position[3])
{
    pli_particle p = {.id = id, .F = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    pli_vec3_copy(position, p.position);
    return p;
}

static inline void world_add(step_world *w, int32_t kind, int32_t count, pli_particle *added)
{
    assert_true(w->count + count <= WORLD_PARTICLES);
    for (int32_t k = 0; k < count; ++k) {
        added[k].id = w->count + k;
        w->kind[added[k].id] = kind;
    }
    OK(w->context, pli_stepper_add(w->stepper, kind, count, added));
    w->count += count;
}

// A box of cells, both ends in cells, with particles 1/n cells apart and a velocity that is
// v + spin x (position - center of the box), cells being dx.
typedef struct world_box {
    double low[3];
    double high[3];
    int32_t per_cell; // along an axis
    double v[3];
    double spin[3];
    double radius; // in cells, of the ball inside; 0: the whole box
} world_box;

static inline void world_set_motion(const step_world *w, const world_box *box, pli_particle *p)
{
    double arm[3], turn[3];
    for (int k = 0; k < 3; ++k) {
        arm[k] = w->def.dx * (p->position[k] - 0.5 * (box->low[k] + box->high[k]));
    }
    pli_vec3_cross(box->spin, arm, turn);
    for (int k = 0; k < 3; ++k) p->v[k] = (float)(box->v[k] + turn[k]);
    const double *s = box->spin;
    const double C[9] = {0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0};
    for (int k = 0; k < 9; ++k) p->C[k] = (float)C[k];
}

static inline void world_add_box(step_world *w, int32_t kind, const world_box *box)
{
    pli_particle *added = calloc(WORLD_PARTICLES, sizeof *added);
    assert_non_null(added);
    int32_t n[3], count = 0;
    double h = 1.0 / box->per_cell;
    for (int k = 0; k < 3; ++k) n[k] = (int32_t)lrint((box->high[k] - box->low[k]) / h);
    for (int32_t i = 0; i < n[0] * n[1] * n[2]; ++i) {
        const int32_t at[3] = {i / (n[1] * n[2]), i / n[2] % n[1], i % n[2]};
        double x[3], arm[3];
        for (int k = 0; k < 3; ++k) x[k] = box->low[k] + h * (at[k] + 0.5);
        for (int k = 0; k < 3; ++k) arm[k] = x[k] - 0.5 * (box->low[k] + box->high[k]);
        if (box->radius > 0 && pli_vec3_norm(arm) > box->radius) continue;
        assert_true(count < WORLD_PARTICLES);
        added[count] = world_particle(0, x);
        added[count].memory = (float)pli_material_rest_history(&w->kinds[kind].material);
        world_set_motion(w, box, &added[count++]);
    }
    world_add(w, kind, count, added);
    free(added);
}

// ---- looking up

typedef void (*world_visit_fn)(void *user, int32_t kind, const pli_particle *p,
                               pli_particle_place place);

static inline void world_visit(const step_world *w, world_visit_fn visit, void *user)
{
    const pli_particles *particles = pli_stepper_particles(w->stepper);
    for (int32_t k = 0; k < particles->block_count * PLI_PARTICLE_LAYERS * w->def.kind_count; ++k) {
        int32_t kind = k % w->def.kind_count, layer = k / w->def.kind_count;
        pli_particle_place place = {layer / PLI_PARTICLE_LAYERS, layer % PLI_PARTICLE_LAYERS};
        const pli_particle_list *list = pli_particles_list(particles, place, kind);
        int32_t chunk = list->first;
        for (int32_t i = 0; i < list->count; ++i) {
            pli_particle p;
            pli_particles_get(particles, place.block, chunk, i % PLI_PARTICLE_LANES, &p);
            visit(user, kind, &p, place);
            if (i % PLI_PARTICLE_LANES == PLI_PARTICLE_LANES - 1) chunk = particles->next[chunk];
        }
    }
}

typedef struct world_census {
    step_world *world;
    uint8_t *seen; // [count]
    int32_t found;
} world_census;

static inline void world_count(void *user, int32_t kind, const pli_particle *p,
                               pli_particle_place place)
{
    world_census *census = user;
    step_world *w = census->world;
    // no copies, and none that waits
    assert_int_equal(place.layer, 0);
    assert_in_range(p->id, 0, w->count - 1);
    assert_int_equal(w->kind[p->id], kind);
    assert_int_equal(census->seen[p->id]++, 0);
    w->all[p->id] = *p;
    ++census->found;
}

// Every particle is there once, in the first layer, and of its kind; all of them go to w->all.
static inline void world_collect(step_world *w)
{
    world_census census = {w, calloc((size_t)w->count + 1, 1), 0};
    assert_non_null(census.seen);
    world_visit(w, world_count, &census);
    assert_int_equal(census.found, w->count);
    assert_int_equal(pli_stepper_particles(w->stepper)->count, w->count);
    free(census.seen);
}

static inline void world_hash_particle(void *user, int32_t kind, const pli_particle *p,
                                       pli_particle_place place)
{
    uint64_t *hash = user;
    *hash = pli_hash_bytes(*hash, &kind, sizeof kind);
    *hash = pli_hash_bytes(*hash, &place, sizeof place);
    *hash = pli_hash_bytes(*hash, p->position, sizeof p->position);
    *hash = pli_hash_bytes(*hash, p->v, sizeof p->v);
    *hash = pli_hash_bytes(*hash, p->C, sizeof p->C);
    *hash = pli_hash_bytes(*hash, p->F, sizeof p->F);
    *hash = pli_hash_bytes(*hash, p->tau, sizeof p->tau);
    *hash = pli_hash_bytes(*hash, &p->memory, sizeof p->memory);
    *hash = pli_hash_bytes(*hash, &p->id, sizeof p->id);
}

// Of all that particles are, in the order in which they are kept.
static inline uint64_t world_hash(const step_world *w)
{
    uint64_t hash = PLI_HASH_START;
    world_visit(w, world_hash_particle, &hash);
    return hash;
}

// ---- sums

typedef struct world_sums {
    double mass;        // kg
    double momentum[3]; // kg m/s
    double spin[3];     // angular momentum about the domain's lowest node (kg m^2/s)
    double speed;       // sum of m |v|, to measure errors of momentum by
    double kinetic;     // of v and of the affine part (J)
    double elastic;     // J
} world_sums;

// With D = dx^2 / 4, the affine part of a particle has the angular momentum m D e_ijk C_kj and the
// kinetic energy m D |C|^2 / 2.
static inline world_sums world_sum(step_world *w)
{
    world_sums s = {0};
    world_collect(w);
    for (int32_t id = 0; id < w->count; ++id) {
        const pli_particle *p = &w->all[id];
        const pli_mpm_kind *kind = &w->kinds[w->kind[id]];
        double m = kind->material.density * kind->volume, D = w->def.dx * w->def.dx / 4;
        double x[3], v[3], C[9], F[9], turn[3];
        for (int k = 0; k < 3; ++k) x[k] = w->def.dx * (p->position[k] + 0.5);
        for (int k = 0; k < 3; ++k) v[k] = (double)p->v[k];
        for (int k = 0; k < 9; ++k) C[k] = (double)p->C[k];
        for (int k = 0; k < 9; ++k) F[k] = (double)p->F[k];
        const double affine[3] = {C[7] - C[5], C[2] - C[6], C[3] - C[1]};
        pli_vec3_cross(x, v, turn);
        for (int k = 0; k < 3; ++k) s.momentum[k] += m * v[k];
        for (int k = 0; k < 3; ++k) s.spin[k] += m * (turn[k] + D * affine[k]);
        for (int k = 0; k < 9; ++k) s.kinetic += 0.5 * m * D * C[k] * C[k];
        s.mass += m;
        s.speed += m * pli_vec3_norm(v);
        s.kinetic += 0.5 * m * pli_vec3_dot(v, v);
        s.elastic += kind->volume * material_energy(&kind->material, F, (double)p->memory);
    }
    return s;
}

static inline void world_advance(step_world *w, int64_t ticks)
{
    OK(w->context, pli_stepper_advance(w->stepper, ticks));
}

#endif
