// SPDX-License-Identifier: Apache-2.0
#include "multilevel/subspace.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/krylov/krylov.h"
#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/bcsr_float.h"
#include "linear/matrix/dense.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"
#include "multilevel/galerkin.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 256, AVERAGE_MAX = 16, BLOCK = 9, WEIGHTS = 6 };

// A coarse level: its space, its product U^T H U, and what precedes it.
typedef struct level {
    pli_space *space;          // NULL: there is no such level
    pli_handle_blocks *blocks; // NULL: a factor serves it
    double *q;                 // [size]
    double *b;                 // [size]
} level;

struct pli_subspace {
    pli_context *context;
    pli_subspace_source_def def;
    int32_t vertex_count;
    int64_t n; // unknowns
    const uint8_t *fixed;

    // matrices of the present iteration
    const pli_bcsr *E; // elastic, lags
    const pli_bcsr *O; // fresh
    pli_bcsr *C;       // elastic by cubature; NULL: E
    pli_bcsr_float E_float;
    double *diagonal; // [vertex_count][9] diagonal blocks of E + O
    double *roots;    // [vertex_count][6] their inverse roots

    level affine;
    level fine;
    pli_galerkin *galerkin; // NULL: block Jacobi everywhere
    bool has_factor;

    // refreshes
    int32_t step_count; // sizes seen in this minimisation, the oldest forgotten
    double steps[AVERAGE_MAX];
    int32_t since_refresh; // iterations
    pli_subspace_counts counts;

    // scratch
    double *w; // [n]
    double *y; // [n]
    double *r; // [n]
};

// ---- creation

static pli_status create_level(pli_subspace *s, const pli_bases *bases, bool blocks, level *made)
{
    if (bases == NULL) return PLI_OK;
    PLI_TRY(pli_space_create(s->context, bases, s->def.points, s->fixed, &made->space));
    if (blocks) PLI_TRY(pli_handle_blocks_create(s->context, made->space, &made->blocks));
    int64_t size = pli_space_size(made->space);
    PLI_TRY(PLI_MAKE(s->context, made->q, size, "subspace unknowns"));
    return PLI_MAKE(s->context, made->b, size, "subspace unknowns");
}

static void clear_level(pli_context *context, level *made)
{
    pli_release(context, made->b);
    pli_release(context, made->q);
    pli_handle_blocks_destroy(made->blocks);
    pli_space_destroy(made->space);
}

static pli_status create_cubature_matrix(pli_subspace *s)
{
    pli_term term = s->def.cubature;
    if (term.ops == NULL) return PLI_OK;
    const pli_clique_list *cliques = term.ops->get_cliques(term.self);
    PLI_TRY(pli_bcsr_create(s->context, s->vertex_count, 1, cliques, &s->C));
    return term.ops->bind != NULL ? term.ops->bind(term.self, s->C) : PLI_OK;
}

static bool wants_factor(const pli_subspace_source_def *def)
{
    return def->bases != NULL && (def->level_preconditioner == PLI_SUBSPACE_FACTOR ||
                                  def->polish_preconditioner == PLI_SUBSPACE_FACTOR);
}

static pli_status allocate_vectors(pli_subspace *s)
{
    int64_t vertices = s->vertex_count;
    PLI_TRY(PLI_MAKE(s->context, s->diagonal, BLOCK * vertices, "diagonal blocks"));
    PLI_TRY(PLI_MAKE(s->context, s->roots, WEIGHTS * vertices, "diagonal blocks"));
    PLI_TRY(PLI_MAKE(s->context, s->w, s->n, "subspace scratch"));
    PLI_TRY(PLI_MAKE(s->context, s->y, s->n, "subspace scratch"));
    PLI_TRY(PLI_MAKE(s->context, s->r, s->n, "subspace scratch"));
    // no block is known yet
    pli_vector_fill(s->context, BLOCK * vertices, NAN, s->diagonal);
    return PLI_OK;
}

