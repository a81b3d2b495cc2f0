// SPDX-License-Identifier: Apache-2.0
#include "sim/barrier_build.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "sim/quantity.h"

#include <math.h>
#include <string.h>

static const double default_distance = 1e-3; // scene diagonals
static const double default_speed = 1e-3;    // scene diagonals per second

// ---- who rubs on whom: bodies of the scene first, then its colliders

static int32_t find_name(const pli_scene_def *def, const char *name)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (strcmp(def->bodies[k].name, name) == 0) return k;
    }
    for (int32_t k = 0; k < def->collider_count; ++k) {
        if (strcmp(def->colliders[k].name, name) == 0) return def->body_count + k;
    }
    return -1;
}

// What holds everywhere: a collider brings its own coefficient.
static double common_friction(const pli_scene_def *def, int32_t first, int32_t second)
{
    int32_t later = first > second ? first : second;
    return later < def->body_count ? def->contact.friction
                                   : def->colliders[later - def->body_count].friction;
}

static void apply_pair(pli_model *model, const pli_scene_def *def, const pli_contact_pair_def *pair)
{
    int32_t first = find_name(def, pair->bodies[0]);
    int32_t second = find_name(def, pair->bodies[1]);
    double friction = pair->friction >= 0 ? pair->friction : common_friction(def, first, second);
    if (!pair->collide) friction = -1;
    model->pair_friction[(int64_t)first * model->rule_count + second] = friction;
    model->pair_friction[(int64_t)second * model->rule_count + first] = friction;
}

static pli_status build_pairs(pli_model *model, const pli_scene_def *def)
{
    model->rule_count = def->body_count + def->collider_count;
    int64_t count = (int64_t)model->rule_count * model->rule_count;
    model->pair_friction = PLI_NEW(model->context, double, count, "friction of pairs");
    if (model->pair_friction == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < count; ++k) {
        model->pair_friction[k] = common_friction(def, (int32_t)(k / model->rule_count),
                                                  (int32_t)(k % model->rule_count));
    }
    for (int32_t k = 0; k < def->contact.pair_count; ++k) {
        apply_pair(model, def, &def->contact.pairs[k]);
    }
    return PLI_OK;
}

pli_status pli_barrier_resolve(pli_model *model, const pli_scene_def *def)
{
    pli_contact_def *contact = &model->contact;
    contact->pairs = NULL;
    contact->pair_count = 0;
    if (contact->method != PLI_CONTACT_BARRIER) return PLI_OK;
    if (!(contact->distance > 0)) contact->distance = default_distance * model->size;
    if (!(contact->friction_speed > 0)) contact->friction_speed = default_speed * model->size;
    return build_pairs(model, def);
}

// ---- rules of the term, whose user is the model

int32_t pli_barrier_plane_collider(const pli_model *model, int32_t plane)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (model->colliders[k].method != PLI_COLLIDER_BARRIER) continue;
        if (plane-- == 0) return k;
    }
    return -1;
}

// The row of a body, or of a collider that comes after the bodies as a plane.
static int32_t rule_of(const pli_model *model, int32_t thing)
{
    if (thing < model->body_count) return model->bodies[thing].source;
    int32_t sources = model->rule_count - model->collider_count;
    return sources + pli_barrier_plane_collider(model, thing - model->body_count);
}

static double pair_friction(void *user, int32_t first, int32_t second)
{
    const pli_model *model = user;
    return model->pair_friction[(int64_t)rule_of(model, first) * model->rule_count +
                                rule_of(model, second)];
}

bool pli_barrier_collides(const pli_model *model, int32_t first, int32_t second)
{
    if (first == second && !model->contact.self) return false;
    return pair_friction((void *)model, first, second) >= 0;
}

static bool do_collide(void *user, int32_t first, int32_t second)
{
    return pli_barrier_collides(user, first, second);
}

static bool has_friction(const pli_model *model)
{
    for (int64_t k = 0; k < (int64_t)model->rule_count * model->rule_count; ++k) {
        if (model->pair_friction[k] > 0) return true;
    }
    return false;
}

// ---- the term

static int32_t count_planes(const pli_model *model)
{
    int32_t count = 0;
    for (int32_t k = 0; k < model->collider_count; ++k) {
        count += model->colliders[k].method == PLI_COLLIDER_BARRIER;
    }
    return count;
}

