// SPDX-License-Identifier: Apache-2.0
//
// From a scene to a model, stage by stage; see build().
#include "sim/model/model.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/random.h"
#include "fem/tet_quadratic.h"
#include "geometry/mesh/tet_mesh.h"
#include "math/mat3.h"
#include "sim/body/body_check.h"
#include "sim/body/body_copy.h"
#include "sim/body/body_mesh.h"
#include "sim/body/body_piece.h"
#include "sim/body/body_size.h"
#include "sim/body/material_matter.h"
#include "sim/body/material_resolve.h"
#include "sim/body/overlap.h"
#include "sim/body/selection.h"
#include "sim/model/coarse_build.h"
#include "sim/model/collider_build.h"
#include "sim/model/collider_surface.h"
#include "sim/model/matter_build.h"
#include "sim/model/model_springs.h"
#include "sim/model/model_triangles.h"
#include "sim/model/resolution.h"
#include "sim/model/subspace_build.h"
#include "sim/report/body_frame.h"
#include "sim/report/matter_frame.h"
#include "sim/scene/magnitude.h"
#include "sim/scene/solver_rules.h"
#include "sim/step/norm.h"
#include "sim/step/substeps.h"
#include "sim/step/travel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANDOM_STREAM_START = 1, BODY_LIMIT = 100000, PATH_CAPACITY = 160 };

// what exists only while a model is being built
typedef struct building {
    pli_context *context;
    pli_model *model;
    const pli_scene *scene;
    const pli_scene_def *def;
    const pli_model_def *model_def;
    int32_t mesh_count;
    pli_body_mesh **meshes; // [mesh_count] of all pieces of the scene's bodies, in the bodies' own
                            // coordinates
    uint8_t *mask;          // [largest of vertex, tet and triangle counts]
    pli_names materials;    // of the scene
} building;

// ---- bodies

pli_status pli_model_go_on(pli_context *context, const pli_model_def *def)
{
    if (def->cancel == NULL || !def->cancel(def->cancel_user)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_INTERRUPTED, "the preparation was stopped");
}

static pli_status go_on(const building *b)
{
    return pli_model_go_on(b->context, b->model_def);
}

static pli_status create_meshes(building *b)
{
    int64_t most = (int64_t)b->mesh_count + b->def->collider_count;
    PLI_TRY(PLI_MAKE(b->context, b->meshes, most, "meshes"));
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        if (body->copy > 0) continue;
        PLI_TRY(go_on(b));
        PLI_TRY(pli_body_mesh_create(b->context, &b->def->bodies[body->source], body->piece,
                                     body->element == PLI_ELEMENT_QUADRATIC,
                                     &b->meshes[body->mesh]));
    }
    return PLI_OK;
}

static bool is_scene_body(const pli_scene_def *def, const char *name)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (strcmp(def->bodies[k].name, name) == 0) return true;
    }
    return false;
}

// Adds one piece of one copy of a body of the scene to the list.
static pli_status list_piece(building *b, const pli_model_body *piece)
{
    const pli_body_def *def = &b->def->bodies[piece->source];
    char name[PLI_BODY_COPY_NAME];
    pli_body_copy_name(def, piece->copy, piece->piece, name);
    if (strcmp(name, def->name) != 0 && is_scene_body(b->def, name)) {
        pli_visit at = {.path = "copies", .holder = def, .member = &def->copies};
        return pli_scene_fail(b->scene, PLI_ERROR_SCENE, &at,
                              "a copy or piece of %s would be called %s, as another body is",
                              def->name, name);
    }
    pli_model_body *body = &b->model->bodies[b->model->body_count];
    *body = *piece;
    body->kind = (pli_body_kind)def->kind;
    body->name = pli_string_copy(b->context, name);
    if (body->name == NULL) return PLI_ERROR_MEMORY;
    ++b->model->body_count;
    return PLI_OK;
}

// All pieces of all copies of a body of the scene; copies share their meshes.
static pli_status list_body(building *b, int32_t source)
{
    int64_t copies = pli_body_copy_count(&b->def->bodies[source]);
    int32_t pieces = pli_body_piece_count(&b->def->bodies[source]);
    for (int64_t k = 0; k < copies * pieces; ++k) {
        pli_model_body body = {
            .source = source, .copy = (int32_t)(k / pieces), .piece = (int32_t)(k % pieces)};
        body.mesh = b->mesh_count + body.piece;
        PLI_TRY(list_piece(b, &body));
    }
    b->mesh_count += pieces;
    return PLI_OK;
}

// The bodies with their copies and pieces.
static pli_status list_bodies(building *b)
{
    pli_model *model = b->model;
    int64_t count = 0;
    for (int32_t k = 0; k < b->def->body_count; ++k) {
        const pli_body_def *def = &b->def->bodies[k];
        count += pli_body_copy_count(def) * pli_body_piece_count(def);
        if (count > BODY_LIMIT) {
            return PLI_FAIL(b->context, PLI_ERROR_UNSUPPORTED,
                            "the scene has more than %d bodies, copies included", BODY_LIMIT);
        }
    }
    PLI_TRY(PLI_MAKE(b->context, model->bodies, count + b->def->collider_count, "bodies"));
    for (int32_t k = 0; k < b->def->body_count; ++k) PLI_TRY(list_body(b, k));
    return PLI_OK;
}

// ---- surfaces of colliders, as obstacles behind the bodies

