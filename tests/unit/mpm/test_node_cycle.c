// SPDX-License-Identifier: Apache-2.0
//
// One cycle of multigrid on nodes as an operator: symmetric, positive, the same for any number of
// threads, and good enough for conjugate gradients to need few iterations.
#include "node_world.h"
#include "support/same_bits.h"

#include "base/arena.h"
#include "linear/krylov/krylov.h"

static pli_node_multigrid_def describe(int32_t levels)
{
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    def.level_count = levels;
    def.direct = true;
    return def;
}

static int64_t entry_count(const node_world *w)
{
    return 3 * (int64_t)w->grid->count;
}

static double *apply_cycle(const node_world *w, const double *r)
{
    double *z = node_world_vector(w, 0, 0);
    // whatever was there does not matter
    for (int64_t i = 0; i < entry_count(w); ++i) z[i] = NAN;
    pli_node_multigrid_apply(w->multigrid, r, z);
    return z;
}

// x.By = y.Bx to rounding, and x.Bx > 0 unless x is held everywhere.
static void expect_symmetric(const node_world *w)
{
    double *x = node_world_vector(w, 0, 1), *y = node_world_vector(w, 0, 2);
    double *Bx = apply_cycle(w, x), *By = apply_cycle(w, y);
    int64_t count = entry_count(w);
    double xBx = node_world_dot(count, x, Bx), yBy = node_world_dot(count, y, By);
    assert_true(xBx > 0 && yBy > 0);
    NEAR(node_world_dot(count, x, By), node_world_dot(count, y, Bx), 0, 1e-12 * sqrt(xBx * yBy));
    free(x);
    free(y);
    free(Bx);
    free(By);
}

static void the_cycle_is_symmetric_and_positive(void **state)
{
    (void)state;
    for (int held = 0; held < 2; ++held) {
        node_world *w = node_world_make(2, node_ball, 7.2, 2, 1e-3);
        if (held == 1) node_world_hold(w, -2);
        for (int kind = 0; kind < 6; ++kind) {
            pli_node_multigrid_def def = describe(2 + kind % 3);
            def.embedding = (pli_embedding_kind)(kind / 3);
            def.single = kind % 2 == 0;
            node_world_build(w, &def);
            expect_symmetric(w);
        }
        for (int smoother = 1; smoother < 3; ++smoother) {
            pli_node_multigrid_def def = describe(3);
            def.smoother = (pli_node_smoother)smoother;
            node_world_build(w, &def);
            expect_symmetric(w);
        }
        node_world_destroy(w);
    }
}

// The world's matrix, stored as a half.
static pli_ell *halve_matrix(const node_world *w)
{
    const pli_ell *whole = w->matrix;
    pli_ell *half = NULL;
    OK(w->context, pli_ell_create_half(w->context, whole->row_count, whole->width, 2, &half));
    memcpy(half->column, whole->column,
           (size_t)whole->row_count * (size_t)whole->width * sizeof *half->column);
    for (int32_t row = 0; row < whole->row_count; ++row) {
        for (int32_t slot = whole->center; slot < whole->width; ++slot) {
            pli_mat3_copy(pli_ell_block(whole, row, slot), pli_ell_block(half, row, slot));
        }
    }
    return half;
}

static void half_of_a_matrix_makes_the_same_cycle(void **state)
{
    (void)state;
    for (int held = 0; held < 2; ++held) {
        node_world *w = node_world_make(2, node_ball, 7.2, 2, 1e-3);
        if (held == 1) node_world_hold(w, -2);
        for (int levels = 1; levels <= 3; ++levels) {
            pli_node_multigrid_def def = describe(levels);
            def.direct = levels < 3;
            pli_ell *half = halve_matrix(w);
            double *r = node_world_vector(w, 0, 1);
            node_world_build(w, &def);
            double *want = apply_cycle(w, r);
            pli_node_level_info whole_info = pli_node_multigrid_get_level(w->multigrid, 0);
            OK(w->context, pli_node_multigrid_build(w->multigrid, w->grid, half, &w->constraints));
            double *got = apply_cycle(w, r);
            pli_node_level_info info = pli_node_multigrid_get_level(w->multigrid, 0);
            // T_i A_ij T_j and its mirror may be rounded to different floats
            double slack = held == 0 ? 0 : 1e-6;
            for (int64_t i = 0; i < entry_count(w); ++i) NEAR(got[i], want[i], slack, slack);
            assert_int_equal(info.block_count, whole_info.block_count);
            assert_true(info.memory < whole_info.memory);
            free(r);
            free(got);
            free(want);
            pli_ell_destroy(half);
        }
        node_world_destroy(w);
    }
}

