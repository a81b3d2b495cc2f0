// SPDX-License-Identifier: Apache-2.0
#include "contact/ipc.h"

#include "base/memory.h"
#include "contact/ipc_inside.h"
#include "contact/stencil.h"
#include "geometry/mesh/edges.h"

#include <math.h>
#include <string.h>

enum { CONTACT_GRAIN = 32 };

// ---- creation

// Elements of `corners` vertices each.
static pli_status check_vertices(pli_context *context, const pli_ipc_def *def, int32_t count,
                                 int32_t corners, const int32_t *vertices)
{
    for (int64_t k = 0; k < (int64_t)count * corners; ++k) {
        if (vertices[k] >= 0 && vertices[k] < def->vertex_count) continue;
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "%s %lld of contact has the vertex %d; vertices are 0 to %d",
                        corners == 3 ? "triangle" : "tetrahedron", (long long)(k / corners),
                        (int)vertices[k], (int)def->vertex_count - 1);
    }
    return PLI_OK;
}

static pli_status check_def(pli_context *context, const pli_ipc_def *def)
{
    if (!(def->dhat > 0) || !isfinite(def->dhat)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the distance of contact is %g m; it must be positive and finite",
                        def->dhat);
    }
    if (!(def->stiffness >= 0) || !isfinite(def->stiffness)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the stiffness of contact is %g N/m; it must be positive, or 0 to be "
                        "chosen",
                        def->stiffness);
    }
    PLI_TRY(check_vertices(context, def, def->triangle_count, 3, def->triangles));
    return check_vertices(context, def, def->tet_count, 4, def->tets);
}

static void *copy_array(pli_context *context, const void *from, int64_t count, size_t size,
                        const char *what)
{
    void *to = pli_allocate(context, count, size, what);
    if (to != NULL && count > 0) memcpy(to, from, (size_t)count * size);
    return to;
}

static pli_status copy_arrays(pli_ipc *ipc, const pli_ipc_def *def)
{
    pli_context *context = ipc->context;
    int64_t n = def->vertex_count;
    ipc->triangles = copy_array(context, def->triangles, 3 * (int64_t)def->triangle_count,
                                sizeof(int32_t), "contact triangles");
    ipc->tets =
        copy_array(context, def->tets, 4 * (int64_t)def->tet_count, sizeof(int32_t), "tetrahedra");
    ipc->body_of = copy_array(context, def->body_of, n, sizeof(int32_t), "bodies of vertices");
    ipc->rest = copy_array(context, def->rest, 3 * n, sizeof(double), "rest positions");
    ipc->planes = copy_array(context, def->planes, 4 * (int64_t)def->plane_count, sizeof(double),
                             "contact planes");
    bool complete = ipc->triangles != NULL && ipc->tets != NULL && ipc->body_of != NULL &&
                    ipc->rest != NULL && ipc->planes != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status allocate_scratch(pli_ipc *ipc)
{
    pli_context *context = ipc->context;
    int64_t n = ipc->vertex_count;
    ipc->start_of_way = PLI_NEW(context, double, 3 * (int64_t)ipc->point_count, "contact ways");
    ipc->way = PLI_NEW(context, double, 3 * (int64_t)ipc->point_count, "contact ways");
    ipc->far = PLI_NEW(context, double, 3 * n, "contact positions");
    ipc->x = PLI_NEW(context, double, 3 * n, "contact positions");
    ipc->blocks = PLI_NEW(context, double, (int64_t)PLI_IPC_CHUNK *PLI_CONTACT_DOFS, "gradients");
    bool complete = ipc->start_of_way != NULL && ipc->way != NULL && ipc->far != NULL &&
                    ipc->x != NULL && ipc->blocks != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status create_broad_phase(pli_ipc *ipc, const bool *is_fixed)
{
    pli_broad_phase_def def = {.vertex_count = ipc->vertex_count,
                               .point_count = ipc->point_count,
                               .edge_count = ipc->edge_count,
                               .triangle_count = ipc->triangle_count,
                               .points = ipc->points,
                               .edges = ipc->edges,
                               .triangles = ipc->triangles,
                               .groups = ipc->body_of,
                               .is_fixed = is_fixed,
                               .collides = ipc->rules.collides,
                               .user = ipc->rules.user};
    return pli_broad_phase_create(ipc->context, &def, &ipc->broad);
}

static pli_status build(pli_ipc *ipc, const pli_ipc_def *def)
{
    PLI_TRY(copy_arrays(ipc, def));
    PLI_TRY(pli_edges_build(ipc->context, ipc->triangle_count, ipc->triangles, &ipc->edge_count,
                            &ipc->edges));
    PLI_TRY(pli_used_vertices_build(ipc->context, ipc->vertex_count,
                                    3 * (int64_t)ipc->triangle_count, ipc->triangles,
                                    &ipc->point_count, &ipc->points));
    PLI_TRY(allocate_scratch(ipc));
    return create_broad_phase(ipc, def->is_fixed);
}

pli_status pli_ipc_create(pli_context *context, const pli_ipc_def *def, pli_ipc **ipc)
{
    *ipc = NULL;
    PLI_TRY(check_def(context, def));
    pli_ipc *made = PLI_NEW(context, pli_ipc, 1, "contact");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_ipc){.context = context,
                      .timers = def->timers,
                      .rules = def->rules,
                      .vertex_count = def->vertex_count,
                      .body_count = def->body_count,
                      .plane_count = def->plane_count,
                      .triangle_count = def->triangle_count,
                      .tet_count = def->tet_count,
                      .law = def->law,
                      .adaptive = !(def->stiffness > 0),
                      .previous_gap = INFINITY,
                      .barrier = {def->dhat, def->stiffness}};
    pli_stencils_init(context, &made->stencils);
    if (made->adaptive) made->barrier.stiffness = pli_stiffness_min(&made->law);
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_ipc_destroy(made);
        return status;
    }
    *ipc = made;
    return PLI_OK;
}

