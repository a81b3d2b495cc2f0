// SPDX-License-Identifier: Apache-2.0
#include "mpm/explicit/particles.h"

#include "base/addresses.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mpm/explicit/particles_inside.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_KINDS = 1 << 16, FIRST_BLOCKS = 64 };

// entries of the table for blocks that were given back and whose pages may have memory
enum { LEFT = -1, LEFT_AND_SEEN = -2 };

_Static_assert((int)PLI_BLOCK_X == (int)PLI_BLOCK_Y, "blocks are square across z");

// ---- lanes

void pli_particle_lane_read(const pli_particle_chunk *chunk, int32_t lane, pli_particle_lane *data)
{
    const char *from = (const char *)chunk + sizeof(float) * (size_t)lane;
    char *to = (char *)data;
    for (size_t row = 0; row < PLI_PARTICLE_ROWS; ++row) {
        memcpy(to + sizeof(float) * row, from + sizeof(float) * PLI_PARTICLE_LANES * row,
               sizeof(float));
    }
}

void pli_particle_lane_write(const pli_particle_lane *data, int32_t begin, int32_t end,
                             pli_particle_chunk *chunk)
{
    const char *from = (const char *)data;
    for (size_t row = 0; row < PLI_PARTICLE_ROWS; ++row) {
        char *to = (char *)chunk + sizeof(float) * PLI_PARTICLE_LANES * row;
        for (int32_t lane = begin; lane < end; ++lane) {
            memcpy(to + sizeof(float) * (size_t)lane, from + sizeof(float) * row, sizeof(float));
        }
    }
}

// ---- the stash

void pli_particles_stash(pli_particles *particles, int32_t chunk, uint32_t bits)
{
    particles->outside[chunk] = (uint8_t)bits;
    particles->stashed[chunk] = PLI_PARTICLE_NOT_STASHED;
    if (bits == 0) return;
    int32_t count = __builtin_popcount(bits);
    int64_t place = __atomic_fetch_add(&particles->stash_count, count, __ATOMIC_RELAXED);
    particles->stashed[chunk] = PLI_PARTICLE_NO_ROOM;
    if (place + count > particles->stash_room) return;
    particles->stashed[chunk] = (int32_t)place + 1;
    for (; bits != 0; bits &= bits - 1, ++place) {
        pli_particle_lane_read(&particles->chunks[chunk], __builtin_ctz(bits),
                               &particles->stash[place]);
    }
}

// ---- the pool

static int32_t take_chunk(pli_particles *particles)
{
    int32_t chunk = particles->free_chunk;
    if (chunk >= 0) {
        particles->free_chunk = particles->next[chunk];
    } else {
        PLI_ASSERT(particles->context, particles->chunk_count < particles->chunk_room);
        chunk = particles->chunk_count++;
    }
    particles->next[chunk] = -1;
    particles->outside[chunk] = 0;
    particles->stashed[chunk] = PLI_PARTICLE_NOT_STASHED;
    return chunk;
}

void pli_particles_free_chunks(pli_particles *particles, int32_t first)
{
    while (first >= 0) {
        int32_t behind = particles->next[first];
        particles->next[first] = particles->free_chunk;
        particles->free_chunk = first;
        first = behind;
    }
}

int32_t pli_particles_extend(pli_particles *particles, pli_particle_list *list, int32_t count)
{
    int32_t first = list->count % PLI_PARTICLE_LANES == 0 ? -1 : list->last;
    int32_t chunk_count = list->count / PLI_PARTICLE_LANES + (first >= 0);
    list->count += count;
    for (; chunk_count * PLI_PARTICLE_LANES < list->count; ++chunk_count) {
        int32_t taken = take_chunk(particles);
        if (chunk_count == 0) {
            list->first = taken;
        } else {
            particles->next[list->last] = taken;
        }
        list->last = taken;
        if (first < 0) first = taken;
    }
    return first;
}

