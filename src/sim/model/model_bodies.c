// SPDX-License-Identifier: Apache-2.0
//
// What bodies a model has, each with its copies and pieces: their meshes, how many vertices and
// elements they bring, and where they rest.
#include "base/memory.h"
#include "math/mat3.h"
#include "sim/body/body_copy.h"
#include "sim/body/body_piece.h"
#include "sim/model/model_building.h"
#include "sim/model/model_triangles.h"

#include <string.h>

enum { BODY_LIMIT = 100000 };

static bool is_scene_body(const pli_scene_def *def, const char *name)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (strcmp(def->bodies[k].name, name) == 0) return true;
    }
    return false;
}

// Adds one piece of one copy of a body of the scene to the list.
static pli_status list_piece(pli_building *b, const pli_model_body *piece)
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
static pli_status list_body(pli_building *b, int32_t source)
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

pli_status pli_model_list_bodies(pli_building *b)
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

const pli_body_def *pli_building_body(const pli_building *b, int32_t index)
{
    return &b->def->bodies[b->model->bodies[index].source];
}

const pli_body_mesh *pli_building_mesh(const pli_building *b, int32_t index)
{
    return b->meshes[b->model->bodies[index].mesh];
}

pli_selection_source pli_building_selection(const pli_building *b, int32_t index)
{
    const pli_model_body *body = &b->model->bodies[index];
    return (pli_selection_source){
        .body = pli_building_body(b, index),
        .mesh = pli_building_mesh(b, index),
        .points = b->model->rest + 3 * (int64_t)body->first_vertex,
    };
}

pli_status pli_model_create_meshes(pli_building *b)
{
    int64_t most = (int64_t)b->mesh_count + b->def->collider_count;
    PLI_TRY(PLI_MAKE(b->context, b->meshes, most, "meshes"));
    for (int32_t k = 0; k < b->model->body_count; ++k) {
        const pli_model_body *body = &b->model->bodies[k];
        if (body->copy > 0) continue;
        PLI_TRY(pli_building_go_on(b));
        PLI_TRY(pli_body_mesh_create(b->context, &b->def->bodies[body->source], body->piece,
                                     body->element == PLI_ELEMENT_QUADRATIC,
                                     &b->meshes[body->mesh]));
    }
    return PLI_OK;
}

// ---- arrays over all bodies and surfaces

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

static pli_status count_cells(pli_building *b, int64_t *vertices, int64_t *tets, int64_t *triangles)
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

pli_status pli_model_count_arrays(pli_building *b)
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

pli_status pli_model_allocate_arrays(pli_building *b)
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
    int64_t most = n > tets ? n : tets;
    b->mask =
        PLI_NEW(context, uint8_t, most > m->triangle_count ? most : m->triangle_count, "selection");
    bool complete = m->rest != NULL && m->start != NULL && m->start_velocity != NULL &&
                    m->mass != NULL && m->drag != NULL && m->norm_weights != NULL &&
                    b->mask != NULL;
    if (!complete) return PLI_ERROR_MEMORY;
    PLI_TRY(pli_model_allocate_tets(m));
    return pli_model_allocate_triangles(m);
}

void pli_model_place_body(pli_building *b, int32_t index)
{
    const pli_body_def *def = pli_building_body(b, index);
    const pli_body_mesh *mesh = pli_building_mesh(b, index);
    const pli_model_body *body = &b->model->bodies[index];
    double A[9];
    double offset[3];
    pli_body_copy_place(def, b->def->seed, body->source, body->copy, A, offset);
    for (int64_t vertex = 0; vertex < body->vertex_count; ++vertex) {
        double *x = b->model->rest + 3 * (body->first_vertex + vertex);
        pli_mat3_apply(A, mesh->points + 3 * vertex, x);
        pli_vec3_add(x, offset, x);
    }
    pli_model_place_tets(b->model, body, def, mesh);
    pli_model_place_triangles(b->model, body, def, mesh);
}