static void the_cycle_is_positive_for_smooth_and_rough_vectors(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_plate, 12, 2, 1e-3);
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    node_world_build(w, &def);
    for (int k = 0; k < 4; ++k) {
        double *r = node_world_vector(w, 0, (uint64_t)(k + 1));
        for (int64_t i = 0; i < entry_count(w); ++i) {
            if (k == 1) r[i] = i % 3 == 0;
            if (k == 2) r[i] = i / 3 % 2 == 0 ? 1 : -1;
            if (k == 3) r[i] = i == 100;
        }
        double *z = apply_cycle(w, r);
        assert_true(node_world_dot(entry_count(w), r, z) > 0);
        free(r);
        free(z);
    }
    node_world_destroy(w);
}

static void held_nodes_do_not_move(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 5, 2, 1e-2);
    node_world_hold(w, -1);
    for (int kind = 0; kind < 12; ++kind) {
        pli_node_multigrid_def def = pli_node_multigrid_def_default();
        def.level_count = 1 + kind % 3;
        def.direct = kind % 2 == 0;
        def.smoother = (pli_node_smoother)(kind / 4);
        def.single = kind % 4 == 0;
        node_world_build(w, &def);
        double *r = node_world_vector(w, 0, 5), *z = apply_cycle(w, r);
        for (int32_t k = 0; k < w->constraints.count; ++k) {
            const double *T = w->tangents + 9 * k, *v = z + 3 * (int64_t)w->held[k];
            double Tv[3];
            pli_mat3_apply(T, v, Tv);
            // along axes exactly, along a slope to rounding
            bool is_axis = fabs(T[1]) == 0;
            double allowed = is_axis ? 0 : 1e-14 * pli_vec3_norm(v);
            for (int c = 0; c < 3; ++c) NEAR(v[c], Tv[c], 0, allowed);
        }
        free(r);
        free(z);
    }
    node_world_destroy(w);
}

static void the_number_of_threads_makes_no_difference(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; ++kind) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            node_world *w = node_world_make(bits.threads, node_ball, 8, 2, 1e-3);
            node_world_hold(w, -6);
            pli_node_multigrid_def def = pli_node_multigrid_def_default();
            if (kind == 3) def.embedding = PLI_EMBEDDING_QUADRATIC;
            if (kind < 3) def.smoother = (pli_node_smoother)kind;
            def.single = kind != 4;
            node_world_build(w, &def);
            double *r = node_world_vector(w, 0, 5), *z = apply_cycle(w, r);
            same_bits_keep(&bits, z, (size_t)entry_count(w) * sizeof *z);
            free(z);
            free(r);
            node_world_destroy(w);
        }
    }
}

// Gauss-Seidel in words, on a dense order: x_i = D^-1 (b_i - sum of all other A_ij x_j).
static void sweep_plainly(const node_world *w, const double *b, const int32_t *order, double *x)
{
    const pli_ell *matrix = w->matrix;
    for (int32_t k = 0; k < matrix->row_count; ++k) {
        int64_t row = order[k];
        double rest[3], inverse[9];
        pli_vec3_copy(b + 3 * row, rest);
        for (int64_t slot = row * matrix->width; slot < (row + 1) * matrix->width; ++slot) {
            int64_t column = matrix->column[slot];
            if (column < 0 || column == row) continue;
            double y[3];
            pli_mat3_apply(matrix->values + 9 * slot, x + 3 * column, y);
            pli_vec3_subtract(rest, y, rest);
        }
        (void)pli_mat3_inverse(matrix->values + 9 * (row * matrix->width + matrix->center),
                               inverse);
        pli_mat3_apply(inverse, rest, x + 3 * row);
    }
}

// Nodes by colours of blocks; backwards when asked.
static void list_order(const pli_node_grid *grid, bool backwards, int32_t *order)
{
    int32_t count = 0;
    for (int32_t k = 0; k < grid->block_count; ++k) {
        const pli_node_block *block = &grid->blocks[grid->by_color[k]];
        for (int i = 0; i < __builtin_popcountll(block->nodes); ++i, ++count) {
            order[backwards ? grid->count - 1 - count : count] = block->first + i;
        }
    }
}

