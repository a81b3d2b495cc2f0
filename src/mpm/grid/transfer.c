// SPDX-License-Identifier: Apache-2.0
#include "mpm/grid/transfer.h"

#include "math/transpose_simd.h"
#include "mpm/explicit/particles_inside.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    LANES = PLI_PARTICLE_LANES,
    ARENA_X = PLI_BLOCK_X + 2,
    ARENA_Y = PLI_BLOCK_Y + 2,
    ARENA_Z = PLI_BLOCK_Z + 2,
    NODE = 4, // floats
    ROW = NODE * ARENA_Z,
    SLAB = ARENA_Y * ROW,
    ARENA = ARENA_X * SLAB
};

static const int32_t block_size[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};

_Static_assert(ARENA_Z % 2 == 0, "rows are whole pairs of nodes");

typedef pli_f8_mask pli_i8;

// Nodes around a block: mass and momentum, or velocity and nothing.
typedef struct arena {
    _Alignas(32) float nodes[ARENA];
} arena;

// ---- pages

// Calls for every run of nodes that arena and page have in common.
typedef void (*span_fn)(float *arena_nodes, float *page_nodes, int32_t count);

static void visit_page(const pli_transfer *t, const pli_particle_block *block,
                       const int32_t step[3], span_fn visit, float *nodes)
{
    const pli_paged_grid *grid = t->particles->grid;
    float *page = pli_paged_grid_page(grid, pli_paged_grid_step(grid, block->code, step));
    int32_t size[3] = {step[0] ? 2 : PLI_BLOCK_X, step[1] ? 2 : PLI_BLOCK_Y,
                       step[2] ? 2 : PLI_BLOCK_Z};
    for (int32_t i = 0; i < size[0]; ++i) {
        for (int32_t j = 0; j < size[1]; ++j) {
            float *from = nodes + SLAB * (PLI_BLOCK_X * step[0] + i) +
                          ROW * (PLI_BLOCK_Y * step[1] + j) + NODE * PLI_BLOCK_Z * step[2];
            visit(from, page + PLI_NODE_FLOATS * PLI_BLOCK_Z * (PLI_BLOCK_Y * i + j), size[2]);
        }
    }
}

static void visit_pages(const pli_transfer *t, int32_t block, span_fn visit, float *nodes)
{
    for (int32_t k = 0; k < 8; ++k) {
        const int32_t step[3] = {k >> 2, k >> 1 & 1, k & 1};
        visit_page(t, &t->particles->blocks[block], step, visit, nodes);
    }
}

static void add_to_page(float *nodes, float *page, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        pli_f4 sum, mine;
        memcpy(&sum, page + PLI_NODE_FLOATS * k, sizeof sum);
        memcpy(&mine, nodes + NODE * k, sizeof mine);
        sum += mine;
        memcpy(page + PLI_NODE_FLOATS * k, &sum, sizeof sum);
    }
}

static void read_velocities(float *nodes, float *page, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        memcpy(nodes + NODE * k, page + PLI_NODE_FLOATS * k + NODE, NODE * sizeof *nodes);
    }
}

// ---- weights of eight particles

// Along z pairs of nodes are taken that begin at an even one: vectors are aligned then, and what
// one particle has stored the next one loads as it was stored. So there are four nodes along z,
// from the lowest one or the one below it on, and either the last or the first of them has no
// weight.
typedef struct stencils {
    _Alignas(32) float weights[2][3][LANES]; // along x and y
    _Alignas(32) int32_t base[LANES];        // float of the first node in the arena
    pli_f8 offset[3];                        // of the particle from its first node (cells)
    pli_f8 z[4];                             // weights along z
} stencils;

// N(x) at 0, 1 and 2 cells from the lowest node, f in [1/2, 3/2] being where the particle is
PLI_INLINE void weigh(pli_f8 f, pli_f8 w[3])
{
    pli_f8 low = 1.5f - f;
    pli_f8 middle = f - 1.0f;
    pli_f8 high = f - 0.5f;
    w[0] = 0.5f * low * low;
    w[1] = 0.75f - middle * middle;
    w[2] = 0.5f * high * high;
}

