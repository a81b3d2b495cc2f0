// SPDX-License-Identifier: Apache-2.0
//
// Kernels of the linear algebra on the elasticity matrix of a box of one million tetrahedra: the
// block product against the copy bandwidth of the machine and against a plain scalar product, a
// Gauss-Seidel sweep against the block product, iterations of conjugate gradients, and what contact
// adds: extra blocks in one row of a hundred, and the restriction of these rows to planes.
#include "bench.h"

#include "../tests/box_matrix.h"

#include "base/timers.h"
#include "linear/krylov/krylov.h"
#include "linear/krylov/precondition.h"
#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"

enum { CELLS = 58, ROUNDS = 15, PCG_ITERATIONS = 10, ROW_GRAIN = 256 };
enum { CONTACT_STRIDE = 100, CONTACT_BLOCKS = 4 }; // rows per row in contact, and its extra blocks

// The same matrix by scalars: what a library without blocks would multiply with.
typedef struct scalar_csr {
    int64_t *row_start; // [n + 1]
    int32_t *column;    // [entries]
    double *values;     // [entries]
} scalar_csr;

// What is timed.
enum {
    PRODUCT,
    SCALAR_PRODUCT,
    SWEEP,
    SWEEP_BUILD,
    PCG_BLOCK_JACOBI,
    PCG_SWEEP,
    CONTACT_ADD,     // leaves extra blocks behind,
    CONTACT_PRODUCT, // which this one uses
    CONTACT_RESTRICT,
    KERNEL_COUNT
};

typedef struct linear_bench {
    pli_bench *bench;
    pli_context *context;
    pli_bcsr *matrix;
    scalar_csr scalars;
    pli_precondition *sweep;
    pli_precondition *block_jacobi;
    pli_arena *arena;
    int32_t contact_count;
    int32_t *contact_rows; // [contact_count]
    double *tangents;      // [contact_count][9]  onto the plane of x and y
    int64_t n;
    double *x;                    // [n]
    double *y;                    // [n]
    double *b;                    // [n]
    double seconds[KERNEL_COUNT]; // fastest time of each
    pli_status status;            // first failure inside a kernel
} linear_bench;

static void multiply(void *user)
{
    linear_bench *self = user;
    pli_bcsr_multiply(self->matrix, self->x, self->y);
}

static void multiply_scalar_range(void *user, int64_t begin, int64_t end)
{
    const linear_bench *self = user;
    const scalar_csr *A = &self->scalars;
    for (int64_t row = begin; row < end; ++row) {
        double sum = 0;
        for (int64_t k = A->row_start[row]; k < A->row_start[row + 1]; ++k) {
            sum += A->values[k] * self->x[A->column[k]];
        }
        self->y[row] = sum;
    }
}

static void multiply_scalar(void *user)
{
    linear_bench *self = user;
    pli_parallel_for(self->context, self->n, 3 * ROW_GRAIN, multiply_scalar_range, self);
}

static void apply_sweep(void *user)
{
    linear_bench *self = user;
    pli_precondition_apply(self->sweep, self->x, self->y);
}

static void build_sweep(void *user)
{
    linear_bench *self = user;
    pli_status status = pli_precondition_build(self->sweep, self->matrix);
    if (status != PLI_OK) self->status = status;
}

// A fixed number of iterations from zero.
static void run_pcg(linear_bench *self, const pli_precondition *precondition)
{
    pli_operator A = pli_bcsr_operator(self->matrix);
    pli_operator B = pli_precondition_operator(precondition);
    pli_krylov_system system = {.A = &A, .B = &B, .b = self->b, .x = self->y};
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = PCG_ITERATIONS;
    def.relative_tolerance = 0;
    pli_krylov_report report;
    pli_status status = pli_pcg(self->context, &def, &system, self->arena, &report);
    if (status != PLI_OK) self->status = status;
}

static void run_pcg_block_jacobi(void *user)
{
    linear_bench *self = user;
    run_pcg(self, self->block_jacobi);
}

static void run_pcg_sweep(void *user)
{
    linear_bench *self = user;
    run_pcg(self, self->sweep);
}

// Couples the rows in contact of one half of the box with those of the other, by zeros, so that the
// matrix stays what it is.
static void add_contacts(void *user)
{
    static const double zero[9] = {0};
    linear_bench *self = user;
    pli_bcsr *matrix = self->matrix;
    int32_t half = self->contact_count / 2;
    bool room = true;
    pli_bcsr_extra_forget(matrix);
    for (int32_t k = 0; k < CONTACT_BLOCKS * half; ++k) {
        int32_t i = self->contact_rows[k / CONTACT_BLOCKS];
        int32_t j = self->contact_rows[half + (k / CONTACT_BLOCKS + k % CONTACT_BLOCKS) % half];
        room = room && pli_bcsr_add_block(matrix, i, j, zero) &&
               pli_bcsr_add_block(matrix, j, i, zero);
    }
    pli_bcsr_close_extra(matrix);
    if (!room) self->status = PLI_ERROR_ARGUMENT;
}

static void multiply_contact(void *user)
{
    linear_bench *self = user;
    pli_bcsr_multiply(self->matrix, self->x, self->y);
}

