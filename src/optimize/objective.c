// SPDX-License-Identifier: Apache-2.0
#include "optimize/objective.h"

#include "math/eigen.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 2048 };

void pli_objective_init(pli_objective *objective, pli_context *context, int32_t point_count)
{
    *objective = (pli_objective){.context = context, .point_count = point_count, .norm_scale = 1};
}

void pli_objective_clear(pli_objective *objective)
{
    pli_low_rank_destroy(objective->low_rank);
    pli_bcsr_destroy(objective->lagged);
    pli_bcsr_destroy(objective->H);
    objective->low_rank = NULL;
    objective->lagged = NULL;
    objective->H = NULL;
    objective->term_count = 0;
}

void pli_objective_add_as(pli_objective *objective, pli_term_role role, const pli_term_ops *ops,
                          void *self)
{
    PLI_ASSERT(objective->context, objective->term_count < PLI_OBJECTIVE_TERMS);
    objective->terms[objective->term_count++] = (pli_term){ops, self, role};
}

void pli_objective_add(pli_objective *objective, const pli_term_ops *ops, void *self)
{
    pli_objective_add_as(objective, PLI_TERM_FORCE, ops, self);
}

// Which terms share a matrix.
typedef enum term_group { ALL_TERMS, LAGGING_TERMS, FRESH_TERMS } term_group;

static bool is_in_group(const pli_term *term, term_group group)
{
    return group == ALL_TERMS || term->ops->lags == (group == LAGGING_TERMS);
}

// The terms whose Hessians are in H.
static term_group group_of_hessian(const pli_objective *objective)
{
    return objective->lagged != NULL ? FRESH_TERMS : ALL_TERMS;
}

static int32_t get_cliques(const pli_objective *objective, term_group group,
                           pli_clique_list lists[PLI_OBJECTIVE_TERMS])
{
    int32_t list_count = 0;
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->get_cliques == NULL || !is_in_group(term, group)) continue;
        lists[list_count++] = *term->ops->get_cliques(term->self);
    }
    return list_count;
}

int32_t pli_objective_get_cliques(const pli_objective *objective,
                                  pli_clique_list lists[PLI_OBJECTIVE_TERMS])
{
    return get_cliques(objective, ALL_TERMS, lists);
}

// The union of the group's cliques; its terms remember their places.
static pli_status build_matrix(pli_objective *objective, term_group group, pli_bcsr **matrix)
{
    pli_bcsr_destroy(*matrix);
    *matrix = NULL;
    pli_clique_list lists[PLI_OBJECTIVE_TERMS];
    int32_t list_count = get_cliques(objective, group, lists);
    PLI_TRY(pli_bcsr_create(objective->context, objective->point_count, list_count, lists, matrix));
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->bind == NULL || !is_in_group(term, group)) continue;
        PLI_TRY(term->ops->bind(term->self, *matrix));
    }
    return PLI_OK;
}

// Room for what terms have beside the matrices.
static pli_status build_low_rank(pli_objective *objective)
{
    pli_low_rank_destroy(objective->low_rank);
    objective->low_rank = NULL;
    int32_t count = 0;
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->count_low_rank != NULL) count += term->ops->count_low_rank(term->self);
    }
    if (count == 0) return PLI_OK;
    return pli_low_rank_create(objective->context, 3 * (int64_t)objective->point_count, count,
                               &objective->low_rank);
}

pli_status pli_objective_build_pattern(pli_objective *objective)
{
    PLI_TRY(build_low_rank(objective));
    pli_bcsr_destroy(objective->lagged);
    objective->lagged = NULL;
    return build_matrix(objective, ALL_TERMS, &objective->H);
}

pli_status pli_objective_build_split_pattern(pli_objective *objective)
{
    PLI_TRY(build_matrix(objective, LAGGING_TERMS, &objective->lagged));
    return build_matrix(objective, FRESH_TERMS, &objective->H);
}

pli_status pli_objective_prepare(pli_objective *objective, const double *x, bool *changed)
{
    *changed = false;
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->prepare == NULL) continue;
        PLI_TRY(term->ops->prepare(term->self, x, objective->H, changed));
    }
    return PLI_OK;
}

