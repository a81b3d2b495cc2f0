// SPDX-License-Identifier: Apache-2.0
//
// Particles in blocks: settling, fixed point, what is refused and what fails.
#include "particle_world.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"

// ---- settling

static void nothing_is_lost_in_thousands_of_moves(void **state)
{
    (void)state;
    // crowded, thin, and with more blocks than particles
    const struct {
        int32_t blocks[3], kind_count, count, steps;
    } cases[] = {
        {{3, 3, 3}, 1, 3000, 300},  {{4, 3, 5}, 3, 1500, 600}, {{2, 9, 2}, 2, 200, 1000},
        {{17, 8, 9}, 5, 300, 1000}, {{2, 2, 2}, 4, 500, 20},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        world w = make_world(2, cases[k].blocks, cases[k].kind_count, cases[k].count);
        check_world(&w);
        for (int32_t step = 0; step < cases[k].steps; ++step) {
            move_all_at_random(&w, (uint64_t)step);
            OK(w.context, settle(w.particles));
            if (step % 7 == 3) pli_particles_drop_empty(w.particles, NULL, NULL);
            check_world(&w);
        }
        destroy_world(&w);
    }
}

// What makes the state: blocks, lists in their order, and the chunks that they are in.
static uint64_t hash_world(const world *w)
{
    const pli_particles *p = w->particles;
    uint64_t hash =
        pli_hash_bytes(PLI_HASH_START, p->blocks, (size_t)p->block_count * sizeof *p->blocks);
    hash = pli_hash_bytes(hash, p->lists,
                          (size_t)p->block_count * PLI_PARTICLE_LAYERS * (size_t)p->kind_count *
                              sizeof *p->lists);
    hash = pli_hash_bytes(hash, p->next, (size_t)p->chunk_count * sizeof *p->next);
    return pli_hash_bytes(hash, p->chunks, (size_t)p->chunk_count * sizeof *p->chunks);
}

static void order_does_not_depend_on_threads(void **state)
{
    (void)state;
    const int32_t blocks[3] = {8, 7, 6};
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        world w = make_world(bits.threads, blocks, 2, 20000);
        for (uint64_t step = 0; step < 25; ++step) {
            move_all_at_random(&w, step);
            OK(w.context, settle(w.particles));
            same_bits_keep_hash(&bits, hash_world(&w));
        }
        check_world(&w);
        destroy_world(&w);
    }
}

static int32_t id_at(const world *w, int32_t block, int32_t place)
{
    int32_t chunk = pli_particles_list(w->particles, (pli_particle_place){block, 0}, 0)->first;
    for (int32_t k = 0; k < place / LANES; ++k) chunk = w->particles->next[chunk];
    return w->particles->chunks[chunk].id[place % LANES];
}

static void gaps_are_closed_from_behind_and_arrivals_appended_in_order(void **state)
{
    (void)state;
    // twenty particles in the first block and three in the next, along x
    world w = make_empty_world(make_context(1), (const int32_t[3]){3, 2, 2}, 1, 23);
    for (int32_t id = 0; id < 23; ++id) {
        w.whole[id][0] = (id < 20 ? 1 : 5) * (int64_t)PLI_PARTICLE_ONE;
    }
    OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){3, 2, 2}, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 1, 23, &w.particles));
    OK(w.context, add_particles(&w));

    // of 0 .. 19 these leave; 15 stay, so 16, 18 and 19 fill the gaps below 15
    const int32_t leaving[] = {2, 7, 8, 15, 17};
    for (int k = 0; k < 5; ++k) {
        int32_t chunk = leaving[k] / LANES;
        const int64_t by[3] = {3 * (int64_t)PLI_PARTICLE_ONE, 0, 0};
        move_particle(&w, 0, chunk, leaving[k] % LANES, by);
    }
    OK(w.context, settle(w.particles));
    check_world(&w);
    const int32_t stayed[] = {0, 1, 16, 3, 4, 5, 6, 18, 19, 9, 10, 11, 12, 13, 14};
    for (int k = 0; k < 15; ++k) assert_int_equal(id_at(&w, 0, k), stayed[k]);
    const int32_t arrived[] = {20, 21, 22, 2, 7, 8, 15, 17};
    for (int k = 0; k < 8; ++k) assert_int_equal(id_at(&w, 1, k), arrived[k]);
    destroy_world(&w);
}

