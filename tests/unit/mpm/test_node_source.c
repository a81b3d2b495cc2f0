// SPDX-License-Identifier: Apache-2.0
//
// Directions for implicit steps: what they solve and how well, what held nodes leave of them, with
// a matrix and without, for all preconditioners and rules (X13 to X17, H7, H9, O3, O14).
#include "implicit_world.h"
#include "support/same_bits.h"

#include "linear/matrix/vector.h"

// What directions are about: nodes of a block, held and free ones, and a place to linearise at.
typedef struct parts {
    block *b;
    pli_cloud *cloud;
    pli_implicit *implicit;  // that sources use
    pli_implicit *reference; // for products of the test's own
    pli_node_hold *hold;
    double *mass, *inertia; // [nodes]
    double *v, *x, *g;      // [nodes][3]
    int64_t n;              // 3 nodes
    pli_node_step step;
    pli_cloud_source particles;
} parts;

static double *random_vector(const parts *p, uint64_t stream)
{
    double *v = malloc((size_t)p->n * sizeof *v);
    assert_non_null(v);
    for (int64_t k = 0; k < p->n; ++k) {
        v[k] = pli_random_range((pli_random){21, stream}, (uint64_t)k, -1, 1);
    }
    return v;
}

static parts make_parts(block *b, double h)
{
    parts p = {.b = b, .particles = block_source(b)};
    block_start_colliders(b);
    OK(b->context, pli_cloud_create(b->context, &b->def.cloud, &p.cloud));
    OK(b->context, pli_implicit_create(b->context, p.cloud, BLOCK_KINDS, b->kinds, &p.implicit));
    OK(b->context, pli_implicit_create(b->context, p.cloud, BLOCK_KINDS, b->kinds, &p.reference));
    OK(b->context, pli_node_hold_create(b->context, b->colliders, &p.hold));
    OK(b->context, pli_cloud_build(p.cloud, &p.particles));
    OK(b->context, pli_implicit_begin(p.implicit));
    OK(b->context, pli_implicit_begin(p.reference));
    int32_t nodes = p.cloud->nodes->count;
    p.n = 3 * (int64_t)nodes;
    p.mass = malloc((size_t)nodes * sizeof(double));
    p.inertia = malloc((size_t)nodes * sizeof(double));
    p.v = malloc((size_t)p.n * sizeof(double));
    pli_cloud_to_nodes(p.cloud, true, p.mass, p.v);
    p.x = random_vector(&p, 1);
    for (int64_t k = 0; k < p.n; ++k) {
        p.v[k] /= p.mass[k / 3];
        p.inertia[k / 3] = p.mass[k / 3] / (h * h);
        p.x[k] *= 1e-3;
    }
    OK(b->context, pli_node_hold_build(p.hold, p.cloud->nodes, p.mass, p.v));
    p.g = random_vector(&p, 2);
    for (int32_t k = 0; k < p.hold->count; ++k) {
        double *at = p.g + 3 * (int64_t)p.hold->nodes[k], whole[3] = {at[0], at[1], at[2]};
        pli_mat3_apply(p.hold->tangents + 9 * k, whole, at);
    }
    p.step = (pli_node_step){.h = h, .tau = 1e-3, .inertia = p.inertia, .hold = p.hold};
    p.step.particles = &p.particles;
    return p;
}

static void clear_parts(parts *p)
{
    pli_node_hold_destroy(p->hold);
    pli_implicit_destroy(p->reference);
    pli_implicit_destroy(p->implicit);
    pli_cloud_destroy(p->cloud);
    free(p->mass);
    free(p->inertia);
    free(p->v);
    free(p->x);
    free(p->g);
    block_destroy(p->b);
}

// A block that moves into objects around it.
static block *make_held_block(int32_t threads)
{
    block *b = block_make(threads, 4);
    block_add_holders(b);
    block_deform(b, 0.1);
    for (int64_t k = 0; k < b->count; ++k) pli_vec3_set(-1, -2, -3, b->velocity + 3 * k);
    return b;
}

