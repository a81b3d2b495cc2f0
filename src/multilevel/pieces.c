// SPDX-License-Identifier: Apache-2.0
#include "multilevel/pieces.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/mesh/mesh_check.h"
#include "geometry/mesh/union_find.h"
#include "math/vec3.h"

enum { ELEMENT_GRAIN = 512 }; // elements that are worth a block of a parallel loop

typedef struct builder {
    pli_context *context;
    const pli_simplices *mesh;
    const double *stiffness;
    double ratio;
    pli_incidence incidence;
    pli_pieces *pieces;

    // pieces as trees of elements
    int32_t *parent; // [element_count]
    int32_t *size;   // [element_count]  of roots, elements

    // where crumbs go; of roots
    double *change; // [element_count]  smallest ratio of stiffness across a face
    int32_t *goal;  // [element_count]  the element behind it; -1: none
} builder;

static const int32_t *corners_of(const builder *b, int64_t element)
{
    return b->mesh->elements + b->mesh->corner_count * element;
}

// ---- faces

// Whether an element has all corners of another one but one.
static bool has_face(const builder *b, int32_t element, const int32_t *corners, int left_out)
{
    const int32_t *own = corners_of(b, element);
    int32_t size = b->mesh->corner_count;
    for (int k = 0; k < size; ++k) {
        if (k == left_out) continue;
        int place = 0;
        while (place < size && own[place] != corners[k]) ++place;
        if (place == size) return false;
    }
    return true;
}

// The next element at a face, in the order of numbers and around; -1 when there is no other.
static int32_t find_neighbor(const builder *b, int32_t element, int face)
{
    const int32_t *corners = corners_of(b, element);
    int32_t vertex = corners[face == 0 ? 1 : 0];
    int32_t lowest = -1;
    for (int64_t k = b->incidence.start[vertex]; k < b->incidence.start[vertex + 1]; ++k) {
        int32_t other = b->incidence.elements[k];
        if (other == element || (other < element && lowest >= 0)) continue;
        if (!has_face(b, other, corners, face)) continue;
        if (other > element) return other;
        lowest = other;
    }
    return lowest;
}

static void find_neighbors(void *user, int64_t begin, int64_t end)
{
    const builder *b = user;
    int32_t size = b->mesh->corner_count;
    for (int64_t k = size * begin; k < size * end; ++k) {
        b->pieces->neighbor[k] = find_neighbor(b, (int32_t)(k / size), (int)(k % size));
    }
}

// ---- pieces

// The larger stiffness of two elements over the smaller one.
static double change_between(const builder *b, int64_t one, int64_t other)
{
    if (b->stiffness == NULL) return 1;
    double a = b->stiffness[one];
    double c = b->stiffness[other];
    return fmax(a, c) / fmin(a, c);
}

static void join_alike(builder *b)
{
    int32_t size = b->mesh->corner_count;
    for (int32_t k = 0; k < b->mesh->element_count; ++k) b->parent[k] = k;
    for (int64_t k = 0; k < (int64_t)size * b->mesh->element_count; ++k) {
        int32_t element = (int32_t)(k / size);
        int32_t other = b->pieces->neighbor[k];
        if (other < 0) continue;
        if (b->ratio > 0 && change_between(b, element, other) > b->ratio) continue;
        pli_union_join(b->parent, element, other);
    }
}

// Finds for every crumb the face across which it goes best. Returns whether there is any.
static bool find_goals(builder *b)
{
    int32_t size = b->mesh->corner_count;
    int32_t count = b->mesh->element_count;
    bool has_goal = false;
    for (int32_t k = 0; k < count; ++k) {
        b->size[k] = 0;
        b->change[k] = INFINITY;
        b->goal[k] = -1;
    }
    for (int32_t k = 0; k < count; ++k) ++b->size[pli_union_root(b->parent, k)];
    for (int64_t k = 0; k < (int64_t)size * count; ++k) {
        int32_t element = (int32_t)(k / size);
        int32_t other = b->pieces->neighbor[k];
        int32_t root = pli_union_root(b->parent, element);
        if (other < 0 || b->size[root] >= PLI_PIECES_SMALLEST) continue;
        if (pli_union_root(b->parent, other) == root) continue;
        double change = change_between(b, element, other);
        if (!(change < b->change[root])) continue;
        b->change[root] = change;
        b->goal[root] = other;
        has_goal = true;
    }
    return has_goal;
}