// The mean length of the edges of what deforms (m); 0: nothing does.
static double mean_edge(const building *b)
{
    double sum = 0;
    int64_t edges = 0;
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        const pli_body_mesh *mesh = b->meshes[body->mesh];
        if (body->kind == PLI_BODY_OBSTACLE) continue;
        const double *s = b->def->bodies[body->source].scale;
        sum += cbrt(fabs(s[0] * s[1] * s[2])) *
               pli_resolution_sum_edges(mesh->points, mesh->cells, mesh->cell_count,
                                        mesh->corner_count, &edges);
    }
    return edges > 0 ? sum / (double)edges : 0;
}

static pli_status list_surface(building *b, int32_t collider, double edge)
{
    const pli_collider_def *def = &b->def->colliders[collider];
    pli_tri_mesh *surface = NULL;
    pli_status status = pli_collider_surface_create(b->context, def, edge, &surface);
    if (status == PLI_OK) status = pli_body_mesh_take(surface, &b->meshes[b->mesh_count]);
    if (status != PLI_OK) {
        char path[PATH_CAPACITY];
        snprintf(path, sizeof path, "colliders.%s.shape", def->name);
        pli_visit at = {.path = path, .holder = def, .member = &def->shape};
        return pli_scene_fail_again(b->scene, status, &at);
    }
    pli_model_body *body = &b->model->bodies[pli_model_things(b->model)];
    *body =
        (pli_model_body){.source = collider, .mesh = b->mesh_count++, .kind = PLI_BODY_OBSTACLE};
    body->name = pli_string_copy(b->context, def->name);
    if (body->name == NULL) return PLI_ERROR_MEMORY;
    ++b->model->surface_count;
    return PLI_OK;
}

// The colliders that barriers keep bodies away from by triangles.
static pli_status list_surfaces(building *b)
{
    double edge = mean_edge(b);
    for (int32_t k = 0; k < b->def->collider_count; ++k) {
        const pli_collider_def *def = &b->def->colliders[k];
        // whether the shape is sampled does not matter to what barriers take
        bool barrier = pli_collider_choose_method(b->def, def, true) == PLI_COLLIDER_BARRIER;
        if (!barrier || pli_collider_is_plane(def)) continue;
        PLI_TRY(go_on(b));
        PLI_TRY(list_surface(b, k, edge));
    }
    return PLI_OK;
}

// Lists all vertices of an obstacle or a surface as held.
static pli_status hold_all(building *b, int32_t index, pli_model_handle *handle)
{
    const pli_model_body *body = &b->model->bodies[index];
    handle->axes = 7;
    PLI_TRY(PLI_MAKE(b->context, handle->vertices, body->vertex_count, "obstacle"));
    handle->vertex_count = body->vertex_count;
    for (int32_t k = 0; k < body->vertex_count; ++k) handle->vertices[k] = body->first_vertex + k;
    return PLI_OK;
}

// Puts the surface of a collider where it starts.
static void place_surface(building *b, int32_t index)
{
    static const pli_body_def plain = {.kind = PLI_BODY_OBSTACLE, .scale = {1, 1, 1}};
    pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    const pli_body_mesh *mesh = b->meshes[body->mesh];
    size_t bytes = 3 * (size_t)body->vertex_count * sizeof(double);
    memcpy(model->rest + 3 * (int64_t)body->first_vertex, mesh->points, bytes);
    memcpy(model->start + 3 * (int64_t)body->first_vertex, mesh->points, bytes);
    pli_model_place_triangles(model, body, &plain, mesh);
}

// Holds the surfaces where the motions of their colliders have them.
static pli_status hold_surfaces(building *b)
{
    pli_model *model = b->model;
    for (int32_t k = model->body_count; k < pli_model_things(model); ++k) {
        pli_model_collider *collider = &model->colliders[model->bodies[k].source];
        pli_model_handle *handle = &model->constraints[model->constraint_count++];
        PLI_TRY(hold_all(b, k, handle));
        PLI_TRY(pli_motion_init(b->context, &b->def->colliders[model->bodies[k].source].motion,
                                collider->motion.center, &handle->motion));
    }
    return PLI_OK;
}

// ---- bodies and surfaces together

// The description of a body of the model.
static const pli_body_def *body_def(const building *b, int32_t index)
{
    return &b->def->bodies[b->model->bodies[index].source];
}

static const pli_body_mesh *body_mesh(const building *b, int32_t index)
{
    return b->meshes[b->model->bodies[index].mesh];
}

// Where the triangles of bodies of one kind begin, behind those counted before.
static void count_triangles(pli_model *model, pli_body_kind kind, int64_t *count)
{
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
        pli_model_body *body = &model->bodies[k];
        if (body->kind != kind) continue;
        body->first_triangle = (int32_t)*count;
        *count += body->triangle_count;
    }
}

