// SPDX-License-Identifier: Apache-2.0
#include "support/two_grid.h"

#include "base/memory.h"
#include "linear/direct/cholesky.h"
#include "linear/krylov/gauss_seidel.h"
#include "linear/matrix/dense.h"
#include "linear/matrix/vector.h"

#include <string.h>

// a column of U counts as dependent when this little of its squared length is its own
static const double independent_share = 1e-10;

enum { ROWS = 4 }; // of an affine node

struct pli_two_grid {
    pli_context *context;
    const pli_bcsr *matrix;
    const pli_interpolation_map *transfer;
    const uint8_t *mask;
    int32_t rows;  // numbers a coordinate has at a node: 4 or 1
    int32_t width; // coordinates of one right-hand side: 3, isotropic 1
    int32_t size;  // unknowns of one right-hand side
    int64_t entry_count;
    uint8_t *dropped; // [size] 1: depends on others
    double *C;        // [size][size] factor of U^T A U

    pli_cholesky *fine;
    pli_gauss_seidel *sweep;
};

// ---- U

static bool is_held(const pli_two_grid *grid, int32_t vertex, int32_t coordinate)
{
    return grid->mask != NULL && (grid->mask[vertex] >> coordinate & 1) != 0;
}

// How the numbers of the node above a link move the vertex below it: w (t, 1), or w alone.
static void get_coefficients(const pli_two_grid *grid, int64_t link, double a[ROWS])
{
    const pli_interpolation_map *transfer = grid->transfer;
    double w = transfer->weight != NULL ? transfer->weight[link] : 1;
    for (int32_t k = 0; k < grid->rows - 1; ++k) a[k] = w * transfer->place[4 * link + k];
    a[grid->rows - 1] = w;
}

static int32_t unknown_of(const pli_two_grid *grid, int32_t node, int32_t row, int32_t coordinate)
{
    return coordinate % grid->width + grid->width * (row + grid->rows * node);
}

// Place of an unknown in arrays of all right-hand sides, [3 / width][size].
static int64_t place_of(const pli_two_grid *grid, int32_t node, int32_t row, int32_t coordinate)
{
    int64_t rhs = coordinate / grid->width;
    return rhs * grid->size + unknown_of(grid, node, row, coordinate);
}

// y = U^T r, without the unknowns that are left out
static void restrict_vector(const pli_two_grid *grid, const double *r, double *y)
{
    memset(y, 0, (size_t)grid->size * (size_t)(3 / grid->width) * sizeof *y);
    const pli_interpolation_map *transfer = grid->transfer;
    for (int32_t vertex = 0; vertex < transfer->fine_count; ++vertex) {
        for (int64_t link = transfer->start[vertex]; link < transfer->start[vertex + 1]; ++link) {
            double a[ROWS];
            get_coefficients(grid, link, a);
            for (int32_t k = 0; k < 3 * grid->rows; ++k) {
                int32_t c = k % 3;
                if (is_held(grid, vertex, c)) continue;
                y[place_of(grid, transfer->parent[link], k / 3, c)] +=
                    a[k / 3] * r[3 * (int64_t)vertex + c];
            }
        }
    }
    for (int64_t k = 0; k < (int64_t)grid->size * (3 / grid->width); ++k) {
        if (grid->dropped[k % grid->size]) y[k] = 0;
    }
}

// x = U y
static void prolong_vector(const pli_two_grid *grid, const double *y, double *x)
{
    const pli_interpolation_map *transfer = grid->transfer;
    memset(x, 0, 3 * (size_t)transfer->fine_count * sizeof *x);
    for (int32_t vertex = 0; vertex < transfer->fine_count; ++vertex) {
        for (int64_t link = transfer->start[vertex]; link < transfer->start[vertex + 1]; ++link) {
            double a[ROWS];
            get_coefficients(grid, link, a);
            for (int32_t k = 0; k < 3 * grid->rows; ++k) {
                int32_t c = k % 3;
                if (is_held(grid, vertex, c)) continue;
                x[3 * (int64_t)vertex + c] +=
                    a[k / 3] * y[place_of(grid, transfer->parent[link], k / 3, c)];
            }
        }
    }
}

// ---- U^T A U

// What the row of one vertex needs: its row of A U, and the nodes that this has entries at.
typedef struct row_product {
    double *values;  // [width][size]  zero outside of the nodes
    uint8_t *marked; // [coarse_count]
    int32_t *nodes;  // [coarse_count]
    int32_t node_count;
} row_product;

static void mark_node(row_product *product, int32_t node)
{
    if (product->marked[node]) return;
    product->marked[node] = 1;
    product->nodes[product->node_count++] = node;
}

