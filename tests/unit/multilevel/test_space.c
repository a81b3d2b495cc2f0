// SPDX-License-Identifier: Apache-2.0
//
// Coarse spaces as operators, and their Galerkin matrices against plain triple products.
#include "cubature_blocks.h"
#include "support/same_bits.h"

#include "linear/matrix/vector.h"
#include "multilevel/galerkin.h"

typedef struct scene {
    blocks b;
    uint8_t *fixed;
    pli_space *space;
    pli_bcsr *S;
    pli_bcsr *O;
} scene;

static double random_entry(int64_t k)
{
    return pli_random_range((pli_random){5, 2}, (uint64_t)k, -1, 1);
}

// Symmetric, diagonally dominant blocks on the pattern of the tetrahedra.
static void fill_smooth(pli_bcsr *S)
{
    for (int32_t row = 0; row < S->row_count; ++row) {
        for (int64_t slot = S->row_start[row]; slot < S->row_start[row + 1]; ++slot) {
            int32_t column = S->column[slot];
            int64_t low = row < column ? row : column, high = row < column ? column : row;
            for (int e = 0; e < 9; ++e) {
                int i = row <= column ? e / 3 : e % 3, j = row <= column ? e % 3 : e / 3;
                if (row == column && i > j) {
                    int swap = i;
                    i = j;
                    j = swap;
                }
                S->values[9 * slot + e] = random_entry(9 * (low * S->row_count + high) + 3 * i + j);
            }
            if (row == column) {
                for (int k = 0; k < 3; ++k) S->values[9 * slot + 4 * k] += 60;
            }
        }
    }
}

// A diagonal, and couplings of far vertices as contacts bring them.
static void fill_fresh(pli_bcsr *O)
{
    int32_t n = O->row_count;
    for (int32_t i = 0; i < n; ++i) {
        double block[9] = {3 + random_entry(i), 0, 0, 0, 2, 0, 0, 0, 4};
        pli_bcsr_add_diagonal_block(O, i, block);
    }
    OK(O->context, pli_bcsr_reserve_extra(O, 20));
    for (int32_t k = 0; k < 10; ++k) {
        double block[9], mirror[9];
        for (int e = 0; e < 9; ++e) block[e] = 0.3 * random_entry(1000 + 9 * k + e);
        for (int e = 0; e < 9; ++e) mirror[e] = block[3 * (e % 3) + e / 3];
        int32_t row = 7 * k, column = n - 1 - 5 * k;
        assert_true(pli_bcsr_add_block(O, row, column, block));
        assert_true(pli_bcsr_add_block(O, column, row, mirror));
    }
    pli_bcsr_close_extra(O);
}

static void make_scene(pli_context *context, scene *s)
{
    s->b = make_blocks(context, 2, 4, 2, 2, 3);
    pli_bases *bases = &s->b.bases;
    bases->center = new_items(3 * (size_t)bases->handle_count, sizeof(double));
    bases->size = new_items((size_t)bases->handle_count, sizeof(double));
    for (int32_t i = 0; i < bases->handle_count; ++i) {
        bases->size[i] = 2 + 0.1 * i;
        for (int c = 0; c < 3; ++c) bases->center[3 * i + c] = 1 + i % (2 + c);
    }
    int32_t n = s->b.mesh->vertex_count;
    s->fixed = new_items((size_t)n, 1);
    for (int32_t i = 0; i < n; i += 9) s->fixed[i] = (uint8_t)(i % 8);
    OK(context, pli_space_create(context, bases, s->b.mesh->points, s->fixed, &s->space));
    pli_clique_list list = {4, s->b.mesh->tet_count, s->b.mesh->tets};
    OK(context, pli_bcsr_create(context, n, 1, &list, &s->S));
    OK(context, pli_bcsr_create(context, n, 0, NULL, &s->O));
    fill_smooth(s->S);
    fill_fresh(s->O);
    pli_bcsr_fix_dofs(s->S, s->fixed, 0);
    pli_bcsr_fix_dofs(s->O, s->fixed, 1);
}

static void clear_scene(scene *s)
{
    pli_bcsr_destroy(s->O);
    pli_bcsr_destroy(s->S);
    pli_space_destroy(s->space);
    free(s->b.bases.center);
    free(s->b.bases.size);
    free(s->fixed);
    clear_blocks(&s->b);
}

// z = U^T (S + O) U q in three passes
static void multiply(scene *s, const double *q, double *w, double *y, double *z)
{
    pli_space_lift(s->space, q, w);
    pli_bcsr_multiply(s->S, w, y);
    pli_bcsr_multiply_add_rows(s->O, w, y, 0, s->O->row_count);
    pli_space_restrict(s->space, y, z);
}

