// SPDX-License-Identifier: Apache-2.0
//
// Input files as Abaqus reads them (.inp; Abaqus keywords reference: *NODE, *ELEMENT, *ELSET,
// *NSET): nodes, tetrahedra of four (C3D4) and ten nodes (C3D10 and its variants), triangles of
// shells (S3), and sets of elements and nodes as groups. Other keywords, with the lines that belong
// to them, are skipped; numbers of nodes and elements may be any. An element that is in several
// sets is put into the first; a node may be in any number. Nodes on edges come in the order of VTK.
#include "io/mesh/mesh_format.h"

#include "base/memory.h"

#include <string.h>

typedef struct abaqus {
    pli_mesh_builder *builder;
    pli_scan *scan;
    pli_key_map nodes;    // number -> index of the point
    pli_key_map elements; // number -> index into cells
    int32_t cell_capacity;
    int32_t *cells; // [elements.count] tetrahedron k as k, triangle k as -1 - k
} abaqus;

// ---- keywords

// The rest of a line that begins with a keyword, in pieces between commas.
static pli_span next_piece(pli_span *line)
{
    int64_t end = 0;
    while (end < line->length && line->text[end] != ',') ++end;
    pli_span piece = {line->text, end};
    int64_t skip = end < line->length ? end + 1 : end;
    *line = (pli_span){line->text + skip, line->length - skip};
    while (piece.length > 0 && (piece.text[0] == ' ' || piece.text[0] == '\t')) {
        ++piece.text;
        --piece.length;
    }
    while (piece.length > 0 &&
           (piece.text[piece.length - 1] == ' ' || piece.text[piece.length - 1] == '\t')) {
        --piece.length;
    }
    return piece;
}

// The value of "KEY=value" on a keyword's line; empty: it is not there.
static pli_span find_value(pli_span line, const char *key)
{
    int64_t length = (int64_t)strlen(key);
    while (line.length > 0) {
        pli_span piece = next_piece(&line);
        if (!pli_span_starts(piece, key)) continue;
        pli_span rest = {piece.text + length, piece.length - length};
        while (rest.length > 0 && (rest.text[0] == ' ' || rest.text[0] == '=')) {
            ++rest.text;
            --rest.length;
        }
        return rest;
    }
    return (pli_span){NULL, 0};
}

static bool has_word(pli_span line, const char *word)
{
    while (line.length > 0) {
        if (pli_span_is(next_piece(&line), word)) return true;
    }
    return false;
}

// Whether a line of data follows; comments are skipped.
static bool has_data(pli_scan *scan)
{
    while (pli_scan_skip_blank(scan)) {
        if (*scan->next != '*') return true;
        if (pli_scan_left(scan) < 2 || scan->next[1] != '*') return false;
        (void)pli_scan_rest_of_line(scan);
    }
    return false;
}

// ---- nodes

static pli_status find_node(const abaqus *file, int64_t number, int32_t *point)
{
    *point = pli_key_map_find(&file->nodes, &number);
    if (*point >= 0) return PLI_OK;
    return PLI_SCAN_FAIL(file->scan, "node %lld is not among the %d nodes before",
                         (long long)number, (int)file->nodes.count);
}

static pli_status read_nodes(abaqus *file, pli_span line)
{
    int32_t group = -1;
    PLI_TRY(pli_mesh_builder_group(file->builder, find_value(line, "NSET"), &group));
    while (has_data(file->scan)) {
        int64_t number = 0;
        int32_t index = 0;
        bool added = false;
        double point[3] = {0};
        PLI_TRY(pli_scan_integer(file->scan, "the number of a node", 1, INT64_MAX, &number));
        PLI_TRY(pli_key_map_add(&file->nodes, &number, &index, &added));
        if (!added) {
            return PLI_SCAN_FAIL(file->scan,
                                 "node %lld appears a second time; every node needs "
                                 "its own number",
                                 (long long)number);
        }
        PLI_TRY(pli_scan_reals(file->scan, "a coordinate of a node", 3, point));
        PLI_TRY(pli_mesh_builder_add_point(file->builder, file->scan, point));
        if (group >= 0) PLI_TRY(pli_mesh_builder_add_to_set(file->builder, group, index));
        (void)pli_scan_rest_of_line(file->scan);
    }
    return PLI_OK;
}

