// SPDX-License-Identifier: Apache-2.0
//
// The second layer of blocks: copies, who waits among them, and how both end.
#include "particle_world.h"

// Whoever they stand for tells of itself.
static void copies_that_leave_the_domain_are_dropped(void **state)
{
    (void)state;
    world w = make_world(1, (const int32_t[3]){2, 2, 2}, 1, 3);
    const pli_particle_place second = {0, 1};
    pli_particles_copy(w.particles, 1, &(pli_particle_copy){0, -5});
    pli_particle_list *list = pli_particles_list(w.particles, second, 0);
    assert_int_equal(list->count, 3);
    w.particles->chunks[list->first].u[0][1] = -1;
    w.particles->chunks[list->first].u[2][2] = PLI_PARTICLE_NOWHERE;
    pli_particles_recount(w.particles, 0);
    assert_int_equal(w.particles->blocks[0].leaving[0], 0);
    assert_int_equal(w.particles->blocks[0].leaving[1], 2);
    OK(w.context, pli_particles_settle(w.particles, 1, &second, NULL, NULL));
    assert_int_equal(list->count, 1);
    assert_int_equal(w.particles->blocks[0].count, 4);
    assert_int_equal(pli_particles_sift(w.particles, 0, -5, true), INT32_MIN);
    check_world(&w);
    destroy_world(&w);
}

static int32_t count_layer(const world *w, pli_particle_place place)
{
    int32_t count = 0;
    for (int32_t kind = 0; kind < w->particles->kind_count; ++kind) {
        count += pli_particles_list(w->particles, place, kind)->count;
    }
    return count;
}

// At home in the second layer of every other block.
static int32_t choose_layer(void *user, pli_particle_place from, int32_t block)
{
    (void)user;
    (void)from;
    return block % 2;
}

// Copies of two ids among particles that wait in the second layer: the first go, then the others,
// and who waited joins. Lists are of all lengths, chunks of all mixtures.
static void copies_go_by_their_id_and_who_waits_joins(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 2; ++threads) {
        world w = make_empty_world(make_context(threads), (const int32_t[3]){4, 3, 3}, 2, 700);
        OK(w.context, pli_paged_grid_create(w.context, (const int32_t[3]){4, 3, 3}, &w.grid));
        OK(w.context, pli_particles_create(w.context, w.grid, 2, 3 * w.count, &w.particles));
        OK(w.context, add_particles(&w));
        pli_particles *p = w.particles;
        for (uint64_t step = 0; step < 40; ++step) {
            pli_particle_place places[64];
            pli_particle_copy copies[2][64];
            int32_t waiting[64], own[64], count = p->block_count;
            assert_true(count <= 64);
            move_all_at_random(&w, step);
            for (int32_t b = 0; b < count; ++b) places[b] = (pli_particle_place){b, 0};
            OK(w.context, pli_particles_settle(p, count, places, choose_layer, NULL));
            for (int32_t b = 0; b < count; ++b) {
                waiting[b] = count_layer(&w, (pli_particle_place){b, 1});
                own[b] = count_layer(&w, (pli_particle_place){b, 0});
                copies[0][b] = (pli_particle_copy){b, -5};
                copies[1][b] = (pli_particle_copy){count - 1 - b, -9};
            }
            pli_particles_copy(p, count, copies[0]);
            pli_particles_copy(p, count / 2, copies[1]);
            for (int32_t b = 0; b < count; ++b) {
                int32_t both = b >= count - count / 2 ? own[b] : 0;
                pli_particle_place second = {b, 1};
                assert_int_equal(count_layer(&w, second), waiting[b] + own[b] + both);
                assert_int_equal(pli_particles_sift(p, b, -5, false), both > 0 ? -9 : INT32_MIN);
                assert_int_equal(count_layer(&w, second), waiting[b] + both);
                assert_int_equal(pli_particles_sift(p, b, -9, true), INT32_MIN);
                assert_int_equal(count_layer(&w, second), 0);
            }
            check_world(&w);
        }
        destroy_world(&w);
    }
}

// Copies that have left their block and are to settle later still do when others, some of which
// have left, too, expire before that.
static void who_is_to_settle_stays_so_when_others_go(void **state)
{
    (void)state;
    const int32_t blocks[3] = {3, 3, 3};
    world w = make_empty_world(make_context(1), blocks, 1, 0);
    OK(w.context, pli_paged_grid_create(w.context, blocks, &w.grid));
    OK(w.context, pli_particles_create(w.context, w.grid, 1, 33, &w.particles));
    pli_particle added[11] = {0};
    for (int32_t k = 0; k < 11; ++k) {
        for (int a = 0; a < 3; ++a) added[k].position[a] = 1.5 + 0.1 * k;
        added[k].id = k;
    }
    OK(w.context, pli_particles_add(w.particles, 0, 11, added));
    const pli_particle_place second = {0, 1};
    const pli_particle_copy copies[2] = {{0, -5}, {0, -9}};
    pli_particles_copy(w.particles, 1, &copies[0]);
    pli_particles_copy(w.particles, 1, &copies[1]);
    pli_particle_list *list = pli_particles_list(w.particles, second, 0);
    assert_int_equal(list->count, 22);
    // of each five leave along x
    int32_t chunk = list->first;
    for (int32_t place = 0; place < 22; ++place) {
        int32_t lane = place % PLI_PARTICLE_LANES;
        if (place % 11 < 5) w.particles->chunks[chunk].u[0][lane] = 5 * PLI_PARTICLE_ONE;
        if (lane == PLI_PARTICLE_LANES - 1) chunk = w.particles->next[chunk];
    }
    pli_particles_recount(w.particles, 0);
    assert_int_equal(w.particles->blocks[0].leaving[1], 10);
    assert_int_equal(pli_particles_sift(w.particles, 0, -5, false), -9);
    assert_int_equal(w.particles->blocks[0].leaving[1], 5);
    OK(w.context, pli_particles_settle(w.particles, 1, &second, NULL, NULL));
    assert_int_equal(list->count, 6);
    assert_int_equal(w.particles->block_count, 2);
    assert_int_equal(w.particles->blocks[1].count, 5);
    destroy_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_that_leave_the_domain_are_dropped),
        cmocka_unit_test(copies_go_by_their_id_and_who_waits_joins),
        cmocka_unit_test(who_is_to_settle_stays_so_when_others_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