static pli_status count_cells(building *b, int64_t *vertices, int64_t *tets, int64_t *triangles)
{
    pli_model *model = b->model;
    int64_t cells = 0;
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
        pli_model_body *body = &model->bodies[k];
        const pli_body_mesh *mesh = b->meshes[body->mesh];
        bool solid = body->kind == PLI_BODY_SOLID;
        body->first_vertex = (int32_t)*vertices;
        body->first_tet = (int32_t)*tets;
        body->vertex_count = mesh->vertex_count;
        body->tet_count = solid ? mesh->cell_count : 0;
        body->triangle_count = solid ? 0 : mesh->cell_count;
        bool split = body->element == PLI_ELEMENT_QUADRATIC;
        body->first_cell = (int32_t)cells;
        body->cell_count = body->tet_count * (split ? PLI_TET_PARTS : 1);
        cells += body->cell_count;
        model->cell_count = (int32_t)cells;
        *vertices += body->vertex_count;
        *tets += body->tet_count;
        *triangles += body->triangle_count;
        if (*vertices <= INT32_MAX / 4 && cells <= INT32_MAX / 16 && *triangles <= INT32_MAX / 16) {
            continue;
        }
        return PLI_FAIL(b->context, PLI_ERROR_UNSUPPORTED,
                        "the scene has %lld vertices, %lld tetrahedra and %lld triangles; at most "
                        "%d, %d and %d fit",
                        (long long)*vertices, (long long)*tets, (long long)*triangles,
                        INT32_MAX / 4, INT32_MAX / 16, INT32_MAX / 16);
    }
    return PLI_OK;
}

static pli_status count_everything(building *b)
{
    pli_model *model = b->model;
    int64_t vertices = 0;
    int64_t tets = 0;
    int64_t triangles = 0;
    PLI_TRY(count_cells(b, &vertices, &tets, &triangles));
    int64_t placed = 0;
    count_triangles(model, PLI_BODY_SHELL, &placed);
    model->shell_triangle_count = (int32_t)placed;
    count_triangles(model, PLI_BODY_CLOTH, &placed);
    count_triangles(model, PLI_BODY_OBSTACLE, &placed);
    model->vertex_count = (int32_t)vertices;
    model->tet_count = (int32_t)tets;
    model->triangle_count = (int32_t)triangles;
    return PLI_OK;
}

static pli_status allocate_arrays(building *b)
{
    pli_model *m = b->model;
    pli_context *context = b->context;
    int64_t n = m->vertex_count;
    int64_t tets = m->tet_count;
    m->rest = PLI_NEW(context, double, 3 * n, "rest positions");
    m->start = PLI_NEW(context, double, 3 * n, "start positions");
    m->start_velocity = PLI_NEW(context, double, 3 * n, "start velocities");
    m->mass = PLI_NEW(context, double, n, "masses");
    m->drag = PLI_NEW(context, double, n, "drag");
    m->norm_weights = PLI_NEW(context, double, n, "norm weights");
    m->tets = PLI_NEW(context, int32_t, 4 * tets, "tetrahedra");
    m->material_of = PLI_NEW(context, int32_t, tets, "materials");
    m->first_point = PLI_NEW(context, int32_t, tets + 1, "material points");
    m->cells = m->tets;
    if (m->cell_count > tets) {
        m->mid_nodes = PLI_NEW(context, int32_t, 6 * tets, "edge nodes");
        m->cells = PLI_NEW(context, int32_t, 4 * (int64_t)m->cell_count, "cells");
        m->tet_of_cell = PLI_NEW(context, int32_t, m->cell_count, "cells");
        if (m->mid_nodes == NULL || m->tet_of_cell == NULL) return PLI_ERROR_MEMORY;
    }
    int64_t most = n > tets ? n : tets;
    b->mask =
        PLI_NEW(context, uint8_t, most > m->triangle_count ? most : m->triangle_count, "selection");
    bool complete = m->rest != NULL && m->start != NULL && m->start_velocity != NULL &&
                    m->mass != NULL && m->drag != NULL && m->norm_weights != NULL &&
                    m->tets != NULL && m->material_of != NULL && m->first_point != NULL &&
                    m->cells != NULL && b->mask != NULL;
    return complete ? pli_model_allocate_triangles(m) : PLI_ERROR_MEMORY;
}

// The nodes on the edges of one tetrahedron of a body, and the cells that it is.
static void place_edge_nodes(pli_model *model, const pli_model_body *body,
                             const pli_body_mesh *mesh, int64_t tet, bool mirrored)
{
    int64_t at = body->first_tet + tet;
    bool quadratic = body->element == PLI_ELEMENT_QUADRATIC;
    model->first_point[at + 1] = model->first_point[at] + (quadratic ? 4 : 1);
    if (model->mid_nodes == NULL) return;
    int32_t *mid = model->mid_nodes + 6 * at;
    for (int k = 0; k < 6; ++k)
        mid[k] = quadratic ? mesh->mid[6 * tet + k] + body->first_vertex : -1;
    int64_t parts = quadratic ? PLI_TET_PARTS : 1, cell = body->first_cell + parts * tet;
    for (int64_t k = 0; k < parts; ++k) model->tet_of_cell[cell + k] = (int32_t)at;
    if (!quadratic) {
        memcpy(model->cells + 4 * cell, model->tets + 4 * at, 4 * sizeof *model->cells);
        return;
    }
    if (mirrored) pli_tet_turn_mid(mid);
    pli_tet_split(model->tets + 4 * at, mid, model->cells + 4 * cell);
}

