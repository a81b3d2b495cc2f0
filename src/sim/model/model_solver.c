// SPDX-License-Identifier: Apache-2.0
//
// How a model moves: its solver, with the parts that the scene leaves open chosen, the coarse
// spaces of it, and the fields that its frames have.
#include "sim/model/coarse_build.h"
#include "sim/model/model_building.h"
#include "sim/model/subspace_build.h"
#include "sim/report/body_frame.h"
#include "sim/report/matter_frame.h"

// The fields of frames that the scene asks for and its solver and contacts have.
static pli_status set_frame_fields(pli_building *b)
{
    pli_model *model = b->model;
    const pli_output_def *output = &b->def->output;
    const char *unknown = NULL;
    model->frame_fields =
        model->matter != NULL
            ? pli_particle_fields_find(output->fields, output->field_count, &unknown)
            : pli_body_fields_find(output->fields, output->field_count, &unknown);
    if (unknown != NULL) {
        return PLI_FAIL(b->context, PLI_ERROR_SCENE, "output.fields: there is no field '%s'",
                        unknown);
    }
    if (model->matter != NULL) {
        bool implicit = model->solver_kind->grid != NULL;
        if (!implicit) model->frame_fields &= ~(1u << PLI_PARTICLE_RESIDUAL);
        return PLI_OK;
    }
    bool barrier = model->contact.method == PLI_CONTACT_BARRIER;
    bool collides = model->collider_count > 0 || model->contact.method != PLI_CONTACT_NONE;
    if (!collides) model->frame_fields &= ~(1u << PLI_BODY_CONTACT_FORCE);
    if (!barrier) {
        model->frame_fields &= ~(1u << PLI_BODY_FRICTION_FORCE | 1u << PLI_BODY_CONTACT_GAP);
    }
    model->frame_handle = model->solver_kind->subspace ? output->handle : -1;
    if (model->frame_handle < 0) model->frame_fields &= ~(1u << PLI_BODY_WEIGHT);
    if (!model->solver_kind->subspace) model->frame_fields &= ~PLI_BODY_SUBSPACE_FIELDS;
    if (model->yields == NULL) model->frame_fields &= ~(1u << PLI_BODY_PLASTIC);
    if (model->fold_count == 0) model->frame_fields &= ~(1u << PLI_BODY_FOLD);
    if (model->inputs == NULL) model->frame_fields &= ~(1u << PLI_BODY_YOUNG);
    return PLI_OK;
}

pli_status pli_model_set_solver(pli_building *b)
{
    pli_model *model = b->model;
    model->time = b->def->time;
    model->dt = 1 / (b->def->time.fps * b->def->time.steps_per_frame);
    model->solver_def = b->def->solver;
    model->solver_kind = pli_solver_kind_choose(b->def);
    if (model->solver_kind == NULL) {
        return PLI_FAIL(b->context, PLI_ERROR_SCENE, "there is no solver '%s'",
                        b->def->solver.name);
    }
    model->solver_def.name = model->solver_kind->info.name;
    bool at_rest = model->time.mode == PLI_MODE_QUASI_STATIC;
    model->solver_def.max_iterations =
        pli_solver_max_iterations(model->solver_kind, &model->solver_def, at_rest);
    model->solver_parts = pli_solver_parts_choose(model->solver_kind, &model->solver_def,
                                                  at_rest ? model->vertex_count : 0);
    model->seed = (uint64_t)(uint32_t)b->def->seed;
    model->wants_energies = b->def->output.iterations;
    return set_frame_fields(b);
}

pli_status pli_model_build_levels(pli_building *b)
{
    pli_model *model = b->model;
    PLI_TRY(pli_coarse_build(model));
    PLI_TRY(pli_reduction_build(model, b->model_def));
    pli_multigrid_def *def = &model->solver_def.multigrid;
    def->levels = NULL;
    def->level_count = 0;
    def->smoothers = "";
    def->handles = NULL;
    def->handle_count = 0;
    return PLI_OK;
}
