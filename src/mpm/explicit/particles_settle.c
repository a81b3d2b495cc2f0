// SPDX-License-Identifier: Apache-2.0
//
// Settling. Sources are the layers of blocks that particles left, movers the particles that did, in
// the order of kinds and places. Those of a source that go the same way and are of one kind are a
// run: it goes to one list. Targets are the lists that particles leave or come to. Nothing is
// changed until it is known that all can be done:
//
//   1  list the sources, each with its part of the movers                    serial
//   2  copy the movers, put them in the order of their ways, as runs         parallel, by source
//   3  refuse what went too far, make blocks that are missing                serial, by run
//   4  tell targets what leaves them and comes to them                       serial, by run
//   5  put movers into the gaps that others leave, close those left over     parallel, by target
//   6  free chunks at the ends of lists, then take those that are needed     serial, by target
//   7  append the movers that found no gap                                   parallel, by target
//
// In a body that moves about as many come to a block as leave it, so most movers fill gaps and few
// others have to be touched. The serial stages look at no particle.
#include "base/memory.h"
#include "base/parallel.h"
#include "math/simd.h"
#include "mpm/explicit/particles_inside.h"

#include <string.h>

enum {
    SOURCE_GRAIN = 4, // blocks that a worker takes at once
    TARGET_GRAIN = 8, // lists likewise
    FIRST_MOVERS = 256,
    WAYS = 27,   // to the blocks around, 9 x + 3 y + z with steps from 0 to 2
    NO_WAY = 13, // of movers that are lost
    AHEAD = 3,   // movers whose chunks are on their way from memory
    CACHE_LINE = 64
};

