// SPDX-License-Identifier: Apache-2.0
#include "sim/model/collider_surface.h"

#include "base/memory.h"
#include "geometry/shapes/contour.h"
#include "math/mat3.h"
#include "sim/body/shape_build.h"

#include <math.h>

// cells along the longest side of a surface where the scene leaves them to us
enum { FEWEST_CELLS = 24, MOST_CELLS = 64, CELLS_WITHOUT_BODIES = 32 };

// ---- what shapes barriers take

const pli_variant *pli_collider_peel(const pli_collider_def *collider, bool *inside_out)
{
    const pli_variant *shape = &collider->shape;
    *inside_out = collider->inside_out;
    while (shape->kind == PLI_SHAPE_COMPLEMENT) {
        shape = &((const pli_complement_def *)shape->data)->shape;
        *inside_out = !*inside_out;
    }
    return shape;
}

bool pli_collider_is_plane(const pli_collider_def *collider)
{
    bool inside_out;
    return pli_collider_peel(collider, &inside_out)->kind == PLI_SHAPE_PLANE;
}

static bool has_end(const pli_variant *shape);

// A union ends if all of its parts do, an intersection if one of them does.
static bool has_combination_end(const pli_combination_def *def, bool needs_all)
{
    for (int32_t k = 0; k < def->shape_count; ++k) {
        if (has_end(&def->shapes[k]) != needs_all) return !needs_all;
    }
    return needs_all;
}

// Whether a shape has an end in all directions; of shapes of one's own nobody knows.
static bool has_end(const pli_variant *shape)
{
    switch ((pli_shape_kind)shape->kind) {
    case PLI_SHAPE_PLANE:
    case PLI_SHAPE_HEIGHT_FIELD:
    case PLI_SHAPE_STRUTS:
    case PLI_SHAPE_GYROID:
    case PLI_SHAPE_OWN:
    case PLI_SHAPE_COMPLEMENT: return false;
    case PLI_SHAPE_UNION: return has_combination_end(shape->data, true);
    case PLI_SHAPE_INTERSECTION: return has_combination_end(shape->data, false);
    case PLI_SHAPE_DIFFERENCE: return has_end(((const pli_combination_def *)shape->data)->shapes);
    case PLI_SHAPE_SHELL: return has_end(&((const pli_shell_def *)shape->data)->shape);
    case PLI_SHAPE_TRANSFORM: return has_end(&((const pli_transform_def *)shape->data)->shape);
    case PLI_SHAPE_REPETITION: return has_end(&((const pli_repetition_def *)shape->data)->shape);
    case PLI_SHAPE_TWIST: return has_end(&((const pli_twist_def *)shape->data)->shape);
    case PLI_SHAPE_BOX:
    case PLI_SHAPE_SPHERE:
    case PLI_SHAPE_ELLIPSOID:
    case PLI_SHAPE_CAPSULE:
    case PLI_SHAPE_CYLINDER:
    case PLI_SHAPE_CONE:
    case PLI_SHAPE_TORUS:
    case PLI_SHAPE_MESH:
    case PLI_SHAPE_RECIPE:
    case PLI_SHAPE_SAMPLED: break;
    }
    return true;
}

const pli_collider_lack *pli_collider_find_lack(const pli_collider_def *collider)
{
    static const pli_collider_lack moving_plane = {
        "a plane that moves", "make it a box, or give the collider method: penalty", true};
    static const pli_collider_lack endless = {
        "a shape without end", "intersect it with a box, or give the collider method: penalty",
        false};
    static const pli_collider_lack released = {
        "after: release, which would take it out of the way of bodies that touch it",
        "use after: hold", true};
    const pli_motion_def *motion = &collider->motion;
    bool moves = motion->segment_count > 0 || motion->keyframe_count > 0;
    bool inside_out;
    if (moves && motion->after == PLI_MOTION_RELEASE) return &released;
    if (pli_collider_is_plane(collider)) return moves ? &moving_plane : NULL;
    return has_end(pli_collider_peel(collider, &inside_out)) ? NULL : &endless;
}

