// SPDX-License-Identifier: Apache-2.0
//
// Numbered nodes: every claim is compared with a plain array of flags over a small cube.
#include "near.h"
#include "support/fault_sweep.h"

#include "base/random.h"
#include "mpm/implicit/node_grid.h"

enum { SIDE = 40, CUBE = SIDE * SIDE * SIDE, MOST_MARKS = 200 };

// A grid, and the nodes that it should have.
typedef struct world {
    pli_context *context;
    pli_node_grid *grid;
    bool has[CUBE]; // of coordinates shifted by the corner
    int32_t corner; // lowest coordinate, the same along each axis
} world;

static int32_t place_of(int32_t x, int32_t y, int32_t z)
{
    return (x * SIDE + y) * SIDE + z;
}

// Boxes of all widths at random places, some of them again and again.
static void mark_boxes(world *w, uint64_t seed, int32_t count)
{
    pli_random random = {seed, 1};
    for (int32_t k = 0; k < count; ++k) {
        int32_t width = 1 + k % 4, low[3], at[3];
        for (int a = 0; a < 3; ++a) {
            uint64_t bits = pli_random_bits(random, (uint64_t)(3 * (k - k % 5) + a));
            low[a] = (int32_t)(bits % (uint64_t)(SIDE - 3));
            at[a] = w->corner + low[a];
        }
        OK(w->context, pli_node_grid_mark(w->grid, at, width));
        for (int32_t n = 0; n < width * width * width; ++n) {
            w->has[place_of(low[0] + n / width / width, low[1] + n / width % width,
                            low[2] + n % width)] = true;
        }
    }
}

static world *make_world(int32_t threads, int32_t corner, int32_t marks)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(threads);
    w->corner = corner;
    OK(w->context, pli_node_grid_create(w->context, &w->grid));
    mark_boxes(w, 3, marks);
    OK(w->context, pli_node_grid_finish(w->grid));
    return w;
}

static void destroy_world(world *w)
{
    pli_node_grid_destroy(w->grid);
    pli_context_destroy(w->context);
    free(w);
}

static bool should_have(const world *w, int32_t x, int32_t y, int32_t z)
{
    const int32_t at[3] = {x - w->corner, y - w->corner, z - w->corner};
    for (int a = 0; a < 3; ++a) {
        if (at[a] < 0 || at[a] >= SIDE) return false;
    }
    return w->has[place_of(at[0], at[1], at[2])];
}

static const int32_t corners[] = {0, 1023, PLI_NODE_LIMIT - SIDE};

static void every_marked_node_is_found_under_its_number(void **state)
{
    (void)state;
    for (int c = 0; c < 3; ++c) {
        world *w = make_world(1, corners[c], MOST_MARKS);
        int32_t count = 0;
        for (int32_t n = 0; n < CUBE; ++n) {
            const int32_t at[3] = {w->corner + n / SIDE / SIDE, w->corner + n / SIDE % SIDE,
                                   w->corner + n % SIDE};
            int32_t node = pli_node_grid_find(w->grid, at);
            assert_int_equal(node >= 0, w->has[n]);
            if (node < 0) continue;
            ++count;
            assert_in_range(node, 0, w->grid->count - 1);
            assert_memory_equal(w->grid->at + 3 * (int64_t)node, at, sizeof at);
        }
        assert_int_equal(count, w->grid->count);
        destroy_world(w);
    }
}

// Interleaves the bits of the coordinates, x highest.
static uint64_t interleave(const int32_t at[3])
{
    uint64_t code = 0;
    for (int bit = 20; bit >= 0; --bit) {
        for (int a = 0; a < 3; ++a) code = code << 1 | (uint64_t)(at[a] >> bit & 1);
    }
    return code;
}

static void blocks_are_in_morton_order_and_nodes_in_that_of_blocks(void **state)
{
    (void)state;
    world *w = make_world(1, 1023, MOST_MARKS);
    const pli_node_grid *grid = w->grid;
    int32_t first = 0;
    assert_true(grid->block_count > 64);
    for (int32_t b = 0; b < grid->block_count; ++b) {
        const pli_node_block *block = &grid->blocks[b];
        if (b > 0) assert_true(interleave(grid->blocks[b - 1].at) < interleave(block->at));
        assert_int_equal(block->first, first);
        assert_true(block->nodes != 0);
        int last_bit = -1;
        for (int k = __builtin_popcountll(block->nodes); k > 0; --k, ++first) {
            const int32_t *at = grid->at + 3 * (int64_t)first;
            for (int a = 0; a < 3; ++a) assert_int_equal(at[a] / PLI_NODE_EDGE, block->at[a]);
            int bit = 16 * (at[0] % 4) + 4 * (at[1] % 4) + at[2] % 4;
            assert_true(bit > last_bit);
            assert_true(block->nodes >> bit & 1);
            last_bit = bit;
        }
    }
    assert_int_equal(first, grid->count);
    destroy_world(w);
}

