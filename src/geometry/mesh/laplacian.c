// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/laplacian.h"

#include "geometry/mesh/incidence.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

enum { ROW_GRAIN = 512 }; // rows that are worth a block of a parallel loop

// Gradients of corners 1 to 3 are the rows of the inverse of the edges from corner 0.
static double tet_gradients(double e[3][3], double gradients[4][3])
{
    double determinant = pli_vec3_triple(e[0], e[1], e[2]);
    for (int k = 0; k < 3; ++k) {
        pli_vec3_cross(e[(k + 1) % 3], e[(k + 2) % 3], gradients[k + 1]);
        pli_vec3_scale(1 / determinant, gradients[k + 1], gradients[k + 1]);
    }
    return fabs(determinant) / 6;
}

// With the normal n = e_0 x e_1 the gradients are e_1 x n / |n|^2 and n x e_0 / |n|^2.
static double triangle_gradients(double e[3][3], double gradients[4][3])
{
    double n[3];
    pli_vec3_cross(e[0], e[1], n);
    double scale = 1 / pli_vec3_norm2(n);
    pli_vec3_cross(e[1], n, gradients[1]);
    pli_vec3_cross(n, e[0], gradients[2]);
    for (int k = 1; k < 3; ++k) pli_vec3_scale(scale, gradients[k], gradients[k]);
    return pli_vec3_norm(n) / 2;
}

double pli_simplex_gradients(const pli_simplices *mesh, int32_t element, double gradients[4][3])
{
    const int32_t *corners = mesh->elements + (int64_t)mesh->corner_count * element;
    double edges[3][3];
    for (int k = 1; k < mesh->corner_count; ++k) {
        pli_vec3_subtract(mesh->points + 3 * (int64_t)corners[k],
                          mesh->points + 3 * (int64_t)corners[0], edges[k - 1]);
    }
    double measure = mesh->corner_count == 4 ? tet_gradients(edges, gradients)
                                             : triangle_gradients(edges, gradients);

    // hat functions sum to 1
    pli_vec3_set(0, 0, 0, gradients[0]);
    for (int k = 1; k < mesh->corner_count; ++k) {
        pli_vec3_subtract(gradients[0], gradients[k], gradients[0]);
    }
    return measure;
}

static pli_status check_mesh(pli_context *context, const pli_simplices *mesh)
{
    if (mesh->corner_count != 3 && mesh->corner_count != 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "elements have %d corners; a Laplacian wants triangles or tetrahedra",
                        (int)mesh->corner_count);
    }
    int64_t corner_count = (int64_t)mesh->corner_count * mesh->element_count;
    for (int64_t k = 0; k < corner_count; ++k) {
        int32_t vertex = mesh->elements[k];
        if (vertex < 0 || vertex >= mesh->vertex_count) {
            return PLI_FAIL(
                context, PLI_ERROR_ARGUMENT, "element %d names vertex %d; vertices are 0 to %d",
                (int)(k / mesh->corner_count), (int)vertex, (int)mesh->vertex_count - 1);
        }
    }
    return PLI_OK;
}

static pli_status compute_mass(pli_laplacian *l, const pli_simplices *mesh)
{
    double gradients[4][3];
    for (int32_t element = 0; element < mesh->element_count; ++element) {
        double measure = pli_simplex_gradients(mesh, element, gradients);
        if (!(measure > 0) || !isfinite(measure)) {
            return PLI_FAIL(l->context, PLI_ERROR_MESH,
                            "element %d has no %s; a Laplacian needs it to be positive",
                            (int)element, mesh->corner_count == 4 ? "volume" : "area");
        }
        for (int k = 0; k < mesh->corner_count; ++k) {
            int32_t vertex = mesh->elements[(int64_t)mesh->corner_count * element + k];
            l->mass[vertex] += measure / mesh->corner_count;
        }
    }
    return PLI_OK;
}

// ---- pattern

typedef struct pattern_builder {
    const pli_simplices *mesh;
    const pli_incidence *incidence;
    int32_t *seen_by; // [vertex_count]  last row + 1 that met a vertex
} pattern_builder;

// Appends the columns of a row, in the order in which they are met; columns may be NULL to count.
static int64_t collect_row(pattern_builder *builder, int32_t row, int32_t *columns)
{
    const pli_simplices *mesh = builder->mesh;
    int64_t count = 1;
    if (columns != NULL) columns[0] = row;
    builder->seen_by[row] = row + 1;
    for (int64_t k = builder->incidence->start[row]; k < builder->incidence->start[row + 1]; ++k) {
        const int32_t *corners =
            mesh->elements + (int64_t)mesh->corner_count * builder->incidence->elements[k];
        for (int c = 0; c < mesh->corner_count; ++c) {
            if (builder->seen_by[corners[c]] == row + 1) continue;
            builder->seen_by[corners[c]] = row + 1;
            if (columns != NULL) columns[count] = corners[c];
            ++count;
        }
    }
    return count;
}

static void sort_columns(int64_t count, int32_t *columns)
{
    for (int64_t k = 1; k < count; ++k) {
        int32_t column = columns[k];
        int64_t place = k;
        for (; place > 0 && columns[place - 1] > column; --place) {
            columns[place] = columns[place - 1];
        }
        columns[place] = column;
    }
}

