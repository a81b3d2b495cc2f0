// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/scene_rules.h"

#include "base/suggest.h"
#include "geometry/generate/recipe.h"
#include "pliant/sim.h"
#include "sim/body/body_group.h"
#include "sim/body/body_mesh.h"
#include "sim/body/material_resolve.h"
#include "sim/body/shape_build.h"
#include "sim/model/collider_build.h"
#include "sim/model/collider_surface.h"
#include "sim/report/body_frame.h"
#include "sim/report/matter_frame.h"
#include "sim/scene/quantity.h"
#include "sim/scene/schema.h"
#include "sim/scene/solver_rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

pli_visit pli_visit_member(const pli_visit *holder, const char *key, const void *member,
                           char path[PLI_PATH_CAPACITY])
{
    const char *dot = holder->path[0] != '\0' && key[0] != '\0' ? "." : "";
    snprintf(path, PLI_PATH_CAPACITY, "%s%s%s", holder->path, dot, key);
    return (pli_visit){
        .path = path, .schema = holder->schema, .holder = holder->holder, .member = member};
}

pli_status pli_rules_refuse(const pli_rules *r, const pli_visit *holder, const char *key,
                            const void *member, const char *format, ...)
{
    char path[PLI_PATH_CAPACITY];
    char text[PLI_FIELD_ERROR_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pli_visit at = pli_visit_member(holder, key, member, path);
    return pli_scene_fail(r->scene, PLI_ERROR_SCENE, &at, "%s", text);
}

pli_status pli_rules_apply(const pli_rules *r, const pli_visit *visit, const pli_rule *rules,
                           int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        if (rules[k].schema == visit->schema) return rules[k].check(r, visit);
    }
    return PLI_OK;
}

pli_status pli_rules_check_point(const pli_rules *r, const pli_visit *visit, const char *key,
                                 const void *member, int32_t count)
{
    if (count == 0 || count == 3) return PLI_OK;
    return pli_rules_refuse(r, visit, key, member, "found %d numbers, expected three", count);
}

// ---- names that refer

pli_status pli_rules_check_reference(const pli_rules *r, const pli_visit *visit, const char *key,
                                     const char *const *name, const pli_names *names,
                                     const pli_names *more)
{
    if (pli_names_find(names, *name) >= 0) return PLI_OK;
    if (more != NULL && pli_names_find(more, *name) >= 0) return PLI_OK;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(*name, found));
    for (int32_t i = 0; i < names->count; ++i) pli_suggest_add(&suggest, names->items[i]);
    for (int32_t i = 0; more != NULL && i < more->count; ++i) {
        pli_suggest_add(&suggest, more->items[i]);
    }
    return pli_rules_refuse(r, visit, key, name, "found '%s', which is not defined; defined are %s",
                            found, pli_suggest_text(&suggest));
}

// A group must be one of the body's, or of any body's when body is NULL.
static pli_status check_group(const pli_rules *r, const pli_visit *visit, const char *key,
                              const pli_body_def *body, const pli_group_def *group)
{
    char found[PLI_EXCERPT_CAPACITY];
    char name_key[PLI_PATH_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(group->name, found));
    const pli_body_def *bodies = body != NULL ? body : r->def->bodies;
    int32_t body_count = body != NULL ? 1 : r->def->body_count;
    for (int32_t i = 0; i < body_count; ++i) {
        pli_body_group known;
        if (pli_body_group_find(&bodies[i], group->name, &known)) return PLI_OK;
        for (int32_t k = 0; pli_body_group_get(&bodies[i], k, &known); ++k) {
            pli_suggest_add(&suggest, known.name);
        }
        // a recipe that is not known is refused by its own rule
        const pli_recipe_def *recipe = pli_body_group_recipe(&bodies[i]);
        if (recipe != NULL && pli_recipe_find(recipe->name) == NULL) return PLI_OK;
    }
    snprintf(name_key, sizeof name_key, "%s.group.name", key);
    return pli_rules_refuse(r, visit, name_key, &group->name,
                            "found '%s', which is not a group of %s; groups are %s", found,
                            body != NULL ? "the body" : "any body", pli_suggest_text(&suggest));
}

