// SPDX-License-Identifier: Apache-2.0
//
// Every constructor and solver with its n-th allocation failing, for all n: each must report it,
// leave its output NULL and give everything back.
#include "support/fault_sweep.h"
#include "unit/linear/problems.h"

#include "linear/direct/cholesky.h"
#include "linear/krylov/krylov.h"
#include "linear/matrix/bcsr_float.h"
#include "linear/matrix/bcsr_single.h"
#include "linear/matrix/ell.h"
#include "linear/matrix/stencils.h"

enum { ROWS = 30, TRIANGLES = 2 * ROWS };

// What the attempts work on, made before allocations begin to fail.
typedef struct fixture {
    pli_context *context;
    pli_clique_list list;
    pli_bcsr *matrix;
    pli_ell *grid;
    double *b;
    double *x;
} fixture;

typedef pli_status (*attempt_fn)(const fixture *f);

static pli_status attempt_matrix(const fixture *f)
{
    pli_bcsr *matrix = NULL;
    pli_status status = pli_bcsr_create(f->context, ROWS, 1, &f->list, &matrix);
    assert_int_equal(matrix == NULL, status != PLI_OK);
    pli_bcsr_destroy(matrix);
    return status;
}

static pli_status attempt_matrix_from_rows(const fixture *f)
{
    pli_bcsr *matrix = NULL;
    pli_status status = pli_bcsr_create_from_rows(f->context, ROWS, f->matrix->row_start,
                                                  f->matrix->column, &matrix);
    assert_int_equal(matrix == NULL, status != PLI_OK);
    pli_bcsr_destroy(matrix);
    return status;
}

static pli_status attempt_rebuild(const fixture *f)
{
    // the first list is kept when the second can't be had
    uint64_t before = f->matrix->revision;
    pli_clique_list shorter = f->list;
    shorter.count /= 2;
    pli_status status = pli_bcsr_build(f->matrix, ROWS, 1, &shorter);
    assert_int_equal(f->matrix->revision == before, status != PLI_OK);
    return status;
}

static pli_status attempt_slots(const fixture *f)
{
    int32_t *slots = NULL;
    pli_status status = pli_bcsr_slots(f->context, f->matrix, &f->list, &slots);
    assert_int_equal(slots == NULL, status != PLI_OK);
    pli_release(f->context, slots);
    return status;
}

static pli_status attempt_graph_coloring(const fixture *f, pli_coloring_method method)
{
    pli_graph graph = pli_bcsr_graph(f->matrix);
    pli_graph_coloring *coloring = NULL;
    pli_status status = pli_graph_coloring_create(f->context, &graph, method, 1, &coloring);
    assert_int_equal(coloring == NULL, status != PLI_OK);
    pli_graph_coloring_destroy(coloring);
    return status;
}

static pli_status attempt_greedy(const fixture *f)
{
    return attempt_graph_coloring(f, PLI_COLORING_GREEDY);
}

static pli_status attempt_random(const fixture *f)
{
    return attempt_graph_coloring(f, PLI_COLORING_RANDOM);
}

static pli_status attempt_chunks(const fixture *f)
{
    pli_chunk_coloring *coloring = NULL;
    pli_status status = pli_chunk_coloring_create(f->context, ROWS, &f->list, 4, &coloring);
    assert_int_equal(coloring == NULL, status != PLI_OK);
    pli_chunk_coloring_destroy(coloring);
    return status;
}

static pli_status attempt_ell(const fixture *f)
{
    pli_ell *grid = NULL;
    pli_status status = pli_ell_create(f->context, 10, 5, 2, &grid);
    assert_int_equal(grid == NULL, status != PLI_OK);
    if (status == PLI_OK) {
        status = pli_ell_resize(grid, 20);
        assert_int_equal(grid->row_count, status == PLI_OK ? 20 : 0);
    }
    pli_ell_destroy(grid);
    return status;
}

static pli_status attempt_cholesky(const fixture *f)
{
    pli_cholesky *cholesky = NULL;
    pli_cholesky_def def = {.order = PLI_CHOLESKY_ORDER_DISSECTION};
    bool positive = false;
    pli_status status = pli_cholesky_create(f->context, &def, f->matrix, &cholesky);
    assert_int_equal(cholesky == NULL, status != PLI_OK);
    if (status == PLI_OK) status = pli_cholesky_factor(cholesky, f->matrix, 0, &positive);
    if (status == PLI_OK) status = pli_cholesky_solve(cholesky, 1, f->b, f->x);
    pli_cholesky_destroy(cholesky);
    return status;
}

