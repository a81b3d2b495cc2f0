// SPDX-License-Identifier: Apache-2.0
#include "sim/model/barrier_build.h"

#include "base/memory.h"
#include "geometry/collision/bounds.h"
#include "math/vec3.h"
#include "sim/scene/quantity.h"

#include <math.h>
#include <string.h>

static const double default_distance = 1e-3; // scene diagonals
static const double most_of_body = 0.02;     // diagonals of the smallest body
static const double default_speed = 1e-3;    // scene diagonals per second

// ---- friction of each pair: bodies of the scene first, then its colliders

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
    int64_t row = model->rule_class[first];
    int64_t column = model->rule_class[second];
    model->pair_friction[row * model->rule_count + column] = friction;
    model->pair_friction[column * model->rule_count + row] = friction;
}

// Bodies that no pair names are class 0; every other thing is a class of its own.
static void make_classes(pli_model *model, const pli_scene_def *def)
{
    int32_t *classes = model->rule_class;
    model->rule_count = 1;
    for (int32_t k = 0; k < def->contact.pair_count; ++k) {
        for (int i = 0; i < 2; ++i) {
            int32_t thing = find_name(def, def->contact.pairs[k].bodies[i]);
            if (thing < def->body_count && classes[thing] == 0) {
                classes[thing] = model->rule_count++;
            }
        }
    }
    for (int32_t k = 0; k < def->collider_count; ++k) {
        classes[def->body_count + k] = model->rule_count++;
    }
}

// What two things of their classes have in common, over all things: the same for equal classes.
static void fill_common_friction(pli_model *model, const pli_scene_def *def, int32_t thing,
                                 int32_t other)
{
    int64_t row = model->rule_class[thing];
    int64_t column = model->rule_class[other];
    double friction = common_friction(def, thing, other);
    model->pair_friction[row * model->rule_count + column] = friction;
    model->pair_friction[column * model->rule_count + row] = friction;
}

static pli_status build_pairs(pli_model *model, const pli_scene_def *def)
{
    int32_t thing_count = def->body_count + def->collider_count;
    model->source_count = def->body_count;
    PLI_TRY(PLI_MAKE(model->context, model->rule_class, thing_count + 1, "rules of contact"));
    make_classes(model, def);
    int64_t count = (int64_t)model->rule_count * model->rule_count;
    PLI_TRY(PLI_MAKE(model->context, model->pair_friction, count, "friction of pairs"));
    // bodies have the same in common with each other; a collider brings its own
    for (int64_t k = 0; k < count; ++k) model->pair_friction[k] = def->contact.friction;
    for (int32_t k = def->body_count; k < thing_count; ++k) {
        for (int32_t other = 0; other < thing_count; ++other) {
            fill_common_friction(model, def, k, other);
        }
    }
    for (int32_t k = 0; k < def->contact.pair_count; ++k) {
        apply_pair(model, def, &def->contact.pairs[k]);
    }
    return PLI_OK;
}

// Diagonal of the smallest body that moves (m); infinite when there is none.
static double smallest_body(const pli_model *model)
{
    double smallest = INFINITY;
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (body->kind == PLI_BODY_OBSTACLE) continue;
        pli_bounds box = pli_bounds_empty();
        for (int32_t i = 0; i < body->vertex_count; ++i) {
            pli_bounds_add_point(&box, model->start + 3 * ((int64_t)body->first_vertex + i));
        }
        smallest = fmin(smallest, pli_vec3_distance(box.min, box.max));
    }
    return smallest;
}

// A share of the scene, but no more than of the smallest body: a long row of small bodies would
// have all of them touch.
static double choose_distance(const pli_model *model)
{
    return fmin(default_distance * model->size, most_of_body * smallest_body(model));
}

pli_status pli_barrier_resolve(pli_model *model, const pli_scene_def *def)
{
    pli_contact_def *contact = &model->contact;
    contact->pairs = NULL;
    contact->pair_count = 0;
    if (contact->method != PLI_CONTACT_BARRIER) return PLI_OK;
    if (!(contact->distance > 0)) contact->distance = choose_distance(model);
    if (!(contact->friction_speed > 0)) contact->friction_speed = default_speed * model->size;
    return build_pairs(model, def);
}

// ---- rules of the term, whose user is the model