// Chunks that `most` particles can ever need: in each list that there can be, all but one of the
// lanes of the last chunk may be idle. One more list is there while sifting.
static int64_t most_chunks(const pli_paged_grid *grid, int32_t kind_count, int64_t most)
{
    double lists = PLI_PARTICLE_LAYERS * kind_count;
    for (int k = 0; k < 3; ++k) lists *= grid->blocks[k] - 1;
    int64_t list_count = lists < (double)most ? (int64_t)lists : most;
    return (most + (PLI_PARTICLE_LANES - 1) * list_count) / PLI_PARTICLE_LANES + 1;
}

static pli_status reserve_pool(pli_particles *particles)
{
    int64_t room = most_chunks(particles->grid, particles->kind_count, particles->most);
    int64_t chunk_bytes = room * (int64_t)sizeof(pli_particle_chunk);
    particles->chunk_room = (int32_t)room;
    particles->free_chunk = -1;
    particles->chunks = pli_addresses_reserve(chunk_bytes, PLI_ADDRESSES_DENSE);
    particles->next = pli_addresses_reserve(room * (int64_t)sizeof(int32_t), PLI_ADDRESSES_DENSE);
    particles->outside = pli_addresses_reserve(room, PLI_ADDRESSES_DENSE);
    particles->stashed =
        pli_addresses_reserve(room * (int64_t)sizeof(int32_t), PLI_ADDRESSES_DENSE);
    // seldom are as many on the move
    particles->stash_room = particles->most / 4 + PLI_PARTICLE_LANES;
    particles->stash = pli_addresses_reserve(
        particles->stash_room * (int64_t)sizeof(pli_particle_lane), PLI_ADDRESSES_DENSE);
    bool complete = particles->chunks != NULL && particles->next != NULL;
    complete = complete && particles->outside != NULL && particles->stashed != NULL;
    if (complete && particles->stash != NULL) return PLI_OK;
    return PLI_FAIL(particles->context, PLI_ERROR_MEMORY,
                    "the system refuses to reserve %.3g GiB of addresses (not memory) for up to "
                    "%" PRId64 " particles: have fewer, or lift the limit on addresses (ulimit -v, "
                    "vm.overcommit_memory)",
                    (double)chunk_bytes / (1 << 30), particles->most);
}

// ---- blocks

// Room for one more block. On failure what there was is still good.
static pli_status grow_blocks(pli_particles *particles)
{
    if (particles->block_count < particles->block_room) return PLI_OK;
    pli_context *context = particles->context;
    int64_t room = pli_particles_grown(particles->block_room, FIRST_BLOCKS);
    if (room > INT32_MAX) room = INT32_MAX;

    PLI_TRY(PLI_RESIZE(context, particles->blocks, room, "blocks of particles"));
    PLI_TRY(PLI_RESIZE(context, particles->lists,
                       room * PLI_PARTICLE_LAYERS * particles->kind_count, "particle lists"));
    PLI_TRY(PLI_RESIZE(context, particles->left, 2 * room, "blocks that were given back"));
    particles->block_room = (int32_t)room;
    return PLI_OK;
}

pli_status pli_particles_find_block(pli_particles *particles, uint32_t code, int32_t *block)
{
    *block = particles->grid->table[code] - 1;
    if (*block >= 0) return PLI_OK;

    PLI_TRY(grow_blocks(particles));
    *block = particles->block_count++;
    pli_particle_block *made = &particles->blocks[*block];
    *made = (pli_particle_block){.code = code};
    pli_paged_grid_coordinates(particles->grid, code, made->at);
    pli_particle_list *lists = pli_particles_list(particles, (pli_particle_place){*block, 0}, 0);
    for (int32_t k = 0; k < PLI_PARTICLE_LAYERS * particles->kind_count; ++k) {
        lists[k] = (pli_particle_list){.first = -1, .last = -1, .target = -1};
    }
    particles->grid->table[code] = *block + 1;
    return PLI_OK;
}

