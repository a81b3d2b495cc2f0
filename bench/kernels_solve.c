// SPDX-License-Identifier: Apache-2.0
//
// Linear solves of the sizes that contact scenes have: a loop of a team against a loop alone, an
// iteration of conjugate gradients against reading the bytes it moves, contact Hessians added at
// once against block by block, and Cholesky with the order and the places of before against a new
// analysis.
#include "bench.h"

#include "../tests/box_matrix.h"

#include "base/parallel.h"
#include "base/random.h"
#include "base/timers.h"
#include "linear/direct/cholesky.h"
#include "linear/krylov/krylov.h"
#include "linear/krylov/precondition.h"
#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/bcsr_single.h"
#include "linear/matrix/stencils.h"

enum {
    SIZES = 4,
    ITERATIONS = 50,
    ROUNDS = 10,
    LOOPS = 100,             // empty loops per timing
    SINGLE_BLOCKS = 1 << 18, // as in linear/krylov/solver.c
    STENCIL_SIZES = 2,
    FACTOR_SIZES = 3 // the largest would take seconds
};

static const int32_t cells[SIZES][3] = {{10, 10, 10}, {10, 10, 40}, {20, 20, 20}, {35, 35, 35}};
static const int64_t stencil_counts[STENCIL_SIZES] = {2000, 20000};

typedef struct solve_bench {
    pli_bench *bench;
    pli_context *context;
    pli_arena *arena;
    pli_status status; // of the first body that failed

    // one size
    box_mesh mesh;
    pli_bcsr *matrix;
    pli_precondition *precondition;
    pli_bcsr_single single;
    double *b;     // [3 rows]
    double *x;     // [3 rows]
    double *bytes; // [byte_count / 8]  what an iteration moves, as one array
    int64_t byte_count;
    double sink; // so that reading is not left out
    void (*body)(void *user);
    double seconds; // of body inside a team

    // stencils
    pli_stencils stencils;
    int64_t count;
    int32_t *vertices; // [count][4]
    double *hessians;  // [count][12][12]
} solve_bench;

static void claim(solve_bench *self, const char *id, const char *what, double ours, double low,
                  double high)
{
    pli_bench_claim(self->bench, &(pli_claim){id, what, "-", ours, "x", low, high});
}

static void keep_status(solve_bench *self, pli_status status)
{
    if (self->status == PLI_OK) self->status = status;
}

static void time_inside(void *user)
{
    solve_bench *self = user;
    self->seconds = pli_bench_best_seconds(self->body, self, ROUNDS);
}

// Seconds of a body with a team standing by, as in a step.
static double team_seconds(solve_bench *self, void (*body)(void *user))
{
    self->body = body;
    pli_parallel_team(self->context, time_inside, self);
    return self->seconds;
}

// ---- loops

static void do_nothing(void *user, int64_t begin, int64_t end)
{
    (void)user;
    (void)begin;
    (void)end;
}

static void run_loops(void *user)
{
    const solve_bench *self = user;
    for (int k = 0; k < LOOPS; ++k) pli_parallel_for(self->context, 16, 1, do_nothing, NULL);
}

static void bench_loops(solve_bench *self)
{
    double inside = team_seconds(self, run_loops) / LOOPS;
    double outside = pli_bench_best_seconds(run_loops, self, ROUNDS) / LOOPS;
    pli_bench_note(self->bench, "an empty loop: %.2f us in a team, %.2f us alone", 1e6 * inside,
                   1e6 * outside);
    double upper = pli_context_thread_count(self->context) > 1 ? 0.5 : INFINITY;
    claim(self, "team-loop", "an empty loop of a team, time relative to one alone",
          inside / outside, 0, upper);
}

// ---- one size

static void clear_size(solve_bench *self)
{
    pli_bcsr_single_clear(&self->single);
    pli_precondition_destroy(self->precondition);
    pli_bcsr_destroy(self->matrix);
    pli_release(self->context, self->b);
    pli_release(self->context, self->x);
    pli_release(self->context, self->bytes);
    box_mesh_clear(&self->mesh);
    self->precondition = NULL;
    self->matrix = NULL;
    self->b = NULL;
    self->x = NULL;
    self->bytes = NULL;
}

static bool is_large(const solve_bench *self)
{
    return self->matrix->block_count >= SINGLE_BLOCKS;
}

// What an iteration reads and writes: blocks and columns; row starts, the inverse of the diagonal,
// and x, r, z, p, q ten times.
static int64_t iteration_bytes(const solve_bench *self)
{
    int64_t per_block = is_large(self) ? 9 * 4 + 4 : 9 * 8 + 4;
    return self->matrix->block_count * per_block +
           (int64_t)self->matrix->row_count * (8 + 9 * 8 + 10 * 24);
}

