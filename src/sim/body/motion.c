// SPDX-License-Identifier: Apache-2.0
#include "sim/body/motion.h"

#include "base/memory.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

static void *copy_array(pli_context *context, const void *from, int32_t count, size_t size)
{
    void *copy = pli_allocate(context, count, size, "motion script");
    if (copy != NULL && count > 0) memcpy(copy, from, (size_t)count * size);
    return copy;
}

static double script_end(const pli_motion *motion)
{
    double end = 0;
    for (int32_t k = 0; k < motion->segment_count; ++k) end += motion->segments[k].duration;
    if (motion->keyframe_count > 0) end = motion->keyframes[motion->keyframe_count - 1].time;
    return end;
}

pli_status pli_motion_init(pli_context *context, const pli_motion_def *def,
                           const double centroid[3], pli_motion *motion)
{
    *motion = (pli_motion){.segment_count = def->segment_count,
                           .keyframe_count = def->keyframe_count,
                           .ease = (pli_motion_ease)def->ease,
                           .after = (pli_motion_after)def->after};
    pli_vec3_copy(def->center_count == 3 ? def->center : centroid, motion->center);
    motion->segments =
        copy_array(context, def->segments, def->segment_count, sizeof *motion->segments);
    motion->keyframes =
        copy_array(context, def->keyframes, def->keyframe_count, sizeof *motion->keyframes);
    if (motion->segments == NULL || motion->keyframes == NULL) {
        pli_motion_clear(context, motion);
        return PLI_ERROR_MEMORY;
    }
    motion->end = script_end(motion);
    return PLI_OK;
}

void pli_motion_clear(pli_context *context, pli_motion *motion)
{
    PLI_RELEASE(context, motion->segments, motion->keyframes);
    *motion = (pli_motion){0};
}

bool pli_motion_moves(const pli_motion *motion)
{
    return motion->segment_count > 0 || motion->keyframe_count > 0;
}

static void rotation_by(const double axis[3], double degrees, double R[9])
{
    double unit[3];
    pli_vec3_normalize(axis, unit);
    pli_mat3_rotation(unit, degrees * pli_radians_per_degree, R);
}

// A = R diag(scale)
static void scale_columns(const double R[9], const double scale[3], double A[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) A[3 * i + j] = R[3 * i + j] * scale[j];
    }
}

static void pose_of_segments(const pli_motion *motion, double time, pli_pose *pose)
{
    double R[9];
    double scale[3] = {1, 1, 1};
    pli_mat3_identity(R);
    for (int32_t k = 0; k < motion->segment_count && time > 0; ++k) {
        const pli_motion_segment_def *segment = &motion->segments[k];
        double spent = fmin(time, segment->duration);
        time -= spent;
        pli_vec3_add_scaled(pose->offset, spent, segment->velocity, pose->offset);
        pli_vec3_add_scaled(scale, spent, segment->stretch, scale);
        double turn[9];
        double turned[9];
        rotation_by(segment->axis, segment->spin * spent, turn);
        pli_mat3_multiply(turn, R, turned);
        pli_mat3_copy(turned, R);
    }
    scale_columns(R, scale, pose->A);
}

// unit quaternion (w, x, y, z) of a keyframe's rotation
static void keyframe_quaternion(const pli_keyframe_def *key, double q[4])
{
    double unit[3];
    pli_vec3_normalize(key->axis, unit);
    double half = 0.5 * key->angle * pli_radians_per_degree;
    q[0] = cos(half);
    pli_vec3_scale(sin(half), unit, q + 1);
}

static void quaternion_rotation(const double q[4], double R[9])
{
    double length = pli_vec3_norm(q + 1);
    double axis[3] = {1, 0, 0};
    if (length > 0) pli_vec3_scale(1 / length, q + 1, axis);
    pli_mat3_rotation(axis, 2 * atan2(length, q[0]), R);
}

// shortest turn from one rotation to another (Shoemake 1985)
static void slerp(const pli_keyframe_def *from, const pli_keyframe_def *to, double s, double R[9])
{
    double p[4];
    double q[4];
    keyframe_quaternion(from, p);
    keyframe_quaternion(to, q);
    double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    double sign = cosine < 0 ? -1 : 1;
    double angle = acos(fmin(1, fabs(cosine)));
    double a = angle > 1e-9 ? sin((1 - s) * angle) / sin(angle) : 1 - s;
    double b = angle > 1e-9 ? sin(s * angle) / sin(angle) : s;
    double blend[4];
    for (int k = 0; k < 4; ++k) blend[k] = a * p[k] + sign * b * q[k];
    quaternion_rotation(blend, R);
}

