// SPDX-License-Identifier: Apache-2.0
//
// Springs of cloth: how many there are on grids and triangles, and between whom.
#include "near.h"
#include "support/fault_sweep.h"

#include "geometry/mesh/cloth_net.h"

static int32_t count_bends(const pli_cloth_net *net)
{
    int32_t count = 0;
    for (int32_t k = 0; k < net->count; ++k) count += net->bends[k];
    return count;
}

static bool joins(const pli_cloth_net *net, int32_t spring, int32_t a, int32_t b)
{
    const int32_t *ends = net->ends + 2 * (int64_t)spring;
    return (ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a);
}

// The number of springs between two vertices, and whether the last of them bends.
static int32_t find_spring(const pli_cloth_net *net, int32_t a, int32_t b, bool *bends)
{
    int32_t found = 0;
    for (int32_t k = 0; k < net->count; ++k) {
        if (!joins(net, k, a, b)) continue;
        *bends = net->bends[k];
        ++found;
    }
    return found;
}

static void grids_have_structural_shear_and_bend_springs(void **state)
{
    pli_context *context = *state;
    static const int32_t sizes[][2] = {{200, 200}, {250, 250}, {1, 1}, {3, 1}, {4, 7}};
    static const int32_t totals[] = {240398, 375498, 6, 0, 0};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        int32_t n = sizes[k][0];
        int32_t m = sizes[k][1];
        int32_t bends = (n - 1) * (m + 1) + (m - 1) * (n + 1);
        pli_cloth_net net;
        OK(context, pli_cloth_net_build_grid(context, sizes[k], &net));
        assert_int_equal(net.count, n * (m + 1) + m * (n + 1) + 2 * n * m + bends);
        assert_int_equal(count_bends(&net), bends);
        if (totals[k] > 0) assert_int_equal(net.count, totals[k]);
        pli_cloth_net_clear(context, &net);
    }
}

static void springs_of_a_grid_join_neighbours(void **state)
{
    pli_context *context = *state;
    static const int32_t cells[2] = {3, 4};
    pli_cloth_net net;
    OK(context, pli_cloth_net_build_grid(context, cells, &net));
    for (int32_t a = 0; a < 20; ++a) {
        for (int32_t b = a + 1; b < 20; ++b) {
            int32_t i = abs(b % 4 - a % 4);
            int32_t j = abs(b / 4 - a / 4);
            bool near = i <= 1 && j <= 1;
            bool over = (i == 2 && j == 0) || (i == 0 && j == 2);
            bool bends = false;
            assert_int_equal(find_spring(&net, a, b, &bends), near || over);
            assert_true(bends == over);
        }
    }
    pli_cloth_net_clear(context, &net);
}

static void triangles_have_edges_and_what_is_across_them(void **state)
{
    pli_context *context = *state;
    // a fan of four triangles around 0: the rim 1 2 3 4; across the spokes there are two pairs,
    // each of them from two spokes
    static const int32_t fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1};
    pli_cloth_net net;
    bool bends = false;
    OK(context, pli_cloth_net_build(context, 4, fan, &net));
    assert_int_equal(net.count, 8 + 2);
    assert_int_equal(count_bends(&net), 2);
    assert_int_equal(find_spring(&net, 1, 3, &bends), 1);
    assert_true(bends);
    assert_int_equal(find_spring(&net, 2, 4, &bends), 1);
    assert_int_equal(find_spring(&net, 4, 0, &bends), 1);
    assert_false(bends);
    pli_cloth_net_clear(context, &net);
    // in a tetrahedron everything is joined by edges already
    static const int32_t tetrahedron[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    OK(context, pli_cloth_net_build(context, 4, tetrahedron, &net));
    assert_int_equal(net.count, 6);
    assert_int_equal(count_bends(&net), 0);
    pli_cloth_net_clear(context, &net);
    // the same triangle from both sides has nothing across
    static const int32_t twice[] = {0, 1, 2, 0, 2, 1};
    OK(context, pli_cloth_net_build(context, 2, twice, &net));
    assert_int_equal(net.count, 3);
    pli_cloth_net_clear(context, &net);
    OK(context, pli_cloth_net_build(context, 0, NULL, &net));
    assert_int_equal(net.count, 0);
    pli_cloth_net_clear(context, &net);
}

static void grids_that_cannot_be_are_refused(void **state)
{
    pli_context *context = *state;
    static const int32_t sizes[][2] = {{0, 3}, {3, -1}, {30000, 30000}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        pli_cloth_net net;
        assert_int_equal(pli_cloth_net_build_grid(context, sizes[k], &net), PLI_ERROR_ARGUMENT);
        assert_null(net.ends);
    }
}

static pli_status build_both(pli_context *context)
{
    static const int32_t cells[2] = {2, 2};
    static const int32_t triangles[] = {0, 1, 2, 0, 2, 3};
    pli_cloth_net net;
    pli_status status = pli_cloth_net_build_grid(context, cells, &net);
    if (status != PLI_OK) return status;
    pli_cloth_net_clear(context, &net);
    status = pli_cloth_net_build(context, 2, triangles, &net);
    if (status == PLI_OK) pli_cloth_net_clear(context, &net);
    return status;
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = build_both(sweep.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(grids_have_structural_shear_and_bend_springs, 1),
        TEST_IN_CONTEXT(springs_of_a_grid_join_neighbours, 1),
        TEST_IN_CONTEXT(triangles_have_edges_and_what_is_across_them, 1),
        TEST_IN_CONTEXT(grids_that_cannot_be_are_refused, 1),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
