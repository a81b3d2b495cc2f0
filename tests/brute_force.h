// SPDX-License-Identifier: Apache-2.0
//
// A judge of states that shares nothing with what keeps them free of intersections: no tree, no
// broad phase, no distances, no step filter, not even the solver's list of surface triangles. The
// boundary is what sorting all faces leaves single; every triangle is held against every other
// through plain boxes, and exact predicates decide. The time grows with the square of the
// triangles: for small scenes only.
#ifndef PLI_TESTS_BRUTE_FORCE_H
#define PLI_TESTS_BRUTE_FORCE_H

#include "near.h"

#include "geometry/collision/crossing.h"
#include "geometry/collision/predicates.h"

#include "pliant/pliant.h"

typedef struct brute_face {
    int32_t sorted[3];  // vertices, ascending
    int32_t corners[3]; // as they are
} brute_face;

typedef struct brute_surface {
    int32_t triangle_count;
    int32_t *triangles; // [triangle_count][3] vertices of the model; free()
} brute_surface;

typedef struct brute_findings {
    int32_t triangles; // tested
    int64_t near;      // pairs whose boxes meet: a check that there was something to test
    int64_t crossings; // pairs that have a point in common
    int32_t inverted;  // tetrahedra whose volume is not positive
    int32_t behind;    // vertices on or behind a plane
} brute_findings;

// ---- the boundary

static inline brute_face brute_face_of(const int32_t corners[3])
{
    brute_face face = {.corners = {corners[0], corners[1], corners[2]},
                       .sorted = {corners[0], corners[1], corners[2]}};
    static const int swaps[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int k = 0; k < 3; ++k) {
        int32_t *a = &face.sorted[swaps[k][0]];
        int32_t *b = &face.sorted[swaps[k][1]];
        int32_t low = *a < *b ? *a : *b;
        *b = *a < *b ? *b : *a;
        *a = low;
    }
    return face;
}

static inline int brute_face_order(const void *a, const void *b)
{
    const brute_face *first = a;
    const brute_face *second = b;
    for (int k = 0; k < 3; ++k) {
        if (first->sorted[k] != second->sorted[k]) {
            return first->sorted[k] < second->sorted[k] ? -1 : 1;
        }
    }
    return 0;
}

// Faces of one tetrahedron only, and the triangles of shells and obstacles.
static inline void brute_surface_init(brute_surface *surface, int32_t tet_count,
                                      const int32_t *tets, int32_t triangle_count,
                                      const int32_t *triangles)
{
    static const int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int32_t count = 4 * tet_count;
    brute_face *all = malloc(((size_t)count + 1) * sizeof *all);
    surface->triangle_count = 0;
    surface->triangles = malloc(3 * (size_t)(count + triangle_count + 1) * sizeof(int32_t));
    assert_non_null(all);
    assert_non_null(surface->triangles);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t *tet = tets + 4 * (i / 4);
        const int *face = faces[i % 4];
        all[i] = brute_face_of((int32_t[3]){tet[face[0]], tet[face[1]], tet[face[2]]});
    }
    qsort(all, (size_t)count, sizeof *all, brute_face_order);
    for (int32_t i = 0; i < count; ++i) {
        bool twin = (i > 0 && brute_face_order(&all[i], &all[i - 1]) == 0) ||
                    (i + 1 < count && brute_face_order(&all[i], &all[i + 1]) == 0);
        if (twin) continue;
        memcpy(surface->triangles + 3 * surface->triangle_count++, all[i].corners,
               sizeof all[i].corners);
    }
    if (triangle_count > 0) {
        memcpy(surface->triangles + 3 * surface->triangle_count, triangles,
               3 * (size_t)triangle_count * sizeof(int32_t));
    }
    surface->triangle_count += triangle_count;
    free(all);
}

static inline void brute_surface_clear(brute_surface *surface)
{
    free(surface->triangles);
}

// ---- all pairs

static inline bool brute_boxes_meet(const double *x, const int32_t a[3], const int32_t b[3])
{
    for (int k = 0; k < 3; ++k) {
        double a0 = x[3 * a[0] + k], a1 = x[3 * a[1] + k], a2 = x[3 * a[2] + k];
        double b0 = x[3 * b[0] + k], b1 = x[3 * b[1] + k], b2 = x[3 * b[2] + k];
        if (fmin(a0, fmin(a1, a2)) > fmax(b0, fmax(b1, b2))) return false;
        if (fmin(b0, fmin(b1, b2)) > fmax(a0, fmax(a1, a2))) return false;
    }
    return true;
}

static inline void brute_count_crossings(const brute_surface *surface, const double *x,
                                         brute_findings *findings)
{
    findings->triangles = surface->triangle_count;
    for (int32_t i = 0; i < surface->triangle_count; ++i) {
        const int32_t *a = surface->triangles + 3 * i;
        for (int32_t j = i + 1; j < surface->triangle_count; ++j) {
            const int32_t *b = surface->triangles + 3 * j;
            if (!brute_boxes_meet(x, a, b)) continue;
            ++findings->near;
            findings->crossings += pli_triangles_cross(x, a, b);
        }
    }
}

static inline void brute_count_inverted(int32_t tet_count, const int32_t *tets, const double *x,
                                        brute_findings *findings)
{
    for (int32_t i = 0; i < tet_count; ++i) {
        const int32_t *t = tets + 4 * i;
        int side = pli_orient3d(x + 3 * t[0], x + 3 * t[1], x + 3 * t[2], x + 3 * t[3]);
        findings->inverted += side <= 0;
    }
}

// Planes that are colliders and stand still; there is nothing else of the kind in barrier contact.
static inline void brute_count_behind(const pli_scene_def *scene, int32_t vertex_count,
                                      const double *x, brute_findings *findings)
{
    for (int32_t c = 0; c < scene->collider_count; ++c) {
        assert_int_equal(scene->colliders[c].shape.kind, PLI_SHAPE_PLANE);
        const pli_plane_def *plane = scene->colliders[c].shape.data;
        for (int32_t i = 0; i < vertex_count; ++i) {
            double height = 0;
            for (int k = 0; k < 3; ++k) {
                height += plane->normal[k] * (x[3 * i + k] - plane->point[k]);
            }
            findings->behind += !(height > 0);
        }
    }
}

// All of it for the state of a model.
static inline brute_findings brute_check(const pli_scene *scene, const pli_model *model,
                                         const pli_state *state, const brute_surface *surface)
{
    brute_findings findings = {0};
    pli_model_info info = pli_model_get_info(model);
    const double *x = pli_state_get(state).positions;
    brute_count_crossings(surface, x, &findings);
    brute_count_inverted(info.tet_count, pli_model_get_mesh(model).tets, x, &findings);
    brute_count_behind(pli_scene_get(scene), info.vertex_count, x, &findings);
    return findings;
}

#endif
