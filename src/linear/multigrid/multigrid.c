// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid/multigrid_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/bcsr_pattern.h"
#include "linear/matrix/vector.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the text of the smoothers

// Reads one part, such as "GS(3)"; *end is where it stopped. False when it is none.
static bool parse_smoother(const char *text, const char **end, pli_smoother_def *smoother)
{
    enum { SWEEPS_LIMIT = 1000 };
    if (strncmp(text, "direct", 6) == 0) {
        *smoother = (pli_smoother_def){PLI_SMOOTHER_DIRECT, 1};
        *end = text + 6;
        return true;
    }
    bool swept = strncmp(text, "GS(", 3) == 0;
    if (!swept && strncmp(text, "J(", 2) != 0) return false;
    const char *digits = text + (swept ? 3 : 2);
    char *after = NULL;
    if (!isdigit((unsigned char)*digits)) return false;
    long sweeps = strtol(digits, &after, 10);
    if (*after != ')' || sweeps < 1 || sweeps > SWEEPS_LIMIT) return false;
    smoother->kind = swept ? PLI_SMOOTHER_GAUSS_SEIDEL : PLI_SMOOTHER_JACOBI;
    smoother->sweeps = (int32_t)sweeps;
    *end = after + 1;
    return true;
}

pli_status pli_multigrid_parse(pli_context *context, const char *text, int32_t level_count,
                               pli_vcycle_def *def)
{
    pli_smoother_def parts[PLI_HIERARCHY_LEVELS + 1]; // coarsest first
    *def = (pli_vcycle_def){.single = def->single};
    int32_t count = 0;
    const char *rest = text;
    for (bool more = true; more; ++rest) {
        if (count > PLI_HIERARCHY_LEVELS || !parse_smoother(rest, &rest, &parts[count]) ||
            (*rest != '/' && *rest != '\0') ||
            (parts[count].kind == PLI_SMOOTHER_DIRECT) != (count == 0)) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "smoothers \"%s\": wanted direct for the coarsest level and GS(n) or "
                            "J(n), n from 1 to 1000, for each finer one, such as "
                            "direct/GS(3)/GS(3)",
                            text);
        }
        ++count;
        more = *rest == '/';
    }
    bool serves_any = count == 2 || count == 3;
    if (count != level_count && !serves_any) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "smoothers \"%s\" are for %d levels; there are %d, the finest one included",
                        text, count, level_count);
    }
    def->level_count = level_count;
    def->smoothers[level_count - 1] = parts[0];
    for (int32_t level = 0; level + 1 < level_count; ++level) {
        // the finest level has the last part, levels between it and the coarsest have theirs, or
        // share the first one behind "direct"
        int32_t part = count == level_count ? level_count - 1 - level : 1;
        def->smoothers[level] = parts[level == 0 ? count - 1 : part];
    }
    return PLI_OK;
}

// ---- creation

static void half_clear(pli_context *context, pli_mg_half *half)
{
    PLI_RELEASE(context, half->start, half->column, half->source, half->values);
}

static void links_clear(pli_context *context, pli_mg_links *links)
{
    PLI_RELEASE(context, links->fine_start, links->parent, links->fine_data, links->fine_sigma,
                links->coarse_start, links->child, links->coarse_data, links->coarse_sigma);
}

static void level_clear(pli_context *context, pli_mg_level *level)
{
    pli_mg_coarsen_clear(context, level);
    pli_sweep_order_destroy(level->order);
    half_clear(context, &level->lower);
    half_clear(context, &level->upper);
    links_clear(context, &level->links);
    pli_mg_patches_clear(context, &level->patches);
    PLI_RELEASE(context, level->diagonal, level->inverse, level->freedom, level->b, level->x,
                level->r, level->low, level->up);
}

// Zeroed room for numbers of the cycle, with padding that kernels may read.
static void *new_reals(const pli_multigrid *mg, int64_t count)
{
    enum { PADDING = 16 };
    return PLI_NEW(mg->context, unsigned char, (count + PADDING) * (int64_t)mg->kernels->real_bytes,
                   "multigrid");
}

