// SPDX-License-Identifier: Apache-2.0
//
// TetGen's .node, .ele and .face (TetGen manual, section on file formats), and Vega's .veg, which
// puts the same lists into one file under *VERTICES and *ELEMENTS.
//
//   .node   count 3 attribute_count has_marker      number x y z [attributes] [marker]
//   .ele    count 4|10 attribute_count              number a b c d [...] [attributes]
//   .face   count has_marker                        number a b c [marker]
//
// Numbers begin with 0 or 1, as the first node says, and count up by one. The first attribute of a
// tetrahedron and the marker of a face are groups.
#include "io/mesh/mesh_format.h"

#include "base/memory.h"
#include "io/file/file.h"

#include <math.h>
#include <strings.h>

typedef struct lists {
    pli_mesh_builder *builder;
    pli_scan *given; // the file that was asked for
    int64_t base;    // number of the first node
} lists;

// Reads what is left of a head: optional whole numbers, for which fallbacks stand.
static pli_status read_head(pli_scan *scan, const char *what, int32_t count, int64_t *values)
{
    for (int32_t i = 0; i < count && pli_scan_has_value(scan); ++i) {
        PLI_TRY(pli_scan_integer(scan, what, 0, INT32_MAX, &values[i]));
    }
    return pli_scan_end_line(scan);
}

static pli_status skip_values(pli_scan *scan, int64_t count)
{
    double value = 0;
    for (int64_t i = 0; i < count; ++i) PLI_TRY(pli_scan_real(scan, "an attribute", &value));
    return PLI_OK;
}

static pli_status read_nodes(lists *list, pli_scan *scan)
{
    int64_t count = 0;
    int64_t head[3] = {3, 0, 0}; // dimension, attributes, markers
    PLI_TRY(pli_scan_count(scan, "nodes", 8, &count));
    PLI_TRY(read_head(scan, "the head of the list of nodes", 3, head));
    if (head[0] != 3) {
        return PLI_SCAN_FAIL(scan, "the nodes before have dimension %lld; 3 is needed",
                             (long long)head[0]);
    }
    PLI_TRY(pli_mesh_builder_reserve_points(list->builder, count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        double point[3];
        int64_t low = i == 0 ? 0 : list->base + i;
        int64_t high = i == 0 ? 1 : list->base + i;
        PLI_TRY(
            pli_scan_integer(scan, "the number of a node, counting up by one", low, high, &number));
        if (i == 0) list->base = number;
        PLI_TRY(pli_scan_reals(scan, "a coordinate of a node", 3, point));
        PLI_TRY(pli_mesh_builder_add_point(list->builder, scan, point));
        PLI_TRY(skip_values(scan, head[1] + head[2]));
        PLI_TRY(pli_scan_end_line(scan));
    }
    return PLI_OK;
}

// Reads the corners of a cell, whose number stands before them.
static pli_status read_corners(lists *list, pli_scan *scan, int32_t count, int32_t *corners)
{
    int64_t number = 0;
    PLI_TRY(pli_scan_integer(scan, "the number of a cell", 0, INT32_MAX, &number));
    for (int32_t i = 0; i < count; ++i) {
        PLI_TRY(pli_mesh_builder_scan_corner(list->builder, scan, list->base, &corners[i]));
    }
    return PLI_OK;
}

// Reads attributes; the first, where it is a whole number, is the group.
static pli_status read_group(lists *list, pli_scan *scan, int64_t attribute_count, int32_t *group)
{
    *group = -1;
    if (attribute_count == 0) return PLI_OK;
    double value = 0;
    PLI_TRY(pli_scan_real(scan, "an attribute", &value));
    if (value == floor(value) && fabs(value) < 1e15) {
        PLI_TRY(pli_mesh_builder_group_number(list->builder, (int64_t)value, group));
    }
    return skip_values(scan, attribute_count - 1);
}

static pli_status read_elements(lists *list, pli_scan *scan)
{
    pli_mesh_builder *builder = list->builder;
    int64_t count = 0;
    int64_t head[2] = {4, 0}; // nodes, attributes
    PLI_TRY(pli_scan_count(scan, "tetrahedra", 10, &count));
    PLI_TRY(read_head(scan, "the head of the list of tetrahedra", 2, head));
    if (head[0] != 4 && head[0] != 10) {
        return PLI_SCAN_FAIL(scan, "the cells before have %lld nodes; tetrahedra have 4 or 10",
                             (long long)head[0]);
    }
    PLI_TRY(pli_mesh_builder_reserve_cells(builder, &builder->tets, count));
    for (int64_t i = 0; i < count; ++i) {
        int32_t corners[10];
        int32_t group = -1;
        PLI_TRY(read_corners(list, scan, (int32_t)head[0], corners));
        PLI_TRY(read_group(list, scan, head[1], &group));
        PLI_TRY(pli_mesh_builder_add_cell(builder, scan, &builder->tets, corners, group));
        PLI_TRY(pli_scan_end_line(scan));
    }
    builder->curved_count += head[0] == 10 ? count : 0;
    return PLI_OK;
}

static pli_status read_faces(lists *list, pli_scan *scan)
{
    pli_mesh_builder *builder = list->builder;
    int64_t count = 0;
    int64_t head[1] = {0}; // markers
    PLI_TRY(pli_scan_count(scan, "faces", 8, &count));
    PLI_TRY(read_head(scan, "the head of the list of faces", 1, head));
    PLI_TRY(pli_mesh_builder_reserve_cells(builder, &builder->triangles, count));
    for (int64_t i = 0; i < count; ++i) {
        int32_t corners[3];
        int32_t group = -1;
        PLI_TRY(read_corners(list, scan, 3, corners));
        PLI_TRY(read_group(list, scan, head[0], &group));
        PLI_TRY(pli_mesh_builder_add_cell(builder, scan, &builder->triangles, corners, group));
        // further values tell the neighbouring tetrahedra
        (void)pli_scan_rest_of_line(scan);
        (void)pli_scan_skip_blank(scan);
    }
    return PLI_OK;
}

// ---- TetGen: one file a list ----

typedef pli_status (*read_list_fn)(lists *list, pli_scan *scan);

static pli_status read_one_list(lists *list, pli_scan *scan, read_list_fn read)
{
    scan->by_lines = true;
    scan->comment = '#';
    (void)pli_scan_skip_blank(scan);
    return read(list, scan);
}

static pli_status end_of_list(pli_scan *scan)
{
    if (!pli_scan_skip_blank(scan)) return PLI_OK;
    return pli_scan_fail_word(scan, "the end of the file after the last item that its head counts",
                              "nothing more");
}

// The path with another ending. NULL when memory ran out.
static char *replace_ending(pli_context *context, const char *path, const char *ending)
{
    size_t kept = strlen(path) - strlen(pli_path_ending(path));
    char *other = PLI_NEW(context, char, (int64_t)(kept + strlen(ending) + 1), "path");
    if (other == NULL) return NULL;
    memcpy(other, path, kept);
    strcpy(other + kept, ending);
    return other;
}

static pli_status read_whole_list(lists *list, pli_scan *scan, read_list_fn read)
{
    PLI_TRY(read_one_list(list, scan, read));
    PLI_TRY(end_of_list(scan));
    return pli_mesh_builder_check_cells(list->builder, scan);
}

// Reads the list in the file with this ending. One that may be missing is then left out.
static pli_status read_companion(lists *list, const char *ending, bool may_miss, read_list_fn read)
{
    pli_context *context = list->builder->context;
    list->builder->begin = NULL;
    if (strcasecmp(pli_path_ending(list->builder->path), ending) == 0) {
        return read_whole_list(list, list->given, read);
    }
    char *bytes = NULL;
    int64_t count = 0;
    char *path = replace_ending(context, list->builder->path, ending);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status != PLI_OK || (may_miss && !pli_path_exists(path))) goto done;

    status = pli_file_read(context, path, 0, &bytes, &count);
    if (status != PLI_OK) goto done;
    pli_scan scan;
    pli_scan_init(&scan, context, path, bytes, count);
    status = read_whole_list(list, &scan, read);
    if (status == PLI_OK && read != read_nodes) {
        pli_mesh_builder *builder = list->builder;
        status = pli_mesh_builder_set_file(
            builder, read == read_elements ? &builder->tets : &builder->triangles, path);
    }

done:
    PLI_RELEASE(context, bytes, path);
    return status;
}