static void a_cycle_is_what_its_parts_say(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 6.4, 2, 1e-2);
    int64_t count = entry_count(w);
    int32_t *order[2];
    for (int k = 0; k < 2; ++k) {
        order[k] = malloc((size_t)w->grid->count * sizeof *order[k]);
        assert_non_null(order[k]);
        list_order(w->grid, k == 1, order[k]);
    }
    for (int single = 0; single < 2; ++single) {
        pli_node_multigrid_def def = describe(2);
        def.single = single == 1;
        node_world_build(w, &def);
        double *b = node_world_vector(w, 0, 3), *x = node_world_vector(w, 0, 0);
        double *r = node_world_vector(w, 0, 0), *c = node_world_vector(w, 1, 0);
        for (int k = 0; k < 2; ++k) sweep_plainly(w, b, order[k], x);
        pli_ell_multiply(w->matrix, x, r);
        for (int64_t i = 0; i < entry_count(w); ++i) r[i] = b[i] - r[i];
        pli_node_multigrid_restrict(w->multigrid, 0, r, c);
        // the coarse level alone, solved directly
        pli_node_multigrid *coarse = NULL;
        pli_node_multigrid_def coarse_def = describe(1);
        double *e = node_world_vector(w, 1, 0);
        OK(w->context, pli_node_multigrid_create(w->context, &coarse_def, &coarse));
        OK(w->context, pli_node_multigrid_build(coarse, pli_node_multigrid_grid(w->multigrid, 1),
                                                pli_node_multigrid_matrix(w->multigrid, 1), NULL));
        pli_node_multigrid_apply(coarse, c, e);
        pli_node_multigrid_prolong(w->multigrid, 0, e, x);
        for (int k = 0; k < 2; ++k) sweep_plainly(w, b, order[k], x);
        double *z = apply_cycle(w, b), largest = 0;
        for (int64_t i = 0; i < count; ++i) largest = fmax(largest, fabs(x[i]));
        // single: rounding of the matrix
        for (int64_t i = 0; i < count; ++i) {
            NEAR(z[i], x[i], 0, (single == 1 ? 1e-5 : 1e-10) * largest);
        }
        pli_node_multigrid_destroy(coarse);
        free(b);
        free(x);
        free(r);
        free(c);
        free(e);
        free(z);
    }
    free(order[0]);
    free(order[1]);
    node_world_destroy(w);
}

// Exact coarse solves on one level: B is the inverse.
static void one_direct_level_is_the_inverse(void **state)
{
    (void)state;
    node_world *w = node_world_make(1, node_ball, 4, 2, 1e-2);
    pli_node_multigrid_def def = describe(1);
    node_world_build(w, &def);
    double *x = node_world_vector(w, 0, 4), *Ax = node_world_vector(w, 0, 0);
    pli_ell_multiply(w->matrix, x, Ax);
    double *z = apply_cycle(w, Ax);
    // the condition is some 1e6
    for (int64_t i = 0; i < entry_count(w); ++i) NEAR(z[i], x[i], 0, 1e-8);
    free(x);
    free(Ax);
    free(z);
    node_world_destroy(w);
}

static void iterations_of_the_coarsest_level_are_counted(void **state)
{
    (void)state;
    node_world *w = node_world_make(1, node_ball, 7.2, 2, 1e-3);
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    int64_t counts[2];
    for (int k = 0; k < 2; ++k) {
        def.coarsest_tolerance = k == 0 ? 0.5 : 1e-3;
        node_world_build(w, &def);
        assert_int_equal(pli_node_multigrid_coarsest_iterations(w->multigrid), 0);
        double *r = node_world_vector(w, 0, 5), *z = apply_cycle(w, r);
        counts[k] = pli_node_multigrid_coarsest_iterations(w->multigrid);
        free(r);
        free(z);
    }
    assert_true(counts[0] >= 1);
    assert_true(counts[1] > counts[0]);
    def.coarsest_iterations = 1;
    node_world_build(w, &def);
    double *r = node_world_vector(w, 0, 5), *z = apply_cycle(w, r);
    assert_int_equal(pli_node_multigrid_coarsest_iterations(w->multigrid), 1);
    free(r);
    free(z);
    node_world_destroy(w);
}