PLI_INLINE pli_i8 load_integers(const int32_t *from)
{
    pli_i8 x;
    memcpy(&x, from, sizeof x);
    return x;
}

// The weights of four nodes, the first of which is even.
PLI_INLINE void pair_weights(pli_i8 is_odd, const pli_f8 w[3], pli_f8 z[4])
{
    const pli_f8 zero = {0};
    z[0] = pli_f8_select(is_odd, zero, w[0]);
    z[1] = pli_f8_select(is_odd, w[0], w[1]);
    z[2] = pli_f8_select(is_odd, w[1], w[2]);
    z[3] = pli_f8_select(is_odd, w[2], zero);
}

PLI_INLINE void find_stencils(const pli_particle_chunk *chunk, stencils *s)
{
    static const int32_t strides[3] = {SLAB, ROW, NODE};
    const float scale = 1.0f / PLI_PARTICLE_ONE;
    pli_i8 base = {0};
    for (int axis = 0; axis < 3; ++axis) {
        pli_i8 u = load_integers(chunk->u[axis]);
        pli_i8 node = u >> PLI_PARTICLE_FRACTION_BITS;
        pli_f8 w[3];
        s->offset[axis] =
            __builtin_convertvector(u & (PLI_PARTICLE_ONE - 1), pli_f8) * scale + 0.5f;
        weigh(s->offset[axis], w);
        if (axis < 2) {
            for (int k = 0; k < 3; ++k) pli_f8_store(w[k], s->weights[axis][k]);
        } else {
            pli_i8 odd = node & 1;
            pair_weights((pli_i8)(odd != 0), w, s->z);
            s->offset[axis] += __builtin_convertvector(odd, pli_f8);
            node -= odd;
        }
        base += node * strides[axis];
    }
    memcpy(s->base, &base, sizeof base);
}

// Both halves of a vector: the lower or the upper one of x.
PLI_INLINE pli_f8 low_twice(pli_f8 x)
{
    return __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3);
}

PLI_INLINE pli_f8 high_twice(pli_f8 x)
{
    return __builtin_shufflevector(x, x, 4, 5, 6, 7, 4, 5, 6, 7);
}

// (x0 x0 x0 x0 x1 x1 x1 x1) and (x2 x2 x2 x2 x3 x3 x3 x3)
PLI_INLINE pli_f8 spread_01(pli_f8 x)
{
    return __builtin_shufflevector(x, x, 0, 0, 0, 0, 1, 1, 1, 1);
}

PLI_INLINE pli_f8 spread_23(pli_f8 x)
{
    return __builtin_shufflevector(x, x, 2, 2, 2, 2, 3, 3, 3, 3);
}

static const pli_f8 Z_01 = {0, 0, 0, 0, 1, 1, 1, 1};
static const pli_f8 Z_23 = {2, 2, 2, 2, 3, 3, 3, 3};

// ---- scattering

// What eight particles give, as rows of one particle each.
typedef struct gifts {
    pli_f8 base[LANES];  // mass and momentum at the lowest node | 0 and their growth along x
    pli_f8 slope[LANES]; // 0 and growth along y | 0 and growth along z
    pli_f8 z[LANES];     // weights along z, 0, ...
} gifts;

// Numbers of a kind and a step that scattering needs.
typedef struct scatter_scale {
    float mass;
    float affine; // dx m
    float stress; // -dt (4 / dx) V
} scatter_scale;

