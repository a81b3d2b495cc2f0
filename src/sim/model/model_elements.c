// SPDX-License-Identifier: Apache-2.0
//
// Which element the tetrahedra of a body are, where the scene leaves the choice.
#include "sim/body/body_mesh.h"
#include "sim/model/model_building.h"

#include <math.h>

// above which matter counts as nearly incompressible, so that linear tetrahedra lock
static const double nearly_incompressible = 0.45; // Poisson's ratio

// Poisson's ratio of a material of the scene; 0: its law has none, or it is told elsewhere that
// something is wrong with it.
static double poisson_of(const pli_building *b, const char *name)
{
    int32_t material = pli_names_find(&b->materials, name);
    pli_resolved_material values;
    if (material < 0) return 0;
    if (!pli_material_resolve(b->context, &b->def->materials[material], &values, NULL)) return 0;
    int32_t input = pli_material_find_input(values.law, "poisson");
    return input >= 0 ? values.inputs[input] : 0;
}

static double largest_poisson(const pli_building *b, const pli_body_def *def)
{
    double largest = poisson_of(b, def->material);
    for (int32_t k = 0; k < def->region_count; ++k) {
        largest = fmax(largest, poisson_of(b, def->regions[k].material));
    }
    return largest;
}

static pli_element_kind choose(const pli_building *b, const pli_body_def *def)
{
    const pli_solver_kind *solver = pli_solver_kind_choose(b->def);
    const pli_mesh_data *file = pli_body_mesh_file(def);
    bool quadratic = file != NULL && file->tet_mids != NULL;
    if (solver == NULL) return PLI_ELEMENT_LINEAR;
    if (quadratic && pli_solver_has(solver, PLI_TAKES_QUADRATIC)) return PLI_ELEMENT_QUADRATIC;
    if (quadratic) {
        PLI_LOG(
            b->context, PLI_LOG_WARNING,
            "body %s: its file is of second order, and solver %s takes linear tetrahedra; nodes "
            "on edges are left out",
            def->name, solver->info.name);
    }
    // what starts inverted has no energy there
    bool upright = def->start.kind != PLI_START_RANDOM && def->start.kind != PLI_START_COLLAPSED;
    bool taken = upright && pli_solver_has(solver, PLI_TAKES_PATCHES);
    bool stiff = largest_poisson(b, def) > nearly_incompressible;
    return taken && stiff ? PLI_ELEMENT_LOCKING_FREE : PLI_ELEMENT_LINEAR;
}

void pli_model_choose_elements(pli_building *b)
{
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        pli_model_body *body = &b->model->bodies[k];
        const pli_body_def *def = pli_building_body(b, k);
        body->element = PLI_ELEMENT_LINEAR;
        if (body->kind != PLI_BODY_SOLID) continue;
        body->element = (pli_element_kind)def->element;
        if (body->element != PLI_ELEMENT_AUTO) continue;
        // pieces and copies follow the first
        bool known = k > 0 && body[-1].source == body->source;
        body->element = known ? body[-1].element : choose(b, def);
    }
}
