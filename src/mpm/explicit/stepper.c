// SPDX-License-Identifier: Apache-2.0
#include "mpm/explicit/stepper.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/timers.h"
#include "mpm/explicit/stepper_inside.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FIRST_CLOCKS = 64, MOST_TICKS = 1 << 30, MOST_PARTICLES = (1 << 30) - 1 };

// ---- definition

pli_stepper_def pli_stepper_def_default(void)
{
    return (pli_stepper_def){.longest = 1024,
                             .sound_share = 0.5,
                             .advection_share = 0.5,
                             .is_regional = true,
                             .is_guarded = true};
}

static bool is_power_of_two(int32_t x)
{
    return x > 0 && (x & (x - 1)) == 0;
}

static bool is_share(double x)
{
    return x > 0 && x <= 1;
}

static pli_status check_kinds(pli_context *context, const pli_stepper_def *def)
{
    if (def->kind_count < 1 || def->particle_room < 1 || def->particle_room > MOST_PARTICLES) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%d kinds and room for %" PRId64
                        " particles; there must be at least one kind and room for 1 to %d",
                        (int)def->kind_count, def->particle_room, MOST_PARTICLES);
    }
    for (int32_t kind = 0; kind < def->kind_count; ++kind) {
        if (def->kinds[kind].volume > 0 && isfinite(def->kinds[kind].volume)) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a particle of kind %d stands for %g m^3; it must be positive and finite",
                        (int)kind, def->kinds[kind].volume);
    }
    return PLI_OK;
}

static pli_status check_def(pli_context *context, const pli_stepper_def *def)
{
    if (!(def->dx > 0) || !isfinite(def->dx) || !(def->tick > 0) || !isfinite(def->tick)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "cells of %g m and ticks of %g s; both must be positive and finite",
                        def->dx, def->tick);
    }
    if (!isfinite(def->gravity[0]) || !isfinite(def->gravity[1]) || !isfinite(def->gravity[2])) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "gravity (%g, %g, %g) must be finite",
                        def->gravity[0], def->gravity[1], def->gravity[2]);
    }
    if (!is_power_of_two(def->longest) || def->longest >= 1 << PLI_STEPPER_LEVELS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the longest step is %d ticks; it must be a power of two below 2^%d",
                        (int)def->longest, PLI_STEPPER_LEVELS);
    }
    if (!is_share(def->sound_share) || !is_share(def->advection_share)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "steps are %g of what sound takes through a cell and %g of what particles "
                        "do; both must be above 0 and at most 1",
                        def->sound_share, def->advection_share);
    }
    return check_kinds(context, def);
}

// ---- life

static pli_status build(pli_stepper *s, const pli_stepper_def *def)
{
    s->kinds = PLI_NEW(s->context, pli_mpm_kind, def->kind_count, "kinds of particles");
    if (s->kinds == NULL) return PLI_ERROR_MEMORY;
    memcpy(s->kinds, def->kinds, (size_t)def->kind_count * sizeof *s->kinds);
    s->def.kinds = s->kinds;
    PLI_TRY(pli_paged_grid_create(s->context, def->blocks, &s->grid));
    // a copy of each where regions differ
    int64_t room = def->is_regional ? 2 * def->particle_room : def->particle_room;
    PLI_TRY(pli_particles_create(s->context, s->grid, def->kind_count, room, &s->particles));
    s->transfer = (pli_transfer){s->particles, s->kinds, def->dx};
    return PLI_OK;
}

pli_status pli_stepper_create(pli_context *context, const pli_stepper_def *def,
                              pli_stepper **stepper)
{
    *stepper = NULL;
    PLI_TRY(check_def(context, def));
    pli_stepper *made = PLI_NEW(context, pli_stepper, 1, "stepper");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_stepper_destroy(made);
        return status;
    }
    *stepper = made;
    return PLI_OK;
}

void pli_stepper_destroy(pli_stepper *s)
{
    if (s == NULL) return;
    pli_context *context = s->context;
    pli_particles_destroy(s->particles);
    pli_paged_grid_destroy(s->grid);
    PLI_RELEASE(context, s->kinds, s->clocks, s->around, s->due, s->places, s->listed, s->sorted,
                s->copies, s->moved, s->moved_buffers, s->pages, s);
}

