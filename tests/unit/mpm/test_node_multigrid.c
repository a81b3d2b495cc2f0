// SPDX-License-Identifier: Apache-2.0
//
// Levels of nodes: embedding, coarse matrices, memory and what is refused.
#include "cloud_world.h"
#include "node_world.h"
#include "support/fault_sweep.h"

#include "linear/matrix/dense.h"

static pli_node_multigrid_def describe(int32_t levels, pli_embedding_kind embedding)
{
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    def.level_count = levels;
    def.embedding = embedding;
    return def;
}

// Where coarse nodes stand in spacings of the next finer grid.
static double fine_place(pli_embedding_kind embedding, int32_t at)
{
    return 2.0 * (at - (embedding == PLI_EMBEDDING_QUADRATIC ? 1 : 0));
}

// ---- embedding

static void embedding_keeps_constants_and_linear_fields(void **state)
{
    (void)state;
    const double slope[3] = {0.5, -2, 0.25};
    for (int kind = 0; kind < 2; ++kind) {
        node_world *w = node_world_make(2, node_ball, 7.2, 1, 1);
        pli_node_multigrid_def def = describe(3, (pli_embedding_kind)kind);
        node_world_build(w, &def);
        assert_int_equal(pli_node_multigrid_level_count(w->multigrid), 3);
        for (int32_t level = 0; level < 2; ++level) {
            const pli_node_grid *fine = pli_node_multigrid_grid(w->multigrid, level);
            const pli_node_grid *coarse = pli_node_multigrid_grid(w->multigrid, level + 1);
            double *from = node_world_vector(w, level + 1, 0), *to = node_world_vector(w, level, 0);
            for (int64_t i = 0; i < coarse->count; ++i) {
                for (int a = 0; a < 3; ++a) {
                    from[3 * i + 1] += slope[a] * fine_place(def.embedding, coarse->at[3 * i + a]);
                }
                from[3 * i] = 1;
            }
            pli_node_multigrid_prolong(w->multigrid, level, from, to);
            for (int64_t i = 0; i < fine->count; ++i) {
                double want = 0;
                for (int a = 0; a < 3; ++a) want += slope[a] * fine->at[3 * i + a];
                // all numbers are short binary fractions: nothing is rounded
                NEAR(to[3 * i], 1, 0, 0);
                NEAR(to[3 * i + 1], want, 0, 0);
                NEAR(to[3 * i + 2], 0, 0, 0);
            }
            free(from);
            free(to);
        }
        node_world_destroy(w);
    }
}

static int32_t count_nodes(int64_t count, const double *v)
{
    int32_t found = 0;
    for (int64_t i = 0; i < count; ++i) found += v[3 * i] != 0;
    return found;
}

static void embedding_is_sparse(void **state)
{
    (void)state;
    // parents of a node, and children of one
    static const int32_t most[2][2] = {{8, 27}, {27, 125}};
    for (int kind = 0; kind < 2; ++kind) {
        node_world *w = node_world_make(1, node_ball, 7.2, 1, 1);
        pli_node_multigrid_def def = describe(2, (pli_embedding_kind)kind);
        node_world_build(w, &def);
        int64_t fine = w->grid->count;
        int64_t coarse = pli_node_multigrid_grid(w->multigrid, 1)->count;
        int32_t parents = 0, children = 0;
        double *f = node_world_vector(w, 0, 0), *c = node_world_vector(w, 1, 0);
        for (int64_t i = 0; i < fine; ++i) {
            f[3 * i] = 1;
            pli_node_multigrid_restrict(w->multigrid, 0, f, c);
            f[3 * i] = 0;
            int32_t found = count_nodes(coarse, c);
            assert_true(found >= 1);
            parents = found > parents ? found : parents;
        }
        memset(c, 0, (size_t)(3 * coarse) * sizeof *c);
        for (int64_t i = 0; i < coarse; ++i) {
            memset(f, 0, (size_t)(3 * fine) * sizeof *f);
            c[3 * i] = 1;
            pli_node_multigrid_prolong(w->multigrid, 0, c, f);
            c[3 * i] = 0;
            int32_t found = count_nodes(fine, f);
            // no coarse node without a child
            assert_true(found >= 1);
            children = found > children ? found : children;
        }
        assert_int_equal(parents, most[kind][0]);
        assert_int_equal(children, most[kind][1]);
        free(f);
        free(c);
        node_world_destroy(w);
    }
}

