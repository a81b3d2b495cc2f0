// SPDX-License-Identifier: Apache-2.0
//
// Directions of three levels on a box of springs: what each level promises of the quadratic model,
// when the elastic Hessian is rebuilt, and that minimisations end where Newton's method does.
#include "minimize.h"
#include "spring_box.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"
#include "multilevel/space.h"

static double *copy_of(const double *values, int64_t count)
{
    double *copy = new_items((size_t)count, sizeof *copy);
    memcpy(copy, values, (size_t)count * sizeof *copy);
    return copy;
}

static double largest_difference(int64_t count, const double *a, const double *b)
{
    double largest = 0;
    for (int64_t k = 0; k < count; ++k) largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

// Moves the vertices about, differently for every seed.
static void shake(spring_box *box, uint64_t seed, double size)
{
    for (int64_t k = 0; k < box->n; ++k) {
        if (box->fixed[k / 3] & (1u << k % 3)) continue;
        box->x[k] = box->b.mesh->points[k] +
                    pli_random_range((pli_random){seed, 4}, (uint64_t)k, -size, size);
    }
}

// ---- the coarse levels

// |U^T (g + H d)| over |U^T g|, largest entries.
static double galerkin_residual(spring_box *box, const pli_bases *bases)
{
    pli_space *space = NULL;
    OK(box->context,
       pli_space_create(box->context, bases, box->b.mesh->points, box->fixed, &space));
    int64_t size = pli_space_size(space);
    double *left = new_items((size_t)size, sizeof *left);
    double *all = new_items((size_t)size, sizeof *all);
    model_value(box);
    pli_space_restrict(space, box->r, left);
    pli_space_restrict(space, box->g, all);
    double ratio =
        pli_vector_max_abs(box->context, size, left) / pli_vector_max_abs(box->context, size, all);
    free(all);
    free(left);
    pli_space_destroy(space);
    return ratio;
}

static void direction_without_polish_minimises_the_model_over_the_handles(void **state)
{
    (void)state;
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 4);
    spring_box_hold(&box);
    for (int k = 0; k < 4; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        if (k % 2 == 1) def.affine = NULL;
        def.level_preconditioner = k < 2 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR;
        pli_subspace_counts counts = direction_by(&box, &def);
        // the solve ends at 1e-12 in the preconditioner's norm, whose condition is below 1e4
        AT_MOST(galerkin_residual(&box, &box.b.bases), 1e-8);
        // the factor is that of the very matrix, up to a billionth on its diagonal
        if (k >= 2) AT_MOST(counts.subspace_iterations, 5);
        assert_int_equal(counts.affine_iterations > 0, k % 2 == 0);
        assert_int_equal(counts.polish_iterations, 0);
    }
    // the affine level alone
    pli_subspace_source_def def = spring_box_def(&box);
    def.bases = NULL;
    direction_by(&box, &def);
    AT_MOST(galerkin_residual(&box, box.affine), 1e-8);
    // and it does not do what the handles do
    AT_LEAST(galerkin_residual(&box, &box.b.bases), 1e-3);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

// Clusters of coarse meshes may be that small: there is nothing to stretch, only to move.
static void a_handle_of_one_vertex_moves_it(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 2, 3);
    int32_t n = box.b.mesh->vertex_count;
    int32_t *body_of = new_items((size_t)n, sizeof *body_of);
    body_of[n / 2] = 1;
    pli_bases *pair = NULL;
    pli_affine_def bodies = {n, box.b.mesh->points, box.masses, 2, body_of};
    OK(context, pli_bases_create_affine(context, &bodies, &pair));
    // without the rounding of a mean over one vertex
    pli_vec3_copy(box.b.mesh->points + 3 * (n / 2), pair->center + 3);
    pair->size[1] = 0;
    for (int k = 0; k < 2; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        def.affine = NULL;
        def.bases = pair;
        def.level_preconditioner = k == 0 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR;
        direction_by(&box, &def);
        AT_MOST(galerkin_residual(&box, pair), 1e-8);
        // over handles that move it alone a vertex finds its own equilibrium
        for (int c = 0; c < 3; ++c) NEAR(box.r[3 * (n / 2) + c], 0, 0, 1e-6);
    }
    pli_bases_destroy(pair);
    free(body_of);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void blocks_and_factor_give_the_same_direction(void **state)
{
    (void)state;
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 4);
    spring_box_hold(&box);
    springs chosen = make_springs(box.b.mesh, 3, 3);
    for (int k = 0; k < 2; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        if (k == 1) def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
        direction_by(&box, &def);
        double *by_blocks = copy_of(box.d, box.n);
        def.level_preconditioner = PLI_SUBSPACE_FACTOR;
        direction_by(&box, &def);
        // both are solved to 1e-12; the condition of the handles' matrix is below 1e5
        double size = pli_vector_max_abs(context, box.n, by_blocks);
        AT_MOST(largest_difference(box.n, box.d, by_blocks), 1e-7 * size);
        AT_LEAST(size, 0.1);
        free(by_blocks);
    }
    free(chosen.tets);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void a_rigid_translation_takes_one_affine_iteration(void **state)
{
    (void)state;
    static const double by[3] = {0.7, -2, 0.3};
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 2, 3);
    box.link_count = 0;
    for (int64_t k = 0; k < box.n; ++k) box.target[k] = box.x[k] + by[k % 3];
    pli_subspace_source_def def = spring_box_def(&box);
    def.tolerance = 1e-4;
    def.polish_iterations = 5;
    pli_subspace_counts counts = direction_by(&box, &def);
    assert_int_equal(counts.affine_iterations, 1);
    // a billionth on the diagonal of the affine matrix, which a stretch of the springs dominates
    for (int64_t k = 0; k < box.n; ++k) NEAR(box.d[k], by[k % 3], 0, 1e-6);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

// ---- the polish

// The lowest value of the model, by a sparse factor of the whole matrix; leaves its place in d.
static double lowest_model(spring_box *box)
{
    pli_objective whole = box->objective;
    whole.H = NULL;
    whole.lagged = NULL;
    OK(box->context, pli_objective_build_pattern(&whole));
    bool flag = false;
    OK(box->context, pli_objective_prepare(&whole, box->x, &flag));
    pli_objective_compute_hessian(&whole, box->x, true);
    pli_linear_solver_def def = {.kind = PLI_SOLVER_CHOLESKY};
    pli_linear_solver *solver = NULL;
    OK(box->context, pli_linear_solver_create(box->context, &def, whole.H, &solver));
    OK(box->context, pli_linear_solver_build(solver, &flag));
    assert_true(flag);
    pli_krylov_report report;
    for (int64_t k = 0; k < box->n; ++k) box->r[k] = -box->g[k];
    OK(box->context, pli_linear_solver_solve(solver, box->r, 1e-12, box->scratch, box->d, &report));
    pli_linear_solver_destroy(solver);
    pli_objective_clear(&whole);
    return model_value(box);
}

static void polish_lowers_the_model_as_far_as_it_goes(void **state)
{
    (void)state;
    static const int32_t iterations[] = {0, 5, 20, 80, 500};
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 4);
    spring_box_hold(&box);
    for (int kind = 0; kind < 2; ++kind) {
        double last = 0;
        for (int k = 0; k < 5; ++k) {
            pli_subspace_source_def def = spring_box_def(&box);
            def.polish_preconditioner = kind == 0 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR;
            def.polish_iterations = iterations[k];
            pli_subspace_counts counts = direction_by(&box, &def);
            assert_true(counts.polish_iterations <= iterations[k]);
            double value = model_value(&box);
            // strictly lower until it has converged to its 1e-6
            if (k < 3) assert_true(value < last);
            AT_MOST(value, last + 1e-9 * fabs(last));
            last = value;
        }
        double lowest = lowest_model(&box);
        // the residual falls by 1e-6, the model's error by its square times a condition below 1e4
        NEAR(last, lowest, 1e-8, 0);
    }
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void polish_alone_is_a_solver_too(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 2, 3);
    pli_subspace_source_def def = spring_box_def(&box);
    def.affine = NULL;
    def.bases = NULL;
    def.polish_iterations = 500;
    pli_subspace *subspace = make_subspace(&box, &def);
    pli_direction_report report = first_direction(&box, subspace);
    double value = model_value(&box);
    // without handles steps are judged by all vertices
    double size = pli_vector_norm(context, box.n, box.d) / box.b.mesh->vertex_count;
    NEAR(report.step, size, 1e-14, 0);
    NEAR(value, lowest_model(&box), 1e-8, 0);
    pli_subspace_destroy(subspace);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

// ---- what holds of any direction

static void directions_point_downhill_whatever_the_cubature_says(void **state)
{
    (void)state;
    // a cubature that is far too soft, right, and far too stiff
    static const double weights[] = {1e-3, 5, 1e3};
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 4);
    spring_box_hold(&box);
    for (int k = 0; k < 12; ++k) {
        springs chosen = make_springs(box.b.mesh, 5, weights[k % 3]);
        pli_subspace_source_def def = spring_box_def(&box);
        def.tolerance = 1e-3;
        def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
        def.polish_iterations = k < 6 ? 0 : 4;
        def.level_preconditioner = k % 2 == 0 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR;
        shake(&box, (uint64_t)k, 0.3);
        direction_by(&box, &def);
        double slope = pli_vector_dot(context, box.n, box.g, box.d);
        assert_true(slope < 0);
        // at the minimum along d the model is half of the slope; a polish lowers it further
        double value = model_value(&box);
        if (def.polish_iterations == 0) NEAR(value, 0.5 * slope, 1e-9, 0);
        assert_true(value < 0);
        free(chosen.tets);
    }
    spring_box_clear(&box);
    pli_context_destroy(context);
}