static pli_status reserve_clocks(pli_stepper *s, int32_t needed)
{
    static const char what[] = "blocks of a stepper";
    if (needed <= s->clock_room) return PLI_OK;
    int64_t room = (int64_t)needed + needed / 2;
    if (room < FIRST_CLOCKS) room = FIRST_CLOCKS;
    PLI_TRY(PLI_RESIZE(s->context, s->clocks, room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->around, PLI_STEPPER_WAYS * room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->due, room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->places, PLI_PARTICLE_LAYERS * room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->listed, room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->sorted, room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->copies, room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->moved, room, what));
    PLI_TRY(PLI_RESIZE(s->context, s->moved_buffers, room, what));
    s->clock_room = (int32_t)room;
    return PLI_OK;
}

// The block a step away from another; -1: there is none.
static int32_t look_up(const pli_stepper *s, const pli_particle_block *block, const int32_t step[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        int32_t at = block->at[axis] + step[axis];
        if (at < 0 || at >= s->grid->blocks[axis]) return -1;
    }
    return s->grid->table[pli_paged_grid_step(s->grid, block->code, step)] - 1;
}

// Introduces a block to those around it that are known already, and them to it.
static void introduce(pli_stepper *s, int32_t block)
{
    for (int32_t way = 0; way < PLI_STEPPER_WAYS; ++way) {
        const int32_t step[3] = {way / 9 - 1, way / 3 % 3 - 1, way % 3 - 1};
        int32_t other = look_up(s, &s->particles->blocks[block], step);
        if (other >= block) other = -1;
        s->around[PLI_STEPPER_WAYS * block + way] = other;
        int32_t back = PLI_STEPPER_WAYS - 1 - way;
        if (other >= 0) s->around[PLI_STEPPER_WAYS * other + back] = block;
    }
}

pli_status pli_stepper_grow(pli_stepper *s, int32_t time)
{
    PLI_TRY(reserve_clocks(s, s->particles->block_count));
    for (; s->clock_count < s->particles->block_count; ++s->clock_count) {
        s->clocks[s->clock_count] =
            (pli_block_clock){.step = 1, .time = time, .expiry = INT32_MAX, .listed = -1};
        introduce(s, s->clock_count);
    }
    return PLI_OK;
}

// ---- particles

// Particles that are new: those of a kind, in each block behind the first due[block].
typedef struct beginning {
    const pli_stepper *stepper;
    int32_t kind;
    int32_t old_block_count;
} beginning;

static void begin_blocks(void *user, int64_t begin, int64_t end)
{
    const beginning *job = user;
    const pli_stepper *s = job->stepper;
    for (int32_t block = (int32_t)begin; block < end; ++block) {
        int32_t first = block < job->old_block_count ? s->due[block] : 0;
        pli_transfer_begin(&s->transfer, (pli_particle_place){block, 0}, job->kind, first);
    }
}

static pli_status check_added(const pli_stepper *s, int32_t kind, int64_t count,
                              const pli_particle *added)
{
    if (kind < 0 || kind >= s->def.kind_count) {
        return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                        "particles of kind %d are added; there are kinds 0 to %d", (int)kind,
                        (int)s->def.kind_count - 1);
    }
    if (count < 0 || count > s->def.particle_room - s->particles->count) {
        return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                        "%" PRId64 " particles are added to %" PRId64
                        "; there is room for %" PRId64,
                        count, s->particles->count, s->def.particle_room);
    }
    for (int64_t k = 0; k < count; ++k) {
        if (added[k].id >= 0) continue;
        return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                        "a particle with the id %d is added; ids below 0 are those of copies",
                        (int)added[k].id);
    }
    return PLI_OK;
}

pli_status pli_stepper_add(pli_stepper *s, int32_t kind, int64_t count, const pli_particle *added)
{
    PLI_TRY(check_added(s, kind, count, added));
    beginning job = {s, kind, s->particles->block_count};
    PLI_TRY(reserve_clocks(s, job.old_block_count));
    for (int32_t block = 0; block < job.old_block_count; ++block) {
        pli_particle_place place = {block, 0};
        s->due[block] = pli_particles_list(s->particles, place, kind)->count;
    }
    PLI_TRY(pli_particles_add(s->particles, kind, count, added));
    pli_parallel_for(s->context, s->particles->block_count, 1, begin_blocks, &job);
    return PLI_OK;
}

void pli_stepper_clear(pli_stepper *s)
{
    pli_particles_clear(s->particles);
    s->clock_count = 0;
    s->report = (pli_stepper_report){0};
}

