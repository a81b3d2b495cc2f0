// SPDX-License-Identifier: Apache-2.0
#include "sim/model/matter_build.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "mpm/grid/grid_collider.h"
#include "sim/body/material_matter.h"
#include "sim/body/shape_build.h"
#include "sim/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// nodes of the grid beyond the room on its lower side, and at least as many on the upper
enum { WALL_CELLS = 2 };

// ---- kinds

static const pli_material_def *find_material(const pli_scene_def *def, const char *name,
                                             int32_t *index)
{
    *index = 0;
    while (strcmp(def->materials[*index].name, name) != 0) ++*index;
    return &def->materials[*index];
}

static pli_status add_kind(pli_matter *matter, const pli_scene *scene,
                           const pli_matter_kind *wanted)
{
    const pli_material_def *material = &pli_scene_get(scene)->materials[wanted->material];
    PLI_TRY(PLI_RESIZE(matter->context, matter->kinds, matter->kind_count + 1, "kinds"));
    pli_matter_kind *kind = &matter->kinds[matter->kind_count];
    *kind = *wanted;
    PLI_TRY(pli_matter_resolve(matter->context, material, &kind->matter.material));
    kind->mass = kind->matter.volume * kind->matter.material.density;
    pli_matter_source *source = &matter->sources[wanted->source];
    if (source->kind_count == 0) source->first_kind = matter->kind_count;
    ++source->kind_count;
    ++matter->kind_count;
    return PLI_OK;
}

pli_status pli_matter_find_kind(pli_matter *matter, const pli_scene *scene, int32_t source,
                                const char *material, double volume, int32_t *kind)
{
    pli_matter_kind wanted = {.source = source, .matter = {.volume = volume}};
    (void)find_material(pli_scene_get(scene), material, &wanted.material);
    for (*kind = 0; *kind < matter->kind_count; ++*kind) {
        const pli_matter_kind *known = &matter->kinds[*kind];
        if (known->source == source && known->material == wanted.material) return PLI_OK;
    }
    return add_kind(matter, scene, &wanted);
}

// ---- sources

pli_seeding_def pli_matter_seeding(const pli_matter *matter, const pli_scene *scene,
                                   const pli_filling_def *filling)
{
    static const pli_seeding_kind kinds[] = {[PLI_PATTERN_JITTERED] = PLI_SEEDING_JITTERED,
                                             [PLI_PATTERN_LATTICE] = PLI_SEEDING_LATTICE,
                                             [PLI_PATTERN_RANDOM] = PLI_SEEDING_RANDOM,
                                             [PLI_PATTERN_POISSON] = PLI_SEEDING_POISSON};
    const pli_scene_def *def = pli_scene_get(scene);
    pli_seeding_def seeding = {.kind = kinds[filling->pattern],
                               .dx = matter->dx,
                               .per_cell = filling->per_cell,
                               .seed = (uint64_t)(uint32_t)def->seed};
    // cells begin where the room does
    if (def->domain.min_count == 3) pli_vec3_copy(def->domain.min, seeding.origin);
    return seeding;
}

// A picture shows particles as balls as wide as they are apart.
static double picture_radius(const pli_matter *matter, const pli_filling_def *filling)
{
    return 0.5 * matter->dx / cbrt(filling->per_cell);
}

static pli_status create_sources(pli_matter *matter, const pli_scene_def *def)
{
    int32_t count = def->body_count + def->emitter_count;
    matter->sources = PLI_NEW(matter->context, pli_matter_source, count, "sources");
    if (matter->sources == NULL) return PLI_ERROR_MEMORY;
    matter->source_count = count;
    for (int32_t k = 0; k < count; ++k) {
        bool is_body = k < def->body_count;
        const pli_emitter_def *emitter = is_body ? NULL : &def->emitters[k - def->body_count];
        const pli_particles_def *body = is_body ? def->bodies[k].geometry.data : NULL;
        const char *name = is_body ? def->bodies[k].name : emitter->name;
        matter->sources[k].name = pli_string_copy(matter->context, name);
        matter->sources[k].radius =
            picture_radius(matter, is_body ? &body->filling : &emitter->filling);
        if (matter->sources[k].name == NULL) return PLI_ERROR_MEMORY;
    }
    return PLI_OK;
}