static void idle_lanes_hold_particles_of_the_same_kind(void **state)
{
    (void)state;
    world w = make_world(2, (const int32_t[3]){4, 4, 3}, 3, 400);
    for (uint64_t step = 0; step < 50; ++step) {
        const pli_particles *p = w.particles;
        for (int64_t k = 0; k < (int64_t)p->block_count * PLI_PARTICLE_LAYERS * p->kind_count;
             ++k) {
            const pli_particle_list *list = &p->lists[k];
            for (int32_t lane = list->count % LANES; list->count > 0 && lane < LANES; ++lane) {
                // a full chunk has none
                if (list->count % LANES == 0) break;
                int32_t id = p->chunks[list->last].id[lane];
                assert_int_equal(w.kind[id], k % p->kind_count);
                assert_true(p->chunks[list->last].memory[lane] == (float)id + 0.25f);
            }
        }
        move_all_at_random(&w, step);
        OK(w.context, settle(w.particles));
    }
    destroy_world(&w);
}

// ---- blocks

static void drift(world *w, int32_t block, int32_t kind, int32_t chunk, int32_t lane)
{
    (void)kind;
    const int64_t by[3] = {3 * (int64_t)PLI_PARTICLE_ONE, 0, 0};
    move_particle(w, block, chunk, lane, by);
}

static void empty_blocks_are_dropped_and_everything_is_used_again(void **state)
{
    (void)state;
    // a cloud of two blocks' width that drifts through a long domain
    world w = make_empty_world(make_context(2), (const int32_t[3]){60, 3, 3}, 2, 1000);
    for (int32_t id = 0; id < w.count; ++id) w.whole[id][0] %= 2 * unit_of(0);
    OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){60, 3, 3}, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 2, w.count, &w.particles));
    OK(w.context, add_particles(&w));
    assert_int_equal(w.particles->block_count, 2 * 2 * 2);
    for (int32_t step = 0; step < 70; ++step) {
        visit_all(&w, drift);
        OK(w.context, settle(w.particles));
        pli_particles_drop_empty(w.particles, NULL, NULL);
        check_world(&w);
        // it covers three blocks at most, and all that it left is given back
        AT_MOST(w.particles->block_count, 3 * 2 * 2);
        for (int32_t b = 0; b < w.particles->block_count; ++b) {
            assert_true(w.particles->blocks[b].count > 0);
        }
        int32_t owned = 0;
        for (uint32_t code = 0; code < w.grid->code_count; ++code) owned += w.grid->table[code] > 0;
        assert_int_equal(owned, w.particles->block_count);
    }
    // chunks: full ones, and a last one for each of two kinds in each block that there was at once
    AT_MOST(w.particles->chunk_count, 1000 / LANES + 2 * 5 * 2 * 2);
    destroy_world(&w);
}

static void everything_may_leave_at_once(void **state)
{
    (void)state;
    world w = make_empty_world(make_context(1), (const int32_t[3]){4, 2, 2}, 1, 1 << 12);
    for (int32_t id = 0; id < w.count; ++id) w.whole[id][0] = 2 * (int64_t)PLI_PARTICLE_ONE;
    OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){4, 2, 2}, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 1, w.count, &w.particles));
    OK(w.context, add_particles(&w));
    int32_t chunks = w.particles->chunk_count;
    for (int32_t step = 0; step < 3; ++step) {
        visit_all(&w, drift);
        OK(w.context, settle(w.particles));
        check_world(&w);
    }
    // at 5, 8 and 11 cells: from block 0 over 1 to 2, through the same chunks
    assert_int_equal(w.particles->blocks[0].count, 0);
    assert_int_equal(w.particles->chunk_count, chunks);
    destroy_world(&w);
}

// Moves everything and puts it into the stash, which has room for a quarter and eight.
static void drift_into_stash(world *w)
{
    pli_particles *p = w->particles;
    visit_all(w, drift);
    for (int32_t chunk = 0; chunk < p->chunk_count; ++chunk) {
        if (p->outside[chunk] != 0) pli_particles_stash(p, chunk, p->outside[chunk]);
    }
}

