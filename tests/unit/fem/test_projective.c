// SPDX-License-Identifier: Apache-2.0
//
// Projective tetrahedra against the general elastic term with the same energy, their scalar matrix,
// and the descent that it promises.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "base/random.h"
#include "fem/elastic.h"
#include "fem/projective.h"
#include "geometry/generate/grid_mesh.h"
#include "material/lame.h"
#include "material/laws.h"
#include "math/mat3.h"

enum { CELLS = 5 }; // 625 tetrahedra: two full chunks and one that ends inside a block

// A box of tetrahedra with moduli that vary, as both terms.
typedef struct fixture {
    pli_context *context;
    pli_tet_mesh *mesh;
    int32_t n; // unknowns
    double *mu;
    double *params;
    int32_t *laws;
    pli_projective *projective;
    pli_elastic *elastic;
    pli_lifted *S;
    double *x;
    double *g;
    double *h;
} fixture;

static double *new_doubles(int64_t count)
{
    assert_true(count >= 0);
    double *made = calloc((size_t)count, sizeof(double));
    assert_non_null(made);
    return made;
}

static pli_tet_mesh *make_box(pli_context *context, int32_t cells)
{
    pli_grid_mesh_def grid = {{{0, 0, 0}, {1, 1, 1}}, {cells, cells, cells}, PLI_GRID_MESH_FIVE};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_grid_mesh_create(context, &grid, &mesh));
    return mesh;
}

// A general elastic term with one law and the Lame constants mu and ratio mu.
static pli_elastic *make_elastic(const fixture *f, const pli_material_ops *law, double ratio)
{
    for (int32_t tet = 0; tet < f->mesh->tet_count; ++tet) {
        f->params[PLI_ELASTIC_PARAMS * tet + PLI_LAME_MU] = f->mu[tet];
        f->params[PLI_ELASTIC_PARAMS * tet + PLI_LAME_LAMBDA] = ratio * f->mu[tet];
    }
    pli_elastic_def def = {.vertex_count = f->mesh->vertex_count,
                           .tet_count = f->mesh->tet_count,
                           .rest = f->mesh->points,
                           .tets = f->mesh->tets,
                           .law_count = 1,
                           .laws = &law,
                           .law_of_tet = f->laws,
                           .params = f->params};
    pli_elastic *elastic = NULL;
    OK(f->context, pli_elastic_create(f->context, &def, &elastic));
    return elastic;
}

static pli_projective_def projective_def(const fixture *f)
{
    return (pli_projective_def){f->mesh->vertex_count, f->mesh->tet_count, f->mesh->points,
                                f->mesh->tets, f->mu};
}

static void fixture_init(fixture *f, int32_t cells, int32_t threads)
{
    f->context = make_context(threads);
    f->mesh = make_box(f->context, cells);
    int32_t tet_count = f->mesh->tet_count;
    f->n = 3 * f->mesh->vertex_count;
    f->mu = new_doubles(tet_count);
    f->params = new_doubles((int64_t)PLI_ELASTIC_PARAMS * tet_count);
    f->laws = calloc((size_t)tet_count, sizeof *f->laws);
    pli_random random = {3, 1};
    for (int32_t tet = 0; tet < tet_count; ++tet) {
        f->mu[tet] = 1e5 * pli_random_range(random, (uint64_t)tet, 0.5, 2);
    }
    pli_projective_def def = projective_def(f);
    OK(f->context, pli_projective_create(f->context, &def, &f->projective));
    f->elastic = make_elastic(f, &pli_law_corotated, 0);
    const pli_clique_list *list = pli_projective_term.get_cliques(f->projective);
    OK(f->context, pli_lifted_create(f->context, f->n / 3, 1, list, &f->S));
    f->x = new_doubles(f->n);
    f->g = new_doubles(f->n);
    f->h = new_doubles(f->n);
}

static void fixture_clear(fixture *f)
{
    free(f->h);
    free(f->g);
    free(f->x);
    pli_lifted_destroy(f->S);
    pli_elastic_destroy(f->elastic);
    pli_projective_destroy(f->projective);
    free(f->laws);
    free(f->params);
    free(f->mu);
    pli_tet_mesh_destroy(f->mesh);
    pli_context_destroy(f->context);
}

