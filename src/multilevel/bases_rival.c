// SPDX-License-Identifier: Apache-2.0
//
// Radial functions and global biharmonic coordinates around the centres of a partition.
#include "multilevel/bases_inside.h"

#include "multilevel/bilaplacian.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

// radius of a radial function over the mean distance of a centre from the nearest other
static const double reach = 2;

// ---- radial functions

static double mean_spacing(const pli_bases_build *build)
{
    const double *points = build->def->mesh.points;
    double sum = 0;
    for (int32_t k = 0; k < build->handle_count; ++k) {
        double nearest = INFINITY;
        for (int32_t other = 0; other < build->handle_count; ++other) {
            if (other == k) continue;
            nearest = fmin(nearest, pli_vec3_distance(points + 3 * (int64_t)build->places[k],
                                                      points + 3 * (int64_t)build->places[other]));
        }
        sum += nearest;
    }
    return sum / build->handle_count;
}

typedef struct radial_loop {
    pli_bases_build *build;
    double radius;        // infinite: there is one handle, whose weight is 1
    pli_status *statuses; // [handle_count]
} radial_loop;

// (1 - r)^4 (4 r + 1), the C2 function of Wendland 1995 for three dimensions
static double radial_value(double r)
{
    if (!(r < 1)) return 0;
    double s = (1 - r) * (1 - r);
    return s * s * (4 * r + 1);
}

static pli_status make_radial(const radial_loop *loop, int32_t handle)
{
    pli_bases_build *build = loop->build;
    const pli_bases_def *def = build->def;
    pli_context *context = build->context;
    const double *center = def->mesh.points + 3 * (int64_t)build->places[handle];
    int32_t *vertices = PLI_NEW(context, int32_t, def->mesh.vertex_count, "radial weights");
    double *values = PLI_NEW(context, double, def->mesh.vertex_count, "radial weights");
    pli_status status = PLI_ERROR_MEMORY;
    if (vertices == NULL || values == NULL) goto done;
    int32_t count = 0;
    for (int32_t vertex = 0; vertex < def->mesh.vertex_count; ++vertex) {
        const double *x = def->mesh.points + 3 * (int64_t)vertex;
        double value = radial_value(pli_vec3_distance(x, center) / loop->radius);
        if (value <= 0 || value < def->drop) continue;
        vertices[count] = vertex;
        values[count++] = value;
    }
    status = pli_bases_column_set(context, count, vertices, values, &build->columns[handle]);

done:
    PLI_RELEASE(context, vertices, values);
    return status;
}

static void make_radial_range(void *user, int64_t begin, int64_t end)
{
    const radial_loop *loop = user;
    for (int64_t k = begin; k < end; ++k) loop->statuses[k] = make_radial(loop, (int32_t)k);
}

