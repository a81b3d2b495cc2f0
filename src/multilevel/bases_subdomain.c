// SPDX-License-Identifier: Apache-2.0
//
// One function of the material-aware kind, on the mesh of its subdomain alone.
#include "multilevel/bases_inside.h"

#include "multilevel/bilaplacian.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// How far stiffness counts, over the softest of the subdomain: beyond the first of these numbers a
// stiff part is constant anyway; the others serve when rounding spoils the solution.
static const double contrasts[] = {1e8, 1e4, 1};

// What rounding may make of the solution 1 of constraints that are all 1.
static const double accuracy = 1e-6;

typedef struct subdomain {
    const pli_bases_build *build;
    pli_context *context;
    int32_t handle; // -1: the function of the fixed vertices
    uint8_t *has;   // [handle_count]  1: the cluster is part of it

    // its mesh
    int32_t element_count;
    int32_t *elements; // [element_count]  of the whole mesh
    int32_t *corners;  // [element_count][corner_count]
    int32_t vertex_count;
    int32_t *vertices; // [vertex_count]  of the whole mesh, increasing
    double *points;    // [vertex_count][3] (m)

    // its equation
    double *weights; // [element_count]  stiffness over the softest, limited
    pli_laplacian *laplacian;
    double *mass;     // [vertex_count]  lumped with the same weights
    uint8_t *is_free; // [vertex_count]
    double *u;        // [vertex_count][3]  the function, that of constraints all 1, nothing
    double *scratch;  // [vertex_count][3]
    double *residual; // [vertex_count][3]
} subdomain;

// ---- clusters

// Whether an element has all corners of a face: those of another but one.
static bool has_face(const pli_simplices *mesh, int32_t element, const int32_t *corners,
                     int left_out)
{
    const int32_t *own = mesh->elements + (int64_t)mesh->corner_count * element;
    for (int k = 0; k < mesh->corner_count; ++k) {
        bool found = k == left_out;
        for (int c = 0; c < mesh->corner_count && !found; ++c) found = own[c] == corners[k];
        if (!found) return false;
    }
    return true;
}

// Marks the clusters on the other side of a face of an element.
static void mark_across(subdomain *s, int32_t element, int left_out)
{
    const pli_bases_def *def = s->build->def;
    const int32_t *parts = def->partition->element_part;
    const pli_incidence *around = &s->build->around;
    const int32_t *corners = def->mesh.elements + (int64_t)def->mesh.corner_count * element;
    int32_t vertex = corners[left_out == 0 ? 1 : 0];
    for (int64_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k) {
        int32_t other = around->elements[k];
        if (s->has[parts[other]] || !has_face(&def->mesh, other, corners, left_out)) continue;
        s->has[parts[other]] = 1;
    }
}

static void mark_neighbors(subdomain *s, int32_t part)
{
    const pli_incidence *members = &s->build->members;
    for (int64_t k = members->start[part]; k < members->start[part + 1]; ++k) {
        for (int c = 0; c < s->build->def->mesh.corner_count; ++c) {
            mark_across(s, members->elements[k], c);
        }
    }
}

static bool has_fixed_vertex(const pli_bases_build *build, int32_t part)
{
    const pli_simplices *mesh = &build->def->mesh;
    for (int64_t k = build->members.start[part]; k < build->members.start[part + 1]; ++k) {
        const int32_t *corners =
            mesh->elements + (int64_t)mesh->corner_count * build->members.elements[k];
        for (int c = 0; c < mesh->corner_count; ++c) {
            if (build->fixed[corners[c]]) return true;
        }
    }
    return false;
}

// The handle's cluster, or those with fixed vertices, and the clusters that share faces with them.
static pli_status choose_clusters(subdomain *s)
{
    int32_t count = s->build->handle_count;
    uint8_t *is_inner = PLI_NEW(s->context, uint8_t, count, "subdomain");
    s->has = PLI_NEW(s->context, uint8_t, count, "subdomain");
    if (is_inner != NULL && s->has != NULL) {
        for (int32_t part = 0; part < count; ++part) {
            is_inner[part] = s->handle >= 0 ? part == s->handle : has_fixed_vertex(s->build, part);
            if (is_inner[part]) s->has[part] = 1;
        }
        for (int32_t part = 0; part < count; ++part) {
            if (is_inner[part]) mark_neighbors(s, part);
        }
    }
    pli_status status = is_inner != NULL && s->has != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    pli_release(s->context, is_inner);
    return status;
}

// ---- mesh

