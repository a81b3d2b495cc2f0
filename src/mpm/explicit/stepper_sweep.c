// SPDX-License-Identifier: Apache-2.0
//
// A sweep: all blocks of one step move at once.
#include "mpm/explicit/stepper_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timers.h"

#include <string.h>

enum { OWN = 1, SECOND = 2, PAGE_GRAIN = 8 };

// ---- who takes part

// Layers of a block that stand for it at a time that is a multiple of the step: the second, with
// copies and those that wait, and what has not moved yet. A block that is ahead and left no copies
// is better than nothing.
static uint8_t choose_layers(const pli_stepper *s, int32_t block, int32_t time)
{
    const pli_block_clock *clock = &s->clocks[block];
    int second = clock->buffer_step > 0 ? SECOND : 0;
    return (uint8_t)(clock->time > time && clock->is_copied ? second : OWN | second);
}

static pli_sweep_block *list_block(pli_stepper *s, int32_t block, int32_t time)
{
    pli_block_clock *clock = &s->clocks[block];
    if (clock->listed < 0) {
        clock->listed = s->listed_count;
        s->listed[s->listed_count++] =
            (pli_sweep_block){.block = block, .gives = choose_layers(s, block, time)};
    }
    return &s->listed[clock->listed];
}

// Those that move: blocks of this step, and buffers that go with it.
static void list_movers(pli_stepper *s, int32_t time, int32_t step)
{
    s->listed_count = 0;
    for (int32_t block = 0; block < s->clock_count; ++block) {
        const pli_block_clock *clock = &s->clocks[block];
        if (s->particles->blocks[block].count == 0) continue;
        bool moves = clock->time == time && clock->step == step;
        bool buffer_moves = clock->buffer_step == step && clock->buffer_time == time;
        if (!moves && !buffer_moves) continue;
        pli_sweep_block *listed = list_block(s, block, time);
        listed->takes = (uint8_t)((moves ? OWN : 0) | (buffer_moves ? SECOND : 0));
        listed->copies = moves && clock->copies;
    }
}

static void list_all(pli_stepper *s, int32_t time, int32_t step)
{
    list_movers(s, time, step);
    // around buffers nothing is needed: they are wide enough for what their rim lacks not to reach
    // the blocks that they are for before they expire
    int32_t mover_count = s->listed_count;
    for (int32_t k = 0; k < mover_count; ++k) {
        if (!(s->listed[k].takes & OWN)) continue;
        for (int32_t way = 0; way < PLI_STEPPER_WAYS; ++way) {
            int32_t other = pli_stepper_neighbor(s, s->listed[k].block, way);
            if (other >= 0) (void)list_block(s, other, time);
        }
    }
}

// ---- pages

static pli_status grow_pages(pli_stepper *s)
{
    int64_t needed = 8 * (int64_t)s->listed_count;
    if (needed <= s->page_room) return PLI_OK;
    int64_t room = needed + needed / 2;
    pli_release(s->context, s->pages);
    s->page_room = 0;
    PLI_TRY(PLI_MAKE(s->context, s->pages, room, "pages"));
    s->page_room = (int32_t)room;
    return PLI_OK;
}

// Of the blocks that write to a page, those a step of 0 or 1 along each axis below it, the one with
// the first step lists it. Steps are the bits of a number, those along x highest.
static bool is_first_writer(const pli_stepper *s, int32_t block, int32_t step)
{
    for (int32_t k = 0; k < step; ++k) {
        int32_t way = pli_stepper_way((step >> 2) - (k >> 2), (step >> 1 & 1) - (k >> 1 & 1),
                                      (step & 1) - (k & 1));
        int32_t other = s->around[PLI_STEPPER_WAYS * block + way];
        if (other >= 0 && s->clocks[other].listed >= 0) return false;
    }
    return true;
}

static void list_pages(pli_stepper *s)
{
    s->page_count = 0;
    for (int32_t k = 0; k < 8 * s->listed_count; ++k) {
        int32_t block = s->listed[k / 8].block;
        if (!is_first_writer(s, block, k % 8)) continue;
        const int32_t step[3] = {k >> 2 & 1, k >> 1 & 1, k & 1};
        s->pages[s->page_count++] =
            pli_paged_grid_step(s->grid, s->particles->blocks[block].code, step);
    }
}

static void clear_pages(void *user, int64_t begin, int64_t end)
{
    const pli_stepper *s = user;
    for (int64_t k = begin; k < end; ++k) {
        memset(pli_paged_grid_page(s->grid, s->pages[k]), 0, PLI_PAGE_FLOATS * sizeof(float));
    }
}

static void accelerate_pages(void *user, int64_t begin, int64_t end)
{
    const pli_stepper *s = user;
    for (int64_t k = begin; k < end; ++k) {
        float *page = pli_paged_grid_page(s->grid, s->pages[k]);
        pli_transfer_accelerate(page, s->def.gravity, s->dt);
        if (s->def.constrain != NULL) s->def.constrain(s->def.user, s->pages[k], page, s->dt);
    }
}

// ---- colours

static int32_t color_of(const pli_stepper *s, int32_t block)
{
    const int32_t *at = s->particles->blocks[block].at;
    return 4 * (at[0] & 1) + 2 * (at[1] & 1) + (at[2] & 1);
}

