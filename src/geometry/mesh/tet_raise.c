// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/tet_mesh.h"

#include "base/memory.h"
#include "geometry/mesh/sort.h"

static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

void pli_tet_split(const int32_t corners[4], const int32_t mid[6], int32_t *parts)
{
    // four at the corners, and four around the line from the middle of edge 02 to that of edge 13
    static const int nodes[PLI_TET_PARTS][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9},
                                                {7, 8, 9, 3}, {6, 8, 4, 5}, {6, 8, 5, 9},
                                                {6, 8, 9, 7}, {6, 8, 7, 4}};
    for (int k = 0; k < 4 * PLI_TET_PARTS; ++k) {
        int node = nodes[k / 4][k % 4];
        parts[k] = node < 4 ? corners[node] : mid[node - 4];
    }
}

typedef struct raising {
    pli_tet_mesh *mesh;
    int64_t count;  // edges, each once for every element
    uint64_t *keys; // [count] smaller and larger vertex
    int32_t *order; // [count] edges by key
} raising;

static void list_keys(raising *r)
{
    for (int64_t k = 0; k < r->count; ++k) {
        const int32_t *tet = r->mesh->tets + 4 * (k / 6);
        int32_t a = tet[edges[k % 6][0]], b = tet[edges[k % 6][1]];
        r->keys[k] = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
    }
}

// Numbers the edges in the order of their keys, from the number of vertices on.
static int32_t number_edges(raising *r)
{
    int32_t next = r->mesh->vertex_count - 1;
    for (int64_t k = 0; k < r->count; ++k) {
        bool is_new = k == 0 || r->keys[r->order[k]] != r->keys[r->order[k - 1]];
        r->mesh->mid[r->order[k]] = next += is_new;
    }
    return next + 1;
}

static void place_nodes(const raising *r, int32_t first, int32_t count)
{
    pli_tet_mesh *mesh = r->mesh;
    int32_t origin = mesh->vertex_origin[first - 1] + 1 - first;
    for (int32_t k = first; k < count; ++k) mesh->vertex_origin[k] = origin + k;
    for (int64_t k = 0; k < r->count; ++k) {
        double *x = mesh->points + 3 * (int64_t)mesh->mid[k];
        const double *a = mesh->points + 3 * (int64_t)(r->keys[k] >> 32);
        const double *b = mesh->points + 3 * (int64_t)(r->keys[k] & UINT32_MAX);
        for (int i = 0; i < 3; ++i) x[i] = 0.5 * (a[i] + b[i]);
    }
}

pli_status pli_tet_mesh_raise(pli_tet_mesh *mesh)
{
    if (mesh->mid != NULL) return PLI_OK;
    pli_context *context = mesh->context;
    raising r = {.mesh = mesh, .count = 6 * (int64_t)mesh->tet_count};
    if (r.count > INT32_MAX / 4) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "%d tetrahedra are too many to have nodes on their edges; at most %d can",
                        mesh->tet_count, INT32_MAX / 24);
    }
    pli_status status = PLI_ERROR_MEMORY;
    r.keys = PLI_NEW(context, uint64_t, r.count, "edge nodes");
    r.order = PLI_NEW(context, int32_t, r.count, "edge nodes");
    mesh->mid = PLI_NEW(context, int32_t, r.count, "edge nodes");
    if (r.keys == NULL || r.order == NULL || mesh->mid == NULL) goto done;
    list_keys(&r);
    status = pli_sort_order(context, (int32_t)r.count, r.keys, r.order);
    if (status != PLI_OK) goto done;
    int32_t first = mesh->vertex_count, count = number_edges(&r);
    status = PLI_RESIZE(context, mesh->points, 3 * (int64_t)count, "edge nodes");
    if (status == PLI_OK) {
        status = PLI_RESIZE(context, mesh->vertex_origin, count, "edge nodes");
    }
    if (status != PLI_OK) goto done;
    mesh->vertex_count = count;
    place_nodes(&r, first, count);

done:
    PLI_RELEASE(context, r.order, r.keys);
    if (status != PLI_OK) {
        pli_release(context, mesh->mid);
        mesh->mid = NULL;
    }
    return status;
}
