// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/cloth_net.h"

#include "base/memory.h"
#include "geometry/mesh/edges.h"
#include "geometry/mesh/hinges.h"
#include "geometry/mesh/sort.h"

void pli_cloth_net_clear(pli_context *context, pli_cloth_net *net)
{
    PLI_RELEASE(context, net->bends, net->ends);
    *net = (pli_cloth_net){0};
}

static pli_status allocate_net(pli_context *context, int64_t room, pli_cloth_net *net)
{
    net->ends = PLI_NEW(context, int32_t, 2 * room, "springs of cloth");
    net->bends = PLI_NEW(context, uint8_t, room, "springs of cloth");
    if (net->ends != NULL && net->bends != NULL) return PLI_OK;
    pli_cloth_net_clear(context, net);
    return PLI_ERROR_MEMORY;
}

static void add_spring(pli_cloth_net *net, int32_t first, int32_t second, bool bends)
{
    net->ends[2 * (int64_t)net->count] = first;
    net->ends[2 * (int64_t)net->count + 1] = second;
    net->bends[net->count] = bends;
    ++net->count;
}

// ---- grids

// Adds the springs that lead from vertex (i, j) to later ones.
static void add_grid_springs(pli_cloth_net *net, const int32_t cells[2], int32_t i, int32_t j)
{
    static const struct {
        int32_t i, j;
        bool bends;
    } steps[] = {{1, 0, false}, {2, 0, true},  {-1, 1, false},
                 {0, 1, false}, {1, 1, false}, {0, 2, true}};
    int32_t vertex = i + (cells[0] + 1) * j;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        int32_t to_i = i + steps[k].i;
        int32_t to_j = j + steps[k].j;
        if (to_i < 0 || to_i > cells[0] || to_j > cells[1]) continue;
        add_spring(net, vertex, to_i + (cells[0] + 1) * to_j, steps[k].bends);
    }
}

pli_status pli_cloth_net_build_grid(pli_context *context, const int32_t cells[2],
                                    pli_cloth_net *net)
{
    *net = (pli_cloth_net){0};
    int64_t vertex_count = ((int64_t)cells[0] + 1) * ((int64_t)cells[1] + 1);
    if (cells[0] < 1 || cells[1] < 1 || vertex_count > INT32_MAX / 12) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "cloth of %d x %d squares; there must be some, and at most %d vertices",
                        (int)cells[0], (int)cells[1], INT32_MAX / 12);
    }
    // at most six springs lead from a vertex to later ones
    PLI_TRY(allocate_net(context, 6 * vertex_count, net));
    for (int32_t j = 0; j <= cells[1]; ++j) {
        for (int32_t i = 0; i <= cells[0]; ++i) add_grid_springs(net, cells, i, j);
    }
    return PLI_OK;
}

// ---- triangles

static uint64_t pair_key(int32_t a, int32_t b)
{
    return (uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
}

// Writes edges, then the pairs across hinges, as (smaller << 32 | larger); returns how many.
static int64_t list_pairs(int32_t edge_count, const int32_t *edges, const pli_hinge_list *hinges,
                          uint64_t *pairs)
{
    int64_t count = 0;
    for (int64_t k = 0; k < edge_count; ++k) {
        pairs[count++] = pair_key(edges[2 * k], edges[2 * k + 1]);
    }
    for (int64_t k = 0; k < hinges->count; ++k) {
        const int32_t *across = hinges->vertices + 4 * k + 2;
        // two triangles on the same corners have nothing across
        if (across[0] != across[1]) pairs[count++] = pair_key(across[0], across[1]);
    }
    return count;
}

// Adds every pair once; of equal ones an edge is the first, since the order is stable.
static void add_pairs(pli_cloth_net *net, int64_t count, const uint64_t *pairs,
                      const int32_t *order, int32_t edge_count)
{
    for (int64_t k = 0; k < count; ++k) {
        uint64_t pair = pairs[order[k]];
        if (k > 0 && pair == pairs[order[k - 1]]) continue;
        add_spring(net, (int32_t)(pair >> 32), (int32_t)(pair & UINT32_MAX),
                   order[k] >= edge_count);
    }
}

static pli_status join_pairs(pli_context *context, int32_t edge_count, const int32_t *edges,
                             const pli_hinge_list *hinges, pli_cloth_net *net)
{
    pli_status status = PLI_ERROR_MEMORY;
    int64_t room = (int64_t)edge_count + hinges->count;
    uint64_t *pairs = PLI_NEW(context, uint64_t, room, "pairs of cloth");
    int32_t *order = PLI_NEW(context, int32_t, room, "pairs of cloth");
    if (pairs == NULL || order == NULL) goto done;
    int64_t count = list_pairs(edge_count, edges, hinges, pairs);
    status = pli_sort_order(context, count, pairs, order);
    if (status == PLI_OK) status = allocate_net(context, count, net);
    if (status == PLI_OK) add_pairs(net, count, pairs, order, edge_count);

done:
    PLI_RELEASE(context, order, pairs);
    return status;
}

pli_status pli_cloth_net_build(pli_context *context, int32_t triangle_count,
                               const int32_t *triangles, pli_cloth_net *net)
{
    *net = (pli_cloth_net){0};
    int32_t edge_count = 0;
    int32_t *edges = NULL;
    pli_hinge_list hinges = {0};
    PLI_TRY(pli_edges_build(context, triangle_count, triangles, &edge_count, &edges));
    pli_status status = pli_hinge_list_build(context, triangle_count, triangles, &hinges);
    if (status == PLI_OK) {
        status = join_pairs(context, edge_count, edges, &hinges, net);
        pli_hinge_list_clear(context, &hinges);
    }
    pli_release(context, edges);
    return status;
}
