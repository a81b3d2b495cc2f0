// SPDX-License-Identifier: Apache-2.0
#include "render/picture_view.h"

#include "math/vec3.h"

// ground farther away than this many sizes of the scene belongs to the background
static const double ground_extent = 2.4;

static void load_floats(const float from[3], double to[3])
{
    pli_vec3_set(from[0], from[1], from[2], to);
}

// turns a normal towards the camera
static void face_camera(const double direction[3], double normal[3])
{
    if (pli_vec3_dot(normal, direction) > 0) pli_vec3_scale(-1, normal, normal);
}

// A smooth normal may lean behind a triangle's rim: bend it back until it is seen edge-on.
static void bend_to_camera(const double direction[3], double normal[3])
{
    double away = pli_vec3_dot(normal, direction);
    if (away <= 0) return;
    pli_vec3_add_scaled(normal, -away, direction, normal);
    pli_vec3_normalize(normal, normal);
}

// Corners of a triangle, with normals on the side that is seen.
typedef struct corners {
    double point[3][3];  // m
    double normal[3][3]; // smooth, unit
    double face[3];      // normal of the flat triangle, unit
} corners;

static void load_corners(const pli_picture_mesh *mesh, const pli_picture_hit *hit, corners *c)
{
    for (int k = 0; k < 3; ++k) {
        int64_t item = 3 * (int64_t)hit->primitive + k;
        load_floats(mesh->vertices + 3 * (int64_t)mesh->triangles[item], c->point[k]);
        load_floats(mesh->normals + 3 * item, c->normal[k]);
    }
    double edge[2][3];
    pli_vec3_subtract(c->point[1], c->point[0], edge[0]);
    pli_vec3_subtract(c->point[2], c->point[0], edge[1]);
    pli_vec3_cross(edge[0], edge[1], c->face);
    pli_vec3_normalize(c->face, c->face);

    if (pli_vec3_dot(c->face, hit->direction) <= 0) return;
    pli_vec3_scale(-1, c->face, c->face);
    for (int k = 0; k < 3; ++k) pli_vec3_scale(-1, c->normal[k], c->normal[k]);
}

// Where rays from a triangle start. A smooth surface bulges out of its flat triangles, so rays from
// the flat one would be stopped by neighbours near the terminator: the point is lifted to the
// tangent planes of the corners, interpolated (Hanika 2021).
static void lift_off_triangle(const pli_picture_view *view, const corners *c, pli_picture_hit *hit)
{
    double lifted[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        double offset[3];
        double on_plane[3];
        pli_vec3_subtract(hit->point, c->point[k], offset);
        double below = fmin(pli_vec3_dot(offset, c->normal[k]), 0);
        pli_vec3_add_scaled(hit->point, -below, c->normal[k], on_plane);
        pli_vec3_add_scaled(lifted, hit->weight[k], on_plane, lifted);
    }
    pli_vec3_add_scaled(lifted, view->lift, c->face, hit->ray_origin);
}

static void fill_triangle(const pli_picture_view *view, double u, double v, pli_picture_hit *hit)
{
    corners c;
    load_corners(&view->mesh, hit, &c);
    pli_vec3_set(1 - u - v, u, v, hit->weight);
    pli_vec3_set(0, 0, 0, hit->point);
    pli_vec3_set(0, 0, 0, hit->normal);
    for (int k = 0; k < 3; ++k) {
        pli_vec3_add_scaled(hit->point, hit->weight[k], c.point[k], hit->point);
        pli_vec3_add_scaled(hit->normal, hit->weight[k], c.normal[k], hit->normal);
    }
    if (pli_vec3_normalize(hit->normal, hit->normal) == 0) pli_vec3_copy(c.face, hit->normal);
    bend_to_camera(hit->direction, hit->normal);
    lift_off_triangle(view, &c, hit);
}

static void fill_sphere(const pli_picture_view *view, pli_picture_hit *hit)
{
    const float *sphere = view->mesh.spheres + 4 * (int64_t)hit->primitive;
    double centre[3];
    load_floats(sphere, centre);
    pli_vec3_add_scaled(view->camera.position, hit->distance, hit->direction, hit->point);
    pli_vec3_subtract(hit->point, centre, hit->normal);
    pli_vec3_normalize(hit->normal, hit->normal);
    face_camera(hit->direction, hit->normal);
    pli_vec3_add_scaled(hit->point, view->lift, hit->normal, hit->ray_origin);
}

// the ground is a plane seen from above only, as far as it is drawn
static void meet_ground(const pli_picture_view *view, pli_picture_hit *hit)
{
    double slope = pli_vec3_dot(hit->direction, view->up);
    double height = pli_vec3_dot(view->camera.position, view->up) - view->ground;
    if (!view->has_ground || !(slope < 0) || !(height > 0)) return;
    double distance = -height / slope;
    if (hit->kind != PLI_PICTURE_NOTHING && distance >= hit->distance) return;

    double point[3];
    pli_vec3_add_scaled(view->camera.position, distance, hit->direction, point);
    if (!(pli_vec3_distance(point, view->middle) < ground_extent * view->size)) return;
    hit->kind = PLI_PICTURE_GROUND;
    hit->distance = distance;
    pli_vec3_copy(point, hit->point);
    pli_vec3_copy(view->up, hit->normal);
    pli_vec3_add_scaled(point, view->lift, view->up, hit->ray_origin);
}

