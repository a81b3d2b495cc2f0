// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_multigrid.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "mpm/implicit/node_coarsest.h"
#include "mpm/implicit/node_multigrid_inside.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 64, FEWEST_NODES = 8 };

// eigenvalues of a diagonal block under this part of the largest are rounding errors of zero
static const double null_share = 1e-12;
// a determinant over this part of the one of a multiple of the unit matrix is safely not zero
static const double safe_determinant = 1e-9;

static const pli_node_smoother_ops *const smoothers[] = {
    [PLI_NODE_GAUSS_SEIDEL] = &pli_node_sweep_ops,
    [PLI_NODE_JACOBI] = &pli_node_jacobi_ops,
    [PLI_NODE_CHEBYSHEV] = &pli_node_chebyshev_ops,
};

struct pli_node_multigrid {
    pli_context *context;
    pli_node_multigrid_def def;
    pli_embedding embedding;
    const pli_node_smoother_ops *smoother;
    pli_timers *timers;     // borrowed, may be NULL
    pli_arena *tables;      // of the last build
    pli_sweep_masks *masks; // [PLI_NODE_REACH + 1]  by reach
    pli_node_coarsest *coarsest;
    int32_t level_count; // of the last build
    pli_node_level levels[PLI_NODE_LEVELS];
};

// ---- life

pli_node_multigrid_def pli_node_multigrid_def_default(void)
{
    return (pli_node_multigrid_def){.level_count = 3,
                                    .embedding = PLI_EMBEDDING_LINEAR,
                                    .smoother = PLI_NODE_GAUSS_SEIDEL,
                                    .single = true,
                                    .coarsest_tolerance = 0.5,
                                    .coarsest_iterations = 10000};
}

static pli_status check_def(pli_context *context, const pli_node_multigrid_def *def)
{
    if (def->level_count < 1 || def->level_count > PLI_NODE_LEVELS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d levels of nodes; there may be 1 to %d",
                        (int)def->level_count, PLI_NODE_LEVELS);
    }
    if (def->embedding < 0 || def->embedding > PLI_EMBEDDING_QUADRATIC || def->smoother < 0 ||
        def->smoother > PLI_NODE_CHEBYSHEV) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "embedding %d or smoother %d is unknown",
                        (int)def->embedding, (int)def->smoother);
    }
    if (!(def->coarsest_tolerance > 0) || def->coarsest_iterations < 1) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the coarsest level to %g in %d iterations; both must be positive",
                        def->coarsest_tolerance, (int)def->coarsest_iterations);
    }
    return PLI_OK;
}

static pli_status create_levels(pli_node_multigrid *self)
{
    int32_t side = pli_node_side(self->embedding.reach), slots = side * side * side;
    for (int32_t l = 1; l < self->def.level_count; ++l) {
        pli_node_level *level = &self->levels[l];
        PLI_TRY(pli_node_grid_create(self->context, &level->own_grid));
        PLI_TRY(pli_ell_create(self->context, 0, slots, slots / 2, &level->own_matrix));
        level->grid = level->own_grid;
        level->matrix = level->own_matrix;
    }
    return PLI_OK;
}

static pli_status create_parts(pli_node_multigrid *self)
{
    pli_context *context = self->context;
    self->masks = PLI_NEW(context, pli_sweep_masks, PLI_NODE_REACH + 1, "orders of sweeps");
    self->coarsest = PLI_NEW(context, pli_node_coarsest, 1, "coarsest level");
    if (self->masks == NULL || self->coarsest == NULL) return PLI_ERROR_MEMORY;
    for (int32_t reach = 1; reach <= PLI_NODE_REACH; ++reach) {
        pli_sweep_masks_build(reach, &self->masks[reach]);
    }
    PLI_TRY(pli_arena_create(context, 0, &self->tables));
    PLI_TRY(pli_node_coarsest_init(context, &self->def, self->coarsest));
    return create_levels(self);
}

