// SPDX-License-Identifier: Apache-2.0
//
// Particles in blocks of the grid.
//
// A particle belongs to the block that holds the lowest node of its 27. With u = x / dx - 1/2 in
// units of cells from the domain's lowest node, that node is floor(u), and blocks have 4 x 4 x 8
// nodes; so all nodes of a block's particles are among 6 x 6 x 10.
//
// Positions are kept as u from the block's own lowest node, in fixed point with 27 bits behind the
// point: within the domain everywhere as fine as 7e-9 of a cell, so that neither the place in a
// large domain nor a small time step costs accuracy. Everything else is float.
//
// Particles of a block that are of one kind, which is what has the same material, mass and volume,
// form a list of chunks of eight; only the last chunk may have fewer. Chunks are a kilobyte, come
// from one pool that keeps its place in memory as it grows, and go back to it.
//
// Moving. After a step some particles are outside their blocks. pli_particles_settle takes them
// out, makes blocks that are missing, and puts them where they belong, in the order of the blocks
// and places they come from: first into the gaps of those that left, then to the end; gaps that
// stay are closed from there. The outcome does not depend on threads. There is no sort of all
// particles. Blocks that have become empty are given back by pli_particles_drop_empty.
//
// Limits. A particle writes to nodes up to two beyond its lowest, so a block may have particles
// only where the next one along each axis is still in the domain: [0, size (blocks - 1)) in cells.
// Between two settlings it may move by less than PLI_PARTICLE_REACH cells along each axis, which
// takes it no further than the next block. Whoever moves it keeps u from wrapping around: numbers
// too large for it, and those that are none, become the largest or smallest that there are, which
// are out of reach.
//
// Pages. A block's particles write to eight pages, its own and those of the next blocks along each
// axis. When a block is given back its code is kept; once there are many, the memory of pages that
// no block writes to is given back too: never again and again for the same place, and never more
// than a few times what is in use. The grid's table belongs to the particles; entries of codes that
// are kept are negative.
//
// Layers. Lists are in two layers. Particles are added to the first; the second is for those that
// are at another time than their block, and for copies of particles that stand in for them
// meanwhile (stepper.h). Copies have negative ids.
//
// Threads: settling and copying are parallel where it counts; all else is serial.
#ifndef PLI_MPM_EXPLICIT_PARTICLES_H
#define PLI_MPM_EXPLICIT_PARTICLES_H

#include "mpm/grid/paged_grid.h"

// u of a particle that moved too far or has numbers that are not finite
#define PLI_PARTICLE_NOWHERE INT32_MIN

enum {
    PLI_PARTICLE_LANES = 8,
    PLI_PARTICLE_FRACTION_BITS = 27, // of u behind the point
    PLI_PARTICLE_ONE = 1 << PLI_PARTICLE_FRACTION_BITS,
    PLI_PARTICLE_REACH = 4, // cells that a particle may move between two settlings
    PLI_PARTICLE_LAYERS = 2
};

// Eight particles. Lanes beyond the count of the last chunk of a list hold what some particle of
// the same kind once was, numbers that mean nothing but are good for the material; u may be
// anywhere.
typedef struct pli_particle_chunk {
    int32_t u[3][PLI_PARTICLE_LANES];
    float v[3][PLI_PARTICLE_LANES];   // m/s
    float C[9][PLI_PARTICLE_LANES];   // affine velocity (1/s), row-major
    float F[9][PLI_PARTICLE_LANES];   // elastic deformation gradient
    float tau[6][PLI_PARTICLE_LANES]; // Kirchhoff stress 00, 11, 22, 12, 02, 01 (Pa)
    float memory[PLI_PARTICLE_LANES]; // of the material, see law.h
    int32_t id[PLI_PARTICLE_LANES];   // given by whoever added it
} pli_particle_chunk;

_Static_assert(sizeof(pli_particle_chunk) == 1024, "chunks fill pages");

// the particles of one kind in one layer of a block
typedef struct pli_particle_list {
    int32_t first; // chunk, -1: none
    int32_t last;  // chunk
    int32_t count; // particles
    // bounds on what its particles have, which those that leave take along; set by whoever moves
    // them, 0 at first
    float sound2;   // speed of sound, squared (m^2/s^2)
    float speed2;   // speed, squared
    int32_t target; // scratch of settling, -1 otherwise
} pli_particle_list;

typedef struct pli_particle_block {
    int32_t at[3]; // in blocks from the domain's lowest
    uint32_t code; // of the page, see paged_grid.h
    int32_t count; // particles of all kinds and layers
    // of these outside the block; set by whoever moves them, as are the bits of their chunks
    int32_t leaving[PLI_PARTICLE_LAYERS];
} pli_particle_block;