static pli_node_source *make_source(const parts *p, pli_node_source_def def)
{
    pli_node_source *source = NULL;
    pli_context *context = p->b->context;
    OK(context, pli_node_source_create(context, &def, p->implicit, &source));
    OK(context, pli_node_source_begin_step(source, &p->step));
    return source;
}

static void prepare(const parts *p, pli_node_source *source)
{
    pli_direction_matrix made = {0};
    pli_direction_source get = pli_node_source_get(source);
    get.ops->begin(get.self);
    pli_direction_point at = {.x = p->x, .alpha = 1};
    OK(p->b->context, get.ops->prepare(get.self, &at, &made));
    assert_true(made.usable);
}

static int32_t solve(const parts *p, pli_node_source *source, const double *g, double *d)
{
    pli_direction_report report = {0};
    pli_direction_source get = pli_node_source_get(source);
    for (int64_t k = 0; k < p->n; ++k) d[k] = NAN;
    OK(p->b->context, get.ops->solve(get.self, g, 0, p->b->scratch, d, &report));
    return report.linear_iterations;
}

// The direction for p->g of a source that is made for the purpose.
static double *find_direction(const parts *p, pli_node_source_def def)
{
    double *d = malloc((size_t)p->n * sizeof *d);
    pli_node_source *source = make_source(p, def);
    prepare(p, source);
    solve(p, source, p->g, d);
    pli_node_source_destroy(source);
    return d;
}

static double dot(const parts *p, const double *a, const double *b)
{
    return pli_vector_dot(p->b->context, p->n, a, b);
}

static void restrict_vector(const parts *p, double *v)
{
    for (int32_t k = 0; k < p->hold->count; ++k) {
        double *at = v + 3 * (int64_t)p->hold->nodes[k], whole[3] = {at[0], at[1], at[2]};
        pli_mat3_apply(p->hold->tangents + 9 * k, whole, at);
    }
}

// r = T (g + H T d)
static double *make_residual(const parts *p, bool projected, const double *d)
{
    double *r = malloc((size_t)p->n * sizeof *r), *Td = malloc((size_t)p->n * sizeof *Td);
    memcpy(Td, d, (size_t)p->n * sizeof *Td);
    restrict_vector(p, Td);
    for (int64_t k = 0; k < p->n; ++k) r[k] = p->g[k] + p->inertia[k / 3] * Td[k];
    OK(p->b->context, pli_implicit_prepare(p->reference, p->x, projected));
    pli_implicit_multiply(p->reference, Td, r);
    restrict_vector(p, r);
    free(Td);
    return r;
}

static pli_node_source_def describe(pli_node_preconditioner preconditioner, bool assembled)
{
    pli_node_source_def def = {.assembled = assembled,
                               .projected = true,
                               .preconditioner = preconditioner,
                               .rule = PLI_NODE_FIXED,
                               .tolerance = 1e-6,
                               .max_iterations = 10000,
                               .multigrid = pli_node_multigrid_def_default()};
    // a cycle that is linear to rounding
    def.multigrid.direct = true;
    def.multigrid.level_count = 2;
    return def;
}

// Every way to get a direction.
typedef struct way {
    pli_node_preconditioner preconditioner;
    bool assembled;
} way;

static const way ways[] = {
    {PLI_NODE_BLOCK_JACOBI, true},  {PLI_NODE_BLOCK_JACOBI, false}, {PLI_NODE_REST_DIAGONAL, false},
    {PLI_NODE_REST_DIAGONAL, true}, {PLI_NODE_SWEEP, true},         {PLI_NODE_EMBEDDED_CYCLE, true},
};

enum { WAYS = sizeof ways / sizeof *ways };

// ---- solutions

// sqrt(r.B r) with the B of a source
static double norm_of(const parts *p, pli_node_source *B, const double *r)
{
    double *z = malloc((size_t)p->n * sizeof *z);
    solve(p, B, r, z);
    double square = -dot(p, r, z);
    free(z);
    AT_LEAST(square, 0);
    return sqrt(square);
}

