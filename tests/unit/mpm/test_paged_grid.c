// SPDX-License-Identifier: Apache-2.0
#include "near.h"
#include "support/fault_sweep.h"

#include "base/addresses.h"
#include "base/random.h"
#include "mpm/grid/paged_grid.h"

#include <unistd.h>

static pli_paged_grid *make_grid(pli_context *context, int32_t x, int32_t y, int32_t z)
{
    pli_paged_grid *grid = NULL;
    OK(context, pli_paged_grid_create(context, (const int32_t[3]){x, y, z}, &grid));
    return grid;
}

// ---- codes

static void codes_are_a_bijection(const int32_t blocks[3])
{
    pli_context *context = make_context(1);
    pli_paged_grid *grid = make_grid(context, blocks[0], blocks[1], blocks[2]);
    // sides rounded up to powers of two are less than doubled
    assert_true(grid->code_count < 8 * (int64_t)blocks[0] * blocks[1] * blocks[2]);

    unsigned char *seen = calloc(grid->code_count, 1);
    assert_non_null(seen);
    int32_t at[3];
    for (at[0] = 0; at[0] < blocks[0]; ++at[0]) {
        for (at[1] = 0; at[1] < blocks[1]; ++at[1]) {
            for (at[2] = 0; at[2] < blocks[2]; ++at[2]) {
                uint32_t code = pli_paged_grid_code(grid, at);
                assert_true(code < grid->code_count);
                assert_int_equal(seen[code]++, 0);
                int32_t back[3];
                pli_paged_grid_coordinates(grid, code, back);
                assert_memory_equal(back, at, sizeof at);
            }
        }
    }
    free(seen);
    pli_paged_grid_destroy(grid);
    pli_context_destroy(context);
}

static void codes_are_a_bijection_for_any_domain(void **state)
{
    (void)state;
    const int32_t domains[][3] = {{1, 1, 1},  {2, 1, 1},  {1, 1, 7},    {5, 3, 9},
                                  {8, 8, 8},  {1, 33, 2}, {17, 16, 15}, {100, 1, 3},
                                  {3, 64, 5}, {31, 2, 1}, {7, 13, 29},  {2, 2, 200}};
    for (size_t k = 0; k < sizeof domains / sizeof *domains; ++k) {
        codes_are_a_bijection(domains[k]);
    }
}

static void codes_of_cubes_interleave_bits_and_are_dense(void **state)
{
    pli_context *context = *state;
    pli_paged_grid *grid = make_grid(context, 4, 4, 4);
    assert_int_equal(grid->code_count, 64);
    assert_int_equal(pli_paged_grid_code(grid, (const int32_t[3]){1, 0, 0}), 1);
    assert_int_equal(pli_paged_grid_code(grid, (const int32_t[3]){0, 1, 0}), 2);
    assert_int_equal(pli_paged_grid_code(grid, (const int32_t[3]){0, 0, 1}), 4);
    assert_int_equal(pli_paged_grid_code(grid, (const int32_t[3]){2, 3, 1}), 8 + 16 + 2 + 4);
    pli_paged_grid_destroy(grid);

    // an axis that has run out of bits leaves the rest to the others
    grid = make_grid(context, 2, 1, 8);
    assert_int_equal(grid->code_count, 16);
    assert_int_equal(pli_paged_grid_code(grid, (const int32_t[3]){1, 0, 4}), 1 + 8);
    pli_paged_grid_destroy(grid);
}

static void steps_reach_the_neighbours_from_everywhere(void **state)
{
    pli_context *context = *state;
    pli_paged_grid *grid = make_grid(context, 1 << 7, 9, 1 << 11);
    pli_random random = {7, 0};
    for (uint64_t trial = 0; trial < 2000; ++trial) {
        int32_t at[3];
        int32_t to[3];
        int32_t step[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = (int32_t)pli_random_range(random, 6 * trial + (uint64_t)k, 0, grid->blocks[k]);
            step[k] = (int32_t)pli_random_range(random, 6 * trial + 3 + (uint64_t)k, 0, 3) - 1;
            if (at[k] + step[k] < 0 || at[k] + step[k] >= grid->blocks[k]) step[k] = 0;
            to[k] = at[k] + step[k];
        }
        uint32_t code = pli_paged_grid_code(grid, at);
        assert_int_equal(pli_paged_grid_step(grid, code, step), pli_paged_grid_code(grid, to));
    }
    pli_paged_grid_destroy(grid);
}

