// SPDX-License-Identifier: Apache-2.0
//
// From a scene to a model, stage by stage: see build().
#include "sim/model/model.h"

#include "base/memory.h"
#include "sim/body/body_size.h"
#include "sim/body/overlap.h"
#include "sim/model/cavity_build.h"
#include "sim/model/collider_build.h"
#include "sim/model/load_build.h"
#include "sim/model/matter_build.h"
#include "sim/model/model_building.h"
#include "sim/model/model_paint.h"
#include "sim/model/model_springs.h"
#include "sim/model/model_triangles.h"
#include "sim/model/probe_build.h"
#include "sim/model/resolution.h"
#include "sim/model/subspace_build.h"
#include "sim/scene/magnitude.h"
#include "sim/scene/solver_rules.h"
#include "sim/step/norm.h"
#include "sim/step/substeps.h"
#include "sim/step/travel.h"

pli_status pli_model_go_on(pli_context *context, const pli_model_def *def)
{
    if (def->cancel == NULL || !def->cancel(def->cancel_user)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_INTERRUPTED, "the preparation was stopped");
}

pli_status pli_building_go_on(const pli_building *b)
{
    return pli_model_go_on(b->context, b->model_def);
}

static void set_gravity(pli_building *b)
{
    pli_model *model = b->model;
    pli_vec3_set(0, 0, 0, model->gravity);
    model->gravity[b->def->up == PLI_UP_Z ? 2 : 1] = -9.81;
    if (b->def->gravity_count == 3) pli_vec3_copy(b->def->gravity, model->gravity);
}

static void set_size(pli_model *model)
{
    int32_t count = pli_model_body_vertices(model);
    pli_bounds box = pli_bounds_union(pli_bounds_of_points(count, model->rest),
                                      pli_bounds_of_points(count, model->start));
    model->size = pli_vec3_distance(box.min, box.max);
}

// ---- meshes: solids, shells, cloth and obstacles

// Which bodies there are, and room for their vertices and elements.
static pli_status list_meshes(pli_building *b)
{
    PLI_TRY(pli_model_list_bodies(b));
    PLI_TRY(pli_body_check_sizes(b->scene));
    pli_model_choose_elements(b);
    PLI_TRY(pli_model_create_meshes(b));
    PLI_TRY(pli_model_list_surfaces(b));
    PLI_TRY(pli_model_count_arrays(b));
    PLI_TRY(pli_building_go_on(b));
    return pli_model_allocate_arrays(b);
}

// Where they rest, what they are made of and weigh, and how they start.
static pli_status build_bodies(pli_building *b)
{
    PLI_TRY(pli_model_resolve_materials(b));
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        pli_model_place_body(b, k);
        pli_model_assign_materials(b, k);
        PLI_TRY(pli_model_paint_body(b, k));
    }
    PLI_TRY(pli_model_build_tracks(b));
    pli_model_lump_tets(b->model);
    pli_model_lump_triangles(b->model);
    PLI_TRY(pli_model_resolve_yields(b));
    PLI_TRY(pli_model_resolve_viscoelastic(b));
    PLI_TRY(pli_model_count_folds(b->model));
    PLI_TRY(pli_model_build_springs(b->model, b->def, b->meshes));
    for (int32_t k = 0; k < b->model->body_count; ++k) PLI_TRY(pli_model_start_body(b, k));
    pli_model_place_surfaces(b);
    return PLI_OK;
}

static pli_status build_meshes(pli_building *b)
{
    PLI_TRY(list_meshes(b));
    PLI_TRY(build_bodies(b));
    PLI_TRY(pli_model_build_constraints(b));
    PLI_TRY(pli_model_hold_obstacles(b));
    PLI_TRY(pli_model_build_attachments(b));
    PLI_TRY(pli_cavity_build(b->model, b->scene, b->meshes));
    PLI_TRY(pli_load_build(b->model, b->scene, b->meshes));
    set_size(b->model);
    return PLI_OK;
}