static void movers_come_from_the_stash_or_from_their_chunks(void **state)
{
    (void)state;
    enum { COUNT = 40, ROOM = COUNT / 4 + LANES };
    world w = make_empty_world(make_context(1), (const int32_t[3]){8, 2, 2}, 1, COUNT);
    for (int32_t id = 0; id < w.count; ++id) w.whole[id][0] = 2 * (int64_t)PLI_PARTICLE_ONE;
    OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){8, 2, 2}, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 1, w.count, &w.particles));
    OK(w.context, add_particles(&w));
    pli_particles *p = w.particles;
    assert_int_equal(p->stash_room, ROOM);

    // two chunks find room; what is in them is not looked at again
    drift_into_stash(&w);
    int32_t found = 0;
    for (int32_t chunk = 0; chunk < COUNT / LANES; ++chunk) {
        if (p->stashed[chunk] < 0) continue;
        memset(p->chunks[chunk].F, 0, sizeof p->chunks[chunk].F);
        ++found;
    }
    assert_int_equal(found, ROOM / LANES);
    OK(w.context, settle(p));
    check_world(&w);
    assert_int_equal(p->stash_count, 0);

    // whoever moves particles otherwise recounts, and the stash is forgotten
    drift_into_stash(&w);
    for (int32_t block = 0; block < p->block_count; ++block) pli_particles_recount(p, block);
    for (int32_t chunk = 0; chunk < p->chunk_count; ++chunk) assert_int_equal(p->stashed[chunk], 0);
    memset(p->stash, 0, ROOM * 32 * sizeof(float));
    OK(w.context, settle(p));
    check_world(&w);
    assert_int_equal(p->stash_count, 0);
    destroy_world(&w);
}

// ---- adding

static void positions_round_to_fixed_point_and_never_beyond_their_block(void **state)
{
    (void)state;
    const double half = 0.5 / PLI_PARTICLE_ONE;
    const double x[] = {0, 1e-12, 3.9999999999999, 4, 7.3, 11.999999, 1.0 / 3, 12 - 2 * half};
    world w = make_empty_world(make_context(1), (const int32_t[3]){4, 4, 3}, 1, 1);
    OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){4, 4, 3}, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 1, 8, &w.particles));
    for (int32_t k = 0; k < 8; ++k) {
        pli_particle added = make_particle(0, (const double[3]){x[k], x[7 - k], 1.3 * x[k]});
        OK(w.context, pli_particles_add(w.particles, 0, 1, &added));
        // it is the last of the list of its block
        const pli_particle_list *list = NULL;
        int32_t block = 0;
        for (int32_t b = 0; b < w.particles->block_count; ++b) {
            const pli_particle_block *own = &w.particles->blocks[b];
            double low = own->at[0] * 4;
            if (x[k] + half < low || x[k] + half >= low + 4) continue;
            if (x[7 - k] + half < own->at[1] * 4 || x[7 - k] + half >= own->at[1] * 4 + 4) continue;
            if (1.3 * x[k] + half < own->at[2] * 8 || 1.3 * x[k] + half >= own->at[2] * 8 + 8) {
                continue;
            }
            list = pli_particles_list(w.particles, (pli_particle_place){b, 0}, 0);
            block = b;
        }
        assert_non_null(list);
        pli_particle got;
        pli_particles_get(w.particles, block, list->last, (list->count - 1) % LANES, &got);
        for (int axis = 0; axis < 3; ++axis) {
            // half of the last bit, and the rounding of this test's own sums
            NEAR(got.position[axis], added.position[axis], 0, half * (1 + 1e-6));
        }
        visit_all(&w, check_inside);
    }
    destroy_world(&w);
}

static void large_domains_are_as_fine_as_small_ones(void **state)
{
    enum { LONG = 1 << 20 };
    pli_context *context = *state;
    pli_paged_grid *grid = NULL;
    pli_particles *particles = NULL;
    OK(context, pli_paged_grid_create(context, (const int32_t[3]){2, 3, LONG}, &grid));
    OK(context, pli_particles_create(context, grid, 1, 1, &particles));
    // the last place that there is, a step of the last bit before the end
    const double last = 1.0 / PLI_PARTICLE_ONE;
    const double end = 8.0 * (LONG - 1);
    pli_particle added = make_particle(9, (const double[3]){4 - last, 8 - last, end - last});
    OK(context, pli_particles_add(particles, 0, 1, &added));
    assert_int_equal(particles->blocks[0].at[2], LONG - 2);
    pli_particle got;
    pli_particles_get(particles, 0, 0, 0, &got);
    // numbers below 2^23 with 27 bits behind the point are doubles
    for (int k = 0; k < 3; ++k) NEAR(got.position[k], added.position[k], 0, 0);
    pli_particles_destroy(particles);
    pli_paged_grid_destroy(grid);
}

static void message_of(const world *w, char text[512])
{
    pli_context_message(w->context, text, 512);
}

