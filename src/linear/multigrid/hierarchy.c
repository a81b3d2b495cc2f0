// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid/hierarchy.h"

#include "base/memory.h"

static void transfer_clear(pli_context *context, pli_interpolation_map *transfer)
{
    PLI_RELEASE(context, transfer->start, transfer->parent, transfer->weight, transfer->place);
    *transfer = (pli_interpolation_map){0};
}

pli_status pli_interpolation_map_init(pli_context *context, int32_t fine_count,
                                      int32_t coarse_count, int64_t link_count, bool weighted,
                                      pli_interpolation_map *transfer)
{
    *transfer = (pli_interpolation_map){
        .fine_count = fine_count, .coarse_count = coarse_count, .link_count = link_count};
    transfer->start = PLI_NEW(context, int64_t, (int64_t)fine_count + 1, "links");
    transfer->parent = PLI_NEW(context, int32_t, link_count, "links");
    transfer->place = PLI_NEW(context, double, 4 * link_count, "links");
    if (weighted) transfer->weight = PLI_NEW(context, double, link_count, "links");
    bool complete = transfer->start != NULL && transfer->parent != NULL &&
                    transfer->place != NULL && (!weighted || transfer->weight != NULL);
    if (complete) return PLI_OK;
    transfer_clear(context, transfer);
    return PLI_ERROR_MEMORY;
}

void pli_hierarchy_destroy(pli_hierarchy *hierarchy)
{
    if (hierarchy == NULL) return;
    pli_context *context = hierarchy->context;
    for (int32_t level = 0; level < PLI_HIERARCHY_LEVELS; ++level) {
        transfer_clear(context, &hierarchy->transfers[level]);
        pli_release(context, hierarchy->samples[level]);
    }
    pli_release(context, hierarchy);
}

bool pli_interpolation_map_is_piecewise(const pli_interpolation_map *transfer)
{
    for (int32_t node = 0; node < transfer->fine_count; ++node) {
        if (transfer->start[node + 1] - transfer->start[node] > 1) return false;
    }
    for (int64_t link = 0; transfer->weight != NULL && link < transfer->link_count; ++link) {
        if (transfer->weight[link] != 1) return false;
    }
    return true;
}

int64_t pli_hierarchy_memory_bytes(const pli_hierarchy *hierarchy)
{
    int64_t bytes = 0;
    for (int32_t level = 0; level < hierarchy->level_count; ++level) {
        const pli_interpolation_map *transfer = &hierarchy->transfers[level];
        int64_t link = (int64_t)(sizeof *transfer->parent + 4 * sizeof *transfer->place);
        if (transfer->weight != NULL) link += (int64_t)sizeof *transfer->weight;
        bytes += transfer->link_count * link;
        bytes += ((int64_t)transfer->fine_count + 1) * (int64_t)sizeof *transfer->start;
        if (hierarchy->samples[level] != NULL) {
            bytes += transfer->coarse_count * (int64_t)sizeof *hierarchy->samples[level];
        }
    }
    return bytes;
}
