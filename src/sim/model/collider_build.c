// SPDX-License-Identifier: Apache-2.0
#include "sim/model/collider_build.h"

#include "base/memory.h"
#include "geometry/mesh/surface.h"
#include "geometry/mesh/tet_mesh.h"
#include "sim/body/material_resolve.h"
#include "sim/body/shape_build.h"
#include "sim/model/barrier_build.h"
#include "sim/model/collider_surface.h"
#include "sim/scene/quantity.h"
#include "sim/scene/scene.h"
#include "sim/scene/schema.h"

#include <math.h>
#include <stdio.h>

// stiffness of an automatic penalty relative to Young's modulus, see the header
static const double stiffness_factor = 10;

enum { PATH_CAPACITY = 160, PART_LIMIT = 512 };

// ---- stiffness

// Young's modulus, or what comes close where a law has none (Pa).
static double material_modulus(const pli_model *model, int32_t index)
{
    const pli_model_material *material = &model->materials[index];
    bool has_young = pli_material_find_input(model->laws[material->law], "young") >= 0;
    return has_young ? material->young : material->rest_norm;
}

// The largest modulus of the materials of some cells (Pa).
static double largest_modulus(const pli_model *model, int32_t count, const int32_t *material_of)
{
    double largest = 0;
    int32_t last = -1;
    for (int32_t cell = 0; cell < count; ++cell) {
        // neighbours mostly are of one material
        if (material_of[cell] == last) continue;
        last = material_of[cell];
        largest = fmax(largest, material_modulus(model, last));
    }
    return largest;
}

// What takes the place of a modulus in cloth, the largest k / l of its springs (Pa).
static double spring_modulus(const pli_model *model)
{
    double largest = 0;
    for (int32_t k = 0; k < model->spring_count; ++k) {
        largest = fmax(largest, model->spring_stiffness[k] / model->spring_length[k]);
    }
    return largest;
}

// Ten times the largest modulus of what bodies are made of (N/m^2).
static double automatic_cubic(const pli_model *model)
{
    double solids = largest_modulus(model, model->tet_count, model->material_of);
    double shells = largest_modulus(model, model->shell_triangle_count, model->triangle_material);
    return stiffness_factor * fmax(fmax(solids, shells), spring_modulus(model));
}

// Ten times the stiffness of the stiffest edge (N/m): modulus times edge length in solids, where an
// edge is the cube root of six volumes, modulus times thickness in shells, a spring in cloth.
static double automatic_quadratic(const pli_model *model)
{
    double largest = 0;
    for (int64_t k = 0; k < model->tet_count; ++k) {
        double volume = pli_tet_volume_at(model->rest, model->tets + 4 * k);
        double modulus = material_modulus(model, model->material_of[k]);
        largest = fmax(largest, modulus * cbrt(6 * volume));
    }
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) {
        double modulus = material_modulus(model, model->triangle_material[k]);
        largest = fmax(largest, modulus * model->thickness[k]);
    }
    for (int32_t k = 0; k < model->spring_count; ++k) {
        largest = fmax(largest, model->spring_stiffness[k]);
    }
    return stiffness_factor * largest;
}

