// SPDX-License-Identifier: Apache-2.0
#include "linear/cholesky.h"

#ifdef PLI_HAS_CHOLMOD

#include "linear/bcsr_extra.h"
#include "linear/vector.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <cholmod.h>
#include <dlfcn.h>
#include <string.h>
#ifdef PLI_HAS_METIS
#include <metis.h>
#endif

enum { DISSECTION_SIZE = 2000, ROW_GRAIN = 256 };

struct pli_cholesky {
    pli_context *context;
    pli_cholesky_def def;
    int32_t row_count;
    int32_t side; // unknowns per row: 3, or 1 for an isotropic matrix
    uint64_t revision;
    uint64_t extra_revision; // of the extra blocks that were analysed, and how many these are
    int64_t extra_count;
    bool dissected;
    bool factored; // L holds a finished factor
    int64_t failed_row;

    cholmod_common common;
    cholmod_sparse *A; // upper triangle by columns: column 3i + c is row c of block row i
    cholmod_factor *L; // NULL: nothing was analysed
    cholmod_dense *B;  // right-hand sides of an isotropic matrix, [3 rhs_count][row_count]
    cholmod_dense *X;  // solutions; Y and E are CHOLMOD's scratch
    cholmod_dense *Y;
    cholmod_dense *E;
};

bool pli_cholesky_is_available(void)
{
    return true;
}

// OpenBLAS's own number of threads, held back while we compute.
typedef struct blas_guard {
    void (*set_threads)(int count);
    int before;
} blas_guard;

static blas_guard blas_hold(const pli_cholesky *cholesky)
{
    blas_guard guard = {NULL, 1};
    int (*get_threads)(void) = NULL;
    // ISO C has no conversion from object to function pointers; POSIX asks for this form
    *(void **)&guard.set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    *(void **)&get_threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    if (guard.set_threads == NULL || get_threads == NULL) return (blas_guard){NULL, 1};
    guard.before = get_threads();
    int wanted = cholesky->def.blas_threads > 0 ? cholesky->def.blas_threads : 1;
    if (wanted == guard.before) return (blas_guard){NULL, 1};
    guard.set_threads(wanted);
    return guard;
}

static void blas_free(blas_guard guard)
{
    if (guard.set_threads != NULL) guard.set_threads(guard.before);
}

// Turns CHOLMOD's last status into ours.
static pli_status cholmod_outcome(pli_cholesky *cholesky, const char *what)
{
    switch (cholesky->common.status) {
    case CHOLMOD_OK:
    case CHOLMOD_NOT_POSDEF:
    case CHOLMOD_DSMALL: return PLI_OK;
    case CHOLMOD_OUT_OF_MEMORY:
        return PLI_FAIL(cholesky->context, PLI_ERROR_MEMORY, "out of memory in sparse Cholesky, %s",
                        what);
    case CHOLMOD_TOO_LARGE:
        return PLI_FAIL(cholesky->context, PLI_ERROR_UNSUPPORTED,
                        "the system of %d rows is too large for sparse Cholesky, %s",
                        (int)cholesky->row_count, what);
    default:
        return PLI_FAIL(cholesky->context, PLI_ERROR_NUMERIC,
                        "sparse Cholesky failed in %s, CHOLMOD status %d", what,
                        cholesky->common.status);
    }
}

// Whether extra block k stands in a row, before the diagonal.
static inline bool is_lower_extra(const pli_bcsr_extra *extra, int64_t k, int64_t row)
{
    return k < extra->count && extra->blocks[k].row == row && extra->blocks[k].column < row;
}

static pli_status check_extra(pli_context *context, const pli_bcsr *matrix)
{
    if (matrix->extra.open) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "extra blocks were added to the matrix, which was not closed since");
    }
    for (int64_t k = 0; k < matrix->extra.count; ++k) {
        const pli_extra_block *block = matrix->extra.blocks + k;
        if (pli_bcsr_extra_find(matrix, block->column, block->row) != NULL) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "extra block (%d, %d) has no mirror; a symmetric matrix needs both",
                        (int)block->row, (int)block->column);
    }
    return PLI_OK;
}