// ---- emitters

// The script of an emitter, when it ends, and how fast what comes out may be.
static pli_status build_motion(pli_matter *matter, const pli_emitter_def *def,
                               const pli_shape *shape, pli_matter_emitter *made)
{
    pli_bounds bounds = pli_shape_bounds(shape);
    double center[3], reach = 0;
    for (int k = 0; k < 3; ++k) center[k] = 0.5 * (bounds.min[k] + bounds.max[k]);
    PLI_TRY(pli_motion_init(matter->context, &def->motion, center, &made->motion));
    for (int corner = 0; corner < 8; ++corner) {
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = (corner >> k & 1) != 0 ? bounds.max[k] : bounds.min[k];
        reach = fmax(reach, pli_vec3_distance(x, made->motion.center));
    }
    // what came out at the beginning of a piece is up to a cell away from the shape
    reach += matter->dx;
    made->speed = pli_vec3_norm(def->velocity) + pli_motion_speed(&made->motion, reach);
    if (made->motion.after == PLI_MOTION_RELEASE && made->motion.end > 0) {
        made->end = fmin(made->end, made->motion.end);
    }
    return PLI_OK;
}

static pli_status build_emitter(pli_matter *matter, const pli_scene *scene, int32_t index)
{
    const pli_scene_def *all = pli_scene_get(scene);
    const pli_emitter_def *def = &all->emitters[index];
    pli_matter_emitter *made = &matter->emitters[index];
    double cell_volume = pow(matter->dx, 3);
    made->begin = def->begin;
    made->end = def->end > 0 ? def->end : INFINITY;
    pli_emitter_stream_def emitter = {.seeding = pli_matter_seeding(matter, scene, &def->filling),
                                      .rate = def->rate,
                                      .start = made->begin};
    pli_vec3_copy(def->velocity, emitter.velocity);
    pli_vec3_copy(def->velocity, made->velocity);
    made->spacing = 0.5 * matter->dx / cbrt(def->filling.per_cell);
    PLI_TRY(pli_matter_find_kind(matter, scene, all->body_count + index, def->material,
                                 cell_volume / def->filling.per_cell, &made->kind));
    PLI_TRY(pli_shape_build(matter->shapes, &def->shape, &emitter.borrowed_shape));
    PLI_TRY(build_motion(matter, def, emitter.borrowed_shape, made));
    emitter.end = made->end;
    return pli_emitter_create(matter->context, &emitter, &made->emitter);
}

static pli_status build_emitters(pli_matter *matter, const pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    int32_t count = def->emitter_count;
    if (count == 0) return PLI_OK;
    matter->emitters = PLI_NEW(matter->context, pli_matter_emitter, count, "emitters");
    if (matter->emitters == NULL) return PLI_ERROR_MEMORY;
    matter->emitter_count = count;
    PLI_TRY(pli_shape_set_create(matter->context, &matter->shapes));
    for (int32_t k = 0; k < count; ++k) {
        pli_status status = build_emitter(matter, scene, k);
        if (status == PLI_OK) continue;
        char path[PLI_PATH_CAPACITY];
        snprintf(path, sizeof path, "emitters.%s", def->emitters[k].name);
        pli_visit at = {.path = path, .holder = &def->emitters[k]};
        return pli_scene_fail_again(scene, status, &at);
    }
    return PLI_OK;
}

// ---- the start of emitters in the state

static pli_status begin_emitters(pli_matter *matter)
{
    pli_matter_state *start = &matter->start;
    int32_t count = matter->emitter_count;
    if (count == 0) return PLI_OK;
    start->emitter_time = PLI_NEW(matter->context, double, count, "emitters");
    start->emitter_total = PLI_NEW(matter->context, int64_t, count, "emitters");
    if (start->emitter_time == NULL || start->emitter_total == NULL) return PLI_ERROR_MEMORY;
    start->emitter_count = count;
    for (int32_t k = 0; k < count; ++k) {
        start->emitter_time[k] = pli_emitter_begin(matter->emitters[k].emitter).time;
    }
    return PLI_OK;
}

