// SPDX-License-Identifier: Apache-2.0
#include "multilevel/biharmonic.h"

#include "multilevel/bilaplacian.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

enum {
    BATCH_TRIPLES = 8, // right-hand sides of three handles that are solved at once
    BATCH_HANDLES = 3 * BATCH_TRIPLES,
    MAX_ITERATIONS = 200
};

static const double PENALTY = 300;    // rho times the fourth power of the handles' reach
static const double TOLERANCE = 3e-4; // of w - z
static const double SMALLEST = 1e-3;  // weights under it are dropped

// One weight that is kept.
typedef struct weight_entry {
    int32_t vertex;
    int32_t handle;
    double weight;
} weight_entry;

typedef struct solver {
    pli_context *context;
    const pli_biharmonic_def *def;
    int32_t *elements; // [..][corner_count]  those without skipped corners
    pli_laplacian *laplacian;
    uint8_t *is_free;            // [vertex_count]  1: its weights are unknown
    double *penalty;             // [vertex_count]  rho M
    pli_bilaplacian bilaplacian; // Q + rho M of the free vertices
    pli_cholesky *cholesky;

    // a batch; [BATCH_TRIPLES][vertex_count][3]
    double *x;      // right-hand side, then solution w
    double *source; // -Q d
    double *y;      // state of the iteration; clipped to the bounds it is the weight
    double *last;   // y of the last iteration, before momentum

    int64_t entry_count;
    int64_t entry_capacity;
    weight_entry *entries; // by handles

    int32_t iterations;
    bool converged;
} solver;

// ---- the matrix

static bool has_skipped_corner(const pli_biharmonic_def *def, const int32_t *corners)
{
    for (int k = 0; k < def->mesh.corner_count; ++k) {
        // corners outside the mesh are for the Laplacian to refuse
        if (corners[k] < 0 || corners[k] >= def->mesh.vertex_count) return false;
        if (def->nearest[corners[k]] < 0) return true;
    }
    return false;
}

static pli_status build_laplacian(solver *s)
{
    pli_simplices mesh = s->def->mesh;
    int32_t size = mesh.corner_count;
    if (size != 3 && size != 4) {
        return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                        "elements have %d corners; smooth weights want triangles or tetrahedra",
                        (int)size);
    }
    PLI_TRY(PLI_MAKE(s->context, s->elements, (int64_t)size * mesh.element_count, "elements"));
    int32_t count = 0;
    for (int64_t element = 0; element < mesh.element_count; ++element) {
        const int32_t *corners = mesh.elements + size * element;
        if (has_skipped_corner(s->def, corners)) continue;
        memcpy(s->elements + (int64_t)size * count++, corners, (size_t)size * sizeof *corners);
    }
    mesh.elements = s->elements;
    mesh.element_count = count;
    return pli_laplacian_create(s->context, &mesh, NULL, &s->laplacian);
}

static void mark_free(solver *s)
{
    for (int32_t vertex = 0; vertex < s->def->mesh.vertex_count; ++vertex) {
        s->is_free[vertex] = s->laplacian->mass[vertex] > 0;
    }
    for (int32_t k = 0; k < s->def->handle_count; ++k) s->is_free[s->def->handles[k]] = 0;
}

// Mass of the vertices that a handle is nearest to, and the sum of their m |X - X_handle|^2.
typedef struct cell {
    double mass;
    double moment;
} cell;

static void measure_cells(const solver *s, cell *cells, cell *all)
{
    const pli_biharmonic_def *def = s->def;
    for (int64_t vertex = 0; vertex < def->mesh.vertex_count; ++vertex) {
        int32_t handle = def->nearest[vertex];
        if (handle < 0) continue;
        double mass = s->laplacian->mass[vertex];
        double distance = pli_vec3_distance(def->mesh.points + 3 * vertex,
                                            def->mesh.points + 3 * (int64_t)def->handles[handle]);
        cells[handle].mass += mass;
        cells[handle].moment += mass * distance * distance;
        all->mass += mass;
        all->moment += mass * distance * distance;
    }
}

