// SPDX-License-Identifier: Apache-2.0
//
// Symmetric Gauss-Seidel sweeps for lifted systems in the order of a randomised colouring, nodes of
// a colour in parallel (Fratarcangeli et al. 2016, "Vivace").
//
// Rows stand by colour and are divided by their diagonal, so that a row is
//
//     x_i = K_i (c_i - sum_j w_ij x_j),  w_ij = s_ij / s_ii,  c_i = r_i / s_ii,
//
// with K_i = s_ii (s_ii I + D_i)^-1 where there is a block on the diagonal and nothing else
// elsewhere. A half sweep changes what stands on one side of the diagonal only: the sum over the
// other side is known from the half sweep before, so that each reads half of the matrix (Conrad and
// Wallach 1979). Numbers are single, vectors of three padded to four; the right-hand side is scaled
// by a power of two, so that small ones do not underflow.
//
// With a tolerance every sweep starts from zero on the residual, formed in double: the same
// iterates, without the end of single precision.
#include "linear/multigrid/lifted_solver_ops.h"

#include "linear/krylov/krylov_state.h"
#include "linear/matrix/block_kernel.h"
#include "linear/multigrid/lifted_diagonal.h"

#include "base/memory.h"

enum {
    ROW_GRAIN = 1024,
    SWEEP_GRAIN = 256,
    WINDOW = 512,          // rows that are sorted by length
    LENGTHS = 64,          // that are told apart
    EXPONENT_LEAST = -1000 // of right-hand sides; the power of two that scales them stays finite
};

// What stands before, or behind, the diagonal in the order of the sweep.
typedef struct triangle {
    int64_t *start;  // [row_count + 1]  by place
    int32_t *column; // [start[row_count]]  place of the other row
    float *values;   // [start[row_count]]  w_ij
} triangle;

typedef struct sweeper {
    pli_context *context;
    const pli_lifted_solver_def *def; // borrowed
    const pli_lifted *matrix;         // borrowed
    pli_lifted_diagonal diagonal;

    // the order, made by create: by colour
    pli_graph_coloring *coloring;
    int32_t *row_of_place; // [row_count]
    int32_t *place_of_row; // [row_count]

    // written by build
    triangle lower;
    triangle upper;
    int32_t *block_of_place; // [row_count]  block on the diagonal, or -1
    int32_t marked_count;
    int32_t *marked; // [block_capacity]  places with a block in block_of_place
    int32_t block_capacity;
    float *K; // [block_capacity][3][4]  rows of K_i, which is symmetric, padded

    // scratch of a solve, all [row_count][4] by place
    float *c;
    float *x;
    float *sum; // over the side of the diagonal that the coming half sweep does not change
} sweeper;

static void triangle_clear(pli_context *context, triangle *one)
{
    PLI_RELEASE(context, one->start, one->column, one->values);
}

static void destroy(void *self)
{
    sweeper *s = self;
    if (s == NULL) return;
    pli_context *context = s->context;
    pli_lifted_diagonal_clear(&s->diagonal);
    pli_graph_coloring_destroy(s->coloring);
    PLI_RELEASE(context, s->row_of_place, s->place_of_row);
    triangle_clear(context, &s->lower);
    triangle_clear(context, &s->upper);
    PLI_RELEASE(context, s->block_of_place, s->marked, s->K, s->c, s->x, s->sum, s);
}

// ---- symbolic part

static pli_status triangle_init(pli_context *context, int64_t row_count, int64_t count,
                                triangle *made)
{
    PLI_TRY(PLI_MAKE(context, made->start, row_count + 1, "sweep rows"));
    PLI_TRY(PLI_MAKE(context, made->column, count, "sweep columns"));
    return PLI_MAKE(context, made->values, count, "sweep values");
}

static pli_status allocate(sweeper *s)
{
    pli_context *context = s->context;
    int64_t rows = s->matrix->row_count;
    int64_t half = (s->matrix->entry_count - rows) / 2;
    PLI_TRY(triangle_init(context, rows, half, &s->lower));
    PLI_TRY(triangle_init(context, rows, half, &s->upper));
    PLI_TRY(PLI_MAKE(context, s->row_of_place, rows, "sweep order"));
    PLI_TRY(PLI_MAKE(context, s->place_of_row, rows, "sweep order"));
    PLI_TRY(PLI_MAKE(context, s->block_of_place, rows, "sweep blocks"));
    PLI_TRY(PLI_MAKE(context, s->c, 4 * rows, "sweep vectors"));
    PLI_TRY(PLI_MAKE(context, s->x, 4 * rows, "sweep vectors"));
    return PLI_MAKE(context, s->sum, 4 * rows, "sweep vectors");
}