void pli_ipc_destroy(pli_ipc *ipc)
{
    if (ipc == NULL) return;
    pli_context *context = ipc->context;
    pli_broad_phase_destroy(ipc->broad);
    pli_stencils_clear(&ipc->stencils);
    PLI_RELEASE(context, ipc->hessians, ipc->coupled, ipc->blocks, ipc->pair_list, ipc->tangentials,
                ipc->contacts, ipc->distance, ipc->x, ipc->far, ipc->way, ipc->start_of_way,
                ipc->planes, ipc->rest, ipc->body_of, ipc->tets, ipc->edges, ipc->points,
                ipc->triangles, ipc);
}

pli_status pli_ipc_find(pli_ipc *ipc, const double *x, int64_t *count,
                        const pli_ipc_contact **contacts)
{
    pli_ipc_detect(ipc, x);
    *count = ipc->contact_count;
    *contacts = ipc->contacts;
    return pli_ipc_tell(ipc);
}

// ---- stencils, of the barrier and of friction alike

typedef enum stencil_source { BARRIER, FRICTION } stencil_source;

static int64_t stencil_count(const pli_ipc *ipc, stencil_source source)
{
    return source == BARRIER ? ipc->contact_count : ipc->tangential_count;
}

// The vertices of a stencil; returns how many.
static int32_t stencil_vertices(const pli_ipc *ipc, stencil_source source, int64_t index,
                                const int32_t **vertices)
{
    if (source == BARRIER) {
        *vertices = ipc->contacts[index].stencil.vertices;
        return pli_contact_point_count(ipc->contacts[index].stencil.kind);
    }
    *vertices = ipc->tangentials[index].vertices;
    return ipc->tangentials[index].friction.point_count;
}

static void gather(int32_t count, const int32_t *vertices, const double *from, double *x)
{
    for (int32_t i = 0; i < count; ++i) {
        pli_vec3_copy(from + 3 * (int64_t)vertices[i], x + 3 * i);
    }
}