// A cubature without any sense leaves the coarse levels with nothing that lowers the model; a step
// of size zero would be taken for convergence.
static void levels_that_find_nothing_leave_the_judgement_to_the_polish(void **state)
{
    (void)state;
    static const double weights[] = {-1e3, (double)NAN};
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 2, 3);
    for (int k = 0; k < 2; ++k) {
        springs chosen = make_springs(box.b.mesh, 1, weights[k]);
        pli_subspace_source_def def = spring_box_def(&box);
        def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
        def.polish_iterations = 5;
        pli_subspace *subspace = make_subspace(&box, &def);
        pli_direction_report report = first_direction(&box, subspace);
        assert_true(report.step > 0);
        assert_true(pli_vector_dot(context, box.n, box.g, box.d) < 0);
        assert_true(model_value(&box) < 0);
        pli_subspace_destroy(subspace);
        free(chosen.tets);
    }
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void at_a_minimum_the_direction_is_zero(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 2, 3);
    box.link_count = 0;
    memcpy(box.target, box.x, (size_t)box.n * sizeof *box.x);
    pli_subspace_source_def def = spring_box_def(&box);
    def.polish_iterations = 5;
    pli_subspace *subspace = make_subspace(&box, &def);
    pli_direction_report report = first_direction(&box, subspace);
    assert_true(report.step == 0);
    assert_int_equal(report.linear_iterations, 0);
    assert_true(pli_vector_max_abs(context, box.n, box.d) == 0);
    pli_subspace_destroy(subspace);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static pli_newton_def newton_def(void)
{
    return (pli_newton_def){.tolerance = 1e-8,
                            .max_iterations = 200,
                            .projected = true,
                            .safeguard = true,
                            .length_clamp = 1e3,
                            .linear_tolerance = 1e-12,
                            .line_search = {PLI_SEARCH_BACKTRACKING, 1e-4, 0.9, 60}};
}

