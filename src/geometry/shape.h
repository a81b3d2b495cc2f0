// SPDX-License-Identifier: Apache-2.0
//
// Solids described by signed distance: negative inside, zero on the surface, positive outside.
//
// A shape is an immutable tree: primitives at the leaves, combinations and deformations above. It
// can be asked for its value, gradient and Hessian at any point, exactly for the function it
// stands for: an interpolated grid gives the derivatives of the interpolant. On the creases of a
// function (edges of a box, medial axes, seams of a sharp union) one of the one-sided answers is
// returned.
//
// Every node knows
//   - bounds, a box that contains the solid; infinite for planes, lattices, gyroids, complements;
//   - whether its value is the true distance everywhere (is_exact), or only has the right sign and
//     zero set (combinations, twists, height fields: the true distance is then not smaller than
//     the value divided by its Lipschitz constant);
//   - whether it is a formula (is_analytic) or contains sampled data;
//   - a Lipschitz constant, with which whole regions can be proved to be free of the surface.
//
// Combinations fold their members with the polynomial smooth minimum
//     smin(a, b) = min(a, b) - max(k - |a - b|, 0)^2 / (4 k)
// where k is the blending radius; k = 0 is the sharp minimum. Maxima are -smin(-a, -b). Members of
// a union that cannot matter at a point are skipped by their bounds without changing the value.
//
// Ellipsoids: the nearest point is the root of a convex decreasing function of one variable, found
// by Newton from the left (Eberly 2013), so the value is the true distance; the Hessian follows
// from the shape operator S of the surface at the nearest point, H = S (I + d S)^-1.
//
// Memory: nodes belong to a pli_shape_set and die with it; members given to a constructor must be
// of the same set. Arrays are copied. Threads: making shapes is serial per set, evaluation only
// reads. Left out: exact distances inside unions, repetition without end, anisotropic scaling.
#ifndef PLI_GEOMETRY_SHAPE_H
#define PLI_GEOMETRY_SHAPE_H

#include "base/context.h"

typedef struct pli_shape pli_shape;
typedef struct pli_shape_set pli_shape_set;

pli_status pli_shape_set_create(pli_context *context, pli_shape_set **set);
void pli_shape_set_destroy(pli_shape_set *set);
pli_context *pli_shape_set_context(const pli_shape_set *set);

// ---- evaluation

// Signed distance or its stand-in (m).
double pli_shape_value(const pli_shape *shape, const double x[3]);
// Gradient (-) and, row-major, Hessian (1/m) of the value.
void pli_shape_gradient(const pli_shape *shape, const double x[3], double gradient[3]);
void pli_shape_hessian(const pli_shape *shape, const double x[3], double hessian[9]);

typedef struct pli_shape_jet {
    double value;       // m
    double gradient[3]; // -
    double hessian[9];  // 1/m, row-major, symmetric
} pli_shape_jet;

// All three at once.
void pli_shape_jet_compute(const pli_shape *shape, const double x[3], pli_shape_jet *jet);

// Values at count points [count][3], in parallel.
void pli_shape_values(const pli_shape *shape, int64_t count, const double *points, double *values);

// Box that contains the solid; entries may be infinite. An empty solid has low > high.
void pli_shape_bounds(const pli_shape *shape, double low[3], double high[3]);
bool pli_shape_is_bounded(const pli_shape *shape);
bool pli_shape_is_exact(const pli_shape *shape);
bool pli_shape_is_analytic(const pli_shape *shape);
// |value(x) - value(y)| <= lipschitz |x - y|
double pli_shape_lipschitz(const pli_shape *shape);

// ---- primitives; errors: argument (lengths that are not positive and finite), memory

pli_status pli_shape_plane(pli_shape_set *set, const double point[3], const double normal[3],
                           const pli_shape **shape);
// Rounding is the radius of edges and corners, at most half the shortest edge.
pli_status pli_shape_box(pli_shape_set *set, const double center[3], const double size[3],
                         double rounding, const pli_shape **shape);
pli_status pli_shape_sphere(pli_shape_set *set, const double center[3], double radius,
                            const pli_shape **shape);
pli_status pli_shape_ellipsoid(pli_shape_set *set, const double center[3], const double radii[3],
                               const pli_shape **shape);
pli_status pli_shape_capsule(pli_shape_set *set, const double start[3], const double end[3],
                             double radius, const pli_shape **shape);
pli_status pli_shape_cylinder(pli_shape_set *set, const double start[3], const double end[3],
                              double radius, const pli_shape **shape);
// The end radii of a cone along its axis; one of them may be 0.
typedef struct pli_cone_radii {
    double start; // m
    double end;   // m
} pli_cone_radii;
pli_status pli_shape_cone(pli_shape_set *set, const double start[3], const double end[3],
                          pli_cone_radii radii, const pli_shape **shape);
