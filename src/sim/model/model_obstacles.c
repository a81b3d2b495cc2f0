// SPDX-License-Identifier: Apache-2.0
//
// Obstacles: bodies of triangles that only their motions move, and behind all bodies the surfaces
// of colliders that barriers keep bodies away from.
#include "base/memory.h"
#include "sim/model/collider_build.h"
#include "sim/model/collider_surface.h"
#include "sim/model/model_building.h"
#include "sim/model/model_triangles.h"
#include "sim/model/resolution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH_CAPACITY = 160 };

// The mean length of the edges of what deforms (m); 0: nothing does.
static double mean_edge(const pli_building *b)
{
    double sum = 0;
    int64_t edges = 0;
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        const pli_body_mesh *mesh = b->meshes[body->mesh];
        if (body->kind == PLI_BODY_OBSTACLE) continue;
        const double *s = b->def->bodies[body->source].scale;
        sum += cbrt(fabs(s[0] * s[1] * s[2])) *
               pli_resolution_sum_edges(mesh->points, mesh->cells, mesh->cell_count,
                                        mesh->corner_count, &edges);
    }
    return edges > 0 ? sum / (double)edges : 0;
}

static pli_status list_surface(pli_building *b, int32_t collider, double edge)
{
    const pli_collider_def *def = &b->def->colliders[collider];
    pli_tri_mesh *surface = NULL;
    pli_status status = pli_collider_surface_create(b->context, def, edge, &surface);
    if (status == PLI_OK) status = pli_body_mesh_take(surface, &b->meshes[b->mesh_count]);
    if (status != PLI_OK) {
        char path[PATH_CAPACITY];
        snprintf(path, sizeof path, "colliders.%s.shape", def->name);
        pli_visit at = {.path = path, .holder = def, .member = &def->shape};
        return pli_scene_fail_again(b->scene, status, &at);
    }
    pli_model_body *body = &b->model->bodies[pli_model_things(b->model)];
    *body =
        (pli_model_body){.source = collider, .mesh = b->mesh_count++, .kind = PLI_BODY_OBSTACLE};
    body->name = pli_string_copy(b->context, def->name);
    if (body->name == NULL) return PLI_ERROR_MEMORY;
    ++b->model->surface_count;
    return PLI_OK;
}

pli_status pli_model_list_surfaces(pli_building *b)
{
    double edge = mean_edge(b);
    for (int32_t k = 0; k < b->def->collider_count; ++k) {
        const pli_collider_def *def = &b->def->colliders[k];
        // whether the shape is sampled does not matter to what barriers take
        bool barrier = pli_collider_choose_method(b->def, def, true) == PLI_COLLIDER_BARRIER;
        if (!barrier || pli_collider_is_plane(def)) continue;
        PLI_TRY(pli_building_go_on(b));
        PLI_TRY(list_surface(b, k, edge));
    }
    return PLI_OK;
}

// Puts the surface of a collider where it starts.
static void place_surface(pli_building *b, int32_t index)
{
    static const pli_body_def plain = {.kind = PLI_BODY_OBSTACLE, .scale = {1, 1, 1}};
    pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    const pli_body_mesh *mesh = b->meshes[body->mesh];
    size_t bytes = 3 * (size_t)body->vertex_count * sizeof(double);
    memcpy(model->rest + 3 * (int64_t)body->first_vertex, mesh->points, bytes);
    memcpy(model->start + 3 * (int64_t)body->first_vertex, mesh->points, bytes);
    pli_model_place_triangles(model, body, &plain, mesh);
}

void pli_model_place_surfaces(pli_building *b)
{
    for (int32_t k = b->model->body_count; k < pli_model_things(b->model); ++k) place_surface(b, k);
}

// Lists all vertices of an obstacle or a surface as held.
static pli_status hold_all(pli_building *b, int32_t index, pli_model_handle *handle)
{
    const pli_model_body *body = &b->model->bodies[index];
    handle->axes = 7;
    PLI_TRY(PLI_MAKE(b->context, handle->vertices, body->vertex_count, "obstacle"));
    handle->vertex_count = body->vertex_count;
    for (int32_t k = 0; k < body->vertex_count; ++k) handle->vertices[k] = body->first_vertex + k;
    return PLI_OK;
}

// Holds all vertices of an obstacle where its motion has them.
static pli_status hold_obstacle(pli_building *b, int32_t index, pli_model_handle *handle)
{
    const pli_model_body *body = &b->model->bodies[index];
    PLI_TRY(hold_all(b, index, handle));
    pli_bounds box =
        pli_bounds_of_points(body->vertex_count, b->model->start + 3 * (int64_t)body->first_vertex);
    double middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (box.min[k] + box.max[k]);
    return pli_motion_init(b->context, &pli_building_body(b, index)->motion, middle,
                           &handle->motion);
}

pli_status pli_model_hold_obstacles(pli_building *b)
{
    pli_model *model = b->model;
    for (int32_t k = 0; k < model->body_count; ++k) {
        if (model->bodies[k].kind != PLI_BODY_OBSTACLE) continue;
        PLI_TRY(hold_obstacle(b, k, &model->constraints[model->constraint_count++]));
    }
    return PLI_OK;
}

pli_status pli_model_hold_surfaces(pli_building *b)
{
    pli_model *model = b->model;
    for (int32_t k = model->body_count; k < pli_model_things(model); ++k) {
        pli_model_collider *collider = &model->colliders[model->bodies[k].source];
        pli_model_handle *handle = &model->constraints[model->constraint_count++];
        PLI_TRY(hold_all(b, k, handle));
        PLI_TRY(pli_motion_init(b->context, &b->def->colliders[model->bodies[k].source].motion,
                                collider->motion.center, &handle->motion));
    }
    return PLI_OK;
}
