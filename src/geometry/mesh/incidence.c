// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/incidence.h"

#include "base/memory.h"

pli_status pli_incidence_build(pli_context *context, int32_t vertex_count, int32_t size,
                               int32_t count, const int32_t *corners, pli_incidence *incidence)
{
    int64_t total = (int64_t)size * count;
    *incidence = (pli_incidence){0};
    incidence->start = PLI_NEW(context, int64_t, (int64_t)vertex_count + 1, "incidence");
    incidence->elements = PLI_NEW(context, int32_t, total, "incidence");
    if (incidence->start == NULL || incidence->elements == NULL) {
        pli_incidence_clear(context, incidence);
        return PLI_ERROR_MEMORY;
    }
    // counts, shifted so that each becomes the start of its vertex after the lists are filled
    int64_t *start = incidence->start;
    for (int64_t k = 0; k < total; ++k) ++start[corners[k]];
    int64_t sum = 0;
    for (int32_t v = 0; v <= vertex_count; ++v) {
        sum += start[v];
        start[v] = sum;
    }
    // backwards, so that lists come out in increasing order
    for (int64_t k = total - 1; k >= 0; --k) {
        incidence->elements[--start[corners[k]]] = (int32_t)(k / size);
    }
    return PLI_OK;
}

void pli_incidence_clear(pli_context *context, pli_incidence *incidence)
{
    PLI_RELEASE(context, incidence->elements, incidence->start);
    *incidence = (pli_incidence){0};
}
