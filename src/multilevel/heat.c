// SPDX-License-Identifier: Apache-2.0
#include "multilevel/heat.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/mesh/union_find.h"
#include "math/vec3.h"

enum { GRAIN = 512 }; // vertices or elements that are worth a block of a parallel loop

// A gradient of heat this small, over the heat of the element and its size, is mere rounding.
static const double BLUNT = 1e-12;
// Heat below it has lost digits to underflow.
static const double COLD = 1e-290;

// ---- creation

pli_status pli_heat_check(pli_context *context, const pli_heat_def *def)
{
    if (def->mesh.element_count < 1) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the mesh has no elements; there must be at least one");
    }
    for (int32_t k = 0; def->stiffness != NULL && k < def->mesh.element_count; ++k) {
        if (def->stiffness[k] > 0 && isfinite(def->stiffness[k])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the stiffness of element %d is %g Pa; it must be positive and finite",
                        (int)k, def->stiffness[k]);
    }
    return PLI_OK;
}

// e = E / E_soft
static void compute_ratios(pli_heat *h, const double *stiffness)
{
    int32_t count = h->mesh.element_count;
    double softest = INFINITY;
    for (int32_t k = 0; stiffness != NULL && k < count; ++k) softest = fmin(softest, stiffness[k]);
    for (int32_t k = 0; k < count; ++k)
        h->ratio[k] = stiffness == NULL ? 1 : stiffness[k] / softest;
}

static const int32_t *corners_of(const pli_heat *h, int64_t element)
{
    return h->mesh.elements + h->mesh.corner_count * element;
}

// The largest e of the elements around an edge: a path beside it would go through the stiffest.
static void raise_entries(const pli_heat *h, int32_t vertex, int32_t element, double *largest)
{
    const int32_t *corners = corners_of(h, element);
    const pli_laplacian *l = h->laplacian;
    for (int c = 0; c < h->mesh.corner_count; ++c) {
        int64_t slot = l->row_start[vertex];
        while (l->column[slot] != corners[c]) ++slot;
        largest[slot] = fmax(largest[slot], h->ratio[element]);
    }
}

typedef struct length_job {
    pli_heat *heat;
    double *largest; // [entry_count]  e
} length_job;

static void measure_edges(void *user, int64_t begin, int64_t end)
{
    const length_job *job = user;
    pli_heat *h = job->heat;
    const pli_laplacian *l = h->laplacian;
    for (int64_t v = begin; v < end; ++v) {
        for (int64_t k = h->incidence.start[v]; k < h->incidence.start[v + 1]; ++k) {
            raise_entries(h, (int32_t)v, h->incidence.elements[k], job->largest);
        }
        for (int64_t slot = l->row_start[v]; slot < l->row_start[v + 1]; ++slot) {
            double length = pli_vec3_distance(h->mesh.points + 3 * v,
                                              h->mesh.points + 3 * (int64_t)l->column[slot]);
            h->lengths[slot] = (float)(length > 0 ? length / sqrt(job->largest[slot]) : 0);
        }
    }
}

static pli_status compute_lengths(pli_heat *h)
{
    const pli_laplacian *l = h->laplacian;
    double *largest = PLI_NEW(h->context, double, l->entry_count, "edges");
    if (largest == NULL) return PLI_ERROR_MEMORY;
    length_job job = {h, largest};
    pli_parallel_for(h->context, l->vertex_count, GRAIN, measure_edges, &job);
    pli_release(h->context, largest);
    return PLI_OK;
}

// Numbers the connected components; queue.place serves as scratch and is left empty.
static void find_components(pli_heat *h)
{
    int32_t *parent = h->queue.place;
    int32_t n = h->mesh.vertex_count;
    for (int32_t v = 0; v < n; ++v) parent[v] = v;
    for (int64_t element = 0; element < h->mesh.element_count; ++element) {
        const int32_t *corners = corners_of(h, element);
        for (int c = 1; c < h->mesh.corner_count; ++c) {
            pli_union_join(parent, corners[0], corners[c]);
        }
    }
    // roots are the lowest of their components, so they are numbered before they are asked for
    for (int32_t v = 0; v < n; ++v) {
        int32_t root = pli_union_root(parent, v);
        h->component[v] = root == v ? h->component_count++ : h->component[root];
    }
    for (int32_t v = 0; v < n; ++v) parent[v] = -1;
}

// Sums over the edges of a component.
typedef struct edge_sums {
    double softest; // smallest e of its elements
    double metric;  // lengths in the metric
    double plain;   // lengths
    double count;
} edge_sums;

