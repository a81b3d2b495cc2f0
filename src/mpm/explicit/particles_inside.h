// SPDX-License-Identifier: Apache-2.0
//
// What the files of pli_particles share: one particle as it is kept, and the growth of lists.
#ifndef PLI_MPM_EXPLICIT_PARTICLES_INSIDE_H
#define PLI_MPM_EXPLICIT_PARTICLES_INSIDE_H

#include "mpm/explicit/particles.h"

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

// What the pool has for a chunk whose particles were not put into the stash, or not for lack of
// room; otherwise it is 1 more than where the first of them is.
enum { PLI_PARTICLE_NOT_STASHED = 0, PLI_PARTICLE_NO_ROOM = -1 };

// A layer of a block that particles left.
typedef struct pli_particle_source {
    pli_particle_place place;
    int32_t found;     // movers in it
    int32_t run_count; // from the same place on as its movers
    int32_t stashed;   // movers that count in the stash
    int64_t first;     // of its movers; it has as many as the place's `leaving`
    int64_t wrong;     // mover that may not go where it went, -1: none
} pli_particle_source;

// A particle that goes to another block.
typedef struct pli_particle_mover {
    int32_t kind;
    int32_t chunk; // where it was
    int32_t place; // in its list
    int32_t way;   // that it goes
} pli_particle_mover;

// Movers of a source that go to one list.
typedef struct pli_particle_run {
    int32_t kind;
    int32_t way;
    int32_t block; // that they come to
    int32_t count;
    int64_t first; // in the order of ways
    int64_t next;  // run to the same list, -1: none
    float sound2;  // bounds of the list that they come from
    float speed2;
} pli_particle_run;

// A list that particles leave or come to.
typedef struct pli_particle_target {
    int64_t list;
    int64_t gaps; // first mover that leaves it
    int32_t gap_count;
    int32_t arrival_count;
    int64_t first_run; // that comes to it, -1: none
    int64_t last_run;
    int32_t chunk; // with the place behind its last particle, once there is one
} pli_particle_target;

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

// Makes a list longer by so many particles, 1 or more, whose lanes are not written. Returns the
// chunk of the first of them. The block's count is up to the caller.
int32_t pli_particles_extend(pli_particles *particles, pli_particle_list *list, int32_t count);

// Puts a chunk and all behind it among the free ones; -1 is legal.
void pli_particles_free_chunks(pli_particles *particles, int32_t first);

// Room for at least `needed`, half as much again as there was when it does not suffice.
static inline int64_t pli_particles_grown(int64_t room, int64_t needed)
{
    int64_t more = room + room / 2;
    return more > needed ? more : needed;
}

#endif
