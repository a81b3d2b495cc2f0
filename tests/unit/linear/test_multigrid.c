// SPDX-License-Identifier: Apache-2.0
//
// The multigrid against dense algebra: coarse matrices, symmetry, held coordinates, null spaces,
// blocks on the diagonal; and against what a V-cycle is for.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/linear/coarse_boxes.h"

#include "linear/multigrid/multigrid_inside.h"

// ---- problems

typedef struct problem {
    box_mesh mesh;
    pli_context *context;
    pli_bcsr *matrix;
    pli_lifted *lifted;
    pli_hierarchy *hierarchy;
} problem;

// A scalar matrix with the pattern of the box: random weights on the edges, and a little mass.
static pli_lifted *make_lifted(pli_context *context, const box_mesh *mesh, double mass)
{
    pli_lifted *S = NULL;
    pli_clique_list list = box_cliques(mesh);
    OK(context, pli_lifted_create(context, mesh->vertex_count, 1, &list, &S));
    for (int32_t i = 0; i < S->row_count; ++i) {
        pli_lifted_add(S, S->diagonal[i], mass * (1 + 0.5 * (i % 3)));
        for (int64_t k = S->row_start[i]; k < S->row_start[i + 1]; ++k) {
            int32_t j = S->column[k];
            if (j <= i) continue;
            double w = pli_random_range((pli_random){4, 4}, (uint64_t)k, 0.5, 2);
            pli_lifted_add(S, k, -w);
            pli_lifted_add(S, pli_lifted_find(S, j, i), -w);
            pli_lifted_add(S, S->diagonal[i], w);
            pli_lifted_add(S, S->diagonal[j], w);
        }
    }
    pli_lifted_close(S, NULL);
    return S;
}

static problem make_problem_in(pli_context *context, const int32_t cells[3], int32_t dofs,
                               int32_t level_count, const int32_t *widths)
{
    problem p = {.context = context};
    assert_true(box_mesh_init(&p.mesh, cells[0], cells[1], cells[2]));
    OK(p.context, box_matrix_create(p.context, &p.mesh, 1e-2, 1, &p.matrix));
    p.lifted = make_lifted(p.context, &p.mesh, 1e-2);
    p.hierarchy = make_boxes(p.context, &p.mesh, dofs, level_count, widths);
    return p;
}

static problem make_problem(int32_t threads, const int32_t cells[3], int32_t dofs,
                            int32_t level_count, const int32_t *widths)
{
    return make_problem_in(make_context(threads), cells, dofs, level_count, widths);
}

static problem small_problem(int32_t dofs)
{
    return make_problem(1, (const int32_t[]){5, 5, 3}, dofs, 2, (const int32_t[]){2, 4});
}

static void clear_problem(problem *p)
{
    pli_hierarchy_destroy(p->hierarchy);
    pli_lifted_destroy(p->lifted);
    pli_bcsr_destroy(p->matrix);
    box_mesh_clear(&p->mesh);
    pli_context_destroy(p->context);
}

static pli_multigrid *make_multigrid(problem *p, bool lifted, const char *smoothers, bool single,
                                     const uint8_t *mask)
{
    pli_vcycle_def def = {.single = single};
    pli_multigrid *mg = NULL;
    OK(p->context, pli_multigrid_parse(p->context, smoothers, p->hierarchy->level_count + 1, &def));
    if (lifted) {
        OK(p->context, pli_multigrid_create_lifted(p->context, &def, p->hierarchy, p->lifted, &mg));
    } else {
        OK(p->context, pli_multigrid_create(p->context, &def, p->hierarchy, p->matrix, &mg));
    }
    bool definite = false;
    OK(p->context, pli_multigrid_build(mg, mask, &definite));
    assert_true(definite);
    return mg;
}

