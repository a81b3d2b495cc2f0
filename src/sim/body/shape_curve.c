// SPDX-License-Identifier: Apache-2.0
#include "sim/body/shape_build.h"

#include "base/memory.h"
#include "fem/tet_quadratic.h"
#include "geometry/mesh/surface.h"
#include "math/vec3.h"

#include <math.h>

// Share of its straight volume that a curved element keeps at every material point.
static const double kept = 0.2;

// Newton's steps along the gradient; farther than half an edge away the surface is another one.
static bool project(const pli_shape *shape, double reach, double x[3])
{
    double start[3];
    pli_vec3_copy(x, start);
    for (int k = 0; k < 20; ++k) {
        double n[3], value = pli_shape_gradient(shape, x, n), square = pli_vec3_norm2(n);
        if (fabs(value) < 1e-12 * reach) break;
        if (!(square > 0)) return false;
        pli_vec3_add_scaled(x, -value / square, n, x);
        if (!(pli_vec3_distance(x, start) < reach)) return false;
    }
    return true;
}

// Moves the nodes in the middle of boundary edges; moved [vertex_count].
static void project_nodes(const pli_shape *shape, pli_tet_mesh *mesh, const pli_surface *surface,
                          uint8_t *moved)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (int64_t k = 0; k < 6 * (int64_t)mesh->tet_count; ++k) {
        int32_t node = mesh->mid[k];
        if (surface->surface_of_vertex[node] < 0 || moved[node]) continue;
        const int32_t *tet = mesh->tets + 4 * (k / 6);
        const double *a = mesh->points + 3 * (int64_t)tet[ends[k % 6][0]];
        const double *b = mesh->points + 3 * (int64_t)tet[ends[k % 6][1]];
        double x[3];
        pli_vec3_copy(mesh->points + 3 * (int64_t)node, x);
        if (!project(shape, 0.5 * pli_vec3_distance(a, b), x)) continue;
        pli_vec3_copy(x, mesh->points + 3 * (int64_t)node);
        moved[node] = 1;
    }
}

// Straightens the edges of an element; returns whether one was curved.
static bool straighten(pli_tet_mesh *mesh, int64_t tet, uint8_t *moved)
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    const int32_t *corners = mesh->tets + 4 * tet;
    bool any = false;
    for (int k = 0; k < 6; ++k) {
        int32_t node = mesh->mid[6 * tet + k];
        if (!moved[node]) continue;
        const double *a = mesh->points + 3 * (int64_t)corners[ends[k][0]];
        const double *b = mesh->points + 3 * (int64_t)corners[ends[k][1]];
        double *x = mesh->points + 3 * (int64_t)node;
        for (int i = 0; i < 3; ++i) x[i] = 0.5 * (a[i] + b[i]);
        moved[node] = 0;
        any = true;
    }
    return any;
}

static bool is_valid(const pli_tet_mesh *mesh, int64_t tet)
{
    int32_t nodes[PLI_TET10];
    for (int k = 0; k < 4; ++k) nodes[k] = mesh->tets[4 * tet + k];
    for (int k = 0; k < 6; ++k) nodes[4 + k] = mesh->mid[6 * tet + k];
    pli_tet10_shape shape;
    pli_tet10_shape_compute(mesh->points, nodes, &shape);
    double quarter = 0.25 * pli_tet_volume_at(mesh->points, nodes);
    for (int k = 0; k < PLI_TET10_POINTS; ++k) {
        if (!(shape.volume[k] > kept * quarter)) return false;
    }
    return true;
}

static void repair(pli_tet_mesh *mesh, uint8_t *moved)
{
    // every round straightens an edge, or is the last
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t tet = 0; tet < mesh->tet_count; ++tet) {
            if (!is_valid(mesh, tet)) changed = straighten(mesh, tet, moved) || changed;
        }
    }
}

static pli_status curve(const pli_shape *shape, pli_tet_mesh *mesh)
{
    pli_surface *surface = NULL;
    PLI_TRY(pli_surface_create(mesh, &surface));
    pli_status status = PLI_ERROR_MEMORY;
    uint8_t *moved = PLI_NEW(mesh->context, uint8_t, mesh->vertex_count, "curved edges");
    if (moved != NULL) {
        project_nodes(shape, mesh, surface, moved);
        repair(mesh, moved);
        status = PLI_OK;
    }
    pli_release(mesh->context, moved);
    pli_surface_destroy(surface);
    return status;
}

pli_status pli_shape_curve(pli_context *context, const pli_fill_def *def, pli_tet_mesh *mesh)
{
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    PLI_TRY(pli_shape_set_create(context, &set));
    pli_status status = pli_shape_build(set, &def->shape, &shape);
    if (status == PLI_OK) status = curve(shape, mesh);
    pli_shape_set_destroy(set);
    return status;
}
