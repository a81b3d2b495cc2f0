// SPDX-License-Identifier: Apache-2.0
#include "fem/elastic.h"

#include "fem/tet_shape.h"

#include "base/memory.h"
#include "math/eigen.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

#include "fem/elastic_kernel.inl"

enum { TET_GRAIN = 512 };

static const pli_element_ops elastic_ops; // below

// ---- construction

static pli_status allocate_arrays(pli_elastic *e, const pli_elastic_def *def)
{
    pli_context *context = e->elements.context;
    e->tets = PLI_NEW(context, int32_t, 4 * (int64_t)def->tet_count, "tetrahedra");
    e->origin = PLI_NEW(context, int32_t, def->tet_count, "tetrahedron order");
    e->gradients = PLI_NEW(context, double, 9 * (int64_t)def->tet_count, "shape gradients");
    e->volume = PLI_NEW(context, double, def->tet_count, "volumes");
    e->groups = PLI_NEW(context, pli_elastic_group, def->law_count, "law groups");
    bool complete = e->tets != NULL && e->origin != NULL && e->gradients != NULL &&
                    e->volume != NULL && e->groups != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Stable sort of tetrahedra by law: groups in the order of the def's laws.
static void sort_by_law(pli_elastic *e, const pli_elastic_def *def)
{
    int32_t next = 0;
    for (int32_t law = 0; law < def->law_count; ++law) {
        int32_t begin = next;
        for (int32_t tet = 0; tet < def->tet_count; ++tet) {
            if (def->law_of_tet[tet] == law) e->origin[next++] = tet;
        }
        if (next == begin) continue;
        e->groups[e->group_count++] = (pli_elastic_group){def->laws[law], begin, next, NULL};
    }
}

static pli_status copy_params(pli_elastic *e, const pli_elastic_def *def)
{
    for (int32_t k = 0; k < e->group_count; ++k) {
        pli_elastic_group *group = &e->groups[k];
        int32_t count = group->end - group->begin;
        int32_t param_count = group->law->param_count;
        PLI_TRY(PLI_MAKE(e->elements.context, group->params, (int64_t)param_count * count,
                         "law parameters"));
        for (int32_t param = 0; param < param_count; ++param) {
            for (int32_t i = 0; i < count; ++i) {
                int64_t tet = e->origin[group->begin + i];
                group->params[(int64_t)param * count + i] =
                    def->params[tet * PLI_ELASTIC_PARAMS + param];
            }
        }
    }
    return PLI_OK;
}

// Volume and the gradients of N_1..N_3.
static pli_status compute_rest_shape(pli_elastic *e, const pli_elastic_def *def)
{
    for (int32_t tet = 0; tet < e->tet_count; ++tet) {
        const int32_t *corners = def->tets + 4 * (int64_t)e->origin[tet];
        memcpy(e->tets + 4 * (int64_t)tet, corners, 4 * sizeof *corners);
        pli_tet_shape shape;
        pli_tet_shape_compute(def->rest, corners, &shape);
        PLI_TRY(pli_tet_shape_check(e->elements.context, &shape, e->origin[tet]));
        e->volume[tet] = def->weights != NULL ? def->weights[e->origin[tet]] : shape.volume;
        for (int k = 0; k < 9; ++k) {
            e->gradients[(int64_t)k * e->tet_count + tet] = shape.gradients[k];
        }
    }
    return PLI_OK;
}

// What shapes that change start from.
static pli_status keep_rest_shape(pli_elastic *e)
{
    int64_t count = e->tet_count;
    PLI_TRY(PLI_MAKE(e->elements.context, e->rest_gradients, 9 * count, "shape gradients"));
    PLI_TRY(PLI_MAKE(e->elements.context, e->rest_volume, count, "volumes"));
    memcpy(e->rest_gradients, e->gradients, 9 * (size_t)count * sizeof *e->gradients);
    memcpy(e->rest_volume, e->volume, (size_t)count * sizeof *e->volume);
    return PLI_OK;
}

// Laws as they are, until somebody says more.
static pli_status add_factors(pli_elastic *e)
{
    pli_context *context = e->elements.context;
    PLI_TRY(PLI_MAKE(context, e->factor, e->tet_count, "law factors"));
    PLI_TRY(PLI_MAKE(context, e->added_stress, 6 * (int64_t)e->tet_count, "added stress"));
    for (int32_t tet = 0; tet < e->tet_count; ++tet) e->factor[tet] = 1;
    return PLI_OK;
}

static pli_status build(pli_elastic *e, const pli_elastic_def *def)
{
    PLI_TRY(allocate_arrays(e, def));
    sort_by_law(e, def);
    PLI_TRY(copy_params(e, def));
    PLI_TRY(compute_rest_shape(e, def));
    if (def->yields) PLI_TRY(keep_rest_shape(e));
    if (def->relaxes) PLI_TRY(add_factors(e));
    return pli_elements_color(&e->elements, 4, e->tet_count, e->tets);
}

pli_status pli_elastic_create(pli_context *context, const pli_elastic_def *def,
                              pli_elastic **elastic)
{
    *elastic = NULL;
    pli_elastic *made = PLI_NEW(context, pli_elastic, 1, "elastic term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &elastic_ops, .vertex_count = def->vertex_count};
    made->tet_count = def->tet_count;
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
    PLI_RELEASE(context, elastic->groups, elastic->added_stress, elastic->factor,
                elastic->rest_volume, elastic->rest_gradients, elastic->volume, elastic->gradients,
                elastic->origin, elastic->tets, elastic);
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
            for (int32_t i = 0; i < group->law->param_count; ++i) {
                group->params[i * size + item] = params[i];
            }
        }
    }
}