// rays of a packet as Embree takes them, up to a distance
static void load_packet(const pli_picture_view *view, const pli_picture_hit hits[PLI_PICTURE_LANES],
                        const double reach[PLI_PICTURE_LANES], struct RTCRayHit8 *packet)
{
    const double *o = view->camera.position;
    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        const double *direction = hits[lane].direction;
        packet->ray.org_x[lane] = (float)o[0];
        packet->ray.org_y[lane] = (float)o[1];
        packet->ray.org_z[lane] = (float)o[2];
        packet->ray.dir_x[lane] = (float)direction[0];
        packet->ray.dir_y[lane] = (float)direction[1];
        packet->ray.dir_z[lane] = (float)direction[2];
        packet->ray.tnear[lane] = 0;
        packet->ray.tfar[lane] = (float)reach[lane];
        packet->ray.time[lane] = 0;
        packet->ray.mask[lane] = UINT32_MAX;
        packet->ray.id[lane] = 0;
        packet->ray.flags[lane] = 0;
        packet->hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
        packet->hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
    }
}

static void trace_packet(const pli_picture_view *view, RTCScene scene, int32_t column, int32_t row,
                         int valid[PLI_PICTURE_LANES], struct RTCRayHit8 *packet)
{
    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        bool inside = column + lane < view->def->width && row < view->def->height;
        valid[lane] = inside ? -1 : 0;
    }
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(valid, scene, &context, packet);
}

void pli_picture_cast(const pli_picture_view *view, int32_t column, int32_t row,
                      const double offset[2], pli_picture_hit hits[PLI_PICTURE_LANES])
{
    struct RTCRayHit8 packet;
    double reach[PLI_PICTURE_LANES];
    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        hits[lane].kind = PLI_PICTURE_NOTHING;
        pli_picture_camera_ray(&view->camera, column + lane + offset[0], row + offset[1],
                               hits[lane].direction);
        reach[lane] = INFINITY;
    }
    load_packet(view, hits, reach, &packet);
    _Alignas(32) int valid[PLI_PICTURE_LANES];
    trace_packet(view, view->scene, column, row, valid, &packet);

    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        if (valid[lane] == 0) continue;
        pli_picture_hit *hit = &hits[lane];
        bool met = packet.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID;
        // the geometries are attached under the number of their kind
        if (met) hit->kind = (pli_picture_kind)packet.hit.geomID[lane];
        hit->primitive = packet.hit.primID[lane];
        if (hit->kind == PLI_PICTURE_WALL_TRIANGLE) {
            hit->kind = PLI_PICTURE_TRIANGLE;
            hit->primitive += (uint32_t)view->mesh.group_end[PLI_PICTURE_SOLID];
        }
        hit->distance = packet.ray.tfar[lane];
        meet_ground(view, hit);
        if (hit->kind == PLI_PICTURE_TRIANGLE) {
            fill_triangle(view, packet.hit.u[lane], packet.hit.v[lane], hit);
        } else if (hit->kind == PLI_PICTURE_SPHERE) {
            fill_sphere(view, hit);
        }
    }
}

void pli_picture_cast_glass(const pli_picture_view *view, int32_t column, int32_t row,
                            const pli_picture_hit hits[PLI_PICTURE_LANES],
                            pli_picture_hit glass[PLI_PICTURE_LANES])
{
    struct RTCRayHit8 packet;
    double reach[PLI_PICTURE_LANES];
    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        bool met = hits[lane].kind != PLI_PICTURE_NOTHING;
        reach[lane] = met ? hits[lane].distance : INFINITY;
        glass[lane].kind = PLI_PICTURE_NOTHING;
        pli_vec3_copy(hits[lane].direction, glass[lane].direction);
    }
    load_packet(view, hits, reach, &packet);
    _Alignas(32) int valid[PLI_PICTURE_LANES];
    trace_packet(view, view->glass, column, row, valid, &packet);
    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        pli_picture_hit *hit = &glass[lane];
        if (valid[lane] == 0 || packet.hit.geomID[lane] == RTC_INVALID_GEOMETRY_ID) continue;
        hit->kind = PLI_PICTURE_TRIANGLE;
        hit->primitive = packet.hit.primID[lane] + (uint32_t)view->mesh.group_end[PLI_PICTURE_WALL];
        hit->distance = packet.ray.tfar[lane];
        fill_triangle(view, packet.hit.u[lane], packet.hit.v[lane], hit);
    }
}
