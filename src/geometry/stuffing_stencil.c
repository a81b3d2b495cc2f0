// SPDX-License-Identifier: Apache-2.0
#include "geometry/stuffing_stencil.h"

#include "base/memory.h"

#include <string.h>

// A tetrahedron of the lattice: the two centres of neighbouring cells, then two neighbouring
// corners of the face between them. Edges 0-1 and 2-3 are long, the other four are short.
typedef struct lattice_tet {
    int32_t nodes[4];
} lattice_tet;

// What a stencil works on; points of the result are named by keys: a node of the lattice, or
// node_count + a cut edge.
typedef struct stencil {
    const pli_lattice *lattice;
    pli_soup *soup;
    int32_t *point_of_key; // [node_count + edge_count], -1: not used yet
} stencil;

// ---- results

static int32_t key_point(stencil *work, int32_t key)
{
    pli_soup *soup = work->soup;
    if (work->point_of_key[key] >= 0) return work->point_of_key[key];
    int32_t point = soup->point_count++;
    const pli_lattice *lattice = work->lattice;
    double *x = soup->points + 3 * (int64_t)point;
    if (key < lattice->node_count) {
        pli_lattice_position(lattice, key, x);
        soup->is_pinched[point] = lattice->sign[key] == 0;
    } else {
        pli_lattice_cut_position(lattice, key - lattice->node_count, x);
    }
    work->point_of_key[key] = point;
    return point;
}

// Adds a tetrahedron, turned to positive volume.
static void add_tet(stencil *work, int32_t a, int32_t b, int32_t c, int32_t d)
{
    pli_soup *soup = work->soup;
    int32_t tet[4] = {key_point(work, a), key_point(work, b), key_point(work, c),
                      key_point(work, d)};
    if (pli_soup_tet_volume(soup->points, tet) < 0) {
        int32_t swap = tet[2];
        tet[2] = tet[3];
        tet[3] = swap;
    }
    memcpy(soup->tets + 4 * (int64_t)soup->tet_count++, tet, sizeof tet);
}

static int32_t cut_key(const stencil *work, int32_t a, int32_t b)
{
    return work->lattice->node_count + pli_lattice_edge(work->lattice, a, b);
}

// ---- diagonals

static bool is_long_pair(int a, int b)
{
    return a / 2 == b / 2;
}

// Even number of coordinates in which the outside node exceeds this one.
static bool is_even(const pli_lattice *lattice, int32_t node, int32_t outside)
{
    int32_t a[3];
    int32_t m[3];
    pli_lattice_coordinates(lattice, node, a);
    pli_lattice_coordinates(lattice, outside, m);
    return ((m[0] > a[0]) + (m[1] > a[1]) + (m[2] > a[2])) % 2 == 0;
}

// For a face with corners a and b inside and m outside, local numbers: true when the diagonal of
// the quadrilateral a, b, cut(b m), cut(a m) runs from a to cut(b m), false from b to cut(a m).
static bool diagonal_from(const stencil *work, const lattice_tet *tet, int a, int b, int m)
{
    if (is_long_pair(b, m)) return true;
    if (is_long_pair(a, m)) return false;
    return is_even(work->lattice, tet->nodes[a], tet->nodes[m]);
}

// ---- shapes that stencils are made of

// A prism with triangles p and q and sides p[i]-q[i]; from[i][j]: the diagonal of the side i, j
// runs from p[i] to q[j]. The three diagonals must not run in a circle.
typedef struct prism {
    int32_t p[3];
    int32_t q[3];
    bool from[3][3];
} prism;

static void prism_set(prism *shape, int i, int j, bool from)
{
    shape->from[i][j] = from;
    shape->from[j][i] = !from;
}

static void add_prism(stencil *work, const prism *shape)
{
    // order the sides so that diagonals run from earlier to later ones
    int order[3];
    for (int i = 0; i < 3; ++i) {
        int rank = 2 - shape->from[i][(i + 1) % 3] - shape->from[i][(i + 2) % 3];
        order[rank] = i;
    }
    const int32_t *p = shape->p;
    const int32_t *q = shape->q;
    int x = order[0];
    int y = order[1];
    int z = order[2];
    add_tet(work, p[x], p[y], p[z], q[z]);
    add_tet(work, p[x], p[y], q[y], q[z]);
    add_tet(work, p[x], q[x], q[y], q[z]);
}

// ---- the cases; local numbers of corners inside, on the surface and outside

typedef struct corner_list {
    int inside[4];
    int on[4];
    int outside[4];
    int inside_count, on_count, outside_count;
} corner_list;