typedef struct pli_particles {
    pli_context *context;
    pli_paged_grid *grid; // borrowed: its table knows the block of a page
    int32_t kind_count;
    int64_t most;  // particles that there is room for
    int64_t count; // particles that were added

    int32_t block_count;
    int32_t block_room;
    pli_particle_block *blocks; // [block_room]
    pli_particle_list *lists;   // [block_room][PLI_PARTICLE_LAYERS][kind_count]
    int32_t left_count;
    uint32_t *left; // [2 * block_room] codes of blocks given back whose pages may have memory

    // the pool
    pli_particle_chunk *chunks; // reserved addresses
    int32_t *next;              // [chunk] in a list or among the free ones, -1: last
    uint8_t *outside;           // [chunk] bits of lanes outside their block; see `leaving`
    int32_t *stashed;           // [chunk] see pli_particles_stash
    int32_t chunk_count;        // ever used
    int32_t chunk_room;         // addresses
    int32_t free_chunk;         // first free one, -1: none

    // particles that are to move to other blocks, since all of them had settled last
    struct pli_particle_lane *stash; // [stash_room] reserved addresses
    int64_t stash_room;
    int64_t stash_count;   // that have been put there, or would have been if there were room
    int64_t stash_settled; // of these

    // scratch of settling
    int64_t source_room;
    struct pli_particle_source *sources; // [source_room]
    int64_t mover_room;
    struct pli_particle_mover *movers;   // [mover_room]
    struct pli_particle_lane *lanes;     // [mover_room] their data
    int64_t *order;                      // [mover_room] movers of each source by their ways
    struct pli_particle_run *runs;       // [mover_room]
    struct pli_particle_target *targets; // [2 * mover_room]
} pli_particles;

// One particle as a record.
typedef struct pli_particle {
    double position[3]; // u, in cells from the domain's lowest node
    float v[3];
    float C[9];
    float F[9];
    float tau[6];
    float memory;
    int32_t id;
} pli_particle;

// A layer of a block.
typedef struct pli_particle_place {
    int32_t block;
    int32_t layer;
} pli_particle_place;

static inline pli_particle_list *pli_particles_list(const pli_particles *particles,
                                                    pli_particle_place place, int32_t kind)
{
    int64_t layer = (int64_t)PLI_PARTICLE_LAYERS * place.block + place.layer;
    return &particles->lists[layer * particles->kind_count + kind];
}

// Room for `most` particles, 1 to 2^31 - 1, is reserved as addresses, not as memory. The grid, two
// blocks or more along each axis, is borrowed and serves one such object at a time. Errors:
// argument, memory.
PLI_CHECKED pli_status pli_particles_create(pli_context *context, pli_paged_grid *grid,
                                            int32_t kind_count, int64_t most,
                                            pli_particles **particles);
void pli_particles_destroy(pli_particles *particles);

// Appends particles. Errors: argument (a position outside of what blocks cover; the message names
// the particle), memory; then none is added.
PLI_CHECKED pli_status pli_particles_add(pli_particles *particles, int32_t kind, int64_t count,
                                         const pli_particle *added);

// Removes all particles and blocks, and keeps the memory for others.
void pli_particles_clear(pli_particles *particles);

// Chooses the layer in which a particle from a place is at home in another block, which may have
// been made just now and then has the largest number there is.
typedef int32_t (*pli_particle_home_fn)(void *user, pli_particle_place from, int32_t block);

// Puts particles that left their blocks where they belong, and sets leaving to 0, for the given
// places, all different, whatever is in others. home NULL: they stay in their layer. Errors: a
// particle left the domain or went out of reach (numeric; the message names it), a wrong number in
// leaving (argument), memory; then all particles are still where they were. Copies that leave the
// domain or go out of reach are dropped.
PLI_CHECKED pli_status pli_particles_settle(pli_particles *particles, int64_t count,
                                            const pli_particle_place *places,
                                            pli_particle_home_fn home, void *user);

// Sets the bits of a chunk whose particles were just moved, and keeps copies of those that are
// outside: settling then has no need to fetch all lines of a chunk from memory for one particle.
// May be called in parallel for different chunks; where copies are does not matter to anybody.
void pli_particles_stash(pli_particles *particles, int32_t chunk, uint32_t bits);

// Sets a block's leaving and the bits of its chunks, for both layers, by looking where its
// particles are.
void pli_particles_recount(pli_particles *particles, int32_t block);

// Copies of the particles in a block's first layer, with one id for all.
typedef struct pli_particle_copy {
    int32_t block;
    int32_t id;
} pli_particle_copy;

// Adds copies to the second layers of blocks, all different.
void pli_particles_copy(pli_particles *particles, int64_t count, const pli_particle_copy *copies);

// Removes the copies of the given id from a block's second layer, and with `joins` moves all that
// are no copies to the first. Returns the largest id of the copies that stay; INT32_MIN: none does.
int32_t pli_particles_sift(pli_particles *particles, int32_t block, int32_t id, bool joins);

// Tells that the memory of a page was given back.
typedef void (*pli_page_forget_fn)(void *user, uint32_t code);

// Gives blocks without particles back, those behind them move up and keep their order; and from
// time to time the memory of pages that nobody writes to. forget NULL: nobody wants to know.
void pli_particles_drop_empty(pli_particles *particles, pli_page_forget_fn forget, void *user);

// A record of lane `lane` of a chunk of a block.
void pli_particles_get(const pli_particles *particles, int32_t block, int32_t chunk, int32_t lane,
                       pli_particle *particle);

#endif
