// SPDX-License-Identifier: Apache-2.0
#include "sim/report/body_frame.h"

#include "base/memory.h"
#include "sim/model/model_paint.h"
#include "sim/report/frame_fields.h"
#include "sim/report/subspace_frame.h"
#include "sim/step/mesh_stepper.h"
#include "sim/step/shells_build.h"
#include "sim/step/tets_build.h"

static const pli_frame_field fields[PLI_BODY_FIELD_COUNT] = {
    [PLI_BODY_VELOCITY] = {"velocity", "m/s", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_DISPLACEMENT] = {"displacement", "m", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_VON_MISES] = {"von_mises", "Pa", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_J] = {"J", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_MATERIAL] = {"material", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_CONTACT_FORCE] = {"contact_force", "N", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_FRICTION_FORCE] = {"friction_force", "N", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_CONTACT_GAP] = {"contact_gap", "m", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_HANDLE] = {"handle", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_HANDLE_WEIGHT] = {"handle_weight", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_WEIGHT] = {"weight", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_PARTITION] = {"partition", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_CUBATURE] = {"cubature", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_PLASTIC] = {"plastic", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_FOLD] = {"fold", "rad", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_YOUNG] = {"young", "Pa", PLI_PLACE_CELL, 1, NULL, false},
};

const pli_frame_field *pli_body_field_get(int32_t field)
{
    return &fields[field];
}

uint32_t pli_body_fields_find(const char *const *names, int32_t count, const char **unknown)
{
    return pli_frame_fields_find(fields, PLI_BODY_FIELD_COUNT, names, count, unknown);
}

// values of all bodies together, and the parts that point into them
struct pli_body_parts {
    pli_context *context;
    int32_t *tets;        // [tet_count][4] vertex ids within their body
    int32_t *triangles;   // [triangle_count][3] vertex ids within their body
    double *displacement; // [vertex_count][3] (m)
    double *gap;          // [vertex_count] smallest distance, at most that of contact (m)
    // tetrahedra, then triangles of shells
    double *von_mises; // [tet_count + shell_triangle_count] (Pa)
    double *J;         // [tet_count + shell_triangle_count]
    double *material;  // [tet_count + shell_triangle_count] index of the material in the scene
    double *plastic;   // [tet_count + shell_triangle_count] history variable of what yields
    double *fold;  // [tet_count + shell_triangle_count] largest angle that stays at a side (rad)
    double *young; // [tet_count + shell_triangle_count] Young's modulus (Pa), 0: the law has none
    pli_reduction_fields *reduction; // NULL: another solver than "subspace"
    pli_frame_field *part_fields;    // [body_count][PLI_BODY_FIELD_COUNT]
};

void pli_body_parts_destroy(pli_body_parts *cache)
{
    if (cache == NULL) return;
    pli_context *context = cache->context;
    pli_release(context, cache->part_fields);
    pli_reduction_fields_destroy(cache->reduction);
    PLI_RELEASE(context, cache->fold, cache->young, cache->plastic, cache->material, cache->J,
                cache->von_mises, cache->gap, cache->displacement, cache->triangles, cache->tets,
                cache);
}

static bool allocate_cache(pli_body_parts *cache, const pli_model *model)
{
    pli_context *context = model->context;
    int64_t cells = (int64_t)model->tet_count + model->shell_triangle_count;
    cache->context = context;
    int64_t nodes = model->mid_nodes != NULL ? 10 : 4;
    cache->tets = PLI_NEW(context, int32_t, nodes * model->tet_count, "frame cells");
    cache->triangles = PLI_NEW(context, int32_t, 3 * (int64_t)model->triangle_count, "frame cells");
    cache->displacement =
        PLI_NEW(context, double, 3 * (int64_t)model->vertex_count, "frame displacement");
    cache->gap = PLI_NEW(context, double, model->vertex_count, "frame gaps");
    cache->von_mises = PLI_NEW(context, double, cells, "frame stress");
    cache->J = PLI_NEW(context, double, cells, "frame J");
    cache->material = PLI_NEW(context, double, cells, "frame material");
    cache->plastic = PLI_NEW(context, double, cells, "frame history");
    cache->fold = PLI_NEW(context, double, cells, "frame folds");
    cache->young = PLI_NEW(context, double, cells, "frame modulus");
    cache->part_fields = PLI_NEW(context, pli_frame_field,
                                 (int64_t)model->body_count * PLI_BODY_FIELD_COUNT, "frame fields");
    return cache->tets != NULL && cache->triangles != NULL && cache->displacement != NULL &&
           cache->gap != NULL && cache->von_mises != NULL && cache->J != NULL &&
           cache->material != NULL && cache->plastic != NULL && cache->fold != NULL &&
           cache->young != NULL && cache->part_fields != NULL;
}

