// SPDX-License-Identifier: Apache-2.0
//
// Cubature by moment fitting (Trusty et al. 2025): moments by plain loops, numbers of elements,
// threads.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/multilevel/cubature_blocks.h"

#include "base/hash.h"
#include "geometry/mesh/laplacian.h"

static pli_cubature *make_cubature(blocks *b)
{
    pli_cubature *cubature = NULL;
    OK(b->context, pli_cubature_create(b->context, blocks_def(b), &cubature));
    return cubature;
}

// What a group of elements is: those of one cluster and, where they are told apart, one material.
typedef struct group {
    int32_t part;
    int32_t material; // -1: any
} group;

static bool is_in(const blocks *b, group g, int32_t element)
{
    if (b->partition.element_part[element] != g.part) return false;
    return g.material < 0 || b->def.material_of[element] == g.material;
}

static double volume_of(const blocks *b, int32_t element)
{
    double gradients[4][3];
    return pli_simplex_gradients(&b->def.mesh, element, gradients);
}

// Weights of all elements; 0 for those that were not taken.
static double *new_weights(const blocks *b, const pli_cubature *cubature)
{
    double *weights = new_items((size_t)b->def.mesh.element_count, sizeof *weights);
    for (int32_t k = 0; k < cubature->count; ++k) {
        weights[cubature->elements[k]] = cubature->weights[k];
    }
    return weights;
}

static double *new_volumes(const blocks *b)
{
    double *volumes = new_items((size_t)b->def.mesh.element_count, sizeof *volumes);
    for (int32_t k = 0; k < b->def.mesh.element_count; ++k) volumes[k] = volume_of(b, k);
    return volumes;
}

// Values of all bases at the barycentre of an element; [handle_count].
static void evaluate_bases(const blocks *b, int32_t element, double *values)
{
    memset(values, 0, (size_t)b->bases.handle_count * sizeof *values);
    int32_t corners = b->def.mesh.corner_count;
    for (int32_t k = 0; k < corners; ++k) {
        int32_t v = b->def.mesh.elements[corners * element + k];
        for (int64_t e = b->bases.start[v]; e < b->bases.start[v + 1]; ++e) {
            values[b->bases.handle[e]] += b->bases.weight[e] / corners;
        }
    }
}

// Integrals of 1, u_i and u_i u_j over a group, [1 + h + h h].
static double *new_moments(const blocks *b, group g, const double *weights)
{
    int32_t h = b->bases.handle_count;
    double *moments = new_items((size_t)(1 + h + h * h), sizeof *moments);
    double *u = new_items((size_t)h, sizeof *u);
    for (int32_t k = 0; k < b->def.mesh.element_count; ++k) {
        if (!is_in(b, g, k) || weights[k] == 0) continue;
        evaluate_bases(b, k, u);
        moments[0] += weights[k];
        for (int32_t i = 0; i < h; ++i) {
            moments[1 + i] += weights[k] * u[i];
            if (u[i] == 0) continue;
            for (int32_t j = 0; j < h; ++j) moments[1 + h + i * h + j] += weights[k] * u[i] * u[j];
        }
    }
    free(u);
    return moments;
}

// Moments of a group are met to the tolerance, up to the double counting of i j and j i.
static void check_group(const blocks *b, group g, const double *weights, const double *volumes)
{
    int32_t h = b->bases.handle_count;
    double *got = new_moments(b, g, weights);
    double *want = new_moments(b, g, volumes);
    double miss = 0;
    double all = 0;
    int32_t end = b->def.degree == 2 ? 1 + h + h * h : 1 + h;
    for (int32_t k = 0; k < end; ++k) {
        miss += (got[k] - want[k]) * (got[k] - want[k]);
        all += want[k] * want[k];
    }
    AT_MOST(sqrt(miss / all), 2 * b->def.tolerance);
    NEAR(got[0], want[0], 2 * b->def.tolerance * sqrt(all) / want[0], 0);
    free(got);
    free(want);
}

static void check_form(const blocks *b, const pli_cubature *cubature)
{
    AT_MOST(cubature->residual, b->def.tolerance);
    assert_true(cubature->count > 0);
    for (int32_t k = 0; k < cubature->count; ++k) {
        assert_true(cubature->weights[k] > 0 && isfinite(cubature->weights[k]));
        assert_true(cubature->elements[k] > (k > 0 ? cubature->elements[k - 1] : -1));
        assert_true(cubature->elements[k] < b->def.mesh.element_count);
    }
}