// x: at rest, each coordinate moved by up to amount, and all by offset
static void scatter_positions(const fixture *f, double amount, double offset)
{
    pli_random random = {9, 2};
    for (int32_t k = 0; k < f->n; ++k) {
        f->x[k] =
            f->mesh->points[k] + offset + pli_random_range(random, (uint64_t)k, -amount, amount);
    }
}

static void assemble(const fixture *f, const pli_term_ops *ops, void *self)
{
    pli_lifted_set_zero(f->S);
    ops->add_lifted(self, f->S);
    pli_lifted_close(f->S, NULL);
}

// A force that a strain of 1 would give: the largest diagonal entry of S over one cell.
static double force_scale(const fixture *f)
{
    assemble(f, &pli_projective_term, f->projective);
    double largest = 0;
    for (int32_t row = 0; row < f->S->row_count; ++row) {
        largest = fmax(largest, f->S->values[f->S->diagonal[row]]);
    }
    return largest / CELLS;
}

// ---- energy and forces

static void forces_and_energy_equal_those_of_the_corotated_law(void **state)
{
    (void)state;
    // mildly deformed, half of the tetrahedra inverted, far away (where doubles have 1e-12 left,
    // still far below the noise of floats)
    static const double amounts[3] = {0.02, 0.3, 0.05};
    static const double offsets[3] = {0, 0, 1e4};
    fixture f;
    fixture_init(&f, CELLS, 2);
    double scale = force_scale(&f);
    for (int k = 0; k < 3; ++k) {
        scatter_positions(&f, amounts[k], offsets[k]);
        memset(f.g, 0, (size_t)f.n * sizeof *f.g);
        memset(f.h, 0, (size_t)f.n * sizeof *f.h);
        pli_projective_term.add_gradient(f.projective, f.x, f.g);
        pli_elastic_term.add_gradient(f.elastic, f.x, f.h);
        for (int32_t i = 0; i < f.n; ++i) NEAR(f.g[i], f.h[i], 0, 1e-6 * scale);
        double energy = pli_sum_value(pli_elastic_term.energy(f.elastic, f.x));
        NEAR(pli_sum_value(pli_projective_term.energy(f.projective, f.x)), energy, 1e-6, 0);
    }
    fixture_clear(&f);
}

static void gradients_are_added_to_what_is_there(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 1);
    scatter_positions(&f, 0.1, 0);
    for (int32_t i = 0; i < f.n; ++i) f.g[i] = i;
    pli_projective_term.add_gradient(f.projective, f.x, f.g);
    pli_projective_term.add_gradient(f.projective, f.x, f.h);
    for (int32_t i = 0; i < f.n; ++i) NEAR(f.g[i] - i, f.h[i], 0, 1e-9 * (1 + fabs(f.h[i])));
    fixture_clear(&f);
}

static void internal_forces_have_no_resultant(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 1);
    scatter_positions(&f, 0.2, 0);
    pli_projective_term.add_gradient(f.projective, f.x, f.g);
    double sum[3] = {0};
    for (int32_t i = 0; i < f.n; ++i) sum[i % 3] += f.g[i];
    // forces of a tetrahedron balance in double, whatever the floats were
    for (int c = 0; c < 3; ++c) NEAR(sum[c], 0, 0, 1e-12 * force_scale(&f));
    fixture_clear(&f);
}

static void rigid_motions_cost_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 1);
    double scale = force_scale(&f);
    double axis[3] = {0.6, 0, 0.8};
    for (int step = 0; step < 8; ++step) {
        double Q[9];
        pli_mat3_rotation(axis, 0.9 * step, Q);
        for (int32_t v = 0; v < f.n / 3; ++v) {
            pli_mat3_apply(Q, f.mesh->points + 3 * v, f.x + 3 * v);
        }
        memset(f.g, 0, (size_t)f.n * sizeof *f.g);
        pli_projective_term.add_gradient(f.projective, f.x, f.g);
        for (int32_t i = 0; i < f.n; ++i) NEAR(f.g[i], 0, 0, 1e-6 * scale);
        // strains of 1e-7 squared
        double energy = pli_sum_value(pli_projective_term.energy(f.projective, f.x));
        AT_MOST(energy, 1e5 * 1e-12);
    }
    fixture_clear(&f);
}

