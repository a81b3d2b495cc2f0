// SPDX-License-Identifier: Apache-2.0
//
// Objectives with two matrices, one for terms that lag: together they are the matrix of the whole.
#include "chain.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

enum { POINTS = 3000, LINKS = 20 };

// Stiff links between far points: blocks beside the pattern, room for which is made when an
// iteration begins.
static void link_ends(const chain *c, int32_t link, int32_t ends[2])
{
    ends[0] = 7 * link;
    ends[1] = c->point_count - 1 - 11 * link;
}

static pli_sum link_energy(void *self, const double *x)
{
    const chain *c = self;
    pli_sum sum = {0, 0};
    for (int32_t k = 0; k < LINKS; ++k) {
        int32_t ends[2];
        double away[3];
        link_ends(c, k, ends);
        pli_vec3_subtract(x + 3 * ends[1], x + 3 * ends[0], away);
        pli_sum_add(&sum, 0.5 * c->stiffness * pli_vec3_dot(away, away));
    }
    return sum;
}

static void link_gradient(void *self, const double *x, double *g)
{
    const chain *c = self;
    for (int32_t k = 0; k < 3 * LINKS; ++k) {
        int32_t ends[2];
        link_ends(c, k / 3, ends);
        double force = c->stiffness * (x[3 * ends[1] + k % 3] - x[3 * ends[0] + k % 3]);
        g[3 * ends[0] + k % 3] -= force;
        g[3 * ends[1] + k % 3] += force;
    }
}

