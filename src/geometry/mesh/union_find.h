// SPDX-License-Identifier: Apache-2.0
//
// Union-find over int32_t items with path halving. The smaller root wins, so the roots do not
// depend on the order of joins. Start with parent[i] = i.
#ifndef PLI_GEOMETRY_MESH_UNION_FIND_H
#define PLI_GEOMETRY_MESH_UNION_FIND_H

#include <stdint.h>

static inline int32_t pli_union_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void pli_union_join(int32_t *parent, int32_t a, int32_t b)
{
    a = pli_union_root(parent, a);
    b = pli_union_root(parent, b);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

#endif