static void sum_edges(const pli_heat *h, edge_sums *sums)
{
    const pli_laplacian *l = h->laplacian;
    for (int32_t k = 0; k < h->component_count; ++k) sums[k].softest = INFINITY;
    for (int64_t element = 0; element < h->mesh.element_count; ++element) {
        edge_sums *sum = &sums[h->component[corners_of(h, element)[0]]];
        sum->softest = fmin(sum->softest, h->ratio[element]);
    }
    for (int64_t v = 0; v < l->vertex_count; ++v) {
        edge_sums *sum = &sums[h->component[v]];
        for (int64_t slot = l->row_start[v]; slot < l->row_start[v + 1]; ++slot) {
            sum->metric += (double)h->lengths[slot];
            sum->plain += pli_vec3_distance(h->mesh.points + 3 * v,
                                            h->mesh.points + 3 * (int64_t)l->column[slot]);
        }
        sum->count += (double)(l->row_start[v + 1] - l->row_start[v] - 1);
    }
}

static pli_status compute_times(pli_heat *h)
{
    edge_sums *sums = PLI_NEW(h->context, edge_sums, h->component_count, "components");
    if (sums == NULL) return PLI_ERROR_MEMORY;
    sum_edges(h, sums);
    for (int32_t k = 0; k < h->component_count; ++k) {
        double reach = fmax(sums[k].metric, sums[k].plain / sqrt(sums[k].softest) / 3);
        reach /= sums[k].count;
        // a vertex without elements has no edges, and its time does not matter
        h->time[k] = sums[k].count > 0 ? reach * reach : 0;
    }
    pli_release(h->context, sums);
    return PLI_OK;
}

static pli_status factor_matrix(pli_heat *h, const pli_lifted *matrix, pli_cholesky **cholesky)
{
    pli_cholesky_def def = {.isotropic = true};
    bool positive = false;
    PLI_TRY(pli_cholesky_create_lifted(h->context, &def, matrix, cholesky));
    PLI_TRY(pli_cholesky_factor_lifted(*cholesky, matrix, 0, &positive));
    if (!positive) {
        return PLI_FAIL(h->context, PLI_ERROR_NUMERIC,
                        "the flow of heat is not positive definite to working precision; a mesh of "
                        "better shaped elements or less contrast of stiffness would do");
    }
    // the first substitution takes the memory that later ones use again
    return pli_cholesky_solve(*cholesky, 1, h->x, h->x);
}

// M + t L_e, or L_e alone; vertices without elements get ones on the diagonal. The Laplacian has
// the pattern of the elements' cliques, too.
static void fill_matrix(const pli_heat *h, bool has_mass, pli_lifted *matrix)
{
    const pli_laplacian *l = h->laplacian;
    pli_lifted_set_zero(matrix);
    for (int32_t v = 0; v < l->vertex_count; ++v) {
        double factor = has_mass ? h->time[h->component[v]] : 1;
        for (int64_t k = l->row_start[v]; k < l->row_start[v + 1]; ++k) {
            pli_lifted_add(matrix, k, factor * l->values[k]);
        }
        if (has_mass) pli_lifted_add(matrix, matrix->diagonal[v], l->mass[v]);
        if (l->mass[v] == 0) pli_lifted_add(matrix, matrix->diagonal[v], 1);
    }
}

// The first vertex of each component is held: without it the distance has no fixed level.
static void mark_held(const pli_heat *h, uint8_t *mask)
{
    int32_t next = 0;
    for (int32_t v = 0; v < h->mesh.vertex_count; ++v) {
        mask[v] = h->component[v] == next ? 7 : 0;
        next += mask[v] != 0;
    }
}

static pli_status factor_both(pli_heat *h)
{
    pli_status status = PLI_ERROR_MEMORY;
    pli_lifted *matrix = NULL;
    pli_clique_list list = {h->mesh.corner_count, h->mesh.element_count, h->mesh.elements};
    uint8_t *mask = PLI_NEW(h->context, uint8_t, h->mesh.vertex_count, "held vertices");
    if (mask == NULL) goto done;
    status = pli_lifted_create(h->context, h->mesh.vertex_count, 1, &list, &matrix);
    if (status != PLI_OK) goto done;

    fill_matrix(h, true, matrix);
    pli_lifted_close(matrix, NULL);
    for (int32_t v = 0; v < h->mesh.vertex_count; ++v) {
        h->warmth[v] = matrix->values[matrix->diagonal[v]];
    }
    status = factor_matrix(h, matrix, &h->diffusion);
    if (status != PLI_OK) goto done;

    fill_matrix(h, false, matrix);
    mark_held(h, mask);
    pli_lifted_close(matrix, mask);
    status = factor_matrix(h, matrix, &h->poisson);

done:
    pli_lifted_destroy(matrix);
    pli_release(h->context, mask);
    return status;
}

