// SPDX-License-Identifier: Apache-2.0
//
// Springs as a term: derivatives, agreement with the element, the matrix of projective
// dynamics, what is refused, memory and bits.
#include "derivatives.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "fem/springs.h"
#include "material/spring.h"
#include "math/vec3.h"

enum { SIDE = 6, VERTICES = SIDE * SIDE, MOST = 6 * VERTICES, N = 3 * VERTICES };

// A grid of springs of many stiffnesses and lengths, and one pair that is joined twice.
typedef struct mesh {
    int32_t count;
    int32_t ends[2 * MOST];
    double stiffness[MOST];
    double rest_length[MOST];
} mesh;

static void add_spring(mesh *m, int32_t i, int32_t j, double length)
{
    pli_random random = {12, 1};
    uint64_t s = (uint64_t)m->count;
    m->ends[2 * m->count] = i;
    m->ends[2 * m->count + 1] = j;
    m->stiffness[m->count] = pli_random_range(random, 2 * s, 1, 100);
    m->rest_length[m->count] = length * pli_random_range(random, 2 * s + 1, 0.7, 1.3);
    ++m->count;
}

static void mesh_init(mesh *m)
{
    static const int32_t steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 0}};
    *m = (mesh){0};
    for (int32_t v = 0; v < VERTICES; ++v) {
        for (int k = 0; k < 4; ++k) {
            int32_t a = v % SIDE + steps[k][0];
            int32_t b = v / SIDE + steps[k][1];
            if (a < SIDE && b < SIDE)
                add_spring(m, v, a + SIDE * b, hypot(steps[k][0], steps[k][1]));
        }
    }
    add_spring(m, VERTICES - 1, 0, 5);
    add_spring(m, 0, VERTICES - 1, 7);
}

static pli_spring_net *mesh_net(const mesh *m, pli_context *context)
{
    pli_spring_def def = {VERTICES, m->count, m->ends, m->stiffness, m->rest_length};
    pli_spring_net *net = NULL;
    OK(context, pli_spring_net_create(context, &def, &net));
    return net;
}

static void random_points(uint64_t stream, double amount, double *x)
{
    pli_random random = {5, stream};
    for (int32_t k = 0; k < N; ++k) {
        double rest = k % 3 == 0 ? k / 3 % SIDE : k % 3 == 1 ? k / 3 / SIDE : 0;
        x[k] = rest + pli_random_range(random, (uint64_t)k, -amount, amount);
    }
}

typedef struct fixture {
    pli_context *context;
    mesh mesh;
    pli_spring_net *net;
    pli_bcsr *H;
    pli_lifted *S;
} fixture;

static void fixture_init(fixture *f, int32_t threads)
{
    f->context = make_context(threads);
    mesh_init(&f->mesh);
    f->net = mesh_net(&f->mesh, f->context);
    const pli_clique_list *cliques = pli_spring_term.get_cliques(f->net);
    OK(f->context, pli_bcsr_create(f->context, VERTICES, 1, cliques, &f->H));
    OK(f->context, pli_lifted_create(f->context, VERTICES, 1, cliques, &f->S));
    OK(f->context, pli_spring_term.bind(f->net, f->H));
}

static void fixture_clear(fixture *f)
{
    pli_lifted_destroy(f->S);
    pli_bcsr_destroy(f->H);
    pli_spring_net_destroy(f->net);
    pli_context_destroy(f->context);
}

static double case_energy(void *user, const double *x)
{
    return pli_sum_value(pli_spring_term.energy(((fixture *)user)->net, x));
}

static void case_gradient(void *user, const double *x, double *g)
{
    memset(g, 0, N * sizeof *g);
    pli_spring_term.add_gradient(((fixture *)user)->net, x, g);
}

static void case_multiply(void *user, const double *x, const double *d, double *Hd)
{
    fixture *f = user;
    pli_bcsr_set_zero(f->H);
    pli_spring_term.add_hessian(f->net, x, false, f->H);
    pli_bcsr_multiply(f->H, d, Hd);
}

static void gradient_and_hessian_are_derivatives_of_the_energy(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2);
    derivatives_case term = {.n = N,
                             .energy = case_energy,
                             .gradient = case_gradient,
                             .multiply = case_multiply,
                             .user = &f,
                             .scale = 0.1,
                             .magnitude = 1e4};
    double x[N];
    random_points(1, 0.1, x);
    CHECK_DERIVATIVES(&term, x, "a sheet");
    random_points(2, 2, x);
    CHECK_DERIVATIVES(&term, x, "crumpled");
    fixture_clear(&f);
}

// ---- the element, spring by spring

