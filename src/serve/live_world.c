// SPDX-License-Identifier: Apache-2.0
#include "serve/live_world.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- making and exchanging

pli_status pli_live_world_init(pli_live_world *world, pli_context *context,
                               const pli_live_recipe *recipe)
{
    pli_live_world made = {.context = context};
    // the text is the program's own: paths in it are absolute
    pli_load_def def = {
        .sets = recipe->sets, .set_count = recipe->set_count, .allow_outside = true};
    pli_status status = pli_scene_parse(context, recipe->source, (int64_t)strlen(recipe->source),
                                        recipe->name, &def, &made.scene);
    pli_model_def model_def = {.cancel = recipe->cancel, .cancel_user = recipe->cancel_user};
    if (status == PLI_OK) {
        status = pli_model_create(context, made.scene, &model_def, &made.model);
    }
    if (status == PLI_OK) status = pli_state_create(made.model, &made.state);
    if (status == PLI_OK) status = pli_solver_create(made.model, &made.solver);
    if (status != PLI_OK) {
        pli_live_world_clear(&made);
        return status;
    }
    *world = made;
    return PLI_OK;
}

void pli_live_world_clear(pli_live_world *world)
{
    pli_solver_destroy(world->solver);
    pli_state_destroy(world->state);
    pli_model_destroy(world->model);
    pli_scene_destroy(world->scene);
    *world = (pli_live_world){.context = world->context};
}

static size_t item_size(pli_array_kind kind)
{
    switch (kind) {
    case PLI_ARRAY_F64: return sizeof(double);
    case PLI_ARRAY_I64: return sizeof(int64_t);
    case PLI_ARRAY_I32: break;
    }
    return sizeof(int32_t);
}

static bool find_array(pli_state *state, const char *name, pli_state_array *array)
{
    for (int32_t k = 0; pli_state_get_array(state, k, array); ++k) {
        if (strcmp(array->name, name) == 0) return true;
    }
    return false;
}

// Everything that both states have, by name.
static pli_status carry_over(pli_context *context, pli_state *from, pli_state *to)
{
    pli_particle_view particles = pli_state_get(from).particles;
    if (particles.count > 0) PLI_TRY(pli_state_set_particle_count(to, particles.count));
    pli_state_array old;
    for (int32_t k = 0; pli_state_get_array(from, k, &old); ++k) {
        pli_state_array new;
        if (!find_array(to, old.name, &new)) continue;
        if (old.kind != new.kind || old.rows != new.rows || old.columns != new.columns) {
            return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                            "the state can't be carried over: its %s do not fit any more",
                            old.name);
        }
        memcpy(new.data, old.data, (size_t)(old.rows * old.columns) * item_size(old.kind));
    }
    return PLI_OK;
}

pli_status pli_live_world_change(pli_live_world *world, const pli_live_recipe *recipe)
{
    pli_live_world made;
    PLI_TRY(pli_live_world_init(&made, world->context, recipe));
    pli_status status = carry_over(world->context, world->state, made.state);
    if (status != PLI_OK) {
        pli_live_world_clear(&made);
        return status;
    }
    pli_live_world_clear(world);
    *world = made;
    return PLI_OK;
}

pli_status pli_live_world_restart(pli_live_world *world)
{
    pli_state *fresh = NULL;
    PLI_TRY(pli_state_create(world->model, &fresh));
    pli_state_destroy(world->state);
    world->state = fresh;
    return PLI_OK;
}

// ---- hands

int32_t pli_live_world_find_body(const pli_live_world *world, const char *name)
{
    pli_model_info info = pli_model_get_info(world->model);
    if (info.vertex_count == 0) return -1;
    for (int32_t body = 0; body < info.body_count; ++body) {
        if (strcmp(pli_model_get_body(world->model, body).name, name) == 0) return body;
    }
    return -1;
}

// Diagonal (m) and mass (kg) of a body at rest.
static void measure_body(const pli_live_world *world, int32_t body, double *diagonal, double *mass)
{
    pli_mesh_view mesh = pli_model_get_mesh(world->model);
    pli_body_info range = pli_model_get_body(world->model, body);
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    *mass = 0;
    for (int64_t i = range.first_vertex; i < range.first_vertex + range.vertex_count; ++i) {
        const double *x = mesh.rest_positions + 3 * i;
        *mass += mesh.masses[i];
        for (int32_t axis = 0; axis < 3; ++axis) {
            low[axis] = fmin(low[axis], x[axis]);
            high[axis] = fmax(high[axis], x[axis]);
        }
    }
    *diagonal =
        sqrt(pow(high[0] - low[0], 2) + pow(high[1] - low[1], 2) + pow(high[2] - low[2], 2));
}

// Young's modulus of what a body is made of (Pa): the stiffest of its materials; 0: not known.
static double find_young(const pli_scene_def *def, const pli_body_def *body)
{
    double young = 0;
    for (int32_t k = 0; k < def->material_count; ++k) {
        const pli_material_def *material = &def->materials[k];
        bool used = strcmp(material->name, body->material) == 0;
        for (int32_t i = 0; i < body->region_count; ++i) {
            used = used || strcmp(material->name, body->regions[i].material) == 0;
        }
        if (used) young = fmax(young, material->young);
    }
    return young;
}

// The body of the scene that a body of the model comes from: copies have its name and a number.
static const pli_body_def *find_def(const pli_scene_def *def, const char *name)
{
    const pli_body_def *found = NULL;
    size_t longest = 0;
    for (int32_t k = 0; k < def->body_count; ++k) {
        size_t length = strlen(def->bodies[k].name);
        if (length < longest || strncmp(def->bodies[k].name, name, length) != 0) continue;
        found = &def->bodies[k];
        longest = length;
    }
    return found;
}

// What the matter around a hand resists with (N/m): of a solid E times a length, of a sheet E times
// its thickness, of a cloth what its springs have.
static double elastic_stiffness(const pli_scene_def *def, const char *name, double radius)
{
    const pli_body_def *body = find_def(def, name);
    if (body == NULL) return 0;
    if (body->kind == PLI_BODY_CLOTH) return fmax(body->springs.stretch, 0);
    double length = body->kind == PLI_BODY_SHELL ? body->thickness : radius;
    return find_young(def, body) * length;
}

pli_live_reach pli_live_world_reach(const pli_live_world *world, int32_t body, double radius,
                                    double strength, bool pin)
{
    const pli_scene_def *def = pli_scene_get(world->scene);
    pli_model_info info = pli_model_get_info(world->model);
    double diagonal = 0;
    double mass = 0;
    measure_body(world, body, &diagonal, &mass);
    pli_live_reach reach = {.radius = radius > 0 ? radius : diagonal / 15};
    double share = fmin(1, pow(2 * reach.radius / fmax(diagonal, 1e-300), 3)); // of its volume
    double weight = mass * fmax(9.81, sqrt(pow(def->gravity[0], 2) + pow(def->gravity[1], 2) +
                                           pow(def->gravity[2], 2)));
    double carries = 50 * weight / fmax(diagonal, 1e-300);
    double keeps_up =
        4 * elastic_stiffness(def, pli_model_get_body(world->model, body).name, reach.radius);
    double accelerates = mass * share / (info.dt * info.dt);
    reach.stiffness = strength * (pin ? 10 : 1) * fmax(carries, fmax(keeps_up, accelerates));
    return reach;
}
