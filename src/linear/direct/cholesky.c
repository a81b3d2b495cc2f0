// SPDX-License-Identifier: Apache-2.0
#include "linear/direct/cholesky.h"

#ifdef PLI_HAS_CHOLMOD

#include "linear/direct/supernodal.h"
#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/openblas.h"
#include "linear/matrix/vector.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <cholmod.h>
#include <string.h>
#ifdef PLI_HAS_METIS
#include <metis.h>
#endif

enum {
    DISSECTION_SIZE = 1000,
    ROW_GRAIN = 256,
    PERMUTE_GRAIN = 8192,
    SPARE_PLACES = 256 // places beyond those in use that never make an analysis too large
};

// an order is given up when its factor is this much larger than one whose order knows the pattern
static const double fill_limit = 1.5;

// places of earlier extra blocks are kept in the analysis while all are not this many times more
// than those in use
static const double place_limit = 2;

// Where an extra block of the lower triangle is, or was since the last begin: column < row.
typedef struct place {
    int32_t row;
    int32_t column;
} place;

struct pli_cholesky {
    pli_context *context;
    pli_cholesky_def def;
    int32_t row_count;
    int32_t side; // unknowns per row: 3, or 1 for an isotropic matrix
    uint64_t revision;
    bool dissected;

    // the order of rows: that of the pattern, or one that knows the places too
    SuiteSparse_long *order;       // [row_count]  row of the k-th pivot
    SuiteSparse_long *first_order; // [row_count]  that of the pattern alone
    bool is_first_order;
    double first_fill; // entries of the factor of the pattern alone in its order
    double fill;       // entries of the factor when the order was made

    // what was analysed
    uint64_t extra_revision; // of the extra blocks, and how many these were
    int64_t extra_count;
    bool keeps_places; // begin was called: places stay from one factorisation to the next
    int64_t place_count;
    place *places; // [place_count]  by row and column

    bool factored; // L holds a finished factor
    int32_t order_count;
    int32_t analysis_count;
    int64_t failed_row;

    cholmod_common common;
    cholmod_sparse *A; // upper triangle by columns: column 3i + c is row c of block row i
    cholmod_factor *L; // NULL: nothing was analysed
    cholmod_dense *X;  // solutions; Y and E are CHOLMOD's scratch
    cholmod_dense *Y;
    cholmod_dense *E;
    double *padded; // [row_count][4]  right-hand side of an isotropic matrix; NULL until needed
};

bool pli_cholesky_is_available(void)
{
    return true;
}

// Calls body, which calls CHOLMOD, with the threads of the def.
static void call_cholmod(const pli_cholesky *cholesky, pli_task_fn body, void *user)
{
    if (cholesky->def.hosted) {
        body(user);
        return;
    }
    int32_t threads = cholesky->def.blas_threads > 0 ? cholesky->def.blas_threads : 1;
    pli_openblas_call(threads, body, user);
}