static double *dense_lifted(const pli_lifted *S)
{
    int64_t n = 3 * (int64_t)S->row_count;
    double *A = new_vector(n * n);
    for (int64_t i = 0; i < S->row_count; ++i) {
        for (int64_t k = S->row_start[i]; k < S->row_start[i + 1]; ++k) {
            for (int c = 0; c < 3; ++c) A[(3 * i + c) * n + 3 * S->column[k] + c] = S->values[k];
        }
    }
    for (int32_t k = 0; k < S->block_count; ++k) {
        add_to_dense(n, S->block_row[k], S->block_row[k], S->blocks + 9 * k, A);
    }
    return A;
}

// ---- comparisons

// Largest difference of the coarse matrices of a level from U^T A U, relative to the largest entry.
static double galerkin_error(const problem *p, const pli_multigrid *mg, bool lifted, int32_t level,
                             const uint8_t *mask)
{
    int64_t n = 3 * (int64_t)p->mesh.vertex_count;
    int64_t m;
    double *A = lifted ? dense_lifted(p->lifted) : dense_copy(p->matrix);
    double *U = dense_basis(p->hierarchy, level, mask, &m);
    double *AU = new_vector(n * m);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            for (int64_t k = 0; k < m && A[i * n + j] != 0; ++k) {
                AU[i * m + k] += A[i * n + j] * U[j * m + k];
            }
        }
    }
    int32_t dofs = p->hierarchy->dofs;
    int32_t size = pli_multigrid_get_level(mg, level).node_size;
    double worst = 0;
    double largest = 0;
    for (int64_t r = 0; r < m; ++r) {
        for (int64_t c = 0; c < m; ++c) {
            double want = 0;
            double block[144];
            for (int64_t i = 0; i < n; ++i) want += U[i * m + r] * AU[i * m + c];
            pli_multigrid_get_block(mg, level, (int32_t)(r / dofs), (int32_t)(c / dofs), block);
            int64_t a = r % dofs;
            int64_t b = c % dofs;
            double got = !lifted          ? block[size * a + b]
                         : a % 3 == b % 3 ? block[size * (a / 3) + b / 3]
                                          : 0;
            worst = fmax(worst, fabs(got - want));
            largest = fmax(largest, fabs(want));
        }
    }
    free(AU);
    free(U);
    free(A);
    return worst / largest;
}

static double asymmetry(const pli_context *context, const pli_multigrid *mg, int64_t n)
{
    double *x = random_vector(n, 1);
    double *y = random_vector(n, 2);
    double *Bx = new_vector(n);
    double *By = new_vector(n);
    pli_multigrid_apply(mg, x, Bx);
    pli_multigrid_apply(mg, y, By);
    double scale = pli_vector_norm(context, n, x) * pli_vector_norm(context, n, By);
    double error = fabs(pli_vector_dot(context, n, x, By) - pli_vector_dot(context, n, y, Bx));
    assert_true(pli_vector_dot(context, n, x, Bx) > 0);
    free(x);
    free(y);
    free(Bx);
    free(By);
    return error / scale;
}

// Mean reduction of the residual by each of ten cycles.
static double reduction(problem *p, const pli_multigrid *mg)
{
    int64_t n = 3 * (int64_t)p->mesh.vertex_count;
    double *b = random_vector(n, 5);
    double *x = new_vector(n);
    pli_arena *scratch = NULL;
    pli_krylov_report report;
    OK(p->context, pli_arena_create(p->context, 1 << 16, &scratch));
    OK(p->context, pli_multigrid_solve(mg, b, 1e-30, 10, scratch, x, &report));
    assert_int_equal(report.iterations, 10);
    pli_arena_destroy(scratch);
    free(b);
    free(x);
    return pow(report.residual / report.initial_residual, 0.1);
}

// ---- tests

static void coarse_matrices_are_galerkin_products(void **state)
{
    (void)state;
    for (int32_t dofs = 3; dofs <= 12; dofs += 9) {
        problem p = small_problem(dofs);
        for (int lifted = 0; lifted < 2; ++lifted) {
            pli_multigrid *mg = make_multigrid(&p, lifted, "direct/GS(1)/GS(1)", false, NULL);
            AT_MOST(galerkin_error(&p, mg, lifted, 1, NULL), 1e-12);
            AT_MOST(galerkin_error(&p, mg, lifted, 2, NULL), 1e-12);
            pli_multigrid_destroy(mg);
        }
        clear_problem(&p);
    }
}

