// SPDX-License-Identifier: Apache-2.0
//
// Medit's .mesh in text (Frey, INRIA technical report 0253, 2001): keywords, each with a count and
// as many items. Every item ends with a reference number, which is its group where it is not 0.
// Vertices count from 1. Keywords that are not needed are skipped with the numbers after them.
#include "io/mesh/mesh_format.h"

// Reads one cell of corner_count vertices and its reference.
static pli_status read_cell(pli_mesh_builder *builder, pli_scan *scan, int32_t corner_count,
                            bool solid)
{
    int32_t corners[4];
    int64_t reference = 0;
    int32_t group = -1;
    for (int32_t i = 0; i < corner_count; ++i) {
        PLI_TRY(pli_mesh_builder_scan_corner(builder, scan, 1, &corners[i]));
    }
    PLI_TRY(pli_scan_integer(scan, "the reference of a cell", INT32_MIN, INT32_MAX, &reference));
    PLI_TRY(pli_mesh_builder_group_number(builder, reference, &group));
    if (solid) return pli_mesh_builder_add_cell(builder, scan, &builder->tets, corners, group);
    pli_mesh_polygon polygon = {.group = group};
    for (int32_t i = 0; i < corner_count; ++i) {
        PLI_TRY(pli_mesh_polygon_add(&polygon, builder, corners[i]));
    }
    return pli_mesh_polygon_end(&polygon, builder, scan);
}

static pli_status read_cells(pli_mesh_builder *builder, pli_scan *scan, int32_t corner_count,
                             bool solid)
{
    int64_t count = 0;
    PLI_TRY(pli_scan_count(scan, "cells", 2 * (corner_count + 1), &count));
    if (corner_count != 4 || solid) {
        pli_cell_list *list = solid ? &builder->tets : &builder->triangles;
        PLI_TRY(pli_mesh_builder_reserve_cells(builder, list, count));
    }
    for (int64_t i = 0; i < count; ++i) PLI_TRY(read_cell(builder, scan, corner_count, solid));
    return PLI_OK;
}

static pli_status read_vertices(pli_mesh_builder *builder, pli_scan *scan)
{
    int64_t count = 0;
    PLI_TRY(pli_scan_count(scan, "vertices", 8, &count));
    PLI_TRY(pli_mesh_builder_reserve_points(builder, count));
    for (int64_t i = 0; i < count; ++i) {
        double point[3];
        double reference = 0;
        PLI_TRY(pli_scan_reals(scan, "a coordinate of a vertex", 3, point));
        PLI_TRY(pli_mesh_builder_add_point(builder, scan, point));
        PLI_TRY(pli_scan_real(scan, "the reference of a vertex", &reference));
    }
    return PLI_OK;
}

// Solids other than tetrahedra may only be announced as none.
static pli_status read_no_cells(pli_scan *scan)
{
    int64_t count = 0;
    PLI_TRY(pli_scan_count(scan, "cells", 2, &count));
    if (count == 0) return PLI_OK;
    return PLI_SCAN_FAIL(scan,
                         "%lld hexahedra, prisms or pyramids follow; only tetrahedra can fill "
                         "a body: mesh it with tetrahedra",
                         (long long)count);
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Skips the numbers up to the next keyword.
static pli_status skip_numbers(pli_scan *scan)
{
    while (pli_scan_skip_blank(scan) && !is_letter(*scan->next)) {
        double number = 0;
        PLI_TRY(pli_scan_real(scan, "a number or the next keyword", &number));
    }
    return PLI_OK;
}

static pli_status read_keyword(pli_mesh_builder *builder, pli_scan *scan, pli_span word)
{
    int64_t number = 0;
    if (pli_span_is(word, "MeshVersionFormatted")) {
        return pli_scan_integer(scan, "the version of the format", 1, 4, &number);
    }
    if (pli_span_is(word, "Dimension")) {
        return pli_scan_integer(scan, "the dimension", 3, 3, &number);
    }
    if (pli_span_is(word, "Vertices")) return read_vertices(builder, scan);
    if (pli_span_is(word, "Tetrahedra")) return read_cells(builder, scan, 4, true);
    if (pli_span_is(word, "Triangles")) return read_cells(builder, scan, 3, false);
    if (pli_span_is(word, "Quadrilaterals")) return read_cells(builder, scan, 4, false);
    if (pli_span_is(word, "Hexahedra") || pli_span_is(word, "Prisms") ||
        pli_span_is(word, "Pyramids")) {
        return read_no_cells(scan);
    }
    if (!is_letter(word.text[0])) return pli_scan_fail_word(scan, "a keyword", "'Vertices' or so");
    return skip_numbers(scan);
}

static pli_status read_medit(pli_mesh_builder *builder, pli_scan *scan)
{
    scan->comment = '#';
    PLI_TRY(pli_scan_expect(scan, "MeshVersionFormatted", "the first word"));
    pli_span word = {"MeshVersionFormatted", 20};
    while (!pli_span_is(word, "End")) {
        PLI_TRY(read_keyword(builder, scan, word));
        if (!pli_scan_skip_blank(scan)) break;
        PLI_TRY(pli_scan_word(scan, "a keyword", &word));
    }
    return PLI_OK;
}

static bool matches_medit(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    scan.comment = '#';
    return pli_scan_accept(&scan, "MeshVersionFormatted");
}

const pli_mesh_format pli_mesh_format_medit = {"Medit", {"mesh"}, matches_medit, read_medit};