// Pattern of the upper triangle with `side` unknowns per row; side 1 gives the graph of blocks. A
// column holds the blocks of the pattern, then the extra ones, then the diagonal.
static cholmod_sparse *make_upper(pli_cholesky *cholesky, const pli_bcsr *matrix, int32_t side,
                                  int xtype)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    int64_t rows = matrix->row_count;
    int64_t lower = (matrix->block_count - rows + extra->count) / 2;
    int64_t entries = lower * side * side + rows * side * (side + 1) / 2;
    size_t n = (size_t)(rows * side);
    cholmod_sparse *A = cholmod_l_allocate_sparse(n, n, (size_t)entries, extra->count == 0, 1, 1,
                                                  xtype, &cholesky->common);
    if (A == NULL) return NULL;
    SuiteSparse_long *start = A->p;
    SuiteSparse_long *index = A->i;
    int64_t at = 0;
    int64_t first = 0; // extra block of the row
    for (int64_t column = 0; column < rows * side; ++column) {
        int64_t row = column / side;
        start[column] = at;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->diagonal[row]; ++slot) {
            for (int32_t r = 0; r < side; ++r) {
                index[at++] = (SuiteSparse_long)matrix->column[slot] * side + r;
            }
        }
        while (first < extra->count && extra->blocks[first].row < row) ++first;
        for (int64_t k = first; is_lower_extra(extra, k, row); ++k) {
            for (int32_t r = 0; r < side; ++r) {
                index[at++] = (SuiteSparse_long)extra->blocks[k].column * side + r;
            }
        }
        for (int64_t r = row * side; r <= column; ++r) index[at++] = r;
    }
    start[rows * side] = at;
    return A;
}

#ifdef PLI_HAS_METIS

// Copies the couplings of rows without the diagonal.
static void fill_metis_graph(const pli_bcsr *matrix, idx_t *start, idx_t *neighbor)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    idx_t at = 0;
    int64_t k = 0;
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        start[row] = at;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (matrix->column[slot] != row) neighbor[at++] = matrix->column[slot];
        }
        for (; k < extra->count && extra->blocks[k].row == row; ++k) {
            neighbor[at++] = extra->blocks[k].column;
        }
    }
    start[matrix->row_count] = at;
}

// Couplings of rows with others, in both directions.
static int64_t edge_count(const pli_bcsr *matrix)
{
    return matrix->block_count - matrix->row_count + matrix->extra.count;
}

static pli_status order_by_dissection(pli_cholesky *cholesky, const pli_bcsr *matrix,
                                      SuiteSparse_long *order)
{
    pli_context *context = cholesky->context;
    int64_t rows = matrix->row_count;
    idx_t *start = PLI_NEW(context, idx_t, rows + 1, "dissection");
    idx_t *neighbor = PLI_NEW(context, idx_t, edge_count(matrix), "dissection");
    idx_t *order_of = PLI_NEW(context, idx_t, rows, "dissection");
    idx_t *place_of = PLI_NEW(context, idx_t, rows, "dissection");
    pli_status status = PLI_ERROR_MEMORY;
    if (start == NULL || neighbor == NULL || order_of == NULL || place_of == NULL) goto done;

    fill_metis_graph(matrix, start, neighbor);
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = cholesky->def.seed;
    idx_t count = (idx_t)rows;
    int outcome = METIS_NodeND(&count, start, neighbor, NULL, options, order_of, place_of);
    if (outcome != METIS_OK) {
        status =
            PLI_FAIL(context, outcome == METIS_ERROR_MEMORY ? PLI_ERROR_MEMORY : PLI_ERROR_NUMERIC,
                     "nested dissection of %d rows failed, METIS status %d", (int)rows, outcome);
        goto done;
    }
    for (int64_t k = 0; k < rows; ++k) order[k] = order_of[k];
    cholesky->dissected = true;
    status = PLI_OK;

done:
    pli_release(context, start);
    pli_release(context, neighbor);
    pli_release(context, order_of);
    pli_release(context, place_of);
    return status;
}

static bool wants_dissection(const pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    // METIS needs edges, and counts them with 32 bits
    int64_t edges = edge_count(matrix);
    if (edges == 0 || edges > INT32_MAX) return false;
    if (cholesky->def.order == PLI_CHOLESKY_ORDER_DISSECTION) return true;
    return cholesky->def.order == PLI_CHOLESKY_ORDER_AUTO && matrix->row_count > DISSECTION_SIZE;
}