pli_status pli_stepper_set_tick(pli_stepper *s, double tick)
{
    if (!(tick > 0) || !isfinite(tick)) {
        return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                        "ticks of %g s; they must be positive and finite", tick);
    }
    s->def.tick = tick;
    return PLI_OK;
}

const pli_particles *pli_stepper_particles(const pli_stepper *s)
{
    return s->particles;
}

pli_stepper_report pli_stepper_get_report(const pli_stepper *s)
{
    return s->report;
}

// ---- time

// All sweeps at a time, those of the longest step first. Returns the shortest step in *shortest.
static pli_status run_sweeps(pli_stepper *s, int32_t time, int32_t *shortest)
{
    int32_t longest = 1;
    *shortest = s->def.longest;
    for (int32_t k = 0; k < s->clock_count; ++k) {
        const pli_block_clock *clock = &s->clocks[k];
        if (s->particles->blocks[k].count == 0) continue;
        if (clock->time == time && clock->step > longest) longest = clock->step;
        if (clock->step < *shortest) *shortest = clock->step;
        if (clock->buffer_step > 0 && clock->buffer_step < *shortest)
            *shortest = clock->buffer_step;
    }
    for (int32_t step = longest; step >= *shortest; step /= 2) {
        PLI_TRY(pli_stepper_sweep(s, time, step));
    }
    return PLI_OK;
}

double pli_stepper_limit(const pli_stepper *s)
{
    double limit = INFINITY;
    for (int32_t block = 0; block < s->particles->block_count; ++block) {
        limit = fmin(limit, pli_stepper_block_limit(s, block));
    }
    return limit;
}

static pli_status check_ticks(const pli_stepper *s, int64_t ticks)
{
    if (ticks >= 0 && ticks <= MOST_TICKS) return PLI_OK;
    return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                    "%" PRId64 " ticks at once; allowed are 0 to %d", ticks, MOST_TICKS);
}

pli_status pli_stepper_preview(pli_stepper *s, int64_t ticks, pli_stepper_plan *plans)
{
    PLI_TRY(check_ticks(s, ticks));
    s->clock_count = 0;
    PLI_TRY(pli_stepper_grow(s, 0));
    PLI_TRY(pli_stepper_schedule(s, 0, (int32_t)ticks));
    for (int32_t block = 0; block < s->particles->block_count; ++block) {
        const pli_block_clock *clock = &s->clocks[block];
        plans[block] = (pli_stepper_plan){clock->step, clock->copies};
    }
    return PLI_OK;
}

static pli_status run(pli_stepper *s, int32_t end)
{
    s->clock_count = 0;
    PLI_TRY(pli_stepper_grow(s, 0));
    for (int32_t time = 0, shortest; time < end; time += shortest) {
        PLI_TRY(pli_stepper_schedule(s, time, end));
        PLI_TRY(run_sweeps(s, time, &shortest));
    }
    PLI_TRY(pli_stepper_schedule(s, end, end));
    pli_particles_drop_empty(s->particles, s->def.forget, s->def.user);
    s->report.time += end;
    return PLI_OK;
}

// Puts particles of both layers together and drops all copies.
static void rejoin(pli_stepper *s)
{
    for (int32_t block = 0; block < s->particles->block_count; ++block) {
        int32_t id = INT32_MIN;
        do {
            id = pli_particles_sift(s->particles, block, id, true);
        } while (id > INT32_MIN);
        pli_particles_recount(s->particles, block);
    }
}

typedef struct run_task {
    pli_stepper *stepper;
    int32_t end;
    pli_status status;
} run_task;

static void run_all(void *user)
{
    run_task *task = user;
    task->status = run(task->stepper, task->end);
}

pli_status pli_stepper_advance(pli_stepper *s, int64_t ticks)
{
    PLI_TRY(check_ticks(s, ticks));
    double start = pli_clock_seconds();
    double transfer = s->report.transfer_seconds;
    // sweeps are many short loops: workers stand by
    run_task task = {.stepper = s, .end = (int32_t)ticks};
    pli_parallel_team(s->context, run_all, &task);
    pli_status status = task.status;
    if (status != PLI_OK) rejoin(s);
    transfer = s->report.transfer_seconds - transfer;
    s->report.schedule_seconds += pli_clock_seconds() - start - transfer;
    return status;
}