static void cycles_are_symmetric(void **state)
{
    (void)state;
    static const char *const smoothers[] = {"direct/GS(3)/GS(2)", "direct/J(3)/J(4)",
                                            "direct/J(2)/GS(1)"};
    problem p = small_problem(12);
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    for (int k = 0; k < 3; ++k) {
        for (int lifted = 0; lifted < 2; ++lifted) {
            pli_multigrid *mg = make_multigrid(&p, lifted, smoothers[k], false, NULL);
            AT_MOST(asymmetry(p.context, mg, n), 1e-12);
            pli_multigrid_destroy(mg);
            mg = make_multigrid(&p, lifted, smoothers[k], true, NULL);
            AT_MOST(asymmetry(p.context, mg, n), 1e-5); // rounding of floats
            pli_multigrid_destroy(mg);
        }
    }
    clear_problem(&p);
}

// In both precisions alike.
static void cycles_converge(void **state)
{
    (void)state;
    problem p = make_problem(2, (const int32_t[]){17, 14, 11}, 12, 2, (const int32_t[]){3, 9});
    for (int lifted = 0; lifted < 2; ++lifted) {
        pli_multigrid *mg = make_multigrid(&p, lifted, "direct/GS(2)", false, NULL);
        double reduced = reduction(&p, mg);
        AT_MOST(reduced, 0.45);
        pli_multigrid_destroy(mg);
        mg = make_multigrid(&p, lifted, "direct/GS(2)", true, NULL);
        NEAR(reduction(&p, mg), reduced, 0.02, 0);
        pli_multigrid_destroy(mg);
        mg = make_multigrid(&p, lifted, "direct/J(5)", true, NULL);
        AT_MOST(reduction(&p, mg), 0.6);
        pli_multigrid_destroy(mg);
    }
    clear_problem(&p);
}

static void more_sweeps_reduce_more(void **state)
{
    (void)state;
    problem p = small_problem(12);
    double before = 1;
    for (int sweeps = 1; sweeps <= 3; ++sweeps) {
        char text[64];
        snprintf(text, sizeof text, "direct/GS(1)/GS(%d)", sweeps);
        pli_multigrid *mg = make_multigrid(&p, false, text, false, NULL);
        double reduced = reduction(&p, mg);
        AT_MOST(reduced, 0.95 * before);
        before = reduced;
        pli_multigrid_destroy(mg);
    }
    clear_problem(&p);
}

static void held_coordinates_stay_and_coarse_matrices_know(void **state)
{
    (void)state;
    problem p = small_problem(12);
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    uint8_t *mask = calloc((size_t)p.mesh.vertex_count, 1);
    assert_non_null(mask);
    for (int32_t k = 0; k < p.mesh.vertex_count; k += 5) mask[k] = (uint8_t)(k % 8);
    for (int32_t k = 0; k < 30; ++k) mask[k] = 7;
    pli_bcsr_fix_dofs(p.matrix, mask, 1);
    pli_multigrid *mg = make_multigrid(&p, false, "direct/GS(2)", false, mask);
    AT_MOST(galerkin_error(&p, mg, false, 1, mask), 1e-12);
    AT_MOST(galerkin_error(&p, mg, false, 2, mask), 1e-12);
    AT_MOST(asymmetry(p.context, mg, n), 1e-12);
    double *r = random_vector(n, 3);
    double *z = new_vector(n);
    for (int64_t k = 0; k < n; ++k) r[k] = mask[k / 3] >> k % 3 & 1 ? 0 : r[k];
    pli_multigrid_apply(mg, r, z);
    for (int64_t k = 0; k < n; ++k) {
        if (mask[k / 3] >> k % 3 & 1) assert_true(z[k] == 0);
    }
    AT_MOST(reduction(&p, mg), 0.3);
    pli_multigrid_destroy(mg);

    // the lifted matrix knows whole vertices
    for (int32_t k = 0; k < p.mesh.vertex_count; ++k) mask[k] = mask[k] == 7 ? 7 : 0;
    pli_lifted_close(p.lifted, mask);
    mg = make_multigrid(&p, true, "direct/GS(2)", false, NULL);
    AT_MOST(galerkin_error(&p, mg, true, 1, mask), 1e-12);
    pli_multigrid_apply(mg, r, z);
    for (int64_t k = 0; k < n; ++k) {
        if (mask[k / 3] == 7) assert_true(z[k] == 0);
    }
    pli_multigrid_destroy(mg);
    free(mask);
    free(r);
    free(z);
    clear_problem(&p);
}