static corner_list list_corners(const pli_lattice *lattice, const lattice_tet *tet)
{
    corner_list list = {.inside_count = 0};
    for (int i = 0; i < 4; ++i) {
        int sign = lattice->sign[tet->nodes[i]];
        if (sign > 0) list.inside[list.inside_count++] = i;
        if (sign == 0) list.on[list.on_count++] = i;
        if (sign < 0) list.outside[list.outside_count++] = i;
    }
    return list;
}

// One corner inside: the tetrahedron shrinks towards it.
static void stencil_one(stencil *work, const lattice_tet *tet, const corner_list *list)
{
    int32_t keys[4];
    int32_t tip = tet->nodes[list->inside[0]];
    for (int i = 0; i < 4; ++i) {
        int32_t node = tet->nodes[i];
        keys[i] = work->lattice->sign[node] < 0 ? cut_key(work, tip, node) : node;
    }
    add_tet(work, keys[0], keys[1], keys[2], keys[3]);
}

// Two inside, one on the surface, one outside: a pyramid.
static void stencil_pyramid(stencil *work, const lattice_tet *tet, const corner_list *list)
{
    int a = list->inside[0];
    int b = list->inside[1];
    int m = list->outside[0];
    const int32_t *nodes = tet->nodes;
    int32_t apex = nodes[list->on[0]];
    int32_t cut_a = cut_key(work, nodes[a], nodes[m]);
    int32_t cut_b = cut_key(work, nodes[b], nodes[m]);
    if (diagonal_from(work, tet, a, b, m)) {
        add_tet(work, apex, nodes[a], nodes[b], cut_b);
        add_tet(work, apex, nodes[a], cut_b, cut_a);
    } else {
        add_tet(work, apex, nodes[a], nodes[b], cut_a);
        add_tet(work, apex, nodes[b], cut_b, cut_a);
    }
}

// Three inside, one outside: a prism whose other triangle is cut.
static void stencil_three(stencil *work, const lattice_tet *tet, const corner_list *list)
{
    prism shape;
    int m = list->outside[0];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        shape.p[i] = tet->nodes[list->inside[i]];
        shape.q[i] = cut_key(work, shape.p[i], tet->nodes[m]);
        prism_set(&shape, i, j, diagonal_from(work, tet, list->inside[i], list->inside[j], m));
    }
    add_prism(work, &shape);
}

// Two inside, two outside: a prism along the inner edge; its outer side lies on the surface, where
// the shorter diagonal is taken if the other two leave the choice.
static void stencil_two(stencil *work, const lattice_tet *tet, const corner_list *list)
{
    const int32_t *nodes = tet->nodes;
    int a = list->inside[0];
    int b = list->inside[1];
    prism shape = {.p = {nodes[a]}, .q = {nodes[b]}};
    for (int i = 0; i < 2; ++i) {
        int m = list->outside[i];
        shape.p[i + 1] = cut_key(work, nodes[a], nodes[m]);
        shape.q[i + 1] = cut_key(work, nodes[b], nodes[m]);
        prism_set(&shape, 0, i + 1, diagonal_from(work, tet, a, b, m));
    }
    bool from = !shape.from[0][1];
    if (shape.from[0][1] == shape.from[0][2]) {
        double corner[4][3];
        int32_t node_count = work->lattice->node_count;
        for (int i = 0; i < 2; ++i) {
            pli_lattice_cut_position(work->lattice, shape.p[i + 1] - node_count, corner[i]);
            pli_lattice_cut_position(work->lattice, shape.q[i + 1] - node_count, corner[2 + i]);
        }
        from = pli_vec3_distance(corner[0], corner[3]) < pli_vec3_distance(corner[1], corner[2]);
    }
    prism_set(&shape, 1, 2, from);
    add_prism(work, &shape);
}

// Number of tetrahedra that a tetrahedron of the lattice leaves.
static int stencil_count(const corner_list *list)
{
    if (list->inside_count == 0) return 0;
    if (list->inside_count == 1 || list->outside_count == 0) return 1;
    return list->inside_count == 2 && list->outside_count == 1 ? 2 : 3;
}

static void stencil_apply(stencil *work, const lattice_tet *tet)
{
    corner_list list = list_corners(work->lattice, tet);
    if (list.inside_count == 0) return;
    if (list.outside_count == 0) {
        add_tet(work, tet->nodes[0], tet->nodes[1], tet->nodes[2], tet->nodes[3]);
    } else if (list.inside_count == 1) {
        stencil_one(work, tet, &list);
    } else if (list.inside_count == 3) {
        stencil_three(work, tet, &list);
    } else if (list.outside_count == 2) {
        stencil_two(work, tet, &list);
    } else {
        stencil_pyramid(work, tet, &list);
    }
}