static void expect_convergence(const pli_minimize_report *report)
{
    if (report->stop == PLI_STOP_GRADIENT) return;
    fprintf(stderr, "stop %d after %d iterations at %g, energy %g\n", (int)report->stop,
            (int)report->iterations, report->residual, report->energy);
    fail();
}

// By Newton's method with a factor; leaves the minimiser in x.
static void minimize_directly(spring_box *box)
{
    pli_timers timers;
    pli_timers_clear(&timers);
    pli_minimize_env env = {.timers = &timers, .scratch = box->scratch};
    pli_minimize_report report;
    pli_newton_def def = newton_def();
    OK(box->context, pli_objective_build_pattern(&box->objective));
    pli_linear_solver_def linear = {.kind = PLI_SOLVER_CHOLESKY};
    pli_linear_solver *solver = NULL;
    OK(box->context, pli_linear_solver_create(box->context, &linear, box->objective.H, &solver));
    OK(box->context, newton_minimize(&def, &box->objective, solver, &env, box->x, &report));
    expect_convergence(&report);
    pli_linear_solver_destroy(solver);
    OK(box->context, pli_objective_build_split_pattern(&box->objective));
}

static void minimize_by_levels(spring_box *box, const pli_subspace_source_def *by)
{
    pli_timers timers;
    pli_timers_clear(&timers);
    pli_minimize_env env = {.timers = &timers, .scratch = box->scratch};
    pli_minimize_report report;
    pli_subspace *subspace = make_subspace(box, by);
    pli_newton_def def = newton_def();
    def.source = pli_subspace_source(subspace);
    OK(box->context, newton_minimize(&def, &box->objective, NULL, &env, box->x, &report));
    expect_convergence(&report);
    pli_subspace_destroy(subspace);
}