// The norm of the residual over that of the gradient, in the norm of the preconditioner.
static double reached(const parts *p, pli_node_source_def def, const double *d)
{
    def.rule = PLI_NODE_ONCE;
    pli_node_source *B = make_source(p, def);
    prepare(p, B);
    double *r = make_residual(p, def.projected, d);
    double part = norm_of(p, B, r) / norm_of(p, B, p->g);
    pli_node_source_destroy(B);
    free(r);
    return part;
}

static void solves_are_as_good_as_promised(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    assert_true(p.hold->count > 50);
    for (int w = 0; w < WAYS; ++w) {
        for (int minres = 0; minres < 2; ++minres) {
            pli_node_source_def def = describe(ways[w].preconditioner, ways[w].assembled);
            def.minres = minres == 1;
            double *d = find_direction(&p, def);
            // recurrences lose some digits of the residual, of 1e-6 hardly any
            AT_MOST(reached(&p, def, d), 1.001e-6);
            AT_MOST(dot(&p, d, p.g), 0);
            free(d);
        }
    }
    clear_parts(&p);
}

// Half of the residual, or what the gradient deserves, in the norm of block Jacobi.
static void rules_choose_the_tolerance(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    for (int assembled = 0; assembled < 2; ++assembled) {
        pli_node_source_def def = describe(PLI_NODE_BLOCK_JACOBI, assembled == 1);
        pli_node_source_def once = def;
        once.rule = PLI_NODE_ONCE;
        pli_node_source *B = make_source(&p, once);
        prepare(&p, B);
        double size = norm_of(&p, B, p.g), length = sqrt(dot(&p, p.g, p.g));
        pli_node_source_destroy(B);
        for (pli_node_rule rule = PLI_NODE_HALF; rule <= PLI_NODE_LENGTH; ++rule) {
            // gradients of all sizes: small ones deserve more, down to what tau allows
            double before = 1;
            for (double scale = 1e-8; scale < 1e3; scale *= 10) {
                for (int64_t k = 0; k < p.n; ++k) p.g[k] *= scale;
                double norm = rule == PLI_NODE_INEXACT ? size : p.step.h * length;
                double want = fmin(0.5, sqrt(fmax(scale * norm, p.step.tau)));
                if (rule == PLI_NODE_HALF) want = 0.5;
                def.rule = rule;
                double *d = find_direction(&p, def);
                double got = reached(&p, def, d);
                AT_MOST(got, want * (1 + 1e-9));
                // and no more than an iteration or so better than that
                AT_LEAST(got, 0.1 * want);
                if (scale <= 1e-8) before = got;
                AT_LEAST(got, 0.5 * before);
                free(d);
                for (int64_t k = 0; k < p.n; ++k) p.g[k] /= scale;
            }
        }
    }
    clear_parts(&p);
}

static void exact_tangents_need_minres_where_they_are_indefinite(void **state)
{
    (void)state;
    block *b = make_held_block(2);
    // squeezed so much that it would like to buckle
    for (int64_t k = 0; k < b->count; ++k) {
        for (int e = 0; e < 9; ++e) b->deformation[9 * k + e] *= e / 3 == 0 ? 0.3 : 1;
    }
    parts p = make_parts(b, 0.2);
    pli_node_source_def def = describe(PLI_NODE_REST_DIAGONAL, false);
    def.projected = false;
    def.minres = true;
    double *d = find_direction(&p, def);
    AT_MOST(reached(&p, def, d), 1.01e-6);
    free(d);
    // conjugate gradients stop where they notice, and what they have goes downhill
    def.minres = false;
    d = find_direction(&p, def);
    AT_LEAST(reached(&p, def, d), 1e-3);
    AT_MOST(dot(&p, d, p.g) / pli_vector_norm(b->context, p.n, d), -1e-6);
    free(d);
    clear_parts(&p);
}

