// SPDX-License-Identifier: Apache-2.0
//
// Furthest-point sampling against distances found by brute force.
#include "support/fault_sweep.h"
#include "unit/multilevel/solids.h"

#include "multilevel/sampling.h"

static pli_sampling *make_sampling(const solid *s, const float *lengths, int32_t count)
{
    pli_sampling *sampling = NULL;
    pli_sampling_def def = {.graph = s->graph, .lengths = lengths, .seed = 3};
    OK(s->context, pli_sampling_create(s->context, &def, &sampling));
    pli_sampling_extend(sampling, count);
    return sampling;
}

static void labels_are_nearest_samples(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 9, 5, 4);
    float *lengths = new_lengths(&s);
    pli_sampling *sampling = make_sampling(&s, lengths, 17);
    assert_int_equal(sampling->count, 17);

    double *best = malloc((size_t)s.graph.node_count * sizeof *best);
    int32_t *label = malloc((size_t)s.graph.node_count * sizeof *label);
    for (int32_t k = 0; k < 17; ++k) {
        double *distance = new_distances(&s, lengths, sampling->samples[k]);
        for (int32_t v = 0; v < s.graph.node_count; ++v) {
            // ties go to the lower sample
            if (k > 0 && !(distance[v] < best[v])) continue;
            best[v] = distance[v];
            label[v] = k;
        }
        free(distance);
    }
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        assert_true(sampling->distance[v] == best[v]);
        assert_int_equal(sampling->label[v], label[v]);
    }
    free(best);
    free(label);
    free(lengths);
    pli_sampling_destroy(sampling);
    clear_solids(&s);
}

// The farthest vertex is at most as far as any two samples are apart, and every sample has another
// within twice that and an edge: spacings differ by little more than a factor of two.
static void spacing_is_even(void **state)
{
    enum { COUNT = 24 };
    pli_context *context = *state;
    solid s = make_solids(context, 1, 12, 6, 6);
    float *lengths = new_lengths(&s);
    pli_sampling *sampling = make_sampling(&s, lengths, COUNT);
    double radius = 0;
    for (int32_t v = 0; v < s.graph.node_count; ++v) radius = fmax(radius, sampling->distance[v]);
    double smallest = INFINITY;
    double largest = 0;
    for (int32_t k = 0; k < COUNT; ++k) {
        double *distance = new_distances(&s, lengths, sampling->samples[k]);
        double nearest = INFINITY;
        for (int32_t j = 0; j < COUNT; ++j) {
            if (j != k) nearest = fmin(nearest, distance[sampling->samples[j]]);
        }
        smallest = fmin(smallest, nearest);
        largest = fmax(largest, nearest);
        free(distance);
    }
    AT_LEAST(smallest, radius);
    // the longest edges are diagonals of cells that grew by a fifth in each direction
    AT_MOST(largest, 2 * radius + 1.2 * sqrt(2));
    AT_MOST(largest / smallest, 2.5);
    free(lengths);
    pli_sampling_destroy(sampling);
    clear_solids(&s);
}

static void smaller_sets_are_prefixes_of_larger_ones(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 8, 6, 5);
    float *lengths = new_lengths(&s);
    pli_sampling *few = make_sampling(&s, lengths, 10);
    pli_sampling *many = make_sampling(&s, lengths, 60);
    assert_memory_equal(few->samples, many->samples, 10 * sizeof(int32_t));

    // extending gives what sampling at once gives
    pli_sampling_extend(few, 35);
    pli_sampling_extend(few, 60);
    size_t n = (size_t)s.graph.node_count;
    assert_memory_equal(few->samples, many->samples, 60 * sizeof(int32_t));
    assert_memory_equal(few->label, many->label, n * sizeof(int32_t));
    assert_memory_equal(few->distance, many->distance, n * sizeof(double));
    free(lengths);
    pli_sampling_destroy(few);
    pli_sampling_destroy(many);
    clear_solids(&s);
}

static void every_component_is_sampled_first(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 5, 3, 2, 2);
    float *lengths = new_lengths(&s);
    pli_sampling *sampling = make_sampling(&s, lengths, 2);
    assert_int_equal(sampling->count, 5);
    int32_t box_size = s.graph.node_count / 5;
    bool seen[5] = {false};
    for (int32_t k = 0; k < 5; ++k) seen[sampling->samples[k] / box_size] = true;
    for (int32_t k = 0; k < 5; ++k) assert_true(seen[k]);
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        assert_true(isfinite(sampling->distance[v]));
        assert_int_equal(sampling->samples[sampling->label[v]] / box_size, v / box_size);
    }

    // asking for more samples than vertices gives all of them
    pli_sampling_extend(sampling, 10 * s.graph.node_count);
    assert_int_equal(sampling->count, s.graph.node_count);
    for (int32_t k = 0; k < sampling->count; ++k) {
        assert_int_equal(sampling->label[sampling->samples[k]], k);
    }
    free(lengths);
    pli_sampling_destroy(sampling);
    clear_solids(&s);
}