// product += A_ij U_j
static void add_block(const pli_two_grid *grid, const double A[9], int32_t vertex,
                      row_product *product)
{
    const pli_interpolation_map *transfer = grid->transfer;
    for (int64_t link = transfer->start[vertex]; link < transfer->start[vertex + 1]; ++link) {
        int32_t node = transfer->parent[link];
        double a[ROWS];
        get_coefficients(grid, link, a);
        mark_node(product, node);
        for (int32_t k = 0; k < grid->rows * grid->width; ++k) {
            int32_t c = k % grid->width;
            if (is_held(grid, vertex, c)) continue;
            int32_t unknown = unknown_of(grid, node, k / grid->width, c);
            for (int32_t r = 0; r < grid->width; ++r) {
                product->values[(int64_t)r * grid->size + unknown] +=
                    A[3 * r + c] * a[k / grid->width];
            }
        }
    }
}

// C += U_i^T product for one node above vertex i, lower triangle of nodes only
static void add_to_coarse(const pli_two_grid *grid, int32_t vertex, int64_t link,
                          const row_product *product)
{
    int32_t node = grid->transfer->parent[link];
    int32_t node_size = grid->rows * grid->width;
    double a[ROWS];
    get_coefficients(grid, link, a);
    for (int32_t k = 0; k < node_size; ++k) {
        int32_t r = k % grid->width;
        if (is_held(grid, vertex, r)) continue;
        double *row = grid->C + (int64_t)(node * node_size + k) * grid->size;
        const double *values = product->values + (int64_t)r * grid->size;
        for (int32_t at = 0; at < product->node_count; ++at) {
            int32_t first = product->nodes[at] * node_size;
            if (product->nodes[at] > node) continue;
            for (int32_t l = first; l < first + node_size; ++l) {
                row[l] += a[k / grid->width] * values[l];
            }
        }
    }
}

static void forget_product(const pli_two_grid *grid, row_product *product)
{
    int32_t node_size = grid->rows * grid->width;
    for (int32_t at = 0; at < product->node_count; ++at) {
        int32_t node = product->nodes[at];
        product->marked[node] = 0;
        for (int32_t r = 0; r < grid->width; ++r) {
            memset(product->values + (int64_t)r * grid->size + (int64_t)node * node_size, 0,
                   (size_t)node_size * sizeof(double));
        }
    }
    product->node_count = 0;
}

static void add_rows(const pli_two_grid *grid, row_product *product)
{
    const pli_bcsr *A = grid->matrix;
    const pli_interpolation_map *transfer = grid->transfer;
    for (int32_t vertex = 0; vertex < A->row_count; ++vertex) {
        if (transfer->start[vertex] == transfer->start[vertex + 1]) continue;
        for (int64_t slot = A->row_start[vertex]; slot < A->row_start[vertex + 1]; ++slot) {
            add_block(grid, A->values + 9 * slot, A->column[slot], product);
        }
        for (int64_t link = transfer->start[vertex]; link < transfer->start[vertex + 1]; ++link) {
            add_to_coarse(grid, vertex, link, product);
        }
        forget_product(grid, product);
    }
}

static pli_status build_coarse(pli_two_grid *grid)
{
    pli_context *context = grid->context;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t nodes = grid->transfer->coarse_count;
    row_product product = {
        .values = PLI_NEW(context, double, (int64_t)grid->width * grid->size, "coarse row"),
        .marked = PLI_NEW(context, uint8_t, nodes, "coarse row"),
        .nodes = PLI_NEW(context, int32_t, nodes, "coarse row")};
    grid->C = PLI_NEW(context, double, (int64_t)grid->size * grid->size, "coarse matrix");
    if (product.values != NULL && product.marked != NULL && product.nodes != NULL &&
        grid->C != NULL) {
        add_rows(grid, &product);
        status = PLI_OK;
    }
    pli_release(context, product.nodes);
    pli_release(context, product.marked);
    pli_release(context, product.values);
    return status;
}

static void count_entries(pli_two_grid *grid)
{
    int64_t below = 0;
    int64_t diagonal = 0;
    for (int64_t i = 0; i < grid->size; ++i) {
        for (int64_t j = 0; j < i; ++j) below += grid->C[i * grid->size + j] != 0;
        diagonal += grid->C[i * grid->size + i] != 0;
    }
    grid->entry_count = (2 * below + diagonal) * (3 / grid->width);
}

// ---- what the vertices do not determine