// nodes of one layer of vertices, one vertex, or none that is free.
static void flat_nodes_are_regular(void **state)
{
    (void)state;
    for (int shape = 0; shape < 3; ++shape) {
        // a plate of two layers in nodes of one, a rod of single vertices, nodes of single vertices
        static const int32_t cells[3][3] = {{9, 9, 1}, {1, 1, 12}, {3, 3, 3}};
        static const int32_t widths[3][2] = {{1, 5}, {1, 3}, {1, 4}};
        problem p = make_problem(1, cells[shape], 12, 2, widths[shape]);
        for (int lifted = 0; lifted < 2; ++lifted) {
            for (int single = 0; single < 2; ++single) {
                pli_multigrid *mg = make_multigrid(&p, lifted, "direct/GS(2)", single, NULL);
                // thin bodies are hard for elasticity: 0.53 for the plate with regular nodes, too
                AT_MOST(reduction(&p, mg), lifted ? 0.1 : 0.6);
                pli_multigrid_destroy(mg);
            }
        }
        clear_problem(&p);
    }
}

static void add_some_blocks(pli_lifted *S, int32_t count, bool isotropic)
{
    int32_t rows[64];
    double blocks[64 * 9] = {0};
    for (int32_t k = 0; k < count; ++k) {
        double n[3] = {0.6, 0, 0.8};
        rows[k] = 3 * k + 1;
        for (int m = 0; m < 9; ++m) {
            blocks[9 * k + m] = isotropic ? (m % 4 == 0 ? 20 : 0) : 30 * n[m / 3] * n[m % 3];
        }
    }
    OK(S->context, pli_lifted_set_blocks(S, count, rows, blocks));
}

// blocks that come and go leave no trace, and a matrix with them is solved as fast as one that
// was built with them.
static void blocks_on_the_diagonal_are_updated(void **state)
{
    (void)state;
    problem p = small_problem(12);
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    pli_multigrid *mg = make_multigrid(&p, true, "direct/GS(2)", false, NULL);
    double *r = random_vector(n, 3);
    double *plain = new_vector(n);
    double *z = new_vector(n);
    double *fresh = new_vector(n);
    pli_multigrid_apply(mg, r, plain);
    for (int kind = 0; kind < 2; ++kind) {
        bool definite = false;
        add_some_blocks(p.lifted, 30, kind == 0);
        OK(p.context, pli_multigrid_update_blocks(mg, &definite));
        assert_true(definite);
        pli_multigrid_apply(mg, r, z);
        pli_multigrid *other = make_multigrid(&p, true, "direct/GS(2)", false, NULL);
        pli_multigrid_apply(other, r, fresh);
        assert_memory_equal(z, fresh, (size_t)n * sizeof *z);
        assert_memory_not_equal(z, plain, (size_t)n * sizeof *z);
        AT_MOST(asymmetry(p.context, mg, n), 1e-12);
        AT_MOST(reduction(&p, mg), 0.3);
        pli_multigrid_destroy(other);
    }
    bool definite = false;
    OK(p.context, pli_lifted_set_blocks(p.lifted, 0, NULL, NULL));
    OK(p.context, pli_multigrid_update_blocks(mg, &definite));
    pli_multigrid_apply(mg, r, z);
    assert_memory_equal(z, plain, (size_t)n * sizeof *z);
    pli_multigrid_destroy(mg);
    free(r);
    free(z);
    free(plain);
    free(fresh);
    clear_problem(&p);
}

