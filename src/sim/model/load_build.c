// SPDX-License-Identifier: Apache-2.0
#include "sim/model/load_build.h"

#include "base/memory.h"
#include "fem/follower.h"
#include "geometry/collision/bounds.h"
#include "geometry/mesh/edges.h"
#include "math/vec3.h"
#include "sim/model/body_surface.h"
#include "sim/model/load_sides.h"
#include "sim/model/model_triangles.h"
#include "sim/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A load while it is built.
typedef struct load_job {
    pli_model *model;
    const pli_scene *scene;
    const pli_scene_def *scene_def;
    pli_body_mesh *const *meshes;
    const pli_body_load_def *def;
    int32_t index; // in the scene
    pli_model_load *load;
    double *areas;     // [vertex_count] shares of the area of the selected triangles (m^2)
    uint8_t *selected; // [vertex_count]
    int64_t capacity;  // triangles of the load that there is memory for
} load_job;

static const pli_body_def *body_def(const load_job *job, int32_t body)
{
    return &job->scene_def->bodies[job->model->bodies[body].source];
}

// Whether the load may act on a body: one that it names, or any that something moves.
static bool acts_on(const load_job *job, int32_t body)
{
    if (job->model->bodies[body].kind == PLI_BODY_OBSTACLE) return false;
    return job->def->body[0] == '\0' || strcmp(job->def->body, body_def(job, body)->name) == 0;
}

static pli_status refuse(const load_job *job, const char *key, const void *member, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "loads[%d].%s", (int)job->index, key);
    pli_visit at = {.path = path, .holder = job->def, .member = member};
    pli_bounds box = pli_bounds_empty();
    for (int32_t k = 0; k < job->model->body_count; ++k) {
        const pli_model_body *body = &job->model->bodies[k];
        if (!acts_on(job, k)) continue;
        const double *rest = job->model->rest + 3 * (int64_t)body->first_vertex;
        box = pli_bounds_union(box, pli_bounds_of_points(body->vertex_count, rest));
    }
    if (!(box.min[0] <= box.max[0])) {
        return pli_scene_fail(job->scene, PLI_ERROR_SCENE, &at,
                              "selects nothing, because there is nothing that it may select from");
    }
    return pli_scene_fail(
        job->scene, PLI_ERROR_SCENE, &at,
        "selects no %s; %s%s reaches from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g]", what,
        job->def->body[0] != '\0' ? "body " : "what there is", job->def->body, box.min[0],
        box.min[1], box.min[2], box.max[0], box.max[1], box.max[2]);
}

// ---- what is selected

static pli_status keep_triangles(load_job *job, const pli_body_surface *surface)
{
    pli_model_load *load = job->load;
    int64_t wanted = (int64_t)load->triangle_count + surface->selected_triangles;
    if (wanted > job->capacity) {
        job->capacity = wanted + job->capacity / 2;
        PLI_TRY(PLI_RESIZE(job->model->context, load->triangles, 3 * job->capacity, "load"));
    }
    for (int64_t t = 0; t < surface->triangle_count; ++t) {
        if (!surface->mask[t]) continue;
        const int32_t *corner = surface->triangles + 3 * t;
        memcpy(load->triangles + 3 * (int64_t)load->triangle_count++, corner, 3 * sizeof *corner);
    }
    return PLI_OK;
}

static pli_status select_from(load_job *job, int32_t index)
{
    const pli_model_body *body = &job->model->bodies[index];
    pli_body_surface surface;
    PLI_TRY(pli_body_surface_init(job->model, index, body_def(job, index), job->meshes[body->mesh],
                                  &job->def->where, &surface));
    memcpy(job->selected + body->first_vertex, surface.vertex_mask, (size_t)body->vertex_count);
    pli_status status = keep_triangles(job, &surface);
    pli_body_surface_clear(&surface);
    return status;
}

