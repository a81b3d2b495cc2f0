// SPDX-License-Identifier: Apache-2.0
#include "sim/report/body_frame.h"

#include "base/memory.h"
#include "sim/model/model_paint.h"
#include "sim/report/frame_fields.h"
#include "sim/report/subspace_frame.h"
#include "sim/step/mesh_stepper.h"
#include "sim/step/shells_build.h"

#define VERTEX(field) [PLI_BODY_AT_VERTICES + PLI_ELEMENT_##field]
#define BIT(field) (1u << (PLI_BODY_AT_VERTICES + PLI_ELEMENT_##field))
#define CELL(field) [PLI_BODY_OF_CELLS + PLI_ELEMENT_##field]

static const pli_frame_field fields[PLI_BODY_FIELD_COUNT] = {
    [PLI_BODY_VELOCITY] = {"velocity", "m/s", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_DISPLACEMENT] = {"displacement", "m", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_MATERIAL] = {"material", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_CONTACT_FORCE] = {"contact_force", "N", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_FRICTION_FORCE] = {"friction_force", "N", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_BODY_CONTACT_GAP] = {"contact_gap", "m", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_HANDLE] = {"handle", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_HANDLE_WEIGHT] = {"handle_weight", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_WEIGHT] = {"weight", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_BODY_PARTITION] = {"partition", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_CUBATURE] = {"cubature", "", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_FOLD] = {"fold", "rad", PLI_PLACE_CELL, 1, NULL, false},
    [PLI_BODY_YOUNG] = {"young", "Pa", PLI_PLACE_CELL, 1, NULL, false},
    VERTEX(VON_MISES) = {"von_mises", "Pa", PLI_PLACE_POINT, 1, NULL, false},
    VERTEX(J) = {"J", "", PLI_PLACE_POINT, 1, NULL, false},
    VERTEX(PLASTIC) = {"plastic", "", PLI_PLACE_POINT, 1, NULL, false},
    VERTEX(STRESS) = {"stress", "Pa", PLI_PLACE_POINT, 6, NULL, false},
    VERTEX(PRINCIPAL) = {"stress_principal", "Pa", PLI_PLACE_POINT, 3, NULL, false},
    VERTEX(DIRECTION) = {"stress_direction", "", PLI_PLACE_POINT, 3, NULL, false},
    VERTEX(LOG_STRAIN) = {"log_strain", "", PLI_PLACE_POINT, 6, NULL, false},
    VERTEX(GREEN_STRAIN) = {"green_strain", "", PLI_PLACE_POINT, 6, NULL, false},
    VERTEX(DENSITY) = {"energy_density", "J/m^3", PLI_PLACE_POINT, 1, NULL, false},
    CELL(VON_MISES) = {"von_mises_cell", "Pa", PLI_PLACE_CELL, 1, NULL, false},
    CELL(J) = {"J_cell", "", PLI_PLACE_CELL, 1, NULL, false},
    CELL(PLASTIC) = {"plastic_cell", "", PLI_PLACE_CELL, 1, NULL, false},
    CELL(STRESS) = {"stress_cell", "Pa", PLI_PLACE_CELL, 6, NULL, false},
    CELL(PRINCIPAL) = {"stress_principal_cell", "Pa", PLI_PLACE_CELL, 3, NULL, false},
    CELL(DIRECTION) = {"stress_direction_cell", "", PLI_PLACE_CELL, 3, NULL, false},
    CELL(LOG_STRAIN) = {"log_strain_cell", "", PLI_PLACE_CELL, 6, NULL, false},
    CELL(GREEN_STRAIN) = {"green_strain_cell", "", PLI_PLACE_CELL, 6, NULL, false},
    CELL(DENSITY) = {"energy_density_cell", "J/m^3", PLI_PLACE_CELL, 1, NULL, false},
};

const pli_frame_field *pli_body_field_get(int32_t field)
{
    return &fields[field];
}

uint32_t pli_body_fields_find(const char *const *names, int32_t count, const char **unknown)
{
    // elements' fields are many numbers, and tensors more still
    uint32_t usual = ((1u << PLI_BODY_AT_VERTICES) - 1) | BIT(VON_MISES) | BIT(J) | BIT(PLASTIC);
    *unknown = NULL;
    if (count == 0) return usual;
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
    double *material; // [tet_count + shell_triangle_count] index of the material in the scene
    double *fold;     // [tet_count + shell_triangle_count] largest angle that stays at a side (rad)
    double *young; // [tet_count + shell_triangle_count] Young's modulus (Pa), 0: the law has none
    pli_element_fields *elements;    // NULL: none of them is wanted
    pli_reduction_fields *reduction; // NULL: another solver than "subspace"
    pli_frame_field *part_fields;    // [body_count][PLI_BODY_FIELD_COUNT]
};

