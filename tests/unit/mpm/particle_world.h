// SPDX-License-Identifier: Apache-2.0
//
// Particles that are moved about at random, and after every settling all of them are looked up:
// each one once, in the block where it belongs, with all that it carries. Truth is kept beside them
// in whole numbers, so nothing here needs a tolerance.
#ifndef PLI_TESTS_PARTICLE_WORLD_H
#define PLI_TESTS_PARTICLE_WORLD_H

#include "near.h"

#include "base/random.h"
#include "mpm/explicit/particles.h"

enum { LANES = PLI_PARTICLE_LANES };

static const int32_t block_size[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};

typedef struct world {
    pli_context *context;
    pli_paged_grid *grid;
    pli_particles *particles;
    pli_random random;

    // truth, by id
    int32_t count;
    int32_t *kind;       // [count]
    int64_t (*whole)[3]; // [count] u from the domain's lowest node, in fixed point
    int32_t *seen;       // [count] scratch
} world;

// Settles everything that is in the first layer.
static inline pli_status settle(pli_particles *particles)
{
    static pli_particle_place places[1 << 16];
    assert_true(particles->block_count <= 1 << 16);
    for (int32_t block = 0; block < particles->block_count; ++block) {
        places[block] = (pli_particle_place){block, 0};
    }
    return pli_particles_settle(particles, particles->block_count, places, NULL, NULL);
}

static inline int64_t unit_of(int axis)
{
    return (int64_t)block_size[axis] * PLI_PARTICLE_ONE;
}

// What particles may not reach, in fixed point.
static inline int64_t limit_of(const world *w, int axis)
{
    return unit_of(axis) * (w->grid->blocks[axis] - 1);
}

// A particle whose numbers all follow from its id.
static inline pli_particle make_particle(int32_t id, const double position[3])
{
    pli_particle p = {.memory = (float)id + 0.25f, .id = id};
    for (int k = 0; k < 3; ++k) p.position[k] = position[k];
    for (int k = 0; k < 3; ++k) p.v[k] = (float)(id + k);
    for (int k = 0; k < 9; ++k) p.C[k] = (float)(2 * id + k);
    for (int k = 0; k < 9; ++k) p.F[k] = (float)(3 * id + k);
    for (int k = 0; k < 6; ++k) p.tau[k] = (float)(id - k);
    return p;
}

// ---- worlds

static inline world make_empty_world(pli_context *context, const int32_t blocks[3],
                                     int32_t kind_count, int32_t count)
{
    world w = {.context = context, .random = {5, 1}, .count = count};
    w.kind = calloc((size_t)count, sizeof *w.kind);
    w.whole = calloc((size_t)count, sizeof *w.whole);
    w.seen = calloc((size_t)count, sizeof *w.seen);
    assert_true(w.kind != NULL && w.whole != NULL && w.seen != NULL);
    for (int32_t id = 0; id < count; ++id) {
        w.kind[id] = (int32_t)(pli_random_bits(w.random, (uint64_t)id) >> 33) % kind_count;
        for (int k = 0; k < 3; ++k) {
            uint64_t index = ((uint64_t)k << 40) + (uint64_t)id;
            int64_t limit = (int64_t)block_size[k] * PLI_PARTICLE_ONE * (blocks[k] - 1);
            w.whole[id][k] = (int64_t)(pli_random_bits(w.random, index) >> 1) % limit;
        }
    }
    return w;
}

// Adds all particles, one kind after the other. Stops at the first failure.
static inline pli_status add_particles(world *w)
{
    pli_particle *added = calloc((size_t)w->count, sizeof *added);
    assert_non_null(added);
    pli_status status = PLI_OK;
    for (int32_t kind = 0; kind < w->particles->kind_count && status == PLI_OK; ++kind) {
        int64_t n = 0;
        for (int32_t id = 0; id < w->count; ++id) {
            if (w->kind[id] != kind) continue;
            double position[3];
            for (int k = 0; k < 3; ++k) position[k] = (double)w->whole[id][k] / PLI_PARTICLE_ONE;
            added[n++] = make_particle(id, position);
        }
        status = pli_particles_add(w->particles, kind, n, added);
    }
    free(added);
    return status;
}

static inline world make_world(int32_t threads, const int32_t blocks[3], int32_t kind_count,
                               int32_t count)
{
    world w = make_empty_world(make_context(threads), blocks, kind_count, count);
    OK(w.context, pli_paged_grid_create(w.context, blocks, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, kind_count, count, &w.particles));
    OK(w.context, add_particles(&w));
    return w;
}

static inline void destroy_objects(world *w)
{
    pli_particles_destroy(w->particles);
    if (w->grid != NULL) {
        // the table is left as it was found
        for (uint32_t code = 0; code < w->grid->code_count; ++code) {
            assert_int_equal(w->grid->table[code], 0);
        }
    }
    pli_paged_grid_destroy(w->grid);
    w->particles = NULL;
    w->grid = NULL;
}

static inline void destroy_world(world *w)
{
    destroy_objects(w);
    free(w->kind);
    free(w->whole);
    free(w->seen);
    pli_context_destroy(w->context);
}

// ---- looking and moving

typedef void (*visit_fn)(world *w, int32_t block, int32_t kind, int32_t chunk, int32_t lane);