static void limits_of_iterations_are_kept_and_told(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(1), 0.01);
    pli_node_source_def def = describe(PLI_NODE_BLOCK_JACOBI, true);
    def.max_iterations = 3;
    double *d = random_vector(&p, 1);
    pli_node_source *source = make_source(&p, def);
    prepare(&p, source);
    assert_int_equal(solve(&p, source, p.g, d), 3);
    assert_int_equal(solve(&p, source, p.g, d), 3);
    pli_node_counts counts = pli_node_source_get_counts(source);
    assert_int_equal(counts.matrices, 1);
    assert_int_equal(counts.solves, 2);
    assert_int_equal(counts.capped, 2);
    assert_int_equal(counts.cycles, 0);
    // a new step counts anew
    OK(p.b->context, pli_node_source_begin_step(source, &p.step));
    counts = pli_node_source_get_counts(source);
    assert_int_equal(counts.matrices + counts.solves + counts.capped, 0);
    pli_node_source_destroy(source);
    free(d);
    clear_parts(&p);
}

static void cycles_are_counted_to_the_last(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(1), 0.01);
    pli_node_source_def def = describe(PLI_NODE_EMBEDDED_CYCLE, true);
    def.multigrid.direct = false;
    def.rule = PLI_NODE_ONCE;
    double *d = random_vector(&p, 1);
    pli_node_source *source = make_source(&p, def);
    assert_null(pli_node_source_multigrid(source));
    int64_t coarsest = 0;
    for (int k = 0; k < 3; ++k) {
        prepare(&p, source);
        for (int i = 0; i < 2; ++i) assert_int_equal(solve(&p, source, p.g, d), 1);
        coarsest += pli_node_multigrid_coarsest_iterations(pli_node_source_multigrid(source));
        pli_node_counts counts = pli_node_source_get_counts(source);
        assert_int_equal(counts.cycles, 2 * (k + 1));
        assert_int_equal(counts.matrices, k + 1);
        assert_true(coarsest > 0);
        assert_int_equal(counts.coarsest_iterations, coarsest);
    }
    pli_node_source_destroy(source);
    free(d);
    clear_parts(&p);
}

// ---- held nodes

// Exactly nothing along axes and for nodes that are not free at all, rounding along slopes (H9);
// gradients may have parts along held directions, which nobody looks at.
static void directions_leave_held_nodes_alone(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    double *raw = random_vector(&p, 9), *clean = random_vector(&p, 9);
    restrict_vector(&p, clean);
    for (int w = 0; w < 2 * WAYS; ++w) {
        pli_node_source_def def = describe(ways[w / 2].preconditioner, ways[w / 2].assembled);
        if (w % 2 == 1) def.rule = PLI_NODE_ONCE;
        // steps without matrices start their solves with T g
        def.multigrid.single = true;
        pli_node_source *source = make_source(&p, def);
        prepare(&p, source);
        double *d = random_vector(&p, 1), *other = random_vector(&p, 1);
        solve(&p, source, raw, d);
        solve(&p, source, clean, other);
        double largest = pli_vector_max_abs(p.b->context, p.n, d);
        for (int32_t k = 0; k < p.hold->count; ++k) {
            const double *T = p.hold->tangents + 9 * k, *at = d + 3 * (int64_t)p.hold->nodes[k];
            double free_part[3];
            pli_mat3_apply(T, at, free_part);
            bool is_axis = T[1] == 0 && T[2] == 0 && T[5] == 0;
            for (int c = 0; c < 3; ++c) {
                NEAR(at[c], free_part[c], 0, is_axis ? 0 : 1e-14 * largest);
            }
        }
        for (int64_t k = 0; k < p.n; ++k) NEAR(d[k], other[k], 0, 1e-5 * largest);
        free(d);
        free(other);
        pli_node_source_destroy(source);
    }
    free(raw);
    free(clean);
    clear_parts(&p);
}