// ---- the domain

// A box around particles, emitters and colliders that have bounds.
static pli_status find_bounds(const pli_matter *matter, const pli_scene_def *def,
                              pli_bounds *bounds)
{
    pli_shape_set *set = NULL;
    pli_status status = pli_shape_set_create(matter->context, &set);
    *bounds = pli_bounds_of_points(matter->start.count, matter->start.position);
    for (int32_t k = 0; k < def->emitter_count + def->collider_count && status == PLI_OK; ++k) {
        const pli_shape *shape = NULL;
        const pli_variant *variant = k < def->emitter_count
                                         ? &def->emitters[k].shape
                                         : &def->colliders[k - def->emitter_count].shape;
        status = pli_shape_build(set, variant, &shape);
        pli_bounds own = status == PLI_OK ? pli_shape_bounds(shape) : pli_bounds_empty();
        if (pli_bounds_is_finite(&own)) *bounds = pli_bounds_union(*bounds, own);
    }
    pli_shape_set_destroy(set);
    return status;
}

static pli_status find_room(pli_matter *matter, const pli_scene_def *def)
{
    if (def->domain.min_count == 3) {
        pli_vec3_copy(def->domain.min, matter->room[0]);
        pli_vec3_copy(def->domain.max, matter->room[1]);
        return PLI_OK;
    }
    pli_bounds bounds;
    PLI_TRY(find_bounds(matter, def, &bounds));
    double margin = 0.5 * pli_bounds_longest(&bounds) + 4 * matter->dx;
    for (int k = 0; k < 3; ++k) {
        matter->room[0][k] = floor((bounds.min[k] - margin) / matter->dx) * matter->dx;
        matter->room[1][k] = ceil((bounds.max[k] + margin) / matter->dx) * matter->dx;
    }
    return PLI_OK;
}

