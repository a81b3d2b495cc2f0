// SPDX-License-Identifier: Apache-2.0
#include "sim/body/shape_build.h"

#include "base/memory.h"
#include "geometry/generate/recipe.h"
#include "geometry/generate/stuffing.h"
#include "geometry/mesh/tri_mesh.h"
#include "geometry/shapes/shape.h"
#include "math/mat3.h"
#include "sim/body/body_group.h"
#include "sim/body/body_size.h"
#include "sim/scene/own_shape.h"

typedef pli_status (*combine_fn)(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                 double smooth, const pli_shape **shape);

static pli_status build_combination(pli_shape_set *set, const pli_combination_def *def,
                                    combine_fn combine, const pli_shape **shape)
{
    pli_context *context = pli_shape_set_context(set);
    const pli_shape **parts = PLI_NEW(context, const pli_shape *, def->shape_count, "shapes");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    pli_status status = PLI_OK;
    for (int32_t k = 0; k < def->shape_count && status == PLI_OK; ++k) {
        status = pli_shape_build(set, &def->shapes[k], &parts[k]);
    }
    if (status == PLI_OK) status = combine(set, def->shape_count, parts, def->smooth, shape);
    pli_release(context, parts);
    return status;
}

static pli_status build_cone(pli_shape_set *set, const pli_cone_def *def, const pli_shape **shape)
{
    return pli_shape_cone(set, def->start, def->end, def->start_radius, def->end_radius, shape);
}

static pli_status build_torus(pli_shape_set *set, const pli_torus_def *def, const pli_shape **shape)
{
    return pli_shape_torus(set, def->center, def->axis, def->radius, def->tube_radius, shape);
}

static pli_status build_height_field(pli_shape_set *set, const pli_height_field_def *def,
                                     const pli_shape **shape)
{
    pli_shape_ground ground = {.size = {def->size[0], def->size[1]},
                               .columns = def->columns,
                               .rows = def->rows,
                               .heights = def->heights};
    pli_vec3_copy(def->origin, ground.origin);
    return pli_shape_height_field(set, &ground, shape);
}

static pli_status build_transform(pli_shape_set *set, const pli_transform_def *def,
                                  const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(set, &def->shape, &source));
    pli_shape_placement placement = {.scale = def->scale};
    double axis[3];
    pli_vec3_normalize(def->axis, axis);
    pli_mat3_rotation(axis, def->angle * pli_radians_per_degree, placement.rotation);
    pli_vec3_copy(def->translate, placement.translation);
    return pli_shape_transform(set, source, &placement, shape);
}

static pli_status build_shell(pli_shape_set *set, const pli_shell_def *def, const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(set, &def->shape, &source));
    return pli_shape_shell(set, source, def->thickness, shape);
}

static pli_status build_repetition(pli_shape_set *set, const pli_repetition_def *def,
                                   const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(set, &def->shape, &source));
    return pli_shape_repetition(set, source, def->spacing, def->count, shape);
}

static pli_status build_twist(pli_shape_set *set, const pli_twist_def *def, const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(set, &def->shape, &source));
    return pli_shape_twist(set, source, def->rate * pli_radians_per_degree, shape);
}

static pli_status build_complement(pli_shape_set *set, const pli_complement_def *def,
                                   const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(set, &def->shape, &source));
    return pli_shape_negation(set, source, shape);
}

static pli_shape_interpolation choose_interpolation(int32_t interpolation)
{
    return interpolation == PLI_INTERPOLATE_LINEAR ? PLI_SHAPE_LINEAR : PLI_SHAPE_CUBIC;
}

static pli_status build_sampled(pli_shape_set *set, const pli_sampled_def *def,
                                const pli_shape **shape)
{
    const pli_shape *source = NULL;
    PLI_TRY(pli_shape_build(set, &def->shape, &source));
    return pli_shape_sampled(set, source, def->resolution, choose_interpolation(def->interpolation),
                             shape);
}

// Says what was made of a surface that does not bound a volume.
static pli_status warn_if_open(const char *name, const pli_tri_mesh *mesh)
{
    pli_tri_mesh_report report;
    PLI_TRY(pli_tri_mesh_check(mesh, &report));
    if (report.is_closed && report.is_oriented) return PLI_OK;
    PLI_LOG(mesh->context, PLI_LOG_WARNING,
            "%s: surface is not closed (%d open, %d crowded, %d badly oriented edges): its inside "
            "is guessed by ray casting",
            name, report.open_edges, report.crowded_edges, report.misoriented_edges);
    return PLI_OK;
}

// Puts the name of a mesh file before the message of what failed there.
static pli_status fail_of_file(pli_context *context, const char *name, pli_status status)
{
    if (status == PLI_OK || status == PLI_ERROR_MEMORY) return status;
    char message[1024];
    pli_context_message(context, message, sizeof message);
    return PLI_FAIL(context, status, "%s: %s", name, message);
}