// ---- elements

// Nodes of an element by its type; 0: it is skipped, -1: it is a solid that is not taken.
static int32_t count_nodes(pli_span type)
{
    if (pli_span_is(type, "C3D4") || pli_span_is(type, "C3D4H")) return 4;
    if (pli_span_starts(type, "C3D10")) return 10;
    if (pli_span_is(type, "S3") || pli_span_is(type, "S3R")) return 3;
    return pli_span_starts(type, "C3D") ? -1 : 0;
}

static pli_status note_element(abaqus *file, int64_t number, int32_t cell)
{
    int32_t index = 0;
    bool added = false;
    PLI_TRY(pli_key_map_add(&file->elements, &number, &index, &added));
    if (!added) {
        return PLI_SCAN_FAIL(file->scan,
                             "element %lld appears a second time; every element needs "
                             "its own number",
                             (long long)number);
    }
    if (index >= file->cell_capacity) {
        int32_t capacity = index + index / 2 + 64;
        PLI_TRY(PLI_RESIZE(file->builder->context, file->cells, capacity, "elements"));
        file->cell_capacity = capacity;
    }
    file->cells[index] = cell;
    return PLI_OK;
}

static pli_status read_element(abaqus *file, int32_t count, int32_t group)
{
    pli_mesh_builder *builder = file->builder;
    int64_t number = 0, node = 0;
    int32_t nodes[10];
    PLI_TRY(pli_scan_integer(file->scan, "the number of an element", 1, INT64_MAX, &number));
    for (int32_t k = 0; k < count; ++k) {
        PLI_TRY(pli_scan_integer(file->scan, "a node of an element", 1, INT64_MAX, &node));
        PLI_TRY(find_node(file, node, &nodes[k]));
    }
    pli_cell_list *list = count == 3 ? &builder->triangles : &builder->tets;
    PLI_TRY(note_element(file, number, count == 3 ? -1 - list->count : list->count));
    PLI_TRY(pli_mesh_builder_add_cell(builder, file->scan, list, nodes, group));
    return count == 10 ? pli_mesh_builder_add_mids(builder, file->scan, nodes + 4) : PLI_OK;
}

static pli_status read_elements(abaqus *file, pli_span line)
{
    pli_span type = find_value(line, "TYPE");
    int32_t count = count_nodes(type), group = -1;
    if (count < 0) {
        return PLI_SCAN_FAIL(file->scan,
                             "elements of type %.*s are not taken; only tetrahedra (C3D4, "
                             "C3D10) can fill a body: mesh it with tetrahedra",
                             (int)(type.length < 32 ? type.length : 32), type.text);
    }
    if (count > 0) {
        PLI_TRY(pli_mesh_builder_group(file->builder, find_value(line, "ELSET"), &group));
    }
    while (has_data(file->scan)) {
        if (count > 0) PLI_TRY(read_element(file, count, group));
        if (count == 0) (void)pli_scan_rest_of_line(file->scan);
    }
    return PLI_OK;
}

// ---- sets

static pli_status add_to_set(abaqus *file, bool nodes, int32_t group, int64_t number)
{
    if (nodes) {
        int32_t point = 0;
        PLI_TRY(find_node(file, number, &point));
        return pli_mesh_builder_add_to_set(file->builder, group, point);
    }
    // elements that were skipped may be in sets
    int32_t index = pli_key_map_find(&file->elements, &number);
    if (index < 0) return PLI_OK;
    int32_t cell = file->cells[index];
    pli_cell_list *list = cell < 0 ? &file->builder->triangles : &file->builder->tets;
    int32_t *to = &list->groups[cell < 0 ? -1 - cell : cell];
    if (*to < 0) *to = group;
    return PLI_OK;
}