#else

static pli_status order_by_dissection(pli_cholesky *cholesky, const pli_bcsr *matrix,
                                      SuiteSparse_long *order)
{
    (void)matrix;
    (void)order;
    return PLI_FAIL(cholesky->context, PLI_ERROR_UNSUPPORTED, "this build has no METIS");
}

static bool wants_dissection(const pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    (void)cholesky;
    (void)matrix;
    return false;
}

#endif

static pli_status order_by_degree(pli_cholesky *cholesky, const pli_bcsr *matrix,
                                  SuiteSparse_long *order)
{
    cholmod_sparse *graph = make_upper(cholesky, matrix, 1, CHOLMOD_PATTERN);
    if (graph != NULL) cholmod_l_amd(graph, NULL, 0, order, &cholesky->common);
    cholmod_l_free_sparse(&graph, &cholesky->common);
    return cholmod_outcome(cholesky, "ordering");
}

// Orders the rows, expands the order to unknowns, and analyses A.
static pli_status analyse_upper(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    pli_context *context = cholesky->context;
    int64_t rows = matrix->row_count;
    int64_t side = cholesky->side;
    SuiteSparse_long *order = PLI_NEW(context, SuiteSparse_long, rows, "Cholesky order");
    SuiteSparse_long *expanded = PLI_NEW(context, SuiteSparse_long, rows * side, "Cholesky order");
    pli_status status = PLI_ERROR_MEMORY;
    if (order == NULL || expanded == NULL) goto done;
    cholesky->dissected = false;
    status = wants_dissection(cholesky, matrix) ? order_by_dissection(cholesky, matrix, order)
                                                : order_by_degree(cholesky, matrix, order);
    if (status != PLI_OK) goto done;
    for (int64_t k = 0; k < rows * side; ++k) expanded[k] = side * order[k / side] + k % side;

    cholesky->L = cholmod_l_analyze_p(cholesky->A, expanded, NULL, 0, &cholesky->common);
    status = cholmod_outcome(cholesky, "analysis");

done:
    pli_release(context, order);
    pli_release(context, expanded);
    return status;
}

// The symbolic part for pattern and extra blocks; on failure there is none.
static pli_status analyse(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    cholmod_l_free_factor(&cholesky->L, &cholesky->common);
    cholmod_l_free_sparse(&cholesky->A, &cholesky->common);
    PLI_TRY(check_extra(cholesky->context, matrix));
    cholesky->A = make_upper(cholesky, matrix, cholesky->side, CHOLMOD_REAL);
    PLI_TRY(cholmod_outcome(cholesky, "set-up"));
    cholesky->extra_revision = matrix->extra.revision;
    cholesky->extra_count = matrix->extra.count;
    return analyse_upper(cholesky, matrix);
}

static bool is_analysed(const pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    return cholesky->L != NULL && !matrix->extra.open &&
           cholesky->extra_revision == matrix->extra.revision &&
           cholesky->extra_count == matrix->extra.count;
}

static void start_cholmod(cholmod_common *common)
{
    cholmod_l_start(common);
    common->print = 0;
    common->error_handler = NULL;
    common->useGPU = 0;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 1;
    common->supernodal = CHOLMOD_AUTO;
    common->final_ll = 1;
    common->quick_return_if_not_posdef = 1;
}

pli_status pli_cholesky_create(pli_context *context, const pli_cholesky_def *def,
                               const pli_bcsr *matrix, pli_cholesky **cholesky)
{
    *cholesky = NULL;
    pli_cholesky *made = PLI_NEW(context, pli_cholesky, 1, "Cholesky");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->row_count = matrix->row_count;
    made->side = def->isotropic ? 1 : 3;
    made->revision = matrix->revision;
    made->failed_row = -1;
    start_cholmod(&made->common);

    pli_status status = analyse(made, matrix);
    if (status != PLI_OK) {
        pli_cholesky_destroy(made);
        return status;
    }
    *cholesky = made;
    return PLI_OK;
}