// Energy of a stencil at the positions of the last search, and derivatives where not NULL.
static double evaluate_stencil(const pli_ipc *ipc, stencil_source source, int64_t index,
                               bool projected, double *gradient, double *hessian)
{
    const int32_t *vertices;
    double x[PLI_CONTACT_DOFS], start[PLI_CONTACT_DOFS];
    int32_t count = stencil_vertices(ipc, source, index, &vertices);
    gather(count, vertices, ipc->x, x);
    if (source == BARRIER) {
        return pli_contact_evaluate(&ipc->contacts[index].stencil, &ipc->barrier, x, projected,
                                    gradient, hessian);
    }
    gather(count, vertices, ipc->start, start);
    return pli_friction_evaluate(&ipc->tangentials[index].friction, ipc->friction_slip, x, start,
                                 gradient, hessian);
}

// ---- energy

typedef struct stencil_job {
    const pli_ipc *ipc;
    stencil_source source;
    int64_t first; // stencil that block 0 belongs to
    bool projected;
    double *blocks; // gradients or Hessians
} stencil_job;

static pli_sum sum_energies(void *user, int64_t begin, int64_t end)
{
    const stencil_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        pli_sum energy = {evaluate_stencil(job->ipc, job->source, k, false, NULL, NULL), 0};
        pli_sum_merge(&sum, energy);
    }
    return sum;
}

pli_sum pli_ipc_energy_of(pli_ipc *ipc, bool friction)
{
    stencil_job job = {.ipc = ipc, .source = friction ? FRICTION : BARRIER};
    return pli_parallel_sum(ipc->context, stencil_count(ipc, job.source), CONTACT_GRAIN,
                            sum_energies, &job);
}

static pli_sum ipc_energy(void *self, const double *x)
{
    pli_ipc *ipc = self;
    pli_ipc_detect(ipc, x);
    if (pli_ipc_has_failed(ipc)) return (pli_sum){INFINITY, 0};
    pli_ipc_begin(ipc, "contact");
    pli_sum sum = pli_ipc_energy_of(ipc, false);
    pli_sum_merge(&sum, pli_ipc_energy_of(ipc, true));
    pli_ipc_end(ipc);
    return sum;
}

// ---- derivatives: computed in parallel, chunk by chunk, and added in order

static void compute_gradients(void *user, int64_t begin, int64_t end)
{
    const stencil_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        evaluate_stencil(job->ipc, job->source, job->first + k, false,
                         job->blocks + PLI_CONTACT_DOFS * k, NULL);
    }
}

// Computes the next chunk of stencils; returns how many.
static int64_t compute_chunk(stencil_job *job, pli_range_fn compute)
{
    int64_t count = stencil_count(job->ipc, job->source) - job->first;
    if (count > PLI_IPC_CHUNK) count = PLI_IPC_CHUNK;
    pli_parallel_for(job->ipc->context, count, CONTACT_GRAIN, compute, job);
    return count;
}

static void scatter_gradient(const stencil_job *job, int64_t k, double scale, double *g)
{
    const int32_t *vertices;
    int32_t count = stencil_vertices(job->ipc, job->source, job->first + k, &vertices);
    const double *block = job->blocks + PLI_CONTACT_DOFS * k;
    for (int32_t i = 0; i < count; ++i) {
        double *g_i = g + 3 * (int64_t)vertices[i];
        pli_vec3_add_scaled(g_i, scale, block + 3 * i, g_i);
    }
}

void pli_ipc_add_gradient_of(pli_ipc *ipc, bool friction, double scale, double *g)
{
    stencil_job job = {.ipc = ipc, .source = friction ? FRICTION : BARRIER, .blocks = ipc->blocks};
    while (job.first < stencil_count(ipc, job.source)) {
        int64_t count = compute_chunk(&job, compute_gradients);
        for (int64_t k = 0; k < count; ++k) scatter_gradient(&job, k, scale, g);
        job.first += count;
    }
}

static void ipc_add_gradient(void *self, const double *x, double *g)
{
    pli_ipc *ipc = self;
    pli_ipc_detect(ipc, x);
    pli_ipc_begin(ipc, "contact");
    pli_ipc_add_gradient_of(ipc, false, 1, g);
    pli_ipc_add_gradient_of(ipc, true, 1, g);
    pli_ipc_end(ipc);
}

