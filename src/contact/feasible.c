// SPDX-License-Identifier: Apache-2.0
#include "contact/feasible.h"

#include "math/mat3.h"

enum { MAX_STEPS = 100 };

// What a point has met.
typedef struct walk {
    const pli_feasible *feasible;
    const pli_feasible_point *point;
    int32_t count; // the surfaces to stay on come first
    int32_t collider[PLI_HALFSPACES];
    double value[PLI_HALFSPACES];
    double gradient[PLI_HALFSPACES][3];
    double hessian[PLI_HALFSPACES][9];
    pli_halfspaces h;
    int32_t member[PLI_HALFSPACES]; // which constraint an inequality of h is
} walk;

// A gradient that vanishes (in the middle of a ball) gives no way out; a place nearby does.
static double gradient_nearby(const pli_feasible *feasible, const pli_collider *collider,
                              const double x[3], double gradient[3])
{
    static const double aside[3] = {0.6, 0.64, 0.48};
    double nearby[3];
    pli_vec3_add_scaled(x, 1e-9 * feasible->def->size, aside, nearby);
    pli_collider_gradient(collider, nearby, gradient);
    return pli_vec3_norm(gradient);
}

static double slope_bound(const pli_collider *collider)
{
    double bound = pli_shape_lipschitz(collider->shape);
    return isfinite(bound) && bound > 0 ? bound : 1;
}

void pli_feasible_normal(const pli_feasible *feasible, int32_t b, const double x[3], double n[3],
                         double *H)
{
    const pli_collider *collider = &feasible->def->colliders[b];
    double hessian[9];
    pli_collider_hessian(collider, x, n, hessian);
    double slope = pli_vec3_norm(n);
    if (slope < 1e-8 * slope_bound(collider)) {
        slope = gradient_nearby(feasible, collider, x, n);
        memset(hessian, 0, sizeof hessian);
    }
    pli_vec3_normalize(n, n);
    if (H == NULL) return;
    double zero[9] = {0};
    pli_mat3_add_scaled(zero, slope > 0 ? 1 / slope : 0, hessian, H);
}

// Remembers a violated constraint; when there is no room, the one that is violated least goes.
static void remember(walk *w, int32_t b, double value)
{
    for (int32_t i = 0; i < w->count; ++i) {
        if (w->collider[i] == b) return;
    }
    int32_t place = w->count;
    if (w->count < PLI_HALFSPACES) {
        ++w->count;
    } else {
        place = w->point->surface_count;
        for (int32_t i = place + 1; i < w->count; ++i) {
            if (w->value[i] > w->value[place]) place = i;
        }
        if (w->value[place] <= value) return;
    }
    w->collider[place] = b;
    w->value[place] = value;
}

// Looks at all constraints where the point is; returns by how much they are violated at most.
static double look_around(walk *w)
{
    const pli_collision_def *def = w->feasible->def;
    double worst = 0;
    for (int32_t i = 0; i < w->count; ++i) {
        w->value[i] = pli_collider_value(&def->colliders[w->collider[i]], w->point->x);
        bool is_surface = i < w->point->surface_count;
        worst = pli_larger(worst, is_surface ? fabs(w->value[i]) : -w->value[i]);
    }
    for (int32_t b = 0; b < def->collider_count; ++b) {
        const pli_collider *collider = &def->colliders[b];
        if (!pli_collider_is(collider, w->feasible->method)) continue;
        double value = pli_collider_value(collider, w->point->x);
        if (!(value < -w->feasible->tolerance)) continue;
        worst = pli_larger(worst, -value);
        remember(w, b, value);
    }
    return worst;
}

// Writes the first `count` constraints as linear inequalities for the step.
static void linearize(walk *w, int32_t count)
{
    w->h.count = w->h.equal_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        const pli_collider *collider = &w->feasible->def->colliders[w->collider[i]];
        double *g = w->gradient[i];
        w->value[i] = pli_collider_hessian(collider, w->point->x, g, w->hessian[i]);
        double slope = pli_vec3_norm(g);
        double bound = slope_bound(collider);
        if (slope < 1e-8 * bound) slope = gradient_nearby(w->feasible, collider, w->point->x, g);

        // no leaps where the value hardly changes
        if (8 * slope < bound) w->value[i] *= 8 * slope / bound;
        double *a = w->h.a[w->h.count];
        pli_vec3_copy(g, a);
        pli_collision_clear_held(w->point->held, a);
        if (!(pli_vec3_norm(a) > 1e-6 * slope)) continue;
        w->h.b[w->h.count] = w->value[i];
        w->member[w->h.count++] = i;
        if (i < w->point->surface_count) ++w->h.equal_count;
    }
}