static pli_status build(pli_subspace *s)
{
    PLI_TRY(allocate_vectors(s));
    PLI_TRY(create_cubature_matrix(s));
    bool blocks = s->def.level_preconditioner == PLI_SUBSPACE_BLOCKS;
    PLI_TRY(create_level(s, s->def.affine, true, &s->affine));
    PLI_TRY(create_level(s, s->def.bases, blocks, &s->fine));
    if (!wants_factor(&s->def)) return PLI_OK;
    const pli_bcsr *S = s->C != NULL ? s->C : s->E;
    return pli_galerkin_create(s->context, s->fine.space, S, &s->galerkin);
}

pli_status pli_subspace_create(pli_context *context, const pli_subspace_source_def *def,
                               const pli_objective *objective, pli_subspace **subspace)
{
    *subspace = NULL;
    if (def->affine == NULL && def->bases == NULL && def->polish_iterations <= 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a subspace solver needs a coarse level or polish iterations");
    }
    pli_subspace *made = PLI_NEW(context, pli_subspace, 1, "subspace solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    if (made->def.average_length > AVERAGE_MAX) made->def.average_length = AVERAGE_MAX;
    made->vertex_count = objective->point_count;
    made->n = 3 * (int64_t)objective->point_count;
    made->fixed = objective->fixed;
    made->E = objective->lagged;
    made->O = objective->H;
    PLI_ASSERT(context, made->O->block_count == made->O->row_count); // elastic terms lag
    pli_bcsr_float_init(context, &made->E_float);
    pli_status status = build(made);
    if (status != PLI_OK) {
        pli_subspace_destroy(made);
        return status;
    }
    *subspace = made;
    return PLI_OK;
}

void pli_subspace_destroy(pli_subspace *subspace)
{
    if (subspace == NULL) return;
    pli_context *context = subspace->context;
    pli_galerkin_destroy(subspace->galerkin);
    clear_level(context, &subspace->fine);
    clear_level(context, &subspace->affine);
    pli_bcsr_float_clear(&subspace->E_float);
    pli_bcsr_destroy(subspace->C);
    pli_release(context, subspace->r);
    pli_release(context, subspace->y);
    pli_release(context, subspace->w);
    pli_release(context, subspace->roots);
    pli_release(context, subspace->diagonal);
    pli_release(context, subspace);
}

pli_subspace_counts pli_subspace_get_counts(const pli_subspace *subspace)
{
    return subspace->counts;
}

// ---- matrices

static void begin_phase(const pli_subspace *s, const char *phase)
{
    if (s->def.timers != NULL) pli_timers_begin(s->def.timers, phase);
}

static void end_phase(const pli_subspace *s)
{
    if (s->def.timers != NULL) pli_timers_end(s->def.timers);
}

static void begin(void *self)
{
    pli_subspace *s = self;
    s->step_count = 0;
    s->since_refresh = 0;
    s->counts = (pli_subspace_counts){0};
    if (s->galerkin != NULL) pli_galerkin_begin(s->galerkin);
}

static bool should_refresh(const pli_subspace *s)
{
    if (s->counts.refreshes == 0) return true;
    // mean of the last step sizes; 1 before there are any
    int32_t count = s->step_count < s->def.average_length ? s->step_count : s->def.average_length;
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) sum += s->steps[(s->step_count - 1 - k) % AVERAGE_MAX];
    double mean = count > 0 ? sum / count : 1;
    return s->since_refresh >= s->def.period && mean < s->def.threshold;
}

static pli_status refresh(pli_subspace *s, pli_objective *objective, const double *x)
{
    begin_phase(s, "assembly");
    pli_objective_compute_lagged(objective, x, true);
    end_phase(s);
    ++s->counts.refreshes;
    s->since_refresh = 0;
    s->has_factor = false;
    return pli_bcsr_float_build(&s->E_float, s->E);
}

static void compute_cubature(pli_subspace *s, const double *x)
{
    if (s->C == NULL || s->fine.space == NULL) return;
    begin_phase(s, "assembly");
    pli_bcsr_set_zero(s->C);
    s->def.cubature.ops->add_hessian(s->def.cubature.self, x, true, s->C);
    if (s->fixed != NULL) pli_bcsr_fix_dofs(s->C, s->fixed, 0);
    end_phase(s);
}

