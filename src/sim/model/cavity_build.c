// SPDX-License-Identifier: Apache-2.0
#include "sim/model/cavity_build.h"

#include "base/memory.h"
#include "geometry/mesh/edges.h"
#include "geometry/mesh/union_find.h"
#include "math/vec3.h"
#include "sim/model/body_surface.h"
#include "sim/model/model_triangles.h"
#include "sim/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A cavity while it is built, one for each body of the model that the scene's body stands for.
typedef struct cavity_job {
    pli_model *model;
    const pli_scene *scene;
    const pli_cavity_def *def;
    const pli_body_def *body_def;
    int32_t body; // of the model
    pli_body_surface surface;
    int32_t *parent;   // [vertex_count of the model] union-find of what is connected
    uint8_t *seen;     // [vertex_count of the model] roots that were tried
    int32_t *triangle; // [surface.triangle_count] triangles of one part
    pli_model_cavity *cavity;
} cavity_job;

static pli_status refuse(const cavity_job *job, const char *key, const void *member,
                         const char *text)
{
    char path[PLI_PATH_CAPACITY];
    snprintf(path, sizeof path, "cavities.%.200s.%s", job->def->name, key);
    pli_visit at = {.path = path, .holder = job->def, .member = member};
    return pli_scene_fail(job->scene, PLI_ERROR_SCENE, &at, "%s", text);
}

// ---- the surface

static void connect(cavity_job *job)
{
    const pli_body_surface *s = &job->surface;
    for (int32_t k = 0; k < job->model->vertex_count; ++k) job->parent[k] = k;
    for (int64_t t = 0; t < s->triangle_count; ++t) {
        pli_union_join(job->parent, s->triangles[3 * t], s->triangles[3 * t + 1]);
        pli_union_join(job->parent, s->triangles[3 * t], s->triangles[3 * t + 2]);
    }
}

// Copies the triangles of the connected part with this root, if all of them are selected; returns
// how many.
static int32_t collect_part(const cavity_job *job, int32_t root, int32_t *triangles)
{
    const pli_body_surface *s = &job->surface;
    int32_t count = 0;
    for (int64_t t = 0; t < s->triangle_count; ++t) {
        const int32_t *corner = s->triangles + 3 * t;
        if (pli_union_root(job->parent, corner[0]) != root) continue;
        if (!s->mask[t]) return 0;
        memcpy(triangles + 3 * (int64_t)count++, corner, 3 * sizeof *corner);
    }
    return count;
}

static void turn_triangles(int32_t count, int32_t *triangles)
{
    for (int64_t t = 0; t < count; ++t) {
        int32_t swap = triangles[3 * t + 1];
        triangles[3 * t + 1] = triangles[3 * t + 2];
        triangles[3 * t + 2] = swap;
    }
}

static pli_status refuse_open(const cavity_job *job, int32_t count, const int32_t edge[2])
{
    char text[256];
    const double *a = job->model->rest + 3 * (int64_t)edge[0];
    const double *b = job->model->rest + 3 * (int64_t)edge[1];
    snprintf(text, sizeof text,
             "the surface of body %.80s is open at %d edge%s, one of them from [%.4g, %.4g, %.4g] "
             "to [%.4g, %.4g, %.4g]; a cavity needs a closed one",
             job->body_def->name, (int)count, count == 1 ? "" : "s", a[0], a[1], a[2], b[0], b[1],
             b[2]);
    return refuse(job, "body", &job->def->body, text);
}

static pli_status check_closed(const cavity_job *job, int32_t count, const int32_t *triangles)
{
    int32_t open = 0, edge[2] = {0, 0};
    PLI_TRY(pli_edges_find_open(job->model->context, count, triangles, 1, edge, &open));
    return open > 0 ? refuse_open(job, open, edge) : PLI_OK;
}

static bool wants_inner(const cavity_job *job)
{
    bool solid = job->model->bodies[job->body].kind == PLI_BODY_SOLID;
    return solid && job->def->surface != PLI_CAVITY_OUTER;
}