static void given_samples_come_first(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 6, 4, 4);
    float *lengths = new_lengths(&s);
    int32_t given[4] = {20, 3, 50, 21};
    pli_sampling_def def = {.graph = s.graph, .lengths = lengths, .given_count = 4, .given = given};
    pli_sampling *sampling = NULL;
    OK(context, pli_sampling_create(context, &def, &sampling));
    assert_int_equal(sampling->count, 4);
    pli_sampling_extend(sampling, 9);
    assert_int_equal(sampling->count, 9);
    assert_memory_equal(sampling->samples, given, sizeof given);
    pli_sampling_destroy(sampling);

    // twice, outside, skipped
    uint8_t *skipped = new_marks(&s);
    skipped[50] = 1;
    def.skipped = skipped;
    assert_int_equal(pli_sampling_create(context, &def, &sampling), PLI_ERROR_ARGUMENT);
    def.skipped = NULL;
    given[2] = 3;
    assert_int_equal(pli_sampling_create(context, &def, &sampling), PLI_ERROR_ARGUMENT);
    given[2] = s.graph.node_count;
    assert_int_equal(pli_sampling_create(context, &def, &sampling), PLI_ERROR_ARGUMENT);
    given[2] = -1;
    assert_int_equal(pli_sampling_create(context, &def, &sampling), PLI_ERROR_ARGUMENT);
    assert_null(sampling);
    free(skipped);
    free(lengths);
    clear_solids(&s);
}

// A skipped layer cuts the box in two: paths do not lead through it.
static void skipped_nodes_are_walls(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 8, 3, 3);
    float *lengths = new_lengths(&s);
    uint8_t *skipped = new_marks(&s);
    for (int32_t v = 0; v < s.graph.node_count; ++v) skipped[v] = v % 9 == 4;
    pli_sampling_def def = {.graph = s.graph, .lengths = lengths, .skipped = skipped};
    pli_sampling *sampling = NULL;
    OK(context, pli_sampling_create(context, &def, &sampling));
    pli_sampling_extend(sampling, 1);
    assert_int_equal(sampling->count, 2);
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        assert_int_equal(sampling->label[v] < 0, skipped[v]);
        if (skipped[v]) continue;
        assert_int_equal(sampling->samples[sampling->label[v]] % 9 > 4, v % 9 > 4);
    }
    pli_sampling_destroy(sampling);

    // nothing left to sample
    memset(skipped, 1, (uint32_t)s.graph.node_count);
    OK(context, pli_sampling_create(context, &def, &sampling));
    pli_sampling_extend(sampling, 3);
    assert_int_equal(sampling->count, 0);
    pli_sampling_destroy(sampling);
    free(skipped);
    free(lengths);
    clear_solids(&s);
}

// Vertices in one place are one sample, unless they are given.
static void coincident_nodes_are_not_chosen(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 3, 3, 3);
    float *lengths = new_lengths(&s);
    memset(lengths, 0, (size_t)s.graph.start[s.graph.node_count] * sizeof *lengths);
    pli_sampling *sampling = make_sampling(&s, lengths, 10);
    assert_int_equal(sampling->count, 1);
    pli_sampling_destroy(sampling);

    int32_t given[2] = {9, 5};
    pli_sampling_def def = {.graph = s.graph, .lengths = lengths, .given_count = 2, .given = given};
    OK(context, pli_sampling_create(context, &def, &sampling));
    for (int32_t v = 0; v < s.graph.node_count; ++v) {
        assert_int_equal(sampling->label[v], v == 5 ? 1 : 0);
    }
    pli_sampling_destroy(sampling);
    pli_sampling_destroy(NULL);
    free(lengths);
    clear_solids(&s);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    pli_context *plain = make_context(1);
    solid s = make_solids(plain, 1, 2, 2, 2);
    float *lengths = new_lengths(&s);
    pli_sampling_def def = {.graph = s.graph, .lengths = lengths};
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_sampling *sampling = NULL;
        sweep.status = pli_sampling_create(sweep.context, &def, &sampling);
        assert_int_equal(sampling == NULL, sweep.status != PLI_OK);
        pli_sampling_destroy(sampling);
    }
    free(lengths);
    clear_solids(&s);
    pli_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(labels_are_nearest_samples, 1),
        TEST_IN_CONTEXT(spacing_is_even, 1),
        TEST_IN_CONTEXT(smaller_sets_are_prefixes_of_larger_ones, 1),
        TEST_IN_CONTEXT(every_component_is_sampled_first, 1),
        TEST_IN_CONTEXT(given_samples_come_first, 1),
        TEST_IN_CONTEXT(skipped_nodes_are_walls, 1),
        TEST_IN_CONTEXT(coincident_nodes_are_not_chosen, 1),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