static void log_stiffness(const pli_model *model, const char *what, double stiffness,
                          bool quadratic)
{
    char number[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(stiffness, number);
    PLI_LOG(model->context, PLI_LOG_INFO,
            "%s: stiffness of the penalty is %s %s, %g times that of the stiffest %s", what, number,
            quadratic ? "N/m" : "N/m^2", stiffness_factor, quadratic ? "edge" : "material");
}

static pli_status resolve_contact(pli_model *model, const pli_scene_def *def, double automatic)
{
    model->contact = def->contact;
    PLI_TRY(pli_barrier_resolve(model, def));
    bool adapts = model->contact.method == PLI_CONTACT_BARRIER;
    if (adapts || model->contact.stiffness > 0) return PLI_OK;
    model->contact.stiffness = automatic;
    if (model->contact.method == PLI_CONTACT_PENALTY) {
        log_stiffness(model, "contact", automatic, false);
    }
    return PLI_OK;
}

// ---- colliders

// The centre of the shape's bounds; the origin where there is none.
static void default_center(const pli_shape *shape, double center[3])
{
    pli_bounds bounds = pli_shape_bounds(shape);
    pli_vec3_set(0, 0, 0, center);
    if (!pli_bounds_is_finite(&bounds)) return;
    for (int k = 0; k < 3; ++k) center[k] = 0.5 * (bounds.min[k] + bounds.max[k]);
}

// The shape, turned inside out when asked, and where its own centre is.
static pli_status build_shape(pli_model *model, const pli_collider_def *def, double center[3],
                              const pli_shape **shape)
{
    PLI_TRY(pli_shape_build(model->shapes, &def->shape, shape));
    default_center(*shape, center);
    return def->inside_out ? pli_shape_negation(model->shapes, *shape, shape) : PLI_OK;
}

static bool wants_blocks(const pli_scene_def *def)
{
    const pli_solver_kind *kind = pli_solver_kind_choose(def);
    return kind != NULL && pli_solver_has(kind, PLI_LIKES_BLOCKS);
}

pli_collider_method pli_collider_choose_method(const pli_scene_def *def,
                                               const pli_collider_def *collider, bool analytic)
{
    if (collider->method != PLI_COLLIDER_AUTO) return (pli_collider_method)collider->method;
    if (def->contact.method == PLI_CONTACT_BARRIER) {
        bool lacks = pli_collider_find_lack(collider) != NULL;
        return lacks ? PLI_COLLIDER_PENALTY : PLI_COLLIDER_BARRIER;
    }
    if (wants_blocks(def)) return PLI_COLLIDER_QUADRATIC;
    return analytic ? PLI_COLLIDER_CONSTRAINT : PLI_COLLIDER_PENALTY;
}

// The name of a choice of the field `method`.
static const char *method_name(const pli_schema *schema, int32_t method)
{
    return pli_schema_find(schema, "method")->choices[method];
}

static void log_collider(const pli_model *model, const pli_collider_def *def,
                         const pli_model_collider *collider)
{
    char what[PATH_CAPACITY];
    snprintf(what, sizeof what, "collider %s", collider->name);
    bool quadratic = collider->method == PLI_COLLIDER_QUADRATIC;
    const pli_collider_lack *lack = pli_collider_find_lack(def);
    bool instead = collider->method == PLI_COLLIDER_PENALTY && lack != NULL &&
                   model->contact.method == PLI_CONTACT_BARRIER;
    if (def->method == PLI_COLLIDER_AUTO && instead) {
        PLI_LOG(model->context, PLI_LOG_INFO,
                "%s: the method is penalty, because barriers do not take %s", what, lack->what);
    } else if (def->method == PLI_COLLIDER_AUTO && collider->method != PLI_COLLIDER_BARRIER) {
        PLI_LOG(model->context, PLI_LOG_DEBUG, "%s: the method is %s%s", what,
                method_name(&pli_collider_schema, (int32_t)collider->method),
                collider->method == PLI_COLLIDER_PENALTY ? ", because the shape is sampled" : "");
    }
    if ((quadratic || collider->method == PLI_COLLIDER_PENALTY) && !(def->stiffness > 0)) {
        log_stiffness(model, what, collider->stiffness, quadratic);
    }
}

// Penalties and surfaces are fine with the shape as a whole; what is projected needs its smooth
// parts.
static pli_status build_parts(pli_model *model, pli_model_collider *collider)
{
    const pli_shape *parts[PART_LIMIT] = {collider->shape};
    collider->part_count = 1;
    if (collider->method == PLI_COLLIDER_CONSTRAINT ||
        collider->method == PLI_COLLIDER_POSTPROCESS) {
        PLI_TRY(pli_shape_parts(model->shapes, collider->shape, PART_LIMIT, parts,
                                &collider->part_count));
    }
    PLI_TRY(PLI_MAKE(model->context, collider->parts, collider->part_count, "colliders"));
    for (int32_t k = 0; k < collider->part_count; ++k) collider->parts[k] = parts[k];
    return PLI_OK;
}

// ---- colliders as barriers

static void set_plane(const pli_collider_def *def, double plane[4])
{
    bool inside_out;
    const pli_plane_def *shape = pli_collider_peel(def, &inside_out)->data;
    pli_vec3_normalize(shape->normal, plane);
    if (inside_out) pli_vec3_scale(-1, plane, plane);
    plane[3] = pli_vec3_dot(plane, shape->point) + def->margin;
}

// How far triangles are from the surface that they stand for, measured at their corners, in the
// middle of their edges and in their own middle (m).
static double measure_deviation(const pli_model *model, const pli_model_collider *collider)
{
    const pli_model_body *body = &model->bodies[collider->body];
    double largest = 0;
    for (int32_t k = 0; k < body->triangle_count; ++k) {
        const int32_t *corners = model->triangles + 3 * ((int64_t)body->first_triangle + k);
        const double *x[3], *margin = &collider->margin;
        double middle[3] = {0, 0, 0};
        for (int i = 0; i < 3; ++i) x[i] = model->start + 3 * (int64_t)corners[i];
        for (int i = 0; i < 3; ++i) {
            double half[3];
            pli_vec3_add(x[i], x[(i + 1) % 3], half);
            pli_vec3_scale(0.5, half, half);
            pli_vec3_add_scaled(middle, 1.0 / 3, x[i], middle);
            largest = fmax(largest, fabs(pli_shape_value(collider->shape, x[i]) - *margin));
            largest = fmax(largest, fabs(pli_shape_value(collider->shape, half) - *margin));
        }
        largest = fmax(largest, fabs(pli_shape_value(collider->shape, middle) - *margin));
    }
    return largest;
}

// The plane or the surface that barriers see.
static void set_barrier(pli_model *model, const pli_collider_def *def, int32_t index)
{
    pli_model_collider *collider = &model->colliders[index];
    collider->body = -1;
    if (collider->method != PLI_COLLIDER_BARRIER) return;
    if (pli_collider_is_plane(def)) {
        set_plane(def, collider->plane);
        return;
    }
    for (int32_t k = model->body_count; k < pli_model_things(model); ++k) {
        if (model->bodies[k].source == index) collider->body = k;
    }
    collider->deviation = measure_deviation(model, collider);
    // what evaluating shapes rounds by is no deviation
    if (collider->deviation < 1e-12 * model->size) collider->deviation = 0;
    char text[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(collider->deviation, text);
    PLI_LOG(model->context, PLI_LOG_DEBUG,
            "collider %s: a surface of %d triangles, at most %s m from its shape", collider->name,
            (int)model->bodies[collider->body].triangle_count, text);
}

// ---- all of a collider

// Stiffness of penalties where the scene leaves it to us.
typedef struct automatic_stiffness {
    double cubic;     // N/m^2
    double quadratic; // N/m
} automatic_stiffness;

static pli_status build_collider(pli_model *model, const pli_scene *scene, int32_t index,
                                 const automatic_stiffness *automatic)
{
    const pli_collider_def *def = &pli_scene_get(scene)->colliders[index];
    pli_model_collider *collider = &model->colliders[index];
    collider->name = pli_string_copy(model->context, def->name);
    if (collider->name == NULL) return PLI_ERROR_MEMORY;

    char path[PATH_CAPACITY];
    double center[3];
    snprintf(path, sizeof path, "colliders.%s.shape", def->name);
    pli_visit at = {.path = path, .holder = def, .member = &def->shape};
    pli_status status = build_shape(model, def, center, &collider->shape);
    if (status != PLI_OK) return pli_scene_fail_again(scene, status, &at);

    collider->analytic = pli_shape_is_analytic(collider->shape);
    collider->method = pli_collider_choose_method(pli_scene_get(scene), def, collider->analytic);
    collider->friction = def->friction;
    collider->margin = def->margin;
    collider->boundary = (pli_boundary_kind)def->boundary;
    collider->stiffness = def->stiffness;
    if (!(def->stiffness > 0)) {
        bool quadratic = collider->method == PLI_COLLIDER_QUADRATIC;
        collider->stiffness = quadratic ? automatic->quadratic : automatic->cubic;
    }
    set_barrier(model, def, index);
    if (model->matter == NULL) log_collider(model, def, collider);
    status = build_parts(model, collider);
    if (status != PLI_OK) return pli_scene_fail_again(scene, status, &at);
    return pli_motion_init(model->context, &def->motion, center, &collider->motion);
}

pli_status pli_collider_build(pli_model *model, const pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    automatic_stiffness automatic = {automatic_cubic(model), automatic_quadratic(model)};
    PLI_TRY(resolve_contact(model, def, automatic.cubic));
    if (def->collider_count == 0) return PLI_OK;

    PLI_TRY(pli_shape_set_create(model->context, &model->shapes));
    PLI_TRY(PLI_MAKE(model->context, model->colliders, def->collider_count, "colliders"));
    model->collider_count = def->collider_count;
    for (int32_t k = 0; k < def->collider_count; ++k) {
        PLI_TRY(build_collider(model, scene, k, &automatic));
    }
    return PLI_OK;
}

void pli_collider_clear(pli_model *model)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        pli_motion_clear(model->context, &model->colliders[k].motion);
        PLI_RELEASE(model->context, model->colliders[k].parts, model->colliders[k].name);
    }
    PLI_RELEASE(model->context, model->colliders, model->surface_triangles, model->pair_friction,
                model->rule_class);
    pli_shape_set_destroy(model->shapes);
}