static void move_block(pli_particles *particles, int32_t from, int32_t to)
{
    if (from == to) return;
    particles->blocks[to] = particles->blocks[from];
    pli_particle_place from_place = {from, 0}, to_place = {to, 0};
    memcpy(pli_particles_list(particles, to_place, 0), pli_particles_list(particles, from_place, 0),
           PLI_PARTICLE_LAYERS * (size_t)particles->kind_count * sizeof(pli_particle_list));
    particles->grid->table[particles->blocks[to].code] = to + 1;
}

static void drop_blocks(pli_particles *particles)
{
    int32_t kept = 0;
    for (int32_t block = 0; block < particles->block_count; ++block) {
        uint32_t code = particles->blocks[block].code;
        if (particles->blocks[block].count > 0) {
            move_block(particles, block, kept++);
        } else {
            particles->grid->table[code] = LEFT;
            particles->left[particles->left_count++] = code;
        }
    }
    particles->block_count = kept;
}

// Whether no block writes to the page a step of 0 or 1 along each axis above a block that was left,
// and of those that were left it is the first that did. Steps are the bits of a number.
static bool is_last_writer(const pli_paged_grid *grid, uint32_t code, const int32_t at[3],
                           int32_t step)
{
    for (int32_t k = 0; k < 8; ++k) {
        const int32_t by[3] = {(step >> 2) - (k >> 2), (step >> 1 & 1) - (k >> 1 & 1),
                               (step & 1) - (k & 1)};
        bool is_inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            int32_t x = at[axis] + by[axis];
            is_inside = is_inside && x >= 0 && x < grid->blocks[axis];
        }
        int32_t entry = is_inside ? grid->table[pli_paged_grid_step(grid, code, by)] : 0;
        if (entry > 0 || (entry < 0 && k < step)) return false;
    }
    return true;
}

static void release_around(pli_particles *particles, uint32_t code, pli_page_forget_fn forget,
                           void *user)
{
    int32_t at[3];
    pli_paged_grid_coordinates(particles->grid, code, at);
    for (int32_t step = 0; step < 8; ++step) {
        if (!is_last_writer(particles->grid, code, at, step)) continue;
        const int32_t by[3] = {step >> 2, step >> 1 & 1, step & 1};
        uint32_t page = pli_paged_grid_step(particles->grid, code, by);
        pli_paged_grid_release(particles->grid, page);
        if (forget != NULL) forget(user, page);
    }
}

static void release_pages(pli_particles *particles, pli_page_forget_fn forget, void *user)
{
    int32_t *table = particles->grid->table;
    // blocks may have been made again, and left more than once
    for (int32_t k = 0; k < particles->left_count; ++k) {
        if (table[particles->left[k]] != LEFT) continue;
        release_around(particles, particles->left[k], forget, user);
        table[particles->left[k]] = LEFT_AND_SEEN;
    }
    for (int32_t k = 0; k < particles->left_count; ++k) {
        if (table[particles->left[k]] < 0) table[particles->left[k]] = 0;
    }
    particles->left_count = 0;
}

// Takes blocks that were made again off the list of those that were left, and the others once.
static void forget_remade(pli_particles *particles)
{
    int32_t *table = particles->grid->table, kept = 0;
    for (int32_t k = 0; k < particles->left_count; ++k) {
        uint32_t code = particles->left[k];
        if (table[code] != LEFT) continue;
        table[code] = LEFT_AND_SEEN;
        particles->left[kept++] = code;
    }
    particles->left_count = kept;
    for (int32_t k = 0; k < kept; ++k) table[particles->left[k]] = LEFT;
}

void pli_particles_drop_empty(pli_particles *particles, pli_page_forget_fn forget, void *user)
{
    drop_blocks(particles);
    if (particles->left_count > particles->block_room) release_pages(particles, forget, user);
}

// ---- life