static void reports_agree_with_the_general_term(void **state)
{
    (void)state;
    static const double amounts[3] = {0, 0.05, 0.3};
    fixture f;
    fixture_init(&f, CELLS, 2);
    double *J = new_doubles(f.mesh->tet_count);
    for (int k = 0; k < 3; ++k) {
        scatter_positions(&f, amounts[k], 0);
        pli_projective_report report;
        pli_projective_measure(f.projective, f.x, &report);
        pli_elastic_measure(f.elastic, f.x, J);
        double min_J = INFINITY;
        int64_t inverted = 0;
        for (int32_t tet = 0; tet < f.mesh->tet_count; ++tet) {
            min_J = fmin(min_J, J[tet]);
            inverted += J[tet] < 0;
        }
        // products of three entries of size up to 4
        NEAR(report.min_J, min_J, 1e-6, 1e-5);
        assert_int_equal(report.inverted, inverted);
        double energy = pli_sum_value(pli_projective_term.energy(f.projective, f.x));
        assert_memory_equal(&report.energy, &energy, sizeof energy);
    }
    free(J);
    fixture_clear(&f);
}

static void positions_that_are_not_finite_show_in_energy_and_forces(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 1);
    scatter_positions(&f, 0.1, 0);
    f.x[17] = NAN;
    bool finite = isfinite(pli_sum_value(pli_projective_term.energy(f.projective, f.x)));
    assert_false(finite);
    pli_projective_term.add_gradient(f.projective, f.x, f.g);
    finite = isfinite(f.g[17]);
    assert_false(finite);
    // a tetrahedron without that vertex is none the worse for it
    finite = isfinite(f.g[f.n - 1]);
    assert_true(finite);
    fixture_clear(&f);
}

// ---- matrices

// Symmetric, and zero for translations.
static void check_lifted(const fixture *f)
{
    const pli_lifted *S = f->S;
    for (int32_t row = 0; row < S->row_count; ++row) {
        double sum = 0;
        double diagonal = S->values[S->diagonal[row]];
        assert_true(diagonal > 0);
        for (int64_t slot = S->row_start[row]; slot < S->row_start[row + 1]; ++slot) {
            int64_t mirror = pli_lifted_find(S, S->column[slot], row);
            NEAR(S->values[slot], S->values[mirror], 0, 1e-13 * diagonal);
            sum += S->values[slot];
        }
        NEAR(sum, 0, 0, 1e-12 * diagonal);
    }
}

static void scalar_matrices_are_symmetric_without_row_sums(void **state)
{
    (void)state;
    static const pli_material_ops *const laws[] = {&pli_law_corotated, &pli_law_fixed_corotated,
                                                   &pli_law_stable_neo_hookean,
                                                   &pli_law_neo_hookean, &pli_law_hencky};
    fixture f;
    fixture_init(&f, CELLS, 2);
    assemble(&f, &pli_projective_term, f.projective);
    check_lifted(&f);
    int64_t size = f.S->entry_count;
    double *reference = new_doubles(size);
    memcpy(reference, f.S->values, (size_t)size * sizeof *reference);
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        // lambda = 3 mu: weights 5 mu where the projective term has 2 mu
        pli_elastic *elastic = make_elastic(&f, laws[k], 3);
        assemble(&f, &pli_elastic_term, elastic);
        check_lifted(&f);
        for (int64_t slot = 0; slot < size; ++slot) {
            NEAR(f.S->values[slot], 2.5 * reference[slot], 1e-9, 1e-6);
        }
        pli_elastic_destroy(elastic);
    }
    assemble(&f, &pli_elastic_term, f.elastic);
    for (int64_t slot = 0; slot < size; ++slot) {
        NEAR(f.S->values[slot], reference[slot], 1e-12, 1e-9);
    }
    free(reference);
    fixture_clear(&f);
}

