// SPDX-License-Identifier: Apache-2.0
#include "sim/report/collider_part.h"

#include "base/memory.h"
#include "base/text.h"
#include "geometry/shapes/contour.h"

#include <string.h>

enum {
    RESOLUTION = 40, // cells along the longest edge: files of every frame hold the surface
    ATTEMPTS = 4     // at finding all of a surface that the shape's bounds do not tell
};

// a shape larger than this many times the bodies is shown around them only
static const double most_of_size = 20;

typedef struct surface {
    const pli_model_collider *collider;
    char *name;           // of the part
    pli_tri_mesh *mesh;   // at the start
    double *points;       // [mesh->vertex_count][3] moved (m); NULL: it stands still
    int32_t first_vertex; // of the model, where the surface is one of barriers; -1: it is not
} surface;

struct pli_collider_parts {
    pli_context *context;
    int32_t count;
    surface *surfaces; // [count]
};

static double diagonal(const pli_bounds *box)
{
    return pli_vec3_distance(box->min, box->max);
}

static void middle_of(const pli_bounds *box, double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = 0.5 * (box->min[k] + box->max[k]);
}

// The plane that all of a surface lies in, if there is one.
static bool find_plane(const pli_tri_mesh *mesh, double normal[3])
{
    if (mesh->triangle_count == 0) return false;
    pli_vec3_set(0, 0, 0, normal);
    for (int64_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t *corner = mesh->triangles + 3 * t;
        double u[3], v[3], n[3];
        const double *a = mesh->points + 3 * (int64_t)corner[0];
        pli_vec3_subtract(mesh->points + 3 * (int64_t)corner[1], a, u);
        pli_vec3_subtract(mesh->points + 3 * (int64_t)corner[2], a, v);
        pli_vec3_cross(u, v, n);
        pli_vec3_add(normal, n, normal);
    }
    pli_vec3_normalize(normal, normal);
    pli_bounds box = pli_tri_mesh_bounds(mesh);
    for (int64_t v = 0; v < mesh->vertex_count; ++v) {
        double offset[3];
        pli_vec3_subtract(mesh->points + 3 * v, mesh->points, offset);
        // rounding of crossings is some 1e-14 of the box
        if (fabs(pli_vec3_dot(offset, normal)) > 1e-9 * diagonal(&box)) return false;
    }
    return true;
}