static void blocks_of_a_color_are_apart(void **state)
{
    (void)state;
    world *w = make_world(1, 1023, MOST_MARKS);
    const pli_node_grid *grid = w->grid;
    bool *seen = calloc((size_t)grid->block_count, sizeof *seen);
    assert_non_null(seen);
    assert_int_equal(grid->color_start[0], 0);
    assert_int_equal(grid->color_start[PLI_NODE_COLORS], grid->block_count);
    for (int c = 0; c < PLI_NODE_COLORS; ++c) {
        for (int32_t k = grid->color_start[c]; k < grid->color_start[c + 1]; ++k) {
            const pli_node_block *block = &grid->blocks[grid->by_color[k]];
            assert_false(seen[grid->by_color[k]]);
            seen[grid->by_color[k]] = true;
            if (k == grid->color_start[c]) continue;
            const pli_node_block *other = &grid->blocks[grid->by_color[k - 1]];
            assert_true(grid->by_color[k - 1] < grid->by_color[k]);
            for (int a = 0; a < 3; ++a) assert_int_equal((block->at[a] - other->at[a]) % 2, 0);
        }
    }
    free(seen);
    destroy_world(w);
}

static void boxes_are_found_wherever_they_stand(void **state)
{
    (void)state;
    world *w = make_world(1, 0, MOST_MARKS);
    pli_random random = {5, 1};
    int32_t nodes[6 * 6 * 6];
    for (uint64_t k = 0; k < 2000; ++k) {
        int32_t width = 1 + (int32_t)(k % 6), low[3];
        // also partly and wholly outside, below zero included
        for (uint64_t a = 0; a < 3; ++a) {
            low[a] = (int32_t)(pli_random_bits(random, 3 * k + a) % (SIDE + 12)) - 8;
        }
        pli_node_grid_find_box(w->grid, low, width, nodes);
        for (int32_t n = 0; n < width * width * width; ++n) {
            const int32_t at[3] = {low[0] + n / width / width, low[1] + n / width % width,
                                   low[2] + n % width};
            bool has = should_have(w, at[0], at[1], at[2]);
            assert_int_equal(nodes[n] >= 0, has);
            if (!has) continue;
            assert_memory_equal(w->grid->at + 3 * (int64_t)nodes[n], at, sizeof at);
        }
    }
    destroy_world(w);
}

static void neighbors_are_those_of_single_searches(void **state)
{
    (void)state;
    for (int32_t reach = 0; reach <= 4; ++reach) {
        world *w = make_world(2, reach % 2 == 0 ? 0 : PLI_NODE_LIMIT - SIDE, 60);
        int32_t width = 2 * reach + 1, slots = width * width * width;
        int32_t *columns = malloc((size_t)(w->grid->count * slots) * sizeof *columns);
        int32_t *want = malloc((size_t)slots * sizeof *want);
        assert_non_null(columns);
        assert_non_null(want);
        pli_node_grid_neighbors(w->grid, reach, columns);
        for (int32_t node = 0; node < w->grid->count; ++node) {
            int32_t low[3];
            for (int a = 0; a < 3; ++a) low[a] = w->grid->at[3 * (int64_t)node + a] - reach;
            pli_node_grid_find_box(w->grid, low, width, want);
            assert_memory_equal(columns + (int64_t)node * slots, want,
                                (size_t)slots * sizeof *want);
            assert_int_equal(want[slots / 2], node);
        }
        free(columns);
        free(want);
        destroy_world(w);
    }
}

static void order_of_marks_makes_no_difference(void **state)
{
    (void)state;
    world *w = make_world(1, 0, 20);
    const int32_t marks[3][3] = {{30, 2, 17}, {5, 33, 8}, {9, 9, 9}};
    int32_t *at[2];
    int32_t count[2];
    for (int turn = 0; turn < 2; ++turn) {
        pli_node_grid_clear(w->grid);
        for (int k = 0; k < 3; ++k) {
            OK(w->context, pli_node_grid_mark(w->grid, marks[turn == 0 ? k : 2 - k], 4));
        }
        OK(w->context, pli_node_grid_finish(w->grid));
        count[turn] = w->grid->count;
        at[turn] = malloc((size_t)(3 * count[turn]) * sizeof *at[turn]);
        assert_non_null(at[turn]);
        memcpy(at[turn], w->grid->at, (size_t)(3 * count[turn]) * sizeof *at[turn]);
    }
    assert_int_equal(count[0], 3 * 64);
    assert_int_equal(count[1], count[0]);
    assert_memory_equal(at[0], at[1], (size_t)(3 * count[0]) * sizeof *at[0]);
    free(at[0]);
    free(at[1]);
    destroy_world(w);
}

