// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_builder.h"

#include "base/hash.h"
#include "base/memory.h"
#include "geometry/mesh/triangulate.h"

#include <math.h>
#include <stdio.h>

void pli_mesh_builder_init(pli_mesh_builder *builder, pli_context *context, const char *path)
{
    *builder = (pli_mesh_builder){.context = context, .path = path};
    builder->tets.kind = "tetrahedron";
    builder->tets.kinds = "tetrahedra";
    builder->tets.corner_count = 4;
    builder->triangles.kind = "triangle";
    builder->triangles.kinds = "triangles";
    builder->triangles.corner_count = 3;
    pli_key_map_init(&builder->group_map, context, sizeof(uint64_t));
}

static void clear_cells(pli_context *context, pli_cell_list *list)
{
    PLI_RELEASE(context, list->corners, list->groups, list->lines, list->file, list->mids);
}

void pli_mesh_builder_clear(pli_mesh_builder *builder)
{
    pli_context *context = builder->context;
    pli_release(context, builder->points);
    clear_cells(context, &builder->tets);
    clear_cells(context, &builder->triangles);
    for (int32_t i = 0; i < builder->group_count; ++i)
        pli_release(context, builder->group_names[i]);
    for (int32_t i = 0; i < builder->array_count; ++i) {
        PLI_RELEASE(context, builder->arrays[i].values, builder->arrays[i].name);
    }
    PLI_RELEASE(context, builder->group_names, builder->corners, builder->late, builder->arrays,
                builder->set_groups, builder->set_points);
    pli_arena_destroy(builder->scratch);
    pli_key_map_clear(&builder->group_map);
    pli_mesh_builder_init(builder, context, builder->path);
}

// The capacity for count items and `more` further ones: exact at first, then growing by half.
static pli_status grow(pli_context *context, const char *what, int32_t count, int64_t more,
                       int32_t *capacity)
{
    int64_t needed = count + more;
    if (needed > INT32_MAX) {
        return PLI_FAIL(context, PLI_ERROR_MESH, "the mesh has more than %d %s", INT32_MAX, what);
    }
    int64_t larger = *capacity + *capacity / 2;
    if (larger > INT32_MAX) larger = INT32_MAX;
    *capacity = (int32_t)(needed > larger ? needed : larger);
    return PLI_OK;
}

pli_status pli_mesh_builder_reserve_points(pli_mesh_builder *builder, int64_t count)
{
    int32_t capacity = builder->point_capacity;
    if (builder->point_count + count <= capacity) return PLI_OK;
    PLI_TRY(grow(builder->context, "points", builder->point_count, count, &capacity));
    PLI_TRY(PLI_RESIZE(builder->context, builder->points, 3 * capacity, "points"));
    builder->point_capacity = capacity;
    return PLI_OK;
}

pli_status pli_mesh_builder_reserve_cells(pli_mesh_builder *builder, pli_cell_list *list,
                                          int64_t count)
{
    int32_t capacity = list->capacity;
    if (list->count + count <= capacity) return PLI_OK;
    PLI_TRY(grow(builder->context, list->kinds, list->count, count, &capacity));
    size_t size = (size_t)list->corner_count * sizeof(int32_t);
    PLI_TRY(pli_resize(builder->context, &list->corners, capacity, size, list->kinds));
    PLI_TRY(PLI_RESIZE(builder->context, list->groups, capacity, "groups"));
    if (list->lines != NULL) {
        PLI_TRY(PLI_RESIZE(builder->context, list->lines, capacity, "lines of cells"));
    }
    if (list->mids != NULL) {
        PLI_TRY(PLI_RESIZE(builder->context, list->mids, 6 * (int64_t)capacity, "edge nodes"));
    }
    list->capacity = capacity;
    return PLI_OK;
}

