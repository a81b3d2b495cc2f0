// SPDX-License-Identifier: Apache-2.0
//
// Rules of geometries, shapes and selections.
#include "base/suggest.h"
#include "geometry/generate/recipe.h"
#include "sim/body/body_piece.h"
#include "sim/body/shape_build.h"
#include "sim/scene/own_shape.h"
#include "sim/scene/plan_defs.h"
#include "sim/scene/scene_rules.h"
#include "sim/scene/schema.h"

#include <string.h>

const char pli_rules_no_cells[] =
    "the mesh has no triangles and no tetrahedra; a body or a shape needs some";

pli_status pli_rules_refuse_file(const pli_rules *r, const pli_visit *visit, const char *key,
                                 const pli_file_def *file, const char *why)
{
    bool named = file->path != NULL && file->path[0] != '\0';
    return pli_rules_refuse(r, visit, key, &file->path, "%s%s%s", named ? file->path : "",
                            named ? ": " : "", why);
}

static pli_status check_grid(const pli_rules *r, const pli_visit *visit)
{
    // so that six tetrahedra a cell, and three coordinates a vertex, can be counted in int32_t
    static const double most_cells = 3e8;
    const pli_grid_def *grid = visit->holder;
    double cells = (double)grid->cells[0] * grid->cells[1] * grid->cells[2];
    if (cells <= most_cells) return PLI_OK;
    return pli_rules_refuse(r, visit, "cells", &grid->cells,
                            "%.0f cells are too many; allowed are %.0f", cells, most_cells);
}

// Something built of cells must come out; the message of what builds it names the number.
static pli_status check_built(const pli_rules *r, const pli_visit *visit, int32_t kind)
{
    pli_context *context = pli_scene_context(r->scene);
    pli_variant geometry = {.kind = kind, .data = visit->holder};
    pli_status status = pli_body_piece_check(context, &geometry);
    if (status == PLI_OK || status == PLI_ERROR_MEMORY) return status;
    char text[PLI_FIELD_ERROR_CAPACITY];
    pli_context_message(context, text, sizeof text);
    return pli_rules_refuse(r, visit, "", NULL, "%s", text);
}

static pli_status check_arch(const pli_rules *r, const pli_visit *visit)
{
    return check_built(r, visit, PLI_GEOMETRY_ARCH);
}

static pli_status check_card_house(const pli_rules *r, const pli_visit *visit)
{
    return check_built(r, visit, PLI_GEOMETRY_CARD_HOUSE);
}

static pli_status check_spikes(const pli_rules *r, const pli_visit *visit)
{
    return check_built(r, visit, PLI_GEOMETRY_SPIKES);
}

static pli_status check_rod(const pli_rules *r, const pli_visit *visit)
{
    return check_built(r, visit, PLI_GEOMETRY_ROD);
}

static pli_status check_ring(const pli_rules *r, const pli_visit *visit)
{
    return check_built(r, visit, PLI_GEOMETRY_RING);
}

// So that two triangles a square, with three corners each, can be counted in int32_t.
static pli_status check_squares(const pli_rules *r, const pli_visit *visit, const int32_t *columns,
                                int32_t rows)
{
    static const double most = 3e8;
    double squares = ((double)*columns + 1) * ((double)rows + 1);
    if (squares <= most) return PLI_OK;
    return pli_rules_refuse(r, visit, "columns", columns,
                            "%.0f squares are too many; allowed are %.0f", (double)*columns * rows,
                            most);
}

static pli_status check_sheet(const pli_rules *r, const pli_visit *visit)
{
    const pli_sheet_def *sheet = visit->holder;
    return check_squares(r, visit, &sheet->columns, sheet->rows);
}

static pli_status check_scroll(const pli_rules *r, const pli_visit *visit)
{
    const pli_scroll_def *scroll = visit->holder;
    return check_squares(r, visit, &scroll->columns, scroll->rows);
}

static pli_status check_loaded(const pli_rules *r, const pli_visit *visit)
{
    const pli_file_def *file = visit->holder;
    if (file->mesh != NULL) return PLI_OK;
    return pli_rules_refuse(
        r, visit, "path", &file->path,
        "the file was not read; load the scene from a file, or give the mesh itself");
}

static pli_status check_mesh_shape(const pli_rules *r, const pli_visit *visit)
{
    PLI_TRY(check_loaded(r, visit));
    const pli_file_def *file = visit->holder;
    if (file->mesh->tet_count > 0 || file->mesh->triangle_count > 0) return PLI_OK;
    return pli_rules_refuse_file(r, visit, "path", file, pli_rules_no_cells);
}

static pli_status check_height_field(const pli_rules *r, const pli_visit *visit)
{
    const pli_height_field_def *field = visit->holder;
    int64_t wanted = (int64_t)field->columns * field->rows;
    if (wanted == field->height_count) return PLI_OK;
    return pli_rules_refuse(r, visit, "heights", &field->heights,
                            "found %d numbers, expected columns x rows = %lld", field->height_count,
                            (long long)wanted);
}

static pli_status check_axis_ends(const pli_rules *r, const pli_visit *visit, const double start[3],
                                  const double end[3])
{
    if (memcmp(start, end, 3 * sizeof(double)) != 0) return PLI_OK;
    return pli_rules_refuse(r, visit, "end", end, "is the same point as the start");
}

static pli_status check_cylinder(const pli_rules *r, const pli_visit *visit)
{
    const pli_segment_def *cylinder = visit->holder;
    return check_axis_ends(r, visit, cylinder->start, cylinder->end);
}

static pli_status check_cone(const pli_rules *r, const pli_visit *visit)
{
    const pli_cone_def *cone = visit->holder;
    return check_axis_ends(r, visit, cone->start, cone->end);
}