// Takes the middle layer of cells out: two bodies, one on top of the other.
static void split_mesh(box_mesh *mesh)
{
    int64_t layer = 5 * (int64_t)mesh->cells[0] * mesh->cells[1];
    int64_t first = layer * (mesh->cells[2] / 2);
    memmove(mesh->tets + 4 * first, mesh->tets + 4 * (first + layer),
            4 * (size_t)(mesh->tet_count - first - layer) * sizeof *mesh->tets);
    mesh->tet_count -= layer;
}

static pli_status make_size(solve_bench *self, const int32_t size[3])
{
    pli_context *context = self->context;
    if (!box_mesh_init(&self->mesh, size[0], size[1], size[2])) {
        return PLI_FAIL(context, PLI_ERROR_MEMORY, "out of memory in the box mesh");
    }
    split_mesh(&self->mesh);
    PLI_TRY(box_matrix_create(context, &self->mesh, 0.1, 1, &self->matrix));
    pli_precondition_def def = {.kind = PLI_PRECONDITION_BLOCK_JACOBI};
    PLI_TRY(pli_precondition_create(context, &def, self->matrix, &self->precondition));
    PLI_TRY(pli_precondition_build(self->precondition, self->matrix));
    int64_t n = 3 * (int64_t)self->matrix->row_count;
    self->b = PLI_NEW(context, double, n, "b");
    self->x = PLI_NEW(context, double, n, "x");
    self->byte_count = iteration_bytes(self);
    self->bytes = PLI_NEW(context, double, self->byte_count / 8, "bytes of an iteration");
    if (self->b == NULL || self->x == NULL || self->bytes == NULL) return PLI_ERROR_MEMORY;
    for (int64_t i = 0; i < n; ++i) self->b[i] = sin((double)i);
    return PLI_OK;
}

// ---- conjugate gradients

static void run_pcg(void *user)
{
    solve_bench *self = user;
    pli_operator A = pli_bcsr_operator(self->matrix);
    pli_operator B = pli_precondition_operator(self->precondition);
    pli_operator rough;
    pli_krylov_system system = {.A = &A, .B = &B, .b = self->b, .x = self->x};
    if (self->single.matrix != NULL) {
        rough = pli_bcsr_single_operator(&self->single);
        system.A_rough = &rough;
    }
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = ITERATIONS;
    def.relative_tolerance = 0;
    pli_krylov_report report;
    keep_status(self, pli_pcg(self->context, &def, &system, self->arena, &report));
}

static void convert(void *user)
{
    solve_bench *self = user;
    keep_status(self, pli_bcsr_single_build(&self->single, self->matrix));
}

static pli_sum read_range(void *user, int64_t begin, int64_t end)
{
    const double *values = user;
    double lanes[16] = {0};
    int64_t i = begin;
    for (; i + 16 <= end; i += 16) {
        for (int64_t k = 0; k < 16; ++k) lanes[k] += values[i + k];
    }
    double sum = 0;
    for (int k = 0; k < 16; ++k) sum += lanes[k];
    return (pli_sum){sum, 0};
}

static void read_bytes(void *user)
{
    solve_bench *self = user;
    self->sink += pli_sum_value(
        pli_parallel_sum(self->context, self->byte_count / 8, 2048, read_range, self->bytes));
}

static void bench_pcg(solve_bench *self, int size)
{
    static const char *const ids[SIZES] = {"pcg-1k", "pcg-5k", "pcg-9k", "pcg-47k"};
    double exact = team_seconds(self, run_pcg) / ITERATIONS;
    double conversion = team_seconds(self, convert);
    double rough = team_seconds(self, run_pcg) / ITERATIONS;
    double limit = team_seconds(self, read_bytes);
    double ours = is_large(self) ? rough : exact;
    pli_bench_note(self->bench,
                   "%d rows, %lld blocks: PCG iteration %.1f us, %.1f us in single precision "
                   "(conversion %.1f us); reading its bytes %.1f us",
                   (int)self->matrix->row_count, (long long)self->matrix->block_count, 1e6 * exact,
                   1e6 * rough, 1e6 * conversion, 1e6 * limit);
    claim(self, ids[size], "PCG iteration, time relative to reading the bytes it moves",
          ours / limit, 0, 4);
    if (is_large(self)) {
        claim(self, "pcg-single", "its speed in single precision relative to double", exact / rough,
              1.1, INFINITY);
    }
}

