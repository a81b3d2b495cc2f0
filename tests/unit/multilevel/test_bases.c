// SPDX-License-Identifier: Apache-2.0
//
// Material-aware bases and one handle per body (Trusty et al. 2025).
#include "unit/multilevel/blocks.h"

#include "base/context.h"
#include "base/random.h"

// Whether two clusters share a face; a cluster does with itself.
static bool are_neighbors(const blocks *b, int32_t a, int32_t other)
{
    const pli_partition *p = &b->partition;
    if (a == other) return true;
    for (int32_t i = 0; i < p->element_count; ++i) {
        if (p->element_part[i] != a) continue;
        for (int32_t j = 0; j < p->element_count; ++j) {
            if (p->element_part[j] != other) continue;
            int common = 0;
            for (int k = 0; k < 16; ++k) {
                common += b->mesh->tets[4 * i + k / 4] == b->mesh->tets[4 * j + k % 4];
            }
            if (common == 3) return true;
        }
    }
    return false;
}

// Random stiffness over five orders.
static void mix_stiffness(blocks *b)
{
    for (int32_t k = 0; k < b->mesh->tet_count; ++k) {
        b->stiffness[k] = pow(
            10, pli_random_range((pli_random){3, 0}, (uint64_t)b->partition.element_part[k], 4, 9));
    }
}

static void weights_are_positive_and_sum_to_one(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 8, 8}, .counts = {3, 2, 2}});
    mix_stiffness(&b);
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        for (int64_t k = bases->start[v]; k < bases->start[v + 1]; ++k) {
            assert_true(bases->weight[k] > 0);
            assert_true(k == bases->start[v] || bases->handle[k] > bases->handle[k - 1]);
            assert_true(bases->handle[k] < bases->handle_count);
        }
        NEAR(weight_sum(bases, v), 1, 0, 1e-12);
    }
    pli_bases_destroy(bases);
    pli_bases_destroy(NULL);
    clear_blocks(&b);
}

static void handles_are_alone_at_their_centers(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 8, 8}, .counts = {3, 2, 2}});
    mix_stiffness(&b);
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    for (int32_t handle = 0; handle < bases->handle_count; ++handle) {
        int32_t center = b.partition.centers[handle];
        assert_int_equal(bases->start[center + 1] - bases->start[center], 1);
        NEAR(weight_at(bases, center, handle), 1, 0, 0);
        NEAR(pli_vec3_distance(bases->center + 3 * handle, b.mesh->points + 3 * center), 0, 0, 0);
    }
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// Support and inner boundary: a weight at a vertex means that all clusters around it are neighbours
// of the handle's, unless it is an orphan, which has the weight 1 of its own cluster.
static void weights_vanish_outside_the_subdomain(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 6, 6}, .counts = {4, 2, 2}});
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    int32_t count = b.partition.count;
    bool *near = blocks_new((size_t)(count * count), sizeof *near);
    for (int32_t k = 0; k < count * count; ++k) near[k] = are_neighbors(&b, k / count, k % count);
    int32_t outside = 0;
    for (int32_t k = 0; k < 4 * b.mesh->tet_count; ++k) {
        int32_t v = b.mesh->tets[k];
        int32_t part = b.partition.element_part[k / 4];
        bool is_orphan = bases->start[v + 1] - bases->start[v] == 1;
        for (int64_t j = bases->start[v]; j < bases->start[v + 1]; ++j) {
            if (near[part * count + bases->handle[j]]) continue;
            assert_true(is_orphan && bases->handle[j] == b.partition.vertex_part[v]);
            ++outside;
        }
    }
    // four blocks meet along edges, and opposite ones share no face: no function reaches there
    assert_true(bases->orphan_count > 0 && outside > 0);
    AT_MOST(bases->orphan_count, 0.1 * bases->vertex_count);
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        for (int64_t j = bases->start[v]; j < bases->start[v + 1]; ++j) {
            double distance =
                pli_vec3_distance(b.mesh->points + 3 * v, bases->center + 3 * bases->handle[j]);
            AT_MOST(distance, bases->size[bases->handle[j]]);
        }
    }
    free(near);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// with A_i the value of the field at c_i and its gradient.
