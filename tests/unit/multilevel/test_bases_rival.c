// SPDX-License-Identifier: Apache-2.0
//
// Bases that the material-aware ones are compared with (Trusty et al. 2025), and what all kinds
// have in common.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/multilevel/blocks.h"

#include "base/context.h"

static const pli_bases_kind all_kinds[] = {PLI_BASES_MATERIAL, PLI_BASES_RADIAL,
                                           PLI_BASES_EIGENMODES, PLI_BASES_BIHARMONIC};

enum { KIND_COUNT = 4 };

static void only_material_and_radial_weights_are_compact(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {60, 3, 3}, .counts = {20, 1, 1}});
    double fractions[KIND_COUNT];
    for (int k = 0; k < KIND_COUNT; ++k) {
        pli_bases_def def = blocks_bases_def(&b, all_kinds[k]);
        pli_bases *bases = make_bases(&b, &def);
        fractions[k] = support_fraction(&b, bases);
        pli_bases_destroy(bases);
    }
    // three of twenty slabs for the first, two spacings to each side for the second
    AT_MOST(fractions[0], 3.0 / 20);
    AT_MOST(fractions[1], 5.0 / 20);
    AT_LEAST(fractions[2], 0.99);
    AT_LEAST(fractions[3], 0.99);
    clear_blocks(&b);
}

// The weight beyond the slit of a handle this side of it, far from where the sides meet (Trusty et
// al. 2025).
static double weight_across(const blocks *b, const pli_bases *bases)
{
    double largest = 0;
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        const double *X = b->mesh->points + 3 * v;
        if (X[0] > 5 && X[1] < 5) largest = fmax(largest, weight_at(bases, v, 0));
    }
    return largest;
}

static void only_radial_weights_span_a_slit(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(
        context, &(blocks_def){.cells = {9, 15, 3}, .counts = {2, 3, 1}, .has_slit = true});
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_MATERIAL);
    pli_bases *bases = make_bases(&b, &def);
    NEAR(weight_across(&b, bases), 0, 0, 0);
    pli_bases_destroy(bases);

    def.kind = PLI_BASES_RADIAL;
    bases = make_bases(&b, &def);
    AT_LEAST(weight_across(&b, bases), 0.2);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

static void radial_weights_are_positive_and_sum_to_one(void **state)
{
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 8, 8}, .counts = {3, 2, 2}});
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_RADIAL);
    pli_bases *bases = make_bases(&b, &def);
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        for (int64_t k = bases->start[v]; k < bases->start[v + 1]; ++k) {
            assert_true(bases->weight[k] > 0);
        }
        NEAR(weight_sum(bases, v), 1, 0, 1e-12);
    }
    pli_bases_destroy(bases);
    clear_blocks(&b);

    // one handle has it all
    b = make_blocks(context, &(blocks_def){.cells = {3, 2, 2}, .counts = {1, 1, 1}});
    def = blocks_bases_def(&b, PLI_BASES_RADIAL);
    bases = make_bases(&b, &def);
    for (int32_t v = 0; v < bases->vertex_count; ++v) NEAR(weight_at(bases, v, 0), 1, 0, 0);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// 1 at the own centre, 0 at all others; they sum to one because K annihilates constants, so that
// the sum of all is the solution 1 of constraints that are all 1.
static void biharmonic_coordinates_interpolate(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 8, 8}, .counts = {3, 2, 1}});
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_BIHARMONIC);
    pli_bases *bases = make_bases(&b, &def);
    double least = 0;
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        // rounding grows with the condition, some 1e5
        NEAR(weight_sum(bases, v), 1, 0, 1e-9);
        for (int64_t k = bases->start[v]; k < bases->start[v + 1]; ++k) {
            least = fmin(least, bases->weight[k]);
        }
    }
    // not clipped
    AT_MOST(least, -0.01);
    for (int32_t i = 0; i < bases->handle_count; ++i) {
        for (int32_t j = 0; j < bases->handle_count; ++j) {
            NEAR(weight_at(bases, b.partition.centers[i], j), i == j, 0, 0);
        }
    }
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// ---- eigenmodes

// u^T L v and u^T M v of modes, from the elements.
typedef struct forms {
    double stiffness;
    double mass;
} forms;

static forms measure_modes(const pli_laplacian *l, const pli_bases *bases, int32_t i, int32_t j)
{
    forms sum = {0};
    for (int32_t v = 0; v < l->vertex_count; ++v) {
        double u = weight_at(bases, v, i);
        sum.mass += l->mass[v] * u * weight_at(bases, v, j);
        for (int64_t k = l->row_start[v]; k < l->row_start[v + 1]; ++k) {
            sum.stiffness += l->values[k] * u * weight_at(bases, l->column[k], j);
        }
    }
    return sum;
}

// On a bar of length L much longer than wide: lambda_k = (k pi / L)^2.
static void eigenmodes_are_those_of_a_bar(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    enum { LENGTH = 60, MODES = 6 };
    pli_context *context = *state;
    blocks b =
        make_blocks(context, &(blocks_def){.cells = {LENGTH, 2, 2}, .counts = {MODES, 1, 1}});
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_EIGENMODES);
    pli_bases *bases = make_bases(&b, &def);
    pli_laplacian *l = NULL;
    OK(context, pli_laplacian_create(context, &def.mesh, NULL, &l));
    for (int32_t i = 0; i < MODES; ++i) {
        forms own = measure_modes(l, bases, i, i);
        double k = i * acos(-1) / LENGTH;
        // linear elements of a twelfth of the shortest half wave at least
        NEAR(own.stiffness / own.mass, k * k, 0.01, 1e-12);
        for (int32_t j = 0; j < i; ++j) {
            // eigenvalues are far apart, so vectors are as good as the residual
            NEAR(measure_modes(l, bases, i, j).mass / own.mass, 0, 0, 1e-6);
        }
    }
    for (int32_t v = 0; v < bases->vertex_count; ++v) {
        NEAR(weight_at(bases, v, 0), 1, 0, 1e-8);
        for (int32_t i = 0; i < MODES; ++i) AT_MOST(fabs(weight_at(bases, v, i)), 1);
    }
    NEAR(bases->center[3], LENGTH / 2.0, 1e-12, 0);
    pli_laplacian_destroy(l);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// A cube has eigenvalues of multiplicity three and six: all of them are found, and the residual