static pli_bcsr *bind_hessian(const fixture *f)
{
    pli_bcsr *H = NULL;
    const pli_clique_list *list = pli_projective_term.get_cliques(f->projective);
    OK(f->context, pli_bcsr_create(f->context, f->n / 3, 1, list, &H));
    OK(f->context, pli_projective_term.bind(f->projective, H));
    OK(f->context, pli_elastic_term.bind(f->elastic, H));
    return H;
}

static double dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// d . A d with scratch in f->h
static double quadratic(const fixture *f, const pli_bcsr *H, const double *d)
{
    if (H != NULL) {
        pli_bcsr_multiply(H, d, f->h);
    } else {
        pli_lifted_multiply(f->S, d, f->h);
    }
    return dot(f->n, d, f->h);
}

static void hessians_equal_those_of_the_corotated_law(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 2);
    pli_bcsr *H = bind_hessian(&f);
    int64_t size = 9 * H->block_count;
    double *mine = new_doubles(size);
    for (int projected = 0; projected < 2; ++projected) {
        scatter_positions(&f, 0.1, 0);
        pli_bcsr_set_zero(H);
        pli_projective_term.add_hessian(f.projective, f.x, projected, H);
        memcpy(mine, H->values, (size_t)size * sizeof *mine);
        pli_bcsr_set_zero(H);
        pli_elastic_term.add_hessian(f.elastic, f.x, projected, H);
        // sums of the same numbers in another order; twists divide by sums of singular values
        for (int64_t k = 0; k < size; ++k) NEAR(mine[k], H->values[k], 1e-9, 1e-6);
    }
    free(mine);
    pli_bcsr_destroy(H);
    fixture_clear(&f);
}

static void scalar_matrix_bounds_the_hessian_everywhere(void **state)
{
    (void)state;
    static const double amounts[4] = {0, 0.05, 0.2, 1};
    fixture f;
    fixture_init(&f, 3, 1);
    assemble(&f, &pli_projective_term, f.projective);
    pli_bcsr *H = bind_hessian(&f);
    pli_random random = {5, 5};
    for (int k = 0; k < 4; ++k) {
        scatter_positions(&f, amounts[k], 0);
        pli_bcsr_set_zero(H);
        pli_projective_term.add_hessian(f.projective, f.x, false, H);
        for (uint64_t trial = 0; trial < 50; ++trial) {
            uint64_t first = trial * (uint64_t)f.n;
            for (int32_t i = 0; i < f.n; ++i) {
                f.g[i] = pli_random_normal(random, first + (uint64_t)i);
            }
            double above = quadratic(&f, NULL, f.g);
            AT_MOST(quadratic(&f, H, f.g), above * (1 + 1e-12));
        }
    }
    pli_bcsr_destroy(H);
    fixture_clear(&f);
}

static void scalar_matrix_is_the_hessian_of_stretches_at_rest(void **state)
{
    (void)state;
    // symmetric gradients do not turn the element, so that nothing is lost to the rotation
    static const double A[9] = {1, 0.3, -0.2, 0.3, -0.5, 0.4, -0.2, 0.4, 0.7};
    fixture f;
    fixture_init(&f, 3, 1);
    assemble(&f, &pli_projective_term, f.projective);
    pli_bcsr *H = bind_hessian(&f);
    scatter_positions(&f, 0, 0);
    pli_projective_term.add_hessian(f.projective, f.x, false, H);
    for (int32_t v = 0; v < f.n / 3; ++v) pli_mat3_apply(A, f.mesh->points + 3 * v, f.g + 3 * v);
    double want = quadratic(&f, NULL, f.g);
    NEAR(quadratic(&f, H, f.g), want, 1e-10, 0);
    pli_bcsr_destroy(H);
    fixture_clear(&f);
}

// ---- descent

