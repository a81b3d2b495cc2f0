// SPDX-License-Identifier: Apache-2.0
//
// What is remembered of objects on the grid, memory, and what is refused.
#include "grid_world.h"
#include "support/fault_sweep.h"

#include "base/context.h"

// Objects of all kinds, more than act at once, most of which stand still; some move.
static void add_crowd(world *w)
{
    for (int32_t i = 0; i < 24; ++i) {
        pli_grid_hold hold = (pli_grid_hold)(i % 5 == 0 ? PLI_GRID_STICKY : 1 + i % 2);
        const pli_shape *shape = i % 8 == 1
                                     ? world_plane(w, 1, 0.1 * i, -1)
                                     : world_sphere(w, 0.1 * i - 1, 0.2 - 0.01 * i, 0.1, 0.7);
        pli_grid_collider *thing = world_add(w, shape, hold, 0.05 * i);
        thing->is_static = i % 4 != 2;
        if (i % 3 != 0) world_move(&thing->motion);
    }
    w->def.walls[1].hold = PLI_GRID_SLIP;
    w->def.walls[2].hold = PLI_GRID_SEPARATE;
    w->def.walls[2].friction = 0.3;
}

static void list_pages(pli_grid_page *pages)
{
    for (int32_t p = 0; p < WORLD_PAGES; ++p) {
        pages[p] =
            (pli_grid_page){.code = (uint32_t)p, .at = {p % 8, p / 8 % 8, p / 64}, .nodes = NULL};
    }
}

// Velocities of all pages and all impulses after the objects have acted.
typedef struct outcome {
    float nodes[WORLD_PAGES][PLI_PAGE_FLOATS];
    double impulses[WORLD_COLLIDERS + PLI_GRID_WALLS][3];
} outcome;

static outcome *act_everywhere(world *w)
{
    outcome *out = calloc(1, sizeof *out);
    assert_non_null(out);
    pli_grid_page pages[WORLD_PAGES];
    list_pages(pages);
    for (int32_t p = 0; p < WORLD_PAGES; ++p) {
        world_fill_random(w, pages[p].at, (uint64_t)p);
        // every other page has mass in few places, so that some objects there have none to act on
        for (int32_t node = 0; node < PLI_PAGE_NODES && p % 2 == 0; ++node) {
            if (node / 16 != p % 8) world_node(w, node)[0] = 0;
        }
        pli_grid_colliders_apply(w->set, &w->page, &out->impulses[0][0]);
        memcpy(out->nodes[p], w->nodes, sizeof w->nodes);
    }
    return out;
}

static void expect_same(const outcome *a, const outcome *b)
{
    assert_memory_equal(a->nodes, b->nodes, sizeof a->nodes);
    assert_memory_equal(a->impulses, b->impulses, sizeof a->impulses);
}

static void memory_makes_no_difference(void **state)
{
    (void)state;
    pli_grid_page pages[WORLD_PAGES];
    list_pages(pages);
    for (int32_t threads = 1; threads <= 4; threads *= 2) {
        world *w = world_make(threads);
        add_crowd(w);
        world_build(w);
        outcome *without = act_everywhere(w);
        OK(w->context, pli_grid_colliders_remember(w->set, WORLD_PAGES, pages));
        outcome *with = act_everywhere(w);
        expect_same(without, with);

        // velocities are not remembered, and moving objects move
        for (int32_t i = 0; i < w->def.collider_count; ++i) {
            pli_grid_motion motion = w->colliders[i].motion;
            pli_vec3_set(0.1 * i, 1, -1, motion.velocity);
            if (!w->colliders[i].is_static) motion.offset[1] += 0.3;
            OK(w->context, pli_grid_colliders_set_motion(w->set, i, &motion));
        }
        outcome *moved = act_everywhere(w);
        for (int32_t p = 0; p < WORLD_PAGES; ++p) pli_grid_colliders_forget(w->set, (uint32_t)p);
        outcome *forgotten = act_everywhere(w);
        expect_same(moved, forgotten);
        assert_memory_not_equal(moved->nodes, with->nodes, sizeof with->nodes);
        free(without);
        free(with);
        free(moved);
        free(forgotten);
        world_destroy(w);
    }
}