pli_status pli_node_multigrid_create(pli_context *context, const pli_node_multigrid_def *def,
                                     pli_node_multigrid **multigrid)
{
    *multigrid = NULL;
    PLI_TRY(check_def(context, def));
    pli_node_multigrid *made = PLI_NEW(context, pli_node_multigrid, 1, "multigrid of nodes");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->embedding = pli_embedding_of(def->embedding);
    made->smoother = smoothers[def->smoother];
    for (int32_t l = 0; l < PLI_NODE_LEVELS; ++l) made->levels[l].context = context;
    pli_status status = create_parts(made);
    if (status != PLI_OK) {
        pli_node_multigrid_destroy(made);
        return status;
    }
    *multigrid = made;
    return PLI_OK;
}

void pli_node_multigrid_destroy(pli_node_multigrid *multigrid)
{
    if (multigrid == NULL) return;
    pli_context *context = multigrid->context;
    for (int32_t l = 0; l < PLI_NODE_LEVELS; ++l) {
        pli_ell_destroy(multigrid->levels[l].own_matrix);
        pli_node_grid_destroy(multigrid->levels[l].own_grid);
        pli_node_triangle_clear(context, &multigrid->levels[l].lower);
        pli_node_triangle_clear(context, &multigrid->levels[l].upper);
    }
    if (multigrid->coarsest != NULL) pli_node_coarsest_clear(multigrid->coarsest);
    PLI_RELEASE(context, multigrid->coarsest, multigrid->masks);
    pli_arena_destroy(multigrid->tables);
    pli_release(context, multigrid);
}

void pli_node_multigrid_set_timers(pli_node_multigrid *multigrid, pli_timers *timers)
{
    multigrid->timers = timers;
}

static void time_begin(const pli_node_multigrid *self, const char *phase)
{
    if (self->timers != NULL) pli_timers_begin(self->timers, phase);
}

static void time_end(const pli_node_multigrid *self)
{
    if (self->timers != NULL) pli_timers_end(self->timers);
}

// ---- tables of a level

// reach of a matrix with that many slots a row; 0: none that is possible
static int32_t reach_of(int32_t width)
{
    for (int32_t reach = 1; reach <= PLI_NODE_REACH; ++reach) {
        int32_t side = pli_node_side(reach);
        if (side * side * side == width) return reach;
    }
    return 0;
}

static void mark_present_range(void *user, int64_t begin, int64_t end)
{
    const pli_node_level *level = user;
    const pli_ell *matrix = level->matrix;
    for (int64_t row = begin; row < end; ++row) {
        uint64_t words[PLI_NODE_MASK] = {0};
        const int32_t *column = matrix->column + row * matrix->width;
        for (int32_t slot = 0; slot < matrix->width; ++slot) {
            words[slot / 64] |= (uint64_t)(column[slot] >= 0) << (slot % 64);
        }
        memcpy(level->present + row * level->mask_words, words,
               (size_t)level->mask_words * sizeof *words);
    }
}

// Everything that grid, matrix and held nodes of a level decide.
static pli_status take_tables(pli_node_multigrid *self, pli_node_level *level)
{
    pli_arena *tables = self->tables;
    int64_t count = level->grid->count;
    level->reach = reach_of(level->matrix->width);
    level->mask_words = (level->matrix->width + 63) / 64;
    level->held_count = 0;
    level->family_count = 0;
    level->present =
        pli_arena_take(tables, count * level->mask_words, sizeof *level->present, "slots of rows");
    level->inverse = pli_arena_doubles(tables, 9 * count, "inverse of the diagonal");
    level->held = pli_arena_ints(tables, count, "held nodes");
    level->t = pli_arena_doubles(tables, 3 * count, "vectors of a level");
    level->r = pli_arena_doubles(tables, 3 * count, "vectors of a level");
    level->d = self->smoother->needs_largest
                   ? pli_arena_doubles(tables, 3 * count, "vectors of a level")
                   : level->r;
    if (level->present == NULL || level->inverse == NULL || level->held == NULL ||
        level->t == NULL || level->r == NULL || level->d == NULL) {
        return PLI_ERROR_MEMORY;
    }
    memset(level->held, 0xff, (size_t)count * sizeof *level->held);
    pli_parallel_for(self->context, count, ROW_GRAIN, mark_present_range, level);
    return PLI_OK;
}

// ---- the finest level

