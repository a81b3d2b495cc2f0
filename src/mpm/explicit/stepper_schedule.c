// SPDX-License-Identifier: Apache-2.0
//
// What happens between sweeps: particles are put where they belong, copies expire, steps are
// chosen.
#include "mpm/explicit/stepper_inside.h"

#include "math/vec3.h"

#include <math.h>

static bool is_layer_empty(const pli_stepper *s, int32_t block, int32_t layer)
{
    for (int32_t kind = 0; kind < s->def.kind_count; ++kind) {
        if (pli_particles_list(s->particles, (pli_particle_place){block, layer}, kind)->count > 0)
            return false;
    }
    return true;
}

// ---- particles that crossed

// At home in a block that is at the same time, in the second layer of one that is ahead. That is
// made ready to go on with the step that the particle comes from; if it has gone on already, with a
// longer one, the particle rests until the time that it is at.
typedef struct settling {
    pli_stepper *stepper;
    int32_t time;
} settling;

static int32_t choose_home(void *user, pli_particle_place from, int32_t block)
{
    const settling *job = user;
    pli_stepper *s = job->stepper;
    if (block >= s->clock_count) return from.layer; // made just now
    pli_block_clock *clock = &s->clocks[block];
    if (from.layer == 0 && clock->time == job->time) return 0;
    const pli_block_clock *source = &s->clocks[from.block];
    int32_t step = from.layer == 0 ? source->step : source->buffer_step;
    if (clock->buffer_step == 0) clock->buffer_time = job->time;
    if (clock->buffer_step == 0 || step < clock->buffer_step) clock->buffer_step = step;
    if (from.layer == 1 && source->expiry < clock->expiry) clock->expiry = source->expiry;
    return 1;
}

// Empty blocks are at any time.
static void list_due(pli_stepper *s, int32_t time)
{
    s->due_count = 0;
    for (int32_t block = 0; block < s->clock_count; ++block) {
        if (s->particles->blocks[block].count == 0) {
            s->clocks[block].time = time;
        } else if (s->clocks[block].time == time)
            s->due[s->due_count++] = block;
    }
}

static int64_t list_places(pli_stepper *s, int32_t time)
{
    int64_t count = 0;
    for (int32_t block = 0; block < s->clock_count; ++block) {
        const pli_block_clock *clock = &s->clocks[block];
        bool has_buffer = clock->buffer_step > 0 && clock->buffer_time == time;
        if (clock->time == time) s->places[count++] = (pli_particle_place){block, 0};
        if (has_buffer) s->places[count++] = (pli_particle_place){block, 1};
    }
    return count;
}

static pli_status settle(pli_stepper *s, int32_t time)
{
    settling job = {s, time};
    list_due(s, time);
    int64_t count = list_places(s, time);
    PLI_TRY(pli_particles_settle(s->particles, count, s->places, choose_home, &job));
    int32_t known = s->clock_count;
    PLI_TRY(pli_stepper_grow(s, time));
    // copies may have come to blocks that were made for them
    for (int32_t block = known; block < s->clock_count; ++block) {
        if (is_layer_empty(s, block, 1)) continue;
        s->clocks[block].buffer_step = 1;
        s->clocks[block].buffer_time = time;
        s->clocks[block].expiry = time;
    }
    return PLI_OK;
}

// Copies whose originals are here now go; who waited for its block joins it.
static void sift(pli_stepper *s, int32_t time)
{
    for (int32_t block = 0; block < s->clock_count; ++block) {
        pli_block_clock *clock = &s->clocks[block];
        bool joins = clock->time == time;
        if (clock->buffer_step == 0 || !(joins || clock->expiry <= time)) continue;
        int32_t id = pli_particles_sift(s->particles, block, pli_stepper_copy_id(time), joins);
        clock->expiry = id > INT32_MIN ? pli_stepper_copy_id(id) : INT32_MAX;
        if (is_layer_empty(s, block, 1)) clock->buffer_step = 0;
    }
}

// ---- blocks that are left

// Gives empty blocks back when they are as many as others, at times when everybody is there and no
// copies are. Blocks have other numbers then, and restart.
static pli_status drop_empty(pli_stepper *s, int32_t time)
{
    if (time % s->def.longest != 0) return PLI_OK;
    int32_t empty_count = 0;
    for (int32_t block = 0; block < s->clock_count; ++block) {
        if (s->clocks[block].buffer_step > 0) return PLI_OK;
        empty_count += s->particles->blocks[block].count == 0;
    }
    if (2 * empty_count < s->clock_count) return PLI_OK;
    pli_particles_drop_empty(s->particles, s->def.forget, s->def.user);
    s->clock_count = 0;
    return pli_stepper_grow(s, time);
}

// ---- steps

// What viscosity allows (s): it spreads momentum over a cell, at 4/3 of it along the motion.
static double find_viscous_limit(const pli_stepper *s, const pli_material *material)
{
    double spread = 8.0 / 3 * material->viscosity / material->density;
    return spread > 0 ? s->def.sound_share * s->def.dx * s->def.dx / spread : INFINITY;
}