pli_status pli_cholesky_host(pli_context *context, pli_task_fn body, void *user)
{
    return pli_openblas_host(context, body, user);
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

// ---- places of extra blocks

// Whether place k stands in a row.
static inline bool is_in_row(const pli_cholesky *cholesky, int64_t k, int64_t row)
{
    return k < cholesky->place_count && cholesky->places[k].row == row;
}

// First place whose row is `row` or larger.
static int64_t first_place(const pli_cholesky *cholesky, int64_t row)
{
    int64_t low = 0;
    int64_t high = cholesky->place_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (cholesky->places[middle].row < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Negative, zero or positive as place a comes before b, is b, or comes after.
static int compare_places(const place *a, const pli_extra_block *b)
{
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

// Merges the known places with those of the matrix; returns how many there are. merged may be NULL.
static int64_t merge_places(const pli_cholesky *cholesky, const pli_bcsr *matrix, place *merged)
{
    const pli_bcsr_extra *extra = &matrix->extra;
    int64_t known = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < extra->count; ++k) {
        const pli_extra_block *block = extra->blocks + k;
        if (block->column > block->row) continue;
        place one = {block->row, block->column};
        while (known < cholesky->place_count &&
               compare_places(&cholesky->places[known], block) <= 0) {
            bool same = compare_places(&cholesky->places[known], block) == 0;
            if (!same && merged != NULL) merged[count] = cholesky->places[known];
            count += !same;
            ++known;
        }
        if (merged != NULL) merged[count] = one;
        ++count;
    }
    for (; known < cholesky->place_count; ++known, ++count) {
        if (merged != NULL) merged[count] = cholesky->places[known];
    }
    return count;
}

static bool are_too_many(int64_t place_count, const pli_bcsr *matrix)
{
    double used = (double)(matrix->extra.count / 2);
    return (double)place_count > place_limit * used + SPARE_PLACES;
}

// Takes over the places of the matrix, besides the known ones as long as these are kept.
static pli_status take_places(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    int64_t count = merge_places(cholesky, matrix, NULL);
    if (!cholesky->keeps_places || are_too_many(count, matrix)) {
        cholesky->place_count = 0;
        count = merge_places(cholesky, matrix, NULL);
    }
    place *merged = PLI_NEW(cholesky->context, place, count, "Cholesky places");
    if (merged == NULL) return PLI_ERROR_MEMORY;
    (void)merge_places(cholesky, matrix, merged);
    pli_release(cholesky->context, cholesky->places);
    cholesky->places = merged;
    cholesky->place_count = count;
    return PLI_OK;
}

// ---- ordering and analysis

// Pattern of the upper triangle with `side` unknowns per row; side 1 gives the graph of blocks. A
// column holds the blocks of the pattern, then the places of extra ones, then the diagonal.
static cholmod_sparse *make_upper(pli_cholesky *cholesky, const pli_bcsr *matrix, int32_t side,
                                  int xtype)
{
    int64_t rows = matrix->row_count;
    int64_t lower = (matrix->block_count - rows) / 2 + cholesky->place_count;
    int64_t entries = lower * side * side + rows * side * (side + 1) / 2;
    size_t n = (size_t)(rows * side);
    cholmod_sparse *A = cholmod_l_allocate_sparse(n, n, (size_t)entries, cholesky->place_count == 0,
                                                  1, 1, xtype, &cholesky->common);
    if (A == NULL) return NULL;
    SuiteSparse_long *start = A->p;
    SuiteSparse_long *index = A->i;
    int64_t at = 0;
    int64_t first = 0; // place of the row
    for (int64_t column = 0; column < rows * side; ++column) {
        int64_t row = column / side;
        start[column] = at;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->diagonal[row]; ++slot) {
            for (int32_t r = 0; r < side; ++r) {
                index[at++] = (SuiteSparse_long)matrix->column[slot] * side + r;
            }
        }
        while (first < cholesky->place_count && cholesky->places[first].row < row) ++first;
        for (int64_t k = first; is_in_row(cholesky, k, row); ++k) {
            for (int32_t r = 0; r < side; ++r) {
                index[at++] = (SuiteSparse_long)cholesky->places[k].column * side + r;
            }
        }
        for (int64_t r = row * side; r <= column; ++r) index[at++] = r;
    }
    start[rows * side] = at;
    return A;
}

#ifdef PLI_HAS_METIS

// Copies the couplings of rows without the diagonal.
static void fill_metis_graph(const pli_cholesky *cholesky, const pli_bcsr *matrix, idx_t *start,
                             idx_t *neighbor)
{
    // how many neighbours a row has, one place further
    int32_t rows = matrix->row_count;
    for (int32_t row = 0; row < rows; ++row) {
        start[row + 1] = (idx_t)(matrix->row_start[row + 1] - matrix->row_start[row] - 1);
    }
    for (int64_t k = 0; k < cholesky->place_count; ++k) {
        ++start[cholesky->places[k].row + 1];
        ++start[cholesky->places[k].column + 1];
    }
    for (int32_t row = 0; row < rows; ++row) start[row + 1] += start[row];

    // filling moves every start to its end, which is the next one
    for (int32_t row = 0; row < rows; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (matrix->column[slot] != row) neighbor[start[row]++] = matrix->column[slot];
        }
    }
    for (int64_t k = 0; k < cholesky->place_count; ++k) {
        const place *one = cholesky->places + k;
        neighbor[start[one->row]++] = one->column;
        neighbor[start[one->column]++] = one->row;
    }
    for (int32_t row = rows; row > 0; --row) start[row] = start[row - 1];
    start[0] = 0;
}

// Couplings of rows with others, in both directions.
static int64_t edge_count(const pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    return matrix->block_count - matrix->row_count + 2 * cholesky->place_count;
}

static pli_status order_by_dissection(pli_cholesky *cholesky, const pli_bcsr *matrix,
                                      SuiteSparse_long *order)
{
    pli_context *context = cholesky->context;
    int64_t rows = matrix->row_count;
    idx_t *start = PLI_NEW(context, idx_t, rows + 1, "dissection");
    idx_t *neighbor = PLI_NEW(context, idx_t, edge_count(cholesky, matrix), "dissection");
    idx_t *order_of = PLI_NEW(context, idx_t, rows, "dissection");
    idx_t *place_of = PLI_NEW(context, idx_t, rows, "dissection");
    pli_status status = PLI_ERROR_MEMORY;
    if (start == NULL || neighbor == NULL || order_of == NULL || place_of == NULL) goto done;

    fill_metis_graph(cholesky, matrix, start, neighbor);
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
    PLI_RELEASE(context, start, neighbor, order_of, place_of);
    return status;
}

static bool wants_dissection(const pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    // METIS needs edges, and counts them with 32 bits
    int64_t edges = edge_count(cholesky, matrix);
    if (edges == 0 || edges > INT32_MAX || cholesky->def.hosted) return false;
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

// A new order of the rows, for pattern and places.
static pli_status make_order(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    cholesky->dissected = false;
    ++cholesky->order_count;
    return wants_dissection(cholesky, matrix)
               ? order_by_dissection(cholesky, matrix, cholesky->order)
               : order_by_degree(cholesky, matrix, cholesky->order);
}

// Expands the order of rows to unknowns and analyses A.
static pli_status analyse_ordered(pli_cholesky *cholesky)
{
    pli_context *context = cholesky->context;
    int64_t side = cholesky->side;
    int64_t n = cholesky->row_count * side;
    SuiteSparse_long *expanded = PLI_NEW(context, SuiteSparse_long, n, "Cholesky order");
    if (expanded == NULL) return PLI_ERROR_MEMORY;
    ++cholesky->analysis_count;
    for (int64_t k = 0; k < n; ++k) expanded[k] = side * cholesky->order[k / side] + k % side;
    cholesky->L = cholmod_l_analyze_p(cholesky->A, expanded, NULL, 0, &cholesky->common);
    pli_release(context, expanded);
    return cholmod_outcome(cholesky, "analysis");
}

// The symbolic part for pattern and places, in the order at hand; on failure there is none.
static pli_status analyse_places(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    cholmod_l_free_factor(&cholesky->L, &cholesky->common);
    cholmod_l_free_sparse(&cholesky->A, &cholesky->common);
    cholesky->A = make_upper(cholesky, matrix, cholesky->side, CHOLMOD_REAL);
    PLI_TRY(cholmod_outcome(cholesky, "set-up"));
    return analyse_ordered(cholesky);
}

// Order and analysis of the pattern alone.
static pli_status analyse_first(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    PLI_TRY(make_order(cholesky, matrix));
    memcpy(cholesky->first_order, cholesky->order,
           (size_t)cholesky->row_count * sizeof *cholesky->order);
    PLI_TRY(analyse_places(cholesky, matrix));
    cholesky->is_first_order = true;
    cholesky->first_fill = cholesky->common.lnz;
    cholesky->fill = cholesky->first_fill;
    return PLI_OK;
}

static void use_first_order(pli_cholesky *cholesky)
{
    if (cholesky->is_first_order) return;
    memcpy(cholesky->order, cholesky->first_order,
           (size_t)cholesky->row_count * sizeof *cholesky->order);
    cholesky->is_first_order = true;
    cholesky->fill = cholesky->first_fill;
}

// The symbolic part for pattern and extra blocks; on failure there is none. The order at hand is
// good enough until it makes the factor much larger than it was when the order was made.
static pli_status analyse(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    cholmod_l_free_factor(&cholesky->L, &cholesky->common);
    PLI_TRY(take_places(cholesky, matrix));
    if (!cholesky->keeps_places) use_first_order(cholesky);
    PLI_TRY(analyse_places(cholesky, matrix));
    if (cholesky->common.lnz <= fill_limit * cholesky->fill) return PLI_OK;

    cholesky->is_first_order = false;
    cholmod_l_free_factor(&cholesky->L, &cholesky->common);
    PLI_TRY(make_order(cholesky, matrix));
    PLI_TRY(analyse_ordered(cholesky));
    cholesky->fill = cholesky->common.lnz;
    return PLI_OK;
}

// Whether the analysis at hand has all places of the matrix, and not too many others.
static bool has_places(const pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    return cholesky->keeps_places && cholesky->L != NULL &&
           !are_too_many(cholesky->place_count, matrix) &&
           merge_places(cholesky, matrix, NULL) == cholesky->place_count;
}

// Makes sure of an analysis for the extra blocks of the matrix.
static pli_status update_analysis(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    bool same = cholesky->L != NULL && !matrix->extra.open &&
                cholesky->extra_revision == matrix->extra.revision &&
                cholesky->extra_count == matrix->extra.count;
    if (same) return PLI_OK;
    PLI_TRY(check_extra(cholesky->context, matrix));
    if (!has_places(cholesky, matrix)) PLI_TRY(analyse(cholesky, matrix));
    cholesky->extra_revision = matrix->extra.revision;
    cholesky->extra_count = matrix->extra.count;
    return PLI_OK;
}

void pli_cholesky_begin(pli_cholesky *cholesky)
{
    cholesky->keeps_places = true;
    // the analysis of the pattern alone is what a new object would have, too
    if (cholesky->place_count == 0 && cholesky->is_first_order) return;
    cholesky->place_count = 0;
    use_first_order(cholesky);
    cholmod_l_free_factor(&cholesky->L, &cholesky->common);
    cholesky->factored = false;
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
    if (def->isotropic) made->common.supernodal = CHOLMOD_SUPERNODAL;
    made->order = PLI_NEW(context, SuiteSparse_long, made->row_count, "Cholesky order");
    made->first_order = PLI_NEW(context, SuiteSparse_long, made->row_count, "Cholesky order");
    pli_status status = PLI_ERROR_MEMORY;
    if (made->order == NULL || made->first_order == NULL) goto done;
    status = analyse_first(made, matrix);
    if (status == PLI_OK) status = update_analysis(made, matrix);

done:
    if (status == PLI_OK) {
        *cholesky = made;
    } else {
        pli_cholesky_destroy(made);
    }
    return status;
}

void pli_cholesky_destroy(pli_cholesky *cholesky)
{
    if (cholesky == NULL) return;
    cholmod_common *common = &cholesky->common;
    cholmod_l_free_sparse(&cholesky->A, common);
    cholmod_l_free_factor(&cholesky->L, common);
    cholmod_l_free_dense(&cholesky->X, common);
    cholmod_l_free_dense(&cholesky->Y, common);
    cholmod_l_free_dense(&cholesky->E, common);
    cholmod_l_finish(common);
    PLI_RELEASE(cholesky->context, cholesky->order, cholesky->first_order, cholesky->places,
                cholesky->padded, cholesky);
}

// A lifted matrix as rows of blocks: pattern and revision are what they are there, values are one
// number a slot instead of nine.
static pli_bcsr view_lifted(const pli_lifted *matrix)
{
    return (pli_bcsr){.context = matrix->context,
                      .revision = matrix->revision,
                      .row_count = matrix->row_count,
                      .block_count = matrix->entry_count,
                      .row_start = matrix->row_start,
                      .diagonal = matrix->diagonal,
                      .column = matrix->column,
                      .values = matrix->values};
}

pli_status pli_cholesky_create_lifted(pli_context *context, const pli_cholesky_def *def,
                                      const pli_lifted *matrix, pli_cholesky **cholesky)
{
    pli_cholesky_def scalar = *def;
    scalar.isotropic = true;
    pli_bcsr view = view_lifted(matrix);
    return pli_cholesky_create(context, &scalar, &view, cholesky);
}

typedef struct fill_job {
    pli_cholesky *cholesky;
    const pli_bcsr *matrix;
    int64_t stride; // numbers per slot of the matrix: 9, or 1 for a lifted one
    double shift;
} fill_job;

// Row c of the extra blocks at the places of a row, zero where a place is not in use; returns the
// end of what was written. *used is the first extra block of the row.
static double *fill_places(const fill_job *job, int64_t row, int64_t c, int64_t used, double *at)
{
    const pli_cholesky *cholesky = job->cholesky;
    const pli_bcsr_extra *extra = &job->matrix->extra;
    size_t bytes = (size_t)cholesky->side * sizeof(double);
    for (int64_t k = first_place(cholesky, row); is_in_row(cholesky, k, row); ++k) {
        bool in_use = used < extra->count && extra->blocks[used].row == row &&
                      extra->blocks[used].column == cholesky->places[k].column;
        if (in_use) {
            memcpy(at, extra->blocks[used++].values + 3 * c, bytes);
        } else {
            memset(at, 0, bytes);
        }
        at += cholesky->side;
    }
    return at;
}

// Values of the upper triangle: column 3i + c takes row c of the blocks (i, j <= i), by symmetry.
static void fill_range(void *user, int64_t begin, int64_t end)
{
    const fill_job *job = user;
    const pli_bcsr *matrix = job->matrix;
    const SuiteSparse_long *start = job->cholesky->A->p;
    double *entries = job->cholesky->A->x;
    int64_t side = job->cholesky->side;
    const pli_bcsr_extra *extra = &matrix->extra;
    int64_t used = pli_bcsr_extra_begin(matrix, begin); // extra block of the row
    for (int64_t column = begin * side; column < end * side; ++column) {
        int64_t row = column / side;
        int64_t c = column % side;
        double *at = entries + start[column];
        for (int64_t slot = matrix->row_start[row]; slot < matrix->diagonal[row]; ++slot) {
            memcpy(at, matrix->values + job->stride * slot + 3 * c, (size_t)side * sizeof(double));
            at += side;
        }
        while (used < extra->count && extra->blocks[used].row < row) ++used;
        if (job->cholesky->place_count > 0) at = fill_places(job, row, c, used, at);
        memcpy(at, matrix->values + job->stride * matrix->diagonal[row] + 3 * c,
               (size_t)(c + 1) * sizeof(double));
        at[c] += job->shift;
    }
}

static void factorise(void *user)
{
    pli_cholesky *cholesky = user;
    cholmod_l_factorize(cholesky->A, cholesky->L, &cholesky->common);
}

// Makes sure that the analysis fits the matrix.
static pli_status begin_factor(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    cholesky->factored = false;
    if (cholesky->revision != matrix->revision || cholesky->row_count != matrix->row_count) {
        return PLI_FAIL(cholesky->context, PLI_ERROR_ARGUMENT,
                        "the factorisation was made for another pattern (%d rows, the matrix has "
                        "%d); create it for this one",
                        (int)cholesky->row_count, (int)matrix->row_count);
    }
    return update_analysis(cholesky, matrix);
}

// Factors A, which has its values.
static pli_status factor_filled(pli_cholesky *cholesky, bool *positive)
{
    call_cholmod(cholesky, factorise, cholesky);
    PLI_TRY(cholmod_outcome(cholesky, "factorisation"));
    // rcond is zero when a pivot failed and when one is not a number, which the former misses
    cholesky->factored = cholmod_l_rcond(cholesky->L, &cholesky->common) > 0;
    cholesky->failed_row = cholesky->factored ? -1 : (int64_t)cholesky->L->minor;
    *positive = cholesky->factored;
    return PLI_OK;
}

pli_status pli_cholesky_factor(pli_cholesky *cholesky, const pli_bcsr *matrix, double shift,
                               bool *positive)
{
    *positive = false;
    PLI_TRY(begin_factor(cholesky, matrix));
    fill_job job = {cholesky, matrix, 9, shift};
    pli_parallel_for(cholesky->context, matrix->row_count, ROW_GRAIN, fill_range, &job);
    return factor_filled(cholesky, positive);
}

pli_status pli_cholesky_factor_lifted(pli_cholesky *cholesky, const pli_lifted *matrix,
                                      double shift, bool *positive)
{
    *positive = false;
    pli_bcsr view = view_lifted(matrix);
    PLI_TRY(begin_factor(cholesky, &view));
    if (!pli_lifted_is_isotropic(matrix)) {
        return PLI_FAIL(cholesky->context, PLI_ERROR_ARGUMENT,
                        "a lifted matrix with directions of its own on the diagonal has no scalar "
                        "factor; expand it to blocks");
    }
    fill_job job = {cholesky, &view, 1, shift};
    pli_parallel_for(cholesky->context, view.row_count, ROW_GRAIN, fill_range, &job);

    // multiples of the identity on the diagonal, which is the last entry of a column
    const SuiteSparse_long *start = cholesky->A->p;
    double *entries = cholesky->A->x;
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        entries[start[matrix->block_row[k] + 1] - 1] += matrix->blocks[9 * (int64_t)k];
    }
    return factor_filled(cholesky, positive);
}

// A right-hand side of an isotropic system in the order of the factor, a row padded to four.
typedef struct permute_job {
    const pli_cholesky *cholesky;
    const double *b;
    double *x;
} permute_job;

static void gather_range(void *user, int64_t begin, int64_t end)
{
    const permute_job *job = user;
    const SuiteSparse_long *row = job->cholesky->L->Perm;
    double *X = job->cholesky->padded;
    for (int64_t k = begin; k < end; ++k) {
        memcpy(X + 4 * k, job->b + 3 * row[k], 3 * sizeof *X);
        X[4 * k + 3] = 0;
    }
}

static void scatter_range(void *user, int64_t begin, int64_t end)
{
    const permute_job *job = user;
    const SuiteSparse_long *row = job->cholesky->L->Perm;
    const double *X = job->cholesky->padded;
    for (int64_t k = begin; k < end; ++k) {
        memcpy(job->x + 3 * row[k], X + 4 * k, 3 * sizeof *X);
    }
}

static pli_status solve_supernodal(pli_cholesky *cholesky, const double *b, double *x)
{
    pli_context *context = cholesky->context;
    int64_t rows = cholesky->row_count;
    if (cholesky->padded == NULL) {
        PLI_TRY(PLI_MAKE(context, cholesky->padded, 4 * rows, "right-hand side"));
    }
    permute_job job = {cholesky, b, x};
    pli_parallel_for(context, rows, PERMUTE_GRAIN, gather_range, &job);
    pli_supernodal_solve(cholesky->L, cholesky->padded);
    pli_parallel_for(context, rows, PERMUTE_GRAIN, scatter_range, &job);
    return PLI_OK;
}

typedef struct solve_job {
    pli_cholesky *cholesky;
    cholmod_dense *B;
} solve_job;

static void substitute(void *user)
{
    const solve_job *job = user;
    pli_cholesky *cholesky = job->cholesky;
    cholmod_l_solve2(CHOLMOD_A, cholesky->L, job->B, NULL, &cholesky->X, NULL, &cholesky->Y,
                     &cholesky->E, &cholesky->common);
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
        size_t size = 3 * (size_t)cholesky->row_count;
        for (size_t k = 0; k < (size_t)rhs_count; ++k) {
            PLI_TRY(solve_supernodal(cholesky, b + k * size, x + k * size));
        }
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
    call_cholmod(cholesky, substitute, &(solve_job){cholesky, &B});
    PLI_TRY(cholmod_outcome(cholesky, "substitution"));
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
                                 .failed_row = cholesky->failed_row,
                                 .order_count = cholesky->order_count,
                                 .analysis_count = cholesky->analysis_count};
}

#endif