// Every round joins each crumb that has a neighbour, so there are few rounds.
static void join_crumbs(builder *b)
{
    while (find_goals(b)) {
        for (int32_t k = 0; k < b->mesh->element_count; ++k) {
            if (b->goal[k] >= 0) pli_union_join(b->parent, k, b->goal[k]);
        }
    }
}

// The next element at a face that is in the same piece; -1 when there is none.
static int32_t find_mate(const builder *b, int32_t element, int face)
{
    const int32_t *piece = b->pieces->piece;
    int32_t size = b->mesh->corner_count;
    int32_t other = find_neighbor(b, element, face);
    while (other != element && piece[other] != piece[element]) {
        // on around the ring: its corner that is not at the face
        const int32_t *corners = corners_of(b, other);
        int apex = 0;
        while (apex < size && !has_face(b, element, corners, apex)) ++apex;
        other = find_neighbor(b, other, apex);
    }
    return other == element ? -1 : other;
}

// Numbers the pieces and parts neighbours that are not in the same one.
static void number_pieces(builder *b)
{
    pli_pieces *p = b->pieces;
    int32_t size = b->mesh->corner_count;
    // roots are the lowest elements of their pieces
    for (int32_t k = 0; k < b->mesh->element_count; ++k) {
        int32_t root = pli_union_root(b->parent, k);
        p->piece[k] = root == k ? p->piece_count++ : p->piece[root];
    }
    for (int64_t k = 0; k < (int64_t)size * b->mesh->element_count; ++k) {
        int32_t element = (int32_t)(k / size);
        int32_t other = p->neighbor[k];
        if (other < 0 || p->piece[other] == p->piece[element]) continue;
        p->neighbor[k] = find_mate(b, element, (int)(k % size));
    }
}

// ---- the cut mesh

// Copies of vertices in the order of vertices and of pieces as they are met.
typedef struct cutter {
    const builder *builder;
    int32_t *last; // [piece_count]  last vertex + 1 that was copied for a piece
    int32_t *copy; // [piece_count]  its copy
} cutter;

// Makes the copies of a vertex; returns how many there are then in all.
static int32_t cut_vertex(cutter *c, int32_t vertex, int32_t count)
{
    const builder *b = c->builder;
    pli_pieces *p = b->pieces;
    int32_t size = b->mesh->corner_count;
    for (int64_t k = b->incidence.start[vertex]; k < b->incidence.start[vertex + 1]; ++k) {
        int64_t element = b->incidence.elements[k];
        int32_t piece = p->piece[element];
        if (c->last[piece] != vertex + 1) {
            c->last[piece] = vertex + 1;
            c->copy[piece] = count;
            p->origin[count] = vertex;
            p->vertex_piece[count++] = piece;
        }
        const int32_t *corners = corners_of(b, element);
        int own = 0;
        while (corners[own] != vertex) ++own;
        p->elements[size * element + own] = c->copy[piece];
    }
    return count;
}

