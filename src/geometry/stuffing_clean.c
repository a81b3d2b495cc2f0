// SPDX-License-Identifier: Apache-2.0
#include "geometry/stuffing_clean.h"

#include "base/memory.h"
#include "geometry/morton.h"

#include <string.h>

// Marks removed tetrahedra by a negative first vertex and closes the gaps.
static void soup_compact(pli_soup *soup)
{
    int32_t kept = 0;
    for (int32_t t = 0; t < soup->tet_count; ++t) {
        const int32_t *tet = soup->tets + 4 * (int64_t)t;
        if (tet[0] < 0) continue;
        memmove(soup->tets + 4 * (int64_t)kept, tet, 4 * sizeof(int32_t));
        ++kept;
    }
    soup->tet_count = kept;
}

// ---- links of points

enum { LINK_CAPACITY = 128 }; // triangles; no point of a stuffing has half as many

typedef struct link_edge {
    int32_t a, b; // vertices, ascending
    int32_t triangle;
} link_edge;

// The link of a point: a triangle per tetrahedron around it.
typedef struct link {
    int32_t triangle_count;
    int32_t tets[LINK_CAPACITY];
    int32_t triangles[LINK_CAPACITY][3];
    int32_t edge_count;
    link_edge edges[3 * LINK_CAPACITY]; // sorted; an inner edge appears twice in a row
    int32_t group[LINK_CAPACITY];       // representative of each triangle's group
} link;

static int32_t group_find(int32_t *group, int32_t i)
{
    while (group[i] != i) {
        group[i] = group[group[i]];
        i = group[i];
    }
    return i;
}

static void group_join(int32_t *group, int32_t i, int32_t j)
{
    i = group_find(group, i);
    j = group_find(group, j);
    if (i < j) group[j] = i;
    if (j < i) group[i] = j;
}

static bool edge_precedes(link_edge x, link_edge y)
{
    if (x.a != y.a) return x.a < y.a;
    if (x.b != y.b) return x.b < y.b;
    return x.triangle < y.triangle;
}

static void link_add_edge(link *around, int32_t a, int32_t b, int32_t triangle)
{
    link_edge edge = {a < b ? a : b, a < b ? b : a, triangle};
    int32_t at = around->edge_count++;
    for (; at > 0 && edge_precedes(edge, around->edges[at - 1]); --at) {
        around->edges[at] = around->edges[at - 1];
    }
    around->edges[at] = edge;
}

// Tetrahedra around each point, in lists.
typedef struct incidence {
    int32_t *start; // [point_count + 1]
    int32_t *tets;  // [4 tet_count]
} incidence;

// False when the point has more tetrahedra than a link can hold.
static bool link_build(const pli_soup *soup, const incidence *around, int32_t point, link *out)
{
    out->triangle_count = 0;
    out->edge_count = 0;
    for (int32_t k = around->start[point]; k < around->start[point + 1]; ++k) {
        const int32_t *tet = soup->tets + 4 * (int64_t)around->tets[k];
        if (tet[0] < 0) continue;
        if (out->triangle_count == LINK_CAPACITY) return false;
        int32_t t = out->triangle_count++;
        int32_t *triangle = out->triangles[t];
        int n = 0;
        for (int i = 0; i < 4; ++i) {
            if (tet[i] != point) triangle[n++] = tet[i];
        }
        out->tets[t] = around->tets[k];
        out->group[t] = t;
        for (int i = 0; i < 3; ++i) link_add_edge(out, triangle[i], triangle[(i + 1) % 3], t);
    }
    return true;
}

