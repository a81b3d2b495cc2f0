// SPDX-License-Identifier: Apache-2.0
//
// The skinning hierarchy (Xian et al. 2019): parents, levels, places.
#include "unit/multilevel/solids.h"

#include "linear/direct/cholesky.h"
#include "multilevel/skinning.h"

static pli_skinning_def def_of(const solid *s)
{
    return (pli_skinning_def){.graph = s->graph,
                              .positions = s->mesh->points,
                              .dofs = 12,
                              .corner_count = 4,
                              .element_count = s->mesh->tet_count,
                              .elements = s->mesh->tets};
}

static pli_hierarchy *make_hierarchy(const solid *s, const pli_skinning_def *def)
{
    pli_hierarchy *hierarchy = NULL;
    OK(s->context, pli_skinning_create(s->context, def, &hierarchy));
    return hierarchy;
}

// Every finer node has one parent, every coarse node a child, samples are prefixes of each other.
static void check_piecewise(const pli_hierarchy *h)
{
    for (int32_t level = 0; level < h->level_count; ++level) {
        const pli_interpolation_map *transfer = &h->transfers[level];
        assert_true(pli_interpolation_map_is_piecewise(transfer));
        assert_int_equal(transfer->link_count, transfer->fine_count);
        uint8_t *has_child = calloc((uint32_t)transfer->coarse_count, 1);
        for (int32_t node = 0; node < transfer->fine_count; ++node) {
            assert_int_equal(transfer->start[node + 1] - transfer->start[node], 1);
            has_child[transfer->parent[node]] = 1;
        }
        for (int32_t node = 0; node < transfer->coarse_count; ++node) assert_true(has_child[node]);
        free(has_child);
        if (level == 0) continue;
        assert_int_equal(transfer->fine_count, h->transfers[level - 1].coarse_count);
        assert_true(transfer->coarse_count < transfer->fine_count);
        assert_memory_equal(h->samples[level], h->samples[level - 1],
                            (size_t)transfer->coarse_count * sizeof(int32_t));
    }
}

static void every_node_has_one_parent(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 12, 8, 8);
    pli_skinning_def def = def_of(&s);
    def.level_count = 3;
    def.node_counts[0] = 100;
    def.node_counts[1] = 20;
    def.node_counts[2] = 4;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    assert_int_equal(h->level_count, 3);
    assert_int_equal(h->dofs, 12);
    for (int32_t level = 0; level < 3; ++level) {
        assert_int_equal(h->transfers[level].coarse_count, def.node_counts[level]);
    }
    assert_int_equal(h->transfers[0].fine_count, s.graph.node_count);
    check_piecewise(h);
    AT_LEAST((double)pli_hierarchy_memory_bytes(h), 44.0 * s.graph.node_count);
    pli_hierarchy_destroy(h);
    clear_solids(&s);
}

static void check_partition_of_unity(pli_skinning_weights weights)
{
    pli_context *context = make_context(1);
    solid s = make_solids(context, 2, 5, 3, 3);
    pli_skinning_def def = def_of(&s);
    uint8_t *skipped = new_marks(&s);
    skipped[7] = 1;
    def.skipped = skipped;
    def.weights = weights;
    def.level_count = 2;
    def.node_counts[0] = 12;
    def.node_counts[1] = 2;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    const pli_interpolation_map *transfer = &h->transfers[0];
    assert_false(pli_interpolation_map_is_piecewise(transfer));
    assert_true(pli_interpolation_map_is_piecewise(&h->transfers[1]));
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        double sum = 0;
        for (int64_t k = transfer->start[v]; k < transfer->start[v + 1]; ++k) {
            sum += transfer->weight[k];
            AT_LEAST(transfer->weight[k], 0);
        }
        NEAR(sum, skipped[v] ? 0 : 1, 0, 1e-14);
    }
    free(skipped);
    pli_hierarchy_destroy(h);
    clear_solids(&s);
    pli_context_destroy(context);
}

static void smooth_weights_are_a_partition_of_unity(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    check_partition_of_unity(PLI_SKINNING_SMOOTH);
}

static void averaged_weights_are_a_partition_of_unity(void **state)
{
    (void)state;
    check_partition_of_unity(PLI_SKINNING_AVERAGED);
}