void pli_cholesky_destroy(pli_cholesky *cholesky)
{
    if (cholesky == NULL) return;
    cholmod_common *common = &cholesky->common;
    cholmod_l_free_sparse(&cholesky->A, common);
    cholmod_l_free_factor(&cholesky->L, common);
    cholmod_l_free_dense(&cholesky->B, common);
    cholmod_l_free_dense(&cholesky->X, common);
    cholmod_l_free_dense(&cholesky->Y, common);
    cholmod_l_free_dense(&cholesky->E, common);
    cholmod_l_finish(common);
    pli_release(cholesky->context, cholesky);
}

typedef struct fill_job {
    pli_cholesky *cholesky;
    const pli_bcsr *matrix;
    double shift;
} fill_job;

// Values of the upper triangle: column 3i + c takes row c of the blocks (i, j <= i), by symmetry.
static void fill_range(void *user, int64_t begin, int64_t end)
{
    const fill_job *job = user;
    const pli_bcsr *matrix = job->matrix;
    const SuiteSparse_long *start = job->cholesky->A->p;
    double *entries = job->cholesky->A->x;
    int64_t side = job->cholesky->side;
    const pli_bcsr_extra *extra = &matrix->extra;
    int64_t first = pli_bcsr_extra_begin(matrix, begin); // extra block of the row
    for (int64_t column = begin * side; column < end * side; ++column) {
        int64_t row = column / side;
        int64_t c = column % side;
        double *at = entries + start[column];
        for (int64_t slot = matrix->row_start[row]; slot < matrix->diagonal[row]; ++slot) {
            memcpy(at, matrix->values + 9 * slot + 3 * c, (size_t)side * sizeof(double));
            at += side;
        }
        while (first < extra->count && extra->blocks[first].row < row) ++first;
        for (int64_t k = first; is_lower_extra(extra, k, row); ++k, at += side) {
            memcpy(at, extra->blocks[k].values + 3 * c, (size_t)side * sizeof(double));
        }
        memcpy(at, matrix->values + 9 * matrix->diagonal[row] + 3 * c,
               (size_t)(c + 1) * sizeof(double));
        at[c] += job->shift;
    }
}

pli_status pli_cholesky_factor(pli_cholesky *cholesky, const pli_bcsr *matrix, double shift,
                               bool *positive)
{
    *positive = false;
    cholesky->factored = false;
    if (cholesky->revision != matrix->revision || cholesky->row_count != matrix->row_count) {
        return PLI_FAIL(cholesky->context, PLI_ERROR_ARGUMENT,
                        "the factorisation was made for another pattern (%d rows, the matrix has "
                        "%d); create it for this one",
                        (int)cholesky->row_count, (int)matrix->row_count);
    }
    if (!is_analysed(cholesky, matrix)) PLI_TRY(analyse(cholesky, matrix));
    fill_job job = {cholesky, matrix, shift};
    pli_parallel_for(cholesky->context, matrix->row_count, ROW_GRAIN, fill_range, &job);

    blas_guard guard = blas_hold(cholesky);
    cholmod_l_factorize(cholesky->A, cholesky->L, &cholesky->common);
    blas_free(guard);
    PLI_TRY(cholmod_outcome(cholesky, "factorisation"));
    // rcond is zero when a pivot failed and when one is not a number, which the former misses
    cholesky->factored = cholmod_l_rcond(cholesky->L, &cholesky->common) > 0;
    cholesky->failed_row = cholesky->factored ? -1 : (int64_t)cholesky->L->minor;
    *positive = cholesky->factored;
    return PLI_OK;
}

// B = [x y z] columns of every right-hand side of an isotropic system
static pli_status gather_isotropic(pli_cholesky *cholesky, int32_t rhs_count, const double *b)
{
    size_t rows = (size_t)cholesky->row_count;
    size_t columns = 3 * (size_t)rhs_count;
    if (cholesky->B == NULL || cholesky->B->ncol != columns) {
        cholmod_l_free_dense(&cholesky->B, &cholesky->common);
        cholesky->B =
            cholmod_l_allocate_dense(rows, columns, rows, CHOLMOD_REAL, &cholesky->common);
        if (cholesky->B == NULL) return cholmod_outcome(cholesky, "right-hand side");
    }
    double *B = cholesky->B->x;
    for (size_t column = 0; column < columns; ++column) {
        const double *from = b + column / 3 * 3 * rows + column % 3;
        for (size_t row = 0; row < rows; ++row) B[column * rows + row] = from[3 * row];
    }
    return PLI_OK;
}

