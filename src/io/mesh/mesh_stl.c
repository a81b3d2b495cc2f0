// SPDX-License-Identifier: Apache-2.0
//
// .stl, text and binary: triangles by coordinates. Vertices of equal coordinates are one point; no
// tolerance is applied. Triangles that collapse by this carry no area and are left out with a
// warning. The name of a solid in a text file is the group of its triangles.
//
// A binary file has 84 bytes of head, which may say "solid" too, and 50 bytes a triangle. So the
// size tells the two apart: read as a count, text would announce more triangles than any file
// holds.
#include "io/mesh/mesh_format.h"

enum { HEAD_BYTES = 84, FACET_BYTES = 50 };

typedef struct soup {
    pli_mesh_builder *builder;
    pli_key_map points; // three coordinates -> index of the point
    int64_t collapsed;  // triangles left out
} soup;

static pli_status add_facet(soup *facets, const pli_scan *scan, double vertices[3][3],
                            int32_t group)
{
    pli_mesh_builder *builder = facets->builder;
    int32_t corners[3];
    for (int32_t i = 0; i < 3; ++i) {
        // -0 and 0 are one coordinate
        for (int32_t k = 0; k < 3; ++k) vertices[i][k] += 0.0;
        bool added = false;
        PLI_TRY(pli_key_map_add(&facets->points, vertices[i], &corners[i], &added));
        if (added) PLI_TRY(pli_mesh_builder_add_point(builder, scan, vertices[i]));
    }
    if (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]) {
        ++facets->collapsed;
        return PLI_OK;
    }
    return pli_mesh_builder_add_cell(builder, scan, &builder->triangles, corners, group);
}

// ---- text ----

static pli_status read_text_facet(soup *facets, pli_scan *scan, pli_pending_group *solid)
{
    // the normal follows from the vertices; some programs write nan for it
    PLI_TRY(pli_scan_expect(scan, "normal", "the normal of a facet"));
    for (int32_t k = 0; k < 3; ++k) {
        pli_span unused;
        PLI_TRY(pli_scan_word(scan, "a component of a normal", &unused));
    }
    double vertices[3][3];
    PLI_TRY(pli_scan_expect(scan, "outer", "the start of a facet's vertices"));
    PLI_TRY(pli_scan_expect(scan, "loop", "the start of a facet's vertices"));
    for (int32_t i = 0; i < 3; ++i) {
        PLI_TRY(pli_scan_expect(scan, "vertex", "a vertex of a facet"));
        PLI_TRY(pli_scan_reals(scan, "a coordinate of a vertex", 3, vertices[i]));
    }
    int32_t group = -1;
    PLI_TRY(pli_pending_group_get(solid, facets->builder, &group));
    PLI_TRY(add_facet(facets, scan, vertices, group));
    PLI_TRY(pli_scan_expect(scan, "endloop", "the end of three vertices"));
    return pli_scan_expect(scan, "endfacet", "the end of a facet");
}

// One solid or several.
static pli_status read_text(soup *facets, pli_scan *scan)
{
    do {
        PLI_TRY(pli_scan_expect(scan, "solid", "the start of a solid"));
        pli_pending_group group = {.name = pli_scan_rest_of_line(scan)};
        while (pli_scan_accept(scan, "facet")) PLI_TRY(read_text_facet(facets, scan, &group));
        PLI_TRY(pli_scan_expect(scan, "endsolid", "the end of a solid or a further facet"));
        (void)pli_scan_rest_of_line(scan);
    } while (pli_scan_skip_blank(scan));
    return PLI_OK;
}

// ---- binary ----

static int64_t announced_facets(const char *bytes)
{
    return pli_scalar_load_integer(PLI_SCALAR_U32, bytes + 80, false);
}

static pli_status read_binary(soup *facets, pli_scan *scan)
{
    const char *bytes = NULL;
    scan->binary = true;
    scan->next = scan->begin;
    PLI_TRY(pli_scan_take(scan, "the head of the file", HEAD_BYTES, &bytes));
    int64_t count = announced_facets(bytes);
    PLI_TRY(pli_scan_check_count(scan, "triangles", FACET_BYTES, count));
    PLI_TRY(pli_mesh_builder_reserve_cells(facets->builder, &facets->builder->triangles, count));
    for (int64_t i = 0; i < count; ++i) {
        double vertices[3][3];
        PLI_TRY(pli_scan_take(scan, "a triangle", FACET_BYTES, &bytes));
        for (int32_t k = 0; k < 9; ++k) {
            const char *place = bytes + 12 + 4 * k;
            vertices[k / 3][k % 3] = pli_scalar_load_real(PLI_SCALAR_F32, place, false);
        }
        PLI_TRY(add_facet(facets, scan, vertices, -1));
    }
    if (pli_scan_left(scan) > 0) {
        PLI_LOG(scan->context, PLI_LOG_WARNING,
                "%s: %lld bytes after the %lld triangles that the file announces are left out",
                scan->source, (long long)pli_scan_left(scan), (long long)count);
    }
    return PLI_OK;
}

static bool is_binary(const char *bytes, int64_t count)
{
    return count >= HEAD_BYTES && count == HEAD_BYTES + FACET_BYTES * announced_facets(bytes);
}

static bool is_text(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    if (!pli_scan_accept(&scan, "solid")) return false;
    // a binary head fills its 80 bytes with zeros or blanks and goes on with a count
    int64_t looked_at = count < HEAD_BYTES ? count : HEAD_BYTES;
    return memchr(bytes, '\0', (size_t)looked_at) == NULL;
}

static bool matches_stl(const char *bytes, int64_t count)
{
    return is_binary(bytes, count) || is_text(bytes, count);
}

static pli_status read_stl(pli_mesh_builder *builder, pli_scan *scan)
{
    int64_t size = scan->end - scan->begin;
    soup facets = {.builder = builder};
    pli_key_map_init(&facets.points, builder->context, 3 * sizeof(double));
    // a file that is neither is taken for text unless it has bytes that no text has
    bool text = is_text(scan->begin, size) || memchr(scan->begin, '\0', (size_t)size) == NULL;
    bool binary = is_binary(scan->begin, size) || !text;
    pli_status status = binary ? read_binary(&facets, scan) : read_text(&facets, scan);
    pli_key_map_clear(&facets.points);
    if (status == PLI_OK && facets.collapsed > 0) {
        PLI_LOG(builder->context, PLI_LOG_WARNING,
                "%s: %lld triangles with two equal vertices are left out", scan->source,
                (long long)facets.collapsed);
    }
    return status;
}

const pli_mesh_format pli_mesh_format_stl = {"STL", {"stl"}, matches_stl, read_stl};