// From memory: nodes, then elements and faces if there are more lists.
static pli_status read_together(lists *list, pli_scan *scan)
{
    PLI_TRY(read_one_list(list, scan, read_nodes));
    if (pli_scan_skip_blank(scan)) PLI_TRY(read_elements(list, scan));
    if (pli_scan_skip_blank(scan)) PLI_TRY(read_faces(list, scan));
    return end_of_list(scan);
}

static pli_status read_tetgen(pli_mesh_builder *builder, pli_scan *scan)
{
    lists list = {.builder = builder, .given = scan};
    if (builder->path == NULL) return read_together(&list, scan);

    // the given file may be any of the three; nodes must be known before cells
    const char *ending = pli_path_ending(builder->path);
    bool upper = ending[0] >= 'A' && ending[0] <= 'Z';
    PLI_TRY(read_companion(&list, upper ? "NODE" : "node", false, read_nodes));
    PLI_TRY(read_companion(&list, upper ? "ELE" : "ele", true, read_elements));
    return read_companion(&list, upper ? "FACE" : "face", true, read_faces);
}

const pli_mesh_format pli_mesh_format_tetgen = {
    "TetGen", {"node", "ele", "face"}, NULL, read_tetgen};

// ---- Vega: all in one file ----

static pli_status read_vega_section(lists *list, pli_scan *scan)
{
    pli_span word;
    PLI_TRY(pli_scan_word(scan, "a section", &word));
    if (pli_span_is(word, "*VERTICES") && list->builder->point_count == 0) {
        PLI_TRY(pli_scan_end_line(scan));
        return read_nodes(list, scan);
    }
    if (pli_span_is(word, "*ELEMENTS")) {
        PLI_TRY(pli_scan_end_line(scan));
        PLI_TRY(pli_scan_expect(scan, "TET", "the kind of elements"));
        PLI_TRY(pli_scan_end_line(scan));
        return read_elements(list, scan);
    }
    bool known = word.text[0] == '*' && !pli_span_is(word, "*VERTICES");
    if (!known || pli_span_is(word, "*INCLUDE")) {
        return pli_scan_fail_word(scan, "a section",
                                  "'*VERTICES' once, '*ELEMENTS' or another part of this one file");
    }

    // materials, sets and regions
    (void)pli_scan_rest_of_line(scan);
    while (pli_scan_skip_blank(scan) && *scan->next != '*') (void)pli_scan_rest_of_line(scan);
    return PLI_OK;
}

static pli_status read_vega(pli_mesh_builder *builder, pli_scan *scan)
{
    lists list = {.builder = builder};
    scan->by_lines = true;
    scan->comment = '#';
    while (pli_scan_skip_blank(scan)) PLI_TRY(read_vega_section(&list, scan));
    return PLI_OK;
}

static bool matches_vega(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    scan.comment = '#';
    return pli_scan_accept(&scan, "*VERTICES") || pli_scan_accept(&scan, "*INCLUDE");
}

const pli_mesh_format pli_mesh_format_vega = {"Vega", {"veg"}, matches_vega, read_vega};