static void add_reference(const mesh *m, const double *x, pli_projection projection, double *energy,
                          double *g, pli_bcsr *H)
{
    for (int32_t s = 0; s < m->count; ++s) {
        int64_t i = m->ends[2 * s];
        int64_t j = m->ends[2 * s + 1];
        double d[3], e, f[3], B[9];
        pli_vec3_subtract(x + 3 * j, x + 3 * i, d);
        pli_springs one = {1, d, m->stiffness + s, m->rest_length + s};
        pli_springs_evaluate(&one, projection, &e, f, B);
        *energy += e;
        for (int k = 0; k < 3; ++k) {
            g[3 * i + k] -= f[k];
            g[3 * j + k] += f[k];
        }
        for (int pair = 0; pair < 4; ++pair) {
            int32_t row = m->ends[2 * s + pair / 2];
            int32_t column = m->ends[2 * s + pair % 2];
            double *block = H->values + 9 * pli_bcsr_find(H, row, column);
            for (int k = 0; k < 9; ++k) block[k] += row == column ? B[k] : -B[k];
        }
    }
}

static void the_term_is_the_sum_of_its_elements(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1);
    pli_bcsr *want = NULL;
    OK(f.context,
       pli_bcsr_create(f.context, VERTICES, 1, pli_spring_term.get_cliques(f.net), &want));
    for (int k = 0; k < 6; ++k) {
        double x[N], g[N], wanted[N] = {0}, energy = 0;
        random_points((uint64_t)k, 0.3 * (k + 1), x);
        // two vertices of a spring in one place, where no direction is special
        if (k == 3) pli_vec3_copy(x, x + 3);
        bool projected = k % 2 == 1;
        pli_bcsr_set_zero(want);
        pli_bcsr_set_zero(f.H);
        add_reference(&f.mesh, x, projected ? PLI_TANGENT_PROJECTED : PLI_TANGENT_EXACT, &energy,
                      wanted, want);
        case_gradient(&f, x, g);
        pli_spring_term.add_hessian(f.net, x, projected, f.H);
        // sums of a dozen terms of size 1e2 to 1e3 in another order
        NEAR(case_energy(&f, x), energy, 1e-14, 0);
        for (int32_t i = 0; i < N; ++i) NEAR(g[i], wanted[i], 0, 1e-12);
        for (int64_t i = 0; i < 9 * want->block_count; ++i) {
            NEAR(f.H->values[i], want->values[i], 1e-13, 1e-11);
        }
    }
    pli_bcsr_destroy(want);
    fixture_clear(&f);
}

static void weights_multiply_springs(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1);
    pli_bcsr *parts = NULL;
    OK(f.context,
       pli_bcsr_create(f.context, VERTICES, 1, pli_spring_term.get_cliques(f.net), &parts));
    double x[N], weights[MOST], rest[MOST];
    for (int32_t s = 0; s < f.mesh.count; ++s) {
        weights[s] = 0.01 * s;
        rest[s] = 1 - weights[s];
    }
    random_points(4, 0.5, x);
    pli_elements_add_weighted_hessian(&f.net->elements, x, true, weights, f.net->elements.slots,
                                      parts);
    pli_elements_add_weighted_hessian(&f.net->elements, x, true, rest, f.net->elements.slots,
                                      parts);
    pli_spring_term.add_hessian(f.net, x, true, f.H);
    for (int64_t i = 0; i < 9 * parts->block_count; ++i) {
        NEAR(parts->values[i], f.H->values[i], 1e-12, 1e-10);
    }
    pli_bcsr_destroy(parts);
    fixture_clear(&f);
}

// ---- projective dynamics

// d^T (S (x) I) d >= d^T H d for every d, with equality in the direction of springs that are alone.
static void the_lifted_matrix_bounds_the_hessian(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1);
    pli_lifted_set_zero(f.S);
    pli_spring_term.add_lifted(f.net, f.S);
    pli_lifted_close(f.S, NULL);
    pli_random random = {8, 2};
    double tightest = INFINITY;
    for (uint64_t trial = 0; trial < 300; ++trial) {
        double x[N], d[N], Hd[N], Sd[N];
        random_points(trial, trial % 3 == 0 ? 0.01 : 2, x);
        pli_bcsr_set_zero(f.H);
        pli_spring_term.add_hessian(f.net, x, trial % 2 == 0, f.H);
        for (uint64_t k = 0; k < N; ++k) {
            // directions that are all in the plane of the sheet, or that stretch it, come close
            d[k] =
                trial % 3 == 0 ? (k % 3 == 0 ? x[k] : 0) : pli_random_normal(random, N * trial + k);
        }
        pli_bcsr_multiply(f.H, d, Hd);
        pli_lifted_multiply(f.S, d, Sd);
        double bound = derivatives_dot(N, d, Sd);
        double value = derivatives_dot(N, d, Hd);
        AT_MOST(value, bound * (1 + 1e-12));
        tightest = fmin(tightest, 1 - value / bound);
    }
    // the bound is not a loose one: stretching along x, only diagonals resist less
    AT_MOST(tightest, 0.2);
    fixture_clear(&f);
}

static void translations_cost_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 1);
    pli_lifted_set_zero(f.S);
    pli_spring_term.add_lifted(f.net, f.S);
    pli_lifted_close(f.S, NULL);
    double x[N], d[N], y[N], g[N];
    for (int32_t k = 0; k < N; ++k) d[k] = k % 3 + 1;
    pli_lifted_multiply(f.S, d, y);
    for (int32_t k = 0; k < N; ++k) NEAR(y[k], 0, 0, 1e-11);
    // and springs exert no force as a whole
    random_points(3, 1, x);
    case_gradient(&f, x, g);
    double sum[3] = {0};
    for (int32_t k = 0; k < N; ++k) sum[k % 3] += g[k];
    for (int k = 0; k < 3; ++k) NEAR(sum[k], 0, 0, 1e-10);
    fixture_clear(&f);
}

