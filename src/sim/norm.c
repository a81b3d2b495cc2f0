// SPDX-License-Identifier: Apache-2.0
#include "sim/norm.h"

#include "base/memory.h"
#include "geometry/tet_mesh.h"
#include "math/vec3.h"

#include <math.h>

static const double default_characteristic = 1e-7;
static const double default_velocity = 1e-4; // scene diagonals per second

// Area of the face of a tetrahedron opposite to a corner.
static double opposite_area(const pli_model *model, const int32_t corners[4], int corner)
{
    const double *p[3];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        if (k != corner) p[count++] = model->rest + 3 * (int64_t)corners[k];
    }
    double u[3];
    double v[3];
    double n[3];
    pli_vec3_subtract(p[1], p[0], u);
    pli_vec3_subtract(p[2], p[0], v);
    pli_vec3_cross(u, v, n);
    return 0.5 * pli_vec3_norm(n);
}

// What the material around every vertex bears: bearable[i] = l_i xi_i (N).
static void compute_bearable(const pli_model *model, double *area, double *stiffness)
{
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        const int32_t *corners = model->tets + 4 * tet;
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        // mass-weighted by what this tetrahedron gives to each corner; the volume cancels later
        double quarter = 0.25 * material->density * pli_tet_volume_at(model->rest, corners);
        for (int k = 0; k < 4; ++k) {
            area[corners[k]] += opposite_area(model, corners, k);
            stiffness[corners[k]] += quarter * material->rest_norm;
        }
    }
    for (int64_t k = 0; k < model->vertex_count; ++k) {
        area[k] *= stiffness[k] / model->mass[k];
    }
}

static void use_velocity(pli_model *model)
{
    double a = model->time.integrator == PLI_BDF2 ? 4.0 / 9.0 : 1.0;
    double h = a * model->dt;
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        model->norm_weights[k] = h * h / (model->mass[k] * model->total_mass);
    }
    model->norm_scale = model->size;
    model->tolerance = default_velocity * model->size;
}

static void use_characteristic(pli_model *model, const double *bearable)
{
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        model->norm_weights[k] = 1 / (bearable[k] * bearable[k] * model->vertex_count);
    }
    model->norm_scale = 1;
    model->tolerance = default_characteristic;
}

static void use_force(pli_model *model, const double *bearable)
{
    double mean = 0;
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        model->norm_weights[k] = 1;
        mean += bearable[k] / model->vertex_count;
    }
    model->norm_scale = 1;
    model->tolerance = default_characteristic * mean;
}

pli_status pli_norm_build(pli_model *model)
{
    pli_context *context = model->context;
    double *bearable = PLI_NEW(context, double, model->vertex_count, "norm");
    double *stiffness = PLI_NEW(context, double, model->vertex_count, "norm");
    pli_status status = PLI_ERROR_MEMORY;
    if (bearable == NULL || stiffness == NULL) goto done;
    compute_bearable(model, bearable, stiffness);

    bool moves = model->time.mode == PLI_MODE_DYNAMIC;
    model->norm = (pli_norm_kind)model->solver_def.norm;
    if (model->norm == PLI_NORM_AUTO) {
        model->norm = moves ? PLI_NORM_VELOCITY : PLI_NORM_CHARACTERISTIC;
    }
    if (model->norm == PLI_NORM_VELOCITY) use_velocity(model);
    if (model->norm == PLI_NORM_CHARACTERISTIC) use_characteristic(model, bearable);
    if (model->norm == PLI_NORM_FORCE) use_force(model, bearable);
    if (model->solver_def.tolerance > 0) model->tolerance = model->solver_def.tolerance;
    status = PLI_OK;

done:
    pli_release(context, stiffness);
    pli_release(context, bearable);
    return status;
}