// Where sweeps put the nodes: children of one coarse node together.
static pli_status order_level(pli_multigrid *mg, int32_t index)
{
    pli_mg_level *level = &mg->levels[index];
    pli_graph graph = {level->node_count, level->natural.row_start, level->natural.column};
    if (index + 1 == mg->level_count) {
        return pli_sweep_order_create(mg->context, &graph, NULL, false, &level->order);
    }
    const pli_interpolation_map *transfer = &mg->hierarchy->transfers[index];
    int32_t *group = PLI_NEW(mg->context, int32_t, level->node_count, "sweep groups");
    if (group == NULL) return PLI_ERROR_MEMORY;
    int32_t orphans = transfer->coarse_count; // nodes without a parent
    for (int32_t node = 0; node < level->node_count; ++node) {
        bool has_parent = transfer->start[node + 1] > transfer->start[node];
        group[node] = has_parent ? transfer->parent[transfer->start[node]] : orphans;
    }
    pli_status status = pli_sweep_order_create(mg->context, &graph, group, true, &level->order);
    pli_release(mg->context, group);
    return status;
}

static pli_status half_init(const pli_multigrid *mg, const pli_mg_level *level, pli_mg_half *half)
{
    int64_t count = (level->natural.block_count - level->node_count) / 2;
    PLI_TRY(PLI_MAKE(mg->context, half->start, (int64_t)level->node_count + 1, "couplings"));
    PLI_TRY(PLI_MAKE(mg->context, half->column, count, "couplings"));
    PLI_TRY(PLI_MAKE(mg->context, half->source, count, "couplings"));
    half->values = new_reals(mg, count * level->size * level->size);
    return half->values != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static int64_t find_slot(const pli_mg_matrix *natural, int32_t row, int32_t column)
{
    return pli_pattern_find(natural->row_start, natural->column, row, column);
}

// Couplings before and behind each place.
static pli_status split_couplings(pli_multigrid *mg, pli_mg_level *level)
{
    PLI_TRY(half_init(mg, level, &level->lower));
    PLI_TRY(half_init(mg, level, &level->upper));
    const pli_mg_matrix *natural = &level->natural;
    bool mirrored = level->size == 3 || level->size == 12;
    int64_t lower = 0;
    int64_t upper = 0;
    for (int32_t place = 0; place < level->node_count; ++place) {
        int32_t node = level->order->node_of_place[place];
        for (int64_t k = natural->row_start[node]; k < natural->row_start[node + 1]; ++k) {
            int32_t other = level->order->place_of_node[natural->column[k]];
            if (other == place) continue;
            pli_mg_half *half = other < place ? &level->lower : &level->upper;
            int64_t at = other < place ? lower++ : upper++;
            half->column[at] = other;
            half->source[at] =
                (int32_t)(mirrored ? find_slot(natural, natural->column[k], node) : k);
        }
        level->lower.start[place + 1] = lower;
        level->upper.start[place + 1] = upper;
    }
    return PLI_OK;
}

static pli_status allocate_vectors(const pli_multigrid *mg, pli_mg_level *level)
{
    int64_t count = 4 * (int64_t)level->node_count * level->rows;
    int64_t blocks = (int64_t)level->node_count * level->size * level->size;
    level->diagonal = new_reals(mg, blocks);
    level->inverse = new_reals(mg, blocks);
    level->b = new_reals(mg, count);
    level->x = new_reals(mg, count);
    level->r = new_reals(mg, count);
    bool complete = level->diagonal != NULL && level->inverse != NULL && level->b != NULL &&
                    level->x != NULL && level->r != NULL;
    if (level->smoother.kind == PLI_SMOOTHER_GAUSS_SEIDEL) {
        level->low = new_reals(mg, count);
        level->up = new_reals(mg, count);
        complete = complete && level->low != NULL && level->up != NULL;
    }
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status allocate_links(pli_multigrid *mg, int32_t index)
{
    const pli_interpolation_map *transfer = &mg->hierarchy->transfers[index];
    pli_mg_links *links = &mg->levels[index].links;
    pli_context *context = mg->context;
    bool frames = mg->levels[index].rows == 4;
    *links = (pli_mg_links){.count = transfer->link_count};
    links->fine_start = PLI_NEW(context, int64_t, (int64_t)transfer->fine_count + 1, "links");
    links->coarse_start = PLI_NEW(context, int64_t, (int64_t)transfer->coarse_count + 1, "links");
    links->parent = PLI_NEW(context, int32_t, links->count, "links");
    links->child = PLI_NEW(context, int32_t, links->count, "links");
    links->fine_data = new_reals(mg, 4 * links->count);
    links->coarse_data = new_reals(mg, 4 * links->count);
    bool complete = links->fine_start != NULL && links->coarse_start != NULL &&
                    links->parent != NULL && links->child != NULL && links->fine_data != NULL &&
                    links->coarse_data != NULL;
    if (frames) {
        links->fine_sigma = new_reals(mg, links->count);
        links->coarse_sigma = new_reals(mg, links->count);
        complete = complete && links->fine_sigma != NULL && links->coarse_sigma != NULL;
    }
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Numbers of a link in the precision of the cycle.
static void take_link(const pli_multigrid *mg, const pli_interpolation_map *transfer, int64_t link,
                      void *data, void *sigma, int64_t at)
{
    double numbers[5];
    pli_mg_get_link(transfer, link, numbers);
    mg->kernels->take_numbers(numbers, 4, data, 4 * at);
    if (sigma != NULL) mg->kernels->take_numbers(numbers + 4, 1, sigma, at);
}

// Links by the places of both levels, once as seen from below and once from above.
static pli_status build_links(pli_multigrid *mg, int32_t index)
{
    PLI_TRY(allocate_links(mg, index));
    const pli_interpolation_map *transfer = &mg->hierarchy->transfers[index];
    pli_mg_level *fine = &mg->levels[index];
    const pli_mg_level *coarse = fine + 1;
    pli_mg_links *links = &fine->links;
    int64_t at = 0;
    for (int32_t place = 0; place < fine->node_count; ++place) {
        int32_t node = fine->order->node_of_place[place];
        for (int64_t l = transfer->start[node]; l < transfer->start[node + 1]; ++l, ++at) {
            links->parent[at] = coarse->order->place_of_node[transfer->parent[l]];
            take_link(mg, transfer, l, links->fine_data, links->fine_sigma, at);
        }
        links->fine_start[place + 1] = at;
    }
    at = 0;
    for (int32_t place = 0; place < coarse->node_count; ++place) {
        int32_t node = coarse->order->node_of_place[place];
        for (int64_t c = coarse->child_start[node]; c < coarse->child_start[node + 1]; ++c, ++at) {
            links->child[at] = fine->order->place_of_node[coarse->child[c]];
            take_link(mg, transfer, coarse->child_link[c], links->coarse_data, links->coarse_sigma,
                      at);
        }
        links->coarse_start[place + 1] = at;
    }
    return PLI_OK;
}

// The caller's matrix as the natural one of the finest level.
static void view_matrix(const pli_multigrid *mg, pli_mg_matrix *natural)
{
    if (mg->matrix != NULL) {
        const pli_bcsr *A = mg->matrix;
        *natural = (pli_mg_matrix){A->row_count, 3,         A->block_count, A->row_start,
                                   A->diagonal,  A->column, A->values};
    } else {
        const pli_lifted *A = mg->lifted;
        *natural = (pli_mg_matrix){A->row_count, 1,         A->entry_count, A->row_start,
                                   A->diagonal,  A->column, A->values};
    }
}

static pli_status create_level(pli_multigrid *mg, int32_t index)
{
    pli_mg_level *level = &mg->levels[index];
    level->lifted = mg->lifted != NULL;
    level->damping = 1;
    if (index == 0) {
        view_matrix(mg, &level->natural);
        level->node_count = level->natural.node_count;
        level->rows = 1;
        level->size = level->natural.size;
    } else {
        level->node_count = mg->hierarchy->transfers[index - 1].coarse_count;
        level->rows = mg->hierarchy->dofs == 12 ? 4 : 1;
        level->size = level->lifted ? level->rows : 3 * level->rows;
        PLI_TRY(pli_mg_coarsen_create(mg, index));
        bool overlaps = !pli_interpolation_map_is_piecewise(&mg->hierarchy->transfers[index - 1]);
        level->shift = overlaps ? mg->null_share : mg->levels[index - 1].shift;
    }
    PLI_TRY(order_level(mg, index));
    PLI_TRY(split_couplings(mg, level));
    if (level->lifted) PLI_TRY(pli_mg_patches_create(mg->context, level));
    return allocate_vectors(mg, level);
}

static pli_status create_levels(pli_multigrid *mg)
{
    for (int32_t index = 0; index < mg->level_count; ++index) PLI_TRY(create_level(mg, index));
    for (int32_t index = 0; index + 1 < mg->level_count; ++index) PLI_TRY(build_links(mg, index));
    return pli_mg_sparse_is_wanted(mg) ? pli_mg_sparse_create(mg) : PLI_OK;
}

static pli_status check(pli_context *context, const pli_vcycle_def *def,
                        const pli_hierarchy *hierarchy, int32_t row_count, int64_t block_count)
{
    if (def->level_count != hierarchy->level_count + 1 || hierarchy->level_count < 1) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "smoothers for %d levels, but the hierarchy has %d coarse ones",
                        def->level_count, hierarchy->level_count);
    }
    if (hierarchy->transfers[0].fine_count != row_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a matrix of %d rows, but the hierarchy is for %d vertices", row_count,
                        hierarchy->transfers[0].fine_count);
    }
    if (block_count > INT32_MAX) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "multigrid on %lld blocks; 2^31 - 1 is the limit", (long long)block_count);
    }
    return PLI_OK;
}