// Everything that a modal cubature promises.
static void check_modal(const blocks *b, const pli_cubature *cubature)
{
    check_form(b, cubature);
    double *weights = new_weights(b, cubature);
    double *volumes = new_volumes(b);
    for (int32_t part = 0; part < b->partition.count; ++part) {
        check_group(b, (group){part, -1}, weights, volumes);
    }
    free(weights);
    free(volumes);
}

// Elements taken in a cluster, and functions that are not zero in it.
static int32_t taken_in(const blocks *b, const pli_cubature *cubature, int32_t part)
{
    int32_t count = 0;
    for (int32_t k = 0; k < cubature->count; ++k) {
        count += b->partition.element_part[cubature->elements[k]] == part;
    }
    return count;
}

static int32_t functions_in(const blocks *b, int32_t part)
{
    int32_t h = b->bases.handle_count;
    double *u = new_items((size_t)h, sizeof *u);
    double *sum = new_items((size_t)h, sizeof *sum);
    for (int32_t k = 0; k < b->def.mesh.element_count; ++k) {
        if (b->partition.element_part[k] != part) continue;
        evaluate_bases(b, k, u);
        for (int32_t i = 0; i < h; ++i) sum[i] += fabs(u[i]);
    }
    int32_t count = 0;
    for (int32_t i = 0; i < h; ++i) count += sum[i] > 0;
    free(u);
    free(sum);
    return count;
}

static void moments_of_hats_are_met(void **state)
{
    pli_context *context = *state;
    for (int32_t axes = 1; axes <= 3; ++axes) {
        blocks b = make_blocks(context, 4, 3, 3, 2, axes);
        for (b.def.degree = 1; b.def.degree <= 2; ++b.def.degree) {
            pli_cubature *cubature = make_cubature(&b);
            check_modal(&b, cubature);
            // far fewer than all, else there is no point in it; three-dimensional hats on blocks of
            // 384 elements have up to 171 independent products
            AT_MOST(cubature->count, 0.5 * b.mesh->tet_count);
            pli_cubature_destroy(cubature);
        }
        clear_blocks(&b);
    }
}

static void constant_bases_need_one_element(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 3, 2, 2, 0);
    pli_cubature *cubature = make_cubature(&b);
    check_modal(&b, cubature);
    assert_int_equal(cubature->count, b.partition.count);
    assert_int_equal(cubature->rounds, 1);
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void elements_are_at_most_the_independent_moments(void **state)
{
    pli_context *context = *state;
    for (int32_t axes = 1; axes <= 3; ++axes) {
        blocks b = make_blocks(context, 5, 3, 2, 2, axes);
        pli_cubature *cubature = make_cubature(&b);
        for (int32_t part = 0; part < b.partition.count; ++part) {
            // f functions of sum one: 1 and the functions are sums of the f (f + 1) / 2 products
            int32_t f = functions_in(&b, part);
            AT_MOST(taken_in(&b, cubature, part), f * (f + 1) / 2);
        }
        pli_cubature_destroy(cubature);
        clear_blocks(&b);
    }
}

// A quadratic in raw coordinates, with a value at the barycentre.
static double quadratic(const blocks *b, int32_t element, int which)
{
    double x[4] = {1, 0, 0, 0};
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 4; ++k) {
            x[1 + axis] += b->mesh->points[3 * b->mesh->tets[4 * element + k] + axis] / 4;
        }
    }
    return x[which / 4] * x[which % 4];
}

static void polynomials_of_degree_two_integrate_quadratics(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 3, 2, 1, 1);
    b.def.kind = PLI_CUBATURE_POLYNOMIAL;
    pli_cubature *cubature = make_cubature(&b);
    check_form(&b, cubature);
    double *weights = new_weights(&b, cubature);
    for (int32_t part = 0; part < b.partition.count; ++part) {
        assert_int_equal(taken_in(&b, cubature, part), 10);
        for (int which = 0; which < 16; ++which) {
            double got = 0;
            double want = 0;
            for (int32_t k = 0; k < b.mesh->tet_count; ++k) {
                if (b.partition.element_part[k] != part) continue;
                got += weights[k] * quadratic(&b, k, which);
                want += volume_of(&b, k) * quadratic(&b, k, which);
            }
            // monomials of 12 m are up to (12 / 2)^2 times those of the cluster's own coordinates
            NEAR(got, want, 36 * b.def.tolerance, 0);
        }
    }
    free(weights);
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void polynomials_need_more_elements_where_bases_are_simple(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 4, 2, 2, 1);
    pli_cubature *modal = make_cubature(&b);
    b.def.kind = PLI_CUBATURE_POLYNOMIAL;
    pli_cubature *polynomial = make_cubature(&b);
    for (int32_t part = 0; part < b.partition.count; ++part) {
        assert_true(taken_in(&b, modal, part) < taken_in(&b, polynomial, part));
    }
    pli_cubature_destroy(modal);
    pli_cubature_destroy(polynomial);
    clear_blocks(&b);
}

