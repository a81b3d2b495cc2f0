// SPDX-License-Identifier: Apache-2.0
#include "fem/elastic.h"

#include "fem/tet_quadratic.h"
#include "fem/tet_shape.h"

#include "base/memory.h"
#include "geometry/mesh/inversion.h"
#include "math/eigen.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, TET_GRAIN = 512, PATCH_GRAIN = 96 };

static const pli_element_ops tet_ops, patch_ops; // below

// ---- what the kinds of elements share

typedef struct measure_job {
    const pli_elastic *elastic;
    const double *x;
    double *J;
} measure_job;

typedef struct visit_job {
    unsigned want; // of pli_elastic_want
    pli_elastic_visit_fn visit;
    void *user;
} visit_job;

// The loops of a kind of element, over [begin, end) in processing order.
typedef struct elastic_kernel {
    pli_sum (*sum_energy)(const pli_elastic *elastic, const double *x, int32_t begin, int32_t end);
    void (*add_gradient)(const pli_elastic *elastic, const double *x, int32_t begin, int32_t end,
                         double *g);
    void (*add_hessian)(const pli_elastic *elastic, const double *x, int32_t begin, int32_t end,
                        const pli_element_job *target);
    void (*add_lifted)(const pli_elastic *elastic, int32_t begin, int32_t end, pli_lifted *S);
    void (*add_vertices)(const pli_elastic *elastic, const double *x,
                         const pli_vertex_batch *wanted);
    void (*measure)(const pli_elastic *elastic, int32_t begin, int32_t end, measure_job *job);
    void (*visit)(const pli_elastic *elastic, const double *x, int32_t begin, int32_t end,
                  visit_job *job);
} elastic_kernel;

static void gather_lane(int count, double (*planes)[LANES], int lane, double *out)
{
    for (int k = 0; k < count; ++k) out[k] = planes[k][lane];
}

// The part of an element's volume that a material point stands for.
static double share_of_point(const pli_elastic *elastic, int32_t tet, int32_t point)
{
    double sum = 0;
    for (int32_t k = 0; k < elastic->points; ++k) {
        sum += elastic->volume[(int64_t)k * elastic->tet_count + tet];
    }
    return elastic->volume[(int64_t)point * elastic->tet_count + tet] / sum;
}

// ---- linear elements

#define NODES 4
#define POINTS 1
#define PATCHED 0
#define NAME(name) linear_##name
#include "fem/elastic_kernel.inl"
#undef NODES
#undef POINTS
#undef PATCHED
#undef NAME

// ---- quadratic elements

#define NODES 10
#define POINTS 4
#define PATCHED 0
#define NAME(name) quadratic_##name
#include "fem/elastic_kernel.inl"
#undef NODES
#undef POINTS
#undef PATCHED
#undef NAME

// ---- locking-free elements

#include "fem/elastic_patch.inl"

#define NODES 4
#define POINTS 1
#define PATCHED 1
#define NAME(name) patched_##name
#include "fem/elastic_kernel.inl"
#undef NODES
#undef POINTS
#undef PATCHED
#undef NAME

static const elastic_kernel *kernel_of(const pli_elastic *elastic)
{
    if (elastic->patches != NULL) return &patched_kernel;
    return elastic->nodes == 4 ? &linear_kernel : &quadratic_kernel;
}

// F_ij = sum_a (x_a - x_0)_i g_aj
void pli_elastic_deformation(const pli_elastic *elastic, const double *x, int64_t tet,
                             int32_t point, double F[9])
{
    const int32_t *nodes = elastic->tets + elastic->nodes * tet;
    int64_t edges = elastic->nodes - 1;
    const double *first = x + 3 * (int64_t)nodes[0];
    memset(F, 0, 9 * sizeof *F);
    for (int a = 0; a < edges; ++a) {
        const double *at = x + 3 * (int64_t)nodes[a + 1];
        for (int k = 0; k < 9; ++k) {
            int64_t row = 3 * (point * edges + a) + k % 3;
            F[k] += (at[k / 3] - first[k / 3]) * elastic->gradients[row * elastic->tet_count + tet];
        }
    }
}