static void phases_are_timed(void **state)
{
    (void)state;
    node_world *w = node_world_make(1, node_ball, 7.2, 2, 1e-3);
    pli_timers timers;
    pli_timers_clear(&timers);
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    node_world_build(w, &def);
    pli_node_multigrid_set_timers(w->multigrid, &timers);
    OK(w->context, pli_node_multigrid_build(w->multigrid, w->grid, w->matrix, NULL));
    double *r = node_world_vector(w, 0, 5), *z = apply_cycle(w, r);
    const char *phases[] = {"coarsen", "smooth", "transfer", "coarsest"};
    for (int k = 0; k < 4; ++k) assert_true(pli_timers_seconds(&timers, phases[k]) > 0);
    assert_int_equal(timers.depth, 0);
    free(r);
    free(z);
    node_world_destroy(w);
}

// ---- convergence

static void apply_jacobi(const void *self, const double *r, double *z)
{
    const node_world *w = self;
    const pli_ell *matrix = w->matrix;
    for (int64_t row = 0; row < matrix->row_count; ++row) {
        double inverse[9];
        (void)pli_mat3_inverse(matrix->values + 9 * (row * matrix->width + matrix->center),
                               inverse);
        pli_mat3_apply(inverse, r + 3 * row, z + 3 * row);
    }
}

// Iterations of conjugate gradients to 1e-8 from zero.
static int32_t iterate(const node_world *w, const pli_operator *B, const pli_krylov_def *def,
                       const double *b)
{
    pli_arena *scratch = NULL;
    OK(w->context, pli_arena_create(w->context, 0, &scratch));
    pli_operator A = pli_ell_operator(w->matrix);
    double *x = node_world_vector(w, 0, 0);
    pli_krylov_system system = {.A = &A, .B = B, .b = b, .x = x};
    pli_krylov_report report;
    OK(w->context, pli_pcg(w->context, def, &system, scratch, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    free(x);
    pli_arena_destroy(scratch);
    return report.iterations;
}

// Without a def with block Jacobi.
static int32_t count_iterations(node_world *w, const pli_node_multigrid_def *def)
{
    pli_operator B = {.size = entry_count(w), .self = w, .apply = apply_jacobi};
    if (def != NULL) {
        node_world_build(w, def);
        B = pli_node_multigrid_operator(w->multigrid);
    }
    double *b = node_world_vector(w, 0, 7);
    // nothing along directions in which nodes are held
    for (int32_t k = 0; k < w->constraints.count; ++k) {
        double v[3], *at = b + 3 * (int64_t)w->held[k];
        pli_vec3_copy(at, v);
        pli_mat3_apply(w->tangents + 9 * k, v, at);
    }
    // gravity, so that there is a smooth part to be found
    for (int64_t i = 0; i < entry_count(w); ++i) b[i] += w->constraints.count == 0 && i % 3 == 1;
    pli_krylov_def krylov = pli_krylov_def_default();
    int32_t iterations = iterate(w, &B, &krylov, b);
    free(b);
    return iterations;
}

// In the norm of B, for a matrix whose rounding errors are beyond the plain one.
static int32_t count_stiff_iterations(node_world *w)
{
    pli_operator B = pli_node_multigrid_operator(w->multigrid);
    double *b = node_world_vector(w, 0, 7);
    for (int64_t i = 0; i < entry_count(w); ++i) b[i] += i % 3 == 1;
    pli_krylov_def krylov = pli_krylov_def_default();
    krylov.norm = PLI_KRYLOV_NORM_PRECONDITIONED;
    krylov.max_iterations = 100;
    int32_t iterations = iterate(w, &B, &krylov, b);
    free(b);
    return iterations;
}

typedef struct growth_case {
    node_body body;
    double sizes[3];
    double hold; // height; NAN: free
    int32_t most;
} growth_case;

static void iterations_stay_few_where_those_of_jacobi_grow(void **state)
{
    (void)state;
    static const growth_case cases[] = {
        {node_ball, {5, 8, 11}, NAN, 10},
        {node_plate, {7, 12, 18}, NAN, 20},
        {node_ball, {5, 8, 11}, -3, 10},
    };
    for (int c = 0; c < 3; ++c) {
        int32_t ours[3], jacobi[3];
        for (int k = 0; k < 3; ++k) {
            node_world *w = node_world_make(2, cases[c].body, cases[c].sizes[k], 2, 1e-3);
            if (!isnan(cases[c].hold)) node_world_hold(w, cases[c].hold);
            pli_node_multigrid_def def = describe(3);
            ours[k] = count_iterations(w, &def);
            jacobi[k] = count_iterations(w, NULL);
            print_message("%d nodes: %d cycles, %d steps of Jacobi\n", (int)w->grid->count,
                          (int)ours[k], (int)jacobi[k]);
            AT_MOST(ours[k], cases[c].most);
            if (k > 0) AT_MOST(ours[k], 1.3 * ours[k - 1]);
            node_world_destroy(w);
        }
        assert_true(2 * jacobi[2] > 3 * jacobi[0]);
        assert_true(jacobi[2] > 10 * ours[2]);
    }
}

// one level is the inverse but for rounding, and more of them are hardly worse.
static void any_number_of_levels_works(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 6.8, 2, 1e-3);
    for (int32_t levels = 1; levels <= 5; ++levels) {
        pli_node_multigrid_def def = describe(levels);
        int32_t iterations = count_iterations(w, &def);
        int32_t count = pli_node_multigrid_level_count(w->multigrid);
        print_message("%d levels: %d cycles\n", (int)count, (int)iterations);
        assert_true(levels > 4 || count == levels);
        AT_MOST(iterations, levels == 1 ? 2 : 10);
    }
    node_world_destroy(w);
}

// A cycle whose coarsest level is solved by conjugate gradients is not linear. To a hundredth it is
// near enough to be used with conjugate gradients, to the half of the default it is not.
static void iterative_coarsest_levels_want_a_tolerance(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 9, 2, 1e-3);
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    def.coarsest_tolerance = 1e-2;
    int32_t iterations = count_iterations(w, &def);
    print_message("coarsest level to 1e-2: %d cycles\n", (int)iterations);
    AT_MOST(iterations, 30);
    node_world_destroy(w);
}

