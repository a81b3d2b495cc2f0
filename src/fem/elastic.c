// SPDX-License-Identifier: Apache-2.0
#include "fem/elastic.h"

#include "fem/tet_shape.h"

#include "base/memory.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

#include "fem/elastic_kernel.inl"

enum { TET_GRAIN = 512, CHUNK_SIZE = 512 };

// ---- construction

static pli_status allocate_arrays(pli_elastic *e, const pli_elastic_def *def)
{
    pli_context *context = e->context;
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
        PLI_TRY(
            PLI_MAKE(e->context, group->params, (int64_t)param_count * count, "law parameters"));
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
        PLI_TRY(pli_tet_shape_check(e->context, &shape, e->origin[tet]));
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
    PLI_TRY(PLI_MAKE(e->context, e->rest_gradients, 9 * count, "shape gradients"));
    PLI_TRY(PLI_MAKE(e->context, e->rest_volume, count, "volumes"));
    memcpy(e->rest_gradients, e->gradients, 9 * (size_t)count * sizeof *e->gradients);
    memcpy(e->rest_volume, e->volume, (size_t)count * sizeof *e->volume);
    return PLI_OK;
}

static pli_status build(pli_elastic *e, const pli_elastic_def *def)
{
    PLI_TRY(allocate_arrays(e, def));
    sort_by_law(e, def);
    PLI_TRY(copy_params(e, def));
    PLI_TRY(compute_rest_shape(e, def));
    if (def->yields) PLI_TRY(keep_rest_shape(e));
    e->cliques = (pli_clique_list){.size = 4, .count = e->tet_count, .vertices = e->tets};
    return pli_chunk_coloring_create(e->context, e->vertex_count, &e->cliques, CHUNK_SIZE,
                                     &e->coloring);
}

pli_status pli_elastic_create(pli_context *context, const pli_elastic_def *def,
                              pli_elastic **elastic)
{
    *elastic = NULL;
    pli_elastic *made = PLI_NEW(context, pli_elastic, 1, "elastic term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->vertex_count = def->vertex_count;
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
    pli_context *context = elastic->context;
    pli_release(context, elastic->slots);
    pli_incidence_clear(context, &elastic->incidence);
    pli_chunk_coloring_destroy(elastic->coloring);
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        pli_release(context, elastic->groups[k].params);
    }
    PLI_RELEASE(context, elastic->groups, elastic->rest_volume, elastic->rest_gradients,
                elastic->volume, elastic->gradients, elastic->origin, elastic->tets, elastic);
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

static void call_law(batch *b, pli_projection projection, bool want_energy, bool want_stress,
                     bool want_tangent)
{
    b->law->evaluate(LANES, b->F[0], b->params[0], projection, want_energy ? b->psi : NULL,
                     want_stress ? b->P[0] : NULL, want_tangent ? b->T[0] : NULL);
}

// ---- energy

typedef struct range_job {
    const pli_elastic *elastic;
    const double *x;
} range_job;

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

static pli_sum sum_range_energy(void *user, int64_t begin, int64_t end)
{
    const range_job *job = user;
    pli_sum sum = {0, 0};
    for_each_batch(job->elastic, job->x, (int32_t)begin, (int32_t)end, sum_batch_energy, &sum);
    return sum;
}

static pli_sum elastic_energy(void *self, const double *x)
{
    const pli_elastic *elastic = self;
    range_job job = {elastic, x};
    return pli_parallel_sum(elastic->context, elastic->tet_count, TET_GRAIN, sum_range_energy,
                            &job);
}

// ---- scattering

typedef struct scatter_job {
    const pli_elastic *elastic;
    const double *x;
    batch_fn visit;
    void *user;
} scatter_job;

static void visit_range(void *user, int64_t begin, int64_t end)
{
    const scatter_job *job = user;
    for_each_batch(job->elastic, job->x, (int32_t)begin, (int32_t)end, job->visit, job->user);
}

// Visits every batch so that no two at the same time share a vertex; x may be NULL as above.
static void scatter(const pli_elastic *elastic, const double *x, batch_fn visit, void *user)
{
    scatter_job job = {elastic, x, visit, user};
    pli_chunk_coloring_run(elastic->coloring, visit_range, &job);
}

// ---- gradient

static void add_batch_gradient(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    double *g = user;
    call_law(b, PLI_TANGENT_EXACT, false, true, false);
    add_forces((const int32_t(*)[4])elastic->tets + begin, b, g);
}

static void elastic_add_gradient(void *self, const double *x, double *g)
{
    scatter(self, x, add_batch_gradient, g);
}

// ---- Hessian

typedef struct hessian_target {
    pli_projection projection;
    const double *weights; // [tet_count] or NULL
    const int32_t *slots;  // [tet_count][16]
    double *values;
} hessian_target;

static void add_batch_hessian(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    (void)elastic;
    const hessian_target *target = user;
    if (target->weights != NULL) {
        for (int lane = 0; lane < b->count; ++lane) b->V[lane] *= target->weights[begin + lane];
    }
    call_law(b, target->projection, false, false, true);
    compute_stiffness(b);
    add_stiffness(b, (const int32_t(*)[16])target->slots + begin, target->values);
}

void pli_elastic_add_weighted_hessian(const pli_elastic *elastic, const double *x, bool projected,
                                      const double *weights, const int32_t *slots, pli_bcsr *H)
{
    hessian_target target = {projected ? PLI_TANGENT_PROJECTED : PLI_TANGENT_EXACT, weights, slots,
                             H->values};
    scatter(elastic, x, add_batch_hessian, &target);
}

static void elastic_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const pli_elastic *elastic = self;
    pli_elastic_add_weighted_hessian(elastic, x, projected, NULL, elastic->slots, H);
}