pli_status pli_mesh_builder_add_point(pli_mesh_builder *builder, const pli_scan *scan,
                                      const double point[3])
{
    if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2])) {
        return PLI_SCAN_FAIL(scan,
                             "a coordinate of vertex %d is not finite; three finite numbers "
                             "are needed",
                             builder->point_count);
    }
    if (builder->point_count == builder->point_capacity) {
        PLI_TRY(pli_mesh_builder_reserve_points(builder, builder->point_count < 8 ? 8 : 1));
    }
    memcpy(builder->points + 3 * (int64_t)builder->point_count, point, 3 * sizeof(double));
    ++builder->point_count;
    return PLI_OK;
}

static bool has_repeated(const int32_t *corners, int32_t count)
{
    for (int32_t i = 1; i < count; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            if (corners[i] == corners[j]) return true;
        }
    }
    return false;
}

// The line of the scan's place. Cells come one after the other, so that the file is gone through
// once.
static int64_t find_line(pli_mesh_builder *builder, const pli_scan *scan)
{
    if (builder->begin != scan->begin || scan->place < builder->place) {
        builder->begin = builder->place = scan->begin;
        builder->line = 1;
    }
    builder->line += pli_scan_lines_between(scan, builder->place, scan->place);
    builder->place = scan->place;
    return builder->line;
}

// Notes where the cell that is added next stands.
static pli_status add_line(pli_mesh_builder *builder, const pli_scan *scan, pli_cell_list *list)
{
    if (scan->binary && list->lines == NULL) return PLI_OK;
    if (list->lines == NULL) {
        PLI_TRY(PLI_MAKE(builder->context, list->lines, list->capacity, "lines of cells"));
    }
    int64_t line = scan->binary ? 0 : find_line(builder, scan);
    list->lines[list->count] = line <= INT32_MAX ? (int32_t)line : 0;
    return PLI_OK;
}