// ---- all tetrahedra of the lattice

typedef void (*tet_fn)(void *user, const lattice_tet *tet);

// The four tetrahedra around the long edge from the centre of a cell to the next along an axis.
static void for_edge_tets(const pli_lattice *lattice, const int32_t cell[3], int axis, tet_fn body,
                          void *user)
{
    int32_t next[3] = {cell[0], cell[1], cell[2]};
    ++next[axis];
    int u = (axis + 1) % 3;
    int v = (axis + 2) % 3;
    static const int ring[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    int32_t corner[5];
    for (int i = 0; i < 5; ++i) {
        int32_t at[3] = {next[0], next[1], next[2]};
        at[u] += ring[i][0];
        at[v] += ring[i][1];
        corner[i] = pli_lattice_corner(lattice, at[0], at[1], at[2]);
    }

    // most of the lattice is outside: nothing comes of tetrahedra without a corner inside
    int32_t here = pli_lattice_center(lattice, cell[0], cell[1], cell[2]);
    int32_t there = pli_lattice_center(lattice, next[0], next[1], next[2]);
    bool inside = lattice->sign[here] > 0 || lattice->sign[there] > 0;
    for (int i = 0; i < 4; ++i) inside = inside || lattice->sign[corner[i]] > 0;
    for (int i = 0; i < 4 && inside; ++i) {
        lattice_tet tet = {{here, there, corner[i], corner[i + 1]}};
        body(user, &tet);
    }
}

// All that have a corner inside, and some that have none.
static void for_lattice_tets(const pli_lattice *lattice, tet_fn body, void *user)
{
    const int32_t *n = lattice->cells;
    for (int32_t k = 0; k < n[2]; ++k) {
        for (int32_t j = 0; j < n[1]; ++j) {
            for (int32_t i = 0; i < n[0]; ++i) {
                int32_t cell[3] = {i, j, k};
                for (int axis = 0; axis < 3; ++axis) {
                    if (cell[axis] + 1 < n[axis]) for_edge_tets(lattice, cell, axis, body, user);
                }
            }
        }
    }
}

// Upper bounds of what the stencils will make.
typedef struct soup_size {
    const pli_lattice *lattice;
    int64_t tet_count;
} soup_size;

static void count_tet(void *user, const lattice_tet *tet)
{
    soup_size *size = user;
    corner_list list = list_corners(size->lattice, tet);
    size->tet_count += stencil_count(&list);
}

static void apply_tet(void *user, const lattice_tet *tet)
{
    stencil_apply(user, tet);
}

static int64_t count_points(const pli_lattice *lattice)
{
    int64_t count = lattice->edge_count;
    for (int32_t node = 0; node < lattice->node_count; ++node) count += lattice->sign[node] >= 0;
    return count;
}

pli_status pli_soup_init(const pli_lattice *lattice, pli_soup *soup)
{
    pli_context *context = lattice->context;
    *soup = (pli_soup){.context = context};
    soup_size size = {.lattice = lattice};
    for_lattice_tets(lattice, count_tet, &size);
    int64_t point_limit = count_points(lattice);
    int64_t key_count = (int64_t)lattice->node_count + lattice->edge_count;
    if (size.tet_count > INT32_MAX / 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "spacing %g makes %lld tetrahedra, the limit is %d: use a larger spacing",
                        lattice->h, (long long)size.tet_count, INT32_MAX / 4);
    }
    pli_status status = PLI_ERROR_MEMORY;
    stencil work = {.lattice = lattice, .soup = soup};
    work.point_of_key = PLI_NEW(context, int32_t, key_count, "points of the lattice");
    soup->points = PLI_NEW(context, double, 3 * point_limit, "points");
    soup->is_pinched = PLI_NEW(context, bool, point_limit, "points on the surface");
    soup->tets = PLI_NEW(context, int32_t, 4 * size.tet_count, "tetrahedra");
    if (work.point_of_key == NULL || soup->points == NULL || soup->is_pinched == NULL ||
        soup->tets == NULL) {
        goto done;
    }
    memset(work.point_of_key, -1, (size_t)key_count * sizeof(int32_t));
    for_lattice_tets(lattice, apply_tet, &work);
    PLI_ASSERT(context, soup->tet_count == size.tet_count);
    status = PLI_OK;

done:
    pli_release(context, work.point_of_key);
    if (status != PLI_OK) pli_soup_clear(soup);
    return status;
}

void pli_soup_clear(pli_soup *soup)
{
    pli_context *context = soup->context;
    pli_release(context, soup->points);
    pli_release(context, soup->is_pinched);
    pli_release(context, soup->tets);
    *soup = (pli_soup){.context = context};
}