// ---- reports, failures, bits

static void no_springs_have_no_energy(void **state)
{
    pli_context *context = *state;
    static const double x[9] = {0};
    pli_spring_def def = {.vertex_count = 3};
    pli_spring_net *net = NULL;
    OK(context, pli_spring_net_create(context, &def, &net));
    assert_true(pli_sum_value(pli_spring_term.energy(net, x)) == 0);
    pli_spring_net_destroy(net);
    pli_spring_net_destroy(NULL);
}

static void bad_springs_are_refused(void **state)
{
    static const struct {
        int32_t ends[2];
        double stiffness;
        double rest_length;
    } list[] = {{{0, 2}, 1, 1},   {{-1, 0}, 1, 1},       {{1, 1}, 1, 1},  {{0, 1}, -1, 1},
                {{0, 1}, 1, NAN}, {{0, 1}, INFINITY, 1}, {{0, 1}, 1, -1}, {{0, 1}, NAN, 1}};
    pli_context *context = *state;
    for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
        pli_spring_def def = {2, 1, list[k].ends, &list[k].stiffness, &list[k].rest_length};
        pli_spring_net *net = (pli_spring_net *)(uintptr_t)1;
        assert_int_equal(pli_spring_net_create(context, &def, &net), PLI_ERROR_ARGUMENT);
        assert_null(net);
    }
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    mesh m;
    mesh_init(&m);
    pli_spring_def springs = {VERTICES, m.count, m.ends, m.stiffness, m.rest_length};
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_spring_net *net = NULL;
        pli_bcsr *H = NULL;
        pli_status status = pli_spring_net_create(sweep.context, &springs, &net);
        if (status == PLI_OK) {
            status =
                pli_bcsr_create(sweep.context, VERTICES, 1, pli_spring_term.get_cliques(net), &H);
        }
        if (status == PLI_OK) status = pli_spring_term.bind(net, H);
        sweep.status = status;
        pli_bcsr_destroy(H);
        pli_spring_net_destroy(net);
    }
}

enum { LARGE = 120, LARGE_VERTICES = LARGE * LARGE };

// Energy, gradient and Hessian of a net of many blocks, as one number each.
static void digest_large(int32_t threads, double digest[3])
{
    static int32_t ends[4 * LARGE_VERTICES];
    static double values[2 * LARGE_VERTICES], x[3 * LARGE_VERTICES], g[3 * LARGE_VERTICES];
    int32_t count = 0;
    for (int32_t v = 0; v + LARGE < LARGE_VERTICES; ++v) {
        for (int k = 0; k < 2; ++k) {
            ends[2 * count] = v;
            ends[2 * count + 1] = v + (k == 0 ? 1 : LARGE);
            values[count++] = 1;
        }
    }
    pli_context *context = make_context(threads);
    pli_spring_def def = {LARGE_VERTICES, count, ends, values, values};
    pli_spring_net *net = NULL;
    pli_bcsr *H = NULL;
    OK(context, pli_spring_net_create(context, &def, &net));
    OK(context, pli_bcsr_create(context, LARGE_VERTICES, 1, pli_spring_term.get_cliques(net), &H));
    OK(context, pli_spring_term.bind(net, H));
    pli_random random = {9, 9};
    for (uint64_t k = 0; k < 3 * LARGE_VERTICES; ++k) x[k] = pli_random_range(random, k, -1, 1);
    memset(g, 0, sizeof g);
    int64_t before = pli_context_allocation_count(context);
    digest[0] = pli_sum_value(pli_spring_term.energy(net, x));
    pli_spring_term.add_gradient(net, x, g);
    pli_spring_term.add_hessian(net, x, true, H);
    assert_true(pli_context_allocation_count(context) == before);
    digest[1] = digest[2] = 0;
    for (int32_t k = 0; k < 3 * LARGE_VERTICES; ++k) digest[1] += (k % 7 + 1) * g[k];
    for (int64_t k = 0; k < 9 * H->block_count; ++k) {
        digest[2] += (double)(k % 11 + 1) * H->values[k];
    }
    pli_bcsr_destroy(H);
    pli_spring_net_destroy(net);
    pli_context_destroy(context);
}

static void results_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        double digest[3];
        digest_large(bits.threads, digest);
        same_bits_keep(&bits, digest, sizeof digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_hessian_are_derivatives_of_the_energy),
        cmocka_unit_test(the_term_is_the_sum_of_its_elements),
        cmocka_unit_test(weights_multiply_springs),
        cmocka_unit_test(the_lifted_matrix_bounds_the_hessian),
        cmocka_unit_test(translations_cost_nothing),
        TEST_IN_CONTEXT(no_springs_have_no_energy, 1),
        TEST_IN_CONTEXT(bad_springs_are_refused, 1),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
        cmocka_unit_test(results_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