static pli_status attempt_krylov(const fixture *f)
{
    pli_operator A = pli_bcsr_operator(f->matrix);
    pli_krylov_system system = {.A = &A, .B = &A, .b = f->b, .x = f->x};
    pli_krylov_def def = pli_krylov_def_default();
    pli_krylov_report report;
    pli_arena *arena = NULL;
    pli_status status = pli_arena_create(f->context, 0, &arena);
    if (status != PLI_OK) return status;
    status = pli_pcg(f->context, &def, &system, arena, &report);
    if (status == PLI_OK) status = pli_minres(f->context, &def, &system, arena, &report);
    pli_arena_destroy(arena);
    return status;
}

static const int32_t far_stencils[2][4] = {{0, 7, 19, 23}, {2, 29, 11, 5}};

static pli_status attempt_stencils(const fixture *f)
{
    static const double hessians[2 * PLI_STENCIL_DOFS * PLI_STENCIL_DOFS] = {0};
    pli_stencils stencils;
    pli_stencils_init(f->context, &stencils);
    pli_status status = pli_stencils_build(&stencils, f->matrix, 2, far_stencils[0]);
    assert_int_equal(stencils.count, status == PLI_OK ? 2 : 0);
    if (status == PLI_OK) assert_true(pli_stencils_add(&stencils, hessians, f->matrix));
    pli_stencils_clear(&stencils);
    return status;
}

static pli_status attempt_single(const fixture *f)
{
    pli_bcsr_single single;
    pli_bcsr_single_init(f->context, &single);
    pli_status status = attempt_stencils(f);
    if (status == PLI_OK) status = pli_bcsr_single_build(&single, f->matrix);
    assert_int_equal(single.matrix != NULL, status == PLI_OK);
    pli_bcsr_single_clear(&single);
    return status;
}

static pli_status attempt_float(const fixture *f)
{
    pli_bcsr_float copy;
    pli_bcsr_float_init(f->context, &copy);
    pli_status status = pli_bcsr_float_build(&copy, f->matrix);
    assert_int_equal(copy.matrix != NULL, status == PLI_OK);
    pli_bcsr_float_clear(&copy);
    return status;
}

// A factorisation that analyses again because there are extra blocks now.
static pli_status attempt_analysis(const fixture *f)
{
    pli_cholesky *cholesky = NULL;
    pli_cholesky_def def = {.order = PLI_CHOLESKY_ORDER_DISSECTION};
    bool positive = false;
    pli_status status = pli_cholesky_create(f->context, &def, f->matrix, &cholesky);
    if (status != PLI_OK) return status;
    pli_cholesky_begin(cholesky);
    status = attempt_stencils(f);
    if (status == PLI_OK) status = pli_cholesky_factor(cholesky, f->matrix, 0, &positive);
    if (status != PLI_OK) {
        // it can be done again
        assert_int_equal(pli_cholesky_solve(cholesky, 1, f->b, f->x), PLI_ERROR_ARGUMENT);
    }
    pli_cholesky_destroy(cholesky);
    return status;
}

static fixture make_fixture(pli_context *context, int32_t *triangles)
{
    fixture f = {.context = context,
                 .list = {3, TRIANGLES, triangles},
                 .b = random_vector(3 * ROWS, 1),
                 .x = new_vector(3 * ROWS)};
    OK(context, pli_bcsr_create(context, ROWS, 1, &f.list, &f.matrix));
    add_identity(f.matrix, 3);
    OK(context, pli_ell_create(context, 4, 1, 0, &f.grid));
    for (int row = 0; row < 4; ++row) f.grid->column[row] = row;
    return f;
}

static void clear_fixture(fixture *f)
{
    pli_ell_destroy(f->grid);
    pli_bcsr_destroy(f->matrix);
    free(f->b);
    free(f->x);
}

// Once with a failure that passes, once with one that stays. An attempt may succeed all the same:
// an arena that can't grow works on in pieces.
static void starve(attempt_fn attempt, int64_t at_least)
{
    int32_t *triangles = random_triangles(ROWS, 4);
    for (int stays = 0; stays < 2; ++stays) {
        fault_sweep sweep = {.absorbs = true, .stays_short = stays == 1, .at_least = at_least};
        while (fault_sweep_next(&sweep)) {
            fault_sweep_pause(&sweep);
            fixture f = make_fixture(sweep.context, triangles);
            fault_sweep_resume(&sweep);
            sweep.status = attempt(&f);
            clear_fixture(&f);
        }
    }
    free(triangles);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    static const attempt_fn attempts[] = {
        attempt_matrix, attempt_matrix_from_rows, attempt_rebuild, attempt_slots,
        attempt_greedy, attempt_random,           attempt_chunks,  attempt_krylov,
        attempt_ell,    attempt_stencils,         attempt_single,  attempt_float};
    for (size_t k = 0; k < sizeof attempts / sizeof *attempts; ++k) starve(attempts[k], 1);
}

static void sparse_cholesky_survives_failed_allocations(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    starve(attempt_cholesky, 3);
    starve(attempt_analysis, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(sparse_cholesky_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