static void numbers_of_polynomials_are_those_of_monomials(void **state)
{
    static const int32_t monomials[] = {1, 4, 10, 20, 35};
    pli_context *context = *state;
    blocks b = make_blocks(context, 5, 2, 1, 1, 1);
    b.def.kind = PLI_CUBATURE_POLYNOMIAL;
    for (b.def.degree = 0; b.def.degree <= 4; ++b.def.degree) {
        pli_cubature *cubature = make_cubature(&b);
        check_form(&b, cubature);
        assert_int_equal(cubature->count, 2 * monomials[b.def.degree]);
        pli_cubature_destroy(cubature);
    }
    clear_blocks(&b);
}

static void materials_are_integrated_apart(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 3, 2, 1, 2);
    int32_t *material = new_items((size_t)b.mesh->tet_count, sizeof *material);
    // every third element of all clusters but the first; a lone one in the second
    for (int32_t k = 0; k < b.mesh->tet_count; ++k) {
        material[k] = b.partition.element_part[k] > 1 && k % 3 == 0 ? 5 : 0;
    }
    int32_t lone = 0;
    while (b.partition.element_part[lone] != 1) ++lone;
    material[lone] = -2;
    b.def.material_of = material;
    pli_cubature *cubature = make_cubature(&b);
    check_form(&b, cubature);
    double *weights = new_weights(&b, cubature);
    double *volumes = new_volumes(&b);
    for (int32_t part = 0; part < b.partition.count; ++part) {
        check_group(&b, (group){part, 0}, weights, volumes);
        if (part > 1) check_group(&b, (group){part, 5}, weights, volumes);
    }
    assert_true(weights[lone] == volumes[lone]);
    free(weights);
    free(volumes);
    free(material);
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void bases_of_any_size_and_sign_are_met(void **state)
{
    // as eigenmodes are: no partition of unity, of both signs
    static const double scales[] = {1e-6, 1, 1e5};
    pli_context *context = *state;
    for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
        blocks b = make_blocks(context, 4, 3, 2, 1, 2);
        for (int64_t k = 0; k < b.bases.start[b.bases.vertex_count]; ++k) {
            b.bases.weight[k] *= scales[s] * (b.bases.handle[k] % 2 == 0 ? -1 : 1.7);
        }
        pli_cubature *cubature = make_cubature(&b);
        check_modal(&b, cubature);
        AT_MOST(cubature->count, 0.5 * b.mesh->tet_count);
        pli_cubature_destroy(cubature);
        clear_blocks(&b);
    }
}

static void vertices_without_bases_are_legal(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 3, 2, 1, 1, 1);
    memset(b.bases.start, 0, ((size_t)b.bases.vertex_count + 1) * sizeof *b.bases.start);
    pli_cubature *cubature = make_cubature(&b);
    check_modal(&b, cubature);
    assert_int_equal(cubature->count, 2);
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void few_elements_keep_their_volumes(void **state)
{
    // blocks of six elements see up to 27 functions
    pli_context *context = *state;
    blocks b = make_blocks(context, 1, 3, 3, 3, 3);
    pli_cubature *cubature = make_cubature(&b);
    check_modal(&b, cubature);
    assert_int_equal(cubature->count, b.mesh->tet_count);
    for (int32_t k = 0; k < cubature->count; ++k) {
        assert_true(cubature->weights[k] == volume_of(&b, k));
    }
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void draws_one_by_one_end_at_the_same_promise(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 2, 2, 1, 2);
    b.def.initial = 1;
    b.def.increment = 1;
    pli_cubature *cubature = make_cubature(&b);
    check_modal(&b, cubature);
    AT_LEAST(cubature->rounds, 5);
    pli_cubature_destroy(cubature);
    // all elements at once
    b.def.initial = b.mesh->tet_count;
    cubature = make_cubature(&b);
    check_modal(&b, cubature);
    assert_int_equal(cubature->rounds, 1);
    assert_true(cubature->count < b.mesh->tet_count / 4);
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void loose_tolerances_are_kept(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 2, 2, 2, 3);
    pli_cubature *tight = make_cubature(&b);
    b.def.tolerance = 1e-3;
    pli_cubature *loose = make_cubature(&b);
    check_modal(&b, loose);
    assert_true(loose->count < tight->count);
    // the least that doubles allow is reached by the fit or by taking all elements
    b.def.tolerance = 1e-15;
    pli_cubature *least = make_cubature(&b);
    check_form(&b, least);
    pli_cubature_destroy(tight);
    pli_cubature_destroy(loose);
    pli_cubature_destroy(least);
    clear_blocks(&b);
}