// Calls visit for every particle; checks that lists are packed and end where they should.
static inline void visit_all(world *w, visit_fn visit)
{
    const pli_particles *p = w->particles;
    for (int32_t block = 0; block < p->block_count; ++block) {
        for (int32_t kind = 0; kind < p->kind_count; ++kind) {
            const pli_particle_list *list =
                pli_particles_list(p, (pli_particle_place){block, 0}, kind);
            int32_t chunk = list->first;
            int32_t last = -1;
            for (int32_t place = 0; place < list->count; ++place) {
                assert_true(chunk >= 0 && chunk < p->chunk_count);
                visit(w, block, kind, chunk, place % LANES);
                last = chunk;
                if (place % LANES == LANES - 1 || place == list->count - 1) chunk = p->next[chunk];
            }
            assert_int_equal(list->last, last);
            assert_int_equal(chunk, -1);
        }
    }
}

static inline void check_particle(world *w, int32_t block, int32_t kind, int32_t chunk,
                                  int32_t lane)
{
    pli_particle got;
    pli_particles_get(w->particles, block, chunk, lane, &got);
    assert_true(got.id >= 0 && got.id < w->count);
    assert_int_equal(w->seen[got.id]++, 0);
    assert_int_equal(w->kind[got.id], kind);
    double position[3];
    for (int k = 0; k < 3; ++k) position[k] = (double)w->whole[got.id][k] / PLI_PARTICLE_ONE;
    pli_particle want = make_particle(got.id, position);
    // all but the padding at the end
    assert_memory_equal(&got, &want, offsetof(pli_particle, id) + sizeof want.id);
}

// Every particle is there once, with its data and at its place.
static inline void check_presence(world *w)
{
    memset(w->seen, 0, (size_t)w->count * sizeof *w->seen);
    visit_all(w, check_particle);
    for (int32_t id = 0; id < w->count; ++id) assert_int_equal(w->seen[id], 1);
    assert_int_equal(w->particles->count, w->count);
}

static inline void check_inside(world *w, int32_t block, int32_t kind, int32_t chunk, int32_t lane)
{
    (void)block;
    (void)kind;
    for (int k = 0; k < 3; ++k) {
        int32_t u = w->particles->chunks[chunk].u[k][lane];
        assert_true(u >= 0 && u < unit_of(k));
    }
    assert_int_equal(w->particles->outside[chunk], 0);
}

static inline void check_blocks(const world *w)
{
    const pli_particles *p = w->particles;
    for (int32_t block = 0; block < p->block_count; ++block) {
        const pli_particle_block *b = &p->blocks[block];
        assert_int_equal(b->code, pli_paged_grid_code(w->grid, b->at));
        assert_int_equal(w->grid->table[b->code], block + 1);
        assert_int_equal(b->leaving[0], 0);
        int32_t count = 0;
        for (int32_t kind = 0; kind < p->kind_count; ++kind) {
            count += pli_particles_list(p, (pli_particle_place){block, 0}, kind)->count;
        }
        assert_int_equal(b->count, count);
    }
}

// Chunks are in a list or free, none is lost.
static inline void check_pool(const world *w)
{
    const pli_particles *p = w->particles;
    int64_t known = 0;
    for (int64_t k = 0; k < (int64_t)p->block_count * PLI_PARTICLE_LAYERS * p->kind_count; ++k) {
        known += (p->lists[k].count + LANES - 1) / LANES;
    }
    for (int32_t chunk = p->free_chunk; chunk >= 0; chunk = p->next[chunk]) ++known;
    assert_int_equal(known, p->chunk_count);
    assert_true(p->chunk_count <= p->chunk_room);
}

static inline void check_world(world *w)
{
    check_presence(w);
    visit_all(w, check_inside);
    check_blocks(w);
    check_pool(w);
}

// Moves a particle by so much, in fixed point, and tells its block when it is outside then.
static inline void move_particle(world *w, int32_t block, int32_t chunk, int32_t lane,
                                 const int64_t by[3])
{
    pli_particle_chunk *c = &w->particles->chunks[chunk];
    bool was_outside = false;
    bool is_outside = false;
    for (int k = 0; k < 3; ++k) {
        was_outside = was_outside || c->u[k][lane] < 0 || c->u[k][lane] >= unit_of(k);
        w->whole[c->id[lane]][k] += by[k];
        c->u[k][lane] += (int32_t)by[k];
        is_outside = is_outside || c->u[k][lane] < 0 || c->u[k][lane] >= unit_of(k);
    }
    w->particles->blocks[block].leaving[0] += is_outside - was_outside;
    uint8_t *bits = &w->particles->outside[chunk], bit = (uint8_t)(1 << lane);
    *bits = (uint8_t)(is_outside ? *bits | bit : *bits & ~bit);
}

static inline bool is_in_domain(const world *w, int axis, int64_t whole)
{
    return whole >= 0 && whole < limit_of(w, axis);
}

// By up to nearly four cells to any side, and not out of the domain.
static inline void move_at_random(world *w, int32_t block, int32_t kind, int32_t chunk,
                                  int32_t lane)
{
    (void)kind;
    int32_t id = w->particles->chunks[chunk].id[lane];
    // most particles stay in their blocks, as they would
    double reach = pli_random_uniform(w->random, (uint64_t)id) < 0.3 ? 3.999 : 0.3;
    int64_t by[3];
    for (int k = 0; k < 3; ++k) {
        uint64_t index = ((uint64_t)(k + 1) << 40) + (uint64_t)id;
        double cells = pli_random_range(w->random, index, -reach, reach);
        by[k] = (int64_t)(cells * PLI_PARTICLE_ONE);
        // back where it would leave, and nowhere where that leaves on the other side
        if (!is_in_domain(w, k, w->whole[id][k] + by[k])) by[k] = -by[k];
        if (!is_in_domain(w, k, w->whole[id][k] + by[k])) by[k] = 0;
    }
    move_particle(w, block, chunk, lane, by);
}

static inline void move_all_at_random(world *w, uint64_t step)
{
    w->random.stream = 100 + step;
    visit_all(w, move_at_random);
}

#endif