// What was looked for and how much of it there is.
static pli_status refuse_count(const cavity_job *job, int32_t count)
{
    char text[320];
    bool inner = wants_inner(job);
    const char *kind = inner ? "inner surfaces" : "closed surfaces";
    if (count > 0) {
        snprintf(text, sizeof text,
                 "found %d %s in body %.80s; say by 'where' which of them, and give each a cavity "
                 "of its own",
                 (int)count, kind, job->body_def->name);
    } else {
        snprintf(text, sizeof text, "body %.80s has no %s that this selects%s", job->body_def->name,
                 kind,
                 inner ? "; a solid encloses what a hole within it encloses, for the space around "
                         "which write surface: outer"
                       : "");
    }
    return refuse(job, "where", &job->def->where, text);
}

// Takes a part as the surface of the cavity if it is one that is meant. *found counts those.
static pli_status try_part(cavity_job *job, int32_t root, int32_t *found)
{
    pli_model_cavity *cavity = job->cavity;
    bool solid = job->model->bodies[job->body].kind == PLI_BODY_SOLID;
    int32_t count = collect_part(job, root, job->triangle);
    if (count == 0) return PLI_OK;
    if (!solid) PLI_TRY(check_closed(job, count, job->triangle));
    // triangles of a solid face away from it, into a hole, whose volume is negative
    double volume = pli_model_enclosed_volume(job->model, count, job->triangle);
    if (solid && (volume < 0) != wants_inner(job)) return PLI_OK;
    if (++*found > 1) return PLI_OK;
    if (volume < 0) turn_triangles(count, job->triangle);
    memcpy(cavity->triangles, job->triangle, 3 * (size_t)count * sizeof *job->triangle);
    cavity->triangle_count = count;
    cavity->law.volume = fabs(volume);
    return PLI_OK;
}

static pli_status find_part(cavity_job *job)
{
    int32_t found = 0;
    connect(job);
    memset(job->seen, 0, (size_t)job->model->vertex_count);
    for (int64_t t = 0; t < job->surface.triangle_count; ++t) {
        int32_t root = pli_union_root(job->parent, job->surface.triangles[3 * t]);
        if (job->seen[root]) continue;
        job->seen[root] = 1;
        PLI_TRY(try_part(job, root, &found));
    }
    return found == 1 ? PLI_OK : refuse_count(job, found);
}

// ---- the content

// Gives the mass of the content to the vertices around it, by area.
static void lump_content(cavity_job *job, double density)
{
    pli_model *model = job->model;
    const pli_model_cavity *cavity = job->cavity;
    double area = 0;
    if (!(density > 0)) return;
    for (int64_t t = 0; t < cavity->triangle_count; ++t) {
        area += pli_triangle_area_at(model->start, cavity->triangles + 3 * t);
    }
    double mass = density * cavity->law.volume;
    for (int64_t t = 0; t < cavity->triangle_count; ++t) {
        const int32_t *corner = cavity->triangles + 3 * t;
        double third = mass / area * pli_triangle_area_at(model->start, corner) / 3;
        for (int k = 0; k < 3; ++k) model->mass[corner[k]] += third;
    }
    model->total_mass += mass;
}

static pli_status set_content(cavity_job *job)
{
    pli_cavity_law *law = &job->cavity->law;
    const pli_variant *content = &job->def->content;
    if (!(law->volume > 0)) {
        return refuse(job, "body", &job->def->body, "encloses no volume at the start");
    }
    if (content->kind == PLI_CONTENT_PRESSURE) {
        law->kind = PLI_CAVITY_GIVEN;
        law->pressure = ((const pli_given_pressure_def *)content->data)->value;
    } else if (content->kind == PLI_CONTENT_GAS) {
        const pli_gas_def *gas = content->data;
        law->kind = PLI_CAVITY_GAS;
        law->pressure = gas->pressure;
        law->ambient = gas->ambient;
        law->exponent = gas->exponent;
        lump_content(job, gas->density);
    } else {
        const pli_liquid_def *liquid = content->data;
        law->kind = PLI_CAVITY_LIQUID;
        law->bulk = liquid->bulk;
        lump_content(job, liquid->density);
    }
    return pli_course_init(job->model->context, job->def->over_time, job->def->over_time_count,
                           job->def->ease, &job->cavity->course);
}