// Couplings of a row with those of earlier colours, or the last length that is told apart.
static int32_t lower_length(const sweeper *s, int32_t row)
{
    const pli_lifted *matrix = s->matrix;
    const int32_t *color = s->coloring->color;
    int32_t length = 0;
    for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
        if (color[matrix->column[slot]] < color[row]) ++length;
    }
    return length < LENGTHS ? length : LENGTHS - 1;
}

// Sorts rows of one colour that stand together, [count], by how much of them lies before the
// diagonal.
static void sort_window(const sweeper *s, int32_t count, const int32_t *rows, int32_t *sorted)
{
    int32_t begin[LENGTHS + 1] = {0};
    int32_t length[WINDOW];
    for (int32_t k = 0; k < count; ++k) {
        length[k] = lower_length(s, rows[k]);
        ++begin[length[k] + 1];
    }
    for (int32_t l = 0; l < LENGTHS; ++l) begin[l + 1] += begin[l];
    for (int32_t k = 0; k < count; ++k) sorted[begin[length[k]]++] = rows[k];
}

// Rows by colour and, inside a colour, of equal length next to each other, so that the processor
// foresees where a row ends; only within windows, so that neighbours stay close.
static void sort_rows(sweeper *s)
{
    const pli_graph_coloring *coloring = s->coloring;
    for (int32_t color = 0; color < coloring->color_count; ++color) {
        int32_t end = coloring->color_begin[color + 1];
        for (int32_t first = coloring->color_begin[color]; first < end; first += WINDOW) {
            int32_t count = end - first < WINDOW ? end - first : WINDOW;
            sort_window(s, count, coloring->node + first, s->row_of_place + first);
        }
    }
}

// Numbers of entries before and behind the diagonal, by place, summed up to starts.
static void count_triangles(sweeper *s)
{
    const pli_lifted *matrix = s->matrix;
    for (int32_t place = 0; place < matrix->row_count; ++place) {
        int32_t row = s->row_of_place[place];
        int64_t lower = 0;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (s->place_of_row[matrix->column[slot]] < place) ++lower;
        }
        int64_t upper = matrix->row_start[row + 1] - matrix->row_start[row] - 1 - lower;
        s->lower.start[place + 1] = s->lower.start[place] + lower;
        s->upper.start[place + 1] = s->upper.start[place] + upper;
    }
}

static pli_status make_order(sweeper *s)
{
    pli_graph graph = pli_lifted_graph(s->matrix);
    PLI_TRY(pli_graph_coloring_create(s->context, &graph, PLI_COLORING_RANDOM, s->def->seed,
                                      &s->coloring));
    sort_rows(s);
    for (int32_t place = 0; place < s->matrix->row_count; ++place) {
        s->place_of_row[s->row_of_place[place]] = place;
        s->block_of_place[place] = -1;
    }
    count_triangles(s);
    return PLI_OK;
}

static pli_status create(pli_context *context, const pli_lifted_solver_def *def,
                         const pli_lifted *matrix, void **self)
{
    sweeper *made = PLI_NEW(context, sweeper, 1, "sweep");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (sweeper){.context = context, .def = def, .matrix = matrix};
    pli_status status = pli_lifted_diagonal_init(matrix, &made->diagonal);
    if (status == PLI_OK) status = allocate(made);
    if (status == PLI_OK) status = make_order(made);
    if (status != PLI_OK) {
        destroy(made);
        return status;
    }
    *self = made;
    return PLI_OK;
}

// ---- numeric part

static void fill_range(void *user, int64_t begin, int64_t end)
{
    sweeper *s = user;
    const pli_lifted *matrix = s->matrix;
    for (int64_t place = begin; place < end; ++place) {
        int64_t row = s->row_of_place[place];
        int64_t lower = s->lower.start[place];
        int64_t upper = s->upper.start[place];
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            int32_t other = s->place_of_row[matrix->column[slot]];
            float w = (float)(matrix->values[slot] * s->diagonal.inverse[row]);
            if (other < place) {
                s->lower.column[lower] = other;
                s->lower.values[lower++] = w;
            } else if (other > place) {
                s->upper.column[upper] = other;
                s->upper.values[upper++] = w;
            }
        }
    }
}

static pli_status reserve_blocks(sweeper *s)
{
    if (s->matrix->block_count <= s->block_capacity) return PLI_OK;
    int32_t capacity = s->matrix->block_capacity;
    PLI_TRY(PLI_RESIZE(s->context, s->marked, capacity, "sweep blocks"));
    PLI_TRY(PLI_RESIZE(s->context, s->K, 12 * (int64_t)capacity, "sweep blocks"));
    s->block_capacity = capacity;
    return PLI_OK;
}