// Pages come and go in a random order; after each change all pages still do the right thing.
static void pages_are_forgotten_one_by_one(void **state)
{
    world *w = *state;
    world_add(w, world_sphere(w, 0, 0, 0, 0.8), PLI_GRID_SLIP, 0.4)->is_static = true;
    world_build(w);
    outcome *without = act_everywhere(w);
    pli_grid_page pages[WORLD_PAGES];
    list_pages(pages);
    bool is_known[WORLD_PAGES] = {false};
    pli_random random = {8, 1};
    for (uint64_t change = 0; change < 3000; ++change) {
        int32_t p = (int32_t)(pli_random_bits(random, change) % WORLD_PAGES);
        if (is_known[p]) pli_grid_colliders_forget(w->set, (uint32_t)p);
        if (!is_known[p]) OK(w->context, pli_grid_colliders_remember(w->set, 1, &pages[p]));
        is_known[p] = !is_known[p];
        // an unknown page is forgotten for free
        pli_grid_colliders_forget(w->set, 100000 + (uint32_t)change);

        // asking for what is known allocates nothing
        int64_t before = pli_context_allocation_count(w->context);
        for (int32_t q = 0; q < WORLD_PAGES && change % 50 == 0; ++q) {
            if (is_known[q]) OK(w->context, pli_grid_colliders_remember(w->set, 1, &pages[q]));
        }
        assert_int_equal(pli_context_allocation_count(w->context), before);
        if (change % 500 != 0) continue;
        outcome *with = act_everywhere(w);
        expect_same(without, with);
        free(with);
    }
    free(without);
}

// The same page twice in a list, lists that overlap, and an empty one.
static void lists_may_overlap(void **state)
{
    world *w = *state;
    add_crowd(w);
    world_build(w);
    pli_grid_page pages[WORLD_PAGES], doubled[2 * WORLD_PAGES];
    list_pages(pages);
    memcpy(doubled, pages, sizeof pages);
    memcpy(doubled + WORLD_PAGES, pages, sizeof pages);
    outcome *without = act_everywhere(w);
    OK(w->context, pli_grid_colliders_remember(w->set, 0, NULL));
    OK(w->context, pli_grid_colliders_remember(w->set, 40, pages));
    OK(w->context, pli_grid_colliders_remember(w->set, 2 * WORLD_PAGES, doubled));
    outcome *with = act_everywhere(w);
    expect_same(without, with);
    free(without);
    free(with);
}

static void warm_calls_allocate_nothing(void **state)
{
    world *w = *state;
    add_crowd(w);
    world_build(w);
    pli_grid_page pages[WORLD_PAGES];
    list_pages(pages);
    OK(w->context, pli_grid_colliders_remember(w->set, WORLD_PAGES / 2, pages));
    int64_t before = pli_context_allocation_count(w->context);
    OK(w->context, pli_grid_colliders_remember(w->set, WORLD_PAGES / 2, pages));
    OK(w->context, pli_grid_colliders_set_motion(w->set, 2, &w->colliders[2].motion));
    OK(w->context, pli_grid_colliders_set_active(w->set, 3, true));
    // half of these pages are known
    free(act_everywhere(w));
    assert_int_equal(pli_context_allocation_count(w->context), before);
}

// ---- faults

static void failing_allocations_leave_nothing_behind(void **state)
{
    world *w = *state;
    add_crowd(w);
    pli_grid_page pages[WORLD_PAGES];
    list_pages(pages);
    outcome *without = NULL;
    for (fault_sweep sweep = {.at_least = 20}; fault_sweep_next(&sweep);) {
        sweep.status = pli_grid_colliders_create(sweep.context, &w->def, &w->set);
        assert_int_equal(w->set == NULL, sweep.status != PLI_OK);
        if (w->set == NULL) continue;
        // pages that are known stay so; of the others none is when one fails
        fault_sweep_pause(&sweep);
        if (without == NULL) without = act_everywhere(w);
        OK(sweep.context, pli_grid_colliders_remember(w->set, 20, pages));
        fault_sweep_resume(&sweep);
        int64_t before = sweep.fault.live_blocks;
        sweep.status = pli_grid_colliders_remember(w->set, 120, pages);
        if (sweep.status != PLI_OK) assert_int_equal(sweep.fault.live_blocks, before);
        if (sweep.status == PLI_OK || sweep.n % 16 == 1) {
            outcome *with = act_everywhere(w);
            expect_same(without, with);
            free(with);
        }
        pli_grid_colliders_destroy(w->set);
        w->set = NULL;
    }
    free(without);
}

static void refused(world *w, pli_status status, const char *why)
{
    char message[512];
    assert_int_equal(status, PLI_ERROR_ARGUMENT);
    pli_context_message(w->context, message, sizeof message);
    if (strstr(message, why) == NULL) fail_msg("\"%s\" does not say \"%s\"", message, why);
}

// Tries the def as it is, and puts back what was changed.
static void refused_def(world *w, const char *why)
{
    pli_grid_colliders *set = w->set;
    refused(w, pli_grid_colliders_create(w->context, &w->def, &set), why);
    assert_null(set);
    w->def.origin[1] = -2;
    w->def.dx = 0.125;
    w->def.blocks[2] = 4;
    w->def.collider_count = 0;
    w->def.colliders = w->colliders;
    memset(w->def.walls, 0, sizeof w->def.walls);
    world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SLIP, 0.5)->name = "bowl";
}