// Where the cells of a solid begin.
static int64_t first_corner(const pli_model *model, const pli_model_body *body)
{
    return (int64_t)body->first_tet * (model->mid_nodes != NULL ? 10 : 4);
}

static void fill_tet(pli_body_parts *cache, const pli_model *model, const pli_model_body *body,
                     int64_t k)
{
    int64_t tet = body->first_tet + k;
    int32_t nodes[10], count = body->element == PLI_ELEMENT_QUADRATIC ? 10 : 4;
    if (count == 10) pli_model_tet_nodes(model, tet, nodes);
    if (count == 4) memcpy(nodes, model->tets + 4 * tet, 4 * sizeof *nodes);
    int32_t *to = cache->tets + first_corner(model, body) + count * k;
    for (int32_t i = 0; i < count; ++i) to[i] = nodes[i] - body->first_vertex;
}

static void fill_constants(pli_body_parts *cache, const pli_model *model)
{
    for (int32_t body = 0; body < model->body_count; ++body) {
        const pli_model_body *range = &model->bodies[body];
        for (int64_t k = 0; k < range->tet_count; ++k) fill_tet(cache, model, range, k);
        for (int64_t k = 0; k < 3 * (int64_t)range->triangle_count; ++k) {
            int64_t at = 3 * (int64_t)range->first_triangle + k;
            cache->triangles[at] = model->triangles[at] - range->first_vertex;
        }
    }
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        cache->material[tet] = model->materials[model->material_of[tet]].source;
    }
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) {
        cache->material[model->tet_count + k] =
            model->materials[model->triangle_material[k]].source;
    }
}

static pli_status ensure_parts(pli_mesh_stepper *s)
{
    if (s->parts != NULL) return PLI_OK;
    pli_body_parts *cache = PLI_NEW(s->context, pli_body_parts, 1, "frame");
    if (cache == NULL) return PLI_ERROR_MEMORY;
    pli_status status = allocate_cache(cache, s->model) ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_reduction_fields_create(s->model, &cache->reduction);
    if (status != PLI_OK) {
        pli_body_parts_destroy(cache);
        return status;
    }
    fill_constants(cache, s->model);
    s->parts = cache;
    return PLI_OK;
}

static const double *field_values(const pli_mesh_stepper *s, const pli_state *state, int32_t field,
                                  const pli_model_body *body)
{
    const pli_body_parts *cache = s->parts;
    int64_t first_vertex = body->first_vertex;
    int64_t first_cell = body->kind == PLI_BODY_SOLID
                             ? body->first_tet
                             : (int64_t)s->model->tet_count + body->first_triangle;
    switch ((pli_body_field)field) {
    case PLI_BODY_VELOCITY: return state->v + 3 * first_vertex;
    case PLI_BODY_DISPLACEMENT: return cache->displacement + 3 * first_vertex;
    case PLI_BODY_VON_MISES: return cache->von_mises + first_cell;
    case PLI_BODY_J: return cache->J + first_cell;
    case PLI_BODY_MATERIAL: return cache->material + first_cell;
    case PLI_BODY_CONTACT_FORCE: return state->contact_force + 3 * first_vertex;
    case PLI_BODY_FRICTION_FORCE: return state->friction_force + 3 * first_vertex;
    case PLI_BODY_CONTACT_GAP: return cache->gap + first_vertex;
    case PLI_BODY_HANDLE: return cache->reduction->handle + first_vertex;
    case PLI_BODY_HANDLE_WEIGHT: return cache->reduction->largest + first_vertex;
    case PLI_BODY_WEIGHT: return cache->reduction->weight + first_vertex;
    case PLI_BODY_PARTITION: return cache->reduction->partition + first_cell;
    case PLI_BODY_CUBATURE: return cache->reduction->cubature + first_cell;
    case PLI_BODY_PLASTIC: return cache->plastic + first_cell;
    case PLI_BODY_FOLD: return cache->fold + first_cell;
    case PLI_BODY_YOUNG: return cache->young + first_cell;
    case PLI_BODY_FIELD_COUNT: break;
    }
    return NULL;
}