// Their surface, and whether they may start where they are.
static pli_status meet_meshes(pli_building *b)
{
    PLI_TRY(pli_model_hold_surfaces(b));
    PLI_TRY(pli_resolution_check(b->model));
    PLI_TRY(pli_collider_build_surface(b->model, b->scene, b->meshes));
    PLI_TRY(pli_building_go_on(b));
    PLI_TRY(pli_overlap_check(b->model, b->scene));
    return pli_building_go_on(b);
}

static pli_status prepare_meshes(pli_building *b)
{
    PLI_TRY(pli_travel_check_start(b->model, b->scene));
    PLI_TRY(pli_norm_build(b->model));
    PLI_TRY(pli_solver_check_model(b->model, b->scene));
    return pli_model_build_levels(b);
}

// ---- particles: bodies and emitters of them

static pli_status build_matter(pli_building *b)
{
    PLI_TRY(pli_building_go_on(b));
    PLI_TRY(pli_matter_build(b->model, b->scene));
    return pli_building_go_on(b);
}

static pli_status prepare_matter(pli_building *b)
{
    PLI_TRY(pli_substeps_check_start(b->model, b->scene));
    pli_norm_build_matter(b->model);
    return pli_matter_count(b->model);
}

// ---- the model

static pli_status build(pli_building *b)
{
    bool particles = pli_scene_has_particles(b->def);
    bool meshes = !particles;

    // what there is, and how it starts
    PLI_TRY(pli_model_name_materials(b));
    set_gravity(b);
    if (meshes) PLI_TRY(build_meshes(b));
    if (particles) PLI_TRY(build_matter(b));

    // what it meets
    PLI_TRY(pli_collider_build(b->model, b->scene));
    if (meshes) PLI_TRY(meet_meshes(b));
    if (particles) PLI_TRY(pli_matter_check_overlap(b->model, b->scene));
    PLI_TRY(pli_probe_build(b));

    // what moves it
    PLI_TRY(pli_model_set_solver(b));
    if (meshes) PLI_TRY(prepare_meshes(b));
    if (particles) PLI_TRY(prepare_matter(b));
    return PLI_OK;
}

// Gives back what only the building needed.
static void clear(pli_building *b)
{
    for (int32_t k = 0; b->meshes != NULL && k < b->mesh_count; ++k) {
        pli_body_mesh_destroy(b->meshes[k]);
    }
    PLI_RELEASE(b->context, b->meshes, b->mask);
    pli_names_clear(&b->materials);
}

pli_status pli_model_create(pli_context *context, const pli_scene *scene, const pli_model_def *def,
                            pli_model **model)
{
    static const pli_model_def plain = {0};
    *model = NULL;
    pli_model *made = PLI_NEW(context, pli_model, 1, "model");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_building b = {.context = context,
                      .model = made,
                      .scene = scene,
                      .def = pli_scene_get(scene),
                      .model_def = def != NULL ? def : &plain};
    pli_names_init(&b.materials, context);
    pli_status status = build(&b);
    if (status == PLI_OK) pli_magnitude_check_bodies(made, scene);
    clear(&b);
    if (status != PLI_OK) {
        pli_model_destroy(made);
        return status;
    }
    pli_model_info info = pli_model_get_info(made);
    pli_body_warn_memory(context, info.memory_estimate);
    *model = made;
    return PLI_OK;
}

void pli_model_destroy(pli_model *model)
{
    if (model == NULL) return;
    pli_context *context = model->context;
    pli_probe_clear(model);
    pli_matter_destroy(model->matter);
    pli_reduction_destroy(context, model->reduction);
    pli_hierarchy_destroy(model->hierarchy);
    pli_collider_clear(model);
    pli_load_clear(model);
    pli_cavity_clear(model);
    pli_model_clear_handles(model);
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
        pli_release(context, model->bodies[k].name);
    }
    PLI_RELEASE(context, model->bodies, model->laws, model->branches, model->yields,
                model->materials);
    pli_model_clear_tets(model);
    pli_model_clear_springs(model);
    pli_model_clear_triangles(model);
    pli_model_clear_paint(model);
    PLI_RELEASE(context, model->norm_weights, model->drag, model->mass, model->start_velocity,
                model->start, model->rest, model);
}