// rho M with rho = PENALTY / r^4, r the mean distance from the nearest handle around a vertex.
static pli_status compute_penalty(solver *s)
{
    const pli_biharmonic_def *def = s->def;
    cell all = {0};
    cell *cells = PLI_NEW(s->context, cell, def->handle_count, "handles");
    if (cells == NULL) return PLI_ERROR_MEMORY;
    measure_cells(s, cells, &all);
    for (int32_t vertex = 0; vertex < def->mesh.vertex_count; ++vertex) {
        if (!s->is_free[vertex]) continue;
        const cell *own = &cells[def->nearest[vertex]];
        double r2 = own->moment > 0 ? own->moment / own->mass : all.moment / all.mass;
        s->penalty[vertex] = PENALTY / (r2 * r2) * s->laplacian->mass[vertex];
    }
    pli_release(s->context, cells);
    return PLI_OK;
}

static pli_status factor_matrix(solver *s)
{
    pli_cholesky_def def = {.isotropic = true};
    bool positive = false;
    s->bilaplacian = (pli_bilaplacian){s->laplacian, s->laplacian->mass, s->is_free, s->penalty};
    PLI_TRY(pli_bilaplacian_factor(s->context, &s->bilaplacian, &def, &positive, &s->cholesky));
    if (positive) return PLI_OK;
    return PLI_FAIL(s->context, PLI_ERROR_NUMERIC,
                    "the biharmonic matrix is not positive definite to working precision; a mesh "
                    "of better shaped elements would do");
}

// ---- weights of a batch of handles

typedef struct batch {
    solver *solver;
    int32_t first; // handle
    int32_t count; // handles
    int32_t triple_count;
    int32_t ages[BATCH_HANDLES];   // steps since momentum began
    double misfits[BATCH_HANDLES]; // of the last step
} batch;

// d at the handles as start, and -Q d at the free vertices as source and first right-hand side.
static void start_batch(batch *b)
{
    solver *s = b->solver;
    int64_t size = 3 * (int64_t)s->def->mesh.vertex_count;
    memset(s->y, 0, (size_t)(b->triple_count * size) * sizeof *s->y);
    for (int32_t k = 0; k < b->count; ++k) {
        s->y[k / 3 * size + 3 * (int64_t)s->def->handles[b->first + k] + k % 3] = 1;
        b->ages[k] = 0;
        b->misfits[k] = INFINITY;
    }
    for (int32_t triple = 0; triple < b->triple_count; ++triple) {
        double *x = s->x + triple * size;
        double *source = s->source + triple * size;
        pli_bilaplacian_apply(&s->bilaplacian, s->y + triple * size, x, source);
        for (int64_t k = 0; k < size; ++k) {
            source[k] = s->is_free[k / 3] ? -source[k] : 0;
            x[k] = source[k];
        }
    }
    memcpy(s->last, s->y, (size_t)(b->triple_count * size) * sizeof *s->y);
}

static double clip(double y)
{
    return fmin(fmax(y, 0), 1);
}

// How far the solution w is from the bounds that y asks for: the sum of P (w - z)^2 and, returned,
// the largest |w - z|.
static double measure_misfit(const solver *s, int64_t column, double *misfit)
{
    int64_t begin = column / 3 * 3 * s->def->mesh.vertex_count + column % 3;
    double largest = 0;
    *misfit = 0;
    for (int64_t vertex = 0; vertex < s->def->mesh.vertex_count; ++vertex) {
        int64_t k = begin + 3 * vertex;
        if (!s->is_free[vertex]) continue;
        double difference = fabs(s->x[k] - clip(s->y[k]));
        *misfit += s->penalty[vertex] * difference * difference;
        if (difference > largest) largest = difference;
    }
    return largest;
}

