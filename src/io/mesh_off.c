// SPDX-License-Identifier: Apache-2.0
//
// Geomview's .off in text: a word such as OFF, the numbers of vertices, faces and edges, then a
// line "x y z" for each vertex and "n a b c ..." for each face, counted from 0. What follows on a
// line (normals, colours, texture) is left out. The word may be missing.
#include "io/mesh_format.h"

// The word at the start: "OFF" with letters before it that announce further values per vertex. The
// counts may follow it directly. An empty span when there is none, text NULL when it is another.
static pli_span find_word(const pli_scan *scan)
{
    static const char *const known[] = {"",      "OFF",   "COFF",   "NOFF",   "CNOFF",
                                        "NCOFF", "STOFF", "STCOFF", "STNOFF", "STCNOFF"};
    const char *c = scan->next;
    while (c < scan->end && ((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'))) ++c;
    pli_span word = {scan->next, c - scan->next};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (pli_span_is(word, known[i])) return word;
    }
    return (pli_span){NULL, 0};
}

static pli_status read_face(pli_mesh_builder *builder, pli_scan *scan)
{
    int64_t corner_count = 0;
    PLI_TRY(pli_scan_count(scan, "corners of a face", 2, &corner_count));
    pli_mesh_fan fan = {.group = -1};
    for (int64_t i = 0; i < corner_count; ++i) {
        int32_t corner = 0;
        PLI_TRY(pli_mesh_builder_scan_corner(builder, scan, 0, &corner));
        PLI_TRY(pli_mesh_fan_add(&fan, builder, scan, corner));
    }
    return pli_mesh_fan_end(&fan, scan);
}

// Ends a line whose further values do not matter, and goes to the next one that is not blank.
static void end_item(pli_scan *scan)
{
    (void)pli_scan_rest_of_line(scan);
    (void)pli_scan_skip_blank(scan);
}

static pli_status read_off(pli_mesh_builder *builder, pli_scan *scan)
{
    scan->comment = '#';
    (void)pli_scan_skip_blank(scan);
    pli_span word = find_word(scan);
    if (word.text == NULL) {
        return pli_scan_fail_word(scan, "the first word",
                                  "'OFF', for vertices of three coordinates,");
    }
    scan->next += word.length;
    (void)pli_scan_skip_blank(scan);
    scan->by_lines = true;
    if (pli_scan_accept(scan, "BINARY")) {
        return PLI_SCAN_FAIL(scan, "binary OFF is not read; save it as text");
    }

    // the number of edges is often wrong or missing, and nothing needs it
    int64_t point_count = 0;
    int64_t face_count = 0;
    PLI_TRY(pli_scan_count(scan, "vertices", 6, &point_count));
    PLI_TRY(pli_scan_count(scan, "faces", 2, &face_count));
    end_item(scan);
    PLI_TRY(pli_mesh_builder_reserve_points(builder, point_count));
    for (int64_t i = 0; i < point_count; ++i) {
        double point[3];
        PLI_TRY(pli_scan_reals(scan, "a coordinate of a vertex", 3, point));
        PLI_TRY(pli_mesh_builder_add_point(builder, scan, point));
        end_item(scan);
    }
    for (int64_t i = 0; i < face_count; ++i) {
        PLI_TRY(read_face(builder, scan));
        end_item(scan);
    }
    if (!pli_scan_skip_blank(scan)) return PLI_OK;
    return pli_scan_fail_word(scan, "the end of the file after the last face that its head counts",
                              "nothing more");
}

static bool matches_off(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    scan.comment = '#';
    (void)pli_scan_skip_blank(&scan);
    return find_word(&scan).length > 0;
}

const pli_mesh_format pli_mesh_format_off = {"OFF", {"off"}, matches_off, read_off};
