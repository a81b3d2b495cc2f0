// SPDX-License-Identifier: Apache-2.0
//
// Explicit steps: bodies that fall and turn, wrong definitions, memory, and particles
// that leave, with one step for all and with regions.
#include "step_world.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/addresses.h"
#include "base/context.h"

static const double rounding = 6e-8; // of a float

// ---- motion

// z_n = z_0 + n h v_0 - g h^2 n (n + 1) / 2, whatever the material: nothing strains
static void bodies_fall_as_the_formula_has_it(void **state)
{
    (void)state;
    for (int is_regional = 0; is_regional < 2; ++is_regional) {
        pli_context *context = make_context(2);
        step_world *w = world_make(context, 4, 5, 5);
        w->def.gravity[1] = -9.81;
        w->def.longest = 4;
        w->def.is_regional = is_regional;
        world_create(w);
        world_add_box(w, 0, &(world_box){{3, 9, 3}, {8, 14, 12}, .per_cell = 2, .v = {0.25, 0, 0}});
        world_collect(w);
        pli_particle *start = malloc((size_t)w->count * sizeof *start);
        assert_non_null(start);
        memcpy(start, w->all, (size_t)w->count * sizeof *start);

        const int32_t n = 128;
        world_advance(w, 4 * n);
        assert_int_equal(pli_stepper_get_report(w->stepper).sweeps, n);
        world_collect(w);
        double h = 4 * w->def.tick;
        for (int32_t id = 0; id < w->count; ++id) {
            double drop = 9.81 * h * h * n * (n + 1) / 2 / w->def.dx;
            double way = h * n * 0.25 / w->def.dx;
            const pli_particle *p = &w->all[id];
            // velocities pass through a sum of 27 nodes in every step: some roundings of the
            // fastest one each, over a way of n such steps
            double slack = 4 * rounding * n * drop;
            NEAR(p->position[0], start[id].position[0] + way, 0, slack);
            NEAR(p->position[1], start[id].position[1] - drop, 0, slack);
            NEAR(p->position[2], start[id].position[2], 0, slack);
            NEAR((double)p->v[1], -9.81 * h * n, 4 * rounding * n, 0);
        }
        free(start);
        world_destroy(w);
        pli_context_destroy(context);
    }
}

// APIC keeps it, elastic forces included, for a symmetric stress adds no torque.
static void a_turning_ball_keeps_its_angular_momentum_over_a_turn(void **state)
{
    pli_context *context = *state;
    step_world *w = world_make(context, 5, 5, 4);
    w->def.is_regional = false;
    world_create(w);
    const double spin = 10;
    world_add_box(
        w, 0,
        &(world_box){{4, 4, 8}, {12, 12, 16}, .per_cell = 2, .spin = {0, 0, spin}, .radius = 4});
    world_sums before = world_sum(w);
    world_advance(w, (int64_t)(2 * 3.14159265 / spin / w->def.tick));
    world_sums after = world_sum(w);
    double steps = (double)pli_stepper_get_report(w->stepper).sweeps;
    AT_LEAST(steps, 100);
    NEAR(after.mass, before.mass, 0, 0);
    // errors of single steps have no direction in common, so their sum grows like the root of the
    // number of particles and steps; m |x| |v| of all is the size of what is rounded
    double size = before.speed * w->def.dx * 16;
    for (int k = 0; k < 3; ++k) {
        NEAR(after.momentum[k], before.momentum[k], 0, 4 * rounding * before.speed * sqrt(steps));
        NEAR(after.spin[k], before.spin[k], 0, 4 * rounding * size * sqrt(steps));
    }
    // it did turn: what is kept is not what stands still
    AT_LEAST(before.spin[2], 1e-2);
    AT_LEAST(after.kinetic, 0.5 * before.kinetic);
    world_destroy(w);
}

// ---- threads

static uint64_t hash_of_run(int32_t threads, bool is_regional)
{
    pli_context *context = make_context(threads);
    step_world *w = world_make(context, 7, 7, 5);
    w->def.gravity[2] = -9.81;
    w->def.is_regional = is_regional;
    w->def.kind_count = 3;
    w->kinds[1].material = material_solid("hencky", 1000, 4e5, 0.3);
    w->kinds[2].material = material_fluid(1000, 1e4, 7);
    world_create(w);
    world_add_box(w, 0, &(world_box){{3, 3, 3}, {9, 13, 13}, .per_cell = 2, .v = {1, 0, 0}});
    world_add_box(w, 1, &(world_box){{11, 5, 5}, {17, 14, 14}, .per_cell = 2, .v = {-1, 0.5, 0}});
    world_add_box(w, 2, &(world_box){{5, 5, 14}, {15, 15, 19}, .per_cell = 2, .v = {0, 0, -1}});
    world_advance(w, 150);
    world_advance(w, 77);
    world_collect(w);
    uint64_t hash = world_hash(w);
    world_destroy(w);
    pli_context_destroy(context);
    return hash;
}

