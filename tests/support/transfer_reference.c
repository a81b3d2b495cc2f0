// SPDX-License-Identifier: Apache-2.0
//
// Transfers one particle and one node at a time, as the equations of transfer.h have them.
#include "support/transfer_reference.h"

#include <math.h>
#include <string.h>

enum { LANES = PLI_PARTICLE_LANES };

// A particle and its 27 nodes.
typedef struct stencil {
    pli_particle_chunk *chunk;
    int32_t lane;
    int64_t node[3][3]; // [axis][k] share of the node's index in the dense grid
    double weight[3][3];
    double offset[3][3]; // of the node from the particle (m)
} stencil;

static void find_stencil(const pli_transfer *t, int32_t block, int32_t chunk, int32_t lane,
                         stencil *s)
{
    static const int32_t size[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    const pli_particles *particles = t->particles;
    const int32_t *blocks = particles->grid->blocks;
    int64_t stride = 1;
    s->chunk = &particles->chunks[chunk];
    s->lane = lane;
    for (int axis = 2; axis >= 0; --axis) {
        int64_t first = (int64_t)particles->blocks[block].at[axis] * size[axis];
        double u = (double)s->chunk->u[axis][lane] / PLI_PARTICLE_ONE;
        double f = u - floor(u) + 0.5;
        s->weight[axis][0] = 0.5 * (1.5 - f) * (1.5 - f);
        s->weight[axis][1] = 0.75 - (f - 1) * (f - 1);
        s->weight[axis][2] = 0.5 * (f - 0.5) * (f - 0.5);
        for (int k = 0; k < 3; ++k) {
            s->node[axis][k] = stride * (first + (int64_t)floor(u) + k);
            s->offset[axis][k] = t->dx * (k - f);
        }
        stride *= (int64_t)blocks[axis] * size[axis];
    }
}

// One of the 27 nodes.
typedef struct stencil_node {
    int64_t index;
    double weight;
    double offset[3]; // m
} stencil_node;

static stencil_node find_node(const stencil *s, int k)
{
    const int at[3] = {k / 9, k / 3 % 3, k % 3};
    stencil_node node = {.weight = 1};
    for (int axis = 0; axis < 3; ++axis) {
        node.index += s->node[axis][at[axis]];
        node.weight *= s->weight[axis][at[axis]];
        node.offset[axis] = s->offset[axis][at[axis]];
    }
    return node;
}

typedef void (*visit_fn)(const pli_transfer *t, const pli_mpm_kind *kind, stencil *s, void *user);

static void for_each_particle(const pli_transfer *t, pli_particle_place place, visit_fn visit,
                              void *user)
{
    const pli_particles *particles = t->particles;
    for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
        const pli_particle_list *list = pli_particles_list(particles, place, kind);
        int32_t chunk = list->first;
        for (int32_t k = 0; k < list->count; ++k) {
            stencil s;
            find_stencil(t, place.block, chunk, k % LANES, &s);
            visit(t, &t->kinds[kind], &s, user);
            if (k % LANES == LANES - 1) chunk = particles->next[chunk];
        }
    }
}

// ---- scattering

typedef struct scatter_job {
    double dt;
    double (*nodes)[4];
} scatter_job;

static void scatter(const pli_transfer *t, const pli_mpm_kind *kind, stencil *s, void *user)
{
    static const int tau_of[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    const scatter_job *job = user;
    double mass = kind->material.density * kind->volume;
    double stress = -job->dt * 4 / (t->dx * t->dx) * kind->volume;
    for (int k = 0; k < 27; ++k) {
        stencil_node node = find_node(s, k);
        double *to = job->nodes[node.index];
        to[0] += node.weight * mass;
        for (int c = 0; c < 3; ++c) {
            double momentum = mass * (double)s->chunk->v[c][s->lane];
            for (int axis = 0; axis < 3; ++axis) {
                momentum += (mass * (double)s->chunk->C[3 * c + axis][s->lane] +
                             stress * (double)s->chunk->tau[tau_of[c][axis]][s->lane]) *
                            node.offset[axis];
            }
            to[1 + c] += node.weight * momentum;
        }
    }
}

void pli_transfer_scatter_reference(const pli_transfer *transfer, pli_particle_place place,
                                    double dt, double (*nodes)[4])
{
    scatter_job job = {dt, nodes};
    for_each_particle(transfer, place, scatter, &job);
}

// ---- gathering

typedef struct gather_job {
    double dt;
    const double (*velocities)[4];
} gather_job;

// Sums of velocity v [3] and velocity gradient C [9].
static void take(const pli_transfer *t, const stencil *s, const double (*velocities)[4], double *v,
                 double *C)
{
    for (int k = 0; k < 27; ++k) {
        stencil_node node = find_node(s, k);
        const double *from = velocities[node.index];
        for (int c = 0; c < 3; ++c) {
            v[c] += node.weight * from[c];
            for (int axis = 0; axis < 3; ++axis) {
                C[3 * c + axis] += 4 / (t->dx * t->dx) * node.weight * from[c] * node.offset[axis];
            }
        }
    }
}

static void gather(const pli_transfer *t, const pli_mpm_kind *kind, stencil *s, void *user)
{
    const gather_job *job = user;
    double v[3] = {0}, C[9] = {0}, F[9], tau[6], sound2;
    double memory = (double)s->chunk->memory[s->lane];
    take(t, s, job->velocities, v, C);
    for (int k = 0; k < 9; ++k) F[k] = (double)s->chunk->F[k][s->lane];
    pli_material_advance(&kind->material, 1, job->dt, C, F, &memory, tau, &sound2);
    for (int c = 0; c < 3; ++c) {
        double step = job->dt / t->dx * v[c] * PLI_PARTICLE_ONE;
        s->chunk->u[c][s->lane] += (int32_t)lrint(step);
        s->chunk->v[c][s->lane] = (float)v[c];
    }
    for (int k = 0; k < 9; ++k) s->chunk->C[k][s->lane] = (float)C[k];
    for (int k = 0; k < 9; ++k) s->chunk->F[k][s->lane] = (float)F[k];
    for (int k = 0; k < 6; ++k) s->chunk->tau[k][s->lane] = (float)tau[k];
    s->chunk->memory[s->lane] = (float)memory;
}

void pli_transfer_gather_reference(const pli_transfer *transfer, pli_particle_place place,
                                   double dt, const double (*velocities)[4])
{
    gather_job job = {dt, velocities};
    for_each_particle(transfer, place, gather, &job);
}