static const int8_t tau_of[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

PLI_INLINE void find_gifts(const pli_particle_chunk *chunk, const scatter_scale *scale,
                           const stencils *s, gifts *g)
{
    const pli_f8 zero = {0};
    pli_f8 slope[3][3]; // growth of momentum a cell along axis [axis][component]
    pli_f8 start[3];
    for (int c = 0; c < 3; ++c) {
        start[c] = scale->mass * pli_f8_load(chunk->v[c]);
        for (int axis = 0; axis < 3; ++axis) {
            slope[axis][c] = scale->affine * pli_f8_load(chunk->C[3 * c + axis]) +
                             scale->stress * pli_f8_load(chunk->tau[tau_of[c][axis]]);
            start[c] -= slope[axis][c] * s->offset[axis];
        }
    }
    const pli_f8 mass = pli_f8_broadcast(scale->mass);
    const pli_f8 base[LANES] = {mass, start[0],    start[1],    start[2],
                                zero, slope[0][0], slope[0][1], slope[0][2]};
    const pli_f8 slopes[LANES] = {zero, slope[1][0], slope[1][1], slope[1][2],
                                  zero, slope[2][0], slope[2][1], slope[2][2]};
    pli_transpose_f8(base, g->base);
    pli_transpose_f8(slopes, g->slope);
    const pli_f8 z[LANES] = {s->z[0], s->z[1], s->z[2], s->z[3], zero, zero, zero, zero};
    pli_transpose_f8(z, g->z);
}

// A pair of nodes of the arena.
typedef pli_f8 node_pair __attribute__((may_alias));

PLI_INLINE const node_pair *pair_at(const float *nodes)
{
    return (const node_pair *)(const void *)nodes;
}

// Adds one particle to the arena, two pairs of nodes at each of nine places.
PLI_INLINE void add_particle(const stencils *s, const gifts *g, int lane, float *nodes)
{
    pli_f8 base = low_twice(g->base[lane]);
    pli_f8 along_x = high_twice(g->base[lane]);
    pli_f8 along_y = low_twice(g->slope[lane]);
    pli_f8 along_z = high_twice(g->slope[lane]);
    pli_f8 w_01 = spread_01(g->z[lane]);
    pli_f8 w_23 = spread_23(g->z[lane]);
    pli_f8 b_01 = (base + Z_01 * along_z) * w_01;
    pli_f8 b_23 = (base + Z_23 * along_z) * w_23;
    pli_f8 x_01 = along_x * w_01, x_23 = along_x * w_23;
    pli_f8 y_01 = along_y * w_01, y_23 = along_y * w_23;
    float *row = nodes + s->base[lane];
    for (int i = 0; i < 3; ++i) {
        float w_x = s->weights[0][i][lane];
        pli_f8 c_01 = b_01 * w_x, c_23 = b_23 * w_x;
        pli_f8 d_01 = y_01 * w_x, d_23 = y_23 * w_x;
        for (int j = 0; j < 3; ++j) {
            float w_y = s->weights[1][j][lane];
            node_pair *to = (node_pair *)(void *)(row + SLAB * i + ROW * j);
            to[0] += w_y * c_01;
            to[1] += w_y * c_23;
            c_01 += d_01;
            c_23 += d_23;
        }
        b_01 += x_01;
        b_23 += x_23;
    }
}

PLI_INLINE void scatter_chunk(const pli_particle_chunk *chunk, const scatter_scale *scale,
                              uint32_t lanes, float *nodes)
{
    stencils s;
    gifts g;
    find_stencils(chunk, &s);
    find_gifts(chunk, scale, &s, &g);
    for (; lanes != 0; lanes &= lanes - 1) add_particle(&s, &g, __builtin_ctz(lanes), nodes);
}

// Bits of the first lanes, up to eight.
PLI_INLINE uint32_t first_lanes(int32_t count)
{
    return count < LANES ? (1u << count) - 1 : (1u << LANES) - 1;
}

// Asks for bytes of the chunk behind another: lists may be anywhere in memory.
PLI_INLINE void await_next(const pli_particles *particles, int32_t chunk, size_t begin, size_t end)
{
    enum { CACHE_LINE = 64 };
    int32_t next = particles->next[chunk];
    const char *data = (const char *)&particles->chunks[next < 0 ? chunk : next];
    for (size_t k = begin; k < end; k += CACHE_LINE) __builtin_prefetch(data + k);
}

static void scatter_list(const pli_transfer *t, const pli_particle_list *list,
                         const scatter_scale *scale, float *nodes)
{
    int32_t left = list->count;
    for (int32_t k = list->first; left > 0; k = t->particles->next[k], left -= LANES) {
        await_next(t->particles, k, 0, offsetof(pli_particle_chunk, F));
        await_next(t->particles, k, offsetof(pli_particle_chunk, tau),
                   offsetof(pli_particle_chunk, memory));
        scatter_chunk(&t->particles->chunks[k], scale, first_lanes(left), nodes);
    }
}

// Puts particles that are outside of the block to its edge. Returns a bit for each that broke down.
static uint32_t pull_inside(pli_particle_chunk *chunk)
{
    uint32_t broken = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t most = block_size[axis] * PLI_PARTICLE_ONE - 1;
        for (int lane = 0; lane < LANES; ++lane) {
            int32_t u = chunk->u[axis][lane];
            if (u == PLI_PARTICLE_NOWHERE) broken |= 1u << lane;
            chunk->u[axis][lane] = u < 0 ? 0 : u > most ? most : u;
        }
    }
    return broken;
}

