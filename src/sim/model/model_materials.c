// SPDX-License-Identifier: Apache-2.0
//
// What bodies of meshes are made of: laws with their parameters, how they yield, and which element
// has which material.
#include "base/memory.h"
#include "sim/body/material_matter.h"
#include "sim/body/material_resolve.h"
#include "sim/body/selection.h"
#include "sim/model/model_building.h"
#include "sim/model/model_paint.h"

#include <stdio.h>
#include <string.h>

pli_status pli_model_name_materials(pli_building *b)
{
    int32_t index = 0;
    for (int32_t k = 0; k < b->def->material_count; ++k) {
        PLI_TRY(pli_names_add(&b->materials, b->def->materials[k].name, &index));
    }
    return PLI_OK;
}

// Validation has made sure that there is one of that name, and only one.
static int32_t find_material(const pli_building *b, const char *name)
{
    return pli_names_find(&b->materials, name);
}

static int32_t find_or_add_law(pli_model *model, const pli_material_ops *law)
{
    for (int32_t k = 0; k < model->law_count; ++k) {
        if (model->laws[k] == law) return k;
    }
    model->laws[model->law_count] = law;
    return model->law_count++;
}

// What shells are made of, where the law has it.
static void set_moduli(const pli_resolved_material *values, pli_model_material *material)
{
    int32_t young = pli_material_find_input(values->law, "young");
    int32_t poisson = pli_material_find_input(values->law, "poisson");
    if (young >= 0) material->young = values->inputs[young];
    if (poisson >= 0) material->poisson = values->inputs[poisson];
}

void pli_model_set_material(pli_model *model, int32_t source, const pli_resolved_material *values,
                            int32_t row)
{
    pli_model_material *material = &model->materials[row];
    *material = (pli_model_material){.source = source,
                                     .law = find_or_add_law(model, values->law),
                                     .density = values->density,
                                     .drag = values->drag,
                                     .rayleigh = values->rayleigh};
    set_moduli(values, material);
    values->law->derive(values->inputs, material->params);
    material->rest_norm = pli_material_rest_norm(values->law, material->params);
    if (model->inputs == NULL) return;
    memcpy(model->inputs + (int64_t)row * model->input_stride, values->inputs,
           (size_t)model->input_stride * sizeof(double));
}

// Room for the inputs of laws, where elements or times differ in them.
static pli_status allocate_inputs(pli_building *b)
{
    bool any = false;
    int32_t most = 0;
    for (int32_t k = 0; k < b->def->material_count; ++k) {
        pli_resolved_material values;
        const pli_material_def *def = &b->def->materials[k];
        any = any || pli_material_is_painted(def);
        bool is_right = pli_material_resolve(b->context, def, &values, NULL);
        int32_t own = is_right ? pli_material_defaults(values.law, NULL) : 0;
        if (own > most) most = own;
    }
    if (!any) return PLI_OK;
    b->model->input_stride = most;
    return PLI_MAKE(b->context, b->model->inputs, (int64_t)b->def->material_count * most,
                    "inputs of laws");
}

pli_status pli_model_resolve_materials(pli_building *b)
{
    pli_model *model = b->model;
    int32_t count = b->def->material_count;
    PLI_TRY(PLI_MAKE(b->context, model->materials, count, "materials"));
    PLI_TRY(PLI_MAKE(b->context, model->laws, 2 * (int64_t)count, "laws"));
    model->material_count = count;
    PLI_TRY(allocate_inputs(b));
    for (int32_t k = 0; k < count; ++k) {
        pli_resolved_material values;
        pli_material_problem problem;
        if (!pli_material_resolve(b->context, &b->def->materials[k], &values, &problem)) {
            return PLI_FAIL(b->context, PLI_ERROR_SCENE, "materials.%s.%s: %s",
                            b->def->materials[k].name, problem.key, problem.text);
        }
        if (values.law->param_count > PLI_MODEL_PARAMS) {
            return PLI_FAIL(b->context, PLI_ERROR_UNSUPPORTED,
                            "law %s has %d parameters per point; at most %d are supported",
                            values.law->name, (int)values.law->param_count, PLI_MODEL_PARAMS);
        }
        pli_model_set_material(model, k, &values, k);
    }
    return PLI_OK;
}