static pli_status check_rules(pli_context *context, const pli_paged_grid *grid, int32_t kind_count,
                              int64_t most)
{
    if (kind_count < 1 || kind_count > MOST_KINDS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d kinds of particles; allowed are 1 to %d",
                        kind_count, MOST_KINDS);
    }
    if (most < 1 || most > INT32_MAX) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "room for %" PRId64 " particles; allowed are 1 to %d", most, INT32_MAX);
    }
    const int32_t *blocks = grid->blocks;
    if (blocks[0] >= 2 && blocks[1] >= 2 && blocks[2] >= 2) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "particles in a domain of %d x %d x %d blocks; they need at least 2 along each "
                    "axis, for they reach into the next one",
                    blocks[0], blocks[1], blocks[2]);
}

pli_status pli_particles_create(pli_context *context, pli_paged_grid *grid, int32_t kind_count,
                                int64_t most, pli_particles **particles)
{
    *particles = NULL;
    PLI_TRY(check_rules(context, grid, kind_count, most));
    pli_particles *made = PLI_NEW(context, pli_particles, 1, "particles");
    if (made == NULL) return PLI_ERROR_MEMORY;

    made->context = context;
    made->grid = grid;
    made->kind_count = kind_count;
    made->most = most;
    pli_status status = reserve_pool(made);
    if (status != PLI_OK) goto done;
    status = grow_blocks(made);
    if (status != PLI_OK) goto done;
    *particles = made;
    made = NULL;

done:
    pli_particles_destroy(made);
    return status;
}

void pli_particles_clear(pli_particles *particles)
{
    for (int32_t block = 0; block < particles->block_count; ++block) {
        particles->blocks[block].count = 0;
    }
    forget_remade(particles);
    if (particles->left_count > particles->block_room) release_pages(particles, NULL, NULL);
    drop_blocks(particles);
    particles->count = 0;
    particles->chunk_count = 0;
    particles->free_chunk = -1;
    particles->stash_count = particles->stash_settled = 0;
}

void pli_particles_destroy(pli_particles *particles)
{
    if (particles == NULL) return;
    pli_context *context = particles->context;
    for (int32_t block = 0; block < particles->block_count; ++block) {
        particles->grid->table[particles->blocks[block].code] = 0;
    }
    for (int32_t k = 0; k < particles->left_count; ++k) {
        particles->grid->table[particles->left[k]] = 0;
    }
    int64_t room = particles->chunk_room;
    pli_addresses_release(particles->stash,
                          particles->stash_room * (int64_t)sizeof(pli_particle_lane));
    pli_addresses_release(particles->stashed, room * (int64_t)sizeof(int32_t));
    pli_addresses_release(particles->outside, room);
    pli_addresses_release(particles->next, room * (int64_t)sizeof(int32_t));
    pli_addresses_release(particles->chunks, room * (int64_t)sizeof(pli_particle_chunk));
    PLI_RELEASE(context, particles->targets, particles->runs, particles->order, particles->lanes,
                particles->movers, particles->sources, particles->left, particles->lists,
                particles->blocks, particles);
}

// ---- layers

static void append(pli_particles *particles, pli_particle_place place, int32_t kind,
                   const pli_particle_lane *data)
{
    pli_particle_list *list = pli_particles_list(particles, place, kind);
    int32_t chunk = pli_particles_extend(particles, list, 1);
    int32_t lane = (list->count - 1) % PLI_PARTICLE_LANES;
    ++particles->blocks[place.block].count;
    // the first of a chunk stands in for those that are still to come
    int32_t end = lane == 0 ? PLI_PARTICLE_LANES : lane + 1;
    pli_particle_lane_write(data, lane, end, &particles->chunks[chunk]);
}

// What bounds one list's particles bounds the other's too.
static void raise_bounds(const pli_particle_list *from, pli_particle_list *to)
{
    if (from->sound2 > to->sound2) to->sound2 = from->sound2;
    if (from->speed2 > to->speed2) to->speed2 = from->speed2;
}