// Places a body; a mirroring scale keeps volumes positive by swapping two corners.
static void place_body(building *b, int32_t index)
{
    const pli_body_def *def = body_def(b, index);
    const pli_body_mesh *mesh = body_mesh(b, index);
    const pli_model_body *body = &b->model->bodies[index];
    double A[9];
    double offset[3];
    pli_body_copy_place(def, b->def->seed, body->source, body->copy, A, offset);
    for (int64_t vertex = 0; vertex < body->vertex_count; ++vertex) {
        double *x = b->model->rest + 3 * (body->first_vertex + vertex);
        pli_mat3_apply(A, mesh->points + 3 * vertex, x);
        pli_vec3_add(x, offset, x);
    }
    bool mirrored = def->scale[0] * def->scale[1] * def->scale[2] < 0;
    pli_model_place_triangles(b->model, body, def, mesh);
    for (int64_t tet = 0; tet < body->tet_count; ++tet) {
        int32_t *corners = b->model->tets + 4 * (body->first_tet + tet);
        for (int k = 0; k < 4; ++k) corners[k] = mesh->cells[4 * tet + k] + body->first_vertex;
        if (mirrored) pli_tet_turn(corners);
        place_edge_nodes(b->model, body, mesh, tet, mirrored);
    }
}

// The body as selections see it: its own numbering, its placed rest shape.
static pli_selection_source selection_source(const building *b, int32_t index)
{
    const pli_model_body *body = &b->model->bodies[index];
    return (pli_selection_source){
        .body = body_def(b, index),
        .mesh = body_mesh(b, index),
        .points = b->model->rest + 3 * (int64_t)body->first_vertex,
    };
}

// ---- materials

static int32_t find_or_add_law(pli_model *model, const pli_material_ops *law)
{
    for (int32_t k = 0; k < model->law_count; ++k) {
        if (model->laws[k] == law) return k;
    }
    model->laws[model->law_count] = law;
    return model->law_count++;
}

// What shells are made of, where the law has it.
static void set_moduli(const pli_resolved_material *values, pli_model_material *material)
{
    int32_t young = pli_material_find_input(values->law, "young");
    int32_t poisson = pli_material_find_input(values->law, "poisson");
    if (young >= 0) material->young = values->inputs[young];
    if (poisson >= 0) material->poisson = values->inputs[poisson];
}

static pli_status resolve_materials(building *b)
{
    pli_model *model = b->model;
    int32_t count = b->def->material_count;
    PLI_TRY(PLI_MAKE(b->context, model->materials, count, "materials"));
    PLI_TRY(PLI_MAKE(b->context, model->laws, 2 * (int64_t)count, "laws"));
    model->material_count = count;
    for (int32_t k = 0; k < count; ++k) {
        pli_resolved_material values;
        pli_material_problem problem;
        if (!pli_material_resolve(b->context, &b->def->materials[k], &values, &problem)) {
            return PLI_FAIL(b->context, PLI_ERROR_SCENE, "materials.%s.%s: %s",
                            b->def->materials[k].name, problem.key, problem.text);
        }
        if (values.law->param_count > PLI_MODEL_PARAMS) {
            return PLI_FAIL(b->context, PLI_ERROR_UNSUPPORTED,
                            "law %s has %d parameters per point; at most %d are supported",
                            values.law->name, (int)values.law->param_count, PLI_MODEL_PARAMS);
        }
        pli_model_material *material = &model->materials[k];
        *material = (pli_model_material){.law = find_or_add_law(model, values.law),
                                         .density = values.density,
                                         .drag = values.drag,
                                         .rayleigh = values.rayleigh};
        set_moduli(&values, material);
        values.law->derive(values.inputs, material->params);
        material->rest_norm = pli_material_rest_norm(values.law, material->params);
    }
    return PLI_OK;
}

// Gives a material the law that has its yielding within, where there is one; parameters follow the
// history of every tetrahedron (fem/plastic.h).
static void yield_inside(pli_model *model, int32_t index)
{
    const pli_material *yields = &model->yields[index];
    const pli_material_ops *law = pli_material_step_law(yields, true);
    if (yields->yield == NULL || law == yields->law) return;
    pli_model_material *material = &model->materials[index];
    material->law = find_or_add_law(model, law);
    pli_material_step_params(yields, true, pli_material_rest_history(yields), material->params);
}

// How tetrahedra yield, where the scene states that they do: presets of meshes do not.
static pli_status resolve_yields(building *b)
{
    pli_model *model = b->model;
    bool any = false;
    for (int32_t tet = 0; tet < model->tet_count && !any; ++tet) {
        int32_t kind = b->def->materials[model->material_of[tet]].yield.kind;
        any = kind >= 0 && kind != PLI_YIELD_NONE;
    }
    if (!any) return PLI_OK;
    PLI_TRY(PLI_MAKE(b->context, model->yields, model->material_count, "yield"));
    for (int32_t k = 0; k < model->material_count; ++k) {
        const pli_material_def *def = &b->def->materials[k];
        if (def->yield.kind < 0) continue;
        PLI_TRY(pli_matter_resolve(b->context, def, &model->yields[k]));
        if (b->def->solver.plasticity == PLI_PLASTICITY_IMPLICIT) yield_inside(model, k);
    }
    return PLI_OK;
}

// Validation has made sure that there is one of that name, and only one.
static int32_t find_material(const building *b, const char *name)
{
    return pli_names_find(&b->materials, name);
}

static pli_status collect_materials(building *b)
{
    int32_t index = 0;
    for (int32_t k = 0; k < b->def->material_count; ++k) {
        PLI_TRY(pli_names_add(&b->materials, b->def->materials[k].name, &index));
    }
    return PLI_OK;
}

static void warn_region(const building *b, const pli_body_def *def, int32_t region,
                        const char *what)
{
    char path[PLI_PATH_CAPACITY];
    const pli_region_def *holder = &def->regions[region];
    snprintf(path, sizeof path, "bodies.%s.regions[%d].where", def->name, (int)region);
    pli_visit at = {.path = path, .holder = holder, .member = &holder->where};
    pli_scene_warn(b->scene, &at, "selects no %s", what);
}