// gram [ROWS][ROWS] of every node: sum of a a^T over its vertices that are free in a coordinate
static void add_grams(const pli_two_grid *grid, int32_t coordinate, double *grams)
{
    const pli_interpolation_map *transfer = grid->transfer;
    for (int32_t vertex = 0; vertex < transfer->fine_count; ++vertex) {
        if (is_held(grid, vertex, coordinate)) continue;
        for (int64_t link = transfer->start[vertex]; link < transfer->start[vertex + 1]; ++link) {
            double a[ROWS];
            get_coefficients(grid, link, a);
            double *gram = grams + ROWS * ROWS * (int64_t)transfer->parent[link];
            for (int32_t k = 0; k < grid->rows * grid->rows; ++k) {
                gram[ROWS * (k / grid->rows) + k % grid->rows] +=
                    a[k / grid->rows] * a[k % grid->rows];
            }
        }
    }
}

// Eliminates from the translation downwards, so that this is the last to go; a row that has nothing
// left of its own is dependent.
static void find_dependent(const pli_two_grid *grid, int32_t node, int32_t coordinate, double *gram)
{
    for (int32_t k = grid->rows - 1; k >= 0; --k) {
        double whole = gram[ROWS * k + k];
        double own = whole;
        // gram holds the factor in the rows that are done
        for (int32_t l = grid->rows - 1; l > k; --l) {
            if (grid->dropped[unknown_of(grid, node, l, coordinate)]) continue;
            double sum = gram[ROWS * k + l];
            for (int32_t m = grid->rows - 1; m > l; --m) {
                if (grid->dropped[unknown_of(grid, node, m, coordinate)]) continue;
                sum -= gram[ROWS * k + m] * gram[ROWS * l + m];
            }
            gram[ROWS * k + l] = sum / gram[ROWS * l + l];
            own -= gram[ROWS * k + l] * gram[ROWS * k + l];
        }
        bool independent = own > independent_share * whole && own > 0;
        grid->dropped[unknown_of(grid, node, k, coordinate)] = !independent;
        gram[ROWS * k + k] = independent ? sqrt(own) : 1;
    }
}

static pli_status find_dropped(pli_two_grid *grid)
{
    int32_t nodes = grid->transfer->coarse_count;
    int64_t count = (int64_t)ROWS * ROWS * nodes;
    double *grams = PLI_NEW(grid->context, double, count, "Gram matrices");
    grid->dropped = PLI_NEW(grid->context, uint8_t, grid->size, "dependent unknowns");
    if (grams != NULL && grid->dropped != NULL) {
        for (int32_t c = 0; c < grid->width; ++c) {
            memset(grams, 0, (size_t)count * sizeof *grams);
            add_grams(grid, c, grams);
            for (int32_t node = 0; node < nodes; ++node) {
                find_dependent(grid, node, c, grams + ROWS * ROWS * (int64_t)node);
            }
        }
    }
    bool complete = grams != NULL && grid->dropped != NULL;
    pli_release(grid->context, grams);
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Replaces what is left out by unit rows.
static void isolate_dropped(pli_two_grid *grid)
{
    int64_t n = grid->size;
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
            if (grid->dropped[i] || grid->dropped[j]) grid->C[i * n + j] = i == j;
        }
    }
}

// ---- creation

static pli_status check_sizes(pli_context *context, const pli_two_grid_def *def)
{
    const pli_interpolation_map *transfer = &def->hierarchy->transfers[0];
    if (transfer->fine_count != def->matrix->row_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the hierarchy has %d vertices, the matrix %d rows",
                        (int)transfer->fine_count, (int)def->matrix->row_count);
    }
    if (transfer->coarse_count > 4000) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the coarse matrix is dense: at most 4000 nodes, not %d",
                        (int)transfer->coarse_count);
    }
    return PLI_OK;
}

static pli_status factor_coarse(pli_two_grid *grid)
{
    PLI_TRY(build_coarse(grid));
    PLI_TRY(find_dropped(grid));
    count_entries(grid);
    isolate_dropped(grid);
    if (pli_dense_cholesky_factor(grid->context, grid->size, grid->C)) return PLI_OK;
    return PLI_FAIL(grid->context, PLI_ERROR_NUMERIC, "the coarse matrix is not positive definite");
}

static pli_status factor_fine(pli_two_grid *grid, const pli_two_grid_def *def)
{
    pli_cholesky_def fine = {.isotropic = def->isotropic};
    PLI_TRY(pli_cholesky_create(grid->context, &fine, def->matrix, &grid->fine));
    bool positive = false;
    PLI_TRY(pli_cholesky_factor(grid->fine, def->matrix, 0, &positive));
    if (positive) return PLI_OK;
    return PLI_FAIL(grid->context, PLI_ERROR_NUMERIC, "the matrix is not positive definite");
}