// ---- surface

// Makes room for further triangles behind those that are there.
static pli_status grow_surface(pli_model *model, int32_t count)
{
    int64_t wanted = (int64_t)model->surface_triangle_count + count;
    if (wanted <= model->surface_capacity) return PLI_OK;
    // half as much again, so that many bodies do not copy the list each
    int64_t capacity = wanted + model->surface_capacity / 2;
    PLI_TRY(PLI_RESIZE(model->context, model->surface_triangles, 3 * capacity, "surface"));
    model->surface_capacity = capacity;
    return PLI_OK;
}

// Appends triangles [count][3] of one body in the numbering of the model.
static pli_status append_surface(pli_model *model, int32_t index, int32_t count,
                                 const int32_t *triangles, bool mirrored)
{
    pli_model_body *body = &model->bodies[index];
    PLI_TRY(grow_surface(model, count));
    int32_t *to = model->surface_triangles + 3 * (int64_t)model->surface_triangle_count;
    for (int64_t k = 0; k < 3 * (int64_t)count; ++k) {
        // a mirrored body has its triangles the other way round
        int64_t from = mirrored ? 3 * (k / 3) + (3 - k % 3) % 3 : k;
        to[k] = body->first_vertex + triangles[from];
    }
    body->first_surface_triangle = model->surface_triangle_count;
    body->surface_triangle_count = count;
    model->surface_triangle_count += count;
    return PLI_OK;
}