// The same for a list that was moved and has not been settled.
static void scatter_unsettled(const pli_transfer *t, const pli_particle_list *list,
                              const scatter_scale *scale, float *nodes)
{
    int32_t left = list->count;
    for (int32_t k = list->first; left > 0; k = t->particles->next[k], left -= LANES) {
        pli_particle_chunk chunk = t->particles->chunks[k];
        uint32_t broken = pull_inside(&chunk);
        scatter_chunk(&chunk, scale, first_lanes(left) & ~broken, nodes);
    }
}

static bool is_empty(const pli_particles *particles, pli_particle_place place)
{
    for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
        if (pli_particles_list(particles, place, kind)->count > 0) return false;
    }
    return true;
}

void pli_transfer_scatter(const pli_transfer *t, pli_particle_place place, double dt)
{
    if (is_empty(t->particles, place)) return;
    arena a;
    memset(&a, 0, sizeof a);
    bool is_settled = t->particles->blocks[place.block].leaving[place.layer] == 0;
    for (int32_t kind = 0; kind < t->particles->kind_count; ++kind) {
        const pli_particle_list *list = pli_particles_list(t->particles, place, kind);
        double volume = t->kinds[kind].volume;
        double mass = t->kinds[kind].material.density * volume;
        scatter_scale scale = {(float)mass, (float)(t->dx * mass),
                               (float)(-4 * dt / t->dx * volume)};
        (is_settled ? scatter_list : scatter_unsettled)(t, list, &scale, a.nodes);
    }
    visit_pages(t, place.block, add_to_page, a.nodes);
}

// ---- nodes

void pli_transfer_accelerate(float *page, const double acceleration[3], double dt)
{
    const pli_f4 gain = {(float)(dt * acceleration[0]), (float)(dt * acceleration[1]),
                         (float)(dt * acceleration[2]), 0};
    for (int32_t k = 0; k < PLI_PAGE_NODES; ++k) {
        float *node = page + PLI_NODE_FLOATS * k;
        pli_f4 v = {0};
        if (node[0] > 0) {
            float inverse = 1 / node[0];
            v = (pli_f4){node[1], node[2], node[3], 0} * inverse + gain;
        }
        memcpy(node + NODE, &v, sizeof v);
    }
}

// ---- gathering

// What eight particles take, as rows of one particle each: velocity | its moment along x, and the
// moments along y | z, in cells, of four floats each.
typedef struct takings {
    pli_f8 first[LANES];
    pli_f8 second[LANES];
} takings;

// Weights times the distance of nodes from the particle (cells): along x and y, and along z as rows
// of one particle each, weights in the lower half and moments in the upper.
typedef struct moments {
    _Alignas(32) float plane[2][3][LANES];
    pli_f8 z[LANES];
} moments;