// Blocks for the room, what is beyond it on both sides, and the block that particles never are in.
static pli_status set_grid(pli_matter *matter)
{
    static const int32_t edges[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    for (int k = 0; k < 3; ++k) {
        double cells = ceil((matter->room[1][k] - matter->room[0][k]) / matter->dx - 1e-9);
        double blocks = 1 + ceil((cells + WALL_CELLS) / edges[k]);
        if (!(blocks <= 1 << 10)) {
            return PLI_FAIL(matter->context, PLI_ERROR_SCENE,
                            "domain: %.3g cells along %c; allowed are up to %d: make the cells "
                            "larger or the domain smaller",
                            cells, "xyz"[k], edges[k] * ((1 << 10) - 1) - WALL_CELLS);
        }
        matter->blocks[k] = (int32_t)blocks;
        matter->origin[k] = matter->room[0][k] - WALL_CELLS * matter->dx;
    }
    return PLI_OK;
}

// Particles have to start between the walls.
static pli_status check_room(const pli_matter *matter)
{
    const pli_matter_state *start = &matter->start;
    for (int64_t k = 0; k < start->count; ++k) {
        const double *x = start->position + 3 * k;
        for (int axis = 0; axis < 3; ++axis) {
            if (x[axis] >= matter->room[0][axis] && x[axis] <= matter->room[1][axis]) continue;
            const char *source = matter->sources[matter->kinds[start->kind[k]].source].name;
            return PLI_FAIL(matter->context, PLI_ERROR_SCENE,
                            "body %s: a particle starts at (%g, %g, %g) m, outside of the domain, "
                            "which is from (%g, %g, %g) to (%g, %g, %g)",
                            source, x[0], x[1], x[2], matter->room[0][0], matter->room[0][1],
                            matter->room[0][2], matter->room[1][0], matter->room[1][1],
                            matter->room[1][2]);
        }
    }
    return PLI_OK;
}

// ---- all of it

static pli_status build(pli_matter *matter, const pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    PLI_TRY(create_sources(matter, def));
    for (int32_t k = 0; k < def->body_count; ++k) {
        PLI_TRY(pli_matter_seed(matter, scene, k));
    }
    PLI_TRY(build_emitters(matter, scene));
    PLI_TRY(begin_emitters(matter));
    PLI_TRY(find_room(matter, def));
    PLI_TRY(set_grid(matter));
    PLI_TRY(check_room(matter));
    return pli_matter_find_volumes(matter, scene);
}

pli_status pli_matter_build(pli_model *model, const pli_scene *scene)
{
    const pli_domain_def *domain = &pli_scene_get(scene)->domain;
    pli_matter *matter = PLI_NEW(model->context, pli_matter, 1, "particles");
    if (matter == NULL) return PLI_ERROR_MEMORY;
    model->matter = matter;
    matter->context = model->context;
    matter->start.context = model->context;
    matter->dx = domain->cell;
    matter->walls = (pli_boundary_kind)domain->walls;
    matter->wall_friction = domain->friction;
    PLI_TRY(build(matter, scene));
    for (int64_t k = 0; k < matter->start.count; ++k) {
        model->total_mass += matter->kinds[matter->start.kind[k]].mass;
    }
    model->size = pli_vec3_distance(matter->room[0], matter->room[1]);
    return PLI_OK;
}

void pli_matter_destroy(pli_matter *matter)
{
    if (matter == NULL) return;
    pli_context *context = matter->context;
    for (int32_t k = 0; k < matter->emitter_count; ++k) {
        pli_emitter_destroy(matter->emitters[k].emitter);
        pli_motion_clear(context, &matter->emitters[k].motion);
    }
    for (int32_t k = 0; k < matter->source_count; ++k) {
        pli_release(context, matter->sources[k].name);
    }
    pli_matter_state_clear(&matter->start);
    pli_shape_set_destroy(matter->shapes);
    PLI_RELEASE(context, matter->volumes, matter->emitters, matter->kinds, matter->sources, matter);
}

// ---- overlap

static pli_status tell_overlap(const pli_model *model, const pli_scene *scene, int32_t collider,
                               int64_t count, int32_t source)
{
    const pli_scene_def *def = pli_scene_get(scene);
    const char *name = model->matter->sources[source].name;
    char path[PLI_PATH_CAPACITY];
    snprintf(path, sizeof path, "colliders.%s", def->colliders[collider].name);
    pli_visit at = {.path = path, .holder = &def->colliders[collider]};
    if (def->checks.collider_overlap == PLI_SEVERITY_WARNING) {
        pli_scene_warn(scene, &at, "%lld particles start inside of this collider, of body %s",
                       (long long)count, name);
        return PLI_OK;
    }
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                          "%lld particles start inside of this collider, of body %s; move them "
                          "apart, or write checks: {collider_overlap: warning}",
                          (long long)count, name);
}

static pli_status check_collider(const pli_model *model, const pli_scene *scene, int32_t index)
{
    const pli_model_collider *collider = &model->colliders[index];
    const pli_matter_state *start = &model->matter->start;
    // what only touches is no overlap: half a cell of it is moved out by the grid
    double depth = 0.5 * model->matter->dx;
    pli_pose pose;
    pli_motion_get_pose(&collider->motion, 0, &pose);
    int64_t count = 0;
    int32_t source = 0;
    for (int64_t k = 0; k < start->count; ++k) {
        double x[3];
        pli_motion_apply_inverse(&collider->motion, &pose, start->position + 3 * k, x);
        if (pli_shape_value(collider->shape, x) > -depth) continue;
        if (count++ == 0) source = model->matter->kinds[start->kind[k]].source;
    }
    return count == 0 ? PLI_OK : tell_overlap(model, scene, index, count, source);
}

pli_status pli_matter_check_overlap(const pli_model *model, const pli_scene *scene)
{
    if (pli_scene_get(scene)->checks.collider_overlap == PLI_SEVERITY_IGNORE) return PLI_OK;
    for (int32_t k = 0; k < model->collider_count; ++k) {
        PLI_TRY(check_collider(model, scene, k));
    }
    return PLI_OK;
}
