// SPDX-License-Identifier: Apache-2.0
//
// Small scenes of colliders for the tests of contact: shapes, poses, random points.
#ifndef PLI_TESTS_SOLIDS_H
#define PLI_TESTS_SOLIDS_H

#include "near.h"

#include "base/random.h"
#include "contact/collider.h"
#include "math/mat3.h"

enum { SOLIDS = 16 };

typedef struct solids {
    pli_context *context;
    pli_shape_set *set;
    pli_collision_def def;
    pli_collider colliders[SOLIDS];
} solids;

static inline solids *solids_make(int32_t threads)
{
    solids *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->context = make_context(threads);
    OK(s->context, pli_shape_set_create(s->context, &s->set));
    s->def.size = 1;
    s->def.colliders = s->colliders;
    return s;
}

static inline void solids_destroy(solids *s)
{
    pli_shape_set_destroy(s->set);
    pli_context_destroy(s->context);
    free(s);
}

FIXTURE(solids, solids_make, solids_destroy)

#define TEST_WITH_SOLIDS(test, threads) TEST_WITH(solids, test, threads)

static inline pli_collider *solids_add(solids *s, const pli_shape *shape,
                                       pli_collider_method method)
{
    assert_true(s->def.collider_count < SOLIDS);
    pli_collider *collider = &s->colliders[s->def.collider_count++];
    pli_collider_init(collider, shape, method);
    collider->stiffness = 1e4;
    return collider;
}

// A half-space through the origin with this outward normal.
static inline pli_collider *solids_add_plane(solids *s, double nx, double ny, double nz,
                                             pli_collider_method method)
{
    const pli_shape *plane = NULL;
    OK(s->context, pli_shape_plane(s->set, (double[3]){0, 0, 0}, (double[3]){nx, ny, nz}, &plane));
    return solids_add(s, plane, method);
}

static inline const pli_shape *solids_sphere(solids *s, double radius)
{
    const pli_shape *sphere = NULL;
    OK(s->context, pli_shape_sphere(s->set, (double[3]){0, 0, 0}, radius, &sphere));
    return sphere;
}

static inline const pli_shape *solids_negation(solids *s, const pli_shape *source)
{
    const pli_shape *shape = NULL;
    OK(s->context, pli_shape_negation(s->set, source, &shape));
    return shape;
}

typedef enum solid_kind {
    SOLID_PLANE,
    SOLID_SPHERE,
    SOLID_INSIDE_OUT_SPHERE,
    SOLID_TORUS,
    SOLID_CYLINDER,
    SOLID_CAPSULE,
    SOLID_ROUND_BOX,
    SOLID_ELLIPSOID,
    SOLID_BLEND, // values are no distances where the parts meet
    SOLID_ANALYTIC,
    SOLID_LINEAR = SOLID_ANALYTIC, // sampled
    SOLID_CUBIC,
    SOLID_COUNT
} solid_kind;

// Of about unit size around the origin.
static inline const pli_shape *solids_shape(solids *s, solid_kind kind)
{
    const double origin[3] = {0, 0, 0};
    const double up[3] = {0, 1, 0};
    const double low[3] = {-0.5, -0.2, 0};
    const double high[3] = {0.5, 0.2, 0.1};
    const double radii[3] = {0.6, 0.4, 0.8};
    const double size[3] = {1, 0.8, 1.2};
    const pli_shape *shape = NULL;
    const pli_shape *parts[2] = {NULL, NULL};
    pli_shape_interpolation how = kind == SOLID_LINEAR ? PLI_SHAPE_LINEAR : PLI_SHAPE_CUBIC;
    switch (kind) {
    case SOLID_PLANE: OK(s->context, pli_shape_plane(s->set, origin, high, &shape)); break;
    case SOLID_SPHERE: return solids_sphere(s, 0.7);
    case SOLID_INSIDE_OUT_SPHERE: return solids_negation(s, solids_sphere(s, 0.7));
    case SOLID_TORUS: OK(s->context, pli_shape_torus(s->set, origin, up, 0.6, 0.25, &shape)); break;
    case SOLID_CYLINDER: OK(s->context, pli_shape_cylinder(s->set, low, high, 0.4, &shape)); break;
    case SOLID_CAPSULE: OK(s->context, pli_shape_capsule(s->set, low, high, 0.3, &shape)); break;
    case SOLID_ROUND_BOX: OK(s->context, pli_shape_box(s->set, origin, size, 0.3, &shape)); break;
    case SOLID_ELLIPSOID: OK(s->context, pli_shape_ellipsoid(s->set, origin, radii, &shape)); break;
    case SOLID_BLEND:
        OK(s->context, pli_shape_capsule(s->set, low, high, 0.3, &parts[0]));
        OK(s->context, pli_shape_sphere(s->set, up, 0.8, &parts[1]));
        OK(s->context, pli_shape_union(s->set, 2, parts, 0.3, &shape));
        break;
    default: OK(s->context, pli_shape_sampled(s->set, solids_sphere(s, 0.7), 12, how, &shape));
    }
    return shape;
}

// Somewhere else, turned about an oblique axis.
static inline void solids_pose(double angle, double shift, pli_rigid_pose *pose)
{
    double axis[3] = {1, 2, -1.5};
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, angle, pose->R);
    pli_vec3_set(0.3 * shift, -0.2 * shift, 0.5 * shift, pose->offset);
}

// A collider that moved and turned during the step.
static inline void solids_move(pli_collider *collider)
{
    pli_vec3_set(0.1, 0.05, -0.2, collider->center);
    solids_pose(0.4, 0.5, &collider->before);
    solids_pose(0.9, 0.8, &collider->now);
}

// Uniform in the cube [-reach, reach]^3.
static inline void solids_point(uint64_t stream, uint64_t index, double reach, double out[3])
{
    pli_random random = {31, stream};
    for (uint64_t k = 0; k < 3; ++k) {
        out[k] = pli_random_range(random, 3 * index + k, -reach, reach);
    }
}

#endif