static pli_status check_vertex_ids(const pli_rules *r, const pli_visit *visit, const char *key,
                                   const pli_body_def *body, const pli_vertices_def *vertices)
{
    const pli_mesh_data *mesh = body != NULL ? pli_body_mesh_file(body) : NULL;
    char ids_key[PLI_PATH_CAPACITY];
    snprintf(ids_key, sizeof ids_key, "%s.vertices.ids", key);
    for (int32_t i = 0; mesh != NULL && i < vertices->id_count; ++i) {
        if (vertices->ids[i] < mesh->point_count) continue;
        return pli_rules_refuse(r, visit, ids_key, &vertices->ids,
                                "found '%d'; the body has vertices 0 to %d", vertices->ids[i],
                                mesh->point_count - 1);
    }
    return PLI_OK;
}

// body NULL: the selection is of every body.
static pli_status check_selection(const pli_rules *r, const pli_visit *visit, const char *key,
                                  const pli_body_def *body, const pli_variant *where)
{
    if (where->kind == PLI_SELECT_GROUP) return check_group(r, visit, key, body, where->data);
    if (where->kind == PLI_SELECT_VERTICES) {
        return check_vertex_ids(r, visit, key, body, where->data);
    }
    return PLI_OK;
}

// ---- materials

// Values that are possible but hint at a slip in the units.
static void warn_material(const pli_rules *r, const pli_visit *visit,
                          const pli_resolved_material *resolved)
{
    static const double softest = 1e2;   // Pa, softer than any gel
    static const double stiffest = 1e13; // Pa, ten times diamond
    static const double lightest = 1;    // kg/m^3, lighter than air
    const pli_material_def *material = visit->holder;
    char path[PLI_PATH_CAPACITY];
    char number[PLI_QUANTITY_CAPACITY];
    int32_t input = pli_material_find_input(resolved->law, "young");
    double young = input >= 0 ? resolved->inputs[input] : softest;
    if (young < softest || young > stiffest) {
        pli_visit at = pli_visit_member(visit, "young", &material->young, path);
        pli_quantity_format(young, number);
        pli_scene_warn(r->scene, &at,
                       "%s Pa is unusually %s; check the units (rubber has 1e6, steel 2e11)",
                       number, young < softest ? "soft" : "stiff");
    }
    if (resolved->density < lightest) {
        pli_visit at = pli_visit_member(visit, "density", &material->density, path);
        pli_quantity_format(resolved->density, number);
        pli_scene_warn(r->scene, &at,
                       "%s kg/m^3 is lighter than air; check the units (water has 1000)", number);
    }
}

static pli_status check_material(const pli_rules *r, const pli_visit *visit)
{
    pli_resolved_material resolved;
    pli_material_problem problem;
    pli_context *context = pli_scene_context(r->scene);
    if (!pli_material_resolve(context, visit->holder, &resolved, &problem)) {
        return pli_rules_refuse(r, visit, problem.key, problem.member, "%s", problem.text);
    }
    warn_material(r, visit, &resolved);
    return PLI_OK;
}

// ---- bodies and what holds them

