// SPDX-License-Identifier: Apache-2.0
//
// What the files of pli_stepper share.
#ifndef PLI_MPM_EXPLICIT_STEPPER_INSIDE_H
#define PLI_MPM_EXPLICIT_STEPPER_INSIDE_H

#include "mpm/explicit/stepper.h"

// The times of a block; ticks since the last call of advance.
typedef struct pli_block_clock {
    int32_t step;        // 0: none chosen yet
    int32_t time;        // of its particles
    int32_t buffer_step; // 0: nothing in the second layer
    int32_t buffer_time;
    int32_t expiry; // of the first copies in its second layer that do
    int32_t listed; // in the sweep's list, -1: not
    bool copies;    // leaves copies behind when it moves
    bool is_copied; // copies stand in for its particles until `time`
    bool is_hasty;  // its step is longer than its stable one
} pli_block_clock;

// A block with a part in a sweep; bits for layers.
typedef struct pli_sweep_block {
    int32_t block;
    uint8_t gives; // layers that act on the grid
    uint8_t takes; // layers that move
    bool copies;
} pli_sweep_block;

// Ways to the blocks around one, the middle being itself; there and back by their sum.
enum { PLI_STEPPER_WAYS = 27 };

// steps from -1 to 1
static inline int32_t pli_stepper_way(int32_t x, int32_t y, int32_t z)
{
    return 9 * (x + 1) + 3 * (y + 1) + z + 1;
}

// The id of copies that expire at a time; there and back.
static inline int32_t pli_stepper_copy_id(int32_t time)
{
    return -1 - time;
}

struct pli_stepper {
    pli_context *context;
    pli_stepper_def def;
    pli_mpm_kind *kinds; // [kind_count]
    pli_paged_grid *grid;
    pli_particles *particles;
    pli_transfer transfer;
    pli_stepper_report report;

    // of blocks
    int32_t clock_count;
    int32_t clock_room;
    pli_block_clock *clocks;    // [clock_room]
    int32_t *around;            // [clock_room][PLI_STEPPER_WAYS] blocks next to each, -1: none
    int32_t *due;               // [clock_room] blocks that are to move now
    pli_particle_place *places; // [PLI_PARTICLE_LAYERS * clock_room]
    pli_sweep_block *listed;    // [clock_room] by colour once complete
    pli_sweep_block *sorted;    // [clock_room]
    pli_particle_copy *copies;  // [clock_room] to be made
    int32_t *moved;             // [clock_room] for the trace, and scratch of scheduling
    int32_t *moved_buffers;     // [clock_room]
    int32_t due_count;

    // of the sweep
    int32_t listed_count;
    int32_t color_start[9];
    int32_t color; // that scatters
    double dt;     // s
    int32_t page_count;
    int32_t page_room;
    uint32_t *pages; // [page_room] codes
};

// Room for what concerns blocks, for as many as there are particle blocks. New ones are at `time`.
// Errors: memory.
PLI_CHECKED pli_status pli_stepper_grow(pli_stepper *stepper, int32_t time);

// Moves the blocks that are due and have the given step, and the buffers that go with it, from
// `time` on.
PLI_CHECKED pli_status pli_stepper_sweep(pli_stepper *stepper, int32_t time, int32_t step);

// All that comes before the sweeps at a time: particles are put where they belong, steps chosen,
// buffers made. `end` is where the call of advance ends.
PLI_CHECKED pli_status pli_stepper_schedule(pli_stepper *stepper, int32_t time, int32_t end);

// The longest step that a block's particles can bear (s).
double pli_stepper_block_limit(const pli_stepper *stepper, int32_t block);

// The neighbour of a block along a way; -1: there is none with particles, or it is the block
// itself.
static inline int32_t pli_stepper_neighbor(const pli_stepper *s, int32_t block, int32_t way)
{
    int32_t other = s->around[PLI_STEPPER_WAYS * block + way];
    return other >= 0 && s->particles->blocks[other].count > 0 ? other : -1;
}

#endif
