// SPDX-License-Identifier: Apache-2.0
//
// Sources of particles: matter that streams out of a shape.
//
// All matter that a source will ever emit is thought of as lying ready upstream, seeded by a
// pattern that fills space (seeding.h) and moving past with the source's velocity v. A particle
// with label p is at p + v t at time t. It comes into being when it leaves the source shape S for
// the last time,
//
//   exit(p) = sup { t : p + v t in S }
//
// and is emitted by the call whose times (t0, t1] contain that one, at p + v t1: it has already
// gone on for the rest of the step. So what a step emits is the volume that S sweeps on its
// downstream side, rate = (area of S's shadow along v) |v|, no matter how time is cut into steps;
// the particles of a stream are a rigid piece of the pattern, at no seam closer to each other than
// in the pattern; and a source has no memory besides the time and the number of particles so far,
// because exit(p) depends on nothing but p. It is found by marching upstream from beyond S, in
// steps that the bound on the slope of S's value allows and at least dx / 16, then by bisection.
//
// Less than the full rate is a spray: each particle is kept with the probability rate / (full
// rate), by a random number of its own, and still stands for the same volume.
//
// A source that moves. Positions and velocity are those in the source's own frame: the caller adds
// where the source is at t1 and how fast it moves.
//
// What it leaves out: forces on the way between the surface and the position at t1; that is a
// difference of second order in the step. Gaps of S narrower than dx / 16 along v may be missed.
//
// Threads: advancing runs in parallel inside; calls for different states may run at once.
#ifndef PLI_MPM_SEED_EMITTER_H
#define PLI_MPM_SEED_EMITTER_H

#include "mpm/seed/seeding.h"

typedef struct pli_emitter pli_emitter;

typedef struct pli_emitter_stream_def {
    const pli_shape *borrowed_shape; // bounded; has to outlive the emitter
    pli_seeding_def seeding;         // pattern, grid, particles a cell
    double velocity[3];              // of what is emitted (m/s), not zero
    double rate;                     // m^3/s, at most the full rate; 0: the full rate
    double start;                    // s
    double end;                      // s, >= start; infinity: never ends
} pli_emitter_stream_def;

// What a checkpoint holds.
typedef struct pli_emitter_state {
    double time;   // up to which everything was emitted (s)
    int64_t count; // particles so far
} pli_emitter_state;

// Whether there is room for a particle at a position (m), which is in the source's frame. Asked
// for one particle after the other, always in the same order.
typedef bool (*pli_emitter_accept_fn)(void *user, const double position[3]);

// Errors: argument (seeding, velocity, times; a shape without bounds or without inside; a rate that
// the source can't have, the message tells the full one), memory.
PLI_CHECKED pli_status pli_emitter_create(pli_context *context, const pli_emitter_stream_def *def,
                                          pli_emitter **emitter);
void pli_emitter_destroy(pli_emitter *emitter);

// Nothing emitted yet, time at the start.
pli_emitter_state pli_emitter_begin(const pli_emitter *emitter);

// Volume that is emitted per time while the source is open (m^3/s). The area of the shadow is
// measured by some 16000 lines; its error is about 1e-3.
double pli_emitter_rate(const pli_emitter *emitter);

// A box around the source (m).
pli_bounds pli_emitter_bounds(const pli_emitter *emitter);

// Emits what leaves the source after the state's time and up to t1 (s), at its positions at t1; the
// state goes on to t1. accept NULL: all are accepted; those that are not are lost. Errors: argument
// (t1 before the state's time or too far from it, too many particles), memory; then the state stays
// as it was.
PLI_CHECKED pli_status pli_emitter_advance(const pli_emitter *emitter, double t1,
                                           pli_emitter_accept_fn accept, void *user,
                                           pli_emitter_state *state, pli_seeding **emitted);

#endif