static bool is_zero(const double v[3])
{
    return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

// kinds of bodies in sentences
static const char *const kind_texts[] = {[PLI_BODY_SOLID] = "a solid",
                                         [PLI_BODY_SHELL] = "a shell",
                                         [PLI_BODY_OBSTACLE] = "an obstacle",
                                         [PLI_BODY_CLOTH] = "a cloth"};

// A key that a body has although its kind has no use for it.
static pli_status check_unused(const pli_rules *r, const pli_visit *visit, bool given,
                               const char *key, const void *member)
{
    static const char *const advice[] = {
        [PLI_BODY_SOLID] = "it is for a shell or an obstacle; to move vertices, use constraints",
        [PLI_BODY_SHELL] = "it is for an obstacle; to move vertices, use constraints",
        [PLI_BODY_OBSTACLE] = "only its motion moves it, and nothing deforms it",
        [PLI_BODY_CLOTH] = "its springs say what it is made of; to move vertices, use constraints"};
    const pli_body_def *body = visit->holder;
    if (!given) return PLI_OK;
    return pli_rules_refuse(r, visit, key, member, "is not a key of %s: %s", kind_texts[body->kind],
                            advice[body->kind]);
}

static pli_status check_springs(const pli_rules *r, const pli_visit *visit,
                                const pli_body_def *body)
{
    const pli_field *field = pli_schema_find(&pli_body_schema, "springs");
    if (body->kind == PLI_BODY_CLOTH || pli_field_is_absent(field, body)) return PLI_OK;
    return pli_rules_refuse(r, visit, "springs", &body->springs,
                            "is not a key of %s: it is for a cloth; write kind: cloth",
                            kind_texts[body->kind]);
}

// A cloth and an obstacle are made of no material.
static pli_status check_no_material(const pli_rules *r, const pli_visit *visit,
                                    const pli_body_def *body)
{
    bool has_material = body->material[0] != '\0';
    PLI_TRY(check_unused(r, visit, has_material, "material", &body->material));
    return check_unused(r, visit, body->region_count > 0, "regions", &body->regions);
}

static pli_status check_obstacle(const pli_rules *r, const pli_visit *visit,
                                 const pli_body_def *body)
{
    bool deformed = body->start.kind > PLI_START_REST;
    PLI_TRY(check_no_material(r, visit, body));
    PLI_TRY(check_unused(r, visit, !is_zero(body->velocity), "velocity", body->velocity));
    PLI_TRY(check_unused(r, visit, !is_zero(body->angular_velocity), "angular_velocity",
                         body->angular_velocity));
    PLI_TRY(check_unused(r, visit, deformed, "start", &body->start));
    if (body->motion.after == PLI_MOTION_HOLD) return PLI_OK;
    return pli_rules_refuse(
        r, visit, "motion.after", &body->motion.after,
        "found 'release'; an obstacle has nothing else that moves it: use after: hold");
}

// The law of a shell's material must have the two numbers that membrane and bending are made of.
static pli_status check_shell_material(const pli_rules *r, const pli_visit *visit, const char *key,
                                       const char *const *name)
{
    int32_t index = pli_names_find(&r->materials, *name);
    pli_resolved_material resolved;
    pli_context *context = pli_scene_context(r->scene);
    // what is wrong with the material itself is told by its own rule
    if (!pli_material_resolve(context, &r->def->materials[index], &resolved, NULL)) return PLI_OK;
    if (pli_material_find_input(resolved.law, "young") >= 0 &&
        pli_material_find_input(resolved.law, "poisson") >= 0) {
        return PLI_OK;
    }
    return pli_rules_refuse(r, visit, key, name,
                            "the law '%s' has no young and poisson, which a shell is made from",
                            resolved.law->name);
}

static pli_status check_body_material(const pli_rules *r, const pli_visit *visit, const char *key,
                                      const char *const *name)
{
    const pli_body_def *body = visit->holder;
    if ((*name)[0] == '\0')
        return pli_rules_refuse(r, visit, key, name, "is missing; expected a text");
    PLI_TRY(pli_rules_check_reference(r, visit, key, name, &r->materials, NULL));
    return body->kind == PLI_BODY_SHELL ? check_shell_material(r, visit, key, name) : PLI_OK;
}

// Solids need tetrahedra; all others are content with triangles.
static pli_status check_geometry(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    if (pli_body_mesh_has_tets(body)) return PLI_OK;
    if (body->geometry.kind != PLI_GEOMETRY_FILE) {
        if (body->kind != PLI_BODY_SOLID) return PLI_OK;
        return pli_rules_refuse(
            r, visit, "geometry", &body->geometry,
            "found triangles, of which a solid cannot be made; write kind: shell or "
            "kind: obstacle");
    }
    const pli_file_def *file = body->geometry.data;
    if (file->mesh == NULL) return PLI_OK; // told by the rule of the file
    if (body->kind == PLI_BODY_SOLID) {
        return pli_rules_refuse_file(
            r, visit, "geometry.file.path", file,
            "the mesh has no tetrahedra; to fill a closed surface with them, write "
            "fill: {shape: {mesh: ...}}; to make a thin shell of it, kind: shell");
    }
    if (file->mesh->triangle_count > 0) return PLI_OK;
    return pli_rules_refuse_file(r, visit, "geometry.file.path", file, pli_rules_no_cells);
}

static pli_status check_body(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    if (body->geometry.kind == PLI_GEOMETRY_PARTICLES) return pli_rules_check_particles(r, visit);
    PLI_TRY(check_geometry(r, visit));
    bool shell = body->kind == PLI_BODY_SHELL;
    PLI_TRY(check_unused(r, visit, !shell && body->thickness != 0, "thickness", &body->thickness));
    PLI_TRY(check_unused(r, visit, !shell && body->bending != -1, "bending", &body->bending));
    PLI_TRY(check_unused(r, visit, !shell && body->bending_model != PLI_BENDING_AUTO,
                         "bending_model", &body->bending_model));
    PLI_TRY(check_unused(r, visit, !shell && body->fold.angle > 0, "fold", &body->fold));
    if (body->fold.angle > 0 && body->bending_model == PLI_BENDING_PLATE) {
        return pli_rules_refuse(r, visit, "bending_model", &body->bending_model,
                                "found 'plate', which has no folds that stay; write hinges, or "
                                "leave fold out");
    }
    PLI_TRY(check_springs(r, visit, body));
    if (body->kind == PLI_BODY_OBSTACLE) return check_obstacle(r, visit, body);
    bool is_moved = body->motion.segment_count > 0 || body->motion.keyframe_count > 0;
    PLI_TRY(check_unused(r, visit, is_moved, "motion", &body->motion));
    if (body->kind == PLI_BODY_CLOTH) return check_no_material(r, visit, body);
    if (shell && body->start.kind == PLI_START_COLLAPSED) {
        return pli_rules_refuse(
            r, visit, "start", &body->start,
            "a shell cannot start collapsed, because its energy is infinite where "
            "triangles have no area");
    }
    PLI_TRY(check_body_material(r, visit, "material", &body->material));
    for (int32_t i = 0; i < body->region_count; ++i) {
        const pli_region_def *region = &body->regions[i];
        char key[64];
        snprintf(key, sizeof key, "regions[%d].material", i);
        PLI_TRY(check_body_material(r, visit, key, &region->material));
        snprintf(key, sizeof key, "regions[%d].where", i);
        PLI_TRY(check_selection(r, visit, key, body, &region->where));
    }
    return PLI_OK;
}

// The body that a constraint or attachment names; NULL for every body.
static pli_status find_body(const pli_rules *r, const pli_visit *visit, const char *const *name,
                            const pli_body_def **body)
{
    *body = NULL;
    if ((*name)[0] == '\0') return PLI_OK;
    PLI_TRY(pli_rules_check_reference(r, visit, "body", name, &r->bodies, NULL));
    *body = &r->def->bodies[pli_names_find(&r->bodies, *name)];
    if ((*body)->kind != PLI_BODY_OBSTACLE) return PLI_OK;
    return pli_rules_refuse(r, visit, "body", name,
                            "'%s' is an obstacle, which follows its own motion: say it there",
                            *name);
}

static pli_status check_constraint(const pli_rules *r, const pli_visit *visit)
{
    const pli_constraint_def *constraint = visit->holder;
    const pli_body_def *body = NULL;
    PLI_TRY(find_body(r, visit, &constraint->body, &body));
    PLI_TRY(check_selection(r, visit, "where", body, &constraint->where));

    // each of x, y and z at most once
    int32_t seen[3] = {0};
    for (const char *axis = constraint->axes; *axis != '\0'; ++axis) {
        if (*axis >= 'x' && *axis <= 'z' && seen[*axis - 'x']++ == 0) continue;
        char found[PLI_EXCERPT_CAPACITY];
        return pli_rules_refuse(r, visit, "axes", &constraint->axes,
                                "found '%s'; allowed are x, y and z, each once, such as 'xz'",
                                pli_excerpt(constraint->axes, found));
    }
    if (seen[0] + seen[1] + seen[2] > 0) return PLI_OK;
    return pli_rules_refuse(r, visit, "axes", &constraint->axes,
                            "holds nothing; name at least one of xyz");
}

static pli_status check_attachment(const pli_rules *r, const pli_visit *visit)
{
    const pli_attachment_def *attachment = visit->holder;
    const pli_body_def *body = NULL;
    PLI_TRY(find_body(r, visit, &attachment->body, &body));
    return check_selection(r, visit, "where", body, &attachment->where);
}

// ---- loads and cavities

static pli_status check_times(const pli_rules *r, const pli_visit *visit,
                              const pli_factor_def *keys, int32_t count)
{
    for (int32_t i = 1; i < count; ++i) {
        if (keys[i].time > keys[i - 1].time) continue;
        char key[64], time[PLI_QUANTITY_CAPACITY], before[PLI_QUANTITY_CAPACITY];
        snprintf(key, sizeof key, "over_time[%d].time", i);
        pli_quantity_format(keys[i].time, time);
        pli_quantity_format(keys[i - 1].time, before);
        return pli_rules_refuse(r, visit, key, &keys[i].time,
                                "found '%s', expected a time after that of the factor before, %s",
                                time, before);
    }
    return PLI_OK;
}

static pli_status check_load(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_load_def *load = visit->holder;
    const pli_body_def *body = NULL;
    PLI_TRY(find_body(r, visit, &load->body, &body));
    PLI_TRY(check_selection(r, visit, "where", body, &load->where));
    PLI_TRY(pli_rules_check_point(r, visit, "traction", &load->traction, load->traction_count));
    PLI_TRY(pli_rules_check_point(r, visit, "force", &load->force, load->force_count));
    PLI_TRY(pli_rules_check_point(r, visit, "point_force", &load->point_force,
                                  load->point_force_count));
    PLI_TRY(pli_rules_check_point(r, visit, "acceleration", &load->acceleration,
                                  load->acceleration_count));
    int kinds = (load->traction_count > 0) + (load->pressure != 0) + (load->force_count > 0) +
                (load->point_force_count > 0) + (load->acceleration_count > 0);
    if (kinds != 1) {
        return pli_rules_refuse(r, visit, "", NULL,
                                "says %s; a load has exactly one of traction, pressure (not 0), "
                                "force, point_force and acceleration",
                                kinds == 0 ? "nothing of how much it is"
                                           : "several things at once");
    }
    return check_times(r, visit, load->over_time, load->over_time_count);
}

static pli_status check_gas(const pli_rules *r, const pli_visit *visit)
{
    const pli_gas_def *gas = visit->holder;
    if (gas->pressure + gas->ambient > 0) return PLI_OK;
    return pli_rules_refuse(r, visit, "pressure", &gas->pressure,
                            "leaves no gas: pressure and ambient add up to %g Pa; pressure is "
                            "what the gas has more than outside",
                            gas->pressure + gas->ambient);
}

static pli_status check_cavity(const pli_rules *r, const pli_visit *visit)
{
    const pli_cavity_def *cavity = visit->holder;
    const pli_body_def *body = NULL;
    PLI_TRY(find_body(r, visit, &cavity->body, &body));
    PLI_TRY(check_selection(r, visit, "where", body, &cavity->where));
    if (cavity->surface == PLI_CAVITY_INNER && body != NULL && body->kind != PLI_BODY_SOLID) {
        return pli_rules_refuse(r, visit, "surface", &cavity->surface,
                                "found 'inner', which a solid has around a hole; the surface of "
                                "%s is one: leave it out",
                                kind_texts[body->kind]);
    }
    bool given = cavity->content.kind == PLI_CONTENT_PRESSURE;
    for (int32_t i = 0; i < cavity->over_time_count; ++i) {
        if (given || cavity->over_time[i].factor > 0) continue;
        char key[64];
        snprintf(key, sizeof key, "over_time[%d].factor", i);
        return pli_rules_refuse(r, visit, key, &cavity->over_time[i].factor,
                                "found '%g'; expected more than 0, because it is the amount of "
                                "what is in the cavity",
                                cavity->over_time[i].factor);
    }
    return check_times(r, visit, cavity->over_time, cavity->over_time_count);
}

static pli_status check_motion(const pli_rules *r, const pli_visit *visit)
{
    const pli_motion_def *motion = visit->holder;
    PLI_TRY(pli_rules_check_point(r, visit, "center", &motion->center, motion->center_count));
    if (motion->segment_count > 0 && motion->keyframe_count > 0) {
        return pli_rules_refuse(r, visit, "keyframes", &motion->keyframes,
                                "there are segments as well; a motion has one of the two");
    }
    for (int32_t i = 1; i < motion->keyframe_count; ++i) {
        const pli_keyframe_def *frame = &motion->keyframes[i];
        if (frame->time > frame[-1].time) continue;
        char key[64];
        char time[PLI_QUANTITY_CAPACITY];
        char before[PLI_QUANTITY_CAPACITY];
        snprintf(key, sizeof key, "keyframes[%d].time", i);
        pli_quantity_format(frame->time, time);
        pli_quantity_format(frame[-1].time, before);
        return pli_rules_refuse(r, visit, key, &frame->time,
                                "found '%s', expected a time after that of the keyframe before, %s",
                                time, before);
    }
    return PLI_OK;
}

static pli_status check_collapsed(const pli_rules *r, const pli_visit *visit)
{
    const pli_start_collapsed_def *start = visit->holder;
    return pli_rules_check_point(r, visit, "point", &start->point, start->point_count);
}

// ---- colliders and contact

// A rigid motion keeps distances; a stretched shape would have none.
pli_status pli_rules_check_rigid(const pli_rules *r, const pli_visit *visit,
                                 const pli_motion_def *motion, const char *reason)
{
    char key[64];
    for (int32_t i = 0; i < motion->segment_count; ++i) {
        const double *s = motion->segments[i].stretch;
        if (s[0] == 0 && s[1] == 0 && s[2] == 0) continue;
        snprintf(key, sizeof key, "motion.segments[%d].stretch", i);
        return pli_rules_refuse(r, visit, key, s, "found [%g, %g, %g]; allowed: [0, 0, 0], %s",
                                s[0], s[1], s[2], reason);
    }
    for (int32_t i = 0; i < motion->keyframe_count; ++i) {
        const double *s = motion->keyframes[i].scale;
        if (s[0] == 1 && s[1] == 1 && s[2] == 1) continue;
        snprintf(key, sizeof key, "motion.keyframes[%d].scale", i);
        return pli_rules_refuse(r, visit, key, s, "found [%g, %g, %g]; allowed: [1, 1, 1], %s",
                                s[0], s[1], s[2], reason);
    }
    return PLI_OK;
}

// Barriers take planes that stand still and surfaces that have an end; what moves vertices without
// asking could make them cross.
static pli_status check_barrier_collider(const pli_rules *r, const pli_visit *visit,
                                         const pli_collider_def *collider)
{
    bool contact = r->def->contact.method == PLI_CONTACT_BARRIER;
    bool barrier = collider->method == PLI_COLLIDER_BARRIER;
    const pli_collider_lack *lack = pli_collider_find_lack(collider);
    if (barrier && !contact) {
        return pli_rules_refuse(
            r, visit, "method", &collider->method,
            "found 'barrier' although contact.method is not; write contact: barrier");
    }
    if (barrier && lack != NULL) {
        const void *member = lack->is_motion ? (const void *)&collider->motion : &collider->shape;
        return pli_rules_refuse(r, visit, lack->is_motion ? "motion" : "shape", member,
                                "found %s, which barriers do not take; %s", lack->what,
                                lack->advice);
    }
    bool displaces =
        collider->method == PLI_COLLIDER_CONSTRAINT || collider->method == PLI_COLLIDER_POSTPROCESS;
    if (contact && displaces) {
        return pli_rules_refuse(
            r, visit, "method", &collider->method,
            "moves vertices without regard to contact.method: barrier; use method: "
            "penalty or barrier");
    }
    return PLI_OK;
}

// The kinks of an interpolated grid make a solver stick that holds vertices on the surface (Gast et
// al. 2015).
static pli_status check_collider(const pli_rules *r, const pli_visit *visit)
{
    const pli_collider_def *collider = visit->holder;
    bool sampled = pli_rules_is_sampled(&collider->shape);
    PLI_TRY(pli_rules_check_rigid(
        r, visit, &collider->motion,
        "because the distance to a stretched collider would not stay a distance"));
    if (sampled && collider->method == PLI_COLLIDER_CONSTRAINT) {
        return pli_rules_refuse(
            r, visit, "method", &collider->method,
            "found 'constraint' for a shape that is sampled on a grid, whose kinks would "
            "hold vertices fast; use method: penalty, or a shape without mesh and "
            "sampled");
    }
    pli_collider_method method = pli_collider_choose_method(r->def, collider, !sampled);
    bool penalty = method == PLI_COLLIDER_PENALTY || method == PLI_COLLIDER_QUADRATIC;
    if (collider->stiffness > 0 && !penalty) {
        char path[PLI_PATH_CAPACITY];
        pli_visit at = pli_visit_member(visit, "stiffness", &collider->stiffness, path);
        pli_scene_warn(r->scene, &at, "is not used, because the method is %s; use method: penalty",
                       pli_schema_find(&pli_collider_schema, "method")->choices[method]);
    }
    PLI_TRY(check_barrier_collider(r, visit, collider));
    pli_bounds bounds;
    return pli_rules_try_shape(r, visit, &collider->shape, &bounds);
}

static pli_status check_pair(const pli_rules *r, const pli_visit *visit)
{
    const pli_contact_pair_def *pair = visit->holder;
    if (pair->body_count != 2) {
        return pli_rules_refuse(r, visit, "bodies", pair->bodies, "found %d names; a pair has two",
                                (int)pair->body_count);
    }
    for (int k = 0; k < 2; ++k) {
        PLI_TRY(pli_rules_check_reference(r, visit, "bodies", &pair->bodies[k], &r->bodies,
                                          &r->colliders));
    }
    if (pli_names_find(&r->bodies, pair->bodies[0]) >= 0) return PLI_OK;
    if (pli_names_find(&r->bodies, pair->bodies[1]) >= 0) return PLI_OK;
    return pli_rules_refuse(r, visit, "bodies", pair->bodies,
                            "found two colliders, which never collide");
}

// The penalty needs an inside to push vertices out of.
static pli_status check_penalty(const pli_rules *r, const pli_visit *visit)
{
    const pli_contact_def *contact = visit->holder;
    for (int32_t i = 0; i < r->def->body_count; ++i) {
        const pli_body_def *body = &r->def->bodies[i];
        if (body->kind == PLI_BODY_SOLID) continue;
        return pli_rules_refuse(
            r, visit, "method", &contact->method,
            "found 'penalty', which pushes vertices out of tetrahedra; body '%s' is %s "
            "and has none",
            body->name, kind_texts[body->kind]);
    }
    return PLI_OK;
}

static pli_status check_contact(const pli_rules *r, const pli_visit *visit)
{
    const pli_contact_def *contact = visit->holder;
    if (contact->method == PLI_CONTACT_PENALTY) PLI_TRY(check_penalty(r, visit));
    char path[PLI_PATH_CAPACITY];
    if (contact->pair_count > 0 && contact->method != PLI_CONTACT_BARRIER) {
        pli_visit at = pli_visit_member(visit, "pairs", contact->pairs, path);
        pli_scene_warn(r->scene, &at,
                       "is not used, because barriers alone tell pairs apart; use "
                       "method: barrier");
    }
    if (contact->method != PLI_CONTACT_NONE) return PLI_OK;
    static const char unused[] =
        "is not used, because bodies do not collide; use method: penalty or barrier";
    if (contact->stiffness > 0) {
        pli_visit at = pli_visit_member(visit, "stiffness", &contact->stiffness, path);
        pli_scene_warn(r->scene, &at, "%s", unused);
    }
    if (contact->friction > 0) {
        pli_visit at = pli_visit_member(visit, "friction", &contact->friction, path);
        pli_scene_warn(r->scene, &at, "%s", unused);
    }
    return PLI_OK;
}

// ---- solver and root

static pli_status check_solver(const pli_rules *r, const pli_visit *visit)
{
    return pli_solver_check_keys(r->scene, visit);
}

static pli_status check_multigrid(const pli_rules *r, const pli_visit *visit)
{
    return pli_solver_check_multigrid(r->scene, visit);
}

static pli_status check_output(const pli_rules *r, const pli_visit *visit)
{
    const pli_output_def *output = visit->holder;
    bool particles = pli_scene_has_particles(r->def);
    int32_t count = particles ? PLI_PARTICLE_FIELD_COUNT : PLI_BODY_FIELD_COUNT;
    const char *unknown = NULL;
    (particles ? pli_particle_fields_find : pli_body_fields_find)(output->fields,
                                                                  output->field_count, &unknown);
    if (unknown == NULL) return PLI_OK;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(unknown, found));
    for (int32_t i = 0; i < count; ++i) {
        pli_suggest_add(&suggest,
                        (particles ? pli_particle_field_get : pli_body_field_get)(i)->name);
    }
    return pli_rules_refuse(r, visit, "fields", &output->fields,
                            "found '%s', which is not a field of frames; fields are %s", found,
                            pli_suggest_text(&suggest));
}