bool pli_barrier_is_plane(const pli_model_collider *collider)
{
    return collider->method == PLI_COLLIDER_BARRIER && collider->body < 0;
}

// The collider that is the plane of this number among those of the term.
static int32_t plane_collider(const pli_model *model, int32_t plane)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (pli_barrier_is_plane(&model->colliders[k]) && plane-- == 0) return k;
    }
    return -1;
}

// The class of a body, or of a collider that comes after the bodies as a surface or a plane.
static int32_t rule_of(const pli_model *model, int32_t thing)
{
    const int32_t *colliders = model->rule_class + model->source_count;
    int32_t things = pli_model_things(model);
    if (thing < model->body_count) return model->rule_class[model->bodies[thing].source];
    if (thing < things) return colliders[model->bodies[thing].source];
    return colliders[plane_collider(model, thing - things)];
}

const char *pli_barrier_name(const pli_model *model, int32_t thing)
{
    int32_t things = pli_model_things(model);
    if (thing < things) return model->bodies[thing].name;
    return model->colliders[plane_collider(model, thing - things)].name;
}

int32_t pli_barrier_thing(const pli_model *model, int32_t collider)
{
    const pli_model_collider *wanted = &model->colliders[collider];
    if (wanted->method != PLI_COLLIDER_BARRIER) return -1;
    if (wanted->body >= 0) return wanted->body;
    int32_t thing = pli_model_things(model);
    for (int32_t k = 0; k < collider; ++k) thing += pli_barrier_is_plane(&model->colliders[k]);
    return thing;
}

static double pair_friction(void *user, int32_t first, int32_t second)
{
    const pli_model *model = user;
    return model->pair_friction[(int64_t)rule_of(model, first) * model->rule_count +
                                rule_of(model, second)];
}

// Whether nothing but a script moves a body, a surface or a plane: it has no unknowns.
static bool is_passive(const pli_model *model, int32_t thing)
{
    return thing >= model->body_count || model->bodies[thing].kind == PLI_BODY_OBSTACLE;
}

bool pli_barrier_collides(const pli_model *model, int32_t first, int32_t second)
{
    if (is_passive(model, first) && is_passive(model, second)) return false;
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
        count += pli_barrier_is_plane(&model->colliders[k]);
    }
    return count;
}

// A plane's shape has the value n . x - offset everywhere.
static void fill_planes(const pli_model *model, double *planes)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (!pli_barrier_is_plane(&model->colliders[k])) continue;
        pli_vec3_copy(model->colliders[k].plane, planes);
        planes[3] = model->colliders[k].plane[3];
        planes += 4;
    }
}

static void fill_bodies(const pli_model *model, int32_t *body_of)
{
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
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
    double spacing = model->size / cbrt((double)pli_model_body_vertices(model));
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

// Tetrahedra with four nodes, which barriers keep from inverting; others do that themselves.
static int32_t list_linear(const pli_model *model, int32_t *tets)
{
    int32_t count = 0;
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        if (pli_model_tet_is_quadratic(model, tet)) continue;
        memcpy(tets + 4 * (int64_t)count++, model->tets + 4 * tet, 4 * sizeof *tets);
    }
    return count;
}

pli_status pli_barrier_create(const pli_model *model, pli_timers *timers, pli_ipc **ipc)
{
    *ipc = NULL;
    pli_context *context = model->context;
    int32_t plane_count = count_planes(model);
    int32_t *body_of = PLI_NEW(context, int32_t, model->vertex_count, "bodies of vertices");
    double *planes = PLI_NEW(context, double, 4 * (int64_t)plane_count, "planes");
    int32_t *linear = PLI_NEW(context, int32_t, 4 * (int64_t)model->tet_count, "tetrahedra");
    pli_status status = PLI_ERROR_MEMORY;
    if (body_of == NULL || planes == NULL || linear == NULL) goto done;
    fill_bodies(model, body_of);
    fill_planes(model, planes);

    pli_ipc_def def = {
        .vertex_count = model->vertex_count,
        .rest = model->rest,
        .body_count = pli_model_things(model),
        .body_of = body_of,
        .triangle_count = model->surface_triangle_count,
        .triangles = model->surface_triangles,
        .plane_count = plane_count,
        .planes = planes,
        .tet_count = list_linear(model, linear),
        .tets = linear,
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
    PLI_RELEASE(context, linear, planes, body_of);
    return status;
}
