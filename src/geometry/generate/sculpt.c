// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/sculpt.h"

#include "math/mat3.h"

void pli_sculpt_init(pli_sculpt *sculpt, pli_shape_set *set)
{
    sculpt->set = set;
    sculpt->status = PLI_OK;
    sculpt->count = 0;
}

void pli_sculpt_push(pli_sculpt *sculpt, pli_status status, const pli_shape *shape)
{
    if (sculpt->status != PLI_OK) return;
    if (status == PLI_OK && sculpt->count == PLI_SHAPE_CHILDREN) {
        status = PLI_FAIL(pli_shape_set_context(sculpt->set), PLI_ERROR_ARGUMENT,
                          "a recipe has more than %d parts", PLI_SHAPE_CHILDREN);
    }
    sculpt->status = status;
    if (status == PLI_OK) sculpt->pile[sculpt->count++] = shape;
}

// R = Rz Ry Rx
static void rotation_of(const double angles[3], double R[9])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    pli_mat3_identity(R);
    for (int k = 0; k < 3; ++k) {
        double turn[9], product[9];
        pli_mat3_rotation(axes[k], angles[k] * 0.017453292519943295, turn);
        pli_mat3_multiply(turn, R, product);
        pli_mat3_copy(product, R);
    }
}

void pli_sculpt_place(pli_sculpt *sculpt, const double angles[3], const double at[3])
{
    if (sculpt->status != PLI_OK) return;
    pli_shape_placement placement = {.scale = 1};
    const pli_shape *moved = NULL;
    rotation_of(angles, placement.rotation);
    pli_vec3_copy(at, placement.translation);
    const pli_shape **top = &sculpt->pile[sculpt->count - 1];
    sculpt->status = pli_shape_transform(sculpt->set, *top, &placement, &moved);
    if (sculpt->status == PLI_OK) *top = moved;
}

void pli_sculpt_ball(pli_sculpt *sculpt, const double center[3], double radius)
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_sphere(sculpt->set, center, radius, &shape);
    pli_sculpt_push(sculpt, status, shape);
}

void pli_sculpt_limb(pli_sculpt *sculpt, const double start[3], const double end[3],
                     double start_radius, double end_radius)
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status =
        pli_shape_round_cone(sculpt->set, start, end, start_radius, end_radius, &shape);
    pli_sculpt_push(sculpt, status, shape);
}

void pli_sculpt_plane(pli_sculpt *sculpt, const double point[3], const double normal[3])
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_plane(sculpt->set, point, normal, &shape);
    pli_sculpt_push(sculpt, status, shape);
}

// An egg or a brick in the origin, then turned and moved.
static void push_placed(pli_sculpt *sculpt, const pli_part *part)
{
    static const double origin[3] = {0, 0, 0};
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    double thinnest = fmin(part->size[0], fmin(part->size[1], part->size[2]));
    pli_status status =
        part->kind == PLI_PART_EGG
            ? pli_shape_ellipsoid(sculpt->set, origin, part->size, &shape)
            : pli_shape_box(sculpt->set, origin, part->size, 0.2 * thinnest, &shape);
    pli_sculpt_push(sculpt, status, shape);
    pli_sculpt_place(sculpt, part->to, part->at);
}

static void push_part(pli_sculpt *sculpt, const pli_part *part)
{
    if (part->kind == PLI_PART_LIMB) {
        pli_sculpt_limb(sculpt, part->at, part->to, part->size[0], part->size[1]);
    } else {
        push_placed(sculpt, part);
    }
}

// The part on the other side: positions change x, turns about y and z change their sense.
static pli_part mirror_part(const pli_part *part)
{
    pli_part other = *part;
    other.at[0] = -other.at[0];
    if (part->kind == PLI_PART_LIMB) {
        other.to[0] = -other.to[0];
    } else {
        other.to[1] = -other.to[1];
        other.to[2] = -other.to[2];
    }
    return other;
}

void pli_sculpt_parts(pli_sculpt *sculpt, int32_t count, const pli_part *parts)
{
    for (int32_t i = 0; i < count; ++i) {
        push_part(sculpt, &parts[i]);
        if (!parts[i].mirrored) continue;
        pli_part other = mirror_part(&parts[i]);
        push_part(sculpt, &other);
    }
}

void pli_sculpt_curve(int32_t count, const double *points, double t, double out[4])
{
    int32_t i = (int32_t)fmin(fmax(floor(t), 0), count - 2);
    double u = t - i;
    double u2 = u * u;
    double u3 = u2 * u;
    const double w[4] = {0.5 * (-u3 + 2 * u2 - u), 0.5 * (3 * u3 - 5 * u2 + 2),
                         0.5 * (-3 * u3 + 4 * u2 + u), 0.5 * (u3 - u2)};
    for (int k = 0; k < 4; ++k) {
        double here = points[4 * i + k];
        double next = points[4 * (i + 1) + k];
        // the ends continue straight
        double before = i > 0 ? points[4 * (i - 1) + k] : 2 * here - next;
        double after = i + 2 < count ? points[4 * (i + 2) + k] : 2 * next - here;
        out[k] = w[0] * before + w[1] * here + w[2] * next + w[3] * after;
    }
}

void pli_sculpt_sweep(pli_sculpt *sculpt, int32_t count, const double *points, int32_t steps)
{
    double from[4], to[4];
    pli_sculpt_curve(count, points, 0, from);
    for (int32_t s = 1; s <= (count - 1) * steps; ++s) {
        pli_sculpt_curve(count, points, (double)s / steps, to);
        pli_sculpt_limb(sculpt, from, to, from[3], to[3]);
        for (int k = 0; k < 4; ++k) from[k] = to[k];
    }
}

void pli_sculpt_round(pli_sculpt *sculpt, double radius)
{
    if (sculpt->status != PLI_OK) return;
    const pli_shape *rounded = NULL;
    const pli_shape **top = &sculpt->pile[sculpt->count - 1];
    sculpt->status = pli_shape_offset(sculpt->set, *top, radius, &rounded);
    if (sculpt->status == PLI_OK) *top = rounded;
}

typedef pli_status (*combine_fn)(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                 double smooth, const pli_shape **shape);

static void combine(pli_sculpt *sculpt, combine_fn function, int32_t mark, double smooth)
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status =
        function(sculpt->set, sculpt->count - mark, sculpt->pile + mark, smooth, &shape);
    sculpt->count = mark;
    pli_sculpt_push(sculpt, status, shape);
}

void pli_sculpt_blend(pli_sculpt *sculpt, int32_t mark, double smooth)
{
    combine(sculpt, pli_shape_union, mark, smooth);
}

void pli_sculpt_cut(pli_sculpt *sculpt, int32_t mark, double smooth)
{
    combine(sculpt, pli_shape_difference, mark, smooth);
}

void pli_sculpt_common(pli_sculpt *sculpt, int32_t mark, double smooth)
{
    combine(sculpt, pli_shape_intersection, mark, smooth);
}

pli_status pli_sculpt_finish(pli_sculpt *sculpt, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(sculpt->status);
    *shape = sculpt->pile[sculpt->count - 1];
    sculpt->count = 0;
    return PLI_OK;
}