// Jbar of patches.
static void update_means(const pli_elastic *e, const double *x, int32_t begin, int32_t end)
{
    pli_patches *p = e->patches;
    for (int32_t patch = begin; patch < end; ++patch) {
        double volume = 0, sum = 0;
        for (int32_t tet = p->begin[patch]; tet < p->begin[patch + 1]; ++tet) {
            double F[9];
            pli_elastic_deformation(e, x, tet, 0, F);
            p->J[tet] = pli_mat3_determinant(F);
            volume += e->volume[tet];
            sum += e->volume[tet] * p->J[tet];
        }
        for (int32_t tet = p->begin[patch]; tet < p->begin[patch + 1]; ++tet) {
            p->share[tet] = e->volume[tet] / volume;
        }
        p->volume[patch] = volume;
        p->mean[patch] = sum / volume;
        p->pressure[patch] = 0;
    }
}

// m = P : F of the tetrahedra of a batch
static void find_contraction(void *user, const pli_elastic *elastic, int32_t begin,
                             patched_batch *b)
{
    (void)user;
    patched_call_law(b, PLI_TANGENT_EXACT, false, true, false);
    for (int lane = 0; lane < b->count; ++lane) {
        elastic->patches->m[begin + lane] = patch_contract(b->P, b->F, lane);
    }
}

// The pressures of patches, q = e sum V m / (V Jbar).
static void update_pressures(const pli_elastic *e, const double *x, int32_t begin, int32_t end)
{
    pli_patches *p = e->patches;
    patched_for_each_batch(e, x, p->begin[begin], p->begin[end], find_contraction, NULL);
    for (int32_t patch = begin; patch < end; ++patch) {
        if (!(p->mean[patch] > 0)) continue;
        double sum = 0;
        for (int32_t tet = p->begin[patch]; tet < p->begin[patch + 1]; ++tet) {
            sum += p->share[tet] * p->m[tet];
        }
        p->pressure[patch] = p->exponent * sum / p->mean[patch];
    }
}

// ---- construction

