// SPDX-License-Identifier: Apache-2.0
//
// Kinematic solids that bodies collide with: a shape by signed distance, negative inside, that
// stands still or follows a script and that nothing moves.
//
// The shape is given where it is at time 0. A rigid pose takes it elsewhere,
//     x = c + u + R (x0 - c),
// and a step knows two poses: `before`, at its start, and `now`, at its end, which is the one that
// bodies collide with (all methods here are implicit). The velocity of a collider is that of its
// material points over the step, so that pose and velocity always agree:
//     v(x) = (x - x_before) / h,  x_before where the collider's point at x was at the start.
//
// How bodies collide is the collider's method: constraint.h, penalty.h (two methods) or
// postprocess.h. Each of
// them looks at the colliders of its own method in a list that all share, so that one list serves
// all. Constraints need analytic shapes: an interpolated distance has kinks at the cells of its
// grid, where projections stick (Gast et al. 2015, section 3.2).
//
// A collider whose surface has concave creases (the inside of a box, the foot of a wall) should be
// entered as the parts of its shape, pli_shape_parts, one collider each: at a crease several
// constraints then hold at once, each of which is smooth.
//
// Threads: evaluation only reads.
#ifndef PLI_CONTACT_COLLIDER_H
#define PLI_CONTACT_COLLIDER_H

#include "base/parallel.h"
#include "geometry/shapes/shape.h"
#include "pliant/scene.h"

typedef struct pli_rigid_pose {
    double R[9];      // proper rotation about the collider's centre
    double offset[3]; // u (m)
} pli_rigid_pose;

typedef struct pli_collider {
    const char *name;           // for messages; borrowed
    int32_t source;             // collider of the scene that it is a part of
    const pli_shape *shape;     // at time 0; borrowed
    pli_collider_method method; // not PLI_COLLIDER_AUTO
    double friction;            // Coulomb's coefficient
    double stiffness;           // of the penalty (N/m^2), or of the quadratic one (N/m)
    double margin;              // what counts as inside begins so far from the surface (m)
    double center[3];           // c (m)

    // changed between steps
    bool active; // false: it is not there
    pli_rigid_pose before;
    pli_rigid_pose now;
} pli_collider;

// Points and the solids they may meet. Everything is borrowed; poses change between steps.
typedef struct pli_collision_def {
    int32_t point_count;
    const uint8_t *fixed; // [point_count] bits 1, 2, 4: x, y, z is held; NULL: none is
    int32_t collider_count;
    const pli_collider *colliders; // [collider_count]
    // diagonal of the scene, or how far it lies from the origin if that is more: sets tolerances
    // (m)
    double size;
} pli_collision_def;

enum { PLI_HELD = 7 }; // all three coordinates of a point are held

// What collisions amount to at some positions.
typedef struct pli_collision_report {
    int64_t contacts; // pairs of point and collider that exert a force
    double min_gap;   // smallest signed distance (m); infinity: there is nothing to touch
    double max_depth; // m
    double energy;    // of penalties (J)
} pli_collision_report;

// An active collider that stands still at its place of time 0, without friction.
void pli_collider_init(pli_collider *collider, const pli_shape *shape, pli_collider_method method);

// Fails unless the collider can be used with its method. Errors: scene (a sampled shape as a
// constraint, no definite method, numbers out of range), each named by the collider.
PLI_CHECKED pli_status pli_collider_check(pli_context *context, const pli_collider *collider);

// Fails unless all colliders pass their check and the rest makes sense, too.
PLI_CHECKED pli_status pli_collision_check(pli_context *context, const pli_collision_def *def);

// Whether a collider is there and of this method.
static inline bool pli_collider_is(const pli_collider *collider, pli_collider_method method)
{
    return collider->active && collider->method == method;
}

// Coordinates of a point that are held, bits 1, 2, 4.
static inline uint8_t pli_collision_held(const pli_collision_def *def, int64_t point)
{
    return def->fixed != NULL ? def->fixed[point] : 0;
}

// Sets the held coordinates of a vector to zero.
static inline void pli_collision_clear_held(uint8_t held, double a[3])
{
    for (int k = 0; k < 3; ++k) {
        if (held >> k & 1) a[k] = 0;
    }
}

// ---- evaluation at world points, in the pose now: the shape's value less the margin

double pli_collider_value(const pli_collider *collider, const double x[3]);

// Returns the value; gradient[3] (-), not always a unit vector.
double pli_collider_gradient(const pli_collider *collider, const double x[3], double gradient[3]);

// Returns the value; gradient[3] (-), hessian[9] (1/m).
double pli_collider_hessian(const pli_collider *collider, const double x[3], double gradient[3],
                            double hessian[9]);

// A box that contains the inside; may be unbounded.
pli_bounds pli_collider_bounds(const pli_collider *collider);

// points that are looked at together
enum { PLI_COLLIDER_CHUNK = 64 };

// values[n] at points [n][3], n <= PLI_COLLIDER_CHUNK. Returns false, without values, when all of
// them are certain to be at least `limit`, which one look at their box often tells.
bool pli_collider_values(const pli_collider *collider, int32_t n, const double *points,
                         double limit, double *values);

// ---- many points and colliders

// Pairs of point and collider that are closer than a limit.
typedef struct pli_collision_scan {
    const pli_collision_def *def;
    pli_collider_method method; // only active colliders of this method
    double limit;               // only pairs with a value below (m)
    const double *x;            // [point_count][3]; visitors may move the point they are called for
} pli_collision_scan;

typedef void (*pli_pair_fn)(void *user, int64_t point, int32_t collider);

// Calls visit for the pairs of points begin <= point < end, except points that are held altogether;
// the colliders of a point come in increasing order.
void pli_collision_visit(const pli_collision_scan *scan, int64_t begin, int64_t end,
                         pli_pair_fn visit, void *user);

// Penetrating pairs, gap and depth over all points that are not held altogether and all active
// colliders of a method; the energy is left 0.
void pli_collision_measure(const pli_context *context, const pli_collision_def *def,
                           pli_collider_method method, const double *x,
                           pli_collision_report *report);

// ---- motion

// Velocity (m/s) of the collider's material point that is at x at the end of a step of length h
// (s).
void pli_collider_velocity(const pli_collider *collider, const double x[3], double h, double v[3]);

#endif
