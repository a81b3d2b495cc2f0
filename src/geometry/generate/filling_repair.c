// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "geometry/generate/cutting.h"
#include "geometry/mesh/surface.h"
#include "geometry/mesh/union_find.h"

#include <string.h>

enum { MAX_ROUNDS = 32, MAX_STAR = 256 };

static double tet_volume(const pli_filling *filling, int32_t t)
{
    return pli_tet_volume_at(filling->points, filling->tets + 4 * (int64_t)t);
}

// Keeps the tetrahedra that are not marked, in order.
static void compact(pli_filling *filling, const uint8_t *removed)
{
    int32_t kept = 0;
    for (int32_t t = 0; t < filling->tet_count; ++t) {
        if (removed[t]) continue;
        memmove(filling->tets + 4 * (int64_t)kept++, filling->tets + 4 * (int64_t)t,
                4 * sizeof(int32_t));
    }
    filling->tet_count = kept;
}

// ---- pinches

// tetrahedra around one vertex (or edge) in groups that hang together through faces there
typedef struct star {
    bool is_changed; // some have been removed in this round
    int32_t count;
    int32_t tet[MAX_STAR];
    int32_t group[MAX_STAR];
    int32_t group_count;
} star;

static bool has_vertex(const pli_filling *filling, int32_t t, int32_t vertex)
{
    const int32_t *v = filling->tets + 4 * (int64_t)t;
    return v[0] == vertex || v[1] == vertex || v[2] == vertex || v[3] == vertex;
}

static int shared_vertices(const pli_filling *filling, int32_t s, int32_t t)
{
    int count = 0;
    for (int k = 0; k < 4; ++k) count += has_vertex(filling, t, filling->tets[4 * (int64_t)s + k]);
    return count;
}

// Groups by flooding; tetrahedra that share three vertices share a face, and all contain the
// centre.
static void group_star(const pli_filling *filling, star *s)
{
    int32_t stack[MAX_STAR];
    for (int32_t i = 0; i < s->count; ++i) s->group[i] = -1;
    s->group_count = 0;
    for (int32_t seed = 0; seed < s->count; ++seed) {
        if (s->group[seed] >= 0) continue;
        int32_t depth = 0;
        stack[depth++] = seed;
        s->group[seed] = s->group_count;
        while (depth > 0) {
            int32_t i = stack[--depth];
            for (int32_t j = 0; j < s->count; ++j) {
                if (s->group[j] >= 0 || shared_vertices(filling, s->tet[i], s->tet[j]) < 3)
                    continue;
                s->group[j] = s->group_count;
                stack[depth++] = j;
            }
        }
        ++s->group_count;
    }
}

// The part of a star whose tetrahedra also contain this vertex.
static star narrow_star(const pli_filling *filling, const star *whole, int32_t vertex)
{
    star part = {0};
    for (int32_t i = 0; i < whole->count; ++i) {
        if (has_vertex(filling, whole->tet[i], vertex)) part.tet[part.count++] = whole->tet[i];
    }
    group_star(filling, &part);
    return part;
}

// Removes all groups but the one with the largest volume; returns how many tetrahedra went.
static int32_t keep_largest(const pli_filling *filling, const star *s, uint8_t *removed)
{
    double volume[MAX_STAR] = {0};
    int32_t largest = 0;
    for (int32_t i = 0; i < s->count; ++i) volume[s->group[i]] += tet_volume(filling, s->tet[i]);
    for (int32_t g = 1; g < s->group_count; ++g) {
        if (volume[g] > volume[largest]) largest = g;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; ++i) {
        if (s->group[i] == largest) continue;
        removed[s->tet[i]] = 1;
        ++count;
    }
    return count;
}

// vertices at which the surface touches itself, and the tetrahedra around them
typedef struct pinches {
    int32_t count;
    int32_t *vertex;  // [count]
    int32_t *number;  // [vertex_count] place in the list, -1: none
    int32_t *start;   // [count + 1]
    int32_t *tets;    // around each
    uint8_t *removed; // [tet_count]
} pinches;

