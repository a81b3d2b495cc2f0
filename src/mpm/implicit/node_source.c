// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_source.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"
#include "mpm/implicit/node_geometric.h"

#include <math.h>
#include <string.h>

enum { NODE_GRAIN = 256 };

struct pli_node_source {
    pli_context *context;
    pli_node_source_def def;
    pli_implicit *implicit; // borrowed
    pli_node_step step;
    pli_timers *timers; // borrowed
    pli_node_counts counts;

    int32_t room;
    double *diagonal; // [room][9] blocks of H; afterwards their inverses, T D^-1 T where held
    pli_ell *matrix;  // NULL: products without
    bool has_columns; // of the nodes of this step
    pli_node_multigrid *multigrid; // NULL: no cycle and no sweep
    pli_node_geometric *geometric; // whose coarse matrices it has; NULL: its own
};

static const pli_node_grid *nodes_of(const pli_node_source *source)
{
    return source->implicit->cloud->nodes;
}

static void time_begin(const pli_node_source *source, const char *phase)
{
    if (source->timers != NULL) pli_timers_begin(source->timers, phase);
}

static void time_end(const pli_node_source *source)
{
    if (source->timers != NULL) pli_timers_end(source->timers);
}

// ---- life

bool pli_node_source_is_half(const pli_node_source_def *def)
{
    return def->assembled && def->preconditioner == PLI_NODE_EMBEDDED_CYCLE &&
           def->rule == PLI_NODE_ONCE && def->multigrid.single &&
           def->multigrid.smoother == PLI_NODE_GAUSS_SEIDEL;
}

static bool needs_multigrid(const pli_node_source_def *def)
{
    return def->preconditioner == PLI_NODE_SWEEP ||
           def->preconditioner == PLI_NODE_EMBEDDED_CYCLE ||
           def->preconditioner == PLI_NODE_GEOMETRIC_CYCLE;
}

static pli_status create_parts(pli_node_source *source)
{
    const pli_node_source_def *def = &source->def;
    if (needs_multigrid(def)) {
        if (!def->assembled) {
            return PLI_FAIL(source->context, PLI_ERROR_ARGUMENT,
                            "sweeps and cycles read a matrix; it has to be assembled");
        }
        pli_node_multigrid_def multigrid = def->multigrid;
        multigrid.sweeps = def->preconditioner == PLI_NODE_SWEEP;
        PLI_TRY(pli_node_multigrid_create(source->context, &multigrid, &source->multigrid));
    }
    if (def->preconditioner == PLI_NODE_GEOMETRIC_CYCLE) {
        PLI_TRY(pli_node_geometric_create(source->context, source->implicit->cloud,
                                          source->implicit, &source->geometric));
    }
    if (!def->assembled) return PLI_OK;
    int32_t reach = pli_implicit_reach(source->implicit), side = 2 * reach + 1;
    int32_t slots = side * side * side;
    return pli_node_source_is_half(def)
               ? pli_ell_create_half(source->context, 0, slots, reach, &source->matrix)
               : pli_ell_create(source->context, 0, slots, slots / 2, &source->matrix);
}

pli_status pli_node_source_create(pli_context *context, const pli_node_source_def *def,
                                  pli_implicit *borrowed_implicit, pli_node_source **source)
{
    *source = NULL;
    pli_node_source *made = PLI_NEW(context, pli_node_source, 1, "directions of nodes");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->implicit = borrowed_implicit;
    pli_status status = create_parts(made);
    if (status != PLI_OK) {
        pli_node_source_destroy(made);
        return status;
    }
    *source = made;
    return PLI_OK;
}

void pli_node_source_destroy(pli_node_source *source)
{
    if (source == NULL) return;
    pli_context *context = source->context;
    pli_node_multigrid_destroy(source->multigrid);
    pli_node_geometric_destroy(source->geometric);
    pli_ell_destroy(source->matrix);
    pli_release(context, source->diagonal);
    pli_release(context, source);
}

void pli_node_source_set_timers(pli_node_source *source, pli_timers *timers)
{
    source->timers = timers;
    if (source->multigrid != NULL) pli_node_multigrid_set_timers(source->multigrid, timers);
}