static pli_status check_matrix(const pli_node_multigrid *self, const pli_node_grid *grid,
                               const pli_ell *matrix)
{
    bool is_fit = matrix->row_count == grid->count && reach_of(matrix->width) > 0 &&
                  matrix->center == matrix->width / 2;
    if (is_fit) return PLI_OK;
    return PLI_FAIL(self->context, PLI_ERROR_ARGUMENT,
                    "a matrix of %d rows with %d slots on %d nodes; there must be a row for every "
                    "node with a slot for each neighbour up to 1, 2 or 3 away",
                    (int)matrix->row_count, (int)matrix->width, (int)grid->count);
}

static pli_status check_input(const pli_node_multigrid *self, const pli_node_grid *grid,
                              const pli_ell *matrix, const pli_node_constraints *constraints)
{
    PLI_TRY(check_matrix(self, grid, matrix));
    for (int32_t k = 0; constraints != NULL && k < constraints->count; ++k) {
        int32_t node = constraints->nodes[k], least = k > 0 ? constraints->nodes[k - 1] + 1 : 0;
        if (node >= least && node < grid->count) continue;
        return PLI_FAIL(self->context, PLI_ERROR_ARGUMENT,
                        "node %d is held in place %d; numbers must increase and be under %d",
                        (int)node, (int)k, (int)grid->count);
    }
    return PLI_OK;
}

static pli_status build_finest(pli_node_multigrid *self, const pli_node_grid *grid,
                               const pli_ell *matrix, const pli_node_constraints *constraints)
{
    pli_node_level *level = &self->levels[0];
    level->grid = grid;
    level->matrix = matrix;
    PLI_TRY(take_tables(self, level));
    if (constraints == NULL) return PLI_OK;
    level->held_count = constraints->count;
    level->tangents = constraints->tangents;
    for (int32_t k = 0; k < constraints->count; ++k) level->held[constraints->nodes[k]] = k;
    return PLI_OK;
}

// ---- coarse levels

bool pli_node_find_tangent(const double D[9], double T[9])
{
    memset(T, 0, 9 * sizeof *T);
    double mean = pli_mat3_trace(D) / 3;
    if (!(mean > 0)) return true;
    if (pli_mat3_determinant(D) > safe_determinant * mean * mean * mean) return false;
    double values[3], Q[9];
    bool is_held = false;
    pli_eigen_symmetric(3, D, values, Q);
    for (int k = 0; k < 3; ++k) {
        bool has_matter = values[k] > null_share * values[2];
        is_held = is_held || !has_matter;
        for (int e = 0; e < 9 && has_matter; ++e) T[e] += Q[e - e % 3 + k] * Q[3 * (e % 3) + k];
    }
    return is_held;
}

static double *diagonal_block(const pli_node_level *level, int64_t node)
{
    const pli_ell *matrix = level->matrix;
    return pli_ell_block(matrix, node, matrix->center);
}

// D += s (1 - T), which makes it regular
static void fill_diagonal(const double T[9], double D[9])
{
    double mean = pli_mat3_trace(D) / 3;
    double s = mean > 0 ? mean : 1;
    for (int e = 0; e < 9; ++e) D[e] += s * ((e % 4 == 0) - T[e]);
}

// Directions without matter: nodes all of whose children are held have them.
static pli_status hold_nodes(pli_node_multigrid *self, pli_node_level *level)
{
    double T[9], *tangents;
    int32_t count = 0;
    for (int32_t node = 0; node < level->grid->count; ++node) {
        if (pli_node_find_tangent(diagonal_block(level, node), T)) level->held[node] = count++;
    }
    level->held_count = count;
    level->tangents = tangents = pli_arena_doubles(self->tables, 9 * (int64_t)count, "held nodes");
    if (tangents == NULL) return PLI_ERROR_MEMORY;
    for (int32_t node = 0; node < level->grid->count && count > 0; ++node) {
        if (level->held[node] < 0) continue;
        double *D = diagonal_block(level, node);
        (void)pli_node_find_tangent(D, tangents + 9 * (int64_t)level->held[node]);
        fill_diagonal(tangents + 9 * (int64_t)level->held[node], D);
    }
    return PLI_OK;
}