// ---- shapes that have triangles of their own

// x = A y + offset, similar: A turns and scales.
typedef struct placement {
    double A[9];
    double offset[3];
    double scale;
} placement;

// Follows transforms down to what they place.
static const pli_variant *unplace(const pli_variant *shape, placement *place)
{
    *place = (placement){.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .scale = 1};
    while (shape->kind == PLI_SHAPE_TRANSFORM) {
        const pli_transform_def *def = shape->data;
        double axis[3], R[9], moved[3];
        pli_mat3_apply(place->A, def->translate, moved);
        pli_vec3_add(place->offset, moved, place->offset);
        pli_vec3_normalize(def->axis, axis);
        pli_mat3_rotation(axis, def->angle * pli_radians_per_degree, R);
        for (int k = 0; k < 9; ++k) R[k] *= def->scale;
        double before[9];
        pli_mat3_copy(place->A, before);
        pli_mat3_multiply(before, R, place->A);
        place->scale *= def->scale;
        shape = &def->shape;
    }
    return shape;
}

static void put_points(const placement *place, int32_t count, double *points)
{
    for (int64_t k = 0; k < count; ++k) {
        double moved[3];
        pli_mat3_apply(place->A, points + 3 * k, moved);
        pli_vec3_add(moved, place->offset, points + 3 * k);
    }
}

// Twelve triangles, outwards.
static pli_status create_box(pli_context *context, const pli_box_def *def, double shrink,
                             const placement *place, pli_tri_mesh **mesh)
{
    // corner k has bits x, y and z
    static const int32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                             {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                             {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    double points[8][3];
    for (int axis = 0; axis < 3; ++axis) {
        double half = 0.5 * def->size[axis] - shrink;
        if (!(half > 0)) {
            return PLI_FAIL(context, PLI_ERROR_SCENE,
                            "the margin leaves no room in this box, which is %g m wide",
                            def->size[axis] * place->scale);
        }
        for (int k = 0; k < 8; ++k) {
            points[k][axis] = def->center[axis] + (k >> axis & 1 ? half : -half);
        }
    }
    put_points(place, 8, points[0]);
    return pli_tri_mesh_create(context, 8, points[0], 12, triangles[0], mesh);
}

static pli_status create_file(pli_context *context, const pli_file_def *def, const placement *place,
                              pli_tri_mesh **mesh)
{
    const pli_mesh_data *data = def->mesh;
    PLI_TRY(pli_tri_mesh_create(context, data->point_count, data->points, data->triangle_count,
                                data->triangles, mesh));
    put_points(place, (*mesh)->vertex_count, (*mesh)->points);
    return PLI_OK;
}

// ---- all others

static pli_status choose_cells(pli_context *context, const pli_collider_def *def, double longest,
                               double edge, int32_t *cells)
{
    double wanted = ceil(longest / (def->spacing > 0 ? def->spacing : edge));
    *cells = CELLS_WITHOUT_BODIES;
    if (!(def->spacing > 0)) {
        if (edge > 0) *cells = (int32_t)fmin(fmax(wanted, FEWEST_CELLS), MOST_CELLS);
        return PLI_OK;
    }
    if (wanted > PLI_CONTOUR_RESOLUTION) {
        return PLI_FAIL(
            context, PLI_ERROR_SCENE,
            "a spacing of %g m cuts %g m into more than %d cells; write at least %.2g m",
            def->spacing, longest, PLI_CONTOUR_RESOLUTION, longest / PLI_CONTOUR_RESOLUTION);
    }
    *cells = (int32_t)fmax(wanted, 1);
    return PLI_OK;
}

// Parts that are lost or torn leave holes, or nothing, or less than there was.
static pli_status check_surface(pli_context *context, const pli_shape *shape, int32_t cells,
                                double spacing, const pli_tri_mesh *mesh)
{
    static const double most_lost = 0.1; // of the volume; a ball of five cells loses half of that
    enum { FINER = 4, FINEST = 256 };
    pli_tri_mesh_report report;
    double volume = 0;
    int32_t resolution = FINER * cells < FINEST ? FINER * cells : FINEST;
    PLI_TRY(pli_tri_mesh_check(mesh, &report));
    PLI_TRY(pli_shape_volume(context, shape, resolution, &volume));
    bool closed = mesh->triangle_count > 0 && report.is_closed;
    if (closed && fabs(report.volume - volume) <= most_lost * volume) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_SCENE,
                    "triangles of %.3g m do not enclose this shape, because parts of it are "
                    "thinner than that; write a smaller spacing",
                    spacing);
}

static pli_status contour(pli_context *context, const pli_collider_def *def, const pli_shape *shape,
                          double edge, pli_tri_mesh **mesh)
{
    pli_bounds bounds = pli_shape_bounds(shape);
    if (!pli_bounds_is_finite(&bounds)) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "found a shape without end, which barriers do not take; intersect it with "
                        "a box, or give the collider method: penalty");
    }
    int32_t cells = 0;
    double longest = pli_bounds_longest(&bounds);
    pli_bounds everywhere = pli_bounds_infinite();
    PLI_TRY(choose_cells(context, def, longest, edge, &cells));
    PLI_TRY(pli_contour_create(context, shape, &everywhere, cells, mesh));
    pli_status status = check_surface(context, shape, cells, longest / cells, *mesh);
    if (status == PLI_OK) return PLI_OK;
    pli_tri_mesh_destroy(*mesh);
    *mesh = NULL;
    return status;
}