static pli_status fill_grid(pli_two_grid *grid, const pli_two_grid_def *def)
{
    PLI_TRY(factor_coarse(grid));
    PLI_TRY(factor_fine(grid, def));
    PLI_TRY(pli_gauss_seidel_create(grid->context, def->matrix, &grid->sweep));
    (void)pli_gauss_seidel_build(grid->sweep, def->matrix);
    return PLI_OK;
}

pli_status pli_two_grid_create(pli_context *context, const pli_two_grid_def *def,
                               pli_two_grid **grid)
{
    *grid = NULL;
    PLI_TRY(check_sizes(context, def));
    pli_two_grid *made = PLI_NEW(context, pli_two_grid, 1, "two-grid instrument");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_two_grid){.context = context,
                           .matrix = def->matrix,
                           .transfer = &def->hierarchy->transfers[0],
                           .mask = def->mask,
                           .rows = def->hierarchy->dofs / 3,
                           .width = def->isotropic ? 1 : 3};
    made->size = made->transfer->coarse_count * made->rows * made->width;
    pli_status status = fill_grid(made, def);
    if (status != PLI_OK) {
        pli_two_grid_destroy(made);
        return status;
    }
    *grid = made;
    return PLI_OK;
}

void pli_two_grid_destroy(pli_two_grid *grid)
{
    if (grid == NULL) return;
    pli_gauss_seidel_destroy(grid->sweep);
    pli_cholesky_destroy(grid->fine);
    pli_release(grid->context, grid->dropped);
    pli_release(grid->context, grid->C);
    pli_release(grid->context, grid);
}

int32_t pli_two_grid_unknown_count(const pli_two_grid *grid)
{
    return grid->size * (3 / grid->width);
}

int64_t pli_two_grid_entry_count(const pli_two_grid *grid)
{
    return grid->entry_count;
}

// ---- use

pli_status pli_two_grid_project(const pli_two_grid *grid, const double *v, pli_arena *scratch,
                                double *out)
{
    pli_status status = PLI_ERROR_MEMORY;
    pli_arena_mark mark = pli_arena_begin(scratch);
    double *r = pli_arena_doubles(scratch, 3 * (int64_t)grid->matrix->row_count, "A v");
    double *y = pli_arena_doubles(scratch, pli_two_grid_unknown_count(grid), "coarse vector");
    if (r == NULL || y == NULL) goto done;

    // out = U (U^T A U)^-1 U^T A v
    pli_bcsr_multiply(grid->matrix, v, r);
    restrict_vector(grid, r, y);
    pli_dense_cholesky_solve(grid->context, grid->size, grid->C, 3 / grid->width, y);
    prolong_vector(grid, y, out);
    status = PLI_OK;

done:
    pli_arena_end(scratch, mark);
    return status;
}

// error = A^-1 b - x1; r is scratch
static pli_status smooth(const pli_two_grid *grid, const double *b, int32_t sweeps, double *r,
                         double *error)
{
    int64_t n = 3 * (int64_t)grid->matrix->row_count;
    pli_vector_fill(grid->context, n, 0, error);
    for (int32_t k = 0; k < sweeps; ++k) {
        pli_bcsr_residual(grid->matrix, b, error, r);
        pli_gauss_seidel_apply(grid->sweep, r, r);
        pli_vector_axpy(grid->context, n, 1, r, error);
    }
    // A^-1 (b - A x1) keeps more digits than A^-1 b - x1
    pli_bcsr_residual(grid->matrix, b, error, r);
    return pli_cholesky_solve(grid->fine, 1, r, error);
}

pli_status pli_two_grid_measure(const pli_two_grid *grid, const double *b, int32_t sweeps,
                                pli_arena *scratch, pli_two_grid_report *report)
{
    *report = (pli_two_grid_report){0};
    pli_status status = PLI_ERROR_MEMORY;
    int64_t n = 3 * (int64_t)grid->matrix->row_count;
    pli_arena_mark mark = pli_arena_begin(scratch);
    double *error = pli_arena_doubles(scratch, n, "error");
    double *removed = pli_arena_doubles(scratch, n, "error");
    if (error == NULL || removed == NULL) goto done;
    status = smooth(grid, b, sweeps, removed, error);
    if (status != PLI_OK) goto done;
    report->error_before = pli_vector_norm(grid->context, n, error);

    status = pli_two_grid_project(grid, error, scratch, removed);
    if (status != PLI_OK) goto done;
    pli_vector_subtract(grid->context, n, error, removed, error);
    report->error_after = pli_vector_norm(grid->context, n, error);
    if (report->error_before > 0) report->reduction = report->error_after / report->error_before;

done:
    pli_arena_end(scratch, mark);
    return status;
}