static void particles_outside_are_refused_by_name_and_none_is_added(void **state)
{
    (void)state;
    world w = make_world(1, (const int32_t[3]){4, 3, 2}, 2, 50);
    // there is room in 12 x 8 x 8 cells
    const double bad[][3] = {{-0.1, 1, 1}, {12, 1, 1},       {1, 8, 1},        {1, 1, 8},
                             {1, 1, -3},   {NAN, 1, 1},      {1, INFINITY, 1}, {1, 1, -1e300},
                             {1e18, 1, 1}, {1, 1, 8 - 1e-12}};
    pli_particles_destroy(w.particles);
    OK(w.context, pli_particles_create(w.context, w.grid, 2, w.count + 2, &w.particles));
    OK(w.context, add_particles(&w));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const pli_particle added[2] = {make_particle(50, (const double[3]){1, 1, 1}),
                                       make_particle(777, bad[k])};
        assert_int_equal(pli_particles_add(w.particles, 0, 2, added), PLI_ERROR_ARGUMENT);
        char text[512];
        message_of(&w, text);
        assert_non_null(strstr(text, "particle 777"));
        check_world(&w);
    }

    // kinds and numbers that can't be
    const pli_particle good[3] = {make_particle(50, (const double[3]){1, 1, 1})};
    assert_int_equal(pli_particles_add(w.particles, -1, 1, good), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_particles_add(w.particles, 2, 1, good), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_particles_add(w.particles, 0, -1, good), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_particles_add(w.particles, 0, 3, good), PLI_ERROR_ARGUMENT);
    OK(w.context, pli_particles_add(w.particles, 0, 0, NULL));
    check_world(&w);
    destroy_world(&w);
}

static void wrong_objects_are_refused(void **state)
{
    pli_context *context = *state;
    pli_paged_grid *grid = NULL;
    pli_paged_grid *thin = NULL;
    OK(context, pli_paged_grid_create(context, (const int32_t[3]){2, 2, 2}, &grid));
    OK(context, pli_paged_grid_create(context, (const int32_t[3]){9, 1, 9}, &thin));
    pli_particles *p = (pli_particles *)&p;
    assert_int_equal(pli_particles_create(context, grid, 0, 10, &p), PLI_ERROR_ARGUMENT);
    assert_null(p);
    assert_int_equal(pli_particles_create(context, grid, 1, 0, &p), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_particles_create(context, grid, 1, (int64_t)INT32_MAX + 1, &p),
                     PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_particles_create(context, thin, 1, 10, &p), PLI_ERROR_ARGUMENT);

    // as many as there can be are addresses only
    OK(context, pli_particles_create(context, grid, 1 << 16, INT32_MAX, &p));
    pli_particles_destroy(p);
    pli_particles_destroy(NULL);
    pli_paged_grid_destroy(thin);
    pli_paged_grid_destroy(grid);
}

// ---- what goes wrong

// Where a particle is, by its id.
typedef struct whereabouts {
    int32_t block, chunk, lane;
} whereabouts;

static whereabouts find_id(const world *w, int32_t id)
{
    const pli_particles *p = w->particles;
    for (int32_t block = 0; block < p->block_count; ++block) {
        for (int32_t kind = 0; kind < p->kind_count; ++kind) {
            const pli_particle_list *list =
                pli_particles_list(p, (pli_particle_place){block, 0}, kind);
            int32_t chunk = list->first;
            for (int32_t place = 0; place < list->count; ++place) {
                if (p->chunks[chunk].id[place % LANES] == id) {
                    return (whereabouts){block, chunk, place % LANES};
                }
                if (place % LANES == LANES - 1) chunk = p->next[chunk];
            }
        }
    }
    fail();
    return (whereabouts){-1, -1, -1};
}