static void an_empty_grid_has_no_nodes(void **state)
{
    (void)state;
    world *w = make_world(1, 0, 0);
    const int32_t at[3] = {1, 2, 3};
    assert_int_equal(w->grid->count, 0);
    assert_int_equal(pli_node_grid_find(w->grid, at), -1);
    pli_node_grid_neighbors(w->grid, 2, NULL);
    destroy_world(w);
    pli_node_grid_destroy(NULL);
}

static void coordinates_out_of_limits_are_refused(void **state)
{
    (void)state;
    world *w = make_world(1, 0, 0);
    for (int axis = 0; axis < 3; ++axis) {
        int32_t at[3] = {7, 7, 7};
        at[axis] = -1;
        assert_int_equal(pli_node_grid_mark(w->grid, at, 3), PLI_ERROR_ARGUMENT);
        at[axis] = PLI_NODE_LIMIT - 2;
        assert_int_equal(pli_node_grid_mark(w->grid, at, 3), PLI_ERROR_ARGUMENT);
        at[axis] = INT32_MAX;
        assert_int_equal(pli_node_grid_mark(w->grid, at, 1), PLI_ERROR_ARGUMENT);
        at[axis] = PLI_NODE_LIMIT - 3;
        OK(w->context, pli_node_grid_mark(w->grid, at, 3));
    }
    OK(w->context, pli_node_grid_finish(w->grid));
    assert_int_equal(w->grid->count, 3 * 27);
    destroy_world(w);
}

// ---- memory

static void a_warm_grid_allocates_nothing(void **state)
{
    (void)state;
    world *w = make_world(1, 0, MOST_MARKS);
    int32_t count = w->grid->count;
    int64_t before = pli_context_allocation_count(w->context);
    int64_t memory = pli_node_grid_memory(w->grid);
    for (uint64_t seed = 0; seed < 3; ++seed) {
        pli_node_grid_clear(w->grid);
        mark_boxes(w, 3, MOST_MARKS);
        OK(w->context, pli_node_grid_finish(w->grid));
        assert_int_equal(w->grid->count, count);
    }
    assert_int_equal(pli_context_allocation_count(w->context), before);
    assert_int_equal(pli_node_grid_memory(w->grid), memory);
    assert_true(memory >= count * (int64_t)(3 * sizeof(int32_t)));
    destroy_world(w);
}

// Builds a grid of many blocks.
static pli_status try_build(pli_context *context, pli_node_grid **grid)
{
    pli_status status = pli_node_grid_create(context, grid);
    for (int32_t k = 0; status == PLI_OK && k < 300; ++k) {
        const int32_t low[3] = {8 * (k % 7), 8 * (k / 7 % 7), 8 * (k / 49)};
        status = pli_node_grid_mark(*grid, low, 2);
    }
    return status == PLI_OK ? pli_node_grid_finish(*grid) : status;
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.at_least = 5}; fault_sweep_next(&sweep);) {
        pli_node_grid *grid = NULL;
        sweep.status = try_build(sweep.context, &grid);
        // what failed can be cleared and built again
        fault_sweep_pause(&sweep);
        if (grid != NULL && sweep.status != PLI_OK) {
            const int32_t low[3] = {5, 6, 7};
            pli_node_grid_clear(grid);
            OK(sweep.context, pli_node_grid_mark(grid, low, 4));
            OK(sweep.context, pli_node_grid_finish(grid));
            assert_int_equal(grid->count, 64);
        }
        pli_node_grid_destroy(grid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_marked_node_is_found_under_its_number),
        cmocka_unit_test(blocks_are_in_morton_order_and_nodes_in_that_of_blocks),
        cmocka_unit_test(blocks_of_a_color_are_apart),
        cmocka_unit_test(boxes_are_found_wherever_they_stand),
        cmocka_unit_test(neighbors_are_those_of_single_searches),
        cmocka_unit_test(order_of_marks_makes_no_difference),
        cmocka_unit_test(an_empty_grid_has_no_nodes),
        cmocka_unit_test(coordinates_out_of_limits_are_refused),
        cmocka_unit_test(a_warm_grid_allocates_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