void pli_body_parts_destroy(pli_body_parts *cache)
{
    if (cache == NULL) return;
    pli_context *context = cache->context;
    pli_release(context, cache->part_fields);
    pli_reduction_fields_destroy(cache->reduction);
    pli_element_fields_destroy(cache->elements);
    PLI_RELEASE(context, cache->fold, cache->young, cache->material, cache->gap,
                cache->displacement, cache->triangles, cache->tets, cache);
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
    cache->material = PLI_NEW(context, double, cells, "frame material");
    cache->fold = PLI_NEW(context, double, cells, "frame folds");
    cache->young = PLI_NEW(context, double, cells, "frame modulus");
    cache->part_fields = PLI_NEW(context, pli_frame_field,
                                 (int64_t)model->body_count * PLI_BODY_FIELD_COUNT, "frame fields");
    return cache->tets != NULL && cache->triangles != NULL && cache->displacement != NULL &&
           cache->gap != NULL && cache->material != NULL && cache->fold != NULL &&
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
    if (status == PLI_OK) {
        uint32_t all = (1u << PLI_ELEMENT_FIELD_COUNT) - 1;
        status = pli_element_fields_create(
            s->model, s->model->frame_fields >> PLI_BODY_OF_CELLS & all,
            s->model->frame_fields >> PLI_BODY_AT_VERTICES & all, &cache->elements);
    }
    if (status != PLI_OK) {
        pli_body_parts_destroy(cache);
        return status;
    }
    fill_constants(cache, s->model);
    s->parts = cache;
    return PLI_OK;
}

// Values of a field of elements, of a body whose first vertex and cell these are.
static const double *element_values(const pli_mesh_stepper *s, int32_t field, int64_t first_vertex,
                                    int64_t first_cell)
{
    bool at_vertices = field < PLI_BODY_OF_CELLS;
    int32_t of = field - (at_vertices ? (int32_t)PLI_BODY_AT_VERTICES : (int32_t)PLI_BODY_OF_CELLS);
    const double *values =
        pli_element_fields_get(s->parts->elements, (pli_element_field)of, at_vertices);
    return values + fields[field].components * (at_vertices ? first_vertex : first_cell);
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
    case PLI_BODY_MATERIAL: return cache->material + first_cell;
    case PLI_BODY_CONTACT_FORCE: return state->contact_force + 3 * first_vertex;
    case PLI_BODY_FRICTION_FORCE: return state->friction_force + 3 * first_vertex;
    case PLI_BODY_CONTACT_GAP: return cache->gap + first_vertex;
    case PLI_BODY_HANDLE: return cache->reduction->handle + first_vertex;
    case PLI_BODY_HANDLE_WEIGHT: return cache->reduction->largest + first_vertex;
    case PLI_BODY_WEIGHT: return cache->reduction->weight + first_vertex;
    case PLI_BODY_PARTITION: return cache->reduction->partition + first_cell;
    case PLI_BODY_CUBATURE: return cache->reduction->cubature + first_cell;
    case PLI_BODY_FOLD: return cache->fold + first_cell;
    case PLI_BODY_YOUNG: return cache->young + first_cell;
    default: return element_values(s, field, first_vertex, first_cell);
    }
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
        bool is_of_cells = field >= PLI_BODY_AT_VERTICES || fields[field].place == PLI_PLACE_CELL;
        if (!has_cells && is_of_cells) continue;
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

pli_status pli_body_parts_fill(pli_mesh_stepper *s, const pli_state *state, pli_frame_part *parts,
                               int32_t *count)
{
    const pli_model *model = s->model;
    PLI_TRY(ensure_parts(s));
    for (int64_t k = 0; k < 3 * (int64_t)model->vertex_count; ++k) {
        s->parts->displacement[k] = state->x[k] - model->rest[k];
    }
    PLI_TRY(pli_element_fields_fill(s->parts->elements, s, state));
    fill_young(model, pli_state_time(state), s->parts->young);
    if (state->fold_count > 0) {
        pli_shells_measure_folds(s, state, s->parts->fold + model->tet_count);
    }
    PLI_TRY(pli_contacts_measure_gaps(s->contacts, state->x, s->parts->gap));
    for (int32_t body = 0; body < model->body_count; ++body) {
        fill_part(s, state, body, &parts[body]);
    }
    *count = model->body_count;
    return PLI_OK;
}