// L u - lambda M u is small.
static void eigenmodes_of_a_cube_are_complete(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    enum { N = 8, MODES = 27 };
    static const int multiplicity[] = {1, 3, 3, 1, 3, 6, 3, 3};
    static const int squares[] = {0, 1, 2, 3, 4, 5, 6, 8};
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {N, N, N}, .counts = {3, 3, 3}});
    pli_bases_def def = blocks_bases_def(&b, PLI_BASES_EIGENMODES);
    pli_bases *bases = make_bases(&b, &def);
    pli_laplacian *l = NULL;
    OK(context, pli_laplacian_create(context, &def.mesh, NULL, &l));
    int32_t mode = 0;
    double unit = acos(-1) * acos(-1) / (N * N);
    for (int group = 0; group < 8; ++group) {
        for (int k = 0; k < multiplicity[group]; ++k, ++mode) {
            forms own = measure_modes(l, bases, mode, mode);
            // lumped linear elements of an eighth of the cube are off by (k h)^2 / 12 and a little
            NEAR(own.stiffness / own.mass, squares[group] * unit, 0.12, 1e-12);
        }
    }
    pli_laplacian_destroy(l);
    pli_bases_destroy(bases);
    clear_blocks(&b);
}

// ---- all kinds

static pli_bases *bases_with_threads(const pli_bases_def *def, int32_t threads,
                                     pli_context **context)
{
    *context = make_context(threads);
    pli_bases *bases = NULL;
    OK(*context, pli_bases_create(*context, def, &bases));
    return bases;
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = make_context(1);
    blocks b = make_blocks(context, &(blocks_def){.cells = {12, 8, 8}, .counts = {3, 2, 2}});
    for (int32_t k = 0; k < b.mesh->tet_count; ++k) {
        b.stiffness[k] = b.partition.element_part[k] % 3 == 0 ? 1e9 : 1e5;
    }
    for (int32_t v = 0; v < b.mesh->vertex_count; ++v) b.fixed[v] = b.mesh->points[3 * v] == 0;
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        pli_bases_def def = blocks_bases_def(&b, all_kinds[kind]);
        def.dirichlet_aware = true;
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *own = NULL;
            pli_bases *bases = bases_with_threads(&def, bits.threads, &own);
            size_t count = (size_t)bases->start[bases->vertex_count];
            same_bits_keep(&bits, bases->handle, count * sizeof *bases->handle);
            same_bits_keep(&bits, bases->weight, count * sizeof *bases->weight);
            pli_bases_destroy(bases);
            pli_context_destroy(own);
        }
    }
    clear_blocks(&b);
    pli_context_destroy(context);
}

static pli_status follow_progress(void *user, double fraction)
{
    double *last = user;
    assert_true(fraction >= *last && fraction <= 1);
    *last = fraction;
    return PLI_OK;
}

static void progress_ends_at_one(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    blocks b = make_blocks(context, &(blocks_def){.cells = {80, 1, 1}, .counts = {40, 1, 1}});
    for (int k = 0; k < KIND_COUNT; ++k) {
        double last = 0;
        pli_bases_def def = blocks_bases_def(&b, all_kinds[k]);
        def.progress = follow_progress;
        def.user = &last;
        pli_bases *bases = make_bases(&b, &def);
        NEAR(last, 1, 0, 0);
        pli_bases_destroy(bases);
    }
    clear_blocks(&b);
}

// Whatever allocation fails: a status, and nothing is left behind.
static void failing_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    pli_context *plain = make_context(1);
    blocks b = make_blocks(plain, &(blocks_def){.cells = {6, 2, 2}, .counts = {3, 1, 1}});
    for (int32_t v = 0; v < b.mesh->vertex_count; ++v) b.fixed[v] = b.mesh->points[3 * v] == 0;
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        pli_bases_def def = blocks_bases_def(&b, all_kinds[kind]);
        def.dirichlet_aware = true;
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            pli_bases *bases = NULL;
            sweep.status = pli_bases_create(sweep.context, &def, &bases);
            assert_int_equal(bases == NULL, sweep.status != PLI_OK);
            pli_bases_destroy(bases);
        }
    }
    clear_blocks(&b);
    pli_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(only_material_and_radial_weights_are_compact, 2),
        TEST_IN_CONTEXT(only_radial_weights_span_a_slit, 2),
        TEST_IN_CONTEXT(radial_weights_are_positive_and_sum_to_one, 2),
        TEST_IN_CONTEXT(biharmonic_coordinates_interpolate, 2),
        TEST_IN_CONTEXT(eigenmodes_are_those_of_a_bar, 2),
        TEST_IN_CONTEXT(eigenmodes_of_a_cube_are_complete, 2),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        TEST_IN_CONTEXT(progress_ends_at_one, 2),
        cmocka_unit_test(failing_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
