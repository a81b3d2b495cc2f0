// SPDX-License-Identifier: Apache-2.0
//
// How bodies of meshes start: positions, velocities, and whether their laws bear it.
#include "base/random.h"
#include "math/mat3.h"
#include "sim/body/body_check.h"
#include "sim/model/model_building.h"
#include "sim/model/model_triangles.h"

enum { RANDOM_STREAM_START = 1 };

static void body_centroid(const pli_model *model, const pli_model_body *body, double center[3])
{
    double mass = 0;
    pli_vec3_set(0, 0, 0, center);
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        pli_vec3_add_scaled(center, model->mass[k], model->rest + 3 * k, center);
        mass += model->mass[k];
    }
    if (mass > 0) pli_vec3_scale(1 / mass, center, center);
}

static void start_random(const pli_building *b, int32_t index, const pli_start_random_def *random)
{
    const pli_model_body *body = &b->model->bodies[index];
    const double *rest = b->model->rest + 3 * (int64_t)body->first_vertex;
    pli_bounds box = pli_bounds_of_points(body->vertex_count, rest);
    // a stream per body, so that adding a body changes no other
    pli_random source = {(uint64_t)(uint32_t)b->def->seed,
                         (uint64_t)RANDOM_STREAM_START << 32 | (uint32_t)index};
    for (int64_t k = 0; k < 3 * (int64_t)body->vertex_count; ++k) {
        int axis = (int)(k % 3);
        double middle = 0.5 * (box.min[axis] + box.max[axis]);
        double reach = 0.5 * random->scale * (box.max[axis] - box.min[axis]);
        b->model->start[3 * (int64_t)body->first_vertex + k] =
            pli_random_range(source, (uint64_t)k, middle - reach, middle + reach);
    }
}

// The positions that a body starts from.
static void start_positions(const pli_building *b, int32_t index)
{
    const pli_body_def *def = pli_building_body(b, index);
    pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    double center[3];
    body_centroid(model, body, center);
    if (def->start.kind == PLI_START_RANDOM) {
        start_random(b, index, def->start.data);
        return;
    }
    double scale[3] = {1, 1, 1};
    double to[3];
    pli_vec3_copy(center, to);
    if (def->start.kind == PLI_START_STRETCHED) {
        pli_vec3_copy(((const pli_start_stretched_def *)def->start.data)->scale, scale);
    } else if (def->start.kind == PLI_START_COLLAPSED) {
        const pli_start_collapsed_def *collapsed = def->start.data;
        pli_vec3_set(0, 0, 0, scale);
        if (collapsed->point_count == 3) pli_vec3_copy(collapsed->point, to);
    }
    bool at_rest = def->start.kind == PLI_START_REST;
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            double X = model->rest[3 * k + axis];
            // written so that a body at rest starts with exactly its rest positions
            model->start[3 * k + axis] = at_rest ? X : to[axis] + scale[axis] * (X - center[axis]);
        }
    }
}

// v = velocity + omega x (x - centre of mass)
static void start_velocity(const pli_building *b, int32_t index)
{
    const pli_body_def *def = pli_building_body(b, index);
    pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    double center[3];
    double omega[3];
    body_centroid(model, body, center);
    pli_vec3_scale(pli_radians_per_degree, def->angular_velocity, omega);
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        double arm[3];
        double *v = model->start_velocity + 3 * k;
        pli_vec3_subtract(model->start + 3 * k, center, arm);
        pli_vec3_cross(omega, arm, v);
        pli_vec3_add(v, def->velocity, v);
    }
}

// A shell or cloth needs area, a solid what its law can bear.
static pli_status check_start(const pli_building *b, int32_t index)
{
    const pli_model_body *body = &b->model->bodies[index];
    const pli_body_def *def = pli_building_body(b, index);
    int32_t triangle = -1;
    pli_status status = pli_model_check_triangles(b->model, body, &triangle);
    if (status != PLI_OK) {
        // the boundary of tetrahedra has triangles of its own, which stand in no file
        int32_t cell = pli_body_mesh_has_tets(def) ? -1 : triangle;
        return pli_body_fail_mesh(b->context, def, cell, status);
    }
    return pli_model_check_tets(b, index);
}

pli_status pli_model_start_body(const pli_building *b, int32_t index)
{
    start_positions(b, index);
    start_velocity(b, index);
    int64_t first = b->model->bodies[index].first_vertex;
    PLI_TRY(pli_model_paint_velocity(b, index, b->model->start_velocity + 3 * first));
    return check_start(b, index);
}