static void sort_by_color(pli_stepper *s)
{
    int32_t place[8] = {0};
    for (int32_t k = 0; k < s->listed_count; ++k) ++place[color_of(s, s->listed[k].block)];
    s->color_start[0] = 0;
    for (int c = 0; c < 8; ++c) {
        s->color_start[c + 1] = s->color_start[c] + place[c];
        place[c] = s->color_start[c];
    }
    for (int32_t k = 0; k < s->listed_count; ++k) {
        s->sorted[place[color_of(s, s->listed[k].block)]++] = s->listed[k];
    }
}

// ---- transfer

static void scatter_blocks(void *user, int64_t begin, int64_t end)
{
    const pli_stepper *s = user;
    for (int64_t k = begin; k < end; ++k) {
        const pli_sweep_block *b = &s->sorted[s->color_start[s->color] + k];
        for (int32_t layer = 0; layer < PLI_PARTICLE_LAYERS; ++layer) {
            pli_particle_place place = {b->block, layer};
            if (b->gives >> layer & 1) pli_transfer_scatter(&s->transfer, place, s->dt);
        }
    }
}

static void gather_blocks(void *user, int64_t begin, int64_t end)
{
    const pli_stepper *s = user;
    for (int64_t k = begin; k < end; ++k) {
        for (int32_t layer = 0; layer < PLI_PARTICLE_LAYERS; ++layer) {
            pli_particle_place place = {s->sorted[k].block, layer};
            if (s->sorted[k].takes >> layer & 1) pli_transfer_gather(&s->transfer, place, s->dt);
        }
    }
}

// Leaves copies of particles that are about to move ahead of time.
static void make_copies(pli_stepper *s)
{
    int64_t count = 0;
    for (int32_t k = 0; k < s->listed_count; ++k) {
        const pli_sweep_block *b = &s->listed[k];
        if (!b->copies) continue;
        pli_block_clock *clock = &s->clocks[b->block];
        int32_t expiry = clock->time + clock->step;
        s->copies[count++] = (pli_particle_copy){b->block, pli_stepper_copy_id(expiry)};
        if (expiry < clock->expiry) clock->expiry = expiry;
        clock->is_copied = true;
    }
    pli_particles_copy(s->particles, count, s->copies);
}

static void transfer_all(pli_stepper *s)
{
    const pli_context *context = s->context;
    pli_parallel_for(context, s->page_count, PAGE_GRAIN, clear_pages, s);
    for (s->color = 0; s->color < 8; ++s->color) {
        int32_t count = s->color_start[s->color + 1] - s->color_start[s->color];
        if (count > 0) pli_parallel_for(context, count, 1, scatter_blocks, s);
    }
    pli_parallel_for(context, s->page_count, PAGE_GRAIN, accelerate_pages, s);
    make_copies(s);
    pli_parallel_for(context, s->listed_count, 1, gather_blocks, s);
}

// ---- afterwards

static int64_t count_particles(const pli_stepper *s, int32_t block, int32_t layer)
{
    pli_particle_place place = {block, layer};
    int64_t count = 0;
    for (int32_t kind = 0; kind < s->def.kind_count; ++kind) {
        count += pli_particles_list(s->particles, place, kind)->count;
    }
    return count;
}

static void count_updates(pli_stepper *s, int32_t step, const pli_sweep_block *b)
{
    pli_stepper_report *report = &s->report;
    if (b->takes & OWN) {
        ++report->block_updates;
        report->hasty_updates += s->clocks[b->block].is_hasty;
        ++report->blocks_by_step[__builtin_ctz((uint32_t)step)];
        report->particle_updates += count_particles(s, b->block, 0);
    }
    if (b->takes & SECOND) report->buffer_updates += count_particles(s, b->block, 1);
}

static void finish_sweep(pli_stepper *s, int32_t time, int32_t step)
{
    pli_stepper_event event = {.time = s->report.time + time,
                               .step = step,
                               .blocks = s->moved,
                               .buffer_blocks = s->moved_buffers};
    ++s->report.sweeps;
    for (int32_t k = 0; k < s->listed_count; ++k) {
        const pli_sweep_block *b = &s->listed[k];
        count_updates(s, step, b);
        if (b->takes & OWN) {
            s->clocks[b->block].time = time + step;
            s->moved[event.count++] = b->block;
        }
        if (b->takes & SECOND) {
            s->clocks[b->block].buffer_time = time + step;
            s->moved_buffers[event.buffer_count++] = b->block;
        }
    }
    if (s->def.trace != NULL) s->def.trace(s->def.user, &event);
}

pli_status pli_stepper_sweep(pli_stepper *s, int32_t time, int32_t step)
{
    list_all(s, time, step);
    pli_status status = grow_pages(s);
    if (status == PLI_OK) list_pages(s);
    for (int32_t k = 0; k < s->listed_count; ++k) s->clocks[s->listed[k].block].listed = -1;
    if (status != PLI_OK || s->listed_count == 0) return status;
    sort_by_color(s);
    s->dt = step * s->def.tick;
    pli_stepper_sweep_info sweep = {time, step, s->page_count, s->pages};
    if (s->def.begin != NULL) PLI_TRY(s->def.begin(s->def.user, &sweep));
    double start = pli_clock_seconds();
    transfer_all(s);
    s->report.transfer_seconds += pli_clock_seconds() - start;
    finish_sweep(s, time, step);
    return PLI_OK;
}