// What gravity allows (s): even from rest nobody falls farther than advection may go. Only matter
// so soft that sound crosses a cell more slowly takes notice.
static double find_falling_limit(const pli_stepper *s)
{
    double g = pli_vec3_norm(s->def.gravity);
    return g > 0 ? sqrt(s->def.advection_share * s->def.dx / g) : INFINITY;
}

double pli_stepper_block_limit(const pli_stepper *s, int32_t block)
{
    double sound2 = 0, speed2 = 0, viscous = INFINITY;
    for (int32_t kind = 0; kind < s->def.kind_count; ++kind) {
        const pli_particle_list *list =
            pli_particles_list(s->particles, (pli_particle_place){block, 0}, kind);
        if (list->count == 0) continue;
        sound2 = fmax(sound2, (double)list->sound2);
        speed2 = fmax(speed2, (double)list->speed2);
        viscous = fmin(viscous, find_viscous_limit(s, &s->kinds[kind].material));
    }
    double dx = s->def.dx;
    double limit = fmin(viscous, s->def.sound_share * dx / sqrt(sound2));
    limit = fmin(limit, find_falling_limit(s));
    return fmin(limit, s->def.advection_share * dx / sqrt(speed2));
}

// The largest power of two of ticks within a limit (s), the rest of the time, and what the time is
// a multiple of.
static int32_t choose_step(const pli_stepper *s, double limit, int32_t time, int32_t end)
{
    int32_t step = 1;
    while (2 * step <= s->def.longest && 2 * step * s->def.tick <= limit &&
           time % (2 * step) == 0 && time + 2 * step <= end) {
        step *= 2;
    }
    return step;
}

// Blocks without particles of their own go with the smallest.
static void choose_steps(pli_stepper *s, int32_t time, int32_t end)
{
    int32_t smallest = s->def.longest;
    for (int32_t k = 0; k < s->due_count; ++k) {
        int32_t block = s->due[k];
        if (is_layer_empty(s, block, 0)) continue;
        double limit = pli_stepper_block_limit(s, block);
        s->clocks[block].step = choose_step(s, limit, time, end);
        s->clocks[block].is_hasty = limit < s->clocks[block].step * s->def.tick;
        if (s->clocks[block].step < smallest) smallest = s->clocks[block].step;
    }
    for (int32_t k = 0; k < s->due_count; ++k) {
        pli_block_clock *clock = &s->clocks[s->due[k]];
        bool follows = !s->def.is_regional || is_layer_empty(s, s->due[k], 0);
        if (follows) clock->step = choose_step(s, smallest * s->def.tick, time, end);
    }
}

// The shortest step of a block and its neighbours, of those only that have particles of their own
// if so wanted.
static int32_t find_shortest(const pli_stepper *s, int32_t block, bool with_own)
{
    int32_t shortest = s->clocks[block].step;
    for (int32_t way = 0; way < PLI_STEPPER_WAYS; ++way) {
        int32_t other = pli_stepper_neighbor(s, block, way);
        if (other < 0 || s->clocks[other].step >= shortest) continue;
        if (!with_own || !is_layer_empty(s, other, 0)) shortest = s->clocks[other].step;
    }
    return shortest;
}

// Blocks next to a shorter step take it too.
static void guard_steps(pli_stepper *s)
{
    for (int32_t k = 0; k < s->due_count; ++k) s->moved[k] = find_shortest(s, s->due[k], true);
    for (int32_t k = 0; k < s->due_count; ++k) s->clocks[s->due[k]].step = s->moved[k];
}

// ---- buffers

// Buffers go with the shortest step around; a block that is longer than that leaves copies.
static void choose_buffers(pli_stepper *s, int32_t time)
{
    for (int32_t block = 0; block < s->clock_count; ++block) {
        pli_block_clock *clock = &s->clocks[block];
        bool is_due = clock->time == time;
        clock->copies = false;
        if (is_due) clock->is_copied = false;
        if (!is_due && clock->buffer_step == 0) continue;
        int32_t shortest = find_shortest(s, block, false);
        if (is_due) {
            clock->copies = shortest < clock->step && !is_layer_empty(s, block, 0);
            clock->buffer_step = clock->copies || clock->buffer_step > 0 ? shortest : 0;
            clock->buffer_time = time;
        } else if (clock->buffer_time == time && shortest < clock->buffer_step) {
            clock->buffer_step = shortest;
        }
    }
}

pli_status pli_stepper_schedule(pli_stepper *s, int32_t time, int32_t end)
{
    PLI_TRY(settle(s, time));
    sift(s, time);
    PLI_TRY(drop_empty(s, time));
    list_due(s, time);
    if (time == end) return PLI_OK;
    choose_steps(s, time, end);
    if (!s->def.is_regional) return PLI_OK;
    if (s->def.is_guarded) guard_steps(s);
    choose_buffers(s, time);
    return PLI_OK;
}