PLI_INLINE void find_moments(const stencils *s, moments *m)
{
    for (int axis = 0; axis < 2; ++axis) {
        for (int k = 0; k < 3; ++k) {
            pli_f8 w = pli_f8_load(s->weights[axis][k]);
            pli_f8_store(w * ((float)k - s->offset[axis]), m->plane[axis][k]);
        }
    }
    pli_f8 z[LANES];
    for (int k = 0; k < 4; ++k) {
        z[k] = s->z[k];
        z[4 + k] = s->z[k] * ((float)k - s->offset[2]);
    }
    pli_transpose_f8(z, m->z);
}

// Sums over a pair of nodes and all like it in x and y: velocities, and moments along both.
typedef struct plane_sums {
    pli_f8 v;
    pli_f8 x;
    pli_f8 y;
} plane_sums;

PLI_INLINE plane_sums sum_plane(const stencils *s, const moments *m, int lane, const float *nodes)
{
    plane_sums sums;
    // the first ones are not added to zeros, which would take registers
    for (int i = 0; i < 3; ++i, nodes += SLAB) {
        pli_f8 line = s->weights[1][0][lane] * *pair_at(nodes);
        pli_f8 line_y = m->plane[1][0][lane] * *pair_at(nodes);
        for (int j = 1; j < 3; ++j) {
            line += s->weights[1][j][lane] * *pair_at(nodes + ROW * j);
            line_y += m->plane[1][j][lane] * *pair_at(nodes + ROW * j);
        }
        float w = s->weights[0][i][lane], w_x = m->plane[0][i][lane];
        sums.v = i == 0 ? w * line : sums.v + w * line;
        sums.x = i == 0 ? w_x * line : sums.x + w_x * line;
        sums.y = i == 0 ? w * line_y : sums.y + w * line_y;
    }
    return sums;
}

// Sums over nodes of one particle.
PLI_INLINE void take_particle(const stencils *s, const moments *m, int lane, const float *nodes,
                              takings *t)
{
    pli_f8 upper = high_twice(m->z[lane]);
    pli_f8 w_01 = spread_01(m->z[lane]), w_23 = spread_23(m->z[lane]);
    pli_f8 m_01 = spread_01(upper), m_23 = spread_23(upper);
    plane_sums low = sum_plane(s, m, lane, nodes + s->base[lane]);
    plane_sums high = sum_plane(s, m, lane, nodes + s->base[lane] + 2 * NODE);
    pli_f8 sum = w_01 * low.v + w_23 * high.v;
    pli_f8 moment_x = w_01 * low.x + w_23 * high.x;
    pli_f8 moment_y = w_01 * low.y + w_23 * high.y;
    pli_f8 moment_z = m_01 * low.v + m_23 * high.v;
    t->first[lane] = __builtin_shufflevector(sum, moment_x, 0, 1, 2, 3, 8, 9, 10, 11) +
                     __builtin_shufflevector(sum, moment_x, 4, 5, 6, 7, 12, 13, 14, 15);
    t->second[lane] = __builtin_shufflevector(moment_y, moment_z, 0, 1, 2, 3, 8, 9, 10, 11) +
                      __builtin_shufflevector(moment_y, moment_z, 4, 5, 6, 7, 12, 13, 14, 15);
}

// Numbers of a step that gathering needs.
typedef struct gather_scale {
    float dt;
    float affine; // 4 / dx
    float move;   // dt / dx in units of the fixed point
} gather_scale;

PLI_INLINE void take_all(const pli_particle_chunk *chunk, int lanes, const float *nodes, takings *t)
{
    stencils s;
    moments m;
    find_stencils(chunk, &s);
    find_moments(&s, &m);
    for (int lane = 0; lane < lanes; ++lane) take_particle(&s, &m, lane, nodes, t);
    for (int lane = lanes; lane < LANES; ++lane) t->first[lane] = t->second[lane] = (pli_f8){0};
}

