// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "geometry/mesh/sort.h"
#include "geometry/mesh/tet_mesh.h"

#include <string.h>

// working arrays of a renumbering
typedef struct renumbering {
    uint64_t *keys;  // [max(vertex_count, tet_count)]
    int32_t *order;  // [same] old index at each new place
    int32_t *number; // [vertex_count] new index of each old vertex
    double *points;  // [vertex_count][3]
    int32_t *ints;   // [4 tet_count] or [vertex_count], whichever is longer
} renumbering;

static pli_status order_vertices(pli_tet_mesh *mesh, renumbering *work)
{
    pli_bounds bounds = pli_tet_mesh_bounds(mesh);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        work->keys[v] = pli_hilbert_key(&bounds, mesh->points + 3 * (int64_t)v);
    }
    PLI_TRY(pli_sort_order(mesh->context, mesh->vertex_count, work->keys, work->order));

    int32_t count = mesh->vertex_count;
    memcpy(work->points, mesh->points, (size_t)count * 3 * sizeof(double));
    memcpy(work->ints, mesh->vertex_origin, (size_t)count * sizeof(int32_t));
    for (int32_t v = 0; v < count; ++v) {
        int32_t old = work->order[v];
        work->number[old] = v;
        pli_vec3_copy(work->points + 3 * (int64_t)old, mesh->points + 3 * (int64_t)v);
        mesh->vertex_origin[v] = work->ints[old];
    }
    for (int64_t k = 0; k < 4 * (int64_t)mesh->tet_count; ++k) {
        mesh->tets[k] = work->number[mesh->tets[k]];
    }
    for (int64_t k = 0; mesh->mid != NULL && k < 6 * (int64_t)mesh->tet_count; ++k) {
        mesh->mid[k] = work->number[mesh->mid[k]];
    }
    return PLI_OK;
}

// The two smallest corners as one key: elements around a vertex become neighbours.
static uint64_t tet_key(const int32_t tet[4])
{
    int32_t first = INT32_MAX;
    int32_t second = INT32_MAX;
    for (int k = 0; k < 4; ++k) {
        if (tet[k] < first) {
            second = first;
            first = tet[k];
        } else if (tet[k] < second) {
            second = tet[k];
        }
    }
    return (uint64_t)first << 32 | (uint64_t)second;
}

static pli_status order_tets(pli_tet_mesh *mesh, renumbering *work)
{
    int32_t count = mesh->tet_count;
    for (int32_t t = 0; t < count; ++t) work->keys[t] = tet_key(mesh->tets + 4 * (int64_t)t);
    PLI_TRY(pli_sort_order(mesh->context, count, work->keys, work->order));

    memcpy(work->ints, mesh->tets, (size_t)count * 4 * sizeof(int32_t));
    for (int32_t t = 0; t < count; ++t) {
        memcpy(mesh->tets + 4 * (int64_t)t, work->ints + 4 * (int64_t)work->order[t],
               4 * sizeof(int32_t));
    }
    if (mesh->mid != NULL) {
        memcpy(work->ints, mesh->mid, (size_t)count * 6 * sizeof(int32_t));
        for (int32_t t = 0; t < count; ++t) {
            memcpy(mesh->mid + 6 * (int64_t)t, work->ints + 6 * (int64_t)work->order[t],
                   6 * sizeof(int32_t));
        }
    }
    if (mesh->tet_group == NULL) return PLI_OK;
    memcpy(work->ints, mesh->tet_group, (size_t)count * sizeof(int32_t));
    for (int32_t t = 0; t < count; ++t) mesh->tet_group[t] = work->ints[work->order[t]];
    return PLI_OK;
}

pli_status pli_tet_mesh_reorder(pli_tet_mesh *mesh)
{
    pli_context *context = mesh->context;
    int64_t vertices = mesh->vertex_count;
    int64_t tets = mesh->tet_count;
    int64_t longest = vertices > tets ? vertices : tets;
    renumbering work = {
        .keys = PLI_NEW(context, uint64_t, longest, "order keys"),
        .order = PLI_NEW(context, int32_t, longest, "order"),
        .number = PLI_NEW(context, int32_t, vertices, "vertex numbers"),
        .points = PLI_NEW(context, double, 3 * vertices, "order points"),
        .ints = PLI_NEW(context, int32_t, vertices > 6 * tets ? vertices : 6 * tets, "order ints"),
    };
    pli_status status = PLI_ERROR_MEMORY;
    if (work.keys == NULL || work.order == NULL || work.number == NULL || work.points == NULL ||
        work.ints == NULL) {
        goto done;
    }
    status = order_vertices(mesh, &work);
    if (status == PLI_OK) status = order_tets(mesh, &work);

done:
    PLI_RELEASE(context, work.ints, work.points, work.number, work.order, work.keys);
    return status;
}