static void restriction_is_the_transpose_of_prolongation(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        node_world *w = node_world_make(2, node_ball, 7.2, 1, 1);
        node_world_hold(w, -1);
        pli_node_multigrid_def def = describe(3, (pli_embedding_kind)kind);
        node_world_build(w, &def);
        for (int32_t level = 0; level < 2; ++level) {
            int64_t fine = 3 * pli_node_multigrid_grid(w->multigrid, level)->count;
            int64_t coarse = 3 * pli_node_multigrid_grid(w->multigrid, level + 1)->count;
            double *f = node_world_vector(w, level, 1), *c = node_world_vector(w, level + 1, 2);
            double *Pc = node_world_vector(w, level, 0), *Rf = node_world_vector(w, level + 1, 0);
            pli_node_multigrid_prolong(w->multigrid, level, c, Pc);
            pli_node_multigrid_restrict(w->multigrid, level, f, Rf);
            // both are sums of the same products
            NEAR(node_world_dot(fine, f, Pc), node_world_dot(coarse, Rf, c), 1e-12, 1e-12);
            free(f);
            free(c);
            free(Pc);
            free(Rf);
        }
        node_world_destroy(w);
    }
}

static double spline(double x)
{
    x = fabs(x);
    return x < 0.5 ? 0.75 - x * x : x < 1.5 ? 0.5 * (1.5 - x) * (1.5 - x) : 0;
}

// How far, in spacings of a level, a particle at x along the bar is from the farthest node of the
// level that it takes part of.
static void measure_reach(node_world *w, pli_embedding_kind kind, double x, double reach[3])
{
    double *v[3];
    for (int32_t l = 0; l < 3; ++l) v[l] = node_world_vector(w, l, 0);
    for (int64_t i = 0; i < w->grid->count; ++i) {
        const int32_t *at = w->grid->at + 3 * i;
        v[0][3 * i] = spline(x - at[0]) * spline(NODE_WORLD_MIDDLE + 0.2 - at[1]) *
                      spline(NODE_WORLD_MIDDLE - 0.3 - at[2]);
    }
    for (int32_t l = 0; l < 2; ++l) pli_node_multigrid_restrict(w->multigrid, l, v[l], v[l + 1]);
    for (int32_t l = 0; l < 3; ++l) {
        const pli_node_grid *grid = pli_node_multigrid_grid(w->multigrid, l);
        for (int64_t i = 0; i < grid->count; ++i) {
            if (v[l][3 * i] == 0) continue;
            double place = grid->at[3 * i], spacing = 1;
            // coarse node I stands on 2 (I - shift)
            for (int32_t k = 0; k < l; ++k, spacing *= 2) {
                place = 2 * (place - (kind == PLI_EMBEDDING_QUADRATIC ? 1 : 0));
            }
            reach[l] = fmax(reach[l], fabs(x - place) / spacing);
        }
        free(v[l]);
    }
}

static void composite_kernels_have_the_widths_of_the_paper(void **state)
{
    (void)state;
    static const double want[2][3] = {{1.5, 1.25, 1.125}, {1.5, 1.75, 1.875}};
    const double step = 1.0 / 64;
    for (int kind = 0; kind < 2; ++kind) {
        node_world *w = node_world_make(1, node_bar, 20, 1, 1);
        pli_node_multigrid_def def = describe(3, (pli_embedding_kind)kind);
        node_world_build(w, &def);
        assert_int_equal(pli_node_multigrid_level_count(w->multigrid), 3);
        double reach[3] = {0, 0, 0};
        for (double x = NODE_WORLD_MIDDLE; x < NODE_WORLD_MIDDLE + 4; x += step) {
            measure_reach(w, def.embedding, x, reach);
        }
        for (int l = 0; l < 3; ++l) {
            // the end itself is not reached, the last particle before it is a step away
            assert_true(reach[l] < want[kind][l]);
            NEAR(reach[l], want[kind][l], 0, 1.001 * step);
        }
        node_world_destroy(w);
    }
}

// ---- forces

static double spline_slope(double x)
{
    double d = fabs(x);
    return d < 0.5 ? -2 * x : d < 1.5 ? -copysign(1.5 - d, x) : 0;
}