static void affine_fields_are_reproduced(void **state)
{
    scene s = {0};
    pli_context *context = *state;
    make_scene(context, &s);
    s.space->fixed = NULL;
    // x = A X + t about every handle: rows Q_k = s A_k, Q_3 = A c + t
    const double A[3][3] = {{1, 0.3, -0.2}, {0.4, -2, 0.1}, {0.7, 0.2, 0.5}}, t[3] = {3, -1, 2};
    const pli_bases *bases = &s.b.bases;
    double *q = new_items((size_t)pli_space_size(s.space), sizeof *q);
    int32_t n = s.b.mesh->vertex_count;
    double *w = new_items(3 * (size_t)n, sizeof *w);
    for (int32_t i = 0; i < bases->handle_count; ++i) {
        for (int c = 0; c < 3; ++c) {
            double *Q = q + 12 * i;
            Q[9 + c] = t[c];
            for (int k = 0; k < 3; ++k) {
                Q[3 * k + c] = bases->size[i] * A[c][k];
                Q[9 + c] += A[c][k] * bases->center[3 * i + k];
            }
        }
    }
    pli_space_lift(s.space, q, w);
    for (int32_t v = 0; v < n; ++v) {
        const double *X = s.b.mesh->points + 3 * v;
        for (int c = 0; c < 3; ++c) {
            double exact = t[c] + A[c][0] * X[0] + A[c][1] * X[1] + A[c][2] * X[2];
            NEAR(w[3 * v + c], exact, 0, 1e-12);
        }
    }
    free(w);
    free(q);
    clear_scene(&s);
}

static void restriction_is_the_transpose_of_lifting(void **state)
{
    scene s = {0};
    pli_context *context = *state;
    make_scene(context, &s);
    int64_t size = pli_space_size(s.space);
    int64_t n = 3 * (int64_t)s.b.mesh->vertex_count;
    double *q = new_items((size_t)size, sizeof *q), *z = new_items((size_t)size, sizeof *z);
    double *w = new_items((size_t)n, sizeof *w), *y = new_items((size_t)n, sizeof *y);
    for (int64_t k = 0; k < size; ++k) q[k] = random_entry(k);
    for (int64_t k = 0; k < n; ++k) y[k] = random_entry(7000 + k);
    pli_space_lift(s.space, q, w);
    pli_space_restrict(s.space, y, z);
    NEAR(pli_vector_dot(context, n, w, y), pli_vector_dot(context, size, q, z), 0, 1e-11);
    for (int32_t v = 0; v < s.b.mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            if (s.fixed[v] & (1u << c)) assert_true(w[3 * v + c] == 0);
        }
    }
    free(y);
    free(w);
    free(z);
    free(q);
    clear_scene(&s);
}

// Column by column against the three passes; with the factor also the way back.
static void check_galerkin(scene *s, const pli_galerkin *galerkin)
{
    const pli_bcsr *K = pli_galerkin_matrix(galerkin);
    pli_operator inverse = pli_galerkin_operator(galerkin);
    int64_t size = pli_space_size(s->space);
    size_t n = 3 * (size_t)s->b.mesh->vertex_count;
    double *q = new_items((size_t)size, sizeof *q), *z = new_items((size_t)size, sizeof *z);
    double *product = new_items((size_t)size, sizeof *product);
    double *back = new_items((size_t)size, sizeof *back);
    double *w = new_items(n, sizeof *w), *y = new_items(n, sizeof *y);
    for (int64_t column = 0; column < size; ++column) {
        q[column] = 1;
        multiply(s, q, w, y, z);
        pli_bcsr_multiply(K, q, product);
        // a billionth of the mean diagonal entry, a few thousand, is on the diagonal
        for (int64_t k = 0; k < size; ++k) NEAR(product[k], z[k], 0, 1e-5);
        pli_operator_apply(&inverse, product, back);
        for (int64_t k = 0; k < size; ++k) NEAR(back[k], q[k], 0, 1e-6);
        q[column] = 0;
    }
    free(y);
    free(w);
    free(back);
    free(product);
    free(z);
    free(q);
}