static pli_status allocate_arrays(pli_elastic *e, const pli_elastic_def *def)
{
    pli_context *context = e->elements.context;
    int64_t count = def->tet_count;
    int64_t planes = 3 * (e->nodes - 1);
    e->tets = PLI_NEW(context, int32_t, e->nodes * count, "tetrahedra");
    e->origin = PLI_NEW(context, int32_t, count, "tetrahedron order");
    e->gradients = PLI_NEW(context, double, planes * e->points * count, "shape gradients");
    e->volume = PLI_NEW(context, double, e->points *count, "volumes");
    e->groups = PLI_NEW(context, pli_elastic_group, def->law_count, "law groups");
    bool complete = e->tets != NULL && e->origin != NULL && e->gradients != NULL &&
                    e->volume != NULL && e->groups != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Stable sort of elements, which stand in some order, by law: groups in the order of the def's
// laws.
static void sort_by_law(pli_elastic *e, const pli_elastic_def *def, const int32_t *order)
{
    int32_t next = 0;
    for (int32_t law = 0; law < def->law_count; ++law) {
        int32_t begin = next;
        for (int32_t k = 0; k < def->tet_count; ++k) {
            int32_t tet = order != NULL ? order[k] : k;
            if (def->law_of_tet[tet] == law) e->origin[next++] = tet;
        }
        if (next == begin) continue;
        e->groups[e->group_count++] = (pli_elastic_group){def->laws[law], begin, next, NULL};
    }
}

// Elements sorted by patch, and the patches of elements in processing order.
static pli_status sort_by_patch(pli_elastic *e, const pli_elastic_def *def, int32_t *patch_of,
                                int32_t *order)
{
    int32_t count = 0;
    PLI_TRY(pli_patches_grow(e->elements.context, def->vertex_count, def->tet_count, def->tets,
                             def->class_of_tet, patch_of, &count));
    int32_t *start = PLI_NEW(e->elements.context, int32_t, count + 1, "patches");
    if (start == NULL) return PLI_ERROR_MEMORY;
    for (int32_t tet = 0; tet < def->tet_count; ++tet) ++start[patch_of[tet] + 1];
    for (int32_t k = 0; k < count; ++k) start[k + 1] += start[k];
    for (int32_t tet = 0; tet < def->tet_count; ++tet) order[start[patch_of[tet]]++] = tet;
    pli_release(e->elements.context, start);
    sort_by_law(e, def, order);
    // numbers of patches that ascend in processing order
    int32_t next = -1, last = -1;
    for (int32_t k = 0; k < def->tet_count; ++k) {
        int32_t patch = patch_of[e->origin[k]];
        if (patch != last) ++next;
        last = patch;
        order[k] = next;
    }
    int32_t *corners =
        PLI_NEW(e->elements.context, int32_t, 4 * (int64_t)def->tet_count, "patches");
    if (corners == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < def->tet_count; ++k) {
        memcpy(corners + 4 * (int64_t)k, def->tets + 4 * (int64_t)e->origin[k],
               4 * sizeof *corners);
    }
    pli_status status =
        pli_patches_create(e->elements.context, def->tet_count, corners, order, count, &e->patches);
    pli_release(e->elements.context, corners);
    return status;
}

static pli_status sort_elements(pli_elastic *e, const pli_elastic_def *def)
{
    if (def->class_of_tet == NULL) {
        sort_by_law(e, def, NULL);
        return PLI_OK;
    }
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *patch_of = PLI_NEW(e->elements.context, int32_t, def->tet_count, "patches");
    int32_t *order = PLI_NEW(e->elements.context, int32_t, def->tet_count, "patches");
    if (patch_of != NULL && order != NULL) status = sort_by_patch(e, def, patch_of, order);
    if (status == PLI_OK) e->patches->exponent = (1 - def->stabilisation) / 3;
    PLI_RELEASE(e->elements.context, order, patch_of);
    return status;
}

static pli_status copy_params(pli_elastic *e, const pli_elastic_def *def)
{
    for (int32_t k = 0; k < e->group_count; ++k) {
        pli_elastic_group *group = &e->groups[k];
        int32_t count = group->end - group->begin;
        int64_t rows = (int64_t)group->law->param_count * e->points;
        PLI_TRY(PLI_MAKE(e->elements.context, group->params, rows * count, "law parameters"));
        for (int64_t i = 0; i < rows * count; ++i) {
            int64_t param = i / count / e->points;
            int64_t tet = e->origin[group->begin + i % count];
            group->params[i] = def->params[tet * PLI_ELASTIC_PARAMS + param];
        }
    }
    return PLI_OK;
}

// Volume and the gradients of N_1..N_3.
static pli_status compute_linear_shape(pli_elastic *e, const pli_elastic_def *def, int32_t tet)
{
    const int32_t *corners = def->tets + 4 * (int64_t)e->origin[tet];
    memcpy(e->tets + 4 * (int64_t)tet, corners, 4 * sizeof *corners);
    pli_tet_shape shape;
    pli_tet_shape_compute(def->rest, corners, &shape);
    PLI_TRY(pli_tet_shape_check(e->elements.context, &shape, e->origin[tet]));
    e->volume[tet] = def->weights != NULL ? def->weights[e->origin[tet]] : shape.volume;
    for (int k = 0; k < 9; ++k) {
        e->gradients[(int64_t)k * e->tet_count + tet] = shape.gradients[k];
    }
    return PLI_OK;
}

// The same at four material points for N_1..N_9.
static pli_status compute_quadratic_shape(pli_elastic *e, const pli_elastic_def *def, int32_t tet)
{
    int64_t from = e->origin[tet];
    int32_t *nodes = e->tets + PLI_TET10 * (int64_t)tet;
    memcpy(nodes, def->tets + 4 * from, 4 * sizeof *nodes);
    memcpy(nodes + 4, def->mid_nodes + 6 * from, 6 * sizeof *nodes);
    pli_tet10_shape shape;
    pli_tet10_shape_compute(def->rest, nodes, &shape);
    PLI_TRY(pli_tet10_shape_check(e->elements.context, &shape, e->origin[tet]));
    for (int point = 0; point < PLI_TET10_POINTS; ++point) {
        e->volume[(int64_t)point * e->tet_count + tet] = shape.volume[point];
        for (int k = 0; k < 27; ++k) {
            int64_t row = 27 * point + k;
            e->gradients[row * e->tet_count + tet] = shape.gradients[point][3 + k];
        }
    }
    return PLI_OK;
}

static pli_status compute_rest_shape(pli_elastic *e, const pli_elastic_def *def)
{
    for (int32_t tet = 0; tet < e->tet_count; ++tet) {
        PLI_TRY(e->nodes == 4 ? compute_linear_shape(e, def, tet)
                              : compute_quadratic_shape(e, def, tet));
    }
    return PLI_OK;
}

// What shapes that change start from.
static pli_status keep_rest_shape(pli_elastic *e)
{
    int64_t points = (int64_t)e->tet_count * e->points;
    int64_t planes = 3 * (e->nodes - 1);
    PLI_TRY(PLI_MAKE(e->elements.context, e->rest_gradients, planes * points, "shape gradients"));
    PLI_TRY(PLI_MAKE(e->elements.context, e->rest_volume, points, "volumes"));
    memcpy(e->rest_gradients, e->gradients, (size_t)(planes * points) * sizeof *e->gradients);
    memcpy(e->rest_volume, e->volume, (size_t)points * sizeof *e->volume);
    return PLI_OK;
}

// Laws as they are, until somebody says more.
static pli_status add_factors(pli_elastic *e)
{
    pli_context *context = e->elements.context;
    int64_t count = (int64_t)e->points * e->tet_count;
    PLI_TRY(PLI_MAKE(context, e->factor, count, "law factors"));
    PLI_TRY(PLI_MAKE(context, e->added_stress, 6 * count, "added stress"));
    for (int64_t k = 0; k < count; ++k) e->factor[k] = 1;
    return PLI_OK;
}

// From numbers of the def's order to those that the caller knows elements by.
static void number_elements(pli_elastic *e, const pli_elastic_def *def)
{
    for (int32_t tet = 0; def->numbers != NULL && tet < e->tet_count; ++tet) {
        e->origin[tet] = def->numbers[e->origin[tet]];
    }
}

static pli_status build(pli_elastic *e, const pli_elastic_def *def)
{
    PLI_TRY(allocate_arrays(e, def));
    PLI_TRY(sort_elements(e, def));
    PLI_TRY(copy_params(e, def));
    PLI_TRY(compute_rest_shape(e, def));
    if (def->yields) PLI_TRY(keep_rest_shape(e));
    if (def->relaxes) PLI_TRY(add_factors(e));
    number_elements(e, def);
    pli_elements *elements = &e->elements;
    if (e->patches == NULL) return pli_elements_color(elements, e->nodes, e->tet_count, e->tets);
    elements->cliques = e->patches->cliques;
    return pli_chunk_coloring_create(elements->context, elements->vertex_count, &elements->cliques,
                                     PATCH_GRAIN, &elements->coloring);
}

pli_status pli_elastic_create(pli_context *context, const pli_elastic_def *def,
                              pli_elastic **elastic)
{
    *elastic = NULL;
    pli_elastic *made = PLI_NEW(context, pli_elastic, 1, "elastic term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, def->class_of_tet != NULL ? &patch_ops : &tet_ops,
                                    .vertex_count = def->vertex_count};
    made->tet_count = def->tet_count;
    made->nodes = def->mid_nodes != NULL ? PLI_TET10 : 4;
    made->points = def->mid_nodes != NULL ? PLI_TET10_POINTS : 1;
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_elastic_destroy(made);
        return status;
    }
    *elastic = made;
    return PLI_OK;
}