// The kernel of an embedding at a distance in coarse spacings.
static double kernel(pli_embedding_kind embedding, double x)
{
    return embedding == PLI_EMBEDDING_QUADRATIC ? spline(x) : fmax(0, 1 - fabs(x));
}

// Gradients of the weights of a particle on the finest level (1/m), [nodes][3].
static void set_gradients(const cloud_world *w, int64_t particle, double *gradients)
{
    const pli_cloud *cloud = w->cloud;
    for (int64_t i = 0; i < cloud->nodes->count; ++i) {
        double u[3];
        for (int a = 0; a < 3; ++a) {
            double x = (w->position[3 * particle + a] - cloud->origin[a]) / cloud->dx;
            u[a] = x - cloud->nodes->at[3 * i + a];
        }
        for (int a = 0; a < 3; ++a) {
            double slope = spline_slope(u[a]) / cloud->dx;
            gradients[3 * i + a] = slope * spline(u[(a + 1) % 3]) * spline(u[(a + 2) % 3]);
        }
    }
}

// Gradients of the weights of the same particle on the level above, by the kernel alone.
static void compose_gradients(const cloud_world *w, int32_t level, const double *fine,
                              double *coarse)
{
    const pli_node_grid *from = pli_node_multigrid_grid(w->multigrid, level);
    const pli_node_grid *to = pli_node_multigrid_grid(w->multigrid, level + 1);
    pli_embedding_kind embedding = pli_node_multigrid_embedding(w->multigrid);
    memset(coarse, 0, 3 * (size_t)to->count * sizeof *coarse);
    for (int64_t i = 0; i < from->count; ++i) {
        if (pli_vec3_norm(fine + 3 * i) == 0) continue;
        for (int64_t I = 0; I < to->count; ++I) {
            double weight = 1;
            for (int a = 0; a < 3; ++a) {
                double place = fine_place(embedding, to->at[3 * I + a]);
                weight *= kernel(embedding, 0.5 * (from->at[3 * i + a] - place));
            }
            pli_vec3_add_scaled(coarse + 3 * I, weight, fine + 3 * i, coarse + 3 * I);
        }
    }
}

// forces [nodes][3] += V P F^T grad w of one particle
static void push_nodes(const cloud_world *w, int64_t particle, int64_t count,
                       const double *gradients, double *forces)
{
    const pli_implicit_kind *matter = &w->matter[w->kind[particle]];
    const double *F = w->deformation + 9 * particle;
    double P[9], Q[9], force[3];
    matter->law->evaluate(1, F, matter->params, PLI_TANGENT_EXACT, NULL, P, NULL);
    pli_mat3_multiply_transposed_right(P, F, Q);
    for (int64_t i = 0; i < count; ++i) {
        pli_mat3_apply(Q, gradients + 3 * i, force);
        double volume = w->kinds[w->kind[particle]].volume;
        pli_vec3_add_scaled(forces + 3 * i, volume, force, forces + 3 * i);
    }
}

// what is restricted is the force of particles with kernels that are composed of both.
static void restricted_forces_are_those_of_composite_kernels(void **state)
{
    (void)state;
    enum { LEVELS = 3 };
    cloud_def def = cloud_def_default();
    cloud_world *w = cloud_world_make(&def);
    for (int kind = 0; kind < 2; ++kind) {
        double *restricted[LEVELS], *forces[LEVELS], *gradients[LEVELS];
        int64_t counts[LEVELS];
        pli_node_multigrid_def multigrid = describe(LEVELS, (pli_embedding_kind)kind);
        cloud_world_build(w, &multigrid, false);
        int32_t levels = pli_node_multigrid_level_count(w->multigrid);
        assert_in_range(levels, 2, LEVELS);
        for (int32_t l = 0; l < levels; ++l) {
            counts[l] = pli_node_multigrid_grid(w->multigrid, l)->count;
            restricted[l] = cloud_world_vector(3 * counts[l], 0);
            forces[l] = cloud_world_vector(3 * counts[l], 0);
            gradients[l] = cloud_world_vector(3 * counts[l], 0);
        }
        double *x = cloud_world_vector(3 * counts[0], 0);
        pli_implicit_term.add_gradient(w->implicit, x, restricted[0]);
        for (int64_t p = 0; p < w->source.count; ++p) {
            set_gradients(w, p, gradients[0]);
            for (int32_t l = 1; l < levels; ++l) {
                compose_gradients(w, l - 1, gradients[l - 1], gradients[l]);
                push_nodes(w, p, counts[l], gradients[l], forces[l]);
            }
        }
        for (int32_t l = 1; l < levels; ++l) {
            double largest = 0;
            pli_node_multigrid_restrict(w->multigrid, l - 1, restricted[l - 1], restricted[l]);
            for (int64_t i = 0; i < 3 * counts[l]; ++i) largest = fmax(largest, fabs(forces[l][i]));
            assert_true(largest > 0);
            // the same sums in another order
            for (int64_t i = 0; i < 3 * counts[l]; ++i) {
                NEAR(restricted[l][i], forces[l][i], 0, 1e-12 * largest);
            }
        }
        for (int32_t l = 0; l < levels; ++l) {
            free(restricted[l]);
            free(forces[l]);
            free(gradients[l]);
        }
        free(x);
    }
    cloud_world_destroy(w);
}