static void bits_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int is_regional = 0; is_regional < 2; ++is_regional) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_of_run(bits.threads, is_regional));
        }
    }
}

// ---- definitions

typedef void (*spoil_fn)(step_world *w);

static void spoil_dx(step_world *w)
{
    w->def.dx = 0;
}

static void spoil_dx_more(step_world *w)
{
    w->def.dx = NAN;
}

static void spoil_tick(step_world *w)
{
    w->def.tick = -1;
}

static void spoil_tick_more(step_world *w)
{
    w->def.tick = INFINITY;
}

static void spoil_longest(step_world *w)
{
    w->def.longest = 3;
}

static void spoil_longest_more(step_world *w)
{
    w->def.longest = 1 << PLI_STEPPER_LEVELS;
}

static void spoil_sound(step_world *w)
{
    w->def.sound_share = 1.5;
}

static void spoil_advection(step_world *w)
{
    w->def.advection_share = 0;
}

static void spoil_volume(step_world *w)
{
    w->kinds[0].volume = -1;
}

static void spoil_kinds(step_world *w)
{
    w->def.kind_count = 0;
}

static void spoil_kinds_more(step_world *w)
{
    w->def.kind_count = -3;
}

static void spoil_blocks(step_world *w)
{
    w->def.blocks[1] = 1;
}

static void spoil_room(step_world *w)
{
    w->def.particle_room = 0;
}

static void spoil_room_more(step_world *w)
{
    w->def.particle_room = INT64_MAX;
}

static void spoil_gravity(step_world *w)
{
    w->def.gravity[2] = NAN;
}

static void wrong_definitions_are_refused(void **state)
{
    (void)state;
    static const struct {
        spoil_fn spoil;
        const char *says;
    } table[] = {
        {spoil_dx, "cells of 0 m"},           {spoil_dx_more, "cells of nan m"},
        {spoil_tick, "ticks of -1 s"},        {spoil_tick_more, "ticks of inf s"},
        {spoil_longest, "longest step is 3"}, {spoil_longest_more, "power of two"},
        {spoil_sound, "1.5 of what sound"},   {spoil_advection, "0 of what particles"},
        {spoil_volume, "stands for -1 m^3"},  {spoil_kinds, "0 kinds"},
        {spoil_kinds_more, "-3 kinds"},       {spoil_blocks, "1 x 5 blocks"},
        {spoil_room, "room for 0 particles"}, {spoil_room_more, "particles"},
        {spoil_gravity, "gravity"},
    };
    pli_fault fault = {0};
    pli_context *context = fault_context(&fault, 1);
    int64_t alive = fault.live_blocks;
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        step_world *w = world_make(context, 5, 5, 5);
        table[k].spoil(w);
        pli_stepper *stepper = (pli_stepper *)w;
        assert_int_equal(pli_stepper_create(context, &w->def, &stepper), PLI_ERROR_ARGUMENT);
        assert_null(stepper);
        char message[512];
        pli_context_message(context, message, sizeof message);
        if (strstr(message, table[k].says) == NULL) fail_msg("row %zu: %s", k, message);
        assert_int_equal(fault.live_blocks, alive);
        free(w);
    }
    pli_context_destroy(context);
    pli_stepper_destroy(NULL);
}

static void expect_refused(step_world *w, int32_t kind, int64_t count, const pli_particle *added,
                           const char *says)
{
    uint64_t hash = world_hash(w);
    assert_int_equal(pli_stepper_add(w->stepper, kind, count, added), PLI_ERROR_ARGUMENT);
    char message[512];
    pli_context_message(w->context, message, sizeof message);
    if (strstr(message, says) == NULL) fail_msg("%s", message);
    world_collect(w);
    assert_true(world_hash(w) == hash);
}