// ---- memory

static void random_access_equals_a_dense_array(void **state)
{
    enum { X = 5, Y = 6, Z = 3, FLOATS = X * Y * Z * PLI_PAGE_FLOATS };
    pli_context *context = *state;
    pli_paged_grid *grid = make_grid(context, X, Y, Z);
    float *dense = calloc(FLOATS, sizeof *dense);
    assert_non_null(dense);
    pli_random random = {11, 0};
    for (uint64_t trial = 0; trial < 200000; ++trial) {
        // a float of a node, anywhere in half of the blocks
        int32_t node[3];
        const int32_t size[3] = {PLI_BLOCK_X * X, PLI_BLOCK_Y * Y, PLI_BLOCK_Z * Z};
        for (int k = 0; k < 3; ++k) {
            node[k] = (int32_t)(pli_random_bits(random, 4 * trial + (uint64_t)k) >> 32) & 0xffff;
            node[k] %= size[k];
        }
        if ((node[0] / PLI_BLOCK_X + node[1] / PLI_BLOCK_Y) % 2 != 0) continue;
        int32_t channel = (int32_t)(trial % PLI_NODE_FLOATS);

        const int32_t at[3] = {node[0] / PLI_BLOCK_X, node[1] / PLI_BLOCK_Y, node[2] / PLI_BLOCK_Z};
        float *page = pli_paged_grid_page(grid, pli_paged_grid_code(grid, at));
        int32_t inside = 8 * (4 * (node[0] % 4) + node[1] % 4) + node[2] % 8;
        float *sparse = &page[8 * inside + channel];
        float *want = &dense[8 * ((node[0] * size[1] + node[1]) * size[2] + node[2]) + channel];
        assert_true(*sparse == *want);
        *sparse += (float)trial;
        *want += (float)trial;
    }
    free(dense);
    pli_paged_grid_destroy(grid);
}

static void released_pages_read_zero_and_leave_others_alone(void **state)
{
    enum { PAGES = 64 };
    pli_context *context = *state;
    pli_paged_grid *grid = make_grid(context, 4, 4, 4);
    for (uint32_t code = 0; code < PAGES; ++code) {
        float *page = pli_paged_grid_page(grid, code);
        for (int i = 0; i < PLI_PAGE_FLOATS; ++i) page[i] = 1 + (float)code;
    }
    for (uint32_t code = 0; code < PAGES; code += 3) pli_paged_grid_release(grid, code);
    for (uint32_t code = 0; code < PAGES; ++code) {
        float want = code % 3 == 0 ? 0 : 1 + (float)code;
        const float *page = pli_paged_grid_page(grid, code);
        for (int i = 0; i < PLI_PAGE_FLOATS; ++i) assert_true(page[i] == want);
    }

    // and can be written again
    pli_paged_grid_page(grid, 0)[5] = 2;
    assert_true(pli_paged_grid_page(grid, 0)[5] == 2 && pli_paged_grid_page(grid, 0)[4] == 0);
    pli_paged_grid_destroy(grid);
}

static void memory_is_what_was_touched(void **state)
{
    const int64_t page = PLI_PAGE_FLOATS * sizeof(float);
    if (sysconf(_SC_PAGESIZE) != page) skip();

    // 64 GiB of addresses
    pli_context *context = *state;
    pli_paged_grid *grid = make_grid(context, 1 << 9, 1 << 8, 1 << 7);
    assert_int_equal(pli_paged_grid_memory(grid), 0);
    for (uint32_t k = 0; k < 100; ++k) pli_paged_grid_page(grid, k * 167772u)[k] = 1;
    assert_int_equal(pli_paged_grid_memory(grid), 100 * page);
    for (uint32_t k = 0; k < 40; ++k) pli_paged_grid_release(grid, k * 167772u);
    assert_int_equal(pli_paged_grid_memory(grid), 60 * page);
    grid->table[grid->code_count - 1] = 3;
    assert_int_equal(pli_paged_grid_memory(grid), 61 * page);
    assert_int_equal(grid->table[0], 0);
    pli_paged_grid_destroy(grid);
}

