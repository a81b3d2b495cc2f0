// SPDX-License-Identifier: Apache-2.0
//
// Settling. Sources are the blocks that particles left, movers the particles that did, in the order
// of blocks, kinds and places. Nothing is changed until it is known that all can be done:
//
//   1  list the sources, each with its part of the movers                    serial
//   2  copy the movers, find the block that each goes to                     parallel, by source
//   3  refuse what went too far, make blocks that are missing                serial
//   4  close the gaps that movers leave                                      parallel, by source
//   5  free chunks at the ends of lists, give each mover its place           serial
//   6  write the movers to their places                                      parallel, by mover
//
// The serial stages look at 28 bytes of a mover, and at none of its data.
#include "base/memory.h"
#include "base/parallel.h"
#include "math/simd.h"
#include "mpm/particles_inside.h"

#include <string.h>

enum {
    SOURCE_GRAIN = 4,  // blocks that a worker takes at once
    MOVER_GRAIN = 256, // movers likewise
    FIRST_MOVERS = 256
};

typedef struct settling {
    pli_particles *particles;
    pli_particle_home_fn home; // NULL: layers stay
    void *user;
    int64_t source_count;
    int64_t mover_count;
} settling;

static int32_t fixed(int32_t cells)
{
    return cells * PLI_PARTICLE_ONE;
}

// ---- 1: sources

static pli_status fail_leaving(const pli_particles *particles, pli_particle_place place,
                               int32_t found)
{
    const pli_particle_block *told = &particles->blocks[place.block];
    return PLI_FAIL(particles->context, PLI_ERROR_ARGUMENT,
                    "block (%d, %d, %d) is said to lose %d of its %d particles, but %d are outside",
                    told->at[0], told->at[1], told->at[2], told->leaving[place.layer], told->count,
                    found);
}

static int32_t count_leaving(const pli_particles *particles, pli_particle_place place)
{
    return particles->blocks[place.block].leaving[place.layer];
}

static pli_status grow_sources(pli_particles *particles, int64_t needed)
{
    if (needed <= particles->source_room) return PLI_OK;
    int64_t room = pli_particles_grown(particles->source_room, needed);
    pli_particle_source *sources = pli_reallocate(particles->context, particles->sources, room,
                                                  sizeof *sources, "blocks that particles leave");
    if (sources == NULL) return PLI_ERROR_MEMORY;
    particles->sources = sources;
    particles->source_room = room;
    return PLI_OK;
}

static pli_status list_sources(settling *job, int64_t count, const pli_particle_place *places)
{
    pli_particles *particles = job->particles;
    PLI_TRY(grow_sources(particles, count));
    for (int64_t k = 0; k < count; ++k) {
        int32_t leaving = count_leaving(particles, places[k]);
        if (leaving == 0) continue;
        if (leaving < 0 || leaving > particles->blocks[places[k].block].count) {
            return fail_leaving(particles, places[k], 0);
        }
        particles->sources[job->source_count++] =
            (pli_particle_source){.place = places[k], .first = job->mover_count, .wrong = -1};
        job->mover_count += leaving;
    }
    return PLI_OK;
}

static pli_status grow_movers(pli_particles *particles, int64_t needed)
{
    if (needed <= particles->mover_room) return PLI_OK;
    int64_t room = pli_particles_grown(particles->mover_room, needed);
    if (room < FIRST_MOVERS) room = FIRST_MOVERS;

    pli_particle_mover *movers = pli_reallocate(particles->context, particles->movers, room,
                                                sizeof *movers, "moving particles");
    if (movers == NULL) return PLI_ERROR_MEMORY;
    particles->movers = movers;
    pli_particle_lane *lanes = pli_reallocate(particles->context, particles->lanes, room,
                                              sizeof *lanes, "data of moving particles");
    if (lanes == NULL) return PLI_ERROR_MEMORY;
    particles->lanes = lanes;

    particles->mover_room = room;
    return PLI_OK;
}

// ---- 2: movers