// Behind the triangles of a pressure the corners of whole sides, and what each counts.
static pli_status keep_sides(load_job *job, const pli_load_sides *sides)
{
    pli_model_load *load = job->load;
    int64_t count = load->triangle_count, total = count + sides->count;
    if (sides->count == 0) return PLI_OK;
    PLI_TRY(PLI_RESIZE(job->model->context, load->triangles, 3 * total, "load"));
    PLI_TRY(PLI_MAKE(job->model->context, load->shares, total, "load"));
    memcpy(load->triangles + 3 * count, sides->corners,
           3 * (size_t)sides->count * sizeof *sides->corners);
    for (int64_t t = 0; t < total; ++t) {
        load->shares[t] = t >= count ? -1.0 / 3 : sides->nodes[t] != 0 ? 4.0 / 3 : 1;
    }
    load->side_count = sides->count;
    return PLI_OK;
}

// Areas of triangles to their corners, of quadratic sides to the nodes on edges alone.
static pli_status spread(load_job *job)
{
    const pli_model_load *load = job->load;
    pli_load_sides sides;
    if (load->triangle_count == 0) return PLI_OK;
    PLI_TRY(pli_load_sides_find(job->model, load->triangle_count, load->triangles, &sides));
    for (int64_t t = 0; t < load->triangle_count; ++t) {
        const int32_t *corner = load->triangles + 3 * t;
        int nodes = sides.nodes[t] != 0 ? sides.nodes[t] : 7;
        int count = (nodes & 1) + (nodes >> 1 & 1) + (nodes >> 2);
        double share = pli_triangle_area_at(job->model->rest, corner) / count;
        for (int k = 0; k < 3; ++k) {
            if (nodes >> k & 1) job->areas[corner[k]] += share;
        }
    }
    pli_status status = job->def->pressure != 0 ? keep_sides(job, &sides) : PLI_OK;
    pli_load_sides_clear(job->model->context, &sides);
    return status;
}

// ---- the kinds of loads

// The sum of what is given for all vertices.
static double sum_of(const load_job *job, const double *weights)
{
    double sum = 0;
    for (int32_t k = 0; k < job->model->vertex_count; ++k) sum += weights[k];
    return sum;
}

// Leaves in `areas` the weights of a dead load. Errors: scene.
static pli_status weigh(load_job *job)
{
    const pli_body_load_def *def = job->def;
    int32_t n = job->model->vertex_count;
    bool has_triangles = job->load->triangle_count > 0;
    if (def->traction_count > 0) {
        return has_triangles ? PLI_OK : refuse(job, "where", &def->where, "triangle of a surface");
    }
    bool by_mass = def->acceleration_count > 0 || (def->force_count > 0 && !has_triangles);
    if (by_mass || def->point_force_count > 0) {
        for (int32_t k = 0; k < n; ++k) {
            job->areas[k] = job->selected[k] ? (by_mass ? job->model->mass[k] : 1) : 0;
        }
    }
    double sum = sum_of(job, job->areas);
    if (!(sum > 0)) return refuse(job, "where", &def->where, "vertex");
    for (int32_t k = 0; k < n && def->force_count > 0; ++k) job->areas[k] /= sum;
    return PLI_OK;
}

static pli_status build_dead(load_job *job)
{
    const pli_body_load_def *def = job->def;
    pli_model_load *load = job->load;
    const struct {
        const char *kind;
        const double *vector;
        int32_t count; // 0: it is another kind
    } kinds[] = {{"traction", def->traction, def->traction_count},
                 {"force", def->force, def->force_count},
                 {"point_force", def->point_force, def->point_force_count},
                 {"acceleration", def->acceleration, def->acceleration_count}};
    for (int k = 0; k < 4; ++k) {
        if (kinds[k].count == 0) continue;
        load->kind = kinds[k].kind;
        pli_vec3_copy(kinds[k].vector, load->vector);
    }
    PLI_TRY(weigh(job));
    for (int32_t k = 0; k < job->model->vertex_count; ++k) {
        load->vertex_count += job->areas[k] != 0;
    }
    PLI_TRY(PLI_MAKE(job->model->context, load->vertices, load->vertex_count, "load"));
    PLI_TRY(PLI_MAKE(job->model->context, load->weights, load->vertex_count, "load"));
    int32_t at = 0;
    for (int32_t k = 0; k < job->model->vertex_count; ++k) {
        if (job->areas[k] == 0) continue;
        load->vertices[at] = k;
        load->weights[at++] = job->areas[k];
    }
    pli_release(job->model->context, load->triangles);
    load->triangles = NULL;
    load->triangle_count = 0;
    return PLI_OK;
}