// Moves eight particles; returns a bit for each that is outside of the block then.
PLI_INLINE uint32_t move_chunk(pli_particle_chunk *chunk, const pli_f8 v[3], float scale)
{
    const float most = PLI_PARTICLE_ONE; // a cell
    const pli_f8 half = pli_f8_broadcast(0.5f);
    pli_i8 is_out = {0};
    for (int axis = 0; axis < 3; ++axis) {
        pli_f8 step = scale * v[axis];
        // what goes further than a cell, or nowhere, is put where nobody may be
        pli_i8 is_sane = (pli_i8)(pli_f8_abs(step) <= most);
        pli_i8 u = load_integers(chunk->u[axis]);
        // to the nearest unit: cutting it off would slow everything down
        step += pli_f8_select((pli_i8)(step < 0), -half, half);
        u += __builtin_convertvector(pli_f8_select(is_sane, step, (pli_f8){0}), pli_i8);
        u = pli_f8_select_integer(is_sane, u, PLI_PARTICLE_NOWHERE - (pli_i8){0});
        memcpy(chunk->u[axis], &u, sizeof u);
        is_out |= (pli_i8)(u < 0) | (pli_i8)(u >> PLI_PARTICLE_FRACTION_BITS >= block_size[axis]);
    }
    return pli_f8_bits(is_out);
}

PLI_INLINE void load_planes(const float (*from)[LANES], int count, pli_f8 *to)
{
    for (int k = 0; k < count; ++k) to[k] = pli_f8_load(from[k]);
}

PLI_INLINE void store_planes(const pli_f8 *from, int count, float (*to)[LANES])
{
    for (int k = 0; k < count; ++k) pli_f8_store(from[k], to[k]);
}

// Deforms eight particles; C (1/s) is theirs already. Returns the speed of sound, squared.
PLI_INLINE pli_f8 deform_chunk(const pli_material *material, float dt, const pli_f8 C[9],
                               pli_particle_chunk *chunk)
{
    pli_f8 F[9], tau[6], sound2;
    pli_f8 memory = pli_f8_load(chunk->memory);
    load_planes((const float(*)[LANES])chunk->F, 9, F);
    pli_material_advance_f8(material, dt, C, F, &memory, tau, &sound2);
    store_planes(F, 9, chunk->F);
    store_planes(tau, 6, chunk->tau);
    pli_f8_store(memory, chunk->memory);
    return sound2;
}

// Squares of the largest speeds so far, lane by lane.
typedef struct speeds {
    pli_f8 sound2;
    pli_f8 speed2;
} speeds;

// The larger of each lane, what is not a number being infinite.
PLI_INLINE pli_f8 raise_lanes(pli_i8 is_used, pli_f8 x, pli_f8 largest)
{
    x = pli_f8_select((pli_i8)(x == x), x, pli_f8_broadcast(INFINITY));
    return pli_f8_max(pli_f8_select(is_used, x, (pli_f8){0}), largest);
}

// Idle lanes do not count.
PLI_INLINE void raise_speeds(pli_f8 sound2, const pli_f8 v[3], int lanes, speeds *s)
{
    static const pli_i8 count = {0, 1, 2, 3, 4, 5, 6, 7};
    pli_i8 is_used = (pli_i8)(count < lanes);
    pli_f8 speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    s->sound2 = raise_lanes(is_used, sound2, s->sound2);
    s->speed2 = raise_lanes(is_used, speed2, s->speed2);
}

static float find_largest(pli_f8 x)
{
    float largest = 0;
    for (int lane = 0; lane < LANES; ++lane) largest = x[lane] > largest ? x[lane] : largest;
    return largest;
}

static void raise_list(const speeds *s, pli_particle_list *list)
{
    list->sound2 = fmaxf(list->sound2, find_largest(s->sound2));
    list->speed2 = fmaxf(list->speed2, find_largest(s->speed2));
}