static void wrong_particles_and_times_are_refused(void **state)
{
    pli_context *context = *state;
    step_world *w = world_make(context, 4, 4, 4);
    w->def.particle_room = 300;
    world_create(w);
    world_add_box(w, 0, &(world_box){{4, 4, 8}, {6, 6, 10}, .per_cell = 2});
    pli_particle p = world_particle(7, (const double[3]){5, 5, 9});
    expect_refused(w, 1, 1, &p, "kind 1");
    expect_refused(w, 0, -1, &p, "-1 particles");
    expect_refused(w, 0, 300, &p, "room for 300");
    p.position[2] = 25;
    expect_refused(w, 0, 1, &p, "particle 7");
    // negative ids are those of copies
    p = world_particle(-2, (const double[3]){5, 5, 9});
    expect_refused(w, 0, 1, &p, "-2");
    assert_int_equal(pli_stepper_advance(w->stepper, -1), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_stepper_advance(w->stepper, INT64_MAX), PLI_ERROR_ARGUMENT);
    world_advance(w, 0);
    world_collect(w);
    world_destroy(w);
}

// ---- adding

// Particles that are there already keep their bits, whatever their law remembers.
static void adding_particles_leaves_others_as_they_are(void **state)
{
    pli_context *context = *state;
    step_world *w = world_make(context, 6, 6, 5);
    w->def.kind_count = 4;
    w->def.tick = 1.0 / 16384;
    pli_material corotated = material_solid("fixed-corotated", 400, 1.04e5, 0.3);
    pli_material hencky = material_solid("hencky", 400, 1.04e5, 0.3);
    w->kinds[1].material =
        material_yielding(corotated, PLI_YIELD_SNOW, &(pli_snow_def){0.025, 0.0075, 5, 0.5, 2});
    w->kinds[2].material =
        material_yielding(hencky, PLI_YIELD_DRUCKER_PRAGER, &(pli_drucker_prager_def){28.6, true});
    w->kinds[3].material =
        material_yielding(corotated, PLI_YIELD_VON_MISES, &(pli_von_mises_def){2e3, 0});
    w->kinds[3].material.viscosity = 2;
    world_create(w);
    for (int32_t kind = 0; kind < 4; ++kind) {
        double x = 3 + 4 * (kind % 2), y = 3 + 4 * (kind / 2);
        world_add_box(w, kind,
                      &(world_box){{x, y, 6},
                                   {x + 4, y + 4, 12},
                                   .per_cell = 2,
                                   .v = {kind % 2 ? -2.0 : 2.0, kind / 2 ? -2.0 : 2.0, 0}});
    }
    world_advance(w, 400);
    world_collect(w);
    int32_t count = w->count;
    pli_particle *before = malloc((size_t)count * sizeof *before);
    assert_non_null(before);
    memcpy(before, w->all, (size_t)count * sizeof *before);

    // into the same blocks
    world_add_box(w, 1, &(world_box){{4, 4, 7}, {6, 6, 9}, .per_cell = 2});
    world_collect(w);
    for (int32_t id = 0; id < count; ++id) {
        // all but the bytes that pad the record
        assert_memory_equal(&w->all[id], &before[id], offsetof(pli_particle, id) + sizeof(int32_t));
    }
    free(before);
    world_destroy(w);
}

// ---- memory

// A body that crosses the domain back and forth between walls.
static void bounce(void *user, uint32_t code, float *page, double dt)
{
    (void)dt;
    const pli_paged_grid *grid = *(pli_paged_grid *const *)user;
    int32_t at[3];
    pli_paged_grid_coordinates(grid, code, at);
    for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
        int32_t i = PLI_BLOCK_X * at[0] + node / 32;
        float *v = page + PLI_NODE_FLOATS * node + 4;
        if (i <= 3) v[0] = fmaxf(v[0], 0);
        if (i >= PLI_BLOCK_X * (grid->blocks[0] - 1) - 3) v[0] = fminf(v[0], 0);
    }
}

static step_world *make_bouncing(pli_context *context, bool is_regional, pli_paged_grid **grid)
{
    step_world *w = world_make(context, 7, 4, 4);
    w->def.is_regional = is_regional;
    w->def.kind_count = 2;
    w->kinds[0].material = material_solid("fixed-corotated", 1000, 4e4, 0.3);
    w->kinds[1].material = material_solid("fixed-corotated", 1000, 1e6, 0.3);
    w->def.constrain = bounce;
    w->def.user = grid;
    return w;
}