static pli_status create(pli_context *context, const pli_vcycle_def *def,
                         const pli_hierarchy *hierarchy, const pli_bcsr *matrix,
                         const pli_lifted *lifted, pli_multigrid **multigrid)
{
    // directions that single precision cannot tell from the null space count as null
    static const double null_share_single = 1e-6;
    static const double null_share_double = 1e-12;
    *multigrid = NULL;
    PLI_TRY(check(context, def, hierarchy, matrix != NULL ? matrix->row_count : lifted->row_count,
                  matrix != NULL ? matrix->block_count : lifted->entry_count));
    pli_multigrid *made = PLI_NEW(context, pli_multigrid, 1, "multigrid");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->kernels = def->single ? &pli_mg_kernels_single : &pli_mg_kernels_double;
    made->null_share = def->single ? null_share_single : null_share_double;
    made->hierarchy = hierarchy;
    made->matrix = matrix;
    made->lifted = lifted;
    made->revision = matrix != NULL ? matrix->revision : lifted->revision;
    made->level_count = def->level_count;
    for (int32_t k = 0; k < def->level_count; ++k) made->levels[k].smoother = def->smoothers[k];
    pli_status status = create_levels(made);
    if (status != PLI_OK) {
        pli_multigrid_destroy(made);
        return status;
    }
    *multigrid = made;
    return PLI_OK;
}