static star load_star(const pli_filling *filling, const pinches *list, int32_t index)
{
    star s = {0};
    for (int32_t k = list->start[index]; k < list->start[index + 1] && s.count < MAX_STAR; ++k) {
        if (list->removed[list->tets[k]]) {
            s.is_changed = true;
        } else {
            s.tet[s.count++] = list->tets[k];
        }
    }
    group_star(filling, &s);
    return s;
}

// Opens the pinch at one vertex: parts that meet in the vertex only, else parts that meet in an
// edge only, else a tunnel, whose whole surrounding goes. What a neighbour's opening has changed
// waits for the next round, which may find nothing left to do.
static int32_t open_pinch(const pli_filling *filling, const pinches *list, int32_t index)
{
    star whole = load_star(filling, list, index);
    if (whole.is_changed) return 0;
    if (whole.group_count > 1) return keep_largest(filling, &whole, list->removed);
    for (int32_t k = 0; k < 4 * whole.count; ++k) {
        int32_t other = filling->tets[4 * (int64_t)whole.tet[k / 4] + k % 4];
        if (other == list->vertex[index] || list->number[other] < 0) continue;
        star part = narrow_star(filling, &whole, other);
        if (part.group_count > 1) return keep_largest(filling, &part, list->removed);
    }
    for (int32_t i = 0; i < whole.count; ++i) list->removed[whole.tet[i]] = 1;
    return whole.count;
}

// Lists for every pinched vertex the tetrahedra around it.
static pli_status list_stars(const pli_filling *filling, pinches *list)
{
    pli_context *context = filling->context;
    int64_t total = 0;
    PLI_TRY(PLI_MAKE(context, list->start, (int64_t)list->count + 1, "pinch starts"));
    for (int64_t k = 0; k < 4 * (int64_t)filling->tet_count; ++k) {
        int32_t index = list->number[filling->tets[k]];
        if (index < 0) continue;
        ++list->start[index + 1];
        ++total;
    }
    for (int32_t i = 0; i < list->count; ++i) list->start[i + 1] += list->start[i];
    PLI_TRY(PLI_MAKE(context, list->tets, total, "pinch stars"));
    for (int64_t k = 0; k < 4 * (int64_t)filling->tet_count; ++k) {
        int32_t index = list->number[filling->tets[k]];
        if (index >= 0) list->tets[list->start[index]++] = (int32_t)(k / 4);
    }
    for (int32_t i = list->count; i > 0; --i) list->start[i] = list->start[i - 1];
    list->start[0] = 0;
    return PLI_OK;
}

// Finds the vertices where the surface touches itself, and the area of the surface.
static pli_status find_pinches(const pli_filling *filling, pinches *list, double *area)
{
    pli_context *context = filling->context;
    pli_tet_mesh view = {.context = context,
                         .vertex_count = filling->vertex_count,
                         .tet_count = filling->tet_count,
                         .points = filling->points,
                         .tets = filling->tets};
    pli_surface *surface = NULL;
    pli_tri_mesh *skin = NULL;
    uint8_t *marks = NULL;
    pli_status status = pli_surface_create(&view, &surface);
    if (status == PLI_OK) status = pli_surface_to_tri_mesh(surface, &view, &skin);
    if (status != PLI_OK) goto done;
    *area = pli_tri_mesh_area(skin);
    status = PLI_ERROR_MEMORY;
    marks = PLI_NEW(context, uint8_t, skin->vertex_count, "pinch marks");
    list->number = PLI_NEW(context, int32_t, filling->vertex_count, "pinch numbers");
    list->removed = PLI_NEW(context, uint8_t, filling->tet_count, "removed tets");
    if (marks == NULL || list->number == NULL || list->removed == NULL) goto done;
    int32_t count;
    status = pli_tri_mesh_mark_pinches(skin, marks, &count);
    if (status != PLI_OK) goto done;

    memset(list->number, -1, (size_t)filling->vertex_count * sizeof(int32_t));
    list->vertex = PLI_NEW(context, int32_t, count, "pinched vertices");
    status = list->vertex != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int32_t v = 0; status == PLI_OK && v < skin->vertex_count; ++v) {
        if (!marks[v]) continue;
        list->number[surface->mesh_vertex[v]] = list->count;
        list->vertex[list->count++] = surface->mesh_vertex[v];
    }