// Restricting twice changes nothing, so it may be timed again and again.
static void restrict_contact(void *user)
{
    linear_bench *self = user;
    pli_bcsr_restrict(self->matrix, self->contact_count, self->contact_rows, self->tangents, NULL,
                      0);
    pli_bcsr_extra_forget(self->matrix);
}

static void (*const kernels[KERNEL_COUNT])(void *user) = {
    [PRODUCT] = multiply,
    [SCALAR_PRODUCT] = multiply_scalar,
    [SWEEP] = apply_sweep,
    [SWEEP_BUILD] = build_sweep,
    [PCG_BLOCK_JACOBI] = run_pcg_block_jacobi,
    [PCG_SWEEP] = run_pcg_sweep,
    [CONTACT_ADD] = add_contacts,
    [CONTACT_PRODUCT] = multiply_contact,
    [CONTACT_RESTRICT] = restrict_contact,
};

// Round after round, so that what else the machine does falls on all kernels alike.
static void time_kernels(linear_bench *self)
{
    for (int k = 0; k < KERNEL_COUNT; ++k) self->seconds[k] = INFINITY;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < KERNEL_COUNT; ++k) {
            double seconds = pli_bench_best_seconds(kernels[k], self, 1);
            self->seconds[k] = fmin(self->seconds[k], seconds);
        }
    }
}

static pli_status expand_scalars(linear_bench *self)
{
    const pli_bcsr *matrix = self->matrix;
    scalar_csr *A = &self->scalars;
    A->row_start = PLI_NEW(self->context, int64_t, self->n + 1, "scalar rows");
    A->column = PLI_NEW(self->context, int32_t, 9 * matrix->block_count, "scalar columns");
    A->values = PLI_NEW(self->context, double, 9 * matrix->block_count, "scalar values");
    if (A->row_start == NULL || A->column == NULL || A->values == NULL) return PLI_ERROR_MEMORY;
    int64_t at = 0;
    for (int64_t i = 0; i < self->n; ++i) {
        int64_t row = i / 3;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            for (int32_t c = 0; c < 3; ++c) {
                A->column[at] = 3 * matrix->column[slot] + c;
                A->values[at++] = matrix->values[9 * slot + 3 * (i % 3) + c];
            }
        }
        A->row_start[i + 1] = at;
    }
    return PLI_OK;
}

static pli_status make_vectors(linear_bench *self)
{
    self->n = 3 * (int64_t)self->matrix->row_count;
    self->x = PLI_NEW(self->context, double, self->n, "x");
    self->y = PLI_NEW(self->context, double, self->n, "y");
    self->b = PLI_NEW(self->context, double, self->n, "b");
    if (self->x == NULL || self->y == NULL || self->b == NULL) return PLI_ERROR_MEMORY;
    for (int64_t i = 0; i < self->n; ++i) {
        self->x[i] = sin((double)i);
        self->b[i] = i % 3 == 1 ? -1 : 0;
    }
    return PLI_OK;
}

// The matrix, with a note on what making it costs.
static pli_status make_matrix(linear_bench *self)
{
    box_mesh mesh;
    pli_context *context = self->context;
    if (!box_mesh_init(&mesh, CELLS, CELLS, CELLS)) {
        return PLI_FAIL(context, PLI_ERROR_MEMORY, "out of memory in the box mesh");
    }
    pli_clique_list list = box_cliques(&mesh);
    pli_chunk_coloring *coloring = NULL;
    pli_bcsr *pattern = NULL;
    double start = pli_clock_seconds();
    pli_status status = pli_bcsr_create(context, mesh.vertex_count, 1, &list, &pattern);
    double pattern_seconds = pli_clock_seconds() - start;
    if (status != PLI_OK) goto done;
    start = pli_clock_seconds();
    status = pli_chunk_coloring_create(context, mesh.vertex_count, &list, 0, &coloring);
    if (status != PLI_OK) goto done;
    pli_bench_note(self->bench,
                   "%lld tetrahedra, %d rows, %lld blocks: pattern %.3f s, %d chunks in %d colours "
                   "%.3f s",
                   (long long)mesh.tet_count, (int)pattern->row_count,
                   (long long)pattern->block_count, pattern_seconds, (int)coloring->chunk_count,
                   (int)coloring->color_count, pli_clock_seconds() - start);
    pli_bcsr_destroy(pattern);
    pattern = NULL;
    status = box_matrix_create(context, &mesh, 0.1, 1, &self->matrix);

done:
    pli_bcsr_destroy(pattern);
    pli_chunk_coloring_destroy(coloring);
    box_mesh_clear(&mesh);
    return status;
}

static pli_status make_preconditions(linear_bench *self)
{
    pli_precondition_def def = {.kind = PLI_PRECONDITION_BLOCK_JACOBI};
    PLI_TRY(pli_precondition_create(self->context, &def, self->matrix, &self->block_jacobi));
    PLI_TRY(pli_precondition_build(self->block_jacobi, self->matrix));
    def.kind = PLI_PRECONDITION_GAUSS_SEIDEL;
    PLI_TRY(pli_precondition_create(self->context, &def, self->matrix, &self->sweep));
    return pli_precondition_build(self->sweep, self->matrix);
}