// A lifted matrix and the same one in blocks have the same cycle.
static void both_kinds_of_matrix_agree(void **state)
{
    (void)state;
    problem p = small_problem(12);
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    pli_bcsr_set_zero(p.matrix);
    add_some_blocks(p.lifted, 12, false);
    for (int32_t i = 0; i < p.lifted->row_count; ++i) {
        for (int64_t k = p.lifted->row_start[i]; k < p.lifted->row_start[i + 1]; ++k) {
            double s = p.lifted->values[k];
            double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
            assert_true(pli_bcsr_add_block(p.matrix, i, p.lifted->column[k], block));
        }
    }
    for (int32_t k = 0; k < p.lifted->block_count; ++k) {
        pli_bcsr_add_diagonal_block(p.matrix, p.lifted->block_row[k], p.lifted->blocks + 9 * k);
    }
    static const char *const smoothers[] = {"direct/GS(2)", "direct/J(3)"};
    double *r = random_vector(n, 3);
    double *z = new_vector(n);
    double *other = new_vector(n);
    for (int k = 0; k < 2; ++k) {
        pli_multigrid *lifted = make_multigrid(&p, true, smoothers[k], false, NULL);
        pli_multigrid *blocks = make_multigrid(&p, false, smoothers[k], false, NULL);
        pli_multigrid_apply(lifted, r, z);
        pli_multigrid_apply(blocks, r, other);
        double size = pli_vector_norm(p.context, n, z);
        // the damping of Jacobi is that of the matrix without blocks, so that they leave no trace
        double allowed = k == 0 ? 1e-9 : 1e-3;
        for (int64_t m = 0; m < n; ++m) NEAR(z[m], other[m], 0, allowed * size);
        pli_multigrid_destroy(lifted);
        pli_multigrid_destroy(blocks);
    }
    free(r);
    free(z);
    free(other);
    clear_problem(&p);
}

static uint64_t hash_of_cycle(int32_t threads, bool lifted)
{
    problem p =
        make_problem(threads, (const int32_t[]){17, 14, 11}, 12, 2, (const int32_t[]){3, 9});
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    pli_multigrid *mg = make_multigrid(&p, lifted, "direct/GS(2)/J(3)", true, NULL);
    double *r = random_vector(n, 3);
    double *z = new_vector(n);
    pli_multigrid_apply(mg, r, z);
    uint64_t hash = vector_hash(n, z);
    pli_multigrid_destroy(mg);
    free(r);
    free(z);
    clear_problem(&p);
    return hash;
}

static void cycles_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int lifted = 0; lifted < 2; ++lifted) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_of_cycle(bits.threads, lifted));
        }
    }
}

static void tiny_right_hand_sides_survive_single_precision(void **state)
{
    (void)state;
    problem p = small_problem(12);
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    pli_multigrid *mg = make_multigrid(&p, true, "direct/GS(2)", true, NULL);
    double *r = random_vector(n, 3);
    double *z = new_vector(n);
    double *tiny = new_vector(n);
    double scale = ldexp(1, -200);
    pli_multigrid_apply(mg, r, z);
    for (int64_t k = 0; k < n; ++k) r[k] *= scale;
    pli_multigrid_apply(mg, r, tiny);
    for (int64_t k = 0; k < n; ++k) assert_true(tiny[k] == scale * z[k]);
    memset(r, 0, (size_t)n * sizeof *r);
    pli_multigrid_apply(mg, r, z);
    for (int64_t k = 0; k < n; ++k) assert_true(z[k] == 0);
    pli_multigrid_destroy(mg);
    free(r);
    free(z);
    free(tiny);
    clear_problem(&p);
}