static pli_status build_pressure(load_job *job)
{
    pli_model_load *load = job->load;
    load->kind = "pressure";
    load->pressure = job->def->pressure;
    if (load->triangle_count == 0) {
        return refuse(job, "where", &job->def->where, "triangle of a surface");
    }
    int32_t open_edges = 0;
    PLI_TRY(pli_edges_find_open(job->model->context, load->triangle_count, load->triangles, 0, NULL,
                                &open_edges));
    load->closed = open_edges == 0;
    return PLI_OK;
}

static pli_status build_load(load_job *job)
{
    pli_model *model = job->model;
    const pli_body_load_def *def = job->def;
    memset(job->areas, 0, (size_t)model->vertex_count * sizeof *job->areas);
    memset(job->selected, 0, (size_t)model->vertex_count);
    job->capacity = 0;
    PLI_TRY(pli_course_init(model->context, def->over_time, def->over_time_count, def->ease,
                            &job->load->course));
    for (int32_t k = 0; k < model->body_count; ++k) {
        if (acts_on(job, k)) PLI_TRY(select_from(job, k));
    }
    PLI_TRY(spread(job));
    return def->pressure != 0 ? build_pressure(job) : build_dead(job);
}

pli_status pli_load_build(pli_model *model, const pli_scene *scene, pli_body_mesh *const *meshes)
{
    const pli_scene_def *def = pli_scene_get(scene);
    pli_context *context = model->context;
    if (def->load_count == 0) return PLI_OK;
    load_job job = {.model = model, .scene = scene, .scene_def = def, .meshes = meshes};
    PLI_TRY(PLI_MAKE(context, model->loads, def->load_count, "loads"));
    job.areas = PLI_NEW(context, double, model->vertex_count, "loads");
    job.selected = PLI_NEW(context, uint8_t, model->vertex_count, "loads");
    pli_status status = job.areas != NULL && job.selected != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < def->load_count && status == PLI_OK; ++k) {
        job.def = &def->loads[k];
        job.index = k;
        job.load = &model->loads[model->load_count++];
        status = build_load(&job);
    }
    PLI_RELEASE(context, job.selected, job.areas);
    return status;
}

pli_load_info pli_model_get_load(const pli_model *model, int32_t index)
{
    const pli_model_load *load = &model->loads[index];
    pli_load_info info = {.kind = load->kind,
                          .vertex_count = load->vertex_count,
                          .triangle_count = load->triangle_count};
    for (int32_t k = 0; k < load->vertex_count; ++k) {
        pli_vec3_add_scaled(info.force, load->weights[k], load->vector, info.force);
    }
    for (int64_t t = 0; t < load->triangle_count; ++t) {
        const double *at[3];
        double A[3];
        for (int k = 0; k < 3; ++k) at[k] = model->rest + 3 * (int64_t)load->triangles[3 * t + k];
        pli_follower_area(at[0], at[1], at[2], A);
        pli_vec3_add_scaled(info.force, -load->pressure, A, info.force);
    }
    return info;
}

void pli_load_clear(pli_model *model)
{
    pli_context *context = model->context;
    for (int32_t k = 0; k < model->load_count; ++k) {
        pli_model_load *load = &model->loads[k];
        pli_course_clear(context, &load->course);
        PLI_RELEASE(context, load->shares, load->triangles, load->weights, load->vertices);
    }
    pli_release(context, model->loads);
}