static void parts_of_pages_are_cleared_alone(void **state)
{
    (void)state;
    enum { BYTES = 1 << 17 };
    unsigned char *range = pli_addresses_reserve(BYTES, PLI_ADDRESSES_DENSE);
    assert_non_null(range);
    memset(range, 1, BYTES);
    pli_addresses_discard(range + 100, 50);
    for (int i = 0; i < BYTES; ++i) assert_int_equal(range[i], i < 100 || i >= 150);
    assert_true(pli_addresses_touched(range + 1, 1) == sysconf(_SC_PAGESIZE));
    pli_addresses_release(range, BYTES);
    pli_addresses_release(NULL, 0);
    assert_null(pli_addresses_reserve(0, PLI_ADDRESSES_DENSE));
}

// ---- refusals

static void sizes_that_cannot_be_are_refused(void **state)
{
    pli_context *context = *state;
    const int32_t wrong[][3] = {
        {0, 1, 1},
        {1, -4, 1},
        {1, 1, (1 << 20) + 1},
        {1 << 20, 2048, 2},
        {2049, 1024, 1 << 10},
        {INT32_MAX, INT32_MAX, INT32_MAX},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        pli_paged_grid *grid = (pli_paged_grid *)&grid;
        assert_int_equal(pli_paged_grid_create(context, wrong[k], &grid), PLI_ERROR_ARGUMENT);
        assert_null(grid);
        char size[64];
        char message[512];
        snprintf(size, sizeof size, "%d x %d x %d", wrong[k][0], wrong[k][1], wrong[k][2]);
        pli_context_message(context, message, sizeof message);
        assert_non_null(strstr(message, size));
    }
}

static void addresses_that_run_out_are_told_and_come_back(void **state)
{
    enum { GRIDS = 300 };
    pli_context *context = *state;
    const int32_t most[3] = {1 << 11, 1 << 10, 1 << 10};
    pli_paged_grid *grids[GRIDS];
    // 8 TiB each: processors have 128 TiB, some have 256, of which others already use some
    int32_t count = 0;
    pli_status status = PLI_OK;
    while (count < GRIDS) {
        status = pli_paged_grid_create(context, most, &grids[count]);
        if (status != PLI_OK) break;
        // both ends are there
        pli_paged_grid_page(grids[count], 0)[0] = 1;
        pli_paged_grid_page(grids[count], grids[count]->code_count - 1)[PLI_PAGE_FLOATS - 1] = 1;
        ++count;
    }
    assert_int_equal(status, PLI_ERROR_MEMORY);
    assert_null(grids[count]);
    char message[512];
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "2048 x 1024 x 1024"));
    for (int32_t k = 0; k < count; ++k) pli_paged_grid_destroy(grids[k]);

    // what was given back can be had again
    if (count > 0) {
        OK(context, pli_paged_grid_create(context, most, &grids[0]));
        pli_paged_grid_destroy(grids[0]);
    }
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_paged_grid *grid = NULL;
        sweep.status = pli_paged_grid_create(sweep.context, (const int32_t[3]){2, 2, 2}, &grid);
        assert_int_equal(grid == NULL, sweep.status != PLI_OK);
        pli_paged_grid_destroy(grid);
    }
    pli_paged_grid_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_a_bijection_for_any_domain),
        TEST_IN_CONTEXT(codes_of_cubes_interleave_bits_and_are_dense, 1),
        TEST_IN_CONTEXT(steps_reach_the_neighbours_from_everywhere, 1),
        TEST_IN_CONTEXT(random_access_equals_a_dense_array, 1),
        TEST_IN_CONTEXT(released_pages_read_zero_and_leave_others_alone, 1),
        TEST_IN_CONTEXT(memory_is_what_was_touched, 1),
        cmocka_unit_test(parts_of_pages_are_cleared_alone),
        TEST_IN_CONTEXT(sizes_that_cannot_be_are_refused, 1),
        TEST_IN_CONTEXT(addresses_that_run_out_are_told_and_come_back, 1),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