static void fill_part(pli_mesh_stepper *s, const pli_state *state, int32_t index,
                      pli_frame_part *part)
{
    const pli_model_body *body = &s->model->bodies[index];
    pli_frame_field *own = s->parts->part_fields + (int64_t)index * PLI_BODY_FIELD_COUNT;
    *part = (pli_frame_part){.name = body->name,
                             .kind = body->element == PLI_ELEMENT_QUADRATIC ? PLI_PART_TETS10
                                                                            : PLI_PART_TETS,
                             .point_count = body->vertex_count,
                             .points = state->x + 3 * (int64_t)body->first_vertex,
                             .cell_count = body->tet_count,
                             .cells = s->parts->tets + first_corner(s->model, body),
                             .fields = own};
    if (body->kind != PLI_BODY_SOLID) {
        part->kind = PLI_PART_TRIANGLES;
        part->cell_count = body->triangle_count;
        part->cells = s->parts->triangles + 3 * (int64_t)body->first_triangle;
    }
    if (body->kind == PLI_BODY_OBSTACLE) part->role = PLI_ROLE_OBSTACLE;
    // springs have no stress per triangle, obstacles have none at all
    bool has_cells = body->kind == PLI_BODY_SOLID || body->kind == PLI_BODY_SHELL;
    for (int32_t field = 0; field < PLI_BODY_FIELD_COUNT; ++field) {
        if (!(s->model->frame_fields & (1u << field))) continue;
        if (!has_cells && fields[field].place == PLI_PLACE_CELL) continue;
        own[part->field_count] = fields[field];
        own[part->field_count].values = field_values(s, state, field, body);
        ++part->field_count;
    }
}

// Moduli of the cells, those of solids at a time (s).
static void fill_young(const pli_model *model, double time, double *young)
{
    if (!(model->frame_fields & (1u << PLI_BODY_YOUNG))) return;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        young[tet] = pli_model_young_at(model, model->material_of[tet], time);
    }
    for (int32_t k = 0; k < model->shell_triangle_count; ++k) {
        young[model->tet_count + k] = pli_model_young_at(model, model->triangle_material[k], time);
    }
}

static pli_status measure_cells(pli_mesh_stepper *s, const pli_state *state)
{
    const pli_body_parts *cache = s->parts;
    int32_t tets = s->model->tet_count;
    PLI_TRY(pli_tets_ensure_elastic(s));
    pli_tets_set_time(s, pli_state_time(state));
    pli_tets_load(s, state);
    fill_young(s->model, pli_state_time(state), cache->young);
    pli_tets_measure(s, state->x, cache->J, cache->von_mises);
    for (int32_t tet = 0; tet < tets && state->point_count > 0; ++tet) {
        const pli_material *material = &s->model->yields[s->model->material_of[tet]];
        const int32_t *points = s->model->first_point + tet;
        double sum = 0;
        for (int32_t k = points[0]; k < points[1]; ++k) sum += state->plastic_history[k];
        cache->plastic[tet] = sum / (points[1] - points[0]) + pli_material_rest_history(material);
    }
    if (s->shell == NULL) return PLI_OK;
    pli_membrane_measure(s->shell->membrane, state->x, cache->J + tets, cache->von_mises + tets);
    if (state->fold_count > 0) pli_shells_measure_folds(s, state, cache->fold + tets);
    return PLI_OK;
}

pli_status pli_body_parts_fill(pli_mesh_stepper *s, const pli_state *state, pli_frame_part *parts,
                               int32_t *count)
{
    const pli_model *model = s->model;
    PLI_TRY(ensure_parts(s));
    for (int64_t k = 0; k < 3 * (int64_t)model->vertex_count; ++k) {
        s->parts->displacement[k] = state->x[k] - model->rest[k];
    }
    PLI_TRY(measure_cells(s, state));
    PLI_TRY(pli_contacts_measure_gaps(s->contacts, state->x, s->parts->gap));
    for (int32_t body = 0; body < model->body_count; ++body) {
        fill_part(s, state, body, &parts[body]);
    }
    *count = model->body_count;
    return PLI_OK;
}