static pli_status contour_shape(pli_context *context, const pli_collider_def *def, double edge,
                                pli_tri_mesh **mesh)
{
    bool inside_out;
    const pli_variant *variant = pli_collider_peel(def, &inside_out);
    const pli_shape *shape = NULL;
    pli_shape_set *set = NULL;
    PLI_TRY(pli_shape_set_create(context, &set));
    pli_status status = pli_shape_build(set, variant, &shape);
    if (status == PLI_OK && def->margin > 0) {
        status = pli_shape_offset(set, shape, inside_out ? -def->margin : def->margin, &shape);
    }
    if (status == PLI_OK) status = contour(context, def, shape, edge, mesh);
    pli_shape_set_destroy(set);
    return status;
}

// The surface of what is below the complements, outwards.
static pli_status create_outwards(pli_context *context, const pli_collider_def *collider,
                                  double edge, pli_tri_mesh **mesh)
{
    bool inside_out;
    placement place;
    const pli_variant *shape = unplace(pli_collider_peel(collider, &inside_out), &place);
    if (shape->kind == PLI_SHAPE_BOX) {
        const pli_box_def *box = shape->data;
        bool sharp = box->rounding == 0 && (inside_out || collider->margin == 0);
        if (sharp) return create_box(context, box, collider->margin / place.scale, &place, mesh);
    }
    const pli_file_def *file = shape->kind == PLI_SHAPE_MESH ? shape->data : NULL;
    if (file != NULL && file->mesh != NULL && collider->margin == 0) {
        return create_file(context, file, &place, mesh);
    }
    return contour_shape(context, collider, edge, mesh);
}

pli_status pli_collider_surface_create(pli_context *context, const pli_collider_def *collider,
                                       double edge, pli_tri_mesh **mesh)
{
    *mesh = NULL;
    PLI_TRY(create_outwards(context, collider, edge, mesh));
    bool inside_out;
    (void)pli_collider_peel(collider, &inside_out);
    for (int64_t k = 0; k < (*mesh)->triangle_count && inside_out; ++k) {
        int32_t *corners = (*mesh)->triangles + 3 * k;
        int32_t second = corners[1];
        corners[1] = corners[2];
        corners[2] = second;
    }
    return PLI_OK;
}