// Puts a chunk of eight particles in front of a list.
static void push_chunk(pli_particles *particles, pli_particle_place place, int32_t kind,
                       int32_t chunk)
{
    pli_particle_list *list = pli_particles_list(particles, place, kind);
    particles->next[chunk] = list->first;
    list->first = chunk;
    if (list->count == 0) list->last = chunk;
    list->count += PLI_PARTICLE_LANES;
    particles->blocks[place.block].count += PLI_PARTICLE_LANES;
}

// Copies what is in the last chunk of a block's list, unless it is full, and makes room for copies
// of all full ones at the beginning of the second layer's list.
static void begin_copy(pli_particles *particles, int32_t block, int32_t kind, int32_t id)
{
    pli_particle_place own = {block, 0}, second = {block, 1};
    const pli_particle_list *list = pli_particles_list(particles, own, kind);
    raise_bounds(list, pli_particles_list(particles, second, kind));
    for (int32_t lane = 0; lane < list->count % PLI_PARTICLE_LANES; ++lane) {
        pli_particle_lane data;
        pli_particle_lane_read(&particles->chunks[list->last], lane, &data);
        data.id = id;
        append(particles, second, kind, &data);
    }
    for (int32_t k = 0; k < list->count / PLI_PARTICLE_LANES; ++k) {
        push_chunk(particles, second, kind, take_chunk(particles));
    }
}

static void copy_chunks(const pli_particles *particles, int32_t block, int32_t kind, int32_t id)
{
    const pli_particle_list *list =
        pli_particles_list(particles, (pli_particle_place){block, 0}, kind);
    int32_t from = list->first;
    int32_t to = pli_particles_list(particles, (pli_particle_place){block, 1}, kind)->first;
    for (int32_t k = 0; k < list->count / PLI_PARTICLE_LANES; ++k) {
        pli_particle_chunk *copy = &particles->chunks[to];
        *copy = particles->chunks[from];
        for (int lane = 0; lane < PLI_PARTICLE_LANES; ++lane) copy->id[lane] = id;
        from = particles->next[from];
        to = particles->next[to];
    }
}

typedef struct copying {
    const pli_particles *particles;
    const pli_particle_copy *copies;
} copying;

static void copy_blocks(void *user, int64_t begin, int64_t end)
{
    const copying *job = user;
    for (int64_t k = begin; k < end; ++k) {
        for (int32_t kind = 0; kind < job->particles->kind_count; ++kind) {
            copy_chunks(job->particles, job->copies[k].block, kind, job->copies[k].id);
        }
    }
}

void pli_particles_copy(pli_particles *particles, int64_t count, const pli_particle_copy *copies)
{
    for (int64_t k = 0; k < count; ++k) {
        for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
            begin_copy(particles, copies[k].block, kind, copies[k].id);
        }
    }
    copying job = {particles, copies};
    pli_parallel_for(particles->context, count, 1, copy_blocks, &job);
}

// What becomes of the particles of a chunk when copies of an id go.
typedef enum sifted { MIXED, GONE, COPIES, ORIGINALS } sifted;

static sifted sift_one(int32_t particle, int32_t id)
{
    if (particle == id) return GONE;
    return particle < 0 ? COPIES : ORIGINALS;
}

static sifted sift_chunk(const pli_particle_chunk *chunk, int32_t count, int32_t id)
{
    sifted first = sift_one(chunk->id[0], id);
    for (int32_t lane = 1; lane < count; ++lane) {
        if (sift_one(chunk->id[lane], id) != first) return MIXED;
    }
    // a chunk that is not full can't be passed on as it is
    return first == GONE || count == PLI_PARTICLE_LANES ? first : MIXED;
}

// The same lane by lane. The chunk is given back first, so that no more are needed than there were.
static void sift_lanes(pli_particles *particles, pli_particle_place own, int32_t kind, int32_t id,
                       int32_t chunk, int32_t count)
{
    pli_particle_place second = {own.block, 1};
    const pli_particle_chunk lanes = particles->chunks[chunk];
    pli_particles_free_chunks(particles, chunk);
    for (int32_t lane = 0; lane < count; ++lane) {
        pli_particle_lane data;
        pli_particle_lane_read(&lanes, lane, &data);
        if (data.id == id) continue;
        append(particles, data.id < 0 ? second : own, kind, &data);
    }
}