// A bit for each lane that is outside of its block.
static uint32_t outside_bits(const pli_particle_chunk *chunk)
{
    pli_f8_mask outside = {0};
    for (int k = 0; k < 3; ++k) {
        pli_f8_mask u;
        memcpy(&u, chunk->u[k], sizeof u);
        outside |= (u < 0) | (u >= fixed(pli_particle_block_size(k)));
    }
    return pli_f8_bits(outside);
}

// Bits of those that are outside of the chunk that begins at a place of a list.
static uint32_t list_outside_bits(const pli_particles *particles, const pli_particle_list *list,
                                  int32_t chunk, int32_t place)
{
    uint32_t bits = outside_bits(&particles->chunks[chunk]);
    // lanes beyond the end are none
    int32_t left = list->count - place;
    return left < PLI_PARTICLE_LANES ? bits & (((uint32_t)1 << left) - 1) : bits;
}

// The step from a block to the one that u is in; false: it is further away than a mover may go.
static bool find_step(const int32_t u[3], int32_t step[3])
{
    bool is_near = true;
    for (int k = 0; k < 3; ++k) {
        int32_t size = pli_particle_block_size(k);
        step[k] = (u[k] >= fixed(size)) - (u[k] < 0);
        is_near = is_near && u[k] >= fixed(-PLI_PARTICLE_REACH) &&
                  u[k] < fixed(size + PLI_PARTICLE_REACH);
    }
    return is_near;
}

// Whether particles may be in the block a step away from another.
static bool has_room(const pli_paged_grid *grid, const int32_t at[3], const int32_t step[3])
{
    for (int k = 0; k < 3; ++k) {
        if (at[k] + step[k] < 0 || at[k] + step[k] >= grid->blocks[k] - 1) return false;
    }
    return true;
}

// Copies a mover, with u from the block that it goes to.
static void record_mover(const pli_particles *particles, pli_particle_source *from, int32_t kind,
                         int32_t chunk, int32_t place)
{
    const pli_particle_block *block = &particles->blocks[from->place.block];
    // more than the block has told are only counted
    if (from->found++ >= block->leaving[from->place.layer]) return;
    int64_t index = from->first + from->found - 1;
    pli_particle_lane *data = &particles->lanes[index];
    pli_particle_lane_read(&particles->chunks[chunk], place % PLI_PARTICLE_LANES, data);
    pli_particle_mover *mover = &particles->movers[index];
    *mover = (pli_particle_mover){
        .layer = from->place.layer, .kind = kind, .chunk = chunk, .place = place};

    int32_t step[3];
    if (!find_step(data->u, step) || !has_room(particles->grid, block->at, step)) {
        mover->is_lost = data->id < 0;
        if (!mover->is_lost && from->wrong < 0) from->wrong = index;
        return;
    }
    mover->code = pli_paged_grid_step(particles->grid, block->code, step);
    for (int k = 0; k < 3; ++k) data->u[k] -= step[k] * fixed(pli_particle_block_size(k));
}

static void record_list(const pli_particles *particles, pli_particle_source *from, int32_t kind)
{
    const pli_particle_list *list = pli_particles_list(particles, from->place, kind);
    int32_t chunk = list->first;
    for (int32_t place = 0; place < list->count; place += PLI_PARTICLE_LANES) {
        uint32_t bits = list_outside_bits(particles, list, chunk, place);
        for (; bits != 0; bits &= bits - 1) {
            record_mover(particles, from, kind, chunk, place + __builtin_ctz(bits));
        }
        chunk = particles->next[chunk];
    }
}

static void record_sources(void *user, int64_t begin, int64_t end)
{
    const pli_particles *particles = ((const settling *)user)->particles;
    for (int64_t i = begin; i < end; ++i) {
        for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
            record_list(particles, &particles->sources[i], kind);
        }
    }
}

static int32_t count_outside(const pli_particles *particles, const pli_particle_list *list)
{
    int32_t found = 0;
    int32_t chunk = list->first;
    for (int32_t place = 0; place < list->count; place += PLI_PARTICLE_LANES) {
        found += __builtin_popcount(list_outside_bits(particles, list, chunk, place));
        chunk = particles->next[chunk];
    }
    return found;
}

