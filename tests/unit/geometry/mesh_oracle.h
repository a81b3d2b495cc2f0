// SPDX-License-Identifier: Apache-2.0
//
// What every mesh made from a shape must satisfy, checked by means that the mesher does not use.
#ifndef PLI_TESTS_MESH_ORACLE_H
#define PLI_TESTS_MESH_ORACLE_H

#include "near.h"
#include "support/tet_quality.h"

#include "base/hash.h"
#include "base/random.h"
#include "geometry/mesh/surface.h"
#include "geometry/shapes/shape.h"

// the bound of the method on a uniform lattice, degrees
static const double least_dihedral = 10.7;
static const double largest_dihedral = 164.8;

static inline pli_tri_mesh_report oracle_skin(const pli_tet_mesh *mesh)
{
    pli_surface *surface = NULL;
    pli_tri_mesh *skin = NULL;
    pli_tri_mesh_report report;
    OK(mesh->context, pli_surface_create(mesh, &surface));
    OK(mesh->context, pli_surface_to_tri_mesh(surface, mesh, &skin));
    OK(mesh->context, pli_tri_mesh_check(skin, &report));
    pli_tri_mesh_destroy(skin);
    pli_surface_destroy(surface);
    return report;
}

// Angles in band, surface closed, oriented and a manifold, volumes of elements and skin equal.
static inline void oracle_check_mesh(const pli_tet_mesh *mesh)
{
    pli_tet_quality quality = pli_tet_mesh_quality(mesh);
    AT_LEAST(quality.min_dihedral, least_dihedral);
    AT_MOST(quality.max_dihedral, largest_dihedral);
    pli_tri_mesh_report skin = oracle_skin(mesh);
    assert_true(skin.is_closed && skin.is_oriented && skin.is_manifold);
    NEAR(skin.volume, quality.total_volume, 1e-10, 0);
}

// Volume of a shape inside a box by one random point per cell of a grid.
static inline double oracle_volume(const pli_shape *shape, const pli_bounds *box, int32_t cells)
{
    pli_random random = {99, 0};
    double size[3], point[3];
    double *points = calloc((size_t)cells * 3, sizeof *points);
    double *values = calloc((size_t)cells, sizeof *values);
    int64_t inside = 0;
    uint64_t draw = 0;
    for (int k = 0; k < 3; ++k) size[k] = (box->max[k] - box->min[k]) / cells;
    for (int32_t row = 0; row < cells * cells; ++row) {
        for (int32_t i = 0; i < cells; ++i) {
            const int32_t at[3] = {i, row % cells, row / cells};
            for (int k = 0; k < 3; ++k) {
                point[k] = box->min[k] + size[k] * (at[k] + pli_random_uniform(random, draw++));
            }
            memcpy(points + 3 * i, point, sizeof point);
        }
        pli_shape_values(shape, cells, points, values);
        for (int32_t i = 0; i < cells; ++i) inside += values[i] < 0;
    }
    free(values);
    free(points);
    return (double)inside * size[0] * size[1] * size[2];
}

static inline uint64_t oracle_hash(const pli_tet_mesh *mesh)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, mesh->points,
                                   (size_t)mesh->vertex_count * 3 * sizeof(double));
    return pli_hash_bytes(hash, mesh->tets, (size_t)mesh->tet_count * 4 * sizeof(int32_t));
}

// the lines a context logs at warning level
typedef struct heard_warnings {
    int count;
    char text[512];
} heard_warnings;

static inline void hear_warning(void *user, pli_log_level level, const char *text)
{
    heard_warnings *heard = user;
    if (level != PLI_LOG_WARNING) return;
    ++heard->count;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static inline pli_context *listening_context(heard_warnings *heard)
{
    pli_context_def def = pli_context_def_default();
    def.log = hear_warning;
    def.log_user = heard;
    def.log_level = PLI_LOG_WARNING;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

#endif