pli_status pli_multigrid_create(pli_context *context, const pli_vcycle_def *def,
                                const pli_hierarchy *hierarchy, const pli_bcsr *matrix,
                                pli_multigrid **multigrid)
{
    return create(context, def, hierarchy, matrix, NULL, multigrid);
}

pli_status pli_multigrid_create_lifted(pli_context *context, const pli_vcycle_def *def,
                                       const pli_hierarchy *hierarchy, const pli_lifted *matrix,
                                       pli_multigrid **multigrid)
{
    return create(context, def, hierarchy, NULL, matrix, multigrid);
}

void pli_multigrid_destroy(pli_multigrid *multigrid)
{
    if (multigrid == NULL) return;
    pli_context *context = multigrid->context;
    for (int32_t k = 0; k < multigrid->level_count; ++k)
        level_clear(context, &multigrid->levels[k]);
    pli_mg_sparse_clear(multigrid);
    PLI_RELEASE(context, multigrid->mask, multigrid->dense, multigrid->dense_vector,
                multigrid->dense_columns, multigrid);
}

// ---- values

// Takes over which coordinates are held. *changed: they are others than before.
static pli_status take_mask(pli_multigrid *mg, const uint8_t *mask, bool *changed)
{
    int64_t n = mg->levels[0].node_count;
    *changed = false;
    if (mg->mask == NULL) {
        PLI_TRY(PLI_MAKE(mg->context, mg->mask, n, "held coordinates"));
        *changed = true;
    }
    bool held = false;
    for (int64_t k = 0; k < n; ++k) {
        uint8_t wanted = mask != NULL ? mask[k] : 0;
        if (mg->lifted != NULL) wanted = mg->lifted->held[k] ? 7 : 0;
        if (mg->mask[k] != wanted) *changed = true;
        mg->mask[k] = wanted;
        held = held || wanted != 0;
    }
    if (!held || mg->levels[0].freedom != NULL) return PLI_OK;
    mg->levels[0].freedom = new_reals(mg, 4 * n);
    return mg->levels[0].freedom != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static void take_freedom(pli_multigrid *mg)
{
    pli_mg_level *finest = &mg->levels[0];
    for (int32_t place = 0; place < finest->node_count && finest->freedom != NULL; ++place) {
        uint8_t held = mg->mask[finest->order->node_of_place[place]];
        double free[4] = {held & 1 ? 0 : 1, held & 2 ? 0 : 1, held & 4 ? 0 : 1, 0};
        mg->kernels->take_numbers(free, 4, finest->freedom, 4 * (int64_t)place);
    }
}

// Damping for the part of the spectrum that smoothing is for, [1/4, 1] of the largest eigenvalue.
static void choose_damping(pli_multigrid *mg, pli_mg_level *level)
{
    if (level->smoother.kind != PLI_SMOOTHER_JACOBI) return;
    static const double safety = 1.1; // the estimate is from below
    double radius = safety * mg->kernels->estimate_radius(mg->context, level);
    level->damping = radius > 1.6 ? 1.6 / radius : 1;
}

static pli_status build(pli_multigrid *mg, const uint8_t *mask, bool *definite)
{
    view_matrix(mg, &mg->levels[0].natural);
    bool changed;
    PLI_TRY(take_mask(mg, mask, &changed));
    if (changed) {
        take_freedom(mg);
        pli_mg_find_null_spaces(mg, mg->mask);
    }
    pli_mg_patches_forget(mg);
    *definite = true;
    for (int32_t index = 0; index < mg->level_count; ++index) {
        pli_mg_level *level = &mg->levels[index];
        if (index > 0) pli_mg_coarsen_values(mg, index, mg->mask);
        mg->kernels->take_couplings(mg->context, level);
        *definite = pli_mg_take_diagonals(mg, level) && *definite;
        if (*definite) choose_damping(mg, level);
    }
    return PLI_OK;
}

pli_status pli_multigrid_update_blocks(pli_multigrid *multigrid, bool *definite)
{
    bool dense_definite = false;
    PLI_TRY(pli_mg_patches_update(multigrid, definite));
    PLI_TRY(pli_mg_dense_factor(multigrid, &dense_definite));
    *definite = *definite && dense_definite;
    return PLI_OK;
}

typedef struct build_task {
    pli_multigrid *multigrid;
    const uint8_t *mask;
    bool definite;
    pli_status status;
} build_task;

static void run_build(void *user)
{
    build_task *task = user;
    pli_multigrid *mg = task->multigrid;
    bool rest = false;
    task->status = build(mg, task->mask, &task->definite);
    if (task->status != PLI_OK) return;
    if (mg->lifted != NULL) {
        task->status = pli_multigrid_update_blocks(mg, &rest);
    } else if (mg->sparse != NULL) {
        task->status = pli_mg_sparse_factor(mg, &rest);
    } else {
        task->status = pli_mg_dense_factor(mg, &rest);
    }
    task->definite = task->definite && rest;
}

pli_status pli_multigrid_build(pli_multigrid *multigrid, const uint8_t *mask, bool *definite)
{
    *definite = false;
    uint64_t revision =
        multigrid->matrix != NULL ? multigrid->matrix->revision : multigrid->lifted->revision;
    if (revision != multigrid->revision) {
        return PLI_FAIL(multigrid->context, PLI_ERROR_ARGUMENT,
                        "the matrix has another pattern than the one the multigrid was made for");
    }
    build_task task = {.multigrid = multigrid, .mask = mask};
    pli_parallel_team(multigrid->context, run_build, &task);
    *definite = task.definite;
    return task.status;
}

// ---- the cycle

static void begin_phase(const pli_multigrid *mg, const char *name)
{
    if (mg->timers != NULL) pli_timers_begin(mg->timers, name);
}

static void end_phase(const pli_multigrid *mg)
{
    if (mg->timers != NULL) pli_timers_end(mg->timers);
}

// One V-cycle on A x = b of this level, from a zero start (Xian et al. 2019, algorithm 2, nested).
static void cycle(pli_multigrid *mg, int32_t index)
{
    pli_mg_level *level = &mg->levels[index];
    const pli_mg_kernels *kernels = mg->kernels;
    if (index + 1 == mg->level_count) {
        begin_phase(mg, "coarsest");
        if (mg->sparse != NULL) {
            pli_mg_sparse_solve(mg);
        } else {
            pli_mg_dense_solve(mg);
        }
        end_phase(mg);
        return;
    }
    begin_phase(mg, "smooth");
    kernels->pre_smooth(mg->context, level);
    kernels->residual(mg->context, level);
    end_phase(mg);
    begin_phase(mg, "transfer");
    kernels->restrict_residual(mg->context, level, level + 1);
    end_phase(mg);
    cycle(mg, index + 1);
    begin_phase(mg, "transfer");
    kernels->prolong(mg->context, level, level + 1);
    end_phase(mg);
    begin_phase(mg, "smooth");
    kernels->post_smooth(mg->context, level);
    end_phase(mg);
}

// A power of two that brings the largest entry into [1, 2); 0 for a zero vector.
static double choose_scale(const pli_multigrid *mg, const double *r)
{
    double largest = pli_vector_max_abs(mg->context, 3 * (int64_t)mg->levels[0].node_count, r);
    if (!(largest > 0) || !isfinite(largest)) return largest > 0 ? 1 : 0;
    return ldexp(1, -ilogb(largest));
}

typedef struct apply_task {
    pli_multigrid *multigrid;
    const double *r;
    double *z;
} apply_task;

static void run_apply(void *user)
{
    const apply_task *task = user;
    pli_multigrid *mg = task->multigrid;
    double scale = choose_scale(mg, task->r);
    if (scale == 0) {
        memset(task->z, 0, 3 * (size_t)mg->levels[0].node_count * sizeof *task->z);
        return;
    }
    begin_phase(mg, "transfer");
    mg->kernels->load(mg->context, &mg->levels[0], task->r, scale);
    end_phase(mg);
    cycle(mg, 0);
    begin_phase(mg, "transfer");
    mg->kernels->store(mg->context, &mg->levels[0], 1 / scale, task->z);
    end_phase(mg);
}

void pli_multigrid_apply(const pli_multigrid *multigrid, const double *r, double *z)
{
    // vectors of levels are scratch: logically constant
    apply_task task = {(pli_multigrid *)(uintptr_t)multigrid, r, z};
    pli_parallel_team(multigrid->context, run_apply, &task);
}

static void apply_operator(const void *self, const double *x, double *y)
{
    pli_multigrid_apply(self, x, y);
}

pli_operator pli_multigrid_operator(const pli_multigrid *multigrid)
{
    return (pli_operator){.size = 3 * (int64_t)multigrid->levels[0].node_count,
                          .self = multigrid,
                          .apply = apply_operator};
}

static void compute_residual(const pli_multigrid *mg, const double *b, const double *x, double *r)
{
    if (mg->matrix != NULL) {
        pli_bcsr_residual(mg->matrix, b, x, r);
    } else {
        pli_lifted_residual(mg->lifted, b, x, r);
    }
}

pli_status pli_multigrid_solve(const pli_multigrid *multigrid, const double *b,
                               double relative_tolerance, int32_t max_cycles, pli_arena *scratch,
                               double *x, pli_krylov_report *report)
{
    const pli_context *context = multigrid->context;
    int64_t n = 3 * (int64_t)multigrid->levels[0].node_count;
    pli_arena_mark mark = pli_arena_begin(scratch);
    double *r = pli_arena_doubles(scratch, n, "residual");
    double *z = pli_arena_doubles(scratch, n, "correction");
    pli_status status = r != NULL && z != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status != PLI_OK) goto done;
    double start = pli_vector_norm(context, n, b);
    *report = (pli_krylov_report){.stop = PLI_KRYLOV_ITERATIONS, .initial_residual = start};
    report->residual = start;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int32_t k = 0; k < max_cycles && report->residual > relative_tolerance * start; ++k) {
        status = pli_arena_go_on(scratch);
        if (status != PLI_OK) goto done;
        // the first residual is b itself, and the last one is only wanted for a tolerance
        pli_multigrid_apply(multigrid, k == 0 ? b : r, k == 0 ? x : z);
        if (k > 0) pli_vector_axpy(context, n, 1, z, x);
        ++report->iterations;
        if (k + 1 == max_cycles && !(relative_tolerance > 0)) break;
        compute_residual(multigrid, b, x, r);
        report->residual = pli_vector_norm(context, n, r);
    }
    if (report->residual <= relative_tolerance * start) report->stop = PLI_KRYLOV_CONVERGED;
    if (!isfinite(report->residual)) report->stop = PLI_KRYLOV_NONFINITE;