// The distance to a closed surface from a mesh file, sampled on a grid.
static pli_status build_mesh(pli_shape_set *set, const pli_file_def *def, const pli_shape **shape)
{
    pli_context *context = pli_shape_set_context(set);
    const char *name = def->path != NULL && def->path[0] != '\0' ? def->path : "the mesh";
    if (def->mesh == NULL || def->mesh->triangle_count == 0) {
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "%s: holds no triangles; a closed surface is needed", name);
    }
    pli_tri_mesh *mesh = NULL;
    pli_status status = pli_tri_mesh_create(context, def->mesh->point_count, def->mesh->points,
                                            def->mesh->triangle_count, def->mesh->triangles, &mesh);
    if (status == PLI_OK) status = warn_if_open(name, mesh);
    if (status == PLI_OK) {
        status = pli_shape_sampled_mesh(set, mesh, def->resolution,
                                        choose_interpolation(def->interpolation), shape);
    }
    pli_tri_mesh_destroy(mesh);
    return fail_of_file(context, name, status);
}

static pli_status build_recipe(pli_shape_set *set, const pli_recipe_def *def,
                               const pli_shape **shape)
{
    pli_recipe_shapes shapes;
    PLI_TRY(pli_recipe_build(set, def->name, def->size, &shapes));
    *shape = shapes.shape;
    return PLI_OK;
}

pli_status pli_shape_build(pli_shape_set *set, const pli_variant *variant, const pli_shape **shape)
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
    case PLI_SHAPE_UNION: return build_combination(set, data, pli_shape_union, shape);
    case PLI_SHAPE_INTERSECTION: return build_combination(set, data, pli_shape_intersection, shape);
    case PLI_SHAPE_DIFFERENCE: return build_combination(set, data, pli_shape_difference, shape);
    case PLI_SHAPE_SHELL: return build_shell(set, data, shape);
    case PLI_SHAPE_TRANSFORM: return build_transform(set, data, shape);
    case PLI_SHAPE_REPETITION: return build_repetition(set, data, shape);
    case PLI_SHAPE_TWIST: return build_twist(set, data, shape);
    case PLI_SHAPE_STRUTS: return pli_shape_struts(set, struts->cell, struts->radius, shape);
    case PLI_SHAPE_GYROID: return pli_shape_gyroid(set, gyroid->cell, gyroid->thickness, shape);
    case PLI_SHAPE_MESH: return build_mesh(set, data, shape);
    case PLI_SHAPE_RECIPE: return build_recipe(set, data, shape);
    case PLI_SHAPE_COMPLEMENT: return build_complement(set, data, shape);
    case PLI_SHAPE_SAMPLED: return build_sampled(set, data, shape);
    case PLI_SHAPE_OWN: return pli_own_shape_build(set, data, shape);
    }
    return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_SCENE, "a shape is missing");
}

// Tags the elements of a filled recipe by the first region that contains their centroid.
static pli_status tag_regions(pli_shape_set *set, const pli_recipe_def *def, pli_tet_mesh *mesh)
{
    int32_t region_count = pli_recipe_find(def->name)->region_count;
    pli_recipe_shapes shapes;
    if (region_count == 0) return PLI_OK;
    PLI_TRY(pli_recipe_build(set, def->name, def->size, &shapes));
    PLI_TRY(PLI_MAKE(mesh->context, mesh->tet_group, mesh->tet_count, "element groups"));
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        double centroid[3];
        pli_tet_centroid(mesh->points, mesh->tets + 4 * (int64_t)t, centroid);
        int32_t k = 0;
        while (k < region_count && !(pli_shape_value(shapes.regions[k], centroid) < 0)) ++k;
        mesh->tet_group[t] = k < region_count ? k : PLI_GROUP_REST;
    }
    return PLI_OK;
}

// Refuses a spacing that makes more vertices than there is memory for. Shapes that cannot be filled
// are left to what fills them.
static pli_status check_lattice(pli_context *context, const pli_shape *shape, double spacing)
{
    enum { RESOLUTION = 48 }; // some per cent of the volume
    pli_bounds bounds = pli_shape_bounds(shape);
    double volume = 0;
    if (!pli_bounds_is_finite(&bounds) || pli_bounds_is_empty(&bounds)) return PLI_OK;
    PLI_TRY(pli_shape_volume(context, shape, RESOLUTION, &volume));
    return pli_body_check_lattice(context, volume, spacing);
}

pli_status pli_shape_fill(pli_context *context, const pli_fill_def *def, pli_tet_mesh **mesh)
{
    *mesh = NULL;
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    PLI_TRY(pli_shape_set_create(context, &set));
    pli_status status = pli_shape_build(set, &def->shape, &shape);
    if (status == PLI_OK && def->spacing > 0) status = check_lattice(context, shape, def->spacing);
    if (status == PLI_OK) {
        pli_stuffing_def stuffing = {.vertex_count = def->spacing > 0 ? 0 : def->vertices,
                                     .spacing = def->spacing};
        status = pli_stuffing_create(context, shape, &stuffing, NULL, mesh);
    }
    if (status == PLI_OK && def->shape.kind == PLI_SHAPE_RECIPE) {
        status = tag_regions(set, def->shape.data, *mesh);
    }
    if (status != PLI_OK) {
        pli_tet_mesh_destroy(*mesh);
        *mesh = NULL;
    }
    pli_shape_set_destroy(set);
    return status;
}
