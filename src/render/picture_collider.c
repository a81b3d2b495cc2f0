// SPDX-License-Identifier: Apache-2.0
//
// Colliders in pictures: which of them stand around the bodies, and what of those is left out so
// that one can look in. All of it follows from the surface, which faces away from the solid:
//   - a piece with negative volume is the inside of a room, an open one a sheet: sides that turn
//     their back to the camera are left out;
//   - a piece with positive volume is a solid. When its collider surrounds the bodies (a bowl, a
//     box with thick walls), only what faces both the bodies and the camera is drawn.
#include "geometry/collision/bounds.h"
#include "geometry/mesh/union_find.h"
#include "render/picture.h"

static const double pi = 3.14159265358979323846;

// share of all directions from the bodies' middle in which a collider must be met to surround them;
// a plane right below takes half of them
static const double surrounding = 0.55;

static void triangle_corners(const pli_frame_part *part, int64_t triangle, const double *corner[3])
{
    for (int k = 0; k < 3; ++k) {
        corner[k] = part->points + 3 * (int64_t)part->cells[3 * triangle + k];
    }
}

// Normal times twice the area.
static void area_vector(const double *const corner[3], double out[3])
{
    double u[3], v[3];
    pli_vec3_subtract(corner[1], corner[0], u);
    pli_vec3_subtract(corner[2], corner[0], v);
    pli_vec3_cross(u, v, out);
}

static bool is_valid(const pli_frame_part *part, int64_t triangle)
{
    for (int k = 0; k < 3; ++k) {
        int32_t point = part->cells[3 * triangle + k];
        if (point < 0 || point >= part->point_count) return false;
        if (!pli_picture_is_drawable(part->points + 3 * (int64_t)point)) return false;
    }
    return true;
}

// Solid angle under which a triangle is seen from a point, positive when it shows its front (Van
// Oosterom and Strackee 1983).
static double solid_angle(const double *const corner[3], const double from[3])
{
    double r[3][3], length[3], across[3];
    for (int k = 0; k < 3; ++k) {
        pli_vec3_subtract(corner[k], from, r[k]);
        length[k] = pli_vec3_norm(r[k]);
    }
    pli_vec3_cross(r[1], r[2], across);
    double volume = pli_vec3_dot(r[0], across);
    double base = length[0] * length[1] * length[2] + pli_vec3_dot(r[0], r[1]) * length[2] +
                  pli_vec3_dot(r[1], r[2]) * length[0] + pli_vec3_dot(r[2], r[0]) * length[1];
    return -2 * atan2(volume, base);
}

// Share of the directions from a point in which the surface shows its front: a solid that the point
// is inside of shows its back.
static double covered_share(const pli_frame_part *part, const double from[3])
{
    double front = 0;
    for (int64_t t = 0; t < part->cell_count; ++t) {
        const double *corner[3];
        if (!is_valid(part, t)) continue;
        triangle_corners(part, t, corner);
        front += fmax(solid_angle(corner, from), 0);
    }
    return front / (4 * pi);
}

// Whether a surface lies at one height and faces up.
static bool is_level(const pli_picture_def *def, const pli_frame_part *part)
{
    double up[3], area[3] = {0, 0, 0};
    double low = INFINITY, high = -INFINITY, size = 0;
    pli_vec3_normalize(def->camera.up, up);
    for (int64_t t = 0; t < part->cell_count; ++t) {
        const double *corner[3];
        double vector[3];
        if (!is_valid(part, t)) return false;
        triangle_corners(part, t, corner);
        area_vector(corner, vector);
        pli_vec3_add(area, vector, area);
        for (int k = 0; k < 3; ++k) {
            double height = pli_vec3_dot(corner[k], up);
            low = fmin(low, height);
            high = fmax(high, height);
            size = fmax(size, pli_vec3_distance(corner[k], corner[0]));
        }
    }
    return part->cell_count > 0 && high - low <= 1e-6 * size && pli_vec3_dot(area, up) > 0;
}

void pli_picture_collider_survey(const pli_picture_def *def, const pli_frame_part *part,
                                 const double bodies[3], pli_picture_collider *collider)
{
    double up[3];
    pli_vec3_normalize(def->camera.up, up);
    bool level = is_level(def, part);
    double height = level ? pli_vec3_dot(part->points + 3 * (int64_t)part->cells[0], up) : 0;
    // the first frame is known by the extent, which is added to afterwards
    if (collider->extent.empty) {
        collider->is_floor = level;
    } else {
        double size = pli_vec3_distance(collider->extent.low, collider->extent.high);
        bool same = fabs(height - collider->lowest) <= 1e-6 * size;
        collider->is_floor = collider->is_floor && level && same;
    }
    bool known = pli_picture_is_drawable(bodies);
    if (known && !collider->encloses) {
        collider->encloses = covered_share(part, bodies) > surrounding;
    }
}