// ---- loops over batches

typedef void (*batch_fn)(void *user, const pli_elastic *elastic, int32_t begin, batch *b);

// Cuts [begin, end) at group borders into batches, computes F (x NULL: at rest, where it is the
// identity, and of what has never yielded), and hands each to visit.
static void for_each_batch(const pli_elastic *elastic, const double *x, int32_t begin, int32_t end,
                           batch_fn visit, void *user)
{
    batch b;
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        const pli_elastic_group *group = &elastic->groups[k];
        int32_t from = begin > group->begin ? begin : group->begin;
        int32_t to = end < group->end ? end : group->end;
        for (int32_t at = from; at < to; at += LANES) {
            int32_t count = to - at < LANES ? to - at : LANES;
            load_batch(elastic, group, at, count, x == NULL, &b);
            if (x != NULL) {
                compute_deformation((const int32_t(*)[4])elastic->tets + at, x, &b);
            } else {
                set_identity(&b);
            }
            b.law = group->law;
            visit(user, elastic, at, &b);
        }
    }
}

// The nearest positive semi-definite tangent of every lane.
static void clamp_tangent(batch *b)
{
    for (int lane = 0; lane < b->count; ++lane) {
        double T[81];
        for (int k = 0; k < 81; ++k) T[k] = b->T[k][lane];
        if (!pli_psd_clamp(9, T)) continue;
        for (int k = 0; k < 81; ++k) b->T[k][lane] = T[k];
    }
}

// What a law says, and what is added to it.
static void call_law(batch *b, pli_projection projection, bool want_energy, bool want_stress,
                     bool want_tangent)
{
    b->law->evaluate(LANES, b->F[0], b->params[0], b->adds ? PLI_TANGENT_EXACT : projection,
                     want_energy ? b->psi : NULL, want_stress ? b->P[0] : NULL,
                     want_tangent ? b->T[0] : NULL);
    if (!b->adds) return;
    if (want_energy) add_to_energy(b);
    if (want_stress) add_to_stress(b);
    if (want_tangent) add_to_tangent(b);
    if (want_tangent && projection == PLI_TANGENT_PROJECTED) clamp_tangent(b);
}

// ---- points by themselves

typedef struct visit_job {
    pli_elastic_want want;
    pli_elastic_visit_fn visit;
    void *user;
} visit_job;

static void visit_batch(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    const visit_job *job = user;
    bool energy = job->want == PLI_ELASTIC_ENERGY, stress = job->want == PLI_ELASTIC_STRESS;
    b->adds = false;
    call_law(b, PLI_TANGENT_EXACT, energy, stress, !energy && !stress);
    for (int lane = 0; lane < b->count; ++lane) {
        pli_elastic_point point = {.row = elastic->origin[begin + lane], .volume = b->V[lane]};
        for (int k = 0; k < 9; ++k) point.F[k] = b->F[k][lane];
        if (energy) point.psi = b->psi[lane];
        for (int k = 0; stress && k < 9; ++k) point.P[k] = b->P[k][lane];
        for (int k = 0; !energy && !stress && k < 81; ++k) point.T[k] = b->T[k][lane];
        job->visit(job->user, &point);
    }
}

void pli_elastic_visit(const pli_elastic *elastic, const double *x, pli_elastic_want want,
                       int64_t begin, int64_t end, pli_elastic_visit_fn visit, void *user)
{
    visit_job job = {want, visit, user};
    for_each_batch(elastic, x, (int32_t)begin, (int32_t)end, visit_batch, &job);
}

// ---- energy

static void sum_batch_energy(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    (void)elastic;
    (void)begin;
    pli_sum *sum = user;
    call_law(b, PLI_TANGENT_EXACT, true, false, false);
    for (int lane = 0; lane < b->count; ++lane) {
        pli_sum_merge(sum, (pli_sum){b->V[lane] * b->psi[lane], 0});
    }
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    pli_sum sum = {0, 0};
    for_each_batch(job->self, job->x, (int32_t)begin, (int32_t)end, sum_batch_energy, &sum);
    return sum;
}