static void link_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const chain *c = self;
    (void)x;
    (void)projected;
    const double k = c->stiffness;
    const double block[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
    const double mirror[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
    for (int32_t link = 0; link < LINKS; ++link) {
        int32_t ends[2];
        link_ends(c, link, ends);
        pli_bcsr_add_diagonal_block(H, ends[0], block);
        pli_bcsr_add_diagonal_block(H, ends[1], block);
        assert_true(pli_bcsr_add_block(H, ends[0], ends[1], mirror));
        assert_true(pli_bcsr_add_block(H, ends[1], ends[0], mirror));
    }
}

static pli_status link_prepare(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    (void)self;
    (void)x;
    (void)changed;
    return pli_bcsr_reserve_extra(H, 2 * LINKS);
}

static const pli_term_ops link_term = {.name = "links",
                                       .energy = link_energy,
                                       .add_gradient = link_gradient,
                                       .add_hessian = link_hessian,
                                       .prepare = link_prepare};

// Springs that lag and note the matrix that they are bound to.
typedef struct bound_springs {
    chain body; // first: the functions of springs take it for their object
    const pli_bcsr *matrix;
    int32_t bindings;
} bound_springs;

static pli_status bind_springs(void *self, const pli_bcsr *H)
{
    bound_springs *s = self;
    s->matrix = H;
    ++s->bindings;
    return PLI_OK;
}

typedef struct split_problem {
    pli_context *context;
    chain_problem chain;
    bound_springs springs;
    pli_term_ops spring_ops;
    double *v; // [POINTS][3] something to multiply
    double *whole;
    double *sum;
} split_problem;

static void split_problem_init(split_problem *p, int32_t threads)
{
    p->context = make_context(threads);
    chain_problem_init(&p->chain, p->context, POINTS);
    p->springs = (bound_springs){.body = p->chain.body};
    p->spring_ops = chain_spring_term;
    p->spring_ops.lags = true;
    p->spring_ops.bind = bind_springs;
    pli_objective *objective = &p->chain.objective;
    objective->term_count = 0;
    pli_objective_add(objective, &chain_inertia_term, &p->chain.body);
    pli_objective_add(objective, &p->spring_ops, &p->springs);
    pli_objective_add(objective, &chain_contact_term, &p->chain.body);
    pli_objective_add(objective, &link_term, &p->chain.body);
    for (int32_t i = 0; i < POINTS; i += 5) p->chain.fixed[i] = (uint8_t)(i % 8);
    p->v = calloc(3 * POINTS, sizeof *p->v);
    p->whole = calloc(3 * POINTS, sizeof *p->whole);
    p->sum = calloc(3 * POINTS, sizeof *p->sum);
    assert_true(p->v != NULL && p->whole != NULL && p->sum != NULL);
    for (int32_t k = 0; k < 3 * POINTS; ++k) p->v[k] = cos(1.7 * k) + 0.2;
}

static void split_problem_clear(split_problem *p)
{
    free(p->v);
    free(p->whole);
    free(p->sum);
    chain_problem_clear(&p->chain);
    pli_context_destroy(p->context);
}

// H v at x by one matrix, and by two.
static void multiply_both(split_problem *p, const double *x)
{
    pli_objective *objective = &p->chain.objective;
    bool changed;
    OK(p->context, pli_objective_build_pattern(objective));
    assert_null(objective->lagged);
    assert_true(p->springs.matrix == objective->H);
    OK(p->context, pli_objective_prepare(objective, x, &changed));
    pli_objective_compute_hessian(objective, x, true);
    pli_objective_multiply_hessian(objective, p->v, p->whole);
    OK(p->context, pli_objective_build_split_pattern(objective));
    assert_true(p->springs.matrix == objective->lagged);
    OK(p->context, pli_objective_prepare(objective, x, &changed));
    pli_objective_compute_lagged(objective, x, true);
    pli_objective_compute_hessian(objective, x, true);
    pli_objective_multiply_hessian(objective, p->v, p->sum);
}

static void two_matrices_are_that_of_the_whole(void **state)
{
    (void)state;
    split_problem p;
    split_problem_init(&p, 2);
    multiply_both(&p, p.chain.x);
    // sums of the same numbers in another order, of at most some thousand
    for (int32_t k = 0; k < 3 * POINTS; ++k) NEAR(p.sum[k], p.whole[k], 0, 1e-11);
    // the pattern of the fresh one is a diagonal, with the links beside it
    const pli_objective *objective = &p.chain.objective;
    assert_int_equal(objective->H->block_count, POINTS);
    assert_int_equal(objective->H->extra.count, 2 * LINKS);
    assert_int_equal(objective->lagged->block_count, POINTS + 2 * (POINTS - 1));
    assert_int_equal(objective->lagged->extra.count, 0);
    split_problem_clear(&p);
}

// A matrix with the rows and columns of held coordinates gone.
static void fixed_coordinates_are_rows_of_the_unit_matrix(void **state)
{
    (void)state;
    split_problem p;
    split_problem_init(&p, 1);
    multiply_both(&p, p.chain.x);
    int32_t held = 0;
    for (int32_t k = 0; k < 3 * POINTS; ++k) {
        if (!(p.chain.fixed[k / 3] & (1u << k % 3))) continue;
        assert_true(p.sum[k] == p.v[k]);
        ++held;
    }
    AT_LEAST(held, 500);
    // columns: what held coordinates do is felt nowhere else
    for (int32_t k = 0; k < 3 * POINTS; ++k) {
        if (p.chain.fixed[k / 3] & (1u << k % 3)) p.v[k] += 100;
    }
    memcpy(p.whole, p.sum, 3 * POINTS * sizeof *p.sum);
    pli_objective_multiply_hessian(&p.chain.objective, p.v, p.sum);
    for (int32_t k = 0; k < 3 * POINTS; ++k) {
        bool fixed = p.chain.fixed[k / 3] & (1u << k % 3);
        if (!fixed) assert_true(p.sum[k] == p.whole[k]);
    }
    // the lagging part alone has nothing there, not even a diagonal
    const pli_bcsr *lagged = p.chain.objective.lagged;
    pli_bcsr_multiply(lagged, p.v, p.sum);
    for (int32_t k = 0; k < 3 * POINTS; ++k) {
        bool fixed = p.chain.fixed[k / 3] & (1u << k % 3);
        if (fixed) assert_true(p.sum[k] == 0);
    }
    split_problem_clear(&p);
}

static void what_lags_stays_until_it_is_computed(void **state)
{
    (void)state;
    split_problem p;
    split_problem_init(&p, 1);
    multiply_both(&p, p.chain.x);
    pli_objective *objective = &p.chain.objective;
    size_t bytes = 9 * (size_t)objective->lagged->block_count * sizeof(double);
    double *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, objective->lagged->values, bytes);
    // elsewhere the springs are others, and so is what touches the floor
    for (int32_t k = 0; k < POINTS; ++k) {
        p.chain.x[3 * k] *= 1.01;
        p.chain.x[3 * k + 2] -= 1;
    }
    double *diagonal = malloc(9 * POINTS * sizeof *diagonal);
    assert_non_null(diagonal);
    pli_bcsr_get_diagonal_blocks(objective->H, diagonal);
    pli_objective_compute_hessian(objective, p.chain.x, true);
    assert_true(memcmp(before, objective->lagged->values, bytes) == 0);
    assert_true(memcmp(diagonal, objective->H->values, 9 * POINTS * sizeof *diagonal) != 0);
    pli_objective_compute_lagged(objective, p.chain.x, true);
    assert_true(memcmp(before, objective->lagged->values, bytes) != 0);
    // and then both are those of the whole again
    memcpy(before, objective->lagged->values, bytes);
    multiply_both(&p, p.chain.x);
    for (int32_t k = 0; k < 3 * POINTS; ++k) NEAR(p.sum[k], p.whole[k], 0, 1e-11);
    assert_true(memcmp(before, objective->lagged->values, bytes) == 0);
    free(diagonal);
    free(before);
    split_problem_clear(&p);
}