void pli_elastic_destroy(pli_elastic *elastic)
{
    if (elastic == NULL) return;
    pli_context *context = elastic->elements.context;
    pli_incidence_clear(context, &elastic->incidence);
    pli_elements_clear(&elastic->elements);
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        pli_release(context, elastic->groups[k].params);
    }
    pli_patches_destroy(context, elastic->patches);
    PLI_RELEASE(context, elastic->groups, elastic->added_stress, elastic->factor,
                elastic->rest_volume, elastic->rest_gradients, elastic->volume, elastic->gradients,
                elastic->origin, elastic->tets, elastic);
}

typedef struct means_job {
    const pli_elastic *elastic;
    const double *x;
} means_job;

static void update_range(void *user, int64_t begin, int64_t end)
{
    const means_job *job = user;
    update_means(job->elastic, job->x, (int32_t)begin, (int32_t)end);
}

void pli_elastic_update_patches(const pli_elastic *elastic, const double *x)
{
    means_job job = {elastic, x};
    pli_parallel_for(elastic->elements.context, elastic->patches->count, PATCH_GRAIN, update_range,
                     &job);
}

void pli_elastic_change_params(pli_elastic *elastic,
                               bool (*change)(void *user, int32_t tet, double *params), void *user)
{
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        const pli_elastic_group *group = &elastic->groups[k];
        int64_t size = group->end - group->begin;
        for (int64_t item = 0; item < size; ++item) {
            double params[PLI_ELASTIC_PARAMS];
            if (!change(user, elastic->origin[group->begin + item], params)) continue;
            for (int64_t row = 0; row < (int64_t)group->law->param_count * elastic->points; ++row) {
                group->params[row * size + item] = params[row / elastic->points];
            }
        }
    }
}