// The next y of a handle and its right-hand side.
static void advance_column(const solver *s, int64_t column, double momentum)
{
    int64_t begin = column / 3 * 3 * s->def->mesh.vertex_count + column % 3;
    for (int64_t vertex = 0; vertex < s->def->mesh.vertex_count; ++vertex) {
        int64_t k = begin + 3 * vertex;
        if (!s->is_free[vertex]) continue;
        double next = s->y[k] + s->x[k] - clip(s->y[k]);
        s->y[k] = next + momentum * (next - s->last[k]);
        s->last[k] = next;
        s->x[k] = s->penalty[vertex] * (2 * clip(s->y[k]) - s->y[k]) + s->source[k];
    }
}

// One step for some handles; returns their largest misfit. Momentum grows as long as misfits
// shrink, and restarts otherwise.
static double advance_columns(void *user, int64_t begin, int64_t end)
{
    batch *b = user;
    double largest = 0;
    for (int64_t column = begin; column < end; ++column) {
        double misfit = 0;
        largest = fmax(largest, measure_misfit(b->solver, column, &misfit));
        b->ages[column] = misfit < b->misfits[column] ? b->ages[column] + 1 : 0;
        b->misfits[column] = misfit;
        advance_column(b->solver, column, b->ages[column] / (b->ages[column] + 3.0));
    }
    return largest;
}

static pli_status solve_batch(batch *b)
{
    solver *s = b->solver;
    double misfit = INFINITY;
    start_batch(b);
    for (int32_t iteration = 1; misfit > TOLERANCE && iteration <= MAX_ITERATIONS; ++iteration) {
        PLI_TRY(pli_cholesky_solve(s->cholesky, b->triple_count, s->x, s->x));
        misfit = pli_parallel_max(s->context, b->count, 1, advance_columns, b);
        if (iteration > s->iterations) s->iterations = iteration;
    }
    if (misfit > TOLERANCE) s->converged = false;
    return PLI_OK;
}

static pli_status append_entry(solver *s, weight_entry entry)
{
    if (s->entry_count == s->entry_capacity) {
        int64_t capacity = 2 * s->entry_capacity + 1024;
        PLI_TRY(PLI_RESIZE(s->context, s->entries, capacity, "skinning weights"));
        s->entry_capacity = capacity;
    }
    s->entries[s->entry_count++] = entry;
    return PLI_OK;
}

static pli_status keep_weights(const batch *b)
{
    solver *s = b->solver;
    int64_t vertex_count = s->def->mesh.vertex_count;
    for (int32_t k = 0; k < b->count; ++k) {
        const double *y = s->y + k / 3 * 3 * vertex_count + k % 3;
        for (int32_t vertex = 0; vertex < vertex_count; ++vertex) {
            double weight = clip(y[3 * (int64_t)vertex]);
            if (weight < SMALLEST) continue;
            PLI_TRY(append_entry(s, (weight_entry){vertex, b->first + k, weight}));
        }
    }
    return PLI_OK;
}

static pli_status solve_handles(solver *s)
{
    int64_t size = 3 * (int64_t)BATCH_TRIPLES * s->def->mesh.vertex_count;
    s->x = PLI_NEW(s->context, double, size, "biharmonic weights");
    s->source = PLI_NEW(s->context, double, size, "biharmonic weights");
    s->y = PLI_NEW(s->context, double, size, "biharmonic weights");
    s->last = PLI_NEW(s->context, double, size, "biharmonic weights");
    if (s->x == NULL || s->source == NULL || s->y == NULL || s->last == NULL)
        return PLI_ERROR_MEMORY;
    s->converged = true;
    for (int32_t first = 0; first < s->def->handle_count; first += BATCH_HANDLES) {
        int32_t count = s->def->handle_count - first;
        if (count > BATCH_HANDLES) count = BATCH_HANDLES;
        batch b = {.solver = s, .first = first, .count = count, .triple_count = (count + 2) / 3};
        PLI_TRY(solve_batch(&b));
        PLI_TRY(keep_weights(&b));
    }
    return PLI_OK;
}

// ---- sparse rows