static void assign_materials(building *b, int32_t index)
{
    const pli_body_def *def = body_def(b, index);
    const pli_model_body *body = &b->model->bodies[index];
    if (body->kind != PLI_BODY_SOLID && body->kind != PLI_BODY_SHELL) return;
    bool shell = body->kind == PLI_BODY_SHELL;
    int32_t *material_of = shell ? b->model->triangle_material + body->first_triangle
                                 : b->model->material_of + body->first_tet;
    int32_t cell_count = shell ? body->triangle_count : body->tet_count;
    int32_t material = find_material(b, def->material);
    for (int32_t cell = 0; cell < cell_count; ++cell) material_of[cell] = material;

    pli_selection_source source = selection_source(b, index);
    for (int32_t k = 0; k < def->region_count; ++k) {
        int32_t region = find_material(b, def->regions[k].material);
        if (pli_selection_mark_cells(&def->regions[k].where, &source, b->mask) == 0) {
            warn_region(b, def, k, shell ? "triangle" : "tetrahedron");
        }
        for (int32_t cell = 0; cell < cell_count; ++cell) {
            if (b->mask[cell]) material_of[cell] = region;
        }
    }
}

void pli_model_tet_params(const pli_model *model, int64_t tet, double *params)
{
    memcpy(params, model->materials[model->material_of[tet]].params,
           PLI_MODEL_PARAMS * sizeof *params);
}

double pli_model_lump_tet(const pli_model *model, int64_t tet, double density, double *sums)
{
    if (!pli_model_tet_is_quadratic(model, tet)) {
        return 4 * pli_tet_lump(model->rest, model->tets + 4 * tet, density, sums);
    }
    int32_t nodes[PLI_TET10];
    pli_model_tet_nodes(model, tet, nodes);
    return pli_tet10_lump(model->rest, nodes, density, sums);
}

// Lumped masses: of linear tetrahedra a quarter to each of its corners.
static void compute_masses(pli_model *model)
{
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        double density = material->density;
        model->total_mass += pli_model_lump_tet(model, tet, density, model->mass);
        pli_model_lump_tet(model, tet, density * material->drag, model->drag);
        model->has_drag = model->has_drag || material->drag > 0;
        model->has_rayleigh = model->has_rayleigh || material->rayleigh > 0;
    }
    pli_model_lump_triangles(model);
}

// ---- how bodies start

static void body_centroid(const pli_model *model, const pli_model_body *body, double center[3])
{
    double mass = 0;
    pli_vec3_set(0, 0, 0, center);
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        pli_vec3_add_scaled(center, model->mass[k], model->rest + 3 * k, center);
        mass += model->mass[k];
    }
    if (mass > 0) pli_vec3_scale(1 / mass, center, center);
}

static void start_random(const building *b, int32_t index, const pli_start_random_def *random)
{
    const pli_model_body *body = &b->model->bodies[index];
    const double *rest = b->model->rest + 3 * (int64_t)body->first_vertex;
    pli_bounds box = pli_bounds_of_points(body->vertex_count, rest);
    // a stream per body, so that adding a body changes no other
    pli_random source = {(uint64_t)(uint32_t)b->def->seed,
                         (uint64_t)RANDOM_STREAM_START << 32 | (uint32_t)index};
    for (int64_t k = 0; k < 3 * (int64_t)body->vertex_count; ++k) {
        int axis = (int)(k % 3);
        double middle = 0.5 * (box.min[axis] + box.max[axis]);
        double reach = 0.5 * random->scale * (box.max[axis] - box.min[axis]);
        b->model->start[3 * (int64_t)body->first_vertex + k] =
            pli_random_range(source, (uint64_t)k, middle - reach, middle + reach);
    }
}

static void start_body(const building *b, int32_t index)
{
    const pli_body_def *def = body_def(b, index);
    pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    double center[3];
    body_centroid(model, body, center);
    if (def->start.kind == PLI_START_RANDOM) {
        start_random(b, index, def->start.data);
        return;
    }
    double scale[3] = {1, 1, 1};
    double to[3];
    pli_vec3_copy(center, to);
    if (def->start.kind == PLI_START_STRETCHED) {
        pli_vec3_copy(((const pli_start_stretched_def *)def->start.data)->scale, scale);
    } else if (def->start.kind == PLI_START_COLLAPSED) {
        const pli_start_collapsed_def *collapsed = def->start.data;
        pli_vec3_set(0, 0, 0, scale);
        if (collapsed->point_count == 3) pli_vec3_copy(collapsed->point, to);
    }
    bool at_rest = def->start.kind == PLI_START_REST;
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            double X = model->rest[3 * k + axis];
            // written so that a body at rest starts with exactly its rest positions
            model->start[3 * k + axis] = at_rest ? X : to[axis] + scale[axis] * (X - center[axis]);
        }
    }
}

// v = velocity + omega x (x - centre of mass)
static void start_velocity(const building *b, int32_t index)
{
    const pli_body_def *def = body_def(b, index);
    pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    double center[3];
    double omega[3];
    body_centroid(model, body, center);
    pli_vec3_scale(pli_radians_per_degree, def->angular_velocity, omega);
    for (int64_t k = body->first_vertex; k < body->first_vertex + body->vertex_count; ++k) {
        double arm[3];
        double *v = model->start_velocity + 3 * k;
        pli_vec3_subtract(model->start + 3 * k, center, arm);
        pli_vec3_cross(omega, arm, v);
        pli_vec3_add(v, def->velocity, v);
    }
}