// ---- stencils

static void add_stencils(void *user)
{
    solve_bench *self = user;
    pli_bcsr_extra_forget(self->matrix);
    if (!pli_stencils_add(&self->stencils, self->hessians, self->matrix)) {
        keep_status(self, PLI_ERROR_ARGUMENT);
    }
}

static void build_stencils(void *user)
{
    solve_bench *self = user;
    self->stencils.revision = 0; // as if the list were another one
    keep_status(self,
                pli_stencils_build(&self->stencils, self->matrix, self->count, self->vertices));
}

static void add_blocks(void *user)
{
    solve_bench *self = user;
    bool room = true;
    pli_bcsr_extra_forget(self->matrix);
    for (int64_t k = 0; k < 16 * self->count; ++k) {
        const int32_t *vertices = self->vertices + k / 16 * 4;
        int64_t a = k / 4 % 4;
        int64_t b = k % 4;
        double block[9];
        const double *from = self->hessians + k / 16 * 144 + 36 * a + 3 * b;
        for (int i = 0; i < 9; ++i) block[i] = from[i / 3 * 12 + i % 3];
        room = pli_bcsr_add_block(self->matrix, vertices[a], vertices[b], block) && room;
    }
    pli_bcsr_close_extra(self->matrix);
    if (!room) keep_status(self, PLI_ERROR_ARGUMENT);
}

// Vertices of the upper half above faces of the lower one, next to each other as contacts are.
static void place_stencils(solve_bench *self)
{
    int32_t rows = self->matrix->row_count;
    for (int64_t k = 0; k < self->count; ++k) {
        int64_t tet = k * (self->mesh.tet_count / 3) / self->count;
        memcpy(self->vertices + 4 * k, self->mesh.tets + 4 * tet, 3 * sizeof(int32_t));
        double at = pli_random_range((pli_random){1, 2}, (uint64_t)k, 0, 40);
        self->vertices[4 * k + 3] =
            (int32_t)(rows / 2 + k * (rows / 2 - 41) / self->count) + (int32_t)at;
    }
    for (int64_t k = 0; k < 144 * self->count; ++k) self->hessians[k] = 1e-6 * (double)(k % 7);
}

static pli_status bench_stencils(solve_bench *self, int index)
{
    static const char *const ids[STENCIL_SIZES][2] = {{"stencil-2k", "stencil-2k+"},
                                                      {"stencil-20k", "stencil-20k+"}};
    pli_context *context = self->context;
    self->count = stencil_counts[index];
    self->vertices = PLI_NEW(context, int32_t, 4 * self->count, "stencils");
    self->hessians = PLI_NEW(context, double, 144 * self->count, "stencils");
    pli_stencils_init(context, &self->stencils);
    pli_status status = PLI_ERROR_MEMORY;
    if (self->vertices == NULL || self->hessians == NULL) goto done;
    place_stencils(self);
    status = pli_bcsr_reserve_extra(self->matrix, 12 * self->count);
    if (status != PLI_OK) goto done;
    double build = team_seconds(self, build_stencils);
    double add = team_seconds(self, add_stencils);
    double blocks = team_seconds(self, add_blocks);
    pli_bench_note(self->bench, "%lld stencils: search %.2f ms, adding %.2f ms; blocks %.2f ms",
                   (long long)self->count, 1e3 * build, 1e3 * add, 1e3 * blocks);
    claim(self, ids[index][0], "contact Hessians of a known list, speed relative to single blocks",
          blocks / add, 2, INFINITY);
    claim(self, ids[index][1], "the same with the search for a new list", blocks / (add + build), 1,
          INFINITY);

done:
    pli_stencils_clear(&self->stencils);
    pli_release(context, self->vertices);
    pli_release(context, self->hessians);
    self->vertices = NULL;
    self->hessians = NULL;
    pli_bcsr_extra_forget(self->matrix);
    return status;
}

// ---- Cholesky

// Contacts of the vertices below the gap with triangles above it, by zero blocks; all but a few,
// which are others for another seed.
static bool set_contacts(const solve_bench *self, uint64_t seed)
{
    static const double zero[9] = {0};
    const box_mesh *mesh = &self->mesh;
    bool room = true;
    pli_bcsr_extra_forget(self->matrix);
    for (int32_t k = 0; k < mesh->cells[0] * mesh->cells[1]; ++k) {
        if (pli_random_range((pli_random){seed, 4}, (uint64_t)k, 0, 1) > 0.97) continue;
        int32_t i = k % mesh->cells[0];
        int32_t j = k / mesh->cells[0];
        int32_t row = box_vertex(mesh, i, j, mesh->cells[2] / 2);
        for (int corner = 0; corner < 3; ++corner) {
            int32_t other =
                box_vertex(mesh, i + (corner == 1), j + (corner == 2), mesh->cells[2] / 2 + 1);
            room = room && pli_bcsr_add_block(self->matrix, row, other, zero) &&
                   pli_bcsr_add_block(self->matrix, other, row, zero);
        }
    }
    pli_bcsr_close_extra(self->matrix);
    return room;
}