static void affine_fields_are_reproduced(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    static const double G[3][3] = {{0.3, -1.2, 0.5}, {2, 0.1, -0.7}, {-0.4, 0.9, 1.1}};
    static const double t[3] = {5, -3, 2};
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 8, 8}, .counts = {3, 2, 2}});
    mix_stiffness(&b);
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    for (int64_t v = 0; v < bases->vertex_count; ++v) {
        const double *X = b.mesh->points + 3 * v;
        for (int r = 0; r < 3; ++r) {
            double u = 0;
            for (int64_t k = bases->start[v]; k < bases->start[v + 1]; ++k) {
                const double *c = bases->center + 3 * (int64_t)bases->handle[k];
                double offset[3];
                pli_vec3_subtract(X, c, offset);
                u += bases->weight[k] * (pli_vec3_dot(G[r], c) + t[r] + pli_vec3_dot(G[r], offset));
            }
            NEAR(u, pli_vec3_dot(G[r], X) + t[r], 0, 1e-10);
        }
    }
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// ---- fixed vertices

// zero there, less than one around, one far away.
static void fixed_vertices_have_no_weights(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {24, 4, 4}, .counts = {6, 1, 1}});
    for (int32_t v = 0; v < b.mesh->vertex_count; ++v) b.fixed[v] = b.mesh->points[3 * v] == 0;
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    def.dirichlet_aware = true;
    pli_bases *bases = make_bases(&b, &def);
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        double x = b.mesh->points[3 * v];
        double sum = weight_sum(bases, v);
        AT_MOST(sum, 1 + 1e-14);
        if (b.fixed[v]) assert_int_equal(bases->start[v + 1], bases->start[v]);
        // the vertex next to the fixed end is held by more than half, monotone from there
        if (x == 1) AT_MOST(sum, 0.6);
        if (x == 1) AT_LEAST(sum, 0.05);
        // the second cluster ends at 8: the function of the fixed end is zero there
        if (x >= 8) NEAR(sum, 1, 0, 1e-12);
        if (v == b.partition.centers[0]) NEAR(sum, 1, 0, 0);
    }
    assert_int_equal(bases->orphan_count, 0);
    pli_bases_destroy(bases);

    // not asked for: fixed vertices are like others
    def.dirichlet_aware = false;
    bases = make_bases(&b, &def);
    for (int32_t v = 0; v < bases->vertex_count; ++v) NEAR(weight_sum(bases, v), 1, 0, 1e-12);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// A handle whose centre is fixed stands at another vertex; one without free vertices nowhere.
static void handles_stay_off_fixed_vertices(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {16, 4, 4}, .counts = {4, 1, 1}});
    for (int32_t v = 0; v < b.mesh->vertex_count; ++v) b.fixed[v] = b.mesh->points[3 * v] <= 4;
    b.fixed[b.partition.centers[2]] = 1;
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    def.dirichlet_aware = true;
    pli_bases *bases = make_bases(&b, &def);
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        if (b.fixed[v]) assert_int_equal(bases->start[v + 1], bases->start[v]);
        NEAR(weight_at(bases, v, 0), 0, 0, 0);
    }
    double moved =
        pli_vec3_distance(bases->center + 6, b.mesh->points + 3 * b.partition.centers[2]);
    NEAR(moved, 1, 0, 0.5);
    NEAR(bases->size[0], 1, 0, 0);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// ---- matter and shape

// Stiff plates above and below soft matter, 1e11 and 2e5 Pa (Trusty et al. 2025): the largest
// deviation from 1 of the weight of a plate within it.
static double plate_deviation(const blocks *b, const pli_bases *bases)
{
    double largest = 0;
    for (int32_t k = 0; k < 4 * b->mesh->tet_count; ++k) {
        int32_t part = b->partition.element_part[k / 4];
        if (part < b->partition.count - 2) continue;
        largest = fmax(largest, fabs(1 - weight_at(bases, b->mesh->tets[k], part)));
    }
    return largest;
}