done:
    pli_arena_end(scratch, mark);
    return status;
}

void pli_multigrid_set_timers(pli_multigrid *multigrid, pli_timers *timers)
{
    multigrid->timers = timers;
}

// ---- instruments

int32_t pli_multigrid_level_count(const pli_multigrid *multigrid)
{
    return multigrid->level_count;
}

static int64_t size_of(const void *memory)
{
    return (int64_t)pli_memory_size(memory);
}

static int64_t half_bytes(const pli_mg_half *half)
{
    return size_of(half->start) + size_of(half->column) + size_of(half->source) +
           size_of(half->values);
}

static int64_t level_bytes(const pli_mg_level *level)
{
    const pli_mg_links *links = &level->links;
    const pli_mg_patches *patches = &level->patches;
    const void *arrays[] = {level->own_row_start,
                            level->own_diagonal,
                            level->own_column,
                            level->own_values,
                            level->target,
                            level->child_start,
                            level->child,
                            level->child_link,
                            level->gram,
                            level->null,
                            level->diagonal,
                            level->inverse,
                            level->freedom,
                            level->b,
                            level->x,
                            level->r,
                            level->low,
                            level->up,
                            links->fine_start,
                            links->parent,
                            links->fine_data,
                            links->fine_sigma,
                            links->coarse_start,
                            links->child,
                            links->coarse_data,
                            links->coarse_sigma,
                            patches->node,
                            patches->is_full,
                            patches->isotropic,
                            patches->block,
                            patches->of_node,
                            patches->of_place,
                            patches->diagonal,
                            patches->inverse,
                            patches->former};
    int64_t bytes = half_bytes(&level->lower) + half_bytes(&level->upper) +
                    pli_sweep_order_memory_bytes(level->order);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) bytes += size_of(arrays[k]);
    return bytes;
}