// Who is held may change between two matrices of one step.
static void matrices_follow_what_is_held(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    int32_t before = p.hold->count, node = -1;
    pli_node_source_def def = describe(PLI_NODE_EMBEDDED_CYCLE, true);
    pli_node_source *source = make_source(&p, def);
    prepare(&p, source);
    // all that may are released
    double *force = malloc((size_t)p.n * sizeof *force), *d = random_vector(&p, 1);
    for (int64_t k = 0; k < p.n; ++k) force[k] = k % 3 == 2 ? -1 : 0;
    pli_node_hold_apply(p.hold, p.v);
    assert_true(pli_node_hold_revise(p.hold, p.cloud->nodes, p.v, force) > 10);
    assert_true(p.hold->count < before);
    prepare(&p, source);
    solve(&p, source, p.g, d);
    AT_MOST(reached(&p, def, d), 1.001e-6);
    for (int32_t k = 0; k < p.n / 3 && node < 0; ++k) {
        if (p.hold->place[k] < 0 && p.cloud->nodes->at[3 * k + 2] <= 15) node = k;
    }
    assert_true(node >= 0 && d[3 * node + 2] != 0);
    pli_node_source_destroy(source);
    free(force);
    free(d);
    clear_parts(&p);
}

// ---- products and preconditioners

// The first iterates of conjugate gradients hang on products with T H T: with a matrix and without
// they are the same (X13, X14).
static void products_need_no_matrix(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    for (int exact = 0; exact < 2; ++exact) {
        for (int32_t iterations = 1; iterations <= 4; ++iterations) {
            double *d[2];
            for (int k = 0; k < 2; ++k) {
                pli_node_source_def def = describe(PLI_NODE_BLOCK_JACOBI, k == 1);
                def.projected = exact == 0;
                def.max_iterations = iterations;
                d[k] = find_direction(&p, def);
            }
            double largest = pli_vector_max_abs(p.b->context, p.n, d[0]);
            for (int64_t k = 0; k < p.n; ++k) NEAR(d[1][k], d[0][k], 0, 1e-11 * largest);
            free(d[0]);
            free(d[1]);
        }
    }
    clear_parts(&p);
}

static void preconditioners_are_symmetric_and_positive(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    double *x = random_vector(&p, 3), *y = random_vector(&p, 4);
    double *Bx = random_vector(&p, 1), *By = random_vector(&p, 1);
    restrict_vector(&p, x);
    restrict_vector(&p, y);
    for (int w = 0; w < WAYS; ++w) {
        pli_node_source_def def = describe(ways[w].preconditioner, ways[w].assembled);
        def.rule = PLI_NODE_ONCE;
        pli_node_source *source = make_source(&p, def);
        prepare(&p, source);
        solve(&p, source, x, Bx);
        solve(&p, source, y, By);
        double xBx = -dot(&p, x, Bx), yBy = -dot(&p, y, By);
        assert_true(xBx > 0 && yBy > 0);
        NEAR(dot(&p, x, By), dot(&p, y, Bx), 0, 1e-12 * sqrt(xBx * yBy));
        pli_node_source_destroy(source);
    }
    free(x);
    free(y);
    free(Bx);
    free(By);
    clear_parts(&p);
}

// What is not deformed has the diagonal of rest, for all laws and snow that has hardened (X15).
static void the_diagonal_at_rest_is_that_of_the_matrix(void **state)
{
    (void)state;
    static const char *const laws[] = {"fixed-corotated", "neo-hookean", "hencky", "fluid"};
    for (int spline = 0; spline < 3; ++spline) {
        for (size_t law = 0; law < sizeof laws / sizeof *laws; ++law) {
            block *b = block_make(1, 2);
            b->def.cloud.spline = (pli_spline_kind)spline;
            bool is_fluid = strcmp(laws[law], "fluid") == 0;
            block_set_matter(b, 1, laws[law], 1e5, is_fluid ? 7 : 0.3);
            if (!is_fluid) block_harden(b, 1, 5);
            for (int64_t k = 0; k < b->count; ++k) b->memory[k] = 0.9;
            parts p = make_parts(b, 0.01);
            size_t n = 3 * (size_t)p.n;
            double *rest = calloc(n, sizeof *rest), *whole = calloc(n, sizeof *whole);
            memset(p.x, 0, (size_t)p.n * sizeof *p.x);
            OK(b->context, pli_implicit_prepare(p.implicit, p.x, false));
            pli_implicit_add_diagonal(p.implicit, whole);
            pli_implicit_add_rest_diagonal(p.implicit, rest);
            double largest = pli_vector_max_abs(b->context, (int64_t)n, whole);
            for (size_t k = 0; k < n; ++k) {
                NEAR(rest[k], k % 9 % 4 == 0 ? whole[k] : 0, 0, 1e-12 * largest);
            }
            free(rest);
            free(whole);
            clear_parts(&p);
        }
    }
}

