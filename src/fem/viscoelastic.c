// SPDX-License-Identifier: Apache-2.0
#include "fem/viscoelastic.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <math.h>

enum { GRAIN = 512 };

// places of the six numbers of a symmetric matrix
static const int places[6] = {0, 4, 8, 5, 2, 1};

typedef struct viscoelastic_job {
    const pli_viscoelastic *viscoelastic;
    const pli_viscoelastic_history *history;
    pli_elastic *elastic;
    const double *x;
} viscoelastic_job;

static const pli_branches *branches_at(const viscoelastic_job *job, int64_t tet)
{
    return &job->viscoelastic->materials[job->viscoelastic->material_of[tet]];
}

// Row of a material point of a tetrahedron, both by their numbers.
static int64_t row_of(const viscoelastic_job *job, int64_t tet, int32_t point)
{
    const int32_t *first = job->viscoelastic->first_point;
    return first != NULL ? first[tet] + point : tet;
}

static double *overstress_at(const viscoelastic_job *job, int64_t row)
{
    return job->history->overstress + 6 * job->viscoelastic->branch_count * row;
}

// e_i and gamma_i g_i
static void find_factors(const viscoelastic_job *job, const pli_branches *branches, int32_t branch,
                         double *fade, double *gain)
{
    double part = job->viscoelastic->h / branches->time[branch];
    *fade = exp(-part);
    *gain = branches->ratio[branch] * -expm1(-part) / part;
}

// ---- a step's energy

static void begin_range(void *user, int64_t begin, int64_t end)
{
    const viscoelastic_job *job = user;
    pli_elastic *e = job->elastic;
    for (int64_t k = begin * e->points; k < end * e->points; ++k) {
        int64_t at = k / e->points, point = k % e->points;
        int64_t row = row_of(job, e->origin[at], (int32_t)point);
        const pli_branches *branches = branches_at(job, e->origin[at]);
        const double *S = job->history->stress + 6 * row;
        double B[6] = {0}, factor = branches->slow;
        for (int32_t branch = 0; branch < branches->count; ++branch) {
            const double *H = overstress_at(job, row) + 6 * (int64_t)branch;
            double fade, gain;
            find_factors(job, branches, branch, &fade, &gain);
            factor += gain;
            for (int i = 0; i < 6; ++i) B[i] += fade * H[i] - gain * S[i];
        }
        e->factor[point * e->tet_count + at] = factor;
        for (int i = 0; i < 6; ++i) e->added_stress[(6 * point + i) * e->tet_count + at] = B[i];
    }
}

void pli_viscoelastic_begin_step(const pli_viscoelastic *viscoelastic,
                                 const pli_viscoelastic_history *history, pli_elastic *elastic)
{
    viscoelastic_job job = {viscoelastic, history, elastic, NULL};
    pli_parallel_for(elastic->elements.context, elastic->tet_count, GRAIN, begin_range, &job);
}

// ---- between steps

static void rest_range(void *user, int64_t begin, int64_t end)
{
    const viscoelastic_job *job = user;
    pli_elastic *e = job->elastic;
    for (int64_t k = begin * e->points; k < end * e->points; ++k) {
        int64_t at = k / e->points, point = k % e->points;
        int64_t row = row_of(job, e->origin[at], (int32_t)point);
        const pli_branches *branches = branches_at(job, e->origin[at]);
        double sum[6] = {0};
        for (int32_t i = 0; i < 6 * branches->count; ++i) sum[i % 6] += overstress_at(job, row)[i];
        e->factor[point * e->tet_count + at] = branches->slow;
        for (int i = 0; i < 6; ++i) e->added_stress[(6 * point + i) * e->tet_count + at] = sum[i];
    }
}

void pli_viscoelastic_rest(const pli_viscoelastic *viscoelastic,
                           const pli_viscoelastic_history *history, pli_elastic *elastic)
{
    viscoelastic_job job = {viscoelastic, history, elastic, NULL};
    pli_parallel_for(elastic->elements.context, elastic->tet_count, GRAIN, rest_range, &job);
}

// ---- the history

// S = F^-1 P; false where F has no inverse to speak of.
static bool find_stress(const pli_elastic_point *point, double S[6])
{
    double inverse[9], full[9];
    double J = pli_mat3_inverse(point->F, inverse);
    if (!(J >= PLI_VISCOELASTIC_LEAST_J)) return false;
    pli_mat3_multiply(inverse, point->P, full);
    for (int k = 0; k < 6; ++k) {
        int at = places[k];
        S[k] = 0.5 * (full[at] + full[3 * (at % 3) + at / 3]);
    }
    return true;
}