// Those of the last matrix are still with its levels.
pli_node_counts pli_node_source_get_counts(const pli_node_source *source)
{
    pli_node_counts counts = source->counts;
    if (source->multigrid != NULL && counts.matrices > 0) {
        counts.coarsest_iterations += pli_node_multigrid_coarsest_iterations(source->multigrid);
    }
    return counts;
}

const pli_node_multigrid *pli_node_source_multigrid(const pli_node_source *source)
{
    return source->counts.matrices > 0 ? source->multigrid : NULL;
}

int64_t pli_node_source_memory(const pli_node_source *source)
{
    int64_t bytes = (int64_t)pli_memory_size(source->diagonal);
    if (source->matrix != NULL && source->multigrid == NULL) {
        bytes += pli_ell_memory_bytes(source->matrix);
    }
    if (source->geometric != NULL) bytes += pli_node_geometric_memory(source->geometric);
    return bytes;
}

pli_status pli_node_source_begin_step(pli_node_source *source, const pli_node_step *step)
{
    int32_t count = nodes_of(source)->count;
    source->step = *step;
    source->counts = (pli_node_counts){0};
    source->has_columns = false;
    if (count <= source->room) return PLI_OK;
    int64_t room = (int64_t)count + count / 4;
    double *grown = pli_reallocate(source->context, source->diagonal, 9 * room, sizeof *grown,
                                   "diagonal blocks");
    if (grown == NULL) return PLI_ERROR_MEMORY;
    source->diagonal = grown;
    source->room = (int32_t)room;
    return PLI_OK;
}

// ---- diagonals

// Writes M / h^2 to the diagonal blocks.
static void begin_diagonals(void *user, int64_t begin, int64_t end)
{
    const pli_node_source *source = user;
    for (int64_t node = begin; node < end; ++node) {
        double *block = source->diagonal + 9 * node;
        pli_mat3_identity(block);
        for (int e = 0; e < 9; e += 4) block[e] = source->step.inertia[node];
    }
}

// D <- T (T D T + s (1 - T))^-1 T, with T = 1 for nodes that are free
static void invert_block(const double *T, double D[9])
{
    double mean = pli_mat3_trace(D) / 3, TD[9], whole[9], inverse[9];
    double s = mean > 0 ? mean : 1;
    if (T != NULL) {
        pli_mat3_multiply(T, D, TD);
        pli_mat3_multiply(TD, T, whole);
        for (int e = 0; e < 9; ++e) whole[e] += s * ((e % 4 == 0) - T[e]);
    } else {
        pli_mat3_copy(D, whole);
    }
    double volume = pli_mat3_inverse(whole, inverse);
    if (!(volume > 0) || !isfinite(1 / volume)) {
        pli_mat3_identity(inverse);
        for (int e = 0; e < 9; e += 4) inverse[e] = 1 / s;
    }
    if (T != NULL) {
        pli_mat3_multiply(T, inverse, TD);
        pli_mat3_multiply(TD, T, inverse);
    }
    pli_mat3_copy(inverse, D);
}

static void invert_diagonals(void *user, int64_t begin, int64_t end)
{
    const pli_node_source *source = user;
    const pli_node_hold *hold = source->step.hold;
    for (int64_t node = begin; node < end; ++node) {
        int64_t place = hold->place[node];
        invert_block(place >= 0 ? hold->tangents + 9 * place : NULL, source->diagonal + 9 * node);
    }
}

static void apply_diagonals(const void *self, const double *x, double *y, int64_t begin,
                            int64_t end)
{
    const pli_node_source *source = self;
    for (int64_t node = begin; node < end; ++node) {
        pli_mat3_apply(source->diagonal + 9 * node, x + 3 * node, y + 3 * node);
    }
}

static void apply_diagonal(const void *self, const double *x, double *y)
{
    const pli_node_source *source = self;
    pli_operator_apply_by_rows(source->context, nodes_of(source)->count, NODE_GRAIN,
                               apply_diagonals, source, x, y);
}

typedef struct norm_job {
    const pli_node_source *source;
    const double *g;
} norm_job;

static pli_sum dot_diagonal_range(void *user, int64_t begin, int64_t end)
{
    const norm_job *job = user;
    double sum = 0;
    for (int64_t node = begin; node < end; ++node) {
        double z[3];
        const double *g = job->g + 3 * node;
        pli_mat3_apply(job->source->diagonal + 9 * node, g, z);
        sum += z[0] * g[0] + z[1] * g[1] + z[2] * g[2];
    }
    return (pli_sum){sum, 0};
}