void pli_elastic_visit(const pli_elastic *elastic, const double *x, unsigned want, int64_t begin,
                       int64_t end, pli_elastic_visit_fn visit, void *user)
{
    visit_job job = {want, visit, user};
    kernel_of(elastic)->visit(elastic, x, (int32_t)begin, (int32_t)end, &job);
}

// ---- the term

// Makes what is one of a range of cliques, elements or patches, a range of elements.
static void find_elements(const pli_elastic *elastic, int64_t begin, int64_t end, int32_t tets[2])
{
    const pli_patches *patches = elastic->patches;
    tets[0] = patches != NULL ? patches->begin[begin] : (int32_t)begin;
    tets[1] = patches != NULL ? patches->begin[end] : (int32_t)end;
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_elastic *elastic = job->self;
    int32_t tets[2];
    find_elements(elastic, begin, end, tets);
    if (elastic->patches != NULL) update_means(elastic, job->x, (int32_t)begin, (int32_t)end);
    return kernel_of(elastic)->sum_energy(elastic, job->x, tets[0], tets[1]);
}

static void add_gradient(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_elastic *elastic = job->self;
    int32_t tets[2];
    find_elements(elastic, begin, end, tets);
    if (elastic->patches != NULL) {
        update_means(elastic, job->x, (int32_t)begin, (int32_t)end);
        update_pressures(elastic, job->x, (int32_t)begin, (int32_t)end);
    }
    kernel_of(elastic)->add_gradient(elastic, job->x, tets[0], tets[1], job->g);
}

static void clear_couplings(pli_patches *patches, int64_t begin, int64_t end)
{
    int64_t size = 3 * patches->cliques.size;
    memset(patches->b + size * begin, 0, (size_t)(size * (end - begin)) * sizeof(double));
    memset(patches->c + size * begin, 0, (size_t)(size * (end - begin)) * sizeof(double));
    memset(patches->kappa + begin, 0, (size_t)(end - begin) * sizeof(double));
}

static void add_hessian(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_elastic *elastic = job->self;
    pli_patches *patches = elastic->patches;
    int32_t tets[2];
    find_elements(elastic, begin, end, tets);
    if (patches != NULL) {
        update_means(elastic, job->x, (int32_t)begin, (int32_t)end);
        update_pressures(elastic, job->x, (int32_t)begin, (int32_t)end);
        clear_couplings(patches, begin, end);
    }
    kernel_of(elastic)->add_hessian(elastic, job->x, tets[0], tets[1], job);
    for (int64_t k = begin; patches != NULL && k < end; ++k) {
        pli_patches_add_coupling(patches, (int32_t)k, job->slots, job->H->values);
    }
}

static const pli_element_ops tet_ops = {.grain = TET_GRAIN,
                                        .sum_energy = sum_energy,
                                        .add_gradient = add_gradient,
                                        .add_hessian = add_hessian};

static const pli_element_ops patch_ops = {.grain = PATCH_GRAIN,
                                          .sum_energy = sum_energy,
                                          .add_gradient = add_gradient,
                                          .add_hessian = add_hessian};

typedef struct lifted_job {
    const pli_elastic *elastic;
    pli_lifted *S;
} lifted_job;