// The largest id of copies in lanes below `count` but for the given one; INT32_MIN: there is none.
static int32_t find_largest_copy(const pli_particle_chunk *chunk, int32_t count, int32_t id)
{
    int32_t largest = INT32_MIN;
    for (int32_t lane = 0; lane < count; ++lane) {
        int32_t found = chunk->id[lane];
        if (found < 0 && found != id && found > largest) largest = found;
    }
    return largest;
}

// Removes copies of an id from a list of a block's second layer; what is none goes to `own`.
// Returns the largest id of copies that stay, INT32_MIN: none does.
static int32_t sift_list(pli_particles *particles, pli_particle_place own, int32_t kind, int32_t id)
{
    pli_particle_place second = {own.block, 1};
    pli_particle_list *list = pli_particles_list(particles, second, kind);
    const pli_particle_list old = *list;
    int32_t largest = INT32_MIN;
    int32_t left = old.count;
    *list = (pli_particle_list){.first = -1, .last = -1, .target = -1};
    particles->blocks[own.block].count -= old.count;
    for (int32_t chunk = old.first, behind; left > 0; chunk = behind, left -= PLI_PARTICLE_LANES) {
        int32_t count = left < PLI_PARTICLE_LANES ? left : PLI_PARTICLE_LANES;
        sifted what = sift_chunk(&particles->chunks[chunk], count, id);
        int32_t found = find_largest_copy(&particles->chunks[chunk], count, id);
        if (found > largest) largest = found;
        behind = particles->next[chunk];
        particles->next[chunk] = -1;
        if (what == GONE) pli_particles_free_chunks(particles, chunk);
        if (what == COPIES) push_chunk(particles, second, kind, chunk);
        if (what == ORIGINALS) push_chunk(particles, own, kind, chunk);
        if (what == MIXED) sift_lanes(particles, own, kind, id, chunk, count);
    }
    raise_bounds(&old, pli_particles_list(particles, own, kind));
    raise_bounds(&old, list);
    return largest;
}

int32_t pli_particles_sift(pli_particles *particles, int32_t block, int32_t id, bool joins)
{
    pli_particle_place own = {block, joins ? 0 : 1};
    int32_t largest = INT32_MIN;
    // chunks that are taken apart forget who is outside: those that are to settle later count again
    bool is_unsettled = particles->blocks[block].leaving[1] > 0;
    if (is_unsettled) pli_particles_recount(particles, block);
    for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
        if (pli_particles_list(particles, (pli_particle_place){block, 1}, kind)->count == 0) {
            continue;
        }
        int32_t found = sift_list(particles, own, kind, id);
        if (found > largest) largest = found;
    }
    if (is_unsettled) pli_particles_recount(particles, block);
    return largest;
}

// ---- in and out

// The block of a position and u from there. False: no block may be there.
static bool locate(const pli_particles *particles, const double position[3], int32_t at[3],
                   int32_t u[3])
{
    const double one = PLI_PARTICLE_ONE;
    for (int k = 0; k < 3; ++k) {
        int32_t size = pli_particle_block_size(k);
        // written so that a NaN fails
        if (!(position[k] > -1 && position[k] < (double)INT32_MAX)) return false;
        // rounded in the whole domain, which is below 2^50, so that the remainder can't reach size
        int64_t whole = llrint(position[k] * one);
        int64_t unit = (int64_t)size << PLI_PARTICLE_FRACTION_BITS;
        if (whole < 0 || whole / unit >= particles->grid->blocks[k] - 1) return false;
        at[k] = (int32_t)(whole / unit);
        u[k] = (int32_t)(whole % unit);
    }
    return true;
}