bool pli_picture_is_ground(const pli_picture_def *def, const pli_picture_collider *collider)
{
    return collider->is_floor && def->ground && def->automatic_ground && def->lit;
}

// A connected piece of surface, found under the number of its root.
typedef struct piece {
    double volume;    // six times, from the origin (m^3)
    double area;      // twice (m^2)
    double vector[3]; // sum of the area vectors; zero when it is closed
} piece;

static void join_points(const pli_frame_part *part, int32_t *parent)
{
    for (int32_t i = 0; i < part->point_count; ++i) parent[i] = i;
    for (int64_t t = 0; t < part->cell_count; ++t) {
        const int32_t *cell = part->cells + 3 * t;
        pli_union_join(parent, cell[0], cell[1]);
        pli_union_join(parent, cell[0], cell[2]);
    }
}

static void measure_pieces(const pli_frame_part *part, int32_t *parent, piece *pieces)
{
    for (int32_t i = 0; i < part->point_count; ++i) pieces[i] = (piece){0};
    for (int64_t t = 0; t < part->cell_count; ++t) {
        const double *corner[3];
        double vector[3], offset[3];
        if (!is_valid(part, t)) continue;
        int32_t root = pli_union_root(parent, part->cells[3 * t]);
        piece *p = &pieces[root];
        triangle_corners(part, t, corner);
        area_vector(corner, vector);
        // measured from a point of the piece, so that pieces far from the origin lose nothing
        pli_vec3_subtract(corner[0], part->points + 3 * (int64_t)root, offset);
        p->volume += pli_vec3_dot(offset, vector);
        p->area += pli_vec3_norm(vector);
        pli_vec3_add(p->vector, vector, p->vector);
    }
}

static bool faces(const double *const corner[3], const double normal[3], const double point[3])
{
    double offset[3];
    pli_vec3_subtract(point, corner[0], offset);
    return pli_vec3_dot(offset, normal) > 0;
}

static pli_picture_group group_of(const pli_picture_stage *stage, bool encloses, const piece *p,
                                  const double *const corner[3])
{
    bool closed = pli_vec3_norm(p->vector) <= 1e-6 * p->area;
    bool solid = closed && p->volume > 0;
    if (solid && !encloses) return PLI_PICTURE_SOLID;
    double normal[3];
    area_vector(corner, normal);
    bool seen = faces(corner, normal, stage->eye);
    if (solid) seen = seen && faces(corner, normal, stage->survey->middle);
    return seen ? PLI_PICTURE_WALL : PLI_PICTURE_LEFT_OUT;
}

pli_status pli_picture_collider_sort(const pli_picture_def *def, const pli_picture_stage *stage,
                                     const pli_frame_part *part, pli_arena *scratch,
                                     uint8_t *groups)
{
    const pli_picture_collider *known = pli_picture_collider_find(stage->survey, part);
    bool shown = def->colliders != PLI_COLLIDERS_HIDE;
    if (known != NULL && pli_picture_is_ground(def, known)) shown = false;
    bool sorted = shown && def->colliders == PLI_COLLIDERS_SHOW;
    for (int64_t t = 0; t < part->cell_count && !sorted; ++t) {
        groups[t] = shown ? PLI_PICTURE_GLASS : PLI_PICTURE_LEFT_OUT;
    }
    if (!sorted) return PLI_OK;

    int32_t *parent = pli_arena_ints(scratch, part->point_count, "collider pieces");
    piece *pieces = pli_arena_take(scratch, part->point_count, sizeof *pieces, "collider pieces");
    if (parent == NULL || pieces == NULL) return PLI_ERROR_MEMORY;
    join_points(part, parent);
    measure_pieces(part, parent, pieces);
    for (int64_t t = 0; t < part->cell_count; ++t) {
        const double *corner[3];
        groups[t] = PLI_PICTURE_LEFT_OUT;
        if (!is_valid(part, t)) continue;
        triangle_corners(part, t, corner);
        const piece *p = &pieces[pli_union_root(parent, part->cells[3 * t])];
        groups[t] = (uint8_t)group_of(stage, known != NULL && known->encloses, p, corner);
    }
    return PLI_OK;
}