pli_status pli_node_matrix_resize(pli_ell *matrix, int32_t rows)
{
    int64_t room = (int64_t)(pli_memory_size(matrix->column) / sizeof *matrix->column);
    if (room < (int64_t)rows * matrix->width) PLI_TRY(pli_ell_resize(matrix, rows + rows / 4));
    return pli_ell_resize(matrix, rows);
}

// P^T T A T P of the level below
static pli_status sum_matrix(pli_node_multigrid *self, const pli_node_level *fine,
                             pli_node_level *level)
{
    PLI_TRY(pli_node_matrix_resize(level->own_matrix, level->grid->count));
    pli_node_grid_neighbors(level->grid, self->embedding.reach, level->own_matrix->column);
    pli_embedding_coarsen(&self->embedding, fine, level->own_matrix);
    level->matrix = level->own_matrix;
    return PLI_OK;
}

static pli_status fetch_matrix(pli_node_multigrid *self, const pli_node_coarsener *coarsener,
                               int32_t l)
{
    pli_node_level *level = &self->levels[l];
    pli_ell *matrix = NULL;
    PLI_TRY(coarsener->coarsen(coarsener->self, l, level->grid, &matrix));
    PLI_TRY(check_matrix(self, level->grid, matrix));
    level->matrix = matrix;
    return PLI_OK;
}

// Level l, whose grid is finished. Without a coarsener matrices are sums of finer ones.
static pli_status build_coarse(pli_node_multigrid *self, const pli_node_coarsener *coarsener,
                               int32_t l)
{
    pli_node_level *level = &self->levels[l], *fine = &self->levels[l - 1];
    int64_t count = level->grid->count;
    PLI_TRY(pli_embedding_link(&self->embedding, fine, level->grid, self->tables));
    PLI_TRY(coarsener != NULL ? fetch_matrix(self, coarsener, l) : sum_matrix(self, fine, level));
    PLI_TRY(take_tables(self, level));
    level->b = pli_arena_doubles(self->tables, 3 * count, "vectors of a level");
    level->x = pli_arena_doubles(self->tables, 3 * count, "vectors of a level");
    if (level->b == NULL || level->x == NULL) return PLI_ERROR_MEMORY;
    return hold_nodes(self, level);
}

// Whether a level is worth having over one of `fine` nodes.
static bool is_worth(int32_t fine, int32_t coarse)
{
    return coarse <= fine / 2 && coarse >= FEWEST_NODES;
}

// The grid of level l.
static pli_status mark_nodes(pli_node_multigrid *self, const pli_node_coarsener *coarsener,
                             int32_t l)
{
    pli_node_level *level = &self->levels[l];
    PLI_TRY(pli_embedding_mark(&self->embedding, level - 1, level->own_grid));
    if (coarsener != NULL && coarsener->mark != NULL) {
        PLI_TRY(coarsener->mark(coarsener->self, l, level->own_grid));
    }
    return pli_node_grid_finish(level->own_grid);
}

static pli_status build_levels(pli_node_multigrid *self, const pli_node_coarsener *coarsener)
{
    for (int32_t l = 1; l < self->def.level_count && !self->def.sweeps; ++l) {
        pli_node_level *fine = &self->levels[l - 1], *level = &self->levels[l];
        PLI_TRY(pli_node_level_list_families(fine, self->tables));
        PLI_TRY(mark_nodes(self, coarsener, l));
        if (!is_worth(fine->grid->count, level->grid->count)) {
            fine->family_count = 0;
            break;
        }
        PLI_TRY(build_coarse(self, coarsener, l));
        self->level_count = l + 1;
    }
    return PLI_OK;
}

typedef struct build_task {
    pli_node_multigrid *self;
    const pli_node_grid *grid;
    const pli_ell *matrix;
    const pli_node_constraints *constraints;
    const pli_node_coarsener *coarsener; // may be NULL
    pli_status status;
} build_task;

static const pli_sweep_masks *masks_of(const pli_node_multigrid *self, const pli_node_level *level)
{
    return &self->masks[level->reach];
}