static const pli_clique_list *elastic_get_cliques(void *self)
{
    return &((const pli_elastic *)self)->cliques;
}

static pli_status elastic_bind(void *self, const pli_bcsr *H)
{
    pli_elastic *elastic = self;
    pli_release(elastic->context, elastic->slots);
    elastic->slots = NULL;
    return pli_bcsr_slots(elastic->context, H, &elastic->cliques, &elastic->slots);
}

// ---- scalar matrix

// The shape of the tetrahedron in one lane of a batch.
static pli_tet_shape lane_shape(const batch *b, int lane)
{
    pli_tet_shape shape = {.volume = b->V[lane]};
    for (int k = 0; k < 9; ++k) shape.gradients[k] = b->G[k][lane];
    return shape;
}

// S_ab += V dP_00/dF_00 g_a . g_b, the stiffness at rest against stretching along an axis.
static void add_batch_lifted(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    pli_lifted *S = user;
    call_law(b, PLI_TANGENT_EXACT, false, false, true);
    for (int lane = 0; lane < b->count; ++lane) {
        pli_tet_shape shape = lane_shape(b, lane);
        const int32_t *corners = elastic->tets + 4 * (int64_t)(begin + lane);
        pli_tet_shape_add_lifted(&shape, corners, b->T[0][lane], S);
    }
}

static void elastic_add_lifted(void *self, pli_lifted *S)
{
    scatter(self, NULL, add_batch_lifted, S);
}

// ---- one vertex

static pli_status elastic_bind_vertices(void *self)
{
    pli_elastic *elastic = self;
    pli_incidence_clear(elastic->context, &elastic->incidence);
    return pli_incidence_build(elastic->context, elastic->vertex_count, 4, elastic->tet_count,
                               elastic->tets, &elastic->incidence);
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
    .energy = elastic_energy,
    .add_gradient = elastic_add_gradient,
    .add_hessian = elastic_add_hessian,
    .get_cliques = elastic_get_cliques,
    .bind = elastic_bind,
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
    pli_elastic_sample_fn visit;
    void *user;
} measure_job;

static void gather_lane(double planes[9][LANES], int lane, double out[9])
{
    for (int k = 0; k < 9; ++k) out[k] = planes[k][lane];
}

static void measure_batch(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    const measure_job *job = user;
    for (int lane = 0; lane < b->count; ++lane) {
        double F[9];
        gather_lane(b->F, lane, F);
        job->J[elastic->origin[begin + lane]] = pli_mat3_determinant(F);
    }
}

static void sample_batch(void *user, const pli_elastic *elastic, int32_t begin, batch *b)
{
    const measure_job *job = user;
    call_law(b, PLI_TANGENT_EXACT, true, true, false);
    for (int lane = 0; lane < b->count; ++lane) {
        pli_elastic_sample sample = {
            .tet = elastic->origin[begin + lane], .volume = b->V[lane], .psi = b->psi[lane]};
        gather_lane(b->F, lane, sample.F);
        gather_lane(b->P, lane, sample.P);
        job->visit(job->user, &sample);
    }
}

static void measure_range(void *user, int64_t begin, int64_t end)
{
    measure_job *job = user;
    for_each_batch(job->elastic, job->x, (int32_t)begin, (int32_t)end,
                   job->J != NULL ? measure_batch : sample_batch, job);
}

void pli_elastic_measure(const pli_elastic *elastic, const double *x, double *J)
{
    measure_job job = {.elastic = elastic, .x = x, .J = J};
    pli_parallel_for(elastic->context, elastic->tet_count, TET_GRAIN, measure_range, &job);
}

void pli_elastic_visit(const pli_elastic *elastic, const double *x, pli_elastic_sample_fn visit,
                       void *user)
{
    measure_job job = {.elastic = elastic, .x = x, .visit = visit, .user = user};
    pli_parallel_for(elastic->context, elastic->tet_count, TET_GRAIN, measure_range, &job);
}