// Moves a matrix [3n][3n] of n points to the corner of a [12][12] one, in place.
static void widen(int32_t points, double *hessian)
{
    int32_t n = 3 * points;
    for (int32_t row = n - 1; row > 0 && points < PLI_CONTACT_POINTS; --row) {
        memmove(hessian + PLI_CONTACT_DOFS * row, hessian + n * row, (size_t)n * sizeof *hessian);
    }
}

// Hessians of all stencils, contacts first.
static void compute_hessians(void *user, int64_t begin, int64_t end)
{
    const stencil_job *job = user;
    const pli_ipc *ipc = job->ipc;
    for (int64_t k = begin; k < end; ++k) {
        bool barrier = k < ipc->contact_count;
        stencil_source source = barrier ? BARRIER : FRICTION;
        int64_t index = barrier ? k : k - ipc->contact_count;
        double *hessian = job->blocks + PLI_IPC_HESSIAN * k;
        const int32_t *vertices;
        evaluate_stencil(ipc, source, index, job->projected, NULL, hessian);
        widen(stencil_vertices(ipc, source, index, &vertices), hessian);
    }
}

static void ipc_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    pli_ipc *ipc = self;
    pli_ipc_detect(ipc, x);
    int64_t count = ipc->contact_count + ipc->tangential_count;
    PLI_ASSERT(ipc->context, count == ipc->stencils.count); // prepare has been called at this x
    pli_ipc_begin(ipc, "contact");
    stencil_job job = {.ipc = ipc, .projected = projected, .blocks = ipc->hessians};
    pli_parallel_for(ipc->context, count, CONTACT_GRAIN, compute_hessians, &job);
    bool added = pli_stencils_add(&ipc->stencils, ipc->hessians, H);
    PLI_ASSERT(ipc->context, added);
    (void)added;
    pli_ipc_end(ipc);
}

// ---- places of the Hessian

// The vertices of a contact that its Hessian couples; -1 for others.
static void list_coupled(const pli_ipc *ipc, int64_t contact, int32_t vertices[PLI_CONTACT_POINTS])
{
    const pli_contact_stencil *stencil = &ipc->contacts[contact].stencil;
    double x[PLI_CONTACT_DOFS], m;
    pli_distance distance;
    pli_contact_gather(stencil, ipc->x, x);
    (void)pli_contact_separate(stencil, x, &distance);
    bool all = pli_contact_mollify(stencil, x, &m, NULL, NULL);
    for (int32_t i = 0; i < PLI_CONTACT_POINTS; ++i) {
        bool coupled = i < distance.point_count && (all || distance.weights[i] != 0);
        vertices[i] = coupled ? stencil->vertices[i] : -1;
    }
}

static void list_stencils(void *user, int64_t begin, int64_t end)
{
    pli_ipc *ipc = user;
    for (int64_t k = begin; k < end; ++k) {
        int32_t *vertices = ipc->coupled + PLI_CONTACT_POINTS * k;
        if (k < ipc->contact_count) {
            list_coupled(ipc, k, vertices);
            continue;
        }
        const pli_ipc_tangential *tangential = &ipc->tangentials[k - ipc->contact_count];
        for (int32_t i = 0; i < PLI_CONTACT_POINTS; ++i) {
            bool coupled =
                i < tangential->friction.point_count && tangential->friction.weights[i] != 0;
            vertices[i] = coupled ? tangential->vertices[i] : -1;
        }
    }
}

static pli_status reserve_stencils(pli_ipc *ipc, int64_t count)
{
    if (count <= ipc->stencil_room) return PLI_OK;
    int64_t wanted = count + count / 2;
    PLI_RELEASE(ipc->context, ipc->coupled, ipc->hessians);
    ipc->hessians = NULL;
    ipc->stencil_room = 0;
    PLI_TRY(PLI_MAKE(ipc->context, ipc->coupled, PLI_CONTACT_POINTS * wanted, "stencils"));
    PLI_TRY(PLI_MAKE(ipc->context, ipc->hessians, PLI_IPC_HESSIAN * wanted, "contact Hessians"));
    ipc->stencil_room = wanted;
    return PLI_OK;
}