// The convex hull of two spheres: a capsule that tapers.
pli_status pli_shape_round_cone(pli_shape_set *set, const double start[3], const double end[3],
                                pli_cone_radii radii, const pli_shape **shape);
// Radius: centre to the middle of the tube.
pli_status pli_shape_torus(pli_shape_set *set, const double center[3], const double axis[3],
                           double radius, double tube_radius, const pli_shape **shape);

// Heights over a rectangle in x and z; the solid is everything below, and beyond the rectangle the
// border heights go on. Interpolated by Catmull-Rom splines, once differentiable.
typedef struct pli_height_samples {
    double origin[3];      // corner with the smallest x and z (m)
    double size[2];        // extent along x and z (m)
    int32_t columns;       // samples along x, at least 2
    int32_t rows;          // samples along z, at least 2
    const double *heights; // [rows][columns], y above origin (m)
} pli_height_samples;
pli_status pli_shape_height_field(pli_shape_set *set, const pli_height_samples *samples,
                                  const pli_shape **shape);

// Struts along the edges of cubes that fill space, one cube corner at the origin.
pli_status pli_shape_struts(pli_shape_set *set, double cell, double radius,
                            const pli_shape **shape);
// A sheet around the gyroid of the given period; thickness is meant on average.
pli_status pli_shape_gyroid(pli_shape_set *set, double cell, double thickness,
                            const pli_shape **shape);

// ---- combinations; smooth is the blending radius (m), 0: sharp

pli_status pli_shape_union(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                           double smooth, const pli_shape **shape);
pli_status pli_shape_intersection(pli_shape_set *set, int32_t count,
                                  const pli_shape *const *members, double smooth,
                                  const pli_shape **shape);
// The first member without the others.
pli_status pli_shape_difference(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                                double smooth, const pli_shape **shape);

// ---- modifications of one shape

pli_status pli_shape_negation(pli_shape_set *set, const pli_shape *member, const pli_shape **shape);
// A layer of the given thickness, centred on the surface.
pli_status pli_shape_shell(pli_shape_set *set, const pli_shape *member, double thickness,
                           const pli_shape **shape);

// x -> translate + scale R x with R a rotation about the axis.
typedef struct pli_placement {
    double translate[3]; // m, applied last
    double axis[3];      // of rotation, any length; not used when the angle is 0
    double angle;        // radians
    double scale;        // uniform, applied first
} pli_placement;
pli_placement pli_placement_identity(void);
pli_status pli_shape_transform(pli_shape_set *set, const pli_shape *member,
                               const pli_placement *placement, const pli_shape **shape);

// Copies in a box pattern, centred on the original: count along an axis is 1 where spacing is 0.
pli_status pli_shape_repetition(pli_shape_set *set, const pli_shape *member,
                                const double spacing[3], const int32_t count[3],
                                const pli_shape **shape);
// Turns the slice at height y by rate y about the y axis (rate in radians per metre).
pli_status pli_shape_twist(pli_shape_set *set, const pli_shape *member, double rate,
                           const pli_shape **shape);

// ---- sampled distances

typedef enum pli_grid_order {
    PLI_GRID_LINEAR, // trilinear: continuous
    PLI_GRID_CUBIC   // tricubic Catmull-Rom: once differentiable
} pli_grid_order;

// Samples on a grid of cubes; beyond it the value at the nearest grid point grows by the distance.
typedef struct pli_shape_samples {
    double origin[3];     // of the first sample (m)
    double spacing;       // m
    int32_t count[3];     // samples along each axis, at least 2
    const double *values; // [count[2]][count[1]][count[0]] signed distance (m)
    pli_grid_order order;
} pli_shape_samples;
pli_status pli_shape_create_from_samples(pli_shape_set *set, const pli_shape_samples *samples,
                                         const pli_shape **shape);

// Samples a bounded shape, with the given number of samples along its longest edge.
pli_status pli_shape_create_sampled(pli_shape_set *set, const pli_shape *member, int32_t resolution,
                                    pli_grid_order order, const pli_shape **shape);

// A closed surface of triangles, consistently oriented outwards.
typedef struct pli_triangles {
    int32_t point_count;
    const double *points; // [point_count][3] (m)
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3]
} pli_triangles;

// Signed distance to a surface of triangles, sampled with the given number of samples along the
// longest edge and interpolated by cubics. Distances of samples are exact; the sign comes from
// angle-weighted pseudo-normals (Baerentzen and Aanaes 2005). Errors: mesh (index past the end, no
// triangle with an area), argument, memory.
pli_status pli_shape_create_from_triangles(pli_shape_set *set, const pli_triangles *surface,
                                           int32_t resolution, const pli_shape **shape);

#endif