static void galerkin_matrix_is_the_triple_product(void **state)
{
    scene s = {0};
    pli_context *context = *state;
    make_scene(context, &s);
    pli_galerkin_matrices H = {s.S, s.O};
    pli_galerkin *galerkin = NULL;
    bool definite = false;
    OK(context, pli_galerkin_create(context, s.space, s.S, &galerkin));
    OK(context, pli_galerkin_build(galerkin, &H, &definite));
    assert_true(definite);
    // contacts couple handles that no element couples
    assert_true(pli_galerkin_matrix(galerkin)->extra.count > 0);
    check_galerkin(&s, galerkin);
    pli_galerkin_destroy(galerkin);
    clear_scene(&s);
}

static void update_follows_contacts(void **state)
{
    scene s = {0};
    pli_context *context = *state;
    make_scene(context, &s);
    pli_galerkin_matrices H = {s.S, s.O};
    pli_galerkin *galerkin = NULL;
    bool definite = false;
    OK(context, pli_galerkin_create(context, s.space, s.S, &galerkin));
    OK(context, pli_galerkin_build(galerkin, &H, &definite));
    // other diagonal blocks at some vertices, and no couplings beside the pattern
    pli_bcsr_set_zero(s.O);
    int32_t n = s.O->row_count;
    for (int32_t i = 0; i < n; ++i) {
        double block[9] = {3 + random_entry(i), 0, 0, 0, 2, 0, 0, 0, 4};
        if (i % 5 == 0) block[1] = block[3] = 0.5;
        pli_bcsr_add_diagonal_block(s.O, i, block);
    }
    pli_bcsr_close_extra(s.O);
    pli_bcsr_fix_dofs(s.O, s.fixed, 1);
    OK(context, pli_galerkin_update(galerkin, s.O, &definite));
    assert_true(definite);
    check_galerkin(&s, galerkin);
    pli_galerkin_destroy(galerkin);
    clear_scene(&s);
}

static void handle_blocks_are_those_of_the_triple_product(void **state)
{
    scene s = {0};
    pli_context *context = *state;
    make_scene(context, &s);
    pli_galerkin_matrices H = {s.S, s.O};
    pli_handle_blocks *handle_blocks = NULL;
    OK(context, pli_handle_blocks_create(context, s.space, &handle_blocks));
    pli_handle_blocks_build(handle_blocks, &H);
    pli_operator inverse = pli_handle_blocks_operator(handle_blocks);
    int64_t size = pli_space_size(s.space);
    size_t n = 3 * (size_t)s.b.mesh->vertex_count;
    double *q = new_items((size_t)size, sizeof *q), *z = new_items((size_t)size, sizeof *z);
    double *w = new_items(n, sizeof *w), *y = new_items(n, sizeof *y);
    for (int64_t column = 0; column < size; ++column) {
        q[column] = 1;
        multiply(&s, q, w, y, z);
        // what the column's own handle has of it goes back to the unit vector
        for (int64_t k = 0; k < size; ++k) {
            if (k / 12 != column / 12) z[k] = 0;
        }
        pli_operator_apply(&inverse, z, z);
        for (int64_t k = 0; k < size; ++k) NEAR(z[k], q[k], 0, 1e-6);
        q[column] = 0;
    }
    pli_handle_blocks_destroy(handle_blocks);
    free(y);
    free(w);
    free(z);
    free(q);
    clear_scene(&s);
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        scene s = {0};
        pli_context *context = make_context(bits.threads);
        make_scene(context, &s);
        pli_galerkin_matrices H = {s.S, s.O};
        pli_galerkin *galerkin = NULL;
        bool definite = false;
        OK(context, pli_galerkin_create(context, s.space, s.S, &galerkin));
        OK(context, pli_galerkin_build(galerkin, &H, &definite));
        size_t size = (size_t)pli_space_size(s.space);
        size_t n = 3 * (size_t)s.b.mesh->vertex_count;
        double *y = new_items(n, sizeof *y), *z = new_items(size, sizeof *z);
        for (size_t k = 0; k < n; ++k) y[k] = random_entry((int64_t)k);
        pli_space_restrict(s.space, y, z);
        pli_operator inverse = pli_galerkin_operator(galerkin);
        pli_operator_apply(&inverse, z, z);
        same_bits_keep(&bits, z, size * sizeof *z);
        free(z);
        free(y);
        pli_galerkin_destroy(galerkin);
        clear_scene(&s);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(affine_fields_are_reproduced, 1),
        TEST_IN_CONTEXT(restriction_is_the_transpose_of_lifting, 2),
        TEST_IN_CONTEXT(galerkin_matrix_is_the_triple_product, 2),
        TEST_IN_CONTEXT(update_follows_contacts, 2),
        TEST_IN_CONTEXT(handle_blocks_are_those_of_the_triple_product, 2),
        cmocka_unit_test(bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
