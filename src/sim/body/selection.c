// SPDX-License-Identifier: Apache-2.0
#include "sim/body/selection.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "sim/body/body_group.h"

#include <stdlib.h>
#include <string.h>

static bool box_contains(const pli_select_box_def *box, const double p[3])
{
    for (int k = 0; k < 3; ++k) {
        if (!(p[k] >= box->min[k] && p[k] <= box->max[k])) return false;
    }
    return true;
}

static bool half_space_contains(const pli_half_space_def *half, const double p[3])
{
    double d[3];
    pli_vec3_subtract(p, half->point, d);
    return pli_vec3_dot(d, half->normal) >= 0;
}

bool pli_selection_contains(const pli_variant *where, const double p[3])
{
    switch ((pli_selection_kind)where->kind) {
    case PLI_SELECT_ALL: return true;
    case PLI_SELECT_BOX: return box_contains(where->data, p);
    case PLI_SELECT_SPHERE: {
        const pli_sphere_def *sphere = where->data;
        return pli_vec3_distance(p, sphere->center) <= sphere->radius;
    }
    case PLI_SELECT_HALF_SPACE: return half_space_contains(where->data, p);
    case PLI_SELECT_GROUP:
    case PLI_SELECT_VERTICES: break;
    }
    return false;
}

// The body's vertex that has this number in the file; -1 when no cell uses it.
static int32_t find_vertex(const pli_selection_source *source, int32_t number)
{
    const int32_t *origin = source->mesh->vertex_origin;
    int32_t low = 0;
    int32_t high = source->mesh->vertex_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (origin[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < source->mesh->vertex_count && origin[low] == number ? low : -1;
}

static void mark_number(const pli_selection_source *source, int32_t number, uint8_t *mask)
{
    int32_t vertex = find_vertex(source, number);
    if (vertex >= 0) mask[vertex] = 1;
}

// Marks the corners of the elements with a tag, and of the file's triangles with it.
static void mark_tagged(const pli_selection_source *source, int32_t tag, uint8_t *mask)
{
    const pli_body_mesh *mesh = source->mesh;
    const pli_mesh_data *file = pli_body_mesh_file(source->body);
    for (int64_t cell = 0; mesh->cell_group != NULL && cell < mesh->cell_count; ++cell) {
        if (mesh->cell_group[cell] != tag) continue;
        for (int k = 0; k < mesh->corner_count; ++k) {
            mask[mesh->cells[mesh->corner_count * cell + k]] = 1;
        }
    }
    for (int32_t k = 0; file != NULL && k < file->set_count; ++k) {
        if (file->set_groups[k] == tag) mark_number(source, file->set_points[k], mask);
    }
    if (file == NULL || file->triangle_groups == NULL) return;
    for (int64_t t = 0; t < file->triangle_count; ++t) {
        if (file->triangle_groups[t] != tag) continue;
        for (int64_t k = 3 * t; k < 3 * t + 3; ++k) mark_number(source, file->triangles[k], mask);
    }
}

// Nodes on the edges of faces whose corners are all marked go with them.
static void mark_edge_nodes(const pli_selection_source *source, uint8_t *mask)
{
    // without a corner: the edges of the face across
    static const int around[4][3] = {{1, 4, 5}, {2, 3, 5}, {0, 3, 4}, {0, 1, 2}};
    const pli_body_mesh *mesh = source->mesh;
    for (int64_t k = 0; mesh->mid != NULL && k < 4 * (int64_t)mesh->cell_count; ++k) {
        const int32_t *corners = mesh->cells + 4 * (k / 4), *mid = mesh->mid + 6 * (k / 4);
        bool all = true;
        for (int i = 0; i < 4; ++i) all = all && (i == k % 4 || mask[corners[i]]);
        for (int i = 0; i < 3 && all; ++i) mask[mid[around[k % 4][i]]] = 1;
    }
}

// A group that another body has marks nothing.
static void mark_group(const pli_selection_source *source, const char *name, uint8_t *mask)
{
    pli_body_group group;
    if (!pli_body_group_find(source->body, name, &group)) return;
    if (group.tag != PLI_GROUP_NO_TAG) {
        mark_tagged(source, group.tag, mask);
        mark_edge_nodes(source, mask);
        return;
    }
    for (int64_t vertex = 0; vertex < source->mesh->vertex_count; ++vertex) {
        mask[vertex] = pli_body_group_contains(&group, source->mesh->points + 3 * vertex);
    }
}

int32_t pli_selection_mark_vertices(const pli_variant *where, const pli_selection_source *source,
                                    uint8_t *mask)
{
    int32_t vertex_count = source->mesh->vertex_count;
    memset(mask, 0, (size_t)vertex_count);
    if (where->kind == PLI_SELECT_GROUP) {
        mark_group(source, ((const pli_group_def *)where->data)->name, mask);
    } else if (where->kind == PLI_SELECT_VERTICES) {
        const pli_vertices_def *list = where->data;
        for (int32_t k = 0; k < list->id_count; ++k) mark_number(source, list->ids[k], mask);
        mark_edge_nodes(source, mask);
    } else {
        for (int64_t vertex = 0; vertex < vertex_count; ++vertex) {
            mask[vertex] = pli_selection_contains(where, source->points + 3 * vertex);
        }
    }
    int32_t count = 0;
    for (int32_t vertex = 0; vertex < vertex_count; ++vertex) count += mask[vertex];
    return count;
}

static bool cell_is_listed(const pli_vertices_def *list, const pli_selection_source *source,
                           const int32_t *corners)
{
    for (int corner = 0; corner < source->mesh->corner_count; ++corner) {
        int32_t number = source->mesh->vertex_origin[corners[corner]];
        bool found = false;
        for (int32_t k = 0; k < list->id_count && !found; ++k) found = list->ids[k] == number;
        if (!found) return false;
    }
    return true;
}

static void cell_centroid(const pli_body_mesh *mesh, const double *points, int64_t cell,
                          double centroid[3])
{
    const int32_t *corners = mesh->cells + mesh->corner_count * cell;
    pli_vec3_set(0, 0, 0, centroid);
    for (int k = 0; k < mesh->corner_count; ++k) {
        pli_vec3_add_scaled(centroid, 1.0 / mesh->corner_count, points + 3 * (int64_t)corners[k],
                            centroid);
    }
}

static bool cell_is_in_group(const pli_selection_source *source, const pli_body_group *group,
                             int64_t cell)
{
    const pli_body_mesh *mesh = source->mesh;
    if (group->tag != PLI_GROUP_NO_TAG) {
        return mesh->cell_group != NULL && mesh->cell_group[cell] == group->tag;
    }
    double centroid[3];
    cell_centroid(mesh, mesh->points, cell, centroid);
    return pli_body_group_contains(group, centroid);
}

int32_t pli_selection_mark_cells(const pli_variant *where, const pli_selection_source *source,
                                 uint8_t *mask)
{
    const pli_body_mesh *mesh = source->mesh;
    pli_body_group group;
    bool in_group =
        where->kind == PLI_SELECT_GROUP &&
        pli_body_group_find(source->body, ((const pli_group_def *)where->data)->name, &group);
    int32_t count = 0;
    for (int64_t cell = 0; cell < mesh->cell_count; ++cell) {
        if (where->kind == PLI_SELECT_GROUP) {
            mask[cell] = in_group && cell_is_in_group(source, &group, cell);
        } else if (where->kind == PLI_SELECT_VERTICES) {
            mask[cell] =
                cell_is_listed(where->data, source, mesh->cells + mesh->corner_count * cell);
        } else {
            double centroid[3];
            cell_centroid(mesh, source->points, cell, centroid);
            mask[cell] = pli_selection_contains(where, centroid);
        }
        count += mask[cell];
    }
    return count;
}

// ---- triangles of a surface

// A triangle by its vertices, ascending.
typedef struct vertex_triple {
    int32_t vertices[3];
} vertex_triple;

static vertex_triple sorted_triple(int32_t a, int32_t b, int32_t c)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    if (c < low) return (vertex_triple){{c, low, high}};
    return c < high ? (vertex_triple){{low, c, high}} : (vertex_triple){{low, high, c}};
}

static int compare_triples(const void *first, const void *second)
{
    const vertex_triple *a = first, *b = second;
    for (int k = 0; k < 3; ++k) {
        if (a->vertices[k] != b->vertices[k]) return a->vertices[k] < b->vertices[k] ? -1 : 1;
    }
    return 0;
}

// The file's triangles with a tag, in the numbering of the body, sorted; those that no cell uses
// are left out.
static int64_t collect_tagged(const pli_selection_source *source, const pli_mesh_data *file,
                              int32_t tag, vertex_triple *triples)
{
    int64_t count = 0;
    for (int64_t t = 0; t < file->triangle_count; ++t) {
        if (file->triangle_groups[t] != tag) continue;
        int32_t corner[3];
        for (int k = 0; k < 3; ++k) corner[k] = find_vertex(source, file->triangles[3 * t + k]);
        if (corner[0] < 0 || corner[1] < 0 || corner[2] < 0) continue;
        triples[count++] = sorted_triple(corner[0], corner[1], corner[2]);
    }
    qsort(triples, (size_t)count, sizeof *triples, compare_triples);
    return count;
}

// The tag of a group that triangles of the body's file have; PLI_GROUP_NO_TAG: it is no such group.
static int32_t find_triangle_tag(const pli_variant *where, const pli_selection_source *source)
{
    pli_body_group group;
    const pli_mesh_data *file = pli_body_mesh_file(source->body);
    if (where->kind != PLI_SELECT_GROUP || file == NULL || file->triangle_groups == NULL ||
        !pli_body_group_find(source->body, ((const pli_group_def *)where->data)->name, &group)) {
        return PLI_GROUP_NO_TAG;
    }
    for (int64_t t = 0; t < file->triangle_count; ++t) {
        if (file->triangle_groups[t] == group.tag) return group.tag;
    }
    return PLI_GROUP_NO_TAG;
}

pli_status pli_selection_mark_triangles(const pli_variant *where,
                                        const pli_selection_source *source, int32_t triangle_count,
                                        const int32_t *triangles, const uint8_t *vertex_mask,
                                        uint8_t *mask)
{
    int32_t tag = find_triangle_tag(where, source);
    for (int64_t t = 0; t < triangle_count; ++t) {
        const int32_t *corner = triangles + 3 * t;
        mask[t] = vertex_mask[corner[0]] && vertex_mask[corner[1]] && vertex_mask[corner[2]];
    }
    if (tag == PLI_GROUP_NO_TAG) return PLI_OK;
    const pli_mesh_data *file = pli_body_mesh_file(source->body);
    pli_context *context = source->mesh->context;
    vertex_triple *tagged = PLI_NEW(context, vertex_triple, file->triangle_count, "selection");
    if (tagged == NULL) return PLI_ERROR_MEMORY;
    int64_t count = collect_tagged(source, file, tag, tagged);
    for (int64_t t = 0; t < triangle_count; ++t) {
        const int32_t *corner = triangles + 3 * t;
        vertex_triple own = sorted_triple(corner[0], corner[1], corner[2]);
        mask[t] = mask[t] && bsearch(&own, tagged, (size_t)count, sizeof own, compare_triples);
    }
    pli_release(context, tagged);
    return PLI_OK;
}
