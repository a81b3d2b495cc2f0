// SPDX-License-Identifier: Apache-2.0
#include "sim/shape_build.h"

#include "base/memory.h"
#include "geometry/recipe.h"
#include "geometry/shape.h"
#include "geometry/stuffing.h"
#include "math/mat3.h"

static const double radians_per_degree = 0.017453292519943295;

typedef pli_status (*combine_fn)(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                 double smooth, const pli_shape **shape);

static pli_status build_combination(pli_context *context, pli_shape_set *set,
                                    const pli_combination_def *def, combine_fn combine,
                                    const pli_shape **shape)
{
    const pli_shape **parts = PLI_NEW(context, const pli_shape *, def->shape_count, "shapes");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    pli_status status = PLI_OK;
    for (int32_t k = 0; k < def->shape_count && status == PLI_OK; ++k) {
        status = pli_shape_build(context, set, &def->shapes[k], &parts[k]);
    }
    if (status == PLI_OK) status = combine(set, def->shape_count, parts, def->smooth, shape);
    pli_release(context, parts);
    return status;
}

static pli_status build_cone(pli_shape_set *set, const pli_cone_def *def, const pli_shape **shape)
{
    pli_cone_radii radii = {def->start_radius, def->end_radius};
    return pli_shape_cone(set, def->start, def->end, radii, shape);
}

static pli_status build_torus(pli_shape_set *set, const pli_torus_def *def, const pli_shape **shape)
{
    return pli_shape_torus(set, def->center, def->axis, def->radius, def->tube_radius, shape);
}

static pli_status build_height_field(pli_shape_set *set, const pli_height_field_def *def,
                                     const pli_shape **shape)
{
    pli_height_samples ground = {.size = {def->size[0], def->size[1]},
                                 .columns = def->columns,
                                 .rows = def->rows,
                                 .heights = def->heights};
    pli_vec3_copy(def->origin, ground.origin);
    return pli_shape_height_field(set, &ground, shape);
}

static pli_status build_transform(pli_context *context, pli_shape_set *set,
                                  const pli_transform_def *def, const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(context, set, &def->shape, &source));
    pli_placement placement = {.angle = def->angle * radians_per_degree, .scale = def->scale};
    pli_vec3_copy(def->axis, placement.axis);
    pli_vec3_copy(def->translate, placement.translate);
    return pli_shape_transform(set, source, &placement, shape);
}

static pli_status build_shell(pli_context *context, pli_shape_set *set, const pli_shell_def *def,
                              const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(context, set, &def->shape, &source));
    return pli_shape_shell(set, source, def->thickness, shape);
}

static pli_status build_repetition(pli_context *context, pli_shape_set *set,
                                   const pli_repetition_def *def, const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(context, set, &def->shape, &source));
    return pli_shape_repetition(set, source, def->spacing, def->count, shape);
}

static pli_status build_twist(pli_context *context, pli_shape_set *set, const pli_twist_def *def,
                              const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(context, set, &def->shape, &source));
    return pli_shape_twist(set, source, def->rate * radians_per_degree, shape);
}

// The distance to a closed surface from a mesh file, sampled on a grid.
static pli_status build_mesh(pli_context *context, pli_shape_set *set, const pli_file_def *def,
                             const pli_shape **shape)
{
    if (def->mesh == NULL || def->mesh->triangle_count == 0) {
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "%s holds no triangles; a closed surface is needed", def->path);
    }
    pli_triangles surface = {.point_count = def->mesh->point_count,
                             .points = def->mesh->points,
                             .triangle_count = def->mesh->triangle_count,
                             .triangles = def->mesh->triangles};
    return pli_shape_create_from_triangles(set, &surface, def->resolution, shape);
}

static pli_status build_recipe(pli_shape_set *set, const pli_recipe_def *def,
                               const pli_shape **shape)
{
    return pli_recipe_build(set, def->name, def->size, shape);
}