pli_status pli_bases_build_radial(pli_bases_build *build)
{
    radial_loop loop = {.build = build,
                        .radius = reach * mean_spacing(build),
                        .statuses =
                            PLI_NEW(build->context, pli_status, build->handle_count, "handles")};
    if (loop.statuses == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(build->context, build->handle_count, 1, make_radial_range, &loop);
    pli_status status = PLI_OK;
    for (int32_t k = build->handle_count - 1; k >= 0; --k) {
        if (loop.statuses[k] != PLI_OK) status = loop.statuses[k];
    }
    pli_release(build->context, loop.statuses);
    return status;
}

// ---- biharmonic coordinates

typedef struct coordinates {
    pli_bases_build *build;
    pli_laplacian *laplacian;
    uint8_t *is_free;  // [vertex_count]
    int32_t *vertices; // [vertex_count]  of a column
    double *values;    // [vertex_count]  of a column
    double *u;         // [vertex_count][3]  of three handles
    double *scratch;   // [vertex_count][3]
    double *b;         // [vertex_count][3]
    pli_bilaplacian K;
    pli_cholesky *cholesky;
} coordinates;

static pli_status allocate_coordinates(coordinates *c)
{
    static const char what[] = "biharmonic coordinates";
    pli_context *context = c->build->context;
    int64_t count = c->build->def->mesh.vertex_count;
    PLI_TRY(PLI_MAKE(context, c->is_free, count, what));
    PLI_TRY(PLI_MAKE(context, c->vertices, count, what));
    PLI_TRY(PLI_MAKE(context, c->values, count, what));
    PLI_TRY(PLI_MAKE(context, c->u, 3 * count, what));
    PLI_TRY(PLI_MAKE(context, c->scratch, 3 * count, what));
    return PLI_MAKE(context, c->b, 3 * count, what);
}

static pli_status factor_coordinates(coordinates *c)
{
    pli_context *context = c->build->context;
    for (int32_t vertex = 0; vertex < c->laplacian->vertex_count; ++vertex) {
        c->is_free[vertex] = c->laplacian->mass[vertex] > 0;
    }
    for (int32_t k = 0; k < c->build->handle_count; ++k) c->is_free[c->build->places[k]] = 0;
    pli_cholesky_def def = {0};
    bool positive = false;
    c->K = (pli_bilaplacian){c->laplacian, c->laplacian->mass, c->is_free, NULL};
    PLI_TRY(pli_bilaplacian_factor(context, &c->K, &def, &positive, &c->cholesky));
    if (positive) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_NUMERIC,
                    "the bilaplacian is not positive definite to working precision; every part of "
                    "the mesh needs a handle, and elements have to be better shaped");
}

// K u = 0 for up to three handles, and what is not zero of each as a column.
static pli_status solve_three(coordinates *c, int32_t first)
{
    pli_bases_build *build = c->build;
    int64_t vertex_count = build->def->mesh.vertex_count;
    memset(c->u, 0, (size_t)(3 * vertex_count) * sizeof *c->u);
    for (int32_t k = 0; k < 3 && first + k < build->handle_count; ++k) {
        c->u[3 * (int64_t)build->places[first + k] + k] = 1;
    }
    pli_bilaplacian_apply(&c->K, c->u, c->scratch, c->b);
    for (int64_t k = 0; k < 3 * vertex_count; ++k) c->b[k] = c->is_free[k / 3] ? -c->b[k] : 0;
    PLI_TRY(pli_cholesky_solve(c->cholesky, 1, c->b, c->b));
    for (int64_t k = 0; k < 3 * vertex_count; ++k) c->u[k] += c->b[k];
    for (int32_t k = 0; k < 3 && first + k < build->handle_count; ++k) {
        int32_t count = 0;
        for (int32_t vertex = 0; vertex < vertex_count; ++vertex) {
            double value = c->u[3 * (int64_t)vertex + k];
            if (value == 0) continue;
            c->vertices[count] = vertex;
            c->values[count++] = value;
        }
        PLI_TRY(pli_bases_column_set(build->context, count, c->vertices, c->values,
                                     &build->columns[first + k]));
    }
    return PLI_OK;
}

static pli_status run_coordinates(coordinates *c)
{
    pli_bases_build *build = c->build;
    PLI_TRY(pli_laplacian_create(build->context, &build->def->mesh, NULL, &c->laplacian));
    PLI_TRY(allocate_coordinates(c));
    PLI_TRY(factor_coordinates(c));
    for (int32_t first = 0; first < build->handle_count; first += 3) {
        PLI_TRY(solve_three(c, first));
        PLI_TRY(pli_bases_tell(build, fmin(1, (first + 3.0) / build->handle_count)));
    }
    return PLI_OK;
}

pli_status pli_bases_build_biharmonic(pli_bases_build *build)
{
    pli_context *context = build->context;
    coordinates c = {.build = build};
    pli_status status = run_coordinates(&c);
    pli_laplacian_destroy(c.laplacian);
    pli_cholesky_destroy(c.cholesky);
    PLI_RELEASE(context, c.is_free, c.vertices, c.values, c.u, c.scratch, c.b);
    return status;
}