// Between refreshes contacts change few of the blocks: the others keep their roots.
static void factor_diagonal(void *user, int64_t begin_row, int64_t end_row)
{
    const pli_subspace *s = user;
    for (int64_t row = begin_row; row < end_row; ++row) {
        double block[BLOCK];
        double *known = s->diagonal + BLOCK * row;
        pli_mat3_add_scaled(s->E->values + BLOCK * s->E->diagonal[row], 1,
                            s->O->values + BLOCK * s->O->diagonal[row], block);
        if (memcmp(block, known, sizeof block) == 0) continue;
        memcpy(known, block, sizeof block);
        pli_dense3_safe_factor(block, s->roots + WEIGHTS * row);
    }
}

static pli_galerkin_matrices coarse_matrices(const pli_subspace *s)
{
    return (pli_galerkin_matrices){.S = s->C != NULL ? s->C : s->E, .O = s->O};
}

// Preconditioners for the matrices as they are.
static pli_status build_preconditioners(pli_subspace *s, bool *usable)
{
    pli_galerkin_matrices H = coarse_matrices(s);
    *usable = true;
    if (s->affine.space != NULL) pli_handle_blocks_build(s->affine.blocks, &H);
    if (s->fine.blocks != NULL) pli_handle_blocks_build(s->fine.blocks, &H);
    if (s->galerkin != NULL && !s->has_factor) {
        PLI_TRY(pli_galerkin_build(s->galerkin, &H, usable));
    } else if (s->galerkin != NULL) {
        PLI_TRY(pli_galerkin_update(s->galerkin, s->O, usable));
    }
    s->has_factor = s->galerkin != NULL && *usable;
    pli_parallel_for(s->context, s->vertex_count, ROW_GRAIN, factor_diagonal, s);
    return PLI_OK;
}

static pli_status prepare(void *self, const pli_direction_point *at, pli_direction_matrix *made)
{
    pli_subspace *s = self;
    if (s->counts.refreshes > 0) {
        s->steps[s->step_count++ % AVERAGE_MAX] = at->alpha;
        ++s->since_refresh;
    }
    if (should_refresh(s)) PLI_TRY(refresh(s, at->objective, at->x));
    begin_phase(s, "assembly");
    pli_objective_compute_hessian(at->objective, at->x, true);
    end_phase(s);
    compute_cubature(s, at->x);
    begin_phase(s, "setup");
    made->definite = true;
    pli_status status = build_preconditioners(s, &made->usable);
    end_phase(s);
    return status;
}

// ---- products

typedef struct sum_job {
    const pli_bcsr *S;
    const pli_bcsr *O;
    const double *x;
    double *y;
} sum_job;

static void multiply_sum_rows(void *user, int64_t first, int64_t last)
{
    const sum_job *job = user;
    pli_bcsr_multiply_rows(job->S, job->x, job->y, first, last);
    pli_bcsr_multiply_add_rows(job->O, job->x, job->y, first, last);
}

// y = (S + O) x
static void multiply_sum(const pli_subspace *s, const pli_bcsr *S, const double *x, double *y)
{
    sum_job job = {S, s->O, x, y};
    pli_parallel_for(s->context, s->vertex_count, ROW_GRAIN, multiply_sum_rows, &job);
}

// U^T (H (U q)): lift, multiply, restrict
typedef struct level_operator {
    pli_subspace *subspace;
    level *at;
} level_operator;

static void multiply_level(const void *self, const double *q, double *z)
{
    const level_operator *A = self;
    pli_subspace *s = A->subspace;
    pli_space_lift(A->at->space, q, s->w);
    multiply_sum(s, coarse_matrices(s).S, s->w, s->y);
    pli_space_restrict(A->at->space, s->y, z);
}

static void load_fine(const void *self, const double *x)
{
    pli_bcsr_float_load(&((const pli_subspace *)self)->E_float, x);
}

// (E + O) x of an x that was loaded; the pattern of O has nothing beside the diagonal
static void multiply_fine_rows(const void *self, const double *x, double *y, int64_t first,
                               int64_t last)
{
    const pli_subspace *s = self;
    pli_bcsr_float_multiply_rows(&s->E_float, s->diagonal, x, y, first, last);
    pli_bcsr_extra_multiply_add_rows(s->O, x, y, first, last);
}

static void multiply_fine(const void *self, const double *x, double *y)
{
    const pli_subspace *s = self;
    load_fine(self, x);
    pli_operator_apply_by_rows(s->context, s->vertex_count, ROW_GRAIN, multiply_fine_rows, s, x, y);
}

