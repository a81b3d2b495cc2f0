// SPDX-License-Identifier: Apache-2.0
//
// Shapes by signed distance: negative inside, positive outside, metres.
//
// A shape is an immutable node of a tree: a primitive (sphere, box, ...), a combination (union,
// intersection, difference, sharp or smooth) or a change (transform, shell, twist, ...) of others.
// A pli_shape_set owns all nodes that were made with it and frees them together; nodes may be used
// any number of times in trees of the same set, and nobody counts references.
//
//     pli_shape_set *set;
//     const pli_shape *ball, *hole, *ring;
//     status = pli_shape_set_create(context, &set);
//     status = pli_shape_sphere(set, origin, 1.0, &ball);
//     status = pli_shape_cylinder(set, bottom, top, 0.5, &hole);
//     status = pli_shape_difference(set, 2, (const pli_shape *[]){ball, hole}, 0.05, &ring);
//     ... pli_shape_value(ring, x) ...
//     pli_shape_set_destroy(set);
//
// What a value means. `is_exact` shapes give the Euclidean distance everywhere; their gradient is a
// unit vector away from the medial axis. The others are right about the sign everywhere, and their
// value is a distance near the surface up to a factor that the constructor's comment tells; none
// changes faster than `lipschitz` times the distance moved (infinity: no bound known), so that
// whole regions can be told to be inside or outside from one value.
// `is_analytic` says that no sampled grid takes part: value, gradient and Hessian are those of
// formulas. Sampled shapes have exact derivatives of their interpolant.
// Derivatives are finite everywhere; at corners and on medial axes, where there are none, one of
// the neighbouring ones (or zero) is returned.
//
// Smooth combinations blend by the cubic polynomial minimum (Quilez 2013 names it so):
//     smin(a, b) = min(a, b) - k h^3 / 6,  h = max(1 - |a - b| / k, 0)
// which is twice continuously differentiable, never leaves the bound on the slope, and changes
// nothing where the two differ by more than the blending radius k. Several shapes are blended one
// after the other in the given order.
//
// Threads: evaluation only reads. Constructors on one set are serial.
#ifndef PLI_GEOMETRY_SHAPES_SHAPE_H
#define PLI_GEOMETRY_SHAPES_SHAPE_H

#include "base/context.h"
#include "geometry/collision/bounds.h"

typedef struct pli_shape pli_shape;
typedef struct pli_shape_set pli_shape_set;

struct pli_tri_mesh;

pli_status pli_shape_set_create(pli_context *context, pli_shape_set **set);
void pli_shape_set_destroy(pli_shape_set *set);
pli_context *pli_shape_set_context(const pli_shape_set *set);

// ---- evaluation

double pli_shape_value(const pli_shape *shape, const double x[3]);

// Returns the value; gradient[3] (-).
double pli_shape_gradient(const pli_shape *shape, const double x[3], double gradient[3]);

// Returns the value; gradient[3] (-), hessian[9] (1/m), symmetric.
double pli_shape_hessian(const pli_shape *shape, const double x[3], double gradient[3],
                         double hessian[9]);

// values[count] at points [count][3]. Faster than single calls, most of all when points that follow
// each other are close together: parts of a union that are too far from a bunch of points to matter
// are left out for all of them. The results do not depend on how points are bunched.
void pli_shape_values(const pli_shape *shape, int64_t count, const double *points, double *values);

// A box that contains the inside; may be unbounded.
pli_bounds pli_shape_bounds(const pli_shape *shape);
bool pli_shape_is_exact(const pli_shape *shape);
bool pli_shape_is_analytic(const pli_shape *shape);
double pli_shape_lipschitz(const pli_shape *shape);

// Volume of the inside (m^3), by sampling on a grid with about `resolution` cells along the longest
// edge of the bounds and refining only near the surface. The error is of second order in the cell
// size: some 1e-3 for smooth shapes at resolution 128. Errors: argument for unbounded shapes.
pli_status pli_shape_volume(pli_context *context, const pli_shape *shape, int32_t resolution,
                            double *volume);