done:
    pli_release(context, marks);
    pli_tri_mesh_destroy(skin);
    pli_surface_destroy(surface);
    return status;
}

// One round over all pinches; *opened gets how many tetrahedra were removed.
static pli_status open_pinches(pli_filling *filling, int32_t *opened, double *area)
{
    *opened = 0;
    pinches list = {0};
    pli_status status = find_pinches(filling, &list, area);
    if (status == PLI_OK && list.count > 0) {
        status = list_stars(filling, &list);
        for (int32_t i = 0; status == PLI_OK && i < list.count; ++i) {
            *opened += open_pinch(filling, &list, i);
        }
        if (status == PLI_OK) compact(filling, list.removed);
    }
    PLI_RELEASE(filling->context, list.vertex, list.number, list.start, list.tets, list.removed);
    return status;
}

// ---- components

static pli_status drop_small(pli_filling *filling, double least, pli_filling_report *report)
{
    pli_context *context = filling->context;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *parent = PLI_NEW(context, int32_t, filling->vertex_count, "components");
    double *volume = PLI_NEW(context, double, filling->vertex_count, "component volumes");
    uint8_t *removed = PLI_NEW(context, uint8_t, filling->tet_count, "removed tets");
    if (parent == NULL || volume == NULL || removed == NULL) goto done;

    for (int32_t v = 0; v < filling->vertex_count; ++v) parent[v] = v;
    for (int32_t t = 0; t < filling->tet_count; ++t) {
        const int32_t *v = filling->tets + 4 * (int64_t)t;
        for (int k = 1; k < 4; ++k) pli_union_join(parent, v[0], v[k]);
    }
    // volume of each component, at its root
    double total = 0;
    for (int32_t t = 0; t < filling->tet_count; ++t) {
        double part = tet_volume(filling, t);
        volume[pli_union_root(parent, filling->tets[4 * (int64_t)t])] += part;
        total += part;
    }
    for (int32_t v = 0; v < filling->vertex_count; ++v) {
        if (!(volume[v] > 0)) continue;
        bool is_small = volume[v] < least * total;
        report->component_count += !is_small;
        report->dropped_components += is_small;
        if (is_small) report->dropped_volume += volume[v];
    }
    for (int32_t t = 0; t < filling->tet_count; ++t) {
        removed[t] = volume[pli_union_root(parent, filling->tets[4 * (int64_t)t])] < least * total;
    }
    compact(filling, removed);
    status = PLI_OK;

done:
    PLI_RELEASE(context, removed, volume, parent);
    return status;
}

// Drops vertices that are no longer used.
static pli_status compact_vertices(pli_filling *filling)
{
    int32_t *number = PLI_NEW(filling->context, int32_t, filling->vertex_count, "vertex numbers");
    if (number == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < 4 * (int64_t)filling->tet_count; ++k) number[filling->tets[k]] = 1;
    int32_t count = 0;
    for (int32_t v = 0; v < filling->vertex_count; ++v) {
        if (!number[v]) continue;
        pli_vec3_copy(filling->points + 3 * (int64_t)v, filling->points + 3 * (int64_t)count);
        number[v] = count++;
    }
    for (int64_t k = 0; k < 4 * (int64_t)filling->tet_count; ++k) {
        filling->tets[k] = number[filling->tets[k]];
    }
    filling->vertex_count = count;
    pli_release(filling->context, number);
    return PLI_OK;
}

pli_status pli_filling_repair(pli_filling *filling, double least, pli_filling_report *report)
{
    *report = (pli_filling_report){0};
    int32_t opened = 1;
    for (int round = 0; round < MAX_ROUNDS && opened > 0; ++round) {
        PLI_TRY(open_pinches(filling, &opened, &report->area));
        report->pinch_tets += opened;
    }
    PLI_TRY(drop_small(filling, least, report));
    bool changed = report->pinch_tets > 0 || report->dropped_components > 0;
    return changed ? compact_vertices(filling) : PLI_OK;
}
