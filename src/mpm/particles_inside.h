// SPDX-License-Identifier: Apache-2.0
//
// What the files of pli_particles share: one particle as it is kept, and the growth of lists.
#ifndef PLI_MPM_PARTICLES_INSIDE_H
#define PLI_MPM_PARTICLES_INSIDE_H

#include "mpm/particles.h"

enum { PLI_PARTICLE_ROWS = sizeof(pli_particle_chunk) / (PLI_PARTICLE_LANES * sizeof(float)) };

// One lane of a chunk, in the order of its rows.
typedef struct pli_particle_lane {
    int32_t u[3];
    float v[3];
    float C[9];
    float F[9];
    float tau[6];
    float memory;
    int32_t id;
} pli_particle_lane;

_Static_assert(sizeof(pli_particle_lane) == PLI_PARTICLE_ROWS * sizeof(float),
               "a lane has a number of each row of a chunk");

// A block that particles left.
typedef struct pli_particle_source {
    pli_particle_place place;
    int32_t found; // movers in it
    int64_t first; // of its movers; it has as many as the place's `leaving`
    int64_t wrong; // mover that may not go where it went, -1: none
} pli_particle_source;

// A particle that goes to another block.
typedef struct pli_particle_mover {
    uint32_t code; // of the block it goes to
    int32_t block; // the same by its number
    int32_t layer; // that it was in, and once it has a new place, that it goes to
    int32_t kind;
    int32_t chunk; // where it was, and once it has a new place, where it goes
    int32_t place; // in its list, likewise
    bool is_lost;  // a copy that goes nowhere
} pli_particle_mover;

// Nodes of a block along an axis.
static inline int32_t pli_particle_block_size(int axis)
{
    return axis == 2 ? PLI_BLOCK_Z : PLI_BLOCK_X;
}

void pli_particle_lane_read(const pli_particle_chunk *chunk, int32_t lane, pli_particle_lane *data);

// Writes the same to lanes [begin, end).
void pli_particle_lane_write(const pli_particle_lane *data, int32_t begin, int32_t end,
                             pli_particle_chunk *chunk);

// The block of a code, which is made when there is none. Errors: memory.
PLI_CHECKED pli_status pli_particles_find_block(pli_particles *particles, uint32_t code,
                                                int32_t *block);

// Makes a list longer by one particle, whose lane is not written: *chunk, and its place in the list
// as the result. Counts it in the block, too.
int32_t pli_particles_extend(pli_particles *particles, pli_particle_place place, int32_t kind,
                             int32_t *chunk);

// What bounds one list's particles bounds the other's too.
void pli_particle_list_raise(const pli_particle_list *from, pli_particle_list *to);

// Puts a chunk and all behind it among the free ones; -1 is legal.
void pli_particles_free_chunks(pli_particles *particles, int32_t first);

// Room for at least `needed`, half as much again as there was when it does not suffice.
static inline int64_t pli_particles_grown(int64_t room, int64_t needed)
{
    int64_t more = room + room / 2;
    return more > needed ? more : needed;
}

#endif
