// SPDX-License-Identifier: Apache-2.0
#include "sim/step/align.h"

#include "math/mat3.h"
#include "math/svd.h"

#include <math.h>

// one body being aligned
typedef struct fit {
    const pli_model *model;
    const pli_model_body *body;
    const double *x;
    const double *target;
    uint8_t held;            // axes along which every vertex is held
    double center[3];        // centre of mass (m)
    double target_center[3]; // the same of the targets (m)
} fit;

static int64_t end_vertex(const pli_model_body *body)
{
    return (int64_t)body->first_vertex + body->vertex_count;
}

static void find_centers(fit *f)
{
    double mass = 0;
    for (int64_t k = f->body->first_vertex; k < end_vertex(f->body); ++k) {
        double m = f->model->mass[k];
        pli_vec3_add_scaled(f->center, m, f->x + 3 * k, f->center);
        pli_vec3_add_scaled(f->target_center, m, f->target + 3 * k, f->target_center);
        mass += m;
    }
    pli_vec3_scale(1 / mass, f->center, f->center);
    pli_vec3_scale(1 / mass, f->target_center, f->target_center);
}

// Makes the covariance one of points that agree along the held axes, so that no rotation touches
// them.
static void keep_axes(uint8_t held, double covariance[9])
{
    double size = 1;
    for (int k = 0; k < 9; ++k) size += fabs(covariance[k]);
    for (int axis = 0; axis < 3; ++axis) {
        if (!(held & (1u << axis))) continue;
        for (int k = 0; k < 3; ++k) covariance[3 * axis + k] = covariance[3 * k + axis] = 0;
        covariance[4 * axis] = size;
    }
}

// R = argmin sum m |R (x - c) - (y - c')|^2 = U V^T of the covariance sum m (y - c') (x - c)^T
static void find_rotation(const fit *f, double R[9])
{
    double covariance[9] = {0};
    for (int64_t k = f->body->first_vertex; k < end_vertex(f->body); ++k) {
        double p[3];
        double q[3];
        pli_vec3_subtract(f->x + 3 * k, f->center, p);
        pli_vec3_subtract(f->target + 3 * k, f->target_center, q);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) covariance[3 * i + j] += f->model->mass[k] * q[i] * p[j];
        }
    }
    keep_axes(f->held, covariance);
    double S[9];
    pli_polar(covariance, R, S);
}

// Axes along which every vertex of the body is held; *all: no vertex is held along any other.
static uint8_t held_axes(const pli_model_body *body, const uint8_t *fixed, bool *all)
{
    uint8_t every = 7;
    uint8_t any = 0;
    for (int64_t k = body->first_vertex; k < end_vertex(body); ++k) {
        every &= fixed[k];
        any |= fixed[k];
    }
    *all = every == any;
    return every;
}

void pli_align_body(const pli_model *model, const pli_model_body *body, const double *target,
                    const uint8_t *fixed, double *x)
{
    // a body that is held anywhere else cannot move as a whole
    bool movable = false;
    fit f = {.model = model, .body = body, .x = x, .target = target};
    f.held = held_axes(body, fixed, &movable);
    if (!movable || f.held == 7) return;

    double R[9];
    find_centers(&f);
    find_rotation(&f, R);
    for (int64_t k = body->first_vertex; k < end_vertex(body); ++k) {
        double arm[3];
        double turned[3];
        pli_vec3_subtract(x + 3 * k, f.center, arm);
        pli_mat3_apply(R, arm, turned);
        for (int axis = 0; axis < 3; ++axis) {
            if (fixed[k] & (1u << axis)) continue;
            x[3 * k + axis] = f.target_center[axis] + turned[axis];
        }
    }
}

void pli_align_bodies(const pli_model *model, const double *target, const uint8_t *fixed, double *x)
{
    for (int32_t body = 0; body < model->body_count; ++body) {
        pli_align_body(model, &model->bodies[body], target, fixed, x);
    }
}