static int compare_vertices(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Number of a vertex in the subdomain, which must have it.
static int32_t find_vertex(const subdomain *s, int32_t vertex)
{
    int32_t low = 0;
    int32_t high = s->vertex_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (s->vertices[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static pli_status gather_elements(subdomain *s)
{
    const pli_incidence *members = &s->build->members;
    int64_t count = 0;
    for (int32_t part = 0; part < s->build->handle_count; ++part) {
        if (s->has[part]) count += members->start[part + 1] - members->start[part];
    }
    PLI_TRY(PLI_MAKE(s->context, s->elements, count, "subdomain"));
    for (int32_t part = 0; part < s->build->handle_count; ++part) {
        if (!s->has[part]) continue;
        for (int64_t k = members->start[part]; k < members->start[part + 1]; ++k) {
            s->elements[s->element_count++] = members->elements[k];
        }
    }
    return PLI_OK;
}

// The corners of the elements, each vertex once and sorted; then corners in these numbers.
static pli_status gather_vertices(subdomain *s)
{
    const pli_simplices *mesh = &s->build->def->mesh;
    int64_t size = mesh->corner_count;
    int64_t corner_count = size * s->element_count;
    PLI_TRY(PLI_MAKE(s->context, s->corners, corner_count, "subdomain"));
    PLI_TRY(PLI_MAKE(s->context, s->vertices, corner_count, "subdomain"));
    for (int64_t k = 0; k < corner_count; ++k) {
        s->corners[k] = mesh->elements[size * s->elements[k / size] + k % size];
        s->vertices[k] = s->corners[k];
    }
    qsort(s->vertices, (size_t)corner_count, sizeof *s->vertices, compare_vertices);
    for (int64_t k = 0; k < corner_count; ++k) {
        if (k > 0 && s->vertices[k] == s->vertices[s->vertex_count - 1]) continue;
        s->vertices[s->vertex_count++] = s->vertices[k];
    }
    for (int64_t k = 0; k < corner_count; ++k) s->corners[k] = find_vertex(s, s->corners[k]);

    PLI_TRY(PLI_MAKE(s->context, s->points, 3 * (int64_t)s->vertex_count, "subdomain"));
    for (int64_t k = 0; k < s->vertex_count; ++k) {
        pli_vec3_copy(mesh->points + 3 * (int64_t)s->vertices[k], s->points + 3 * k);
    }
    return PLI_OK;
}

// ---- constraints

static void constrain(subdomain *s, int32_t vertex, double value)
{
    s->is_free[vertex] = 0;
    s->u[3 * (int64_t)vertex] = value;
    s->u[3 * (int64_t)vertex + 1] = 1;
}

// Whether all elements of a vertex are part of the subdomain.
static bool is_inside(const subdomain *s, int32_t vertex)
{
    const int32_t *parts = s->build->def->partition->element_part;
    const pli_incidence *around = &s->build->around;
    for (int64_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k) {
        if (!s->has[parts[around->elements[k]]]) return false;
    }
    return true;
}

// 0 where the subdomain meets the rest of the mesh and at the places of its handles; the fixed
// vertices, and last the place of the handle itself, which so is 1 even in a cluster that is too
// small to have a place inside.
static pli_status set_constraints(subdomain *s)
{
    const pli_bases_build *build = s->build;
    s->is_free = PLI_NEW(s->context, uint8_t, s->vertex_count, "subdomain");
    s->u = PLI_NEW(s->context, double, 3 * (int64_t)s->vertex_count, "subdomain");
    s->scratch = PLI_NEW(s->context, double, 3 * (int64_t)s->vertex_count, "subdomain");
    s->residual = PLI_NEW(s->context, double, 3 * (int64_t)s->vertex_count, "subdomain");
    if (s->is_free == NULL || s->u == NULL || s->scratch == NULL || s->residual == NULL)
        return PLI_ERROR_MEMORY;
    memset(s->is_free, 1, (size_t)s->vertex_count);
    for (int32_t part = 0; part < build->handle_count; ++part) {
        if (s->has[part] && build->places[part] >= 0) {
            constrain(s, find_vertex(s, build->places[part]), 0);
        }
    }
    for (int32_t k = 0; k < s->vertex_count; ++k) {
        if (!is_inside(s, s->vertices[k])) constrain(s, k, 0);
        if (build->fixed != NULL && build->fixed[s->vertices[k]]) constrain(s, k, s->handle < 0);
    }
    if (s->handle >= 0) constrain(s, find_vertex(s, build->places[s->handle]), 1);
    return PLI_OK;
}

// ---- equation

static void set_weights(subdomain *s, double contrast)
{
    const double *stiffness = s->build->def->stiffness;
    double softest = INFINITY;
    for (int32_t k = 0; k < s->element_count; ++k) {
        s->weights[k] = stiffness != NULL ? stiffness[s->elements[k]] : 1;
        softest = fmin(softest, s->weights[k]);
    }
    for (int32_t k = 0; k < s->element_count; ++k) {
        s->weights[k] = fmin(s->weights[k] / softest, contrast);
    }
}

static void set_mass(subdomain *s, const pli_simplices *mesh)
{
    memset(s->mass, 0, (size_t)s->vertex_count * sizeof *s->mass);
    for (int32_t element = 0; element < s->element_count; ++element) {
        double gradients[4][3];
        double share = s->weights[element] * pli_simplex_gradients(mesh, element, gradients) /
                       mesh->corner_count;
        for (int c = 0; c < mesh->corner_count; ++c) {
            s->mass[s->corners[(int64_t)mesh->corner_count * element + c]] += share;
        }
    }
}

static pli_status build_operator(subdomain *s, double contrast)
{
    pli_simplices mesh = {s->vertex_count, s->points, s->build->def->mesh.corner_count,
                          s->element_count, s->corners};
    set_weights(s, contrast);
    pli_laplacian_destroy(s->laplacian);
    PLI_TRY(pli_laplacian_create(s->context, &mesh, s->weights, &s->laplacian));
    set_mass(s, &mesh);
    return PLI_OK;
}

// Right-hand side -K u for the constrained values u, then the solution in the free vertices.
static pli_status substitute(subdomain *s, const pli_bilaplacian *K, pli_cholesky *cholesky)
{
    int64_t size = 3 * (int64_t)s->vertex_count;
    for (int64_t k = 0; k < size; ++k) {
        if (s->is_free[k / 3]) s->u[k] = 0;
    }
    pli_bilaplacian_apply(K, s->u, s->scratch, s->residual);
    for (int64_t k = 0; k < size; ++k) s->residual[k] = s->is_free[k / 3] ? -s->residual[k] : 0;
    PLI_TRY(pli_cholesky_solve(cholesky, 1, s->residual, s->residual));
    for (int64_t k = 0; k < size; ++k) s->u[k] += s->residual[k];
    return PLI_OK;
}

// How far the solution of constraints that are all 1 is from 1; infinite when it is not a number.
static double measure_error(const subdomain *s)
{
    double largest = 0;
    for (int64_t k = 0; k < s->vertex_count; ++k) {
        double error = fabs(s->u[3 * k + 1] - 1);
        if (!isfinite(error) || !isfinite(s->u[3 * k])) return INFINITY;
        largest = fmax(largest, error);
    }
    return largest;
}

// Solves with stiffness limited to a contrast; *error is infinite when there is no factor.
static pli_status solve_limited(subdomain *s, double contrast, bool hosted, double *error)
{
    // the same order of unknowns on any number of threads, hosted or not
    pli_cholesky_def def = {.order = PLI_CHOLESKY_ORDER_DEGREE, .hosted = hosted};
    if (s->handle < 0) def.order = PLI_CHOLESKY_ORDER_AUTO;
    pli_cholesky *cholesky = NULL;
    bool positive = false;
    *error = INFINITY;
    PLI_TRY(build_operator(s, contrast));
    pli_bilaplacian K = {s->laplacian, s->mass, s->is_free, NULL};
    PLI_TRY(pli_bilaplacian_factor(s->context, &K, &def, &positive, &cholesky));
    if (!positive) return PLI_OK;
    pli_status status = substitute(s, &K, cholesky);
    if (status == PLI_OK) *error = measure_error(s);
    pli_cholesky_destroy(cholesky);
    return status;
}

static pli_status solve(subdomain *s, bool hosted)
{
    int32_t free_count = 0;
    for (int32_t k = 0; k < s->vertex_count; ++k) free_count += s->is_free[k];
    if (free_count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(s->context, s->weights, s->element_count, "subdomain"));
    PLI_TRY(PLI_MAKE(s->context, s->mass, s->vertex_count, "subdomain"));
    for (size_t k = 0; k < sizeof contrasts / sizeof *contrasts; ++k) {
        double error = INFINITY;
        PLI_TRY(solve_limited(s, contrasts[k], hosted, &error));
        if (error <= accuracy) return PLI_OK;
    }
    return PLI_FAIL(s->context, PLI_ERROR_NUMERIC,
                    "the weights of handle %d can't be computed to working precision; clusters "
                    "have to be connected, and elements better shaped",
                    (int)s->handle);
}

// ---- outcome

// max(0, u), without what is too small.
static pli_status keep_positive(subdomain *s, pli_bases_column *column)
{
    int32_t count = 0;
    for (int64_t k = 0; k < s->vertex_count; ++k) {
        double value = s->u[3 * k];
        if (value <= 0 || value < s->build->def->drop) continue;
        s->vertices[count] = s->vertices[k];
        s->scratch[count++] = value;
    }
    return pli_bases_column_set(s->context, count, s->vertices, s->scratch, column);
}

static pli_status run(subdomain *s, bool hosted, pli_bases_column *column)
{
    PLI_TRY(choose_clusters(s));
    PLI_TRY(gather_elements(s));
    PLI_TRY(gather_vertices(s));
    PLI_TRY(set_constraints(s));
    PLI_TRY(solve(s, hosted));
    return keep_positive(s, column);
}

pli_status pli_bases_solve_subdomain(const pli_bases_build *build, int32_t handle, bool hosted,
                                     pli_bases_column *column)
{
    if (handle >= 0 && build->places[handle] < 0) return PLI_OK;
    subdomain s = {.build = build, .context = build->context, .handle = handle};
    pli_status status = run(&s, hosted, column);
    pli_laplacian_destroy(s.laplacian);
    PLI_RELEASE(s.context, s.has, s.elements, s.corners, s.vertices, s.points, s.weights, s.mass,
                s.is_free, s.u, s.scratch, s.residual);
    return status;
}
