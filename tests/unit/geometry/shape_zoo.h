// SPDX-License-Identifier: Apache-2.0
//
// One shape of every kind, of about unit size, for tests that hold for all of them.
#ifndef PLI_TESTS_SHAPE_ZOO_H
#define PLI_TESTS_SHAPE_ZOO_H

#include "near.h"

#include "base/random.h"
#include "geometry/shapes/shape.h"
#include "math/mat3.h"
#include "pliant/extend.h"

typedef enum zoo_kind {
    ZOO_PLANE,
    ZOO_BOX,
    ZOO_ROUND_BOX,
    ZOO_SPHERE,
    ZOO_ELLIPSOID,
    ZOO_FLAT_ELLIPSOID,
    ZOO_CAPSULE,
    ZOO_CYLINDER,
    ZOO_CONE,
    ZOO_FRUSTUM,
    ZOO_ROUND_CONE,
    ZOO_TORUS,
    ZOO_PRISM,
    ZOO_LATHE,
    ZOO_GROUND,
    ZOO_STRUTS,
    ZOO_GYROID,
    ZOO_CELLS,
    ZOO_OWN_VALUES,
    ZOO_OWN_GRADIENTS,
    ZOO_UNION,
    ZOO_SMOOTH_UNION,
    ZOO_SMOOTH_INTERSECTION,
    ZOO_DIFFERENCE,
    ZOO_SMOOTH_DIFFERENCE,
    ZOO_NEGATION,
    ZOO_SHELL,
    ZOO_OFFSET,
    ZOO_TRANSFORM,
    ZOO_REPETITION,
    ZOO_TWIST,
    ZOO_SAMPLED_LINEAR,
    ZOO_SAMPLED_CUBIC,
    ZOO_COUNT
} zoo_kind;

static const double zoo_start[3] = {-0.3, -0.4, 0.2};
static const double zoo_end[3] = {0.4, 0.5, -0.1};
static const double zoo_center[3] = {0.1, -0.05, 0.07};
static const double zoo_size[3] = {1.0, 0.7, 1.3};
static const double zoo_radii[3] = {0.5, 0.25, 0.8};
static const double zoo_flat_radii[3] = {0.7, 0.1, 0.7};
static const double zoo_axis[3] = {1, 2, -1};

static inline pli_status zoo_primitive(pli_shape_set *set, zoo_kind kind, const pli_shape **shape)
{
    static const double polygon[6][2] = {{-0.6, -0.5}, {0.5, -0.4}, {0.6, 0.5},
                                         {0.1, 0.1},   {-0.2, 0.5}, {-0.3, 0.0}};
    static const double profile[5][2] = {{0, -0.5}, {0.5, -0.4}, {0.2, 0}, {0.6, 0.4}, {0, 0.6}};
    switch (kind) {
    case ZOO_PLANE: return pli_shape_plane(set, zoo_center, zoo_axis, shape);
    case ZOO_BOX: return pli_shape_box(set, zoo_center, zoo_size, 0, shape);
    case ZOO_ROUND_BOX: return pli_shape_box(set, zoo_center, zoo_size, 0.2, shape);
    case ZOO_SPHERE: return pli_shape_sphere(set, zoo_center, 0.6, shape);
    case ZOO_ELLIPSOID: return pli_shape_ellipsoid(set, zoo_center, zoo_radii, shape);
    case ZOO_FLAT_ELLIPSOID: return pli_shape_ellipsoid(set, zoo_center, zoo_flat_radii, shape);
    case ZOO_CAPSULE: return pli_shape_capsule(set, zoo_start, zoo_end, 0.25, shape);
    case ZOO_CYLINDER: return pli_shape_cylinder(set, zoo_start, zoo_end, 0.35, shape);
    case ZOO_CONE: return pli_shape_cone(set, zoo_start, zoo_end, 0.5, 0, shape);
    case ZOO_FRUSTUM: return pli_shape_cone(set, zoo_start, zoo_end, 0.3, 0.5, shape);
    case ZOO_ROUND_CONE: return pli_shape_round_cone(set, zoo_start, zoo_end, 0.4, 0.15, shape);
    case ZOO_TORUS: return pli_shape_torus(set, zoo_center, zoo_axis, 0.6, 0.2, shape);
    case ZOO_PRISM: return pli_shape_prism(set, 6, &polygon[0][0], 0.6, shape);
    default: return pli_shape_lathe(set, 5, &profile[0][0], shape);
    }
}

static inline pli_status zoo_field(pli_shape_set *set, zoo_kind kind, const pli_shape **shape)
{
    enum { COLUMNS = 9, ROWS = 7 };
    static const double seeds[5][3] = {
        {-0.4, -0.3, 0}, {0.5, 0.2, 0.3}, {0, 0.6, -0.4}, {0.1, -0.6, 0.5}, {0, 0, -0.6}};
    double heights[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; ++i) heights[i] = 0.2 * sin(1.7 * i) + 0.01 * i;
    pli_shape_ground ground = {{-1, -0.3, -0.8}, {2, 1.6}, COLUMNS, ROWS, heights};
    switch (kind) {
    case ZOO_GROUND: return pli_shape_height_field(set, &ground, shape);
    case ZOO_STRUTS: return pli_shape_struts(set, 0.5, 0.1, shape);
    case ZOO_GYROID: return pli_shape_gyroid(set, 0.8, 0.15, shape);
    default: return pli_shape_cells(set, 5, &seeds[0][0], 0.1, shape);
    }
}