static pli_status build_body_surface(pli_model *model, int32_t index, const pli_body_def *def,
                                     const pli_body_mesh *mesh)
{
    bool mirrored = def->scale[0] * def->scale[1] * def->scale[2] < 0;
    if (mesh->solid == NULL) {
        return append_surface(model, index, mesh->cell_count, mesh->cells, mirrored);
    }
    pli_surface *surface = NULL;
    PLI_TRY(pli_surface_create(mesh->solid, &surface));
    pli_status status =
        append_surface(model, index, surface->triangle_count, surface->triangles, mirrored);
    pli_surface_destroy(surface);
    return status;
}

// The surfaces of colliders behind those of bodies.
static pli_status append_colliders(pli_model *model, pli_body_mesh *const *meshes)
{
    for (int32_t k = model->body_count; k < pli_model_things(model); ++k) {
        const pli_body_mesh *mesh = meshes[model->bodies[k].mesh];
        PLI_TRY(append_surface(model, k, mesh->cell_count, mesh->cells, false));
    }
    return PLI_OK;
}

pli_status pli_collider_build_surface(pli_model *model, const pli_scene *scene,
                                      pli_body_mesh *const *meshes)
{
    const pli_scene_def *def = pli_scene_get(scene);
    if (model->collider_count == 0 && model->contact.method == PLI_CONTACT_NONE) return PLI_OK;
    for (int32_t k = 0; k < model->body_count; ++k) {
        char path[PATH_CAPACITY];
        int32_t source = model->bodies[k].source;
        snprintf(path, sizeof path, "bodies.%s.geometry", def->bodies[source].name);
        pli_visit at = {
            .path = path, .holder = &def->bodies[source], .member = &def->bodies[source].geometry};
        pli_status status =
            build_body_surface(model, k, &def->bodies[source], meshes[model->bodies[k].mesh]);
        if (status != PLI_OK) return pli_scene_fail_again(scene, status, &at);
    }
    return append_colliders(model, meshes);
}

// ---- what outsiders may ask

pli_contact_info pli_model_get_collider(const pli_model *model, int32_t collider)
{
    const pli_model_collider *from = &model->colliders[collider];
    pli_contact_info info = {.name = from->name,
                             .method = method_name(&pli_collider_schema, (int32_t)from->method),
                             .stiffness = from->stiffness,
                             .friction = from->friction,
                             .deviation = from->deviation};
    if (model->matter == NULL && from->body >= 0) {
        info.triangle_count = model->bodies[from->body].triangle_count;
    }
    return info;
}

pli_contact_info pli_collider_get_contact(const pli_model *model)
{
    return (pli_contact_info){.name = "",
                              .method = method_name(&pli_contact_schema, model->contact.method),
                              .stiffness = model->contact.stiffness,
                              .friction = model->contact.friction};
}