static pli_status build_pattern(pli_laplacian *l, const pli_simplices *mesh,
                                const pli_incidence *incidence)
{
    pli_status status = PLI_ERROR_MEMORY;
    pattern_builder builder = {mesh, incidence, NULL};
    builder.seen_by = PLI_NEW(l->context, int32_t, mesh->vertex_count, "Laplacian");
    if (builder.seen_by == NULL) goto done;

    for (int32_t row = 0; row < l->vertex_count; ++row) {
        l->row_start[row + 1] = l->row_start[row] + collect_row(&builder, row, NULL);
    }
    l->entry_count = l->row_start[l->vertex_count];
    l->column = PLI_NEW(l->context, int32_t, l->entry_count, "Laplacian");
    l->values = PLI_NEW(l->context, double, l->entry_count, "Laplacian");
    if (l->column == NULL || l->values == NULL) goto done;

    // rows must not look as if they had been met already
    for (int32_t vertex = 0; vertex < l->vertex_count; ++vertex) builder.seen_by[vertex] = 0;
    for (int32_t row = 0; row < l->vertex_count; ++row) {
        int32_t *columns = l->column + l->row_start[row];
        sort_columns(collect_row(&builder, row, columns), columns);
    }
    status = PLI_OK;

done:
    pli_release(l->context, builder.seen_by);
    return status;
}

// ---- values

typedef struct value_builder {
    const pli_simplices *mesh;
    const double *weights;
    const pli_incidence *incidence;
    pli_laplacian *laplacian;
} value_builder;

// Adds what an element gives to the row of one of its corners.
static void add_element(const value_builder *builder, int32_t row, int32_t element)
{
    const pli_simplices *mesh = builder->mesh;
    pli_laplacian *l = builder->laplacian;
    const int32_t *corners = mesh->elements + (int64_t)mesh->corner_count * element;
    double gradients[4][3];
    double scale = pli_simplex_gradients(mesh, element, gradients);
    if (builder->weights != NULL) scale *= builder->weights[element];

    int own = 0;
    while (corners[own] != row) ++own;
    for (int k = 0; k < mesh->corner_count; ++k) {
        int64_t slot = l->row_start[row];
        while (l->column[slot] != corners[k]) ++slot;
        l->values[slot] += scale * pli_vec3_dot(gradients[own], gradients[k]);
    }
}

// Every row sums its own elements in their order, so that mirror entries have equal bits.
static void fill_rows(void *user, int64_t begin, int64_t end)
{
    const value_builder *builder = user;
    const pli_incidence *incidence = builder->incidence;
    for (int64_t row = begin; row < end; ++row) {
        for (int64_t k = incidence->start[row]; k < incidence->start[row + 1]; ++k) {
            add_element(builder, (int32_t)row, incidence->elements[k]);
        }
    }
}

static pli_status laplacian_init(pli_laplacian *l, const pli_simplices *mesh, const double *weights)
{
    pli_context *context = l->context;
    pli_incidence incidence = {0};
    l->vertex_count = mesh->vertex_count;
    l->row_start = PLI_NEW(context, int64_t, (int64_t)l->vertex_count + 1, "Laplacian");
    l->mass = PLI_NEW(context, double, l->vertex_count, "Laplacian");
    if (l->row_start == NULL || l->mass == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(compute_mass(l, mesh));
    PLI_TRY(pli_incidence_build(context, mesh->vertex_count, mesh->corner_count,
                                mesh->element_count, mesh->elements, &incidence));
    pli_status status = build_pattern(l, mesh, &incidence);
    if (status == PLI_OK) {
        value_builder builder = {mesh, weights, &incidence, l};
        pli_parallel_for(context, l->vertex_count, ROW_GRAIN, fill_rows, &builder);
    }
    pli_incidence_clear(context, &incidence);
    return status;
}

pli_status pli_laplacian_create(pli_context *context, const pli_simplices *mesh,
                                const double *weights, pli_laplacian **laplacian)
{
    *laplacian = NULL;
    PLI_TRY(check_mesh(context, mesh));
    pli_laplacian *l = PLI_NEW(context, pli_laplacian, 1, "Laplacian");
    if (l == NULL) return PLI_ERROR_MEMORY;
    l->context = context;
    pli_status status = laplacian_init(l, mesh, weights);
    if (status != PLI_OK) {
        pli_laplacian_destroy(l);
        return status;
    }
    *laplacian = l;
    return PLI_OK;
}

void pli_laplacian_destroy(pli_laplacian *laplacian)
{
    if (laplacian == NULL) return;
    pli_context *context = laplacian->context;
    PLI_RELEASE(context, laplacian->row_start, laplacian->column, laplacian->values,
                laplacian->mass, laplacian);
}

// ---- use

typedef struct product {
    const pli_laplacian *laplacian;
    const double *x;
    double *y;
} product;

static void multiply_rows(void *user, int64_t begin, int64_t end)
{
    const product *p = user;
    const pli_laplacian *l = p->laplacian;
    for (int64_t row = begin; row < end; ++row) {
        double sum[3] = {0};
        for (int64_t slot = l->row_start[row]; slot < l->row_start[row + 1]; ++slot) {
            pli_vec3_add_scaled(sum, l->values[slot], p->x + 3 * (int64_t)l->column[slot], sum);
        }
        pli_vec3_copy(sum, p->y + 3 * row);
    }
}

void pli_laplacian_apply(const pli_laplacian *laplacian, const double *x, double *y)
{
    product p = {laplacian, x, y};
    pli_parallel_for(laplacian->context, laplacian->vertex_count, ROW_GRAIN, multiply_rows, &p);
}
