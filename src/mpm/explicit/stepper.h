// SPDX-License-Identifier: Apache-2.0
//
// Explicit steps of particles on a grid (symplectic Euler), every region at a step that it can
// bear (Fang et al. 2018), or all at the smallest of them.
//
// Time is counted in ticks. A block moves in steps of a power of two of ticks, at times that are
// multiples of its step, and its step is the longest that
//
//   dt <= alpha dx / c,   dt <= beta dx / |v|        (equations 3 and 10)
//   dt <= alpha dx^2 / ((8/3) viscosity / rho)
//
// allow for all its particles. It may be halved whenever the block has just been moved, and doubled
// when the time is a multiple of the double. At every time the blocks that are due move, those
// of the longest step first.
//
// What a block needs of its 26 neighbours is their particles at the same time. Neighbours of
// shorter step are there: they have not moved yet. A neighbour of longer step is ahead of time;
// when it moved, it left a copy of its particles behind, its buffer, which moves along with the
// shortest step around it and is thrown away when time has caught up (Fang et al. 2018). Buffers
// never act on particles of longer steps.
//
// Particles that cross (Fang et al. 2018). Every particle exists once; copies are marked as such.
//   - One that comes from a longer step into a block of shorter step is ahead of time: it stays
//     where it was until then, and its copy crosses in its stead, and expires when it comes.
//   - One that comes from a shorter step into a block that is ahead of time travels with that
//     block's buffer until both are at the same time, and joins it.
// So no particle is ever lost or doubled, unlike with the paper's pools, where one that is stepped
// in two ways may end in both blocks or in none.
//
// What is lost. At nodes where a long step meets stiff matter of a short one, it feels that
// matter's force of one moment for longer than that matter could bear, and what it gives to a
// buffer is thrown away: energy and momentum are off there by some percent of what passes, and by
// much of it where a stiff body rests against a soft one. With is_guarded, the default, a ring of
// blocks around takes the short step too, so that regions meet in matter of one kind, where forces
// change little in a step. The paper does without.
//
// Blocks that have become empty are given back at the end of a call, and within one, once they are
// many, at times that are multiples of the longest step, when all particles are at the same time;
// and so, from time to time, are pages that nobody writes to any more.
//
// With one step for all (is_regional false) the same code runs with the smallest step everywhere,
// and where all steps are equal the bits are too (Fang et al. 2018).
//
// Threads: parallel inside; the same bits for any number of them.
#ifndef PLI_MPM_EXPLICIT_STEPPER_H
#define PLI_MPM_EXPLICIT_STEPPER_H

#include "mpm/grid/transfer.h"

enum { PLI_STEPPER_LEVELS = 24 };

// One sweep, as a trace tells it: the blocks that moved, and those whose buffers did. Numbers of
// blocks hold until the next time that is a multiple of the longest step.
typedef struct pli_stepper_event {
    int64_t time;  // ticks since the stepper was made
    int32_t step;  // ticks
    int32_t count; // blocks that moved
    int32_t buffer_count;
    const int32_t *blocks;        // [count]
    const int32_t *buffer_blocks; // [buffer_count]
} pli_stepper_event;

// What a sweep is about to do.
typedef struct pli_stepper_sweep_info {
    int64_t time; // ticks since the last call of pli_stepper_advance
    int32_t step; // ticks
    int32_t page_count;
    const uint32_t *pages; // [page_count] codes of the pages that it works on
} pli_stepper_sweep_info;

typedef struct pli_stepper_def {
    double dx;                 // m
    int32_t blocks[3];         // of the domain, see particles.h for what is left free
    double gravity[3];         // m/s^2
    int32_t kind_count;        // 1 or more
    const pli_mpm_kind *kinds; // [kind_count]
    int64_t particle_room;
    double tick;            // s
    int32_t longest;        // step in ticks, a power of two
    double sound_share;     // alpha, in (0, 1]
    double advection_share; // beta, in (0, 1]
    bool is_regional;
    bool is_guarded; // regions: blocks next to a shorter step take it too

    // called before every sweep, by itself; what is not PLI_OK ends the call of advance. NULL: none
    pli_status (*begin)(void *user, const pli_stepper_sweep_info *sweep);
    // changes velocities of a page's nodes, for walls and the like; called in parallel; NULL: none
    void (*constrain)(void *user, uint32_t code, float *page, double dt);
    void (*trace)(void *user, const pli_stepper_event *event); // NULL: none
    void *user;
    // tells that the memory of a page that nobody writes to was given back; serial; NULL: none
    void (*forget)(void *user, uint32_t code);
} pli_stepper_def;

typedef struct pli_stepper pli_stepper;

// What was done since the stepper was made.
typedef struct pli_stepper_report {
    int64_t time;             // ticks
    int64_t sweeps;           // of all steps
    int64_t block_updates;    // blocks moved
    int64_t particle_updates; // particles moved
    int64_t buffer_updates;   // particles of buffers moved
    int64_t hasty_updates;    // of block_updates: a tick is longer than its stable step
    int64_t blocks_by_step[PLI_STEPPER_LEVELS]; // block updates of 2^k ticks
    double schedule_seconds;                    // of all that is not transfer
    double transfer_seconds;
} pli_stepper_report;

// alpha = beta = 0.5, longest 1024, gravity none, regional, guarded.
pli_stepper_def pli_stepper_def_default(void);

// Errors: argument, memory.
PLI_CHECKED pli_status pli_stepper_create(pli_context *context, const pli_stepper_def *def,
                                          pli_stepper **stepper);
void pli_stepper_destroy(pli_stepper *stepper);

// Adds particles with ids from 0 on; tau of theirs is made here, memory is as given (see
// pli_material_rest_history). Others stay as they are. Errors: as for pli_particles_add.
PLI_CHECKED pli_status pli_stepper_add(pli_stepper *stepper, int32_t kind, int64_t count,
                                       const pli_particle *added);

// Removes all particles and forgets the report; what was allocated is kept for others.
void pli_stepper_clear(pli_stepper *stepper);

// From now on ticks are of this length (s). Errors: argument.
PLI_CHECKED pli_status pli_stepper_set_tick(pli_stepper *stepper, double tick);

// The longest step that all blocks bear (s); infinity: nothing limits it.
double pli_stepper_limit(const pli_stepper *stepper);

// What the next call of advance will do first with a block.
typedef struct pli_stepper_plan {
    int32_t step; // ticks
    bool copies;  // it leaves copies behind
} pli_stepper_plan;

// Tells with which steps advance(ticks) would begin; plans has room for all blocks. Errors:
// argument, memory.
PLI_CHECKED pli_status pli_stepper_preview(pli_stepper *stepper, int64_t ticks,
                                           pli_stepper_plan *plans);

// Goes on by so many ticks, at the end of which all particles are at the same time. Errors: numeric
// (a particle left the domain or its numbers broke down; the message names it), memory. Then all
// particles are still there, each once, though those of different steps may be at different times;
// the report's time is that of the last success.
PLI_CHECKED pli_status pli_stepper_advance(pli_stepper *stepper, int64_t ticks);

// Lifetime: the stepper's; all in the first layer, between calls.
const pli_particles *pli_stepper_particles(const pli_stepper *stepper);
pli_stepper_report pli_stepper_get_report(const pli_stepper *stepper);

#endif
