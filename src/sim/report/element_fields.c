// SPDX-License-Identifier: Apache-2.0
#include "sim/report/element_fields.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/mesh/incidence.h"
#include "sim/report/cells.h"
#include "sim/step/mesh_stepper.h"

enum { GRAIN = 1024 };

static const int32_t components[PLI_ELEMENT_FIELD_COUNT] = {
    [PLI_ELEMENT_VON_MISES] = 1,  [PLI_ELEMENT_J] = 1,
    [PLI_ELEMENT_PLASTIC] = 1,    [PLI_ELEMENT_STRESS] = 6,
    [PLI_ELEMENT_PRINCIPAL] = 3,  [PLI_ELEMENT_DIRECTION] = 3,
    [PLI_ELEMENT_LOG_STRAIN] = 6, [PLI_ELEMENT_GREEN_STRAIN] = 6,
    [PLI_ELEMENT_DENSITY] = 1};

// fields that are computed from stress
static const uint32_t of_stress =
    1u << PLI_ELEMENT_VON_MISES | 1u << PLI_ELEMENT_PRINCIPAL | 1u << PLI_ELEMENT_DIRECTION;

struct pli_element_fields {
    pli_context *context;
    const pli_model *model;
    // values by field, [items][components]; NULL: not wanted
    double *cells[PLI_ELEMENT_FIELD_COUNT];
    double *vertices[PLI_ELEMENT_FIELD_COUNT];
    double *volume;     // [cells] at rest (m^3)
    pli_incidence tets; // around vertices, cells of the model that have the tetrahedra's values
    pli_incidence triangles; // of shells
};

// ---- life

static pli_status allocate(pli_element_fields *f, int64_t count, uint32_t wanted, double **values)
{
    for (int k = 0; k < PLI_ELEMENT_FIELD_COUNT; ++k) {
        if ((wanted >> k & 1) == 0) continue;
        PLI_TRY(PLI_MAKE(f->context, values[k], count * components[k], "frame fields"));
    }
    return PLI_OK;
}

static pli_status build(pli_element_fields *f, uint32_t of_cells, uint32_t of_vertices)
{
    const pli_model *model = f->model;
    int64_t cells = (int64_t)model->tet_count + model->shell_triangle_count;
    if (((of_cells | of_vertices) & of_stress) != 0) of_cells |= 1u << PLI_ELEMENT_STRESS;
    if ((of_vertices & of_stress) != 0) of_vertices |= 1u << PLI_ELEMENT_STRESS;
    // averages are made of what elements have
    PLI_TRY(allocate(f, cells, of_cells | (of_vertices & ~of_stress), f->cells));
    PLI_TRY(allocate(f, model->vertex_count, of_vertices, f->vertices));
    PLI_TRY(PLI_MAKE(f->context, f->volume, cells, "frame fields"));
    if (of_vertices == 0) return PLI_OK;
    PLI_TRY(pli_incidence_build(f->context, model->vertex_count, 4, model->cell_count, model->cells,
                                &f->tets));
    return pli_incidence_build(f->context, model->vertex_count, 3, model->shell_triangle_count,
                               model->triangles, &f->triangles);
}

pli_status pli_element_fields_create(const pli_model *model, uint32_t of_cells,
                                     uint32_t of_vertices, pli_element_fields **fields)
{
    *fields = NULL;
    if ((of_cells | of_vertices) == 0) return PLI_OK;
    pli_element_fields *made = PLI_NEW(model->context, pli_element_fields, 1, "frame fields");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = model->context;
    made->model = model;
    pli_status status = build(made, of_cells, of_vertices);
    if (status != PLI_OK) {
        pli_element_fields_destroy(made);
        return status;
    }
    *fields = made;
    return PLI_OK;
}

void pli_element_fields_destroy(pli_element_fields *f)
{
    if (f == NULL) return;
    pli_context *context = f->context;
    pli_incidence_clear(context, &f->triangles);
    pli_incidence_clear(context, &f->tets);
    for (int k = 0; k < PLI_ELEMENT_FIELD_COUNT; ++k) {
        PLI_RELEASE(context, f->vertices[k], f->cells[k]);
    }
    PLI_RELEASE(context, f->volume, f);
}

// ---- values

typedef struct field_job {
    const pli_element_fields *fields;
    double *const *values; // [PLI_ELEMENT_FIELD_COUNT] of cells or of vertices
} field_job;