// K_i = s_ii (s_ii I + D_i)^-1 for the blocks of the matrix
static void take_blocks(sweeper *s)
{
    const pli_lifted *matrix = s->matrix;
    for (int32_t k = 0; k < s->marked_count; ++k) s->block_of_place[s->marked[k]] = -1;
    s->marked_count = matrix->block_count;
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        int32_t row = matrix->block_row[k];
        double pivot = matrix->values[matrix->diagonal[row]];
        const double *inverse = s->diagonal.block_inverse + 9 * (int64_t)k;
        float *K = s->K + 12 * (int64_t)k;
        for (int c = 0; c < 9; ++c) K[4 * (c / 3) + c % 3] = (float)(pivot * inverse[c]);
        for (int c = 0; c < 3; ++c) K[4 * c + 3] = 0;
        s->marked[k] = s->place_of_row[row];
        s->block_of_place[s->marked[k]] = k;
    }
}

static pli_status update_blocks(void *self, bool *definite)
{
    sweeper *s = self;
    PLI_TRY(reserve_blocks(s));
    PLI_TRY(pli_lifted_diagonal_update_blocks(&s->diagonal, definite));
    take_blocks(s);
    return PLI_OK;
}

static pli_status build(void *self, bool *definite)
{
    sweeper *s = self;
    PLI_TRY(reserve_blocks(s));
    PLI_TRY(pli_lifted_diagonal_build(&s->diagonal, definite));
    take_blocks(s);
    pli_parallel_for(s->context, s->matrix->row_count, ROW_GRAIN, fill_range, s);
    return PLI_OK;
}

// ---- sweeps

typedef struct sweep_job {
    sweeper *solver;
    const pli_arena *scratch; // knows whether the result is still wanted
    pli_status status;
    const double *r; // what the sweeps start from
    double *d;
    double scale;  // of c, a power of two
    int32_t first; // place where the colour begins
} sweep_job;

static inline pli_float4 load(const float *from)
{
    pli_float4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void store(pli_float4 v, float *to)
{
    memcpy(to, &v, sizeof v);
}

// sum of w_ij x_j over a side of the diagonal
static inline pli_float4 sum_row(const triangle *side, const float *x, int64_t place)
{
    pli_float4 sum = {0};
    int64_t end = side->start[place + 1];
    for (int64_t k = side->start[place]; k < end; ++k) {
        sum += side->values[k] * load(x + 4 * (int64_t)side->column[k]);
    }
    return sum;
}

// One half sweep over places of one colour: x_i = K_i (c_i - both sums), of which the one over
// `side` is new.
static inline void sweep_places(const sweeper *s, const triangle *side, int64_t begin, int64_t end)
{
    for (int64_t place = begin; place < end; ++place) {
        pli_float4 sum = sum_row(side, s->x, place);
        pli_float4 v = load(s->c + 4 * place) - sum - load(s->sum + 4 * place);
        int32_t block = s->block_of_place[place];
        if (block >= 0) {
            const float *K = s->K + 12 * (int64_t)block;
            v = v[0] * load(K) + v[1] * load(K + 4) + v[2] * load(K + 8);
        }
        store(sum, s->sum + 4 * place);
        store(v, s->x + 4 * place);
    }
}

static void forward_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    sweep_places(job->solver, &job->solver->lower, job->first + begin, job->first + end);
}

static void backward_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    sweep_places(job->solver, &job->solver->upper, job->first + begin, job->first + end);
}

static void sweep_color(sweep_job *job, int32_t color, pli_range_fn half)
{
    const pli_graph_coloring *coloring = job->solver->coloring;
    job->first = coloring->color_begin[color];
    int64_t count = coloring->color_begin[color + 1] - job->first;
    pli_parallel_for(job->solver->context, count, SWEEP_GRAIN, half, job);
}

static void sweep(sweep_job *job)
{
    int32_t color_count = job->solver->coloring->color_count;
    for (int32_t color = 0; color < color_count; ++color) sweep_color(job, color, forward_range);
    for (int32_t color = color_count; color > 0; --color) {
        sweep_color(job, color - 1, backward_range);
    }
}

static double largest_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    double largest = 0;
    for (int64_t row = begin; row < end; ++row) {
        for (int c = 0; c < 3; ++c) {
            double v = fabs(job->r[3 * row + c]) * job->solver->diagonal.inverse[row];
            if (!(v <= largest)) largest = v;
        }
        if (isnan(largest)) break;
    }
    return largest;
}