// Adds the terms that are deferred, or those that are not; false when one of them is not finite.
static bool add_energies(const pli_objective *objective, const double *x, bool deferred,
                         pli_sum *sum)
{
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->deferred != deferred) continue;
        pli_sum part = term->ops->energy(term->self, x);
        // an infinite part must not turn into a NaN by compensation
        if (!isfinite(part.hi)) {
            *sum = (pli_sum){part.hi, 0};
            return false;
        }
        pli_sum_merge(sum, part);
    }
    return true;
}

pli_sum pli_objective_energy_below(const pli_objective *objective, const double *x, double limit)
{
    pli_sum sum = {0, 0};
    if (!add_energies(objective, x, false, &sum)) return sum;
    if (pli_sum_value(sum) > limit) return sum;
    add_energies(objective, x, true, &sum);
    return sum;
}

pli_sum pli_objective_energy(const pli_objective *objective, const double *x)
{
    return pli_objective_energy_below(objective, x, INFINITY);
}

double pli_objective_stored_energy(const pli_objective *objective, const double *x)
{
    double sum = 0;
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (pli_term_is_linear(term) || term->ops->pushes) continue;
        sum += pli_sum_value(term->ops->energy(term->self, x));
    }
    return sum;
}

typedef struct mask_range {
    const uint8_t *fixed;
    double *g;
} mask_range;

static void mask_points(void *user, int64_t begin, int64_t end)
{
    const mask_range *range = user;
    for (int64_t point = begin; point < end; ++point) {
        uint8_t mask = range->fixed[point];
        if (mask == 0) continue;
        for (int axis = 0; axis < 3; ++axis) {
            if (mask & (1u << axis)) range->g[3 * point + axis] = 0;
        }
    }
}

void pli_objective_mask(const pli_objective *objective, double *v)
{
    if (objective->fixed == NULL) return;
    mask_range range = {objective->fixed, v};
    pli_parallel_for(objective->context, objective->point_count, POINT_GRAIN, mask_points, &range);
}

void pli_objective_compute_gradient(const pli_objective *objective, const double *x, double *g)
{
    memset(g, 0, 3 * (size_t)objective->point_count * sizeof(double));
    for (int32_t k = 0; k < objective->term_count; ++k) {
        objective->terms[k].ops->add_gradient(objective->terms[k].self, x, g);
    }
    pli_objective_mask(objective, g);
}

bool pli_objective_freeze(const pli_objective *objective, const double *x)
{
    bool any = false;
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->freeze == NULL) continue;
        term->ops->freeze(term->self, x);
        any = true;
    }
    return any;
}

// ---- constraints

bool pli_objective_is_constrained(const pli_objective *objective)
{
    return objective->projection.ops != NULL;
}

void pli_objective_project(const pli_objective *objective, double *x, double *d)
{
    const pli_feasible_set *projection = &objective->projection;
    if (projection->ops != NULL) projection->ops->project(projection->self, x, d);
}

void pli_objective_release(const pli_objective *objective)
{
    const pli_feasible_set *projection = &objective->projection;
    if (projection->ops != NULL) projection->ops->release(projection->self);
}

static pli_active_set get_active(const pli_objective *objective)
{
    pli_active_set set = {0};
    const pli_feasible_set *projection = &objective->projection;
    if (projection->ops != NULL) projection->ops->get_active(projection->self, &set);
    return set;
}

void pli_objective_restrict(const pli_objective *objective, double *v)
{
    pli_active_set set = get_active(objective);
    for (int32_t k = 0; k < set.count; ++k) {
        double *at = v + 3 * (int64_t)set.points[k];
        double whole[3] = {at[0], at[1], at[2]};
        pli_mat3_apply(set.tangents + 9 * (int64_t)k, whole, at);
    }
}

void pli_objective_choose_active(const pli_objective *objective, const double *x, double *g)
{
    const pli_feasible_set *projection = &objective->projection;
    if (projection->ops == NULL) return;
    projection->ops->choose_active(projection->self, x, g);
    pli_objective_restrict(objective, g);
}

// H <- T (H + curvature of the active constraints) T
static void restrict_hessian(pli_objective *objective, bool projected)
{
    pli_active_set set = get_active(objective);
    pli_bcsr *H = objective->H;
    for (int32_t k = 0; k < set.count; ++k) {
        double curvature[9];
        pli_mat3_copy(set.curvature + 9 * (int64_t)k, curvature);
        if (projected) pli_psd_clamp(3, curvature);
        double *diagonal = H->values + 9 * H->diagonal[set.points[k]];
        pli_mat3_add_scaled(diagonal, 1, curvature, diagonal);
    }
    if (set.count > 0) pli_bcsr_restrict(H, set.count, set.points, set.tangents, NULL, 0);
}