// "air", or where the body has copies or pieces "air of ball-2".
static pli_status set_name(cavity_job *job, bool alone)
{
    char name[PLI_PATH_CAPACITY];
    snprintf(name, sizeof name, alone ? "%.200s" : "%.200s of %.200s", job->def->name,
             job->model->bodies[job->body].name);
    job->cavity->name = pli_string_copy(job->model->context, name);
    return job->cavity->name != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status build_cavity(cavity_job *job, const pli_body_mesh *mesh, bool alone)
{
    pli_context *context = job->model->context;
    PLI_TRY(set_name(job, alone));
    PLI_TRY(pli_body_surface_init(job->model, job->body, job->body_def, mesh, &job->def->where,
                                  &job->surface));
    int64_t entries = 3 * (int64_t)job->surface.triangle_count;
    job->triangle = PLI_NEW(context, int32_t, entries, "cavity");
    job->cavity->triangles = PLI_NEW(context, int32_t, entries, "cavity");
    bool complete = job->triangle != NULL && job->cavity->triangles != NULL;
    pli_status status = complete ? find_part(job) : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = set_content(job);
    pli_release(context, job->triangle);
    pli_body_surface_clear(&job->surface);
    return status;
}

// ---- all of them

static bool stands_for(const pli_model *model, int32_t body, const pli_scene_def *def,
                       const pli_cavity_def *cavity)
{
    return strcmp(def->bodies[model->bodies[body].source].name, cavity->body) == 0;
}

static int32_t count_bodies(const pli_model *model, const pli_scene_def *def,
                            const pli_cavity_def *cavity)
{
    int32_t count = 0;
    for (int32_t k = 0; k < model->body_count; ++k) count += stands_for(model, k, def, cavity);
    return count;
}

static pli_status build_cavities(pli_model *model, const pli_scene *scene,
                                 pli_body_mesh *const *meshes, int32_t *parent, uint8_t *seen)
{
    const pli_scene_def *def = pli_scene_get(scene);
    for (int32_t i = 0; i < def->cavity_count; ++i) {
        const pli_cavity_def *cavity = &def->cavities[i];
        bool alone = count_bodies(model, def, cavity) == 1;
        for (int32_t k = 0; k < model->body_count; ++k) {
            if (!stands_for(model, k, def, cavity)) continue;
            cavity_job job = {.model = model,
                              .scene = scene,
                              .def = cavity,
                              .body_def = &def->bodies[model->bodies[k].source],
                              .body = k,
                              .parent = parent,
                              .seen = seen,
                              .cavity = &model->cavities[model->cavity_count++]};
            PLI_TRY(build_cavity(&job, meshes[model->bodies[k].mesh], alone));
        }
    }
    return PLI_OK;
}

pli_status pli_cavity_build(pli_model *model, const pli_scene *scene, pli_body_mesh *const *meshes)
{
    const pli_scene_def *def = pli_scene_get(scene);
    pli_context *context = model->context;
    int64_t count = 0;
    for (int32_t k = 0; k < def->cavity_count; ++k) {
        count += count_bodies(model, def, &def->cavities[k]);
    }
    if (count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(context, model->cavities, count, "cavities"));
    int32_t *parent = PLI_NEW(context, int32_t, model->vertex_count, "cavities");
    uint8_t *seen = PLI_NEW(context, uint8_t, model->vertex_count, "cavities");
    pli_status status = PLI_ERROR_MEMORY;
    if (parent != NULL && seen != NULL) {
        status = build_cavities(model, scene, meshes, parent, seen);
    }
    PLI_RELEASE(context, seen, parent);
    return status;
}

pli_cavity_info pli_model_get_cavity(const pli_model *model, int32_t index)
{
    static const char *const contents[] = {
        [PLI_CAVITY_GIVEN] = "pressure", [PLI_CAVITY_GAS] = "gas", [PLI_CAVITY_LIQUID] = "liquid"};
    const pli_model_cavity *cavity = &model->cavities[index];
    return (pli_cavity_info){.name = cavity->name,
                             .content = contents[cavity->law.kind],
                             .volume = cavity->law.volume,
                             .triangle_count = cavity->triangle_count};
}

void pli_cavity_clear(pli_model *model)
{
    pli_context *context = model->context;
    for (int32_t k = 0; k < model->cavity_count; ++k) {
        pli_model_cavity *cavity = &model->cavities[k];
        pli_course_clear(context, &cavity->course);
        PLI_RELEASE(context, cavity->triangles, cavity->name);
    }
    pli_release(context, model->cavities);
}