static void weights_are_constant_in_stiff_plates(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context,
                           &(blocks_def){.cells = {12, 12, 12}, .counts = {2, 2, 1}, .layers = 3});
    for (int32_t k = 0; k < b.mesh->tet_count; ++k) {
        b.stiffness[k] = b.partition.element_part[k] < 4 ? 2e5 : 1e11;
    }
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    // what the soft side pulls is of the order of the ratio of stiffness, times the cells of a
    // plate
    AT_MOST(plate_deviation(&b, bases), 1e-3);
    pli_bases_destroy(bases);

    // the same shape without a difference of matter
    def.stiffness = NULL;
    bases = make_bases(&b, &def);
    AT_LEAST(plate_deviation(&b, bases), 0.2);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// Only ratios count, whatever the unit.
static void unit_of_stiffness_does_not_matter(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {9, 6, 6}, .counts = {3, 1, 1}});
    mix_stiffness(&b);
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    for (int32_t k = 0; k < b.mesh->tet_count; ++k) b.stiffness[k] *= 1024;
    pli_bases *other = make_bases(&b, &def);
    int64_t count = bases->start[bases->vertex_count];
    assert_int_equal(other->start[bases->vertex_count], count);
    assert_memory_equal(bases->weight, other->weight, (size_t)count * sizeof *bases->weight);
    pli_bases_destroy(bases);
    pli_bases_destroy(other);
    clear_blocks(&b);
}

// ---- triangles

static void surfaces_have_bases_too(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    enum { N = 12, M = 8 };
    pli_context *context = *state;
    double points[(N + 1) * (M + 1)][3];
    int32_t triangles[2 * N * M][3];
    int32_t element_part[2 * N * M];
    int32_t vertex_part[(N + 1) * (M + 1)];
    for (int32_t k = 0; k < (N + 1) * (M + 1); ++k) {
        double x = k % (N + 1);
        pli_vec3_set(x, k / (N + 1), sin(0.3 * x), points[k]);
        vertex_part[k] = k % (N + 1) * 3 / (N + 1);
    }
    for (int32_t k = 0; k < N * M; ++k) {
        int32_t v = k % N + (N + 1) * (k / N);
        memcpy(triangles[2 * k], (int32_t[]){v, v + 1, v + N + 2}, sizeof triangles[0]);
        memcpy(triangles[2 * k + 1], (int32_t[]){v, v + N + 2, v + N + 1}, sizeof triangles[0]);
        element_part[2 * k] = element_part[2 * k + 1] = k % N / 4;
    }
    int32_t centers[3] = {2 + 4 * (N + 1), 6 + 4 * (N + 1), 10 + 4 * (N + 1)};
    pli_partition partition = {.vertex_count = (N + 1) * (M + 1),
                               .element_count = 2 * N * M,
                               .count = 3,
                               .element_part = element_part,
                               .vertex_part = vertex_part,
                               .centers = centers};
    pli_bases_def def = {.mesh = {(N + 1) * (M + 1), points[0], 3, 2 * N * M, triangles[0]},
                         .partition = &partition,
                         .drop = 1e-6};
    pli_bases *bases = NULL;
    OK(context, pli_bases_create(context, &def, &bases));
    assert_int_equal(bases->orphan_count, 0);
    for (int32_t v = 0; v < bases->vertex_count; ++v) NEAR(weight_sum(bases, v), 1, 0, 1e-12);
    // ends belong to the first and the last handle
    NEAR(weight_at(bases, 0, 0), 1, 0, 0.05);
    NEAR(weight_at(bases, 0, 2), 0, 0, 0);
    pli_bases_destroy(bases);
}

// ---- bodies