static void fill_bouncing(step_world *w, pli_paged_grid **grid)
{
    *grid = pli_stepper_particles(w->stepper)->grid;
    world_add_box(w, 0, &(world_box){{4, 4, 6}, {10, 8, 10}, .per_cell = 2, .v = {2, 0, 0}});
    world_add_box(w, 1, &(world_box){{11, 4, 6}, {15, 8, 10}, .per_cell = 2, .v = {2, 0, 0}});
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    for (int is_regional = 0; is_regional < 2; ++is_regional) {
        pli_context *context = make_context(2);
        pli_paged_grid *grid = NULL;
        step_world *w = make_bouncing(context, is_regional, &grid);
        world_create(w);
        fill_bouncing(w, &grid);
        // there and back once takes some 2000 ticks, and has met the most that there is to hold
        for (int k = 0; k < 40; ++k) world_advance(w, 100);
        int64_t count = pli_context_allocation_count(context);
        for (int k = 0; k < 40; ++k) world_advance(w, 100);
        assert_int_equal(pli_context_allocation_count(context), count);
        world_collect(w);
        if (is_regional) AT_LEAST((double)pli_stepper_get_report(w->stepper).buffer_updates, 1);
        world_destroy(w);
        pli_context_destroy(context);
    }
}

// Ends with the first failure; what is there afterwards is complete and goes on.
static pli_status live(step_world *w, pli_paged_grid **grid, fault_sweep *sweep)
{
    PLI_TRY(pli_stepper_create(w->context, &w->def, &w->stepper));
    *grid = pli_stepper_particles(w->stepper)->grid;
    pli_particle added[64];
    for (int32_t k = 0; k < 64; ++k) {
        const double x[3] = {4 + 0.1 * k, 5 + 0.04 * k, 7 + 0.03 * k};
        added[k] = world_particle(k, x);
        added[k].v[0] = 4;
        added[k].v[1] = k % 2 ? 2 : -1;
        added[k].v[2] = k % 3 ? 1 : -2;
    }
    for (int32_t part = 0; part < 2; ++part) {
        pli_status status = pli_stepper_add(w->stepper, part, 32, &added[32 * part]);
        if (status != PLI_OK) fault_sweep_pause(sweep);
        for (int32_t k = 0; k < 32 && status == PLI_OK; ++k) w->kind[32 * part + k] = part;
        if (status == PLI_OK) w->count += 32;
        world_collect(w);
        PLI_TRY(status);
    }
    for (int32_t frame = 0; frame < 6; ++frame) {
        pli_status status = pli_stepper_advance(w->stepper, 64);
        if (status != PLI_OK) {
            fault_sweep_pause(sweep);
            world_collect(w);
            OK(w->context, pli_stepper_advance(w->stepper, 64));
        }
        world_collect(w);
        PLI_TRY(status);
    }
    return PLI_OK;
}

static void any_failing_allocation_is_told_and_loses_nothing(void **state)
{
    (void)state;
    for (int is_regional = 0; is_regional < 2; ++is_regional) {
        // the object, kinds, grid, particles; seven arrays of blocks, pages, movers and sources
        for (fault_sweep sweep = {.at_least = 14}; fault_sweep_next(&sweep);) {
            pli_paged_grid *grid = NULL;
            fault_sweep_pause(&sweep);
            step_world *w = make_bouncing(sweep.context, is_regional, &grid);
            fault_sweep_resume(&sweep);
            sweep.status = live(w, &grid, &sweep);
            world_destroy(w);
        }
    }
}

// ---- leaving

// A stiff and a soft body; one particle of the stiff one is too fast.
static void who_leaves_the_domain_is_named_and_nobody_is_lost(void **state)
{
    (void)state;
    for (int is_regional = 0; is_regional < 2; ++is_regional) {
        pli_context *context = make_context(2);
        step_world *w = world_make(context, 5, 4, 4);
        w->def.is_regional = is_regional;
        w->def.kind_count = 2;
        w->kinds[1].material = material_solid("fixed-corotated", 1000, 4e5, 0.3);
        world_create(w);
        world_add_box(w, 0, &(world_box){{2, 4, 6}, {9, 10, 12}, .per_cell = 2, .v = {0.5, 0, 0}});
        world_add_box(w, 1, &(world_box){{9, 4, 6}, {12, 10, 12}, .per_cell = 2, .v = {0.5, 0, 0}});
        pli_particle p = world_particle(0, (const double[3]){15.2, 6, 20});
        p.v[0] = 4;
        world_add(w, 1, 1, &p);
        int32_t id = w->count - 1;
        pli_status status = pli_stepper_advance(w->stepper, 1024);
        assert_int_equal(status, PLI_ERROR_NUMERIC);
        char message[512], name[32];
        pli_context_message(context, message, sizeof message);
        snprintf(name, sizeof name, "particle %d left", (int)id);
        if (strstr(message, name) == NULL) fail_msg("%s", message);
        world_collect(w);
        AT_LEAST(w->all[id].position[0], 16);
        // it is still out there, and told again
        assert_int_equal(pli_stepper_advance(w->stepper, 64), PLI_ERROR_NUMERIC);
        world_collect(w);
        world_destroy(w);
        pli_context_destroy(context);
    }
}