typedef struct settling {
    pli_particles *particles;
    pli_particle_home_fn home; // NULL: layers stay
    void *user;
    int64_t source_count;
    int64_t mover_count;
    int64_t target_count;
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
    PLI_TRY(
        PLI_RESIZE(particles->context, particles->sources, room, "blocks that particles leave"));
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

static pli_status grow_movers(pli_particles *p, int64_t needed)
{
    static const char what[] = "particles that change blocks";
    if (needed <= p->mover_room) return PLI_OK;
    int64_t room = pli_particles_grown(p->mover_room, needed);
    if (room < FIRST_MOVERS) room = FIRST_MOVERS;
    PLI_TRY(PLI_RESIZE(p->context, p->movers, room, what));
    PLI_TRY(PLI_RESIZE(p->context, p->lanes, room, what));
    PLI_TRY(PLI_RESIZE(p->context, p->order, room, what));
    PLI_TRY(PLI_RESIZE(p->context, p->runs, room, what));
    PLI_TRY(PLI_RESIZE(p->context, p->targets, 2 * room, what));
    p->mover_room = room;
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

// The bits of lanes below so many.
static uint32_t lanes_below(int32_t count)
{
    return count < PLI_PARTICLE_LANES ? ((uint32_t)1 << count) - 1
                                      : ((uint32_t)1 << PLI_PARTICLE_LANES) - 1;
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

static int32_t way_of(const int32_t step[3])
{
    return 9 * (step[0] + 1) + 3 * (step[1] + 1) + step[2] + 1;
}

static void step_of(int32_t way, int32_t step[3])
{
    step[0] = way / 9 - 1;
    step[1] = way / 3 % 3 - 1;
    step[2] = way % 3 - 1;
}

static void list_movers(const pli_particles *particles, pli_particle_source *from, int32_t kind)
{
    const pli_particle_list *list = pli_particles_list(particles, from->place, kind);
    int32_t most = count_leaving(particles, from->place);
    int32_t chunk = list->first;
    for (int32_t place = 0; place < list->count; place += PLI_PARTICLE_LANES) {
        uint32_t bits = particles->outside[chunk] & lanes_below(list->count - place);
        for (; bits != 0; bits &= bits - 1) {
            // more than the block has told are only counted
            int32_t index = from->found++;
            if (index >= most) continue;
            particles->movers[from->first + index] = (pli_particle_mover){
                .kind = kind, .chunk = chunk, .place = place + __builtin_ctz(bits), .way = NO_WAY};
        }
        chunk = particles->next[chunk];
    }
}

// Reads a mover from the stash, or from its chunk.
static void read_mover(const pli_particles *particles, const pli_particle_mover *mover,
                       pli_particle_source *from, pli_particle_lane *data)
{
    int32_t lane = mover->place % PLI_PARTICLE_LANES;
    int32_t stashed = particles->stashed[mover->chunk];
    from->stashed += stashed != PLI_PARTICLE_NOT_STASHED;
    if (stashed > 0) {
        uint32_t before = particles->outside[mover->chunk] & lanes_below(lane);
        *data = particles->stash[stashed - 1 + __builtin_popcount(before)];
    } else {
        pli_particle_lane_read(&particles->chunks[mover->chunk], lane, data);
    }
}

// Copies a mover, with u from the block that it goes to.
static void copy_mover(const pli_particles *particles, pli_particle_source *from, int64_t index)
{
    const pli_particle_block *block = &particles->blocks[from->place.block];
    pli_particle_lane *data = &particles->lanes[index];
    pli_particle_mover *mover = &particles->movers[index];
    read_mover(particles, mover, from, data);
    int32_t step[3];
    if (!find_step(data->u, step) || !has_room(particles->grid, block->at, step)) {
        // copies are lost, whoever they stand for tells of itself
        if (data->id >= 0 && from->wrong < 0) from->wrong = index;
        return;
    }
    mover->way = way_of(step);
    for (int k = 0; k < 3; ++k) data->u[k] -= step[k] * fixed(pli_particle_block_size(k));
}

// Lists the movers of a source way by way, each in the order that they have.
static void order_movers(const pli_particles *particles, const pli_particle_source *from)
{
    const pli_particle_mover *movers = &particles->movers[from->first];
    int32_t place[WAYS + 1] = {0};
    for (int32_t i = 0; i < from->found; ++i) ++place[movers[i].way + 1];
    for (int32_t way = 0; way < WAYS; ++way) place[way + 1] += place[way];
    for (int32_t i = 0; i < from->found; ++i) {
        particles->order[from->first + place[movers[i].way]++] = from->first + i;
    }
}

// Cuts the ordered movers of a source into runs.
static void list_runs(const pli_particles *particles, pli_particle_source *from)
{
    const int64_t *order = &particles->order[from->first];
    pli_particle_run *run = NULL;
    from->run_count = 0;
    for (int32_t i = 0; i < from->found; ++i) {
        const pli_particle_mover *mover = &particles->movers[order[i]];
        if (mover->way == NO_WAY) continue;
        if (run == NULL || run->way != mover->way || run->kind != mover->kind) {
            const pli_particle_list *list = pli_particles_list(particles, from->place, mover->kind);
            run = &particles->runs[from->first + from->run_count++];
            *run = (pli_particle_run){.kind = mover->kind,
                                      .way = mover->way,
                                      .first = from->first + i,
                                      .sound2 = list->sound2,
                                      .speed2 = list->speed2,
                                      .next = -1};
        }
        ++run->count;
    }
}

static void record_sources(void *user, int64_t begin, int64_t end)
{
    const pli_particles *particles = ((const settling *)user)->particles;
    for (int64_t i = begin; i < end; ++i) {
        pli_particle_source *from = &particles->sources[i];
        for (int32_t kind = 0; kind < particles->kind_count; ++kind) {
            list_movers(particles, from, kind);
        }
        // a source that was told a wrong number is refused
        if (from->found != count_leaving(particles, from->place)) continue;
        for (int32_t k = 0; k < from->found; ++k) copy_mover(particles, from, from->first + k);
        order_movers(particles, from);
        list_runs(particles, from);
    }
}

// Sets the bits of a list's chunks. Returns how many particles are outside.
static int32_t mark_outside(pli_particles *particles, const pli_particle_list *list)
{
    int32_t found = 0;
    int32_t chunk = list->first;
    for (int32_t place = 0; place < list->count; place += PLI_PARTICLE_LANES) {
        uint32_t bits = outside_bits(&particles->chunks[chunk]) & lanes_below(list->count - place);
        // who was put into the stash may have been moved since
        if (particles->stashed[chunk] != PLI_PARTICLE_NOT_STASHED) {
            particles->stash_settled += __builtin_popcount(particles->outside[chunk]);
        }
        particles->stashed[chunk] = PLI_PARTICLE_NOT_STASHED;
        particles->outside[chunk] = (uint8_t)bits;
        found += __builtin_popcount(bits);
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
            *leaving += mark_outside(particles, pli_particles_list(particles, place, kind));
        }
    }
}

// ---- 3: blocks

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

static pli_status find_blocks(const settling *job)
{
    pli_particles *particles = job->particles;
    for (int64_t k = 0; k < job->source_count; ++k) {
        const pli_particle_source *from = &particles->sources[k];
        for (int32_t i = 0; i < from->run_count; ++i) {
            pli_particle_run *run = &particles->runs[from->first + i];
            int32_t step[3];
            step_of(run->way, step);
            uint32_t code = particles->blocks[from->place.block].code;
            code = pli_paged_grid_step(particles->grid, code, step);
            PLI_TRY(pli_particles_find_block(particles, code, &run->block));
        }
    }
    return PLI_OK;
}

// ---- 4: targets

static pli_particle_target *find_target(settling *job, pli_particle_place place, int32_t kind)
{
    pli_particles *particles = job->particles;
    pli_particle_list *list = pli_particles_list(particles, place, kind);
    if (list->target < 0) {
        list->target = (int32_t)job->target_count++;
        particles->targets[list->target] =
            (pli_particle_target){.list = list - particles->lists, .first_run = -1};
    }
    return &particles->targets[list->target];
}

// Movers of a source are in the order of kinds: those of one kind are the gaps of one list.
static void tell_gaps(settling *job, const pli_particle_source *from)
{
    pli_particles *particles = job->particles;
    for (int32_t begin = 0, end; begin < from->found; begin = end) {
        const pli_particle_mover *movers = &particles->movers[from->first];
        pli_particle_target *target = find_target(job, from->place, movers[begin].kind);
        end = begin;
        while (end < from->found && movers[end].kind == movers[begin].kind) ++end;
        target->gaps = from->first + begin;
        target->gap_count = end - begin;
    }
    particles->blocks[from->place.block].count -= from->found;
    particles->blocks[from->place.block].leaving[from->place.layer] = 0;
}

static void tell_runs(settling *job, const pli_particle_source *from)
{
    pli_particles *particles = job->particles;
    for (int32_t i = 0; i < from->run_count; ++i) {
        int64_t index = from->first + i;
        pli_particle_run *run = &particles->runs[index];
        pli_particle_place place = {run->block, from->place.layer};
        if (job->home != NULL) place.layer = job->home(job->user, from->place, run->block);
        pli_particle_target *target = find_target(job, place, run->kind);
        if (target->first_run < 0) {
            target->first_run = index;
        } else {
            particles->runs[target->last_run].next = index;
        }
        target->last_run = index;
        target->arrival_count += run->count;
        particles->blocks[run->block].count += run->count;
    }
}

static void tell_targets(settling *job)
{
    pli_particles *particles = job->particles;
    for (int64_t i = 0; i < job->source_count; ++i) {
        tell_gaps(job, &particles->sources[i]);
        tell_runs(job, &particles->sources[i]);
        particles->stash_settled += particles->sources[i].stashed;
    }
    // movers have been copied: when nobody else is on the move the stash is empty
    if (particles->stash_settled >= particles->stash_count) {
        particles->stash_settled = particles->stash_count = 0;
    }
}

// ---- 5: gaps

// A walk along the movers that come to a target.
typedef struct arrivals {
    int64_t run; // -1: no more
    int32_t place;
} arrivals;

// The data of the next one, which there must be.
static const pli_particle_lane *next_arrival(const pli_particles *particles, arrivals *walk)
{
    const pli_particle_run *run = &particles->runs[walk->run];
    int64_t mover = particles->order[run->first + walk->place];
    if (++walk->place == run->count) *walk = (arrivals){run->next, 0};
    return &particles->lanes[mover];
}

static void skip_arrivals(const pli_particles *particles, int32_t count, arrivals *walk)
{
    while (count > 0) {
        const pli_particle_run *run = &particles->runs[walk->run];
        if (count < run->count) break;
        count -= run->count;
        *walk = (arrivals){run->next, 0};
    }
    walk->place = count;
}

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

static void raise_target(const pli_particles *particles, const pli_particle_target *target,
                         pli_particle_list *list)
{
    for (int64_t k = target->first_run; k >= 0; k = particles->runs[k].next) {
        const pli_particle_run *run = &particles->runs[k];
        if (run->sound2 > list->sound2) list->sound2 = run->sound2;
        if (run->speed2 > list->speed2) list->speed2 = run->speed2;
    }
}

// Asks for a chunk that is going to be written.
static void await_chunk(const pli_particles *particles, int32_t chunk)
{
    const char *data = (const char *)&particles->chunks[chunk];
    for (size_t k = 0; k < sizeof(pli_particle_chunk); k += CACHE_LINE) {
        __builtin_prefetch(data + k, 1);
    }
}

static void fill_gaps(const pli_particles *particles, const pli_particle_target *target)
{
    pli_particle_list *list = &particles->lists[target->list];
    const pli_particle_mover *gaps = &particles->movers[target->gaps];
    arrivals walk = {target->first_run, 0};
    int32_t filled = 0;
    for (int32_t i = 0; i < target->gap_count; ++i) {
        particles->outside[gaps[i].chunk] = 0;
        particles->stashed[gaps[i].chunk] = PLI_PARTICLE_NOT_STASHED;
    }
    for (; filled < target->gap_count && filled < target->arrival_count; ++filled) {
        if (filled + AHEAD < target->gap_count) {
            await_chunk(particles, gaps[filled + AHEAD].chunk);
        }
        int32_t lane = gaps[filled].place % PLI_PARTICLE_LANES;
        pli_particle_lane_write(next_arrival(particles, &walk), lane, lane + 1,
                                &particles->chunks[gaps[filled].chunk]);
    }
    if (filled < target->gap_count) {
        close_gaps(particles, list, &gaps[filled], target->gap_count - filled);
    }
    raise_target(particles, target, list);
}

static void fill_targets(void *user, int64_t begin, int64_t end)
{
    const pli_particles *particles = ((const settling *)user)->particles;
    for (int64_t i = begin; i < end; ++i) fill_gaps(particles, &particles->targets[i]);
}

// ---- 6: chunks

// Frees the chunks of a list behind its last particle.
static void cut_list(pli_particles *particles, pli_particle_list *list)
{
    int32_t *end = list->count == 0 ? &list->first : &particles->next[list->last];
    int32_t rest = *end;
    *end = -1;
    pli_particles_free_chunks(particles, rest);
}

static void cut_targets(const settling *job)
{
    pli_particles *particles = job->particles;
    for (int64_t i = 0; i < job->target_count; ++i) {
        const pli_particle_target *target = &particles->targets[i];
        pli_particle_list *list = &particles->lists[target->list];
        list->target = -1;
        if (target->gap_count > target->arrival_count) cut_list(particles, list);
    }
}

// Puts chunks at the ends of lists for the movers that are to be appended.
static void extend_targets(const settling *job)
{
    pli_particles *particles = job->particles;
    for (int64_t i = 0; i < job->target_count; ++i) {
        pli_particle_target *target = &particles->targets[i];
        pli_particle_list *list = &particles->lists[target->list];
        int32_t more = target->arrival_count - target->gap_count;
        if (more <= 0) continue;
        target->chunk = pli_particles_extend(particles, list, more);
    }
}

// ---- 7: ends

static void append_rest(const pli_particles *particles, const pli_particle_target *target)
{
    int32_t more = target->arrival_count - target->gap_count;
    if (more <= 0) return;
    int32_t count = particles->lists[target->list].count;
    int32_t chunk = target->chunk;
    arrivals walk = {target->first_run, 0};
    skip_arrivals(particles, target->gap_count, &walk);
    for (int32_t place = count - more; place < count; ++place) {
        int32_t lane = place % PLI_PARTICLE_LANES;
        // the last of a list stands in for those that are not there
        int32_t end = place == count - 1 ? PLI_PARTICLE_LANES : lane + 1;
        pli_particle_lane_write(next_arrival(particles, &walk), lane, end,
                                &particles->chunks[chunk]);
        if (lane == PLI_PARTICLE_LANES - 1) chunk = particles->next[chunk];
    }
}

static void append_targets(void *user, int64_t begin, int64_t end)
{
    const pli_particles *particles = ((const settling *)user)->particles;
    for (int64_t i = begin; i < end; ++i) append_rest(particles, &particles->targets[i]);
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
    PLI_TRY(find_blocks(&job));

    // from here on nothing can fail
    tell_targets(&job);
    pli_parallel_for(context, job.target_count, TARGET_GRAIN, fill_targets, &job);
    cut_targets(&job);
    extend_targets(&job);
    pli_parallel_for(context, job.target_count, TARGET_GRAIN, append_targets, &job);
    return PLI_OK;
}