static pli_status check_added(pli_particles *particles, int32_t kind, int64_t count,
                              const pli_particle *added)
{
    pli_context *context = particles->context;
    if (kind < 0 || kind >= particles->kind_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "particles of kind %d are added; there are kinds 0 to %d", kind,
                        particles->kind_count - 1);
    }
    if (count < 0 || count > particles->most - particles->count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%" PRId64 " particles are added to %" PRId64
                        "; there is room for %" PRId64,
                        count, particles->count, particles->most);
    }
    for (int64_t i = 0; i < count; ++i) {
        int32_t at[3];
        int32_t u[3];
        if (locate(particles, added[i].position, at, u)) continue;
        const double *x = added[i].position;
        const int32_t *blocks = particles->grid->blocks;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "particle %d is added at (%.9g, %.9g, %.9g) cells; the domain has room in "
                        "[0, %d) x [0, %d) x [0, %d)",
                        added[i].id, x[0], x[1], x[2], PLI_BLOCK_X * (blocks[0] - 1),
                        PLI_BLOCK_Y * (blocks[1] - 1), PLI_BLOCK_Z * (blocks[2] - 1));
    }
    return PLI_OK;
}

static void fill_lane(const pli_particle *from, const int32_t u[3], pli_particle_lane *lane)
{
    memcpy(lane->u, u, sizeof lane->u);
    memcpy(lane->v, from->v, sizeof lane->v);
    memcpy(lane->C, from->C, sizeof lane->C);
    memcpy(lane->F, from->F, sizeof lane->F);
    memcpy(lane->tau, from->tau, sizeof lane->tau);
    lane->memory = from->memory;
    lane->id = from->id;
}

// What two passes over new particles do: make blocks, then fill them.
typedef enum add_pass { MAKE_BLOCKS, FILL_BLOCKS } add_pass;

static pli_status add_all(pli_particles *particles, add_pass pass, int32_t kind, int64_t count,
                          const pli_particle *added)
{
    int32_t block = -1;
    for (int64_t i = 0; i < count; ++i) {
        int32_t at[3] = {0};
        int32_t u[3] = {0};
        (void)locate(particles, added[i].position, at, u);
        // neighbours in the list are often neighbours in space
        if (block < 0 || memcmp(particles->blocks[block].at, at, sizeof at) != 0) {
            uint32_t code = pli_paged_grid_code(particles->grid, at);
            PLI_TRY(pli_particles_find_block(particles, code, &block));
        }
        if (pass == MAKE_BLOCKS) continue;
        pli_particle_lane data;
        fill_lane(&added[i], u, &data);
        append(particles, (pli_particle_place){block, 0}, kind, &data);
    }
    return PLI_OK;
}

pli_status pli_particles_add(pli_particles *particles, int32_t kind, int64_t count,
                             const pli_particle *added)
{
    PLI_TRY(check_added(particles, kind, count, added));
    PLI_TRY(add_all(particles, MAKE_BLOCKS, kind, count, added));
    PLI_TRY(add_all(particles, FILL_BLOCKS, kind, count, added));
    particles->count += count;
    return PLI_OK;
}

void pli_particles_get(const pli_particles *particles, int32_t block, int32_t chunk, int32_t lane,
                       pli_particle *particle)
{
    pli_particle_lane data;
    pli_particle_lane_read(&particles->chunks[chunk], lane, &data);
    const int32_t *at = particles->blocks[block].at;
    for (int k = 0; k < 3; ++k) {
        double lowest = (double)at[k] * pli_particle_block_size(k);
        particle->position[k] = lowest + (double)data.u[k] / PLI_PARTICLE_ONE;
    }
    memcpy(particle->v, data.v, sizeof data.v);
    memcpy(particle->C, data.C, sizeof data.C);
    memcpy(particle->F, data.F, sizeof data.F);
    memcpy(particle->tau, data.tau, sizeof data.tau);
    particle->memory = data.memory;
    particle->id = data.id;
}