static void minimisations_end_where_newton_ends(void **state)
{
    (void)state;
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 4);
    spring_box_hold(&box);
    double *start = copy_of(box.x, box.n);
    minimize_directly(&box);
    double *exact = copy_of(box.x, box.n);
    springs chosen = make_springs(box.b.mesh, 3, 3);
    for (int k = 0; k < 4; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        def.tolerance = 1e-4;
        def.polish_iterations = 20;
        def.level_preconditioner = k % 2 == 0 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR;
        def.polish_preconditioner = k == 3 ? PLI_SUBSPACE_FACTOR : PLI_SUBSPACE_BLOCKS;
        if (k >= 2) def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
        memcpy(box.x, start, (size_t)box.n * sizeof *start);
        minimize_by_levels(&box, &def);
        // the weighted norm is 1e-8 at most; inertia, 5 N/m at least, bounds the curvature of the
        // projected Hessian from below, and weights and curvature make it 1e-8 / 5^1.5
        AT_MOST(largest_difference(box.n, box.x, exact), 1e-8);
        // held coordinates have the very same bits
        for (int64_t i = 0; i < box.n; ++i) {
            if (box.fixed[i / 3] & (1u << i % 3)) assert_true(box.x[i] == start[i]);
        }
    }
    AT_LEAST(largest_difference(box.n, exact, start), 0.1);
    free(chosen.tets);
    free(exact);
    free(start);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void fixed_coordinates_never_move(void **state)
{
    (void)state;
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 3);
    spring_box_hold(&box);
    springs chosen = make_springs(box.b.mesh, 3, 3);
    for (int k = 0; k < 8; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        def.polish_iterations = 10;
        def.level_preconditioner = k & 1 ? PLI_SUBSPACE_FACTOR : PLI_SUBSPACE_BLOCKS;
        def.polish_preconditioner = k & 2 ? PLI_SUBSPACE_FACTOR : PLI_SUBSPACE_BLOCKS;
        if (k & 4) def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
        direction_by(&box, &def);
        int64_t held = 0;
        for (int64_t i = 0; i < box.n; ++i) {
            bool fixed = box.fixed[i / 3] & (1u << i % 3);
            held += fixed;
            assert_true((box.d[i] == 0) == fixed);
        }
        AT_LEAST((double)held, 50);
    }
    free(chosen.tets);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

