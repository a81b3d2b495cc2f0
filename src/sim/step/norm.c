// SPDX-License-Identifier: Apache-2.0
#include "sim/step/norm.h"

#include "base/memory.h"
#include "geometry/mesh/tet_mesh.h"
#include "sim/model/model_triangles.h"

static const double default_characteristic = 1e-7;
static const double default_velocity = 1e-4;   // scene diagonals per second
static const double default_step = 1e-3;       // scene diagonals per second
static const double default_error = 1e-5;      // of the deformation
static const double subspace_tolerance = 2e-4; // m/s, see multilevel/subspace.h

// The force scale of the material around every vertex: force_scale[i] = l_i xi_i (N), with xi_i the
// mean of rest_norm by mass; 0 for the vertices of obstacles.
static pli_status compute_force_scale(const pli_model *model, double *force_scale,
                                      double *stiffness)
{
    pli_tets tets = {model->vertex_count, model->rest, model->cell_count, model->cells};
    PLI_TRY(pli_tets_ring_areas(model->context, &tets, force_scale));
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        pli_model_lump_tet(model, tet, material->density * material->rest_norm, stiffness);
    }
    pli_model_add_rim_areas(model, force_scale);
    for (int64_t k = 0; k < model->shell_triangle_count; ++k) {
        const int32_t *corners = model->triangles + 3 * k;
        const pli_model_material *material = &model->materials[model->triangle_material[k]];
        double volume = model->thickness[k] * pli_triangle_area_at(model->rest, corners);
        double third = material->density * material->rest_norm * volume / 3;
        for (int i = 0; i < 3; ++i) stiffness[corners[i]] += third;
    }
    for (int64_t k = 0; k < model->vertex_count; ++k) {
        force_scale[k] *= model->mass[k] > 0 ? stiffness[k] / model->mass[k] : 0;
    }
    // that of a vertex of cloth is what its springs do at twice their length
    for (int64_t k = 0; k < model->spring_count; ++k) {
        double force = model->spring_stiffness[k] * model->spring_length[k];
        force_scale[model->spring_ends[2 * k]] += force;
        force_scale[model->spring_ends[2 * k + 1]] += force;
    }
    return PLI_OK;
}

static void use_velocity(pli_model *model)
{
    double a = model->time.integrator == PLI_BDF2 ? 4.0 / 9.0 : 1.0;
    double h = a * model->dt;
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        double mass = model->mass[k];
        model->norm_weights[k] = mass > 0 ? h * h / (mass * model->total_mass) : 0;
    }
    model->norm_scale = model->size;
    model->tolerance = default_velocity * model->size;
}

// Vertices that are not those of obstacles; at least 1.
static int32_t count_material_vertices(const pli_model *model)
{
    int32_t count = 0;
    for (int32_t k = 0; k < model->vertex_count; ++k) count += model->mass[k] > 0;
    return count > 0 ? count : 1;
}

static void use_characteristic(pli_model *model, const double *force_scale)
{
    int32_t count = count_material_vertices(model);
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        double b = force_scale[k];
        model->norm_weights[k] = b > 0 ? 1 / (b * b * count) : 0;
    }
    model->norm_scale = 1;
    model->tolerance = default_characteristic;
}

static void use_force(pli_model *model, const double *force_scale)
{
    int32_t count = count_material_vertices(model);
    double mean = 0;
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        model->norm_weights[k] = 1;
        mean += force_scale[k] / count;
    }
    model->norm_scale = 1;
    model->tolerance = default_characteristic * mean;
}

// The norms that compare forces with the force scale.
static pli_status use_force_scale(pli_model *model)
{
    pli_context *context = model->context;
    double *force_scale = PLI_NEW(context, double, model->vertex_count, "norm");
    double *stiffness = PLI_NEW(context, double, model->vertex_count, "norm");
    pli_status status = PLI_ERROR_MEMORY;
    if (force_scale == NULL || stiffness == NULL) goto done;
    status = compute_force_scale(model, force_scale, stiffness);
    if (status != PLI_OK) goto done;
    if (model->norm != PLI_NORM_FORCE) use_characteristic(model, force_scale);
    if (model->norm == PLI_NORM_FORCE) use_force(model, force_scale);

done:
    pli_release(context, stiffness);
    pli_release(context, force_scale);
    return status;
}

pli_status pli_norm_build(pli_model *model)
{
    bool moves = model->time.mode == PLI_MODE_DYNAMIC;
    model->norm = (pli_norm_kind)model->solver_def.norm;
    if (model->norm == PLI_NORM_AUTO) {
        model->norm = pli_solver_has(model->solver_kind, PLI_JUDGES_STEPS) ? PLI_NORM_STEP
                                                                           : PLI_NORM_VELOCITY;
        if (!moves) model->norm = PLI_NORM_ERROR;
    }
    if (model->norm == PLI_NORM_VELOCITY || model->norm == PLI_NORM_STEP) {
        use_velocity(model);
        if (model->norm == PLI_NORM_STEP) {
            model->tolerance = default_step * model->size;
            if (moves && model->solver_kind->subspace) model->tolerance = subspace_tolerance;
        }
    } else {
        PLI_TRY(use_force_scale(model));
        if (model->norm == PLI_NORM_ERROR) model->tolerance = default_error;
    }
    if (model->solver_def.tolerance > 0) model->tolerance = model->solver_def.tolerance;
    return PLI_OK;
}

void pli_norm_build_matter(pli_model *model)
{
    const pli_grid_method *method = model->solver_kind->grid;
    if (method == NULL) return;
    model->norm = PLI_NORM_CHARACTERISTIC;
    model->tolerance = method->tolerance > 0 ? method->tolerance : default_characteristic;
    if (model->solver_def.tolerance > 0) model->tolerance = model->solver_def.tolerance;
}

const char *pli_norm_unit(const pli_model *model)
{
    static const char *const units[] = {
        [PLI_NORM_AUTO] = "",   [PLI_NORM_VELOCITY] = "m/s", [PLI_NORM_CHARACTERISTIC] = "",
        [PLI_NORM_FORCE] = "N", [PLI_NORM_STEP] = "m/s",     [PLI_NORM_ERROR] = ""};
    const pli_grid_method *method = model->matter != NULL ? model->solver_kind->grid : NULL;
    return method != NULL && method->plain_norm ? "kg m/s" : units[model->norm];
}