// ---- constraints and attachments

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
static void collect_vertices(building *b, const handle_def *def, int32_t index, int32_t *vertices,
                             int32_t *count)
{
    if (def->body[0] != '\0' && strcmp(def->body, body_def(b, index)->name) != 0) return;
    // an obstacle follows its own motion
    if (b->model->bodies[index].kind == PLI_BODY_OBSTACLE) return;
    pli_selection_source source = selection_source(b, index);
    pli_selection_mark_vertices(def->where, &source, b->mask);
    for (int32_t k = 0; k < source.mesh->vertex_count; ++k) {
        if (b->mask[k]) vertices[(*count)++] = b->model->bodies[index].first_vertex + k;
    }
}

// Says where what could have been selected is.
static pli_status refuse_selection(const building *b, const handle_def *def)
{
    pli_bounds box = pli_bounds_empty();
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        if (def->body[0] != '\0' && strcmp(def->body, body_def(b, k)->name) != 0) continue;
        if (body->kind == PLI_BODY_OBSTACLE) continue;
        const double *points = selection_source(b, k).points;
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

static pli_status build_handle(building *b, const handle_def *def, pli_model_handle *handle)
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

// Holds all vertices of an obstacle where its motion has them.
static pli_status hold_obstacle(building *b, int32_t index, pli_model_handle *handle)
{
    const pli_model_body *body = &b->model->bodies[index];
    PLI_TRY(hold_all(b, index, handle));
    pli_bounds box =
        pli_bounds_of_points(body->vertex_count, b->model->start + 3 * (int64_t)body->first_vertex);
    double middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (box.min[k] + box.max[k]);
    return pli_motion_init(b->context, &body_def(b, index)->motion, middle, &handle->motion);
}

static uint8_t axes_mask(const char *axes)
{
    uint8_t mask = 0;
    for (; *axes != '\0'; ++axes) mask |= (uint8_t)(1u << (*axes - 'x'));
    return mask;
}

static pli_status build_constraints(building *b)
{
    pli_model *model = b->model;
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
    for (int32_t k = 0; k < model->body_count; ++k) {
        if (model->bodies[k].kind != PLI_BODY_OBSTACLE) continue;
        PLI_TRY(hold_obstacle(b, k, &model->constraints[model->constraint_count++]));
    }
    return PLI_OK;
}

static pli_status build_attachments(building *b)
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

// ---- everything else

static void set_gravity(building *b)
{
    pli_model *model = b->model;
    pli_vec3_set(0, 0, 0, model->gravity);
    model->gravity[b->def->up == PLI_UP_Z ? 2 : 1] = -9.81;
    if (b->def->gravity_count == 3) pli_vec3_copy(b->def->gravity, model->gravity);
}

static void set_size(pli_model *model)
{
    int32_t count = pli_model_body_vertices(model);
    pli_bounds box = pli_bounds_union(pli_bounds_of_points(count, model->rest),
                                      pli_bounds_of_points(count, model->start));
    model->size = pli_vec3_distance(box.min, box.max);
}

// The fields of frames that the scene asks for and its solver and contacts have.
static pli_status set_frame_fields(building *b)
{
    pli_model *model = b->model;
    const pli_output_def *output = &b->def->output;
    const char *unknown = NULL;
    model->frame_fields =
        model->matter != NULL
            ? pli_particle_fields_find(output->fields, output->field_count, &unknown)
            : pli_body_fields_find(output->fields, output->field_count, &unknown);
    if (unknown != NULL) {
        return PLI_FAIL(b->context, PLI_ERROR_SCENE, "output.fields: there is no field '%s'",
                        unknown);
    }
    if (model->matter != NULL) {
        bool implicit = model->solver_kind->grid != NULL;
        if (!implicit) model->frame_fields &= ~(1u << PLI_PARTICLE_RESIDUAL);
        return PLI_OK;
    }
    bool barrier = model->contact.method == PLI_CONTACT_BARRIER;
    bool collides = model->collider_count > 0 || model->contact.method != PLI_CONTACT_NONE;
    if (!collides) model->frame_fields &= ~(1u << PLI_BODY_CONTACT_FORCE);
    if (!barrier) {
        model->frame_fields &= ~(1u << PLI_BODY_FRICTION_FORCE | 1u << PLI_BODY_CONTACT_GAP);
    }
    model->frame_handle = model->solver_kind->subspace ? output->handle : -1;
    if (model->frame_handle < 0) model->frame_fields &= ~(1u << PLI_BODY_WEIGHT);
    if (!model->solver_kind->subspace) model->frame_fields &= ~PLI_BODY_SUBSPACE_FIELDS;
    if (model->yields == NULL) model->frame_fields &= ~(1u << PLI_BODY_PLASTIC);
    return PLI_OK;
}

static pli_status set_solver(building *b)
{
    pli_model *model = b->model;
    model->time = b->def->time;
    model->dt = 1 / (b->def->time.fps * b->def->time.steps_per_frame);
    model->solver_def = b->def->solver;
    model->solver_kind = pli_solver_kind_choose(b->def);
    if (model->solver_kind == NULL) {
        return PLI_FAIL(b->context, PLI_ERROR_SCENE, "there is no solver '%s'",
                        b->def->solver.name);
    }
    model->solver_def.name = model->solver_kind->info.name;
    bool at_rest = model->time.mode == PLI_MODE_QUASI_STATIC;
    model->solver_def.max_iterations =
        pli_solver_max_iterations(model->solver_kind, &model->solver_def, at_rest);
    model->solver_parts = pli_solver_parts_choose(model->solver_kind, &model->solver_def,
                                                  at_rest ? model->vertex_count : 0);
    model->seed = (uint64_t)(uint32_t)b->def->seed;
    model->wants_energies = b->def->output.iterations;
    return set_frame_fields(b);
}

// The coarse spaces of the solver, after which the model no longer looks at lists of the scene.
static pli_status build_levels(pli_model *model, const pli_model_def *model_def)
{
    PLI_TRY(pli_coarse_build(model));
    PLI_TRY(pli_reduction_build(model, model_def));
    pli_multigrid_def *def = &model->solver_def.multigrid;
    def->levels = NULL;
    def->level_count = 0;
    def->smoothers = "";
    def->handles = NULL;
    def->handle_count = 0;
    return PLI_OK;
}

// A law that ends at J = 0 cannot start from inverted tetrahedra; for others the scene decides.
static pli_status check_start(const building *b, int32_t index)
{
    const pli_model *model = b->model;
    const pli_model_body *body = &model->bodies[index];
    const pli_body_def *def = &b->def->bodies[body->source];
    int32_t triangle = -1;
    pli_status status = pli_model_check_triangles(model, body, &triangle);
    if (status != PLI_OK) {
        // the boundary of tetrahedra has triangles of its own, which stand in no file
        int32_t cell = pli_body_mesh_has_tets(def) ? -1 : triangle;
        return pli_body_fail_mesh(model->context, def, cell, status);
    }
    int32_t inverted = 0;
    for (int64_t k = 0; k < body->tet_count; ++k) {
        int64_t tet = body->first_tet + k;
        if (pli_tet_volume_at(model->start, model->tets + 4 * tet) > 0) continue;
        const pli_material_ops *law = model->laws[model->materials[model->material_of[tet]].law];
        if (!(law->flags & PLI_LAW_INVERTIBLE)) {
            return PLI_FAIL(
                b->context, PLI_ERROR_SCENE,
                "body %s: tetrahedron %lld starts inverted or flat, where the energy of "
                "law %s is infinite; start from another shape or use a law such as "
                "fixed-corotated",
                body->name, (long long)k, law->name);
        }
        ++inverted;
    }
    // a random or collapsed start means it
    int32_t start = body_def(b, index)->start.kind;
    if (inverted == 0 || start == PLI_START_RANDOM || start == PLI_START_COLLAPSED) return PLI_OK;
    if (b->def->checks.inverted_start == PLI_SEVERITY_ERROR) {
        return PLI_FAIL(b->context, PLI_ERROR_SCENE,
                        "body %s: %d tetrahedra start inverted or flat", body->name, (int)inverted);
    }
    if (b->def->checks.inverted_start == PLI_SEVERITY_WARNING) {
        PLI_LOG(b->context, PLI_LOG_WARNING, "body %s: %d tetrahedra start inverted or flat",
                body->name, (int)inverted);
    }
    return PLI_OK;
}

// ---- elements

// The largest of Poisson's ratios of a body's materials.
static double largest_poisson(const building *b, const pli_body_def *def)
{
    double largest = b->model->materials[find_material(b, def->material)].poisson;
    for (int32_t k = 0; k < def->region_count; ++k) {
        int32_t region = find_material(b, def->regions[k].material);
        largest = fmax(largest, b->model->materials[region].poisson);
    }
    return largest;
}

// Those that a body has where the scene leaves the choice.
static pli_element_kind choose_element(const building *b, const pli_body_def *def,
                                       const pli_solver_kind *solver)
{
    static const double nearly_incompressible = 0.45; // Poisson's ratio
    const pli_mesh_data *file = pli_body_mesh_file(def);
    bool takes_quadratic = solver != NULL && pli_solver_has(solver, PLI_TAKES_QUADRATIC);
    bool takes_patches = solver != NULL && pli_solver_has(solver, PLI_TAKES_PATCHES);
    if (file != NULL && file->tet_mids != NULL && takes_quadratic) return PLI_ELEMENT_QUADRATIC;
    if (file != NULL && file->tet_mids != NULL) {
        PLI_LOG(b->context, PLI_LOG_WARNING,
                "body %s: its file is of second order, and solver %s takes linear tetrahedra; "
                "nodes on edges are left out",
                def->name, solver != NULL ? solver->info.name : b->def->solver.name);
    }
    // what starts inverted has no energy there
    bool upright = def->start.kind != PLI_START_RANDOM && def->start.kind != PLI_START_COLLAPSED;
    bool stiff = largest_poisson(b, def) > nearly_incompressible;
    return stiff && takes_patches && upright ? PLI_ELEMENT_LOCKING_FREE : PLI_ELEMENT_LINEAR;
}

static pli_status choose_elements(building *b)
{
    const pli_solver_kind *solver = pli_solver_kind_choose(b->def);
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        pli_model_body *body = &b->model->bodies[k];
        const pli_body_def *def = body_def(b, k);
        body->element = PLI_ELEMENT_LINEAR;
        if (body->kind != PLI_BODY_SOLID) continue;
        body->element = (pli_element_kind)def->element;
        if (body->element != PLI_ELEMENT_AUTO) continue;
        // pieces and copies follow the first
        bool known = k > 0 && body[-1].source == body->source;
        body->element = known ? body[-1].element : choose_element(b, def, solver);
    }
    return PLI_OK;
}