// A ball with dents, |x| - r - a sin(3 x) sin(3 y), that the library knows nothing of.
static inline void zoo_dented_values(const void *user, const double *inputs, int32_t n,
                                     const double *x, double *values)
{
    const double *wave = (const double *)user;
    for (int32_t i = 0; i < n; ++i, x += 3) {
        double dent = inputs[1] * sin(*wave * x[0]) * sin(*wave * x[1]);
        values[i] = pli_vec3_norm(x) - inputs[0] - dent;
    }
}

static inline void zoo_dented_gradients(const void *user, const double *inputs, int32_t n,
                                        const double *x, double *gradients)
{
    const double *wave = (const double *)user;
    double amplitude = *wave * inputs[1];
    for (int32_t i = 0; i < n; ++i, x += 3, gradients += 3) {
        pli_vec3_normalize(x, gradients);
        gradients[0] -= amplitude * cos(*wave * x[0]) * sin(*wave * x[1]);
        gradients[1] -= amplitude * sin(*wave * x[0]) * cos(*wave * x[1]);
    }
}

static inline void zoo_dented_bounds(const void *user, const double *inputs, double min[3],
                                     double max[3])
{
    (void)user;
    for (int k = 0; k < 3; ++k) max[k] = -(min[k] = -inputs[0] - inputs[1]);
}

static inline pli_status zoo_own(pli_shape_set *set, zoo_kind kind, const pli_shape **shape)
{
    static const double wave = 3;
    static const double inputs[] = {0.6, 0.1};
    static const pli_distance_ops ops[] = {{.name = "by values",
                                            .user = &wave,
                                            .input_count = 2,
                                            .slope = 1.5, // 1 + sqrt(2) 0.1 wave
                                            .detail = 0.5,
                                            .values = zoo_dented_values,
                                            .bounds = zoo_dented_bounds},
                                           {.name = "by gradients",
                                            .user = &wave,
                                            .input_count = 2,
                                            .slope = 1.5,
                                            .detail = 0.5,
                                            .values = zoo_dented_values,
                                            .gradients = zoo_dented_gradients,
                                            .bounds = zoo_dented_bounds}};
    return pli_shape_own(set, &ops[kind == ZOO_OWN_GRADIENTS], inputs, shape);
}

static inline pli_status zoo_combination(pli_shape_set *set, zoo_kind kind, const pli_shape **shape)
{
    const pli_shape *part[4] = {NULL, NULL, NULL, NULL};
    const double apart[3] = {0.4, 0.3, 0.1};
    pli_status status = zoo_primitive(set, ZOO_ELLIPSOID, &part[0]);
    if (status == PLI_OK) status = pli_shape_sphere(set, apart, 0.35, &part[1]);
    if (status == PLI_OK) status = zoo_primitive(set, ZOO_TORUS, &part[2]);
    if (status == PLI_OK) status = zoo_primitive(set, ZOO_CAPSULE, &part[3]);
    if (status != PLI_OK) return status;
    switch (kind) {
    case ZOO_UNION: return pli_shape_union(set, 4, part, 0, shape);
    case ZOO_SMOOTH_UNION: return pli_shape_union(set, 4, part, 0.2, shape);
    case ZOO_SMOOTH_INTERSECTION: return pli_shape_intersection(set, 2, part, 0.15, shape);
    case ZOO_DIFFERENCE: return pli_shape_difference(set, 3, part, 0, shape);
    default: return pli_shape_difference(set, 3, part, 0.1, shape);
    }
}

static inline pli_status zoo_change(pli_shape_set *set, zoo_kind kind, const pli_shape **shape)
{
    const pli_shape *box = NULL;
    const pli_shape *blend = NULL;
    pli_status status = zoo_primitive(set, ZOO_ROUND_BOX, &box);
    if (status == PLI_OK) status = zoo_combination(set, ZOO_SMOOTH_UNION, &blend);
    if (status != PLI_OK) return status;
    pli_shape_placement placement = {.translation = {0.2, -0.1, 0.3}, .scale = 0.7};
    double axis[3];
    pli_vec3_normalize(zoo_axis, axis);
    pli_mat3_rotation(axis, 0.8, placement.rotation);
    const double spacing[3] = {1.1, 0, 1.35};
    const int32_t count[3] = {3, 7, 2};
    switch (kind) {
    case ZOO_NEGATION: return pli_shape_negation(set, box, shape);
    case ZOO_SHELL: return pli_shape_shell(set, blend, 0.1, shape);
    case ZOO_OFFSET: return pli_shape_offset(set, box, 0.15, shape);
    case ZOO_TRANSFORM: return pli_shape_transform(set, box, &placement, shape);
    case ZOO_REPETITION: return pli_shape_repetition(set, box, spacing, count, shape);
    case ZOO_TWIST: return pli_shape_twist(set, box, 1.3, shape);
    case ZOO_SAMPLED_LINEAR: return pli_shape_sampled(set, blend, 24, PLI_SHAPE_LINEAR, shape);
    default: return pli_shape_sampled(set, blend, 24, PLI_SHAPE_CUBIC, shape);
    }
}

static inline pli_status zoo_build(pli_shape_set *set, zoo_kind kind, const pli_shape **shape)
{
    if (kind <= ZOO_LATHE) return zoo_primitive(set, kind, shape);
    if (kind <= ZOO_CELLS) return zoo_field(set, kind, shape);
    if (kind <= ZOO_OWN_GRADIENTS) return zoo_own(set, kind, shape);
    if (kind <= ZOO_SMOOTH_DIFFERENCE) return zoo_combination(set, kind, shape);
    return zoo_change(set, kind, shape);
}

// a point of the cube [-reach, reach]^3
static inline void zoo_point(uint64_t stream, uint64_t index, double reach, double out[3])
{
    pli_random random = {23, stream};
    for (uint64_t k = 0; k < 3; ++k)
        out[k] = pli_random_range(random, 3 * index + k, -reach, reach);
}

#endif