// sqrt(g.D^-1 g)
static double diagonal_norm(const pli_node_source *source, const double *g)
{
    norm_job job = {source, g};
    pli_sum sum = pli_parallel_sum(source->context, nodes_of(source)->count, NODE_GRAIN,
                                   dot_diagonal_range, &job);
    return sqrt(fmax(pli_sum_value(sum), 0));
}

// ---- products without a matrix

// y = T H T x; x of a direction is already T x.
static void apply_free(const void *self, const double *x, double *y)
{
    const pli_node_source *source = self;
    const double *inertia = source->step.inertia;
    const pli_node_hold *hold = source->step.hold;
    for (int64_t node = 0; node < nodes_of(source)->count; ++node) {
        for (int c = 0; c < 3; ++c) y[3 * node + c] = inertia[node] * x[3 * node + c];
    }
    pli_implicit_multiply(source->implicit, x, y);
    for (int32_t k = 0; k < hold->count; ++k) {
        double *at = y + 3 * (int64_t)hold->nodes[k], whole[3] = {at[0], at[1], at[2]};
        pli_mat3_apply(hold->tangents + 9 * (int64_t)k, whole, at);
    }
}

// ---- matrices

// Columns of a matrix on the nodes of this step, and zeros.
static pli_status clear_matrix(pli_node_source *source)
{
    pli_ell *matrix = source->matrix;
    const pli_node_grid *nodes = nodes_of(source);
    if (source->has_columns) {
        pli_ell_set_zero(matrix);
        return PLI_OK;
    }
    PLI_TRY(pli_ell_resize(matrix, nodes->count));
    pli_node_grid_neighbors(nodes, pli_implicit_reach(source->implicit), matrix->column);
    source->has_columns = true;
    return PLI_OK;
}

static void add_inertia(void *user, int64_t begin, int64_t end)
{
    const pli_node_source *source = user;
    pli_ell *matrix = source->matrix;
    for (int64_t node = begin; node < end; ++node) {
        double *block = pli_ell_block(matrix, node, matrix->center);
        for (int e = 0; e < 9; e += 4) block[e] += source->step.inertia[node];
    }
}

static pli_status assemble(pli_node_source *source, const double *x)
{
    int32_t count = nodes_of(source)->count;
    PLI_TRY(clear_matrix(source));
    pli_implicit_assemble(source->implicit, x, source->def.projected, source->matrix);
    pli_parallel_for(source->context, count, NODE_GRAIN, add_inertia, source);
    pli_ell_get_diagonal_blocks(source->matrix, source->diagonal);
    pli_ell_restrict(source->matrix, source->step.hold->place, source->step.hold->tangents);
    return PLI_OK;
}

static pli_status keep_tangents(pli_node_source *source, const double *x)
{
    int32_t count = nodes_of(source)->count;
    PLI_TRY(pli_implicit_prepare(source->implicit, x, source->def.projected));
    pli_parallel_for(source->context, count, NODE_GRAIN, begin_diagonals, source);
    if (source->def.preconditioner == PLI_NODE_REST_DIAGONAL) {
        pli_implicit_add_rest_diagonal(source->implicit, source->diagonal);
    } else {
        pli_implicit_add_diagonal(source->implicit, source->diagonal);
    }
    return PLI_OK;
}

// Levels whose matrices are summed over particles, with tangents at x.
static pli_status build_geometric(pli_node_source *source, const double *x,
                                  const pli_node_constraints *held)
{
    PLI_TRY(pli_implicit_prepare(source->implicit, x, source->def.projected));
    return pli_node_geometric_build(source->geometric, source->step.particles, source->step.h,
                                    source->matrix, held, source->multigrid);
}

static pli_status build_hierarchy(pli_node_source *source, const double *x)
{
    if (source->multigrid == NULL) return PLI_OK;
    pli_node_constraints held = pli_node_hold_constraints(source->step.hold);
    time_begin(source, "hierarchy");
    pli_status status =
        source->geometric != NULL
            ? build_geometric(source, x, &held)
            : pli_node_multigrid_build(source->multigrid, nodes_of(source), source->matrix, &held);
    time_end(source);
    return status;
}

