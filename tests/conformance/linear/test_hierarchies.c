// SPDX-License-Identifier: Apache-2.0
//
// One suite for all hierarchies. A row makes coarse spaces of given sizes for a box of tetrahedra:
//
//   - every coarse node has a finer one, weights are a partition of unity, levels shrink;
//   - affine fields of the coarse nodes, each in its own frame, are that field at the vertices (of
//   nodes
//     with 12 unknowns; translations of those with 3);
//   - the same bits for any number of threads, and no failing allocation leaves anything behind.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/multilevel/solids.h"

#include "linear/direct/cholesky.h"
#include "multilevel/skinning.h"

typedef struct space {
    const char *name;
    pli_status (*create)(const struct space *self, pli_context *context, const solid *s,
                         int32_t level_count, const int32_t *sizes, pli_hierarchy **hierarchy);
    pli_skinning_weights weights;
    int32_t dofs;
    bool needs_cholesky;
    int64_t allocations; // that can fail, at least
} space;

static pli_status create_skinning(const space *self, pli_context *context, const solid *s,
                                  int32_t level_count, const int32_t *sizes,
                                  pli_hierarchy **hierarchy)
{
    pli_skinning_def def = {.graph = s->graph,
                            .positions = s->mesh->points,
                            .dofs = self->dofs,
                            .weights = self->weights,
                            .corner_count = 4,
                            .element_count = s->mesh->tet_count,
                            .elements = s->mesh->tets,
                            .level_count = level_count};
    memcpy(def.node_counts, sizes, (size_t)level_count * sizeof *sizes);
    return pli_skinning_create(context, &def, hierarchy);
}

static const space spaces[] = {
    {"constant weights", create_skinning, PLI_SKINNING_CONSTANT, 12, false, 15},
    {"averaged weights", create_skinning, PLI_SKINNING_AVERAGED, 12, false, 25},
    {"smooth weights", create_skinning, PLI_SKINNING_SMOOTH, 12, true, 40},
    {"translations", create_skinning, PLI_SKINNING_CONSTANT, 3, false, 15},
};
enum { SPACES = sizeof spaces / sizeof *spaces, LEVELS = 3 };
static const int32_t sizes[LEVELS] = {40, 12, 3};

static bool is_offered(const space *one)
{
    return !one->needs_cholesky || pli_cholesky_is_available();
}

static pli_hierarchy *make(const space *one, const solid *s)
{
    pli_hierarchy *hierarchy = NULL;
    OK(s->context, one->create(one, s->context, s, LEVELS, sizes, &hierarchy));
    return hierarchy;
}

static double weight_of(const pli_interpolation_map *transfer, int64_t link)
{
    return transfer->weight == NULL ? 1 : transfer->weight[link];
}

// ---- links

static void check_links(const pli_interpolation_map *transfer, bool finest)
{
    uint8_t *has_child = calloc((size_t)transfer->coarse_count, 1);
    assert_non_null(has_child);
    assert_int_equal(transfer->start[0], 0);
    assert_int_equal(transfer->start[transfer->fine_count], transfer->link_count);
    for (int32_t node = 0; node < transfer->fine_count; ++node) {
        double sum = 0;
        assert_true(transfer->start[node + 1] > transfer->start[node]);
        for (int64_t k = transfer->start[node]; k < transfer->start[node + 1]; ++k) {
            assert_in_range(transfer->parent[k], 0, transfer->coarse_count - 1);
            has_child[transfer->parent[k]] = 1;
            AT_LEAST(weight_of(transfer, k), 0);
            sum += weight_of(transfer, k);
            // a vertex has no size
            assert_int_equal(transfer->place[4 * k + 3] == 0, finest);
        }
        NEAR(sum, 1, 0, 1e-14);
    }
    for (int32_t node = 0; node < transfer->coarse_count; ++node) assert_true(has_child[node]);
    free(has_child);
}