void pli_particles_recount(pli_particles *particles, int32_t block)
{
    for (int32_t layer = 0; layer < PLI_PARTICLE_LAYERS; ++layer) {
        int32_t *leaving = &particles->blocks[block].leaving[layer];
        *leaving = 0;
        for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
            pli_particle_place place = {block, layer};
            *leaving += count_outside(particles, pli_particles_list(particles, place, kind));
        }
    }
}

// ---- 3: targets

static pli_status fail_mover(const pli_particles *particles, const pli_particle_source *from)
{
    const pli_particle_mover *mover = &particles->movers[from->wrong];
    pli_particle particle;
    pli_particles_get(particles, from->place.block, mover->chunk, mover->place % PLI_PARTICLE_LANES,
                      &particle);
    const double *x = particle.position;
    int32_t step[3];
    if (!find_step(particles->lanes[from->wrong].u, step)) {
        return PLI_FAIL(particles->context, PLI_ERROR_NUMERIC,
                        "particle %d went more than %d cells beyond its block in one step, to "
                        "(%.9g, %.9g, %.9g) cells: the time step is too long, or the motion broke "
                        "down",
                        particle.id, PLI_PARTICLE_REACH, x[0], x[1], x[2]);
    }
    const int32_t *blocks = particles->grid->blocks;
    return PLI_FAIL(particles->context, PLI_ERROR_NUMERIC,
                    "particle %d left the domain: it is at (%.9g, %.9g, %.9g) cells, the domain "
                    "has room in [0, %d) x [0, %d) x [0, %d)",
                    particle.id, x[0], x[1], x[2], PLI_BLOCK_X * (blocks[0] - 1),
                    PLI_BLOCK_Y * (blocks[1] - 1), PLI_BLOCK_Z * (blocks[2] - 1));
}

static pli_status check_sources(const settling *job)
{
    const pli_particles *particles = job->particles;
    for (int64_t i = 0; i < job->source_count; ++i) {
        const pli_particle_source *from = &particles->sources[i];
        if (from->wrong >= 0) return fail_mover(particles, from);
        if (from->found != count_leaving(particles, from->place)) {
            return fail_leaving(particles, from->place, from->found);
        }
    }
    return PLI_OK;
}

static pli_status find_targets(const settling *job)
{
    pli_particle_mover *movers = job->particles->movers;
    for (int64_t i = 0; i < job->mover_count; ++i) {
        if (movers[i].is_lost) continue;
        PLI_TRY(pli_particles_find_block(job->particles, movers[i].code, &movers[i].block));
    }
    return PLI_OK;
}

// ---- 4: gaps

static void copy_lane(const pli_particle_chunk *from, int32_t from_place, pli_particle_chunk *to,
                      int32_t to_place)
{
    pli_particle_lane data;
    pli_particle_lane_read(from, from_place % PLI_PARTICLE_LANES, &data);
    int32_t lane = to_place % PLI_PARTICLE_LANES;
    pli_particle_lane_write(&data, lane, lane + 1, to);
}

// Shortens a list by its movers, given in the order of their places. With n particles staying,
// those at places from n on go, in their order, to the places that movers leave below n. The chain
// of chunks stays as it is, to be cut later.
static void close_gaps(const pli_particles *particles, pli_particle_list *list,
                       const pli_particle_mover *movers, int32_t mover_count)
{
    int32_t kept = list->count - mover_count;
    // the chunks of the last place that is kept and of the one behind it
    int32_t last = -1;
    int32_t chunk = list->first;
    for (int32_t place = PLI_PARTICLE_LANES; place <= kept; place += PLI_PARTICLE_LANES) {
        last = chunk;
        chunk = particles->next[chunk];
    }
    if (kept % PLI_PARTICLE_LANES != 0) last = chunk;

    int32_t gap_count = 0;
    while (gap_count < mover_count && movers[gap_count].place < kept) ++gap_count;
    int32_t gap = 0;
    int32_t behind = gap_count;
    for (int32_t place = kept; gap < gap_count; ++place) {
        if (place > kept && place % PLI_PARTICLE_LANES == 0) chunk = particles->next[chunk];
        if (behind < mover_count && movers[behind].place == place) {
            ++behind;
            continue;
        }
        const pli_particle_mover *left = &movers[gap++];
        copy_lane(&particles->chunks[chunk], place, &particles->chunks[left->chunk], left->place);
    }
    list->last = last;
    list->count = kept;
}