// Conjugate gradients on S + diag(mass), to rounding.
static void solve(const fixture *f, double mass, const double *b, double *d)
{
    double *r = new_doubles(f->n);
    double *p = new_doubles(f->n);
    memset(d, 0, (size_t)f->n * sizeof *d);
    memcpy(r, b, (size_t)f->n * sizeof *r);
    memcpy(p, b, (size_t)f->n * sizeof *p);
    double rr = dot(f->n, r, r);
    double goal = 1e-24 * rr;
    for (int k = 0; k < 4 * f->n && rr > goal; ++k) {
        pli_lifted_multiply(f->S, p, f->h);
        for (int32_t i = 0; i < f->n; ++i) f->h[i] += mass * p[i];
        double alpha = rr / dot(f->n, p, f->h);
        for (int32_t i = 0; i < f->n; ++i) d[i] += alpha * p[i];
        for (int32_t i = 0; i < f->n; ++i) r[i] -= alpha * f->h[i];
        double next = dot(f->n, r, r);
        for (int32_t i = 0; i < f->n; ++i) p[i] = r[i] + next / rr * p[i];
        rr = next;
    }
    assert_true(rr <= goal);
    free(p);
    free(r);
}

// E(x) = 1/2 mass |x - y|^2 + elastic energy, y the state before
static double total_energy(const fixture *f, double mass, const double *y)
{
    double inertia = 0;
    for (int32_t i = 0; i < f->n; ++i) inertia += (f->x[i] - y[i]) * (f->x[i] - y[i]);
    return 0.5 * mass * inertia + pli_sum_value(pli_projective_term.energy(f->projective, f->x));
}

static void iterations_with_the_matrix_never_raise_the_energy(void **state)
{
    (void)state;
    const double mass = 1e4;
    fixture f;
    fixture_init(&f, 3, 1);
    assemble(&f, &pli_projective_term, f.projective);
    // tangled: half of the tetrahedra are inverted
    scatter_positions(&f, 0.4, 0);
    double *y = new_doubles(f.n);
    double *d = new_doubles(f.n);
    memcpy(y, f.x, (size_t)f.n * sizeof *y);
    double first = total_energy(&f, mass, y);
    double energy = first;
    for (int k = 0; k < 40; ++k) {
        for (int32_t i = 0; i < f.n; ++i) f.g[i] = mass * (f.x[i] - y[i]);
        pli_projective_term.add_gradient(f.projective, f.x, f.g);
        for (int32_t i = 0; i < f.n; ++i) f.g[i] = -f.g[i];
        solve(&f, mass, f.g, d);
        for (int32_t i = 0; i < f.n; ++i) f.x[i] += d[i];
        double next = total_energy(&f, mass, y);
        // strains are good to some 1e-7
        AT_MOST(next, energy * (1 + 1e-6));
        energy = next;
    }
    AT_MOST(energy, 0.5 * first);
    free(d);
    free(y);
    fixture_clear(&f);
}

// ---- threads, memory, errors

static void results_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        fixture f;
        fixture_init(&f, 12, bits.threads);
        scatter_positions(&f, 0.05, 0);
        pli_projective_term.add_gradient(f.projective, f.x, f.g);
        pli_projective_report report;
        pli_projective_measure(f.projective, f.x, &report);
        same_bits_keep(&bits, f.g, (size_t)f.n * sizeof *f.g);
        same_bits_keep_double(&bits, report.energy);
        fixture_clear(&f);
    }
}

static void order_of_the_tetrahedra_hardly_matters(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 1);
    scatter_positions(&f, 0.1, 0);
    pli_projective_term.add_gradient(f.projective, f.x, f.g);
    // reversed
    int32_t count = f.mesh->tet_count;
    int32_t *tets = calloc(4 * (size_t)count, sizeof *tets);
    double *mu = new_doubles(count);
    for (int32_t tet = 0; tet < count; ++tet) {
        memcpy(tets + 4 * tet, f.mesh->tets + 4 * (count - 1 - tet), 4 * sizeof *tets);
        mu[tet] = f.mu[count - 1 - tet];
    }
    pli_projective_def def = {f.n / 3, count, f.mesh->points, tets, mu};
    pli_projective *other = NULL;
    OK(f.context, pli_projective_create(f.context, &def, &other));
    pli_projective_term.add_gradient(other, f.x, f.h);
    // sums in double of the same floats
    double scale = force_scale(&f);
    for (int32_t i = 0; i < f.n; ++i) NEAR(f.g[i], f.h[i], 0, 1e-6 * scale);
    pli_projective_destroy(other);
    free(mu);
    free(tets);
    fixture_clear(&f);
}