// ---- gradient

static void add_batch_gradient(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    const pli_element_job *job = user;
    call_law(b, PLI_TANGENT_EXACT, false, true, false);
    add_forces((const int32_t(*)[4])elastic->tets + begin, b, job->g);
}

static void add_gradient(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    for_each_batch(job->self, job->x, (int32_t)begin, (int32_t)end, add_batch_gradient, user);
}

// ---- Hessian

static void add_batch_hessian(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    (void)elastic;
    const pli_element_job *job = user;
    if (job->weights != NULL) {
        for (int lane = 0; lane < b->count; ++lane) b->V[lane] *= job->weights[begin + lane];
    }
    call_law(b, job->projected ? PLI_TANGENT_PROJECTED : PLI_TANGENT_EXACT, false, false, true);
    compute_stiffness(b);
    add_stiffness(b, (const int32_t(*)[16])job->slots + begin, job->H->values);
}

static void add_hessian(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    for_each_batch(job->self, job->x, (int32_t)begin, (int32_t)end, add_batch_hessian, user);
}

static const pli_element_ops elastic_ops = {.grain = TET_GRAIN,
                                            .sum_energy = sum_energy,
                                            .add_gradient = add_gradient,
                                            .add_hessian = add_hessian};

// ---- scalar matrix

// The shape of the tetrahedron in one lane of a batch.
static pli_tet_shape lane_shape(const batch *b, int lane)
{
    pli_tet_shape shape = {.volume = b->V[lane]};
    for (int k = 0; k < 9; ++k) shape.gradients[k] = b->G[k][lane];
    return shape;
}

typedef struct lifted_job {
    const pli_elastic *elastic;
    pli_lifted *S;
} lifted_job;

// S_ab += V dP_00/dF_00 g_a . g_b, the stiffness at rest against stretching along an axis.
static void add_batch_lifted(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    const lifted_job *job = user;
    call_law(b, PLI_TANGENT_EXACT, false, false, true);
    for (int lane = 0; lane < b->count; ++lane) {
        pli_tet_shape shape = lane_shape(b, lane);
        const int32_t *corners = elastic->tets + 4 * (int64_t)(begin + lane);
        pli_tet_shape_add_lifted(&shape, corners, b->T[0][lane], job->S);
    }
}

static void add_lifted(void *user, int64_t begin, int64_t end)
{
    const lifted_job *job = user;
    for_each_batch(job->elastic, NULL, (int32_t)begin, (int32_t)end, add_batch_lifted, user);
}

static void elastic_add_lifted(void *self, pli_lifted *S)
{
    const pli_elastic *elastic = self;
    lifted_job job = {elastic, S};
    pli_elements_scatter(&elastic->elements, add_lifted, &job);
}

// ---- one vertex

static pli_status elastic_bind_vertices(void *self)
{
    pli_elastic *elastic = self;
    pli_incidence_clear(elastic->elements.context, &elastic->incidence);
    return pli_incidence_build(elastic->elements.context, elastic->elements.vertex_count, 4,
                               elastic->tet_count, elastic->tets, &elastic->incidence);
}

// Tetrahedra of some vertices, gathered until the lanes are full.
typedef struct gathering {
    const pli_elastic *elastic;
    const double *x;
    const pli_vertex_batch *wanted;
    const pli_elastic_group *group;
    int32_t count;
    int32_t tets[LANES][4];
    int32_t place[LANES]; // in the batch of vertices
    batch b;
    batch_corner corner;
} gathering;

// Adds what the law says about the gathered tetrahedra to their vertices.
static void flush(gathering *g)
{
    const pli_vertex_batch *wanted = g->wanted;
    batch *b = &g->b;
    if (g->count == 0) return;
    pad_batch(g->count, g->group->law->param_count, b);
    for (int lane = g->count; lane < LANES; ++lane) {
        for (int j = 0; j < 3; ++j) g->corner.a[j][lane] = 0;
    }
    compute_deformation((const int32_t(*)[4])g->tets, g->x, b);
    b->law = g->group->law;
    call_law(b, PLI_TANGENT_PROJECTED, wanted->energy != NULL, wanted->g != NULL,
             wanted->H != NULL);
    if (wanted->g != NULL) compute_corner_forces(b, &g->corner);
    if (wanted->H != NULL) compute_corner_stiffness(b, &g->corner);
    for (int lane = 0; lane < g->count; ++lane) {
        int64_t at = g->place[lane];
        if (wanted->energy != NULL) wanted->energy[at] += b->V[lane] * b->psi[lane];
        for (int i = 0; i < 3 && wanted->g != NULL; ++i) {
            wanted->g[3 * at + i] += g->corner.g[i][lane];
        }
        for (int e = 0; e < 6 && wanted->H != NULL; ++e) {
            wanted->H[6 * at + e] += g->corner.H[e][lane];
        }
    }
    g->count = 0;
}