static void links_are_a_partition_of_unity_and_levels_shrink(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 10, 6, 6);
    for (int i = 0; i < SPACES; ++i) {
        if (!is_offered(&spaces[i])) continue;
        pli_hierarchy *h = make(&spaces[i], &s);
        assert_int_equal(h->level_count, LEVELS);
        assert_int_equal(h->dofs, spaces[i].dofs);
        assert_int_equal(h->transfers[0].fine_count, s.graph.node_count);
        for (int32_t level = 0; level < LEVELS; ++level) {
            const pli_interpolation_map *transfer = &h->transfers[level];
            assert_int_equal(transfer->coarse_count, sizes[level]);
            if (level > 0) assert_int_equal(transfer->fine_count, sizes[level - 1]);
            check_links(transfer, level == 0);
            for (int32_t k = 0; k < sizes[level]; ++k) {
                assert_in_range(h->samples[level][k], 0, s.graph.node_count - 1);
            }
        }
        pli_hierarchy_destroy(h);
    }
    clear_solids(&s);
}

// ---- fields

// Centres and sizes [nodes][4] of the coarse nodes of a transfer from those of the finer ones,
// which are points when they have no size: a finer node stands at (c_fine - c) / s.
static double *new_frames(const pli_interpolation_map *transfer, const double *fine, int32_t stride)
{
    double *frames = calloc(4 * (size_t)transfer->coarse_count, sizeof *frames);
    double *spread = calloc((size_t)transfer->coarse_count, sizeof *spread);
    int64_t *first = malloc((size_t)transfer->coarse_count * sizeof *first);
    assert_true(frames != NULL && spread != NULL && first != NULL);
    for (int32_t k = 0; k < transfer->coarse_count; ++k) first[k] = -1;
    int64_t *owner = malloc((size_t)transfer->link_count * sizeof *owner);
    assert_non_null(owner);
    for (int32_t node = 0; node < transfer->fine_count; ++node) {
        for (int64_t k = transfer->start[node]; k < transfer->start[node + 1]; ++k) {
            int32_t parent = transfer->parent[k];
            double *frame = frames + 4 * parent;
            const double *c = fine + stride * node, *t = transfer->place + 4 * k;
            owner[k] = node;
            if (first[parent] < 0) first[parent] = k;
            const double *t0 = transfer->place + 4 * first[parent];
            const double *c0 = fine + stride * owner[first[parent]];
            // the size by the finer one's, or by the two finer nodes that are farthest apart
            double apart = pli_vec3_distance(t, t0);
            if (t[3] > 0)
                frame[3] = c[3] / t[3];
            else if (apart > spread[parent])
                frame[3] = pli_vec3_distance(c, c0) / apart;
            else if (spread[parent] == 0 && frame[3] == 0)
                frame[3] = 1;
            spread[parent] = fmax(spread[parent], apart);
            for (int a = 0; a < 3; ++a) frame[a] = c0[a] - frame[3] * t0[a];
        }
    }
    free(owner);
    free(first);
    free(spread);
    return frames;
}

// Rows [nodes][4][3] of the nodes below from those of a level, by the links.
static double *new_finer_rows(const pli_interpolation_map *transfer, const double *coarse)
{
    double *fine = calloc(12 * (size_t)transfer->fine_count, sizeof *fine);
    assert_non_null(fine);
    for (int64_t node = 0; node < transfer->fine_count; ++node) {
        for (int64_t k = transfer->start[node]; k < transfer->start[node + 1]; ++k) {
            const double *Q = coarse + 12 * (int64_t)transfer->parent[k];
            const double *place = transfer->place + 4 * k;
            double *q = fine + 12 * node, w = weight_of(transfer, k);
            for (int c = 0; c < 3; ++c) {
                for (int a = 0; a < 3; ++a) q[3 * a + c] += w * place[3] * Q[3 * a + c];
                q[9 + c] +=
                    w * (Q[9 + c] + place[0] * Q[c] + place[1] * Q[3 + c] + place[2] * Q[6 + c]);
            }
        }
    }
    return fine;
}