// A square in a plane through a point, its middle below that of the bodies.
static pli_status make_square(pli_context *context, const double through[3], const double n[3],
                              const pli_bounds *box, pli_tri_mesh **mesh)
{
    static const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    static const double sides[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double middle[3], offset[3], u[3] = {0, 0, 0}, v[3], points[4][3];
    middle_of(box, middle);
    pli_vec3_subtract(middle, through, offset);
    pli_vec3_add_scaled(middle, -pli_vec3_dot(offset, n), n, middle);

    // along the axis of the world that the plane contains best
    int axis = fabs(n[1]) < fabs(n[0]) ? 1 : 0;
    if (fabs(n[2]) < fabs(n[axis])) axis = 2;
    u[axis] = 1;
    pli_vec3_add_scaled(u, -n[axis], n, u);
    pli_vec3_normalize(u, u);
    pli_vec3_cross(n, u, v);
    double half = 0.5 * pli_bounds_longest(box);
    for (int i = 0; i < 4; ++i) {
        pli_vec3_add_scaled(middle, half * sides[i][0], u, points[i]);
        pli_vec3_add_scaled(points[i], half * sides[i][1], v, points[i]);
    }
    return pli_tri_mesh_create(context, 4, points[0], 2, triangles[0], mesh);
}

// Replaces the surface of a half-space by a square.
static pli_status flatten(pli_context *context, const pli_bounds *box, pli_tri_mesh **mesh)
{
    double normal[3];
    if (!find_plane(*mesh, normal)) return PLI_OK;
    pli_tri_mesh *square = NULL;
    PLI_TRY(make_square(context, (*mesh)->points, normal, box, &square));
    pli_tri_mesh_destroy(*mesh);
    *mesh = square;
    return PLI_OK;
}

static pli_status is_whole(const pli_tri_mesh *mesh, bool *whole)
{
    pli_tri_mesh_report report;
    PLI_TRY(pli_tri_mesh_check(mesh, &report));
    *whole = report.is_closed && mesh->triangle_count > 0;
    return PLI_OK;
}

// The surface of a shape that has no bounds of its own: all of it if some larger box holds it, or
// what lies around the bodies.
static pli_status contour_unbounded(pli_context *context, const pli_shape *shape,
                                    const pli_bounds *bodies, pli_tri_mesh **mesh)
{
    // far enough to meet the surface
    double middle[3];
    middle_of(bodies, middle);
    double margin = diagonal(bodies) + fabs(pli_shape_value(shape, middle));
    pli_bounds near = pli_bounds_expand(*bodies, margin);
    PLI_TRY(pli_contour_create(context, shape, &near, RESOLUTION, mesh));
    bool whole = false;
    pli_status status = is_whole(*mesh, &whole);
    for (int attempt = 1; attempt < ATTEMPTS && status == PLI_OK && !whole; ++attempt) {
        pli_tri_mesh *other = NULL;
        pli_bounds box = pli_bounds_expand(*bodies, margin * (1 << attempt));
        status = pli_contour_create(context, shape, &box, RESOLUTION, &other);
        if (status == PLI_OK) status = is_whole(other, &whole);
        if (status == PLI_OK && (whole || (*mesh)->triangle_count == 0)) {
            pli_tri_mesh *swapped = *mesh;
            *mesh = other;
            other = swapped;
        }
        pli_tri_mesh_destroy(other);
    }
    if (status == PLI_OK && !whole) status = flatten(context, &near, mesh);
    return status;
}

static pli_status contour_collider(pli_context *context, const pli_shape *shape,
                                   const pli_bounds *bodies, pli_tri_mesh **mesh)
{
    pli_bounds bounds = pli_shape_bounds(shape);
    if (!pli_bounds_is_finite(&bounds)) return contour_unbounded(context, shape, bodies, mesh);
    double most = most_of_size * diagonal(bodies);
    pli_bounds box = pli_bounds_infinite();
    if (pli_bounds_longest(&bounds) > most) box = pli_bounds_expand(*bodies, 0.5 * most);
    return pli_contour_create(context, shape, &box, RESOLUTION, mesh);
}

static bool is_body(const pli_model *model, const char *name)
{
    for (int32_t i = 0; i < model->body_count; ++i) {
        if (strcmp(model->bodies[i].name, name) == 0) return true;
    }
    return false;
}

// The collider's name; readers of frames tell parts by their names, so a body's is not used again.
static char *part_name(const pli_model *model, const char *name)
{
    if (!is_body(model, name)) return pli_string_copy(model->context, name);
    pli_text text;
    pli_text_init(&text, model->context);
    pli_text_format(&text, "%s (collider)", name);
    char *copy = text.failed ? NULL : pli_string_copy(model->context, text.bytes);
    pli_text_clear(&text);
    return copy;
}

// The surface that barriers see, in the numbering of its vertices.
static pli_status copy_barrier(const pli_model *model, surface *s)
{
    const pli_model_body *body = &model->bodies[s->collider->body];
    int64_t count = 3 * (int64_t)body->triangle_count;
    int32_t *triangles = PLI_NEW(model->context, int32_t, count, "colliders");
    if (triangles == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < count; ++k) {
        triangles[k] = model->triangles[3 * (int64_t)body->first_triangle + k] - body->first_vertex;
    }
    s->first_vertex = body->first_vertex;
    pli_status status = pli_tri_mesh_create(model->context, body->vertex_count,
                                            model->start + 3 * (int64_t)body->first_vertex,
                                            body->triangle_count, triangles, &s->mesh);
    pli_release(model->context, triangles);
    return status;
}

static pli_status surface_init(const pli_model *model, const pli_bounds *bodies, surface *s)
{
    const pli_motion *motion = &s->collider->motion;
    s->name = part_name(model, s->collider->name);
    s->first_vertex = -1;
    if (s->name == NULL) return PLI_ERROR_MEMORY;
    if (s->collider->body >= 0) return copy_barrier(model, s);
    PLI_TRY(contour_collider(model->context, s->collider->shape, bodies, &s->mesh));
    if (motion->segment_count == 0 && motion->keyframe_count == 0) return PLI_OK;
    s->points = PLI_NEW(model->context, double, 3 * (int64_t)s->mesh->vertex_count, "colliders");
    return s->points != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// The box that bodies begin in, or that particles stay in.
static pli_bounds box_of_bodies(const pli_model *model)
{
    int32_t count = pli_model_body_vertices(model);
    if (model->matter == NULL) return pli_bounds_of_points(count, model->start);
    return pli_bounds_of_points(2, model->matter->room[0]);
}

pli_status pli_collider_parts_create(const pli_model *model, pli_collider_parts **parts)
{
    *parts = NULL;
    pli_context *context = model->context;
    pli_collider_parts *made = PLI_NEW(context, pli_collider_parts, 1, "colliders");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->surfaces = PLI_NEW(context, surface, model->collider_count, "colliders");
    pli_status status = made->surfaces != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    pli_bounds bodies = box_of_bodies(model);
    for (int32_t i = 0; i < model->collider_count && status == PLI_OK; ++i) {
        made->surfaces[i].collider = &model->colliders[i];
        ++made->count;
        status = surface_init(model, &bodies, &made->surfaces[i]);
    }
    if (status != PLI_OK) {
        pli_collider_parts_destroy(made);
        return status;
    }
    *parts = made;
    return PLI_OK;
}

void pli_collider_parts_destroy(pli_collider_parts *parts)
{
    if (parts == NULL) return;
    pli_context *context = parts->context;
    for (int32_t i = 0; i < parts->count; ++i) {
        pli_release(context, parts->surfaces[i].points);
        pli_tri_mesh_destroy(parts->surfaces[i].mesh);
        pli_release(context, parts->surfaces[i].name);
    }
    PLI_RELEASE(context, parts->surfaces, parts);
}

// The points of a surface at a time; false when its script has released it.
static bool move_surface(const surface *s, double time, const double *x, const double **points)
{
    if (s->first_vertex >= 0) {
        *points = x + 3 * (int64_t)s->first_vertex;
        return true;
    }
    *points = s->mesh->points;
    if (s->points == NULL) return true;
    pli_pose pose;
    const pli_motion *motion = &s->collider->motion;
    pli_motion_get_pose(motion, time, &pose);
    for (int64_t v = 0; v < s->mesh->vertex_count; ++v) {
        pli_motion_apply(motion, &pose, s->mesh->points + 3 * v, s->points + 3 * v);
    }
    *points = s->points;
    return pose.active;
}

int32_t pli_collider_parts_fill(pli_collider_parts *parts, double time, const double *x,
                                pli_frame_part *target)
{
    int32_t count = 0;
    for (int32_t i = 0; i < parts->count; ++i) {
        const surface *s = &parts->surfaces[i];
        const double *points;
        if (!move_surface(s, time, x, &points)) continue;
        target[count++] = (pli_frame_part){.name = s->name,
                                           .kind = PLI_PART_TRIANGLES,
                                           .point_count = s->mesh->vertex_count,
                                           .points = points,
                                           .cell_count = s->mesh->triangle_count,
                                           .cells = s->mesh->triangles,
                                           .role = PLI_ROLE_COLLIDER,
                                           .is_barrier = s->first_vertex >= 0};
    }
    return count;
}