// ---- preconditioners of the polish

static void apply_diagonal_rows(const void *self, const double *r, double *z, int64_t first,
                                int64_t last)
{
    const pli_subspace *s = self;
    for (int64_t row = first; row < last; ++row) {
        double t[3];
        pli_dense3_apply(s->roots + WEIGHTS * row, r + 3 * row, t);
        pli_dense3_apply_transposed(s->roots + WEIGHTS * row, t, z + 3 * row);
    }
}

static void apply_diagonal(const void *self, const double *r, double *z)
{
    const pli_subspace *s = self;
    pli_operator_apply_by_rows(s->context, s->vertex_count, ROW_GRAIN, apply_diagonal_rows, s, r,
                               z);
}

// D^-1 r + U K^-1 U^T r
static void apply_two_levels(const void *self, const double *r, double *z)
{
    pli_subspace *s = (pli_subspace *)self; // scratch only
    apply_diagonal(s, r, z);
    pli_operator inverse = pli_galerkin_operator(s->galerkin);
    pli_space_restrict(s->fine.space, r, s->fine.b);
    pli_operator_apply(&inverse, s->fine.b, s->fine.q);
    pli_space_lift(s->fine.space, s->fine.q, s->w);
    pli_vector_axpy(s->context, s->n, 1, s->w, z);
}

// ---- levels

static pli_operator level_preconditioner(const pli_subspace *s, const level *at)
{
    bool factored = at == &s->fine && s->def.level_preconditioner == PLI_SUBSPACE_FACTOR;
    return factored ? pli_galerkin_operator(s->galerkin) : pli_handle_blocks_operator(at->blocks);
}

// Whether the factor is that of the matrix which the level's products have: of E as it was made
// from, since a cubature is fresh in every iteration, and of O as it is now.
static bool has_exact_factor(const pli_subspace *s, const level *at)
{
    return at == &s->fine && s->C == NULL && s->has_factor &&
           s->def.level_preconditioner == PLI_SUBSPACE_FACTOR && pli_galerkin_is_exact(s->galerkin);
}

// q = K^-1 U^T r on a level by conjugate gradients.
static pli_status iterate_level(pli_subspace *s, level *at, pli_arena *scratch, bool *usable,
                                int32_t *iterations)
{
    level_operator product = {s, at};
    pli_operator A = {.size = pli_space_size(at->space), .self = &product, .apply = multiply_level};
    pli_operator B = level_preconditioner(s, at);
    pli_krylov_system system = {.A = &A, .B = &B, .b = at->b, .x = at->q};
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = s->def.tolerance;
    def.max_iterations = s->def.max_iterations;
    def.norm = PLI_KRYLOV_NORM_PRECONDITIONED;
    pli_krylov_report report;
    PLI_TRY(pli_pcg(s->context, &def, &system, scratch, &report));
    *iterations += report.iterations;
    *usable = report.stop != PLI_KRYLOV_NONFINITE;
    return PLI_OK;
}

// Solves on a level for the residual r and adds to the direction d.
static pli_status solve_level(pli_subspace *s, level *at, const double *r, pli_arena *scratch,
                              double *d, int32_t *iterations)
{
    bool usable = true;
    pli_space_restrict(at->space, r, at->b);
    if (has_exact_factor(s, at)) {
        pli_operator inverse = pli_galerkin_operator(s->galerkin);
        pli_operator_apply(&inverse, at->b, at->q);
        ++*iterations;
    } else {
        PLI_TRY(iterate_level(s, at, scratch, &usable, iterations));
    }
    if (!usable) return PLI_OK;
    pli_space_lift(at->space, at->q, s->w);
    pli_vector_axpy(s->context, s->n, 1, s->w, d);
    return PLI_OK;
}

static pli_status solve_affine(pli_subspace *s, pli_arena *scratch, double *d)
{
    if (s->affine.space == NULL) return PLI_OK;
    begin_phase(s, "affine");
    pli_status status = solve_level(s, &s->affine, s->r, scratch, d, &s->counts.affine_iterations);
    end_phase(s);
    return status;
}