// Parts whose union is the shape, parts[capacity] of which *count are set: a sharp union's
// children, a sharp box's six half-spaces when it is turned inside out, and so on through negations
// and transforms. Surfaces that meet in a concave crease then belong to different parts, each of
// which is smooth there. A shape that can't be taken apart (blended, rounded, of any other kind) is
// its own only part. Errors: argument when there are more than capacity parts, memory.
pli_status pli_shape_parts(pli_shape_set *set, const pli_shape *shape, int32_t capacity,
                           const pli_shape **parts, int32_t *count);

// ---- primitives; all exact. Errors of constructors: argument, memory.

// The half-space behind the plane; normal points outwards and need not be a unit vector.
pli_status pli_shape_plane(pli_shape_set *set, const double point[3], const double normal[3],
                           const pli_shape **shape);

// Edge lengths size[3]; rounding is the radius of edges and corners and does not change the size.
pli_status pli_shape_box(pli_shape_set *set, const double center[3], const double size[3],
                         double rounding, const pli_shape **shape);
pli_status pli_shape_sphere(pli_shape_set *set, const double center[3], double radius,
                            const pli_shape **shape);

// The closest point is found by a Newton iteration that cannot overshoot (see shape_ellipsoid.c).
pli_status pli_shape_ellipsoid(pli_shape_set *set, const double center[3], const double radii[3],
                               const pli_shape **shape);

// Everything within radius of a segment.
pli_status pli_shape_capsule(pli_shape_set *set, const double start[3], const double end[3],
                             double radius, const pli_shape **shape);

// With flat ends.
pli_status pli_shape_cylinder(pli_shape_set *set, const double start[3], const double end[3],
                              double radius, const pli_shape **shape);

// A cone or, with both radii positive, a truncated one; flat ends.
pli_status pli_shape_cone(pli_shape_set *set, const double start[3], const double end[3],
                          double start_radius, double end_radius, const pli_shape **shape);

// The hull of two balls: a limb that tapers.
pli_status pli_shape_round_cone(pli_shape_set *set, const double start[3], const double end[3],
                                double start_radius, double end_radius, const pli_shape **shape);
pli_status pli_shape_torus(pli_shape_set *set, const double center[3], const double axis[3],
                           double radius, double tube_radius, const pli_shape **shape);

// A polygon in the x-y plane, [point_count][2] counter-clockwise without self-crossings, extended
// from -depth / 2 to depth / 2 along z.
pli_status pli_shape_prism(pli_shape_set *set, int32_t point_count, const double *polygon,
                           double depth, const pli_shape **shape);

// A polygon of (radius, y) pairs, [point_count][2] counter-clockwise with radii >= 0, turned around
// the y axis; sides on the axis are no surface.
pli_status pli_shape_lathe(pli_shape_set *set, int32_t point_count, const double *polygon,
                           const pli_shape **shape);

// ---- fields

// The ground below y = origin.y + h(x, z), h interpolated by C1 cubics and continued sideways by
// its border values. The value is the height above the ground divided by sqrt(1 + s^2), s the
// largest slope: a lower bound of the distance, with continuous gradient. Unbounded downwards and
// sideways. Not exact.
typedef struct pli_shape_ground {
    double origin[3];      // corner with the smallest x and z (m)
    double size[2];        // extent along x and z (m)
    int32_t columns;       // samples along x, at least 2
    int32_t rows;          // samples along z, at least 2
    const double *heights; // [rows][columns] (m)
} pli_shape_ground;
pli_status pli_shape_height_field(pli_shape_set *set, const pli_shape_ground *ground,
                                  const pli_shape **shape);

// Round struts along the edges of cubes of edge `cell`, everywhere; corners at multiples of cell.
// Exact outside. Unbounded: intersect it with something.
pli_status pli_shape_struts(pli_shape_set *set, double cell, double radius,
                            const pli_shape **shape);

// A sheet around the gyroid sin X cos Y + sin Y cos Z + sin Z cos X = 0 (Schoen 1970) of the given
// period; a distance to first order at the middle of the sheet. Unbounded.
pli_status pli_shape_gyroid(pli_shape_set *set, double cell, double thickness,
                            const pli_shape **shape);