static void close_source(const pli_particles *particles, const pli_particle_source *from)
{
    const pli_particle_mover *movers = &particles->movers[from->first];
    int32_t begin = 0;
    while (begin < from->found) {
        int32_t kind = movers[begin].kind;
        int32_t end = begin;
        while (end < from->found && movers[end].kind == kind) ++end;
        close_gaps(particles, pli_particles_list(particles, from->place, kind), &movers[begin],
                   end - begin);
        begin = end;
    }
}

static void close_sources(void *user, int64_t begin, int64_t end)
{
    const pli_particles *particles = ((const settling *)user)->particles;
    for (int64_t i = begin; i < end; ++i) close_source(particles, &particles->sources[i]);
}

// ---- 5: places

// Frees the chunks of a list behind its last particle.
static void cut_list(pli_particles *particles, pli_particle_list *list)
{
    int32_t *end = list->count == 0 ? &list->first : &particles->next[list->last];
    int32_t rest = *end;
    *end = -1;
    pli_particles_free_chunks(particles, rest);
}

static void cut_sources(const settling *job)
{
    pli_particles *particles = job->particles;
    for (int64_t i = 0; i < job->source_count; ++i) {
        const pli_particle_source *from = &particles->sources[i];
        for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
            cut_list(particles, pli_particles_list(particles, from->place, kind));
        }
        particles->blocks[from->place.block].count -= from->found;
        particles->blocks[from->place.block].leaving[from->place.layer] = 0;
    }
}

static void give_places_of(const settling *job, const pli_particle_source *from)
{
    for (int64_t i = from->first; i < from->first + from->found; ++i) {
        pli_particle_mover *mover = &job->particles->movers[i];
        if (mover->is_lost) continue;
        if (job->home != NULL) mover->layer = job->home(job->user, from->place, mover->block);
        pli_particle_place place = {mover->block, mover->layer};
        mover->place = pli_particles_extend(job->particles, place, mover->kind, &mover->chunk);
        pli_particle_list_raise(pli_particles_list(job->particles, from->place, mover->kind),
                                pli_particles_list(job->particles, place, mover->kind));
    }
}

static void give_places(const settling *job)
{
    for (int64_t i = 0; i < job->source_count; ++i) {
        give_places_of(job, &job->particles->sources[i]);
    }
}

// ---- 6: arrival

static void write_movers(void *user, int64_t begin, int64_t end)
{
    const pli_particles *particles = ((const settling *)user)->particles;
    for (int64_t i = begin; i < end; ++i) {
        const pli_particle_mover *mover = &particles->movers[i];
        if (mover->is_lost) continue;
        pli_particle_place place = {mover->block, mover->layer};
        const pli_particle_list *list = pli_particles_list(particles, place, mover->kind);
        // the last of a list stands in for those that are not there
        int32_t lane = mover->place % PLI_PARTICLE_LANES;
        bool is_last = mover->place == list->count - 1;
        pli_particle_lane_write(&particles->lanes[i], lane, is_last ? PLI_PARTICLE_LANES : lane + 1,
                                &particles->chunks[mover->chunk]);
    }
}

pli_status pli_particles_settle(pli_particles *particles, int64_t count,
                                const pli_particle_place *places, pli_particle_home_fn home,
                                void *user)
{
    const pli_context *context = particles->context;
    settling job = {.particles = particles, .home = home, .user = user};
    PLI_TRY(list_sources(&job, count, places));
    if (job.source_count == 0) return PLI_OK;
    PLI_TRY(grow_movers(particles, job.mover_count));

    // copies only: a failure leaves everything as it was
    pli_parallel_for(context, job.source_count, SOURCE_GRAIN, record_sources, &job);
    PLI_TRY(check_sources(&job));
    PLI_TRY(find_targets(&job));

    // from here on nothing can fail
    pli_parallel_for(context, job.source_count, SOURCE_GRAIN, close_sources, &job);
    cut_sources(&job);
    give_places(&job);
    pli_parallel_for(context, job.mover_count, MOVER_GRAIN, write_movers, &job);
    return PLI_OK;
}