static void triangles_are_integrated_by_area(void **state)
{
    // the lower faces of the first layer of cells: two triangles each
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 3, 2, 1, 2);
    int32_t nx = 12;
    int32_t ny = 8;
    int32_t *triangles = new_items((size_t)(6 * nx * ny), sizeof *triangles);
    int32_t *parts = new_items((size_t)(2 * nx * ny), sizeof *parts);
    for (int32_t cell = 0; cell < nx * ny; ++cell) {
        int32_t v = cell % nx + (nx + 1) * (cell / nx);
        int32_t corners[] = {v, v + 1, v + nx + 2, v, v + nx + 2, v + nx + 1};
        memcpy(triangles + 6 * cell, corners, sizeof corners);
        parts[2 * cell] = parts[2 * cell + 1] = cell % nx / 4 + 3 * (cell / nx / 4);
    }
    free(b.partition.element_part);
    b.partition.element_part = parts;
    b.partition.element_count = 2 * nx * ny;
    b.def.mesh.corner_count = 3;
    b.def.mesh.element_count = 2 * nx * ny;
    b.def.mesh.elements = triangles;
    b.def.degree = 1;
    pli_cubature *cubature = make_cubature(&b);
    check_modal(&b, cubature);
    assert_true(cubature->count < nx * ny);
    pli_cubature_destroy(cubature);
    free(triangles);
    clear_blocks(&b);
}

static uint64_t hash_of(const pli_cubature *cubature)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, cubature->elements,
                                   (size_t)cubature->count * sizeof *cubature->elements);
    hash = pli_hash_bytes(hash, cubature->weights,
                          (size_t)cubature->count * sizeof *cubature->weights);
    return pli_hash_bytes(hash, &cubature->residual, sizeof cubature->residual);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        // more clusters than a batch has
        blocks b = make_blocks(context, 3, 4, 4, 3, 2);
        pli_cubature *cubature = make_cubature(&b);
        same_bits_keep_hash(&bits, hash_of(cubature));
        pli_cubature_destroy(cubature);
        clear_blocks(&b);
        pli_context_destroy(context);
    }
}

static void seed_changes_the_choice_alone(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 2, 2, 1, 2);
    uint64_t hashes[3];
    for (int k = 0; k < 3; ++k) {
        b.def.seed = (uint64_t)(k / 2);
        pli_cubature *cubature = make_cubature(&b);
        check_modal(&b, cubature);
        hashes[k] = hash_of(cubature);
        pli_cubature_destroy(cubature);
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] != hashes[2]);
    clear_blocks(&b);
}

static void unit_of_length_does_not_matter(void **state)
{
    // a power of two: numbers are scaled without rounding
    pli_context *context = *state;
    blocks b = make_blocks(context, 4, 2, 2, 1, 2);
    pli_cubature *large = make_cubature(&b);
    for (int32_t k = 0; k < 3 * b.mesh->vertex_count; ++k) {
        b.mesh->points[k] = ldexp(b.mesh->points[k], -20);
    }
    pli_cubature *small = make_cubature(&b);
    assert_int_equal(small->count, large->count);
    for (int32_t k = 0; k < small->count; ++k) {
        assert_int_equal(small->elements[k], large->elements[k]);
        assert_true(small->weights[k] == ldexp(large->weights[k], -60));
    }
    pli_cubature_destroy(small);
    pli_cubature_destroy(large);
    clear_blocks(&b);
}

static pli_status hear(void *user, double fraction)
{
    double *last = user;
    assert_true(fraction > *last);
    *last = fraction;
    return PLI_OK;
}

static void progress_grows_to_one(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 2, 4, 4, 3, 1);
    double last = 0;
    b.def.progress = hear;
    b.def.user = &last;
    pli_cubature_destroy(make_cubature(&b));
    assert_true(last == 1);
    clear_blocks(&b);
}