// Walls of the given thickness between the Voronoi cells of seeds [seed_count][3]. Exact inside
// cells, that is outside of the walls. Unbounded.
pli_status pli_shape_cells(pli_shape_set *set, int32_t seed_count, const double *seeds,
                           double thickness, const pli_shape **shape);

// ---- functions from outside

struct pli_distance_ops; // pliant/extend.h

// A shape of the caller's own, with inputs [ops->input_count], which are copied. Derivatives that
// it does not give are differences. Counts as a formula, not as exact. Errors: argument (a function
// is missing; detail or slope is not a length or a slope; bounds that are none), memory.
pli_status pli_shape_own(pli_shape_set *set, const struct pli_distance_ops *borrowed_ops,
                         const double *inputs, const pli_shape **shape);

// ---- combinations; smooth is the blending radius (m), 0: sharp. Sharp unions of exact shapes are
// exact outside, intersections inside. At most PLI_SHAPE_CHILDREN parts; trees are at most
// PLI_SHAPE_DEPTH deep, which bounds the stack that evaluation needs.

enum { PLI_SHAPE_CHILDREN = 512, PLI_SHAPE_DEPTH = 64 };

pli_status pli_shape_union(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                           double smooth, const pli_shape **shape);
pli_status pli_shape_intersection(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                  double smooth, const pli_shape **shape);

// The first without the others.
pli_status pli_shape_difference(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                double smooth, const pli_shape **shape);

// ---- changes

// Inside out.
pli_status pli_shape_negation(pli_shape_set *set, const pli_shape *source, const pli_shape **shape);

// Everything within thickness / 2 of the surface. Exact outside of the shell.
pli_status pli_shape_shell(pli_shape_set *set, const pli_shape *source, double thickness,
                           const pli_shape **shape);

// Grown by a distance in all directions (shrunk if negative): rounds convex edges. Keeps exactness
// when growing.
pli_status pli_shape_offset(pli_shape_set *set, const pli_shape *source, double distance,
                            const pli_shape **shape);

// x -> translation + scale rotation x; keeps exactness.
typedef struct pli_shape_placement {
    double rotation[9];    // a proper rotation
    double translation[3]; // m
    double scale;          // positive
} pli_shape_placement;
pli_status pli_shape_transform(pli_shape_set *set, const pli_shape *source,
                               const pli_shape_placement *placement, const pli_shape **shape);

// count[3] copies along each axis at distances spacing[3], centred on the original; a spacing of 0
// or a count of 1 means no repetition along that axis. Exact where the source is and copies do not
// overlap.
pli_status pli_shape_repetition(pli_shape_set *set, const pli_shape *source,
                                const double spacing[3], const int32_t count[3],
                                const pli_shape **shape);

// Turns cross-sections about the y axis by rate (radians per metre) times y. The value is stretched
// by up to r |rate| at distance r from the axis; no bound on the slope is known far from it.
pli_status pli_shape_twist(pli_shape_set *set, const pli_shape *source, double rate,
                           const pli_shape **shape);

// ---- sampled distance

typedef enum pli_shape_interpolation {
    PLI_SHAPE_LINEAR, // trilinear: continuous
    PLI_SHAPE_CUBIC   // tricubic of Catmull and Rom (1974): continuous first derivatives
} pli_shape_interpolation;

// A grid of samples over the bounds and a few cells around them, `resolution` cells along the
// longest edge. Outside of the grid the value at the nearest point of the grid plus the distance to
// it is taken.
pli_status pli_shape_sampled(pli_shape_set *set, const pli_shape *source, int32_t resolution,
                             pli_shape_interpolation interpolation, const pli_shape **shape);

// The same from a triangle mesh. The surface should be closed; small holes and badly oriented
// triangles are bridged by a vote (see tri_query.h).
// Errors: mesh when the surface encloses nothing, or has holes of more than a tenth of it.
pli_status pli_shape_sampled_mesh(pli_shape_set *set, const struct pli_tri_mesh *mesh,
                                  int32_t resolution, pli_shape_interpolation interpolation,
                                  const pli_shape **shape);

#endif