// ---- what minimisers ask for

static void begin(void *self)
{
    (void)self;
}

// Tangents are exact or projected as the def says.
static pli_status prepare(void *self, const pli_direction_point *at, pli_direction_matrix *made)
{
    pli_node_source *source = self;
    *made = (pli_direction_matrix){.usable = true, .definite = true};
    source->counts = pli_node_source_get_counts(source);
    ++source->counts.matrices;
    time_begin(source, "matrix");
    pli_status status =
        source->def.assembled ? assemble(source, at->x) : keep_tangents(source, at->x);
    if (status == PLI_OK) {
        pli_parallel_for(source->context, nodes_of(source)->count, NODE_GRAIN, invert_diagonals,
                         source);
    }
    time_end(source);
    return status == PLI_OK ? build_hierarchy(source, at->x) : status;
}

static pli_operator get_operator(const pli_node_source *source)
{
    if (source->def.assembled) return pli_ell_operator(source->matrix);
    return (pli_operator){
        .size = 3 * (int64_t)nodes_of(source)->count, .self = source, .apply = apply_free};
}

static pli_operator get_preconditioner(const pli_node_source *source)
{
    if (source->multigrid != NULL) return pli_node_multigrid_operator(source->multigrid);
    return (pli_operator){.size = 3 * (int64_t)nodes_of(source)->count,
                          .self = source,
                          .apply = apply_diagonal,
                          .apply_rows = apply_diagonals,
                          .is_local = true};
}

// Relative tolerance of a solve for the gradient g.
static double choose_tolerance(const pli_node_source *source, const double *g)
{
    const pli_node_step *step = &source->step;
    int64_t n = 3 * (int64_t)nodes_of(source)->count;
    switch (source->def.rule) {
    case PLI_NODE_INEXACT:
        return pli_krylov_newton_tolerance(diagonal_norm(source, g), step->tau, 1, 0.5);
    case PLI_NODE_LENGTH:
        return pli_krylov_newton_tolerance(step->h * pli_vector_norm(source->context, n, g),
                                           step->tau, 1, 0.5);
    case PLI_NODE_FIXED: return source->def.tolerance;
    case PLI_NODE_ONCE:
    case PLI_NODE_HALF: break;
    }
    return 0.5;
}

static pli_status iterate(pli_node_source *source, const double *g, pli_arena *scratch, double *d,
                          pli_krylov_report *report)
{
    pli_operator A = get_operator(source), B = get_preconditioner(source);
    pli_krylov_system system = {.A = &A, .B = &B, .b = g, .x = d};
    pli_krylov_def def = pli_krylov_def_default();
    def.max_iterations = source->def.max_iterations;
    def.relative_tolerance = choose_tolerance(source, g);
    def.norm = PLI_KRYLOV_NORM_PRECONDITIONED;
    def.stop_at_indefinite = true;
    return source->def.minres ? pli_minres(source->context, &def, &system, scratch, report)
                              : pli_pcg(source->context, &def, &system, scratch, report);
}

// Solves are as exact as the rule of the def says.
static pli_status solve(void *self, const double *g, double tolerance, pli_arena *scratch,
                        double *d, pli_direction_report *report)
{
    (void)tolerance;
    pli_node_source *source = self;
    int64_t n = 3 * (int64_t)nodes_of(source)->count;
    pli_krylov_report solved = {0};
    pli_status status = PLI_OK;
    time_begin(source, "linear");
    ++source->counts.solves;
    if (source->def.rule == PLI_NODE_ONCE) {
        pli_operator B = get_preconditioner(source);
        pli_operator_apply(&B, g, d);
        solved.iterations = 1;
    } else {
        status = iterate(source, g, scratch, d, &solved);
        source->counts.capped += solved.stop == PLI_KRYLOV_ITERATIONS;
    }
    if (source->multigrid != NULL) source->counts.cycles += solved.iterations;
    // -B g is as good as B (-g), and wants no vector
    if (status == PLI_OK) pli_vector_scale(source->context, n, -1, d);
    time_end(source);
    report->linear_iterations = solved.iterations;
    return status;
}

pli_direction_source pli_node_source_get(pli_node_source *source)
{
    static const pli_direction_ops ops = {.begin = begin, .prepare = prepare, .solve = solve};
    return (pli_direction_source){&ops, source};
}