// ---- coarse matrices

// Column `unknown` of P^T A P, by transfers and products alone.
static void triple_product(node_world *w, int32_t level, int64_t unknown, double *out)
{
    double *c = node_world_vector(w, level + 1, 0), *f = node_world_vector(w, level, 0);
    double *Af = node_world_vector(w, level, 0);
    c[unknown] = 1;
    pli_node_multigrid_prolong(w->multigrid, level, c, f);
    pli_ell_multiply(pli_node_multigrid_matrix(w->multigrid, level), f, Af);
    pli_node_multigrid_restrict(w->multigrid, level, Af, out);
    free(c);
    free(f);
    free(Af);
}

// Column of a stored matrix; for entries without a slot zero.
static void stored_column(const pli_ell *matrix, int64_t unknown, double *out)
{
    memset(out, 0, 3 * (size_t)matrix->row_count * sizeof *out);
    for (int64_t slot = 0; slot < (int64_t)matrix->row_count * matrix->width; ++slot) {
        if (matrix->column[slot] != unknown / 3) continue;
        for (int r = 0; r < 3; ++r) {
            out[3 * (slot / matrix->width) + r] = matrix->values[9 * slot + 3 * r + unknown % 3];
        }
    }
}

// The largest entry of a matrix.
static double largest_entry(const pli_ell *matrix)
{
    double largest = 0;
    for (int64_t slot = 0; slot < (int64_t)matrix->row_count * matrix->width; ++slot) {
        if (matrix->column[slot] < 0) continue;
        for (int e = 0; e < 9; ++e) largest = fmax(largest, fabs(matrix->values[9 * slot + e]));
    }
    return largest;
}

// Compares the columns of some nodes of a coarse matrix with the triple product; returns how many
// of the nodes lack matter in some direction, so that their diagonal is filled up.
static int32_t compare_coarse(node_world *w, int32_t level)
{
    enum { STRIDE = 11 };
    const pli_ell *matrix = pli_node_multigrid_matrix(w->multigrid, level + 1);
    int64_t size = 3 * (int64_t)matrix->row_count;
    double *want = node_world_vector(w, level + 1, 0), *got = node_world_vector(w, level + 1, 0);
    // sums of a few hundred products in another order
    double allowed = 1e-13 * largest_entry(matrix);
    int32_t lacking = 0;
    for (int64_t node = 0; node < matrix->row_count; node += STRIDE) {
        double D[9], W[6];
        for (int c = 0; c < 3; ++c) {
            triple_product(w, level, 3 * node + c, want);
            stored_column(matrix, 3 * node + c, got);
            for (int r = 0; r < 3; ++r) D[3 * r + c] = want[3 * node + r];
            for (int64_t i = 0; i < size; ++i) {
                if (i / 3 != node) NEAR(got[i], want[i], 1e-12, allowed);
            }
        }
        bool is_filled = !pli_dense3_factor(D, W);
        lacking += is_filled;
        double *stored = matrix->values + 9 * (node * matrix->width + matrix->center);
        assert_true(pli_dense3_factor(stored, W));
        for (int e = 0; e < 9 && !is_filled; ++e) NEAR(stored[e], D[e], 1e-12, allowed);
    }
    free(want);
    free(got);
    return lacking;
}

