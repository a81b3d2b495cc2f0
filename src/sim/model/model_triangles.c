// SPDX-License-Identifier: Apache-2.0
#include "sim/model/model_triangles.h"

#include "base/memory.h"
#include "geometry/mesh/hinges.h"
#include "geometry/mesh/mesh_check.h"

static const double degree = 0.017453292519943295;

pli_status pli_model_allocate_triangles(pli_model *model)
{
    pli_context *context = model->context;
    int64_t count = model->triangle_count;
    model->triangles = PLI_NEW(context, int32_t, 3 * count, "triangles");
    model->triangle_material = PLI_NEW(context, int32_t, count, "materials");
    model->thickness = PLI_NEW(context, double, count, "thickness");
    model->bending = PLI_NEW(context, double, count, "bending");
    model->is_plate = PLI_NEW(context, uint8_t, count, "bending");
    model->fold_angle = PLI_NEW(context, double, count, "folds");
    model->fold_hardening = PLI_NEW(context, double, count, "folds");
    bool complete = model->triangles != NULL && model->triangle_material != NULL &&
                    model->thickness != NULL && model->bending != NULL && model->is_plate != NULL &&
                    model->fold_angle != NULL && model->fold_hardening != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

void pli_model_clear_triangles(pli_model *model)
{
    PLI_RELEASE(model->context, model->fold_hardening, model->fold_angle, model->is_plate,
                model->bending, model->thickness, model->triangle_material, model->triangles);
}

void pli_model_place_triangles(pli_model *model, const pli_model_body *body,
                               const pli_body_def *def, const pli_body_mesh *mesh)
{
    // a mirrored body has its triangles the other way round
    bool mirrored = def->scale[0] * def->scale[1] * def->scale[2] < 0;
    for (int64_t k = 0; k < body->triangle_count; ++k) {
        int64_t triangle = body->first_triangle + k;
        int32_t *corners = model->triangles + 3 * triangle;
        for (int i = 0; i < 3; ++i) {
            corners[i] = body->first_vertex + mesh->cells[3 * k + (mirrored ? (3 - i) % 3 : i)];
        }
        model->triangle_material[triangle] = -1;
        bool shell = body->kind == PLI_BODY_SHELL;
        model->thickness[triangle] = shell ? def->thickness : 0;
        model->bending[triangle] = shell ? def->bending : 0;
        model->fold_angle[triangle] = shell ? def->fold.angle * degree : 0;
        model->fold_hardening[triangle] = shell ? def->fold.hardening : 0;
        model->is_plate[triangle] = shell && def->bending_model == PLI_BENDING_PLATE;
    }
}

pli_status pli_model_count_folds(pli_model *model)
{
    bool any = false;
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) any |= model->fold_angle[k] > 0;
    if (!any) return PLI_OK;
    pli_hinge_list list;
    PLI_TRY(
        pli_hinge_list_build(model->context, model->shell_triangle_count, model->triangles, &list));
    model->fold_count = list.count;
    pli_hinge_list_clear(model->context, &list);
    return PLI_OK;
}

void pli_model_lump_triangles(pli_model *model)
{
    for (int64_t k = 0; k < model->shell_triangle_count; ++k) {
        const int32_t *corners = model->triangles + 3 * k;
        const pli_model_material *material = &model->materials[model->triangle_material[k]];
        double volume = model->thickness[k] * pli_triangle_area_at(model->rest, corners);
        double third = material->density * volume / 3;
        for (int i = 0; i < 3; ++i) {
            model->mass[corners[i]] += third;
            model->drag[corners[i]] += material->drag * third;
        }
        model->total_mass += 3 * third;
        model->has_drag = model->has_drag || material->drag > 0;
        model->has_rayleigh = model->has_rayleigh || material->rayleigh > 0;
    }
}

// Fails with the first triangles that were found without area.
static pli_status refuse_triangles(const pli_model *model, pli_status status,
                                   const pli_offenders *flat, const char *why)
{
    char text[128];
    pli_offenders_text(flat, text, sizeof text);
    return PLI_FAIL(model->context, status, "%s %s %s no area%s",
                    flat->count == 1 ? "triangle" : "triangles", text,
                    flat->count == 1 ? "has" : "have", why);
}

pli_status pli_model_check_triangles(const pli_model *model, const pli_model_body *body,
                                     int32_t *triangle)
{
    *triangle = -1;
    if (body->kind != PLI_BODY_SHELL && body->kind != PLI_BODY_CLOTH) return PLI_OK;
    bool shell = body->kind == PLI_BODY_SHELL;
    pli_offenders flat = {0};
    pli_offenders flat_start = {0};
    for (int32_t k = 0; k < body->triangle_count; ++k) {
        const int32_t *corners = model->triangles + 3 * ((int64_t)body->first_triangle + k);
        if (!(pli_triangle_area_at(model->rest, corners) > 0)) pli_offenders_add(&flat, k);
        if (!(pli_triangle_area_at(model->start, corners) > 0)) pli_offenders_add(&flat_start, k);
    }
    if (flat.count > 0) *triangle = flat.first[0];
    if (flat.count > 0) {
        return refuse_triangles(model, PLI_ERROR_MESH, &flat,
                                shell ? ", which a shell needs everywhere"
                                      : ", which a cloth needs everywhere");
    }
    if (shell && flat_start.count > 0) {
        return refuse_triangles(model, PLI_ERROR_SCENE, &flat_start,
                                " at the start, where the energy of a shell is infinite; start "
                                "from another shape");
    }
    return PLI_OK;
}

void pli_model_add_rim_areas(const pli_model *model, double *areas)
{
    for (int64_t k = 0; k < model->shell_triangle_count; ++k) {
        const int32_t *corners = model->triangles + 3 * k;
        for (int i = 0; i < 3; ++i) {
            const double *from = model->rest + 3 * (int64_t)corners[(i + 1) % 3];
            const double *to = model->rest + 3 * (int64_t)corners[(i + 2) % 3];
            areas[corners[i]] += model->thickness[k] * pli_vec3_distance(from, to);
        }
    }
}
