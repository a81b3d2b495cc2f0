// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"
#include "unit/linear/problems.h"

static void check_graph_coloring(const pli_graph *graph, const pli_graph_coloring *coloring)
{
    // neighbours differ
    for (int32_t node = 0; node < graph->node_count; ++node) {
        for (int64_t at = graph->start[node]; at < graph->start[node + 1]; ++at) {
            int32_t other = graph->neighbor[at];
            if (other != node) assert_int_not_equal(coloring->color[node], coloring->color[other]);
        }
    }
    // every node is listed once, under its colour, in increasing order
    assert_int_equal(coloring->color_begin[coloring->color_count], graph->node_count);
    for (int32_t c = 0; c < coloring->color_count; ++c) {
        assert_true(coloring->color_begin[c] < coloring->color_begin[c + 1]);
        for (int32_t k = coloring->color_begin[c]; k < coloring->color_begin[c + 1]; ++k) {
            assert_int_equal(coloring->color[coloring->node[k]], c);
            if (k > coloring->color_begin[c]) {
                assert_true(coloring->node[k - 1] < coloring->node[k]);
            }
        }
    }
}

static void neighbours_never_share_a_colour(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrices[] = {box_matrix(context, 10, 9, 8, 1, 1), random_matrix(context, 300, 4)};
    for (int m = 0; m < 2; ++m) {
        pli_graph graph = pli_bcsr_graph(matrices[m]);
        pli_coloring_method methods[] = {PLI_COLORING_GREEDY, PLI_COLORING_RANDOM};
        for (int k = 0; k < 2; ++k) {
            pli_graph_coloring *coloring = NULL;
            OK(context, pli_graph_coloring_create(context, &graph, methods[k], 17, &coloring));
            check_graph_coloring(&graph, coloring);
            pli_graph_coloring_destroy(coloring);
        }
        pli_bcsr_destroy(matrices[m]);
    }
}

// Sizes of the fullest colour relative to the mean.
static double fullest_colour(int32_t color_count, const int32_t *begin)
{
    int32_t fullest = 0;
    for (int32_t c = 0; c < color_count; ++c) {
        int32_t size = begin[c + 1] - begin[c];
        if (size > fullest) fullest = size;
    }
    return (double)fullest * color_count / begin[color_count];
}

static void greedy_colours_are_few_and_balanced(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 16, 16, 16, 1, 1);
    pli_graph graph = pli_bcsr_graph(matrix);
    pli_graph_coloring *coloring = NULL;
    OK(context, pli_graph_coloring_create(context, &graph, PLI_COLORING_GREEDY, 0, &coloring));
    // the largest degree is 18; the box has cliques of four, so four colours at least
    AT_LEAST(coloring->color_count, 4);
    AT_MOST(coloring->color_count, 8);
    // half of the vertices have neighbours in all other colours and can't move
    AT_MOST(fullest_colour(coloring->color_count, coloring->color_begin), 2.5);
    pli_graph_coloring_destroy(coloring);
    pli_bcsr_destroy(matrix);
}

static void random_colours_depend_on_the_seed_alone(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_bcsr *matrix = box_matrix(context, 14, 14, 14, 1, 1);
        pli_graph graph = pli_bcsr_graph(matrix);
        uint64_t hashes[2];
        for (uint64_t seed = 0; seed < 2; ++seed) {
            pli_graph_coloring *coloring = NULL;
            OK(context,
               pli_graph_coloring_create(context, &graph, PLI_COLORING_RANDOM, seed, &coloring));
            hashes[seed] = pli_hash_bytes(PLI_HASH_START, coloring->color,
                                          (size_t)graph.node_count * sizeof(int32_t));
            same_bits_keep_hash(&bits, hashes[seed]);
            // palettes hold degree / 2.5 colours, and few run dry
            AT_MOST(coloring->color_count, 14);
            pli_graph_coloring_destroy(coloring);
        }
        assert_true(hashes[0] != hashes[1]);
        pli_bcsr_destroy(matrix);
        pli_context_destroy(context);
    }
}

static void check_chunk_coloring(const pli_clique_list *list, int32_t vertex_count,
                                 const pli_chunk_coloring *coloring)
{
    int32_t *last_chunk = malloc((size_t)vertex_count * sizeof *last_chunk);
    assert_non_null(last_chunk);
    int64_t seen = 0;
    for (int32_t c = 0; c < coloring->color_count; ++c) {
        for (int32_t v = 0; v < vertex_count; ++v) last_chunk[v] = -1;
        for (int32_t k = coloring->color_begin[c]; k < coloring->color_begin[c + 1]; ++k) {
            int32_t chunk = coloring->chunk[k];
            seen += coloring->chunk_begin[chunk + 1] - coloring->chunk_begin[chunk];
            for (int64_t corner = coloring->chunk_begin[chunk] * list->size;
                 corner < coloring->chunk_begin[chunk + 1] * list->size; ++corner) {
                int32_t *last = &last_chunk[list->vertices[corner]];
                assert_true(*last == -1 || *last == chunk);
                *last = chunk;
            }
        }
    }
    assert_int_equal(seen, list->count);
    free(last_chunk);
}

static void chunks_of_a_colour_share_no_vertex(void **state)
{
    pli_context *context = *state;
    box_mesh mesh;
    assert_true(box_mesh_init(&mesh, 20, 20, 20));
    pli_clique_list list = box_cliques(&mesh);
    pli_chunk_coloring *coloring = NULL;
    OK(context, pli_chunk_coloring_create(context, mesh.vertex_count, &list, 0, &coloring));
    check_chunk_coloring(&list, mesh.vertex_count, coloring);
    assert_int_equal(coloring->chunk_count, (mesh.tet_count + 511) / 512);
    AT_MOST(coloring->color_count, 10);
    AT_MOST(fullest_colour(coloring->color_count, coloring->color_begin), 1.3);
    pli_chunk_coloring_destroy(coloring);
    box_mesh_clear(&mesh);
}

// One vertex in every element: every chunk needs a colour of its own, far more than 64.
static void hundreds_of_colours_are_possible(void **state)
{
    enum { COUNT = 300 };
    pli_context *context = *state;
    int32_t edges[2 * COUNT];
    for (int32_t k = 0; k < COUNT; ++k) {
        edges[2 * k] = 0;
        edges[2 * k + 1] = k + 1;
    }
    pli_clique_list list = {2, COUNT, edges};
    pli_chunk_coloring *coloring = NULL;
    OK(context, pli_chunk_coloring_create(context, COUNT + 1, &list, 2, &coloring));
    assert_int_equal(coloring->color_count, COUNT / 2);
    check_chunk_coloring(&list, COUNT + 1, coloring);
    pli_chunk_coloring_destroy(coloring);

    list.count = 0;
    OK(context, pli_chunk_coloring_create(context, COUNT + 1, &list, 2, &coloring));
    assert_int_equal(coloring->color_count, 0);
    pli_chunk_coloring_destroy(coloring);

    edges[1] = COUNT + 1;
    list.count = COUNT;
    assert_int_equal(pli_chunk_coloring_create(context, COUNT + 1, &list, 2, &coloring),
                     PLI_ERROR_ARGUMENT);
    assert_null(coloring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(neighbours_never_share_a_colour, 2),
        TEST_IN_CONTEXT(greedy_colours_are_few_and_balanced, 1),
        cmocka_unit_test(random_colours_depend_on_the_seed_alone),
        TEST_IN_CONTEXT(chunks_of_a_colour_share_no_vertex, 1),
        TEST_IN_CONTEXT(hundreds_of_colours_are_possible, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