static void an_indefinite_matrix_is_told(void **state)
{
    (void)state;
    problem p = small_problem(12);
    pli_vcycle_def def = {.single = true};
    pli_multigrid *mg = NULL;
    bool definite = true;
    add_identity(p.matrix, -100);
    OK(p.context, pli_multigrid_parse(p.context, "direct/GS(1)", 3, &def));
    OK(p.context, pli_multigrid_create(p.context, &def, p.hierarchy, p.matrix, &mg));
    OK(p.context, pli_multigrid_build(mg, NULL, &definite));
    assert_false(definite);
    pli_multigrid_destroy(mg);
    clear_problem(&p);
}

static void smoothers_are_read(void **state)
{
    pli_context *context = *state;
    pli_vcycle_def def = {0};
    OK(context, pli_multigrid_parse(context, "direct/J(10)/GS(5)", 3, &def));
    assert_int_equal(def.smoothers[0].kind, PLI_SMOOTHER_GAUSS_SEIDEL);
    assert_int_equal(def.smoothers[0].sweeps, 5);
    assert_int_equal(def.smoothers[1].kind, PLI_SMOOTHER_JACOBI);
    assert_int_equal(def.smoothers[1].sweeps, 10);
    assert_int_equal(def.smoothers[2].kind, PLI_SMOOTHER_DIRECT);
    OK(context, pli_multigrid_parse(context, "direct/GS(3)", 4, &def));
    assert_int_equal(def.smoothers[0].sweeps, 3);
    assert_int_equal(def.smoothers[2].sweeps, 3);
    assert_int_equal(def.smoothers[3].kind, PLI_SMOOTHER_DIRECT);
    OK(context, pli_multigrid_parse(context, "direct/GS(4)/J(1)", 4, &def));
    assert_int_equal(def.smoothers[0].kind, PLI_SMOOTHER_JACOBI);
    assert_int_equal(def.smoothers[1].sweeps, 4);
    assert_int_equal(def.smoothers[2].sweeps, 4);
    OK(context, pli_multigrid_parse(context, "direct/GS(4)/J(1)", 2, &def));
    assert_int_equal(def.smoothers[0].kind, PLI_SMOOTHER_JACOBI);
    assert_int_equal(def.smoothers[1].kind, PLI_SMOOTHER_DIRECT);
    static const char *const wrong[] = {"",
                                        "direct",
                                        "GS(3)/direct",
                                        "direct/GS",
                                        "direct/GS(0)",
                                        "direct/GS(-1)",
                                        "direct/X(2)",
                                        "direct/J(2",
                                        "direct/J(2)/",
                                        "direct/direct",
                                        "direct/GS(1)/GS(1)/GS(1)"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        assert_int_not_equal(pli_multigrid_parse(context, wrong[k], 3, &def), PLI_OK);
    }
}

// More than 1800 unknowns of the coarsest level, as affine nodes and as translations.
static problem large_coarsest(pli_context *context, int32_t dofs)
{
    const int32_t affine[3] = {11, 11, 9};
    const int32_t rigid[3] = {11, 8, 5};
    return make_problem_in(context, dofs == 12 ? affine : rigid, dofs, 1,
                           dofs == 12 ? (const int32_t[]){2} : (const int32_t[]){1});
}

static void sparse_and_dense_coarsest_levels_agree(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    for (int32_t dofs = 3; dofs <= 12; dofs += 9) {
        problem p = large_coarsest(make_context(1), dofs);
        int64_t n = 3 * (int64_t)p.mesh.vertex_count;
        pli_multigrid *mg = make_multigrid(&p, false, "direct/GS(1)", false, NULL);
        double *r = random_vector(n, 3);
        double *z = new_vector(n);
        double *other = new_vector(n);
        pli_bcsr *sparse = mg->sparse;
        bool definite = false;
        assert_non_null(sparse);
        pli_multigrid_apply(mg, r, z);
        mg->sparse = NULL;
        OK(p.context, pli_mg_dense_factor(mg, &definite));
        assert_true(definite);
        pli_multigrid_apply(mg, r, other);
        mg->sparse = sparse;
        // two orders of the same sums: rounding times the condition of the coarse matrix
        double size = pli_vector_norm(p.context, n, z);
        for (int64_t k = 0; k < n; ++k) NEAR(z[k], other[k], 0, 1e-10 * size);
        pli_multigrid_destroy(mg);
        free(r);
        free(z);
        free(other);
        clear_problem(&p);
    }
}