pli_status pli_shape_build(pli_context *context, pli_shape_set *set, const pli_variant *variant,
                           const pli_shape **shape)
{
    *shape = NULL;
    const void *data = variant->data;
    const pli_plane_def *plane = data;
    const pli_box_def *box = data;
    const pli_sphere_def *sphere = data;
    const pli_ellipsoid_def *ellipsoid = data;
    const pli_segment_def *segment = data;
    const pli_struts_def *struts = data;
    const pli_gyroid_def *gyroid = data;
    switch ((pli_shape_kind)variant->kind) {
    case PLI_SHAPE_PLANE: return pli_shape_plane(set, plane->point, plane->normal, shape);
    case PLI_SHAPE_BOX: return pli_shape_box(set, box->center, box->size, box->rounding, shape);
    case PLI_SHAPE_SPHERE: return pli_shape_sphere(set, sphere->center, sphere->radius, shape);
    case PLI_SHAPE_ELLIPSOID:
        return pli_shape_ellipsoid(set, ellipsoid->center, ellipsoid->radii, shape);
    case PLI_SHAPE_CAPSULE:
        return pli_shape_capsule(set, segment->start, segment->end, segment->radius, shape);
    case PLI_SHAPE_CYLINDER:
        return pli_shape_cylinder(set, segment->start, segment->end, segment->radius, shape);
    case PLI_SHAPE_CONE: return build_cone(set, data, shape);
    case PLI_SHAPE_TORUS: return build_torus(set, data, shape);
    case PLI_SHAPE_HEIGHT_FIELD: return build_height_field(set, data, shape);
    case PLI_SHAPE_UNION: return build_combination(context, set, data, pli_shape_union, shape);
    case PLI_SHAPE_INTERSECTION:
        return build_combination(context, set, data, pli_shape_intersection, shape);
    case PLI_SHAPE_DIFFERENCE:
        return build_combination(context, set, data, pli_shape_difference, shape);
    case PLI_SHAPE_SHELL: return build_shell(context, set, data, shape);
    case PLI_SHAPE_TRANSFORM: return build_transform(context, set, data, shape);
    case PLI_SHAPE_REPETITION: return build_repetition(context, set, data, shape);
    case PLI_SHAPE_TWIST: return build_twist(context, set, data, shape);
    case PLI_SHAPE_STRUTS: return pli_shape_struts(set, struts->cell, struts->radius, shape);
    case PLI_SHAPE_GYROID: return pli_shape_gyroid(set, gyroid->cell, gyroid->thickness, shape);
    case PLI_SHAPE_MESH: return build_mesh(context, set, data, shape);
    case PLI_SHAPE_RECIPE: return build_recipe(set, data, shape);
    }
    return PLI_FAIL(context, PLI_ERROR_SCENE, "a shape is missing");
}

static pli_status stuff(pli_context *context, const pli_shape *shape, const pli_shape_body_def *def,
                        pli_tet_mesh **mesh)
{
    // a body weighs what its shape weighs
    pli_stuffing_def wanted = {
        .spacing = def->spacing, .point_count = def->vertices, .matches_volume = true};
    pli_stuffing *stuffing = NULL;
    PLI_TRY(pli_stuffing_create(context, shape, &wanted, &stuffing));
    pli_tet_mesh_def filled = {.vertex_count = stuffing->point_count,
                               .points = stuffing->points,
                               .tet_count = stuffing->tet_count,
                               .tets = stuffing->tets};
    pli_status status = pli_tet_mesh_create(context, &filled, NULL, mesh);
    pli_stuffing_destroy(stuffing);
    return status;
}

pli_status pli_shape_fill(pli_context *context, const pli_shape_body_def *def, pli_tet_mesh **mesh)
{
    *mesh = NULL;
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    PLI_TRY(pli_shape_set_create(context, &set));
    pli_status status = pli_shape_build(context, set, &def->shape, &shape);
    if (status == PLI_OK) status = stuff(context, shape, def, mesh);
    pli_shape_set_destroy(set);
    return status;
}
