// SPDX-License-Identifier: Apache-2.0
#include "sim/model/model_springs.h"

#include "base/memory.h"
#include "geometry/mesh/cloth_net.h"
#include "sim/model/model_triangles.h"
#include "sim/scene/plan_defs.h"

enum { SPRING_LIMIT = INT32_MAX / 4 };

void pli_model_clear_springs(pli_model *model)
{
    PLI_RELEASE(model->context, model->spring_rayleigh, model->spring_length,
                model->spring_stiffness, model->spring_ends);
}

static void lump_cloth(pli_model *model, const pli_model_body *body, const pli_springs_def *springs)
{
    for (int64_t k = 0; k < body->triangle_count; ++k) {
        const int32_t *corners = model->triangles + 3 * (body->first_triangle + k);
        double third = springs->area_density * pli_triangle_area_at(model->rest, corners) / 3;
        for (int i = 0; i < 3; ++i) {
            model->mass[corners[i]] += third;
            model->drag[corners[i]] += springs->drag * third;
        }
        model->total_mass += 3 * third;
    }
    model->has_drag = model->has_drag || springs->drag > 0;
    model->has_rayleigh = model->has_rayleigh || springs->rayleigh > 0;
}

static pli_status build_net(pli_context *context, const pli_body_def *def,
                            const pli_body_mesh *mesh, pli_cloth_net *net)
{
    if (def->geometry.kind == PLI_GEOMETRY_SHEET) {
        const pli_sheet_def *sheet = def->geometry.data;
        int32_t cells[2] = {sheet->columns, sheet->rows};
        return pli_cloth_net_build_grid(context, cells, net);
    }
    if (def->geometry.kind == PLI_GEOMETRY_SCROLL) {
        const pli_scroll_def *scroll = def->geometry.data;
        int32_t cells[2] = {scroll->columns, scroll->rows};
        return pli_cloth_net_build_grid(context, cells, net);
    }
    return pli_cloth_net_build(context, mesh->cell_count, mesh->cells, net);
}

static pli_status grow_springs(pli_model *model, int32_t more)
{
    pli_context *context = model->context;
    int64_t count = (int64_t)model->spring_count + more;
    if (count > SPRING_LIMIT) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "the scene has %lld springs; at most %d fit", (long long)count,
                        SPRING_LIMIT);
    }
    PLI_TRY(PLI_RESIZE(context, model->spring_ends, 2 * count, "springs"));
    double **const arrays[] = {&model->spring_stiffness, &model->spring_length,
                               &model->spring_rayleigh};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        PLI_TRY(PLI_RESIZE(context, *arrays[k], count, "springs"));
    }
    return PLI_OK;
}

static pli_status append_spring(pli_model *model, const pli_model_body *body,
                                const pli_springs_def *springs, const int32_t ends[2], bool bends)
{
    int64_t at = model->spring_count;
    int64_t first = body->first_vertex + ends[0];
    int64_t second = body->first_vertex + ends[1];
    double length = pli_vec3_distance(model->rest + 3 * first, model->rest + 3 * second);
    if (!(length > 0)) {
        return PLI_FAIL(model->context, PLI_ERROR_MESH,
                        "body %s: vertices %d and %d are in one place, so that a spring between "
                        "them would have no length; merge them",
                        body->name, (int)ends[0], (int)ends[1]);
    }
    model->spring_ends[2 * at] = (int32_t)first;
    model->spring_ends[2 * at + 1] = (int32_t)second;
    model->spring_stiffness[at] = bends ? springs->bend : springs->stretch;
    model->spring_length[at] = length;
    model->spring_rayleigh[at] = springs->rayleigh;
    ++model->spring_count;
    return PLI_OK;
}

static pli_status append_springs(pli_model *model, const pli_model_body *body,
                                 const pli_springs_def *springs, const pli_cloth_net *net)
{
    PLI_TRY(grow_springs(model, net->count));
    for (int32_t k = 0; k < net->count; ++k) {
        // without stiffness there is no spring
        if (net->bends[k] && springs->bend == 0) continue;
        PLI_TRY(append_spring(model, body, springs, net->ends + 2 * (int64_t)k, net->bends[k]));
    }
    return PLI_OK;
}

pli_status pli_model_build_springs(pli_model *model, const pli_scene_def *def,
                                   pli_body_mesh *const *meshes)
{
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (body->kind != PLI_BODY_CLOTH) continue;
        const pli_body_def *source = &def->bodies[body->source];
        pli_cloth_net net;
        lump_cloth(model, body, &source->springs);
        PLI_TRY(build_net(model->context, source, meshes[body->mesh], &net));
        pli_status status = append_springs(model, body, &source->springs, &net);
        pli_cloth_net_clear(model->context, &net);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}