static void other_smoothers_work_and_are_no_better(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 9, 2, 1e-3);
    int32_t iterations[3];
    for (int k = 0; k < 3; ++k) {
        pli_node_multigrid_def def = describe(3);
        def.smoother = (pli_node_smoother)k;
        iterations[k] = count_iterations(w, &def);
    }
    int32_t jacobi = count_iterations(w, NULL);
    print_message("sweeps %d, Jacobi %d, Chebyshev %d; without levels %d\n", (int)iterations[0],
                  (int)iterations[1], (int)iterations[2], (int)jacobi);
    assert_true(iterations[1] > iterations[0]);
    // Chebyshev reads the matrix four times a cycle and not three
    assert_true(4 * iterations[2] > 3 * iterations[0]);
    assert_true(iterations[1] < jacobi / 4 && iterations[2] < jacobi / 4);
    node_world_destroy(w);
}

static void quadratic_embedding_converges_too(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 9, 2, 1e-3);
    pli_node_multigrid_def def = describe(3);
    def.embedding = PLI_EMBEDDING_QUADRATIC;
    AT_MOST(count_iterations(w, &def), 10);
    node_world_destroy(w);
}

// The stiffest springs of a free body over its mass are 1e13, far over what single precision
// resolves: rounding the matrices of the sweeps must not lose the way in which the body moves.
static void single_precision_finds_free_motion(void **state)
{
    (void)state;
    node_world *w = node_world_make(2, node_ball, 7.2, 2, 1e-10);
    int32_t iterations[2];
    for (int single = 0; single < 2; ++single) {
        pli_node_multigrid_def def = describe(3);
        def.single = single == 1;
        node_world_build(w, &def);
        iterations[single] = count_stiff_iterations(w);
    }
    print_message("double %d, single %d cycles\n", (int)iterations[0], (int)iterations[1]);
    AT_MOST(iterations[1], iterations[0] + 3);
    node_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cycle_is_symmetric_and_positive),
        cmocka_unit_test(half_of_a_matrix_makes_the_same_cycle),
        cmocka_unit_test(the_cycle_is_positive_for_smooth_and_rough_vectors),
        cmocka_unit_test(held_nodes_do_not_move),
        cmocka_unit_test(the_number_of_threads_makes_no_difference),
        cmocka_unit_test(a_cycle_is_what_its_parts_say),
        cmocka_unit_test(one_direct_level_is_the_inverse),
        cmocka_unit_test(iterations_of_the_coarsest_level_are_counted),
        cmocka_unit_test(phases_are_timed),
        cmocka_unit_test(iterations_stay_few_where_those_of_jacobi_grow),
        cmocka_unit_test(any_number_of_levels_works),
        cmocka_unit_test(iterative_coarsest_levels_want_a_tolerance),
        cmocka_unit_test(other_smoothers_work_and_are_no_better),
        cmocka_unit_test(quadratic_embedding_converges_too),
        cmocka_unit_test(single_precision_finds_free_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