// ---- refreshes

static void hessians_are_made_anew_by_the_rule(void **state)
{
    (void)state;
    // means of two steps below 0.5, three iterations apart at least
    static const struct {
        double alpha;
        int32_t refreshes;
    } steps[] = {
        {1, 1},      // the first of all, where no step has been made
        {0.125, 1},  // short steps at once, but too soon
        {0.125, 1},  //
        {0.125, 2},  // the third iteration since
        {0.875, 2},  // too soon again
        {0.125, 2},  //
        {0.875, 2},  // a mean of 0.5 is not below
        {1, 2},      //
        {0.0625, 2}, // mean 0.53
        {0.875, 3},  // mean 0.47, and long since the last
    };
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 1, 3);
    pli_subspace_source_def def = spring_box_def(&box);
    def.average_length = 2;
    def.period = 3;
    pli_subspace *subspace = make_subspace(&box, &def);
    pli_direction_source source = pli_subspace_source(subspace);
    // a second minimisation remembers nothing of the first
    for (int round = 0; round < 2; ++round) {
        source.ops->begin(source.self);
        int32_t before = 0;
        for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
            shake(&box, k, 0.05);
            double *lagged =
                copy_of(box.objective.lagged->values, 9 * box.objective.lagged->block_count);
            prepare_at(&box, subspace, steps[k].alpha);
            int32_t refreshes = pli_subspace_get_counts(subspace).refreshes;
            assert_int_equal(refreshes, steps[k].refreshes);
            // in between the matrix stays as it is, bit by bit
            bool same = memcmp(lagged, box.objective.lagged->values,
                               9 * (size_t)box.objective.lagged->block_count * sizeof *lagged) == 0;
            assert_int_equal(same, refreshes == before);
            before = refreshes;
            free(lagged);
        }
    }
    pli_subspace_destroy(subspace);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void no_threshold_means_one_hessian_and_a_high_one_means_every_period(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 1, 3);
    for (int k = 0; k < 2; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        // longer than anything is kept: as many as are
        def.average_length = 1000;
        def.period = 4;
        def.threshold = k == 0 ? 0 : 2;
        pli_subspace *subspace = make_subspace(&box, &def);
        pli_direction_source source = pli_subspace_source(subspace);
        source.ops->begin(source.self);
        for (int i = 0; i <= 40; ++i) prepare_at(&box, subspace, 1);
        assert_int_equal(pli_subspace_get_counts(subspace).refreshes, k == 0 ? 1 : 11);
        pli_subspace_destroy(subspace);
    }
    spring_box_clear(&box);
    pli_context_destroy(context);
}

static void links_are_fresh_in_every_iteration(void **state)
{
    (void)state;
    pli_context *context = make_context(2);
    spring_box box;
    spring_box_init(&box, context, 2, 4);
    for (int k = 0; k < 2; ++k) {
        pli_subspace_source_def def = spring_box_def(&box);
        def.level_preconditioner = k == 0 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR;
        pli_subspace *subspace = make_subspace(&box, &def);
        box_set_links(&box, 4);
        first_direction(&box, subspace);
        // more links, and stiffer ones, without a refresh
        box_set_links(&box, SPRING_BOX_LINKS);
        box.link_stiffness = 1e5;
        prepare_at(&box, subspace, 1);
        solve_at(&box, subspace);
        assert_int_equal(pli_subspace_get_counts(subspace).refreshes, 1);
        AT_MOST(galerkin_residual(&box, &box.b.bases), 1e-8);
        pli_subspace_destroy(subspace);
    }
    spring_box_clear(&box);
    pli_context_destroy(context);
}

// ---- promises