pli_multigrid_level_info pli_multigrid_get_level(const pli_multigrid *multigrid, int32_t index)
{
    const pli_mg_level *level = &multigrid->levels[index];
    return (pli_multigrid_level_info){.node_count = level->node_count,
                                      .node_size = level->size,
                                      .block_count = level->natural.block_count,
                                      .memory_bytes = level_bytes(level),
                                      .color_count = level->order->color_count};
}

int64_t pli_multigrid_memory_bytes(const pli_multigrid *multigrid)
{
    int64_t bytes = size_of(multigrid) + size_of(multigrid->mask) + size_of(multigrid->dense) +
                    size_of(multigrid->dense_vector) + size_of(multigrid->dense_columns) +
                    pli_mg_sparse_memory_bytes(multigrid);
    for (int32_t k = 0; k < multigrid->level_count; ++k)
        bytes += level_bytes(&multigrid->levels[k]);
    return bytes;
}

void pli_multigrid_get_block(const pli_multigrid *multigrid, int32_t index, int32_t row,
                             int32_t column, double *block)
{
    const pli_mg_matrix *natural = &multigrid->levels[index].natural;
    int64_t square = (int64_t)natural->size * natural->size;
    int64_t slot = find_slot(natural, row, column);
    memset(block, 0, (size_t)square * sizeof *block);
    if (slot >= 0) {
        memcpy(block, natural->values + slot * square, (size_t)square * sizeof *block);
    }
}