// Returns a bit for each of the first lanes that leaves.
PLI_INLINE uint32_t gather_chunk(const pli_material *material, const gather_scale *scale,
                                 const float *nodes, int lanes, pli_particle_chunk *chunk,
                                 speeds *s)
{
    takings t;
    pli_f8 first[LANES], second[LANES], C[9];
    take_all(chunk, lanes, nodes, &t);
    pli_transpose_f8(t.first, first);
    pli_transpose_f8(t.second, second);
    for (int c = 0; c < 3; ++c) {
        C[3 * c] = scale->affine * first[4 + c];
        C[3 * c + 1] = scale->affine * second[c];
        C[3 * c + 2] = scale->affine * second[4 + c];
    }
    store_planes(first, 3, chunk->v);
    store_planes(C, 9, chunk->C);
    uint32_t out = move_chunk(chunk, first, scale->move);
    pli_f8 sound2 = deform_chunk(material, scale->dt, C, chunk);
    raise_speeds(sound2, first, lanes, s);
    return out & first_lanes(lanes);
}

static int32_t gather_list(const pli_transfer *t, const pli_material *material,
                           const gather_scale *scale, const float *nodes, pli_particle_list *list)
{
    int32_t leaving = 0;
    int32_t left = list->count;
    speeds s = {{0}, {0}};
    for (int32_t k = list->first; left > 0; k = t->particles->next[k], left -= LANES) {
        int lanes = left < LANES ? left : LANES;
        await_next(t->particles, k, 0, sizeof(pli_particle_chunk));
        uint32_t out = gather_chunk(material, scale, nodes, lanes, &t->particles->chunks[k], &s);
        pli_particles_stash(t->particles, k, out);
        leaving += __builtin_popcount(out);
    }
    list->sound2 = list->speed2 = 0;
    raise_list(&s, list);
    return leaving;
}

void pli_transfer_gather(const pli_transfer *t, pli_particle_place place, double dt)
{
    t->particles->blocks[place.block].leaving[place.layer] = 0;
    if (is_empty(t->particles, place)) return;
    arena a;
    memset(&a, 0, sizeof a);
    visit_pages(t, place.block, read_velocities, a.nodes);
    gather_scale scale = {(float)dt, (float)(4 / t->dx), (float)(dt / t->dx * PLI_PARTICLE_ONE)};
    int32_t leaving = 0;
    for (int32_t kind = 0; kind < t->particles->kind_count; ++kind) {
        leaving += gather_list(t, &t->kinds[kind].material, &scale, a.nodes,
                               pli_particles_list(t->particles, place, kind));
    }
    t->particles->blocks[place.block].leaving[place.layer] = leaving;
}

// Gives lanes below `end` back what deforming changes.
static void restore_lanes(const pli_particle_chunk *old, int32_t end, pli_particle_chunk *chunk)
{
    for (int32_t lane = 0; lane < end; ++lane) {
        for (int k = 0; k < 9; ++k) chunk->F[k][lane] = old->F[k][lane];
        for (int k = 0; k < 6; ++k) chunk->tau[k][lane] = old->tau[k][lane];
        chunk->memory[lane] = old->memory[lane];
    }
}

void pli_transfer_begin(const pli_transfer *t, pli_particle_place place, int32_t kind,
                        int32_t first)
{
    pli_particle_list *list = pli_particles_list(t->particles, place, kind);
    speeds s = {{0}, {0}};
    int32_t k = list->first;
    for (int32_t start = 0; start < list->count; start += LANES, k = t->particles->next[k]) {
        if (start + LANES <= first) continue;
        pli_particle_chunk *chunk = &t->particles->chunks[k];
        const pli_particle_chunk old = *chunk;
        pli_f8 C[9], v[3];
        load_planes((const float(*)[LANES])chunk->C, 9, C);
        load_planes((const float(*)[LANES])chunk->v, 3, v);
        pli_f8 sound2 = deform_chunk(&t->kinds[kind].material, 0, C, chunk);
        int32_t left = list->count - start;
        raise_speeds(sound2, v, left < LANES ? left : LANES, &s);
        restore_lanes(&old, first - start, chunk);
    }
    raise_list(&s, list);
}