// Two halves with a jump: what a stiff vertex hears from soft handles is left out as too small.
static void averaged_weights_of_stiff_vertices_are_of_stiff_handles(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 12, 6, 6);
    double *stiffness = malloc((size_t)s.graph.node_count * sizeof *stiffness);
    assert_non_null(stiffness);
    for (int64_t v = 0; v < s.graph.node_count; ++v) {
        stiffness[v] = s.mesh->points[3 * v] > 5.5 ? 1e4 : 1;
    }
    pli_skinning_def def = def_of(&s);
    def.stiffness = stiffness;
    def.weights = PLI_SKINNING_AVERAGED;
    def.level_count = 1;
    def.node_counts[0] = 16;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    const pli_interpolation_map *transfer = &h->transfers[0];
    int32_t shared = 0;
    for (int64_t v = 0; v < s.graph.node_count; ++v) {
        shared += transfer->start[v + 1] - transfer->start[v] > 1;
        for (int64_t k = transfer->start[v]; k < transfer->start[v + 1]; ++k) {
            double handle = stiffness[h->samples[0][transfer->parent[k]]];
            if (stiffness[v] > 1) assert_true(handle > 1);
        }
    }
    AT_LEAST(shared, 1);
    free(stiffness);
    pli_hierarchy_destroy(h);
    clear_solids(&s);
}

static void components_have_nodes_of_their_own(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 6, 3, 3, 3);
    pli_skinning_def def = def_of(&s);
    def.level_count = 3;
    def.node_counts[0] = 30;
    def.node_counts[1] = 5;
    def.node_counts[2] = 2;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    // both coarser levels come out with six nodes: one is left out
    assert_int_equal(h->level_count, 2);
    assert_int_equal(h->transfers[0].coarse_count, 30);
    assert_int_equal(h->transfers[1].coarse_count, 6);
    check_piecewise(h);
    int32_t box_size = s.graph.node_count / 6;
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        int32_t top = h->transfers[1].parent[h->transfers[0].parent[v]];
        assert_int_equal(h->samples[1][top] / box_size, v / box_size);
    }
    pli_hierarchy_destroy(h);
    clear_solids(&s);
}

static void given_samples_are_the_coarsest_level(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 16, 10, 10);
    int32_t samples[5] = {300, 4, 17, 1000, 500};
    pli_skinning_def def = def_of(&s);
    def.sample_count = 5;
    def.samples = samples;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    assert_int_equal(h->level_count, 2);
    assert_int_equal(h->transfers[1].coarse_count, 5);
    assert_memory_equal(h->samples[1], samples, sizeof samples);
    check_piecewise(h);
    pli_hierarchy_destroy(h);

    // a level can't do with fewer than those that are given
    def.level_count = 2;
    def.node_counts[0] = 50;
    def.node_counts[1] = 3;
    h = make_hierarchy(&s, &def);
    assert_int_equal(h->level_count, 2);
    assert_int_equal(h->transfers[1].coarse_count, 5);
    pli_hierarchy_destroy(h);

    samples[3] = 4;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    assert_null(h);
    clear_solids(&s);
}

static void skipped_vertices_have_no_parent(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 2, 4, 4, 4);
    uint8_t *skipped = new_marks(&s);
    for (int32_t v = s.graph.node_count / 2; v < s.graph.node_count; ++v) skipped[v] = 1;
    s.mesh->points[3 * (s.graph.node_count - 1)] = NAN; // nobody looks there
    pli_skinning_def def = def_of(&s);
    def.skipped = skipped;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    const pli_interpolation_map *transfer = &h->transfers[0];
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        assert_int_equal(transfer->start[v + 1] - transfer->start[v], skipped[v] ? 0 : 1);
    }
    assert_int_equal(transfer->link_count, s.graph.node_count / 2);
    pli_hierarchy_destroy(h);

    memset(skipped, 1, (uint32_t)s.graph.node_count);
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    free(skipped);
    clear_solids(&s);
}