static void coarse_matrices_are_triple_products(void **state)
{
    (void)state;
    for (int32_t reach = 1; reach <= 3; ++reach) {
        for (int kind = 0; kind < 2; ++kind) {
            node_world *w = node_world_make(2, node_ball, 6.4, reach, 0.1);
            pli_node_multigrid_def def = describe(3, (pli_embedding_kind)kind);
            node_world_build(w, &def);
            AT_LEAST(pli_node_multigrid_level_count(w->multigrid), 2);
            for (int32_t l = 0; l + 1 < pli_node_multigrid_level_count(w->multigrid); ++l) {
                assert_int_equal(compare_coarse(w, l), 0);
            }
            node_world_destroy(w);
        }
    }
}

static void held_nodes_are_left_out_of_coarse_matrices(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        node_world *w = node_world_make(2, node_ball, 6.4, 2, 0.1);
        node_world_hold(w, -1);
        pli_node_multigrid_def def = describe(3, (pli_embedding_kind)kind);
        node_world_build(w, &def);
        AT_LEAST(pli_node_multigrid_level_count(w->multigrid), 2);
        int32_t lacking = 0;
        for (int32_t l = 0; l + 1 < pli_node_multigrid_level_count(w->multigrid); ++l) {
            lacking += compare_coarse(w, l);
        }
        assert_true(lacking > 0);
        node_world_destroy(w);
    }
}

static void coarse_matrices_are_positive_and_regular(void **state)
{
    (void)state;
    for (int held = 0; held < 2; ++held) {
        node_world *w = node_world_make(2, node_ball, 6, 2, 0.1);
        if (held == 1) node_world_hold(w, -1);
        pli_node_multigrid_def def = describe(3, PLI_EMBEDDING_LINEAR);
        node_world_build(w, &def);
        assert_int_equal(pli_node_multigrid_level_count(w->multigrid), 3);
        for (int32_t l = 1; l < 3; ++l) {
            const pli_ell *matrix = pli_node_multigrid_matrix(w->multigrid, l);
            int32_t size = 3 * matrix->row_count;
            double *dense = calloc((size_t)(size * size), sizeof *dense);
            assert_non_null(dense);
            for (int32_t k = 0; k < size; ++k) {
                stored_column(matrix, k, dense + (int64_t)k * size);
            }
            for (int32_t k = 0; k < size * size; ++k) {
                NEAR(dense[k], dense[k % size * size + k / size], 1e-12, 1e-10);
            }
            // beside held nodes coarse ones may depend on each other
            for (int32_t k = 0; k < size && held == 1; ++k) dense[k * size + k] *= 1 + 1e-12;
            assert_true(pli_dense_cholesky_factor(w->context, size, dense));
            free(dense);
        }
        node_world_destroy(w);
    }
}

// ---- levels

static void levels_that_save_nothing_are_left_out(void **state)
{
    (void)state;
    pli_node_multigrid_def def = describe(PLI_NODE_LEVELS, PLI_EMBEDDING_LINEAR);
    node_world *w = node_world_make(1, node_ball, 7, 1, 1);
    node_world_build(w, &def);
    int32_t count = pli_node_multigrid_level_count(w->multigrid);
    assert_in_range(count, 3, PLI_NODE_LEVELS - 1);
    for (int32_t l = 1; l < count; ++l) {
        pli_node_level_info fine = pli_node_multigrid_get_level(w->multigrid, l - 1);
        pli_node_level_info coarse = pli_node_multigrid_get_level(w->multigrid, l);
        assert_true(coarse.node_count >= 8 && 2 * coarse.node_count <= fine.node_count);
        assert_true(coarse.memory > 0 && coarse.memory < fine.memory * 8);
        assert_true(coarse.block_count <= 125 * (int64_t)coarse.node_count);
        assert_true(coarse.block_count >= coarse.node_count);
    }
    node_world_destroy(w);

    // a few nodes, and none at all: the coarsest solve alone
    for (int k = 0; k < 2; ++k) {
        w = node_world_make(1, node_ball, k == 0 ? 1.3 : 0.1, 2, 1);
        node_world_build(w, &def);
        assert_int_equal(pli_node_multigrid_level_count(w->multigrid), 1);
        double *r = node_world_vector(w, 0, 3), *z = node_world_vector(w, 0, 0);
        pli_node_multigrid_apply(w->multigrid, r, z);
        assert_int_equal(w->grid->count > 0, k == 0);
        if (k == 0) assert_true(node_world_dot(3 * (int64_t)w->grid->count, r, z) > 0);
        free(r);
        free(z);
        node_world_destroy(w);
    }
}