static pli_status check_root(const pli_rules *r, const pli_visit *visit)
{
    const pli_scene_def *def = r->def;
    if (def->body_count == 0 && def->emitter_count == 0) {
        return pli_rules_refuse(r, visit, "bodies", &def->bodies,
                                "is missing; a scene needs bodies, or emitters of particles");
    }
    return pli_rules_check_point(r, visit, "gravity", &def->gravity, def->gravity_count);
}

static const pli_rule rules[] = {
    {&pli_material_schema, check_material},     {&pli_body_schema, check_body},
    {&pli_constraint_schema, check_constraint}, {&pli_attachment_schema, check_attachment},
    {&pli_motion_schema, check_motion},         {&pli_start_collapsed_schema, check_collapsed},
    {&pli_solver_schema, check_solver},         {&pli_multigrid_schema, check_multigrid},
    {&pli_output_schema, check_output},         {&pli_contact_schema, check_contact},
    {&pli_contact_pair_schema, check_pair},     {&pli_body_load_schema, check_load},
    {&pli_cavity_schema, check_cavity},         {&pli_gas_schema, check_gas},
};

static pli_status check_visit(void *user, const pli_visit *visit)
{
    const pli_rules *r = user;
    if (visit->field != NULL) return PLI_OK;
    if (visit->holder == r->def) PLI_TRY(check_root(r, visit));
    PLI_TRY(pli_rules_check_paint(r, visit));
    PLI_TRY(pli_rules_apply(r, visit, rules, PLI_COUNT_OF(rules)));
    PLI_TRY(pli_rules_check_shapes(r, visit));
    return pli_rules_check_matter(r, visit);
}