static void unfit_sets_are_refused(void **state)
{
    (void)state;
    world *w = world_make(1);
    pli_grid_collider *bowl = &w->colliders[0];
    w->def.dx = 0;
    refused_def(w, "0 m apart");
    w->def.dx = NAN;
    refused_def(w, "apart");
    w->def.origin[1] = INFINITY;
    refused_def(w, "can't be");
    w->def.blocks[2] = 1;
    refused_def(w, "1 blocks long along z, must be 2");
    w->def.blocks[2] = 1 << 21;
    refused_def(w, "along z");
    w->def.collider_count = -1;
    refused_def(w, "-1 colliders");
    w->def.colliders = NULL;
    refused_def(w, "1 colliders");
    w->def.walls[3].distance = -1;
    refused_def(w, "wall at high y is -1 m");
    w->def.walls[3].distance = INFINITY;
    refused_def(w, "wall at high y");
    w->def.walls[4].hold = PLI_GRID_HOLDS;
    refused_def(w, "wall at low z\" is of kind 3");
    w->def.walls[0].friction = -0.5;
    refused_def(w, "wall at low x\" is -0.5");
    w->def.walls[0].distance = 2;
    w->def.walls[1].distance = 1.7;
    refused_def(w, "nothing is left between");
    bowl->shape = NULL;
    refused_def(w, "\"bowl\" has no shape");
    bowl->hold = (pli_grid_hold)-1;
    refused_def(w, "\"bowl\" is of kind -1");
    bowl->friction = NAN;
    refused_def(w, "friction of collider \"bowl\"");
    bowl->friction = 1e300;
    refused_def(w, "friction of collider \"bowl\"");
    bowl->motion.R[4] = 1.001;
    refused_def(w, "\"bowl\" is not turned by a rotation");
    bowl->motion.R[4] = NAN;
    refused_def(w, "\"bowl\" is not turned by a rotation");
    bowl->motion.R[0] = -1;
    refused_def(w, "\"bowl\" is not turned by a rotation");
    bowl->motion.spin[2] = NAN;
    refused_def(w, "not finite");
    bowl->name = NULL;
    bowl->motion.offset[0] = INFINITY;
    refused_def(w, "not finite");
    world_build(w);
    world_destroy(w);
    pli_grid_colliders_destroy(NULL);
}

static void unfit_changes_are_refused(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_STICKY, 0)->is_static = true;
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_SLIP, 0);
    world_build(w);
    pli_grid_motion motion = w->colliders[0].motion;
    refused(w, pli_grid_colliders_set_motion(w->set, -1, &motion), "no collider -1 among 2");
    // walls have numbers, too, but stay where they are
    refused(w, pli_grid_colliders_set_motion(w->set, 2, &motion), "no collider 2 among 2");
    refused(w, pli_grid_colliders_set_active(w->set, 2, false), "no collider 2 among 2");
    motion.velocity[0] = NAN;
    refused(w, pli_grid_colliders_set_motion(w->set, 1, &motion), "not finite");
    motion.velocity[0] = 3;
    motion.offset[1] = 0.5;
    refused(w, pli_grid_colliders_set_motion(w->set, 0, &motion), "static");

    // a belt is static and has a velocity; what was refused has changed nothing
    const int32_t at[3] = {4, 4, 2};
    world_fill(w, at, (float[3]){1, 1, 1});
    world_apply(w);
    expect_velocity_is(w, 0, 0, 0, 0);
    motion.offset[1] = 0;
    OK(w->context, pli_grid_colliders_set_motion(w->set, 0, &motion));
    world_apply(w);
    expect_velocity_is(w, 0, 3, 0, 0);

    pli_grid_page page = {.at = {0, 8, 0}};
    refused(w, pli_grid_colliders_remember(w->set, 1, &page), "block 0 8 0 of a grid of 8 x 8 x 4");
    page.at[1] = -1;
    refused(w, pli_grid_colliders_remember(w->set, 1, &page), "block 0 -1 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_makes_no_difference),
        TEST_IN_WORLD(pages_are_forgotten_one_by_one, 1),
        TEST_IN_WORLD(lists_may_overlap, 1),
        TEST_IN_WORLD(warm_calls_allocate_nothing, 2),
        TEST_IN_WORLD(failing_allocations_leave_nothing_behind, 1),
        cmocka_unit_test(unfit_sets_are_refused),
        TEST_IN_WORLD(unfit_changes_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