// What smoothing needs on levels that have one above them, or where there is nothing else.
static pli_status prepare_smoothing(pli_node_multigrid *self)
{
    for (int32_t l = 0; l < self->level_count - !self->def.sweeps; ++l) {
        pli_node_level *level = &self->levels[l];
        level->is_single = false;
        if (self->smoother->needs_largest) pli_node_level_estimate(level);
        if (!self->smoother->can_be_single || !self->def.single) continue;
        PLI_TRY(pli_node_level_pack(level, masks_of(self, level)));
    }
    return PLI_OK;
}

static pli_status build_all(const build_task *task)
{
    pli_node_multigrid *self = task->self;
    PLI_TRY(build_finest(self, task->grid, task->matrix, task->constraints));
    self->level_count = 1;
    PLI_TRY(build_levels(self, task->coarsener));
    for (int32_t l = 0; l < self->level_count; ++l) pli_node_level_invert(&self->levels[l]);
    PLI_TRY(prepare_smoothing(self));
    if (self->def.sweeps) return PLI_OK;
    return pli_node_coarsest_build(self->coarsest, &self->levels[self->level_count - 1],
                                   self->tables);
}

static void run_build(void *user)
{
    build_task *task = user;
    task->status = build_all(task);
}

pli_status pli_node_multigrid_build(pli_node_multigrid *multigrid, const pli_node_grid *grid,
                                    const pli_ell *matrix, const pli_node_constraints *constraints)
{
    return pli_node_multigrid_build_with(multigrid, grid, matrix, constraints, NULL);
}

pli_status pli_node_multigrid_build_with(pli_node_multigrid *multigrid, const pli_node_grid *grid,
                                         const pli_ell *matrix,
                                         const pli_node_constraints *constraints,
                                         const pli_node_coarsener *coarsener)
{
    PLI_TRY(check_input(multigrid, grid, matrix, constraints));
    time_begin(multigrid, "coarsen");
    multigrid->level_count = 0;
    pli_arena_end(multigrid->tables, (pli_arena_mark){0});
    build_task task = {multigrid, grid, matrix, constraints, coarsener, PLI_OK};
    pli_parallel_team(multigrid->context, run_build, &task);
    if (task.status != PLI_OK) multigrid->level_count = 0;
    time_end(multigrid);
    return task.status;
}

// ---- the cycle

typedef struct cycle_task {
    const pli_node_multigrid *self;
    const double *r;
    double *z;
} cycle_task;

static const double *right_side(const cycle_task *task, int32_t l)
{
    return l == 0 ? task->r : task->self->levels[l].b;
}

static double *unknowns(const cycle_task *task, int32_t l)
{
    return l == 0 ? task->z : task->self->levels[l].x;
}

// Smooths level l and restricts its residual.
static void go_down(const cycle_task *task, int32_t l)
{
    const pli_node_multigrid *self = task->self;
    const pli_node_level *level = &self->levels[l];
    time_begin(self, "smooth");
    self->smoother->before(level, masks_of(self, level), right_side(task, l), unknowns(task, l),
                           level->r);
    time_end(self);
    time_begin(self, "transfer");
    pli_embedding_restrict(&self->embedding, level, level[1].grid->count, level->r, level[1].b);
    time_end(self);
}

// Adds the correction of the level above and smooths.
static void go_up(const cycle_task *task, int32_t l)
{
    const pli_node_multigrid *self = task->self;
    const pli_node_level *level = &self->levels[l];
    time_begin(self, "transfer");
    pli_embedding_prolong(&self->embedding, level, level[1].x, unknowns(task, l));
    time_end(self);
    time_begin(self, "smooth");
    self->smoother->after(level, masks_of(self, level), right_side(task, l), unknowns(task, l));
    time_end(self);
}

static void run_sweep(void *user)
{
    const cycle_task *task = user;
    const pli_node_level *level = &task->self->levels[0];
    time_begin(task->self, "smooth");
    task->self->smoother->before(level, masks_of(task->self, level), task->r, task->z, level->r);
    time_end(task->self);
}

static void run_cycle(void *user)
{
    const cycle_task *task = user;
    const pli_node_multigrid *self = task->self;
    int32_t last = self->level_count - 1;
    for (int32_t l = 0; l < last; ++l) go_down(task, l);
    time_begin(self, "coarsest");
    pli_node_coarsest_solve(self->coarsest, right_side(task, last), unknowns(task, last));
    time_end(self);
    for (int32_t l = last - 1; l >= 0; --l) go_up(task, l);
}