static pli_status solve_fine(pli_subspace *s, const double *g, pli_arena *scratch, double *d)
{
    if (s->fine.space == NULL) return PLI_OK;
    begin_phase(s, "subspace");
    // what the affine level has left
    if (s->affine.space != NULL) {
        multiply_sum(s, coarse_matrices(s).S, d, s->y);
        for (int64_t k = 0; k < s->n; ++k) s->r[k] = -g[k] - s->y[k];
    }
    pli_status status = solve_level(s, &s->fine, s->r, scratch, d, &s->counts.subspace_iterations);
    end_phase(s);
    return status;
}

// Scales d to the minimum of g.d + d.Hd / 2 along it; leaves r = -g - H d.
static void scale_to_model(pli_subspace *s, const double *g, double *d)
{
    multiply_sum(s, s->E, d, s->y);
    double slope = pli_vector_dot(s->context, s->n, g, d);
    double curvature = pli_vector_dot(s->context, s->n, d, s->y);
    double scale = slope < 0 && curvature > 0 ? -slope / curvature : 0;
    if (!isfinite(scale)) scale = 0;
    for (int64_t k = 0; k < s->n; ++k) {
        d[k] *= scale;
        s->r[k] = -g[k] - scale * s->y[k];
    }
}

static pli_status polish(pli_subspace *s, pli_arena *scratch, double *d)
{
    if (s->def.polish_iterations <= 0) return PLI_OK;
    begin_phase(s, "polish");
    pli_arena_mark mark = pli_arena_begin(scratch);
    double *correction = pli_arena_doubles(scratch, s->n, "polish");
    pli_status status = correction != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    bool factored = s->def.polish_preconditioner == PLI_SUBSPACE_FACTOR && s->has_factor;
    pli_operator A = {.size = s->n,
                      .self = s,
                      .apply = multiply_fine,
                      .apply_rows = multiply_fine_rows,
                      .load = load_fine};
    pli_operator B = {.size = s->n,
                      .self = s,
                      .apply = factored ? apply_two_levels : apply_diagonal,
                      .apply_rows = factored ? NULL : apply_diagonal_rows,
                      .is_local = !factored};
    pli_krylov_system system = {.A = &A, .B = &B, .b = s->r, .x = correction};
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = 1e-6;
    def.max_iterations = s->def.polish_iterations;
    pli_krylov_report report = {0};
    if (status == PLI_OK) status = pli_pcg(s->context, &def, &system, scratch, &report);
    if (status == PLI_OK && report.stop != PLI_KRYLOV_NONFINITE) {
        s->counts.polish_iterations += report.iterations;
        pli_vector_axpy(s->context, s->n, 1, correction, d);
    }
    pli_arena_end(scratch, mark);
    end_phase(s);
    return status;
}

static int32_t count_iterations(const pli_subspace *s)
{
    return s->counts.affine_iterations + s->counts.subspace_iterations +
           s->counts.polish_iterations;
}

// Each of its solves has a tolerance of its own.
static pli_status solve(void *self, const double *g, double tolerance, pli_arena *scratch,
                        double *d, pli_direction_report *report)
{
    (void)tolerance;
    pli_subspace *s = self;
    int32_t before = count_iterations(s);
    ++s->counts.directions;
    memset(d, 0, (size_t)s->n * sizeof *d);
    for (int64_t k = 0; k < s->n; ++k) s->r[k] = -g[k];
    PLI_TRY(solve_affine(s, scratch, d));
    PLI_TRY(solve_fine(s, g, scratch, d));
    double coarse = pli_vector_norm(s->context, s->n, d);
    scale_to_model(s, g, d);
    PLI_TRY(polish(s, scratch, d));
    s->counts.largest = pli_vector_max_abs(s->context, s->n, d);
    double whole = pli_vector_norm(s->context, s->n, d);
    report->step = fmax(coarse, whole) / s->vertex_count;
    report->linear_iterations = count_iterations(s) - before;
    return PLI_OK;
}

pli_direction_source pli_subspace_source(pli_subspace *subspace)
{
    static const pli_direction_ops subspace_ops = {
        .is_partial = true, .begin = begin, .prepare = prepare, .solve = solve};
    return (pli_direction_source){&subspace_ops, subspace};
}