// As good as Jacobi on matter that is hardly deformed, to a third (X15).
static void the_diagonal_at_rest_takes_about_as_many_iterations(void **state)
{
    (void)state;
    block *b = make_held_block(2);
    block_deform(b, 0.02);
    parts p = make_parts(b, 0.01);
    int32_t iterations[2];
    for (int k = 0; k < 2; ++k) {
        pli_node_source_def def =
            describe(k == 0 ? PLI_NODE_BLOCK_JACOBI : PLI_NODE_REST_DIAGONAL, false);
        double *d = random_vector(&p, 1);
        pli_node_source *source = make_source(&p, def);
        prepare(&p, source);
        iterations[k] = solve(&p, source, p.g, d);
        pli_node_source_destroy(source);
        free(d);
    }
    NEAR(iterations[1], iterations[0], 0.3, 0);
    clear_parts(&p);
}

// ---- promises

static void cycles_and_sweeps_want_a_matrix(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(1), 0.01);
    for (int k = PLI_NODE_SWEEP; k <= PLI_NODE_GEOMETRIC_CYCLE; ++k) {
        pli_node_source *source = NULL;
        pli_node_source_def def = describe((pli_node_preconditioner)k, false);
        assert_int_equal(pli_node_source_create(p.b->context, &def, p.implicit, &source),
                         PLI_ERROR_ARGUMENT);
        assert_null(source);
    }
    pli_node_source_destroy(NULL);
    clear_parts(&p);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; ++w) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            parts p = make_parts(make_held_block(bits.threads), 0.01);
            double *d = find_direction(&p, describe(ways[w].preconditioner, ways[w].assembled));
            same_bits_keep(&bits, d, (size_t)p.n * sizeof *d);
            free(d);
            clear_parts(&p);
        }
    }
}

static void a_warm_source_allocates_nothing(void **state)
{
    (void)state;
    parts p = make_parts(make_held_block(2), 0.01);
    double *d = random_vector(&p, 1);
    for (int w = 0; w < WAYS; ++w) {
        pli_node_source *source =
            make_source(&p, describe(ways[w].preconditioner, ways[w].assembled));
        int64_t before = 0;
        // arenas of levels know their size when they are used a second time
        for (int k = 0; k < 4; ++k) {
            OK(p.b->context, pli_node_source_begin_step(source, &p.step));
            prepare(&p, source);
            solve(&p, source, p.g, d);
            if (k == 1) before = pli_context_allocation_count(p.b->context);
        }
        assert_int_equal(pli_context_allocation_count(p.b->context), before);
        AT_LEAST((double)pli_node_source_memory(source), 24 * (double)p.n);
        pli_node_source_destroy(source);
    }
    free(d);
    clear_parts(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_are_as_good_as_promised),
        cmocka_unit_test(rules_choose_the_tolerance),
        cmocka_unit_test(exact_tangents_need_minres_where_they_are_indefinite),
        cmocka_unit_test(limits_of_iterations_are_kept_and_told),
        cmocka_unit_test(cycles_are_counted_to_the_last),
        cmocka_unit_test(directions_leave_held_nodes_alone),
        cmocka_unit_test(matrices_follow_what_is_held),
        cmocka_unit_test(products_need_no_matrix),
        cmocka_unit_test(preconditioners_are_symmetric_and_positive),
        cmocka_unit_test(the_diagonal_at_rest_is_that_of_the_matrix),
        cmocka_unit_test(the_diagonal_at_rest_takes_about_as_many_iterations),
        cmocka_unit_test(cycles_and_sweeps_want_a_matrix),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_warm_source_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