// c = scale r / s_ii, and a zero start
static void load_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    const sweeper *s = job->solver;
    for (int64_t place = begin; place < end; ++place) {
        int64_t row = s->row_of_place[place];
        double inverse = s->diagonal.inverse[row];
        for (int c = 0; c < 3; ++c) {
            s->c[4 * place + c] = (float)(inverse * job->r[3 * row + c] * job->scale);
        }
        s->c[4 * place + 3] = 0;
        store((pli_float4){0}, s->sum + 4 * place);
    }
}

// d += x / scale
static void store_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    const sweeper *s = job->solver;
    double back = 1 / job->scale;
    for (int64_t row = begin; row < end; ++row) {
        const float *x = s->x + 4 * (int64_t)s->place_of_row[row];
        for (int c = 0; c < 3; ++c) job->d[3 * row + c] += back * (double)x[c];
    }
}

// d += what so many sweeps from zero make of r; false when r is not finite.
static bool add_sweeps(sweep_job *job, int32_t count)
{
    sweeper *s = job->solver;
    int64_t rows = s->matrix->row_count;
    double largest = pli_parallel_max(s->context, rows, ROW_GRAIN, largest_range, job);
    if (!(largest < INFINITY)) return false;
    int exponent = 0;
    if (largest > 0) (void)frexp(largest, &exponent);
    job->scale = ldexp(1, -(exponent > EXPONENT_LEAST ? exponent : EXPONENT_LEAST));
    pli_parallel_for(s->context, rows, ROW_GRAIN, load_range, job);
    for (int32_t k = 0; k < count && job->status == PLI_OK; ++k) {
        sweep(job);
        job->status = pli_arena_go_on(job->scratch);
    }
    pli_parallel_for(s->context, rows, ROW_GRAIN, store_range, job);
    return true;
}

// ---- solves

typedef struct solve_job {
    sweeper *solver;
    const pli_arena *scratch;
    pli_status status;
    const double *r;
    double *residual; // [row_count][3]  scratch of solves with a tolerance
    double *d;
    pli_krylov_report *report;
} solve_job;

static void run_fixed(void *user)
{
    solve_job *job = user;
    sweep_job sweeps = {.solver = job->solver, .scratch = job->scratch, .r = job->r, .d = job->d};
    int32_t count = job->solver->def->iterations;
    bool finite = add_sweeps(&sweeps, count);
    job->status = sweeps.status;
    *job->report =
        (pli_krylov_report){.stop = finite ? PLI_KRYLOV_ITERATIONS : PLI_KRYLOV_NONFINITE,
                            .iterations = finite ? count : 0,
                            .residual = NAN,
                            .initial_residual = NAN};
}

static void run_to_tolerance(void *user)
{
    solve_job *job = user;
    sweeper *s = job->solver;
    int64_t n = 3 * (int64_t)s->matrix->row_count;
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = s->def->relative_tolerance;
    def.max_iterations = s->def->iterations;
    pli_krylov_state state = {.context = s->context, .def = &def, .n = n, .report = job->report};
    sweep_job sweeps = {.solver = s, .scratch = job->scratch, .r = job->residual, .d = job->d};
    for (int32_t k = 0;; ++k) {
        pli_lifted_residual(s->matrix, job->r, job->d, job->residual);
        double residual = pli_vector_norm(s->context, n, job->residual);
        if (k == 0) pli_krylov_set_tolerance(&state, residual);
        if (pli_krylov_record_residual(&state, k, residual)) break;
        if (!add_sweeps(&sweeps, 1) || sweeps.status != PLI_OK) break;
    }
    job->status = sweeps.status;
}

static pli_status solve(void *self, const double *r, pli_arena *scratch, double *d,
                        pli_krylov_report *report)
{
    sweeper *s = self;
    int64_t n = 3 * (int64_t)s->matrix->row_count;
    solve_job job = {.solver = s, .scratch = scratch, .r = r, .d = d, .report = report};
    bool judged = s->def->relative_tolerance > 0;
    pli_arena_mark mark = pli_arena_begin(scratch);
    pli_status status = PLI_ERROR_MEMORY;
    if (judged) {
        job.residual = pli_arena_doubles(scratch, n, "sweep residual");
        if (job.residual == NULL) goto done;
    }
    pli_vector_fill(s->context, n, 0, d);
    pli_krylov_state state = {.context = s->context, .n = n};
    pli_krylov_run(&state, judged ? run_to_tolerance : run_fixed, &job);
    status = job.status;

done:
    pli_arena_end(scratch, mark);
    return status;
}

const pli_lifted_solver_ops pli_lifted_sweep_ops = {
    .create = create,
    .destroy = destroy,
    .build = build,
    .update_blocks = update_blocks,
    .solve = solve,
};