// A vertex without weights follows its nearest handle.
static pli_status add_missing(solver *s)
{
    const pli_biharmonic_def *def = s->def;
    uint8_t *has_weight = PLI_NEW(s->context, uint8_t, def->mesh.vertex_count, "skinning weights");
    if (has_weight == NULL) return PLI_ERROR_MEMORY;
    pli_status status = PLI_OK;
    for (int64_t k = 0; k < s->entry_count; ++k) has_weight[s->entries[k].vertex] = 1;
    for (int32_t vertex = 0; vertex < def->mesh.vertex_count && status == PLI_OK; ++vertex) {
        if (has_weight[vertex] || def->nearest[vertex] < 0) continue;
        status = append_entry(s, (weight_entry){vertex, def->nearest[vertex], 1});
    }
    pli_release(s->context, has_weight);
    return status;
}

// Entries, which are by handles, sorted by vertices; handles stay in order.
static void sort_entries(const solver *s, pli_biharmonic *weights)
{
    int64_t *start = weights->start;
    for (int64_t k = 0; k < s->entry_count; ++k) ++start[s->entries[k].vertex];
    int64_t sum = 0;
    for (int32_t vertex = 0; vertex <= weights->vertex_count; ++vertex) {
        sum += start[vertex];
        start[vertex] = sum;
    }
    // backwards: each end of a row becomes its start
    for (int64_t k = s->entry_count - 1; k >= 0; --k) {
        int64_t place = --start[s->entries[k].vertex];
        weights->handle[place] = s->entries[k].handle;
        weights->weight[place] = s->entries[k].weight;
    }
}

static void normalize_rows(pli_biharmonic *weights)
{
    for (int32_t vertex = 0; vertex < weights->vertex_count; ++vertex) {
        double sum = 0;
        int64_t begin = weights->start[vertex];
        int64_t end = weights->start[vertex + 1];
        for (int64_t k = begin; k < end; ++k) sum += weights->weight[k];
        for (int64_t k = begin; k < end; ++k) weights->weight[k] /= sum;
    }
}

static pli_status make_weights(solver *s, pli_biharmonic **weights)
{
    PLI_TRY(add_missing(s));
    pli_biharmonic *made = PLI_NEW(s->context, pli_biharmonic, 1, "skinning weights");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = s->context;
    made->vertex_count = s->def->mesh.vertex_count;
    made->iterations = s->iterations;
    made->converged = s->converged;
    made->start = PLI_NEW(s->context, int64_t, (int64_t)made->vertex_count + 1, "skinning weights");
    made->handle = PLI_NEW(s->context, int32_t, s->entry_count, "skinning weights");
    made->weight = PLI_NEW(s->context, double, s->entry_count, "skinning weights");
    if (made->start == NULL || made->handle == NULL || made->weight == NULL) {
        pli_biharmonic_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    sort_entries(s, made);
    normalize_rows(made);
    *weights = made;
    return PLI_OK;
}

static pli_status run_solver(solver *s, pli_biharmonic **weights)
{
    int32_t vertex_count = s->def->mesh.vertex_count;
    PLI_TRY(build_laplacian(s));
    PLI_TRY(PLI_MAKE(s->context, s->is_free, vertex_count, "biharmonic weights"));
    PLI_TRY(PLI_MAKE(s->context, s->penalty, vertex_count, "biharmonic weights"));
    mark_free(s);
    PLI_TRY(compute_penalty(s));
    PLI_TRY(factor_matrix(s));
    PLI_TRY(solve_handles(s));
    return make_weights(s, weights);
}

pli_status pli_biharmonic_create(pli_context *context, const pli_biharmonic_def *def,
                                 pli_biharmonic **weights)
{
    *weights = NULL;
    solver s = {.context = context, .def = def};
    pli_status status = run_solver(&s, weights);
    pli_laplacian_destroy(s.laplacian);
    pli_cholesky_destroy(s.cholesky);
    PLI_RELEASE(context, s.elements, s.is_free, s.penalty, s.x, s.source, s.y, s.last, s.entries);
    return status;
}

void pli_biharmonic_destroy(pli_biharmonic *weights)
{
    if (weights == NULL) return;
    pli_context *context = weights->context;
    PLI_RELEASE(context, weights->start, weights->handle, weights->weight, weights);
}