static void leaving_the_domain_is_told_by_id_and_nothing_is_lost(void **state)
{
    (void)state;
    enum { ID = 123 };
    // one side after the other: a particle close to it goes through, among others that move about
    for (int side = 0; side < 6; ++side) {
        world w = make_empty_world(make_context(2), (const int32_t[3]){3, 4, 3}, 2, 900);
        int axis = side / 2;
        int64_t sign = side % 2 == 0 ? -1 : 1;
        OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){3, 4, 3}, &w.grid));
        w.whole[ID][axis] = sign < 0 ? 7 : limit_of(&w, axis) - 7;
        OK(w.context, pli_particles_create(w.context, w.grid, 2, w.count, &w.particles));
        OK(w.context, add_particles(&w));
        move_all_at_random(&w, 0);
        whereabouts at = find_id(&w, ID);
        int64_t goal = sign < 0 ? -PLI_PARTICLE_ONE / 2 : limit_of(&w, axis);
        int64_t by[3] = {0, 0, 0};
        // one that is outside along another axis already counts once
        by[axis] = goal - w.whole[ID][axis];
        move_particle(&w, at.block, at.chunk, at.lane, by);

        int32_t blocks = w.particles->block_count;
        assert_int_equal(settle(w.particles), PLI_ERROR_NUMERIC);
        char text[512];
        message_of(&w, text);
        assert_non_null(strstr(text, "particle 123 left the domain"));
        assert_int_equal(w.particles->block_count, blocks);
        check_presence(&w);
        assert_int_equal(settle(w.particles), PLI_ERROR_NUMERIC);
        check_presence(&w);

        // whoever brings it back may go on
        by[axis] = sign < 0 ? PLI_PARTICLE_ONE : -PLI_PARTICLE_ONE;
        move_particle(&w, at.block, at.chunk, at.lane, by);
        OK(w.context, settle(w.particles));
        check_world(&w);
        destroy_world(&w);
    }
}

static void going_out_of_reach_is_told_by_id_and_nothing_is_lost(void **state)
{
    (void)state;
    const int32_t reach = PLI_PARTICLE_REACH * PLI_PARTICLE_ONE;
    world w = make_world(2, (const int32_t[3]){9, 9, 9}, 1, 3000);
    // somewhere in the middle
    int32_t id = 0;
    for (int k = 0; k < 3; ++k) {
        if (w.whole[id][k] < 3 * unit_of(k) || w.whole[id][k] > 5 * unit_of(k)) ++id, k = -1;
    }
    whereabouts at = find_id(&w, id);
    pli_particle_chunk *chunk = &w.particles->chunks[at.chunk];
    for (int k = 0; k < 3; ++k) {
        int32_t size = (int32_t)unit_of(k);
        int32_t was = chunk->u[k][at.lane];
        const int32_t bad[] = {-reach - 1, size + reach, INT32_MIN, INT32_MAX};
        w.particles->blocks[at.block].leaving[0] = 1;
        w.particles->outside[at.chunk] = (uint8_t)(1 << at.lane);
        for (int i = 0; i < 4; ++i) {
            chunk->u[k][at.lane] = bad[i];
            assert_int_equal(settle(w.particles), PLI_ERROR_NUMERIC);
            char name[32];
            char text[512];
            snprintf(name, sizeof name, "particle %d went", id);
            message_of(&w, text);
            assert_non_null(strstr(text, name));
        }
        chunk->u[k][at.lane] = was;
        w.particles->blocks[at.block].leaving[0] = 0;
        w.particles->outside[at.chunk] = 0;
        check_world(&w);
    }
    // to the very end of its reach is well
    const int64_t by[3] = {-(int64_t)reach - chunk->u[0][at.lane],
                           unit_of(1) + reach - 1 - chunk->u[1][at.lane],
                           unit_of(2) + reach - 1 - chunk->u[2][at.lane]};
    move_particle(&w, at.block, at.chunk, at.lane, by);
    OK(w.context, settle(w.particles));
    check_world(&w);
    destroy_world(&w);
}

static void wrong_numbers_of_leavers_are_refused(void **state)
{
    (void)state;
    world w = make_world(1, (const int32_t[3]){5, 5, 5}, 2, 2000);
    move_all_at_random(&w, 0);
    int32_t *leaving = &w.particles->blocks[3].leaving[0];
    int32_t right = *leaving;
    assert_true(right > 1);
    const int32_t wrong[] = {right - 1, 1, right + 1, -1, INT32_MAX};
    for (int k = 0; k < 5; ++k) {
        *leaving = wrong[k];
        assert_int_equal(settle(w.particles), PLI_ERROR_ARGUMENT);
        check_presence(&w);
    }
    *leaving = right;
    OK(w.context, settle(w.particles));
    check_world(&w);
    destroy_world(&w);
}

// ---- memory

static void swing(world *w, int32_t block, int32_t kind, int32_t chunk, int32_t lane)
{
    (void)kind;
    // there and back, each particle in a direction of its own
    int32_t id = w->particles->chunks[chunk].id[lane];
    int64_t sign = w->random.stream % 2 == 0 ? 1 : -1;
    const int64_t by[3] = {sign * PLI_PARTICLE_ONE * (id % 3 - 1), sign * PLI_PARTICLE_ONE,
                           sign * PLI_PARTICLE_ONE * (id % 5 - 2)};
    move_particle(w, block, chunk, lane, by);
}