void pli_node_multigrid_apply(const pli_node_multigrid *multigrid, const double *r, double *z)
{
    PLI_ASSERT(multigrid->context, multigrid->level_count > 0);
    if (multigrid->level_count == 0) return;
    cycle_task task = {multigrid, r, z};
    pli_parallel_team(multigrid->context, multigrid->def.sweeps ? run_sweep : run_cycle, &task);
}

static void apply_operator(const void *self, const double *r, double *z)
{
    pli_node_multigrid_apply(self, r, z);
}

pli_operator pli_node_multigrid_operator(const pli_node_multigrid *multigrid)
{
    return (pli_operator){.size = 3 * (int64_t)multigrid->levels[0].grid->count,
                          .self = multigrid,
                          .apply = apply_operator};
}

// ---- for tests and instruments

pli_embedding_kind pli_node_multigrid_embedding(const pli_node_multigrid *multigrid)
{
    return multigrid->def.embedding;
}

int32_t pli_node_multigrid_level_count(const pli_node_multigrid *multigrid)
{
    return multigrid->level_count;
}

static pli_sum count_blocks_range(void *user, int64_t begin, int64_t end)
{
    const pli_node_level *level = user;
    const pli_ell *matrix = level->matrix;
    static const double nothing[9] = {0};
    pli_sum count = {0, 0};
    int32_t first = matrix->first > 0 ? matrix->center : 0;
    for (int64_t row = begin; row < end; ++row) {
        for (int32_t slot = first; slot < matrix->width; ++slot) {
            const double *block = pli_ell_block(matrix, row, slot);
            if (matrix->column[row * matrix->width + slot] < 0) continue;
            if (memcmp(block, nothing, sizeof nothing) == 0) continue;
            // those of a half stand for two
            count.hi += 1 + (first > 0 && slot > first);
        }
    }
    return count;
}

static int32_t count_fixed(const pli_node_level *level)
{
    int32_t count = 0;
    for (int64_t node = 0; node < level->grid->count; ++node) {
        count += pli_node_is_fixed(level, node);
    }
    return count;
}

pli_node_level_info pli_node_multigrid_get_level(const pli_node_multigrid *multigrid, int32_t level)
{
    pli_node_level one = multigrid->levels[level];
    int64_t count = one.grid->count, box = multigrid->embedding.box;
    pli_sum blocks =
        pli_parallel_sum(multigrid->context, count, ROW_GRAIN, count_blocks_range, &one);
    int64_t tables = count * (9 + 6) * (int64_t)sizeof(double) +
                     count * one.mask_words * (int64_t)sizeof(uint64_t) +
                     one.family_count * box * box * box * (int64_t)sizeof(int32_t);
    return (pli_node_level_info){.node_count = one.grid->count,
                                 .fixed_count = count_fixed(&one),
                                 .block_count = (int64_t)pli_sum_value(blocks),
                                 .memory = pli_ell_memory_bytes(one.matrix) +
                                           pli_node_grid_memory(one.grid) +
                                           pli_node_triangle_memory(&one.lower) +
                                           pli_node_triangle_memory(&one.upper) + tables};
}

const pli_node_grid *pli_node_multigrid_grid(const pli_node_multigrid *multigrid, int32_t level)
{
    return multigrid->levels[level].grid;
}

const pli_ell *pli_node_multigrid_matrix(const pli_node_multigrid *multigrid, int32_t level)
{
    return multigrid->levels[level].matrix;
}

void pli_node_multigrid_prolong(const pli_node_multigrid *multigrid, int32_t level,
                                const double *coarse, double *fine)
{
    pli_embedding_prolong(&multigrid->embedding, &multigrid->levels[level], coarse, fine);
}

void pli_node_multigrid_restrict(const pli_node_multigrid *multigrid, int32_t level,
                                 const double *fine, double *coarse)
{
    pli_embedding_restrict(&multigrid->embedding, &multigrid->levels[level],
                           multigrid->levels[level + 1].grid->count, fine, coarse);
}

int64_t pli_node_multigrid_coarsest_iterations(const pli_node_multigrid *multigrid)
{
    return multigrid->coarsest->iterations;
}