static pli_status make_contacts(linear_bench *self)
{
    static const double plane[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
    self->contact_count = self->matrix->row_count / CONTACT_STRIDE;
    self->contact_rows = PLI_NEW(self->context, int32_t, self->contact_count, "contacts");
    self->tangents = PLI_NEW(self->context, double, 9 * (int64_t)self->contact_count, "contacts");
    if (self->contact_rows == NULL || self->tangents == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < self->contact_count; ++k) {
        self->contact_rows[k] = k * CONTACT_STRIDE;
        pli_mat3_copy(plane, self->tangents + 9 * (int64_t)k);
    }
    return pli_bcsr_reserve_extra(self->matrix, (int64_t)CONTACT_BLOCKS * self->contact_count);
}

// Values, columns and row starts once, x once, y once.
static double product_bytes(const linear_bench *self)
{
    const pli_bcsr *matrix = self->matrix;
    return (double)matrix->block_count * (9 * sizeof(double) + sizeof(int32_t)) +
           (double)matrix->row_count * sizeof(int64_t) + 2.0 * (double)self->n * sizeof(double);
}

static void claim(linear_bench *self, const char *id, const char *what, double ours, double low,
                  double high)
{
    pli_bench_claim(self->bench, &(pli_claim){id, what, "-", ours, "x", low, high});
}

static void report_kernels(linear_bench *self)
{
    const double *seconds = self->seconds;
    double product = seconds[PRODUCT];
    double bandwidth = product_bytes(self) / product;
    double copy = pli_bench_copy_bandwidth(self->bench);
    double pcg_block_jacobi = seconds[PCG_BLOCK_JACOBI] / PCG_ITERATIONS;
    double pcg_sweep = seconds[PCG_SWEEP] / PCG_ITERATIONS;
    pli_bench_note(self->bench,
                   "block product %.2f ms, %.2f GB/s; PCG iterations/s: %.1f with block Jacobi, "
                   "%.1f with Gauss-Seidel",
                   1e3 * product, 1e-9 * bandwidth, 1 / pcg_block_jacobi, 1 / pcg_sweep);
    claim(self, "spmv-copy", "block product, bytes/s relative to a plain copy", bandwidth / copy,
          0.7, INFINITY);
    // twelve bytes an entry against eight and a half
    claim(self, "spmv-csr", "block product, speed relative to scalar rows",
          seconds[SCALAR_PRODUCT] / product, 1.2, INFINITY);
    claim(self, "sgs-apply", "symmetric Gauss-Seidel, time relative to a product",
          seconds[SWEEP] / product, 0, 1.5);
    claim(self, "sgs-build", "its numeric set-up, time relative to a product",
          seconds[SWEEP_BUILD] / product, NAN, NAN);
    claim(self, "pcg-bj", "PCG iteration with block Jacobi, relative to a product",
          pcg_block_jacobi / product, 1, 2);
    claim(self, "pcg-sgs", "PCG iteration with Gauss-Seidel, relative to a product",
          pcg_sweep / product, 1, 3.5);
    claim(self, "spmv-extra", "block product, 1 % of rows with extra blocks, relative to without",
          seconds[CONTACT_PRODUCT] / product, 0.9, 1.15);
    claim(self, "extra-add", "adding and closing them, time relative to a product",
          seconds[CONTACT_ADD] / product, 0, 1);
    claim(self, "restrict", "restricting 1 % of rows to planes, time relative to a product",
          seconds[CONTACT_RESTRICT] / product, 0, 0.5);
}

static void linear_bench_clear(linear_bench *self)
{
    pli_context *context = self->context;
    pli_precondition_destroy(self->sweep);
    pli_precondition_destroy(self->block_jacobi);
    pli_arena_destroy(self->arena);
    pli_bcsr_destroy(self->matrix);
    pli_release(context, self->contact_rows);
    pli_release(context, self->tangents);
    pli_release(context, self->scalars.row_start);
    pli_release(context, self->scalars.column);
    pli_release(context, self->scalars.values);
    pli_release(context, self->x);
    pli_release(context, self->y);
    pli_release(context, self->b);
}

pli_status pli_bench_kernels_linear(pli_bench *bench)
{
    linear_bench self = {.bench = bench, .context = pli_bench_context(bench)};
    pli_status status = make_matrix(&self);
    if (status != PLI_OK) goto done;
    status = make_vectors(&self);
    if (status != PLI_OK) goto done;
    status = expand_scalars(&self);
    if (status != PLI_OK) goto done;
    status = make_preconditions(&self);
    if (status != PLI_OK) goto done;
    status = make_contacts(&self);
    if (status != PLI_OK) goto done;
    status = pli_arena_create(self.context, 1 << 20, &self.arena);
    if (status != PLI_OK) goto done;

    (void)pli_bench_copy_bandwidth(bench);
    time_kernels(&self);
    report_kernels(&self);
    status = self.status;

done:
    linear_bench_clear(&self);
    return status;
}