static pli_status place_stencils(pli_ipc *ipc, pli_bcsr *H)
{
    int64_t count = ipc->contact_count + ipc->tangential_count;
    PLI_TRY(reserve_stencils(ipc, count));
    pli_parallel_for(ipc->context, count, CONTACT_GRAIN, list_stencils, ipc);
    return pli_stencils_build(&ipc->stencils, H, count, ipc->coupled);
}

// ---- stiffness

double pli_ipc_stiffness(const pli_ipc *ipc)
{
    return ipc->barrier.stiffness;
}

void pli_ipc_set_stiffness(pli_ipc *ipc, double stiffness)
{
    ipc->barrier.stiffness = stiffness;
    ipc->previous_gap = INFINITY;
}

// Mean of -b' over the contacts, each weighted by its own: what one that carries load has (m).
static double mean_push(const pli_ipc *ipc)
{
    pli_sum sum = {0, 0}, squares = {0, 0};
    for (int64_t c = 0; c < ipc->contact_count; ++c) {
        double first;
        (void)pli_barrier(ipc->contacts[c].distance, ipc->barrier.dhat, &first, NULL);
        if (!isfinite(first)) continue;
        pli_sum_add(&sum, -first);
        pli_sum_add(&squares, first * first);
    }
    return sum.hi > 0 ? pli_sum_value(squares) / pli_sum_value(sum) : 0;
}

pli_status pli_ipc_choose_stiffness(pli_ipc *ipc, const double *x, const double *energy_gradient,
                                    double *scratch, double *stiffness)
{
    if (!ipc->adaptive) {
        *stiffness = ipc->barrier.stiffness;
        return PLI_OK;
    }
    pli_ipc_detect(ipc, x);
    PLI_TRY(pli_ipc_tell(ipc));
    int64_t count = 3 * (int64_t)ipc->vertex_count;
    memset(scratch, 0, (size_t)count * sizeof *scratch);
    double k = ipc->barrier.stiffness;
    ipc->barrier.stiffness = 1;
    pli_ipc_add_gradient_of(ipc, false, 1, scratch);
    ipc->barrier.stiffness = k;
    double balanced =
        pli_stiffness_balance(ipc->context, &ipc->law, count, energy_gradient, scratch);
    *stiffness = pli_stiffness_settle(&ipc->law, *stiffness, balanced, mean_push(ipc));
    return PLI_OK;
}

static double smallest_gap(const pli_ipc *ipc)
{
    double gap = INFINITY;
    for (int64_t c = 0; c < ipc->contact_count; ++c) {
        gap = fmin(gap, ipc->contacts[c].distance);
    }
    return gap;
}

// Raises the stiffness when the smallest gap is tiny and still shrinks; true when it has.
static bool grow_stiffness(pli_ipc *ipc)
{
    double gap = smallest_gap(ipc);
    double stiffness = ipc->barrier.stiffness;
    if (ipc->adaptive) {
        ipc->barrier.stiffness =
            pli_stiffness_grow(&ipc->law, stiffness, 1, &ipc->previous_gap, &gap);
    }
    ipc->previous_gap = gap;
    return ipc->barrier.stiffness != stiffness;
}

static pli_status ipc_prepare(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    pli_ipc *ipc = self;
    pli_ipc_detect(ipc, x);
    PLI_TRY(pli_ipc_tell(ipc));
    if (grow_stiffness(ipc)) *changed = true;
    pli_ipc_begin(ipc, "contact");
    pli_status status = place_stencils(ipc, H);
    pli_ipc_end(ipc);
    return status;
}

pli_status pli_ipc_check(pli_ipc *ipc)
{
    pli_status told = ipc->failure;
    ipc->failure = PLI_OK;
    return told;
}

static double ipc_max_step(void *self, const double *x, const double *d)
{
    return pli_ipc_max_step(self, x, d);
}

const pli_term_ops pli_ipc_term = {
    .name = "contact",
    .energy = ipc_energy,
    .add_gradient = ipc_add_gradient,
    .add_hessian = ipc_add_hessian,
    .max_step = ipc_max_step,
    .prepare = ipc_prepare,
    .deferred = true,
};
