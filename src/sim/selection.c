// SPDX-License-Identifier: Apache-2.0
#include "sim/selection.h"

#include "math/vec3.h"

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

// Whether a selection by place contains a point; false for selections by name or number.
static bool contains(const pli_variant *where, const double p[3])
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

static int32_t find_group(const pli_mesh_data *file, const char *name)
{
    if (file == NULL) return -1;
    for (int32_t group = 0; group < file->group_count; ++group) {
        if (strcmp(file->group_names[group], name) == 0) return group;
    }
    return -1;
}

// The body's vertex that has this number in the file; -1 when no tetrahedron uses it.
static int32_t find_vertex(const pli_selection_source *source, int32_t number)
{
    int32_t low = 0;
    int32_t high = source->vertex_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (source->origin[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < source->vertex_count && source->origin[low] == number ? low : -1;
}

static void mark_number(const pli_selection_source *source, int32_t number, uint8_t *mask)
{
    int32_t vertex = find_vertex(source, number);
    if (vertex >= 0) mask[vertex] = 1;
}

// Marks the corners of the file's tetrahedra and triangles that belong to a group.
static void mark_group(const pli_selection_source *source, int32_t group, uint8_t *mask)
{
    const pli_mesh_data *file = source->file;
    if (group < 0) return;
    for (int64_t tet = 0; file->tet_groups != NULL && tet < file->tet_count; ++tet) {
        if (file->tet_groups[tet] != group) continue;
        for (int64_t k = 4 * tet; k < 4 * tet + 4; ++k) mark_number(source, file->tets[k], mask);
    }
    for (int64_t t = 0; file->triangle_groups != NULL && t < file->triangle_count; ++t) {
        if (file->triangle_groups[t] != group) continue;
        for (int64_t k = 3 * t; k < 3 * t + 3; ++k) mark_number(source, file->triangles[k], mask);
    }
}

int32_t pli_selection_mark_vertices(const pli_variant *where, const pli_selection_source *source,
                                    uint8_t *mask)
{
    memset(mask, 0, (size_t)source->vertex_count);
    if (where->kind == PLI_SELECT_GROUP) {
        const pli_group_def *group = where->data;
        mark_group(source, find_group(source->file, group->name), mask);
    } else if (where->kind == PLI_SELECT_VERTICES) {
        const pli_vertices_def *list = where->data;
        for (int32_t k = 0; k < list->id_count; ++k) mark_number(source, list->ids[k], mask);
    } else {
        for (int64_t vertex = 0; vertex < source->vertex_count; ++vertex) {
            mask[vertex] = contains(where, source->points + 3 * vertex);
        }
    }
    int32_t count = 0;
    for (int32_t vertex = 0; vertex < source->vertex_count; ++vertex) count += mask[vertex];
    return count;
}

static bool tet_is_listed(const pli_vertices_def *list, const pli_selection_source *source,
                          const int32_t tet[4])
{
    for (int corner = 0; corner < 4; ++corner) {
        int32_t number = source->origin[tet[corner]];
        bool found = false;
        for (int32_t k = 0; k < list->id_count && !found; ++k) found = list->ids[k] == number;
        if (!found) return false;
    }
    return true;
}

static bool tet_is_selected(const pli_variant *where, const pli_selection_source *source,
                            int64_t tet)
{
    const int32_t *corners = source->tets + 4 * tet;
    if (where->kind == PLI_SELECT_GROUP) {
        const pli_mesh_data *file = source->file;
        int32_t group = find_group(file, ((const pli_group_def *)where->data)->name);
        return group >= 0 && file->tet_groups != NULL && file->tet_groups[tet] == group;
    }
    if (where->kind == PLI_SELECT_VERTICES) return tet_is_listed(where->data, source, corners);
    double centroid[3] = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        pli_vec3_add_scaled(centroid, 0.25, source->points + 3 * (int64_t)corners[k], centroid);
    }
    return contains(where, centroid);
}

int32_t pli_selection_mark_tets(const pli_variant *where, const pli_selection_source *source,
                                uint8_t *mask)
{
    int32_t count = 0;
    for (int64_t tet = 0; tet < source->tet_count; ++tet) {
        mask[tet] = tet_is_selected(where, source, tet);
        count += mask[tet];
    }
    return count;
}