// Seconds of the fastest of several factorisations; the contacts change each time when asked for.
static pli_status time_factor(solve_bench *self, pli_cholesky *cholesky, bool changing,
                              double *seconds)
{
    enum { TRIALS = 5 };
    *seconds = INFINITY;
    for (uint64_t trial = 0; trial < TRIALS; ++trial) {
        bool positive = false;
        if (!set_contacts(self, changing ? trial : 0)) return PLI_ERROR_ARGUMENT;
        double start = pli_clock_seconds();
        PLI_TRY(pli_cholesky_factor(cholesky, self->matrix, 0, &positive));
        if (trial > 0) *seconds = fmin(*seconds, pli_clock_seconds() - start);
    }
    return PLI_OK;
}

static double time_solve(solve_bench *self, pli_cholesky *cholesky)
{
    double start = pli_clock_seconds();
    keep_status(self, pli_cholesky_solve(cholesky, 1, self->b, self->x));
    return pli_clock_seconds() - start;
}

static pli_status bench_cholesky(solve_bench *self, int size)
{
    static const char *const ids[FACTOR_SIZES] = {"analyse-1k", "analyse-5k", "analyse-9k"};
    if (!pli_cholesky_is_available()) return PLI_OK;
    PLI_TRY(pli_bcsr_reserve_extra(self->matrix, 6 * (int64_t)self->matrix->row_count));
    pli_cholesky_def def = {0};
    pli_cholesky *cholesky = NULL;
    double start = pli_clock_seconds();
    PLI_TRY(pli_cholesky_create(self->context, &def, self->matrix, &cholesky));
    double create = pli_clock_seconds() - start;
    double alone = (double)pli_cholesky_get_report(cholesky).factor_entries;
    double same = 0;
    double other = 0;
    double series = 0;
    pli_status status = time_factor(self, cholesky, false, &same);
    if (status == PLI_OK) status = time_factor(self, cholesky, true, &other);
    pli_cholesky_begin(cholesky);
    if (status == PLI_OK) status = time_factor(self, cholesky, true, &series);
    if (status == PLI_OK) {
        pli_cholesky_report report = pli_cholesky_get_report(cholesky);
        pli_bench_note(self->bench,
                       "%d rows: order and analysis %.1f ms; factor %.1f ms, with other contacts "
                       "%.1f ms, within a series %.1f ms; solve %.2f ms",
                       (int)self->matrix->row_count, 1e3 * create, 1e3 * same, 1e3 * other,
                       1e3 * series, 1e3 * time_solve(self, cholesky));
        pli_bench_note(self->bench,
                       "the factor is %.2f times larger than without contacts; %d "
                       "orders, %d analyses",
                       (double)report.factor_entries / alone, (int)report.order_count,
                       (int)report.analysis_count);
        claim(self, ids[size], "factor with changing contacts in a series, relative to constant",
              series / same, 0, 1.4);
    }
    pli_cholesky_destroy(cholesky);
    pli_bcsr_extra_forget(self->matrix);
    return status;
}

static pli_status bench_size(solve_bench *self, int size)
{
    PLI_TRY(make_size(self, cells[size]));
    bench_pcg(self, size);
    if (size == 2) {
        for (int k = 0; k < STENCIL_SIZES; ++k) PLI_TRY(bench_stencils(self, k));
    }
    if (size < FACTOR_SIZES) PLI_TRY(bench_cholesky(self, size));
    return self->status;
}

pli_status pli_bench_kernels_solve(pli_bench *bench)
{
    solve_bench self = {.bench = bench, .context = pli_bench_context(bench)};
    PLI_TRY(pli_arena_create(self.context, 1 << 20, &self.arena));
    pli_bcsr_single_init(self.context, &self.single);
    bench_loops(&self);
    pli_status status = PLI_OK;
    for (int size = 0; size < SIZES && status == PLI_OK; ++size) {
        status = bench_size(&self, size);
        clear_size(&self);
    }
    pli_arena_destroy(self.arena);
    return status;
}