static void warm_settling_allocates_nothing(void **state)
{
    (void)state;
    world w = make_empty_world(make_context(2), (const int32_t[3]){8, 8, 8}, 2, 5000);
    // away from the sides
    for (int32_t id = 0; id < w.count; ++id) {
        for (int k = 0; k < 3; ++k) w.whole[id][k] = unit_of(k) + w.whole[id][k] * 5 / 7;
    }
    OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){8, 8, 8}, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 2, w.count, &w.particles));
    OK(w.context, add_particles(&w));
    int64_t before = 0;
    for (int32_t step = 0; step < 20; ++step) {
        if (step == 2) before = pli_context_allocation_count(w.context);
        w.random.stream = (uint64_t)step;
        visit_all(&w, swing);
        OK(w.context, settle(w.particles));
        pli_particles_drop_empty(w.particles, NULL, NULL);
    }
    assert_true(before > 0);
    assert_int_equal(pli_context_allocation_count(w.context), before);
    check_world(&w);
    destroy_world(&w);
}

// Makes particles and moves them; the first failure ends it. When settling fails everything is
// still there, and works once there is memory again.
static pli_status live(world *w, fault_sweep *sweep)
{
    PLI_TRY(pli_paged_grid_create(w->context, (const int32_t[3]){9, 9, 5}, &w->grid));
    PLI_TRY(pli_particles_create(w->context, w->grid, 2, w->count, &w->particles));
    pli_status status = add_particles(w);
    if (status != PLI_OK) {
        // what was not added left no trace but empty blocks
        assert_true(w->particles->count < w->count);
        check_blocks(w);
        check_pool(w);
        int64_t held = 0;
        for (int32_t b = 0; b < w->particles->block_count; ++b)
            held += w->particles->blocks[b].count;
        assert_int_equal(held, w->particles->count);
        return status;
    }
    for (uint64_t step = 0; step < 12; ++step) {
        move_all_at_random(w, step);
        status = settle(w->particles);
        if (status != PLI_OK) {
            check_presence(w);
            fault_sweep_pause(sweep);
            OK(w->context, settle(w->particles));
        }
        check_world(w);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}

static void any_failing_allocation_is_told_and_loses_nothing(void **state)
{
    (void)state;
    // the object and its first arrays, and growth of blocks and movers
    for (fault_sweep sweep = {.at_least = 4 + 3 + 2}; fault_sweep_next(&sweep);) {
        // few enough at first that blocks and movers have to grow on the way
        world w = make_empty_world(sweep.context, (const int32_t[3]){9, 9, 5}, 2, 900);
        for (int32_t id = 0; id < w.count; ++id) {
            for (int k = 0; k < 3; ++k) w.whole[id][k] = 2 * unit_of(k) + w.whole[id][k] / 4;
        }
        sweep.status = live(&w, &sweep);
        destroy_world(&w);
        sweep.context = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_in_thousands_of_moves),
        cmocka_unit_test(order_does_not_depend_on_threads),
        cmocka_unit_test(gaps_are_closed_from_behind_and_arrivals_appended_in_order),
        cmocka_unit_test(idle_lanes_hold_particles_of_the_same_kind),
        cmocka_unit_test(empty_blocks_are_dropped_and_everything_is_used_again),
        cmocka_unit_test(everything_may_leave_at_once),
        cmocka_unit_test(movers_come_from_the_stash_or_from_their_chunks),
        cmocka_unit_test(positions_round_to_fixed_point_and_never_beyond_their_block),
        TEST_IN_CONTEXT(large_domains_are_as_fine_as_small_ones, 1),
        cmocka_unit_test(particles_outside_are_refused_by_name_and_none_is_added),
        TEST_IN_CONTEXT(wrong_objects_are_refused, 1),
        cmocka_unit_test(leaving_the_domain_is_told_by_id_and_nothing_is_lost),
        cmocka_unit_test(going_out_of_reach_is_told_by_id_and_nothing_is_lost),
        cmocka_unit_test(wrong_numbers_of_leavers_are_refused),
        cmocka_unit_test(warm_settling_allocates_nothing),
        cmocka_unit_test(any_failing_allocation_is_told_and_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