pli_status pli_mesh_builder_set_file(pli_mesh_builder *builder, pli_cell_list *list,
                                     const char *path)
{
    const char *slash = strrchr(path, '/');
    pli_release(builder->context, list->file);
    list->file = pli_string_copy(builder->context, slash != NULL ? slash + 1 : path);
    return list->file != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_mesh_builder_add_cell(pli_mesh_builder *builder, const pli_scan *scan,
                                     pli_cell_list *list, const int32_t *corners, int32_t group)
{
    if (list->count == list->capacity) {
        PLI_TRY(pli_mesh_builder_reserve_cells(builder, list, list->count < 8 ? 8 : 1));
    }
    if (has_repeated(corners, list->corner_count)) {
        if (list->repeated_count == 0) list->repeated_place = scan->place;
        if (list->repeated_count < PLI_MESH_NAMED_CELLS) {
            list->repeated[list->repeated_count] = list->count;
        }
        ++list->repeated_count;
    }
    PLI_TRY(add_line(builder, scan, list));
    memcpy(list->corners + (int64_t)list->count * list->corner_count, corners,
           (size_t)list->corner_count * sizeof(int32_t));
    list->groups[list->count] = group;
    ++list->count;
    return PLI_OK;
}

pli_status pli_mesh_builder_add_mids(pli_mesh_builder *builder, const pli_scan *scan,
                                     const int32_t mids[6])
{
    pli_cell_list *list = &builder->tets;
    int32_t nodes[10], last = list->count - 1;
    if (list->mids == NULL) {
        PLI_TRY(PLI_MAKE(builder->context, list->mids, 6 * (int64_t)list->capacity, "edge nodes"));
    }
    memcpy(nodes, list->corners + 4 * (int64_t)last, 4 * sizeof *nodes);
    memcpy(nodes + 4, mids, 6 * sizeof *nodes);
    if (!has_repeated(nodes, 4) && has_repeated(nodes, 10)) {
        return PLI_SCAN_FAIL(scan, "tetrahedron %d has a node twice; all ten must differ",
                             (int)last);
    }
    memcpy(list->mids + 6 * (int64_t)last, mids, 6 * sizeof *mids);
    ++list->mid_count;
    return PLI_OK;
}

pli_status pli_mesh_builder_add_to_set(pli_mesh_builder *builder, int32_t group, int32_t point)
{
    if (builder->set_count == builder->set_capacity) {
        int32_t capacity = builder->set_capacity;
        PLI_TRY(grow(builder->context, "points in groups", builder->set_count, 64, &capacity));
        PLI_TRY(PLI_RESIZE(builder->context, builder->set_groups, capacity, "groups of points"));
        PLI_TRY(PLI_RESIZE(builder->context, builder->set_points, capacity, "groups of points"));
        builder->set_capacity = capacity;
    }
    builder->set_groups[builder->set_count] = group;
    builder->set_points[builder->set_count++] = point;
    return PLI_OK;
}

pli_status pli_mesh_builder_corner(const pli_mesh_builder *builder, const pli_scan *scan,
                                   int64_t number, int64_t base, int32_t *corner)
{
    *corner = 0;
    if (number < base || number - base >= builder->point_count) {
        return PLI_SCAN_FAIL(scan,
                             "a cell refers to vertex %lld; there are %d vertices, counted from "
                             "%lld",
                             (long long)number, builder->point_count, (long long)base);
    }
    *corner = (int32_t)(number - base);
    return PLI_OK;
}

pli_status pli_mesh_builder_scan_corner(const pli_mesh_builder *builder, pli_scan *scan,
                                        int64_t base, int32_t *corner)
{
    int64_t number = 0;
    PLI_TRY(pli_scan_integer(scan, "a vertex of a cell", base, base + builder->point_count - 1,
                             &number));
    *corner = (int32_t)(number - base);
    return PLI_OK;
}

// ---- polygons ----

pli_status pli_mesh_polygon_add(pli_mesh_polygon *polygon, pli_mesh_builder *builder,
                                int32_t corner)
{
    if (polygon->count == builder->corner_capacity) {
        int32_t capacity = builder->corner_capacity;
        PLI_TRY(grow(builder->context, "corners of a face", (int32_t)polygon->count,
                     capacity < 8 ? 8 : 1, &capacity));
        PLI_TRY(PLI_RESIZE(builder->context, builder->corners, capacity, "corners of a face"));
        builder->corner_capacity = capacity;
    }
    builder->corners[polygon->count++] = corner;
    return PLI_OK;
}

// Sides and corners of a face are counted from 1.
static pli_status fail_polygon(const pli_mesh_builder *builder, const pli_scan *scan,
                               const pli_polygon_report *report)
{
    int32_t first = report->first + 1;
    int32_t second = report->second + 1;
    switch (report->fault) {
    case PLI_POLYGON_COINCIDENT:
        if (builder->corners[report->first] == builder->corners[report->second]) {
            return PLI_SCAN_FAIL(scan,
                                 "a face uses a vertex twice, as corners %d and %d; different "
                                 "vertices are needed",
                                 first, second);
        }
        return PLI_SCAN_FAIL(scan,
                             "corners %d and %d of a face lie at the same place; a face that does "
                             "not touch itself is needed",
                             first, second);
    case PLI_POLYGON_CROSSING:
        return PLI_SCAN_FAIL(scan,
                             "sides %d and %d of a face, counted from its first corner, cross or "
                             "touch; a face that does not cross itself is needed",
                             first, second);
    case PLI_POLYGON_FOLDED:
        return PLI_SCAN_FAIL(scan, "a face lies over itself, so that it has no front; cut it into "
                                   "faces that are plane");
    case PLI_POLYGON_FLAT:
    case PLI_POLYGON_BENT:
    case PLI_POLYGON_SIMPLE: break;
    }
    return PLI_SCAN_FAIL(scan, "the corners of a face lie on one line, so that it has no area; "
                               "move or remove it");
}

static pli_status check_size(const pli_mesh_builder *builder, const pli_scan *scan, int32_t count)
{
    if (count == 3 || count <= builder->point_count) return PLI_OK;
    return PLI_SCAN_FAIL(scan,
                         "a face of %d corners uses a vertex twice, since there are %d vertices; "
                         "different vertices are needed",
                         count, builder->point_count);
}

// Cuts the polygon in builder->corners; its triangles are there already and get their corners.
static pli_status cut_polygon(pli_mesh_builder *builder, const pli_scan *scan, int32_t count,
                              int32_t *triangles)
{
    if (builder->scratch == NULL) {
        PLI_TRY(pli_arena_create(builder->context, 0, &builder->scratch));
    }
    pli_polygon_report report;
    PLI_TRY(pli_triangulate(builder->scratch, count, builder->corners, builder->points,
                            (int32_t(*)[3])triangles, &report));
    bool is_bent = report.fault == PLI_POLYGON_BENT;
    if (report.fault != PLI_POLYGON_SIMPLE && !is_bent) return fail_polygon(builder, scan, &report);
    if (is_bent && builder->bent_count++ == 0) builder->bent_place = scan->place;
    for (int64_t i = 0; i < 3 * ((int64_t)count - 2); ++i) {
        triangles[i] = builder->corners[triangles[i]];
    }
    return PLI_OK;
}

// Keeps a polygon for later.
static pli_status add_late(pli_mesh_builder *builder, const pli_scan *scan, int32_t first,
                           int32_t count)
{
    if (builder->late_count == builder->late_capacity) {
        int32_t capacity = builder->late_capacity;
        PLI_TRY(
            grow(builder->context, "faces", builder->late_count, capacity < 8 ? 8 : 1, &capacity));
        PLI_TRY(PLI_RESIZE(builder->context, builder->late, capacity, "faces"));
        builder->late_capacity = capacity;
    }
    builder->late[builder->late_count++] = (pli_late_polygon){first, count, scan->place};
    return PLI_OK;
}

// A fan around the first corner, so that a polygon can be read back from its triangles.
static pli_status add_fan(pli_mesh_builder *builder, const pli_scan *scan,
                          const pli_mesh_polygon *polygon)
{
    pli_cell_list *list = &builder->triangles;
    if (list->count + polygon->count - 2 > list->capacity) {
        PLI_TRY(pli_mesh_builder_reserve_cells(builder, list, polygon->count - 2));
    }
    for (int64_t i = 2; i < polygon->count; ++i) {
        int32_t corners[3] = {builder->corners[0], builder->corners[i - 1], builder->corners[i]};
        PLI_TRY(pli_mesh_builder_add_cell(builder, scan, list, corners, polygon->group));
    }
    return PLI_OK;
}

pli_status pli_mesh_polygon_end(const pli_mesh_polygon *polygon, pli_mesh_builder *builder,
                                const pli_scan *scan)
{
    if (polygon->count < 3) {
        return PLI_SCAN_FAIL(scan, "a face has %lld corners; at least 3 are needed",
                             (long long)polygon->count);
    }
    int32_t first = builder->triangles.count;
    int32_t count = (int32_t)polygon->count;
    bool is_late = false;
    for (int32_t i = 0; i < count; ++i) {
        is_late = is_late || builder->corners[i] >= builder->point_count;
    }
    if (!is_late) PLI_TRY(check_size(builder, scan, count));
    PLI_TRY(add_fan(builder, scan, polygon));
    if (count == 3) return PLI_OK;
    if (is_late) return add_late(builder, scan, first, count);
    return cut_polygon(builder, scan, count, builder->triangles.corners + 3 * (int64_t)first);
}

pli_status pli_mesh_builder_end_polygons(pli_mesh_builder *builder, pli_scan *scan)
{
    for (int32_t k = 0; k < builder->late_count; ++k) {
        const pli_late_polygon *late = &builder->late[k];
        int32_t *triangles = builder->triangles.corners + 3 * (int64_t)late->first;
        // the buffer held this polygon before, so it is large enough
        memcpy(builder->corners, triangles, 2 * sizeof(int32_t));
        for (int32_t i = 2; i < late->count; ++i) {
            builder->corners[i] = triangles[3 * (int64_t)(i - 2) + 2];
        }
        scan->place = late->place;
        PLI_TRY(check_size(builder, scan, late->count));
        PLI_TRY(cut_polygon(builder, scan, late->count, triangles));
    }
    return PLI_OK;
}

// ---- groups ----

static pli_status append_group(pli_mesh_builder *builder, pli_span name)
{
    pli_context *context = builder->context;
    if (builder->group_count == builder->group_capacity) {
        int32_t capacity = builder->group_capacity;
        PLI_TRY(grow(context, "groups", builder->group_count, 8, &capacity));
        PLI_TRY(PLI_RESIZE(context, builder->group_names, capacity, "names of groups"));
        builder->group_capacity = capacity;
    }
    char *copy = PLI_NEW(context, char, name.length + 1, "name of a group");
    if (copy == NULL) return PLI_ERROR_MEMORY;
    memcpy(copy, name.text, (size_t)name.length);
    builder->group_names[builder->group_count++] = copy;
    return PLI_OK;
}

pli_status pli_mesh_builder_group(pli_mesh_builder *builder, pli_span name, int32_t *group)
{
    *group = -1;
    // a name is a C string for everybody else
    if (name.length > 0) name.length = (int64_t)strnlen(name.text, (size_t)name.length);
    if (name.length == 0) return PLI_OK;

    // two names of the same hash are told apart by going on to the next key
    uint64_t key = pli_hash_bytes(PLI_HASH_START, name.text, (size_t)name.length);
    int32_t found = pli_key_map_find(&builder->group_map, &key);
    while (found >= 0 &&
           !(strlen(builder->group_names[found]) == (size_t)name.length &&
             memcmp(builder->group_names[found], name.text, (size_t)name.length) == 0)) {
        ++key;
        found = pli_key_map_find(&builder->group_map, &key);
    }
    if (found < 0) {
        bool added = false;
        PLI_TRY(append_group(builder, name));
        PLI_TRY(pli_key_map_add(&builder->group_map, &key, &found, &added));
    }
    *group = found;
    return PLI_OK;
}

pli_status pli_mesh_builder_group_number(pli_mesh_builder *builder, int64_t number, int32_t *group)
{
    *group = -1;
    if (number == 0) return PLI_OK;
    char text[32];
    int length = snprintf(text, sizeof text, "%lld", (long long)number);
    return pli_mesh_builder_group(builder, (pli_span){text, length}, group);
}

pli_status pli_pending_group_get(pli_pending_group *pending, pli_mesh_builder *builder,
                                 int32_t *group)
{
    if (!pending->known) {
        PLI_TRY(pli_mesh_builder_group(builder, pending->name, &pending->group));
        pending->known = true;
    }
    *group = pending->group;
    return PLI_OK;
}

// ---- what can only be said at the end ----

static pli_status check_list(const pli_cell_list *list, pli_scan *scan)
{
    if (list->repeated_count == 0) return PLI_OK;
    char others[128] = "";
    int length = 0;
    for (int32_t i = 1; i < list->repeated_count && i < PLI_MESH_NAMED_CELLS; ++i) {
        length += snprintf(others + length, sizeof others - (size_t)length, "%s%d",
                           i == 1 ? "; so do " : ", ", list->repeated[i]);
    }
    if (list->repeated_count > PLI_MESH_NAMED_CELLS) {
        snprintf(others + length, sizeof others - (size_t)length, " and %d more",
                 list->repeated_count - PLI_MESH_NAMED_CELLS);
    }
    scan->place = list->repeated_place;
    return PLI_SCAN_FAIL(scan,
                         "%s %d, counted from 0, uses a vertex twice%s; %d different vertices "
                         "are needed",
                         list->kind, list->repeated[0], others, list->corner_count);
}

pli_status pli_mesh_builder_check_cells(const pli_mesh_builder *builder, pli_scan *scan)
{
    PLI_TRY(check_list(&builder->tets, scan));
    return check_list(&builder->triangles, scan);
}