// Numbers from first to last in steps.
static pli_status read_range(abaqus *file, bool nodes, int32_t group)
{
    int64_t first = 0, last = 0, step = 1;
    PLI_TRY(pli_scan_integer(file->scan, "the first number of a range", 1, INT32_MAX, &first));
    PLI_TRY(pli_scan_integer(file->scan, "the last number of a range", first, INT32_MAX, &last));
    file->scan->by_lines = true;
    if (pli_scan_has_value(file->scan)) {
        PLI_TRY(pli_scan_integer(file->scan, "the step of a range", 1, INT32_MAX, &step));
    }
    file->scan->by_lines = false;
    const pli_key_map *known = nodes ? &file->nodes : &file->elements;
    if ((last - first) / step >= known->count) {
        return PLI_SCAN_FAIL(file->scan, "the range has %lld numbers, and the file %d before it",
                             (long long)((last - first) / step + 1), (int)known->count);
    }
    for (int64_t k = first; k <= last; k += step) PLI_TRY(add_to_set(file, nodes, group, k));
    return PLI_OK;
}

static pli_status read_set(abaqus *file, pli_span line, bool nodes)
{
    int32_t group = -1;
    bool ranges = has_word(line, "GENERATE");
    PLI_TRY(
        pli_mesh_builder_group(file->builder, find_value(line, nodes ? "NSET" : "ELSET"), &group));
    while (group >= 0 && has_data(file->scan)) {
        int64_t number = 0;
        if (ranges) {
            PLI_TRY(read_range(file, nodes, group));
            continue;
        }
        PLI_TRY(pli_scan_integer(file->scan, "a number of a set (sets of sets are not taken)", 1,
                                 INT64_MAX, &number));
        PLI_TRY(add_to_set(file, nodes, group, number));
    }
    return PLI_OK;
}

// ---- the file

static pli_status read_keyword(abaqus *file)
{
    pli_span line = pli_scan_rest_of_line(file->scan), rest = line;
    pli_span word = next_piece(&rest);
    if (pli_span_is(word, "*NODE")) return read_nodes(file, rest);
    if (pli_span_is(word, "*ELEMENT")) return read_elements(file, rest);
    if (pli_span_is(word, "*NSET")) return read_set(file, rest, true);
    if (pli_span_is(word, "*ELSET")) return read_set(file, rest, false);
    while (has_data(file->scan)) (void)pli_scan_rest_of_line(file->scan);
    return PLI_OK;
}

static pli_status read_keywords(abaqus *file)
{
    while (pli_scan_skip_blank(file->scan)) {
        if (*file->scan->next != '*') {
            file->scan->place = file->scan->next;
            return pli_scan_fail_word(file->scan, "a keyword", "'*NODE' or so");
        }
        PLI_TRY(read_keyword(file));
    }
    return PLI_OK;
}

static pli_status read_abaqus(pli_mesh_builder *builder, pli_scan *scan)
{
    abaqus file = {.builder = builder, .scan = scan};
    scan->commas = true;
    pli_key_map_init(&file.nodes, builder->context, sizeof(int64_t));
    pli_key_map_init(&file.elements, builder->context, sizeof(int64_t));
    pli_status status = read_keywords(&file);
    pli_key_map_clear(&file.elements);
    pli_key_map_clear(&file.nodes);
    pli_release(builder->context, file.cells);
    return status;
}

// The first line that is no comment begins with a keyword.
static bool matches_abaqus(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    while (pli_scan_skip_blank(&scan) &&
           pli_span_starts((pli_span){scan.next, pli_scan_left(&scan)}, "**")) {
        (void)pli_scan_rest_of_line(&scan);
    }
    pli_span rest = {scan.next, pli_scan_left(&scan)};
    return pli_span_starts(rest, "*HEADING") || pli_span_starts(rest, "*NODE") ||
           pli_span_starts(rest, "*PART") || pli_span_starts(rest, "*ELEMENT");
}

const pli_mesh_format pli_mesh_format_abaqus = {"Abaqus", {"inp"}, matches_abaqus, read_abaqus};