// Takes a tetrahedron of the group into the next lane, as an element of one of its corners.
static void gather_tet(gathering *g, int32_t tet, int32_t place)
{
    const pli_elastic *elastic = g->elastic;
    const pli_elastic_group *group = g->group;
    int lane = g->count++;
    int32_t vertex = g->wanted->vertices[place];
    int corner = 0;
    g->place[lane] = place;
    g->b.V[lane] = elastic->volume[tet];
    for (int k = 0; k < 4; ++k) {
        g->tets[lane][k] = elastic->tets[4 * (int64_t)tet + k];
        if (g->tets[lane][k] == vertex) corner = k;
    }
    for (int k = 0; k < 9; ++k) {
        g->b.G[k][lane] = elastic->gradients[(int64_t)k * elastic->tet_count + tet];
    }
    for (int k = 0; k < group->law->param_count; ++k) {
        int64_t plane = (int64_t)k * (group->end - group->begin);
        g->b.params[k][lane] = group->params[plane + tet - group->begin];
    }
    load_added(elastic, tet, lane, &g->b);
    for (int j = 0; j < 3; ++j) {
        double minus_sum = -(g->b.G[j][lane] + g->b.G[3 + j][lane] + g->b.G[6 + j][lane]);
        g->corner.a[j][lane] = corner == 0 ? minus_sum : g->b.G[3 * (corner - 1) + j][lane];
    }
    if (g->count == LANES) flush(g);
}

// Law after law, vertex after vertex: lanes are full but for the last ones of a law.
static void elastic_add_vertices(void *self, const double *x, const pli_vertex_batch *wanted)
{
    const pli_elastic *elastic = self;
    const pli_incidence *incidence = &elastic->incidence;
    gathering g = {.elastic = elastic, .x = x, .wanted = wanted};
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        g.group = &elastic->groups[k];
        for (int32_t i = 0; i < wanted->count; ++i) {
            int32_t vertex = wanted->vertices[i];
            for (int64_t at = incidence->start[vertex]; at < incidence->start[vertex + 1]; ++at) {
                int32_t tet = incidence->elements[at];
                if (tet >= g.group->begin && tet < g.group->end) gather_tet(&g, tet, i);
            }
        }
        flush(&g);
    }
}

const pli_term_ops pli_elastic_term = {
    .name = "elastic",
    .energy = pli_elements_energy,
    .add_gradient = pli_elements_add_gradient,
    .add_hessian = pli_elements_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .add_lifted = elastic_add_lifted,
    .lags = true,
    .bind_vertices = elastic_bind_vertices,
    .add_vertices = elastic_add_vertices,
};

// ---- reports

typedef struct measure_job {
    const pli_elastic *elastic;
    const double *x;
    double *J;
    double *von_mises;
} measure_job;

// sqrt(3/2) of the norm of the deviator of sigma = P F^T / J; a flat element counts as a very thin
// one
static double equivalent_stress(const double P[9], const double F[9], double J)
{
    const double thinnest = 1e-9;
    double sigma[9];
    pli_mat3_multiply_transposed_right(P, F, sigma);
    double pressure = pli_mat3_trace(sigma) / 3;
    sigma[0] -= pressure;
    sigma[4] -= pressure;
    sigma[8] -= pressure;
    return sqrt(1.5 * pli_mat3_contract(sigma, sigma)) / fmax(fabs(J), thinnest);
}

static void gather_lane(double planes[9][LANES], int lane, double out[9])
{
    for (int k = 0; k < 9; ++k) out[k] = planes[k][lane];
}

static void measure_batch(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    const measure_job *job = user;
    if (job->von_mises != NULL) call_law(b, PLI_TANGENT_EXACT, false, true, false);
    for (int lane = 0; lane < b->count; ++lane) {
        double F[9];
        gather_lane(b->F, lane, F);
        int32_t tet = elastic->origin[begin + lane];
        double J = pli_mat3_determinant(F);
        if (job->J != NULL) job->J[tet] = J;
        if (job->von_mises == NULL) continue;
        double P[9];
        gather_lane(b->P, lane, P);
        job->von_mises[tet] = equivalent_stress(P, F, J);
    }
}

static void measure_range(void *user, int64_t begin, int64_t end)
{
    measure_job *job = user;
    for_each_batch(job->elastic, job->x, (int32_t)begin, (int32_t)end, measure_batch, job);
}

void pli_elastic_measure(const pli_elastic *elastic, const double *x, double *J, double *von_mises)
{
    measure_job job = {elastic, x, J, von_mises};
    pli_parallel_for(elastic->elements.context, elastic->tet_count, TET_GRAIN, measure_range, &job);
}