// Gives the nodes of a level an affine field and follows the links down.
static void check_field(const solid *s, const pli_hierarchy *h, int32_t level, const double *frames)
{
    static const double slopes[3][3] = {{1.1, 0.2, -0.3}, {0.1, 0.8, 0.4}, {-0.2, 0.3, 1.3}};
    static const double b[3] = {0.5, -2, 3};
    double A[3][3] = {{0}};
    if (h->dofs == 12) memcpy(A, slopes, sizeof A);
    double *rows = calloc(12 * (size_t)h->transfers[level].coarse_count, sizeof *rows);
    assert_non_null(rows);
    for (int32_t node = 0; node < h->transfers[level].coarse_count; ++node) {
        const double *frame = frames + 4 * node;
        for (int c = 0; c < 3; ++c) {
            for (int a = 0; a < 3; ++a) rows[12 * node + 3 * a + c] = frame[3] * A[c][a];
            rows[12 * node + 9 + c] = pli_vec3_dot(A[c], frame) + b[c];
        }
    }
    for (int32_t l = level; l >= 0; --l) {
        double *finer = new_finer_rows(&h->transfers[l], rows);
        free(rows);
        rows = finer;
    }
    for (int64_t v = 0; v < s->graph.node_count; ++v) {
        // a few roundings of numbers of the size of the box, 10
        for (int c = 0; c < 3; ++c) {
            double want = pli_vec3_dot(A[c], s->mesh->points + 3 * v) + b[c];
            NEAR(rows[12 * v + 9 + c], want, 0, 1e-13);
        }
    }
    free(rows);
}

static void affine_fields_are_exact_on_every_level(void **state)
{
    pli_context *context = *state;
    solid s = make_solids(context, 1, 10, 6, 6);
    for (int i = 0; i < SPACES; ++i) {
        if (!is_offered(&spaces[i])) continue;
        pli_hierarchy *h = make(&spaces[i], &s);
        double *frames = NULL;
        for (int32_t level = 0; level < LEVELS; ++level) {
            double *coarser = new_frames(&h->transfers[level], level == 0 ? s.mesh->points : frames,
                                         level == 0 ? 3 : 4);
            free(frames);
            frames = coarser;
            check_field(&s, h, level, frames);
        }
        free(frames);
        pli_hierarchy_destroy(h);
    }
    clear_solids(&s);
}

// ---- promises

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int i = 0; i < SPACES; ++i) {
        if (!is_offered(&spaces[i])) continue;
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *context = make_context(bits.threads);
            solid s = make_solids(context, 1, 9, 9, 9);
            pli_hierarchy *h = make(&spaces[i], &s);
            for (int32_t level = 0; level < LEVELS; ++level) {
                const pli_interpolation_map *t = &h->transfers[level];
                size_t links = (size_t)t->link_count;
                same_bits_keep(&bits, t->parent, links * sizeof *t->parent);
                same_bits_keep(&bits, t->place, 4 * links * sizeof *t->place);
                if (t->weight == NULL) continue;
                same_bits_keep(&bits, t->weight, links * sizeof *t->weight);
            }
            pli_hierarchy_destroy(h);
            clear_solids(&s);
            pli_context_destroy(context);
        }
    }
}

static void failed_allocations_are_survived(void **state)
{
    static const int32_t few[2] = {5, 2};
    pli_context *context = *state;
    solid s = make_solids(context, 1, 3, 2, 2);
    for (int i = 0; i < SPACES; ++i) {
        if (!is_offered(&spaces[i])) continue;
        for (fault_sweep sweep = {.at_least = spaces[i].allocations}; fault_sweep_next(&sweep);) {
            pli_hierarchy *h = NULL;
            sweep.status = spaces[i].create(&spaces[i], sweep.context, &s, 2, few, &h);
            assert_int_equal(h == NULL, sweep.status != PLI_OK);
            pli_hierarchy_destroy(h);
        }
    }
    clear_solids(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(links_are_a_partition_of_unity_and_levels_shrink, 1),
        TEST_IN_CONTEXT(affine_fields_are_exact_on_every_level, 1),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        TEST_IN_CONTEXT(failed_allocations_are_survived, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