// ---- pages

enum { FLIGHT_BLOCKS = 120 };

// Which pages have memory, by what a stepper says.
typedef struct page_ledger {
    step_world *world;
    bool has_memory[8192]; // by code
    int32_t count, most, given_back;
} page_ledger;

static void note_page(void *user, uint32_t code, float *page, double dt)
{
    page_ledger *ledger = user;
    (void)page;
    (void)dt;
    assert_true(code < 8192);
    ledger->count += !ledger->has_memory[code];
    ledger->has_memory[code] = true;
    if (ledger->count > ledger->most) ledger->most = ledger->count;
}

static void note_forgotten(void *user, uint32_t code)
{
    page_ledger *ledger = user;
    // it was there, and no block with particles writes to it
    assert_true(ledger->has_memory[code]);
    const pli_particles *particles = pli_stepper_particles(ledger->world->stepper);
    int32_t at[3];
    pli_paged_grid_coordinates(particles->grid, code, at);
    for (int32_t b = 0; b < particles->block_count; ++b) {
        const pli_particle_block *block = &particles->blocks[b];
        bool writes = block->count > 0;
        for (int k = 0; k < 3; ++k) {
            writes = writes && (at[k] == block->at[k] || at[k] == block->at[k] + 1);
        }
        assert_false(writes);
    }
    ledger->has_memory[code] = false;
    --ledger->count;
    ++ledger->given_back;
}

// A body that flies along a domain of a hundred times its length, in one call or in many, has no
// more pages at a time than a few times what it is in, and the system says so too.
static void pages_that_a_body_left_are_given_back(void **state)
{
    (void)state;
    for (int calls = 1; calls <= 256; calls *= 16) {
        pli_context *context = make_context(1);
        step_world *w = world_make(context, FLIGHT_BLOCKS, 3, 3);
        page_ledger *ledger = calloc(1, sizeof *ledger);
        assert_non_null(ledger);
        ledger->world = w;
        w->def.constrain = note_page;
        w->def.forget = note_forgotten;
        w->def.user = ledger;
        w->def.longest = 16;
        world_create(w);
        world_add_box(w, 0, &(world_box){{1, 3, 6}, {3, 5, 8}, .per_cell = 2, .v = {27, 0, 0}});
        // a second: 432 cells, a hundred blocks
        const int64_t ticks = 4096;
        for (int call = 0; call < calls; ++call) world_advance(w, ticks / calls);
        world_collect(w);
        AT_LEAST(w->all[0].position[0], 27.0 * 16 * (double)ticks / 4096);
        const pli_particles *particles = pli_stepper_particles(w->stepper);
        assert_int_equal(pli_addresses_touched(particles->grid->pages,
                                               (int64_t)particles->grid->code_count *
                                                   PLI_PAGE_FLOATS * (int64_t)sizeof(float)),
                         (int64_t)ledger->count * PLI_PAGE_FLOATS * (int64_t)sizeof(float));
        print_message("flight in %d calls: %d pages at most, %d given back\n", calls, ledger->most,
                      ledger->given_back);
        assert_true(particles->block_count <= 8);
        // what it passes is a hundred slabs of nine pages; up to 64 blocks, four a slab, are kept
        // in mind, and it is in two or three slabs
        AT_MOST(ledger->most, (64 / 4 + 8) * 9);
        AT_LEAST(ledger->given_back, 64 * 9);
        free(ledger);
        world_destroy(w);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_fall_as_the_formula_has_it),
        TEST_IN_CONTEXT(a_turning_ball_keeps_its_angular_momentum_over_a_turn, 2),
        cmocka_unit_test(bits_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(wrong_definitions_are_refused),
        TEST_IN_CONTEXT(wrong_particles_and_times_are_refused, 1),
        TEST_IN_CONTEXT(adding_particles_leaves_others_as_they_are, 1),
        cmocka_unit_test(warm_steps_allocate_nothing),
        cmocka_unit_test(any_failing_allocation_is_told_and_loses_nothing),
        cmocka_unit_test(who_leaves_the_domain_is_named_and_nobody_is_lost),
        cmocka_unit_test(pages_that_a_body_left_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