static void add_lifted(void *user, int64_t begin, int64_t end)
{
    const lifted_job *job = user;
    int32_t tets[2];
    find_elements(job->elastic, begin, end, tets);
    kernel_of(job->elastic)->add_lifted(job->elastic, tets[0], tets[1], job->S);
}

static void elastic_add_lifted(void *self, pli_lifted *S)
{
    const pli_elastic *elastic = self;
    lifted_job job = {elastic, S};
    pli_elements_scatter(&elastic->elements, add_lifted, &job);
}

static pli_status elastic_bind_vertices(void *self)
{
    pli_elastic *elastic = self;
    pli_incidence_clear(elastic->elements.context, &elastic->incidence);
    return pli_incidence_build(elastic->elements.context, elastic->elements.vertex_count,
                               elastic->nodes, elastic->tet_count, elastic->tets,
                               &elastic->incidence);
}

static void elastic_add_vertices(void *self, const double *x, const pli_vertex_batch *wanted)
{
    const pli_elastic *elastic = self;
    kernel_of(elastic)->add_vertices(elastic, x, wanted);
}

typedef struct step_job {
    const pli_elastic *elastic;
    const double *x;
    const double *d;
} step_job;

// The largest of minus the steps: the parallel loops know maxima.
static double largest_negative(void *user, int64_t begin, int64_t end)
{
    static const double origin[3] = {0};
    const step_job *job = user;
    const pli_elastic *e = job->elastic;
    double largest = -1;
    for (int64_t k = begin * e->points; k < end * e->points; ++k) {
        // the rows of F as edges of a tetrahedron from the origin
        double F[9], dF[9];
        pli_elastic_deformation(e, job->x, k / e->points, (int32_t)(k % e->points), F);
        pli_elastic_deformation(e, job->d, k / e->points, (int32_t)(k % e->points), dF);
        const double *const x[4] = {origin, F, F + 3, F + 6};
        const double *const d[4] = {origin, dF, dF + 3, dF + 6};
        largest = fmax(largest, -pli_inversion_step(x, d, PLI_ELASTIC_KEPT));
    }
    return largest;
}

// det(F + t dF) is a cubic in t.
static double elastic_max_step(void *self, const double *x, const double *d)
{
    const pli_elastic *elastic = self;
    step_job job = {elastic, x, d};
    double largest = pli_parallel_max(elastic->elements.context, elastic->tet_count, TET_GRAIN,
                                      largest_negative, &job);
    return elastic->tet_count > 0 ? fmin(fmax(-largest, 0), 1) : 1;
}

#define ELASTIC_FUNCTIONS                                                                        \
    .name = "elastic", .energy = pli_elements_energy, .add_gradient = pli_elements_add_gradient, \
    .add_hessian = pli_elements_add_hessian, .get_cliques = pli_elements_get_cliques,            \
    .bind = pli_elements_bind, .add_lifted = elastic_add_lifted, .lags = true

const pli_term_ops pli_elastic_term = {
    ELASTIC_FUNCTIONS,
    .bind_vertices = elastic_bind_vertices,
    .add_vertices = elastic_add_vertices,
};

const pli_term_ops pli_elastic_upright_term = {
    ELASTIC_FUNCTIONS,
    .max_step = elastic_max_step,
    .bind_vertices = elastic_bind_vertices,
    .add_vertices = elastic_add_vertices,
};

const pli_term_ops pli_elastic_patched_term = {
    ELASTIC_FUNCTIONS,
    .max_step = elastic_max_step,
};

// ---- reports

static void measure_range(void *user, int64_t begin, int64_t end)
{
    measure_job *job = user;
    int32_t tets[2];
    find_elements(job->elastic, begin, end, tets);
    if (job->elastic->patches != NULL) {
        update_means(job->elastic, job->x, (int32_t)begin, (int32_t)end);
    }
    kernel_of(job->elastic)->measure(job->elastic, tets[0], tets[1], job);
}

void pli_elastic_measure(const pli_elastic *elastic, const double *x, double *J)
{
    measure_job job = {elastic, x, J};
    pli_parallel_for(elastic->elements.context, elastic->elements.cliques.count, TET_GRAIN,
                     measure_range, &job);
}
