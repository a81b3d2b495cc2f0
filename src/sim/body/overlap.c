// SPDX-License-Identifier: Apache-2.0
#include "sim/body/overlap.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "sim/model/barrier_check.h"
#include "sim/scene/scene.h"
#include "sim/step/contacts.h"

#include <float.h>
#include <stdio.h>

enum { TEXT_CAPACITY = 256, PATH_CAPACITY = 160 };

// How deep a vertex may be and still count as touching: what the placement of a mesh, the motion of
// a collider and the evaluation of its shape can lose by rounding, generously (m).
static double touching_depth(const pli_model *model, const double x[3])
{
    return 1e-9 * model->size + 8 * DBL_EPSILON * pli_vec3_norm(x);
}

// Counts a vertex and keeps it if it is among the deepest; of equal ones the first stay.
static void add_vertex(pli_overlap *overlap, int32_t id, double depth)
{
    int32_t listed =
        overlap->count < PLI_OVERLAP_LISTED ? overlap->count : (int32_t)PLI_OVERLAP_LISTED;
    ++overlap->count;
    int32_t place = listed;
    while (place > 0 && overlap->depths[place - 1] < depth) --place;
    if (place == PLI_OVERLAP_LISTED) return;
    int32_t last = listed < PLI_OVERLAP_LISTED ? listed : (int32_t)PLI_OVERLAP_LISTED - 1;
    for (int32_t k = last; k > place; --k) {
        overlap->ids[k] = overlap->ids[k - 1];
        overlap->depths[k] = overlap->depths[k - 1];
    }
    overlap->ids[place] = id;
    overlap->depths[place] = depth;
}

// ---- colliders

pli_status pli_overlap_find(const pli_model *model, const pli_model_collider *collider,
                            const pli_model_body *body, pli_overlap *overlap)
{
    *overlap = (pli_overlap){0};
    const double *x = model->start + 3 * (int64_t)body->first_vertex;
    double *points = PLI_NEW(model->context, double, 3 * (int64_t)body->vertex_count, "overlap");
    double *values = PLI_NEW(model->context, double, body->vertex_count, "overlap");
    pli_status status = points != NULL && values != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status != PLI_OK) goto done;

    // vertices as the shape sees them before its motion
    pli_pose pose;
    pli_motion_get_pose(&collider->motion, 0, &pose);
    for (int64_t k = 0; k < body->vertex_count; ++k) {
        pli_motion_apply_inverse(&collider->motion, &pose, x + 3 * k, points + 3 * k);
    }
    pli_shape_values(collider->shape, body->vertex_count, points, values);
    for (int32_t k = 0; k < body->vertex_count; ++k) {
        double depth = -values[k];
        if (depth > touching_depth(model, x + 3 * (int64_t)k)) add_vertex(overlap, k, depth);
    }

done:
    PLI_RELEASE(model->context, values, points);
    return status;
}

// ---- telling

// "3 (0.1 m), 17 (0.05 m), ..."
static void list_deepest(const pli_overlap *overlap, char text[TEXT_CAPACITY])
{
    size_t used = 0;
    text[0] = '\0';
    for (int32_t k = 0; k < overlap->count && k < PLI_OVERLAP_LISTED; ++k) {
        used += (size_t)snprintf(text + used, TEXT_CAPACITY - used, "%s%d (%.3g m)",
                                 k > 0 ? ", " : "", (int)overlap->ids[k], overlap->depths[k]);
    }
    if (overlap->count > PLI_OVERLAP_LISTED) snprintf(text + used, TEXT_CAPACITY - used, ", ...");
}

// what one check is about
typedef struct finding {
    const pli_visit *at; // whom to blame in the scene
    const char *body;    // whose vertices overlap
    const char *what;    // "this collider"
    const char *check;   // key of checks
    int32_t severity;    // pli_severity
} finding;

static pli_status tell(const pli_scene *scene, const finding *f, const pli_overlap *overlap)
{
    if (overlap->count == 0 || f->severity == PLI_SEVERITY_IGNORE) return PLI_OK;
    char deepest[TEXT_CAPACITY];
    char text[2 * TEXT_CAPACITY];
    list_deepest(overlap, deepest);
    snprintf(text, sizeof text, "%d %s of body %s %s inside of %s: %s", (int)overlap->count,
             overlap->count == 1 ? "vertex" : "vertices", f->body,
             overlap->count == 1 ? "starts" : "start", f->what, deepest);
    if (f->severity == PLI_SEVERITY_WARNING) {
        pli_scene_warn(scene, f->at, "%s", text);
        return PLI_OK;
    }
    return pli_scene_fail(scene, PLI_ERROR_SCENE, f->at,
                          "%s; move them apart, or write checks: {%s: warning}", text, f->check);
}

