// SPDX-License-Identifier: Apache-2.0
//
// What scripts move of a model: constraints, which prescribe where vertices are, and attachments,
// which pull them there by springs.
#include "base/memory.h"
#include "sim/model/model_building.h"

#include <stdio.h>
#include <string.h>

// What constraints and attachments have in common.
typedef struct handle_def {
    const char *path; // of `where`, for messages
    const void *holder;
    const char *body; // "": every body
    const pli_variant *where;
    const pli_motion_def *motion;
    uint8_t axes;
    double stiffness;
} handle_def;

// Selects the handle's vertices of one body into model numbering.
static void collect_vertices(pli_building *b, const handle_def *def, int32_t index,
                             int32_t *vertices, int32_t *count)
{
    if (def->body[0] != '\0' && strcmp(def->body, pli_building_body(b, index)->name) != 0) return;
    // an obstacle follows its own motion
    if (b->model->bodies[index].kind == PLI_BODY_OBSTACLE) return;
    pli_selection_source source = pli_building_selection(b, index);
    pli_selection_mark_vertices(def->where, &source, b->mask);
    for (int32_t k = 0; k < source.mesh->vertex_count; ++k) {
        if (b->mask[k]) vertices[(*count)++] = b->model->bodies[index].first_vertex + k;
    }
}

// Says where what could have been selected is.
static pli_status refuse_selection(const pli_building *b, const handle_def *def)
{
    pli_bounds box = pli_bounds_empty();
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        if (def->body[0] != '\0' && strcmp(def->body, pli_building_body(b, k)->name) != 0) continue;
        if (body->kind == PLI_BODY_OBSTACLE) continue;
        const double *points = pli_building_selection(b, k).points;
        box = pli_bounds_union(box, pli_bounds_of_points(body->vertex_count, points));
    }
    pli_visit at = {.path = def->path, .holder = def->holder, .member = def->where};
    if (!(box.min[0] <= box.max[0])) {
        return pli_scene_fail(b->scene, PLI_ERROR_SCENE, &at,
                              "selects no vertex, because %s of what it may select from",
                              def->body[0] != '\0' ? "the body has none" : "there is no body");
    }
    return pli_scene_fail(b->scene, PLI_ERROR_SCENE, &at,
                          "selects no vertex; %s%s reaches from [%.4g, %.4g, %.4g] to [%.4g, %.4g, "
                          "%.4g]",
                          def->body[0] != '\0' ? "body " : "what there is", def->body, box.min[0],
                          box.min[1], box.min[2], box.max[0], box.max[1], box.max[2]);
}

static pli_status build_handle(pli_building *b, const handle_def *def, pli_model_handle *handle)
{
    handle->axes = def->axes;
    handle->stiffness = def->stiffness;
    PLI_TRY(PLI_MAKE(b->context, handle->vertices, b->model->vertex_count, "handle"));
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        collect_vertices(b, def, k, handle->vertices, &handle->vertex_count);
    }
    if (handle->vertex_count == 0) return refuse_selection(b, def);
    PLI_TRY(PLI_RESIZE(b->context, handle->vertices, handle->vertex_count, "handle"));

    double centroid[3] = {0, 0, 0};
    for (int32_t k = 0; k < handle->vertex_count; ++k) {
        pli_vec3_add_scaled(centroid, 1.0 / handle->vertex_count,
                            b->model->start + 3 * (int64_t)handle->vertices[k], centroid);
    }
    return pli_motion_init(b->context, def->motion, centroid, &handle->motion);
}

static uint8_t axes_mask(const char *axes)
{
    uint8_t mask = 0;
    for (; *axes != '\0'; ++axes) mask |= (uint8_t)(1u << (*axes - 'x'));
    return mask;
}

pli_status pli_model_build_constraints(pli_building *b)
{
    pli_model *model = b->model;
    // obstacles and surfaces come behind them
    int64_t most = (int64_t)b->def->constraint_count + pli_model_things(model);
    PLI_TRY(PLI_MAKE(b->context, model->constraints, most, "constraints"));
    for (int32_t k = 0; k < b->def->constraint_count; ++k) {
        const pli_constraint_def *def = &b->def->constraints[k];
        char path[64];
        snprintf(path, sizeof path, "constraints[%d].where", (int)k);
        handle_def handle = {path, def, def->body, &def->where, &def->motion, axes_mask(def->axes),
                             0};
        ++model->constraint_count;
        PLI_TRY(build_handle(b, &handle, &model->constraints[k]));
    }
    return PLI_OK;
}

pli_status pli_model_build_attachments(pli_building *b)
{
    pli_model *model = b->model;
    PLI_TRY(PLI_MAKE(b->context, model->attachments, b->def->attachment_count, "attachments"));
    for (int32_t k = 0; k < b->def->attachment_count; ++k) {
        const pli_attachment_def *def = &b->def->attachments[k];
        char path[64];
        snprintf(path, sizeof path, "attachments[%d].where", (int)k);
        handle_def handle = {path, def, def->body, &def->where, &def->motion, 7, def->stiffness};
        ++model->attachment_count;
        PLI_TRY(build_handle(b, &handle, &model->attachments[k]));
    }
    return PLI_OK;
}

static void clear(pli_context *context, pli_model_handle *handles, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        pli_motion_clear(context, &handles[k].motion);
        pli_release(context, handles[k].vertices);
    }
    pli_release(context, handles);
}

void pli_model_clear_handles(pli_model *model)
{
    clear(model->context, model->attachments, model->attachment_count);
    clear(model->context, model->constraints, model->constraint_count);
}