static pli_status check_repetition(const pli_rules *r, const pli_visit *visit)
{
    const pli_repetition_def *repetition = visit->holder;
    for (int32_t axis = 0; axis < 3; ++axis) {
        if (repetition->count[axis] == 1 || repetition->spacing[axis] > 0) continue;
        return pli_rules_refuse(r, visit, "spacing", repetition->spacing,
                                "is 0 along %c, where there are %d copies", 'x' + axis,
                                repetition->count[axis]);
    }
    return PLI_OK;
}

static pli_status check_recipe_name(const pli_rules *r, const pli_visit *visit)
{
    const pli_recipe_def *recipe = visit->holder;
    if (pli_recipe_find(recipe->name) != NULL) return PLI_OK;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(recipe->name, found));
    for (int32_t i = 0; i < pli_recipe_count(); ++i) {
        pli_suggest_add(&suggest, pli_recipe_get(i)->name);
    }
    return pli_rules_refuse(r, visit, "name", &recipe->name,
                            "found '%s', which is not a recipe; recipes are %s", found,
                            pli_suggest_text(&suggest));
}

static pli_status check_own_shape(const pli_rules *r, const pli_visit *visit)
{
    pli_resolved_shape resolved;
    pli_material_problem problem;
    pli_context *context = pli_scene_context(r->scene);
    if (pli_own_shape_resolve(context, visit->holder, &resolved, &problem)) return PLI_OK;
    return pli_rules_refuse(r, visit, problem.key, problem.member, "%s", problem.text);
}

static pli_status check_select_box(const pli_rules *r, const pli_visit *visit)
{
    const pli_select_box_def *box = visit->holder;
    for (int32_t axis = 0; axis < 3; ++axis) {
        if (box->min[axis] <= box->max[axis]) continue;
        return pli_rules_refuse(r, visit, "max", box->max, "is less than min along %c", 'x' + axis);
    }
    return PLI_OK;
}

static const pli_rule rules[] = {
    {&pli_grid_schema, check_grid},
    {&pli_arch_schema, check_arch},
    {&pli_card_house_schema, check_card_house},
    {&pli_spikes_schema, check_spikes},
    {&pli_rod_schema, check_rod},
    {&pli_ring_schema, check_ring},
    {&pli_file_schema, check_loaded},
    {&pli_sheet_schema, check_sheet},
    {&pli_scroll_schema, check_scroll},
    {&pli_mesh_shape_schema, check_mesh_shape},
    {&pli_height_field_schema, check_height_field},
    {&pli_cylinder_schema, check_cylinder},
    {&pli_cone_schema, check_cone},
    {&pli_repetition_schema, check_repetition},
    {&pli_recipe_schema, check_recipe_name},
    {&pli_own_shape_schema, check_own_shape},
    {&pli_select_box_schema, check_select_box},
};

pli_status pli_rules_check_shapes(const pli_rules *r, const pli_visit *visit)
{
    return pli_rules_apply(r, visit, rules, PLI_COUNT_OF(rules));
}

// ---- what is known of a shape once all its parts are right

bool pli_rules_is_sampled(const pli_variant *shape)
{
    if (shape->kind == PLI_SHAPE_MESH || shape->kind == PLI_SHAPE_SAMPLED) return true;
    const pli_schema *schema = pli_shape_variants[shape->kind];
    for (int32_t i = 0; i < schema->field_count; ++i) {
        if (schema->fields[i].variants != pli_shape_variants) continue;
        pli_items items = pli_field_get_items(&schema->fields[i], shape->data);
        for (int32_t k = 0; k < items.count; ++k) {
            if (pli_rules_is_sampled((const pli_variant *)items.first + k)) return true;
        }
    }
    return false;
}

pli_status pli_rules_try_shape(const pli_rules *r, const pli_visit *visit,
                               const pli_variant *variant, pli_bounds *bounds)
{
    *bounds = pli_bounds_empty();
    if (pli_rules_is_sampled(variant)) return PLI_OK;
    pli_context *context = pli_scene_context(r->scene);
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    PLI_TRY(pli_shape_set_create(context, &set));
    pli_status status = pli_shape_build(set, variant, &shape);
    if (status == PLI_OK) *bounds = pli_shape_bounds(shape);
    pli_shape_set_destroy(set);
    if (status == PLI_OK || status == PLI_ERROR_MEMORY) return status;
    char text[PLI_FIELD_ERROR_CAPACITY];
    pli_context_message(context, text, sizeof text);
    return pli_rules_refuse(r, visit, "shape", variant, "%s", text);
}

const char *pli_rules_name_shape(const pli_variant *shape)
{
    if (shape->kind == PLI_SHAPE_OWN) return "shape of one's own";
    return pli_shape_variants[shape->kind]->name;
}

static pli_status check_sampled(const pli_rules *r, const pli_visit *visit)
{
    const pli_sampled_def *sampled = visit->holder;
    pli_bounds bounds;
    PLI_TRY(pli_rules_try_shape(r, visit, &sampled->shape, &bounds));
    if (pli_bounds_is_empty(&bounds) || pli_bounds_is_finite(&bounds)) return PLI_OK;
    return pli_rules_refuse(
        r, visit, "shape", &sampled->shape,
        "found a %s without end, which no grid can cover; intersect it with a box",
        pli_rules_name_shape(&sampled->shape));
}

pli_status pli_rules_check_shapes_late(const pli_rules *r, const pli_visit *visit)
{
    return visit->schema == &pli_sampled_schema ? check_sampled(r, visit) : PLI_OK;
}