static void scatter_isotropic(const pli_cholesky *cholesky, int32_t rhs_count, double *x)
{
    const double *X = cholesky->X->x;
    size_t rows = (size_t)cholesky->row_count;
    for (size_t column = 0; column < 3 * (size_t)rhs_count; ++column) {
        double *to = x + column / 3 * 3 * rows + column % 3;
        for (size_t row = 0; row < rows; ++row) to[3 * row] = X[column * rows + row];
    }
}

static pli_status solve_columns(pli_cholesky *cholesky, cholmod_dense *B)
{
    blas_guard guard = blas_hold(cholesky);
    cholmod_l_solve2(CHOLMOD_A, cholesky->L, B, NULL, &cholesky->X, NULL, &cholesky->Y,
                     &cholesky->E, &cholesky->common);
    blas_free(guard);
    return cholmod_outcome(cholesky, "substitution");
}

pli_status pli_cholesky_solve(pli_cholesky *cholesky, int32_t rhs_count, const double *b, double *x)
{
    if (!cholesky->factored) {
        return PLI_FAIL(
            cholesky->context, PLI_ERROR_ARGUMENT,
            "there is no factor to solve with; factor a positive definite matrix first");
    }
    if (cholesky->row_count == 0 || rhs_count <= 0) return PLI_OK;
    if (cholesky->def.isotropic) {
        PLI_TRY(gather_isotropic(cholesky, rhs_count, b));
        PLI_TRY(solve_columns(cholesky, cholesky->B));
        scatter_isotropic(cholesky, rhs_count, x);
        return PLI_OK;
    }
    size_t n = 3 * (size_t)cholesky->row_count;
    size_t columns = (size_t)rhs_count;
    // CHOLMOD reads B only, but its type has no const
    cholmod_dense B = {.nrow = n,
                       .ncol = columns,
                       .nzmax = n * columns,
                       .d = n,
                       .x = (void *)(uintptr_t)b,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
    PLI_TRY(solve_columns(cholesky, &B));
    pli_vector_copy(cholesky->context, (int64_t)(n * columns), cholesky->X->x, x);
    return PLI_OK;
}

pli_cholesky_report pli_cholesky_get_report(const pli_cholesky *cholesky)
{
    return (pli_cholesky_report){.factor_entries = (int64_t)cholesky->common.lnz,
                                 .flops = cholesky->common.fl,
                                 .memory_bytes = (int64_t)cholesky->common.memory_inuse,
                                 .supernodal = cholesky->L != NULL && cholesky->L->is_super != 0,
                                 .dissected = cholesky->dissected,
                                 .failed_row = cholesky->failed_row};
}

#else

bool pli_cholesky_is_available(void)
{
    return false;
}

pli_status pli_cholesky_create(pli_context *context, const pli_cholesky_def *def,
                               const pli_bcsr *matrix, pli_cholesky **cholesky)
{
    (void)def;
    (void)matrix;
    *cholesky = NULL;
    return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                    "this build has no sparse Cholesky (CHOLMOD was not found or switched off); "
                    "use an iterative solver");
}

void pli_cholesky_destroy(pli_cholesky *cholesky)
{
    (void)cholesky;
}

pli_status pli_cholesky_factor(pli_cholesky *cholesky, const pli_bcsr *matrix, double shift,
                               bool *positive)
{
    (void)cholesky;
    (void)matrix;
    (void)shift;
    *positive = false;
    return PLI_ERROR_UNSUPPORTED;
}

pli_status pli_cholesky_solve(pli_cholesky *cholesky, int32_t rhs_count, const double *b, double *x)
{
    (void)cholesky;
    (void)rhs_count;
    (void)b;
    (void)x;
    return PLI_ERROR_UNSUPPORTED;
}

pli_cholesky_report pli_cholesky_get_report(const pli_cholesky *cholesky)
{
    (void)cholesky;
    return (pli_cholesky_report){.failed_row = -1};
}

#endif