static pli_status build_bodies(building *b)
{
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        place_body(b, k);
        assign_materials(b, k);
    }
    compute_masses(b->model);
    PLI_TRY(resolve_yields(b));
    PLI_TRY(pli_model_build_springs(b->model, b->def, b->meshes));
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        start_body(b, k);
        start_velocity(b, k);
        PLI_TRY(check_start(b, k));
    }
    for (int32_t k = b->model->body_count; k < pli_model_things(b->model); ++k) place_surface(b, k);
    return PLI_OK;
}

// Bodies of particles, emitters and what they meet.
static pli_status build_matter(building *b)
{
    set_gravity(b);
    PLI_TRY(go_on(b));
    PLI_TRY(pli_matter_build(b->model, b->scene));
    PLI_TRY(go_on(b));
    PLI_TRY(pli_collider_build(b->model, b->scene));
    PLI_TRY(pli_matter_check_overlap(b->model, b->scene));
    PLI_TRY(set_solver(b));
    PLI_TRY(pli_substeps_check_start(b->model, b->scene));
    pli_norm_build_matter(b->model);
    return pli_matter_count(b->model);
}

// Bodies of meshes.
static pli_status build_meshes(building *b)
{
    PLI_TRY(list_bodies(b));
    PLI_TRY(pli_body_check_sizes(b->scene));
    PLI_TRY(resolve_materials(b));
    PLI_TRY(choose_elements(b));
    PLI_TRY(create_meshes(b));
    PLI_TRY(list_surfaces(b));
    PLI_TRY(count_everything(b));
    PLI_TRY(go_on(b));
    PLI_TRY(allocate_arrays(b));
    PLI_TRY(build_bodies(b));
    PLI_TRY(build_constraints(b));
    PLI_TRY(build_attachments(b));
    set_gravity(b);
    set_size(b->model);
    PLI_TRY(pli_collider_build(b->model, b->scene));
    PLI_TRY(hold_surfaces(b));
    PLI_TRY(pli_resolution_check(b->model));
    PLI_TRY(pli_collider_build_surface(b->model, b->scene, b->meshes));
    PLI_TRY(go_on(b));
    PLI_TRY(pli_overlap_check(b->model, b->scene));
    PLI_TRY(go_on(b));
    PLI_TRY(set_solver(b));
    PLI_TRY(pli_travel_check_start(b->model, b->scene));
    PLI_TRY(pli_norm_build(b->model));
    PLI_TRY(pli_solver_check_model(b->model, b->scene));
    return build_levels(b->model, b->model_def);
}

