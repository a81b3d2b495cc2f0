// SPDX-License-Identifier: Apache-2.0
//
// Between particles and grid: quadratic B-splines, affine velocities (APIC, Jiang et al. 2015)
// and the stress of the moving least squares form (MLS-MPM, Hu et al. 2018).
//
// With w_ip the weight of node i for particle p, d = x_i - x_p and 4 / dx^2 the inverse moment of
// quadratic splines, a particle of mass m and rest volume V gives to a node
//
//   mass       w_ip m
//   momentum   w_ip (m v + (m C - dt (4 / dx^2) V tau) d)
//
// so that the force of its stress over dt is in the momentum already; and it takes, from velocities
// v_i of nodes,
//
//   v = sum_i w_ip v_i          C = (4 / dx^2) sum_i w_ip v_i d^T
//   x <- x + dt v               F <- (I + dt C) F, and what material.h makes of it
//
// A block's particles work on an arena of 6 x 6 x 10 nodes that stays in the first-level cache;
// scattering adds it to the eight pages it overlaps, gathering reads it from them. A vector holds
// four floats (mass and momentum, or velocity) of two nodes that are neighbours along z, so that
// one particle takes eighteen of them for its 27 nodes; what is done once a particle (weights,
// stress, the law) is done for eight at a time.
//
// Nodes of a page are [mass, momentum, velocity, unused].
//
// Threads: blocks whose coordinates are equal modulo 2 share no page; those of one colour may
// scatter at the same time. Any may gather at the same time.
#ifndef PLI_MPM_GRID_TRANSFER_H
#define PLI_MPM_GRID_TRANSFER_H

#include "material/material.h"
#include "mpm/explicit/particles.h"

// Particles that are alike.
typedef struct pli_mpm_kind {
    pli_material material;
    double volume; // of a particle at rest (m^3)
} pli_mpm_kind;

typedef struct pli_transfer {
    pli_particles *particles;
    const pli_mpm_kind *kinds; // [particles->kind_count]
    double dx;                 // m
} pli_transfer;

// The stress of a list's particles from `first` on, which were just added, as their law has it, and
// bounds on their speeds.
void pli_transfer_begin(const pli_transfer *transfer, pli_particle_place place, int32_t kind,
                        int32_t first);

// Adds mass and momentum of a place's particles to pages, the impulse of their stress over dt (s)
// included. Those that left the block and have not been settled act from its nearest edge; those
// that broke down do not act.
void pli_transfer_scatter(const pli_transfer *transfer, pli_particle_place place, double dt);

// Velocities of a page's nodes from their momentum and an acceleration over dt (m/s^2). Nodes
// without mass stand still.
void pli_transfer_accelerate(float *page, const double acceleration[3], double dt);

// Moves a place's particles by the velocities of nodes and deforms them, sets the bounds of its
// lists, and counts those that leave.
// Particles that move too far, or have numbers that are not finite, count as leaving too, and are
// told when they settle.
void pli_transfer_gather(const pli_transfer *transfer, pli_particle_place place, double dt);

#endif