// A vertex has no more copies than elements.
static pli_status allocate_cut(builder *b)
{
    pli_pieces *p = b->pieces;
    int64_t corner_count = (int64_t)b->mesh->corner_count * b->mesh->element_count;
    p->origin = PLI_NEW(b->context, int32_t, corner_count, "pieces");
    p->vertex_piece = PLI_NEW(b->context, int32_t, corner_count, "pieces");
    p->elements = PLI_NEW(b->context, int32_t, corner_count, "pieces");
    bool is_complete = p->origin != NULL && p->vertex_piece != NULL && p->elements != NULL;
    return is_complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status cut_mesh(builder *b)
{
    pli_pieces *p = b->pieces;
    PLI_TRY(allocate_cut(b));
    cutter c = {.builder = b};
    c.last = PLI_NEW(b->context, int32_t, p->piece_count, "pieces");
    c.copy = PLI_NEW(b->context, int32_t, p->piece_count, "pieces");
    int32_t count = 0;
    if (c.last != NULL && c.copy != NULL) {
        for (int32_t v = 0; v < b->mesh->vertex_count; ++v) count = cut_vertex(&c, v, count);
        p->points = PLI_NEW(b->context, double, 3 * (int64_t)count, "pieces");
    }
    PLI_RELEASE(b->context, c.last, c.copy);
    if (p->points == NULL) return PLI_ERROR_MEMORY;
    for (int64_t v = 0; v < count; ++v) {
        pli_vec3_copy(b->mesh->points + 3 * (int64_t)p->origin[v], p->points + 3 * v);
    }
    p->mesh = (pli_simplices){count, p->points, b->mesh->corner_count, b->mesh->element_count,
                              p->elements};
    return PLI_OK;
}

// ---- creation

static pli_status check_mesh(pli_context *context, const pli_simplices *mesh)
{
    if (mesh->corner_count != 3 && mesh->corner_count != 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "elements have %d corners; a partition wants triangles or tetrahedra",
                        (int)mesh->corner_count);
    }
    pli_cells cells = {
        .name = mesh->corner_count == 4 ? "tetrahedron" : "triangle",
        .corner_count = mesh->corner_count,
        .count = mesh->element_count,
        .corners = mesh->elements,
        .vertex_count = mesh->vertex_count,
        .points = mesh->points,
    };
    return pli_cells_check(context, &cells);
}

static pli_status run_builder(builder *b)
{
    int64_t count = b->mesh->element_count;
    PLI_TRY(pli_incidence_build(b->context, b->mesh->vertex_count, b->mesh->corner_count,
                                b->mesh->element_count, b->mesh->elements, &b->incidence));
    b->pieces->piece = PLI_NEW(b->context, int32_t, count, "pieces");
    b->pieces->neighbor = PLI_NEW(b->context, int32_t, b->mesh->corner_count * count, "pieces");
    b->parent = PLI_NEW(b->context, int32_t, count, "pieces");
    b->size = PLI_NEW(b->context, int32_t, count, "pieces");
    b->change = PLI_NEW(b->context, double, count, "pieces");
    b->goal = PLI_NEW(b->context, int32_t, count, "pieces");
    if (b->pieces->piece == NULL || b->pieces->neighbor == NULL || b->parent == NULL ||
        b->size == NULL || b->change == NULL || b->goal == NULL) {
        return PLI_ERROR_MEMORY;
    }
    pli_parallel_for(b->context, count, ELEMENT_GRAIN, find_neighbors, b);
    join_alike(b);
    join_crumbs(b);
    number_pieces(b);
    return cut_mesh(b);
}

pli_status pli_pieces_create(pli_context *context, const pli_simplices *mesh,
                             const double *stiffness, double ratio, pli_pieces **pieces)
{
    *pieces = NULL;
    PLI_TRY(check_mesh(context, mesh));
    builder b = {.context = context, .mesh = mesh, .stiffness = stiffness, .ratio = ratio};
    b.pieces = PLI_NEW(context, pli_pieces, 1, "pieces");
    if (b.pieces == NULL) return PLI_ERROR_MEMORY;
    b.pieces->context = context;
    pli_status status = run_builder(&b);
    pli_incidence_clear(context, &b.incidence);
    PLI_RELEASE(context, b.parent, b.size, b.change, b.goal);
    if (status != PLI_OK) {
        pli_pieces_destroy(b.pieces);
        return status;
    }
    *pieces = b.pieces;
    return PLI_OK;
}

void pli_pieces_destroy(pli_pieces *pieces)
{
    if (pieces == NULL) return;
    pli_context *context = pieces->context;
    PLI_RELEASE(context, pieces->piece, pieces->vertex_piece, pieces->neighbor, pieces->origin,
                pieces->points, pieces->elements, pieces);
}
