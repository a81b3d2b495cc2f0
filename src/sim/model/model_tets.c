// SPDX-License-Identifier: Apache-2.0
//
// The tetrahedra of solids in a model: what triangles have in model_triangles.c.
#include "base/memory.h"
#include "fem/tet_quadratic.h"
#include "geometry/mesh/tet_mesh.h"
#include "sim/model/model_building.h"

#include <string.h>

pli_status pli_model_allocate_tets(pli_model *m)
{
    int64_t tets = m->tet_count;
    PLI_TRY(PLI_MAKE(m->context, m->tets, 4 * tets, "tetrahedra"));
    PLI_TRY(PLI_MAKE(m->context, m->material_of, tets, "materials"));
    PLI_TRY(PLI_MAKE(m->context, m->first_point, tets + 1, "material points"));
    m->cells = m->tets;
    if (m->cell_count == tets) return PLI_OK;
    m->cells = NULL;
    PLI_TRY(PLI_MAKE(m->context, m->mid_nodes, 6 * tets, "edge nodes"));
    PLI_TRY(PLI_MAKE(m->context, m->tet_of_cell, m->cell_count, "cells"));
    return PLI_MAKE(m->context, m->cells, 4 * (int64_t)m->cell_count, "cells");
}

void pli_model_clear_tets(pli_model *model)
{
    if (model->cells != model->tets) pli_release(model->context, model->cells);
    PLI_RELEASE(model->context, model->mid_nodes, model->tet_of_cell, model->first_point,
                model->material_of, model->tets);
}

// The nodes on the edges of one tetrahedron of a body, and the cells that it is.
static void place_edge_nodes(pli_model *model, const pli_model_body *body,
                             const pli_body_mesh *mesh, int64_t tet, bool mirrored)
{
    int64_t at = body->first_tet + tet;
    bool quadratic = body->element == PLI_ELEMENT_QUADRATIC;
    model->first_point[at + 1] = model->first_point[at] + (quadratic ? PLI_TET10_POINTS : 1);
    if (model->mid_nodes == NULL) return;
    int32_t *mid = model->mid_nodes + 6 * at;
    for (int k = 0; k < 6; ++k) {
        mid[k] = quadratic ? mesh->mid[6 * tet + k] + body->first_vertex : -1;
    }
    int64_t parts = quadratic ? PLI_TET_PARTS : 1, cell = body->first_cell + parts * tet;
    for (int64_t k = 0; k < parts; ++k) model->tet_of_cell[cell + k] = (int32_t)at;
    if (!quadratic) {
        memcpy(model->cells + 4 * cell, model->tets + 4 * at, 4 * sizeof *model->cells);
        return;
    }
    if (mirrored) pli_tet_turn_mid(mid);
    pli_tet_split(model->tets + 4 * at, mid, model->cells + 4 * cell);
}

void pli_model_place_tets(pli_model *model, const pli_model_body *body, const pli_body_def *def,
                          const pli_body_mesh *mesh)
{
    bool mirrored = def->scale[0] * def->scale[1] * def->scale[2] < 0;
    for (int64_t tet = 0; tet < body->tet_count; ++tet) {
        int32_t *corners = model->tets + 4 * (body->first_tet + tet);
        for (int k = 0; k < 4; ++k) corners[k] = mesh->cells[4 * tet + k] + body->first_vertex;
        if (mirrored) pli_tet_turn(corners);
        place_edge_nodes(model, body, mesh, tet, mirrored);
    }
}

double pli_model_lump_tet(const pli_model *model, int64_t tet, double density, double *sums)
{
    if (!pli_model_tet_is_quadratic(model, tet)) {
        return 4 * pli_tet_lump(model->rest, model->tets + 4 * tet, density, sums);
    }
    int32_t nodes[PLI_TET10];
    pli_model_tet_nodes(model, tet, nodes);
    return pli_tet10_lump(model->rest, nodes, density, sums);
}

void pli_model_lump_tets(pli_model *model)
{
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        double density = material->density;
        model->total_mass += pli_model_lump_tet(model, tet, density, model->mass);
        pli_model_lump_tet(model, tet, density * material->drag, model->drag);
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
        if (body->element == PLI_ELEMENT_LOCKING_FREE) {
            return PLI_FAIL(
                b->context, PLI_ERROR_SCENE,
                "body %s: tetrahedron %lld starts inverted or flat, where the energy of "
                "locking-free elements is infinite; start from another shape, or write "
                "element: linear",
                body->name, (long long)k);
        }
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