static pli_status check_collider(const pli_model *model, const pli_scene *scene, int32_t index)
{
    const pli_scene_def *def = pli_scene_get(scene);
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "colliders.%s", def->colliders[index].name);
    pli_visit at = {.path = path, .holder = &def->colliders[index]};
    for (int32_t k = 0; k < model->body_count; ++k) {
        // an obstacle may stand in the ground
        if (model->bodies[k].kind == PLI_BODY_OBSTACLE) continue;
        pli_overlap overlap;
        finding f = {.at = &at,
                     .body = model->bodies[k].name,
                     .what = "this collider",
                     .check = "collider_overlap",
                     .severity = def->checks.collider_overlap};
        PLI_TRY(pli_overlap_find(model, &model->colliders[index], &model->bodies[k], &overlap));
        PLI_TRY(tell(scene, &f, &overlap));
    }
    return PLI_OK;
}

static pli_status check_colliders(const pli_model *model, const pli_scene *scene)
{
    if (pli_scene_get(scene)->checks.collider_overlap == PLI_SEVERITY_IGNORE) return PLI_OK;
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (model->colliders[k].method == PLI_COLLIDER_BARRIER) continue;
        PLI_TRY(check_collider(model, scene, k));
    }
    return PLI_OK;
}

// ---- bodies

// A random or collapsed start means it.
static bool may_be_tangled(const pli_scene_def *def, const pli_model_body *body)
{
    int32_t start = def->bodies[body->source].start.kind;
    return start == PLI_START_RANDOM || start == PLI_START_COLLAPSED;
}

// Tells which bodies the vertices of one body start inside of; forgets the overlaps [body_count].
static pli_status tell_body(const pli_model *model, const pli_scene *scene, int32_t index,
                            pli_overlap *overlaps)
{
    const pli_scene_def *def = pli_scene_get(scene);
    const pli_model_body *body = &model->bodies[index];
    const pli_body_def *source = &def->bodies[body->source];
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "bodies.%s", source->name);
    pli_visit at = {.path = path, .holder = source};
    for (int32_t k = 0; k < model->body_count; ++k) {
        char what[PATH_CAPACITY];
        pli_overlap overlap = overlaps[k];
        overlaps[k] = (pli_overlap){0};
        if (k == index && may_be_tangled(def, body)) continue;
        snprintf(what, sizeof what, k == index ? "the body itself" : "body %s",
                 model->bodies[k].name);
        finding f = {.at = &at,
                     .body = body->name,
                     .what = what,
                     .check = "body_overlap",
                     .severity = def->checks.body_overlap};
        PLI_TRY(tell(scene, &f, &overlap));
    }
    return PLI_OK;
}

// Tells body by body about contacts at the start, which are sorted by vertex.
static pli_status tell_contacts(const pli_model *model, const pli_scene *scene,
                                const pli_self_contact *contacts, int32_t count)
{
    pli_overlap *overlaps = PLI_NEW(model->context, pli_overlap, model->body_count, "overlaps");
    if (overlaps == NULL) return PLI_ERROR_MEMORY;
    pli_status status = PLI_OK;
    int32_t next = 0;
    for (int32_t k = 0; k < model->body_count && status == PLI_OK; ++k) {
        const pli_model_body *body = &model->bodies[k];
        int32_t before = next;
        for (; next < count; ++next) {
            const pli_self_contact *contact = &contacts[next];
            int32_t id = contact->vertex - body->first_vertex;
            if (id >= body->vertex_count) break;
            const double *x = model->start + 3 * (int64_t)contact->vertex;
            if (contact->depth <= touching_depth(model, x)) continue;
            add_vertex(&overlaps[contact->body], id, contact->depth);
        }
        if (next > before) status = tell_body(model, scene, k, overlaps);
    }
    pli_release(model->context, overlaps);
    return status;
}

static pli_status check_bodies(const pli_model *model, const pli_scene *scene)
{
    if (pli_scene_get(scene)->checks.body_overlap == PLI_SEVERITY_IGNORE) return PLI_OK;
    pli_self_collision *bodies = NULL;
    PLI_TRY(pli_contacts_create_bodies(model, NULL, &bodies));
    if (bodies == NULL) return PLI_OK;
    int32_t count = 0;
    const pli_self_contact *contacts = pli_self_collision_find(bodies, model->start, &count);
    pli_status status = count > 0 ? tell_contacts(model, scene, contacts, count) : PLI_OK;
    pli_self_collision_destroy(bodies);
    return status;
}

pli_status pli_overlap_check(const pli_model *model, const pli_scene *scene)
{
    PLI_TRY(check_colliders(model, scene));
    if (model->contact.method == PLI_CONTACT_BARRIER) return pli_barrier_check(model, scene);
    return check_bodies(model, scene);
}