// A plane's shape has the value n . x - offset everywhere.
static void fill_planes(const pli_model *model, double *planes)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (model->colliders[k].method != PLI_COLLIDER_BARRIER) continue;
        pli_vec3_copy(model->colliders[k].plane, planes);
        planes[3] = model->colliders[k].plane[3];
        planes += 4;
    }
}

static void fill_bodies(const pli_model *model, int32_t *body_of)
{
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        for (int32_t i = 0; i < body->vertex_count; ++i) body_of[body->first_vertex + i] = k;
    }
}

// Mean over the corners of surfaces that have any mass (kg).
static double mean_surface_mass(const pli_model *model)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < 3 * (int64_t)model->surface_triangle_count; ++k) {
        double mass = model->mass[model->surface_triangles[k]];
        if (!(mass > 0)) continue;
        sum += mass;
        ++count;
    }
    return count > 0 ? sum / (double)count : 1;
}

double pli_barrier_spring(const pli_model *model)
{
    double stiffness = 0;
    for (int32_t k = 0; k < model->material_count; ++k) {
        stiffness = fmax(stiffness, model->materials[k].rest_norm);
    }
    double spacing = model->size / cbrt((double)model->vertex_count);
    stiffness *= spacing;
    for (int32_t k = 0; k < model->spring_count; ++k) {
        stiffness = fmax(stiffness, model->spring_stiffness[k]);
    }
    return stiffness;
}

static pli_stiffness_def stiffness_law(const pli_model *model)
{
    pli_stiffness_def law = {.mean_mass = mean_surface_mass(model),
                             .step = model->dt,
                             .dhat = model->contact.distance,
                             .diagonal = model->size};
    if (model->time.integrator == PLI_BDF2) law.step *= 2.0 / 3.0;
    if (model->time.mode == PLI_MODE_QUASI_STATIC) {
        law.mean_mass = pli_barrier_spring(model);
        law.step = 1;
    }
    return law;
}

static void log_choice(const pli_model *model, const pli_stiffness_def *law)
{
    char distance[PLI_QUANTITY_CAPACITY], stiffness[PLI_QUANTITY_CAPACITY];
    char speed[PLI_QUANTITY_CAPACITY];
    bool adaptive = !(model->contact.stiffness > 0);
    pli_quantity_format(model->contact.distance, distance);
    pli_quantity_format(adaptive ? pli_stiffness_min(law) : model->contact.stiffness, stiffness);
    pli_quantity_format(model->contact.friction_speed, speed);
    PLI_LOG(model->context, PLI_LOG_INFO,
            "contact: begins at %s m, stiffness %s N/m%s, friction static below %s m/s", distance,
            stiffness, adaptive ? " to 100 times that" : "", speed);
}

pli_status pli_barrier_create(const pli_model *model, pli_timers *timers, pli_ipc **ipc)
{
    *ipc = NULL;
    pli_context *context = model->context;
    int32_t plane_count = count_planes(model);
    int32_t *body_of = PLI_NEW(context, int32_t, model->vertex_count, "bodies of vertices");
    double *planes = PLI_NEW(context, double, 4 * (int64_t)plane_count, "planes");
    pli_status status = PLI_ERROR_MEMORY;
    if (body_of == NULL || planes == NULL) goto done;
    fill_bodies(model, body_of);
    fill_planes(model, planes);

    pli_ipc_def def = {
        .vertex_count = model->vertex_count,
        .rest = model->rest,
        .body_count = model->body_count,
        .body_of = body_of,
        .triangle_count = model->surface_triangle_count,
        .triangles = model->surface_triangles,
        .plane_count = plane_count,
        .planes = planes,
        .tet_count = model->tet_count,
        .tets = model->tets,
        .rules = {.collides = do_collide,
                  .friction = has_friction(model) ? pair_friction : NULL,
                  .user = (void *)model},
        .dhat = model->contact.distance,
        .law = stiffness_law(model),
        .stiffness = model->contact.stiffness,
        .timers = timers,
    };
    log_choice(model, &def.law);
    status = pli_ipc_create(context, &def, ipc);

done:
    pli_release(context, planes);
    pli_release(context, body_of);
    return status;
}