static pli_status allocate_arrays(pli_heat *h)
{
    pli_context *context = h->context;
    int64_t n = h->mesh.vertex_count;
    h->lengths = PLI_NEW(context, float, h->laplacian->entry_count, "edges");
    h->warmth = PLI_NEW(context, double, n, "heat");
    h->component = PLI_NEW(context, int32_t, n, "components");
    h->x = PLI_NEW(context, double, 3 * n, "heat");
    h->flux =
        PLI_NEW(context, double, (int64_t)h->mesh.corner_count * h->mesh.element_count, "heat");
    h->path = PLI_NEW(context, double, n, "shortest paths");
    h->queue.entries = PLI_NEW(context, pli_queue_entry, n, "shortest paths");
    h->queue.place = PLI_NEW(context, int32_t, n, "shortest paths");
    bool is_complete = h->lengths != NULL && h->warmth != NULL && h->component != NULL &&
                       h->x != NULL && h->flux != NULL && h->path != NULL &&
                       h->queue.entries != NULL && h->queue.place != NULL;
    return is_complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status heat_init(pli_heat *h, const pli_heat_def *def)
{
    h->mesh = def->mesh;
    h->ratio = PLI_NEW(h->context, double, h->mesh.element_count, "stiffness");
    if (h->ratio == NULL) return PLI_ERROR_MEMORY;
    compute_ratios(h, def->stiffness);
    PLI_TRY(pli_laplacian_create(h->context, &h->mesh, h->ratio, &h->laplacian));
    PLI_TRY(pli_incidence_build(h->context, h->mesh.vertex_count, h->mesh.corner_count,
                                h->mesh.element_count, h->mesh.elements, &h->incidence));
    PLI_TRY(allocate_arrays(h));
    PLI_TRY(compute_lengths(h));
    find_components(h);
    h->time = PLI_NEW(h->context, double, h->component_count, "components");
    h->shift = PLI_NEW(h->context, double, h->component_count, "components");
    h->sources_in = PLI_NEW(h->context, int32_t, h->component_count, "components");
    if (h->time == NULL || h->shift == NULL || h->sources_in == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(compute_times(h));
    return factor_both(h);
}

pli_status pli_heat_create(pli_context *context, const pli_heat_def *def, pli_heat **heat)
{
    *heat = NULL;
    PLI_TRY(pli_heat_check(context, def));
    pli_heat *h = PLI_NEW(context, pli_heat, 1, "heat");
    if (h == NULL) return PLI_ERROR_MEMORY;
    h->context = context;
    pli_status status = heat_init(h, def);
    if (status != PLI_OK) {
        pli_heat_destroy(h);
        return status;
    }
    *heat = h;
    return PLI_OK;
}

void pli_heat_destroy(pli_heat *heat)
{
    if (heat == NULL) return;
    pli_context *context = heat->context;
    pli_release(context, heat->ratio);
    pli_incidence_clear(context, &heat->incidence);
    pli_laplacian_destroy(heat->laplacian);
    PLI_RELEASE(context, heat->lengths, heat->warmth, heat->component);
    pli_cholesky_destroy(heat->diffusion);
    pli_cholesky_destroy(heat->poisson);
    PLI_RELEASE(context, heat->x, heat->flux, heat->path, heat->queue.entries, heat->queue.place,
                heat->time, heat->shift, heat->sources_in, heat);
}

// ---- distances

// Shortest paths along edges from all sources at once.
static void compute_paths(pli_heat *h, int32_t source_count, const int32_t *sources)
{
    const pli_laplacian *l = h->laplacian;
    for (int32_t v = 0; v < l->vertex_count; ++v) h->path[v] = INFINITY;
    for (int32_t k = 0; k < source_count; ++k) {
        h->path[sources[k]] = 0;
        pli_queue_push(&h->queue, sources[k], 0);
    }
    while (h->queue.count > 0) {
        pli_queue_entry from = pli_queue_pop(&h->queue);
        for (int64_t k = l->row_start[from.node]; k < l->row_start[from.node + 1]; ++k) {
            double length = from.distance + (double)h->lengths[k];
            if (!(length < h->path[l->column[k]])) continue;
            h->path[l->column[k]] = length;
            pli_queue_push(&h->queue, l->column[k], length);
        }
    }
}

static pli_status diffuse(pli_heat *h, int32_t source_count, const int32_t *sources)
{
    int64_t n = h->mesh.vertex_count;
    for (int64_t k = 0; k < 3 * n; ++k) h->x[k] = 0;
    for (int32_t k = 0; k < source_count; ++k)
        h->x[3 * (int64_t)sources[k]] = h->warmth[sources[k]];
    return pli_cholesky_solve(h->diffusion, 1, h->x, h->x);
}

// The gradient of a linear function, of unit length; zero when it cannot be told from rounding.
// stride is that of values.
static void unit_gradient(const pli_heat *h, int64_t element, double gradients[4][3],
                          const double *values, int64_t stride, double X[3])
{
    const int32_t *corners = corners_of(h, element);
    double scale = 0;
    double bound = 0;
    pli_vec3_set(0, 0, 0, X);
    for (int c = 0; c < h->mesh.corner_count; ++c) {
        double value = values[stride * corners[c]];
        scale = fmax(scale, fabs(value));
        bound += fabs(value) * pli_vec3_norm(gradients[c]);
    }
    if (!(scale > COLD) || !isfinite(scale)) return;
    for (int c = 0; c < h->mesh.corner_count; ++c) {
        pli_vec3_add_scaled(X, values[stride * corners[c]] / scale, gradients[c], X);
    }
    double norm = pli_vec3_norm(X);
    pli_vec3_scale(norm > BLUNT * bound / scale ? 1 / norm : 0, X, X);
}

// |T| sqrt(e) X . grad phi for the corners of elements, X the direction away from the sources.
static void compute_fluxes(void *user, int64_t begin, int64_t end)
{
    pli_heat *h = user;
    int32_t size = h->mesh.corner_count;
    for (int64_t element = begin; element < end; ++element) {
        double gradients[4][3];
        double X[3];
        double measure = pli_simplex_gradients(&h->mesh, (int32_t)element, gradients);
        unit_gradient(h, element, gradients, h->x, 3, X);
        pli_vec3_scale(-1, X, X);
        if (pli_vec3_norm2(X) == 0) unit_gradient(h, element, gradients, h->path, 1, X);
        double scale = measure * sqrt(h->ratio[element]);
        for (int c = 0; c < size; ++c) {
            h->flux[size * element + c] = scale * pli_vec3_dot(X, gradients[c]);
        }
    }
}

// The right-hand side of the distance; zero at the held vertices, which is any level.
static void gather_divergence(void *user, int64_t begin, int64_t end)
{
    pli_heat *h = user;
    int32_t size = h->mesh.corner_count;
    for (int64_t v = begin; v < end; ++v) {
        double sum = 0;
        for (int64_t k = h->incidence.start[v]; k < h->incidence.start[v + 1]; ++k) {
            int64_t element = h->incidence.elements[k];
            const int32_t *corners = corners_of(h, element);
            int own = 0;
            while (corners[own] != v) ++own;
            sum += h->flux[size * element + own];
        }
        pli_vec3_set(sum, 0, 0, h->x + 3 * v);
    }
}

static void hold_first_vertices(pli_heat *h)
{
    int32_t next = 0;
    for (int64_t v = 0; v < h->mesh.vertex_count; ++v) {
        if (h->component[v] != next) continue;
        h->x[3 * v] = 0;
        ++next;
    }
}

// The mean of the solution over the sources of each component.
static void compute_shifts(pli_heat *h, int32_t source_count, const int32_t *sources)
{
    for (int32_t k = 0; k < h->component_count; ++k) {
        h->shift[k] = 0;
        h->sources_in[k] = 0;
    }
    for (int32_t k = 0; k < source_count; ++k) {
        int32_t component = h->component[sources[k]];
        h->shift[component] += h->x[3 * (int64_t)sources[k]];
        ++h->sources_in[component];
    }
    for (int32_t k = 0; k < h->component_count; ++k) {
        if (h->sources_in[k] > 0) h->shift[k] /= h->sources_in[k];
    }
}

pli_status pli_heat_compute(pli_heat *heat, int32_t source_count, const int32_t *sources,
                            double *distance)
{
    int32_t n = heat->mesh.vertex_count;
    for (int32_t k = 0; k < source_count; ++k) {
        if (sources[k] >= 0 && sources[k] < n) continue;
        return PLI_FAIL(heat->context, PLI_ERROR_ARGUMENT,
                        "source %d of heat is vertex %d; vertices are 0 to %d", (int)k,
                        (int)sources[k], (int)n - 1);
    }
    // directions
    compute_paths(heat, source_count, sources);
    PLI_TRY(diffuse(heat, source_count, sources));
    pli_parallel_for(heat->context, heat->mesh.element_count, GRAIN, compute_fluxes, heat);

    // distances that fit them
    pli_parallel_for(heat->context, n, GRAIN, gather_divergence, heat);
    hold_first_vertices(heat);
    PLI_TRY(pli_cholesky_solve(heat->poisson, 1, heat->x, heat->x));

    // their level, between zero and the paths along edges
    compute_shifts(heat, source_count, sources);
    for (int32_t v = 0; v < n; ++v) {
        double d = heat->x[3 * (int64_t)v] - heat->shift[heat->component[v]];
        double path = heat->path[v];
        distance[v] = isfinite(path) ? fmin(fmax(d, 0), path) : path;
    }
    return PLI_OK;
}