// Rules that rely on all others.
static pli_status check_visit_late(void *user, const pli_visit *visit)
{
    const pli_rules *r = user;
    if (visit->field != NULL) return PLI_OK;
    if (visit->schema == &pli_collider_schema) return check_collider(r, visit);
    PLI_TRY(pli_rules_check_shapes_late(r, visit));
    return pli_rules_check_matter_late(r, visit);
}

// The names that others may refer to; that each is there once has been checked.
static pli_status collect_names(pli_rules *r)
{
    int32_t index = 0;
    for (int32_t i = 0; i < r->def->material_count; ++i) {
        PLI_TRY(pli_names_add(&r->materials, r->def->materials[i].name, &index));
    }
    for (int32_t i = 0; i < r->def->body_count; ++i) {
        PLI_TRY(pli_names_add(&r->bodies, r->def->bodies[i].name, &index));
    }
    for (int32_t i = 0; i < r->def->collider_count; ++i) {
        PLI_TRY(pli_names_add(&r->colliders, r->def->colliders[i].name, &index));
    }
    return pli_scene_collect_materials(r->def, &r->of_particles, &r->of_meshes);
}

pli_status pli_scene_check_rules(const pli_scene *scene)
{
    pli_context *context = pli_scene_context(scene);
    pli_rules r = {.scene = scene, .def = pli_scene_get(scene)};
    r.has_particles = pli_scene_has_particles(r.def);
    pli_names_init(&r.materials, context);
    pli_names_init(&r.bodies, context);
    pli_names_init(&r.colliders, context);
    pli_names_init(&r.of_particles, context);
    pli_names_init(&r.of_meshes, context);
    pli_status status = collect_names(&r);
    if (status == PLI_OK) {
        status = pli_schema_walk(context, pli_scene_schema(), r.def, check_visit, &r);
    }
    if (status == PLI_OK) {
        status = pli_schema_walk(context, pli_scene_schema(), r.def, check_visit_late, &r);
    }
    pli_names_clear(&r.of_meshes);
    pli_names_clear(&r.of_particles);
    pli_names_clear(&r.colliders);
    pli_names_clear(&r.bodies);
    pli_names_clear(&r.materials);
    return status;
}