static pli_status build(building *b)
{
    PLI_TRY(collect_materials(b));
    return pli_scene_has_particles(b->def) ? build_matter(b) : build_meshes(b);
}

pli_status pli_model_create(pli_context *context, const pli_scene *scene, pli_model **model)
{
    return pli_model_create_with(context, scene, NULL, model);
}

pli_status pli_model_create_with(pli_context *context, const pli_scene *scene,
                                 const pli_model_def *def, pli_model **model)
{
    static const pli_model_def plain = {0};
    *model = NULL;
    pli_model *made = PLI_NEW(context, pli_model, 1, "model");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    building b = {.context = context,
                  .model = made,
                  .scene = scene,
                  .def = pli_scene_get(scene),
                  .model_def = def != NULL ? def : &plain};
    pli_names_init(&b.materials, context);
    pli_status status = build(&b);
    if (status == PLI_OK) pli_magnitude_check_bodies(made, scene);

    // what only the building needed
    for (int32_t k = 0; b.meshes != NULL && k < b.mesh_count; ++k) {
        pli_body_mesh_destroy(b.meshes[k]);
    }
    PLI_RELEASE(context, b.meshes, b.mask);
    pli_names_clear(&b.materials);
    if (status != PLI_OK) {
        pli_model_destroy(made);
        return status;
    }
    pli_model_info info;
    pli_model_get_info(made, &info);
    pli_body_warn_memory(context, info.memory_estimate);
    *model = made;
    return PLI_OK;
}

static void clear_handles(pli_context *context, pli_model_handle *handles, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        pli_motion_clear(context, &handles[k].motion);
        pli_release(context, handles[k].vertices);
    }
    pli_release(context, handles);
}

void pli_model_destroy(pli_model *model)
{
    if (model == NULL) return;
    pli_context *context = model->context;
    pli_matter_destroy(model->matter);
    pli_reduction_destroy(context, model->reduction);
    pli_hierarchy_destroy(model->hierarchy);
    pli_collider_clear(model);
    clear_handles(context, model->attachments, model->attachment_count);
    clear_handles(context, model->constraints, model->constraint_count);
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
        pli_release(context, model->bodies[k].name);
    }
    PLI_RELEASE(context, model->bodies, model->laws, model->yields, model->materials,
                model->material_of, model->first_point, model->mid_nodes, model->tet_of_cell);
    if (model->cells != model->tets) pli_release(context, model->cells);
    pli_release(context, model->tets);
    pli_model_clear_springs(model);
    pli_model_clear_triangles(model);
    PLI_RELEASE(context, model->norm_weights, model->drag, model->mass, model->start_velocity,
                model->start, model->rest, model);
}
