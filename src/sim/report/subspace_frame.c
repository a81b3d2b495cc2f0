// SPDX-License-Identifier: Apache-2.0
#include "sim/report/subspace_frame.h"

#include "base/memory.h"
#include "geometry/mesh/tet_mesh.h"
#include "sim/model/subspace_build.h"

#include <math.h>

static bool allocate_fields(pli_reduction_fields *fields, const pli_model *model)
{
    pli_context *context = model->context;
    int64_t cells = (int64_t)model->tet_count + model->shell_triangle_count;
    fields->context = context;
    fields->handle = PLI_NEW(context, double, model->vertex_count, "frame handles");
    fields->largest = PLI_NEW(context, double, model->vertex_count, "frame weights");
    fields->weight = PLI_NEW(context, double, model->vertex_count, "frame weights");
    fields->partition = PLI_NEW(context, double, cells, "frame partition");
    fields->cubature = PLI_NEW(context, double, cells, "frame cubature");
    return fields->handle != NULL && fields->largest != NULL && fields->weight != NULL &&
           fields->partition != NULL && fields->cubature != NULL;
}

static void fill_points(pli_reduction_fields *fields, const pli_model *model)
{
    const pli_bases *bases = model->reduction->bases;
    for (int32_t vertex = 0; vertex < model->vertex_count; ++vertex) {
        fields->handle[vertex] = model->reduction->partition->vertex_part[vertex];
        for (int64_t k = bases->start[vertex]; k < bases->start[vertex + 1]; ++k) {
            fields->largest[vertex] = fmax(fields->largest[vertex], bases->weight[k]);
            if (bases->handle[k] == model->frame_handle) fields->weight[vertex] = bases->weight[k];
        }
    }
}

static void fill_cells(pli_reduction_fields *fields, const pli_model *model)
{
    const pli_cubature *cubature = model->reduction->cubature;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        fields->partition[tet] = model->reduction->partition->element_part[tet];
        fields->cubature[tet] = cubature == NULL ? 1 : 0;
    }
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) {
        fields->partition[model->tet_count + k] = -1;
    }
    for (int32_t k = 0; cubature != NULL && k < cubature->count; ++k) {
        int64_t tet = cubature->elements[k];
        double volume = fabs(pli_tet_volume_at(model->rest, model->tets + 4 * tet));
        fields->cubature[tet] = cubature->weights[k] / volume;
    }
}

pli_status pli_reduction_fields_create(const pli_model *model, pli_reduction_fields **fields)
{
    *fields = NULL;
    if (model->reduction == NULL) return PLI_OK;
    pli_reduction_fields *made = PLI_NEW(model->context, pli_reduction_fields, 1, "frame handles");
    if (made == NULL) return PLI_ERROR_MEMORY;
    if (!allocate_fields(made, model)) {
        pli_reduction_fields_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    fill_points(made, model);
    fill_cells(made, model);
    *fields = made;
    return PLI_OK;
}

void pli_reduction_fields_destroy(pli_reduction_fields *fields)
{
    if (fields == NULL) return;
    pli_context *context = fields->context;
    PLI_RELEASE(context, fields->cubature, fields->partition, fields->weight, fields->largest,
                fields->handle, fields);
}