// Gives a material the law that has its yielding within, where there is one; parameters follow the
// history of every tetrahedron (fem/plastic.h).
static void yield_inside(pli_model *model, int32_t index)
{
    const pli_material *yields = &model->yields[index];
    const pli_material_ops *law = pli_material_step_law(yields, true);
    if (yields->yield == NULL || law == yields->law) return;
    pli_model_material *material = &model->materials[index];
    material->law = find_or_add_law(model, law);
    pli_material_step_params(yields, true, pli_material_rest_history(yields), material->params);
}

pli_status pli_model_resolve_yields(pli_building *b)
{
    pli_model *model = b->model;
    bool any = false;
    for (int32_t tet = 0; tet < model->tet_count && !any; ++tet) {
        int32_t source = model->materials[model->material_of[tet]].source;
        int32_t kind = b->def->materials[source].yield.kind;
        any = kind >= 0 && kind != PLI_YIELD_NONE;
    }
    if (!any) return PLI_OK;
    PLI_TRY(PLI_MAKE(b->context, model->yields, model->material_count, "yield"));
    for (int32_t k = 0; k < model->material_count; ++k) {
        const pli_model_material *material = &model->materials[k];
        const pli_material_def *def = &b->def->materials[material->source];
        if (def->yield.kind < 0) continue;
        PLI_TRY(pli_matter_resolve_as(b->context, def, model->laws[material->law],
                                      pli_model_inputs(model, k), material->density,
                                      &model->yields[k]));
        if (b->def->solver.plasticity == PLI_PLASTICITY_IMPLICIT) yield_inside(model, k);
    }
    return PLI_OK;
}

// Of moduli of sudden loads the branches take away their ratios: c = 1 - sum of them.
static pli_branches resolve_branches(const pli_material_def *def)
{
    pli_branches branches = {.count = def->viscoelastic_count, .slow = 1};
    for (int32_t k = 0; k < branches.count; ++k) {
        branches.ratio[k] = def->viscoelastic[k].ratio;
        branches.time[k] = def->viscoelastic[k].time;
        if (def->moduli == PLI_MODULI_INSTANTANEOUS) branches.slow -= branches.ratio[k];
    }
    return branches;
}

pli_status pli_model_resolve_viscoelastic(pli_building *b)
{
    pli_model *model = b->model;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        int32_t source = model->materials[model->material_of[tet]].source;
        int32_t count = b->def->materials[source].viscoelastic_count;
        if (count > model->branch_count) model->branch_count = count;
    }
    if (model->branch_count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(b->context, model->branches, model->material_count, "branches"));
    for (int32_t k = 0; k < model->material_count; ++k) {
        model->branches[k] = resolve_branches(&b->def->materials[model->materials[k].source]);
    }
    return PLI_OK;
}

static void warn_region(const pli_building *b, const pli_body_def *def, int32_t region,
                        const char *what)
{
    char path[PLI_PATH_CAPACITY];
    const pli_region_def *holder = &def->regions[region];
    snprintf(path, sizeof path, "bodies.%s.regions[%d].where", def->name, (int)region);
    pli_visit at = {.path = path, .holder = holder, .member = &holder->where};
    pli_scene_warn(b->scene, &at, "selects no %s", what);
}

void pli_model_assign_materials(pli_building *b, int32_t index)
{
    const pli_body_def *def = pli_building_body(b, index);
    const pli_model_body *body = &b->model->bodies[index];
    if (body->kind != PLI_BODY_SOLID && body->kind != PLI_BODY_SHELL) return;
    bool shell = body->kind == PLI_BODY_SHELL;
    int32_t *material_of = shell ? b->model->triangle_material + body->first_triangle
                                 : b->model->material_of + body->first_tet;
    int32_t cell_count = shell ? body->triangle_count : body->tet_count;
    int32_t material = find_material(b, def->material);
    for (int32_t cell = 0; cell < cell_count; ++cell) material_of[cell] = material;

    pli_selection_source source = pli_building_selection(b, index);
    for (int32_t k = 0; k < def->region_count; ++k) {
        int32_t region = find_material(b, def->regions[k].material);
        if (pli_selection_mark_cells(&def->regions[k].where, &source, b->mask) == 0) {
            warn_region(b, def, k, shell ? "triangle" : "tetrahedron");
        }
        for (int32_t cell = 0; cell < cell_count; ++cell) {
            if (b->mask[cell]) material_of[cell] = region;
        }
    }
}
