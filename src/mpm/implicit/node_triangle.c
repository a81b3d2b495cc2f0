// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_triangle.h"

#include "base/memory.h"

// A block that is large enough: the old one, or a new one in its place.
static void *renew(pli_context *context, void *old, int64_t count, size_t size)
{
    if (old != NULL && pli_memory_size(old) >= (size_t)count * size) return old;
    pli_release(context, old);
    return pli_allocate(context, count + count / 4, size, "triangle of a level");
}

pli_status pli_node_triangle_reserve(pli_context *context, pli_node_triangle *triangle,
                                     int64_t rows, int64_t blocks)
{
    triangle->start = renew(context, triangle->start, rows + 1, sizeof *triangle->start);
    triangle->column = renew(context, triangle->column, blocks, sizeof *triangle->column);
    triangle->values = renew(context, triangle->values, 9 * blocks + 1, sizeof *triangle->values);
    return triangle->start != NULL && triangle->column != NULL && triangle->values != NULL
               ? PLI_OK
               : PLI_ERROR_MEMORY;
}

void pli_node_triangle_clear(pli_context *context, pli_node_triangle *triangle)
{
    PLI_RELEASE(context, triangle->start, triangle->column, triangle->values);
    *triangle = (pli_node_triangle){0};
}

int64_t pli_node_triangle_memory(const pli_node_triangle *triangle)
{
    if (triangle->start == NULL) return 0;
    return (int64_t)(pli_memory_size(triangle->start) + pli_memory_size(triangle->column) +
                     pli_memory_size(triangle->values));
}