static uint64_t hash_of_sparse_cycle(int32_t threads)
{
    problem p = large_coarsest(make_context(threads), 12);
    int64_t n = 3 * (int64_t)p.mesh.vertex_count;
    pli_multigrid *mg = make_multigrid(&p, false, "direct/GS(1)", true, NULL);
    double *r = random_vector(n, 3);
    pli_multigrid_apply(mg, r, r);
    uint64_t hash = vector_hash(n, r);
    pli_multigrid_destroy(mg);
    free(r);
    clear_problem(&p);
    return hash;
}

static void sparse_coarsest_levels_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        same_bits_keep_hash(&bits, hash_of_sparse_cycle(bits.threads));
    }
}

static pli_status build_once(problem *p, const pli_vcycle_def *def, bool lifted)
{
    pli_multigrid *mg = NULL;
    bool definite = false;
    pli_status status =
        lifted ? pli_multigrid_create_lifted(p->context, def, p->hierarchy, p->lifted, &mg)
               : pli_multigrid_create(p->context, def, p->hierarchy, p->matrix, &mg);
    assert_int_equal(mg == NULL, status != PLI_OK);
    if (status == PLI_OK) status = pli_multigrid_build(mg, NULL, &definite);
    pli_multigrid_destroy(mg);
    return status;
}

static void memory_may_run_out_at_any_point(void **state)
{
    (void)state;
    for (int lifted = 0; lifted < 2; ++lifted) {
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            fault_sweep_pause(&sweep);
            problem p = make_problem_in(sweep.context, (const int32_t[]){3, 3, 2}, 12, 2,
                                        (const int32_t[]){2, 4});
            add_some_blocks(p.lifted, 5, false);
            pli_vcycle_def def = {.single = true};
            OK(sweep.context, pli_multigrid_parse(sweep.context, "direct/GS(1)", 3, &def));
            fault_sweep_resume(&sweep);
            sweep.status = build_once(&p, &def, lifted);
            clear_problem(&p);
            sweep.context = NULL;
        }
    }
}

// Every failure while a sparse coarsest level is created; the rest is tested above.
static void memory_may_run_out_in_sparse_coarsest_levels(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        problem p = large_coarsest(sweep.context, 3);
        pli_vcycle_def def = {.single = true};
        OK(sweep.context, pli_multigrid_parse(sweep.context, "direct/GS(1)", 2, &def));
        fault_sweep_resume(&sweep);
        sweep.status = build_once(&p, &def, false);
        clear_problem(&p);
        sweep.context = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_matrices_are_galerkin_products),
        cmocka_unit_test(cycles_are_symmetric),
        cmocka_unit_test(cycles_converge),
        cmocka_unit_test(more_sweeps_reduce_more),
        cmocka_unit_test(held_coordinates_stay_and_coarse_matrices_know),
        cmocka_unit_test(flat_nodes_are_regular),
        cmocka_unit_test(blocks_on_the_diagonal_are_updated),
        cmocka_unit_test(both_kinds_of_matrix_agree),
        cmocka_unit_test(cycles_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(tiny_right_hand_sides_survive_single_precision),
        cmocka_unit_test(an_indefinite_matrix_is_told),
        TEST_IN_CONTEXT(smoothers_are_read, 1),
        cmocka_unit_test(memory_may_run_out_at_any_point),
        cmocka_unit_test(sparse_and_dense_coarsest_levels_agree),
        cmocka_unit_test(sparse_coarsest_levels_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(memory_may_run_out_in_sparse_coarsest_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