static void wrong_input_is_refused_by_name(void **state)
{
    static const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t good[4] = {0, 1, 2, 3};
    static const int32_t turned[4] = {0, 2, 1, 3};
    static const int32_t outside[4] = {0, 1, 2, 4};
    static const double moduli[4] = {1, 0, -1, NAN};
    pli_context *context = *state;
    pli_projective *made = NULL;
    pli_projective_def def = {4, 1, rest, turned, moduli};
    assert_int_equal(pli_projective_create(context, &def, &made), PLI_ERROR_MESH);
    def.tets = outside;
    assert_int_equal(pli_projective_create(context, &def, &made), PLI_ERROR_ARGUMENT);
    def.tets = good;
    for (int k = 1; k < 4; ++k) {
        def.mu = &moduli[k];
        assert_int_equal(pli_projective_create(context, &def, &made), PLI_ERROR_ARGUMENT);
        assert_null(made);
    }
    pli_projective_destroy(NULL);
}

static void nothing_at_all_is_a_legal_mesh(void **state)
{
    pli_context *context = *state;
    pli_projective *made = NULL;
    pli_projective_def def = {0};
    OK(context, pli_projective_create(context, &def, &made));
    pli_projective_report report;
    pli_projective_measure(made, NULL, &report);
    pli_projective_term.add_gradient(made, NULL, NULL);
    NEAR(report.energy, 0, 0, 0);
    assert_int_equal(report.inverted, 0);
    pli_projective_destroy(made);
}

// Creation and binding with the n-th allocation failing.
static pli_status attempt(pli_context *context, const fixture *f, const pli_bcsr *H)
{
    pli_projective *made = NULL;
    pli_projective_def def = projective_def(f);
    pli_status status = pli_projective_create(context, &def, &made);
    assert_int_equal(made == NULL, status != PLI_OK);
    if (status == PLI_OK) status = pli_projective_term.bind(made, H);
    pli_projective_destroy(made);
    return status;
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, 2, 1);
    pli_bcsr *H = bind_hessian(&f);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = attempt(sweep.context, &f, H);
    }
    pli_bcsr_destroy(H);
    fixture_clear(&f);
}

static void forces_and_reports_allocate_nothing(void **state)
{
    (void)state;
    fixture f;
    fixture_init(&f, CELLS, 2);
    scatter_positions(&f, 0.1, 0);
    int64_t calls = pli_context_allocation_count(f.context);
    pli_projective_report report;
    pli_projective_term.add_gradient(f.projective, f.x, f.g);
    pli_projective_measure(f.projective, f.x, &report);
    assert_int_equal(pli_context_allocation_count(f.context), calls);
    fixture_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_and_energy_equal_those_of_the_corotated_law),
        cmocka_unit_test(gradients_are_added_to_what_is_there),
        cmocka_unit_test(internal_forces_have_no_resultant),
        cmocka_unit_test(rigid_motions_cost_nothing),
        cmocka_unit_test(reports_agree_with_the_general_term),
        cmocka_unit_test(positions_that_are_not_finite_show_in_energy_and_forces),
        cmocka_unit_test(scalar_matrices_are_symmetric_without_row_sums),
        cmocka_unit_test(hessians_equal_those_of_the_corotated_law),
        cmocka_unit_test(scalar_matrix_bounds_the_hessian_everywhere),
        cmocka_unit_test(scalar_matrix_is_the_hessian_of_stretches_at_rest),
        cmocka_unit_test(iterations_with_the_matrix_never_raise_the_energy),
        cmocka_unit_test(results_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(order_of_the_tetrahedra_hardly_matters),
        TEST_IN_CONTEXT(wrong_input_is_refused_by_name, 1),
        TEST_IN_CONTEXT(nothing_at_all_is_a_legal_mesh, 1),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
        cmocka_unit_test(forces_and_reports_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