static void refuse(blocks *b, const pli_cubature_def *def, pli_status want)
{
    pli_cubature *cubature = (pli_cubature *)b;
    assert_int_equal(pli_cubature_create(b->context, def, &cubature), want);
    assert_null(cubature);
}

static void wrong_input_is_refused(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 2, 2, 1, 1, 1);
    const pli_cubature_def good = *blocks_def(&b);
    pli_cubature_def wrong[10];
    for (int k = 0; k < 10; ++k) wrong[k] = good;
    wrong[0].degree = 3;
    wrong[1].degree = 0;
    wrong[2].kind = PLI_CUBATURE_POLYNOMIAL;
    wrong[2].degree = 5;
    wrong[3].tolerance = 0;
    wrong[4].tolerance = NAN;
    wrong[5].initial = -1;
    wrong[6].mesh.corner_count = 5;
    wrong[7].mesh.element_count -= 1;
    wrong[8].mesh.vertex_count -= 1;
    wrong[9].partition = NULL;
    for (int k = 0; k < 10; ++k) refuse(&b, &wrong[k], PLI_ERROR_ARGUMENT);
    b.partition.element_part[3] = 2;
    refuse(&b, &good, PLI_ERROR_ARGUMENT);
    b.partition.element_part[3] = 0;
    b.bases.weight[5] = INFINITY;
    refuse(&b, &good, PLI_ERROR_ARGUMENT);
    b.bases.weight[5] = 1;
    b.mesh->tets[0] = b.mesh->vertex_count;
    refuse(&b, &good, PLI_ERROR_ARGUMENT);
    b.mesh->tets[0] = b.mesh->tets[1];
    refuse(&b, &good, PLI_ERROR_MESH);
    clear_blocks(&b);
}

static void empty_mesh_has_an_empty_cubature(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, 2, 1, 1, 1, 1);
    b.def.mesh.element_count = 0;
    b.partition.element_count = 0;
    pli_cubature *cubature = make_cubature(&b);
    assert_int_equal(cubature->count, 0);
    pli_cubature_destroy(cubature);
    clear_blocks(&b);
}

static void creation_survives_every_failing_allocation(void **state)
{
    (void)state;
    pli_cubature_destroy(NULL);
    pli_context *plain = make_context(1);
    blocks b = make_blocks(plain, 3, 2, 1, 1, 2);
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        pli_cubature *cubature = NULL;
        sweep.status = pli_cubature_create(sweep.context, blocks_def(&b), &cubature);
        assert_int_equal(cubature == NULL, sweep.status != PLI_OK);
        // an arena that can't grow to its largest size is still good
        if (cubature != NULL) check_modal(&b, cubature);
        pli_cubature_destroy(cubature);
    }
    clear_blocks(&b);
    pli_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(moments_of_hats_are_met, 1),
        TEST_IN_CONTEXT(constant_bases_need_one_element, 1),
        TEST_IN_CONTEXT(elements_are_at_most_the_independent_moments, 1),
        TEST_IN_CONTEXT(polynomials_of_degree_two_integrate_quadratics, 1),
        TEST_IN_CONTEXT(polynomials_need_more_elements_where_bases_are_simple, 1),
        TEST_IN_CONTEXT(numbers_of_polynomials_are_those_of_monomials, 1),
        TEST_IN_CONTEXT(materials_are_integrated_apart, 1),
        TEST_IN_CONTEXT(bases_of_any_size_and_sign_are_met, 1),
        TEST_IN_CONTEXT(vertices_without_bases_are_legal, 1),
        TEST_IN_CONTEXT(few_elements_keep_their_volumes, 1),
        TEST_IN_CONTEXT(draws_one_by_one_end_at_the_same_promise, 1),
        TEST_IN_CONTEXT(loose_tolerances_are_kept, 1),
        TEST_IN_CONTEXT(triangles_are_integrated_by_area, 1),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        TEST_IN_CONTEXT(seed_changes_the_choice_alone, 1),
        TEST_IN_CONTEXT(unit_of_length_does_not_matter, 1),
        TEST_IN_CONTEXT(progress_grows_to_one, 2),
        TEST_IN_CONTEXT(wrong_input_is_refused, 1),
        TEST_IN_CONTEXT(empty_mesh_has_an_empty_cubature, 1),
        cmocka_unit_test(creation_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