static void terms_are_bound_to_their_own_matrix_at_every_build(void **state)
{
    (void)state;
    split_problem p;
    split_problem_init(&p, 1);
    pli_objective *objective = &p.chain.objective;
    for (int32_t k = 1; k <= 3; ++k) {
        OK(p.context, pli_objective_build_split_pattern(objective));
        assert_int_equal(p.springs.bindings, k);
        assert_true(p.springs.matrix == objective->lagged);
    }
    // as one matrix again: the other is gone
    OK(p.context, pli_objective_build_pattern(objective));
    assert_int_equal(p.springs.bindings, 4);
    assert_true(p.springs.matrix == objective->H);
    assert_null(objective->lagged);
    assert_int_equal(objective->H->block_count, POINTS + 2 * (POINTS - 1));
    split_problem_clear(&p);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        split_problem p;
        split_problem_init(&p, bits.threads);
        multiply_both(&p, p.chain.x);
        same_bits_keep(&bits, p.sum, 3 * POINTS * sizeof *p.sum);
        split_problem_clear(&p);
    }
}

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    int32_t ends[6] = {0, 1, 1, 2, 2, 3};
    chain body = {.point_count = 4, .ends = ends, .list = {2, 3, ends}};
    pli_term_ops lagging = chain_spring_term;
    lagging.lags = true;
    for (fault_sweep sweep = {.at_least = 10}; fault_sweep_next(&sweep);) {
        pli_objective objective;
        pli_objective_init(&objective, sweep.context, 4);
        pli_objective_add(&objective, &chain_inertia_term, &body);
        pli_objective_add(&objective, &lagging, &body);
        // the second time there is something to replace
        sweep.status = pli_objective_build_split_pattern(&objective);
        if (sweep.status == PLI_OK) sweep.status = pli_objective_build_split_pattern(&objective);
        pli_objective_clear(&objective);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_matrices_are_that_of_the_whole),
        cmocka_unit_test(fixed_coordinates_are_rows_of_the_unit_matrix),
        cmocka_unit_test(what_lags_stays_until_it_is_computed),
        cmocka_unit_test(terms_are_bound_to_their_own_matrix_at_every_build),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
