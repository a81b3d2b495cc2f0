// SPDX-License-Identifier: Apache-2.0
//
// The tetrahedra of solids in a model: what triangles have in model_triangles.c.
#include "geometry/mesh/tet_mesh.h"
#include "sim/model/model_building.h"

void pli_model_place_tets(pli_model *model, const pli_model_body *body, const pli_body_def *def,
                          const pli_body_mesh *mesh)
{
    bool mirrored = def->scale[0] * def->scale[1] * def->scale[2] < 0;
    for (int64_t tet = 0; tet < body->tet_count; ++tet) {
        int32_t *corners = model->tets + 4 * (body->first_tet + tet);
        for (int k = 0; k < 4; ++k) corners[k] = mesh->cells[4 * tet + k] + body->first_vertex;
        if (mirrored) {
            int32_t swap = corners[2];
            corners[2] = corners[3];
            corners[3] = swap;
        }
    }
}

void pli_model_lump_tets(pli_model *model)
{
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        const int32_t *corners = model->tets + 4 * tet;
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        double density = material->density;
        model->total_mass += 4 * pli_tet_lump(model->rest, corners, density, model->mass);
        pli_tet_lump(model->rest, corners, density * material->drag, model->drag);
        model->has_drag = model->has_drag || material->drag > 0;
        model->has_rayleigh = model->has_rayleigh || material->rayleigh > 0;
    }
}

pli_status pli_model_check_tets(const pli_building *b, int32_t index)
{
    const pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    int32_t inverted = 0;
    for (int64_t k = 0; k < body->tet_count; ++k) {
        int64_t tet = body->first_tet + k;
        if (pli_tet_volume_at(model->start, model->tets + 4 * tet) > 0) continue;
        const pli_material_ops *law = model->laws[model->materials[model->material_of[tet]].law];
        if (!(law->flags & PLI_LAW_INVERTIBLE)) {
            return PLI_FAIL(
                b->context, PLI_ERROR_SCENE,
                "body %s: tetrahedron %lld starts inverted or flat, where the energy of "
                "law %s is infinite; start from another shape or use a law such as "
                "fixed-corotated",
                body->name, (long long)k, law->name);
        }
        ++inverted;
    }
    // a random or collapsed start means it
    int32_t start = pli_building_body(b, index)->start.kind;
    if (inverted == 0 || start == PLI_START_RANDOM || start == PLI_START_COLLAPSED) return PLI_OK;
    if (b->def->checks.inverted_start == PLI_SEVERITY_ERROR) {
        return PLI_FAIL(b->context, PLI_ERROR_SCENE,
                        "body %s: %d tetrahedra start inverted or flat", body->name, (int)inverted);
    }
    if (b->def->checks.inverted_start == PLI_SEVERITY_WARNING) {
        PLI_LOG(b->context, PLI_LOG_WARNING, "body %s: %d tetrahedra start inverted or flat",
                body->name, (int)inverted);
    }
    return PLI_OK;
}