// Bits of the second direction of a minimisation.
static uint64_t hash_of_directions(int32_t threads, const pli_subspace_source_def *choices,
                                   bool cubature)
{
    pli_context *context = make_context(threads);
    spring_box box;
    // more vertices than one worker takes
    spring_box_init(&box, context, 3, 4);
    spring_box_hold(&box);
    springs chosen = make_springs(box.b.mesh, 3, 3);
    pli_subspace_source_def def = spring_box_def(&box);
    def.level_preconditioner = choices->level_preconditioner;
    def.polish_preconditioner = choices->polish_preconditioner;
    def.polish_iterations = 7;
    def.tolerance = 1e-4;
    if (cubature) def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
    pli_subspace *subspace = make_subspace(&box, &def);
    first_direction(&box, subspace);
    pli_vector_axpy(context, box.n, 1, box.d, box.x);
    prepare_at(&box, subspace, 1);
    solve_at(&box, subspace);
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, box.d, (size_t)box.n * sizeof *box.d);
    pli_subspace_destroy(subspace);
    free(chosen.tets);
    spring_box_clear(&box);
    pli_context_destroy(context);
    return hash;
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        pli_subspace_source_def choices = {
            .level_preconditioner = k % 2 == 0 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR,
            .polish_preconditioner = k < 2 ? PLI_SUBSPACE_BLOCKS : PLI_SUBSPACE_FACTOR};
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_of_directions(bits.threads, &choices, k % 2 == 1));
        }
    }
}

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.absorbs = true, .at_least = 30}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        spring_box box;
        spring_box_init(&box, sweep.context, 1, 2);
        springs chosen = make_springs(box.b.mesh, 3, 3);
        pli_subspace_source_def def = spring_box_def(&box);
        def.cubature = (pli_term){.ops = &springs_term, .self = &chosen};
        def.level_preconditioner = PLI_SUBSPACE_FACTOR;
        def.polish_iterations = 5;
        // all but the solver stands before allocations begin to fail
        int64_t before = sweep.fault.live_blocks;
        fault_sweep_resume(&sweep);
        pli_subspace *subspace = NULL;
        sweep.status = pli_subspace_create(sweep.context, &def, &box.objective, &subspace);
        fault_sweep_pause(&sweep);
        assert_int_equal(subspace == NULL, sweep.status != PLI_OK);
        if (subspace != NULL)
            first_direction(&box, subspace);
        else
            assert_int_equal(sweep.fault.live_blocks, before);
        pli_subspace_destroy(subspace);
        free(chosen.tets);
        spring_box_clear(&box);
    }
}

static void a_solver_without_levels_is_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    spring_box box;
    spring_box_init(&box, context, 1, 2);
    pli_subspace_source_def def = spring_box_def(&box);
    def.affine = NULL;
    def.bases = NULL;
    pli_subspace *subspace = NULL;
    assert_int_equal(pli_subspace_create(context, &def, &box.objective, &subspace),
                     PLI_ERROR_ARGUMENT);
    assert_null(subspace);
    pli_subspace_destroy(NULL);
    spring_box_clear(&box);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direction_without_polish_minimises_the_model_over_the_handles),
        cmocka_unit_test(a_handle_of_one_vertex_moves_it),
        cmocka_unit_test(blocks_and_factor_give_the_same_direction),
        cmocka_unit_test(a_rigid_translation_takes_one_affine_iteration),
        cmocka_unit_test(polish_lowers_the_model_as_far_as_it_goes),
        cmocka_unit_test(polish_alone_is_a_solver_too),
        cmocka_unit_test(directions_point_downhill_whatever_the_cubature_says),
        cmocka_unit_test(levels_that_find_nothing_leave_the_judgement_to_the_polish),
        cmocka_unit_test(at_a_minimum_the_direction_is_zero),
        cmocka_unit_test(minimisations_end_where_newton_ends),
        cmocka_unit_test(fixed_coordinates_never_move),
        cmocka_unit_test(hessians_are_made_anew_by_the_rule),
        cmocka_unit_test(no_threshold_means_one_hessian_and_a_high_one_means_every_period),
        cmocka_unit_test(links_are_fresh_in_every_iteration),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(a_solver_without_levels_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