static void wrong_input_is_refused(void **state)
{
    (void)state;
    node_world *w = node_world_make(1, node_ball, 3, 1, 1);
    pli_node_multigrid *made = NULL;
    for (int k = 0; k < 6; ++k) {
        pli_node_multigrid_def def = pli_node_multigrid_def_default();
        if (k == 0) def.level_count = 0;
        if (k == 1) def.level_count = PLI_NODE_LEVELS + 1;
        if (k == 2) def.coarsest_tolerance = NAN;
        if (k == 3) def.coarsest_iterations = 0;
        if (k == 4) def.embedding = (pli_embedding_kind)2;
        if (k == 5) def.smoother = (pli_node_smoother)3;
        assert_int_equal(pli_node_multigrid_create(w->context, &def, &made), PLI_ERROR_ARGUMENT);
        assert_null(made);
    }
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    node_world_build(w, &def);
    pli_ell *other = NULL;
    OK(w->context, pli_ell_create(w->context, w->grid->count, 26, 13, &other));
    assert_int_equal(pli_node_multigrid_build(w->multigrid, w->grid, other, NULL),
                     PLI_ERROR_ARGUMENT);
    pli_ell_destroy(other);
    OK(w->context, pli_ell_create(w->context, w->grid->count - 1, 27, 13, &other));
    assert_int_equal(pli_node_multigrid_build(w->multigrid, w->grid, other, NULL),
                     PLI_ERROR_ARGUMENT);
    pli_ell_destroy(other);
    w->constraints.count = 2;
    w->held[0] = w->held[1] = 5;
    assert_int_equal(pli_node_multigrid_build(w->multigrid, w->grid, w->matrix, &w->constraints),
                     PLI_ERROR_ARGUMENT);
    pli_node_multigrid_destroy(NULL);
    node_world_destroy(w);
}

// ---- memory

static void a_warm_build_allocates_nothing(void **state)
{
    (void)state;
    node_world *w = node_world_make(1, node_ball, 6, 2, 1);
    node_world_hold(w, -2);
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    node_world_build(w, &def);
    double *r = node_world_vector(w, 0, 3), *z = node_world_vector(w, 0, 0);
    // the second build makes one piece of the tables of the first
    OK(w->context, pli_node_multigrid_build(w->multigrid, w->grid, w->matrix, &w->constraints));
    int64_t before = pli_context_allocation_count(w->context);
    for (int k = 0; k < 3; ++k) {
        pli_node_multigrid_apply(w->multigrid, r, z);
        OK(w->context, pli_node_multigrid_build(w->multigrid, w->grid, w->matrix, &w->constraints));
    }
    assert_int_equal(pli_context_allocation_count(w->context), before);
    free(r);
    free(z);
    node_world_destroy(w);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    node_world *w = node_world_make(1, node_ball, 4, 2, 1);
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    def.direct = true;
    for (fault_sweep sweep = {.absorbs = true, .at_least = 15}; fault_sweep_next(&sweep);) {
        pli_node_multigrid *made = NULL;
        sweep.status = pli_node_multigrid_create(sweep.context, &def, &made);
        assert_int_equal(made == NULL, sweep.status != PLI_OK);
        if (made != NULL) {
            sweep.status = pli_node_multigrid_build(made, w->grid, w->matrix, &w->constraints);
            // what failed can be built again
            fault_sweep_pause(&sweep);
            OK(sweep.context, pli_node_multigrid_build(made, w->grid, w->matrix, &w->constraints));
            assert_int_equal(pli_node_multigrid_level_count(made), 3);
        }
        pli_node_multigrid_destroy(made);
    }
    node_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embedding_keeps_constants_and_linear_fields),
        cmocka_unit_test(embedding_is_sparse),
        cmocka_unit_test(restriction_is_the_transpose_of_prolongation),
        cmocka_unit_test(composite_kernels_have_the_widths_of_the_paper),
        cmocka_unit_test(restricted_forces_are_those_of_composite_kernels),
        cmocka_unit_test(coarse_matrices_are_triple_products),
        cmocka_unit_test(held_nodes_are_left_out_of_coarse_matrices),
        cmocka_unit_test(coarse_matrices_are_positive_and_regular),
        cmocka_unit_test(levels_that_save_nothing_are_left_out),
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(a_warm_build_allocates_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
