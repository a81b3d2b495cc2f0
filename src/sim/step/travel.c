// SPDX-License-Identifier: Apache-2.0
#include "sim/step/travel.h"

#include "geometry/collision/bounds.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { TEXT = 480 };

// times the speed of sound that are always computed
static const double supersonic = 10;

// The longest edge of the boxes around bodies that are not mere obstacles, of those if there are no
// others (m).
static double largest_extent(const pli_model *model)
{
    double moving = 0, any = 0;
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        const double *points = model->rest + 3 * (int64_t)body->first_vertex;
        pli_bounds box = pli_bounds_of_points(body->vertex_count, points);
        double extent = 0;
        for (int axis = 0; axis < 3; ++axis) {
            extent = fmax(extent, box.max[axis] - box.min[axis]);
        }
        any = fmax(any, extent);
        if (body->kind != PLI_BODY_OBSTACLE) moving = fmax(moving, extent);
    }
    return moving > 0 ? moving : any;
}

// The fastest sound in a material in use, sqrt(young / density) (m/s); springs have none.
static double fastest_sound(const pli_model *model)
{
    double square = 0;
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        square = fmax(square, material->young / material->density);
    }
    for (int64_t k = 0; k < model->shell_triangle_count; ++k) {
        const pli_model_material *material = &model->materials[model->triangle_material[k]];
        square = fmax(square, material->young / material->density);
    }
    return sqrt(square);
}

static const char *explain(const pli_model *model, double travel, char text[TEXT])
{
    double extent = largest_extent(model), most = model->solver_def.max_travel;
    double steps = model->time.steps_per_frame * ceil(travel / (most * extent));
    double sound = fastest_sound(model);
    char advice[64] = "", mach[80] = "";
    if (steps <= 1e6) {
        snprintf(advice, sizeof advice, ", or write time.steps_per_frame: %.0f", steps);
    }
    if (sound > 0) {
        snprintf(mach, sizeof mach, ", at %.3g times the speed of sound in what it may hit",
                 travel / model->dt / sound);
    }
    snprintf(text, TEXT,
             "a step of %.3g s would move it by %.3g m, %.3g times the extent of the largest "
             "body%s; with barriers at most %.4g times are computed so fast (solver.max_travel). "
             "Check the units and velocities%s",
             model->dt, travel, travel / extent, mach, most, advice);
    return text;
}

pli_status pli_travel_check(const pli_model *model, double travel)
{
    char text[TEXT];
    // written so that what is no number is left to those who look for such
    if (!(travel > model->travel_limit)) return PLI_OK;
    return PLI_FAIL(model->context, PLI_ERROR_NUMERIC, "the fastest vertex: %s",
                    explain(model, travel, text));
}

// ---- the start

static pli_status check_at(const pli_model *model, const pli_scene *scene, const pli_visit *at,
                           double speed)
{
    char text[TEXT];
    double travel = model->dt * speed;
    if (!(travel > model->travel_limit)) return PLI_OK;
    return pli_scene_fail(scene, PLI_ERROR_SCENE, at, "%s", explain(model, travel, text));
}

// Segments of the script of what is called by path.
static pli_status check_script(const pli_model *model, const pli_scene *scene, const char *path,
                               const pli_motion_def *motion)
{
    for (int32_t k = 0; k < motion->segment_count; ++k) {
        char inner[PLI_PATH_CAPACITY];
        const pli_motion_segment_def *segment = &motion->segments[k];
        snprintf(inner, sizeof inner, "%s.motion.segments[%d].velocity", path, (int)k);
        pli_visit at = {.path = inner, .holder = segment, .member = &segment->velocity};
        PLI_TRY(check_at(model, scene, &at, pli_vec3_norm(segment->velocity)));
    }
    return PLI_OK;
}

static pli_status check_body(const pli_model *model, const pli_scene *scene,
                             const pli_model_body *body)
{
    char path[PLI_PATH_CAPACITY];
    const pli_body_def *def = &pli_scene_get(scene)->bodies[body->source];
    if (body->kind == PLI_BODY_OBSTACLE) {
        snprintf(path, sizeof path, "bodies.%s", def->name);
        return check_script(model, scene, path, &def->motion);
    }
    double speed = 0;
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        speed = fmax(speed, pli_vec3_norm(model->start_velocity + 3 * k));
    }
    bool turns = speed > 2 * pli_vec3_norm(def->velocity);
    snprintf(path, sizeof path, "bodies.%s.%s", def->name, turns ? "angular_velocity" : "velocity");
    pli_visit at = {.path = path, .holder = def, .member = &def->velocity};
    if (turns) at.member = &def->angular_velocity;
    return check_at(model, scene, &at, speed);
}

pli_status pli_travel_check_start(pli_model *model, const pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    model->travel_limit = INFINITY;
    if (model->contact.method != PLI_CONTACT_BARRIER) return PLI_OK;
    model->travel_limit = fmax(def->solver.max_travel * largest_extent(model),
                               supersonic * fastest_sound(model) * model->dt);
    for (int32_t k = 0; k < model->body_count; ++k) {
        PLI_TRY(check_body(model, scene, &model->bodies[k]));
    }
    for (int32_t k = 0; k < def->constraint_count; ++k) {
        char path[64];
        snprintf(path, sizeof path, "constraints[%d]", (int)k);
        PLI_TRY(check_script(model, scene, path, &def->constraints[k].motion));
    }
    return PLI_OK;
}