// The deepest alone, for constraints that can't all be satisfied at once.
static void step_from_deepest(const walk *w, pli_nearest *nearest)
{
    const pli_halfspaces *h = &w->h;
    int32_t deepest = 0;
    double least = INFINITY;
    for (int32_t k = 0; k < h->count; ++k) {
        double distance = h->b[k] / pli_vec3_norm(h->a[k]);
        if (distance < least) least = distance, deepest = k;
    }
    *nearest = (pli_nearest){.count = 1, .index = {deepest}};
    pli_halfspaces_invert(h, 1, nearest->index, nearest->inverse);
    nearest->y[0] = -h->b[deepest] * nearest->inverse[0];
    pli_vec3_scale(nearest->y[0], h->a[deepest], nearest->step);
}

static void choose_step(walk *w, pli_nearest *nearest)
{
    *nearest = (pli_nearest){0};
    if (w->h.count == 0) return;
    double tolerance = 0.5 * w->feasible->tolerance;
    if (pli_halfspaces_solve(&w->h, tolerance, nearest)) return;
    // staying on surfaces is the wish that is given up first
    w->h.equal_count = 0;
    if (pli_halfspaces_solve(&w->h, tolerance, nearest)) return;
    step_from_deepest(w, nearest);
}

// The derivative of a step s = A^T y with y = -(A A^T)^-1 phi along d; with a' = hess phi d and
// phi' = grad phi . d
//     y' = (A A^T)^-1 (-phi' - (A' A^T + A A'^T) y),   d <- d + A'^T y + A^T y'
static void carry(const walk *w, const pli_nearest *nearest, double d[3])
{
    double change[3][3], rhs[3] = {0, 0, 0}, dy[3];
    for (int32_t i = 0; i < nearest->count; ++i) {
        int32_t m = w->member[nearest->index[i]];
        pli_mat3_apply(w->hessian[m], d, change[i]);
        pli_collision_clear_held(w->point->held, change[i]);
        rhs[i] = -pli_vec3_dot(w->gradient[m], d);
    }
    for (int32_t i = 0; i < nearest->count; ++i) {
        for (int32_t j = 0; j < nearest->count; ++j) {
            double K = pli_vec3_dot(change[i], w->h.a[nearest->index[j]]) +
                       pli_vec3_dot(w->h.a[nearest->index[i]], change[j]);
            rhs[i] -= K * nearest->y[j];
        }
    }
    pli_mat3_apply(nearest->inverse, rhs, dy);
    for (int32_t i = 0; i < nearest->count; ++i) {
        pli_vec3_add_scaled(d, nearest->y[i], change[i], d);
        pli_vec3_add_scaled(d, dy[i], w->h.a[nearest->index[i]], d);
    }
}

// At a point that needs no step the derivative is that of staying on the surfaces.
static void carry_along_surfaces(walk *w)
{
    pli_nearest nearest;
    linearize(w, w->point->surface_count);
    bool solved = pli_halfspaces_solve(&w->h, w->feasible->tolerance, &nearest);
    if (solved) carry(w, &nearest, w->point->d);
}

bool pli_feasible_project(const pli_feasible *feasible, const pli_feasible_point *point)
{
    walk w = {.feasible = feasible, .point = point, .count = point->surface_count};
    for (int32_t i = 0; i < point->surface_count; ++i) w.collider[i] = point->surfaces[i];

    for (int step = 0; step < MAX_STEPS; ++step) {
        if (!(look_around(&w) > feasible->tolerance)) {
            if (step == 0 && point->d != NULL && w.count > 0) carry_along_surfaces(&w);
            return true;
        }
        pli_nearest nearest;
        linearize(&w, w.count);
        choose_step(&w, &nearest);
        double x[3];
        pli_vec3_add(point->x, nearest.step, x);
        // written so that a NaN ends it, too
        if (!(pli_vec3_distance(x, point->x) > 0)) return false;
        if (point->d != NULL) carry(&w, &nearest, point->d);
        pli_vec3_copy(x, point->x);
    }
    return false;
}