static void add_hessians(const pli_objective *objective, term_group group, const double *x,
                         bool projected, pli_bcsr *matrix)
{
    pli_bcsr_set_zero(matrix);
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (pli_term_is_linear(term) || !is_in_group(term, group)) continue;
        term->ops->add_hessian(term->self, x, projected, matrix);
    }
    pli_bcsr_close_extra(matrix);
}

// The part beside the matrices, with held coordinates and normal directions taken out.
static void compute_low_rank(const pli_objective *objective, const double *x)
{
    pli_low_rank *part = objective->low_rank;
    if (part == NULL) return;
    pli_low_rank_clear(part);
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->add_low_rank != NULL) term->ops->add_low_rank(term->self, x, part);
    }
    for (int32_t k = 0; k < part->count; ++k) {
        double *u = part->vectors + k * part->size;
        pli_objective_restrict(objective, u);
        pli_objective_mask(objective, u);
    }
}

void pli_objective_compute_hessian(pli_objective *objective, const double *x, bool projected)
{
    compute_low_rank(objective, x);
    add_hessians(objective, group_of_hessian(objective), x, projected, objective->H);
    restrict_hessian(objective, projected);
    if (objective->fixed != NULL) pli_bcsr_fix_dofs(objective->H, objective->fixed, 1.0);
}

// Largest number of blocks on the diagonal that are not finite, 0 or 1.
static double find_broken_blocks(void *user, int64_t begin, int64_t end)
{
    const pli_bcsr *H = user;
    for (int64_t row = begin; row < end; ++row) {
        const double *block = H->values + 9 * H->diagonal[row];
        double sum = 0;
        for (int k = 0; k < 9; ++k) sum += 0 * block[k];
        if (sum != 0) return 1;
    }
    return 0;
}

static bool is_finite_matrix(const pli_context *context, const pli_bcsr *H)
{
    return H == NULL || pli_parallel_max(context, H->row_count, POINT_GRAIN, find_broken_blocks,
                                         (void *)(uintptr_t)H) <= 0;
}

bool pli_objective_has_finite_hessian(const pli_objective *objective)
{
    return is_finite_matrix(objective->context, objective->H) &&
           is_finite_matrix(objective->context, objective->lagged);
}

void pli_objective_compute_lagged(pli_objective *objective, const double *x, bool projected)
{
    add_hessians(objective, LAGGING_TERMS, x, projected, objective->lagged);
    if (objective->fixed != NULL) pli_bcsr_fix_dofs(objective->lagged, objective->fixed, 0.0);
}

typedef struct product_job {
    const pli_objective *objective;
    const double *x;
    double *y;
} product_job;

static void multiply_points(void *user, int64_t begin, int64_t end)
{
    const product_job *job = user;
    pli_bcsr_multiply_rows(job->objective->H, job->x, job->y, begin, end);
    const pli_bcsr *lagged = job->objective->lagged;
    if (lagged != NULL) pli_bcsr_multiply_add_rows(lagged, job->x, job->y, begin, end);
}

void pli_objective_multiply_hessian(const pli_objective *objective, const double *x, double *y)
{
    product_job job = {objective, x, y};
    pli_parallel_for(objective->context, objective->point_count, POINT_GRAIN, multiply_points,
                     &job);
    if (objective->low_rank != NULL) pli_low_rank_multiply_add(objective->low_rank, x, y);
}

double pli_objective_max_step(const pli_objective *objective, const double *x, const double *d)
{
    double alpha = INFINITY;
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->max_step == NULL) continue;
        alpha = fmin(alpha, term->ops->max_step(term->self, x, d));
    }
    return alpha;
}

typedef struct norm_range {
    const double *weights;
    const double *g;
} norm_range;

static pli_sum weighted_square(void *user, int64_t begin, int64_t end)
{
    const norm_range *range = user;
    double sum = 0;
    for (int64_t point = begin; point < end; ++point) {
        const double *g = range->g + 3 * point;
        sum += range->weights[point] * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    }
    return (pli_sum){sum, 0};
}

double pli_objective_norm(const pli_objective *objective, const double *g)
{
    norm_range range = {objective->norm_weights, g};
    return sqrt(pli_sum_value(pli_parallel_sum(objective->context, objective->point_count,
                                               POINT_GRAIN, weighted_square, &range)));
}