static void end_point(void *user, const pli_elastic_point *point)
{
    const viscoelastic_job *job = user;
    const pli_branches *branches = branches_at(job, point->tet);
    int64_t row = row_of(job, point->tet, point->point);
    double *before = job->history->stress + 6 * row;
    double S[6];
    if (branches->count == 0) return;
    bool moves = find_stress(point, S);
    for (int32_t branch = 0; branch < branches->count; ++branch) {
        double *H = overstress_at(job, row) + 6 * (int64_t)branch;
        double fade, gain;
        find_factors(job, branches, branch, &fade, &gain);
        for (int k = 0; k < 6; ++k) H[k] = fade * H[k] + (moves ? gain * (S[k] - before[k]) : 0);
    }
    for (int k = 0; k < 6 && moves; ++k) before[k] = S[k];
}

static void end_range(void *user, int64_t begin, int64_t end)
{
    const viscoelastic_job *job = user;
    pli_elastic_visit(job->elastic, job->x, PLI_ELASTIC_STRESS, begin, end, end_point, user);
}

void pli_viscoelastic_end_step(const pli_viscoelastic *viscoelastic, const double *x,
                               const pli_viscoelastic_history *history, pli_elastic *elastic)
{
    viscoelastic_job job = {viscoelastic, history, elastic, x};
    if (elastic->patches != NULL) pli_elastic_update_patches(elastic, x);
    pli_parallel_for(elastic->elements.context, elastic->tet_count, GRAIN, end_range, &job);
    pli_viscoelastic_rest(viscoelastic, history, elastic);
}

// ---- energy

// L of the law's tangent at rest, C = L L^T in strains 00, 11, 22 and twice 12, 02, 01; false where
// it is not definite.
static bool factor_tangent(const double T[81], double L[36])
{
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = T[9 * places[i] + places[j]];
            for (int k = 0; k < j; ++k) sum -= L[6 * i + k] * L[6 * j + k];
            if (i == j && !(sum > 0)) return false;
            L[6 * i + j] = i == j ? sqrt(sum) : sum / L[6 * j + j];
        }
    }
    return true;
}

// H : C^-1 : H
static double comply(const double L[36], const double H[6])
{
    double y[6], sum = 0;
    for (int i = 0; i < 6; ++i) {
        y[i] = H[i];
        for (int k = 0; k < i; ++k) y[i] -= L[6 * i + k] * y[k];
        y[i] /= L[6 * i + i];
        sum += y[i] * y[i];
    }
    return sum;
}

typedef struct energy_sum {
    const viscoelastic_job *job;
    pli_sum sum;
} energy_sum;

static void add_law_energy(void *user, const pli_elastic_point *point)
{
    energy_sum *to = user;
    pli_sum_add(&to->sum, point->volume * branches_at(to->job, point->tet)->slow * point->psi);
}

static void add_branch_energy(void *user, const pli_elastic_point *point)
{
    energy_sum *to = user;
    const pli_branches *branches = branches_at(to->job, point->tet);
    int64_t row = row_of(to->job, point->tet, point->point);
    double L[36];
    if (branches->count == 0 || !factor_tangent(point->T, L)) return;
    for (int32_t branch = 0; branch < branches->count; ++branch) {
        const double *H = overstress_at(to->job, row) + 6 * (int64_t)branch;
        pli_sum_add(&to->sum, 0.5 * point->volume * comply(L, H) / branches->ratio[branch]);
    }
}

static pli_sum sum_range(void *user, int64_t begin, int64_t end)
{
    const viscoelastic_job *job = user;
    energy_sum to = {job, {0, 0}};
    pli_elastic_visit(job->elastic, job->x, PLI_ELASTIC_ENERGY, begin, end, add_law_energy, &to);
    pli_elastic_visit(job->elastic, NULL, PLI_ELASTIC_TANGENT, begin, end, add_branch_energy, &to);
    return to.sum;
}

double pli_viscoelastic_energy(const pli_viscoelastic *viscoelastic, const double *x,
                               const pli_viscoelastic_history *history, const pli_elastic *elastic)
{
    viscoelastic_job job = {viscoelastic, history, (pli_elastic *)(uintptr_t)elastic, x};
    if (elastic->patches != NULL) pli_elastic_update_patches(elastic, x);
    return pli_sum_value(
        pli_parallel_sum(elastic->elements.context, elastic->tet_count, GRAIN, sum_range, &job));
}