static void handles_do_not_reach_across_jumps_of_stiffness(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 20, 4, 4);
    double *stiffness = malloc((size_t)s.graph.node_count * sizeof *stiffness);
    // layers of three cells of soft and stiff matter
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        stiffness[v] = v % 21 / 3 % 2 == 0 ? 1e5 : 1e8;
    }
    pli_skinning_def def = def_of(&s);
    def.level_count = 1;
    def.node_counts[0] = 14;
    int32_t mixed[2] = {0};
    for (int with = 0; with < 2; ++with) {
        def.stiffness = with ? stiffness : NULL;
        pli_hierarchy *h = make_hierarchy(&s, &def);
        for (int32_t v = 0; v < s.graph.node_count; ++v) {
            double other = stiffness[h->samples[0][h->transfers[0].parent[v]]];
            mixed[with] += stiffness[v] != other;
        }
        pli_hierarchy_destroy(h);
    }
    AT_LEAST(mixed[0], 0.1 * s.graph.node_count);
    assert_int_equal(mixed[1], 0);

    stiffness[3] = 0;
    def.stiffness = stiffness;
    pli_hierarchy *h = NULL;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    free(stiffness);
    clear_solids(&s);
}

static void sizes_of_levels_follow_from_the_mesh(void **state)
{
    pli_context *context = *state;
    static const int32_t cells[4][3] = {{1, 1, 1}, {3, 3, 3}, {8, 8, 8}, {30, 20, 20}};
    static const int32_t level_counts[4] = {1, 1, 1, 2};
    for (int k = 0; k < 4; ++k) {
        solid s = make_solids(context, 1, cells[k][0], cells[k][1], cells[k][2]);
        pli_skinning_def def = def_of(&s);
        pli_hierarchy *h = make_hierarchy(&s, &def);
        assert_int_equal(h->level_count, level_counts[k]);
        AT_MOST(h->transfers[h->level_count - 1].coarse_count, 128);
        check_piecewise(h);
        pli_hierarchy_destroy(h);
        clear_solids(&s);
    }
}

// Levels with as many nodes as there are vertices are left out, but one always remains.
static void levels_that_bring_nothing_are_left_out(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 3, 3, 3);
    pli_skinning_def def = def_of(&s);
    def.level_count = 2;
    def.node_counts[0] = 1000;
    def.node_counts[1] = 9;
    pli_hierarchy *h = make_hierarchy(&s, &def);
    assert_int_equal(h->level_count, 1);
    assert_int_equal(h->transfers[0].coarse_count, 9);
    pli_hierarchy_destroy(h);

    def.node_counts[1] = 900;
    h = make_hierarchy(&s, &def);
    assert_int_equal(h->level_count, 1);
    assert_int_equal(h->transfers[0].coarse_count, s.graph.node_count);
    check_piecewise(h);
    pli_hierarchy_destroy(h);
    clear_solids(&s);
}

static void senseless_wishes_are_refused(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 3, 3, 3);
    pli_hierarchy *h = NULL;
    pli_skinning_def def = def_of(&s);
    def.dofs = 6;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    def = def_of(&s);
    def.level_count = 2;
    def.node_counts[0] = 10;
    def.node_counts[1] = 10;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    def.node_counts[1] = 0;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    def.level_count = PLI_HIERARCHY_LEVELS + 1;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    def = def_of(&s);
    def.weights = PLI_SKINNING_SMOOTH;
    def.corner_count = 0;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    def = def_of(&s);
    s.mesh->points[5] = INFINITY;
    assert_int_equal(pli_skinning_create(context, &def, &h), PLI_ERROR_ARGUMENT);
    assert_null(h);
    clear_solids(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(every_node_has_one_parent, 1),
        cmocka_unit_test(smooth_weights_are_a_partition_of_unity),
        cmocka_unit_test(averaged_weights_are_a_partition_of_unity),
        TEST_IN_CONTEXT(averaged_weights_of_stiff_vertices_are_of_stiff_handles, 1),
        TEST_IN_CONTEXT(components_have_nodes_of_their_own, 1),
        TEST_IN_CONTEXT(given_samples_are_the_coarsest_level, 1),
        TEST_IN_CONTEXT(skipped_vertices_have_no_parent, 1),
        TEST_IN_CONTEXT(handles_do_not_reach_across_jumps_of_stiffness, 1),
        TEST_IN_CONTEXT(sizes_of_levels_follow_from_the_mesh, 1),
        TEST_IN_CONTEXT(levels_that_bring_nothing_are_left_out, 1),
        TEST_IN_CONTEXT(senseless_wishes_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