// About one axis the angle itself is interpolated, so that several turns are possible.
static void interpolate_rotation(const pli_keyframe_def *from, const pli_keyframe_def *to, double s,
                                 double R[9])
{
    double u[3];
    double v[3];
    pli_vec3_normalize(from->axis, u);
    pli_vec3_normalize(to->axis, v);
    if (from->angle == 0 || pli_vec3_distance(u, v) < 1e-12) {
        rotation_by(to->axis, from->angle + s * (to->angle - from->angle), R);
    } else if (to->angle == 0) {
        rotation_by(from->axis, (1 - s) * from->angle, R);
    } else {
        slerp(from, to, s, R);
    }
}

static void pose_between(const pli_keyframe_def *from, const pli_keyframe_def *to, double s,
                         pli_pose *pose)
{
    double R[9];
    double scale[3];
    for (int k = 0; k < 3; ++k) {
        pose->offset[k] = from->translate[k] + s * (to->translate[k] - from->translate[k]);
        scale[k] = from->scale[k] + s * (to->scale[k] - from->scale[k]);
    }
    interpolate_rotation(from, to, s, R);
    scale_columns(R, scale, pose->A);
}

// where everything is before the first keyframe
static const pli_keyframe_def start = {.axis = {0, 1, 0}, .scale = {1, 1, 1}};

static void pose_of_keyframes(const pli_motion *motion, double time, pli_pose *pose)
{
    const pli_keyframe_def *from = &start;
    const pli_keyframe_def *to = &motion->keyframes[0];
    for (int32_t k = 0; k < motion->keyframe_count && motion->keyframes[k].time <= time; ++k) {
        from = &motion->keyframes[k];
        to = k + 1 < motion->keyframe_count ? from + 1 : from;
    }
    double span = to->time - from->time;
    double s = span > 0 ? fmin(1, (time - from->time) / span) : 1;
    if (motion->ease == PLI_EASE_SMOOTH) s = s * s * (3 - 2 * s);
    pose_between(from, to, s, pose);
}

void pli_motion_get_pose(const pli_motion *motion, double time, pli_pose *pose)
{
    *pose = (pli_pose){.active = true};
    pli_mat3_identity(pose->A);
    // a step that ends exactly with the script still belongs to it, whatever rounding says
    double over = time - motion->end * (1 + 1e-12);
    if (motion->after == PLI_MOTION_RELEASE && motion->end > 0 && over > 0) pose->active = false;
    if (motion->segment_count > 0) pose_of_segments(motion, time, pose);
    if (motion->keyframe_count > 0) pose_of_keyframes(motion, time, pose);
}

// ---- speed

// A bound on the angle (degrees) from one keyframe to the next.
static double turn_between(const pli_keyframe_def *from, const pli_keyframe_def *to)
{
    double u[3], v[3];
    pli_vec3_normalize(from->axis, u);
    pli_vec3_normalize(to->axis, v);
    bool same = pli_vec3_distance(u, v) < 1e-12;
    return same ? fabs(to->angle - from->angle) : fabs(from->angle) + fabs(to->angle);
}

static double speed_between(const pli_keyframe_def *from, const pli_keyframe_def *to, double reach)
{
    double span = to->time - from->time;
    if (!(span > 0)) return 0;
    double turn = turn_between(from, to) * pli_radians_per_degree;
    return (pli_vec3_distance(from->translate, to->translate) + turn * reach) / span;
}

double pli_motion_speed(const pli_motion *motion, double reach)
{
    double speed = 0;
    for (int32_t k = 0; k < motion->segment_count; ++k) {
        const pli_motion_segment_def *segment = &motion->segments[k];
        double spin = fabs(segment->spin) * pli_radians_per_degree;
        speed = fmax(speed, pli_vec3_norm(segment->velocity) + spin * reach);
    }
    // s^2 (3 - 2 s) is steepest in the middle, where it rises by 3/2
    double steepest = motion->ease == PLI_EASE_SMOOTH ? 1.5 : 1;
    const pli_keyframe_def *from = &start;
    for (int32_t k = 0; k < motion->keyframe_count; ++k) {
        const pli_keyframe_def *to = &motion->keyframes[k];
        speed = fmax(speed, steepest * speed_between(from, to, reach));
        from = to;
    }
    return speed;
}

void pli_motion_apply(const pli_motion *motion, const pli_pose *pose, const double x0[3],
                      double x[3])
{
    double arm[3];
    double moved[3];
    pli_vec3_subtract(x0, motion->center, arm);
    pli_mat3_apply(pose->A, arm, moved);
    for (int k = 0; k < 3; ++k) x[k] = motion->center[k] + pose->offset[k] + moved[k];
}

// x0 = c + R^T (x - c - u)
void pli_motion_apply_inverse(const pli_motion *motion, const pli_pose *pose, const double x[3],
                              double x0[3])
{
    double arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - motion->center[k] - pose->offset[k];
    pli_mat3_apply_transposed(pose->A, arm, x0);
    pli_vec3_add(x0, motion->center, x0);
}