// Joins triangles across inner edges, only those at a vertex when one is given. Returns the number
// of different edges.
static int32_t link_join(link *around, int32_t vertex)
{
    int32_t different = 0;
    for (int32_t t = 0; t < around->triangle_count; ++t) around->group[t] = t;
    for (int32_t e = 0; e < around->edge_count; ++e) {
        const link_edge *edge = around->edges + e;
        bool twin = e > 0 && edge[-1].a == edge->a && edge[-1].b == edge->b;
        different += !twin;
        if (!twin || (vertex >= 0 && edge->a != vertex && edge->b != vertex)) continue;
        group_join(around->group, edge[-1].triangle, edge->triangle);
    }
    return different;
}

static bool triangle_has(const int32_t triangle[3], int32_t vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

// Of the triangles (at a vertex, when one is given) keeps the largest group; the tetrahedra of the
// others are removed. Returns their number.
static int32_t keep_largest(pli_soup *soup, link *around, int32_t vertex)
{
    int32_t size[LINK_CAPACITY] = {0};
    int32_t largest = -1;
    int32_t removed = 0;
    for (int32_t t = 0; t < around->triangle_count; ++t) {
        if (vertex < 0 || triangle_has(around->triangles[t], vertex)) {
            ++size[group_find(around->group, t)];
        }
    }
    for (int32_t t = 0; t < around->triangle_count; ++t) {
        if (size[t] > 0 && (largest < 0 || size[t] > size[largest])) largest = t;
    }
    for (int32_t t = 0; t < around->triangle_count; ++t) {
        int32_t group = group_find(around->group, t);
        if (size[group] == 0 || group == largest) continue;
        if (vertex >= 0 && !triangle_has(around->triangles[t], vertex)) continue;
        int32_t *tet = soup->tets + 4 * (int64_t)around->tets[t];
        tet[0] = -1 - tet[0];
        ++removed;
    }
    return removed;
}

// The first vertex of the link where more than two border edges meet, or -1; *vertex_count gets
// the number of different vertices.
static int32_t link_pinch(const link *around, int32_t *vertex_count)
{
    int32_t seen[3 * LINK_CAPACITY];
    int32_t border[3 * LINK_CAPACITY];
    int32_t count = 0;
    for (int32_t e = 0; e < around->edge_count; ++e) {
        const link_edge *edge = around->edges + e;
        bool before = e > 0 && edge[-1].a == edge->a && edge[-1].b == edge->b;
        bool after = e + 1 < around->edge_count && edge[1].a == edge->a && edge[1].b == edge->b;
        for (int side = 0; side < 2; ++side) {
            int32_t vertex = side == 0 ? edge->a : edge->b;
            int32_t at = 0;
            while (at < count && seen[at] != vertex) ++at;
            if (at == count) {
                seen[count] = vertex;
                border[count++] = 0;
            }
            border[at] += !before && !after;
        }
    }
    *vertex_count = count;
    for (int32_t i = 0; i < count; ++i) {
        if (border[i] > 2) return seen[i];
    }
    return -1;
}

// Repairs one point. Returns the number of tetrahedra removed.
static int32_t repair_point(pli_soup *soup, const incidence *around, int32_t point)
{
    link here;
    if (!link_build(soup, around, point, &here) || here.triangle_count == 0) return 0;

    // several pieces that meet in the point
    int32_t edge_count = link_join(&here, -1);
    int32_t removed = keep_largest(soup, &here, -1);
    if (removed > 0) return removed;

    // several fans around an edge
    int32_t vertex_count;
    int32_t pinch = link_pinch(&here, &vertex_count);
    if (pinch >= 0) {
        link_join(&here, pinch);
        return keep_largest(soup, &here, pinch);
    }

    // a link with holes: neither disc (1) nor sphere (2)
    if (vertex_count - edge_count + here.triangle_count >= 1) return 0;
    for (int32_t t = 0; t < here.triangle_count; ++t) {
        int32_t *tet = soup->tets + 4 * (int64_t)here.tets[t];
        tet[0] = -1 - tet[0];
    }
    return here.triangle_count;
}

static void incidence_fill(const pli_soup *soup, incidence *around)
{
    int64_t corner_count = 4 * (int64_t)soup->tet_count;
    memset(around->start, 0, ((size_t)soup->point_count + 1) * sizeof(int32_t));
    for (int64_t k = 0; k < corner_count; ++k) ++around->start[soup->tets[k]];
    for (int32_t p = 0; p < soup->point_count; ++p) around->start[p + 1] += around->start[p];
    for (int64_t k = corner_count - 1; k >= 0; --k) {
        around->tets[--around->start[soup->tets[k]]] = (int32_t)(k / 4);
    }
}

// One round over the suspects; the points of what was removed are the next suspects.
static int32_t repair_round(pli_soup *soup, const incidence *around)
{
    int32_t removed = 0;
    for (int32_t point = 0; point < soup->point_count; ++point) {
        if (!soup->is_pinched[point]) continue;
        soup->is_pinched[point] = false;
        int32_t here = repair_point(soup, around, point);
        // look again until there is nothing left to remove here
        if (here > 0) soup->is_pinched[point--] = true;
        removed += here;
    }
    for (int32_t t = 0; t < soup->tet_count && removed > 0; ++t) {
        int32_t *tet = soup->tets + 4 * (int64_t)t;
        if (tet[0] >= 0) continue;
        soup->is_pinched[-1 - tet[0]] = true;
        for (int i = 1; i < 4; ++i) soup->is_pinched[tet[i]] = true;
    }
    return removed;
}

pli_status pli_soup_remove_pinches(pli_soup *soup)
{
    pli_context *context = soup->context;
    pli_status status = PLI_ERROR_MEMORY;
    incidence around = {
        .start = PLI_NEW(context, int32_t, (int64_t)soup->point_count + 1, "tetrahedra of points"),
        .tets = PLI_NEW(context, int32_t, 4 * (int64_t)soup->tet_count, "tetrahedra of points")};
    if (around.start == NULL || around.tets == NULL) goto done;
    int32_t removed;
    do {
        incidence_fill(soup, &around);
        removed = repair_round(soup, &around);
        soup_compact(soup);
    } while (removed > 0);
    status = PLI_OK;

done:
    pli_release(context, around.tets);
    pli_release(context, around.start);
    return status;
}

// ---- crumbs

pli_status pli_soup_remove_crumbs(pli_soup *soup, double part, int32_t *dropped_count)
{
    *dropped_count = 0;
    pli_context *context = soup->context;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *piece = PLI_NEW(context, int32_t, soup->point_count, "pieces");
    double *volume = PLI_NEW(context, double, soup->point_count, "volumes of pieces");
    if (piece == NULL || volume == NULL) goto done;
    for (int32_t p = 0; p < soup->point_count; ++p) piece[p] = p;
    for (int32_t t = 0; t < soup->tet_count; ++t) {
        const int32_t *tet = soup->tets + 4 * (int64_t)t;
        for (int i = 1; i < 4; ++i) group_join(piece, tet[0], tet[i]);
    }
    double total = 0;
    for (int32_t t = 0; t < soup->tet_count; ++t) {
        const int32_t *tet = soup->tets + 4 * (int64_t)t;
        double v = pli_soup_tet_volume(soup->points, tet);
        volume[group_find(piece, tet[0])] += v;
        total += v;
    }
    for (int32_t t = 0; t < soup->tet_count; ++t) {
        int32_t *tet = soup->tets + 4 * (int64_t)t;
        if (volume[group_find(piece, tet[0])] < part * total) tet[0] = -1 - tet[0];
    }
    for (int32_t p = 0; p < soup->point_count; ++p) {
        *dropped_count += volume[p] > 0 && volume[p] < part * total;
    }
    soup_compact(soup);
    status = PLI_OK;

done:
    pli_release(context, volume);
    pli_release(context, piece);
    return status;
}

// ---- order

// Turns a tetrahedron, keeping its orientation, so that its smallest vertex is first.
static void tet_turn(int32_t tet[4])
{
    int least = 0;
    for (int i = 1; i < 4; ++i) {
        if (tet[i] < tet[least]) least = i;
    }
    // even permutations that bring each corner to the front
    static const int turns[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
    int32_t old[4] = {tet[0], tet[1], tet[2], tet[3]};
    for (int i = 0; i < 4; ++i) tet[i] = old[turns[least][i]];
}

// Moves used points to the front, keeping their order, and renumbers.
static void drop_unused(pli_soup *soup, int32_t *number)
{
    memset(number, -1, (size_t)soup->point_count * sizeof(int32_t));
    for (int64_t k = 0; k < 4 * (int64_t)soup->tet_count; ++k) number[soup->tets[k]] = 0;
    int32_t kept = 0;
    for (int32_t p = 0; p < soup->point_count; ++p) {
        if (number[p] < 0) continue;
        number[p] = kept;
        memmove(soup->points + 3 * (int64_t)kept, soup->points + 3 * (int64_t)p,
                3 * sizeof(double));
        ++kept;
    }
    soup->point_count = kept;
    for (int64_t k = 0; k < 4 * (int64_t)soup->tet_count; ++k) {
        soup->tets[k] = number[soup->tets[k]];
    }
}

// Applies an order to the points; number is scratch.
static void renumber(pli_soup *soup, const int32_t *order, int32_t *number, double *points)
{
    for (int32_t k = 0; k < soup->point_count; ++k) {
        number[order[k]] = k;
        pli_vec3_copy(soup->points + 3 * (int64_t)order[k], points + 3 * (int64_t)k);
    }
    memcpy(soup->points, points, 3 * (size_t)soup->point_count * sizeof(double));
    for (int32_t t = 0; t < soup->tet_count; ++t) {
        int32_t *tet = soup->tets + 4 * (int64_t)t;
        for (int i = 0; i < 4; ++i) tet[i] = number[tet[i]];
        tet_turn(tet);
    }
}

// Stable counting sort of the tetrahedra by their first vertex; start has point_count + 1 entries.
static void sort_tets(pli_soup *soup, int32_t *start, int32_t *tets)
{
    memset(start, 0, ((size_t)soup->point_count + 1) * sizeof(int32_t));
    for (int32_t t = 0; t < soup->tet_count; ++t) ++start[soup->tets[4 * (int64_t)t] + 1];
    for (int32_t p = 0; p < soup->point_count; ++p) start[p + 1] += start[p];
    for (int32_t t = 0; t < soup->tet_count; ++t) {
        const int32_t *tet = soup->tets + 4 * (int64_t)t;
        memcpy(tets + 4 * (int64_t)start[tet[0]]++, tet, 4 * sizeof(int32_t));
    }
    memcpy(soup->tets, tets, 4 * (size_t)soup->tet_count * sizeof(int32_t));
}

pli_status pli_soup_sort(pli_soup *soup)
{
    pli_context *context = soup->context;
    pli_status status = PLI_ERROR_MEMORY;
    int64_t count = soup->point_count;
    int32_t *number = PLI_NEW(context, int32_t, count + 1, "numbers of points");
    int32_t *order = PLI_NEW(context, int32_t, count, "order of points");
    double *points = PLI_NEW(context, double, 3 * count, "sorted points");
    int32_t *tets = PLI_NEW(context, int32_t, 4 * (int64_t)soup->tet_count, "sorted tetrahedra");
    if (number == NULL || order == NULL || points == NULL || tets == NULL) goto done;
    drop_unused(soup, number);
    status = pli_morton_order(context, soup->point_count, soup->points, order);
    if (status != PLI_OK) goto done;
    renumber(soup, order, number, points);
    sort_tets(soup, number, tets);

done:
    pli_release(context, tets);
    pli_release(context, points);
    pli_release(context, order);
    pli_release(context, number);
    return status;
}