// What follows from the stress of cells or vertices.
static void derive_range(void *user, int64_t begin, int64_t end)
{
    double *const *values = ((const field_job *)user)->values;
    double *von_mises = values[PLI_ELEMENT_VON_MISES];
    double *principal = values[PLI_ELEMENT_PRINCIPAL];
    double *direction = values[PLI_ELEMENT_DIRECTION];
    for (int64_t k = begin; k < end; ++k) {
        const double *stress = values[PLI_ELEMENT_STRESS] + 6 * k;
        if (von_mises != NULL) von_mises[k] = pli_von_mises_from(stress);
        if (principal == NULL && direction == NULL) continue;
        pli_principal_from(stress, principal != NULL ? principal + 3 * k : NULL,
                           direction != NULL ? direction + 3 * k : NULL);
    }
}

// The element at place k around vertices: a triangle, or the tetrahedron of a cell.
static int64_t element_at(const pli_element_fields *f, const pli_incidence *around, int64_t k)
{
    if (around == &f->triangles) return (int64_t)f->model->tet_count + around->elements[k];
    const int32_t *tet_of_cell = f->model->tet_of_cell;
    return tet_of_cell != NULL ? tet_of_cell[around->elements[k]] : around->elements[k];
}

// Adds volume times values of the elements around a vertex.
static void add_around(const pli_element_fields *f, const pli_incidence *around, int64_t vertex,
                       int field, double *sum)
{
    int32_t size = components[field];
    for (int64_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k) {
        int64_t cell = element_at(f, around, k);
        const double *row = f->cells[field] + size * cell;
        for (int32_t i = 0; i < size; ++i) sum[i] += f->volume[cell] * row[i];
    }
}

static double volume_around(const pli_element_fields *f, const pli_incidence *around,
                            int64_t vertex)
{
    double sum = 0;
    for (int64_t k = around->start[vertex]; k < around->start[vertex + 1]; ++k) {
        sum += f->volume[element_at(f, around, k)];
    }
    return sum;
}

static void average_range(void *user, int64_t begin, int64_t end)
{
    const pli_element_fields *f = ((const field_job *)user)->fields;
    for (int64_t vertex = begin; vertex < end; ++vertex) {
        double volume =
            volume_around(f, &f->tets, vertex) + volume_around(f, &f->triangles, vertex);
        for (int field = 0; field < PLI_ELEMENT_FIELD_COUNT; ++field) {
            double *values = f->vertices[field];
            if (values == NULL || (of_stress >> field & 1)) continue;
            double sum[6] = {0, 0, 0, 0, 0, 0};
            add_around(f, &f->tets, vertex, field, sum);
            add_around(f, &f->triangles, vertex, field, sum);
            for (int32_t i = 0; i < components[field]; ++i) {
                values[components[field] * vertex + i] = volume > 0 ? sum[i] / volume : 0;
            }
        }
    }
}

static void fill_plastic(const pli_element_fields *f, const pli_state *state)
{
    const pli_model *model = f->model;
    double *plastic = f->cells[PLI_ELEMENT_PLASTIC];
    if (plastic == NULL || model->yields == NULL) return;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_material *material = &model->yields[model->material_of[tet]];
        const int32_t *points = model->first_point + tet;
        double sum = 0;
        for (int32_t k = points[0]; k < points[1]; ++k) sum += state->plastic_history[k];
        plastic[tet] = sum / (points[1] - points[0]) + pli_material_rest_history(material);
    }
}

static void derive(const pli_element_fields *f, int64_t count, double *const *values)
{
    field_job job = {f, values};
    if (values[PLI_ELEMENT_STRESS] == NULL) return;
    pli_parallel_for(f->context, count, GRAIN, derive_range, &job);
}

pli_status pli_element_fields_fill(pli_element_fields *f, pli_mesh_stepper *stepper,
                                   const pli_state *state)
{
    if (f == NULL) return PLI_OK;
    const pli_model *model = f->model;
    pli_cell_values wanted = {.stress = f->cells[PLI_ELEMENT_STRESS],
                              .log_strain = f->cells[PLI_ELEMENT_LOG_STRAIN],
                              .green_strain = f->cells[PLI_ELEMENT_GREEN_STRAIN],
                              .J = f->cells[PLI_ELEMENT_J],
                              .density = f->cells[PLI_ELEMENT_DENSITY],
                              .volume = f->volume};
    PLI_TRY(pli_cells_measure(stepper, state, &wanted));
    fill_plastic(f, state);
    derive(f, (int64_t)model->tet_count + model->shell_triangle_count, f->cells);
    if (f->tets.start == NULL) return PLI_OK;
    field_job job = {f, f->vertices};
    pli_parallel_for(f->context, model->vertex_count, GRAIN, average_range, &job);
    derive(f, model->vertex_count, f->vertices);
    return PLI_OK;
}

const double *pli_element_fields_get(const pli_element_fields *f, pli_element_field field,
                                     bool at_vertices)
{
    if (f == NULL) return NULL;
    return at_vertices ? f->vertices[field] : f->cells[field];
}