static void a_body_has_one_handle_at_its_center_of_mass(void **state)
{
    static const double points[5][3] = {{0, 0, 0}, {4, 0, 0}, {0, 0, 9}, {1, 2, 3}, {1, 4, 3}};
    static const double masses[5] = {1, 3, 5, 2, 2};
    static const int32_t body_of[5] = {0, 0, -1, 1, 1};
    pli_context *context = *state;
    pli_affine_def def = {5, points[0], masses, 2, body_of};
    pli_bases *bases = NULL;
    OK(context, pli_bases_create_affine(context, &def, &bases));
    assert_int_equal(bases->handle_count, 2);
    for (int32_t v = 0; v < 5; ++v) {
        assert_int_equal(bases->start[v + 1] - bases->start[v], body_of[v] >= 0);
        if (body_of[v] >= 0) NEAR(weight_at(bases, v, body_of[v]), 1, 0, 0);
    }
    NEAR(bases->center[0], 3, 1e-15, 0);
    NEAR(bases->center[4], 3, 1e-15, 0);
    NEAR(bases->size[0], 3, 1e-15, 0);
    NEAR(bases->size[1], 1, 1e-15, 0);
    pli_bases_destroy(bases);

    def.body_of = (const int32_t[]){0, 0, 2, 1, 1};
    assert_int_equal(pli_bases_create_affine(context, &def, &bases), PLI_ERROR_ARGUMENT);
    assert_null(bases);
}

// ---- refusals

static void wrong_input_is_refused(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {4, 2, 2}, .counts = {2, 1, 1}});
    pli_bases_def good = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = NULL;

    pli_bases_def def = good;
    def.kind = (pli_bases_kind)9;
    assert_int_equal(pli_bases_create(context, &def, &bases), PLI_ERROR_ARGUMENT);
    def = good;
    def.partition = NULL;
    assert_int_equal(pli_bases_create(context, &def, &bases), PLI_ERROR_ARGUMENT);
    def = good;
    def.drop = -1;
    assert_int_equal(pli_bases_create(context, &def, &bases), PLI_ERROR_ARGUMENT);
    def = good;
    def.mesh.corner_count = 2;
    assert_int_equal(pli_bases_create(context, &def, &bases), PLI_ERROR_ARGUMENT);

    b.stiffness[3] = 0;
    assert_int_equal(pli_bases_create(context, &good, &bases), PLI_ERROR_ARGUMENT);
    b.stiffness[3] = 1;
    b.partition.element_part[5] = 2;
    assert_int_equal(pli_bases_create(context, &good, &bases), PLI_ERROR_ARGUMENT);
    b.partition.element_part[5] = 0;
    int32_t center = b.partition.centers[1];
    b.partition.centers[1] = -1;
    assert_int_equal(pli_bases_create(context, &good, &bases), PLI_ERROR_ARGUMENT);
    b.partition.centers[1] = 0;
    assert_int_equal(pli_bases_create(context, &good, &bases), PLI_ERROR_ARGUMENT);
    b.partition.centers[1] = center;
    assert_null(bases);
    clear_blocks(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(weights_are_positive_and_sum_to_one, 2),
        TEST_IN_CONTEXT(handles_are_alone_at_their_centers, 1),
        TEST_IN_CONTEXT(weights_vanish_outside_the_subdomain, 2),
        TEST_IN_CONTEXT(affine_fields_are_reproduced, 2),
        TEST_IN_CONTEXT(fixed_vertices_have_no_weights, 2),
        TEST_IN_CONTEXT(handles_stay_off_fixed_vertices, 1),
        TEST_IN_CONTEXT(weights_are_constant_in_stiff_plates, 2),
        TEST_IN_CONTEXT(unit_of_stiffness_does_not_matter, 1),
        TEST_IN_CONTEXT(surfaces_have_bases_too, 2),
        TEST_IN_CONTEXT(a_body_has_one_handle_at_its_center_of_mass, 1),
        TEST_IN_CONTEXT(wrong_input_is_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
